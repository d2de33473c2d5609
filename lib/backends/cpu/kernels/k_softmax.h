// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exponentials less the largest, and their sums: softmax.c. Included by functions.c alone, after k_exp.h.
 *
 * Sums are in float64 whatever the type. Exponentials that are 1 are counted: the caller leaves one of them, the
 * largest, out of the sum, so that log1p of the rest is right where all others nearly vanish.
 */
enum { SOFT_LANES = CPU_VECTOR / 8 };
typedef double soft_sum __attribute__((vector_size(SOFT_LANES * 8)));
typedef float soft_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef double soft_f64 __attribute__((vector_size(SOFT_LANES * 8)));
typedef int32_t soft_is_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef int64_t soft_is_f64 __attribute__((vector_size(SOFT_LANES * 8)));

#define EXP_LESS(S, T, CONDITION, NEAR, FAR)                                                     \
  INLINE void exps_less_##S(int64_t n, T *e, const T *x, const T *m, const int64_t each)         \
  {                                                                                              \
    int far = 0;                                                                                 \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      e[i] = x[i] - m[each ? i : 0];                                                             \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const T d = e[i];                                                                          \
      far |= !(CONDITION);                                                                       \
    }                                                                                            \
    if (far)                                                                                     \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        e[i] = FAR(e[i]);                                                                        \
    else                                                                                         \
      IVDEP for (int64_t i = 0; i < n; i++)                                                      \
        e[i] = NEAR(e[i]);                                                                       \
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
      soft_is_##S found = { 0 };                                                                 \
      exps_less_##S(block, e, x, m, 0);                                                          \
      for (; i + 4 * SOFT_LANES <= block; i += 4 * SOFT_LANES)                                   \
        for (int k = 0; k < 4; k++) {                                                            \
          soft_##S v;                                                                            \
          memcpy(&v, e + i + k * SOFT_LANES, sizeof v);                                          \
          const soft_is_##S one = v == 1;                                                        \
          found += one;                                                                          \
          a[k] += __builtin_convertvector((soft_##S)((soft_is_##S)v & ~one), soft_sum);          \
        }                                                                                        \
      for (; i < block; i++) {                                                                   \
        some += e[i] == 1 ? 0 : (double)e[i];                                                    \
        ones += e[i] == 1 ? 1 : 0;                                                               \
      }                                                                                          \
      for (int k = 0; k < SOFT_LANES; k++)                                                       \
        ones -= (double)found[k];                                                                \
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
