// SPDX-License-Identifier: BSD-3-Clause
/* N halves, fewer than a vector has, and 0 behind them; a body of halves.h. L1. */
INLINE V N(get_some)(const T *p, int64_t n)
{
  T t[LANES] = { 0 };
  for (int64_t i = 0; i < n; i++)
    t[i] = p[i];
  return N(get)(t);
}
