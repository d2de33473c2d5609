// SPDX-License-Identifier: BSD-3-Clause
/* What a CFC makes of its features.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/cfc.h"
#include <math.h>
#include <stdio.h>

int hed__nn_cfc_heads(const hed_nn_cell *c) { return c->mode == HED_NN_CFC_PURE ? 1 : 4; }

void hed__nn_cfc_list(const hed_nn_cell *c, hed__nn_specs *s, const char *prefix, int64_t features, int64_t units)
{
  static const char *const heads[] = { "ff1", "ff2", "time_a", "time_b" };
  const double l = 1 / sqrt((double)features);
  char name[40];
  for (int k = 0; k < hed__nn_cfc_heads(c); k++) {
    (void)snprintf(name, sizeof name, "%s%s.weight", prefix, heads[k]);
    (void)hed__nn_add(s, name, HED_SHAPE(units, features), HED__NN_GLOROT, 0, 0);
    (void)snprintf(name, sizeof name, "%s%s.bias", prefix, heads[k]);
    (void)hed__nn_add(s, name, HED_SHAPE(units), HED__NN_UNIFORM, -l, l);
  }
  if (c->mode != HED_NN_CFC_PURE)
    return;
  (void)snprintf(name, sizeof name, "%sw_tau", prefix);
  (void)hed__nn_add(s, name, HED_SHAPE(1, units), HED__NN_CONSTANT, 0, 0);
  (void)snprintf(name, sizeof name, "%sA", prefix);
  (void)hed__nn_add(s, name, HED_SHAPE(1, units), HED__NN_CONSTANT, 1, 1);
}

hed_array *hed__nn_cfc_weights(const hed_nn_cell *c, const hed_array *const *w, const hed_array *mask)
{
  const hed_array *parts[4];
  const int n = hed__nn_cfc_heads(c);
  for (int k = 0; k < n; k++) {
    parts[k] = hed_matrix_transpose(w[2 * k]);
    if (mask && k < 2) /* those of time stay whole */
      parts[k] = hed_multiply(parts[k], mask);
  }
  return hed_concatenate(n, parts, 1);
}

hed_array *hed__nn_cfc_biases(const hed_nn_cell *c, const hed_array *const *w)
{
  const hed_array *parts[4];
  for (int k = 0; k < hed__nn_cfc_heads(c); k++)
    parts[k] = w[2 * k + 1];
  return hed_concatenate(hed__nn_cfc_heads(c), parts, 0);
}

hed_array *hed__nn_cfc_state(const hed_nn_cell *c, const hed_array *const *w, const hed_array *heads, const hed_array *dt)
{
  hed_array *h[4];
  hed__nn_parts(heads, hed__nn_cfc_heads(c), h);
  const hed_array *f1 = h[0];
  if (c->mode == HED_NN_CFC_PURE) {
    const hed_array *rate = hed__nn_times_dt(hed_add(hed_abs(w[2]), hed_abs(f1)), dt);
    return hed_subtract(w[3], hed_multiply(hed_multiply(w[3], hed_exp(hed_negative(rate))), f1));
  }
  const hed_array *f2 = hed_tanh(h[1]);
  const hed_array *a = hed__nn_times_dt(h[2], dt);
  const hed_array *s = hed_sigmoid(hed_add(a, h[3]));
  f1 = hed_tanh(f1);
  return c->mode == HED_NN_CFC_NO_GATE ? hed_add(f1, hed_multiply(s, f2)) : hed_add(f1, hed_multiply(s, hed_subtract(f2, f1)));
}
