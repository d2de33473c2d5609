// SPDX-License-Identifier: BSD-3-Clause
/* Loops of the logarithms of log_lanes.h; functions.c includes this by each.h. */

/* Those and the others. Small and large numbers are brought nearer to 1, by 2^SHIFT. */
static __attribute__((noinline)) V L(log_any)(const L(log_base) *b, V x, bool plus)
{
  enum { SHIFT = MANTISSA + 1 };
  const V u = plus ? P(add)(x, P(set1)(1)) : x, zero = P(setzero)();
  const M small = CMP(u, P(set1)(1), _CMP_LT_OQ);
  const V shift = P(mask_blend)(small, P(set1)(-SHIFT), P(set1)(SHIFT)), nearer = L(log_lanes)(b, P(scalef)(u, shift), false);
  V y = P(fnmadd)(shift, P(set1)(b->high + b->low), nearer);
  y = P(mask_mov)(y, CMP(u, zero, _CMP_EQ_OQ), P(set1)(-INFINITY));
  y = P(mask_mov)(y, CMP(u, zero, _CMP_LT_OQ), P(set1)(NAN));
  y = P(mask_mov)(y, CMP(u, P(set1)(INFINITY), _CMP_NLT_UQ), u);
  return P(mask_mov)(L(log_lanes)(b, x, plus), L(log_far)(x, plus), y);
}

#define LOG(NAME, BASE, PLUS) \
  NEAR_ROW(NAME, L(log_lanes)(&BASE, x, PLUS), L(log_far)(x, PLUS), L(log_any)(&BASE, x, PLUS))
LOG(K(log), L(log_e), false)
LOG(K(log2), L(log_2), false)
LOG(K(log10), L(log_10), false)
LOG(K(log1p), L(log_e), true)
#undef LOG
