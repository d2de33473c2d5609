// SPDX-License-Identifier: BSD-3-Clause
/*
 * gamma, lgamma and digamma, in double for float32 too. Included by functions.c alone.
 *
 * Small arguments are x = r + t with r whole: the function at 2 + t by a polynomial in t, which is exact, and from there to x
 * by the recurrence. Large ones go by Stirling's series (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964,
 * 6.1.40 and 6.3.18). The polynomials are fits at Chebyshev nodes. Arguments that are not positive, for which there are poles
 * and reflections, those below LEAST, which have fewer bits, and NaN go to the functions of lib/base.
 * Every instruction set; contiguous float32 and float64, by blocks.
 */
#include "backends/cpu/kernels/functions/gamma_table.h"

#define LEAST 0x1p-1022

#define BODY "backends/cpu/kernels/functions/two_ranges.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/* The nearest integer, of numbers below 2^51. */
INLINE double whole_d(double x) { return x + MAGIC_D - MAGIC_D; }

/* log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2, of relative error 2^-54 from 6. */
INLINE double stirling_d(double x)
{
  const double y = 1.0 / x, w = y * y;
  double p = -0x1.0d8513343c1bcp-6;
  p = ma_d(p, w, 0x1.82c39113f3f6fp-8);
  p = ma_d(p, w, -0x1.f3c0af2b46c88p-10);
  p = ma_d(p, w, 0x1.b93f37c5dcf71p-11);
  p = ma_d(p, w, -0x1.3813603b5b967p-11);
  p = ma_d(p, w, 0x1.a01a018331aecp-11);
  p = ma_d(p, w, -0x1.6c16c16c14538p-9);
  return ma_d(p, w, 0x1.5555555555555p-4) * y;
}

/* ---- gamma: where the recurrence divides, 1 / gamma(2 + t), which has no poles, is a factor of the divisor ---- */

INLINE double gamma_below_d(double x)
{
  const double r = whole_d(x), t = x - r; /* r from 0 to 6 */
  double p = 0x1.b56e3694ccae0p-28;
  p = ma_d(p, t, -0x1.87f0cd5486454p-30);
  p = ma_d(p, t, -0x1.b95493e7f5eb6p-23);
  p = ma_d(p, t, 0x1.6770696145de4p-20);
  p = ma_d(p, t, -0x1.5b7cee214bcddp-19);
  p = ma_d(p, t, -0x1.265f5c225ac70p-16);
  p = ma_d(p, t, 0x1.315655486e68bp-13);
  p = ma_d(p, t, -0x1.7a5da90bd01dbp-12);
  p = ma_d(p, t, -0x1.a5b350a63fcbcp-11);
  p = ma_d(p, t, 0x1.06e8179df52bap-7);
  p = ma_d(p, t, -0x1.21198511758ccp-6);
  p = ma_d(p, t, -0x1.92449b66f0de4p-6);
  p = ma_d(p, t, 0x1.875ac5782250ap-3);
  p = ma_d(p, t, -0x1.dd603fb6ac126p-3);
  p = ma_d(p, t, -0x1.b0ee6072093cep-2);
  p = ma_d(p, t, 1.0);
  p *= r < 2 ? t + 1.0 : 1.0;
  p *= r < 1 ? t : 1.0;
  double up = r > 2 ? t + 2.0 : 1.0;
  up *= r > 3 ? t + 3.0 : 1.0;
  up *= r > 4 ? t + 4.0 : 1.0;
  up *= r > 5 ? t + 5.0 : 1.0;
  return up / p;
}

/* From the nearest integer n = x - f: the difference of the logarithms is small, so that its error is too. Beyond 171.6
 * the product overflows. */
INLINE double gamma_nearest_d(double x)
{
  const double n = whole_d(x);
  return n < 171.0 ? n : 171.0;
}

INLINE double gamma_above_d(double x, double at_n, double log_n)
{
  const double n = gamma_nearest_d(x), f = x - n, z = f / n, log_ratio = log_sum_d(0.0, z, log_series_of_d(z));
  const double a = f * log_n, b = ma_d(x - 0.5, log_ratio, stirling_d(x)), e = a + b, back = e - a;
  const double lost = ((a - (e - back)) + (b - back)) + ma_d(f, log_n, -a); /* by rounding */
  const double ratio = exp_near_d(e);
  return at_n * ma_d(ratio, lost, ratio);
}

/* What comes from tables comes first: it would leave the loop scalar. */
static void gamma_above_row(int64_t m, double *x)
{
  _Alignas(CPU_VECTOR) double at_n[MATH_BLOCK], log_n[MATH_BLOCK];
  for (int64_t i = 0; i < m; i++) {
    const int k = (int)gamma_nearest_d(x[i]);
    at_n[i] = gamma_at[k];
    log_n[i] = log_less_one[k];
  }
  IVDEP for (int64_t i = 0; i < m; i++)
    x[i] = gamma_above_d(x[i], at_n[i], log_n[i]);
}

#define GAMMA_MOST 173.0
INLINE double gamma_of(double x) { return x > GAMMA_MOST ? HUGE_VAL : gamma_function(x); }
ROW1(gamma, f32, two_ranges_f32(n, o, v, 6.5, GAMMA_MOST, gamma_below_d, gamma_above_row, gamma_of))
ROW1(gamma, f64, two_ranges_f64(n, o, v, 6.5, GAMMA_MOST, gamma_below_d, gamma_above_row, gamma_of))

/* ---- lgamma: at 2 + t for t from -3/4 to 1/4, so that little cancels between that and the logarithm of the factors ---- */

INLINE double lgamma_below_d(double x)
{
  const double r = whole_d(x + 0.25), t = x - r; /* r from 0 to 8 */
  double p = -0x1.b8f78befbcbe5p-21;
  p = ma_d(p, t, -0x1.41a44e678e90ep-19);
  p = ma_d(p, t, -0x1.f65e8bbe8d19cp-19);
  p = ma_d(p, t, -0x1.29f67fd37f37fp-19);
  p = ma_d(p, t, -0x1.c01eedc8c73e9p-20);
  p = ma_d(p, t, 0x1.09801beb0e6b2p-19);
  p = ma_d(p, t, -0x1.e76ce4fb85940p-19);
  p = ma_d(p, t, 0x1.156452762d3bep-17);
  p = ma_d(p, t, -0x1.288552de6f9fcp-16);
  p = ma_d(p, t, 0x1.4021f3a1b43efp-15);
  p = ma_d(p, t, -0x1.5c86ca5f7b406p-14);
  p = ma_d(p, t, 0x1.7ed75d6016137p-13);
  p = ma_d(p, t, -0x1.a96a3e28e9048p-12);
  p = ma_d(p, t, 0x1.dfebcf4f347e6p-11);
  p = ma_d(p, t, -0x1.145121fb8f484p-9);
  p = ma_d(p, t, 0x1.47974853c13aap-8);
  p = ma_d(p, t, -0x1.95ce223a9b594p-7);
  p = ma_d(p, t, 0x1.0e0c9df2934fap-5);
  p = ma_d(p, t, -0x1.9ae6509ea10a1p-4);
  p = ma_d(p, t, 0x1.b0ee6072093cep-2);
  double factors = r < 1 ? x * (x + 1.0) : r < 2 ? x : 1.0;
  factors *= r > 2 ? t + 2.0 : 1.0;
  factors *= r > 3 ? t + 3.0 : 1.0;
  factors *= r > 4 ? t + 4.0 : 1.0;
  factors *= r > 5 ? t + 5.0 : 1.0;
  factors *= r > 6 ? t + 6.0 : 1.0;
  factors *= r > 7 ? t + 7.0 : 1.0;
  const double log_factors = log_near_d(factors);
  return ma_d(t * (t + 1.0), p, r < 2 ? -log_factors : log_factors);
}

INLINE double lgamma_above_d(double x)
{
  return ma_d(x - 0.5, log_near_d(x) - 1.0, 0x1.acfe390c97d69p-2 + stirling_d(x)); /* (log(2 pi) - 1) / 2 */
}

static void lgamma_above_row(int64_t m, double *x) { each1_f64(m, x, x, lgamma_above_d); }
ROW1(lgamma, f32, two_ranges_f32(n, o, v, 8.0, 0x1p1000, lgamma_below_d, lgamma_above_row, log_gamma))
ROW1(lgamma, f64, two_ranges_f64(n, o, v, 8.0, 0x1p1000, lgamma_below_d, lgamma_above_row, log_gamma))

/* ---- digamma ---- */

/* Below 4, (x - x0) N(x) / (x (x + 1) .. (x + 6)): x0 is the root, and all large coefficients of N are positive. */
INLINE double digamma_below_d(double x)
{
  double p = 0x1.5891fa83401fap-46;
  p = ma_d(p, x, -0x1.e37863104a199p-41);
  p = ma_d(p, x, 0x1.4fb2296b54d76p-36);
  p = ma_d(p, x, -0x1.3cce78c662a40p-32);
  p = ma_d(p, x, 0x1.dd80194fde9f1p-29);
  p = ma_d(p, x, -0x1.4431066cebf76p-25);
  p = ma_d(p, x, 0x1.b6b1cb9527e15p-22);
  p = ma_d(p, x, -0x1.419ed9a7b499ep-18);
  p = ma_d(p, x, 0x1.147fc07982986p-14);
  p = ma_d(p, x, -0x1.3884830378711p-10);
  p = ma_d(p, x, 0x1.321ab56284791p-5);
  p = ma_d(p, x, 0x1.e3cb4ac74411dp+1);
  p = ma_d(p, x, 0x1.ce59f839ee18ep+5);
  p = ma_d(p, x, 0x1.7dfa20394bf21p+8);
  p = ma_d(p, x, 0x1.42518459a056dp+10);
  p = ma_d(p, x, 0x1.19074ed26ea26p+11);
  p = ma_d(p, x, 0x1.c90e8664c4335p+10);
  p = ma_d(p, x, 0x1.ec9999d773d03p+8);
  double q = x + 21.0;
  q = ma_d(q, x, 175.0);
  q = ma_d(q, x, 735.0);
  q = ma_d(q, x, 1624.0);
  q = ma_d(q, x, 1764.0);
  q = ma_d(q, x, 720.0);
  const double from_root = x - 0x1.762d86356be3fp+0 - 0x1.b86a722197829p-54;
  return from_root * p / (q * x);
}

/* log y - 1/(2 y) - ..., y = x + 4 where x is below 8: less 1/x + 1/(x + 1) + 1/(x + 2) + 1/(x + 3). */
INLINE double digamma_above_d(double x)
{
  const double near = x < 8.0 ? x : 8.0, u = ma_d(near, near, 3.0 * near);
  const double back = 2.0 * ma_d(2.0, near, 3.0) * (u + 1.0) / (u * (u + 2.0));
  const double y = x < 8.0 ? x + 4.0 : x, v = 1.0 / y, w = v * v;
  double p = -0x1.329c8ffc645d0p-2;
  p = ma_d(p, w, 0x1.47c696f36fd00p-4);
  p = ma_d(p, w, -0x1.58e68c8696deep-6);
  p = ma_d(p, w, 0x1.f077209c10886p-8);
  p = ma_d(p, w, -0x1.11110c0ff84bfp-8);
  p = ma_d(p, w, 0x1.0410410195bbcp-8);
  p = ma_d(p, w, -0x1.1111111110d4fp-7);
  p = ma_d(p, w, 0x1.5555555555555p-4);
  return log_near_d(y) - (ma_d(p, w, 0.5 * v) + (x < 8.0 ? back : 0.0));
}

static void digamma_above_row(int64_t m, double *x) { each1_f64(m, x, x, digamma_above_d); }
ROW1(digamma, f32, two_ranges_f32(n, o, v, 4.0, 0x1.fffffffffffffp1023, digamma_below_d, digamma_above_row, digamma))
ROW1(digamma, f64, two_ranges_f64(n, o, v, 4.0, 0x1.fffffffffffffp1023, digamma_below_d, digamma_above_row, digamma))
