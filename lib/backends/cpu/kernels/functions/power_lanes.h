// SPDX-License-Identifier: BSD-3-Clause
/* Rows of power_512.h; a body of it, by each.h. */
#define POWER_OF PICK(power_ps, power_pd)

/* R, or -R for an odd exponent, where the bases of BELOW are negative; NaN where the exponent is no integer. */
INLINE V N(power_below)(V r, V b, M below)
{
  const V half = P(mul)(b, P(set1)((T)0.5));
  const M part_of_1 = CMP(P(roundscale)(b, 8), b, _CMP_NEQ_UQ);
  const M part_of_2 = CMP(P(roundscale)(half, 8), half, _CMP_NEQ_UQ);
  r = P(mask_sub)(r, below & part_of_2, P(set1)((T)-0.0), r);
  return P(mask_mov)(r, below & part_of_1, P(set1)((T)NAN));
}

/* Odd bases, infinities and NaN are rare and go to libm. What is not quick goes to a function that the loop calls between two runs of
 * vectors that are: constants stay in registers. */
static __attribute__((noinline)) V N(power_lanes)(V a, V b)
{
  const M odd = N(power_odd)(a) | CLASS(b, 0x99);
  const M below = CMP(a, P(setzero)(), _CMP_LT_OQ);
  const V r = N(power_below)(POWER_OF(a, b, NULL), b, below);
  T base[LANES], exponent[LANES], power[LANES];
  P(storeu)(base, a);
  P(storeu)(exponent, b);
  P(storeu)(power, r);
  for (int k = 0; k < LANES; k++)
    if (odd >> k & 1)
      power[k] = PICK(powf, pow)(base[k], exponent[k]);
  return P(loadu)(power);
}

static void N(power_row)(int64_t n, T *o, const T *x, const T *y)
{
  const V zero = P(setzero)(), one = P(set1)(1);
  for (int64_t i = 0; i < n; i += LANES) {
    for (; i + LANES <= n; i += LANES) {
      const V a = P(loadu)(x + i), b = P(loadu)(y + i);
      M quick;
      V r = POWER_OF(a, b, &quick);
      const M below = CMP(a, zero, _CMP_LT_OQ);
      if (__builtin_expect(below != 0, 0))
        r = N(power_below)(r, b, below);
      if (__builtin_expect(quick != (M)-1, 0))
        break;
      P(storeu)(o + i, r);
    }
    if (i == n)
      break;
    const M part = n - i < LANES ? (M)((1u << (n - i)) - 1) : (M)-1;
    const V a = P(mask_loadu)(one, part, x + i), b = P(mask_loadu)(one, part, y + i);
    P(mask_storeu)(o + i, part, N(power_lanes)(a, b));
  }
}
STRIDED2(N(power_pairs), S, N(power_row))
#undef POWER_OF
