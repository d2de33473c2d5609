// SPDX-License-Identifier: BSD-3-Clause
/* See sweeps.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/sweeps.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void hed_fit_clear(hed_fit *f)
{
  if (!f)
    return;
  free(f->errors);
  *f = (hed_fit){ 0 };
}

const char *hed_stop_name(int stop)
{
  static const char *const names[] = { "exact", "tolerance", "sweeps", "progress", "cancelled" };
  return stop >= 0 && stop < (int)(sizeof names / sizeof names[0]) ? names[stop] : NULL;
}

hed_status hed__run_begin(hed__run *run, const char *op, const hed_sweeps *opt, int64_t max_sweeps, double tol)
{
  *run = (hed__run){ .op = op, .opt = opt ? *opt : (hed_sweeps){ 0 }, .began = now() };
  if (run->opt.max < 0 || run->opt.min < 0 || isnan(run->opt.tol))
    return hed_fail(HED_E_INVAL, "%s: at least %lld and at most %lld sweeps, tolerance %g", op, (long long)run->opt.min,
                    (long long)run->opt.max, run->opt.tol);
  if (run->opt.max == 0)
    run->opt.max = max_sweeps;
  if (run->opt.tol == 0)
    run->opt.tol = tol;
  return HED_OK;
}

static void sweep_ends(hed__run *run)
{
  hed_profile_range_end(run->range);
  run->range = 0;
}

bool hed__run_goes_on(hed__run *run)
{
  sweep_ends(run);
  if (!run->over && run->opt.cancel && __atomic_load_n(run->opt.cancel, __ATOMIC_RELAXED)) {
    run->over = true;
    run->fit.stopped = HED_STOP_CANCELLED;
  }
  if (!run->over)
    run->range = hed_profile_range_begin("sweep");
  return !run->over;
}

/* An error of 1 is that of all zeros: that nothing moves there does not say that the run has arrived. */
static bool is_zero_model(double error, const hed__run *run)
{
  return fabs(error - 1) <= fmin(run->opt.tol, 1e-8);
}

hed_status hed__run_swept(hed__run *run, double error)
{
  hed_fit *f = &run->fit;
  sweep_ends(run);
  if (f->n_sweeps == run->room) {
    const int64_t room = run->room ? 2 * run->room : 64;
    double *more = realloc(f->errors, (size_t)room * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %lld errors", run->op, (long long)room);
    f->errors = more;
    run->room = room;
  }
  const double before = f->error;
  f->errors[f->n_sweeps++] = f->error = error;
  f->seconds = now() - run->began;
  const hed_sweep s = { .sweep = f->n_sweeps, .restart = run->restart, .error = error, .seconds = f->seconds };
  if (run->opt.progress && run->opt.progress(run->opt.progress_arg, &s) != 0)
    f->stopped = HED_STOP_PROGRESS;
  else if (f->n_sweeps > 1 && f->n_sweeps >= run->opt.min && fabs(before - error) < run->opt.tol && !is_zero_model(error, run))
    f->stopped = HED_STOP_TOLERANCE;
  else if (f->n_sweeps >= run->opt.max)
    f->stopped = HED_STOP_SWEEPS;
  run->over = f->stopped != HED_STOP_NONE;
  return HED_OK;
}

bool hed__run_cancelled(const hed__run *run)
{
  return run->fit.stopped == HED_STOP_CANCELLED;
}

void hed__run_restart(hed__run *run, hed_fit *old)
{
  *old = run->fit;
  run->fit = (hed_fit){ .restart = ++run->restart };
  run->room = 0;
  run->over = false;
}

/* The next start, where BEST has the fit of the best one before, or is empty: the better one of both stays there. */
static void next_start(hed__run *run, hed_fit *best)
{
  hed_fit old;
  hed__run_restart(run, &old);
  if (best->errors && !(old.error < best->error)) {
    hed_fit_clear(&old);
    return;
  }
  hed_fit_clear(best);
  *best = old;
}

/* After the last start: RUN's fit becomes BEST where that is not worse; what ended the run stays. BEST gets the other one. */
static void choose(hed__run *run, hed_fit *best)
{
  const hed_fit last = run->fit;
  if (!best->errors || (last.n_sweeps > 0 && last.error < best->error))
    return;
  run->fit = *best; /* an earlier start was better; what ended the run still did */
  *best = last;
  if (last.stopped == HED_STOP_CANCELLED || last.stopped == HED_STOP_PROGRESS)
    run->fit.stopped = last.stopped;
}

void hed__run_resume(hed__run *run)
{
  run->fit.stopped = HED_STOP_NONE;
  run->over = false;
}

void hed__run_arrived(hed__run *run)
{
  if (run->fit.stopped == HED_STOP_NONE)
    run->fit.stopped = HED_STOP_TOLERANCE;
  run->over = true;
}

hed_status hed__run_starts(hed__run *run, int64_t restarts, const hed_random *random, hed__run_start *start, void *arg)
{
  const int64_t starts = restarts > 0 ? restarts : 1;
  hed_generator whole, *part = calloc((size_t)starts, sizeof *part);
  hed_fit best = { 0 };
  hed_status status = part ? hed_check_random_state(random, &whole)
                           : hed_fail(HED_E_NOMEM, "%s: no memory for %lld starts", run->op, (long long)starts);
  if (status == HED_OK)
    status = hed_generator_split(&whole, starts, part);
  for (int64_t k = 0; k < starts && status == HED_OK; k++) {
    if (k > 0)
      next_start(run, &best);
    status = start(arg, run, k, &part[k], &best);
    if (hed__run_cancelled(run) || run->fit.stopped == HED_STOP_PROGRESS)
      break;
  }
  if (status == HED_OK)
    choose(run, &best);
  hed_fit_clear(&best);
  free(part);
  return status;
}

hed_status hed__run_end(hed__run *run, hed_status status, hed_fit *fit)
{
  sweep_ends(run);
  if (status == HED_OK && hed__run_cancelled(run) && !(run->opt.keep_partial && run->fit.n_sweeps > 0))
    status = hed_fail(HED_E_CANCELLED, "%s: cancelled after %lld sweeps", run->op, (long long)run->fit.n_sweeps);
  run->fit.seconds = now() - run->began;
  if (fit)
    *fit = status == HED_OK ? run->fit : (hed_fit){ 0 };
  if (!fit || status != HED_OK)
    free(run->fit.errors);
  run->fit = (hed_fit){ 0 };
  return status;
}
