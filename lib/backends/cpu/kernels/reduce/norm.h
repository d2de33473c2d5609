// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of squares of contiguous elements and of columns, in double; included by reduce.c alone, after reduce.h.
 *
 * Both parts of a complex number count towards one sum. A long range is read as two streams, as sums do.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */
static inline vd plus_square(vd a, vd d) { return plus_product(a, d, d); }

#define SUM_SQUARES(S, T, LOAD)                                                                  \
  static void sum_squares_##S(int64_t n, const void *x, double *sum)                             \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    const T *v = x;                                                                              \
    const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;                                   \
    vd a[8] = { { 0 } };                                                                         \
    double even = 0, odd = 0;                                                                    \
    int64_t i = 0;                                                                               \
    if (n * (int64_t)sizeof(T) >= FAR) {                                                         \
      const int64_t half = n / (8 * W) * (4 * W);                                                \
      for (; i < half; i += 4 * W)                                                               \
        UNROLL for (int k = 0; k < 4; k++) {                                                     \
          a[k] = plus_square(a[k], LOAD(v + i + k * W));                                         \
          a[4 + k] = plus_square(a[4 + k], LOAD(v + half + i + k * W));                          \
        }                                                                                        \
      i = 2 * half;                                                                              \
    }                                                                                            \
    for (; i + 8 * W <= n; i += 8 * W) {                                                         \
      if (near)                                                                                  \
        prefetch_ahead(v + i, 8 * W * sizeof(T));                                                \
      UNROLL for (int k = 0; k < 8; k++)                                                         \
        a[k] = plus_square(a[k], LOAD(v + i + k * W));                                           \
    }                                                                                            \
    UNROLL for (int k = 0; k < 4; k++)                                                           \
      a[k] += a[4 + k];                                                                          \
    for (; i + 2 * W <= n; i += 2 * W) {                                                         \
      a[0] = plus_square(a[0], LOAD(v + i));                                                     \
      a[1] = plus_square(a[1], LOAD(v + i + W));                                                 \
    }                                                                                            \
    if (i + W <= n) {                                                                            \
      a[2] = plus_square(a[2], LOAD(v + i));                                                     \
      i += W;                                                                                    \
    }                                                                                            \
    for (; i < n; i++)                                                                           \
      even += (double)v[i] * (double)v[i];                                                       \
    add_lanes_f64((a[0] + a[1]) + (a[2] + a[3]), &even, &odd);                                   \
    *sum += even + odd;                                                                          \
  }
SUM_SQUARES(f32, float, WIDE)
SUM_SQUARES(f64, double, VD)

static void sum_squares_c64(int64_t n, const void *x, double *sum) { sum_squares_f32(2 * n, x, sum); }
static void sum_squares_c128(int64_t n, const void *x, double *sum) { sum_squares_f64(2 * n, x, sum); }

/* Sums of neighbours: of a's, then of b's. */
#if defined __AVX512F__
static inline vd neighbours(vd a, vd b)
{
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  const __m512d x = (__m512d)a, y = (__m512d)b;
  return (vd)_mm512_add_pd(_mm512_permutex2var_pd(x, even, y), _mm512_permutex2var_pd(x, odd, y));
}
#elif defined __AVX2__
static inline vd neighbours(vd a, vd b)
{
  return (vd)_mm256_permute4x64_pd(_mm256_hadd_pd((__m256d)a, (__m256d)b), 0xd8);
}
#else
static inline vd neighbours(vd a, vd b) { return (vd){ a[0] + a[1], b[0] + b[1] }; }
#endif

static inline void col_add_1(double *acc, int64_t j, vd a, vd b)
{
  col_add(acc + j, a);
  col_add(acc + j + VECTOR / 8, b);
}

static inline void col_add_2(double *acc, int64_t j, vd a, vd b) { col_add(acc + j / 2, neighbours(a, b)); }

/* N elements of PARTS components. ROWS is a constant, as in sums. */
#define COL_SQUARES(S, T, PARTS, LOAD)                                                           \
  static inline __attribute__((always_inline)) void col_squares_some_##S(const int64_t rows, int64_t n, const char *x, \
                                                                         int64_t step, int64_t ahead, double *acc) \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    int64_t j = 0;                                                                               \
    for (; j + 2 * W <= n * PARTS; j += 2 * W) {                                                 \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      vd a0 = { 0 }, a1 = { 0 };                                                                 \
      prefetch_columns(p, rows, step, 2 * W * (int)sizeof(T), ahead);                            \
      UNROLL for (int64_t r = 0; r < rows; r++) {                                                \
        const vd d0 = LOAD(p + r * step), d1 = LOAD(p + r * step + W * sizeof(T));               \
        a0 = plus_square(a0, d0);                                                                \
        a1 = plus_square(a1, d1);                                                                \
      }                                                                                          \
      col_add_##PARTS(acc, j, a0, a1);                                                           \
    }                                                                                            \
    for (; j < n * PARTS; j++) {                                                                 \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      double a = 0;                                                                              \
      UNROLL for (int64_t r = 0; r < rows; r++) {                                                \
        const double d = (double)*(const T *)(const void *)(p + r * step);                       \
        a += d * d;                                                                              \
      }                                                                                          \
      acc[j / PARTS] += a;                                                                       \
    }                                                                                            \
  }                                                                                              \
  static void col_sum_squares_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *acc) \
  {                                                                                              \
    const int64_t ahead = column_prefetch(rows, step);                                           \
    int64_t r = 0;                                                                               \
    for (; r + COL_ROWS <= rows; r += COL_ROWS)                                                  \
      col_squares_some_##S(COL_ROWS, n, x + r * step, step, ahead, acc);                         \
    for (; r + 3 <= rows; r += 3)                                                                \
      col_squares_some_##S(3, n, x + r * step, step, 0, acc);                                    \
    for (; r < rows; r++)                                                                        \
      col_squares_some_##S(1, n, x + r * step, step, 0, acc);                                    \
  }
COL_SQUARES(f32, float, 1, WIDE)
COL_SQUARES(f64, double, 1, VD)
COL_SQUARES(c64, float, 2, WIDE)
COL_SQUARES(c128, double, 2, VD)
