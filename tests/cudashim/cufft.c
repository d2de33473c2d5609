// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: cuFFT, by FFTW. Like cuFFT it writes into the operand of a transform to real numbers in several dimensions. */
#include "shim.h"
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
CUDA_CUFFT(DECLARE)
CUDA_CUFFT_RUN(DECLARE)

enum { MOST_PLANS = 4096, WORK = 4096 };

typedef struct plan {
  int used, rank, n[3], batch, type, automatic;
  CUstream stream;
  void *work;
} plan;

static plan plans[MOST_PLANS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of plans, and of FFTW's planner */

unsigned cufftGetVersion(int *version)
{
  *version = 12000;
  return 0;
}

#define FFT_CALL() LIBRARY_CALL(NV_CUFFT_ALLOC_FAILED, 5) /* CUFFT_INTERNAL_ERROR */

unsigned cufftCreate(cufftHandle *handle)
{
  unsigned error = NV_CUFFT_ALLOC_FAILED;
  FFT_CALL();
  const int most = shim_setting("CUDASHIM_PLANS", MOST_PLANS);
  pthread_mutex_lock(&lock);
  for (int k = 0; k < most && k < MOST_PLANS && error; k++)
    if (!plans[k].used) {
      plans[k] = (plan){ .used = 1, .automatic = 1 };
      *handle = k;
      error = 0;
    }
  pthread_mutex_unlock(&lock);
  return error;
}

unsigned cufftDestroy(cufftHandle handle)
{
  pthread_mutex_lock(&lock);
  plans[handle].used = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

unsigned cufftSetAutoAllocation(cufftHandle handle, int yes)
{
  FFT_CALL();
  plans[handle].automatic = yes;
  return 0;
}

unsigned cufftMakePlanMany64(cufftHandle handle, int rank, long long *n, long long *in_embed, long long in_stride,
                             long long in_distance, long long *out_embed, long long out_stride, long long out_distance, unsigned type,
                             long long batch, size_t *work)
{
  plan *p = &plans[handle];
  FFT_CALL();
  (void)in_stride, (void)in_distance, (void)out_stride, (void)out_distance;
  if (rank < 1 || rank > 3 || in_embed || out_embed || batch < 1)
    return 4; /* CUFFT_INVALID_VALUE */
  p->rank = rank;
  p->batch = (int)batch;
  p->type = (int)type;
  for (int k = 0; k < rank; k++) {
    if (n[k] < 1)
      return 8; /* CUFFT_INVALID_SIZE */
    p->n[k] = (int)n[k];
  }
  *work = WORK;
  return 0;
}

unsigned cufftSetWorkArea(cufftHandle handle, void *work)
{
  FFT_CALL();
  plans[handle].work = work;
  return 0;
}

unsigned cufftSetStream(cufftHandle handle, CUstream stream)
{
  FFT_CALL();
  plans[handle].stream = stream;
  return 0;
}

/* ---- a transform ---- */

typedef struct job {
  plan p;
  CUcontext context;
  CUdeviceptr in, out;
  int sign;
} job;

/* Elements of one of the batch: of real numbers, or complex ones; HALF: of the half spectrum. */
static size_t count(const plan *p, int half)
{
  size_t n = 1;
  for (int k = 0; k < p->rank; k++)
    n *= (size_t)(k == p->rank - 1 && half ? p->n[k] / 2 + 1 : p->n[k]);
  return n;
}

#define TRANSFORM(P, real, in, out) \
  do { \
    const int full = (int)count(p, 0), half = (int)count(p, 1); \
    P##plan f; \
    pthread_mutex_lock(&lock); \
    if (p->type == NV_CUFFT_C2C || p->type == NV_CUFFT_Z2Z) \
      f = P##plan_many_dft(p->rank, p->n, p->batch, in, NULL, 1, full, out, NULL, 1, full, j->sign, FFTW_ESTIMATE); \
    else if (p->type == NV_CUFFT_R2C || p->type == NV_CUFFT_D2Z) \
      f = P##plan_many_dft_r2c(p->rank, p->n, p->batch, in, NULL, 1, full, out, NULL, 1, half, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT); \
    else \
      f = P##plan_many_dft_c2r(p->rank, p->n, p->batch, in, NULL, 1, half, out, NULL, 1, full, \
                               FFTW_ESTIMATE | (p->rank == 1 ? FFTW_PRESERVE_INPUT : 0)); \
    pthread_mutex_unlock(&lock); \
    P##execute(f); \
    pthread_mutex_lock(&lock); \
    P##destroy_plan(f); \
    pthread_mutex_unlock(&lock); \
  } while (0)

static unsigned run(void *arg)
{
  const job *j = arg;
  const plan *p = &j->p;
  const int wide = p->type == NV_CUFFT_Z2Z || p->type == NV_CUFFT_D2Z || p->type == NV_CUFFT_Z2D;
  const int real_in = p->type == NV_CUFFT_R2C || p->type == NV_CUFFT_D2Z;
  const int real_out = p->type == NV_CUFFT_C2R || p->type == NV_CUFFT_Z2D;
  const size_t real = wide ? 8 : 4;
  void *in = shim_memory(j->context, j->in, (size_t)p->batch * count(p, real_out) * real * (real_in ? 1 : 2));
  void *out = shim_memory(j->context, j->out, (size_t)p->batch * count(p, real_in) * real * (real_out ? 1 : 2));
  if (!in || !out || (!p->automatic && !shim_memory(j->context, (CUdeviceptr)(uintptr_t)p->work, WORK)))
    return NV_CUDA_ERROR_ILLEGAL_ADDRESS;
  if (!p->automatic)
    memset(shim_memory(j->context, (CUdeviceptr)(uintptr_t)p->work, WORK), 0x7f, WORK);
  if (wide)
    TRANSFORM(fftw_, double, in, out);
  else
    TRANSFORM(fftwf_, float, in, out);
  if (real_out && p->rank > 1 && in != out)
    memset(in, 0x7f, (size_t)p->batch * count(p, 1) * real * 2);
  return 0;
}

static unsigned submit(cufftHandle handle, int type, void *in, void *out, int sign)
{
  const job j = { plans[handle], shim_context_of(plans[handle].stream), (CUdeviceptr)(uintptr_t)in, (CUdeviceptr)(uintptr_t)out,
                  sign };
  FFT_CALL();
  return j.p.type != type ? 3 : shim_submit(j.p.stream, run, &j, sizeof j) ? 6 : 0; /* INVALID_TYPE, EXEC_FAILED */
}

unsigned cufftExecC2C(cufftHandle p, void *in, void *out, int direction) { return submit(p, NV_CUFFT_C2C, in, out, direction); }
unsigned cufftExecZ2Z(cufftHandle p, void *in, void *out, int direction) { return submit(p, NV_CUFFT_Z2Z, in, out, direction); }
unsigned cufftExecR2C(cufftHandle p, void *in, void *out) { return submit(p, NV_CUFFT_R2C, in, out, -1); }
unsigned cufftExecD2Z(cufftHandle p, void *in, void *out) { return submit(p, NV_CUFFT_D2Z, in, out, -1); }
unsigned cufftExecC2R(cufftHandle p, void *in, void *out) { return submit(p, NV_CUFFT_C2R, in, out, 1); }
unsigned cufftExecZ2D(cufftHandle p, void *in, void *out) { return submit(p, NV_CUFFT_Z2D, in, out, 1); }
