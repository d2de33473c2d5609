// SPDX-License-Identifier: BSD-3-Clause
/* Activations that the table of operations has not.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include <heddle/kits/nn_loss.h>

hed_array *hed_nn_hardtanh(const hed_array *x, double low, double high)
{
  if (low == 0 && high == 0) {
    low = -1;
    high = 1;
  }
  if (!hed__train_float("hed_nn_hardtanh", "x", x))
    return NULL;
  if (!(low < high)) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_hardtanh: low is %g, not below high, %g", low, high);
    return NULL;
  }
  return hed_clip(x, low, high);
}

hed_array *hed_nn_softsign(const hed_array *x)
{
  hed_array *out = NULL;
  if (!hed__train_float("hed_nn_softsign", "x", x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_divide(x, hed_add_scalar(hed_abs(x), 1)));
  return hed__train_out(out);
}

hed_array *hed_nn_hardsigmoid(const hed_array *x)
{
  hed_array *out = NULL;
  if (!hed__train_float("hed_nn_hardsigmoid", "x", x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_clip(hed_add_scalar(hed_divide_scalar(x, 6), 0.5), 0, 1));
  return hed__train_out(out);
}

hed_array *hed_nn_mish(const hed_array *x)
{
  hed_array *out = NULL;
  if (!hed__train_float("hed_nn_mish", "x", x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_multiply(x, hed_tanh(hed_softplus(x))));
  return hed__train_out(out);
}
