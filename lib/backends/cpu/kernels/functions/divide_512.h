// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex quotients in vectors of AVX-512, with the bits of divide.h's. Included by functions.c alone, after that.
 *
 * Quotients of float64 by the same divisor take longer than all else, so there is one, the divisor's reciprocal; what is
 * multiplied by that is made right by what it leaves of the dividend (P. W. Markstein, Computation of elementary functions on
 * the IBM RISC System/6000 processor, IBM Journal of Research and Development 34, 1990).
 * AVX-512 alone; contiguous operands, one of which may be a repeated number.
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

/* From one group of X to the next are STEP elements, of Y BY: 0 where all are alike. */
INLINE void quotients_groups(int64_t n, c64 *o, const c64 *x, int step, const c64 *y, int by)
{
  enum { LINES = QUOTIENTS_GROUP / QUOTIENTS };
  const int64_t size = sizeof(c64);
  for (; n > 0; n -= QUOTIENTS_GROUP, o += QUOTIENTS_GROUP, x += step, y += by) {
    const int64_t m = n < QUOTIENTS_GROUP ? n : QUOTIENTS_GROUP;
    __m512 t[LINES];
    if (m < QUOTIENTS_GROUP || !quotients_group(t, x, y)) {
      char *const p[3] = { (char *)o, (char *)(uintptr_t)x, (char *)(uintptr_t)y };
      divide_c64(m, p, (const int64_t[]){ size, size, size }, NULL);
      continue;
    }
#pragma GCC unroll 4
    for (int k = 0; k < LINES; k++)
      _mm512_storeu_ps(o + k * QUOTIENTS, t[k]);
  }
}

/* Elements of SIZE bytes side by side, of which one operand at most is one number. */
INLINE bool quotients_side_by_side(int64_t n, const int64_t *s, int64_t size)
{
  return n > 0 && s[0] == size && (s[1] == size || s[1] == 0) && (s[2] == size || s[2] == 0) && s[1] + s[2] > 0;
}

static void divide_c64_lanes(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const int64_t size = sizeof(c64);
  if (!quotients_side_by_side(n, s, size)) {
    divide_c64(n, p, s, params);
    return;
  }
  const c64 *const x = (const c64 *)(const void *)p[1], *const y = (const c64 *)(const void *)p[2];
  const c64 one = s[1] ? *y : *x;
  c64 alike[QUOTIENTS_GROUP];
  for (int k = 0; s[1] != s[2] && k < QUOTIENTS_GROUP; k++)
    alike[k] = one;
  quotients_groups(n, (c64 *)(void *)p[0], s[1] ? x : alike, s[1] ? QUOTIENTS_GROUP : 0, s[2] ? y : alike,
                   s[2] ? QUOTIENTS_GROUP : 0);
}

/* Eight reciprocals of complex64 as reciprocal_c64() has them, to be stored as TWO halves; is one of them NaN. Parts are taken
 * apart and put together within 128 bits, which takes fewer steps than across them. */
INLINE unsigned reciprocals_lanes(const c64 *x, __m256 *two)
{
  const __m256 u = _mm256_loadu_ps((const float *)x), v = _mm256_loadu_ps((const float *)(x + 4)), zero = _mm256_setzero_ps();
  const __m256 a = _mm256_shuffle_ps(u, v, 0x88), b = _mm256_shuffle_ps(u, v, 0xdd);
  const __m512d c = _mm512_cvtps_pd(_mm256_fmadd_ps(zero, b, a)), d = _mm512_cvtps_pd(_mm256_fmsub_ps(zero, a, b));
  const __m512d norm = _mm512_fmadd_pd(c, c, _mm512_mul_pd(d, d)), by = _mm512_div_pd(_mm512_set1_pd(1), norm);
  const __m256 re = _mm512_cvtpd_ps(_mm512_mul_pd(c, by)), im = _mm512_cvtpd_ps(_mm512_mul_pd(d, by));
  two[0] = _mm256_unpacklo_ps(re, im);
  two[1] = _mm256_unpackhi_ps(re, im);
  return _mm256_cmp_ps_mask(two[0], two[1], _CMP_UNORD_Q);
}

/* A group of them; false: one is NaN, which reciprocal_c64() knows better. */
INLINE bool reciprocals_group(__m256 *o, const c64 *x)
{
  unsigned odd = 0;
#pragma GCC unroll 4
  for (int k = 0; k < QUOTIENTS_GROUP / QUOTIENTS; k++)
    odd |= reciprocals_lanes(x + k * QUOTIENTS, o + 2 * k);
  return !odd;
}

static void reciprocal_c64_lanes(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  enum { HALVES = 2 * QUOTIENTS_GROUP / QUOTIENTS, HALF = QUOTIENTS / 2 };
  const int64_t size = sizeof(c64);
  if (s[0] != size || s[1] != size) {
    reciprocal_c64(n, p, s, params);
    return;
  }
  c64 *const o = (c64 *)(void *)p[0];
  const c64 *const x = (const c64 *)(const void *)p[1];
  for (int64_t i = 0; i < n; i += QUOTIENTS_GROUP) {
    const int64_t m = n - i < QUOTIENTS_GROUP ? n - i : QUOTIENTS_GROUP;
    __m256 t[HALVES];
    if (m < QUOTIENTS_GROUP || !reciprocals_group(t, x + i)) {
      reciprocal_c64(m, (char *[]){ (char *)(o + i), (char *)(uintptr_t)(x + i) }, s, params);
      continue;
    }
#pragma GCC unroll 8
    for (int k = 0; k < HALVES; k++)
      _mm256_storeu_ps((float *)(o + i + k * HALF), t[k]);
  }
}

/* ---- complex128, by Smith's method with two divisions ---- */

/* X / D with the bits of a division, by R = 1 / D rounded once and D above 0: two corrections, the first of which leaves less
 * than the last digit (Markstein). A zero keeps its sign. */
INLINE __m512d quotients_of(__m512d x, __m512d d, __m512d r)
{
  const __m512d q = quotients_by(x, d, r);
  return _mm512_fnmadd_pd(_mm512_fmsub_pd(q, d, x), r, q);
}

/* Are all parts tame(), and no divisor 0. */
INLINE bool quotients_tame(__m512d a, __m512d b, __m512d c, __m512d d)
{
  const __m512i least = _mm512_castpd_si512(_mm512_set1_pd(0x1p-200)), most = _mm512_castpd_si512(_mm512_set1_pd(0x1p200));
  const __m512i one = _mm512_set1_epi64(1);
  __m512i u[4] = { _mm512_castpd_si512(a), _mm512_castpd_si512(b), _mm512_castpd_si512(c), _mm512_castpd_si512(d) };
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    u[k] = _mm512_slli_epi64(u[k], 1);
  const __m512i above = _mm512_max_epu64(_mm512_max_epu64(u[0], u[1]), _mm512_max_epu64(u[2], u[3]));
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    u[k] = _mm512_sub_epi64(u[k], one); /* 0 is the largest */
  const __m512i below = _mm512_min_epu64(_mm512_min_epu64(u[0], u[1]), _mm512_min_epu64(u[2], u[3]));
  const __m512i none = _mm512_and_si512(u[2], u[3]);
  return !(_mm512_cmpgt_epu64_mask(above, _mm512_slli_epi64(most, 1)) | _mm512_cmpeq_epi64_mask(none, _mm512_set1_epi64(-1))
           | _mm512_cmplt_epu64_mask(below, _mm512_sub_epi64(_mm512_slli_epi64(least, 1), one)));
}

/* Eight quotients; false: divide_c128() knows better. Nothing is contracted: the bits are those of quotients_c128(). */
INLINE bool quotients_eight(c128 *o, const c128 *x, const c128 *y)
{
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  const __m512d x0 = _mm512_loadu_pd(x), x1 = _mm512_loadu_pd(x + 4), y0 = _mm512_loadu_pd(y), y1 = _mm512_loadu_pd(y + 4);
  const __m512d a = _mm512_permutex2var_pd(x0, even, x1), b = _mm512_permutex2var_pd(x0, odd, x1);
  const __m512d c = _mm512_permutex2var_pd(y0, even, y1), d = _mm512_permutex2var_pd(y0, odd, y1);
  if (!quotients_tame(a, b, c, d))
    return false;
  const __mmask8 turn = _mm512_cmp_pd_mask(_mm512_abs_pd(c), _mm512_abs_pd(d), _CMP_LT_OQ);
  const __m512d large = _mm512_mask_mov_pd(c, turn, d), small = _mm512_mask_mov_pd(d, turn, c);
  const __m512d first = _mm512_mask_mov_pd(a, turn, b), second = _mm512_mask_mov_pd(b, turn, a);
  const __m512d r = _mm512_div_pd(small, large), norm = small * r + large;
  const __m512d minus = _mm512_set1_pd(-0.0), sign = _mm512_and_pd(norm, minus), size = _mm512_andnot_pd(minus, norm);
  const __m512d by = _mm512_div_pd(_mm512_set1_pd(1), size);
  /* turned: re = (a r + b) / norm, im = (b r - a) / norm; else (b r + a), (b - a r) */
  const __m512d re = second * r + first, product = first * r;
  const __m512d im = _mm512_mask_sub_pd(_mm512_sub_pd(second, product), turn, product, second);
  const __m512d p = quotients_of(_mm512_xor_pd(re, sign), size, by), q = quotients_of(_mm512_xor_pd(im, sign), size, by);
  _mm512_storeu_pd(o, _mm512_permutex2var_pd(p, low, q));
  _mm512_storeu_pd(o + 4, _mm512_permutex2var_pd(p, high, q));
  return true;
}

static void divide_c128_lanes(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  enum { EIGHT = 8 };
  const int64_t size = sizeof(c128);
  if (!quotients_side_by_side(n, s, size)) {
    divide_c128(n, p, s, params);
    return;
  }
  c128 *const o = (c128 *)(void *)p[0];
  const c128 *const x = (const c128 *)(const void *)p[1], *const y = (const c128 *)(const void *)p[2];
  const c128 one = s[1] ? *y : *x;
  c128 alike[EIGHT];
  for (int k = 0; s[1] != s[2] && k < EIGHT; k++)
    alike[k] = one;
  for (int64_t i = 0; i < n; i += EIGHT)
    if (n - i < EIGHT || !quotients_eight(o + i, s[1] ? x + i : alike, s[2] ? y + i : alike)) {
      char *const part[3] = { (char *)(o + i), p[1] + i * s[1], p[2] + i * s[2] };
      divide_c128(n - i < EIGHT ? n - i : EIGHT, part, s, params);
    }
}
