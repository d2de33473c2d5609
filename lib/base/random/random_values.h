// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers from the words of a block of Philox, one at a time: base/random/random.h and base/random/variates.h define them. L0;
 * header only, also a text of the kernels of devices. */
#ifndef HED_BASE_RANDOM_VALUES_H
#define HED_BASE_RANDOM_VALUES_H

#include "base/random/random_math.h"

/* (0, 1], 1 with probability 2^-54. */
static inline double unit_of(uint32_t low, uint32_t high)
{
  return (hed__high_bits(low, high) + 0.5) * 0x1p-53;
}

/* High word of X times SPAN, from four 32-bit products (Hacker's Delight, section 8-2): vector units have no wider one. */
static inline uint64_t mul_high(uint64_t x, uint64_t span)
{
  uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, s0 = span & UINT32_MAX, s1 = span >> 32;
  uint64_t p01 = x0 * s1, p10 = x1 * s0;
  uint64_t middle = (x0 * s0 >> 32) + (p01 & UINT32_MAX) + (p10 & UINT32_MAX);
  return x1 * s1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

/* Two lanes of 32 bits give two normals of float32.
 * u in (0, 1] is (x / 2 + 1/2) 2^-31, so the tail ends at sqrt(64 ln 2) = 6.66 standard deviations. u = 2^e m, m in
 * [sqrt(1/2), sqrt 2), s = (m - 1) / (m + 1): ln u = e ln 2 + 2 (s + s^3/3 + .. + s^11/11); |s| < 0.1716, the rest is
 * below 2^-33 of it. Measured over 4 million pairs against long double: error at most 3.1 2^-24 of the pair's radius. */
static inline void normal32(uint32_t x0, uint32_t x1, float *z0, float *z1)
{
  float u = ((float)(int32_t)(x0 >> 1) + 0.5f) * 0x1p-31f;
  uint32_t b = hed__bits32(u) + (0x3f800000u - 0x3f3504f3u), q;
  float e = (float)((int32_t)(b >> 23) - 127);
  b = (b & 0x7fffffu) + 0x3f3504f3u;
  float m = hed__number32(b), s = (m - 1.0f) / (m + 1.0f), w = s * s;
  float series = (((((1.0f / 11) * w + 1.0f / 9) * w + 1.0f / 7) * w + 1.0f / 5) * w + 1.0f / 3) * w;
  float log_m = 2.0f * s + 2.0f * s * series;
  float minus_log = -(e * 0x1.62ep-1f + (e * 0x1.0bfbe8p-15f + log_m));
  float r = sqrtf(2.0f * minus_log);

  float t = (float)hed__quadrant(x1, &q) * (0x1p-30f * 1.57079632679489661923f), v = t * t;
  float sine = t + t * (v * ((((1.0f / 362880) * v - 1.0f / 5040) * v + 1.0f / 120) * v - 1.0f / 6));
  float cosine = 1.0f + v * (((((-1.0f / 3628800) * v + 1.0f / 40320) * v - 1.0f / 720) * v + 1.0f / 24) * v - 0.5f);
  float c = q & 1 ? sine : cosine, d = q & 1 ? cosine : sine;
  float sign_c = (q + 1) & 2 ? -r : r, sign_d = q & 2 ? -r : r;
  *z0 = sign_c * c;
  *z1 = sign_d * d;
}

/* ---- kinds that transform one quantity of 64 bits (variates.h) ---- */

#define HED__TRANSFORM(name, value)                                                                                \
  static inline double name##_of(double a, double b, uint32_t low, uint32_t high)                                  \
  {                                                                                                                \
    const double k = hed__high_bits(low, high), u = (k + 0.5) * 0x1p-53, sign = low & 1 ? -b : b;                  \
    (void)a, (void)sign, (void)u;                                                                                  \
    return value;                                                                                                  \
  }
HED__TRANSFORM(exponential, b * hed__rexponential(u))
HED__TRANSFORM(laplace, a + sign * hed__rexponential(u))
HED__TRANSFORM(logistic, a + sign * (hed__rlog(1 - 0.5 * u) - hed__rlog(0.5 * u)))
HED__TRANSFORM(gumbel, a - b * hed__rlog(hed__rexponential(u)))
HED__TRANSFORM(cauchy, a + b * hed__rtangent(low, high))
HED__TRANSFORM(bernoulli, k * 0x1p-53 < a ? 1 : 0)
HED__TRANSFORM(bipolar, k * 0x1p-53 < a ? 1 : -1)
#undef HED__TRANSFORM

#endif
