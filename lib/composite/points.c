// SPDX-License-Identifier: BSD-3-Clause
/* Points near each other: filter_points_indices, dbscan, peak_local_max; on the host. L3.
 *
 * In up to three dimensions points lie in a grid of cells as wide as the distance in question, found by hashing, so that
 * only neighbouring cells are looked at; in more, or where numbers are too far apart for a grid, every point is.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>
#include <stdlib.h>

typedef enum metric { CLOSER, WITHIN, IN_BOX } metric; /* |p - q| < r; <= r; largest difference <= r */

typedef struct grid {
  int64_t n, d, inserted, mask;
  const double *p;             /* (n, d) */
  double r;
  metric metric;
  bool cells;
  int64_t *cell, *head, *next; /* (n, d); chains by hash, -1 ends; without cells NEXT lists what was inserted */
} grid;

static void grid_free(grid *g)
{
  hed__buffer_free(g->cell);
  hed__buffer_free(g->head);
  hed__buffer_free(g->next);
}

static uint64_t hash(const int64_t *cell, int64_t d)
{
  uint64_t h = 0;
  for (int64_t k = 0; k < d; k++)
    h = (h ^ (uint64_t)cell[k]) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static bool grid_begin(grid *g, const char *op, const double *p, int64_t n, int64_t d, double r, metric m)
{
  *g = (grid){ .n = n, .d = d, .p = p, .r = r, .metric = m, .mask = 1, .cells = d >= 1 && d <= 3 && r > 0 };
  for (int64_t k = 0; k < n * d; k++) {
    if (!isfinite(p[k])) {
      hed_fail(HED_E_INVAL, "%s: points[%lld, %lld] is %g; finite numbers are needed", op, (long long)(k / d),
               (long long)(k % d), p[k]);
      return false;
    }
    g->cells = g->cells && fabs(p[k] / r) < 0x1p40;
  }
  while (g->mask < n)
    g->mask *= 2;
  g->next = hed__buffer_zeroed((size_t)n + 1, sizeof *g->next, op);
  if (!g->next)
    return false;
  if (g->cells && (!(g->cell = hed__buffer_zeroed((size_t)(n * d) + 1, sizeof *g->cell, op)) ||
                   !(g->head = hed__buffer_zeroed((size_t)g->mask, sizeof *g->head, op))))
    return false;
  for (int64_t k = 0; g->cells && k < g->mask; k++)
    g->head[k] = -1;
  for (int64_t k = 0; g->cells && k < n * d; k++)
    g->cell[k] = (int64_t)floor(p[k] / r);
  g->mask--;
  return true;
}

static void grid_insert(grid *g, int64_t i)
{
  if (g->cells) {
    int64_t *head = &g->head[hash(g->cell + i * g->d, g->d) & (uint64_t)g->mask];
    g->next[i] = *head;
    *head = i;
  } else {
    g->next[g->inserted] = i;
  }
  g->inserted++;
}

static bool near(const grid *g, int64_t i, int64_t j)
{
  double sum = 0, largest = 0;
  for (int64_t k = 0; k < g->d; k++) {
    double e = fabs(g->p[i * g->d + k] - g->p[j * g->d + k]);
    sum += e * e;
    largest = e > largest ? e : largest;
  }
  return g->metric == IN_BOX ? largest <= g->r : g->metric == WITHIN ? sum <= g->r * g->r : sum < g->r * g->r;
}

/* Inserted points near point I into OUT (room for all), at most MOST; returns how many. */
static int64_t grid_near(const grid *g, int64_t i, int64_t most, int64_t *out)
{
  int64_t found = 0, codes = 1;
  if (!g->cells) {
    for (int64_t k = 0; k < g->inserted && found < most; k++)
      if (near(g, i, g->next[k]))
        out[found++] = g->next[k];
    return found;
  }
  for (int64_t k = 0; k < g->d; k++)
    codes *= 3;
  for (int64_t code = 0; code < codes; code++) {
    int64_t cell[3], rest = code;
    for (int64_t k = 0; k < g->d; k++) {
      cell[k] = g->cell[i * g->d + k] + rest % 3 - 1;
      rest /= 3;
    }
    for (int64_t j = g->head[hash(cell, g->d) & (uint64_t)g->mask]; j >= 0 && found < most; j = g->next[j]) {
      bool here = true; /* another cell may have the same hash */
      for (int64_t k = 0; k < g->d; k++)
        here = here && g->cell[j * g->d + k] == cell[k];
      if (here && near(g, i, j))
        out[found++] = j;
    }
  }
  return found;
}

/* ---- thinning ---- */

typedef struct scored {
  double score;
  int64_t at;
} scored;

static int better_first(const void *a, const void *b)
{
  const scored *p = a, *q = b;
  bool p_nan = isnan(p->score), q_nan = isnan(q->score);
  if (p_nan != q_nan)
    return p_nan - q_nan;
  if (!p_nan && p->score != q->score)
    return p->score < q->score ? 1 : -1;
  return (p->at > q->at) - (p->at < q->at);
}

/* Indices of the points that stay, at most MOST, best first, into KEPT (room for n); -1 after a failure. SCORES NULL: as
 * listed. */
static int64_t thin(const char *op, const double *p, int64_t n, int64_t d, double r, metric m, const double *scores,
                    int64_t most, int64_t *kept)
{
  grid g;
  int64_t found = -1, other;
  scored *order = NULL;
  if (grid_begin(&g, op, p, n, d, r, m) && (order = hed__buffer_new((size_t)n * sizeof *order, op))) {
    found = 0;
    for (int64_t k = 0; k < n; k++)
      order[k] = (scored){ scores ? scores[k] : 0, k };
    qsort(order, (size_t)n, sizeof *order, better_first);
    for (int64_t k = 0; k < n && found < most; k++)
      if (grid_near(&g, order[k].at, 1, &other) == 0) {
        grid_insert(&g, order[k].at);
        kept[found++] = order[k].at;
      }
  }
  hed__buffer_free(order);
  grid_free(&g);
  return found;
}

hed_array *HED_BODY(filter_points_indices)(const hed_array *points, double min_distance, const hed_array *scores)
{
  const char *op = "filter_points_indices";
  if (!hed__given(points, op, "points"))
    return NULL;
  if (!(min_distance >= 0) || isinf(min_distance)) {
    hed_fail(HED_E_INVAL, "%s: min_distance is %g; a finite number from 0 on is needed", op, min_distance);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_FILTER_POINTS_INDICES, scores ? 2 : 1, (const hed_array *const[]){ points, scores }) !=
      HED_OK)
    return NULL;
  int64_t n, d;
  hed_array *out = NULL;
  double *p = hed__host_points(op, c.ex.in[0], &n, &d), *s = NULL;
  if (p && (!scores || (s = hed__host_list(op, "scores", c.ex.in[1], n)))) {
    int64_t *kept = hed__buffer_new((size_t)n * sizeof *kept, op), found = -1;
    if (kept)
      found = thin(op, p, n, d, min_distance, CLOSER, s, n, kept);
    if (found >= 0)
      out = hed_from_host(kept, HED_SHAPE(found), HED_INT64);
    hed__buffer_free(kept);
  }
  hed__buffer_free(p);
  hed__buffer_free(s);
  return composed_end(&c, out);
}

/* ---- clusters ---- */

/* Labels of all points of G, where all are inserted; WORK has room for 2 n. */
static void label_clusters(const grid *g, int64_t min_points, int64_t *label, int64_t *work)
{
  int64_t *near_list = work, *stack = work + g->n, clusters = 0;
  for (int64_t i = 0; i < g->n; i++)
    label[i] = -1;
  for (int64_t i = 0; i < g->n; i++) {
    if (label[i] >= 0 || grid_near(g, i, g->n, near_list) < min_points)
      continue;
    int64_t depth = 0;
    label[i] = clusters;
    stack[depth++] = i;
    while (depth > 0) {
      int64_t m = grid_near(g, stack[--depth], g->n, near_list);
      for (int64_t k = 0; k < m && m >= min_points; k++)
        if (label[near_list[k]] < 0) {
          label[near_list[k]] = clusters;
          stack[depth++] = near_list[k];
        }
    }
    clusters++;
  }
}

hed_array *HED_BODY(dbscan)(const hed_array *points, double eps, int64_t min_points)
{
  const char *op = "dbscan";
  if (!hed__given(points, op, "points"))
    return NULL;
  if (!(eps > 0) || isinf(eps) || min_points < 1) {
    hed_fail(HED_E_INVAL, "%s: eps is %g and min_points %lld; a finite number above 0 and at least 1 are needed", op, eps,
             (long long)min_points);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_DBSCAN, 1, &points) != HED_OK)
    return NULL;
  int64_t n, d;
  grid g = { .n = 0 };
  hed_array *out = NULL;
  double *p = hed__host_points(op, c.ex.in[0], &n, &d);
  if (p && grid_begin(&g, op, p, n, d, eps, WITHIN)) {
    int64_t *work = hed__buffer_zeroed((size_t)n * 3, sizeof *work, op);
    if (work) {
      for (int64_t i = n; i-- > 0;)
        grid_insert(&g, i);
      label_clusters(&g, min_points, work, work + n);
      out = hed_from_host(work, HED_SHAPE(n), HED_INT64);
    }
    hed__buffer_free(work);
  }
  grid_free(&g);
  hed__buffer_free(p);
  return composed_end(&c, out);
}

/* ---- local maxima of images ---- */

/* Coordinates of maxima in C order, (m, ndim), above the threshold and off the border. */
static hed_array *candidates(const hed_array *x, const hed_peak_local_max_options *opt, int64_t distance)
{
  hed_array *top = hed_equal(x, hed_maximum_filter(x, 2 * distance + 1, -INFINITY));
  hed_array *above = opt->use_threshold ? hed_greater(x, hed_scalar(opt->threshold)) : hed_greater(x, hed_min(x, NULL));
  hed_array *mask = hed_logical_and(top, above);
  hed_shape s = hed__shape_of(x);
  if (opt->border > 0 && s.ndim > 0) {
    hed_shape inner = s, side = s;
    for (int k = 0; k < s.ndim; k++) {
      int64_t b = opt->border < (s.dim[k] + 1) / 2 ? opt->border : (s.dim[k] + 1) / 2;
      side.dim[k] = b;
      inner.dim[k] = s.dim[k] > 2 * b ? s.dim[k] - 2 * b : 0;
      if (inner.dim[k] == 0)
        return hed_empty(HED_SHAPE(0, s.ndim), HED_INT64);
    }
    mask = hed_logical_and(mask, hed_pad(hed_ones(inner, HED_BOOL), side, side, 0));
  }
  return hed_nonzero(mask);
}

hed_array *HED_BODY(peak_local_max)(const hed_array *x, const hed_peak_local_max_options *opt)
{
  static const hed_peak_local_max_options defaults;
  const char *op = "peak_local_max";
  if (!hed__given(x, op, "x") || hed__check_domain(op, "bif", "x", x->view.dtype) != HED_OK)
    return NULL;
  if (!opt)
    opt = &defaults;
  if (opt->min_distance < 0 || opt->min_distance > INT32_MAX || opt->border < 0 || opt->num_peaks < 0) {
    hed_fail(HED_E_INVAL, "%s: min_distance is %lld, border %lld, num_peaks %lld; none may be negative", op,
             (long long)opt->min_distance, (long long)opt->border, (long long)opt->num_peaks);
    return NULL;
  }
  int64_t distance = opt->min_distance ? opt->min_distance : 1, d = x->view.ndim;
  composed c;
  if (composed_begin(&c, HED_OP_PEAK_LOCAL_MAX, 1, &x) != HED_OK)
    return NULL;
  if (hed__view_size(&x->view) == 0 || d == 0)
    return composed_end(&c, hed_empty(HED_SHAPE(0, d), HED_INT64));
  hed_array *list = candidates(c.ex.in[0], opt, distance), *out = NULL;
  hed_array *values = list ? hed_gather_nd(c.ex.in[0], list) : NULL;
  if (values) {
    int64_t n = list->view.dim[0];
    double *p = hed__read_host(op, list, HED_ID_FLOAT64), *s = p ? hed__read_host(op, values, HED_ID_FLOAT64) : NULL;
    int64_t *kept = s ? hed__buffer_new((size_t)n * sizeof *kept, op) : NULL;
    int64_t found = kept ? thin(op, p, n, d, (double)distance, IN_BOX, s, opt->num_peaks ? opt->num_peaks : n, kept) : -1;
    if (found >= 0)
      out = hed_take(list, hed_from_host(kept, HED_SHAPE(found), HED_INT64), 0);
    hed__buffer_free(p);
    hed__buffer_free(s);
    hed__buffer_free(kept);
  }
  return composed_end(&c, out);
}
