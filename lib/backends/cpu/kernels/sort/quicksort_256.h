// SPDX-License-Identifier: BSD-3-Clause
/*
 * Vectors of AVX2 for quicksort.h: sorting, division and selection of contiguous words of 32 and 64 bits. AVX2 alone; included
 * by sort.c.
 */
#include "backends/cpu/kernels/pack.h"
#include "backends/cpu/kernels/transpose.h"

#define INLINED static inline __attribute__((always_inline))

/* Of 64 bits only signed words are compared: unsigned ones have their highest bit turned over. */
#define SIGNS _mm256_set1_epi64x(INT64_MIN)

INLINED __m256i load_256(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINED void store_256(void *p, __m256i v) { _mm256_storeu_si256((__m256i *)p, v); }

/* B where a lane of M is negative, else A. */
INLINED __m256i pick_64(__m256i a, __m256i b, __m256i m)
{
  return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _mm256_castsi256_pd(m)));
}

INLINED __m256i min_64(__m256i a, __m256i b) { return pick_64(a, b, _mm256_cmpgt_epi64(a, b)); }
INLINED __m256i max_64(__m256i a, __m256i b) { return pick_64(b, a, _mm256_cmpgt_epi64(a, b)); }

/* Masks of the first K lanes. */
INLINED __m256i first_32(int64_t k)
{
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)k), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINED __m256i first_64(int64_t k)
{
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(k), _mm256_setr_epi64x(0, 1, 2, 3));
}

INLINED __m256i load_some_32(const uint32_t *p, int64_t k)
{
  const __m256i m = first_32(k);
  const __m256i v = _mm256_maskload_epi32((const int *)(const void *)p, m);
  return _mm256_or_si256(v, _mm256_andnot_si256(m, _mm256_set1_epi32(-1)));
}

INLINED __m256i load_some_64(const uint64_t *p, int64_t k)
{
  const __m256i m = first_64(k), v = _mm256_maskload_epi64((const long long *)(const void *)p, m);
  return pick_64(_mm256_set1_epi64x(INT64_MAX), _mm256_xor_si256(v, SIGNS), m);
}

/* The constants of these two are known where they are called. */
INLINED __m256i exchange_32(__m256i a, __m256i b, int c, int g)
{
  const __m256i s = c == 1   ? _mm256_shuffle_epi32(b, 0xB1)
                    : c == 2 ? _mm256_shuffle_epi32(b, 0x4E)
                    : c == 3 ? _mm256_shuffle_epi32(b, 0x1B)
                             : _mm256_permutevar8x32_epi32(b, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  const __m256i low = _mm256_min_epu32(a, s), high = _mm256_max_epu32(a, s);
  return g == 1   ? _mm256_blend_epi32(low, high, 0xAA)
         : g == 2 ? _mm256_blend_epi32(low, high, 0xCC)
                  : _mm256_blend_epi32(low, high, 0xF0);
}

INLINED __m256i exchange_64(__m256i a, __m256i b, int c, int g)
{
  const __m256i s = c == 1 ? _mm256_shuffle_epi32(b, 0x4E) : _mm256_permute4x64_epi64(b, 0x1B);
  const __m256i upper = g == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1);
  return pick_64(a, s, _mm256_xor_si256(_mm256_cmpgt_epi64(a, s), upper));
}

INLINED void transpose_8_u32(const __m256i *r, __m256i *o) { transpose_8x8(r, o, 1); }
INLINED void transpose_16_u32(const __m256i *r, __m256i *o)
{
  transpose_8x8(r, o, 2);
  transpose_8x8(r + 8, o + 1, 2);
}
INLINED void transpose_8_u64(const __m256i *r, __m256i *o)
{
  transpose_4x4(r, o, 2);
  transpose_4x4(r + 4, o + 1, 2);
}
INLINED void transpose_16_u64(const __m256i *r, __m256i *o)
{
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    transpose_4x4(r + 4 * k, o + k, 4);
}

INLINED unsigned mask_32(__m256i m) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)); }
INLINED unsigned mask_64(__m256i m) { return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)); }

#define QS(name) name##_u32
#define WORD uint32_t
#define V __m256i
#define LANES 8
#define LEAF 128
#define LOAD load_256
#define STORE store_256
#define LOAD_SOME load_some_32
#define STORE_SOME(p, k, v) _mm256_maskstore_epi32((int *)(void *)(p), first_32(k), v)
#define MIN _mm256_min_epu32
#define MAX _mm256_max_epu32
#define EXCHANGE exchange_32
#define ROTATE(v, k) \
  _mm256_permutevar8x32_epi32(v, _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(k)))
#define FIRST_OF(v) (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(v))
#define PIECE __m256i
#define EACH 8
#define PIECE_LOAD load_256
#define PIECE_STORE store_256
#define PIVOT_PIECE(x) _mm256_set1_epi32((int)(x))
#define UP_TO(v, p) mask_32(_mm256_cmpeq_epi32(_mm256_min_epu32(v, p), v))
#define PACK_PIECE(v, m) _mm256_permutevar8x32_epi32(v, pack_order(split_lanes[m]))
#define RADIX_SORT cpu_sort_u32
#define LEAST_BUCKETS INT32_MAX
#include "backends/cpu/kernels/sort/quicksort.h"

#define QS(name) name##_u64
#define WORD uint64_t
#define V __m256i
#define LANES 4
#define LEAF 64
#define LOAD(p) _mm256_xor_si256(load_256(p), SIGNS)
#define STORE(p, v) store_256(p, _mm256_xor_si256(v, SIGNS))
#define LOAD_SOME load_some_64
#define STORE_SOME(p, k, v) _mm256_maskstore_epi64((long long *)(void *)(p), first_64(k), _mm256_xor_si256(v, SIGNS))
#define MIN min_64
#define MAX max_64
#define EXCHANGE exchange_64
#define ROTATE(v, k) \
  _mm256_permutevar8x32_epi32(v, _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(2 * (k))))
#define FIRST_OF(v) ((uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(v)) ^ (uint64_t)1 << 63)
#define PIECE __m256i
#define EACH 4
#define PIECE_LOAD load_256
#define PIECE_STORE store_256
#define PIVOT_PIECE(x) _mm256_xor_si256(_mm256_set1_epi64x((long long)(x)), SIGNS)
#define UP_TO(v, p) (mask_64(_mm256_cmpgt_epi64(_mm256_xor_si256(v, SIGNS), p)) ^ 15)
#define PACK_PIECE(v, m) _mm256_permutevar8x32_epi32(v, pack_order(split_pairs[m]))
#define RADIX_SORT cpu_sort_u64
#define LEAST_BUCKETS (1 << 14)
#include "backends/cpu/kernels/sort/quicksort.h"
enum { LEAF_u32 = 128, LEAF_u64 = 64 };

/* The indices of a mask's bits, counted from BASE; room for eight. Their number. */
static inline int put_indices(uint64_t *to, unsigned mask, int64_t base)
{
  if (!mask)
    return 0;
  const __m128i order = _mm_cvtsi64_si128((long long)split_lanes[mask]);
  const __m256i b = _mm256_set1_epi64x(base);
  store_256(to, _mm256_add_epi64(_mm256_cvtepu8_epi64(order), b));
  store_256(to + 4, _mm256_add_epi64(_mm256_cvtepu8_epi64(_mm_srli_si128(order, 4)), b));
  return __builtin_popcount(mask);
}

static int64_t below_u32(int64_t n, const uint32_t *key, uint32_t limit, int64_t first, uint64_t *indices)
{
  const __m256i l = _mm256_set1_epi32((int)limit);
  int64_t found = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i v = load_256(key + i);
    const unsigned m = mask_32(_mm256_cmpeq_epi32(_mm256_max_epu32(v, l), v)) ^ 0xff;
    found += put_indices(indices + found, m, first + i);
  }
  for (; i < n; i++) {
    indices[found] = (uint64_t)(first + i);
    found += key[i] < limit;
  }
  return found;
}

static int64_t below_u64(int64_t n, const uint64_t *key, uint64_t limit, int64_t first, uint64_t *indices)
{
  const __m256i l = _mm256_xor_si256(_mm256_set1_epi64x((long long)limit), SIGNS);
  int64_t found = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i a = _mm256_xor_si256(load_256(key + i), SIGNS), b = _mm256_xor_si256(load_256(key + i + 4), SIGNS);
    const unsigned m = mask_64(_mm256_cmpgt_epi64(l, a)) | mask_64(_mm256_cmpgt_epi64(l, b)) << 4;
    found += put_indices(indices + found, m, first + i);
  }
  for (; i < n; i++) {
    indices[found] = (uint64_t)(first + i);
    found += key[i] < limit;
  }
  return found;
}
