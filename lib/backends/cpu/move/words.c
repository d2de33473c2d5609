// SPDX-License-Identifier: BSD-3-Clause
/*
 * Words of one size: memory filled with one of them, and the loops that move them. L1.
 *
 * Repeated bytes are the C library's; other words go by the processor's own instruction, which need not read the lines that
 * it overwrites and was found ahead of stores, also of those by non-temporal stores, from some pages on.
 */
#include "backends/cpu/move/words.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include <string.h>

/* Words of at most 8 bytes; returns the bytes done, a multiple of 8. */
static size_t repeat_by_instruction(void *to, size_t bytes, uint64_t words)
{
#if defined(__x86_64__) && defined(__GNUC__)
  enum { WORTH = 4096 };
  if (bytes < WORTH)
    return 0;
  size_t count = bytes / 8;
  __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(words) : "memory");
  return bytes / 8 * 8;
#else
  (void)to, (void)bytes, (void)words;
  return 0;
#endif
}

void cpu_repeat_word(void *to, size_t bytes, const void *word, size_t size)
{
  char pattern[16], *const o = to;
  for (size_t k = 0; k < sizeof pattern; k += size)
    memcpy(pattern + k, word, size);
  if (memcmp(pattern, pattern + 1, sizeof pattern - 1) == 0) {
    memset(to, pattern[0], bytes);
    return;
  }
  size_t done = 0;
  if (size <= 8) {
    uint64_t words;
    memcpy(&words, pattern, 8);
    done = repeat_by_instruction(to, bytes, words);
  }
  cpu_copy_k->repeat_pattern((int64_t)(bytes - done), o + done, pattern);
}

#define COPY(FN, T, BYTES)                                                          \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *q)        \
  {                                                                                 \
    (void)q;                                                                        \
    if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T)) {                 \
      cpu_copy_k->row(p[0], p[1], n * (int64_t)sizeof(T));                          \
      return;                                                                       \
    }                                                                               \
    if (s[0] == (int64_t)sizeof(T) && s[1] == 0 && n > 8) {                         \
      cpu_repeat_word(p[0], (size_t)n * sizeof(T), p[1], sizeof(T));                \
      return;                                                                       \
    }                                                                               \
    if (s[0] == BYTES && s[1] == 2 * BYTES && n > 8) {                              \
      cpu_copy_k->every_other[__builtin_ctz(BYTES)](n, p[0], p[1]);                 \
      return;                                                                       \
    }                                                                               \
    if (s[0] == BYTES && s[1] == -BYTES) {                                          \
      cpu_copy_k->reverse[__builtin_ctz(BYTES)](n, p[0], p[1]);                     \
      return;                                                                       \
    }                                                                               \
    for (int64_t i = 0; i < n; i++)                                                 \
      *(T *)(void *)(p[0] + i * s[0]) = *(const T *)(const void *)(p[1] + i * s[1]); \
  }
COPY(copy_1, uint8_t, 1)
COPY(copy_2, uint16_t, 2)
COPY(copy_4, uint32_t, 4)
COPY(copy_8, cpu_word64, 8)
typedef struct wide { uint64_t a, b; } wide;
COPY(copy_16, wide, 16)

hed__map_fn cpu_copy_loop(int64_t size)
{
  return size == 1 ? copy_1 : size == 2 ? copy_2 : size == 4 ? copy_4 : size == 8 ? copy_8 : copy_16;
}
