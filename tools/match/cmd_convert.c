// SPDX-License-Identifier: BSD-3-Clause
/* `heddle convert`: tables of particles from one program's format to another's.
 *
 * Layer: L5.
 */
#include "search.h"
#include <string.h>

typedef struct request {
  const char *in, *out, *tomogram;
  int from, to; /* hed_table_format; -1: by the content, by the ending */
  hed_table_frame frame;
  bool force;
} request;

enum { KEY_FROM = 256, KEY_TO, KEY_VOXEL, KEY_NAME, KEY_DIMS, KEY_BINNING, KEY_CENTER, KEY_FORCE };

static const struct argp_option options[] = {
  { "from", KEY_FROM, "FORMAT", 0, "Format of IN: tsv, star, tbl, relion5, stopgap, pytme, coords, napari or cmm "
    "(by its content)", 0 },
  { "to", KEY_TO, "FORMAT", 0, "Format of OUT (by its ending)", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where the format has a place for it (that of IN, or 1)", 0 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name; of a table of several, the rows of this one", 0 },
  { "dims", KEY_DIMS, "X,Y,Z", 0, "Extents of the tomogram in the table's voxels, for RELION 5", 0 },
  { "binning", KEY_BINNING, "B", 0, "Voxels of the unbinned tomogram along one of these, for RELION 5 (1)", 0 },
  { "relion-center", KEY_CENTER, "WHERE", 0,
       "Middle of RELION 5's tomogram: half, N/2, or half-1, as some pickers have it (half)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace OUT if it exists", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_FROM: r->from = tool_table_format(state, "--from", arg); return 0;
  case KEY_TO: r->to = tool_table_format(state, "--to", arg); return 0;
  case KEY_VOXEL:
    for (int a = 0; a < 3; a++)
      r->frame.voxel[a] = tool_number(state, "--voxel", arg, 1e-3, 1e6);
    return 0;
  case KEY_NAME: r->frame.tomogram = arg; return 0;
  case KEY_DIMS: {
    char text[64], *at = text, *end = text;
    snprintf(text, sizeof text, "%s", arg);
    for (int a = 2; a >= 0 && end; a--) {
      end = strchr(at, ',');
      if (!end != (a == 0))
        argp_error(state, "--dims: '%s' is not three extents X,Y,Z", arg);
      if (end)
        *end = '\0';
      r->frame.extent[a] = tool_integer(state, "--dims", at, 1, 1 << 24);
      at = end ? end + 1 : at;
    }
    return 0;
  }
  case KEY_BINNING: r->frame.binning = tool_number(state, "--binning", arg, 1e-3, 1e3); return 0;
  case KEY_CENTER: r->frame.half_less_one = tool_word(state, "--relion-center", arg, "half,half-1") == 1; return 0;
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

static int convert(const request *r, outputs *o)
{
  hed_table t = { 0 };
  hed_status status = tool_read_table(r->in, r->from, &r->frame, &(table_wanted){ r->frame.tomogram, true, false, false }, &t);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK)
    status = hed_table_write_as(outputs_name(o, 0), &t, r->to, &r->frame);
  int code = status == HED_OK ? outputs_commit(o) : tool_fail_status(status);
  if (code == 0)
    tool_say_omitted(&t, r->to, r->out);
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
           "Formats are Heddle's own (.tsv), RELION's 3.1 and 4 (.star) and 5 (relion5), Dynamo's (.tbl), STOPGAP's, pyTME's, and "
           "places for IMOD (.coords), napari (.csv) and ChimeraX (.cmm). The manual says how their angles relate."
  };
  request r = { .from = -1, .to = -1 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code == 0)
    code = tool_table_format_of(&r.to, r.out, "--to");
  o.force = r.force;
  if (code == 0)
    code = outputs_plan(&o, r.out, 1, outputs_whole, 1, &r.in);
  if (code == 0)
    code = convert(&r, &o);
  outputs_close(&o);
  return code;
}

const tool_command cmd_convert = { "convert", "tables of particles to other programs' formats", run_command };
