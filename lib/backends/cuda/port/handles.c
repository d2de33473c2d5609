// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows that libraries do have in common: a handle for each stream, statuses, types. L1. */
#include "backends/cuda/port/handles.h"

int32_t cuda_library_status(const cuda_device *d, unsigned error, unsigned no_memory, const char *library, const char *what)
{
  if (error == 0)
    return HED_OK;
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

void *cuda_handle_of(cuda_device *d, cuda_handle **list, CUstream stream, size_t size, const char *library,
                     int32_t (*make)(cuda_device *d, void *handle), int32_t *status)
{
  pthread_mutex_lock(&d->lock);
  cuda_handle *h = *list;
  pthread_mutex_unlock(&d->lock);
  while (h && h->stream != stream)
    h = h->next;
  *status = HED_OK;
  if (h)
    return h;
  h = d->host->alloc(size, 0);
  if (!h) {
    *status = d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a handle of %s", (int)d->index, library);
    return NULL;
  }
  memset(h, 0, size);
  h->stream = stream;
  if ((*status = make(d, h)) != HED_OK) {
    d->host->free(h);
    return NULL;
  }
  pthread_mutex_lock(&d->lock);
  h->next = *list;
  *list = h;
  pthread_mutex_unlock(&d->lock);
  return h;
}
