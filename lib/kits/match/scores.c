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

static hed_status sum_of(const hed__buffers *w, const hed_array *x, double *out)
{
  TRY(hed_sum_into(w->sum, x, NULL));
  return hed_item(w->sum, out);
}

/* g := (g - mean) / std * m, mean and standard deviation of g inside m, n = sum of m. A template that a
 * rotation leaves without variance scores 0. */
static hed_status normalise(const hed__buffers *w, hed_array *g, const hed_array *m, double n)
{
  double first, second;
  TRY(hed_multiply_into(w->t1, g, m));
  TRY(sum_of(w, w->t1, &first));
  TRY(hed_subtract_scalar_into(w->t2, g, first / n));
  TRY(hed_multiply_into(w->t1, w->t2, m));
  TRY(hed_multiply_into(w->t2, w->t2, w->t1));
  TRY(sum_of(w, w->t2, &second));
  return hed_multiply_scalar_into(g, w->t1, second > 0 ? 1 / sqrt(second / n) : 0.0);
}

/* CC(f, x) at negated positions into the running maximum; the conjugate spectrum of f has the inverse's 1/N in it. */
static hed_status take(const hed__buffers *w, const hed_array *x, const hed_correlation *norm, int32_t index)
{
  return hed_max_correlation(x, w->spectrum, norm, w->best, w->index, index);
}

/* The turned and filtered template. */
static hed_status turn(const hed__job *job, const hed__buffers *w, const double *rotation)
{
  const hed_rigid opt = { .spline = job->spline, .prefiltered = true };
  const hed_fft back = { .s = job->tmpl };
  TRY(hed_rigid_transform_into(w->g_r, NULL, w->g, NULL, rotation, &opt));
  if (!w->filter)
    return HED_OK;
  TRY(hed_rfftn_into(w->half, w->g_r, NULL));
  TRY(hed_multiply_into(w->half, w->half, w->filter));
  return hed_irfftn_into(w->g_r, w->half, &back);
}

/* CC, and CORR whose template is prepared and whose offset and factor wait for the end. */
static hed_status rotate_plain(const hed__job *job, hed__buffers *w, const double *rotation, int32_t index)
{
  TRY(turn(job, w, rotation));
  return take(w, w->g_r, NULL, index);
}

static hed_status rotate_spherical(const hed__job *job, hed__buffers *w, const double *rotation, int32_t index)
{
  TRY(turn(job, w, rotation));
  TRY(normalise(w, w->g_r, w->m, job->n_mask));
  return take(w, w->g_r, NULL, index);
}

static hed_status rotate_flc(const hed__job *job, hed__buffers *w, const double *rotation, int32_t index)
{
  hed_correlation norm = { .mask = w->m_r, .spectrum_sq = w->spectrum_sq, .eps = job->flat };
  const hed_rigid linear = { .spline = HED_SPLINE_LINEAR }; /* a mask of 0 and 1 stays between them */
  TRY(turn(job, w, rotation));
  TRY(hed_rigid_transform_into(w->m_r, NULL, w->m, NULL, rotation, &linear));
  TRY(sum_of(w, w->m_r, &norm.n_obs));
  if (!(norm.n_obs > 0)) /* a mask so small that this rotation misses every voxel */
    return HED_OK;
  TRY(normalise(w, w->g_r, w->m_r, norm.n_obs));
  return take(w, w->g_r, &norm, index);
}

/* Setup: for CC the target in float64 and its spectrum. For the others the most is there while CC(f^2, m) is made: the
 * target in float32, the spectra of mask and squares, the transform's own room and its result, all float64; FLC has what it
 * keeps of the squares' spectrum by then. Template and mask: their float32, as given and prepared, float64 and scratch.
 * Shared: spectra, factor and offset; template and mask as given and as prepared. Worker: best and index, and those of
 * one rotation; template and mask rotated, and normalised. The merged maximum is that of the first worker done. */
const hed__score hed__scores[] = {
  { "CC", false, false, false, false, { 2, 2, 6 }, { 0, 1, 3 }, { 4, 0, 1 },
    hed__setup_cc, rotate_plain },
  { "CORR", false, false, false, true, { 3, 6, 4 }, { 2, 1, 3 }, { 4, 0, 1 },
    hed__setup_corr, rotate_plain },
  { "FLCSphericalMask", true, true, false, true, { 3, 6, 4 }, { 1, 1, 4 }, { 4, 0, 3 },
    hed__setup_spherical, rotate_spherical },
  { "FLC", true, true, true, true, { 3, 7, 4 }, { 0, 2, 4 }, { 4, 0, 4 },
    hed__setup_flc, rotate_flc },
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
