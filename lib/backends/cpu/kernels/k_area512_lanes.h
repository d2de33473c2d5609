// SPDX-License-Identifier: BSD-3-Clause
/* arcsinh, arccosh and arctanh of a vector of either type; functions.c includes this by k_each512.h, after k_log512.h. */

/* Beyond FAR, whose square is finite, 1 is nothing beside x: log(2 x). */
#define FAR P(set1)((T)(MANTISSA < 32 ? 0x1p60f : 0x1p500))

/* z = x + x^2 / (1 + sqrt(1 + x^2)) */
INLINE V L(arcsinh_argument)(V x)
{
  const V a = P(abs)(x), one = P(set1)(1), root = P(sqrt)(P(fmadd)(a, a, one));
  return P(mask_mov)(P(add)(a, P(div)(P(mul)(a, a), P(add)(one, root))), CMP(a, FAR, _CMP_GT_OQ), a);
}

/* With t = x - 1, z = t + sqrt(t (t + 2)); NaN below 1. */
INLINE V L(arccosh_argument)(V x)
{
  const V one = P(set1)(1), t = P(sub)(x, one), z = P(add)(t, P(sqrt)(P(mul)(t, P(add)(t, P(set1)(2)))));
  return P(mask_mov)(P(mask_mov)(z, CMP(x, one, _CMP_LT_OQ), P(set1)(NAN)), CMP(x, FAR, _CMP_GT_OQ), x);
}

/* z = 2 x / (1 - x), of which the result has half. */
INLINE V L(arctanh_argument)(V x)
{
  const V a = P(abs)(x);
  return P(div)(P(add)(a, a), P(sub)(P(set1)(1), a));
}

/* log(1 + z) of a z that is right to a last place, and log 2 where X is so large that z is x. */
static __attribute__((noinline)) V L(area_any)(V z, V x)
{
  const V y = L(log_any)(&L(log_e), z, true);
  return P(mask_add)(y, CMP(P(abs)(x), FAR, _CMP_GT_OQ), y, P(set1)((T)0x1.62e42fefa39efp-1));
}

#define SINH_OF(y) SIGNED_AS(y, x)
#define TANH_OF(y) SIGNED_AS(P(mul)(y, P(set1)(0.5f)), x)
#define LARGE CMP(P(abs)(x), FAR, _CMP_GT_OQ)
#define LOG_OF(z) L(log_lanes)(&L(log_e), z, true)
NEAR_ROW(K(arcsinh), SINH_OF(LOG_OF(L(arcsinh_argument)(x))), L(log_far)(L(arcsinh_argument)(x), true) | LARGE,
         SINH_OF(L(area_any)(L(arcsinh_argument)(x), x)))
NEAR_ROW(K(arccosh), LOG_OF(L(arccosh_argument)(x)), L(log_far)(L(arccosh_argument)(x), true) | LARGE,
         L(area_any)(L(arccosh_argument)(x), x))
NEAR_ROW(K(arctanh), TANH_OF(LOG_OF(L(arctanh_argument)(x))), L(log_far)(L(arctanh_argument)(x), true),
         TANH_OF(L(log_any)(&L(log_e), L(arctanh_argument)(x), true)))
#undef SINH_OF
#undef TANH_OF
#undef LARGE
#undef LOG_OF
#undef FAR
