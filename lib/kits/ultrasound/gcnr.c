// SPDX-License-Identifier: BSD-3-Clause
/* Overlap of two histograms.
 *
 * Layer: L4, ultrasound kit. Histograms have no batch of their own, so elements of the batch are taken one after the other.
 */
#include "kits/ultrasound/region.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "us_gcnr";

/* Least and largest value of both regions, for each element of the batch, on the host. */
static hed_status limits(hed__us_region r[2], size_t n, double *low, double *high)
{
  hed_array *least = hed_minimum(hed_min(r[0].x, &r[0].over), hed_min(r[1].x, &r[1].over));
  hed_array *most = hed_maximum(hed_max(r[0].x, &r[0].over), hed_max(r[1].x, &r[1].over));
  hed_status status = hed_tolist(hed_ravel(least), low, (int64_t)n);
  if (status == HED_OK)
    status = hed_tolist(hed_ravel(most), high, (int64_t)n);
  for (size_t i = 0; i < n && status == HED_OK; i++)
    if (!isfinite(low[i]) || !isfinite(high[i]))
      status = hed_fail(HED_E_INVAL, "%s: values from %g to %g; all must be finite", op, low[i], high[i]);
  return status;
}

/* Counts of one region in the bins of OPT, and how many values they hold. */
static hed_array *counts(const hed_array *x, int64_t n, const hed_histogram_options *opt, const char *name, int64_t *total)
{
  hed_array *h = NULL;
  *total = n;
  if (hed_histogram(x, opt, &h, NULL) != HED_OK || (opt->edges && hed_item_int(hed_sum(h, NULL), total) != HED_OK))
    return NULL;
  if (*total > 0)
    return h;
  (void)hed_fail(HED_E_INVAL, "%s: none of %lld values %s lies within the edges", op, (long long)n, name);
  return NULL;
}

/* In whole numbers over n_in n_out, so that nothing is rounded before the end. */
static hed_array *overlap(const hed_array *in, const hed_array *out, const hed__us_region r[2], const hed_histogram_options *opt)
{
  int64_t n_in, n_out;
  hed_array *a = counts(in, r[0].n, opt, "inside", &n_in), *b = a ? counts(out, r[1].n, opt, "outside", &n_out) : NULL;
  if (!b)
    return NULL;
  if (n_in > INT64_MAX / n_out) {
    (void)hed_fail(HED_E_UNSUPPORTED, "%s: %lld values inside and %lld outside are too many", op, (long long)n_in, (long long)n_out);
    return NULL;
  }
  hed_array *shared = hed_minimum(hed_multiply(a, hed_scalar_int(n_out)), hed_multiply(b, hed_scalar_int(n_in)));
  hed_array *apart = hed_subtract(hed_scalar_int(n_in * n_out), hed_sum(shared, NULL));
  return hed_divide_scalar(hed_astype(apart, hed__us_widest()), (double)(n_in * n_out));
}

/* Element I of a batch, whose axes lead. */
static hed_array *element(const hed__us_region *r, int64_t i)
{
  if (r->shape.ndim == 0)
    return r->x;
  const hed_shape s = hed_array_shape(r->x);
  hed_axes to = { r->shape.ndim, { 0 } }, from = to;
  bool over[HED_MAX_NDIM] = { false };
  for (int32_t k = 0; k < r->over.axes.n; k++)
    over[r->over.axes.axis[k]] = true;
  for (int32_t k = 0, j = 0; k < s.ndim; k++)
    if (!over[k]) {
      to.axis[j] = j;
      from.axis[j++] = k;
    }
  hed_array *x = hed_moveaxes(r->x, &from, &to);
  int64_t at[HED_MAX_NDIM];
  for (int32_t k = r->shape.ndim - 1; k >= 0; k--) {
    at[k] = i % r->shape.dim[k];
    i /= r->shape.dim[k];
  }
  for (int32_t k = 0; k < r->shape.ndim; k++)
    x = hed_index(x, 0, at[k]);
  return x;
}

static hed_array *each(hed__us_region r[2], const hed_us_region *o, size_t n, const double *low, const double *high,
                       hed_array **part)
{
  hed_histogram_options bins = { .bins = o->bins ? o->bins : 100, .use_range = true, .edges = o->edges };
  for (size_t i = 0; i < n; i++) {
    hed__us_work w;
    if (!hed__us_begin(&w, "overlap", false))
      return NULL;
    bins.low = low[i];
    bins.high = high[i];
    part[i] = hed_keep(overlap(element(&r[0], (int64_t)i), element(&r[1], (int64_t)i), r, &bins));
    hed__us_end(&w);
    if (!part[i])
      return NULL;
  }
  return hed_reshape(hed_stack((int)n, (const hed_array *const *)part, 0), r[0].shape);
}

static hed_array *gcnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  static const hed_us_region none;
  const hed_us_region *o = opt ? opt : &none;
  hed__us_region r[2];
  hed_array *out = NULL;
  int64_t size = 1;
  if (!hed__us_regions(op, inside, outside, o, r))
    return NULL;
  if (o->bins < 0 || (o->bins > 0 && o->edges)) {
    (void)hed_fail(HED_E_INVAL, "%s: %lld bins%s", op, (long long)o->bins, o->edges ? " and edges" : "");
    return NULL;
  }
  for (int i = 0; i < 2; i++) {
    r[i].x = hed__us_is_complex(r[i].x) ? hed_abs(hed__us_wide(r[i].x)) : hed_dtype_kind(hed_array_dtype(r[i].x)) == HED_KIND_BOOL
      ? hed_astype(r[i].x, HED_UINT8) : r[i].x;
    if (!r[i].x)
      return NULL;
  }
  for (int32_t i = 0; i < r[0].shape.ndim; i++)
    size *= r[0].shape.dim[i];
  if (size == 0)
    return hed_zeros(r[0].shape, hed__us_widest());
  const size_t n = (size_t)size;
  double *ends = malloc(2 * n * sizeof *ends);
  hed_array **part = calloc(n, sizeof(hed_array *));
  if (!ends || !part)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for a batch of %zu", op, n);
  else if (limits(r, n, ends, ends + n) == HED_OK)
    out = each(r, o, n, ends, ends + n, part);
  for (size_t i = 0; part && i < n; i++)
    hed_release(part[i]);
  free(part);
  free(ends);
  return out;
}

hed_array *hed_us_gcnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  HED__US_RETURN(gcnr(inside, outside, opt), hed__us_regions_dtype(inside, outside));
}
