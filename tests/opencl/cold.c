// SPDX-License-Identifier: BSD-3-Clause
/* The first calls of a process: two processes of two threads that share an empty folder for programs, the driver's too, then one
 * that finds them there and compiles none, where it is not the driver that keeps them. Here drivers compile as they do for users.
 * HEDDLE_TEST_BACKEND takes another backend. */
#include "tap.h"

#include <heddle.h>
#include <pthread.h>
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

static pid_t start(void)
{
  const pid_t p = fork();
  if (p == 0) {
    execl("/proc/self/exe", "opencl_cold", "child", (char *)NULL);
    _exit(4);
  }
  return p;
}

static int end(pid_t p)
{
  int status = 0;
  return p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/opencl_cold.XXXXXX", command[80];
  (void)argv; /* "child" */
  if (argc > 1)
    return child();
  if (hed_backend_require(backend()) != HED_OK)
    skip_all("%s", hed_error_text());
  if (!mkdtemp(folder))
    bail("no folder for programs");
  setenv("HEDDLE_CACHE_DIR", folder, 1);
  setenv("POCL_CACHE_DIR", folder, 1);
  unsetenv("POCL_EXTRA_BUILD_FLAGS");
  const pid_t a = start(), b = start();
  const int first = end(a), second = end(b), third = end(start());
  ok(first >= 10 && second >= 0 && second != 1 && second != 2, "two cold processes: %d and %d", first, second);
  snprintf(command, sizeof command, "find %s -name '*.hkb' | grep -q .", folder);
  if (system(command) == 0)
    is_int(third, 0, "the next one compiles nothing");
  else
    ok(third >= 10, "the driver keeps what it has compiled: the next one asks for %d programs", third - 10);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    diag("%s was left behind", folder);
  return done();
}
