// SPDX-License-Identifier: BSD-3-Clause
/*
 * power of float32 in vectors of AVX2. Included by functions.c alone.
 *
 * a = 2^e m, m within 1/32 of 1 + i/16. c is near 1/m and has so few bits that f = c m - 1 is exact:
 * log a = e ln 2 - log c + f - f^2/2 + f^3 Q(f) as a sum of two numbers, of relative error 2^-31; the first of the sum of
 * multiples of ln 2 and of table entries has few bits and is exact. Then e^(b log a) as in k_exp.h. Tables of sixteen are
 * two registers; Q is a fit at Chebyshev nodes.
 */

static _Alignas(32) const float power_factor[16] = {
  1, 0x1.ep-1f, 0x1.c8p-1f, 0x1.bp-1f, 0x1.98p-1f, 0x1.88p-1f, 0x1.7p-1f, 0x1.6p-1f, 0x1.58p-1f, 0x1.48p-1f, 0x1.38p-1f,
  0x1.3p-1f, 0x1.28p-1f, 0x1.18p-1f, 0x1.1p-1f, 0x1.08p-1f,
};
/* minus their logarithms in two parts */
static _Alignas(32) const float power_high[16] = {
  0, 0x1.086p-4f, 0x1.da8p-4f, 0x1.5bfp-3f, 0x1.d1p-3f, 0x1.1178p-2f, 0x1.5228p-2f, 0x1.7fbp-2f, 0x1.9738p-2f, 0x1.c8p-2f,
  0x1.fb38p-2f, 0x1.0ae8p-1f, 0x1.189p-1f, 0x1.3504p-1f, 0x1.43d8p-1f, 0x1.5324p-1f,
};
static _Alignas(32) const float power_low[16] = {
  0, -0x1.9d2988p-18f, -0x1.b138f8p-17f, 0x1.01ad5p-17f, 0x1.bf932ap-18f, 0x1.d044fcp-19f, 0x1.7039c6p-17f,
  -0x1.7109fap-20f, 0x1.1a189ap-17f, -0x1.8e2eaap-20f, -0x1.3a842ep-17f, -0x1.23a5f6p-18f, -0x1.1bf0dcp-17f,
  -0x1.752628p-17f, 0x1.ff2f92p-17f, -0x1.1d9798p-17f,
};

INLINE __m256 power_entry(const float *table, __m256i place, __m256 upper)
{
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_load_ps(table), place),
                          _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), place), upper);
}

/* |a|^b of finite numbers, of bits of a normal |a| */
INLINE __m256 power_ps(__m256i a, __m256 b)
{
  const __m256i up = _mm256_add_epi32(a, _mm256_set1_epi32(1 << 18)), place = _mm256_srli_epi32(up, 19);
  const __m256i e = _mm256_sub_epi32(_mm256_srli_epi32(up, 23), _mm256_set1_epi32(127));
  const __m256 m = _mm256_castsi256_ps(_mm256_sub_epi32(a, _mm256_slli_epi32(e, 23))), whole = _mm256_cvtepi32_ps(e);
  const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(up, 9)); /* the first bit of the place as the sign */
  const __m256 f = _mm256_fmsub_ps(m, power_entry(power_factor, place, upper), _mm256_set1_ps(1));
  const __m256 high = _mm256_fmadd_ps(whole, _mm256_set1_ps(0x1.62e4p-1f), power_entry(power_high, place, upper));
  const __m256 low = _mm256_fmadd_ps(whole, _mm256_set1_ps(0x1.7f7d1cp-20f), power_entry(power_low, place, upper));
  __m256 q = _mm256_fmadd_ps(_mm256_set1_ps(-0x1.55a1f6p-3f), f, _mm256_set1_ps(0x1.99f12cp-3f));
  q = _mm256_fmadd_ps(q, f, _mm256_set1_ps(-0x1.fffffep-3f));
  q = _mm256_fmadd_ps(q, f, _mm256_set1_ps(0x1.555554p-2f));
  __m256 rest, g = power_of_log(b, f, q, high, low, &rest);
  const __m256 most = _mm256_set1_ps(120), least = _mm256_set1_ps(-120);
  rest = _mm256_and_ps(rest, _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), g), most, _CMP_LT_OQ));
  g = _mm256_max_ps(_mm256_min_ps(g, most), least);
  const __m256i n = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_add_ps(g, rest), _mm256_set1_ps(0x1.715476p0f)));
  const __m256 y = power_series(_mm256_cvtepi32_ps(n), g, rest);
  const __m256i first = _mm256_srai_epi32(n, 1), bias = _mm256_set1_epi32(127), second = _mm256_sub_epi32(n, first);
  return _mm256_mul_ps(_mm256_mul_ps(y, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(first, bias), 23))),
                       _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(second, bias), 23)));
}

/* A negative base wants a whole exponent, whose parity is the sign. Zeros, subnormal bases, infinities and NaN are rare and go
 * to libm. */
INLINE __m256 power_lanes(__m256 a, __m256 b)
{
  const __m256 sign = _mm256_set1_ps(-0.0f);
  const __m256i base = _mm256_castps_si256(_mm256_andnot_ps(sign, a));
  const __m256i exponent = _mm256_castps_si256(_mm256_andnot_ps(sign, b));
  const __m256i above = _mm256_sub_epi32(base, _mm256_set1_epi32(0x00800000));
  const __m256i large = _mm256_or_si256(_mm256_cmpgt_epi32(above, _mm256_set1_epi32(0x7effffff)),
                                        _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(0x7f7fffff)));
  const int odd = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(above, large)));
  __m256 r = power_ps(base, b);
  if (__builtin_expect(_mm256_movemask_ps(a) != 0, 0)) {
    const __m256 half = _mm256_mul_ps(b, _mm256_set1_ps(0.5f));
    const __m256 part_of_1 = _mm256_cmp_ps(_mm256_round_ps(b, 8), b, _CMP_NEQ_UQ);
    const __m256 part_of_2 = _mm256_cmp_ps(_mm256_round_ps(half, 8), half, _CMP_NEQ_UQ);
    r = _mm256_xor_ps(r, _mm256_and_ps(_mm256_and_ps(a, sign), part_of_2));
    r = _mm256_blendv_ps(r, _mm256_set1_ps(NAN), _mm256_and_ps(a, part_of_1));
  }
  if (__builtin_expect(odd != 0, 0)) {
    float x[8], y[8], power[8];
    _mm256_storeu_ps(x, a);
    _mm256_storeu_ps(y, b);
    _mm256_storeu_ps(power, r);
    for (int k = 0; k < 8; k++)
      if (odd >> k & 1)
        power[k] = powf(x[k], y[k]);
    r = _mm256_loadu_ps(power);
  }
  return r;
}

static void power_f32_row(int64_t n, float *o, const float *x, const float *y)
{
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(o + i, power_lanes(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  if (i < n) {
    float a[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, b[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    memcpy(a, x + i, (size_t)(n - i) * sizeof *a);
    memcpy(b, y + i, (size_t)(n - i) * sizeof *b);
    _mm256_storeu_ps(a, power_lanes(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
    memcpy(o + i, a, (size_t)(n - i) * sizeof *a);
  }
}
STRIDED2(power_pairs_f32, float, power_f32_row)
