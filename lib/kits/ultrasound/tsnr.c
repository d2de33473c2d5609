// SPDX-License-Identifier: BSD-3-Clause
/* How steady each place is over frames.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>

static hed_array *tsnr(const hed_array *x, const hed_us_time *opt)
{
  static const char op[] = "us_tsnr";
  const int32_t axis = hed__us_axis(op, x, opt ? &opt->axis : NULL, -1);
  if (axis < 0)
    return NULL;
  const int64_t frames = hed_array_shape(x).dim[axis];
  if (frames < 2) {
    (void)hed_fail(HED_E_SHAPE, "%s: %lld frames along axis %d; at least 2 are needed", op, (long long)frames, (int)axis);
    return NULL;
  }
  const hed_reduce over = { .axes = HED_AXES(axis) };
  const hed_array *f = hed__us_float(x);
  /* the quotient is squared, not its parts: squares of what the type can hold may be beyond it */
  hed_array *noise = hed_std(f, &over), *signal = hed_abs(hed_mean(f, &over));
  hed_array *out = hed_square(hed_divide_where(noise, signal, noise, INFINITY));
  return opt && opt->db ? hed__us_decibels(out) : out;
}

hed_array *hed_us_tsnr(const hed_array *x, const hed_us_time *opt)
{
  if (!hed__operand_given("us_tsnr", "x", x))
    return NULL;
  HED__US_RETURN(tsnr(x, opt), hed__us_result_dtype(x));
}
