// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distances from a number near the mean, added up plain and squared; included by reduce.c alone, after reduce.h.
 *
 * With d = x - shift, n of them, the squared distances from the mean add up to (sum d^2) - (sum d)^2 / n. When SHIFT is about
 * the mean of as many elements before, or an element, what is subtracted is little beside what all squares come to in the end.
 * Every instruction set; var and std of contiguous slices, and over rows of contiguous columns.
 */
#if defined __AVX512F__
static inline vd add_square(vd d, vd a) { return (vd)_mm512_fmadd_pd((__m512d)d, (__m512d)d, (__m512d)a); }
#elif defined __FMA__
static inline vd add_square(vd d, vd a) { return (vd)_mm256_fmadd_pd((__m256d)d, (__m256d)d, (__m256d)a); }
#else
static inline vd add_square(vd d, vd a) { return a + d * d; }
#endif

/* What the two loops below share: accumulators of the elements less MU, four vectors more, and what they come to in the end,
 * with PART and BOTH of elements that fill none. */
#define MOMENTS_START                                                                            \
  enum { W = VECTOR / 8 };                                                                       \
  vd mu, a0 = { 0 }, a1 = a0, a2 = a0, a3 = a0, s0 = a0, s1 = a0, s2 = a0, s3 = a0;              \
  double part[2] = { 0, 0 }, both[2] = { 0, 0 };                                                 \
  for (int k = 0; k < W; k++)                                                                    \
    mu[k] = shift[k % parts];
#define MOMENTS_ADD(x0, x1, x2, x3)                                                              \
  {                                                                                              \
    const vd d0 = (x0) - mu, d1 = (x1) - mu, d2 = (x2) - mu, d3 = (x3) - mu;                     \
    s0 += d0;                                                                                    \
    s1 += d1;                                                                                    \
    s2 += d2;                                                                                    \
    s3 += d3;                                                                                    \
    a0 = add_square(d0, a0);                                                                     \
    a1 = add_square(d1, a1);                                                                     \
    a2 = add_square(d2, a2);                                                                     \
    a3 = add_square(d3, a3);                                                                     \
  }
#define MOMENTS_END                                                                              \
  add_lanes_f64((a0 + a1) + (a2 + a3), &both[0], &both[1]);                                      \
  add_lanes_f64((s0 + s1) + (s2 + s3), &part[0], &part[1]);                                      \
  for (int k = 0; k < 2; k++) {                                                                  \
    sum[k % parts] += part[k];                                                                   \
    square[k % parts] += both[k];                                                                \
  }

#define MOMENTS(FN, T, PARTS, LOAD)                                                              \
  static inline __attribute__((always_inline)) void FN##_near(int64_t n, const T *v, const double *shift, double *sum, \
                                                              double *square)                    \
  {                                                                                              \
    enum { parts = PARTS };                                                                      \
    const int64_t m = n * parts;                                                                 \
    int64_t i = 0;                                                                               \
    MOMENTS_START                                                                                \
    const bool ahead = m * (int64_t)sizeof(T) >= PREFETCH_FROM / 2; /* stretches begin with half */ \
    for (; i + 4 * W <= m; i += 4 * W) {                                                         \
      if (ahead)                                                                                 \
        prefetch_ahead(v + i, 4 * W * (int)sizeof(T));                                           \
      MOMENTS_ADD(LOAD(v + i), LOAD(v + i + W), LOAD(v + i + 2 * W), LOAD(v + i + 3 * W))        \
    }                                                                                            \
    for (; i + W <= m; i += W) {                                                                 \
      const vd d = LOAD(v + i) - mu;                                                             \
      s0 += d;                                                                                   \
      a0 = add_square(d, a0);                                                                    \
    }                                                                                            \
    for (; i < m; i++) {                                                                         \
      const double d = (double)v[i] - shift[i % parts];                                          \
      part[i % parts] += d;                                                                      \
      both[i % parts] += d * d;                                                                  \
    }                                                                                            \
    MOMENTS_END                                                                                  \
  }                                                                                              \
  /* As two streams, as sums are read. */                                                        \
  static __attribute__((noinline)) void FN##_far(int64_t n, const T *v, const double *shift, double *sum, double *square) \
  {                                                                                              \
    enum { parts = PARTS };                                                                      \
    MOMENTS_START                                                                                \
    const int64_t gap = n * parts / (4 * W) * (2 * W);                                           \
    for (const T *p = v; p < v + gap; p += 2 * W) {                                              \
      const T *const q = p + gap;                                                                \
      prefetch_ahead(p, 2 * W * (int)sizeof(T));                                                 \
      prefetch_ahead(q, 2 * W * (int)sizeof(T));                                                 \
      MOMENTS_ADD(LOAD(p), LOAD(p + W), LOAD(q), LOAD(q + W))                                    \
    }                                                                                            \
    MOMENTS_END                                                                                  \
    FN##_near(n - 2 * gap / parts, v + 2 * gap, shift, sum, square);                             \
  }                                                                                              \
  static void FN(int64_t n, const void *x, const double *shift, double *sum, double *square)     \
  {                                                                                              \
    if (n * (PARTS) * (int64_t)sizeof(T) >= FAR / 2)                                             \
      FN##_far(n, x, shift, sum, square);                                                        \
    else                                                                                         \
      FN##_near(n, x, shift, sum, square);                                                       \
  }
MOMENTS(moments_f32, float, 1, WIDE)
MOMENTS(moments_f64, double, 1, VD)
MOMENTS(moments_c64, float, 2, WIDE)
MOMENTS(moments_c128, double, 2, VD)

/* Rows at a time. Of short ones the next rows are prefetched, of long ones what comes next in each row. */
enum { MOMENTS_ROWS_f32 = 8, MOMENTS_ROWS_f64 = 10, MOMENTS_SHORT = 4096 /* bytes */ };

/* ROWS is a constant, as in sums. */
#define COL_MOMENTS(S, T, LOAD)                                                                  \
  static inline __attribute__((always_inline)) void col_moments_some_##S(const int64_t rows, int64_t n, const char *x, \
                                                                        int64_t step, int64_t near, double count, bool move, \
                                                                        double *shift, double *sum, double *square) \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    const bool more = count > 0, short_rows = n * (int64_t)sizeof(T) <= MOMENTS_SHORT;           \
    const int64_t next = rows > 1 && (short_rows || sizeof(T) == 4) ? rows * step : 0;           \
    const int64_t ahead = near && !short_rows ? near : next;                                     \
    const double all = count + (double)rows, part = 1 / all;                                     \
    int64_t j = 0;                                                                               \
    for (; j + 2 * W <= n; j += 2 * W) {                                                         \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      const vd k0 = more ? VD(shift + j) : LOAD(p), k1 = more ? VD(shift + j + W) : LOAD(p + W * sizeof(T)); \
      vd s0 = VD(sum + j), s1 = VD(sum + j + W), a0 = VD(square + j), a1 = VD(square + j + W);   \
      UNROLL for (int64_t r = 0; r < rows; r++, p += step) {                                     \
        const vd d0 = LOAD(p) - k0, d1 = LOAD(p + W * sizeof(T)) - k1;                           \
        prefetch_columns(p, 1, step, 2 * W * (int)sizeof(T), ahead);                             \
        s0 += d0;                                                                                \
        s1 += d1;                                                                                \
        a0 = add_square(d0, a0);                                                                 \
        a1 = add_square(d1, a1);                                                                 \
      }                                                                                          \
      MOMENTS_KEEP(vd, j, k0, s0, a0)                                                            \
      MOMENTS_KEEP(vd, j + W, k1, s1, a1)                                                        \
    }                                                                                            \
    for (; j < n; j++) {                                                                         \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      const double k = more ? shift[j] : (double)*(const T *)(const void *)p;                    \
      double s = sum[j], a = square[j];                                                          \
      for (int64_t r = 0; r < rows; r++, p += step) {                                            \
        const double d = (double)*(const T *)(const void *)p - k;                                \
        s += d;                                                                                  \
        a += d * d;                                                                              \
      }                                                                                          \
      MOMENTS_KEEP(double, j, k, s, a)                                                           \
    }                                                                                            \
  }                                                                                              \
  static void col_moments_##S(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *shift, \
                             double *sum, double *square)                                        \
  {                                                                                              \
    const int64_t near = column_prefetch(rows, step);                                            \
    int64_t r = 0;                                                                               \
    for (; r + MOMENTS_ROWS_##S <= rows; r += MOMENTS_ROWS_##S)                                  \
      MOMENTS_SOME(S, T, MOMENTS_ROWS_##S)                                                       \
    for (; r + 4 <= rows; r += 4)                                                                \
      MOMENTS_SOME(S, T, 4)                                                                      \
    for (; r < rows; r++)                                                                        \
      MOMENTS_SOME(S, T, 1)                                                                      \
  }
/* SHIFT moves to the mean whenever there are twice as many rows: moving takes longer than adding some up. Of float32 it moves
 * every time: rows from memory measured up to a tenth slower without. */
#define MOMENTS_SOME(S, T, some)                                                                 \
  {                                                                                              \
    const double before = count + (double)r;                                                     \
    const bool move = sizeof(T) == 4                                                             \
                      || __builtin_clzll((uint64_t)before | 1) != __builtin_clzll((uint64_t)before + (some) + 1); \
    col_moments_some_##S(some, n, x + r * step, step, near, before, move, shift, sum, square);   \
  }
/* What rounding leaves between SHIFT and the mean stays in SUM. */
#define MOMENTS_KEEP(V, j, k, s, a)                                                              \
  {                                                                                              \
    V rest = (s), squares = (a);                                                                 \
    if (move) {                                                                                  \
      const V to = (k) + (s) * part, by = to - (k);                                              \
      rest = (s) - by * all;                                                                     \
      squares = (a) - by * ((s) + rest);                                                         \
      *(V *)(void *)(shift + (j)) = to;                                                          \
    }                                                                                            \
    *(V *)(void *)(square + (j)) = squares;                                                      \
    *(V *)(void *)(sum + (j)) = rest;                                                            \
  }
COL_MOMENTS(f32, float, WIDE)
COL_MOMENTS(f64, double, VD)

static void col_moments_c64(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *shift, double *sum,
                           double *square)
{
  col_moments_f32(rows, 2 * n, x, step, count, shift, sum, square);
}

static void col_moments_c128(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *shift, double *sum,
                            double *square)
{
  col_moments_f64(rows, 2 * n, x, step, count, shift, sum, square);
}
