// SPDX-License-Identifier: BSD-3-Clause
/* What a signal is beyond its ends. L0; header only.
 *
 *   constant  k k k | a b c d | k k k       nearest  a a a | a b c d | d d d
 *   reflect   c b a | a b c d | d c b       mirror   d c b | a b c d | c b a       wrap  b c d | a b c d | a b c
 */
#ifndef HED_BASE_BOUNDARY_H
#define HED_BASE_BOUNDARY_H

#include <heddle/params.h>

/* The element of [0, n) that stands at place I, n > 0; -1: the constant. MODE is one of the five. */
static inline int64_t hed__boundary_index(int64_t i, int64_t n, int mode)
{
  if (i >= 0 && i < n)
    return i;
  int64_t period = n;
  switch (mode) {
  case HED_BOUNDARY_CONSTANT:
    return -1;
  case HED_BOUNDARY_NEAREST:
    return i < 0 ? 0 : n - 1;
  case HED_BOUNDARY_REFLECT:
    period = 2 * n;
    break;
  case HED_BOUNDARY_MIRROR:
    if (n == 1)
      return 0;
    period = 2 * n - 2;
    break;
  default:
    break;
  }
  i %= period;
  i = i < 0 ? i + period : i;
  return i < n ? i : mode == HED_BOUNDARY_REFLECT ? 2 * n - 1 - i : 2 * n - 2 - i;
}

#endif
