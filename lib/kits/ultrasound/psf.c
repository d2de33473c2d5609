// SPDX-License-Identifier: BSD-3-Clause
/* Where a point target is, and what the host reads of it.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include "kits/member.h"
#include <math.h>
#include <stdlib.h>

/* |X|, of decibels their number. */
hed_array *hed__us_size(const hed_array *x, bool db, bool power)
{
  return db ? hed_exp(hed_multiply_scalar(x, log(10) / (power ? 10 : 20))) : hed_abs(x);
}

/* Whether a real IMAGE may be one of numbers: decibels below their largest have none above 0. */
static hed_status not_decibels(const char *op, const hed_array *image)
{
  double most = 1, least = 0;
  hed__us_work w;
  if (hed__us_is_complex(image) || hed_array_size(image) == 0)
    return HED_OK;
  if (!hed__us_begin(&w, "range of values", false))
    return hed_error();
  hed_status status = hed_item(hed_max(hed__us_float(image), NULL), &most);
  if (status == HED_OK && most <= 0)
    status = hed_item(hed_min(hed__us_float(image), NULL), &least);
  hed__us_end(&w);
  return status == HED_OK && most <= 0 && least < 0
             ? hed_fail(HED_E_INVAL, "%s: image has values from %g to %g; decibels are measured with db", op, least, most) : status;
}

/* The largest of |image| between FIRST and END along each axis, where ROI, when there is one, is true. */
static hed_status largest(const hed__us_target *t, const hed_array *image, const hed_array *roi, const hed_slice_range *range,
                          int64_t *peak)
{
  const hed_shape whole = hed_array_shape(image);
  const char *const op = t->op;
  int64_t at = 0, count = 1;
  double value = 0;
  hed__us_work w;
  if (!hed__us_begin(&w, "largest value", false))
    return hed_error();
  hed_array *size = hed__us_size(hed_slice(hed__us_float(image), whole.ndim, range), t->db, t->power);
  if (roi)
    size = hed_where_scalar(roi, size, -1);
  const hed_shape s = hed_array_shape(size);
  hed_status status = roi ? hed_item_int(hed_count_nonzero(roi, NULL), &count) : HED_OK;
  if (status == HED_OK && (count == 0 || hed_array_size(size) == 0))
    status = hed_fail(HED_E_INVAL, "%s: %s has no elements", op, roi ? "roi" : "image");
  if (status == HED_OK)
    status = hed_item_int(hed_argmax(size, NULL), &at);
  if (status == HED_OK)
    status = hed_item(hed_index(hed_ravel(size), 0, at), &value);
  for (int32_t k = s.ndim - 1; k >= 0 && status == HED_OK; k--) {
    peak[k] = at % s.dim[k];
    at /= s.dim[k];
  }
  hed__us_end(&w);
  if (status == HED_OK && !(value > 0 && isfinite(value)))
    return hed_fail(HED_E_INVAL, "%s: the largest value is %g; a finite one above 0 is needed", op, value);
  return status;
}

static hed_status measured(const char *op, const hed_array *image, const hed_axes *axes, hed_axes *out)
{
  const hed_shape s = hed_array_shape(image);
  hed_axes others;
  if (!hed__operand_given(op, "image", image))
    return hed_error();
  if (axes && axes->n)
    return hed__us_axes(op, image, axes, out, &others) == HED_OK ? (*out = *axes, HED_OK) : hed_error();
  *out = (hed_axes){ 0, { 0 } };
  for (int32_t k = 0; k < s.ndim; k++)
    if (s.dim[k] > 1)
      out->axis[out->n++] = k;
  return out->n ? HED_OK : hed_fail(HED_E_SHAPE, "%s: no axis of the image has more than one element", op);
}

hed_status hed_us_psf_axes(const hed_array *image, const hed_us_psf *opt, hed_axes *out)
{
  static const char op[] = "us_psf_axes";
  hed_axes axes;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  hed_status status = measured(op, image, opt ? &opt->axes : NULL, &axes);
  for (int32_t i = 0; status == HED_OK && i < axes.n; i++)
    if (axes.axis[i] < 0)
      axes.axis[i] += hed_array_ndim(image);
  if (status == HED_OK)
    *out = axes;
  return status;
}

hed_status hed__us_target_find(const char *op, const hed_array *image, const hed_us_psf *opt, hed__us_target *t)
{
  const hed_array *roi = opt ? opt->roi : NULL;
  const int64_t radius = opt ? opt->radius : 0;
  hed_slice_range range[HED_MAX_NDIM];
  hed_axes every = { 0, { 0 } };
  *t = (hed__us_target){ .op = op, .db = opt && opt->db, .power = opt && opt->power, .spacing = opt ? opt->spacing : NULL,
                          .shape = hed_array_shape(image) };
  hed_status status = hed__operand_given(op, "image", image) ? hed_us_psf_axes(image, opt, &t->axes) : hed_error();
  if (status != HED_OK)
    return status;
  if (opt && hed__expect_member(op, "method", (int)opt->method, HED_US_GAUSSIAN, HED_US_LINE, "hed_us_width") != HED_OK)
    return hed_error();
  if (radius < 0)
    return hed_fail(HED_E_INVAL, "%s: radius %lld is negative", op, (long long)radius);
  for (int32_t i = 0; t->spacing && i < t->axes.n; i++)
    if (!(t->spacing[i] > 0) || !isfinite(t->spacing[i]))
      return hed_fail(HED_E_INVAL, "%s: spacing %g along axis %d", op, t->spacing[i], (int)t->axes.axis[i]);
  for (int32_t k = 0; k < t->shape.ndim; k++) {
    range[k] = HED_ALL;
    every.axis[every.n++] = k;
  }
  if (t->db && hed__us_is_complex(image))
    return hed_fail(HED_E_DTYPE, "%s: image is %s; decibels are real", op, hed_dtype_name(hed_array_dtype(image)));
  if (!t->db && (status = not_decibels(op, image)) != HED_OK)
    return status;
  if (roi && !hed__us_mask_fits(op, "roi", roi, image, &every))
    return hed_error();
  status = largest(t, image, roi, range, t->peak);
  if (status != HED_OK || radius == 0)
    return status;
  int64_t first[HED_MAX_NDIM];
  for (int32_t k = 0; k < t->shape.ndim; k++) {
    first[k] = t->peak[k] > radius ? t->peak[k] - radius : 0;
    range[k] = HED_RANGE(first[k], t->shape.dim[k] - t->peak[k] > radius ? t->peak[k] + radius + 1 : t->shape.dim[k], 1);
  }
  status = largest(t, image, NULL, range, t->peak);
  for (int32_t k = 0; k < t->shape.ndim; k++)
    t->peak[k] += first[k];
  return status;
}

hed_status hed_us_peak(const hed_array *image, const hed_us_psf *opt, int64_t *index)
{
  static const char op[] = "us_peak";
  hed__us_target t;
  if (!index)
    return hed_fail(HED_E_INVAL, "%s: index is NULL", op);
  hed_status status = hed__us_target_find(op, image, opt, &t);
  for (int32_t k = 0; status == HED_OK && k < t.shape.ndim; k++)
    index[k] = t.peak[k];
  return status;
}

hed_status hed__us_target_read(const hed__us_target *t, const hed_array *image, const int64_t *first, const int64_t *size,
                               double **out)
{
  hed_slice_range range[HED_MAX_NDIM];
  hed_axes to = t->axes;
  hed__us_work w;
  size_t n = 1;
  for (int32_t k = 0; k < t->shape.ndim; k++)
    range[k] = HED_RANGE(t->peak[k], t->peak[k] + 1, 1);
  for (int32_t i = 0; i < t->axes.n; i++) {
    range[t->axes.axis[i]] = HED_RANGE(first[i], first[i] + size[i], 1);
    n *= (size_t)size[i]; /* of elements that are there */
    to.axis[i] = i;
  }
  if (!(*out = malloc(n * sizeof **out)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu values", t->op, n);
  hed_status status = hed__us_begin(&w, "values around the peak", false) ? HED_OK : hed_error();
  if (status == HED_OK) {
    hed_array *part = hed__us_size(hed__us_wide(hed_slice(image, t->shape.ndim, range)), t->db, t->power);
    status = hed_tolist(hed_ravel(hed_moveaxes(part, &t->axes, &to)), *out, (int64_t)n);
    hed__us_end(&w);
  }
  if (status != HED_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

double hed__us_half(const double *line, int64_t n, int64_t peak, int step)
{
  const double half = line[peak] / 2;
  for (int64_t i = peak + step; i >= 0 && i < n; i += step) {
    if (isnan(line[i]))
      break;
    if (line[i] <= half)
      return (double)(i - step) + step * (line[i - step] - half) / (line[i - step] - line[i]);
  }
  return NAN;
}
