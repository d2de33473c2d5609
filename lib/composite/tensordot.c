// SPDX-License-Identifier: BSD-3-Clause
/*
 * tensordot: axes paired, the rest kept in order, as one matrix product. L3.
 *
 * Without pairs (NULL or n = 0) the result is the outer product.
 */
#include "api/check.h"
#include "api/infer.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* Operand X as a matrix: free axes and paired ones (LAST: paired ones as columns), and the free extents. */
static hed_array *as_matrix(const hed_array *x, const hed_axes *axes, int pairs, bool last, hed_shape *free)
{
  hed_axes order = { 0, { 0 } };
  uint32_t paired = 0;
  int64_t rows = 1, sum = 1;
  free->ndim = 0;
  for (int k = 0; k < pairs; k++) {
    int at = hed__axis(axes->axis[k], x->view.ndim);
    paired |= 1u << at;
    sum *= x->view.dim[at];
  }
  for (int side = 0; side < 2; side++) {
    if ((side == 0) == last) {
      for (int k = 0; k < x->view.ndim; k++)
        if (!(paired >> k & 1u)) {
          order.axis[order.n++] = k;
          free->dim[free->ndim++] = x->view.dim[k];
          rows *= x->view.dim[k];
        }
    } else {
      for (int k = 0; k < pairs; k++)
        order.axis[order.n++] = hed__axis(axes->axis[k], x->view.ndim);
    }
  }
  hed_array *t = hed_transpose(x, &order), *m = NULL;
  if (t)
    m = hed_reshape(t, last ? HED_SHAPE(rows, sum) : HED_SHAPE(sum, rows));
  hed_release(t);
  return m;
}

hed_array *hed_tensordot(const hed_array *a, const hed_array *b, const hed_axes *a_axes, const hed_axes *b_axes)
{
  const char *op = "tensordot";
  if (!hed__given(a, op, "a") || !hed__given(b, op, "b"))
    return NULL;
  int pairs = a_axes ? a_axes->n : 0, other = b_axes ? b_axes->n : 0;
  uint32_t mask;
  if (pairs != other) {
    hed_fail(HED_E_SHAPE, "%s: %d axes of a are paired with %d of b", op, pairs, other);
    return NULL;
  }
  if (pairs && (hed__check_axes(op, a_axes, a->view.ndim, &mask) != HED_OK ||
                hed__check_axes(op, b_axes, b->view.ndim, &mask) != HED_OK))
    return NULL;
  for (int k = 0; k < pairs; k++) {
    int i = hed__axis(a_axes->axis[k], a->view.ndim), j = hed__axis(b_axes->axis[k], b->view.ndim);
    if (a->view.dim[i] != b->view.dim[j]) {
      hed_fail(HED_E_SHAPE, "%s: axis %d of a has extent %lld, axis %d of b %lld", op, i, (long long)a->view.dim[i], j,
               (long long)b->view.dim[j]);
      return NULL;
    }
  }
  if (a->view.ndim + b->view.ndim - 2 * pairs > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: the result would have %d axes, %d are possible", op,
             a->view.ndim + b->view.ndim - 2 * pairs, HED_MAX_NDIM);
    return NULL;
  }
  hed__exec ex;
  const hed_array *operands[2] = { a, b };
  if (hed__plan(&ex, HED_OP_TENSORDOT, 2, operands) != HED_OK)
    return NULL;
  hed__forced forced;
  hed_array *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed_shape fa, fb;
    hed_array *ma = as_matrix(ex.in[0], a_axes, pairs, true, &fa);
    hed_array *mb = ma ? as_matrix(ex.in[1], b_axes, pairs, false, &fb) : NULL;
    hed_array *product = mb ? hed_matmul(ma, mb) : NULL;
    if (product) {
      for (int k = 0; k < fb.ndim; k++)
        fa.dim[fa.ndim++] = fb.dim[k];
      out = hed_reshape(product, fa);
    }
    hed_release(ma);
    hed_release(mb);
    hed_release(product);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}
