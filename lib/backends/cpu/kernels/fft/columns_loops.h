// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of columns that lie side by side (columns.h); fft.h includes this once per type and width. The first step
 * reads rows from memory, steps between work in TILE, the last one writes rows where they belong.
 * AVX2 with FMA and AVX-512; rows of contiguous columns, chosen by fft/fft_stage.c.
 */
static ALWAYS void F(first)(int r, int64_t m, const T *w, bool back, const char *in, int64_t in_row, T *tile)
{
  for (int64_t j = 0; j < m; j++, w += 2 * (r - 1)) {
    F(pair) x[8];
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      x[k] = F(fetch)(in + (j + k * m) * in_row, back);
    F(butterfly)(r, x);
    F(leave)(r, w, false, x, tile + j * F(ROW), m * F(ROW));
  }
}

static ALWAYS void F(last)(int r, int64_t blocks, int64_t wide, const int32_t *order, bool back, const T *tile, char *out,
                           int64_t out_row, T scale)
{
  const V factor = SPLAT(scale);
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t g = 0; g < wide; g++) {
      F(pair) x[8];
      F(across)(r, tile + (g * blocks + b) * r * F(ROW), F(ROW), x);
      char *to = out + order[b] * out_row + g * 2 * (int64_t)sizeof(V);
#pragma GCC unroll 8
      for (int k = 0; k < r; k++)
        F(put)(to + k * blocks * out_row, (F(pair)){ x[k].re * factor, x[k].im * factor }, back);
    }
}

/* WIDE vectors beside each other. */
static void F(columns)(const cpu_columns *p, int64_t wide, bool back, const char *in, int64_t in_row, char *out,
                       int64_t out_row, T scale, T *tile)
{
  int64_t m = 0, blocks = 0;
  for (int64_t g = 0; g < wide; g++) {
    const T *w = p->turns;
    T *own = tile + g * p->n * F(ROW);
    m = p->n / p->radix[0];
    blocks = p->radix[0];
#define FIRST(r) F(first)(r, m, w, back, in + g * 2 * (int64_t)sizeof(V), in_row, own)
    BY_RADIX(p->radix[0], FIRST)
    for (int s = 1; s < p->steps - 1; s++) {
      const int r = p->radix[s];
      w += 2 * m * (p->radix[s - 1] - 1);
      m /= r;
#define BETWEEN(r) F(between)(r, m, w, blocks, own)
      BY_RADIX(r, BETWEEN)
      blocks *= r;
    }
  }
#define LAST(r) F(last)(r, blocks, wide, p->order, back, tile, out, out_row, scale)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef FIRST
#undef BETWEEN
#undef LAST
