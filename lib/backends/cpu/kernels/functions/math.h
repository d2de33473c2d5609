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

#define AS_BITS(S, T, U)                \
  INLINE U bits_##S(T x)                \
  {                                     \
    U u;                                \
    memcpy(&u, &x, sizeof u);           \
    return u;                           \
  }                                     \
  INLINE T of_bits_##S(U u)             \
  {                                     \
    T x;                                \
    memcpy(&x, &u, sizeof x);           \
    return x;                           \
  }
AS_BITS(f, float, uint32_t)
AS_BITS(d, double, uint64_t)

#if defined(__FMA__)
INLINE float ma_f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double ma_d(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
INLINE float ma_f(float a, float b, float c) { return a * b + c; }
INLINE double ma_d(double a, double b, double c) { return a * b + c; }
#endif

/* A loop over strides from FN(n, out, in) over contiguous elements, else through blocks on the stack. */
#define STRIDED1(NAME, T, FN)                                                                    \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T))                                \
      FN(n, (T *)(void *)p[0], (const T *)(const void *)p[1]);                                   \
    else                                                                                         \
      blocks1_##T(n, p, s, FN);                                                                  \
  }

/* The same for two operands. */
#define STRIDED2(NAME, T, FN)                                                                    \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    (void)params;                                                                                \
    if (s[0] == size && s[1] == size && s[2] == size)                                            \
      FN(n, (T *)(void *)p[0], (const T *)(const void *)p[1], (const T *)(const void *)p[2]);    \
    else                                                                                         \
      blocks2_##T(n, p, s, FN);                                                                  \
  }

/* Code for blocks, once a type: it takes longer to build than most functions. */
#define APART static __attribute__((noinline, unused)) void

#define BLOCKS1(T)                                                                               \
  APART blocks1_##T(int64_t n, char *const *p, const int64_t *s, void (*fn)(int64_t, T *, const T *)) \
  {                                                                                              \
    _Alignas(CPU_VECTOR) T block[MATH_BLOCK];                                                    \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      for (int64_t j = 0; j < m; j++)                                                            \
        block[j] = *(const T *)(const void *)(p[1] + (i + j) * s[1]);                            \
      fn(m, block, block);                                                                       \
      for (int64_t j = 0; j < m; j++)                                                            \
        *(T *)(void *)(p[0] + (i + j) * s[0]) = block[j];                                        \
    }                                                                                            \
  }

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

BLOCKS1(float)
BLOCKS1(double)
#define EACH_OF_BLOCKS(X) \
  X(float) X(double) X(int8_t) X(int16_t) X(int32_t) X(int64_t) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)
EACH_OF_BLOCKS(BLOCKS2)

/* NAME from an expression in x, for a type. */
#define FUNCTION1(NAME, T, EXPR)                                                                 \
  static void NAME##_row(int64_t n, T *o, const T *v)                                            \
  {                                                                                              \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const T x = v[i];                                                                          \
      o[i] = EXPR;                                                                               \
    }                                                                                            \
  }                                                                                              \
  STRIDED1(NAME, T, NAME##_row)

#define FUNCTION2(NAME, T, EXPR)                                                                 \
  static void NAME##_row(int64_t n, T *o, const T *v, const T *w)                                \
  {                                                                                              \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const T a = v[i], b = w[i];                                                                \
      o[i] = EXPR;                                                                               \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(NAME, T, NAME##_row)

/* What comes first of N elements and is from LOW to HIGH, some vectors at a time: EXPR in terms of x. Masks in registers of their
 * own cost less than a pass that looks at a block before. Without them, nothing. */
#if defined(__AVX512F__)
enum { NEAR_VECTORS = 4 };
#define NEAR_ALL(T, SUFFIX, V, MASK)                                                             \
  INLINE bool near_all_##T(const T *v, T low, T high)                                            \
  {                                                                                              \
    MASK in = (MASK)-1;                                                                          \
    for (int k = 0; k < NEAR_VECTORS; k++) {                                                     \
      const V x = _mm512_loadu_##SUFFIX(v + k * (int)(sizeof(V) / sizeof(T)));                   \
      in = _mm512_mask_cmp_##SUFFIX##_mask(in, x, _mm512_set1_##SUFFIX(low), _CMP_GE_OQ);        \
      in = _mm512_mask_cmp_##SUFFIX##_mask(in, x, _mm512_set1_##SUFFIX(high), _CMP_LE_OQ);       \
    }                                                                                            \
    return in == (MASK)-1;                                                                       \
  }
NEAR_ALL(float, ps, __m512, __mmask16)
NEAR_ALL(double, pd, __m512d, __mmask8)
#undef NEAR_ALL
#define NEAR_FIRST(T, LOW, HIGH, EXPR)                                                           \
  enum { GROUP = NEAR_VECTORS * CPU_VECTOR / sizeof(T) };                                        \
  for (; n >= GROUP && near_all_##T(v, LOW, HIGH); n -= GROUP, o += GROUP, v += GROUP)           \
    IVDEP for (int i = 0; i < GROUP; i++) {                                                      \
      const T x = v[i];                                                                          \
      o[i] = EXPR;                                                                               \
    }
#else
#define NEAR_FIRST(T, LOW, HIGH, EXPR)
#endif

/* FAR for every x, NEAR for those from LOW to HIGH, of which blocks usually hold no others; they agree there. */
#define FUNCTION_NEAR(NAME, T, LOW, HIGH, NEAR, FAR)                                             \
  FUNCTION_BLOCKS(NAME, T, LOW, HIGH, NEAR, FAR, NEAR_FIRST(T, LOW, HIGH, NEAR(x)))
/* FIRST is what may take some from the front; none for long functions, of which four vectors want more registers than there are. */
#define FUNCTION_BLOCKS(NAME, T, LOW, HIGH, NEAR, FAR, FIRST)                                    \
  static void NAME##_row(int64_t n, T *o, const T *v)                                            \
  {                                                                                              \
    for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, v += MATH_BLOCK) {                           \
      FIRST                                                                                      \
      const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;                                         \
      int far = 0;                                                                               \
      for (int64_t i = 0; i < m; i++) {                                                          \
        const T x = v[i];                                                                        \
        far |= !((x >= (LOW)) & (x <= (HIGH)));                                                  \
      }                                                                                          \
      if (far)                                                                                   \
        IVDEP for (int64_t i = 0; i < m; i++)                                                    \
          o[i] = FAR(v[i]);                                                                      \
      else                                                                                       \
        IVDEP for (int64_t i = 0; i < m; i++)                                                    \
          o[i] = NEAR(v[i]);                                                                     \
    }                                                                                            \
  }                                                                                              \
  STRIDED1(NAME, T, NAME##_row)
