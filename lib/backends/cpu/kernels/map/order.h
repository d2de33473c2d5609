// SPDX-License-Identifier: BSD-3-Clause
/* Comparisons of reals and of integers; a part of map_reals.h and map_wholes.h. */
LOOP2(N(less), T, uint8_t, a < b)
LOOP2(N(less_equal), T, uint8_t, a <= b)
SWAPPED2(N(greater), N(less))
SWAPPED2(N(greater_equal), N(less_equal))

/* At least LOW and at most HIGH. */
INLINE T N(clip_of)(T a, T low, T high)
{
  const T v = a < low ? low : a;
  return v > high ? high : v;
}
#define CLIP(LOW, HIGH) LOOP1_WITH(N(clip), T, T, hed_clip_params, T, (T)(LOW), (T)(HIGH), 0, N(clip_of)(a, u, v))
