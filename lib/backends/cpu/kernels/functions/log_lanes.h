// SPDX-License-Identifier: BSD-3-Clause
/* Logarithms of a vector of either type: log_512.h, which includes this by each.h. */

/* Of X, or of 1 + X with what rounding takes away from that. */
INLINE V OF(log_lanes)(const OF(log_base) *b, V x, bool plus)
{
  enum { TERMS = sizeof b->fit / sizeof *b->fit };
  const V one = P(set1)(1), u = plus ? P(add)(x, one) : x;
  const __m512i bits = U(add)(BITS(u), U(set1)((int64_t)1 << (MANTISSA - 5))), index = U(srli)(bits, MANTISSA - 4);
  const __m512i power = _mm512_and_si512(bits, BITS(P(set1)(INFINITY))), factor = BITS(LOOK_UP(b->factor, index));
  const V e = P(getexp)(NUMBERS(bits)), scaled = NUMBERS(U(sub)(factor, power));
  V f = P(fmsub)(u, scaled, one);
  if (plus) {
    const V back = P(sub)(u, one), lost = P(add)(P(sub)(one, P(sub)(u, back)), P(sub)(x, back));
    f = P(fmadd)(lost, scaled, f);
  }
  V p = P(set1)(b->fit[0]);
  _Pragma("GCC unroll 8") for (int k = 1; k < TERMS; k++)
    p = P(fmadd)(p, f, P(set1)(b->fit[k]));
  const V square = P(mul)(f, f);
  p = b->low != 0 ? P(fmadd)(square, p, P(mul)(e, P(set1)(b->low))) : P(mul)(square, p);
  p = b->unit == 1 ? P(add)(f, p) : P(fmadd)(f, P(set1)(b->unit), p);
  const V t = LOOK_UP(b->of_factor, index), y = P(add)(b->high == 1 ? P(add)(e, t) : P(fmadd)(e, P(set1)(b->high), t), p);
  return plus ? NUMBERS(_mm512_ternarylogic_epi32(BITS(y), BITS(x), BITS(P(set1)(-0.0f)), 0xf8)) : y; /* log1p(-0) is -0 */
}

/* Lanes that log_lanes() does not serve. */
INLINE M OF(log_far)(V x, bool plus)
{
  const __m512i u = BITS(plus ? P(add)(x, P(set1)(1)) : x), least = BITS(P(set1)(LEAST));
  return AT_LEAST(U(sub)(u, least), U(sub)(BITS(P(set1)(NEAR)), least));
}
