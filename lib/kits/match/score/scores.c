// SPDX-License-Identifier: BSD-3-Clause
/* The list of scores and what each does for one rotation.
 *
 * Layer: L4, match kit. A score is a row of hed__scores: name, default mask, buffers, setup (setup.c) and the
 * function below that takes one rotation into the running maximum. Nothing here allocates; work on the template
 * stays at the template's size, only the corner of the zero-filled transform buffer is ever written.
 */
#include "kits/match/run/job.h"
#include <heddle/words.h>
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

/* The correlation of X with one of the target's spectra, at negated positions, into OUT. */
static hed_status correlate(const hed__buffers *w, const hed_array *x, const hed_array *spectrum, hed_array *out)
{
  TRY(hed_fill(out, -INFINITY));
  return hed_max_correlation(x, spectrum, NULL, out, w->number, 0);
}

/* X -= Y^2 / O, not below 0. */
static hed_status less_mean(hed_array *x, const hed_array *y, const hed_array *o, hed_array *scratch)
{
  TRY(hed_square_into(scratch, y));
  TRY(hed_divide_into(scratch, scratch, o));
  TRY(hed_subtract_into(x, x, scratch));
  return hed_clip_into(x, x, 0, INFINITY);
}

/* X where Y exceeds LIMIT, else 0. */
static hed_status keep_above(hed_array *x, const hed_array *y, double limit)
{
  hed_array *kept = hed_greater_scalar(y, limit);
  const hed_status status = kept ? hed_multiply_into(x, x, kept) : hed_error();
  hed_release(kept);
  return status;
}

static hed_status largest(const hed_array *x, double *out)
{
  hed_array *most = hed_max(x, NULL);
  const hed_status status = most ? hed_item(most, out) : hed_error();
  hed_release(most);
  return status;
}

static hed_status rotate_mcc(const hed__job *job, hed__buffers *w, const double *rotation, int32_t index)
{
  const hed_rigid linear = { .spline = HED_SPLINE_LINEAR };
  hed_array *num = w->part[0], *fm = w->part[1], *tg = w->part[2], *overlap = w->part[3], *d1 = w->part[4], *d2 = w->part[5];
  double n, most;
  TRY(turn(job, w, rotation));
  TRY(hed_rigid_transform_into(w->m_r, NULL, w->m, NULL, rotation, &linear));
  TRY(sum_of(w, w->m_r, &n));
  if (!(n > 0))
    return HED_OK;
  TRY(normalise(w, w->g_r, w->m_r, n));
  TRY(correlate(w, w->g_r, w->spectrum, num));
  TRY(correlate(w, w->m_r, w->spectrum, fm));
  TRY(correlate(w, w->g_r, w->spectrum_valid, tg));
  TRY(correlate(w, w->m_r, w->spectrum_valid, overlap));
  TRY(correlate(w, w->m_r, w->spectrum_sq, d1));
  TRY(hed_square_into(w->t1, w->g_r));
  TRY(correlate(w, w->t1, w->spectrum_valid, d2));
  TRY(largest(overlap, &most));
  const double least = fmax(job->overlap * most, 1e-6 * n);
  hed_array *o = w->part[6];
  TRY(hed_clip_into(o, overlap, least, INFINITY)); /* what is less overlaps too little anyway */
  TRY(less_mean(d1, fm, o, w->part[7]));
  TRY(less_mean(d2, tg, o, w->part[7]));
  TRY(hed_multiply_into(fm, fm, tg));
  TRY(hed_divide_into(fm, fm, o));
  TRY(hed_subtract_into(num, num, fm));
  TRY(hed_multiply_into(d1, d1, d2));
  TRY(hed_sqrt_into(d1, d1));
  TRY(largest(d1, &most));
  if (!(most > 0))
    return HED_OK;
  TRY(hed_clip_into(d2, d1, 1e-5 * most, INFINITY));
  TRY(hed_divide_into(num, num, d2));
  TRY(hed_clip_into(num, num, -1, 1));
  TRY(keep_above(num, d1, 1e-5 * most));
  TRY(keep_above(num, overlap, least * (1 - 1e-6)));
  return hed_max_score_over_rotations(num, w->best, w->index, index);
}

/* Setup: for CC the target in float64 and its spectrum. For the others the most is there while CC(f^2, m) is made: the
 * target in float32, the spectra of mask and squares, the transform's own room and its result, all float64; FLC has what it
 * keeps of the squares' spectrum by then, MCC three. Template and mask: their float32, as given and prepared, float64 and
 * scratch. Shared: spectra, factor and offset; template and mask as given and as prepared. Worker: best and index, and those of
 * one rotation, for MCC eight correlations more; template and mask rotated, and normalised. The merged maximum is that of the
 * first worker done. */
const hed__score hed__scores[] = {
  { .name = "CC", .once = { 2, 2, 6 }, .shared = { 0, 1, 3 }, .worker = { 4, 0, 1 },
    .prepare = hed__prepare_cc, .setup = hed__setup_cc, .rotate = rotate_plain },
  { .name = "LCC", .laplacian = true, .once = { 3, 2, 6 }, .shared = { 0, 1, 3 }, .worker = { 4, 0, 1 },
    .prepare = hed__prepare_cc, .setup = hed__setup_cc, .rotate = rotate_plain },
  { .name = "CORR", .own = true, .local = true, .once = { 3, 6, 4 }, .shared = { 2, 1, 3 }, .worker = { 4, 0, 1 },
    .prepare = hed__prepare_corr, .setup = hed__setup_corr, .rotate = rotate_plain },
  { .name = "CAM", .sphere = true, .standard = true, .local = true, .once = { 3, 6, 6 }, .shared = { 1, 1, 4 }, .worker = { 4, 0, 3 },
    .prepare = hed__prepare_cam, .setup = hed__setup_spherical, .rotate = rotate_spherical },
  { .name = "NCC", .standard = true, .once = { 4, 2, 6 }, .shared = { 0, 1, 4 }, .worker = { 4, 0, 3 },
    .prepare = hed__prepare_ncc, .setup = hed__setup_ncc, .rotate = rotate_spherical },
  { .name = "FLCSphericalMask", .sphere = true, .standard = true, .local = true, .once = { 3, 6, 4 }, .shared = { 1, 1, 4 },
    .worker = { 4, 0, 3 }, .prepare = hed__prepare_normalised, .setup = hed__setup_spherical, .rotate = rotate_spherical },
  { .name = "FLC", .sphere = true, .standard = true, .masks = true, .local = true, .zeros = true, .once = { 3, 7, 4 },
    .shared = { 0, 2, 4 }, .worker = { 4, 0, 4 }, .prepare = hed__prepare_normalised, .setup = hed__setup_flc, .rotate = rotate_flc },
  { .name = "MCC", .sphere = true, .standard = true, .zeros = true, .excludes = true, .once = { 6, 6, 4 }, .shared = { 1, 3, 4 },
    .worker = { 12, 0, 4 }, .prepare = hed__prepare_normalised, .setup = hed__setup_mcc, .rotate = rotate_mcc },
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
  char known[128], choices[200];
  for (int i = 0, at = 0; i < N_SCORES; i++)
    at += snprintf(known + at, sizeof known - (size_t)at, "%s%s", i ? ", " : "", hed__scores[i].name);
  (void)hed_fail(HED_E_INVAL, "%s: unknown score '%.40s'%s", op, name, hed_choices(name, known, choices, sizeof choices));
  return NULL;
}
