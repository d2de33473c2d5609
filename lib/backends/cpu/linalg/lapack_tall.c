// SPDX-License-Identifier: BSD-3-Clause
/*
 * QR factors of tall matrices by Cholesky's method, twice. L1.
 *
 * a = q1 r1 with r1 the Cholesky factor of a' a loses orthogonality as the square of a's condition, but q1 is then so
 * nearly orthogonal that the same step on it, q1 = q r2, is accurate to rounding, and q r2 r1 is a to rounding: what
 * Householder's method gives, in products of matrices that run several times as fast. Where q1' q1 is not near the
 * identity (or a' a overflows, or is singular) the answer is no, and the caller goes the usual way.
 * Yamamoto, Nakatsukasa, Yanagisawa, Fukaya: Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44 (2015).
 * Products a' a of float32 are made and factored in float64, or they would be off by as much as small singular values are:
 * Yamazaki, Tomov, Dongarra: Mixed-precision Cholesky QR factorization, SIAM J. Sci. Comput. 37 (2015).
 */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { COLUMN_MAJOR = 102 };

void cpu_lapack_gemm(const lapack *l, bool columns, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const char *a,
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

void cpu_lapack_over_triangle(const lapack *l, bool right, int64_t rows, int64_t columns, const char *r, int64_t n, char *x)
{
  const int m = (int)rows, k = (int)columns, ld = (int)n;
  const double one = 1;
  const float single = 1;
  l->blas->trsm[l->type](right ? "R" : "L", "U", "T", "N", &m, &k, l->type & 1 ? (const void *)&one : &single, r, &ld, x,
                         &m, 1, 1, 1, 1);
}

/* ---- rows shared between threads ---- */

typedef struct tall {
  const lapack *l;
  int64_t m, n, parts;
  bool own;
  const char *b;
  char *a, *c;
  double *gram, *sums; /* a' a, and of the parts but the first */
  atomic_bool no_memory;
} tall;

static void own_product(tall *t, bool wide, int64_t m, int64_t k, const char *a, int64_t a_row, int64_t a_col, const char *b,
                        char *c)
{
  const cpu_gemm g = { .m = m, .n = t->n, .k = k, .count = 1, .a = a, .a_row = a_row, .a_col = a_col, .b = b,
                       .b_row = t->n, .b_col = 1, .c = c, .c_row = t->n };
  if (!cpu_gemm_packed(&cpu_gemms[wide ? CPU_GEMM_F64 : CPU_GEMM_F32], &g))
    atomic_store(&t->no_memory, true);
}

/* Rows FROM on of part AT. */
static int64_t rows_of(const tall *t, int64_t at, int64_t *from)
{
  *from = t->m * at / t->parts;
  return t->m * (at + 1) / t->parts - *from;
}

/* c = a' a of ROWS rows of float64. */
static void wide_gram(tall *t, int64_t rows, const double *a, double *c)
{
  const int n = (int)t->n;
  if (t->own)
    own_product(t, true, n, rows, (const char *)a, 1, n, (const char *)a, (char *)c);
  else
    t->l->blas->dgemm(BLAS_ROW_MAJOR, BLAS_TRANS, BLAS_NO_TRANS, n, n, (int)rows, 1, a, n, a, n, 0, c, n);
}

/* The same of float32, some rows at a time, by way of a copy that stays in the caches. */
static void narrow_gram(tall *t, int64_t rows, const char *a, double *c)
{
  enum { PIECE_ROWS = 256 };
  const int64_t n = t->n, some = CPU_MIN(rows, CPU_MAX(PIECE_ROWS, n));
  double *const copy = cpu_scratch_get((size_t)((some + n) * n) * sizeof *copy), *const product = copy + some * n;
  if (!copy) {
    atomic_store(&t->no_memory, true);
    return;
  }
  memset(c, 0, (size_t)(n * n) * sizeof *c);
  for (int64_t from = 0, m; from < rows; from += m) {
    m = CPU_MIN(some, rows - from);
    hed__cast(HED_ID_FLOAT32, HED_ID_FLOAT64)(m * n, (char *)copy, 8, a + from * n * 4, 4);
    wide_gram(t, m, copy, product);
    for (int64_t i = 0; i < n * n; i++)
      c[i] += product[i];
  }
  cpu_scratch_put(copy);
}

static void gram_part(void *arg, int64_t at)
{
  tall *t = arg;
  int64_t from;
  const int64_t n = t->n, rows = rows_of(t, at, &from);
  const char *a = t->a + from * n * t->l->size;
  double *c = at ? t->sums + (at - 1) * n * n : t->gram;
  if (t->l->type & 1)
    wide_gram(t, rows, (const double *)(const void *)a, c);
  else
    narrow_gram(t, rows, a, c);
}

static void times_part(void *arg, int64_t at)
{
  tall *t = arg;
  int64_t from;
  const int64_t n = t->n, rows = rows_of(t, at, &from);
  const char *a = t->a + from * n * t->l->size;
  char *c = t->c + from * n * t->l->size;
  if (t->own)
    own_product(t, t->l->type & 1, rows, n, a, n, 1, t->b, c);
  else
    cpu_lapack_gemm(t->l, false, false, false, rows, n, n, a, n, t->b, n, c, n);
}

static void over_part(void *arg, int64_t at)
{
  const tall *t = arg;
  int64_t from;
  const int64_t rows = rows_of(t, at, &from);
  cpu_lapack_over_triangle(t->l, false, t->n, rows, t->b, t->n, t->a + from * t->n * t->l->size); /* rows are columns to LAPACK */
}

static bool share(tall *t, cpu_item_fn part)
{
  const double work = (double)t->m * (double)t->n * (double)t->n;
  t->own = t->n >= 16 && cpu_lapack_is_own(t->l); /* fewer columns are padded to many */
  if (t->parts > 1)
    cpu_parallel_items(t->l->call, t->parts, work / 8, part, t);
  else
    part(t, 0);
  return !atomic_load(&t->no_memory);
}

/* Parts for as many threads, where that pays. */
static int64_t parts_of(const lapack *l, int64_t m, int64_t n)
{
  enum { ROWS = 256, WORK = 1 << 20 };
  const double most = (double)m * (double)n * (double)n / WORK;
  return CPU_MAX(CPU_MIN(l->call->max_threads, most < 64 ? (int64_t)most : m / ROWS), 1);
}

bool cpu_lapack_tall_times(const lapack *l, int64_t m, int64_t n, const char *a, const char *b, char *c)
{
  tall t = { .l = l, .m = m, .n = n, .parts = parts_of(l, m, n), .a = (char *)(uintptr_t)a, .b = b, .c = c };
  return share(&t, times_part);
}

/* r = a' a, in float64. */
static bool gram(const lapack *l, int64_t m, int64_t n, const char *a, double *r)
{
  tall t = { .l = l, .m = m, .n = n, .parts = parts_of(l, m, n), .a = (char *)(uintptr_t)a, .gram = r };
  if (t.parts > 1 && !(t.sums = cpu_scratch_get((size_t)((t.parts - 1) * n * n) * sizeof *r)))
    t.parts = 1;
  const bool made = share(&t, gram_part);
  for (int64_t q = 0; made && q < t.parts - 1; q++)
    for (int64_t i = 0; i < n * n; i++)
      r[i] += t.sums[q * n * n + i];
  cpu_scratch_put(t.sums);
  return made;
}

/* ---- the factors ---- */

/* The upper triangle (by columns) of the Cholesky factor of a' a, which is DISTANCE from the identity; false when there is none,
 * or no memory. */
static bool factor(const lapack *l, int64_t m, int64_t n, const char *a, char *r, double *distance)
{
  const int order = (int)n;
  double *const g = l->type & 1 ? (double *)(void *)r : cpu_scratch_get((size_t)(n * n) * sizeof *g), sum = 0;
  int info = 0;
  bool made = g && gram(l, m, n, a, g);
  for (int64_t i = 0; made && i < n * n; i++) {
    const double e = g[i] - (i % (n + 1) == 0);
    sum += e * e;
  }
  *distance = sqrt(sum);
  if ((made = made && isfinite(sum)))
    l->blas->potrf[1]("U", &order, g, &order, &info, 1);
  if ((made = made && info == 0)) {
    for (int64_t j = 0; j < n; j++)
      memset(g + j * n + j + 1, 0, (size_t)(n - j - 1) * sizeof *g);
    if ((char *)g != r)
      hed__cast(HED_ID_FLOAT64, HED_ID_FLOAT32)(n * n, r, 4, (const char *)g, 8);
  }
  if ((char *)g != r)
    cpu_scratch_put(g);
  return made;
}

bool cpu_lapack_is_tall(const lapack *l, int64_t m, int64_t n) { return l->type < 2 && n > 0 && m >= 2 * n && m >= 16; }

bool cpu_lapack_tall_triangle(const lapack *l, int64_t m, int64_t n, const char *a, char *r1)
{
  double distance;
  return factor(l, m, n, a, r1, &distance);
}

bool cpu_lapack_tall_again(const lapack *l, int64_t m, int64_t n, char *a, const char *r1, char *r2)
{
  double distance;
  tall t = { .l = l, .m = m, .n = n, .parts = parts_of(l, m, n), .a = a, .b = r1 };
  return share(&t, over_part) && factor(l, m, n, a, r2, &distance) && distance < 0.5;
}
