// SPDX-License-Identifier: BSD-3-Clause
/* A device of 64 MiB that fills up: what waits for it is not handed out early, fragments are given back, each step of the
 * ladder in its order, the error with its numbers, cancellation in the middle. The device is the faulty backend. L5.
 */
#include "arrays.h"
#include "memory.h"
#include <math.h>
#include <stdatomic.h>

enum { MIB = 1 << 20 };

static bool float_is(const hed_array *x, float want)
{
  float v = NAN;
  hed_array *e = hed_index(x, 0, 0);
  bool good = e && hed_to_host(e, &v, sizeof v) == HED_OK && v == want;
  hed_release(e);
  return good;
}

/* ---- the steps, as the log tells them ---- */

static char steps[2048];
static pthread_mutex_t steps_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_log(void *arg, hed_log_level level, const char *subsystem, const char *message)
{
  const char *colon = strrchr(message, ':');
  (void)arg;
  (void)level;
  if (strcmp(subsystem, "memory") != 0 || !colon)
    return;
  pthread_mutex_lock(&steps_lock);
  if (strlen(steps) + strlen(colon) < sizeof steps)
    strcat(steps, colon + 1);
  strcat(steps, ",");
  pthread_mutex_unlock(&steps_lock);
}

/* Nothing is kept, and the device's queue has come to what it was given back: first fit starts at the beginning. */
static void drop_all(void)
{
  (void)hed_synchronize("faulty");
  (void)hed_free_cache();
  for (int k = 0; k < 1000; k++) {
    hed_memory_info i = memory_of("faulty");
    if (i.available + (i.in_use + 255) / 256 * 256 >= i.total)
      return;
    sleep_ms(1);
  }
}

static hed_memory_failure numbers(void)
{
  hed_memory_failure f = { .struct_size = sizeof f };
  (void)hed_error_memory(&f);
  return f;
}

static void test_flight(void)
{
  drop_all();
  hed_memory_info a = memory_of("faulty"), b;
  is_uint(a.total, 64 * MIB, "the device says what it has");
  is_uint(a.available, 64 * MIB - a.in_use, "and all of it is available");
  hed_array *x = hed_full(HED_SHAPE(MIB), 2, HED_FLOAT32);
  (void)hed_wait(x);
  control("hold=1");
  hed_array *y = hed_negative(x);
  hed_release(x);
  b = memory_of("faulty");
  is_uint(b.in_flight, 4 * MIB, "an operand that the device still reads is in flight");
  is_uint(b.in_use - a.in_use, 4 * MIB, "not in use");
  hed_array *z = hed_full(HED_SHAPE(MIB), 9, HED_FLOAT32);
  is_uint(memory_of("faulty").n_hit, b.n_hit, "it is not handed out");
  ok(float_is(y, -2), "so what was computed from it is right");
  RELEASE(z, y);
  control("hold=0");
  is_int(hed_synchronize("faulty"), HED_OK, "synchronize waits for the device");
  b = memory_of("faulty");
  ok(b.in_flight == 0 && b.cached >= 8 * MIB, "then all has landed");
  z = hed_full(HED_SHAPE(MIB), 9, HED_FLOAT32);
  is_uint(memory_of("faulty").n_hit - b.n_hit, 1, "and is handed out");
  hed_release(z);
  drop_all();
  is_uint(memory_of("faulty").cached, 0, "nothing is left");
}

/* Blocks of 8 MiB from two contexts, every second one released: kept, 32 MiB in pieces of 8. */
static void test_fragments(void)
{
  hed_array *block[8] = { NULL };
  for (int k = 0; k < 8; k++)
    HED_BACKEND_CONTEXT(k < 4 ? "faulty;threads=1" : "faulty;threads=2") block[k] = bytes(k == 7 ? 7 * MIB : 8 * MIB);
  for (int k = 0; k < 8; k += 2) {
    hed_release(block[k]);
    block[k] = NULL;
  }
  uint64_t retries = memory_of("faulty").n_oom_retry;
  ok(!bytes(20 * MIB) && hed_error() == HED_E_DEVMEM, "enough in all, but in pieces: an error");
  hed_memory_failure f = numbers();
  ok(f.status == HED_E_DEVMEM && f.requested == 20 * MIB && f.in_use == 31 * MIB && f.cached == 0 && f.limit == 64 * MIB &&
       f.largest_free == 8 * MIB, "with its five numbers (%zu %zu %zu %zu %zu)", f.requested, f.in_use, f.cached, f.limit,
     f.largest_free);
  is_str(f.space, "faulty:0", "of the device");
  ok(memory_of("faulty").n_oom_retry > retries, "after repeating it");
  hed_release(block[1]);
  block[1] = NULL;
  hed_array *x = bytes(23 * MIB);
  ok(x != NULL, "kept pieces side by side are given back and make a whole, of exactly the size");
  hed_release(x);
  for (int k = 0; k < 8; k++)
    hed_release(block[k]);
  drop_all();
}

static void test_order(void)
{
  hed_array *y = bytes(16 * MIB), *x = bytes(40 * MIB);
  hed_release(x);
  steps[0] = 0;
  hed_log_set(HED_LOG_DEBUG, on_log, NULL);
  x = bytes(44 * MIB);
  ok(x != NULL, "kept blocks make room for another size");
  is_str(steps, " harvested, trimmed the pool,", "by trimming what is needed");
  steps[0] = 0;
  ok(!bytes(30 * MIB), "too much");
  is_str(steps, " harvested, trimmed the pool, emptied the pool, trimmed workspaces, trimmed plans, waited for the device alone,",
         "all steps in their order");
  RELEASE(x, y);

  /* in flight until somebody waits */
  drop_all();
  y = hed_full(HED_SHAPE(1), 0, HED_FLOAT32);
  x = hed_full(HED_SHAPE(10 * MIB), 1, HED_FLOAT32);
  (void)hed_wait(x);
  control("hold=1");
  is_int(hed_sum_into(y, x, &(hed_reduce){ .keepdims = true }), HED_OK, "a sum that stands in the queue");
  hed_release(x);
  steps[0] = 0;
  x = bytes(48 * MIB);
  ok(x != NULL, "what is in flight is waited for");
  has_str(steps, "waited for the device alone", "in the last step");
  control("hold=0");
  RELEASE(x, y);
  hed_log_set(HED_LOG_OFF, NULL, NULL);
  drop_all();
}

static void test_limit(void)
{
  hed_log_set(HED_LOG_DEBUG, on_log, NULL);
  HED_BACKEND_CONTEXT(";memory=32M")
  HED_BACKEND_CONTEXT(";memory=16M") {
    hed_array *x = bytes(10 * MIB);
    hed_release(x);
    is_int(hed_get_available_memory(), 16 * MIB, "kept blocks are available");
    steps[0] = 0;
    x = bytes(15 * MIB);
    ok(x != NULL, "a limit is no error while kept blocks count towards it");
    is_str(steps, " harvested, trimmed the pool,", "they are given back first");
    steps[0] = 0;
    ok(!bytes(2 * MIB) && hed_error() == HED_E_LIMIT, "then it is");
    is_str(steps, " harvested, trimmed the pool, emptied the pool, waited for the device alone,", "after the same steps");
    hed_memory_failure f = numbers();
    ok(f.status == HED_E_LIMIT && f.requested == 2 * MIB && f.in_use == 15 * MIB && f.cached == 0 && f.limit == 16 * MIB &&
         f.largest_free == MIB, "and with the same numbers");
    hed_release(x);

    drop_all();
    x = hed_full(HED_SHAPE(3 * MIB), 1, HED_FLOAT32);
    (void)hed_wait(x);
    control("hold=1");
    hed_array *y = hed_sum(x, NULL);
    hed_release(x);
    x = bytes(8 * MIB);
    ok(x != NULL, "what is in flight counts until it was waited for");
    control("hold=0");
    RELEASE(x, y);
  }
  hed_log_set(HED_LOG_OFF, NULL, NULL);
  hed_array *host = NULL;
  HED_BACKEND_CONTEXT("reference;memory=4M") {
    hed_array *x = bytes(3 * MIB), *d = NULL;
    HED_BACKEND_CONTEXT("faulty") {
      ok(!bytes(2 * MIB) && hed_error() == HED_E_LIMIT, "one limit for two spaces");
      hed_release(x);
      d = bytes(2 * MIB);
      ok(d != NULL, "a block kept in one makes room in the other");
    }
    host = bytes(3 * MIB);
    ok(!host, "and counts there");
    hed_release(d);
    host = bytes(3 * MIB);
    ok(host != NULL, "until it is released");
  }
  hed_release(host);
  drop_all();
}

/* ---- eight threads, room for a few of them at a time ---- */

static atomic_int wrong, failed, done_count;

static void *edge(void *arg)
{
  int id = (int)(intptr_t)arg;
  for (int k = 0; k < 12; k++) { /* 8 x 7 MiB fit; each in another size, so that the pool is in the way */
    hed_array *x = bytes((7 * MIB) - (id * 12 + k) % 5 * (MIB / 2));
    if (x)
      atomic_fetch_add(&done_count, 1);
    else
      atomic_fetch_add(hed_error() == HED_E_DEVMEM ? &failed : &wrong, 1);
    hed_release(x);
  }
  return NULL;
}

static void test_edge(void)
{
  pthread_t t[8];
  for (intptr_t k = 0; k < 8; k++)
    if (hed_thread_create(&t[k], NULL, edge, (void *)k) != 0)
      bail("no thread");
  for (int k = 0; k < 8; k++)
    pthread_join(t[k], NULL);
  is_int(atomic_load(&wrong), 0, "no other error");
  is_int(atomic_load(&failed), 0, "eight threads at the edge: none fails for what another only keeps");
  is_int(atomic_load(&done_count), 8 * 12, "each gets its memory");
  drop_all();
  hed_memory_info i = memory_of("faulty");
  ok(i.cached == 0 && i.in_flight == 0, "nothing is lost");
}

/* ---- cancellation ---- */

static void *wait_for_ever(void *arg)
{
  (void)hed_wait(arg);
  for (;;)
    sleep_ms(1000);
  return NULL;
}

static void *ask_for_ever(void *arg)
{
  (void)arg;
  for (;;) {
    hed_array *x = bytes(60 * MIB);
    hed_release(x);
    pthread_testcancel();
  }
  return NULL;
}

static void test_cancel(void)
{
  pthread_t t;
  size_t in_use = memory_of("faulty").in_use;
  control("delay_us=200000");
  hed_array *x = hed_full(HED_SHAPE(16), 1, HED_FLOAT32);
  if (hed_thread_create(&t, NULL, wait_for_ever, x) != 0)
    bail("no thread");
  sleep_ms(30);
  pthread_cancel(t);
  pthread_join(t, NULL);
  control("delay_us=100");
  ok(float_is(x, 1), "cancelled while it waits: the device works on");
  hed_release(x);
  hed_array *block = bytes(16 * MIB);
  for (int k = 0; k < scaled(20); k++) {
    if (hed_thread_create(&t, NULL, ask_for_ever, NULL) != 0)
      bail("no thread");
    sleep_ms(1);
    pthread_cancel(t);
    pthread_join(t, NULL);
  }
  hed_release(block);
  block = bytes(60 * MIB);
  ok(block != NULL, "cancelled in the middle of a request: no lock is held");
  hed_release(block);
  drop_all();
  hed_memory_info i = memory_of("faulty");
  is_uint(i.in_use, in_use, "no bytes are lost");
  ok(i.cached == 0 && i.in_flight == 0, "nor kept");
}

int main(void)
{
  setenv("HEDDLE_POOL", "256", 1);
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend");
  HED_BACKEND_CONTEXT("faulty") {
    test_flight();
    test_fragments();
    test_order();
    test_limit();
    test_edge();
    test_cancel();
  }
  return done();
}
