// SPDX-License-Identifier: BSD-3-Clause
/* cuda: its own declarations against the vendor's headers, where those are. What is wrong does not compile. */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <nvrtc.h>
#include "backends/cuda/port/libraries.h"
#include "tap.h"

enum { functions = 0
#define COUNT(name, arguments) + 1
#define COUNT_VERSIONED(name, version, arguments) + 1
  CUDA_FIRST(COUNT) CUDA_DRIVER(COUNT_VERSIONED) CUDA_NVRTC(COUNT) CUDA_CUFFT(COUNT)
  CUDA_CUFFT_RUN(COUNT) CUDA_CUBLAS(COUNT) CUDA_CUBLAS_TYPED(COUNT) CUDA_CUBLASLT(COUNT) CUDA_CUSOLVER(COUNT)
  CUDA_CUSOLVER_TYPED(COUNT) CUDA_CUSOLVER_LATER(COUNT)
};

#define SAME(name, arguments) \
  _Static_assert(__builtin_types_compatible_p(unsigned arguments, __typeof__(name)), #name " is declared otherwise");
/* The vendor has a type for each form of a function, by the version that brought it. */
#define SAME_VERSIONED(name, version, arguments) \
  _Static_assert(__builtin_types_compatible_p(unsigned (*) arguments, PFN_##name##_v##version), #name " has another form");
#define VALUE(name, value) _Static_assert((int)name == (value), #name " has another value");

CUDA_DRIVER(SAME_VERSIONED)
CUDA_FIRST(SAME)
CUDA_NVRTC(SAME)
CUDA_VALUES(VALUE)
CUDA_LIBRARY_VALUES(VALUE)

CUDA_CUFFT(SAME)
CUDA_CUBLAS(SAME)
CUDA_CUSOLVER(SAME)
CUDA_CUSOLVER_LATER(SAME)

/* These take void pointers, of the vendor's types, and as many arguments. */
#define SAME_RUN(name, ...) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name(0, (void *)0, (void *)0, ##__VA_ARGS__)), unsigned), #name);
SAME_RUN(cufftExecC2C, 0) SAME_RUN(cufftExecZ2Z, 0) SAME_RUN(cufftExecR2C) SAME_RUN(cufftExecD2Z) SAME_RUN(cufftExecC2R)
SAME_RUN(cufftExecZ2D)

/* So do these, each for four types: 1 where a pointer may be, a number where it may not. */
#define SAME_TYPED(name, ...) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name(__VA_ARGS__)), unsigned), #name);
#define AN (void *)0
#define SAME_FOUR(prefix, name, ...) \
  SAME_TYPED(prefix##S##name, __VA_ARGS__) SAME_TYPED(prefix##D##name, __VA_ARGS__) SAME_TYPED(prefix##C##name, __VA_ARGS__) \
  SAME_TYPED(prefix##Z##name, __VA_ARGS__)
SAME_FOUR(cublas, trsm_v2_64, AN, 0, 0, 0, 0, 1, 1, AN, AN, 1, AN, 1)
SAME_FOUR(cublas, trsmBatched, AN, 0, 0, 0, 0, 1, 1, AN, AN, 1, AN, 1, 1)
SAME_FOUR(cublas, getrfBatched, AN, 1, AN, 1, AN, AN, 1)
SAME_FOUR(cublas, geqrfBatched, AN, 1, 1, AN, 1, AN, AN, 1)
SAME_FOUR(cublas, getrsBatched, AN, 0, 1, 1, AN, 1, AN, AN, 1, AN, 1)
SAME_FOUR(cusolverDn, potrfBatched, AN, 0, 1, AN, 1, AN, 1)
SAME_TYPED(cublasLtCreate, AN) SAME_TYPED(cublasLtDestroy, AN) SAME_TYPED(cublasLtMatmulDescCreate, AN, 0, 0)
SAME_TYPED(cublasLtMatmulDescDestroy, AN) SAME_TYPED(cublasLtMatmulDescSetAttribute, AN, 0, AN, 1)
SAME_TYPED(cublasLtMatrixLayoutCreate, AN, 0, 1, 1, 1) SAME_TYPED(cublasLtMatrixLayoutDestroy, AN)
SAME_TYPED(cublasLtMatrixLayoutSetAttribute, AN, 0, AN, 1) SAME_TYPED(cublasLtMatmulPreferenceCreate, AN)
SAME_TYPED(cublasLtMatmulPreferenceDestroy, AN) SAME_TYPED(cublasLtMatmulPreferenceSetAttribute, AN, 0, AN, 1)
SAME_TYPED(cublasLtMatmulAlgoGetHeuristic, AN, AN, AN, AN, AN, AN, AN, 1, AN, AN)
SAME_TYPED(cublasLtMatmul, AN, AN, AN, AN, AN, AN, AN, AN, AN, AN, AN, AN, AN, AN, 1, AN)
_Static_assert(sizeof(cuda_algorithm) == sizeof(cublasLtMatmulHeuristicResult_t) &&
               sizeof(((cuda_algorithm *)0)->algorithm) == sizeof(cublasLtMatmulAlgo_t) &&
               offsetof(cuda_algorithm, state) == offsetof(cublasLtMatmulHeuristicResult_t, state),
               "an algorithm lies otherwise");
SAME_TYPED(cusolverDnSorgqr, AN, 1, 1, 1, AN, 1, AN, AN, 1, AN)
SAME_TYPED(cusolverDnDorgqr, AN, 1, 1, 1, AN, 1, AN, AN, 1, AN)
SAME_TYPED(cusolverDnCungqr, AN, 1, 1, 1, AN, 1, AN, AN, 1, AN)
SAME_TYPED(cusolverDnZungqr, AN, 1, 1, 1, AN, 1, AN, AN, 1, AN)
SAME_TYPED(cusolverDnSorgqr_bufferSize, AN, 1, 1, 1, AN, 1, AN, AN)
SAME_TYPED(cusolverDnZungqr_bufferSize, AN, 1, 1, 1, AN, 1, AN, AN)

int main(void)
{
  ok(functions > 60, "%d functions and their values are declared as the vendor's headers have them", (int)functions);
  return done();
}
