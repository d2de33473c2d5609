// SPDX-License-Identifier: BSD-3-Clause
/* Helpers of the cpu module: every part of a loop is done once, whoever calls, how often and from where, in order or back; and
 * what calls hold of the host's permits.
 */
#define _GNU_SOURCE
#include "backends/cpu/runtime/team.h"
#include "mock_host.h"
#include "tap.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const hed_host_api *cpu_host = &mock_host; /* parallel.c is linked by itself */

enum { MOST = 128, CALLERS = 4, ROUNDS = 1500 };

typedef struct marks {
  atomic_int done[MOST];
  atomic_int wrong;
  bool nested;
} marks;

static atomic_int bad;

static void run_once(int32_t threads, int32_t parts, bool nested);

static void mark(void *arg, int32_t part, int32_t parts)
{
  marks *m = arg;
  if (part % 3 == 1) /* somebody has begun this and not ended it */
    sched_yield();
  if (part < 0 || part >= parts || parts > MOST)
    atomic_fetch_add(&m->wrong, 1);
  else
    atomic_fetch_add(&m->done[part], 1);
  if (m->nested)
    run_once(2, 3, false);
}

/* The loop lives in this frame: a helper that came back to it would be seen by a sanitizer, or mark the next one twice. */
static void run_once(int32_t threads, int32_t parts, bool nested)
{
  marks m = { .nested = nested };
  cpu_team_run(threads, parts, mark, &m);
  bool right = atomic_load(&m.wrong) == 0;
  for (int32_t k = 0; k < MOST; k++)
    right &= atomic_load(&m.done[k]) == (k < parts);
  atomic_fetch_add(&bad, !right);
}

static void *caller(void *arg)
{
  unsigned seed = (unsigned)(intptr_t)arg;
  for (int round = 0; round < ROUNDS; round++) {
    seed = seed * 1664525u + 1013904223u;
    run_once(1 + (int32_t)(seed >> 8) % 5, 1 + (int32_t)(seed >> 16) % 16, seed >> 28 == 0);
    if (seed >> 24 == 0) { /* long enough for helpers to fall asleep */
      struct timespec pause = { 0, 600000 };
      nanosleep(&pause, NULL);
    }
  }
  return NULL;
}

/* More threads than processors, than homes of parts, than parts. */
static void test_counts(void)
{
  int before = atomic_load(&bad), loops = 0;
  for (int32_t threads = 1; threads < 80; threads += 1 + threads / 8)
    for (int32_t parts = 1; parts <= MOST; parts += 1 + parts / 6, loops++)
      run_once(threads, parts, false);
  ok(atomic_load(&bad) == before, "%d loops of many threads and parts: every part once", loops);
}

typedef struct order { int64_t seen[MOST], n; } order;

static void note_part(void *arg, int32_t part, int32_t parts)
{
  order *o = arg;
  (void)parts;
  o->seen[o->n++ % MOST] = part;
}

static void test_order(void)
{
  order o = { .n = 0 };
  cpu_team_run(1, 20, note_part, &o);
  bool right = o.n == 20;
  for (int64_t k = 0; k < 20; k++)
    right = right && o.seen[k] == k;
  ok(right, "a thread by itself: parts in order");
}

/* Helpers run where their caller may; the caller's own set is left as it is. */
static void test_processors(void)
{
  cpu_set_t before, after, set;
  int wrong = 0, threads = 0;
  if (sched_getaffinity(0, sizeof before, &before) != 0) {
    skip(2, "the set of processors cannot be read");
    return;
  }
  for (int i = 0; i < 3; i++) {
    run_once(4, 16, false);
    struct timespec pause = { 0, 2000000 };
    nanosleep(&pause, NULL);
  }
  ok(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after), "the caller's processors are as before");
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *e; folder && (e = readdir(folder));)
    if (*e->d_name != '.' && sched_getaffinity((pid_t)atol(e->d_name), sizeof set, &set) == 0) {
      cpu_set_t both;
      CPU_AND(&both, &before, &set);
      wrong += CPU_COUNT(&set) == 0 || !CPU_EQUAL(&both, &set);
      threads++;
    }
  if (folder)
    closedir(folder);
  ok(wrong == 0, "%d threads: each on processors that the caller may use", threads);
}

/* The fewest free permits during one addition of N numbers by at most THREADS threads, of 2. */
static int least_during(hed_op_fn add, int64_t n, int32_t threads)
{
  static float x[400000], y[400000];
  hed_view a = { .data = x, .dtype = HED_ID_FLOAT32, .ndim = 1, .dim = { n }, .stride = { sizeof *x } }, b = a;
  b.data = y;
  const hed_view *in[2] = { &a, &a }, *out[1] = { &b };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_ADD, .n_in = 2, .n_out = 1, .in = in, .out = out,
                    .compute = HED_ID_FLOAT32, .max_threads = threads };
  for (int64_t k = 0; k < n; k++)
    x[k] = (float)k;
  atomic_store(&mock_permits_least, 2);
  if (add(NULL, &call) != HED_OK)
    return -1;
  for (int64_t k = 0; k < n; k++)
    if (y[k] != 2 * (float)k)
      return -2;
  return atomic_load(&mock_permits_least);
}

int main(void)
{
  pthread_t t[CALLERS];
  int started = 0;
  for (intptr_t k = 0; k < CALLERS; k++)
    started += pthread_create(&t[started], NULL, caller, (void *)(k + 1)) == 0;
  for (int k = 0; k < started; k++)
    pthread_join(t[k], NULL);
  ok(started > 0 && atomic_load(&bad) == 0, "%d loops of %d callers: every part once", started * ROUNDS, started);
  test_counts();
  test_order();
  test_processors();

  const char *why;
  const hed_plugin *cpu = mock_load(NULL, &why);
  hed_op_fn add = NULL;
  for (const hed_op_entry *e = cpu ? cpu->ops : NULL; e && e->name; e++)
    if (!strcmp(e->name, "add"))
      add = e->fn;
  if (!add) {
    skip(5, "no cpu module: %s", cpu ? "no add" : why);
  } else {
    atomic_store(&mock_permits, 2);
    is_int(least_during(add, 1000, 2), 2, "few elements: no permit is asked for");
    is_int(least_during(add, 400000, 2), 0, "many: all are taken");
    is_int(least_during(add, 400000, 1), 1, "many by one thread: it holds one, so that others see it");
    atomic_store(&mock_permits, 1);
    is_int(least_during(add, 400000, 2), 0, "with one left: it runs by itself and holds that");
    is_int(atomic_load(&mock_permits), 1, "all permits were given back");
  }
  done_testing();
  return done();
}
