// SPDX-License-Identifier: BSD-3-Clause
/* See kernels/run.h. OpenCL is opened at run time, so that a debugger of kernels (oclgrind) can take its place. */
#include "run.h"

#include "backends/device/kernels/texts.h"

#define CL_TARGET_OPENCL_VERSION 120
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#include <CL/cl.h>
#define HAVE_CL 1
#endif
#endif

#include <dlfcn.h>
#include <stdio.h>

/* ---- texts ---- */

static const char *text_of(const char *name, size_t length)
{
  for (const dev_kernel_text *t = dev_kernel_texts; t->name; t++)
    if (strlen(t->name) == length && strncmp(t->name, name, length) == 0)
      return t->text;
  bail("there is no text %.*s", (int)length, name);
}

static void append(char **all, const char *text, size_t n)
{
  const size_t had = *all ? strlen(*all) : 0;
  *all = realloc(*all, had + n + 2);
  if (!*all)
    bail("out of memory");
  memcpy(*all + had, text, n);
  (*all)[had + n] = '\n';
  (*all)[had + n + 1] = '\0';
}

char *run_source(const char *family, int compute, const char *defines)
{
  char head[256], name[64], *all = NULL;
  snprintf(name, sizeof name, "%s.k", family);
  snprintf(head, sizeof head, "#define HED_PROGRAM 1\n#define HED_COMPUTE %d", compute);
  append(&all, head, strlen(head));
  if (defines)
    append(&all, defines, strlen(defines));
  if (!defines || !strstr(defines, "PER_ITEM"))
    append(&all, "#define PER_ITEM 1", 18);
  if (!defines || !strstr(defines, "define BLOCK")) {
    snprintf(head, sizeof head, "#define BLOCK %d", RUN_BLOCK);
    append(&all, head, strlen(head));
  }
  const char *text = text_of(name, strlen(name)), *at = text, *end = strchr(text, '\n');
  append(&all, text_of("hedk.h", 6), strlen(text_of("hedk.h", 6)));
  append(&all, text_of("args.h", 6), strlen(text_of("args.h", 6)));
  if (strncmp(at, "//@ needs", 9) != 0)
    bail("%s does not say what it needs", name);
  for (at += 9; at < end;) {
    while (*at == ' ')
      at++;
    const size_t length = strcspn(at, " \n");
    if (length > 0)
      append(&all, text_of(at, length), strlen(text_of(at, length)));
    at += length;
  }
  append(&all, text, strlen(text));
  return all;
}

/* ---- memory ---- */

enum { GUARD = 64, PATTERN = 0xa5 };
typedef struct block {
  struct block *next;
  size_t bytes;
  void *buffer; /* OpenCL's */
  char *data;   /* between guards */
} block;
static block *blocks;

void *run_memory(size_t bytes)
{
  block *b = calloc(1, sizeof *b);
  char *all = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
  if (!b || !all)
    bail("out of memory");
  memset(all, PATTERN, bytes + 2 * GUARD);
  *b = (block){ .next = blocks, .bytes = bytes, .data = all + GUARD };
  blocks = b;
  return b->data;
}

#if !defined(HAVE_CL)
const char *run_open(void) { return "CL/cl.h was not there when this test was built"; }
const char *run_device(void) { return ""; }
run_program *run_build(const char *family, int compute, const char *defines)
{
  (void)family, (void)compute, (void)defines;
  return NULL;
}
bool run(run_program *p, const char *entry, i64 gx, i64 gy, i64 gz, int n, void *const *pointer, const void *args, size_t bytes)
{
  (void)p, (void)entry, (void)gx, (void)gy, (void)gz, (void)n, (void)pointer, (void)args, (void)bytes;
  return false;
}
void run_forget(void) {}
#else

/* ---- OpenCL ---- */

#define CALLS(X)                                                                                                  \
  X(clGetPlatformIDs) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clCreateCommandQueue)             \
  X(clCreateProgramWithSource) X(clBuildProgram) X(clGetProgramBuildInfo) X(clCreateKernel) X(clSetKernelArg)     \
  X(clCreateBuffer) X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clFinish)          \
  X(clReleaseMemObject) X(clReleaseKernel)
#define DECLARE(name) static __typeof__(&name) p_##name;
CALLS(DECLARE)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static char device_name[256];

const char *run_device(void) { return device_name; }

const char *run_open(void)
{
  cl_platform_id platform;
  cl_int status;
  if (!dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL))
    return "libOpenCL.so.1 cannot be opened";
#define FIND(name)                                    \
  *(void **)&p_##name = dlsym(RTLD_DEFAULT, #name);   \
  if (!p_##name)                                      \
    return "OpenCL has no " #name;
  CALLS(FIND)
  if (p_clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
    return "OpenCL has no platform";
  if (p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return "OpenCL has no device";
  p_clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof device_name, device_name, NULL);
  context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  if (status != CL_SUCCESS)
    return "no context on the device";
  queue = p_clCreateCommandQueue(context, device, 0, &status);
  return status == CL_SUCCESS ? NULL : "no queue on the device";
}

struct run_program {
  run_program *next;
  char *source;
  cl_program program;
};
static run_program *programs;

run_program *run_build(const char *family, int compute, const char *defines)
{
  char *source = run_source(family, compute, defines);
  cl_int status;
  for (run_program *p = programs; p; p = p->next)
    if (strcmp(p->source, source) == 0) {
      free(source);
      return p;
    }
  cl_program program = p_clCreateProgramWithSource(context, 1, (const char *[]){ source }, NULL, &status);
  status = p_clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL);
  if (status != CL_SUCCESS) {
    static char log[8000];
    p_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    diag("%s for type %d does not build: %.6000s", family, compute, log);
    if (getenv("KERNELS_KEEP")) {
      FILE *f = fopen(getenv("KERNELS_KEEP"), "w");
      fputs(source, f);
      fclose(f);
    }
    free(source);
    return NULL;
  }
  run_program *p = calloc(1, sizeof *p);
  if (!p)
    bail("out of memory");
  *p = (run_program){ programs, source, program };
  return programs = p;
}

void run_forget(void)
{
  for (block *b = blocks, *next; b; b = next) {
    next = b->next;
    free(b->data - GUARD);
    free(b);
  }
  blocks = NULL;
}

static block *holder(const void *p)
{
  for (block *b = blocks; b; b = b->next)
    if ((const char *)p >= b->data && (const char *)p <= b->data + b->bytes)
      return b;
  bail("a pointer of no memory of the test");
}

/* Does a line of the text say that ENTRY has N pointers and a struct of BYTES? Lines with a star stand for many. */
static bool is_listed(const char *source, const char *entry, int n, size_t bytes)
{
  for (const char *at = strstr(source, "//@ entry "); at; at = strstr(at + 1, "//@ entry ")) {
    char line[200], *word, *rest = NULL;
    int pointers = 0;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 10, "\n"), at + 10);
    word = strtok_r(line, " ", &rest);
    const size_t before = strcspn(word, "*"), after = word[before] ? strlen(word + before + 1) : 0;
    if (word[before] ? strlen(entry) < before + after || strncmp(word, entry, before) != 0 ||
                         strcmp(word + before + 1, entry + strlen(entry) - after) != 0
                     : strcmp(word, entry) != 0)
      continue;
    while ((word = strtok_r(NULL, " ", &rest)) && strcmp(word, "p") == 0)
      pointers++;
    return pointers == n && word && word[0] == 's' && strtoul(word + 1, NULL, 10) == bytes;
  }
  return false;
}

bool run(run_program *p, const char *entry, i64 gx, i64 gy, i64 gz, int n, void *const *pointer, const void *args, size_t bytes)
{
  cl_int status;
  cl_kernel kernel = p_clCreateKernel(p->program, entry, &status);
  cl_uint arg = 0;
  bool fine = true;
  if (status != CL_SUCCESS)
    return fail("there is no entry %s", entry);
  if (!is_listed(p->source, entry, n, bytes))
    return fail("no line lists %s with %d pointers and %d bytes", entry, n, (int)bytes);
  for (int k = 0; k < n; k++) {
    block *b = holder(pointer[k]);
    if (!b->buffer) {
      b->buffer = p_clCreateBuffer(context, CL_MEM_READ_WRITE, b->bytes + 2 * GUARD, NULL, &status);
      fine = fine && status == CL_SUCCESS &&
             p_clEnqueueWriteBuffer(queue, b->buffer, CL_TRUE, 0, b->bytes + 2 * GUARD, b->data - GUARD, 0, NULL, NULL) == CL_SUCCESS;
    }
    cl_mem buffer = b->buffer;
    cl_long offset = (char *)pointer[k] - b->data + GUARD;
    fine = fine && p_clSetKernelArg(kernel, arg++, sizeof buffer, &buffer) == CL_SUCCESS;
    fine = fine && p_clSetKernelArg(kernel, arg++, sizeof offset, &offset) == CL_SUCCESS;
  }
  fine = fine && p_clSetKernelArg(kernel, arg, bytes, args) == CL_SUCCESS;
  if (!fine)
    return fail("the arguments of %s were refused", entry);
  const size_t local[3] = { RUN_BLOCK, 1, 1 }, global[3] = { (size_t)gx * RUN_BLOCK, (size_t)gy, (size_t)gz };
  status = p_clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
  fine = status == CL_SUCCESS && p_clFinish(queue) == CL_SUCCESS;
  for (block *b = blocks; b; b = b->next)
    if (b->buffer) {
      p_clEnqueueReadBuffer(queue, b->buffer, CL_TRUE, 0, b->bytes + 2 * GUARD, b->data - GUARD, 0, NULL, NULL);
      p_clReleaseMemObject(b->buffer);
      b->buffer = NULL;
      for (int k = 0; k < GUARD; k++)
        if ((uint8_t)b->data[k - GUARD] != PATTERN || (uint8_t)b->data[b->bytes + (size_t)k] != PATTERN)
          return fail("%s writes outside of its memory", entry);
    }
  p_clReleaseKernel(kernel);
  return fine || fail("%s was not run: %d", entry, (int)status);
}
#endif
