// SPDX-License-Identifier: BSD-3-Clause
/* Derivatives of the squared distance of a CP tensor from a full one.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tree.h"

/* Those of the squares of X - C: the unfoldings of C - X times the other factors. With gaps the difference is made, else C's part
 * comes from Gram matrices. */
static hed_status derivatives(const hed_cp *c, const hed_array *x, const hed_array *known, hed_array **out)
{
  hed_array *rest = hed__tensor_same(x), *gram[HED_MAX_NDIM];
  hed__tree t;
  if (known) {
    hed_array *off = hed_subtract(x, hed_cp_full(c));
    rest = off ? hed_where(known, off, hed_zeros_like(off)) : NULL;
  }
  if (!rest)
    return hed_error();
  hed__tree_plant(rest, &t);
  hed_status status = hed__tree_sweep(&t, (hed_array *const *)c->factor, (1U << c->order) - 1, hed__tree_collect, out);
  for (int k = 0; k < c->order && !known; k++)
    gram[k] = hed__wide_gram(c->factor[k], c->factor[k]);
  for (int k = 0; k < c->order && status == HED_OK; k++) {
    hed_array *all = NULL, *made = NULL;
    for (int j = 0, n = 0; j < c->order && !known; j++)
      if (j != k)
        all = n++ ? hed_multiply(all, gram[j]) : hed__tensor_same(gram[j]);
    if (known)
      made = hed_negative(out[k]);
    else if (all)
      made = hed_subtract(hed_matmul(c->factor[k], hed_astype(hed_transpose(all, NULL), hed_array_dtype(out[k]))), out[k]);
    if (!made)
      return hed_error();
    hed_release(out[k]);
    out[k] = hed_keep(made);
  }
  return status;
}

hed_status hed_cp_gradient(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_array **out)
{
  static const char *const op = "hed_cp_gradient";
  hed_array *made[HED_MAX_NDIM] = { NULL };
  int ignored = 0;
  int64_t some = 0;
  if (!x || !out)
    return x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  for (int k = 0; k < hed_array_ndim(x); k++)
    out[k] = NULL;
  hed_status status = hed__cp_fits(op, c, x);
  if (status != HED_OK)
    return status;
  if (c->order < 2)
    return hed_fail(HED_E_SHAPE, "%s: a tensor of one mode", op);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *given = hed__tensor_operand(op, "x", x), *flat = given ? hed__in_c_order(given) : NULL;
    hed_array *where = flat && mask ? hed__tensor_mask(op, "x", x, mask, &some) : NULL;
    hed_array *known = where ? hed_where(where, flat, hed_zeros_like(flat)) : NULL;
    hed_cp plain = *c;
    if (c->weights)
      plain.factor[c->order - 1] = hed_multiply(c->factor[c->order - 1], c->weights);
    plain.weights = NULL;
    if (!flat || (mask && !known) || !plain.factor[c->order - 1])
      return hed_error();
    status = hed__tensor_exponent(op, "x", mask ? known : flat, &ignored);
    if (status == HED_OK)
      status = derivatives(&plain, mask ? known : flat, where, made);
  }
  return hed__hand_out_all(status, c->order, made, out);
}
