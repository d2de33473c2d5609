// SPDX-License-Identifier: BSD-3-Clause
/* Which voxels of a score map may be peaks, caller by caller.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/analyze/peaks.h"
#include "kits/match/analyze/robust.h"
#include "kits/match/run/job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct list { const char *op; hed__candidate *c; size_t n, room; } list;

static hed_status add(list *l, float score, int64_t at)
{
  if (l->n == l->room) {
    const size_t room = l->room ? 2 * l->room : 256;
    hed__candidate *more = realloc(l->c, room * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", l->op, room);
    l->c = more;
    l->room = room;
  }
  l->c[l->n++] = (hed__candidate){ score, at };
  return HED_OK;
}

static bool near_face(const hed__peak_view *v, const int64_t p[3], double border)
{
  for (int i = 0; i < 3; i++)
    if (v->d[i] > 1 && ((double)p[i] < border || (double)(v->d[i] - 1 - p[i]) < border))
      return true;
  return false;
}

static bool allowed(const hed__peak_view *v, const hed_match_peak_options *opt, int64_t at)
{
  int64_t p[3];
  hed__place_of(v->d, at, p);
  const double s = (double)v->score[at];
  return v->rotation[at] >= 0 && isfinite(s) && !near_face(v, p, opt->border) && (!opt->use_min_score || s >= opt->min_score) &&
         (!(opt->max_score > 0) || s <= opt->max_score) && (!v->allowed || v->allowed[at] > 0);
}

static size_t voxels(const hed__peak_view *v)
{
  return (size_t)(v->d[0] * v->d[1] * v->d[2]);
}

/* Largest of a box of SIDE voxels. */
static hed_status maxima(const hed__peak_view *v, const hed_array *scores, const hed_match_peak_options *opt, double side, list *l)
{
  const hed_peaks unique = { .exclude_plateaus = true };
  hed_array *single = hed__own(scores, hed_astype(scores, HED_FLOAT32));
  hed_array *where = single ? hed_keep(hed_max_filter_coordinates(single, (int64_t)fmin(side, 1 << 20), &unique)) : NULL;
  int64_t *p = where ? hed__to_malloc(where) : NULL;
  const size_t rows = where ? (size_t)hed_array_shape(where).dim[0] : 0;
  hed_status status = p ? HED_OK : hed_error();
  for (size_t i = 0; status == HED_OK && i < rows; i++) {
    int64_t at = 0;
    for (int k = 0; k < v->ndim; k++)
      at = at * v->d[3 - v->ndim + k] + p[i * (size_t)v->ndim + (size_t)k];
    if (allowed(v, opt, at))
      status = add(l, v->score[at], at);
  }
  free(p);
  hed_release(single);
  hed_release(where);
  return status;
}

static hed_status all(const hed__peak_view *v, const hed_match_peak_options *opt, list *l)
{
  hed_status status = HED_OK;
  for (size_t i = 0; status == HED_OK && i < voxels(v); i++)
    if (allowed(v, opt, (int64_t)i))
      status = add(l, v->score[i], (int64_t)i);
  return status;
}

/* The voxel with the largest score of a box from FROM to below TO; equals: the first. */
static int64_t largest(const hed__peak_view *v, const int64_t from[3], const int64_t to[3])
{
  int64_t best = -1;
  for (int64_t z = from[0]; z < to[0]; z++)
    for (int64_t y = from[1]; y < to[1]; y++)
      for (int64_t x = from[2]; x < to[2]; x++) {
        const int64_t at = (z * v->d[1] + y) * v->d[2] + x;
        if (isfinite(v->score[at]) && (best < 0 || v->score[at] > v->score[best]))
          best = at;
      }
  return best;
}

/* The largest of each tile, where nothing within the distance is larger. */
static hed_status tiles(const hed__peak_view *v, const hed_match_peak_options *opt, double distance, list *l)
{
  const int64_t n = (int64_t)fmin(fmax(ceil(distance), 1), 1 << 20);
  hed_status status = HED_OK;
  int64_t from[3], to[3], p[3];
  for (from[0] = 0; from[0] < v->d[0]; from[0] += n)
    for (from[1] = 0; from[1] < v->d[1]; from[1] += n)
      for (from[2] = 0; from[2] < v->d[2] && status == HED_OK; from[2] += n) {
        int64_t low[3], high[3];
        for (int i = 0; i < 3; i++)
          to[i] = from[i] + n < v->d[i] ? from[i] + n : v->d[i];
        const int64_t at = largest(v, from, to);
        if (at < 0 || !allowed(v, opt, at))
          continue;
        hed__place_of(v->d, at, p);
        for (int i = 0; i < 3; i++) {
          low[i] = p[i] > n ? p[i] - n : 0;
          high[i] = p[i] + n < v->d[i] ? p[i] + n + 1 : v->d[i];
        }
        if (largest(v, low, high) == at)
          status = add(l, v->score[at], at);
      }
  return status;
}

/* ---- DBSCAN (M. Ester et al., KDD 1996, 226-231) ---- */

typedef struct clusters {
  const hed__peak_view *v;
  const list *l;
  double eps;
  bool wraps;
  int64_t at[3];
  size_t *found, n_found; /* neighbours of the place that is looked at, itself included */
} clusters;

static bool see(void *arg, size_t number)
{
  clusters *c = arg;
  int64_t q[3];
  hed__place_of(c->v->d, c->l->c[number].at, q);
  if (hed__apart(c->v->d, c->at, q, c->wraps) <= c->eps * c->eps)
    c->found[c->n_found++] = number;
  return true;
}

static bool is_core(clusters *c, const hed__cells *cells, size_t i, size_t least)
{
  hed__place_of(c->v->d, c->l->c[i].at, c->at);
  c->n_found = 0;
  (void)hed__cells_near(cells, c->at, see, c);
  return c->n_found >= least;
}

/* From all places above the cut in L to the best of each cluster. */
static hed_status cluster(const hed__peak_view *v, const hed_match_peak_options *opt, double eps, list *l)
{
  const size_t n = l->n, least = opt->min_samples ? opt->min_samples : 4;
  clusters c = { .v = v, .l = l, .eps = eps, .wraps = opt->wraps, .found = malloc((n + 1) * sizeof *c.found) };
  size_t *stack = malloc((n + 1) * sizeof *stack), kept = 0;
  uint8_t *seen = calloc(n + 1, 1);
  hed__candidate *best = malloc((n + 1) * sizeof *best);
  hed__cells cells = { .head = NULL };
  hed_status status = c.found && stack && seen && best
                        ? hed__cells_open(l->op, &cells, v->d, eps, opt->wraps)
                        : hed_fail(HED_E_NOMEM, "%s: no memory for clusters of %zu voxels", l->op, n);
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    int64_t p[3];
    hed__place_of(v->d, l->c[i].at, p);
    status = hed__cells_add(l->op, &cells, p, i);
  }
  for (size_t i = 0; i < n && status == HED_OK; i++) {
    if (seen[i] || !is_core(&c, &cells, i, least))
      continue;
    size_t depth = 0;
    best[kept] = l->c[i];
    stack[depth++] = i;
    seen[i] = 1;
    while (depth > 0) {
      const size_t k = stack[--depth];
      if (l->c[k].score > best[kept].score || (l->c[k].score == best[kept].score && l->c[k].at < best[kept].at))
        best[kept] = l->c[k];
      if (!is_core(&c, &cells, k, least))
        continue;
      for (size_t q = 0; q < c.n_found; q++)
        if (!seen[c.found[q]]) {
          seen[c.found[q]] = 1;
          stack[depth++] = c.found[q];
        }
    }
    kept++;
  }
  if (status == HED_OK) {
    free(l->c);
    l->c = best;
    l->n = kept;
    best = NULL;
  }
  hed__cells_close(&cells);
  free(c.found);
  free(stack);
  free(seen);
  free(best);
  return status;
}

/* ---- white top-hat ---- */

/* Of each voxel and its neighbours along the axes the least (SIGN 1) or the largest (-1). */
static void extreme(const hed__peak_view *v, const float *in, float *out, float sign)
{
  const int64_t step[3] = { v->d[1] * v->d[2], v->d[2], 1 };
  for (int64_t i = 0; i < (int64_t)voxels(v); i++) {
    int64_t p[3];
    float best = sign * in[i];
    hed__place_of(v->d, i, p);
    for (int a = 0; a < 3; a++) {
      best = p[a] > 0 ? fminf(best, sign * in[i - step[a]]) : best;
      best = p[a] + 1 < v->d[a] ? fminf(best, sign * in[i + step[a]]) : best;
    }
    out[i] = sign * best;
  }
}

/* Strikes off the candidates whose top-hat is what the background has. */
static hed_status sharpen(const hed__peak_view *v, list *l)
{
  const size_t n = voxels(v);
  float *low = malloc(n * sizeof *low), *open = malloc(n * sizeof *open);
  double half = 0;
  size_t above = 0, kept = 0;
  hed_status status = low && open ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for a top-hat of %zu voxels", l->op, n);
  if (status == HED_OK) {
    extreme(v, v->score, low, 1);
    extreme(v, low, open, -1);
    for (size_t i = 0; i < n; i++)
      if (isfinite(v->score[i]) && v->score[i] > open[i])
        low[above++] = v->score[i] - open[i];
  }
  if (status == HED_OK && above > 0 && (status = hed__median(low, above, &half)) == HED_OK) {
    /* half of a normal distribution, whose median is 0.6745 deviations */
    const double cut = hed_match_cutoff(half / 0.67448975, (double)above, 0.5);
    for (size_t i = 0; i < l->n; i++)
      if ((double)(v->score[l->c[i].at] - open[l->c[i].at]) > cut)
        l->c[kept++] = l->c[i];
    l->n = kept;
  }
  free(low);
  free(open);
  return status;
}

hed_status hed__peak_candidates(const char *op, const hed__peak_view *v, const hed_array *scores,
                                const hed_match_peak_options *opt, double distance, hed__candidate **out, size_t *n)
{
  list l = { .op = op };
  hed_status status = HED_OK;
  switch (opt->caller) {
  case HED_PEAKS_MAXIMUM: status = maxima(v, scores, opt, fmax(ceil(distance), 3), &l); break;
  case HED_PEAKS_BOX: status = maxima(v, scores, opt, 2 * floor(distance) + 1, &l); break;
  case HED_PEAKS_TILES: status = tiles(v, opt, distance, &l); break;
  default: status = all(v, opt, &l); break;
  }
  if (status == HED_OK && opt->tophat)
    status = sharpen(v, &l);
  if (status == HED_OK && opt->caller == HED_PEAKS_CLUSTER)
    status = cluster(v, opt, fmax(distance, 1), &l);
  if (status != HED_OK) {
    free(l.c);
    l = (list){ 0 };
  }
  *out = l.c;
  *n = l.n;
  return status;
}
