// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distances from a number near the mean, added up plain and squared; included by kernels_reduce.c alone, after k_reduce.h.
 *
 * With d = x - about, n of them, the squared distances from the mean add up to (sum d^2) - (sum d)^2 / n. When ABOUT is about
 * the mean of as many elements before, or an element, what is subtracted is little beside what all squares come to in the end.
 */
#define SPREAD(FN, T, PARTS, LOAD)                                                               \
  static void FN(int64_t n, const void *x, const double *about, double *sum, double *square)     \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    const T *v = x;                                                                              \
    const int64_t m = n * PARTS;                                                                 \
    vd mu, a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 }, s0 = a0, s1 = a0, s2 = a0, s3 = a0;    \
    double part[2] = { 0, 0 }, both[2] = { 0, 0 };                                               \
    int64_t i = 0;                                                                               \
    for (int k = 0; k < W; k++)                                                                  \
      mu[k] = about[k % PARTS];                                                                  \
    for (; i + 4 * W <= m; i += 4 * W) {                                                         \
      const vd d0 = LOAD(v + i) - mu, d1 = LOAD(v + i + W) - mu;                                 \
      const vd d2 = LOAD(v + i + 2 * W) - mu, d3 = LOAD(v + i + 3 * W) - mu;                     \
      s0 += d0;                                                                                  \
      s1 += d1;                                                                                  \
      s2 += d2;                                                                                  \
      s3 += d3;                                                                                  \
      a0 += d0 * d0;                                                                             \
      a1 += d1 * d1;                                                                             \
      a2 += d2 * d2;                                                                             \
      a3 += d3 * d3;                                                                             \
    }                                                                                            \
    for (; i + W <= m; i += W) {                                                                 \
      const vd d = LOAD(v + i) - mu;                                                             \
      s0 += d;                                                                                   \
      a0 += d * d;                                                                               \
    }                                                                                            \
    for (; i < m; i++) {                                                                         \
      const double d = (double)v[i] - about[i % PARTS];                                          \
      part[i % PARTS] += d;                                                                      \
      both[i % PARTS] += d * d;                                                                  \
    }                                                                                            \
    add_lanes_f64((a0 + a1) + (a2 + a3), &both[0], &both[1]);                                    \
    add_lanes_f64((s0 + s1) + (s2 + s3), &part[0], &part[1]);                                    \
    for (int k = 0; k < 2; k++) {                                                                \
      sum[k % PARTS] += part[k];                                                                 \
      square[k % PARTS] += both[k];                                                              \
    }                                                                                            \
  }
SPREAD(spread_f32, float, 1, WIDE)
SPREAD(spread_f64, double, 1, VD)
SPREAD(spread_c64, float, 2, WIDE)
SPREAD(spread_c128, double, 2, VD)

/* ABOUT moves to the mean after some rows; what rounding leaves between them stays in SUM. */
#define COL_SPREAD(S, T, LOAD)                                                                   \
  static void col_spread_##S(int64_t rows, int64_t n, const char *x, int64_t step, double count, double *about, \
                             double *sum, double *square)                                        \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    for (int64_t from = 0; from < rows; from += COL_ROWS, x += COL_ROWS * step) {                \
      const int64_t m = rows - from < COL_ROWS ? rows - from : COL_ROWS;                         \
      const bool more = count > 0;                                                               \
      int64_t j = 0;                                                                             \
      count += (double)m;                                                                        \
      const double part = 1 / count;                                                             \
      for (; j + W <= n; j += W) {                                                               \
        const char *p = x + j * (int64_t)sizeof(T);                                              \
        const vd k = more ? VD(about + j) : LOAD(p);                                             \
        vd s = VD(sum + j), a = VD(square + j);                                                  \
        for (int64_t r = 0; r < m; r++, p += step) {                                             \
          const vd d = LOAD(p) - k;                                                              \
          s += d;                                                                                \
          a += d * d;                                                                            \
        }                                                                                        \
        const vd to = k + s * part, by = to - k, rest = s - by * count;                          \
        *(vd *)(void *)(about + j) = to;                                                         \
        *(vd *)(void *)(sum + j) = rest;                                                         \
        *(vd *)(void *)(square + j) = a - by * (s + rest);                                       \
      }                                                                                          \
      for (; j < n; j++) {                                                                       \
        const char *p = x + j * (int64_t)sizeof(T);                                              \
        const double k = more ? about[j] : (double)*(const T *)(const void *)p;                  \
        double s = sum[j], a = square[j];                                                        \
        for (int64_t r = 0; r < m; r++, p += step) {                                             \
          const double d = (double)*(const T *)(const void *)p - k;                              \
          s += d;                                                                                \
          a += d * d;                                                                            \
        }                                                                                        \
        const double to = k + s * part, by = to - k, rest = s - by * count;                      \
        about[j] = to;                                                                           \
        sum[j] = rest;                                                                           \
        square[j] = a - by * (s + rest);                                                         \
      }                                                                                          \
    }                                                                                            \
  }
COL_SPREAD(f32, float, WIDE)
COL_SPREAD(f64, double, VD)
