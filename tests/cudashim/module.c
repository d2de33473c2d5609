// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: programs and kernels, by OpenCL.
 *
 * A line `//@ entry NAME p p s24' of the text says how many pointers a kernel has and how long its struct is; of each pointer the
 * program gives the address and an offset, and OpenCL gets the block's buffer and the offset in it.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "shim.h"
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, version, arguments) unsigned name arguments;
CUDA_DRIVER(DECLARE)

enum { MOST_POINTERS = 32, MOST_BYTES = 1024 };

struct CUmod_st {
  cl_program program;
  char *text;
  CUfunction functions;
};

struct CUfunc_st {
  CUfunction next;
  cl_kernel kernel;
  int pointers;
  size_t bytes;                /* of the struct, 0 without one */
  pthread_mutex_t lock;        /* arguments are the kernel's until it is enqueued */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static cl_device_id device;
static cl_context context;

static void start(void)
{
  cl_platform_id platform;
  cl_int error;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
}

/* ---- buffers ---- */

void *shim_buffer_make(void *memory, size_t bytes)
{
  pthread_once(&once, start);
  return context ? clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, NULL) : NULL;
}

void shim_buffer_free(void *buffer) { clReleaseMemObject(buffer); }

/* ---- programs ---- */

unsigned cuModuleLoadData(CUmodule *module, const void *image)
{
  static const char mark[] = "cudashim\n";
  char log[4000] = "";
  CALL_IN(c);
  pthread_once(&once, start);
  if (!context || strncmp(image, mark, sizeof mark - 1) != 0)
    return NV_CUDA_ERROR_INVALID_IMAGE;
  CUmodule m = calloc(1, sizeof *m);
  char *text = strdup((const char *)image + sizeof mark - 1);
  const char *source = text;
  m->text = text;
  m->program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  if (clBuildProgram(m->program, 1, &device, "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL) != CL_SUCCESS) {
    clGetProgramBuildInfo(m->program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "cudashim: %s\n", log);
    clReleaseProgram(m->program);
    free(text);
    free(m);
    return NV_CUDA_ERROR_INVALID_IMAGE;
  }
  *module = m;
  return NV_CUDA_SUCCESS;
}

/* PATTERN may hold one `*'. */
static bool is_named(const char *pattern, size_t n, const char *name)
{
  const char *star = memchr(pattern, '*', n);
  const size_t length = strlen(name), head = star ? (size_t)(star - pattern) : n, tail = star ? n - head - 1 : 0;
  if (!star)
    return length == n && memcmp(pattern, name, n) == 0;
  return length >= head + tail && memcmp(pattern, name, head) == 0 && memcmp(star + 1, name + length - tail, tail) == 0;
}

/* What the text says of NAME. */
static bool read_entry(CUfunction f, const char *text, const char *name)
{
  static const char mark[] = "//@ entry ";
  for (const char *line = text; (line = strstr(line, mark)); ) {
    line += sizeof mark - 1;
    const size_t n = strcspn(line, " \n");
    if (!is_named(line, n, name))
      continue;
    for (line += n; *line == ' '; line += strcspn(line, " \n")) {
      line++;
      if (*line == 'p')
        f->pointers++;
      else if (*line == 's')
        f->bytes = strtoul(line + 1, NULL, 10);
    }
    return f->pointers <= MOST_POINTERS && f->bytes <= MOST_BYTES;
  }
  return false;
}

unsigned cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name)
{
  cl_int error;
  CALL_IN(c);
  cl_kernel kernel = clCreateKernel(m->program, name, &error);
  if (error != CL_SUCCESS) {
    fprintf(stderr, "cudashim: OpenCL's error %d of kernel %s\n", (int)error, name);
    return NV_CUDA_ERROR_NOT_FOUND;
  }
  CUfunction f = calloc(1, sizeof *f);
  f->kernel = kernel;
  pthread_mutex_init(&f->lock, NULL);
  if (!read_entry(f, m->text, name)) {
    fprintf(stderr, "cudashim: no line of the program describes %s\n", name);
    clReleaseKernel(kernel);
    free(f);
    return NV_CUDA_ERROR_NOT_FOUND;
  }
  pthread_mutex_lock(&shim_lock);
  f->next = m->functions;
  m->functions = f;
  pthread_mutex_unlock(&shim_lock);
  *function = f;
  return NV_CUDA_SUCCESS;
}

unsigned cuFuncGetAttribute(int *value, unsigned attribute, CUfunction function)
{
  CALL_IN(c);
  (void)attribute, (void)function;
  *value = 0;
  return NV_CUDA_SUCCESS;
}

/* ---- launches ---- */

typedef struct launch {
  CUcontext context;
  CUfunction function;
  size_t global[3], local[3];
  struct { CUdeviceptr address; int64_t offset; } pointer[MOST_POINTERS];
  char bytes[MOST_BYTES];
} launch;

/* The lock of the function is held. */
static unsigned set_arguments(const launch *l)
{
  const CUfunction f = l->function;
  cl_uint n = 0;
  for (int k = 0; k < f->pointers; k++) {
    size_t offset = 0;
    cl_mem buffer = l->pointer[k].address ? shim_buffer(l->context, l->pointer[k].address, &offset) : NULL;
    const cl_long from = (cl_long)offset + l->pointer[k].offset;
    if (l->pointer[k].address && !buffer)
      return NV_CUDA_ERROR_ILLEGAL_ADDRESS;
    if (clSetKernelArg(f->kernel, n++, sizeof buffer, &buffer) != CL_SUCCESS ||
        clSetKernelArg(f->kernel, n++, sizeof from, &from) != CL_SUCCESS)
      return NV_CUDA_ERROR_INVALID_VALUE;
  }
  return f->bytes && clSetKernelArg(f->kernel, n, f->bytes, l->bytes) != CL_SUCCESS ? NV_CUDA_ERROR_INVALID_VALUE
                                                                                    : NV_CUDA_SUCCESS;
}

static unsigned run_launch(void *arg)
{
  const launch *l = arg;
  cl_int e;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  pthread_mutex_lock(&l->function->lock);
  unsigned error = set_arguments(l);
  if (error == NV_CUDA_SUCCESS &&
      (e = clEnqueueNDRangeKernel(queue, l->function->kernel, 3, NULL, l->global, l->local, 0, NULL, NULL)) != CL_SUCCESS) {
    fprintf(stderr, "cudashim: OpenCL's error %d of a launch\n", (int)e);
    error = NV_CUDA_ERROR_LAUNCH_FAILED;
  }
  pthread_mutex_unlock(&l->function->lock);
  if (error == NV_CUDA_SUCCESS && clFinish(queue) != CL_SUCCESS)
    error = NV_CUDA_ERROR_LAUNCH_FAILED;
  clReleaseCommandQueue(queue);
  return error;
}

/* Of all launches so far: how many there were, and the bytes of the blocks that each was given, every block once. Small blocks are
 * shared by many arrays and workspace, and are left out. */
enum { LARGE_BYTES = 5 << 20 };
static atomic_int launches;
static atomic_ullong moved;

HED_API unsigned long long shim_moved(int *count);
HED_API unsigned long long shim_moved(int *count)
{
  *count = atomic_load(&launches);
  return atomic_load(&moved);
}

static void count(const launch *l)
{
  size_t begin[MOST_POINTERS];
  for (int k = 0; k < l->function->pointers; k++) {
    const size_t bytes = shim_block(l->context, l->pointer[k].address, &begin[k]);
    int same = 0;
    while (same < k && begin[same] != begin[k])
      same++;
    if (same == k && bytes >= LARGE_BYTES)
      atomic_fetch_add(&moved, bytes);
  }
  atomic_fetch_add(&launches, 1);
}

unsigned cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, CUstream stream, void **arguments, void **extra)
{
  CALL_IN(c);
  launch l = { .context = c, .function = function, .local = { block_x, block_y, block_z },
               .global = { (size_t)grid_x * block_x, (size_t)grid_y * block_y, (size_t)grid_z * block_z } };
  if (!grid_x || !grid_y || !grid_z || grid_y > 65535 || grid_z > 65535 || grid_x > 0x7fffffff || !block_x ||
      (uint64_t)block_x * block_y * block_z > 1024 || shared || extra)
    return NV_CUDA_ERROR_INVALID_VALUE;
  for (int k = 0; k < function->pointers; k++) {
    memcpy(&l.pointer[k].address, arguments[2 * k], sizeof l.pointer[k].address);
    memcpy(&l.pointer[k].offset, arguments[2 * k + 1], sizeof l.pointer[k].offset);
  }
  if (function->bytes)
    memcpy(l.bytes, arguments[2 * function->pointers], function->bytes);
  count(&l);
  return shim_submit(stream, run_launch, &l, sizeof l);
}
