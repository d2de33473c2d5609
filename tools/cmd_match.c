// SPDX-License-Identifier: BSD-3-Clause
/*
 * cmd_match.c: `heddle match`: find a template in a tomogram or an image.
 *
 * Layer: L5. Reads everything first, so that bad input is reported before the long part; writes at the very end, so
 * that an interrupted run leaves nothing.
 */
#include "match_job.h"
#include "picture.h"
#include "progress.h"
#include <ctype.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_MASK = 256, KEY_STEP, KEY_SCORE, KEY_WORKERS, KEY_ORDER, KEY_PEAKS, KEY_DISTANCE, KEY_MIN_SCORE, KEY_TRUTH,
  KEY_JSON, KEY_FORCE, KEY_VOXEL, KEY_RESOLUTION, KEY_PAD, KEY_MEMORY
};

static const struct argp_option options[] = {
  { "output", 'o', "PREFIX", 0, "Write PREFIX_scores.mrc, PREFIX_rotations.mrc, PREFIX_peaks.tsv and, with libpng, PREFIX.png", 0 },
  { "mask", KEY_MASK, "FILE", 0, "Mask of the template's shape; default: the inscribed sphere (1 for CC and CORR)", 0 },
  { "angular-step", KEY_STEP, "DEG", 0, "Angle between rotations (15)", 0 },
  { "score", KEY_SCORE, "NAME", 0, "CC, CORR, FLCSphericalMask or FLC (FLC)", 0 },
  { "workers", KEY_WORKERS, "LIST", 0, "Contexts of the workers, \"cpu*2,reference\" (one per processor)", 0 },
  { "order", KEY_ORDER, "N", 0, "Order of the spline that turns the template: 0, 1 or 3 (3)", 0 },
  { "pad", KEY_PAD, NULL, 0, "No wrapping round at the faces of the target; slower", 0 },
  { "memory", KEY_MEMORY, "SIZE", 0, "Need no more than SIZE bytes (suffix K, M or G): larger targets are matched in parts", 0 },
  { "peaks", KEY_PEAKS, "N", 0, "At most N peaks (1000)", 0 },
  { "min-distance", KEY_DISTANCE, "V", 0, "Voxels between peaks (half the template's extent)", 0 },
  { "min-score", KEY_MIN_SCORE, "S", 0, "Least score of a peak (where the score map's background ends)", 0 },
  { "voxel", KEY_VOXEL, "A", 0, "Voxel size in angstrom, where the target's header is wrong", 0 },
  { "resolution", KEY_RESOLUTION, "A", 0, "Resolution of a model's density in angstrom (4 voxels)", 0 },
  { "truth", KEY_TRUTH, "FILE", 0, "Table of true positions: report recall, precision and errors", 0 },
  { "json", KEY_JSON, NULL, 0, "Summary as JSON (heddle.match/1)", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { "quiet", 'q', NULL, 0, "No progress bar", 0 },
  { 0 }
};

static error_t parse_argument(match_job *j, char *arg, struct argp_state *state)
{
  if (state->arg_num == 0)
    j->target_path = arg;
  else if (state->arg_num == 1)
    j->template_path = arg;
  else
    argp_error(state, "unexpected argument '%s'", arg);
  return 0;
}

static void check_score(struct argp_state *state, const char *name)
{
  const char *known;
  for (int i = 0; (known = hed_match_score_name(i)) != NULL; i++)
    if (strcasecmp(known, name) == 0)
      return;
  argp_error(state, "--score: unknown score '%s'; there are CC, CORR, FLCSphericalMask and FLC", name);
}

/* "200000", "64M": at least 1 byte. */
static size_t parse_size(struct argp_state *state, const char *text)
{
  static const char suffixes[] = "KMG";
  char digits[24];
  size_t n = strspn(text, "0123456789");
  const char *suffix = text[n] ? strchr(suffixes, toupper((unsigned char)text[n])) : NULL;
  if (n == 0 || n >= sizeof digits || (text[n] && (!suffix || text[n + 1])))
    argp_error(state, "--memory: '%s' is not a number of bytes with K, M, G or nothing behind it", text);
  snprintf(digits, sizeof digits, "%.*s", (int)n, text);
  return (size_t)tool_integer(state, "--memory", digits, 1, (long long)1 << 33) << (suffix ? 10 * (suffix - suffixes + 1) : 0);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  match_job *j = state->input;
  switch (key) {
  case 'o': j->prefix = arg; return 0;
  case 'q': j->quiet = true; return 0;
  case KEY_MASK: j->mask_path = arg; return 0;
  case KEY_STEP: j->step = tool_number(state, "--angular-step", arg, 0.5, 360); return 0;
  case KEY_SCORE:
    check_score(state, arg);
    j->score = arg;
    return 0;
  case KEY_WORKERS:
    if (strlen(arg) >= sizeof j->workers || !*arg)
      argp_error(state, "--workers: a list of 1 to %zu characters is expected", sizeof j->workers - 1);
    snprintf(j->workers, sizeof j->workers, "%s", arg);
    return 0;
  case KEY_ORDER:
    j->spline_order = tool_integer(state, "--order", arg, 0, 3);
    if (j->spline_order == 2)
      argp_error(state, "--order: 0, 1 or 3, not 2");
    return 0;
  case KEY_PAD: j->pad = true; return 0;
  case KEY_MEMORY: j->memory = parse_size(state, arg); return 0;
  case KEY_PEAKS: j->peaks = tool_integer(state, "--peaks", arg, 1, 10000000); return 0;
  case KEY_DISTANCE: j->min_distance = tool_number(state, "--min-distance", arg, 0.5, 1e5); return 0;
  case KEY_MIN_SCORE:
    j->min_score = tool_number(state, "--min-score", arg, -1e30, 1e30);
    j->min_score_given = true;
    return 0;
  case KEY_VOXEL: j->voxel = tool_number(state, "--voxel", arg, 1e-3, 1e6); return 0;
  case KEY_RESOLUTION: j->resolution = tool_number(state, "--resolution", arg, 1e-3, 1e6); return 0;
  case KEY_TRUTH: j->truth_path = arg; return 0;
  case KEY_JSON: j->json = true; return 0;
  case KEY_FORCE: j->force = true; return 0;
  case ARGP_KEY_ARG: return parse_argument(j, arg, state);
  case ARGP_KEY_END:
    if (!j->template_path)
      argp_error(state, "TARGET and TEMPLATE are expected");
    else if (!j->prefix)
      argp_error(state, "-o PREFIX is missing");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* One worker per processor on backends of the host, one in all on a device. */
static int default_workers(match_job *j)
{
  int code = 0;
  const char *name = tool_backend(&code);
  if (!name)
    return code;
  hed_backend_info info = { .struct_size = sizeof info };
  char backend[32];
  snprintf(backend, sizeof backend, "%.*s", (int)strcspn(name, ":"), name);
  bool host = hed_backend_query(backend, &info) == HED_OK && info.host_memory;
  snprintf(j->workers, sizeof j->workers, "%s*%d", name, host ? hed_thread_capacity() : 1);
  return 0;
}

static hed_status read_template(match_job *j)
{
  hed_model m = { 0 };
  if (!tool_is_model(j->template_path))
    return hed_map_read(j->template_path, &j->tmpl);
  double voxel = j->target.voxel[1];
  if (!(voxel > 0))
    return hed_fail(HED_E_INVAL, "the header of '%s' has no voxel size, which a model needs; --voxel gives one",
                    j->target_path);
  hed_status status = hed_model_read(j->template_path, &m);
  if (status == HED_OK)
    status = tool_model_map(&m, voxel, j->resolution > 0 ? j->resolution : 4 * voxel, &j->tmpl);
  hed_model_clear(&m);
  return status;
}

static hed_status read_inputs(match_job *j)
{
  hed_status status = hed_map_read(j->target_path, &j->target);
  if (status != HED_OK)
    return status;
  if (j->target.stack || hed_array_ndim(j->target.data) > 3)
    return hed_fail(HED_E_SHAPE, "'%s' is a stack; a volume or an image is expected", j->target_path);
  for (int i = 0; j->voxel > 0 && i < 3; i++)
    j->target.voxel[i] = j->voxel;
  if ((status = read_template(j)) != HED_OK)
    return status;
  if (j->mask_path && (status = hed_map_read(j->mask_path, &j->mask)) != HED_OK)
    return status;
  if (j->truth_path && (status = hed_table_read(j->truth_path, &j->truth)) != HED_OK)
    return status;
  return hed_rotations_sample(hed_array_ndim(j->target.data), j->step, &j->matrices, &j->n_rotations);
}

static int on_progress(void *arg, size_t done, size_t total)
{
  progress_update(arg, done, total);
  return 0;
}

static hed_status run(match_job *j)
{
  static const int32_t splines[] = { HED_SPLINE_NEAREST, HED_SPLINE_LINEAR, HED_SPLINE_LINEAR, HED_SPLINE_CUBIC };
  progress bar;
  const hed_match_options opt = {
    .score = j->score, .workers = j->workers, .spline = splines[j->spline_order], .pad = j->pad,
    .memory_limit = j->memory,
    .cancel = &tool_interrupted, .progress = on_progress, .progress_arg = &bar,
  };
  progress_open(&bar, "rotations", j->quiet);
  hed_status status = hed_match_run(&opt, j->target.data, j->tmpl.data, j->mask.data, j->n_rotations, j->matrices,
                                    &j->result);
  progress_close(&bar);
  return status;
}

static int ascending(const void *a, const void *b)
{
  float p = *(const float *)a, q = *(const float *)b;
  return p < q ? -1 : p > q;
}

/* Where the background of the score map ends: the median plus eight times the deviation that the distance between the
 * median and the 90th percentile says, for a background whose upper half looks normal (1.2816 deviations). */
static hed_status background_end(const hed_array *scores, double *out)
{
  size_t n = (size_t)hed_array_size(scores);
  float *v = malloc(n * sizeof *v);
  if (!v)
    return hed_fail(HED_E_NOMEM, "no memory for %zu scores", n);
  hed_status status = hed_to_host(scores, v, n * sizeof *v);
  if (status == HED_OK) {
    qsort(v, n, sizeof *v, ascending);
    double median = (double)v[n / 2], high = (double)v[n - 1 - n / 10];
    *out = median + 8 * (high - median) / 1.2816;
  }
  free(v);
  return status;
}

static hed_status call_peaks(match_job *j)
{
  const hed_shape t = hed_array_shape(j->tmpl.data);
  int64_t largest = 1;
  hed_match_peak *peaks = NULL;
  size_t n = 0;
  hed_status status = HED_OK;

  for (int i = 0; i < t.ndim; i++)
    largest = t.dim[i] > largest ? t.dim[i] : largest;
  j->distance = j->min_distance > 0 ? j->min_distance : fmax(1, (double)largest / 2);
  j->threshold = j->min_score;
  if (!j->min_score_given && (status = background_end(j->result.scores, &j->threshold)) != HED_OK)
    return status;
  const hed_match_peak_options opt = { .num_peaks = (size_t)j->peaks, .min_distance = j->distance,
                                       .min_score = j->threshold, .use_min_score = true };
  status = hed_match_peaks(j->result.scores, j->result.rotations, &opt, &peaks, &n);
  if (status == HED_OK)
    status = hed_match_table(n, peaks, hed_array_ndim(j->target.data), j->matrices, j->n_rotations, j->target.voxel,
                             j->target.origin, &j->found);
  free(peaks);
  if (status != HED_OK || !j->truth_path)
    return status;
  if (!(j->partner = calloc(j->found.n + 1, sizeof *j->partner)))
    return hed_fail(HED_E_NOMEM, "no memory for %zu peaks", j->found.n);
  return hed_match_compare(&j->found, &j->truth, j->distance / 2, &j->quality, j->partner);
}

static int match(match_job *j, outputs *o)
{
  hed_status status = read_inputs(j);
  if (status == HED_OK)
    status = run(j);
  if (status == HED_OK)
    status = call_peaks(j);
  if (status == HED_OK)
    status = match_write(j, o);
  if (status == HED_E_CANCELLED || (status == HED_OK && __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED)))
    return tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  if (status != HED_OK)
    return tool_fail_status(status);
  int code = outputs_commit(o);
  if (code == 0)
    code = match_report(j, o);
  return code == 0 && j->found.n == 0 ? STATUS_NEGATIVE : code;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "TARGET TEMPLATE",
    .doc = "Find TEMPLATE in TARGET in every orientation.\v"
           "TARGET is an MRC map or image, TEMPLATE one too, or a model (.pdb, .cif) that becomes a density of the "
           "target's voxel size. Positions are those of the template's centre voxel. Exit status 1 means that no peak "
           "was found; the files are written all the same."
  };
  static const char *const suffixes[OUT_COUNT] = { "_scores.mrc", "_rotations.mrc", "_peaks.tsv", ".png" };
  match_job j = { .step = 15, .spline_order = 3, .peaks = 1000 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &j);

  if (code)
    return code;
  tool_catch_signals();
  if (!*j.workers)
    code = default_workers(&j);
  o.force = j.force;
  const int files = picture_available() ? OUT_COUNT : OUT_PICTURE;
  for (int i = 0; code == 0 && i < files; i++)
    code = outputs_add(&o, j.prefix, suffixes[i]);
  if (code == 0 && files == OUT_PICTURE)
    (void)tool_fail(0, "this program was built without libpng: no picture is written");
  if (code == 0)
    code = match(&j, &o);
  outputs_close(&o);
  hed_map_clear(&j.target);
  hed_map_clear(&j.tmpl);
  hed_map_clear(&j.mask);
  hed_table_clear(&j.truth);
  hed_table_clear(&j.found);
  hed_match_result_clear(&j.result);
  free(j.matrices);
  free(j.partner);
  return code;
}

const tool_command cmd_match = { "match", "find a template in a tomogram", run_command };
