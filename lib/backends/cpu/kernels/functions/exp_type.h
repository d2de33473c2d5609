// SPDX-License-Identifier: BSD-3-Clause
/*
 * Text of exp.h for a type, of which PICK takes what is float's or double's: what is made of e^r - 1, the split of x and 2^n.
 */

INLINE REAL OF(exp)(REAL v)
{
  REAL x = v < PICK(-110.0f, -800.0) ? PICK(-110.0f, -800.0) : v, r; /* NaN passes both */
  x = x > PICK(90.0f, 800.0) ? PICK(90.0f, 800.0) : x;
  REAL m = OF(exp_reduce)(x, &r);
  return OF(scale)(1 + OF(exp_reduced)(r), m);
}

/* For |x| <= 86 and 700: 2^n goes into the exponent. */
INLINE REAL OF(times_power)(REAL y, REAL m) { return OF(of_bits)(OF(bits)(y) + (OF(bits)(m) << PICK(23, 52))); }
INLINE REAL OF(exp_near)(REAL x)
{
  REAL r, m = OF(exp_reduce)(x, &r);
  return OF(times_power)(1 + OF(exp_reduced)(r), m);
}

/* 2^n (e^r - 1) + (2^n - 1), with 2^n halved because n may be 128. From -20 and -50 to 89 and 710. */
INLINE REAL OF(expm1_near)(REAL x)
{
  REAL r, m = OF(exp_reduce)(x, &r), q = OF(exp_reduced)(r);
  REAL half = OF(of_bits)((OF(bits)(m) + PICK(126, 1022)) << PICK(23, 52));
  REAL y = 2 * OF(ma)(half, q, half - (REAL)0.5);
  return SIGN_OF(y, x);
}

INLINE REAL OF(expm1)(REAL v)
{
  REAL x = v < PICK(-20.0f, -50.0) ? PICK(-20.0f, -50.0) : v;
  return OF(expm1_near)(x > PICK(89.0f, 710.0) ? PICK(89.0f, 710.0) : x);
}

INLINE REAL OF(sigmoid)(REAL x)
{
  REAL e = OF(exp)(-SIZE_OF(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/* The power of two comes last: e^x alone would vanish too early. */
INLINE REAL OF(silu)(REAL x)
{
  REAL a = -SIZE_OF(x), r;
  a = a < PICK(-110.0f, -800.0) ? PICK(-110.0f, -800.0) : a;
  REAL m = OF(exp_reduce)(a, &r), p = 1 + OF(exp_reduced)(r), d = x / (1 + OF(scale)(p, m));
  REAL y = x < 0 ? OF(scale)(p * d, m) : d;
  y = x < PICK(-110.0f, -800.0) ? PICK(-0.0f, -0.0) : y;
  return x == -PICK(HUGE_VALF, HUGE_VAL) ? 0 : y;
}

/* The same for |x| <= 80 and 700, where nothing vanishes. */
INLINE REAL OF(sigmoid_near)(REAL x)
{
  REAL e = OF(exp_near)(-SIZE_OF(x));
  return (x < 0 ? e : 1) / (1 + e);
}

INLINE REAL OF(silu_near)(REAL x)
{
  REAL r, m = OF(exp_reduce)(-SIZE_OF(x), &r), p = 1 + OF(exp_reduced)(r), d = x / (1 + OF(times_power)(p, m));
  return x < 0 ? OF(times_power)(p * d, m) : d;
}

INLINE REAL OF(cosh_of)(OF(exp_both) e) { return e.sum + OF(ma)(e.even, e.sum, e.odd * e.difference); }
INLINE REAL OF(sinh_of)(OF(exp_both) e) { return e.difference + OF(ma)(e.even, e.difference, e.odd * e.sum); }

/* For |x| <= 86 and 700. */
INLINE OF(exp_both) OF(exp_both_near)(REAL x)
{
  REAL r, m = OF(exp_reduce)(x, &r);
  return OF(exp_both_of)(r, m, m, 1);
}

/* Of any |x|, halved once more: 2^n overflows before the result does. */
INLINE OF(exp_both) OF(exp_both_half)(REAL x)
{
  REAL a = SIZE_OF(x), r;
  a = a > PICK(89.6f, 710.6) ? PICK(89.6f, 710.6) : a; /* NaN stays */
  const REAL m = OF(exp_reduce)(a, &r), most = PICK(MAGIC_F + 125.0f, MAGIC_D + 1021.0);
  return OF(exp_both_of)(r, m, m < most ? m : most, 2);
}

INLINE REAL OF(cosh_near)(REAL x) { return OF(cosh_of)(OF(exp_both_near)(x)); }
INLINE REAL OF(cosh)(REAL x) { return 2 * OF(cosh_of)(OF(exp_both_half)(x)); }
INLINE REAL OF(sinh_near)(REAL x) { return SIGN_OF(OF(sinh_of)(OF(exp_both_near)(x)), x); }
INLINE REAL OF(sinh)(REAL x)
{
  const REAL a = SIZE_OF(x);
  return SIGN_OF(a < PICK(0x1p-13f, 0x1p-28) ? a : 2 * OF(sinh_of)(OF(exp_both_half)(x)), x);
}
