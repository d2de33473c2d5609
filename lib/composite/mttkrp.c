// SPDX-License-Identifier: BSD-3-Clause
/* An unfolding times the Khatri-Rao product of all factors but one, of arrays that lie in C order. L3.
 *
 * The axes before the mode, those after it and the mode are three; nothing is copied but factors. At an end the Khatri-Rao
 * product is made and meets the array in pieces of its rows, whose products are added. In the middle the axes before the mode
 * are contracted first, and column by column those after it (A.-H. Phan, P. Tichavsky, A. Cichocki, "Fast Alternating LS
 * Algorithms for High Order CANDECOMP/PARAFAC Tensor Factorizations", IEEE Trans. Signal Processing 61(19), 2013).
 */
#include "composite/composed.h"
#include "composite/products.h"

#include "api/call/check.h"
#include "base/shape.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <stdio.h>

enum { PIECE_ROWS = 512, LEAST_PIECE_ROWS = 64 }; /* rows of a piece: so many stay in a cache */

/* The largest divisor of N that is at most PIECE_ROWS; N itself where it would be a small one. */
static int64_t piece_of(int64_t n)
{
  for (int64_t d = PIECE_ROWS; d >= LEAST_PIECE_ROWS; d--)
    if (n % d == 0)
      return d;
  return n;
}

static int64_t product(const hed_array *x, int from, int to)
{
  int64_t n = 1;
  for (int k = from; k < to; k++)
    n *= x->view.dim[k];
  return n;
}

/* Products of pieces, added; a third axis stands for the pieces. */
static hed_array *added(hed_array *products)
{
  return products && products->view.dim[0] == 1 ? hed_index(products, 0, 0)
                                                : hed_sum(products, &(hed_reduce){ .axes = HED_AXES(0) });
}

static bool dense(const hed_array *x, int n, const hed_array *const *factors, int axis, int64_t columns, int64_t before)
{
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  bool same = n > 1 && (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX);
  for (int k = 0; k < n && same; k++)
    same = k == axis || hed_array_dtype(factors[k]) == hed_array_dtype(x);
  /* what is made on the way is no larger than x */
  return same && hed__is_c_contiguous(&x->view)
         && columns <= (axis > 0 && axis + 1 < n ? before : x->view.dim[axis]);
}

/* The Khatri-Rao product of N factors, of one itself; NULL after an error. */
static const hed_array *product_of(int n, const hed_array *const *factors)
{
  return n == 1 ? factors[0] : hed_khatri_rao(n, factors, NULL);
}

/* X times the product of FACTORS (N, those but of AXIS; conjugated already) of COLUMNS, for x in C order and of the factors'
 * type; *done false: it is something else, and nothing was done. */
static hed_array *dense_mttkrp(const hed_array *x, int n, const hed_array *const *factors, int axis, int64_t columns, bool *done)
{
  const int64_t before = product(x, 0, axis), mode = x->view.dim[axis], after = product(x, axis + 1, n);
  *done = dense(x, n, factors, axis, columns, before);
  if (!*done)
    return NULL;
  const hed_array *left = axis > 0 ? product_of(axis, factors) : NULL;
  const hed_array *right = axis + 1 < n ? product_of(n - axis - 1, factors + axis + 1) : NULL;
  if ((axis > 0 && !left) || (axis + 1 < n && !right))
    return NULL;
  if (!left) { /* (pieces, mode, piece) (pieces, piece, columns) */
    const int64_t piece = piece_of(after);
    hed_array *cut = hed_reshape(x, HED_SHAPE(mode, after / piece, piece));
    return added(hed_matmul(hed_moveaxis(cut, 1, 0), hed_reshape(right, HED_SHAPE(after / piece, piece, columns))));
  }
  hed_array *turned;
  if (!right) { /* (pieces, columns, piece) (pieces, piece, mode) */
    const int64_t piece = piece_of(before);
    hed_array *cut = hed_reshape(x, HED_SHAPE(before / piece, piece, mode));
    left = hed_reshape(left, HED_SHAPE(before / piece, piece, columns));
    turned = added(hed_matmul(hed_moveaxis(left, 1, 2), cut));
  } else {
    hed_array *half = hed_matmul(hed_transpose(left, NULL), hed_reshape(x, HED_SHAPE(before, mode * after)));
    hed_array *lines = hed_expand_dims(hed_transpose(right, NULL), -1);
    hed_array *sums = hed_matmul(hed_reshape(half, HED_SHAPE(columns, mode, after)), lines);
    turned = hed_reshape(sums, HED_SHAPE(columns, mode));
  }
  return hed_copy(hed_transpose(turned, NULL));
}

hed_array *HED_BODY(unfolding_dot_khatri_rao)(const hed_array *x, const hed_array *weights, int n,
                                        const hed_array *const *factors, int32_t mode)
{
  static const char *const name = "unfolding_dot_khatri_rao";
  const hed_array *operands[HED_MAX_NDIM], *terms[HED_MAX_NDIM];
  int at[HED_MAX_NDIM] = { 0 };
  int64_t columns = 0;
  char text[4 * HED_MAX_NDIM + 8];
  composed w;
  if (!hed__given(x, name, "x") || !hed__given_list(name, 1, n, factors))
    return NULL;
  int axis = hed__check_axis(name, "mode", mode, x->view.ndim);
  if (axis < 0)
    return NULL;
  if (n != x->view.ndim || n + (weights ? 2 : 1) > HED_MAX_NDIM) {
    hed_fail(HED_E_INVAL, "%s: %d factors for the %d axes of x", name, n, (int)x->view.ndim);
    return NULL;
  }
  for (int k = 0; k < n; k++)
    at[k] = k;
  if (hed__check_columns(name, n, at, factors, &columns) != HED_OK)
    return NULL;
  for (int k = 0; k < n; k++)
    if (k != axis && factors[k]->view.dim[0] != x->view.dim[k]) {
      hed_fail(HED_E_SHAPE, "%s: axis %d of x has extent %lld, array %d has %lld rows", name, k,
               (long long)x->view.dim[k], k, (long long)factors[k]->view.dim[0]);
      return NULL;
    }
  if (weights && (weights->view.ndim != 1 || weights->view.dim[0] != columns)) {
    hed_shape s = hed__shape_of(weights);
    hed_fail(HED_E_SHAPE, "%s: weights have shape %s, the factors %lld columns", name, HED__TEXT(&s), (long long)columns);
    return NULL;
  }
  operands[0] = x;
  for (int k = 0; k < n; k++)
    operands[k + 1] = factors[k];
  operands[n + 1] = weights;
  if (composed_begin(&w, HED_OP_UNFOLDING_DOT_KHATRI_RAO, n + (weights ? 2 : 1), operands) != HED_OK)
    return NULL;
  const hed_array *others[HED_MAX_NDIM] = { NULL };
  bool fine = true, done = false;
  for (int k = 0; k < n; k++)
    fine = fine && (k == axis || (others[k] = hed__conjugate(w.ex.in[k + 1])));
  hed_array *out = fine ? dense_mttkrp(w.ex.in[0], n, others, axis, columns, &done) : NULL;
  if (done)
    return composed_end(&w, weights && out ? hed_multiply(out, w.ex.in[n + 1]) : out);
  /* "abc,bz,cz->az": the order of contraction decides whether the Khatri-Rao product is ever made */
  int used = 0, count = 0;
  for (int k = 0; k < n; k++)
    text[used++] = (char)('a' + k);
  terms[count++] = w.ex.in[0];
  for (int k = 0; k < n; k++) {
    if (k == axis)
      continue;
    text[used++] = ',';
    text[used++] = (char)('a' + k);
    text[used++] = 'z';
    terms[count++] = others[k];
  }
  if (weights) {
    text[used++] = ',';
    text[used++] = 'z';
    terms[count++] = w.ex.in[n + 1];
  }
  snprintf(text + used, sizeof text - (size_t)used, "->%cz", 'a' + axis);
  if (fine && n > 1)
    out = hed_einsum(text, count, terms);
  else if (fine) /* the product of no matrices is a row of ones */
    out = weights ? hed_outer(2, terms) : hed_copy(hed_broadcast_to(hed_reshape(terms[0], HED_SHAPE(-1, 1)),
                                                              HED_SHAPE(x->view.dim[0], columns)));
  return composed_end(&w, out);
}
