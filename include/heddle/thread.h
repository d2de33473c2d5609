// SPDX-License-Identifier: BSD-3-Clause
/* Threads: children inherit their creator's context.
 *
 * A child starts from a snapshot taken in the creator: backend, device, dtypes and policies as they are, the
 * random key folded with the spawn index, no open frames, no error. A creator that follows the process root
 * has children that follow it. With libheddle-inherit.so (linked by heddle.pc) this holds for plain
 * pthread_create, and so for std::thread, C11 threads, OpenMP, GLib and libuv workers. A pool that reuses its
 * threads sees the snapshot of the thread's creation, not of the task: capture where the task is made, adopt
 * where it runs.
 */
#ifndef HEDDLE_THREAD_H
#define HEDDLE_THREAD_H

#include <heddle/context.h>
#ifndef HED_PLAIN_HEADERS
#  include <pthread.h>
#endif

HED_BEGIN_DECLS

#ifndef HED_PLAIN_HEADERS
/* pthread_create whose child inherits. Returns 0 or an errno value as pthread_create does; EAGAIN when the
 * snapshot cannot be allocated (no child is started without its context). */
HED_API int hed_thread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg);
#endif

/* What a child or a pool task starts from. Counted by its owner only: release once; any thread. */
typedef struct hed_snapshot hed_snapshot;

/* Snapshot of the calling thread. O(1). */
HED_API hed_status hed_capture(hed_snapshot **out);

/* Run as a task of S: pushes a frame, folds the random key with TASK_INDEX (so draws depend on the task, not
 * on the worker), to be undone by hed_context_unwind(*out). S may be adopted by many threads at once. */
HED_API hed_status hed_adopt(const hed_snapshot *s, uint64_t task_index, hed_frame *out);

/* NULL is fine. */
HED_API void hed_snapshot_release(hed_snapshot *s);

/* Drop the calling thread's state now (frames, base, error). Idempotent. The main thread's state is not dropped
 * by returning from main, so call this where a leak checker should see nothing. */
HED_API hed_status hed_thread_detach(void);

/* Frames found open when threads ended, since the start of the process. */
HED_API uint64_t hed_leaked_frames(void);

/* ---- thread permits: a process-wide budget of running threads ----
 * Capacity is the least of the affinity mask, the cgroup's cpu.max rounded up, and HEDDLE_NUM_THREADS. */
HED_API int hed_thread_capacity(void);

/* Ask for up to WANT permits; returns 1..WANT without blocking. Give the same number back. A thread looks at its affinity
 * mask again after 10 ms; one permit is kept for every other thread that gave its own back within the last 0.2 ms. */
HED_API int hed_permits_acquire(int want);
/* As many as are in use at most, of any thread's. */
HED_API void hed_permits_release(int got);

#ifdef HED_BLOCKS_
static inline hed_frame hed_block_adopt_(const hed_snapshot *s, uint64_t task)
{
  hed_frame f = { 0, 0, 0, 0 };
  if (hed_adopt(s, task, &f) != HED_OK)
    f.cookie = 0;
  return f;
}
/* At the top of a pool task's body: HED_ADOPT_OR(snapshot, index, return hed_error()) { ... }. Skipped when it fails: HED_ADOPT. */
#  define HED_ADOPT_OR(snapshot, index, action) HED_BLOCK_OR_(hed_block_adopt_((snapshot), (uint64_t)(index)), action)
#  define HED_ADOPT(snapshot, index) HED_BLOCK_(hed_block_adopt_((snapshot), (uint64_t)(index)))
#  ifdef _OPENMP
#    include <omp.h>
/* Inside a parallel region: body runs with the context that SNAPSHOT was taken in, one task per team member. */
#    define HED_OMP_INHERIT(snapshot) HED_ADOPT(snapshot, omp_get_thread_num())
#  endif
#endif

HED_END_DECLS

#endif
