// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of reals on any other processor: the compiler's own; a body of lanes.h. L1. */
INLINE V N(get)(const T *p) { return *(const V *)(const void *)p; }
INLINE void N(put)(T *p, V a) { *(V *)(void *)p = a; }
INLINE V N(each)(T a) { return a - (V){ 0 }; }
INLINE V N(magnitude)(V a) { return (V)((WORDS)a & ~(WORDS)N(each)((T)-0.0)); }
/* A where the two are equal, or one is NaN. */
INLINE V N(chosen)(M k, V b, V a) { return (V)(((WORDS)b & k) | ((WORDS)a & ~k)); }
INLINE V N(most)(V b, V a) { return N(chosen)((M)(b > a), b, a); }
INLINE V N(least)(V b, V a) { return N(chosen)((M)(b < a), b, a); }

/* Lanes in which something is so. */
INLINE M N(same)(V a, V b) { return (M)(a == b); }
INLINE M N(unlike)(V a) { return (M)(a != a); }
INLINE M N(either)(M a, M b) { return a | b; }
INLINE uint64_t N(bits)(M k)
{
  uint64_t out = 0;
  UNROLL for (int i = 0; i < LANES; i++)
    out |= (uint64_t)(k[i] & 1) << i;
  return out;
}
INLINE bool N(is_any)(M k)
{
  const lanes_i64 w = (lanes_i64)k;
  return (w[0] | w[1]) != 0;
}

/* Where a NaN has come by. */
INLINE M N(no_nan)(void) { return (M){ 0 }; }
INLINE M N(note_nan)(M k, V a, V b) { return k | (M)(a != a) | (M)(b != b); }
INLINE bool N(has_nan)(M k) { return N(is_any)(k); }
INLINE V N(spoil)(V a, M k) { return (V)((WORDS)a | k); }
#include "backends/cpu/kernels/lanes/reals_halves.h"
