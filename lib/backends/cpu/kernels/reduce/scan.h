// SPDX-License-Identifier: BSD-3-Clause
/*
 * What running sums share, those of contiguous elements, in float64; included by reduce.c alone, after reduce.h. Their body is
 * running_sums.h.
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
    low[k] = lower_f32(r[k]);
    high[k] = upper_f32(r[k]);
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

static inline void stream_scan_f64(double *to, vd v) { _mm512_stream_pd(to, (__m512d)v); }
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

static inline void stream_scan_f64(double *to, vd v) { _mm256_stream_pd(to, (__m256d)v); }
static inline void store_scan_f32(float *to, vd v) { _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v)); }
#endif
#if defined __AVX2__
static inline void store_scan_f64(double *to, vd v) { *(vd *)(void *)to = v; }
#endif

/* What vectors that are stored past the caches are summed by, and with AVX-512 runs of float32: from element I on, the next is
 * returned. FIRST is what comes before all, CARRY is added up. */
#if defined __AVX512F__
/* Runs of the next 64 elements are added up while those of 64 wait for each other. */
INLINE int64_t scan_wide_f32(int64_t i, int64_t n, const float *x, float *out, const bool streams, const bool store, vd first,
                             vd *carry)
{
  if (n - i < 64)
    return i;
  vd low[4], high[4], next_low[4], next_high[4];
  __m512 r[4];
  sums_of_runs(x + i, low, high);
  for (; i + 64 <= n; i += 64) {
    sums_of_runs(x + (i + 128 <= n ? i + 64 : i), next_low, next_high);
    const vd total = join_runs(low, high, first + *carry, r);
    *carry += total;
    prefetch_ahead(x + i, 256);
    UNROLL for (int k = 0; k < 4; k++) {
      if (store && streams)
        _mm512_stream_ps(out + i + 16 * k, r[k]);
      else if (store)
        _mm512_storeu_ps(out + i + 16 * k, r[k]);
      low[k] = next_low[k];
      high[k] = next_high[k];
    }
  }
  return i;
}
#elif defined __AVX2__
INLINE int64_t scan_wide_f32(int64_t i, int64_t n, const float *x, float *out, const bool streams, const bool store, vd first,
                             vd *carry)
{
  enum { W = VECTOR / 8 };
  for (; streams && i + 2 * W <= n; i += 2 * W) {
    const vd a = sums_within(wide_f32(x + i)), c = sums_within(wide_f32(x + i + W)), next = *carry + last_lane(a);
    const vd b = first + *carry + a, d = first + next + c;
    if (store)
      _mm256_stream_ps(out + i, _mm256_set_m128(_mm256_cvtpd_ps((__m256d)d), _mm256_cvtpd_ps((__m256d)b)));
    *carry = next + last_lane(c);
  }
  return i;
}
#endif
#if defined __AVX2__
INLINE int64_t scan_wide_f64(int64_t i, int64_t n, const double *x, double *out, const bool streams, const bool store, vd first,
                             vd *carry)
{
  enum { W = VECTOR / 8 };
  for (; streams && i + W <= n; i += W) {
    const vd a = sums_within(wide_f64(x + i));
    if (store)
      stream_scan_f64(out + i, first + *carry + a);
    *carry += last_lane(a);
  }
  return i;
}
#endif
