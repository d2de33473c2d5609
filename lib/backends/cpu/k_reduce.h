// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions of contiguous elements; included by kernels.c alone.
 *
 * Sums of float32 run in 64 lanes over blocks of 1024 elements, and blocks add up in double: as exact
 * as pairwise summation and as fast as memory. Everything else accumulates in double.
 */
typedef float vf __attribute__((vector_size(64), aligned(4)));
typedef double vd __attribute__((vector_size(64), aligned(8)));

/* 1024 or fewer components; EVEN and ODD lanes apart, which gives real and imaginary parts. */
static inline void sum_block_f32(int64_t n, const float *x, double *even, double *odd)
{
  vf a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    a0 += *(const vf *)(const void *)(x + i);
    a1 += *(const vf *)(const void *)(x + i + 16);
    a2 += *(const vf *)(const void *)(x + i + 32);
    a3 += *(const vf *)(const void *)(x + i + 48);
  }
  a0 = (a0 + a1) + (a2 + a3);
  double e = 0, o = 0;
  for (int k = 0; k < 16; k += 2) {
    e += (double)a0[k];
    o += (double)a0[k + 1];
  }
  for (; i + 2 <= n; i += 2) {
    e += (double)x[i];
    o += (double)x[i + 1];
  }
  if (i < n)
    e += (double)x[i];
  *even += e;
  *odd += o;
}

static void sum_f32(int64_t n, const void *x, double *sum)
{
  double e = 0, o = 0;
  for (int64_t i = 0; i < n; i += 1024)
    sum_block_f32(n - i < 1024 ? n - i : 1024, (const float *)x + i, &e, &o);
  sum[0] += e + o;
}

static void sum_c64(int64_t n, const void *x, double *sum)
{
  for (int64_t i = 0; i < 2 * n; i += 1024)
    sum_block_f32(2 * n - i < 1024 ? 2 * n - i : 1024, (const float *)x + i, &sum[0], &sum[1]);
}

static inline void sum_block_f64(int64_t n, const double *x, double *even, double *odd)
{
  vd a0 = { 0 }, a1 = { 0 }, a2 = { 0 }, a3 = { 0 };
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    a0 += *(const vd *)(const void *)(x + i);
    a1 += *(const vd *)(const void *)(x + i + 8);
    a2 += *(const vd *)(const void *)(x + i + 16);
    a3 += *(const vd *)(const void *)(x + i + 24);
  }
  a0 = (a0 + a1) + (a2 + a3);
  double e = 0, o = 0;
  for (; i + 2 <= n; i += 2) {
    e += x[i];
    o += x[i + 1];
  }
  if (i < n)
    e += x[i];
  *even += e + ((a0[0] + a0[2]) + (a0[4] + a0[6]));
  *odd += o + ((a0[1] + a0[3]) + (a0[5] + a0[7]));
}

static void sum_f64(int64_t n, const void *x, double *sum)
{
  double e = 0, o = 0;
  for (int64_t i = 0; i < n; i += 1024)
    sum_block_f64(n - i < 1024 ? n - i : 1024, (const double *)x + i, &e, &o);
  sum[0] += e + o;
}

static void sum_c128(int64_t n, const void *x, double *sum)
{
  for (int64_t i = 0; i < 2 * n; i += 1024)
    sum_block_f64(2 * n - i < 1024 ? 2 * n - i : 1024, (const double *)x + i, &sum[0], &sum[1]);
}

/* Squared distances from the mean, in double; PARTS components per element. */
#define SUM_SQ(FN, T, PARTS)                                                                     \
  static void FN(int64_t n, const void *x, const double *mean, double *sum)                      \
  {                                                                                              \
    const T *v = x;                                                                              \
    double lane[8] = { 0 }, rest = 0;                                                            \
    int64_t i = 0, m = n * PARTS;                                                                \
    for (; i + 8 <= m; i += 8)                                                                   \
      for (int k = 0; k < 8; k++) {                                                              \
        double d = (double)v[i + k] - mean[k % PARTS];                                           \
        lane[k] += d * d;                                                                        \
      }                                                                                          \
    for (; i < m; i++) {                                                                         \
      double d = (double)v[i] - mean[i % PARTS];                                                 \
      rest += d * d;                                                                             \
    }                                                                                            \
    *sum += rest + ((lane[0] + lane[1]) + (lane[2] + lane[3]))                                   \
            + ((lane[4] + lane[5]) + (lane[6] + lane[7]));                                       \
  }
SUM_SQ(sum_sq_f32, float, 1)
SUM_SQ(sum_sq_f64, double, 1)
SUM_SQ(sum_sq_c64, float, 2)
SUM_SQ(sum_sq_c128, double, 2)

/* Extremes in LANES lanes. A NaN sticks: v >= x is false for it and v != v keeps it. */
#define EXTREME(FN, T, LANES, OP)                                                                \
  static void FN(int64_t n, const void *x, void *m)                                              \
  {                                                                                              \
    const T *v = x;                                                                              \
    T best = *(T *)m, lane[LANES];                                                               \
    int64_t i = 0;                                                                               \
    for (int k = 0; k < LANES; k++)                                                              \
      lane[k] = best;                                                                            \
    for (; i + LANES <= n; i += LANES)                                                           \
      for (int k = 0; k < LANES; k++)                                                            \
        lane[k] = (lane[k] OP v[i + k]) | (lane[k] != lane[k]) ? lane[k] : v[i + k];             \
    for (int k = 0; k < LANES; k++)                                                              \
      best = (best OP lane[k]) | (best != best) ? best : lane[k];                                \
    for (; i < n; i++)                                                                           \
      best = (best OP v[i]) | (best != best) ? best : v[i];                                      \
    *(T *)m = best;                                                                              \
  }                                                                                              \
  static void col_##FN(int64_t n, const void *x, void *m)                                        \
  {                                                                                              \
    const T *v = x;                                                                              \
    T *b = m;                                                                                    \
    IVDEP for (int64_t i = 0; i < n; i++)                                                        \
      b[i] = (b[i] OP v[i]) | (b[i] != b[i]) ? b[i] : v[i];                                      \
  }

/* The first equal element, a block at a time: the block test is a vector loop. */
#define FIND(FN, T)                                                                              \
  static int64_t FN(int64_t n, const void *x, const void *m)                                     \
  {                                                                                              \
    const T *v = x, want = *(const T *)m;                                                        \
    for (int64_t i = 0; i < n; i += 256) {                                                       \
      int64_t end = n - i < 256 ? n : i + 256;                                                   \
      int hit = 0;                                                                               \
      for (int64_t j = i; j < end; j++)                                                          \
        hit |= (v[j] == want) | ((v[j] != v[j]) & (want != want));                               \
      if (hit)                                                                                   \
        for (int64_t j = i; j < end; j++)                                                        \
          if (v[j] == want || (v[j] != v[j] && want != want))                                    \
            return j;                                                                            \
    }                                                                                            \
    return -1;                                                                                   \
  }

/* The same for floats, with vectors that stay in registers: four accumulators of the extreme, and one
 * mask that remembers whether a NaN came by. */
#define FLOAT_EXTREME(FN, T, V, M, OP)                                                           \
  static inline V FN##_pick(V a, V b)                                                            \
  {                                                                                              \
    M keep = (M)(a OP b);                                                                        \
    return (V)(((M)a & keep) | ((M)b & ~keep));                                                  \
  }                                                                                              \
  static void FN(int64_t n, const void *x, void *m)                                              \
  {                                                                                              \
    const T *v = x;                                                                              \
    enum { W = sizeof(V) / sizeof(T) };                                                          \
    int64_t i = 0;                                                                               \
    if (n >= 4 * W) {                                                                            \
      V a[4];                                                                                    \
      M nan = { 0 };                                                                             \
      for (int k = 0; k < 4; k++)                                                                \
        a[k] = *(const V *)(const void *)(v + k * W);                                            \
      for (; i + 4 * W <= n; i += 4 * W)                                                         \
        for (int k = 0; k < 4; k++) {                                                            \
          V b = *(const V *)(const void *)(v + i + k * W);                                       \
          nan |= (M)(b != b);                                                                    \
          a[k] = FN##_pick(a[k], b);                                                             \
        }                                                                                        \
      a[0] = FN##_pick(FN##_pick(a[0], a[1]), FN##_pick(a[2], a[3]));                            \
      T best[W + 1];                                                                             \
      best[W] = *(T *)m;                                                                         \
      int any = 0;                                                                               \
      for (int k = 0; k < W; k++) {                                                              \
        best[k] = a[0][k];                                                                       \
        any |= nan[k] != 0;                                                                      \
      }                                                                                          \
      if (any)                                                                                   \
        best[W] = (T)NAN;                                                                        \
      FN##_lanes(W, best, &best[W]);                                                             \
      *(T *)m = best[W];                                                                         \
    }                                                                                            \
    FN##_lanes(n - i, v + i, m);                                                                 \
  }

typedef int32_t vfm __attribute__((vector_size(64)));
typedef int64_t vdm __attribute__((vector_size(64)));

#define FLOAT_EXTREMES(T, S, LANES, V, M)                                                        \
  EXTREME(max_##S##_lanes, T, LANES, >=)                                                         \
  EXTREME(min_##S##_lanes, T, LANES, <=)                                                         \
  FLOAT_EXTREME(max_##S, T, V, M, >=)                                                            \
  FLOAT_EXTREME(min_##S, T, V, M, <=)                                                            \
  FIND(find_##S, T)

#define EXTREMES(T, S, LANES)                                                                    \
  EXTREME(max_##S, T, LANES, >=)                                                                 \
  EXTREME(min_##S, T, LANES, <=)                                                                 \
  FIND(find_##S, T)

FLOAT_EXTREMES(float, f32, 16, vf, vfm)
FLOAT_EXTREMES(double, f64, 8, vd, vdm)
EXTREMES(int8_t, i8, 64)
EXTREMES(int16_t, i16, 64)
EXTREMES(int32_t, i32, 64)
EXTREMES(int64_t, i64, 32)
EXTREMES(uint8_t, u8, 64)
EXTREMES(uint16_t, u16, 64)
EXTREMES(uint32_t, u32, 64)
EXTREMES(uint64_t, u64, 32)

#define COLUMNS(T, S, PARTS)                                                                     \
  static void col_sum_##S(int64_t n, const void *x, double *acc)                                 \
  {                                                                                              \
    const T *v = x;                                                                              \
    IVDEP for (int64_t i = 0; i < n * PARTS; i++)                                                \
      acc[i] += (double)v[i];                                                                    \
  }                                                                                              \
  static void col_sum_sq_##S(int64_t n, const void *x, const double *mean, double *acc)          \
  {                                                                                              \
    const T *v = x;                                                                              \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      double s = 0;                                                                              \
      for (int k = 0; k < PARTS; k++) {                                                          \
        double d = (double)v[i * PARTS + k] - mean[i * PARTS + k];                               \
        s += d * d;                                                                              \
      }                                                                                          \
      acc[i] += s;                                                                               \
    }                                                                                            \
  }
COLUMNS(float, f32, 1)
COLUMNS(double, f64, 1)
COLUMNS(float, c64, 2)
COLUMNS(double, c128, 2)
