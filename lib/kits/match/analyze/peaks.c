// SPDX-License-Identifier: BSD-3-Clause
/*
 * peaks.c: local maxima of a score map, best first, and their table.
 *
 * Layer: L4, match kit. Candidates come from hed_max_filter_coordinates(); among them the best is taken, then the
 * next best that keeps its distance from all taken ones, and so on.
 */
#include "kits/match/run/job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_match_peaks";

/* Score and rotation of every voxel on the host. */
typedef struct view {
  int64_t d[3]; /* z is 1 for images */
  float *score;
  int32_t *rotation;
} view;

static hed_status open_view(view *v, const hed_array *scores, const hed_array *rotations)
{
  hed_shape s = hed_array_shape(scores), r = hed_array_shape(rotations);
  *v = (view){ .d = { 1, 1, 1 } };
  if (s.ndim != 2 && s.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the scores have %d dimensions, not 2 or 3", op, (int)s.ndim);
  if (r.ndim != s.ndim)
    return hed_fail(HED_E_SHAPE, "%s: scores have %d dimensions, rotations %d", op, (int)s.ndim, (int)r.ndim);
  for (int i = 0; i < s.ndim; i++) {
    if (r.dim[i] != s.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: along axis %d scores have %lld elements, rotations %lld", op, i,
                      (long long)s.dim[i], (long long)r.dim[i]);
    v->d[3 - s.ndim + i] = s.dim[i];
  }
  hed_array *single = hed__own(scores, hed_astype(scores, HED_FLOAT32));
  hed_array *number = single ? hed__own(rotations, hed_astype(rotations, HED_INT32)) : NULL;
  v->score = number ? hed__to_malloc(single) : NULL;
  v->rotation = v->score ? hed__to_malloc(number) : NULL;
  hed_release(single);
  hed_release(number);
  if (v->rotation)
    return HED_OK;
  free(v->score);
  return hed_error();
}

typedef struct candidate {
  float score;
  int64_t at; /* flat index: the order of equals */
} candidate;

static int better_first(const void *a, const void *b)
{
  const candidate *p = a, *q = b;
  if (p->score != q->score)
    return p->score > q->score ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

static hed_match_peak peak_of(const view *v, const candidate *c)
{
  int64_t x = c->at % v->d[2], y = c->at / v->d[2] % v->d[1], z = c->at / v->d[2] / v->d[1];
  return (hed_match_peak){ { z, y, x }, (double)c->score, v->rotation[c->at] };
}

static bool near_face(const view *v, const int64_t p[3], double border)
{
  for (int i = 0; i < 3; i++)
    if (v->d[i] > 1 && ((double)p[i] < border || (double)(v->d[i] - 1 - p[i]) < border))
      return true;
  return false;
}

/* Local maxima that may be peaks, best first. */
static hed_status candidates(const view *v, const hed_array *scores, const hed_match_peak_options *opt,
                             double distance, candidate **out, size_t *n)
{
  const hed_peaks unique = { .exclude_plateaus = true };
  const int ndim = hed_array_ndim(scores);
  int64_t box = (int64_t)fmin(fmax(ceil(distance), 3), 1 << 20);
  hed_array *single = hed__own(scores, hed_astype(scores, HED_FLOAT32));
  hed_array *where = hed_keep(hed_max_filter_coordinates(single, box, &unique));
  int64_t *p = where ? hed__to_malloc(where) : NULL;
  size_t rows = where ? (size_t)hed_array_shape(where).dim[0] : 0;
  candidate *c = p ? malloc((rows + 1) * sizeof *c) : NULL;
  hed_status status = HED_OK;

  *n = 0;
  if (!c) {
    status = p ? hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", op, rows) : hed_error();
    goto done;
  }
  for (size_t i = 0; i < rows; i++) {
    int64_t q[3] = { 0, 0, 0 };
    for (int k = 0; k < ndim; k++)
      q[3 - ndim + k] = p[i * (size_t)ndim + (size_t)k];
    int64_t at = (q[0] * v->d[1] + q[1]) * v->d[2] + q[2];
    if (v->rotation[at] < 0 || !isfinite(v->score[at]) || near_face(v, q, opt->border) ||
        (opt->use_min_score && (double)v->score[at] < opt->min_score))
      continue;
    c[(*n)++] = (candidate){ v->score[at], at };
  }
  qsort(c, *n, sizeof *c, better_first);
done:
  *out = c;
  free(p);
  hed_release(single);
  hed_release(where);
  return status;
}

/* Square of their distance. */
static double apart(const view *v, const hed_match_peak *a, const hed_match_peak *b, bool wraps)
{
  double s = 0;
  for (int i = 0; i < 3; i++) {
    int64_t d = llabs(a->position[i] - b->position[i]);
    if (wraps && v->d[i] - d < d)
      d = v->d[i] - d;
    s += (double)d * (double)d;
  }
  return s;
}

hed_status hed_match_peaks(const hed_array *scores, const hed_array *rotations, const hed_match_peak_options *opt,
                           hed_match_peak **peaks, size_t *n)
{
  static const hed_match_peak_options none;
  view v = { .score = NULL };
  candidate *c = NULL;
  hed_match_peak *out = NULL;
  size_t total = 0, found = 0;
  hed_status status;

  if (!peaks || !n || !scores || !rotations)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  *peaks = NULL;
  *n = 0;
  if (!opt)
    opt = &none;
  if (!(opt->lobe_distance >= 0) || !(opt->lobe_fraction >= 0) || opt->lobe_fraction > 1)
    return hed_fail(HED_E_INVAL, "%s: lobe_distance %g, lobe_fraction %g", op, opt->lobe_distance, opt->lobe_fraction);
  if (!(opt->min_distance >= 0) || !(opt->border >= 0) || isnan(opt->min_score))
    return hed_fail(HED_E_INVAL, "%s: min_distance %g, border %g, min_score %g", op, opt->min_distance, opt->border,
                    opt->min_score);
  const size_t most = opt->num_peaks ? opt->num_peaks : 1000;
  const double distance = opt->min_distance > 0 ? opt->min_distance : 1;
  if ((status = open_view(&v, scores, rotations)) != HED_OK)
    return status;
  if ((status = candidates(&v, scores, opt, distance, &c, &total)) != HED_OK)
    goto done;
  out = total ? malloc((total < most ? total : most) * sizeof *out) : NULL;
  if (total && !out) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu peaks", op, total);
    goto done;
  }
  for (size_t i = 0; i < total && found < most; i++) {
    hed_match_peak p = peak_of(&v, &c[i]);
    bool free_standing = true;
    for (size_t k = 0; free_standing && k < found; k++) {
      const double s = apart(&v, &p, &out[k], opt->wraps);
      free_standing = s >= distance * distance &&
                      (s >= opt->lobe_distance * opt->lobe_distance || p.score >= opt->lobe_fraction * out[k].score);
    }
    if (free_standing)
      out[found++] = p;
  }
  if (found == 0) {
    free(out);
    out = NULL;
  }
  *peaks = out;
  *n = found;
done:
  free(c);
  free(v.score);
  free(v.rotation);
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
      r->position[a] = (double)peaks[i].position[a];
      r->angstrom[a] = (origin ? origin[a] : 0) + v * r->position[a];
    }
    if (ndim == 3)
      hed_rotation_to_euler(m, r->euler);
    else /* cos, sin in the first row of (y, x) order: hed_rotation_from_angle() */
      r->euler[0] = atan2(m[1], m[0]) * 180 / 3.14159265358979323846;
  }
  *out = (hed_table){ n, row };
  return HED_OK;
}
