// SPDX-License-Identifier: BSD-3-Clause
/* Elementary functions for random numbers, equal bit by bit on every machine. L0; header only, also a text of the kernels of
 * devices.
 *
 * Only + - * / and the correctly rounded sqrt are used, in the order written (-ffp-contract=off), with FLT_EVAL_METHOD 0;
 * integers are converted to floating point where that is exact or rounds to nearest. The functions are power series cut
 * where the rest is below half an ulp of the result, so the coefficients are exact fractions that any port can repeat. Errors
 * against long double: logarithm and exponential at most 2 ulp, sine and cosine 2 2^-53.
 */
#ifndef HED_BASE_RANDOM_MATH_H
#define HED_BASE_RANDOM_MATH_H

#include "base/bits.h"

#include <math.h>

/* GCC's -O2 leaves loops scalar: asking for more is worth a factor of two and changes no bit. Without noipa GCC 12.2 drops the
 * call of attempt_normal in an attempt that reads what it stores; with -fno-tree-pta it does not. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  define HOT __attribute__((noipa, optimize("O3")))
#else
#  define HOT
#endif

#define HED__LN2_HIGH 0x1.62e42fee00000p-1 /* 33 bits: products with exponents are exact */
#define HED__LN2_LOW 0x1.a39ef35793c76p-33

/* The 53 high bits of a 64-bit quantity as a number: its 21 + 32 bits are converted apart, both exactly. */
static inline double hed__high_bits(uint32_t low_word, uint32_t high_word)
{
  return ((double)(int32_t)(high_word >> 1) * 2 + (double)(int32_t)(high_word & 1)) * 0x1p21
         + (double)(int32_t)(low_word >> 11);
}

/* Natural logarithm of a normal number above 0: x = 2^e m, m in [sqrt(1/2), sqrt 2), s = (m - 1) / (m + 1):
 * e ln 2 + 2 (s + s^3/3 + .. + s^21/21); |s| < 0.1716. */
static inline double hed__rlog(double x)
{
  uint64_t b = hed__bits64(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  double e = (double)((int32_t)(uint32_t)(b >> 52) - 1023);
  b = (b & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu;
  double m = hed__number64(b), s = (m - 1.0) / (m + 1.0), w = s * s;
  double series = (1.0 / 21) * w + 1.0 / 19;
  series = series * w + 1.0 / 17;
  series = series * w + 1.0 / 15;
  series = series * w + 1.0 / 13;
  series = series * w + 1.0 / 11;
  series = series * w + 1.0 / 9;
  series = series * w + 1.0 / 7;
  series = series * w + 1.0 / 5;
  series = (series * w + 1.0 / 3) * w;
  double log_m = 2.0 * s + 2.0 * s * series;
  return e * HED__LN2_HIGH + (e * HED__LN2_LOW + log_m);
}

/* Standard exponential from U in (0, 1]. */
static inline double hed__rexponential(double u)
{
  const double e = -hed__rlog(u);
  return u < 1 ? e : 0x1p-54;
}

/* ln(1 + x) for x > -1: the rounding error of 1 + x cancels in the quotient (Kahan; Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 1.14.1). */
static inline double hed__rlog1p(double x)
{
  double u = 1.0 + x, d = u - 1.0;
  return d == 0 ? x : hed__rlog(u) * (x / d);
}

/* e^x: x = k ln 2 + r, |r| <= ln 2 / 2, series to r^13 / 13!; 0 below -745.2, infinite above 709.8. */
static inline double hed__rexp(double x)
{
  double y = x > -745.2 ? x : -745.2; /* choices, no branches: loops of this are turned into vector code */
  y = y > 709.8 ? 709.8 : y;
  double k = floor(y * (1.0 / 0.693147180559945309417) + 0.5);
  double r = (y - k * HED__LN2_HIGH) - k * HED__LN2_LOW;
  double p = (1.0 / 6227020800.0) * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = 1.0 + (r + r * r * p);
  int n = (int)k, part = n / 2; /* two powers of two, for results near the ends of the range */
  p = p * hed__number64((uint64_t)(part + 1023) << 52) * hed__number64((uint64_t)(n - part + 1023) << 52);
  p = x > -745.2 ? p : 0;
  return x > 709.8 ? INFINITY : p;
}

/* Angle of X 2^-32 turns = *q quarter turns and the returned number, in [-2^29, 2^29), of 2^-30 quarter turns. */
static inline int32_t hed__quadrant(uint32_t x, uint32_t *q)
{
  uint32_t y = x + 0x20000000u;
  *q = y >> 30;
  return (int32_t)(y & 0x3fffffffu) - 0x20000000;
}

/* Cosine and sine of a quantity of 64 bits times 2^-64 turns: series to t^16 and t^15 in an eighth of a turn either side;
 * the 62 bits below the quarter turn are used, rounded to nearest. */
static inline void hed__rturn(uint32_t low_word, uint32_t high_word, double *cosine_out, double *sine_out)
{
  uint32_t q;
  double t = ((double)hed__quadrant(high_word, &q)
              + ((double)(int32_t)(low_word >> 1) * 2 + (double)(int32_t)(low_word & 1)) * 0x1p-32)
             * (0x1p-30 * 1.57079632679489661923);
  double v = t * t, sine, cosine;
  sine = (-1.0 / 1307674368000.0) * v + 1.0 / 6227020800.0;
  sine = sine * v - 1.0 / 39916800.0;
  sine = sine * v + 1.0 / 362880.0;
  sine = sine * v - 1.0 / 5040.0;
  sine = sine * v + 1.0 / 120.0;
  sine = t + t * (v * (sine * v - 1.0 / 6.0));
  cosine = (1.0 / 20922789888000.0) * v - 1.0 / 87178291200.0;
  cosine = cosine * v + 1.0 / 479001600.0;
  cosine = cosine * v - 1.0 / 3628800.0;
  cosine = cosine * v + 1.0 / 40320.0;
  cosine = cosine * v - 1.0 / 720.0;
  cosine = cosine * v + 1.0 / 24.0;
  cosine = 1.0 + v * (cosine * v - 0.5);
  double c = q & 1 ? sine : cosine, d = q & 1 ? cosine : sine;
  *cosine_out = (q + 1) & 2 ? -c : c;
  *sine_out = q & 2 ? -d : d;
}

/* Tangent of the same angle; 2^-63 takes the place of a cosine of 0. */
static inline double hed__rtangent(uint32_t low_word, uint32_t high_word)
{
  double cosine, sine;
  hed__rturn(low_word, high_word, &cosine, &sine);
  return sine / (cosine == 0 ? 0x1p-63 : cosine);
}

/* A standard normal pair from two quantities of 64 bits (Box and Muller 1958): u = (k + 1/2) 2^-53 with 53 bits k, so the
 * tail ends at sqrt(108 ln 2) = 8.65. Measured error: at most 3 2^-53 of the radius. */
static inline void hed__rnormal(uint32_t l0, uint32_t h0, uint32_t l1, uint32_t h1, double *z0, double *z1)
{
  double r = sqrt(2.0 * -hed__rlog((hed__high_bits(l0, h0) + 0.5) * 0x1p-53)), c, s;
  hed__rturn(l1, h1, &c, &s);
  *z0 = r * c;
  *z1 = r * s;
}

#endif
