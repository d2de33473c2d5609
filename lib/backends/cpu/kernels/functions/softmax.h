// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exponentials less the largest, and their sums: softmax.c. Included by functions.c alone, after exp.h.
 *
 * Sums are in float64 whatever the type. Exponentials that are 1 are counted: the caller leaves one of them, the
 * largest, out of the sum, so that log1p of the rest is right where all others nearly vanish.
 * Every instruction set; contiguous slices, and rows across the reduced axis.
 */
enum { SOFT_LANES = CPU_VECTOR / 8 };
typedef double soft_sum __attribute__((vector_size(SOFT_LANES * 8)));
typedef float soft_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef double soft_f64 __attribute__((vector_size(SOFT_LANES * 8)));
typedef int32_t soft_is_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef int64_t soft_is_f64 __attribute__((vector_size(SOFT_LANES * 8)));

#if defined __AVX512F__ /* compilers do it by halves */
INLINE soft_sum soft_wide_f32(soft_f32 v) { return (soft_sum)_mm512_cvtps_pd((__m256)v); }
#else
INLINE soft_sum soft_wide_f32(soft_f32 v) { return __builtin_convertvector(v, soft_sum); }
#endif
INLINE soft_sum soft_wide_f64(soft_f64 v) { return v; }

/* MATH_BLOCK elements at most; E may be X. That all are near shows while they are computed as if they were. */
#define EXP_LESS(S, T, CONDITION, NEAR, FAR)                                                     \
  INLINE void exps_less_##S(int64_t n, T *e, const T *x, const T *m, const int64_t each)         \
  {                                                                                              \
    T less[MATH_BLOCK];                                                                          \
    int far = 0;                                                                                 \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const T d = x[i] - m[each ? i : 0];                                                        \
      far |= !(CONDITION);                                                                       \
      less[i] = d;                                                                               \
      e[i] = NEAR(d);                                                                            \
    }                                                                                            \
    if (far)                                                                                     \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        e[i] = FAR(less[i]);                                                                     \
  }                                                                                              \
  /* What is 1 among the elements at E is counted in FOUND, by -1; the others are added to A. */ \
  INLINE void add_others_##S(const T *e, soft_sum *a, soft_is_##S *found)                        \
  {                                                                                              \
    soft_##S v;                                                                                  \
    memcpy(&v, e, sizeof v);                                                                     \
    const soft_is_##S one = v == 1;                                                              \
    *found += one;                                                                               \
    *a += soft_wide_##S((soft_##S)((soft_is_##S)v & ~one));                                      \
  }                                                                                              \
  static void exps_##S(int64_t n, void *e_, const void *x_, const void *m, double *sum)          \
  {                                                                                              \
    T *e = e_;                                                                                   \
    const T *x = x_;                                                                             \
    soft_sum a[4] = { { 0 } };                                                                   \
    double some = 0, ones = 0;                                                                   \
    for (; n > 0; n -= MATH_BLOCK, e += MATH_BLOCK, x += MATH_BLOCK) {                           \
      const int64_t block = n < MATH_BLOCK ? n : MATH_BLOCK;                                     \
      int64_t i = 0;                                                                             \
      soft_is_##S found[2] = { { 0 } };                                                          \
      exps_less_##S(block, e, x, m, 0);                                                          \
      for (; i + 4 * SOFT_LANES <= block; i += 4 * SOFT_LANES)                                   \
        UNROLL for (int k = 0; k < 4; k++)                                                       \
          add_others_##S(e + i + k * SOFT_LANES, &a[k], &found[k % 2]);                          \
      for (; i + SOFT_LANES <= block; i += SOFT_LANES)                                           \
        add_others_##S(e + i, &a[0], &found[0]);                                                 \
      for (; i < block; i++) {                                                                   \
        some += e[i] == 1 ? 0 : (double)e[i];                                                    \
        ones += e[i] == 1 ? 1 : 0;                                                               \
      }                                                                                          \
      found[0] += found[1];                                                                      \
      for (int k = 0; k < SOFT_LANES; k++)                                                       \
        ones -= (double)found[0][k];                                                             \
    }                                                                                            \
    a[0] = (a[0] + a[1]) + (a[2] + a[3]);                                                        \
    for (int k = 0; k < SOFT_LANES; k++)                                                         \
      some += a[0][k];                                                                           \
    sum[0] += some;                                                                              \
    sum[1] += ones;                                                                              \
  }                                                                                              \
  static void exps_each_##S(int64_t n, void *e_, const void *x, const void *m, double *restrict sum, \
                            double *restrict ones)                                               \
  {                                                                                              \
    const T *e = e_;                                                                             \
    exps_less_##S(n, e_, x, m, 1);                                                               \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      sum[i] += (double)(e[i] == 1 ? 0 : e[i]);                                                  \
      ones[i] += e[i] == 1 ? 1 : 0;                                                              \
    }                                                                                            \
  }                                                                                              \
  static void times_##S(int64_t n, void *out_, const void *x_, const void *by)                   \
  {                                                                                              \
    T *out = out_, b = *(const T *)by;                                                           \
    const T *x = x_;                                                                             \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      out[i] = x[i] * b;                                                                         \
  }                                                                                              \
  static void times_each_##S(int64_t n, void *out_, const void *x_, const void *by)              \
  {                                                                                              \
    T *out = out_;                                                                               \
    const T *x = x_, *b = by;                                                                    \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      out[i] = x[i] * b[i];                                                                      \
  }                                                                                              \
  static void less_##S(int64_t n, void *out_, const void *x_, const void *m_, const void *log)   \
  {                                                                                              \
    T *out = out_, m = *(const T *)m_, l = *(const T *)log;                                      \
    const T *x = x_;                                                                             \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      out[i] = (x[i] - m) - l;                                                                   \
  }                                                                                              \
  static void less_each_##S(int64_t n, void *out_, const void *x_, const void *m_, const void *log) \
  {                                                                                              \
    T *out = out_;                                                                               \
    const T *x = x_, *m = m_, *l = log;                                                          \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      out[i] = (x[i] - m[i]) - l[i];                                                             \
  }
EXP_LESS(f32, float, __builtin_fabsf(d) <= 86.0f, exp_near_f, exp_f)
EXP_LESS(f64, double, __builtin_fabs(d) <= 700.0, exp_near_d, exp_d)

#define SOFTMAX_LOOPS(S)                                                                         \
  { exps_##S, times_##S, less_##S, exps_each_##S, times_each_##S, less_each_##S }
