// SPDX-License-Identifier: BSD-3-Clause
/*
 * softmax and log_softmax along an axis; exponential_decay. L3.
 *
 * The largest element is subtracted first, so that no exponential overflows and one of them is 1.
 */
#include "composite/nn.h"

static hed_array *run(int op, const hed_array *x, int32_t axis)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  int id = hed__infer_operands(op, 1, &x, (const char *const[]){ "x" });
  int at = id < 0 ? id : hed__check_axis(name, "axis", axis, x->view.ndim);
  composed c;
  if (at < 0 || composed_begin(&c, op, 1, &x) != HED_OK)
    return NULL;
  hed_reduce o = { .axes = HED_AXES(at), .keepdims = true };
  hed_array *y = hed_astype(c.ex.in[0], nn_wide(id));
  if (y && y->view.dim[at] > 0) {
    y = hed_subtract(y, hed_max(y, &o));
    hed_array *e = hed_exp(y), *sum = hed_sum(e, &o);
    y = op == HED_OP_SOFTMAX ? hed_divide(e, sum) : hed_subtract(y, hed_log(sum));
  }
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}

hed_array *hed_softmax(const hed_array *x, int32_t axis) { return run(HED_OP_SOFTMAX, x, axis); }

hed_array *hed_log_softmax(const hed_array *x, int32_t axis) { return run(HED_OP_LOG_SOFTMAX, x, axis); }

hed_array *hed_exponential_decay(const hed_array *x, double rate, const hed_array *t)
{
  if (!hed__given(x, "exponential_decay", "x"))
    return NULL;
  int id = t ? nn_pair(HED_OP_EXPONENTIAL_DECAY, x, t, "x", "t")
             : hed__infer_operands(HED_OP_EXPONENTIAL_DECAY, 1, &x, (const char *const[]){ "x" });
  const hed_array *const in[2] = { x, t };
  composed c;
  if (id < 0 || composed_begin(&c, HED_OP_EXPONENTIAL_DECAY, t ? 2 : 1, in) != HED_OK)
    return NULL;
  hed_dtype wide = nn_wide(id);
  hed_array *time = t ? hed_astype(c.ex.in[1], wide)
                      : hed_arange(0, x->view.ndim ? (double)x->view.dim[x->view.ndim - 1] : 1, 1, wide);
  if (!t && !x->view.ndim)
    time = hed_reshape(time, HED_SHAPE0);
  hed_array *y = hed_multiply(hed_astype(c.ex.in[0], wide), hed_exp(hed_multiply_scalar(time, -rate)));
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}
