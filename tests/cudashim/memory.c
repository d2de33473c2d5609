// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: blocks of a device's memory, pinned memory of the host, and copies. */
#include "shim.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DECLARE(name, version, arguments) unsigned name arguments;
CUDA_DRIVER(DECLARE)

enum { ALIGNMENT = 512, POISONED = 1 << 20 };

typedef struct pinned {
  struct pinned *next;
  char *memory;
  size_t bytes;
} pinned;
static pinned *pins;

/* ---- blocks ---- */

/* The lock is held. */
static block *find(CUcontext c, CUdeviceptr address, size_t bytes)
{
  const size_t offset = (size_t)((char *)(uintptr_t)address - c->address);
  block *b = c->blocks;
  while (b && !(offset >= b->offset && offset < b->offset + b->bytes && bytes <= b->offset + b->bytes - offset))
    b = b->next;
  return b;
}

void *shim_memory(CUcontext c, CUdeviceptr address, size_t bytes)
{
  pthread_mutex_lock(&shim_lock);
  const bool good = find(c, address, bytes);
  pthread_mutex_unlock(&shim_lock);
  return good ? c->memory + ((char *)(uintptr_t)address - c->address) : NULL;
}

void *shim_buffer(CUcontext c, CUdeviceptr address, size_t *offset)
{
  pthread_mutex_lock(&shim_lock);
  const block *b = find(c, address, 0);
  void *buffer = b ? b->buffer : NULL;
  *offset = b ? (size_t)((char *)(uintptr_t)address - c->address) - b->offset : 0;
  pthread_mutex_unlock(&shim_lock);
  return buffer;
}

size_t shim_block(CUcontext c, CUdeviceptr address, size_t *begin)
{
  pthread_mutex_lock(&shim_lock);
  const block *b = find(c, address, 0);
  const size_t bytes = b ? b->bytes : 0;
  *begin = b ? b->offset : 0;
  pthread_mutex_unlock(&shim_lock);
  return bytes;
}

/* The first gap that holds BYTES: where the pointer to the block after it is; NULL when there is none. The lock is held. */
static block **gap(CUcontext c, size_t bytes, size_t *offset)
{
  block **p = &c->blocks;
  *offset = 0;
  for (; *p && (*p)->offset - *offset < bytes; p = &(*p)->next)
    *offset = (*p)->offset + (*p)->bytes;
  return *p || c->bytes - *offset >= bytes ? p : NULL;
}

unsigned cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
  CALL_IN(c);
  block *b = bytes && bytes <= c->bytes ? calloc(1, sizeof *b) : NULL;
  *address = 0;
  if (!b)
    return bytes ? NV_CUDA_ERROR_OUT_OF_MEMORY : NV_CUDA_ERROR_INVALID_VALUE;
  b->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  pthread_mutex_lock(&shim_lock);
  block **at = gap(c, b->bytes, &b->offset);
  if (at) {
    b->next = *at;
    *at = b;
    c->used += b->bytes;
  }
  pthread_mutex_unlock(&shim_lock);
  if (at)
    b->buffer = shim_buffer_make(c->memory + b->offset, b->bytes);
  if (!at || !b->buffer) { /* OpenCL's memory is the same, and as much as the machine has */
    free(at ? NULL : b);
    return NV_CUDA_ERROR_OUT_OF_MEMORY;
  }
  memset(c->memory + b->offset, 0xfd, b->bytes < POISONED ? b->bytes : POISONED);
  *address = (CUdeviceptr)(uintptr_t)(c->address + b->offset);
  return NV_CUDA_SUCCESS;
}

unsigned cuMemFree(CUdeviceptr address)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  shim_drain(c);
  block **p = &c->blocks, *b;
  while (*p && (CUdeviceptr)(uintptr_t)(c->address + (*p)->offset) != address)
    p = &(*p)->next;
  if ((b = *p)) {
    *p = b->next;
    c->used -= b->bytes;
  }
  pthread_mutex_unlock(&shim_lock);
  if (!b)
    return NV_CUDA_ERROR_INVALID_VALUE;
  shim_buffer_free(b->buffer);
  madvise(c->memory + (b->offset + 4095) / 4096 * 4096, b->bytes / 4096 * 4096 > 4096 ? b->bytes / 4096 * 4096 - 4096 : 0,
          MADV_DONTNEED);
  free(b);
  return NV_CUDA_SUCCESS;
}

unsigned cuMemGetInfo(size_t *available, size_t *total)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  *available = c->bytes - c->used;
  pthread_mutex_unlock(&shim_lock);
  *total = c->bytes;
  return NV_CUDA_SUCCESS;
}

/* Whose block ADDRESS is in; NULL: nobody's. */
static block *owner(CUdeviceptr address, int *device)
{
  block *b = NULL;
  pthread_mutex_lock(&shim_lock);
  for (int k = 0; k < MOST_DEVICES && !b; k++)
    if (shim_context[k].retained && (b = find(&shim_context[k], address, 1)))
      *device = k;
  pthread_mutex_unlock(&shim_lock);
  return b;
}

unsigned cuPointerGetAttribute(void *value, unsigned attribute, CUdeviceptr address)
{
  int device = 0;
  CALL();
  if (!owner(address, &device))
    return NV_CUDA_ERROR_INVALID_VALUE;
  *(int *)value = attribute == NV_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? device
                  : attribute == NV_CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? NV_CU_MEMORYTYPE_DEVICE : 0;
  return NV_CUDA_SUCCESS;
}

unsigned cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
  int device = 0;
  CALL();
  const block *b = owner(address, &device);
  if (!b)
    return NV_CUDA_ERROR_INVALID_VALUE;
  *base = (CUdeviceptr)(uintptr_t)(shim_context[device].address + b->offset);
  *bytes = b->bytes;
  return NV_CUDA_SUCCESS;
}

unsigned cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
  CALL_IN(c);
  pinned *p = malloc(sizeof *p);
  (void)flags;
  *address = NULL;
  if (p && posix_memalign(address, 4096, bytes) == 0) {
    pthread_mutex_lock(&shim_lock);
    *p = (pinned){ pins, *address, bytes };
    pins = p;
    pthread_mutex_unlock(&shim_lock);
    return NV_CUDA_SUCCESS;
  }
  free(p);
  return NV_CUDA_ERROR_OUT_OF_MEMORY;
}

unsigned cuMemFreeHost(void *address)
{
  CALL_IN(c);
  pthread_mutex_lock(&shim_lock);
  shim_drain(c);
  pinned **p = &pins, *gone;
  while (*p && (*p)->memory != address)
    p = &(*p)->next;
  if ((gone = *p))
    *p = gone->next;
  pthread_mutex_unlock(&shim_lock);
  if (!gone)
    return NV_CUDA_ERROR_INVALID_VALUE;
  free(gone->memory);
  free(gone);
  return NV_CUDA_SUCCESS;
}

static bool is_pinned(const void *address)
{
  const char *a = address;
  pthread_mutex_lock(&shim_lock);
  const pinned *p = pins;
  while (p && !(a >= p->memory && a < p->memory + p->bytes))
    p = p->next;
  pthread_mutex_unlock(&shim_lock);
  return p;
}

/* ---- copies ---- */

typedef struct copy {
  CUcontext to_context, from_context; /* NULL: host memory */
  char *to, *from;
  size_t bytes;
  int byte;                    /* to set, without FROM */
  void *staged;                /* to be released */
} copy;

/* Where P is, 0 when it is not all there. */
static char *place(CUcontext c, char *p, size_t bytes)
{
  return c ? shim_memory(c, (CUdeviceptr)(uintptr_t)p, bytes) : p;
}

static unsigned run_copy(void *arg)
{
  const copy *c = arg;
  unsigned error = NV_CUDA_SUCCESS;
  char *to = place(c->to_context, c->to, c->bytes);
  char *from = c->from ? place(c->from_context, c->from, c->bytes) : to;
  if (!to || !from)
    error = NV_CUDA_ERROR_ILLEGAL_ADDRESS;
  else if (c->from)
    memmove(to, from, c->bytes);
  else
    memset(to, c->byte, c->bytes);
  free(c->staged);
  return error;
}

/* Memory of the host that is not pinned has been read, or is written, when the call returns. */
static unsigned submit(CUstream stream, copy *c)
{
  if (!c->from_context && c->from && !is_pinned(c->from)) {
    char *staged = c->staged = malloc(c->bytes);
    if (!staged)
      return NV_CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(staged, c->from, c->bytes);
    c->from = staged;
  }
  const unsigned error = shim_submit(stream, run_copy, c, sizeof *c);
  if (error)
    free(c->staged);
  return error || c->to_context || is_pinned(c->to) ? error : shim_await(stream);
}

static char *pointer(CUdeviceptr address) { return (char *)(uintptr_t)address; }

unsigned cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
  CALL_IN(c);
  return submit(stream, &(copy){ .to_context = c, .to = pointer(to), .bytes = bytes, .byte = value });
}

unsigned cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
  CALL_IN(c);
  return submit(stream, &(copy){ .to_context = c, .to = pointer(to), .from = (char *)(uintptr_t)from, .bytes = bytes });
}

unsigned cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  CALL_IN(c);
  return submit(stream, &(copy){ .to = to, .from_context = c, .from = pointer(from), .bytes = bytes });
}

unsigned cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
  CALL_IN(c);
  return submit(stream, &(copy){ .to_context = c, .to = pointer(to), .from_context = c, .from = pointer(from), .bytes = bytes });
}

unsigned cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
  CALL_IN(c);
  return submit(stream, &(copy){ .to_context = to_context, .to = pointer(to), .from_context = from_context, .from = pointer(from),
                                 .bytes = bytes });
}
