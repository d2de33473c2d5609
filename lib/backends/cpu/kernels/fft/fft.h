// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of a few numbers in registers, LANES of them at once: of float, or with SINGLE 0 double, in vectors of WIDTH
 * bits. Includes LOOPS, a header of loops over memory; S is the end of all names.
 *
 * Real and imaginary parts are vectors of their own on the way. Forwards with the factors in order (decimation in
 * frequency). The inverse transform is the forward one with real and imaginary parts exchanged.
 * AVX2 with FMA and AVX-512.
 */
#if SINGLE
#define T float
#define LANES (WIDTH / 32)
#else
#define T double
#define LANES (WIDTH / 64)
#endif
#if SINGLE && WIDTH == 512
#define S f16
#define V __m512
#define M(name) _mm512_##name##_ps
#elif SINGLE && WIDTH == 256
#define S f8
#define V __m256
#define M(name) _mm256_##name##_ps
#elif SINGLE && WIDTH == 128
#define S f4
#define V __m128
#define M(name) _mm_##name##_ps
#elif !SINGLE && WIDTH == 512
#define S d8
#define V __m512d
#define M(name) _mm512_##name##_pd
#elif !SINGLE && WIDTH == 256
#define S d4
#define V __m256d
#define M(name) _mm256_##name##_pd
#elif !SINGLE && WIDTH == 128
#define S d2
#define V __m128d
#define M(name) _mm_##name##_pd
#endif
/* Those lanes of two vectors, which unpacklo and unpackhi put back. */
#if SINGLE
#define EVEN(a, b) M(shuffle)(a, b, 0x88)
#define ODD(a, b) M(shuffle)(a, b, 0xdd)
#else
#define EVEN(a, b) M(unpacklo)(a, b)
#define ODD(a, b) M(unpackhi)(a, b)
#endif

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

static ALWAYS F(pair) F(reverse_each)(F(pair) x, const T *w)
{
  const F(pair) v = F(get)(w);
  return (F(pair)){ TAKEOFF(x.im, v.im, x.re * v.re), MULADD(x.im, v.re, x.re * v.im) };
}

/* The butterfly of R numbers, STEP elements from one to the next. */
static ALWAYS void F(across)(int r, const T *from, int64_t step, F(pair) *x)
{
#pragma GCC unroll 8
  for (int k = 0; k < r; k++)
    x[k] = F(get)(from + k * step);
  F(butterfly)(r, x);
}

/* What came of one, turned; EACH: W has a number for every lane. */
static ALWAYS void F(leave)(int r, const T *w, bool each, const F(pair) *x, T *to, int64_t step)
{
  F(set)(to, x[0]);
#pragma GCC unroll 8
  for (int k = 1; k < r; k++)
    F(set)(to + k * step, each ? F(reverse_each)(x[k], w + (k - 1) * F(ROW)) : F(turn)(x[k], w + 2 * (k - 1)));
}

/* Numbers of R parts with M rows each, the first of them AT. */
static ALWAYS void F(cross)(int r, int64_t m, const T *w, bool each, T *at)
{
  F(pair) x[8];
  F(across)(r, at, m * F(ROW), x);
  F(leave)(r, w, each, x, at, m * F(ROW));
}

/* A step of BLOCKS blocks of R parts with M rows each. */
static ALWAYS void F(between)(int r, int64_t m, const T *w, int64_t blocks, T *tile)
{
  for (int64_t b = 0; b < blocks; b++, tile += r * m * F(ROW))
    for (int64_t j = 0; j < m; j++)
      F(cross)(r, m, w + 2 * j * (r - 1), false, tile + j * F(ROW));
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

#include LOOPS

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
#undef WIDTH
#undef SINGLE
