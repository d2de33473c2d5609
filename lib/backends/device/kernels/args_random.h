// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of family random. L1. */
#ifndef HED_DEVICE_ARGS_RANDOM_H
#define HED_DEVICE_ARGS_RANDOM_H

#include "args.h"

/* Elements [FIRST, FIRST + N) of a draw (base/random/random.h), side by side; numbers as bits. Entries that make a block of Philox by
 * an item take as many items as blocks are touched: 4 elements of 32 bits or 2 of 64 to a block, from element 0 on; on processors an
 * item makes HED__RANDOM_BLOCKS of them (more items do nothing). */
#define HED__RANDOM_BLOCKS 16
typedef struct hed__random_args {
  i64 first, n;
  u64 key, draw;
  u64 a, b;        /* as in hed_random_params */
  u64 limit;       /* uniform: hed__random_limit, unless low is 0 and high is 1, which UNIT says */
  u64 unit;
  i64 low;
  u64 span;
  u64 operands;    /* kinds that reject: 1: a and b are arrays of the operands' pointers */
} hed__random_args;

/* ROWS rows of K weights or shapes (float64, side by side), N results each. */
typedef struct hed__random_rows_args {
  i64 rows, k, n;
  u64 key, draw;
  u64 weights;     /* as in hed_random_rows_params */
} hed__random_rows_args;

#endif
