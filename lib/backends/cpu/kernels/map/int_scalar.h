// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integers and one real number, as hed_add_scalar() has them: computed in float32, to which each element is rounded first,
 * without a pass that converts. Included by kernels.c alone, after map.h.
 * Every instruction set; contiguous integers, chosen by elementwise/map.c where the other operand is one float32.
 */
#define WHOLE_LOOP(NAME, T, R, EXPR) LOOP1_WITH(NAME, T, R, void, float, B, 0, 0, EXPR)
#define A ((float)a)
#define B (*(const float *)(const void *)p[2])
#define WHOLE_LOOPS(T, S)                                                                         \
  WHOLE_LOOP(square_##S##_scalar, T, float, A * A)                                                \
  WHOLE_LOOP(add_##S##_scalar, T, float, A + u)                                                   \
  WHOLE_LOOP(subtract_##S##_scalar, T, float, A - u)                                              \
  WHOLE_LOOP(multiply_##S##_scalar, T, float, A * u)                                              \
  WHOLE_LOOP(divide_##S##_scalar, T, float, A / u)

/* Numbers that float32 does not hold all are compared as it has them. */
#define WIDE_LOOPS(T, S)                                                                          \
  WHOLE_LOOPS(T, S)                                                                               \
  WHOLE_LOOP(equal_##S##_scalar, T, uint8_t, A == u)                                              \
  WHOLE_LOOP(not_equal_##S##_scalar, T, uint8_t, A != u)                                          \
  WHOLE_LOOP(less_##S##_scalar, T, uint8_t, A < u)                                                \
  WHOLE_LOOP(less_equal_##S##_scalar, T, uint8_t, A <= u)                                         \
  WHOLE_LOOP(greater_##S##_scalar, T, uint8_t, A > u)                                             \
  WHOLE_LOOP(greater_equal_##S##_scalar, T, uint8_t, A >= u)

/* Of others, a comparison takes those from one integer to another. */
#define NARROW_LOOP(NAME, T, LEAST, MOST, LOW, HIGH, TAKEN)                                      \
  LOOP1_WITH(NAME, T, uint8_t, float, T, (T)first_within(LOW, HIGH, LEAST, MOST), (T)last_within(LOW, HIGH, LEAST, MOST), 0, \
             ((a >= u) & (a <= v)) == (TAKEN))
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

#define NARROW_LOOPS(T, S, LEAST, MOST)                                                           \
  WHOLE_LOOPS(T, S)                                                                               \
  WHOLE_LOOP(floor_divide_##S##_scalar, T, float, __builtin_floorf(A / u))                        \
  WHOLE_LOOP(mod_##S##_scalar, T, float, mod_narrow(A, u))                                        \
  WHOLE_LOOP(fmod_##S##_scalar, T, float, fmod_narrow(A, u))                                      \
  NARROW_LOOP(equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(B), __builtin_floorf(B), 1)     \
  NARROW_LOOP(not_equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(B), __builtin_floorf(B), 0) \
  NARROW_LOOP(less_##S##_scalar, T, LEAST, MOST, LEAST, __builtin_ceilf(B) - 1, 1)                \
  NARROW_LOOP(less_equal_##S##_scalar, T, LEAST, MOST, LEAST, __builtin_floorf(B), 1)             \
  NARROW_LOOP(greater_##S##_scalar, T, LEAST, MOST, __builtin_floorf(B) + 1, MOST, 1)             \
  NARROW_LOOP(greater_equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(B), MOST, 1)

#define WHOLE_SCALAR_ENTRIES(S)                                                                    \
  [CPU_MAP_SQUARE] = square_##S##_scalar, [CPU_MAP_ADD] = add_##S##_scalar,                        \
  [CPU_MAP_SUBTRACT] = subtract_##S##_scalar, [CPU_MAP_MULTIPLY] = multiply_##S##_scalar,          \
  [CPU_MAP_DIVIDE] = divide_##S##_scalar, [CPU_MAP_EQUAL] = equal_##S##_scalar,                    \
  [CPU_MAP_NOT_EQUAL] = not_equal_##S##_scalar, [CPU_MAP_LESS] = less_##S##_scalar,                \
  [CPU_MAP_LESS_EQUAL] = less_equal_##S##_scalar, [CPU_MAP_GREATER] = greater_##S##_scalar,        \
  [CPU_MAP_GREATER_EQUAL] = greater_equal_##S##_scalar
#define NARROW_SCALAR_ENTRIES(S)                                                                        \
  WHOLE_SCALAR_ENTRIES(S), [CPU_MAP_FLOOR_DIVIDE] = floor_divide_##S##_scalar, [CPU_MAP_MOD] = mod_##S##_scalar, \
  [CPU_MAP_FMOD] = fmod_##S##_scalar
NARROW_LOOPS(int8_t, i8, INT8_MIN, INT8_MAX)
NARROW_LOOPS(int16_t, i16, INT16_MIN, INT16_MAX)
WIDE_LOOPS(int32_t, i32)
WIDE_LOOPS(int64_t, i64)
NARROW_LOOPS(uint8_t, u8, 0, UINT8_MAX)
NARROW_LOOPS(uint16_t, u16, 0, UINT16_MAX)
WIDE_LOOPS(uint32_t, u32)
WIDE_LOOPS(uint64_t, u64)
#undef A
#undef B
