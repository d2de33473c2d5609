// SPDX-License-Identifier: BSD-3-Clause
/*
 * Inner products of one precision; dot.c includes this once per precision with T (a part), S (its suffix) and SC (that of
 * complex numbers of it) defined. L1.
 *
 * Parts of complex numbers stay interleaved: one sum of a's parts times b's, one of a's times b's swapped, and only the ends are
 * put together: conj(a) only changes signs there.
 * Every instruction set; rows of contiguous elements, chosen by linalg/vecdot.c and dots.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define FC(a) NAME__(a, SC)
#define V F(vec)
#define LANES ((int64_t)(CPU_VECTOR / sizeof(T)))

typedef T F(vec) __attribute__((vector_size(CPU_VECTOR)));
typedef T F(loose) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));

ALWAYS V F(load)(const T *p) { return (V)*(const F(loose) *)(const void *)p; }

/* The sums of the even and of the odd lanes. */
ALWAYS void F(fold)(V v, T *even, T *odd)
{
  const F(quarter) q = QUARTER(v);
  *even = sizeof(T) == 4 ? q[0] + q[2 % (16 / sizeof(T))] : q[0];
  *odd = sizeof(T) == 4 ? q[1] + q[3 % (16 / sizeof(T))] : q[1];
}

/* A complex number of the sums of even and odd lanes: of like parts, and of a's parts times unlike ones. */
ALWAYS void F(join)(T re_re, T im_im, T re_im, T im_re, bool conjugate, T *c)
{
  c[0] = conjugate ? re_re + im_im : re_re - im_im;
  c[1] = conjugate ? re_im - im_re : re_im + im_re;
}

/* One product of M parts, PAIRS of which are numbers. */
ALWAYS void F(product)(int64_t m, const T *a, const T *b, const bool pairs, bool conjugate, T *c)
{
  enum { STEPS = 32 }; /* of four vectors each in a block */
  V plain = { 0 }, cross = { 0 };
  int64_t i = 0;
  while (i + 4 * LANES <= m) {
    const int64_t most = i + 4 * STEPS * LANES, end = most < m ? most : m;
    V p[4] = { { 0 } }, x[4] = { { 0 } };
    for (; i + 4 * LANES <= end; i += 4 * LANES)
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) {
        const V v = F(load)(a + i + k * LANES), w = F(load)(b + i + k * LANES);
        p[k] = MULADD(p[k], v, w);
        if (pairs)
          x[k] = MULADD(x[k], v, SWAPPED(w));
      }
    plain += (p[0] + p[1]) + (p[2] + p[3]);
    if (pairs)
      cross += (x[0] + x[1]) + (x[2] + x[3]);
  }
  for (; i < m; i += LANES) {
    const bool whole = i + LANES <= m;
    const V v = whole ? F(load)(a + i) : SOME(a + i, m - i), w = whole ? F(load)(b + i) : SOME(b + i, m - i);
    plain = MULADD(plain, v, w);
    if (pairs)
      cross = MULADD(cross, v, SWAPPED(w));
  }
  T even, odd;
  F(fold)(plain, &even, &odd);
  if (pairs) {
    T re_im, im_re;
    F(fold)(cross, &re_im, &im_re);
    F(join)(even, odd, re_im, im_re, conjugate, c);
  } else {
    c[0] = even + odd;
  }
}

ALWAYS void F(all)(const cpu_dot *d, const bool pairs)
{
  const char *a = d->a, *b = d->b;
  char *c = d->c;
  for (int64_t q = 0; q < d->count; q++, a += d->a_step, b += d->b_step, c += d->c_step)
    F(product)(pairs ? 2 * d->n : d->n, (const T *)(const void *)a, (const T *)(const void *)b, pairs, d->conjugate,
               (T *)(void *)c);
}

static void F(rows)(const cpu_dot *d) { F(all)(d, false); }
static void FC(rows)(const cpu_dot *d) { F(all)(d, true); }

/* ROWS rows of M parts; a constant. */
ALWAYS void F(some_rows)(const int rows, int64_t m, const char *a, int64_t a_step, const char *b, int64_t b_step, const bool pairs,
                         T *sum)
{
  int64_t i = 0;
  for (; i + LANES <= m; i += LANES) {
    V p = F(load)(sum + i), x = pairs ? F(load)(sum + m + i) : p;
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
      const V v = F(load)((const T *)(const void *)(a + r * a_step) + i), w = F(load)((const T *)(const void *)(b + r * b_step) + i);
      p = MULADD(p, v, w);
      if (pairs)
        x = MULADD(x, v, SWAPPED(w));
    }
    memcpy(sum + i, &p, sizeof p);
    if (pairs)
      memcpy(sum + m + i, &x, sizeof x);
  }
  for (; i < m; i++)
    for (int r = 0; r < rows; r++) {
      const T v = ((const T *)(const void *)(a + r * a_step))[i], *w = (const T *)(const void *)(b + r * b_step);
      sum[i] += v * w[i];
      if (pairs)
        sum[m + i] += v * w[i ^ 1];
    }
}

ALWAYS void F(all_rows)(const cpu_dot *d, const bool pairs, T *sum)
{
  const int64_t m = pairs ? 2 * d->count : d->count;
  int64_t r = 0;
  for (; r + 8 <= d->n; r += 8)
    F(some_rows)(8, m, d->a + r * d->a_step, d->a_step, d->b + r * d->b_step, d->b_step, pairs, sum);
  for (; r < d->n; r++)
    F(some_rows)(1, m, d->a + r * d->a_step, d->a_step, d->b + r * d->b_step, d->b_step, pairs, sum);
}

static void F(columns)(const cpu_dot *d, void *sum) { F(all_rows)(d, false, sum); }
static void FC(columns)(const cpu_dot *d, void *sum) { F(all_rows)(d, true, sum); }

static void F(ends)(const cpu_dot *d, const void *sum)
{
  const T *s = sum;
  for (int64_t i = 0; i < d->count; i++)
    *(T *)(void *)(d->c + i * d->c_step) = s[i];
}

static void FC(ends)(const cpu_dot *d, const void *sum)
{
  const T *like = sum, *unlike = like + 2 * d->count;
  for (int64_t i = 0; i < 2 * d->count; i += 2) {
    T *c = (T *)(void *)(d->c + i / 2 * d->c_step);
    F(join)(like[i], like[i + 1], unlike[i], unlike[i + 1], d->conjugate, c);
  }
}

#undef NAME_
#undef NAME__
#undef F
#undef FC
#undef V
#undef LANES
#undef T
#undef S
#undef SC
#undef MULADD
#undef SWAPPED
#undef QUARTER
#undef SOME
