// SPDX-License-Identifier: BSD-3-Clause
/* Threads of the floors.
 *
 * Layer: L5. A worker that has done its part looks for the next one for some microseconds, as a loop that measures a
 * machine does, and sleeps then: it must not take a processor from what is measured beside it. Workers are kept off the
 * processor of the main thread, where kernels of virtual machines like to put a thread that wakes.
 */
#define _GNU_SOURCE
#include "bench.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 2000 };

struct bench_team {
  int parts, started;
  pthread_t thread[64];
  pthread_mutex_t lock;
  pthread_cond_t wake;
  void (*fn)(void *arg, int part, int parts);
  void *arg;
  atomic_int turn, pending, next_part;
  bool stop;
  int barred;
};

static void keep_off(bench_team *t, int processor)
{
  cpu_set_t set;
  if (processor == t->barred || processor < 0 || sched_getaffinity(0, sizeof set, &set) != 0)
    return;
  CPU_CLR(processor, &set);
  for (int i = 0; i < t->started && CPU_COUNT(&set) > 0; i++)
    pthread_setaffinity_np(t->thread[i], sizeof set, &set);
  t->barred = processor;
}

static void *worker(void *arg)
{
  bench_team *t = arg;
  int part = 1 + atomic_fetch_add(&t->next_part, 1), seen = 0;
  for (;;) {
    for (int i = 0; i < LOOKS && atomic_load_explicit(&t->turn, memory_order_acquire) == seen; i++)
      sched_yield();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->turn) == seen && !t->stop)
      pthread_cond_wait(&t->wake, &t->lock);
    bool stop = t->stop;
    seen = atomic_load(&t->turn);
    pthread_mutex_unlock(&t->lock);
    if (stop)
      return NULL;
    t->fn(t->arg, part, t->parts);
    atomic_fetch_sub_explicit(&t->pending, 1, memory_order_release);
  }
}

bench_team *bench_team_open(int parts)
{
  bench_team *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->barred = -1;
  t->parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  for (; t->started < t->parts - 1; t->started++)
    if (pthread_create(&t->thread[t->started], NULL, worker, t) != 0) {
      bench_team_close(t);
      return NULL;
    }
  return t;
}

void bench_team_run(bench_team *t, void (*fn)(void *arg, int part, int parts), void *arg)
{
  if (t->parts > 1) {
    keep_off(t, sched_getcpu());
    pthread_mutex_lock(&t->lock);
    t->fn = fn;
    t->arg = arg;
    atomic_store(&t->pending, t->parts - 1);
    atomic_fetch_add_explicit(&t->turn, 1, memory_order_release);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
  }
  fn(arg, 0, t->parts);
  while (atomic_load_explicit(&t->pending, memory_order_acquire) > 0)
    sched_yield();
}

void bench_team_close(bench_team *t)
{
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  t->stop = true;
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
  for (int i = 0; i < t->started; i++)
    pthread_join(t->thread[i], NULL);
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->wake);
  free(t);
}
