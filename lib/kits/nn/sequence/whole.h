// SPDX-License-Identifier: BSD-3-Clause
/* A pass over time as one call of a recording, with a derivative by hand. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_WHOLE_H
#define HED_KITS_NN_WHOLE_H
#include "kits/nn/cells/cell.h"

/* What is read in a pass: N steps in the order they are taken. */
typedef struct hed__nn_whole {
  const char *op;
  const hed__nn_plan *plan;
  const hed_array *in;          /* what the family made of the input: (B, T, K) or (T, B, K)             */
  const hed_array *counts;      /* as in, without its last axis, or NULL                                  */
  const hed_array *state[HED_NN_STATES];
  int64_t steps;
  int32_t time;                 /* the axis of steps                                                      */
  bool reverse, last_only;
} hed__nn_whole;

/* Is there a derivative by hand for this cell, and something to differentiate by? */
bool hed__nn_whole_has(const hed__nn_whole *w);
/* The output, and the last state in LAST: all ours. */
hed_array *hed__nn_whole_run(const hed__nn_whole *w, hed_array **last);

#endif
