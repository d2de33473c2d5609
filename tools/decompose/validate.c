// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle decompose' says for and against a CP decomposition: halves, jack-knife, components, slices.
 *
 * Layer: L5.
 */
#include "job.h"
#include "tools/emit.h"
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_validate.h>
#include <math.h>
#include <stdlib.h>

hed_array *decompose_known(const decompose_job *j)
{
  hed_array *known = j->missing_nan ? hed_logical_not(hed_isnan(j->x)) : NULL;
  if (j->mask)
    known = j->missing_nan ? hed_logical_and(known, j->mask) : hed_not_equal_scalar(j->mask, 0);
  return known;
}

/* SLOT := X, kept; an error where it is NULL. */
static hed_status keep(hed_array **slot, hed_array *x)
{
  *slot = x ? hed_keep(x) : NULL;
  return x ? HED_OK : hed_error();
}

static hed_status look_at(decompose_job *j, const hed_array *known)
{
  decompose_checks *c = &j->checks;
  hed_status status = hed_cp_explained(&j->cp, j->x, known, c->alone, c->unique);
  if (status == HED_OK)
    status = keep(&c->congruence, hed_cp_congruence_table(&j->cp, &j->cp));
  for (int k = 0; k < j->cp.order && status == HED_OK; k++) { /* scores are shares; leverages add up to the rank */
    const int64_t rows = hed_array_shape(j->cp.factor[k]).dim[0], columns = rows < j->cp.rank ? rows : j->cp.rank;
    hed_array *scores = hed_leverage_scores(j->cp.factor[k]);
    status = keep(&c->leverage[k], scores ? hed_multiply_scalar(scores, (double)columns) : NULL);
    if (status == HED_OK)
      status = keep(&c->residuals[k], hed_cp_residuals(&j->cp, j->x, known, k));
  }
  return status;
}

hed_status decompose_check(decompose_job *j)
{
  const hed_cp_options o = decompose_cp_options(j);
  decompose_checks *c = &j->checks;
  hed_status status = HED_OK;
  const size_t rank = (size_t)j->cp.rank;
  if (!j->diagnose && j->split_axis < 0 && j->knife_axis < 0)
    return HED_OK;
  c->alone = calloc(3 * rank, sizeof *c->alone);
  if (!c->alone)
    return hed_fail(HED_E_NOMEM, "no memory for %zu components", rank);
  c->unique = c->alone + rank;
  c->halves = c->alone + 2 * rank;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *known = decompose_known(j);
    if (!known && (j->mask || j->missing_nan))
      return hed_error();
    if (j->diagnose)
      status = look_at(j, known);
  }
  if (status == HED_OK && j->split_axis >= 0)
    status = hed_cp_split_half(j->x, j->cp.rank, j->split_axis, &o, c->halves, NULL, NULL);
  if (status == HED_OK && j->knife_axis >= 0)
    status = hed_cp_jackknife(j->x, &j->cp, j->knife_axis, &o, c->knife);
  return status;
}

void decompose_checks_clear(decompose_checks *c)
{
  free(c->alone);
  hed_release(c->congruence);
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(c->leverage[k]);
    hed_release(c->residuals[k]);
    hed_release(c->knife[k]);
  }
}

/* ---- what is said ---- */

double *decompose_numbers(const hed_array *x)
{
  const int64_t n = hed_array_size(x);
  double *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);
  if (v && hed_tolist(x, v, n) != HED_OK) {
    free(v);
    v = NULL;
  }
  return v;
}

void decompose_emit_numbers(emit *e, const char *key, const hed_array *x)
{
  const hed_shape s = hed_array_shape(x);
  const int64_t n = hed_array_size(x), row = s.ndim == 2 ? s.dim[1] : 0;
  double *v = decompose_numbers(x);
  emit_array(e, key);
  for (int64_t i = 0; v && i < n; i++) {
    if (row && i % row == 0)
      emit_array(e, NULL);
    emit_number(e, NULL, v[i]);
    if (row && i % row == row - 1)
      emit_array_end(e);
  }
  emit_array_end(e);
  e->failed = e->failed || !v;
  free(v);
}

void decompose_emit_modes(emit *e, const char *key, hed_array *const *x, int n)
{
  emit_array(e, key);
  for (int k = 0; k < n; k++)
    if (x[k])
      decompose_emit_numbers(e, NULL, x[k]);
    else
      emit_string(e, NULL, NULL);
  emit_array_end(e);
}

void decompose_emit_checks(const decompose_job *j, emit *e)
{
  const decompose_checks *c = &j->checks;
  if (j->diagnose) {
    emit_array(e, "components");
    for (int64_t r = 0; r < j->cp.rank; r++) {
      emit_object(e, NULL);
      emit_number(e, "alone", c->alone[r]);
      emit_number(e, "unique", c->unique[r]);
      emit_object_end(e);
    }
    emit_array_end(e);
    decompose_emit_numbers(e, "congruence", c->congruence);
    decompose_emit_modes(e, "leverage", c->leverage, j->cp.order);
    decompose_emit_modes(e, "residuals", c->residuals, j->cp.order);
  }
  if (j->split_axis >= 0) {
    emit_array(e, "split_half");
    for (int64_t r = 0; r < j->cp.rank; r++)
      emit_number(e, NULL, c->halves[r]);
    emit_array_end(e);
  }
  if (j->knife_axis >= 0)
    decompose_emit_modes(e, "jackknife", c->knife, j->cp.order);
}

/* Which slice of axis K has the largest of X, and how large that is. */
static void print_largest(const char *what, const hed_array *x, int k)
{
  const int64_t n = hed_array_size(x);
  double *v = decompose_numbers(x);
  int64_t at = 0;
  for (int64_t i = 1; v && i < n; i++)
    at = v[i] > v[at] ? i : at;
  if (v)
    printf("axis %d: largest %s %.4g, of slice %lld\n", k, what, v[at], (long long)at);
  free(v);
}

/* The root of the mean square of each column of X. */
static void print_columns(const hed_array *x, int k)
{
  const hed_shape s = hed_array_shape(x);
  double *v = decompose_numbers(x);
  printf("axis %d: standard errors", k);
  for (int64_t r = 0; v && r < s.dim[1]; r++) {
    double sum = 0;
    for (int64_t i = 0; i < s.dim[0]; i++)
      sum += v[i * s.dim[1] + r] * v[i * s.dim[1] + r];
    printf(" %.4g", sqrt(sum / (double)s.dim[0]));
  }
  printf("\n");
  free(v);
}

void decompose_print_checks(const decompose_job *j)
{
  const decompose_checks *c = &j->checks;
  if (j->diagnose) {
    double *v = decompose_numbers(c->congruence);
    printf("component  alone     unique    congruence\n");
    for (int64_t r = 0; v && r < j->cp.rank; r++) { /* with the one that is most like it */
      double most = 0;
      for (int64_t s = 0; s < j->cp.rank; s++)
        most = s != r && fabs(v[r * j->cp.rank + s]) > fabs(most) ? v[r * j->cp.rank + s] : most;
      printf("%9lld  %-8.4f  %-8.4f  %10.4f\n", (long long)r + 1, c->alone[r], c->unique[r], most);
    }
    free(v);
    for (int k = 0; k < j->cp.order; k++) {
      print_largest("leverage", c->leverage[k], k);
      print_largest("residual", c->residuals[k], k);
    }
  }
  if (j->split_axis >= 0) {
    printf("halves of axis %d: congruence", j->split_axis);
    for (int64_t r = 0; r < j->cp.rank; r++)
      printf(" %.4f", c->halves[r]);
    printf("\n");
  }
  for (int k = 0; k < j->cp.order && j->knife_axis >= 0; k++)
    if (c->knife[k])
      print_columns(c->knife[k], k);
}
