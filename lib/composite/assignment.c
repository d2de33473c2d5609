// SPDX-License-Identifier: BSD-3-Clause
/* linear_sum_assignment: shortest augmenting paths on the host. L3.
 *
 * R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems, Computing
 * 38 (1987), in the form for rectangular matrices of D. F. Crouse, On implementing 2D rectangular assignment algorithms,
 * IEEE Trans. Aerosp. Electron. Syst. 52 (2016). Rows enter one by one; each takes the shortest path, in reduced costs, to a
 * column that is free. A matrix with more rows than columns is transposed.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "composite/host_values.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

typedef struct problem {
  int64_t rows, columns;            /* rows <= columns */
  const double *cost;
  int64_t row_step, column_step;
  double *u, *v, *shortest;         /* dual variables; path lengths to columns */
  int64_t *column_of, *row_of;      /* the assignment, -1 = free */
  int64_t *from, *left;             /* row before a column on its path; columns not yet reached */
  bool *row_seen, *column_seen;
} problem;

/* The free column that is nearest to row START; *LENGTH is how far it is. */
static int64_t nearest_free(problem *p, int64_t start, double *length)
{
  const double *const v = p->v;
  const int64_t *const row_of = p->row_of;
  const int64_t step = p->column_step;
  double *const shortest = p->shortest;
  int64_t *const from = p->from, *const left = p->left;
  double so_far = 0;
  int64_t n_left = p->columns, i = start;
  for (int64_t j = 0; j < p->columns; j++) {
    left[j] = j;
    shortest[j] = INFINITY;
    p->column_seen[j] = false;
  }
  for (int64_t k = 0; k < p->rows; k++)
    p->row_seen[k] = false;
  for (;;) {
    const double *const cost = p->cost + i * p->row_step;
    const double u = p->u[i];
    int64_t best = 0;
    double least = INFINITY;
    p->row_seen[i] = true;
    for (int64_t k = 0; k < n_left; k++) {
      const int64_t j = left[k];
      const double d = so_far + cost[j * step] - u - v[j];
      double nearest = shortest[j];
      if (d < nearest) {
        from[j] = i;
        shortest[j] = nearest = d;
      }
      if (nearest < least || (nearest == least && row_of[j] < 0)) {
        least = nearest;
        best = k;
      }
    }
    const int64_t j = left[best];
    *length = so_far = least;
    p->column_seen[j] = true;
    left[best] = left[--n_left];
    if (row_of[j] < 0)
      return j;
    i = row_of[j];
  }
}

static void assign_row(problem *p, int64_t start)
{
  double length;
  int64_t j = nearest_free(p, start, &length), i;
  p->u[start] += length;
  for (int64_t k = 0; k < p->rows; k++)
    if (p->row_seen[k] && k != start)
      p->u[k] += length - p->shortest[p->column_of[k]];
  for (int64_t k = 0; k < p->columns; k++)
    if (p->column_seen[k])
      p->v[k] -= length - p->shortest[k];
  do { /* along the path each row takes the column it was left by */
    i = p->from[j];
    p->row_of[j] = i;
    int64_t before = p->column_of[i];
    p->column_of[i] = j;
    j = before;
  } while (i != start);
}

static bool solve(problem *p)
{
  int64_t r = p->rows, c = p->columns;
  p->u = hed__buffer_zeroed((size_t)(r + 2 * c), sizeof *p->u, "linear_sum_assignment");
  p->column_of = p->u ? hed__buffer_zeroed((size_t)(r + 3 * c), sizeof *p->column_of, "linear_sum_assignment") : NULL;
  p->row_seen = p->column_of ? hed__buffer_zeroed((size_t)(r + c), sizeof *p->row_seen, "linear_sum_assignment") : NULL;
  if (!p->row_seen)
    return false;
  p->v = p->u + r;
  p->shortest = p->v + c;
  p->row_of = p->column_of + r;
  p->from = p->row_of + c;
  p->left = p->from + c;
  p->column_seen = p->row_seen + r;
  for (int64_t k = 0; k < r + c; k++)
    p->column_of[k] = -1; /* row_of follows */
  for (int64_t i = 0; i < r; i++)
    assign_row(p, i);
  return true;
}

hed_status HED_BODY(linear_sum_assignment)(const hed_array *cost, bool maximize, hed_array **rows, hed_array **columns)
{
  const char *op = "linear_sum_assignment";
  hed_array **const to[2] = { rows, columns };
  for (int k = 0; k < 2; k++)
    if (to[k])
      *to[k] = NULL;
  if (!hed__given(cost, op, "cost") || hed__check_domain(op, "bif", "cost", cost->view.dtype) != HED_OK)
    return hed_error();
  hed_shape s = hed__shape_of(cost);
  if (s.ndim != 2)
    return hed_fail(HED_E_SHAPE, "%s: cost has shape %s; two axes are needed", op, HED__TEXT(&s));
  composed c;
  hed_status status = composed_begin(&c, HED_OP_LINEAR_SUM_ASSIGNMENT, 1, &cost);
  if (status != HED_OK)
    return status;
  bool tall = s.dim[0] > s.dim[1];
  hed_array *results[2] = { NULL, NULL };
  double *values = hed__read_host(op, c.ex.in[0], HED_ID_FLOAT64);
  problem p = { .rows = tall ? s.dim[1] : s.dim[0], .columns = tall ? s.dim[0] : s.dim[1], .cost = values,
                .row_step = tall ? 1 : s.dim[1], .column_step = tall ? s.dim[1] : 1 };
  bool good = values != NULL;
  for (int64_t k = 0; good && k < s.dim[0] * s.dim[1]; k++) {
    if (!isfinite(values[k])) {
      hed_fail(HED_E_INVAL, "%s: cost[%lld, %lld] is %g; finite numbers are needed", op, (long long)(k / s.dim[1]),
               (long long)(k % s.dim[1]), values[k]);
      good = false;
    } else if (maximize) {
      values[k] = -values[k];
    }
  }
  if (good && solve(&p)) {
    int64_t *pairs = hed__buffer_new((size_t)p.rows * 2 * sizeof *pairs, op), n = 0;
    for (int64_t k = 0; pairs && k < s.dim[0]; k++) { /* by ascending row of the matrix as it was given */
      int64_t other = tall ? p.row_of[k] : p.column_of[k];
      if (other >= 0) {
        pairs[n] = k;
        pairs[p.rows + n++] = other;
      }
    }
    for (int k = 0; k < 2 && pairs; k++)
      results[k] = hed_from_host(pairs + k * p.rows, HED_SHAPE(p.rows), HED_INT64);
    hed__buffer_free(pairs);
  }
  hed__buffer_free(values);
  hed__buffer_free(p.u);
  hed__buffer_free(p.column_of);
  hed__buffer_free(p.row_seen);
  return composed_end_all(&c, 2, results, to);
}
