// SPDX-License-Identifier: BSD-3-Clause
/* Longer time slices from the kernel. L2. See slice.h.
 *
 * Linux gives a thread the slice that sched_setattr names from 6.12 on, and says which it has; where it says none, nothing
 * is asked for.
 */
#define _GNU_SOURCE
#include "core/slice.h"
#include "core/config.h"
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALM_MS = 100 }; /* without a crowd until the former slice is asked for */
enum { AS_WAS, ASKED, LEFT_ALONE };

/* The kernel's struct sched_attr in its first form, which the C library has only of late. */
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period; /* nanoseconds */
} attributes;

static bool read_own(attributes *a)
{
#ifdef SYS_sched_getattr
  return syscall(SYS_sched_getattr, 0, a, sizeof *a, 0) == 0;
#else
  (void)a;
  return false;
#endif
}

static bool write_own(attributes *a)
{
  a->size = sizeof *a;
#ifdef SYS_sched_setattr
  return syscall(SYS_sched_setattr, 0, a, 0) == 0;
#else
  return false;
#endif
}

static uint64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Real-time threads have no slice, and one that is longer already is somebody's choice. A child has inherited its creator's:
 * with ours, it goes back to the kernel's. */
static int ask(hed__tls *t)
{
  attributes a = { 0 };
  const uint64_t wanted = (uint64_t)hed__config_slice() * 1000000;
  if (!wanted || !read_own(&a) || (a.policy != SCHED_OTHER && a.policy != SCHED_BATCH) || !a.runtime || a.runtime > wanted)
    return LEFT_ALONE;
  t->slice_before = a.runtime == wanted ? 0 : a.runtime;
  a.runtime = wanted;
  return write_own(&a) ? ASKED : LEFT_ALONE;
}

void hed__slice_crowded(hed__tls *t)
{
  t->crowded_ms = now_ms();
  if (t->slice == AS_WAS)
    t->slice = ask(t);
}

void hed__slice_end(hed__tls *t)
{
  attributes a = { 0 };
  /* unless the program has asked for another one meanwhile */
  if (t->slice == ASKED && read_own(&a) && a.runtime == (uint64_t)hed__config_slice() * 1000000) {
    a.runtime = t->slice_before;
    (void)write_own(&a);
  }
  t->slice = AS_WAS;
}

void hed__slice_calm(hed__tls *t)
{
  if (t->slice == ASKED && now_ms() >= t->crowded_ms + CALM_MS)
    hed__slice_end(t);
}
