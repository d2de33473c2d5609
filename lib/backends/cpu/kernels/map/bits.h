// SPDX-License-Identifier: BSD-3-Clause
/*
 * Bits that are set: count_ones, and count_zeros, which is that of the complement. Included by functions.c alone.
 *
 * Where the processor has shuffles of bytes, those of half a byte come from a table of sixteen in a register, and bytes are
 * added by instructions made for that (W. Mula, N. Kurz, D. Lemire, Faster population counts using AVX2 instructions, The
 * Computer Journal 61, 2018). Else sums of 1, 2 and 4 bits are made side by side.
 * Every instruction set; contiguous integers.
 */
#if defined(__AVX512BW__)
typedef __m512i bit_vector;
#define BITS(op) _mm512_##op
#define BITS_LOAD(p) _mm512_loadu_si512(p)
#define BITS_STORE(p, v) _mm512_storeu_si512(p, v)
#define BITS_LOGIC(op) _mm512_##op##_si512
#define BITS_TABLE(table) _mm512_broadcast_i32x4(table)
#elif defined(__AVX2__)
typedef __m256i bit_vector;
#define BITS(op) _mm256_##op
#define BITS_LOAD(p) _mm256_loadu_si256((const void *)(p))
#define BITS_STORE(p, v) _mm256_storeu_si256((void *)(p), v)
#define BITS_LOGIC(op) _mm256_##op##_si256
#define BITS_TABLE(table) _mm256_broadcastsi128_si256(table)
#endif

#if defined(BITS)
/* Of each element of V ^ FLIP. */
INLINE bit_vector ones_in(bit_vector v, bit_vector flip, int bytes)
{
  const bit_vector table = BITS_TABLE(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const bit_vector half = BITS(set1_epi8)(0x0f), one = BITS(set1_epi8)(1);
  v = BITS_LOGIC(xor)(v, flip);
  const bit_vector low = BITS_LOGIC(and)(v, half), high = BITS_LOGIC(and)(BITS(srli_epi16)(v, 4), half);
  v = BITS(add_epi8)(BITS(shuffle_epi8)(table, low), BITS(shuffle_epi8)(table, high));
  if (bytes == 8)
    return BITS(sad_epu8)(v, BITS_LOGIC(xor)(v, v));
  if (bytes >= 2)
    v = BITS(maddubs_epi16)(v, one);
  return bytes == 4 ? BITS(madd_epi16)(v, BITS(set1_epi16)(1)) : v;
}

/* Of contiguous elements; how many of the N are done. */
INLINE int64_t bits_row(int64_t n, char *o, const char *x, int bytes, int flip)
{
  const int64_t size = sizeof(bit_vector), all = n * bytes / size * size;
  const bit_vector flips = BITS(set1_epi8)((char)flip);
  for (int64_t i = 0; i < all; i += size)
    BITS_STORE(o + i, ones_in(BITS_LOAD(x + i), flips, bytes));
  return all / bytes;
}
#else
#define bits_row(n, o, x, bytes, flip) ((void)(flip), 0)
#endif

#define BODY "backends/cpu/kernels/map/bits_wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"
