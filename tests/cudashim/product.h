// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: products of matrices as loops over columns: slow, and obviously right. For cuBLAS and cuBLASLt. */
#ifndef HED_TESTS_CUDASHIM_PRODUCT_H
#define HED_TESTS_CUDASHIM_PRODUCT_H

#include "shim.h"
#include <complex.h>
#include <string.h>

typedef struct product {
  CUcontext context;
  unsigned transpose_a, transpose_b;
  int64_t m, n, k, lda, ldb, ldc, batch;
  long long stride_a, stride_b, stride_c;
  CUdeviceptr a, b, c;
  unsigned type;
  bool tf32;                   /* factors are rounded to 11 bits */
} product;

static float rounded(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define AS_IS(x) (x)
#define REAL_ROUND(x) (j->tf32 ? rounded(x) : (x))
#define COMPLEX_ROUND(x) (j->tf32 ? rounded(crealf(x)) + rounded(cimagf(x)) * I : (x))
#define PRODUCT(T, ROUND) \
  do { \
    const T *a = (const T *)pa + z * j->stride_a, *b = (const T *)pb + z * j->stride_b; \
    T *c = (T *)pc + z * j->stride_c; \
    for (int64_t y = 0; y < j->n; y++) \
      for (int64_t x = 0; x < j->m; x++) { \
        T sum = 0; \
        for (int64_t l = 0; l < j->k; l++) \
          sum += ROUND(a[j->transpose_a ? l + x * j->lda : x + l * j->lda]) * \
                 ROUND(b[j->transpose_b ? y + l * j->ldb : l + y * j->ldb]); \
        c[x + y * j->ldc] = sum; \
      } \
  } while (0)

/* Bytes from the first element that is used to the last. */
static size_t extent(int64_t rows, int64_t columns, int64_t ld, long long stride, int64_t batch, size_t size)
{
  return ((size_t)(rows + (columns - 1) * ld) + (size_t)stride * (size_t)(batch - 1)) * size;
}

static unsigned run_product(void *arg)
{
  const product *j = arg;
  const size_t size = j->type == NV_CUDA_R_32F ? 4 : j->type == NV_CUDA_C_64F ? 16 : 8;
  const bool ta = j->transpose_a, tb = j->transpose_b;
  const void *pa = shim_memory(j->context, j->a, extent(ta ? j->k : j->m, ta ? j->m : j->k, j->lda, j->stride_a, j->batch, size));
  const void *pb = shim_memory(j->context, j->b, extent(tb ? j->n : j->k, tb ? j->k : j->n, j->ldb, j->stride_b, j->batch, size));
  void *pc = shim_memory(j->context, j->c, extent(j->m, j->n, j->ldc, j->stride_c, j->batch, size));
  if (!pa || !pb || !pc)
    return NV_CUDA_ERROR_ILLEGAL_ADDRESS;
  for (int64_t z = 0; z < j->batch; z++)
    switch (j->type) {
    case NV_CUDA_R_32F: PRODUCT(float, REAL_ROUND); break;
    case NV_CUDA_R_64F: PRODUCT(double, AS_IS); break;
    case NV_CUDA_C_32F: PRODUCT(float complex, COMPLEX_ROUND); break;
    default: PRODUCT(double complex, AS_IS); break;
    }
  return 0;
}

static bool computes(unsigned compute, bool wide)
{
  return wide ? compute == NV_CUBLAS_COMPUTE_64F
              : compute == NV_CUBLAS_COMPUTE_32F || compute == NV_CUBLAS_COMPUTE_32F_FAST_TF32;
}

#endif
