// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums and extremes of the elements that are not NaN; included by reduce.c alone, after reduce.h and extreme.h.
 *
 * What is summed is the vector with 0 in the place of NaN. The processor's max(b, a) gives a where b is NaN, so that extremes
 * need nothing more as long as the accumulator is a number.
 * Every instruction set; nansum, nanmax and nanmin of contiguous slices and of columns.
 */
/* V with 0 where it or W is NaN. */
#if defined __AVX512F__
static inline vf without_nan_f32(vf v, vf w)
{
  return (vf)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask((__m512)v, (__m512)w, _CMP_ORD_Q), (__m512)v);
}

static inline vd without_nan_f64(vd v, vd w)
{
  return (vd)_mm512_maskz_mov_pd(_mm512_cmp_pd_mask((__m512d)v, (__m512d)w, _CMP_ORD_Q), (__m512d)v);
}
#else
static inline vf without_nan_f32(vf v, vf w) { return (vf)((lanes_i32)v & ((lanes_i32)(v == v) & (lanes_i32)(w == w))); }
static inline vd without_nan_f64(vd v, vd w) { return (vd)((lanes_i64)v & ((lanes_i64)(v == v) & (lanes_i64)(w == w))); }
#endif

/* The parts of each complex number exchanged. */
#if defined __AVX512F__
static inline vf exchanged_f32(vf v) { return (vf)_mm512_permute_ps((__m512)v, 0xb1); }
static inline vd exchanged_f64(vd v) { return (vd)_mm512_permute_pd((__m512d)v, 0x55); }
#elif defined __AVX__
static inline vf exchanged_f32(vf v) { return (vf)_mm256_permute_ps((__m256)v, 0xb1); }
static inline vd exchanged_f64(vd v) { return (vd)_mm256_permute_pd((__m256d)v, 0x5); }
#else
static inline vf exchanged_f32(vf v) { return SHUFFLE(vf, v, ((lanes_i32){ 1, 0, 3, 2 })); }
static inline vd exchanged_f64(vd v) { return SHUFFLE(vd, v, ((lanes_i64){ 1, 0 })); }
#endif

static inline vf numbers_f32(vf v) { return without_nan_f32(v, v); }
static inline vd numbers_f64(vd v) { return without_nan_f64(v, v); }
static inline vf numbers_c64(vf v) { return without_nan_f32(v, exchanged_f32(v)); }
static inline vd numbers_c128(vd v) { return without_nan_f64(v, exchanged_f64(v)); }

#define REAL_NUMBER(p, j) (*(p) == *(p) ? *(p) : 0)
#define COMPLEX_NUMBER(p, j) (*(p) == *(p) && (p)[(j) & 1 ? -1 : 1] == (p)[(j) & 1 ? -1 : 1] ? *(p) : 0)

SUM_BLOCKS(sum_skipnan_all_f32, f32, float, vf, numbers_f32)
SUM_BLOCKS(sum_skipnan_all_f64, f64, double, vd, numbers_f64)
SUM_BLOCKS(sum_skipnan_all_c64, f32, float, vf, numbers_c64)
SUM_BLOCKS(sum_skipnan_all_c128, f64, double, vd, numbers_c128)
SUMS(sum_skipnan, f32)
SUMS(sum_skipnan, f64)

COL_SUM(col_sum_skipnan_f32, f32, float, vf, numbers_f32, REAL_NUMBER)
COL_SUM(col_sum_skipnan_f64, f64, double, vd, numbers_f64, REAL_NUMBER)
COL_SUM(col_sum_parts_c64, f32, float, vf, numbers_c64, COMPLEX_NUMBER)
COL_SUM(col_sum_parts_c128, f64, double, vd, numbers_c128, COMPLEX_NUMBER)

#define NUMBER_PAIRS(S, T)                                                                       \
  static void sum_skipnan_##S(int64_t n, const void *x, double *sum)                             \
  {                                                                                              \
    sum_skipnan_all_##S(2 * n, x, &sum[0], &sum[1]);                                             \
  }                                                                                              \
  static void col_sum_skipnan_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *acc) \
  {                                                                                              \
    col_sum_parts_##S(rows, 2 * n, x, step, acc);                                                \
  }
NUMBER_PAIRS(c64, float)
NUMBER_PAIRS(c128, double)

/* B, which comes later, where it is beyond A or A is NaN. */
#define NUMBER_OF(a, b, OP) (((b) OP (a)) | ((a) != (a)) ? (b) : (a))

/* Does a lane of A hold what those of B do? */
#ifdef __SSE2__
#define HAS_LANE(a, b) ANY_LANE((a) == (b))
#else
#define HAS_LANE(a, b) ((a) == (b))
#endif

/* LEAST is beyond nothing: where it comes out, there was nothing else, or no number at all. */
#define NUMBER_EXTREME(FN, S, T, X, PICK, OP, LEAST)                                             \
  static void FN##_skipnan_##S(int64_t n, const void *x, void *m)                                \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    const T *v = x;                                                                              \
    T best = *(T *)m, most = LEAST, start[W];                                                    \
    int64_t i = 0;                                                                               \
    for (int k = 0; k < W; k++)                                                                  \
      start[k] = LEAST;                                                                          \
    if (n >= W) {                                                                                \
      const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;                                 \
      X a0 = load_##S(start), a1 = a0, a2 = a0, a3 = a0;                                         \
      for (; i + 4 * W <= n; i += 4 * W) {                                                       \
        if (near)                                                                                \
          prefetch_ahead(v + i, sizeof(X) * 4);                                                  \
        a0 = PICK##_##S(load_##S(v + i), a0);                                                    \
        a1 = PICK##_##S(load_##S(v + i + W), a1);                                                \
        a2 = PICK##_##S(load_##S(v + i + 2 * W), a2);                                            \
        a3 = PICK##_##S(load_##S(v + i + 3 * W), a3);                                            \
      }                                                                                          \
      for (; i < n; i += W) /* the last vector may overlap */                                    \
        a0 = PICK##_##S(load_##S(v + (i + W <= n ? i : n - W)), a0);                             \
      most = PICK##_of_##S(PICK##_##S(PICK##_##S(a0, a1), PICK##_##S(a2, a3)));                  \
    }                                                                                            \
    for (; i < n; i++)                                                                           \
      most = v[i] OP most ? v[i] : most;                                                         \
    if (most OP LEAST)                                                                           \
      best = NUMBER_OF(best, most, OP);                                                          \
    else                                                                                         \
      for (i = 0; i < n && best != best; i++)                                                    \
        best = v[i];                                                                             \
    *(T *)m = best;                                                                              \
  }                                                                                              \
  static inline void columns_##FN##_skipnan_##S(int64_t rows, int64_t n, const char *x, int64_t step, T *b) \
  {                                                                                              \
    for (int64_t j = 0; j < n; j++)                                                              \
      for (int64_t r = 0; r < rows; r++) {                                                       \
        const T v = ((const T *)(const void *)(x + r * step))[j];                                \
        b[j] = NUMBER_OF(b[j], v, OP);                                                           \
      }                                                                                          \
  }                                                                                              \
  /* ROWS is a constant, as in sums. */                                                          \
  static inline __attribute__((always_inline)) void col_some_##FN##_skipnan_##S(const int64_t rows, int64_t n, const char *x, \
                                                                                int64_t step, T *b) \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    T start[W];                                                                                  \
    int64_t j = 0;                                                                               \
    for (int k = 0; k < W; k++)                                                                  \
      start[k] = LEAST;                                                                          \
    const X least = load_##S(start);                                                             \
    for (; j + W <= n; j += W) {                                                                 \
      const char *row = x + j * (int64_t)sizeof(T);                                              \
      X a = PICK##_##S(load_##S(b + j), least);                                                  \
      UNROLL for (int64_t r = 0; r < rows; r++)                                                  \
        a = PICK##_##S(load_##S((const T *)(const void *)(row + r * step)), a);                  \
      if (HAS_LANE(a, least))                                                                    \
        columns_##FN##_skipnan_##S(rows, W, row, step, b + j);                                   \
      else                                                                                       \
        store_##S(b + j, a);                                                                     \
    }                                                                                            \
    columns_##FN##_skipnan_##S(rows, n - j, x + j * (int64_t)sizeof(T), step, b + j);            \
  }                                                                                              \
  static void col_##FN##_skipnan_##S(int64_t rows, int64_t n, const char *x, int64_t step, void *m) \
  {                                                                                              \
    int64_t r = 0;                                                                               \
    for (; r + 8 <= rows; r += 8)                                                                \
      col_some_##FN##_skipnan_##S(8, n, x + r * step, step, m);                                  \
    for (; r < rows; r++)                                                                        \
      col_some_##FN##_skipnan_##S(1, n, x + r * step, step, m);                                  \
  }
NUMBER_EXTREME(max, f32, float, xf, top, >, -(float)INFINITY)
NUMBER_EXTREME(max, f64, double, xd, top, >, -(double)INFINITY)
NUMBER_EXTREME(min, f32, float, xf, low, <, (float)INFINITY)
NUMBER_EXTREME(min, f64, double, xd, low, <, (double)INFINITY)
