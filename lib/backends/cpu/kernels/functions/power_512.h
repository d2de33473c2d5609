// SPDX-License-Identifier: BSD-3-Clause
/*
 * power in vectors of AVX-512. Included by power.h alone, after log_512.h.
 *
 * a = 2^e m; c is about 1/m, of so few bits that f = c m - 1 is exact. In float32 the bits of m are the index of c (times 2^127:
 * taking away the bits of an exponent divides by the power of two) and of -log c in tables that two registers hold each; in
 * float64 c is 1/m rounded and its bits are the index of -log c. log a = e ln 2 - log c + f - f^2/2 + f^3 Q(f) as a sum of two
 * numbers, of relative error 2^-32 (float32) and 2^-63 (float64): the first of the sum of multiples of ln 2 and of table entries
 * has few bits and is exact. Then e^(b log a) as in exp.h, with 2^n applied by the instruction that overflows and underflows as
 * one rounding does. Q is a fit at Chebyshev nodes in float64, by Remez's exchange in float32.
 * AVX-512 alone; contiguous float32 and float64, others by blocks.
 */

static _Alignas(64) const float power_factor_f[32] = {
  0x1p127f, 0x1.fp126f, 0x1.ep126f, 0x1.d4p126f, 0x1.c8p126f, 0x1.b8p126f, 0x1.bp126f, 0x1.a4p126f, 0x1.98p126f,
  0x1.9p126f, 0x1.88p126f, 0x1.7cp126f, 0x1.74p126f, 0x1.6cp126f, 0x1.64p126f, 0x1.5cp126f, 0x1.54p126f, 0x1.5p126f,
  0x1.48p126f, 0x1.4p126f, 0x1.3cp126f, 0x1.34p126f, 0x1.3p126f, 0x1.28p126f, 0x1.24p126f, 0x1.2p126f, 0x1.1cp126f,
  0x1.14p126f, 0x1.1p126f, 0x1.0cp126f, 0x1.08p126f, 0x1.04p126f,
};
static _Alignas(64) const float power_high_f[32] = {
  0, 0x1.042p-5f, 0x1.086p-4f, 0x1.701p-4f, 0x1.da7p-4f, 0x1.366p-3f, 0x1.5bf8p-3f, 0x1.95a8p-3f, 0x1.d1p-3f, 0x1.f99p-3f,
  0x1.1178p-2f, 0x1.315p-2f, 0x1.4718p-2f, 0x1.5d5cp-2f, 0x1.741cp-2f, 0x1.8b64p-2f, 0x1.a334p-2f, 0x1.af54p-2f,
  0x1.c8p-2f, 0x1.e148p-2f, 0x1.ee2cp-2f, 0x1.0436p-1f, 0x1.0ae8p-1f, 0x1.188ep-1f, 0x1.1f86p-1f, 0x1.2696p-1f,
  0x1.2dcp-1f, 0x1.3c6p-1f, 0x1.43dap-1f, 0x1.4b7p-1f, 0x1.5322p-1f, 0x1.5af4p-1f,
};
static _Alignas(64) const float power_low_f[32] = {
  0, -0x1.44ec32p-18f, -0x1.9d2988p-18f, -0x1.67a8aap-19f, 0x1.3b1c22p-19f, -0x1.a7f538p-22f, -0x1.fca55ep-18f,
  -0x1.291848p-18f, 0x1.bf932ap-18f, 0x1.c6cb3cp-19f, 0x1.d044fcp-19f, -0x1.c3c594p-19f, 0x1.b84e38p-19f, -0x1.10535p-21f,
  0x1.876c68p-18f, -0x1.95dd34p-20f, 0x1.00893ep-20f, -0x1.6adb74p-18f, -0x1.8e2eaap-20f, 0x1.4344e4p-19f,
  -0x1.ea94bep-18f, 0x1.7cec08p-22f, -0x1.23a5f6p-18f, 0x1.c81e48p-18f, 0x1.afe30cp-20f, 0x1.089a6ep-20f, -0x1.5509e4p-18f,
  0x1.0186d8p-18f, -0x1.a0db88p-26f, -0x1.48347ap-20f, 0x1.c4d0dp-18f, 0x1.70d928p-23f,
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

/* b times HIGH + LOW + f - f^2/2 + f^3 Q: a rounded product, and what rounding leaves in REST. */
INLINE __m512 power_of_log(__m512 b, __m512 f, __m512 q, __m512 high, __m512 low,
                                 __m512 *rest)
{
  const __m512 half = _mm512_mul_ps(f, _mm512_set1_ps(-0.5f)), sum = _mm512_add_ps(high, f);
  low = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_mul_ps(f, f), f), q, low);
  const __m512 all = _mm512_fmadd_ps(half, f, sum), lost = _mm512_add_ps(_mm512_sub_ps(high, sum), f);
  low = _mm512_add_ps(low, _mm512_fmadd_ps(half, f, _mm512_add_ps(_mm512_sub_ps(sum, all), lost)));
  const __m512 g = _mm512_mul_ps(b, all);
  *rest = _mm512_fmadd_ps(b, low, _mm512_fmsub_ps(b, all, g));
  return g;
}

/* e^(g + rest - n ln 2), in pairs: one chain would be longer than what else there is to do meanwhile. */
INLINE __m512 power_series(__m512 n, __m512 g, __m512 rest)
{
  rest = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20f), rest);
  const __m512 r = _mm512_add_ps(_mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e4p-1f), g), rest), square = _mm512_mul_ps(r, r);
  const __m512 high = _mm512_fmadd_ps(_mm512_set1_ps(0x1.6db546p-10f), r, _mm512_set1_ps(0x1.123bdep-7f));
  const __m512 low = _mm512_fmadd_ps(_mm512_set1_ps(0x1.55545cp-5f), r, _mm512_set1_ps(0x1.55548ep-3f));
  const __m512 p = _mm512_fmadd_ps(_mm512_fmadd_ps(high, square, low), r, _mm512_set1_ps(0.5f));
  return _mm512_add_ps(_mm512_set1_ps(1), _mm512_fmadd_ps(p, square, r));
}

/* Bases that power_ps() does not serve: zeros, subnormal ones, those from 2^125 on, of which c 2^-e is not normal, NaN. */
INLINE __mmask16 power_odd_f32(__m512 a)
{
  return log_far_f(_mm512_abs_ps(a), false);
}

INLINE __mmask8 power_odd_f64(__m512d a)
{
  return _mm512_fpclass_pd_mask(a, 0x9f);
}

/*
 * |a|^b of finite numbers, a not odd. In QUICK, if it is there, are the lanes whose logarithm is so small that the result is right
 * though it was not bounded, and no others; what is not finite is left to a call without.
 */
INLINE __m512 power_ps(__m512 a, __m512 b, __mmask16 *quick)
{
  const __m512i bits = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(1 << 17)), index = _mm512_srli_epi32(bits, 18);
  const __m512i power = _mm512_and_si512(bits, _mm512_set1_epi32(0xff << 23));
  const __m512 e = _mm512_getexp_ps(_mm512_castsi512_ps(bits)), m = _mm512_abs_ps(a);
  const __m512 c = _mm512_permutex2var_ps(_mm512_load_ps(power_factor_f), index, _mm512_load_ps(power_factor_f + 16));
  const __m512 scaled = _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_castps_si512(c), power));
  const __m512 f = _mm512_fmsub_ps(m, scaled, _mm512_set1_ps(1));
  __m512 high = _mm512_permutex2var_ps(_mm512_load_ps(power_high_f), index, _mm512_load_ps(power_high_f + 16));
  __m512 low = _mm512_permutex2var_ps(_mm512_load_ps(power_low_f), index, _mm512_load_ps(power_low_f + 16));
  high = _mm512_fmadd_ps(e, _mm512_set1_ps(0x1.62e4p-1f), high);
  low = _mm512_fmadd_ps(e, _mm512_set1_ps(0x1.7f7d1cp-20f), low);
  __m512 q = _mm512_fmadd_ps(_mm512_set1_ps(0x1.99dadcp-3f), f, _mm512_set1_ps(-0x1.000f44p-2f));
  q = _mm512_fmadd_ps(q, f, _mm512_set1_ps(0x1.555554p-2f));
  __m512 rest, g = power_of_log(b, f, q, high, low, &rest);
  const __m512 most = _mm512_set1_ps(120);
  const __mmask16 near = _mm512_cmp_ps_mask(_mm512_abs_ps(g), most, _CMP_LT_OQ);
  if (quick) {
    *quick = near & ~power_odd_f32(a);
  } else {
    rest = _mm512_maskz_mov_ps(near, rest);
    g = _mm512_max_ps(_mm512_min_ps(g, most), _mm512_sub_ps(_mm512_setzero_ps(), most));
  }
  const __m512 magic = _mm512_set1_ps(MAGIC_F);
  const __m512 n = _mm512_sub_ps(_mm512_fmadd_ps(g, _mm512_set1_ps(0x1.715476p0f), magic), magic);
  return _mm512_scalef_ps(power_series(n, g, rest), n);
}

INLINE __m512d power_pd(__m512d a, __m512d b, __mmask8 *quick)
{
  const __m512d one = _mm512_set1_pd(1);
  __m512d m = _mm512_getmant_pd(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  __m512d c = _mm512_roundscale_pd(_mm512_rcp14_pd(m), 5 << 4 | 8);
  __m512d e = _mm512_sub_pd(_mm512_getexp_pd(a), _mm512_getexp_pd(c));
  __m512i index = _mm512_srli_epi64(_mm512_castpd_si512(c), 48);
  __m512d f = _mm512_fmsub_pd(m, c, one);
  __m512d high = _mm512_permutex2var_pd(_mm512_load_pd(log_high_d), index, _mm512_load_pd(log_high_d + 8));
  __m512d low = _mm512_permutex2var_pd(_mm512_load_pd(log_low_d), index, _mm512_load_pd(log_low_d + 8));
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
  const __mmask8 near = _mm512_cmp_pd_mask(_mm512_abs_pd(g), most, _CMP_LT_OQ);
  if (quick) {
    *quick = near;
  } else {
    rest = _mm512_maskz_mov_pd(near, rest);
    g = _mm512_max_pd(_mm512_min_pd(g, most), _mm512_sub_pd(_mm512_setzero_pd(), most));
  }
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

#define BODY "backends/cpu/kernels/functions/power_lanes.h"
#include "backends/cpu/kernels/functions/each.h"
