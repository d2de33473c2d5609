// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of families radix, select, search and bins. L1.
 *
 * Sorting is of ROWS rows of N elements. Keys (32 bits for elements of up to 4 bytes, else 64; sort_keys) and numbers (uint32, the
 * element's place in its row) are sorted in pairs: rows of up to a few thousand elements by an item each (merge_rows), others by
 * passes over digits of HED__RADIX_LONG bits on processors, HED__RADIX_WIDE bits on other devices, from the lowest on. A pass is
 * radix_count, which leaves counts (uint32) of [row][digit][part] for PARTS parts of CHUNK elements; their sums up to and with each
 * along a row, by family scan; and radix_move. On devices other than processors a part is HED__RADIX_EACH elements for each item of a
 * group. Where elements are all that is wanted, those of up to 4 bytes go with the keys themselves, in place of numbers (sort_whole,
 * sort_elements).
 * Where groups may wait for groups that began before them (looks_back), a pass is radix_sweep: radix_histogram counts all digits of
 * all passes before the first, and a part gets what those before have of each digit from words of 32 bits, 0 before the pass: how
 * many groups have begun, then [row][part][digit]. There elements of up to 4 bytes that are all that is wanted are made of their
 * keys again (sort_lone, radix_sweep_keys, sort_unkeyed), and sort_odd puts zeros and NaN back, where a row has -0 or a NaN that
 * keys do not tell from others.
 */
#ifndef HED_DEVICE_ARGS_SORT_H
#define HED_DEVICE_ARGS_SORT_H

#include "args.h"

#define HED__RADIX_LONG 8
#define HED__RADIX_WIDE 8
#define HED__RADIX_EACH(key_bytes) ((key_bytes) == 8 ? 8 : 16)

typedef struct hed__sort_args {
  i64 rows, n;
  i64 from[2], to[2];  /* strides from row to row and along it, of the operand and of the result */
  i64 keep;            /* elements of a row of the result */
  i64 parts, chunk;
  i64 shift;           /* of the digit */
  u64 descending;
  i64 kth;             /* part_keys: the place that divides a row */
} hed__sort_args;

typedef struct hed__select_args { /* rows sorted before; Q quantiles as bits of a double each, by METHOD (hed_quantile_method) */
  i64 rows, n;
  i64 from[2], to[2];  /* strides: rows and elements of the sorted rows; quantiles and rows of the result */
  i64 count, method;
  u64 omit_nan;
  u64 q[32];
} hed__select_args;

typedef struct hed__search_args { /* N sorted elements, side by side; VALUES of them looked for */
  i64 n, values;
  i64 step, to;        /* strides of the values and of the result */
  u64 right;
} hed__search_args;

typedef struct hed__bins_args { /* VALUES elements to BINS bins */
  i64 values, step, bins;
} hed__bins_args;

#endif
