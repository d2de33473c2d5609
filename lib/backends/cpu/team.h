// SPDX-License-Identifier: BSD-3-Clause
/* Threads that help with a loop. L1.
 *
 * Helpers are made when they are first wanted, belong to whoever calls, wait for the next loop for a short time, and
 * then sleep. The caller works on its loop itself and does what no helper has begun: a
 * helper that wakes late, or has no processor, costs nothing but its share.
 */
#ifndef HED_BACKENDS_CPU_TEAM_H
#define HED_BACKENDS_CPU_TEAM_H

#include "backends/cpu/parallel.h"

/* FN(arg, part, parts) once for every part, by at most THREADS threads, the caller among them. */
void cpu_team_run(int32_t threads, int32_t parts, cpu_part_fn fn, void *arg);

#endif
