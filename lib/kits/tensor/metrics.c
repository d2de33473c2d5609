// SPDX-License-Identifier: BSD-3-Clause
/* See tensor_metrics.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/member.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/solve/solve.h"
#include <heddle/kits/tensor_metrics.h>
#include <math.h>
#include <stdlib.h>

static hed_array *wide(const hed_array *x)
{
  return x ? hed_astype(x, hed__tensor_wide(hed_array_dtype(x))) : NULL;
}

static hed_status number(const hed_array *x, double *out) { return x ? hed_item(x, out) : hed_error(); }

static hed_status same_shape(const char *op, const char *a_name, const hed_array *a, const char *b_name, const hed_array *b)
{
  char one[160], other[160];
  if (!a || !b)
    return hed__tensor_missing(op, "%s", a ? b_name : a_name);
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  return hed__same_shape(s, t) ? HED_OK
                                      : hed_fail(HED_E_SHAPE, "%s: %s has shape %s, %s %s", op, a_name, hed__shape_words(s, one),
                                                 b_name, hed__shape_words(t, other));
}

/* ---- predictions ---- */

static double over(double a, double b) { return b > 0 ? a / b : 0; }

hed_status hed_compare_predictions(const hed_array *truth, const hed_array *prediction, hed_prediction_errors *out)
{
  static const char op[] = "hed_compare_predictions";
  double tt = 0, pp = 0, tp = 0, dd = 0, mean_t = 0, mean_p = 0;
  hed_status status = same_shape(op, "truth", truth, "prediction", prediction);
  if (status == HED_OK && (!out || hed_array_size(truth) == 0))
    status = hed_fail(HED_E_INVAL, "%s: %s", op, out ? "no elements" : "out is NULL");
  if (status != HED_OK)
    return status;
  if (hed_dtype_kind(hed_array_dtype(truth)) == HED_KIND_COMPLEX || hed_dtype_kind(hed_array_dtype(prediction)) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "%s: truth is %s, prediction %s; real numbers are expected", op,
                    hed_dtype_name(hed_array_dtype(truth)),
                    hed_dtype_name(hed_array_dtype(prediction)));
  HED_SCOPE_OR(return hed_error()) {
    hed_array *t = wide(truth), *p = wide(prediction), *d = t && p ? hed_subtract(t, p) : NULL;
    status = d ? number(hed_mean(t, NULL), &mean_t) : hed_error();
    if (status == HED_OK)
      status = number(hed_mean(p, NULL), &mean_p);
    hed_array *ct = hed_subtract_scalar(t, mean_t), *cp = hed_subtract_scalar(p, mean_p);
    double ctt = 0, cpp = 0, ctp = 0;
    const struct {
      const hed_array *a, *b;
      double *to;
    } sums[] = { { t, t, &tt }, { p, p, &pp }, { t, p, &tp }, { d, d, &dd }, { ct, ct, &ctt }, { cp, cp, &cpp }, { ct, cp, &ctp } };
    for (size_t i = 0; status == HED_OK && i < sizeof sums / sizeof sums[0]; i++)
      status = hed__real_dot(sums[i].a, sums[i].b, sums[i].to);
    if (status != HED_OK)
      return status;
    const double n = (double)hed_array_size(truth);
    *out = (hed_prediction_errors){ .mse = dd / n, .rmse = sqrt(dd / n), .r2 = ctt > 0 ? 1 - dd / ctt : dd == 0,
                                    .r2_origin = tt > 0 ? 1 - dd / tt : dd == 0, .covariance = ctp / n,
                                    .correlation = over(ctp, sqrt(ctt * cpp)), .reflective_correlation = over(tp, sqrt(tt * pp)) };
  }
  return status;
}

/* ---- factors ---- */

/* Cosines of the columns of A with those of B, (r, s). */
static hed_array *cosines(const hed_array *a, const hed_array *b)
{
  hed_array *x = wide(a), *y = wide(b);
  x = x ? hed_normalize_vector(x, &HED_AXES(0)) : NULL;
  y = y ? hed_normalize_vector(y, &HED_AXES(0)) : NULL;
  return x && y ? hed_matmul(hed__tensor_conj(hed_matrix_transpose(x)), y) : NULL;
}

static hed_status matrices(const char *op, const hed_array *a, const hed_array *b)
{
  char text[160];
  const hed_status status = same_shape(op, "a", a, "b", b);
  const hed_shape s = hed_array_shape(a);
  if (status == HED_OK && (s.ndim != 2 || s.dim[0] < 1 || s.dim[1] < 1))
    return hed_fail(HED_E_SHAPE, "%s: a has shape %s; a matrix is expected", op, hed__shape_words(s, text));
  return status;
}

hed_status hed_congruence(const hed_array *a, const hed_array *b, bool with_sign, double *out, int64_t *permutation)
{
  static const char op[] = "hed_congruence";
  hed_status status = matrices(op, a, b);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *c = cosines(a, b), *rows = NULL, *columns = NULL;
    c = c ? with_sign ? hed_real(c) : hed_abs(c) : NULL;
    status = c ? hed_linear_sum_assignment(c, true, &rows, &columns) : hed_error();
    if (status == HED_OK)
      status = number(hed_mean(HED_GET(c, HED_IDX(rows), HED_IDX(columns)), NULL), out);
    if (status == HED_OK && permutation)
      status = hed_to_host(columns, permutation, hed_array_nbytes(columns));
  }
  return status;
}

/* Of one pair: distance of the largest |cos| of each column from 1. */
static hed_status index_of(const hed_array *a, const hed_array *b, double *out)
{
  double rows = 0, columns = 0;
  hed_array *c = cosines(a, b);
  c = c ? hed_minimum_scalar(hed_abs(c), 1) : NULL;
  hed_status status = c ? number(hed_mean(hed_max(c, &(hed_reduce){ .axes = HED_AXES(1) }), NULL), &rows) : hed_error();
  if (status == HED_OK)
    status = number(hed_mean(hed_max(c, &(hed_reduce){ .axes = HED_AXES(0) }), NULL), &columns);
  *out = 1 - (rows + columns) / 2;
  return status;
}

hed_status hed_correlation_index(int n, const hed_array *const *a, const hed_array *const *b, hed_index_method method, double *out)
{
  static const char op[] = "hed_correlation_index";
  if (n < 1 || n > HED_MAX_NDIM || !a || !b || !out)
    return hed_fail(HED_E_INVAL, "%s: %d matrices, 1 to %d are possible%s", op, n, HED_MAX_NDIM,
                    a && b && out ? "" : "; a list or out is NULL");
  hed_status status = hed__expect_member(op, "method", (int)method, HED_INDEX_STACKED, HED_INDEX_MEAN, "hed_index_method");
  for (int i = 0; status == HED_OK && i < n; i++) {
    status = matrices(op, a[i], b[i]);
    if (status == HED_OK && hed_array_shape(a[i]).dim[1] != hed_array_shape(a[0]).dim[1])
      status = hed_fail(HED_E_SHAPE, "%s: matrix %d has %lld columns, matrix 0 %lld", op, i, (long long)hed_array_shape(a[i]).dim[1],
                        (long long)hed_array_shape(a[0]).dim[1]);
  }
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    if (method == HED_INDEX_STACKED)
      return index_of(hed_concatenate(n, a, 0), hed_concatenate(n, b, 0), out);
    double most = 0, least = 1, sum = 0, one = 0;
    for (int i = 0; status == HED_OK && i < n; i++) {
      status = index_of(a[i], b[i], &one);
      most = fmax(most, one);
      least = fmin(least, one);
      sum += one;
    }
    *out = method == HED_INDEX_MAX ? most : method == HED_INDEX_MIN ? least : sum / n;
  }
  return status;
}

/* Norm of each component, (rank). */
static hed_array *sizes(const hed_cp *c)
{
  hed_array *all = c->weights ? hed_abs(wide(c->weights)) : NULL;
  for (int k = 0; k < c->order; k++) {
    hed_array *one = hed_vector_norm(wide(c->factor[k]), 2, &(hed_reduce){ .axes = HED_AXES(0) });
    all = k || c->weights ? hed_multiply(all, one) : one;
  }
  return all;
}

hed_status hed_factor_match(const hed_cp *a, const hed_cp *b, bool with_norms, double *out)
{
  static const char op[] = "hed_factor_match";
  char one[160], other[160];
  hed_status status = hed_cp_check(a);
  if (status == HED_OK)
    status = hed_cp_check(b);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_cp_shape(a), t = hed_cp_shape(b);
  if (!hed__same_shape(s, t))
    return hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s", op, hed__shape_words(s, one), hed__shape_words(t, other));
  HED_SCOPE_OR(return hed_error()) {
    hed_array *c = NULL, *rows = NULL, *columns = NULL;
    for (int k = 0; k < a->order; k++) {
      hed_array *cos = cosines(a->factor[k], b->factor[k]);
      cos = cos ? hed_abs(cos) : NULL;
      c = k ? hed_multiply(c, cos) : cos;
    }
    if (with_norms && c) {
      hed_array *v = hed_expand_dims(sizes(a), 1), *w = hed_expand_dims(sizes(b), 0);
      hed_array *larger = hed_maximum(v, w), *apart = hed_abs(hed_subtract(v, w));
      c = hed_multiply(c, hed_scalar_subtract(1, hed_divide_where(hed_greater_scalar(larger, 0), apart, larger, 0)));
    }
    status = c ? hed_linear_sum_assignment(c, true, &rows, &columns) : hed_error();
    if (status == HED_OK)
      status = number(hed_sum(HED_GET(c, HED_IDX(rows), HED_IDX(columns)), NULL), out);
    if (status == HED_OK)
      *out /= (double)(a->rank > b->rank ? a->rank : b->rank);
  }
  return status;
}

static const hed_multi_mode_options transposed = { .transpose = true };

/* Y (in the bases, like G) = what the known elements of the tensor with core G in the BASES give. */
static hed_array *seen_through(int n, const hed_array *const *bases, const hed_array *known, const hed_array *g)
{
  hed_array *full = hed_multi_mode_dot(g, n, bases, NULL);
  return full ? hed_multi_mode_dot(hed_where_scalar(known, full, 0), n, bases, &transposed) : NULL;
}

/* The core in orthonormal BASES of least squares over known elements: by conjugate gradients, which converge within few steps, as no
 * known element counts more than once; of what the elements say nothing it is 0. */
static hed_status known_core(int n, const hed_array *const *bases, const hed_array *known, const hed_array *x, hed_array **core)
{
  enum { STEPS = 500 };
  double first = 0, now = 0;
  hed_array *r = hed_multi_mode_dot(x, n, bases, &transposed), *p = r, *g = r ? hed_zeros_like(r) : NULL;
  hed_status status = g ? hed__tensor_squares("hed_core_consistency", "x", r, &first) : hed_error();
  const double enough = hed__tensor_epsilon(hed_array_dtype(x));
  now = first;
  for (int k = 0; k < STEPS && status == HED_OK && now > enough * enough * first; k++) {
    double curve[2] = { 0, 0 }, next = 0;
    hed_array *q = seen_through(n, bases, known, p);
    status = q ? hed__dot(p, q, curve) : hed_error();
    if (status != HED_OK || !(curve[0] > 0))
      break;
    g = hed_add(g, hed_multiply_scalar(p, now / curve[0]));
    r = hed_subtract(r, hed_multiply_scalar(q, now / curve[0]));
    status = g && r ? hed__tensor_squares("hed_core_consistency", "the rest", r, &next) : hed_error();
    p = status == HED_OK ? hed_add(r, hed_multiply_scalar(p, next / now)) : NULL;
    now = next;
  }
  *core = g;
  return status;
}

/* The core of least squares for the factors F: through inverses, with a mask through their orthonormal bases. */
static hed_status core_of(int n, hed_array *const *f, const hed_array *x, const hed_array *known, hed_array **core)
{
  hed_array *inverse[HED_MAX_NDIM] = { NULL }, *basis[HED_MAX_NDIM] = { NULL };
  for (int k = 0; k < n; k++)
    if (!(inverse[k] = f[k] ? hed_pinv(f[k], -1) : NULL))
      return hed_error();
  if (!known) {
    *core = hed_multi_mode_dot(x, n, (const hed_array *const *)inverse, NULL);
    return *core ? HED_OK : hed_error();
  }
  for (int k = 0; k < n; k++) {
    if (hed_qr(f[k], HED_QR_REDUCED, &basis[k], NULL) != HED_OK)
      return hed_error();
    inverse[k] = hed_matmul(inverse[k], basis[k]);
  }
  hed_array *inner = NULL;
  const hed_status status = known_core(n, (const hed_array *const *)basis, known, x, &inner);
  if (status != HED_OK)
    return status;
  *core = hed_multi_mode_dot(inner, n, (const hed_array *const *)inverse, NULL);
  return *core ? HED_OK : hed_error();
}

hed_status hed_core_consistency(const hed_array *x, const hed_array *mask, const hed_cp *c, double *out)
{
  static const char op[] = "hed_core_consistency";
  char one[160], other[160];
  double apart = 0;
  hed_status status = hed_cp_check(c);
  if (status == HED_OK && (!x || !out))
    status = x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_array_shape(x), t = hed_cp_shape(c);
  if (!hed__same_shape(s, t))
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, c %s", op, hed__shape_words(s, one), hed__shape_words(t, other));
  HED_SCOPE_OR(return hed_error()) {
    hed_array *f[HED_MAX_NDIM] = { NULL }, *core = NULL, *data = mask ? wide(x) : hed__tensor_same(x);
    hed_array *known = mask ? hed__tensor_mask(op, "x", x, mask, NULL) : NULL;
    hed_tucker ideal = { 0 };
    if (!data || (mask && !known))
      return hed_error();
    for (int k = 0; k < c->order; k++) {
      f[k] = k == 0 && c->weights ? hed_multiply(c->factor[k], c->weights) : hed__tensor_same(c->factor[k]);
      f[k] = mask && f[k] ? wide(f[k]) : f[k];
    }
    int e = 0; /* of the unit of the data, which the first factor has */
    data = known ? hed_where_scalar(known, data, 0) : data;
    status = data ? hed__tensor_exponent(op, "x", data, &e) : hed_error();
    f[0] = f[0] ? hed__tensor_scaled(f[0], -e) : NULL;
    data = status == HED_OK ? hed__tensor_scaled(data, -e) : NULL;
    if (status == HED_OK)
      status = data && f[0] ? core_of(c->order, f, data, known, &core) : hed_error();
    const hed_cp ones = { .order = c->order, .rank = c->rank }; /* its core is all that is taken */
    hed_cp unit = ones;
    for (int k = 0; k < c->order; k++)
      unit.factor[k] = c->factor[k];
    if (status == HED_OK)
      status = hed_cp_to_tucker(&unit, &ideal);
    if (status == HED_OK)
      status = hed__tensor_squares(op, "the core", hed_subtract(core, ideal.core), &apart);
    hed_tucker_clear(&ideal);
    *out = 100 * (1 - apart / (double)c->rank);
  }
  return status;
}

hed_array *hed_leverage_scores(const hed_array *a)
{
  char text[160];
  const hed_shape s = hed_array_shape(a);
  hed_array *out = NULL, *u = NULL, *v = NULL;
  if (!a || s.ndim != 2 || s.dim[0] < 1 || s.dim[1] < 1) {
    (void)(a ? hed_fail(HED_E_SHAPE, "hed_leverage_scores: a has shape %s", hed__shape_words(s, text))
             : hed__tensor_missing("hed_leverage_scores", "a"));
    return NULL;
  }
  HED_SCOPE {
    if (hed_svd(a, false, &u, &v, NULL) == HED_OK) {
      const double floor = hed__tensor_epsilon(hed_array_dtype(u)) * (double)(s.dim[0] > s.dim[1] ? s.dim[0] : s.dim[1]);
      hed_array *counts = hed_greater(v, hed_multiply_scalar(hed_max(v, NULL), floor));
      hed_array *score = hed_sum(hed_square(hed_abs(hed_multiply(u, counts))), &(hed_reduce){ .axes = HED_AXES(1) });
      hed_array *sum = hed_sum(score, NULL);
      out = hed_keep(sum ? hed_divide(score, hed_maximum_scalar(sum, 1)) : NULL);
    }
  }
  return hed__tensor_given(out);
}

/* ---- entropy and rank ---- */

hed_status hed_von_neumann_entropy(const hed_array *x, double *out)
{
  static const char op[] = "hed_von_neumann_entropy";
  char text[160];
  if (!x || !out)
    return x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  const hed_shape s = hed_array_shape(x);
  int64_t rows = 1, size = hed_array_size(x);
  for (int i = 0; i < s.ndim && rows * rows < size; i++)
    rows *= s.dim[i];
  if (size < 1 || rows * rows != size)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, whose first axes make no square matrix", op, hed__shape_words(s, text));
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *m = hed_reshape(wide(x), HED_SHAPE(rows, rows));
    m = hed_multiply_scalar(hed_add(m, hed__tensor_conj(hed_matrix_transpose(m))), 0.5);
    hed_array *p = hed_eigvalsh(m, false);
    hed_array *there = p ? hed_greater_scalar(p, hed__tensor_epsilon(hed_array_dtype(p))) : NULL;
    hed_array *bits = hed_log2(hed_where_scalar(there, p, 1));
    status = number(hed_sum(hed_multiply(hed_where_scalar(there, p, 0), bits), NULL), out);
    *out = status == HED_OK && *out != 0 ? -*out : 0;
  }
  return status;
}

hed_status hed_cp_von_neumann_entropy(const hed_cp *c, double *out)
{
  hed_array *full = NULL;
  HED_SCOPE
    full = hed_keep(hed_cp_full(c));
  const hed_status status = full ? hed_von_neumann_entropy(full, out) : hed_error();
  hed_release(full);
  return status;
}

hed_status hed_tt_von_neumann_entropy(const hed_tt *x, double *out)
{
  hed_array *full = NULL;
  HED_SCOPE
    full = hed_keep(hed_tt_full(x));
  const hed_status status = full ? hed_von_neumann_entropy(full, out) : hed_error();
  hed_release(full);
  return status;
}

/* n_1 r + n_2 r^2 + .. + n_d r = the number of elements. */
hed_status hed_tt_effective_rank(const hed_tt *x, double *out)
{
  hed_status status = hed_tt_check(x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_tt_effective_rank: out is NULL");
  if (status != HED_OK)
    return status;
  double all = 0, ends = 0, inner = 0;
  for (int k = 0; k < x->order; k++) {
    const hed_shape s = hed_array_shape(x->core[k]);
    const double n = (double)(s.ndim == 4 ? s.dim[1] * s.dim[2] : s.dim[1]);
    *(!hed_tt_is_ring(x) && (k == 0 || k + 1 == x->order) ? &ends : &inner) += n;
    all += (double)hed_array_size(x->core[k]);
  }
  *out = x->order == 1 && !hed_tt_is_ring(x) ? 1 : inner > 0 ? (sqrt(ends * ends + 4 * inner * all) - ends) / (2 * inner) : all / ends;
  return HED_OK;
}
