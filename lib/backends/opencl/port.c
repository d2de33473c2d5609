// SPDX-License-Identifier: BSD-3-Clause
/* opencl: programs, launches, streams, events. L1. */
#include "backends/opencl/opencl.h"
#include <string.h>

/* ---- programs ---- */

/* Numbers with the host's bits: denormals stay, and division is rounded correctly where the device can. No warnings: some drivers
 * print how many there were. */
static const char *options(const ocl_device *dev)
{
  return dev->limits.exact_divide ? "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-w -cl-std=CL1.2";
}

static int32_t wrap(ocl_device *dev, cl_program program, void **out)
{
  ocl_program *p = dev->host->alloc(sizeof *p, 0);
  if (!p) {
    clReleaseProgram(program);
    return dev->host->fail(HED_E_NOMEM, "%s: no memory for a program", dev->name);
  }
  *p = (ocl_program){ .program = program };
  *out = p;
  return HED_OK;
}

static int32_t build(void *state, const char *source, size_t bytes, void **out, char *log, size_t cap)
{
  ocl_device *dev = state;
  cl_int code;
  cl_program program = clCreateProgramWithSource(dev->context, 1, &source, &bytes, &code);
  if (!program)
    return ocl_status(dev, code, "a program from its text");
  code = clBuildProgram(program, 1, &dev->id, options(dev), NULL, NULL);
  if (code != CL_SUCCESS) {
    size_t used = 0;
    if (clGetProgramBuildInfo(program, dev->id, CL_PROGRAM_BUILD_LOG, cap - 1, log, &used) != CL_SUCCESS)
      used = 0;
    log[used < cap ? used : cap - 1] = 0;
    clReleaseProgram(program);
    return ocl_status(dev, code, "the compiler");
  }
  return wrap(dev, program, out);
}

static int32_t load(void *state, const void *binary, size_t bytes, void **out)
{
  ocl_device *dev = state;
  const unsigned char *b = binary;
  cl_int code, each = CL_SUCCESS;
  cl_program program = clCreateProgramWithBinary(dev->context, 1, &dev->id, &bytes, &b, &each, &code);
  if (program && each == CL_SUCCESS)
    code = clBuildProgram(program, 1, &dev->id, options(dev), NULL, NULL);
  if (!program || each != CL_SUCCESS || code != CL_SUCCESS) {
    if (program)
      clReleaseProgram(program);
    return dev->host->fail(HED_E_FORMAT, "%s: a program is not for this device (%s, %d)", dev->name, ocl_error_name(code), (int)code);
  }
  return wrap(dev, program, out);
}

static int32_t binary_of(void *state, void *program, void **binary, size_t *bytes)
{
  ocl_device *dev = state;
  ocl_program *p = program;
  size_t n = 0;
  int32_t status = ocl_status(dev, clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL), "a binary's size");
  if (status != HED_OK || n == 0)
    return status != HED_OK ? status : HED_E_UNSUPPORTED;
  unsigned char *b = dev->host->alloc(n, 0);
  if (!b)
    return dev->host->fail(HED_E_NOMEM, "%s: no memory for a binary", dev->name);
  status = ocl_status(dev, clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, sizeof b, &b, NULL), "a binary");
  if (status != HED_OK) {
    dev->host->free(b);
    return status;
  }
  *binary = b;
  *bytes = n;
  return HED_OK;
}

/* NULL in *OUT where the program has none of that name. The layer's lock of programs is held. */
static int32_t entry(void *state, void *program, const char *name, void **out)
{
  ocl_device *dev = state;
  ocl_program *p = program;
  cl_int code;
  *out = NULL;
  cl_kernel k = clCreateKernel(p->program, name, &code);
  if (!k)
    return code == CL_INVALID_KERNEL_NAME ? HED_OK : ocl_status(dev, code, "a kernel");
  const size_t n = strlen(name) + 1;
  ocl_entry *e = dev->host->alloc(sizeof *e + n, 0);
  if (!e) {
    clReleaseKernel(k);
    return dev->host->fail(HED_E_NOMEM, "%s: no memory for a kernel", dev->name);
  }
  memset(e, 0, sizeof *e);
  memcpy(e->name, name, n);
  e->program = p->program;
  e->kernel[0] = k;
  e->next = p->entries;
  *out = p->entries = e;
  return HED_OK;
}

static int32_t launch(void *state, void *stream, void *which, const dev_launch *l)
{
  ocl_device *dev = state;
  ocl_stream *s = stream;
  ocl_entry *e = which;
  cl_int code = CL_SUCCESS;
  cl_kernel *k = &e->kernel[s->slot]; /* the stream's lock is held, so nobody else's */
  if (!*k && !(*k = clCreateKernel(e->program, e->name, &code)))
    return ocl_status(dev, code, e->name);
  cl_uint n = 0;
  for (int32_t j = 0; j < l->n_pointers && code == CL_SUCCESS; j++) {
    cl_long offset = 0;
    cl_mem mem = ocl_block(dev, l->pointer[j], &offset);
    if (!mem)
      return dev->host->fail(HED_E_INTERNAL, "%s: %s: argument %d, %p, is not in a block of its memory", dev->name, e->name,
                             (int)j, l->pointer[j]);
    code = clSetKernelArg(*k, n++, sizeof mem, &mem);
    if (code == CL_SUCCESS)
      code = clSetKernelArg(*k, n++, sizeof offset, &offset);
  }
  if (code == CL_SUCCESS && l->args_bytes)
    code = clSetKernelArg(*k, n, l->args_bytes, l->args);
  cl_event event = NULL;
  const bool times = ocl_times(dev, s);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel(s->queue, *k, 3, NULL,
                                  (const size_t[]){ l->groups[0] * l->block, l->groups[1], l->groups[2] },
                                  (const size_t[]){ l->block, 1, 1 }, 0, NULL, times ? &event : NULL);
  if (times && code == CL_SUCCESS)
    ocl_time(dev, s, event, e->name);
  return ocl_status(dev, code, e->name);
}

/* ---- streams ---- */

static int32_t new_stream(ocl_device *dev, cl_command_queue queue, void **out)
{
  int32_t slot = 0;
  ocl_stream *s = dev->host->alloc(sizeof *s, 0);
  pthread_mutex_lock(&dev->lock);
  while (slot < OCL_STREAMS && dev->slot_used[slot])
    slot++;
  if (s && slot < OCL_STREAMS)
    dev->slot_used[slot] = true;
  pthread_mutex_unlock(&dev->lock);
  if (!s || slot == OCL_STREAMS) {
    dev->host->free(s);
    clReleaseCommandQueue(queue);
    return s ? dev->host->fail(HED_E_LIMIT, "%s: more than %d streams", dev->name, OCL_STREAMS)
             : dev->host->fail(HED_E_NOMEM, "%s: no memory for a stream", dev->name);
  }
  cl_command_queue_properties properties = 0;
  (void)clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  *s = (ocl_stream){ .queue = queue, .slot = slot, .timed = (properties & CL_QUEUE_PROFILING_ENABLE) != 0 };
  *out = s;
  return HED_OK;
}

static int32_t stream_new(void *state, void **stream)
{
  ocl_device *dev = state;
  cl_int code;
  const cl_command_queue_properties timed = dev_host_profile(dev->host) ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_command_queue queue = clCreateCommandQueue(dev->context, dev->id, timed, &code);
  return queue ? new_stream(dev, queue, stream) : ocl_status(dev, code, "a queue");
}

static int32_t stream_wrap(void *state, void *native, void **stream)
{
  ocl_device *dev = state;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue = native;
  if (!queue || clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL) != CL_SUCCESS ||
      clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS || id != dev->id ||
      context != dev->context)
    return dev->host->fail(HED_E_INVAL, "%s: %p is no queue of this device and of its context", dev->name, native);
  clRetainCommandQueue(queue); /* until it is dropped */
  return new_stream(dev, queue, stream);
}

static dev_fault *fault(void *state) { return ((ocl_device *)state)->fault; }

static void stream_drop(void *state, void *stream)
{
  ocl_device *dev = state;
  ocl_stream *s = stream;
  clReleaseCommandQueue(s->queue);
  pthread_mutex_lock(&dev->lock);
  dev->slot_used[s->slot] = false;
  pthread_mutex_unlock(&dev->lock);
  dev->host->free(s);
}

static void *stream_native(void *state, void *stream)
{
  (void)state;
  return ((ocl_stream *)stream)->queue;
}

static int32_t flush(void *state, void *stream)
{
  return ocl_status(state, clFlush(((ocl_stream *)stream)->queue), "flush");
}

/* ---- events ---- */

/* Flushed: who waits in another queue for what has not begun waits for ever. */
static int32_t event_record(void *state, void *stream, void **event)
{
  ocl_stream *s = stream;
  cl_event e = NULL;
  cl_int code = clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &e);
  if (code == CL_SUCCESS)
    code = clFlush(s->queue);
  *event = e;
  return ocl_status(state, code, "an event");
}

static int32_t event_wait(void *state, void *stream, void *event)
{
  cl_event e = event;
  return ocl_status(state, clEnqueueBarrierWithWaitList(((ocl_stream *)stream)->queue, 1, &e, NULL), "a wait");
}

static void tell_times(ocl_device *dev)
{
  if (dev_times_some(&dev->times))
    dev_times_tell(&dev->times);
}

static int32_t event_query(void *state, void *event)
{
  cl_int over = CL_QUEUED;
  cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof over, &over, NULL);
  if (code == CL_SUCCESS && over < 0)
    code = over;
  if (over <= CL_COMPLETE)
    tell_times(state);
  return code != CL_SUCCESS ? ocl_status(state, code, "work on the device") : over == CL_COMPLETE;
}

static int32_t event_sync(void *state, void *event)
{
  cl_event e = event;
  cl_int code = clWaitForEvents(1, &e);
  tell_times(state);
  if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    const int32_t over = event_query(state, event);
    return over > 0 ? HED_OK : over < 0 ? over : ocl_status(state, code, "work on the device");
  }
  return ocl_status(state, code, "work on the device");
}

static void event_free(void *state, void *event)
{
  (void)state;
  clReleaseEvent(event);
}

const dev_port ocl_port = {
  .name = "opencl",
  .build = build, .load = load, .binary_of = binary_of, .entry = entry, .launch = launch,
  .alloc = ocl_alloc, .free = ocl_free, .memset = ocl_memset, .copy = ocl_copy,
  .pinned_alloc = ocl_pinned_alloc, .pinned_free = ocl_pinned_free, .memory = ocl_memory, .owns = ocl_owns,
  .stream_new = stream_new, .stream_wrap = stream_wrap, .stream_drop = stream_drop, .stream_native = stream_native,
  .flush = flush, .event_record = event_record, .event_wait = event_wait, .event_query = event_query,
  .event_sync = event_sync, .event_free = event_free, .fault = fault,
  .limits = ocl_limits, .identity = ocl_identity, .describe = ocl_describe,
};
