// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops over operands whose axes lie in different orders. L1.
 *
 * Where an operand is contiguous along another axis than the result, the two axes are cut into tiles. The operand's part of
 * a tile is transposed into a buffer in the cache, so that the loop walks contiguous rows. Where all operands lie alike, the
 * loop goes their way into a buffer, and that is transposed into the result; sums, differences and products are made in the
 * registers that are transposed.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"

enum { MOST = 4, BUFFER = 16384, WIDEST = 8, SLAB = 512 /* bytes */ };

typedef struct tiles {
  hed__map_fn fn;
  cpu_turned_fn direct;       /* instead of the loop, over slabs of rows; or NULL */
  bool past;                  /* which writes past the caches */
  const void *params;
  hed__nest outer;            /* without the two axes, and with one of one element */
  int32_t n;
  int64_t rows, cols, slabs;
  int64_t tall, wide;         /* rows and columns of a tile; a slab has as many rows */
  int64_t row_step[MOST], col_step[MOST], size[MOST];
  bool turned[MOST];
  bool together;              /* all operands are turned, or repeat one element: the result is turned instead */
} tiles;

static void run_tiles(void *arg, int64_t begin, int64_t end)
{
  const tiles *t = arg;
  _Alignas(64) char buffer[MOST][BUFFER];
  for (int64_t unit = begin, units = 1; unit < end; unit += units) {
    const int64_t row = unit % t->slabs * t->tall;
    if (t->direct) /* slabs side by side in one */
      units = CPU_MIN(end - unit, t->slabs - unit % t->slabs);
    const int64_t rows = CPU_MIN(t->rows - row, units * t->tall);
    hed__walk w;
    hed__walk_init(&w, &t->outer, unit / t->slabs, 1);
    hed__walk_next(&w);
    if (t->direct) {
      t->direct(rows, t->cols, w.ptr[0] + row * t->row_step[0], t->row_step[0], w.ptr[1] + row * t->row_step[1],
                t->col_step[1], w.ptr[2] + row * t->row_step[2], t->col_step[2]);
      continue;
    }
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
        if (!t->turned[k])
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
  if (t->past)
    cpu_stream_end();
}

/* Tiles are long where the loop goes, which is called once for each row or column of them. */
static void shape_tiles(tiles *t, int32_t threads)
{
  int64_t size = t->together ? t->size[0] : 1;
  for (int32_t k = 1; k < t->n; k++)
    size = t->turned[k] ? CPU_MAX(size, t->size[k]) : size;
  const int64_t across = t->together ? 16 : 32, along = BUFFER / (across * size);
  const int64_t share = (t->rows / (4 * (int64_t)threads) + 15) / 16 * 16; /* so that there are slabs for all threads */
  t->tall = t->together ? CPU_MIN(along, CPU_MAX(64, share)) : across;
  t->wide = t->together ? across : along;
  if (t->direct)
    t->tall = SLAB / t->size[0];
  t->slabs = (t->rows + t->tall - 1) / t->tall;
}

/* The loop that transposes what it makes of two turned operands, where there is one. */
static void choose_direct(const hed_call *call, const int32_t *types, tiles *t)
{
  const int op = call->op;
  const int which = op == HED_OP_ADD ? 0 : op == HED_OP_SUBTRACT ? 1 : op == HED_OP_MULTIPLY ? 2 : -1;
  const int wide = types[0] == HED_ID_FLOAT64;
  if (t->n != 3 || which < 0 || !t->turned[1] || !t->turned[2] || !(wide || types[0] == HED_ID_FLOAT32))
    return;
  t->direct = cpu_copy_k->turned[which][wide];
  t->past = t->direct && t->cols * t->size[0] >= CPU_STREAM_BLOCK
            && cpu_stream_large((size_t)(hed__view_size(call->out[0]) * t->size[0]));
  if (t->past)
    t->direct = cpu_copy_k->turned_past[which][wide];
}

bool cpu_map_tiled(const hed_call *call, hed__map_fn fn, const int32_t *types, double work)
{
  const hed_view *views[MOST] = { call->out[0] };
  tiles t = { .fn = fn, .params = call->params, .n = call->n_in + 1 };
  if (t.n > MOST)
    return false;
  for (int32_t k = 0; k < t.n; k++) {
    views[k] = k ? call->in[k - 1] : call->out[0];
    t.size[k] = hed__id_size(types[k]);
    if (views[k]->dtype != types[k])
      return false;
  }
  hed__nest n;
  hed__nest_init(&n, t.n, views, true);
  const int32_t last = n.ndim - 1;
  int32_t other = -1;
  if (n.ndim < 2 || n.dim[last] < 8 || n.stride[0][last] != t.size[0])
    return false;
  for (int32_t k = 1; k < t.n; k++) {
    if (n.stride[k][last] == t.size[k] || n.stride[k][last] == 0 || t.size[k] > WIDEST)
      continue;
    for (int32_t a = 0; a < last; a++)
      if (n.stride[k][a] == t.size[k] && n.dim[a] >= 8 && (other < 0 || other == a)) {
        other = a;
        t.turned[k] = true;
      }
  }
  if (other < 0)
    return false;
  t.together = t.size[0] <= WIDEST;
  for (int32_t k = 1; k < t.n; k++)
    t.together = t.together && (t.turned[k] || (n.stride[k][last] == 0 && n.stride[k][other] == 0));
  t.rows = n.dim[other];
  t.cols = n.dim[last];
  choose_direct(call, types, &t);
  shape_tiles(&t, call->max_threads);
  t.outer = hed__nest_outside(&n, other);
  for (int32_t k = 0; k < t.n; k++) {
    t.row_step[k] = n.stride[k][other];
    t.col_step[k] = n.stride[k][last];
  }
  cpu_parallel_for(call, hed__nest_rows(&t.outer) * t.slabs, 1, (work + 1) * (double)hed__view_size(call->out[0]),
                   run_tiles, &t);
  return true;
}
