// SPDX-License-Identifier: BSD-3-Clause
/* The memory that a run needs at its largest.
 *
 * Layer: L4, match kit. What is alive at once is counted in the scores' table; tests/match/memory.c measures it.
 */
#include "kits/match/run/job.h"
#include <math.h>
#include <stdint.h>

static size_t cells(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    if (__builtin_mul_overflow(n, (size_t)s.dim[i], &n))
      return SIZE_MAX / 1024;
  return n < SIZE_MAX / 1024 ? n : SIZE_MAX / 1024;
}

/* Transforms take a few lines of each thread's own, of the longest axis. */
static double lines(const hed__job *job)
{
  int64_t longest = 1;
  for (int i = 0; i < job->ndim; i++)
    longest = job->fast.dim[i] > longest ? job->fast.dim[i] : longest;
  return 512.0 * (double)longest + 0x1p16;
}

static double bytes(const hed__job *job, const hed__need *s)
{
  return 4.0 * s->real * (double)cells(job->fast) + 8.0 * s->half * (double)cells(job->fast_ft) +
         4.0 * s->tmpl * (double)cells(job->tmpl);
}

/* Rotating the template: coefficients, the result and a copy with margins, float32. */
static double resampling(const hed__job *job)
{
  double n = 1;
  for (int i = 0; i < job->ndim; i++)
    n *= (double)job->tmpl.dim[i] + 8;
  return 3 * 4.0 * n;
}

/* What workers take beside what they share: their buffers, and the larger of what rotating takes and what their backends say
 * that a correlation takes. *TILES: what the threads of one take for transforms. */
static hed_status of_workers(const hed__job *job, double *sum, double *tiles)
{
  const hed__workforce *h = &job->workforce;
  *sum = *tiles = 0;
  for (int i = 0; i < h->n; i++) {
    hed_context_info info = { .struct_size = sizeof info };
    hed_frame frame;
    size_t step;
    hed_status status = hed_context_query(h->context[i], &info);
    if (status != HED_OK || (status = hed_context_push(h->context[i], &frame)) != HED_OK)
      return status;
    status = hed_max_correlation_workspace(job->tmpl, job->fast, HED_FLOAT32, job->score->masks, &step);
    (void)hed_context_pop(frame);
    if (status != HED_OK)
      return status;
    /* its own half spectrum, and what the transforms take */
    const double filtered = job->filtered ? 24.0 * (double)cells(job->tmpl) + lines(job) : 0;
    const int most = hed_thread_capacity(), threads = info.threads > 0 && info.threads < most ? info.threads : most;
    *tiles = fmax(*tiles, threads * lines(job));
    *sum += h->workers * (bytes(job, &job->score->worker) + fmax((double)step, resampling(job)) + lines(job) + filtered);
  }
  return HED_OK;
}

/* The most of three: the setup; the workers beside what they share; and the merged maximum with the results made from it,
 * which a divided target has besides, for all parts. */
hed_status hed__job_memory(const hed__job *job, size_t *out)
{
  const hed__score *s = job->score;
  const hed__need merged = { .real = 2 };
  bool divided = false;
  double workers, tiles;
  for (int i = 0; i < job->ndim; i++)
    divided = divided || job->keep[i];
  hed_status status = of_workers(job, &workers, &tiles);
  if (status != HED_OK)
    return status;
  const double shared = bytes(job, &s->shared), once = bytes(job, &s->once) + tiles, run = shared + workers;
  const double end = shared - 8.0 * s->shared.half * (double)cells(job->fast_ft) + bytes(job, &merged) +
                     (divided ? 0 : 8.0 * (double)cells(job->target));
  /* the target as float32, without broken voxels, clipped, and what medians are taken of, before it is divided */
  const double prepared = 16.0 * (double)cells(job->undivided);
  const double most = fmax(fmax(run, once), fmax(end, prepared)) + 0x1p16; /* blocks are rounded up */
  *out = most < (double)SIZE_MAX ? (size_t)most : SIZE_MAX;
  return HED_OK;
}

size_t hed_match_memory(const char *score, hed_shape target, hed_shape tmpl, bool pad, int n_workers)
{
  size_t bytes = 0;
  hed_context *c = NULL;
  hed__job job = { .score = hed__score_by_name("hed_match_memory", score) };
  if (!job.score || hed__job_shapes("hed_match_memory", &job, target, tmpl, pad) != HED_OK)
    return 0;
  if (n_workers <= 1)
    c = hed_context_current();
  else if (hed_context_derive(NULL, ";threads=1", &c) != HED_OK) /* what a worker of several has */
    return 0;
  if (!c)
    return 0;
  job.workforce = (hed__workforce){ &c, 1, n_workers > 1 ? n_workers : 1 };
  if (hed__job_memory(&job, &bytes) != HED_OK)
    bytes = 0;
  hed_context_release(c);
  return bytes;
}
