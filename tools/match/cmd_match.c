// SPDX-License-Identifier: BSD-3-Clause
/* `heddle match`: find a template in a tomogram or an image.
 *
 * Layer: L5. Reads everything first, so that bad input is reported before the long part; writes at the very end, so
 * that an interrupted run leaves nothing.
 */
#include "job.h"
#include "tools/picture/plot.h"
#include "tools/progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int on_progress(void *arg, size_t done, size_t total)
{
  match_job *j = arg;
  if (j->list)
    match_list_progress(j, done, total);
  else
    progress_update(&j->bar, done, total);
  return 0;
}

/* The shares' result, if it is one of this target and these rotations. */
static hed_status merged(match_job *j)
{
  hed_status status = hed_match_merge(j->n_more, j->more, &j->result);
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_array_shape(j->result.scores), t = hed_array_shape(j->target.data);
  bool same = s.ndim == t.ndim && j->result.n_rotations == j->n_rotations;
  for (int i = 0; same && i < s.ndim; i++)
    same = s.dim[i] == t.dim[i];
  if (!same)
    return hed_fail(HED_E_INVAL, "'%s' is of a search of %zu rotations in another target or at another step; here there are %zu",
                    j->more[0], j->result.n_rotations, j->n_rotations);
  hed_match_result *r = &j->result;
  r->cutoff -= hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  r->kurtosis = j->null_shape == HED_NULL_NORMAL ? 3 : r->kurtosis;
  if (j->false_positives > 0) /* they were not asked for as many */
    r->n_false_positives = j->false_positives;
  r->cutoff += hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  return HED_OK;
}

hed_match_options match_options(match_job *j)
{
  static const int32_t splines[] = { HED_SPLINE_NEAREST, HED_SPLINE_LINEAR, HED_SPLINE_LINEAR, HED_SPLINE_CUBIC };
  return (hed_match_options){
    .score = j->score, .workers = j->workers, .spline = splines[j->spline_order], .pad = j->pad,
    .memory_limit = j->memory, .threshold = -INFINITY, .invert = j->invert, .clip = j->clip,
    .target_mask = j->target_mask.data, .n_false_positives = j->false_positives,
    .template_filter = j->filters.filters_template ? &j->filters.template_filter : NULL,
    .target_filter = j->filters.filters_target ? &j->filters.target_filter : NULL,
    .null_shape = j->null_shape, .faces = j->filters.faces, .voids = j->filters.voids,
    .seeds = j->seeds_path ? &j->seeds : NULL, .region = { { j->region[0][0], j->region[0][1] },
      { j->region[1][0], j->region[1][1] }, { j->region[2][0], j->region[2][1] } },
    .sub_volumes = { j->sub_volumes[0], j->sub_volumes[1], j->sub_volumes[2] },
    .correct_background = j->background, .background_seed = j->background_seed, .cancel = &tool_interrupted,
  };
}

/* *CODE: not 0 where something was said already. */
static hed_status run(match_job *j, int *code)
{
  hed_match_options opt = match_options(j);
  hed_status status = HED_OK;
  if (j->merge)
    return merged(j);
  opt.checkpoint_seconds = j->checkpoint_seconds;
  if (j->ranks) {
    *code = match_ranks_run(j, &opt, &status);
    return status;
  }
  opt.checkpoint = j->checkpoint;
  opt.resume = j->resume;
  opt.share = j->share;
  opt.shares = j->shares;
  opt.progress = on_progress;
  opt.progress_arg = j;
  progress_open(&j->bar, j->strategy == MATCH_COARSE ? "thousandths" : "rotations", j->progress);
  status = j->strategy == MATCH_COARSE ? match_staged_run(j, &opt) : match_search(j, &opt, j->n_rotations, j->matrices, &j->result);
  progress_close(&j->bar);
  return status;
}

double match_extent(const match_job *j)
{
  const hed_shape t = hed_array_shape(j->tmpl.data);
  int64_t largest = 1;
  for (int i = 0; i < t.ndim; i++)
    largest = t.dim[i] > largest ? t.dim[i] : largest;
  return (double)largest;
}

/* With the truth, where there is one. */
static hed_status compare(match_job *j)
{
  if (!j->truth_path)
    return HED_OK;
  if (!(j->partner = calloc(j->found.n + 1, sizeof *j->partner)))
    return hed_fail(HED_E_NOMEM, "no memory for %zu peaks", j->found.n);
  return hed_match_compare(&j->found, &j->truth, j->distance / 2, &j->quality, j->partner);
}

static hed_status call_peaks(match_job *j)
{
  const double largest = match_extent(j);
  hed_match_peak *peaks = NULL;
  size_t n = 0;
  hed_status status;

  if (j->strategy == MATCH_COARSE)
    return compare(j);
  j->distance = j->min_distance > 0 ? j->min_distance : fmax(1, largest / 2);
  j->threshold = j->min_score_given ? j->min_score : j->result.cutoff;
  const hed_match_peak_options opt = { .num_peaks = (size_t)j->peaks, .min_distance = j->distance,
                                       .min_score = j->threshold, .use_min_score = true,
                                       .lobe_distance = largest, .lobe_fraction = MATCH_LOBES, .wraps = !j->pad,
                                            .subvoxel = j->subvoxel };
  status = hed_match_peaks(j->result.scores, j->result.rotations, &opt, &peaks, &n);
  if (status == HED_OK)
    status = hed_match_table(n, peaks, hed_array_ndim(j->target.data), j->matrices, j->n_rotations, j->target.voxel,
                             j->target.origin, &j->found);
  free(peaks);
  if (status == HED_OK)
    status = match_roc_fit(j, opt);
  return status == HED_OK ? compare(j) : status;
}

/* The list of rotations stays beside a share's result, for `heddle merge'. */
static int report_share(match_job *j, outputs *o)
{
  hed_status status = outputs_open(o);
  if (status == HED_OK)
    status = match_write_list(j, outputs_name(o, SHARE_LIST));
  if (status != HED_OK)
    return tool_fail_status(status);
  const int code = outputs_commit(o);
  if (code)
    return code;
  printf("share %zu of %zu of %zu rotations: %s\n", j->share, j->shares, j->n_rotations, j->checkpoint);
  return 0;
}

/* Whether there is a checkpoint to go on from, be it that of the background's search or of the first stage. */
static bool has_checkpoint(const match_job *j)
{
  char *background = NULL;
  const char *more = j->background ? "background" : j->strategy == MATCH_COARSE ? "coarse" : NULL;
  bool there = j->checkpoint && access(j->checkpoint, F_OK) == 0;
  if (j->checkpoint && more && asprintf(&background, "%s.%s", j->checkpoint, more) >= 0) {
    there = there || access(background, F_OK) == 0;
    free(background);
  }
  return there;
}

/* The checkpoint's name; one that exists is gone on from or replaced when that was asked for. */
static int choose_checkpoint(match_job *j, const outputs *o)
{
  if (j->no_checkpoint || j->merge || match_is_batch(j))
    return 0;
  if (j->ranks)
    return match_ranks_files(j);
  if (asprintf(&j->checkpoint, "%s.hck", j->prefix) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  if (j->list) /* of a list some have begun */
    j->resume = j->resume && has_checkpoint(j);
  if (!j->resume && !j->force && has_checkpoint(j))
    return tool_fail(STATUS_INPUT, "'%s' exists; --resume goes on from it, --force starts anew", j->checkpoint);
  return outputs_input(o, j->checkpoint);
}

static hed_status read_all(match_job *j)
{
  const hed_status status = match_read_inputs(j);
  return status == HED_OK ? match_make_filters(j) : status;
}

/* --strategy=auto: what an interrupted search was, or what takes less time; the full one where the other cannot be. */
static int choose_strategy(match_job *j)
{
  char *stem = NULL;
  if (j->strategy != MATCH_AUTO || j->merge || j->dry_run || j->check) {
    j->strategy = j->strategy == MATCH_AUTO && !j->dry_run ? MATCH_FULL : j->strategy;
    return 0;
  }
  j->chosen = true;
  j->strategy = MATCH_FULL;
  if (!match_can_be_staged(j))
    return 0;
  if (j->resume && asprintf(&stem, "%s.hck", j->prefix) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  const bool full = stem && access(stem, F_OK) == 0;
  free(stem);
  stem = NULL;
  if (j->resume && asprintf(&stem, "%s.hck.coarse", j->prefix) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  const bool coarse = stem && access(stem, F_OK) == 0;
  free(stem);
  j->strategy = coarse ? MATCH_COARSE : MATCH_FULL;
  if (full || coarse)
    return 0;
  const hed_status status = read_all(j);
  return status == HED_OK ? match_choose_strategy(j) : tool_fail_status(status);
}

static int match(match_job *j, outputs *o)
{
  int code = 0;
  hed_status status = j->target.data ? HED_OK : read_all(j);
  if (status == HED_OK && (j->dry_run || j->check))
    return j->dry_run ? match_dry_run(j) : match_check(j);
  if (status == HED_OK)
    status = run(j, &code);
  if (code || (status == HED_OK && !match_ranks_first(j)))
    return code;
  if (status == HED_OK && j->shares > 1)
    return report_share(j, o);
  if (status == HED_OK)
    status = call_peaks(j);
  if (status == HED_OK)
    status = match_write(j, o);
  if (status == HED_E_CANCELLED && j->ranks)
    return match_ranks_first(j) ? tool_fail(STATUS_INTERRUPTED, "interrupted; the same command with --resume goes on from '%s.hck.0' "
                                            "and the others", j->prefix) : STATUS_INTERRUPTED;
  if (status == HED_E_CANCELLED && has_checkpoint(j))
    return tool_fail(STATUS_INTERRUPTED, "interrupted; the same command with --resume goes on from '%s'", j->checkpoint);
  if (status == HED_E_CANCELLED || (status == HED_OK && __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED)))
    return tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  if (status != HED_OK)
    return tool_fail_status(status);
  code = outputs_commit(o);
  if (code == 0 && !j->list)
    code = match_report(j, o);
  return code == 0 && j->found.n == 0 ? STATUS_NEGATIVE : code;
}

/* The page; of a list FILE_NAME.html. */
static int announce_report(match_job *j, outputs *o)
{
  const size_t n = strlen(j->report_path), stem = n > 5 && strcmp(j->report_path + n - 5, ".html") == 0 ? n - 5 : n;
  char *path = NULL;
  if (asprintf(&path, "%.*s%s%s%s", (int)stem, j->report_path, j->list ? "_" : "", j->list ? j->tomogram : "",
               j->report_path + stem) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  j->report_at = o->n;
  const int code = outputs_add(o, path, "");
  free(path);
  return code;
}

/* What will be written. */
static int announce(match_job *j, outputs *o)
{
  const bool coarse = j->strategy == MATCH_COARSE;
  const char *const suffixes[OUT_COUNT] = { coarse ? "_coarse_scores.mrc" : search_scores,
    coarse ? "_coarse_rotations.mrc" : search_indices, coarse ? "_coarse_rotations.npy" : search_list, "_peaks.tsv", search_summary,
    ".png", "_histogram.png", "_directions.png" };
  if (j->dry_run || j->check)
    return 0;
  int code = outputs_prefix(o, j->prefix);
  if (code == 0 && j->shares > 1)
    return outputs_add(o, j->prefix, search_list);
  for (int i = 0; code == 0 && i < (plot_available() ? OUT_COUNT : OUT_PICTURE); i++)
    code = outputs_add(o, j->prefix, suffixes[i]);
  j->n_fixed = o->n;
  for (int f = 0; code == 0 && hed_table_format_name(f); f++)
    if (j->formats >> f & 1)
      code = outputs_add(o, j->prefix, match_table_ending(f));
  if (code == 0 && match_is_batch(j))
    code = outputs_add(o, j->prefix, "_templates.mrc");
  if (code == 0 && j->report_path)
    code = announce_report(j, o);
  if (code == 0 && !plot_available())
    (void)tool_fail(0, "this program was built without Cairo: no picture is written");
  return code;
}

int match_one(match_job *j, outputs *o)
{
  int code = 0;
  o->force = j->force;
  o->pictures = j->pictures;
  code = choose_strategy(j);
  if (code == 0 && match_ranks_first(j))
    code = announce(j, o);
  const char *const inputs[] = { j->target_path, j->template_path, j->mask_path, j->target_mask_path, j->truth_path,
                                 j->filters.tilts_path, j->filters.ctf_path, j->rotations_path, j->seeds_path, j->list_path };
  for (size_t i = 0; code == 0 && i < sizeof inputs / sizeof inputs[0]; i++)
    code = outputs_input(o, inputs[i]);
  for (size_t i = 0; code == 0 && i < j->n_more; i++)
    code = outputs_input(o, j->more[i]);
  if (code == 0)
    code = choose_checkpoint(j, o);
  code = match_ranks_agree(j, code); /* the first one's word about files holds for all */
  if (code == 0)
    code = match(j, o);
  match_ranks_close(j, code != STATUS_INTERRUPTED);
  outputs_close(o);
  return code;
}

void match_clear(match_job *j)
{
  hed_map_clear(&j->target);
  hed_map_clear(&j->tmpl);
  for (size_t t = 0; j->others && t < j->n_more; t++)
    hed_map_clear(j->others + t);
  free(j->others);
  hed_release(j->templates);
  free(j->account);
  hed_map_clear(&j->mask);
  hed_map_clear(&j->target_mask);
  filters_clear(&j->filters);
  hed_table_clear(&j->truth);
  hed_table_clear(&j->seed_table);
  hed_table_clear(&j->found);
  hed_match_result_clear(&j->result);
  hed_match_stages_clear(&j->stages);
  free(j->coarse);
  free(j->matrices);
  free(j->checkpoint);
  free(j->partner);
  free(j->roc.tail);
}

static int run_command(int argc, char **argv)
{
  match_job j = { .seeds_format = -1, .step = 15, .spline_order = 3, .peaks = 1000, .filters = FILTERS_DEFAULT };
  outputs o = { 0 };
  int code = tool_parse(&match_argp, argc, argv, &j);

  if (code)
    return code;
  tool_catch_signals();
  char *command = match_quoted(argc, argv);
  j.command = command;
  if (!*j.workers)
    code = default_workers(&j);
  if (code == 0 && j.mpi)
    code = match_ranks_open(&j);
  if (code) {
    code = match_ranks_agree(&j, code);
    match_ranks_close(&j, true);
    free(command);
    return code;
  }
  code = j.list_path ? match_list_run(&j, argc, argv) : match_one(&j, &o);
  match_clear(&j);
  free(command);
  return code;
}

const tool_command cmd_match = { "match", "find a template in a tomogram", run_command };
