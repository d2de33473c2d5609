// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exponentials, sines, cosines and logarithms of float16, converted in registers. Included by k_half.h alone, where processors
 * convert.
 *
 * A result has 11 bits and comes from 65 536 arguments, so that shorter polynomials than those of float32 do: made by
 * interpolation at Chebyshev's points, with a relative error below 2^-22. Rounded to float16, results are at most 0.501 ulp off.
 */
#if defined(__AVX512F__)
typedef __m512i half_bits;
#define OF_HALF_BITS(name) _mm512_##name
#define XOR_HALVES _mm512_xor_si512
#define BITS_OF_HALVES _mm512_castps_si512
#define HALVES_OF_BITS _mm512_castsi512_ps

/* A = 2^e m, with m in [0.75, 1.5); 4 / 3 is rounded up. */
static ALWAYS halves halves_mantissa(halves a) { return _mm512_getmant_ps(a, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero); }
static ALWAYS halves halves_exponent(halves a)
{
  return _mm512_getexp_ps(_mm512_mul_ps(a, _mm512_set1_ps(0x1.555556p0f)));
}

/* R, the logarithm of A where A is above 0 and finite. */
static ALWAYS halves halves_log_ends(halves r, halves a)
{
  enum { NUMBERS = 0x03530422 }; /* NaN: itself, 0: -inf, -inf and below 0: NaN, inf: inf, others and 1: R */
  return _mm512_fixupimm_ps(r, a, _mm512_set1_epi32(NUMBERS), 0);
}
#else
typedef __m256i half_bits;
#define OF_HALF_BITS(name) _mm256_##name
#define XOR_HALVES _mm256_xor_si256
#define BITS_OF_HALVES _mm256_castps_si256
#define HALVES_OF_BITS _mm256_castsi256_ps

/* Every float16 but 0 is a normal float32. */
static ALWAYS half_bits halves_scale(halves a)
{
  return _mm256_srai_epi32(_mm256_sub_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(0x3f400000)), 23);
}
static ALWAYS halves halves_mantissa(halves a)
{
  return _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_castps_si256(a), _mm256_slli_epi32(halves_scale(a), 23)));
}
static ALWAYS halves halves_exponent(halves a) { return _mm256_cvtepi32_ps(halves_scale(a)); }

static ALWAYS halves halves_log_ends(halves r, halves a)
{
  const halves zero = _mm256_setzero_ps(), infinite = _mm256_set1_ps(__builtin_inff()), none = _mm256_set1_ps(__builtin_nanf(""));
  r = _mm256_blendv_ps(r, infinite, _mm256_cmp_ps(a, infinite, _CMP_EQ_OQ));
  r = _mm256_blendv_ps(r, _mm256_sub_ps(zero, infinite), _mm256_cmp_ps(a, zero, _CMP_EQ_OQ));
  return _mm256_blendv_ps(r, none, _mm256_cmp_ps(a, zero, _CMP_NGE_UQ));
}
#endif

#define ONE_HALF(x) OF_HALVES(set1)((float)(x))

/* sin(r) turned around where bit 0 of TURNS is set, with r in [-pi/2, pi/2]: r (1 + s P(s)), s = r^2, keeps the sign of 0. */
static ALWAYS halves halves_turned_sin(halves r, half_bits turns)
{
  const halves s = OF_HALVES(mul)(r, r);
  halves p = OF_HALVES(fmadd)(s, ONE_HALF(2.604960863093199e-06), ONE_HALF(-0.00019808953965341116));
  p = OF_HALVES(fmadd)(s, p, ONE_HALF(0.008333049331007175));
  p = OF_HALVES(fmadd)(s, p, ONE_HALF(-0.16666657913262156));
  p = OF_HALVES(mul)(r, OF_HALVES(fmadd)(s, p, ONE_HALF(1)));
  return HALVES_OF_BITS(XOR_HALVES(BITS_OF_HALVES(p), OF_HALF_BITS(slli_epi32)(turns, 31)));
}

/* a - n pi by two parts of pi, both above 0, which keeps the sign of 0: |n| < 2^15. */
static ALWAYS halves halves_less_turns(halves a, halves n)
{
  const halves r = OF_HALVES(fnmadd)(n, ONE_HALF(0x1.921fb4p1), a);
  return OF_HALVES(fnmadd)(n, ONE_HALF(0x1.4442d2p-23), r);
}

#define HALF_WHOLE ONE_HALF(0x1.8p23) /* added, it leaves the nearest integer in the low bits */

static ALWAYS halves halves_sin(halves a)
{
  const halves t = OF_HALVES(fmadd)(a, ONE_HALF(0x1.45f306p-2), HALF_WHOLE);
  return halves_turned_sin(halves_less_turns(a, OF_HALVES(sub)(t, HALF_WHOLE)), BITS_OF_HALVES(t));
}

/* sin(a + pi/2): half turns away from whole ones. */
static ALWAYS halves halves_cos(halves a)
{
  const halves near = OF_HALVES(fmadd)(a, ONE_HALF(0x1.45f306p-2), ONE_HALF(-0.5)), t = OF_HALVES(add)(near, HALF_WHOLE);
  const halves n = OF_HALVES(add)(OF_HALVES(sub)(t, HALF_WHOLE), ONE_HALF(0.5));
  return halves_turned_sin(halves_less_turns(a, n), OF_HALF_BITS(add_epi32)(BITS_OF_HALVES(t), OF_HALF_BITS(set1_epi32)(1)));
}

/* 2^n e^r, |r| < 0.347, of numbers beyond which float16 has only 0 and infinity; NaN stays. */
static ALWAYS halves halves_exp(halves a)
{
  const halves x = OF_HALVES(max)(ONE_HALF(-18), OF_HALVES(min)(ONE_HALF(18), a));
  const halves t = OF_HALVES(fmadd)(x, ONE_HALF(0x1.715476p0f), HALF_WHOLE);
  const halves r = OF_HALVES(fnmadd)(OF_HALVES(sub)(t, HALF_WHOLE), ONE_HALF(0x1.62e43p-1f), x);
  halves p = OF_HALVES(fmadd)(r, ONE_HALF(0.008369220291803607), ONE_HALF(0.041918010395575626));
  p = OF_HALVES(fmadd)(r, p, ONE_HALF(0.1666650461303261));
  p = OF_HALVES(fmadd)(r, p, ONE_HALF(0.4999886484199201));
  p = OF_HALVES(fmadd)(r, p, ONE_HALF(1.0000000108364155));
  p = OF_HALVES(fmadd)(r, p, ONE_HALF(1.0000000759092484));
  const half_bits n = OF_HALF_BITS(slli_epi32)(BITS_OF_HALVES(t), 23);
  return HALVES_OF_BITS(OF_HALF_BITS(add_epi32)(BITS_OF_HALVES(p), n));
}

static ALWAYS halves halves_sigmoid(halves a)
{
  const halves one = ONE_HALF(1);
  return OF_HALVES(div)(one, OF_HALVES(add)(one, halves_exp(OF_HALVES(sub)(OF_HALVES(setzero)(), a))));
}

/* e OF_2 + UNIT log(1 + f). */
static ALWAYS halves halves_log_to(halves a, float of_2, float unit)
{
  const halves e = halves_exponent(a), f = OF_HALVES(sub)(halves_mantissa(a), ONE_HALF(1)), g = OF_HALVES(mul)(f, f);
  const halves far = OF_HALVES(fmadd)(f, ONE_HALF(-0.0650838147219571), ONE_HALF(0.1400688175105198));
  const halves third = OF_HALVES(fmadd)(f, ONE_HALF(-0.173574057323999), ONE_HALF(0.20119603069912806));
  const halves second = OF_HALVES(fmadd)(f, ONE_HALF(-0.24978826540437807), ONE_HALF(0.333294737572879));
  const halves first = OF_HALVES(fmadd)(f, ONE_HALF(-0.500001774431273), ONE_HALF(1.0000001601623723));
  const halves upper = OF_HALVES(fmadd)(g, far, third), lower = OF_HALVES(fmadd)(g, second, first);
  const halves p = OF_HALVES(mul)(OF_HALVES(mul)(f, ONE_HALF(unit)), OF_HALVES(fmadd)(OF_HALVES(mul)(g, g), upper, lower));
  return halves_log_ends(OF_HALVES(fmadd)(e, ONE_HALF(of_2), p), a);
}

HALVES1(exp, f16, halves_exp(a))
HALVES1(sigmoid, f16, halves_sigmoid(a))
HALVES1(sin, f16, halves_sin(a))
HALVES1(cos, f16, halves_cos(a))
HALVES1(log, f16, halves_log_to(a, 0x1.62e43p-1f, 1))
HALVES1(log2, f16, halves_log_to(a, 1, 0x1.715476p0f))
HALVES1(log10, f16, halves_log_to(a, 0x1.344136p-2f, 0x1.bcb7b2p-2f))

#define HALF_FUNCTIONS_ENTRIES_f16                                                                     \
  , [CPU_MAP_EXP] = exp_f16, [CPU_MAP_SIGMOID] = sigmoid_f16, [CPU_MAP_SIN] = sin_f16, [CPU_MAP_COS] = cos_f16, \
  [CPU_MAP_LOG] = log_f16, [CPU_MAP_LOG2] = log2_f16, [CPU_MAP_LOG10] = log10_f16
#define HALF_FUNCTIONS_ENTRIES_bf16
