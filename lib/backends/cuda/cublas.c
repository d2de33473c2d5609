// SPDX-License-Identifier: BSD-3-Clause
/* cuda: matrix products by cuBLAS. L1.
 *
 * A handle serves one stream, with a work space of fixed size, so that equal products give equal bits. float32 is computed in
 * float32; where the context allows TF32 the product is cuBLASLt's, if that is there.
 */
#include "backends/cuda/cuda.h"

enum { WORK_BYTES = 32 << 20 };

/* A stream's handle. Streams are used by one thread at a time, so the list alone needs the lock. */
struct hed__cuda_blas {
  hed__cuda_blas *next;
  CUstream stream;
  cublasHandle_t handle;
  void *work;
};

static int32_t status_of(const hed__cuda_device *d, unsigned error, const char *what)
{
  if (error == HED__CUBLAS_STATUS_SUCCESS)
    return HED_OK;
  if (error == HED__CUBLAS_STATUS_NOT_SUPPORTED)
    return HED_E_UNSUPPORTED;
  return d->host->fail(error == HED__CUBLAS_STATUS_ALLOC_FAILED ? HED_E_DEVMEM : HED_E_ASYNC, "cuda:%d: %s: cuBLAS' status %u",
                       (int)d->index, what, error);
}

static int32_t make(hed__cuda_device *d, const hed__cuda_cublas *blas, hed__cuda_blas *b)
{
  int32_t status = status_of(d, blas->cublasCreate_v2(&b->handle), "cublasCreate");
  if (status == HED_OK)
    status = hed__cuda_alloc(d, WORK_BYTES, &b->work);
  if (status == HED_OK)
    status = status_of(d, blas->cublasSetStream_v2(b->handle, b->stream), "cublasSetStream");
  if (status == HED_OK)
    status = status_of(d, blas->cublasSetWorkspace_v2(b->handle, b->work, WORK_BYTES), "cublasSetWorkspace");
  if (status != HED_OK) {
    if (b->handle)
      (void)blas->cublasDestroy_v2(b->handle);
    hed__cuda_free(d, b->work);
  }
  return status;
}

/* STREAM's, made when it is first asked for. The device's context is current. */
static int32_t handle_of(hed__cuda_device *d, const hed__cuda_cublas *blas, CUstream stream, hed__cuda_blas **out)
{
  pthread_mutex_lock(&d->lock);
  hed__cuda_blas *b = d->blas;
  pthread_mutex_unlock(&d->lock);
  while (b && b->stream != stream)
    b = b->next;
  *out = b;
  if (b)
    return HED_OK;
  b = d->host->alloc(sizeof *b, 0);
  if (!b)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a handle of cuBLAS", (int)d->index);
  *b = (hed__cuda_blas){ .stream = stream };
  int32_t status = make(d, blas, b);
  if (status != HED_OK) {
    d->host->free(b);
    return status;
  }
  pthread_mutex_lock(&d->lock);
  b->next = d->blas;
  d->blas = b;
  pthread_mutex_unlock(&d->lock);
  *out = b;
  return HED_OK;
}

int32_t hed__cuda_blas_handle(hed__cuda_device *d, CUstream stream, cublasHandle_t *out)
{
  hed__cuda_blas *b = NULL;
  const int32_t status = handle_of(d, hed__cuda_cublas_get(), stream, &b);
  *out = b ? b->handle : NULL;
  return status;
}

/* How cuBLAS calls DTYPE; -1: it has no product of it that we use. */
static int type_of(int32_t dtype)
{
  switch (dtype) {
  case HED_ID_FLOAT16: return HED__CUDA_R_16F;
  case HED_ID_BFLOAT16: return HED__CUDA_R_16BF;
  case HED_ID_FLOAT32: return HED__CUDA_R_32F;
  case HED_ID_FLOAT64: return HED__CUDA_R_64F;
  case HED_ID_COMPLEX64: return HED__CUDA_C_32F;
  case HED_ID_COMPLEX128: return HED__CUDA_C_64F;
  default: return -1;
  }
}

/* Rows of ours are cuBLAS' columns, so C^T = B^T A^T is what it is asked for. */
int32_t hed__cuda_gemm(void *dev, void *stream, const hed__gemm_spec *s)
{
  hed__cuda_device *d = dev;
  const hed__cuda_cublas *blas = hed__cuda_cublas_get();
  static const float one_f[2] = { 1, 0 }, zero_f[2] = { 0, 0 };
  static const double one_d[2] = { 1, 0 }, zero_d[2] = { 0, 0 };
  const bool wide = s->dtype == HED_ID_FLOAT64 || s->dtype == HED_ID_COMPLEX128;
  const unsigned compute = wide ? HED__CUBLAS_COMPUTE_64F : s->tf32 ? HED__CUBLAS_COMPUTE_32F_FAST_TF32 : HED__CUBLAS_COMPUTE_32F;
  const int type = type_of(s->dtype);
  hed__cuda_blas *b;
  bool pushed;
  if (type < 0)
    return HED_E_UNSUPPORTED;
  int32_t status = s->tf32 || !blas ? hed__cuda_lt_gemm(dev, stream, s) : HED_E_UNSUPPORTED;
  if (status != HED_E_UNSUPPORTED || !blas)
    return status;
  status = hed__cuda_enter(d, &pushed);
  if (status != HED_OK)
    return status;
  status = handle_of(d, blas, stream, &b);
  if (status == HED_OK)
    status = status_of(d, blas->cublasGemmStridedBatchedEx_64(
      b->handle, s->transpose_b ? HED__CUBLAS_OP_T : HED__CUBLAS_OP_N, s->transpose_a ? HED__CUBLAS_OP_T : HED__CUBLAS_OP_N,
      s->n, s->m, s->k, wide ? (const void *)one_d : one_f, s->b, (unsigned)type, s->ldb, s->stride_b, s->a, (unsigned)type, s->lda,
      s->stride_a, wide ? (const void *)zero_d : zero_f, s->c, (unsigned)type, s->ldc, s->stride_c, s->batch,
      compute, HED__CUBLAS_GEMM_DEFAULT), "a product");
  hed__cuda_leave(d, pushed);
  return status;
}
