// SPDX-License-Identifier: BSD-3-Clause
/* A pool of 64 threads for 20 seconds (HEDDLE_TEST_FULL=1: 5 minutes), on the host's backends, devices and a module from outside the
 * tree: they compute, hand arrays to each other, make what fails, cancel threads of their own and fork. Every result is checked, no
 * thread is stuck, no array is left. L5.
 *
 * Jobs are chosen by chance and are short; a thread rests between them, so that the processors are not what is tested. */
#include "gen.h"
#include "tap.h"

#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64, SPECS = 8, BOXES = 16, N = 200, LATE = 60 };

static char specs[SPECS][64];
static int n_specs;
static double until;
static atomic_int wrong, jobs, cancelled, forks, exchanged, failures, sitting; /* SITTING: threads that work still */
static atomic_int forking;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(long us)
{
  const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
  nanosleep(&pause, NULL);
}

static void say(const char *spec, const char *what)
{
  if (atomic_fetch_add(&wrong, 1) < 10)
    diag("%s: %s: %s", spec, what, hed_error_text());
}

/* ---- jobs, each within a scope and a context ---- */

/* The sum of k * k + k over k below N, which float32 holds. */
static const double expected = (double)N * (N - 1) / 2 + (double)(N - 1) * N * (2 * N - 1) / 6;

static hed_array *series(bool fused)
{
  hed_array *a = hed_arange(0, N, 1, HED_FLOAT32), *b = NULL;
  if (!fused)
    return hed_add(hed_square(a), a);
  HED_FUSED b = hed_add(hed_square(a), a);
  return b;
}

static bool sums_to(const hed_array *x, double want)
{
  double sum = 0;
  return x && hed_item(hed_sum(x, NULL), &sum) == HED_OK && sum == want;
}

/* What comes of a bad index fails, however it goes on from there, and what does not come of it is right. */
static bool fails_well(gen *g)
{
  const int64_t bad[3] = { 1, 2, N + gen_int(g, 1, 9) }, good[3] = { 3, 4, 5 };
  hed_array *x = hed_arange(0, N, 1, HED_FLOAT32);
  hed_array *p = hed_take(x, hed_from_host(bad, HED_SHAPE(3), HED_INT64), 0);
  hed_array *q = hed_take(x, hed_from_host(good, HED_SHAPE(3), HED_INT64), 0);
  double sum;
  hed_array *both = p ? gen_chance(g, 50) ? hed_add(p, q) : hed_add(q, p) : NULL;
  if (both && hed_item(hed_sum(both, NULL), &sum) == HED_OK)
    return false;
  hed_error_clear();
  return sums_to(q, 12);
}

/* Arrays that wait for another thread, whatever its backend. */
static struct { pthread_mutex_t lock; hed_array *array; double sum; } boxes[BOXES];

static bool exchanges(gen *g)
{
  const int k = (int)gen_below(g, BOXES);
  const double by = (double)gen_int(g, 1, 9);
  hed_array *mine = hed_keep(hed_multiply_scalar(hed_ones(HED_SHAPE(N), HED_FLOAT32), by)), *theirs;
  if (!mine)
    return false;
  pthread_mutex_lock(&boxes[k].lock);
  theirs = boxes[k].array;
  const double sum = boxes[k].sum;
  boxes[k].array = mine;
  boxes[k].sum = by * N;
  pthread_mutex_unlock(&boxes[k].lock);
  if (!theirs)
    return true;
  const bool good = sums_to(hed_copy(theirs), sum);
  hed_release(theirs);
  atomic_fetch_add(&exchanged, 1);
  return good;
}

/* ---- threads that are cancelled ---- */

static void *victim(void *spec)
{
  hed_frame frame;
  if (hed_backend_context_push(spec, &frame) == HED_OK) {
    for (;;) {
      HED_SCOPE
        if (!sums_to(series(true), expected))
          say(spec, "before it is cancelled");
      pthread_testcancel();
    }
  }
  say(spec, "a victim's context");
  return NULL;
}

static bool join(pthread_t thread)
{
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += LATE;
  return pthread_timedjoin_np(thread, NULL, &at) == 0;
}

static bool cancels(gen *g, char *spec)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, victim, spec) != 0)
    return false;
  rest(gen_int(g, 0, 3000));
  pthread_cancel(thread);
  atomic_fetch_add(&cancelled, 1);
  if (join(thread))
    return true;
  say(spec, "a cancelled thread is stuck");
  return false;
}

/* ---- processes: one at a time ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* whose locks may be held for ever in a child */
enum { FORKS = false };
#else
enum { FORKS = true };
#endif

static bool forked(const char *spec)
{
  int end = 0;
  if (!FORKS || atomic_exchange(&forking, 1))
    return true;
  const pid_t child = fork();
  if (child == 0) {
    alarm(LATE);
    hed_frame frame;
    bool good = false;
    if (hed_backend_context_push(spec, &frame) != HED_OK)
      _exit(hed_error() == HED_E_FORKED ? 0 : 2);
    HED_SCOPE
      good = sums_to(series(false), expected) || hed_error() == HED_E_FORKED;
    _exit(good ? 0 : 1);
  }
  const bool good = child > 0 && waitpid(child, &end, 0) == child && WIFEXITED(end) && WEXITSTATUS(end) == 0;
  if (!good)
    diag("fork on %s: status %x", spec, (unsigned)end);
  atomic_fetch_add(&forks, 1);
  rest(200000);
  atomic_store(&forking, 0);
  return good;
}

/* ---- the pool ---- */

static bool one_job(gen *g, char *spec)
{
  const int kind = (int)gen_below(g, 100);
  bool good = true;
  hed_frame frame;
  if (kind < 4)
    return cancels(g, spec);
  if (kind < 7)
    return forked(spec);
  if (hed_backend_context_push(spec, &frame) != HED_OK)
    return false;
  HED_SCOPE {
    if (kind < 25)
      good = exchanges(g);
    else if (kind < 45)
      atomic_fetch_add(&failures, good = fails_well(g));
    else
      good = sums_to(series(kind % 2), expected);
  }
  hed_context_unwind(frame);
  return good;
}

static void *work(void *arg)
{
  const int me = (int)(intptr_t)arg;
  char *spec = specs[me % n_specs];
  gen g;
  gen_seed(&g, tap_seed() + (uint64_t)me);
  while (now() < until) {
    if (!one_job(&g, spec))
      say(spec, "a job");
    hed_error_clear();
    atomic_fetch_add(&jobs, 1);
    rest(gen_int(&g, 1000, 120000));
  }
  atomic_fetch_sub(&sitting, 1);
  return NULL;
}

static uint64_t live(void)
{
  hed_stats s = { .struct_size = sizeof s };
  return hed_stats_get(&s) == HED_OK ? s.arrays_live : 0;
}

int main(void)
{
  static const char *const all[SPECS] = { "cpu", "reference", "opencl:0", "opencl:1", "faulty:0", "faulty:1", "relay", "cuda" };
  pthread_t thread[THREADS];
  setenv("POCL_DEVICES", "pthread pthread", 0); /* two devices, where OpenCL is PoCL */
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  char relay[4096];
  snprintf(relay, sizeof relay, "%s/examples/backend/.libs/relay.so", build ? build : ".");
  if (hed_backend_load(relay) != HED_OK)
    diag("%s: %s", relay, hed_error_text());
  for (int k = 0; k < SPECS; k++) {
    hed_frame frame;
    if (hed_backend_context_push(all[k], &frame) == HED_OK) {
      snprintf(specs[n_specs++], sizeof specs[0], "%s", all[k]);
      hed_context_unwind(frame);
    } else {
      skip(1, "%s: %s", all[k], hed_error_text());
    }
    hed_error_clear();
  }
  const uint64_t before = live();
  for (int k = 0; k < BOXES; k++)
    pthread_mutex_init(&boxes[k].lock, NULL);
  until = now() + (full_run() ? 300 : scaled(20));
  atomic_store(&sitting, THREADS);
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&thread[k], NULL, work, (void *)(intptr_t)k) != 0)
      bail("a thread was not made");
  int stuck = 0;
  while (now() < until)
    rest(100000);
  for (int k = 0; k < THREADS; k++)
    stuck += !join(thread[k]);
  if (!is_int(stuck, 0, "no thread is stuck"))
    return done();
  for (int k = 0; k < BOXES; k++)
    hed_release(boxes[k].array);
  ok(n_specs >= 2 && jobs > THREADS && cancelled > 0 && (forks > 0 || !FORKS) && exchanged > 0 && failures > 0,
     "%d jobs on %d devices: %d threads cancelled, %d forks, %d arrays exchanged, %d failures", (int)jobs, n_specs, (int)cancelled,
     (int)forks, (int)exchanged, (int)failures);
  is_int(wrong, 0, "every result is right");
  is_uint(live(), before, "no array is left");
  return done();
}
