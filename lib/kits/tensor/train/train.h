// SPDX-License-Identifier: BSD-3-Clause
/* What the files about trains and rings of cores share.
 *
 * Layer: L4, tensor kit. Arrays that these functions return belong to the caller's scope.
 */
#ifndef HED_KITS_TENSOR_TRAIN_H
#define HED_KITS_TENSOR_TRAIN_H
#include <heddle/kits/tensor_train.h>

/* X is a train, ring or matrix with cores that fit; OP and WHAT begin the sentence when not. */
hed_status hed__tt_check(const char *op, const char *what, const hed_tt *x);
/* Core K as (r_k, n, r_{k+1}), n = I_k, or I_k J_k of a matrix: a new handle. */
hed_array *hed__tt_core(const hed_tt *x, int k);
int64_t hed__tt_extent(const hed_tt *x, int k, int axis);
/* Whether A and B have the same shape: HED_E_SHAPE with both. */
hed_status hed__tt_alike(const char *op, const hed_tt *a, const hed_tt *b);

/* The cores of T, of the scope, into OUT, which the caller owns; with STATUS not HED_OK, or a core missing, OUT is all zero. */
hed_status hed__tt_hand_out(hed_status status, const hed_tt *t, hed_tt *out);
/* X, a train (HED_E_UNSUPPORTED for rings), as T of cores of 3 axes in floating point, of the scope; OUT is not NULL. */
hed_status hed__tt_train(const char *op, const hed_tt *x, const hed_tt *out, hed_tt *t);
/* Cores of T of 3 axes as the cores of a matrix of the extents of LIKE. */
void hed__tt_as_matrix(hed_tt *t, const hed_tt *like);

/* Ranks as hed_tt_svd() takes them: the upper bounds r_0 .. r_d of a tensor of ORDER axes. RING: r_0 may be above 1. */
hed_status hed__tt_bounds(const char *op, const hed_shape *ranks, int order, bool ring, int64_t *bounds);

typedef struct hed__cut {
  int64_t most;    /* rank, at most; 0: any */
  double squares;  /* sum of squares that may be dropped */
  double dropped;  /* result: what was */
} hed__cut;

/* a = left rest, left (m, r) with orthonormal columns, rest (r, n), r the least rank that CUT allows, at least 1. A, a matrix, is
 * looked at in place; SQUARES is the sum of its squares. */
hed_status hed__tt_split(const hed_array *a, double squares, hed__cut *cut, hed_array **left, hed_array **rest);

/* Sweep of orthogonal factors over cores of 3 axes from FROM up or down to TO, whose core takes up the last triangle. */
hed_status hed__tt_sweep(hed_tt *t, int from, int to);

#endif
