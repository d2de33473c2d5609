// SPDX-License-Identifier: BSD-3-Clause
/* The whole numbers that stand for real bounds: V, which is whole, limited to those of a type; OPEN for NaN. L0. */
#ifndef HED_BASE_BOUNDS_H
#define HED_BASE_BOUNDS_H

#include <stdint.h>

/* To [-MOST - 1, MOST]. That least value is a power of two, so exact. */
static inline int64_t hed__bound_int(double v, int64_t open, int64_t most)
{
  int64_t least = -most - 1;
  if (v != v)
    return open;
  if (v >= -(double)least)
    return most;
  return v > (double)least ? (int64_t)v : least;
}

/* To [0, MOST]. */
static inline uint64_t hed__bound_word(double v, uint64_t open, uint64_t most)
{
  if (v != v)
    return open;
  if (v >= (double)most)
    return most;
  return v > 0 ? (uint64_t)v : 0;
}

#endif
