// SPDX-License-Identifier: BSD-3-Clause
/* The text of select.h for float32 and float64. */
LOOP2(N(fmax), T, T, (a >= b) | (b != b) ? a : b)
LOOP2(N(fmin), T, T, (a <= b) | (b != b) ? a : b)
LOOP2(N(heaviside), T, T, a != a ? a : a == 0 ? b : (T)(a > 0 ? 1 : 0))
LOOP1(N(isposinf), T, uint8_t, a == (T)HUGE_VAL)
LOOP1(N(isneginf), T, uint8_t, a == -(T)HUGE_VAL)
LOOP1(N(deg2rad), T, T, (double)a * (PI / 180))
LOOP1(N(rad2deg), T, T, (double)a * (180 / PI))

/* Of A and B the part C. */
INLINE T N(lerp_of)(T a, T b, T c)
{
  const T part = b / 2 - a / 2;
  return c < (T)0.5 ? a + 2 * (c * part) : b - 2 * (part * (1 - c));
}
LOOP3(N(lerp), T, N(lerp_of)(a, b, c))

/* All is divided, by 1 where the condition is 0, so that loops have no branch and no flag is raised there. */
INLINE T N(quotient_where)(uint8_t c, T a, T b, T fill)
{
  const T quotient = a / (c ? b : 1);
  return c ? quotient : fill;
}
LOOP_WHERE(N(divide_where), T, hed_divide_params, (T)q->fill, N(quotient_where)(c, a, b, u))

LOOP1_WITH(N(leaky_relu), T, T, hed_slope_params, T, (T)q->slope, 0, 0, a >= 0 ? a : u * a)

/* The least number of type T that is not below t: what x >= t means for an x of that type. */
INLINE T N(not_below)(double t)
{
  const T f = (T)t;
  return (double)f < t ? LIBM(nextafter)(f, (T)HUGE_VAL) : f;
}
LOOP1_WITH(N(threshold), T, T, hed_threshold_params, T, N(not_below)(q->t), (T)q->above, (T)q->below, a >= u ? v : w)

/* The largest finite numbers for infinities: an extreme each, for which processors have an instruction. GCC takes it where it
 * does not see which numbers they are. */
INLINE T N(nearest)(T x, T low, T high)
{
  const T y = x < low ? low : x;
  return y > high ? high : y;
}
LOOP1_WITH(N(nan_to_most), T, T, hed_nan_params, T, (T)q->nan, (T)q->posinf, (T)q->neginf, a != a ? u : N(nearest)(a, w, v))
LOOP1_WITH(N(nan_to_given), T, T, hed_nan_params, T, (T)q->nan, (T)q->posinf, (T)q->neginf,
           a != a ? u : a == (T)HUGE_VAL ? v : a == -(T)HUGE_VAL ? w : a)
static void N(nan_to_num)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const hed_nan_params *q = params;
  const T most = PICK(FLT_MAX, DBL_MAX);
  ((T)q->posinf == most && (T)q->neginf == -most ? N(nan_to_most) : N(nan_to_given))(n, p, s, params);
}

/* The slope is float64. Rounded to float32 it costs half a place, unless it is too large or too small for that. */
LOOP1_WITH(N(elu_usual), T, T, hed_slope_params, T, (T)q->slope, 0, 0, a > 0 ? a : u * OF(expm1)(a))
LOOP1_WITH(N(elu_odd), T, T, hed_slope_params, double, q->slope, 0, 0, (T)(a > 0 ? (double)a : u * expm1((double)a)))
static void N(elu)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const double slope = __builtin_fabs(((const hed_slope_params *)params)->slope);
  (slope == 0 || (slope > 1e-30 && slope < 1e30) ? N(elu_usual) : N(elu_odd))(n, p, s, params);
}

/* Differences and tolerances are met in double. */
LOOP2_WITH(N(isclose), T, uint8_t, hed_isclose_params, double, q->rtol, q->atol, q->equal_nan,
           (a == b) | ((a != a) & (b != b) & (w != 0))
             | ((a - a == 0) & (b - b == 0) & (__builtin_fabs((double)a - (double)b) <= v + u * __builtin_fabs((double)b))))
