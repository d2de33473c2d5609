// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of families bits, isotonic and polar, whose operands and results are in C order. L1. */
#ifndef HED_DEVICE_ARGS_BITS_H
#define HED_DEVICE_ARGS_BITS_H

#include "args.h"

/* ROWS rows of N elements or WORDS words. hamming_matrix: OTHERS are the second operand's rows; majority_bits: N words for each of
 * ROWS results of WORDS words, TIES: there is an operand that decides; weighted_majority_bits: the same N rows for all results. */
typedef struct hed__bits_args {
  i64 rows, n, words, others;
  u64 ties;
} hed__bits_args;

/* ROWS lines of N elements. */
typedef struct hed__isotonic_args {
  i64 rows, n;
  u64 weighted;
} hed__isotonic_args;

/* COUNT matrices, M by M. */
typedef struct hed__polar_args {
  i64 count, m;
} hed__polar_args;

#endif
