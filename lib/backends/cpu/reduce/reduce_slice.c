// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions to results that each gather elements of their own. L1.
 *
 * Elements are contiguous or copied by blocks. A reduction to few results is cut into pieces of fixed size whose partial
 * results are added in order, so that the value does not depend on how many threads there were. The index of an extreme
 * is known by stretches while the values are read; only the one stretch is searched.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/reduce/moments.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

enum { BLOCK_ELEMENTS = 1024, MAX_PIECES = 1024, STRETCH_ELEMENTS = 8192 };

/* VAR and STD read elements once (MOMENTS, see moments.h). Where that leaves the range of double, or an element is no number,
 * means come first (PLAIN), then distances from them (SQUARES): these leave it later. Everything else is PLAIN. */
typedef enum pass { PLAIN, SQUARES, MOMENTS } pass;

typedef struct cell {
  double sum[2], square[2], about[2], count; /* of a MOMENTS all; else the sums alone */
  char extreme[8];
  int64_t first, n; /* the stretch of elements that the extreme is in; n 0: none yet */
} cell;

/* Calls for blocks of contiguous elements of the compute type of the flat range [first, first + n) of
 * the reduced axes in C order. */
typedef void (*block_fn)(void *arg, int64_t n, const void *x, int64_t first);

static void each_block(const cpu_reduce_job *j, const char *base, int64_t first, int64_t n, block_fn fn, void *arg)
{
  const hed__nest *r = &j->gone;
  int32_t last = r->ndim - 1;
  int64_t width = r->dim[last], step = r->stride[0][last], index[HED_MAX_NDIM];
  if (last == 0 && !j->cast && step == j->size) {
    fn(arg, n, base + first * step, first);
    return;
  }
  hed__index_of(r->ndim, r->dim, first, index);
  const char *row = base + hed__offset_at(last, index, r->stride[0]);
  CPU_IN_ROOM(char, block, BLOCK_ELEMENTS * 16);
  int64_t fill = 0, start = first;
  while (n > 0) {
    int64_t run = CPU_MIN(width - index[last], n);
    const char *p = row + index[last] * step;
    if (!j->cast && step == j->size && (fill == 0 || run >= BLOCK_ELEMENTS)) {
      if (fill) {
        fn(arg, fill, block, start);
        start += fill;
        fill = 0;
      }
      if (run >= 64 || run == n) {
        fn(arg, run, p, start);
        start += run;
        n -= run;
        goto next;
      }
    }
    for (int64_t done = 0; done < run;) { /* short, strided or foreign rows: gather */
      int64_t m = CPU_MIN(run - done, BLOCK_ELEMENTS - fill);
      char *to = block + fill * j->size;
      cpu_reduce_take(j, m, to, p + done * step, step);
      fill += m;
      done += m;
      if (fill == BLOCK_ELEMENTS) {
        fn(arg, fill, block, start);
        start += fill;
        fill = 0;
      }
    }
    n -= run;
  next:
    index[last] = 0;
    for (int32_t k = last - 1; k >= 0; k--) {
      row += r->stride[0][k];
      if (++index[k] < r->dim[k])
        break;
      row -= r->stride[0][k] * r->dim[k];
      index[k] = 0;
    }
  }
  if (fill)
    fn(arg, fill, block, start);
}

typedef struct gather {
  const cpu_reduce_job *j;
  cell *acc;
  const double *mean; /* of SQUARES */
  int64_t found;
} gather;

static void add_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  (void)first;
  g->j->loops->sum(n, x, g->acc->sum);
}

static void add_sq_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  (void)first;
  g->j->loops->sum_sq(n, x, g->mean, g->acc->sum);
}

static void moments_block(void *arg, int64_t n, const void *x, int64_t first)
{
  const gather *g = arg;
  cell *c = g->acc;
  (void)first;
  cpu_moments_add(g->j->loops, g->j->size, g->j->parts, n, x, c->about, c->sum, c->square, &c->count);
}

static void extreme_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  if (g->acc->n == 0) /* the first block starts from its first element */
    memcpy(g->acc->extreme, x, (size_t)g->j->size);
  g->acc->n = 1;
  (void)first;
  (cpu_is_max(g->j) ? g->j->loops->max : g->j->loops->min)(n, x, g->acc->extreme);
}

/* INTO takes FROM's extreme when it is better; the first of equals stays, and so does a NaN. */
static void merge_place(const cpu_reduce_job *j, cell *into, const cell *from)
{
  char best[8];
  memcpy(best, into->extreme, sizeof best);
  (cpu_is_max(j) ? j->loops->max : j->loops->min)(1, from->extreme, best);
  if (into->n == 0 || memcmp(best, into->extreme, (size_t)j->size) != 0)
    *into = *from;
}

/* No other element can be better: only booleans say so. */
static bool settled(const cpu_reduce_job *j, const cell *c)
{
  return j->type == HED_ID_BOOL && c->n > 0 && (c->extreme[0] != 0) == cpu_is_max(j);
}

static void place_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  const cpu_reduce_job *j = g->j;
  for (int64_t i = 0; i < n && !settled(j, g->acc); i += STRETCH_ELEMENTS) {
    const int64_t m = CPU_MIN(n - i, STRETCH_ELEMENTS);
    const char *from = (const char *)x + i * j->size;
    cell c = { .first = first + i, .n = m };
    memcpy(c.extreme, from, (size_t)j->size);
    (cpu_is_max(j) ? j->loops->max : j->loops->min)(m, from, c.extreme);
    merge_place(j, g->acc, &c);
  }
}

static void find_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  if (g->found >= 0)
    return;
  int64_t at = g->j->loops->find(n, x, g->acc->extreme);
  if (at >= 0)
    g->found = first + at;
}

/* Accumulates the range [first, first + n) into *acc. */
static void gather_range(const cpu_reduce_job *j, const char *base, int64_t first, int64_t n, pass p, const double *mean, cell *acc)
{
  gather g = { j, acc, mean, -1 };
  memset(acc, 0, sizeof *acc);
  each_block(j, base, first, n, j->kind >= CPU_ARGMAX ? place_block : j->kind >= CPU_MAX ? extreme_block
                                : p == MOMENTS ? moments_block : p == SQUARES ? add_sq_block : add_block, &g);
}

static void merge(const cpu_reduce_job *j, pass p, cell *into, cell *from)
{
  if (j->kind >= CPU_ARGMAX)
    merge_place(j, into, from);
  else if (j->kind >= CPU_MAX)
    (cpu_is_max(j) ? j->loops->max : j->loops->min)(1, from->extreme, into->extreme);
  else if (p == MOMENTS) {
    for (int k = 0; k < j->parts; k++)
      cpu_moments_join(&into->about[k], &into->sum[k], &into->square[k], into->count, from->about[k], from->sum[k],
                      from->square[k], from->count, 1 / (into->count + from->count));
    into->count += from->count;
  } else
    for (int k = 0; k < j->parts; k++)
      into->sum[k] += from->sum[k];
}

/* V, a result of the elements from BASE on, again where it may be wrong. */
static void settle(const cpu_reduce_job *j, const char *base, double *v)
{
  if (CPU_LIKELY(!cpu_reduce_suspect(j, v[0]) && (cpu_is_square(j) || !cpu_reduce_suspect(j, v[j->parts - 1]))))
    return;
  hed__nest elements = j->gone;
  elements.data[0] = (char *)(uintptr_t)base;
  cpu_reduce_scaled(j, &elements, v);
}

/* ACC holds everything (for VAR and STD the squares). */
static void finish(const cpu_reduce_job *j, const char *base, char *to, cell *acc)
{
  if (j->kind >= CPU_ARGMAX) {
    gather g = { j, acc, NULL, -1 };
    each_block(j, base, acc->first, acc->n, find_block, &g);
    j->deliver(1, to, 8, (const char *)&g.found, 8);
  } else if (j->kind >= CPU_MAX) {
    j->deliver(1, to, 16, acc->extreme, 16);
  } else {
    double v[2] = { 0, 0 };
    for (int k = 0; k < j->parts; k++)
      v[k] = j->kind == CPU_SUM ? acc->sum[k] : acc->sum[k] / j->divisor;
    if (j->kind == CPU_STD)
      v[0] = sqrt(v[0]);
    settle(j, base, v);
    if (j->make)
      j->make(j, 1, v, base, 0);
    j->deliver(1, to, 16, (const char *)v, 16);
  }
}

/* ---- few results: pieces ---- */

typedef struct pieces_job {
  const cpu_reduce_job *j;
  const char *base;
  const double *mean;
  pass pass;
  int64_t pieces, per_piece;
  cell part[MAX_PIECES];
} pieces_job;

static void run_piece(void *arg, int64_t i)
{
  pieces_job *p = arg;
  int64_t first = i * p->per_piece;
  gather_range(p->j, p->base, first, CPU_MIN(p->per_piece, p->j->count - first), p->pass, p->mean, &p->part[i]);
}

/* All of one result, in pieces where P is not NULL. */
static void gather_all(const cpu_reduce_job *j, pieces_job *p, const char *base, pass what, const double *mean, cell *acc)
{
  if (!p) {
    gather_range(j, base, 0, j->count, what, mean, acc);
    return;
  }
  p->base = base;
  p->mean = mean;
  p->pass = what;
  cpu_parallel_items(j->call, p->pieces, j->cost * (double)j->count, run_piece, p);
  *acc = p->part[0];
  for (int64_t i = 1; i < p->pieces; i++)
    merge(j, what, acc, &p->part[i]);
}

/* Squared distances from the mean, which is found first. */
static double squares_again(const cpu_reduce_job *j, pieces_job *p, const char *base)
{
  cell acc;
  double mean[2];
  gather_all(j, p, base, PLAIN, NULL, &acc);
  for (int k = 0; k < 2; k++)
    mean[k] = acc.sum[k] / (double)j->count;
  gather_all(j, p, base, SQUARES, mean, &acc);
  return acc.sum[0];
}

static void one_result(const cpu_reduce_job *j, pieces_job *p, const char *base, char *to)
{
  cell acc;
  gather_all(j, p, base, cpu_is_square(j) ? MOMENTS : PLAIN, NULL, &acc);
  if (cpu_is_square(j)) {
    acc.sum[0] = cpu_moments_squares(j->parts, acc.sum, acc.square, acc.count);
    if (!isfinite(acc.sum[0]))
      acc.sum[0] = squares_again(j, p, base);
  }
  finish(j, base, to, &acc);
}

/* Contiguous slices of the compute type: nothing stands between the loops and them. */
static bool plain(const cpu_reduce_job *j)
{
  return !j->cast && j->gone.ndim == 1 && j->gone.stride[0][0] == j->size
         && (j->kind < CPU_ARGMAX || j->count <= STRETCH_ELEMENTS);
}

/* Elements of a slice that are read twice, for their mean first: of more that takes longer. */
enum { MEAN_FIRST_ELEMENTS = 96 };

/* VAR or STD of M such slices, but for the divisor. */
static void plain_squares(const cpu_reduce_job *j, int64_t m, const char *from, int64_t step, double *square)
{
  const bool short_ones = j->loops->slice_squares && j->count <= MEAN_FIRST_ELEMENTS;
  if (short_ones)
    j->loops->slice_squares(m, j->count, from, step, square);
  for (int64_t k = 0; k < m; k++, from += step) {
    cell c = { .count = 0 };
    if (!short_ones) {
      cpu_moments_add(j->loops, j->size, j->parts, j->count, from, c.about, c.sum, c.square, &c.count);
      square[k] = cpu_moments_squares(j->parts, c.sum, c.square, c.count);
    }
    square[k] = !isfinite(square[k]) ? squares_again(j, NULL, from) : square[k] < 0 ? 0 : square[k];
  }
}

/* N results, whose slices and indices are FROM_STEP and TO_STEP apart. */
static void run_plain(const cpu_reduce_job *j, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step)
{
  enum { SOME = 64 };
  void (*const pick)(int64_t, const void *, void *) = cpu_is_max(j) ? j->loops->max : j->loops->min;
  int64_t (*const where)(int64_t, const void *) = cpu_is_max(j) ? j->loops->argmax : j->loops->argmin;
  for (int64_t i = 0; i < n; i += SOME) {
    const int64_t m = CPU_MIN(n - i, SOME);
    double sum[2 * SOME];
    int64_t index[SOME];
    _Alignas(8) char best[8 * SOME];
    if (cpu_is_square(j))
      plain_squares(j, m, from, from_step, sum);
    for (int64_t k = 0; k < m; k++, from += from_step)
      if (j->kind >= CPU_ARGMAX && where) {
        index[k] = where(j->count, from);
      } else if (j->kind >= CPU_MAX) {
        char *b = best + k * j->size;
        memcpy(b, from, (size_t)j->size);
        pick(j->count, from, b);
        if (j->kind >= CPU_ARGMAX)
          index[k] = j->loops->find(j->count, from, b);
      } else if (cpu_is_square(j)) {
        sum[k] /= j->divisor;
        if (j->kind == CPU_STD)
          sum[k] = sqrt(sum[k]);
        settle(j, from, sum + k);
      } else {
        double *s = sum + k * j->parts;
        s[0] = s[j->parts - 1] = 0;
        j->loops->sum(j->count, from, s);
        for (int c = 0; c < j->parts && j->kind == CPU_MEAN; c++)
          s[c] /= j->divisor;
        settle(j, from, s);
      }
    if (j->make)
      j->make(j, m, sum, from - m * from_step, from_step);
    const char *made = j->kind >= CPU_ARGMAX ? (const char *)index : j->kind >= CPU_MAX ? best : (const char *)sum;
    j->deliver(m, to + i * to_step, to_step, made, j->kind >= CPU_ARGMAX || cpu_is_square(j) ? 8
                                                   : j->kind >= CPU_MAX ? j->size : 8 * j->parts);
  }
}

void cpu_reduce_one(const cpu_reduce_job *j, const char *base, char *to) { one_result(j, NULL, base, to); }

static void run_results(void *arg, int64_t begin, int64_t end)
{
  const cpu_reduce_job *j = arg;
  const int32_t last = j->kept.ndim - 1;
  const int64_t width = j->kept.dim[last], in_step = j->kept.stride[0][last], out_step = j->kept.stride[1][last];
  while (begin < end) {
    const int64_t n = CPU_MIN(width - begin % width, end - begin);
    char *at[2];
    hed__nest_at(&j->kept, begin, at);
    if (plain(j))
      run_plain(j, n, at[0], in_step, at[1], out_step);
    else for (int64_t i = 0; i < n; i++)
      one_result(j, NULL, at[0] + i * in_step, at[1] + i * out_step);
    begin += n;
  }
}

int32_t cpu_reduce_slices(const cpu_reduce_job *j)
{
  if (j->count < 2 * CPU_PIECE) {
    cpu_parallel_for(j->call, j->results, 1, j->cost * (double)j->count * (double)j->results, run_results, (void *)(uintptr_t)j);
    return HED_OK;
  }
  pieces_job *p = cpu_scratch_get(sizeof *p);
  if (!p)
    return cpu_host->fail(HED_E_NOMEM, "reduction: no memory for partial results");
  p->j = j;
  p->per_piece = cpu_piece(j->count, MAX_PIECES);
  p->pieces = (j->count + p->per_piece - 1) / p->per_piece;
  for (int64_t i = 0; i < j->results; i++) {
    char *at[2];
    hed__nest_at(&j->kept, i, at);
    one_result(j, p, at[0], at[1]);
  }
  cpu_scratch_put(p);
  return HED_OK;
}
