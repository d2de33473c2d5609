// SPDX-License-Identifier: BSD-3-Clause
/* Thread permits: a process-wide count of threads that run operations. L2.
 *
 * Rationing permits rather than copying a number of threads into every worker is what keeps W workers with T-thread
 * operations from running W x T threads, and lets a lone caller have everything. A worker between two operations is about to
 * come back: its processor is not given away for a while, or the threads of two operations would wait for one another.
 */
#include "core/context/permits.h"
#include "base/invariant.h"
#include "core/process/cgroup.h"
#include "core/process/config.h"
#include "core/process/tls.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* In lines of their own: threads of several operations write these all the time, and read what lies beside them. */
typedef struct line_count {
  _Alignas(64) atomic_int n;
} line_count;
typedef struct line_time {
  _Alignas(64) _Atomic(int64_t) ns;
} line_time;

static line_count in_use;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int configured; /* HEDDLE_NUM_THREADS, or the cgroup's share; 0 = no such limit */

/* Processors that one control group grants, its quota of time per period rounded up; 0 = no limit. */
static int group_quota(const char *folder)
{
  long long quota, period;
  bool v2 = hed__cgroup_numbers(folder, "cpu.max", &quota, &period);
  if (!v2 && !(hed__cgroup_numbers(folder, "cpu.cfs_quota_us", &quota, NULL) &&
               hed__cgroup_numbers(folder, "cpu.cfs_period_us", &period, NULL)))
    return 0;
  if (quota <= 0 || period <= 0)
    return 0;
  long long cpus = (quota + period - 1) / period;
  return cpus > 4096 ? 4096 : (int)cpus;
}

/* The least that this process's control groups grant. */
static void least_quota(void *least, const char *folder)
{
  int n = group_quota(folder), *so_far = least;
  if (n && (!*so_far || n < *so_far))
    *so_far = n;
}

static int cgroup_limit(void)
{
  int least = 0;
  hed__cgroup_each("cpu", least_quota, &least);
  return least;
}

static void configure(void)
{
  int n = hed__config_num_threads(), group = cgroup_limit();
  configured = n && group ? (n < group ? n : group) : n + group;
}

atomic_int hed__capacity_seen;

/* The affinity mask is read each time, as it may change. */
int hed_thread_capacity(void)
{
  pthread_once(&once, configure);
  cpu_set_t set;
  /* the call fails where the kernel's mask is larger, beyond 1024 processors */
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (configured && configured < n)
    n = configured;
  n = n > 0 ? n : 1;
  hed__tls *t = hed__tls_peek();
  if (t)
    t->capacity = n;
  atomic_store_explicit(&hed__capacity_seen, n, memory_order_relaxed);
  return n;
}

/* The calling thread's capacity, its mask read again after some milliseconds: operations that share out are often so short
 * that the system call would show. */
static int recent_capacity(void)
{
  enum { HOLDS_MS = 10 };
  hed__tls *t = hed__tls_peek();
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  if (!t)
    return hed_thread_capacity();
  if (ms >= t->capacity_until) {
    (void)hed_thread_capacity();
    t->capacity_until = ms + HOLDS_MS;
  }
  return t->capacity;
}

/* When a thread gave its last permits back; 0: never, or it has some. Threads that share a slot see less of one another. */
enum { SLOTS = 32, LINGER_NS = 200000 };
static line_time left_at[SLOTS];
static atomic_int first_slot = -1; /* of the first thread that asked */
static atomic_bool several;         /* threads have asked */

static int my_slot(void)
{
  int none = -1, slot = (int)(((uint64_t)(uintptr_t)pthread_self() * 0x9e3779b97f4a7c15u) >> 59);
  _Static_assert(SLOTS == 1 << (64 - 59), "bits of a slot");
  if (!atomic_load_explicit(&several, memory_order_relaxed) && !atomic_compare_exchange_strong(&first_slot, &none, slot) &&
      none != slot)
    atomic_store(&several, true);
  return slot;
}

static int64_t monotonic_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Others that have just left and will be back. */
static int lingering(int slot)
{
  int n = 0;
  int64_t since = monotonic_ns() - LINGER_NS;
  for (int i = 0; i < SLOTS; i++)
    n += i != slot && atomic_load_explicit(&left_at[i].ns, memory_order_relaxed) > since;
  return n;
}

/* For the invariant that an operation gives back what it takes. */
static void hold(int n)
{
  hed__tls *t = HED__CHECKED ? hed__tls_peek() : NULL;
  if (t)
    t->permits += n;
}

int hed_permits_acquire(int want)
{
  int slot = my_slot();
  bool others = atomic_load_explicit(&several, memory_order_relaxed);
  if (others)
    atomic_store_explicit(&left_at[slot].ns, 0, memory_order_relaxed);
  if (want <= 1) { /* the caller itself runs in any case: no need to know how many could */
    atomic_fetch_add(&in_use.n, 1);
    hold(1);
    return 1;
  }
  int capacity = recent_capacity() - (others ? lingering(slot) : 0), got;
  int used = atomic_load_explicit(&in_use.n, memory_order_relaxed);
  do {
    got = capacity - used;
    if (got > want)
      got = want;
    if (got < 1)
      got = 1;
  } while (!atomic_compare_exchange_weak(&in_use.n, &used, used + got));
  hold(got);
  return got;
}

void hed_permits_release(int got)
{
  if (got <= 0)
    return;
  if (atomic_load_explicit(&several, memory_order_relaxed))
    atomic_store_explicit(&left_at[my_slot()].ns, monotonic_ns(), memory_order_relaxed);
  int used = atomic_load_explicit(&in_use.n, memory_order_relaxed), back;
  do /* never more than there are out */
    back = got < used ? got : used;
  while (!atomic_compare_exchange_weak(&in_use.n, &used, used - back));
  hold(-got);
}

void hed__permits_fork_child(void) { atomic_store(&in_use.n, 0); }
