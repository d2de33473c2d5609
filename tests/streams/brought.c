// SPDX-License-Identifier: BSD-3-Clause
/* Streams that programs bring to drivers of devices: more of them, one after the other, than there can be at once; what each takes is
 * given back; and the default stream, of which each thread has another. HEDDLE_TEST_BACKEND: opencl, or cuda on the driver of
 * tests/cudashim. L5. */
#include "dlpack.h"
#include "tap.h"
#include <dlfcn.h>
#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BROUGHT = 110, AT_ONCE = 100, N = 1 << 18, STEPS = 40 };

static const char *backend;

static void *symbol(const char *library, const char *name)
{
  void *h = dlopen(library, RTLD_NOW), *p = h ? dlsym(h, name) : NULL;
  if (!p)
    bail("no %s in %s", name, library);
  return p;
}

/* ---- a stream of the driver, in the context that the library has ---- */

static void *new_cl(void)
{
  enum { QUEUE_CONTEXT = 0x1090, QUEUE_DEVICE = 0x1091 };
  int (*info)(void *, unsigned, size_t, void *, size_t *), code;
  void *(*make)(void *, void *, uint64_t, int *), *own = NULL, *context = NULL, *device = NULL;
  *(void **)&info = symbol("libOpenCL.so.1", "clGetCommandQueueInfo");
  *(void **)&make = symbol("libOpenCL.so.1", "clCreateCommandQueue");
  if (hed_stream_native(NULL, &own) != HED_OK || info(own, QUEUE_CONTEXT, sizeof context, &context, NULL) ||
      info(own, QUEUE_DEVICE, sizeof device, &device, NULL))
    bail("the library's queue: %s", hed_error_text());
  return make(context, device, 0, &code);
}

static void *driver(const char *name)
{
  unsigned (*get)(const char *, void **, int, uint64_t, unsigned *), status;
  void *p = NULL;
  *(void **)&get = symbol("libcuda.so.1", "cuGetProcAddress_v2");
  if (get(name, &p, 13000, 0, &status) || !p)
    bail("no %s", name);
  return p;
}

static void *new_cuda(void)
{
  unsigned (*retain)(void **, int), (*push)(void *), (*pop)(void **), (*create)(void **, unsigned);
  void *context = NULL, *stream = NULL;
  *(void **)&retain = driver("cuDevicePrimaryCtxRetain");
  *(void **)&push = driver("cuCtxPushCurrent");
  *(void **)&pop = driver("cuCtxPopCurrent");
  *(void **)&create = driver("cuStreamCreate");
  if (retain(&context, 0) || push(context) || create(&stream, 1) || pop(&context))
    bail("no stream");
  return stream;
}

static void *new_stream(void) { return strncmp(backend, "cuda", 4) == 0 ? new_cuda() : new_cl(); }

static void end_stream(void *stream)
{
  int (*release)(void *);
  if (strncmp(backend, "cuda", 4) == 0)
    return;
  *(void **)&release = symbol("libOpenCL.so.1", "clReleaseCommandQueue");
  release(stream);
}

/* ---- */

/* A sum, a product and a transform in the context C; how many of them are not right. */
static int use(hed_context *c)
{
  hed_frame f;
  double total = 0;
  int wrong = hed_context_push(c, &f) != HED_OK;
  HED_SCOPE
  {
    hed_array *x = hed_eye(8, 8, 1, HED_FLOAT32), *y = hed_matmul(x, hed_ones(HED_SHAPE(8, 8), HED_FLOAT32));
    wrong += hed_item(hed_sum(hed_real(hed_ifftn(hed_fftn(y, NULL), NULL)), NULL), &total) != HED_OK || total < 55.9 || total > 56.1;
    if (wrong)
      diag("%g: %s", total, hed_error_text());
  }
  hed_context_pop(f);
  return wrong;
}

static size_t taken(void)
{
  hed_memory_info i = { .struct_size = sizeof i };
  hed_free_cache();
  if (hed_memory_query(NULL, &i) != HED_OK)
    bail("memory: %s", hed_error_text());
  return i.total - i.available;
}

static void one_after_the_other(void)
{
  hed_context *c = NULL;
  int wrong = 0;
  size_t before = 0;
  for (int k = 0; k < BROUGHT; k++) {
    void *stream = new_stream();
    if (hed_context_with_stream(NULL, stream, &c) != HED_OK)
      bail("stream %d: %s", k, hed_error_text());
    wrong += use(c);
    hed_context_release(c);
    end_stream(stream);
    before = k == 1 ? taken() : before;
  }
  is_int(wrong, 0, "%d streams of the program, each released", BROUGHT);
  ok(taken() <= before, "leave nothing behind: %zu bytes, %zu after the second", taken(), before);
}

static void at_once(void)
{
  hed_context *c[AT_ONCE] = { NULL };
  void *stream[AT_ONCE];
  int n = 0, wrong = 0;
  hed_status status = HED_OK;
  while (n < AT_ONCE && (status = hed_context_with_stream(NULL, stream[n] = new_stream(), &c[n])) == HED_OK)
    n++;
  is_int(status, HED_E_LIMIT, "%d streams at once: %s", n, hed_error_text());
  ok(strstr(hed_error_text(), "streams are in use") && !c[n], "is said");
  hed_context *derived = NULL;
  HED_BACKEND_CONTEXT("reference")
    is_int(hed_context_derive(c[0], ";threads=1", &derived), HED_OK, "a context of one of them");
  for (int k = 0; k < n; k++)
    hed_context_release(c[k]);
  wrong += use(derived);
  hed_context_release(derived);
  for (int k = 0; k < n; k++) {
    hed_status again = hed_context_with_stream(NULL, stream[k], &c[k]);
    wrong += again != HED_OK || use(c[k]);
    hed_context_release(again == HED_OK ? c[k] : NULL);
    end_stream(stream[k]);
  }
  end_stream(stream[n]);
  is_int(wrong, 0, "released, they serve again, and a context made of one before");
}

/* ---- memory that is not the device's ---- */

static hed_array *wrap(const char *spec, void *p, int64_t n)
{
  return hed_wrap_device(spec, p, HED_SHAPE(n), NULL, HED_FLOAT32, HED_STREAM_NONE, NULL, NULL);
}

static void foreign(void)
{
  static float host[64];
  struct DLManagedTensorVersioned *m = NULL;
  double total = 0;
  ok(!wrap(backend, host, 64) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), backend), "the host's memory: %s",
     hed_error_text());
  if (strncmp(backend, "cuda", 4) != 0)
    return;
  if (hed_to_dlpack(hed_ones(HED_SHAPE(1 << 20), HED_FLOAT32), HED_COPY_NEVER, &m) != HED_OK) /* a block of its own */
    bail("dlpack: %s", hed_error_text());
  hed_array *y = wrap(backend, m->tensor.data, 1 << 20);
  ok(y && hed_item(hed_sum(y, NULL), &total) == HED_OK && total == 1 << 20, "its own");
  ok(!wrap(backend, m->tensor.data, 1 << 23) && hed_error() == HED_E_INVAL, "more than there is: %s", hed_error_text());
  ok(!wrap("cuda:1", m->tensor.data, 64) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), "cuda:1"), "another's: %s",
     hed_error_text());
  m->deleter(m);
}

/* ---- the default stream of each thread ---- */

static hed_context *default_stream;
static hed_array *of_main;

static void *reader(void *arg)
{
  hed_frame f;
  double low = 0;
  (void)arg;
  if (hed_context_push(default_stream, &f) != HED_OK)
    return NULL;
  HED_SCOPE
    if (hed_item(hed_min(of_main, NULL), &low) != HED_OK || low != STEPS)
      diag("%g: %s", low, hed_error_text());
  hed_context_pop(f);
  return low == STEPS ? &of_main : NULL;
}

static void of_thread(void)
{
  hed_frame f;
  pthread_t thread;
  int wrong = 0;
  is_int(hed_context_with_stream(NULL, (void *)2, &default_stream), HED_OK, "the default stream of each thread");
  if (hed_context_push(default_stream, &f) != HED_OK)
    bail("push: %s", hed_error_text());
  for (int k = 0; k < 8; k++) {
    void *right = NULL;
    of_main = hed_zeros(HED_SHAPE(N), HED_FLOAT32);
    for (int step = 0; step < STEPS; step++) {
      hed_array *next = hed_add_scalar(of_main, 1);
      hed_release(of_main);
      of_main = next;
    }
    if (pthread_create(&thread, NULL, reader, NULL) != 0)
      bail("no thread");
    pthread_join(thread, &right);
    wrong += !right;
    hed_release(of_main);
  }
  is_int(wrong, 0, "another thread's reads what this one's writes");
  hed_context_pop(f);
  hed_context_release(default_stream);
}

int main(void)
{
  const char *given = getenv("HEDDLE_TEST_BACKEND");
  backend = given && *given ? given : "opencl";
  if (hed_set_backend(backend) != HED_OK)
    skip_all("%s", hed_error_text());
  one_after_the_other();
  at_once();
  HED_SCOPE
    foreign();
  if (strncmp(backend, "cuda", 4) == 0)
    of_thread();
  return done();
}
