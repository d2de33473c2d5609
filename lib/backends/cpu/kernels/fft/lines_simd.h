// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of LANES lines at once, one in each lane (lines.h); fft.h includes this once per type. What is read is
 * transposed into rows of a tile, and so is what is written; the steps are those of columns, between two tiles.
 * AVX2 with FMA and AVX-512; many short contiguous lines, chosen by fft/fft_stage.c.
 */
enum { F(GROUP) = LANES / 2 }; /* numbers of a line in a vector */

/* Complex numbers, of a matrix of GROUP rows. */
static ALWAYS void F(transpose)(V *x)
{
#if SINGLE && WIDTH == 512
  __m512i y[8], z[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; k++)
    y[k] = (__m512i)x[k];
  transpose_8_u64(y, z);
#elif SINGLE
  __m256i y[4], z[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    y[k] = (__m256i)x[k];
  transpose_4x4(y, z, 1);
#elif WIDTH == 512
  __m512i z[4];
  quarters((__m512i)x[0], (__m512i)x[1], (__m512i)x[2], (__m512i)x[3], z, 1);
#else
  const V z[2] = { _mm256_permute2f128_pd(x[0], x[1], 0x20), _mm256_permute2f128_pd(x[0], x[1], 0x31) };
#endif
#pragma GCC unroll 8
  for (int k = 0; k < LANES / 2; k++)
    x[k] = (V)z[k];
}

/* N numbers of each line, GROUP at least, to as many rows. */
static ALWAYS void F(into_rows)(const char *const *line, int64_t n, bool back, T *tile)
{
  for (int64_t i = 0; i < n; i += F(GROUP)) {
    const int64_t at = i + F(GROUP) <= n ? i : n - F(GROUP);
    V a[LANES / 2], b[LANES / 2];
#pragma GCC unroll 8
    for (int k = 0; k < LANES / 2; k++) {
      a[k] = M(loadu)((const void *)(line[k] + at * 2 * (int64_t)sizeof(T)));
      b[k] = M(loadu)((const void *)(line[k + LANES / 2] + at * 2 * (int64_t)sizeof(T)));
    }
    F(transpose)(a);
    F(transpose)(b);
#pragma GCC unroll 8
    for (int k = 0; k < LANES / 2; k++) {
      const V re = EVEN(a[k], b[k]), im = ODD(a[k], b[k]);
      F(set)(tile + (at + k) * F(ROW), back ? (F(pair)){ im, re } : (F(pair)){ re, im });
    }
  }
}

static ALWAYS void F(from_rows)(const T *tile, int64_t n, bool back, T scale, char *const *line)
{
  const V factor = SPLAT(scale);
  for (int64_t i = 0; i < n; i += F(GROUP)) {
    const int64_t at = i + F(GROUP) <= n ? i : n - F(GROUP);
    V a[LANES / 2], b[LANES / 2];
#pragma GCC unroll 8
    for (int k = 0; k < LANES / 2; k++) {
      const F(pair) x = F(get)(tile + (at + k) * F(ROW));
      const V re = (back ? x.im : x.re) * factor, im = (back ? x.re : x.im) * factor;
      a[k] = M(unpacklo)(re, im);
      b[k] = M(unpackhi)(re, im);
    }
    F(transpose)(a);
    F(transpose)(b);
#pragma GCC unroll 8
    for (int k = 0; k < LANES / 2; k++) {
      M(storeu)((void *)(line[k] + at * 2 * (int64_t)sizeof(T)), a[k]);
      M(storeu)((void *)(line[k + LANES / 2] + at * 2 * (int64_t)sizeof(T)), b[k]);
    }
  }
}

static ALWAYS void F(last_rows)(int r, int64_t blocks, const int32_t *order, const T *tile, T *room)
{
  for (int64_t b = 0; b < blocks; b++, tile += r * F(ROW)) {
    F(pair) x[8];
    F(across)(r, tile, F(ROW), x);
    T *to = room + order[b] * F(ROW);
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      F(set)(to + k * blocks * F(ROW), x[k]);
  }
}

/* TILE is destroyed. */
static void F(all_steps)(const cpu_columns *p, T *tile, T *room)
{
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
#define LAST(r) F(last_rows)(r, blocks, p->order, tile, room)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

/* Twice the transform of real lines from that of half as many complex numbers, and back: as in lines_loops.h. */
static void F(rows_there)(int64_t h, const T *w, const T *z, T *x)
{
  const V none = SPLAT(0), two = SPLAT(2);
  const F(pair) first = F(get)(z);
  F(set)(x, (F(pair)){ (first.re + first.im) * two, none });
  F(set)(x + h * F(ROW), (F(pair)){ (first.re - first.im) * two, none });
  for (int64_t k = 1; k <= h / 2; k++) {
    const F(pair) a = F(get)(z + k * F(ROW)), b = F(get)(z + (h - k) * F(ROW));
    const F(pair) e = { a.re + b.re, a.im - b.im }, t = F(turn)((F(pair)){ a.re - b.re, a.im + b.im }, w + 2 * k);
    const F(pair) away = F(plus_i)(e, t);
    F(set)(x + k * F(ROW), F(minus_i)(e, t));
    F(set)(x + (h - k) * F(ROW), (F(pair)){ away.re, -away.im });
  }
}

/* Real and imaginary parts of the result are exchanged, for a transform back. */
static void F(rows_back)(int64_t h, const T *w, const T *x, T *z)
{
  const V low = F(get)(x).re, high = F(get)(x + h * F(ROW)).re;
  F(set)(z, (F(pair)){ low - high, low + high });
  for (int64_t k = 1; k <= h / 2; k++) {
    const F(pair) a = F(get)(x + k * F(ROW)), b = F(get)(x + (h - k) * F(ROW));
    const T u[2] = { w[2 * k], -w[2 * k + 1] };
    const F(pair) e = { a.re + b.re, a.im - b.im }, t = F(turn)((F(pair)){ a.re - b.re, a.im + b.im }, u);
    const F(pair) there = F(plus_i)(e, t), away = F(minus_i)(e, t);
    F(set)(z + k * F(ROW), (F(pair)){ there.im, there.re });
    F(set)(z + (h - k) * F(ROW), (F(pair)){ -away.im, away.re });
  }
}

static void F(lines_simd)(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                       int64_t out_step, T scale, T *tile)
{
  const int64_t n = p->n;
  const T *w = p->half_roots;
  T *room = tile + (n + 1) * F(ROW);
  for (int64_t i = 0; i < count; i += LANES) {
    const char *from[LANES];
    char *to[LANES];
    /* The last line once more in lanes without one. */
    for (int k = 0; k < LANES; k++) {
      const int64_t line = i + k < count ? i + k : count - 1;
      from[k] = in + line * in_step;
      to[k] = out + line * out_step;
    }
    if (p->kind == CPU_LINES_C2C) {
      F(into_rows)(from, n, back, tile);
      F(all_steps)(p->many, tile, room);
      F(from_rows)(room, n, back, scale, to);
    } else if (p->kind == CPU_LINES_R2C) {
      F(into_rows)(from, n, false, tile);
      F(all_steps)(p->many, tile, room);
      F(rows_there)(n, w, room, tile);
      F(from_rows)(tile, n + 1, false, scale / 2, to);
    } else {
      F(into_rows)(from, n + 1, false, room);
      F(rows_back)(n, w, room, tile);
      F(all_steps)(p->many, tile, room);
      F(from_rows)(room, n, true, scale, to);
    }
  }
}

#undef BETWEEN
#undef LAST
