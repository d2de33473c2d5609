// SPDX-License-Identifier: BSD-3-Clause
/* hed_match_run(): what its options may be, and the search of the background that goes before.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/parts.h"
#include "kits/member.h"
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
  if (hed__expect_member(op, "spline", opt->spline, HED_SPLINE_DEFAULT, HED_SPLINE_CUBIC, "hed_spline") != HED_OK ||
      hed__expect_member(op, "faces", opt->faces, HED_FACES_CONTINUE, HED_FACES_WRAP, "hed_faces") != HED_OK ||
      hed__expect_member(op, "voids", opt->voids, HED_VOIDS_FIND, HED_VOIDS_KEEP, "hed_voids") != HED_OK ||
      hed__expect_member(op, "null_shape", opt->null_shape, HED_NULL_MEASURED, HED_NULL_NORMAL, "hed_null_shape") != HED_OK)
    return hed_error();
  if (!(opt->overlap >= 0) || opt->overlap > 1)
    return hed_fail(HED_E_INVAL, "%s: overlap is %g; a share up to 1, or 0 for 0.3", op, opt->overlap);
  if (!(opt->clip >= 0))
    return hed_fail(HED_E_INVAL, "%s: clip is %g; a number of deviations above 0, or 0 for 50", op, opt->clip);
  for (int i = 0; i < 3; i++)
    if (opt->sub_volumes[i] < 0)
      return hed_fail(HED_E_INVAL, "%s: %lld sub-volumes along axis %d", op, (long long)opt->sub_volumes[i], i);
  const hed_match_filter *f = opt->template_filter;
  if (hed__sub_volumes(opt) && !(f && f->wedge == HED_WEDGE_TILTS && f->ctf != HED_CTF_NONE))
    return hed_fail(HED_E_INVAL, "%s: sub-volumes without a template filter of single tilts with contrast transfer", op);
  if (opt->resume && !opt->checkpoint)
    return hed_fail(HED_E_INVAL, "%s: resume without a checkpoint", op);
  if (!(opt->checkpoint_seconds >= 0) || (opt->shares ? opt->share >= opt->shares : opt->share > 0) || opt->shares > n_rotations)
    return hed_fail(HED_E_INVAL, "%s: share %zu of %zu of %zu rotations, checkpoints every %g seconds", op, opt->share,
                    opt->shares, n_rotations, opt->checkpoint_seconds);
  if (opt->shares > 1 && !opt->checkpoint)
    return hed_fail(HED_E_INVAL, "%s: a share without a checkpoint, which would hold it", op);
  if (opt->counter && (!opt->checkpoint || opt->shares || !opt->counter->next))
    return hed_fail(HED_E_INVAL, "%s: a counter %s", op, !opt->checkpoint ? "without a checkpoint, which holds the result" :
                    opt->shares ? "with shares" : "without a function");
  if (opt->n_others && !opt->others)
    return hed_fail(HED_E_INVAL, "%s: others is NULL, n_others %zu", op, opt->n_others);
  if (opt->analyzer && (opt->checkpoint || opt->correct_background))
    return hed_fail(HED_E_INVAL, "%s: an analyzer with %s", op, opt->checkpoint ? "a checkpoint, which has not its state"
                                                                               : "background correction");
  if (opt->analyzer && (!opt->analyzer->open || !opt->analyzer->take || !opt->analyzer->merge || !opt->analyzer->close))
    return hed_fail(HED_E_INVAL, "%s: an analyzer without open, take, merge or close", op);
  if (!(opt->n_false_positives >= 0) || isinf(opt->n_false_positives))
    return hed_fail(HED_E_INVAL, "%s: n_false_positives is %g; a number above 0, or 0 for 1", op, opt->n_false_positives);
  return HED_OK;
}

/* Two templates. */
static hed_status same_shape(const char *what, hed_shape s, hed_shape t)
{
  for (int i = 0; i < s.ndim || i < t.ndim; i++)
    if (s.ndim != t.ndim || s.dim[i] != t.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: the %s has %d dimensions, %lld along axis %d, the template %d, %lld", op, what,
                      (int)s.ndim, i < s.ndim ? (long long)s.dim[i] : 0, i, (int)t.ndim, i < t.ndim ? (long long)t.dim[i] : 0);
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
  return same_shape("background template", hed_array_shape(opt->background), hed_array_shape(tmpl));
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

/* The background's checkpoints of other processes. */
static hed_status name_others(const hed_match_options *opt, char ***out)
{
  char **name = *out = calloc(opt->n_others + 1, sizeof *name);
  bool good = name != NULL;
  for (size_t i = 0; good && i < opt->n_others; i++)
    if (asprintf(&name[i], "%s.background", opt->others[i]) < 0) {
      name[i] = NULL; /* which is not said otherwise */
      good = false;
    }
  return good ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %zu names", op, opt->n_others);
}

/* One search for the background template, and the one that was asked for. Of the first a file stays until the second is done. */
static hed_status corrected(const hed_match_options *opt, const hed__given *in, const char *kept, const hed_array *background,
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
  hed__given other = *in;
  other.tmpl = &background;
  char **others = NULL;
  hed_status status = name_others(opt, &others);
  o.others = (const char *const *)others;
  if (status == HED_OK)
    status = hed__search(&o, 1, &other, &first);
  for (size_t i = 0; others && i < opt->n_others; i++)
    free(others[i]);
  free(others);
  o.others = opt->others;
  if (status != HED_OK)
    return status;
  b.second = true;
  o.checkpoint = opt->checkpoint;
  o.resume = opt->resume && exists(opt->checkpoint);
  status = hed__search(&o, 0, in, out);
  if (status == HED_OK && opt->shares < 2 && !opt->counter) {
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

static hed_status with_background(const hed_match_options *opt, const hed__given *in, hed_match_result *out)
{
  char *kept = NULL;
  hed_status status = check_background(opt, in->tmpl[0]);
  if (status != HED_OK)
    return status;
  if (opt->checkpoint && asprintf(&kept, "%s.background", opt->checkpoint) < 0)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a name", op);
  hed_array *made = opt->background ? NULL : hed_match_background(in->tmpl[0], opt->background_seed);
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
  const hed__given in = { target, &tmpl, mask, 1, n_rotations, rotations };
  return opt->correct_background ? with_background(opt, &in, out) : hed__search(opt, 0, &in, out);
}

hed_status hed_match_run_batch(const hed_match_options *opt, const hed_array *target, size_t n, const hed_array *const *tmpl,
                               const hed_array *mask, size_t n_rotations, const double *rotations, hed_match_result *out)
{
  static const hed_match_options none;
  hed_status status;
  if (!out || !tmpl || n == 0)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !out ? "out is NULL" : "no templates");
  memset(out, 0, n * sizeof *out);
  opt = opt ? opt : &none;
  for (size_t i = 0; i < n; i++)
    if (!target || !tmpl[i])
      return hed_fail(HED_E_INVAL, "%s: the %s is NULL", op, target ? "template" : "target");
  if (opt->checkpoint || opt->shares || opt->counter || opt->analyzer || opt->correct_background)
    return hed_fail(HED_E_INVAL, "%s: a batch of %zu templates with %s", op, n, opt->checkpoint ? "a checkpoint" :
                    opt->shares ? "shares" : opt->counter ? "a counter" : opt->analyzer ? "an analyzer" : "background correction");
  if ((status = check(opt, n_rotations)) != HED_OK)
    return status;
  for (size_t i = 1; i < n; i++)
    if ((status = same_shape("template of the batch", hed_array_shape(tmpl[i]), hed_array_shape(tmpl[0]))) != HED_OK)
      return status;
  return hed__search(opt, 0, &(hed__given){ target, tmpl, mask, n, n_rotations, rotations }, out);
}
