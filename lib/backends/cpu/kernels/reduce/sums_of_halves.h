// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of float16 and bfloat16, converted in registers, as those of float32 go; a body of reduce.c, after those for reals.
 * AVX2 with F16C and AVX-512; contiguous slices and rows of contiguous columns.
 */
INLINE V N(measured)(const measure of, V v) { return measured_f32(of, v); }
INLINE vd N(widened)(V v) { return widened_f32(v); }
INLINE void N(col_add)(double *acc, V v) { col_add_f32(acc, v); }

/* Columns that do not fill a vector are made otherwise. */
INLINE double N(measured_one)(const measure of, const T *p, int64_t j)
{
  (void)of, (void)p, (void)j;
  return 0;
}

#include "backends/cpu/kernels/reduce/sums.h"

/* Columns that fill vectors as those of float32, whose loop is left none that do not: those are the end of a vector that overlaps,
 * if there is one. */
INLINE void N(col_sum_of)(const measure of, int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  enum { W = LANES };
  const int64_t last = n % W, over = n - last, skipped = over ? W - last : 0;
  N(col_sum_all)(of, rows, over, x, step, acc);
  x += (over - skipped) * 2;
  for (int64_t r = 0; r < rows && last; r += COL_ROWS) {
    const int64_t some = rows - r < COL_ROWS ? rows - r : COL_ROWS;
    V a = { 0 };
    double lane[W];
    for (int64_t k = 0; k < some; k++, x += step)
      a += N(measured)(of, over ? N(get)((const T *)(const void *)x) : N(get_some)((const T *)(const void *)x, last));
    *(vd *)(void *)lane = lower_f32(a);
    *(vd *)(void *)(lane + W / 2) = upper_f32(a);
    for (int64_t k = 0; k < last; k++)
      acc[over + k] += lane[skipped + k];
  }
}

static void N(col_sum)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  N(col_sum_of)(ELEMENTS, rows, n, x, step, acc);
}

static void N(col_sum_skipnan)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  N(col_sum_of)(NUMBERS, rows, n, x, step, acc);
}
