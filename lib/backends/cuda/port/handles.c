// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows that libraries do have in common: a handle for each stream, statuses, types. L1. */
#include "backends/cuda/port/handles.h"

int32_t hed__cuda_library_status(const hed__cuda_device *d, unsigned error, unsigned no_memory, const char *library, const char *what)
{
  if (error == 0)
    return HED_OK;
  return d->host->fail(error == no_memory ? HED_E_DEVMEM : HED_E_ASYNC, "cuda:%d: %s: %s's status %u", (int)d->index, what, library,
                       error);
}

int32_t hed__cuda_blas_status(const hed__cuda_device *d, unsigned error, const char *library, const char *what)
{
  return error == HED__CUBLAS_STATUS_NOT_SUPPORTED ? HED_E_UNSUPPORTED
         : hed__cuda_library_status(d, error, HED__CUBLAS_STATUS_ALLOC_FAILED, library, what);
}

int hed__cuda_type(int32_t dtype)
{
  switch (dtype) {
  case HED_ID_FLOAT16: return HED__CUDA_R_16F;
  case HED_ID_BFLOAT16: return HED__CUDA_R_16BF;
  case HED_ID_FLOAT32: return HED__CUDA_R_32F;
  case HED_ID_FLOAT64: return HED__CUDA_R_64F;
  case HED_ID_COMPLEX64: return HED__CUDA_C_32F;
  case HED_ID_COMPLEX128: return HED__CUDA_C_64F;
  default: return -1;
  }
}

const void *hed__cuda_constant(bool one, bool wide)
{
  static const float narrow[2][2] = { { 0, 0 }, { 1, 0 } };
  static const double values[2][2] = { { 0, 0 }, { 1, 0 } };
  return wide ? (const void *)values[one] : narrow[one];
}

void *hed__cuda_handle_of(hed__cuda_device *d, hed__cuda_handle **list, CUstream stream, size_t size, const char *library,
                          int32_t (*make)(hed__cuda_device *d, void *handle), int32_t *status)
{
  pthread_mutex_lock(&d->lock);
  hed__cuda_handle *h = *list;
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
