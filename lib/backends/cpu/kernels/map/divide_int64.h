// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quotients and remainders of int64 in vectors of AVX-512, exact, with the values of lib/base/formulas/formulas.def. Included by
 * functions.c alone, after exact.h.
 *
 * Numbers below 2^53 in magnitude are float64 too, and their quotient, rounded, does not reach a integer that it is below:
 * it is away from that by 1 / b at least, which is more than half of its last digit. What it leaves of the dividend is exact by a
 * multiply-add. Groups with a larger number go to the processor's division, of which there are no vectors.
 * AVX-512 alone; contiguous int64, where the divisor is not one number for all.
 */
#include <immintrin.h>

enum { LONGS = 8 };

/* LONGS results for elements of X and Y, which are all below 2^53. */
INLINE __m512i long_results(__m512i x, __m512i y, const int kind)
{
  const __m512d zero = _mm512_setzero_pd(), one = _mm512_set1_pd(1);
  const __mmask8 there = _mm512_test_epi64_mask(y, y);
  const __m512d a = _mm512_cvtepi64_pd(x), b = _mm512_mask_cvtepi64_pd(one, there, y);
  const __m512d t = _mm512_roundscale_pd(_mm512_div_pd(a, b), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m512d r = _mm512_fnmadd_pd(t, b, a);
  const __mmask8 unlike = _mm512_movepi64_mask(_mm512_castpd_si512(_mm512_xor_pd(r, b)));
  const __mmask8 down = _mm512_mask_cmp_pd_mask(unlike, r, zero, _CMP_NEQ_OQ);
  const __m512d v = kind == DIVIDE_FLOOR ? _mm512_mask_sub_pd(t, down, t, one)
                    : kind == DIVIDE_MOD ? _mm512_mask_add_pd(r, down, r, b) : r;
  return _mm512_maskz_cvttpd_epi64(there, v); /* 0 where the divisor is */
}

INLINE int64_t remainder_i64(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

#define LONG_REMAINDER(NAME, KIND, SCALAR)                                                       \
  static void NAME##_i64_row(int64_t n, int64_t *o, const int64_t *x, const int64_t *y)          \
  {                                                                                              \
    const __m512i half = _mm512_set1_epi64((int64_t)1 << 53), far = _mm512_set1_epi64(-((int64_t)1 << 54)); \
    for (int64_t i = 0; i < n; i += LONGS) {                                                     \
      const int64_t m = n - i < LONGS ? n - i : LONGS;                                           \
      const __mmask8 part = (__mmask8)((1u << m) - 1);                                           \
      const __m512i a = _mm512_maskz_loadu_epi64(part, x + i), b = _mm512_maskz_loadu_epi64(part, y + i); \
      const __m512i both = _mm512_or_si512(_mm512_add_epi64(a, half), _mm512_add_epi64(b, half)); \
      if (_mm512_test_epi64_mask(both, far)) /* below -2^53 or from 2^53 on */                   \
        for (int64_t k = i; k < i + m; k++)                                                      \
          o[k] = (int64_t)SCALAR(x[k], y[k]);                                                    \
      else                                                                                       \
        _mm512_mask_storeu_epi64(o + i, part, long_results(a, b, KIND));                         \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(NAME##_each_i64, i64, NAME##_i64_row)

LONG_REMAINDER(fmod, DIVIDE_FMOD, remainder_i64)
LONG_REMAINDER(mod, DIVIDE_MOD, modulus_int)
LONG_REMAINDER(floor_divide, DIVIDE_FLOOR, floor_quotient_int)
