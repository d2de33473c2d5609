// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums and products of integers, of 64 bits; a body of reduce.c. TIMES, a constant, says which.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */
/* In a type that a block of elements cannot leave, which takes more of them at a time: of 32 bits at least, without sign as T is. */
static void N(sum_int)(int64_t n, const void *x, uint64_t *sum)
{
  enum { BLOCK = 4096 };
  typedef __typeof__(__builtin_choose_expr(sizeof(TWICE) > 2 || (TWICE)-1 < 1, (TWICE)1 + (TWICE)1, 1u)) narrow;
  const T *v = x;
  for (int64_t i = 0; i < n; i += BLOCK) {
    const int64_t m = n - i < BLOCK ? n - i : BLOCK;
    narrow s = 0;
    for (int64_t k = 0; k < m; k++)
      s += (narrow)v[i + k];
    *sum += (uint64_t)s;
  }
}

static void N(prod_int)(int64_t n, const void *x, uint64_t *p)
{
  enum { W = VECTOR / 8 };
  typedef T few __attribute__((vector_size(W * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef uint64_t words __attribute__((vector_size(VECTOR)));
  const T *v = x;
  int64_t i = 0;
  if (n >= 4 * W) {
    words a[4];
    for (int k = 0; k < 4; k++, i += W)
      a[k] = __builtin_convertvector(*(const few *)(const void *)(v + i), words);
    for (; i + 4 * W <= n; i += 4 * W)
      UNROLL for (int k = 0; k < 4; k++)
        a[k] *= __builtin_convertvector(*(const few *)(const void *)(v + i + k * W), words);
    a[0] *= a[1] * (a[2] * a[3]);
    for (int k = 0; k < W; k++)
      *p *= a[0][k];
  }
  for (; i < n; i++)
    *p *= (uint64_t)v[i];
}

/* Rows four at a time: two and two in a type that they cannot leave. */
INLINE void N(col_int)(const bool times, int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc)
{
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, x += 4 * step) {
    const T *v0 = (const T *)(const void *)x, *v1 = (const T *)(const void *)(x + step);
    const T *v2 = (const T *)(const void *)(x + 2 * step), *v3 = (const T *)(const void *)(x + 3 * step);
    IVDEP for (int64_t j = 0; j < n; j++) {
      const TWICE f0 = (TWICE)v0[j], f1 = (TWICE)v1[j], f2 = (TWICE)v2[j], f3 = (TWICE)v3[j];
      const TWICE a = (TWICE)(times ? f0 * f1 : f0 + f1), b = (TWICE)(times ? f2 * f3 : f2 + f3);
      acc[j] = times ? acc[j] * ((uint64_t)a * (uint64_t)b) : acc[j] + (uint64_t)(TWICE)(a + b);
    }
  }
  for (; r < rows; r++, x += step) {
    const T *v = (const T *)(const void *)x;
    IVDEP for (int64_t j = 0; j < n; j++)
      acc[j] = times ? acc[j] * (uint64_t)v[j] : acc[j] + (uint64_t)v[j];
  }
}

static void N(col_sum_int)(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc)
{
  N(col_int)(false, rows, n, x, step, acc);
}

static void N(col_prod_int)(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc)
{
  N(col_int)(true, rows, n, x, step, acc);
}
