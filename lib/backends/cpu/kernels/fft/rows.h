// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms that prefetch what comes next on the way (cpu_rows_set of columns.h); fft.h includes this for the widest vectors
 * of float. Of rows one below the other, a row in each lane of a vector, LANES numbers of LANES rows are turned in the
 * registers; then the steps are those of columns.
 * AVX2 with FMA and AVX-512; the rotation pass of match/max_correlation.c.
 */
#include "backends/cpu/kernels/fft/columns_loops.h"

#if WIDTH == 512
#define INTEGERS __m512i
#define TRANSPOSE_VECTORS(from, to) transpose_16_u32(from, to)
#else
#define INTEGERS __m256i
#define TRANSPOSE_VECTORS(from, to) transpose_8x8(from, to, 1)
#endif

/* PART of LANES numbers of each row, from AT bytes on, to rows of the tile, where it takes the other part's place. */
static ALWAYS void F(transpose_in)(const char *const *from, int64_t at, bool split, int part, T *tile)
{
  INTEGERS r[LANES], o[LANES];
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    const void *a = from[i] + at, *b = from[i] + at + sizeof(V);
    const V v = split ? M(loadu)(part ? b : a) : part ? ODD(M(loadu)(a), M(loadu)(b)) : EVEN(M(loadu)(a), M(loadu)(b));
    r[i] = (INTEGERS)v;
  }
  TRANSPOSE_VECTORS(r, o);
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    /* what EVEN and ODD leave: two numbers of the first half, two of the second, and so on */
    const int number = split ? i : i / 4 * 2 + i % 2 + i / 2 % 2 * (LANES / 2);
    M(store)(tile + number * F(ROW) + (part ? 0 : LANES), (V)o[i]);
  }
}

/* How far prefetching has come. A burst would fill the processor's list of what is under way, and what finds no room there is
 * forgotten. The L2 cache is near enough: tiles fill the first. */
typedef struct prefetcher {
  const cpu_ahead *what;
  int32_t stream;       /* the next one */
  int64_t pieces, step, bytes; /* left of this one, from one to the next, of each */
  const char *piece, *line, *end;
  int64_t rate, credit; /* lines for a row of the tile, and those due, in units of 2^-16 */
} prefetcher;

/* ROWS: of the tile, in all. */
static prefetcher prefetcher_of(const cpu_ahead *what, int64_t rows)
{
  int64_t lines = 0;
  for (int32_t k = 0; k < what->count; k++)
    lines += what->of[k].pieces * ((what->of[k].bytes + 63) / 64);
  return (prefetcher){ .what = what, .rate = lines ? (lines << 16) / rows + 1 : 0 };
}

static __attribute__((noinline)) bool next_piece(prefetcher *a)
{
  if (a->pieces == 0) {
    if (a->stream == a->what->count) {
      a->rate = a->credit = 0;
      return false;
    }
    const cpu_wanted *s = &a->what->of[a->stream++];
    a->pieces = s->pieces;
    a->step = s->step;
    a->bytes = s->bytes;
    a->piece = s->at;
  }
  a->line = a->piece;
  a->end = a->piece + a->bytes;
  a->piece += a->step;
  a->pieces--;
  return true;
}

static ALWAYS void prefetch_some(prefetcher *a, int64_t rows)
{
  for (a->credit += rows * a->rate; a->credit >= 1 << 16;) {
    if (a->line >= a->end && !next_piece(a))
      return;
    const int64_t due = a->credit >> 16, left = (a->end - a->line + 63) / 64, n = due < left ? due : left;
    const char *const end = a->line + n * 64;
    for (; a->line < end; a->line += 64)
      __builtin_prefetch(a->line, 0, 2);
    a->credit -= n << 16;
  }
}

static ALWAYS void F(rows_cross)(int r, int64_t m, const T *w, int64_t blocks, T *tile, prefetcher *next)
{
  for (int64_t b = 0; b < blocks; b++, tile += r * m * F(ROW))
    for (int64_t j = 0; j < m; j++) {
      prefetch_some(next, r);
      F(cross)(r, m, w + 2 * j * (r - 1), false, tile + j * F(ROW));
    }
}

/* Steps from FIRST to the last but one; how many blocks there are then. */
static ALWAYS int64_t F(rows_between)(const cpu_columns *p, int first, T *tile, prefetcher *next)
{
  const T *w = p->turns;
  int64_t m = p->n, blocks = 1;
  for (int s = 0; s < p->steps - 1; s++) {
    const int r = p->radix[s];
    m /= r;
#define CROSS(r) F(rows_cross)(r, m, w, blocks, tile, next)
    if (s >= first)
      BY_RADIX(r, CROSS)
    w += 2 * m * (r - 1);
    blocks *= r;
  }
  return blocks;
}

/* What rows are in the end: real parts and then imaginary ones, the same exchanged, or columns whose parts are exchanged. */
typedef enum form { PARTS, EXCHANGED, COLUMNS_EXCHANGED } form;

static ALWAYS void F(rows_last)(int r, int64_t blocks, const int32_t *order, const T *tile, form as, char *out, int64_t step,
                                prefetcher *next)
{
  for (int64_t b = 0; b < blocks; b++) {
    F(pair) x[8];
    prefetch_some(next, r);
    F(across)(r, tile + b * r * F(ROW), F(ROW), x);
    char *to = out + order[b] * step;
#pragma GCC unroll 8
    for (int k = 0; k < r; k++) {
      if (as == COLUMNS_EXCHANGED)
        F(put)(to + k * blocks * step, x[k], true);
      else
        F(set)((T *)(void *)(to + k * blocks * step), as == PARTS ? x[k] : (F(pair)){ x[k].im, x[k].re });
    }
  }
}

static void F(rows_back)(const cpu_columns *p, bool split, int64_t count, const char *in, int64_t row, char *out,
                         int64_t out_line, const cpu_ahead *ahead, void *at)
{
  const char *from[LANES];
  T *const tile = at;
  const int64_t turns = (p->n + LANES - 1) / LANES;
  prefetcher next = prefetcher_of(ahead, p->n * (p->steps + 1)); /* while rows are turned, too */
  for (int64_t i = 0; i < LANES; i++)
    from[i] = in + (i < count ? i : count - 1) * row;
  for (int64_t b = 0; b < turns; b++)
    for (int part = 0; part < 2; part++) {
      prefetch_some(&next, LANES / 2);
      if (split)
        F(transpose_in)(from, b * LANES * 8, true, part, tile + b * LANES * F(ROW));
      else
        F(transpose_in)(from, b * LANES * 8, false, part, tile + b * LANES * F(ROW));
    }
  const int64_t blocks = F(rows_between)(p, 0, tile, &next);
#define LAST(r) F(rows_last)(r, blocks, p->order, tile, EXCHANGED, out, out_line, &next)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef LAST

static ALWAYS void F(forward_first)(int r, int64_t m, const T *w, int64_t there, const char *in, int64_t row, T *tile,
                                   prefetcher *next)
{
  const F(pair) none = { SPLAT(0), SPLAT(0) };
  for (int64_t j = 0; j < m; j++, w += 2 * (r - 1)) {
    F(pair) x[8];
    prefetch_some(next, r);
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      x[k] = j + k * m < there ? F(fetch)(in + (j + k * m) * row, false) : none;
    F(butterfly)(r, x);
    F(leave)(r, w, false, x, tile + j * F(ROW), m * F(ROW));
  }
}

static void F(rows_forward)(const cpu_columns *p, int64_t there, const char *in, int64_t row, float *out,
                           const cpu_ahead *ahead, void *at)
{
  T *const tile = at;
  prefetcher next = prefetcher_of(ahead, p->n * p->steps);
#define FIRST(r) F(forward_first)(r, p->n / r, p->turns, there, in, row, tile, &next)
  BY_RADIX(p->radix[0], FIRST)
  const int64_t blocks = F(rows_between)(p, 1, tile, &next);
#define LAST(r) F(rows_last)(r, blocks, p->order, tile, PARTS, (char *)out, F(ROW) * (int64_t)sizeof(T), &next)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef FIRST
#undef LAST

static ALWAYS void F(filter_first)(int r, int64_t m, const T *w, const T *in, const char *factor, int64_t row, T *tile,
                                   prefetcher *next)
{
  for (int64_t j = 0; j < m; j++, w += 2 * (r - 1)) {
    F(pair) x[8];
    prefetch_some(next, r);
#pragma GCC unroll 8
    for (int k = 0; k < r; k++) {
      const F(pair) a = F(get)(in + (j + k * m) * F(ROW)), b = F(fetch)(factor + (j + k * m) * row, false);
      /* parts exchanged: the way back */
      x[k] = (F(pair)){ MULADD(a.im, b.re, a.re * b.im), TAKEOFF(a.im, b.im, a.re * b.re) };
    }
    F(butterfly)(r, x);
    F(leave)(r, w, false, x, tile + j * F(ROW), m * F(ROW));
  }
}

static void F(rows_filter)(const cpu_columns *p, const float *in, const char *factor, int64_t factor_row, char *out,
                           int64_t out_row, const cpu_ahead *ahead, void *at)
{
  T *const tile = at;
  prefetcher next = prefetcher_of(ahead, p->n * p->steps);
#define FIRST(r) F(filter_first)(r, p->n / r, p->turns, in, factor, factor_row, tile, &next)
  BY_RADIX(p->radix[0], FIRST)
  const int64_t blocks = F(rows_between)(p, 1, tile, &next);
#define LAST(r) F(rows_last)(r, blocks, p->order, tile, COLUMNS_EXCHANGED, out, out_row, &next)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef INTEGERS
#undef TRANSPOSE_VECTORS
#undef CROSS
#undef LAST
#undef FIRST
