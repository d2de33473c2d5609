// SPDX-License-Identifier: BSD-3-Clause
/*
 * argmax and argmin of results side by side, along one axis. L1.
 *
 * Columns are reduced by groups of rows; a column notes the first group that beat all before, and only that group is
 * searched at the end. Slices of a few elements are deinterleaved to rows, each of which is compared with the best before; rows of
 * a few columns to slices, a block at a time, and a block is searched that beats all before.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/argextreme.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/runtime/parallel.h"
#include <string.h>

enum { COLS = 1024, GATHER = 256, ROWS = 64 };

typedef struct argextreme_job {
  const cpu_reduce_job *j;
  int64_t width, block, blocks; /* columns of a row, of an item; items of a row */
  int64_t near, step;           /* bytes from one column, one row to the next */
  bool direct;                  /* rows need no gathering */
} argextreme_job;

#define IMPROVE(S, T)                                                                            \
  static void improve_##S(int64_t n, void *best, const void *most, int64_t *at, int64_t g)       \
  {                                                                                              \
    T *b = best;                                                                                 \
    const T *m = most;                                                                           \
    for (int64_t i = 0; i < n; i++) {                                                            \
      if (b[i] != m[i] && b[i] == b[i])                                                          \
        at[i] = g;                                                                               \
      b[i] = m[i];                                                                               \
    }                                                                                            \
  }                                                                                              \
  static int64_t search_##S(int64_t rows, const char *x, int64_t step, const void *best, int64_t i) \
  {                                                                                              \
    const T want = ((const T *)best)[i];                                                         \
    for (int64_t r = 0; r < rows; r++, x += step) {                                              \
      const T v = *(const T *)(const void *)x;                                                   \
      if (v == want || (v != v && want != want))                                                 \
        return r;                                                                                \
    }                                                                                            \
    return 0;                                                                                    \
  }
IMPROVE(u8, uint8_t)
IMPROVE(u16, uint16_t)
IMPROVE(u32, uint32_t)
IMPROVE(u64, uint64_t)
IMPROVE(f32, float)
IMPROVE(f64, double)

const cpu_argextreme_loops *cpu_argextreme_loops_of(int type)
{
  static const cpu_argextreme_loops by_size[] = {
    { improve_u8, search_u8 },   { improve_u16, search_u16 }, { improve_u32, search_u32 },
    { improve_u64, search_u64 }, { improve_f32, search_f32 }, { improve_f64, search_f64 },
  };
  const int size = hed__id_size(type);
  if (type == HED_ID_FLOAT32 || type == HED_ID_FLOAT64)
    return &by_size[size == 4 ? 4 : 5];
  return &by_size[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static void copy_row(const argextreme_job *p, int64_t n, const char *x, char *to)
{
  const int64_t size = p->j->size;
  if (p->direct)
    memcpy(to, x, (size_t)(n * size));
  else
    for (int64_t i = 0; i < n; i++)
      memcpy(to + i * size, x + i * p->near, (size_t)size);
}

static void run_item(void *arg, int64_t item)
{
  const argextreme_job *p = arg;
  const cpu_reduce_job *j = p->j;
  const cpu_argextreme_loops *w = cpu_argextreme_loops_of(j->type);
  void (*pick)(int64_t, int64_t, const char *, int64_t, void *) = cpu_is_max(j) ? j->loops->col_max : j->loops->col_min;
  _Alignas(64) char best[COLS * 8], most[COLS * 8], row[GATHER * 8];
  int64_t at[COLS];
  int64_t first = item % p->blocks * p->block, n = CPU_MIN(p->width - first, p->block);
  char *place[2];
  hed__nest_at(&j->kept, item / p->blocks * p->width + first, place);
  for (int64_t g = 0; g < j->count; g += ROWS) {
    const int64_t rows = CPU_MIN(j->count - g, ROWS);
    const char *x = place[0] + g * p->step;
    copy_row(p, n, x, most);
    if (p->direct)
      pick(rows - 1, n, x + p->step, p->step, most);
    else
      for (int64_t r = 1; r < rows; r++) {
        copy_row(p, n, x + r * p->step, row);
        pick(1, n, row, 0, most);
      }
    if (g == 0) {
      memcpy(best, most, (size_t)(n * j->size));
      memset(at, 0, (size_t)n * sizeof *at);
    } else {
      pick(1, n, best, 0, most);
      w->improve(n, best, most, at, g);
    }
  }
  for (int64_t i = 0; i < n; i++)
    at[i] += w->search(CPU_MIN(ROWS, j->count - at[i]), place[0] + i * p->near + at[i] * p->step, p->step, best, i);
  j->deliver(n, place[1], j->kept.stride[1][j->kept.ndim - 1], (const char *)at, sizeof *at);
}

static void run_deinterleaved(void *arg, int64_t item)
{
  const argextreme_job *p = arg;
  const cpu_reduce_job *j = p->j;
  _Alignas(64) char rows[(GATHER * 8 + 128) * CPU_DEINTERLEAVE_MOST];
  int64_t at[GATHER];
  const int64_t first = item % p->blocks * p->block, n = CPU_MIN(p->width - first, p->block);
  const int64_t step = cpu_deinterleave_step(n * j->size);
  char *place[2];
  hed__nest_at(&j->kept, item / p->blocks * p->width + first, place);
  cpu_reduce_deinterleave(j, n, rows, step, place[0]);
  memset(at, 0, (size_t)n * sizeof *at);
  (cpu_is_max(j) ? j->loops->col_argmax : j->loops->col_argmin)(j->count - 1, n, rows + step, step, rows, at, 1);
  j->deliver(n, place[1], j->kept.stride[1][j->kept.ndim - 1], (const char *)at, sizeof *at);
}

/* ---- few columns ---- */

enum { DEALT = 1 << 14 /* bytes */, MAX_PIECES = 64 };

typedef struct best {
  char value[8];
  int64_t at; /* -1: none yet */
} best;

/* N elements of TYPE, of which the first is number FIRST. The first of equals stays, and so does a NaN. */
static void improve_best(const cpu_reduce_job *j, int64_t n, const char *x, int64_t first, best *b)
{
  void (*const pick)(int64_t, const void *, void *) = cpu_is_max(j) ? j->loops->max : j->loops->min;
  char most[8] = { 0 };
  memcpy(most, b->at < 0 ? x : b->value, (size_t)j->size);
  pick(n, x, most);
  if (b->at >= 0 && memcmp(most, b->value, (size_t)j->size) == 0)
    return;
  memcpy(b->value, most, sizeof most);
  b->at = first + j->loops->find(n, x, most);
}

typedef struct narrow {
  const cpu_reduce_job *j;
  const char *in;
  int64_t width, per_piece; /* rows */
  best best[MAX_PIECES][CPU_DEINTERLEAVE_MOST];
} narrow;

static void run_narrow(void *arg, int64_t piece)
{
  narrow *w = arg;
  const cpu_reduce_job *j = w->j;
  _Alignas(64) char slices[DEALT + 128 * CPU_DEINTERLEAVE_MOST];
  const int64_t most = DEALT / (w->width * j->size), step = cpu_deinterleave_step(most * j->size), row = j->gone.stride[0][0];
  const int64_t end = CPU_MIN(j->count, (piece + 1) * w->per_piece);
  best *b = w->best[piece];
  for (int64_t k = 0; k < w->width; k++)
    b[k].at = -1;
  for (int64_t i = piece * w->per_piece; i < end; i += most) {
    const int64_t n = CPU_MIN(end - i, most);
    cpu_deinterleave(n, (int32_t)w->width, slices, step, j->size, w->in + i * row, row / w->width, j->cast);
    for (int64_t k = 0; k < w->width; k++)
      improve_best(j, n, slices + k * step, i, &b[k]);
  }
}

/* Pieces for threads; which is the first of all does not depend on them. */
static void run_few(const cpu_reduce_job *j)
{
  const int32_t last = j->kept.ndim - 1;
  narrow w = { .j = j, .width = j->kept.dim[last] };
  const int64_t piece = cpu_piece(j->count * w.width, MAX_PIECES);
  w.per_piece = (piece + w.width - 1) / w.width;
  const int64_t pieces = (j->count + w.per_piece - 1) / w.per_piece;
  for (int64_t i = 0; i < j->results; i += w.width) {
    int64_t at[CPU_DEINTERLEAVE_MOST];
    char *place[2];
    hed__nest_at(&j->kept, i, place);
    w.in = place[0];
    cpu_parallel_items(j->call, pieces, (double)j->count * (double)w.width, run_narrow, &w);
    for (int64_t k = 0; k < w.width; k++) {
      best *b = &w.best[0][k];
      for (int64_t p = 1; p < pieces; p++) {
        best more = *b;
        improve_best(j, 1, w.best[p][k].value, 0, &more);
        if (memcmp(more.value, b->value, (size_t)j->size) != 0)
          *b = w.best[p][k];
      }
      at[k] = b->at;
    }
    j->deliver(w.width, place[1], j->kept.stride[1][last], (const char *)at, sizeof *at);
  }
}

int32_t cpu_reduce_argextremes(const cpu_reduce_job *j)
{
  const int32_t last = j->kept.ndim - 1;
  argextreme_job p = { .j = j, .width = j->kept.dim[last], .near = j->kept.stride[0][last], .step = j->gone.stride[0][0] };
  const bool deinterleaved = cpu_reduce_deinterleaves(j);
  if (cpu_reduce_narrow(j)) {
    run_few(j);
    return HED_OK;
  }
  p.direct = !deinterleaved && p.near == j->size; /* two halves are as far from the next two as floats are */
  p.block = CPU_MIN(p.width, p.direct ? COLS : GATHER);
  p.blocks = (p.width + p.block - 1) / p.block;
  cpu_parallel_items(j->call, j->results / p.width * p.blocks, 2 * (double)j->count * (double)j->results,
                     deinterleaved ? run_deinterleaved : run_item, &p);
  return HED_OK;
}
