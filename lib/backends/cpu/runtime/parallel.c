// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops over several threads within the host's permits (parallel.h): how many, and which piece is whose. team.c has the
 * threads.
 */
#include "backends/cpu/runtime/parallel.h"
#include "base/invariant.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/team.h"

/* Of the program's OpenMP, where it has one: the module brings none into the process. */
extern int omp_in_parallel(void) __attribute__((weak));

/* Inside a parallel region of the program, which has given its processors work itself. */
static bool in_region(void)
{
  return omp_in_parallel && omp_in_parallel();
}

/* Permits for WORK units in at most PARTS pieces; 0: too little to ask. One that is held while the call runs by itself tells
 * others that this processor is taken: callers that could share out settle at a thread each. */
static int32_t permits(const hed_call *call, int64_t parts, double work)
{
  if (work < 2.0 * CPU_GRAIN || in_region() || cpu_host->forked())
    return 0;
  int64_t want = CPU_MIN((int64_t)call->max_threads, parts);
  if (work / CPU_GRAIN < (double)want)
    want = (int64_t)(work / CPU_GRAIN);
  return cpu_host->threads_acquire((int32_t)CPU_MAX(want, 1));
}

static void give_back(int32_t held)
{
  if (held > 0)
    cpu_host->threads_release(held);
}

int32_t cpu_acquire(const hed_call *call, int64_t parts, double work)
{
  if (call->max_threads < 2 || parts < 2)
    return 1;
  int32_t got = permits(call, parts, work);
  /* One permit is as good as none: it is given back at once, so that 1 always means "nothing held". */
  if (got == 1)
    cpu_host->threads_release(1);
  return CPU_MAX(got, 1);
}

void cpu_release(int32_t granted)
{
  HED__ASSERT(granted >= 1);
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
  HED__ASSERT(parts > 0 && part >= 0 && part < parts && j->align > 0);
  int64_t blocks = (j->n + j->align - 1) / j->align, per = blocks / parts, rest = blocks % parts;
  int64_t first = part * per + CPU_MIN(part, rest);
  int64_t last = first + per + (part < rest);
  int64_t begin = first * j->align, end = CPU_MIN(last * j->align, j->n);
  HED__ASSERT(begin >= 0 && end <= j->n);
  if (begin < end)
    j->fn(j->arg, begin, end);
}

void cpu_parallel_for(const hed_call *call, int64_t n, int64_t align, double work,
                      cpu_range_fn fn, void *arg)
{
  enum { PIECES = 4 }; /* of each thread: one that comes late still finds some */
  HED__ASSERT(n >= 0 && align > 0);
  range_job j = { fn, arg, n, align };
  int64_t blocks = (n + align - 1) / align;
  int32_t g = permits(call, blocks, work);
  if (g > 1)
    cpu_team_run(g, (int32_t)CPU_MIN(blocks, (int64_t)PIECES * g), run_range, &j);
  else if (n > 0)
    fn(arg, 0, n);
  give_back(g);
}

void cpu_parallel_parts(const hed_call *call, int64_t most, double work, cpu_part_fn fn, void *arg)
{
  HED__ASSERT(most >= 0);
  int32_t g = permits(call, most, work);
  if (g < 2)
    fn(arg, 0, 1);
  else
    cpu_team_run(g, g, fn, arg);
  give_back(g);
}

typedef struct items_job {
  cpu_item_fn fn;
  void *arg;
} items_job;

static void run_items(void *arg, int64_t begin, int64_t end)
{
  const items_job *j = arg;
  for (int64_t i = begin; i < end; i++)
    j->fn(j->arg, i);
}

void cpu_parallel_items(const hed_call *call, int64_t n, double work, cpu_item_fn fn, void *arg)
{
  enum { MANY = 1 << 24 };
  HED__ASSERT(n >= 0);
  items_job j = { fn, arg };
  range_job all = { run_items, &j, n, 1 };
  int32_t g = permits(call, n, work);
  if (g > 1)
    cpu_team_run(g, (int32_t)CPU_MIN(n, (int64_t)MANY), run_range, &all);
  else
    run_items(&j, 0, n);
  give_back(g);
}
