// SPDX-License-Identifier: BSD-3-Clause
/*
 * True elements of columns side by side, counted by rows as they lie, one instruction set; built as kernels.c is. L1.
 *
 * Elements are words, of which the signs do not count.
 */
#include "backends/cpu/kernels/reduce/bool_columns.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>

enum { VECTOR = CPU_VECTOR, SHORT = 16 };
enum { TILE = 4 }; /* vectors side by side, in registers while rows go by */

/* N columns, several vectors V of W elements side by side, from column K on; K goes along. */
#define VECTORS(V, W, T, M, SIDE_BY_SIDE)                                                                             \
  for (; k + SIDE_BY_SIDE * W <= n; k += SIDE_BY_SIDE * W) {                                                          \
    const char *p = x + k * (int64_t)sizeof(T);                                                                       \
    V count[SIDE_BY_SIDE] = { { 0 } };                                                                                \
    T each[SIDE_BY_SIDE * W];                                                                                         \
    for (int64_t r = 0; r < rows; r++, p += step)                                                                     \
      UNROLL for (int v = 0; v < SIDE_BY_SIDE; v++)                                                                   \
        count[v] -= (*(const V *)(const void *)(p + v * (int)sizeof(V)) & (T)(M)) != 0;                               \
    memcpy(each, count, sizeof each);                                                                                 \
    for (int i = 0; i < SIDE_BY_SIDE * W; i++)                                                                        \
      word[k + i] += each[i];                                                                                         \
  }

/* As many rows as MOST fit into the count of a column. */
#define COLUMNS(S, T, M, MOST)                                                                                        \
  typedef T vector_##S __attribute__((vector_size(VECTOR), aligned(1), may_alias));                                   \
  typedef T short_##S __attribute__((vector_size(SHORT), aligned(1), may_alias));                                     \
  static void some_##S(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *word)                          \
  {                                                                                                                   \
    enum { W = VECTOR / sizeof(T), FEW = SHORT / sizeof(T) };                                                         \
    int64_t k = 0;                                                                                                    \
    VECTORS(vector_##S, W, T, M, TILE)                                                                                \
    VECTORS(vector_##S, W, T, M, 1)                                                                                   \
    VECTORS(short_##S, FEW, T, M, 1)                                                                                  \
    for (; k < n; k++)                                                                                                \
      for (int64_t r = 0; r < rows; r++) {                                                                            \
        T one;                                                                                                        \
        memcpy(&one, x + r * step + k * (int64_t)sizeof one, sizeof one);                                             \
        word[k] += (one & (T)(M)) != 0;                                                                               \
      }                                                                                                               \
  }                                                                                                                   \
  static void columns_##S(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *word)                       \
  {                                                                                                                   \
    for (int64_t r = 0; r < rows; r += (MOST))                                                                        \
      some_##S(rows - r < (MOST) ? rows - r : (MOST), n, x + r * step, step, word);                                   \
  }

COLUMNS(u8, uint8_t, 0xff, 255)
COLUMNS(u16, uint16_t, 0xffff, 65535)
COLUMNS(u32, uint32_t, 0xffffffffu, 1 << 30)
COLUMNS(u64, uint64_t, 0xffffffffffffffffu, 1 << 30)
COLUMNS(half, uint16_t, 0x7fff, 65535)
COLUMNS(f32, uint32_t, 0x7fffffffu, 1 << 30)
COLUMNS(f64, uint64_t, 0x7fffffffffffffffu, 1 << 30)
COLUMNS(c64, uint64_t, 0x7fffffff7fffffffu, 1 << 30)

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
  [HED_ID_BOOL] = columns_u8,      [HED_ID_INT8] = columns_u8,       [HED_ID_INT16] = columns_u16,
  [HED_ID_INT32] = columns_u32,    [HED_ID_INT64] = columns_u64,     [HED_ID_UINT8] = columns_u8,
  [HED_ID_UINT16] = columns_u16,   [HED_ID_UINT32] = columns_u32,    [HED_ID_UINT64] = columns_u64,
  [HED_ID_FLOAT16] = columns_half, [HED_ID_BFLOAT16] = columns_half, [HED_ID_FLOAT32] = columns_f32,
  [HED_ID_FLOAT64] = columns_f64,  [HED_ID_COMPLEX64] = columns_c64,
  [HED_ID_COMPLEX128] = columns_c128,
};
