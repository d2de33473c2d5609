// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuBLASLt. One algorithm, which needs the alignment that was promised; no half precision. */
#include "product.h"
#include <stdlib.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
CUDA_CUBLASLT(DECLARE)

enum { INVALID_VALUE = 7, INTERNAL_ERROR = 14, MARK = 0x6c74, WORK = 4096 };
#define BLAS_CALL() LIBRARY_CALL(NV_CUBLAS_STATUS_ALLOC_FAILED, INTERNAL_ERROR)

struct cublasLtContext {
  int unused;
};

typedef struct desc {
  unsigned compute, scale;
  int32_t transpose[2];
} desc;

typedef struct layout {
  unsigned type;
  uint64_t rows, columns;
  int64_t ld, stride;
  int32_t batch;
} layout;

typedef struct preference {
  uint64_t work;
  uint32_t alignment[4];
} preference;

#define MAKE(out, ...) \
  BLAS_CALL(); \
  *(out) = malloc(sizeof(__VA_ARGS__)); \
  if (!*(out)) \
    return NV_CUBLAS_STATUS_ALLOC_FAILED; \
  memcpy(*(out), &__VA_ARGS__, sizeof(__VA_ARGS__)); \
  return 0

unsigned cublasLtCreate(cublasLtHandle_t *handle) { MAKE(handle, (struct cublasLtContext){ 0 }); }
unsigned cublasLtMatmulDescCreate(void **out, unsigned compute, unsigned scale) { MAKE(out, (desc){ compute, scale, { 0 } }); }
unsigned cublasLtMatmulPreferenceCreate(void **out) { MAKE(out, (preference){ 0, { 256, 256, 256, 256 } }); }
unsigned cublasLtMatrixLayoutCreate(void **out, unsigned type, uint64_t rows, uint64_t columns, int64_t ld)
{
  MAKE(out, (layout){ type, rows, columns, ld, 0, 1 });
}

static unsigned destroy(void *p)
{
  free(p);
  return 0;
}
unsigned cublasLtDestroy(cublasLtHandle_t handle) { return destroy(handle); }
unsigned cublasLtMatmulDescDestroy(void *d) { return destroy(d); }
unsigned cublasLtMatmulPreferenceDestroy(void *p) { return destroy(p); }
unsigned cublasLtMatrixLayoutDestroy(void *l) { return destroy(l); }

static unsigned set(void *to, size_t size, const void *value, size_t bytes)
{
  BLAS_CALL();
  if (!to || bytes != size)
    return INVALID_VALUE;
  memcpy(to, value, size);
  return 0;
}

unsigned cublasLtMatmulDescSetAttribute(void *d, unsigned attribute, const void *value, size_t bytes)
{
  const bool known = attribute == NV_CUBLASLT_MATMUL_DESC_TRANSA || attribute == NV_CUBLASLT_MATMUL_DESC_TRANSB;
  return set(known ? &((desc *)d)->transpose[attribute - NV_CUBLASLT_MATMUL_DESC_TRANSA] : NULL, sizeof(int32_t), value, bytes);
}

unsigned cublasLtMatrixLayoutSetAttribute(void *l, unsigned attribute, const void *value, size_t bytes)
{
  layout *to = l;
  if (attribute == NV_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    return set(&to->batch, sizeof to->batch, value, bytes);
  return set(attribute == NV_CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET ? &to->stride : NULL, sizeof to->stride, value, bytes);
}

unsigned cublasLtMatmulPreferenceSetAttribute(void *p, unsigned attribute, const void *value, size_t bytes)
{
  preference *to = p;
  const unsigned at = attribute - NV_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
  if (attribute == NV_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(&to->work, sizeof to->work, value, bytes);
  return set(at < 4 ? &to->alignment[at] : NULL, sizeof(uint32_t), value, bytes);
}

unsigned cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, void *d, void *a, void *b, void *c, void *to, void *p, int most,
                                        cuda_algorithm *result, int *n)
{
  const preference *wish = p;
  BLAS_CALL();
  if (!handle || !d || !a || !b || !c || !to || most < 1)
    return INVALID_VALUE;
  *result = (cuda_algorithm){ .algorithm = { MARK, wish->alignment[0], wish->alignment[1], wish->alignment[2],
                                             wish->alignment[3] },
                              .work_bytes = WORK };
  *n = wish->work >= WORK;
  return 0;
}

unsigned cublasLtMatmul(cublasLtHandle_t handle, void *what, const void *alpha, const void *a, void *layout_a, const void *b,
                        void *layout_b, const void *beta, const void *c, void *layout_c, void *to, void *layout_d,
                        const uint64_t algorithm[8], void *work, size_t bytes, CUstream stream)
{
  const desc *d = what;
  const layout *la = layout_a, *lb = layout_b, *lc = layout_d;
  const bool ta = d->transpose[0], tb = d->transpose[1], wide = lc->type == NV_CUDA_R_64F || lc->type == NV_CUDA_C_64F;
  const bool known = lc->type == NV_CUDA_R_32F || lc->type == NV_CUDA_C_32F || wide;
  const int64_t m = (int64_t)lc->rows, n = (int64_t)lc->columns, k = (int64_t)(ta ? la->rows : la->columns);
  const double one = wide ? *(const double *)alpha : (double)*(const float *)alpha;
  const double zero = wide ? *(const double *)beta : (double)*(const float *)beta;
  const void *const data[] = { a, b, c, to };
  BLAS_CALL();
  if (!known || la->type != lc->type || lb->type != lc->type || d->scale != lc->type || !computes(d->compute, wide))
    return NV_CUBLAS_STATUS_NOT_SUPPORTED;
  for (int i = 0; i < 4; i++)
    if ((uintptr_t)data[i] % algorithm[1 + i] != 0)
      return INVALID_VALUE;
  if (!handle || algorithm[0] != MARK || !work || bytes < WORK || c != to || layout_c != layout_d || one != 1 || zero != 0 ||
      (int64_t)(ta ? la->columns : la->rows) != m || (int64_t)(tb ? lb->rows : lb->columns) != n ||
      (int64_t)(tb ? lb->columns : lb->rows) != k || la->batch != lc->batch || lb->batch != lc->batch)
    return INVALID_VALUE;
  const product j = { shim_context_of(stream), ta, tb, m, n, k, la->ld, lb->ld, lc->ld, lc->batch, la->stride, lb->stride, lc->stride,
                      (CUdeviceptr)(uintptr_t)a, (CUdeviceptr)(uintptr_t)b, (CUdeviceptr)(uintptr_t)to, lc->type,
                      d->compute == NV_CUBLAS_COMPUTE_32F_FAST_TF32 };
  return shim_submit(stream, run_product, &j, sizeof j) ? INTERNAL_ERROR : 0;
}
