// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where an element is: the first of contiguous ones that equals a given one (a NaN equals any other), -1 when there is none.
 * Included by reduce.c alone, after extreme.h.
 *
 * Four vectors are compared at a time. Floats: which element it was is read off the bits of these four, as every loop that ends
 * somewhere else each time costs the processor a wrong guess.
 * Every instruction set; contiguous slices, for argmax and argmin.
 */
/* Integers, and floats where there are no vectors: four vectors at a time, then one, then elements. */
#define FIND(FN, T)                                                                              \
  static int64_t FN(int64_t n, const void *x, const void *m)                                     \
  {                                                                                              \
    enum { W = VECTOR / sizeof(T) };                                                             \
    typedef T elements __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));      \
    const T *v = x, want = *(const T *)m;                                                        \
    int64_t i = 0;                                                                               \
    if (want == want) {                                                                          \
      elements all;                                                                              \
      for (int k = 0; k < (int)W; k++)                                                           \
        all[k] = want;                                                                           \
      for (; i + 4 * W <= n; i += 4 * W)                                                         \
        if (ANY_LANE((*(const elements *)(const void *)(v + i) == all)                           \
                     | (*(const elements *)(const void *)(v + i + W) == all)                     \
                     | (*(const elements *)(const void *)(v + i + 2 * W) == all)                 \
                     | (*(const elements *)(const void *)(v + i + 3 * W) == all)))               \
          break;                                                                                 \
      for (; i + W <= n; i += W)                                                                 \
        if (ANY_LANE(*(const elements *)(const void *)(v + i) == all))                           \
          break;                                                                                 \
    }                                                                                            \
    for (; i < n; i++)                                                                           \
      if (v[i] == want || (v[i] != v[i] && want != want))                                        \
        return i;                                                                                \
    return -1;                                                                                   \
  }

#if defined __SSE2__
enum { FIND_FAR = 8192 /* bytes */ };

#if defined __AVX512F__
#define FIND_LANES(S, T, X, K, SFX)                                                              \
  static inline X each_##S(T a) { return _mm512_set1_##SFX(a); }                                 \
  static inline K same_##S(X a, X b) { return _mm512_cmp_##SFX##_mask(a, b, _CMP_EQ_OQ); }       \
  static inline K unlike_##S(X a) { return _mm512_cmp_##SFX##_mask(a, a, _CMP_UNORD_Q); }        \
  static inline K either_##S(K a, K b) { return a | b; }                                         \
  static inline uint64_t bits_##S(K k) { return k; }
#elif defined __AVX__
#define FIND_LANES(S, T, X, K, SFX)                                                              \
  static inline X each_##S(T a) { return _mm256_set1_##SFX(a); }                                 \
  static inline K same_##S(X a, X b) { return _mm256_cmp_##SFX(a, b, _CMP_EQ_OQ); }              \
  static inline K unlike_##S(X a) { return _mm256_cmp_##SFX(a, a, _CMP_UNORD_Q); }               \
  static inline K either_##S(K a, K b) { return _mm256_or_##SFX(a, b); }                         \
  static inline uint64_t bits_##S(K k) { return (unsigned)_mm256_movemask_##SFX(k); }
#else
#define FIND_LANES(S, T, X, K, SFX)                                                              \
  static inline X each_##S(T a) { return _mm_set1_##SFX(a); }                                    \
  static inline K same_##S(X a, X b) { return _mm_cmpeq_##SFX(a, b); }                           \
  static inline K unlike_##S(X a) { return _mm_cmpunord_##SFX(a, a); }                           \
  static inline K either_##S(K a, K b) { return _mm_or_##SFX(a, b); }                            \
  static inline uint64_t bits_##S(K k) { return (unsigned)_mm_movemask_##SFX(k); }
#endif

/* At least a vector of elements; NAN and AHEAD are constants. */
#define FIND_FLOAT(S, T, X, K, SFX)                                                              \
  FIND_LANES(S, T, X, K, SFX)                                                                    \
  static inline __attribute__((always_inline)) K hits_##S(const T *v, X all, const bool nan)     \
  {                                                                                              \
    return nan ? unlike_##S(load_##S(v)) : same_##S(load_##S(v), all);                           \
  }                                                                                              \
  static inline __attribute__((always_inline)) int64_t seek_##S(int64_t n, const T *v, X all, const bool nan, \
                                                                const bool ahead)                \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    int64_t i = 0;                                                                               \
    for (; i + 4 * W <= n; i += 4 * W) {                                                         \
      const T *const p = v + i;                                                                  \
      if (ahead)                                                                                 \
        prefetch_ahead(p + n, 4 * VECTOR); /* of a lane that comes next, maybe */                \
      const K a = hits_##S(p, all, nan), b = hits_##S(p + W, all, nan);                          \
      const K c = hits_##S(p + 2 * W, all, nan), d = hits_##S(p + 3 * W, all, nan);              \
      if (bits_##S(either_##S(either_##S(a, b), either_##S(c, d))))                              \
        return i + __builtin_ctzll(bits_##S(a) | bits_##S(b) << W | bits_##S(c) << 2 * W | bits_##S(d) << 3 * W); \
    }                                                                                            \
    for (; i < n; i += W) { /* the last vector may overlap */                                    \
      const int64_t at = i + W <= n ? i : n - W;                                                 \
      const uint64_t here = bits_##S(hits_##S(v + at, all, nan));                                \
      if (here)                                                                                  \
        return at + __builtin_ctzll(here);                                                       \
    }                                                                                            \
    return -1;                                                                                   \
  }                                                                                              \
  static int64_t find_##S(int64_t n, const void *x, const void *m)                               \
  {                                                                                              \
    enum { W = sizeof(X) / sizeof(T) };                                                          \
    const T *v = x, want = *(const T *)m;                                                        \
    const X all = each_##S(want);                                                                \
    if (n < W) {                                                                                 \
      for (int64_t i = 0; i < n; i++)                                                            \
        if ((v[i] == want) | ((v[i] != v[i]) & (want != want)))                                  \
          return i;                                                                              \
      return -1;                                                                                 \
    }                                                                                            \
    return want != want ? seek_##S(n, v, all, true, false)                                       \
           : n * (int64_t)sizeof(T) > FIND_FAR ? seek_##S(n, v, all, false, true)                \
                                               : seek_##S(n, v, all, false, false);              \
  }
FIND_FLOAT(f32, float, xf, kf, ps)
FIND_FLOAT(f64, double, xd, kd, pd)
#else
FIND(find_f32, float)
FIND(find_f64, double)
#endif

/* An extreme is searched in the page alone that had it: it is looked for page by page. */
#define FIRST_EXTREME(FN, S, T, OP)                                                                      \
  static int64_t arg##FN##_##S(int64_t n, const void *x)                                         \
  {                                                                                              \
    enum { SOME = 4096 / sizeof(T) };                                                            \
    const T *v = x;                                                                              \
    int64_t at = 0;                                                                              \
    T best = v[0];                                                                               \
    FN##_##S(n < SOME ? n : SOME, v, &best);                                                     \
    for (int64_t i = SOME; i < n && best == best; i += SOME) {                                   \
      T next = v[i];                                                                             \
      FN##_##S(n - i < SOME ? n - i : SOME, v + i, &next);                                       \
      if (!(best OP next)) { /* the first of equals stays, a NaN does not */                     \
        best = next;                                                                             \
        at = i;                                                                                  \
      }                                                                                          \
    }                                                                                            \
    return at + find_##S(n - at < SOME ? n - at : SOME, v + at, &best);                          \
  }
FIRST_EXTREME(max, f32, float, >=)
FIRST_EXTREME(min, f32, float, <=)
FIRST_EXTREME(max, f64, double, >=)
FIRST_EXTREME(min, f64, double, <=)

FIND(find_i8, int8_t)
FIND(find_i16, int16_t)
FIND(find_i32, int32_t)
FIND(find_i64, int64_t)
FIND(find_u8, uint8_t)
FIND(find_u16, uint16_t)
FIND(find_u32, uint32_t)
FIND(find_u64, uint64_t)
