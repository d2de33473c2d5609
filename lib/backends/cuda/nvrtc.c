// SPDX-License-Identifier: BSD-3-Clause
/* cuda: programs, from their text by NVRTC or from what that made earlier. L1.
 *
 * The result is machine code for the device's architecture, which the driver takes as it is. NVRTC that is older than the device
 * makes PTX for the newest architecture below it that it knows; the driver compiles that.
 */
#include "backends/cuda/cuda.h"
#include <stdio.h>
#include <string.h>

typedef struct program {
  CUmodule module;
  size_t bytes;
  char image[];    /* and a NUL, as PTX needs it */
} program;

static int32_t load_image(hed__cuda_device *d, program *p, bool foreign, void **out)
{
  bool pushed;
  int32_t status = hed__cuda_enter(d, &pushed);
  if (status == HED_OK) {
    const unsigned error = d->cu->cuModuleLoadData(&p->module, p->image);
    if (foreign && error != HED__CUDA_SUCCESS && error != HED__CUDA_ERROR_OUT_OF_MEMORY)
      status = HED_E_FORMAT;
    else
      status = hed__cuda_check(d, error, "cuModuleLoadData");
    hed__cuda_leave(d, pushed);
  }
  if (status == HED_OK)
    *out = p;
  else
    d->host->free(p);
  return status;
}

static program *program_new(hed__cuda_device *d, size_t bytes)
{
  program *p = d->host->alloc(sizeof *p + bytes + 1, 0);
  if (p) {
    p->module = NULL;
    p->bytes = bytes;
    p->image[bytes] = 0;
  }
  return p;
}

int32_t hed__cuda_load(void *dev, const void *binary, size_t bytes, void **out)
{
  hed__cuda_device *d = dev;
  program *p = program_new(d, bytes);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program", (int)d->index);
  memcpy(p->image, binary, bytes);
  return load_image(d, p, true, out);
}

/* The newest architecture up to the device's that NVRTC knows; 0: none. */
static int known_architecture(const hed__cuda_nvrtc *rtc, int most)
{
  enum { MOST = 64 };
  int archs[MOST], n = 0, best = 0;
  if (rtc->nvrtcGetNumSupportedArchs(&n) != 0 || n > MOST || rtc->nvrtcGetSupportedArchs(archs) != 0)
    return 0;
  for (int k = 0; k < n; k++)
    if (archs[k] <= most && archs[k] > best)
      best = archs[k];
  return best;
}

/* Of REAL architectures the machine code, else PTX. */
static program *result_of(hed__cuda_device *d, const hed__cuda_nvrtc *rtc, nvrtcProgram made, bool real)
{
  size_t bytes = 0;
  if ((real ? rtc->nvrtcGetCUBINSize : rtc->nvrtcGetPTXSize)(made, &bytes) != 0 || bytes == 0)
    return NULL;
  program *p = program_new(d, bytes);
  if (p && (real ? rtc->nvrtcGetCUBIN : rtc->nvrtcGetPTX)(made, p->image) != 0) {
    d->host->free(p);
    p = NULL;
  }
  return p;
}

static void read_log(hed__cuda_device *d, const hed__cuda_nvrtc *rtc, nvrtcProgram made, char *log, size_t cap)
{
  size_t bytes = 0;
  log[0] = 0;
  if (rtc->nvrtcGetProgramLogSize(made, &bytes) != 0 || bytes < 2)
    return;
  char *text = d->host->alloc(bytes, 0);
  if (text && rtc->nvrtcGetProgramLog(made, text) == 0)
    snprintf(log, cap, "%.*s", (int)bytes, text);
  d->host->free(text);
}

/* No fused multiply-add, no flushing of denormals, IEEE division and square root: the same bits as on the host. */
int32_t hed__cuda_build(void *dev, const char *source, size_t bytes, void **out, char *log, size_t cap)
{
  hed__cuda_device *d = dev;
  const hed__cuda_nvrtc *rtc = hed__cuda_nvrtc_get();
  char target[40];
  log[0] = 0;
  if (!rtc)
    return d->host->fail(HED_E_UNSUPPORTED, "cuda:%d: NVRTC, which compiles programs, was not found", (int)d->index);
  const int architecture = known_architecture(rtc, d->architecture);
  if (!architecture)
    return d->host->fail(HED_E_UNSUPPORTED, "cuda:%d: NVRTC does not know compute capability %d.%d or an older one", (int)d->index,
                         d->architecture / 10, d->architecture % 10);
  const bool real = architecture == d->architecture;
  snprintf(target, sizeof target, "--gpu-architecture=%s_%d", real ? "sm" : "compute", architecture);
  const char *const options[] = { target, "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
                                  "--disable-warnings" };
  nvrtcProgram made = NULL;
  program *p = NULL;
  char *text = d->host->alloc(bytes + 1, 0);
  int32_t status = text ? HED_OK : d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program's text", (int)d->index);
  if (!text)
    return status;
  memcpy(text, source, bytes);
  text[bytes] = 0;
  if (rtc->nvrtcCreateProgram(&made, text, "heddle.cu", 0, NULL, NULL) != 0) {
    status = d->host->fail(HED_E_NOMEM, "cuda:%d: NVRTC took no program", (int)d->index);
  } else {
    const unsigned error = rtc->nvrtcCompileProgram(made, sizeof options / sizeof *options, options);
    read_log(d, rtc, made, log, cap);
    if (error == 0)
      p = result_of(d, rtc, made, real);
    if (!p)
      status = d->host->fail(HED_E_INTERNAL, "cuda:%d: a program was not compiled (NVRTC's status %u): %.300s", (int)d->index, error,
                             log);
    (void)rtc->nvrtcDestroyProgram(&made);
  }
  d->host->free(text);
  return p ? load_image(d, p, false, out) : status;
}

int32_t hed__cuda_binary_of(void *dev, void *made, void **binary, size_t *bytes)
{
  hed__cuda_device *d = dev;
  const program *p = made;
  *binary = d->host->alloc(p->bytes, 0);
  *bytes = p->bytes;
  if (!*binary)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program's code", (int)d->index);
  memcpy(*binary, p->image, p->bytes);
  return HED_OK;
}

int32_t hed__cuda_entry(void *dev, void *made, const char *name, void **entry)
{
  hed__cuda_device *d = dev;
  const program *p = made;
  CUfunction function = NULL;
  bool pushed;
  int32_t status = hed__cuda_enter(d, &pushed);
  if (status == HED_OK) {
    const unsigned error = d->cu->cuModuleGetFunction(&function, p->module, name);
    status = error == HED__CUDA_ERROR_NOT_FOUND ? d->host->fail(HED_E_INTERNAL, "cuda:%d: no kernel is called %s", (int)d->index, name)
                                                : hed__cuda_check(d, error, "cuModuleGetFunction");
    hed__cuda_leave(d, pushed);
  }
  *entry = function;
  return status;
}
