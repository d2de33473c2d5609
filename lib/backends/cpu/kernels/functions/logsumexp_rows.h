// SPDX-License-Identifier: BSD-3-Clause
/* softplus, logaddexp and logaddexp2 in two passes: e to a power that is not positive, then what is made of it; a body of
 * logsumexp.h. */
#define EXP2_BELOW PICK(exp2_f, exp2_below_d)

/* Of equal operands, infinities too, the first alone decides. */
INLINE T N(sum_of)(T a, T b, T unit, T rest)
{
  T y = ((a > b) | (a != a) ? a : b) + rest;
  return a == b ? a + unit : y;
}

/* E, which is e^-|a - b|, or that of 2, with what rounding takes away from a - b. */
INLINE T N(power_of)(T a, T b, T e, T unit)
{
  T d = a - b, back = d - a, rest = (a - (d - back)) - (b + back);
  rest = d - d == 0 ? rest : 0;
  return OF(ma)(d < 0 ? rest * unit : -rest * unit, e, e);
}

INLINE T N(exp_below)(T x) { return OF(exp)(-SIZE_OF(x)); }
INLINE T N(softplus_of)(T x, T e) { return (x > 0 ? x : (T)0) + OF(log_one_plus)(e); }
INLINE T N(logaddexp_power)(T a, T b) { return N(power_of)(a, b, OF(exp)(-SIZE_OF(a - b)), 1); }
INLINE T N(logaddexp_sum)(T a, T b, T e) { return N(sum_of)(a, b, (T)LN2, OF(log_one_plus)(e)); }
INLINE T N(logaddexp2_power)(T a, T b) { return N(power_of)(a, b, EXP2_BELOW(-SIZE_OF(a - b)), (T)LN2); }
INLINE T N(logaddexp2_sum)(T a, T b, T e) { return N(sum_of)(a, b, 1, (T)LOG2_E * OF(log_one_plus)(e)); }
#undef EXP2_BELOW
