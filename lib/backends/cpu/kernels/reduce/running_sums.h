// SPDX-License-Identifier: BSD-3-Clause
/*
 * Running sums and products of reals, in float64; a body of reduce.c, after scan.h and cumulative.h.
 *
 * Products are grouped as sums are where neither a group nor what it makes of the carry can leave the range of float64, in which
 * they run; elsewhere they are made one by one.
 * Every instruction set; contiguous slices, and rows across the scanned axis.
 */
INLINE double N(scan_one)(const bool store, double sum, T x, T *out, double before)
{
  sum += (double)x;
  if (store)
    *out = (T)(before + sum);
  return sum;
}

/* The sum of the elements alone is made in the same order whether or not running sums are STOREd, so that BEFORE may be known
 * later. OUT may be X. STREAMS: the sums are written by non-temporal stores (stream.h). */
INLINE double N(sums_of)(int64_t n, const T *x, T *out, const bool streams, const bool store, double before)
{
  double sum = -0.0;
  int64_t i = 0;
  for (; streams && i < n && (uintptr_t)(out + i) % 64 != 0; i++)
    sum = N(scan_one)(store, sum, x[i], out + i, before);
#if defined __AVX2__
  enum { W = VECTOR / 8 };
  vd carry, first;
  for (int k = 0; k < W; k++) {
    carry[k] = sum;
    first[k] = before;
  }
  i = N(scan_wide)(i, n, x, out, streams, store, first, &carry);
  for (; i + 2 * W <= n; i += 2 * W) {
    const vd a = sums_within(N(wide)(x + i)), b = sums_within(N(wide)(x + i + W));
    const vd next = carry + last_lane(a);
    __builtin_prefetch((const char *)(x + i) + PREFETCH_DISTANCE);
    if (store) {
      N(store_scan)(out + i, first + carry + a);
      N(store_scan)(out + i + W, first + next + b);
    }
    carry = next + last_lane(b);
  }
  sum = carry[0];
#endif
  for (; i < n; i++)
    sum = N(scan_one)(store, sum, x[i], out + i, before);
  return sum;
}

static double N(scan_sum)(int64_t n, const void *x, void *out, bool streams, bool store, double before)
{
  return streams && store ? N(sums_of)(n, x, out, true, true, before)
         : streams        ? N(sums_of)(n, x, out, true, false, before)
         : store          ? N(sums_of)(n, x, out, false, true, before)
                          : N(sums_of)(n, x, out, false, false, before);
}

static void N(sum_along)(int64_t n, void *out_, const void *x_, void *carry)
{
  const T *x = x_;
  T *out = out_;
  double v = *(double *)carry;
  for (int64_t i = 0; i < n; i++)
    out[i] = (T)(v += (double)x[i]);
  *(double *)carry = v;
}

static void N(prod_along)(int64_t n, void *out_, const void *x_, void *carry)
{
  const T *x = x_;
  T *out = out_;
  double v = *(double *)carry;
  int64_t i = 0;
#if defined __AVX2__
  enum { W = VECTOR / 8 };
  while (i + 2 * W <= n) {
    const vd none = { 0 }, p = N(wide)(x + i), q = N(wide)(x + i + W);
    const int64_t end = i + 2 * W;
    if (may_group(p, q, v)) {
      const vd low = products_within(p), high = products_within(q), c = v - none, next = c * last_lane(low);
      const vd all[2] = { c * low, next * high };
      if (__builtin_expect(!vanishes(all[0], all[1], v), 1)) {
        N(store_scan)(out + i, all[0]);
        N(store_scan)(out + i + W, all[1]);
        v = (next * last_lane(high))[0];
        i = end;
        continue;
      }
      for (const double *each = (const double *)all; v != 0; each++, i++)
        out[i] = (T)(v = *each);
    }
    for (; i < end; i++)
      out[i] = (T)(v *= (double)x[i]);
  }
#endif
  for (; i < n; i++)
    out[i] = (T)(v *= (double)x[i]);
  *(double *)carry = v;
}

INLINE void N(sums_across)(const bool times, int64_t n, T *out, const T *x, double *c)
{
  IVDEP for (int64_t i = 0; i < n; i++) {
    const double v = times ? c[i] * (double)x[i] : c[i] + (double)x[i];
    c[i] = v;
    out[i] = (T)v;
  }
}

static void N(sum_across)(int64_t n, void *out, const void *x, void *carry) { N(sums_across)(false, n, out, x, carry); }
static void N(prod_across)(int64_t n, void *out, const void *x, void *carry) { N(sums_across)(true, n, out, x, carry); }
