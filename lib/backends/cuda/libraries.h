// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what is used of cuFFT and cuBLAS; see abi.h. L1. */
#ifndef HED_BACKENDS_CUDA_LIBRARIES_H
#define HED_BACKENDS_CUDA_LIBRARIES_H

#include "backends/cuda/abi.h"

typedef int cufftHandle;
typedef struct cublasContext *cublasHandle_t;

#define HED__CUDA_LIBRARY_VALUES(V) \
  V(CUFFT_SUCCESS, 0) V(CUFFT_ALLOC_FAILED, 2) V(CUFFT_C2C, 0x29) V(CUFFT_R2C, 0x2a) V(CUFFT_C2R, 0x2c) \
  V(CUFFT_Z2Z, 0x69) V(CUFFT_D2Z, 0x6a) V(CUFFT_Z2D, 0x6c) V(CUFFT_FORWARD, -1) V(CUFFT_INVERSE, 1) \
  V(CUBLAS_STATUS_SUCCESS, 0) V(CUBLAS_STATUS_ALLOC_FAILED, 3) V(CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  V(CUBLAS_OP_N, 0) V(CUBLAS_OP_T, 1) \
  V(CUBLAS_DEFAULT_MATH, 0) V(CUBLAS_COMPUTE_32F, 68) V(CUBLAS_COMPUTE_64F, 70) V(CUBLAS_GEMM_DEFAULT, -1) \
  V(CUDA_R_16F, 2) V(CUDA_R_16BF, 14) V(CUDA_R_32F, 0) V(CUDA_R_64F, 1) V(CUDA_C_32F, 4) V(CUDA_C_64F, 5)

enum {
#define HED__CUDA_VALUE(name, value) HED__##name = value,
  HED__CUDA_LIBRARY_VALUES(HED__CUDA_VALUE)
#undef HED__CUDA_VALUE
};

/* The vendor's arguments are complex and real types where void is here. */
#define HED__CUDA_CUFFT_RUN(F) \
  F(cufftExecC2C, (cufftHandle plan, void *in, void *out, int direction)) \
  F(cufftExecZ2Z, (cufftHandle plan, void *in, void *out, int direction)) \
  F(cufftExecR2C, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecD2Z, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecC2R, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecZ2D, (cufftHandle plan, void *in, void *out))

#define HED__CUDA_CUFFT(F) \
  F(cufftGetVersion, (int *version)) \
  F(cufftCreate, (cufftHandle *plan)) \
  F(cufftDestroy, (cufftHandle plan)) \
  F(cufftSetAutoAllocation, (cufftHandle plan, int yes)) \
  F(cufftMakePlanMany64, (cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride, \
                          long long in_distance, long long *out_embed, long long out_stride, long long out_distance, \
                          unsigned type, long long batch, size_t *work)) \
  F(cufftSetWorkArea, (cufftHandle plan, void *work)) \
  F(cufftSetStream, (cufftHandle plan, CUstream stream))

#define HED__CUDA_CUBLAS(F) \
  F(cublasCreate_v2, (cublasHandle_t *handle)) \
  F(cublasDestroy_v2, (cublasHandle_t handle)) \
  F(cublasGetVersion_v2, (cublasHandle_t handle, int *version)) \
  F(cublasSetStream_v2, (cublasHandle_t handle, CUstream stream)) \
  F(cublasSetWorkspace_v2, (cublasHandle_t handle, void *work, size_t bytes)) \
  F(cublasGemmStridedBatchedEx_64, (cublasHandle_t handle, unsigned transpose_a, unsigned transpose_b, int64_t m, int64_t n, \
                                    int64_t k, const void *alpha, const void *a, unsigned type_a, int64_t lda, \
                                    long long stride_a, const void *b, unsigned type_b, int64_t ldb, long long stride_b, \
                                    const void *beta, void *c, unsigned type_c, int64_t ldc, long long stride_c, \
                                    int64_t batch, unsigned compute, int algorithm))

typedef struct hed__cuda_cufft {
  HED__CUDA_CUFFT(HED__CUDA_MEMBER)
  HED__CUDA_CUFFT_RUN(HED__CUDA_MEMBER)
} hed__cuda_cufft;

typedef struct hed__cuda_cublas {
  HED__CUDA_CUBLAS(HED__CUDA_MEMBER)
} hed__cuda_cublas;

#endif
