// SPDX-License-Identifier: BSD-3-Clause
/* opencl: what the driver's errors are here. L1. */
#include "backends/opencl/opencl.h"

int32_t ocl_status(const ocl_device *dev, cl_int code, const char *what)
{
  switch (code) {
  case CL_SUCCESS:
    return HED_OK;
  case CL_DEVICE_NOT_AVAILABLE:
    return dev->host->fail(HED_E_UNAVAILABLE, "%s: the device is not available any more (%s)", dev->name, what);
  case CL_MEM_OBJECT_ALLOCATION_FAILURE: case CL_OUT_OF_RESOURCES:
    return dev->host->fail(HED_E_DEVMEM, "%s: %s: out of memory or resources (OpenCL error %d)", dev->name, what, (int)code);
  case CL_OUT_OF_HOST_MEMORY:
    return dev->host->fail(HED_E_NOMEM, "%s: %s: out of host memory", dev->name, what);
  default:
    return dev->host->fail(HED_E_INTERNAL, "%s: %s failed with OpenCL error %d", dev->name, what, (int)code);
  }
}
