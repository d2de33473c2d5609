// SPDX-License-Identifier: BSD-3-Clause
/* Rules of reductions over any axes. L3. */
#include "api/call/check.h"
#include "core/record/body.h"
#include "grad/back.h"
#include <math.h>

/* What a reduction took away. */
typedef struct taken {
  uint32_t mask;     /* axes */
  double n;          /* elements of each result */
  hed_shape kept;    /* the operand's shape with extent 1 on those axes */
  hed_reduce over;   /* options for the same with keepdims */
  double order, correction;
  bool keepdims;     /* of the call */
} taken;

static hed_status look(const hed__back *b, taken *t)
{
  static const hed_reduce defaults;
  const hed__entry *e = b->of[0];
  const hed_reduce *opt;
  if (b->step->form) { /* a call of its own, with as many arguments */
    const hed__args_logsumexp *a = b->step->args;
    opt = a->opt ? a->opt : &defaults;
    t->order = 0;
  } else {
    const hed__reduce_args *a = b->step->args;
    opt = &a->opt;
    t->order = a->order;
  }
  const hed_status status = hed__check_axes(hed_op_name(b->step->op), &opt->axes, e->ndim, &t->mask);
  t->kept = hed__entry_shape(e);
  t->n = 1;
  t->keepdims = opt->keepdims;
  t->over = (hed_reduce){ .axes = opt->axes, .keepdims = true };
  t->correction = opt->ddof + opt->correction;
  for (int32_t k = 0; k < e->ndim; k++)
    if (t->mask >> k & 1u) {
      t->n *= (double)e->dim[k];
      t->kept.dim[k] = 1;
    }
  return status;
}

/* X, of the result's shape, so that it broadcasts to the operand. */
static hed_array *spread(const taken *t, const hed_array *x)
{
  const bool leading = (t->mask & (t->mask + 1)) == 0; /* none is kept before one that goes */
  return !x ? NULL : t->keepdims || leading ? (hed_array *)(uintptr_t)x : hed_reshape(x, t->kept);
}

hed_status hed__back_sum(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  return hed__made(b->d[0] = spread(&t, b->g[0]));
}

hed_status hed__back_mean(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  return hed__made(b->d[0] = hed_multiply_scalar(spread(&t, b->g[0]), 1 / t.n));
}

hed_status hed__back_var(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  const hed_array *x = b->in[0], *away = hed_subtract(x, hed_mean(x, &t.over));
  return hed__made(b->d[0] = hed_multiply_nonzero(spread(&t, b->g[0]), hed_multiply_scalar(away, 2 / (t.n - t.correction))));
}

hed_status hed__back_std(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  const hed_array *x = b->in[0], *away = hed_subtract(x, hed_mean(x, &t.over));
  const hed_array *y = spread(&t, b->out[0]), *g = hed_divide_where(y, spread(&t, b->g[0]), y, 0);
  return hed__made(b->d[0] = hed_multiply_nonzero(g, hed_multiply_scalar(away, 1 / (t.n - t.correction))));
}

/* Equal shares among the elements that SHARE, bool, marks. */
static hed_array *shares(const taken *t, const hed_array *share, const hed_array *g)
{
  const hed_array *count = hed_astype(hed_count_nonzero(share, &t->over), g ? hed_array_dtype(g) : NULL);
  return hed_where_scalar(share, hed_divide(g, count), 0);
}

hed_status hed__back_extreme(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  const hed_array *x = b->in[0], *y = spread(&t, b->out[0]);
  const hed_array *share = hed_logical_or(hed_equal(x, y), hed_logical_and(hed_isnan(x), hed_isnan(y)));
  return hed__made(b->d[0] = shares(&t, share, spread(&t, b->g[0])));
}

/* The axes that go as one, the last; the others keep their order. */
static hed_array *gathered(const taken *t, const hed_array *x, hed_axes *order, hed_shape *shape)
{
  order->n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < t->kept.ndim; k++)
      if ((int)(t->mask >> k & 1u) == pass)
        order->axis[order->n++] = k;
  const hed_array *moved = t->kept.ndim ? hed_transpose(x, order) : x;
  *shape = hed_array_shape(moved);
  hed_shape flat = { .ndim = 0 };
  for (int32_t k = 0; k < t->kept.ndim; k++)
    if (!(t->mask >> order->axis[k] & 1u))
      flat.dim[flat.ndim++] = shape->dim[k];
  flat.dim[flat.ndim++] = (int64_t)t->n;
  return hed_reshape(moved, flat);
}

/* Products of all other elements, from both sides, so that nothing is divided. */
hed_status hed__back_prod(hed__back *b)
{
  taken t;
  hed_axes order, back = { .n = 0 };
  hed_shape shape;
  if (look(b, &t) != HED_OK)
    return hed_error();
  if (t.n == 0 || b->in[0]->size == 0)
    return HED_OK;
  const hed_array *x = gathered(&t, b->in[0], &order, &shape), *flipped = hed_flip(x, &HED_AXES(-1));
  if (!flipped)
    return hed_error();
  const int64_t n = (int64_t)t.n;
  hed_slice_range range[HED_MAX_NDIM + 1];
  for (int k = 0; k < x->view.ndim; k++)
    range[k] = HED_ALL;
  range[x->view.ndim - 1] = HED_RANGE(0, n, 1);
  const hed_scan from_one = { .axis = HED_AXES(-1), .initial = true };
  const hed_array *before = hed_slice(hed_cumprod(x, &from_one), x->view.ndim, range);
  const hed_array *behind = hed_flip(hed_slice(hed_cumprod(flipped, &from_one), x->view.ndim, range), &HED_AXES(-1));
  hed_array *others = hed_reshape(hed_multiply(before, behind), shape);
  if (shape.ndim) {
    back.n = order.n;
    for (int32_t k = 0; k < order.n; k++)
      back.axis[order.axis[k]] = k;
    others = hed_transpose(others, &back);
  }
  return hed__made(b->d[0] = hed__times(spread(&t, b->g[0]), others));
}

/* sign(x) (|x| / y)^(p - 1); 0 where x or y is. */
hed_status hed__back_vector_norm(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  if (t.order == 0) /* how many are not 0 */
    return HED_OK;
  const hed_array *x = b->in[0], *y = spread(&t, b->out[0]), *g = spread(&t, b->g[0]);
  if (isinf(t.order))
    return hed__made(b->d[0] = hed_multiply_nonzero(shares(&t, hed_equal(hed_abs(x), y), g), hed_sign(x)));
  if (t.order == 2)
    return hed__made(b->d[0] = hed_multiply_nonzero(g, hed_divide_where(y, x, y, 0)));
  const hed_array *ratio = hed_divide_where(y, hed_abs(x), y, 0), *sign = hed_sign(x);
  const hed_array *slope = t.order == 1 ? sign : hed_multiply_nonzero(sign, hed_power_scalar(ratio, t.order - 1));
  return hed__made(b->d[0] = hed_multiply_nonzero(g, slope));
}

hed_status hed__back_logsumexp(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  const hed_array *y = spread(&t, b->out[0]), *g = spread(&t, b->g[0]); /* weight 0 where all are -inf */
  const hed_array *weight = hed_where_scalar(hed_not_equal_scalar(y, -INFINITY), hed_exp(hed_subtract(b->in[0], y)), 0);
  return hed__made(b->d[0] = hed_multiply_nonzero(g, weight));
}

hed_status hed__back_nansum(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  return hed__made(b->d[0] = hed_scalar_where(hed_isnan(b->in[0]), 0, spread(&t, b->g[0])));
}

hed_status hed__back_nanmean(hed__back *b)
{
  taken t;
  if (look(b, &t) != HED_OK)
    return hed_error();
  const hed_array *there = hed_logical_not(hed_isnan(b->in[0]));
  return hed__made(b->d[0] = shares(&t, there, spread(&t, b->g[0])));
}

/* ---- along one axis ---- */

hed_status hed__back_cumsum(hed__back *b)
{
  static const hed_scan defaults;
  const hed__args_cumsum *a = b->step->args;
  const hed_scan *opt = a->opt ? a->opt : &defaults;
  const hed_array *g = b->g[0];
  hed_axes axis = opt->axis.n ? opt->axis : HED_AXES(0);
  if (opt->initial) { /* what comes first is a constant */
    const int32_t at = axis.axis[0] < 0 ? axis.axis[0] + g->view.ndim : axis.axis[0];
    g = hed__stretch(g, at, 1, HED_SLICE_END, 1);
  }
  const hed_scan along = { .axis = axis };
  hed_array *d = hed_flip(hed_cumsum(hed_flip(g, &axis), &along), &axis);
  return hed__made(b->d[0] = opt->axis.n ? d : hed_reshape(d, hed__entry_shape(b->of[0])));
}

hed_status hed__back_softmax(hed__back *b)
{
  const hed__args_softmax *a = b->step->args;
  const hed_reduce along = { .axes = HED_AXES(a->axis), .keepdims = true };
  const hed_array *y = b->out[0], *g = b->g[0];
  return hed__made(b->d[0] = hed_multiply(y, hed_subtract(g, hed_sum(hed_multiply_nonzero(g, y), &along))));
}

hed_status hed__back_log_softmax(hed__back *b)
{
  const hed__args_log_softmax *a = b->step->args;
  const hed_reduce along = { .axes = HED_AXES(a->axis), .keepdims = true };
  const hed_array *y = b->out[0], *g = b->g[0];
  return hed__made(b->d[0] = hed_subtract(g, hed_multiply_nonzero(hed_sum(g, &along), hed_exp(y))));
}

/* Of the elements above the cutoff: sum over axes k of g_k (i_k - y_k) / W. */
hed_status hed__back_center_of_mass(hed__back *b)
{
  const hed__args_center_of_mass *a = b->step->args;
  const hed__entry *e = b->of[0];
  const hed_array *x = b->in[0], *above = hed_greater_scalar(x, a->cutoff);
  const hed_array *total = hed_sum(hed_where_scalar(above, x, 0), NULL);
  hed_array *sum = hed_zeros(HED_SHAPE0, hed_array_dtype(b->g[0]));
  for (int32_t k = 0; k < e->ndim; k++) {
    const hed_array *away = hed_subtract(hed__places(e->dim[k], e->ndim, k), hed_index(b->out[0], 0, k));
    sum = hed_add(sum, hed_multiply(away, hed_index(b->g[0], 0, k)));
  }
  return hed__made(b->d[0] = hed_where_scalar(above, hed_divide(sum, total), 0));
}
