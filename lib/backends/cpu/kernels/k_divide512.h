// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quotients of complex64 in vectors of AVX-512, with the bits of k_divide.h's. Included by functions.c alone, after that.
 *
 * Two quotients of float64 by the same divisor take longer than all else, so there is one, the divisor's reciprocal; what is
 * multiplied by that is made right by what it leaves of the dividend (P. W. Markstein, Computation of elementary functions on
 * the IBM RISC System/6000 processor, IBM Journal of Research and Development 34, 1990).
 */
#include <immintrin.h>

enum { QUOTIENTS = 8, QUOTIENTS_GROUP = 4 * QUOTIENTS };

/* X / D by R = 1 / D; NaN also where X is infinite. A zero keeps its sign. */
INLINE __m512d quotients_by(__m512d x, __m512d d, __m512d r)
{
  const __m512d q = _mm512_mul_pd(x, r);
  return _mm512_fnmadd_pd(_mm512_fmsub_pd(q, d, x), r, q);
}

/* Products of two float32 are exact in float64, so that multiply-adds round as sums of them do. */
INLINE __m512 quotients_lanes(const c64 *x, const c64 *y)
{
  const __m512i apart = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i together = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  const __m512 u = _mm512_permutexvar_ps(apart, _mm512_loadu_ps(x)), v = _mm512_permutexvar_ps(apart, _mm512_loadu_ps(y));
  const __m512d a = _mm512_cvtps_pd(_mm512_castps512_ps256(u)), b = _mm512_cvtps_pd(_mm512_extractf32x8_ps(u, 1));
  const __m512d c = _mm512_cvtps_pd(_mm512_castps512_ps256(v)), d = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
  const __m512d norm = _mm512_fmadd_pd(c, c, _mm512_mul_pd(d, d)), r = _mm512_div_pd(_mm512_set1_pd(1), norm);
  const __m256 re = _mm512_cvtpd_ps(quotients_by(_mm512_fmadd_pd(a, c, _mm512_mul_pd(b, d)), norm, r));
  const __m256 im = _mm512_cvtpd_ps(quotients_by(_mm512_fmsub_pd(b, c, _mm512_mul_pd(a, d)), norm, r));
  return _mm512_permutexvar_ps(together, _mm512_insertf32x8(_mm512_castps256_ps512(re), im, 1));
}

/* A group of quotients to O; false: one is NaN, which divide_c64() knows better. Masks take long: there is one for all. */
INLINE bool quotients_group(__m512 *o, const c64 *x, const c64 *y)
{
  const __m512i infinite = _mm512_set1_epi32((int)0xff000000u);
  __m512i most = _mm512_setzero_si512();
#pragma GCC unroll 4
  for (int k = 0; k < QUOTIENTS_GROUP / QUOTIENTS; k++) {
    o[k] = quotients_lanes(x + k * QUOTIENTS, y + k * QUOTIENTS);
    most = _mm512_max_epu32(most, _mm512_slli_epi32(_mm512_castps_si512(o[k]), 1));
  }
  return !_mm512_cmpgt_epu32_mask(most, infinite);
}

/* PAST the caches; what is read is asked for ahead there. */
INLINE void quotients_groups(int64_t n, c64 *o, const c64 *x, const c64 *y, bool past)
{
  enum { AHEAD = 4096, LINE = 64, LINES = QUOTIENTS_GROUP / QUOTIENTS };
  const int64_t size = sizeof(c64);
  for (; n > 0; n -= QUOTIENTS_GROUP, o += QUOTIENTS_GROUP, x += QUOTIENTS_GROUP, y += QUOTIENTS_GROUP) {
    const int64_t m = n < QUOTIENTS_GROUP ? n : QUOTIENTS_GROUP;
    __m512 t[LINES];
    for (int k = 0; past && k < LINES; k++) {
      __builtin_prefetch((const char *)x + AHEAD + k * LINE);
      __builtin_prefetch((const char *)y + AHEAD + k * LINE);
    }
    if (m < QUOTIENTS_GROUP || !quotients_group(t, x, y)) {
      char *const p[3] = { (char *)o, (char *)(uintptr_t)x, (char *)(uintptr_t)y };
      divide_c64(m, p, (const int64_t[]){ size, size, size }, NULL);
      continue;
    }
#pragma GCC unroll 4
    for (int k = 0; k < LINES; k++)
      if (past)
        _mm512_stream_ps((float *)(o + k * QUOTIENTS), t[k]);
      else
        _mm512_storeu_ps(o + k * QUOTIENTS, t[k]);
  }
}

static void divide_c64_lanes(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const int64_t size = sizeof(c64);
  if (s[0] == size && s[1] == size && s[2] == size)
    quotients_groups(n, (c64 *)(void *)p[0], (const c64 *)(const void *)p[1], (const c64 *)(const void *)p[2], false);
  else
    divide_c64(n, p, s, params);
}

/* Lines of the result begin at a multiple of 64. */
static void divide_c64_stream(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const int64_t size = sizeof(c64), beside = (int64_t)(-(uintptr_t)p[0] % 64) / size, m = beside < n ? beside : n;
  divide_c64(m, p, s, params);
  quotients_groups(n - m, (c64 *)(void *)p[0] + m, (const c64 *)(const void *)p[1] + m, (const c64 *)(const void *)p[2] + m, true);
}
