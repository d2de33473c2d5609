// SPDX-License-Identifier: BSD-3-Clause
/*
 * Points of the unit circle from real angles, which are products of two numbers. Included by functions.c alone, after trig.h.
 * Every instruction set; results side by side.
 */

#define BODY "backends/cpu/kernels/functions/phasor_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

#if defined(__AVX512F__)
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
  phasor_some_c64(n - i, o + i, x + i);
}
#else
#define phasor_f32_row phasor_some_c64
#endif

ROW_ENTRY(phasor_f32, phasor_by_f32(n, p, s, phasor_f32_row))
ROW_ENTRY(phasor_f64, phasor_by_f64(n, p, s, phasor_some_c128))
