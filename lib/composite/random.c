// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random operations made of others: permutation, shuffle, choice, diagonal phasors, truncated normal, initialisers. L3.
 *
 * Each takes one draw. Their parts round in one way everywhere (single multiplications, divisions and additions, sorting,
 * moving), so results are equal bit by bit on every backend like those of the kernels.
 */
#include "api/check.h"
#include "api/infer.h"
#include "api/random.h"

#include <heddle/error.h>
#include <math.h>

/* ---- choosing ---- */

/* Looking for the first few of many beats ordering them all from LEAST on, for one of SHARE. */
enum { LEAST = 4096, SHARE = 100 };

/* Indices of the COUNT first of the N ordered KEYS (released). */
static hed_array *first_of(hed_array *keys, int64_t n, int64_t count)
{
  hed_array *order = NULL, *part = NULL, *out = NULL;
  if (keys && n >= LEAST && count <= n / SHARE)
    hed_topk(keys, count, &(hed_sort_options){ .descending = true }, NULL, &out);
  else if (keys)
    order = hed_argsort(keys, NULL);
  if (order && count == n) {
    out = order;
    order = NULL;
  } else if (order) {
    part = hed_slice(order, 1, &(hed_slice_range){ 0, count, 1 });
    out = part ? hed_copy(part) : NULL;
  }
  hed_release(keys);
  hed_release(order);
  hed_release(part);
  return out;
}

hed_array *hed_random_permutation(int64_t n, const hed_random *opt)
{
  if (n < 0) {
    hed_fail(HED_E_INVAL, "random_permutation: n is %lld", (long long)n);
    return NULL;
  }
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_array *keys = hed_random_bits(HED_SHAPE(n), HED_UINT64, opt), *out = keys ? hed_argsort(keys, NULL) : NULL;
  hed_release(keys);
  if (!out)
    hed__random_undo(&mark);
  return out;
}

hed_array *hed_random_shuffle(const hed_array *x, int32_t axis, const hed_random *opt)
{
  const char *op = "random_shuffle";
  if (!hed__given(x, op, "x"))
    return NULL;
  int at = hed__check_axis(op, "axis", axis, x->view.ndim);
  hed__exec ex;
  if (at < 0 || hed__plan(&ex, HED_OP_RANDOM_SHUFFLE, 1, &x) != HED_OK)
    return NULL;
  hed__forced forced;
  hed_array *order = NULL, *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed__random_mark mark = hed__random_mark_of(opt);
    order = hed_random_permutation(x->view.dim[at], opt);
    out = order ? hed_take(ex.in[0], order, at) : NULL;
    hed_release(order);
    if (!out)
      hed__random_undo(&mark);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

/* Weights for choosing COUNT of N: one axis, values that can be used, as many above 0 as are wanted. */
static hed_status check_weights(const char *op, const hed_array *weights, int64_t n, int64_t count, bool replace)
{
  hed_status status = hed__check_domain(op, "bif", "weights", weights->view.dtype);
  hed_shape s = hed__shape_of(weights);
  if (status == HED_OK && (s.ndim != 1 || s.dim[0] != n))
    status = hed_fail(HED_E_SHAPE, "%s: weights has shape %s, not (%lld,)", op, HED__TEXT(&s), (long long)n);
  hed_array *wide = status == HED_OK ? hed_astype(weights, HED_FLOAT64) : NULL;
  hed_array *above = wide ? hed_greater_scalar(wide, 0) : NULL, *usable = above ? hed_count_nonzero(above, NULL) : NULL;
  hed_array *fine = usable ? hed_greater_equal_scalar(wide, 0) : NULL, *finite = fine ? hed_isfinite(wide) : NULL;
  hed_array *good = finite ? hed_logical_and(fine, finite) : NULL, *all = good ? hed_all(good, NULL) : NULL;
  int64_t found = 0, every = 0;
  if (status == HED_OK && (!all || hed_item_int(usable, &found) != HED_OK || hed_item_int(all, &every) != HED_OK))
    status = hed_error();
  if (status == HED_OK && !every)
    status = hed_fail(HED_E_INVAL, "%s: a weight is negative, infinite or NaN", op);
  else if (status == HED_OK && found < (replace ? count > 0 : count))
    status = hed_fail(HED_E_INVAL, "%s: %lld weights are above 0, %lld indices are wanted", op, (long long)found,
                      (long long)count);
  hed_release(wide);
  hed_release(above);
  hed_release(usable);
  hed_release(fine);
  hed_release(finite);
  hed_release(good);
  hed_release(all);
  return status;
}

/* As first_of(), of KEYS that are even over all 64 bits, COUNT at most the half: those below a bound that more than COUNT are below
 * but once in 10^9 are found first, and ordered alone. */
static hed_array *first_of_even(hed_array *keys, int64_t n, int64_t count)
{
  const double share = ((double)count + 6 * sqrt((double)count) + 20) / (double)n;
  const uint64_t limit = (uint64_t)(share * 0x1p64);
  hed_array *bound = keys ? hed_from_host(&limit, HED_SHAPE0, HED_UINT64) : NULL, *below = bound ? hed_less(keys, bound) : NULL;
  hed_array *at = below ? hed_flatnonzero(below) : NULL, *order = NULL, *out = NULL;
  hed_release(bound);
  hed_release(below);
  if (at && hed_array_size(at) < count) {
    hed_release(at);
    return first_of(keys, n, count);
  }
  if (at)
    order = first_of(hed_take(keys, at, 0), hed_array_size(at), count);
  if (order)
    out = hed_take(at, order, 0);
  hed_release(keys);
  hed_release(at);
  hed_release(order);
  return out;
}

/* Without replacement: successive draws in proportion to weights are the order of exponentials over their weights
 * (Efraimidis and Spirakis, Information Processing Letters 97, 2006). */
static hed_array *distinct(int64_t n, int64_t count, const hed_array *weights, const hed_random *opt)
{
  if (!weights)
    return (n >= LEAST && count <= n / 2 ? first_of_even : first_of)(hed_random_bits(HED_SHAPE(n), HED_UINT64, opt), n, count);
  hed_array *keys = hed_random_exponential(HED_SHAPE(n), 1, HED_FLOAT64, opt);
  hed_array *wide = keys ? hed_astype(weights, HED_FLOAT64) : NULL, *late = wide ? hed_divide(keys, wide) : NULL;
  hed_release(keys);
  hed_release(wide);
  return first_of(late, n, count);
}

hed_array *hed_random_choice(int64_t n, hed_shape shape, const hed_array *weights, bool replace, const hed_random *opt)
{
  const char *op = "random_choice";
  if (hed__check_shape(op, "shape", &shape, HED_ID_INT64) != HED_OK)
    return NULL;
  int64_t count = hed__shape_size(shape.ndim, shape.dim);
  if (n < 0 || (n == 0 && count > 0) || (!replace && count > n)) {
    hed_fail(HED_E_INVAL, "%s: %lld indices of %lld%s", op, (long long)count, (long long)n,
             replace ? "" : " without replacement");
    return NULL;
  }
  if (!weights) {
    if (replace)
      return hed_random_integers(shape, 0, n ? n : 1, HED_INT64, opt);
  } else if (!hed__given(weights, op, "weights")) {
    return NULL;
  }
  hed__exec ex;
  hed__forced forced;
  if (weights && hed__plan(&ex, HED_OP_RANDOM_CHOICE, 1, &weights) != HED_OK)
    return NULL;
  const hed_array *w = weights ? ex.in[0] : NULL;
  hed_array *flat = NULL, *out = NULL;
  hed_shape row = HED_SHAPE(count);
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_status status = weights ? hed__force_begin(&forced, &ex) : HED_OK;
  if (status == HED_OK) {
    if (w)
      status = check_weights(op, w, n, count, replace);
    if (status == HED_OK)
      flat = replace ? hed__random_rows_new(HED_OP_RANDOM_CATEGORICAL, w, &row, HED_INT64, true, opt)
                     : distinct(n, count, w, opt);
    out = flat ? hed_reshape(flat, shape) : NULL;
    hed_release(flat);
    if (weights)
      hed__force_end(&forced);
  }
  if (weights)
    hed__exec_end(&ex);
  if (!out)
    hed__random_undo(&mark);
  return out;
}

/* ---- phasors on diagonals ---- */

hed_array *hed_random_phasor_diagonal(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  const char *op = "random_phasor_diagonal";
  if (shape.ndim < 1 || shape.ndim >= HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: shape has %d axes, 1 to %d are possible", op, (int)shape.ndim, HED_MAX_NDIM - 1);
    return NULL;
  }
  hed_shape square = shape;
  square.dim[square.ndim++] = shape.dim[shape.ndim - 1];
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_array *out = hed_zeros(square, t), *diagonal = NULL, *phasors = NULL;
  if (out)
    diagonal = hed_diagonal(out, 0, -2, -1);
  if (diagonal)
    phasors = hed_random_phasor(shape, t, opt);
  hed_status status = phasors ? hed_copy_into(diagonal, phasors) : hed_error();
  hed_release(diagonal);
  hed_release(phasors);
  if (status != HED_OK) {
    hed__random_undo(&mark);
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* ---- truncated normal: bounds in units of the normal, then back ---- */

hed_array *hed_random_truncated_normal(hed_shape shape, double low, double high, hed_dtype t, const hed_random *opt)
{
  const char *op = "random_truncated_normal";
  const hed_random *o = opt ? opt : &hed__random_defaults;
  double std = o->std == 0 ? 1 : o->std;
  hed__device *device = NULL;
  if (!isfinite(o->mean) || !(std > 0) || isinf(std)) {
    hed_fail(HED_E_INVAL, "%s: mean %g and std %g must be finite and std not negative", op, o->mean, o->std);
    return NULL;
  }
  if (!(low < high) || low == INFINITY || high == -INFINITY) {
    hed_fail(HED_E_INVAL, "%s: low %g is not below high %g", op, low, high);
    return NULL;
  }
  int id = hed__random_dtype(HED_OP_RANDOM_TRUNCATED_NORMAL, t, &device);
  hed_random_params p = { .kind = HED_RANDOM_TRUNCATED_NORMAL, .a = (low - o->mean) / std, .b = (high - o->mean) / std };
  if (id < 0)
    return NULL;
  if (!(p.a < p.b) || p.a > 1e8 || p.b < -1e8) {
    hed_fail(HED_E_INVAL, "%s: [%g, %g] is too narrow or too far from mean %g for std %g", op, low, high, o->mean, std);
    return NULL;
  }
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_array *z = hed__random_draw_new(HED_OP_RANDOM_TRUNCATED_NORMAL, &shape, HED_ID_FLOAT64, device, o, &p);
  hed_array *wide = z ? hed_multiply_scalar(z, std) : NULL, *moved = wide ? hed_add_scalar(wide, o->mean) : NULL;
  hed_array *inside = moved ? hed_clip(moved, low, high) : NULL, *out = inside ? hed_astype(inside, t) : NULL;
  hed_release(z);
  hed_release(wide);
  hed_release(moved);
  hed_release(inside);
  if (!out)
    hed__random_undo(&mark);
  return out;
}

/* ---- initialisers ---- */

/* Fans of a weight of SHAPE (.., in, out): Glorot and Bengio, AISTATS 2010; He, Zhang, Ren, Sun, ICCV 2015. */
static bool fans(const char *op, const hed_shape *shape, double *in, double *out)
{
  double field = 1;
  if (shape->ndim < 1 || shape->ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: shape has %d axes, 1 to %d are possible", op, (int)shape->ndim, HED_MAX_NDIM);
    return false;
  }
  for (int k = 0; k < shape->ndim - 2; k++)
    field *= (double)shape->dim[k];
  *out = field * (double)shape->dim[shape->ndim - 1];
  *in = shape->ndim > 1 ? field * (double)shape->dim[shape->ndim - 2] : *out;
  return true;
}

/* Variance GAIN over the fans; nothing to draw when there are none. */
static hed_array *initial(int op, const hed_shape *shape, double gain, bool both, bool normal, hed_dtype t,
                          const hed_random *opt)
{
  double in, out;
  hed_random o = opt ? *opt : hed__random_defaults;
  if (!fans(hed__op_rows[op].name, shape, &in, &out))
    return NULL;
  double fan = both ? in + out : in, variance = fan > 0 ? gain / fan : 1;
  o.mean = o.low = o.high = 0;
  o.std = sqrt(variance);
  o.high = sqrt(3 * variance);
  o.low = -o.high;
  return normal ? hed_random_normal(*shape, t, &o) : hed_random_uniform(*shape, t, &o);
}

hed_array *hed_random_glorot_uniform(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_GLOROT_UNIFORM, &shape, 2, true, false, t, opt);
}

hed_array *hed_random_glorot_normal(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_GLOROT_NORMAL, &shape, 2, true, true, t, opt);
}

hed_array *hed_random_he_uniform(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_HE_UNIFORM, &shape, 2, false, false, t, opt);
}

hed_array *hed_random_he_normal(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_HE_NORMAL, &shape, 2, false, true, t, opt);
}
