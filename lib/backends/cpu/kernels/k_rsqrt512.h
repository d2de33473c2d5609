// SPDX-License-Identifier: BSD-3-Clause
/*
 * 1 / sqrt(x) in vectors of AVX-512, from an estimate of 14 bits. Included by functions.c alone, after k_select.h and k_root512.h.
 *
 * With e = 1 - x y^2, 1 / sqrt(x) = y (1 - e)^(-1/2) = y (1 + e / 2 + 3 e^2 / 8 + ..); the last e is made of both parts of x y.
 * What root_far_() leaves out goes the way of other instruction sets; an element's neighbours do not matter.
 */
#define RSQRT(S, SUFFIX, V, T, MASK, STEPS, FAR)                                                 \
  INLINE V rsqrt_better_##S(V y, V e)                                                            \
  {                                                                                              \
    const V half = _mm512_set1_##SUFFIX(0.5), more = _mm512_set1_##SUFFIX(0.375);                \
    return _mm512_fmadd_##SUFFIX(_mm512_mul_##SUFFIX(y, e), _mm512_fmadd_##SUFFIX(e, more, half), y); \
  }                                                                                              \
  INLINE V rsqrt_near_##S(V x)                                                                   \
  {                                                                                              \
    const V one = _mm512_set1_##SUFFIX(1);                                                       \
    V y = _mm512_rsqrt14_##SUFFIX(x);                                                            \
    for (int k = 0; k < STEPS; k++)                                                              \
      y = rsqrt_better_##S(y, _mm512_fnmadd_##SUFFIX(_mm512_mul_##SUFFIX(x, y), y, one));        \
    const V h = _mm512_mul_##SUFFIX(x, y), rest = _mm512_fmsub_##SUFFIX(x, y, h);                \
    return rsqrt_better_##S(y, _mm512_fnmadd_##SUFFIX(rest, y, _mm512_fnmadd_##SUFFIX(h, y, one))); \
  }                                                                                              \
  INLINE V rsqrt_any_##S(V x)                                                                    \
  {                                                                                              \
    const MASK far = (MASK)root_far_##S(x);                                                      \
    V y = rsqrt_near_##S(x);                                                                     \
    if (far) {                                                                                   \
      T some[sizeof(V) / sizeof(T)];                                                             \
      _mm512_storeu_##SUFFIX(some, x);                                                           \
      for (size_t k = 0; k < sizeof some / sizeof *some; k++)                                    \
        some[k] = FAR(some[k]);                                                                  \
      y = _mm512_mask_loadu_##SUFFIX(y, far, some);                                              \
    }                                                                                            \
    return y;                                                                                    \
  }                                                                                              \
  static void rsqrt_##S##_row(int64_t n, T *o, const T *v)                                       \
  {                                                                                              \
    enum { LANES = sizeof(V) / sizeof(T) };                                                      \
    int64_t i = 0;                                                                               \
    for (; i + 4 * LANES <= n; i += 4 * LANES)                                                   \
      UNROLLED for (int k = 0; k < 4; k++)                                                       \
        _mm512_storeu_##SUFFIX(o + i + k * LANES, rsqrt_any_##S(_mm512_loadu_##SUFFIX(v + i + k * LANES))); \
    for (; i < n; i += LANES) {                                                                  \
      const MASK part = n - i < LANES ? (MASK)((1u << (n - i)) - 1) : (MASK)-1;                  \
      const V x = _mm512_mask_loadu_##SUFFIX(_mm512_set1_##SUFFIX(1), part, v + i);              \
      _mm512_mask_storeu_##SUFFIX(o + i, part, rsqrt_any_##S(x));                                \
    }                                                                                            \
  }                                                                                              \
  STRIDED1(rsqrt_##S, T, rsqrt_##S##_row)
#define UNROLLED _Pragma("GCC unroll 4")
RSQRT(f32, ps, __m512, float, __mmask16, 0, rsqrt_f)
RSQRT(f64, pd, __m512d, double, __mmask8, 1, rsqrt_d)
#undef RSQRT
#undef UNROLLED
