// SPDX-License-Identifier: BSD-3-Clause
/*
 * Includes BODY for float32 and for float64, as lanes/for_reals.h, with names for what is done to the vectors of AVX-512.
 *
 *   P(s), U(s)           instructions on numbers and on their bits
 *   CMP(a, b, how), AT_LEAST(a, b)   comparisons of numbers and of bits as integers
 *   CLASS(v, kinds)      which are zeros, infinities and so on
 *   LOOK_UP(table, i), FEW(table, i)   entries of a table of sixteen by the low bits of an index, and of one of a vector
 *   BITS(v), NUMBERS(b)  one as the other
 *   SIGNED_AS(y, x)      y, which has no sign, with that of x
 *   MANTISSA             bits behind the point
 *   LEAST, NEAR          the first normal number; from where on one divided by its power of two is not normal
 *
 * Tables of factors c near 1/m for numbers 2^e m, m within 1/32 of a multiple of 1/16, have these times the largest power of two, so
 * that taking away the bits of an exponent divides by that power.
 * AVX-512 alone.
 */
#define P(name) CPU_JOIN(_mm512_##name##_, PS)
#define U(name) CPU_JOIN(_mm512_##name##_, PICK(epi32, epi64))
#define CMP CPU_JOIN(CPU_JOIN(_mm512_cmp_, PS), _mask)
#define AT_LEAST PICK(_mm512_cmpge_epu32_mask, _mm512_cmpge_epu64_mask)
#define FEW(table, index) CPU_JOIN(_mm512_permutexvar_, PS)(index, CPU_JOIN(_mm512_load_, PS)(table))
#define LOOK_UP_TWO(table, index) _mm512_permutex2var_pd(_mm512_load_pd(table), index, _mm512_load_pd((table) + 8))
#define LOOK_UP(table, index) PICK(FEW, LOOK_UP_TWO)(table, index)
#define CLASS CPU_JOIN(CPU_JOIN(_mm512_fpclass_, PS), _mask)
#define BITS PICK(_mm512_castps_si512, _mm512_castpd_si512)
#define NUMBERS PICK(_mm512_castsi512_ps, _mm512_castsi512_pd)
#define SIGNED_AS(y, x) P(or)(y, P(and)(x, P(set1)(-0.0f)))
#define MANTISSA PICK(23, 52)
#define LEAST PICK(0x1p-126f, 0x1p-1022)
#define NEAR PICK(0x1p125f, 0x1p1021)
#include "backends/cpu/kernels/lanes/for_reals.h"
#undef P
#undef U
#undef CMP
#undef AT_LEAST
#undef FEW
#undef LOOK_UP_TWO
#undef LOOK_UP
#undef CLASS
#undef BITS
#undef NUMBERS
#undef SIGNED_AS
#undef MANTISSA
#undef LEAST
#undef NEAR
