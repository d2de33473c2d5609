// SPDX-License-Identifier: BSD-3-Clause
/* Helpers of formulas.def: what C's operators and library do not say in one word. L0.
 *
 * Complex products use the plain formula, so infinities may give NaN where C's Annex G would repair them; quotients
 * are repaired as it says, functions are C's. Integer results come as 64-bit words, of which the caller keeps the low bits.
 */
#ifndef HED_BASE_FORMULAS_MATH_H
#define HED_BASE_FORMULAS_MATH_H

#include "base/cmplx.h"
#include <stdbool.h>
#include <stdint.h>
#include <tgmath.h>

#include "base/formulas/formulas_real.h"
#include "base/half.h"

#define next_float16(a, b) hed__half_after(a, b, 0x7c00u)
#define next_bfloat16(a, b) hed__half_after(a, b, 0x7f80u)

static inline float _Complex times_f(float _Complex a, float _Complex b)
{
  float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
  return CMPLXF(ar * br - ai * bi, ar * bi + ai * br);
}

static inline double _Complex times_d(double _Complex a, double _Complex b)
{
  double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return CMPLX(ar * br - ai * bi, ar * bi + ai * br);
}

#define times(a, b) _Generic((a), float _Complex: times_f, double _Complex: times_d)(a, b)

/* Scaled, as the text of C's Annex G (G.5.1) does it, but for numerators that compilers' own division lets overflow too; what is
 * left of infinities and zeros as there. */
static inline double _Complex quotient_d(double _Complex x, double _Complex y)
{
  double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
  const double most = fmax(fabs(a), fabs(b)), largest = fmax(fabs(c), fabs(d));
  if (most > 0x1p-200 && most < 0x1p200 && largest > 0x1p-200 && largest < 0x1p200) /* the same without scaling */
    return CMPLX((a * c + b * d) / (c * c + d * d), (b * c - a * d) / (c * c + d * d));
  const bool finite = isfinite(largest) && largest > 0;
  const int up = most > 0x1p1000 ? -8 : most < 0x1p-800 ? 200 : 0, exponent = finite ? ilogb(largest) : 0;
  a = ldexp(a, up);
  b = ldexp(b, up);
  c = ldexp(c, -exponent);
  d = ldexp(d, -exponent);
  const double size = c * c + d * d;
  double re = ldexp((a * c + b * d) / size, -exponent - up), im = ldexp((b * c - a * d) / size, -exponent - up);
  if (re == re || im == im)
    return CMPLX(re, im);
  if (size == 0 && (a == a || b == b)) {
    re = copysign((double)INFINITY, c) * a;
    im = copysign((double)INFINITY, c) * b;
  } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
    a = copysign(isinf(a) ? 1 : 0, a);
    b = copysign(isinf(b) ? 1 : 0, b);
    re = (double)INFINITY * (a * c + b * d);
    im = (double)INFINITY * (b * c - a * d);
  } else if (largest == (double)INFINITY && isfinite(a) && isfinite(b)) {
    c = copysign(isinf(c) ? 1 : 0, c);
    d = copysign(isinf(d) ? 1 : 0, d);
    re = copysign(0, a * c + b * d);
    im = copysign(0, b * c - a * d);
  }
  return CMPLX(re, im);
}

static inline float _Complex quotient_f(float _Complex x, float _Complex y)
{
  return (float _Complex)quotient_d((double _Complex)x, (double _Complex)y);
}

#define quotient(a, b) _Generic((a), float _Complex: quotient_f, double _Complex: quotient_d)(a, b)

/* Small whole exponents by squaring, which is exact where the result is; 0 to a power by its limit; NaN if a part is. */
static inline double _Complex power_complex(double _Complex a, double _Complex b)
{
  double n = creal(b);
  if (b == 0)
    return 1;
  if (a != a || b != b)
    return CMPLX(NAN, NAN);
  if (a == 0)
    return n > 0 ? CMPLX(0, 0) : CMPLX(NAN, NAN);
  if (cimag(b) == 0 && n == rint(n) && n > -64 && n < 64) {
    double _Complex p = 1, base = n < 0 ? quotient_d(1, a) : a;
    for (int k = n < 0 ? (int)-n : (int)n; k > 0; k >>= 1, base = times_d(base, base))
      if (k & 1)
        p = times_d(p, base);
    return p;
  }
  return cpow(a, b);
}

/* ---- complex functions that libm lacks ---- */

/* e^z - 1 = expm1(x) cos y - 2 sin^2(y / 2) + i e^x sin y; e^z itself where 1 is nothing beside it, and where it is 0. */
static inline double _Complex complex_expm1(double _Complex z)
{
  double x = creal(z), y = cimag(z), s = sin(y / 2);
  if (y == 0)
    return CMPLX(expm1(x), y);
  if (x > 700 || x == -INFINITY) {
    double _Complex e = cexp(z);
    return CMPLX(creal(e) - 1, cimag(e));
  }
  return CMPLX(expm1(x) * cos(y) - 2 * s * s, exp(x) * sin(y));
}

/* Half the logarithm of 1 + s, s = |1 + z|^2 - 1 = 2 x + x^2 + y^2, which cancels next to the circle |1 + z| = 1: products and
 * sums are taken with what rounding loses. About -1, where 1 + x is exact, what cancels is 1 + s. */
static inline double _Complex complex_log1p(double _Complex z)
{
  double x = creal(z), y = cimag(z), lost[2];
  if (!(fabs(x) < 4 && fabs(y) < 4 && (fabs(1 + x) > 0.5 || fabs(y) > 0.5)))
    return clog(CMPLX(1 + x, y));
  const double xx = x * x, yy = y * y, sum = sum_of_two(sum_of_two(2 * x, xx, &lost[0]), yy, &lost[1]);
  const long double rest = (long double)lost[0] + lost[1] + fma(x, x, -xx) + fma(y, y, -yy);
  return CMPLX((double)log1pl(sum + rest) / 2, atan2(y, 1 + x));
}

/* Of an absolute value that is not finite: a number on the axis of the part that is infinite, NaN when both are. Of one that has
 * few digits. */
static inline double _Complex complex_sign(double _Complex z)
{
  double x = creal(z), y = cimag(z);
  const bool right = fabs(x) == INFINITY, up = fabs(y) == INFINITY;
  if (right != up)
    return right ? CMPLX(copysign(1, x), 0) : CMPLX(0, copysign(1, y));
  const double by = fabs(x) + fabs(y) < 1 ? 0x1p600 : 0.5, size = hypot(by * x, by * y);
  return CMPLX(by * x / size, by * y / size);
}

/* ---- special functions ---- */

static inline double gamma_function(double x) { return x == -INFINITY ? (double)NAN : tgamma(x); }

static inline double log_gamma(double x)
{
  int sign; /* lgamma would keep it in a variable of the process */
  return lgamma_r(x, &sign);
}

/* H from the positive root, by Taylor's series: what follows has a fixed error, of which nothing is seen in float64 from there. */
static inline long double digamma_near_root(long double h)
{
  return h * (0.9676722454476211704L - h * (0.4427631689835921061L - h * (0.2584997609556510106L - h * (0.1639427054424065275L
    - h * (0.1078240506912623658L - h * (0.0721995612564547109L - h * (0.0488042881641431072L - h * 0.0331611264748473593L)))))));
}

/* M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964): reflection 6.3.7, recurrence 6.3.5 up to 20,
 * then the asymptotic series 6.3.18. In long double because the terms cancel near the roots. */
static inline double digamma(double v)
{
  const double root = 0x1.762d86356be3fp0;
  long double x = v, sum = 0;
  if (v == 0)
    return -copysign((double)INFINITY, v);
  if (v == -INFINITY || (v < 0 && v == rint(v)))
    return (double)NAN;
  if (fabs(v - root) < 0.005)
    return (double)digamma_near_root(x - root - 9.549995429965697715e-17L);
  if (x < 0) {
    long double r = x - rintl(x), turn = 3.14159265358979323846264338L;
    sum = -turn / tanl(turn * r);
    x = 1 - x;
  }
  for (; x < 20; x++)
    sum -= 1 / x;
  long double y = 1 / (x * x), series = y / 12
    - y * y * (1.0L / 120 - y * (1.0L / 252 - y * (1.0L / 240 - y * (1.0L / 132 - y * (691.0L / 32760 - y / 12)))));
  return (double)(sum + logl(x) - 1 / (2 * x) - series);
}

/* ---- with parameters ---- */

/* Tolerances are met in double. */
#define wide(x) _Generic((x), float: (double)(x), float _Complex: (double _Complex)(x), default: (x))
#define finite(x) (isfinite((double)creal(x)) && isfinite((double)cimag(x)))

/* In long double: below 0 a rounded argument of erfc would cost as many digits as x^2 has. */
static inline double gelu(double x)
{
  return x == -INFINITY ? 0 : (double)(x * erfcl(x * -0.70710678118654752440084436210485L) / 2);
}

#endif
