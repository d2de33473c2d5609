// SPDX-License-Identifier: BSD-3-Clause
/*
 * any, all and count_nonzero of contiguous elements of every type, one instruction set; built as kernels.c is. L1.
 *
 * An element is true where a bit is set that is not the sign of a zero, so elements are taken as words: complex64 as one
 * word with two signs. any and all look at a block of some cache lines before they ask whether it decided.
 */
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/lanes/lanes.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { VECTOR = CPU_VECTOR };
typedef uint64_t bits __attribute__((vector_size(VECTOR), aligned(1), may_alias));
#if defined __AVX512F__
static inline bool some(bits v) { return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0; }
#elif defined __AVX__
static inline bool some(bits v) { return !_mm256_testz_si256((__m256i)v, (__m256i)v); }
#elif defined __SSE2__
static inline bool some(bits v) { return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)v, _mm_setzero_si128())) != 0xffff; }
#else
static inline bool some(bits v) { return (v[0] | v[1]) != 0; }
#endif

/* What has seen no element yet. */
#if defined __AVX512F__
#define NONE ((bits)_mm512_set1_epi64(-1))
#else
#define NONE ((bits){ 0 })
#endif

enum { BLOCK = 8 /* vectors */, AHEAD = 2048 /* bytes: the processor's own guesses end with each page */,
       FAR = 1 << 17 /* bytes from which two streams are read, as sums are (reduce.h) */ };

static inline void prefetch_next(const char *x)
{
#pragma GCC unroll 8
  for (int k = 0; k < BLOCK * VECTOR; k += 64)
    __builtin_prefetch(x + AHEAD + k);
}

#define BODY "backends/cpu/kernels/reduce/bool_words.h"
#include "backends/cpu/kernels/lanes/for_words.h"

/* Of a type: elements of BITS bits with those of M, which are not signs. */
#define ROW(S, BITS, M)                                                                               \
  static bool any_##S(int64_t n, const void *x) { return any_u##BITS(n, x, M); }                            \
  static bool all_##S(int64_t n, const void *x) { return all_u##BITS(n, x, M); }                            \
  static int64_t count_##S(int64_t n, const void *x) { return count_u##BITS(n, x, M); }
ROW(w8, 8, 0xff)
ROW(w16, 16, 0xffff)
ROW(w32, 32, 0xffffffffu)
ROW(w64, 64, 0xffffffffffffffffu)
ROW(half, 16, 0x7fff)
ROW(f32, 32, 0x7fffffffu)
ROW(f64, 64, 0x7fffffffffffffffu)
ROW(c64, 64, 0x7fffffff7fffffffu)
#undef ROW

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
  [HED_ID_BOOL] = ROW(w8),     [HED_ID_INT8] = ROW(w8),     [HED_ID_INT16] = ROW(w16),    [HED_ID_INT32] = ROW(w32),
  [HED_ID_INT64] = ROW(w64),   [HED_ID_UINT8] = ROW(w8),    [HED_ID_UINT16] = ROW(w16),   [HED_ID_UINT32] = ROW(w32),
  [HED_ID_UINT64] = ROW(w64),  [HED_ID_FLOAT16] = ROW(half), [HED_ID_BFLOAT16] = ROW(half), [HED_ID_FLOAT32] = ROW(f32),
  [HED_ID_FLOAT64] = ROW(f64), [HED_ID_COMPLEX64] = ROW(c64), [HED_ID_COMPLEX128] = ROW(c128),
};
