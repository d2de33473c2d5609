// SPDX-License-Identifier: BSD-3-Clause
/* Cancellation and fork at any moment of a cold process's calls, of every kind (calls.def), on each backend: what other threads do
 * meanwhile, and afterwards, is right and comes to an end; a child of fork is told at once, or works. L5.
 *
 * Each row is a process of its own: one thread makes operands and a call, another one computes, and at a random moment the first is
 * cancelled, or the process forks. HEDDLE_TEST_BACKENDS lists other backends. */
#include "calls.h"
#include "gen.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NO_BACKEND = 77, LATE = 30, LONGEST = 120 };
enum fault { RIGHT, WRONG_THERE, WRONG_HERE, STUCK, WRONG_CHILD, CHILD_STUCK, NO_THREAD };
static const char *const fault_texts[] = { "", "another thread's result is wrong", "a result afterwards is wrong", "a thread is stuck",
                                           "the child of fork computes something else", "the child of fork is stuck", "no thread" };

static char spec[64];

/* 0 + 2 + 6 + .. of 100 numbers, on the backend; FORKED: or the child is told. */
static bool computes(bool forked)
{
  bool good = false;
  hed_frame frame;
  if (hed_backend_context_push(spec, &frame) != HED_OK)
    return forked && hed_error() == HED_E_FORKED;
  HED_SCOPE {
    double sum = 0;
    hed_array *a = hed_arange(0, 100, 1, HED_FLOAT32), *b = hed_add(hed_square(a), a);
    const hed_status s = hed_item(hed_sum(b, NULL), &sum);
    good = s == HED_OK ? sum == 333300 : forked && s == HED_E_FORKED;
  }
  hed_context_unwind(frame);
  return good;
}

static void *other(void *good)
{
  *(bool *)good = computes(false);
  return NULL;
}

/* Makes call K, and then waits to be cancelled. */
static void *victim(void *k)
{
  hed_frame frame;
  if (hed_backend_context_push(spec, &frame) == HED_OK) {
    HED_SCOPE {
      make_operands(HED_FLOAT32, 1);
      (void)calls[(intptr_t)k].fn();
    }
    hed_context_unwind(frame);
  }
  for (int s = 0; s < 5; s++)
    sleep(1); /* where it can be cancelled */
  return NULL;
}

static bool join(pthread_t thread)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += LATE;
  return pthread_timedjoin_np(thread, NULL, &until) == 0;
}

/* In a child of fork at this moment. */
static int forked(void)
{
  int end = 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(LATE);
    _exit(computes(true) ? 0 : 1);
  }
  if (child < 0 || waitpid(child, &end, 0) != child)
    return NO_THREAD;
  return WIFEXITED(end) ? (WEXITSTATUS(end) ? WRONG_CHILD : RIGHT) : CHILD_STUCK;
}

static int row(int k, bool forks, long us)
{
  pthread_t first, second;
  bool good = false;
  int fault = RIGHT;
  const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
  alarm(LONGEST);
  if (pthread_create(&first, NULL, victim, (void *)(intptr_t)k) != 0 || pthread_create(&second, NULL, other, &good) != 0)
    return NO_THREAD;
  nanosleep(&pause, NULL);
  if (forks)
    fault = forked();
  pthread_cancel(first);
  if (!join(second) || !join(first))
    return STUCK;
  if (fault == RIGHT && !good)
    fault = WRONG_THERE;
  if (fault == RIGHT && !computes(false))
    fault = WRONG_HERE;
  (void)hed_synchronize(spec); /* processes that end meanwhile are another test's: opencl/cold.c */
  return fault;
}

/* A process that has not called Heddle before; its exit status, or 1000 and a signal. */
static int in_process(int k, bool forks, long us)
{
  int end = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    if (us >= 0)
      exit(row(k, forks, us)); /* with all that runs at a process's end */
    exit(hed_backend_require(spec) == HED_OK ? 0 : NO_BACKEND);
  }
  if (child < 0 || waitpid(child, &end, 0) != child)
    bail("no child");
  return WIFEXITED(end) ? WEXITSTATUS(end) : 1000 + WTERMSIG(end);
}

int main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip_all("the sanitizer's allocator may be locked for ever in a child of a process with threads");
#endif
  const char *list = getenv("HEDDLE_TEST_BACKENDS");
  char names[256];
  gen g;
  gen_seed(&g, tap_seed());
  snprintf(names, sizeof names, "%s", list ? list : "reference cpu faulty opencl");
  for (char *rest = names, *name; (name = strtok_r(rest, " ", &rest));) {
    snprintf(spec, sizeof spec, "%s", name);
    if (in_process(0, false, -1) == NO_BACKEND) {
      skip(1, "no %s backend here", name);
      continue;
    }
    /* a driver that has to be loaded, and kernels that are compiled, take their time */
    const bool driver = strncmp(name, "opencl", 6) == 0 || strncmp(name, "cuda", 4) == 0;
    const int count = scaled((driver ? 6 : 30) * (full_run() ? 20 : 1)), bits = driver ? 21 : 16;
    int wrong = 0;
    for (int r = 0; r < count; r++) {
      const int k = (int)gen_below(&g, CALLS);
      const bool forks = r % 2;
      const long us = (long)(gen_u64(&g) >> (64 - bits) >> gen_below(&g, 9));
      const int status = in_process(k, forks, us);
      if (status && wrong++ < 5)
        diag("%s, %s, %s %s after %ld us: %d, %s", name, calls[k].name, calls[k].form, forks ? "fork" : "cancelled", us, status,
             status < (int)(sizeof fault_texts / sizeof *fault_texts) ? fault_texts[status] : "it dies");
    }
    is_int(wrong, 0, "%s: %d cold processes in which a thread is cancelled, or that fork", name, count);
  }
  return done();
}
