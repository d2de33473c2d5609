// SPDX-License-Identifier: BSD-3-Clause
/*
 * Zeros of both signs in sorted slices. L1.
 *
 * They are where a binary search finds them, one sign before the other. Most slices have no two of them, or only one sign, and
 * are left at that.
 */
#include "backends/cpu/sort/zeros.h"
#include "base/dtype.h"
#include "base/half.h"
#include <math.h>
#include <string.h>

static double value_at(int type, const char *x)
{
  switch (type) {
  case HED_ID_FLOAT16: return (double)hed__half_to_float(*(const uint16_t *)(const void *)x);
  case HED_ID_BFLOAT16: return (double)hed__bfloat_to_float(*(const uint16_t *)(const void *)x);
  case HED_ID_FLOAT32: return (double)*(const float *)(const void *)x;
  default: return *(const double *)(const void *)x;
  }
}

/* How many elements come before the zeros, or with BEHIND, before what is behind them. */
static int64_t count_before(int type, int64_t n, const char *x, int64_t step, bool descending, bool behind)
{
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t mid = low + (high - low) / 2;
    const double v = value_at(type, x + mid * step);
    if ((descending ? v > 0 : v < 0) || (behind && v == 0))
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

void cpu_sort_zeros(int type, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step, bool descending)
{
  int64_t at = count_before(type, n, to, to_step, descending, false);
  const int64_t end = count_before(type, n, to, to_step, descending, true);
  if (end - at < 2 || !signbit(value_at(type, to + at * to_step)) == !signbit(value_at(type, to + (end - 1) * to_step)))
    return;
  for (; at < end; from += from_step)
    if (value_at(type, from) == 0)
      memcpy(to + at++ * to_step, from, (size_t)hed__id_size(type));
}
