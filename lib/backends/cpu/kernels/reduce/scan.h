// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running sums of contiguous elements, in float64; included by reduce.c alone, after reduce.h.
 *
 * The sums within a vector are made by shifts and do not wait for the vector before it; only what is carried does, with one
 * addition for each vector. What is shifted in is -0, which changes nothing.
 * Every instruction set; cumsum of contiguous float32, float64 and complex128.
 */
#if defined __AVX512F__
static inline vd last_lane(vd v) { return (vd)_mm512_permutexvar_pd(_mm512_set1_epi64(7), (__m512d)v); }

/* V moved up by N lanes, the lower ones from BY. */
#define SHIFTED_IN(v, by, n) ((vd)_mm512_alignr_epi64((__m512i)(v), (__m512i)(by), 8 - (n)))

static inline vd sums_within(vd v)
{
  const vd none = (vd)_mm512_set1_pd(-0.0);
  v += SHIFTED_IN(v, none, 1);
  v += SHIFTED_IN(v, none, 2);
  v += SHIFTED_IN(v, none, 4);
  return v;
}

/* Four runs of four elements to each vector: element k of the runs to r[k], lanes of 128 bits for themselves; the inverse too. */
static inline __attribute__((always_inline)) void runs_of_four(__m512 *r)
{
  const __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
  const __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
#define PAIRS(half, x, y) _mm512_castpd_ps(_mm512_unpack##half##_pd(_mm512_castps_pd(x), _mm512_castps_pd(y)))
  r[0] = PAIRS(lo, a, c);
  r[1] = PAIRS(hi, a, c);
  r[2] = PAIRS(lo, b, d);
  r[3] = PAIRS(hi, b, d);
#undef PAIRS
}

/* Sums of 64 elements. Runs of four, each in lanes of its own, are added up element by element, which takes no shifts: low[k]
 * and high[k] get the sums of the first k + 1 of each; lane 4 q + i of low (q < 2) and high has run 4 i + q. */
static inline __attribute__((always_inline)) void sums_of_runs(const float *x, vd *low, vd *high)
{
  __m512 r[4];
  UNROLL for (int k = 0; k < 4; k++)
    r[k] = _mm512_loadu_ps(x + 16 * k);
  runs_of_four(r);
  UNROLL for (int k = 0; k < 4; k++) {
    low[k] = lower((vf)r[k]);
    high[k] = upper((vf)r[k]);
    if (k) {
      low[k] += low[k - 1];
      high[k] += high[k - 1];
    }
  }
}

/* What comes before each run is made of their totals and CARRY; the total of all is returned. */
static inline __attribute__((always_inline)) vd join_runs(const vd *low, const vd *high, vd carry, __m512 *r)
{
  const __m512i none = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
  const vd p = low[3] + SHIFTED_IN(low[3], none, 4);
  const vd q = high[3] + SHIFTED_IN(high[3], none, 4) + (vd)_mm512_shuffle_f64x2((__m512d)p, (__m512d)p, 0xee);
  __m512d rows = _mm512_shuffle_f64x2((__m512d)q, (__m512d)q, 0xee);
  rows = _mm512_mask_add_pd(rows, 0xee, rows, _mm512_permutex_pd(rows, 0x90));
  rows = _mm512_mask_add_pd(rows, 0xcc, rows, _mm512_permutex_pd(rows, 0x40));
  const vd before = carry + (vd)_mm512_mask_permutex_pd(_mm512_castsi512_pd(none), 0xee, rows, 0x90);
  const vd first = before + SHIFTED_IN(p, none, 4), second = before + SHIFTED_IN(q, p, 4);
  UNROLL for (int k = 0; k < 4; k++)
    r[k] = _mm512_castpd_ps(_mm512_insertf64x4(
        _mm512_castpd256_pd512(_mm256_castps_pd(_mm512_cvtpd_ps((__m512d)(low[k] + first)))),
        _mm256_castps_pd(_mm512_cvtpd_ps((__m512d)(high[k] + second))), 1));
  runs_of_four(r);
  return last_lane((vd)rows);
}

static inline void store_scan_f32(float *to, vd v) { _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v)); }
#elif defined __AVX2__
static inline vd last_lane(vd v) { return (vd)_mm256_permute4x64_pd((__m256d)v, 0xff); }

/* V moved up by N lanes, 1 or 2, the lower ones from BY. */
#define SHIFTED_IN(v, by, n) \
  ((vd)_mm256_blend_pd(_mm256_permute4x64_pd((__m256d)(v), (n) == 1 ? 0x90 : 0x40), (__m256d)(by), (n) == 1 ? 1 : 3))

static inline vd sums_within(vd v)
{
  const vd none = (vd)_mm256_set1_pd(-0.0);
  v += SHIFTED_IN(v, none, 1);
  v += SHIFTED_IN(v, none, 2);
  return v;
}

static inline void store_scan_f32(float *to, vd v) { _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v)); }
#endif
#if defined __AVX2__
static inline void store_scan_f64(double *to, vd v) { *(vd *)(void *)to = v; }
#endif

/* The sum of the elements alone is made in the same order whether or not running sums are STOREd, so that BEFORE may be known
 * later. OUT may be X. STREAMS: the sums are written by non-temporal stores (stream.h). */
#define SCAN(S, T, LOAD)                                                                         \
  static inline __attribute__((always_inline)) double sums_of_##S(int64_t n, const T *x, T *out, const bool streams, \
                                                                  const bool store, double before) \
  {                                                                                              \
    double sum = -0.0;                                                                           \
    int64_t i = 0;                                                                               \
    for (; streams && i < n && (uintptr_t)(out + i) % 64 != 0; i++)                              \
      SCAN_ONE(T);                                                                               \
    SCAN_VECTORS(S, T, LOAD)                                                                     \
    for (; i < n; i++)                                                                           \
      SCAN_ONE(T);                                                                               \
    return sum;                                                                                  \
  }                                                                                              \
  static double scan_sum_##S(int64_t n, const void *x, void *out, bool streams, bool store, double before) \
  {                                                                                              \
    return streams && store ? sums_of_##S(n, x, out, true, true, before)                         \
           : streams        ? sums_of_##S(n, x, out, true, false, before)                        \
           : store       ? sums_of_##S(n, x, out, false, true, before)                           \
                         : sums_of_##S(n, x, out, false, false, before);                         \
  }
#define SCAN_ONE(T)                                                                              \
  do {                                                                                           \
    sum += (double)x[i];                                                                         \
    if (store)                                                                                   \
      out[i] = (T)(before + sum);                                                                \
  } while (0)
#if defined __AVX2__
#define SCAN_VECTORS(S, T, LOAD)                                                                 \
  enum { W = VECTOR / 8 };                                                                       \
  vd carry, first;                                                                               \
  for (int k = 0; k < W; k++) {                                                                  \
    carry[k] = sum;                                                                              \
    first[k] = before;                                                                           \
  }                                                                                              \
  SCAN_WIDE_##S                                                                                  \
  for (; i + 2 * W <= n; i += 2 * W) {                                                           \
    const vd a = sums_within(LOAD(x + i)), b = sums_within(LOAD(x + i + W));                     \
    const vd next = carry + last_lane(a);                                                        \
    __builtin_prefetch((const char *)(x + i) + PREFETCH_DISTANCE);                               \
    if (store) {                                                                                 \
      store_scan_##S(out + i, first + carry + a);                                                \
      store_scan_##S(out + i + W, first + next + b);                                             \
    }                                                                                            \
    carry = next + last_lane(b);                                                                 \
  }                                                                                              \
  sum = carry[0];
#else
#define SCAN_VECTORS(S, T, LOAD)
#endif
#if defined __AVX512F__
/* Runs of the next 64 elements are added up while those of 64 wait for each other. */
#define SCAN_WIDE_f32                                                                            \
  if (n - i >= 64) {                                                                             \
    vd low[4], high[4], next_low[4], next_high[4];                                               \
    __m512 r[4];                                                                                 \
    sums_of_runs(x + i, low, high);                                                              \
    for (; i + 64 <= n; i += 64) {                                                               \
      sums_of_runs(x + (i + 128 <= n ? i + 64 : i), next_low, next_high);                        \
      const vd total = join_runs(low, high, first + carry, r);                                   \
      carry += total;                                                                            \
      prefetch_ahead(x + i, 256);                                                                \
      UNROLL for (int k = 0; k < 4; k++) {                                                       \
        if (store && streams)                                                                    \
          _mm512_stream_ps(out + i + 16 * k, r[k]);                                              \
        else if (store)                                                                          \
          _mm512_storeu_ps(out + i + 16 * k, r[k]);                                              \
        low[k] = next_low[k];                                                                    \
        high[k] = next_high[k];                                                                  \
      }                                                                                          \
    }                                                                                            \
  }
#define SCAN_WIDE_f64                                                                            \
  for (; streams && i + W <= n; i += W) {                                                        \
    const vd a = sums_within(VD(x + i));                                                         \
    if (store)                                                                                   \
      _mm512_stream_pd(out + i, (__m512d)(first + carry + a));                                   \
    carry += last_lane(a);                                                                       \
  }
#elif defined __AVX2__
#define SCAN_WIDE_f32                                                                            \
  for (; streams && i + 2 * W <= n; i += 2 * W) {                                                \
    const vd a = sums_within(WIDE(x + i)), c = sums_within(WIDE(x + i + W)), next = carry + last_lane(a); \
    const vd b = first + carry + a, d = first + next + c;                                        \
    if (store)                                                                                   \
      _mm256_stream_ps(out + i, _mm256_set_m128(_mm256_cvtpd_ps((__m256d)d), _mm256_cvtpd_ps((__m256d)b))); \
    carry = next + last_lane(c);                                                                 \
  }
#define SCAN_WIDE_f64                                                                            \
  for (; streams && i + W <= n; i += W) {                                                        \
    const vd a = sums_within(VD(x + i));                                                         \
    if (store)                                                                                   \
      _mm256_stream_pd(out + i, (__m256d)(first + carry + a));                                   \
    carry += last_lane(a);                                                                       \
  }
#endif
SCAN(f32, float, WIDE)
SCAN(f64, double, VD)
