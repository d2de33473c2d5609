// SPDX-License-Identifier: BSD-3-Clause
/* GCC's OpenMP runtime, libgomp: regions and tasks run in the context of the thread that opens or makes them.
 *
 * A region's function is replaced by one that enters, runs and leaves. A task gets a header in front of the block that the
 * program hands over, and a copy function that fills both. Loops and sections inside of a region, and regions of one
 * thread, need nothing. Prototypes: GCC's libgomp/libgomp_g.h; later versions have more arguments of GOMP_task, which are
 * handed on as they come.
 */
#include "core/context/region.h"
#include "inherit/runtime.h"
#include <heddle/export.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void body_fn(void *);
#define CALLER __builtin_return_address(0)
#define REAL(r, name, type) ((type)(r)->fn[OMP_##name])

/* ---- regions ---- */

typedef struct member {
  void *reductions; /* first: the runtime reads the list of reductions there */
  hed_region region;
  body_fn *fn;
  void *data;
  int (*number)(void);
} member;

static void run_member(void *p)
{
  member *m = p;
  hed_region_save save;
  hed_region_enter(&m->region, (uint64_t)m->number(), &save);
  m->fn(m->data);
  hed_region_leave(&save);
}

/* FN and DATA become run_member and M. False: the call goes on as it is. */
static bool wrap(const omp_runtime *r, member *m, body_fn **fn, void **data)
{
  if (inherit_is_off() || !hed_region_open(&m->region))
    return false;
  m->reductions = NULL;
  m->fn = *fn;
  m->data = *data;
  m->number = REAL(r, omp_get_thread_num, int (*)(void));
  *fn = run_member;
  *data = m;
  hed_region_begin(&m->region);
  return true;
}

#define REGION(name, type, ...)                                     \
  do {                                                              \
    const omp_runtime *r = omp_runtime_of(CALLER, OMP_##name);      \
    member m;                                                       \
    const bool wrapped = wrap(r, &m, &fn, &data);                   \
    REAL(r, name, type)(__VA_ARGS__);                               \
    if (wrapped)                                                    \
      hed_region_end(&m.region);                                    \
  } while (0)

typedef void parallel_fn(body_fn *, void *, unsigned, unsigned);
typedef unsigned reductions_fn(body_fn *, void *, unsigned, unsigned);
typedef void sections_fn(body_fn *, void *, unsigned, unsigned, unsigned);
typedef void chunk_fn(body_fn *, void *, unsigned, long, long, long, long, unsigned);
typedef void loop_fn(body_fn *, void *, unsigned, long, long, long, unsigned);

/* The compiler declares these to itself only. */
HED_API parallel_fn GOMP_parallel;
HED_API reductions_fn GOMP_parallel_reductions;
HED_API sections_fn GOMP_parallel_sections;
HED_API chunk_fn GOMP_parallel_loop_static, GOMP_parallel_loop_dynamic, GOMP_parallel_loop_guided,
  GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_parallel_loop_nonmonotonic_guided;
HED_API loop_fn GOMP_parallel_loop_runtime, GOMP_parallel_loop_nonmonotonic_runtime,
  GOMP_parallel_loop_maybe_nonmonotonic_runtime;

void GOMP_parallel(body_fn *fn, void *data, unsigned threads, unsigned flags)
{
  REGION(GOMP_parallel, parallel_fn *, fn, data, threads, flags);
}

unsigned GOMP_parallel_reductions(body_fn *fn, void *data, unsigned threads, unsigned flags)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP_GOMP_parallel_reductions);
  member m;
  void *list = *(void **)data;
  const bool wrapped = wrap(r, &m, &fn, &data);
  if (wrapped)
    m.reductions = list;
  const unsigned n = REAL(r, GOMP_parallel_reductions, reductions_fn *)(fn, data, threads, flags);
  if (wrapped)
    hed_region_end(&m.region);
  return n;
}

void GOMP_parallel_sections(body_fn *fn, void *data, unsigned threads, unsigned count, unsigned flags)
{
  REGION(GOMP_parallel_sections, sections_fn *, fn, data, threads, count, flags);
}

#define CHUNK_LOOP(name)                                                                                              \
  void name(body_fn *fn, void *data, unsigned threads, long start, long end, long incr, long chunk, unsigned flags)   \
  {                                                                                                                   \
    REGION(name, chunk_fn *, fn, data, threads, start, end, incr, chunk, flags);                                      \
  }
CHUNK_LOOP(GOMP_parallel_loop_static)
CHUNK_LOOP(GOMP_parallel_loop_dynamic)
CHUNK_LOOP(GOMP_parallel_loop_guided)
CHUNK_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
CHUNK_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define LOOP(name)                                                                                        \
  void name(body_fn *fn, void *data, unsigned threads, long start, long end, long incr, unsigned flags)   \
  {                                                                                                       \
    REGION(name, loop_fn *, fn, data, threads, start, end, incr, flags);                                  \
  }
LOOP(GOMP_parallel_loop_runtime)
LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- tasks ---- */

enum { TASK_REDUCTION = 1 << 12, TASK_DETACH = 1 << 13, CANCEL_TASKGROUP = 8, ALIGN = 16 };

typedef struct task {
  void *word[3];    /* the runtime's: an event's handle, or start and end of a loop's part; its list of reductions */
  hed_region region;
  body_fn *fn;
  void (*copy)(void *, void *);
  bool (*cancelled)(int);
  void *source;     /* the program's block, of SIZE bytes, whose copy is OFFSET bytes behind this */
  size_t size, offset;
  unsigned flags;
  bool loop;
} task;

static void *tail_of(task *t)
{
  return (char *)t + t->offset;
}

static void copy_task(void *to, void *from)
{
  task *t = to, *source = from;
  *t = *source;
  hed_region_hold(&t->region);
  if (t->flags & TASK_DETACH)
    *(void **)t->source = t->word[0];
  if (t->copy)
    t->copy(tail_of(t), t->source);
  else if (t->size)
    memcpy(tail_of(t), t->source, t->size);
}

static void run_task(void *p)
{
  task *t = p;
  void **tail = tail_of(t);
  hed_region_save save;
  /* A task with a copy function is run although its group was cancelled; one without would not have been. */
  if (t->copy || !t->cancelled || !t->cancelled(CANCEL_TASKGROUP)) {
    if (t->loop) {
      tail[0] = t->word[0];
      tail[1] = t->word[1];
    }
    hed_region_enter(&t->region, t->loop ? (uint64_t)(uintptr_t)t->word[0] : 0, &save);
    t->fn(tail);
    hed_region_leave(&save);
  }
  hed_region_release(&t->region);
}

/* What FN, DATA, COPY, SIZE and ALIGNMENT become. False: the call goes on as it is. */
static bool wrap_task(const omp_runtime *r, task *t, bool loop, body_fn **fn, void **data, void (**copy)(void *, void *),
                      long *size, long *align, unsigned flags)
{
  if (inherit_is_off() || !hed_region_open(&t->region))
    return false;
  const size_t alignment = *align > ALIGN ? (size_t)*align : ALIGN;
  *t = (task){ .region = t->region, .fn = *fn, .copy = *copy, .source = *data, .size = (size_t)*size, .flags = flags,
               .cancelled = REAL(r, GOMP_cancellation_point, bool (*)(int)), .loop = loop,
               .offset = (sizeof(task) + alignment - 1) / alignment * alignment };
  if (loop && (flags & TASK_REDUCTION))
    t->word[2] = ((void **)*data)[2];
  *fn = run_task;
  *copy = copy_task;
  *data = t;
  *size = (long)(t->offset + t->size);
  *align = (long)alignment;
  return true;
}

typedef void task_fn(body_fn *, void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int, void *);
HED_API task_fn GOMP_task;

void GOMP_task(body_fn *fn, void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
               unsigned flags, void **depend, int priority, void *detach)
{
  const omp_runtime *r = omp_runtime_of(CALLER, OMP_GOMP_task);
  task t;
  (void)wrap_task(r, &t, false, &fn, &data, &copy, &size, &align, flags);
  REAL(r, GOMP_task, task_fn *)(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
}

#define TASKLOOP(name, type)                                                                                          \
  typedef void name##_fn(body_fn *, void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int, type, \
                         type, type);                                                                                 \
  HED_API name##_fn name;                                                                                             \
  void name(body_fn *fn, void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,             \
            unsigned long tasks, int priority, type start, type end, type step)                                       \
  {                                                                                                                   \
    const omp_runtime *r = omp_runtime_of(CALLER, OMP_##name);                                                        \
    task t;                                                                                                           \
    (void)wrap_task(r, &t, true, &fn, &data, &copy, &size, &align, flags);                                            \
    REAL(r, name, name##_fn *)(fn, data, copy, size, align, flags, tasks, priority, start, end, step);                \
  }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
