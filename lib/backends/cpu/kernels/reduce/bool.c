// SPDX-License-Identifier: BSD-3-Clause
/*
 * any, all and count_nonzero of contiguous elements of every type, one instruction set; built as kernels.c is. L1.
 *
 * An element is true where a bit is set that is not the sign of a zero, so elements are taken as words: complex64 as one
 * word with two signs. any and all look at a block of some cache lines before they ask whether it decided.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { VECTOR = 64 };
typedef uint64_t bits __attribute__((vector_size(VECTOR), aligned(1), may_alias));
static inline bool some(bits v) { return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0; }
#elif defined __AVX__
enum { VECTOR = 32 };
typedef uint64_t bits __attribute__((vector_size(VECTOR), aligned(1), may_alias));
static inline bool some(bits v) { return !_mm256_testz_si256((__m256i)v, (__m256i)v); }
#elif defined __SSE2__
enum { VECTOR = 16 };
typedef uint64_t bits __attribute__((vector_size(VECTOR), aligned(1), may_alias));
static inline bool some(bits v) { return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)v, _mm_setzero_si128())) != 0xffff; }
#else
enum { VECTOR = 16 };
typedef uint64_t bits __attribute__((vector_size(VECTOR), aligned(1), may_alias));
static inline bool some(bits v) { return (v[0] | v[1]) != 0; }
#endif

enum { BLOCK = 8 /* vectors */, AHEAD = 2048 /* bytes: the processor's own guesses end with each page */,
       FAR = 1 << 17 /* bytes from which two streams are read, as sums are (reduce.h) */ };

static inline void prefetch_next(const char *x)
{
#pragma GCC unroll 8
  for (int k = 0; k < BLOCK * VECTOR; k += 64)
    __builtin_prefetch(x + AHEAD + k);
}

/* Has any of the vectors that were looked at an element of B bits that is 0? With AVX-512 comparisons give masks, which
 * would have to be turned to vectors again: there the least elements are kept. */
#if defined __AVX512F__
#define NONE ((bits)_mm512_set1_epi64(-1))
#define LOOK(B, a, v) ((bits)_mm512_min_epu##B((__m512i)(a), (__m512i)(v)))
#define ZERO(B, a) (_mm512_testn_epi##B##_mask((__m512i)(a), (__m512i)(a)) != 0)
#else
#define NONE ((bits){ 0 })
#define LOOK(B, a, v) ((a) | (bits)((v) == 0))
#define ZERO(B, a) some(a)
#endif

/* A with 1 more where the element at P has a bit of M. */
#if defined __AVX512F__
#define COUNT(S, B, M, a, p)                                                                                \
  ((vector_##S)_mm512_mask_add_epi##B((__m512i)(a),                                                         \
                                      _mm512_test_epi##B##_mask(_mm512_loadu_si512(p), _mm512_set1_epi##B((int##B##_t)(M))), \
                                      (__m512i)(a), _mm512_set1_epi##B(1)))
#else
#define COUNT(S, B, M, a, p) ((a) - (vector_##S)(load_##S(p) != 0))
#endif

/* B: bits of an element; M: those that are not signs. SOME elements can be counted in an element. */
#define BOOL_LOOPS(S, T, B, M, SOME)                                                                        \
  typedef T vector_##S __attribute__((vector_size(VECTOR), aligned(1), may_alias));                         \
  static inline vector_##S load_##S(const char *x) { return *(const vector_##S *)(const void *)x & (T)(M); } \
  static inline T element_##S(const char *x, int64_t i)                                                     \
  {                                                                                                         \
    T v;                                                                                                    \
    memcpy(&v, x + i * (int64_t)sizeof v, sizeof v);                                                        \
    return v & (T)(M);                                                                                      \
  }                                                                                                         \
  static bool any_##S(int64_t n, const void *x_)                                                            \
  {                                                                                                         \
    const char *x = x_;                                                                                     \
    const int64_t size = n * (int64_t)sizeof(T);                                                            \
    int64_t i = 0;                                                                                          \
    for (; i + BLOCK * VECTOR <= size; i += BLOCK * VECTOR) {                                               \
      prefetch_next(x + i);                                                                                 \
      vector_##S a = load_##S(x + i), b = load_##S(x + i + VECTOR);                                         \
      _Pragma("GCC unroll 8") for (int k = 2; k < BLOCK; k += 2) {                                          \
        a |= load_##S(x + i + k * VECTOR);                                                                  \
        b |= load_##S(x + i + (k + 1) * VECTOR);                                                            \
      }                                                                                                     \
      if (some((bits)(a | b)))                                                                              \
        return true;                                                                                        \
    }                                                                                                       \
    for (; i + VECTOR <= size; i += VECTOR)                                                                 \
      if (some((bits)load_##S(x + i)))                                                                      \
        return true;                                                                                        \
    if (i < size && size >= VECTOR)                                                                         \
      return some((bits)load_##S(x + size - VECTOR));                                                       \
    for (i /= (int64_t)sizeof(T); i < n; i++)                                                               \
      if (element_##S(x, i) != 0)                                                                           \
        return true;                                                                                        \
    return false;                                                                                           \
  }                                                                                                         \
  static bool all_##S(int64_t n, const void *x_)                                                            \
  {                                                                                                         \
    const char *x = x_;                                                                                     \
    const int64_t size = n * (int64_t)sizeof(T);                                                            \
    int64_t i = 0;                                                                                          \
    for (; i + BLOCK * VECTOR <= size; i += BLOCK * VECTOR) {                                               \
      bits a = NONE, b = NONE;                                                                              \
      prefetch_next(x + i);                                                                                 \
      _Pragma("GCC unroll 8") for (int k = 0; k < BLOCK; k += 2) {                                          \
        a = LOOK(B, a, load_##S(x + i + k * VECTOR));                                                       \
        b = LOOK(B, b, load_##S(x + i + (k + 1) * VECTOR));                                                 \
      }                                                                                                     \
      if (ZERO(B, a) || ZERO(B, b))                                                                         \
        return false;                                                                                       \
    }                                                                                                       \
    for (; i + VECTOR <= size; i += VECTOR)                                                                 \
      if (ZERO(B, LOOK(B, NONE, load_##S(x + i))))                                                          \
        return false;                                                                                       \
    if (i < size && size >= VECTOR)                                                                         \
      return !ZERO(B, LOOK(B, NONE, load_##S(x + size - VECTOR)));                                          \
    for (i /= (int64_t)sizeof(T); i < n; i++)                                                               \
      if (element_##S(x, i) == 0)                                                                           \
        return false;                                                                                       \
    return true;                                                                                            \
  }                                                                                                         \
  static inline int64_t counted_##S(vector_##S a)                                                           \
  {                                                                                                         \
    T each[VECTOR / sizeof(T)];                                                                             \
    int64_t count = 0;                                                                                      \
    memcpy(each, &a, sizeof each);                                                                          \
    for (size_t k = 0; k < VECTOR / sizeof(T); k++)                                                         \
      count += (int64_t)each[k];                                                                            \
    return count;                                                                                           \
  }                                                                                                         \
  static int64_t count_##S(int64_t n, const void *x_)                                                       \
  {                                                                                                         \
    enum { W = VECTOR / sizeof(T) };                                                                        \
    const char *x = x_;                                                                                     \
    int64_t count = 0, i = 0;                                                                               \
    const int64_t half = n * (int64_t)sizeof(T) >= FAR ? n / (4 * W) * (2 * W) : 0;                         \
    while (i < half) { /* as two streams */                                                                 \
      const int64_t end = i + (half - i < (int64_t)SOME * W ? half - i : (int64_t)SOME * W);                \
      vector_##S a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };                                                \
      for (; i < end; i += 2 * W) {                                                                         \
        const char *p = x + i * (int64_t)sizeof(T), *q = p + half * (int64_t)sizeof(T);                     \
        a = COUNT(S, B, M, a, p);                                                                           \
        b = COUNT(S, B, M, b, p + VECTOR);                                                                  \
        c = COUNT(S, B, M, c, q);                                                                           \
        d = COUNT(S, B, M, d, q + VECTOR);                                                                  \
      }                                                                                                     \
      count += counted_##S(a + b) + counted_##S(c + d);                                                     \
    }                                                                                                       \
    i += half;                                                                                              \
    while (i + W <= n) {                                                                                    \
      const int64_t end = i + (n - i < (int64_t)SOME * W ? (n - i) / W * W : (int64_t)SOME * W);            \
      vector_##S a = { 0 }, b = { 0 };                                                                      \
      for (; i + 4 * W <= end; i += 4 * W) {                                                                \
        const char *p = x + i * (int64_t)sizeof(T);                                                         \
        a = COUNT(S, B, M, a, p);                                                                           \
        b = COUNT(S, B, M, b, p + VECTOR);                                                                  \
        a = COUNT(S, B, M, a, p + 2 * VECTOR);                                                              \
        b = COUNT(S, B, M, b, p + 3 * VECTOR);                                                              \
      }                                                                                                     \
      for (; i < end; i += W)                                                                               \
        a = COUNT(S, B, M, a, x + i * (int64_t)sizeof(T));                                                  \
      count += counted_##S(a + b);                                                                          \
    }                                                                                                       \
    for (; i < n; i++)                                                                                      \
      count += element_##S(x, i) != 0;                                                                      \
    return count;                                                                                           \
  }
BOOL_LOOPS(u8, uint8_t, 8, 0xff, 252)
BOOL_LOOPS(u16, uint16_t, 16, 0xffff, 4096)
BOOL_LOOPS(u32, uint32_t, 32, 0xffffffffu, 65536)
BOOL_LOOPS(u64, uint64_t, 64, 0xffffffffffffffffu, 65536)
BOOL_LOOPS(half, uint16_t, 16, 0x7fff, 4096)
BOOL_LOOPS(f32, uint32_t, 32, 0x7fffffffu, 65536)
BOOL_LOOPS(f64, uint64_t, 64, 0x7fffffffffffffffu, 65536)
BOOL_LOOPS(c64, uint64_t, 64, 0x7fffffff7fffffffu, 65536)

/* complex128: two words each. */
static bool any_c128(int64_t n, const void *x) { return any_f64(2 * n, x); }

static bool all_c128(int64_t n, const void *x)
{
  const double *v = x;
  for (int64_t i = 0; i < n; i += 64) {
    const int64_t end = i + 64 < n ? i + 64 : n;
    int64_t zeros = 0;
    for (int64_t k = i; k < end; k++)
      zeros += (v[2 * k] == 0) & (v[2 * k + 1] == 0);
    if (zeros)
      return false;
  }
  return true;
}

static int64_t count_c128(int64_t n, const void *x)
{
  const double *v = x;
  int64_t count = 0;
  for (int64_t k = 0; k < n; k++)
    count += (v[2 * k] != 0) | (v[2 * k + 1] != 0);
  return count;
}

#define ROW(S) { any_##S, all_##S, count_##S }
const cpu_bool_loops CPU_OF_SET(cpu_bool_loops_)[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_BOOL] = ROW(u8),     [HED_ID_INT8] = ROW(u8),     [HED_ID_INT16] = ROW(u16),    [HED_ID_INT32] = ROW(u32),
  [HED_ID_INT64] = ROW(u64),   [HED_ID_UINT8] = ROW(u8),    [HED_ID_UINT16] = ROW(u16),   [HED_ID_UINT32] = ROW(u32),
  [HED_ID_UINT64] = ROW(u64),  [HED_ID_FLOAT16] = ROW(half), [HED_ID_BFLOAT16] = ROW(half), [HED_ID_FLOAT32] = ROW(f32),
  [HED_ID_FLOAT64] = ROW(f64), [HED_ID_COMPLEX64] = ROW(c64), [HED_ID_COMPLEX128] = ROW(c128),
};
