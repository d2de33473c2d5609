// SPDX-License-Identifier: BSD-3-Clause
/* Floating-point numbers as the patterns of their bits, and back. L0; header only. Kernels of devices have these names from
 * their dialect, and share the texts that are written with them. */
#ifndef HED_BASE_BITS_H
#define HED_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t hed__bits32(float x)
{
  uint32_t b;
  memcpy(&b, &x, 4);
  return b;
}

static inline float hed__number32(uint32_t b)
{
  float x;
  memcpy(&x, &b, 4);
  return x;
}

static inline uint64_t hed__bits64(double x)
{
  uint64_t b;
  memcpy(&b, &x, 8);
  return b;
}

static inline double hed__number64(uint64_t b)
{
  double x;
  memcpy(&x, &b, 8);
  return x;
}

#endif
