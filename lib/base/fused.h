// SPDX-License-Identifier: BSD-3-Clause
/* Fused passes: which results depend on an operand. L0; header only. */
#ifndef HED_BASE_FUSED_H
#define HED_BASE_FUSED_H

#include <heddle/kernel.h>

/* Do some of C's results depend on operand K, and others not? Where K may still fail these must not. */
static inline bool hed__fused_apart(const hed_fused_call *c, int32_t k)
{
  bool from[HED_FUSED_IN + HED_FUSED_STEPS] = { false };
  int32_t reached = 0;
  from[k] = true;
  for (int32_t i = 0; i < c->n_steps; i++) {
    bool *to = &from[c->n_in + i];
    for (int32_t j = 0; j < c->step[i].n_in; j++)
      *to |= from[c->step[i].in[j]];
    reached += *to && c->step[i].out >= 0;
  }
  return reached > 0 && reached < c->n_out;
}

#endif
