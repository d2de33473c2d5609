// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of reals; a body of reduce.c, after product.h. Every instruction set; contiguous slices and rows of contiguous columns.
 */
/* Fewer than a vector of elements, filled up with ones. */
INLINE vd N(ones_behind)(const T *x, int64_t n)
{
  return N(lower)(N(get_over)(N(each)(1), x, n));
}

/* Of float32 the product of four vectors, which float64 holds. */
INLINE vd N(factor)(const T *p)
{
  enum { W = VECTOR / 8 };
  if (sizeof(T) == 8)
    return N(wide)(p);
  return (N(wide)(p) * N(wide)(p + W)) * (N(wide)(p + 2 * W) * N(wide)(p + 3 * W));
}

/* One or four vectors of W elements are a factor of a chain of up to DEEP. Chains are multiplied as they are; where one
 * leaves the range, factors are split one by one. Mantissas below 2 are put together as many as fit a float64, and what comes of
 * that as often. */

/* One chain each, and nothing that would have to be done by parts. False: they left the range. */
static bool N(prod_few)(int64_t n, const T *v, hed__product *p)
{
  enum { W = VECTOR / 8, NEXT = (sizeof(T) == 4 ? 4 : 1) * W, ROUND = 4 * NEXT };
  const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;
  vd pa = start, pb = start, pc = start, pd = start;
  vl all = ~(vl){ 0 }, odd = { 0 };
  int64_t i = 0;
  for (; i + 2 * ROUND <= n; i += 2 * ROUND) {
    const T *const r = v + i;
    chain(&pa, N(factor)(r), N(factor)(r + ROUND), &all);
    chain(&pb, N(factor)(r + NEXT), N(factor)(r + ROUND + NEXT), &all);
    chain(&pc, N(factor)(r + 2 * NEXT), N(factor)(r + ROUND + 2 * NEXT), &all);
    chain(&pd, N(factor)(r + 3 * NEXT), N(factor)(r + ROUND + 3 * NEXT), &all);
  }
  for (; i + 2 * NEXT <= n; i += 2 * NEXT) {
    chain(&pa, N(factor)(v + i), one, &all);
    chain(&pb, N(factor)(v + i + NEXT), one, &all);
  }
  for (; i + W <= n; i += W)
    chain(&pc, N(wide)(v + i), one, &all);
  if (i < n)
    chain(&pd, N(ones_behind)(v + i, n - i), one, &all);
  if (!chains_near(all, pa, pb, pc, pd))
    return false;
  const vd ab = (pa / CHAIN_START) * (pb / CHAIN_START); /* between 2^-998 and 2^1002 */
  const vd cd = (pc / CHAIN_START) * (pd / CHAIN_START);
  if (!any_odd(~between(ab * cd, 0x1p100))) {
    hed__product_real(p, product_of_lanes(ab * cd));
    return true;
  }
  split total = { one, none };
  split_in(&total, ab, &odd);
  split_in(&total, cd, &odd);
  split_out(&total, p);
  return true;
}

static void N(prod_near)(int64_t n, const void *x, hed__product *p)
{
  enum { W = VECTOR / 8, NEXT = (sizeof(T) == 4 ? 4 : 1) * W, ROUND = 4 * NEXT, DEEP = 32, MOST = 7 * DEEP * ROUND };
  const T *v = x;
  const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;
  if (n <= DEEP * ROUND && N(prod_few)(n, v, p))
    return;
  while (n > 0) {
    split total = { one, { 0 } };
    for (int turn = 0; turn < 100 && n > 0; turn++) {
      const int64_t some = n < MOST ? n : MOST;
      split a = { one, { 0 } }, b = a, c = a, d = a;
      vl odd = { 0 };
      int64_t i = 0, end;
      for (; i + 2 * ROUND <= some; i = end) {
        vd pa = start, pb = start, pc = start, pd = start;
        vl all = ~(vl){ 0 };
        end = i + (some - i < DEEP * ROUND ? (some - i) / (2 * ROUND) * (2 * ROUND) : DEEP * ROUND);
        for (const T *r = v + i; r < v + end; r += 2 * ROUND) {
          for (int k = 0; k < 2 * ROUND * (int)sizeof(T); k += 64)
            __builtin_prefetch((const char *)r + PREFETCH_DISTANCE + k);
          chain(&pa, N(factor)(r), N(factor)(r + ROUND), &all);
          chain(&pb, N(factor)(r + NEXT), N(factor)(r + ROUND + NEXT), &all);
          chain(&pc, N(factor)(r + 2 * NEXT), N(factor)(r + ROUND + 2 * NEXT), &all);
          chain(&pd, N(factor)(r + 3 * NEXT), N(factor)(r + ROUND + 3 * NEXT), &all);
        }
        if (!chains_near(all, pa, pb, pc, pd))
          break;
        split_in(&a, pa / CHAIN_START, &odd);
        split_in(&b, pb / CHAIN_START, &odd);
        split_in(&c, pc / CHAIN_START, &odd);
        split_in(&d, pd / CHAIN_START, &odd);
      }
      for (; i + ROUND <= some; i += ROUND) {
        for (int k = 0; k < ROUND * (int)sizeof(T); k += 64)
          __builtin_prefetch((const char *)(v + i) + PREFETCH_DISTANCE + k);
        split_in(&a, N(factor)(v + i), &odd);
        split_in(&b, N(factor)(v + i + NEXT), &odd);
        split_in(&c, N(factor)(v + i + 2 * NEXT), &odd);
        split_in(&d, N(factor)(v + i + 3 * NEXT), &odd);
      }
      for (; i + NEXT <= some; i += NEXT)
        split_in(&b, N(factor)(v + i), &odd);
      if (i < some) { /* filled up with ones */
        T rest[NEXT];
        for (int k = 0; k < NEXT; k++)
          rest[k] = 1;
        for (int64_t k = i; k < some; k++)
          rest[k - i] = v[k];
        split_in(&c, N(factor)(rest), &odd);
      }
      a = (split){ (a.mantissa * b.mantissa) * (c.mantissa * d.mantissa),
                   (a.exponent + b.exponent) + (c.exponent + d.exponent) };
      if (any_odd(odd))
        for (i = 0; i < some; i++)
          hed__product_real(p, (double)v[i]);
      else
        split_join(&total, &a);
      v += some;
      n -= some;
    }
    split_out(&total, p);
  }
}

/* As two streams, as sums are read; a turn is four mantissas more. */
static void N(prod)(int64_t n, const void *x, hed__product *p)
{
  enum { W = VECTOR / 8, NEXT = (sizeof(T) == 4 ? 4 : 1) * W, ROUND = 4 * NEXT, SOME = 16 * ROUND, TURNS = 25 };
  const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;
  const T *v = x;
  const int64_t half = n * (int64_t)sizeof(T) >= FAR ? n / (2 * SOME) * SOME : 0;
  for (int64_t i = 0; i < half;) {
    split total = { one, { 0 } };
    vl odd = { 0 };
    for (int turn = 0; turn < TURNS && i < half; turn++, i += SOME) {
      vd pa = start, pb = start, pc = start, pd = start;
      vl all = ~(vl){ 0 };
      for (const T *r = v + i; r < v + i + SOME; r += ROUND) {
        const T *const q = r + half;
        chain(&pa, N(factor)(r), N(factor)(q), &all);
        chain(&pb, N(factor)(r + NEXT), N(factor)(q + NEXT), &all);
        chain(&pc, N(factor)(r + 2 * NEXT), N(factor)(q + 2 * NEXT), &all);
        chain(&pd, N(factor)(r + 3 * NEXT), N(factor)(q + 3 * NEXT), &all);
      }
      if (chains_near(all, pa, pb, pc, pd)) {
        split_in(&total, pa / CHAIN_START, &odd);
        split_in(&total, pb / CHAIN_START, &odd);
        split_in(&total, pc / CHAIN_START, &odd);
        split_in(&total, pd / CHAIN_START, &odd);
      } else {
        N(prod_near)(SOME, v + i, p);
        N(prod_near)(SOME, v + half + i, p);
      }
    }
    split_out(&total, p);
  }
  N(prod_near)(n - 2 * half, v + 2 * half, p);
}

/* Columns. Products that stay near 1 cost a multiplication, and a look after every second one, as in a chain, or every fourth of
 * float32, which from 2 on are above 2^-600; a 0 or what is not finite stays one by multiplications alone. What has drifted
 * without leaving the range is split when it is stored. Factors of others are split, and those with a 0 or what is not finite go
 * one by one. M and E: the parts of hed__product, apart.
 * Four vectors of columns go at a time; the last columns, which do not fill one, are the end of one that overlaps, whose other
 * lanes are left. Many rows at a time take less than few but where they come from memory, or lie where the L1 cache has few
 * places for all of them. */

/* N columns, a vector of them or fewer, that leave the range. */
static __attribute__((noinline)) void N(col_far)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e)
{
  enum { W = VECTOR / 8 };
  if (n == W) {
    const vd none = { 0 };
    vl odd = { 0 };
    split q = { none + 1, wide_f64(e) };
    split_in(&q, wide_f64(m), &odd);
    for (int64_t r = 0; r < rows; r++)
      split_in(&q, N(wide)(x + r * step), &odd);
    if (!any_odd(odd | (vl)(q.exponent - q.exponent != none))) {
      *(vd *)(void *)m = q.mantissa;
      *(vd *)(void *)e = q.exponent;
      return;
    }
  }
  for (int64_t k = 0; k < n; k++, x += sizeof(T)) {
    hed__product q = { { m[k], 0 }, e[k] };
    for (int64_t r = 0; r < rows; r++)
      hed__product_real(&q, (double)*(const T *)(const void *)(x + r * step));
    m[k] = hed__product_split(q.part[0], &q.exponent); /* all lanes: they drift alike */
    e[k] = q.exponent;
  }
}

INLINE void N(col_near)(const int wide, int64_t rows, const char *x, int64_t step, double *m, double *e)
{
  enum { W = VECTOR / 8, often = sizeof(T) == 4 ? 4 : 2 };
  const char *p = x;
  vd a[4];
  vl all[4];
  int64_t r = 0;
  UNROLL for (int k = 0; k < wide; k++) {
    a[k] = wide_f64(m + k * W) * CHAIN_START;
    all[k] = ~(vl){ 0 };
  }
  for (; r + often <= rows; r += often) {
    UNROLL for (int o = 0; o < often; o++, p += step)
      UNROLL for (int k = 0; k < wide; k++)
        a[k] *= N(wide)(p + k * W * (int)sizeof(T));
    UNROLL for (int k = 0; k < wide; k++)
      all[k] &= (vl)a[k];
  }
  for (; r < rows; r++, p += step)
    UNROLL for (int k = 0; k < wide; k++) {
      a[k] *= N(wide)(p + k * W * (int)sizeof(T));
      all[k] &= (vl)a[k];
    }
  UNROLL for (int k = 0; k < wide; k++) {
    const vd end = a[k] / CHAIN_START, before = wide_f64(m + k * W);
    const vl near = (all[k] << 1 >> 63) & (vl)((vd)((vl)a[k] & INT64_MAX) < 0x1p1020);
    if (!any_odd(~(near & between(end, COL_MOST)))) {
      *(vd *)(void *)(m + k * W) = end;
    } else if (!any_odd(~near & between(before, COL_MOST))) {
      vl odd = { 0 };
      split q = { (vd){ 0 } + 1, wide_f64(e + k * W) };
      const vl old = (vl)q.exponent;
      split_in(&q, end, &odd);
      *(vl *)(void *)(m + k * W) = ((vl)q.mantissa & near) | ((vl)end & ~near);
      *(vl *)(void *)(e + k * W) = ((vl)q.exponent & near) | (old & ~near);
    } else {
      N(col_far)(rows, W, x + k * W * (int)sizeof(T), step, m + k * W, e + k * W);
    }
  }
}

static void N(col_prod)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e)
{
  enum { W = VECTOR / 8, NEAR = 1 << 20 };
  const int64_t last = n % W, over = n - W, bytes = rows * llabs(step);
  const int64_t most = bytes <= NEAR && step % 1024 ? 64 : 16;
  for (int64_t from = 0, some; from < rows; from += some, x += some * step) {
    int64_t j = 0;
    double both[2][W];
    some = rows - from < most ? rows - from : most;
    if (n < W) {
      N(col_far)(some, n, x, step, m, e);
      continue;
    }
    memcpy(both[0], m + over, sizeof both[0]);
    memcpy(both[1], e + over, sizeof both[1]);
    for (; j + 4 * W <= n; j += 4 * W)
      N(col_near)(4, some, x + j * (int64_t)sizeof(T), step, m + j, e + j);
    for (; j + W <= n; j += W)
      N(col_near)(1, some, x + j * (int64_t)sizeof(T), step, m + j, e + j);
    if (last) {
      N(col_near)(1, some, x + over * (int64_t)sizeof(T), step, both[0], both[1]);
      memcpy(m + j, both[0] + W - last, (size_t)last * sizeof *m);
      memcpy(e + j, both[1] + W - last, (size_t)last * sizeof *e);
    }
  }
}
