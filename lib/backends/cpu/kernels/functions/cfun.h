// SPDX-License-Identifier: BSD-3-Clause
/*
 * Square root, logarithms, trigonometric and hyperbolic functions and powers of complex numbers, in double for complex64 too.
 * Included by functions.c alone, after polar.h and divide.h.
 *
 * Blocks are taken apart. Elements that are NEAR are far from where what is between would overflow or vanish; others, zeros,
 * infinities and NaN among them, are rare and go to libm.
 * Every instruction set; complex64 and complex128, contiguous or apart.
 */

/* ROWS(m, re, im) in place; where ODD says that some are not near, FAR does those again, from what they were. */
#define COMPLEX_BLOCKS(C)                                                                        \
  APART complex_blocks_##C(int64_t n, char *const *p, const int64_t *s,                          \
                           bool (*odd)(int64_t, const double *, const double *),                 \
                           void (*rows)(int64_t, double *restrict, double *restrict),            \
                           void (*far)(int64_t, C *, const double *, const double *))            \
  {                                                                                              \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      _Alignas(CPU_VECTOR) double re[MATH_BLOCK], im[MATH_BLOCK], in[2][MATH_BLOCK];             \
      _Alignas(CPU_VECTOR) C out[MATH_BLOCK];                                                    \
      TAKE_APART(C, re, im, p[1], s[1])                                                          \
      const bool some = odd(m, re, im);                                                          \
      if (some) {                                                                                \
        memcpy(in[0], re, sizeof re);                                                            \
        memcpy(in[1], im, sizeof im);                                                            \
      }                                                                                          \
      rows(m, re, im);                                                                           \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        out[j].re = re[j];                                                                       \
        out[j].im = im[j];                                                                       \
      }                                                                                          \
      if (some)                                                                                  \
        far(m, out, in[0], in[1]);                                                               \
      PUT_BLOCK(C)                                                                               \
    }                                                                                            \
  }
COMPLEX_BLOCKS(c64)
COMPLEX_BLOCKS(c128)

#define COMPLEX_FUNCTION(NAME, C, CTYPE, CMPLX, ODD, NEAR, ROWS, SCALAR)                         \
  static void NAME##_far(int64_t m, C *out, const double *re, const double *im)                  \
  {                                                                                              \
    for (int64_t j = 0; j < m; j++)                                                              \
      if (!NEAR(re[j], im[j])) {                                                                 \
        const CTYPE z = SCALAR(CMPLX(re[j], im[j]));                                             \
        out[j] = (C){ creal(z), cimag(z) };                                                      \
      }                                                                                          \
  }                                                                                              \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    complex_blocks_##C(n, p, s, ODD, ROWS, NAME##_far);                                          \
  }
#define COMPLEX_FUNCTIONS(NAME, NEAR, ROWS, SCALAR)                                              \
  static bool NAME##_odd(int64_t m, const double *re, const double *im)                          \
  {                                                                                              \
    int odd = 0;                                                                                 \
    for (int64_t j = 0; j < m; j++)                                                              \
      odd |= !NEAR(re[j], im[j]);                                                                \
    return odd;                                                                                  \
  }                                                                                              \
  COMPLEX_FUNCTION(NAME##_c64, c64, float _Complex, CMPLXF, NAME##_odd, NEAR, ROWS, SCALAR)      \
  COMPLEX_FUNCTION(NAME##_c128, c128, double _Complex, CMPLX, NAME##_odd, NEAR, ROWS, SCALAR)

/* RE and IM from x and y, elements of them. */
#define COMPLEX_ROWS(NAME, SETUP, RE, IM)                                                        \
  static void NAME(int64_t m, double *restrict re, double *restrict im)                          \
  {                                                                                              \
    IVDEP for (int64_t j = 0; j < m; j++) {                                                      \
      const double x = re[j], y = im[j];                                                         \
      SETUP;                                                                                     \
      re[j] = RE;                                                                                \
      im[j] = IM;                                                                                \
    }                                                                                            \
  }

/* ---- square root: from that of (|z| + |x|) / 2, which does not cancel ---- */

INLINE bool near_polar(double x, double y) { return tame(x) & tame(y) & ((x != 0) | (y != 0)); }

COMPLEX_ROWS(sqrt_rows,
             const double a = __builtin_fabs(x); const double r = __builtin_sqrt(0.5 * (__builtin_sqrt(ma_d(x, x, y * y)) + a));
             const double t = 0.5 * y / r,
             x < 0 ? __builtin_fabs(t) : r, x < 0 ? __builtin_copysign(r, y) : t)
COMPLEX_FUNCTIONS(sqrt, near_polar, sqrt_rows, sqrt)

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

#define PARTS_OF(circle, line)                                                                   \
  const double sine = sin_d(circle, 0); const double cosine = sin_d(circle, 1);                  \
  const hyperbolic h = hyperbolic_of(line)
#define TANGENT_OF(circle, line) \
  PARTS_OF(circle, line); const double d = ma_d(cosine, cosine, h.sinh * h.sinh)

COMPLEX_ROWS(sin_rows, PARTS_OF(x, y), sine * h.cosh, cosine * h.sinh)
COMPLEX_ROWS(cos_rows, PARTS_OF(x, y), cosine * h.cosh, -(sine * h.sinh))
COMPLEX_ROWS(sinh_rows, PARTS_OF(y, x), h.sinh * cosine, h.cosh * sine)
COMPLEX_ROWS(cosh_rows, PARTS_OF(y, x), h.cosh * cosine, h.sinh * sine)
COMPLEX_ROWS(tan_rows, TANGENT_OF(x, y), sine * cosine / d, h.sinh * h.cosh / d)
COMPLEX_ROWS(tanh_rows, TANGENT_OF(y, x), h.sinh * h.cosh / d, sine * cosine / d)

COMPLEX_FUNCTIONS(sin, near_circular, sin_rows, sin)
COMPLEX_FUNCTIONS(cos, near_circular, cos_rows, cos)
COMPLEX_FUNCTIONS(sinh, near_hyperbolic, sinh_rows, sinh)
COMPLEX_FUNCTIONS(cosh, near_hyperbolic, cosh_rows, cosh)
COMPLEX_FUNCTIONS(tan, near_tan, tan_rows, tan)
COMPLEX_FUNCTIONS(tanh, near_tanh, tanh_rows, tanh)

/* e^z - 1, of parts as in lib/base/formulas/formulas_math.h. */
INLINE bool near_expm1(double x, double y) { return near_hyperbolic(x, y) & (x > -50.0); }
COMPLEX_ROWS(expm1_rows, const double s = sin_d(0.5 * y, 0), ma_d(expm1_near_d(x), sin_d(y, 1), -2.0 * s * s),
             exp_near_d(x) * sin_d(y, 0))
COMPLEX_FUNCTIONS(expm1, near_expm1, expm1_rows, complex_expm1)

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
COMPLEX_FUNCTIONS(log, near_polar, log_rows, log)

/* To another base, FACTOR times as long. */
#define LOG_TO(NAME, FACTOR)                                                                     \
  INLINE double _Complex NAME##_of(double _Complex z) { return clog(z) * (FACTOR); }             \
  static void NAME##_rows(int64_t m, double *restrict re, double *restrict im)                   \
  {                                                                                              \
    log_rows(m, re, im);                                                                         \
    IVDEP for (int64_t j = 0; j < m; j++)                                                        \
      re[j] *= (FACTOR), im[j] *= (FACTOR);                                                      \
  }                                                                                              \
  COMPLEX_FUNCTIONS(NAME, near_polar, NAME##_rows, NAME##_of)
LOG_TO(log2, LOG2_E)
LOG_TO(log10, LOG10_E)

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
COMPLEX_FUNCTIONS(log1p, near_log1p, log1p_rows, complex_log1p)

/* Small whole exponents, which are products, go with the odd ones, and so do those above MOST: they multiply the errors of
 * logarithm and angle. */
INLINE bool near_power(double x, double y, double b, double c, double most)
{
  const double size = __builtin_fabs(b), whole = size + MAGIC_D - MAGIC_D;
  return near_polar(x, y) & (size < most) & (__builtin_fabs(c) < most) & !((c == 0) & (size < 64) & (whole == size));
}

/* e^((b + c i) log z); NEAR says where neither factor leaves its range. */
#define COMPLEX_POWER(NAME, C, MOST)                                                             \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      double re[MATH_BLOCK], im[MATH_BLOCK], b[MATH_BLOCK], c[MATH_BLOCK];                       \
      uint8_t near[MATH_BLOCK];                                                                  \
      C out[MATH_BLOCK];                                                                         \
      int odd = 0;                                                                               \
      TAKE_APART(C, re, im, p[1], s[1])                                                          \
      TAKE_APART(C, b, c, p[2], s[2])                                                            \
      IVDEP for (int64_t j = 0; j < m; j++)                                                      \
        near[j] = near_power(re[j], im[j], b[j], c[j], MOST);                                    \
      log_rows(m, re, im);                                                                       \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        const double x = re[j], y = im[j];                                                       \
        re[j] = b[j] * x - c[j] * y;                                                             \
        im[j] = c[j] * x + b[j] * y;                                                             \
      }                                                                                          \
      IVDEP for (int64_t j = 0; j < m; j++)                                                      \
        near[j] &= near_circular(im[j], re[j]);                                                  \
      for (int64_t j = 0; j < m; j++)                                                            \
        odd |= !near[j];                                                                         \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        const double e = exp_near_d(re[j]), angle = im[j];                                       \
        out[j].re = e * sin_d(angle, 1);                                                         \
        out[j].im = e * sin_d(angle, 0);                                                         \
      }                                                                                          \
      for (int64_t j = 0; j < m && odd; j++)                                                     \
        if (!near[j]) {                                                                          \
          const C at = *(const C *)(const void *)(p[1] + (i + j) * s[1]);                        \
          const double _Complex z = power_complex(CMPLX(at.re, at.im), CMPLX(b[j], c[j]));       \
          out[j] = (C){ creal(z), cimag(z) };                                                    \
        }                                                                                        \
      PUT_BLOCK(C)                                                                               \
    }                                                                                            \
  }
COMPLEX_POWER(power_c64, c64, 0x1p20)
COMPLEX_POWER(power_c128, c128, 64.0)
#endif
