// SPDX-License-Identifier: BSD-3-Clause
/*
 * power in vectors of AVX-512. Included by functions.c alone.
 *
 * a = 2^e m; c is 1/m rounded to so few bits that f = c m - 1 is exact and the bits of c are the place of -log c in a table
 * that two registers hold. log a = e ln 2 - log c + f - f^2/2 + f^3 Q(f) as a sum of two numbers, of relative error 2^-32
 * (float32) and 2^-63 (float64): the first of the sum of multiples of ln 2 and of table entries has few bits and is exact.
 * Then e^(b log a) as in k_exp.h, with 2^n applied by the instruction that overflows and underflows as one rounding does.
 * Q is a fit at Chebyshev nodes, the tables are log(1 + k/32) and log(1 + k/16) in two parts.
 */

static _Alignas(64) const float log_high_f[32] = {
  0, -0x1.f84p-6f, -0x1.f0ap-5f, -0x1.6f1p-4f, -0x1.e27p-4f, -0x1.2958p-3f, -0x1.5ffp-3f, -0x1.9528p-3f, -0x1.c9p-3f,
  -0x1.fb9p-3f, -0x1.1674p-2f, -0x1.2e9p-2f, -0x1.4618p-2f, -0x1.5d1cp-2f, -0x1.739cp-2f, -0x1.89a4p-2f,
  -0x1.9f34p-2f, -0x1.b45p-2f, -0x1.c9p-2f, -0x1.dd48p-2f, -0x1.f128p-2f, -0x1.0256p-1f, -0x1.0be8p-1f, -0x1.154cp-1f,
  -0x1.1e86p-1f, -0x1.2796p-1f, -0x1.307ep-1f, -0x1.393ep-1f, -0x1.41d8p-1f, -0x1.4a5p-1f, -0x1.52a2p-1f,
  -0x1.5ad4p-1f,
};
static _Alignas(64) const float log_low_f[32] = {
  0, 0x1.64f188p-18f, -0x1.86008cp-20f, 0x1.6ba8d4p-19f, -0x1.db8abcp-22f, 0x1.683fp-18f, -0x1.83853cp-18f,
  0x1.2b185ep-18f, 0x1.070cacp-20f, -0x1.86d5e4p-19f, -0x1.cababap-18f, 0x1.d451eep-18f, -0x1.78438cp-19f,
  0x1.2053fcp-21f, -0x1.7f6bbep-18f, 0x1.8f27d8p-19f, 0x1.c13406p-18f, 0x1.10866ep-19f, 0x1.070cacp-19f,
  0x1.5fb3e4p-18f, -0x1.ebf5ep-19f, 0x1.ab4b46p-18f, 0x1.a37b5ap-18f, -0x1.e97a6ap-20f, 0x1.431f7ep-22f,
  0x1.ed764ep-21f, 0x1.19961ep-18f, -0x1.a6ac54p-22f, -0x1.fd08cep-18f, 0x1.e893fp-19f, -0x1.a4cb78p-18f,
  -0x1.30d67cp-23f,
};
static _Alignas(64) const double log_high_d[16] = {
  0, -0x1.f0a30c012p-5, -0x1.e27076e2bp-4, -0x1.5ff3070a78p-3, -0x1.c8ff7c79a8p-3, -0x1.1675cababcp-2,
  -0x1.4618bc21c4p-2, -0x1.739d7f6bbcp-2, -0x1.9f323ecbf8p-2, -0x1.c8ff7c79a8p-2, -0x1.f128f5fafp-2,
  -0x1.0be72e4252p-1, -0x1.1e85f5e704p-1, -0x1.307d7334f2p-1, -0x1.41d8fe8468p-1, -0x1.52a2d265bcp-1,
};
static _Alignas(64) const double log_low_d[16] = {
  0, 0x1.3ab33d066d1d2p-42, 0x1.a342c2af0003cp-45, -0x1.3d3c873e20a07p-43, -0x1.a21ac25d81ef3p-43,
  0x1.9f1fc63382a8fp-42, -0x1.ec27d0b7b37b3p-42, -0x1.0069ce24c53fbp-42, -0x1.84bf2b68d766fp-42,
  -0x1.a21ac25d81ef3p-42, -0x1.bb2cd720ec44cp-44, -0x1.5056d312f7668p-42, -0x1.a07bd8b34be7cp-46,
  0x1.e83c094debc15p-42, 0x1.aa33736867a17p-42, -0x1.6abb9df22bc57p-43,
};

/* |a|^b of finite numbers, a not 0 */
INLINE __m512 power_ps(__m512 a, __m512 b)
{
  __m512 m = _mm512_getmant_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  __m512 c = _mm512_roundscale_ps(_mm512_rcp14_ps(m), 6 << 4 | 8);
  __m512 e = _mm512_sub_ps(_mm512_getexp_ps(a), _mm512_getexp_ps(c));
  __m512i place = _mm512_srli_epi32(_mm512_castps_si512(c), 18);
  __m512 f = _mm512_fmsub_ps(m, c, _mm512_set1_ps(1));
  __m512 high = _mm512_permutex2var_ps(_mm512_load_ps(log_high_f), place, _mm512_load_ps(log_high_f + 16));
  __m512 low = _mm512_permutex2var_ps(_mm512_load_ps(log_low_f), place, _mm512_load_ps(log_low_f + 16));
  high = _mm512_fmadd_ps(e, _mm512_set1_ps(0x1.62e4p-1f), high);
  low = _mm512_fmadd_ps(e, _mm512_set1_ps(0x1.7f7d1cp-20f), low);
  __m512 q = _mm512_fmadd_ps(_mm512_set1_ps(0x1.99a750p-3f), f, _mm512_set1_ps(-0x1.0008p-2f));
  q = _mm512_fmadd_ps(q, f, _mm512_set1_ps(0x1.555556p-2f));
  __m512 rest, g = power_of_log(b, f, q, high, low, &rest);
  const __m512 most = _mm512_set1_ps(120);
  rest = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(_mm512_abs_ps(g), most, _CMP_LT_OQ), rest);
  g = _mm512_max_ps(_mm512_min_ps(g, most), _mm512_sub_ps(_mm512_setzero_ps(), most));
  __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(g, _mm512_set1_ps(0x1.715476p0f)), 8);
  return _mm512_scalef_ps(power_series(n, g, rest), n);
}

INLINE __m512d power_pd(__m512d a, __m512d b)
{
  const __m512d one = _mm512_set1_pd(1);
  __m512d m = _mm512_getmant_pd(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  __m512d c = _mm512_roundscale_pd(_mm512_rcp14_pd(m), 5 << 4 | 8);
  __m512d e = _mm512_sub_pd(_mm512_getexp_pd(a), _mm512_getexp_pd(c));
  __m512i place = _mm512_srli_epi64(_mm512_castpd_si512(c), 48);
  __m512d f = _mm512_fmsub_pd(m, c, one);
  __m512d high = _mm512_permutex2var_pd(_mm512_load_pd(log_high_d), place, _mm512_load_pd(log_high_d + 8));
  __m512d low = _mm512_permutex2var_pd(_mm512_load_pd(log_low_d), place, _mm512_load_pd(log_low_d + 8));
  high = _mm512_fmadd_pd(e, _mm512_set1_pd(0x1.62e42feep-1), high);
  low = _mm512_fmadd_pd(e, _mm512_set1_pd(0x1.a39ef35793c76p-33), low);
  static const double fit[] = { -0x1.9a59d76189686p-4, 0x1.c71c507dd1259p-4, -0x1.ffffdbf0c4765p-4, 0x1.24924925ba370p-3,
                                -0x1.5555555695eabp-3, 0x1.9999999999941p-3, -0x1.fffffffffffa0p-3, 0x1.5555555555555p-2 };
  __m512d q = _mm512_set1_pd(0x1.750e8c032f7e3p-4);
  for (int k = 0; k < 8; k++)
    q = _mm512_fmadd_pd(q, f, _mm512_set1_pd(fit[k]));
  __m512d half = _mm512_mul_pd(f, _mm512_set1_pd(-0.5)), square = _mm512_mul_pd(half, f);
  low = _mm512_add_pd(low, _mm512_fmsub_pd(half, f, square));
  low = _mm512_fmadd_pd(_mm512_mul_pd(_mm512_mul_pd(f, f), f), q, low);
  __m512d sum = _mm512_add_pd(high, f);
  low = _mm512_add_pd(low, _mm512_add_pd(_mm512_sub_pd(high, sum), f));
  high = _mm512_add_pd(sum, square);
  low = _mm512_add_pd(low, _mm512_add_pd(_mm512_sub_pd(sum, high), square)); /* as much as 2^-11 of high */

  __m512d g = _mm512_mul_pd(b, high), rest = _mm512_fmadd_pd(b, low, _mm512_fmsub_pd(b, high, g));
  const __m512d most = _mm512_set1_pd(800);
  rest = _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(_mm512_abs_pd(g), most, _CMP_LT_OQ), rest);
  g = _mm512_max_pd(_mm512_min_pd(g, most), _mm512_sub_pd(_mm512_setzero_pd(), most));
  __m512d n = _mm512_roundscale_pd(_mm512_mul_pd(_mm512_add_pd(g, rest), _mm512_set1_pd(0x1.71547652b82fep0)), 8);
  __m512d r = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.62e42feep-1), g);
  r = _mm512_add_pd(_mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.a39ef35793c76p-33), r), rest);
  static const double series[] = { 0x1.af5d9e3f54569p-26, 0x1.27e52b567637fp-22, 0x1.71ddf912171f5p-19,
    0x1.a01a0182dc698p-16, 0x1.a01a01af8ce30p-13, 0x1.6c16c16c1cda0p-10, 0x1.111111110f7bap-7, 0x1.5555555555548p-5,
    0x1.5555555555559p-3, 0.5 };
  __m512d p = _mm512_set1_pd(0x1.1ef5320dcfc4ap-29);
  for (int k = 0; k < 10; k++)
    p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(series[k]));
  return _mm512_scalef_pd(_mm512_add_pd(one, _mm512_fmadd_pd(_mm512_mul_pd(r, r), p, r)), n);
}

/* A negative base wants a whole exponent, whose parity is the sign. Zeros, infinities and NaN are rare and go to libm. */
#define POWER_ROW(T, V, M, PS, S, LANES, POW)                                                    \
  INLINE V power_lanes_##S(V a, V b)                                                             \
  {                                                                                              \
    V r = power_##PS(a, b);                                                                      \
    M below = _mm512_cmp_##PS##_mask(a, _mm512_setzero_##PS(), _CMP_LT_OQ);                      \
    M odd = _mm512_fpclass_##PS##_mask(a, 0x9f) | _mm512_fpclass_##PS##_mask(b, 0x99);           \
    if (__builtin_expect(below != 0, 0)) {                                                       \
      V half = _mm512_mul_##PS(b, _mm512_set1_##PS(0.5));                                        \
      M part_of_1 = _mm512_cmp_##PS##_mask(_mm512_roundscale_##PS(b, 8), b, _CMP_NEQ_UQ);        \
      M part_of_2 = _mm512_cmp_##PS##_mask(_mm512_roundscale_##PS(half, 8), half, _CMP_NEQ_UQ);  \
      r = _mm512_mask_sub_##PS(r, below & part_of_2, _mm512_set1_##PS(-0.0), r);                 \
      r = _mm512_mask_mov_##PS(r, below & part_of_1, _mm512_set1_##PS(NAN));                     \
    }                                                                                            \
    if (__builtin_expect(odd != 0, 0)) {                                                         \
      T base[LANES], exponent[LANES], power[LANES];                                              \
      _mm512_storeu_##PS(base, a);                                                               \
      _mm512_storeu_##PS(exponent, b);                                                           \
      _mm512_storeu_##PS(power, r);                                                              \
      for (int k = 0; k < LANES; k++)                                                            \
        if (odd >> k & 1)                                                                        \
          power[k] = POW(base[k], exponent[k]);                                                  \
      r = _mm512_loadu_##PS(power);                                                              \
    }                                                                                            \
    return r;                                                                                    \
  }                                                                                              \
  static void power_##S##_row(int64_t n, T *o, const T *x, const T *y)                           \
  {                                                                                              \
    int64_t i = 0;                                                                               \
    for (; i + LANES <= n; i += LANES)                                                           \
      _mm512_storeu_##PS(o + i, power_lanes_##S(_mm512_loadu_##PS(x + i), _mm512_loadu_##PS(y + i))); \
    if (i < n) {                                                                                 \
      const M part = (M)((1u << (n - i)) - 1);                                                   \
      const V one = _mm512_set1_##PS(1), a = _mm512_mask_loadu_##PS(one, part, x + i);           \
      _mm512_mask_storeu_##PS(o + i, part, power_lanes_##S(a, _mm512_mask_loadu_##PS(one, part, y + i))); \
    }                                                                                            \
  }                                                                                              \
  STRIDED2(power_pairs_##S, T, power_##S##_row)

POWER_ROW(float, __m512, __mmask16, ps, f32, 16, powf)
POWER_ROW(double, __m512d, __mmask8, pd, f64, 8, pow)
