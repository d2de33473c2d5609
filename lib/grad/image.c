// SPDX-License-Identifier: BSD-3-Clause
/* Rules of filters and resampling. L3.
 *
 * What lies beyond an end is an element of the signal, or a constant: a filter reads a signal continued that way, so that its
 * cotangent is the continued one's, folded back. A value between elements is a sum of their spline's coefficients times
 * weights, which are spread to where they came from, in a fixed order.
 */
#include "api/call/check.h"
#include "api/image/filters.h"
#include "api/image/image.h"
#include "base/alloc.h"
#include "base/boundary.h"
#include "core/record/body.h"
#include "grad/back.h"
#include <math.h>

static int32_t axis_of(int32_t axis, int32_t ndim) { return axis < 0 ? axis + ndim : axis; }

/* ---- signals that go on ---- */

/* For places -BEFORE to N + AFTER - 1 which element is there; N: the constant. */
static hed_array *continued(int64_t n, int64_t before, int64_t after, int mode)
{
  const int64_t size = before + n + after;
  int64_t *index = hed__malloc((size_t)(size + !size) * sizeof *index);
  if (!index) {
    hed_fail(HED_E_NOMEM, "grad: no memory for the places of %lld elements", (long long)size);
    return NULL;
  }
  for (int64_t i = 0; i < size; i++) {
    const int64_t at = hed__boundary_index(i - before, n, mode);
    index[i] = at < 0 ? n : at;
  }
  hed_array *x = hed_from_host(index, HED_SHAPE(size), HED_INT64);
  hed__free(index);
  return x;
}

/* X as it goes on along AXIS. */
static hed_array *extend(const hed_array *x, int32_t axis, const hed_array *index, int mode, double cval)
{
  if (mode == HED_BOUNDARY_CONSTANT) {
    hed_shape none = { .ndim = x->view.ndim }, one = none;
    for (int32_t k = 0; k < none.ndim; k++) {
      none.dim[k] = 0;
      one.dim[k] = k == axis;
    }
    x = hed_pad(x, none, one, cval);
  }
  return x && index ? hed_take(x, index, axis) : NULL;
}

/* The cotangent of a continued signal as that of its N elements. */
static hed_array *fold(const hed_array *g, int32_t axis, const hed_array *index, int64_t n)
{
  hed_array *d = g && index ? hed_scatter_add(g, index, n + 1, axis) : NULL;
  return d ? hed__stretch(d, axis, 0, n, 1) : NULL;
}

static int boundary_of(const hed_filter *opt, int otherwise) { return opt && opt->boundary ? opt->boundary : otherwise; }

/* The cotangent of a signal of N elements along AXIS whose values with WEIGHTS round them have G. */
static hed_array *correlation_back(const hed_array *g, const hed_array *weights, int32_t axis, int64_t n, int mode)
{
  const int64_t count = weights->view.dim[0], before = count / 2;
  hed_shape along = { .ndim = g->view.ndim };
  for (int32_t k = 0; k < along.ndim; k++)
    along.dim[k] = k == axis ? count : 1;
  const hed_array *index = continued(n, before, count - 1 - before, mode);
  const hed_array *w = hed_reshape(hed_astype(weights, hed_array_dtype(g)), along);
  return fold(hed_convolve_direct(g, w, HED_CONVOLVE_FULL), axis, index, n);
}

/* y[i] = sum over k of w[k] x[i + k - n / 2] */
hed_status hed__back_correlate1d(hed__back *b)
{
  const hed__args_correlate1d *a = b->step->args;
  const hed__entry *e = b->of[0];
  const int32_t axis = axis_of(a->axis, e->ndim);
  const int64_t n = e->dim[axis], count = b->of[1]->dim[0], before = count / 2;
  const int mode = boundary_of(a->opt, HED_BOUNDARY_REFLECT);
  const hed_array *g = b->g[0];
  if (g->size == 0)
    return HED_OK;
  if (b->wanted[0] && hed__made(b->d[0] = correlation_back(g, b->in[1], axis, n, mode)) != HED_OK)
    return hed_error();
  if (!b->wanted[1])
    return HED_OK;
  const hed_array *index = continued(n, before, count - 1 - before, mode);
  const hed_array *x = extend(b->in[0], axis, index, mode, a->opt ? a->opt->cval : 0);
  hed_array *d = hed_correlate(x, hed_astype(g, x ? hed_array_dtype(x) : NULL), HED_CONVOLVE_VALID);
  return hed__made(b->d[1] = hed_reshape(d, HED_SHAPE(count)));
}

/* Of the root of the sum of squared derivatives: each derivative's share, 0 where all are 0. */
hed_status hed__back_gradient_magnitude(hed__back *b)
{
  const hed__args_gradient_magnitude *a = b->step->args;
  const hed__entry *e = b->of[0];
  const int mode = boundary_of(a->opt, HED_BOUNDARY_REFLECT);
  uint32_t axes;
  if (hed__check_axes("gradient_magnitude", a->opt ? &a->opt->axes : NULL, e->ndim, &axes) != HED_OK)
    return hed_error();
  const hed_array *difference = hed_from_doubles((const double[]){ -1, 0, 1 }, HED_SHAPE(3), hed_array_dtype(b->g[0]));
  const hed_array *smooth = hed_from_doubles((const double[]){ 1, 2, 1 }, HED_SHAPE(3), hed_array_dtype(b->g[0]));
  hed_array *sum = NULL;
  if (!difference || !smooth)
    return hed_error();
  for (int32_t axis = 0; axis < e->ndim; axis++) {
    if (!(axes >> axis & 1u))
      continue;
    hed_array *d = hed_multiply_nonzero(b->g[0], hed_divide_where(b->out[0], hed_sobel(b->in[0], axis, a->opt), b->out[0], 0));
    for (int32_t k = e->ndim - 1; k >= 0 && d; k--)
      if (axes >> k & 1u)
        d = correlation_back(d, k == axis ? difference : smooth, k, e->dim[k], mode);
    sum = sum && d ? hed_add(sum, d) : d;
    if (!sum)
      return hed_error();
  }
  b->d[0] = sum;
  return HED_OK;
}

/* A margin is what a signal that goes on has there. */
hed_status hed__back_pad_with(hed__back *b)
{
  static const int modes[] = { [HED_PAD_CONSTANT] = HED_BOUNDARY_CONSTANT, [HED_PAD_EDGE] = HED_BOUNDARY_NEAREST,
                               [HED_PAD_REFLECT] = HED_BOUNDARY_MIRROR, [HED_PAD_SYMMETRIC] = HED_BOUNDARY_REFLECT,
                               [HED_PAD_WRAP] = HED_BOUNDARY_WRAP };
  const hed__args_pad_with *a = b->step->args;
  const hed__entry *e = b->of[0];
  const hed_array *g = b->g[0];
  for (int32_t k = 0; k < e->ndim && g && e->dim[k] > 0; k++)
    g = fold(g, k, continued(e->dim[k], a->before.dim[k], a->after.dim[k], modes[a->mode]), e->dim[k]);
  return hed__made(b->d[0] = (hed_array *)(uintptr_t)g);
}

/* ---- boxes ---- */

typedef struct box {
  int32_t ndim;
  int64_t size, count;               /* along an axis, altogether */
  const hed_array *index[HED_MAX_NDIM];
  const hed_array *x;                /* as it goes on */
} box;

/* The signal as seen from offset K of the boxes, or the part of X that is. */
static hed_array *shifted(const box *p, const hed__entry *e, const hed_array *x, int64_t k)
{
  hed_slice_range range[HED_MAX_NDIM];
  for (int32_t axis = p->ndim - 1; axis >= 0; axis--, k /= p->size)
    range[axis] = HED_RANGE(k % p->size, k % p->size + e->dim[axis], 1);
  return hed_slice(x, p->ndim, range);
}

/* Largest and smallest ones have equal shares among those that are; the median goes to one element. */
hed_status hed__back_box(hed__back *b)
{
  const hed__entry *e = b->of[0];
  const int op = b->step->op;
  const hed_filter *opt = NULL;
  double cval = 0;
  box p = { .ndim = e->ndim, .count = 1, .x = b->in[0] };
  int mode = HED_BOUNDARY_CONSTANT;
  if (op == HED_OP_MAXIMUM_FILTER && b->step->form == HED__CALL_maximum_filter) {
    const hed__args_maximum_filter *a = b->step->args;
    p.size = a->size;
    cval = a->cval;
  } else {
    const hed__args_median_filter *a = b->step->args;
    p.size = a->size;
    opt = a->opt;
    mode = boundary_of(opt, HED_BOUNDARY_REFLECT);
    cval = opt ? opt->cval : 0;
  }
  const hed_array *g = b->g[0], *y = b->out[0];
  if (g->size == 0)
    return HED_OK;
  for (int32_t axis = 0; axis < e->ndim; axis++) {
    p.index[axis] = continued(e->dim[axis], p.size / 2, (p.size - 1) / 2, mode);
    p.x = p.index[axis] ? extend(p.x, axis, p.index[axis], mode, cval) : NULL;
    p.count *= p.size;
    if (!p.x)
      return hed_error();
  }
  const hed_array *chosen = NULL, *share = NULL;
  if (op == HED_OP_MEDIAN_FILTER) { /* which offset has the middle of the sorted values */
    hed_array **windows = hed__calloc((size_t)p.count, sizeof *windows);
    for (int64_t k = 0; windows && k < p.count; k++)
      windows[k] = shifted(&p, e, p.x, k);
    const hed_array *all = windows ? hed_stack((int)p.count, (const hed_array *const *)windows, 0) : NULL;
    hed__free(windows);
    chosen = hed_index(hed_argsort(all, &(hed_sort_options){ .axis = HED_AXES(0), .flat = false }), 0, p.count / 2);
  } else {
    hed_array *count = NULL;
    for (int64_t k = 0; k < p.count; k++) {
      hed_array *here = hed_astype(hed_equal(shifted(&p, e, p.x, k), y), hed_array_dtype(g));
      count = k ? hed_add(count, here) : here;
    }
    share = hed_divide_where(count, g, count, 0);
  }
  hed_array *d = hed_zeros_like(p.x), *seen = d ? hed_astype(d, hed_array_dtype(g)) : NULL;
  for (int64_t k = 0; k < p.count && seen; k++) {
    const hed_array *part = chosen ? hed_where_scalar(hed_equal_scalar(chosen, (double)k), g, 0)
                                   : hed_where_scalar(hed_equal(shifted(&p, e, p.x, k), y), share, 0);
    hed_key keys[HED_MAX_NDIM];
    int64_t rest = k;
    for (int32_t axis = p.ndim - 1; axis >= 0; axis--, rest /= p.size)
      keys[axis] = HED_SLICE(rest % p.size, rest % p.size + e->dim[axis], 1);
    if (!part || hed_accumulate(seen, p.ndim, keys, part, HED_SCATTER_ADD) != HED_OK)
      seen = NULL;
  }
  for (int32_t axis = 0; axis < e->ndim && seen; axis++)
    seen = fold(seen, axis, p.index[axis], e->dim[axis]);
  return hed__made(b->d[0] = seen);
}

/* ---- splines ---- */

/* Ends of AXIS times FACTOR. */
static hed_array *scaled_ends(const hed_array *x, int32_t axis, double factor)
{
  const int64_t n = x->view.dim[axis];
  const hed_array *i = hed__places(n, x->view.ndim, axis);
  const hed_array *end = hed_logical_or(hed_equal_scalar(i, 0), hed_equal_scalar(i, (double)(n - 1)));
  return hed_where(end, hed_multiply_scalar(x, factor), x);
}

/* The transpose of spline_filter. What turns coefficients into values is symmetric for reflect and wrap, and for mirror with the ends
 * halved: so is its inverse. */
static hed_array *filter_back(const hed_array *g, uint32_t axes, int mode)
{
  const bool halves = mode != HED_BOUNDARY_REFLECT && mode != HED_BOUNDARY_WRAP;
  for (int32_t k = 0; g && k < g->view.ndim; k++) {
    if (!(axes >> k & 1u) || g->view.dim[k] < 2)
      continue;
    const hed_array *x = halves ? scaled_ends(g, k, 2) : g;
    g = hed_spline_filter(x, &HED_AXES(k), mode);
    g = halves && g ? scaled_ends(g, k, 0.5) : g;
  }
  return (hed_array *)(uintptr_t)g;
}

hed_status hed__back_spline_filter(hed__back *b)
{
  const hed__args_spline_filter *a = b->step->args;
  uint32_t axes;
  if (hed__check_axes("spline_filter", a->axes, b->of[0]->ndim, &axes) != HED_OK)
    return hed_error();
  return hed__made(b->d[0] = filter_back(b->g[0], axes, a->boundary ? a->boundary : HED_BOUNDARY_MIRROR));
}

typedef struct sampling {
  int order, boundary;
  bool prefilter;
} sampling;

/* What a value between elements takes of them along one axis: places and weights, and the weights' slopes. */
typedef struct taps {
  int n;
  const hed_array *index[4], *weight[4], *slope[4];
} taps;

/* (4 + f^2 (3 f - 6)) / 6 */
static hed_array *near_weight(const hed_array *f, const hed_array *f2)
{
  const hed_array *inner = hed_subtract_scalar(hed_multiply_scalar(f, 3), 6);
  return hed_multiply_scalar(hed_add_scalar(hed_multiply(f2, inner), 4), 1.0 / 6);
}

/* C: (..) coordinates along an axis of N. INSIDE: those that read the signal. */
static bool taps_of(const sampling *s, const hed_array *c, int64_t n, taps *t, const hed_array **inside)
{
  const bool ends = s->boundary == HED_BOUNDARY_CONSTANT || s->boundary == HED_BOUNDARY_NEAREST;
  const int mode = ends ? HED_BOUNDARY_MIRROR : s->boundary;
  const hed_array *there = s->boundary == HED_BOUNDARY_CONSTANT
                               ? hed_logical_and(hed_greater_equal_scalar(c, -1e-9), hed_less_equal_scalar(c, (double)(n - 1) + 1e-9))
                               : hed_less_equal_scalar(hed_abs(c), 1e15);
  *inside = *inside ? hed_logical_and(*inside, there) : there;
  c = hed_where_scalar(there, c, 0);
  const hed_array *flat = NULL; /* where it has been moved to an end */
  if (ends) {
    flat = hed_logical_or(hed_less_scalar(c, 0), hed_greater_scalar(c, (double)(n - 1)));
    c = hed_clip(c, 0, (double)(n - 1));
  }
  const hed_array *first = hed_floor(s->order == 0 ? hed_add_scalar(c, 0.5) : c), *f = hed_subtract(c, first);
  const hed_array *g = hed_scalar_subtract(1, f), *f2 = hed_square(f), *g2 = hed_square(g);
  t->n = s->order + 1;
  if (s->order == 0) {
    t->weight[0] = hed_ones_like(f);
    t->slope[0] = NULL;
  } else if (s->order == 1) {
    t->weight[0] = g;
    t->weight[1] = f;
    t->slope[1] = hed_ones_like(f);
    t->slope[0] = hed_negative(t->slope[1]);
  } else {
    t->weight[0] = hed_multiply_scalar(hed_multiply(g, g2), 1.0 / 6);
    t->weight[1] = near_weight(f, f2);
    t->weight[2] = near_weight(g, g2);
    t->weight[3] = hed_multiply_scalar(hed_multiply(f, f2), 1.0 / 6);
    t->slope[0] = hed_multiply_scalar(g2, -0.5);
    t->slope[1] = hed_subtract(hed_multiply_scalar(f2, 1.5), hed_multiply_scalar(f, 2));
    t->slope[2] = hed_subtract(hed_multiply_scalar(g, 2), hed_multiply_scalar(g2, 1.5));
    t->slope[3] = hed_multiply_scalar(f2, 0.5);
  }
  const double period = mode == HED_BOUNDARY_WRAP ? (double)n : mode == HED_BOUNDARY_REFLECT ? 2 * (double)n
                        : n > 1 ? 2 * (double)n - 2 : 1;
  for (int k = 0; k < t->n; k++) {
    const hed_array *i = hed_mod_scalar(hed_add_scalar(first, k - (s->order == 3)), period);
    if (mode != HED_BOUNDARY_WRAP) /* the other way round in its second half */
      i = hed_where(hed_greater_equal_scalar(i, (double)n), hed_scalar_subtract(period - (mode == HED_BOUNDARY_REFLECT), i), i);
    t->index[k] = hed_astype(i, HED_INT64);
    if (flat && t->slope[k])
      t->slope[k] = hed_scalar_where(flat, 0, t->slope[k]);
  }
  return !hed__made(t->index[t->n - 1]) && *inside;
}

/* The product over axes of the weights of a combination of taps, of axis SLOPED (-1: none) its slopes. */
static const hed_array *product_of(int32_t ndim, const taps *t, const int *at, int32_t sloped)
{
  const hed_array *w = NULL;
  for (int32_t k = 0; k < ndim; k++) {
    const hed_array *each = k == sloped ? t[k].slope[at[k]] : t[k].weight[at[k]];
    if (!each)
      return NULL;
    w = k ? hed_multiply(w, each) : each;
  }
  return w;
}

static bool next(int32_t ndim, const taps *t, int *at)
{
  for (int32_t k = ndim - 1; k >= 0; k--) {
    if (++at[k] < t[k].n)
      return true;
    at[k] = 0;
  }
  return false;
}

/* By the signal, of E's shape: each cotangent spread over the elements that its value was made of. COORDINATES (ndim, ..). */
static hed_array *spread(const sampling *s, const hed__entry *e, const hed_array *coordinates, const hed_array *g)
{
  taps t[3];
  int at[3] = { 0 };
  const hed_array *inside = NULL;
  for (int32_t k = 0; k < e->ndim; k++)
    if (!taps_of(s, hed_index(coordinates, 0, k), e->dim[k], &t[k], &inside))
      return NULL;
  hed_array *d = hed__zeros_of(e);
  g = hed_where_scalar(inside, g, 0);
  do {
    hed_key keys[3];
    for (int32_t k = 0; k < e->ndim; k++)
      keys[k] = HED_IDX(t[k].index[at[k]]);
    const hed_array *part = hed_multiply_nonzero(g, product_of(e->ndim, t, at, -1));
    if (!d || !part || hed_accumulate(d, e->ndim, keys, part, HED_SCATTER_ADD) != HED_OK)
      return NULL;
  } while (next(e->ndim, t, at));
  return s->prefilter && s->order == 3
             ? filter_back(d, ~0u, s->boundary == HED_BOUNDARY_CONSTANT || s->boundary == HED_BOUNDARY_NEAREST ? HED_BOUNDARY_MIRROR
                                                                                                               : s->boundary)
             : d;
}

/* By the coordinates: g times the slope along each axis; 0 outside. */
static hed_array *slopes(const sampling *s, const hed_array *x, const hed_array *coordinates, const hed_array *g)
{
  const int32_t ndim = x->view.ndim;
  const bool ends = s->boundary == HED_BOUNDARY_CONSTANT || s->boundary == HED_BOUNDARY_NEAREST;
  taps t[3];
  const hed_array *inside = NULL, *part[3];
  for (int32_t k = 0; k < ndim; k++)
    if (!taps_of(s, hed_index(coordinates, 0, k), x->view.dim[k], &t[k], &inside))
      return NULL;
  if (s->prefilter && s->order == 3)
    x = hed_spline_filter(x, NULL, ends ? HED_BOUNDARY_MIRROR : s->boundary);
  for (int32_t axis = 0; axis < ndim; axis++) {
    int at[3] = { 0 };
    hed_array *sum = NULL;
    do {
      hed_key keys[3];
      const hed_array *w = product_of(ndim, t, at, axis);
      for (int32_t k = 0; k < ndim; k++)
        keys[k] = HED_IDX(t[k].index[at[k]]);
      hed_array *each = w ? hed_multiply(w, hed_get(x, ndim, keys)) : hed_zeros_like(g);
      sum = sum && each ? hed_add(sum, each) : each;
    } while (next(ndim, t, at));
    part[axis] = hed_where_scalar(inside, hed_multiply_nonzero(g, sum), 0);
  }
  return hed_stack(ndim, part, 0);
}

static bool sampling_of(const char *op, const hed_resample *opt, sampling *s)
{
  static const hed_resample defaults;
  opt = opt ? opt : &defaults;
  s->order = hed__spline_order(op, opt->spline);
  s->boundary = opt->boundary ? opt->boundary : HED_BOUNDARY_CONSTANT;
  s->prefilter = !opt->no_prefilter;
  return s->order >= 0;
}

hed_status hed__back_map_coordinates(hed__back *b)
{
  const hed__args_map_coordinates *a = b->step->args;
  sampling s;
  if (!sampling_of("map_coordinates", a->opt, &s))
    return hed_error();
  const hed_array *c = b->in[1];
  if (b->wanted[0] && hed__made(b->d[0] = spread(&s, b->of[0], c, b->g[0])) != HED_OK)
    return hed_error();
  return b->wanted[1] ? hed__made(b->d[1] = slopes(&s, b->in[0], c, b->g[0])) : HED_OK;
}

/* The places M x + t of SHAPE's elements. */
static hed_array *grid(int32_t ndim, double matrix[3][4], const hed__entry *shape, hed_dtype dtype)
{
  const hed_array *row[3];
  for (int32_t j = 0; j < ndim; j++) {
    hed_array *sum = hed_full(HED_SHAPE0, matrix[j][ndim], dtype);
    for (int32_t k = 0; k < ndim; k++)
      sum = hed_add(sum, hed_multiply_scalar(hed_astype(hed__places(shape->dim[k], ndim, k), dtype), matrix[j][k]));
    row[j] = sum;
  }
  return hed_stack(ndim, row, 0);
}

hed_status hed__back_affine(hed__back *b)
{
  const hed__entry *e = b->of[0], *y = b->made[0];
  const int op = b->step->op;
  double matrix[3][4] = { { 0 } };
  sampling s;
  const hed_resample *opt;
  const bool block = b->step->form == HED__CALL_affine_transform_into; /* of the operand's shape, of what was there before */
  hed_resample into = { .spline = 0 };
  const hed_array *g = b->g[0];
  if (block) {
    const hed__args_affine_transform_into *a = b->step->args;
    into = (hed_resample){ .spline = a->spline, .no_prefilter = !a->prefilter };
    opt = &into;
    g = hed__fit_ends(g, e);
    y = e;
    for (int32_t j = 0; j < e->ndim; j++)
      for (int32_t k = 0; k <= e->ndim; k++)
        matrix[j][k] = a->matrix[j * (e->ndim + 1) + k];
  } else if (op == HED_OP_ZOOM) {
    const hed__args_zoom *a = b->step->args;
    opt = a->opt;
    for (int32_t k = 0; k < e->ndim; k++)
      matrix[k][k] = y->dim[k] > 1 ? (double)(e->dim[k] - 1) / (double)(y->dim[k] - 1) : 0;
  } else {
    const hed__args_affine_transform *a = b->step->args;
    opt = a->opt;
    for (int32_t j = 0; j < e->ndim; j++)
      for (int32_t k = 0; k <= e->ndim; k++)
        matrix[j][k] = a->matrix[j * (e->ndim + 1) + k];
  }
  if (!sampling_of(hed_op_name(op), opt, &s))
    return hed_error();
  const hed_dtype wide = hed__dtypes[e->dtype] == HED_FLOAT64 ? HED_FLOAT64 : HED_FLOAT32;
  return hed__made(b->d[0] = spread(&s, e, grid(e->ndim, matrix, y, wide), g));
}
