// SPDX-License-Identifier: BSD-3-Clause
/*
 * Includes the file EACH for float32 and for float64, with names for the vectors of AVX-512 and what is done to them.
 *
 *   T, V, M              the type, a vector, a mask of its lanes
 *   L(s), K(s)           names of a part and of a loop of this type
 *   P(s), U(s)           instructions on numbers and on their bits
 *   CMP(a, b, how), AT_LEAST(a, b)   comparisons of numbers and of bits as integers
 *   CLASS(v, kinds)      which are zeros, infinities and so on
 *   LOOK_UP(table, i), FEW(table, i)   entries of a table of sixteen by the low bits of an index, and of one of a vector
 *   BITS(v), NUMBERS(b)  one as the other
 *   MANTISSA             bits behind the point
 *   LEAST, NEAR          the first normal number; from where on one divided by its power of two is not normal
 *
 * Tables of factors c near 1/m for numbers 2^e m, m within 1/32 of a multiple of 1/16, have these times the largest power of two, so
 * that taking away the bits of an exponent divides by that power.
 * AVX-512 alone.
 */
#include <immintrin.h>

#ifndef HED_BACKENDS_CPU_K_EACH512_H
#define HED_BACKENDS_CPU_K_EACH512_H
/*
 * NAME by LANES_OF, of a vector x. FAR has the lanes which that does not serve; vectors with any are for ANY, which may call, between
 * two runs of others: constants stay in registers, which they leave where a loop calls something or has a part that not all passes
 * reach.
 */
#define NEAR_ROW512(NAME, TYPE, VECTOR, MASK, OP, LANES_OF, FAR, ANY)                            \
  static void NAME##_row(int64_t n, TYPE *o, const TYPE *v)                                      \
  {                                                                                              \
    enum { LANES = sizeof(VECTOR) / sizeof(TYPE) };                                              \
    for (int64_t i = 0; i < n; i += LANES) {                                                     \
      for (; i + LANES <= n; i += LANES) {                                                       \
        const VECTOR x = OP(loadu)(v + i), y = LANES_OF;                                         \
        if (__builtin_expect((FAR) != 0, 0))                                                     \
          break;                                                                                 \
        OP(storeu)(o + i, y);                                                                    \
      }                                                                                          \
      if (i == n)                                                                                \
        break;                                                                                   \
      const MASK part = n - i < LANES ? (MASK)((1u << (n - i)) - 1) : (MASK)-1;                  \
      const VECTOR x = OP(mask_loadu)(OP(set1)(1), part, v + i);                                 \
      OP(mask_storeu)(o + i, part, ANY);                                                         \
    }                                                                                            \
  }                                                                                              \
  STRIDED1(NAME, TYPE, NAME##_row)
/* Y, which has no sign, with that of X. */
#define SIGNED_AS(y, x) P(or)(y, P(and)(x, P(set1)(-0.0f)))
#define NEAR_ROW(NAME, LANES_OF, FAR, ANY) NEAR_ROW512(NAME, T, V, M, P, LANES_OF, FAR, ANY)
#endif

#define T float
#define V __m512
#define M __mmask16
#define L(name) name##_f
#define K(name) name##_f32
#define P(name) _mm512_##name##_ps
#define U(name) _mm512_##name##_epi32
#define CMP _mm512_cmp_ps_mask
#define AT_LEAST _mm512_cmpge_epu32_mask
#define LOOK_UP(table, index) _mm512_permutexvar_ps(index, _mm512_load_ps(table))
#define FEW LOOK_UP
#define CLASS _mm512_fpclass_ps_mask
#define BITS _mm512_castps_si512
#define NUMBERS _mm512_castsi512_ps
#define MANTISSA 23
#define LEAST 0x1p-126f
#define NEAR 0x1p125f
#include EACH
#include "backends/cpu/kernels/functions/each_end.h"

#define T double
#define V __m512d
#define M __mmask8
#define L(name) name##_d
#define K(name) name##_f64
#define P(name) _mm512_##name##_pd
#define U(name) _mm512_##name##_epi64
#define CMP _mm512_cmp_pd_mask
#define AT_LEAST _mm512_cmpge_epu64_mask
#define LOOK_UP(table, index) _mm512_permutex2var_pd(_mm512_load_pd(table), index, _mm512_load_pd((table) + 8))
#define FEW(table, index) _mm512_permutexvar_pd(index, _mm512_load_pd(table))
#define CLASS _mm512_fpclass_pd_mask
#define BITS _mm512_castpd_si512
#define NUMBERS _mm512_castsi512_pd
#define MANTISSA 52
#define LEAST 0x1p-1022
#define NEAR 0x1p1021
#include EACH
#include "backends/cpu/kernels/functions/each_end.h"
#undef EACH
