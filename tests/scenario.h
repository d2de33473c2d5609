// SPDX-License-Identifier: BSD-3-Clause
/* What the scenario tests share: tagged contexts, threads with a watchdog. L5.
 *
 * A context is recognised by its thread ceiling: tag(k) is a spec for it, here() reads it back.
 */
#ifndef HED_TESTS_SCENARIO_H
#define HED_TESTS_SCENARIO_H

#include "tap.h"
#include <heddle.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of lib/base/alloc.h, exported for tests. */
extern void hed_test_fail_alloc_at(uint64_t n);
extern uint64_t hed_test_alloc_count(void);
extern int64_t hed_test_alloc_live(void);

/* Where scenarios run that can do so anywhere: scenario/backends.t has them run on others than reference. */
static inline const char *usual_backend(void)
{
  const char *name = getenv("HEDDLE_TEST_BACKEND");
  return name && *name ? name : "reference";
}

static inline void sleep_ms(long ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

/* Threads of this process. */
static inline int count_threads(void)
{
  int n = 0;
  DIR *d = opendir("/proc/self/task");
  for (struct dirent *e; d && (e = readdir(d));)
    n += e->d_name[0] != '.';
  if (d)
    closedir(d);
  return n;
}

static inline double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The tag of C (NULL: the context in force); -1 when it cannot be read. */
static inline int tag_of(const hed_context *c)
{
  hed_context_info info; /* also compiled as C++17 */
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  return hed_context_query(c, &info) == HED_OK ? info.threads : -1;
}

static inline int here(void)
{
  return tag_of(NULL);
}

/* A context of the usual backend with tag K; the caller releases it. */
static inline hed_context *tagged(int k)
{
  char spec[64];
  hed_context *c = NULL;
  snprintf(spec, sizeof spec, "%s;threads=%d", usual_backend(), k);
  if (hed_context_derive(NULL, spec, &c) != HED_OK)
    bail("cannot derive '%s': %s", spec, hed_error_text());
  return c;
}

static inline hed_status push_tag(int k, hed_frame *f)
{
  char spec[64];
  snprintf(spec, sizeof spec, ";threads=%d", k);
  return hed_backend_context_push(spec, f);
}

/* Runs FN(ARG) in a thread and waits for it; the creator's context is inherited. */
static inline void in_thread(void *(*fn)(void *), void *arg)
{
  pthread_t t;
  int e = hed_thread_create(&t, NULL, fn, arg);
  if (e)
    bail("hed_thread_create: %s", strerror(e));
  pthread_join(t, NULL);
}

#endif
