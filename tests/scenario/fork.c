// SPDX-License-Identifier: BSD-3-Clause
/* fork at any moment: while other threads load, compute, allocate and use devices; the child works on the host
 * backends, serially; the parent does not notice. L5.
 */
#include "arrays.h"
#include "scenario.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static const char *host = "reference"; /* or cpu where it is usable */
static atomic_bool stop;
static atomic_int failures;
static atomic_llong work_done;

static bool close_to(double a, double b)
{
  return fabs(a - b) <= 1e-4 * (1 + fabs(b));
}

/* A transform there and back, a product and a sum in a context of the thread's own. */
static bool compute(const char *backend)
{
  double v = 0;
  bool good = false;
  hed_frame f;
  if (hed_backend_context_push(backend, &f) != HED_OK)
    return false;
  HED_SCOPE {
    hed_array *x = hed_reshape(hed_arange(0, 64, 1, HED_FLOAT32), HED_SHAPE(8, 8));
    hed_array *y = hed_irfftn(hed_rfftn(x, NULL), NULL), *z = hed_matmul(y, hed_transpose(y, NULL));
    good = hed_item(hed_sum(z, NULL), &v) == HED_OK && close_to(v, 510720);
    if (!good)
      diag("%s: %g %s", backend, v, hed_error_text());
  }
  return hed_context_pop(f) == HED_OK && good;
}

static void *compute_for_ever(void *arg)
{
  while (!atomic_load(&stop)) {
    atomic_fetch_add(&failures, !compute(arg));
    atomic_fetch_add(&work_done, 1);
  }
  return NULL;
}

static void *use_device(void *arg)
{
  (void)arg;
  while (!atomic_load(&stop)) {
    HED_BACKEND_CONTEXT("faulty") {
      double v = 0;
      hed_array *x = hed_full(HED_SHAPE(64), 2, HED_FLOAT32), *y = hed_add(x, x), *s = hed_sum(y, NULL);
      atomic_fetch_add(&failures, !(hed_item(s, &v) == HED_OK && v == 256));
      RELEASE(x, y, s);
    }
    atomic_fetch_add(&work_done, 1);
  }
  return NULL;
}

static void *ask(void *arg)
{
  (void)arg;
  while (!atomic_load(&stop)) {
    hed_backend_info info = { .struct_size = sizeof info };
    hed_stats s = { .struct_size = sizeof s };
    hed_context *c = NULL;
    atomic_fetch_add(&failures, hed_backend_query("faulty", &info) != HED_OK);
    atomic_fetch_add(&failures, hed_stats_get(&s) != HED_OK);
    atomic_fetch_add(&failures, hed_context_derive(NULL, ";threads=2;memory=1G", &c) != HED_OK);
    hed_context_release(c);
    (void)hed_backend_require("no-such-backend");
    atomic_fetch_add(&work_done, 1);
  }
  return NULL;
}

#if !defined(__SANITIZE_THREAD__) /* which does not let a forked child of several threads start one */
static void *child_thread(void *arg)
{
  *(int *)arg = here() == 7 && compute(host);
  return NULL;
}
#endif

/* In the child: 0, or the number of the first thing that is not right. */
static int check_child(hed_array *device_array, int generation)
{
  int inherited = 0, status = 0;
  float v[64];
  pthread_t t;
  if (hed_context_depth() != 1 || here() != 7)
    return 10;
  if (!compute(host) || !compute("reference"))
    return 11;
  if (device_array) {
    hed_error_clear();
    if (hed_to_host(device_array, v, sizeof v) != HED_E_FORKED || hed_error_text()[0] == '\0')
      return 12;
    if (hed_backend_context_push("faulty", NULL) != HED_E_FORKED)
      return 13;
    hed_backend_info info = { .struct_size = sizeof info };
    if (hed_backend_query("faulty", &info) != HED_OK || info.state != HED_BACKEND_FORKED)
      return 14;
    hed_release(device_array);
  }
#if !defined(__SANITIZE_THREAD__)
  if (hed_thread_create(&t, NULL, child_thread, &inherited) != 0)
    return 15;
  pthread_join(t, NULL);
  if (!inherited)
    return 16;
#else
  (void)t;
  (void)inherited;
#endif
  if (generation == 0) { /* a fork of the fork */
    pid_t p = fork();
    if (p == 0)
      _exit(check_child(NULL, 1));
    if (p < 0 || waitpid(p, &status, 0) != p || !WIFEXITED(status))
      return 17;
    if (WEXITSTATUS(status) != 0)
      return 20 + WEXITSTATUS(status);
  }
  return hed_backend_context_pop() == HED_OK && hed_context_depth() == 0 ? 0 : 18;
}

/* Exit status of P within five seconds; -1 when it had to be killed. */
static int reap(pid_t p)
{
  int status = 0;
  double start = seconds();
  while (waitpid(p, &status, WNOHANG) == 0) {
    if (seconds() - start > 5 * (getenv("VALGRIND") ? 10 : 1)) {
      kill(p, SIGKILL);
      waitpid(p, &status, 0);
      return -1;
    }
    sleep_ms(1);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void test_storm(bool device)
{
  enum { THREADS = 7 };
  pthread_t t[THREADS];
  uint64_t random = tap_seed();
  int n = scaled(60), hung = 0, bad = 0, first = 0;
  hed_array *a = NULL;
  if (device)
    HED_BACKEND_CONTEXT("faulty") a = hed_full(HED_SHAPE(64), 3, HED_FLOAT32);
  for (int k = 0; k < THREADS; k++) {
    void *(*fn)(void *) = k < 4 ? compute_for_ever : k < 6 && device ? use_device : k < 6 ? compute_for_ever : ask;
    if (hed_thread_create(&t[k], NULL, fn, (void *)(uintptr_t)(k & 1 ? "reference" : host)) != 0)
      bail("no thread");
  }
  for (int k = 0; k < n; k++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    struct timespec pause = { 0, (long)(random >> 33) % 3000000 };
    nanosleep(&pause, NULL);
    HED_BACKEND_CONTEXT("reference;threads=7") {
      pid_t p = fork();
      if (p == 0)
        _exit(check_child(a, k % 8));
      int status = p > 0 ? reap(p) : 1;
      hung += status < 0;
      bad += status > 0;
      if (status > 0 && !first)
        first = status;
    }
  }
  atomic_store(&stop, true);
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  atomic_store(&stop, false);
  is_int(hung, 0, "%d forks among %d busy threads: every child ends in time", n, THREADS);
  is_int(bad, 0, "every child works: own stack, host backends, new threads, forks of its own (%d)", first);
  is_int(atomic_load(&failures), 0, "the parent's threads do not notice");
  ok(atomic_load(&work_done) > 0, "while they work");
  if (device) {
    float v[64] = { 0 };
    ok(hed_to_host(a, v, sizeof v) == HED_OK && v[63] == 3, "the parent's device arrays are untouched");
    hed_release(a);
  }
}

/* ---- fork while a backend is loaded for the first time: each in a process that has loaded none ---- */

static void *load_first(void *arg)
{
  hed_status *status = arg;
  *status = hed_backend_require((const char *)(status + 1));
  return NULL;
}

/* In the child: usable, or said not to be, at once; and so is the other one. */
static int child_of_loading(const char *const name[2])
{
  for (int k = 0; k < 2; k++) {
    const hed_status s = hed_backend_context_push(name[k], NULL);
    hed_backend_info info = { .struct_size = sizeof info };
    if (hed_backend_query(name[k], &info) != HED_OK || info.state == HED_BACKEND_LOADING)
      return 30 + k;
    if (s != HED_OK && s != HED_E_FORKED && (k == 0 || s != HED_E_UNAVAILABLE)) {
      diag("%s: %s", name[k], hed_error_text());
      return 40 + k;
    }
    if (s == HED_OK && (hed_backend_context_pop() != HED_OK || (info.host_memory && !compute(name[k]))))
      return 50 + k;
  }
  return compute("reference") ? 0 : 60;
}

/* In a process of its own: forks US microseconds after a thread has begun to load; below 0: never, and says how long it took. */
static int load_and_fork(const char *const name[2], long us)
{
  struct { hed_status status; char name[32]; } job = { HED_E_INTERNAL, "" };
  const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
  pthread_t t;
  int seen = 0;
  double begun = seconds();
  snprintf(job.name, sizeof job.name, "%s", name[0]);
  if (hed_thread_create(&t, NULL, load_first, &job) != 0)
    return 70;
  if (us >= 0) {
    nanosleep(&pause, NULL);
    pid_t p = fork();
    if (p == 0)
      _exit(child_of_loading(name));
    seen = p > 0 ? reap(p) : 71;
  }
  pthread_join(t, NULL);
  if (us < 0)
    return job.status == HED_OK ? 1 + (int)fmin((seconds() - begun) * 200, 200) : 0; /* in 5 ms */
  return seen < 0 ? 72 : seen ? seen : job.status == HED_OK ? 0 : 73;
}

static int in_process(const char *const name[2], long us)
{
  pid_t p = fork();
  if (p == 0) {
    alarm(60);
    _exit(load_and_fork(name, us));
  }
  int status = 1 << 8;
  return p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void test_fork_while_loading(void)
{
  static const char *const names[][2] = { { "cpu", "faulty" }, { "faulty", "cpu" }, { "opencl", "cpu" } };
  enum { MOMENTS = 5 };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const int took = in_process(names[k], -1), n = scaled(MOMENTS) * (getenv("HEDDLE_TEST_FULL") ? 5 : 1);
    int wrong = 0, first = 0;
    if (took == 0) {
      skip(1, "no %s backend here", names[k][0]);
      continue;
    }
    for (int m = 0; m < n; m++) {
      const int status = in_process(names[k], (long)took * 5000 * m / n);
      wrong += status != 0;
      first = first ? first : status;
    }
    is_int(wrong, 0, "fork at %d moments of the first load of %s: it works in the child, or is said not to, at once (%d)", n,
           names[k][0], first);
  }
}

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "init_sleep_ms=400;delay_us=50", 1);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) /* whose locks, and those they know of, a child may find held */
  (void)test_fork_while_loading;
#else
  test_fork_while_loading();
#endif
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  if (hed_backend_require("cpu") == HED_OK)
    host = "cpu";
  else
    diag("without cpu: %s", hed_error_text());
  hed_backend_info info = { .struct_size = sizeof info };
  bool device = hed_backend_query("faulty", &info) == HED_OK;
#if defined(__SANITIZE_ADDRESS__)
  skip(device ? 5 : 4, "the sanitizer's allocator may be locked for ever in a child of a process with threads");
  (void)test_storm;
#else
  test_storm(device);
#endif
  return done();
}
