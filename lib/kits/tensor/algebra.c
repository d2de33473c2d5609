// SPDX-License-Identifier: BSD-3-Clause
/* Products of a tensor with all factors, Gram matrices of unfoldings, moments, sampled Khatri-Rao products.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tree.h"
#include <heddle/kits/tensor.h>

enum { PIECE_BYTES = 4 << 20 }; /* of a tensor looked at piece by piece */

hed_status hed_mttkrp_all(const hed_array *x, int n, const hed_array *const *factors, const hed_axes *skip, hed_array **out)
{
  static const char *const op = "hed_mttkrp_all";
  if (!out || !factors || n < 1 || n > HED_MAX_NDIM)
    return hed_fail(HED_E_INVAL, "%s: %s", op, !out ? "out is NULL" : !factors ? "factors is NULL" : "not 1 to 16 factors");
  hed_array *made[HED_MAX_NDIM] = { NULL };
  hed_status status = HED_OK;
  for (int k = 0; k < n; k++)
    out[k] = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *given = hed__tensor_operand(op, "x", x), *flat = given ? hed__in_c_order(given) : NULL;
    hed_cp c = { .order = n };
    uint32_t wanted = 0;
    if (!flat)
      return hed_error();
    for (int k = 0; k < n; k++)
      c.factor[k] = (hed_array *)(uintptr_t)factors[k]; /* only read */
    if (n < 2 || n != hed_array_ndim(x))
      return hed_fail(HED_E_SHAPE, "%s: %d factors for the %d axes of x; it has to have 2 to 15", op, n, (int)hed_array_ndim(x));
    c.rank = factors[0] && hed_array_ndim(factors[0]) == 2 ? hed_array_shape(factors[0]).dim[1] : 0;
    status = hed__cp_fits(op, &c, x);
    if (status == HED_OK)
      status = hed__mode_set(op, skip, n, &wanted);
    if (status == HED_OK) {
      hed__tree t;
      hed__tree_plant(flat, &t);
      status = hed__tree_sweep(&t, c.factor, ~wanted & ((1U << n) - 1), hed__tree_collect, made);
    }
  }
  return hed__hand_out_all(status, n, made, out);
}

/* The sum of x x^H over pieces of ALL (before, extent, after), MANY of the first axis and LONG_PIECE of the last; kept. */
static hed_array *gram_by_pieces(const hed_array *all, int64_t many, int64_t long_piece)
{
  const hed_shape s = hed_array_shape(all);
  hed_array *sum = NULL;
  bool good = true;
  for (int64_t b = 0; b < s.dim[0] && good; b += many)
    for (int64_t a = 0; a < s.dim[2] && good; a += long_piece)
      HED_SCOPE_OR(good = false) {
        hed_array *piece = hed_slice(all, 3, (const hed_slice_range[]){ HED_RANGE(b, b + many, 1), HED_ALL,
                                                                        HED_RANGE(a, a + long_piece, 1) });
        hed_array *products = hed_matmul(piece, hed_matrix_transpose(hed__tensor_conj(piece)));
        hed_array *more = hed_sum(products, &(hed_reduce){ .axes = HED_AXES(0) });
        good = more && (!sum || hed_add_into(sum, sum, more) == HED_OK);
        if (good && !sum)
          sum = hed_keep(more);
      }
  if (!good) {
    hed_release(sum);
    sum = NULL;
  }
  return sum;
}

hed_array *hed__gram_of_mode(const hed_array *x, int axis)
{
  if (!x)
    return NULL;
  const hed_shape s = hed_array_shape(x);
  const int64_t extent = s.dim[axis], room = (int64_t)((size_t)PIECE_BYTES / hed_dtype_size(hed_array_dtype(x)));
  const bool is_complex = hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX;
  int64_t before = 1, after = 1;
  for (int k = 0; k < s.ndim; k++)
    if (k != axis)
      *(k < axis ? &before : &after) *= s.dim[k];
  if (before == 0 || after == 0)
    return hed_zeros(HED_SHAPE(extent, extent), hed_array_dtype(x));
  hed_array *sum = NULL;
  HED_SCOPE_OR(return NULL) {
    if (after == 1 && !is_complex) { /* the last mode: columns of a matrix */
      hed_array *flat = hed_reshape(x, HED_SHAPE(before, extent));
      sum = hed_keep(hed_matmul(hed_transpose(flat, NULL), flat));
    } else { /* real rows are whole, complex ones are conjugated, which takes memory */
      const int64_t fit = room / (extent > 0 ? extent : 1), most = fit > 0 ? fit : 1;
      const int64_t long_piece = is_complex && after > most ? most : after > 0 ? after : 1;
      const int64_t each = extent * (extent > long_piece ? extent : long_piece);
      const int64_t many = each > 0 && room / each < before ? room / each : before;
      hed_array *all = hed_reshape(x, HED_SHAPE(before, extent, after));
      sum = all ? gram_by_pieces(all, many > 0 ? many : 1, long_piece) : NULL;
    }
  }
  return sum ? hed__tensor_given(sum) : NULL;
}

hed_array *hed__triangle_of_mode(const hed_array *x, int axis)
{
  const hed_shape s = hed_array_shape(x);
  const int64_t extent = s.dim[axis], rows = 8 * extent;
  int64_t before = 1, after = 1;
  for (int k = 0; k < s.ndim; k++)
    if (k != axis)
      *(k < axis ? &before : &after) *= s.dim[k];
  hed_array *all = hed_reshape(x, HED_SHAPE(before, extent, after)), *r = NULL;
  const int64_t many = after < rows ? rows / after : 1, long_piece = after < rows ? after : rows;
  for (int64_t b = 0; b < before && all; b += many)
    for (int64_t a = 0; a < after; a += long_piece) {
      HED_SCOPE {
        hed_array *piece = hed_slice(all, 3, (const hed_slice_range[]){ HED_RANGE(b, b + many, 1), HED_ALL,
                                                                        HED_RANGE(a, a + long_piece, 1) });
        hed_array *columns = piece ? hed_reshape(hed_swapaxes(piece, 1, 2), HED_SHAPE(-1, extent)) : NULL;
        r = hed__more_rows(r, hed__tensor_conj(columns));
      }
      if (!r)
        return NULL;
    }
  return r ? hed__tensor_given(r) : NULL;
}

hed_array *hed_mode_gram(const hed_array *x, int32_t mode)
{
  hed_array *out = NULL;
  int axis = 0;
  HED_SCOPE_OR(return NULL) {
    hed_array *given = hed__tensor_operand("hed_mode_gram", "x", x), *flat = given ? hed__in_c_order(given) : NULL;
    if (flat && hed__mode_of("hed_mode_gram", mode, hed_array_ndim(x), &axis) == HED_OK)
      out = hed_keep(hed__gram_of_mode(flat, axis));
  }
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed_moment(const hed_array *x, int order)
{
  hed_array *out = NULL;
  HED_SCOPE_OR(return NULL) {
    hed_array *given = hed__tensor_operand("hed_moment", "x", x);
    if (!given)
      return NULL;
    const hed_shape s = hed_array_shape(given);
    if (order < 1 || s.ndim < 1 || s.dim[0] < 1 || order * (s.ndim - 1) > HED_MAX_NDIM - 1) {
      (void)hed_fail(HED_E_INVAL, "hed_moment: order %d of samples with %d axes; at least 1, and at most %d axes together", order,
                     (int)s.ndim - 1, HED_MAX_NDIM - 1);
      return NULL;
    }
    const hed_array *list[HED_MAX_NDIM];
    for (int k = 0; k < order - 1 && k < HED_MAX_NDIM; k++)
      list[k] = given;
    if (order == 1) {
      out = hed_mean(given, &(hed_reduce){ .axes = HED_AXES(0) });
    } else {
      hed_array *powers = order == 2 ? hed__tensor_same(given) : hed_batched_outer(order - 1, list);
      hed_array *sum = powers ? hed_tensordot(powers, given, &HED_AXES(0), &HED_AXES(0)) : NULL;
      out = sum ? hed_multiply_scalar(sum, 1 / (double)s.dim[0]) : NULL;
    }
    hed_keep(out);
  }
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed__rows_product(int n, const hed_array *const *matrices, const hed_array *indices)
{
  hed_array *rows = NULL;
  for (int m = 0; m < n; m++) {
    hed_array *at = HED_GET(indices, HED_ELLIPSIS, HED_AT(m));
    hed_array *taken = at ? HED_GET(matrices[m], HED_IDX(at)) : NULL;
    rows = m == 0 ? taken : hed_multiply(rows, taken);
    if (!rows)
      return NULL;
  }
  return rows;
}

hed_array *hed_khatri_rao_rows(int n, const hed_array *const *matrices, const hed_array *indices)
{
  static const char *const op = "hed_khatri_rao_rows";
  hed_array *out = NULL;
  if (!matrices || !indices || n < 1 || n > HED_MAX_NDIM) {
    (void)hed_fail(HED_E_INVAL, "%s: %s", op,
                   !matrices ? "matrices is NULL" : !indices ? "indices is NULL" : "not 1 to 16 matrices");
    return NULL;
  }
  for (int m = 0; m < n; m++)
    if (!matrices[m] || hed_array_ndim(matrices[m]) != 2 ||
        hed_array_shape(matrices[m]).dim[1] != hed_array_shape(matrices[0]).dim[1]) {
      (void)hed_fail(HED_E_SHAPE, "%s: array %d is no matrix of as many columns as array 0", op, m);
      return NULL;
    }
  if (hed_array_ndim(indices) != 2 || hed_array_shape(indices).dim[1] != n) {
    char text[160];
    (void)hed_fail(HED_E_SHAPE, "%s: indices have shape %s, not (samples, %d)", op,
                   hed__shape_words(hed_array_shape(indices), text), n);
    return NULL;
  }
  HED_SCOPE_OR(return NULL)
    out = hed_keep(hed__rows_product(n, matrices, indices));
  return out ? hed__tensor_given(out) : NULL;
}
