// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops over several threads within the host's permits. L1.
 *
 * A loop asks the host for up to what its call allows and its size is worth, runs on that many threads
 * (team.c) and gives the permits back. It is serial inside an OpenMP region of the program and in a forked child. The
 * program's own OpenMP settings are neither read nor changed.
 */
#ifndef HED_BACKENDS_CPU_PARALLEL_H
#define HED_BACKENDS_CPU_PARALLEL_H

#include <heddle/kernel.h>

/* Work that is worth a thread of its own, in units of one simple operation on one element (about 0.1 ns): the hand-over to
 * a thread that waits takes about 1 us. */
enum { CPU_GRAIN = 40000 };

/* Threads granted for WORK units in at most PARTS pieces, at least 1; pair with cpu_release. */
int32_t cpu_acquire(const hed_call *call, int64_t parts, double work);
void cpu_release(int32_t granted);

/* FN(arg, begin, end) over disjoint pieces that cover [0, n), each but the last a multiple of ALIGN
 * elements long. */
typedef void (*cpu_range_fn)(void *arg, int64_t begin, int64_t end);
void cpu_parallel_for(const hed_call *call, int64_t n, int64_t align, double work,
                      cpu_range_fn fn, void *arg);

/* FN(arg, part, parts) once for every part, with as many parts as threads were granted: MOST, or one where there is nothing. */
typedef void (*cpu_part_fn)(void *arg, int32_t part, int32_t parts);
void cpu_parallel_parts(const hed_call *call, int64_t most, double work, cpu_part_fn fn, void *arg);

/* FN(arg, i) for i in [0, n), handed out one by one: for pieces of unequal cost. */
typedef void (*cpu_item_fn)(void *arg, int64_t i);
void cpu_parallel_items(const hed_call *call, int64_t n, double work, cpu_item_fn fn, void *arg);

#endif
