// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integers and one real number, as hed_add_scalar() has them: computed in float32, to which each element is rounded first,
 * without a pass that converts. Included by kernels.c alone, after map.h.
 * Every instruction set; contiguous integers, chosen by elementwise/map.c where the other operand is one float32.
 */
/* Where there are none, as beside NaN, from 1 to 0. */
static inline bool any_within(float low, float high, float least, float most)
{
  return (low <= high) & (high >= least) & (low <= most);
}

static inline float first_within(float low, float high, float least, float most)
{
  return !any_within(low, high, least, most) ? 1 : low > least ? low : least;
}

static inline float last_within(float low, float high, float least, float most)
{
  return !any_within(low, high, least, most) ? 0 : high < most ? high : most;
}

/* Their quotients by a real number of few fraction bits (map.c) do not reach the next integer when they are rounded, and
 * products with these are exact. A zero has the sign of the divisor, or of the dividend. */
static inline float mod_narrow(float a, float b)
{
  const float r = a - __builtin_floorf(a / b) * b;
  return r == 0 ? __builtin_copysignf(0, b) : r;
}
static inline float fmod_narrow(float a, float b) { return __builtin_copysignf(a - __builtin_truncf(a / b) * b, a); }

#define BODY "backends/cpu/kernels/map/int_scalar_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"

#define WHOLE_SCALAR_ENTRIES(S)                                                                    \
  [CPU_MAP_SQUARE] = square_scalar_##S, [CPU_MAP_ADD] = add_scalar_##S,                        \
  [CPU_MAP_SUBTRACT] = subtract_scalar_##S, [CPU_MAP_MULTIPLY] = multiply_scalar_##S,          \
  [CPU_MAP_DIVIDE] = divide_scalar_##S, [CPU_MAP_EQUAL] = equal_scalar_##S,                    \
  [CPU_MAP_NOT_EQUAL] = not_equal_scalar_##S, [CPU_MAP_LESS] = less_scalar_##S,                \
  [CPU_MAP_LESS_EQUAL] = less_equal_scalar_##S, [CPU_MAP_GREATER] = greater_scalar_##S,        \
  [CPU_MAP_GREATER_EQUAL] = greater_equal_scalar_##S
#define NARROW_SCALAR_ENTRIES(S)                                                                        \
  WHOLE_SCALAR_ENTRIES(S), [CPU_MAP_FLOOR_DIVIDE] = floor_divide_scalar_##S, [CPU_MAP_MOD] = mod_scalar_##S, \
  [CPU_MAP_FMOD] = fmod_scalar_##S
