// SPDX-License-Identifier: BSD-3-Clause
/* opencl: the module. L1. */
#include "backends/opencl/opencl.h"
#include "backends/device/module.h"
#include <heddle/op_names.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const hed_plugin plugin;
static atomic_bool found_none;

/* Chosen by name: on a processor the cpu backend is better, and which devices there are is not known yet. */
static int32_t probe(char *why, size_t cap)
{
  if (atomic_exchange(&found_none, false)) { /* after devices found none, once: who tries again is to begin anew */
    ocl_no_devices(why, cap);
    return 0;
  }
  return ocl_installed(why, cap) ? 1 : 0;
}

static int32_t devices(void)
{
  cl_int code;
  const int32_t n = ocl_devices(NULL, DEV_MOST_DEVICES, &code);
  atomic_store(&found_none, n == 0);
  return n;
}

static void drop(ocl_device *dev)
{
  if (dev->setup)
    clReleaseCommandQueue(dev->setup);
  if (dev->context)
    clReleaseContext(dev->context);
  dev->host->free(dev->identity);
  dev->host->free(dev);
}

static int32_t start(ocl_device *dev)
{
  cl_int code;
  int32_t status = ocl_info(dev);
  if (status != HED_OK)
    return status;
  if (!ocl_memory_init(dev))
    return dev->host->fail(HED_E_NOMEM, "%s: no address space for the device's memory", dev->name);
  const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)dev->platform, 0 };
  if (!(dev->context = clCreateContext(properties, 1, &dev->id, NULL, NULL, &code)))
    return dev->host->fail(HED_E_UNAVAILABLE, "%s: no context (%s, %d)", dev->name, ocl_error_name(code), (int)code);
  if (!(dev->setup = clCreateCommandQueue(dev->context, dev->id, 0, &code)))
    return dev->host->fail(HED_E_UNAVAILABLE, "%s: no queue (%s, %d)", dev->name, ocl_error_name(code), (int)code);
  return HED_OK;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  cl_device_id all[DEV_MOST_DEVICES];
  dev_device *d;
  cl_int code;
  const int32_t n = ocl_devices(all, DEV_MOST_DEVICES, &code);
  if (device >= n && code != CL_SUCCESS)
    return host->fail(HED_E_UNAVAILABLE, "opencl:%d: a driver does not tell its devices: %s (%d)", (int)device,
                      ocl_error_name(code), (int)code);
  if (device < 0 || device >= n)
    return host->fail(HED_E_NOTFOUND, "opencl: there are %d devices, and no device %d", (int)n, (int)device);
  ocl_device *dev = host->alloc(sizeof *dev, 0);
  if (!dev)
    return host->fail(HED_E_NOMEM, "opencl:%d: no memory for the device", (int)device);
  memset(dev, 0, sizeof *dev);
  dev->host = host;
  dev->id = all[device];
  dev->fault = &dev->said;
  snprintf(dev->name, sizeof dev->name, "opencl:%d", (int)device);
  pthread_mutex_init(&dev->lock, NULL);
  ocl_times_init(dev);
  (void)clGetDeviceInfo(dev->id, CL_DEVICE_PLATFORM, sizeof dev->platform, &dev->platform, NULL);
  int32_t status = start(dev);
  if (status == HED_OK)
    status = dev_open(&ocl_port, dev, host, &plugin, device, &d);
  if (status == HED_OK)
    *state = d;
  else
    drop(dev);
  return status;
}

static const hed_plugin plugin = {
  .struct_size = sizeof plugin, .abi_major = HED_ABI_MAJOR, .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_, .op_names = hed_op_names, .name = "opencl", .version = HED_MODULE_VERSION,
  .probe = probe, .devices = devices, .init = init,
  DEV_MEMBERS,
};

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  return host_major == HED_ABI_MAJOR && host_minor >= HED_ABI_MINOR ? &plugin : NULL;
}
