// SPDX-License-Identifier: BSD-3-Clause
/* A device's driver that fails: each call of it once, at its turn, in a short program, with each kind of error. The program gets an
 * error whose words name the device and the driver's error or, where nothing was lost, its right result; the device serves again
 * afterwards, and nothing is left. With an error that ends the device that one is lost, and says so for good, and another goes on.
 * opencl, with the calls of opencl/failing.c, or HEDDLE_TEST_BACKEND=cuda on the driver of tests/cudashim. L5. */
#include "arrays.h"
#include "tap.h"
#include <dlfcn.h>
#include <heddle.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the driver's stand-in has for tests ---- */

static const char *backend;
static char device[32];
static void (*driver_fail)(const char *name, int n, unsigned code);
static int (*driver_calls)(void);
static const char *(*driver_failed)(void);
static const char *(*driver_name)(int k);
static int (*depth)(void);

static void *symbol(const char *name)
{
  void *shim = strcmp(backend, "cuda") == 0 ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : NULL;
  return dlsym(shim ? shim : RTLD_DEFAULT, name);
}

static bool open_driver(void)
{
  *(void **)&driver_fail = symbol("driver_fail");
  *(void **)&driver_calls = symbol("driver_calls");
  *(void **)&driver_failed = symbol("driver_failed");
  *(void **)&driver_name = symbol("driver_name");
  *(void **)&depth = symbol("cudashim_depth");
  return driver_fail && driver_calls && driver_failed && driver_name;
}

/* Errors: those from which a driver recovers, and those that end a device. */
typedef struct error {
  int code;
  const char *name;
} error;

#define CUDA(name, code) { code, "CUDA_ERROR_" #name }
#define CL(name, code) { code, "CL_" #name }
static const error cuda_mild[] = {
  CUDA(INVALID_VALUE, 1), CUDA(OUT_OF_MEMORY, 2), CUDA(INVALID_CONTEXT, 201), CUDA(INVALID_HANDLE, 400), CUDA(NOT_FOUND, 500),
  CUDA(LAUNCH_OUT_OF_RESOURCES, 701), CUDA(UNKNOWN, 999),
};
static const error cuda_fatal[] = {
  CUDA(ILLEGAL_ADDRESS, 700), CUDA(LAUNCH_TIMEOUT, 702), CUDA(ASSERT, 710), CUDA(HARDWARE_STACK_ERROR, 714),
  CUDA(ILLEGAL_INSTRUCTION, 715), CUDA(MISALIGNED_ADDRESS, 716), CUDA(INVALID_ADDRESS_SPACE, 717), CUDA(INVALID_PC, 718),
  CUDA(LAUNCH_FAILED, 719), CUDA(ECC_UNCORRECTABLE, 214), CUDA(NVLINK_UNCORRECTABLE, 220), CUDA(CONTAINED, 226),
  CUDA(DEVICE_UNAVAILABLE, 46), CUDA(CONTEXT_IS_DESTROYED, 709),
};
static const error cl_mild[] = {
  CL(OUT_OF_HOST_MEMORY, -6), CL(MEM_OBJECT_ALLOCATION_FAILURE, -4), CL(OUT_OF_RESOURCES, -5), CL(INVALID_VALUE, -30),
  CL(INVALID_MEM_OBJECT, -38), CL(INVALID_EVENT, -58), CL(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14),
};
static const error cl_fatal[] = { CL(DEVICE_NOT_AVAILABLE, -2) };

static const error *mild, *fatal;
static int n_mild, n_fatal;

/* Do the words of the failure name the device, the error, and an operation where they tell of one? Libraries have numbers for
 * their errors. */
static bool is_told(const error *e)
{
  const char *text = hed_error_text();
  const bool told = strstr(text, device) && !strstr(text, "'?'") && (strstr(text, e->name) || strstr(text, "'s status"));
  if (!told)
    diag("%s of %s: %s", e->name, driver_failed() ? driver_failed() : "?", text);
  return told;
}

/* ---- programs ---- */

enum { N = 64 };

/* Copies in, a kernel, a product, a transform there and back, copies out: 2 (k + 1) for element k. */
static hed_status program(bool *right)
{
  float in[N], out[N];
  hed_status status = HED_E_INTERNAL;
  *right = true;
  for (int k = 0; k < N; k++)
    in[k] = (float)k;
  HED_SCOPE
  {
    hed_array *x = hed_from_host(in, HED_SHAPE(8, 8), HED_FLOAT32), *one = hed_eye(8, 8, 0, HED_FLOAT32);
    hed_array *y = hed_multiply_scalar(hed_add_scalar(hed_matmul(x, one), 1), 2);
    hed_array *z = hed_irfftn(hed_rfftn(y, NULL), NULL);
    hed_array *turned = hed_copy(hed_transpose(z, NULL));
    status = turned ? hed_to_host(hed_transpose(turned, NULL), out, sizeof out) : hed_error();
  }
  for (int k = 0; k < N && status == HED_OK; k++)
    *right = *right && out[k] > 2 * (float)k + 1.99f && out[k] < 2 * (float)k + 2.01f;
  return status;
}

/* Factors one by one and together, and a product that TF32 may have: x + 1 for element k of the right side. */
static hed_status factors(bool *right)
{
  float in[3 * 16], out[3 * 16];
  hed_status status = HED_E_INTERNAL;
  *right = true;
  for (int k = 0; k < 48; k++)
    in[k] = (float)(k % 16 % 5 == 0 ? 8 : k % 3);
  HED_BACKEND_CONTEXT(";math=tf32;fallback=error")
  HED_SCOPE
  {
    hed_array *a = hed_from_host(in, HED_SHAPE(3, 4, 4), HED_FLOAT32), *q = NULL, *r = NULL, *u = NULL, *s = NULL, *vh = NULL;
    hed_array *b = hed_matmul(a, hed_ones(HED_SHAPE(3, 4, 4), HED_FLOAT32));
    status = hed_qr(a, HED_QR_REDUCED, &q, &r);
    if (status == HED_OK)
      status = hed_svd(hed_copy(a), false, &u, &s, &vh);
    hed_array *y = status == HED_OK ? hed_add(hed_solve(a, b), hed_multiply_scalar(hed_sum(s, NULL), 0)) : NULL;
    status = y ? hed_to_host(hed_add_scalar(y, 1), out, sizeof out) : hed_error();
  }
  for (int k = 0; k < 48 && status == HED_OK; k++)
    *right = *right && out[k] > 1.999f && out[k] < 2.001f;
  return status;
}

/* The N-th call from now on fails, for every N that is reached. */
static void sweep(const error *e, const char *what, hed_status (*run)(bool *))
{
  int failed = 0, untold = 0, wrong = 0, deep = 0, dead = 0, n, reached = 1;
  for (n = 1; reached && n < 2000; n++) {
    bool right;
    driver_fail(NULL, n, (unsigned)e->code);
    const hed_status status = run(&right);
    reached = driver_failed() != NULL;
    failed += status != HED_OK;
    untold += status != HED_OK && !is_told(e);
    wrong += status == HED_OK && !right;
    deep += depth && depth() != 0;
    driver_fail(NULL, 0, 0);
    if (run(&right) != HED_OK || !right) {
      diag("after the failure of call %d: %s", n, hed_error_text());
      dead++;
      break;
    }
  }
  ok(n > 20 && failed > 0, "%s, %s: %d calls failed, each once, and %d of these runs", what, e->name, n - 1, failed);
  is_int(untold, 0, "%s, %s: each with words", what, e->name);
  is_int(wrong, 0, "%s, %s: no wrong result", what, e->name);
  is_int(deep, 0, "%s, %s: contexts as found", what, e->name);
  is_int(dead, 0, "%s, %s: the device serves again", what, e->name);
}

/* ---- devices that are new, and that are lost ---- */

static hed_status on(const char *spec, bool *right)
{
  hed_status status = HED_E_INTERNAL;
  *right = false;
  snprintf(device, sizeof device, "%s", spec);
  HED_BACKEND_CONTEXT_OR(spec, return hed_error())
    status = program(right);
  return status;
}

/* What a kernel on SPEC checks, and more made of it: nobody knows yet whether it fails. */
static void leave_open(const char *spec, hed_array *open[2])
{
  const int64_t list[2] = { 1, 0 };
  HED_BACKEND_CONTEXT_OR(spec, return)
  HED_SCOPE
  {
    open[0] = hed_keep(hed_take(hed_ones(HED_SHAPE(2), HED_FLOAT32), hed_from_host(list, HED_SHAPE(2), HED_INT64), 0));
    open[1] = hed_keep(hed_add_scalar(open[0], 1));
  }
}

/* The driver's function NAME fails in a device's first program; and later for good. Whether the device is lost. */
static bool lose(const char *name, const char *spec, const error *passing, const error *last)
{
  bool right;
  driver_fail(name, 1, (unsigned)passing->code);
  hed_status status = on(spec, &right);
  const bool first = driver_failed();
  int wrong = first && (status == HED_OK ? !right : !is_told(passing));
  driver_fail(NULL, 0, 0);
  if (first) {
    wrong += on(spec, &right) != HED_OK || !right;
    is_int(wrong, 0, "%s: %s of %s in the first program", spec, passing->name, name);
  }
  hed_array *open[2] = { NULL, NULL };
  leave_open(spec, open);
  for (int n = 1 + (int)(tap_seed() % 3); n > 0 && !driver_failed(); n--) {
    driver_fail(name, n, (unsigned)last->code);
    status = on(spec, &right);
  }
  const bool second = driver_failed();
  if (second) {
    wrong = status == HED_OK ? !right : !is_told(last);
    driver_fail(NULL, 0, 0);
    status = on(spec, &right);
    wrong += status != HED_E_UNAVAILABLE || !is_told(last) || !strstr(hed_error_text(), "lost");
    for (int k = 0; k < 2; k++)
      wrong += hed_to_host(open[k], &(float[2]){ 0 }, 8) == HED_OK || !strstr(hed_error_text(), "lost") ||
               (!strstr(hed_error_text(), "'take'") && !strstr(hed_error_text(), "any more"));
    is_int(wrong, 0, "%s: %s of %s ends it: %s", spec, last->name, name, hed_error_text());
  }
  driver_fail(NULL, 0, 0);
  RELEASE(open[0], open[1]);
  char zero[32];
  snprintf(zero, sizeof zero, "%s:0", backend);
  if (on(zero, &right) != HED_OK || !right)
    fail("%s after that: %s", zero, hed_error_text());
  return second;
}

enum { DEVICES = 16 };

static void lose_devices(void)
{
  int next = 1;
  for (int k = 0; driver_name(k); k++)
    if (share(k, 2) && next < DEVICES) {
      char spec[32];
      snprintf(spec, sizeof spec, "%s:%d", backend, next);
      next += lose(driver_name(k), spec, &mild[(tap_seed() + (uint64_t)k) % (uint64_t)n_mild],
                   &fatal[(tap_seed() + (uint64_t)k) % (uint64_t)n_fatal]);
    }
  ok(next > 1, "%d devices were lost, one by one", next - 1);
}

int main(void)
{
  bool right;
  const char *given = getenv("HEDDLE_TEST_BACKEND");
  backend = given && *given ? given : "opencl";
  const bool cuda = strcmp(backend, "cuda") == 0;
  setenv("CUDASHIM_DEVICES", "16", 1);
  setenv("POCL_DEVICES", "pthread basic basic basic basic basic basic basic basic basic basic basic basic basic basic basic", 1);
  mild = cuda ? cuda_mild : cl_mild;
  fatal = cuda ? cuda_fatal : cl_fatal;
  n_mild = (int)(cuda ? sizeof cuda_mild / sizeof *mild : sizeof cl_mild / sizeof *mild);
  n_fatal = (int)(cuda ? sizeof cuda_fatal / sizeof *fatal : sizeof cl_fatal / sizeof *fatal);
  snprintf(device, sizeof device, "%s:0", backend);
  if (hed_set_backend(device) != HED_OK || !open_driver())
    skip_all("no driver for tests: %s", hed_error_text());
  is_int(program(&right), HED_OK, "the program, undisturbed");
  ok(right, "its result");
  for (int k = 0; k < n_mild; k++)
    if (k < 2 || share(k, n_mild))
      sweep(&mild[k], "program", program);
  if (cuda) {
    is_int(factors(&right), HED_OK, "factors, undisturbed");
    ok(right, "their result");
    sweep(&mild[0], "factors", factors);
    sweep(&mild[1], "factors", factors);
  }
  lose_devices();
  return done();
}
