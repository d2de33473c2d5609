// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the files of functions share; included by functions.c alone, which is compiled once per instruction set.
 *
 * A function of one element is written so that the compiler turns a loop over it into vector code: no calls, no
 * branches that are not selections. ma() rounds once where the instruction set has a fused multiply-add, so that
 * results may differ between the sets in their last bit.
 */

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* A call left in a loop would leave the loop scalar. */
#define INLINE static inline __attribute__((always_inline))

/* Added, they leave the nearest integer in the low bits. */
#define MAGIC_F 0x1.8p23f
#define MAGIC_D 0x1.8p52

enum { MATH_BLOCK = 256 };

typedef struct c64 { float re, im; } c64;
typedef struct c128 { double re, im; } c128;

/* A loop over strides from FN(n, out, in, in) over contiguous elements, else through blocks on the stack. */
#define STRIDED2(NAME, T, FN)                                                                    \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    (void)params;                                                                                \
    if (s[0] == size && s[1] == size && s[2] == size)                                            \
      FN(n, (T *)(void *)p[0], (const T *)(const void *)p[1], (const T *)(const void *)p[2]);    \
    else                                                                                         \
      CPU_JOIN(blocks2_, T)(n, p, s, FN);                                                                  \
  }

/* Code of its own. */
#define APART static __attribute__((noinline, unused)) void

/* Operands that are contiguous stay where they are; a repeated element fills its block once. CALL makes m elements of R at `to'
 * from those at in[0] and in[1]. */
#define BLOCKS2_OF(NAME, T, R, WITH, CALL)                                                       \
  APART NAME(int64_t n, char *const *p, const int64_t *s, WITH)                                  \
  {                                                                                              \
    const int64_t size = sizeof(T), most = n < MATH_BLOCK ? n : MATH_BLOCK;                      \
    _Alignas(CPU_VECTOR) T block[2][MATH_BLOCK];                                                 \
    _Alignas(CPU_VECTOR) R out[MATH_BLOCK];                                                      \
    for (int k = 0; k < 2; k++)                                                                  \
      if (s[1 + k] == 0 && n > 0) {                                                              \
        const T one = *(const T *)(const void *)p[1 + k]; /* p may lie anywhere, for all GCC knows */ \
        for (int64_t j = 0; j < most; j++)                                                       \
          block[k][j] = one;                                                                     \
      }                                                                                          \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                 \
      const T *in[2];                                                                            \
      for (int k = 0; k < 2; k++) {                                                              \
        const char *from = p[1 + k] + i * s[1 + k];                                              \
        in[k] = s[1 + k] == size ? (const T *)(const void *)from : block[k];                     \
        for (int64_t j = 0; j < m && s[1 + k] != size && s[1 + k] != 0; j++)                     \
          block[k][j] = *(const T *)(const void *)(from + j * s[1 + k]);                         \
      }                                                                                          \
      char *at = p[0] + i * s[0];                                                                \
      R *const to = s[0] == (int64_t)sizeof(R) ? (R *)(void *)at : out;                          \
      CALL;                                                                                      \
      for (int64_t j = 0; j < m && to == out; j++)                                               \
        *(R *)(void *)(at + j * s[0]) = out[j];                                                  \
    }                                                                                            \
  }
#define BLOCKS2(T)                                                                               \
  BLOCKS2_OF(blocks2_##T, T, T, void (*fn)(int64_t, T *, const T *, const T *), fn(m, to, in[0], in[1]))

#define EACH_OF_BLOCKS(X) \
  X(float) X(double) X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)
EACH_OF_BLOCKS(BLOCKS2)

/* In bodies for both types: the words that name_f, or name_d, is of, and what is float's or double's. */
#define LETTER_f32 f
#define LETTER_f64 d
#define OF(name) CPU_JOIN(name##_, CPU_JOIN(LETTER_, S))
#define PICK_f32(f, d) f
#define PICK_f64(f, d) d
#define PICK(f, d) CPU_JOIN(PICK_, S)(f, d)
#define SIZE_OF(x) PICK(__builtin_fabsf, __builtin_fabs)(x)

/* The complex type of a real one, and name_c64, or name_c128. */
#define COMPLEX_f32 c64
#define COMPLEX_f64 c128
#define COMPLEX CPU_JOIN(COMPLEX_, S)
#define KIND(name) CPU_JOIN(name##_, COMPLEX)

enum { NEAR_VECTORS = 4 };
#define BODY "backends/cpu/kernels/functions/rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

/* Entries of the table, of a row over contiguous elements, and rows of functions of elements. */
#define ROW_ENTRY(NAME, CALL) \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params) { (void)params, CALL; }
#define STRIDED1(NAME, S, ROW) ROW_ENTRY(NAME, strided1_##S(n, p, s, ROW))
#define ROW1(NAME, S, CALL)                                                                      \
  static void NAME##_##S##_row(int64_t n, real_##S *o, const real_##S *v) { CALL; }              \
  STRIDED1(NAME##_##S, S, NAME##_##S##_row)
#define ROW2(NAME, S, T, CALL)                                                                   \
  static void NAME##_##S##_row(int64_t n, T *o, const T *v, const T *w) { CALL; }                \
  STRIDED2(NAME##_##S, T, NAME##_##S##_row)
#define FUNCTION1(NAME, S, OF_ONE) ROW1(NAME, S, each1_##S(n, o, v, OF_ONE))
#define FUNCTION2(NAME, S, T, OF_TWO) ROW2(NAME, S, T, each2_##S(n, o, v, w, OF_TWO))
#define FUNCTION_NEAR(NAME, S, LOW, HIGH, NEAR, FAR) ROW1(NAME, S, near_row_##S(n, o, v, LOW, HIGH, NEAR, FAR, true))
