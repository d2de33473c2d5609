// SPDX-License-Identifier: BSD-3-Clause
/*
 * Largest and smallest of contiguous elements and of columns; included by reduce.c alone.
 *
 * Floats: the processor's max(b, a) gives a when either is NaN, so accumulators never become NaN by it; a mask remembers,
 * for two vectors at a time, whether a NaN came by, and spoils the result at the end.
 * Every instruction set; max, min, argmax and argmin of contiguous slices, and over rows of contiguous columns.
 */
#if defined __AVX512F__
typedef __m512 xf;
typedef __m512d xd;
typedef __mmask16 kf;
typedef __mmask8 kd;
#define FLOAT_VECTORS(S, T, X, K, SFX)                                                           \
  static inline X load_##S(const T *p) { return _mm512_loadu_##SFX(p); }                         \
  static inline X size_of_##S(X a) { return _mm512_abs_##SFX(a); }                               \
  static inline void store_##S(T *p, X a) { _mm512_storeu_##SFX(p, a); }                         \
  static inline X top_##S(X b, X a) { return _mm512_max_##SFX(b, a); }                           \
  static inline X low_##S(X b, X a) { return _mm512_min_##SFX(b, a); }                           \
  static inline K nan_##S(K k, X a, X b) { return _mm512_mask_cmp_##SFX##_mask(k, a, b, _CMP_ORD_Q); } \
  static inline bool any_##S(K k) { return k != NO_NAN(K); }                                     \
  static inline X spoil_##S(X a, K k) { return _mm512_mask_blend_##SFX(k, _mm512_set1_##SFX((T)NAN), a); } \
  static inline T top_of_##S(X a) { return _mm512_reduce_max_##SFX(a); }                         \
  static inline T low_of_##S(X a) { return _mm512_reduce_min_##SFX(a); }
#define NO_NAN(K) ((K)~0u) /* bits of lanes without: comparisons take them on, at no cost */
FLOAT_VECTORS(f32, float, xf, kf, ps)
FLOAT_VECTORS(f64, double, xd, kd, pd)
#else
#if defined __AVX__ || defined __SSE2__
#if defined __AVX__
typedef __m256 xf;
typedef __m256d xd;
#define VECTOR_OF(name) _mm256_##name
#define UNORDERED(SFX, a, b) _mm256_cmp_##SFX(a, b, _CMP_UNORD_Q)
#else
typedef __m128 xf;
typedef __m128d xd;
#define VECTOR_OF(name) _mm_##name
#define UNORDERED(SFX, a, b) _mm_cmpunord_##SFX(a, b)
#endif
typedef xf kf;
typedef xd kd;
#define FLOAT_VECTORS(S, T, X, K, SFX)                                                           \
  static inline X load_##S(const T *p) { return VECTOR_OF(loadu_##SFX)(p); }                     \
  static inline X size_of_##S(X a) { return VECTOR_OF(andnot_##SFX)(VECTOR_OF(set1_##SFX)((T)-0.0), a); }\
  static inline void store_##S(T *p, X a) { VECTOR_OF(storeu_##SFX)(p, a); }                     \
  static inline X top_##S(X b, X a) { return VECTOR_OF(max_##SFX)(b, a); }                       \
  static inline X low_##S(X b, X a) { return VECTOR_OF(min_##SFX)(b, a); }                       \
  static inline K nan_##S(K k, X a, X b) { return VECTOR_OF(or_##SFX)(k, UNORDERED(SFX, a, b)); }\
  static inline bool any_##S(K k) { return VECTOR_OF(movemask_##SFX)(k) != 0; }                  \
  static inline X spoil_##S(X a, K k) { return VECTOR_OF(or_##SFX)(a, k); }
FLOAT_VECTORS(f32, float, xf, kf, ps)
FLOAT_VECTORS(f64, double, xd, kd, pd)
#undef VECTOR_OF
#undef UNORDERED
#define NO_NAN(K) ((K){ 0 })
#else
typedef float xf;
typedef double xd;
typedef int kf;
typedef int kd;
#define FLOAT_VECTORS(S, T, X, K)                                                                \
  static inline X load_##S(const T *p) { return *p; }                                            \
  static inline X size_of_##S(X a) { return (T)fabs(a); }                                        \
  static inline void store_##S(T *p, X a) { *p = a; }                                            \
  static inline X top_##S(X b, X a) { return b > a ? b : a; }                                    \
  static inline X low_##S(X b, X a) { return b < a ? b : a; }                                    \
  static inline K nan_##S(K k, X a, X b) { return k | (a != a) | (b != b); }                     \
  static inline bool any_##S(K k) { return k != 0; }                                             \
  static inline X spoil_##S(X a, K k) { return k ? (T)NAN : a; }
FLOAT_VECTORS(f32, float, xf, kf)
FLOAT_VECTORS(f64, double, xd, kd)
#define NO_NAN(K) 0
#endif

/* The extreme of the lanes of a vector: of its halves, and so on. */
#if defined __AVX__
#define HALF_PS(OP, a) _mm_##OP##_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1))
#define HALF_PD(OP, a) _mm_##OP##_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1))
#else
#define HALF_PS(OP, a) (a)
#define HALF_PD(OP, a) (a)
#endif
#if defined __SSE2__
#define LANES_OF(NAME, OP)                                                                       \
  static inline float NAME##_of_f32(xf a)                                                        \
  {                                                                                              \
    const __m128 h = HALF_PS(OP, a), q = _mm_##OP##_ps(h, _mm_movehl_ps(h, h));                  \
    return _mm_cvtss_f32(_mm_##OP##_ss(q, _mm_shuffle_ps(q, q, 1)));                             \
  }                                                                                              \
  static inline double NAME##_of_f64(xd a)                                                       \
  {                                                                                              \
    const __m128d h = HALF_PD(OP, a);                                                            \
    return _mm_cvtsd_f64(_mm_##OP##_sd(h, _mm_unpackhi_pd(h, h)));                               \
  }
#else
#define LANES_OF(NAME, OP)                                                                       \
  static inline float NAME##_of_f32(xf a) { return a; }                                          \
  static inline double NAME##_of_f64(xd a) { return a; }
#endif
LANES_OF(top, max)
LANES_OF(low, min)
#endif

/* Values that are in registers: compilers would load them twice, for either use, and the processor can have the fewer lines
 * of memory under way. */
#ifdef __SSE2__
#define LOADED(a, b, c, d) __asm__("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d))
#else
#define LOADED(a, b, c, d) ((void)0)
#endif

/* Bytes of rows, and of all, from which rows are read as four streams: what comes from memory then comes in less time
 * than eight rows side by side. */
enum { COL_LONG = 4096 };

/* What is compared: elements, or their absolute values; also what is found so far, which for these may be an element. */
#define FLOAT_MEASURES(S, T, X)                                                                  \
  static inline X plain_load_##S(const T *p) { return load_##S(p); }                             \
  static inline T plain_one_##S(T x) { return x; }                                               \
  static inline X sizes_load_##S(const T *p) { return size_of_##S(load_##S(p)); }                \
  static inline T sizes_one_##S(T x) { return (T)fabs((double)x); }
FLOAT_MEASURES(f32, float, xf)
FLOAT_MEASURES(f64, double, xd)

#define FLOAT_EXTREME(FN, OF, S, T, X, K, PICK, OP)                                              \
  static void FN##_##S(int64_t n, const void *x, void *m)                                        \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    const T *v = x;                                                                              \
    T best = OF##_one_##S(*(T *)m);                                                              \
    int64_t i = 0;                                                                               \
    if (n < W || best != best) {                                                                 \
      for (; i < n; i++) {                                                                       \
        const T one = OF##_one_##S(v[i]);                                                        \
        best = (best OP one) | (best != best) ? best : one;                                      \
      }                                                                                          \
      *(T *)m = best;                                                                            \
      return;                                                                                    \
    }                                                                                            \
    const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;                                   \
    X a0 = OF##_load_##S(v), a1 = a0, a2 = a0, a3 = a0;                                          \
    K k = nan_##S(NO_NAN(K), a0, a0), k1 = k;                                                    \
    if (any_##S(k))                                                                              \
      goto found;                                                                                \
    if (n * (int64_t)sizeof(T) >= FAR) { /* as two streams, as sums do */                        \
      const int64_t half = n / (4 * W) * (2 * W);                                                \
      for (; i < half; i += 2 * W) {                                                             \
        X b0 = OF##_load_##S(v + i), b1 = OF##_load_##S(v + i + W), b2 = OF##_load_##S(v + half + i); \
        X b3 = OF##_load_##S(v + half + i + W);                                                  \
        LOADED(b0, b1, b2, b3);                                                                  \
        k = nan_##S(k, b0, b1);                                                                  \
        k1 = nan_##S(k1, b2, b3);                                                                \
        a0 = PICK##_##S(b0, a0);                                                                 \
        a1 = PICK##_##S(b1, a1);                                                                 \
        a2 = PICK##_##S(b2, a2);                                                                 \
        a3 = PICK##_##S(b3, a3);                                                                 \
      }                                                                                          \
      i = 2 * half;                                                                              \
    }                                                                                            \
    for (; i + 4 * W <= n; i += 4 * W) {                                                         \
      if (near)                                                                                  \
        prefetch_ahead(v + i, sizeof(X) * 4);                                                    \
      const X b0 = OF##_load_##S(v + i), b1 = OF##_load_##S(v + i + W);                          \
      const X b2 = OF##_load_##S(v + i + 2 * W), b3 = OF##_load_##S(v + i + 3 * W);              \
      k = nan_##S(k, b0, b1);                                                                    \
      k1 = nan_##S(k1, b2, b3);                                                                  \
      a0 = PICK##_##S(b0, a0);                                                                   \
      a1 = PICK##_##S(b1, a1);                                                                   \
      a2 = PICK##_##S(b2, a2);                                                                   \
      a3 = PICK##_##S(b3, a3);                                                                   \
    }                                                                                            \
    for (; i < n; i += W) { /* the last vector may overlap */                                    \
      const X b = OF##_load_##S(v + (i + W <= n ? i : n - W));                                   \
      k = nan_##S(k, b, b);                                                                      \
      a0 = PICK##_##S(b, a0);                                                                    \
    }                                                                                            \
    if (any_##S(k) || any_##S(k1)) {                                                             \
    found:                                                                                       \
      *(T *)m = (T)NAN;                                                                          \
      return;                                                                                    \
    }                                                                                            \
    const T most = PICK##_of_##S(PICK##_##S(PICK##_##S(a0, a1), PICK##_##S(a2, a3)));            \
    *(T *)m = best OP most ? best : most;                                                        \
  }                                                                                              \
  /* ROWS is a constant, as in sums; even, or 1. */                                              \
  static inline __attribute__((always_inline)) void col_some_##FN##_##S(const int64_t rows, int64_t n, const char *x, \
                                                                        int64_t step, T *b)      \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    int64_t j = 0;                                                                               \
    for (; j + 2 * W <= n; j += 2 * W) {                                                         \
      const char *row = x + j * (int64_t)sizeof(T);                                              \
      X a0 = OF##_load_##S(b + j), a1 = OF##_load_##S(b + j + W);                                \
      K k0 = NO_NAN(K), k1 = NO_NAN(K);                                                          \
      UNROLL for (int64_t r = 0; r < rows; r += 2) { /* two at a time are prefetched NaN */      \
        const T *p = (const T *)(const void *)(row + r * step);                                  \
        const T *q = (const T *)(const void *)(row + (rows > 1 ? r + 1 : r) * step);             \
        const X b0 = OF##_load_##S(p), b1 = OF##_load_##S(p + W), c0 = OF##_load_##S(q), c1 = OF##_load_##S(q + W); \
        k0 = nan_##S(k0, b0, c0);                                                                \
        k1 = nan_##S(k1, b1, c1);                                                                \
        a0 = PICK##_##S(PICK##_##S(b0, c0), a0);                                                 \
        a1 = PICK##_##S(PICK##_##S(b1, c1), a1);                                                 \
      }                                                                                          \
      store_##S(b + j, spoil_##S(a0, k0));                                                       \
      store_##S(b + j + W, spoil_##S(a1, k1));                                                   \
    }                                                                                            \
    for (; j + W <= n; j += W) {                                                                 \
      const char *row = x + j * (int64_t)sizeof(T);                                              \
      X a = OF##_load_##S(b + j);                                                                \
      K k = NO_NAN(K);                                                                           \
      UNROLL for (int64_t r = 0; r < rows; r++) {                                                \
        const X v = OF##_load_##S((const T *)(const void *)(row + r * step));                    \
        k = nan_##S(k, v, v);                                                                    \
        a = PICK##_##S(v, a);                                                                    \
      }                                                                                          \
      store_##S(b + j, spoil_##S(a, k));                                                         \
    }                                                                                            \
    for (; j < n; j++) {                                                                         \
      const char *row = x + j * (int64_t)sizeof(T);                                              \
      T a = OF##_one_##S(b[j]);                                                                  \
      for (int64_t r = 0; r < rows; r++, row += step) {                                          \
        const T v = OF##_one_##S(*(const T *)(const void *)row);                                 \
        a = (a OP v) | (a != a) ? a : v;                                                         \
      }                                                                                          \
      b[j] = a;                                                                                  \
    }                                                                                            \
  }                                                                                              \
  static void col_##FN##_##S(int64_t rows, int64_t n, const char *x, int64_t step, void *m)      \
  {                                                                                              \
    int64_t r = 0;                                                                               \
    if (n * (int64_t)sizeof(T) >= COL_LONG && rows * n * (int64_t)sizeof(T) >= COL_FAR) {        \
      const int64_t quarter = rows / 4;                                                          \
      for (; r < quarter; r++)                                                                   \
        col_some_##FN##_##S(4, n, x + r * step, quarter * step, m);                              \
      r *= 4;                                                                                    \
    }                                                                                            \
    for (; r + 8 <= rows; r += 8)                                                                \
      col_some_##FN##_##S(8, n, x + r * step, step, m);                                          \
    for (; r + 2 <= rows; r += 2)                                                                \
      col_some_##FN##_##S(2, n, x + r * step, step, m);                                          \
    for (; r < rows; r++)                                                                        \
      col_some_##FN##_##S(1, n, x + r * step, step, m);                                          \
  }
FLOAT_EXTREME(max, plain, f32, float, xf, kf, top, >=)
FLOAT_EXTREME(min, plain, f32, float, xf, kf, low, <=)
FLOAT_EXTREME(max, plain, f64, double, xd, kd, top, >=)
FLOAT_EXTREME(min, plain, f64, double, xd, kd, low, <=)
FLOAT_EXTREME(max_size, sizes, f32, float, xf, kf, top, >=)
FLOAT_EXTREME(min_size, sizes, f32, float, xf, kf, low, <=)
FLOAT_EXTREME(max_size, sizes, f64, double, xd, kd, top, >=)
FLOAT_EXTREME(min_size, sizes, f64, double, xd, kd, low, <=)

/* ---- integers ---- */

/* B, which comes later, where it is beyond A, lane by lane; neither is NaN. */
#if defined __AVX512F__
#define BEYOND(NAME, V, M, OP, X, best) \
  static inline V NAME(V a, V b) { return (V)_mm512_##best((X)b, (X)a); }
#else
#define BEYOND(NAME, V, M, OP, X, best)                                                          \
  static inline V NAME(V a, V b)                                                                 \
  {                                                                                              \
    const M m = (M)(b OP a);                                                                     \
    return (V)(((M)b & m) | ((M)a & ~m));                                                        \
  }
#endif

#define WHOLE_EXTREME(FN, S, T, V, M, OP, best)                                                  \
  BEYOND(FN##_beyond_##S, V, M, OP, __m512i, best)                                               \
  static void FN##_##S(int64_t n, const void *x, void *m)                                        \
  {                                                                                              \
    enum { W = VECTOR / sizeof(T) };                                                             \
    const T *v = x;                                                                              \
    T most = *(T *)m, lane[W];                                                                   \
    int64_t i = 0;                                                                               \
    if (n >= 4 * W) {                                                                            \
      const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;                                 \
      V a[4];                                                                                    \
      UNROLL for (int k = 0; k < 4; k++)                                                         \
        a[k] = *(const V *)(const void *)(v + k * W);                                            \
      for (i = 4 * W; i + 4 * W <= n; i += 4 * W) {                                              \
        if (near)                                                                                \
          prefetch_ahead(v + i, 4 * VECTOR);                                                     \
        UNROLL for (int k = 0; k < 4; k++)                                                       \
          a[k] = FN##_beyond_##S(a[k], *(const V *)(const void *)(v + i + k * W));               \
      }                                                                                          \
      for (; i + W <= n; i += W)                                                                 \
        a[0] = FN##_beyond_##S(a[0], *(const V *)(const void *)(v + i));                         \
      a[0] = FN##_beyond_##S(FN##_beyond_##S(a[0], a[1]), FN##_beyond_##S(a[2], a[3]));          \
      memcpy(lane, &a[0], sizeof lane);                                                          \
      for (int k = 0; k < W; k++)                                                                \
        most = lane[k] OP most ? lane[k] : most;                                                 \
    }                                                                                            \
    for (; i < n; i++)                                                                           \
      most = v[i] OP most ? v[i] : most;                                                         \
    *(T *)m = most;                                                                              \
  }                                                                                              \
  static void col_##FN##_##S(int64_t rows, int64_t n, const char *x, int64_t step, void *m)      \
  {                                                                                              \
    T *b = m;                                                                                    \
    int64_t r = 0;                                                                               \
    for (; r + 4 <= rows; r += 4, x += 4 * step) {                                               \
      const T *v0 = (const T *)(const void *)x, *v1 = (const T *)(const void *)(x + step);       \
      const T *v2 = (const T *)(const void *)(x + 2 * step), *v3 = (const T *)(const void *)(x + 3 * step); \
      IVDEP for (int64_t j = 0; j < n; j++) {                                                    \
        const T p = v0[j] OP v1[j] ? v0[j] : v1[j], q = v2[j] OP v3[j] ? v2[j] : v3[j];          \
        const T both = p OP q ? p : q;                                                           \
        b[j] = both OP b[j] ? both : b[j];                                                       \
      }                                                                                          \
    }                                                                                            \
    for (; r < rows; r++, x += step) {                                                           \
      const T *v = (const T *)(const void *)x;                                                   \
      IVDEP for (int64_t j = 0; j < n; j++)                                                      \
        b[j] = v[j] OP b[j] ? v[j] : b[j];                                                       \
    }                                                                                            \
  }

#define WHOLE_EXTREMES(T, S, M, kind)                                                            \
  typedef T lanes_##S __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));       \
  WHOLE_EXTREME(max, S, T, lanes_##S, M, >, max_##kind)                                          \
  WHOLE_EXTREME(min, S, T, lanes_##S, M, <, min_##kind)
WHOLE_EXTREMES(int8_t, i8, lanes_i8, epi8)
WHOLE_EXTREMES(int16_t, i16, lanes_i16, epi16)
WHOLE_EXTREMES(int32_t, i32, lanes_i32, epi32)
WHOLE_EXTREMES(int64_t, i64, lanes_i64, epi64)
WHOLE_EXTREMES(uint8_t, u8, lanes_i8, epu8)
WHOLE_EXTREMES(uint16_t, u16, lanes_i16, epu16)
WHOLE_EXTREMES(uint32_t, u32, lanes_i32, epu32)
WHOLE_EXTREMES(uint64_t, u64, lanes_i64, epu64)
