// SPDX-License-Identifier: BSD-3-Clause
/* Where a quantile lies among ordered elements: shared by all backends so that they agree to the bit. L0.
 *
 * With m elements quantile q is at rank q (m - 1), counted from 0: the two ranks round it and the way between them.
 */
#ifndef HED_BASE_QUANTILE_H
#define HED_BASE_QUANTILE_H

#include <heddle/ops/reduce.h>
#include <math.h>
#include <stdint.h>

typedef struct hed__ranks {
  int64_t low, high; /* within [0, m - 1], at most 1 apart */
  double t;          /* 0: the value at low; 1: at high */
} hed__ranks;

/* M > 0, Q in [0, 1], METHOD a hed_quantile_method. */
static inline hed__ranks hed__quantile_ranks(int64_t m, double q, int32_t method)
{
  double at = q * (double)(m - 1), below = floor(at), t = at - below;
  hed__ranks r = { (int64_t)below, (int64_t)below, 0 };
  if (t > 0 && r.low < m - 1)
    r.high++;
  switch (method) {
  case HED_QUANTILE_LOWER: r.high = r.low; break;
  case HED_QUANTILE_HIGHER: r.low = r.high; break;
  case HED_QUANTILE_MIDPOINT: r.t = 0.5; break;
  case HED_QUANTILE_NEAREST: r.low = r.high = (int64_t)rint(at); break; /* halves to even */
  default: r.t = t;
  }
  return r;
}

/* Between a number and an infinite one it is infinite; between opposite infinities NaN. */
static inline double hed__quantile_between(double low, double high, double t)
{
  if (low == high || t == 0)
    return low;
  if (isinf(low) || isinf(high))
    return low + high;
  if (t == 0.5)
    return isinf(low + high) ? low / 2 + high / 2 : (low + high) / 2;
  if (isinf(high - low))
    return low * (1 - t) + high * t;
  return t < 0.5 ? low + (high - low) * t : high - (high - low) * (1 - t);
}

#endif
