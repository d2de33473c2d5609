// SPDX-License-Identifier: BSD-3-Clause
/* What is made of e^r - 1, the split of x and 2^n; a body of exp.h. */

INLINE T OF(exp)(T v)
{
  T x = v < PICK(-110.0f, -800.0) ? PICK(-110.0f, -800.0) : v, r; /* NaN passes both */
  x = x > PICK(90.0f, 800.0) ? PICK(90.0f, 800.0) : x;
  T m = OF(exp_reduce)(x, &r);
  return OF(scale)(1 + OF(exp_reduced)(r), m);
}

/* For |x| <= 86 and 700: 2^n goes into the exponent. */
INLINE T OF(times_power)(T y, T m) { return OF(of_bits)(OF(bits)(y) + (OF(bits)(m) << PICK(23, 52))); }
INLINE T OF(exp_near)(T x)
{
  T r, m = OF(exp_reduce)(x, &r);
  return OF(times_power)(1 + OF(exp_reduced)(r), m);
}

/* 2^n (e^r - 1) + (2^n - 1), with 2^n halved because n may be 128. From -20 and -50 to 89 and 710. */
INLINE T OF(expm1_near)(T x)
{
  T r, m = OF(exp_reduce)(x, &r), q = OF(exp_reduced)(r);
  T half = OF(of_bits)((OF(bits)(m) + PICK(126, 1022)) << PICK(23, 52));
  T y = 2 * OF(ma)(half, q, half - (T)0.5);
  return PICK(__builtin_copysignf, __builtin_copysign)(y, x);
}

INLINE T OF(expm1)(T v)
{
  T x = v < PICK(-20.0f, -50.0) ? PICK(-20.0f, -50.0) : v;
  return OF(expm1_near)(x > PICK(89.0f, 710.0) ? PICK(89.0f, 710.0) : x);
}

INLINE T OF(sigmoid)(T x)
{
  T e = OF(exp)(-SIZE_OF(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/* The power of two comes last: e^x alone would vanish too early. */
INLINE T OF(silu)(T x)
{
  T a = -SIZE_OF(x), r;
  a = a < PICK(-110.0f, -800.0) ? PICK(-110.0f, -800.0) : a;
  T m = OF(exp_reduce)(a, &r), p = 1 + OF(exp_reduced)(r), d = x / (1 + OF(scale)(p, m));
  T y = x < 0 ? OF(scale)(p * d, m) : d;
  y = x < PICK(-110.0f, -800.0) ? PICK(-0.0f, -0.0) : y;
  return x == -PICK(HUGE_VALF, HUGE_VAL) ? 0 : y;
}

/* The same for |x| <= 80 and 700, where nothing vanishes. */
INLINE T OF(sigmoid_near)(T x)
{
  T e = OF(exp_near)(-SIZE_OF(x));
  return (x < 0 ? e : 1) / (1 + e);
}

INLINE T OF(silu_near)(T x)
{
  T r, m = OF(exp_reduce)(-SIZE_OF(x), &r), p = 1 + OF(exp_reduced)(r), d = x / (1 + OF(times_power)(p, m));
  return x < 0 ? OF(times_power)(p * d, m) : d;
}

INLINE T OF(cosh_of)(OF(exp_both) e) { return e.sum + OF(ma)(e.even, e.sum, e.odd * e.difference); }
INLINE T OF(sinh_of)(OF(exp_both) e) { return e.difference + OF(ma)(e.even, e.difference, e.odd * e.sum); }

/* For |x| <= 86 and 700. */
INLINE OF(exp_both) OF(exp_both_near)(T x)
{
  T r, m = OF(exp_reduce)(x, &r);
  return OF(exp_both_of)(r, m, m, 1);
}

/* Of any |x|, halved once more: 2^n overflows before the result does. */
INLINE OF(exp_both) OF(exp_both_half)(T x)
{
  T a = SIZE_OF(x), r;
  a = a > PICK(89.6f, 710.6) ? PICK(89.6f, 710.6) : a; /* NaN stays */
  const T m = OF(exp_reduce)(a, &r), most = PICK(MAGIC_F + 125.0f, MAGIC_D + 1021.0);
  return OF(exp_both_of)(r, m, m < most ? m : most, 2);
}

INLINE T OF(cosh_near)(T x) { return OF(cosh_of)(OF(exp_both_near)(x)); }
INLINE T OF(cosh)(T x) { return 2 * OF(cosh_of)(OF(exp_both_half)(x)); }
INLINE T OF(sinh_near)(T x) { return PICK(__builtin_copysignf, __builtin_copysign)(OF(sinh_of)(OF(exp_both_near)(x)), x); }
INLINE T OF(sinh)(T x)
{
  const T a = SIZE_OF(x);
  return PICK(__builtin_copysignf, __builtin_copysign)(a < PICK(0x1p-13f, 0x1p-28) ? a : 2 * OF(sinh_of)(OF(exp_both_half)(x)), x);
}
