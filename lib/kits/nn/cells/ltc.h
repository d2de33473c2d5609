// SPDX-License-Identifier: BSD-3-Clause
/* Unfolds of liquid time constants with a derivative by hand. Layer: L4, nn kit. */
#ifndef HED_KITS_NN_LTC_H
#define HED_KITS_NN_LTC_H
#include "kits/nn/cells/cell.h"

enum { HED__NN_SIGMA, HED__NN_MU, HED__NN_W, HED__NN_WE };

typedef struct hed__nn_unfolds {
  const hed_array *v, *pull, *open;  /* (B, U): the state; what of both sums does not depend on it */
  const hed_array *c_over_dt;        /* (U) or (B, U)                                               */
  const hed_array *synapse[4];       /* sigma, mu, w, w erev by (post, pre)                         */
  double epsilon;
  int64_t n;
} hed__nn_unfolds;

/* Would operations on U's arrays be noted? */
bool hed__nn_ltc_records(const hed__nn_unfolds *u);
/* The state after them, of the scope, one call of the recording. */
hed_array *hed__nn_ltc_solve(const hed__nn_unfolds *u);

#endif
