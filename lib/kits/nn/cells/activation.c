// SPDX-License-Identifier: BSD-3-Clause
/* Activations by their kinds.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/cell.h"

hed_array *hed__nn_activated(const hed_array *x, hed_nn_activation kind, double slope)
{
  switch (kind) {
  case HED_NN_DEFAULT:
  case HED_NN_LINEAR: return hed_astype(x, hed_array_dtype(x));
  case HED_NN_TANH: return hed_tanh(x);
  case HED_NN_RELU: return hed_relu(x);
  case HED_NN_SIGMOID: return hed_sigmoid(x);
  case HED_NN_SOFTPLUS: return hed_softplus(x);
  case HED_NN_SILU: return hed_silu(x);
  case HED_NN_GELU: return hed_gelu(x);
  case HED_NN_LECUN_TANH:
    return slope == 0 ? hed_lecun_tanh(x) : hed_multiply_scalar(hed_tanh(hed_multiply_scalar(x, slope)), 1.7159);
  case HED_NN_HARDTANH: return hed_clip(x, -1, 1);
  case HED_NN_SOFTSIGN: return hed_divide(x, hed_add_scalar(hed_abs(x), 1));
  case HED_NN_HARDSIGMOID: return hed_clip(hed_add_scalar(hed_multiply_scalar(x, 1.0 / 6), 0.5), 0, 1);
  case HED_NN_MISH: return hed_multiply(x, hed_tanh(hed_softplus(x)));
  default: (void)hed_fail(HED_E_INVAL, "hed_nn_activate: there is no activation %d; the last is %d", (int)kind, (int)HED_NN_MISH);
  }
  return NULL;
}

hed_array *hed_nn_activate(const hed_array *x, hed_nn_activation kind, double slope)
{
  hed_array *kept = NULL;
  HED_SCOPE kept = hed_keep(hed__nn_activated(x, kind, slope));
  return hed__nn_out(kept);
}
