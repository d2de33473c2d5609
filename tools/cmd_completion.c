// SPDX-License-Identifier: BSD-3-Clause
/*
 * cmd_completion.c: `heddle completion`: what shells complete: commands, and the options of each, which --help lists.
 *
 * Layer: L5. The scripts ask the program itself, so they need no list of their own.
 */
#include "tool.h"

typedef struct request { int shell; bool given; } request;

static const char *const scripts[] = {
  /* bash */
  "# bash: source <(heddle completion bash)\n"
  "_heddle()\n{\n"
  "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}\n"
  "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
  "    COMPREPLY=($(compgen -W \"$(heddle --help | sed -n 's/^  \\([a-z]*\\)  *[a-z].*/\\1/p')\" -- \"$word\"))\n"
  "  elif [ \"${word#-}\" != \"$word\" ]; then\n"
  "    COMPREPLY=($(compgen -W \"$(heddle \"$command\" --help | grep -oE -e '--[a-z][a-z-]+' | sort -u)\" -- \"$word\"))\n"
  "  else\n"
  "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
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
  "    _files\n"
  "  fi\n}\n"
  "compdef _heddle heddle\n",
  /* fish */
  "# fish: heddle completion fish | source\n"
  "complete -c heddle -n __fish_use_subcommand -f -a \"(heddle --help | sed -n 's/^  \\([a-z]*\\)  *\\([a-z].*\\)/\\1\\t\\2/p')\"\n"
  "complete -c heddle -n 'not __fish_use_subcommand' -a \"(heddle (commandline -opc)[2] --help | "
  "grep -oE -e '--[a-z][a-z-]+' | sort -u)\"\n"
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (r->given)
      argp_error(state, "unexpected argument '%s'", arg);
    r->shell = tool_word(state, "SHELL", arg, "bash,zsh,fish");
    r->given = true;
    return 0;
  case ARGP_KEY_END:
    if (!r->given)
      argp_error(state, "SHELL is expected: bash, zsh or fish");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .parser = parse, .args_doc = "SHELL",
    .doc = "Print what a shell needs to complete commands and options: bash, zsh or fish.\v"
           "bash: source <(heddle completion bash); fish: heddle completion fish | source; zsh: into a file _heddle of $fpath."
  };
  request r = { 0 };
  const int code = tool_parse(&argp, argc, argv, &r);
  if (code == 0)
    fputs(scripts[r.shell], stdout);
  return code;
}

const tool_command cmd_completion = { "completion", "what shells need to complete commands and options", run_command };
