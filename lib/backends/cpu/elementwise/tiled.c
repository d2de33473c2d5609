// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops over operands whose axes lie in different orders. L1.
 *
 * Where an operand is contiguous along another axis than the result, the two axes are cut into tiles. The operand's part of
 * a tile is transposed into a buffer in the cache, so that the loop walks contiguous rows. Where all operands lie alike, the
 * loop goes their way into a buffer, and that is transposed into the result.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/elementwise/layout.h"
#include "backends/cpu/runtime/parallel.h"

enum { MOST = CPU_MAP_MOST, BUFFER = 16384, WIDEST = 8 /* bytes */ };

typedef struct tiles {
  hed__map_fn fn;
  const void *params;
  hed__nest outer;            /* without the two axes, and with one of one element */
  int32_t n;
  int64_t rows, cols, slabs;
  int64_t tall, wide;         /* rows and columns of a tile; a slab has as many rows */
  int64_t row_step[MOST], col_step[MOST];
  const int64_t *size;
  const bool *transposed;
  bool together;              /* all operands are transposed, or repeat one element: the result is transposed instead */
} tiles;

static void run_tiles(void *arg, int64_t begin, int64_t end)
{
  const tiles *t = arg;
  CPU_IN_ROOM(char, memory, MOST * BUFFER);
  char (*const buffer)[BUFFER] = (char (*)[BUFFER])memory;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t row = unit % t->slabs * t->tall, rows = CPU_MIN(t->rows - row, t->tall);
    hed__walk w;
    hed__walk_init(&w, &t->outer, unit / t->slabs, 1);
    hed__walk_next(&w);
    for (int64_t col = 0; col < t->cols; col += t->wide) {
      const int64_t cols = CPU_MIN(t->cols - col, t->wide);
      char *at[MOST];
      int64_t row_step[MOST], step[MOST];
      for (int32_t k = 0; k < t->n; k++)
        at[k] = w.ptr[k] + row * t->row_step[k] + col * t->col_step[k];
      if (t->together) {
        char *const to = at[0];
        at[0] = buffer[0];
        step[0] = t->size[0];
        for (int32_t k = 1; k < t->n; k++)
          step[k] = t->row_step[k];
        for (int64_t c = 0; c < cols; c++) {
          t->fn(rows, at, step, t->params);
          at[0] += t->tall * t->size[0];
          for (int32_t k = 1; k < t->n; k++)
            at[k] += t->col_step[k];
        }
        cpu_copy_k->transpose[__builtin_ctzll((uint64_t)t->size[0])](rows, cols, to, t->row_step[0], buffer[0],
                                                                    t->tall * t->size[0]);
        continue;
      }
      for (int32_t k = 0; k < t->n; k++) {
        row_step[k] = t->row_step[k];
        step[k] = t->col_step[k];
        if (!t->transposed[k])
          continue;
        row_step[k] = t->wide * t->size[k];
        cpu_copy_k->transpose[__builtin_ctzll((uint64_t)t->size[k])](rows, cols, buffer[k], row_step[k], at[k],
                                                                    t->col_step[k]);
        at[k] = buffer[k];
        step[k] = t->size[k];
      }
      for (int64_t r = 0; r < rows; r++) {
        t->fn(cols, at, step, t->params);
        for (int32_t k = 0; k < t->n; k++)
          at[k] += row_step[k];
      }
    }
  }
}

/* Tiles are long where the loop goes, which is called once for each row or column of them. */
static void shape_tiles(tiles *t, int32_t threads)
{
  int64_t size = t->together ? t->size[0] : 1;
  for (int32_t k = 1; k < t->n; k++)
    size = t->transposed[k] ? CPU_MAX(size, t->size[k]) : size;
  const int64_t across = t->together ? 16 : 32, along = BUFFER / (across * size);
  const int64_t share = (t->rows / (4 * (int64_t)threads) + 15) / 16 * 16; /* so that there are slabs for all threads */
  t->tall = t->together ? CPU_MIN(along, CPU_MAX(64, share)) : across;
  t->wide = t->together ? across : along;
  t->slabs = (t->rows + t->tall - 1) / t->tall;
}

void cpu_map_tiles(const cpu_layout *l)
{
  const hed__nest *n = &l->nest;
  const int32_t last = n->ndim - 1;
  tiles t = { .fn = l->map->fn, .params = l->call->params, .n = l->n, .size = l->size, .transposed = l->transposed,
              .rows = n->dim[l->across], .cols = n->dim[last], .together = l->size[0] <= WIDEST };
  for (int32_t k = 1; k < t.n; k++)
    t.together = t.together && (t.transposed[k] || (n->stride[k][last] == 0 && n->stride[k][l->across] == 0));
  shape_tiles(&t, l->call->max_threads);
  t.outer = hed__nest_outside(n, l->across);
  for (int32_t k = 0; k < t.n; k++) {
    t.row_step[k] = n->stride[k][l->across];
    t.col_step[k] = n->stride[k][last];
  }
  cpu_parallel_for(l->call, hed__nest_rows(&t.outer) * t.slabs, 1, (l->map->work + 1) * (double)l->total, run_tiles, &t);
}
