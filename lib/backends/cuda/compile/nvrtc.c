// SPDX-License-Identifier: BSD-3-Clause
/* cuda: programs, from their text by NVRTC (compile.c) or from what that made earlier. L1.
 *
 * The result is machine code for the device's architecture, which the driver takes as it is. NVRTC that is older than the device
 * makes PTX for the newest architecture below it that it knows; the driver compiles that.
 */
#include "backends/cuda/compile/compile.h"
#include "backends/cuda/port/cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
  CUmodule module;
  cuda_entry_point *entries;
  size_t bytes;
  char image[];    /* and a NUL, as PTX needs it */
} program;

static int32_t load_image(cuda_device *d, program *p, bool foreign, void **out)
{
  bool pushed;
  int32_t status = cuda_enter(d, &pushed);
  if (status == HED_OK) {
    const unsigned error = d->cu->cuModuleLoadData(&p->module, p->image);
    if (foreign && error != NV_CUDA_SUCCESS && error != NV_CUDA_ERROR_OUT_OF_MEMORY)
      status = HED_E_FORMAT;
    else
      status = cuda_check(d, error, "cuModuleLoadData");
    cuda_leave(d, pushed);
  }
  if (status == HED_OK)
    *out = p;
  else
    d->host->free(p);
  return status;
}

static program *program_new(cuda_device *d, size_t bytes)
{
  program *p = d->host->alloc(sizeof *p + bytes + 1, 0);
  if (p) {
    p->module = NULL;
    p->entries = NULL;
    p->bytes = bytes;
    p->image[bytes] = 0;
  }
  return p;
}

int32_t cuda_load(void *dev, const void *binary, size_t bytes, void **out)
{
  cuda_device *d = dev;
  program *p = program_new(d, bytes);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program", (int)d->index);
  memcpy(p->image, binary, bytes);
  return load_image(d, p, true, out);
}

int32_t cuda_build(void *dev, const char *source, size_t bytes, void **out, char *log, size_t cap)
{
  cuda_device *d = dev;
  const cuda_nvrtc *rtc = cuda_nvrtc_get();
  cuda_image image = { 0, NULL };
  program *p = NULL;
  char target[40];
  log[0] = 0;
  (void)bytes; /* the text ends with a NUL */
  if (!rtc)
    return d->host->fail(HED_E_UNSUPPORTED, "cuda:%d: NVRTC, which compiles programs, was not found", (int)d->index);
  const int architecture = cuda_known_architecture(rtc, d->architecture);
  if (!architecture)
    return d->host->fail(HED_E_UNSUPPORTED, "cuda:%d: NVRTC does not know compute capability %d.%d or an older one", (int)d->index,
                         d->architecture / 10, d->architecture % 10);
  snprintf(target, sizeof target, "%s_%d", architecture == d->architecture ? "sm" : "compute", architecture);
  const unsigned error = cuda_compile(rtc, source, target, &image, log, cap);
  if (image.data && (p = program_new(d, image.bytes)))
    memcpy(p->image, image.data, image.bytes);
  const bool compiled = image.data;
  free(image.data);
  if (!compiled)
    return d->host->fail(HED_E_INTERNAL, "cuda:%d: a program was not compiled (NVRTC's status %u): %.300s", (int)d->index, error, log);
  return p ? load_image(d, p, false, out) : d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program", (int)d->index);
}

const void *cuda_installed_image(void *dev, const unsigned char key[32], size_t *bytes)
{
  cuda_device *d = dev;
  char target[20];
  snprintf(target, sizeof target, "sm_%d", d->architecture);
  const bool compiles = cuda_nvrtc_get();
  pthread_mutex_lock(&d->lock);
  const cuda_installed_header *own = cuda_installed_get(&d->installed, target);
  const cuda_installed_header *any = own || compiles ? NULL : cuda_installed_get(&d->installed_ptx, "compute_75");
  pthread_mutex_unlock(&d->lock);
  return cuda_installed_find(own ? own : any, key, bytes);
}

int32_t cuda_binary_of(void *dev, void *made, void **binary, size_t *bytes)
{
  cuda_device *d = dev;
  const program *p = made;
  *binary = d->host->alloc(p->bytes, 0);
  *bytes = p->bytes;
  if (!*binary)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a program's code", (int)d->index);
  memcpy(*binary, p->image, p->bytes);
  return HED_OK;
}

int32_t cuda_entry(void *dev, void *made, const char *name, void **entry)
{
  cuda_device *d = dev;
  program *p = made;
  const size_t n = strlen(name) + 1;
  bool pushed;
  *entry = NULL;
  cuda_entry_point *e = d->host->alloc(sizeof *e + n, 0);
  if (!e)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a kernel", (int)d->index);
  memcpy(e->name, name, n);
  int32_t status = cuda_enter(d, &pushed);
  if (status == HED_OK) {
    status = cuda_check(d, d->cu->cuModuleGetFunction(&e->function, p->module, name), "cuModuleGetFunction");
    cuda_leave(d, pushed);
  }
  if (status != HED_OK) {
    d->host->free(e);
    return status;
  }
  e->next = p->entries;
  *entry = p->entries = e;
  return HED_OK;
}
