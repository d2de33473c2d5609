// SPDX-License-Identifier: BSD-3-Clause
/*
 * Words of packed bits, compiled once per instruction set like kernels.h. L1.
 */
#ifndef HED_BACKENDS_CPU_BITS_H
#define HED_BACKENDS_CPU_BITS_H

#include <stdint.h>

enum { CPU_WORD_BITS = 64, CPU_HAMMING_ROWS = 4 };

typedef struct cpu_bits_loops {
  /* N bytes, 1 where they are not 0, as bits of ceil(n / 64) words; and back to bytes of 0 and 1. */
  void (*pack)(int64_t n, uint64_t *words, const unsigned char *bytes);
  void (*unpack)(int64_t n, unsigned char *bytes, const uint64_t *words);
  /* Bits in which the N words of X differ from those of each row of Y. */
  void (*hamming)(int64_t n, const uint64_t *x, const uint64_t *const y[CPU_HAMMING_ROWS], int32_t count[CPU_HAMMING_ROWS]);
  /* WORDS words of what most of N rows have, which are STEP bytes apart; TIES: NULL for zeros. */
  void (*majority)(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const uint64_t *ties);
  /* As majority, of rows with weights; the sum of their moduli is below 2^31. */
  void (*weigh)(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const int32_t *weights,
                const uint64_t *ties);
} cpu_bits_loops;

/* POPCOUNT: of avx512, with its instruction that counts bits. */
extern const cpu_bits_loops cpu_bits_base, cpu_bits_avx2, cpu_bits_avx512, cpu_bits_popcount;

/* The set in use; chosen in the entry function. */
extern const cpu_bits_loops *cpu_bits;

#endif
