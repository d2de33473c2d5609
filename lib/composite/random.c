// SPDX-License-Identifier: BSD-3-Clause
/* Random operations made of others: permutation, shuffle, diagonal phasors, truncated normal, initialisers. L3. See choice.c.
 *
 * Each takes one draw. Their parts round in one way everywhere (single multiplications, divisions and additions, sorting,
 * moving), so results are equal bit by bit on every backend like those of the kernels.
 */
#include "api/random/random.h"
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/parts.h"
#include "core/context/random_stream.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

/* ---- order ---- */

hed_array *HED_BODY(random_permutation)(int64_t n, const hed_random *opt)
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

hed_array *HED_BODY(random_shuffle)(const hed_array *x, int32_t axis, const hed_random *opt)
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

/* ---- phasors on diagonals ---- */

hed_array *HED_BODY(random_phasor_diagonal)(hed_shape shape, hed_dtype t, const hed_random *opt)
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

hed_array *HED_BODY(random_truncated_normal)(hed_shape shape, double low, double high, hed_dtype t, const hed_random *opt)
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
  /* in float64, which a device without it leaves to the host */
  hed__exec ex = { .context = hed__context(), .device = hed__wide_float(device) == HED_FLOAT64 ? device : hed__reference() };
  hed__parts f;
  if (!ex.context || hed__parts_begin(&f, &ex) != HED_OK)
    return NULL;
  hed_array *z = hed__random_draw_new(HED_OP_RANDOM_TRUNCATED_NORMAL, &shape, HED_ID_FLOAT64, ex.device, o, &p);
  hed_array *inside = z ? hed_clip(hed_add_scalar(hed_multiply_scalar(z, std), o->mean), low, high) : NULL;
  hed_array *out = inside ? hed_astype(inside, hed__dtypes[id]) : NULL;
  if (out && ex.device != device)
    out = hed_to(out, device->name);
  out = hed__parts_end(&f, out);
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

hed_array *HED_BODY(random_glorot_uniform)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_GLOROT_UNIFORM, &shape, 2, true, false, t, opt);
}

hed_array *HED_BODY(random_glorot_normal)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_GLOROT_NORMAL, &shape, 2, true, true, t, opt);
}

hed_array *HED_BODY(random_he_uniform)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_HE_UNIFORM, &shape, 2, false, false, t, opt);
}

hed_array *HED_BODY(random_he_normal)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return initial(HED_OP_RANDOM_HE_NORMAL, &shape, 2, false, true, t, opt);
}
