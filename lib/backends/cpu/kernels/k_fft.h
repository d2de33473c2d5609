// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of columns that lie side by side, LANES of them at once; columns.c includes this once per type and width with T
 * (the element), S (the suffix of names), V (a vector of T), LANES, M(name) (the instruction of that name), and EVEN and ODD
 * (those lanes of two vectors, which unpacklo and unpackhi put back) defined.
 *
 * Real and imaginary parts are vectors of their own on the way. Forwards with the factors in order (decimation in
 * frequency): the first step reads rows from memory, steps between work in TILE, the last one writes rows where they belong.
 * The inverse transform is the forward one with real and imaginary parts exchanged.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)

#define SPLAT(x) M(set1)(x)
#define MULADD(a, b, c) M(fmadd)(a, b, c)
#define TAKEOFF(a, b, c) M(fnmadd)(a, b, c)

typedef struct F(pair) {
  V re, im;
} F(pair);

/* LANES complex numbers next to each other. */
static ALWAYS F(pair) F(fetch)(const char *p, bool back)
{
  const V a = M(loadu)((const void *)p), b = M(loadu)((const void *)(p + sizeof(V)));
  const V re = EVEN(a, b), im = ODD(a, b);
  return back ? (F(pair)){ im, re } : (F(pair)){ re, im };
}

static ALWAYS void F(put)(char *p, F(pair) x, bool back)
{
  const V re = back ? x.im : x.re, im = back ? x.re : x.im;
  M(storeu)((void *)p, M(unpacklo)(re, im));
  M(storeu)((void *)(p + sizeof(V)), M(unpackhi)(re, im));
}

static ALWAYS F(pair) F(plus)(F(pair) a, F(pair) b) { return (F(pair)){ a.re + b.re, a.im + b.im }; }
static ALWAYS F(pair) F(minus)(F(pair) a, F(pair) b) { return (F(pair)){ a.re - b.re, a.im - b.im }; }
/* a - i b, a + i b */
static ALWAYS F(pair) F(minus_i)(F(pair) a, F(pair) b) { return (F(pair)){ a.re + b.im, a.im - b.re }; }
static ALWAYS F(pair) F(plus_i)(F(pair) a, F(pair) b) { return (F(pair)){ a.re - b.im, a.im + b.re }; }
/* a + c b, a - c b */
static ALWAYS F(pair) F(plus_times)(F(pair) a, V c, F(pair) b)
{
  return (F(pair)){ MULADD(c, b.re, a.re), MULADD(c, b.im, a.im) };
}
static ALWAYS F(pair) F(minus_times)(F(pair) a, V c, F(pair) b)
{
  return (F(pair)){ TAKEOFF(c, b.re, a.re), TAKEOFF(c, b.im, a.im) };
}

static ALWAYS void F(four)(F(pair) *a, F(pair) *b, F(pair) *c, F(pair) *d)
{
  const F(pair) ac = F(plus)(*a, *c), a_c = F(minus)(*a, *c), bd = F(plus)(*b, *d), b_d = F(minus)(*b, *d);
  *a = F(plus)(ac, bd);
  *b = F(minus_i)(a_c, b_d);
  *c = F(minus)(ac, bd);
  *d = F(plus_i)(a_c, b_d);
}

static ALWAYS void F(eight)(F(pair) *x)
{
  const V c = SPLAT((T)0.70710678118654752440);
  F(four)(&x[0], &x[2], &x[4], &x[6]);
  F(four)(&x[1], &x[3], &x[5], &x[7]);
  const F(pair) e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6], o0 = x[1], o2 = x[5];
  const F(pair) o1 = { x[3].re + x[3].im, x[3].im - x[3].re };  /* times c: (1 - i) / sqrt(2) */
  const F(pair) o3 = { x[7].im - x[7].re, -x[7].im - x[7].re }; /* times c: (-1 - i) / sqrt(2) */
  x[0] = F(plus)(e0, o0);
  x[4] = F(minus)(e0, o0);
  x[1] = F(plus_times)(e1, c, o1);
  x[5] = F(minus_times)(e1, c, o1);
  x[2] = F(minus_i)(e2, o2);
  x[6] = F(plus_i)(e2, o2);
  x[3] = F(plus_times)(e3, c, o3);
  x[7] = F(minus_times)(e3, c, o3);
}

static ALWAYS void F(three)(F(pair) *x)
{
  const V half = SPLAT((T)0.5), s = SPLAT((T)0.86602540378443864676);
  const F(pair) t = F(plus)(x[1], x[2]), a = F(minus_times)(x[0], half, t);
  const F(pair) d = F(minus)(x[1], x[2]), b = { s * d.re, s * d.im };
  x[0] = F(plus)(x[0], t);
  x[1] = F(minus_i)(a, b);
  x[2] = F(plus_i)(a, b);
}

static ALWAYS void F(five)(F(pair) *x)
{
  const V c1 = SPLAT((T)0.30901699437494742410), c2 = SPLAT((T)0.80901699437494742410); /* the second is negative */
  const V s1 = SPLAT((T)0.95105651629515357212), s2 = SPLAT((T)0.58778525229247312917);
  const F(pair) t1 = F(plus)(x[1], x[4]), t2 = F(plus)(x[2], x[3]), d1 = F(minus)(x[1], x[4]), d2 = F(minus)(x[2], x[3]);
  const F(pair) a1 = F(minus_times)(F(plus_times)(x[0], c1, t1), c2, t2);
  const F(pair) a2 = F(plus_times)(F(minus_times)(x[0], c2, t1), c1, t2);
  const F(pair) p1 = { s1 * d1.re, s1 * d1.im }, p2 = { s2 * d1.re, s2 * d1.im };
  const F(pair) b1 = F(plus_times)(p1, s2, d2), b2 = F(minus_times)(p2, s1, d2);
  x[0] = F(plus)(F(plus)(x[0], t1), t2);
  x[1] = F(minus_i)(a1, b1);
  x[4] = F(plus_i)(a1, b1);
  x[2] = F(minus_i)(a2, b2);
  x[3] = F(plus_i)(a2, b2);
}

static ALWAYS void F(butterfly)(int r, F(pair) *x)
{
  if (r == 8)
    F(eight)(x);
  else if (r == 5)
    F(five)(x);
  else if (r == 4)
    F(four)(&x[0], &x[1], &x[2], &x[3]);
  else if (r == 3)
    F(three)(x);
  else {
    const F(pair) a = x[0];
    x[0] = F(plus)(a, x[1]);
    x[1] = F(minus)(a, x[1]);
  }
}

static ALWAYS F(pair) F(turn)(F(pair) x, const T *w)
{
  const V re = SPLAT(w[0]), im = SPLAT(w[1]);
  return (F(pair)){ TAKEOFF(x.im, im, x.re * re), MULADD(x.im, re, x.re * im) };
}

enum { F(ROW) = 2 * LANES }; /* elements of a row of the tile */

static ALWAYS F(pair) F(get)(const T *p) { return (F(pair)){ M(load)(p), M(load)(p + LANES) }; }

static ALWAYS void F(set)(T *p, F(pair) x)
{
  M(store)(p, x.re);
  M(store)(p + LANES, x.im);
}

static ALWAYS void F(first)(int r, int64_t m, const T *w, bool back, const char *in, int64_t in_row, T *tile)
{
  for (int64_t j = 0; j < m; j++, w += 2 * (r - 1)) {
    F(pair) x[8];
#pragma GCC unroll 8
    for (int k = 0; k < r; k++)
      x[k] = F(fetch)(in + (j + k * m) * in_row, back);
    F(butterfly)(r, x);
    F(set)(tile + j * F(ROW), x[0]);
#pragma GCC unroll 8
    for (int k = 1; k < r; k++)
      F(set)(tile + (j + k * m) * F(ROW), F(turn)(x[k], w + 2 * (k - 1)));
  }
}

static ALWAYS void F(between)(int r, int64_t m, const T *w, int64_t blocks, T *tile)
{
  for (int64_t b = 0; b < blocks; b++, tile += r * m * F(ROW))
    for (int64_t j = 0; j < m; j++) {
      F(pair) x[8];
      T *at = tile + j * F(ROW);
#pragma GCC unroll 8
      for (int k = 0; k < r; k++)
        x[k] = F(get)(at + k * m * F(ROW));
      F(butterfly)(r, x);
      F(set)(at, x[0]);
#pragma GCC unroll 8
      for (int k = 1; k < r; k++)
        F(set)(at + k * m * F(ROW), F(turn)(x[k], w + 2 * (j * (r - 1) + k - 1)));
    }
}

static ALWAYS void F(last)(int r, int64_t blocks, int64_t wide, const int32_t *place, bool back, const T *tile, char *out,
                           int64_t out_row, T scale)
{
  const V factor = SPLAT(scale);
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t g = 0; g < wide; g++) {
      F(pair) x[8];
      const T *from = tile + (g * blocks + b) * r * F(ROW);
#pragma GCC unroll 8
      for (int k = 0; k < r; k++)
        x[k] = F(get)(from + k * F(ROW));
      F(butterfly)(r, x);
      char *to = out + place[b] * out_row + g * 2 * (int64_t)sizeof(V);
#pragma GCC unroll 8
      for (int k = 0; k < r; k++)
        F(put)(to + k * blocks * out_row, (F(pair)){ x[k].re * factor, x[k].im * factor }, back);
    }
}

/* DO with r a constant. */
#define BY_RADIX(RADIX, DO) \
  switch (RADIX) {          \
  case 8: DO(8); break;     \
  case 5: DO(5); break;     \
  case 4: DO(4); break;     \
  case 3: DO(3); break;     \
  default: DO(2); break;    \
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
#define LAST(r) F(last)(r, blocks, wide, p->place, back, tile, out, out_row, scale)
  BY_RADIX(p->radix[p->steps - 1], LAST)
}

#undef FIRST
#undef BETWEEN
#undef LAST
#undef BY_RADIX
#undef SPLAT
#undef MULADD
#undef TAKEOFF
#undef F
#undef NAME__
#undef NAME_
#undef T
#undef S
#undef V
#undef LANES
#undef M
#undef EVEN
#undef ODD
