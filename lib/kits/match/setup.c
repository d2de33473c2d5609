// SPDX-License-Identifier: BSD-3-Clause
/*
 * setup.c: what a score computes once: spectra of the target, local deviations, the prepared template.
 *
 * Layer: L4, match kit. Done in float64 wherever the backend has it, because local deviations are differences of
 * large numbers; what the workers get is float32. Temporaries live in scopes; only what the job keeps leaves them.
 */
#include "kits/match/job.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* float64, or float32 on a backend without it. */
static hed_dtype wide(void)
{
  hed_dtype_resolution r = { .struct_size = sizeof r };
  if (hed_dtype_resolve(HED_FLOAT64, NULL, &r) == HED_OK && r.support != HED_SUPPORT_NONE)
    return HED_FLOAT64;
  hed_error_clear();
  return HED_FLOAT32;
}

hed_status hed__job_shapes(const char *op, hed__job *job, hed_shape target, hed_shape tmpl, bool pad)
{
  if (target.ndim != 2 && target.ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the target has %d dimensions; 2 or 3 can be matched", op, (int)target.ndim);
  if (tmpl.ndim != target.ndim)
    return hed_fail(HED_E_SHAPE, "%s: the template has %d dimensions, the target %d", op, (int)tmpl.ndim,
                    (int)target.ndim);
  job->ndim = target.ndim;
  job->target = target;
  job->tmpl = tmpl;
  job->fast.ndim = job->fast_ft.ndim = target.ndim;
  for (int i = 0; i < target.ndim; i++) {
    if (tmpl.dim[i] < 1 || target.dim[i] < 1)
      return hed_fail(HED_E_SHAPE, "%s: axis %d of the %s is empty", op, i, target.dim[i] < 1 ? "target" : "template");
    if (tmpl.dim[i] > target.dim[i])
      return hed_fail(HED_E_SHAPE, "%s: the template is larger than the target along axis %d: %lld > %lld", op, i,
                      (long long)tmpl.dim[i], (long long)target.dim[i]);
    job->fast.dim[i] = hed_fft_good_size(target.dim[i] + (pad ? tmpl.dim[i] - 1 : 0));
    job->fast_ft.dim[i] = job->fast.dim[i];
  }
  job->fast_ft.dim[target.ndim - 1] = job->fast.dim[target.ndim - 1] / 2 + 1;
  return HED_OK;
}

static size_t cells(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    if (__builtin_mul_overflow(n, (size_t)s.dim[i], &n))
      return SIZE_MAX / 1024;
  return n < SIZE_MAX / 1024 ? n : SIZE_MAX / 1024;
}

/* The setup's temporaries, all float64, come and go before the workers' buffers are made. */
size_t hed__job_memory(const hed__job *job, int n_workers)
{
  static const hed__need setup = { 16, 8 };
  double real = 4.0 * (double)cells(job->fast), half = 8.0 * (double)cells(job->fast_ft);
  const hed__need *s = &job->score->shared, *w = &job->score->worker;
  double run = (s->real + n_workers * w->real) * real + (s->half + n_workers * w->half) * half;
  double once = (s->real + setup.real) * real + (s->half + setup.half) * half;
  double most = fmax(run, once) + n_workers * 6.0 * 4.0 * (double)cells(job->tmpl);
  return most < (double)SIZE_MAX ? (size_t)most : SIZE_MAX;
}

size_t hed_match_memory(const char *score, hed_shape target, hed_shape tmpl, bool pad, int n_workers)
{
  hed__job job = { .score = hed__score_by_name("hed_match_memory", score) };
  if (!job.score || hed__job_shapes("hed_match_memory", &job, target, tmpl, pad) != HED_OK)
    return 0;
  return hed__job_memory(&job, n_workers > 0 ? n_workers : 1);
}

void hed__job_clear(hed__job *job)
{
  hed_release(job->g);
  hed_release(job->m);
  hed_release(job->spectrum);
  hed_release(job->spectrum_sq);
  free(job->factor);
  free(job->offset);
  *job = (hed__job){ 0 };
}

/* conj of the half spectrum of x at the transform's extents, in x's precision; the scope's. */
static hed_array *conjugate_spectrum(const hed__job *job, const hed_array *x)
{
  return hed_conj(hed_rfftn(hed_topleft_pad(x, job->fast, 0), NULL));
}

/* Correlation with the mask at negated places, from the target's conjugate spectrum; the scope's. */
static hed_array *under_mask(const hed__job *job, const hed_array *spectrum, const hed_array *mask_ft)
{
  const hed_fft back = { .s = job->fast };
  return hed_irfftn(hed_multiply(spectrum, mask_ft), &back);
}

/* What the workers multiply with, the inverse transform's 1/N folded in so that they need not scale. */
static hed_status keep_spectrum(const hed__job *job, hed_array **out, const hed_array *spectrum)
{
  double n = 1;
  for (int i = 0; i < job->ndim; i++)
    n *= (double)job->fast.dim[i];
  *out = hed_keep(hed__converted(hed_divide_scalar(spectrum, n), HED_COMPLEX64));
  return *out ? HED_OK : hed_error();
}

static hed_status keep_values(float **out, const hed_array *x)
{
  hed_array *single = hed__converted(x, HED_FLOAT32);
  *out = single ? hed__to_malloc(single) : NULL;
  return *out ? HED_OK : hed_error();
}

static hed_status largest(const hed_array *x, double *out)
{
  hed_array *r = hed_max(x, NULL);
  return r ? hed_item(r, out) : hed_error();
}

/* Weighted mean and variance of the template inside the mask, n = sum of the mask. One without variance is an
 * error: single precision cannot tell deviations below 1e-7 of the mean from none. */
static hed_status statistics(const hed_array *g, const hed_array *m, double n, double *mean, double *variance)
{
  double first, second;
  hed_status status = hed__total(hed_multiply(g, m), &first);
  if (status != HED_OK)
    return status;
  *mean = first / n;
  if ((status = hed__total(hed_multiply(hed_square(hed_subtract_scalar(g, *mean)), m), &second)) != HED_OK)
    return status;
  *variance = second / n;
  if (!(*variance > 1e-14 * *mean * *mean))
    return hed_fail(HED_E_INVAL, "hed_match_run: the template has no variance inside the mask: all of its values are %g",
                    *mean);
  return HED_OK;
}

hed_status hed__setup_cc(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  (void)m;
  job->g = hed_keep(hed_copy(g));
  if (!job->g)
    return hed_error();
  return keep_spectrum(job, &job->spectrum, conjugate_spectrum(job, hed__converted(f, wide())));
}

hed_status hed__setup_corr(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  double n, mean, variance, most, voxels = 1;
  hed_status status;
  hed_dtype t = wide();
  hed_array *f1 = hed__converted(f, t), *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);

  if ((status = hed__total(m1, &n)) != HED_OK || (status = statistics(g1, m1, n, &mean, &variance)) != HED_OK)
    return status;
  for (int i = 0; i < job->ndim; i++)
    voxels *= (double)job->tmpl.dim[i];
  hed_array *mask_ft = hed_rfftn(hed_topleft_pad(m1, job->fast, 0), NULL);
  hed_array *spectrum = conjugate_spectrum(job, f1);
  hed_array *w = under_mask(job, spectrum, mask_ft);
  hed_array *sq = under_mask(job, conjugate_spectrum(job, hed_square(f1)), mask_ft);
  hed_array *d = hed_subtract(sq, hed_divide_scalar(hed_square(w), voxels));
  hed_array *d_ssd = hed_clip(hed_multiply_scalar(d, variance * n), 0, INFINITY);
  if ((status = d_ssd ? largest(d_ssd, &most) : hed_error()) != HED_OK)
    return status;
  if (!(most > 0))
    return hed_fail(HED_E_INVAL, "hed_match_run: the target has no variance under the mask");
  hed_array *usable = hed_greater_scalar(d_ssd, HED_MATCH_FLAT * HED_MATCH_FLAT * most);
  hed_array *root = hed_sqrt(hed_clip(d_ssd, HED_MATCH_FLAT * HED_MATCH_FLAT * most, INFINITY));
  hed_array *factor = hed_divide(hed__converted(usable, t), root);
  if ((status = keep_values(&job->factor, factor)) != HED_OK ||
      (status = keep_values(&job->offset, hed_multiply_scalar(w, mean))) != HED_OK ||
      (status = keep_spectrum(job, &job->spectrum, spectrum)) != HED_OK)
    return status;
  job->g = hed_keep(hed__converted(hed_multiply(g1, m1), HED_FLOAT32));
  return job->g ? HED_OK : hed_error();
}

/* What both FLC scores share: the standardised target, spectra, the deviation that counts as flat. The spherical one
 * keeps the local deviations, the other the spectrum of squares to compute them for each mask. */
static hed_status setup_normalised(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m,
                                   bool spherical)
{
  double n, mean, variance, f_mean, f_std, most;
  hed_status status;
  hed_dtype t = wide();
  hed_array *f1 = hed__converted(f, t), *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);

  hed_array *std = hed_std(f1, NULL), *average = hed_mean(f1, NULL);
  if (!std || !average)
    return hed_error();
  if ((status = hed__total(m1, &n)) != HED_OK || (status = statistics(g1, m1, n, &mean, &variance)) != HED_OK ||
      (status = hed_item(std, &f_std)) != HED_OK || (status = hed_item(average, &f_mean)) != HED_OK)
    return status;
  if (!(f_std > 1e-7 * fabs(f_mean)))
    return hed_fail(HED_E_INVAL, "hed_match_run: the target has no variance: all of its values are %g", f_mean);
  f1 = hed_divide_scalar(hed_subtract_scalar(f1, f_mean), f_std);
  g1 = hed_divide_scalar(g1, sqrt(variance)); /* the mean waits: outside its box a turned template is zero */

  hed_array *mask_ft = hed_rfftn(hed_topleft_pad(m1, job->fast, 0), NULL);
  hed_array *spectrum = conjugate_spectrum(job, f1);
  hed_array *spectrum_sq = conjugate_spectrum(job, hed_square(f1));
  hed_array *e1 = under_mask(job, spectrum, mask_ft);
  hed_array *e2 = under_mask(job, spectrum_sq, mask_ft);
  hed_array *local = hed_subtract(hed_divide_scalar(e2, n), hed_square(hed_divide_scalar(e1, n)));
  if ((status = local ? largest(local, &most) : hed_error()) != HED_OK)
    return status;
  if (!(most > 0))
    return hed_fail(HED_E_INVAL, "hed_match_run: the target has no variance under the mask");
  job->n_mask = n;
  job->flat = HED_MATCH_FLAT * sqrt(most);
  if (spherical)
    status = keep_values(&job->factor, hed_norm_scores(hed_ones_like(e1), e2, e1, n, job->flat));
  else
    status = keep_spectrum(job, &job->spectrum_sq, spectrum_sq);
  if (status != HED_OK || (status = keep_spectrum(job, &job->spectrum, spectrum)) != HED_OK)
    return status;
  job->g = hed_keep(hed__converted(g1, HED_FLOAT32));
  job->m = hed_keep(hed_copy(m));
  return job->g && job->m ? HED_OK : hed_error();
}

hed_status hed__setup_spherical(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  return setup_normalised(job, f, g, m, true);
}

hed_status hed__setup_flc(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  return setup_normalised(job, f, g, m, false);
}
