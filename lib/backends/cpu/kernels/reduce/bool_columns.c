// SPDX-License-Identifier: BSD-3-Clause
/*
 * True elements of columns side by side, counted by rows as they lie, one instruction set; built as kernels.c is. L1.
 *
 * Elements are words, of which the signs do not count.
 */
#include "backends/cpu/kernels/lanes/lanes.h"
#include "backends/cpu/kernels/reduce/bool_columns.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>

enum { VECTOR = CPU_VECTOR, SHORT = 16 };
enum { TILE = 4 }; /* vectors side by side, in registers while rows go by */

#define BODY "backends/cpu/kernels/reduce/columns_of_words.h"
#include "backends/cpu/kernels/lanes/for_words.h"

#define COLUMNS(S, BITS, M)                                                                                           \
  static void columns_##S(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *word)                       \
  {                                                                                                                   \
    columns_u##BITS(rows, n, x, step, M, word);                                                                       \
  }
COLUMNS(w8, 8, 0xff)
COLUMNS(w16, 16, 0xffff)
COLUMNS(w32, 32, 0xffffffffu)
COLUMNS(w64, 64, 0xffffffffffffffffu)
COLUMNS(half, 16, 0x7fff)
COLUMNS(f32, 32, 0x7fffffffu)
COLUMNS(f64, 64, 0x7fffffffffffffffu)
COLUMNS(c64, 64, 0x7fffffff7fffffffu)

/* Two words each. */
static void columns_c128(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *word)
{
  for (int64_t r = 0; r < rows; r++, x += step) {
    const double *v = (const double *)(const void *)x;
    for (int64_t k = 0; k < n; k++)
      word[k] += (uint64_t)((v[2 * k] != 0) | (v[2 * k + 1] != 0));
  }
}

const cpu_bool_fn CPU_OF_SET(cpu_bool_columns_)[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_BOOL] = columns_w8,      [HED_ID_INT8] = columns_w8,       [HED_ID_INT16] = columns_w16,
  [HED_ID_INT32] = columns_w32,    [HED_ID_INT64] = columns_w64,     [HED_ID_UINT8] = columns_w8,
  [HED_ID_UINT16] = columns_w16,   [HED_ID_UINT32] = columns_w32,    [HED_ID_UINT64] = columns_w64,
  [HED_ID_FLOAT16] = columns_half, [HED_ID_BFLOAT16] = columns_half, [HED_ID_FLOAT32] = columns_f32,
  [HED_ID_FLOAT64] = columns_f64,  [HED_ID_COMPLEX64] = columns_c64,
  [HED_ID_COMPLEX128] = columns_c128,
};
