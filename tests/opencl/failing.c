// SPDX-License-Identifier: BSD-3-Clause
/* The calls of OpenCL that the opencl module makes, before the driver's own: counted, and failing on request as those of
 * tests/cudashim do. The program that this is linked into exports them, so the module takes them. L5. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <heddle/export.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* STATUS: the error is returned. OBJECT: NULL is, and the error where the last argument points. ASKED: a question whose answer is
 * only for people, or a release, which fail without consequence: not counted. */
#define CALLS(STATUS, OBJECT)                                                                                               \
  STATUS(clBuildProgram, (cl_program p, cl_uint n, const cl_device_id *d, const char *o,                                    \
                          void (*f)(cl_program, void *), void *u), (p, n, d, o, f, u))                                      \
  OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *e), (c, f, n, p, e))             \
  OBJECT(cl_command_queue, clCreateCommandQueue, (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *e),  \
         (c, d, p, e))                                                                                                      \
  OBJECT(cl_context, clCreateContext, (const cl_context_properties *p, cl_uint n, const cl_device_id *d,                    \
                                       void (*f)(const char *, const void *, size_t, void *), void *u, cl_int *e),          \
         (p, n, d, f, u, e))                                                                                                \
  OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *e), (p, n, e))                                    \
  OBJECT(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *e),      \
         (c, n, s, l, e))                                                                                                   \
  STATUS(clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e), (q, n, w, e))       \
  STATUS(clEnqueueCopyBuffer, (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t j, size_t s, cl_uint n,             \
                               const cl_event *w, cl_event *e), (q, a, b, i, j, s, n, w, e))                                \
  STATUS(clEnqueueFillBuffer, (cl_command_queue q, cl_mem a, const void *p, size_t l, size_t i, size_t s, cl_uint n,        \
                               const cl_event *w, cl_event *e), (q, a, p, l, i, s, n, w, e))                                \
  OBJECT(void *, clEnqueueMapBuffer, (cl_command_queue q, cl_mem a, cl_bool b, cl_map_flags f, size_t i, size_t s,          \
                                      cl_uint n, const cl_event *w, cl_event *v, cl_int *e), (q, a, b, f, i, s, n, w, v, e)) \
  STATUS(clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e), (q, n, w, e))        \
  STATUS(clEnqueueNDRangeKernel, (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,             \
                                  const size_t *l, cl_uint n, const cl_event *w, cl_event *e), (q, k, d, o, g, l, n, w, e)) \
  STATUS(clEnqueueReadBuffer, (cl_command_queue q, cl_mem a, cl_bool b, size_t i, size_t s, void *p, cl_uint n,             \
                               const cl_event *w, cl_event *e), (q, a, b, i, s, p, n, w, e))                                \
  STATUS(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem a, void *p, cl_uint n, const cl_event *w, cl_event *e),       \
         (q, a, p, n, w, e))                                                                                                \
  STATUS(clEnqueueWriteBuffer, (cl_command_queue q, cl_mem a, cl_bool b, size_t i, size_t s, const void *p, cl_uint n,      \
                                const cl_event *w, cl_event *e), (q, a, b, i, s, p, n, w, e))                               \
  STATUS(clFinish, (cl_command_queue q), (q))                                                                               \
  STATUS(clFlush, (cl_command_queue q), (q))                                                                                \
  STATUS(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info i, size_t n, void *p, size_t *r), (q, i, n, p, r)) \
  STATUS(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *r), (p, t, n, d, r))     \
  STATUS(clGetEventInfo, (cl_event e, cl_event_info i, size_t n, void *p, size_t *r), (e, i, n, p, r))                      \
  STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *r), (n, p, r))                                           \
  STATUS(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *p), (k, i, n, p))                                   \
  STATUS(clWaitForEvents, (cl_uint n, const cl_event *e), (n, e))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, fail_at;
static unsigned fail_code;
static const char *fail_name, *failed;

HED_API void driver_fail(const char *name, int n, unsigned code);
HED_API int driver_calls(void);
HED_API const char *driver_failed(void);
HED_API const char *driver_name(int k);

void driver_fail(const char *name, int n, unsigned code)
{
  pthread_mutex_lock(&lock);
  fail_name = name;
  fail_at = n;
  fail_code = code;
  failed = NULL;
  pthread_mutex_unlock(&lock);
}

int driver_calls(void) { return calls; }
const char *driver_failed(void) { return failed; }

const char *driver_name(int k)
{
#define NAME(name, ...) #name,
#define NAME_OF(type, name, ...) #name,
  static const char *const names[] = { CALLS(NAME, NAME_OF) NULL };
  return names[k];
}

static void *own(const char *name)
{
  static void *library;
  if (!library)
    library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return dlsym(library, name);
}

static cl_int error_of(const char *name)
{
  cl_int error = CL_SUCCESS;
  pthread_mutex_lock(&lock);
  calls++;
  if (fail_at > 0 && (!fail_name || strcmp(fail_name, name) == 0) && --fail_at == 0) {
    error = (cl_int)fail_code;
    failed = name;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

#define STATUS(name, parameters, arguments)                                                                                 \
  HED_API cl_int name parameters;                                                                                           \
  cl_int name parameters                                                                                                    \
  {                                                                                                                         \
    cl_int (*fn) parameters;                                                                                                \
    const cl_int error = error_of(#name);                                                                                   \
    *(void **)&fn = own(#name);                                                                                             \
    return error ? error : fn arguments;                                                                                    \
  }
#define OBJECT(type, name, parameters, arguments)                                                                           \
  HED_API type name parameters;                                                                                             \
  type name parameters                                                                                                      \
  {                                                                                                                         \
    type (*fn) parameters;                                                                                                  \
    const cl_int error = error_of(#name);                                                                                   \
    *(void **)&fn = own(#name);                                                                                             \
    if (!error)                                                                                                             \
      return fn arguments;                                                                                                  \
    *e = error;                                                                                                             \
    return NULL;                                                                                                            \
  }
CALLS(STATUS, OBJECT)
