// SPDX-License-Identifier: BSD-3-Clause
/* What the commands of the program `heddle` share.
 *
 * Layer: L5; uses <heddle.h> and the kits' public headers as a stranger would. A command is
 * a file cmd_NAME.c with a const tool_command cmd_NAME, and a row of tool_commands in local.mk.
 * Results go to stdout, everything else to stderr. Files appear complete or not at all.
 */
#ifndef HEDDLE_TOOLS_TOOL_H
#define HEDDLE_TOOLS_TOOL_H
#include <argp.h>
#include <heddle.h>
#include <heddle/kits/match.h>
#include <heddle/kits/map.h>
#include <heddle/words.h>
#include <stdio.h>

/* Documented in the manual and in --help; never re-used for something else. */
enum {
  STATUS_OK = 0,
  STATUS_NEGATIVE = 1,     /* ran, and the answer is negative: no peak found; or an internal error */
  STATUS_USAGE = 2,
  STATUS_INPUT = 3,
  STATUS_BACKEND = 4,
  STATUS_MEMORY = 5,
  STATUS_INTERRUPTED = 130
};

typedef struct tool_command {
  const char *name, *does;             /* does: a line of --help */
  int (*run)(int argc, char **argv);   /* argv[0] is "heddle NAME"; returns the exit status */
} tool_command;

/* TOOL_COMMANDS is COMMAND(NAME) for each of them, from local.mk. */
#define COMMAND(name) extern const tool_command cmd_##name;
TOOL_COMMANDS
#undef COMMAND

/* Writes "NAME: sentence" to stderr and returns CODE. */
int tool_fail(int code, const char *format, ...) HED_PRINTF(2, 3);

/* From now on this thread's sentences of failures (CODE not 0) go into TEXT, of ROOM bytes, without a name; NULL: to stderr again. */
void tool_fail_into(char *text, size_t room);

/* The exit status that belongs to a status; the same as above with it, and this thread's Heddle error as the sentence. */
int tool_code(hed_status status);
int tool_fail_status(hed_status status);

/* This thread's Heddle error without the name of the function that failed, which who uses the program has not called, or the
 * command's, which begins the sentence anyway. */
const char *tool_reason(void);

/* The name of the backend in force; NULL, after a sentence on stderr and *CODE the exit status, when the configuration allows none. */
const char *tool_backend(int *code);

/* argp_parse with the program's habits: --help and --version on stdout, wrong use exits with STATUS_USAGE. */
int tool_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Whether ARGV has an option that ARGP has not, in the order of its words (then the first that is no option ends them): a sentence
 * says which one was probably meant. */
bool tool_unknown_option(const struct argp *argp, int argc, char **argv, bool in_order);

/* Finite number in [low, high], integer in [low, high]; others end the program with a usage error that names the
 * option. */
double tool_number(struct argp_state *state, const char *option, const char *text, double low, double high);
long long tool_integer(struct argp_state *state, const char *option, const char *text, long long low, long long high);

/* Which of WORDS ("a,b,c") TEXT is; none of them is a usage error. */
int tool_word(struct argp_state *state, const char *option, const char *text, const char *words);

/* The usage error that TEXT is none of WORDS ("a,b,c"): the nearest and all of them. */
void tool_none(struct argp_state *state, const char *option, const char *text, const char *words);

/* hed_table_format by its name; by a file's ending, where -1, after a sentence, says that OPTION has to tell. */
int tool_table_format(struct argp_state *state, const char *option, const char *text);
int tool_table_format_of(int *format, const char *path, const char *option);

/* Angles "-60,60" of a tilt series; the half ranges "60,60" of other programs mean the same. */
void tool_tilts(struct argp_state *state, const char *text, double *low, double *high);

/* An exclusive lock on a folder, waited for; close() lets go of it. -1 and errno. */
int tool_lock(const char *folder);

/* Flushes stdout; a full disk or a closed pipe is not success. */
int tool_close_stdout(int code);
/* Prints a document; 0, or an exit status after a sentence. */
struct emit;
int tool_emit(struct emit *e);

/* ---- interruption: set by SIGINT, SIGTERM and SIGHUP once installed; a second signal kills ---- */
extern int tool_interrupted;
void tool_catch_signals(void);

/* ---- output files: written under temporary names, put in their places together ---- */

enum { OUTPUTS_MAX = 20 };
typedef struct outputs {
  int n;
  bool force;
  int pictures;            /* 0: png, 1: svg, 2: pdf */
  char *final[OUTPUTS_MAX];
  hed_file *file[OUTPUTS_MAX];
  int n_made;
  char *made[OUTPUTS_MAX]; /* folders */
} outputs;

/* PREFIX of files to come: its folder is made when it is missing. 0, or an exit status: it names a folder itself. */
int outputs_prefix(outputs *o, const char *prefix);

/* Announce a file, of a picture (.png) with the ending that o->pictures says; 0, or an exit status when it exists (without force)
 * or cannot be written. */
int outputs_add(outputs *o, const char *prefix, const char *suffix);
/* 0, or an exit status when PATH (may be NULL), which is read, is one of the announced files. */
int outputs_input(const outputs *o, const char *path);
/* All of it: PREFIX with each of N suffixes (outputs_whole: PREFIX is a file's name), none of which is one of the inputs. */
int outputs_plan(outputs *o, const char *prefix, size_t n, const char *const *suffixes, size_t n_inputs, const char *const *inputs);
extern const char *const outputs_whole[1];
/* Make them, and the name under which file I is to be written. */
hed_status outputs_open(outputs *o);
const char *outputs_name(const outputs *o, int i);
/* A document as file I; E is empty afterwards. */
hed_status outputs_emit(outputs *o, int i, struct emit *e);
/* Put all in their places. */
int outputs_commit(outputs *o);
/* Remove what is not in its place, free. */
void outputs_close(outputs *o);

/* ---- inputs ---- */

/* hed_map_read_as(), and what is odd about the file on stderr. */
hed_status tool_read_map(const char *path, const hed_map_reading *opt, hed_map *out);
bool tool_is_model(const char *path);
/* By more than 1 %; 0 is one that is not known. */
bool tool_voxels_differ(double a, double b);
/* A map of a model in an odd cube that holds it in every orientation. */
hed_status tool_model_map(const hed_model *m, double voxel, double resolution, hed_map *out);

#endif
