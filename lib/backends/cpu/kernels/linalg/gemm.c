// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of matrix products (gemm.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/kernels/variant.h"
#include <stdbool.h>
#include <string.h>

#if defined(__AVX512BW__)
#include "backends/cpu/kernels/transpose.h"
#elif defined(__SSE2__)
#include <immintrin.h>
#endif

/* A tile's sums, a row of b and an element of a fill the registers: 32 of 64 bytes, 16 of 32 or 16. */
enum { VECTORS = 3, LINE = 64 };
#if defined(__AVX512BW__)
#define ROWS 8
#else
#define ROWS 4
#endif
#include "backends/cpu/kernels/muladd.h"

#define ALWAYS inline __attribute__((always_inline))
#define FLAT __attribute__((noinline))

#define PLUS(old, sum) ((old) + (sum))
#define TIMES(sum, x, y) ((sum) + (x) * (y))
#define OR(old, sum) ((old) | (sum))
#define ANY(sum, x, y) ((sum) | ((x) & (y)))

#if defined(__SSE2__) && !defined(__AVX2__)
/* 4, 8 or 12 BYTES, zeros behind. */
static ALWAYS __m128i load_low(const void *from, int64_t bytes)
{
  const char *p = from;
  int word = 0;
  if (bytes & 4)
    memcpy(&word, p + (bytes & 8), sizeof word);
  const __m128i x = _mm_cvtsi32_si128(word);
  return bytes & 8 ? _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)from), x) : x;
}
#endif

#if defined(__SSE2__) && !defined(__AVX512BW__)
/* What BYTES, a multiple of 4, say of the lower three words of X: stores by masks take long on some processors. */
static ALWAYS void store_low(void *to, __m128i x, int64_t bytes)
{
  char *p = to;
  if (bytes & 8) {
    _mm_storel_epi64((__m128i *)to, x);
    x = _mm_unpackhi_epi64(x, x);
    p += 8;
  }
  if (bytes & 4) {
    const int word = _mm_cvtsi128_si32(x);
    memcpy(p, &word, sizeof word);
  }
}
#endif

/* 8 x 8 elements of SIZE bytes, lines LINE elements apart, to as many columns; those AHEAD of them are prefetched. */
static ALWAYS void reverse_8(size_t size, const void *from, int64_t line, int64_t ahead, void *to)
{
#if ROWS == 8
  const char *x = from;
  char *o = to;
  const int64_t step = line * (int64_t)size;
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++)
    __builtin_prefetch(x + i * step + ahead * (int64_t)size);
  if (size == 8) {
    __m512i r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
      r[i] = _mm512_loadu_si512(x + i * step);
    transpose_8_u64(r, t);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
      _mm512_storeu_si512(o + i * 64, t[i]);
  } else if (size == 4) { /* two lines of 8 in one register, then pairs of columns as the others' elements */
    __m512i r[4], t[4];
    const __m512i even = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
      r[i] = _mm512_permutexvar_epi32(
        even, _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(x + 2 * i * step))),
                                 _mm256_loadu_si256((const __m256i *)(const void *)(x + (2 * i + 1) * step)), 1));
    const __m512i a = _mm512_unpacklo_epi64(r[0], r[1]), b = _mm512_unpackhi_epi64(r[0], r[1]);
    const __m512i c = _mm512_unpacklo_epi64(r[2], r[3]), d = _mm512_unpackhi_epi64(r[2], r[3]);
    /* part q of a and c: column 2 q; of b and d: 2 q + 1 */
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i ac = _mm512_permutex2var_epi64(a, low, c), ac2 = _mm512_permutex2var_epi64(a, high, c);
    const __m512i bd = _mm512_permutex2var_epi64(b, low, d), bd2 = _mm512_permutex2var_epi64(b, high, d);
    t[0] = _mm512_shuffle_i64x2(ac, bd, 0x44);
    t[1] = _mm512_shuffle_i64x2(ac, bd, 0xee);
    t[2] = _mm512_shuffle_i64x2(ac2, bd2, 0x44);
    t[3] = _mm512_shuffle_i64x2(ac2, bd2, 0xee);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
      _mm512_storeu_si512(o + i * 64, t[i]);
  }
#else
  (void)size, (void)from, (void)line, (void)ahead, (void)to;
#endif
}

#define PLAIN
#define T float
#define S f32
#define MULADD FUSED_F32
#define JOINED PLUS
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#define T double
#define S f64
#define MULADD FUSED_F64
#define JOINED PLUS
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#undef PLAIN
#define plain_u16 NULL
#define plain_u32 NULL
#define plain_u64 NULL
#define plain_b8 NULL
#define T uint16_t
#define S u16
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#define T uint32_t
#define S u32
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#define T uint64_t
#define S u64
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#define T uint8_t
#define S b8
#define MULADD ANY
#define JOINED OR
#include "backends/cpu/kernels/linalg/gemm_loops.h"

#define LOOPS(s, T) \
  { small_##s, plain_##s, dots_##s, across_##s, pack_a_##s, pack_b_##s, block_##s, ROWS, \
    VECTORS * CPU_VECTOR / sizeof(T), sizeof(T) }

const cpu_gemm_loops CPU_OF_SET(cpu_gemm_)[CPU_GEMM_TYPES] = {
  [CPU_GEMM_F32] = LOOPS(f32, float), [CPU_GEMM_F64] = LOOPS(f64, double), [CPU_GEMM_U16] = LOOPS(u16, uint16_t),
  [CPU_GEMM_U32] = LOOPS(u32, uint32_t), [CPU_GEMM_U64] = LOOPS(u64, uint64_t), [CPU_GEMM_BOOL] = LOOPS(b8, uint8_t),
};
