// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of columns, and of rows a lane each (columns.h), one instruction set; built as kernels.c is. L1. */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>

#if defined __AVX2__ && defined __FMA__
#include "backends/cpu/kernels/transpose.h"

#define ALWAYS inline __attribute__((always_inline))

#define LOOPS "backends/cpu/kernels/fft/columns_loops.h"

/* Narrow vectors are for columns that are left over. */
#define SINGLE 1
#define WIDTH 128
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 0
#define WIDTH 128
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 0
#define WIDTH (8 * CPU_VECTOR)
#include "backends/cpu/kernels/fft/fft.h"
#undef LOOPS
#define LOOPS "backends/cpu/kernels/fft/rows.h"
#define SINGLE 1
#define WIDTH (8 * CPU_VECTOR)
#include "backends/cpu/kernels/fft/fft.h"

/* Vectors beside each other that are written row by row. Rows a power of two apart meet in few sets of the cache nearest to
 * the processor, where one line after the other waits for its place: then lines of several sets wait together. */
static int64_t beside(const cpu_columns *p, int64_t row, int64_t vector)
{
  return row % 512 == 0 && p->n * row > (96 << 10) ? 512 / vector : 1;
}

static ALWAYS void copy_rows(int64_t rows, int64_t count, int64_t size, char *to, int64_t to_row, const char *from,
                             int64_t from_row)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < count; k++)
      memcpy(to + i * to_row + k * size, from + i * from_row + k * size, (size_t)size);
}

/* Columns that do not fill a vector are copied to where there is room beside them. */
#define COLUMNS(T, WIDE, NARROW)                                                                                           \
  static void part_##T(const cpu_columns *p, int64_t count, bool back, const char *in, int64_t in_row, char *out,          \
                       int64_t out_row, T scale, T *tile, bool many)                                                       \
  {                                                                                                                        \
    char *room = (char *)(tile + p->n * ROW_##WIDE);                                                                       \
    const int64_t size = 2 * (int64_t)sizeof(T), row = (many ? ROW_##WIDE : ROW_##NARROW) * (int64_t)sizeof(T);            \
    copy_rows(p->n, count, size, room, row, in, in_row);                                                                   \
    (many ? columns_##WIDE : columns_##NARROW)(p, 1, back, room, row, room, row, scale, tile);                             \
    copy_rows(p->n, count, size, out, out_row, room, row);                                                                 \
  }                                                                                                                        \
  static void columns_##T(const cpu_columns *p, int64_t count, bool back, const char *in, int64_t in_row, char *out,       \
                          int64_t out_row, double scale, void *tile)                                                       \
  {                                                                                                                        \
    const int64_t wide = ROW_##WIDE / 2, narrow = ROW_##NARROW / 2, size = 2 * (int64_t)sizeof(T);                         \
    const int64_t most = beside(p, out_row, wide * size);                                                                  \
    for (int64_t i = 0, n; i < count; i += n) {                                                                            \
      const int64_t left = count - i;                                                                                      \
      const char *from = in + i * size;                                                                                    \
      char *to = out + i * size;                                                                                           \
      if (left >= wide) {                                                                                                  \
        n = left / wide < most ? left / wide : most;                                                                       \
        columns_##WIDE(p, n, back, from, in_row, to, out_row, (T)scale, tile);                                             \
        n *= wide;                                                                                                         \
      } else if (left <= wide / 2 && left >= narrow) {                                                                     \
        n = left / narrow;                                                                                                 \
        columns_##NARROW(p, n, back, from, in_row, to, out_row, (T)scale, tile);                                           \
        n *= narrow;                                                                                                       \
      } else {                                                                                                             \
        n = left;                                                                                                          \
        part_##T(p, n, back, from, in_row, to, out_row, (T)scale, tile, left > narrow);                                    \
      }                                                                                                                    \
    }                                                                                                                      \
  }

#if CPU_VECTOR == 64
COLUMNS(float, f16, f4)
COLUMNS(double, d8, d2)
const cpu_rows_set CPU_OF_SET(cpu_rows_) = { 16, rows_back_f16, rows_forward_f16, rows_filter_f16 };
#else
COLUMNS(float, f8, f4)
COLUMNS(double, d4, d2)
const cpu_rows_set CPU_OF_SET(cpu_rows_) = { 8, rows_back_f8, rows_forward_f8, rows_filter_f8 };
#endif

const cpu_columns_fn CPU_OF_SET(cpu_columns_)[2] = { columns_float, columns_double };
#else
const cpu_columns_fn CPU_OF_SET(cpu_columns_)[2] = { NULL, NULL };
const cpu_rows_set CPU_OF_SET(cpu_rows_) = { 0, NULL, NULL, NULL };
#endif
