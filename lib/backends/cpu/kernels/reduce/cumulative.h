// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running sums and products of integers and of complex numbers; included by reduce.c alone, after scan.h.
 *
 * As there: what the elements of a vector make of each other does not wait for the vector before it, only what is carried does.
 * Every instruction set; contiguous slices, and rows across the scanned axis.
 */
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
  for (; i < n; i++)
    out[i] = v += x[i];
  *(uint64_t *)carry = v;
}
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
  for (; i < n; i++)
    out[i] = v *= x[i];
  *(uint64_t *)carry = v;
}
INLINE void across_words(const bool times, int64_t n, uint64_t *out, const uint64_t *x, uint64_t *c)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    c[i] = out[i] = times ? c[i] * x[i] : c[i] + x[i];
}

static void sum_across_u64(int64_t n, void *out, const void *x, void *carry) { across_words(false, n, out, x, carry); }
static void prod_across_u64(int64_t n, void *out, const void *x, void *carry) { across_words(true, n, out, x, carry); }

/* ---- complex: pairs of float64 ---- */

typedef struct pair { double re, im; } pair;

INLINE pair next_pair(const bool times, pair v, pair a)
{
  return times ? (pair){ v.re * a.re - v.im * a.im, v.re * a.im + v.im * a.re } : (pair){ v.re + a.re, v.im + a.im };
}

INLINE void along_pairs(const bool times, int64_t n, pair *out, const pair *x, pair *carry)
{
  pair v = *carry;
  for (int64_t i = 0; i < n; i++)
    out[i] = v = next_pair(times, v, x[i]);
  *carry = v;
}

INLINE void across_pairs(const bool times, int64_t n, pair *out, const pair *x, pair *c)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    c[i] = out[i] = next_pair(times, c[i], x[i]);
}

static void sum_along_c128(int64_t n, void *out, const void *x, void *carry) { along_pairs(false, n, out, x, carry); }
static void prod_along_c128(int64_t n, void *out, const void *x, void *carry) { along_pairs(true, n, out, x, carry); }
static void sum_across_c128(int64_t n, void *out, const void *x, void *carry) { across_pairs(false, n, out, x, carry); }
static void prod_across_c128(int64_t n, void *out, const void *x, void *carry) { across_pairs(true, n, out, x, carry); }

/* ---- products of reals ---- */

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
#endif
