// SPDX-License-Identifier: BSD-3-Clause
/* Rows of numbers in host memory, which of them are equal, and their order: for unique. L3. */
#ifndef HED_COMPOSITE_DISTINCT_H
#define HED_COMPOSITE_DISTINCT_H

#include <heddle/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* N rows of M values of 64 bits: float64, int64, or uint64 (bools, too). */
typedef struct hed__rows {
  hed_kind kind;
  int64_t n, m;
  const void *values;
} hed__rows;

/* The number of distinct rows, in ascending order by their first values: INDEX, COUNTS (room for N each) say where each is first
 * and how often it is there, INVERSE which of them each row is. NaN is last and equals NaN; EVERY_NAN: rows with one are all
 * distinct. -1 with the error set, which begins with OP. */
int64_t hed__distinct_rows(const hed__rows *t, bool every_nan, int64_t *index, int64_t *counts, int64_t *inverse, const char *op);

#endif
