// SPDX-License-Identifier: BSD-3-Clause
/*
 * inputs.c: what a search is given, checked and prepared: clipped, filtered, masked.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/search.h"
#include "kits/match/analyze/robust.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_match_run";

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

static size_t voxels(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  return n;
}

/* What a checkpoint compares. */
static void digest(hed__matching *w, int what, const hed_array *x)
{
  hed_array *host = x && w->opt->checkpoint ? hed__on_host(x) : NULL;
  if (host)
    hed__digest_add(&w->record->digest[what], hed_array_data(host), hed_array_nbytes(host));
  hed_release(host);
}

/* F with values far from its median set to the bounds; F itself where there are none. Uses F up. */
static hed_array *clipped(hed__matching *w, hed_array *f)
{
  const double k = w->opt->clip > 0 ? w->opt->clip : 50;
  const size_t n = voxels(w->all->target);
  double median = 0, deviation = 0;
  if (isinf(k))
    return f;
  hed_array *host = hed__on_host(f);
  const float *v = host ? hed_array_data(host) : NULL;
  hed_status status = v ? hed__median(v, n, &median) : hed_error();
  if (status == HED_OK)
    status = hed__median_distance(v, n, median, &deviation);
  const double far = k * 1.4826 * deviation;
  for (size_t i = 0; status == HED_OK && i < n; i++)
    w->out->n_clipped += fabs((double)v[i] - median) > far;
  hed_release(host);
  if (status == HED_OK && w->out->n_clipped == 0)
    return f;
  hed_array *out = status == HED_OK ? hed_keep(hed_clip(f, median - far, median + far)) : NULL;
  hed_release(f);
  return out;
}

/* G with the other sign, where the contrast is the other way round: the same scores as the target's with the other sign. Uses
 * G up. */
static hed_array *contrasted(const hed__matching *w, hed_array *g)
{
  if (!g || !w->opt->invert)
    return g;
  hed_array *out = hed_keep(hed_negative(g));
  hed_release(g);
  return out;
}

/* X's Laplacian, where the score is of those; edges reflected. Uses X up. */
static hed_array *edges(const hed__matching *w, hed_array *x)
{
  if (!x || !w->all->score->laplacian)
    return x;
  hed_array *out = hed_keep(hed_laplace(x, &(hed_filter){ .boundary = HED_BOUNDARY_REFLECT }));
  hed_release(x);
  return out;
}

/* Where there is anything to score. */
hed_status hed__take_target_mask(hed__matching *w)
{
  const hed_array *mask = w->opt->target_mask;
  if (!mask)
    return HED_OK;
  const hed_shape s = hed_array_shape(mask);
  bool same = s.ndim == w->all->ndim;
  for (int i = 0; same && i < s.ndim; i++)
    same = s.dim[i] == w->all->target.dim[i];
  if (!same)
    return hed_fail(HED_E_SHAPE, "%s: the target mask is %d-D, %lld x ... x %lld, the target %d-D, %lld x ... x %lld", op,
                    (int)s.ndim, s.ndim > 0 ? (long long)s.dim[0] : 0, s.ndim > 0 ? (long long)s.dim[s.ndim - 1] : 0,
                    w->all->ndim, (long long)w->all->target.dim[0], (long long)w->all->target.dim[w->all->ndim - 1]);
  hed_array *m = hed__checked(op, "target mask", mask);
  float *v = m ? hed__to_malloc(m) : NULL;
  if (v && w->all->score->excludes) /* of windows, not of positions */
    w->valid = hed__on_host(m);
  hed_release(m);
  const size_t n = voxels(w->all->target);
  size_t some = 0;
  if (!v || !(w->scored = malloc(n))) {
    free(v);
    return v ? hed_fail(HED_E_NOMEM, "%s: no memory for a target mask of %zu voxels", op, n) : hed_error();
  }
  for (size_t i = 0; i < n; i++)
    some += w->scored[i] = v[i] > 0;
  free(v);
  if (!some)
    return hed_fail(HED_E_INVAL, "%s: the target mask is empty: none of its values is above 0", op);
  w->all->scored = w->all->score->excludes ? NULL : w->scored;
  return !w->all->score->excludes || w->valid ? HED_OK : hed_error();
}

/* F behind the target's filter, of its own extents again; uses F up. */
static hed_array *filtered(hed__matching *w, hed_array *f)
{
  const hed_match_filter *filter = w->opt->target_filter;
  hed_shape box = { .ndim = w->all->ndim };
  hed_slice_range inside[3];
  double mean;
  if (!f || !filter)
    return f;
  for (int i = 0; i < box.ndim; i++) {
    box.dim[i] = hed_fft_good_size(w->all->target.dim[i]);
    inside[i] = HED_RANGE(0, w->all->target.dim[i], 1);
  }
  const hed_fft back = { .s = box };
  hed_array *made = hed_match_filter_make(filter, box), *here = made ? hed_to(made, hed_get_backend()) : NULL, *out = NULL;
  hed_array *spectrum = NULL, *passed = NULL;
  hed_status status = here ? hed__total(f, &mean) : hed_error();
  if (status == HED_OK)
    spectrum = hed_rfftn(hed_topleft_pad(f, box, mean / (double)voxels(w->all->target)), NULL);
  digest(w, HED__SAME_FILTERS, made);
  if (spectrum && hed_multiply_into(spectrum, spectrum, here) == HED_OK)
    passed = hed_irfftn(spectrum, &back);
  if (passed)
    out = hed_keep(hed_copy(hed_slice(passed, box.ndim, inside)));
  hed_release(made);
  hed_release(f);
  return out;
}

hed_status hed__take_inputs(hed__matching *w, const hed_array *target, const hed_array *const *tmpl, const hed_array *mask)
{
  hed_array *f = hed__checked(op, "target", target);
  digest(w, HED__SAME_TARGET, f);
  f = f ? edges(w, filtered(w, clipped(w, f))) : NULL;
  hed_status status = f ? HED_OK : hed_error();
  for (size_t i = 0; i < w->n && status == HED_OK; i++) {
    w->g[i] = hed__checked(op, "template", tmpl[i]);
    digest(w, HED__SAME_TEMPLATE, w->g[i]);
    w->g[i] = edges(w, contrasted(w, w->g[i]));
    status = w->g[i] ? HED_OK : hed_error();
  }
  w->m = status == HED_OK ? mask_for(w->all, mask) : NULL;
  digest(w, HED__SAME_MASK, w->m);
  if (status == HED_OK && !w->m)
    status = hed_error();
  if (status == HED_OK && w->opt->template_filter &&
      !(w->all->filter = hed_match_filter_make(w->opt->template_filter, w->all->tmpl)))
    status = hed_error();
  digest(w, HED__SAME_FILTERS, w->all->filter);
  if (w->opt->checkpoint && w->scored)
    hed__digest_add(&w->record->digest[HED__SAME_TARGET_MASK], w->scored, voxels(w->all->target));
  if (!hed__parts_cut(w->all, &w->parts)) {
    w->f = f;
    return status;
  }
  w->whole = (hed__whole){ .deviation = 1 };
  if (status == HED_OK && !(w->values = hed__on_host(f)))
    status = hed_error();
  hed_release(f);
  return status == HED_OK && w->all->score->standard
             ? hed__whole_standard(op, hed_array_data(w->values), voxels(w->all->target), &w->whole) : status;
}

hed_status hed__take_valid(const hed__matching *w, const hed__job *part, hed_array **valid)
{
  const hed__whole plain = { .deviation = 1 };
  hed_array *whole = w->valid ? hed_retain(w->valid) : w->values ? hed__host_empty(w->all->target, HED_FLOAT32) : NULL;
  if (!whole)
    return w->values ? hed_error() : HED_OK; /* 1 everywhere */
  float *v = hed_array_data(whole);
  for (size_t i = 0; !w->valid && i < voxels(w->all->target); i++)
    v[i] = 1;
  hed_array *piece = w->values ? hed__part_of(w->all, part, v, &plain) : hed_retain(whole);
  hed_release(whole);
  *valid = piece ? hed__checked(op, "target mask", piece) : NULL;
  hed_release(piece);
  return *valid ? HED_OK : hed_error();
}
