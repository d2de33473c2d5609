// SPDX-License-Identifier: BSD-3-Clause
/* Arguments of the ultrasound kit.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>

bool hed__us_is_complex(const hed_array *x)
{
  return hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX;
}

static bool is_single(const hed_array *x)
{
  const hed_dtype t = hed_array_dtype(x);
  return t == HED_FLOAT32 || t == HED_COMPLEX64 || t == HED_FLOAT16 || t == HED_BFLOAT16;
}

hed_dtype hed__us_widest(void)
{
  return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
}

hed_dtype hed__us_result_dtype(const hed_array *x)
{
  return is_single(x) ? HED_FLOAT32 : hed__us_widest();
}

/* Not a view where it is T already: in a scope of fusion that would be a copy. */
static const hed_array *as(const hed_array *x, hed_dtype t)
{
  return x && hed_array_dtype(x) == t ? x : hed_astype(x, t);
}

const hed_array *hed__us_float(const hed_array *x)
{
  return as(x, hed__us_is_complex(x) ? hed_array_dtype(x) : hed__us_result_dtype(x));
}

const hed_array *hed__us_wide(const hed_array *x)
{
  return as(x, hed__us_is_complex(x) ? hed_dtype_promote(hed__us_widest(), HED_COMPLEX64) : hed__us_widest());
}

hed_array *hed__us_power(const hed_array *x)
{
  return hed__us_is_complex(x) ? hed_add(hed_square(hed_real(x)), hed_square(hed_imag(x))) : hed_square(x);
}

hed_array *hed__us_decibels(const hed_array *x)
{
  return hed_multiply_scalar(hed_log10(x), 10);
}

/* Axis K of NDIM, or -1. */
static int32_t from_zero(int32_t k, int32_t ndim)
{
  return k >= -ndim && k < ndim ? (k + ndim) % ndim : -1;
}

int32_t hed__us_axis(const char *op, const hed_array *x, const hed_axes *axes, int32_t fallback)
{
  const int32_t ndim = hed_array_ndim(x), k = axes && axes->n != 0 ? axes->axis[0] : fallback;
  const int32_t axis = from_zero(k, ndim);
  if (axes && axes->n != 0 && axes->n != 1)
    (void)hed_fail(HED_E_INVAL, "%s: %d axes; one is expected", op, (int)axes->n);
  else if (axis < 0)
    (void)hed_fail(HED_E_AXIS, "%s: axis %d of an array with %d", op, (int)k, (int)ndim);
  else
    return axis;
  return -1;
}

hed_status hed__us_axes(const char *op, const hed_array *x, const hed_axes *axes, hed_axes *sorted, hed_axes *others)
{
  const int32_t ndim = hed_array_ndim(x), n = axes ? axes->n : 0;
  bool listed[HED_MAX_NDIM] = { false };
  if (n < 0 || n > ndim)
    return hed_fail(HED_E_AXIS, "%s: %d axes of an array with %d", op, (int)n, (int)ndim);
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = from_zero(axes->axis[i], ndim);
    if (k < 0)
      return hed_fail(HED_E_AXIS, "%s: axis %d of an array with %d", op, (int)axes->axis[i], (int)ndim);
    if (listed[k])
      return hed_fail(HED_E_INVAL, "%s: axis %d is listed twice", op, (int)axes->axis[i]);
    listed[k] = true;
  }
  *sorted = *others = (hed_axes){ 0, { 0 } };
  for (int32_t k = 0; k < ndim; k++) {
    hed_axes *to = listed[k] ? sorted : others;
    to->axis[to->n++] = k;
  }
  return HED_OK;
}

bool hed__us_mask_fits(const char *op, const char *name, const hed_array *mask, const hed_array *x, const hed_axes *axes)
{
  const hed_shape m = hed_array_shape(mask), s = hed_array_shape(x);
  if (hed_array_dtype(mask) != HED_BOOL) {
    (void)hed_fail(HED_E_DTYPE, "%s: %s is %s, not bool", op, name, hed_dtype_name(hed_array_dtype(mask)));
    return false;
  }
  if (m.ndim != axes->n) {
    (void)hed_fail(HED_E_SHAPE, "%s: %s has %d axes, the region %d", op, name, (int)m.ndim, (int)axes->n);
    return false;
  }
  for (int32_t i = 0; i < axes->n; i++)
    if (m.dim[i] != s.dim[axes->axis[i]]) {
      (void)hed_fail(HED_E_SHAPE, "%s: axis %d of %s has %lld elements, the region %lld", op, (int)i, name, (long long)m.dim[i],
                     (long long)s.dim[axes->axis[i]]);
      return false;
    }
  return true;
}

bool hed__us_begin(hed__us_work *w, const char *stage, bool fused)
{
  w->range = hed_profile_range_begin(stage);
  w->fused = fused && hed_fuse_begin(&w->fuse) == HED_OK;
  if (hed_scope_begin(&w->scope) == HED_OK)
    return true;
  if (w->fused)
    (void)hed_fuse_end(&w->fuse);
  hed_profile_range_end(w->range);
  return false;
}

void hed__us_end(hed__us_work *w)
{
  hed_scope_end(&w->scope);
  if (w->fused)
    (void)hed_fuse_end(&w->fuse);
  hed_profile_range_end(w->range);
}

hed_array *hed__us_hand_on(hed_array *kept, hed_dtype t)
{
  hed_array *out = kept ? hed_astype(kept, t ? t : hed_array_dtype(kept)) : NULL;
  hed_release(kept);
  return out;
}
