// SPDX-License-Identifier: BSD-3-Clause
/* Copies that do not wait, between devices too; the program's own streams; streams and slots at the end of threads. L5. */
#include "arrays.h"
#include "streams.h"
#include <stdatomic.h>
#include <unistd.h>

static void test_copy_in(void)
{
  static float v[COUNT];
  for (int k = 0; k < COUNT; k++)
    v[k] = 4;
  control("hold=1");
  int64_t waits = query("waits");
  hed_array *x = hed_from_host(v, HED_SHAPE(COUNT), HED_FLOAT32);
  job r = { .x = x };
  on(1, negate, &r);
  for (int k = 0; k < COUNT; k++)
    v[k] = 5;
  job back = { .x = r.y };
  on(2, negate, &back);
  is_int(query("waits") - waits, 0, "a copy in, and who reads it, wait for nothing");
  control("hold=0");
  ok(all_are(r.y, -4) && all_are(back.y, 4), "it has what was in the memory when it was called");
  RELEASE(r.y, back.y);

  /* to an array that another stream is still to read */
  (void)hed_wait(x);
  r.x = x;
  control("hold=1;delay_us=20000");
  on(1, negate, &r);
  control("delay_us=0");
  hed_array *host = NULL;
  HED_BACKEND_CONTEXT("reference")
    host = hed_full(HED_SHAPE(COUNT), 6, HED_FLOAT32);
  HED_BACKEND_CONTEXT(";mix=copy")
    is_int(hed_copy_into(x, host), HED_OK, "copy_into from host memory: %s", hed_error_text());
  control("hold=0;delay_us=100");
  ok(all_are(r.y, -4) && all_are(x, 6), "a copy in comes after the readers");
  is_in_order("copies in");
  RELEASE(host, r.y, x);
}

static void test_copy_peer(void)
{
  job a = { .n = COUNT, .value = 2 }, s = { .value = 3 };
  on(0, make, &a);
  control("hold=1;delay_us=20000");
  int64_t waits = query("waits"), out = query("bytes_out"), peers = query("peer_copies");
  hed_array *y = hed_to(a.x, "faulty:1");
  s.x = a.x;
  control("delay_us=0");
  on(1, scale, &s);
  hed_array *z = hed_to(y, "faulty:0");
  is_int(query("waits") - waits, 0, "copies between devices wait for nothing");
  is_int(query("peer_copies") - peers, 2, "nor go they through the host");
  is_int(query("bytes_out") - out, 0, "no byte of them");
  control("hold=0;delay_us=100");
  is_str(hed_array_space(y), "faulty:1", "there");
  ok(all_are(y, 2) && all_are(z, 2), "it has what was there before the next writer");
  ok(all_are(a.x, 6), "who comes after the copy");
  is_in_order("copies between devices");
  RELEASE(y, z);

  control("fail=1");
  job r = a;
  on(0, negate, &r);
  y = hed_to(r.y, "faulty:1");
  is_int(hed_wait(y), HED_E_ASYNC, "a copy of what failed fails: %s", hed_error_text());
  hed_release(y);
  (void)hed_wait(r.y);
  ok(!hed_to(r.y, "faulty:1") && hed_error() == HED_E_ASYNC, "at once when that is known");
  hed_release(r.y);

  control("reset;fail_copy_peer=1");
  ok(!hed_to(a.x, "faulty:1"), "a failure of the call is one of the copy: %s", hed_error_text());
  control("reset");
  hed_release(a.x);
}

/* ---- streams of the program ---- */

static atomic_int stage;

static void slow_step(void *arg)
{
  (void)arg;
  usleep(20000);
  atomic_store(&stage, 1);
}

static void test_program_stream(void)
{
  void *(*foreign)(int), *p = faulty_symbol("hed_faulty_stream"), *q = faulty_symbol("hed_faulty_launch");
  int (*launch)(void *, void (*)(void *), void *);
  memcpy(&foreign, &p, sizeof foreign);
  memcpy(&launch, &q, sizeof launch);
  void *handle = foreign(0), *own = NULL, *seen = NULL;
  hed_context *c = NULL;
  job a = { .n = COUNT, .value = 2 };
  on(0, make, &a);
  is_int(hed_stream_native("faulty", &own), HED_OK, "the thread's stream");
  ok(own && own != handle, "is its own");
  is_int(hed_context_with_stream(NULL, handle, &c), HED_OK, "a stream of the program's: %s", hed_error_text());
  hed_frame f;
  is_int(hed_context_push(c, &f), HED_OK, "push");
  is_int(hed_stream_native(NULL, &seen), HED_OK, "now");
  ok(seen == handle, "that is the thread's");
  launch(handle, slow_step, NULL);
  hed_array *y = hed_negative(a.x), *z = NULL;
  HED_BACKEND_CONTEXT(";seed=3")
    z = hed_negative(y);
  int64_t waits = query("waits");
  HED_BACKEND_CONTEXT("faulty:1") {
    is_int(hed_stream_native(NULL, &seen), HED_OK, "on another device");
    ok(seen != handle, "it has its own");
  }
  is_int(query("waits") - waits, 0, "no thread waited");
  ok(hed_wait(z) == HED_OK && atomic_load(&stage) == 1, "operations come after what the program put there before");
  hed_context_pop(f);
  is_int(hed_stream_native("faulty", &seen), HED_OK, "afterwards");
  ok(seen == own, "it is the thread's own again");
  job r = { .x = z };
  on(1, negate, &r);
  ok(all_are(r.y, -2) && all_are(y, -2), "other streams wait for it");
  is_in_order("the program's stream");
  RELEASE(y, z, r.y, a.x);
  hed_context_release(c);
  c = (void *)&stage;
  is_int(hed_context_with_stream(NULL, &stage, &c), HED_E_INVAL, "no stream of the device: %s", hed_error_text());
  ok(!c, "gives no context");
  is_int(hed_context_with_stream(NULL, handle, NULL), HED_E_INVAL, "nor without a place for it: %s", hed_error_text());
  is_int(hed_stream_native(NULL, NULL), HED_E_INVAL, "nor a handle: %s", hed_error_text());
  is_int(hed_stream_native("reference", &seen), HED_E_UNSUPPORTED, "the host has no streams: %s", hed_error_text());
  HED_BACKEND_CONTEXT("reference")
    is_int(hed_context_with_stream(NULL, handle, &c), HED_E_UNSUPPORTED, "to be brought: %s", hed_error_text());
}

/* ---- the end of a thread ---- */

static void *use_second(void *arg)
{
  (void)arg;
  HED_BACKEND_CONTEXT("slots:1") {
    hed_array *x = hed_full(HED_SHAPE(4), 1, HED_FLOAT32), *y = hed_negative(x);
    RELEASE(x, y);
  }
  return NULL;
}

static void test_thread_exit(void)
{
  char path[4096];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/modules/.libs/slots.so", build ? build : ".");
  if (hed_backend_load(path) != HED_OK)
    bail("%s: %s", path, hed_error_text());
  void *h = dlopen(path, RTLD_NOW | RTLD_NOLOAD), *p = h ? dlsym(h, "slots_in_use") : NULL;
  int (*in_use)(int *);
  memcpy(&in_use, &p, sizeof in_use);
  pthread_t t;
  int ended = 0;
  for (int k = 1; k <= 3; k++) {
    pthread_create(&t, NULL, use_second, NULL);
    pthread_join(t, NULL);
    is_int(in_use(&ended), 0, "a thread's slot is given back at its end, though device 0 was never used");
    is_int(ended, k, "once");
  }
}

int main(void)
{
  setenv("HEDDLE_POOL", "256", 1);
  setenv("HEDDLE_TEST_FAULTY", "streams=1;queues=5", 1);
  if (hed_set_backend("faulty") != HED_OK)
    skip_all("no faulty backend");
  start_workers();
  test_copy_in();
  test_copy_peer();
  test_program_stream();
  test_thread_exit();
  end_workers();
  (void)hed_synchronize("faulty");
  (void)hed_synchronize("faulty:1");
  is_uint(memory_of("faulty").in_use + memory_of("faulty:1").in_use, 0, "nothing is left");
  return done();
}
