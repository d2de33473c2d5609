// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rounding, signs, logic, shifts and division with remainder: exact, with the values of lib/base/formulas/formulas.def. Included
 * by functions.c alone.
 * Every instruction set; contiguous operands, one of which may be a repeated number, else the general loop.
 */
/* One loop, over contiguous operands; others go through blocks. For what takes longer than blocks do. */
#define BLOCKED2(NAME, T, R, EXPR) BLOCKED2_WITH(NAME, T, R, (void)params, EXPR)
#define BLOCKED2_WITH(NAME, T, R, SETUP, EXPR)                                                   \
  static void NAME##_row(int64_t n, R *o, const T *v, const T *w, const void *params)            \
  {                                                                                              \
    SETUP;                                                                                       \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const T a = v[i], b = w[i];                                                                \
      o[i] = (R)(EXPR);                                                                          \
    }                                                                                            \
  }                                                                                              \
  BLOCKS2_OF(NAME, T, R, const void *params, NAME##_row(m, to, in[0], in[1], params))

#define LOGIC_OF(T, S, PASSES, TRUE)                                                             \
  LOOP1(logical_not_##S, T, uint8_t, !TRUE(a))                                                  \
  PASSES(logical_and_##S, T, uint8_t, TRUE(a) & TRUE(b))                                         \
  PASSES(logical_or_##S, T, uint8_t, TRUE(a) | TRUE(b))                                          \
  PASSES(logical_xor_##S, T, uint8_t, TRUE(a) ^ TRUE(b))
#define IS_TRUE(x) ((x) != 0)
#define LOGIC(T, S) LOGIC_OF(T, S, LOOP2, IS_TRUE)

#define COMPLEX_TRUE(z) (((z).re != 0) | ((z).im != 0))
LOGIC_OF(c64, c64, BLOCKED2, COMPLEX_TRUE)
LOGIC_OF(c128, c128, BLOCKED2, COMPLEX_TRUE)

/* Booleans: every byte but 0 is true, whatever wrote it. */
#define BOOLS(NAME, EXPR) LOOP2(NAME##_bool, uint8_t, uint8_t, EXPR)
BOOLS(equal, (a != 0) == (b != 0))
BOOLS(less, (a == 0) & (b != 0))
BOOLS(less_equal, (a == 0) | (b != 0))
BOOLS(greater, (a != 0) & (b == 0))
BOOLS(greater_equal, (a != 0) | (b == 0))

#define SIMPLE_FLOATS(T, S, F, U, BITS)                                                          \
  LOGIC(T, S)                                                                                    \
  LOOP1(round_##S, T, T, __builtin_rint##F(a))                                                  \
  LOOP1(trunc_##S, T, T, __builtin_trunc##F(a))                                                 \
  LOOP1(sign_##S, T, T, a != a ? a : (T)(a > 0 ? 1 : 0) - (T)(a < 0 ? 1 : 0))                   \
  LOOP1(relu_##S, T, T, (a > 0) | (a != a) ? a : 0)                                             \
  LOOP1(isinf_##S, T, uint8_t, __builtin_fabs##F(a) > (T)BITS##_MAX)                            \
  LOOP1(signbit_##S, U, uint8_t, a >> (8 * sizeof(U) - 1))                                      \
  LOOP1(angle_##S, T, T, a != a ? a : __builtin_copysign##F(1, a) < 0 ? (T)3.14159265358979323846 : 0) \
  LOOP2(copysign_##S, T, T, __builtin_copysign##F(a, b))

SIMPLE_FLOATS(float, f32, f, uint32_t, FLT)
SIMPLE_FLOATS(double, f64, , uint64_t, DBL)

/* A count beyond the width gives 0, or the sign: W is at least as wide as T, and unsigned. */
#define SIMPLE_INTS(T, S, W, SIGN, RELU, RIGHT)                                                  \
  LOOP1(sign_##S, T, T, SIGN)                                                                   \
  LOOP1(relu_##S, T, T, RELU)                                                                   \
  LOOP2(right_shift_##S, T, T, RIGHT(T, W, a, b))

#define IN_WIDTH(T, W, b) ((W)(b) < 8 * sizeof(T))
#define WITHIN(T, W, b) ((W)(b) & (8 * sizeof(T) - 1))
#define LEFT(T, W, a, b) (IN_WIDTH(T, W, b) ? (W)(a) << WITHIN(T, W, b) : 0)
#define RIGHT(T, W, a, b) (IN_WIDTH(T, W, b) ? (W)(a) >> WITHIN(T, W, b) : 0)
#define RIGHT_SIGNED(T, W, a, b) ((a) >> (IN_WIDTH(T, W, b) ? (int)(b) : (int)(8 * sizeof(T) - 1)))

/* No processor shifts bytes by counts of their own; by 1, 2 and 4, which make up every count, no wider numbers are needed. */
#define SHIFT_BYTE(NAME, T, STEP, BEYOND)                                                        \
  INLINE T NAME(T a, T b)                                                                        \
  {                                                                                              \
    T v = b & 1 ? (T)(a STEP 1) : a;                                                             \
    v = b & 2 ? (T)(v STEP 2) : v;                                                               \
    v = b & 4 ? (T)(v STEP 4) : v;                                                               \
    return (uint8_t)b < 8 ? v : BEYOND;                                                          \
  }
SHIFT_BYTE(left_byte, uint8_t, <<, 0)
SHIFT_BYTE(right_byte, uint8_t, >>, 0)
SHIFT_BYTE(right_signed_byte, int8_t, >>, (int8_t)(a < 0 ? -1 : 0))
#define LEFT_BYTE(T, W, a, b) left_byte((uint8_t)(a), (uint8_t)(b))
#define RIGHT_BYTE(T, W, a, b) right_byte(a, b)
#define RIGHT_SIGNED_BYTE(T, W, a, b) right_signed_byte(a, b)

#define SIMPLE_SIGNED(T, S, W, RIGHT)                                                            \
  SIMPLE_INTS(T, S, W, (a > 0) - (a < 0), a > 0 ? a : 0, RIGHT)                                  \
  LOOP1(signbit_##S, T, uint8_t, a < 0)
/* And what is the same for signed numbers of the size. */
#define SIMPLE_UNSIGNED(T, S, W, LEFT, RIGHT)                                                    \
  SIMPLE_INTS(T, S, W, a > 0, a, RIGHT)                                                          \
  LOGIC(T, S)                                                                                    \
  LOOP1(bitwise_not_##S, T, T, ~(W)a)                                                           \
  LOOP2(left_shift_##S, T, T, LEFT(T, W, a, b))

SIMPLE_SIGNED(int8_t, i8, uint32_t, RIGHT_SIGNED_BYTE)
SIMPLE_SIGNED(int16_t, i16, uint32_t, RIGHT_SIGNED)
SIMPLE_SIGNED(int32_t, i32, uint32_t, RIGHT_SIGNED)
SIMPLE_SIGNED(int64_t, i64, uint64_t, RIGHT_SIGNED)
SIMPLE_UNSIGNED(uint8_t, u8, uint32_t, LEFT_BYTE, RIGHT_BYTE)
SIMPLE_UNSIGNED(uint16_t, u16, uint32_t, LEFT, RIGHT)
SIMPLE_UNSIGNED(uint32_t, u32, uint32_t, LEFT, RIGHT)
SIMPLE_UNSIGNED(uint64_t, u64, uint64_t, LEFT, RIGHT)

/* What is its own result, by the bytes of an element; and one result for whatever there is. */
#define PLAIN(U, S)                                                                              \
  LOOP1(same_##S, U, U, a)                                                                      \
  FILLED(zero_##S, U, 0)
#define FILLED(NAME, T, VALUE)                                                                   \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(T)) {                                                            \
      T *o = (T *)(void *)p[0];                                                                  \
      for (int64_t i = 0; i < n; i++)                                                            \
        o[i] = VALUE;                                                                            \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                              \
      *(T *)(void *)(p[0] + i * s[0]) = VALUE;                                                   \
  }
PLAIN(uint8_t, u8)
PLAIN(uint16_t, u16)
PLAIN(uint32_t, u32)
PLAIN(uint64_t, u64)
FILLED(one_u8, uint8_t, 1)

#if defined(__FMA__)
/*
 * a = t b + r by the quotient Q of T in double, t = trunc Q. For float32 t is right and the product exact, because a
 * quotient below 2^28 is farther from a integer than its rounding. For float64 t may be one too large (in magnitude);
 * r is exact then too, and b is added. As fmod, r has the sign of a.
 */
typedef struct parts { double t, r; } parts;

INLINE parts divide_f32(double a, double b, double q)
{
  double t = __builtin_trunc(q);
  return (parts){ t, __builtin_copysign(a - t * b, a) };
}

INLINE parts divide_f64(double a, double b, double q)
{
  double t = __builtin_trunc(q), r = __builtin_fma(-t, b, a);
  bool over = (r != 0) & ((r < 0) != (a < 0));
  r = over ? r + __builtin_copysign(b, a) : r;
  t = over ? t - __builtin_copysign(1.0, q) : t;
  return (parts){ t, __builtin_copysign(r, a) };
}

INLINE double modulus_of(parts p, double b)
{
  double r = (p.r < 0) != (b < 0) ? p.r + b : p.r;
  return p.r == 0 ? __builtin_copysign(0.0, b) : r;
}

INLINE double floor_of(parts p, double b, double q)
{
  double t = (p.r != 0) & ((p.r < 0) != (b < 0)) ? p.t - 1 : p.t;
  return t == 0 ? __builtin_copysign(0.0, q) : t;
}

/* Larger quotients, zeros below, infinities and NaN are rare and go to libm. */
#define REMAINDER(NAME, T, S, LIMIT, RESULT, SCALAR)                                             \
  static void NAME##_row(int64_t n, T *o, const T *x, const T *y)                                \
  {                                                                                              \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      T a[MATH_BLOCK], b[MATH_BLOCK];                                                            \
      double quotient[MATH_BLOCK];                                                               \
      int odd = 0;                                                                               \
      memcpy(a, x + i, (size_t)m * sizeof *a);                                                   \
      memcpy(b, y + i, (size_t)m * sizeof *b);                                                   \
      for (int64_t j = 0; j < m; j++)                                                            \
        quotient[j] = (double)a[j] / (double)b[j];                                               \
      for (int64_t j = 0; j < m; j++)                                                            \
        odd |= !(__builtin_fabs(quotient[j]) < (LIMIT)) | !(b[j] - b[j] == 0);                   \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        const double q = quotient[j], d = (double)b[j];                                          \
        const parts p = divide_##S((double)a[j], d, q);                                          \
        o[i + j] = (T)(RESULT);                                                                  \
        (void)q, (void)d;                                                                        \
      }                                                                                          \
      if (odd)                                                                                   \
        for (int64_t j = 0; j < m; j++)                                                          \
          if (!(__builtin_fabs(quotient[j]) < (LIMIT)) || !(b[j] - b[j] == 0))                   \
            o[i + j] = (T)SCALAR((double)a[j], (double)b[j]);                                    \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(NAME, T, NAME##_row)

REMAINDER(fmod_f32, float, f32, 0x1p28, p.r, fmod)
REMAINDER(mod_f32, float, f32, 0x1p28, modulus_of(p, d), modulus)
REMAINDER(floor_divide_f32, float, f32, 0x1p28, floor_of(p, d, q), floor_quotient)
REMAINDER(fmod_f64, double, f64, 0x1p50, p.r, fmod)
REMAINDER(mod_f64, double, f64, 0x1p50, modulus_of(p, d), modulus)
REMAINDER(floor_divide_f64, double, f64, 0x1p50, floor_of(p, d, q), floor_quotient)
#endif

/*
 * Integers by quotients in V, which holds them and is precise enough that no quotient reaches the next integer.
 * Divisors 0 and -1 are apart: the least number divided by -1 wraps.
 */
#define INT_REMAINDER(T, S, V)                                                                   \
  INLINE T quotient_##S(T a, T b) { return (T)((V)a / (V)b); }                                   \
  INLINE T tame_divisor_##S(T b) { return (T)(((uint32_t)b + 1) > 1 ? b : 1); }                  \
  INLINE T fmod_of_##S(T a, T b)                                                                 \
  {                                                                                              \
    const T d = tame_divisor_##S(b);                                                             \
    return (T)(a - quotient_##S(a, d) * d);                                                      \
  }                                                                                              \
  INLINE T mod_of_##S(T a, T b)                                                                  \
  {                                                                                              \
    const T r = fmod_of_##S(a, b);                                                               \
    return (T)(r + (b & -((r != 0) & ((r ^ b) < 0))));                                           \
  }                                                                                              \
  INLINE T floor_of_##S(T a, T b)                                                                \
  {                                                                                              \
    const T d = tame_divisor_##S(b), q = quotient_##S(a, d), r = (T)(a - q * d);                 \
    const uint32_t y = (uint32_t)q - ((r != 0) & ((r ^ d) < 0)), minus = 0 - (uint32_t)(b == -1); \
    return (T)(((y ^ minus) - minus) & (0 - (uint32_t)(b != 0)));                                \
  }                                                                                              \
  BLOCKED2(fmod_each_##S, T, T, fmod_of_##S(a, b))                                                 \
  BLOCKED2(mod_each_##S, T, T, mod_of_##S(a, b))                                                   \
  BLOCKED2(floor_divide_each_##S, T, T, floor_of_##S(a, b))

INT_REMAINDER(int8_t, i8, float)
INT_REMAINDER(int16_t, i16, float)
INT_REMAINDER(int32_t, i32, double)
