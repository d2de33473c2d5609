// SPDX-License-Identifier: BSD-3-Clause
/* Regions of interest in metres.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>

/* Places Z as a column, and X, in float64; false and an error. */
static bool places(const char *op, const hed_array *z, const hed_array *x, hed_array **column, const hed_array **row)
{
  const hed_array *const given[2] = { z, x };
  static const char *const name[2] = { "z", "x" };
  for (int i = 0; i < 2; i++) {
    if (!hed__operand_given(op, name[i], given[i]))
      return false;
    if (hed_array_ndim(given[i]) != 1 || hed__us_is_complex(given[i])) {
      (void)hed_fail(HED_E_SHAPE, "%s: %s is %s with %d axes; one of real numbers is expected", op, name[i],
                     hed_dtype_name(hed_array_dtype(given[i])), (int)hed_array_ndim(given[i]));
      return false;
    }
  }
  *row = hed__us_wide(x);
  *column = hed_expand_dims(hed__us_wide(z), 1);
  return *row && *column;
}

static hed_array *between(const hed_array *v, double low, double high)
{
  return hed_logical_and(hed_greater_equal_scalar(v, low), hed_less_equal_scalar(v, high));
}

static hed_array *ring(const char *op, const hed_array *z, const hed_array *x, double z0, double x0, double inner, double outer)
{
  hed_array *column;
  const hed_array *row;
  if (!(inner >= 0 && inner <= outer) || !isfinite(z0) || !isfinite(x0)) {
    (void)hed_fail(HED_E_INVAL, "%s: radius %g to %g around (%g, %g)", op, inner, outer, z0, x0);
    return NULL;
  }
  if (!places(op, z, x, &column, &row))
    return NULL;
  return between(hed_hypot(hed_subtract_scalar(column, z0), hed_subtract_scalar(row, x0)), inner, outer);
}

hed_array *hed_us_region_ring(const hed_array *z, const hed_array *x, double z0, double x0, double inner, double outer)
{
  HED__US_RETURN(ring("us_region_ring", z, x, z0, x0, inner, outer), NULL);
}

hed_array *hed_us_region_circle(const hed_array *z, const hed_array *x, double z0, double x0, double radius)
{
  HED__US_RETURN(ring("us_region_circle", z, x, z0, x0, 0, radius), NULL);
}

static hed_array *rectangle(const hed_array *z, const hed_array *x, double z_low, double z_high, double x_low, double x_high)
{
  static const char op[] = "us_region_rectangle";
  hed_array *column;
  const hed_array *row;
  if (!(z_low <= z_high && x_low <= x_high)) {
    (void)hed_fail(HED_E_INVAL, "%s: z from %g to %g, x from %g to %g", op, z_low, z_high, x_low, x_high);
    return NULL;
  }
  if (!places(op, z, x, &column, &row))
    return NULL;
  return hed_logical_and(between(column, z_low, z_high), between(row, x_low, x_high));
}

hed_array *hed_us_region_rectangle(const hed_array *z, const hed_array *x, double z_low, double z_high, double x_low, double x_high)
{
  HED__US_RETURN(rectangle(z, x, z_low, z_high, x_low, x_high), NULL);
}
