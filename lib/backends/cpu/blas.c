// SPDX-License-Identifier: BSD-3-Clause
/*
 * matmul by BLAS. L1.
 *
 * Row- and column-major operands are handed over with the transposition flag instead of being copied.
 * BLAS itself runs on one thread (blas_load.h): the batch, or the rows or columns of one product, are
 * shared between the threads that were granted. Small products use a loop of our own.
 */
#include "backends/cpu/blas_load.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/shape.h"
#include <limits.h>
#include <string.h>

typedef struct matrix {
  const char *data;
  int64_t rows, cols, row_stride, col_stride; /* bytes */
} matrix;

typedef struct job {
  const cpu_blas *blas;
  int dtype;
  int64_t size;      /* bytes of an element */
  int32_t batch_ndim;
  int64_t batch_dim[HED_MAX_NDIM], batch_stride[3][HED_MAX_NDIM];
  matrix a, b, c;
  int64_t m_blocks, n_blocks; /* pieces of one product */
} job;

/* ---- small products and BLAS-less ones ---- */

#define PLAIN(FN, T)                                                                             \
  static void FN(const matrix *a, const matrix *b, const matrix *c)                              \
  {                                                                                              \
    for (int64_t i = 0; i < c->rows; i++)                                                        \
      for (int64_t j = 0; j < c->cols; j++) {                                                    \
        T sum = 0;                                                                               \
        const char *x = a->data + i * a->row_stride, *y = b->data + j * b->col_stride;           \
        for (int64_t k = 0; k < a->cols; k++, x += a->col_stride, y += b->row_stride)            \
          sum += *(const T *)(const void *)x * *(const T *)(const void *)y;                      \
        *(T *)(void *)((char *)(uintptr_t)c->data + i * c->row_stride + j * c->col_stride) = sum; \
      }                                                                                          \
  }
PLAIN(plain_f32, float)
PLAIN(plain_f64, double)

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

static void plain(int dtype, const matrix *a, const matrix *b, const matrix *c)
{
  switch (dtype) {
  case HED_ID_FLOAT32: plain_f32(a, b, c); break;
  case HED_ID_FLOAT64: plain_f64(a, b, c); break;
  case HED_ID_COMPLEX64: plain_c64(a, b, c); break;
  default: plain_c128(a, b, c);
  }
}

/* ---- BLAS ---- */

/* Can BLAS read it: one unit stride, the other a positive whole number of elements that does not
 * overlap. *trans: stored by columns. */
static bool blas_layout(const matrix *x, int64_t size, int *trans, int *ld)
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

static void gemm(const job *j, const matrix *a, const matrix *b, const matrix *c)
{
  static const float one_c[2] = { 1, 0 }, zero_c[2] = { 0, 0 };
  static const double one_z[2] = { 1, 0 }, zero_z[2] = { 0, 0 };
  int ta = 0, tb = 0, tc = 0, lda = 0, ldb = 0, ldc = 0;
  blas_layout(a, j->size, &ta, &lda);
  blas_layout(b, j->size, &tb, &ldb);
  blas_layout(c, j->size, &tc, &ldc);
  if (tc == BLAS_TRANS) { /* c' = b' a' */
    matrix at = { a->data, a->cols, a->rows, a->col_stride, a->row_stride };
    matrix bt = { b->data, b->cols, b->rows, b->col_stride, b->row_stride };
    matrix ct = { c->data, c->cols, c->rows, c->col_stride, c->row_stride };
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

static matrix rows_of(const matrix *x, int64_t first, int64_t n)
{
  return (matrix){ x->data + first * x->row_stride, n, x->cols, x->row_stride, x->col_stride };
}

static matrix cols_of(const matrix *x, int64_t first, int64_t n)
{
  return (matrix){ x->data + first * x->col_stride, x->rows, n, x->row_stride, x->col_stride };
}

static void run_item(void *arg, int64_t item)
{
  const job *j = arg;
  matrix a = j->a, b = j->b, c = j->c;
  int64_t per = j->m_blocks * j->n_blocks, batch = item / per, piece = item % per;
  for (int32_t k = j->batch_ndim - 1; k >= 0; k--) {
    int64_t i = batch % j->batch_dim[k];
    batch /= j->batch_dim[k];
    c.data += i * j->batch_stride[0][k];
    a.data += i * j->batch_stride[1][k];
    b.data += i * j->batch_stride[2][k];
  }
  if (per > 1) {
    int64_t mi = piece / j->n_blocks, ni = piece % j->n_blocks;
    int64_t r0 = c.rows * mi / j->m_blocks, r1 = c.rows * (mi + 1) / j->m_blocks;
    int64_t c0 = c.cols * ni / j->n_blocks, c1 = c.cols * (ni + 1) / j->n_blocks;
    a = rows_of(&a, r0, r1 - r0);
    b = cols_of(&b, c0, c1 - c0);
    c = rows_of(&c, r0, r1 - r0);
    c = cols_of(&c, c0, c1 - c0);
    if (!c.rows || !c.cols)
      return;
  }
  if (!j->blas || a.cols == 0 || (double)c.rows * (double)c.cols * (double)a.cols <= 512)
    plain(j->dtype, &a, &b, &c);
  else
    gemm(j, &a, &b, &c);
}

/* A copy of V in C order when BLAS cannot read it or the dtype differs. *spare: to be released. */
static int32_t prepare(const hed_call *call, const hed_view *v, int dtype, bool read, hed_view *out,
                       void **spare)
{
  int trans, ld;
  matrix x = { v->data, v->dim[v->ndim - 2], v->dim[v->ndim - 1], v->stride[v->ndim - 2],
               v->stride[v->ndim - 1] };
  *out = *v;
  *spare = NULL;
  if (v->dtype == dtype && blas_layout(&x, hed__id_size(dtype), &trans, &ld))
    return HED_OK;
  int64_t n = 1;
  for (int32_t k = v->ndim - 1, size = hed__id_size(dtype); k >= 0; k--) {
    bool repeated = v->stride[k] == 0 && k < v->ndim - 2; /* batches stay repeated */
    out->dim[k] = repeated ? 1 : v->dim[k];
    out->stride[k] = n * size;
    n *= out->dim[k];
  }
  *spare = cpu_scratch_get((size_t)n * (size_t)hed__id_size(dtype));
  if (!*spare)
    return cpu_host->fail(HED_E_NOMEM, "matmul: no memory to copy an operand of %lld elements",
                          (long long)n);
  out->data = *spare;
  out->dtype = dtype;
  if (read) {
    hed_view from = *v;
    memcpy(from.dim, out->dim, sizeof from.dim);
    hed_call c = *call;
    const hed_view *in[1] = { &from }, *to[1] = { out };
    c.n_in = c.n_out = 1;
    c.in = in;
    c.out = to;
    c.params = NULL;
    cpu_astype(NULL, &c);
  }
  return HED_OK;
}

static matrix matrix_of(const hed_view *v)
{
  return (matrix){ v->data, v->dim[v->ndim - 2], v->dim[v->ndim - 1], v->stride[v->ndim - 2],
                   v->stride[v->ndim - 1] };
}

int32_t cpu_matmul(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  hed_view v[3];
  void *spare[3] = { NULL, NULL, NULL };
  int32_t status = HED_OK;
  for (int k = 0; k < 3 && status == HED_OK; k++)
    status = prepare(call, views[k], call->compute, k > 0, &v[k], &spare[k]);
  if (status != HED_OK)
    goto end;

  job j = { .dtype = call->compute, .size = hed__id_size(call->compute) };
  j.c = matrix_of(&v[0]);
  j.a = matrix_of(&v[1]);
  j.b = matrix_of(&v[2]);
  j.batch_ndim = v[0].ndim - 2;
  int64_t batch = 1;
  for (int32_t k = 0; k < j.batch_ndim; k++) {
    j.batch_dim[k] = v[0].dim[k];
    batch *= v[0].dim[k];
    for (int i = 0; i < 3; i++)
      j.batch_stride[i][k] = v[i].dim[k] == 1 ? 0 : v[i].stride[k];
  }
  double flops = (double)j.c.rows * (double)j.c.cols * (double)j.a.cols;
  if (flops > 512)
    j.blas = cpu_blas_get(NULL);
  j.m_blocks = j.n_blocks = 1;
  if (j.blas && !j.blas->private) {
    /* OpenBLAS runs a product on the calling thread below 2^18 multiplications (its interface/gemm.c:
     * SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD): a process-wide setting is not touched. */
    double tile = CPU_MAX(0x1p18 / (double)CPU_MAX(j.a.cols, 1), 1);
    while ((double)((j.c.rows + j.m_blocks - 1) / j.m_blocks)
               * (double)((j.c.cols + j.n_blocks - 1) / j.n_blocks) >= tile
           && (j.m_blocks < j.c.rows || j.n_blocks < j.c.cols)) {
      if (j.c.rows / j.m_blocks >= j.c.cols / j.n_blocks)
        j.m_blocks *= 2;
      else
        j.n_blocks *= 2;
    }
  } else if (batch < call->max_threads && flops > 0x1p18) {
    /* One product for several threads: stripes along the longer side. */
    int64_t stripes = (call->max_threads + batch - 1) / batch;
    if (j.c.rows >= j.c.cols)
      j.m_blocks = CPU_MIN(stripes, CPU_MAX(j.c.rows / 16, 1));
    else
      j.n_blocks = CPU_MIN(stripes, CPU_MAX(j.c.cols / 16, 1));
  }
  cpu_parallel_items(call, batch * j.m_blocks * j.n_blocks, flops * (double)batch / 8, run_item, &j);
  if (spare[0]) {
    hed_call c = *call;
    const hed_view *in[1] = { &v[0] };
    c.n_in = c.n_out = 1;
    c.in = in;
    c.params = NULL;
    status = cpu_astype(NULL, &c);
  }
end:
  for (int k = 0; k < 3; k++)
    cpu_scratch_put(spare[k]);
  return status;
}
