// SPDX-License-Identifier: BSD-3-Clause
/*
 * A row by LANES_OF, of a vector; a body of functions.c. FAR has the lanes which that does not serve; vectors with any are for ANY,
 * which may call, between two runs of others: constants stay in registers, which they leave where a loop calls something or has a
 * part that not all passes reach.
 * AVX-512 alone.
 */
INLINE void N(near_512)(int64_t n, T *o, const T *v, V (*lanes_of)(V), M (*far)(V), V (*any)(V))
{
  for (int64_t i = 0; i < n; i += LANES) {
    for (; i + LANES <= n; i += LANES) {
      const V x = P(loadu)(v + i), y = lanes_of(x);
      if (__builtin_expect(far(x) != 0, 0))
        break;
      P(storeu)(o + i, y);
    }
    if (i == n)
      break;
    const M part = n - i < LANES ? (M)((1u << (n - i)) - 1) : (M)-1;
    P(mask_storeu)(o + i, part, any(P(mask_loadu)(P(set1)(1), part, v + i)));
  }
}
