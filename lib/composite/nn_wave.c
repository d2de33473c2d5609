// SPDX-License-Identifier: BSD-3-Clause
/* Waves: stability of energy, interference, coherence; binary waves. L3.
 *
 * Along the last axis, whatever comes before it is a batch.
 */
#include "base/shape.h"
#include "composite/nn.h"
#include "core/record/body.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const hed_reduce last = { .axes = { 1, { -1 } } };
static const hed_reduce kept = { .axes = { 1, { -1 } }, .keepdims = true };

static hed_status has_axis(const char *name, const hed_array *x, const char *arg)
{
  if (x->view.ndim > 0)
    return HED_OK;
  return hed_fail(HED_E_SHAPE, "%s: %s has no axes; a wave needs one", name, arg);
}

static hed_status check_window(const char *name, int64_t window)
{
  return window > 0 ? HED_OK : hed_fail(HED_E_INVAL, "%s: window is %lld, above 0 is needed", name, (long long)window);
}

/* The first N elements of the last axis. */
static hed_array *head(const hed_array *x, int64_t n)
{
  hed_slice_range r[HED_MAX_NDIM];
  for (int k = 0; k < x->view.ndim - 1; k++)
    r[k] = HED_ALL;
  r[x->view.ndim - 1] = HED_RANGE(0, n, 1);
  return hed_slice(x, x->view.ndim, r);
}

hed_array *HED_BODY(compute_energy_stability)(const hed_array *x, int64_t window)
{
  static const int op = HED_OP_COMPUTE_ENERGY_STABILITY;
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  int id = hed__infer_operands(op, 1, &x, (const char *const[]){ "x" });
  composed c;
  if (id < 0 || has_axis(name, x, "x") != HED_OK || check_window(name, window) != HED_OK ||
      composed_begin(&c, op, 1, &x) != HED_OK)
    return NULL;
  hed_shape s = hed__shape_of(x);
  int64_t windows = s.dim[s.ndim - 1] / window;
  hed_array *y;
  if (windows < 2) {
    s.ndim--;
    y = hed_full(s, 1, hed__dtypes[id]);
  } else {
    hed_shape cut = s;
    cut.dim[cut.ndim - 1] = windows;
    cut.dim[cut.ndim++] = window;
    hed_array *energy = NULL;
    if (s.ndim == HED_MAX_NDIM)
      hed_fail(HED_E_SHAPE, "%s: x has %d axes, windows need one more", name, HED_MAX_NDIM);
    else
      energy = hed_sum(hed_square(hed_reshape(hed_astype(head(c.ex.in[0], windows * window), nn_wide(id)), cut)), &last);
    hed_array *mean = hed_mean(energy, &last), *some = hed_not_equal_scalar(mean, 0);
    y = hed_scalar_divide(1, hed_add_scalar(hed_divide_where(some, hed_var(energy, &last), mean, 0), 1));
  }
  return composed_end(&c, y ? hed_astype(y, hed__dtypes[id]) : NULL);
}

/* ---- interference ---- */

static hed_array *phase_difference(const hed_array *a, const hed_array *b)
{
  return hed_subtract(hed_angle(hed_fft1(a, NULL)), hed_angle(hed_fft1(b, NULL)));
}

static hed_array *strength(const hed_array *a, const hed_array *b)
{
  hed_array *da = hed_subtract(a, hed_mean(a, &kept)), *db = hed_subtract(b, hed_mean(b, &kept));
  hed_array *va = hed_sqrt(hed_sum(hed_square(da), &last)), *vb = hed_sqrt(hed_sum(hed_square(db), &last));
  hed_array *there = hed_logical_and(va, vb);
  hed_array *r = hed_divide_where(there, hed_divide_where(there, hed_sum(hed_multiply(da, db), &last), va, 0), vb, 0);
  hed_array *turn = hed_divide_scalar(hed_mean(hed_abs(phase_difference(a, b)), &last), pi);
  return hed_multiply(r, hed_scalar_subtract(1, turn));
}

/* Every window of the last axis as a row of a new one: a view that repeats elements. */
static hed_array *windows_of(const hed_array *x, int64_t window)
{
  if (!x)
    return NULL;
  hed_view v = x->view;
  int at = v.ndim - 1;
  v.dim[at] -= window - 1;
  v.dim[at + 1] = window;
  v.stride[at + 1] = v.stride[at];
  v.ndim++;
  if (!hed__shape_fits(v.ndim, v.dim, hed__id_size(v.dtype))) { /* of an array without elements, too */
    hed_fail(HED_E_SHAPE, "partial_interference: %lld windows of %lld elements are not possible", (long long)v.dim[at],
             (long long)window);
    return NULL;
  }
  return hed__array_view(x, &v);
}

/* Can OP work on waves A and B? N is the shorter one's length; the intermediate type, -1 with the error set where not. */
static int two_waves(int op, const hed_array *const *wave, int64_t *n)
{
  static const char *const arg[] = { "a", "b" };
  const char *name = hed__op_rows[op].name;
  for (int k = 0; k < 2; k++)
    if (!hed__given(wave[k], name, arg[k]))
      return -1;
  for (int k = 0; k < 2; k++)
    if (has_axis(name, wave[k], arg[k]) != HED_OK)
      return -1;
  const hed_view *a = &wave[0]->view, *b = &wave[1]->view;
  *n = a->dim[a->ndim - 1] < b->dim[b->ndim - 1] ? a->dim[a->ndim - 1] : b->dim[b->ndim - 1];
  return hed__infer_operands(op, 2, wave, arg);
}

/* Two waves under one name, cut to one length and brought to their intermediate type. WINDOW 0: none. */
static hed_array *interference(int op, const hed_array *a, const hed_array *b, int64_t window)
{
  const char *name = hed__op_rows[op].name;
  const hed_array *const in[2] = { a, b };
  int64_t n;
  const int id = two_waves(op, in, &n);
  if (id < 0)
    return NULL;
  if (n < 1 || window > n) {
    hed_fail(HED_E_SHAPE, "%s: the shorter wave has %lld elements, %lld are needed", name, (long long)n,
             (long long)(window ? window : 1));
    return NULL;
  }
  if (window && (a->view.ndim == HED_MAX_NDIM || b->view.ndim == HED_MAX_NDIM)) {
    hed_fail(HED_E_SHAPE, "%s: a wave has %d axes, windows need one more", name, HED_MAX_NDIM);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, op, 2, in) != HED_OK)
    return NULL;
  hed_array *x = hed_astype(head(c.ex.in[0], n), nn_wide(id)), *y = hed_astype(head(c.ex.in[1], n), nn_wide(id));
  if (window) {
    x = windows_of(x, window);
    y = windows_of(y, window);
  }
  hed_array *s = strength(x, y);
  return composed_end(&c, s ? hed_astype(s, hed__dtypes[id]) : NULL);
}

hed_array *HED_BODY(compute_interference_strength)(const hed_array *a, const hed_array *b)
{
  return interference(HED_OP_COMPUTE_INTERFERENCE_STRENGTH, a, b, 0);
}

hed_array *HED_BODY(partial_interference)(const hed_array *a, const hed_array *b, int64_t window)
{
  if (check_window("partial_interference", window) != HED_OK)
    return NULL;
  return interference(HED_OP_PARTIAL_INTERFERENCE, a, b, window);
}

/* The least k in [0, N + 1] with k / N >= F: bands are decided in whole numbers, which every device has. */
static int64_t first_at(double f, int64_t n)
{
  int64_t k = f > 1 ? n + 1 : (int64_t)ceil(f * (double)n);
  while (k > 0 && (double)(k - 1) / (double)n >= f)
    k--;
  while (k <= n && (double)k / (double)n < f)
    k++;
  return k;
}

hed_array *HED_BODY(compute_phase_coherence)(const hed_array *a, const hed_array *b, double low, double high)
{
  static const int op = HED_OP_COMPUTE_PHASE_COHERENCE;
  const char *name = hed__op_rows[op].name;
  if (!(low >= 0 && high >= low)) {
    hed_fail(HED_E_INVAL, "%s: the band from %g to %g is none", name, low, high);
    return NULL;
  }
  const hed_array *const in[2] = { a, b };
  int64_t n;
  const int id = two_waves(op, in, &n);
  if (id < 0)
    return NULL;
  if (n < 1) {
    hed_fail(HED_E_SHAPE, "%s: the shorter wave has 0 elements, 1 is needed", name);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, op, 2, in) != HED_OK)
    return NULL;
  hed_array *turn = phase_difference(hed_astype(head(c.ex.in[0], n), nn_wide(id)),
                                     hed_astype(head(c.ex.in[1], n), nn_wide(id)));
  hed_array *k = hed_arange_int(0, n, 1, HED_INT64), *f = hed_minimum(k, hed_scalar_subtract(n, k)); /* times n */
  hed_array *band = hed_greater_equal_scalar(f, first_at(low, n));
  if (high > 0)
    band = hed_logical_and(band, hed_less_scalar(f, first_at(nextafter(high, INFINITY), n)));
  hed_array *count = hed_astype(hed_maximum_scalar(hed_count_nonzero(band, NULL), 1), nn_wide(id));
  hed_array *x = hed_sum(hed_where_scalar(band, hed_cos(turn), 0), &last);
  hed_array *y = hed_sum(hed_where_scalar(band, hed_sin(turn), 0), &last);
  hed_array *r = hed_divide(hed_hypot(x, y), count);
  return composed_end(&c, r ? hed_astype(r, hed__dtypes[id]) : NULL);
}

/* ---- binary waves ---- */

hed_array *HED_BODY(binary_wave_interference)(int n, const hed_array *const *waves, hed_wave_mode mode)
{
  static const char *const name = "binary_wave_interference";
  if (n < 1 || !waves) {
    hed_fail(HED_E_INVAL, "%s: %s", name, n < 1 ? "there are no waves" : "waves is NULL");
    return NULL;
  }
  if (mode < HED_WAVE_XOR || mode > HED_WAVE_OR) {
    hed_fail(HED_E_INVAL, "%s: mode %d is not xor (0), and (1) or or (2)", name, (int)mode);
    return NULL;
  }
  hed_array *sum = NULL;
  for (int k = 0; k < n; k++) {
    if (!hed__given(waves[k], name, "a wave") ||
        hed__check_domain(name, "bi", "a wave", waves[k]->view.dtype) != HED_OK) {
      hed_release(sum);
      return NULL;
    }
    hed_array *next = !k ? hed_copy(waves[0])
                    : mode == HED_WAVE_XOR ? hed_bitwise_xor(sum, waves[k])
                    : mode == HED_WAVE_AND ? hed_bitwise_and(sum, waves[k]) : hed_bitwise_or(sum, waves[k]);
    hed_release(sum);
    if (!(sum = next))
      return NULL;
  }
  return sum;
}

hed_array *HED_BODY(binary_wave_propagate)(const hed_array *x, int64_t shift)
{
  if (!hed__given(x, "binary_wave_propagate", "x") ||
      hed__infer_operands(HED_OP_BINARY_WAVE_PROPAGATE, 1, &x, (const char *const[]){ "x" }) < 0)
    return NULL;
  int bits = hed__dtypes[x->view.dtype]->bits; /* a count that every integer type holds */
  int count = shift < -bits || shift > bits ? bits : (int)(shift < 0 ? -shift : shift);
  return shift < 0 ? hed_right_shift_scalar(x, count) : hed_left_shift_scalar(x, count);
}

/* A mask as numbers of type T. */
static hed_array *as_numbers(hed_array *k, hed_array *mask, hed_dtype t)
{
  hed_array *y = mask ? hed_astype(mask, t) : NULL;
  hed_release(mask);
  hed_release(k);
  return y;
}

hed_array *HED_BODY(create_duty_cycle)(int64_t n, double duty, hed_dtype t)
{
  if (n < 0 || !(duty >= 0 && duty <= 1)) {
    hed_fail(HED_E_INVAL, "create_duty_cycle: n is %lld and duty %g; n >= 0 and 0 <= duty <= 1 are needed", (long long)n,
             duty);
    return NULL;
  }
  const double high = rint((double)n * duty);
  hed_array *k = hed_arange_int(0, n, 1, HED_INT64);
  return as_numbers(k, hed_less_scalar(k, high < (double)n ? (int64_t)high : n), t);
}

hed_array *HED_BODY(generate_blocky_sin)(int64_t n, int64_t half_period, hed_dtype t)
{
  if (n < 0 || half_period < 1) {
    hed_fail(HED_E_INVAL, "generate_blocky_sin: n is %lld and half_period %lld; n >= 0 and half_period >= 1 are needed",
             (long long)n, (long long)half_period);
    return NULL;
  }
  hed_array *k = hed_arange_int(0, n, 1, HED_INT64), *half = hed_floor_divide_scalar(k, half_period);
  hed_array *odd = hed_bitwise_and_scalar(half, 1);
  hed_release(k);
  hed_release(half);
  return as_numbers(odd, hed_equal_scalar(odd, 0), t);
}
