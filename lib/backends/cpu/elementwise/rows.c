// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops over operands of which some repeat one row. L1.
 *
 * Short rows are taken several at a time: the repeated row is written out as often in a buffer in the cache, so that the loop
 * has one long run. Large results go past the caches, by pieces of long rows.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <string.h>

enum { MOST = 4, TILE = 4096, LINE = 64, PIECE = 1 << 16 /* bytes of a result that are handed out at once */ };

typedef struct rows {
  hed__map_fn fn;
  cpu_direct_fn direct;    /* NULL: none */
  const void *params;
  hed__nest outer;         /* without the last two axes, and with one of one element */
  int32_t n;
  int64_t rows, width;     /* of a slab */
  int64_t together;        /* rows that are taken as one */
  int64_t pieces, each;    /* of a slab; rows of one */
  int64_t size[MOST], step[MOST], row_step[MOST];
  bool repeated[MOST], streamed;
  int64_t ahead;           /* blocks that operands are asked for ahead: one alone further, as in map.c */
} rows;

/* M elements from element I of row AT on; ROW: where the operands' rows begin, or what repeats them. */
static void run_block(const rows *r, char *to, char *const *row, int64_t at, int64_t i, int64_t m)
{
  _Alignas(LINE) char room[TILE];
  char *p[MOST] = { to + at * r->row_step[0] + i * r->size[0] };
  for (int32_t k = 1; k < r->n; k++) {
    p[k] = row[k] + at * r->row_step[k] + i * r->step[k];
    for (int64_t b = 0; r->streamed && r->row_step[k] && b < m * r->step[k]; b += LINE)
      __builtin_prefetch(p[k] + b + r->ahead * m * r->step[k]);
  }
  if (!r->streamed) {
    r->fn(m, p, r->step, r->params);
  } else if (r->direct && m * r->size[0] % LINE == 0) {
    r->direct(m, p, r->step, r->params, 0);
  } else {
    to = p[0];
    p[0] = room;
    r->fn(m, p, r->step, r->params);
    cpu_stream(to, room, (size_t)(m * r->size[0]));
  }
}

/* Long rows past the caches by blocks of two of them in turn: memory gives what lies at two places in less time, and what is
 * repeated is read once for both. */
static void run_piece(const rows *r, char *const *base, int64_t begin, int64_t end)
{
  _Alignas(LINE) char tile[MOST][TILE];
  char *row[MOST];
  for (int32_t k = 1; k < r->n; k++) {
    const int64_t bytes = r->width * r->size[k];
    row[k] = base[k];
    if (!r->repeated[k] || r->together == 1)
      continue;
    row[k] = memcpy(tile[k], base[k], (size_t)bytes);
    for (int64_t have = 1; have < r->together; have *= 2)
      memcpy(tile[k] + have * bytes, tile[k], (size_t)(CPU_MIN(have, r->together - have) * bytes));
  }
  const bool blocks = r->streamed && r->together == 1;
  const int64_t half = blocks ? (end - begin) / 2 : 0, middle = begin + half;
  for (int64_t at = begin, next; at < end; at = next) {
    const int64_t n = CPU_MIN(r->together, end - at) * r->width, most = blocks ? CPU_STREAM_BLOCK / r->size[0] : n;
    for (int64_t i = 0; i < n; i += most) {
      run_block(r, base[0], row, at, i, CPU_MIN(most, n - i));
      if (at < middle)
        run_block(r, base[0], row, at + half, i, CPU_MIN(most, n - i));
    }
    next = at + r->together;
    next += next == middle ? half : 0;
  }
}

static void run_pieces(void *arg, int64_t begin, int64_t end)
{
  const rows *r = arg;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t first = unit % r->pieces * r->each;
    hed__walk w;
    hed__walk_init(&w, &r->outer, unit / r->pieces, 1);
    hed__walk_next(&w);
    run_piece(r, w.ptr, first, CPU_MIN(first + r->each, r->rows));
  }
  if (r->streamed)
    cpu_stream_end();
}

/* Bytes of the result that go past the caches, if enough. Where all operands are short, the caches have nothing else to keep,
 * and a thread's part of the result is what they are to hold. */
static size_t written(const hed_call *call, size_t bytes)
{
  for (int32_t k = 0; k < call->n_in; k++) {
    const hed_view *v = call->in[k];
    size_t own = (size_t)hed__id_size(v->dtype);
    for (int32_t d = 0; d < v->ndim; d++)
      own *= v->stride[d] ? (size_t)v->dim[d] : 1;
    if (own > bytes / 8)
      return bytes;
  }
  return bytes / (size_t)CPU_MAX(call->max_threads, 1);
}

/* Rows, as many as are taken as one, and slabs are whole lines of a result that no operand shares. */
static bool streams(const rows *r, size_t bytes)
{
  if (!cpu_stream_pays(r->outer.data[0], bytes) || r->together * r->width * r->size[0] % LINE)
    return false;
  for (int32_t k = 0; k < r->outer.ndim; k++)
    if (r->outer.stride[0][k] % LINE)
      return false;
  for (int32_t k = 1; k < r->n; k++)
    if (r->outer.data[k] == r->outer.data[0])
      return false;
  return true;
}

bool cpu_map_rows_of_one(const hed_call *call, hed__map_fn fn, const int32_t *types, double work)
{
  const hed_view *views[MOST] = { call->out[0] };
  rows r = { .fn = fn, .params = call->params, .n = call->n_in + 1 };
  if (r.n > MOST)
    return false;
  for (int32_t k = 0; k < r.n; k++) {
    views[k] = k ? call->in[k - 1] : call->out[0];
    r.size[k] = hed__id_size(types[k]);
    if (views[k]->dtype != types[k])
      return false;
  }
  hed__nest n;
  hed__nest_init(&n, r.n, views, true);
  const int32_t last = n.ndim - 1;
  int64_t widest = 1;
  bool any = false;
  if (last < 1 || n.stride[0][last - 1] != n.dim[last] * r.size[0])
    return false;
  r.width = n.dim[last];
  r.rows = n.dim[last - 1];
  for (int32_t k = 0; k < r.n; k++) {
    r.step[k] = n.stride[k][last];
    r.row_step[k] = n.stride[k][last - 1];
    r.repeated[k] = r.row_step[k] == 0 && r.step[k] == r.size[k];
    any = any || r.repeated[k];
    widest = CPU_MAX(widest, r.size[k]);
    if (!r.repeated[k] && !(r.step[k] == r.size[k] && r.row_step[k] == r.width * r.size[k])
        && !(k && r.step[k] == 0 && r.row_step[k] == 0))
      return false;
  }
  if (!any)
    return false;
  r.outer = hed__nest_outside(&n, last - 1);
  /* as many rows as fill whole lines of the result, where so many fit */
  int64_t lines = 1;
  while (lines * r.width * r.size[0] % LINE)
    lines *= 2;
  r.together = CPU_MAX(CPU_MIN(TILE / (r.width * widest), r.rows), 1);
  r.together = r.together > lines ? r.together / lines * lines : r.together;
  const int64_t total = hed__view_size(call->out[0]);
  r.streamed = streams(&r, written(call, (size_t)(total * r.size[0])));
  int32_t moving = 0;
  for (int32_t k = 1; k < r.n; k++)
    moving += r.row_step[k] != 0;
  r.direct = cpu_map_direct(call->op, call->compute, fn, r.n, r.step);
  r.ahead = (moving == 1 ? 2 : 1) * CPU_STREAM_AHEAD;
  if (r.together < 4 && !r.streamed)
    return false; /* nothing to gain */
  r.each = (PIECE / (2 * r.width * r.size[0]) / r.together + 1) * 2 * r.together;
  r.pieces = (r.rows + r.each - 1) / r.each;
  cpu_parallel_for(call, hed__nest_rows(&r.outer) * r.pieces, 1, work * (double)total, run_pieces, &r);
  return true;
}
