// SPDX-License-Identifier: BSD-3-Clause
/* float16 (IEEE 754 binary16) and bfloat16 to and from float32, round to nearest even, NaN kept quiet. L0; also a text
 * of the kernels of devices. */
#ifndef HED_BASE_HALF_H
#define HED_BASE_HALF_H

#include "base/bits.h"

static inline float hed__half_to_float(uint16_t h)
{
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 0x1fu, man = h & 0x3ffu, bits;
  if (exp == 0x1f) {
    bits = sign | 0x7f800000u | (man << 13) | (man ? 0x400000u : 0);
  } else if (exp) {
    bits = sign | ((exp + 112) << 23) | (man << 13);
  } else { /* zero or subnormal: man * 2^-24 is exact in float32 */
    bits = sign | hed__bits32((float)man * 0x1p-24f);
  }
  return hed__number32(bits);
}

static inline uint16_t hed__float_to_half(float f)
{
  uint32_t b = hed__bits32(f), sign = (b >> 16) & 0x8000u, mag = b & 0x7fffffffu;
  /* all four are made and one is taken, so that loops become vectors */
  uint32_t nan = 0x7e00u | ((mag >> 13) & 0x3ffu);
  uint32_t r = mag - 0x38000000u, normal = (r + 0xfffu + ((r >> 13) & 1u)) >> 13;
  /* subnormal: adding 0.5 leaves mag * 2^24, rounded to even, in the low bits */
  uint32_t capped = mag < 0x38800000u ? mag : 0;
  uint32_t small = hed__bits32(hed__number32(capped) + 0.5f) - 0x3f000000u;
  uint32_t h = mag < 0x38800000u ? small : normal;
  h = mag >= 0x477ff000u ? 0x7c00u : h; /* rounds to 65536 or above */
  h = mag > 0x7f800000u ? nan : h;
  return (uint16_t)(sign | h);
}

static inline float hed__bfloat_to_float(uint16_t h)
{
  return hed__number32((uint32_t)h << 16);
}

static inline uint16_t hed__float_to_bfloat(float f)
{
  uint32_t b = hed__bits32(f), nan = (b >> 16) | 0x40u, rounded = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16;
  return (uint16_t)((b & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/* The number after A towards B, in bits of a type whose infinity is INF: B where they are equal, else a NaN that is there, quiet. */
static inline uint16_t hed__half_after(uint16_t a, uint16_t b, uint32_t inf)
{
  const uint32_t size = a & 0x7fffu, to = b & 0x7fffu, quiet = (inf & (0u - inf)) >> 1;
  if (size > inf || to > inf)
    return (uint16_t)((size > inf ? a : b) | quiet);
  if (a == b || (size == 0 && to == 0))
    return b;
  if (size == 0)
    return (uint16_t)((b & 0x8000u) | 1u);
  return (uint16_t)(((a ^ b) & 0x8000u) == 0 && to > size ? a + 1u : a - 1u);
}

#endif
