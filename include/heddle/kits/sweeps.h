// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/sweeps.h: how iterative decompositions are watched, stopped and accounted for.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h>.
 *
 * A sweep updates every unknown once. After each one the relative error |x - fit| / |x| is known (over the entries that are
 * observed, where some are not). A run ends
 *   - when the error changed by less than TOL from one sweep to the next (HED_STOP_TOLERANCE), unless it is that of zeros, 1,
 *   - after MAX sweeps (HED_STOP_SWEEPS),
 *   - when PROGRESS returned nonzero: the result is that of the last sweep (HED_STOP_PROGRESS),
 *   - when *CANCEL is nonzero, which is read before each sweep: HED_E_CANCELLED and no result, or with KEEP_PARTIAL the result of
 *     the last sweep, if there was one (HED_STOP_CANCELLED).
 */
#ifndef HEDDLE_KITS_SWEEPS_H
#define HEDDLE_KITS_SWEEPS_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is known after a sweep. */
typedef struct hed_sweep {
  int64_t sweep;   /* from 1                               */
  int64_t restart; /* from 0: which start this belongs to  */
  double error;    /* relative                             */
  double seconds;  /* since the run began                  */
} hed_sweep;

/* All zero is the default. */
typedef struct hed_sweeps {
  int64_t max;       /* sweeps at most; 0: 100, where the function says nothing else                     */
  int64_t min;       /* sweeps before TOL counts                                                        */
  double tol;        /* on the change of the error; 0: 1e-8, below 0: it is never looked at             */
  /* Called after each sweep on the calling thread; nonzero ends the run. NULL: not called. */
  int (*progress)(void *arg, const hed_sweep *now);
  void *progress_arg;
  const int *cancel; /* read atomically, may be set in a signal handler. NULL: never                    */
  bool keep_partial; /* a cancelled run gives what it has                                               */
} hed_sweeps;

typedef enum hed_stop {
  HED_STOP_NONE,       /* nothing to iterate: the result is exact                */
  HED_STOP_TOLERANCE,
  HED_STOP_SWEEPS,
  HED_STOP_PROGRESS,
  HED_STOP_CANCELLED
} hed_stop;

/* How a run went; all zero is an empty one. hed_fit_clear() releases it. */
typedef struct hed_fit {
  int64_t n_sweeps;
  double *errors;   /* relative, one per sweep, from malloc(); NULL: none      */
  double error;     /* of the result                                          */
  hed_stop stopped;
  double seconds;   /* of the whole run, all starts                           */
  int64_t restart;  /* which start was the best one                           */
  char note[200];   /* "", or what looks wrong: components that cancel each other, ranks that were cut */
} hed_fit;

/* NULL is fine. */
HED_API void hed_fit_clear(hed_fit *f);

/* Name of a reason: "tolerance", "sweeps", ...; NULL when there is none of that number. */
HED_API const char *hed_stop_name(int stop);

#ifdef __cplusplus
}
#endif
#endif
