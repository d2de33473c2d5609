// SPDX-License-Identifier: BSD-3-Clause
/*
 * Vectors of AVX-512 for quicksort.h: sorting, division and selection of contiguous words of 32 and 64 bits. AVX-512 alone;
 * included by sort.c.
 */
#include "backends/cpu/kernels/pack.h"
#include "backends/cpu/kernels/transpose.h"

static inline __attribute__((always_inline)) void transpose_8_u32(const __m512i *r, __m512i *o)
{
  __m512i u[8];
  four_rows(r, u);
  four_rows(r + 4, u + 4);
  quarters(u[0], u[4], u[1], u[5], o, 2);
  quarters(u[2], u[6], u[3], u[7], o + 1, 2);
}

static inline __attribute__((always_inline)) void transpose_16_u64(const __m512i *r, __m512i *o)
{
  transpose_u64(r, o, 2);
  transpose_u64(r + 8, o + 1, 2);
}

#define FIRST_16(k) ((__mmask16)((1u << (k)) - 1))
#define IOTA_16 _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define IOTA_8 _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)

/* Lanes whose index has the bit g. */
#define UPPER(g) ((g) == 1 ? 0xAAAA : (g) == 2 ? 0xCCCC : (g) == 4 ? 0xF0F0 : 0xFF00)

static inline __attribute__((always_inline)) __mmask16 some_lanes(int64_t k, int lanes)
{
  return FIRST_16(k < 0 ? 0 : k < lanes ? k : lanes);
}

static inline __attribute__((always_inline)) __m512i exchange_u32(__m512i a, __m512i b, int c, int g)
{
  const __m512i s = _mm512_permutexvar_epi32(_mm512_xor_si512(IOTA_16, _mm512_set1_epi32(c)), b);
  return _mm512_mask_max_epu32(_mm512_min_epu32(a, s), (__mmask16)UPPER(g), a, s);
}

static inline __attribute__((always_inline)) __m512i exchange_u64(__m512i a, __m512i b, int c, int g)
{
  const __m512i s = _mm512_permutexvar_epi64(_mm512_xor_si512(IOTA_8, _mm512_set1_epi64(c)), b);
  return _mm512_mask_max_epu64(_mm512_min_epu64(a, s), (__mmask8)UPPER(g), a, s);
}

#define QS(name) name##_u32
#define WORD uint32_t
#define V __m512i
#define LANES 16
#define LEAF 256
#define LOAD _mm512_loadu_si512
#define STORE _mm512_storeu_si512
#define LOAD_SOME(p, k) _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), some_lanes(k, 16), p)
#define STORE_SOME(p, k, v) _mm512_mask_storeu_epi32(p, some_lanes(k, 16), v)
#define MIN _mm512_min_epu32
#define MAX _mm512_max_epu32
#define EXCHANGE exchange_u32
#define ROTATE(v, k) _mm512_permutexvar_epi32(_mm512_add_epi32(IOTA_16, _mm512_set1_epi32(k)), v)
#define FIRST_OF(v) (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v))
#define PIECE __m256i
#define EACH 8
#define PIECE_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PIECE_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PIVOT_PIECE(x) _mm256_set1_epi32((int)(x))
#define UP_TO(v, p) (unsigned)_mm256_cmple_epu32_mask(v, p)
#define PACK_PIECE(v, m) \
  _mm256_permutexvar_epi32(pack_order(split_lanes[m]), v)
#define RADIX_SORT cpu_sort_u32
#define LEAST_BUCKETS INT32_MAX
#include "backends/cpu/kernels/sort/quicksort.h"

#define QS(name) name##_u64
#define WORD uint64_t
#define V __m512i
#define LANES 8
#define LEAF 128
#define LOAD _mm512_loadu_si512
#define STORE _mm512_storeu_si512
#define LOAD_SOME(p, k) _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), (__mmask8)some_lanes(k, 8), p)
#define STORE_SOME(p, k, v) _mm512_mask_storeu_epi64(p, (__mmask8)some_lanes(k, 8), v)
#define MIN _mm512_min_epu64
#define MAX _mm512_max_epu64
#define EXCHANGE exchange_u64
#define ROTATE(v, k) _mm512_permutexvar_epi64(_mm512_add_epi64(IOTA_8, _mm512_set1_epi64(k)), v)
#define FIRST_OF(v) (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(v))
#define PIECE __m512i
#define EACH 8
#define PIECE_LOAD _mm512_loadu_si512
#define PIECE_STORE _mm512_storeu_si512
#define PIVOT_PIECE(x) _mm512_set1_epi64((long long)(x))
#define UP_TO(v, p) (unsigned)_mm512_cmple_epu64_mask(v, p)
#define PACK_PIECE(v, m) \
  _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)split_lanes[m])), v)
#define RADIX_SORT cpu_sort_u64
#define LEAST_BUCKETS (1 << 14)
#include "backends/cpu/kernels/sort/quicksort.h"
enum { LEAF_u32 = 256, LEAF_u64 = 128 };

static int64_t below_u32(int64_t n, const uint32_t *key, uint32_t limit, int64_t first, uint64_t *indices)
{
  const __m512i l = _mm512_set1_epi32((int)limit);
  const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 16) {
    const __mmask16 there = (__mmask16)((1u << (n - i < 16 ? n - i : 16)) - 1);
    const __mmask16 m = _mm512_mask_cmplt_epu32_mask(there, _mm512_maskz_loadu_epi32(there, key + i), l);
    if (!m)
      continue;
    const __m512i at = _mm512_add_epi64(iota, _mm512_set1_epi64(first + i));
    _mm512_storeu_si512(indices + found, _mm512_maskz_compress_epi64((__mmask8)m, at));
    found += __builtin_popcount(m & 0xff);
    const __m512i behind = _mm512_add_epi64(at, _mm512_set1_epi64(8));
    _mm512_storeu_si512(indices + found, _mm512_maskz_compress_epi64((__mmask8)(m >> 8), behind));
    found += __builtin_popcount(m >> 8);
  }
  return found;
}

static int64_t below_u64(int64_t n, const uint64_t *key, uint64_t limit, int64_t first, uint64_t *indices)
{
  const __m512i l = _mm512_set1_epi64((long long)limit);
  const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 8) {
    const __mmask8 there = (__mmask8)((1u << (n - i < 8 ? n - i : 8)) - 1);
    const __mmask8 m = _mm512_mask_cmplt_epu64_mask(there, _mm512_maskz_loadu_epi64(there, key + i), l);
    if (!m)
      continue;
    const __m512i at = _mm512_add_epi64(iota, _mm512_set1_epi64(first + i));
    _mm512_storeu_si512(indices + found, _mm512_maskz_compress_epi64(m, at));
    found += __builtin_popcount(m);
  }
  return found;
}
