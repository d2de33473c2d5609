// SPDX-License-Identifier: BSD-3-Clause
/*
 * Squared distances from a mean that is found on the way, so that elements are read once. L1.
 *
 * What is kept of COUNT elements: a number ABOUT, the sum of their distances from it and that of the squared distances
 * (after T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing the sample variance, The American
 * Statistician 37, 1983). ABOUT starts as the mean of the first few and becomes that of what has come: where it is the mean of
 * k of the n elements, the squares about it are at most n / k + 1 times those about the mean of all n. Elements therefore come
 * in stretches of at most GROWTH times as many as before.
 */
#ifndef HED_BACKENDS_CPU_MOMENTS_H
#define HED_BACKENDS_CPU_MOMENTS_H

#include "backends/cpu/kernels/kernels.h"

/* Distances from *ABOUT become distances from TO. */
static inline void cpu_moments_move(double *about, double to, double *sum, double *square, double count)
{
  const double by = to - *about, rest = *sum - count * by;
  *square -= by * (*sum + rest);
  *sum = rest;
  *about = to;
}

/* MORE other elements, at least one, join COUNT; PART is 1 / (COUNT + MORE). */
static inline void cpu_moments_join(double *about, double *sum, double *square, double count, double about_b, double sum_b,
                                   double square_b, double more, double part)
{
  if (count == 0)
    *about = about_b;
  cpu_moments_move(&about_b, *about, &sum_b, &square_b, more);
  *sum += sum_b;
  *square += square_b;
  cpu_moments_move(about, *about + *sum * part, sum, square, count + more);
}

/* The mean of some of the first of N elements. */
static inline void cpu_moments_begin(int64_t size, int parts, int64_t n, const void *x, double *about)
{
  enum { SOME = 8 };
  const int some = n < 2 * SOME ? 1 : SOME;
  for (int k = 0; k < parts; k++) {
    double sum = 0;
    for (int i = k; i < some * parts; i += parts)
      sum += size == 4 * parts ? (double)((const float *)x)[i] : ((const double *)x)[i];
    about[k] = sum * (1.0 / some);
  }
}

/* Elements that may come next, COUNT having come. */
static inline int64_t cpu_moments_stretch(double count)
{
  enum { FIRST = 512, GROWTH = 63 };
  return count < FIRST ? FIRST : count < 1e12 ? (int64_t)count * GROWTH : INT64_MAX;
}

/* N contiguous elements of SIZE bytes and PARTS components, whose type LOOPS are for; a sum of each kind per component. */
static inline void cpu_moments_add(const cpu_reduce_loops *loops, int64_t size, int parts, int64_t n, const void *x,
                                  double *about, double *sum, double *square, double *count)
{
  const char *from = x;
  while (n > 0) {
    const int64_t most = cpu_moments_stretch(*count), m = n < most ? n : most;
    if (*count == 0)
      cpu_moments_begin(size, parts, n, x, about);
    else
      for (int k = 0; k < parts; k++)
        cpu_moments_move(&about[k], about[k] + sum[k] / *count, &sum[k], &square[k], *count);
    loops->moments(m, from, about, sum, square);
    *count += (double)m;
    n -= m;
    from += m * size;
  }
}

/* The squared distances from the mean of COUNT elements. */
static inline double cpu_moments_squares(int parts, const double *sum, const double *square, double count)
{
  double v = 0;
  for (int k = 0; k < parts; k++)
    v += square[k] - sum[k] * sum[k] / count;
  return v < 0 ? 0 : v;
}

#endif
