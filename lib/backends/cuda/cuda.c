// SPDX-License-Identifier: BSD-3-Clause
/* cuda: which devices there are, and the module's table. L1. */
#include "backends/cuda/rows/rows.h"
#include "backends/device/module.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_CAPABILITY = 75, SCORE = 40 };

/* The driver's numbers of the devices that serve, and why there are none. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUdevice serving[DEV_MOST_DEVICES];
static int32_t n_serving;
static char refusal[400];

/* ---- devices ---- */

static int attribute(const cuda_driver *cu, unsigned which, CUdevice device)
{
  int value = 0;
  return cu->cuDeviceGetAttribute(&value, which, device) == NV_CUDA_SUCCESS ? value : 0;
}

static int capability(const cuda_driver *cu, CUdevice device)
{
  return 10 * attribute(cu, NV_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) +
         attribute(cu, NV_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

static int32_t refuse(const cuda_driver *cu, unsigned error)
{
  const char *name = NULL;
  if (error == NV_CUDA_ERROR_NO_DEVICE)
    snprintf(refusal, sizeof refusal, "the driver has no device: none is installed, or CUDA_VISIBLE_DEVICES hides all");
  else if (cu->cuGetErrorName(error, &name) == NV_CUDA_SUCCESS && name)
    snprintf(refusal, sizeof refusal, "the driver did not start: cuInit: %s (are the nodes /dev/nvidia* here, and may this "
             "process open them?)", name);
  else
    snprintf(refusal, sizeof refusal, "the driver did not start: cuInit: error %u", error);
  return 0;
}

static int32_t count(void)
{
  const cuda_driver *cu = cuda_driver_get(refusal, sizeof refusal);
  CUdevice device;
  char name[96] = "";
  int n = 0;
  unsigned error = cu ? cu->cuInit(0) : 0;
  n_serving = 0;
  if (!cu)
    return 0;
  if (error == NV_CUDA_SUCCESS)
    error = cu->cuDeviceGetCount(&n);
  if (error == NV_CUDA_SUCCESS && n == 0)
    error = NV_CUDA_ERROR_NO_DEVICE;
  if (error != NV_CUDA_SUCCESS)
    return refuse(cu, error);
  for (int k = 0; k < n && n_serving < DEV_MOST_DEVICES; k++)
    if (cu->cuDeviceGet(&device, k) == NV_CUDA_SUCCESS) {
      if (capability(cu, device) >= LEAST_CAPABILITY)
        serving[n_serving++] = device;
      else
        (void)cu->cuDeviceGetName(name, sizeof name, device);
    }
  if (n_serving == 0)
    snprintf(refusal, sizeof refusal, "no device has compute capability %d.%d or more: %s has less", LEAST_CAPABILITY / 10,
             LEAST_CAPABILITY % 10, name[0] ? name : "the one that is here");
  return n_serving;
}

static int32_t devices(void)
{
  pthread_mutex_lock(&lock);
  refusal[0] = 0;
  const int32_t n = count();
  pthread_mutex_unlock(&lock);
  return n;
}

/* After devices found none, its reason, once: who tries again is to begin anew. */
static int32_t probe(char *why, size_t cap)
{
  pthread_mutex_lock(&lock);
  const bool refused = refusal[0];
  snprintf(why, cap, "%s", refusal);
  refusal[0] = 0;
  pthread_mutex_unlock(&lock);
  return !refused && cuda_driver_get(why, cap) ? SCORE : 0;
}

static void describe(cuda_device *d)
{
  const cuda_driver *cu = d->cu;
  size_t bytes = 0;
  if (cu->cuDeviceGetName(d->name, sizeof d->name, d->device) != NV_CUDA_SUCCESS)
    snprintf(d->name, sizeof d->name, "a device without a name");
  if (cu->cuDeviceTotalMem(&bytes, d->device) == NV_CUDA_SUCCESS)
    d->memory = bytes;
  d->architecture = capability(cu, d->device);
  d->units = attribute(cu, NV_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d->device);
  d->shared = (uint64_t)attribute(cu, NV_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, d->device);
}

/* Machine code depends on the architecture and on NVRTC, not on the driver: what is installed serves every driver. */
static void identify(cuda_device *d)
{
  const cuda_nvrtc *rtc = cuda_nvrtc_get();
  int major = 0, minor = 0;
  if (rtc)
    (void)rtc->nvrtcVersion(&major, &minor);
  snprintf(d->identity, sizeof d->identity, "cuda sm_%d nvrtc %d.%d", d->architecture, major, minor);
}

static int32_t open_device(const hed_host_api *host, int32_t index, cuda_device **out)
{
  cuda_device *d = index >= 0 && index < n_serving ? host->alloc(sizeof *d, 0) : NULL;
  if (index < 0 || index >= n_serving)
    return host->fail(HED_E_NOTFOUND, "cuda has devices 0 to %d, not %d", (int)n_serving - 1, (int)index);
  if (!d)
    return host->fail(HED_E_NOMEM, "cuda:%d: no memory for the device", (int)index);
  memset(d, 0, sizeof *d);
  d->host = host;
  d->cu = cuda_driver_get(NULL, 0);
  d->index = index;
  d->device = serving[index];
  d->fault = &d->said;
  pthread_mutex_init(&d->lock, NULL);
  snprintf(d->said_as, sizeof d->said_as, "cuda:%d", (int)index);
  cuda_times_init(d);
  describe(d);
  identify(d);
  const int32_t status = cuda_check(d, d->cu->cuDevicePrimaryCtxRetain(&d->context, d->device), "cuDevicePrimaryCtxRetain");
  if (status == HED_OK)
    *out = d;
  else
    host->free(d);
  return status;
}

/* ---- the module ---- */

static hed_plugin plugin; /* not changed once the host has it */

static int32_t init(const hed_host_api *host, int32_t index, void **state)
{
  cuda_device *d = NULL;
  dev_device *made = NULL;
  int32_t status = open_device(host, index, &d); /* kept, whatever follows: the context is retained for good */
  if (status == HED_OK)
    status = dev_open(&cuda_port, d, host, &plugin, index, &made);
  *state = made;
  return status;
}

/* The layer's rows, then ours, which count where both have one. */
enum { ROWS = 256 };
static hed_op_entry rows[ROWS];

static void list_rows(void)
{
  static const hed_op_entry own[] = {
    { "fft", cuda_fft, 0 }, { "matmul", cuda_matmul, 0 },
    { "lu", cuda_lu, 0 }, { "det", cuda_det, 0 }, { "solve", cuda_solve, 0 },
    { "solve_triangular", cuda_solve_triangular, 0 }, { "cholesky", cuda_cholesky, 0 }, { "qr", cuda_qr, 0 },
    { "eigh", cuda_eigh, 0 }, { "eigh_range", cuda_eigh_range, 0 }, { "eig", cuda_eig, 0 }, { "svd", cuda_svd, 0 },
    { NULL, NULL, 0 }
  };
  int n = 0;
  for (const hed_op_entry *r = dev_ops; r->name && n < ROWS - (int)(sizeof own / sizeof *own); r++)
    rows[n++] = *r;
  for (const hed_op_entry *r = own; r->name; r++)
    rows[n++] = *r;
  plugin.ops = rows;
}

static hed_plugin plugin = {
  .struct_size = sizeof plugin, .abi_major = HED_ABI_MAJOR, .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_, .op_names = hed_op_names, .name = "cuda", .version = HED_MODULE_VERSION,
  .probe = probe, .devices = devices, .init = init, .dlpack_device = 2, /* kDLCUDA */
  DEV_MEMBERS
};

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, list_rows);
  return host_major == HED_ABI_MAJOR && host_minor >= HED_ABI_MINOR ? &plugin : NULL;
}
