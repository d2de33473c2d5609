// SPDX-License-Identifier: BSD-3-Clause
/* Thread permits: many threads with parallel operations never run more than the capacity, whatever says what that is;
 * the program's own OpenMP setting is not touched. L5.
 */
#include "scenario.h"
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#ifdef _OPENMP
#  include <omp.h>
#endif

/* ---- permits themselves ---- */

static atomic_int running, most, bad;

static void *worker(void *arg)
{
  int n = *(const int *)arg;
  for (int k = 0; k < n; k++) {
    int got = hed_permits_acquire(8), inner, innermost;
    atomic_fetch_add(&bad, got < 1 || got > 8);
    int now = atomic_fetch_add(&running, got) + got, high = atomic_load(&most);
    while (now > high && !atomic_compare_exchange_weak(&most, &high, now))
      ;
    inner = hed_permits_acquire(4); /* an operation inside an operation, and one inside that: nobody waits */
    innermost = hed_permits_acquire(2);
    atomic_fetch_add(&bad, inner < 1 || innermost < 1);
    hed_permits_release(innermost);
    hed_permits_release(inner);
    atomic_fetch_sub(&running, got);
    hed_permits_release(got);
  }
  return NULL;
}

static void test_permits(void)
{
  enum { THREADS = 8 };
  pthread_t t[THREADS];
  int n = scaled(2000), capacity = hed_thread_capacity();
  for (int k = 0; k < THREADS; k++)
    if (hed_thread_create(&t[k], NULL, worker, &n) != 0)
      bail("no thread");
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  is_int(atomic_load(&bad), 0, "every request gets between 1 and what it asked for, at once");
  ok(atomic_load(&most) <= capacity + THREADS, "at most the capacity plus one for each caller: %d, capacity %d",
     atomic_load(&most), capacity);
  sleep_ms(20); /* those that have just left are counted for a moment: they may be back */
  int all = hed_permits_acquire(1000);
  is_int(all, capacity, "a lone caller gets everything");
  is_int(hed_permits_acquire(5), 1, "the next one itself");
  hed_permits_release(1);
  hed_permits_release(all);
  is_int(hed_permits_acquire(0), 1, "nobody gets less than itself");
  hed_permits_release(1);
  hed_permits_release(7); /* of which there are none */
  sleep_ms(20);
  all = hed_permits_acquire(1000);
  is_int(all, capacity, "what nobody has does not come back");
  is_int(hed_permits_acquire(5), 1, "nor is there more than there was");
  hed_permits_release(1 + all);
}

/* A worker between two operations: its processor is not given away at once, but it is in the end. */
static atomic_int ready, go;

static void *beside(void *arg)
{
  int *got = arg;
  for (int k = 0; k < 200 && !*got; k++) { /* whoever is late at one meeting is in time at another */
    atomic_store(&ready, 1);
    while (!atomic_load(&go))
      sched_yield();
    int n = hed_permits_acquire(1000);
    hed_permits_release(n);
    if (n < hed_thread_capacity())
      *got = n;
    atomic_store(&go, 0);
  }
  atomic_store(&ready, 2);
  return NULL;
}

static void test_lingering(void)
{
  enum { THREADS = 4 }; /* one may share its place in the table with this thread */
  pthread_t t[THREADS];
  int got[THREADS] = { 0 }, seen = 0, capacity = hed_thread_capacity(), all;
  if (capacity < 2) {
    skip(2, "one processor only");
    return;
  }
  for (int k = 0; k < THREADS; k++) {
    atomic_store(&ready, 0);
    sleep_ms(5); /* the one before has gone */
    if (hed_thread_create(&t[k], NULL, beside, &got[k]) != 0)
      bail("no thread");
    for (int one = 1; atomic_load(&ready) < 2; one = 1)
      if (atomic_compare_exchange_strong(&ready, &one, 0)) {
        hed_permits_release(hed_permits_acquire(1));
        atomic_store(&go, 1);
        while (atomic_load(&go))
          sched_yield();
      }
  }
  for (int k = 0; k < THREADS; k++) {
    pthread_join(t[k], NULL);
    seen = got[k] ? got[k] : seen;
  }
  is_int(seen, capacity - 1, "beside a worker that was here just now: all but its own");
  sleep_ms(20);
  all = hed_permits_acquire(1000);
  hed_permits_release(all);
  is_int(all, capacity, "and all of them when it stays away");
}

/* ---- operations of many threads ---- */

static atomic_bool stop;

static void *compute(void *arg)
{
  HED_BACKEND_CONTEXT(arg ? arg : "reference") {
    while (!atomic_load(&stop))
      HED_SCOPE {
        hed_array *x = hed_random_uniform(HED_SHAPE(128, 128), HED_FLOAT32, NULL);
        double v = 0;
        atomic_fetch_add(&bad, hed_item(hed_sum(hed_matmul(x, hed_exp(x)), NULL), &v) != HED_OK);
      }
  }
  return NULL;
}

static void test_operations(const char *backend)
{
  enum { THREADS = 8 };
  pthread_t t[THREADS];
  int high = 0;
  atomic_store(&bad, 0);
  atomic_store(&stop, false);
#ifdef _OPENMP
  int omp_before = omp_get_max_threads();
#endif
  int before = count_threads();
  for (int k = 0; k < THREADS; k++)
    if (hed_thread_create(&t[k], NULL, compute, (void *)(uintptr_t)backend) != 0)
      bail("no thread");
  double end = seconds() + 0.8;
  while (seconds() < end) {
    int n = count_threads();
    high = n > high ? n : high;
    sleep_ms(2);
  }
  atomic_store(&stop, true);
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  is_int(atomic_load(&bad), 0, "%s: %d threads compute", backend, THREADS);
  /* helpers belong to all callers; none are made that find no processor */
  long helpers = sysconf(_SC_NPROCESSORS_ONLN) - 1;
  ok(high <= before + THREADS + helpers, "%s: at most %d OS threads seen: %d callers, %d before", backend, high, THREADS, before);
#ifdef _OPENMP
  is_int(omp_get_max_threads(), omp_before, "%s: the program's OpenMP setting is untouched", backend);
#endif
}

/* ---- what decides the capacity ---- */

/* Capacity in a child program with the environment variable and the number of processors given. */
static int capacity_with(const char *self, const char *threads, int cpus)
{
  int fd[2], value = -1;
  if (pipe(fd) != 0)
    return -1;
  pid_t p = fork();
  if (p == 0) {
    cpu_set_t all, set;
    if (threads)
      setenv("HEDDLE_NUM_THREADS", threads, 1);
    if (cpus && sched_getaffinity(0, sizeof all, &all) == 0) {
      CPU_ZERO(&set);
      for (int k = 0, n = 0; k < CPU_SETSIZE && n < cpus; k++)
        if (CPU_ISSET(k, &all)) {
          CPU_SET(k, &set);
          n++;
        }
      sched_setaffinity(0, sizeof set, &set);
    }
    dup2(fd[1], 1);
    execl(self, self, "capacity", (char *)NULL);
    _exit(127);
  }
  close(fd[1]);
  FILE *f = fdopen(fd[0], "r");
  if (!f || fscanf(f, "%d", &value) != 1)
    value = -1;
  if (f)
    fclose(f);
  waitpid(p, NULL, 0);
  return value;
}

static void test_capacity(const char *self)
{
  int plain = capacity_with(self, NULL, 0);
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  ok(plain >= 1 && plain <= CPU_COUNT(&set), "capacity %d, affinity %d", plain, CPU_COUNT(&set));
  is_int(capacity_with(self, NULL, 1), 1, "an affinity mask of one processor");
  is_int(capacity_with(self, "1", 0), 1, "HEDDLE_NUM_THREADS=1");
  is_int(capacity_with(self, "4096", 0), plain, "HEDDLE_NUM_THREADS beyond the machine lifts nothing");
  if (plain > 1)
    is_int(capacity_with(self, "2", 0), 2, "HEDDLE_NUM_THREADS=2");
  else
    skip(1, "one processor only");
}

/* In a process of its own, whose mask is changed: 0, or the number of what is wrong. */
static int changing_mask(void)
{
  cpu_set_t all, one;
  int first = 0;
  if (hed_thread_capacity() < 2 || sched_getaffinity(0, sizeof all, &all) != 0)
    return 0;
  while (!CPU_ISSET(first, &all))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  hed_error_clear();
  int got = hed_permits_acquire(2);
  hed_permits_release(got);
  if (got != 2 || sched_setaffinity(0, sizeof one, &one) != 0)
    return 1;
  nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
  got = hed_permits_acquire(2);
  hed_permits_release(got);
  if (got != 1)
    return 2;
  sched_setaffinity(0, sizeof all, &all);
  if (hed_thread_capacity() < 2)
    return 3;
  got = hed_permits_acquire(2);
  hed_permits_release(got);
  return got == 2 ? 0 : 4;
}

static void test_mask(void)
{
  int status = -1;
  pid_t p = fork();
  if (p == 0)
    _exit(changing_mask());
  ok(p > 0 && waitpid(p, &status, 0) == p && status == 0, "permits follow the affinity mask (%d)",
     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "capacity") == 0) {
    printf("%d\n", hed_thread_capacity());
    return 0;
  }
  test_permits();
  test_lingering();
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_operations("reference");
  if (hed_backend_require("cpu") == HED_OK)
    test_operations("cpu");
  else
    skip(2, "no cpu backend: %s", hed_error_text());
  if (hed_backend_require("faulty") == HED_OK)
    test_operations("faulty");
  else
    skip(2, "no faulty backend: %s", hed_error_text());
  test_capacity(argv[0]);
  test_mask();
  return done();
}
