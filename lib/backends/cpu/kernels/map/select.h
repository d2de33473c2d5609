// SPDX-License-Identifier: BSD-3-Clause
/*
 * Selection, scaling and what has parameters, with the values of lib/base/formulas/formulas.def: fmax, fmin, heaviside, lerp,
 * divide_where, leaky_relu, threshold, nan_to_num, degrees. And elu and rsqrt. Included by functions.c alone.
 * Every instruction set; contiguous operands, one of which may be a repeated number, else the general loop.
 */
/* Of A and B the part C. */
#define LERP(T, S)                                                                               \
  INLINE T lerp_of_##S(T a, T b, T c)                                                            \
  {                                                                                              \
    const T part = b / 2 - a / 2;                                                                \
    return c < (T)0.5 ? a + 2 * (c * part) : b - 2 * (part * (1 - c));                           \
  }                                                                                              \
  LOOP3(lerp_##S, T, lerp_of_##S(a, b, c))

/* All is divided, by 1 where the condition is 0, so that loops have no branch and no flag is raised there. */
#define DIVIDE_WHERE(T, S)                                                                       \
  INLINE T quotient_where_##S(uint8_t c, T a, T b, T fill)                                       \
  {                                                                                              \
    const T quotient = a / (c ? b : 1);                                                          \
    return c ? quotient : fill;                                                                  \
  }                                                                                              \
  LOOP_WHERE(divide_where_##S, T, hed_divide_params, (T)q->fill, quotient_where_##S(c, a, b, u))

/* The least number of type T that is not below t: what x >= t means for an x of that type. */
INLINE float not_below_f32(double t)
{
  float f = (float)t;
  return (double)f < t ? nextafterf(f, HUGE_VALF) : f;
}

INLINE double not_below_f64(double t) { return t; }

/* The slope is float64. Rounded to float32 it costs half a place, unless it is too large or too small for that. */
#define ELU(NAME, T, EXPM1, FORMULA)                                                             \
  LOOP1_WITH(NAME##_usual, T, T, hed_slope_params, T, (T)q->slope, 0, 0, a > 0 ? a : u * EXPM1(a)) \
  LOOP1_WITH(NAME##_odd, T, T, hed_slope_params, double, q->slope, 0, 0, (T)(a > 0 ? (double)a : u * FORMULA((double)a))) \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const double slope = __builtin_fabs(((const hed_slope_params *)params)->slope);              \
    (slope == 0 || (slope > 1e-30 && slope < 1e30) ? NAME##_usual : NAME##_odd)(n, p, s, params); \
  }

#define SELECTIONS(T, S, BITS)                                                                   \
  LOOP2(fmax_##S, T, T, (a >= b) | (b != b) ? a : b)                                            \
  LOOP2(fmin_##S, T, T, (a <= b) | (b != b) ? a : b)                                            \
  LOOP2(heaviside_##S, T, T, a != a ? a : a == 0 ? b : (T)(a > 0 ? 1 : 0))                      \
  LOOP1(isposinf_##S, T, uint8_t, a == (T)HUGE_VAL)                                             \
  LOOP1(isneginf_##S, T, uint8_t, a == -(T)HUGE_VAL)                                            \
  LOOP1(deg2rad_##S, T, T, (double)a * (PI / 180))                                              \
  LOOP1(rad2deg_##S, T, T, (double)a * (180 / PI))                                              \
  LERP(T, S)                                                                              \
  DIVIDE_WHERE(T, S)                                                              \
  LOOP1_WITH(leaky_relu_##S, T, T, hed_slope_params, T, (T)q->slope, 0, 0, a >= 0 ? a : u * a)   \
  LOOP1_WITH(threshold_##S, T, T, hed_threshold_params, T, not_below_##S(q->t), (T)q->above, (T)q->below, a >= u ? v : w) \
  LOOP1_WITH(nan_to_given_##S, T, T, hed_nan_params, T, (T)q->nan, (T)q->posinf, (T)q->neginf,   \
             a != a ? u : a == (T)HUGE_VAL ? v : a == -(T)HUGE_VAL ? w : a)                      \
  /* The largest finite numbers for infinities: an extreme each, for which processors have an instruction. GCC takes it where it \
   * does not see which numbers they are. */                                                     \
  INLINE T nearest_##S(T x, T low, T high)                                                       \
  {                                                                                              \
    const T y = x < low ? low : x;                                                               \
    return y > high ? high : y;                                                                  \
  }                                                                                              \
  LOOP1_WITH(nan_to_most_##S, T, T, hed_nan_params, T, (T)q->nan, (T)q->posinf, (T)q->neginf,    \
             a != a ? u : nearest_##S(a, w, v))                                                  \
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
#define CLOSE_FLOATS                                                                             \
  (a == b) | ((a != a) & (b != b) & (w != 0))                                                    \
    | ((a - a == 0) & (b - b == 0) & (__builtin_fabs((double)a - (double)b) <= v + u * __builtin_fabs((double)b)))
LOOP2_WITH(isclose_f32, float, uint8_t, hed_isclose_params, double, q->rtol, q->atol, q->equal_nan, CLOSE_FLOATS)
LOOP2_WITH(isclose_f64, double, uint8_t, hed_isclose_params, double, q->rtol, q->atol, q->equal_nan, CLOSE_FLOATS)

#define IS_NAN(z) (((z).re != (z).re) | ((z).im != (z).im))
#define CLOSE_COMPLEX(C, S)                                                                      \
  BLOCKED2_WITH(isclose_##S, C, uint8_t, const hed_isclose_params *const q = params;             \
                const double rtol = q->rtol; const double atol = q->atol; const int alike = q->equal_nan, \
                ((a.re == b.re) & (a.im == b.im)) | (IS_NAN(a) & IS_NAN(b) & alike)              \
                  | ((a.re - a.re == 0) & (a.im - a.im == 0) & (b.re - b.re == 0) & (b.im - b.im == 0) \
                     & (hypot_d((double)a.re - (double)b.re, (double)a.im - (double)b.im)        \
                        <= atol + rtol * hypot_d((double)b.re, (double)b.im))))
CLOSE_COMPLEX(c64, c64)
CLOSE_COMPLEX(c128, c128)
