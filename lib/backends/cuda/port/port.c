// SPDX-License-Identifier: BSD-3-Clause
/* cuda: memory, copies, streams, events and launches. L1. See device/device.h for what each has to do. */
#include "backends/cuda/compile/compile.h"
#include "backends/cuda/port/cuda.h"
#include <stdio.h>
#include <string.h>

/* What a port's function does with the driver: EXPRESSION gives the driver's error. */
#define IN_CONTEXT(d, what, expression) \
  bool pushed; \
  int32_t status = cuda_enter(d, &pushed); \
  if (status == HED_OK) { \
    status = cuda_check(d, (expression), what); \
    cuda_leave(d, pushed); \
  }

/* ---- memory ---- */

static CUstream of(const void *stream) { return ((const cuda_stream *)stream)->of; }

static CUdeviceptr address_of(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

int32_t cuda_alloc(void *dev, size_t bytes, void **out)
{
  const cuda_device *d = dev;
  CUdeviceptr address = 0;
  IN_CONTEXT(d, "cuMemAlloc", d->cu->cuMemAlloc(&address, bytes))
  *out = (void *)(uintptr_t)address;
  return status;
}

void cuda_free(void *dev, void *p)
{
  const cuda_device *d = dev;
  bool pushed;
  if (!p || cuda_enter(d, &pushed) != HED_OK)
    return;
  cuda_note(d, d->cu->cuMemFree(address_of(p)), "cuMemFree");
  cuda_leave(d, pushed);
}

static int32_t pinned_alloc(void *dev, size_t bytes, void **out)
{
  const cuda_device *d = dev;
  *out = NULL;
  IN_CONTEXT(d, "cuMemHostAlloc", d->cu->cuMemHostAlloc(out, bytes, NV_CU_MEMHOSTALLOC_PORTABLE))
  return status;
}

static void pinned_free(void *dev, void *p)
{
  const cuda_device *d = dev;
  bool pushed;
  if (!p || cuda_enter(d, &pushed) != HED_OK)
    return;
  cuda_note(d, d->cu->cuMemFreeHost(p), "cuMemFreeHost");
  cuda_leave(d, pushed);
}

static int32_t memory(void *dev, hed_plugin_memory *out)
{
  const cuda_device *d = dev;
  size_t free = 0, total = 0;
  IN_CONTEXT(d, "cuMemGetInfo", d->cu->cuMemGetInfo(&free, &total))
  out->free = out->largest = free;
  out->total = total;
  return status;
}

/* Memory that the driver does not know is none of the device's; of another device's it knows whose. What is managed, or the host's
 * pinned, the device can reach. */
static int32_t owns(void *dev, const void *p, size_t bytes)
{
  const cuda_device *d = dev;
  const CUdeviceptr at = address_of(p);
  CUdeviceptr base = at;
  size_t there = bytes;
  unsigned type = 0, managed = 0;
  int ordinal = d->device;
  bool pushed;
  int32_t status = cuda_enter(d, &pushed);
  if (status != HED_OK)
    return status;
  const unsigned error = d->cu->cuPointerGetAttribute(&type, NV_CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at);
  if (error == NV_CUDA_SUCCESS && type == NV_CU_MEMORYTYPE_DEVICE) {
    (void)d->cu->cuPointerGetAttribute(&managed, NV_CU_POINTER_ATTRIBUTE_IS_MANAGED, at);
    (void)d->cu->cuPointerGetAttribute(&ordinal, NV_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at);
    if (d->cu->cuMemGetAddressRange(&base, &there, at) != NV_CUDA_SUCCESS)
      base = at, there = bytes;
  }
  cuda_leave(d, pushed);
  if (error == NV_CUDA_ERROR_INVALID_VALUE)
    return d->host->fail(HED_E_INVAL, "the driver of cuda:%d knows no memory at %p", (int)d->index, p);
  if (!managed && ordinal != d->device)
    return d->host->fail(HED_E_INVAL, "%p is memory of the driver's device %d, and cuda:%d is its device %d", p, ordinal,
                         (int)d->index, (int)d->device);
  if (bytes > there - (size_t)(at - base))
    return d->host->fail(HED_E_INVAL, "%zu bytes at %p of cuda:%d, and its block has %zu from there", bytes, p, (int)d->index,
                         there - (size_t)(at - base));
  return cuda_check(d, error, "cuPointerGetAttribute");
}

static int32_t set_bytes(void *dev, void *stream, void *p, int byte, size_t bytes)
{
  const cuda_device *d = dev;
  IN_CONTEXT(d, "cuMemsetD8Async", d->cu->cuMemsetD8Async(address_of(p), (unsigned char)byte, bytes, of(stream)))
  return status;
}

/* ---- copies ---- */

static unsigned submit_copy(cuda_device *d, const cuda_stream *stream, void *to, const void *from, size_t bytes, dev_copy_kind kind)
{
  static const char *const names[] = { [DEV_COPY_IN] = "copy in", [DEV_COPY_OUT] = "copy out", [DEV_COPY_DEVICE] = "copy" };
  CUevent begun = cuda_time_begin(d, stream);
  const unsigned error = kind == DEV_COPY_IN    ? d->cu->cuMemcpyHtoDAsync(address_of(to), from, bytes, stream->of)
                         : kind == DEV_COPY_OUT ? d->cu->cuMemcpyDtoHAsync(to, address_of(from), bytes, stream->of)
                                                : d->cu->cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream->of);
  cuda_time_end(d, stream, begun, names[kind]);
  return error;
}

/* Where waiting failed once more: the host's memory is not to be written when the caller has gone on. */
static unsigned finish(const cuda_device *d, CUstream stream, unsigned error, bool wait)
{
  if (error == NV_CUDA_SUCCESS && wait && (error = d->cu->cuStreamSynchronize(stream)) != NV_CUDA_SUCCESS)
    (void)d->cu->cuStreamSynchronize(stream);
  return error;
}

static int32_t copy(void *dev, void *stream, void *to, const void *from, size_t bytes, dev_copy_kind kind, bool wait)
{
  cuda_device *d = dev;
  IN_CONTEXT(d, "cuMemcpyAsync", finish(d, of(stream), submit_copy(d, stream, to, from, bytes, kind), wait))
  return status;
}

/* Direct access is asked for once; without it the driver copies through memory of its own. The lock is not held. */
static void reach(cuda_device *d, const cuda_device *other)
{
  const uint32_t bit = 1u << other->index % 32;
  int can = 0;
  pthread_mutex_lock(&d->lock);
  if (!((d->peers | d->no_peers) & bit)) {
    if (d->cu->cuDeviceCanAccessPeer(&can, d->device, other->device) == NV_CUDA_SUCCESS && can) {
      const unsigned error = d->cu->cuCtxEnablePeerAccess(other->context, 0);
      can = error == NV_CUDA_SUCCESS || error == NV_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    }
    *(can ? &d->peers : &d->no_peers) |= bit;
  }
  pthread_mutex_unlock(&d->lock);
}

static unsigned submit_peer(cuda_device *d, const cuda_stream *stream, void *to, const cuda_device *other, const void *from,
                            size_t bytes)
{
  reach(d, other);
  CUevent begun = cuda_time_begin(d, stream);
  const unsigned error = d->cu->cuMemcpyPeerAsync(address_of(to), d->context, address_of(from), other->context, bytes, stream->of);
  cuda_time_end(d, stream, begun, "copy from a peer");
  return error;
}

static int32_t copy_peer(void *dev, void *stream, void *to, void *from_dev, const void *from, size_t bytes)
{
  cuda_device *d = dev;
  IN_CONTEXT(d, "cuMemcpyPeerAsync", submit_peer(d, stream, to, from_dev, from, bytes))
  return status;
}

/* ---- streams and events ---- */

static int32_t wrap(cuda_device *d, CUstream of, void **stream)
{
  cuda_stream *s = d->host->alloc(sizeof *s, 0);
  if (!s)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a stream", (int)d->index);
  pthread_mutex_lock(&d->lock);
  *s = (cuda_stream){ .of = of, .number = d->n_streams++ };
  pthread_mutex_unlock(&d->lock);
  *stream = s;
  return HED_OK;
}

/* Not one that waits for the legacy default stream, and is waited for by it. */
static int32_t create(const cuda_device *d, cuda_stream *s)
{
  IN_CONTEXT(d, "cuStreamCreate", d->cu->cuStreamCreate(&s->of, NV_CU_STREAM_NON_BLOCKING))
  return status;
}

static int32_t stream_new(void *dev, void **stream)
{
  cuda_device *d = dev;
  int32_t status = wrap(d, NULL, stream);
  if (status == HED_OK && (status = create(d, *stream)) != HED_OK)
    d->host->free(*stream);
  return status;
}

/* 1 and 2 are the default streams, of any context. */
static int32_t stream_wrap(void *dev, void *native, void **stream)
{
  cuda_device *d = dev;
  CUcontext context = d->context;
  if (!native)
    return d->host->fail(HED_E_INVAL, "cuda:%d: a stream's handle is NULL; 1 is the legacy default stream", (int)d->index);
  if ((uintptr_t)native > 2) {
    IN_CONTEXT(d, "cuStreamGetCtx", d->cu->cuStreamGetCtx(native, &context))
    if (status != HED_OK)
      return status;
  }
  if (context != d->context)
    return d->host->fail(HED_E_INVAL, "cuda:%d: stream %p is not of this device's primary context", (int)d->index, native);
  return wrap(d, native, stream);
}

static void stream_drop(void *dev, void *stream)
{
  cuda_device *d = dev;
  cuda_handles_drop(d, stream);
  d->host->free(stream);
}

static void *stream_native(void *dev, void *stream)
{
  (void)dev;
  return of(stream);
}

/* What is submitted begins by itself. */
static int32_t flush(void *dev, void *stream)
{
  (void)dev, (void)stream;
  return HED_OK;
}

static unsigned record(const cuda_device *d, CUstream stream, CUevent *event)
{
  unsigned error = *event ? NV_CUDA_SUCCESS : d->cu->cuEventCreate(event, NV_CU_EVENT_DISABLE_TIMING);
  if (error == NV_CUDA_SUCCESS && (error = d->cu->cuEventRecord(*event, stream)) != NV_CUDA_SUCCESS) {
    (void)d->cu->cuEventDestroy(*event);
    *event = NULL;
  }
  return error;
}

static int32_t event_record(void *dev, void *stream, void **event)
{
  cuda_device *d = dev;
  CUevent e = *event;
  IN_CONTEXT(d, "cuEventRecord", record(d, of(stream), &e))
  *event = e;
  return status;
}

static int32_t event_wait(void *dev, void *stream, void *event)
{
  const cuda_device *d = dev;
  IN_CONTEXT(d, "cuStreamWaitEvent", d->cu->cuStreamWaitEvent(of(stream), event, 0))
  return status;
}

static int32_t event_query(void *dev, void *event)
{
  cuda_device *d = dev;
  unsigned error = NV_CUDA_SUCCESS;
  IN_CONTEXT(d, "cuEventQuery", (error = d->cu->cuEventQuery(event)) == NV_CUDA_ERROR_NOT_READY ? NV_CUDA_SUCCESS : error)
  if (error == NV_CUDA_SUCCESS)
    cuda_times_tell(d);
  return status != HED_OK ? status : error == NV_CUDA_SUCCESS;
}

static int32_t event_sync(void *dev, void *event)
{
  cuda_device *d = dev;
  IN_CONTEXT(d, "cuEventSynchronize", d->cu->cuEventSynchronize(event))
  cuda_times_tell(d);
  return status;
}

static void event_free(void *dev, void *event)
{
  cuda_device *d = dev;
  bool pushed;
  if (!event || cuda_enter(d, &pushed) != HED_OK)
    return;
  cuda_note(d, d->cu->cuEventDestroy(event), "cuEventDestroy");
  cuda_leave(d, pushed);
}

/* ---- launches ---- */

static unsigned submit_launch(cuda_device *d, const cuda_stream *stream, const cuda_entry_point *e, const dev_launch *l,
                              void **arguments)
{
  CUevent begun = cuda_time_begin(d, stream);
  const unsigned error = d->cu->cuLaunchKernel(e->function, (unsigned)l->groups[0], (unsigned)l->groups[1], (unsigned)l->groups[2],
                                               l->block, 1, 1, 0, stream->of, arguments, NULL);
  cuda_time_end(d, stream, begun, e->name);
  return error;
}

static int32_t launch(void *dev, void *stream, void *entry, const dev_launch *l)
{
  cuda_device *d = dev;
  static const int64_t no_offset = 0;
  void *arguments[2 * DEV_MOST_POINTERS + 1];
  int n = 0;
  for (int32_t k = 0; k < l->n_pointers; k++) { /* as the dialect has them: the address, then bytes from it */
    arguments[n++] = (void *)(uintptr_t)&l->pointer[k];
    arguments[n++] = (void *)(uintptr_t)&no_offset;
  }
  if (l->args_bytes)
    arguments[n++] = (void *)(uintptr_t)l->args;
  IN_CONTEXT(d, "cuLaunchKernel", submit_launch(d, stream, entry, l, arguments))
  return status;
}

/* ---- what it is ---- */

static void limits(void *dev, dev_limits *out)
{
  const cuda_device *d = dev;
  cuda_limits(out);
  out->units = (uint32_t)d->units;
  out->local_bytes = d->shared;
  out->memory = out->largest = d->memory;
}

static dev_fault *fault(void *dev) { return ((cuda_device *)dev)->fault; }
static const char *identity(void *dev) { return ((cuda_device *)dev)->identity; }

static void describe(void *dev, char *buf, size_t cap)
{
  const cuda_device *d = dev;
  const int n = snprintf(buf, cap, "%s, compute capability %d.%d, %.1f GiB, driver for CUDA %d.%d", d->name, d->architecture / 10,
                         d->architecture % 10, (double)d->memory / (1 << 30), cuda_driver_version() / 1000,
                         cuda_driver_version() % 1000 / 10);
  if (n > 0 && (size_t)n < cap)
    cuda_tell(buf + n, cap - (size_t)n);
}

const dev_port cuda_port = {
  .name = "cuda",
  .build = cuda_build, .load = cuda_load, .binary_of = cuda_binary_of, .installed = cuda_installed_image,
  .entry = cuda_entry, .launch = launch,
  .alloc = cuda_alloc, .free = cuda_free, .memset = set_bytes, .copy = copy,
  .copy_peer = copy_peer, .pinned_alloc = pinned_alloc, .pinned_free = pinned_free, .memory = memory, .owns = owns,
  .stream_new = stream_new, .stream_wrap = stream_wrap, .stream_drop = stream_drop,
  .stream_of_thread = (void *)2, .stream_native = stream_native,
  .flush = flush, .events_again = true, .event_record = event_record, .event_wait = event_wait, .event_query = event_query,
  .event_sync = event_sync, .event_free = event_free, .fault = fault,
  .limits = limits, .identity = identity, .describe = describe,
};
