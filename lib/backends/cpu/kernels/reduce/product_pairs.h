// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of complex numbers, T's in pairs; a body of reduce.c, after product.h.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */
/* Four chains, as each has to wait for its own product. They begin at CHAIN_START, and a part of each has the highest bit of the
 * exponent when it is looked at, after OFTEN factors: four of float32, which cannot take it from there to where bits are lost, two
 * of float64, of which the first may, but then not the second back. What gets beyond the range stays there. Where chains leave
 * the bounds they are tried with fewer factors, and then multiplied one by one. */
INLINE bool N(pairs_some)(const T *r, const int deep, const int chains, pairs *q)
{
  enum { W = VECTOR / 8, MOST = sizeof(T) == 4 ? 4 : 2 };
  const int often = deep < MOST ? deep : MOST;
  pairs t[4];
  vl near = ~(vl){ 0 };
  UNROLL for (int k = 0; k < chains; k++)
    t[k] = (pairs){ q[k].re * CHAIN_START, q[k].im * CHAIN_START, q[k].exponent - 500 };
  for (int d = 0; d < deep; d += often) {
    UNROLL for (int e = 0; e < often; e++)
      UNROLL for (int k = 0; k < chains; k++, r += 2 * W) {
        vd re, im;
        if (deep > 1)
          prefetch_ahead(r, 2 * W * (int)sizeof(T));
        parts_apart(N(wide)(r), N(wide)(r + W), &re, &im);
        pairs_times(&t[k], re, im);
      }
    UNROLL for (int k = 0; k < chains; k++)
      near &= (vl)t[k].re | (vl)t[k].im;
  }
  near = near << 1 >> 63;
  UNROLL for (int k = 0; k < chains; k++)
    near &= (vl)(sum_of_sizes(t[k].re, t[k].im) < 0x1p1000);
  if (any_odd(~near))
    return false;
  UNROLL for (int k = 0; k < chains; k++) {
    q[k] = t[k];
    pairs_even(&q[k]);
  }
  return true;
}

static void N(prod_pairs)(int64_t n, const void *x, hed__product *p)
{
  enum { W = VECTOR / 8, GROUP = 4 * 4 * W, LONG = 8 * GROUP };
  const T *v = x;
  const vd none = { 0 };
  const pairs one = { none + 1, none, none };
  pairs q[4] = { one, one, one, one };
  int64_t i = 0, again = 0;
  int next = 0;
  for (int64_t some; n - i >= W; i += some) {
    if (i >= again && n - i >= LONG) {
      some = LONG;
      if (N(pairs_some)(v + 2 * i, 32, 4, q))
        continue;
      again = i + 8 * LONG;
    }
    some = n - i >= GROUP ? GROUP : n - i >= 4 * W ? 4 * W : W;
    if (some == GROUP ? N(pairs_some)(v + 2 * i, 4, 4, q) : some == 4 * W ? N(pairs_some)(v + 2 * i, 1, 4, q)
        : N(pairs_some)(v + 2 * i, 1, 1, &q[next++ & 3]))
      continue;
    for (int64_t k = i; k < i + some; k++)
      hed__product_complex(p, (double)v[2 * k], (double)v[2 * k + 1]);
  }
  if (i < n && n >= W) { /* filled up with ones */
    T rest[2 * W];
    for (int k = 0; k < 2 * W; k++)
      rest[k] = k % 2 == 0;
    memcpy(rest, v + 2 * i, (size_t)(n - i) * 2 * sizeof(T));
    if (N(pairs_some)(rest, 1, 1, &q[next & 3]))
      i = n;
  }
  for (; i < n; i++)
    hed__product_complex(p, (double)v[2 * i], (double)v[2 * i + 1]);
  if (n >= W)
    pairs_join(q, p);
}

/* Columns, as reals have them; M has both parts of each. What is near 1 after some rows stays, what has drifted is scaled, and
 * columns with a 0, what is not finite or what leaves the range go one by one. The last columns, which do not fill a vector, are
 * filled up with ones. */
static __attribute__((noinline)) void N(col_pairs_far)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e)
{
  for (int64_t k = 0; k < n; k++, x += 2 * sizeof(T)) {
    hed__product q = { { m[2 * k], m[2 * k + 1] }, e[k] };
    for (int64_t r = 0; r < rows; r++) {
      const T *v = (const T *)(const void *)(x + r * step);
      hed__product_complex(&q, (double)v[0], (double)v[1]);
    }
    hed__product_even(q.part, &q.exponent);
    m[2 * k] = q.part[0];
    m[2 * k + 1] = q.part[1];
    e[k] = q.exponent;
  }
}

INLINE void N(col_pairs_near)(const int wide, int64_t rows, const char *x, int64_t step, double *m, double *e)
{
  enum { W = VECTOR / 8, BYTES = 2 * W * sizeof(T), often = sizeof(T) == 4 ? 4 : 2 };
  const vd none = { 0 };
  const char *p = x;
  pairs t[4];
  vl all[4];
  int64_t r = 0;
  UNROLL for (int k = 0; k < wide; k++) {
    parts_apart(wide_f64(m + 2 * k * W) * CHAIN_START, wide_f64(m + 2 * k * W + W) * CHAIN_START, &t[k].re, &t[k].im);
    t[k].exponent = none;
    all[k] = ~(vl){ 0 };
  }
  while (r < rows) {
    const int64_t end = r + often < rows ? r + often : rows;
    for (; r < end; r++, p += step)
      UNROLL for (int k = 0; k < wide; k++) {
        const T *v = (const T *)(const void *)(p + k * BYTES);
        vd re, im;
        parts_apart(N(wide)(v), N(wide)(v + W), &re, &im);
        pairs_times(&t[k], re, im);
      }
    UNROLL for (int k = 0; k < wide; k++)
      all[k] &= (vl)t[k].re | (vl)t[k].im;
  }
  UNROLL for (int k = 0; k < wide; k++) {
    const vl near = (all[k] << 1 >> 63) & (vl)(sum_of_sizes(t[k].re, t[k].im) < 0x1p1000);
    double *const to = m + 2 * k * W, *const exponent = e + k * W;
    vd a, b;
    if (any_odd(~near)) {
      N(col_pairs_far)(rows, W, x + k * BYTES, step, to, exponent);
      continue;
    }
    t[k].re /= CHAIN_START;
    t[k].im /= CHAIN_START;
    if (any_odd(~between(sum_of_sizes(t[k].re, t[k].im), COL_MOST))) {
      pairs_even(&t[k]);
      for (int i = 0; i < W; i++) /* in the order of parts_apart() */
        exponent[i / 2 + i % 2 * (W / 2)] += t[k].exponent[i];
    }
    parts_apart(t[k].re, t[k].im, &a, &b); /* its own inverse */
    *(vd *)(void *)to = a;
    *(vd *)(void *)(to + W) = b;
  }
}

static void N(col_prod_pairs)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e)
{
  enum { W = VECTOR / 8, SIZE = 2 * sizeof(T), MOST = 64 };
  const int64_t last = n % W, over = n - last;
  T rest[MOST * 2 * W];
  double both[3 * W];
  for (int i = 0; i < MOST * 2 * W; i++)
    rest[i] = i % 2 == 0;
  for (int i = 0; i < 3 * W; i++)
    both[i] = i < 2 * W && i % 2 == 0;
  memcpy(both, m + 2 * over, (size_t)last * 2 * sizeof *m);
  memcpy(both + 2 * W, e + over, (size_t)last * sizeof *e);
  for (int64_t from = 0, some; from < rows; from += some, x += some * step) {
    int64_t j = 0;
    some = rows - from < MOST ? rows - from : MOST;
    for (; j + 4 * W <= n; j += 4 * W)
      N(col_pairs_near)(4, some, x + j * SIZE, step, m + 2 * j, e + j);
    for (; j + W <= n; j += W)
      N(col_pairs_near)(1, some, x + j * SIZE, step, m + 2 * j, e + j);
    if (last) {
      for (int64_t r = 0; r < some; r++)
        memcpy(rest + r * 2 * W, x + r * step + over * SIZE, (size_t)(last * SIZE));
      N(col_pairs_near)(1, some, (const char *)rest, SIZE * W, both, both + 2 * W);
    }
  }
  memcpy(m + 2 * over, both, (size_t)last * 2 * sizeof *m);
  memcpy(e + over, both + 2 * W, (size_t)last * sizeof *e);
}
