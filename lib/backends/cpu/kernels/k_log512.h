// SPDX-License-Identifier: BSD-3-Clause
/*
 * log of float64 in vectors of AVX-512. Included by functions.c alone.
 *
 * x = 2^e m with m within 1/32 of a multiple of 1/16, for which two registers hold c, near its reciprocal, and -log c:
 * log x = e ln 2 - log c + log(1 + f), f = c m - 1. c is chosen so that 40 bits behind the point are -log c but for 2^-67
 * (S. Gal, Computing elementary functions, 1986), which makes the first two terms exact. log(1 + f) = f + f^2 P(f), P a
 * minimax fit by Remez's exchange.
 */
#include <immintrin.h>

static _Alignas(64) const double log_factor[16] = {
  1, 0x1.e1e1e20836028p-1, 0x1.c71c71d2ea936p-1, 0x1.af286be337d7p-1, 0x1.999999b6e853ap-1, 0x1.8618619d0e9edp-1,
  0x1.745d174cdc55ep-1, 0x1.642c8597a0593p-1, 0x1.55555563132c4p-1, 0x1.47ae1453e97b9p-1, 0x1.3b13b174215d3p-1,
  0x1.2f684be89f344p-1, 0x1.2492491e00077p-1, 0x1.1a7b960f4b9cap-1, 0x1.111110faa5f4cp-1, 0x1.0842107f01371p-1,
};
static _Alignas(64) const double log_of_factor[16] = {
  0, 0x1.f0a309758p-5, 0x1.e27076787p-4, 0x1.5ff306933p-3, 0x1.c8ff7be72p-3, 0x1.1675ca7e74p-2, 0x1.4618bc0e68p-2,
  0x1.739d7f57dp-2, 0x1.9f323ea2cp-2, 0x1.c8ff7cf37p-2, 0x1.f128f54184p-2, 0x1.0be72e29c6p-1, 0x1.1e85f5f284p-1,
  0x1.307d733938p-1, 0x1.41d8feae7p-1, 0x1.52a2d26faap-1,
};

/* For normal numbers below 2^1021: c 2^-e is normal too. */
INLINE __m512d log_near_pd(__m512d x)
{
  static const double fit[] = { -0x1.007339f8f6c21p-3, 0x1.24922aca9c295p-3, -0x1.55553fc12ad19p-3, 0x1.9999999c8dcb0p-3,
                                -0x1.00000000bf45dp-2, 0x1.5555555555495p-2, -0x1.fffffffffffc7p-2 };
  const __m512i bits = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64((int64_t)1 << 47));
  const __m512i place = _mm512_srli_epi64(bits, 48);
  const __m512i power = _mm512_sub_epi64(_mm512_and_si512(bits, _mm512_set1_epi64((int64_t)0x7ff << 52)),
                                         _mm512_set1_epi64((int64_t)1023 << 52));
  const __m512d e = _mm512_getexp_pd(_mm512_castsi512_pd(bits));
  const __m512d c = _mm512_permutex2var_pd(_mm512_load_pd(log_factor), place, _mm512_load_pd(log_factor + 8));
  const __m512d t = _mm512_permutex2var_pd(_mm512_load_pd(log_of_factor), place, _mm512_load_pd(log_of_factor + 8));
  const __m512d scaled = _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_castpd_si512(c), power));
  const __m512d f = _mm512_fmsub_pd(x, scaled, _mm512_set1_pd(1));
  __m512d p = _mm512_set1_pd(0x1.c819ef6682b4dp-4);
  _Pragma("GCC unroll 8") for (int k = 0; k < (int)(sizeof fit / sizeof *fit); k++)
    p = _mm512_fmadd_pd(p, f, _mm512_set1_pd(fit[k]));
  p = _mm512_fmadd_pd(_mm512_mul_pd(f, f), p, _mm512_mul_pd(e, _mm512_set1_pd(0x1.a39ef35793c76p-33)));
  return _mm512_add_pd(_mm512_fmadd_pd(e, _mm512_set1_pd(0x1.62e42feep-1), t), _mm512_add_pd(f, p));
}

INLINE __m512d log_lanes(__m512d x)
{
  const __m512i low = _mm512_set1_epi64((int64_t)1 << 52), range = _mm512_set1_epi64((int64_t)2043 << 52);
  const __mmask8 far = _mm512_cmpge_epu64_mask(_mm512_sub_epi64(_mm512_castpd_si512(x), low), range);
  __m512d y = log_near_pd(x);
  if (__builtin_expect(far != 0, 0)) {
    double v[8];
    _mm512_storeu_pd(v, x);
    IVDEP for (int k = 0; k < 8; k++)
      v[k] = log_d(v[k]);
    y = _mm512_mask_loadu_pd(y, far, v);
  }
  return y;
}

static void log_f64_row(int64_t n, double *o, const double *v)
{
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm512_storeu_pd(o + i, log_lanes(_mm512_loadu_pd(v + i)));
  if (i < n) {
    const __mmask8 part = (__mmask8)((1u << (n - i)) - 1);
    _mm512_mask_storeu_pd(o + i, part, log_lanes(_mm512_mask_loadu_pd(_mm512_set1_pd(1), part, v + i)));
  }
}
STRIDED1(log_f64, double, log_f64_row)
