// SPDX-License-Identifier: BSD-3-Clause
/* The distance of a full tensor from a CP tensor, or from a product of two matrices, by pieces of its rows.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tree.h"
#include <math.h>

enum { PIECE_BYTES = 4 << 20 };

/* Sum of |x|^2, added to *SUM. */
static hed_status add_squares(const hed_array *x, double *sum)
{
  double norm = 0;
  hed_array *n = x ? hed_vector_norm(x, 2, NULL) : NULL;
  hed_status status = n ? hed_item(n, &norm) : hed_error();
  *sum += norm * norm;
  return status;
}

/* Rows FROM to TO of X (rows, columns); NULL of NULL. */
static hed_array *some_rows(const hed_array *x, int64_t from, int64_t to)
{
  return x ? hed_slice(x, 1, &HED_RANGE(from, to, 1)) : NULL;
}

hed_status hed__pair_squares(const hed_array *left, const hed_array *right, const hed_array *x, const hed_array *mask,
                             hed_array *filled, double out[2])
{
  hed_status status = HED_OK;
  out[0] = out[1] = 0;
  if (!left || !right)
    return hed_error();
  HED_SCOPE_OR(return hed_error()) {
    const int64_t rows = hed_array_shape(left).dim[0], columns = hed_array_shape(right).dim[1];
    const hed_shape flat = HED_SHAPE(rows, columns);
    hed_array *xs = x ? hed_reshape(x, flat) : NULL, *ms = mask ? hed_reshape(mask, flat) : NULL;
    hed_array *fs = filled ? hed_reshape(filled, flat) : NULL;
    if ((x && !xs) || (mask && !ms) || (filled && !fs))
      return hed_error();
    const size_t row = (size_t)(columns > 0 ? columns : 1) * hed_dtype_size(hed_array_dtype(left));
    const int64_t many = row >= PIECE_BYTES ? 1 : (int64_t)(PIECE_BYTES / row);
    for (int64_t i = 0; i < rows && status == HED_OK; i += many)
      HED_SCOPE_OR(return hed_error()) {
        hed_array *fit = hed_matmul(some_rows(left, i, i + many), right), *now = some_rows(xs, i, i + many);
        hed_array *known = some_rows(ms, i, i + many);
        if (known) { /* what is not observed becomes what was fitted, and so differs by nothing */
          hed_array *zeros = fit ? hed_zeros_like(fit) : NULL;
          hed_array *full = zeros && now ? hed_where(known, now, fit) : NULL;
          status = full ? add_squares(hed_where(known, now, zeros), &out[1]) : hed_error();
          now = full;
        } else if (now) {
          status = add_squares(now, &out[1]);
        }
        if (status == HED_OK)
          status = add_squares(now ? hed_subtract(now, fit) : fit, &out[0]);
        if (status == HED_OK && fs)
          status = hed_copy_into(some_rows(fs, i, i + many), now);
      }
  }
  return status;
}

hed_status hed__cp_squares(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_array *filled, double out[2])
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed__tree t;
    hed__tree_shape(hed_cp_shape(c), &t);
    hed_array *left = hed__tree_half(&t, c->factor, false);
    hed_array *right = c->order > 1 ? hed_transpose(hed__tree_half(&t, c->factor, true), NULL)
                                    : hed_reshape(hed_ones_like(hed__cp_weights(c)), HED_SHAPE(c->rank, 1));
    if (c->weights)
      left = hed_multiply(left, c->weights);
    status = hed__pair_squares(left, right, x, mask, filled, out);
  }
  return status;
}

hed_status hed_cp_error(const hed_cp *c, const hed_array *x, const hed_array *mask, double *out)
{
  static const char *const op = "hed_cp_error";
  int64_t some = 0;
  double squares[2] = { 0, 0 };
  if (!x || !out)
    return x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  *out = 0;
  hed_status status = hed__cp_fits(op, c, x);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *given = hed__tensor_operand(op, "x", x), *flat = given ? hed__in_c_order(given) : NULL;
    hed_array *known = flat && mask ? hed__tensor_mask(op, "x", x, mask, &some) : NULL;
    known = known ? hed__in_c_order(known) : NULL;
    status = flat && (!mask || known) ? hed__cp_squares(c, flat, known, NULL, squares) : hed_error();
  }
  if (status == HED_OK)
    *out = squares[1] > 0 ? sqrt(squares[0] / squares[1]) : squares[0] > 0 ? INFINITY : 0;
  return status;
}
