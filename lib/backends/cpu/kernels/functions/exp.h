// SPDX-License-Identifier: BSD-3-Clause
/*
 * exp, exp2, expm1 and what is made of them: tanh, sigmoid, silu, elu, cosh, sinh. Included by functions.c and chain.c.
 *
 * x = n ln 2 + r with ln 2 in two parts (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980), so
 * that |r| <= ln 2 / 2; e^r = 1 + r + r^2 P(r), 2^r = 1 + r E(r). P and E are minimax fits by Remez's exchange, of
 * relative error 2^-28 (float32) and 2^-61 (float64) for P, 2^-29 for E. 2^n is applied in two steps, so that results
 * overflow and underflow as they should. Integers are taken from the bits of n: a NaN passes and converts nothing.
 * Every instruction set; contiguous float32 and float64, others by blocks.
 */

INLINE float exp_reduced_f(float r)
{
  float p = 0x1.6db546p-10f;
  p = ma_f(p, r, 0x1.123bdep-7f);
  p = ma_f(p, r, 0x1.55545cp-5f);
  p = ma_f(p, r, 0x1.55548ep-3f);
  p = ma_f(p, r, 0.5f);
  return ma_f(r * r, p, r); /* e^r - 1 */
}

/* Split into n, which is returned with MAGIC_F added, and r. */
INLINE float exp_reduce_f(float x, float *r)
{
  float m = ma_f(x, 0x1.715476p0f, MAGIC_F), n = m - MAGIC_F;
  *r = ma_f(-n, 0x1.7f7d1cp-20f, ma_f(-n, 0x1.62e4p-1f, x));
  return m;
}

/* y 2^n */
INLINE float scale_f(float y, float m)
{
  int32_t k = (int32_t)(bits_f(m) - bits_f(MAGIC_F)), half = k >> 1;
  return y * of_bits_f((uint32_t)(half + 127) << 23) * of_bits_f((uint32_t)(k - half + 127) << 23);
}

INLINE float exp2_reduced_f(float r) /* 2^r */
{
  float p = 0x1.448fbcp-13f;
  p = ma_f(p, r, 0x1.5f47dcp-10f);
  p = ma_f(p, r, 0x1.3b29aap-7f);
  p = ma_f(p, r, 0x1.c6aed0p-5f);
  p = ma_f(p, r, 0x1.ebfbe0p-3f);
  p = ma_f(p, r, 0x1.62e430p-1f);
  return ma_f(p, r, 1.0f);
}

INLINE float exp2_f(float v)
{
  float x = v < -152.0f ? -152.0f : v;
  x = x > 130.0f ? 130.0f : x;
  float m = x + MAGIC_F;
  return scale_f(exp2_reduced_f(x - (m - MAGIC_F)), m);
}

/* For |x| <= 125. */
INLINE float exp2_near_f(float x)
{
  float m = x + MAGIC_F;
  return of_bits_f(bits_f(exp2_reduced_f(x - (m - MAGIC_F))) + (bits_f(m) << 23));
}

/* e / (e + 2) with e = e^2|x| - 1; one part of ln 2 is enough, because e is then large beside its error. */
INLINE float tanh_f(float x)
{
  float a = __builtin_fabsf(x);
  a = a > 10.0f ? 10.0f : a;
  float m = ma_f(a, 0x1.715476p1f, MAGIC_F), r = ma_f(m - MAGIC_F, -0x1.62e430p-1f, a + a);
  float power = of_bits_f((bits_f(m) << 23) + 0x3f800000u);
  float e = ma_f(power, exp_reduced_f(r), power - 1.0f), y = e / (e + 2.0f);
  return __builtin_copysignf(y, x);
}

/* In pairs: one chain of eleven products would wait longer than all else takes. */
INLINE double exp_reduced_d(double r)
{
  const double r2 = r * r, r4 = r2 * r2;
  double high = ma_d(0x1.af5d9e3f54569p-26, r, 0x1.27e52b567637fp-22);
  double middle = ma_d(ma_d(0x1.71ddf912171f5p-19, r, 0x1.a01a0182dc698p-16), r2,
                       ma_d(0x1.a01a01af8ce30p-13, r, 0x1.6c16c16c1cda0p-10));
  double low = ma_d(ma_d(0x1.111111110f7bap-7, r, 0x1.5555555555548p-5), r2, ma_d(0x1.5555555555559p-3, r, 0.5));
  high = ma_d(0x1.1ef5320dcfc4ap-29, r2, high);
  return ma_d(r2, ma_d(ma_d(high, r4, middle), r4, low), r);
}

INLINE double exp_reduce_d(double x, double *r)
{
  double m = ma_d(x, 0x1.71547652b82fep0, MAGIC_D), n = m - MAGIC_D;
  *r = ma_d(-n, 0x1.a39ef35793c76p-33, ma_d(-n, 0x1.62e42fee00000p-1, x)); /* the first has 33 bits */
  return m;
}

/* The halves are made with MAGIC_D too: vectors of AVX2 have no arithmetic shift of 64 bits. */
INLINE double scale_d(double y, double m)
{
  double n = m - MAGIC_D, half = n * 0.5 + MAGIC_D, rest = n - (half - MAGIC_D) + MAGIC_D;
  return y * of_bits_d((bits_d(half) + 1023) << 52) * of_bits_d((bits_d(rest) + 1023) << 52);
}

/* e^b - 1 of b from 0 to 50, where one part of ln 2 is enough. */
INLINE double grown_d(double b)
{
  double m = ma_d(b, 0x1.71547652b82fep0, MAGIC_D), r = ma_d(m - MAGIC_D, -0x1.62e42fefa39efp-1, b);
  double power = of_bits_d((bits_d(m) + 1023) << 52);
  return ma_d(power, exp_reduced_d(r), power - 1.0);
}

/* As in float32. */
INLINE double tanh_d(double x)
{
  double a = __builtin_fabs(x), b = a + a;
  b = 40.0 < b ? 40.0 : b; /* NaN stays */
  double e = grown_d(b), y = e / (e + 2.0);
  return of_bits_d(bits_d(y) | (bits_d(x) & (uint64_t)1 << 63));
}

/* 1.7159 tanh(2 x / 3): with 4/3 as 1 + 1/3 and 1.7159 within the divisor, three roundings fewer than by tanh. At 42 the
 * quotient is 1.7159, with FMA and without. */
INLINE double lecun_tanh_d(double x)
{
  double a = __builtin_fabs(x), b = ma_d(a, 1.0 / 3, a);
  b = 42.0 < b ? 42.0 : b;
  double e = grown_d(b), y = e / ma_d(e, 1 / 1.7159, 2 / 1.7159);
  return of_bits_d(bits_d(y) | (bits_d(x) & (uint64_t)1 << 63));
}

INLINE float lecun_tanh_f(float x) { return (float)lecun_tanh_d((double)x); }

/*
 * e^x and e^-x as what their sum and difference are made of: with x = n ln 2 + r, cosh r - 1, sinh r, and the sum and the
 * difference of 2^n and 2^-n, halved SCALE times. The fits, of relative error 2^-33 (float32) and 2^-58, are for
 * |r| <= ln 2 / 2. 2^-n is left out from where on it is nothing beside 2^n.
 */
typedef struct exp_both_f { float even, odd, sum, difference; } exp_both_f;
typedef struct exp_both_d { double even, odd, sum, difference; } exp_both_d;

INLINE exp_both_f exp_both_of_f(float r, float m, float down, uint32_t scale)
{
  const float up = of_bits_f((bits_f(m) << 23) + ((127 - scale) << 23)), z = r * r;
  const float even = ma_f(ma_f(0x1.6d4f14p-10f, z, 0x1.5554e6p-5f), z, 0.5f) * z;
  const float odd = ma_f(ma_f(0x1.a2e30cp-13f, z, 0x1.110fbep-7f), z, 0x1.555556p-3f);
  down = of_bits_f(((127 - scale) << 23) - (bits_f(down) << 23));
  return (exp_both_f){ even, ma_f(odd, r * z, r), up + down, up - down };
}

INLINE exp_both_d exp_both_of_d(double r, double m, double down, uint64_t scale)
{
  const double up = of_bits_d((bits_d(m) << 52) + ((1023 - scale) << 52)), z = r * r;
  double even = ma_d(0x1.28b1bd7aba643p-22, z, 0x1.a01994ffd3e20p-16);
  even = ma_d(even, z, 0x1.6c16c1863e1f1p-10);
  even = ma_d(even, z, 0x1.555555554fd67p-5);
  even = ma_d(even, z, 0x1.000000000000cp-1);
  double odd = ma_d(0x1.af601cd8809c4p-26, z, 0x1.71ddf79e23250p-19);
  odd = ma_d(odd, z, 0x1.a01a01b0250d9p-13);
  odd = ma_d(odd, z, 0x1.111111110f624p-7);
  odd = ma_d(odd, z, 0x1.5555555555559p-3);
  down = of_bits_d(((1023 - scale) << 52) - (bits_d(down) << 52));
  return (exp_both_d){ even * z, ma_d(odd, r * z, r), up + down, up - down };
}

#define BODY "backends/cpu/kernels/functions/exp_type.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
