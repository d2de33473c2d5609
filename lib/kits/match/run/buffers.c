// SPDX-License-Identifier: BSD-3-Clause
/* The buffers of one worker.
 *
 * Layer: L4, match kit. Called in the worker's context inside a scope of the caller's, which releases what is made
 * here; the job's arrays are moved to the worker's memory space, or shared where that is the same.
 */
#include "kits/match/run/positions.h"
#include <math.h>

/* x in this context's space, NULL stays NULL. */
static bool bring(hed_array **out, hed_array *x)
{
  *out = x ? hed_to(x, hed_get_backend()) : NULL;
  return !x || *out;
}

static hed_shape seen_shape(const hed__job *job)
{
  const hed__positions p = hed__positions_of(job);
  hed_shape s = { .ndim = job->ndim };
  for (int i = 0; i < job->ndim; i++)
    s.dim[i] = p.n[3 - job->ndim + i] - p.first[3 - job->ndim + i];
  return s;
}

void hed__no_scores(float *best, int32_t *index, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    best[i] = -INFINITY;
    index[i] = -1;
  }
}

void hed__buffers_close(hed__buffers *w)
{
  hed_release(w->g);
  hed_release(w->m);
  hed_release(w->spectrum);
  hed_release(w->spectrum_sq);
  hed_release(w->filter);
  hed_release(w->spectrum_valid);
  hed_release(w->seen);
  if (w->on_host) {
    hed_release(w->best);
    hed_release(w->index);
  }
}

hed_status hed__buffers_open(hed__buffers *w, const hed__job *job, bool analyzed)
{
  hed_dtype_resolution wide = { .struct_size = sizeof wide };
  const bool masked = job->m != NULL;
  const bool rotates_mask = job->spectrum_sq != NULL;

  *w = (hed__buffers){ .on_host = job->seeds != NULL };
  if (!bring(&w->g, job->g) || !bring(&w->m, job->m) || !bring(&w->spectrum, job->spectrum) ||
      !bring(&w->spectrum_sq, job->spectrum_sq) || !bring(&w->filter, job->filter) ||
      !bring(&w->spectrum_valid, job->spectrum_valid))
    return hed_error();
  w->g_r = hed_empty(job->tmpl, HED_FLOAT32);
  if (job->seeds) { /* few voxels of a rotation count, which the host looks at */
    w->best = hed__host_empty(job->fast, HED_FLOAT32);
    w->index = hed__host_empty(job->fast, HED_INT32);
    if (!w->best || !w->index)
      return hed_error();
    hed__no_scores(hed_array_data(w->best), hed_array_data(w->index), (size_t)hed_array_size(w->best));
  } else {
    w->best = hed_full(job->fast, -INFINITY, HED_FLOAT32);
    w->index = hed_full(job->fast, -1, HED_INT32);
  }
  w->one = hed_empty(job->fast, HED_FLOAT32);
  w->number = hed_empty(job->fast, HED_INT32);
  if (!w->g_r || !w->best || !w->index || !w->one || !w->number)
    return hed_error();
  if (masked) {
    /* Sums decide over mean and variance: in float64 wherever the backend has it. */
    if (hed_dtype_resolve(HED_FLOAT64, NULL, &wide) != HED_OK || wide.support == HED_SUPPORT_NONE)
      hed_error_clear();
    w->sum = hed_empty(HED_SHAPE0, wide.support == HED_SUPPORT_NONE ? HED_FLOAT32 : HED_FLOAT64);
    w->t1 = hed_empty(job->tmpl, HED_FLOAT32);
    w->t2 = hed_empty(job->tmpl, HED_FLOAT32);
    if (!w->sum || !w->t1 || !w->t2)
      return hed_error();
  }
  if (analyzed && !(w->seen = hed__host_empty(seen_shape(job), HED_FLOAT32)))
    return hed_error();
  if (w->filter && !(w->half = hed_empty(hed_array_shape(w->filter), HED_COMPLEX64)))
    return hed_error();
  for (size_t i = 0; w->spectrum_valid && i < sizeof w->part / sizeof w->part[0]; i++)
    if (!(w->part[i] = hed_empty(job->fast, HED_FLOAT32)))
      return hed_error();
  if (rotates_mask) {
    w->m_r = hed_empty(job->tmpl, HED_FLOAT32);
    if (!w->m_r)
      return hed_error();
  }
  return HED_OK;
}
