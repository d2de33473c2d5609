// SPDX-License-Identifier: BSD-3-Clause
/*
 * Radix sorts (sort.h). L1.
 *
 * Digits of 11 bits; the histograms of all digits are counted in one pass, and a digit in which all
 * keys agree is skipped. Short lists are sorted by insertion.
 */
#include "backends/cpu/sort/sort.h"
#include "backends/cpu/cpu.h"
#include <string.h>

enum { DIGIT_BITS = 11, BINS = 1 << DIGIT_BITS, INSERTION_ELEMENTS = 48 };

/* The body of a sort of words of type T, which has BITS bits. */
#define RADIX(T, BITS)                                                                          \
  {                                                                                             \
    enum { DIGITS = (BITS + DIGIT_BITS - 1) / DIGIT_BITS };                                               \
    if (n <= INSERTION_ELEMENTS) {                                                                           \
      for (int64_t i = 1; i < n; i++) {                                                         \
        const T x = list[i];                                                                    \
        int64_t k = i;                                                                          \
        for (; k > 0 && list[k - 1] > x; k--)                                                   \
          list[k] = list[k - 1];                                                                \
        list[k] = x;                                                                            \
      }                                                                                         \
      return list;                                                                              \
    }                                                                                           \
    CPU_IN_ROOM(int64_t, counts, DIGITS * BINS);                                                \
    int64_t (*const count)[BINS] = (int64_t (*)[BINS])counts;                                   \
    memset(count, 0, DIGITS * sizeof *count);                                                   \
    for (int64_t i = 0; i < n; i++) {                                                           \
      T k = list[i];                                                                            \
      for (int d = 0; d < DIGITS; d++, k >>= DIGIT_BITS)                                             \
        count[d][k & (BINS - 1)]++;                                                             \
    }                                                                                           \
    for (int d = 0; d < DIGITS; d++) {                                                          \
      const int shift = d * DIGIT_BITS;                                                              \
      int64_t at = 0;                                                                           \
      if (count[d][list[0] >> shift & (BINS - 1)] == n)                                         \
        continue;                                                                               \
      for (int b = 0; b < BINS; b++) {                                                          \
        int64_t c = count[d][b];                                                                \
        count[d][b] = at;                                                                       \
        at += c;                                                                                \
      }                                                                                         \
      for (int64_t i = 0; i < n; i++)                                                           \
        spare[count[d][list[i] >> shift & (BINS - 1)]++] = list[i];                             \
      T *t = list;                                                                              \
      list = spare;                                                                             \
      spare = t;                                                                                \
    }                                                                                           \
    return list;                                                                                \
  }

uint32_t *cpu_sort_u32(int64_t n, uint32_t *list, uint32_t *spare)
RADIX(uint32_t, 32)

uint64_t *cpu_sort_u64(int64_t n, uint64_t *list, uint64_t *spare)
RADIX(uint64_t, 64)
