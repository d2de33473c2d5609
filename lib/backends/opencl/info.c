// SPDX-License-Identifier: BSD-3-Clause
/* opencl: what a device is, and can do. L1. */
#include "backends/opencl/opencl.h"
#include <stdio.h>
#include <string.h>

static void text_of(cl_device_id id, cl_device_info what, char *out, size_t cap)
{
  if (clGetDeviceInfo(id, what, cap, out, NULL) != CL_SUCCESS)
    out[0] = 0;
  out[cap - 1] = 0;
}

static uint64_t number_of(cl_device_id id, cl_device_info what)
{
  cl_ulong x = 0; /* as large as any of them; shorter ones fill the low bytes */
  return clGetDeviceInfo(id, what, sizeof x, &x, NULL) == CL_SUCCESS ? x : 0;
}

/* A word of a list that blanks separate? */
static bool has_word(const char *list, const char *word)
{
  const size_t n = strlen(word);
  for (const char *p = list; (p = strstr(p, word)) != NULL; p += n)
    if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
      return true;
  return false;
}

/* All that changes what a compiler makes, one text. */
static char *identity_of(const ocl_device *dev, const char *extensions)
{
  char version[OCL_TEXT], c_version[OCL_TEXT], vendor[OCL_TEXT], platform[OCL_TEXT] = "";
  text_of(dev->id, CL_DEVICE_VERSION, version, sizeof version);
  text_of(dev->id, CL_DEVICE_OPENCL_C_VERSION, c_version, sizeof c_version);
  text_of(dev->id, CL_DEVICE_VENDOR, vendor, sizeof vendor);
  (void)clGetPlatformInfo(dev->platform, CL_PLATFORM_VERSION, sizeof platform, platform, NULL);
  platform[sizeof platform - 1] = 0;
  const size_t n = strlen(extensions) + 8 * OCL_TEXT;
  char *s = dev->host->alloc(n, 0);
  if (s)
    snprintf(s, n, "opencl\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%u\n%s\n", dev->platform_name, platform, vendor, dev->title, version,
             c_version, dev->driver, (unsigned)number_of(dev->id, CL_DEVICE_VENDOR_ID), extensions);
  return s;
}

int32_t ocl_info(ocl_device *dev)
{
  const cl_device_id id = dev->id;
  dev_limits *l = &dev->limits;
  cl_device_type type = 0;
  cl_device_fp_config fp32 = 0;
  size_t bytes = 0;
  (void)clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
  char *extensions = dev->host->alloc(bytes + 1, 0);
  if (!extensions)
    return dev->host->fail(HED_E_NOMEM, "opencl: no memory for the names of extensions");
  extensions[0] = extensions[bytes] = 0;
  (void)clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, bytes, extensions, NULL);
  text_of(id, CL_DEVICE_NAME, dev->title, sizeof dev->title);
  text_of(id, CL_DRIVER_VERSION, dev->driver, sizeof dev->driver);
  (void)clGetPlatformInfo(dev->platform, CL_PLATFORM_NAME, sizeof dev->platform_name, dev->platform_name, NULL);
  dev->platform_name[sizeof dev->platform_name - 1] = 0;
  (void)clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  (void)clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof fp32, &fp32, NULL);
  const uint64_t group = number_of(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  *l = (dev_limits){
    .is_cpu = type & CL_DEVICE_TYPE_CPU,
    .float64 = has_word(extensions, "cl_khr_fp64"),
    .float16 = has_word(extensions, "cl_khr_fp16"),
    .exact_divide = fp32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
    .block = type & CL_DEVICE_TYPE_CPU ? 64 : 256,
    .rows = 8,
    .binaries = !(type & CL_DEVICE_TYPE_CPU), /* PoCL would compile all kernels for it, and keeps those that were launched itself */
    .units = (uint32_t)number_of(id, CL_DEVICE_MAX_COMPUTE_UNITS),
    .local_bytes = number_of(id, CL_DEVICE_LOCAL_MEM_SIZE),
    .memory = number_of(id, CL_DEVICE_GLOBAL_MEM_SIZE),
    .largest = number_of(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
    .args = number_of(id, CL_DEVICE_MAX_PARAMETER_SIZE),
  };
  if (group && l->block > group)
    l->block = (uint32_t)group;
  dev->identity = identity_of(dev, extensions);
  dev->host->free(extensions);
  return dev->identity ? HED_OK : dev->host->fail(HED_E_NOMEM, "opencl: no memory for a device's description");
}

void ocl_limits(void *dev, dev_limits *out) { *out = ((ocl_device *)dev)->limits; }
const char *ocl_identity(void *dev) { return ((ocl_device *)dev)->identity; }

void ocl_describe(void *state, char *buf, size_t cap)
{
  const ocl_device *dev = state;
  const dev_limits *l = &dev->limits;
  snprintf(buf, cap, "%s, %s, driver %s, %u units, %llu MiB%s%s", dev->title, dev->platform_name, dev->driver, (unsigned)l->units,
           (unsigned long long)(l->memory >> 20), l->float64 ? "" : ", no float64", l->is_cpu ? ", a processor" : "");
}
