// SPDX-License-Identifier: BSD-3-Clause
/*
 * Square root, logarithms, trigonometric and hyperbolic functions and powers of complex numbers, in double for complex64 too.
 * Included by functions.c alone, after polar.h and divide.h.
 *
 * Blocks are taken apart. Elements that are NEAR are far from where what is between would overflow or vanish; others, zeros,
 * infinities and NaN among them, are rare and go to libm.
 * Every instruction set; complex64 and complex128, contiguous or apart.
 */

/* Every element (x, y) by OF, in place. */
INLINE void each_part(int64_t m, double *restrict re, double *restrict im, c128 (*of)(double, double))
{
  IVDEP for (int64_t j = 0; j < m; j++) {
    const c128 z = of(re[j], im[j]);
    re[j] = z.re;
    im[j] = z.im;
  }
}

INLINE bool odd_by(int64_t m, const double *re, const double *im, bool (*near)(double, double))
{
  int odd = 0;
  for (int64_t j = 0; j < m; j++)
    odd |= !near(re[j], im[j]);
  return odd;
}

/* ---- square root: from that of (|z| + |x|) / 2, which does not cancel ---- */

INLINE bool near_polar(double x, double y) { return tame(x) & tame(y) & ((x != 0) | (y != 0)); }

INLINE c128 sqrt_of(double x, double y)
{
  const double a = __builtin_fabs(x), r = __builtin_sqrt(0.5 * (__builtin_sqrt(ma_d(x, x, y * y)) + a)), t = 0.5 * y / r;
  return (c128){ x < 0 ? __builtin_fabs(t) : r, x < 0 ? __builtin_copysign(r, y) : t };
}

/* ---- trigonometric and hyperbolic: real functions of either part ---- */

typedef struct hyperbolic { double sinh, cosh; } hyperbolic;

/* With h = (e^|x| - 1) / 2, sinh |x| is h + h / (2 h + 1) and cosh x h + 1/2 + 1 / (2 (2 h + 1)). */
INLINE hyperbolic hyperbolic_of(double x)
{
  const double a = __builtin_fabs(x), h = 0.5 * expm1_near_d(a), q = 1.0 / ma_d(2.0, h, 1.0);
  return (hyperbolic){ __builtin_copysign(a < 0x1p-28 ? a : ma_d(h, q, h), x), ma_d(0.5, q, h + 0.5) };
}

INLINE bool near_circular(double x, double y) { return (__builtin_fabs(x) <= LARGE_D) & (__builtin_fabs(y) <= 700.0); }
INLINE bool near_hyperbolic(double x, double y) { return near_circular(y, x); }

/* Of the tangents squares are taken. */
INLINE bool near_tan(double x, double y) { return near_circular(x, y) & (__builtin_fabs(y) <= 300.0); }
INLINE bool near_tanh(double x, double y) { return near_tan(y, x); }

typedef struct parts_of { double sine, cosine, sinh, cosh, d; } parts_of;

/* Of an angle and a length; D is what tangents are divided by. */
INLINE parts_of parts_of_both(double circle, double line)
{
  const double sine = sin_d(circle, 0), cosine = sin_d(circle, 1);
  const hyperbolic h = hyperbolic_of(line);
  return (parts_of){ sine, cosine, h.sinh, h.cosh, ma_d(cosine, cosine, h.sinh * h.sinh) };
}

INLINE c128 sin_of(double x, double y)
{
  const parts_of p = parts_of_both(x, y);
  return (c128){ p.sine * p.cosh, p.cosine * p.sinh };
}

INLINE c128 cos_of(double x, double y)
{
  const parts_of p = parts_of_both(x, y);
  return (c128){ p.cosine * p.cosh, -(p.sine * p.sinh) };
}

INLINE c128 sinh_of(double x, double y)
{
  const parts_of p = parts_of_both(y, x);
  return (c128){ p.sinh * p.cosine, p.cosh * p.sine };
}

INLINE c128 cosh_of(double x, double y)
{
  const parts_of p = parts_of_both(y, x);
  return (c128){ p.cosh * p.cosine, p.sinh * p.sine };
}

INLINE c128 tan_of(double x, double y)
{
  const parts_of p = parts_of_both(x, y);
  return (c128){ p.sine * p.cosine / p.d, p.sinh * p.cosh / p.d };
}

INLINE c128 tanh_of(double x, double y)
{
  const parts_of p = parts_of_both(y, x);
  return (c128){ p.sinh * p.cosh / p.d, p.sine * p.cosine / p.d };
}

/* e^z - 1, of parts as in lib/base/formulas/formulas_math.h. */
INLINE bool near_expm1(double x, double y) { return near_hyperbolic(x, y) & (x > -50.0); }
INLINE c128 expm1_of(double x, double y)
{
  const double s = sin_d(0.5 * y, 0);
  return (c128){ ma_d(expm1_near_d(x), sin_d(y, 1), -2.0 * s * s), exp_near_d(x) * sin_d(y, 0) };
}
INLINE float _Complex expm1_far(float _Complex z) { return (float _Complex)complex_expm1(z); }

/* ---- logarithm and power ---- */

#if defined(HED_HAVE_LIBMVEC)
/* Half the logarithm of x^2 + y^2 + MORE, which is at most what rounding takes away. That, from squares and their sum, is added
 * to the reduced argument, so that the result is right also where the sum is next to 1. */
INLINE double log_abs_more_d(double x, double y, double more)
{
  const double a = __builtin_fabs(x), b = __builtin_fabs(y), high = a > b ? a : b, low = a > b ? b : a;
  const double u = high * high, v = low * low, sum = u + v;
  const uint64_t k = (bits_d(sum) - 0x3fe6a09e00000000u + ((uint64_t)1024 << 52)) >> 52; /* as log_series_d() */
  const double e = of_bits_d(k | 0x4330000000000000u) - (0x1p52 + 1024);
  const double unit = of_bits_d((2047 - k) << 52);
  double f = of_bits_d(bits_d(sum) - ((k - 1024) << 52)) - 1.0 + ((u - sum) + v) * unit; /* the largest first: they cancel */
  f = f + square_rest_d(high, u) * unit + (square_rest_d(low, v) + more) * unit;
  return 0.5 * log_sum_d(e, f, log_series_of_d(f));
}
INLINE double log_abs_d(double x, double y) { return log_abs_more_d(x, y, 0); }

static void log_rows(int64_t m, double *restrict re, double *restrict im)
{
  double angle[MATH_BLOCK];
  arctan2_f64_row(m, angle, im, re);
  IVDEP for (int64_t j = 0; j < m; j++)
    re[j] = log_abs_d(re[j], im[j]);
  memcpy(im, angle, (size_t)m * sizeof *im);
}

/* To another base, FACTOR times as long. */
INLINE void log_to(int64_t m, double *restrict re, double *restrict im, double factor)
{
  log_rows(m, re, im);
  IVDEP for (int64_t j = 0; j < m; j++)
    re[j] *= factor, im[j] *= factor;
}
INLINE double _Complex log2_far(double _Complex z) { return clog(z) * LOG2_E; }
INLINE double _Complex log10_far(double _Complex z) { return clog(z) * LOG10_E; }
INLINE float _Complex log2_far_f(float _Complex z) { return (float _Complex)log2_far(z); }
INLINE float _Complex log10_far_f(float _Complex z) { return (float _Complex)log10_far(z); }

/* log (1 + z): what is lost of x beside 1 comes back with the squares, (1 + x)^2 being u^2 + 2 u LOST. */
static void log1p_rows(int64_t m, double *restrict re, double *restrict im)
{
  double angle[MATH_BLOCK], one[MATH_BLOCK];
  IVDEP for (int64_t j = 0; j < m; j++)
    one[j] = 1.0 + re[j];
  arctan2_f64_row(m, angle, im, one);
  IVDEP for (int64_t j = 0; j < m; j++) {
    const double x = re[j], u = one[j], part = u - 1.0, lost = (1.0 - (u - part)) + (x - part);
    re[j] = log_abs_more_d(u, im[j], 2.0 * u * lost);
  }
  memcpy(im, angle, (size_t)m * sizeof *im);
}

INLINE bool near_log1p(double x, double y) { return near_polar(1.0 + x, y); }

INLINE float _Complex log1p_far(float _Complex z) { return (float _Complex)complex_log1p(z); }

/* Small whole exponents, which are products, go with the odd ones, and so do those above MOST: they multiply the errors of
 * logarithm and angle. */
INLINE bool near_power(double x, double y, double b, double c, double most)
{
  const double size = __builtin_fabs(b), whole = size + MAGIC_D - MAGIC_D;
  return near_polar(x, y) & (size < most) & (__builtin_fabs(c) < most) & !((c == 0) & (size < 64) & (whole == size));
}

#endif

#define BODY "backends/cpu/kernels/functions/cfun_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/* ROWS where NEAR, else the functions of either type. */
#define COMPLEX_FUNCTION(NAME, S, ROWS, NEAR, FAR)                                               \
  static void NAME##_##S##_far(int64_t m, S *out, const double *re, const double *im) { far_by_##S(m, out, re, im, NEAR, FAR); } \
  ROW_ENTRY(NAME##_##S, complex_blocks_##S(n, p, s, NAME##_odd, ROWS, NAME##_##S##_far))
#define COMPLEX_FUNCTIONS(NAME, NEAR, ROWS, FAR, FAR_DOUBLE)                                     \
  static bool NAME##_odd(int64_t m, const double *re, const double *im) { return odd_by(m, re, im, NEAR); } \
  COMPLEX_FUNCTION(NAME, c64, ROWS, NEAR, FAR) COMPLEX_FUNCTION(NAME, c128, ROWS, NEAR, FAR_DOUBLE)
#define COMPLEX_ROWS(NAME, CALL) static void NAME##_rows(int64_t m, double *restrict re, double *restrict im) { CALL; }
#define COMPLEX_EACH(NAME, NEAR, FAR, FAR_DOUBLE)                                                \
  COMPLEX_ROWS(NAME, each_part(m, re, im, NAME##_of)) COMPLEX_FUNCTIONS(NAME, NEAR, NAME##_rows, FAR, FAR_DOUBLE)

COMPLEX_EACH(sqrt, near_polar, csqrtf, csqrt)
COMPLEX_EACH(sin, near_circular, csinf, csin)
COMPLEX_EACH(cos, near_circular, ccosf, ccos)
COMPLEX_EACH(sinh, near_hyperbolic, csinhf, csinh)
COMPLEX_EACH(cosh, near_hyperbolic, ccoshf, ccosh)
COMPLEX_EACH(tan, near_tan, ctanf, ctan)
COMPLEX_EACH(tanh, near_tanh, ctanhf, ctanh)
COMPLEX_EACH(expm1, near_expm1, expm1_far, complex_expm1)
#if defined(HED_HAVE_LIBMVEC)
COMPLEX_FUNCTIONS(log, near_polar, log_rows, clogf, clog)
COMPLEX_ROWS(log2, log_to(m, re, im, LOG2_E))
COMPLEX_FUNCTIONS(log2, near_polar, log2_rows, log2_far_f, log2_far)
COMPLEX_ROWS(log10, log_to(m, re, im, LOG10_E))
COMPLEX_FUNCTIONS(log10, near_polar, log10_rows, log10_far_f, log10_far)
COMPLEX_FUNCTIONS(log1p, near_log1p, log1p_rows, log1p_far, complex_log1p)
#endif
