// SPDX-License-Identifier: BSD-3-Clause
/* Trains from CP and Tucker tensors, and at random.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/train/train.h"

/* Core K: slice i is the diagonal matrix of row i of the factor; the first one has the rows, the last one the columns alone. */
static hed_array *core_of(const hed_cp *c, int k)
{
  hed_array *f = k == 0 ? hed_multiply(c->factor[0], hed__cp_weights(c)) : hed__tensor_same(c->factor[k]);
  const bool first = k == 0, last = k + 1 == c->order;
  if (!f)
    return NULL;
  const hed_shape s = hed_array_shape(f);
  if (first && last)
    return hed_reshape(hed_sum(f, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(1, s.dim[0], 1));
  if (first)
    return hed_expand_dims(f, 0);
  if (last)
    return hed_expand_dims(hed_transpose(f, NULL), 2);
  hed_array *unit = hed_expand_dims(hed_eye(c->rank, c->rank, 0, hed_array_dtype(f)), 1);
  return unit ? hed_multiply(unit, f) : NULL;
}

hed_status hed_cp_to_tt(const hed_cp *c, hed_tt *out)
{
  static const char op[] = "hed_cp_to_tt";
  hed_tt made = { 0 };
  hed_status status = hed__cp_fits(op, c, NULL);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (!out)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    made.order = status == HED_OK ? c->order : 0;
    for (int k = 0; k < made.order; k++)
      made.core[k] = core_of(c, k);
    status = hed__tt_hand_out(status, &made, out);
  }
  return status;
}

hed_status hed_tucker_to_tt(const hed_tucker *t, hed_tt *out)
{
  hed_tt of_core = { 0 }, made = { 0 };
  hed_status status = hed_tucker_check(t);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_tucker_to_tt: out is NULL");
  if (!out)
    return status;
  *out = (hed_tt){ 0 };
  if (status == HED_OK)
    status = hed_tt_svd(t->core, NULL, 0, &of_core, NULL);
  HED_SCOPE_OR(status = hed_error()) {
    made.order = status == HED_OK ? t->order : 0;
    for (int k = 0; k < made.order; k++)
      made.core[k] = t->factor[k] ? hed_mode_dot(of_core.core[k], t->factor[k], 1, false) : hed__tensor_same(of_core.core[k]);
    status = hed__tt_hand_out(status, &made, out);
  }
  hed_tt_clear(&of_core);
  return status;
}

hed_status hed_tt_random(hed_shape shape, const hed_shape *columns, const hed_shape *ranks, hed_dtype t, bool normal,
                         const hed_random *random, hed_tt *out)
{
  static const char op[] = "hed_tt_random";
  char text[160], other[160];
  hed_generator g, child[HED_MAX_NDIM];
  int64_t bounds[HED_MAX_NDIM + 1];
  hed_tt made = { 0 };
  hed_status status = HED_OK;
  if (!out || !ranks)
    status = hed_fail(HED_E_INVAL, "%s: %s is NULL", op, out ? "ranks" : "out");
  else if (shape.ndim < 1 || shape.ndim > HED_MAX_NDIM / (columns ? 2 : 1) || (columns && columns->ndim != shape.ndim))
    status = hed_fail(HED_E_SHAPE, "%s: shape %s%s%s; 1 to %d axes are possible", op, hed__shape_words(shape, text),
                      columns ? " and columns " : "", columns ? hed__shape_words(*columns, other) : "",
                      HED_MAX_NDIM / (columns ? 2 : 1));
  if (status == HED_OK)
    status = hed__tt_bounds(op, ranks, shape.ndim, ranks->ndim >= shape.ndim && ranks->ndim > 1, bounds);
  if (status == HED_OK && (status = hed_check_random_state(random, &g)) == HED_OK)
    status = hed_generator_split(&g, shape.ndim, child);
  if (!out)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    made.order = status == HED_OK ? shape.ndim : 0;
    for (int k = 0; k < made.order; k++) {
      const hed_random draw = { .generator = &child[k] };
      const hed_shape s = columns ? HED_SHAPE(bounds[k], shape.dim[k], columns->dim[k], bounds[k + 1])
                                  : HED_SHAPE(bounds[k], shape.dim[k], bounds[k + 1]);
      made.core[k] = hed__random_values(s, t, normal, &draw);
    }
    status = hed__tt_hand_out(status, &made, out);
  }
  return status;
}
