// SPDX-License-Identifier: BSD-3-Clause
/* Profiles from inside: what is recorded, by whom. L2. See <heddle/profile.h>.
 *
 * Off, nothing asks for them but what is asked anyway: hed__device.unusual on the short way of a call, the thread's `watch' in
 * wrappers and pops, hed__stack_state in pushes. A thread joins a profile at the first of these that tells it of one: nobody
 * else writes to its block. Elsewhere hed__profiling() is asked.
 *
 * A thread's buffer is written by it alone. `busy' is set round a record, and who ends the profile first says that it is over
 * and then waits for those that are busy: each sees the other's store. */
#ifndef HED_CORE_PROFILE_H
#define HED_CORE_PROFILE_H

#include "core/modules/registry.h"
#include "core/process/tls.h"
#include "core/profile/nvtx.h"
#include "core/profile/probe.h"
#include "core/profile/raw.h"
#include "core/profile/ticks.h"
#include <heddle/kernel.h>
#include <heddle/ops.h>

/* 0: none is being taken; else its number, or LISTENS: threads join so that a tool is told, and keep no records. */
extern atomic_uint hed__profile_session;
#define HED__PROFILE_LISTENS UINT32_MAX

/* What others tell of a thread that joins: its contexts, outermost first, by hed__profile_context. Set while loading. */
extern void (*hed__profile_contexts)(hed__tls *t);

bool hed__profile_join(hed__tls *t);
void hed__profile_leave(hed__tls *t);

/* Is a profile being taken, by whichever threads? */
static inline bool hed__is_profiled(void)
{
  return __builtin_expect(atomic_load_explicit(&hed__profile_session, memory_order_relaxed) != 0, 0);
}

/* Does T record? */
static inline bool hed__profiling(hed__tls *t)
{
  const unsigned now = atomic_load_explicit(&hed__profile_session, memory_order_relaxed);
  if (__builtin_expect(!now, 1)) {
    if (t && __builtin_expect(t->watch & HED__WATCH_PROFILE, 0))
      hed__profile_leave(t);
    return false;
  }
  return t && (t->profile_session == now || hed__profile_join(t));
}

/* Where nothing is known of the thread; NULL: it does not record. */
static inline hed__tls *hed__profiling_self(void)
{
  return __builtin_expect(atomic_load_explicit(&hed__profile_session, memory_order_relaxed) != 0, 0) &&
         hed__profiling(hed__tls_peek()) ? hed__self : NULL;
}

/* What has a beginning and an end begins; now. A tool that listens is told, and of the end where the record is made, or by
 * hed__nvtx_pop where none is. */
static inline uint64_t hed__profile_start(const char *name)
{
  hed__nvtx_push(name);
  return hed__ticks();
}
static inline uint64_t hed__profile_start_op(int op)
{
  if (__builtin_expect(hed__nvtx_listens, 0))
    hed__nvtx_range_begin(hed_op_name((hed_op)op));
  return hed__ticks();
}

/* Copies of T's since it was asked last. */
static inline uint32_t hed__profile_copies(hed__tls *t)
{
  const uint64_t now = atomic_load_explicit(&t->count[HED__COUNT_COPIES], memory_order_relaxed), before = t->profile_copies;
  t->profile_copies = now;
  return (uint32_t)(now - before);
}

/* A launch of CALL from START on; the rest of R is the caller's. */
void hed__profile_op(hed__tls *t, hed__raw *r, const hed_call *call);
/* R, and TEXT after it, NULL: none; times as they are. */
void hed__profile_put(hed__tls *t, hed__raw *r, const char *text);
void hed__profile_context(hed__tls *t, const char *name, int how, uint64_t from);
void hed__profile_memory(hed__tls *t, uint16_t device, int64_t bytes);
/* From START to now, of BYTES between D and host memory, or between two devices. */
void hed__profile_copy(hed__tls *t, uint64_t start, int how, const hed__device *to, const hed__device *from, uint64_t bytes,
                       int32_t status, uint64_t flow);

/* Of the host's services: what the calling thread did since FROM, and a stream of a device, in nanoseconds. */
void hed__profile_stage(const char *name, uint64_t from);
void hed__profile_track(const char *device, int32_t stream, const char *name, uint64_t begin, uint64_t end);

/* ---- outside/lifecycle.c ---- */

/* When the library is loaded: the profile that the environment asks for begins. */
void hed__profile_load(void);
void hed__profile_thread_exit(hed__tls *t);
void hed__profile_device(hed__device *d);
void hed__profile_fork_prepare(void);
void hed__profile_fork_parent(void);
void hed__profile_fork_child(void);
/* At the end of a process whose profile the environment asked for, and whenever a profile would be left open. */
void hed__profile_exit(void);

#endif
