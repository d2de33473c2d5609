// SPDX-License-Identifier: BSD-3-Clause
/*
 * Integers and one real number, as hed_add_scalar() has them: computed in float32, to which each element is rounded first,
 * without a pass that converts. Included by kernels.c alone, after map.h.
 * Every instruction set; contiguous integers, chosen by elementwise/map.c where the other operand is one float32.
 */
#define WHOLE_LOOP(NAME, T, R, EXPR)                                                             \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const float b = *(const float *)(const void *)p[2];                                          \
    (void)params, (void)b;                                                                       \
    if (s[0] == (int64_t)sizeof(R) && s[1] == (int64_t)sizeof(T)) {                              \
      R *o = (R *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1];                                                \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                    \
        const float a = (float)x[i];                                                             \
        o[i] = EXPR;                                                                             \
      }                                                                                          \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const float a = (float)*(const T *)(const void *)(p[1] + i * s[1]);                        \
      *(R *)(void *)(p[0] + i * s[0]) = EXPR;                                                    \
    }                                                                                            \
  }
#define WHOLE_LOOPS(T, S)                                                                         \
  WHOLE_LOOP(square_##S##_scalar, T, float, a * a)                                                \
  WHOLE_LOOP(add_##S##_scalar, T, float, a + b)                                                   \
  WHOLE_LOOP(subtract_##S##_scalar, T, float, a - b)                                              \
  WHOLE_LOOP(multiply_##S##_scalar, T, float, a * b)                                              \
  WHOLE_LOOP(divide_##S##_scalar, T, float, a / b)

/* Numbers that float32 does not hold all are compared as it has them. */
#define WIDE_LOOPS(T, S)                                                                          \
  WHOLE_LOOPS(T, S)                                                                               \
  WHOLE_LOOP(equal_##S##_scalar, T, uint8_t, a == b)                                              \
  WHOLE_LOOP(not_equal_##S##_scalar, T, uint8_t, a != b)                                          \
  WHOLE_LOOP(less_##S##_scalar, T, uint8_t, a < b)                                                \
  WHOLE_LOOP(less_equal_##S##_scalar, T, uint8_t, a <= b)                                         \
  WHOLE_LOOP(greater_##S##_scalar, T, uint8_t, a > b)                                             \
  WHOLE_LOOP(greater_equal_##S##_scalar, T, uint8_t, a >= b)

/* Of others, a comparison takes those from one integer to another. */
#define NARROW_LOOP(NAME, T, LEAST, MOST, LOW, HIGH, TAKEN)                                      \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const float b = *(const float *)(const void *)p[2], low = LOW, high = HIGH;                  \
    const bool any = (low <= high) & (high >= (LEAST)) & (low <= (MOST)); /* not beside NaN */   \
    const T first = any ? (T)(low > (LEAST) ? low : (LEAST)) : 1, last = any ? (T)(high < (MOST) ? high : (MOST)) : 0; \
    (void)params, (void)b;                                                                       \
    if (s[0] == 1 && s[1] == (int64_t)sizeof(T)) {                                               \
      uint8_t *o = (uint8_t *)p[0];                                                              \
      const T *x = (const T *)(const void *)p[1];                                                \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        o[i] = ((x[i] >= first) & (x[i] <= last)) == (TAKEN);                                    \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const T a = *(const T *)(const void *)(p[1] + i * s[1]);                                   \
      *(uint8_t *)(p[0] + i * s[0]) = ((a >= first) & (a <= last)) == (TAKEN);                   \
    }                                                                                            \
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
  WHOLE_LOOP(floor_divide_##S##_scalar, T, float, __builtin_floorf(a / b))                        \
  WHOLE_LOOP(mod_##S##_scalar, T, float, mod_narrow(a, b))                                        \
  WHOLE_LOOP(fmod_##S##_scalar, T, float, fmod_narrow(a, b))                                      \
  NARROW_LOOP(equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(b), __builtin_floorf(b), 1)     \
  NARROW_LOOP(not_equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(b), __builtin_floorf(b), 0) \
  NARROW_LOOP(less_##S##_scalar, T, LEAST, MOST, LEAST, __builtin_ceilf(b) - 1, 1)                \
  NARROW_LOOP(less_equal_##S##_scalar, T, LEAST, MOST, LEAST, __builtin_floorf(b), 1)             \
  NARROW_LOOP(greater_##S##_scalar, T, LEAST, MOST, __builtin_floorf(b) + 1, MOST, 1)             \
  NARROW_LOOP(greater_equal_##S##_scalar, T, LEAST, MOST, __builtin_ceilf(b), MOST, 1)

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
