// SPDX-License-Identifier: BSD-3-Clause
/* The program: finds the command and runs it.
 *
 * Layer: L5.
 */
#define _GNU_SOURCE
#include "tool.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const tool_command *const commands[] = {
#define COMMAND(name) &cmd_##name,
  TOOL_COMMANDS
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

typedef struct choice {
  const tool_command *command;
  int argc;
  char **argv;
  bool help; /* `heddle help COMMAND' */
  char text[400];
} choice;

static const char *names(void)
{
  static char all[256];
  for (int i = *all ? COMMANDS : 0; i < COMMANDS; i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", commands[i]->name);
  return all;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  choice *c = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    for (int i = 0; i < COMMANDS; i++)
      if (strcmp(arg, commands[i]->name) == 0) {
        c->command = commands[i];
        c->argc = state->argc - state->next + 1;
        c->argv = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
      }
    if (strcmp(arg, "help") == 0) {
      c->help = true;
      if (state->next == state->argc)
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
      return 0;
    }
    argp_error(state, "unknown command '%s'%s", arg, hed_choices(arg, names(), c->text, sizeof c->text));
    return 0;
  case 'h':
    argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
    return 0;
  case ARGP_KEY_NO_ARGS:
    (void)tool_fail(0, "a command is missing");
    argp_state_help(state, stderr, ARGP_HELP_PRE_DOC);
    exit(STATUS_USAGE);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* What --help says, to which argp adds the usage. */
static const char *text(void)
{
  static char all[4096];
  int n = snprintf(all, sizeof all, "Array operations, and jobs on top of them, on the hardware of your choice.\n\nCommands:\n");
  for (int i = 0; i < COMMANDS; i++)
    n += snprintf(all + n, sizeof all - (size_t)n, "  %-10s %s\n", commands[i]->name, commands[i]->does);
  snprintf(all + n, sizeof all - (size_t)n, "%s",
           "\v'heddle help COMMAND' says more.\n\n"
           "Exit status: 0 success, 1 nothing found or internal error, 2 wrong use, 3 input or output, 4 backend, 5 memory, "
           "130 interrupted.");
  return all;
}

static void print_version(FILE *f, struct argp_state *state)
{
  (void)state;
  fprintf(f, "heddle %s\nLicence: BSD-3-Clause. There is no warranty.\n", hed_version());
}

/* With the library of a build folder, where libtool puts it, the modules that were built with it are meant. */
static void use_built_modules(void)
{
  static const char built[] = "/lib/.libs/";
  Dl_info library;
  const char *(*anything)(void) = hed_version;
  void *address;
  char path[4096];
  memcpy(&address, &anything, sizeof address);
  if (getenv("HEDDLE_PLUGIN_PATH") || !dladdr(address, &library) || !library.dli_fname || library.dli_fname[0] != '/')
    return;
  const char *end = strstr(library.dli_fname, built), *slash = strrchr(library.dli_fname, '/');
  while (end && end + sizeof built - 2 != slash)
    end = strstr(end + 1, built);
  if (end && snprintf(path, sizeof path, "%.*s/lib/backends/.libs", (int)(end - library.dli_fname), library.dli_fname) <
               (int)sizeof path)
    (void)setenv("HEDDLE_PLUGIN_PATH", path, 0);
}

/* --help and --version end the program where they stand; a full disk is not success for them either. */
static void at_exit(void)
{
  const int code = tool_close_stdout(0);
  if (code)
    _exit(code);
}

/* argp writes lines of 79 columns; a narrower terminal, or COLUMNS, gets shorter ones. */
static void narrow(void)
{
  struct winsize w = { .ws_col = 0 };
  const char *columns = getenv("COLUMNS");
  char text[64];
  int n = columns ? atoi(columns) : ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
  if (n < 24 || n >= 79)
    return;
  snprintf(text, sizeof text, "rmargin=%d,opt-doc-col=%d,short-opt-col=1,long-opt-col=1", n - 1, n / 3);
  (void)setenv("ARGP_HELP_FMT", text, 0);
}

static void print_message(void *command, hed_log_level level, const char *subsystem, const char *message)
{
  (void)level;
  fprintf(stderr, "%s: %s: %s\n", (const char *)command, subsystem, message);
}

static void take_level(void *level, const char *name, const char *value, const char *source)
{
  (void)source;
  if (strcmp(name, "log") == 0)
    *(hed_log_level *)level = hed_log_level_by_name(value);
}

/* What the setting `log' asks for. Not where settings are changed: those in force are read once, and `config set' tries its own. */
static void listen_to_log(char *command)
{
  hed_log_level level = HED_LOG_OFF;
  hed_config_list(take_level, &level);
  if (level != HED_LOG_OFF)
    hed_log_set(level, print_message, command);
}

int main(int argc, char **argv)
{
  static char name[] = "heddle";
  static char full[64];
  static const struct argp_option short_help[] = { { "help", 'h', NULL, OPTION_HIDDEN, "", 0 }, { 0 } };
  const struct argp argp = { .options = short_help, .parser = parse, .args_doc = "COMMAND [ARGUMENT...]", .doc = text() };
  choice c = { 0 };

  use_built_modules();
  atexit(at_exit);
  narrow();
  argp_program_version_hook = print_version;
  argp_err_exit_status = STATUS_USAGE;
  argv[0] = name;
  if (tool_unknown_option(&argp, argc, argv, true)) {
    argp_help(&argp, stderr, ARGP_HELP_SEE, name);
    exit(STATUS_USAGE);
  }
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &c) != 0 || !c.command)
    return STATUS_USAGE;
  snprintf(full, sizeof full, "heddle %s", c.command->name);
  c.argv[0] = full;
  static char help_option[] = "--help";
  static char *help_argv[] = { full, help_option, NULL };
  if (c.help) {
    c.argv = help_argv;
    c.argc = 2;
  }
  if (strcmp(c.command->name, "config") != 0)
    listen_to_log(full);
  int code = tool_close_stdout(c.command->run(c.argc, c.argv));
  (void)hed_thread_detach();
  return code;
}
