// SPDX-License-Identifier: BSD-3-Clause
/* What reals_x86.h and reals_any.h have in common. L1. */
/* N elements, fewer than a vector has, and 0 behind them. */
INLINE V N(get_some)(const T *p, int64_t n)
{
  T t[LANES] = { 0 };
  for (int64_t i = 0; i < n; i++)
    t[i] = p[i];
  return N(get)(t);
}
/* N elements, fewer than a vector has, and lanes of A behind them. */
INLINE V N(get_over)(V a, const T *p, int64_t n)
{
  for (int i = 0; i < LANES; i++)
    a[i] = i < n ? p[i] : a[i];
  return a;
}
/* A where neither is NaN, else 0. */
INLINE V N(if_numbers)(V a, V b) { return (V)((WORDS)a & (WORDS)(a == a) & (WORDS)(b == b)); }
/* Neighbours exchanged. */
INLINE V N(exchanged)(V a) { return SHUFFLE(V, a, (WORDS)CPU_JOIN(LANES_, PS) ^ 1); }

/* The extreme of the lanes of a vector: of its halves, and so on, which of equal ones takes the upper. */
INLINE T N(one_of)(const bool most, V a)
{
  UNROLL for (int k = LANES / 2; k > 0; k /= 2) {
    const V upper = SHUFFLE(V, a, (WORDS)CPU_JOIN(LANES_, PS) ^ (WORD)k);
    a = most ? N(most)(a, upper) : N(least)(a, upper);
  }
  return a[0];
}
INLINE T N(most_of)(V a) { return N(one_of)(true, a); }
INLINE T N(least_of)(V a) { return N(one_of)(false, a); }
