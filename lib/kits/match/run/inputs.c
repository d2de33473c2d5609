// SPDX-License-Identifier: BSD-3-Clause
/* What a search is given, checked and prepared: clipped, filtered, masked.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/search.h"
#include "kits/match/analyze/robust.h"
#include "kits/match/filter/apply.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_match_run";

/* The mask as given or by default, checked; the caller's. */
static hed_array *mask_for(const hed__job *job, const hed_array *mask)
{
  if (!mask)
    return hed_keep(job->score->sphere ? hed_match_sphere(job->tmpl, 0) : hed_ones(job->tmpl, HED_FLOAT32));
  if (hed__expect_shape(op, "the mask", hed_array_shape(mask), "the template", job->tmpl) != HED_OK)
    return NULL;
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

/* What is no padding of the values V, one after the other, from malloc(). */
static float *known_of(const hed__matching *w, const float *v, size_t n, size_t *count)
{
  float *out = malloc(n * sizeof *out);
  *count = 0;
  for (size_t i = 0; out && i < n; i++)
    if (w->known[i])
      out[(*count)++] = v[i];
  if (!out)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %zu voxels", op, n);
  return out;
}

/* What stands alone: so many deviations from the median, with neighbours a third as far at most. */
static const double alone = 12;

/* The mean of voxel I's neighbours where it stands alone, else what it is. */
static float smoothed(const float *v, const int64_t n[3], int64_t i, double median, double far)
{
  const double own = fabs((double)v[i] - median);
  const int64_t z = i / n[2] / n[1], y = i / n[2] % n[1], x = i % n[2];
  double sum = 0;
  int count = 0;
  if (!(own > far))
    return v[i];
  for (int k = 0; k < 27; k++) {
    const int64_t at[3] = { z + k / 9 - 1, y + k / 3 % 3 - 1, x + k % 3 - 1 };
    if (k == 13 || at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2])
      continue;
    const double w = v[(at[0] * n[1] + at[1]) * n[2] + at[2]];
    if (fabs(w - median) > own / 3)
      return v[i];
    sum += w;
    count++;
  }
  return count ? (float)(sum / count) : v[i];
}

/* *OUT: HOST without voxels that stand alone, which no object is: broken ones; NULL where there are none. */
static hed_status mended(hed__matching *w, hed_array *host, double median, double far, hed_array **out)
{
  const hed_shape s = w->all->target;
  const int64_t n[3] = { s.ndim > 2 ? s.dim[0] : 1, s.dim[s.ndim - 2], s.dim[s.ndim - 1] };
  const float *v = hed_array_data(host);
  hed_array *copy = NULL;
  *out = NULL;
  for (int64_t i = 0; i < n[0] * n[1] * n[2] && far > 0; i++) {
    const float to = smoothed(v, n, i, median, far);
    if (!(to < v[i] || to > v[i]))
      continue;
    if (!copy && !(copy = hed_copy(host)))
      return hed_error();
    ((float *)hed_array_data(copy))[i] = to;
    w->out->n_clipped++;
  }
  if (copy)
    *out = hed_keep(hed_to(copy, hed_get_backend()));
  const hed_status status = copy && !*out ? hed_error() : HED_OK;
  hed_release(copy);
  return status;
}

/* F without voxels that stand alone, and with values far from its median set to the bounds; F itself where there are none. Uses F
 * up. */
static hed_array *clipped(hed__matching *w, hed_array *f)
{
  const double k = w->opt->clip > 0 ? w->opt->clip : 50;
  size_t n = voxels(w->all->target);
  double median = 0, deviation = 0;
  uint64_t beyond = 0;
  if (!f || isinf(k))
    return f;
  hed_array *host = hed__on_host(f), *better = NULL, *out = NULL;
  float *some = host && w->known ? known_of(w, hed_array_data(host), n, &n) : NULL;
  const float *v = some ? some : host && !w->known ? hed_array_data(host) : NULL;
  hed_status status = v ? hed__median(v, n, &median) : hed_error();
  if (status == HED_OK)
    status = hed__median_distance(v, n, median, &deviation);
  const double far = k * 1.4826 * deviation;
  if (status == HED_OK)
    status = mended(w, host, median, fmin(k, alone) * 1.4826 * deviation, &better);
  if (better) {
    hed_release(f);
    hed_release(host);
    f = better;
    if (!(host = hed__on_host(f)))
      status = hed_error();
  }
  v = host ? hed_array_data(host) : NULL;
  for (size_t i = 0; status == HED_OK && i < voxels(w->all->target); i++)
    beyond += (!w->known || w->known[i]) && fabs((double)v[i] - median) > far;
  free(some);
  hed_release(host);
  w->out->n_clipped += beyond;
  if (status == HED_OK && beyond == 0)
    return f;
  out = status == HED_OK ? hed_keep(hed_clip(f, median - far, median + far)) : NULL;
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
  const hed_status status = hed__expect_shape(op, "the target mask", hed_array_shape(mask), "the target", w->all->target);
  if (status != HED_OK)
    return status;
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
  hed_array *made = NULL, *out = hed__apply_filter(f, w->known, w->opt->faces, w->opt->target_filter, &made);
  digest(w, HED__SAME_FILTERS, made);
  hed_release(made);
  return out;
}

/* Where F is padding nothing is scored, and its voxels are in no window where windows are of a mask's values. */
static hed_status leave_out_voids(hed__matching *w, const hed_array *f)
{
  const size_t n = voxels(w->all->target);
  int64_t extent[3] = { 1, 1, 1 };
  size_t least = 0, count = 0;
  hed_array *host = NULL, *mask = NULL;
  hed_status status = HED_OK;
  if (!w->opt->target_filter || w->opt->voids == HED_VOIDS_KEEP)
    return HED_OK;
  for (int i = 0; i < w->all->ndim; i++)
    extent[3 - w->all->ndim + i] = w->all->target.dim[i];
  if (!(host = hed__on_host(f)) || !(mask = hed__on_host(w->m)))
    status = hed_error();
  for (size_t i = 0; status == HED_OK && i < voxels(w->all->tmpl); i++)
    least += ((const float *)hed_array_data(mask))[i] > 0;
  if (status == HED_OK)
    status = hed__find_voids(op, hed_array_data(host), extent, least, &w->known, &count);
  hed_release(host);
  hed_release(mask);
  w->out->n_void = count;
  if (status != HED_OK || !w->known)
    return status;
  if (!w->scored && !(w->scored = calloc(n, 1)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a target mask of %zu voxels", op, n);
  const bool masked = w->opt->target_mask != NULL;
  if (w->all->score->excludes) {
    if (!w->valid && !(w->valid = hed__host_empty(w->all->target, HED_FLOAT32)))
      return hed_error();
    float *v = hed_array_data(w->valid);
    for (size_t i = 0; i < n; i++)
      v[i] = !w->known[i] ? 0 : masked ? v[i] : 1;
  }
  for (size_t i = 0; i < n; i++)
    w->scored[i] = w->known[i] && (!masked || w->all->score->excludes || w->scored[i]);
  w->all->scored = w->scored;
  return HED_OK;
}

hed_status hed__take_inputs(hed__matching *w, const hed_array *target, const hed_array *const *tmpl, const hed_array *mask)
{
  hed_array *f = hed__checked(op, "target", target);
  digest(w, HED__SAME_TARGET, f);
  w->m = f ? mask_for(w->all, mask) : NULL;
  hed_status status = w->m ? leave_out_voids(w, f) : hed_error();
  if (status == HED_OK) {
    f = edges(w, filtered(w, clipped(w, f)));
    status = f ? HED_OK : hed_error();
  }
  for (size_t i = 0; i < w->n && status == HED_OK; i++) {
    w->g[i] = hed__checked(op, "template", tmpl[i]);
    digest(w, HED__SAME_TEMPLATE, w->g[i]);
    w->g[i] = edges(w, contrasted(w, w->g[i]));
    status = w->g[i] ? HED_OK : hed_error();
  }
  digest(w, HED__SAME_MASK, w->m);
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
