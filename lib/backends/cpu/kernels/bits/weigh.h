// SPDX-License-Identifier: BSD-3-Clause
/*
 * Which bits of rows of words outweigh the others, with sums of weights in T of S bits: a sum for each bit of up to BLOCK words,
 * to which a row's weight is added where its bit is set. Included by bits.c alone, which says what HALF and TIED are.
 *
 * AVX-512 takes the bits of a word as masks; elsewhere each lane picks its own from a copy of them.
 */
#ifndef HED_BACKENDS_CPU_K_WEIGH_H
#define HED_BACKENDS_CPU_K_WEIGH_H
#if defined(__AVX512BW__)
#define LANES_16 __mmask32
#define LANES_32 __mmask16
#define SPREAD(S, w) CPU_JOIN(_mm512_set1_epi, S)(w)
#define MASKED_ADD(S, sum, bits, w) CPU_JOIN(_mm512_mask_add_epi, S)(sum, bits, sum, w)
#define ABOVE(S, a, b) CPU_JOIN3(_mm512_cmpgt_epi, S, _mask)(a, b)
#define SAME(S, a, b) CPU_JOIN3(_mm512_cmpeq_epi, S, _mask)(a, b)
#endif
#define CPU_JOIN3_(a, b, c) a##b##c
#define CPU_JOIN3(a, b, c) CPU_JOIN3_(a, b, c)
#endif

#if defined(__AVX512BW__)
#define PER (512 / S)            /* sums in a register */
#define LANES CPU_JOIN(LANES_, S)
/* COUNT, a constant, of words. */
INLINE void CPU_JOIN(weigh_block_, S)(int count, int64_t n, uint64_t *out, const char *x, int64_t step, const int32_t *weights,
                                      int64_t half, uint64_t tied, const uint64_t *ties)
{
  enum { PARTS = CPU_WORD_BITS / PER };
  __m512i sum[2 * PARTS];
  for (int k = 0; k < count * PARTS; k++)
    sum[k] = _mm512_setzero_si512();
  for (int64_t r = 0; r < n; r++, x += step) {
    const __m512i w = SPREAD(S, (T)weights[r]);
    const LANES *bits = (const void *)x;
#pragma GCC unroll 16
    for (int k = 0; k < count * PARTS; k++)
      sum[k] = MASKED_ADD(S, sum[k], bits[k], w);
  }
  const __m512i h = SPREAD(S, (T)half);
  for (int k = 0; k < count; k++) {
    uint64_t more = 0, even = 0;
    for (int p = 0; p < PARTS; p++) {
      more |= (uint64_t)ABOVE(S, sum[k * PARTS + p], h) << p * PER;
      even |= (uint64_t)SAME(S, sum[k * PARTS + p], h) << p * PER;
    }
    out[k] = more | (ties ? even & tied & ties[k] : 0);
  }
}

static void CPU_JOIN(weigh_, S)(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const int32_t *weights,
                                int64_t half, uint64_t tied, const uint64_t *ties)
{
  int64_t k = 0;
  for (; k + 2 <= words; k += 2)
    CPU_JOIN(weigh_block_, S)(2, n, out + k, (const void *)(x + k), step, weights, half, tied, ties ? ties + k : NULL);
  for (; k < words; k++)
    CPU_JOIN(weigh_block_, S)(1, n, out + k, (const void *)(x + k), step, weights, half, tied, ties ? ties + k : NULL);
}
#undef PER
#undef LANES
#else
static void CPU_JOIN(weigh_, S)(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const int32_t *weights,
                                int64_t half, uint64_t tied, const uint64_t *ties)
{
  typedef T sums __attribute__((vector_size(CPU_VECTOR)));
  enum { LANES = CPU_VECTOR / sizeof(T), PARTS = CPU_WORD_BITS / LANES };
  sums bit;
  for (int i = 0; i < LANES; i++)
    bit[i] = (T)(1U << i);
  for (int64_t k = 0; k < words; k++) {
    const char *row = (const void *)(x + k);
    sums part[PARTS] = { { 0 } };
    for (int64_t r = 0; r < n; r++, row += step) {
      uint64_t word;
      memcpy(&word, row, sizeof word);
      const sums w = (T)weights[r] - (sums){ 0 };
#pragma GCC unroll 16
      for (int p = 0; p < PARTS; p++)
        part[p] += w & ((bit & (T)(word >> p * LANES)) == bit);
    }
    T sum[CPU_WORD_BITS];
    memcpy(sum, part, sizeof sum);
    uint64_t more = 0, even = 0;
    for (int i = 0; i < CPU_WORD_BITS; i++) {
      more |= (uint64_t)(sum[i] > half) << i;
      even |= (uint64_t)(sum[i] == half) << i;
    }
    out[k] = more | (ties ? even & tied & ties[k] : 0);
  }
}
#endif
#undef T
#undef S
