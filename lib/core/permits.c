// SPDX-License-Identifier: BSD-3-Clause
/* Thread permits: a process-wide count of threads that run operations. L2.
 *
 * Rationing permits rather than copying a number of threads into every worker is what keeps W workers with T-thread
 * operations from running W x T threads, and lets a lone caller have everything.
 */
#include "core/permits.h"
#include "core/config.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int in_use;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int configured; /* HEDDLE_NUM_THREADS, or the cgroup's share; 0 = no such limit */

/* cpu.max of this process's cgroup (version 2) or quota and period (version 1), rounded up; 0 = none. */
static int cgroup_limit(void)
{
  long long quota = -1, period = 0;
  FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (f) {
    if (fscanf(f, "%lld %lld", &quota, &period) != 2)
      quota = -1;
    fclose(f);
  } else {
    if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re"))) {
      if (fscanf(f, "%lld", &quota) != 1)
        quota = -1;
      fclose(f);
    }
    if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re"))) {
      if (fscanf(f, "%lld", &period) != 1)
        period = 0;
      fclose(f);
    }
  }
  if (quota <= 0 || period <= 0)
    return 0;
  long long n = (quota + period - 1) / period;
  return n > 4096 ? 4096 : (int)n;
}

static void configure(void)
{
  int n = hed__config_num_threads(), group = cgroup_limit();
  configured = n && group ? (n < group ? n : group) : n + group;
}

static atomic_int last; /* capacity when it was last looked at */

int hed__capacity_last(void)
{
  int n = atomic_load_explicit(&last, memory_order_relaxed);
  return n > 0 ? n : hed_thread_capacity();
}

/* The affinity mask is read each time, as it may change; operations too small to share out use the last answer. */
int hed_thread_capacity(void)
{
  pthread_once(&once, configure);
  cpu_set_t set;
  int n = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    n = CPU_COUNT(&set);
  if (configured && configured < n)
    n = configured;
  n = n > 0 ? n : 1;
  atomic_store_explicit(&last, n, memory_order_relaxed);
  return n;
}

int hed_permits_acquire(int want)
{
  if (want < 1)
    want = 1;
  int capacity = hed_thread_capacity(), used = atomic_load_explicit(&in_use, memory_order_relaxed), got;
  do {
    got = capacity - used;
    if (got > want)
      got = want;
    if (got < 1) /* the caller itself runs in any case */
      got = 1;
  } while (!atomic_compare_exchange_weak(&in_use, &used, used + got));
  return got;
}

void hed_permits_release(int got)
{
  if (got > 0)
    atomic_fetch_sub(&in_use, got);
}

void hed__permits_fork_child(void) { atomic_store(&in_use, 0); }
