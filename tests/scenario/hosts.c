// SPDX-License-Identifier: BSD-3-Clause
/* Plain threads of C: pthread_create, C11 threads, timers, tiny stacks, start routines that exit. L5. */
#include "hosts.h"
#include <signal.h>
#include <stdatomic.h>
#include <threads.h>

static void *look(void *arg)
{
  *(int *)arg = here();
  return arg;
}

static void *look_and_exit(void *arg)
{
  *(int *)arg = here();
  pthread_exit(arg);
}

static int look_c11(void *arg)
{
  *(int *)arg = here();
  return 42;
}

static void test_pthreads(void)
{
  pthread_t t;
  pthread_attr_t small;
  int seen = 0;
  void *result = NULL;
  is_int(pthread_create(&t, NULL, look, &seen), 0, "pthread_create");
  pthread_join(t, &result);
  is_int(seen, expected(11), "its child's context");
  is_ptr(result, &seen, "its child's result");

  seen = 0;
  result = NULL;
  is_int(pthread_create(&t, NULL, look_and_exit, &seen), 0, "a child that calls pthread_exit");
  pthread_join(t, &result);
  is_int(seen, expected(11), "its context");
  is_ptr(result, &seen, "its result");

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  enum { STACK = 256 << 10 }; /* instrumented frames are larger */
#else
  enum { STACK = 16 << 10 };
#endif
  seen = 0;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK);
  is_int(pthread_create(&t, &small, look, &seen), 0, "a child with a stack of %d KiB", STACK >> 10);
  pthread_join(t, NULL);
  is_int(seen, expected(11), "its context");
  pthread_attr_destroy(&small);

  for (int k = 0; k < 2; k++) { /* the first one pays for what is allocated once */
    int64_t live = hed_test_alloc_live();
    seen = 0;
    is_int(hed_thread_create(&t, NULL, look, &seen), 0, "hed_thread_create");
    pthread_join(t, NULL);
    is_int(seen, 11, "inherits whatever is linked");
    is_int(hed_test_alloc_live(), live, "once: nothing stays");
  }
}

static void test_c11(void)
{
#if defined(__SANITIZE_THREAD__)
  skip(4, "the sanitizer does not know C11 threads");
  return;
#endif
  thrd_t t;
  int seen = 0, result = 0;
  is_int(thrd_create(&t, look_c11, &seen), thrd_success, "thrd_create");
  is_int(thrd_join(t, &result), thrd_success, "thrd_join");
  is_int(result, 42, "its result");
  is_int(seen, expected(11), "a C11 thread's context");
}

/* The random stream of a child must not be folded twice when both the wrapper and the interposer are there. */
static void *draw(void *arg)
{
  hed_array *x = hed_random_uniform(HED_SHAPE(8), HED_FLOAT32, NULL);
  if (hed_to_host(x, arg, 8 * sizeof(float)) != HED_OK)
    diag("%s", hed_error_text());
  hed_release(x);
  return NULL;
}

static void test_one_fold(void)
{
  float wrapped[8] = { 0 }, plain[8] = { 0 };
  for (int k = 0; k < 2; k++) {
    pthread_t t;
    HED_BACKEND_CONTEXT(";seed=5") {
      int e = k ? pthread_create(&t, NULL, draw, plain) : hed_thread_create(&t, NULL, draw, wrapped);
      if (e)
        bail("no thread");
      pthread_join(t, NULL);
    }
  }
  ok(wrapped[0] != 0 || wrapped[1] != 0, "a child draws");
  ok((memcmp(wrapped, plain, sizeof plain) == 0) == inherits(),
     "both kinds of child draw the same exactly when both inherit");
}

static atomic_int timer_seen;

static void on_timer(union sigval v)
{
  atomic_store(&timer_seen, here() > 0 ? v.sival_int : -1);
}

static void test_timer(void)
{
#if defined(__SANITIZE_THREAD__)
  skip(1, "the sanitizer does not know threads that libc starts for itself");
  return;
#endif
  timer_t timer;
  struct sigevent e;
  memset(&e, 0, sizeof e);
  e.sigev_notify = SIGEV_THREAD;
  e.sigev_notify_function = on_timer;
  e.sigev_value.sival_int = 5;
  struct itimerspec soon = { .it_value = { 0, 1000000 } };
  if (timer_create(CLOCK_MONOTONIC, &e, &timer) != 0) {
    skip(1, "no timers here");
    return;
  }
  timer_settime(timer, 0, &soon, NULL);
  for (int k = 0; k < 500 && !atomic_load(&timer_seen); k++)
    sleep_ms(10);
  is_int(atomic_load(&timer_seen), 5, "a timer's thread, which libc starts for itself, can ask for its context");
  timer_delete(timer);
}

/* Children of children, and a creator with nothing to inherit. */
static void *nest(void *arg)
{
  pthread_t t;
  if (pthread_create(&t, NULL, look, arg) == 0)
    pthread_join(t, NULL);
  return NULL;
}

static void test_nested(void)
{
  pthread_t t;
  int seen = 0;
  is_int(pthread_create(&t, NULL, nest, &seen), 0, "a child with a child");
  pthread_join(t, NULL);
  is_int(seen, expected(11), "the grandchild's context");
}

static void *nothing(void *arg)
{
  return arg;
}

/* Called before anything of Heddle: the creator has no state. */
static void test_nothing_to_inherit(void)
{
  pthread_t t;
  uint64_t count = hed_test_alloc_count();
  if (pthread_create(&t, NULL, nothing, NULL) != 0)
    bail("no thread");
  pthread_join(t, NULL);
  is_uint(hed_test_alloc_count(), count, "a creator that never used Heddle: nothing is allocated for the child");
}

int main(void)
{
  test_nothing_to_inherit();
  set_root();
  HED_BACKEND_CONTEXT(";threads=11") {
    test_pthreads();
    test_c11();
    test_timer();
    test_nested();
  }
  test_one_fold();
  is_int(here(), 1, "the main thread follows the root in the end");
  return done();
}
