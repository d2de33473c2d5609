// SPDX-License-Identifier: BSD-3-Clause
/*
 * Many right-hand sides of triangles, and after an LU factorisation. L1.
 *
 * getrs and trtrs leave all to trsm, whose kernels run at a third of gemm's speed for float32 and half for float64 (OpenBLAS
 * 0.3.21). Here trsm gets blocks of the diagonal, and products of matrices do the rest.
 */
#include "backends/cpu/linalg/lapack.h"

enum { BLOCK_COLUMNS = 64, COLUMN_MAJOR = 102 };

/* y (m x n) -= a (m x k) x (k x n), all by columns with leading dimension LD. */
static void subtract(const lapack *l, int m, int n, int k, const char *a, const char *x, char *y, int ld)
{
  static const float minus_c[2] = { -1, 0 }, one_c[2] = { 1, 0 };
  static const double minus_z[2] = { -1, 0 }, one_z[2] = { 1, 0 };
  const cpu_blas *b = l->blas;
  const int no = BLAS_NO_TRANS;
  if (m == 0 || k == 0)
    return;
  switch (l->type) {
  case 0: b->sgemm(COLUMN_MAJOR, no, no, m, n, k, -1, (const void *)a, ld, (const void *)x, ld, 1, (void *)y, ld); break;
  case 1: b->dgemm(COLUMN_MAJOR, no, no, m, n, k, -1, (const void *)a, ld, (const void *)x, ld, 1, (void *)y, ld); break;
  case 2: b->cgemm(COLUMN_MAJOR, no, no, m, n, k, minus_c, a, ld, x, ld, one_c, y, ld); break;
  default: b->zgemm(COLUMN_MAJOR, no, no, m, n, k, minus_z, a, ld, x, ld, one_z, y, ld);
  }
}

bool cpu_lapack_blocks_pay(int64_t n, int64_t k) { return n > 2 * BLOCK_COLUMNS && k >= BLOCK_COLUMNS / 2; }

void cpu_lapack_triangle_solve(const lapack *l, bool upper, bool unit, int n, int k, const char *a, char *b)
{
  static const float one_c[2] = { 1, 0 };
  static const double one_z[2] = { 1, 0 };
  const void *one = l->type & 1 ? (const void *)one_z : one_c;
  const int64_t size = l->size, step = (int64_t)n * size;
  const int last = (n - 1) / BLOCK_COLUMNS * BLOCK_COLUMNS;
  for (int j = 0; j < n; j += BLOCK_COLUMNS) {
    const int i = upper ? last - j : j, m = CPU_MIN(BLOCK_COLUMNS, n - i), behind = i + m;
    if (upper)
      subtract(l, m, k, n - behind, a + i * size + behind * step, b + behind * size, b + i * size, n);
    else
      subtract(l, m, k, i, a + i * size, b, b + i * size, n);
    l->blas->trsm[l->type]("L", upper ? "U" : "L", "N", unit ? "U" : "N", &m, &k, one, a + i * (step + size), &n, b + i * size,
                           &n, 1, 1, 1, 1);
  }
}

void cpu_lapack_lu_solve(const lapack *l, int n, int k, const char *a, const int *pivot, char *b)
{
  const int first = 1;
  int info = 0;
  if (!cpu_lapack_blocks_pay(n, k)) {
    if (n > 0)
      l->blas->getrs[l->type]("N", &n, &k, a, &n, pivot, b, &n, &info, 1);
    return;
  }
  l->blas->laswp[l->type](&k, b, &n, &first, &n, pivot, &first);
  cpu_lapack_triangle_solve(l, false, true, n, k, a, b);
  cpu_lapack_triangle_solve(l, true, false, n, k, a, b);
}
