// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops of arithmetic, comparison and selection; included by kernels.c alone, which is
 * compiled once per instruction set.
 *
 * The drivers are those of each.h. Integers are computed unsigned, so that they wrap. Complex products are in complex.h.
 */

typedef struct c64 { float re, im; } c64;
typedef struct c128 { double re, im; } c128;

/* At least LOW and at most HIGH, which are given in terms of the parameters q. */
#define CLIP_LOOP(T, S, LOW, HIGH)                                                               \
  static inline T clip_of_##S(T a, T low, T high)                                                \
  {                                                                                              \
    const T v = a < low ? low : a;                                                               \
    return v > high ? high : v;                                                                  \
  }                                                                                              \
  LOOP1_WITH(clip_##S, T, T, hed_clip_params, T, (T)(LOW), (T)(HIGH), 0, clip_of_##S(a, u, v))

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

#define WHERE_LOOP(T, S) LOOP_WHERE(where_##S, T, void, { 0 }, c ? a : b)

/* a b + c, rounded once, where the processor has that. */
#ifdef __FMA__
LOOP3(fma_f32, float, __builtin_fmaf(a, b, c))
LOOP3(fma_f64, double, __builtin_fma(a, b, c))
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
