// SPDX-License-Identifier: BSD-3-Clause
/* Loops of the logarithms of log_lanes.h; functions.c includes this by each.h. */

/* Those and the others. Small and large numbers are brought nearer to 1, by 2^SHIFT. */
static __attribute__((noinline)) V OF(log_any)(const OF(log_base) *b, V x, bool plus)
{
  enum { SHIFT = MANTISSA + 1 };
  const V u = plus ? P(add)(x, P(set1)(1)) : x, zero = P(setzero)();
  const M small = CMP(u, P(set1)(1), _CMP_LT_OQ);
  const V shift = P(mask_blend)(small, P(set1)(-SHIFT), P(set1)(SHIFT)), nearer = OF(log_lanes)(b, P(scalef)(u, shift), false);
  V y = P(fnmadd)(shift, P(set1)(b->high + b->low), nearer);
  y = P(mask_mov)(y, CMP(u, zero, _CMP_EQ_OQ), P(set1)(-INFINITY));
  y = P(mask_mov)(y, CMP(u, zero, _CMP_LT_OQ), P(set1)(NAN));
  y = P(mask_mov)(y, CMP(u, P(set1)(INFINITY), _CMP_NLT_UQ), u);
  return P(mask_mov)(OF(log_lanes)(b, x, plus), OF(log_far)(x, plus), y);
}

INLINE M N(log_far)(V x) { return OF(log_far)(x, false); }
INLINE V N(log_lanes)(V x) { return OF(log_lanes)(&OF(log_e), x, false); }
INLINE V N(log_any)(V x) { return OF(log_any)(&OF(log_e), x, false); }
INLINE V N(log2_lanes)(V x) { return OF(log_lanes)(&OF(log_2), x, false); }
INLINE V N(log2_any)(V x) { return OF(log_any)(&OF(log_2), x, false); }
INLINE V N(log10_lanes)(V x) { return OF(log_lanes)(&OF(log_10), x, false); }
INLINE V N(log10_any)(V x) { return OF(log_any)(&OF(log_10), x, false); }
INLINE M N(log1p_far)(V x) { return OF(log_far)(x, true); }
INLINE V N(log1p_lanes)(V x) { return OF(log_lanes)(&OF(log_e), x, true); }
INLINE V N(log1p_any)(V x) { return OF(log_any)(&OF(log_e), x, true); }
