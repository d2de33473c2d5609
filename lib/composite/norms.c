// SPDX-License-Identifier: BSD-3-Clause
/* Norms of matrices, and the norm of flattened arrays. L3.
 *
 * Norms by rows and columns are sums of absolute values and their extreme; the spectral and the nuclear norm come from
 * the singular values; Frobenius is the vector norm of both axes, with its care for large and small numbers.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

hed_array *HED_BODY(norm)(const hed_array *x, double order, const hed_reduce *opt)
{
  if (!hed__named(x, "norm", "x"))
    return NULL;
  if (!(order > 0)) {
    hed_fail(HED_E_INVAL, "norm: order %g, positive ones and infinity are possible", order);
    return NULL;
  }
  return hed_vector_norm(x, order, opt);
}

static hed_array *by_lines(const hed_array *x, int summed, bool most)
{
  hed_array *sums = hed_vector_norm(x, 1, &(hed_reduce){ .axes = HED_AXES(summed), .keepdims = true });
  hed_reduce other = { .axes = HED_AXES(summed == -1 ? -2 : -1), .keepdims = true };
  return most ? hed_max(sums, &other) : hed_min(sums, &other);
}

static hed_array *by_singular_values(const hed_array *x, hed_matrix_norm_kind kind)
{
  hed_array *s = NULL;
  hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  if (hed_svd(x, false, NULL, &s, NULL) != HED_OK)
    return NULL;
  s = kind == HED_NORM_NUCLEAR ? hed_sum(s, &last) : kind == HED_NORM_TWO ? hed_max(s, &last) : hed_min(s, &last);
  return hed_expand_dims(s, -1);
}

hed_array *HED_BODY(matrix_norm)(const hed_array *x, hed_matrix_norm_kind kind, const hed_axes *axes, bool keepdims)
{
  static const char *const name = "matrix_norm", *const arg = "x";
  hed_axes two = HED_AXES(-2, -1);
  composed w;
  uint32_t mask;
  if (!hed__given(x, name, "x"))
    return NULL;
  if (axes && axes->n)
    two = *axes;
  if (two.n != 2 || x->view.ndim < 2) {
    hed_fail(HED_E_SHAPE, "%s: %d axes of an array with %d, a matrix has 2", name, (int)two.n, (int)x->view.ndim);
    return NULL;
  }
  if (kind < HED_NORM_FROBENIUS || kind > HED_NORM_MINUS_INF) {
    hed_fail(HED_E_INVAL, "%s: kind %d, 0 to %d are known", name, (int)kind, (int)HED_NORM_MINUS_INF);
    return NULL;
  }
  if (hed__check_axes(name, &two, x->view.ndim, &mask) != HED_OK)
    return NULL;
  int row = hed__axis(two.axis[0], x->view.ndim), column = hed__axis(two.axis[1], x->view.ndim);
  if (kind > HED_NORM_NUCLEAR && (x->view.dim[row] == 0 || x->view.dim[column] == 0)) {
    hed_fail(HED_E_SHAPE, "%s: a matrix of %lld rows and %lld columns has no such norm", name, (long long)x->view.dim[row],
             (long long)x->view.dim[column]);
    return NULL;
  }
  int compute = hed__infer_operands(HED_OP_MATRIX_NORM, 1, &x, &arg);
  if (compute < 0 || composed_begin(&w, HED_OP_MATRIX_NORM, 1, &x) != HED_OK)
    return NULL;
  hed_array *y = hed_astype(w.ex.in[0], hed__dtypes[compute]), *r = NULL;
  if (kind == HED_NORM_FROBENIUS)
    return composed_end(&w, hed_vector_norm(y, 2, &(hed_reduce){ .axes = two, .keepdims = keepdims }));
  /* the matrix to the last two axes, and the result's axes of extent 1 back */
  hed_axes order = { 0, { 0 } }, back = { x->view.ndim, { 0 } };
  for (int k = 0; k < x->view.ndim; k++)
    if (k != row && k != column)
      order.axis[order.n++] = k;
  order.axis[order.n++] = row;
  order.axis[order.n++] = column;
  for (int k = 0; k < order.n; k++)
    back.axis[order.axis[k]] = k;
  y = hed_transpose(y, &order);
  switch (kind) {
  case HED_NORM_ONE:
  case HED_NORM_MINUS_ONE: r = by_lines(y, -2, kind == HED_NORM_ONE); break;
  case HED_NORM_INF:
  case HED_NORM_MINUS_INF: r = by_lines(y, -1, kind == HED_NORM_INF); break;
  default: r = by_singular_values(y, kind);
  }
  r = keepdims ? hed_transpose(r, &back) : hed_squeeze(r, &HED_AXES(-2, -1));
  return composed_end(&w, r);
}
