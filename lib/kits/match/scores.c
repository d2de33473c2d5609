// SPDX-License-Identifier: BSD-3-Clause
/*
 * scores.c: the list of scores and what each does for one rotation.
 *
 * Layer: L4, match kit. A score is a row of hed__scores: name, default mask, buffers, setup (setup.c) and the
 * function below that takes one rotation into the running maximum. Nothing here allocates; work on the template
 * stays at the template's size, only the corner of the zero-filled transform buffer is ever written.
 */
#include "kits/match/job.h"
#include <math.h>
#include <stdio.h>
#include <strings.h>

#define TRY(call)                 \
  do {                            \
    hed_status try_ = (call);     \
    if (try_ != HED_OK)           \
      return try_;                \
  } while (0)

static hed_status sum_of(const hed__bench *w, const hed_array *x, double *out)
{
  TRY(hed_sum_into(w->sum, x, NULL));
  return hed_item(w->sum, out);
}

/* corner = (g - mean) / std * m, mean and standard deviation of g inside m, n = sum of m. A template that a
 * rotation leaves without variance scores 0. */
static hed_status normalise(const hed__bench *w, const hed_array *g, const hed_array *m, double n)
{
  double first, second;
  TRY(hed_multiply_into(w->t1, g, m));
  TRY(sum_of(w, w->t1, &first));
  TRY(hed_subtract_scalar_into(w->t2, g, first / n));
  TRY(hed_multiply_into(w->t1, w->t2, m));
  TRY(hed_multiply_into(w->t2, w->t2, w->t1));
  TRY(sum_of(w, w->t2, &second));
  return hed_multiply_scalar_into(w->corner, w->t1, second > 0 ? 1 / sqrt(second / n) : 0.0);
}

/* out = CC(f, corner) at negated places, SPECTRUM the conjugate one of f with the inverse's 1/N in it. */
static hed_status correlate(const hed__job *job, const hed__bench *w, const hed_array *spectrum, hed_array *out)
{
  const hed_fft back = { .s = job->fast, .norm = HED_NORM_FORWARD };
  TRY(hed_rfftn_into(w->product, w->padded, NULL));
  TRY(hed_multiply_into(w->product, w->product, spectrum));
  return hed_irfftn_into(out, w->product, &back);
}

static hed_rigid rigid_of(const hed__job *job)
{
  return (hed_rigid){ .spline = job->spline };
}

/* CC, and CORR whose template is prepared and whose offset and factor wait for the end. */
static hed_status rotate_plain(const hed__job *job, hed__bench *w, const double *rotation, int32_t index)
{
  const hed_rigid opt = rigid_of(job);
  TRY(hed_rigid_transform_into(w->corner, NULL, w->g, NULL, rotation, &opt));
  TRY(correlate(job, w, w->spectrum, w->scores));
  return hed_max_score_over_rotations(w->scores, w->best, w->index, index);
}

static hed_status rotate_spherical(const hed__job *job, hed__bench *w, const double *rotation, int32_t index)
{
  const hed_rigid opt = rigid_of(job);
  TRY(hed_rigid_transform_into(w->g_r, NULL, w->g, NULL, rotation, &opt));
  TRY(normalise(w, w->g_r, w->m, job->n_mask));
  TRY(correlate(job, w, w->spectrum, w->scores));
  return hed_max_score_over_rotations(w->scores, w->best, w->index, index);
}

static hed_status rotate_flc(const hed__job *job, hed__bench *w, const double *rotation, int32_t index)
{
  const hed_rigid opt = rigid_of(job);
  const hed_fft back = { .s = job->fast, .norm = HED_NORM_FORWARD };
  double n;
  TRY(hed_rigid_transform_into(w->g_r, w->m_r, w->g, w->m, rotation, &opt));
  TRY(sum_of(w, w->m_r, &n));
  if (!(n > 0)) /* a mask so small that this rotation misses every voxel */
    return HED_OK;
  TRY(hed_copy_into(w->corner, w->m_r));
  TRY(hed_rfftn_into(w->product, w->padded, NULL));
  TRY(hed_multiply_into(w->product2, w->product, w->spectrum));
  TRY(hed_irfftn_into(w->e1, w->product2, &back));
  TRY(hed_multiply_into(w->product2, w->product, w->spectrum_sq));
  TRY(hed_irfftn_into(w->e2, w->product2, &back));
  TRY(normalise(w, w->g_r, w->m_r, n));
  TRY(correlate(job, w, w->spectrum, w->scores));
  TRY(hed_norm_scores_into(w->scores, w->scores, w->e2, w->e1, n, job->flat));
  return hed_max_score_over_rotations(w->scores, w->best, w->index, index);
}

/* Shared: the target in float32, spectra, factor and offset, the host's merged maximum and the result. Worker: padded,
 * scores, best and index, product and what a transform back may need besides; FLC e1, e2 and product2 too. */
const hed__score hed__scores[] = {
  { "CC", false, { 5, 1 }, { 4, 2 }, hed__setup_cc, rotate_plain },
  { "CORR", false, { 7, 1 }, { 4, 2 }, hed__setup_corr, rotate_plain },
  { "FLCSphericalMask", true, { 6, 1 }, { 4, 2 }, hed__setup_spherical, rotate_spherical },
  { "FLC", true, { 5, 2 }, { 6, 3 }, hed__setup_flc, rotate_flc },
};
enum { N_SCORES = sizeof hed__scores / sizeof hed__scores[0] };

const char *hed_match_score_name(int i)
{
  return i >= 0 && i < N_SCORES ? hed__scores[i].name : NULL;
}

const hed__score *hed__score_by_name(const char *op, const char *name)
{
  if (!name)
    name = "FLC";
  for (int i = 0; i < N_SCORES; i++)
    if (strcasecmp(name, hed__scores[i].name) == 0)
      return &hed__scores[i];
  char known[128];
  for (int i = 0, at = 0; i < N_SCORES; i++)
    at += snprintf(known + at, sizeof known - (size_t)at, "%s%s", i ? ", " : "", hed__scores[i].name);
  (void)hed_fail(HED_E_INVAL, "%s: unknown score '%.40s'; there are %s", op, name, known);
  return NULL;
}
