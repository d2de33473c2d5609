// SPDX-License-Identifier: BSD-3-Clause
/*
 * setup.c: what a score computes once: spectra of the target, local deviations, the prepared template.
 *
 * Layer: L4, match kit. Done in float64 wherever the backend has it, because local deviations are differences of
 * large numbers; what the workers get is float32. Temporaries belong to the caller's scope, which cleans up after a
 * failure; on the way each is released as soon as it has been used, because they are as large as the target.
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

/* The setup's temporaries, all float64, come and go before the workers' buffers are made. Rows of what workers transform
 * are up to 16 elements longer than they need be, so that columns do not meet in the cache. A thread holds a plane of each
 * product besides, of which rows and columns are that much longer. */
size_t hed__job_memory(const hed__job *job, int n_workers)
{
  static const hed__need setup = { 7, 7, 0 };
  const int last = job->ndim - 1;
  double real = 4.0 * (double)cells(job->fast), half = 8.0 * (double)cells(job->fast_ft);
  double wide = half / (double)job->fast_ft.dim[last] * (double)(job->fast_ft.dim[last] + 16);
  double corner = wide / (double)job->fast.dim[0] * (double)job->tmpl.dim[0];
  double plane = 8.0 * ((double)job->fast.dim[last] + 16) * ((double)job->fast.dim[last - 1] + 32);
  const hed__need *s = &job->score->shared, *w = &job->score->worker;
  double worker = w->real * real + w->half * (wide + plane) + w->corner * corner + 10 * 4.0 * (double)cells(job->tmpl) + 0x1p19;
  double run = s->real * real + s->half * half + n_workers * worker;
  double once = (s->real + setup.real) * real + (s->half + setup.half) * half;
  double most = fmax(run, once);
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
  job->g = job->m = job->spectrum = job->spectrum_sq = NULL;
  job->factor = job->offset = NULL;
}

/* RESULT was computed from USED, which is needed no longer. */
static hed_array *after(hed_array *result, hed_array *used)
{
  hed_release(used);
  return result;
}

/* Half spectrum of x at the transform's extents, in x's precision. */
static hed_array *spectrum_of(const hed__job *job, const hed_array *x)
{
  hed_array *padded = hed_topleft_pad(x, job->fast, 0);
  return after(hed_rfftn(padded, NULL), padded);
}

static hed_array *conjugate_spectrum(const hed__job *job, const hed_array *x)
{
  hed_array *ft = spectrum_of(job, x);
  return after(hed_conj(ft), ft);
}

/* Of the squares of x. */
static hed_array *conjugate_spectrum_sq(const hed__job *job, const hed_array *x)
{
  hed_array *sq = hed_square(x);
  return after(conjugate_spectrum(job, sq), sq);
}

/* Correlation with the mask at negated places, from the target's conjugate spectrum. */
static hed_array *under_mask(const hed__job *job, const hed_array *spectrum, const hed_array *mask_ft)
{
  const hed_fft back = { .s = job->fast };
  hed_array *product = hed_multiply(spectrum, mask_ft);
  return after(hed_irfftn(product, &back), product);
}

/* What the workers multiply with, the inverse transform's 1/N folded in so that they need not scale. */
static hed_status keep_spectrum(const hed__job *job, hed_array **out, const hed_array *spectrum)
{
  double n = 1;
  for (int i = 0; i < job->ndim; i++)
    n *= (double)job->fast.dim[i];
  hed_array *single = hed__converted(spectrum, HED_COMPLEX64);
  *out = hed_keep(after(hed_multiply_scalar(single, 1 / n), single));
  return *out ? HED_OK : hed_error();
}

static hed_status keep_values(float **out, const hed_array *x)
{
  hed_array *single = hed__converted(x, HED_FLOAT32);
  *out = single ? hed__to_malloc(single) : NULL;
  hed_release(single);
  return *out ? HED_OK : hed_error();
}

/* What the workers rotate: for cubic interpolation its coefficients, which do not depend on the rotation. */
static hed_status keep_template(hed__job *job, const hed_array *x)
{
  hed_array *g = hed__converted(x, HED_FLOAT32);
  const bool cubic = job->spline == HED_SPLINE_DEFAULT || job->spline == HED_SPLINE_CUBIC;
  job->g = hed_keep(cubic ? hed_spline_filter(g, NULL, HED_BOUNDARY_MIRROR) : g);
  return job->g ? HED_OK : hed_error();
}

/* The largest value of X at positions that count. Along a divided axis those are element 0 and the last ones: places are
 * negated. */
static hed_status largest(const hed__job *job, const hed_array *x, double *out)
{
  *out = -INFINITY;
  for (int ends = 0; ends < 1 << job->ndim; ends++) {
    hed_slice_range range[3];
    bool some = true;
    double value;
    for (int i = 0; i < job->ndim; i++) {
      const int64_t n = job->fast.dim[i], keep = job->keep[i] ? job->keep[i] : n;
      const bool end = ends >> i & 1;
      range[i] = end ? HED_RANGE(n - keep + 1, n, 1) : HED_RANGE(0, keep < n ? 1 : n, 1);
      some = some && (!end || (keep < n && keep > 1));
    }
    if (!some)
      continue;
    hed_array *piece = hed_slice(x, job->ndim, range);
    hed_array *r = after(hed_max(piece, NULL), piece);
    hed_status status = r ? hed_item(r, &value) : hed_error();
    hed_release(r);
    if (status != HED_OK)
      return status;
    *out = fmax(*out, value);
  }
  return HED_OK;
}

/* X's largest value, of all parts where there are several; *DONE when a survey has what it wants. Without one above 0
 * there is nothing to match. */
static hed_status largest_of_all(const hed__job *job, const hed_array *x, double *out, bool *done)
{
  *done = job->survey != NULL;
  if (job->whole) {
    *out = job->whole->most;
    return HED_OK;
  }
  hed_status status = x ? largest(job, x, out) : hed_error();
  if (status == HED_OK && job->survey)
    job->survey->most = fmax(job->survey->most, *out);
  else if (status == HED_OK && !(*out > 0))
    return hed_fail(HED_E_INVAL, "hed_match_run: the target has no variance under the mask");
  return status;
}

hed_status hed__has_variance(const char *op, double mean, double deviation)
{
  if (deviation > 1e-7 * fabs(mean))
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: the target has no variance: all of its values are %g", op, mean);
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
  hed_status status = keep_template(job, g);
  if (status != HED_OK)
    return status;
  return keep_spectrum(job, &job->spectrum, conjugate_spectrum(job, hed__converted(f, wide())));
}

/* (CC(f^2, m) - W^2 / V) SSD, not below 0, from W and CC(f^2, m), which it uses up. */
static hed_array *corr_denominator(const hed_array *w, hed_array *sq, double voxels, double ssd)
{
  hed_array *w_sq = hed_square(w);
  hed_array *per_voxel = after(hed_divide_scalar(w_sq, voxels), w_sq);
  hed_array *d = after(hed_subtract(sq, per_voxel), per_voxel);
  hed_release(sq);
  hed_array *scaled = after(hed_multiply_scalar(d, ssd), d);
  return after(hed_clip(scaled, 0, INFINITY), scaled);
}

/* d^-1/2 where d is above the limit, else 0. */
static hed_array *inverse_root(const hed_array *d, double limit)
{
  hed_array *usable = hed_greater_scalar(d, limit);
  hed_array *one = after(hed__converted(usable, hed_array_dtype(d)), usable);
  hed_array *clipped = hed_clip(d, limit, INFINITY);
  hed_array *root = after(hed_sqrt(clipped), clipped);
  hed_array *out = hed_divide(one, root);
  hed_release(one);
  hed_release(root);
  return out;
}

hed_status hed__setup_corr(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  double n, mean, variance, most, voxels = 1;
  bool surveyed;
  hed_status status;
  hed_dtype t = wide();
  hed_array *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);

  if ((status = hed__total(m1, &n)) != HED_OK || (status = statistics(g1, m1, n, &mean, &variance)) != HED_OK)
    return status;
  for (int i = 0; i < job->ndim; i++)
    voxels *= (double)job->tmpl.dim[i];
  hed_array *f1 = hed__converted(f, t);
  hed_array *mask_ft = spectrum_of(job, m1);
  hed_array *spectrum_sq = conjugate_spectrum_sq(job, f1);
  hed_array *sq = after(under_mask(job, spectrum_sq, mask_ft), spectrum_sq);
  hed_array *spectrum = after(conjugate_spectrum(job, f1), f1);
  hed_array *w = after(under_mask(job, spectrum, mask_ft), mask_ft);
  if ((status = keep_spectrum(job, &job->spectrum, spectrum)) != HED_OK)
    return status;
  hed_release(spectrum);
  hed_array *d = corr_denominator(w, sq, voxels, variance * n);
  hed_array *offset = after(hed_multiply_scalar(w, mean), w);
  if ((status = largest_of_all(job, d, &most, &surveyed)) != HED_OK || surveyed)
    return status;
  if ((status = keep_values(&job->offset, offset)) != HED_OK)
    return status;
  hed_release(offset);
  if ((status = keep_values(&job->factor, inverse_root(d, HED_MATCH_FLAT * HED_MATCH_FLAT * most))) != HED_OK)
    return status;
  return keep_template(job, hed_multiply(g1, m1));
}

/* What both FLC scores share: the standardised target, spectra, the deviation that counts as flat. The spherical one
 * keeps the local deviations, the other the spectrum of squares to compute them for each mask. */
/* f with zero mean and unit deviation in T, as a part is already; NULL with a sentence when it has none. */
static hed_array *standardised(const hed__job *job, const hed_array *f, hed_dtype t)
{
  double mean, deviation;
  hed_array *x = hed__converted(f, t);
  if (job->whole || job->survey)
    return x;
  hed_array *std = hed_std(x, NULL), *average = hed_mean(x, NULL);
  if (!std || !average || hed_item(std, &deviation) != HED_OK || hed_item(average, &mean) != HED_OK ||
      hed__has_variance("hed_match_run", mean, deviation) != HED_OK)
    return NULL;
  hed_array *centred = after(hed_subtract_scalar(x, mean), x);
  return after(hed_divide_scalar(centred, deviation), centred);
}

/* Local variances from sums and sums of squares under the mask. */
static hed_array *local_variance(const hed_array *e1, const hed_array *e2, double n)
{
  hed_array *mean = hed_divide_scalar(e1, n);
  hed_array *mean_sq = after(hed_square(mean), mean);
  hed_array *sq = hed_divide_scalar(e2, n);
  hed_array *local = after(hed_subtract(sq, mean_sq), sq);
  hed_release(mean_sq);
  return local;
}

static hed_status setup_normalised(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m,
                                   bool spherical)
{
  double n, mean, variance, most;
  bool surveyed;
  hed_status status;
  hed_dtype t = wide();
  hed_array *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);

  if ((status = hed__total(m1, &n)) != HED_OK || (status = statistics(g1, m1, n, &mean, &variance)) != HED_OK)
    return status;
  hed_array *f1 = standardised(job, f, t);
  hed_array *mask_ft = spectrum_of(job, m1);
  hed_array *spectrum = conjugate_spectrum(job, f1);
  hed_array *e1 = under_mask(job, spectrum, mask_ft);
  if (!e1 || (status = keep_spectrum(job, &job->spectrum, spectrum)) != HED_OK)
    return hed_error();
  hed_release(spectrum);
  hed_array *spectrum_sq = after(conjugate_spectrum_sq(job, f1), f1);
  hed_array *e2 = after(under_mask(job, spectrum_sq, mask_ft), mask_ft);
  if (!e2 || (!spherical && (status = keep_spectrum(job, &job->spectrum_sq, spectrum_sq)) != HED_OK))
    return hed_error();
  hed_release(spectrum_sq);
  hed_array *local = job->whole ? NULL : local_variance(e1, e2, n);
  if ((status = largest_of_all(job, local, &most, &surveyed)) != HED_OK || surveyed)
    return status;
  hed_release(local);
  job->n_mask = n;
  job->flat = HED_MATCH_FLAT * sqrt(most);
  if (spherical &&
      (status = keep_values(&job->factor, hed_norm_scores(hed_ones_like(e1), e2, e1, n, job->flat))) != HED_OK)
    return status;
  hed_array *scaled = hed_divide_scalar(g1, sqrt(variance)); /* its mean waits: outside its box it turns in zeros */
  job->m = hed_keep(hed_copy(m));
  return job->m ? keep_template(job, scaled) : hed_error();
}

hed_status hed__setup_spherical(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  return setup_normalised(job, f, g, m, true);
}

hed_status hed__setup_flc(hed__job *job, const hed_array *f, const hed_array *g, const hed_array *m)
{
  return setup_normalised(job, f, g, m, false);
}
