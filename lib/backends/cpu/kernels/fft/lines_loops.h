// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of lines (lines.h); fft.h includes this once per type and width. Lanes are in the order that fetch makes.
 * AVX2 with FMA and AVX-512; contiguous lines, chosen by fft/fft_stage.c.
 */
/* Where a lane's number is among neighbours. */
#if SINGLE
#define LANE_OF(lane) ((lane) / 4 * 2 + (lane) % 2 + (lane) / 2 % 2 * (LANES / 2))
#else
#define LANE_OF(lane) ((lane) / 2 + (lane) % 2 * (LANES / 2))
#endif

enum { F(NEAR) = 24 << 10 }; /* bytes of a block that all steps are done with before the next one */

/* Order of lanes, and so of neighbours. */
static ALWAYS V F(reverse)(V v)
{
#if SINGLE && WIDTH == 512
  return _mm512_permutexvar_ps(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v);
#elif SINGLE && WIDTH == 256
  return _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#elif SINGLE
  return _mm_shuffle_ps(v, v, 0x1b);
#elif WIDTH == 512
  return _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v);
#else
  return _mm256_permute4x64_pd(v, 0x1b);
#endif
}

/* Of a matrix of LANES rows. */
static ALWAYS void F(transpose)(V *x)
{
#if SINGLE && WIDTH == 128
  const V a = _mm_unpacklo_ps(x[0], x[1]), b = _mm_unpackhi_ps(x[0], x[1]);
  const V c = _mm_unpacklo_ps(x[2], x[3]), d = _mm_unpackhi_ps(x[2], x[3]);
  x[0] = _mm_movelh_ps(a, c);
  x[1] = _mm_movehl_ps(c, a);
  x[2] = _mm_movelh_ps(b, d);
  x[3] = _mm_movehl_ps(d, b);
#else
#if WIDTH == 512
#define INTEGERS __m512i
#else
#define INTEGERS __m256i
#endif
  INTEGERS from[LANES], to[LANES];
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++)
    from[k] = (INTEGERS)x[k];
#if SINGLE && WIDTH == 512
  transpose_16_u32(from, to);
#elif SINGLE
  transpose_8x8(from, to, 1);
#elif WIDTH == 512
  transpose_8_u64(from, to);
#else
  transpose_4x4(from, to, 1);
#endif
#pragma GCC unroll 16
  for (int k = 0; k < LANES; k++)
    x[k] = (V)to[k];
#undef INTEGERS
#endif
}

#if LANES == 16
/* As four times four. */
static ALWAYS void F(sixteen)(F(pair) *x)
{
  static const T w[10][2] = { { 1, 0 },
                              { (T)0.92387953251128675613, (T)-0.38268343236508977173 },
                              { (T)0.70710678118654752440, (T)-0.70710678118654752440 },
                              { (T)0.38268343236508977173, (T)-0.92387953251128675613 },
                              { 0, -1 },
                              { 0, 0 },
                              { (T)-0.70710678118654752440, (T)-0.70710678118654752440 },
                              { 0, 0 },
                              { 0, 0 },
                              { (T)-0.92387953251128675613, (T)0.38268343236508977173 } };
  F(pair) y[16];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    F(four)(&x[k], &x[k + 4], &x[k + 8], &x[k + 12]);
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
      y[i] = i * k == 0 ? x[4 * k + i]
             : i * k == 4 ? (F(pair)){ x[4 * k + i].im, -x[4 * k + i].re } : F(turn)(x[4 * k + i], w[i * k]);
    F(four)(&y[0], &y[1], &y[2], &y[3]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
      x[4 * k + i] = y[i];
  }
#pragma GCC unroll 16
  for (int k = 0; k < 16; k++)
    y[k / 4 + k % 4 * 4] = x[k];
#pragma GCC unroll 16
  for (int k = 0; k < 16; k++)
    x[k] = y[k];
}
#endif

/* M vectors in each part, here and below. */
static ALWAYS void F(line_first)(int r, int64_t m, const T *w, bool back, const char *in, T *tile)
{
  for (int64_t j = 0; j < m; j++, w += F(ROW) * (r - 1)) {
    F(pair) x[8];
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      x[k] = F(fetch)(in + (j + k * m) * F(ROW) * (int64_t)sizeof(T), back);
    F(butterfly)(r, x);
    F(leave)(r, w, true, x, tile + j * F(ROW), m * F(ROW));
  }
}

static ALWAYS void F(line_between)(int r, int64_t m, const T *turns, int64_t blocks, T *tile)
{
  for (int64_t b = 0; b < blocks; b++, tile += r * m * F(ROW)) {
    const T *w = turns;
    for (int64_t j = 0; j < m; j++, w += F(ROW) * (r - 1))
      F(cross)(r, m, w, true, tile + j * F(ROW));
  }
}

/* Steps from STEP on of BLOCKS blocks of M vectors each. */
static void F(line_steps)(const cpu_lines *p, int step, int64_t m, const T *w, int64_t blocks, T *tile)
{
  for (; step < p->steps; step++) {
    if (blocks > 1 && blocks * m * F(ROW) * (int64_t)sizeof(T) > F(NEAR)) {
      for (int64_t b = 0; b < blocks; b++)
        F(line_steps)(p, step, m, w, 1, tile + b * m * F(ROW));
      return;
    }
    const int r = p->radix[step];
    m /= r;
#define BETWEEN(r) F(line_between)(r, m, w, blocks, tile)
    BY_RADIX(r, BETWEEN)
    w += F(ROW) * m * (r - 1);
    blocks *= r;
  }
}

/* LANES blocks that belong beside each other. */
static ALWAYS void F(line_last)(const cpu_lines *p, bool back, const T *tile, char *out, T scale)
{
  const V factor = SPLAT(scale);
  const int64_t parts = p->n / LANES, size = 2 * (int64_t)sizeof(T);
  const int32_t *block = p->block;
  for (int64_t i = 0; i < parts; i += LANES, block += LANES) {
    const int64_t at = i + LANES <= parts ? i : parts - LANES;
    V re[LANES], im[LANES];
    F(pair) x[LANES];
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++)
      re[k] = M(load)(tile + block[k] * F(ROW));
    F(transpose)(re);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++)
      im[k] = M(load)(tile + block[k] * F(ROW) + LANES);
    F(transpose)(im);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++)
      x[LANE_OF(k)] = (F(pair)){ re[k], im[k] };
#if LANES == 16
    F(sixteen)(x);
#else
    F(butterfly)(LANES, x);
#endif
    char *to = out + at * size;
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++)
      F(put)(to + k * parts * size, (F(pair)){ x[k].re * factor, x[k].im * factor }, back);
  }
}

static ALWAYS void F(line)(const cpu_lines *p, bool back, const char *in, char *out, T scale, T *tile)
{
  const int r = p->radix[0];
  const int64_t m = p->n / LANES / r;
  const T *w = p->turns;
#define FIRST(r) F(line_first)(r, m, w, back, in, tile)
  BY_RADIX(r, FIRST)
  F(line_steps)(p, 1, m, w + F(ROW) * m * (r - 1), r, tile);
  F(line_last)(p, back, tile, out, scale);
}

static ALWAYS void F(two)(const char *p, T *z)
{
  __builtin_memcpy(z, p, 2 * sizeof *z);
}

/*
 * Of a real line x, z(j) = x(2j) + i x(2j+1) has the transform Z. With E = Z(k) + conj Z(h-k) and
 * O = -i w^k (Z(k) - conj Z(h-k)), h half the length, twice the transform of x is E + O at k and conj(E - O) at h-k. Z(h) is
 * Z(0). LANES numbers at K and as many that end at h-K; the way back is the same with w^-k and i.
 */
static ALWAYS void F(halves)(const char *in, char *out, int64_t k, int64_t h, const T *w, V factor, bool back)
{
  const int64_t size = 2 * (int64_t)sizeof(T), end = h - k - LANES + 1;
  const F(pair) a = F(fetch)(in + k * size, false), b = F(fetch)(in + end * size, false), v = F(get)(w);
  const V br = F(reverse)(b.re), bi = F(reverse)(b.im);
  const F(pair) e = { a.re + br, a.im - bi }, d = { a.re - br, a.im + bi };
  /* w d, or conj(w) d */
  const F(pair) t = back ? (F(pair)){ MULADD(d.im, v.im, d.re * v.re), TAKEOFF(d.re, v.im, d.im * v.re) }
                         : (F(pair)){ TAKEOFF(d.im, v.im, d.re * v.re), MULADD(d.re, v.im, d.im * v.re) };
  const F(pair) there = back ? F(plus_i)(e, t) : F(minus_i)(e, t), away = back ? F(minus_i)(e, t) : F(plus_i)(e, t);
  F(put)(out + k * size, (F(pair)){ there.re * factor, there.im * factor }, false);
  F(put)(out + end * size, (F(pair)){ F(reverse)(away.re * factor), F(reverse)(-away.im * factor) }, false);
}

/* All of them: h + 1 numbers to h + 1 numbers elsewhere. */
static ALWAYS void F(all_halves)(const cpu_lines *p, const char *in, char *out, T scale, bool back)
{
  const int64_t h = p->n, half = h / 2 + 1;
  const V factor = SPLAT(scale);
  const T *w = p->half_roots;
  for (int64_t k = 0; k < half; k += LANES, w += F(ROW))
    F(halves)(in, out, k + LANES <= half ? k : half - LANES, h, w, factor, back);
}

static void F(lines)(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                     int64_t out_step, T scale, T *tile)
{
  const int64_t size = 2 * (int64_t)sizeof(T);
  char *z = (char *)(tile + 2 * p->n), *end = z + p->n * size;
  for (int64_t i = 0; i < count; i++, in += in_step, out += out_step) {
    if (p->kind == CPU_LINES_C2C) {
      F(line)(p, back, in, out, scale, tile);
    } else if (p->kind == CPU_LINES_R2C) {
      T first[2];
      F(line)(p, false, in, z, 1, tile);
      F(two)(z, first);
      __builtin_memcpy(end, z, (size_t)size);
      F(all_halves)(p, z, out, scale / 2, false);
      const T low[2] = { (first[0] + first[1]) * scale, 0 }, high[2] = { (first[0] - first[1]) * scale, 0 };
      __builtin_memcpy(out, low, sizeof low);
      __builtin_memcpy(out + p->n * size, high, sizeof high);
    } else {
      T low[2], high[2];
      F(two)(in, low);
      F(two)(in + p->n * size, high);
      F(all_halves)(p, in, z, 1, true);
      const T first[2] = { low[0] + high[0], low[0] - high[0] };
      __builtin_memcpy(z, first, sizeof first);
      F(line)(p, true, z, out, scale, tile);
    }
  }
}

#undef LANE_OF
#undef FIRST
#undef BETWEEN
