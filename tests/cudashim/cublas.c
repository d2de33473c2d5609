// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuBLAS, as loops over columns: slow, and obviously right. */
#include "shim.h"
#include <complex.h>
#include <stdlib.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
HED__CUDA_CUBLAS(DECLARE)

struct cublasContext {
  CUstream stream;
  void *work;
};

unsigned cublasCreate_v2(cublasHandle_t *handle)
{
  *handle = calloc(1, sizeof **handle);
  return *handle ? 0 : HED__CUBLAS_STATUS_ALLOC_FAILED;
}

unsigned cublasDestroy_v2(cublasHandle_t handle)
{
  free(handle);
  return 0;
}

unsigned cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
  (void)handle;
  *version = 130000;
  return 0;
}

unsigned cublasSetStream_v2(cublasHandle_t handle, CUstream stream)
{
  handle->stream = stream;
  return 0;
}

unsigned cublasSetWorkspace_v2(cublasHandle_t handle, void *work, size_t bytes)
{
  (void)bytes;
  handle->work = work;
  return 0;
}

typedef struct job {
  CUcontext context;
  unsigned transpose_a, transpose_b;
  int64_t m, n, k, lda, ldb, ldc, batch;
  long long stride_a, stride_b, stride_c;
  CUdeviceptr a, b, c;
  unsigned type;
} job;

#define PRODUCT(T) \
  do { \
    const T *a = (const T *)pa + z * j->stride_a, *b = (const T *)pb + z * j->stride_b; \
    T *c = (T *)pc + z * j->stride_c; \
    for (int64_t y = 0; y < j->n; y++) \
      for (int64_t x = 0; x < j->m; x++) { \
        T sum = 0; \
        for (int64_t l = 0; l < j->k; l++) \
          sum += (j->transpose_a ? a[l + x * j->lda] : a[x + l * j->lda]) * (j->transpose_b ? b[y + l * j->ldb] : b[l + y * j->ldb]); \
        c[x + y * j->ldc] = sum; \
      } \
  } while (0)

/* Bytes from the first element that is used to the last. */
static size_t extent(int64_t rows, int64_t columns, int64_t ld, long long stride, int64_t batch, size_t size)
{
  return ((size_t)(rows + (columns - 1) * ld) + (size_t)stride * (size_t)(batch - 1)) * size;
}

static unsigned run(void *arg)
{
  const job *j = arg;
  const size_t size = j->type == HED__CUDA_R_32F ? 4 : j->type == HED__CUDA_C_64F ? 16 : 8;
  const bool ta = j->transpose_a, tb = j->transpose_b;
  const void *pa = shim_memory(j->context, j->a, extent(ta ? j->k : j->m, ta ? j->m : j->k, j->lda, j->stride_a, j->batch, size));
  const void *pb = shim_memory(j->context, j->b, extent(tb ? j->n : j->k, tb ? j->k : j->n, j->ldb, j->stride_b, j->batch, size));
  void *pc = shim_memory(j->context, j->c, extent(j->m, j->n, j->ldc, j->stride_c, j->batch, size));
  if (!pa || !pb || !pc)
    return HED__CUDA_ERROR_ILLEGAL_ADDRESS;
  for (int64_t z = 0; z < j->batch; z++)
    switch (j->type) {
    case HED__CUDA_R_32F: PRODUCT(float); break;
    case HED__CUDA_R_64F: PRODUCT(double); break;
    case HED__CUDA_C_32F: PRODUCT(float complex); break;
    default: PRODUCT(double complex); break;
    }
  return 0;
}

/* alpha is 1 and beta is 0, which is all that is asked for here. No half precision. */
unsigned cublasGemmStridedBatchedEx_64(cublasHandle_t handle, unsigned transpose_a, unsigned transpose_b, int64_t m, int64_t n,
                                       int64_t k, const void *alpha, const void *a, unsigned type_a, int64_t lda, long long stride_a,
                                       const void *b, unsigned type_b, int64_t ldb, long long stride_b, const void *beta, void *c,
                                       unsigned type_c, int64_t ldc, long long stride_c, int64_t batch, unsigned compute,
                                       int algorithm)
{
  const bool wide = type_c == HED__CUDA_R_64F || type_c == HED__CUDA_C_64F;
  const bool known = type_c == HED__CUDA_R_32F || type_c == HED__CUDA_C_32F || wide;
  const double one = wide ? *(const double *)alpha : (double)*(const float *)alpha;
  const double zero = wide ? *(const double *)beta : (double)*(const float *)beta;
  (void)algorithm;
  if (!known || type_a != type_c || type_b != type_c || compute != (wide ? HED__CUBLAS_COMPUTE_64F : HED__CUBLAS_COMPUTE_32F))
    return 15; /* CUBLAS_STATUS_NOT_SUPPORTED */
  if (one != 1 || zero != 0 || m < 1 || n < 1 || k < 1 || batch < 1 || ldc < m || lda < (transpose_a ? k : m) ||
      ldb < (transpose_b ? n : k))
    return 7; /* CUBLAS_STATUS_INVALID_VALUE */
  const job j = { shim_context_of(handle->stream), transpose_a, transpose_b, m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c,
                  (CUdeviceptr)(uintptr_t)a, (CUdeviceptr)(uintptr_t)b, (CUdeviceptr)(uintptr_t)c, type_c };
  return shim_submit(handle->stream, run, &j, sizeof j) ? 14 : 0; /* CUBLAS_STATUS_INTERNAL_ERROR */
}
