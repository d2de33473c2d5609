// SPDX-License-Identifier: BSD-3-Clause
/* cuda: a device's context is the thread's current one for a call, and what the driver's errors are here. L1. */
#include "backends/cuda/port/cuda.h"

int32_t cuda_enter(const cuda_device *d, bool *pushed)
{
  CUcontext now = NULL;
  unsigned error = d->cu->cuCtxGetCurrent(&now);
  *pushed = false;
  if (error == NV_CUDA_SUCCESS && now != d->context) {
    error = d->cu->cuCtxPushCurrent(d->context);
    *pushed = error == NV_CUDA_SUCCESS;
  }
  return cuda_check(d, error, "cuCtxPushCurrent");
}

void cuda_leave(const cuda_device *d, bool pushed)
{
  CUcontext popped;
  if (pushed)
    (void)d->cu->cuCtxPopCurrent(&popped);
}

/* Errors after which the context answers nothing else any more. */
static bool is_fatal(unsigned error)
{
  switch (error) {
  case NV_CUDA_ERROR_DEVICE_UNAVAILABLE:
  case NV_CUDA_ERROR_ECC_UNCORRECTABLE:
  case NV_CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case NV_CUDA_ERROR_ILLEGAL_ADDRESS:
  case NV_CUDA_ERROR_LAUNCH_TIMEOUT:
  case NV_CUDA_ERROR_ASSERT:
  case NV_CUDA_ERROR_HARDWARE_STACK_ERROR:
  case NV_CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case NV_CUDA_ERROR_MISALIGNED_ADDRESS:
  case NV_CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case NV_CUDA_ERROR_INVALID_PC:
  case NV_CUDA_ERROR_LAUNCH_FAILED:
  case NV_CUDA_ERROR_CONTAINED:
    return true;
  default:
    return false;
  }
}

int32_t cuda_check(const cuda_device *d, unsigned error, const char *what)
{
  const char *name = NULL;
  if (error == NV_CUDA_SUCCESS)
    return HED_OK;
  if (d->cu->cuGetErrorName(error, &name) != NV_CUDA_SUCCESS || !name)
    name = "an error without a name";
  return d->host->fail(error == NV_CUDA_ERROR_OUT_OF_MEMORY ? HED_E_DEVMEM : is_fatal(error) ? HED_E_UNAVAILABLE : HED_E_ASYNC,
                       "cuda:%d: %s: %s (%u)", (int)d->index, what, name, error);
}
