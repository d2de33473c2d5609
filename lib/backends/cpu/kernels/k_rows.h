// SPDX-License-Identifier: BSD-3-Clause
/*
 * Inverse transforms of rows one below the other, a row in each lane of a vector (columns.h); k_fft.h includes this for the
 * widest vectors of float. LANES numbers of LANES rows are turned in the registers, then the steps are those of columns.
 */
#include "backends/cpu/kernels/k_columns.h"

#if WIDTH == 512
#define INTEGERS __m512i
#define TURN(from, to) transpose_16_u32(from, to)
#else
#define INTEGERS __m256i
#define TURN(from, to) transpose_8x8(from, to, 1)
#endif

/* PART of LANES numbers of each row, from AT bytes on, to rows of the tile, where it takes the other part's place. */
static ALWAYS void F(turn_in)(const char *const *from, int64_t at, bool split, int part, T *tile)
{
  INTEGERS r[LANES], o[LANES];
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    const void *a = from[i] + at, *b = from[i] + at + sizeof(V);
    const V v = split ? M(loadu)(part ? b : a) : part ? ODD(M(loadu)(a), M(loadu)(b)) : EVEN(M(loadu)(a), M(loadu)(b));
    r[i] = (INTEGERS)v;
  }
  TURN(r, o);
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++) {
    /* what EVEN and ODD leave: two numbers of the first half, two of the second, and so on */
    const int number = split ? i : i / 4 * 2 + i % 2 + i / 2 % 2 * (LANES / 2);
    M(store)(tile + number * F(ROW) + (part ? 0 : LANES), (V)o[i]);
  }
}

/* Where asking has come to. A burst would fill the processor's list of what is under way, and wait. */
typedef struct asking {
  const cpu_ahead *what;
  int64_t at, rate, credit; /* bytes asked for; lines for a row of the tile, and those due, in units of 2^-16 */
} asking;

static ALWAYS void ask(asking *a, int64_t rows)
{
  for (a->credit += rows * a->rate; a->credit >= 1 << 16 && a->at < a->what->bytes; a->credit -= 1 << 16, a->at += 64)
    for (int32_t k = 0; k < a->what->count; k++)
      __builtin_prefetch((const char *)a->what->at[k] + a->at);
}

static ALWAYS void F(rows_last)(int r, int64_t blocks, const int32_t *place, const T *tile, char *out, int64_t out_line,
                                asking *next)
{
  for (int64_t b = 0; b < blocks; b++) {
    F(pair) x[8];
    ask(next, r);
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      x[k] = F(get)(tile + (b * r + k) * F(ROW));
    F(butterfly)(r, x);
    char *to = out + place[b] * out_line;
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      F(set)((T *)(void *)(to + k * blocks * out_line), (F(pair)){ x[k].im, x[k].re });
  }
}

static void F(rows_back)(const cpu_columns *p, bool split, int64_t count, const char *in, int64_t row, char *out,
                         int64_t out_line, const cpu_ahead *ahead, void *at)
{
  const char *from[LANES];
  T *const tile = at;
  const int64_t turns = (p->n + LANES - 1) / LANES;
  /* While rows are turned, and in all steps but the first, whose blocks are one. */
  asking next = { ahead, 0, ((ahead->bytes + 63) / 64 << 16) / (p->n * p->steps) + 1, 0 };
  for (int64_t i = 0; i < LANES; i++)
    from[i] = in + (i < count ? i : count - 1) * row;
  for (int64_t b = 0; b < turns; b++)
    for (int part = 0; part < 2; part++) {
      ask(&next, LANES / 2);
      if (split)
        F(turn_in)(from, b * LANES * 8, true, part, tile + b * LANES * F(ROW));
      else
        F(turn_in)(from, b * LANES * 8, false, part, tile + b * LANES * F(ROW));
    }
  const T *w = p->turns;
  int64_t m = p->n, blocks = 1;
  for (int s = 0; s < p->steps - 1; s++) {
    const int r = p->radix[s];
    const int64_t size = m;
    m /= r;
    for (int64_t b = 0; b < blocks; b++) {
      if (s > 0)
        ask(&next, size);
#define BETWEEN(r) F(between)(r, m, w, 1, tile + b * size * F(ROW))
      BY_RADIX(r, BETWEEN)
    }
    w += 2 * m * (r - 1);
    blocks *= r;
  }
#define LAST(r) F(rows_last)(r, blocks, p->place, tile, out, out_line, &next)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef INTEGERS
#undef TURN
#undef BETWEEN
#undef LAST
