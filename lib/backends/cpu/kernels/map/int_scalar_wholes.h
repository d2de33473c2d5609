// SPDX-License-Identifier: BSD-3-Clause
/* The text of int_scalar.h for integers. */
#define A ((float)a)
#define B (*(const float *)(const void *)p[2])
#define BESIDE(NAME, R, EXPR) LOOP1_WITH(N(NAME##_scalar), T, R, void, float, B, 0, 0, EXPR)
BESIDE(square, float, A * A)
BESIDE(add, float, A + u)
BESIDE(subtract, float, A - u)
BESIDE(multiply, float, A * u)
BESIDE(divide, float, A / u)

/* Numbers that float32 does not hold all are compared as it has them. Of others, a comparison takes those from one integer to
 * another. */
#if WIDTH > 16
BESIDE(equal, uint8_t, A == u)
BESIDE(not_equal, uint8_t, A != u)
BESIDE(less, uint8_t, A < u)
BESIDE(less_equal, uint8_t, A <= u)
BESIDE(greater, uint8_t, A > u)
BESIDE(greater_equal, uint8_t, A >= u)
#else
BESIDE(floor_divide, float, __builtin_floorf(A / u))
BESIDE(mod, float, mod_narrow(A, u))
BESIDE(fmod, float, fmod_narrow(A, u))
#if HAS_SIGN
#define LEAST CPU_JOIN(CPU_JOIN(INT, WIDTH), _MIN)
#define MOST CPU_JOIN(CPU_JOIN(INT, WIDTH), _MAX)
#else
#define LEAST 0
#define MOST CPU_JOIN(CPU_JOIN(UINT, WIDTH), _MAX)
#endif
#define WITHIN(NAME, LOW, HIGH, TAKEN)                                                            \
  LOOP1_WITH(N(NAME##_scalar), T, uint8_t, float, T, (T)first_within(LOW, HIGH, LEAST, MOST),     \
             (T)last_within(LOW, HIGH, LEAST, MOST), 0, ((a >= u) & (a <= v)) == (TAKEN))
WITHIN(equal, __builtin_ceilf(B), __builtin_floorf(B), 1)
WITHIN(not_equal, __builtin_ceilf(B), __builtin_floorf(B), 0)
WITHIN(less, LEAST, __builtin_ceilf(B) - 1, 1)
WITHIN(less_equal, LEAST, __builtin_floorf(B), 1)
WITHIN(greater, __builtin_floorf(B) + 1, MOST, 1)
WITHIN(greater_equal, __builtin_ceilf(B), MOST, 1)
#undef WITHIN
#undef LEAST
#undef MOST
#endif
#undef BESIDE
#undef A
#undef B
