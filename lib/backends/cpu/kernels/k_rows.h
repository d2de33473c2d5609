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

static ALWAYS void F(rows_last)(int r, int64_t blocks, const int32_t *place, const T *tile, char *out, int64_t out_line)
{
  for (int64_t b = 0; b < blocks; b++) {
    F(pair) x[8];
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

static ALWAYS void F(ask)(const cpu_ahead *ahead, int64_t from, int64_t to)
{
  for (int32_t k = 0; k < ahead->count; k++)
    for (int64_t i = from; i < to; i += 64)
      __builtin_prefetch((const char *)ahead->at[k] + i);
}

static void F(rows_back)(const cpu_columns *p, bool split, int64_t count, const char *in, int64_t row, char *out,
                         int64_t out_line, const cpu_ahead *ahead, void *at)
{
  const char *from[LANES];
  T *const tile = at;
  const int64_t turns = (p->n + LANES - 1) / LANES, share = (ahead->bytes / turns + 63) / 64 * 64;
  for (int64_t i = 0; i < LANES; i++)
    from[i] = in + (i < count ? i : count - 1) * row;
  for (int64_t b = 0; b < turns; b++) {
    F(ask)(ahead, b * share, b + 1 < turns && (b + 1) * share < ahead->bytes ? (b + 1) * share : ahead->bytes);
    for (int part = 0; part < 2; part++)
      if (split)
        F(turn_in)(from, b * LANES * 8, true, part, tile + b * LANES * F(ROW));
      else
        F(turn_in)(from, b * LANES * 8, false, part, tile + b * LANES * F(ROW));
  }
  const T *w = p->turns;
  int64_t m = p->n, blocks = 1;
  for (int s = 0; s < p->steps - 1; s++) {
    const int r = p->radix[s];
    m /= r;
#define BETWEEN(r) F(between)(r, m, w, blocks, tile)
    BY_RADIX(r, BETWEEN)
    w += 2 * m * (r - 1);
    blocks *= r;
  }
#define LAST(r) F(rows_last)(r, blocks, p->place, tile, out, out_line)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef INTEGERS
#undef TURN
#undef BETWEEN
#undef LAST
