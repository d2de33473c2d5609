// SPDX-License-Identifier: BSD-3-Clause
/*
 * Square roots in vectors of AVX-512 by products, for processors whose instruction takes longer: cpu_root_products_avx512.
 * Included by kernels.c, chain.c and functions.c.
 *
 * g nears sqrt x and h half its reciprocal from an estimate of 14 bits, both by h (1/2 - g h) more at a time; the last step adds
 * h times the remainder x - g^2, which is exact, and rounds as sqrt does (P. Markstein, IBM Journal of Research and Development
 * 34, 1990). Zeros, subnormal and negative numbers, infinities, NaN and what is so small that the remainder would not be exact
 * are for the instruction.
 */
#include <immintrin.h>

#define ROOT(S, SUFFIX, V, STEPS)                                                                \
  static inline __attribute__((always_inline)) V root_##S(V x)                                   \
  {                                                                                              \
    const V half = _mm512_set1_##SUFFIX(0.5), y = _mm512_rsqrt14_##SUFFIX(x);                    \
    V g = _mm512_mul_##SUFFIX(x, y), h = _mm512_mul_##SUFFIX(y, half);                           \
    for (int k = 0; k < STEPS; k++) {                                                            \
      const V r = _mm512_fnmadd_##SUFFIX(h, g, half);                                            \
      g = _mm512_fmadd_##SUFFIX(g, r, g);                                                        \
      h = _mm512_fmadd_##SUFFIX(h, r, h);                                                        \
    }                                                                                            \
    return _mm512_fmadd_##SUFFIX(_mm512_fnmadd_##SUFFIX(g, g, x), h, g);                         \
  }
ROOT(f32, ps, __m512, 1)
ROOT(f64, pd, __m512d, 2)
#undef ROOT

/* Which elements are not for root_(): those below 2^-91 (2^-895), and what is not a finite number above 0. */
static inline __attribute__((always_inline)) unsigned root_far_f32(__m512 x)
{
  const __m512i low = _mm512_set1_epi32(36 << 23), range = _mm512_set1_epi32((255 - 36) << 23);
  return _mm512_cmpge_epu32_mask(_mm512_sub_epi32(_mm512_castps_si512(x), low), range);
}

static inline __attribute__((always_inline)) unsigned root_far_f64(__m512d x)
{
  const __m512i low = _mm512_set1_epi64((int64_t)128 << 52), range = _mm512_set1_epi64((int64_t)(2047 - 128) << 52);
  return _mm512_cmpge_epu64_mask(_mm512_sub_epi64(_mm512_castpd_si512(x), low), range);
}

#ifdef LOOP1
/* sqrt_S, by products where these are wanted. OUT may be the operand. */
#define ROOT_LOOP(T, S, SUFFIX, V, MASK)                                                         \
  static void root_row_##S(int64_t n, T *o, const T *v)                                          \
  {                                                                                              \
    enum { LANES = sizeof(V) / sizeof(T) };                                                      \
    int64_t i = 0;                                                                               \
    for (; i + 4 * LANES <= n; i += 4 * LANES) {                                                 \
      const V a = _mm512_loadu_##SUFFIX(v + i), b = _mm512_loadu_##SUFFIX(v + i + LANES);        \
      const V c = _mm512_loadu_##SUFFIX(v + i + 2 * LANES), d = _mm512_loadu_##SUFFIX(v + i + 3 * LANES); \
      const bool far = (root_far_##S(a) | root_far_##S(b)) | (root_far_##S(c) | root_far_##S(d)); \
      _mm512_storeu_##SUFFIX(o + i, far ? _mm512_sqrt_##SUFFIX(a) : root_##S(a));                \
      _mm512_storeu_##SUFFIX(o + i + LANES, far ? _mm512_sqrt_##SUFFIX(b) : root_##S(b));        \
      _mm512_storeu_##SUFFIX(o + i + 2 * LANES, far ? _mm512_sqrt_##SUFFIX(c) : root_##S(c));    \
      _mm512_storeu_##SUFFIX(o + i + 3 * LANES, far ? _mm512_sqrt_##SUFFIX(d) : root_##S(d));    \
    }                                                                                            \
    for (; i < n; i += LANES) {                                                                  \
      const MASK part = n - i < LANES ? (MASK)((1u << (n - i)) - 1) : (MASK)-1;                  \
      const V a = _mm512_mask_loadu_##SUFFIX(_mm512_set1_##SUFFIX(1), part, v + i);              \
      _mm512_mask_storeu_##SUFFIX(o + i, part, root_far_##S(a) ? _mm512_sqrt_##SUFFIX(a) : root_##S(a)); \
    }                                                                                            \
  }                                                                                              \
  static void some_root_##S(int64_t n, char *const *p, const int64_t *s, const void *params)     \
  {                                                                                              \
    if (CPU_OF_SET(cpu_root_products_) && s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T))           \
      root_row_##S(n, (T *)(void *)p[0], (const T *)(const void *)p[1]);                         \
    else                                                                                         \
      sqrt_##S(n, p, s, params);                                                                 \
  }
ROOT_LOOP(float, f32, ps, __m512, __mmask16)
ROOT_LOOP(double, f64, pd, __m512d, __mmask8)
#undef ROOT_LOOP
#endif
