// SPDX-License-Identifier: BSD-3-Clause
/* `heddle peaks`: peaks of a search that was done, called again.
 *
 * Layer: L5.
 */
#include "search.h"
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *prefix, *out, *mask_path, *template_mask_path, *name;
  hed_match_peak_options opt;
  double false_positives;
  long long samples;
  int format; /* hed_table_format; -1: by the ending */
  bool force;
  search from;
  hed_map mask, template_mask;
} request;

enum { KEY_CALLER = 256, KEY_FALSE, KEY_MIN, KEY_MAX, KEY_DISTANCE, KEY_BORDER, KEY_MASK, KEY_TEMPLATE, KEY_TOPHAT, KEY_SUBVOXEL,
       KEY_PEAKS, KEY_SAMPLES, KEY_FORMAT, KEY_NAME, KEY_FORCE };

static const struct argp_option options[] = {
  { "output", 'o', "FILE", 0, "The table", 0 },
  { "caller", KEY_CALLER, "NAME", 0, "Which voxels may be peaks: maximum, sort, tiles, recursive, box or cluster (maximum)", 0 },
  { "false-positives", KEY_FALSE, "N", 0, "Cut where N scores of the background are expected above (1); needs PREFIX.json", 0 },
  { "min-score", KEY_MIN, "S", 0, "Cut there instead", 0 },
  { "max-score", KEY_MAX, "S", 0, "Leave out what scores more", 0 },
  { "min-distance", KEY_DISTANCE, "V", 0, "Voxels between peaks (1)", 0 },
  { "border", KEY_BORDER, "V", 0, "Voxels between peaks and the faces (0)", 0 },
  { "mask", KEY_MASK, "FILE", 0, "Peaks only where this map of the scores' shape is above 0", 0 },
  { "template-mask", KEY_TEMPLATE, "FILE", 0,
       "For recursive: what this mask, turned as the template was, covers is struck out round a "
    "peak", 0 },
  { "tophat", KEY_TOPHAT, NULL, 0, "Only peaks that are sharp: a white top-hat above that of the background", 0 },
  { "subvoxel", KEY_SUBVOXEL, NULL, 0, "Places between voxels, by parabolas", 0 },
  { "peaks", KEY_PEAKS, "N", 0, "At most N peaks (1000)", 0 },
  { "min-samples", KEY_SAMPLES, "N", 0, "For cluster: voxels within the distance of an inner one (4)", 0 },
  { "format", KEY_FORMAT, "FORMAT", 0, "Of FILE: tsv, star, tbl, relion5, stopgap, pytme, coords, napari or cmm (by its ending)", 0 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name in STAR files (that of PREFIX)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace FILE if it exists", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->out = arg; return 0;
  case KEY_CALLER: r->opt.caller = tool_word(state, "--caller", arg, "maximum,sort,tiles,recursive,box,cluster"); return 0;
  case KEY_FALSE: r->false_positives = tool_number(state, "--false-positives", arg, 1e-9, 1e9); return 0;
  case KEY_MIN:
    r->opt.min_score = tool_number(state, "--min-score", arg, -1e30, 1e30);
    r->opt.use_min_score = true;
    return 0;
  case KEY_MAX: r->opt.max_score = tool_number(state, "--max-score", arg, 1e-30, 1e30); return 0;
  case KEY_DISTANCE: r->opt.min_distance = tool_number(state, "--min-distance", arg, 0.5, 1e5); return 0;
  case KEY_BORDER: r->opt.border = tool_number(state, "--border", arg, 0, 1e5); return 0;
  case KEY_MASK: r->mask_path = arg; return 0;
  case KEY_TEMPLATE: r->template_mask_path = arg; return 0;
  case KEY_TOPHAT: r->opt.tophat = true; return 0;
  case KEY_SUBVOXEL: r->opt.subvoxel = true; return 0;
  case KEY_PEAKS: r->opt.num_peaks = (size_t)tool_integer(state, "--peaks", arg, 1, 10000000); return 0;
  case KEY_SAMPLES: r->opt.min_samples = (size_t)tool_integer(state, "--min-samples", arg, 1, 1000000); return 0;
  case KEY_FORMAT: r->format = tool_table_format(state, "--format", arg); return 0;
  case KEY_NAME: r->name = arg; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argp_error(state, "unexpected argument '%s'", arg);
    r->prefix = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->prefix || !r->out)
      argp_error(state, r->prefix ? "-o FILE is missing" : "PREFIX is expected");
    else if (r->template_mask_path && r->opt.caller != HED_PEAKS_RECURSIVE)
      argp_error(state, "--template-mask is for --caller=recursive");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static hed_status read_all(request *r)
{
  hed_status status = search_read(r->prefix, &r->from);
  if (status == HED_OK && r->mask_path && (status = tool_read_map(r->mask_path, NULL, &r->mask)) == HED_OK)
    r->opt.mask = r->mask.data;
  if (status == HED_OK && r->template_mask_path && (status = tool_read_map(r->template_mask_path, NULL, &r->template_mask)) == HED_OK)
    r->opt.tmpl_mask = r->template_mask.data;
  r->opt.matrices = r->from.matrices;
  r->opt.n_matrices = r->from.n_matrices;
  if (status != HED_OK || r->opt.use_min_score)
    return status;
  if (!r->from.summary)
    return hed_fail(HED_E_INVAL, "there is no '%s%s' that says what the background scores; --min-score gives the cut", r->prefix,
                    search_summary);
  r->opt.use_min_score = true;
  r->opt.min_score = r->from.centre + hed_match_cutoff_shaped(r->from.sigma, r->from.kurtosis, r->from.n_scores, r->false_positives);
  return HED_OK;
}

static hed_status call(request *r, outputs *o, hed_table *t)
{
  hed_match_peak *peaks = NULL;
  char room[64];
  size_t n = 0;
  hed_status status = read_all(r);
  if (status == HED_OK)
    status = hed_match_peaks(r->from.scores.data, r->from.rotations, &r->opt, &peaks, &n);
  if (status == HED_OK)
    status = hed_match_table(n, peaks, hed_array_ndim(r->from.scores.data), r->from.matrices, r->from.n_matrices,
                             r->from.scores.voxel, r->from.scores.origin, t);
  free(peaks);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status != HED_OK)
    return status;
  const hed_table_frame frame = tool_frame(&r->from.scores, r->prefix, r->name, room);
  return hed_table_write_as(outputs_name(o, 0), t, r->format, &frame);
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "PREFIX",
    .doc = "Call the peaks of a search again.\v"
           "PREFIX is that of `heddle match -o PREFIX'. Exit status 1 means that there is no peak; the table is written all the same."
  };
  request r = { .format = -1, .false_positives = 1 };
  outputs o = { 0 };
  hed_table t = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code == 0)
    code = tool_table_format_of(&r.format, r.out, "--format");
  o.force = r.force;
  if (code == 0)
    code = outputs_plan(&o, r.out, 1, outputs_whole, 2, (const char *const[]){ r.mask_path, r.template_mask_path });
  if (code == 0)
    code = search_outputs(r.prefix, &o);
  if (code == 0 && call(&r, &o, &t) != HED_OK)
    code = tool_fail_status(hed_error());
  if (code == 0)
    code = outputs_commit(&o);
  if (code == 0)
    tool_say_omitted(&t, r.format, r.out);
  if (code == 0)
    printf("%zu peaks of score %.4g and more: %s\n", t.n, r.opt.min_score, r.out);
  if (code == 0 && t.n == 0)
    code = STATUS_NEGATIVE;
  outputs_close(&o);
  hed_table_clear(&t);
  search_clear(&r.from);
  hed_map_clear(&r.mask);
  hed_map_clear(&r.template_mask);
  return code;
}

const tool_command cmd_peaks = { "peaks", "peaks of a search, called again", run_command };
