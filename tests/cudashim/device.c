// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: devices, contexts, and what fails. */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

pthread_mutex_t shim_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t shim_changed = PTHREAD_COND_INITIALIZER;
struct CUctx_st shim_context[MOST_DEVICES];

static int calls, fail_at;
static unsigned fail_code;
static const char *fail_name, *failed;
static bool initialised, traced;

enum { DEPTH = 16 };
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

#define DECLARE(name, arguments) HED_API unsigned name arguments;
#define DECLARE_VERSIONED(name, version, arguments) unsigned name arguments;
CUDA_FIRST(DECLARE)
CUDA_DRIVER(DECLARE_VERSIONED)

int shim_setting(const char *name, int otherwise)
{
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

/* ---- failures on request ---- */

static void read_settings(void)
{
  traced = shim_setting("CUDASHIM_TRACE", 0);
  const char *text = getenv("CUDASHIM_FAIL");
  if (text && sscanf(text, "%d %u", &fail_at, &fail_code) != 2)
    fail_at = 0;
}

static bool is_fatal(unsigned error)
{
  return error == NV_CUDA_ERROR_DEVICE_UNAVAILABLE || error == NV_CUDA_ERROR_CONTEXT_IS_DESTROYED ||
         error == NV_CUDA_ERROR_ECC_UNCORRECTABLE || error == NV_CUDA_ERROR_NVLINK_UNCORRECTABLE ||
         error == NV_CUDA_ERROR_CONTAINED || error == NV_CUDA_ERROR_ILLEGAL_ADDRESS || error == NV_CUDA_ERROR_LAUNCH_TIMEOUT ||
         (error >= NV_CUDA_ERROR_ASSERT && error <= NV_CUDA_ERROR_LAUNCH_FAILED);
}

unsigned shim_call(const char *name)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_settings);
  pthread_mutex_lock(&shim_lock);
  unsigned error = 0;
  calls++;
  if (fail_at > 0 && (!fail_name || strcmp(fail_name, name) == 0) && --fail_at == 0) {
    error = fail_code;
    failed = name;
    if (is_fatal(error) && shim_current())
      shim_current()->error = error;
  }
  if (!initialised && strcmp(name, "cuInit") != 0 && strcmp(name, "cuDriverGetVersion") != 0 &&
      strcmp(name, "cuGetErrorName") != 0)
    error = NV_CUDA_ERROR_NOT_INITIALIZED;
  pthread_mutex_unlock(&shim_lock);
  if (traced)
    fprintf(stderr, "cudashim: %s\n", name);
  return error;
}

void driver_fail(const char *name, int n, unsigned code)
{
  pthread_mutex_lock(&shim_lock);
  fail_name = name;
  fail_at = n;
  fail_code = code;
  failed = NULL;
  pthread_mutex_unlock(&shim_lock);
}

const char *driver_failed(void) { return failed; }

const char *driver_name(int k)
{
#define NAME_OF(name, since, arguments) #name,
  static const char *const names[] = { CUDA_DRIVER(NAME_OF) NULL };
  return names[k];
}

int driver_calls(void)
{
  pthread_mutex_lock(&shim_lock);
  const int n = calls;
  pthread_mutex_unlock(&shim_lock);
  return n;
}

/* ---- the driver ---- */

unsigned cuDriverGetVersion(int *version)
{
  *version = shim_setting("CUDASHIM_VERSION", 13000);
  return NV_CUDA_SUCCESS;
}

unsigned cuGetProcAddress_v2(const char *symbol, void **fn, int version, uint64_t flags, unsigned *status)
{
#define ROW(name, since, arguments) { #name, since, (void (*)(void))name },
  static const struct { const char *name; int since; void (*fn)(void); } rows[] = { CUDA_DRIVER(ROW) };
  const char *lacking = getenv("CUDASHIM_LACKS");
  (void)flags;
  *fn = NULL;
  *status = 1; /* there is no such symbol */
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(rows[k].name, symbol) == 0 && !(lacking && strcmp(lacking, symbol) == 0)) {
      if (version < rows[k].since) /* another form of it, which there is not here */
        return NV_CUDA_ERROR_NOT_FOUND;
      memcpy(fn, &rows[k].fn, sizeof *fn);
      *status = 0;
    }
  return *fn ? NV_CUDA_SUCCESS : NV_CUDA_ERROR_NOT_FOUND;
}

unsigned cuInit(unsigned flags)
{
  CALL();
  const int error = shim_setting("CUDASHIM_INIT", 0);
  if (flags)
    return NV_CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&shim_lock);
  initialised = error == 0;
  pthread_mutex_unlock(&shim_lock);
  return (unsigned)error;
}

unsigned cuGetErrorName(unsigned error, const char **name)
{
#define NAME(name, value) { #name, value },
  static const struct { const char *name; int value; } rows[] = { CUDA_VALUES(NAME) };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if ((unsigned)rows[k].value == error && strncmp(rows[k].name, "CUDA_", 5) == 0) {
      *name = rows[k].name;
      return NV_CUDA_SUCCESS;
    }
  *name = NULL;
  return NV_CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices ---- */

static int devices(void)
{
  const int n = shim_setting("CUDASHIM_DEVICES", 2);
  return n < MOST_DEVICES ? n : MOST_DEVICES;
}

unsigned cuDeviceGetCount(int *count)
{
  CALL();
  *count = devices();
  return NV_CUDA_SUCCESS;
}

unsigned cuDeviceGet(CUdevice *device, int ordinal)
{
  CALL();
  *device = ordinal;
  return ordinal >= 0 && ordinal < devices() ? NV_CUDA_SUCCESS : NV_CUDA_ERROR_INVALID_DEVICE;
}

unsigned cuDeviceGetName(char *name, int cap, CUdevice device)
{
  CALL();
  snprintf(name, (size_t)cap, "shim %d", device);
  return NV_CUDA_SUCCESS;
}

unsigned cuDeviceGetAttribute(int *value, unsigned attribute, CUdevice device)
{
  const int capability = shim_setting("CUDASHIM_CAPABILITY", 90);
  CALL();
  (void)device;
  switch (attribute) {
  case NV_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability / 10; break;
  case NV_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability % 10; break;
  case NV_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
  case NV_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
  default: return NV_CUDA_ERROR_INVALID_VALUE;
  }
  return NV_CUDA_SUCCESS;
}

static size_t memory_bytes(void) { return (size_t)shim_setting("CUDASHIM_MEMORY", 1024) << 20; }

unsigned cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
  CALL();
  (void)device;
  *bytes = memory_bytes();
  return NV_CUDA_SUCCESS;
}

unsigned cuDeviceCanAccessPeer(int *yes, CUdevice device, CUdevice peer)
{
  CALL();
  *yes = device != peer;
  return NV_CUDA_SUCCESS;
}

/* ---- contexts ---- */

unsigned cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
  CUcontext c = &shim_context[device];
  CALL();
  pthread_mutex_lock(&shim_lock);
  if (!c->retained++) {
    c->device = device;
    c->bytes = memory_bytes();
    c->memory = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->address = mmap(NULL, c->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  pthread_mutex_unlock(&shim_lock);
  *context = c;
  return c->memory == MAP_FAILED || c->address == MAP_FAILED ? NV_CUDA_ERROR_OUT_OF_MEMORY : NV_CUDA_SUCCESS;
}

CUcontext shim_current(void) { return depth ? stack[depth - 1] : NULL; }

int cudashim_depth(void) { return depth; }

unsigned cuCtxGetCurrent(CUcontext *context)
{
  CALL();
  *context = shim_current();
  return NV_CUDA_SUCCESS;
}

unsigned cuCtxPushCurrent(CUcontext context)
{
  CALL();
  if (!context || depth == DEPTH)
    return NV_CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = context;
  return NV_CUDA_SUCCESS;
}

/* Never fails on request: a program that could not take a context down again could not leave the stack as it was. */
unsigned cuCtxPopCurrent(CUcontext *context)
{
  if (!depth)
    return NV_CUDA_ERROR_INVALID_CONTEXT;
  *context = stack[--depth];
  return NV_CUDA_SUCCESS;
}

unsigned cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
  CALL_IN(c);
  (void)flags;
  pthread_mutex_lock(&shim_lock);
  const bool already = c->peers[peer->device];
  c->peers[peer->device] = true;
  pthread_mutex_unlock(&shim_lock);
  return already ? NV_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : NV_CUDA_SUCCESS;
}
