// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuSOLVER, by LAPACK. */
#include "shim.h"
#include <stdlib.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
HED__CUDA_CUSOLVER(DECLARE)

enum { WORK = 1024, HOST_WORK = 64 };

struct cusolverDnContext {
  CUstream stream;
};

struct cusolverDnParams {
  int unused;
};

/* LAPACK's, in Fortran's way of calling, by kind: s d c z. */
#define LAPACK(letter) \
  void letter##getrf_(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info); \
  void letter##getrs_(const char *trans, const int *n, const int *columns, const void *a, const int *lda, const int *pivots, void *b, \
                      const int *ldb, int *info, size_t length); \
  void letter##potrf_(const char *triangle, const int *n, void *a, const int *lda, int *info, size_t length);
LAPACK(s) LAPACK(d) LAPACK(c) LAPACK(z)

/* Which of the four. */
#define BY_TYPE(type, CALL) \
  switch (type) { \
  case HED__CUDA_R_32F: CALL(s); break; \
  case HED__CUDA_R_64F: CALL(d); break; \
  case HED__CUDA_C_32F: CALL(c); break; \
  default: CALL(z); break; \
  }

static size_t size_of(unsigned type) { return type == HED__CUDA_R_32F ? 4 : type == HED__CUDA_C_64F ? 16 : 8; }

unsigned cusolverDnCreate(cusolverDnHandle_t *handle)
{
  *handle = calloc(1, sizeof **handle);
  return *handle ? 0 : HED__CUSOLVER_STATUS_ALLOC_FAILED;
}

unsigned cusolverDnDestroy(cusolverDnHandle_t handle)
{
  free(handle);
  return 0;
}

unsigned cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream)
{
  handle->stream = stream;
  return 0;
}

unsigned cusolverDnCreateParams(cusolverDnParams_t *params)
{
  *params = calloc(1, sizeof **params);
  return *params ? 0 : HED__CUSOLVER_STATUS_ALLOC_FAILED;
}

unsigned cusolverDnDestroyParams(cusolverDnParams_t params)
{
  free(params);
  return 0;
}

/* ---- jobs ---- */

typedef struct job {
  CUcontext context;
  char what;                   /* 'f'actor, 's'olve, 'p'otrf */
  unsigned type;
  bool flag;                   /* transposed; or the upper triangle */
  int n, columns, lda, ldb;
  CUdeviceptr a, b, pivots, info, work;
} job;

static CUdeviceptr address(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

static unsigned run(void *arg)
{
  const job *j = arg;
  const size_t size = size_of(j->type), n = (size_t)j->n;
  void *a = shim_memory(j->context, j->a, ((n - 1) * (size_t)j->lda + n) * size);
  int *info = shim_memory(j->context, j->info, sizeof *info);
  void *b = j->what == 's' ? shim_memory(j->context, j->b, (((size_t)j->columns - 1) * (size_t)j->ldb + n) * size) : a;
  int64_t *pivots = j->what == 'p' ? NULL : shim_memory(j->context, j->pivots, n * sizeof *pivots);
  int *short_pivots = calloc(n, sizeof *short_pivots);
  if (!a || !b || !info || (j->what != 'p' && !pivots) || !short_pivots ||
      (j->what != 's' && !shim_memory(j->context, j->work, WORK))) {
    free(short_pivots);
    return HED__CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  for (size_t k = 0; k < n && j->what == 's'; k++)
    short_pivots[k] = (int)pivots[k];
#define FACTOR(letter) letter##getrf_(&j->n, &j->n, a, &j->lda, short_pivots, info)
#define SOLVE(letter) letter##getrs_(j->flag ? "T" : "N", &j->n, &j->columns, a, &j->lda, short_pivots, b, &j->ldb, info, 1)
#define POTRF(letter) letter##potrf_(j->flag ? "U" : "L", &j->n, a, &j->lda, info, 1)
  if (j->what == 'f')
    BY_TYPE(j->type, FACTOR)
  else if (j->what == 's')
    BY_TYPE(j->type, SOLVE)
  else
    BY_TYPE(j->type, POTRF)
  for (size_t k = 0; k < n && j->what == 'f'; k++)
    pivots[k] = short_pivots[k];
  free(short_pivots);
  return 0;
}

static unsigned submit(cusolverDnHandle_t handle, job j)
{
  j.context = shim_context_of(handle->stream);
  return shim_submit(handle->stream, run, &j, sizeof j) ? 7 : 0; /* CUSOLVER_STATUS_INTERNAL_ERROR */
}

static unsigned tell(size_t *device_bytes, size_t *host_bytes)
{
  *device_bytes = WORK;
  *host_bytes = HOST_WORK;
  return 0;
}

unsigned cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type,
                                     const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  (void)handle, (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type,
                                     const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  (void)handle, (void)params, (void)triangle, (void)n, (void)type, (void)a, (void)lda, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, void *a,
                          int64_t lda, int64_t *pivots, unsigned compute, void *device, size_t device_bytes, void *host,
                          size_t host_bytes, int *info)
{
  (void)params;
  if (m != n || compute != type || device_bytes < WORK || host_bytes < HOST_WORK || !host)
    return 3; /* CUSOLVER_STATUS_INVALID_VALUE */
  return submit(handle, (job){ .what = 'f', .type = type, .n = (int)n, .lda = (int)lda, .a = address(a), .pivots = address(pivots),
                               .info = address(info), .work = address(device) });
}

unsigned cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned transpose, int64_t n, int64_t columns,
                          unsigned type_a, const void *a, int64_t lda, const int64_t *pivots, unsigned type_b, void *b, int64_t ldb,
                          int *info)
{
  (void)params;
  if (type_a != type_b)
    return 3;
  return submit(handle, (job){ .what = 's', .type = type_a, .flag = transpose, .n = (int)n, .columns = (int)columns, .lda = (int)lda,
                               .ldb = (int)ldb, .a = address(a), .b = address(b), .pivots = address(pivots), .info = address(info) });
}

unsigned cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type, void *a,
                          int64_t lda, unsigned compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info)
{
  (void)params;
  if (compute != type || device_bytes < WORK || host_bytes < HOST_WORK || !host)
    return 3;
  return submit(handle, (job){ .what = 'p', .type = type, .flag = triangle == HED__CUBLAS_FILL_MODE_UPPER, .n = (int)n,
                               .lda = (int)lda, .a = address(a), .info = address(info), .work = address(device) });
}
