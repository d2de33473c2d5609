// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuBLAS. Factors are LAPACK's. */
#include "product.h"
#include <stdlib.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
CUDA_CUBLAS(DECLARE)
CUDA_CUBLAS_TYPED(DECLARE)

enum { INVALID_VALUE = 7, INTERNAL_ERROR = 14 };
#define BLAS_CALL() LIBRARY_CALL(NV_CUBLAS_STATUS_ALLOC_FAILED, INTERNAL_ERROR)

struct cublasContext {
  CUstream stream;
  void *work;
};

unsigned cublasCreate_v2(cublasHandle_t *handle)
{
  BLAS_CALL();
  *handle = calloc(1, sizeof **handle);
  return *handle ? 0 : NV_CUBLAS_STATUS_ALLOC_FAILED;
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
  BLAS_CALL();
  handle->stream = stream;
  return 0;
}

unsigned cublasSetWorkspace_v2(cublasHandle_t handle, void *work, size_t bytes)
{
  BLAS_CALL();
  (void)bytes;
  handle->work = work;
  return 0;
}

/* alpha is 1 and beta is 0, which is all that is asked for here. No half precision. */
unsigned cublasGemmStridedBatchedEx_64(cublasHandle_t handle, unsigned transpose_a, unsigned transpose_b, int64_t m, int64_t n,
                                       int64_t k, const void *alpha, const void *a, unsigned type_a, int64_t lda, long long stride_a,
                                       const void *b, unsigned type_b, int64_t ldb, long long stride_b, const void *beta, void *c,
                                       unsigned type_c, int64_t ldc, long long stride_c, int64_t batch, unsigned compute,
                                       int algorithm)
{
  const bool wide = type_c == NV_CUDA_R_64F || type_c == NV_CUDA_C_64F;
  const bool known = type_c == NV_CUDA_R_32F || type_c == NV_CUDA_C_32F || wide;
  const double one = wide ? *(const double *)alpha : (double)*(const float *)alpha;
  const double zero = wide ? *(const double *)beta : (double)*(const float *)beta;
  (void)algorithm;
  BLAS_CALL();
  if (!known || type_a != type_c || type_b != type_c || !computes(compute, wide))
    return 15; /* CUBLAS_STATUS_NOT_SUPPORTED */
  if (one != 1 || zero != 0 || m < 1 || n < 1 || k < 1 || batch < 1 || ldc < m || lda < (transpose_a ? k : m) ||
      ldb < (transpose_b ? n : k))
    return INVALID_VALUE;
  const product j = { shim_context_of(handle->stream), transpose_a, transpose_b, m, n, k, lda, ldb, ldc, batch, stride_a, stride_b,
                  stride_c, (CUdeviceptr)(uintptr_t)a, (CUdeviceptr)(uintptr_t)b, (CUdeviceptr)(uintptr_t)c, type_c,
                      compute == NV_CUBLAS_COMPUTE_32F_FAST_TF32 };
  return shim_submit(handle->stream, run_product, &j, sizeof j) ? INTERNAL_ERROR : 0;
}

/* ---- factors ---- */

enum { MOST_COLUMNS = 1024 };

typedef enum what { GETRF, GETRS, TRSM, GEQRF } what;

typedef struct factor {
  CUcontext context;
  what what;
  char letters[4][2];          /* LAPACK's: side, triangle, transposition, diagonal */
  int n, columns, lda, ldb, batch;
  bool by_address;
  size_t size;
  CUdeviceptr a, b, pivots, info;
  void (*run)(const struct factor *f, void *a, void *b, int *pivots, int *info);
} factor;

#define FACTORS(letter, T) \
  void letter##getrf_(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info); \
  void letter##geqrf_(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *elements, int *info); \
  void letter##getrs_(const char *trans, const int *n, const int *columns, const void *a, const int *lda, const int *pivots, void *b, \
                      const int *ldb, int *info, size_t length); \
  void letter##trsm_(const char *side, const char *triangle, const char *trans, const char *diagonal, const int *m, const int *n, \
                     const void *alpha, const void *a, const int *lda, void *b, const int *ldb, size_t l1, size_t l2, size_t l3, \
                     size_t l4); \
  static void run_##letter(const factor *f, void *a, void *b, int *pivots, int *info) \
  { \
    const T one = 1; \
    if (f->what == GETRF) \
      letter##getrf_(&f->n, &f->n, a, &f->lda, pivots, info); \
    else if (f->what == GEQRF) \
      letter##geqrf_(&f->n, &f->columns, a, &f->lda, b, (T[MOST_COLUMNS]){ 0 }, &f->columns, info); \
    else if (f->what == GETRS) \
      letter##getrs_(f->letters[2], &f->n, &f->columns, a, &f->lda, pivots, b, &f->ldb, info, 1); \
    else \
      letter##trsm_(f->letters[0], f->letters[1], f->letters[2], f->letters[3], &f->n, &f->columns, &one, a, &f->lda, b, &f->ldb, 1, \
                    1, 1, 1); \
  }
FACTORS(s, float)
FACTORS(d, double)
FACTORS(c, float complex)
FACTORS(z, double complex)

/* The K-th of matrices at AT, or of addresses there. */
static void *matrix(const factor *f, CUdeviceptr at, int k, int columns, int ld)
{
  const CUdeviceptr *all = f->by_address ? shim_memory(f->context, at, (size_t)f->batch * sizeof *all) : &at;
  return all && f->n > 0 && columns > 0
         ? shim_memory(f->context, all[f->by_address ? k : 0], ((size_t)(columns - 1) * (size_t)ld + (size_t)f->n) * f->size) : NULL;
}

static unsigned run_factor(void *arg)
{
  const factor *f = arg;
  bool good = true;
  for (int k = 0; k < f->batch && good; k++) {
    void *a = matrix(f, f->a, k, f->what == GEQRF ? f->columns : f->n, f->lda);
    void *b = f->what == GETRF ? a : matrix(f, f->b, k, f->what == GEQRF ? 1 : f->columns, f->ldb);
    int *pivots = NULL, *info = NULL, ignored = 0;
    if (f->what == GETRF || f->what == GETRS)
      pivots = shim_memory(f->context, f->pivots + (CUdeviceptr)k * (size_t)f->n * sizeof *pivots, (size_t)f->n * sizeof *pivots);
    info = f->what == GETRF ? shim_memory(f->context, f->info + (CUdeviceptr)k * sizeof *info, sizeof *info) : &ignored;
    if ((good = a && b && info && (pivots || f->what == TRSM || f->what == GEQRF)))
      f->run(f, a, b, pivots, info);
  }
  return good ? 0 : NV_CUDA_ERROR_ILLEGAL_ADDRESS;
}

static CUdeviceptr address(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

static unsigned submit(cublasHandle_t handle, factor f)
{
  f.context = shim_context_of(handle->stream);
  return shim_submit(handle->stream, run_factor, &f, sizeof f) ? INTERNAL_ERROR : 0;
}

static char transposition(unsigned op) { return "NTC"[op]; }

static factor triangular(unsigned side, unsigned triangle, unsigned transpose, unsigned unit, int64_t m, int64_t n, const void *a,
                         int64_t lda, const void *b, int64_t ldb)
{
  return (factor){ .what = TRSM, .letters = { { side == NV_CUBLAS_SIDE_LEFT ? 'L' : 'R' },
                                              { triangle == NV_CUBLAS_FILL_MODE_UPPER ? 'U' : 'L' }, { transposition(transpose) },
                                              { unit == NV_CUBLAS_DIAG_UNIT ? 'U' : 'N' } },
                   .n = (int)m, .columns = (int)n, .lda = (int)lda, .ldb = (int)ldb, .batch = 1, .a = address(a), .b = address(b) };
}

#define TYPED(LETTER, letter, T) \
  unsigned cublas##LETTER##trsm_v2_64(cublasHandle_t handle, unsigned side, unsigned triangle, unsigned transpose, unsigned unit, \
                                      int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb) \
  { \
    factor f = triangular(side, triangle, transpose, unit, m, n, a, lda, b, ldb); \
    BLAS_CALL(); \
    f.size = sizeof(T); \
    f.run = run_##letter; \
    return side != NV_CUBLAS_SIDE_LEFT || *(const T *)alpha != 1 || lda < m || ldb < m ? INVALID_VALUE : submit(handle, f); \
  } \
  unsigned cublas##LETTER##trsmBatched(cublasHandle_t handle, unsigned side, unsigned triangle, unsigned transpose, unsigned unit, \
                                       int m, int n, const void *alpha, const void *a, int lda, const void *b, int ldb, int batch) \
  { \
    factor f = triangular(side, triangle, transpose, unit, m, n, a, lda, b, ldb); \
    BLAS_CALL(); \
    f.by_address = true; \
    f.batch = batch; \
    f.size = sizeof(T); \
    f.run = run_##letter; \
    return side != NV_CUBLAS_SIDE_LEFT || *(const T *)alpha != 1 || lda < m || ldb < m ? INVALID_VALUE : submit(handle, f); \
  } \
  unsigned cublas##LETTER##getrfBatched(cublasHandle_t handle, int n, const void *a, int lda, int *pivots, int *info, int batch) \
  { \
    BLAS_CALL(); \
    return lda < n ? INVALID_VALUE \
           : submit(handle, (factor){ .what = GETRF, .n = n, .lda = lda, .batch = batch, .by_address = true, .size = sizeof(T), \
                                      .a = address(a), .pivots = address(pivots), .info = address(info), .run = run_##letter }); \
  } \
  unsigned cublas##LETTER##geqrfBatched(cublasHandle_t handle, int m, int n, const void *a, int lda, const void *tau, int *info, \
                                        int batch) \
  { \
    BLAS_CALL(); \
    *info = lda < m ? -4 : 0; \
    return *info || n > MOST_COLUMNS ? INVALID_VALUE \
           : submit(handle, (factor){ .what = GEQRF, .n = m, .columns = n, .lda = lda, .ldb = m < n ? m : n, .batch = batch, \
                                      .by_address = true, .size = sizeof(T), .a = address(a), .b = address(tau), \
                                      .run = run_##letter }); \
  } \
  unsigned cublas##LETTER##getrsBatched(cublasHandle_t handle, unsigned transpose, int n, int columns, const void *a, int lda, \
                                        const int *pivots, const void *b, int ldb, int *info, int batch) \
  { \
    BLAS_CALL(); \
    *info = 0; \
    return lda < n || ldb < n ? INVALID_VALUE \
           : submit(handle, (factor){ .what = GETRS, .letters = { { 0 }, { 0 }, { transposition(transpose) } }, .n = n, \
                                      .columns = columns, .lda = lda, .ldb = ldb, .batch = batch, .by_address = true, \
                                      .size = sizeof(T), .a = address(a), .b = address(b), .pivots = address(pivots), \
                                      .run = run_##letter }); \
  }
TYPED(S, s, float)
TYPED(D, d, double)
TYPED(C, c, float complex)
TYPED(Z, z, double complex)
