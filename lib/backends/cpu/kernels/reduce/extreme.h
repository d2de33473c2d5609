// SPDX-License-Identifier: BSD-3-Clause
/*
 * Largest and smallest of contiguous reals and of columns, and where they are; a body of reduce.c, after reduce.h.
 *
 * The processor's max(b, a) gives a when either is NaN, so accumulators never become NaN by it; a mask remembers, for two
 * vectors at a time, whether a NaN came by, and spoils the result at the end. MOST says which extreme, SIZES whether absolute
 * values are compared; what is found so far may then be an element. Both are constants, and so are ROWS.
 * Every instruction set; max, min, argmax and argmin of contiguous slices, and over rows of contiguous columns.
 */
INLINE V N(load)(const bool sizes, const T *p) { return sizes ? N(magnitude)(N(get)(p)) : N(get)(p); }
INLINE T N(one)(const bool sizes, T x) { return sizes ? (T)fabs((double)x) : x; }
INLINE V N(pick)(const bool most, V b, V a) { return most ? N(most)(b, a) : N(least)(b, a); }
INLINE bool N(is_nan_in)(V a, V b) { return N(has_nan)(N(note_nan)(N(no_nan)(), a, b)); }
/* Does A stay where B comes after it? */
INLINE bool N(stays)(const bool most, T a, T b) { return most ? a >= b : a <= b; }

INLINE void N(extreme)(int64_t n, const T *v, T *m, const bool most, const bool sizes)
{
  HED__ASSERT(n >= 0 && (uintptr_t)v % sizeof(T) == 0);
  T best = N(one)(sizes, *m);
  int64_t i = 0;
  if (n < LANES || best != best) {
    for (; i < n; i++) {
      const T one = N(one)(sizes, v[i]);
      best = N(stays)(most, best, one) | (best != best) ? best : one;
    }
    *m = best;
    return;
  }
  const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;
  V a0 = N(load)(sizes, v), a1 = a0, a2 = a0, a3 = a0;
  M k = N(note_nan)(N(no_nan)(), a0, a0), k1 = k;
  if (N(has_nan)(k))
    goto found;
  if (n * (int64_t)sizeof(T) >= FAR) { /* as two streams, as sums do */
    const int64_t half = n / (4 * LANES) * (2 * LANES);
    for (; i < half; i += 2 * LANES) {
      V b0 = N(load)(sizes, v + i), b1 = N(load)(sizes, v + i + LANES), b2 = N(load)(sizes, v + half + i);
      V b3 = N(load)(sizes, v + half + i + LANES);
      HOLD(b0, b1, b2, b3);
      k = N(note_nan)(k, b0, b1);
      k1 = N(note_nan)(k1, b2, b3);
      a0 = N(pick)(most, b0, a0);
      a1 = N(pick)(most, b1, a1);
      a2 = N(pick)(most, b2, a2);
      a3 = N(pick)(most, b3, a3);
    }
    i = 2 * half;
  }
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    if (near)
      prefetch_ahead(v + i, 4 * CPU_VECTOR);
    const V b0 = N(load)(sizes, v + i), b1 = N(load)(sizes, v + i + LANES);
    const V b2 = N(load)(sizes, v + i + 2 * LANES), b3 = N(load)(sizes, v + i + 3 * LANES);
    k = N(note_nan)(k, b0, b1);
    k1 = N(note_nan)(k1, b2, b3);
    a0 = N(pick)(most, b0, a0);
    a1 = N(pick)(most, b1, a1);
    a2 = N(pick)(most, b2, a2);
    a3 = N(pick)(most, b3, a3);
  }
  for (; i < n; i += LANES) { /* the last vector may overlap */
    const V b = N(load)(sizes, v + (i + LANES <= n ? i : n - LANES));
    k = N(note_nan)(k, b, b);
    a0 = N(pick)(most, b, a0);
  }
  if (N(has_nan)(k) || N(has_nan)(k1)) {
  found:
    *m = (T)NAN;
    return;
  }
  const V a = N(pick)(most, N(pick)(most, a0, a1), N(pick)(most, a2, a3));
  const T end = most ? N(most_of)(a) : N(least_of)(a);
  *m = N(stays)(most, best, end) ? best : end;
}

/* ROWS as in sums; even, or 1. */
INLINE void N(extreme_of_rows)(const int64_t rows, int64_t n, const char *x, int64_t step, T *b, const bool most, const bool sizes)
{
  int64_t j = 0;
  for (; j + 2 * LANES <= n; j += 2 * LANES) {
    const char *row = x + j * (int64_t)sizeof(T);
    V a0 = N(load)(sizes, b + j), a1 = N(load)(sizes, b + j + LANES);
    M k0 = N(no_nan)(), k1 = N(no_nan)();
    UNROLL for (int64_t r = 0; r < rows; r += 2) { /* two at a time are prefetched NaN */
      const T *p = (const T *)(const void *)(row + r * step);
      const T *q = (const T *)(const void *)(row + (rows > 1 ? r + 1 : r) * step);
      const V b0 = N(load)(sizes, p), b1 = N(load)(sizes, p + LANES), c0 = N(load)(sizes, q), c1 = N(load)(sizes, q + LANES);
      k0 = N(note_nan)(k0, b0, c0);
      k1 = N(note_nan)(k1, b1, c1);
      a0 = N(pick)(most, N(pick)(most, b0, c0), a0);
      a1 = N(pick)(most, N(pick)(most, b1, c1), a1);
    }
    N(put)(b + j, N(spoil)(a0, k0));
    N(put)(b + j + LANES, N(spoil)(a1, k1));
  }
  for (; j + LANES <= n; j += LANES) {
    const char *row = x + j * (int64_t)sizeof(T);
    V a = N(load)(sizes, b + j);
    M k = N(no_nan)();
    UNROLL for (int64_t r = 0; r < rows; r++) {
      const V v = N(load)(sizes, (const T *)(const void *)(row + r * step));
      k = N(note_nan)(k, v, v);
      a = N(pick)(most, v, a);
    }
    N(put)(b + j, N(spoil)(a, k));
  }
  for (; j < n; j++) {
    const char *row = x + j * (int64_t)sizeof(T);
    T a = N(one)(sizes, b[j]);
    for (int64_t r = 0; r < rows; r++, row += step) {
      const T v = N(one)(sizes, *(const T *)(const void *)row);
      a = N(stays)(most, a, v) | (a != a) ? a : v;
    }
    b[j] = a;
  }
}

INLINE void N(col_extreme)(int64_t rows, int64_t n, const char *x, int64_t step, T *m, const bool most, const bool sizes)
{
  HED__ASSERT(rows >= 0 && n >= 0 && (rows < 2 || step % (int64_t)sizeof(T) == 0) && (uintptr_t)x % sizeof(T) == 0);
  int64_t r = 0;
  if (n * (int64_t)sizeof(T) >= COL_LONG && rows * n * (int64_t)sizeof(T) >= COL_FAR) {
    const int64_t quarter = rows / 4;
    for (; r < quarter; r++)
      N(extreme_of_rows)(4, n, x + r * step, quarter * step, m, most, sizes);
    r *= 4;
  }
  for (; r + 8 <= rows; r += 8)
    N(extreme_of_rows)(8, n, x + r * step, step, m, most, sizes);
  for (; r + 2 <= rows; r += 2)
    N(extreme_of_rows)(2, n, x + r * step, step, m, most, sizes);
  for (; r < rows; r++)
    N(extreme_of_rows)(1, n, x + r * step, step, m, most, sizes);
}

static void N(max)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, true, false); }
static void N(min)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, false, false); }
static void N(max_size)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, true, true); }
static void N(min_size)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, false, true); }

static void N(col_max)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme)(rows, n, x, step, m, true, false);
}

static void N(col_min)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme)(rows, n, x, step, m, false, false);
}

static void N(col_max_size)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme)(rows, n, x, step, m, true, true);
}

static void N(col_min_size)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme)(rows, n, x, step, m, false, true);
}
