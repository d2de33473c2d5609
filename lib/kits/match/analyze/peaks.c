// SPDX-License-Identifier: BSD-3-Clause
/* Peaks of a score map, best first, and their table.
 *
 * Layer: L4, match kit. Of the candidates (candidates.c) the best is taken, then the next best that keeps its distance from all
 * taken ones, and so on.
 */
#include "kits/match/analyze/peaks.h"
#include "kits/match/run/job.h"
#include "kits/member.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_match_peaks";

static hed_status same_shape(const char *what, hed_shape s, hed_shape r)
{
  if (r.ndim != s.ndim)
    return hed_fail(HED_E_SHAPE, "%s: scores have %d dimensions, %s %d", op, (int)s.ndim, what, (int)r.ndim);
  for (int i = 0; i < s.ndim; i++)
    if (r.dim[i] != s.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: along axis %d scores have %lld elements, %s %lld", op, i, (long long)s.dim[i], what,
                      (long long)r.dim[i]);
  return HED_OK;
}

static void *values_as(const hed_array *x, hed_dtype t)
{
  hed_array *y = hed__own(x, hed_astype(x, t));
  void *v = y ? hed__to_malloc(y) : NULL;
  hed_release(y);
  return v;
}

static void close_view(hed__peak_view *v)
{
  free(v->score);
  free(v->rotation);
  free(v->allowed);
}

static hed_status open_view(hed__peak_view *v, const hed_array *scores, const hed_array *rotations, const hed_array *mask)
{
  const hed_shape s = hed_array_shape(scores);
  *v = (hed__peak_view){ .ndim = s.ndim, .d = { 1, 1, 1 } };
  if (s.ndim != 2 && s.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the scores have %d dimensions, not 2 or 3", op, (int)s.ndim);
  hed_status status = same_shape("rotations", s, hed_array_shape(rotations));
  if (status == HED_OK && mask)
    status = same_shape("the mask", s, hed_array_shape(mask));
  if (status != HED_OK)
    return status;
  for (int i = 0; i < s.ndim; i++)
    v->d[3 - s.ndim + i] = s.dim[i];
  if ((v->score = values_as(scores, HED_FLOAT32)) && (v->rotation = values_as(rotations, HED_INT32)) &&
      (!mask || (v->allowed = values_as(mask, HED_FLOAT32))))
    return HED_OK;
  close_view(v);
  return hed_error();
}

static int better_first(const void *a, const void *b)
{
  const hed__candidate *p = a, *q = b;
  if (p->score != q->score)
    return p->score > q->score ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

/* ---- which may stand beside which ---- */

typedef struct choice {
  const hed_match_peak_options *opt;
  hed__peak_view v;
  double distance;
  hed__cells cells;
  hed_match_peak *out, peak;
  size_t n;
  uint8_t *struck;          /* what a template at a better peak covers; NULL: distances are looked at */
} choice;

static bool stands_free(void *arg, size_t number)
{
  const choice *c = arg;
  const hed_match_peak *other = &c->out[number];
  const double s = hed__apart(c->v.d, c->peak.position, other->position, c->opt->wraps);
  return s >= c->distance * c->distance && (s >= c->opt->lobe_distance * c->opt->lobe_distance ||
                                            c->peak.score >= c->opt->lobe_fraction * other->score);
}

/* Where the turned mask of a template at this peak exceeds a tenth. */
static hed_status strike_out(choice *c)
{
  const hed_match_peak_options *o = c->opt;
  const hed_rigid linear = { .spline = HED_SPLINE_LINEAR };
  const hed_shape s = hed_array_shape(o->tmpl_mask);
  int64_t d[3] = { 1, 1, 1 };
  if (c->peak.rotation < 0 || (size_t)c->peak.rotation >= o->n_matrices)
    return hed_fail(HED_E_INVAL, "%s: a peak has rotation %d of %zu", op, (int)c->peak.rotation, o->n_matrices);
  hed_array *turned = NULL;
  const hed_status status = hed_rigid_transform(o->tmpl_mask, NULL, o->matrices + c->peak.rotation * (s.ndim * s.ndim), &linear,
                                                &turned, NULL);
  float *m = status == HED_OK ? values_as(turned, HED_FLOAT32) : NULL;
  hed_release(turned);
  if (!m)
    return hed_error();
  for (int i = 0; i < s.ndim; i++)
    d[3 - s.ndim + i] = s.dim[i];
  for (int64_t i = 0; i < d[0] * d[1] * d[2]; i++) {
    int64_t p[3], at = 0;
    bool inside = m[i] > 0.1F;
    hed__place_of(d, i, p);
    for (int a = 0; a < 3; a++) {
      int64_t q = c->peak.position[a] + p[a] - d[a] / 2;
      q = o->wraps ? (q % c->v.d[a] + c->v.d[a]) % c->v.d[a] : q;
      inside = inside && q >= 0 && q < c->v.d[a];
      at = at * c->v.d[a] + q;
    }
    if (inside)
      c->struck[at] = 1;
  }
  free(m);
  return HED_OK;
}

/* The top of a parabola through the score and its neighbours, along each axis. */
static void between_voxels(const choice *c, hed_match_peak *peak)
{
  const hed__peak_view *v = &c->v;
  const int64_t step[3] = { v->d[1] * v->d[2], v->d[2], 1 }, *p = peak->position;
  const int64_t at = (p[0] * v->d[1] + p[1]) * v->d[2] + p[2];
  for (int a = 0; a < 3; a++) {
    if (p[a] == 0 || p[a] + 1 >= v->d[a])
      continue;
    const double low = (double)v->score[at - step[a]], high = (double)v->score[at + step[a]];
    const double bend = low - 2 * (double)v->score[at] + high;
    if (bend < 0 && isfinite(bend))
      peak->offset[a] = fmin(fmax((low - high) / (2 * bend), -0.5), 0.5);
  }
}

static hed_status choose(choice *c, const hed__candidate *from, size_t n, size_t most)
{
  hed_status status = HED_OK;
  for (size_t i = 0; i < n && c->n < most && status == HED_OK; i++) {
    c->peak = (hed_match_peak){ .score = (double)from[i].score, .rotation = c->v.rotation[from[i].at] };
    hed__place_of(c->v.d, from[i].at, c->peak.position);
    if (c->struck ? c->struck[from[i].at] : !hed__cells_near(&c->cells, c->peak.position, stands_free, c))
      continue;
    if (c->opt->subvoxel)
      between_voxels(c, &c->peak);
    c->out[c->n] = c->peak;
    status = c->struck ? strike_out(c) : hed__cells_add(op, &c->cells, c->peak.position, c->n);
    c->n++;
  }
  return status;
}

static hed_status check(const hed_match_peak_options *opt, int ndim)
{
  if (!(opt->lobe_distance >= 0) || !(opt->lobe_fraction >= 0) || opt->lobe_fraction > 1)
    return hed_fail(HED_E_INVAL, "%s: lobe_distance %g, lobe_fraction %g", op, opt->lobe_distance, opt->lobe_fraction);
  if (!(opt->min_distance >= 0) || !(opt->border >= 0) || isnan(opt->min_score) || !(opt->max_score >= 0))
    return hed_fail(HED_E_INVAL, "%s: min_distance %g, border %g, min_score %g, max_score %g", op, opt->min_distance, opt->border,
                    opt->min_score, opt->max_score);
  if (hed__expect_member(op, "caller", opt->caller, HED_PEAKS_MAXIMUM, HED_PEAKS_CLUSTER, "hed_peak_caller") != HED_OK)
    return hed_error();
  if (opt->caller == HED_PEAKS_CLUSTER && !opt->use_min_score)
    return hed_fail(HED_E_INVAL, "%s: clusters are of voxels above a min_score, and there is none", op);
  if (opt->tmpl_mask && (opt->caller != HED_PEAKS_RECURSIVE || !opt->matrices || hed_array_ndim(opt->tmpl_mask) != ndim))
    return hed_fail(HED_E_INVAL, "%s: tmpl_mask is for the recursive caller, with as many dimensions as the scores and with "
                    "matrices", op);
  return HED_OK;
}

static hed_status find(const hed_array *scores, const hed_array *rotations, const hed_match_peak_options *opt,
                       hed_match_peak **peaks, size_t *n)
{
  static const hed_match_peak_options none;
  hed__candidate *from = NULL;
  size_t total = 0;

  if (!peaks || !n || !scores || !rotations)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  *peaks = NULL;
  *n = 0;
  choice c = { .opt = opt ? opt : &none };
  opt = c.opt;
  hed_status status = check(opt, hed_array_ndim(scores));
  if (status != HED_OK || (status = open_view(&c.v, scores, rotations, opt->mask)) != HED_OK)
    return status;
  const size_t most = opt->num_peaks ? opt->num_peaks : 1000;
  const double distance = opt->min_distance > 0 ? opt->min_distance : 1;
  const bool apart = opt->caller != HED_PEAKS_SORT && opt->caller != HED_PEAKS_CLUSTER;
  c.distance = apart ? distance : 0;
  if ((status = hed__peak_candidates(op, &c.v, scores, opt, distance, &from, &total)) != HED_OK)
    goto done;
  if (total > 0)
    qsort(from, total, sizeof *from, better_first);
  if (total > 0 && !(c.out = malloc((total < most ? total : most) * sizeof *c.out)))
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu peaks", op, total);
  if (status == HED_OK && opt->tmpl_mask && !(c.struck = calloc((size_t)(c.v.d[0] * c.v.d[1] * c.v.d[2]), 1)))
    status = hed_fail(HED_E_NOMEM, "%s: no memory to strike out voxels", op);
  if (status == HED_OK && !c.struck)
    status = hed__cells_open(op, &c.cells, c.v.d, fmax(c.distance, opt->lobe_distance), opt->wraps);
  if (status == HED_OK)
    status = choose(&c, from, total, most);
  if (status == HED_OK && c.n > 0) {
    *peaks = c.out;
    *n = c.n;
    c.out = NULL;
  }
done:
  free(c.out);
  free(c.struck);
  hed__cells_close(&c.cells);
  free(from);
  close_view(&c.v);
  return status;
}

hed_status hed_match_peaks(const hed_array *scores, const hed_array *rotations, const hed_match_peak_options *opt,
                           hed_match_peak **peaks, size_t *n)
{
  hed_status status = HED_OK;
  HED_PROFILE_RANGE("peaks")
    status = find(scores, rotations, opt, peaks, n);
  return status;
}

hed_status hed_match_table(size_t n, const hed_match_peak *peaks, int ndim, const double *matrices, size_t n_matrices,
                           const double voxel[3], const double origin[3], hed_table *out)
{
  if (!out || (n && (!peaks || !matrices)) || (ndim != 2 && ndim != 3))
    return hed_fail(HED_E_INVAL, "hed_match_table: %s", !out ? "out is NULL" : ndim != 2 && ndim != 3
                    ? "rotations are neither 2 x 2 nor 3 x 3" : "peaks or matrices are NULL");
  *out = (hed_table){ 0 };
  hed_table_row *row = calloc(n ? n : 1, sizeof *row);
  if (!row)
    return hed_fail(HED_E_NOMEM, "hed_match_table: no memory for %zu rows", n);
  for (size_t i = 0; i < n; i++) {
    hed_table_row *r = &row[i];
    if (peaks[i].rotation < 0 || (size_t)peaks[i].rotation >= n_matrices) {
      free(row);
      return hed_fail(HED_E_INVAL, "hed_match_table: peak %zu has rotation %d of %zu", i, (int)peaks[i].rotation,
                      n_matrices);
    }
    const double *m = matrices + (size_t)peaks[i].rotation * (size_t)(ndim * ndim);
    r->id = (int64_t)i + 1;
    r->score = peaks[i].score;
    for (int a = 0; a < 3; a++) {
      double v = voxel && voxel[a] > 0 ? voxel[a] : 1;
      r->position[a] = (double)peaks[i].position[a] + peaks[i].offset[a];
      r->angstrom[a] = (origin ? origin[a] : 0) + v * r->position[a];
    }
    if (ndim == 3)
      hed_rotation_to_euler(m, r->euler);
    else /* cos, sin in the first row of (y, x) order: hed_rotation_from_angle() */
      r->euler[0] = atan2(m[1], m[0]) * 180 / 3.14159265358979323846;
  }
  *out = (hed_table){ .n = n, .row = row };
  return HED_OK;
}
