// SPDX-License-Identifier: BSD-3-Clause
/*
 * QR factors of tall matrices by Cholesky's method, twice. L1.
 *
 * a = q1 r1 with r1 the Cholesky factor of a' a loses orthogonality as the square of a's condition, but q1 is then so
 * nearly orthogonal that the same step on it, q1 = q r2, is accurate to rounding, and q r2 r1 is a to rounding: what
 * Householder's method gives, in products of matrices that run several times as fast. Where q1' q1 is not near the
 * identity (or a' a overflows, or is singular) the answer is no, and the caller goes the usual way.
 * Yamamoto, Nakatsukasa, Yanagisawa, Fukaya: Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44 (2015).
 */
#include "backends/cpu/linalg/lapack.h"
#include <math.h>
#include <string.h>

enum { COLUMN_MAJOR = 102 };

static double at(const lapack *l, const char *x, int64_t k)
{
  return l->type & 1 ? ((const double *)(const void *)x)[k] : ((const float *)(const void *)x)[k];
}

void lapack_gemm(const lapack *l, bool columns, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const char *a,
                 int64_t lda, const char *b, int64_t ldb, char *c, int64_t ldc)
{
  const int order = columns ? COLUMN_MAJOR : BLAS_ROW_MAJOR, x = ta ? BLAS_TRANS : BLAS_NO_TRANS;
  const int y = tb ? BLAS_TRANS : BLAS_NO_TRANS;
  if (l->type & 1)
    l->blas->dgemm(order, x, y, (int)m, (int)n, (int)k, 1, (const void *)a, (int)lda, (const void *)b, (int)ldb, 0,
                   (void *)c, (int)ldc);
  else
    l->blas->sgemm(order, x, y, (int)m, (int)n, (int)k, 1, (const void *)a, (int)lda, (const void *)b, (int)ldb, 0,
                   (void *)c, (int)ldc);
}

void lapack_over_triangle(const lapack *l, bool right, int64_t rows, int64_t columns, const char *r, int64_t n, char *x)
{
  const int m = (int)rows, k = (int)columns, ld = (int)n;
  const double one = 1;
  const float single = 1;
  l->blas->trsm[l->type](right ? "R" : "L", "U", "T", "N", &m, &k, l->type & 1 ? (const void *)&one : &single, r, &ld, x,
                         &m, 1, 1, 1, 1);
}

/* The upper triangle (by columns) of the Cholesky factor of a' a; false when there is none. */
static bool factor(const lapack *l, int64_t m, int64_t n, const char *a, char *r, double *distance)
{
  const int order = (int)n;
  double sum = 0;
  int info = 0;
  lapack_gemm(l, false, true, false, n, n, m, a, n, a, n, r, n);
  for (int64_t i = 0; i < n * n; i++) {
    const double e = at(l, r, i) - (i % (n + 1) == 0);
    sum += e * e;
  }
  *distance = sqrt(sum);
  if (!isfinite(sum))
    return false;
  l->blas->potrf[l->type]("U", &order, r, &order, &info, 1);
  if (info != 0)
    return false;
  for (int64_t j = 0; j < n; j++)
    memset(r + (j * n + j + 1) * l->size, 0, (size_t)((n - j - 1) * l->size));
  return true;
}

bool lapack_is_tall(const lapack *l, int64_t m, int64_t n) { return l->type < 2 && n > 0 && m >= 2 * n && m >= 16; }

bool lapack_tall_qr(const lapack *l, int64_t m, int64_t n, char *a, char *r1, char *r2)
{
  double distance;
  if (!factor(l, m, n, a, r1, &distance))
    return false;
  lapack_over_triangle(l, false, n, m, r1, n, a); /* rows of a are columns to LAPACK */
  return factor(l, m, n, a, r2, &distance) && distance < 0.5;
}
