// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running sums of contiguous elements, in float64; included by kernels_reduce.c alone, after k_reduce.h.
 *
 * The sums within a vector are made by shifts and do not wait for the vector before it; only what is carried does, with one
 * addition for each vector. What is shifted in is -0, which changes nothing.
 */
#if defined __AVX512F__
static inline vd last_lane(vd v) { return (vd)_mm512_permutexvar_pd(_mm512_set1_epi64(7), (__m512d)v); }

static inline vd sums_within(vd v)
{
  const __m512i none = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
  v += (vd)_mm512_alignr_epi64((__m512i)v, none, 7);
  v += (vd)_mm512_alignr_epi64((__m512i)v, none, 6);
  v += (vd)_mm512_alignr_epi64((__m512i)v, none, 4);
  return v;
}

static inline void store_scan_f32(float *to, vd v) { _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)v)); }
#elif defined __AVX2__
static inline vd last_lane(vd v) { return (vd)_mm256_permute4x64_pd((__m256d)v, 0xff); }

static inline vd sums_within(vd v)
{
  const __m256d none = _mm256_set1_pd(-0.0);
  v += (vd)_mm256_blend_pd(_mm256_permute4x64_pd((__m256d)v, 0x90), none, 1);
  v += (vd)_mm256_blend_pd(_mm256_permute4x64_pd((__m256d)v, 0x40), none, 3);
  return v;
}

static inline void store_scan_f32(float *to, vd v) { _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v)); }
#endif
#if defined __AVX2__
static inline void store_scan_f64(double *to, vd v) { *(vd *)(void *)to = v; }
#endif

/* OUT may be X. */
#define SCAN(S, T, LOAD)                                                                         \
  static void scan_sum_##S(int64_t n, const void *x_, void *out_)                                \
  {                                                                                              \
    const T *x = x_;                                                                             \
    T *out = out_;                                                                               \
    double sum = -0.0;                                                                           \
    int64_t i = 0;                                                                               \
    SCAN_VECTORS(S, T, LOAD)                                                                     \
    for (; i < n; i++)                                                                           \
      out[i] = (T)(sum += (double)x[i]);                                                         \
  }
#if defined __AVX2__
#define SCAN_VECTORS(S, T, LOAD)                                                                 \
  enum { W = VECTOR / 8 };                                                                       \
  vd carry;                                                                                      \
  for (int k = 0; k < W; k++)                                                                    \
    carry[k] = -0.0;                                                                             \
  for (; i + 2 * W <= n; i += 2 * W) {                                                           \
    const vd a = sums_within(LOAD(x + i)), b = sums_within(LOAD(x + i + W));                     \
    __builtin_prefetch((const char *)(x + i) + AHEAD);                                           \
    store_scan_##S(out + i, carry + a);                                                          \
    carry += last_lane(a);                                                                       \
    store_scan_##S(out + i + W, carry + b);                                                      \
    carry += last_lane(b);                                                                       \
  }                                                                                              \
  sum = carry[0];
#else
#define SCAN_VECTORS(S, T, LOAD)
#endif
SCAN(f32, float, WIDE)
SCAN(f64, double, VD)
