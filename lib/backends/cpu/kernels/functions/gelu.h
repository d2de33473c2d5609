// SPDX-License-Identifier: BSD-3-Clause
/*
 * gelu of float32 in vectors of AVX-512: x Q(-x) as in logsumexp.h. Included by functions.c alone.
 *
 * Up to LESS Q(a) is a polynomial of degree 5 about the nearest multiple of 1/8, whose coefficients two registers hold for
 * each power; beyond, a Q(a) = e^(-a^2/2) H(1/a), which blocks of smaller numbers do not need. Minimax fits by Remez's
 * exchange, of relative error 2^-28.
 * AVX-512 alone; contiguous float32, others by blocks.
 */
#define GELU_LESS 0x1.f7fffep1f /* the nearest multiple of 1/8 is the last of the table */

static _Alignas(64) const float gelu_fit[6][32] = {
  { -0x1.45efep-7f, -0x1.39d186p-7f, -0x1.153772p-7f, -0x1.b93812p-8f, -0x1.2bd02ep-8f, -0x1.20ee2cp-9f, 0x1.3f4acep-13f,
    0x1.2bbfb4p-9f, 0x1.084c04p-8f, 0x1.5a0c7cp-8f, 0x1.8816bcp-8f, 0x1.935e6ep-8f, 0x1.802abcp-8f, 0x1.551ed4p-8f,
    0x1.1a12e2p-8f, 0x1.adff1ep-9f, 0x1.262a12p-9f, 0x1.5063d4p-10f, 0x1.e12a72p-12f, -0x1.97f6bp-13f, -0x1.5dd028p-11f,
    -0x1.fbea22p-11f, -0x1.2625b8p-10f, -0x1.2f6134p-10f, -0x1.22162cp-10f, -0x1.063682p-10f, -0x1.c5111p-11f,
    -0x1.78ac88p-11f, -0x1.2ec04cp-11f, -0x1.d804b4p-12f, -0x1.65bbcap-12f, -0x1.080fbap-12f },
  { -0x1.53db96p-19f, -0x1.92d5dep-8f, -0x1.835434p-7f, -0x1.0ff1eep-6f, -0x1.4a2d6ap-6f, -0x1.6d0b96p-6f,
    -0x1.778726p-6f, -0x1.6ad9ecp-6f, -0x1.4a2d62p-6f, -0x1.1a1828p-6f, -0x1.bffd0ep-7f, -0x1.42db7cp-7f, -0x1.8e213ep-8f,
    -0x1.549a54p-9f, 0x1.944296p-12f, 0x1.6a1f02p-9f, 0x1.26586cp-8f, 0x1.6e761ap-8f, 0x1.91d32cp-8f, 0x1.96d044p-8f,
    0x1.84b29ep-8f, 0x1.62bcd8p-8f, 0x1.378304p-8f, 0x1.087efep-8f, 0x1.b3c0c4p-9f, 0x1.5d18f4p-9f, 0x1.10812p-9f,
    0x1.9f1eep-10f, 0x1.34e014p-10f, 0x1.c16d58p-11f, 0x1.3ff0fap-11f, 0x1.be03cap-12f },
  { 0x1.10585p-4f, 0x1.0a00b8p-4f, 0x1.eeef56p-5f, 0x1.b44f46p-5f, 0x1.6883bcp-5f, 0x1.110796p-5f, 0x1.67c222p-6f,
    0x1.5c3ac6p-7f, -0x1.089da4p-26f, -0x1.335cdp-7f, -0x1.188c86p-6f, -0x1.78fd56p-6f, -0x1.ba161cp-6f, -0x1.dd4a7ep-6f,
    -0x1.e5e9d2p-6f, -0x1.d883eep-6f, -0x1.ba4b24p-6f, -0x1.908564p-6f, -0x1.601924p-6f, -0x1.2d3ccp-6f, -0x1.f69236p-7f,
    -0x1.995864p-7f, -0x1.45e9ccp-7f, -0x1.fbc148p-8f, -0x1.8342dap-8f, -0x1.215d0ep-8f, -0x1.a7dc64p-9f, -0x1.306abep-9f,
    -0x1.acf14ep-10f, -0x1.288ba6p-10f, -0x1.92762ep-11f, -0x1.0c20dcp-11f },
  { -0x1.97e6acp-30f, 0x1.95567p-6f, 0x1.8bf2b2p-5f, 0x1.1d95aap-4f, 0x1.6883cap-4f, 0x1.a40bc2p-4f, 0x1.ce8c08p-4f,
    0x1.e785cp-4f, 0x1.ef8e54p-4f, 0x1.e829ecp-4f, 0x1.d394e6p-4f, 0x1.b483bap-4f, 0x1.8de0cap-4f, 0x1.628f34p-4f,
    0x1.3537ccp-4f, 0x1.0823acp-4f, 0x1.ba4b4ap-5f, 0x1.6b23b8p-5f, 0x1.24834p-5f, 0x1.ce8196p-6f, 0x1.66faccp-6f,
    0x1.119efp-6f, 0x1.99b836p-7f, 0x1.2d6086p-7f, 0x1.b3ab1ap-8f, 0x1.357aa8p-8f, 0x1.b02bb8p-9f, 0x1.28a242p-9f,
    0x1.905834p-10f, 0x1.09a142p-10f, 0x1.5a9d76p-11f, 0x1.bcc8bap-12f },
  { -0x1.988454p-2f, -0x1.95567ap-2f, -0x1.8bf2bap-2f, -0x1.7cc794p-2f, -0x1.6883dp-2f, -0x1.50096ep-2f, -0x1.345d5ep-2f,
    -0x1.169596p-2f, -0x1.ef8e58p-3f, -0x1.b1ec62p-3f, -0x1.7610bap-3f, -0x1.3d7712p-3f, -0x1.094086p-3f, -0x1.b46178p-4f,
    -0x1.616454p-4f, -0x1.19bfa4p-4f, -0x1.ba4b44p-5f, -0x1.55c74p-5f, -0x1.0402ep-5f, -0x1.857a94p-6f, -0x1.1f2f06p-6f,
    -0x1.a0f22cp-7f, -0x1.29fa54p-7f, -0x1.a34ea6p-8f, -0x1.227214p-8f, -0x1.8c2226p-9f, -0x1.09f38ep-9f,
    -0x1.5f90f6p-10f, -0x1.c9897cp-11f, -0x1.251bf8p-11f, -0x1.71b92ep-12f, -0x1.cb2206p-13f },
  { 0x1p-1f, 0x1.cd116cp-2f, 0x1.9aecbap-2f, 0x1.6a527ap-2f, 0x1.3bf144p-2f, 0x1.105e82p-2f, 0x1.d022p-3f, 0x1.86bb5p-3f,
    0x1.44ed0cp-3f, 0x1.0ad7dap-3f, 0x1.b0bdd2p-4f, 0x1.5a6196p-4f, 0x1.11a46ep-4f, 0x1.aaa65cp-5f, 0x1.482a24p-5f,
    0x1.f20394p-6f, 0x1.74bcf8p-6f, 0x1.13243cp-6f, 0x1.90925p-7f, 0x1.1f85a2p-7f, 0x1.96f4e6p-8f, 0x1.1bee6cp-8f,
    0x1.869044p-9f, 0x1.08c89p-9f, 0x1.61de2p-10f, 0x1.d21af4p-11f, 0x1.2e86fep-11f, 0x1.8301bep-12f, 0x1.e7dbcap-13f,
    0x1.2eff8p-13f, 0x1.72d956p-14f, 0x1.bf3766p-15f },
};

/* Below 0 the second term is nothing; of two zeros max takes the second. */
INLINE __m512 gelu_less_ps(__m512 x)
{
  const __m512 magic = _mm512_set1_ps(0x1.8p20f), a = _mm512_abs_ps(x), t = _mm512_add_ps(a, magic);
  const __m512 r = _mm512_sub_ps(a, _mm512_sub_ps(t, magic));
  const __m512i index = _mm512_castps_si512(t);
  __m512 q = _mm512_permutex2var_ps(_mm512_load_ps(gelu_fit[0]), index, _mm512_load_ps(gelu_fit[0] + 16));
#pragma GCC unroll 5
  for (int k = 1; k < 6; k++)
    q = _mm512_fmadd_ps(q, r, _mm512_permutex2var_ps(_mm512_load_ps(gelu_fit[k]), index, _mm512_load_ps(gelu_fit[k] + 16)));
  return _mm512_fnmadd_ps(a, q, _mm512_max_ps(_mm512_setzero_ps(), x));
}

/* What rounding a^2 takes away goes into the exponential; the power of two comes last. */
INLINE __m512 gelu_more_ps(__m512 x)
{
  static const float tail[] = { -0x1.acc258p+1f, 0x1.e3a79p+0f, -0x1.58fe4cp-4f, -0x1.9249acp-2f, -0x1.f91bd2p-13f,
                                0x1.988560p-2f };
  static const float series[] = { 0x1.123bdep-7f, 0x1.55545cp-5f, 0x1.55548ep-3f, 0.5f };
  const __m512 a = _mm512_min_ps(_mm512_set1_ps(15), _mm512_abs_ps(x)); /* NaN passes */
  const __m512 w = _mm512_div_ps(_mm512_set1_ps(1), a), square = _mm512_mul_ps(a, a), half = _mm512_set1_ps(-0.5f);
  const __m512 v = _mm512_mul_ps(half, square), n = _mm512_roundscale_ps(_mm512_mul_ps(v, _mm512_set1_ps(0x1.715476p0f)), 8);
  __m512 h = _mm512_set1_ps(0x1.0f466p+1f), p = _mm512_set1_ps(0x1.6db546p-10f);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20f), _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e4p-1f), v));
  r = _mm512_fmadd_ps(half, _mm512_fmsub_ps(a, a, square), r);
#pragma GCC unroll 6
  for (int k = 0; k < 6; k++)
    h = _mm512_fmadd_ps(h, w, _mm512_set1_ps(tail[k]));
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(series[k]));
  p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r);
  const __m512 q = _mm512_scalef_ps(_mm512_fmadd_ps(h, p, h), n), zero = _mm512_setzero_ps();
  const __mmask16 above = _mm512_cmp_ps_mask(x, zero, _CMP_GT_OQ);
  const __mmask16 lowest = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-HUGE_VALF), _CMP_EQ_OQ);
  return _mm512_mask_mov_ps(_mm512_mask_sub_ps(_mm512_sub_ps(_mm512_set1_ps(-0.0f), q), above, x, q), lowest, zero);
}

INLINE __m512 gelu_ps(__m512 x)
{
  const __mmask16 less = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(GELU_LESS), _CMP_LE_OQ);
  return _mm512_mask_mov_ps(gelu_more_ps(x), less, gelu_less_ps(x));
}

#define GELU_PASS(FN)                                                                            \
  do {                                                                                           \
    int64_t i = 0;                                                                               \
    for (; i + 16 <= m; i += 16)                                                                 \
      _mm512_storeu_ps(o + i, FN(_mm512_loadu_ps(v + i)));                                       \
    if (i < m) {                                                                                 \
      const __mmask16 part = (__mmask16)((1u << (m - i)) - 1);                                   \
      _mm512_mask_storeu_ps(o + i, part, FN(_mm512_maskz_loadu_ps(part, v + i)));                \
    }                                                                                            \
  } while (0)

static void gelu_f32_row(int64_t n, float *o, const float *v)
{
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, v += MATH_BLOCK) {
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    uint32_t most = 0; /* bits of absolute values are in their order, NaN last */
    for (int64_t i = 0; i < m; i++) {
      const uint32_t a = bits_f(v[i]) & 0x7fffffffu;
      most = a > most ? a : most;
    }
    if (most <= bits_f(GELU_LESS))
      GELU_PASS(gelu_less_ps);
    else
      GELU_PASS(gelu_ps);
  }
}
STRIDED1(gelu_f32, f32, gelu_f32_row)
