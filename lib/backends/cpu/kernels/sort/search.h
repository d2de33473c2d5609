// SPDX-License-Identifier: BSD-3-Clause
/*
 * Binary search in an ordered list for vectors of queries, which halve their ranges together; included by sort.c.
 *
 * AVX2 and AVX-512; contiguous lists and queries, for searchsorted.
 */
#ifndef HED_BACKENDS_CPU_K_SEARCH_H
#define HED_BACKENDS_CPU_K_SEARCH_H

#include <immintrin.h>

/* SETS vectors of EACH queries at a time, as fetching takes long: LOAD reads K of them, FETCH the values at the indices of a
 * vector I, and ABOVE(RIGHT, x, q) says where a query lies behind x. Indices are numbers of 32 bits, with AVX2 as wide as the
 * values. */
#define EVERY _Pragma("GCC unroll 4") for (int e = 0; e < SETS; e++)
#define SEARCH_VECTORS(FN, T, V, I, EACH, LOAD, FETCH, ABOVE, ADD, BROADCAST, STORE)                                      \
  static inline __attribute__((always_inline)) void FN##_of(int64_t n_, const T *s, int64_t m, const T *v, int64_t *at, \
                                                            const bool right)                                          \
  {                                                                                                                    \
    enum { SETS = SETS_OF(EACH) };                                                                                     \
    for (int64_t k = 0; k < m; k += SETS * EACH) {                                                                     \
      V q[SETS];                                                                                                       \
      I p[SETS];                                                                                                       \
      int64_t some[SETS], n = n_;                                                                                      \
      EVERY {                                                                                                          \
        const int64_t left = m - k - e * EACH;                                                                         \
        some[e] = left < 0 ? 0 : left < EACH ? left : EACH;                                                            \
        q[e] = LOAD(v + k + e * EACH, some[e]);                                                                        \
        p[e] = BROADCAST(0);                                                                                              \
      }                                                                                                                \
      for (int64_t half; n > 1; n -= half) {                                                                           \
        half = n / 2;                                                                                                  \
        EVERY p[e] = ADD(p[e], ABOVE(right, FETCH(p[e], s + half - 1), q[e]), BROADCAST((int)half));                      \
      }                                                                                                                \
      EVERY {                                                                                                          \
        p[e] = ADD(p[e], ABOVE(right, FETCH(p[e], s), q[e]), BROADCAST(1));                                               \
        STORE(at + k + e * EACH, some[e], p[e]);                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void FN(int64_t n, const T *s, int64_t m, const T *v, int64_t *at, bool right)                                \
  {                                                                                                                    \
    if (right)                                                                                                         \
      FN##_of(n, s, m, v, at, true);                                                                                   \
    else                                                                                                               \
      FN##_of(n, s, m, v, at, false);                                                                                  \
  }

#ifdef __AVX512F__
#define SETS_OF(each) (32 / (each))
#define SOME(k) ((1u << (k)) - 1)

static inline __attribute__((always_inline)) void store_indices_16(int64_t *at, int64_t k, __m512i p)
{
  const unsigned some = SOME(k);
  _mm512_mask_storeu_epi64(at, (__mmask8)some, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(p)));
  _mm512_mask_storeu_epi64(at + 8, (__mmask8)(some >> 8), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(p, 1)));
}

static inline __attribute__((always_inline)) void store_indices_8(int64_t *at, int64_t k, __m256i p)
{
  _mm512_mask_storeu_epi64(at, (__mmask8)SOME(k), _mm512_cvtepi32_epi64(p));
}

#define ADD_16(p, mask, x) _mm512_mask_add_epi32(p, mask, p, x)
#define ADD_8(p, mask, x) _mm256_mask_add_epi32(p, mask, p, x)
#define LOAD_F32(p, k) _mm512_maskz_loadu_ps((__mmask16)SOME(k), p)
#define LOAD_I32(p, k) _mm512_maskz_loadu_epi32((__mmask16)SOME(k), p)
#define LOAD_F64(p, k) _mm512_maskz_loadu_pd((__mmask8)SOME(k), p)
#define LOAD_I64(p, k) _mm512_maskz_loadu_epi64((__mmask8)SOME(k), p)
#define FETCH_F32(i, s) _mm512_i32gather_ps(i, s, 4)
#define FETCH_I32(i, s) _mm512_i32gather_epi32(i, s, 4)
#define FETCH_F64(i, s) _mm512_i32gather_pd(i, s, 8)
#define FETCH_I64(i, s) _mm512_i32gather_epi64(i, s, 8)
#define ABOVE_F32(right, x, q) ((right) ? _mm512_cmp_ps_mask(x, q, _CMP_LE_OQ) : _mm512_cmp_ps_mask(x, q, _CMP_LT_OQ))
#define ABOVE_I32(right, x, q) ((right) ? _mm512_cmp_epi32_mask(x, q, _MM_CMPINT_LE) : _mm512_cmp_epi32_mask(x, q, _MM_CMPINT_LT))
#define ABOVE_F64(right, x, q) ((right) ? _mm512_cmp_pd_mask(x, q, _CMP_LE_OQ) : _mm512_cmp_pd_mask(x, q, _CMP_LT_OQ))
#define ABOVE_I64(right, x, q) ((right) ? _mm512_cmp_epi64_mask(x, q, _MM_CMPINT_LE) : _mm512_cmp_epi64_mask(x, q, _MM_CMPINT_LT))
SEARCH_VECTORS(search_f32, float, __m512, __m512i, 16, LOAD_F32, FETCH_F32, ABOVE_F32, ADD_16, _mm512_set1_epi32, store_indices_16)
SEARCH_VECTORS(search_i32, int32_t, __m512i, __m512i, 16, LOAD_I32, FETCH_I32, ABOVE_I32, ADD_16, _mm512_set1_epi32, store_indices_16)
SEARCH_VECTORS(search_f64, double, __m512d, __m256i, 8, LOAD_F64, FETCH_F64, ABOVE_F64, ADD_8, _mm256_set1_epi32, store_indices_8)
SEARCH_VECTORS(search_i64, int64_t, __m512i, __m256i, 8, LOAD_I64, FETCH_I64, ABOVE_I64, ADD_8, _mm256_set1_epi32, store_indices_8)
#else
#define SETS_OF(each) 4

static inline __attribute__((always_inline)) void store_four(int64_t *at, int64_t k, __m256i p)
{
  _mm256_maskstore_epi64((long long *)at, first_64(k), p);
}

static inline __attribute__((always_inline)) void store_eight(int64_t *at, int64_t k, __m256i p)
{
  store_four(at, k, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(p)));
  store_four(at + 4, k - 4, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(p, 1)));
}

typedef int64_t any_word __attribute__((may_alias));

/* Gathering four costs as much as gathering eight, or more. */
static inline __attribute__((always_inline)) __m256i fetch_four(const any_word *s, __m256i i)
{
  const __m128i low = _mm256_castsi256_si128(i), high = _mm256_extracti128_si256(i, 1);
  return _mm256_set_epi64x(s[_mm_extract_epi64(high, 1)], s[_mm_cvtsi128_si64(high)], s[_mm_extract_epi64(low, 1)],
                           s[_mm_cvtsi128_si64(low)]);
}

#define NOT_ABOVE(m) _mm256_xor_si256(m, _mm256_set1_epi32(-1))
#define ADD_32(p, mask, x) _mm256_add_epi32(p, _mm256_and_si256(mask, x))
#define ADD_64(p, mask, x) _mm256_add_epi64(p, _mm256_and_si256(mask, x))
#define LOAD_F32(p, k) _mm256_maskload_ps(p, first_32(k))
#define LOAD_I32(p, k) _mm256_maskload_epi32((const int *)(p), first_32(k))
#define LOAD_F64(p, k) _mm256_maskload_pd(p, first_64(k))
#define LOAD_I64(p, k) _mm256_maskload_epi64((const long long *)(p), first_64(k))
#define FETCH_F32(i, s) _mm256_i32gather_ps(s, i, 4)
#define FETCH_I32(i, s) _mm256_i32gather_epi32((const int *)(s), i, 4)
#define FETCH_F64(i, s) _mm256_castsi256_pd(fetch_four((const any_word *)(const void *)(s), i))
#define FETCH_I64(i, s) fetch_four(s, i)
#define ABOVE_F32(right, x, q) \
  _mm256_castps_si256((right) ? _mm256_cmp_ps(x, q, _CMP_LE_OQ) : _mm256_cmp_ps(x, q, _CMP_LT_OQ))
#define ABOVE_F64(right, x, q) \
  _mm256_castpd_si256((right) ? _mm256_cmp_pd(x, q, _CMP_LE_OQ) : _mm256_cmp_pd(x, q, _CMP_LT_OQ))
#define ABOVE_I32(right, x, q) ((right) ? NOT_ABOVE(_mm256_cmpgt_epi32(x, q)) : _mm256_cmpgt_epi32(q, x))
#define ABOVE_I64(right, x, q) ((right) ? NOT_ABOVE(_mm256_cmpgt_epi64(x, q)) : _mm256_cmpgt_epi64(q, x))
SEARCH_VECTORS(search_f32, float, __m256, __m256i, 8, LOAD_F32, FETCH_F32, ABOVE_F32, ADD_32, _mm256_set1_epi32, store_eight)
SEARCH_VECTORS(search_i32, int32_t, __m256i, __m256i, 8, LOAD_I32, FETCH_I32, ABOVE_I32, ADD_32, _mm256_set1_epi32, store_eight)
SEARCH_VECTORS(search_f64, double, __m256d, __m256i, 4, LOAD_F64, FETCH_F64, ABOVE_F64, ADD_64, _mm256_set1_epi64x, store_four)
SEARCH_VECTORS(search_i64, int64_t, __m256i, __m256i, 4, LOAD_I64, FETCH_I64, ABOVE_I64, ADD_64, _mm256_set1_epi64x, store_four)
#endif

#endif
