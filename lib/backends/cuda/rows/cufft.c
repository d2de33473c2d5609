// SPDX-License-Identifier: BSD-3-Clause
/* cuda: Fourier transforms by cuFFT. L1.
 *
 * A plan's work space comes with each call, so that streams share the plan. From half complex to real in more than one dimension
 * cuFFT writes into its operand: that is copied first, into the same space.
 */
#include "backends/cuda/port/handles.h"

typedef struct plan {
  const cuda_cufft *fft;
  cufftHandle handle;
  unsigned type;
  int sign;
  size_t work_bytes;
  size_t in_front;               /* of the work space: for the operand, */
  size_t copy_bytes;             /* where it is copied */
} plan;

static const size_t alignment = 256;

static unsigned type_of(const cuda_fft_spec *s)
{
  switch (s->dtype) {
  case HED_ID_COMPLEX64: return NV_CUFFT_C2C;
  case HED_ID_COMPLEX128: return NV_CUFFT_Z2Z;
  case HED_ID_FLOAT32: return s->sign < 0 ? NV_CUFFT_R2C : NV_CUFFT_C2R;
  case HED_ID_FLOAT64: return s->sign < 0 ? NV_CUFFT_D2Z : NV_CUFFT_Z2D;
  default: return 0;
  }
}

static int32_t status_of(const cuda_device *d, unsigned error, const char *what)
{
  return cuda_library_status(d, error, NV_CUFFT_ALLOC_FAILED, "cuFFT", what);
}

static void destroy(cuda_device *d, plan *p)
{
  (void)p->fft->cufftDestroy(p->handle);
  d->host->free(p);
}

static int32_t make(cuda_device *d, const cuda_fft_spec *s, plan *p)
{
  long long n[3];
  int64_t spectrum = s->batch;
  for (int32_t k = 0; k < s->rank; k++) {
    n[k] = s->n[k];
    spectrum *= k == s->rank - 1 ? s->n[k] / 2 + 1 : s->n[k];
  }
  if ((p->type == NV_CUFFT_C2R || p->type == NV_CUFFT_Z2D) && s->rank > 1)
    p->copy_bytes = (size_t)spectrum * (s->dtype == HED_ID_FLOAT32 ? 8 : 16);
  p->in_front = (p->copy_bytes + alignment - 1) / alignment * alignment;
  unsigned error = p->fft->cufftSetAutoAllocation(p->handle, 0);
  if (error == NV_CUFFT_SUCCESS)
    error = p->fft->cufftMakePlanMany64(p->handle, s->rank, n, NULL, 1, 0, NULL, 1, 0, p->type, s->batch, &p->work_bytes);
  return status_of(d, error, "a plan");
}

int32_t cuda_fft_make(void *dev, const cuda_fft_spec *spec, void **out)
{
  cuda_device *d = dev;
  const cuda_cufft *fft = cuda_cufft_get();
  bool pushed;
  if (!fft || !type_of(spec) || spec->rank < 1 || spec->rank > 3)
    return HED_E_UNSUPPORTED;
  plan *p = d->host->alloc(sizeof *p, 0);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a plan", (int)d->index);
  *p = (plan){ .fft = fft, .type = type_of(spec), .sign = spec->sign };
  int32_t status = cuda_enter(d, &pushed);
  if (status == HED_OK) {
    status = status_of(d, fft->cufftCreate(&p->handle), "cufftCreate");
    if (status == HED_OK && (status = make(d, spec, p)) != HED_OK) {
      destroy(d, p);
      p = NULL;
    }
    cuda_leave(d, pushed);
  }
  if (status == HED_OK)
    *out = p;
  else
    d->host->free(p);
  return status;
}

static unsigned run(const plan *p, void *in, void *out)
{
  switch (p->type) {
  case NV_CUFFT_C2C: return p->fft->cufftExecC2C(p->handle, in, out, p->sign < 0 ? NV_CUFFT_FORWARD : NV_CUFFT_INVERSE);
  case NV_CUFFT_Z2Z: return p->fft->cufftExecZ2Z(p->handle, in, out, p->sign < 0 ? NV_CUFFT_FORWARD : NV_CUFFT_INVERSE);
  case NV_CUFFT_R2C: return p->fft->cufftExecR2C(p->handle, in, out);
  case NV_CUFFT_D2Z: return p->fft->cufftExecD2Z(p->handle, in, out);
  case NV_CUFFT_C2R: return p->fft->cufftExecC2R(p->handle, in, out);
  default: return p->fft->cufftExecZ2D(p->handle, in, out);
  }
}

int32_t cuda_fft_run(void *dev, void *to, void *made, void *work, void *in, void *out)
{
  const cuda_stream *s = to;
  const CUstream stream = s->of;
  cuda_device *d = dev;
  plan *p = made;
  bool pushed;
  int32_t status = cuda_enter(d, &pushed);
  if (status != HED_OK)
    return status;
  CUevent begun = cuda_time_begin(d, s);
  if (p->copy_bytes && in != out) {
    const unsigned error = d->cu->cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)work, (CUdeviceptr)(uintptr_t)in, p->copy_bytes,
                                                    stream);
    status = cuda_check(d, error, "cuMemcpyDtoDAsync");
    in = work;
  }
  if (status == HED_OK)
    status = status_of(d, p->fft->cufftSetStream(p->handle, stream), "cufftSetStream");
  if (status == HED_OK && p->work_bytes > 0)
    status = status_of(d, p->fft->cufftSetWorkArea(p->handle, (char *)work + p->in_front), "a plan's work space");
  if (status == HED_OK)
    status = status_of(d, run(p, in, out), "a transform");
  cuda_time_end(d, s, begun, "cufftExec");
  cuda_leave(d, pushed);
  return status;
}

void cuda_fft_free(void *dev, void *made)
{
  cuda_device *d = dev;
  bool pushed;
  if (!made || cuda_enter(d, &pushed) != HED_OK)
    return;
  destroy(d, made);
  cuda_leave(d, pushed);
}

size_t cuda_fft_bytes(const void *made) { return ((const plan *)made)->in_front + ((const plan *)made)->work_bytes; }
