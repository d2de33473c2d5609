// SPDX-License-Identifier: BSD-3-Clause
/* Search in ordered lists for vectors of queries, which halve their ranges together; included by kernels_sort.c. */
#ifndef HED_BACKENDS_CPU_K_SEARCH_H
#define HED_BACKENDS_CPU_K_SEARCH_H

#include <immintrin.h>

/* SETS vectors of EACH queries at a time, as fetching takes long: LOAD reads K of them, FETCH the values at the places of a
 * vector I, and ABOVE(RIGHT, x, q) says where a query lies behind x. Places are 32-bit numbers. */
#define EVERY _Pragma("GCC unroll 4") for (int e = 0; e < SETS; e++)
#define SEARCH_VECTORS(FN, T, V, I, EACH, LOAD, FETCH, ABOVE, ADD, SPREAD, STORE)                                      \
  static inline __attribute__((always_inline)) void FN##_of(int64_t n_, const T *s, int64_t m, const T *v, int64_t *at,\
                                                            const bool right)                                          \
  {                                                                                                                    \
    enum { SETS = 32 / EACH };                                                                                         \
    for (int64_t k = 0; k < m; k += SETS * EACH) {                                                                     \
      V q[SETS];                                                                                                       \
      I p[SETS];                                                                                                       \
      int64_t some[SETS], n = n_;                                                                                      \
      EVERY {                                                                                                          \
        const int64_t left = m - k - e * EACH;                                                                         \
        some[e] = left < 0 ? 0 : left < EACH ? left : EACH;                                                            \
        q[e] = LOAD(v + k + e * EACH, some[e]);                                                                        \
        p[e] = SPREAD(0);                                                                                              \
      }                                                                                                                \
      for (int64_t half; n > 1; n -= half) {                                                                           \
        half = n / 2;                                                                                                  \
        EVERY p[e] = ADD(p[e], ABOVE(right, FETCH(p[e], s + half - 1), q[e]), SPREAD((int)half));                      \
      }                                                                                                                \
      EVERY {                                                                                                          \
        p[e] = ADD(p[e], ABOVE(right, FETCH(p[e], s), q[e]), SPREAD(1));                                               \
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

#define SOME(k) ((1u << (k)) - 1)

static inline __attribute__((always_inline)) void store_places_16(int64_t *at, int64_t k, __m512i p)
{
  const unsigned some = SOME(k);
  _mm512_mask_storeu_epi64(at, (__mmask8)some, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(p)));
  _mm512_mask_storeu_epi64(at + 8, (__mmask8)(some >> 8), _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(p, 1)));
}

static inline __attribute__((always_inline)) void store_places_8(int64_t *at, int64_t k, __m256i p)
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
SEARCH_VECTORS(search_f32, float, __m512, __m512i, 16, LOAD_F32, FETCH_F32, ABOVE_F32, ADD_16, _mm512_set1_epi32, store_places_16)
SEARCH_VECTORS(search_i32, int32_t, __m512i, __m512i, 16, LOAD_I32, FETCH_I32, ABOVE_I32, ADD_16, _mm512_set1_epi32, store_places_16)
SEARCH_VECTORS(search_f64, double, __m512d, __m256i, 8, LOAD_F64, FETCH_F64, ABOVE_F64, ADD_8, _mm256_set1_epi32, store_places_8)
SEARCH_VECTORS(search_i64, int64_t, __m512i, __m256i, 8, LOAD_I64, FETCH_I64, ABOVE_I64, ADD_8, _mm256_set1_epi32, store_places_8)

#endif
