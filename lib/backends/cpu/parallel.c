// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops over several threads within the host's permits (parallel.h).
 *
 * Team sizes are powers of two or the full ceiling: libgomp keeps a pool per master and resizing it
 * on every call is slow. Every region states its size; a thread inside a region never opens another.
 */
#include "backends/cpu/parallel.h"
#include "backends/cpu/cpu.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* libgomp is not built with ThreadSanitizer, which therefore does not see how a team gets its work and ends. In such a
 * build it is told: what went before a region happens before the team's work, and that before what follows. The functions
 * with the regions are left out, as the team reads its arguments before it can say so. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define HAPPENS_BEFORE(p) __tsan_release(p)
#define HAPPENS_AFTER(p) __tsan_acquire(p)
#define REGION __attribute__((no_sanitize("thread"), noinline))
#else
#define HAPPENS_BEFORE(p) ((void)(p))
#define HAPPENS_AFTER(p) ((void)(p))
#define REGION __attribute__((noinline))
#endif

int32_t cpu_acquire(const hed_call *call, int64_t parts, double work)
{
#ifdef _OPENMP
  int64_t want = call->max_threads;
  if (want < 2 || work < 2.0 * CPU_GRAIN)
    return 1;
  want = CPU_MIN(want, parts);
  if (work / CPU_GRAIN < (double)want)
    want = (int64_t)(work / CPU_GRAIN);
  if (want < 2 || omp_in_parallel() || cpu_host->forked())
    return 1;
  int32_t got = cpu_host->threads_acquire((int32_t)want);
  if (got < want) {
    int32_t pow2 = 1;
    while (2 * pow2 <= got)
      pow2 *= 2;
    if (pow2 < got)
      cpu_host->threads_release(got - pow2);
    got = pow2;
  }
  /* One permit is as good as none: it is given back at once, so that 1 always means "nothing held". */
  if (got == 1)
    cpu_host->threads_release(1);
  return got;
#else
  (void)call, (void)parts, (void)work;
  return 1;
#endif
}

void cpu_release(int32_t granted)
{
  if (granted > 1)
    cpu_host->threads_release(granted);
}

typedef struct range_job {
  cpu_range_fn fn;
  void *arg;
  int64_t n, align;
} range_job;

static void run_range(void *arg, int32_t part, int32_t parts)
{
  const range_job *j = arg;
  int64_t blocks = (j->n + j->align - 1) / j->align, per = blocks / parts, rest = blocks % parts;
  int64_t first = part * per + CPU_MIN(part, rest);
  int64_t last = first + per + (part < rest);
  int64_t begin = first * j->align, end = CPU_MIN(last * j->align, j->n);
  if (begin < end)
    j->fn(j->arg, begin, end);
}

void cpu_parallel_for(const hed_call *call, int64_t n, int64_t align, double work,
                      cpu_range_fn fn, void *arg)
{
  range_job j = { fn, arg, n, align };
  cpu_parallel_parts(call, (n + align - 1) / align, work, run_range, &j);
}

#ifdef _OPENMP
static REGION void parts_region(int32_t g, cpu_part_fn fn, void *arg)
{
  char begin, end;
  HAPPENS_BEFORE(&begin);
#pragma omp parallel num_threads(g)
  {
    HAPPENS_AFTER(&begin);
    /* The runtime may give fewer threads than asked for. */
    int32_t team = omp_get_num_threads();
    for (int32_t part = omp_get_thread_num(); part < g; part += team)
      fn(arg, part, g);
    HAPPENS_BEFORE(&end);
  }
  HAPPENS_AFTER(&end);
}

static REGION void items_region(int32_t g, int64_t n, cpu_item_fn fn, void *arg)
{
  char begin, end;
  HAPPENS_BEFORE(&begin);
#pragma omp parallel num_threads(g)
  {
    HAPPENS_AFTER(&begin);
#pragma omp for schedule(dynamic, 1) nowait
    for (int64_t i = 0; i < n; i++)
      fn(arg, i);
    HAPPENS_BEFORE(&end);
  }
  HAPPENS_AFTER(&end);
}
#endif

void cpu_parallel_parts(const hed_call *call, int64_t most, double work, cpu_part_fn fn, void *arg)
{
  int32_t g = cpu_acquire(call, most, work);
  if (g < 2) {
    fn(arg, 0, 1);
    return;
  }
#ifdef _OPENMP
  parts_region(g, fn, arg);
#endif
  cpu_release(g);
}

void cpu_parallel_items(const hed_call *call, int64_t n, double work, cpu_item_fn fn, void *arg)
{
  int32_t g = cpu_acquire(call, n, work);
  if (g < 2) {
    for (int64_t i = 0; i < n; i++)
      fn(arg, i);
    return;
  }
#ifdef _OPENMP
  items_region(g, n, fn, arg);
#endif
  cpu_release(g);
}
