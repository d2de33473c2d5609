// SPDX-License-Identifier: BSD-3-Clause
/* Reduction loops of one instruction set; built as kernels.c is. L1. */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/lanes/lanes.h"
#include "backends/cpu/kernels/variant.h"
#include "base/invariant.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/kernels/reduce/product.h"
#include "backends/cpu/kernels/reduce/scan.h"
#include "backends/cpu/kernels/reduce/cumulative.h"

/* Bytes of rows from which columns are read as four streams, if they are many (COL_FAR): what comes from memory then comes in
 * less time than eight rows side by side. */
enum { COL_LONG = 4096 };
/* Bytes from which a search prefetches. */
enum { FIND_FAR = 8192 };

/* Of running extremes: lanes 2^K before each, or the first. */
#define EARLIER(name, T)                                                                   \
  static const T name[4][16] = {                                                           \
    { 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 },                               \
    { 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 },                                \
    { 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },                                  \
    { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7 },                                    \
  };
EARLIER(earlier_32, int32_t)
EARLIER(earlier_64, int64_t)

#define BODY "backends/cpu/kernels/reduce/of_reals.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#ifdef __F16C__
#include "backends/cpu/kernels/lanes/halves.h"
#define BODY "backends/cpu/kernels/reduce/sums_of_halves.h"
#include "backends/cpu/kernels/lanes/for_halves.h"
#endif
#define BODY "backends/cpu/kernels/reduce/of_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
#define NO_NARROW
#define BODY "backends/cpu/kernels/reduce/running.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"

#define EXTREMES(S)                                                                        \
  .max = max_##S, .min = min_##S, .find = find_##S, .col_max = col_max_##S, .col_min = col_min_##S
#define COLUMN_INDICES(S) .col_argmax = col_argmax_##S, .col_argmin = col_argmin_##S
#define INDICES(S) .argmax = argmax_##S, .argmin = argmin_##S, COLUMN_INDICES(S)
#define INT_REDUCE(S)                                                                    \
  .sum_int = sum_int_##S, .prod_int = prod_int_##S, .col_sum_int = col_sum_int_##S,      \
  .col_prod_int = col_prod_int_##S, EXTREMES(S), COLUMN_INDICES(S)
#define SUM_REDUCE(S) SUMS_AS(S, )
#define PAIR_REDUCE(S) SUMS_AS(S, _pairs)
#define SUMS_AS(S, PAIRS)                                                                  \
  .prod = prod##PAIRS##_##S, .col_prod = col_prod##PAIRS##_##S, .sum = sum##PAIRS##_##S, .sum_sq = sum_sq##PAIRS##_##S, \
  .col_sum = col_sum##PAIRS##_##S, .col_sum_sq = col_sum_sq##PAIRS##_##S, .moments = moments##PAIRS##_##S,            \
  .col_moments = col_moments##PAIRS##_##S

/* Of booleans, which are 0 and 1, the first that is there ends the search. */
static int64_t first_bool(int64_t n, const void *x, bool wanted)
{
  const char *at = memchr(x, wanted, (size_t)n);
  return at ? at - (const char *)x : 0;
}

static int64_t first_true(int64_t n, const void *x) { return first_bool(n, x, true); }
static int64_t first_false(int64_t n, const void *x) { return first_bool(n, x, false); }

const cpu_reduce_loops CPU_OF_SET(cpu_reduce_loops_)[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_BOOL] = { INT_REDUCE(u8), .argmax = first_true, .argmin = first_false },
  [HED_ID_FLOAT32] = { SUM_REDUCE(f32), .slice_squares = slice_squares_f32, EXTREMES(f32), INDICES(f32), .scan_sum = scan_sum_f32 },
  [HED_ID_FLOAT64] = { SUM_REDUCE(f64), .slice_squares = slice_squares_f64, EXTREMES(f64), INDICES(f64), .scan_sum = scan_sum_f64 },
  [HED_ID_COMPLEX64] = { PAIR_REDUCE(f32) },
  [HED_ID_COMPLEX128] = { PAIR_REDUCE(f64) },
  [HED_ID_INT8] = { INT_REDUCE(i8) },
  [HED_ID_INT16] = { INT_REDUCE(i16) },
  [HED_ID_INT32] = { INT_REDUCE(i32) },
  [HED_ID_INT64] = { INT_REDUCE(i64) },
  [HED_ID_UINT8] = { INT_REDUCE(u8) },
  [HED_ID_UINT16] = { INT_REDUCE(u16) },
  [HED_ID_UINT32] = { INT_REDUCE(u32) },
  [HED_ID_UINT64] = { INT_REDUCE(u64) },
};

#define SIZES(S)                                                                           \
  { .sum = sum_size_##S, .col_sum = col_sum_size_##S, .max = max_size_##S, .min = min_size_##S, \
    .col_max = col_max_size_##S, .col_min = col_min_size_##S }
#define THERE(S) { .sum = sum_there_##S, .col_sum = col_sum_there_##S }
#define SQUARES(S) { .sum = sum_squares_##S, .col_sum = col_sum_squares_##S }
#define SQUARES_OF_PAIRS(S) { .sum = sum_squares_pairs_##S, .col_sum = col_sum_squares_pairs_##S }

const cpu_norm_loops CPU_OF_SET(cpu_norm_loops_) = {
  [CPU_NORM_SIZES] = { [HED_ID_FLOAT32] = SIZES(f32), [HED_ID_FLOAT64] = SIZES(f64) },
  [CPU_NORM_THERE] = { [HED_ID_FLOAT32] = THERE(f32), [HED_ID_FLOAT64] = THERE(f64) },
  [CPU_NORM_SQUARES] = { [HED_ID_FLOAT32] = SQUARES(f32), [HED_ID_FLOAT64] = SQUARES(f64),
                         [HED_ID_COMPLEX64] = SQUARES_OF_PAIRS(f32), [HED_ID_COMPLEX128] = SQUARES_OF_PAIRS(f64) },
};

#define NUMBER_SUMS(S) .sum = sum_skipnan_##S, .col_sum = col_sum_skipnan_##S
#define NUMBER_SUMS_OF_PAIRS(S) .sum = sum_skipnan_pairs_##S, .col_sum = col_sum_skipnan_pairs_##S
#define NUMBER_EXTREMES(S)                                                                 \
  .max = max_skipnan_##S, .min = min_skipnan_##S, .col_max = col_max_skipnan_##S, .col_min = col_min_skipnan_##S
const cpu_reduce_loops CPU_OF_SET(cpu_skipnan_loops_)[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_FLOAT32] = { NUMBER_SUMS(f32), NUMBER_EXTREMES(f32) },
  [HED_ID_FLOAT64] = { NUMBER_SUMS(f64), NUMBER_EXTREMES(f64) },
  [HED_ID_COMPLEX64] = { NUMBER_SUMS_OF_PAIRS(f32) },
  [HED_ID_COMPLEX128] = { NUMBER_SUMS_OF_PAIRS(f64) },
};

#ifdef __F16C__
#define HALF_SUM(NAME, S) { .sum = NAME##_##S, .col_sum = col_##NAME##_##S }
#else
#define HALF_SUM(NAME, S) { 0 }
#endif
const cpu_half_loops CPU_OF_SET(cpu_half_loops_) = {
  { HALF_SUM(sum, f16), HALF_SUM(sum, bf16) }, { HALF_SUM(sum_skipnan, f16), HALF_SUM(sum_skipnan, bf16) }
};

#define RUNNING(FN, S) { FN##_along_##S, FN##_across_##S }
const cpu_scan_loops CPU_OF_SET(cpu_scan_loops_)[CPU_SCANS][HED_ID_CONCRETE_COUNT_] = {
#define SUMS_AND_PRODUCTS(FN)                                                              \
  [HED_ID_FLOAT32] = RUNNING(FN, f32), [HED_ID_FLOAT64] = RUNNING(FN, f64),                \
  [HED_ID_INT64] = RUNNING(FN, u64), [HED_ID_UINT64] = RUNNING(FN, u64),                   \
  [HED_ID_COMPLEX128] = RUNNING(FN, c128)
  [CPU_SCAN_SUM] = { SUMS_AND_PRODUCTS(sum) },
  [CPU_SCAN_PROD] = { SUMS_AND_PRODUCTS(prod) },
#define RUNNING_EXTREMES(FN)                                                               \
  [HED_ID_FLOAT32] = RUNNING(FN, f32), [HED_ID_FLOAT64] = RUNNING(FN, f64),                \
  [HED_ID_INT32] = RUNNING(FN, i32), [HED_ID_INT64] = RUNNING(FN, i64),                    \
  [HED_ID_UINT32] = RUNNING(FN, u32), [HED_ID_UINT64] = RUNNING(FN, u64)
  [CPU_SCAN_MAX] = { RUNNING_EXTREMES(max) },
  [CPU_SCAN_MIN] = { RUNNING_EXTREMES(min) },
};
