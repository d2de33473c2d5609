// SPDX-License-Identifier: BSD-3-Clause
/* Decay in time. L3. */
#include "composite/nn.h"
#include "core/record/body.h"

hed_array *HED_BODY(exponential_decay)(const hed_array *x, double rate, const hed_array *t)
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
  hed_array *left = hed_multiply_scalar(time, -rate), *y = NULL;
  if (left && hed_exp_into(left, left) == HED_OK)
    y = hed_multiply(hed_astype(c.ex.in[0], wide), left);
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}
