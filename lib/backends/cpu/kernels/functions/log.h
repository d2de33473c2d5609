// SPDX-License-Identifier: BSD-3-Clause
/*
 * log. Included by functions.c and chain.c.
 *
 * x = 2^e m with m in [sqrt(1/2), sqrt 2), f = m - 1. In float32 log(1 + f) = f - f^2/2 + f^3 Q(f); in float64, with
 * s = f / (2 + f), it is 2 s + s^3 R(s^2), put as f - (f^2/2 - s (f^2/2 + s^2 R)) so that f enters unrounded (K. C. Ng in
 * the log of FreeBSD's msun). Q and R are minimax fits by Remez's exchange, of relative error 2^-30 and 2^-58.
 * Every instruction set but AVX-512 (log_512.h); contiguous float32 and float64.
 */

/* e ln 2 + log(1 + f) */
INLINE float log_sum_f(float e, float f)
{
  float q = 0x1.145df6p-4f;
  q = ma_f(q, f, -0x1.de3ed2p-4f);
  q = ma_f(q, f, 0x1.e6ef22p-4f);
  q = ma_f(q, f, -0x1.fc2180p-4f);
  q = ma_f(q, f, 0x1.233774p-3f);
  q = ma_f(q, f, -0x1.555c52p-3f);
  q = ma_f(q, f, 0x1.99a4b4p-3f);
  q = ma_f(q, f, -0x1.000006p-2f);
  q = ma_f(q, f, 0x1.555548p-2f);
  float y = ma_f(f * f * f, q, e * 0x1.7f7d1cp-20f);
  y = ma_f(-0.5f * f, f, y) + f;
  return ma_f(e, 0x1.62e4p-1f, y);
}

/* e ln 2 + log(m) of the bits of a normal number above 0, with ADD more to e. */
INLINE float log_bits_f(uint32_t b, float add)
{
  uint32_t up = b - 0x3f3504f3u;
  return log_sum_f((float)((int32_t)up >> 23) + add, of_bits_f(b - (up & 0xff800000u)) - 1.0f);
}

INLINE float log_near_f(float x)
{
  return log_bits_f(bits_f(x), 0.0f);
}

INLINE float log_f(float v)
{
  bool small = v < 0x1p-126f;
  float y = log_bits_f(bits_f(small ? v * 0x1p23f : v), small ? -23.0f : 0.0f);
  y = v > 0x1.fffffep127f ? v : y;
  y = v == 0 ? -HUGE_VALF : y;
  y = v < 0 ? NAN : y;
  return v != v ? v : y;
}

/* s (f^2/2 + s^2 R(s^2)): log(1 + f) - f + f^2/2, for 1 + f in [sqrt(1/2), sqrt 2). */
INLINE double log_series_of_d(double f)
{
  double s = f / (2.0 + f), z = s * s;
  double r = 0x1.2f05882ad2b01p-3;
  r = ma_d(r, z, 0x1.39a1b6a156810p-3);
  r = ma_d(r, z, 0x1.74663f16ae559p-3);
  r = ma_d(r, z, 0x1.c71c520856871p-3);
  r = ma_d(r, z, 0x1.24924941f2a86p-2);
  r = ma_d(r, z, 0x1.999999997fd95p-2);
  r = ma_d(r, z, 0x1.5555555555592p-1);
  double square = 0.5 * f * f;
  return s * ma_d(z, r, square);
}

/* e ln 2 + log(1 + f), from T, the series of f. */
INLINE double log_sum_d(double e, double f, double t)
{
  t = ma_d(e, 0x1.a39ef35793c76p-33, t);
  double y = f - ma_d(0.5 * f, f, -t);
  return ma_d(e, 0x1.62e42fee00000p-1, y);
}

/* e, f and the series of a positive x. */
INLINE double log_series_d(double x, double *e, double *f)
{
  uint64_t b = bits_d(x), k = (b - 0x3fe6a09e00000000u + ((uint64_t)1024 << 52)) >> 52; /* e + 1024: positive */
  *e = of_bits_d(k | 0x4330000000000000u) - (0x1p52 + 1024);
  *f = of_bits_d(b - ((k - 1024) << 52)) - 1.0;
  return log_series_of_d(*f);
}

INLINE double log_normal_d(double x, double add)
{
  double e, f, t = log_series_d(x, &e, &f);
  return log_sum_d(e + add, f, t);
}

INLINE double log_near_d(double x)
{
  return log_normal_d(x, 0.0);
}

INLINE double log_d(double v)
{
  bool small = v < 0x1p-1022;
  double y = log_normal_d(small ? v * 0x1p54 : v, small ? -54.0 : 0.0);
  y = v > 0x1.fffffffffffffp1023 ? v : y;
  y = v == 0 ? -HUGE_VAL : y;
  y = v < 0 ? NAN : y;
  return v != v ? v : y;
}
