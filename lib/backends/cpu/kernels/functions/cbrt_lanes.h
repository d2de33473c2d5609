// SPDX-License-Identifier: BSD-3-Clause
/* Cube roots of a vector of either type: cbrt.h, which includes this by each.h. */

INLINE V OF(cbrt_lanes)(V x)
{
  enum { TERMS = sizeof OF(cbrt_fit) / sizeof *OF(cbrt_fit) };
  const V a = P(abs)(x);
  const __m512i bits = U(add)(BITS(a), U(set1)((int64_t)1 << (MANTISSA - 5))), index = U(srli)(bits, MANTISSA - 4);
  const __m512i power = _mm512_and_si512(bits, BITS(P(set1)(INFINITY))), factor = BITS(LOOK_UP(OF(cbrt_factor), index));
  const __m512i e = U(srli)(bits, MANTISSA), q = _mm512_mulhi_epu16(e, U(set1)(21846)); /* e / 3: that by 2^16 is 1/3 and 10^-5 */
  const __m512i r = U(sub)(e, _mm512_mullo_epi16(q, U(set1)(3)));
  const V root = LOOK_UP(OF(cbrt_of_factor), index), other = FEW(OF(cbrt_high), r), t = P(mul)(root, other);
  const V low = P(fmadd)(root, FEW(OF(cbrt_low), r), P(fmsub)(root, other, t));
  const V f = P(fmsub)(a, NUMBERS(U(sub)(factor, power)), P(set1)(1));
  V p = P(set1)(OF(cbrt_fit)[0]);
  _Pragma("GCC unroll 8") for (int k = 1; k < TERMS; k++)
    p = P(fmadd)(p, f, P(set1)(OF(cbrt_fit)[k]));
  const V y = P(add)(t, P(fmadd)(P(mul)(t, f), p, low));
  return SIGNED_AS(NUMBERS(U(add)(BITS(y), U(slli)(q, MANTISSA))), x);
}

/* Lanes that cbrt_lanes() does not serve: those of logarithms. */
INLINE M OF(cbrt_far)(V x)
{
  return OF(log_far)(P(abs)(x), false);
}

/* Those and the others. Small and large numbers are brought nearer to 1; zeros, infinities and NaN stay. */
static __attribute__((noinline)) V OF(cbrt_any)(V x)
{
  enum { SHIFT = MANTISSA / 3 + 1 };
  const V shift = P(mask_blend)(CMP(P(abs)(x), P(set1)(1), _CMP_LT_OQ), P(set1)(-SHIFT), P(set1)(SHIFT));
  const V y = OF(cbrt_lanes)(P(scalef)(x, P(mul)(shift, P(set1)(3))));
  const V far = P(scalef)(y, P(sub)(P(setzero)(), shift)), near = P(mask_mov)(OF(cbrt_lanes)(x), OF(cbrt_far)(x), far);
  return P(mask_add)(near, CLASS(x, 0x9f), x, x);
}
