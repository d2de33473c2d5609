// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuSOLVER, by LAPACK. */
#include "shim.h"
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
CUDA_CUSOLVER(DECLARE)
CUDA_CUSOLVER_TYPED(DECLARE)
CUDA_CUSOLVER_LATER(DECLARE)

enum { WORK = 1024, HOST_WORK = 64, INVALID_VALUE = 3, INTERNAL_ERROR = 7 };

struct cusolverDnContext {
  CUstream stream;
};

struct cusolverDnParams {
  int unused;
};

#define SOLVER_CALL() LIBRARY_CALL(NV_CUSOLVER_STATUS_ALLOC_FAILED, INTERNAL_ERROR)

/* LAPACK's, in Fortran's way of calling, by kind: s d c z; complex ones have a work space more. */
#define LAPACK(letter) \
  void letter##getrf_(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info); \
  void letter##getrs_(const char *trans, const int *n, const int *columns, const void *a, const int *lda, const int *pivots, void *b, \
                      const int *ldb, int *info, size_t length); \
  void letter##potrf_(const char *triangle, const int *n, void *a, const int *lda, int *info, size_t length); \
  void letter##geqrf_(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork, int *info);
#define LAPACK_OF(letter, unitary, hermitian, values, ...) \
  void letter##unitary##_(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work, \
                          const int *lwork, int *info); \
  void letter##hermitian##_(const char *job, const char *triangle, const int *n, void *a, const int *lda, void *w, void *work, \
                            const int *lwork, __VA_ARGS__ int *info, size_t l1, size_t l2); \
  void letter##gesvd_(const char *job_u, const char *job_vt, const int *m, const int *n, void *a, const int *lda, void *s, void *u, \
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, __VA_ARGS__ int *info, size_t l1, \
                      size_t l2); \
  void letter##geev_(const char *left, const char *right, const int *n, void *a, const int *lda, values, void *vl, const int *ldvl, \
                     void *vr, const int *ldvr, void *work, const int *lwork, __VA_ARGS__ int *info, size_t l1, size_t l2);
#define BOTH void *wr, void *wi
LAPACK(s) LAPACK(d) LAPACK(c) LAPACK(z)
LAPACK_OF(s, orgqr, syev, BOTH, ) LAPACK_OF(d, orgqr, syev, BOTH, )
LAPACK_OF(c, ungqr, heev, void *w, void *rwork,) LAPACK_OF(z, ungqr, heev, void *w, void *rwork,)

static size_t size_of(unsigned type) { return type == NV_CUDA_R_32F ? 4 : type == NV_CUDA_C_64F ? 16 : 8; }
static bool is_wide(unsigned type) { return type == NV_CUDA_R_64F || type == NV_CUDA_C_64F; }
static bool is_real(unsigned type) { return type == NV_CUDA_R_32F || type == NV_CUDA_R_64F; }

/* Which of the four. */
#define BY_TYPE(type, CALL) \
  switch (type) { \
  case NV_CUDA_R_32F: CALL(s); break; \
  case NV_CUDA_R_64F: CALL(d); break; \
  case NV_CUDA_C_32F: CALL(c); break; \
  default: CALL(z); break; \
  }
#define BY_KIND(type, REAL, COMPLEX, of_real, of_complex) \
  switch (type) { \
  case NV_CUDA_R_32F: REAL(s, of_real); break; \
  case NV_CUDA_R_64F: REAL(d, of_real); break; \
  case NV_CUDA_C_32F: COMPLEX(c, of_complex); break; \
  default: COMPLEX(z, of_complex); break; \
  }

/* ---- handles ---- */

unsigned cusolverDnCreate(cusolverDnHandle_t *handle)
{
  SOLVER_CALL();
  *handle = calloc(1, sizeof **handle);
  return *handle ? 0 : NV_CUSOLVER_STATUS_ALLOC_FAILED;
}

unsigned cusolverDnDestroy(cusolverDnHandle_t handle)
{
  free(handle);
  return 0;
}

unsigned cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream)
{
  SOLVER_CALL();
  handle->stream = stream;
  return 0;
}

unsigned cusolverDnCreateParams(cusolverDnParams_t *params)
{
  SOLVER_CALL();
  *params = calloc(1, sizeof **params);
  return *params ? 0 : NV_CUSOLVER_STATUS_ALLOC_FAILED;
}

unsigned cusolverDnDestroyParams(cusolverDnParams_t params)
{
  free(params);
  return 0;
}

/* ---- jobs ---- */

typedef enum what { GETRF, GETRS, POTRF, GEQRF, UNITARY, HERMITIAN, GENERAL, SINGULAR } what;

typedef struct job {
  CUcontext context;
  what what;
  unsigned type;
  char first[2], second[2];    /* LAPACK's letters */
  int m, n, k, lda, ldb, ldc;
  int64_t batch;               /* one after the other, or by addresses */
  bool by_address;
  CUdeviceptr a, b, c, pivots, info, work;
} job;

static CUdeviceptr address(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

/* COLUMNS of ROWS elements of the device, LD from one to the next. */
static void *columns_at(const job *j, CUdeviceptr at, int rows, int columns, int ld, size_t size)
{
  return columns < 1 || rows < 1 ? NULL
         : shim_memory(j->context, at, ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * size);
}

static bool run_lu(const job *j, void *a, int *info)
{
  int64_t *pivots = shim_memory(j->context, j->pivots, (size_t)j->k * sizeof *pivots);
  int *narrow = calloc((size_t)j->k, sizeof *narrow);
  void *b = j->what == GETRS ? columns_at(j, j->b, j->m, j->n, j->ldb, size_of(j->type)) : a;
  const bool good = pivots && narrow && b;
  for (int k = 0; k < j->k && good && j->what == GETRS; k++)
    narrow[k] = (int)pivots[k];
#define FACTOR(letter) letter##getrf_(&j->m, &j->n, a, &j->lda, narrow, info)
#define SOLVE(letter) letter##getrs_(j->first, &j->m, &j->n, a, &j->lda, narrow, b, &j->ldb, info, 1)
  if (good && j->what == GETRF)
    BY_TYPE(j->type, FACTOR)
  else if (good)
    BY_TYPE(j->type, SOLVE)
  for (int k = 0; k < j->k && good && j->what == GETRF; k++)
    pivots[k] = narrow[k];
  free(narrow);
  return good;
}

static bool run_qr(const job *j, void *a, int *info)
{
  void *tau = shim_memory(j->context, j->b, (size_t)j->k * size_of(j->type));
  const int lwork = 64 * (j->n > 1 ? j->n : 1);
  void *work = malloc((size_t)lwork * size_of(j->type));
#define REFLECT(letter) letter##geqrf_(&j->m, &j->n, a, &j->lda, tau, work, &lwork, info)
#define UNITARY_OF(letter, name) letter##name##_(&j->m, &j->n, &j->k, a, &j->lda, tau, work, &lwork, info)
  if (tau && work && j->what == GEQRF)
    BY_TYPE(j->type, REFLECT)
  else if (tau && work)
    BY_KIND(j->type, UNITARY_OF, UNITARY_OF, orgqr, ungqr)
  free(work);
  return tau && work;
}

static bool run_hermitian(const job *j, void *a, int64_t at, int *info)
{
  const size_t real = is_wide(j->type) ? 8 : 4;
  void *w = shim_memory(j->context, j->b + (CUdeviceptr)at * (size_t)j->n * real, (size_t)j->n * real);
  const int lwork = 66 * j->n;
  char *work = malloc((size_t)lwork * size_of(j->type) + 3 * (size_t)j->n * real), *rwork = work + (size_t)lwork * size_of(j->type);
#define REAL_VALUES(letter, name) letter##name##_(j->first, j->second, &j->n, a, &j->lda, w, work, &lwork, info, 1, 1)
#define COMPLEX_VALUES(letter, name) letter##name##_(j->first, j->second, &j->n, a, &j->lda, w, work, &lwork, rwork, info, 1, 1)
  if (w && work)
    BY_KIND(j->type, REAL_VALUES, COMPLEX_VALUES, syev, heev)
  free(work);
  return w && work;
}

/* Values of real matrices, parts apart, to pairs. */
static void join(const job *j, const char *parts, char *w, size_t real)
{
  for (int k = 0; k < j->n; k++)
    for (int p = 0; p < 2; p++)
      memcpy(w + (size_t)(2 * k + p) * real, parts + (size_t)(p * j->n + k) * real, real);
}

static bool run_general(const job *j, void *a, int *info)
{
  const size_t real = is_wide(j->type) ? 8 : 4, n = (size_t)j->n;
  const int lwork = 66 * j->n, one = j->n;
  char *w = shim_memory(j->context, j->b, 2 * n * real), *vr = j->c ? columns_at(j, j->c, j->n, j->n, j->ldc, size_of(j->type)) : NULL;
  char *work = malloc((size_t)lwork * size_of(j->type) + 4 * n * real), *rest = work + (size_t)lwork * size_of(j->type);
  char *wi = rest + n * real;
#define REAL_PAIRS(letter, name) \
  letter##name##_("N", j->first, &j->n, a, &j->lda, rest, wi, NULL, &one, vr, &j->ldc, work, &lwork, info, 1, 1)
#define COMPLEX_PAIRS(letter, name) \
  letter##name##_("N", j->first, &j->n, a, &j->lda, w, NULL, &one, vr, &j->ldc, work, &lwork, rest, info, 1, 1)
  const bool good = w && work && (vr || !j->c);
  if (good)
    BY_KIND(j->type, REAL_PAIRS, COMPLEX_PAIRS, geev, geev)
  if (good && is_real(j->type))
    join(j, rest, w, real);
  free(work);
  return good;
}

static bool run_singular(const job *j, void *a, int *info)
{
  const size_t real = is_wide(j->type) ? 8 : 4;
  const bool all = j->first[0] == 'A', none = j->first[0] == 'N';
  const int lwork = 66 * j->m;
  void *s = shim_memory(j->context, j->pivots, (size_t)j->n * real);
  void *u = none ? NULL : columns_at(j, j->b, j->m, all ? j->m : j->n, j->ldb, size_of(j->type));
  void *vt = none ? NULL : columns_at(j, j->c, j->n, j->n, j->ldc, size_of(j->type));
  char *work = malloc((size_t)lwork * size_of(j->type) + 5 * (size_t)j->n * real), *rwork = work + (size_t)lwork * size_of(j->type);
#define REAL_SVD(letter, name) \
  letter##name##_(j->first, j->second, &j->m, &j->n, a, &j->lda, s, u, &j->ldb, vt, &j->ldc, work, &lwork, info, 1, 1)
#define COMPLEX_SVD(letter, name) \
  letter##name##_(j->first, j->second, &j->m, &j->n, a, &j->lda, s, u, &j->ldb, vt, &j->ldc, work, &lwork, rwork, info, 1, 1)
  const bool good = s && work && (none || (u && vt));
  if (good)
    BY_KIND(j->type, REAL_SVD, COMPLEX_SVD, gesvd, gesvd)
  free(work);
  return good;
}

/* Of one matrix, at A. */
static bool run_one(const job *j, CUdeviceptr at_a, int64_t at)
{
  const bool square = j->what == GETRS;
  void *a = columns_at(j, at_a, j->m, square ? j->m : j->n, j->lda, size_of(j->type));
  int *info = shim_memory(j->context, j->info + (CUdeviceptr)at * sizeof *info, sizeof *info);
#define POTRF_OF(letter) letter##potrf_(j->first, &j->n, a, &j->lda, info, 1)
  if (!a || !info || (j->work && !shim_memory(j->context, j->work, WORK)))
    return false;
  switch (j->what) {
  case GETRF: case GETRS: return run_lu(j, a, info);
  case GEQRF: case UNITARY: return run_qr(j, a, info);
  case HERMITIAN: return run_hermitian(j, a, at, info);
  case GENERAL: return run_general(j, a, info);
  case SINGULAR: return run_singular(j, a, info);
  default: BY_TYPE(j->type, POTRF_OF) return true;
  }
}

static unsigned run(void *arg)
{
  const job *j = arg;
  const CUdeviceptr *addresses = j->by_address ? shim_memory(j->context, j->a, (size_t)j->batch * sizeof *addresses) : NULL;
  bool good = addresses || !j->by_address;
  for (int64_t k = 0; k < j->batch && good; k++)
    good = run_one(j, addresses ? addresses[k] : j->a + (CUdeviceptr)k * (size_t)j->lda * (size_t)j->n * size_of(j->type), k);
  return good ? 0 : NV_CUDA_ERROR_ILLEGAL_ADDRESS;
}

static unsigned submit(cusolverDnHandle_t handle, job j)
{
  j.context = shim_context_of(handle->stream);
  j.batch = j.batch ? j.batch : 1;
  return shim_submit(handle->stream, run, &j, sizeof j) ? INTERNAL_ERROR : 0;
}

static unsigned tell(size_t *device_bytes, size_t *host_bytes)
{
  *device_bytes = WORK;
  *host_bytes = HOST_WORK;
  return 0;
}

/* Are the work spaces as they were asked for? */
#define CHECK_WORK(good) \
  SOLVER_CALL(); \
  if (!(good) || !device || device_bytes < WORK || !host || host_bytes < HOST_WORK) \
    return INVALID_VALUE

/* ---- functions ---- */

unsigned cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type,
                                     const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type,
                                     const void *a, int64_t lda, unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)triangle, (void)n, (void)type, (void)a, (void)lda, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type,
                                     const void *a, int64_t lda, unsigned type_tau, const void *tau, unsigned compute,
                                     size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)type_tau, (void)tau, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle,
                                     int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w,
                                     unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)vectors, (void)triangle, (void)n, (void)type, (void)a, (void)lda, (void)type_w, (void)w;
  (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle,
                                           int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w,
                                           unsigned compute, size_t *device_bytes, size_t *host_bytes, int64_t batch)
{
  if (batch < 1)
    return INVALID_VALUE;
  return cusolverDnXsyevd_bufferSize(handle, params, vectors, triangle, n, type, a, lda, type_w, w, compute, device_bytes, host_bytes);
}

unsigned cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned left, unsigned right, int64_t n,
                                    unsigned type, const void *a, int64_t lda, unsigned type_w, const void *w, unsigned type_vl,
                                    const void *vl, int64_t ldvl, unsigned type_vr, const void *vr, int64_t ldvr, unsigned compute,
                                    size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)left, (void)right, (void)n, (void)type, (void)a, (void)lda, (void)type_w, (void)w, (void)type_vl;
  (void)vl, (void)ldvl, (void)type_vr, (void)vr, (void)ldvr, (void)compute;
  return tell(device_bytes, host_bytes);
}

unsigned cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u, signed char job_vt,
                                     int64_t m, int64_t n, unsigned type, const void *a, int64_t lda, unsigned type_s, const void *s,
                                     unsigned type_u, const void *u, int64_t ldu, unsigned type_vt, const void *vt, int64_t ldvt,
                                     unsigned compute, size_t *device_bytes, size_t *host_bytes)
{
  SOLVER_CALL();
  (void)handle, (void)params, (void)job_u, (void)job_vt, (void)type, (void)a, (void)lda, (void)type_s, (void)s, (void)type_u, (void)u;
  (void)ldu, (void)type_vt, (void)vt, (void)ldvt, (void)compute;
  return m < n ? INVALID_VALUE : tell(device_bytes, host_bytes);
}

unsigned cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, void *a,
                          int64_t lda, int64_t *pivots, unsigned compute, void *device, size_t device_bytes, void *host,
                          size_t host_bytes, int *info)
{
  (void)params;
  CHECK_WORK(compute == type && lda >= m);
  return submit(handle, (job){ .what = GETRF, .type = type, .m = (int)m, .n = (int)n, .k = (int)(m < n ? m : n), .lda = (int)lda,
                               .a = address(a), .pivots = address(pivots), .info = address(info), .work = address(device) });
}

unsigned cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned transpose, int64_t n, int64_t columns,
                          unsigned type_a, const void *a, int64_t lda, const int64_t *pivots, unsigned type_b, void *b, int64_t ldb,
                          int *info)
{
  (void)params;
  SOLVER_CALL();
  if (type_a != type_b || lda < n || ldb < n)
    return INVALID_VALUE;
  return submit(handle, (job){ .what = GETRS, .type = type_a, .first = { transpose ? 'T' : 'N' }, .m = (int)n, .n = (int)columns,
                               .k = (int)n, .lda = (int)lda, .ldb = (int)ldb, .a = address(a), .b = address(b),
                               .pivots = address(pivots), .info = address(info) });
}

static char triangle_of(unsigned triangle) { return triangle == NV_CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
static char job_of(unsigned vectors) { return vectors == NV_CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

unsigned cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned triangle, int64_t n, unsigned type, void *a,
                          int64_t lda, unsigned compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info)
{
  (void)params;
  CHECK_WORK(compute == type && lda >= n);
  return submit(handle, (job){ .what = POTRF, .type = type, .first = { triangle_of(triangle) }, .m = (int)n, .n = (int)n,
                               .lda = (int)lda, .a = address(a), .info = address(info), .work = address(device) });
}

unsigned cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, unsigned type, void *a,
                          int64_t lda, unsigned type_tau, void *tau, unsigned compute, void *device, size_t device_bytes, void *host,
                          size_t host_bytes, int *info)
{
  (void)params;
  CHECK_WORK(compute == type && type_tau == type && lda >= m);
  return submit(handle, (job){ .what = GEQRF, .type = type, .m = (int)m, .n = (int)n, .k = (int)(m < n ? m : n), .lda = (int)lda,
                               .a = address(a), .b = address(tau), .info = address(info), .work = address(device) });
}

unsigned cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, int64_t n,
                                unsigned type, void *a, int64_t lda, unsigned type_w, void *w, unsigned compute, void *device,
                                size_t device_bytes, void *host, size_t host_bytes, int *info, int64_t batch)
{
  (void)params;
  CHECK_WORK(compute == type && is_real(type_w) && is_wide(type_w) == is_wide(type) && lda >= n && batch > 0);
  return submit(handle, (job){ .what = HERMITIAN, .type = type, .first = { job_of(vectors) }, .second = { triangle_of(triangle) },
                               .m = (int)n, .n = (int)n, .lda = (int)lda, .batch = batch, .a = address(a), .b = address(w),
                               .info = address(info), .work = address(device) });
}

unsigned cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned vectors, unsigned triangle, int64_t n,
                          unsigned type, void *a, int64_t lda, unsigned type_w, void *w, unsigned compute, void *device,
                          size_t device_bytes, void *host, size_t host_bytes, int *info)
{
  return cusolverDnXsyevBatched(handle, params, vectors, triangle, n, type, a, lda, type_w, w, compute, device, device_bytes, host,
                                host_bytes, info, 1);
}

/* Values of real matrices are pairs; left vectors there are none. */
unsigned cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, unsigned left, unsigned right, int64_t n, unsigned type,
                         void *a, int64_t lda, unsigned type_w, void *w, unsigned type_vl, void *vl, int64_t ldvl, unsigned type_vr,
                         void *vr, int64_t ldvr, unsigned compute, void *device, size_t device_bytes, void *host, size_t host_bytes,
                         int *info)
{
  (void)params, (void)vl, (void)ldvl;
  CHECK_WORK(compute == type && !is_real(type_w) && is_wide(type_w) == is_wide(type) && type_vl == type && type_vr == type &&
             lda >= n && ldvr >= n && left == NV_CUSOLVER_EIG_MODE_NOVECTOR);
  return submit(handle, (job){ .what = GENERAL, .type = type, .first = { job_of(right) }, .m = (int)n, .n = (int)n, .lda = (int)lda,
                               .ldc = (int)ldvr, .a = address(a), .b = address(w), .c = address(vr), .info = address(info),
                               .work = address(device) });
}

unsigned cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u, signed char job_vt, int64_t m,
                          int64_t n, unsigned type, void *a, int64_t lda, unsigned type_s, void *s, unsigned type_u, void *u,
                          int64_t ldu, unsigned type_vt, void *vt, int64_t ldvt, unsigned compute, void *device,
                          size_t device_bytes, void *host, size_t host_bytes, int *info)
{
  (void)params;
  CHECK_WORK(compute == type && is_real(type_s) && type_u == type && type_vt == type && m >= n && lda >= m && ldu >= m && ldvt >= n &&
             job_u == job_vt);
  return submit(handle, (job){ .what = SINGULAR, .type = type, .first = { (char)job_u }, .second = { (char)job_vt }, .m = (int)m,
                               .n = (int)n, .lda = (int)lda, .ldb = (int)ldu, .ldc = (int)ldvt, .a = address(a), .b = address(u),
                               .c = address(vt), .pivots = address(s), .info = address(info), .work = address(device) });
}

/* ---- functions for each type ---- */

#define TYPED(unitary, letter, TYPE) \
  unsigned cusolverDn##letter##potrfBatched(cusolverDnHandle_t handle, unsigned triangle, int n, void *a, int lda, int *info, \
                                            int batch) \
  { \
    SOLVER_CALL(); \
    return submit(handle, (job){ .what = POTRF, .type = TYPE, .first = { triangle_of(triangle) }, .m = n, .n = n, .lda = lda, \
                                 .batch = batch, .by_address = true, .a = address(a), .info = address(info) }); \
  } \
  unsigned cusolverDn##letter##unitary##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const void *a, int lda, \
                                                       const void *tau, int *elements) \
  { \
    SOLVER_CALL(); \
    (void)handle, (void)a, (void)lda, (void)tau; \
    *elements = WORK; \
    return m < n || n < k ? INVALID_VALUE : 0; \
  } \
  unsigned cusolverDn##letter##unitary##gqr(cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda, const void *tau, \
                                            void *work, int elements, int *info) \
  { \
    SOLVER_CALL(); \
    return elements < WORK ? INVALID_VALUE \
           : submit(handle, (job){ .what = UNITARY, .type = TYPE, .m = m, .n = n, .k = k, .lda = lda, .a = address(a), \
                                   .b = address(tau), .info = address(info), .work = address(work) }); \
  }
TYPED(or, S, NV_CUDA_R_32F)
TYPED(or, D, NV_CUDA_R_64F)
TYPED(un, C, NV_CUDA_C_32F)
TYPED(un, Z, NV_CUDA_C_64F)
