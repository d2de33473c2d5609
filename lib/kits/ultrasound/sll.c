// SPDX-License-Identifier: BSD-3-Clause
/* Side lobes of point targets.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>
#include <stdlib.h>

/* The first local maximum beyond the first local minimum after half of the peak is passed; NAN without. A plateau counts when
 * it falls behind. */
static double side_lobe(const double *v, int64_t n, int64_t peak, int step)
{
  const double half = hed__us_half(v, n, peak, step);
  if (isnan(half))
    return NAN;
  int64_t i = step > 0 ? (int64_t)ceil(half) : (int64_t)floor(half);
  const int64_t end = step > 0 ? n - 1 : 0;
  while (i != end && v[i + step] <= v[i])
    i += step;
  while (i != end && v[i + step] >= v[i])
    i += step;
  return i != end ? v[i] : NAN;
}

hed_status hed_us_sll(const hed_array *image, const hed_us_psf *opt, double *level)
{
  static const char op[] = "us_sll";
  hed__us_target t;
  double got[HED_MAX_NDIM];
  if (!level)
    return hed_fail(HED_E_INVAL, "%s: level is NULL", op);
  hed_status status = hed__us_target_find(op, image, opt, &t);
  const hed_axes axes = t.axes;
  for (int32_t i = 0; status == HED_OK && i < axes.n; i++) {
    const int32_t axis = axes.axis[i];
    const int64_t first = 0, n = t.shape.dim[axis], peak = t.peak[axis];
    double *line;
    t.axes = HED_AXES(axis);
    if ((status = hed__us_target_read(&t, image, &first, &n, &line)) == HED_OK) {
      const double side = fmax(side_lobe(line, n, peak, 1), side_lobe(line, n, peak, -1));
      got[i] = (opt && opt->power ? 10 : 20) * log10(side / line[peak]);
      free(line);
    }
  }
  for (int32_t i = 0; status == HED_OK && i < axes.n; i++)
    level[i] = got[i];
  return status;
}
