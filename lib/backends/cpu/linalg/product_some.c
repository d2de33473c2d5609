// SPDX-License-Identifier: BSD-3-Clause
/* Some products one after another, by one thread: our own loops where they serve, else BLAS. L1. See product.h. */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/kernels/linalg/gemv.h"
#include "backends/cpu/linalg/product.h"
#include <limits.h>

enum { SMALL_PAIRS = 64 * 64 * 64,      /* multiplications in complex products by loops of our own, */
       SHORT_PAIRS = 512,               /* the longest sums of theirs, */
       NEAR_PAIRS = 1 << 13 };          /* and elements of the operand that all rows go by */

/* ---- small complex products and BLAS-less ones ---- */

#define PLAIN_COMPLEX(FN, T)                                                                     \
  static void FN(const matrix *a, const matrix *b, const matrix *c)                              \
  {                                                                                              \
    for (int64_t i = 0; i < c->rows; i++)                                                        \
      for (int64_t j = 0; j < c->cols; j++) {                                                    \
        T re = 0, im = 0;                                                                        \
        const char *x = a->data + i * a->row_stride, *y = b->data + j * b->col_stride;           \
        for (int64_t k = 0; k < a->cols; k++, x += a->col_stride, y += b->row_stride) {          \
          const T *p = (const T *)(const void *)x, *q = (const T *)(const void *)y;              \
          re += p[0] * q[0] - p[1] * q[1];                                                       \
          im += p[0] * q[1] + p[1] * q[0];                                                       \
        }                                                                                        \
        T *o = (T *)(void *)((char *)(uintptr_t)c->data + i * c->row_stride + j * c->col_stride); \
        o[0] = re;                                                                               \
        o[1] = im;                                                                               \
      }                                                                                          \
  }
PLAIN_COMPLEX(plain_c64, float)
PLAIN_COMPLEX(plain_c128, double)

/* ---- BLAS ---- */

bool cpu_blas_layout(const matrix *x, int64_t size, int *trans, int *ld)
{
  if (x->rows > INT_MAX || x->cols > INT_MAX)
    return false;
  for (int t = 0; t < 2; t++) {
    int64_t inner = t ? x->row_stride : x->col_stride, outer = t ? x->col_stride : x->row_stride;
    int64_t n_inner = t ? x->rows : x->cols, n_outer = t ? x->cols : x->rows;
    if (n_inner > 1 && inner != size)
      continue;
    if (n_outer <= 1)
      outer = CPU_MAX(n_inner, 1) * size;
    if (outer % size || outer / size < CPU_MAX(n_inner, 1) || outer / size > INT_MAX)
      continue;
    *trans = t ? BLAS_TRANS : BLAS_NO_TRANS;
    *ld = (int)(outer / size);
    return true;
  }
  return false;
}

static void gemm(const product *j, const matrix *a, const matrix *b, const matrix *c)
{
  static const float one_c[2] = { 1, 0 }, zero_c[2] = { 0, 0 };
  static const double one_z[2] = { 1, 0 }, zero_z[2] = { 0, 0 };
  int ta = 0, tb = 0, tc = 0, lda = 0, ldb = 0, ldc = 0;
  cpu_blas_layout(a, j->size, &ta, &lda);
  cpu_blas_layout(b, j->size, &tb, &ldb);
  cpu_blas_layout(c, j->size, &tc, &ldc);
  if (tc == BLAS_TRANS || (c->rows == 1 && c->cols > 1)) { /* c' = b' a'; a row that is a matrix times a vector */
    const matrix at = matrix_transposed(a), bt = matrix_transposed(b), ct = matrix_transposed(c);
    gemm(j, &bt, &at, &ct);
    return;
  }
  int m = (int)c->rows, n = (int)c->cols, k = (int)a->cols;
  void *out = (void *)(uintptr_t)c->data;
  const void *x = a->data, *y = b->data;
  const cpu_blas *f = j->blas;
  /* One column: a matrix times a vector, which may have any positive stride. */
  if (n == 1 && b->row_stride > 0 && b->row_stride % j->size == 0 && ldc == 1
      && (j->dtype == HED_ID_FLOAT32 || j->dtype == HED_ID_FLOAT64)
      && b->row_stride / j->size <= INT_MAX) {
    int rows = ta == BLAS_TRANS ? k : m, cols = ta == BLAS_TRANS ? m : k;
    int inc = (int)(b->row_stride / j->size);
    if (j->dtype == HED_ID_FLOAT32)
      f->sgemv(BLAS_ROW_MAJOR, ta, rows, cols, 1, x, lda, y, inc, 0, out, 1);
    else
      f->dgemv(BLAS_ROW_MAJOR, ta, rows, cols, 1, x, lda, y, inc, 0, out, 1);
    return;
  }
  switch (j->dtype) {
  case HED_ID_FLOAT32:
    f->sgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, 1, x, lda, y, ldb, 0, out, ldc);
    break;
  case HED_ID_FLOAT64:
    f->dgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, 1, x, lda, y, ldb, 0, out, ldc);
    break;
  case HED_ID_COMPLEX64:
    f->cgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, one_c, x, lda, y, ldb, zero_c, out, ldc);
    break;
  default:
    f->zgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, one_z, x, lda, y, ldb, zero_z, out, ldc);
  }
}

/* A complex matrix times a column, or a row times it; false when it is something else, or BLAS should do it. */
static bool vector(const product *j, const matrix *a, const matrix *b, const matrix *c)
{
  if (j->type >= 0)
    return false;
  if (c->cols != 1) {
    const matrix at = matrix_transposed(a), bt = matrix_transposed(b), ct = matrix_transposed(c);
    return c->rows == 1 && vector(j, &bt, &at, &ct);
  }
  return cpu_gemv_run(&(cpu_gemv){ .m = c->rows, .k = a->cols, .a = a->data, .x = b->data, .y = (char *)(uintptr_t)c->data,
                                   .a_row = a->row_stride, .a_col = a->col_stride, .x_step = b->row_stride,
                                   .y_step = c->row_stride }, j->dtype == HED_ID_COMPLEX128);
}

/* COUNT small complex products whose columns are neighbours; false when they are others. */
static bool small_pairs(const product *j, const matrix *a, const matrix *b, const matrix *c, int64_t count, const int64_t *step)
{
  const int64_t size = j->size, k = a->cols;
  const double near = (double)c->cols * (double)k, work = near * (double)c->rows;
  if (j->type >= 0 || c->cols < 2 || b->col_stride != size || c->col_stride != size)
    return false;
  if (work > CPU_GEMM_LITTLE
      && (c->rows == 1 || (j->blas && (work > (double)CPU_MIN(cpu_gemm_ahead, SMALL_PAIRS) || k > SHORT_PAIRS || near > NEAR_PAIRS))))
    return false;
  cpu_gemvs[j->dtype == HED_ID_COMPLEX128].products(&(cpu_gemm){
    .m = c->rows, .n = c->cols, .k = a->cols, .count = count, .a = a->data, .b = b->data, .c = (void *)(uintptr_t)c->data,
    .a_row = a->row_stride / size, .a_col = a->col_stride / size, .b_row = b->row_stride / size, .c_row = c->row_stride / size,
    .a_step = step[1] / size, .b_step = step[2] / size, .c_step = step[0] / size });
  return true;
}

void cpu_product_some(product *j, const matrix *a, const matrix *b, const matrix *c, int64_t count, const int64_t *step)
{
  if (cpu_product_own(j, a, b, c, count, step) || small_pairs(j, a, b, c, count, step))
    return;
  matrix x = *a, y = *b, z = *c;
  const bool tiny = x.cols == 0 || (double)z.rows * (double)z.cols * (double)x.cols <= 512;
  for (int64_t q = 0; q < count; q++, z.data += step[0], x.data += step[1], y.data += step[2]) {
    if ((!tiny || x.cols >= 8) && vector(j, &x, &y, &z))
      continue;
    if (!tiny && j->blas)
      gemm(j, &x, &y, &z);
    else if (j->dtype == HED_ID_COMPLEX64)
      plain_c64(&x, &y, &z);
    else
      plain_c128(&x, &y, &z);
  }
}
