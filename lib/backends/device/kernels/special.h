// SPDX-License-Identifier: BSD-3-Clause
/* What the formulas of base/formulas/formulas.def name besides C's operators and base/formulas/formulas_real.h. L1.
 *
 * Languages of devices promise little of the gamma function and its relatives, so they are our own.
 */
#define __builtin_popcountll(x) POPCOUNT64(x)
#define wide(x) ((double)(x))
#define finite(x) isfinite((double)(x))

/* Of 16-bit floats the host's formulas take the bits, these here the values. */
#define next_float16(a, b) GIVEN_HALF_9(hed__half_after(HALF_9(a), HALF_9(b), 0x7c00u))
#define next_bfloat16(a, b) GIVEN_HALF_10(hed__half_after(HALF_10(a), HALF_10(b), 0x7f80u))

/* ---- gamma ---- */

/* sin(pi x), the argument reduced before it meets pi. */
FN double sine_of_turns(double x)
{
  const double r = x - 2 * rint(x / 2);
  return fabs(r) > 0.5 ? (r > 0 ? sin(PI * (1 - r)) : -sin(PI * (1 + r))) : sin(PI * r);
}

/* ln gamma(x) less (x - 1/2) ln x - x + ln(2 pi) / 2, for x >= 8: M. Abramowitz, I. A. Stegun, Handbook of Mathematical
 * Functions (1964), 6.1.41. */
FN double stirling_series(double x)
{
  const double w = 1 / (x * x);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188 - w * (691.0 / 360360
    - w * (1.0 / 156 - w * (3617.0 / 122400)))))))) / x;
}

/* Of X >= 10; the power may overflow where its product with e^-x does not. */
FN double gamma_of_large(double x)
{
  const double near = x < 32 ? pow(x, x - 0.5) * exp(-x) : 0, half_power = pow(x, 0.5 * x - 0.25);
  return (x < 32 ? near : half_power * (half_power * exp(-x))) * (2.50662827463100050242 * exp(stirling_series(x)));
}

/* Recurrence (6.1.15) to where Stirling's formula holds, with what rounding of the argument loses; reflection (6.1.17). */
FN double gamma_function(double x)
{
  double low = 1, lost;
  if (x != x || x == -INFINITY || (x < 0 && x == floor(x)))
    return NAN;
  if (x == 0)
    return 1 / x;
  if (x > 172)
    return INFINITY;
  if (x < -10) {
    const double s = sine_of_turns(x) * gamma_of_large(1 - (x > -190 ? x : (double)-190));
    return x > -190 ? PI / s : copysign((double)0, s);
  }
  const double steps = x < 10 ? 10 - floor(x) : 0, y = sum_of_two(x, steps, &lost);
  for (double k = 0; k < steps; k += 1)
    low *= x + k;
  return gamma_of_large(y) / low * (1 + lost * (log(y) - 0.5 / y));
}

/* (zeta(k) - 1) / k, k = 29 .. 2. */
CONSTANT(double, zeta_terms[28]) = {
  6.4229645638380996e-11, 1.3304764374244489e-10, 2.7595228851242334e-10, 5.7313672416788623e-10, 1.1921401405860912e-09,
  2.4836745438024785e-09, 5.1834750419700466e-09, 1.0838659214896955e-08, 2.2711094608943164e-08, 4.7698101693639804e-08,
  1.0043224823968099e-07, 2.1207184805554665e-07, 4.4924691987645662e-07, 9.5514121304074194e-07, 2.0392157538013662e-06,
  4.3748667899074882e-06, 9.4394882752683967e-06, 2.0507212775670691e-05, 4.4926236738133142e-05, 9.9457512781808531e-05,
  0.00022315475845357939, 0.00050966952474304245, 0.001192753911703261, 0.0028905103307415234, 0.0073855510286739857,
  0.020580808427784546, 0.067352301053198102, 0.3224670334241132,
};

/* ln gamma(2 + z), |z| <= 1/2: 6.1.33. */
FN double log_gamma_about_two(double z)
{
  double s = 0;
  for (int32_t k = 0; k < 28; k++)
    s = zeta_terms[k] - s * z;
  return z * (0.42278433509846713939 + s * z);
}

FN double log_gamma_above_zero(double x)
{
  double low = 1;
  if (x < 0.5)
    return log_gamma_about_two(x) - log1p(x) - log(x);
  if (x < 1.5)
    return log_gamma_about_two(x - 1) - log1p(x - 1);
  if (x >= 8)
    return x == INFINITY ? x : (x - 0.5) * (log(x) - 1) + (0.41893853320467274178 + stirling_series(x));
  for (; x >= 2.5; x -= 1)
    low *= x - 1;
  return log_gamma_about_two(x - 2) + log(low);
}

/* Below 0 by reflection, where errors are absolute next to the roots. */
FN double log_gamma(double x)
{
  if (x != x)
    return x;
  if (x == -INFINITY || x == 0 || (x < 0 && x == floor(x)))
    return INFINITY;
  return x > 0 ? log_gamma_above_zero(x) : log(PI / fabs(x * sine_of_turns(x))) - log_gamma_above_zero(-x);
}

/* The recurrence psi(x) = psi(x + 1) - 1 / x to where the asymptotic series (6.3.18) holds, in sums that keep what rounding loses,
 * as the terms cancel next to the roots; ln about 20.5 for the same reason. Far below 0 the reflection 6.3.7. */
FN double digamma(double v)
{
  double x = v, lost = 0, error, sum = 0, small = 0;
  if (v == 0)
    return -copysign((double)INFINITY, v);
  if (v == -INFINITY || (v < 0 && v == rint(v)))
    return NAN;
  if (v < -64) {
    sum = -PI / tan(PI * (v - rint(v)));
    x = 1 - v;
  }
  for (double k = 1; x < 20; k += 1) {
    const double r = 1 / x;
    small -= (fma(-x, r, (double)1) - lost * r) * r;
    sum = sum_of_two(sum, -r, &error);
    small += error;
    x = sum_of_two(v, k, &lost);
  }
  const double w = 1 / (x * x), series = w * (1.0 / 12 - w * (1.0 / 120 - w * (1.0 / 252 - w * (1.0 / 240 - w * (1.0 / 132
    - w * (691.0 / 32760 - w / 12))))));
  if (x < 21 && v >= -64) {
    sum = sum_of_two(sum, 3.0204248861443626, &error);
    small += error - 5.84482151029951e-17 + log1p((x - 20.5) / 20.5) + lost / x;
  } else {
    small += log(x);
  }
  return sum + (small - 0.5 / x - series);
}

/* ---- activations ---- */

/* What rounding takes from the argument of erfc counts below 0, where erfc falls as fast as e^(-y^2). */
FN double gelu(double x)
{
  const double root = 0.70710678118654752440, y = -x * root;
  const double lost = fma(-x, root, -y) + x * 4.8336466567264567e-17;
  if (x == -INFINITY)
    return 0;
  return x * ((erfc(y) - (y > 0 && y < 30 ? lost * 1.12837916709551257390 * exp(-y * y) : 0)) / 2);
}
