// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops block by block of the result, each so short that buffers beside it stay in the L1 cache. L1.
 *
 * A block is several short rows or a part of a long one. Operands that are contiguous in it are read where they lie; others are
 * first written to a buffer: rows of strided or repeated elements one after the other, every other element packed by vectors,
 * other types converted. A large result goes from a buffer to memory by non-temporal stores, or straight from a loop that makes
 * these itself.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/layout.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/move/write_rows.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <heddle/ops.h>

/* Bytes from one buffer to the next: stores a page or two from loads to come would hold these up. */
enum { LINE = CPU_MAP_LINE, APART = CPU_MAP_TILE + 17 * LINE };

typedef struct blocks {
  cpu_layout *l;
  cpu_nontemporal_fn direct;  /* NULL: none that takes these operands */
  int64_t each, per_row;      /* elements of a block and blocks of a row; rows of a block, 0 */
  int64_t ahead;              /* prefetch distance; 0: none */
  bool two_streams;              /* one operand, read as two streams in turn, which memory gives in less time */
  bool gathers[CPU_MAP_MOST]; /* written to a buffer first */
  bool once[CPU_MAP_MOST];    /* all blocks are one */
  bool repeats[CPU_MAP_MOST]; /* one row, again and again: blocks that begin at the same element are one */
  bool like_last[CPU_MAP_MOST]; /* the same elements as the operand before */
  hed__cast_fn cast[CPU_MAP_MOST];
} blocks;

typedef struct block {
  int64_t row, rows, column, n; /* the first row and how many, the first column, elements */
  char *from[CPU_MAP_MOST];     /* the first element of each operand in memory */
  int64_t index[HED_MAX_NDIM];  /* of the first row, along the outer axes */
} block;

static void locate(const blocks *w, int64_t number, block *b)
{
  const hed__nest *n = &w->l->nest;
  const int32_t last = n->ndim - 1;
  b->row = w->per_row ? number / w->per_row : number * w->each;
  b->column = w->per_row ? number % w->per_row * w->each : 0;
  b->rows = w->per_row ? 1 : CPU_MIN(w->each, w->l->rows - b->row);
  b->n = w->per_row ? CPU_MIN(w->each, w->l->width - b->column) : b->rows * w->l->width;
  hed__index_of(last, n->dim, b->row, b->index);
  for (int32_t k = 0; k < n->n; k++)
    b->from[k] = n->data[k] + b->column * n->stride[k][last] + hed__offset_at(last, b->index, n->stride[k]);
}

/* Operand K of block B one element after the other. */
static void gather(const blocks *w, int32_t k, const block *b, char *to)
{
  const hed__nest *nest = &w->l->nest;
  const int64_t *dim = nest->dim, *stride = nest->stride[k];
  const int32_t last = nest->ndim - 1;
  const int64_t size = w->l->own[k], step = stride[last];
  const char *from = b->from[k];
  if (w->per_row) {
    if (step > 0)
      cpu_copy_k->every_other[__builtin_ctzll((uint64_t)size)](b->n, to, from);
    else
      cpu_copy_loop(size)(b->n, (char *[]){ to, (char *)from }, (int64_t[]){ size, step }, NULL);
    return;
  }
  int64_t index[HED_MAX_NDIM];
  for (int32_t i = 0; i < last; i++)
    index[i] = b->index[i];
  for (int64_t left = b->rows; left > 0;) {
    const int64_t m = CPU_MIN(left, dim[last - 1] - index[last - 1]);
    cpu_write_rows(m, w->l->width, size, to, from, stride[last - 1], step);
    left -= m;
    to += m * w->l->width * size;
    from += m * stride[last - 1];
    index[last - 1] += m;
    for (int32_t i = last - 1; i > 0 && index[i] == dim[i]; i--) {
      from += stride[i - 1] - stride[i] * dim[i];
      index[i - 1]++;
      index[i] = 0;
    }
  }
}

static void prefetch(const blocks *w, int32_t k, const block *b)
{
  const int64_t step = w->l->nest.stride[k][w->l->nest.ndim - 1], way = step < 0 ? -1 : 1;
  for (int64_t c = 0; c < b->n * step * way; c += LINE)
    __builtin_prefetch(b->from[k] + (c + w->ahead) * way);
}

/* BEFORE: where the operands of the block before began, NULL for the first. */
static void run_block(const blocks *w, int64_t number, const char **before, char (*tile)[APART], char *narrow)
{
  const cpu_layout *l = w->l;
  const int32_t last = l->nest.ndim - 1;
  block b;
  locate(w, number, &b);
  char *p[CPU_MAP_MOST] = { w->cast[0] || (l->streams && !w->direct) ? tile[0] : b.from[0] };
  int64_t step[CPU_MAP_MOST] = { w->cast[0] ? l->size[0] : l->nest.stride[0][last] };
  for (int32_t k = 1; k < l->n; k++) {
    const bool there = w->once[k] ? before[k] != NULL : w->repeats[k] && before[k] == b.from[k], gathers = w->gathers[k];
    before[k] = b.from[k];
    if (w->like_last[k]) {
      p[k] = p[k - 1];
      step[k] = step[k - 1];
      continue;
    }
    p[k] = !gathers ? b.from[k] : w->cast[k] ? narrow : tile[k];
    step[k] = gathers ? l->own[k] : l->nest.stride[k][last];
    if (w->ahead && w->per_row)
      prefetch(w, k, &b);
    if (gathers && !there)
      gather(w, k, &b, p[k]);
    if (!w->cast[k])
      continue;
    if (!there)
      w->cast[k](step[k] ? b.n : 1, tile[k], l->size[k], p[k], step[k]);
    p[k] = tile[k];
    step[k] = step[k] ? l->size[k] : 0;
  }
  if (w->direct) { /* whole lines, which blocks begin */
    const int64_t n = b.n - b.n % (LINE / l->size[0]);
    w->direct(n, p, step, l->call->params, CPU_STREAM_PREFETCH);
    for (int32_t k = 0; k < l->n; k++)
      p[k] += n * step[k];
    b.n -= n;
  }
  l->map->fn(b.n, p, step, l->call->params);
  if (w->cast[0])
    w->cast[0](b.n, b.from[0], l->nest.stride[0][last], tile[0], l->size[0]);
  else if (l->streams && !w->direct)
    cpu_stream(b.from[0], tile[0], (size_t)(b.n * l->size[0]));
}

static void run_blocks(void *arg, int64_t begin, int64_t end)
{
  const blocks *w = arg;
  CPU_IN_ROOM(char, memory, (CPU_MAP_MOST + 1) * APART);
  char (*const tile)[APART] = (char (*)[APART])memory;
  const int64_t half = w->two_streams ? (end - begin) / 2 : 0;
  const char *before[CPU_MAP_MOST] = { NULL };
  for (int64_t i = 0; i < end - begin; i++)
    run_block(w, begin + (i < 2 * half ? i % 2 * half + i / 2 : i), before, tile, tile[CPU_MAP_MOST]);
  if (w->l->streams)
    cpu_stream_end();
}

/* A loop that makes non-temporal stores takes operands as they come out of buffers: contiguous, or one repeated element, which
 * conditions and factors are not. */
static cpu_nontemporal_fn direct_of(const blocks *w)
{
  const cpu_layout *l = w->l;
  const int32_t last = l->nest.ndim - 1;
  bool moving = false;
  for (int32_t k = 1; k < l->n; k++) {
    const int64_t step = w->gathers[k] ? l->own[k] : l->nest.stride[k][last];
    const bool condition = l->call->op == HED_OP_WHERE && k == 1;
    if (step == l->size[k] && (condition || step == l->size[0]))
      moving = true;
    else if (step != 0 || condition || l->call->op == HED_OP_FMA)
      return NULL;
  }
  return moving && l->streams ? l->map->direct : NULL;
}

/* Do operands come from beyond the L2 cache? */
static bool is_far(const cpu_layout *l)
{
  enum { FAR_BYTES = 1 << 20 /* bytes */ };
  return l->streams || l->total * l->size[1] > FAR_BYTES;
}

/* Elements of a block that is a part of a row. Where arithmetic takes much longer than memory, what a call costs with every block
 * counts more than what waits for it. */
static int64_t part_of_row(const blocks *w)
{
  enum { LEAST_DIRECT_ELEMENTS = 1 << 14, PACKED_ELEMENTS = 512, PACKED_FAR_ELEMENTS = 128, SHARES = 4, LONG = 4 };
  const cpu_layout *l = w->l;
  const int32_t last = l->nest.ndim - 1;
  if (w->direct && !l->packs)
    return (CPU_MAX(LEAST_DIRECT_ELEMENTS, l->width / (SHARES * CPU_MAX(l->call->max_threads, 1))) + LINE - 1) / LINE * LINE;
  if (l->packs)
    return is_far(l) ? PACKED_FAR_ELEMENTS : PACKED_ELEMENTS;
  const int64_t longer = l->map->work > 8 ? LONG : l->map->work >= 4 ? 2 : 1;
  int64_t n = longer * CPU_STREAM_BLOCK / l->size[0];
  for (int32_t k = 1; k < l->n; k++)
    if (l->nest.stride[k][last] > 0)
      n = CPU_MIN(n, CPU_MAX(longer, 2) * CPU_STREAM_BLOCK / l->nest.stride[k][last]);
  return CPU_MAX(n, LINE);
}

/* One run begins with the elements before the first line of the result. */
static void set_beginning_apart(cpu_layout *l)
{
  const uintptr_t to = (uintptr_t)l->nest.data[0];
  const int64_t n = CPU_MIN((int64_t)(-to % LINE) / l->size[0], l->width);
  int64_t step[CPU_MAP_MOST];
  for (int32_t k = 0; k < l->n; k++)
    step[k] = l->nest.stride[k][0];
  if (n > 0)
    l->map->fn(n, l->nest.data, step, l->call->params);
  for (int32_t k = 0; k < l->n; k++)
    l->nest.data[k] += n * step[k];
  l->width -= n;
}

/* Operands of which every block is read where it lies, but for those that are packed; or of short rows, gathered. */
static void choose_buffers(blocks *w)
{
  const cpu_layout *l = w->l;
  const hed__nest *n = &l->nest;
  const int32_t last = n->ndim - 1;
  const bool within = l->together && last > 0 && n->dim[last - 1] % l->together == 0; /* no block goes beyond an axis of rows */
  for (int32_t k = 0; k < l->n; k++) {
    const bool in_run = within && n->stride[k][last] == l->own[k] && n->stride[k][last - 1] == l->width * l->own[k];
    const int own = k ? l->call->in[k - 1]->dtype : l->call->out[0]->dtype, type = l->map->types[k];
    w->gathers[k] = k && (l->pack[k] || (l->together && !l->even[k] && !in_run));
    w->repeats[k] = w->gathers[k] && within && n->stride[k][last - 1] == 0;
    w->once[k] = w->gathers[k] && l->together;
    w->like_last[k] = k > 1 && n->data[k] == n->data[k - 1] && own == l->call->in[k - 2]->dtype && type == l->map->types[k - 1];
    for (int32_t i = 0; i < n->ndim; i++) {
      w->once[k] = w->once[k] && (i == last || n->stride[k][i] == 0);
      w->like_last[k] = w->like_last[k] && n->stride[k][i] == n->stride[k - 1][i];
    }
    if (own != type)
      w->cast[k] = k ? hed__cast(own, type) : hed__cast(type, own);
  }
}

void cpu_map_blocks(cpu_layout *l)
{
  enum { PREFETCH_PACKED = 4096 }; /* bytes: a block is packed at once, before the loop takes its time */
  blocks w = { .l = l };
  choose_buffers(&w);
  w.direct = direct_of(&w);
  if (l->together) {
    w.each = l->together;
  } else {
    if (l->streams && l->nest.ndim == 1)
      set_beginning_apart(l);
    w.each = part_of_row(&w);
    w.per_row = (l->width + w.each - 1) / w.each;
    w.two_streams = l->streams && !w.direct && l->n == 2 && l->nest.stride[1][l->nest.ndim - 1] != 0;
    const bool waits = l->map->work < 4 || l->map->work > 8; /* or else prefetches cost more than they bring */
    w.ahead = l->packs ? (is_far(l) ? PREFETCH_PACKED : 0) : l->streams && !w.direct && waits ? CPU_STREAM_PREFETCH : 0;
  }
  const int64_t count = w.per_row ? l->rows * w.per_row : (l->rows + w.each - 1) / w.each;
  cpu_parallel_for(l->call, count, 1, (l->map->work + (l->together > 0)) * (double)l->total, run_blocks, &w);
}
