// SPDX-License-Identifier: BSD-3-Clause
/* Signal and noise of radio-frequency data.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/region.h"

static hed_array *power_of(const hed__us_region *r, const hed_us_region *o, bool largest)
{
  const hed_array *wide = hed__us_wide(r->x);
  hed_reduce keep = r->over;
  keep.keepdims = true;
  if (!largest && !o->no_center)
    return hed_var(wide, &r->over);
  hed_array *p = hed__us_power(o->no_center ? wide : hed_subtract(wide, hed_mean(wide, &keep)));
  return largest ? hed_max(p, &r->over) : hed_mean(p, &r->over);
}

static hed_array *rf_snr(const hed_array *signal, const hed_array *noise, const hed_us_region *opt)
{
  static const char op[] = "us_rf_snr";
  static const hed_us_region none;
  const hed_us_region *o = opt ? opt : &none;
  hed__us_region r[2];
  int64_t zero;
  if (!hed__us_regions(op, signal, noise, o, r))
    return NULL;
  hed_array *p = power_of(&r[0], o, o->max_power), *q = power_of(&r[1], o, false);
  if (hed_item_int(hed_count_nonzero(hed_equal_scalar(q, 0), NULL), &zero) != HED_OK)
    return NULL;
  if (zero > 0) {
    (void)hed_fail(HED_E_INVAL, "%s: noise has power 0 in %lld of %lld", op, (long long)zero, (long long)hed_array_size(q));
    return NULL;
  }
  return hed__us_decibels(hed_divide(p, q));
}

hed_array *hed_us_rf_snr(const hed_array *signal, const hed_array *noise, const hed_us_region *opt)
{
  HED__US_RETURN(rf_snr(signal, noise, opt), hed__us_regions_dtype(signal, noise));
}

static hed_status largest_from(const hed_array *line, int64_t first, int64_t *at)
{
  hed__us_work w;
  if (!hed__us_begin(&w, "largest value", false))
    return hed_error();
  hed_array *rest = hed_slice(hed__us_float(line), 1, &HED_RANGE(first, hed_array_size(line), 1));
  const hed_status status = hed_item_int(hed_argmax(hed_abs(rest), NULL), at);
  hed__us_end(&w);
  *at += first;
  return status;
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

hed_status hed_us_find_signal_and_noise(const hed_array *line, const hed_us_find *opt, hed_us_ranges *out)
{
  static const char op[] = "us_find_signal_and_noise";
  const hed_us_find f = opt ? *opt : (hed_us_find){ 0 };
  const int64_t n = hed_array_size(line), limit = INT64_MAX / 4;
  int64_t at = 0;
  hed_status status;
  if (!hed__operand_given(op, "line", line) || !out)
    return line ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed_error();
  if (hed_array_ndim(line) != 1)
    return hed_fail(HED_E_SHAPE, "%s: line has %d axes; one is expected", op, (int)hed_array_ndim(line));
  if (f.before < 0 || f.after < 0 || f.offset < -1 || f.size < 0 || f.before > limit || f.after > limit || f.offset > limit ||
      f.size > limit)
    return hed_fail(HED_E_INVAL, "%s: before %lld, after %lld, offset %lld, size %lld", op, (long long)f.before, (long long)f.after,
                    (long long)f.offset, (long long)f.size);
  if (f.ignore < 0 || f.ignore >= n)
    return hed_fail(HED_E_INVAL, "%s: the first %lld elements are not looked at, line has %lld", op, (long long)f.ignore,
                    (long long)n);
  if ((status = largest_from(line, f.ignore, &at)) != HED_OK)
    return status;
  const bool usual = f.before == 0 && f.after == 0;
  const int64_t before = usual ? 10 : f.before, after = usual ? 10 : f.after;
  const int64_t offset = f.offset == 0 ? 50 : f.offset < 0 ? 0 : f.offset;
  const int64_t first = at > before ? at - before : 0, end = least(n, at + after), noise = least(n, end + offset);
  if (noise == n)
    return hed_fail(HED_E_INVAL, "%s: the signal ends at %lld and noise would begin at %lld, line has %lld elements", op,
                    (long long)end, (long long)(end + offset), (long long)n);
  *out = (hed_us_ranges){ { first, end }, { noise, f.size ? least(n, noise + f.size) : n } };
  return HED_OK;
}
