// SPDX-License-Identifier: BSD-3-Clause
/* Widths of point targets.
 *
 * Layer: L4, ultrasound kit.
 */
#include "base/invariant.h"
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>
#include <stdlib.h>

static const char op[] = "us_fwhm";

/* Along every measured axis, in elements. */
static hed_status by_line(const hed__us_target *t, const hed_array *image, double *width)
{
  hed_status status = HED_OK;
  for (int32_t i = 0; i < t->axes.n && status == HED_OK; i++) {
    int64_t first[HED_MAX_NDIM], size[HED_MAX_NDIM];
    double *line;
    for (int32_t k = 0; k < t->axes.n; k++) {
      first[k] = k == i ? 0 : t->peak[t->axes.axis[k]];
      size[k] = k == i ? t->shape.dim[t->axes.axis[k]] : 1;
    }
    if ((status = hed__us_target_read(t, image, first, size, &line)) != HED_OK)
      break;
    const int64_t at = t->peak[t->axes.axis[i]];
    width[i] = hed__us_half(line, size[i], at, 1) - hed__us_half(line, size[i], at, -1);
    free(line);
  }
  return status;
}

/* Places of a window's elements beside their peak, in units of the line's width along each axis. */
static double *places(int n, const int64_t *peak, const int64_t *first, const int64_t *size, size_t total, const double *width)
{
  HED__ASSERT(n >= 1 && total > 0);
  double *place = malloc(total * (size_t)n * sizeof *place);
  for (size_t e = 0; place && e < total; e++) {
    size_t rest = e;
    for (int i = n - 1; i >= 0; i--) {
      place[e * (size_t)n + (size_t)i] = (double)(first[i] + (int64_t)(rest % (size_t)size[i]) - peak[i]) / width[i];
      rest /= (size_t)size[i];
    }
  }
  if (!place)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for a window of %zu", op, total);
  return place;
}

/* A Gaussian over the window, WIDTH the line's widths in and its own out, in elements. The fit is in units of those widths, so
 * an angle is between axes of unequal unit: rotated fits take the spacing for unit. */
static hed_status by_gaussian(const hed__us_target *t, const hed_array *image, bool rotated, double *width, double *angle)
{
  const int n = t->axes.n;
  const double to_sigma = 1 / (2 * sqrt(2 * log(2)));
  double p[HED__US_PARAMETERS] = { 0 }, unit[HED_MAX_NDIM], *value = NULL, *place = NULL;
  int64_t first[HED_MAX_NDIM], size[HED_MAX_NDIM], peak[HED_MAX_NDIM];
  size_t total = 1;
  for (int i = 0; i < n; i++) {
    const int64_t extent = t->shape.dim[t->axes.axis[i]];
    const double reach = fmax(2, ceil(2 * width[i]));
    peak[i] = t->peak[t->axes.axis[i]];
    first[i] = (double)peak[i] > reach ? peak[i] - (int64_t)reach : 0;
    size[i] = ((double)(extent - peak[i]) > reach ? peak[i] + (int64_t)reach + 1 : extent) - first[i];
    total *= (size_t)size[i];
    unit[i] = rotated ? 1 / (t->spacing ? t->spacing[i] : 1) : width[i];
    p[2 + n + i] = to_sigma * width[i] / unit[i];
  }
  hed_status status = hed__us_target_read(t, image, first, size, &value);
  if (status == HED_OK && !(place = places(n, peak, first, size, total, unit)))
    status = hed_error();
  if (status == HED_OK) {
    for (size_t e = 0; e < total; e++)
      p[0] = fmax(p[0], value[e]);
    const bool fits = hed__us_fit_gaussian(n, rotated, total, place, value, p);
    for (int i = 0; i < n; i++)
      width[i] = fits ? fabs(p[2 + n + i]) / to_sigma * (rotated ? 1 : unit[i]) : NAN;
    *angle = fits ? p[2 + 2 * n] : NAN;
  }
  free(place);
  free(value);
  return status;
}

/* Those of the target's axes along which half of the maximum is reached. */
static hed__us_target reached(const hed__us_target *t, const double *width, int32_t *which)
{
  hed__us_target out = *t;
  out.axes.n = 0;
  for (int32_t i = 0; i < t->axes.n; i++)
    if (isfinite(width[i])) {
      which[out.axes.n] = i;
      out.axes.axis[out.axes.n++] = t->axes.axis[i];
    }
  return out;
}

hed_status hed_us_fwhm(const hed_array *image, const hed_us_psf *opt, double *width)
{
  const bool rotated = opt && opt->rotated;
  const int32_t method = opt ? opt->method : HED_US_GAUSSIAN;
  double got[HED_MAX_NDIM], some[HED_MAX_NDIM], angle = NAN;
  int32_t which[HED_MAX_NDIM];
  hed__us_target t;
  if (!width)
    return hed_fail(HED_E_INVAL, "%s: width is NULL", op);
  hed_status status = hed__us_target_find(op, image, opt, &t);
  if (status == HED_OK && rotated && (t.axes.n != 2 || method != HED_US_GAUSSIAN))
    status = hed_fail(HED_E_INVAL, "%s: rotated is for a Gaussian of two axes; %s of %d", op,
                      method == HED_US_LINE ? "this is a line" : "this is one", (int)t.axes.n);
  if (status == HED_OK)
    status = by_line(&t, image, got);
  if (status == HED_OK && method == HED_US_GAUSSIAN) {
    const hed__us_target part = reached(&t, got, which);
    for (int32_t i = 0; i < part.axes.n; i++)
      some[i] = got[which[i]];
    if (rotated && part.axes.n < 2)
      got[0] = got[1] = NAN;
    else if (part.axes.n > 0 && (status = by_gaussian(&part, image, rotated, some, &angle)) == HED_OK)
      for (int32_t i = 0; i < part.axes.n; i++)
        got[which[i]] = some[i];
  }
  if (status != HED_OK)
    return status;
  for (int32_t i = 0; i < t.axes.n; i++)
    width[i] = got[i] * (t.spacing && !rotated ? t.spacing[i] : 1);
  if (rotated)
    width[t.axes.n] = angle;
  return HED_OK;
}
