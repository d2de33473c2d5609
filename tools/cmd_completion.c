// SPDX-License-Identifier: BSD-3-Clause
/* `heddle completion`: what shells complete: commands, and the options of each, which --help lists.
 *
 * Layer: L5. The scripts ask the program itself, so they need no list of their own.
 */
#include "tools/bench/bench.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct request {
  int shell;                    /* -1: values, of an option or after a word of a command */
  int given;
  const char *command, *before;
} request;

static const char *const scripts[] = {
  /* bash */
  "# bash: source <(heddle completion bash)\n"
  "_heddle()\n{\n"
  "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]} values\n"
  "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
  "  [ \"$word\" = = ] && word= before=${COMP_WORDS[COMP_CWORD-1]}\n"
  "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
  "    COMPREPLY=($(compgen -W \"$(heddle --help | sed -n 's/^  \\([a-z]*\\)  *[a-z].*/\\1/p')\" -- \"$word\"))\n"
  "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
  "    COMPREPLY=($(compgen -W \"$(heddle \"$command\" --help | grep -oE -e '--[a-z][a-z-]+' | sort -u)\" -- \"$word\"))\n"
  "  else\n"
  "    values=$(heddle completion -- values \"$command\" \"$before\" 2>/dev/null)\n"
  "    if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
  "    else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
  "  fi\n}\n"
  "complete -o filenames -F _heddle heddle\n",
  /* zsh */
  "#compdef heddle\n"
  "# zsh: heddle completion zsh >a folder of $fpath/_heddle\n"
  "_heddle()\n{\n"
  "  local -a words_\n"
  "  if (( CURRENT == 2 )); then\n"
  "    words_=(${(f)\"$(heddle --help | sed -n 's/^  \\([a-z]*\\)  *\\([a-z].*\\)/\\1:\\2/p')\"})\n"
  "    _describe command words_\n"
  "  elif [[ ${words[CURRENT]} == -* ]]; then\n"
  "    words_=(${(f)\"$(heddle ${words[2]} --help | grep -oE -e '--[a-z][a-z-]+' | sort -u)\"})\n"
  "    compadd -- $words_\n"
  "  else\n"
  "    words_=(${=\"$(heddle completion -- values ${words[2]} ${words[CURRENT-1]} 2>/dev/null)\"})\n"
  "    if (( $#words_ )); then compadd -- $words_; else _files; fi\n"
  "  fi\n}\n"
  "compdef _heddle heddle\n",
  /* fish */
  "# fish: heddle completion fish | source\n"
  "complete -c heddle -n __fish_use_subcommand -f -a \"(heddle --help | sed -n 's/^  \\([a-z]*\\)  *\\([a-z].*\\)/\\1\\t\\2/p')\"\n"
  "complete -c heddle -n 'not __fish_use_subcommand' -a \"(heddle (commandline -opc)[2] --help | "
  "grep -oE -e '--[a-z][a-z-]+' | sort -u)\"\n"
  "complete -c heddle -n 'not __fish_use_subcommand' -a \"(heddle completion -- values (commandline -opc)[2] (commandline -opc)[-1] "
  "2>/dev/null | string split ' ')\"\n"
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (r->given == 0)
      r->shell = strcmp(arg, "values") == 0 ? -1 : tool_word(state, "SHELL", arg, "bash,zsh,fish");
    else if (r->shell == -1 && r->given < 3)
      *(r->given == 1 ? &r->command : &r->before) = arg;
    else
      argp_error(state, "unexpected argument '%s'", arg);
    r->given++;
    return 0;
  case ARGP_KEY_END:
    if (r->given == 0 || (r->shell == -1 && r->given != 3))
      argp_error(state, "SHELL is expected: bash, zsh or fish; or values COMMAND WORD");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_name(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg;
  (void)value;
  (void)source;
  printf("%s ", name);
}

/* What may stand after a word of a command line: names of settings, suites and shells, else the words that the option takes, which
 * are in the sentence about one that it does not. --usage ends a command that takes any. */
static int print_values(const request *r, const char *program)
{
  const bool sets = strcmp(r->before, "set") == 0 || strcmp(r->before, "get") == 0 || strcmp(r->before, "unset") == 0;
  if (strcmp(r->command, "config") == 0) {
    if (sets)
      hed_config_list(print_name, NULL);
    else if (strcmp(r->before, "config") == 0)
      printf("get set unset");
  } else if (strcmp(r->command, "completion") == 0) {
    printf("%s", strcmp(r->before, "completion") == 0 ? "bash zsh fish" : "");
  } else if (strcmp(r->command, r->before) == 0 && strcmp(r->command, "bench") == 0) {
    for (const bench_suite *s = bench_suites; s->name; s++)
      printf("%s ", s->name);
    printf("match all");
  } else if (strncmp(r->before, "--", 2) == 0) {
    char line[1024];
    const char *list = NULL;
    int fd[2];
    if (pipe(fd) != 0)
      return tool_fail(STATUS_MEMORY, "no pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
      dup2(fd[1], STDERR_FILENO);
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
      close(fd[0]);
      execl(program, "heddle", r->command, r->before, "?", "--usage", (char *)NULL);
      _exit(127);
    }
    close(fd[1]);
    FILE *f = fdopen(fd[0], "r");
    while (f && fgets(line, sizeof line, f))
      if (!list && (list = strstr(line, "; there are ")) != NULL)
        for (list += strlen("; there are "); *list && *list != '\n'; list++)
          if (*list != ',')
            putchar(*list);
    if (f)
      fclose(f);
    if (child > 0)
      waitpid(child, NULL, 0);
  }
  putchar('\n');
  return 0;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .parser = parse, .args_doc = "SHELL\nvalues COMMAND WORD",
    .doc = "Print what a shell needs to complete commands, options and values: bash, zsh or fish; or what may stand after WORD.\v"
           "bash: source <(heddle completion bash); fish: heddle completion fish | source; zsh: into a file _heddle of $fpath."
  };
  request r = { 0 };
  const int code = tool_parse(&argp, argc, argv, &r);
  if (code == 0 && r.shell < 0)
    return print_values(&r, "/proc/self/exe");
  if (code == 0)
    fputs(scripts[r.shell], stdout);
  return code;
}

const tool_command cmd_completion = { "completion", "what shells need to complete commands and options", run_command };
