// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of squares of contiguous elements and of columns, in double; a body of reduce.c for reals.
 *
 * Both parts of a complex number count towards one sum. A long range is read as two streams, as sums do.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */
static void N(sum_squares)(int64_t n, const void *x, double *sum)
{
  enum { W = VECTOR / 8 };
  const T *v = x;
  const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;
  vd a[8] = { { 0 } };
  double even = 0, odd = 0;
  int64_t i = 0;
  if (n * (int64_t)sizeof(T) >= FAR) {
    const int64_t half = n / (8 * W) * (4 * W);
    for (; i < half; i += 4 * W)
      UNROLL for (int k = 0; k < 4; k++) {
        a[k] = add_square(N(wide)(v + i + k * W), a[k]);
        a[4 + k] = add_square(N(wide)(v + half + i + k * W), a[4 + k]);
      }
    i = 2 * half;
  }
  for (; i + 8 * W <= n; i += 8 * W) {
    if (near)
      prefetch_ahead(v + i, 8 * W * sizeof(T));
    UNROLL for (int k = 0; k < 8; k++)
      a[k] = add_square(N(wide)(v + i + k * W), a[k]);
  }
  UNROLL for (int k = 0; k < 4; k++)
    a[k] += a[4 + k];
  for (; i + 2 * W <= n; i += 2 * W) {
    a[0] = add_square(N(wide)(v + i), a[0]);
    a[1] = add_square(N(wide)(v + i + W), a[1]);
  }
  if (i + W <= n) {
    a[2] = add_square(N(wide)(v + i), a[2]);
    i += W;
  }
  for (; i < n; i++)
    even += (double)v[i] * (double)v[i];
  add_lanes_f64((a[0] + a[1]) + (a[2] + a[3]), &even, &odd);
  *sum += even + odd;
}

static void N(sum_squares_pairs)(int64_t n, const void *x, double *sum) { N(sum_squares)(2 * n, x, sum); }

/* N elements of PARTS components. ROWS is a constant, as in sums. */
INLINE void N(col_squares_some)(const int parts, const int64_t rows, int64_t n, const char *x, int64_t step, int64_t ahead,
                                double *acc)
{
  enum { W = VECTOR / 8 };
  int64_t j = 0;
  for (; j + 2 * W <= n * parts; j += 2 * W) {
    const char *p = x + j * (int64_t)sizeof(T);
    vd a0 = { 0 }, a1 = { 0 };
    prefetch_columns(p, rows, step, 2 * W * (int)sizeof(T), ahead);
    UNROLL for (int64_t r = 0; r < rows; r++) {
      const vd d0 = N(wide)(p + r * step), d1 = N(wide)(p + r * step + W * sizeof(T));
      a0 = add_square(d0, a0);
      a1 = add_square(d1, a1);
    }
    if (parts == 2) {
      col_add(acc + j / 2, neighbours(a0, a1));
    } else {
      col_add(acc + j, a0);
      col_add(acc + j + W, a1);
    }
  }
  for (; j < n * parts; j++) {
    const char *p = x + j * (int64_t)sizeof(T);
    double a = 0;
    UNROLL for (int64_t r = 0; r < rows; r++) {
      const double d = (double)*(const T *)(const void *)(p + r * step);
      a += d * d;
    }
    acc[j / parts] += a;
  }
}

INLINE void N(col_squares)(const int parts, int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  const int64_t ahead = column_prefetch(rows, step);
  int64_t r = 0;
  for (; r + COL_ROWS <= rows; r += COL_ROWS)
    N(col_squares_some)(parts, COL_ROWS, n, x + r * step, step, ahead, acc);
  for (; r + 3 <= rows; r += 3)
    N(col_squares_some)(parts, 3, n, x + r * step, step, 0, acc);
  for (; r < rows; r++)
    N(col_squares_some)(parts, 1, n, x + r * step, step, 0, acc);
}

static void N(col_sum_squares)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  N(col_squares)(1, rows, n, x, step, acc);
}

static void N(col_sum_squares_pairs)(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  N(col_squares)(2, rows, n, x, step, acc);
}
