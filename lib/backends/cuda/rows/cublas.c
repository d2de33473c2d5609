// SPDX-License-Identifier: BSD-3-Clause
/* cuda: matrix products by cuBLAS. L1.
 *
 * A handle serves one stream, with a work space of fixed size, so that equal products give equal bits. float32 is computed in
 * float32; where the context allows TF32 the product is cuBLASLt's, if that is there.
 */
#include "backends/cuda/port/handles.h"

enum { WORK_BYTES = 32 << 20 };

typedef struct blas_handle {
  cuda_handle of;
  cublasHandle_t handle;
  void *work;
} blas_handle;

static int32_t status_of(const cuda_device *d, unsigned error, const char *what)
{
  return cuda_blas_status(d, error, "cuBLAS", what);
}

static void drop(cuda_device *d, void *handle)
{
  const blas_handle *b = handle;
  if (b->handle)
    (void)cuda_cublas_get()->cublasDestroy_v2(b->handle);
  cuda_free(d, b->work);
}

static int32_t make(cuda_device *d, void *handle)
{
  const cuda_cublas *blas = cuda_cublas_get();
  blas_handle *b = handle;
  int32_t status = status_of(d, blas->cublasCreate_v2(&b->handle), "cublasCreate");
  if (status == HED_OK)
    status = cuda_alloc(d, WORK_BYTES, &b->work);
  if (status == HED_OK)
    status = status_of(d, blas->cublasSetStream_v2(b->handle, b->of.stream), "cublasSetStream");
  if (status == HED_OK)
    status = status_of(d, blas->cublasSetWorkspace_v2(b->handle, b->work, WORK_BYTES), "cublasSetWorkspace");
  return status;
}

int32_t cuda_blas_handle(cuda_device *d, cuda_stream *stream, cublasHandle_t *out)
{
  int32_t status;
  const blas_handle *b = cuda_handle_of(d, &stream->blas, stream, sizeof *b, "cuBLAS", make, drop, &status);
  *out = b ? b->handle : NULL;
  return status;
}

/* Rows of ours are cuBLAS' columns, so C^T = B^T A^T is what it is asked for. */
int32_t cuda_gemm(void *dev, void *stream, const cuda_gemm_spec *s)
{
  cuda_device *d = dev;
  const cuda_cublas *blas = cuda_cublas_get();
  const bool wide = s->dtype == HED_ID_FLOAT64 || s->dtype == HED_ID_COMPLEX128;
  const unsigned compute = wide ? NV_CUBLAS_COMPUTE_64F : s->tf32 ? NV_CUBLAS_COMPUTE_32F_FAST_TF32 : NV_CUBLAS_COMPUTE_32F;
  const int type = cuda_type(s->dtype);
  cublasHandle_t handle;
  bool pushed;
  if (type < 0)
    return HED_E_UNSUPPORTED;
  int32_t status = s->tf32 || !blas ? cuda_lt_gemm(dev, stream, s) : HED_E_UNSUPPORTED;
  if (status != HED_E_UNSUPPORTED || !blas)
    return status;
  status = cuda_enter(d, &pushed);
  if (status != HED_OK)
    return status;
  status = cuda_blas_handle(d, stream, &handle);
  CUevent begun = status == HED_OK ? cuda_time_begin(d, stream) : NULL;
  if (status == HED_OK)
    status = status_of(d, blas->cublasGemmStridedBatchedEx_64(
      handle, s->transpose_b ? NV_CUBLAS_OP_T : NV_CUBLAS_OP_N, s->transpose_a ? NV_CUBLAS_OP_T : NV_CUBLAS_OP_N,
      s->n, s->m, s->k, cuda_constant(true, wide), s->b, (unsigned)type, s->ldb, s->stride_b, s->a, (unsigned)type, s->lda,
      s->stride_a, cuda_constant(false, wide), s->c, (unsigned)type, s->ldc, s->stride_c, s->batch,
      compute, NV_CUBLAS_GEMM_DEFAULT), "a product");
  cuda_time_end(d, stream, begun, "cublasGemmStridedBatchedEx");
  cuda_leave(d, pushed);
  return status;
}
