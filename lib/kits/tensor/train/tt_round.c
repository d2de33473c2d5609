// SPDX-License-Identifier: BSD-3-Clause
/* Orthogonal factors of trains, and trains of lower ranks.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <math.h>

/* Core K as (rows, columns): its first axis, or its last one, alone. */
static hed_array *flat(const hed_array *core, bool last_alone)
{
  const hed_shape s = hed_array_shape(core);
  return hed_reshape(core, last_alone ? HED_SHAPE(s.dim[0] * s.dim[1], s.dim[2]) : HED_SHAPE(s.dim[0], s.dim[1] * s.dim[2]));
}

hed_status hed__tt_sweep(hed_tt *t, int from, int to)
{
  const int step = from < to ? 1 : -1;
  hed_array *q = NULL, *r = NULL;
  for (int k = from; k != to; k += step) {
    const hed_shape s = hed_array_shape(t->core[k]);
    if (step > 0) {
      if (hed_qr(flat(t->core[k], true), HED_QR_REDUCED, &q, &r) != HED_OK)
        return hed_error();
      t->core[k] = hed_reshape(q, HED_SHAPE(s.dim[0], s.dim[1], -1));
      t->core[k + 1] = hed_tensordot_n(r, t->core[k + 1], 1);
    } else {
      if (hed_qr(hed_matrix_transpose(flat(t->core[k], false)), HED_QR_REDUCED, &q, &r) != HED_OK)
        return hed_error();
      t->core[k] = hed_reshape(hed_matrix_transpose(q), HED_SHAPE(-1, s.dim[1], s.dim[2]));
      t->core[k - 1] = hed_tensordot(t->core[k - 1], r, &HED_AXES(2), &HED_AXES(1));
    }
    if (!t->core[k] || !t->core[k + step])
      return hed_error();
  }
  return HED_OK;
}

hed_status hed__tt_train(const char *op, const hed_tt *x, const hed_tt *out, hed_tt *t)
{
  hed_status status = hed__tt_check(op, "x", x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status == HED_OK && hed_tt_is_ring(x))
    status = hed_fail(HED_E_UNSUPPORTED, "%s: x is a ring, whose outer rank is %lld; a train is expected", op,
                      (long long)hed__tt_extent(x, 0, 0));
  *t = (hed_tt){ .order = status == HED_OK ? x->order : 0 };
  for (int k = 0; k < t->order; k++) {
    const hed_array *core = hed__tt_core(x, k);
    if (!core || !(t->core[k] = hed__tensor_operand(op, "a core", core)))
      return hed_error();
  }
  return status;
}

hed_status hed_tt_orthogonalise(const hed_tt *x, int32_t mode, hed_tt *out)
{
  static const char op[] = "hed_tt_orthogonalise";
  hed_tt t;
  HED_SCOPE_OR(return hed_error()) {
    hed_status status = hed__tt_train(op, x, out, &t);
    if (!out)
      return status;
    if (status == HED_OK && (mode < -x->order || mode >= x->order))
      status = hed_fail(HED_E_AXIS, "%s: mode %d of a tensor of %d axes", op, (int)mode, (int)x->order);
    if (status == HED_OK) {
      const int k = mode < 0 ? mode + x->order : mode;
      status = hed__tt_sweep(&t, 0, k);
      if (status == HED_OK)
        status = hed__tt_sweep(&t, t.order - 1, k);
      hed__tt_as_matrix(&t, x);
    }
    return hed__tt_hand_out(status, &t, out);
  }
  return hed_error();
}

/* T, whose cores after the first have orthonormal rows, to lower ranks from the first bond to the last. */
static hed_status cut_bonds(hed_tt *t, double squares, double eps, int64_t most, double *dropped)
{
  hed_array *left = NULL, *rest = NULL;
  for (int k = 0; k + 1 < t->order; k++) {
    const hed_shape s = hed_array_shape(t->core[k]);
    hed__cut cut = { .most = most, .squares = eps * eps * squares / (t->order - 1) };
    hed_status status = hed__tt_split(flat(t->core[k], true), squares, &cut, &left, &rest);
    if (status != HED_OK)
      return status;
    t->core[k] = hed_reshape(left, HED_SHAPE(s.dim[0], s.dim[1], -1));
    t->core[k + 1] = hed_tensordot_n(rest, t->core[k + 1], 1);
    *dropped += cut.dropped;
  }
  return HED_OK;
}

hed_status hed_tt_round(const hed_tt *x, double eps, int64_t max_rank, hed_tt *out, double *error)
{
  static const char op[] = "hed_tt_round";
  double squares = 0, dropped = 0;
  int e = 0;
  hed_tt t;
  HED_SCOPE_OR(return hed_error()) {
    hed_status status = hed__tt_train(op, x, out, &t);
    if (!out)
      return status;
    if (status == HED_OK && !(eps >= 0 && eps < 1))
      status = hed_fail(HED_E_INVAL, "%s: eps is %g; it lies in [0, 1)", op, eps);
    if (status == HED_OK && max_rank < 0)
      status = hed_fail(HED_E_INVAL, "%s: max_rank is %lld; it is 1 or more, or 0", op, (long long)max_rank);
    for (int k = 0; k < t.order && status == HED_OK; k++) { /* each core near 1, all of the unit goes to the last one */
      int own = 0;
      status = hed__tensor_exponent(op, "a core", t.core[k], &own);
      t.core[k] = status == HED_OK ? hed__tensor_scaled(t.core[k], -own) : NULL;
      status = status == HED_OK && !t.core[k] ? hed_error() : status;
      e += own;
    }
    if (status == HED_OK)
      status = hed__tt_sweep(&t, t.order - 1, 0);
    if (status == HED_OK)
      status = hed__tensor_squares(op, "x", t.core[0], &squares);
    if (status == HED_OK)
      status = cut_bonds(&t, squares, eps, max_rank, &dropped);
    if (status == HED_OK)
      status = (t.core[t.order - 1] = hed__tensor_scaled(t.core[t.order - 1], e)) ? HED_OK : hed_error();
    if (status == HED_OK)
      hed__tt_as_matrix(&t, x);
    if (error)
      *error = squares > 0 ? sqrt(dropped / squares) : 0;
    return hed__tt_hand_out(status, &t, out);
  }
  return hed_error();
}
