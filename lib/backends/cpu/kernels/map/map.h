// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops of arithmetic, comparison and selection; included by kernels.c alone, which is
 * compiled once per instruction set.
 *
 * Every loop has a branch for contiguous operands (and for a repeated one), which the compiler turns
 * into vector code, and a general strided one. Operands may be the result itself; other overlap does
 * not reach a kernel, which is what the ivdep pragma tells the compiler.
 * Integers are computed unsigned, so that they wrap. Complex products are in complex.h.
 */

typedef struct c64 { float re, im; } c64;
typedef struct c128 { double re, im; } c128;

/* EXPR in terms of a. */
#define LOOP1(FN, T, R, EXPR)                                                                    \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(R) && s[1] == (int64_t)sizeof(T)) {                              \
      R *o = (R *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1];                                                \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                    \
        const T a = x[i];                                                                        \
        o[i] = EXPR;                                                                             \
      }                                                                                          \
      return;                                                                                    \
    }                                                                                            \
    char *o = p[0];                                                                              \
    const char *x = p[1];                                                                        \
    for (int64_t i = 0; i < n; i++, o += s[0], x += s[1]) {                                      \
      const T a = *(const T *)(const void *)x;                                                   \
      *(R *)(void *)o = EXPR;                                                                    \
    }                                                                                            \
  }

/* EXPR in terms of a and b. */
#define LOOP2(FN, T, R, EXPR)                                                                    \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(R)) {                                                            \
      R *o = (R *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1], *y = (const T *)(const void *)p[2];            \
      if (s[1] == (int64_t)sizeof(T) && s[2] == (int64_t)sizeof(T)) {                            \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                  \
          const T a = x[i], b = y[i];                                                            \
          o[i] = EXPR;                                                                           \
        }                                                                                        \
        return;                                                                                  \
      }                                                                                          \
      if (s[1] == (int64_t)sizeof(T) && s[2] == 0 && n > 0) {                                    \
        const T b = *y;                                                                          \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                  \
          const T a = x[i];                                                                      \
          o[i] = EXPR;                                                                           \
        }                                                                                        \
        return;                                                                                  \
      }                                                                                          \
      if (s[1] == 0 && s[2] == (int64_t)sizeof(T) && n > 0) {                                    \
        const T a = *x;                                                                          \
        IVDEP for (int64_t i = 0; i < n; i++) {                                                  \
          const T b = y[i];                                                                      \
          o[i] = EXPR;                                                                           \
        }                                                                                        \
        return;                                                                                  \
      }                                                                                          \
    }                                                                                            \
    char *o = p[0];                                                                              \
    const char *x = p[1], *y = p[2];                                                             \
    for (int64_t i = 0; i < n; i++, o += s[0], x += s[1], y += s[2]) {                           \
      const T a = *(const T *)(const void *)x, b = *(const T *)(const void *)y;                  \
      *(R *)(void *)o = EXPR;                                                                    \
    }                                                                                            \
  }

/* At least LOW and at most HIGH, which are given in terms of the parameters q. */
#define CLIP_LOOP(T, S, LOW, HIGH)                                                               \
  static void clip_##S(int64_t n, char *const *p, const int64_t *s, const void *params)          \
  {                                                                                              \
    const hed_clip_params *q = params;                                                           \
    const T low = (T)(LOW), high = (T)(HIGH);                                                    \
    if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T)) {                              \
      T *o = (T *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1];                                                \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                    \
        T v = x[i];                                                                              \
        v = v < low ? low : v;                                                                   \
        o[i] = v > high ? high : v;                                                              \
      }                                                                                          \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                            \
      T v = *(const T *)(const void *)(p[1] + i * s[1]);                                         \
      v = v < low ? low : v;                                                                     \
      *(T *)(void *)(p[0] + i * s[0]) = v > high ? high : v;                                     \
    }                                                                                            \
  }

/* ---- floats: T its type, S the suffix, F the suffix of libm ---- */

#define FLOAT_LOOPS(T, S, F)                                                                     \
  LOOP1(negative_##S, T, T, -a)                                                                  \
  LOOP1(abs_##S, T, T, __builtin_fabs##F(a))                                                     \
  LOOP1(square_##S, T, T, a * a)                                                                 \
  LOOP1(sqrt_##S, T, T, __builtin_sqrt##F(a))                                                    \
  LOOP1(reciprocal_##S, T, T, (T)1 / a)                                                          \
  LOOP1(floor_##S, T, T, __builtin_floor##F(a))                                                  \
  LOOP1(ceil_##S, T, T, __builtin_ceil##F(a))                                                    \
  LOOP1(isnan_##S, T, uint8_t, a != a)                                                           \
  LOOP1(isfinite_##S, T, uint8_t, a - a == 0)                                                    \
  LOOP2(add_##S, T, T, a + b)                                                                    \
  LOOP2(subtract_##S, T, T, a - b)                                                               \
  LOOP2(multiply_##S, T, T, a * b)                                                               \
  LOOP2(divide_##S, T, T, a / b)                                                                 \
  LOOP2(maximum_##S, T, T, (a >= b) | (a != a) ? a : b)                                          \
  LOOP2(minimum_##S, T, T, (a <= b) | (a != a) ? a : b)                                          \
  EQUAL_LOOPS(T, S)                                                                              \
  ORDER_LOOPS(T, S)                                                                              \
  CLIP_LOOP(T, S, q->low, q->high)

/* The loop OF with its operands exchanged. */
#define SWAPPED2(FN, OF)                                                                         \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                              \
    OF(n, (char *const[]){ p[0], p[2], p[1] }, (const int64_t[]){ s[0], s[2], s[1] }, params);   \
  }

#define EQUAL_LOOPS(T, S)                                                                        \
  LOOP2(equal_##S, T, uint8_t, a == b)                                                           \
  LOOP2(not_equal_##S, T, uint8_t, a != b)
#define ORDER_LOOPS(T, S)                                                                        \
  LOOP2(less_##S, T, uint8_t, a < b)                                                             \
  LOOP2(less_equal_##S, T, uint8_t, a <= b)                                                      \
  SWAPPED2(greater_##S, less_##S)                                                                \
  SWAPPED2(greater_equal_##S, less_equal_##S)

/* Both operands are read whatever the condition: a selection, where a branch would be guessed wrong half the time. */
#define WHERE_PASS(A, B)                                                                         \
  do {                                                                                           \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const where_t a = A, b = B;                                                                \
      o[i] = c[i] ? a : b;                                                                       \
    }                                                                                            \
    return;                                                                                      \
  } while (0)

#define WHERE_LOOP(T, S)                                                                         \
  static void where_##S(int64_t n, char *const *p, const int64_t *s, const void *params)         \
  {                                                                                              \
    typedef T where_t;                                                                           \
    const int64_t size = sizeof(T);                                                              \
    (void)params;                                                                                \
    if (n > 0 && s[0] == size && s[1] == 1) {                                                    \
      T *o = (T *)(void *)p[0];                                                                  \
      const uint8_t *c = (const uint8_t *)p[1];                                                  \
      const T *x = (const T *)(const void *)p[2], *y = (const T *)(const void *)p[3];            \
      const T u = *x, v = *y;                                                                    \
      if (s[2] == size && s[3] == size)                                                          \
        WHERE_PASS(x[i], y[i]);                                                                  \
      if (s[2] == size && s[3] == 0)                                                             \
        WHERE_PASS(x[i], v);                                                                     \
      if (s[2] == 0 && s[3] == size)                                                             \
        WHERE_PASS(u, y[i]);                                                                     \
      if (s[2] == 0 && s[3] == 0)                                                                \
        WHERE_PASS(u, v);                                                                        \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                              \
      *(T *)(void *)(p[0] + i * s[0]) = p[1][i * s[1]]                                           \
                                            ? *(const T *)(const void *)(p[2] + i * s[2])        \
                                            : *(const T *)(const void *)(p[3] + i * s[3]);       \
  }

/* a b + c, rounded once, where the processor has that. */
#ifdef __FMA__
#define FMA_LOOP(T, S, F)                                                                        \
  static void fma_##S(int64_t n, char *const *p, const int64_t *s, const void *params)           \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    (void)params;                                                                                \
    if (s[0] == size && s[1] == size && s[2] == size && s[3] == size) {                          \
      T *o = (T *)(void *)p[0];                                                                  \
      const T *x = (const T *)(const void *)p[1], *y = (const T *)(const void *)p[2];            \
      const T *z = (const T *)(const void *)p[3];                                                \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                    \
        const T a = x[i], b = y[i], c = z[i];                                                    \
        o[i] = __builtin_fma##F(a, b, c);                                                        \
      }                                                                                          \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = 0; i < n; i++)                                                              \
      *(T *)(void *)(p[0] + i * s[0]) = __builtin_fma##F(                                        \
        *(const T *)(const void *)(p[1] + i * s[1]), *(const T *)(const void *)(p[2] + i * s[2]), \
        *(const T *)(const void *)(p[3] + i * s[3]));                                            \
  }
FMA_LOOP(float, f32, f)
FMA_LOOP(double, f64, )
#endif

FLOAT_LOOPS(float, f32, f)
FLOAT_LOOPS(double, f64, )

/* ---- float16 and bfloat16 without conversion: signs ---- */

LOOP1(negative_half, uint16_t, uint16_t, (uint16_t)(a ^ 0x8000))
LOOP1(abs_half, uint16_t, uint16_t, (uint16_t)(a & 0x7fff))
LOOP1(same_half, uint16_t, uint16_t, a)
LOOP1(signbit_half, uint16_t, uint8_t, (uint8_t)(a >> 15))
LOOP2(copysign_half, uint16_t, uint16_t, (uint16_t)((a & 0x7fff) | (b & 0x8000)))

/* ---- integers: T its type, U the unsigned type that its arithmetic is done in ---- */

/* Products of bytes, signed or not, as of words: those of the lower halves, and of upper ones by upper ones where they lie. A last
 * operand of STEP 0 repeats. */
typedef uint16_t byte_pairs __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));
static void multiply_bytes(int64_t n, char *o, const char *x, const char *y, int64_t step)
{
  byte_pairs b = { 0 };
  int64_t i = 0;
  if (step == 0)
    b += (uint16_t)((uint8_t)*y * 0x101);
  for (; i + CPU_VECTOR <= n; i += CPU_VECTOR) {
    const byte_pairs a = *(const byte_pairs *)(const void *)(x + i);
    if (step)
      b = *(const byte_pairs *)(const void *)(y + i);
    *(byte_pairs *)(void *)(o + i) = (a * b & 0xff) | (a >> 8) * (b & 0xff00);
  }
  for (; i < n; i++)
    o[i] = (char)((uint8_t)x[i] * (uint8_t)y[i * step]);
}

/* TIMES is the name of products. */
#define INT_LOOPS(T, S, U, TIMES)                                                                \
  LOOP1(same_##S, T, T, a)                                                                       \
  LOOP1(negative_##S, T, T, (T)((U)0 - (U)a))                                                    \
  LOOP1(square_##S, T, T, (T)((U)a * (U)a))                                                      \
  LOOP2(add_##S, T, T, (T)((U)a + (U)b))                                                         \
  LOOP2(subtract_##S, T, T, (T)((U)a - (U)b))                                                    \
  LOOP2(TIMES, T, T, (T)((U)a * (U)b))                                                           \
  LOOP2(bitwise_and_##S, T, T, (T)(a & b))                                                       \
  LOOP2(bitwise_or_##S, T, T, (T)(a | b))                                                        \
  LOOP2(bitwise_xor_##S, T, T, (T)(a ^ b))                                                       \
  EQUAL_LOOPS(T, S)                                                                              \
  EXTREME_LOOPS(T, S)                                                                            \
  WHERE_LOOP(T, S)

/* Signed numbers are ordered by themselves; all else is one loop for both kinds of a size. */
#define SIGNED_LOOPS(T, S, U)                                                                    \
  LOOP1(abs_##S, T, T, (T)(a < 0 ? (U)0 - (U)a : (U)a))                                          \
  EXTREME_LOOPS(T, S)
#define EXTREME_LOOPS(T, S)                                                                      \
  LOOP2(maximum_##S, T, T, a > b ? a : b)                                                        \
  LOOP2(minimum_##S, T, T, a < b ? a : b)                                                        \
  ORDER_LOOPS(T, S)

INT_LOOPS(uint8_t, u8, uint32_t, multiply_each_u8)
INT_LOOPS(uint16_t, u16, uint32_t, multiply_u16)
INT_LOOPS(uint32_t, u32, uint32_t, multiply_u32)
INT_LOOPS(uint64_t, u64, uint64_t, multiply_u64)
SIGNED_LOOPS(int8_t, i8, uint32_t)
SIGNED_LOOPS(int16_t, i16, uint32_t)
SIGNED_LOOPS(int32_t, i32, uint32_t)
SIGNED_LOOPS(int64_t, i64, uint64_t)

static void multiply_u8(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  if (s[0] == 1 && s[1] == 1 && (s[2] & ~INT64_C(1)) == 0 && n > 0)
    multiply_bytes(n, p[0], p[1], p[2], s[2]);
  else if (s[0] == 1 && s[1] == 0 && s[2] == 1 && n > 0)
    multiply_bytes(n, p[0], p[2], p[1], 0);
  else
    multiply_each_u8(n, p, s, params);
}

/* Bounds of integers are the nearest within those that are given and within the type. */
#define CLIP_INT(T, S, BOUND, LEAST, MOST)                                                       \
  CLIP_LOOP(T, S, BOUND(__builtin_ceil(q->low), LEAST, MOST), BOUND(__builtin_floor(q->high), MOST, MOST))

CLIP_INT(int8_t, i8, hed__bound_int, INT8_MIN, INT8_MAX)
CLIP_INT(int16_t, i16, hed__bound_int, INT16_MIN, INT16_MAX)
CLIP_INT(int32_t, i32, hed__bound_int, INT32_MIN, INT32_MAX)
CLIP_INT(int64_t, i64, hed__bound_int, INT64_MIN, INT64_MAX)
CLIP_INT(uint8_t, u8, hed__bound_word, 0, UINT8_MAX)
CLIP_INT(uint16_t, u16, hed__bound_word, 0, UINT16_MAX)
CLIP_INT(uint32_t, u32, hed__bound_word, 0, UINT32_MAX)
CLIP_INT(uint64_t, u64, hed__bound_word, 0, UINT64_MAX)

/* ---- complex: C its struct, T the component, S the suffix; sums and conjugates are in complex.h ---- */

#define COMPLEX_LOOPS(C, T, S)                                                                   \
  LOOP1(negative_##S, C, C, ((C){ -a.re, -a.im }))                                               \
  LOOP1(real_##S, C, T, a.re)                                                                    \
  LOOP1(imag_##S, C, T, a.im)                                                                    \
  LOOP1(isnan_##S, C, uint8_t, (a.re != a.re) | (a.im != a.im))                                  \
  LOOP1(isfinite_##S, C, uint8_t, (a.re - a.re == 0) & (a.im - a.im == 0))                       \
  LOOP2(equal_##S, C, uint8_t, (a.re == b.re) & (a.im == b.im))                                  \
  LOOP2(not_equal_##S, C, uint8_t, (a.re != b.re) | (a.im != b.im))

COMPLEX_LOOPS(c64, float, c64)
COMPLEX_LOOPS(c128, double, c128)
WHERE_LOOP(c128, c128)
