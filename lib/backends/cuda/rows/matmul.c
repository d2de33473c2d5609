// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the row of matrix products. L1. */
#include "backends/cuda/rows/rows.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"

/* How a matrix lies: its rows, or with TRANSPOSED its columns, side by side, LD elements apart. */
typedef struct lie {
  bool transposed, good;
  int64_t ld;
} lie;

static lie lie_of(const hed_view *v, int64_t size)
{
  const int32_t row = v->ndim - 2, column = v->ndim - 1;
  const int64_t rows = v->dim[row], columns = v->dim[column], down = v->stride[row], right = v->stride[column];
  if ((right == size || columns == 1) && (rows == 1 || (down % size == 0 && down / size >= columns)))
    return (lie){ false, true, rows == 1 ? columns : down / size };
  if ((down == size || rows == 1) && (columns == 1 || (right % size == 0 && right / size >= rows)))
    return (lie){ true, true, columns == 1 ? rows : right / size };
  return (lie){ 0 };
}

/* Strides of leading axes are whole elements, or the operand is copied. */
static bool steps_are_whole(const hed_view *v, int64_t size)
{
  bool yes = true;
  for (int32_t k = 0; k < v->ndim - 2; k++)
    yes = yes && v->stride[k] % size == 0;
  return yes;
}

static bool can_take(const hed_view *v, int32_t dtype, bool result)
{
  const int64_t size = hed__id_size(dtype);
  const lie l = lie_of(v, size);
  return v->dtype == dtype && l.good && !(result && l.transposed) && steps_are_whole(v, size);
}

/* The products of a batch: one call for the last of the leading axes, in turn for those before it. */
static int32_t multiply(dev_submit *q, int32_t dtype, bool tf32, const hed_view *v)
{
  cuda_device *d = q->device->dev;
  const int64_t size = hed__id_size(dtype);
  const int32_t lead = v[2].ndim - 2, batch = lead - 1;
  const lie a = lie_of(&v[0], size), b = lie_of(&v[1], size), c = lie_of(&v[2], size);
  cuda_gemm_spec s = { .dtype = dtype, .tf32 = tf32, .m = v[2].dim[lead], .n = v[2].dim[lead + 1], .k = v[0].dim[lead + 1], .batch = 1,
                       .transpose_a = a.transposed, .transpose_b = b.transposed, .lda = a.ld, .ldb = b.ld, .ldc = c.ld };
  int64_t at[HED_MAX_NDIM] = { 0 };
  if (lead > 0) {
    s.batch = v[2].dim[batch];
    s.stride_a = v[0].stride[batch] / size;
    s.stride_b = v[1].stride[batch] / size;
    s.stride_c = v[2].stride[batch] / size;
  }
  for (;;) {
    char *data[3];
    int32_t k;
    for (int32_t j = 0; j < 3; j++) {
      data[j] = v[j].data;
      for (k = 0; k < batch; k++)
        data[j] += at[k] * v[j].stride[k];
    }
    s.a = data[0];
    s.b = data[1];
    s.c = data[2];
    q->begun = true;
    const int32_t status = cuda_gemm(d, q->stream->native, &s);
    if (status != HED_OK)
      return status;
    for (k = batch - 1; k >= 0 && ++at[k] == v[2].dim[k]; k--)
      at[k] = 0;
    if (k < 0)
      return HED_OK;
  }
}

int32_t cuda_matmul(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *view[3] = { c->in[0], c->in[1], c->out[0] };
  cuda_operand o[3];
  hed_view lies[3]; /* as cuBLAS sees them; those of O stay as they were when the copies were prepared */
  dev_submit q;
  size_t scratch = 0;
  void *memory = NULL;
  int32_t status = HED_OK;
  /* half precision is computed in float32, and kept where all three have it */
  const bool half = c->out[0]->dtype == HED_ID_FLOAT16 || c->out[0]->dtype == HED_ID_BFLOAT16;
  const bool halves = half && c->in[0]->dtype == c->out[0]->dtype && c->in[1]->dtype == c->out[0]->dtype;
  const int32_t dtype = halves ? c->out[0]->dtype : c->compute;
  const hed_matmul_params *allowed = c->params;
  const bool tf32 = allowed && allowed->tf32 && (dtype == HED_ID_FLOAT32 || dtype == HED_ID_COMPLEX64);
  bool empty = (!cuda_cublas_get() && !cuda_cublaslt_get()) ||
               (dtype != HED_ID_FLOAT32 && dtype != HED_ID_FLOAT64 && dtype != HED_ID_COMPLEX64 &&
                                           dtype != HED_ID_COMPLEX128 && !halves);
  for (int32_t k = 0; k < 3; k++)
    for (int32_t j = 0; j < view[k]->ndim; j++)
      empty = empty || view[k]->dim[j] == 0;
  if (empty)
    return HED_E_UNSUPPORTED;
  for (int32_t k = 0; k < 3 && status == HED_OK; k++)
    status = cuda_operand_make(d, &o[k], view[k], NULL, dtype, k == 2, k < 2 && c->host_in >> k & 1,
                               can_take(view[k], dtype, k == 2), &scratch);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (scratch)
    status = dev_submit_scratch(&q, scratch, &memory);
  for (int32_t k = 0; k < 3 && status == HED_OK; k++) {
    lies[k] = o[k].staged ? o[k].dense : o[k].view;
    lies[k].data = cuda_operand_data(&o[k], memory);
    if (k < 2)
      status = cuda_operand_load(&q, &o[k], memory);
  }
  if (status == HED_OK && !q.skip)
    status = multiply(&q, dtype, tf32, lies);
  if (status == HED_OK)
    status = cuda_operand_store(&q, &o[2], memory);
  return dev_submit_end(&q, dev_status(d, status), c->ticket);
}
