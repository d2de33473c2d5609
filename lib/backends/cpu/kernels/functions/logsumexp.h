// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of exponentials: softplus, logaddexp, logaddexp2; gelu, which is made of e^(-x^2/2). Included by functions.c alone.
 *
 * log(e^a + e^b) = max(a, b) + log(1 + e^-|a - b|): where the two cancel, what remains has the error of the larger operand.
 * Every instruction set; contiguous float32 and float64, by blocks.
 */

/* log(1 + e) for e in [0, 1]. What depends on 1 + e > sqrt 2 is made by arithmetic: a selection would make compilers compute
 * both sides to the end. */
INLINE double log_one_plus_d(double e)
{
  double more = of_bits_d(-(uint64_t)(e > 0x1.a827999fcef32p-2) & bits_d(1.0)), f = (e - more) * (1.0 - 0.5 * more);
  return log_sum_d(more, f, log_series_of_d(f));
}

INLINE float log_one_plus_f(float e)
{
  float more = of_bits_f(-(uint32_t)(e > 0x1.a8279ap-2f) & bits_f(1.0f));
  return log_sum_f(more, (e - more) * (1.0f - 0.5f * more));
}

/* 2^x, for x <= 0 */
INLINE double exp2_below_d(double v)
{
  double x = v < -1100.0 ? -1100.0 : v, m = x + MAGIC_D, r = x - (m - MAGIC_D);
  return scale_d(1.0 + exp_reduced_d(r * 0x1.62e42fefa39efp-1), m);
}

#define LN2 0.69314718055994530942
#define BODY "backends/cpu/kernels/functions/logsumexp_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

ROW1(softplus, f32, passes1_f32(n, o, v, exp_below_f32, softplus_of_f32))
ROW1(softplus, f64, passes1_f64(n, o, v, exp_below_f64, softplus_of_f64))
ROW2(logaddexp, f32, passes2_f32(n, o, v, w, logaddexp_power_f32, logaddexp_sum_f32))
ROW2(logaddexp, f64, passes2_f64(n, o, v, w, logaddexp_power_f64, logaddexp_sum_f64))
ROW2(logaddexp2, f32, passes2_f32(n, o, v, w, logaddexp2_power_f32, logaddexp2_sum_f32))
ROW2(logaddexp2, f64, passes2_f64(n, o, v, w, logaddexp2_power_f64, logaddexp2_sum_f64))

/*
 * gelu: x Q(-x), with Q(a) = e^(-a^2/2) G(u) / (a + k) for a >= 0, u = (a - k) / (a + k), after the erfc of J. L.
 * Schonfelder (Chebyshev expansions for the error and related functions, Mathematics of Computation 32, 1978). G is a
 * minimax fit by Remez's exchange, of relative error 2^-29 with k = 3 (float32) and 2^-57 with k = 5 (float64). What
 * rounding a^2 takes away goes into the exponential. Beyond MOST Q vanishes; the power of two comes last, so that what is
 * left of x Q below 0 is rounded once.
 */
#if defined(__FMA__)
INLINE float square_rest_f(float a, float square) { return __builtin_fmaf(a, a, -square); }
INLINE double square_rest_d(double a, double square) { return __builtin_fma(a, a, -square); }
#else
INLINE float square_rest_f(float a, float square) { return (float)((double)a * (double)a - (double)square); }

/* By halves of 26 bits (T. J. Dekker, Numerische Mathematik 18, 1971). */
INLINE double square_rest_d(double a, double square)
{
  double high = of_bits_d(bits_d(a) & ~(uint64_t)0x7ffffff), low = a - high;
  return ((high * high - square) + 2.0 * high * low) + low * low;
}
#endif

/* Q of A without the power of two, which is *M. */
INLINE double gelu_tail_d(double a, double *m)
{
  double s = a + 5.0, u = (a - 5.0) / s;
  double z = u * u, g = -0x1.4d0b8a6b1ae45p-32, h = 0x1.899bf971f8aeap-30;
  g = ma_d(g, z, 0x1.10e3f39392f65p-27);
  g = ma_d(g, z, -0x1.1b845594749b5p-24);
  g = ma_d(g, z, 0x1.d0ce3d13ca186p-22);
  g = ma_d(g, z, -0x1.73a47ab439817p-19);
  g = ma_d(g, z, 0x1.17dc86bd7fe97p-16);
  g = ma_d(g, z, -0x1.f2144a6a1621fp-15);
  g = ma_d(g, z, -0x1.a250381c718a7p-11);
  g = ma_d(g, z, 0x1.54b4d4f4f9976p-6);
  g = ma_d(g, z, 0x1.51f6329f011d3p-3);
  g = ma_d(g, z, 0x1.fb31653876f9fp-2);
  g = ma_d(g, z, 0x1.89d3abe1f95aep-1);
  h = ma_d(h, z, -0x1.1d011d80d2d28p-27);
  h = ma_d(h, z, 0x1.5f28eeceab14ap-25);
  h = ma_d(h, z, -0x1.6847bfc712734p-22);
  h = ma_d(h, z, 0x1.0b1e7d08b7a44p-18);
  h = ma_d(h, z, -0x1.a1707cdaa33f4p-15);
  h = ma_d(h, z, 0x1.1daf1c396f2a0p-11);
  h = ma_d(h, z, -0x1.88590ea29d9ffp-9);
  h = ma_d(h, z, -0x1.1b1c254c9ec07p-4);
  h = ma_d(h, z, -0x1.410ed5f8759e4p-2);
  h = ma_d(h, z, -0x1.54ad03f27ca17p-1);
  g = ma_d(h, u, g);
  double square = a * a, r;
  *m = exp_reduce_d(-0.5 * square, &r);
  r = ma_d(-0.5, square_rest_d(a, square), r);
  g /= s;
  return ma_d(g, exp_reduced_d(r), g);
}

INLINE double gelu_d(double x)
{
  const double most = 39.0;
  double a = __builtin_fabs(x), m;
  a = a > most ? most : a;
  double q = gelu_tail_d(a, &m), above = ma_d(-x, scale_d(q, m), x), below = scale_d(__builtin_copysign(a, x) * q, m);
  double y = x > 0 ? above : below;
  y = x > most ? x : y;
  return x == -HUGE_VAL ? 0.0 : y;
}

/* For |x| <= 36: 2^n goes into the exponent. */
INLINE double gelu_near_d(double x)
{
  double m, q = gelu_tail_d(__builtin_fabs(x), &m);
  q = of_bits_d(bits_d(q) + (bits_d(m) << 52));
  return ma_d(-__builtin_fabs(x), q, 0 > x ? -0.0 : x); /* -0 stays */
}

#if defined(__AVX512F__)
#include "backends/cpu/kernels/functions/gelu.h"
#else
/* Q of A without the power of two, which is *M. */
INLINE float gelu_tail_f(float a, float *m)
{
  float s = a + 3.0f, u = (a - 3.0f) / s;
  float z = u * u, g = 0x1.c91674p-15f, h = 0x1.136b64p-13f;
  g = ma_f(g, z, -0x1.009e3ep-12f);
  g = ma_f(g, z, 0x1.0ca214p-10f);
  g = ma_f(g, z, -0x1.56d5ecp-7f);
  g = ma_f(g, z, 0x1.d71386p-3f);
  g = ma_f(g, z, 0x1.754a76p-1f);
  h = ma_f(h, z, -0x1.0eaed8p-10f);
  h = ma_f(h, z, 0x1.c8bda4p-8f);
  h = ma_f(h, z, -0x1.832d0ap-5f);
  h = ma_f(h, z, -0x1.04c72ap-1f);
  g = ma_f(h, u, g);
  float square = a * a, r;
  *m = exp_reduce_f(-0.5f * square, &r);
  r = ma_f(-0.5f, square_rest_f(a, square), r);
  g /= s;
  return ma_f(g, exp_reduced_f(r), g);
}

INLINE float gelu_f(float x)
{
  const float most = 15.0f;
  float a = __builtin_fabsf(x), m;
  a = a > most ? most : a;
  float q = gelu_tail_f(a, &m), above = ma_f(-x, scale_f(q, m), x), below = scale_f(__builtin_copysignf(a, x) * q, m);
  float y = x > 0 ? above : below;
  y = x > most ? x : y;
  return x == -HUGE_VALF ? 0.0f : y;
}

/* For |x| <= 12: 2^n goes into the exponent. */
INLINE float gelu_near_f(float x)
{
  float m, q = gelu_tail_f(__builtin_fabsf(x), &m);
  q = of_bits_f(bits_f(q) + (bits_f(m) << 23));
  return ma_f(-__builtin_fabsf(x), q, 0 > x ? -0.0f : x); /* -0 stays */
}

FUNCTION_NEAR(gelu, f32, -12.0f, 12.0f, gelu_near_f, gelu_f)
#endif
ROW1(gelu, f64, near_row_f64(n, o, v, -36.0, 36.0, gelu_near_d, gelu_d, false))
