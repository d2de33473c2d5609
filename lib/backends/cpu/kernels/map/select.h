// SPDX-License-Identifier: BSD-3-Clause
/*
 * Selection, scaling and what has parameters, with the values of lib/base/formulas/formulas.def: fmax, fmin, heaviside, lerp,
 * divide_where, leaky_relu, threshold, nan_to_num, degrees. And elu and rsqrt. Included by functions.c alone.
 * Every instruction set; contiguous operands, one of which may be a repeated number, else the general loop.
 */
#define WITH_PARAMS(NAME, T, PARAMS, SETUP, EXPR) ONE_OPERAND(NAME, T, T, const PARAMS *q = params; SETUP, EXPR)

#define LERP(NAME, T)                                                                            \
  INLINE T NAME##_of(T a, T b, T c)                                                               \
  {                                                                                              \
    const T part = b / 2 - a / 2;                                                                \
    return c < (T)0.5 ? a + 2 * (c * part) : b - 2 * (part * (1 - c));                           \
  }                                                                                              \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    (void)params;                                                                                \
    if (s[0] == size && s[1] == size && s[2] == size && s[3] == size) {                          \
      T *o = (T *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1], *y = (const T *)(const void *)p[2];            \
      const T *z = (const T *)(const void *)p[3];                                                \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        o[i] = NAME##_of(x[i], y[i], z[i]);                                                      \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                              \
      *(T *)(void *)(p[0] + i * s[0]) =                                                          \
          NAME##_of(*(const T *)(const void *)(p[1] + i * s[1]), *(const T *)(const void *)(p[2] + i * s[2]), \
                    *(const T *)(const void *)(p[3] + i * s[3]));                                \
  }

/* All is divided, by 1 where the condition is 0, so that loops have no branch and no flag is raised there. What is one number
 * for all elements is read once. */
#define DIVIDE_WHERE(NAME, T)                                                                    \
  INLINE T NAME##_of(uint8_t c, T a, T b, T fill)                                                 \
  {                                                                                              \
    const T quotient = a / (c ? b : 1);                                                          \
    return c ? quotient : fill;                                                                  \
  }                                                                                              \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    const T fill = (T)((const hed_divide_params *)params)->fill;                                 \
    const bool over = n > 0 && s[2] == size && s[3] == size, by_one = n > 0 && s[2] == size && s[3] == 0; \
    if (s[0] == size && s[1] == 1 && (over || by_one)) {                                         \
      T *o = (T *)(void *)p[0];                                                                  \
      const uint8_t *c = (const uint8_t *)p[1];                                                  \
      const T *x = (const T *)(const void *)p[2], *y = (const T *)(const void *)p[3], one = *y;  \
      if (over)                                                                                  \
        IVDEP for (int64_t i = 0; i < n; i++)                                                    \
          o[i] = NAME##_of(c[i], x[i], y[i], fill);                                              \
      else                                                                                       \
        IVDEP for (int64_t i = 0; i < n; i++)                                                    \
          o[i] = NAME##_of(c[i], x[i], one, fill);                                               \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                              \
      *(T *)(void *)(p[0] + i * s[0]) =                                                          \
          NAME##_of(*(const uint8_t *)(p[1] + i * s[1]), *(const T *)(const void *)(p[2] + i * s[2]), \
                    *(const T *)(const void *)(p[3] + i * s[3]), fill);                          \
  }

/* The least number of type T that is not below t: what x >= t means for an x of that type. */
INLINE float not_below_f32(double t)
{
  float f = (float)t;
  return (double)f < t ? nextafterf(f, HUGE_VALF) : f;
}

INLINE double not_below_f64(double t) { return t; }

/* The slope is float64. Rounded to float32 it costs half a place, unless it is too large or too small for that. */
#define ELU(NAME, T, EXPM1, FORMULA)                                                             \
  WITH_PARAMS(NAME##_usual, T, hed_slope_params, const T slope = (T)q->slope, x > 0 ? x : slope * EXPM1(x)) \
  WITH_PARAMS(NAME##_odd, T, hed_slope_params, (void)0,                                          \
              (T)(x > 0 ? (double)x : q->slope * FORMULA((double)x)))                            \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const double slope = __builtin_fabs(((const hed_slope_params *)params)->slope);              \
    (slope == 0 || (slope > 1e-30 && slope < 1e30) ? NAME##_usual : NAME##_odd)(n, p, s, params); \
  }

#define SELECTIONS(T, S, BITS)                                                                   \
  MIXED2(fmax_##S, T, T, (a >= b) | (b != b) ? a : b)                                            \
  MIXED2(fmin_##S, T, T, (a <= b) | (b != b) ? a : b)                                            \
  MIXED2(heaviside_##S, T, T, a != a ? a : a == 0 ? b : (T)(a > 0 ? 1 : 0))                      \
  MIXED1(isposinf_##S, T, uint8_t, x == (T)HUGE_VAL)                                             \
  MIXED1(isneginf_##S, T, uint8_t, x == -(T)HUGE_VAL)                                            \
  MIXED1(deg2rad_##S, T, T, (double)x * (PI / 180))                                              \
  MIXED1(rad2deg_##S, T, T, (double)x * (180 / PI))                                              \
  LERP(lerp_##S, T)                                                                              \
  DIVIDE_WHERE(divide_where_##S, T)                                                              \
  WITH_PARAMS(leaky_relu_##S, T, hed_slope_params, const T slope = (T)q->slope, x >= 0 ? x : slope * x) \
  WITH_PARAMS(threshold_##S, T, hed_threshold_params,                                            \
              const T t = not_below_##S(q->t); const T above = (T)q->above; const T below = (T)q->below, \
              x >= t ? above : below)                                                            \
  WITH_PARAMS(nan_to_given_##S, T, hed_nan_params,                                               \
              const T nan = (T)q->nan; const T high = (T)q->posinf; const T low = (T)q->neginf,  \
              x != x ? nan : x == (T)HUGE_VAL ? high : x == -(T)HUGE_VAL ? low : x)              \
  /* The largest finite numbers for infinities: an extreme each, for which processors have an instruction. GCC takes it where it \
   * does not see which numbers they are. */                                                     \
  INLINE T nearest_##S(T x, T low, T high)                                                       \
  {                                                                                              \
    const T y = x < low ? low : x;                                                               \
    return y > high ? high : y;                                                                  \
  }                                                                                              \
  WITH_PARAMS(nan_to_most_##S, T, hed_nan_params,                                                \
              const T nan = (T)q->nan; const T high = (T)q->posinf; const T low = (T)q->neginf,  \
              x != x ? nan : nearest_##S(x, low, high))                                          \
  static void nan_to_num_##S(int64_t n, char *const *p, const int64_t *s, const void *params)    \
  {                                                                                              \
    const hed_nan_params *q = params;                                                            \
    const bool most = (T)q->posinf == BITS##_MAX && (T)q->neginf == -BITS##_MAX;                 \
    (most ? nan_to_most_##S : nan_to_given_##S)(n, p, s, params);                                \
  }

SELECTIONS(float, f32, FLT)
SELECTIONS(double, f64, DBL)
ELU(elu_f32, float, expm1_f, expm1)
ELU(elu_f64, double, expm1_d, expm1)

/* 1 / sqrt(x): with multiply-adds the remainder of x y^2 - 1 corrects y in its own type, else it is rounded from double. */
#if defined(__FMA__)
INLINE float rsqrt_f(float x)
{
  float y = 1.0f / __builtin_sqrtf(x), h = x * y;
  float e = ma_f(-h, y, 1.0f) - ma_f(x, y, -h) * y, better = ma_f(0.5f * y, e, y);
  return (x > 0) & (x < HUGE_VALF) ? better : y;
}
#else
INLINE float rsqrt_f(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
#endif
INLINE double rsqrt_d(double x) { return 1.0 / __builtin_sqrt(x); }
#if defined(__AVX512F__)
#define BODY "backends/cpu/kernels/functions/rsqrt.h"
#include "backends/cpu/kernels/functions/each.h"
FUNCTION_512(rsqrt, f32, rsqrt_lanes_f, rsqrt_far_f, rsqrt_any_f)
FUNCTION_512(rsqrt, f64, rsqrt_lanes_d, rsqrt_far_d, rsqrt_any_d)
#else
FUNCTION1(rsqrt, f32, rsqrt_f)
FUNCTION1(rsqrt, f64, rsqrt_d)
#endif

/* isclose: differences and tolerances are met in double. */
#define ISCLOSE(PASSES, T, S, EXPR)                                                              \
  PASSES(isclose_##S, T, uint8_t, const hed_isclose_params *const q = params;               \
              const double rtol = q->rtol; const double atol = q->atol; const int alike = q->equal_nan; \
              (void)alike, EXPR)
#define CLOSE_FLOATS                                                                             \
  (a == b) | ((a != a) & (b != b) & alike)                                                       \
    | ((a - a == 0) & (b - b == 0) & (__builtin_fabs((double)a - (double)b) <= atol + rtol * __builtin_fabs((double)b)))
#define CLOSE_COMPLEX                                                                            \
  ((a.re == b.re) & (a.im == b.im)) | (IS_NAN(a) & IS_NAN(b) & alike)                            \
    | ((a.re - a.re == 0) & (a.im - a.im == 0) & (b.re - b.re == 0) & (b.im - b.im == 0)         \
       & (hypot_d((double)a.re - (double)b.re, (double)a.im - (double)b.im)                      \
          <= atol + rtol * hypot_d((double)b.re, (double)b.im)))
#define IS_NAN(z) (((z).re != (z).re) | ((z).im != (z).im))
ISCLOSE(MIXED2_WITH, float, f32, CLOSE_FLOATS)
ISCLOSE(MIXED2_WITH, double, f64, CLOSE_FLOATS)
ISCLOSE(BLOCKED2_WITH, c64, c64, CLOSE_COMPLEX)
ISCLOSE(BLOCKED2_WITH, c128, c128, CLOSE_COMPLEX)
