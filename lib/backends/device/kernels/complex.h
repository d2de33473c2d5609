// SPDX-License-Identifier: BSD-3-Clause
/* Functions of complex numbers, in complex128. L1.
 *
 * Special values as C's Annex G has them;
 * formulas by W. Kahan, Branch cuts for complex elementary functions, in: The State of the Art in Numerical Analysis (1987).
 */
#if COMPUTES == IS_C

#define DOWN(z) complex_down(z)
#define UP(z) complex128_of((z).re, (z).im)

FN T complex_down(complex128 z) { return OF((R)z.re, (R)z.im); }

FN bool same(T a, T b) { return a.re == b.re && a.im == b.im; }
FN bool truth(T a) { return a.re != 0 || a.im != 0; }
FN bool complex_isnan(T a) { return a.re != a.re || a.im != a.im; }
FN R modulus_of(T a) { return (R)hypot((double)a.re, (double)a.im); }

FN complex128 times128(complex128 a, complex128 b)
{
  return complex128_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/* As on the host (base/formulas/formulas_math.h). */
#ifdef NO_FLOAT64
#define OVER_UP(most) ((most) > 0x1p120 ? -8 : (most) < 0x1p-90 ? 40 : 0)
#else
#define OVER_UP(most) ((most) > 0x1p1000 ? -8 : (most) < 0x1p-800 ? 200 : 0)
#endif
FN complex128 over128(complex128 x, complex128 y)
{
  double a = x.re, b = x.im, c = y.re, d = y.im;
  const double most = fmax(fabs(a), fabs(b)), largest = fmax(fabs(c), fabs(d));
  const int32_t up = OVER_UP(most), exponent = isfinite(largest) && largest > 0 ? ilogb(largest) : 0;
  a = ldexp(a, up);
  b = ldexp(b, up);
  c = ldexp(c, -exponent);
  d = ldexp(d, -exponent);
  const double size = c * c + d * d;
  double re = ldexp((a * c + b * d) / size, -exponent - up), im = ldexp((b * c - a * d) / size, -exponent - up);
  if (re != re && im != im) {
    if (size == 0 && (a == a || b == b)) {
      re = copysign((double)INFINITY, c) * a;
      im = copysign((double)INFINITY, c) * b;
    } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
      a = copysign((double)(isinf(a) ? 1 : 0), a);
      b = copysign((double)(isinf(b) ? 1 : 0), b);
      re = INFINITY * (a * c + b * d);
      im = INFINITY * (b * c - a * d);
    } else if (largest == INFINITY && isfinite(a) && isfinite(b)) {
      c = copysign((double)(isinf(c) ? 1 : 0), c);
      d = copysign((double)(isinf(d) ? 1 : 0), d);
      re = copysign((double)0, a * c + b * d);
      im = copysign((double)0, b * c - a * d);
    }
  }
  return complex128_of(re, im);
}
#define over(a, b) DOWN(over128(UP(a), UP(b)))

FN complex128 sqrt128(complex128 z)
{
  double x = z.re, y = z.im, scale = 1;
  if (x == 0 && y == 0)
    return complex128_of(0, y);
  if (isinf(y))
    return complex128_of(INFINITY, y);
  if (x != x)
    return complex128_of(x, NAN);
  if (isinf(x))
    return x < 0 ? complex128_of(fabs(y - y), copysign(x, y)) : complex128_of(x, copysign(y - y, y));
#ifndef NO_FLOAT64
  if (fmax(fabs(x), fabs(y)) > 0x1p1000) {
    x *= 0x1p-4;
    y *= 0x1p-4;
    scale = 4;
  } else if (fmax(fabs(x), fabs(y)) < 0x1p-900) {
    x *= 0x1p100;
    y *= 0x1p100;
    scale = 0x1p-50;
  }
#endif
  const double t = sqrt((fabs(x) + hypot(x, y)) * 0.5);
  return x >= 0 ? complex128_of(scale * t, scale * (y / (2 * t)))
                : complex128_of(scale * (fabs(y) / (2 * t)), copysign(scale * t, y));
}

FN complex128 exp128(complex128 z)
{
  const double x = z.re, y = z.im;
  if (y == 0)
    return complex128_of(exp(x), y);
  if (!isfinite(y))
    return x == -INFINITY ? complex128_of(0, 0) : x == INFINITY ? complex128_of(x, NAN) : complex128_of(NAN, NAN);
#ifndef NO_FLOAT64
  if (x > 700 && x < 1500) {
    const double e = exp(x * 0.5);
    return complex128_of(e * cos(y) * e, e * sin(y) * e);
  }
#endif
  return complex128_of(exp(x) * cos(y), exp(x) * sin(y));
}

FN complex128 log128(complex128 z)
{
  const double x = fabs(z.re), y = fabs(z.im), m = fmax(x, y), n = fmin(x, y), angle = atan2(z.im, z.re);
  if (x != x || y != y)
    return complex128_of(isinf(x) || isinf(y) ? (double)INFINITY : (double)NAN, NAN);
  if (m > 0.5 && m < 1.5 && n < 1.2)
    return complex128_of(0.5 * log1p((m - 1) * (m + 1) + n * n), angle);
#ifndef NO_FLOAT64
  if (m > 0x1p1000 && isfinite(m))
    return complex128_of(log(hypot(x * 0.5, y * 0.5)) + 0.69314718055994530942, angle);
  if (m < 0x1p-900 && m > 0)
    return complex128_of(log(hypot(x * 0x1p100, y * 0x1p100)) - 100 * 0.69314718055994530942, angle);
#endif
  return complex128_of(log(hypot(x, y)), angle);
}

/* As on the host (base/formulas/formulas_math.h). */
FN complex128 log1p128(complex128 z)
{
  const double x = z.re, y = z.im;
  double first, second;
  if (!(fabs(x) < 4 && fabs(y) < 4 && (fabs(1 + x) > 0.5 || fabs(y) > 0.5)))
    return log128(complex128_of(1 + x, y));
  const double xx = x * x, yy = y * y, sum = sum_of_two(sum_of_two(2 * x, xx, &first), yy, &second);
  const double rest = first + second + fma(x, x, -xx) + fma(y, y, -yy);
  return complex128_of(0.5 * log1p(sum + rest), atan2(y, 1 + x));
}

FN complex128 expm1128(complex128 z)
{
  const double x = z.re, y = z.im, s = sin(y / 2);
  if (y == 0)
    return complex128_of(expm1(x), y);
  if (x > 80 || x == -INFINITY) {
    const complex128 e = exp128(z);
    return complex128_of(e.re - 1, e.im);
  }
  return complex128_of(expm1(x) * cos(y) - 2 * s * s, exp(x) * sin(y));
}

/* (sinh x cos y, cosh x sin y) and (cosh x cos y, sinh x sin y). */
FN complex128 sinh128(complex128 z)
{
  const double x = z.re, y = z.im;
  if (y == 0)
    return complex128_of(sinh(x), y);
  if (!isfinite(y))
    return x == 0 ? complex128_of(x, NAN) : isinf(x) ? complex128_of(x, NAN) : complex128_of(NAN, NAN);
  if (x == 0)
    return complex128_of(copysign(x, x * cos(y)), sin(y));
  if (fabs(x) > 40) {
    const complex128 e = exp128(complex128_of(fabs(x) - 0.69314718055994530942, y));
    return complex128_of(copysign((double)1, x) * e.re, e.im);
  }
  return complex128_of(sinh(x) * cos(y), cosh(x) * sin(y));
}

FN complex128 cosh128(complex128 z)
{
  const double x = z.re, y = z.im;
  if (y == 0)
    return complex128_of(cosh(x), signbit(x) ? -y : y);
  if (!isfinite(y))
    return x == 0 ? complex128_of(NAN, x) : isinf(x) ? complex128_of(INFINITY, NAN) : complex128_of(NAN, NAN);
  if (x == 0)
    return complex128_of(cos(y), x * sin(y));
  if (fabs(x) > 40) {
    const complex128 e = exp128(complex128_of(fabs(x) - 0.69314718055994530942, y));
    return complex128_of(e.re, copysign((double)1, x) * e.im);
  }
  return complex128_of(cosh(x) * cos(y), sinh(x) * sin(y));
}

FN complex128 tanh128(complex128 z)
{
  const double x = z.re, y = z.im;
  if (isinf(x))
    return complex128_of(copysign((double)1, x), isfinite(y) ? copysign((double)0, sin(y) * cos(y)) : copysign((double)0, y));
  if (x != x)
    return complex128_of(x, y == 0 ? y : x);
  if (!isfinite(y))
    return complex128_of(x == 0 ? x : NAN, NAN);
  if (fabs(x) > 22) {
    const double e = exp(-fabs(x));
    return complex128_of(copysign((double)1, x), 4 * sin(y) * cos(y) * e * e);
  }
  const double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s), size = 1 + beta * s * s;
  if (isinf(t))
    return complex128_of(rho / s, 1 / t);
  return complex128_of(beta * rho * s / size, t / size);
}

FN complex128 turned(complex128 z) { return complex128_of(-z.im, z.re); }     /* i z */
FN complex128 turned_back(complex128 z) { return complex128_of(z.im, -z.re); } /* -i z */

/* Of numbers one part of which is infinite or NaN. */
FN complex128 asinh_beyond(complex128 z)
{
  const double x = z.re, y = z.im;
  if (isinf(y))
    return complex128_of(copysign((double)INFINITY, x), x != x ? x : copysign(isinf(x) ? PI / 4 : PI / 2, y));
  if (isinf(x))
    return complex128_of(x, y == y ? copysign((double)0, y) : y);
  return complex128_of(NAN, x != x && y == 0 ? y : (double)NAN);
}

FN complex128 acos_beyond(complex128 z)
{
  const double x = z.re, y = z.im;
  if (isinf(y))
    return complex128_of(x != x ? x : isinf(x) ? (x < 0 ? 3 * PI / 4 : PI / 4) : PI / 2, -y);
  if (isinf(x))
    return complex128_of(y != y ? y : x < 0 ? PI : 0, copysign((double)INFINITY, -y));
  return complex128_of(x == 0 ? PI / 2 : NAN, NAN);
}

FN bool is_beyond(complex128 z) { return !isfinite(z.re) || !isfinite(z.im); }

/* Where 1 is nothing beside z^2, products of roots could overflow: the inverse functions are ln 2 |z| and angles. */
FN bool is_far(complex128 z) { return fmax(fabs(z.re), fabs(z.im)) > 1e15; }
FN double log_of_twice(complex128 z) { return log128(z).re + 0.69314718055994530942; }

FN complex128 asin128(complex128 z)
{
  if (is_beyond(z))
    return turned_back(asinh_beyond(turned(z)));
  if (is_far(z))
    return complex128_of(atan2(z.re, fabs(z.im)), copysign(log_of_twice(z), z.im));
  const complex128 u = sqrt128(complex128_of(1 - z.re, -z.im)), v = sqrt128(complex128_of(1 + z.re, z.im));
  return complex128_of(atan2(z.re, u.re * v.re - u.im * v.im), asinh(u.re * v.im - u.im * v.re));
}

FN complex128 acos128(complex128 z)
{
  if (is_beyond(z))
    return acos_beyond(z);
  if (is_far(z))
    return complex128_of(atan2(fabs(z.im), z.re), copysign(log_of_twice(z), -z.im));
  const complex128 u = sqrt128(complex128_of(1 - z.re, -z.im)), v = sqrt128(complex128_of(1 + z.re, z.im));
  return complex128_of(2 * atan2(u.re, v.re), asinh(v.re * u.im - v.im * u.re));
}

FN complex128 acosh128(complex128 z)
{
  if (is_beyond(z)) {
    const complex128 w = acos_beyond(z);
    return complex128_of(fabs(w.im), z.im == z.im ? copysign(w.re, z.im) : w.re);
  }
  if (is_far(z))
    return complex128_of(log_of_twice(z), atan2(z.im, z.re));
  const complex128 u = sqrt128(complex128_of(z.re - 1, z.im)), v = sqrt128(complex128_of(z.re + 1, z.im));
  return complex128_of(asinh(u.re * v.re + u.im * v.im), 2 * atan2(u.im, v.re));
}

FN complex128 asinh128(complex128 z) { return turned_back(asin128(turned(z))); }

/* re = ln1p(4 x / ((1 - x)^2 + y^2)) / 4, im = angle of (1 - x)(1 + x) - y^2 + 2 i y over 2; above 1 without squares that vanish. */
FN complex128 atanh128(complex128 z)
{
  const double x = fabs(z.re), y = z.im, sign = copysign((double)1, z.re);
  if (isinf(x) || isinf(y))
    return complex128_of(copysign((double)0, z.re), y != y ? y : copysign(PI / 2, y));
  if (x != x || y != y)
    return complex128_of(x == 0 ? z.re : NAN, NAN);
  if (x > 1e8 || fabs(y) > 1e8) {
    const complex128 inverse = over128(complex128_of(1, 0), z);
    return complex128_of(sign * fabs(inverse.re), copysign(PI / 2, y) + inverse.im);
  }
  if (x == 1 && fabs(y) < 1e-8)
    return complex128_of(sign * 0.5 * (0.69314718055994530942 - log(fabs(y))), y == 0 ? y : copysign(PI / 4, y));
  return complex128_of(sign * 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y)),
                       0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y));
}

FN complex128 power128(complex128 a, complex128 b)
{
  const double n = b.re;
  if (b.re == 0 && b.im == 0)
    return complex128_of(1, 0);
  if (a.re != a.re || a.im != a.im || b.re != b.re || b.im != b.im)
    return complex128_of(NAN, NAN);
  if (a.re == 0 && a.im == 0)
    return n > 0 ? complex128_of(0, 0) : complex128_of(NAN, NAN);
  if (b.im == 0 && n == rint(n) && n > -64 && n < 64) {
    complex128 p = complex128_of(1, 0), base = n < 0 ? over128(p, a) : a;
    for (int32_t k = (int32_t)fabs(n); k > 0; k >>= 1) {
      if (k & 1)
        p = times128(p, base);
      base = times128(base, base);
    }
    return p;
  }
  return exp128(times128(b, log128(a)));
}

#ifdef NO_FLOAT64
#define LEAST_NORMAL 0x1p-126
#else
#define LEAST_NORMAL 0x1p-1022
#endif

FN T complex_sign(T a)
{
  double x = a.re, y = a.im, size = hypot(x, y);
  if (x == 0 && y == 0)
    return OF(0, 0);
  if (!isfinite(size)) {
    const bool right = isinf(x), up = isinf(y);
    if (right != up)
      return right ? OF(copysign((R)1, a.re), 0) : OF(0, copysign((R)1, a.im));
    x /= 2;
    y /= 2;
    size = hypot(x, y);
  } else if (size < LEAST_NORMAL) {
    x *= 1 / LEAST_NORMAL;
    y *= 1 / LEAST_NORMAL;
    size = hypot(x, y);
  }
  return OF((R)(x / size), (R)(y / size));
}

FN T scaled128(complex128 z, double factor) { return OF((R)(z.re * factor), (R)(z.im * factor)); }

#endif
