// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distances from a number near the mean, added up plain and squared; a body of reduce.c for reals, and for complex numbers,
 * which are pairs of them.
 *
 * With d = x - shift, n of them, the squared distances from the mean add up to (sum d^2) - (sum d)^2 / n. When SHIFT is about
 * the mean of as many elements before, or an element, what is subtracted is little beside what all squares come to in the end.
 * Every instruction set; var and std of contiguous slices, and over rows of contiguous columns.
 */
INLINE void N(moments_near)(const int parts, int64_t n, const T *v, const double *shift, double *sum, double *square)
{
  enum { W = VECTOR / 8 };
  const int64_t m = n * parts;
  const bool ahead = m * (int64_t)sizeof(T) >= PREFETCH_FROM / 2; /* stretches begin with half */
  moments all = no_moments(parts, shift);
  double part[2] = { 0, 0 }, both[2] = { 0, 0 };
  int64_t i = 0;
  for (; i + 4 * W <= m; i += 4 * W) {
    if (ahead)
      prefetch_ahead(v + i, 4 * W * (int)sizeof(T));
    add_moments(&all, N(wide)(v + i), N(wide)(v + i + W), N(wide)(v + i + 2 * W), N(wide)(v + i + 3 * W));
  }
  for (; i + W <= m; i += W) {
    const vd d = N(wide)(v + i) - all.mu;
    all.s0 += d;
    all.a0 = add_square(d, all.a0);
  }
  for (; i < m; i++) {
    const double d = (double)v[i] - shift[i % parts];
    part[i % parts] += d;
    both[i % parts] += d * d;
  }
  end_moments(&all, parts, part, both, sum, square);
}

/* As two streams, as sums are read. */
INLINE void N(moments_far)(const int parts, int64_t n, const T *v, const double *shift, double *sum, double *square)
{
  enum { W = VECTOR / 8 };
  const int64_t gap = n * parts / (4 * W) * (2 * W);
  moments all = no_moments(parts, shift);
  double part[2] = { 0, 0 }, both[2] = { 0, 0 };
  for (const T *p = v; p < v + gap; p += 2 * W) {
    const T *const q = p + gap;
    prefetch_ahead(p, 2 * W * (int)sizeof(T));
    prefetch_ahead(q, 2 * W * (int)sizeof(T));
    add_moments(&all, N(wide)(p), N(wide)(p + W), N(wide)(q), N(wide)(q + W));
  }
  end_moments(&all, parts, part, both, sum, square);
  N(moments_near)(parts, n - 2 * gap / parts, v + 2 * gap, shift, sum, square);
}

INLINE void N(moments_of)(const int parts, int64_t n, const T *v, const double *shift, double *sum, double *square)
{
  if (n * parts * (int64_t)sizeof(T) >= FAR / 2)
    N(moments_far)(parts, n, v, shift, sum, square);
  else
    N(moments_near)(parts, n, v, shift, sum, square);
}

static void N(moments)(int64_t n, const void *x, const double *shift, double *sum, double *square)
{
  N(moments_of)(1, n, x, shift, sum, square);
}

static void N(moments_pairs)(int64_t n, const void *x, const double *shift, double *sum, double *square)
{
  N(moments_of)(2, n, x, shift, sum, square);
}

/* Short slices are read twice, the second time from the L1 cache: their means are known before the distances from them, whose sum is
 * what rounding has left of each mean. */
static void N(slice_squares)(int64_t slices, int64_t n, const char *x, int64_t step, double *square)
{
  enum { W = VECTOR / 8 };
  for (int64_t k = 0; k < slices; k++, x += step) {
    const T *v = (const T *)(const void *)x;
    vd s0 = { 0 }, s1 = { 0 }, d0 = { 0 }, d1 = { 0 }, mu = { 0 };
    double sum = 0, off = 0, all = 0, odd = 0;
    int64_t i = 0;
    for (; i + 2 * W <= n; i += 2 * W) {
      s0 += N(wide)(v + i);
      s1 += N(wide)(v + i + W);
    }
    for (; i < n; i++)
      sum += (double)v[i];
    add_lanes_f64(s0 + s1, &sum, &odd);
    const double mean = (sum + odd) / (double)n;
    mu += mean;
    s0 = s1 = (vd){ 0 };
    for (i = 0; i + 2 * W <= n; i += 2 * W) {
      const vd a = N(wide)(v + i) - mu, b = N(wide)(v + i + W) - mu;
      s0 += a;
      s1 += b;
      d0 = add_square(a, d0);
      d1 = add_square(b, d1);
    }
    for (; i < n; i++) {
      const double d = (double)v[i] - mean;
      off += d;
      all += d * d;
    }
    double odd_off = 0, odd_all = 0;
    add_lanes_f64(s0 + s1, &off, &odd_off);
    add_lanes_f64(d0 + d1, &all, &odd_all);
    off += odd_off;
    square[k] = (all + odd_all) - off * off / (double)n;
  }
}

/* ROWS is a constant, as in sums. */
INLINE void N(col_moments_some)(const int64_t rows, int64_t n, const char *x, int64_t step, int64_t near, double count, bool move,
                                double *shift, double *sum, double *square)
{
  enum { W = VECTOR / 8 };
  const bool more = count > 0, short_rows = n * (int64_t)sizeof(T) <= MOMENTS_SHORT;
  const int64_t next = rows > 1 && (short_rows || sizeof(T) == 4) ? rows * step : 0;
  const int64_t ahead = near && !short_rows ? near : next;
  const double all = count + (double)rows, part = 1 / all;
  int64_t j = 0;
  for (; j + 2 * W <= n; j += 2 * W) {
    const char *p = x + j * (int64_t)sizeof(T);
    const vd none = { 0 }, all_w = none + all, part_w = none + part;
    const vd k0 = more ? wide_f64(shift + j) : N(wide)(p), k1 = more ? wide_f64(shift + j + W) : N(wide)(p + W * sizeof(T));
    vd s0 = wide_f64(sum + j), s1 = wide_f64(sum + j + W), a0 = wide_f64(square + j), a1 = wide_f64(square + j + W);
    UNROLL for (int64_t r = 0; r < rows; r++, p += step) {
      const vd d0 = N(wide)(p) - k0, d1 = N(wide)(p + W * sizeof(T)) - k1;
      prefetch_columns(p, 1, step, 2 * W * (int)sizeof(T), ahead);
      s0 += d0;
      s1 += d1;
      a0 = add_square(d0, a0);
      a1 = add_square(d1, a1);
    }
    keep_moments(move, part_w, all_w, k0, s0, a0, shift + j, sum + j, square + j);
    keep_moments(move, part_w, all_w, k1, s1, a1, shift + j + W, sum + j + W, square + j + W);
  }
  for (; j < n; j++) {
    const char *p = x + j * (int64_t)sizeof(T);
    const double k = more ? shift[j] : (double)*(const T *)(const void *)p;
    double s = sum[j], a = square[j];
    for (int64_t r = 0; r < rows; r++, p += step) {
      const double d = (double)*(const T *)(const void *)p - k;
      s += d;
      a += d * d;
    }
    if (move) {
      const double to = k + s * part, by = to - k, rest = s - by * all;
      a -= by * (s + rest);
      s = rest;
      shift[j] = to;
    }
    square[j] = a;
    sum[j] = s;
  }
}

/* From row R on. SHIFT moves to the mean whenever there are twice as many rows: moving takes longer than adding some up. Of
 * float32 it moves every time: rows from memory measured up to a tenth slower without. */
INLINE int64_t N(col_moments_from)(int64_t r, const int64_t some, int64_t rows, int64_t n, const char *x, int64_t step, double count,
                                   double *shift, double *sum, double *square)
{
  const int64_t near = column_prefetch(rows, step);
  for (; r + some <= rows; r += some) {
    const double before = count + (double)r;
    const uint64_t now = (uint64_t)before;
    const bool move = sizeof(T) == 4 || __builtin_clzll(now | 1) != __builtin_clzll(now + (uint64_t)some + 1);
    N(col_moments_some)(some, n, x + r * step, step, near, before, move, shift, sum, square);
  }
  return r;
}

static void N(col_moments)(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *shift, double *sum,
                           double *square)
{
  int64_t r = N(col_moments_from)(0, sizeof(T) == 4 ? 8 : 10, rows, n, x, step, count, shift, sum, square);
  r = N(col_moments_from)(r, 4, rows, n, x, step, count, shift, sum, square);
  N(col_moments_from)(r, 1, rows, n, x, step, count, shift, sum, square);
}

static void N(col_moments_pairs)(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *shift, double *sum,
                                 double *square)
{
  N(col_moments)(rows, 2 * n, x, step, count, shift, sum, square);
}
