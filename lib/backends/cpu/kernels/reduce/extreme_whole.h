// SPDX-License-Identifier: BSD-3-Clause
/*
 * Largest and smallest of contiguous integers and of columns; a body of reduce.c, after reduce.h. MOST, a constant, says which.
 * Every instruction set; max and min of contiguous slices, and over rows of contiguous columns.
 */
INLINE bool N(is_nan_in)(V a, V b) { return (void)a, (void)b, false; }
INLINE T N(further)(const bool most, T a, T b) { return (most ? b > a : b < a) ? b : a; }

INLINE void N(extreme)(int64_t n, const T *v, T *m, const bool most)
{
  HED__ASSERT(n >= 0 && (uintptr_t)v % sizeof(T) == 0);
  T end = *m, lane[LANES];
  int64_t i = 0;
  if (n >= 4 * LANES) {
    const bool near = n * (int64_t)sizeof(T) >= PREFETCH_FROM;
    V a[4];
    UNROLL for (int k = 0; k < 4; k++)
      a[k] = N(get)(v + k * LANES);
    for (i = 4 * LANES; i + 4 * LANES <= n; i += 4 * LANES) {
      if (near)
        prefetch_ahead(v + i, 4 * CPU_VECTOR);
      UNROLL for (int k = 0; k < 4; k++)
        a[k] = N(pick)(most, N(get)(v + i + k * LANES), a[k]);
    }
    for (; i + LANES <= n; i += LANES)
      a[0] = N(pick)(most, N(get)(v + i), a[0]);
    a[0] = N(pick)(most, N(pick)(most, a[3], a[2]), N(pick)(most, a[1], a[0]));
    memcpy(lane, &a[0], sizeof lane);
    for (int k = 0; k < LANES; k++)
      end = N(further)(most, end, lane[k]);
  }
  for (; i < n; i++)
    end = N(further)(most, end, v[i]);
  *m = end;
}

INLINE void N(col_extreme)(int64_t rows, int64_t n, const char *x, int64_t step, T *b, const bool most)
{
  HED__ASSERT(rows >= 0 && n >= 0 && (rows < 2 || step % (int64_t)sizeof(T) == 0));
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, x += 4 * step) {
    const T *v0 = (const T *)(const void *)x, *v1 = (const T *)(const void *)(x + step);
    const T *v2 = (const T *)(const void *)(x + 2 * step), *v3 = (const T *)(const void *)(x + 3 * step);
    IVDEP for (int64_t j = 0; j < n; j++)
      b[j] = N(further)(most, b[j], N(further)(most, N(further)(most, v3[j], v2[j]), N(further)(most, v1[j], v0[j])));
  }
  for (; r < rows; r++, x += step) {
    const T *v = (const T *)(const void *)x;
    IVDEP for (int64_t j = 0; j < n; j++)
      b[j] = N(further)(most, b[j], v[j]);
  }
}

static void N(max)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, true); }
static void N(min)(int64_t n, const void *x, void *m) { N(extreme)(n, x, m, false); }

static void N(col_max)(int64_t rows, int64_t n, const char *x, int64_t step, void *m) { N(col_extreme)(rows, n, x, step, m, true); }
static void N(col_min)(int64_t rows, int64_t n, const char *x, int64_t step, void *m) { N(col_extreme)(rows, n, x, step, m, false); }
