// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family reduce. L1.
 *
 * Operands are taken as x[a, r, c], r what is reduced, in the order in which argmax counts; other layouts are copied first. There
 * are two launches. The first (ROW_inner, or ROW_columns where c is the fastest axis) does CHUNK elements of r at a time and leaves
 * a state for each of PARTS parts of each result, in workspace of HED__REDUCE_STATE bytes per state: state number
 * (a parts + part) n[2] + c. The second (ROW_join, or ROW_join_group where there are many parts) makes results of them.
 */
#ifndef HED_DEVICE_ARGS_REDUCE_H
#define HED_DEVICE_ARGS_REDUCE_H

#include "args.h"

#define HED__REDUCE_STATE 48
/* Columns that an item of ROW_columns does on processors; one on others. */
#define HED__REDUCE_COLUMNS 16

typedef struct hed__reduce_args {
  i64 n[3];                /* extents a, r, c */
  i64 stride[3], other[3]; /* of x, of the second operand of vecdot; in elements */
  i64 to[2];               /* of the result, along a and c */
  i64 parts, chunk;        /* parts of r, and elements of each but the last */
  i64 ddof;
  u64 order;               /* of vector_norm, as bits */
} hed__reduce_args;

#endif
