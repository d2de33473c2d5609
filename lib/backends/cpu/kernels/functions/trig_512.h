// SPDX-License-Identifier: BSD-3-Clause
/*
 * sin and cos of float32 in vectors of AVX-512, of arguments that sin_f() serves. Included by functions.c alone, after trig.h.
 *
 * The same steps as there, bit for bit. Where one of the two is wanted, a lane chooses between their coefficients rather than
 * between their values: multiply-adds, of which fewer go at a time than of anything else, are then those of one polynomial.
 * AVX-512 alone.
 */
#include <immintrin.h>

/* Numbers of quarter turns outside of +-TURNS_F show in their bits TURNS_FAR; NaN and infinities do. */
enum { TURNS_F = 1 << 16 };
#define TURNS_FAR (~(2 * TURNS_F - 1))

typedef struct trig {
  __m512 r, z;
  __m512i k; /* quarter turns + TURNS_F, which is a multiple of four */
} trig;

INLINE trig trig_reduce_ps(__m512 x, uint32_t q)
{
  const __m512 magic = _mm512_set1_ps(MAGIC_F), m = _mm512_fmadd_ps(x, _mm512_set1_ps(0x1.45f306p-1f), magic);
  const __m512 n = _mm512_sub_ps(m, magic);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.921fb6p0f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-0x1.777a5cp-25f), r);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-0x1.ee59dap-50f), r);
  const uint32_t none = TURNS_F + q - bits_f(MAGIC_F);
  return (trig){ r, _mm512_mul_ps(r, r), _mm512_add_epi32(_mm512_castps_si512(m), _mm512_set1_epi32((int32_t)none)) };
}

/* Lanes of B where those of M are set, of A elsewhere. */
INLINE __m512 trig_choose(__mmask16 m, float a, float b)
{
  return _mm512_mask_blend_ps(m, _mm512_set1_ps(a), _mm512_set1_ps(b));
}

/* Y, or -Y where bit 1 of K is set. */
INLINE __m512 trig_signed(__m512 y, __m512i k)
{
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(y), _mm512_slli_epi32(k, 30), sign, 0x78));
}

/* Y, or X where that is a zero, which keeps its sign. */
INLINE __m512 trig_zero(__m512 y, __m512 x)
{
  return _mm512_fixupimm_ps(y, x, _mm512_set1_epi32(1 << 8), 0); /* the third kind of numbers: zeros */
}

/* sin(x + q pi/2); FAR gathers k. */
INLINE __m512 trig_ps(__m512 x, uint32_t q, __m512i *far)
{
  const trig t = trig_reduce_ps(x, q);
  const __mmask16 odd = _mm512_test_epi32_mask(t.k, _mm512_set1_epi32(1));
  __m512 p = trig_choose(odd, -0x1.994cfap-13f, 0x1.9a00cep-16f);
  p = _mm512_fmadd_ps(p, t.z, trig_choose(odd, 0x1.11075cp-7f, -0x1.6c0c86p-10f));
  p = _mm512_fmadd_ps(p, t.z, trig_choose(odd, -0x1.555546p-3f, 0x1.55554ap-5f));
  const __m512 factor = _mm512_mul_ps(_mm512_mask_blend_ps(odd, t.r, t.z), t.z);
  const __m512 base = _mm512_mask_blend_ps(odd, t.r, _mm512_fnmadd_ps(t.z, _mm512_set1_ps(0.5f), _mm512_set1_ps(1)));
  *far = _mm512_or_si512(*far, t.k);
  const __m512 y = trig_signed(_mm512_fmadd_ps(factor, p, base), t.k);
  return q ? y : trig_zero(y, x);
}

/* Both. */
INLINE void trig_both_ps(__m512 x, __m512 *sine, __m512 *cosine, __m512i *far)
{
  const trig t = trig_reduce_ps(x, 0);
  const __mmask16 odd = _mm512_test_epi32_mask(t.k, _mm512_set1_epi32(1));
  __m512 s = _mm512_fmadd_ps(_mm512_set1_ps(-0x1.994cfap-13f), t.z, _mm512_set1_ps(0x1.11075cp-7f));
  s = _mm512_fmadd_ps(s, t.z, _mm512_set1_ps(-0x1.555546p-3f));
  s = _mm512_fmadd_ps(_mm512_mul_ps(t.r, t.z), s, t.r);
  __m512 c = _mm512_fmadd_ps(_mm512_set1_ps(0x1.9a00cep-16f), t.z, _mm512_set1_ps(-0x1.6c0c86p-10f));
  c = _mm512_fmadd_ps(c, t.z, _mm512_set1_ps(0x1.55554ap-5f));
  c = _mm512_fmadd_ps(_mm512_mul_ps(t.z, t.z), c, _mm512_fnmadd_ps(t.z, _mm512_set1_ps(0.5f), _mm512_set1_ps(1)));
  *far = _mm512_or_si512(*far, t.k);
  *sine = trig_zero(trig_signed(_mm512_mask_blend_ps(odd, s, c), t.k), x);
  *cosine = trig_signed(_mm512_mask_blend_ps(odd, c, s), _mm512_add_epi32(t.k, _mm512_set1_epi32(1)));
}
