// SPDX-License-Identifier: BSD-3-Clause
/* Which bin of a histogram, and which index of an ordered list: shared by all backends so that they agree. L0.
 */
#ifndef HED_BASE_BINS_H
#define HED_BASE_BINS_H

#include <stdint.h>

/* The last bin i of N with edges[i] <= x; -1 outside of [edges[0], edges[n]] and for NaN. */
static inline int64_t hed__bin_of(const double *edges, int64_t n, double x)
{
  if (!(x >= edges[0] && x <= edges[n]))
    return -1;
  int64_t low = 0, high = n;
  while (high - low > 1) {
    int64_t mid = low + (high - low) / 2;
    if (edges[mid] <= x)
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* How many of the N ordered elements of S (NaN last), STEP apart, come before V; RIGHT: or are equal to it. */
#define HED__SEARCH(name, type)                                                                  \
  static inline int64_t name(int64_t n, const char *s, int64_t step, type v, int right)          \
  {                                                                                              \
    int64_t low = 0, high = n;                                                                   \
    while (low < high) {                                                                         \
      int64_t mid = low + (high - low) / 2;                                                      \
      type a = *(const type *)(const void *)(s + mid * step);                                    \
      int before = right ? !(v < a || (a != a && v == v)) : a < v || (v != v && a == a);         \
      if (before)                                                                                \
        low = mid + 1;                                                                           \
      else                                                                                       \
        high = mid;                                                                              \
    }                                                                                            \
    return low;                                                                                  \
  }

#endif
