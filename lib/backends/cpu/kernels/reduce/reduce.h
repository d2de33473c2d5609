// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of contiguous elements and of columns; included by reduce.c alone.
 *
 * Sums of float32 run in lanes of 16 elements (columns: over 16 rows or fewer), and those add up in double: as exact as
 * pairwise summation and as fast as memory. Everything else accumulates in double. A long range is read as two streams
 * at a time, which keeps more of memory's requests under way.
 * Every instruction set; sum and mean.
 */
enum { VECTOR = CPU_VECTOR };
typedef float vf __attribute__((vector_size(VECTOR), aligned(4), may_alias));
typedef double vd __attribute__((vector_size(VECTOR), aligned(8), may_alias));

#define VF(p) (*(const vf *)(const void *)(p))
#define VD(p) (*(const vd *)(const void *)(p))
enum { SUM_BLOCK = 16 * VECTOR, FAR = 1 << 17 /* bytes from which two streams are read */ };

/* The prefetch distance of contiguous reductions, and the bytes from which they prefetch: hardware prefetchers stop at the end of
 * each page. Where two streams are read, and little is done with what comes, those alone are faster. */
enum { PREFETCH_DISTANCE = 8192, PREFETCH_FROM = 4096 };
static inline __attribute__((always_inline)) void prefetch_ahead(const void *p, int bytes)
{
  UNROLL for (int k = 0; k < bytes; k += 64)
    __builtin_prefetch((const char *)p + PREFETCH_DISTANCE + k);
}

/* Is a lane of a comparison true? */
#if defined __AVX512F__
#define ANY_LANE(c) (_mm512_test_epi64_mask((__m512i)(c), (__m512i)(c)) != 0)
#elif defined __AVX__
#define ANY_LANE(c) any_lane((__m256i)(c))
static inline bool any_lane(__m256i c) { return !_mm256_testz_si256(c, c); }
#elif defined __SSE2__
#define ANY_LANE(c) (_mm_movemask_epi8((__m128i)(c)) != 0)
#else
typedef int64_t lanes_of_bits __attribute__((vector_size(VECTOR)));
#define ANY_LANE(c) any_lane((lanes_of_bits)(c))
static inline bool any_lane(lanes_of_bits c) { return (c[0] | c[1]) != 0; }
#endif

/* The halves of a vector of float32 as float64; half a vector at P. */
#if defined __AVX512F__
#define WIDE(p) ((vd)_mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(p))))
static inline vd lower(vf v) { return (vd)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v)); }
static inline vd upper(vf v)
{
  return (vd)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd((__m512)v), 1)));
}
#elif defined __AVX__
#define WIDE(p) ((vd)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)(p))))
static inline vd lower(vf v) { return (vd)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v)); }
static inline vd upper(vf v) { return (vd)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1)); }
#else
typedef float vh __attribute__((vector_size(VECTOR / 2), aligned(4), may_alias));
#define WIDE(p) __builtin_convertvector(*(const vh *)(const void *)(p), vd)
#endif
#if defined __AVX__
#elif defined __SSE2__
static inline vd lower(vf v) { return (vd)_mm_cvtps_pd((__m128)v); }
static inline vd upper(vf v) { return (vd)_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v)); }
#else
static inline vd lower(vf v) { return (vd){ (double)v[0], (double)v[1] }; }
static inline vd upper(vf v) { return (vd){ (double)v[2], (double)v[3] }; }
#endif

/* a + x y, rounded once where the processor does that. */
#if defined __AVX512F__
static inline vd plus_product(vd a, vd x, vd y) { return (vd)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)a); }
#elif defined __FMA__
static inline vd plus_product(vd a, vd x, vd y) { return (vd)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)a); }
#else
static inline vd plus_product(vd a, vd x, vd y) { return a + x * y; }
#endif

/* Even lanes into *even, odd ones into *odd: with complex numbers real and imaginary parts. */
static inline void add_lanes_f64(vd d, double *even, double *odd)
{
  double e = d[0], o = d[1];
  for (int k = 2; k < VECTOR / 8; k += 2) {
    e += d[k];
    o += d[k + 1];
  }
  *even += e;
  *odd += o;
}

static inline vd widened_f32(vf a) { return lower(a) + upper(a); }
static inline vd widened_f64(vd a) { return a; }

/* A part of a vector's worth of elements, the rest 0. */
#ifdef __AVX512F__
static inline vf tail_f32(const float *x, int64_t n) { return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), x); }
static inline vd tail_f64(const double *x, int64_t n) { return (vd)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), x); }
#else
static inline vf tail_f32(const float *x, int64_t n)
{
  float t[VECTOR / 4] = { 0 };
  for (int64_t i = 0; i < n; i++)
    t[i] = x[i];
  return VF(t);
}

static inline vd tail_f64(const double *x, int64_t n)
{
  double t[VECTOR / 8] = { 0 };
  for (int64_t i = 0; i < n; i++)
    t[i] = x[i];
  return VD(t);
}
#endif

/* What of elements is added up: the elements, their absolute values, 1 for each that is not 0. */
#define MEASURES(S, T, V, U, SIGNLESS)                                                           \
  typedef U mask_##S __attribute__((vector_size(VECTOR)));                                       \
  static inline V size_##S(V v) { return (V)((mask_##S)v & (U)(SIGNLESS)); }                     \
  static inline V there_##S(V v)                                                                 \
  {                                                                                              \
    return (V)((mask_##S)(v != (V){ 0 }) & (mask_##S)((T)1 + (V){ 0 }));                         \
  }
MEASURES(f32, float, vf, uint32_t, 0x7fffffffu)
MEASURES(f64, double, vd, uint64_t, 0x7fffffffffffffffu)
#define AS_IT_IS(v) (v)

/* A vector of elements, and how many those are. */
#define LOAD_f32(p) VF(p)
#define LOAD_f64(p) VD(p)
enum { LANES_f32 = VECTOR / 4, LANES_f64 = VECTOR / 8 };

/* SUM_BLOCK or fewer components at x, or half as many at x and y each, into lanes of double: OF each vector. */
#define SUM_BLOCKS(FN, S, T, V, OF)                                                              \
  static inline __attribute__((always_inline)) void FN##_near(int64_t n, const T *x, vd *sum, bool ahead) \
  {                                                                                              \
    enum { W = LANES_##S };                                                                      \
    V a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };                                            \
    int64_t i = 0;                                                                               \
    for (; i + 4 * W <= n; i += 4 * W) {                                                         \
      if (ahead)                                                                                 \
        prefetch_ahead(x + i, 4 * W * (int)sizeof(T));                                           \
      a0 += OF(LOAD_##S(x + i));                                                                 \
      a1 += OF(LOAD_##S(x + i + W));                                                             \
      a2 += OF(LOAD_##S(x + i + 2 * W));                                                         \
      a3 += OF(LOAD_##S(x + i + 3 * W));                                                         \
    }                                                                                            \
    if (i + 2 * W <= n) {                                                                        \
      a0 += OF(LOAD_##S(x + i));                                                                 \
      a1 += OF(LOAD_##S(x + i + W));                                                             \
      i += 2 * W;                                                                                \
    }                                                                                            \
    if (i + W <= n) {                                                                            \
      a2 += OF(LOAD_##S(x + i));                                                                 \
      i += W;                                                                                    \
    }                                                                                            \
    if (i < n)                                                                                   \
      a3 += OF(tail_##S(x + i, n - i));                                                          \
    *sum += widened_##S((a0 + a1) + (a2 + a3));                                                  \
  }                                                                                              \
  static inline __attribute__((always_inline)) void FN##_far(const T *x, const T *y, vd *sum)    \
  {                                                                                              \
    enum { W = LANES_##S };                                                                      \
    V a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };                                            \
    for (int64_t i = 0; i < SUM_BLOCK / 2; i += 2 * W) {                                         \
      a0 += OF(LOAD_##S(x + i));                                                                 \
      a1 += OF(LOAD_##S(x + i + W));                                                             \
      a2 += OF(LOAD_##S(y + i));                                                                 \
      a3 += OF(LOAD_##S(y + i + W));                                                             \
    }                                                                                            \
    *sum += widened_##S((a0 + a1) + (a2 + a3));                                                  \
  }                                                                                              \
  static inline void FN(int64_t n, const T *x, double *even, double *odd)                        \
  {                                                                                              \
    int64_t i = 0;                                                                               \
    vd sum = { 0 };                                                                              \
    if (n * (int64_t)sizeof(T) >= FAR) {                                                         \
      const int64_t half = n / SUM_BLOCK * (SUM_BLOCK / 2);                                      \
      for (; i < half; i += SUM_BLOCK / 2)                                                       \
        FN##_far(x + i, x + half + i, &sum);                                                     \
      i = 2 * half;                                                                              \
    } else if (n * (int64_t)sizeof(T) >= PREFETCH_FROM) {                                        \
      for (; i + SUM_BLOCK <= n; i += SUM_BLOCK)                                                 \
        FN##_near(SUM_BLOCK, x + i, &sum, true);                                                 \
    }                                                                                            \
    for (; i < n; i += SUM_BLOCK)                                                                \
      FN##_near(n - i < SUM_BLOCK ? n - i : SUM_BLOCK, x + i, &sum, false);                      \
    add_lanes_f64(sum, even, odd);                                                               \
  }
SUM_BLOCKS(sum_all_f32, f32, float, vf, AS_IT_IS)
SUM_BLOCKS(sum_all_f64, f64, double, vd, AS_IT_IS)
SUM_BLOCKS(sum_size_all_f32, f32, float, vf, size_f32)
SUM_BLOCKS(sum_size_all_f64, f64, double, vd, size_f64)
SUM_BLOCKS(sum_there_all_f32, f32, float, vf, there_f32)
SUM_BLOCKS(sum_there_all_f64, f64, double, vd, there_f64)

#define SUMS(NAME, S)                                                                            \
  static void NAME##_##S(int64_t n, const void *x, double *sum)                                  \
  {                                                                                              \
    double e = 0, o = 0;                                                                         \
    NAME##_all_##S(n, x, &e, &o);                                                                \
    sum[0] += e + o;                                                                             \
  }
SUMS(sum, f32)
SUMS(sum, f64)
SUMS(sum_size, f32)
SUMS(sum_size, f64)
SUMS(sum_there, f32)
SUMS(sum_there, f64)

static void sum_c64(int64_t n, const void *x, double *sum) { sum_all_f32(2 * n, x, &sum[0], &sum[1]); }
static void sum_c128(int64_t n, const void *x, double *sum) { sum_all_f64(2 * n, x, &sum[0], &sum[1]); }

/* Squared distances from the mean, in double; PARTS components per element. */
#define SUM_SQ(FN, T, PARTS, LOAD)                                                               \
  static void FN(int64_t n, const void *x, const double *mean, double *sum)                      \
  {                                                                                              \
    const T *v = x;                                                                              \
    const int64_t m = n * PARTS;                                                                 \
    enum { W = VECTOR / 8 };                                                                     \
    vd mu, a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };                                       \
    double even = 0, odd = 0;                                                                    \
    int64_t i = 0;                                                                               \
    for (int k = 0; k < W; k++)                                                                  \
      mu[k] = mean[k % PARTS];                                                                   \
    for (; i + 4 * W <= m; i += 4 * W) {                                                         \
      const vd d0 = LOAD(v + i) - mu, d1 = LOAD(v + i + W) - mu;                                 \
      const vd d2 = LOAD(v + i + 2 * W) - mu, d3 = LOAD(v + i + 3 * W) - mu;                     \
      a0 += d0 * d0;                                                                             \
      a1 += d1 * d1;                                                                             \
      a2 += d2 * d2;                                                                             \
      a3 += d3 * d3;                                                                             \
    }                                                                                            \
    for (; i + W <= m; i += W) {                                                                 \
      const vd d = LOAD(v + i) - mu;                                                             \
      a0 += d * d;                                                                               \
    }                                                                                            \
    for (; i < m; i++) {                                                                         \
      const double d = (double)v[i] - mean[i % PARTS];                                           \
      even += d * d;                                                                             \
    }                                                                                            \
    add_lanes_f64((a0 + a1) + (a2 + a3), &even, &odd);                                           \
    *sum += even + odd;                                                                          \
  }
SUM_SQ(sum_sq_f32, float, 1, WIDE)
SUM_SQ(sum_sq_f64, double, 1, VD)
SUM_SQ(sum_sq_c64, float, 2, WIDE)
SUM_SQ(sum_sq_c128, double, 2, VD)

/* ---- columns: ROWS rows of N elements, STEP bytes from one to the next ---- */

enum { COL_ROWS = 16, COL_FAR = 1 << 22 };

/* The prefetch distance within each of ROWS rows, STEP bytes apart, that are read side by side; 0: they fit the caches. */
static inline int64_t column_prefetch(int64_t rows, int64_t step)
{
  enum { DISTANCE = 256 };
  return rows * (step < 0 ? -step : step) >= COL_FAR ? DISTANCE : 0;
}

static inline __attribute__((always_inline)) void prefetch_columns(const char *p, int64_t rows, int64_t step, int bytes, int64_t ahead)
{
  if (ahead)
    UNROLL for (int64_t r = 0; r < rows; r++)
      UNROLL for (int k = 0; k < bytes; k += 64)
        __builtin_prefetch(p + r * step + ahead + k);
}

static inline void col_add(double *acc, vd v) { *(vd *)(void *)acc += v; }

static inline void col_add_f32(double *acc, vf v)
{
  col_add(acc, lower(v));
  col_add(acc + VECTOR / 8, upper(v));
}

static inline void col_add_f64(double *acc, vd v) { col_add(acc, v); }

/* ROWS is a constant: loops over it are unrolled, as rows read in turn with a branch between them come one by one. OF each vector, and
 * ONE component of it by its address and number. */
#define COL_SUM(FN, S, T, V, OF, ONE)                                                            \
  static inline __attribute__((always_inline)) void FN##_some(const int64_t rows, int64_t n, const char *x, \
                                                                 int64_t step, int64_t ahead, double *acc) \
  {                                                                                              \
    enum { W = LANES_##S };                                                                      \
    int64_t j = 0;                                                                               \
    for (; j + 2 * W <= n; j += 2 * W) {                                                         \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      prefetch_columns(p, rows, step, 2 * W * (int)sizeof(T), ahead);                            \
      V a0 = OF(LOAD_##S(p)), a1 = OF(LOAD_##S(p + W * (int)sizeof(T)));                         \
      UNROLL for (int64_t r = 1; r < rows; r++) {                                                \
        a0 += OF(LOAD_##S(p + r * step));                                                        \
        a1 += OF(LOAD_##S(p + r * step + W * (int)sizeof(T)));                                   \
      }                                                                                          \
      col_add_##S(acc + j, a0);                                                                  \
      col_add_##S(acc + j + W, a1);                                                              \
    }                                                                                            \
    for (; j + W <= n; j += W) {                                                                 \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      V a = OF(LOAD_##S(p));                                                                     \
      UNROLL for (int64_t r = 1; r < rows; r++)                                                  \
        a += OF(LOAD_##S(p + r * step));                                                         \
      col_add_##S(acc + j, a);                                                                   \
    }                                                                                            \
    for (; j < n; j++) {                                                                         \
      const char *p = x + j * (int64_t)sizeof(T);                                                \
      double a = 0;                                                                              \
      UNROLL for (int64_t r = 0; r < rows; r++)                                                  \
        a += (double)ONE((const T *)(const void *)(p + r * step), j);                            \
      acc[j] += a;                                                                               \
    }                                                                                            \
  }                                                                                              \
  static void FN(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)              \
  {                                                                                              \
    const int64_t ahead = column_prefetch(rows, step);                                           \
    int64_t r = 0;                                                                               \
    for (; r + COL_ROWS <= rows; r += COL_ROWS)                                                  \
      FN##_some(COL_ROWS, n, x + r * step, step, ahead, acc);                                    \
    for (; r + 3 <= rows; r += 3)                                                                \
      FN##_some(3, n, x + r * step, step, 0, acc);                                               \
    for (; r < rows; r++)                                                                        \
      FN##_some(1, n, x + r * step, step, 0, acc);                                               \
  }
#define THE_ONE(p, j) (*(p))
COL_SUM(col_sum_f32, f32, float, vf, AS_IT_IS, THE_ONE)
COL_SUM(col_sum_f64, f64, double, vd, AS_IT_IS, THE_ONE)
#define SIZE_OF_ONE(p, j) fabs(*(p))
COL_SUM(col_sum_size_f32, f32, float, vf, size_f32, SIZE_OF_ONE)
COL_SUM(col_sum_size_f64, f64, double, vd, size_f64, SIZE_OF_ONE)
#define THERE_IS_ONE(p, j) (*(p) != 0)
COL_SUM(col_sum_there_f32, f32, float, vf, there_f32, THERE_IS_ONE)
COL_SUM(col_sum_there_f64, f64, double, vd, there_f64, THERE_IS_ONE)

static void col_sum_c64(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  col_sum_f32(rows, 2 * n, x, step, acc);
}

static void col_sum_c128(int64_t rows, int64_t n, const char *x, int64_t step, double *acc)
{
  col_sum_f64(rows, 2 * n, x, step, acc);
}

#define COL_SUM_SQ(S, T, LOAD)                                                                   \
  static void col_sum_sq_##S(int64_t rows, int64_t n, const char *x, int64_t step, const double *mean, double *acc) \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    for (int64_t from = 0; from < rows; from += COL_ROWS, x += COL_ROWS * step) {                \
      const int64_t m = rows - from < COL_ROWS ? rows - from : COL_ROWS;                         \
      int64_t j = 0;                                                                             \
      for (; j + 2 * W <= n; j += 2 * W) {                                                       \
        const char *p = x + j * (int64_t)sizeof(T);                                              \
        const vd u0 = VD(mean + j), u1 = VD(mean + j + W);                                       \
        vd a0 = { 0 }, a1 = { 0 };                                                               \
        for (int64_t r = 0; r < m; r++, p += step) {                                             \
          const vd d0 = LOAD(p) - u0, d1 = LOAD(p + W * sizeof(T)) - u1;                         \
          a0 += d0 * d0;                                                                         \
          a1 += d1 * d1;                                                                         \
        }                                                                                        \
        col_add(acc + j, a0);                                                                    \
        col_add(acc + j + W, a1);                                                                \
      }                                                                                          \
      for (; j < n; j++) {                                                                       \
        double a = 0;                                                                            \
        for (int64_t r = 0; r < m; r++) {                                                        \
          const double d = (double)*(const T *)(const void *)(x + j * (int64_t)sizeof(T) + r * step) - mean[j]; \
          a += d * d;                                                                            \
        }                                                                                        \
        acc[j] += a;                                                                             \
      }                                                                                          \
    }                                                                                            \
  }
COL_SUM_SQ(f32, float, WIDE)
COL_SUM_SQ(f64, double, VD)

/* Both parts of a complex number count towards one sum. */
#define COL_SUM_SQ_PAIR(S, T)                                                                    \
  static void col_sum_sq_##S(int64_t rows, int64_t n, const char *x, int64_t step, const double *mean, double *acc) \
  {                                                                                              \
    for (int64_t r = 0; r < rows; r++, x += step) {                                              \
      const T *v = (const T *)(const void *)x;                                                   \
      IVDEP for (int64_t i = 0; i < n; i++) {                                                    \
        const double re = (double)v[2 * i] - mean[2 * i], im = (double)v[2 * i + 1] - mean[2 * i + 1]; \
        acc[i] += re * re + im * im;                                                             \
      }                                                                                          \
    }                                                                                            \
  }
COL_SUM_SQ_PAIR(c64, float)
COL_SUM_SQ_PAIR(c128, double)

/* ---- integers: in a type NARROW that a block of elements cannot leave, which takes more of them at a time ---- */

#define SUM_WHOLE(S, T, NARROW)                                                                  \
  static void sum_int_##S(int64_t n, const void *x, uint64_t *sum)                               \
  {                                                                                              \
    enum { BLOCK = 4096 };                                                                       \
    const T *v = x;                                                                              \
    for (int64_t i = 0; i < n; i += BLOCK) {                                                     \
      const int64_t m = n - i < BLOCK ? n - i : BLOCK;                                           \
      NARROW s = 0;                                                                              \
      for (int64_t k = 0; k < m; k++)                                                            \
        s += (NARROW)v[i + k];                                                                   \
      *sum += (uint64_t)s;                                                                       \
    }                                                                                            \
  }
SUM_WHOLE(i8, int8_t, int32_t)
SUM_WHOLE(i16, int16_t, int32_t)
SUM_WHOLE(i32, int32_t, int64_t)
SUM_WHOLE(i64, int64_t, uint64_t)
SUM_WHOLE(u8, uint8_t, uint32_t)
SUM_WHOLE(u16, uint16_t, uint32_t)
SUM_WHOLE(u32, uint32_t, uint64_t)
SUM_WHOLE(u64, uint64_t, uint64_t)
