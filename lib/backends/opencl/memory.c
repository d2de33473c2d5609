// SPDX-License-Identifier: BSD-3-Clause
/* opencl: memory. L1.
 *
 * A block is a handle, and the host wants addresses that it can add to: they come from a range without access, in cells that
 * say which block is there.
 */
#include "backends/opencl/opencl.h"
#include <string.h>
#include <sys/mman.h>

#define CELL ((size_t)2 << 20)
#define RANGE ((size_t)256 << 30)
enum { CELLS = 131072 };

bool ocl_memory_init(ocl_device *dev)
{
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *range = mmap(NULL, RANGE, PROT_NONE, flags, -1, 0);
  void *cells = mmap(NULL, CELLS * sizeof *dev->cell, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (range == MAP_FAILED || cells == MAP_FAILED) {
    if (range != MAP_FAILED)
      munmap(range, RANGE);
    if (cells != MAP_FAILED)
      munmap(cells, CELLS * sizeof *dev->cell);
    return false;
  }
  dev->base = range;
  dev->cell = cells;
  return true;
}

/* First of N cells without a block, CELLS where there are none. The lock is held. */
static uint32_t free_cells(const ocl_device *dev, uint32_t n, uint32_t from)
{
  uint32_t run = 0;
  for (uint32_t k = from; k < CELLS; k++) {
    run = dev->cell[k].mem ? 0 : run + 1;
    if (run == n)
      return k + 1 - n;
  }
  return CELLS;
}

/* CODE of a buffer that there is not: WHAT of BYTES, STATUS, but of a device that is lost. */
static int32_t no_buffer(const ocl_device *dev, cl_int code, int32_t status, size_t bytes, const char *what)
{
  return code == CL_DEVICE_NOT_AVAILABLE ? ocl_status(dev, code, what)
                                         : dev->host->fail(status, "%s: no %s of %zu bytes (%s, %d)", dev->name, what, bytes,
                                                           ocl_error_name(code), (int)code);
}

int32_t ocl_alloc(void *state, size_t bytes, void **out)
{
  ocl_device *dev = state;
  cl_int code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (bytes == 0)
    bytes = 1;
  const size_t most = dev->limits.largest < RANGE ? (size_t)dev->limits.largest : RANGE;
  if (bytes > most)
    return dev->host->fail(HED_E_DEVMEM, "%s: %zu bytes in one block, and the largest may have %zu", dev->name, bytes, most);
  const uint32_t n = (uint32_t)((bytes + CELL - 1) / CELL);
  cl_mem mem = clCreateBuffer(dev->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  if (!mem)
    return no_buffer(dev, code, HED_E_DEVMEM, bytes, "block");
  pthread_mutex_lock(&dev->lock);
  uint32_t at = free_cells(dev, n, dev->next_cell);
  if (at == CELLS)
    at = free_cells(dev, n, 0);
  for (uint32_t k = at; at < CELLS && k < at + n; k++)
    dev->cell[k] = (ocl_cell){ .mem = mem, .first = at };
  if (at < CELLS) {
    dev->next_cell = at + n < CELLS ? at + n : 0;
    dev->used += bytes;
  }
  pthread_mutex_unlock(&dev->lock);
  if (at == CELLS) {
    clReleaseMemObject(mem);
    return dev->host->fail(HED_E_DEVMEM, "%s: no addresses left for %zu bytes", dev->name, bytes);
  }
  *out = dev->base + (size_t)at * CELL;
  return HED_OK;
}

void ocl_free(void *state, void *p)
{
  ocl_device *dev = state;
  size_t bytes = 0;
  pthread_mutex_lock(&dev->lock);
  const uint32_t at = (uint32_t)((size_t)((char *)p - dev->base) / CELL);
  cl_mem mem = dev->cell[at].mem;
  for (uint32_t k = at; mem && k < CELLS && dev->cell[k].mem == mem; k++)
    dev->cell[k] = (ocl_cell){ NULL, 0 };
  if (mem && clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
    dev->used -= bytes;
  pthread_mutex_unlock(&dev->lock);
  if (mem)
    clReleaseMemObject(mem);
}

/* Cells of a block are written before its address is known to anybody, and not while it is in use. */
cl_mem ocl_block(ocl_device *dev, const void *p, cl_long *offset)
{
  const size_t at = (size_t)((const char *)p - dev->base);
  if (at >= RANGE)
    return NULL;
  const ocl_cell *c = &dev->cell[at / CELL];
  *offset = (cl_long)(at - (size_t)c->first * CELL);
  return c->mem;
}

/* A block that begins at 0 where nothing is asked of it. */
static cl_mem block(ocl_device *dev, const void *p, size_t *offset)
{
  cl_long at = 0;
  cl_mem mem = ocl_block(dev, p, &at);
  *offset = (size_t)at;
  return mem;
}

static int32_t no_block(const ocl_device *dev, const void *p)
{
  return dev->host->fail(HED_E_INTERNAL, "%s: %p is not in a block of its memory", dev->name, p);
}

int32_t ocl_memset(void *state, void *stream, void *p, int byte, size_t bytes)
{
  ocl_device *dev = state;
  ocl_stream *s = stream;
  const cl_uchar pattern = (cl_uchar)byte;
  size_t at;
  cl_mem mem = block(dev, p, &at);
  if (!mem)
    return no_block(dev, p);
  if (bytes == 0)
    return HED_OK;
  return ocl_status(dev, clEnqueueFillBuffer(s->queue, mem, &pattern, 1, at, bytes, 0, NULL, NULL), "fill");
}

int32_t ocl_copy(void *state, void *stream, void *to, const void *from, size_t bytes, dev_copy_kind kind, bool wait)
{
  ocl_device *dev = state;
  ocl_stream *s = stream;
  size_t to_at = 0, from_at = 0;
  cl_mem to_mem = kind == DEV_COPY_OUT ? NULL : block(dev, to, &to_at);
  cl_mem from_mem = kind == DEV_COPY_IN ? NULL : block(dev, from, &from_at);
  if (!to_mem && kind != DEV_COPY_OUT)
    return no_block(dev, to);
  if (!from_mem && kind != DEV_COPY_IN)
    return no_block(dev, from);
  if (bytes == 0)
    return HED_OK;
  static const char *const names[] = { [DEV_COPY_IN] = "copy in", [DEV_COPY_OUT] = "copy out", [DEV_COPY_DEVICE] = "copy" };
  const bool times = ocl_times(dev, s);
  cl_event event = NULL, *made = times ? &event : NULL;
  const cl_int code =
    kind == DEV_COPY_IN    ? clEnqueueWriteBuffer(s->queue, to_mem, wait, to_at, bytes, from, 0, NULL, made)
    : kind == DEV_COPY_OUT ? clEnqueueReadBuffer(s->queue, from_mem, wait, from_at, bytes, to, 0, NULL, made)
                           : clEnqueueCopyBuffer(s->queue, from_mem, to_mem, from_at, to_at, bytes, 0, NULL, made);
  if (times && code == CL_SUCCESS)
    ocl_time(dev, s, event, names[kind]);
  return ocl_status(dev, code, names[kind]);
}

/* ---- pinned memory: a buffer that stays mapped ---- */

int32_t ocl_pinned_alloc(void *state, size_t bytes, void **out)
{
  ocl_device *dev = state;
  cl_int code;
  ocl_pinned *r = dev->host->alloc(sizeof *r, 0);
  if (!r)
    return dev->host->fail(HED_E_NOMEM, "%s: no memory for the record of a block", dev->name);
  r->mem = clCreateBuffer(dev->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
  r->p = r->mem ? clEnqueueMapBuffer(dev->setup, r->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code) : NULL;
  if (!r->p) {
    if (r->mem)
      clReleaseMemObject(r->mem);
    dev->host->free(r);
    return no_buffer(dev, code, HED_E_NOMEM, bytes, "pinned memory");
  }
  pthread_mutex_lock(&dev->lock);
  r->next = dev->pinned;
  dev->pinned = r;
  pthread_mutex_unlock(&dev->lock);
  *out = r->p;
  return HED_OK;
}

void ocl_pinned_free(void *state, void *p)
{
  ocl_device *dev = state;
  pthread_mutex_lock(&dev->lock);
  ocl_pinned **at = &dev->pinned;
  while (*at && (*at)->p != p)
    at = &(*at)->next;
  ocl_pinned *r = *at;
  if (r)
    *at = r->next;
  pthread_mutex_unlock(&dev->lock);
  if (!r)
    return;
  clEnqueueUnmapMemObject(dev->setup, r->mem, p, 0, NULL, NULL);
  clFinish(dev->setup);
  clReleaseMemObject(r->mem);
  dev->host->free(r);
}

/* The block's cells are those of its bytes. */
int32_t ocl_owns(void *state, const void *p, size_t bytes)
{
  ocl_device *dev = state;
  cl_long first, last;
  const cl_mem mem = ocl_block(dev, p, &first);
  return mem && ocl_block(dev, (const char *)p + bytes - 1, &last) == mem
             ? HED_OK : dev->host->fail(HED_E_INVAL, "%zu bytes at %p are not in a block of %s", bytes, p, dev->name);
}

/* OpenCL does not say what is free. */
int32_t ocl_memory(void *state, hed_plugin_memory *out)
{
  ocl_device *dev = state;
  pthread_mutex_lock(&dev->lock);
  out->total = dev->limits.memory;
  out->free = dev->limits.memory > dev->used ? dev->limits.memory - dev->used : 0;
  out->largest = out->free < dev->limits.largest ? out->free : dev->limits.largest;
  pthread_mutex_unlock(&dev->lock);
  return HED_OK;
}
