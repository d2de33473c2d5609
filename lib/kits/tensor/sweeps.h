// SPDX-License-Identifier: BSD-3-Clause
/* The loop around the sweeps of an iterative decomposition.
 *
 * Layer: L4, tensor kit. A run is: begin; while (hed__run_goes_on(&run)) { a sweep; hed__run_swept(&run, error); }; end. With several
 * starts hed__run_restart() comes before each but the first, or hed__run_starts() does it all.
 */
#ifndef HEDDLE_KITS_TENSOR_SWEEPS_H
#define HEDDLE_KITS_TENSOR_SWEEPS_H
#include <heddle/kits/sweeps.h>
#include <heddle/profile.h>

typedef struct hed__run {
  const char *op;
  hed_sweeps opt;      /* with defaults filled in */
  hed_fit fit;
  int64_t restart, room;
  double began;
  uint64_t range;      /* of the sweep that is being done, in a profile */
  bool over;
} hed__run;

/* OPT may be NULL. HED_E_INVAL for numbers that make no sense. */
hed_status hed__run_begin(hed__run *run, const char *op, const hed_sweeps *opt, int64_t max_sweeps, double tol);

/* Whether another sweep is due, which a profile has as a stretch of its own; asks for cancellation. */
bool hed__run_goes_on(hed__run *run);

/* A sweep is done, with this error. */
hed_status hed__run_swept(hed__run *run, double error);

/* Whether the run was cancelled. A cancelled one is over for all starts. */
bool hed__run_cancelled(const hed__run *run);

/* The next start: errors are counted from the beginning. What was is handed to OLD, which is released by hed_fit_clear(). */
void hed__run_restart(hed__run *run, hed_fit *old);

/* The run has arrived by another rule than TOL's: HED_STOP_TOLERANCE unless something has ended it already. */
void hed__run_arrived(hed__run *run);
/* It is not over after all. */
void hed__run_resume(hed__run *run);

/* Start number K; BEST is the fit of the best one before, or empty. */
typedef hed_status hed__run_start(void *arg, hed__run *run, int64_t k, const hed_generator *random, const hed_fit *best);

/* START for each of RESTARTS (0: 1), with random numbers that are parts of RANDOM's, until one fails or the run is over for all. RUN
 * has the fit of the best one then. */
hed_status hed__run_starts(hed__run *run, int64_t restarts, const hed_random *random, hed__run_start *start, void *arg);

/* STATUS, or HED_E_CANCELLED for a run that gives nothing. FIT (NULL: not wanted) gets what is known, or all zero. */
hed_status hed__run_end(hed__run *run, hed_status status, hed_fit *fit);

#endif
