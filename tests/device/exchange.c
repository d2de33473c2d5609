// SPDX-License-Identifier: BSD-3-Clause
/* Memory of a device shared with another library that works on it in a stream of its own: neither waits on the host, and each
 * sees what the other has written. The other library is this test, by the faulty module's own door. L5. */
#include "dlpack.h"
#include "memory.h"
#include <stdatomic.h>

enum { N = 64 };

static void *(*new_stream)(int);
static int (*launch)(void *, void (*)(void *), void *);
static void *(*pointer)(const void *);

/* ---- the other library ---- */

typedef struct work {
  float *at, want, seen; /* all N elements become WANT, unless that is 0; the first one before */
  atomic_int over;
} work;

static void do_work(void *arg)
{
  work *w = arg;
  w->seen = w->at[0];
  for (int k = 0; k < N && w->want != 0; k++)
    w->at[k] = w->want;
  atomic_store(&w->over, 1);
}

static void submit(void *stream, work *w)
{
  atomic_init(&w->over, 0);
  is_int(launch(stream, do_work, w), 0, "the other library submits");
}

/* The device stands still until somebody waits, so that what does not is seen, however busy the machine is. */
static void hold(void) { control("hold=1"); }

static void wait_for(work *w)
{
  control("hold=0");
  (void)hed_synchronize("faulty");
  while (!atomic_load(&w->over))
    sleep_ms(1);
}

static int done_calls;
static void on_done(void *arg)
{
  is_ptr(arg, &done_calls, "done gets its argument");
  done_calls++;
}

static bool all_are(const hed_array *x, float value)
{
  float v[N];
  bool good = x && hed_to_host(x, v, sizeof v) == HED_OK;
  for (int k = 0; k < N && good; k++)
    good = v[k] == value;
  return good;
}

/* An array whose computation does not begin before somebody waits. */
static hed_array *late(float value)
{
  hed_array *x = hed_full(HED_SHAPE(N), (double)value - 1, HED_FLOAT32);
  (void)hed_wait(x);
  hold();
  return hed_add_scalar(x, 1);
}

/* ---- out ---- */

static void exports(void *stream)
{
  for (int copy = 0; copy < 2; copy++)
    HED_SCOPE {
      DLManagedTensorVersioned *m = NULL;
      hed_array *x = late(5);
      const int64_t waits = query("waits");
      is_int(hed_to_dlpack_stream(x, copy ? HED_COPY_ALWAYS : HED_COPY_NEVER, (intptr_t)stream, &m), HED_OK, "an array goes out");
      work w = { .at = pointer(m->tensor.data), .want = 9 };
      submit(stream, &w);
      ok(query("waits") == waits && !atomic_load(&w.over), "and nobody waits on the host");
      wait_for(&w);
      ok(w.seen == 5, "the other library reads what we have computed");
      ok(all_are(x, copy ? 5 : 9), copy ? "and has a copy of its own" : "and writes to our memory");
      is_int(m->tensor.device_type, 12, "it knows whose memory it is");
      m->deleter(m);

      x = late(6);
      is_int(hed_to_dlpack_stream(x, HED_COPY_NEVER, HED_STREAM_NONE, &m), HED_OK, "one that orders by itself");
      m->deleter(m);
      is_int(hed_to_dlpack_stream(x, HED_COPY_NEVER, 77, &m), HED_E_INVAL, "a stream that is none");
      has_str(hed_error_text(), "0x4d", "is named");
      ok(m == NULL, "and no tensor is made");
      is_int(hed_to_dlpack_stream(x, HED_COPY_NEVER, 0, &m), HED_E_INVAL, "0 is the default stream, which this device has not");
      has_str(hed_error_text(), "0x1", "and 1 its handle");
      hed_error_clear();
      control("hold=0");
    }
  HED_BACKEND_CONTEXT("reference") HED_SCOPE {
    DLManagedTensorVersioned *m = NULL;
    is_int(hed_to_dlpack_stream(hed_ones(HED_SHAPE(2), HED_FLOAT32), HED_COPY_NEVER, 77, &m), HED_OK, "host memory has no streams");
    hed_release(hed_from_dlpack_stream(m, 77));
  }
}

/* Readers that were submitted before are over when the other library writes. */
static void exports_after_readers(void *stream)
{
  HED_SCOPE {
    DLManagedTensorVersioned *m = NULL;
    hed_array *x = hed_full(HED_SHAPE(N), 5, HED_FLOAT32);
    (void)hed_wait(x);
    control("delay_us=30000");
    hed_array *y = hed_negative(x);
    control("delay_us=0");
    is_int(hed_to_dlpack_stream(x, HED_COPY_NEVER, (intptr_t)stream, &m), HED_OK, "an array goes out that is being read");
    work w = { .at = pointer(m->tensor.data), .want = 9 };
    submit(stream, &w);
    ok(all_are(y, -5), "its reader sees it as it was");
    wait_for(&w);
    ok(all_are(x, 9), "the other library writes later");
    m->deleter(m);
  }
}

/* ---- in ---- */

static void *in_another_thread(void *arg)
{
  HED_BACKEND_CONTEXT("faulty") {
    hed_array *y = hed_add_scalar(arg, 2);
    ok(all_are(y, 44), "another thread sees it too");
    hed_release(y);
  }
  return NULL;
}

static void imports(void *stream)
{
  HED_SCOPE {
    DLManagedTensorVersioned *m = NULL;
    hed_array *memory = hed_zeros(HED_SHAPE(N), HED_FLOAT32), *x, *y;
    (void)hed_wait(memory);
    (void)hed_to_dlpack(memory, HED_COPY_NEVER, &m);
    for (int wrapped = 0; wrapped < 2; wrapped++) {
      work w = { .at = pointer(m->tensor.data), .want = 42 };
      int64_t waits = query("waits");
      pthread_t t;
      done_calls = 0;
      hold();
      submit(stream, &w);
      if (wrapped)
        x = hed_wrap_device("faulty", m->tensor.data, HED_SHAPE(N), NULL, HED_FLOAT32, (intptr_t)stream, on_done, &done_calls);
      else
        x = hed_from_dlpack_stream(m, (intptr_t)stream);
      y = hed_add_scalar(x, 1);
      ok(x && y && !atomic_load(&w.over) && query("waits") == waits, "what is still to be written comes in, and nobody waits");
      is_int(pthread_create(&t, NULL, in_another_thread, x), 0, "another thread");
      pthread_join(t, NULL);
      ok(all_are(y, 43), "what we compute sees it");

      y = hed_add_scalar(x, 3);
      waits = query("waits");
      hed_release(hed_keep(x));
      work next = { .at = w.at, .want = 1 };
      if (wrapped) {
        is_int(done_calls, 1, "given back at once, while we read it");
        submit(stream, &next);
        ok(query("waits") == waits && !atomic_load(&next.over), "and nobody waits");
        ok(all_are(y, 45), "what its owner writes then comes later");
        wait_for(&next);
      }
      (void)hed_wait(y);
      control("hold=0");
      if (!wrapped)
        (void)hed_to_dlpack(memory, HED_COPY_NEVER, &m);
    }
    m->deleter(m);
  }
}

static void refused(void *stream)
{
  HED_SCOPE {
    DLManagedTensorVersioned *m = NULL;
    const int64_t odd[1] = { 6 };
    hed_array *memory = hed_zeros(HED_SHAPE(N), HED_FLOAT32), *x;
    (void)hed_to_dlpack(memory, HED_COPY_NEVER, &m);
    void *at = m->tensor.data;
    const intptr_t s = (intptr_t)stream;
    done_calls = 0;
    ok(!hed_wrap_device(NULL, at, HED_SHAPE(N), NULL, HED_FLOAT32, s, on_done, &done_calls) && hed_error() == HED_E_INVAL, "no spec");
    ok(!hed_wrap_device("faulty", NULL, HED_SHAPE(N), NULL, HED_FLOAT32, s, on_done, &done_calls) && hed_error() == HED_E_INVAL,
       "no data");
    has_str(hed_error_text(), "wrap_device: data is NULL", "is said");
    ok(!hed_wrap_device("faulty", (char *)at + 1, HED_SHAPE(2), NULL, HED_FLOAT32, s, on_done, &done_calls) &&
       hed_error() == HED_E_INVAL, "data that are not aligned");
    ok(!hed_wrap_device("faulty", at, HED_SHAPE(2), odd, HED_FLOAT32, s, on_done, &done_calls) && hed_error() == HED_E_INVAL,
       "a stride that is not");
    ok(!hed_wrap_device("faulty", at, HED_SHAPE(2), NULL, HED_FLOAT64, s, on_done, &done_calls) && hed_error() == HED_E_DTYPE,
       "a type that the device lacks");
    ok(!hed_wrap_device("faulty", at, HED_SHAPE(2), NULL, HED_FLOAT32, 77, on_done, &done_calls) && hed_error() == HED_E_INVAL,
       "a stream that is none");
    is_int(done_calls, 0, "after a failure nothing is given back");
    x = hed_wrap_device("faulty", at, HED_SHAPE(N), NULL, HED_FLOAT32, HED_STREAM_NONE, on_done, &done_calls);
    hold();
    hed_array *y = hed_add_scalar(x, 3);
    const int64_t waits = query("waits");
    hed_release(hed_keep(x));
    ok(query("waits") > waits, "without a stream to wait for us, giving back waits");
    control("hold=0");
    is_int(done_calls, 1, "and is done once");
    ok(all_are(y, 3), "after we have read");
    hed_error_clear();
    m->deleter(m);
  }
}

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "delay_us=0;streams=1", 1);
  void *symbol[] = { faulty_symbol("hed_faulty_stream"), faulty_symbol("hed_faulty_launch"), faulty_symbol("hed_faulty_pointer") };
  if (!symbol[0] || !symbol[1] || !symbol[2])
    skip_all("faulty: %s", hed_error_text());
  memcpy(&new_stream, &symbol[0], sizeof new_stream);
  memcpy(&launch, &symbol[1], sizeof launch);
  memcpy(&pointer, &symbol[2], sizeof pointer);
  HED_BACKEND_CONTEXT("faulty") {
    hed_release(hed_zeros(HED_SHAPE(1), HED_FLOAT32)); /* the device is made */
    void *stream = new_stream(0);
    ok(stream != NULL, "another library's stream");
    exports(stream);
    exports_after_readers(stream);
    imports(stream);
    refused(stream);
  }
  is_int(query("violations"), 0, "the device found nothing out of order");
  return done();
}
