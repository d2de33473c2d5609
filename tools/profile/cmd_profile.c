// SPDX-License-Identifier: BSD-3-Clause
/* `heddle profile`: what is in the profiles of programs.
 *
 * Layer: L5. Several files are one profile: those of processes that worked together.
 */
#include "profile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 256, KEY_SORT, KEY_BY, KEY_COMPARE, KEY_FLOOR, KEY_FORCE, MOST_FILES = 4096 };

typedef struct request {
  const char **file;
  int n;
  const char *out, *compare;
  int by, sort;
  bool json, force, floor;
} request;

static const struct argp_option options[] = {
  { "by", KEY_BY, "WHAT", 0, "Rows are: op (as by default), backend, thread, context, range (what the program and kits mark)", 0 },
  { "sort", KEY_SORT, "COLUMN", 0, "Order of the rows: own (by default), total, calls, mean, bytes, name; fallbacks come first", 0 },
  { "json", KEY_JSON, NULL, 0, "One JSON document (heddle.profile-table/1, heddle.profile-compare/1)", 0 },
  { "compare", KEY_COMPARE, "FILE", 0, "Beside the profile in FILE, of another run", 0 },
  { "floor", KEY_FLOOR, NULL, 0, "What of the time moving the bytes would take, by copies that are measured here, now", 0 },
  { "output", 'o', "FILE", 0, "The timeline as a picture, FILE.svg, or the trace of FILE.raw as FILE.json, rather than the table", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace a file that exists", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_JSON: r->json = true; return 0;
  case KEY_FLOOR: r->floor = true; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case KEY_BY: r->by = tool_word(state, "--by", arg, PROFILE_BY); return 0;
  case KEY_SORT: r->sort = tool_word(state, "--sort", arg, PROFILE_SORT); return 0;
  case KEY_COMPARE: r->compare = arg; return 0;
  case 'o': r->out = arg; return 0;
  case ARGP_KEY_ARG:
    if (r->n == MOST_FILES)
      argp_error(state, "at most %d files are possible", MOST_FILES);
    r->file[r->n++] = arg;
    return 0;
  case ARGP_KEY_END:
    if (r->n == 0)
      argp_error(state, "a file is expected: what HEDDLE_PROFILE=FILE.json or hed_profile_begin() has made");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static int read_all(profile_data *d, int n, const char *const *file)
{
  int code = 0;
  for (int k = 0; k < n && code == 0; k++)
    code = profile_read(d, file[k]);
  return code ? code : profile_settle(d);
}

static int write_picture(const request *r, const profile_data *d)
{
  outputs o = { .force = r->force };
  int code = outputs_plan(&o, r->out, 1, outputs_whole, (size_t)r->n, r->file);
  if (code == 0 && outputs_open(&o) != HED_OK)
    code = tool_fail_status(hed_error());
  FILE *f = code == 0 ? fopen(outputs_name(&o, 0), "we") : NULL;
  if (code == 0 && !f)
    code = tool_fail(STATUS_INPUT, "%s cannot be written: %s", r->out, strerror(errno));
  if (f) {
    const bool bad = profile_picture(d, f) != 0;
    if (fclose(f) != 0 || bad)
      code = tool_fail(STATUS_INPUT, "%s cannot be written: %s", r->out, strerror(errno));
  }
  if (code == 0)
    code = outputs_commit(&o);
  outputs_close(&o);
  return code;
}

static int write_trace(const request *r)
{
  outputs o = { .force = r->force };
  int code = r->n == 1 ? 0 : tool_fail(STATUS_USAGE, "-o %s is made of one file, and %d are given", r->out, r->n);
  if (code == 0)
    code = outputs_plan(&o, r->out, 1, outputs_whole, (size_t)r->n, r->file);
  if (code == 0) {
    const hed_status s = hed_profile_convert(r->file[0], r->out);
    code = s == HED_OK ? 0 : tool_fail_status(s);
  }
  outputs_close(&o);
  return code;
}

static int table(const request *r, const profile_data *d)
{
  profile_sums s = { 0 }, old = { 0 };
  profile_data o = { 0 };
  profile_floors floors = { .n = 0 };
  int code = profile_sum(d, r->by, r->sort, &s);
  if (code == 0 && r->compare) {
    code = read_all(&o, 1, &r->compare);
    if (code == 0)
      code = profile_sum(&o, r->by, r->sort, &old);
    if (code == 0)
      code = profile_compare(d, &s, &o, &old, r->json);
  } else if (code == 0) {
    code = profile_print(d, &s, r->by, r->json, r->floor ? &floors : NULL);
  }
  free(s.row);
  free(old.row);
  profile_free(&o);
  return code;
}

static bool ends_in(const char *path, const char *ending)
{
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

static int run(int argc, char **argv)
{
  static const struct argp argp = { options, parse, "FILE...",
                                    "What threads did, where it ran, and what they waited for, from the profiles of programs.",
                                    NULL, NULL, NULL };
  request r = { 0 };
  profile_data d = { 0 };
  if (!(r.file = calloc(MOST_FILES, sizeof *r.file)))
    return tool_fail(STATUS_MEMORY, "no memory");
  tool_parse(&argp, argc, argv, &r);
  const bool picture = r.out && ends_in(r.out, ".svg");
  int code = 0;
  if (r.out && !picture && !ends_in(r.out, ".json") && !ends_in(r.out, ".json.gz"))
    code = tool_fail(STATUS_USAGE, "-o %s: the name ends in .svg, .json or .json.gz", r.out);
  else if (r.out && !picture)
    code = write_trace(&r);
  else
    code = read_all(&d, r.n, r.file);
  if (code == 0 && picture)
    code = write_picture(&r, &d);
  else if (code == 0 && !r.out)
    code = table(&r, &d);
  profile_free(&d);
  free(r.file);
  return tool_close_stdout(code);
}

const tool_command cmd_profile = { "profile", "what threads did and waited for, in a profile", run };
