// SPDX-License-Identifier: BSD-3-Clause
/* Values of the map modes to float32 and back.
 *
 * Layer: L4, match kit. Bytes are put together by shifts, so the code is the same on hosts
 * of either byte order. float16 is IEEE 754-2008 binary16, rounded to nearest even.
 */
#include "kits/match/files/map_header.h"
#include <math.h>
#include <string.h>

static float bits_float(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1fu, fraction = h & 0x3ffu;
  if (exponent == 0) {
    float v = (float)fraction * 0x1p-24f;
    return sign ? -v : v;
  }
  if (exponent == 31)
    return bits_float(sign | 0x7f800000u | fraction << 13);
  return bits_float(sign | (exponent + 112u) << 23 | fraction << 13);
}

/* v is finite. Overflow gives infinity, which hed__map_fits() refuses. */
static uint16_t float_to_half(float v) {
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  uint16_t sign = (uint16_t)(u >> 16 & 0x8000u);
  uint32_t mag = u & 0x7fffffffu;
  if (mag >= 0x477ff000u) /* 65520 and up rounds past the largest half, 65504 */
    return sign | 0x7c00u;
  if (mag < 0x38800000u) /* below 2^-14: subnormal, a whole number of 2^-24 */
    return sign | (uint16_t)rintf(bits_float(mag) * 0x1p24f);
  uint32_t rounded = mag - 0x38000000u;
  rounded += 0xfffu + (rounded >> 13 & 1u);
  return sign | (uint16_t)(rounded >> 13);
}

static uint16_t get_u16(const uint8_t *p, bool big) {
  return big ? (uint16_t)(p[0] << 8 | p[1]) : (uint16_t)(p[1] << 8 | p[0]);
}

void hed__map_decode(int mode, bool unsigned_bytes, bool big, const uint8_t *src, size_t n,
                     float *dst) {
  switch (mode) {
  case 0:
    for (size_t i = 0; i < n; i++)
      dst[i] = unsigned_bytes ? (float)src[i] : (float)(int8_t)src[i];
    break;
  case 1:
    for (size_t i = 0; i < n; i++)
      dst[i] = (float)(int16_t)get_u16(src + 2 * i, big);
    break;
  case 2:
    for (size_t i = 0; i < n; i++) {
      const uint8_t *p = src + 4 * i;
      uint32_t u = big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
                             (uint32_t)p[2] << 8 | p[3]
                       : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
                             (uint32_t)p[1] << 8 | p[0];
      dst[i] = bits_float(u);
    }
    break;
  case 6:
    for (size_t i = 0; i < n; i++)
      dst[i] = (float)get_u16(src + 2 * i, big);
    break;
  case 12:
    for (size_t i = 0; i < n; i++)
      dst[i] = half_to_float(get_u16(src + 2 * i, big));
    break;
  case 101: /* the first of a pair in the lower half of its byte */
    for (size_t i = 0; i < n; i++)
      dst[i] = (float)(src[i / 2] >> (i % 2 ? 4 : 0) & 15);
    break;
  default:
    break;
  }
}

bool hed__map_fits(int mode, float v, float *stored) {
  float low = 0, high = 0;
  switch (mode) {
  case 0: low = -128; high = 127; break;
  case 1: low = -32768; high = 32767; break;
  case 6: low = 0; high = 65535; break;
  case 12:
    *stored = half_to_float(float_to_half(v));
    return isfinite(*stored);
  default:
    *stored = v;
    return true;
  }
  *stored = rintf(v);
  return *stored >= low && *stored <= high;
}

void hed__map_encode(int mode, const float *src, size_t n, uint8_t *dst) {
  for (size_t i = 0; i < n; i++) {
    uint32_t u = 0;
    switch (mode) {
    case 0: case 1: case 6: u = (uint32_t)(int32_t)rintf(src[i]); break;
    case 12: u = float_to_half(src[i]); break;
    default: memcpy(&u, &src[i], sizeof u); break;
    }
    size_t bytes = hed__map_mode_bytes(mode);
    for (size_t k = 0; k < bytes; k++)
      *dst++ = (uint8_t)(u >> (8 * k));
  }
}
