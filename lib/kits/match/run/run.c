// SPDX-License-Identifier: BSD-3-Clause
/*
 * run.c: hed_match_run(): what its options may be, and the search of the background that goes before.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/job.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char op[] = "hed_match_run";

static hed_status check(const hed_match_options *opt, size_t n_rotations)
{
  if (isnan(opt->threshold) || opt->threshold == INFINITY)
    return hed_fail(HED_E_INVAL, "%s: a threshold of %g", op, opt->threshold);
  if (opt->spline < HED_SPLINE_DEFAULT || opt->spline > HED_SPLINE_CUBIC)
    return hed_fail(HED_E_INVAL, "%s: spline %d is none of hed_spline", op, (int)opt->spline);
  if (!(opt->overlap >= 0) || opt->overlap > 1)
    return hed_fail(HED_E_INVAL, "%s: overlap is %g; a share up to 1, or 0 for 0.3", op, opt->overlap);
  if (!(opt->clip >= 0))
    return hed_fail(HED_E_INVAL, "%s: clip is %g; a number of deviations above 0, or 0 for 50", op, opt->clip);
  if (opt->resume && !opt->checkpoint)
    return hed_fail(HED_E_INVAL, "%s: resume without a checkpoint", op);
  if (!(opt->checkpoint_seconds >= 0) || (opt->shares ? opt->share >= opt->shares : opt->share > 0) || opt->shares > n_rotations)
    return hed_fail(HED_E_INVAL, "%s: share %zu of %zu of %zu rotations, checkpoints every %g seconds", op, opt->share,
                    opt->shares, n_rotations, opt->checkpoint_seconds);
  if (opt->shares > 1 && !opt->checkpoint)
    return hed_fail(HED_E_INVAL, "%s: a share without a checkpoint, which would hold it", op);
  if (!(opt->n_false_positives >= 0) || isinf(opt->n_false_positives))
    return hed_fail(HED_E_INVAL, "%s: n_false_positives is %g; a number above 0, or 0 for 1", op, opt->n_false_positives);
  return HED_OK;
}

/* ---- background ---- */

/* What CAM, CORR and MCC divide by depends on the template. */
static hed_status check_background(const hed_match_options *opt, const hed_array *tmpl)
{
  static const char *const scores[] = { "CC", "LCC", "NCC", "FLC", "FLCSphericalMask" };
  bool known = !opt->score;
  for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++)
    known = known || strcasecmp(opt->score, scores[i]) == 0;
  if (!known)
    return hed_fail(HED_E_INVAL, "%s: correct_background with score %.40s; CC, LCC, NCC, FLC and FLCSphericalMask can be corrected",
                    op,
                    opt->score);
  if (!opt->background)
    return HED_OK;
  const hed_shape s = hed_array_shape(opt->background), t = hed_array_shape(tmpl);
  for (int i = 0; i < s.ndim || i < t.ndim; i++)
    if (s.ndim != t.ndim || s.dim[i] != t.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: the background template has %d dimensions, %lld along axis %d, the template %d, %lld", op,
                      (int)s.ndim, (long long)s.dim[i], i, (int)t.ndim, (long long)t.dim[i]);
  return HED_OK;
}

/* Progress over both searches. */
typedef struct both { const hed_match_options *opt; bool second; } both;

static int progress(void *arg, size_t done, size_t total)
{
  const both *b = arg;
  return b->opt->progress(b->opt->progress_arg, done + (b->second ? total : 0), 2 * total);
}

static bool exists(const char *path)
{
  return path && access(path, F_OK) == 0;
}

typedef struct inputs { const hed_array *target, *tmpl, *mask; size_t n; const double *rotations; } inputs;

/* One search for the background template, and the one that was asked for. Of the first a file stays until the second is done. */
static hed_status corrected(const hed_match_options *opt, const inputs *in, const char *kept, const hed_array *background,
                            hed_match_result *out)
{
  both b = { .opt = opt };
  hed_match_result first = { 0 };
  hed_match_options o = *opt;
  o.threshold = -INFINITY;
  o.progress = opt->progress ? progress : NULL;
  o.progress_arg = &b;
  o.checkpoint = kept;
  o.resume = opt->resume && (exists(kept) || !exists(opt->checkpoint));
  hed_status status = hed__search(&o, true, in->target, background, in->mask, in->n, in->rotations, &first);
  if (status != HED_OK)
    return status;
  b.second = true;
  o.checkpoint = opt->checkpoint;
  o.resume = opt->resume && exists(opt->checkpoint);
  status = hed__search(&o, false, in->target, in->tmpl, in->mask, in->n, in->rotations, out);
  if (status == HED_OK && opt->shares < 2) {
    status = hed_match_correct(out, &first);
    float *v = hed_array_data(out->scores);
    int32_t *r = hed_array_data(out->rotations);
    for (int64_t i = 0; i < hed_array_size(out->scores) && isfinite(opt->threshold); i++)
      if (r[i] < 0 || (double)v[i] <= opt->threshold) {
        v[i] = (float)opt->threshold;
        r[i] = -1;
      }
    if (kept && unlink(kept) != 0 && errno != ENOENT)
      status = hed_fail(HED_E_IO, "%s: cannot remove '%s': %s", op, kept, strerror(errno));
    out->seconds += first.seconds;
    out->setup_seconds += first.setup_seconds;
  }
  hed_match_result_clear(&first);
  return status;
}

static hed_status with_background(const hed_match_options *opt, const inputs *in, hed_match_result *out)
{
  char *kept = NULL;
  hed_status status = check_background(opt, in->tmpl);
  if (status != HED_OK)
    return status;
  if (opt->checkpoint && asprintf(&kept, "%s.background", opt->checkpoint) < 0)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a name", op);
  hed_array *made = opt->background ? NULL : hed_match_background(in->tmpl, opt->background_seed);
  status = opt->background || made ? corrected(opt, in, kept, opt->background ? opt->background : made, out) : hed_error();
  hed_release(made);
  free(kept);
  if (status != HED_OK)
    hed_match_result_clear(out);
  return status;
}

hed_status hed_match_run(const hed_match_options *opt, const hed_array *target, const hed_array *tmpl,
                         const hed_array *mask, size_t n_rotations, const double *rotations, hed_match_result *out)
{
  static const hed_match_options none;
  hed_status status;

  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_match_result){ 0 };
  if (!opt)
    opt = &none;
  if (!target || !tmpl)
    return hed_fail(HED_E_INVAL, "%s: the %s is NULL", op, target ? "template" : "target");
  if ((status = check(opt, n_rotations)) != HED_OK)
    return status;
  return opt->correct_background ? with_background(opt, &(inputs){ target, tmpl, mask, n_rotations, rotations }, out)
                                 : hed__search(opt, false, target, tmpl, mask, n_rotations, rotations, out);
}
