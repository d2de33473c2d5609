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
typedef double vd __attribute__((vector_size(VECTOR), aligned(8), may_alias));

static inline vd wide_f64(const void *p) { return *(const vd *)p; }
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

/* The halves of a vector of float32 as float64; half a vector at P, as of float64 a whole one. */
#if defined __AVX512F__
static inline vd wide_f32(const void *p) { return (vd)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
static inline vd lower_f32(lanes_f32 v) { return (vd)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v)); }
static inline vd upper_f32(lanes_f32 v)
{
  return (vd)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd((__m512)v), 1)));
}
#elif defined __AVX__
static inline vd wide_f32(const void *p) { return (vd)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
static inline vd lower_f32(lanes_f32 v) { return (vd)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v)); }
static inline vd upper_f32(lanes_f32 v) { return (vd)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1)); }
#else
typedef float vh __attribute__((vector_size(VECTOR / 2), aligned(4), may_alias));
static inline vd wide_f32(const void *p) { return __builtin_convertvector(*(const vh *)p, vd); }
#endif
#if defined __AVX__
#elif defined __SSE2__
static inline vd lower_f32(lanes_f32 v) { return (vd)_mm_cvtps_pd((__m128)v); }
static inline vd upper_f32(lanes_f32 v) { return (vd)_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v)); }
#else
static inline vd lower_f32(lanes_f32 v) { return (vd){ (double)v[0], (double)v[1] }; }
static inline vd upper_f32(lanes_f32 v) { return (vd){ (double)v[2], (double)v[3] }; }
#endif

/* a + x y, rounded once where the processor does that. */
#if defined __AVX512F__
static inline vd plus_product(vd a, vd x, vd y) { return (vd)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)a); }
#elif defined __FMA__
static inline vd plus_product(vd a, vd x, vd y) { return (vd)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)a); }
#else
static inline vd plus_product(vd a, vd x, vd y) { return a + x * y; }
#endif

static inline vd add_square(vd d, vd a) { return plus_product(a, d, d); }

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

static inline vd lower_f64(vd v) { return v; }
static inline vd widened_f32(lanes_f32 a) { return lower_f32(a) + upper_f32(a); }
static inline vd widened_f64(vd a) { return a; }

/* What of elements is added up: the elements, their absolute values, 1 for each that is not 0, those that are not NaN, of pairs
 * those of which neither is. */
typedef enum measure { ELEMENTS, SIZES_OF_ELEMENTS, THERE, NUMBERS, PAIRS_OF_NUMBERS } measure;

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

static inline void col_add_f32(double *acc, lanes_f32 v)
{
  col_add(acc, lower_f32(v));
  col_add(acc + VECTOR / 8, upper_f32(v));
}

static inline void col_add_f64(double *acc, vd v) { col_add(acc, v); }

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

/* Of distances from MU their sums and those of their squares. */
typedef struct moments { vd mu, s0, s1, s2, s3, a0, a1, a2, a3; } moments;

INLINE moments no_moments(const int parts, const double *shift)
{
  moments m = { .mu = { 0 } };
  for (int k = 0; k < VECTOR / 8; k++)
    m.mu[k] = shift[k % parts];
  return m;
}

INLINE void add_moments(moments *m, vd x0, vd x1, vd x2, vd x3)
{
  const vd d0 = x0 - m->mu, d1 = x1 - m->mu, d2 = x2 - m->mu, d3 = x3 - m->mu;
  m->s0 += d0;
  m->s1 += d1;
  m->s2 += d2;
  m->s3 += d3;
  m->a0 = add_square(d0, m->a0);
  m->a1 = add_square(d1, m->a1);
  m->a2 = add_square(d2, m->a2);
  m->a3 = add_square(d3, m->a3);
}

/* With PART and BOTH, the same of elements that fill no vector. */
INLINE void end_moments(const moments *m, const int parts, double *part, double *both, double *sum, double *square)
{
  add_lanes_f64((m->a0 + m->a1) + (m->a2 + m->a3), &both[0], &both[1]);
  add_lanes_f64((m->s0 + m->s1) + (m->s2 + m->s3), &part[0], &part[1]);
  for (int k = 0; k < 2; k++) {
    sum[k % parts] += part[k];
    square[k % parts] += both[k];
  }
}

/* What rounding leaves between SHIFT and the mean stays in SUM. */
INLINE void keep_moments(const bool move, vd part, vd all, vd k, vd s, vd a, double *shift, double *sum, double *square)
{
  if (move) {
    const vd to = k + s * part, by = to - k, rest = s - by * all;
    a -= by * (s + rest);
    s = rest;
    *(vd *)(void *)shift = to;
  }
  *(vd *)(void *)square = a;
  *(vd *)(void *)sum = s;
}

/* Rows of columns at a time, for moments. Of short ones the next rows are prefetched, of long ones what comes next in each row. */
enum { MOMENTS_SHORT = 4096 /* bytes */ };
