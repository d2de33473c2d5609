// SPDX-License-Identifier: BSD-3-Clause
/* Threads that help with a loop. L1.
 *
 * Helpers are made when they are first wanted, belong to whoever calls, wait for the next loop for a short time, and
 * then sleep. The caller works on its loop itself and does what no helper has begun: a
 * helper that wakes late, or has no processor, costs nothing but its share.
 */
#ifndef HED_BACKENDS_CPU_TEAM_H
#define HED_BACKENDS_CPU_TEAM_H

#include "backends/cpu/runtime/parallel.h"
#include <stdatomic.h>

/* FN(arg, part, parts) once for every part, by at most THREADS threads, the caller among them. */
void cpu_team_run(int32_t threads, int32_t parts, cpu_part_fn fn, void *arg);

/* WORK(arg, member) on up to THREADS threads, the caller among them, numbered from 0; returns when all are through. */
typedef void cpu_team_fn(int32_t threads, void (*work)(void *arg, int32_t member), void *arg);

/* Loops from now on run on FN's threads; NULL: on helpers. */
void cpu_team_use(cpu_team_fn *fn);

/* The setting team: "own" or "" for helpers, "openmp", or a module's absolute path. HED_E_UNAVAILABLE with the loader's words. */
int32_t cpu_team_choose(const char *name);

/* For a loop that waits for another thread: lets the processor do other things meanwhile. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Parts that threads share out, each beginning with those of a home of its own. */
typedef struct cpu_home {
  _Alignas(64) _Atomic(uint64_t) left; /* FIRST <= part < END that nobody has begun: FIRST + (END << 32) */
} cpu_home;

/* PARTS evenly to HOMES of them, neighbours together. */
void cpu_homes_divide(cpu_home *home, int32_t homes, int32_t parts);
/* The first part that is left of home MINE, or the last one of another; -1: none. */
int32_t cpu_homes_take(cpu_home *home, int32_t homes, int32_t mine);

#endif
