// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running sums of integers and running products; included by reduce.c alone, after scan.h.
 *
 * As there: what the elements of a vector make of each other does not wait for the vector before it, only what is carried does.
 * Products of floats are grouped so where neither a group nor what it makes of the carry can leave the range of float64, in
 * which they run; elsewhere they are made one by one.
 * Every instruction set; contiguous slices, and rows across the scanned axis.
 */
/* Up to element N one by one: V is carried, A is an element. */
#define ONE_BY_ONE(T, C, n, out, x, v, update)                                                   \
  for (; i < (n); i++) {                                                                         \
    const C a = (C)(x)[i];                                                                       \
    update;                                                                                      \
    (out)[i] = (T)(v);                                                                           \
  }
#define ACROSS(NAME, T, C, update)                                                               \
  static void NAME(int64_t n, void *out_, const void *x_, void *carry)                           \
  {                                                                                              \
    const T *x = x_;                                                                             \
    T *out = out_;                                                                               \
    C *c = carry;                                                                                \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const C a = (C)x[i];                                                                       \
      C v = c[i];                                                                                \
      update;                                                                                    \
      c[i] = v;                                                                                  \
      out[i] = (T)v;                                                                             \
    }                                                                                            \
  }

/* ---- sums ---- */

#define SUM_ALONG(S, T)                                                                          \
  static void sum_along_##S(int64_t n, void *out_, const void *x_, void *carry)                  \
  {                                                                                              \
    const T *x = x_;                                                                             \
    T *out = out_;                                                                               \
    double v = *(double *)carry;                                                                 \
    int64_t i = 0;                                                                               \
    ONE_BY_ONE(T, double, n, out, x, v, v += a)                                                  \
    *(double *)carry = v;                                                                        \
  }                                                                                              \
  ACROSS(sum_across_##S, T, double, v += a)
SUM_ALONG(f32, float)
SUM_ALONG(f64, double)

static void sum_along_u64(int64_t n, void *out_, const void *x_, void *carry)
{
  const uint64_t *x = x_;
  uint64_t *out = out_, v = *(uint64_t *)carry;
  int64_t i = 0;
#if defined __AVX2__
  enum { W = VECTOR / 8 };
  const vd none = { 0 };
  lanes_u64 c = (lanes_u64)none + v;
  for (; i + W <= n; i += W) {
    lanes_u64 s = *(const lanes_u64 *)(const void *)(x + i);
    s += (lanes_u64)SHIFTED_IN((vd)s, none, 1);
    s += (lanes_u64)SHIFTED_IN((vd)s, none, 2);
#if defined __AVX512F__
    s += (lanes_u64)SHIFTED_IN((vd)s, none, 4);
#endif
    *(lanes_u64 *)(void *)(out + i) = c + s;
    c += (lanes_u64)last_lane((vd)s);
  }
  v = c[0];
#endif
  ONE_BY_ONE(uint64_t, uint64_t, n, out, x, v, v += a)
  *(uint64_t *)carry = v;
}
ACROSS(sum_across_u64, uint64_t, uint64_t, v += a)

/* ---- products ---- */

/* Four at a time: only one factor of each four waits for those before. */
static void prod_along_u64(int64_t n, void *out_, const void *x_, void *carry)
{
  const uint64_t *x = x_;
  uint64_t *out = out_, v = *(uint64_t *)carry;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const uint64_t a = x[i], b = a * x[i + 1], c = b * x[i + 2], d = c * x[i + 3];
    out[i] = v * a;
    out[i + 1] = v * b;
    out[i + 2] = v * c;
    out[i + 3] = v *= d;
  }
  ONE_BY_ONE(uint64_t, uint64_t, n, out, x, v, v *= a)
  *(uint64_t *)carry = v;
}
ACROSS(prod_across_u64, uint64_t, uint64_t, v *= a)

#if defined __AVX2__
static inline vd products_within(vd v)
{
  const vd none = { 0 }, one = none + 1;
  v *= SHIFTED_IN(v, one, 1);
  v *= SHIFTED_IN(v, one, 2);
#if defined __AVX512F__
  v *= SHIFTED_IN(v, one, 4);
#endif
  return v;
}

/* Products of up to eight such elements are within 2^-480 and 2^480, and the carry leaves them room or stays what it is: an infinity
 * or NaN. */
static inline bool may_group(vd a, vd b, double carry)
{
  const vd p = (vd)((vl)a & INT64_MAX), q = (vd)((vl)b & INT64_MAX);
  const vl near = (vl)(p > 0x1p-60) & (vl)(p < 0x1p60) & (vl)(q > 0x1p-60) & (vl)(q < 0x1p60);
  return !any_odd(~near) && (fabs(carry) < 0x1p500 || !isfinite(carry));
}

/* Whether products A and B of a carry that is not 0 are: what comes behind one has to stay 0. One by one, a carry would not vanish
 * among elements above 1/2, where the least number is rounded to itself. */
static inline bool vanishes(vd a, vd b, double carry)
{
  const vd none = { 0 };
  return fabs(carry) < 0x1p-500 && carry != 0 && any_odd((vl)(a == none) | (vl)(b == none));
}

#define PRODUCT_GROUPS(S, T, LOAD)                                                               \
  enum { W = VECTOR / 8 };                                                                       \
  while (i + 2 * W <= n) {                                                                       \
    const vd none = { 0 }, p = LOAD(x + i), q = LOAD(x + i + W);                                 \
    const int64_t end = i + 2 * W;                                                               \
    if (may_group(p, q, v)) {                                                                    \
      const vd low = products_within(p), high = products_within(q), c = v - none, next = c * last_lane(low); \
      const vd all[2] = { c * low, next * high };                                                \
      if (__builtin_expect(!vanishes(all[0], all[1], v), 1)) {                                   \
        store_scan_##S(out + i, all[0]);                                                         \
        store_scan_##S(out + i + W, all[1]);                                                     \
        v = (next * last_lane(high))[0];                                                         \
        i = end;                                                                                 \
        continue;                                                                                \
      }                                                                                          \
      for (const double *each = (const double *)all; v != 0; each++, i++)                        \
        out[i] = (T)(v = *each);                                                                 \
    }                                                                                            \
    ONE_BY_ONE(T, double, end, out, x, v, v *= a)                                                \
  }
#else
#define PRODUCT_GROUPS(S, T, LOAD)
#endif

#define PROD_ALONG(S, T, LOAD)                                                                   \
  static void prod_along_##S(int64_t n, void *out_, const void *x_, void *carry)                 \
  {                                                                                              \
    const T *x = x_;                                                                             \
    T *out = out_;                                                                               \
    double v = *(double *)carry;                                                                 \
    int64_t i = 0;                                                                               \
    PRODUCT_GROUPS(S, T, LOAD)                                                                   \
    ONE_BY_ONE(T, double, n, out, x, v, v *= a)                                                  \
    *(double *)carry = v;                                                                        \
  }                                                                                              \
  ACROSS(prod_across_##S, T, double, v *= a)
PROD_ALONG(f32, float, WIDE)
PROD_ALONG(f64, double, VD)

/* ---- complex: pairs of float64 ---- */

typedef struct pair { double re, im; } pair;
#define PAIRS(NAME, update)                                                                      \
  static void NAME##_along_c128(int64_t n, void *out_, const void *x_, void *carry)              \
  {                                                                                              \
    const pair *x = x_;                                                                          \
    pair *out = out_, v = *(pair *)carry;                                                        \
    for (int64_t i = 0; i < n; i++) {                                                            \
      const pair a = x[i];                                                                       \
      update;                                                                                    \
      out[i] = v;                                                                                \
    }                                                                                            \
    *(pair *)carry = v;                                                                          \
  }                                                                                              \
  static void NAME##_across_c128(int64_t n, void *out_, const void *x_, void *carry)             \
  {                                                                                              \
    const pair *x = x_;                                                                          \
    pair *out = out_, *c = carry;                                                                \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                      \
      const pair a = x[i];                                                                       \
      pair v = c[i];                                                                             \
      update;                                                                                    \
      c[i] = out[i] = v;                                                                         \
    }                                                                                            \
  }
PAIRS(sum, v.re += a.re; v.im += a.im)
PAIRS(prod, v = ((pair){ v.re * a.re - v.im * a.im, v.re * a.im + v.im * a.re }))
