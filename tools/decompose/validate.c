// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle decompose` says for and against a decomposition: halves, jack-knife, components, slices.
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

/* Scores are shares; leverages add up to the rank. */
static hed_array *leverage_of(const hed_array *factor)
{
  const hed_shape s = hed_array_shape(factor);
  hed_array *scores = hed_leverage_scores(factor);
  return scores ? hed_multiply_scalar(scores, (double)(s.dim[0] < s.dim[1] ? s.dim[0] : s.dim[1])) : NULL;
}

static hed_status look_at(decompose_job *j, const hed_array *known)
{
  decompose_checks *c = &j->checks;
  hed_status status = hed_cp_explained(&j->cp, j->x, known, c->alone, c->unique);
  if (status == HED_OK)
    status = keep(&c->congruence, hed_cp_congruence_table(&j->cp, &j->cp));
  for (int k = 0; k < j->cp.order && status == HED_OK; k++) {
    status = keep(&c->leverage[k], leverage_of(j->cp.factor[k]));
    if (status == HED_OK)
      status = keep(&c->residuals[k], hed_cp_residuals(&j->cp, j->x, known, k));
  }
  return status;
}

static hed_array *fit_of(const decompose_job *j)
{
  return j->kind == KIND_TUCKER ? hed_tucker_full(&j->tucker) : j->kind == KIND_TT ? hed_tt_full(&j->tt) : j->low;
}

/* The squares of what X has beyond the fit, where it is known, by the slices of mode K. */
static hed_array *squares_by(const hed_array *squares, int order, int k)
{
  hed_reduce rest = { 0 };
  for (int i = 0; i < order; i++)
    if (i != k)
      rest.axes.axis[rest.axes.n++] = i;
  return squares ? hed_sum(squares, &rest) : NULL;
}

static hed_array *squares_of(const hed_array *x, const hed_array *fit, const hed_array *known)
{
  hed_array *off = fit ? hed_subtract(x, fit) : NULL;
  if (off && known)
    off = hed_where(known, off, hed_zeros_like(off));
  return off ? hed_square(hed_abs(off)) : NULL;
}

/* OUT += X. */
static hed_status add_up(double *out, const hed_array *x)
{
  double *v = x ? decompose_numbers(x) : NULL;
  for (int64_t i = 0; v && i < hed_array_size(x); i++)
    out[i] += v[i];
  free(v);
  return v ? HED_OK : hed_error() != HED_OK ? hed_error() : hed_fail(HED_E_NOMEM, "no memory for residuals");
}

/* Of matrices, whose rows are a mode where all have as many. */
static hed_status look_at_slices(decompose_job *j)
{
  const int64_t n[3] = { decompose_extent(j, 0), decompose_extent(j, 1), decompose_extent(j, 2) };
  double *sum[3] = { NULL };
  hed_status status = HED_OK;
  for (int k = 0; k < 3 && status == HED_OK; k++)
    if (n[k] > 0 && !(sum[k] = calloc((size_t)n[k], sizeof **sum)))
      status = hed_fail(HED_E_NOMEM, "no memory for %lld residuals", (long long)n[k]);
  for (int32_t i = 0; i < j->n_slices && status == HED_OK; i++)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *known = j->missing_nan ? hed_logical_not(hed_isnan(j->slice[i])) : NULL;
      hed_array *squares = squares_of(j->slice[i], hed_parafac2_slice(&j->parafac2, i), known);
      status = squares ? add_up(sum[0] + i, hed_sum(squares, NULL)) : hed_error();
      for (int k = 1; k < 3 && status == HED_OK; k++)
        if (sum[k])
          status = add_up(sum[k], squares_by(squares, 2, k - 1));
    }
  HED_SCOPE_OR(status = hed_error()) {
    for (int k = 0; k < 3 && status == HED_OK; k++)
      if (sum[k])
        status = keep(&j->checks.residuals[k], hed_from_doubles(sum[k], HED_SHAPE(n[k]), HED_FLOAT64));
  }
  for (int k = 0; k < 3; k++)
    free(sum[k]);
  return status;
}

/* Leverages of factors and residuals of slices, of other decompositions than CP. */
static hed_status look_at_other(decompose_job *j, const hed_array *known)
{
  const int order = decompose_order(j);
  hed_status status = HED_OK;
  for (int k = 0; k < order && status == HED_OK; k++)
    if (decompose_factor(j, k))
      status = keep(&j->checks.leverage[k], leverage_of(decompose_factor(j, k)));
  if (j->kind == KIND_PARAFAC2)
    return status == HED_OK ? look_at_slices(j) : status;
  hed_array *squares = status == HED_OK ? squares_of(j->x, fit_of(j), known) : NULL;
  for (int k = 0; k < order && status == HED_OK; k++)
    status = keep(&j->checks.residuals[k], squares_by(squares, order, k));
  return status;
}

hed_status decompose_check(decompose_job *j)
{
  decompose_checks *c = &j->checks;
  hed_status status = HED_OK;
  if (!j->diagnose && j->split_axis < 0 && j->knife_axis < 0)
    return HED_OK;
  if (j->kind != KIND_CP) {
    HED_SCOPE_OR(return hed_error()) {
      const bool gaps = j->kind != KIND_PARAFAC2 && (j->mask || j->missing_nan); /* its slices have their own */
      hed_array *known = gaps ? decompose_known(j) : NULL;
      status = known || !gaps ? look_at_other(j, known) : hed_error();
    }
    return status;
  }
  const hed_cp_options o = decompose_cp_options(j);
  const size_t rank = (size_t)j->cp.rank;
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
  if (c->alone && j->diagnose) {
    emit_array(e, "components");
    for (int64_t r = 0; r < j->cp.rank; r++) {
      emit_object(e, NULL);
      emit_number(e, "alone", c->alone[r]);
      emit_number(e, "unique", c->unique[r]);
      emit_object_end(e);
    }
    emit_array_end(e);
    decompose_emit_numbers(e, "congruence", c->congruence);
  }
  if (j->diagnose) {
    decompose_emit_modes(e, "leverage", c->leverage, decompose_order(j));
    decompose_emit_modes(e, "residuals", c->residuals, decompose_order(j));
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
  const int64_t n = x ? hed_array_size(x) : 0;
  double *v = x ? decompose_numbers(x) : NULL;
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
  if (c->alone && j->diagnose) {
    double *v = decompose_numbers(c->congruence);
    printf("component  alone     unique    congruence\n");
    for (int64_t r = 0; v && r < j->cp.rank; r++) { /* with the one that is most like it */
      double most = 0;
      for (int64_t s = 0; s < j->cp.rank; s++)
        most = s != r && fabs(v[r * j->cp.rank + s]) > fabs(most) ? v[r * j->cp.rank + s] : most;
      printf("%9lld  %-8.4f  %-8.4f  %10.4f\n", (long long)r + 1, c->alone[r], c->unique[r], most);
    }
    free(v);
  }
  for (int k = 0; j->diagnose && k < decompose_order(j); k++) {
    print_largest("leverage", c->leverage[k], k);
    print_largest("residual", c->residuals[k], k);
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
