// SPDX-License-Identifier: BSD-3-Clause
/*
 * matmul by BLAS and by loops of our own (gemm.h). L1.
 *
 * Row- and column-major operands are handed over with the transposition flag or by their strides instead of being copied.
 * BLAS itself runs on one thread (blas_load.h): the batch, or the rows or columns of one product, are shared between the
 * threads that were granted. Our own loops do integers and bool, what is too small for BLAS, batches of small matrices as
 * one piece, and the products of float32 and float64 in which they were measured to be ahead.
 */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/kernels/linalg/gemv.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/linalg/product.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { SMALL_BATCH = 65536, PIECES = 4, /* multiplications in a piece of a batch; pieces for each thread */
       PRODUCT = 100,                   /* what one more product of a batch costs, in multiplications */
       MANY_ROWS = 128,                 /* of a result, for which a copy of the other operand costs little */
       LONG_RUN = 24 << 10, FAR = 5 << 20 }; /* bytes of one matrix, and of all: from where on the operand is prefetched */

/* Where piece I of COUNT of N begins; pieces are whole tiles (gemm.c) where there are enough. */
static int64_t cut(int64_t n, int64_t i, int64_t count, int64_t tile)
{
  return n < 2 * count * tile ? n * i / count : i == count ? n : n / tile * i / count * tile;
}

static void run_item(void *arg, int64_t item)
{
  product *j = arg;
  matrix a = j->a, b = j->b, c = j->c;
  int64_t per = j->m_blocks * j->n_blocks, batch = item / per, piece = item % per, count = 1;
  int64_t step[3] = { 0, 0, 0 };
  for (int32_t k = j->batch_ndim - 1; k >= 0; k--) {
    int64_t dim = j->batch_dim[k], i;
    if (k == j->batch_ndim - 1) {
      const int64_t runs = (dim + j->run - 1) / j->run;
      i = batch % runs * j->run;
      batch /= runs;
      count = CPU_MIN(j->run, dim - i);
      for (int q = 0; q < 3; q++)
        step[q] = j->batch_stride[q][k];
    } else {
      i = batch % dim;
      batch /= dim;
    }
    c.data += i * j->batch_stride[0][k];
    a.data += i * j->batch_stride[1][k];
    b.data += i * j->batch_stride[2][k];
  }
  if (per > 1) {
    int64_t mi = piece / j->n_blocks, ni = piece % j->n_blocks;
    int64_t r0 = cut(c.rows, mi, j->m_blocks, 8), r1 = cut(c.rows, mi + 1, j->m_blocks, 8);
    int64_t c0 = cut(c.cols, ni, j->n_blocks, 192 / j->size), c1 = cut(c.cols, ni + 1, j->n_blocks, 192 / j->size);
    a = matrix_rows(&a, r0, r1 - r0);
    b = matrix_cols(&b, c0, c1 - c0);
    c = matrix_rows(&c, r0, r1 - r0);
    c = matrix_cols(&c, c0, c1 - c0);
    if (!c.rows || !c.cols)
      return;
  }
  cpu_product_some(j, &a, &b, &c, count, step);
}

/* Can the matrices along batch axis K be seen as more rows: b the same for all, a and c of whole rows after one another. */
static bool folds(const product *j, int32_t k)
{
  const matrix *x[2] = { &j->c, &j->a };
  for (int i = 0; i < 2; i++) {
    const int64_t step = j->batch_stride[i][k];
    if (x[i]->col_stride != j->size || step % j->size || step < x[i]->cols * j->size || step > INT_MAX
        || (x[i]->rows > 1 && step != x[i]->rows * x[i]->row_stride))
      return false;
  }
  return !j->conjugate && j->batch_stride[2][k] == 0 && j->c.rows > 0 && j->a.cols > 0
         && (double)j->c.rows * (double)j->batch_dim[k] < INT_MAX;
}

/* The batch: axes of extent 1 go, neighbours that are one axis for all three are joined, and an axis along which b is the
 * same matrix becomes rows of a and c. Returns the number of matrices. */
int64_t cpu_product_batch(product *j, const hed_view *v)
{
  int64_t batch = 1;
  int32_t n = 0;
  for (int32_t k = 0; k < v[0].ndim - 2; k++) {
    int64_t dim = v[0].dim[k], stride[3];
    bool joins = n > 0;
    batch *= dim;
    if (dim == 1)
      continue;
    for (int i = 0; i < 3; i++) {
      stride[i] = v[i].dim[k] == 1 ? 0 : v[i].stride[k];
      joins = joins && j->batch_stride[i][n - 1] == dim * stride[i];
    }
    if (joins)
      j->batch_dim[n - 1] *= dim;
    else
      j->batch_dim[n++] = dim;
    for (int i = 0; i < 3; i++)
      j->batch_stride[i][n - 1] = stride[i];
  }
  while (n > 0 && folds(j, n - 1)) {
    if (j->c.rows == 1) {
      j->c.row_stride = j->batch_stride[0][n - 1];
      j->a.row_stride = j->batch_stride[1][n - 1];
    }
    j->c.rows = j->a.rows = j->c.rows * j->batch_dim[n - 1];
    batch /= j->batch_dim[--n];
  }
  j->batch_ndim = n;
  return batch;
}

matrix cpu_product_matrix(const hed_view *v)
{
  return (matrix){ v->data, v->dim[v->ndim - 2], v->dim[v->ndim - 1], v->stride[v->ndim - 2],
                   v->stride[v->ndim - 1] };
}

/* ---- products side by side ---- */

static void run_across(void *arg, int64_t begin, int64_t end)
{
  const product *j = arg;
  const int64_t size = j->size;
  for (int64_t row = begin; row < end; row++) {
    int64_t batch = row / j->c.rows, i = row % j->c.rows;
    const char *a = j->a.data + i * j->a.row_stride, *b = j->b.data, *c = j->c.data + i * j->c.row_stride;
    const int32_t outer = j->batch_ndim - 1;
    int64_t at[HED_MAX_NDIM];
    hed__index_of(outer, j->batch_dim, batch, at);
    c += hed__offset_at(outer, at, j->batch_stride[0]);
    a += hed__offset_at(outer, at, j->batch_stride[1]);
    b += hed__offset_at(outer, at, j->batch_stride[2]);
    cpu_gemms[j->type].across(&(cpu_gemm){
      .m = 1, .n = j->c.cols, .k = j->a.cols, .count = j->batch_dim[j->batch_ndim - 1], .a = a, .b = b,
      .c_step = j->batch_stride[0][j->batch_ndim - 1] / size,
      .c = (void *)(uintptr_t)c, .a_col = j->a.col_stride / size, .b_row = j->b.row_stride / size,
      .b_col = j->b.col_stride / size, .c_col = j->c.col_stride / size });
  }
}

/* Products of which one's elements lie beside the next one's ("ijr,jr->ir"): BLAS would need copies. False when they are
 * others, or so large that copies pay. */
static bool side_by_side(const hed_call *call, product *j, int64_t batch)
{
  const int64_t n = j->batch_ndim, size = j->size;
  const matrix *x[3] = { &j->c, &j->a, &j->b };
  if (j->type < 0 || n == 0 || j->batch_dim[n - 1] < 4 || (j->c.rows > 8 && j->c.cols > 8))
    return false;
  for (int k = 0; k < 3; k++)
    if ((k ? j->batch_stride[k][n - 1] != size : j->batch_stride[k][n - 1] % size != 0) || x[k]->row_stride % size
        || x[k]->col_stride % size)
      return false;
  cpu_parallel_for(call, batch / j->batch_dim[n - 1] * j->c.rows, 1,
                   (double)batch * (double)j->c.rows * (double)j->c.cols * (double)j->a.cols / 4, run_across, j);
  return true;
}

/* Inner products and those side by side, of operands of the type and as they lie. */
static bool as_they_lie(const hed_call *call, product *j, const hed_view *const *v)
{
  const hed_view all[3] = { *v[0], *v[1], *v[2] };
  for (int k = 0; k < 3; k++)
    if (v[k]->dtype != j->dtype)
      return false;
  j->c = cpu_product_matrix(&all[0]);
  j->a = cpu_product_matrix(&all[1]);
  j->b = cpu_product_matrix(&all[2]);
  const int64_t batch = cpu_product_batch(j, all);
  return cpu_product_dots(call, j, batch) || side_by_side(call, j, batch);
}

int32_t cpu_product_copy(const hed_call *call, const hed_view *v, int dtype, bool read, hed_view *out, void **spare)
{
  *out = *v;
  *spare = NULL;
  int64_t n = 1;
  for (int32_t k = v->ndim - 1, size = hed__id_size(dtype); k >= 0; k--) {
    bool repeated = v->stride[k] == 0 && k < v->ndim - 2; /* batches stay repeated */
    out->dim[k] = repeated ? 1 : v->dim[k];
    out->stride[k] = n * size;
    n *= out->dim[k];
  }
  *spare = cpu_scratch_get((size_t)n * (size_t)hed__id_size(dtype));
  if (!*spare)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory to copy an operand of %lld elements",
                          call->op == HED_OP_VECDOT ? "vecdot" : "matmul", (long long)n);
  out->data = *spare;
  out->dtype = dtype;
  if (read) {
    hed_view from = *v;
    memcpy(from.dim, out->dim, sizeof from.dim);
    (void)cpu_convert(call, out, &from);
  }
  return HED_OK;
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
  const int64_t width = hed__id_size(dtype);
  if (v->dtype == dtype && cpu_blas_layout(&x, width, &trans, &ld))
    return HED_OK;
  if (v->dtype == dtype && read && cpu_product_type(dtype) >= 0 && dtype < HED_ID_FLOAT16 && x.row_stride % width == 0
      && x.col_stride % width == 0)
    return HED_OK;
  return cpu_product_copy(call, v, dtype, read, out, spare);
}

/* Pieces of each of BATCH products for several threads: one for each where it is packed, more where nothing is. */
static void share_out(product *j, product_way w, int64_t batch, int64_t threads)
{
  const int64_t m = j->c.rows, n = j->c.cols;
  const int64_t count = ((w == PRODUCT_SMALL ? PIECES * threads : threads) + batch - 1) / batch;
  if (w != PRODUCT_PACKED) { /* stripes along the longer side */
    if (m >= n)
      j->m_blocks = CPU_MIN(count, CPU_MAX(m / 16, 1));
    else
      j->n_blocks = CPU_MIN(count, CPU_MAX(n / 16, 1));
    return;
  }
  /* a piece packs its rows of a and its columns of b, which take longer */
  double least = INFINITY;
  for (int64_t down = 1; down <= count; down++) {
    const double lines = (double)m / (double)down + 1.5 * (double)n / (double)(count / down);
    if (count % down == 0 && lines < least && (down == 1 || m / down >= 16)) {
      least = lines;
      j->m_blocks = down;
      j->n_blocks = CPU_MIN(count / down, CPU_MAX(n / 16, 1));
    }
  }
}

int32_t cpu_product_planned(const hed_call *call)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  hed_view v[3];
  void *spare[3] = { NULL, NULL, NULL }, *rows = NULL;
  int32_t status = HED_OK;
  /* bytes are multiplied as pairs of bytes, whose lower one is the wrapped result */
  const int dtype = call->compute == HED_ID_INT8 ? HED_ID_INT16 : call->compute == HED_ID_UINT8 ? HED_ID_UINT16
                                                                                               : call->compute;
  if (dtype < HED_ID_FLOAT16 && views[0]->dtype != call->compute)
    return HED_E_UNSUPPORTED; /* the sum is wider than what is computed here */
  product lying = { .dtype = call->compute, .type = cpu_product_type(call->compute), .size = hed__id_size(call->compute) };
  const int32_t axes = views[0]->ndim;
  if ((axes > 2 || (axes == 2 && views[0]->dim[0] == 1 && views[0]->dim[1] == 1)) && as_they_lie(call, &lying, views))
    return HED_OK;
  for (int k = 0; k < 3 && status == HED_OK; k++)
    status = prepare(call, views[k], dtype, k > 0, &v[k], &spare[k]);
  if (status != HED_OK)
    goto end;

  product j = { .dtype = dtype, .type = cpu_product_type(dtype), .size = hed__id_size(dtype), .run = 1 };
  j.c = cpu_product_matrix(&v[0]);
  j.a = cpu_product_matrix(&v[1]);
  j.b = cpu_product_matrix(&v[2]);
  const int64_t batch = cpu_product_batch(&j, v);
  cpu_product_transpose(&j);
  const double flops = (double)j.c.rows * (double)j.c.cols * (double)j.a.cols;
  if (flops > 512 && dtype >= HED_ID_FLOAT16)
    j.blas = cpu_blas_get(NULL);
  product_way w = cpu_product_way(&j, &j.a, &j.b, &j.c);
  j.m_blocks = j.n_blocks = 1;
  if (batch == 1 && cpu_product_is_gram(call, &j)) {
    cpu_product_gram(call, &j);
    goto made;
  }
  if (batch == 1 && w == PRODUCT_BLAS && j.c.rows >= MANY_ROWS && (rows = cpu_product_by_rows(call, &j)))
    w = PRODUCT_SMALL;
  if (batch < PIECES * call->max_threads && flops > 0x1p18 && call->max_threads > 1)
    share_out(&j, w, batch, call->max_threads);
  const double bytes = (double)(j.b.rows * j.b.cols * j.size);
  j.far = j.batch_ndim > 0 && bytes >= LONG_RUN && bytes * (double)batch > FAR && j.batch_stride[2][j.batch_ndim - 1] != 0;
  int64_t items = batch;
  if (j.batch_ndim > 0 && j.m_blocks * j.n_blocks == 1 && flops < SMALL_BATCH / 2) {
    const int64_t last = j.batch_dim[j.batch_ndim - 1];
    j.run = CPU_MIN(last, (int64_t)(SMALL_BATCH / CPU_MAX(flops, 64)));
    items = batch / last * ((last + j.run - 1) / j.run);
  }
  cpu_parallel_items(call, items * j.m_blocks * j.n_blocks, (flops / 8 + PRODUCT) * (double)batch, run_item, &j);
made:
  if (j.no_memory) {
    status = cpu_host->fail(HED_E_NOMEM, "matmul: no memory to pack the operands");
    goto end;
  }
  if (spare[0])
    status = cpu_convert(call, call->out[0], &v[0]);
end:
  for (int k = 0; k < 3; k++)
    cpu_scratch_put(spare[k]);
  cpu_scratch_put(rows);
  return status;
}
