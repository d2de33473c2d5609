// SPDX-License-Identifier: BSD-3-Clause
/* What memories share.
 *
 * Layer: L4, vsa kit, internal.
 */
#ifndef HEDDLE_KITS_VSA_ITEMS_H
#define HEDDLE_KITS_VSA_ITEMS_H
#include "kits/vsa/internal.h"
#include <heddle/kits/vsa_memory.h>
#include <math.h>

struct hed_vsa_items {
  hed_vsa *v;
  int64_t n, capacity;
  hed_array *vectors;  /* (capacity, ..)                                 */
  char **label;
  int64_t *slot;       /* numbers of items by their labels' hash; -1: none */
  uint64_t slots;      /* a power of 2                                   */
};

/* items.c: the K most similar of X (N, ..) to each of Q (Q, ..): both (Q, k), the caller's, not in a scope. */
hed_status hed__vsa_nearest(const hed_vsa *v, const hed_array *q, const hed_array *x, int64_t k, hed_array **best, hed_array **at);

/* numbers.c: shape and dtype of hed_vsa_numbers() of one vector; the numbers themselves. */
hed_shape hed__vsa_numbers_shape(const hed_vsa *v);
hed_dtype hed__vsa_numbers_dtype(const hed_vsa *v);
hed_array *hed__vsa_numbers(const hed_vsa *v, const hed_array *x);
/* X as a matrix, a row for what its last AXES axes hold. */
hed_array *hed__vsa_rows_of(const hed_array *x, int32_t axes);
/* sum over items of WEIGHTS (Q, N) times NUMBERS (N, ..), quantised: (Q, vector) */
hed_array *hed__vsa_mixed(const hed_vsa *v, const hed_array *weights, const hed_array *numbers);
/* Similarities less what chance gives, so that identical vectors have 1 and unrelated ones 0 in the mean. */
hed_array *hed__vsa_signed(const hed_vsa *v, const hed_array *similarity);

#endif
