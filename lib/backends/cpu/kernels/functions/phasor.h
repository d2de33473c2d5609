// SPDX-License-Identifier: BSD-3-Clause
/*
 * Points of the unit circle from real angles, which are products of two numbers. Included by functions.c alone, after trig.h.
 * Every instruction set; results side by side.
 */

/* cos and sin of N angles, at most MATH_BLOCK of them. */
#define PHASOR_ROW(NAME, C, T, SINE, FABS, LARGE, SINF, COSF)                                    \
  INLINE void NAME##_row(int64_t n, C *restrict o, const T *x)                                   \
  {                                                                                              \
    int large = 0;                                                                               \
    for (int64_t j = 0; j < n; j++)                                                              \
      large |= !(FABS(x[j]) <= (LARGE));                                                         \
    IVDEP for (int64_t j = 0; j < n; j++) {                                                      \
      o[j].re = SINE(x[j], 1);                                                                   \
      o[j].im = SINE(x[j], 0);                                                                   \
    }                                                                                            \
    for (int64_t j = 0; large && j < n; j++)                                                     \
      if (!(FABS(x[j]) <= (LARGE)))                                                              \
        o[j] = (C){ COSF(x[j]), SINF(x[j]) };                                                    \
  }

#if defined(__AVX512F__)
PHASOR_ROW(phasor_some, c64, float, sin_f, __builtin_fabsf, LARGE_F, sinf, cosf)

INLINE void phasor_f32_row(int64_t n, c64 *restrict o, const float *x)
{
  enum { LANES = 16 };
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  __m512i far = _mm512_setzero_si512();
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    __m512 s, c;
    trig_both_ps(_mm512_loadu_ps(x + i), &s, &c, &far);
    _mm512_storeu_ps(o + i, _mm512_permutex2var_ps(c, low, s));
    _mm512_storeu_ps(o + i + LANES / 2, _mm512_permutex2var_ps(c, high, s));
  }
  if (_mm512_test_epi32_mask(far, _mm512_set1_epi32(TURNS_FAR)))
    i = 0;
  phasor_some_row(n - i, o + i, x + i);
}
#else
PHASOR_ROW(phasor_f32, c64, float, sin_f, __builtin_fabsf, LARGE_F, sinf, cosf)
#endif
PHASOR_ROW(phasor_f64, c128, double, sin_d, __builtin_fabs, LARGE_D, sin, cos)

#define PHASOR(NAME, C, T)                                                                       \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    T x[MATH_BLOCK];                                                                             \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                 \
      const char *a = p[1] + i * s[1], *b = p[2] + i * s[2];                                     \
      if (s[1] == 0 && s[2] == sizeof(T)) {                                                      \
        const T one = *(const T *)(const void *)a;                                               \
        for (int64_t j = 0; j < m; j++)                                                          \
          x[j] = one * ((const T *)(const void *)b)[j];                                          \
      } else {                                                                                   \
        for (int64_t j = 0; j < m; j++)                                                          \
          x[j] = *(const T *)(const void *)(a + j * s[1]) * *(const T *)(const void *)(b + j * s[2]); \
      }                                                                                          \
      NAME##_row(m, (C *)(void *)p[0] + i, x);                                                   \
    }                                                                                            \
  }

PHASOR(phasor_f32, c64, float)
PHASOR(phasor_f64, c128, double)
