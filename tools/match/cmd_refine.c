// SPDX-License-Identifier: BSD-3-Clause
/* `heddle refine`: places and orientations of a table, better than a search's voxels and step.
 *
 * Layer: L5.
 */
#include "filters.h"
#include "tools/progress.h"
#include "search.h"
#include <heddle/kits/refine.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  const char *target_path, *template_path, *table_path, *out, *mask_path, *name;
  hed_refine_options opt;
  filters filters;
  double voxel;
  int from, to; /* hed_table_format; -1: by the ending */
  bool force;
  progress_kind progress;
  hed_map target, tmpl, mask;
} request;

enum { KEY_MASK = 256, KEY_ANGLE, KEY_DISTANCE, KEY_INVERT, KEY_VOXEL, KEY_FROM, KEY_TO, KEY_NAME, KEY_JSON_PROGRESS, KEY_FORCE,
       KEY_LOCAL };

static const struct argp_option options[] = {
  { "output", 'o', "FILE", 0, "The table of refined rows", 0 },
  { "mask", KEY_MASK, "FILE", 0, "Mask of the template's shape; default: the inscribed sphere", 0 },
  { "angle", KEY_ANGLE, "DEG", 0, "Turn by at most so much (15)", 0 },
  { "distance", KEY_DISTANCE, "V", 0, "Move by at most V voxels along each axis (2)", 0 },
  { "local-defocus", KEY_LOCAL, NULL, 0, "Contrast transfer of each particle with the defocus of its place; for --tilts of single "
    "ones with a defocus", 0 },
  { "invert", KEY_INVERT, NULL, 0, "The target's contrast is the other way round than the template's", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where the target's header is wrong", 0 },
  { "from", KEY_FROM, "FORMAT", 0, "Format of TABLE: tsv, star, tbl, relion5, stopgap or pytme (by its content)", 0 },
  { "to", KEY_TO, "FORMAT", 0, "Format of FILE (by its ending)", 0 },
  { "tomo-name", KEY_NAME, "NAME", 0, "The tomogram's name (that of TARGET); of a table of several, the rows of this one", 0 },
  { "json-progress", KEY_JSON_PROGRESS, NULL, 0, "Progress as a line of JSON a second on standard error", 0 },
  { "quiet", 'q', NULL, 0, "No progress", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace FILE if it exists", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->out = arg; return 0;
  case 'q': r->progress = PROGRESS_OFF; return 0;
  case KEY_JSON_PROGRESS: r->progress = PROGRESS_JSON; return 0;
  case KEY_MASK: r->mask_path = arg; return 0;
  case KEY_ANGLE: r->opt.angle = tool_number(state, "--angle", arg, 1e-3, 180); return 0;
  case KEY_DISTANCE: r->opt.distance = tool_number(state, "--distance", arg, 1e-3, 1e4); return 0;
  case KEY_LOCAL: r->opt.local_defocus = true; return 0;
  case KEY_INVERT: r->opt.invert = true; return 0;
  case KEY_VOXEL: r->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6); return 0;
  case KEY_FROM: r->from = tool_table_format(state, "--from", arg); return 0;
  case KEY_TO: r->to = tool_table_format(state, "--to", arg); return 0;
  case KEY_NAME: r->name = arg; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &r->filters;
    return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 2)
      argp_error(state, "unexpected argument '%s'", arg);
    else
      *(state->arg_num == 0 ? &r->target_path : state->arg_num == 1 ? &r->template_path : &r->table_path) = arg;
    return 0;
  case ARGP_KEY_END:
    if (!r->table_path || !r->out)
      argp_error(state, r->table_path ? "-o FILE is missing" : "TARGET, TEMPLATE and TABLE are expected");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static hed_status make_filters(request *r)
{
  filters *f = &r->filters;
  const hed_status status = filters_make(f, &r->target, r->target_path, &r->tmpl, &r->mask, true);
  r->opt.target_filter = f->filters_target ? &f->target_filter : NULL;
  r->opt.template_filter = f->filters_template ? &f->template_filter : NULL;
  r->opt.faces = f->faces;
  r->opt.voids = f->voids;
  return status;
}

/* Every row's place is in the target; files and rows are named here, where they have names. */
static hed_status check_places(const request *r, const hed_table *t)
{
  const hed_shape s = hed_array_shape(r->target.data);
  for (size_t i = 0; i < t->n; i++)
    for (int a = 0; a < s.ndim; a++) {
      const int k = 3 - s.ndim + a;
      const double at = t->row[i].position[k];
      if (!(at >= -0.5) || !(at <= (double)s.dim[a] - 0.5))
        return hed_fail(HED_E_INVAL, "'%s' row %zu: %c is voxel %g, and '%s' has %lld", r->table_path, i + 1, "zyx"[k], at,
                        r->target_path, (long long)s.dim[a]);
    }
  return HED_OK;
}

static hed_status read_all(request *r, hed_table *start)
{
  char room[64];
  hed_status status = tool_read_map(r->target_path, NULL, &r->target);
  for (int i = 0; i < 3 && status == HED_OK && r->voxel > 0; i++)
    r->target.voxel[i] = r->voxel;
  if (status == HED_OK && (r->target.stack || hed_array_ndim(r->target.data) > 3))
    status = hed_fail(HED_E_SHAPE, "'%s' is a stack; a volume or an image is expected", r->target_path);
  if (status == HED_OK)
    status = tool_read_map(r->template_path, NULL, &r->tmpl);
  for (int i = 0; i < 3 && status == HED_OK; i++)
    if (tool_voxels_differ(r->tmpl.voxel[i], r->target.voxel[i]))
      status = hed_fail(HED_E_INVAL, "the voxels of '%s' have %g angstrom along %c, those of '%s' %g; heddle template brings it to "
                        "--voxel %g", r->template_path, r->tmpl.voxel[i], "zyx"[i], r->target_path, r->target.voxel[i],
                        r->target.voxel[i]);
  if (status == HED_OK && r->mask_path)
    status = tool_read_map(r->mask_path, NULL, &r->mask);
  if (status == HED_OK)
    status = tool_mask_fits(&r->mask, r->mask_path, &r->tmpl, r->template_path);
  if (status == HED_OK)
    status = filters_read(&r->filters);
  if (status == HED_OK && r->opt.local_defocus &&
      (!r->filters.tilts_path || !r->filters.tilts.defocus_u || r->filters.ctf == HED_CTF_NONE))
    status = filters_no_defocus("--local-defocus", &r->filters);
  if (status != HED_OK)
    return status;
  memcpy(r->opt.voxel, r->target.voxel, sizeof r->opt.voxel);
  const hed_table_frame frame = tool_frame(&r->target, r->target_path, r->name, room);
  status = tool_read_table(r->table_path, r->from, &frame, &(table_wanted){ frame.tomogram, r->name != NULL, true, false }, start);
  if (status == HED_OK)
    status = check_places(r, start);
  return status == HED_OK ? make_filters(r) : status;
}

static int on_progress(void *arg, size_t done, size_t total)
{
  progress_update(arg, done, total);
  return 0;
}

static double mean_score(const hed_table *t)
{
  double sum = 0;
  for (size_t i = 0; i < t->n; i++)
    sum += t->row[i].score;
  return t->n ? sum / (double)t->n : 0;
}

static hed_status refine(request *r, outputs *o, hed_table *start, hed_table *out, size_t *taken)
{
  progress bar;
  char room[64];
  hed_status status = read_all(r, start);
  if (status != HED_OK)
    return status;
  r->opt.progress = on_progress;
  r->opt.progress_arg = &bar;
  r->opt.cancel = &tool_interrupted;
  progress_open(&bar, "particles", r->progress);
  status = hed_match_refine(&r->opt, r->target.data, r->tmpl.data, r->mask.data, start, out, taken);
  progress_close(&bar);
  if (status == HED_OK)
    status = outputs_open(o);
  if (status != HED_OK)
    return status;
  const hed_table_frame frame = tool_frame(&r->target, r->target_path, r->name, room);
  return hed_table_write_as(outputs_name(o, 0), out, r->to, &frame);
}

static int run_command(int argc, char **argv)
{
  static const struct argp_child children[] = { { &filters_argp, 0, "Filters:", 1 }, { 0 } };
  static const struct argp argp = {
    .options = options, .parser = parse, .children = children, .args_doc = "TARGET TEMPLATE TABLE",
    .doc = "Refine places and orientations of a table.\v"
           "Each row is moved and turned to the nearest maximum of the FLC score; give the filters of the search that found it."
  };
  request r = { .from = -1, .to = -1, .filters = FILTERS_DEFAULT };
  outputs o = { 0 };
  hed_table start = { 0 }, out = { 0 };
  size_t taken = 0;
  int code = tool_parse(&argp, argc, argv, &r);
  if (code == 0)
    code = tool_table_format_of(&r.to, r.out, "--to");
  tool_catch_signals();
  o.force = r.force;
  const char *const inputs[] = { r.target_path, r.template_path, r.table_path, r.mask_path, r.filters.tilts_path, r.filters.ctf_path };
  if (code == 0)
    code = outputs_plan(&o, r.out, 1, outputs_whole, sizeof inputs / sizeof inputs[0], inputs);
  if (code == 0 && refine(&r, &o, &start, &out, &taken) != HED_OK)
    code = hed_error() == HED_E_CANCELLED ? tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written")
                                          : tool_fail_status(hed_error());
  if (code == 0)
    code = outputs_commit(&o);
  if (code == 0)
    tool_say_omitted(&out, r.to, r.out);
  if (code == 0)
    printf("%zu particles, %zu scores, mean score %.4f: %s\n", out.n, taken, mean_score(&out), r.out);
  outputs_close(&o);
  hed_table_clear(&start);
  hed_table_clear(&out);
  hed_map_clear(&r.target);
  hed_map_clear(&r.tmpl);
  hed_map_clear(&r.mask);
  filters_clear(&r.filters);
  return code;
}

const tool_command cmd_refine = { "refine", "places and orientations, better than a search's", run_command };
