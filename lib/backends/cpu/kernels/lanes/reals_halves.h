// SPDX-License-Identifier: BSD-3-Clause
/* The extreme of the lanes of a vector: of its halves, and so on, which of equal ones takes the upper; for reals_x86.h and
 * reals_any.h. L1. */
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
