// SPDX-License-Identifier: BSD-3-Clause
/* Conversions of single values that C's own do not define, or round twice. L0; header only, also a text of the kernels of
 * devices.
 *
 * float64 and wide integers go to the 16-bit floats through float32 rounded to odd, after which the second rounding gives what
 * one rounding would (Boldo, Melquiond: Emulation of FMA and correctly rounded sums, IEEE Trans. Computers 57(4), 2008).
 */
#ifndef HED_BASE_CAST_VALUES_H
#define HED_BASE_CAST_VALUES_H

#include "base/bits.h"

static inline int64_t to_int64(double x)
{
  if (!(x >= -0x1p63)) /* below, or NaN */
    return x < 0 ? INT64_MIN : 0;
  return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

static inline uint64_t to_uint64(double x)
{
  if (!(x > 0))
    return 0;
  return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

/* Towards zero, with the last bit set when something was cut off. Without branches, so that loops become vectors. */
static inline float to_odd(double x)
{
  float f = (float)x;
  const double back = (double)f, size = x < 0 ? -x : x, rounded = x < 0 ? -back : back;
  const uint32_t lost = (rounded < size) | (rounded > size), above = rounded > size;
  return hed__number32((hed__bits32(f) - above) | lost);
}

/* 64-bit integers to 53 bits, again with the last bit set when something was cut off: exact in double. */
static inline double word_to_odd(uint64_t w)
{
  return (double)(w >> 53 ? (w >> 11 | ((w & 0x7ff) != 0)) << 11 : w);
}

static inline double long_to_odd(int64_t v)
{
  return v < 0 ? -word_to_odd(0 - (uint64_t)v) : word_to_odd((uint64_t)v);
}

#endif
