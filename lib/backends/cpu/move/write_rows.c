// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short rows that are apart, or repeated, next to each other. L1.
 *
 * One row that is repeated often is written by ever more of it, longer rows by a copy of each.
 */
#include "backends/cpu/move/write_rows.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/move/words.h"
#include <string.h>

/* The usual widths are constants: a loop of three that does not know it takes as long as ten stores. */
#define GATHER_ROWS(T, WIDTH)                                                                              \
  for (int64_t r = 0; r < rows; r++, from += row_step, to += (WIDTH)) {                                    \
    const T x = *(const T *)(const void *)from;                                                            \
    for (int64_t c = 0; c < (WIDTH); c++)                                                                  \
      to[c] = step == 0 ? x : *(const T *)(const void *)(from + c * step);                                 \
  }
#define GATHER(T)                                                                                          \
  static inline __attribute__((always_inline)) void gather_rows_##T(int64_t rows, int64_t width, T *to, const char *from, \
                                                                    int64_t row_step, const int64_t step)  \
  {                                                                                                        \
    switch (width) {                                                                                       \
    case 2: GATHER_ROWS(T, 2) break;                                                                       \
    case 3: GATHER_ROWS(T, 3) break;                                                                       \
    case 4: GATHER_ROWS(T, 4) break;                                                                       \
    case 5: GATHER_ROWS(T, 5) break;                                                                       \
    case 6: GATHER_ROWS(T, 6) break;                                                                       \
    case 7: GATHER_ROWS(T, 7) break;                                                                       \
    case 8: GATHER_ROWS(T, 8) break;                                                                       \
    default: GATHER_ROWS(T, width)                                                                         \
    }                                                                                                      \
  }                                                                                                        \
  static void gather_##T(int64_t rows, int64_t width, void *to, const char *from, int64_t row_step, int64_t step) \
  {                                                                                                        \
    if (step == 0)                                                                                         \
      gather_rows_##T(rows, width, to, from, row_step, 0);                                                 \
    else if (step == (int64_t)sizeof(T))                                                                   \
      gather_rows_##T(rows, width, to, from, row_step, sizeof(T));                                         \
    else                                                                                                   \
      gather_rows_##T(rows, width, to, from, row_step, step);                                              \
  }
/* Elements may lie anywhere. */
typedef uint16_t word16 __attribute__((aligned(1), may_alias));
typedef uint32_t word32 __attribute__((aligned(1), may_alias));
typedef uint64_t word64 __attribute__((aligned(1), may_alias));
typedef struct word128 { word64 a, b; } word128;
GATHER(uint8_t)
GATHER(word16)
GATHER(word32)
GATHER(word64)
GATHER(word128)

static void (*const gather[])(int64_t, int64_t, void *, const char *, int64_t, int64_t) = {
  gather_uint8_t, gather_word16, gather_word32, gather_word64, gather_word128
};

void cpu_write_rows(int64_t rows, int64_t width, int64_t size, char *to, const char *from, int64_t row_step, int64_t step)
{
  enum { OFTEN = 32, LONG = 16, FEW_REPEATED = 8, /* elements that are repeated less often: see GATHER() */
         SMALL = 256 };                           /* bytes that take less time than two calls */
  const int64_t bytes = width * size;
  if (row_step == 0 && step == size && (rows >= OFTEN || rows * bytes > SMALL)) {
    memcpy(to, from, (size_t)bytes);
    if (rows < OFTEN)
      cpu_copy_k->repeat_row(rows, bytes, to);
    else
      for (int64_t have = 1; have < rows; have *= 2)
        memcpy(to + have * bytes, to, (size_t)(CPU_MIN(have, rows - have) * bytes));
    return;
  }
  if (step == 0 && width > FEW_REPEATED && size <= 8) {
    cpu_copy_k->repeat_widely[__builtin_ctzll((uint64_t)size)](rows, width, to, from, row_step);
    return;
  }
  if (width <= LONG) {
    gather[__builtin_ctzll((uint64_t)size)](rows, width, to, from, row_step, step);
    return;
  }
  const hed__map_fn copy = cpu_copy_loop(size);
  for (int64_t r = 0; r < rows; r++, to += bytes, from += row_step)
    copy(width, (char *[]){ to, (char *)from }, (int64_t[]){ size, step }, NULL);
}
