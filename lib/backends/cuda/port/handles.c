// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows that libraries do have in common: a handle for each stream, statuses, types. L1. */
#include "backends/cuda/port/handles.h"

int32_t cuda_library_status(const cuda_device *d, unsigned error, unsigned no_memory, const char *library, const char *what)
{
  if (error == 0)
    return HED_OK;
  const unsigned of_driver = d->cu->cuStreamQuery(NULL); /* what has ended the context every function says */
  if (of_driver != NV_CUDA_SUCCESS && of_driver != NV_CUDA_ERROR_NOT_READY)
    return cuda_check(d, of_driver, what);
  return d->host->fail(error == no_memory ? HED_E_DEVMEM : HED_E_ASYNC, "cuda:%d: %s: %s's status %u", (int)d->index, what, library,
                       error);
}

int32_t cuda_blas_status(const cuda_device *d, unsigned error, const char *library, const char *what)
{
  return error == NV_CUBLAS_STATUS_NOT_SUPPORTED ? HED_E_UNSUPPORTED
         : cuda_library_status(d, error, NV_CUBLAS_STATUS_ALLOC_FAILED, library, what);
}

int cuda_type(int32_t dtype)
{
  switch (dtype) {
  case HED_ID_FLOAT16: return NV_CUDA_R_16F;
  case HED_ID_BFLOAT16: return NV_CUDA_R_16BF;
  case HED_ID_FLOAT32: return NV_CUDA_R_32F;
  case HED_ID_FLOAT64: return NV_CUDA_R_64F;
  case HED_ID_COMPLEX64: return NV_CUDA_C_32F;
  case HED_ID_COMPLEX128: return NV_CUDA_C_64F;
  default: return -1;
  }
}

const void *cuda_constant(bool one, bool wide)
{
  static const float narrow[2][2] = { { 0, 0 }, { 1, 0 } };
  static const double values[2][2] = { { 0, 0 }, { 1, 0 } };
  return wide ? (const void *)values[one] : narrow[one];
}

static void drop_handle(cuda_device *d, cuda_handle *h)
{
  if (h)
    h->drop(d, h);
  d->host->free(h);
}

void *cuda_handle_of(cuda_device *d, cuda_handle **place, const cuda_stream *stream, size_t size, const char *library,
                     int32_t (*make)(cuda_device *d, void *handle), void (*drop)(cuda_device *d, void *handle), int32_t *status)
{
  *status = HED_OK;
  if (*place)
    return *place;
  cuda_handle *h = d->host->alloc(size, 0);
  if (!h) {
    *status = d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a handle of %s", (int)d->index, library);
    return NULL;
  }
  memset(h, 0, size);
  *h = (cuda_handle){ .stream = stream->of, .drop = drop };
  if ((*status = make(d, h)) == HED_OK)
    return *place = h;
  drop_handle(d, h);
  return NULL;
}

void cuda_handles_drop(cuda_device *d, cuda_stream *s)
{
  bool pushed;
  if (cuda_enter(d, &pushed) == HED_OK) {
    drop_handle(d, s->blas);
    drop_handle(d, s->lt);
    drop_handle(d, s->solver);
    cuda_leave(d, pushed);
  }
  s->blas = s->lt = s->solver = NULL;
}
