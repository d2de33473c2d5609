// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what is used of cuFFT, cuBLAS, cuBLASLt and cuSOLVER; see abi.h. L1. */
#ifndef HED_BACKENDS_CUDA_LIBRARIES_H
#define HED_BACKENDS_CUDA_LIBRARIES_H

#include "backends/cuda/port/abi.h"

typedef int cufftHandle;
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;

#define CUDA_LIBRARY_VALUES(V) \
  V(CUFFT_SUCCESS, 0) V(CUFFT_ALLOC_FAILED, 2) V(CUFFT_C2C, 0x29) V(CUFFT_R2C, 0x2a) V(CUFFT_C2R, 0x2c) \
  V(CUFFT_Z2Z, 0x69) V(CUFFT_D2Z, 0x6a) V(CUFFT_Z2D, 0x6c) V(CUFFT_FORWARD, -1) V(CUFFT_INVERSE, 1) \
  V(CUBLAS_STATUS_SUCCESS, 0) V(CUBLAS_STATUS_ALLOC_FAILED, 3) V(CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  V(CUBLAS_OP_N, 0) V(CUBLAS_OP_T, 1) V(CUBLAS_OP_C, 2) V(CUBLAS_SIDE_LEFT, 0) V(CUBLAS_DIAG_NON_UNIT, 0) V(CUBLAS_DIAG_UNIT, 1) \
  V(CUBLAS_COMPUTE_32F, 68) V(CUBLAS_COMPUTE_64F, 70) V(CUBLAS_COMPUTE_32F_FAST_TF32, 77) V(CUBLAS_GEMM_DEFAULT, -1) \
  V(CUDA_R_16F, 2) V(CUDA_R_16BF, 14) V(CUDA_R_32F, 0) V(CUDA_R_64F, 1) V(CUDA_C_32F, 4) V(CUDA_C_64F, 5) \
  V(CUBLASLT_MATMUL_DESC_TRANSA, 3) V(CUBLASLT_MATMUL_DESC_TRANSB, 4) V(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5) \
  V(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6) V(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1) \
  V(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) V(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6) \
  V(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7) V(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8) \
  V(CUBLAS_FILL_MODE_LOWER, 0) V(CUBLAS_FILL_MODE_UPPER, 1) V(CUSOLVER_STATUS_SUCCESS, 0) V(CUSOLVER_STATUS_ALLOC_FAILED, 2) \
  V(CUSOLVER_EIG_MODE_NOVECTOR, 0) V(CUSOLVER_EIG_MODE_VECTOR, 1)

enum {
#define CUDA_VALUE(name, value) NV_##name = value,
  CUDA_LIBRARY_VALUES(CUDA_VALUE)
#undef CUDA_VALUE
};

/* What cuBLASLt proposes for a product. */
typedef struct cuda_algorithm {
  uint64_t algorithm[8];
  size_t work_bytes;
  unsigned state;
  float waves;
  int reserved[4];
} cuda_algorithm;

/* The vendor's arguments are complex and real types where void is here. */
#define CUDA_CUFFT_RUN(F) \
  F(cufftExecC2C, (cufftHandle plan, void *in, void *out, int direction)) \
  F(cufftExecZ2Z, (cufftHandle plan, void *in, void *out, int direction)) \
  F(cufftExecR2C, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecD2Z, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecC2R, (cufftHandle plan, void *in, void *out)) \
  F(cufftExecZ2D, (cufftHandle plan, void *in, void *out))

#define CUDA_CUFFT(F) \
  F(cufftGetVersion, (int *version)) \
  F(cufftCreate, (cufftHandle *plan)) \
  F(cufftDestroy, (cufftHandle plan)) \
  F(cufftSetAutoAllocation, (cufftHandle plan, int yes)) \
  F(cufftMakePlanMany64, (cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride, \
                          long long in_distance, long long *out_embed, long long out_stride, long long out_distance, \
                          unsigned type, long long batch, size_t *work)) \
  F(cufftSetWorkArea, (cufftHandle plan, void *work)) \
  F(cufftSetStream, (cufftHandle plan, CUstream stream))

#define CUDA_CUBLAS(F) \
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

/* One for each of float32, float64, complex64, complex128, of which there is void here. */
#define CUDA_LETTERS(F, prefix, name, arguments) \
  F(prefix##S##name, arguments) F(prefix##D##name, arguments) F(prefix##C##name, arguments) F(prefix##Z##name, arguments)

#define CUDA_CUBLAS_TYPED(F) \
  CUDA_LETTERS(F, cublas, trsm_v2_64, (cublasHandle_t handle, unsigned side, unsigned triangle, unsigned transpose, \
                                       unsigned unit, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, \
                                       void *b, int64_t ldb)) \
  CUDA_LETTERS(F, cublas, trsmBatched, (cublasHandle_t handle, unsigned side, unsigned triangle, unsigned transpose, \
                                        unsigned unit, int m, int n, const void *alpha, const void *a, int lda, \
                                        const void *b, int ldb, int batch)) \
  CUDA_LETTERS(F, cublas, getrfBatched, (cublasHandle_t handle, int n, const void *a, int lda, int *pivots, int *info, \
                                         int batch)) \
  CUDA_LETTERS(F, cublas, geqrfBatched, (cublasHandle_t handle, int m, int n, const void *a, int lda, const void *tau, \
                                         int *info, int batch)) \
  CUDA_LETTERS(F, cublas, getrsBatched, (cublasHandle_t handle, unsigned transpose, int n, int columns, const void *a, \
                                         int lda, const int *pivots, const void *b, int ldb, int *info, int batch))

/* Descriptions are void here, types of its own with the vendor; RESULT is a cublasLtMatmulHeuristicResult_t. */
#define CUDA_CUBLASLT(F) \
  F(cublasLtCreate, (cublasLtHandle_t *handle)) \
  F(cublasLtDestroy, (cublasLtHandle_t handle)) \
  F(cublasLtMatmulDescCreate, (void **desc, unsigned compute, unsigned scale)) \
  F(cublasLtMatmulDescDestroy, (void *desc)) \
  F(cublasLtMatmulDescSetAttribute, (void *desc, unsigned attribute, const void *value, size_t bytes)) \
  F(cublasLtMatrixLayoutCreate, (void **layout, unsigned type, uint64_t rows, uint64_t columns, int64_t ld)) \
  F(cublasLtMatrixLayoutDestroy, (void *layout)) \
  F(cublasLtMatrixLayoutSetAttribute, (void *layout, unsigned attribute, const void *value, size_t bytes)) \
  F(cublasLtMatmulPreferenceCreate, (void **preference)) \
  F(cublasLtMatmulPreferenceDestroy, (void *preference)) \
  F(cublasLtMatmulPreferenceSetAttribute, (void *preference, unsigned attribute, const void *value, size_t bytes)) \
  F(cublasLtMatmulAlgoGetHeuristic, (cublasLtHandle_t handle, void *desc, void *a, void *b, void *c, void *d, void *preference, \
                                     int most, cuda_algorithm *result, int *n)) \
  F(cublasLtMatmul, (cublasLtHandle_t handle, void *desc, const void *alpha, const void *a, void *layout_a, const void *b, \
                     void *layout_b, const void *beta, const void *c, void *layout_c, void *d, void *layout_d, \
                     const uint64_t algorithm[8], void *work, size_t bytes, CUstream stream))

#define CUDA_CUSOLVER(F) \
  F(cusolverDnCreate, (cusolverDnHandle_t *handle)) \
  F(cusolverDnDestroy, (cusolverDnHandle_t handle)) \
  F(cusolverDnSetStream, (cusolverDnHandle_t handle, CUstream stream)) \
  F(cusolverDnCreateParams, (cusolverDnParams_t *params)) \
  F(cusolverDnDestroyParams, (cusolverDnParams_t params)) \
  F(cusolverDnXgetrf_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, \
                                  const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXgetrf, (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, void *a, \
                       int64_t lda, int64_t *pivots, unsigned compute, void *device, size_t device_bytes, void *host, \
                       size_t host_bytes, int *info)) \
  F(cusolverDnXgetrs, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned transpose, int64_t n, int64_t columns, \
                       unsigned type_a, const void *a, int64_t lda, const int64_t *pivots, unsigned type_b, void *b, int64_t ldb, \
                       int *info)) \
  F(cusolverDnXpotrf_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type, \
                                  const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXpotrf, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type, void *a, \
                       int64_t lda, unsigned compute, void *device, size_t device_bytes, void *host, size_t host_bytes, \
                       int *info)) \
  F(cusolverDnXgeqrf_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, \
                                  const void *a, int64_t lda, unsigned type_tau, const void *tau, unsigned compute, \
                                  size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXgeqrf, (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, void *a, \
                       int64_t lda, unsigned type_tau, void *tau, unsigned compute, void *device, size_t device_bytes, void *host, \
                       size_t host_bytes, int *info)) \
  F(cusolverDnXsyevd_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, \
                                  int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w, \
                                  unsigned compute, size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXsyevd, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, int64_t n, \
                       unsigned type, void *a, int64_t lda, unsigned type_w, void *w, unsigned compute, void *device, \
                       size_t device_bytes, void *host, size_t host_bytes, int *info)) \
  F(cusolverDnXgesvd_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u, signed char job_vt, \
                                  int64_t m, int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_s, const void *s, \
                                  unsigned type_u, const void *u, int64_t ldu, unsigned type_vt, const void *vt, int64_t ldvt, \
                                  unsigned compute, size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXgesvd, (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u, signed char job_vt, int64_t m, \
                       int64_t n, unsigned type, void *a, int64_t lda, unsigned type_s, void *s, unsigned type_u, void *u, \
                       int64_t ldu, unsigned type_vt, void *vt, int64_t ldvt, unsigned compute, void *device, \
                       size_t device_bytes, void *host, size_t host_bytes, int *info))

/* The second pair of each is for complex numbers. */
#define CUDA_UNITARY(F, name, arguments) \
  F(cusolverDnSor##name, arguments) F(cusolverDnDor##name, arguments) F(cusolverDnCun##name, arguments) \
  F(cusolverDnZun##name, arguments)
#define CUDA_CUSOLVER_TYPED(F) \
  CUDA_LETTERS(F, cusolverDn, potrfBatched, (cusolverDnHandle_t handle, unsigned triangle, int n, void *a, int lda, int *info, \
                                             int batch)) \
  CUDA_UNITARY(F, gqr_bufferSize, (cusolverDnHandle_t handle, int m, int n, int k, const void *a, int lda, const void *tau, \
                                   int *elements)) \
  CUDA_UNITARY(F, gqr, (cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, \
                        int elements, int *info))

/* Newer than the oldest library that serves: NULL where there is none. */
#define CUDA_CUSOLVER_LATER(F) \
  F(cusolverDnXsyevBatched_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, \
                                        int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w, \
                                        unsigned compute, size_t *device_bytes, size_t *host_bytes, int64_t batch)) \
  F(cusolverDnXsyevBatched, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, int64_t n, \
                             unsigned type, void *a, int64_t lda, unsigned type_w, void *w, unsigned compute, void *device, \
                             size_t device_bytes, void *host, size_t host_bytes, int *info, int64_t batch)) \
  F(cusolverDnXgeev_bufferSize, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned left, unsigned right, int64_t n, \
                                 unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w, unsigned type_vl, \
                                 const void *vl, int64_t ldvl, unsigned type_vr, const void *vr, int64_t ldvr, unsigned compute, \
                                 size_t *device_bytes, size_t *host_bytes)) \
  F(cusolverDnXgeev, (cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned left, unsigned right, int64_t n, \
                      unsigned type, void *a, int64_t lda, unsigned type_w, void *w, unsigned type_vl, void *vl, int64_t ldvl, \
                      unsigned type_vr, void *vr, int64_t ldvr, unsigned compute, void *device, size_t device_bytes, void *host, \
                      size_t host_bytes, int *info))

typedef struct cuda_cufft {
  CUDA_CUFFT(CUDA_MEMBER)
  CUDA_CUFFT_RUN(CUDA_MEMBER)
} cuda_cufft;

typedef struct cuda_cublas {
  CUDA_CUBLAS(CUDA_MEMBER)
  CUDA_CUBLAS_TYPED(CUDA_MEMBER)
} cuda_cublas;

typedef struct cuda_cublaslt {
  CUDA_CUBLASLT(CUDA_MEMBER)
} cuda_cublaslt;

typedef struct cuda_cusolver {
  CUDA_CUSOLVER(CUDA_MEMBER)
  CUDA_CUSOLVER_TYPED(CUDA_MEMBER)
  CUDA_CUSOLVER_LATER(CUDA_MEMBER)
} cuda_cusolver;

#endif
