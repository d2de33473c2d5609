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
#include <immintrin.h>
typedef __m512i bit_vector;
#define BITS(op) _mm512_##op
#define BITS_LOAD(p) _mm512_loadu_si512(p)
#define BITS_STORE(p, v) _mm512_storeu_si512(p, v)
#define BITS_LOGIC(op) _mm512_##op##_si512
#define BITS_TABLE(table) _mm512_broadcast_i32x4(table)
#elif defined(__AVX2__)
#include <immintrin.h>
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
#define bits_row(n, o, x, bytes, flip) 0
#endif

#define ONES(T, S, U)                                                                            \
  INLINE T ones_##S(T v)                                                                         \
  {                                                                                              \
    U x = (U)v;                                                                                  \
    x = (U)(x - (x >> 1 & (U)0x5555555555555555));                                               \
    x = (U)((x & (U)0x3333333333333333) + (x >> 2 & (U)0x3333333333333333));                     \
    x = (U)((x + (x >> 4)) & (U)0x0f0f0f0f0f0f0f0f);                                             \
    for (unsigned shift = 8; shift < 8 * sizeof(U); shift *= 2)                                  \
      x = (U)(x + (x >> (shift & (8 * sizeof(U) - 1))));                                         \
    return (T)(x & 0x7f);                                                                        \
  }                                                                                              \
  COUNT_BITS(count_ones_##S, T, ones_##S(a), 0)                                                  \
  COUNT_BITS(count_zeros_##S, T, ones_##S((T)~a), -1)

#define COUNT_BITS(NAME, T, EXPR, FLIP)                                                          \
  LOOP1(NAME##_each, T, T, EXPR)                                                                \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    const int64_t size = sizeof(T);                                                              \
    const int64_t done = s[0] == size && s[1] == size ? bits_row(n, p[0], p[1], sizeof(T), FLIP) : 0; \
    NAME##_each(n - done, (char *const[]){ p[0] + done * s[0], p[1] + done * s[1] }, s, params); \
  }

ONES(int8_t, i8, uint8_t)
ONES(int16_t, i16, uint16_t)
ONES(int32_t, i32, uint32_t)
ONES(int64_t, i64, uint64_t)
ONES(uint8_t, u8, uint8_t)
ONES(uint16_t, u16, uint16_t)
ONES(uint32_t, u32, uint32_t)
ONES(uint64_t, u64, uint64_t)
