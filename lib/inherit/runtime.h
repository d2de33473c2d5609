// SPDX-License-Identifier: BSD-3-Clause
/* The OpenMP runtimes of a process, from inside libheddle-inherit: which one a caller means, and its functions. */
#ifndef HED_INHERIT_RUNTIME_H
#define HED_INHERIT_RUNTIME_H

#include <stdbool.h>

/* The runtimes' functions that are stood before here, and one that is only called. */
#define OMP_FUNCTIONS(X)                                                                                          \
  X(GOMP_parallel) X(GOMP_parallel_reductions) X(GOMP_parallel_sections) X(GOMP_parallel_loop_static)             \
  X(GOMP_parallel_loop_dynamic) X(GOMP_parallel_loop_guided) X(GOMP_parallel_loop_nonmonotonic_dynamic)           \
  X(GOMP_parallel_loop_nonmonotonic_guided) X(GOMP_parallel_loop_runtime)                                         \
  X(GOMP_parallel_loop_nonmonotonic_runtime) X(GOMP_parallel_loop_maybe_nonmonotonic_runtime) X(GOMP_task)        \
  X(GOMP_taskloop) X(GOMP_taskloop_ull) X(GOMP_cancellation_point) X(__kmpc_fork_call) X(__kmpc_fork_teams)       \
  X(__kmpc_fork_call_if) X(__kmpc_omp_task_alloc) X(__kmpc_omp_task) X(__kmpc_omp_task_with_deps)                 \
  X(__kmpc_omp_task_begin_if0) X(__kmpc_taskloop) X(__kmpc_taskloop_5) X(omp_get_thread_num)

enum {
#define X(name) OMP_##name,
  OMP_FUNCTIONS(X)
#undef X
  OMP_COUNT
};

typedef void (*omp_fn)(void);

/* The functions of one file; NULL where it has none. */
typedef struct omp_runtime {
  omp_fn fn[OMP_COUNT];
  const void *base; /* where the file is mapped */
  struct omp_runtime *next;
} omp_runtime;

/* The runtime that the code at CALLER means when it calls function WHICH. It is there, or the program would not have started
 * without us. */
const omp_runtime *omp_runtime_of(const void *caller, int which);

/* HEDDLE_INHERIT=0 */
bool inherit_is_off(void);

#endif
