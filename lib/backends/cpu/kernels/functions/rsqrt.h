// SPDX-License-Identifier: BSD-3-Clause
/*
 * 1 / sqrt(x) in vectors of AVX-512, from an estimate of 14 bits. Included by functions.c alone, by each.h, after map/select.h.
 *
 * With e = 1 - x y^2, 1 / sqrt(x) = y (1 - e)^(-1/2) = y (1 + e / 2 + 3 e^2 / 8 + ..); the last e is made of both parts of x y.
 * Numbers so small that the second part would not be exact, and what is not finite and above 0, are for the other sets' function.
 * AVX-512 alone; contiguous float32 and float64, others by blocks.
 */
INLINE V OF(rsqrt_better)(V y, V e)
{
  return P(fmadd)(P(mul)(y, e), P(fmadd)(e, P(set1)(0.375f), P(set1)(0.5f)), y);
}

INLINE V OF(rsqrt_lanes)(V x)
{
  const V one = P(set1)(1);
  V y = P(rsqrt14)(x);
  if (sizeof(T) == sizeof(double))
    y = OF(rsqrt_better)(y, P(fnmadd)(P(mul)(x, y), y, one));
  const V h = P(mul)(x, y), rest = P(fmsub)(x, y, h);
  return OF(rsqrt_better)(y, P(fnmadd)(rest, y, P(fnmadd)(h, y, one)));
}

INLINE M OF(rsqrt_far)(V x)
{
  const __m512i low = BITS(P(set1)(sizeof(T) == sizeof(double) ? (T)0x1p-895 : (T)0x1p-91));
  return AT_LEAST(U(sub)(BITS(x), low), U(sub)(BITS(P(set1)(INFINITY)), low));
}

static __attribute__((noinline)) V OF(rsqrt_any)(V x)
{
  T some[sizeof(V) / sizeof(T)];
  P(storeu)(some, x);
  for (size_t k = 0; k < sizeof some / sizeof *some; k++)
    some[k] = OF(rsqrt)(some[k]);
  return P(mask_loadu)(OF(rsqrt_lanes)(x), OF(rsqrt_far)(x), some);
}
