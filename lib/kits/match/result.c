// SPDX-License-Identifier: BSD-3-Clause
/*
 * result.c: hed_match_run() itself, and the way from transformed places back to the target's voxels.
 *
 * Layer: L4, match kit. The setup runs in the context of the first worker that is not the reference backend, so
 * that a slow helper does not hold up the others, and all workers get the same numbers.
 */
#include "kits/match/job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_match_run";

void hed_match_result_clear(hed_match_result *r)
{
  if (!r)
    return;
  hed_release(r->scores);
  hed_release(r->rotations);
  free(r->worker);
  *r = (hed_match_result){ 0 };
}

hed_array *hed_match_sphere(hed_shape shape, double radius)
{
  if (shape.ndim != 2 && shape.ndim != 3) {
    (void)hed_fail(HED_E_SHAPE, "hed_match_sphere: %d dimensions, not 2 or 3", (int)shape.ndim);
    return NULL;
  }
  int64_t d[3] = { 1, 1, 1 };
  size_t n = 1;
  int64_t least = INT64_MAX;
  for (int i = 0; i < shape.ndim; i++) {
    d[3 - shape.ndim + i] = shape.dim[i];
    least = shape.dim[i] < least ? shape.dim[i] : least;
    if (shape.dim[i] < 1 || __builtin_mul_overflow(n, (size_t)shape.dim[i], &n) || n > SIZE_MAX / 8) {
      (void)hed_fail(HED_E_SHAPE, "hed_match_sphere: extent %lld along axis %d", (long long)shape.dim[i], i);
      return NULL;
    }
  }
  float *v = malloc(n * sizeof *v);
  if (!v) {
    (void)hed_fail(HED_E_NOMEM, "hed_match_sphere: no memory for %zu voxels", n);
    return NULL;
  }
  double r = radius > 0 ? radius : (double)least / 2;
  size_t k = 0;
  for (int64_t z = 0; z < d[0]; z++)
    for (int64_t y = 0; y < d[1]; y++)
      for (int64_t x = 0; x < d[2]; x++) {
        double a = (double)z - (double)(d[0] - 1) / 2, b = (double)y - (double)(d[1] - 1) / 2,
               c = (double)x - (double)(d[2] - 1) / 2;
        v[k++] = a * a + b * b + c * c <= r * r ? 1.0F : 0.0F;
      }
  hed_array *out = hed_from_host(v, shape, HED_FLOAT32);
  free(v);
  return out;
}

/* The mask as given or by default, checked; the caller's. */
static hed_array *mask_for(const hed__job *job, const hed_array *mask)
{
  if (!mask)
    return hed_keep(job->score->sphere ? hed_match_sphere(job->tmpl, 0) : hed_ones(job->tmpl, HED_FLOAT32));
  hed_shape s = hed_array_shape(mask);
  bool same = s.ndim == job->ndim;
  for (int i = 0; same && i < s.ndim; i++)
    same = s.dim[i] == job->tmpl.dim[i];
  if (!same) {
    (void)hed_fail(HED_E_SHAPE, "%s: the mask is %d-D, %lld x ... x %lld, the template %d-D, %lld x ... x %lld", op,
                   (int)s.ndim, s.ndim > 0 ? (long long)s.dim[0] : 0, s.ndim > 0 ? (long long)s.dim[s.ndim - 1] : 0,
                   job->ndim, (long long)job->tmpl.dim[0], (long long)job->tmpl.dim[job->ndim - 1]);
    return NULL;
  }
  hed_array *m = hed__checked(op, "mask", mask);
  double least = 0, sum = 0;
  hed_status status = m ? hed__least(m, &least) : hed_error();
  if (status == HED_OK)
    status = hed__total(m, &sum);
  if (status == HED_OK && least < 0)
    status = hed_fail(HED_E_INVAL, "%s: the mask has values below 0, down to %g", op, least);
  else if (status == HED_OK && !(sum > 0))
    status = hed_fail(HED_E_INVAL, "%s: the mask is empty: all of its values are 0", op);
  if (status == HED_OK)
    return m;
  hed_release(m);
  return NULL;
}

/* In the setup's context, in a scope. */
static hed_status prepare(hed__job *job, const hed_match_options *opt, const hed_array *target, const hed_array *tmpl,
                          const hed_array *mask, int n_workers, size_t *memory)
{
  hed_status status = hed__job_shapes(op, job, hed_array_shape(target), hed_array_shape(tmpl), opt->pad);
  if (status != HED_OK)
    return status;
  *memory = hed__job_memory(job, n_workers);
  if (opt->memory_limit && *memory > opt->memory_limit)
    return hed_fail(HED_E_LIMIT, "%s: %d workers need about %zu MiB, the limit is %zu MiB", op, n_workers,
                    *memory >> 20, opt->memory_limit >> 20);
  hed_array *f = hed__checked(op, "target", target);
  hed_array *g = f ? hed__checked(op, "template", tmpl) : NULL;
  hed_array *m = g ? mask_for(job, mask) : NULL;
  status = m ? job->score->setup(job, f, g, m) : hed_error();
  hed_release(f);
  hed_release(g);
  hed_release(m);
  return status;
}

static int setup_worker(const hed__crew *crew)
{
  for (int i = 0; i < crew->n; i++) {
    hed_context_info info = { .struct_size = sizeof info };
    if (hed_context_query(crew->context[i], &info) == HED_OK && strcmp(info.backend, "reference") != 0)
      return i;
  }
  return 0;
}

/* Score and rotation of every voxel of the target from the merged maximum at negated places, into OUT's arrays. */
static hed_status turn_back(const hed__job *job, double threshold, const float *best, const int32_t *index,
                            hed_match_result *out)
{
  int64_t d[3] = { 1, 1, 1 }, half[3] = { 0, 0, 0 }, fast[3] = { 1, 1, 1 };
  size_t n = 1, k = 0;
  for (int i = 0; i < job->ndim; i++) {
    int a = 3 - job->ndim + i;
    d[a] = job->target.dim[i];
    half[a] = job->tmpl.dim[i] / 2;
    fast[a] = job->fast.dim[i];
    n *= (size_t)d[a];
  }
  float *scores = malloc(n * sizeof *scores);
  int32_t *rotations = malloc(n * sizeof *rotations);
  if (!scores || !rotations) {
    free(scores);
    free(rotations);
    return hed_fail(HED_E_NOMEM, "%s: no memory for the scores of %zu voxels", op, n);
  }
  const float nothing = isfinite(threshold) ? (float)threshold : 0.0F;
  for (int64_t z = 0; z < d[0]; z++)
    for (int64_t y = 0; y < d[1]; y++) {
      int64_t sz = (half[0] - z + fast[0]) % fast[0], sy = (half[1] - y + fast[1]) % fast[1];
      for (int64_t x = 0; x < d[2]; x++, k++) {
        size_t from = (size_t)((sz * fast[1] + sy) * fast[2] + (half[2] - x + fast[2]) % fast[2]);
        float s = best[from] - (job->offset ? job->offset[from] : 0.0F);
        if (job->factor)
          s *= job->factor[from];
        bool recorded = index[from] >= 0 && (double)s > threshold;
        scores[k] = recorded ? s : nothing;
        rotations[k] = recorded ? index[from] : -1;
      }
    }
  out->scores = hed_keep(hed_wrap(scores, job->target, NULL, HED_FLOAT32, free, scores));
  if (!out->scores)
    free(scores);
  out->rotations = hed_keep(hed_wrap(rotations, job->target, NULL, HED_INT32, free, rotations));
  if (!out->rotations)
    free(rotations);
  return out->scores && out->rotations ? HED_OK : hed_error();
}

static hed_status run(hed__job *job, hed__crew *crew, const hed_match_options *opt, const hed_array *target,
                      const hed_array *tmpl, const hed_array *mask, hed_match_result *out)
{
  const double start = hed__now();
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  float *best = NULL;
  int32_t *index = NULL;
  size_t n = 1;

  /* Transforms of the setup happen once: plans are not measured for them. */
  hed_context *setup = NULL;
  hed_status status = hed_context_derive(crew->context[setup_worker(crew)], ";fft=estimate", &setup);
  if (status == HED_OK)
    status = hed_context_push(setup, &frame);
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    status = prepare(job, opt, target, tmpl, mask, crew->n, &out->memory);
    hed_scope_end(&scope);
  }
  /* What the setup needed is not kept beside what the workers are about to take. */
  (void)hed_trim(NULL, out->memory, HED_TRIM_WORKSPACES);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  hed_context_release(setup);
  out->setup_seconds = hed__now() - start;
  if (status != HED_OK)
    return status;
  for (int i = 0; i < job->ndim; i++)
    n *= (size_t)job->fast.dim[i];
  best = malloc(n * sizeof *best);
  index = malloc(n * sizeof *index);
  if (best && index)
    status = hed__pool_run(job, crew, opt, best, index, &out->seconds);
  else
    status = hed_fail(HED_E_NOMEM, "%s: no memory for the scores of %zu voxels", op, n);
  if (status == HED_OK)
    status = turn_back(job, opt->threshold, best, index, out);
  free(best);
  free(index);
  return status;
}

hed_status hed_match_run(const hed_match_options *opt, const hed_array *target, const hed_array *tmpl,
                         const hed_array *mask, size_t n_rotations, const double *rotations, hed_match_result *out)
{
  static const hed_match_options none;
  hed__job job = { 0 };
  hed__crew crew = { 0 };
  hed_status status;

  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_match_result){ 0 };
  if (!opt)
    opt = &none;
  if (!target || !tmpl)
    return hed_fail(HED_E_INVAL, "%s: the %s is NULL", op, target ? "template" : "target");
  if (isnan(opt->threshold) || opt->threshold == INFINITY)
    return hed_fail(HED_E_INVAL, "%s: a threshold of %g", op, opt->threshold);
  if (opt->spline < HED_SPLINE_DEFAULT || opt->spline > HED_SPLINE_CUBIC)
    return hed_fail(HED_E_INVAL, "%s: spline %d is none of hed_spline", op, (int)opt->spline);
  if (!(job.score = hed__score_by_name(op, opt->score)))
    return hed_error();
  int ndim = hed_array_ndim(target);
  if ((ndim == 2 || ndim == 3) && (status = hed__rotations_valid(op, ndim, n_rotations, rotations)) != HED_OK)
    return status;
  job.spline = opt->spline;
  job.n_rotations = n_rotations;
  job.rotations = rotations;
  if ((status = hed__crew_parse(&crew, opt->workers, n_rotations)) != HED_OK)
    return status;
  status = run(&job, &crew, opt, target, tmpl, mask, out);
  if (status == HED_OK) {
    out->n_rotations = n_rotations;
    out->transform = job.fast;
    out->n_workers = crew.n;
    out->worker = crew.worker;
    crew.worker = NULL;
  } else {
    hed_match_result_clear(out);
  }
  hed__crew_clear(&crew);
  hed__job_clear(&job);
  return status;
}
