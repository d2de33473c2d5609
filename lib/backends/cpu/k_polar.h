// SPDX-License-Identifier: BSD-3-Clause
/*
 * Absolute value, angle and exponential of complex numbers, hypot. Included by functions.c alone.
 *
 * Angle and exponential work on blocks whose parts are taken apart; operands outside of the range in which the real
 * functions compose are rare and go to libm.
 */

/* sqrt(a^2 + b^2) with both scaled by a power of two next to the larger, so that squares neither overflow nor vanish. */
INLINE double hypot_d(double x, double y)
{
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  double high = a > b ? a : b, low = a > b ? b : a; /* a NaN becomes one of them, and stays */
  uint64_t e = bits_d(high) & 0x7ff0000000000000u;
  double limited = of_bits_d(e);
  limited = limited > 0x1p1022 ? 0x1p1022 : limited;
  limited = limited < 0x1p-1022 ? 0x1p-1022 : limited;
  double scale = of_bits_d(0x7fe0000000000000u - bits_d(limited));
  high *= scale;
  low *= scale;
  double r = __builtin_sqrt(ma_d(high, high, low * low)) * limited;
  return (a == HUGE_VAL) | (b == HUGE_VAL) ? HUGE_VAL : r;
}

/* Squares of float32 cannot overflow a double: the rounded true value. */
INLINE float hypot_f(float x, float y)
{
  double a = x, b = y;
  float r = (float)__builtin_sqrt(a * a + b * b);
  return (__builtin_fabsf(x) == HUGE_VALF) | (__builtin_fabsf(y) == HUGE_VALF) ? HUGE_VALF : r;
}

FUNCTION2(hypot_f32, float, hypot_f(a, b))
FUNCTION2(hypot_f64, double, hypot_d(a, b))

#define COMPLEX_ABS(NAME, C, T, FN)                                                              \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(C)) {                              \
      T *o = (T *)(void *)p[0];                                                                  \
      const C *x = (const C *)(const void *)p[1];                                                \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        o[i] = FN(x[i].re, x[i].im);                                                             \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const C *x = (const C *)(const void *)(p[1] + i * s[1]);                                   \
      *(T *)(void *)(p[0] + i * s[0]) = FN(x->re, x->im);                                        \
    }                                                                                            \
  }

COMPLEX_ABS(abs_c64, c64, float, hypot_f)
COMPLEX_ABS(abs_c128, c128, double, hypot_d)

#define TAKE_APART(C, RE, IM, P, S)                                                              \
  if (S == (int64_t)sizeof(C)) {                                                                 \
    const C *x = (const C *)(const void *)(P + i * S);                                           \
    IVDEP for (int64_t j = 0; j < m; j++)                                                        \
      RE[j] = x[j].re, IM[j] = x[j].im;                                                          \
  } else {                                                                                       \
    for (int64_t j = 0; j < m; j++) {                                                            \
      const C *x = (const C *)(const void *)(P + (i + j) * S);                                   \
      RE[j] = x->re, IM[j] = x->im;                                                              \
    }                                                                                            \
  }

/* The block's results from OUT to where they belong. */
#define PUT_BLOCK(C)                                                                             \
  if (s[0] == (int64_t)sizeof(C)) {                                                              \
    memcpy(p[0] + i * s[0], out, (size_t)m * sizeof(C));                                         \
  } else {                                                                                       \
    for (int64_t j = 0; j < m; j++)                                                              \
      *(C *)(void *)(p[0] + (i + j) * s[0]) = out[j];                                            \
  }

#define COMPLEX_ANGLE(NAME, C, T, ATAN2)                                                         \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      T re[MATH_BLOCK], im[MATH_BLOCK];                                                          \
      TAKE_APART(C, re, im, p[1], s[1])                                                          \
      if (s[0] == (int64_t)sizeof(T)) {                                                          \
        ATAN2(m, (T *)(void *)(p[0] + i * s[0]), im, re);                                        \
        continue;                                                                                \
      }                                                                                          \
      ATAN2(m, re, im, re);                                                                      \
      for (int64_t j = 0; j < m; j++)                                                            \
        *(T *)(void *)(p[0] + (i + j) * s[0]) = re[j];                                           \
    }                                                                                            \
  }

#if defined(HED_HAVE_LIBMVEC)
COMPLEX_ANGLE(angle_c64, c64, float, arctan2_f32_row)
COMPLEX_ANGLE(angle_c128, c128, double, arctan2_f64_row)
#endif

/* e^re (cos im + i sin im), where no factor overflows or vanishes and im is not LARGE. */
#define COMPLEX_EXP(NAME, C, T, EXP, SINE, LARGE, RANGE, FABS, CTYPE, CEXP, CREAL, CIMAG, CMPLX) \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      T re[MATH_BLOCK], im[MATH_BLOCK];                                                          \
      C out[MATH_BLOCK];                                                                         \
      int odd = 0;                                                                               \
      TAKE_APART(C, re, im, p[1], s[1])                                                          \
      for (int64_t j = 0; j < m; j++)                                                            \
        odd |= !(FABS(re[j]) <= (RANGE)) | !(FABS(im[j]) <= (LARGE));                            \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        T e = EXP(re[j]), cosine = SINE(im[j], 1), sine = SINE(im[j], 0);                        \
        out[j].re = e * cosine;                                                                  \
        out[j].im = e * sine;                                                                    \
      }                                                                                          \
      if (odd)                                                                                   \
        for (int64_t j = 0; j < m; j++)                                                          \
          if (!(FABS(re[j]) <= (RANGE)) || !(FABS(im[j]) <= (LARGE))) {                          \
            CTYPE z = CEXP(CMPLX(re[j], im[j]));                                                 \
            out[j] = (C){ CREAL(z), CIMAG(z) };                                                  \
          }                                                                                      \
      PUT_BLOCK(C)                                                                               \
    }                                                                                            \
  }

COMPLEX_EXP(exp_c64, c64, float, exp_f, sin_f, LARGE_F, 80.0f, __builtin_fabsf, float _Complex, cexpf, crealf, cimagf,
            CMPLXF)
COMPLEX_EXP(exp_c128, c128, double, exp_d, sin_d, LARGE_D, 700.0, __builtin_fabs, double _Complex, cexp, creal, cimag,
            CMPLX)
