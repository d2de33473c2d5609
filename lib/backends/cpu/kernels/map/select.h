// SPDX-License-Identifier: BSD-3-Clause
/*
 * Selection, scaling and what has parameters, with the values of lib/base/formulas/formulas.def: fmax, fmin, heaviside, lerp,
 * divide_where, leaky_relu, threshold, nan_to_num, degrees, isclose. And elu and rsqrt. Included by functions.c alone.
 * Every instruction set; contiguous operands, one of which may be a repeated number, else the general loop.
 */
#define BODY "backends/cpu/kernels/map/select_reals.h"
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/map/select_complex.h"
#include "backends/cpu/kernels/lanes/for_complex.h"

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
