// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of reals and of complex numbers, which are pairs of them, and of squared distances from a mean; a body of reduce.c, which
 * includes sums.h after what that needs.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */
INLINE V N(measured)(const measure of, V v)
{
  switch (of) {
  case SIZES_OF_ELEMENTS: return N(magnitude)(v);
  case THERE: return (V)((WORDS)(v != (V){ 0 }) & (WORDS)N(each)(1));
  case NUMBERS: return N(if_numbers)(v, v);
  case PAIRS_OF_NUMBERS: return N(if_numbers)(v, N(exchanged)(v));
  default: return v;
  }
}

/* Of component J at P. */
INLINE double N(measured_one)(const measure of, const T *p, int64_t j)
{
  switch (of) {
  case SIZES_OF_ELEMENTS: return fabs((double)*p);
  case THERE: return *p != 0;
  case NUMBERS: return *p == *p ? (double)*p : 0;
  case PAIRS_OF_NUMBERS: return *p == *p && p[j & 1 ? -1 : 1] == p[j & 1 ? -1 : 1] ? (double)*p : 0;
  default: return (double)*p;
  }
}

#include "backends/cpu/kernels/reduce/sums.h"

static void N(sum_size)(int64_t n, const void *x, double *sum) { N(sum_of)(SIZES_OF_ELEMENTS, n, x, sum); }
static void N(sum_there)(int64_t n, const void *x, double *sum) { N(sum_of)(THERE, n, x, sum); }
static void N(sum_pairs)(int64_t n, const void *x, double *sum) { N(sum_all)(ELEMENTS, 2 * n, x, &sum[0], &sum[1]); }

static void N(sum_skipnan_pairs)(int64_t n, const void *x, double *sum)
{
  N(sum_all)(PAIRS_OF_NUMBERS, 2 * n, x, &sum[0], &sum[1]);
}

#define COLUMNS(name, of, parts)                                                                                       \
  static void N(name)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)                               \
  {                                                                                                                    \
    N(col_sum_all)(of, rows, (parts) * n, x, step, acc);                                                               \
  }
COLUMNS(col_sum, ELEMENTS, 1)
COLUMNS(col_sum_pairs, ELEMENTS, 2)
COLUMNS(col_sum_size, SIZES_OF_ELEMENTS, 1)
COLUMNS(col_sum_there, THERE, 1)
COLUMNS(col_sum_skipnan, NUMBERS, 1)
COLUMNS(col_sum_skipnan_pairs, PAIRS_OF_NUMBERS, 2)
#undef COLUMNS

/* Squared distances from the mean, in double; PARTS components per element. */
INLINE void N(sum_sq_of)(const int parts, int64_t n, const T *v, const double *mean, double *sum)
{
  const int64_t m = n * parts;
  enum { W = VECTOR / 8 };
  vd mu, a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };
  double even = 0, odd = 0;
  int64_t i = 0;
  for (int k = 0; k < W; k++)
    mu[k] = mean[k % parts];
  for (; i + 4 * W <= m; i += 4 * W) {
    const vd d0 = N(wide)(v + i) - mu, d1 = N(wide)(v + i + W) - mu;
    const vd d2 = N(wide)(v + i + 2 * W) - mu, d3 = N(wide)(v + i + 3 * W) - mu;
    a0 += d0 * d0;
    a1 += d1 * d1;
    a2 += d2 * d2;
    a3 += d3 * d3;
  }
  for (; i + W <= m; i += W) {
    const vd d = N(wide)(v + i) - mu;
    a0 += d * d;
  }
  for (; i < m; i++) {
    const double d = (double)v[i] - mean[i % parts];
    even += d * d;
  }
  add_lanes_f64((a0 + a1) + (a2 + a3), &even, &odd);
  *sum += even + odd;
}

static void N(sum_sq)(int64_t n, const void *x, const double *mean, double *sum) { N(sum_sq_of)(1, n, x, mean, sum); }
static void N(sum_sq_pairs)(int64_t n, const void *x, const double *mean, double *sum) { N(sum_sq_of)(2, n, x, mean, sum); }

static void N(col_sum_sq)(int64_t rows, int64_t n, const char *x, int64_t step, const double *mean, double *acc)
{
  enum { W = VECTOR / 8 };
  for (int64_t from = 0; from < rows; from += COL_ROWS, x += COL_ROWS * step) {
    const int64_t m = rows - from < COL_ROWS ? rows - from : COL_ROWS;
    int64_t j = 0;
    for (; j + 2 * W <= n; j += 2 * W) {
      const char *p = x + j * (int64_t)sizeof(T);
      const vd u0 = wide_f64(mean + j), u1 = wide_f64(mean + j + W);
      vd a0 = { 0 }, a1 = { 0 };
      for (int64_t r = 0; r < m; r++, p += step) {
        const vd d0 = N(wide)(p) - u0, d1 = N(wide)(p + W * sizeof(T)) - u1;
        a0 += d0 * d0;
        a1 += d1 * d1;
      }
      col_add(acc + j, a0);
      col_add(acc + j + W, a1);
    }
    for (; j < n; j++) {
      double a = 0;
      for (int64_t r = 0; r < m; r++) {
        const double d = (double)*(const T *)(const void *)(x + j * (int64_t)sizeof(T) + r * step) - mean[j];
        a += d * d;
      }
      acc[j] += a;
    }
  }
}

/* Both parts of a complex number count towards one sum. */
static void N(col_sum_sq_pairs)(int64_t rows, int64_t n, const char *x, int64_t step, const double *mean, double *acc)
{
  for (int64_t r = 0; r < rows; r++, x += step) {
    const T *v = (const T *)(const void *)x;
    IVDEP for (int64_t i = 0; i < n; i++) {
      const double re = (double)v[2 * i] - mean[2 * i], im = (double)v[2 * i + 1] - mean[2 * i + 1];
      acc[i] += re * re + im * im;
    }
  }
}
