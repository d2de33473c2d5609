// SPDX-License-Identifier: BSD-3-Clause
/*
 * cmd_convert.c: `heddle convert`: tables of particles from one program's format to another's.
 *
 * Layer: L5.
 */
#include "tool.h"
#include <heddle/kits/table.h>
#include <string.h>
#include <strings.h>

typedef struct request {
  const char *in, *out, *tomogram;
  int from, to; /* hed_table_format; -1: by the ending */
  double voxel;
  bool force;
} request;

enum { KEY_FROM = 256, KEY_TO, KEY_VOXEL, KEY_NAME, KEY_FORCE };
static const char words[] = "tsv,star,tbl"; /* in the order of hed_table_format */

static const struct argp_option options[] = {
  { "from", KEY_FROM, "FORMAT", 0, "Format of IN: tsv, star or tbl (by its ending)", 0 },
  { "to", KEY_TO, "FORMAT", 0, "Format of OUT (by its ending)", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where the format has a place for it (1)", 0 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name in STAR files (tomogram)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace OUT if it exists", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_FROM: r->from = tool_word(state, "--from", arg, words); return 0;
  case KEY_TO: r->to = tool_word(state, "--to", arg, words); return 0;
  case KEY_VOXEL: r->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6); return 0;
  case KEY_NAME: r->tomogram = arg; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1)
      argp_error(state, "unexpected argument '%s'", arg);
    *(state->arg_num ? &r->out : &r->in) = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->out)
      argp_error(state, "IN and OUT are expected");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* By the name's ending; -1, after a sentence. */
static int format_of(const char *path, const char *option)
{
  static const char *const ends[] = { ".tsv", ".star", ".tbl" };
  const char *dot = strrchr(path, '.');
  for (int i = 0; dot && i < 3; i++)
    if (strcasecmp(dot, ends[i]) == 0)
      return i;
  return tool_fail(-1, "'%s' ends in none of .tsv, .star and .tbl; %s says what it is", path, option);
}

static int convert(const request *r, outputs *o)
{
  const hed_table_frame frame = { .voxel = { r->voxel, r->voxel, r->voxel }, .tomogram = r->tomogram };
  hed_table t = { 0 };
  hed_status status = hed_table_read_as(r->in, r->from, &frame, &t);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK)
    status = hed_table_write_as(outputs_name(o, 0), &t, r->to, &frame);
  int code = status == HED_OK ? outputs_commit(o) : tool_fail_status(status);
  if (code == 0)
    printf("%zu particles: %s\n", t.n, r->out);
  hed_table_clear(&t);
  return code;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "IN OUT",
    .doc = "Convert a table of particles.\v"
           "Formats are Heddle's own (.tsv), RELION's 3.1 and 4 (.star) and Dynamo's (.tbl). The manual says how their angles "
           "relate."
  };
  request r = { .from = -1, .to = -1 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  if ((r.from < 0 && (r.from = format_of(r.in, "--from")) < 0) || (r.to < 0 && (r.to = format_of(r.out, "--to")) < 0))
    return STATUS_USAGE;
  o.force = r.force;
  code = outputs_prefix(&o, r.out);
  if (code == 0)
    code = outputs_add(&o, r.out, "");
  if (code == 0)
    code = outputs_input(&o, r.in);
  if (code == 0)
    code = convert(&r, &o);
  outputs_close(&o);
  return code;
}

const tool_command cmd_convert = { "convert", "tables of particles to other programs' formats", run_command };
