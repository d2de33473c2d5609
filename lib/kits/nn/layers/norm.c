// SPDX-License-Identifier: BSD-3-Clause
/* Batch, layer and rms norm.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/layers/layers.h"
#include <stdio.h>

static double eps_of(const hed_nn_norm_options *o) { return o && o->eps != 0 ? o->eps : 1e-5; }

static bool check_options(const char *op, const hed_nn_norm_options *o)
{
  if (!o || (o->eps >= 0 && o->momentum >= 0 && o->momentum <= 1))
    return true;
  (void)hed_fail(HED_E_INVAL, "%s: eps is %g, momentum %g", op, o->eps, o->momentum);
  return false;
}

/* ---- batch ---- */

hed_status hed_nn_batch_norm_init(hed_nn_params *p, const char *prefix, int64_t channels, hed_dtype t)
{
  const hed_shape s = HED_SHAPE(channels);
  const hed__nn_new list[5] = { { .name = "weight", .shape = s, .limit = 1 },
                                { .name = "bias", .shape = s },
                                { .name = "running_mean", .shape = s, .buffer = true },
                                { .name = "running_var", .shape = s, .limit = 1, .buffer = true },
                                { .name = "num_batches_tracked", .shape = HED_SHAPE0, .count = true } };
  return hed__nn_layer_init("hed_nn_batch_norm_init", p, prefix, 5, list, t, NULL);
}

typedef struct batch {
  const hed_array *weight, *bias, *x;
  hed_array *mean, *var, *count;     /* running */
  hed_shape along;                   /* of a number for each channel, beside x */
  hed_axes others;
  int64_t n;                         /* elements of a channel */
} batch;

/* A new running statistic: the share of the one of this batch is S. */
static hed_status run_on(hed_array *running, const hed_array *now, double s)
{
  return hed_add_into(running, hed_multiply_scalar(running, 1 - s), hed_multiply_scalar(now, s));
}

static hed_status update(const batch *b, const hed_array *mean, const hed_array *var, const hed_nn_norm_options *o)
{
  hed_status status = HED_OK;
  const double s = o->momentum != 0 ? o->momentum : 0.1, by = o->biased_running ? 1 : (double)b->n / (double)(b->n > 1 ? b->n - 1 : 1);
  HED_UNRECORDED {
    const hed_shape flat = hed_array_shape(b->mean);
    status = run_on(b->mean, hed_reshape(mean, flat), s);
    if (status == HED_OK)
      status = run_on(b->var, hed_multiply_scalar(hed_reshape(var, flat), by), s);
    if (status == HED_OK)
      status = hed_add_into(b->count, b->count, hed_scalar_int(1));
  }
  return status;
}

static hed_array *batch_norm(const batch *b, const hed_nn_norm_options *o)
{
  const hed_array *mean = NULL, *var = NULL;
  if (o && o->training) {
    const hed_reduce all = { .axes = b->others, .keepdims = true };
    mean = hed_mean(b->x, &all);
    var = hed_var(b->x, &all);
    if (!mean || !var || update(b, mean, var, o) != HED_OK)
      return NULL;
  } else {
    mean = hed_reshape(b->mean, b->along);
    var = hed_reshape(b->var, b->along);
  }
  const hed_array *scale = hed_multiply(hed_rsqrt(hed_add_scalar(var, eps_of(o))), hed_reshape(b->weight, b->along));
  return hed_add(hed_multiply(hed_subtract(b->x, mean), scale), hed_reshape(b->bias, b->along));
}

/* The axis of channels, and what follows from it. */
static bool find_axes(const char *op, batch *b, int32_t axis)
{
  const hed_shape s = hed_array_shape(b->x);
  const int32_t at = axis > 0 ? axis : axis == 0 ? s.ndim - 1 : s.ndim + axis;
  if (s.ndim < 2 || at < 0 || at >= s.ndim) {
    (void)hed_fail(HED_E_AXIS, "%s: axis is %d, x has %d axes; at least 2 are wanted", op, (int)axis, (int)s.ndim);
    return false;
  }
  b->along.ndim = s.ndim;
  for (int32_t k = 0; k < s.ndim; k++) {
    b->along.dim[k] = k == at ? s.dim[k] : 1;
    if (k != at)
      b->others.axis[b->others.n++] = k;
  }
  b->n = s.dim[at] ? hed_array_size(b->x) / s.dim[at] : 0;
  return true;
}

hed_array *hed_nn_batch_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt)
{
  static const char *const op = "hed_nn_batch_norm", *const names[] = { "weight", "bias", "running_mean", "running_var" };
  hed_array *w[4], *kept = NULL;
  batch b = { .x = x };
  if (!hed__operand_given(op, "x", x) || !check_options(op, opt) || !find_axes(op, &b, opt ? opt->axis : 0))
    return NULL;
  int64_t channels = 1;
  for (int32_t k = 0; k < b.along.ndim; k++)
    channels *= b.along.dim[k];
  for (int k = 0; k < 4; k++) {
    w[k] = hed__nn_layer_weight(op, p, prefix, names[k], false);
    if (!w[k] || hed__nn_wants_shape(op, "parameter", names[k], w[k], HED_SHAPE(channels)) != HED_OK)
      return NULL;
  }
  b.weight = w[0], b.bias = w[1], b.mean = w[2], b.var = w[3];
  b.count = hed__nn_layer_weight(op, p, prefix, "num_batches_tracked", false);
  if (!b.count)
    return NULL;
  HED_SCOPE kept = hed_keep(batch_norm(&b, opt));
  return hed__nn_out(kept);
}

/* ---- by element ---- */

static hed_status init_last(const char *op, hed_nn_params *p, const char *prefix, const hed_shape *shape, bool bias, hed_dtype t)
{
  if (!shape || shape->ndim < 1)
    return hed_fail(HED_E_INVAL, "%s: %s", op, shape ? "the shape has no axis" : "shape is NULL");
  const hed__nn_new list[2] = { { .name = "weight", .shape = *shape, .limit = 1 }, { .name = "bias", .shape = *shape } };
  return hed__nn_layer_init(op, p, prefix, bias ? 2 : 1, list, t, NULL);
}

hed_status hed_nn_layer_norm_init(hed_nn_params *p, const char *prefix, const hed_shape *shape, hed_dtype t)
{
  return init_last("hed_nn_layer_norm_init", p, prefix, shape, true, t);
}

hed_status hed_nn_rms_norm_init(hed_nn_params *p, const char *prefix, const hed_shape *shape, hed_dtype t)
{
  return init_last("hed_nn_rms_norm_init", p, prefix, shape, false, t);
}

/* The last axes of X, as many as W has, which must fit. */
static bool last_axes(const char *op, const hed_array *x, const hed_array *w, hed_axes *axes)
{
  const hed_shape s = hed_array_shape(x), have = hed_array_shape(w);
  hed_shape last = { .ndim = have.ndim };
  for (int k = 0; k < have.ndim; k++) {
    last.dim[k] = s.ndim >= have.ndim ? s.dim[s.ndim - have.ndim + k] : 0;
    axes->axis[axes->n++] = k - have.ndim;
  }
  return hed__nn_wants_shape(op, "parameter", "weight", w, last) == HED_OK;
}

static hed_array *norm_last(const char *op, const hed_nn_params *p, const char *prefix, const hed_array *x,
                            const hed_nn_norm_options *o, bool centred)
{
  hed_reduce last = { .keepdims = true };
  hed_array *kept = NULL;
  const bool fits = hed__operand_given(op, "x", x) && check_options(op, o);
  const hed_array *w = fits ? hed__nn_layer_weight(op, p, prefix, "weight", false) : NULL;
  const hed_array *b = w ? hed__nn_layer_weight(op, p, prefix, "bias", true) : NULL;
  if (!w || !last_axes(op, x, w, &last.axes) ||
      (b && hed__nn_wants_shape(op, "parameter", "bias", b, hed_array_shape(w)) != HED_OK))
    return NULL;
  HED_SCOPE {
    const hed_array *y = x, *size;
    if (centred) {
      y = hed_subtract(x, hed_mean(x, &last));
      size = hed_var(x, &last);
    } else
      size = hed_mean(hed_square(x), &last);
    HED_FUSED {
      hed_array *scaled = hed_multiply(hed_multiply(y, hed_rsqrt(hed_add_scalar(size, eps_of(o)))), w);
      kept = hed_keep(b ? hed_add(scaled, b) : scaled);
    }
  }
  return hed__nn_out(kept);
}

hed_array *hed_nn_layer_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt)
{
  return norm_last("hed_nn_layer_norm", p, prefix, x, opt, true);
}

hed_array *hed_nn_rms_norm(const hed_nn_params *p, const char *prefix, const hed_array *x, const hed_nn_norm_options *opt)
{
  return norm_last("hed_nn_rms_norm", p, prefix, x, opt, false);
}
