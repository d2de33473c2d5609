// SPDX-License-Identifier: BSD-3-Clause
/* Rules of what depends on the order of elements: running products and extremes, quantiles, isotonic, segments, sets. L3. */
#include "api/call/check.h"
#include "core/record/body.h"
#include "grad/back.h"

static int32_t axis_of(int32_t axis, int32_t ndim) { return axis < 0 ? axis + ndim : axis; }

/* ---- scans ---- */

typedef struct scan {
  const hed_array *x, *y, *g; /* without what came first; flattened where the call did */
  int32_t axis;
} scan;

static bool look(const hed__back *b, scan *s)
{
  static const hed_scan defaults;
  const hed__args_cumprod *a = b->step->args; /* all of them have the same */
  const hed_scan *opt = a->opt ? a->opt : &defaults;
  s->axis = opt->axis.n ? axis_of(opt->axis.axis[0], b->of[0]->ndim) : 0;
  s->x = b->in[0] && !opt->axis.n ? hed_ravel(b->in[0]) : b->in[0];
  s->y = b->out[0];
  s->g = b->g[0];
  if (opt->initial && b->step->op == HED_OP_CUMPROD) {
    s->y = hed__stretch(s->y, s->axis, 1, HED_SLICE_END, 1);
    s->g = hed__stretch(s->g, s->axis, 1, HED_SLICE_END, 1);
  }
  return s->y && s->g;
}

static hed_status give_scan(hed__back *b, const hed_array *d)
{
  return hed__made(b->d[0] = hed_reshape(d, hed__entry_shape(b->of[0])));
}

/* Sums of what comes from each element on. */
static hed_array *from_behind(const hed_array *x, int32_t axis)
{
  const hed_axes along = HED_AXES(axis);
  return hed_flip(hed_cumsum(hed_flip(x, &along), &(hed_scan){ .axis = along }), &along);
}

/* Sums of g y over what follows, divided by x; at the first 0 by products that leave it out, behind it 0. */
hed_status hed__back_cumprod(hed__back *b)
{
  scan s;
  if (!look(b, &s))
    return hed_error();
  const hed_scan along = { .axis = HED_AXES(s.axis) };
  const hed_array *zero = hed_equal_scalar(s.x, 0), *zeros = hed_cumsum(hed_astype(zero, HED_INT64), &along);
  const hed_array *first = hed_logical_and(zero, hed_equal_scalar(zeros, 1)), *g = hed__conj_of(s.g);
  const hed_array *without = hed_cumprod(hed_scalar_where(first, 1, s.x), &along);
  const hed_array *plain = hed_divide_where(hed_logical_not(zero), from_behind(hed_multiply(g, s.y), s.axis), s.x, 0);
  const hed_array *there = hed_where(first, from_behind(hed_multiply(g, without), s.axis), plain);
  return give_scan(b, hed__conj_of(hed_where_scalar(hed_logical_or(first, hed_equal_scalar(zeros, 0)), there, 0)));
}

/* Is each element of Y another than the one before it? Y's first is. */
static hed_array *begins(const hed_array *y, int32_t axis)
{
  const int64_t n = y->view.dim[axis];
  const hed_array *now = hed__stretch(y, axis, 1, n, 1), *last = hed__stretch(y, axis, 0, n - 1, 1);
  const hed_array *same = hed_logical_or(hed_equal(now, last), hed_logical_and(hed_isnan(now), hed_isnan(last)));
  hed_shape before = { .ndim = y->view.ndim }, after = before;
  for (int32_t k = 0; k < before.ndim; k++) {
    before.dim[k] = k == axis;
    after.dim[k] = 0;
  }
  return hed_pad(hed_logical_not(same), before, after, 1);
}

/* To the place where the value was reached first. */
hed_status hed__back_cummax(hed__back *b)
{
  scan s;
  if (!look(b, &s))
    return hed_error();
  if (s.y->size == 0)
    return HED_OK;
  const hed_scan along = { .axis = HED_AXES(s.axis) };
  const int64_t n = s.y->view.dim[s.axis];
  const hed_array *place = hed_where_scalar(begins(s.y, s.axis), hed__places(n, s.y->view.ndim, s.axis), 0);
  const hed_array *reached = hed_cummax(place, &along);
  if (s.y->view.ndim != b->of[0]->ndim) /* flattened */
    return give_scan(b, hed_scatter_add(s.g, reached, n, 0));
  return hed__made(b->d[0] = hed__placed_along(b->of[0], reached, s.axis, s.g));
}

/* ---- quantiles ---- */

/* Reduced axes last and as one; the way back. */
typedef struct lanes {
  hed_axes order, back;
  hed_shape moved;     /* the operand's shape in that order */
  int64_t n;
} lanes;

static hed_array *as_lanes(const hed_array *x, uint32_t mask, lanes *l)
{
  hed_shape flat = { .ndim = 0 };
  l->order.n = l->back.n = l->moved.ndim = 0;
  l->n = 1;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < x->view.ndim; k++)
      if ((int)(mask >> k & 1u) == pass) {
        l->order.axis[l->order.n++] = k;
        l->moved.dim[l->moved.ndim++] = x->view.dim[k];
        if (pass)
          l->n *= x->view.dim[k];
        else
          flat.dim[flat.ndim++] = x->view.dim[k];
      }
  flat.dim[flat.ndim++] = l->n;
  l->back.n = l->order.n;
  for (int32_t k = 0; k < l->order.n; k++)
    l->back.axis[l->order.axis[k]] = k;
  return hed_reshape(x->view.ndim ? hed_transpose(x, &l->order) : x, flat);
}

/* How much of the values at ranks LOW and LOW + 1 a quantile at PLACE takes: the second. */
static hed_array *upper_share(const hed_array *place, const hed_array *low, int32_t method)
{
  const hed_array *t = hed_subtract(place, low);
  switch (method) {
  case HED_QUANTILE_LINEAR: return (hed_array *)(uintptr_t)t;
  case HED_QUANTILE_LOWER: return hed_zeros_like(t);
  case HED_QUANTILE_HIGHER: return hed_scalars_where(hed_greater_scalar(t, 0), 1, 0);
  case HED_QUANTILE_MIDPOINT: return hed_scalars_where(hed_greater_scalar(t, 0), 0.5, 0);
  default: /* halfway the even rank */
    return hed_subtract(hed_round(place), low);
  }
}

static hed_status quantiles_back(hed__back *b, int32_t n, const double *q, double scale, const hed_quantiles *opt)
{
  uint32_t mask;
  lanes l;
  if (hed__check_axes(hed_op_name(b->step->op), &opt->axes, b->of[0]->ndim, &mask) != HED_OK)
    return hed_error();
  const hed_array *x = as_lanes(b->in[0], mask, &l);
  if (!x || x->size == 0)
    return x ? HED_OK : hed_error();
  const hed_reduce last = { .axes = HED_AXES(-1), .keepdims = true };
  const hed_array *number = hed_logical_not(hed_isnan(x));
  const hed_array *most = hed_subtract_scalar(hed_astype(hed_count_nonzero(number, &last), hed_array_dtype(x)), 1);
  hed_shape one = hed_array_shape(x), all = one;
  one.dim[one.ndim - 1] = 1;
  all.dim[all.ndim - 1] = n; /* of each lane the cotangents of all quantiles */
  if (!opt->omit_nan)
    most = hed_full(one, (double)(l.n - 1), hed_array_dtype(x));
  const hed_array *g = hed_reshape(b->g[0], HED_SHAPE(n, b->g[0]->size / n));
  g = hed_reshape(hed_transpose(g, NULL), all);
  const hed_array *rank = hed__places(l.n, x->view.ndim, x->view.ndim - 1);
  hed_array *sorted = NULL;
  for (int32_t k = 0; k < n; k++) {
    const hed_array *place = hed_multiply_scalar(most, q[k] / scale), *low = hed_floor(place);
    const hed_array *up = upper_share(place, low, opt->method), *each = hed__stretch(g, x->view.ndim - 1, k, k + 1, 1);
    const hed_array *lower = hed_where_scalar(hed_equal(rank, low), hed_multiply(each, hed_scalar_subtract(1, up)), 0);
    const hed_array *upper = hed_where_scalar(hed_equal(rank, hed_add_scalar(low, 1)), hed_multiply(each, up), 0);
    hed_array *part = hed_add(lower, upper);
    sorted = sorted && part ? hed_add(sorted, part) : part;
  }
  const hed_sort_options along = { .axis = HED_AXES(-1) };
  const hed_array *where = hed_argsort(hed_argsort(x, &along), &along);
  const hed_array *d = hed_reshape(hed_take_along_axis(sorted, where, -1), l.moved);
  return hed__made(b->d[0] = l.back.n ? hed_transpose(d, &l.back) : (hed_array *)(uintptr_t)d);
}

hed_status hed__back_quantile(hed__back *b)
{
  static const hed_quantiles defaults;
  const hed__args_quantile *a = b->step->args; /* of percentile the same */
  return quantiles_back(b, a->n, b->step->op == HED_OP_QUANTILE ? a->q : ((const hed__args_percentile *)b->step->args)->percent,
                        b->step->op == HED_OP_QUANTILE ? 1 : 100, a->opt ? a->opt : &defaults);
}

hed_status hed__back_median(hed__back *b)
{
  static const double half = 0.5;
  const hed__args_median *a = b->step->args;
  hed_quantiles opt = { .omit_nan = b->step->op == HED_OP_NANMEDIAN };
  if (a->opt)
    opt.axes = a->opt->axes;
  return quantiles_back(b, 1, &half, 1, &opt);
}

/* ---- stretches of equal values ---- */

/* Of each stretch B the mean m = sum g / sum w; x: w m, w: (x - y) m. */
hed_status hed__back_isotonic(hed__back *b)
{
  const hed__args_isotonic *a = b->step->args;
  const hed__entry *e = b->of[0];
  const int32_t axis = axis_of(a->axis, e->ndim);
  const hed_array *y = hed_moveaxis(b->out[0], axis, -1), *g = hed_moveaxis(b->g[0], axis, -1), *w = b->in[1];
  if (!y || !g || y->size == 0)
    return y && g ? HED_OK : hed_error();
  w = w ? hed_moveaxis(hed_broadcast_to(hed_astype(w, hed_array_dtype(y)), hed__entry_shape(e)), axis, -1) : hed_ones_like(y);
  /* stretches are numbered through all lanes: each begins one */
  const hed_array *number = hed_cumsum(hed_ravel(hed_astype(begins(y, y->view.ndim - 1), HED_INT64)), NULL);
  number = hed_subtract_scalar(number, 1);
  const hed_array *sums = hed_scatter_add(hed_ravel(g), number, y->size, 0);
  const hed_array *weight = hed_scatter_add(hed_ravel(w), number, y->size, 0);
  const hed_array *m = hed_reshape(hed_take(hed_divide_where(weight, sums, weight, 0), number, 0), hed_array_shape(y));
  hed_status status = HED_OK;
  if (b->wanted[0])
    status = hed__made(b->d[0] = hed_moveaxis(hed_multiply(w, m), -1, axis));
  if (status == HED_OK && b->wanted[1]) {
    const hed_array *away = hed_subtract(hed_moveaxis(b->in[0], axis, -1), y);
    status = hed__give(b, 1, hed_moveaxis(hed_multiply(away, m), -1, axis));
  }
  return status;
}

/* ---- segments ---- */

hed_status hed__back_segments(hed__back *b)
{
  const hed__args_scatter_max *a = b->step->args; /* of all but scatter the same */
  const hed__args_scatter *s = b->step->args;
  static const int kinds[] = { [HED_AGGREGATE_ADD] = HED_OP_SCATTER_ADD, [HED_AGGREGATE_MAX] = HED_OP_SCATTER_MAX,
                               [HED_AGGREGATE_MIN] = HED_OP_SCATTER_MIN, [HED_AGGREGATE_MEAN] = HED_OP_SCATTER_MEAN,
                               [HED_AGGREGATE_SOFTMAX] = HED_OP_SCATTER_SOFTMAX };
  const bool any = b->step->op == HED_OP_SCATTER;
  const int kind = any ? kinds[s->how] : b->step->op;
  const int32_t axis = axis_of(any ? s->axis : a->axis, b->of[0]->ndim);
  const hed_array *x = b->in[0], *index = b->in[1], *y = b->out[0], *g = b->g[0], *d;
  const int64_t n = b->made[0]->dim[axis];
  if (kind == HED_OP_SCATTER_SOFTMAX) { /* y (g - sum of g y) */
    const hed_array *gy = hed_multiply(g, y);
    const hed_array *sums = hed_scatter_add(gy, index, -1, axis);
    d = hed_multiply(y, hed_subtract(g, hed_take(sums, index, axis)));
  } else if (kind == HED_OP_SCATTER_MEAN) {
    const hed_dtype real = hed__dtypes[hed__real_of(g->view.dtype)];
    const hed_array *count = hed_scatter_add(hed_ones(HED_SHAPE(b->of[0]->dim[axis]), real), index, n, 0);
    hed_shape along = { .ndim = g->view.ndim };
    for (int32_t k = 0; k < along.ndim; k++)
      along.dim[k] = k == axis ? n : 1;
    d = hed_take(hed_divide(g, hed_reshape(hed_maximum_scalar(count, 1), along)), index, axis);
  } else if (kind == HED_OP_SCATTER_ADD) {
    d = hed_take(g, index, axis);
  } else { /* equal shares among the extremes */
    const hed_array *top = hed_take(y, index, axis);
    const hed_array *mine = hed_logical_or(hed_equal(x, top), hed_logical_and(hed_isnan(x), hed_isnan(top)));
    const hed_array *count = hed_scatter_add(hed_astype(mine, hed_array_dtype(g)), index, n, axis);
    d = hed_where_scalar(mine, hed_take(hed_divide_where(count, g, count, 0), index, axis), 0);
  }
  return hed__made(b->d[0] = (hed_array *)(uintptr_t)d);
}

/* G at LABELS, 0 where there is no such label. */
static hed_array *at_labels(const hed_array *g, const hed_array *labels)
{
  const int64_t n = g->view.dim[0];
  const hed_array *there = hed_logical_and(hed_greater_equal_scalar(labels, 0), hed_less_scalar(labels, (double)n));
  return n ? hed_where_scalar(there, hed_take(g, hed_multiply(labels, there), 0), 0)
           : hed_zeros(hed_array_shape(labels), hed_array_dtype(g));
}

hed_status hed__back_labels(hed__back *b)
{
  const hed_array *g = b->g[0], *labels = b->in[1];
  if (b->step->op == HED_OP_LABEL_MEAN) {
    const hed_array *count = hed_label_sum(hed_ones(hed_array_shape(labels), hed_array_dtype(g)), labels, g->view.dim[0]);
    g = hed_divide_where(count, g, count, 0);
  }
  return hed__made(b->d[0] = at_labels(g, labels));
}

/* Of the weights. */
hed_status hed__back_bincount(hed__back *b) { return b->wanted[1] ? hed__made(b->d[1] = hed_take(b->g[0], b->in[0], 0)) : HED_OK; }

/* Of the weights: each gets what its bin does. With density the bins are divided by their widths and the sum S of all weights inside,
 * so that each weight takes from the others too: (g / width - sum of g y) / S. */
hed_status hed__back_histogram(hed__back *b)
{
  const hed__args_histogram *a = b->step->args;
  hed_histogram_options opt = a->opt ? *a->opt : (hed_histogram_options){ .bins = 0 };
  const hed_array *x = b->in[0], *g = b->g[0];
  hed_array *edges = NULL;
  if (!b->wanted[2] || !g)
    return HED_OK;
  opt.edges = b->in[1]; /* the call's own may be gone */
  opt.weights = NULL;
  if (hed_histogram(x, &opt, NULL, &edges) != HED_OK)
    return hed_error();
  const int64_t n = edges->size - 1;
  const hed_array *last = hed_index(edges, 0, n), *inside = hed_logical_and(hed_greater_equal(x, hed_index(edges, 0, 0)),
                                                                           hed_less_equal(x, last));
  const hed_array *bin = hed_clip(hed_subtract_scalar(hed_searchsorted(edges, x, true), 1), 0, (double)n - 1);
  if (opt.density) {
    const hed_array *total = hed_sum(hed_where_scalar(inside, b->in[2], 0), NULL);
    g = hed_divide(hed_subtract(hed_divide(g, hed_diff(edges, 1, 0)), hed_sum(hed_multiply_nonzero(g, b->out[0]), NULL)), total);
  }
  return hed__made(b->d[2] = hed_where_scalar(inside, hed_take(g, bin, 0), 0));
}

/* Values come from the first places. */
hed_status hed__back_unique(hed__back *b)
{
  const hed_array *index = NULL, *g = b->g[0];
  hed_unique_options opt = { .every_nan = false };
  hed_array *made = NULL;
  if (b->step->form == HED__CALL_unique_with) {
    const hed__args_unique_with *a = b->step->args;
    opt = a->opt ? *a->opt : opt;
  } else {
    const hed__args_unique *a = b->step->args;
    opt.axis = a->axis ? *a->axis : opt.axis;
  }
  if (!g)
    return HED_OK;
  if (hed_unique_with(b->in[0], &opt, NULL, &made, NULL, NULL) != HED_OK)
    return hed_error();
  index = made;
  const hed__entry *e = b->of[0];
  if (opt.axis.n)
    return hed__made(b->d[0] = hed_scatter_add(g, index, e->dim[axis_of(opt.axis.axis[0], e->ndim)], opt.axis.axis[0]));
  int64_t n = 1;
  for (int32_t k = 0; k < e->ndim; k++)
    n *= e->dim[k];
  return hed__made(b->d[0] = hed_reshape(hed_scatter_add(g, index, n, 0), hed__entry_shape(e)));
}
