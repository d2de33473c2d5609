// SPDX-License-Identifier: BSD-3-Clause
/* Elements that a converter has cut off.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include "kits/member.h"
#include <math.h>

static const hed_us_clip none;

static bool has_method(const char *op, const hed_us_clip *o)
{
  return hed__expect_member(op, "method", (int)o->method, HED_US_CLIP_THRESHOLD, HED_US_CLIP_MAX_AMPLITUDE,
                            "hed_us_clip_method") == HED_OK;
}

/* A part of max - min, or -1. */
static bool is_fraction(double x)
{
  return (x >= 0 && x <= 1) || x == -1;
}

static hed_array *threshold(const hed_array *x, const hed_us_clip *o)
{
  const double low = o->low_given ? o->low : -o->high;
  if (!has_method("us_is_clipped_threshold", o))
    return NULL;
  if (o->high == 0 && !o->low_given) {
    (void)hed_fail(HED_E_INVAL, "us_is_clipped_threshold: high is 0 and low is not given; a threshold is needed");
    return NULL;
  }
  if (!(low <= o->high)) {
    (void)hed_fail(HED_E_INVAL, "us_is_clipped_threshold: high %g is below low %g", o->high, low);
    return NULL;
  }
  if (hed__us_is_complex(x))
    return hed_greater_equal_scalar(hed_abs(x), o->high);
  hed_array *y = hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_BOOL ? hed_astype(x, HED_UINT8) : hed_astype(x, hed_array_dtype(x));
  return hed_logical_or(hed_greater_equal_scalar(y, o->high), hed_less_equal_scalar(y, low));
}

hed_array *hed_us_is_clipped_threshold(const hed_array *x, const hed_us_clip *opt)
{
  if (!hed__operand_given("us_is_clipped_threshold", "x", x))
    return NULL;
  HED__US_RETURN(threshold(x, opt ? opt : &none), NULL);
}

/* How many of elements i to i + k - 1 along an axis are not 0, for i up to n - k. */
static hed_array *in_windows(const hed_array *x, int32_t axis, int64_t k)
{
  const hed_shape s = hed_array_shape(x);
  hed_array *sums = hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(axis), .dtype = HED_INT64, .initial = true });
  hed_slice_range first[HED_MAX_NDIM], last[HED_MAX_NDIM];
  for (int32_t i = 0; i < s.ndim; i++)
    first[i] = last[i] = HED_ALL;
  first[axis] = HED_RANGE(0, s.dim[axis] - k + 1, 1);
  last[axis] = HED_RANGE(k, s.dim[axis] + 1, 1);
  return hed_subtract(hed_slice(sums, s.ndim, last), hed_slice(sums, s.ndim, first));
}

/* CUT where its series has K in a row, or where the element is one of them. */
static hed_array *with_runs(const hed_array *cut, int32_t axis, int64_t k, bool runs_only)
{
  const hed_shape s = hed_array_shape(cut);
  if (k > s.dim[axis])
    return hed_zeros(s, HED_BOOL);
  hed_array *whole = hed_equal_scalar(in_windows(cut, axis, k), (double)k);
  if (!runs_only)
    return hed_logical_and(cut, hed_any(whole, &(hed_reduce){ .axes = HED_AXES(axis), .keepdims = true }));
  hed_shape margin = { .ndim = s.ndim };
  margin.dim[axis] = k - 1;
  return hed_greater_scalar(in_windows(hed_pad(whole, margin, margin, 0), axis, k), 0);
}

static hed_array *max_amplitude(const hed_array *x, const hed_us_clip *o)
{
  static const char op[] = "us_is_clipped_max_amplitude";
  const bool complex = hed__us_is_complex(x);
  const int32_t axis = hed__us_axis(op, x, &o->axis, -1);
  const double high = o->high == 0 ? 0.01 : o->high, low = complex ? -1 : o->low_given ? o->low : high;
  if (axis < 0 || !has_method(op, o))
    return NULL;
  if (!is_fraction(high) || !is_fraction(low) || (high == -1 && low == -1) || o->min_contiguous < 0) {
    (void)hed_fail(HED_E_INVAL, "%s: fractions %g below and %g above, in [0, 1] or one of them -1, runs of %lld", op, low, high,
                   (long long)o->min_contiguous);
    return NULL;
  }
  if (hed_array_size(x) == 0)
    return hed_zeros(hed_array_shape(x), HED_BOOL);
  const hed_reduce over = { .axes = HED_AXES(axis), .keepdims = true };
  const hed_array *v = complex ? hed_abs(x) : hed__us_float(x);
  hed_array *least = hed_min(v, &over), *most = hed_max(v, &over);
  hed_array *range = hed_subtract(most, least), *up = NULL, *down = NULL;
  if (high >= 0)
    up = hed_greater_equal(v, hed_subtract(most, hed_multiply_scalar(range, high)));
  if (low >= 0)
    down = hed_less_equal(v, hed_add(least, hed_multiply_scalar(range, low)));
  hed_array *cut = hed_logical_and(up && down ? hed_logical_or(up, down) : up ? up : down, hed_greater_scalar(range, 0));
  return cut && o->min_contiguous > 1 ? with_runs(cut, axis, o->min_contiguous, o->runs_only) : cut;
}

hed_array *hed_us_is_clipped_max_amplitude(const hed_array *x, const hed_us_clip *opt)
{
  if (!hed__operand_given("us_is_clipped_max_amplitude", "x", x))
    return NULL;
  HED__US_RETURN(max_amplitude(x, opt ? opt : &none), NULL);
}

static hed_array *clip_ratio(const hed_array *x, const hed_us_clip *o)
{
  if (!has_method("us_clip_ratio", o))
    return NULL;
  if (hed_array_size(x) == 0) {
    (void)hed_fail(HED_E_INVAL, "us_clip_ratio: x has no elements");
    return NULL;
  }
  hed_array *cut = o->method == HED_US_CLIP_THRESHOLD ? threshold(x, o) : max_amplitude(x, o);
  return hed_divide_scalar(hed_astype(hed_count_nonzero(cut, NULL), hed__us_widest()), (double)hed_array_size(x));
}

hed_array *hed_us_clip_ratio(const hed_array *x, const hed_us_clip *opt)
{
  if (!hed__operand_given("us_clip_ratio", "x", x))
    return NULL;
  HED__US_RETURN(clip_ratio(x, opt ? opt : &none), NULL);
}
