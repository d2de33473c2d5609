// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several operations in one pass over memory. L1. See fuse.h.
 *
 * Blocks are the same whatever the number of threads, and so are the pieces whose elements a reduction adds up before the
 * pieces' sums are added in order.
 */
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/move/write_rows.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <string.h>

typedef struct job {
  const fuse_program *p;
  char *acc;            /* of each piece of each unit; NULL: threads have them */
} job;

/* What one thread works with. */
typedef struct bench {
  char *ptr[FUSE_VALUES];
  int64_t stride[FUSE_VALUES];
  _Alignas(16) char single[FUSE_VALUES][16]; /* repeated values that are made here */
  _Alignas(64) char buffer[FUSE_BYTES];
  _Alignas(64) char acc[FUSE_CELLS];
  _Alignas(64) char slot[FUSE_SLOTS][CPU_CHAIN_TILE];
  cpu_chain_kept kept[HED_FUSED_STEPS]; /* of reductions that chains do */
  cpu_chain_step step[FUSE_LINKS];
} bench;

/* ---- operands ---- */

/* Elements [first, first + n) in C order of operand K, into TO; up to CPU_REPEAT_OVER bytes behind them are written too. */
static void gather(const fuse_program *p, int32_t k, int64_t first, int64_t n, char *to)
{
  const hed_view *v = p->call->in[k];
  const int32_t last = p->ndim - 1;
  const int64_t size = hed__id_size(v->dtype), *dim = p->dim, *stride = p->stride[k], width = dim[last], step = stride[last];
  const hed__map_fn copy = cpu_copy_loop(size);
  int64_t index[HED_MAX_NDIM], column = first % width;
  hed__index_of(last, dim, first / width, index);
  const char *row = (const char *)v->data + hed__offset_at(last, index, stride);
  for (int64_t m, rows; n > 0; n -= m, to += m * size) {
    if (column || n < width) { /* a part of a row */
      rows = 1;
      m = CPU_MIN(width - column, n);
      copy(m, (char *[]){ to, (char *)row + column * step }, (int64_t[]){ size, step }, NULL);
      column = 0;
    } else {
      rows = CPU_MIN(n / width, last ? dim[last - 1] - index[last - 1] : 1);
      m = rows * width;
      cpu_write_rows(rows, width, size, to, row, last ? stride[last - 1] : 0, step);
    }
    if (last == 0)
      continue;
    row += rows * stride[last - 1];
    index[last - 1] += rows;
    for (int32_t i = last - 1; i > 0 && index[i] == dim[i]; i--) {
      row += stride[i - 1] - stride[i] * dim[i];
      index[i - 1]++;
      index[i] = 0;
    }
  }
}

static void set_up(const fuse_program *p, bench *b)
{
  const int32_t last = p->ndim - 1;
  char *at[FUSE_VALUES], *next = b->buffer;
  for (int32_t k = 0; k < p->n_buffers; k++) {
    at[k] = next;
    next += p->block * p->width[k] * p->rows_of[k] + CPU_REPEAT_OVER;
  }
  for (int32_t k = 0; k < p->n_values; k++) {
    const fuse_value *v = &p->value[k];
    b->stride[k] = v->repeated ? 0 : hed__id_size(v->type);
    if (v->location == FUSE_NOWHERE) {
      b->ptr[k] = NULL;
    } else if (v->location == FUSE_BUFFER) {
      b->ptr[k] = v->repeated ? b->single[k] : at[v->index];
    } else if (v->location == FUSE_IN) {
      b->ptr[k] = p->call->in[v->index]->data;
      if (p->rows && !v->repeated)
        b->stride[k] = p->stride[v->index][last];
    } else {
      b->ptr[k] = p->call->out[v->index]->data;
    }
  }
}

static void execute(const fuse_program *p, bench *b, int32_t from, int32_t to, int64_t first, int64_t n)
{
  for (int32_t k = from; k < to; k++) {
    const fuse_instr *c = &p->code[k];
    if (c->links) {
      cpu_fuse_run_chain(p, c, n, b->ptr, b->stride, b->step, b->slot, b->kept);
      continue;
    }
    if (!c->fn) {
      gather(p, p->value[c->arg[1]].index, first, k < p->n_once ? CPU_MIN(p->block, p->size) : n,
             b->ptr[c->arg[0]]);
      continue;
    }
    char *ptr[4];
    int64_t stride[4];
    for (int32_t i = 0; i < c->n; i++) {
      ptr[i] = b->ptr[c->arg[i]];
      stride[i] = b->stride[c->arg[i]];
    }
    c->fn(n, ptr, stride, c->params);
  }
}

/* Operands and results of the block of N elements from FIRST on, in a shape that is one row or in packed operands. */
static void place_flat(const fuse_program *p, bench *b, int64_t first)
{
  const hed_fused_call *c = p->call;
  for (int32_t k = 0; k < p->n_values; k++) {
    const fuse_value *v = &p->value[k];
    if (v->location < FUSE_BUFFER && !v->repeated)
      b->ptr[k] = (char *)(v->location == FUSE_OUT ? c->out : c->in)[v->index]->data + first * b->stride[k];
  }
}

/* The same for piece NUMBER of the rows; its first element and length. */
static void place_row(const fuse_program *p, bench *b, int64_t number, int64_t *first, int64_t *n)
{
  const hed_fused_call *c = p->call;
  const int32_t last = p->ndim - 1;
  const int64_t width = p->dim[last], column = number % p->per_row * p->block;
  int64_t index[HED_MAX_NDIM], row = number / p->per_row;
  *n = CPU_MIN(p->block, width - column);
  *first = row * width + column;
  hed__index_of(last, p->dim, row, index);
  for (int32_t k = 0; k < p->n_values; k++) {
    const fuse_value *v = &p->value[k];
    if (v->location >= FUSE_BUFFER || v->repeated)
      continue;
    if (v->location == FUSE_OUT) {
      b->ptr[k] = (char *)c->out[v->index]->data + *first * b->stride[k];
      continue;
    }
    b->ptr[k] = (char *)c->in[v->index]->data + column * b->stride[k] + hed__offset_at(last, index, p->stride[v->index]);
  }
}

/* ---- without reductions ---- */

static void run_blocks(void *arg, int64_t begin, int64_t end)
{
  const fuse_program *p = ((const job *)arg)->p;
  CPU_IN_ROOM(bench, b, 1);
  set_up(p, b);
  execute(p, b, 0, p->n_once, 0, 1);
  for (int64_t i = begin; i < end; i++) {
    int64_t first = i * p->block, n = CPU_MIN(p->block, p->size - first);
    if (p->rows)
      place_row(p, b, i, &first, &n);
    else
      place_flat(p, b, first);
    execute(p, b, p->n_once, p->n_code, first, n);
  }
  if (p->streamed)
    cpu_stream_end();
}

/* ---- with reductions ---- */

/* Block I of a unit. */
static void place_step(const fuse_program *p, bench *b, int64_t unit, int64_t i, int64_t *first, int64_t *n)
{
  const int64_t page = p->count * p->inner;
  if (p->walk == FUSE_LANE) {
    place_row(p, b, unit * p->steps + i, first, n);
  } else if (p->walk == FUSE_STRIP) {
    const int64_t across = p->inner / p->dim[p->ndim - 1] * p->per_row; /* pieces of rows side by side */
    place_row(p, b, (unit / across * p->count + i) * across + unit % across, first, n);
  } else {
    *first = unit * (p->walk == FUSE_PAGE ? page : p->chunk) + i * p->chunk;
    *n = CPU_MIN(p->chunk, (p->walk == FUSE_PAGE ? (unit + 1) * page : p->size) - *first);
    place_flat(p, b, *first);
  }
}

/* The results of a unit: how many, from which on. */
static int64_t results(const fuse_program *p, int64_t unit, int64_t *from)
{
  if (p->walk == FUSE_PAGES) {
    *from = unit * p->chunk / p->count;
    return CPU_MIN(p->chunk / p->count, p->outer * p->inner - *from);
  }
  if (p->walk == FUSE_STRIP) {
    const int64_t width = p->dim[p->ndim - 1], row = unit / p->per_row, column = unit % p->per_row * p->block;
    *from = row * width + column;
    return CPU_MIN(p->block, width - column);
  }
  *from = unit * p->inner;
  return p->inner;
}

/* Blocks [i, end) of a unit that is a strip, some at a time: accumulators are then read and written less often. */
static void run_strip(const fuse_program *p, bench *b, int64_t unit, int64_t i, int64_t end, char *acc)
{
  char *own[HED_FUSED_STEPS], *x[HED_FUSED_STEPS];
  int64_t first, n = 0;
  for (int32_t k = 0; k < p->n_folds; k++)
    own[k] = b->ptr[p->fold[k].value];
  for (int64_t rows; i < end; i += rows) {
    rows = CPU_MIN(p->together, end - i);
    for (int64_t r = 0; r < rows; r++) {
      place_step(p, b, unit, i + r, &first, &n);
      for (int32_t k = 0; k < p->n_folds; k++) {
        const fuse_value *v = &p->value[p->fold[k].value];
        if (v->location == FUSE_BUFFER)
          b->ptr[p->fold[k].value] = own[k] + r * p->block * hed__id_size(v->type);
        if (r == 0)
          x[k] = b->ptr[p->fold[k].value];
      }
      execute(p, b, p->n_once, p->n_code, first, n);
    }
    for (int32_t k = 0; k < p->n_folds; k++) {
      const fuse_value *v = &p->value[p->fold[k].value];
      const int64_t step = (v->location == FUSE_BUFFER ? p->block : p->inner) * hed__id_size(v->type);
      cpu_fuse_fold_rows(&p->fold[k], rows, n, x[k], step, acc + p->fold[k].at, 0, i);
    }
  }
  for (int32_t k = 0; k < p->n_folds; k++)
    b->ptr[p->fold[k].value] = own[k];
}

/* The index that a chain has kept, of blocks from BEGIN on. */
static void fold_place(const fuse_program *p, bench *b, int64_t unit, int64_t begin, char *acc, int64_t from)
{
  const fuse_instr *c = &p->code[p->n_once];
  const int64_t number = cpu_fuse_best_tile(p, c, &b->kept[0]), tiles = cpu_fuse_tiles(p, c);
  int64_t first, n;
  place_step(p, b, unit, begin + number / tiles, &first, &n);
  const char *x = cpu_fuse_run_tile(p, c, number % tiles, &first, &n, b->ptr, b->stride, b->step, b->slot);
  cpu_fuse_fold(p, &p->fold[0], first, n, x, acc + p->fold[0].at, from);
}

/* The same of other units. */
static void run_steps(const fuse_program *p, bench *b, int64_t unit, int64_t i, int64_t end, char *acc, int64_t from)
{
  for (int32_t k = 0; k < p->n_folds; k++)
    if (p->fold[k].chained)
      memset(&b->kept[k], 0, sizeof b->kept[k]);
  const bool indices = p->fold[0].chained && cpu_fuse_is_argextreme(&p->fold[0]);
  const int64_t begin = i, tiles = indices ? cpu_fuse_tiles(p, &p->code[p->n_once]) : 0;
  for (int64_t first, n; i < end; i++) {
    place_step(p, b, unit, i, &first, &n);
    b->kept[0].first = (i - begin) * tiles;
    execute(p, b, p->n_once, p->n_code, first, n);
    for (int32_t k = 0; k < p->n_folds && !indices; k++) {
      const fuse_fold *f = &p->fold[k];
      if (f->chained)
        cpu_fuse_fold_sums(f, &b->kept[k], acc + f->at);
      else
        cpu_fuse_fold(p, f, first, n, b->ptr[f->value], acc + f->at, from);
    }
  }
  if (indices && end > begin)
    fold_place(p, b, unit, begin, acc, from);
}

static void run_units(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const fuse_program *p = j->p;
  CPU_IN_ROOM(bench, b, 1);
  set_up(p, b);
  execute(p, b, 0, p->n_once, 0, 1);
  for (int64_t g = begin; g < end; g++) {
    const int64_t unit = g / p->pieces, piece = g % p->pieces;
    const int64_t first = piece * p->steps / p->pieces, last = (piece + 1) * p->steps / p->pieces;
    char *acc = j->acc ? j->acc + g * p->bytes : b->acc;
    int64_t from;
    const int64_t width = results(p, unit, &from);
    for (int32_t k = 0; k < p->n_folds; k++)
      cpu_fuse_begin(&p->fold[k], width, acc + p->fold[k].at);
    if (p->walk == FUSE_STRIP)
      run_strip(p, b, unit, first, last, acc);
    else
      run_steps(p, b, unit, first, last, acc, from);
    for (int32_t k = 0; k < p->n_folds && !j->acc; k++)
      cpu_fuse_store(p, &p->fold[k], from, width, acc + p->fold[k].at);
  }
  if (p->streamed)
    cpu_stream_end();
}

static void join_pieces(const job *j)
{
  const fuse_program *p = j->p;
  for (int64_t unit = 0; unit < p->units; unit++) {
    char *acc = j->acc + unit * p->pieces * p->bytes;
    int64_t from;
    const int64_t width = results(p, unit, &from);
    for (int32_t k = 0; k < p->n_folds; k++) {
      for (int64_t i = 1; i < p->pieces; i++)
        cpu_fuse_merge(&p->fold[k], width, acc + p->fold[k].at, acc + i * p->bytes + p->fold[k].at);
      cpu_fuse_store(p, &p->fold[k], from, width, acc + p->fold[k].at);
    }
  }
}

static int32_t run(const hed_fused_call *call, fuse_program *p)
{
  if (!cpu_fuse_program(p, call))
    return cpu_host->fail(HED_E_UNSUPPORTED, "fused operations: too many, or one without a loop");
  if (p->size == 0)
    return HED_OK;
  job j = { .p = p };
  const hed_call limits = { .struct_size = sizeof limits, .max_threads = call->max_threads };
  if (!p->n_folds) {
    cpu_parallel_for(&limits, p->blocks, 1, (double)p->size * p->cost, run_blocks, &j);
    return HED_OK;
  }
  if ((p->pieces > 1 || !p->own) && !(j.acc = cpu_scratch_get((size_t)(p->units * p->pieces * p->bytes))))
    return cpu_host->fail(HED_E_NOMEM, "fused operations: no memory for partial results");
  cpu_parallel_for(&limits, p->units * p->pieces, 1, (double)p->size * p->cost, run_units, &j);
  if (j.acc) {
    join_pieces(&j);
    cpu_scratch_put(j.acc);
  }
  return HED_OK;
}

int32_t cpu_fuse(void *state, const hed_fused_call *call)
{
  (void)state;
  fuse_program *p = cpu_room_keep();
  if (!p)
    return cpu_host->fail(HED_E_NOMEM, "fused operations: no memory for the program of a pass");
  const int32_t status = run(call, p);
  const bool reduced = status == HED_OK && p->size > 0 && p->n_folds > 0;
  cpu_room_leave(p);
  return reduced ? cpu_fuse_again(call, cpu_fuse) : status;
}
