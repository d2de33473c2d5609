// SPDX-License-Identifier: BSD-3-Clause
/* cuda: a device's context is the thread's current one for a call, and what the driver's errors are here. L1. */
#include "backends/cuda/port/cuda.h"
#include <stdio.h>

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
    cuda_note(d, d->cu->cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
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
  case NV_CUDA_ERROR_DEINITIALIZED:
  case NV_CUDA_ERROR_CONTEXT_IS_DESTROYED:
    return true;
  default:
    return false;
  }
}

enum { TEXT = sizeof ((dev_fault *)NULL)->text };

static const char *words(const cuda_device *d, unsigned error, const char *what, char text[TEXT])
{
  const char *name = NULL;
  if (d->cu->cuGetErrorName(error, &name) != NV_CUDA_SUCCESS || !name)
    name = "an error without a name";
  snprintf(text, TEXT, "%s: %s (%u)", what, name, error);
  return text;
}

void cuda_note(const cuda_device *d, unsigned error, const char *what)
{
  char text[TEXT];
  if (is_fatal(error))
    dev_fault_say(d->fault, words(d, error, what, text));
}

int32_t cuda_check(const cuda_device *d, unsigned error, const char *what)
{
  char text[TEXT];
  if (error == NV_CUDA_SUCCESS)
    return HED_OK;
  cuda_note(d, error, what);
  return d->host->fail(error == NV_CUDA_ERROR_OUT_OF_MEMORY ? HED_E_DEVMEM : is_fatal(error) ? HED_E_UNAVAILABLE : HED_E_ASYNC,
                       "cuda:%d: %s", (int)d->index, words(d, error, what, text));
}
