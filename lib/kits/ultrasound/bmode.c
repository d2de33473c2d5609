// SPDX-License-Identifier: BSD-3-Clause
/* Envelopes and their logarithms.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include <math.h>

static hed_array *envelope(const hed_array *x, const hed_axes *axes)
{
  const int32_t axis = hed__us_axis("us_envelope", x, axes, 0);
  const hed_array *f = axis < 0 ? NULL : hed__us_float(x);
  if (!f)
    return NULL;
  return hed_abs(hed__us_is_complex(f) ? f : hed_hilbert(f, &(hed_fft){ .axes = HED_AXES(axis) }));
}

hed_array *hed_us_envelope(const hed_array *x, const hed_axes *axis)
{
  if (!hed__operand_given("us_envelope", "x", x))
    return NULL;
  HED__US_RETURN(envelope(x, axis), NULL);
}

static hed_array *bmode_db(const hed_array *x, const hed_us_bmode *opt)
{
  static const char op[] = "us_bmode_db";
  const hed_us_bmode o = opt ? *opt : (hed_us_bmode){ 0 };
  const double range = o.dynamic_range == 0 ? 60 : o.dynamic_range;
  hed_axes batch, over;
  if (hed__us_axes(op, x, &o.batch, &batch, &over) != HED_OK)
    return NULL;
  if (!(range > 0) || !isfinite(range) || !(o.reference >= 0) || !isfinite(o.reference)) {
    (void)hed_fail(HED_E_INVAL, "%s: dynamic range %g dB, reference %g", op, range, o.reference);
    return NULL;
  }
  hed_array *v = hed_abs(hed__us_float(x));
  if (hed_array_size(v) <= 0)
    return v;
  /* The quotient is taken first: squares and logarithms of what the type can hold may be beyond it. */
  const hed_reduce most = { .axes = over.n ? over : HED_NO_AXES, .keepdims = true };
  hed_array *part = NULL;
  if (o.reference > 0)
    part = hed_divide_scalar(v, o.reference);
  else {
    hed_array *top = hed_max(v, &most);
    part = hed_divide_where(top, v, top, 0);
  }
  return hed_clip(hed_multiply_scalar(hed_log10(part), 20), -range, 0);
}

hed_array *hed_us_bmode_db(const hed_array *x, const hed_us_bmode *opt)
{
  if (!hed__operand_given("us_bmode_db", "x", x))
    return NULL;
  HED__US_RETURN(bmode_db(x, opt), NULL);
}
