// SPDX-License-Identifier: BSD-3-Clause
/* Threads that help with a loop: see team.h. L1.
 *
 * Why not OpenMP's teams: a region ends when every thread has been through it, so with one processor taken by another
 * process each call lasts until the scheduler has been round, up to a hundred times the serial time; and how long its idle
 * threads spin is a setting of the environment, which belongs to the program.
 *
 * A helper's mailbox holds a loop that is offered, the same with a mark once the helper has taken it, or nothing. Whoever
 * finds the offer untaken at the end takes it back, so a loop can live in its caller's frame.
 *
 * Parts have a home: the caller begins with the first of them, each helper with its own. So loops over the same arrays find
 * their pieces in the cache of the processor that had them last. Who is done takes the last part of another home.
 */
#define _GNU_SOURCE
#include "backends/cpu/runtime/team.h"
#include "base/invariant.h"
#include "backends/cpu/cpu.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_HELPERS = 255, SPIN_NS = 200000, PATIENCE_NS = 20000, /* helpers; nanoseconds */
       MOST_MISSES = 64, HOMES = 32 };

typedef struct loop {
  cpu_part_fn fn;
  void *arg;
  int32_t parts, homes;
  cpu_home home[HOMES];
} loop;

typedef struct helper {
  _Alignas(64) _Atomic(uintptr_t) box; /* 0; a loop; a loop + TAKEN */
  atomic_bool asleep;
  int barred;              /* processor it is kept off, or -1; under the lock */
  pthread_t thread;
  atomic_int missed, skip; /* offers in a row that it was too late for; those to come for which it is not woken */
  pthread_mutex_t lock;
  pthread_cond_t wake;
} helper;

enum { TAKEN = 1 };

static helper helpers[MOST_HELPERS];
static atomic_int made;   /* of them */
static atomic_int sought; /* by all loops that run */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* The first or the last part of a home that is left; -1: none. */
static int32_t take(cpu_home *h, bool first)
{
  uint64_t left = atomic_load_explicit(&h->left, memory_order_relaxed);
  for (;;) {
    uint32_t begin = (uint32_t)left, end = (uint32_t)(left >> 32);
    if (begin >= end)
      return -1;
    uint64_t rest = first ? left + 1 : left - ((uint64_t)1 << 32);
    if (atomic_compare_exchange_weak_explicit(&h->left, &left, rest, memory_order_relaxed, memory_order_relaxed))
      return (int32_t)(first ? begin : end - 1);
  }
}

void cpu_homes_divide(cpu_home *home, int32_t homes, int32_t parts)
{
  int32_t per = parts / homes, rest = parts % homes, begin = 0;
  HED__ASSERT(parts >= 0);
  for (int32_t i = 0; i < homes; i++) {
    int32_t end = begin + per + (i < rest);
    atomic_init(&home[i].left, (uint32_t)begin | (uint64_t)end << 32);
    begin = end;
  }
  HED__ASSERT(begin == parts);
}

int32_t cpu_homes_take(cpu_home *home, int32_t homes, int32_t mine)
{
  HED__ASSERT(homes >= 1 && mine >= 0 && mine < homes);
  int32_t part = -1;
  for (int32_t i = 0, at = mine; i < homes && part < 0; i++, at = at + 1 < homes ? at + 1 : 0)
    part = take(&home[at], i == 0);
  return part;
}

static void work(loop *l, int32_t mine)
{
  for (int32_t part; (part = cpu_homes_take(l->home, l->homes, mine)) >= 0;)
    l->fn(l->arg, part, l->parts);
}

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Until BOX differs from OLD, for at most NS; what it is. */
static uintptr_t watch(_Atomic(uintptr_t) *box, uintptr_t old, int64_t ns)
{
  uintptr_t v;
  for (int64_t until = 0;;) {
    for (int i = 0; i < 32; i++) {
      if ((v = atomic_load_explicit(box, memory_order_acquire)) != old)
        return v;
      cpu_relax();
    }
    int64_t t = now();
    if (!until)
      until = t + ns;
    else if (t >= until)
      return old;
  }
}

/* Until somebody signals, or for no reason. */
static void sleep_until_woken(helper *h)
{
  pthread_mutex_lock(&h->lock);
  atomic_store(&h->asleep, true);
  if (!atomic_load(&h->box))
    pthread_cond_wait(&h->wake, &h->lock);
  atomic_store(&h->asleep, false);
  pthread_mutex_unlock(&h->lock);
}

static void *help(void *arg)
{
  helper *h = arg;
  for (;;) {
    uintptr_t offer = watch(&h->box, 0, SPIN_NS);
    if (!offer) {
      sleep_until_woken(h); /* too late for what it was woken for, maybe, but then it is awake for the next */
    } else if (atomic_compare_exchange_strong(&h->box, &offer, offer | TAKEN)) { /* or else it was taken back */
      loop *l = (loop *)offer;
      work(l, (int32_t)(1 + h - helpers) % l->homes);
      atomic_store_explicit(&h->box, 0, memory_order_release);
    }
  }
  return NULL;
}

/* One more thread, with all signals blocked: they are the program's. NULL: there are enough, or none is to be had. Helpers
 * that others had and gave back while a loop looked at them are enough although it found none. */
static helper *make(void)
{
  helper *h = NULL;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  pthread_mutex_lock(&making);
  int n = atomic_load(&made);
  if (n < MOST_HELPERS && n < processors - 1 && n < atomic_load(&sought)) {
    sigset_t all, old;
    pthread_attr_t attr;
    h = &helpers[n];
    h->barred = -1;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->wake, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&h->thread, &attr, help, h) == 0)
      atomic_store(&made, n + 1);
    else
      h = NULL;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
  }
  pthread_mutex_unlock(&making);
  return h;
}

/* H not on the PROCESSOR of the caller, which is about to wake it. Kernels, in virtual machines above all, put a thread that
 * wakes beside its waker although others are idle, and leave it there for milliseconds. */
static void keep_off(helper *h, int processor)
{
  cpu_set_t set;
  if (processor == h->barred || processor < 0 || sched_getaffinity(0, sizeof set, &set) != 0)
    return;
  CPU_CLR(processor, &set);
  if (CPU_COUNT(&set) > 0 && pthread_setaffinity_np(h->thread, sizeof set, &set) == 0)
    h->barred = processor;
}

typedef enum answer { OFFERED, BUSY, LET_SLEEP } answer;

/* Waking a thread costs the caller some microseconds, for nothing where the processors are taken: whoever came too late
 * is woken less and less often. Earlier calls decide nothing else: not how a loop is divided nor what computes its parts, so
 * results are the same; and a processor that is free again shows within MOST_MISSES calls. */
static answer offer(helper *h, loop *l)
{
  uintptr_t none = 0;
  int skip = atomic_load_explicit(&h->skip, memory_order_relaxed);
  if (skip > 0 && atomic_load_explicit(&h->asleep, memory_order_relaxed)) {
    atomic_store_explicit(&h->skip, skip - 1, memory_order_relaxed);
    return LET_SLEEP;
  }
  if (atomic_load_explicit(&h->box, memory_order_relaxed) || !atomic_compare_exchange_strong(&h->box, &none, (uintptr_t)l))
    return BUSY;
  if (atomic_load(&h->asleep)) {
    pthread_mutex_lock(&h->lock);
    keep_off(h, sched_getcpu());
    pthread_cond_signal(&h->wake);
    pthread_mutex_unlock(&h->lock);
  }
  return OFFERED;
}

/* All parts are begun: an offer that stands is taken back, a helper that works is waited for. */
static void part_with(helper *h, loop *l)
{
  uintptr_t mine = (uintptr_t)l;
  if (atomic_compare_exchange_strong(&h->box, &mine, 0)) {
    int missed = atomic_load_explicit(&h->missed, memory_order_relaxed);
    missed = missed < MOST_MISSES ? 2 * missed + 1 : missed;
    atomic_store_explicit(&h->missed, missed, memory_order_relaxed);
    atomic_store_explicit(&h->skip, missed / 2, memory_order_relaxed);
    return;
  }
  atomic_store_explicit(&h->missed, 0, memory_order_relaxed);
  while (watch(&h->box, (uintptr_t)l | TAKEN, PATIENCE_NS) == ((uintptr_t)l | TAKEN))
    sched_yield(); /* it may be waiting for this processor */
}

static _Atomic(cpu_team_fn *) other; /* threads of somebody else in place of helpers */

void cpu_team_use(cpu_team_fn *fn)
{
  atomic_store(&other, fn);
}

static void member(void *arg, int32_t number)
{
  loop *l = arg;
  work(l, number % l->homes);
}

void cpu_team_run(int32_t threads, int32_t parts, cpu_part_fn fn, void *arg)
{
  loop l;
  helper *mine[MOST_HELPERS];
  int32_t n = 0, asleep = 0, want = CPU_MIN(CPU_MIN(threads, parts) - 1, MOST_HELPERS);
  l.fn = fn;
  l.arg = arg;
  l.parts = parts;
  l.homes = CPU_MIN(want + 1, HOMES);
  cpu_homes_divide(l.home, l.homes, parts);
  cpu_team_fn *others = atomic_load_explicit(&other, memory_order_relaxed);
  if (others) {
    others(want + 1, member, &l);
    return;
  }
  atomic_fetch_add(&sought, want);
  for (int i = 0, have = atomic_load(&made); i < have && n < want; i++) {
    const answer a = offer(&helpers[i], &l);
    if (a == OFFERED)
      mine[n++] = &helpers[i];
    asleep += a == LET_SLEEP;
  }
  for (helper *h; n + asleep < want && (h = make());) /* one more than those that are let sleep would come too late as they do */
    if (offer(h, &l) == OFFERED)
      mine[n++] = h;
  work(&l, 0);
  while (n > 0)
    part_with(mine[--n], &l);
  atomic_fetch_sub(&sought, want);
}
