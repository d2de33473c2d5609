// SPDX-License-Identifier: BSD-3-Clause
/* The module behind team=openmp: a team of the OpenMP runtime that the program lives in. L1.
 *
 * Where that binds its threads to processors (OMP_PLACES, OMP_PROC_BIND) the backend's loops run on them as well.
 */
#include <heddle/export.h>
#include <omp.h>
#include <stdint.h>

HED_API void hed_team_run_v1(int32_t threads, void (*work)(void *arg, int32_t member), void *arg);

/* Fewer members than asked for do all of it: parts are taken one by one. */
void hed_team_run_v1(int32_t threads, void (*work)(void *arg, int32_t member), void *arg)
{
#pragma omp parallel num_threads(threads)
  work(arg, omp_get_thread_num());
}
