// SPDX-License-Identifier: BSD-3-Clause
/* Hard situations of arrays: lifetimes across threads and contexts, operands in other memory, failures that surface
 * later, dtypes that a device lacks. The device is the faulty backend. L5.
 */
#include "arrays.h"
#include "scenario.h"
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>

static int (*control)(const char *);
static int64_t (*query)(const char *);

static void *module_symbol(const char *name)
{
  char path[4096];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/backends/.libs/faulty.so", build ? build : ".");
  void *h = dlopen(path, RTLD_NOW | RTLD_NOLOAD), *p = h ? dlsym(h, name) : NULL;
  if (!p)
    bail("%s of %s: %s", name, path, dlerror());
  return p;
}

static uint64_t stat_of(size_t offset)
{
  hed_stats s = { .struct_size = sizeof s };
  uint64_t v = 0;
  if (hed_stats_get(&s) == HED_OK)
    memcpy(&v, (char *)&s + offset, sizeof v);
  return v;
}
#define STAT(field) stat_of(offsetof(hed_stats, field))

static hed_array *numbers(int n)
{
  float x[64];
  for (int k = 0; k < n; k++)
    x[k] = (float)k + 1;
  return hed_from_host(x, HED_SHAPE(n), HED_FLOAT32);
}

static float first_of(const hed_array *x)
{
  float v[64] = { 0 };
  return hed_to_host(x, v, hed_array_nbytes(x)) == HED_OK ? v[0] : NAN;
}

/* Blocks given back to the device of SPEC so far, with what the pool had kept of it. */
static int64_t given_back(const char *spec)
{
  (void)hed_synchronize(spec);
  (void)hed_trim(spec, SIZE_MAX, HED_TRIM_BLOCKS);
  return query("frees");
}

/* ---- 24: lifetimes ---- */

static atomic_int done_calls;
static pthread_t done_thread;
static pthread_mutex_t application = PTHREAD_MUTEX_INITIALIZER;

static void done_with(void *arg)
{
  done_thread = pthread_self();
  atomic_fetch_add(&done_calls, 1);
  free(arg);
}

/* A host's own cleanup that holds the host's lock and releases an array. */
static void locked_release(void *arg)
{
  pthread_mutex_lock(&application);
  hed_release(arg);
  pthread_mutex_unlock(&application);
}

static pthread_key_t last_key;
static atomic_int last_released;

static void release_last(void *arg)
{
  hed_release(arg);
  atomic_fetch_add(&last_released, 1);
}

static void *drop_at_end(void *arg)
{
  pthread_setspecific(last_key, arg);
  HED_BACKEND_CONTEXT("reference;threads=2") (void)here();
  return NULL;
}

static void test_lifetimes(void)
{
  float *memory = malloc(8 * sizeof *memory);
  if (!memory || pthread_key_create(&last_key, release_last) != 0)
    bail("out of memory");
  for (int k = 0; k < 8; k++)
    memory[k] = (float)k;
  hed_array *w = hed_wrap(memory, HED_SHAPE(8), NULL, HED_FLOAT32, done_with, memory);
  hed_array *v = hed_slice(w, 1, (hed_slice_range[]){ HED_RANGE(6, HED_SLICE_END, 1) });
  hed_release(w);
  is_int(atomic_load(&done_calls), 0, "a view keeps wrapped memory");
  float two[2] = { 0, 0 };
  ok(hed_to_host(v, two, sizeof two) == HED_OK && two[0] == 6 && two[1] == 7, "and outlives the array it came from");
  pthread_t t;
  if (hed_thread_create(&t, NULL, drop_at_end, v) != 0)
    bail("no thread");
  pthread_t id = t;
  pthread_join(t, NULL);
  is_int(atomic_load(&done_calls), 1, "the last reference goes with a thread: memory is given back once");
  ok(pthread_equal(done_thread, id), "by that thread");

  hed_array *x = NULL, *y = NULL;
  HED_BACKEND_CONTEXT("faulty:1") {
    x = numbers(4);
    y = hed_add(x, x);
  }
  int64_t frees = given_back("faulty:1");
  is_str(hed_array_space(y), "faulty:1", "an array made under faulty:1");
  hed_release(x);
  HED_BACKEND_CONTEXT("reference") {
    if (hed_thread_create(&t, NULL, drop_at_end, y) != 0)
      bail("no thread");
    pthread_join(t, NULL);
  }
  is_int(given_back("faulty:1") - frees, 2, "is given back to its own device, whatever the context and the thread");
  is_int(atomic_load(&last_released), 2, "during the end of the thread");

  HED_BACKEND_CONTEXT("faulty") x = numbers(4);
  char *host = malloc(4);
  hed_array *holder = host ? hed_wrap(host, HED_SHAPE(4), NULL, HED_UINT8, locked_release, x) : NULL;
  frees = given_back("faulty");
  hed_release(holder);
  free(host);
  is_int(given_back("faulty") - frees, 1, "a release inside a foreign cleanup that holds a lock of the application");
}

/* ---- 25: who executes ---- */

static void test_mixing(void)
{
  hed_array *h = NULL, *d = NULL, *e = NULL;
  HED_BACKEND_CONTEXT("reference") h = numbers(4);
  HED_BACKEND_CONTEXT("faulty") d = numbers(4);
  HED_BACKEND_CONTEXT("faulty:1") e = numbers(4);

  HED_BACKEND_CONTEXT("faulty") {
    hed_array *r = hed_add(h, h);
    is_str(hed_array_backend(r), "reference", "follow: host operands under a device context run where they live");
    is_str(hed_array_space(r), "host", "and the result stays there");
    hed_release(r);
    r = hed_add(d, e);
    ok(!r && hed_error() == HED_E_MISMATCH, "follow: operands in two spaces do not mix");
    has_str(hed_error_text(), "faulty:0", "the sentence names one space");
    has_str(hed_error_text(), "faulty:1", "and the other");
    has_str(hed_error_text(), "hed_to", "and the call that moves one");
    r = hed_add(h, d);
    ok(!r && hed_error() == HED_E_MISMATCH, "follow: host and device do not mix");
    hed_array *two = hed_scalar(2);
    r = hed_multiply(d, two);
    hed_release(two);
    is_near(first_of(r), 2, 0, 0, "a scalar goes along");
    is_str(hed_array_space(r), "faulty:0", "to the device");
    hed_release(r);
  }
  HED_BACKEND_CONTEXT("faulty;mix=strict") {
    hed_array *r = hed_add(h, h);
    ok(!r && hed_error() == HED_E_MISMATCH, "strict: host operands under a device context are an error");
    has_str(hed_error_text(), "host", "that names their space");
    has_str(hed_error_text(), "faulty:0", "and the context's");
    r = hed_add(d, d);
    is_near(first_of(r), 2, 0, 0, "strict: operands of the device run");
    hed_release(r);
  }
  HED_BACKEND_CONTEXT("faulty;mix=copy") {
    uint64_t copies = STAT(copies);
    hed_array *r = hed_add(h, d);
    is_uint(STAT(copies) - copies, 1, "copy: one copy, counted");
    is_near(first_of(r), 2, 0, 0, "copy: the right result");
    is_str(hed_array_space(r), "faulty:0", "copy: on the device");
    hed_release(r);
  }
  hed_array *moved = hed_to(d, "faulty:1"), *back = hed_to(moved, "reference"), *same = hed_to(back, "reference");
  is_str(hed_array_space(moved), "faulty:1", "an explicit move between devices");
  is_near(first_of(back), 1, 0, 0, "and back");
  is_ptr(hed_array_data(same), hed_array_data(back), "a move to where it is, shares the storage");
  is_int(hed_array_refs(back), 1, "in a handle of its own");
  ok(!hed_array_data(d) && hed_error() == HED_E_MISMATCH, "no host pointer to device memory");
  hed_array *all[] = { h, d, e, moved, back, same };
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    hed_release(all[k]);
}

/* Every kind of operation on the device: native, through the reference backend, on views. */
static void test_device_results(void)
{
  HED_BACKEND_CONTEXT("faulty")
  HED_SCOPE {
    double v = 0;
    hed_array *x = hed_reshape(numbers(12), HED_SHAPE(3, 4));
    uint64_t fallbacks = STAT(fallbacks);
    hed_array *t = hed_transpose(x, NULL), *p = hed_matmul(x, t);
    ok(hed_item(hed_sum(p, NULL), &v) == HED_OK && v == 15 * 15 + 18 * 18 + 21 * 21 + 24 * 24,
       "matmul with a transposed view, and its sum, on the device: %g", v);
    is_uint(STAT(fallbacks) - fallbacks, 0, "natively");
    hed_array *s = hed_sqrt(x);
    is_uint(STAT(fallbacks) - fallbacks, 1, "sqrt: through the reference backend, counted");
    is_str(hed_array_space(s), "faulty:0", "its result is on the device");
    hed_array *r = hed_slice(x, 2, (hed_slice_range[]){ HED_RANGE(2, HED_SLICE_BEGIN, -1), HED_RANGE(1, 4, 2) });
    float got[6] = { 0 };
    static const float want[6] = { 10, 12, 6, 8, 2, 4 };
    is_int(hed_to_host(r, got, sizeof got), HED_OK, "a view with negative and wide strides");
    is_mem(got, want, sizeof want, "comes out in C order");
    is_int(hed_fill(r, 0), HED_OK, "filled in place");
    ok(hed_item(hed_sum(x, NULL), &v) == HED_OK && v == 78 - 42, "changes the elements of the view only: %g", v);
    ok(hed_item(hed_sum(hed_flip(x, NULL), &(hed_reduce){ .axes = HED_AXES(0, 1) }), &v) == HED_OK && v == 36,
       "sum over axes of a flipped view: %g", v);
  }
  HED_BACKEND_CONTEXT("faulty;fallback=error") {
    hed_array *x = numbers(4), *s = hed_sqrt(x);
    ok(!s && hed_error() == HED_E_UNSUPPORTED, "fallback=error: an operation the device lacks fails");
    has_str(hed_error_text(), "sqrt", "and is named");
    hed_release(x);
  }
}

/* ---- 25: failures that surface later ---- */

static void test_poison(void)
{
  HED_BACKEND_CONTEXT("faulty")
  HED_SCOPE {
    float y[4];
    hed_array *x = numbers(4), *other = hed_negative(x);
    is_int(hed_wait(x), HED_OK, "nothing fails yet");
    control("delay_us=20000;fail=2");
    hed_error_clear();
    hed_array *a = hed_add(x, x), *b = hed_exp(a), *c = hed_multiply(b, x), *d = hed_subtract(x, x);
    ok(a && b && c && d, "operations are accepted before the failure is known");
    is_int(hed_error(), HED_OK, "without an error");
    is_int(hed_wait(c), HED_E_ASYNC, "whoever waits for a result of the failed one is told");
    has_str(hed_error_text(), "exp", "with the operation that failed first");
    is_int(hed_to_host(b, y, sizeof y), HED_E_ASYNC, "so is whoever reads the failed one");
    has_str(hed_error_text(), "exp", "with its name");
    ok(hed_to_host(a, y, sizeof y) == HED_OK && y[3] == 8, "what came before is not touched");
    ok(hed_to_host(d, y, sizeof y) == HED_OK && y[3] == 0, "what came after without it is not touched");
    ok(hed_to_host(other, y, sizeof y) == HED_OK && y[3] == -4, "nor are unrelated arrays");
    control("reset");
    hed_array *again = hed_add(x, x);
    ok(hed_to_host(again, y, sizeof y) == HED_OK && y[0] == 2, "the device goes on");
  }
  control("reset");
}

static void test_memory(void)
{
  HED_BACKEND_CONTEXT("faulty") {
    hed_array *x = hed_empty(HED_SHAPE(1 << 20), HED_FLOAT32);
    control("oom=1");
    hed_array *again = hed_empty(HED_SHAPE(1024), HED_FLOAT32);
    ok(again != NULL, "an allocation that fails once is repeated");
    hed_release(again);
    control("full=1");
    hed_release(x);
    x = hed_empty(HED_SHAPE(1024, 64), HED_FLOAT32);
    ok(!x && hed_error() == HED_E_DEVMEM, "out of device memory: an error, not an end");
    has_str(hed_error_text(), "262144", "that says how much was asked for");
    control("full=0");
    x = hed_empty(HED_SHAPE(1024), HED_FLOAT32);
    ok(x != NULL, "the next allocation succeeds");
    hed_release(x);
    x = hed_empty(HED_SHAPE(65, 1 << 18), HED_FLOAT32);
    ok(!x && hed_error() == HED_E_DEVMEM, "more than the device has");
    int good = 0;
    for (int k = 0; k < 20; k++) { /* 64 MiB hold this three times: memory comes back from the queue */
      x = hed_full(HED_SHAPE(20, 1 << 10), k, HED_FLOAT32);
      hed_array *z = hed_add(x, x);
      good += z != NULL;
      RELEASE(x, z);
    }
    is_int(good, 20, "memory that was given back is used again");
  }
  HED_BACKEND_CONTEXT("faulty;memory=1K") {
    hed_array *x = hed_empty(HED_SHAPE(200), HED_FLOAT32), *y = hed_empty(HED_SHAPE(200), HED_FLOAT32);
    ok(x && !y && hed_error() == HED_E_LIMIT, "the context's own limit");
    has_str(hed_error_text(), "1024", "is named");
    hed_release(x);
    y = hed_empty(HED_SHAPE(200), HED_FLOAT32);
    ok(y != NULL, "and holds for what is alive only");
    hed_release(y);
  }
}

/* ---- 26: dtypes ---- */

static void test_dtypes(void)
{
  double data[2] = { 1.5, 2.5 }, v = 0;
  hed_dtype early = HED_REAL;
  HED_BACKEND_CONTEXT("reference;real=float64") {
    hed_array *x = hed_zeros(HED_SHAPE(2), early);
    is_str(hed_dtype_name(hed_array_dtype(x)), "float64", "REAL where the context says float64");
    is_uint(hed_dtype_size(early), 8, "has 8 bytes");
    hed_release(x);
    HED_BACKEND_CONTEXT("faulty;real=float32") {
      x = hed_zeros(HED_SHAPE(2), early);
      is_str(hed_dtype_name(hed_array_dtype(x)), "float32", "the same object after the switch");
      is_uint(hed_dtype_size(early), 4, "has 4 bytes");
      hed_release(x);
    }
    is_uint(hed_dtype_size(early), 8, "and 8 again after the block");
  }
  HED_BACKEND_CONTEXT("faulty") {
    hed_array *x = hed_zeros(HED_SHAPE(2), HED_FLOAT64);
    ok(!x && hed_error() == HED_E_DTYPE, "strict: float64 on a device without it fails at creation");
    has_str(hed_error_text(), "float64", "naming it");
    has_str(hed_error_text(), "float32", "and the nearest");
    has_str(hed_error_text(), "faulty", "and the backend");
    x = hed_from_host(data, HED_SHAPE(2), HED_FLOAT64);
    ok(!x && hed_error() == HED_E_DTYPE, "from host data too");
    hed_dtype_resolution r = { .struct_size = sizeof r };
    is_int(hed_dtype_resolve(HED_FLOAT64, NULL, &r), HED_E_DTYPE, "resolve says the same");
    r.struct_size = sizeof r;
    is_int(hed_dtype_resolve(HED_FLOAT32, NULL, &r), HED_OK, "float32 resolves");
    is_str(r.native_name, "fake_float", "to the backend's own name");
    is_int(hed_backend_supports("faulty", HED_OP_ADD, HED_FLOAT32), HED_SUPPORT_NATIVE, "add of float32 is native");
    is_int(hed_backend_supports("faulty", HED_OP_ADD, HED_FLOAT64), HED_SUPPORT_NONE, "of float64 impossible");
    is_int(hed_backend_supports("faulty", HED_OP_ADD, HED_INT32), HED_SUPPORT_FALLBACK, "of int32 through reference");
  }
  HED_BACKEND_CONTEXT("faulty;dtype=relaxed") {
    uint64_t narrowed = STAT(narrowed);
    hed_array *x = hed_from_host(data, HED_SHAPE(2), HED_FLOAT64), *s = hed_sum(x, NULL);
    is_str(hed_dtype_name(hed_array_dtype(x)), "float32", "relaxed: narrowed, visibly");
    ok(STAT(narrowed) > narrowed, "and counted");
    ok(hed_item(s, &v) == HED_OK && v == 4, "with its values converted");
    RELEASE(x, s);
    hed_dtype_resolution r = { .struct_size = sizeof r };
    is_int(hed_dtype_resolve(HED_FLOAT64, NULL, &r), HED_OK, "relaxed: float64 resolves");
    is_ptr(r.storage, HED_FLOAT32, "to float32 storage");
  }
  hed_array *wide = NULL;
  HED_BACKEND_CONTEXT("reference") wide = hed_from_host(data, HED_SHAPE(2), HED_FLOAT64);
  ok(!hed_to(wide, "faulty") && hed_error() == HED_E_DTYPE, "a move to a device without the dtype is an error");
  hed_array *moved = NULL;
  HED_BACKEND_CONTEXT("faulty;dtype=relaxed") moved = hed_to(wide, "faulty");
  is_str(hed_dtype_name(hed_array_dtype(moved)), "float32", "unless it may be narrowed");
  float narrow[2] = { 0, 0 };
  ok(hed_to_host(moved, narrow, sizeof narrow) == HED_OK && narrow[0] == 1.5F && narrow[1] == 2.5F, "with its values");
  RELEASE(moved, wide);
}

/* The promotion table against its rules, written down a second time; the same under every backend of the tree. */
static int rank_of(hed_dtype t) { return (int)hed_dtype_size(t) * 8; }

static hed_dtype promoted(hed_dtype a, hed_dtype b)
{
  hed_kind p = hed_dtype_kind(a), q = hed_dtype_kind(b);
  char name[16];
  if (a == b)
    return a;
  if (p > q)
    return promoted(b, a);
  if (p == HED_KIND_BOOL)
    return b;
  int x = rank_of(a), y = rank_of(b);
  if (p == q) {
    if (x == y) /* float16 with bfloat16 */
      return HED_FLOAT32;
    return x > y ? a : b;
  }
  if (p == HED_KIND_UINT && q == HED_KIND_INT) {
    if (x == 64)
      return HED_FLOAT64;
    snprintf(name, sizeof name, "int%d", y > x ? y : 2 * x);
    return hed_dtype_by_name(name);
  }
  if (q == HED_KIND_FLOAT || p != HED_KIND_FLOAT) /* an integer takes the float's or the complex number's type */
    return b;
  return x > 32 || y > 64 ? HED_COMPLEX128 : HED_COMPLEX64;
}

static void test_promotion(void)
{
  static const char *const where[] = { "reference", "faulty", "cpu" };
  for (int w = 0; w < 3; w++) {
    int wrong = 0;
    if (hed_backend_require(where[w]) != HED_OK) {
      skip(1, "no %s: %s", where[w], hed_error_text());
      continue;
    }
    HED_BACKEND_CONTEXT(where[w]) {
      for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
        for (int j = 0; j < HED_ID_CONCRETE_COUNT_; j++) {
          hed_dtype a = hed_dtype_of(i), b = hed_dtype_of(j), got = hed_dtype_promote(a, b), want = promoted(a, b);
          if (got != want && wrong++ < 5)
            diag("%s with %s: %s, not %s", hed_dtype_name(a), hed_dtype_name(b), hed_dtype_name(got),
                 hed_dtype_name(want));
        }
    }
    is_int(wrong, 0, "promotion of every pair under %s", where[w]);
  }
}

/* ---- 25, last: the device dies ---- */

static void test_sticky(void)
{
  hed_frame f;
  is_int(hed_backend_context_push("faulty", &f), HED_OK, "a context on the device");
  HED_SCOPE {
    hed_array *x = numbers(4);
    control("sticky=1");
    hed_array *a = hed_add(x, x);
    ok(hed_wait(a) < 0, "an operation takes the device with it");
    has_str(hed_error_text(), "took the device with it", "the device's own words come through");
    hed_error_clear();
    hed_array *b = hed_add(x, x);
    ok(!b || hed_wait(b) < 0, "nothing works on it any more");
    hed_backend_info info = { .struct_size = sizeof info };
    is_int(hed_backend_query("faulty", &info), HED_OK, "query");
    is_int(info.state, HED_BACKEND_READY, "the backend has another device");
    has_str(info.reason, "but for device 0: faulty:0: submission", "and says why not this one");
  }
  is_int(hed_context_pop(f), HED_OK, "the frame can be popped");
  ok(hed_backend_context_push("faulty", &f) < 0, "the device cannot be chosen again");
  double v = 0;
  HED_BACKEND_CONTEXT("reference") {
    hed_array *x = hed_full(HED_SHAPE(2), 3, HED_FLOAT32), *s = hed_sum(x, NULL);
    ok(hed_item(s, &v) == HED_OK && v == 6, "others go on");
    RELEASE(x, s);
  }
}

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "few=1", 1); /* so that there is something that it lacks */
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend: %s", hed_error_text());
  void *c = module_symbol("hed_faulty_control"), *q = module_symbol("hed_faulty_query");
  memcpy(&control, &c, sizeof control);
  memcpy(&query, &q, sizeof query);
  int64_t arrays = (int64_t)STAT(arrays_live);
  test_lifetimes();
  test_mixing();
  test_device_results();
  test_poison();
  test_memory();
  test_dtypes();
  test_promotion();
  test_sticky();
  is_uint(STAT(arrays_live), (uint64_t)arrays, "no array is left");
  return done();
}
