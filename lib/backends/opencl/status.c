// SPDX-License-Identifier: BSD-3-Clause
/* opencl: what the driver's errors are here. L1. */
#include "backends/opencl/opencl.h"
#include <stdio.h>

const char *ocl_error_name(cl_int code)
{
#define ROW(name) { name, #name }
  static const struct { cl_int code; const char *name; } rows[] = {
    ROW(CL_DEVICE_NOT_FOUND), ROW(CL_DEVICE_NOT_AVAILABLE), ROW(CL_COMPILER_NOT_AVAILABLE), ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ROW(CL_OUT_OF_RESOURCES), ROW(CL_OUT_OF_HOST_MEMORY), ROW(CL_MEM_COPY_OVERLAP), ROW(CL_BUILD_PROGRAM_FAILURE),
    ROW(CL_MAP_FAILURE), ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET), ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ROW(CL_COMPILE_PROGRAM_FAILURE), ROW(CL_LINK_PROGRAM_FAILURE), ROW(CL_INVALID_VALUE), ROW(CL_INVALID_DEVICE),
    ROW(CL_INVALID_CONTEXT), ROW(CL_INVALID_QUEUE_PROPERTIES), ROW(CL_INVALID_COMMAND_QUEUE), ROW(CL_INVALID_HOST_PTR),
    ROW(CL_INVALID_MEM_OBJECT), ROW(CL_INVALID_BINARY), ROW(CL_INVALID_BUILD_OPTIONS), ROW(CL_INVALID_PROGRAM),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE), ROW(CL_INVALID_KERNEL_NAME), ROW(CL_INVALID_KERNEL_DEFINITION), ROW(CL_INVALID_KERNEL),
    ROW(CL_INVALID_ARG_INDEX), ROW(CL_INVALID_ARG_VALUE), ROW(CL_INVALID_ARG_SIZE), ROW(CL_INVALID_KERNEL_ARGS),
    ROW(CL_INVALID_WORK_DIMENSION), ROW(CL_INVALID_WORK_GROUP_SIZE), ROW(CL_INVALID_WORK_ITEM_SIZE), ROW(CL_INVALID_EVENT_WAIT_LIST),
    ROW(CL_INVALID_EVENT), ROW(CL_INVALID_OPERATION), ROW(CL_INVALID_BUFFER_SIZE), ROW(CL_INVALID_GLOBAL_WORK_SIZE),
  };
#undef ROW
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].code == code)
      return rows[k].name;
  return "OpenCL error";
}

int32_t ocl_status(const ocl_device *dev, cl_int code, const char *what)
{
  char text[sizeof dev->fault->text];
  if (code == CL_SUCCESS)
    return HED_OK;
  const bool lost = code == CL_DEVICE_NOT_AVAILABLE;
  const int32_t status = lost ? HED_E_UNAVAILABLE
                         : code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ? HED_E_DEVMEM
                         : code == CL_OUT_OF_HOST_MEMORY ? HED_E_NOMEM : HED_E_INTERNAL;
  snprintf(text, sizeof text, "%s: %s (%d)", what, ocl_error_name(code), (int)code);
  if (lost)
    dev_fault_say(dev->fault, text);
  return dev->host->fail(status, "%s: %s", dev->name, text);
}
