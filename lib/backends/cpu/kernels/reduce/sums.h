// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of contiguous elements and of columns; a body of reduce.c for reals, and for halves, which get() converts. OF, a constant,
 * is what of each element counts.
 * Every instruction set.
 */
INLINE V N(measured_at)(const measure of, const char *p) { return N(measured)(of, N(get)((const T *)(const void *)p)); }

/* SUM_BLOCK or fewer components at x, or half as many at x and y each, into lanes of double. */
INLINE void N(sum_near)(const measure of, int64_t n, const T *x, vd *sum, const bool ahead)
{
  enum { W = LANES };
  V a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };
  int64_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    if (ahead)
      prefetch_ahead(x + i, 4 * W * (int)sizeof(T));
    a0 += N(measured)(of, N(get)(x + i));
    a1 += N(measured)(of, N(get)(x + i + W));
    a2 += N(measured)(of, N(get)(x + i + 2 * W));
    a3 += N(measured)(of, N(get)(x + i + 3 * W));
  }
  if (i + 2 * W <= n) {
    a0 += N(measured)(of, N(get)(x + i));
    a1 += N(measured)(of, N(get)(x + i + W));
    i += 2 * W;
  }
  if (i + W <= n) {
    a2 += N(measured)(of, N(get)(x + i));
    i += W;
  }
  if (i < n)
    a3 += N(measured)(of, N(get_some)(x + i, n - i));
  *sum += N(widened)((a0 + a1) + (a2 + a3));
}

INLINE void N(sum_far)(const measure of, const T *x, const T *y, vd *sum)
{
  enum { W = LANES };
  V a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };
  for (int64_t i = 0; i < SUM_BLOCK / 2; i += 2 * W) {
    a0 += N(measured)(of, N(get)(x + i));
    a1 += N(measured)(of, N(get)(x + i + W));
    a2 += N(measured)(of, N(get)(y + i));
    a3 += N(measured)(of, N(get)(y + i + W));
  }
  *sum += N(widened)((a0 + a1) + (a2 + a3));
}

INLINE void N(sum_all)(const measure of, int64_t n, const T *x, double *even, double *odd)
{
  int64_t i = 0;
  vd sum = { 0 };
  if (n * (int64_t)sizeof(T) >= FAR) {
    const int64_t half = n / SUM_BLOCK * (SUM_BLOCK / 2);
    for (; i < half; i += SUM_BLOCK / 2)
      N(sum_far)(of, x + i, x + half + i, &sum);
    i = 2 * half;
  } else if (n * (int64_t)sizeof(T) >= PREFETCH_FROM) {
    for (; i + SUM_BLOCK <= n; i += SUM_BLOCK)
      N(sum_near)(of, SUM_BLOCK, x + i, &sum, true);
  }
  for (; i < n; i += SUM_BLOCK)
    N(sum_near)(of, n - i < SUM_BLOCK ? n - i : SUM_BLOCK, x + i, &sum, false);
  add_lanes_f64(sum, even, odd);
}

INLINE void N(sum_of)(const measure of, int64_t n, const T *x, double *sum)
{
  double e = 0, o = 0;
  N(sum_all)(of, n, x, &e, &o);
  sum[0] += e + o;
}

static void N(sum)(int64_t n, const void *x, double *sum) { N(sum_of)(ELEMENTS, n, x, sum); }
static void N(sum_skipnan)(int64_t n, const void *x, double *sum) { N(sum_of)(NUMBERS, n, x, sum); }

/* ROWS is a constant: loops over it are unrolled, as rows read in turn with a branch between them come one by one. */
INLINE void N(col_sum_some)(const measure of, const int64_t rows, int64_t n, const char *x, int64_t step, int64_t ahead,
                            double *acc)
{
  enum { W = LANES };
  int64_t j = 0;
  for (; j + 2 * W <= n; j += 2 * W) {
    const char *p = x + j * (int64_t)sizeof(T);
    prefetch_columns(p, rows, step, 2 * W * (int)sizeof(T), ahead);
    V a0 = N(measured_at)(of, p), a1 = N(measured_at)(of, p + W * (int)sizeof(T));
    UNROLL for (int64_t r = 1; r < rows; r++) {
      a0 += N(measured_at)(of, p + r * step);
      a1 += N(measured_at)(of, p + r * step + W * (int)sizeof(T));
    }
    N(col_add)(acc + j, a0);
    N(col_add)(acc + j + W, a1);
  }
  for (; j + W <= n; j += W) {
    const char *p = x + j * (int64_t)sizeof(T);
    V a = N(measured_at)(of, p);
    UNROLL for (int64_t r = 1; r < rows; r++)
      a += N(measured_at)(of, p + r * step);
    N(col_add)(acc + j, a);
  }
  for (; j < n; j++) {
    const char *p = x + j * (int64_t)sizeof(T);
    double a = 0;
    UNROLL for (int64_t r = 0; r < rows; r++)
      a += N(measured_one)(of, (const T *)(const void *)(p + r * step), j);
    acc[j] += a;
  }
}

INLINE void N(col_sum_all)(const measure of, int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  const int64_t ahead = column_prefetch(rows, step);
  int64_t r = 0;
  for (; r + COL_ROWS <= rows; r += COL_ROWS)
    N(col_sum_some)(of, COL_ROWS, n, x + r * step, step, ahead, acc);
  for (; r + 3 <= rows; r += 3)
    N(col_sum_some)(of, 3, n, x + r * step, step, 0, acc);
  for (; r < rows; r++)
    N(col_sum_some)(of, 1, n, x + r * step, step, 0, acc);
}
