// SPDX-License-Identifier: BSD-3-Clause
/* Features of series and signals, encodings.
 *
 * Layer: L4, nn kit.
 */
#include "base/invariant.h"
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_data.h>
#include <math.h>

static const double turn = 6.28318530717958647693;

static bool has_axes(const char *op, const hed_array *x)
{
  if (!hed__train_float(op, "x", x))
    return false;
  if (hed_array_ndim(x) >= 1)
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: x has no axes", op);
  return false;
}

static int64_t along(const hed_array *x, int axis)
{
  const hed_shape s = hed_array_shape(x);
  HED__ASSERT(s.ndim >= 1 && axis < s.ndim);
  return s.dim[axis < 0 ? s.ndim - 1 : axis];
}

hed_array *hed_nn_lags(const hed_array *x, int n, const int64_t *lags)
{
  hed_array *part[64] = { NULL }, *out = NULL;
  int64_t most = 0;
  if (!has_axes("hed_nn_lags", x))
    return NULL;
  if (n < 1 || n > 64 || !lags) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_lags: %d lags%s, 1 to 64 are needed", n, lags ? "" : " (NULL)");
    return NULL;
  }
  for (int k = 0; k < n; k++) {
    if (lags[k] < 0 || lags[k] >= along(x, 0)) {
      (void)hed_fail(HED_E_INVAL, "hed_nn_lags: lag %d is %lld, x has %lld steps", k, (long long)lags[k], (long long)along(x, 0));
      return NULL;
    }
    most = lags[k] > most ? lags[k] : most;
  }
  HED_SCOPE {
    bool all = true;
    for (int k = 0; k < n && all; k++)
      all = (part[k] = hed_slice(x, 1, &HED_RANGE(most - lags[k], along(x, 0) - lags[k], 1))) != NULL;
    out = all ? hed_keep(hed_stack(n, (const hed_array *const *)part, -1)) : NULL;
  }
  return hed__train_out(out);
}

hed_array *hed_nn_rolling(const hed_array *x, int64_t window, hed_nn_statistic what)
{
  static hed_array *(*const how[])(const hed_array *x, const hed_reduce *opt) = { hed_mean, hed_var, hed_std, hed_min, hed_max,
                                                                                 hed_sum };
  const hed_axes time = HED_AXES(0);
  hed_array *out = NULL;
  if (!has_axes("hed_nn_rolling", x))
    return NULL;
  if (hed__expect_member("hed_nn_rolling", "what", (int)what, HED_NN_ROLLING_MEAN, HED_NN_ROLLING_SUM, "hed_nn_statistic") != HED_OK)
    return NULL;
  if (window < 1 || window > along(x, 0)) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_rolling: window is %lld, not from 1 to %lld, the steps of x", (long long)window,
                   (long long)along(x, 0));
    return NULL;
  }
  HED_SCOPE {
    hed_array *all = hed_sliding_window_view(x, HED_SHAPE(window), &time);
    out = all ? hed_keep(how[what](all, &(hed_reduce){ .axes = HED_AXES(-1) })) : NULL;
  }
  return hed__train_out(out);
}

/* ---- signals ---- */

static bool is_signal(const char *op, const hed_array *x, double rate)
{
  if (!has_axes(op, x))
    return false;
  if (along(x, -1) < 1)
    (void)hed_fail(HED_E_SHAPE, "%s: signals have no elements", op);
  else if (!(rate > 0) || !isfinite(rate))
    (void)hed_fail(HED_E_INVAL, "%s: rate is %g, above 0 is needed", op, rate);
  else
    return true;
  return false;
}

static hed_array *frequencies(const hed_array *x, double rate)
{
  const int64_t n = along(x, -1);
  return hed_multiply_scalar(hed_arange_int(0, n / 2 + 1, 1, hed_array_dtype(x)), rate / (double)n);
}

hed_array *hed_nn_spectral_centroid(const hed_array *x, double rate)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *out = NULL;
  if (!is_signal("hed_nn_spectral_centroid", x, rate))
    return NULL;
  HED_SCOPE {
    hed_array *size = hed_abs(hed_rfft1(x, NULL)), *all = hed_sum(size, &last);
    hed_array *sum = all ? hed_sum(hed_multiply(size, frequencies(x, rate)), &last) : NULL;
    out = sum ? hed_keep(hed_divide_where(hed_greater_scalar(all, 0), sum, all, 0)) : NULL;
  }
  return hed__train_out(out);
}

hed_array *hed_nn_band_power(const hed_array *x, double rate, double low, double high)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  hed_array *out = NULL;
  if (!is_signal("hed_nn_band_power", x, rate))
    return NULL;
  if (!(low >= 0 && low <= high)) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_band_power: the band is %g to %g, it begins at 0 or later and does not fall", low, high);
    return NULL;
  }
  HED_SCOPE {
    const int64_t n = along(x, -1);
    hed_array *f = frequencies(x, rate), *k = f ? hed_arange_int(0, n / 2 + 1, 1, HED_INT64) : NULL;
    /* frequencies but 0 and the highest of an even length stand for two */
    hed_array *once = k ? hed_logical_or(hed_equal_scalar(k, 0), hed_equal_scalar(hed_multiply_scalar(k, 2), (double)n)) : NULL;
    hed_array *weight = once ? hed_where(once, hed_ones_like(f), hed_full_like(f, 2)) : NULL;
    hed_array *in = weight ? hed_logical_and(hed_greater_equal_scalar(f, low), hed_less_equal_scalar(f, high)) : NULL;
    hed_array *power = in ? hed_square(hed_abs(hed_rfft1(x, &(hed_fft){ .norm = HED_NORM_FORWARD }))) : NULL;
    out = power ? hed_keep(hed_sum(hed_multiply(power, hed_where_scalar(in, weight, 0)), &last)) : NULL;
  }
  return hed__train_out(out);
}

hed_array *hed_nn_zero_crossings(const hed_array *x)
{
  hed_array *out = NULL;
  if (!is_signal("hed_nn_zero_crossings", x, 1))
    return NULL;
  HED_SCOPE {
    hed_array *turns = hed_diff(hed_less_scalar(x, 0), 1, -1);
    out = turns ? hed_keep(hed_count_nonzero(turns, &(hed_reduce){ .axes = HED_AXES(-1) })) : NULL;
  }
  return hed__train_out(out);
}

hed_array *hed_nn_rms(const hed_array *x)
{
  hed_array *out = NULL;
  if (!is_signal("hed_nn_rms", x, 1))
    return NULL;
  HED_SCOPE out = hed_keep(hed_sqrt(hed_mean(hed_square(x), &(hed_reduce){ .axes = HED_AXES(-1) })));
  return hed__train_out(out);
}

/* ---- encodings ---- */

static hed_status check_labels(const hed_array *labels, int64_t classes)
{
  int64_t low = 0, high = 0;
  if (hed_array_size(labels) == 0)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *least = hed_min(labels, NULL), *most = least ? hed_max(labels, NULL) : NULL;
    if (!most || hed_item_int(least, &low) != HED_OK || hed_item_int(most, &high) != HED_OK)
      return hed_error();
  }
  return low < 0 || high >= classes
             ? hed_fail(HED_E_INVAL, "hed_nn_one_hot: labels are in [%lld, %lld], classes in [0, %lld)", (long long)low,
                        (long long)high, (long long)classes) : HED_OK;
}

hed_array *hed_nn_one_hot(const hed_array *labels, int64_t classes, hed_dtype t)
{
  hed_array *out = NULL;
  if (!hed__train_real("hed_nn_one_hot", "labels", labels))
    return NULL;
  if (hed_dtype_kind(hed_array_dtype(labels)) == HED_KIND_FLOAT) {
    (void)hed_fail(HED_E_DTYPE, "hed_nn_one_hot: labels are %s, not integers", hed_dtype_name(hed_array_dtype(labels)));
    return NULL;
  }
  if (classes < 1) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_one_hot: classes is %lld, 1 at least is needed", (long long)classes);
    return NULL;
  }
  if (check_labels(labels, classes) != HED_OK)
    return NULL;
  HED_SCOPE out = hed_keep(hed_astype(hed_equal(hed_expand_dims(hed_astype(labels, HED_INT64), -1),
                                                hed_arange_int(0, classes, 1, HED_INT64)), t));
  return hed__train_out(out);
}

hed_array *hed_nn_temporal(const hed_array *time, int n, const double *periods)
{
  hed_array *out = NULL;
  if (!hed__train_float("hed_nn_temporal", "time", time))
    return NULL;
  for (int k = 0; k < n && periods; k++)
    if (!(periods[k] > 0)) {
      (void)hed_fail(HED_E_INVAL, "hed_nn_temporal: period %d is %g, above 0 is needed", k, periods[k]);
      return NULL;
    }
  if (n < 1 || n > 64 || !periods) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_temporal: %d periods%s, 1 to 64 are needed", n, periods ? "" : " (NULL)");
    return NULL;
  }
  HED_SCOPE {
    hed_array *part[128] = { NULL };
    bool all = true;
    for (int k = 0; k < n && all; k++) {
      hed_array *angle = hed_multiply_scalar(time, turn / periods[k]);
      part[2 * k] = angle ? hed_sin(angle) : NULL;
      part[2 * k + 1] = angle ? hed_cos(angle) : NULL;
      all = part[2 * k] && part[2 * k + 1];
    }
    out = all ? hed_keep(hed_stack(2 * n, (const hed_array *const *)part, -1)) : NULL;
  }
  return hed__train_out(out);
}

hed_array *hed_nn_pwm(const hed_array *duty, int64_t n, hed_dtype t)
{
  hed_array *out = NULL;
  double fits = 0;
  if (!hed__train_float("hed_nn_pwm", "duty", duty))
    return NULL;
  if (n < 1) {
    (void)hed_fail(HED_E_INVAL, "hed_nn_pwm: n is %lld, 1 at least is needed", (long long)n);
    return NULL;
  }
  HED_SCOPE {
    hed_array *all = hed_all(hed_logical_and(hed_greater_equal_scalar(duty, 0), hed_less_equal_scalar(duty, 1)), NULL);
    if (all && hed_item(all, &fits) == HED_OK && fits == 0)
      (void)hed_fail(HED_E_INVAL, "hed_nn_pwm: duty is not in [0, 1] everywhere");
    if (fits != 0)
      out = hed_keep(hed_astype(hed_less(hed_arange_int(0, n, 1, hed_array_dtype(duty)),
                                         hed_expand_dims(hed_round(hed_multiply_scalar(duty, (double)n)), -1)), t));
  }
  return hed__train_out(out);
}

static bool of_one_axis(const char *op, const char *name, const hed_array *x)
{
  if (!hed__train_float(op, name, x))
    return false;
  if (hed_array_ndim(x) == 1)
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: %s has %d axes, one is needed", op, name, (int)hed_array_ndim(x));
  return false;
}

/* 2 pi f t: (.., n) */
static hed_array *angles(const hed_array *time, const hed_array *f)
{
  return hed_multiply(hed_expand_dims(time, -1), hed_multiply_scalar(f, turn));
}

hed_array *hed_nn_harmonics(const hed_array *time, const hed_array *f, const hed_array *amplitudes, const hed_array *phases)
{
  static const char op[] = "hed_nn_harmonics";
  hed_array *out = NULL;
  if (!hed__train_float(op, "time", time) || !of_one_axis(op, "frequencies", f) || !of_one_axis(op, "amplitudes", amplitudes) ||
      !of_one_axis(op, "phases", phases) || !hed__train_fits(op, "amplitudes", amplitudes, "frequencies", f) ||
      !hed__train_fits(op, "phases", phases, "frequencies", f))
    return NULL;
  HED_SCOPE out = hed_keep(hed_sum(hed_multiply(hed_sin(hed_add(angles(time, f), phases)), amplitudes),
                                   &(hed_reduce){ .axes = HED_AXES(-1) }));
  return hed__train_out(out);
}

/* a sin(w t + p) is (a cos p) sin(w t) + (a sin p) cos(w t) */
static hed_status parts(const hed_array *time, const hed_array *y, const hed_array *f, hed_array **a, hed_array **p)
{
  const hed_array *w = angles(time, f), *const both[2] = { hed_sin(w), hed_cos(w) };
  const int64_t n = hed_array_size(f);
  hed_array *x = NULL, *left = NULL, *rank = NULL, *values = NULL;
  const hed_array *design = hed_concatenate(2, both, -1);
  if (!design || hed_lstsq(design, y, -1, &x, &left, &rank, &values) != HED_OK)
    return hed_error();
  hed_array *s = hed_slice(x, 1, &HED_RANGE(0, n, 1)), *c = s ? hed_slice(x, 1, &HED_RANGE(n, 2 * n, 1)) : NULL;
  *a = c ? hed_keep(hed_hypot(s, c)) : NULL;
  *p = *a ? hed_keep(hed_arctan2(c, s)) : NULL;
  return *p ? HED_OK : hed_error();
}

hed_status hed_nn_harmonics_fit(const hed_array *time, const hed_array *y, const hed_array *f, hed_array **amplitudes,
                                hed_array **phases)
{
  static const char op[] = "hed_nn_harmonics_fit";
  hed_array *a = NULL, *p = NULL;
  if (!amplitudes || !phases)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, amplitudes ? "phases" : "amplitudes");
  *amplitudes = *phases = NULL;
  if (!of_one_axis(op, "time", time) || !of_one_axis(op, "y", y) || !of_one_axis(op, "frequencies", f) ||
      !hed__train_fits(op, "y", y, "time", time))
    return hed_error();
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) status = parts(time, y, f, &a, &p);
  if (status == HED_OK) {
    *amplitudes = hed__train_out(hed_retain(a));
    *phases = hed__train_out(hed_retain(p));
    status = *amplitudes && *phases ? HED_OK : hed_error();
  }
  hed_release(a);
  hed_release(p);
  if (status != HED_OK) {
    hed_release(*amplitudes);
    hed_release(*phases);
    *amplitudes = *phases = NULL;
  }
  return status;
}
