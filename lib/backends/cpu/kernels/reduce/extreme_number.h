// SPDX-License-Identifier: BSD-3-Clause
/*
 * Largest and smallest of the elements that are not NaN; a body of reduce.c, after extreme.h. The processor's max(b, a) gives a
 * where b is NaN, so that extremes need nothing more as long as the accumulator is a number.
 * Every instruction set; nanmax and nanmin of contiguous slices and of columns.
 */
INLINE bool N(beyond)(const bool most, T b, T a) { return most ? b > a : b < a; }
/* B, which comes later, where it is beyond A or A is NaN. */
INLINE T N(number)(const bool most, T a, T b) { return N(beyond)(most, b, a) | (a != a) ? b : a; }
/* What is beyond nothing: where it comes out, there was nothing else, or no number at all. */
INLINE T N(beyond_nothing)(const bool most) { return most ? -(T)INFINITY : (T)INFINITY; }

INLINE void N(extreme_number)(int64_t n, const T *v, T *m, const bool most)
{
  HED__ASSERT(n >= 0 && (uintptr_t)v % sizeof(T) == 0);
  const T least = N(beyond_nothing)(most);
  T best = *m, end = least;
  int64_t i = 0;
  if (n >= LANES) {
    const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;
    V a0 = N(each)(least), a1 = a0, a2 = a0, a3 = a0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
      if (near)
        prefetch_ahead(v + i, 4 * CPU_VECTOR);
      a0 = N(pick)(most, N(get)(v + i), a0);
      a1 = N(pick)(most, N(get)(v + i + LANES), a1);
      a2 = N(pick)(most, N(get)(v + i + 2 * LANES), a2);
      a3 = N(pick)(most, N(get)(v + i + 3 * LANES), a3);
    }
    for (; i < n; i += LANES) /* the last vector may overlap */
      a0 = N(pick)(most, N(get)(v + (i + LANES <= n ? i : n - LANES)), a0);
    a0 = N(pick)(most, N(pick)(most, a0, a1), N(pick)(most, a2, a3));
    end = most ? N(most_of)(a0) : N(least_of)(a0);
  }
  for (; i < n; i++)
    end = N(beyond)(most, v[i], end) ? v[i] : end;
  if (N(beyond)(most, end, least))
    best = N(number)(most, best, end);
  else
    for (i = 0; i < n && best != best; i++)
      best = v[i];
  *m = best;
}

INLINE void N(col_number)(int64_t rows, int64_t n, const char *x, int64_t step, T *b, const bool most)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t r = 0; r < rows; r++)
      b[j] = N(number)(most, b[j], ((const T *)(const void *)(x + r * step))[j]);
}

/* ROWS is a constant, as in sums. */
INLINE void N(number_of_rows)(const int64_t rows, int64_t n, const char *x, int64_t step, T *b, const bool most)
{
  const V least = N(each)(N(beyond_nothing)(most));
  int64_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    const char *row = x + j * (int64_t)sizeof(T);
    V a = N(pick)(most, N(get)(b + j), least);
    UNROLL for (int64_t r = 0; r < rows; r++)
      a = N(pick)(most, N(get)((const T *)(const void *)(row + r * step)), a);
    if (N(is_any)(N(same)(a, least)))
      N(col_number)(rows, LANES, row, step, b + j, most);
    else
      N(put)(b + j, a);
  }
  N(col_number)(rows, n - j, x + j * (int64_t)sizeof(T), step, b + j, most);
}

INLINE void N(col_extreme_number)(int64_t rows, int64_t n, const char *x, int64_t step, T *m, const bool most)
{
  HED__ASSERT(rows >= 0 && n >= 0 && (rows < 2 || step % (int64_t)sizeof(T) == 0));
  int64_t r = 0;
  for (; r + 8 <= rows; r += 8)
    N(number_of_rows)(8, n, x + r * step, step, m, most);
  for (; r < rows; r++)
    N(number_of_rows)(1, n, x + r * step, step, m, most);
}

static void N(max_skipnan)(int64_t n, const void *x, void *m) { N(extreme_number)(n, x, m, true); }
static void N(min_skipnan)(int64_t n, const void *x, void *m) { N(extreme_number)(n, x, m, false); }

static void N(col_max_skipnan)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme_number)(rows, n, x, step, m, true);
}

static void N(col_min_skipnan)(int64_t rows, int64_t n, const char *x, int64_t step, void *m)
{
  N(col_extreme_number)(rows, n, x, step, m, false);
}
