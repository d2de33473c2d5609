// SPDX-License-Identifier: BSD-3-Clause
/* The first calls of a process: two processes of two threads that share an empty folder for programs, the driver's too, then one
 * that finds them there and compiles none, where it is not the driver that keeps them. Here drivers compile as they do for users.
 * And processes that end while threads of theirs compile.
 * HEDDLE_TEST_BACKEND takes another backend. */
#include "tap.h"

#include <heddle.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int built;

static void count_builds(void *arg, hed_log_level level, const char *subsystem, const char *message)
{
  (void)arg, (void)level, (void)subsystem;
  built += strstr(message, ": built ") != NULL;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *backend(void)
{
  const char *name = getenv("HEDDLE_TEST_BACKEND");
  return name ? name : "opencl";
}

static void *compute(void *good)
{
  char spec[64];
  *(bool *)good = false;
  snprintf(spec, sizeof spec, "%s;fallback=error", backend());
  HED_BACKEND_CONTEXT(spec)
  HED_SCOPE {
    double sum = 0;
    const double begun = now();
    hed_array *x = hed_arange(0, 100, 1, HED_FLOAT64), *y = hed_add(hed_square(x), x);
    *(bool *)good = hed_item(hed_sum(y, NULL), &sum) == HED_OK && sum == 333300;
    fprintf(stderr, "# first calls of a thread: %.1f ms\n", 1e3 * (now() - begun));
  }
  return NULL;
}

/* Exit status 0: right; 10 and more: so many programs were compiled. */
static int child(void)
{
  pthread_t thread;
  bool one = false, two = false;
  const double begun = now();
  hed_log_set(HED_LOG_DEBUG, count_builds, NULL);
  if (hed_backend_require(backend()) != HED_OK || pthread_create(&thread, NULL, compute, &one) != 0)
    return 1;
  fprintf(stderr, "# driver and device: %.1f ms\n", 1e3 * (now() - begun));
  compute(&two);
  if (pthread_join(thread, NULL) != 0 || !one || !two)
    return 2;
  return built ? 10 + built : 0;
}

/* ---- a process that ends meanwhile ---- */

static atomic_int begun;
static bool cold; /* the end may come while the very first program is built */

static void *compile(void *arg)
{
  static hed_array *(*const fn[])(const hed_array *) = { hed_exp, hed_sin, hed_tanh, hed_sqrt, hed_cbrt, hed_erf };
  HED_BACKEND_CONTEXT(backend())
  HED_SCOPE {
    double warm;
    hed_array *x = hed_arange(1, 100, 1, HED_FLOAT32);
    if (cold)
      atomic_fetch_add(&begun, 1);
    hed_item(hed_sum(x, NULL), &warm); /* the driver's compiler is at work */
    atomic_fetch_add(&begun, 1);
    for (size_t k = (size_t)(uintptr_t)arg, n = sizeof fn / sizeof *fn; k < (size_t)(uintptr_t)arg + n; k++) {
      double sum;
      hed_item(hed_sum(fn[k % n](x), NULL), &sum);
    }
  }
  return NULL;
}

/* Ends in one of three ways, each COLD or not, US microseconds after its threads have begun. */
static int end_early(long us, int way)
{
  pthread_t thread[4];
  const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
  cold = way >= 3;
  way %= 3;
  if (hed_backend_require(backend()) != HED_OK)
    return 1;
  for (uintptr_t k = 0; k < 4; k++)
    if (pthread_create(&thread[k], NULL, compile, (void *)k) != 0)
      return 1;
  while (!atomic_load(&begun))
    sched_yield();
  nanosleep(&pause, NULL);
  if (way == 1)
    exit(0);
  if (way == 2)
    quick_exit(0);
  return 0;
}

static pid_t start(const char *us, const char *way)
{
  const pid_t p = fork();
  if (p == 0) {
    alarm(120);
    execl("/proc/self/exe", "opencl_cold", us, way, (char *)NULL);
    _exit(4);
  }
  return p;
}

/* Its exit status; -1: a signal. */
static int end(pid_t p)
{
  int status = 0;
  return p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/opencl_cold.XXXXXX", command[80];
  if (argc == 3)
    return strcmp(argv[2], "child") == 0 ? child() : end_early(atol(argv[1]), atoi(argv[2]));
  if (hed_backend_require(backend()) != HED_OK)
    skip_all("%s", hed_error_text());
  if (!mkdtemp(folder))
    bail("no folder for programs");
  setenv("HEDDLE_CACHE_DIR", folder, 1);
  setenv("POCL_CACHE_DIR", folder, 1);
  unsetenv("POCL_EXTRA_BUILD_FLAGS");
  const pid_t a = start("0", "child"), b = start("0", "child");
  const int first = end(a), second = end(b), third = end(start("0", "child"));
  ok(first >= 10 && second >= 0 && second != 1 && second != 2, "two cold processes: %d and %d", first, second);
  snprintf(command, sizeof command, "find %s -name '*.hkb' | grep -q .", folder);
  if (system(command) == 0)
    is_int(third, 0, "the next one compiles nothing");
  else
    ok(third >= 10, "the driver keeps what it has compiled: the next one asks for %d programs", third - 10);
  const int runs = getenv("HEDDLE_TEST_FULL") ? 120 : 4;
  int crashed = 0, turn = 0;
  while (!share(turn, 11))
    turn++;
  for (int k = 0; k < runs; k++) {
    char us[24], way[8];
    snprintf(us, sizeof us, "%ld", 1000L * (1 << (3 * k + turn) % 11));
    snprintf(way, sizeof way, "%d", k % 2 ? 3 + k / 2 % 2 : k % 3);
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    if (system(command) != 0)
      diag("the folder is not empty");
    crashed += end(start(us, way)) != 0;
  }
  is_int(crashed, 0, "%d processes that end, in three ways, warm and cold, while programs are built: none crashes", runs);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    diag("%s was left behind", folder);
  return done();
}
