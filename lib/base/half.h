// SPDX-License-Identifier: BSD-3-Clause
/* float16 (IEEE 754 binary16) and bfloat16 to and from float32, round to nearest even, NaN kept quiet. L0. */
#ifndef HED_BASE_HALF_H
#define HED_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float hed__half_to_float(uint16_t h)
{
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 0x1fu, man = h & 0x3ffu, bits;
  float f;
  if (exp == 0x1f) {
    bits = sign | 0x7f800000u | (man << 13) | (man ? 0x400000u : 0);
  } else if (exp) {
    bits = sign | ((exp + 112) << 23) | (man << 13);
  } else { /* zero or subnormal: man * 2^-24 is exact in float32 */
    f = (float)man * 0x1p-24f;
    memcpy(&bits, &f, 4);
    bits |= sign;
  }
  memcpy(&f, &bits, 4);
  return f;
}

static inline uint16_t hed__float_to_half(float f)
{
  uint32_t b;
  memcpy(&b, &f, 4);
  uint32_t sign = (b >> 16) & 0x8000u, mag = b & 0x7fffffffu;
  if (mag > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u | ((mag >> 13) & 0x3ffu));
  if (mag >= 0x477ff000u) /* rounds to 65536 or above */
    return (uint16_t)(sign | 0x7c00u);
  if (mag >= 0x38800000u) { /* normal */
    uint32_t r = mag - 0x38000000u;
    return (uint16_t)(sign | ((r + 0xfffu + ((r >> 13) & 1u)) >> 13));
  }
  /* subnormal: adding 0.5 leaves mag * 2^24, rounded to even, in the low bits */
  float m, half = 0.5f;
  memcpy(&m, &mag, 4);
  m += half;
  memcpy(&mag, &m, 4);
  return (uint16_t)(sign | (mag - 0x3f000000u));
}

static inline float hed__bfloat_to_float(uint16_t h)
{
  uint32_t b = (uint32_t)h << 16;
  float f;
  memcpy(&f, &b, 4);
  return f;
}

static inline uint16_t hed__float_to_bfloat(float f)
{
  uint32_t b;
  memcpy(&b, &f, 4);
  if ((b & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)((b >> 16) | 0x40u);
  return (uint16_t)((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

#endif
