// SPDX-License-Identifier: BSD-3-Clause
/*
 * arctan2 of float32. Included by functions.c alone.
 *
 * q, the quotient of the smaller by the larger absolute value, is at most 1: arctan q = q + q^3 P(q^2), P a minimax fit by Remez's
 * exchange of relative error 2^-28. The quarter that the point lies in adds 0, pi/2 or pi, in two parts. Absolute values are
 * compared as integers, NaN being the largest, and choices are masks: selections between constants are taken by compilers through
 * all that follows.
 * AVX-512, and every set without libmvec; contiguous float32.
 */
#define OWN_ARCTAN2

INLINE float arctan2_f(float y, float x)
{
  const int32_t sign = INT32_MIN, infinite = 0x7f800000, right = (int32_t)bits_f(x);
  const int32_t a = (int32_t)bits_f(y) & ~sign, b = right & ~sign, steep = (b - a) >> 31, left = right >> 31; /* left: -0 too */
  const int32_t low = a < b ? a : b, high = a < b ? b : a, both = -((low == infinite) & (high == infinite));
  const int32_t divisor = (high > 1 ? high : 1) + both; /* 0 by the least number, the greatest number by itself */
  const float q = of_bits_f((uint32_t)(low + both)) / of_bits_f((uint32_t)divisor), z = q * q;
  float p = -0x1.d63048p-10f;
  p = ma_f(p, z, 0x1.65a694p-7f);
  p = ma_f(p, z, -0x1.fed19ap-6f);
  p = ma_f(p, z, 0x1.daca04p-5f);
  p = ma_f(p, z, -0x1.58349cp-4f);
  p = ma_f(p, z, 0x1.c09a02p-4f);
  p = ma_f(p, z, -0x1.2421b6p-3f);
  p = ma_f(p, z, 0x1.9991fep-3f);
  p = ma_f(p, z, -0x1.55553ep-2f);
  const int32_t more = (0x3fc90fdb & steep) | (0x40490fdb & left & ~steep); /* pi/2, pi */
  const float turned = of_bits_f(bits_f(ma_f(q * z, p, q)) ^ (uint32_t)(((b - a) ^ right) & sign));
  const float turn = of_bits_f((uint32_t)more), angle = turn + ma_f(turn, -0x1.de12cap-26f, turned);
  return __builtin_copysignf(angle, y);
}

FUNCTION2(arctan2, f32, arctan2_f)
