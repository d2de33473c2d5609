// SPDX-License-Identifier: BSD-3-Clause
/* Statistics for tests of random numbers: incomplete gamma and beta functions by series and continued fractions
 * (Abramowitz and Stegun 6.5.29, 6.5.31, 26.5.8), the Kolmogorov-Smirnov distance, limits of chi-squared.
 */
#ifndef HED_TESTS_STATISTICS_H
#define HED_TESTS_STATISTICS_H

#include <math.h>
#include <stdlib.h>

#if defined(__GNUC__)
#  define STAT_UNUSED __attribute__((unused))
#else
#  define STAT_UNUSED
#endif

/* Regularised lower incomplete gamma function P(a, x). */
STAT_UNUSED static double stat_gamma(double a, double x)
{
  if (x <= 0)
    return 0;
  double front = exp(a * log(x) - x - lgamma(a));
  if (a > 1e4) { /* Wilson and Hilferty: errors far below the tests' */
    double z = (cbrt(x / a) - 1 + 1 / (9 * a)) * 3 * sqrt(a);
    return 0.5 * erfc(-z / sqrt(2));
  }
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double k = a + 1; term > sum * 1e-16; k++)
      sum += term *= x / k;
    return front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 500; i++) {
    double n = -i * (i - a);
    b += 2;
    d = 1 / (n * d + b);
    c = b + n / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-15)
      break;
  }
  return 1 - front * h;
}

/* Regularised incomplete beta function I_x(a, b). */
STAT_UNUSED static double stat_beta(double a, double b, double x)
{
  if (x <= 0 || x >= 1)
    return x >= 1;
  if (x > (a + 1) / (a + b + 2))
    return 1 - stat_beta(b, a, 1 - x);
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 500; m++) {
    double n = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + n * d);
    c = 1 + n / c;
    h *= d * c;
    n = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + n * d);
    c = 1 + n / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-15)
      break;
  }
  return front * h;
}

STAT_UNUSED static int stat_ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* sqrt(n) D of the sample, which is sorted; above 1.95 with probability 0.001. */
STAT_UNUSED static double stat_kolmogorov(double *x, int n, double (*cdf)(double))
{
  double d = 0;
  qsort(x, (size_t)n, sizeof *x, stat_ascending);
  for (int i = 0; i < n; i++) {
    double c = cdf(x[i]);
    d = fmax(d, fmax(fabs(c - i / (double)n), fabs((i + 1) / (double)n - c)));
  }
  return d * sqrt(n);
}

/* What chi-squared of DF degrees of freedom exceeds with probability 0.001 (Wilson and Hilferty). */
STAT_UNUSED static double stat_chi_limit(int df)
{
  double c = 1 - 2.0 / (9 * df) + 3.0902 * sqrt(2.0 / (9 * df));
  return df * c * c * c;
}

#endif
