// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions to results side by side: rows are added to accumulators, several at a time. L1.
 *
 * Rows are read where they lie when they are contiguous and of the compute type, else through a small block, to which slices of
 * a few elements are deinterleaved. Rows too short to fill vectors, one right after the other, are taken several at a time as one row,
 * and the accumulators of equal columns joined at the end. Results made of a run of neighbours in every row (axes 0 and 2 of
 * three) take rows as if all neighbours were kept, in the order of memory; the accumulators of a run are joined at the end. Few
 * columns of many rows are cut into pieces of rows of a fixed size, joined in order: the value does not depend on the number of
 * threads; extremes of what comes from memory into as many as there are threads, as their value depends on no pieces.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/reduce/moments.h"
#include "base/nest.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

/* VAR and STD read rows once (MOMENTS, see moments.h), as reduce_slice.c says. */
typedef enum pass { PLAIN, SQUARES, MOMENTS } pass;

enum { COLS = 4096, GATHER = 256, ROWS = 16, GROUP_ROWS = 1024, SHORT_ROW_ELEMENTS = 64, PIECE_ELEMENTS = 65536, MAX_PIECES = 64,
       MOMENTS_BYTES = 2048 /* of a row: several rows and their accumulators stay in the L1 cache */ };

/* Accumulators of a block of columns; of a MOMENTS squares, sums, and what they are about. */
typedef struct state {
  double *acc, *part, *mean, count;
  char *extreme;        /* may be the result itself; of squares the first try */
  double *sum;          /* where rows are added: part, or acc when there are few */
} state;

typedef struct columns {
  const cpu_reduce_job *j;
  int64_t step;           /* from one column to the next */
  int64_t run;            /* neighbours that are one result */
  bool direct, in_place;  /* rows need no gathering; extremes lie in the result's own memory */
  bool deinterleaved, near;       /* cpu_reduce_deinterleaves(); elements of a row lie side by side */
  int64_t width, block, blocks, together; /* columns of a row; of an item; items of a row; rows taken as one */
  int64_t pieces, per_piece; /* rows cut; in rows */
  pass pass;                 /* of the pieces */
  int64_t room;           /* components that a state holds */
  double *memory;         /* of a state per part, or per piece and one more */
} columns;

static state state_of(const columns *c, int64_t i)
{
  double *p = c->memory + 4 * c->room * i;
  return (state){ p, p + c->room, p + 2 * c->room, 0, (char *)(p + 3 * c->room), p };
}

static void add_rows(const columns *c, int64_t rows, int64_t n, const char *x, int64_t step, state *s, pass p)
{
  const cpu_reduce_job *j = c->j;
  if (j->kind >= CPU_MAX) {
    (cpu_is_max(j) ? j->loops->col_max : j->loops->col_min)(rows, n, x, step, s->extreme);
  } else if (p == MOMENTS) {
    j->loops->col_moments(rows, n, x, step, s->count, s->mean, s->part, s->acc);
    s->count += (double)rows;
  } else if (p == SQUARES)
    j->loops->col_sum_sq(rows, n, x, step, s->mean, s->sum);
  else
    j->loops->col_sum(rows, n, x, step, s->sum);
}

/* Copies ROWS rows of N columns next to each other, in the compute type. */
static void copy_rows(const columns *c, int64_t rows, int64_t n, const char *x, int64_t step, char *to)
{
  const cpu_reduce_job *j = c->j;
  if (c->near && step == n * c->step)
    cpu_reduce_take(j, rows * n, to, x, c->step);
  else for (int64_t r = 0; r < rows; r++, x += step, to += n * j->size)
    cpu_reduce_take(j, n, to, x, c->step);
}

/* add_rows() of rows that may have to be copied: then N is GATHER at most. */
static void take_rows(const columns *c, int64_t rows, int64_t n, const char *x, int64_t step, state *s, pass p)
{
  const int64_t most = GATHER / n * ROWS; /* sums of float32 are joined every ROWS rows */
  if (c->direct) {
    add_rows(c, rows, n, x, step, s, p);
    return;
  }
  CPU_IN_ROOM(char, block, GATHER * ROWS * 16);
  for (int64_t r = 0, some; r < rows; r += some) {
    some = CPU_MIN(rows - r, most);
    copy_rows(c, some, n, x + r * step, step, block);
    add_rows(c, some, n, block, n * c->j->size, s, p);
  }
}

/* Rows are added up in groups, groups in the total: errors grow with the square root of what a plain
 * sum would have. COUNT rows are to come. */
static void start(const columns *c, state *s, int64_t n, int64_t count, pass p)
{
  if (c->j->kind >= CPU_MAX)
    return;
  s->sum = count > GROUP_ROWS && p != MOMENTS ? s->part : s->acc;
  s->count = 0;
  memset(s->acc, 0, (size_t)n * sizeof *s->acc);
  if (count > GROUP_ROWS || p == MOMENTS)
    memset(s->part, 0, (size_t)n * sizeof *s->part);
}

static void fold(const columns *c, state *s, int64_t n)
{
  if (c->j->kind >= CPU_MAX || s->sum == s->acc)
    return;
  for (int64_t i = 0; i < n; i++)
    s->acc[i] += s->part[i];
  memset(s->part, 0, (size_t)n * sizeof *s->part);
}

/* Rows [first, first + count) of N columns from BASE on. */
static void run_rows(const columns *c, const char *base, int64_t n, int64_t first, int64_t count, state *s, pass p)
{
  const cpu_reduce_job *j = c->j;
  const hed__nest *r = &j->gone;
  const int32_t last = r->ndim - 1;
  const int64_t step = r->stride[0][last], comps = n * j->parts;
  int64_t index[HED_MAX_NDIM], pending = 0;
  hed__index_of(r->ndim, r->dim, first, index);
  base += hed__offset_at(r->ndim, index, r->stride[0]);
  start(c, s, comps, count, p);
  if (j->kind >= CPU_MAX)
    copy_rows(c, 1, n, base, 0, s->extreme);
  while (count > 0) {
    int64_t rows = CPU_MIN(CPU_MIN(r->dim[last] - index[last], count), GROUP_ROWS - pending);
    take_rows(c, rows, n, base, step, s, p);
    pending += rows;
    if (pending + ROWS > GROUP_ROWS) {
      fold(c, s, comps);
      pending = 0;
    }
    count -= rows;
    base += rows * step;
    index[last] += rows;
    for (int32_t k = last; k > 0 && index[k] == r->dim[k]; k--) {
      base += r->stride[0][k - 1] - r->stride[0][k] * r->dim[k];
      index[k - 1]++;
      index[k] = 0;
    }
  }
  fold(c, s, comps);
}

/* The same, all of it, of N slices of a few elements that lie in memory one after the other. */
static void run_deinterleaved(const columns *c, const char *base, int64_t n, state *s, pass p)
{
  const cpu_reduce_job *j = c->j;
  CPU_IN_ROOM(char, block, (GATHER * 16 + 128) * CPU_DEINTERLEAVE_MOST);
  const int64_t step = cpu_deinterleave_step(n * j->size), first = j->kind >= CPU_MAX;
  cpu_reduce_deinterleave(j, n, block, step, base);
  start(c, s, n * j->parts, j->count, p);
  if (first)
    memcpy(s->extreme, block, (size_t)(n * j->size));
  add_rows(c, j->count - first, n, block + first * step, step, s, p);
}

static void join_moments(state *s, const state *more, int64_t n)
{
  const double part = 1 / (s->count + more->count);
  for (int64_t i = 0; i < n; i++)
    cpu_moments_join(&s->mean[i], &s->part[i], &s->acc[i], s->count, more->mean[i], more->part[i], more->acc[i], more->count,
                    part);
  s->count += more->count;
}

/* The same with rows taken several at a time: S has TOGETHER sets of accumulators, then one. */
static void run_wide(const columns *c, const char *base, int64_t first, int64_t count, state *s, pass p)
{
  const cpu_reduce_job *j = c->j;
  const int64_t n = c->width, wide = n * c->together, rows = count / c->together, rest = count % c->together;
  const int64_t row = n * c->step, best = n * j->size, comps = n * (p == SQUARES ? 1 : j->parts);
  const char *x = base + first * row;
  start(c, s, wide * j->parts, count, p);
  if (p == SQUARES)
    for (int64_t g = 1; g < c->together; g++)
      memcpy(s->mean + g * n * j->parts, s->mean, (size_t)(n * j->parts) * sizeof *s->mean);
  if (j->kind >= CPU_MAX)
    for (int64_t g = 0; g < c->together; g++)
      copy_rows(c, 1, n, x, row, s->extreme + g * best);
  for (int64_t r = 0; r < rows; r += GROUP_ROWS) {
    take_rows(c, CPU_MIN(rows - r, GROUP_ROWS), wide, x + r * wide * c->step, wide * c->step, s, p);
    fold(c, s, wide * j->parts);
  }
  if (rest)
    take_rows(c, rest, n, x + rows * wide * c->step, row, s, p);
  fold(c, s, wide * j->parts);
  if (j->kind >= CPU_MAX)
    (cpu_is_max(j) ? j->loops->col_max : j->loops->col_min)(c->together - 1, n, s->extreme + best, best, s->extreme);
  else if (p == MOMENTS)
    for (int64_t g = 1; g < c->together; g++)
      join_moments(s, &(state){ s->acc + g * comps, s->part + g * comps, s->mean + g * comps, (double)rows, NULL, NULL }, comps);
  else
    for (int64_t g = 1; g < c->together; g++)
      for (int64_t i = 0; i < comps; i++)
        s->acc[i] += s->acc[g * comps + i];
}

static void run(const columns *c, const char *base, int64_t n, int64_t first, int64_t count, state *s, pass p)
{
  if (c->deinterleaved)
    run_deinterleaved(c, base, n, s, p);
  else if (c->together > 1)
    run_wide(c, base, first, count, s, p);
  else
    run_rows(c, base, n, first, count, s, p);
}

/* A MOMENTS of each of N columns as one of each run: the squares about the columns' own means, and as often as there are rows
 * those of these means about the mean of all. LOOPS: of double. */
static void join_moments_runs(const columns *c, const cpu_reduce_loops *loops, int64_t n, state *s)
{
  const int parts = c->j->parts;
  const double part = 1 / s->count;
  for (int64_t i = 0; i < n * parts; i++) {
    const double off = s->part[i] * part;
    s->acc[i] -= s->part[i] * off;
    s->mean[i] += off;
  }
  for (int64_t g = 0; g < n / c->run; g++) {
    const int64_t first = g * c->run * parts;
    double within[2] = { 0, 0 }, about[2], sum[2] = { 0, 0 }, square[2] = { 0, 0 }, means = 0;
    loops->sum(c->run, s->acc + first, within);
    cpu_moments_add(loops, 8 * parts, parts, c->run, s->mean + first, about, sum, square, &means);
    for (int k = 0; k < parts; k++) {
      s->acc[g * parts + k] = within[k] + s->count * (square[k] - sum[k] * sum[k] / means);
      s->part[g * parts + k] = 0;
    }
  }
  s->count *= (double)c->run;
}

/* What rows came to in N columns as what N / RUN results come to. */
static void join_runs(const columns *c, int64_t n, state *s, pass p)
{
  const cpu_reduce_job *j = c->j;
  const int64_t run = c->run, parts = p == SQUARES ? 1 : j->parts;
  const cpu_reduce_loops *loops = &cpu_k->reduce[parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64];
  if (run == 1)
    return;
  if (j->kind < CPU_MAX && p == MOMENTS) {
    join_moments_runs(c, loops, n, s);
    return;
  }
  for (int64_t g = 0; g < n / run; g++)
    if (j->kind >= CPU_MAX) {
      char *const from = s->extreme + g * run * j->size, *const to = s->extreme + g * j->size;
      memmove(to, from, (size_t)j->size);
      (cpu_is_max(j) ? j->loops->max : j->loops->min)(run - 1, from + j->size, to);
    } else {
      double sum[2] = { 0, 0 };
      loops->sum(run, s->acc + g * run * parts, sum);
      memcpy(s->acc + g * parts, sum, (size_t)parts * sizeof *sum);
    }
}

/* The mean of each of N columns' result. */
static void set_mean(const columns *c, int64_t n, state *s)
{
  const int parts = c->j->parts;
  const double count = (double)(c->j->count * c->run);
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < parts; k++)
      s->mean[i * parts + k] = s->acc[i / c->run * parts + k] / count;
}

/* What a MOMENTS has found of N results as the squares that come of SQUARES. False: they have to, of those that are not finite; the
 * others are kept for keep_made(). */
static bool squares_made(const columns *c, int64_t n, state *s)
{
  const int parts = c->j->parts;
  bool all = true;
  for (int64_t i = 0; i < n; i++) {
    s->acc[i] = cpu_moments_squares(parts, s->part + parts * i, s->acc + parts * i, s->count);
    all = all && isfinite(s->acc[i]);
  }
  if (!all)
    memcpy(s->extreme, s->acc, (size_t)n * sizeof *s->acc);
  return all;
}

/* After SQUARES: which results lie in a block with one that is not finite depends on the number of threads. */
static void keep_made(int64_t n, state *s)
{
  const double *made = (const void *)s->extreme;
  for (int64_t i = 0; i < n; i++)
    s->acc[i] = isfinite(made[i]) ? made[i] : s->acc[i];
}

/* The elements of the result whose first is at IN. */
static hed__nest elements_of(const columns *c, const char *in)
{
  hed__nest v = c->j->gone;
  v.data[0] = (char *)(uintptr_t)in;
  if (c->run > 1) {
    v.dim[v.ndim] = c->run;
    v.stride[0][v.ndim++] = c->step;
  }
  return v;
}

/* Is one of N results to be looked at? cpu_reduce_suspect() for all of them: without their signs, the bits of numbers are in the
 * order of the numbers. */
static bool any_suspect(const cpu_reduce_job *j, int64_t n, const double *v)
{
  static const double infinity = INFINITY, least_var = 0x1p-900, least_dev = 0x1p-450;
  const bool wide = j->size == 8 * j->parts;
  uint64_t most, least = 0, beyond = 0;
  if (!j->scaled || !(j->divisor > 0) || (j->kind == CPU_SUM && wide))
    return false;
  memcpy(&most, &infinity, sizeof most);
  if (wide && j->kind > CPU_MEAN)
    memcpy(&least, j->kind == CPU_VAR ? &least_var : &least_dev, sizeof least);
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, v + i, sizeof bits);
    bits &= UINT64_MAX >> 1;
    beyond |= (most - 1 - bits) | (bits - least);
  }
  return beyond >> 63;
}

/* Of the N results in ACC, whose elements begin at IN, those that may be wrong are made again. Row by row, as long as there is a
 * column of finite elements, it is seen which are. */
static void settle(const columns *c, int64_t n, const char *in, state *s)
{
  const cpu_reduce_job *j = c->j;
  const int parts = cpu_is_square(j) ? 1 : j->parts;
  double *const largest = s->mean;
  bool finite = true;
  if (CPU_LIKELY(!any_suspect(j, n * parts, s->acc)))
    return;
  hed__nest nest = j->gone;
  hed__walk walk;
  nest.data[0] = (char *)(uintptr_t)in;
  const int64_t last = nest.ndim - 1;
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  memset(largest, 0, (size_t)(n * c->run * j->parts) * sizeof *largest);
  while (finite && hed__walk_next(&walk))
    for (int64_t r = 0; r < nest.dim[last] && finite; r++)
      finite = cpu_reduce_range(j, n * c->run, walk.ptr[0] + r * nest.stride[0][last], c->step, largest);
  for (int64_t i = 0; i < n && finite; i++) {
    double most[2] = { 0, 0 }, *v = s->acc + i * parts;
    for (int64_t k = i * c->run * j->parts; k < (i + 1) * c->run * j->parts; k++) {
      double *const m = &most[k % parts];
      *m = largest[k] > *m || largest[k] != largest[k] ? largest[k] : *m;
    }
    if (cpu_reduce_wrong(j, v[0], most[0]) || cpu_reduce_wrong(j, v[parts - 1], most[parts - 1])) {
      const hed__nest elements = elements_of(c, in + i * c->run * c->step);
      cpu_reduce_scaled(j, &elements, v);
    }
  }
}

/* N results, whose elements begin at IN. */
static void deliver(const columns *c, int64_t n, const char *in, char *out, state *s)
{
  const cpu_reduce_job *j = c->j;
  const int64_t step = j->kept.stride[1][j->kept.ndim - 1];
  if (j->kind >= CPU_MAX) {
    if (s->extreme != out)
      j->deliver(n, out, step, s->extreme, j->size);
    return;
  }
  int parts = cpu_is_square(j) ? 1 : j->parts;
  char *const acc = (char *)s->acc;
  double divisor = j->divisor;
  if (j->kind != CPU_SUM)
    cpu_k->map[CPU_MAP_DIVIDE][HED_ID_FLOAT64](n * parts, (char *[]){ acc, acc, (char *)&divisor }, (int64_t[]){ 8, 8, 0 }, NULL);
  if (j->kind == CPU_STD)
    cpu_k->map[CPU_MAP_SQRT][HED_ID_FLOAT64](n, (char *[]){ acc, acc }, (int64_t[]){ 8, 8 }, NULL);
  settle(c, n, in, s);
  if (j->make)
    j->make(j, n, s->acc, in, c->step);
  j->deliver(n, out, step, acc, 8 * parts);
}

/* All rows of N columns from BASE on. */
static void run_all(const columns *c, const char *base, int64_t n, state *s, pass p)
{
  run(c, base, n, 0, c->j->count, s, p);
  join_runs(c, n, s, p);
}

/* Item I: a block of columns of one row of results. */
static void run_item(const columns *c, int64_t item, state *s)
{
  const cpu_reduce_job *j = c->j;
  int64_t row = item / c->blocks, first = item % c->blocks * c->block, n = CPU_MIN(c->width - first, c->block);
  const int64_t results = n / c->run;
  char *at[2];
  hed__nest_at(&j->kept, row * c->width, at);
  char *const in = at[0] + first * c->step, *const out = at[1] + first / c->run * j->kept.stride[1][j->kept.ndim - 1];
  if (c->in_place)
    s->extreme = out;
  if (!cpu_is_square(j)) {
    run_all(c, in, n, s, PLAIN);
  } else {
    run_all(c, in, n, s, MOMENTS);
    if (!squares_made(c, results, s)) {
      run_all(c, in, n, s, PLAIN);
      set_mean(c, n, s);
      run_all(c, in, n, s, SQUARES);
      keep_made(results, s);
    }
  }
  deliver(c, results, in, out, s);
}

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const columns *c = arg;
  const int64_t items = c->j->results / c->width * c->blocks;
  state s = state_of(c, part);
  for (int64_t i = items * part / parts; i < items * (part + 1) / parts; i++)
    run_item(c, i, &s);
}

/* ---- few columns, many rows ---- */

static void run_piece(void *arg, int64_t i)
{
  const columns *c = arg;
  state s = state_of(c, i), total = state_of(c, c->pieces);
  int64_t first = i * c->per_piece;
  if (c->pass == SQUARES)
    memcpy(s.mean, total.mean, (size_t)(c->width * c->j->parts) * sizeof *s.mean);
  run(c, c->j->kept.data[0], c->width, first, CPU_MIN(c->per_piece, c->j->count - first), &s, c->pass);
}

static void join_pieces(const columns *c, state *total)
{
  const cpu_reduce_job *j = c->j;
  const int64_t comps = c->width * j->parts;
  if (j->kind >= CPU_MAX)
    memcpy(total->extreme, state_of(c, 0).extreme, (size_t)(c->width * j->size));
  start(c, total, comps, 0, c->pass);
  for (int64_t p = 0; p < c->pieces; p++) {
    state s = state_of(c, p);
    s.count = (double)CPU_MIN(c->per_piece, j->count - p * c->per_piece);
    if (j->kind >= CPU_MAX)
      (cpu_is_max(j) ? j->loops->col_max : j->loops->col_min)(1, c->width, s.extreme, 0, total->extreme);
    else if (c->pass == MOMENTS)
      join_moments(total, &s, comps);
    else
      for (int64_t i = 0; i < comps; i++)
        total->acc[i] += s.acc[i];
  }
}

static double work_of(const cpu_reduce_job *j) { return 2 * j->cost * (double)j->count * (double)j->results; }

static void pass_pieces(columns *c, pass p, state *total)
{
  c->pass = p;
  cpu_parallel_items(c->j->call, c->pieces, work_of(c->j), run_piece, c);
  join_pieces(c, total);
  join_runs(c, c->width, total, p);
}

static void all_pieces(columns *c)
{
  const cpu_reduce_job *j = c->j;
  state total = state_of(c, c->pieces);
  pass_pieces(c, cpu_is_square(j) ? MOMENTS : PLAIN, &total);
  if (cpu_is_square(j) && !squares_made(c, c->width / c->run, &total)) {
    pass_pieces(c, PLAIN, &total);
    set_mean(c, c->width, &total);
    pass_pieces(c, SQUARES, &total);
    keep_made(c->width / c->run, &total);
  }
  deliver(c, c->width / c->run, j->kept.data[0], j->kept.data[1], &total);
}

/* Columns whose squares are made at a time. From memory long rows of float64 as they lie are read faster than blocks of them, by
 * more than accumulators in the L2 cache cost; all long rows where they are prefetched. */
static int64_t moments_block(const cpu_reduce_job *j)
{
  const bool whole = cpu_stream_large((size_t)(j->count * j->results * j->size));
  return whole ? COLS / j->parts : MOMENTS_BYTES / j->size;
}

/* Columns of an item. Of runs whole ones, several items if there are as many, and the same for any number of threads: which
 * columns fill vectors depends on it. */
static int64_t block_of(const columns *c)
{
  enum { SOME = 8 };
  const cpu_reduce_job *j = c->j;
  const int64_t most = CPU_MIN(c->width, !c->direct ? GATHER : cpu_is_square(j) ? moments_block(j)
                                         : j->count < ROWS ? COLS / 8 : COLS / j->parts);
  return c->run == 1 || c->together > 1 ? most : c->run * CPU_MAX(1, CPU_MIN(most, c->width / SOME) / c->run);
}

int32_t cpu_reduce_columns(const cpu_reduce_job *j, int64_t run)
{
  const int32_t last = j->kept.ndim - 1;
  columns c = { .j = j, .step = j->kept.stride[0][last], .run = run, .width = j->kept.dim[last], .together = 1 };
  c.near = c.step == hed__id_size(j->given);
  c.direct = !j->cast && !j->take && c.near;
  c.deinterleaved = cpu_reduce_deinterleaves(j);
  if (c.near && c.width < SHORT_ROW_ELEMENTS && j->gone.ndim == 1 && j->gone.stride[0][0] == c.width * c.step)
    c.together = CPU_MAX(1, CPU_MIN(2 * SHORT_ROW_ELEMENTS / c.width, j->count / 4));
  c.in_place = j->kind >= CPU_MAX && c.together == 1 && run == 1 && j->call->out[0]->dtype == j->type
               && j->kept.stride[1][last] == j->size;
  c.block = block_of(&c);
  if (j->results == c.width && c.width <= GATHER && j->count * c.width >= 2 * PIECE_ELEMENTS) {
    c.block = c.width;
    c.pieces = CPU_MIN(j->count * c.width / PIECE_ELEMENTS, MAX_PIECES);
    c.per_piece = (j->count + c.pieces - 1) / c.pieces;
    c.pieces = (j->count + c.per_piece - 1) / c.per_piece;
    c.in_place = false;
  } else if (j->kind >= CPU_MAX && c.direct && j->results == c.width && c.width <= COLS && j->call->max_threads > 1 &&
             cpu_stream_large((size_t)(j->count * c.width * j->size))) { /* whole rows come from memory faster than halves */
    c.block = c.width;
    c.per_piece = (j->count + j->call->max_threads - 1) / j->call->max_threads;
    c.pieces = (j->count + c.per_piece - 1) / c.per_piece;
    c.in_place = false;
  } else if (c.together == 1 && run == 1 && j->results / c.width < j->call->max_threads && j->call->max_threads > 1) {
    int64_t share = c.width / j->call->max_threads / SHORT_ROW_ELEMENTS * SHORT_ROW_ELEMENTS;
    c.block = CPU_MAX(CPU_MIN(c.block, share), CPU_MIN(c.width, SHORT_ROW_ELEMENTS));
  }
  c.blocks = (c.width + c.block - 1) / c.block;
  const int64_t parts = CPU_MIN(j->results / c.width * c.blocks, j->call->max_threads);
  c.room = (CPU_MAX(c.block, c.width * (c.together > 1 ? c.together : 0)) * j->parts + 7) / 8 * 8;
  _Alignas(64) double few[256];
  const size_t bytes = (size_t)(4 * c.room * (c.pieces ? c.pieces + 1 : CPU_MAX(parts, 1))) * sizeof *c.memory;
  c.memory = bytes <= sizeof few ? few : cpu_scratch_get(bytes);
  if (!c.memory)
    return cpu_host->fail(HED_E_NOMEM, "reduction: no memory for accumulators");
  if (c.pieces)
    all_pieces(&c);
  else
    cpu_parallel_parts(j->call, CPU_MAX(parts, 1), work_of(j), run_part, &c);
  if (c.memory != few)
    cpu_scratch_put(c.memory);
  return HED_OK;
}
