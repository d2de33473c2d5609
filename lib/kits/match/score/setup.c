// SPDX-License-Identifier: BSD-3-Clause
/* What a score computes once: spectra of the target, local deviations, the prepared template.
 *
 * Layer: L4, match kit. Done in float64 wherever the backend has it, because local deviations are differences of
 * large numbers; what the workers get is float32. Temporaries belong to the caller's scope, which cleans up after a
 * failure; on the way each is written in place where it can be, and released as soon as it has been used, because they are
 * as large as the target: what is alive at once is counted in the scores' table, and tests/match/memory.c measures it.
 */
#include "kits/match/run/positions.h"
#include "kits/match/analyze/robust.h"
#include <math.h>
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
  job->target = job->undivided = target;
  job->tmpl = tmpl;
  job->fast.ndim = job->fast_ft.ndim = target.ndim;
  for (int i = 0; i < target.ndim; i++) {
    if (tmpl.dim[i] < 1 || target.dim[i] < 1)
      return hed_fail(HED_E_SHAPE, "%s: axis %d of the %s is empty", op, i, target.dim[i] < 1 ? "target" : "template");
    if (tmpl.dim[i] > target.dim[i] && !pad)
      return hed_fail(HED_E_SHAPE, "%s: the template is larger than the target along axis %d: %lld > %lld; with pad it can be matched",
                      op, i, (long long)tmpl.dim[i], (long long)target.dim[i]);
    job->fast.dim[i] = hed_fft_good_size(target.dim[i] + (pad ? tmpl.dim[i] - 1 : 0));
    job->fast_ft.dim[i] = job->fast.dim[i];
  }
  job->fast_ft.dim[target.ndim - 1] = job->fast.dim[target.ndim - 1] / 2 + 1;
  return HED_OK;
}

void hed__job_clear_spectra(hed__job *job)
{
  hed_release(job->spectrum);
  hed_release(job->spectrum_sq);
  hed_release(job->spectrum_valid);
  job->spectrum = job->spectrum_sq = job->spectrum_valid = NULL;
}

void hed__job_clear(hed__job *job)
{
  hed__job_clear_spectra(job);
  hed_release(job->g);
  hed_release(job->m);
  hed_release(job->factor);
  hed_release(job->offset);
  job->g = job->m = job->factor = job->offset = NULL;
}

/* RESULT was computed from USED, which is needed no longer. */
static hed_array *after(hed_array *result, hed_array *used)
{
  hed_release(used);
  return result;
}

/* X, which was written in place, or NULL. */
static hed_array *done(hed_array *x, hed_status status)
{
  if (status == HED_OK)
    return x;
  hed_release(x);
  return NULL;
}

static hed_array *conjugated(hed_array *x)
{
  return x ? done(x, hed_conj_into(x, x)) : NULL;
}

static hed_array *squared(hed_array *x)
{
  return x ? done(x, hed_square_into(x, x)) : NULL;
}

static hed_array *scaled_by(hed_array *x, double factor)
{
  return x ? done(x, hed_multiply_scalar_into(x, x, factor)) : NULL;
}

static hed_array *divided_by(hed_array *x, double divisor)
{
  return x ? done(x, hed_divide_scalar_into(x, x, divisor)) : NULL;
}

/* X filled up to the transform's extents, in T; uses X up. Filled up before it is widened, which is less at once. */
static hed_array *fitted(const hed__job *job, hed_array *x, hed_dtype t)
{
  bool same = x != NULL;
  hed_shape s = hed_array_shape(x);
  for (int i = 0; i < job->ndim && same; i++)
    same = s.dim[i] == job->fast.dim[i];
  if (same)
    return after(hed__converted(x, t), x);
  hed_array *padded = after(hed_topleft_pad(x, job->fast, 0), x);
  return padded && hed_array_dtype(padded) == t ? padded : after(hed_astype(padded, t), padded);
}

/* Half spectrum of x, which it uses up, at the transform's extents. */
static hed_array *spectrum_of(hed_array *x)
{
  return after(hed_rfftn(x, NULL), x);
}

static hed_array *multiplied(hed_array *x, const hed_array *by)
{
  return x && by ? done(x, hed_multiply_into(x, x, by)) : NULL;
}

/* Correlation with the mask at negated positions, from the product of the mask's spectrum and the target's conjugate one, which
 * it uses up. */
static hed_array *transformed_back(const hed__job *job, hed_array *product)
{
  const hed_fft back = { .s = job->fast };
  return after(hed_irfftn(product, &back), product);
}

/* What the workers multiply with, the inverse transform's 1/N folded in so that they need not scale. */
static hed_status keep_spectrum(const hed__job *job, hed_array **out, const hed_array *spectrum)
{
  double n = 1;
  for (int i = 0; i < job->ndim; i++)
    n *= (double)job->fast.dim[i];
  *out = hed_keep(scaled_by(hed__converted(spectrum, HED_COMPLEX64), 1 / n));
  return *out ? HED_OK : hed_error();
}

/* X, which it uses up, as float32 on the host. */
static hed_status keep_values(hed_array **out, hed_array *x)
{
  hed_array *single = after(hed__converted(x, HED_FLOAT32), x);
  *out = hed__on_host(single);
  hed_release(single);
  return *out ? HED_OK : hed_error();
}

/* What the workers rotate: for cubic interpolation its coefficients, which do not depend on the rotation. */
static hed_status keep_template(hed__job *job, const hed_array *x)
{
  hed_array *g = hed__converted(x, HED_FLOAT32);
  const bool cubic = job->spline == HED_SPLINE_DEFAULT || job->spline == HED_SPLINE_CUBIC;
  job->g = hed_keep(cubic ? after(hed_spline_filter(g, NULL, HED_BOUNDARY_MIRROR), g) : g);
  return job->g ? HED_OK : hed_error();
}

/* Adds the roots of X, at the part's positions, to SPREAD. */
static hed_status add_roots(const hed__job *job, const hed_array *x, hed__spread *spread)
{
  const hed__positions p = hed__positions_of(job);
  hed_array *single = hed__converted(x, HED_FLOAT32), *host = hed__on_host(single);
  hed_release(single);
  if (!host)
    return hed_error();
  const float *v = hed_array_data(host);
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++)
      for (int64_t q = p.first[2]; q < p.n[2]; q++)
        hed__spread_add(spread, sqrtf(v[hed__in_transform(&p, z, y) + (size_t)hed__negated(&p, 2, q)]));
  hed_release(host);
  return HED_OK;
}

/* Windows without variance, up to rounding, say nothing about the others. */
static const double nothing = 1e-4;

hed_status hed__judge_flatness(const hed__spread *spread, size_t positions, double *typical, uint64_t *n_flat)
{
  uint64_t counted = 0;
  *typical = hed__spread_median(spread, nothing);
  if (!(*typical > 0))
    return hed_fail(HED_E_INVAL, "hed_match_run: the target has no variance under the mask");
  for (size_t i = 0; i < sizeof spread->count / sizeof spread->count[0]; i++)
    counted += spread->count[i];
  *n_flat = positions - counted + hed__spread_below(spread, HED_MATCH_FLAT * *typical);
  return HED_OK;
}

/* What a local deviation typically is, of all parts where there are several, from its square X; *DONE when a survey has what
 * it wants. */
static hed_status typical_of_all(hed__job *job, const hed_array *x, double *out, bool *done)
{
  size_t positions = 1;
  *done = job->survey != NULL;
  if (job->whole) {
    *out = job->whole->typical;
    return HED_OK;
  }
  if (!x)
    return hed_error();
  if (job->survey)
    return add_roots(job, x, job->survey->spread);
  hed__spread *spread = calloc(1, sizeof *spread);
  hed_status status = spread ? add_roots(job, x, spread) : hed_fail(HED_E_NOMEM, "hed_match_run: no memory for a histogram");
  for (int i = 0; i < job->ndim; i++)
    positions *= (size_t)job->target.dim[i];
  if (status == HED_OK)
    status = hed__judge_flatness(spread, positions, out, &job->n_flat);
  free(spread);
  return status;
}

hed_status hed__has_variance(const char *op, double mean, double deviation)
{
  if (deviation > 1e-7 * fabs(mean))
    return HED_OK;
  return hed_fail(HED_E_INVAL, "%s: the target has no variance: all of its values are %g", op, mean);
}

/* Sum of the products of X, which it uses up, and Y. */
static hed_status total_product(hed_array *x, const hed_array *y, double *out)
{
  hed_array *product = multiplied(x, y);
  hed_status status = hed__total(product, out);
  hed_release(product);
  return status;
}

/* Weighted mean and variance of the template inside the mask, n = sum of the mask. One without variance is an
 * error: single precision cannot tell deviations below 1e-7 of the mean from none. */
static hed_status statistics(const hed_array *g, const hed_array *m, double n, double *mean, double *variance)
{
  double first, second;
  hed_status status = total_product(hed_copy(g), m, &first);
  if (status != HED_OK)
    return status;
  *mean = first / n;
  if ((status = total_product(squared(hed_subtract_scalar(g, *mean)), m, &second)) != HED_OK)
    return status;
  *variance = second / n;
  if (!(*variance > 1e-14 * *mean * *mean))
    return hed_fail(HED_E_INVAL, "hed_match_run: the template has no variance inside the mask: all of its values are %g",
                    *mean);
  return HED_OK;
}

/* X, taken out of *X. */
static hed_array *taken(hed_array **x)
{
  hed_array *out = *x;
  *x = NULL;
  return out;
}

hed_status hed__prepare_cc(hed__job *job, const hed_array *g, const hed_array *m)
{
  (void)m;
  return keep_template(job, g);
}

hed_status hed__setup_cc(hed__job *job, hed_array **f, const hed_array *m)
{
  (void)m;
  hed_array *spectrum = conjugated(spectrum_of(fitted(job, taken(f), wide())));
  const hed_status status = keep_spectrum(job, &job->spectrum, spectrum);
  hed_release(spectrum);
  return status;
}

/* CC(f^2, m) - W^2 / V, not below 0, from W and CC(f^2, m), which it uses up. */
static hed_array *corr_denominator(const hed_array *w, hed_array *sq, double voxels)
{
  hed_array *per_voxel = divided_by(hed_square(w), voxels);
  hed_array *d = sq && per_voxel ? done(sq, hed_subtract_into(sq, sq, per_voxel)) : NULL;
  hed_release(per_voxel);
  return d ? done(d, hed_clip_into(d, d, 0, INFINITY)) : NULL;
}

/* d^-1/2 where d is above the limit, else 0; uses d up. */
static hed_array *inverse_root(hed_array *d, double limit)
{
  hed_array *usable = hed_greater_scalar(d, limit);
  hed_array *one = after(hed__converted(usable, hed_array_dtype(d)), usable);
  hed_array *root = one ? done(d, hed_clip_into(d, d, limit, INFINITY)) : NULL;
  root = root ? done(root, hed_sqrt_into(root, root)) : NULL;
  hed_array *out = root ? done(one, hed_divide_into(one, one, root)) : NULL;
  hed_release(root);
  return out;
}

/* The mean and the deviation to take out of the target's values: 0 and 1 for a part, out of which they are already. */
static hed_status deviation_of(const hed__job *job, const hed_array *f, hed_dtype t, double *mean, double *deviation)
{
  *mean = 0;
  *deviation = 1;
  if (job->whole || job->survey)
    return HED_OK;
  hed_array *x = hed__converted(f, t), *std = hed_std(x, NULL), *average = hed_mean(x, NULL);
  hed_release(x);
  if (!std || !average || hed_item(std, deviation) != HED_OK || hed_item(average, mean) != HED_OK)
    return hed_error();
  return hed__has_variance("hed_match_run", *mean, *deviation);
}

/* F less its mean over its deviation, filled up with zeros; uses F up. */
static hed_array *standardised(const hed__job *job, hed_array *f, hed_dtype t, double mean, double deviation)
{
  if (mean == 0 && deviation == 1)
    return fitted(job, f, t);
  hed_array *x = after(hed__converted(f, t), f);
  x = x ? done(x, hed_subtract_scalar_into(x, x, mean)) : NULL;
  return fitted(job, divided_by(x, deviation), t);
}

/* What scores with local deviations have in common: *F, used up, less MEAN over DEVIATION, gives the spectra that workers
 * need, and CC(f, m) and CC(f^2, m) at negated positions in E1 and E2. The target's float32 waits for the second spectrum
 * instead of its float64, and of spectra in float64 there is one beside the mask's. */
static hed_status under_masks(hed__job *job, hed_array **f, const hed_array *m, double mean, double deviation, bool keep_sq,
                              hed_array **e1, hed_array **e2)
{
  hed_status status;
  const hed_dtype t = wide();
  hed_array *mask_ft = spectrum_of(fitted(job, hed_copy(m), t));
  hed_array *sq = standardised(job, hed_retain(*f), t, mean, deviation);
  hed_array *spectrum_sq = conjugated(spectrum_of(squared(sq)));
  if (!spectrum_sq || (keep_sq && (status = keep_spectrum(job, &job->spectrum_sq, spectrum_sq)) != HED_OK))
    return hed_error();
  *e2 = transformed_back(job, multiplied(spectrum_sq, mask_ft));
  hed_array *spectrum = *e2 ? conjugated(spectrum_of(standardised(job, taken(f), t, mean, deviation))) : NULL;
  if (!spectrum || (status = keep_spectrum(job, &job->spectrum, spectrum)) != HED_OK)
    return hed_error();
  *e1 = transformed_back(job, after(multiplied(spectrum, mask_ft), mask_ft));
  return *e1 ? HED_OK : hed_error();
}

hed_status hed__prepare_corr(hed__job *job, const hed_array *g, const hed_array *m)
{
  double variance;
  const hed_dtype t = wide();
  hed_array *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);
  hed_status status = hed__total(m1, &job->n_mask);
  if (status != HED_OK || (status = statistics(g1, m1, job->n_mask, &job->mean, &variance)) != HED_OK)
    return status;
  job->ssd = variance * job->n_mask;
  g1 = multiplied(g1, m1);
  hed_release(m1);
  status = g1 ? keep_template(job, g1) : hed_error();
  hed_release(g1);
  return status;
}

hed_status hed__setup_corr(hed__job *job, hed_array **f, const hed_array *m)
{
  double typical, voxels = 1;
  bool surveyed;
  hed_status status;
  hed_array *w, *sq;
  for (int i = 0; i < job->ndim; i++)
    voxels *= (double)job->tmpl.dim[i];
  if ((status = under_masks(job, f, m, 0, 1, false, &w, &sq)) != HED_OK)
    return status;
  hed_array *d = corr_denominator(w, sq, voxels);
  if ((status = typical_of_all(job, d, &typical, &surveyed)) != HED_OK || surveyed)
    return status;
  if ((status = keep_values(&job->offset, scaled_by(w, job->mean))) != HED_OK)
    return status;
  const double flat = HED_MATCH_FLAT * typical;
  return keep_values(&job->factor, inverse_root(scaled_by(d, job->ssd), flat * flat * job->ssd));
}

/* Local variances from sums and sums of squares under the mask. */
static hed_array *local_variance(const hed_array *e1, const hed_array *e2, double n)
{
  hed_array *mean_sq = squared(hed_divide_scalar(e1, n)), *local = mean_sq ? hed_divide_scalar(e2, n) : NULL;
  local = local ? done(local, hed_subtract_into(local, local, mean_sq)) : NULL;
  hed_release(mean_sq);
  return local;
}

/* The template over its deviation inside the mask; its mean waits: outside its box it turns in zeros. */
hed_status hed__prepare_normalised(hed__job *job, const hed_array *g, const hed_array *m)
{
  double mean, variance;
  const hed_dtype t = wide();
  hed_array *g1 = hed__converted(g, t), *m1 = hed__converted(m, t);
  hed_status status = hed__total(m1, &job->n_mask);
  if (status != HED_OK || (status = statistics(g1, m1, job->n_mask, &mean, &variance)) != HED_OK)
    return status;
  hed_release(m1);
  g1 = divided_by(g1, sqrt(variance));
  status = g1 ? keep_template(job, g1) : hed_error();
  hed_release(g1);
  return status;
}

/* What both FLC scores share: the standardised target, spectra, the deviation that counts as flat. The spherical one
 * keeps the local deviations, the other the spectrum of squares to compute them for each mask. */
static hed_status setup_normalised(hed__job *job, hed_array **f, const hed_array *m, bool spherical)
{
  double typical, target_mean, target_deviation;
  bool surveyed;
  hed_status status;
  const hed_dtype t = wide();
  hed_array *e1, *e2;
  if ((status = deviation_of(job, *f, t, &target_mean, &target_deviation)) != HED_OK ||
      (status = under_masks(job, f, m, target_mean, target_deviation, !spherical, &e1, &e2)) != HED_OK)
    return status;
  hed_array *local = job->whole ? NULL : local_variance(e1, e2, job->n_mask);
  if ((status = typical_of_all(job, local, &typical, &surveyed)) != HED_OK || surveyed)
    return status;
  hed_release(local);
  job->flat = HED_MATCH_FLAT * typical;
  if (spherical) {
    hed_array *one = hed_ones(HED_SHAPE0, hed_array_dtype(e2));
    if (!one || (status = hed_norm_scores_into(e2, one, e2, e1, job->n_mask, job->flat)) != HED_OK)
      return hed_error();
    hed_release(e1);
    if ((status = keep_values(&job->factor, e2)) != HED_OK)
      return status;
  }
  job->m = hed_keep(hed_copy(m));
  return job->m ? HED_OK : hed_error();
}

hed_status hed__setup_spherical(hed__job *job, hed_array **f, const hed_array *m)
{
  return setup_normalised(job, f, m, true);
}

hed_status hed__setup_flc(hed__job *job, hed_array **f, const hed_array *m)
{
  return setup_normalised(job, f, m, false);
}

/* G less its mean over its deviation, over all of its voxels. */
static hed_array *template_standardised(const hed_array *g)
{
  double mean, deviation;
  hed_array *x = hed__converted(g, wide()), *std = x ? hed_std(x, NULL) : NULL, *average = std ? hed_mean(x, NULL) : NULL;
  if (!average || hed_item(std, &deviation) != HED_OK || hed_item(average, &mean) != HED_OK)
    return NULL;
  if (!(deviation > 1e-7 * fabs(mean))) {
    (void)hed_fail(HED_E_INVAL, "hed_match_run: the template has no variance: all of its values are %g", mean);
    return NULL;
  }
  x = done(x, hed_subtract_scalar_into(x, x, mean));
  return divided_by(x, deviation);
}

hed_status hed__prepare_cam(hed__job *job, const hed_array *g, const hed_array *m)
{
  hed_array *x = template_standardised(g);
  const hed_status status = x ? hed__prepare_normalised(job, x, m) : hed_error();
  hed_release(x);
  return status;
}

hed_status hed__prepare_ncc(hed__job *job, const hed_array *g, const hed_array *m)
{
  (void)m;
  hed_array *x = template_standardised(g);
  const hed_status status = x ? keep_template(job, x) : hed_error();
  hed_release(x);
  job->n_mask = 1;
  for (int i = 0; i < job->ndim; i++)
    job->n_mask *= (double)job->tmpl.dim[i];
  return status;
}

hed_status hed__setup_ncc(hed__job *job, hed_array **f, const hed_array *m)
{
  double mean, deviation;
  hed_status status;
  (void)m;
  if ((status = deviation_of(job, *f, wide(), &mean, &deviation)) != HED_OK)
    return status;
  hed_array *spectrum = conjugated(spectrum_of(standardised(job, taken(f), wide(), mean, deviation)));
  spectrum = divided_by(spectrum, sqrt(job->n_mask));
  status = spectrum ? keep_spectrum(job, &job->spectrum, spectrum) : hed_error();
  hed_release(spectrum);
  if (status == HED_OK && !(job->m = hed_keep(hed_ones(job->tmpl, HED_FLOAT32))))
    status = hed_error();
  return status;
}

/* Conjugate spectrum of f t (POWER 1) or f^2 t (2), f standardised and filled up with zeros, t the target's mask; of t (0). */
static hed_status spectrum_under(hed__job *job, hed_array **out, const hed_array *f, const hed_array *t, int power)
{
  hed_array *x = power == 0 ? hed_copy(t) : power == 1 ? hed_copy(f) : squared(hed_copy(f));
  if (power > 0)
    x = multiplied(x, t);
  hed_array *spectrum = conjugated(spectrum_of(x));
  const hed_status status = spectrum ? keep_spectrum(job, out, spectrum) : hed_error();
  hed_release(spectrum);
  return status;
}

hed_status hed__setup_mcc(hed__job *job, hed_array **f, const hed_array *m)
{
  double target_mean, target_deviation;
  const hed_dtype t = wide();
  hed_status status;
  if ((status = deviation_of(job, *f, t, &target_mean, &target_deviation)) != HED_OK)
    return status;
  hed_array *valid = fitted(job, job->valid ? hed_copy(job->valid) : hed_ones(job->target, HED_FLOAT32), t);
  hed_array *x = valid ? standardised(job, taken(f), t, target_mean, target_deviation) : NULL;
  if (!x || (status = spectrum_under(job, &job->spectrum, x, valid, 1)) != HED_OK ||
      (status = spectrum_under(job, &job->spectrum_sq, x, valid, 2)) != HED_OK ||
      (status = spectrum_under(job, &job->spectrum_valid, x, valid, 0)) != HED_OK)
    return hed_error();
  hed_release(x);
  hed_release(valid);
  job->m = hed_keep(hed_copy(m));
  return job->m ? HED_OK : hed_error();
}
