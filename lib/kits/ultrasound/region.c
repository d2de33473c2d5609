// SPDX-License-Identifier: BSD-3-Clause
/* Contrast between two regions.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/region.h"
#include <math.h>

/* Values of one region: those under a mask come in front, one axis of them. */
static hed_status pick(const char *op, const char *name, const hed_array *x, const hed_array *mask, const hed_axes *batch,
                       hed__us_region *r)
{
  hed_axes kept, over;
  const hed_shape s = hed_array_shape(x);
  hed_status status = hed__us_axes(op, x, batch, &kept, &over);
  *r = (hed__us_region){ .n = 1 };
  if (status != HED_OK)
    return status;
  if (mask && !hed__us_mask_fits(op, name, mask, x, &over))
    return hed_error();
  r->shape.ndim = kept.n;
  for (int32_t i = 0; i < kept.n; i++)
    r->shape.dim[i] = s.dim[kept.axis[i]];
  if (mask) {
    hed_axes ends = kept;
    for (int32_t i = 0; i < kept.n; i++)
      ends.axis[i] = s.ndim - kept.n + i;
    r->x = hed_compress(kept.n ? hed_moveaxes(x, &kept, &ends) : x, mask);
    r->over.axes = HED_AXES(0);
    r->n = r->x ? hed_array_shape(r->x).dim[0] : 1;
  } else {
    r->x = hed_reshape(x, s);
    r->over.axes = over.n ? over : HED_NO_AXES;
    for (int32_t i = 0; i < over.n; i++)
      r->n *= s.dim[over.axis[i]];
  }
  if (r->x && r->n < 1)
    return hed_fail(HED_E_INVAL, "%s: the region %s has no elements", op, name);
  return r->x ? HED_OK : hed_error();
}

bool hed__us_regions(const char *op, const hed_array *inside, const hed_array *outside, const hed_us_region *opt,
                     hed__us_region r[2])
{
  static const hed_us_region none;
  const hed_us_region *o = opt ? opt : &none;
  if (!hed__operand_given(op, "the first region", inside) || !hed__operand_given(op, "the second region", outside) ||
      pick(op, o->inside_mask ? "inside_mask" : "inside", inside, o->inside_mask, &o->batch, &r[0]) != HED_OK ||
      pick(op, o->outside_mask ? "outside_mask" : "outside", outside, o->outside_mask, &o->batch, &r[1]) != HED_OK)
    return false;
  for (int32_t i = 0; i < r[0].shape.ndim; i++)
    if (r[0].shape.dim[i] != r[1].shape.dim[i]) {
      (void)hed_fail(HED_E_SHAPE, "%s: axis %d of the batch has %lld elements inside, %lld outside", op, (int)i,
                     (long long)r[0].shape.dim[i], (long long)r[1].shape.dim[i]);
      return false;
    }
  return true;
}

hed_dtype hed__us_regions_dtype(const hed_array *inside, const hed_array *outside)
{
  const bool single = inside && outside && hed__us_result_dtype(inside) == HED_FLOAT32 && hed__us_result_dtype(outside) == HED_FLOAT32;
  return single ? HED_FLOAT32 : hed__us_widest();
}

/* Centre and spread of one region's |x|^2 or |x|. */
static void spread(const hed__us_region *r, bool amplitude, bool median, hed_array **centre, hed_array **variance)
{
  const hed_array *wide = hed__us_wide(r->x), *p = amplitude ? hed_abs(wide) : hed__us_power(wide);
  hed_reduce keep = r->over;
  keep.keepdims = true;
  if (median) {
    *centre = hed_median(p, &r->over);
    *variance = hed_median(hed_square(hed_subtract(p, hed_median(p, &keep))), &r->over);
  } else {
    *centre = hed_mean(p, &r->over);
    *variance = hed_var(p, &r->over);
  }
}

static hed_array *cnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  static const hed_us_region none;
  const hed_us_region *o = opt ? opt : &none;
  hed__us_region r[2];
  hed_array *m[2], *v[2];
  if (!hed__us_regions("us_cnr", inside, outside, o, r))
    return NULL;
  spread(&r[0], o->amplitude, o->inside_median, &m[0], &v[0]);
  spread(&r[1], o->amplitude, o->outside_median, &m[1], &v[1]);
  hed_array *out = hed_subtract(m[0], m[1]), *sum = NULL;
  if (!o->no_inside_variance)
    sum = v[0];
  if (!o->no_outside_variance)
    sum = o->no_inside_variance ? v[1] : hed_add(v[0], v[1]);
  if (!o->no_inside_variance || !o->no_outside_variance)
    out = hed_divide(out, hed_sqrt(hed_multiply_scalar(sum, o->amplitude ? 0.5 : 1)));
  return o->db ? hed__us_decibels(hed_square(out)) : out;
}

hed_array *hed_us_cnr(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  HED__US_RETURN(cnr(inside, outside, opt), hed__us_regions_dtype(inside, outside));
}

static hed_array *contrast(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  hed__us_region r[2];
  if (!hed__us_regions("us_contrast", inside, outside, opt, r))
    return NULL;
  hed_array *out = hed_divide(hed_mean(hed__us_power(hed__us_wide(r[0].x)), &r[0].over),
                              hed_mean(hed__us_power(hed__us_wide(r[1].x)), &r[1].over));
  return opt && opt->db ? hed__us_decibels(out) : out;
}

hed_array *hed_us_contrast(const hed_array *inside, const hed_array *outside, const hed_us_region *opt)
{
  HED__US_RETURN(contrast(inside, outside, opt), hed__us_regions_dtype(inside, outside));
}
