// SPDX-License-Identifier: BSD-3-Clause
/* Trains, rings and matrices of cores from full tensors by singular values.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <math.h>

hed_status hed__tt_bounds(const char *op, const hed_shape *ranks, int order, bool ring, int64_t *bounds)
{
  const int n = ranks ? ranks->ndim : 0;
  const int first = ring ? 0 : 1, inner = order - first; /* how many are free */
  if (n > 1 && n != inner && n != order + 1) {
    char between[24] = ""; /* one number is the same for all, however many are free */
    if (inner > 1)
      snprintf(between, sizeof between, ", %d", inner);
    return hed_fail(HED_E_SHAPE, "%s: %d ranks for a tensor of %d axes; 1%s or %d are expected", op, n, order, between, order + 1);
  }
  for (int k = 0; k <= order; k++) {
    const bool end = !ring && (k == 0 || k == order);
    const int i = n == 1 ? 0 : n == order + 1 ? k : (ring ? k % order : k - first);
    bounds[k] = n == 0 ? 0 : end && n != order + 1 ? 1 : ranks->dim[i];
    if (n > 0 && bounds[k] < 1)
      return hed_fail(HED_E_INVAL, "%s: rank %d is %lld; ranks are 1 or more", op, i, (long long)bounds[k]);
    if (end && n == order + 1 && bounds[k] != 1)
      return hed_fail(HED_E_INVAL, "%s: rank %d is %lld; a train begins and ends with 1", op, k, (long long)bounds[k]);
    if (bounds[k] > INT32_MAX) /* no tensor needs more, and the product of two is a number */
      bounds[k] = INT32_MAX;
  }
  if (bounds[0] != bounds[order])
    return hed_fail(HED_E_INVAL, "%s: the first rank is %lld and the last one %lld; they are the same", op, (long long)bounds[0],
                    (long long)bounds[order]);
  return HED_OK;
}

/* X as it is computed with, over 2^E, and the sum of its squares. */
static hed_status begin(const char *op, const hed_array *x, double eps, const hed_tt *out, hed_array **operand, double *squares,
                        int *e)
{
  char text[160];
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (!(eps >= 0 && eps < 1))
    return hed_fail(HED_E_INVAL, "%s: eps is %g; it lies in [0, 1)", op, eps);
  if (!(*operand = hed__tensor_operand(op, "x", x)))
    return hed_error();
  const hed_shape s = hed_array_shape(x);
  if (s.ndim < 1 || hed_array_size(x) == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; at least one axis and one element are expected", op,
                    hed__shape_words(s, text));
  const hed_status status = hed__tensor_exponent(op, "x", *operand, e);
  if (status != HED_OK)
    return status;
  *e = hed__tensor_exponent_needed(*e);
  *operand = hed__tensor_scaled(*operand, -*e);
  return *operand ? hed__tensor_squares(op, "x", *operand, squares) : hed_error();
}

/* The state of a decomposition from the left: what is not yet cores is a matrix whose rows begin with a rank. */
typedef struct rest_of {
  hed_array *x;
  int64_t rank; /* in front of what is left */
  double squares, dropped;
  int exponent; /* of the data's unit */
} rest_of;

/* Core K of extent N, by a rank of at most MOST and a share of the error. */
static hed_status next_core(rest_of *f, hed_tt *t, int k, int64_t n, int64_t most, double share)
{
  hed__cut cut = { .most = most, .squares = share * f->squares };
  hed_array *left = NULL, *rest = NULL;
  HED_SCOPE_OR(return hed_error()) {
    hed_status status = hed__tt_split(hed_reshape(f->x, HED_SHAPE(f->rank * n, -1)), f->squares, &cut, &left, &rest);
    if (status != HED_OK)
      return status;
    hed_keep(rest);
    t->core[k] = hed_keep(hed_reshape(left, HED_SHAPE(f->rank, n, -1)));
  }
  hed_release(f->x);
  f->x = rest;
  f->rank = hed_array_shape(rest).dim[0];
  f->dropped += cut.dropped;
  return t->core[k] ? HED_OK : hed_error();
}

/* Cores FIRST .. of F; the last one is what is left and closes with rank LAST. The cores are kept. */
static hed_status cores(rest_of *f, hed_tt *t, int first, const hed_shape *s, const int64_t *bounds, double share, int64_t last)
{
  hed_status status = HED_OK;
  for (int k = first; status == HED_OK && k + 1 < t->order; k++)
    status = next_core(f, t, k, s->dim[k], bounds[k + 1], share);
  if (status == HED_OK) {
    t->core[t->order - 1] = hed_keep(hed_reshape(f->x, HED_SHAPE(f->rank, s->dim[t->order - 1], last)));
    status = t->core[t->order - 1] ? hed__tensor_rescale(&t->core[t->order - 1], f->exponent) : hed_error();
  }
  return status;
}

static void finish(hed_status status, rest_of *f, hed_tt *t, hed_tt *out, double *error)
{
  hed_release(f->x);
  if (status != HED_OK)
    hed_tt_clear(t);
  if (status == HED_OK && error)
    *error = f->squares > 0 ? sqrt(f->dropped / f->squares) : 0;
  *out = *t;
}

static hed_status train(const char *op, const hed_array *x, const hed_shape *s, const hed_shape *ranks, double eps, hed_tt *out,
                        double *error)
{
  rest_of f = { .rank = 1 };
  hed_tt t = { .order = s->ndim };
  int64_t bounds[HED_MAX_NDIM + 1];
  hed_status status = HED_OK;
  if (out)
    *out = (hed_tt){ 0 };
  HED_SCOPE_OR(return hed_error()) {
    hed_array *operand = NULL;
    status = begin(op, x, eps, out, &operand, &f.squares, &f.exponent);
    if (status == HED_OK)
      status = hed__tt_bounds(op, ranks, t.order, false, bounds);
    if (status != HED_OK)
      return status;
    f.x = hed_keep(operand);
    status = cores(&f, &t, 0, s, bounds, t.order > 1 ? eps * eps / (t.order - 1) : 0, 1);
    finish(status, &f, &t, out, error);
  }
  return status;
}

hed_status hed_tt_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error)
{
  const hed_shape s = hed_array_shape(x);
  return train("hed_tt_svd", x, &s, ranks, eps, out, error);
}

hed_status hed_tt_matrix_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error)
{
  static const char op[] = "hed_tt_matrix_svd";
  const hed_shape s = hed_array_shape(x);
  hed_shape flat = { .ndim = s.ndim / 2 };
  hed_axes order = { .n = s.ndim };
  hed_status status = HED_OK;
  if (out)
    *out = (hed_tt){ 0 };
  if (x && (s.ndim < 2 || s.ndim % 2))
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes; an even number is expected", op, (int)s.ndim);
  for (int k = 0; k < flat.ndim; k++) {
    order.axis[2 * k] = k;
    order.axis[2 * k + 1] = flat.ndim + k;
    flat.dim[k] = s.dim[k] * s.dim[flat.ndim + k];
  }
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *pairs = x ? hed_transpose(x, &order) : NULL;
    status = pairs || !x ? train(op, pairs, &flat, ranks, eps, out, error) : hed_error();
    for (int k = 0; status == HED_OK && k < out->order; k++) {
      const hed_shape c = hed_array_shape(out->core[k]);
      hed_array *four = hed_keep(hed_reshape(out->core[k], HED_SHAPE(c.dim[0], s.dim[k], s.dim[flat.ndim + k], c.dim[2])));
      hed_release(out->core[k]);
      out->core[k] = four;
      status = four ? HED_OK : hed_error();
    }
    if (status != HED_OK && out)
      hed_tt_clear(out);
  }
  return status;
}

/* The two ranks of the first core, whose product is N or, with columns of zeros, somewhat more: as equal as the bounds allow. */
static void first_ranks(int64_t n, const int64_t *bounds, int64_t *outer, int64_t *inner)
{
  const int64_t least = bounds[1] ? (n + bounds[1] - 1) / bounds[1] : 1;
  *outer = (int64_t)sqrt((double)n);
  if (bounds[0] && *outer > bounds[0])
    *outer = bounds[0];
  if (*outer < least)
    *outer = least;
  *inner = (n + *outer - 1) / *outer;
}

/* The first core of a train (1, n, r) and the rest (r, ..) as those of a ring: (outer, n, inner) and (inner, .., outer). */
static hed_status close_ring(rest_of *f, hed_tt *t, int64_t n, int64_t outer, int64_t inner)
{
  const hed_shape none = HED_SHAPE(0, 0), more = HED_SHAPE(0, outer * inner - f->rank), below = HED_SHAPE(outer * inner - f->rank, 0);
  hed_array *core = hed_reshape(hed_pad(hed_index(t->core[0], 0, 0), none, more, 0), HED_SHAPE(n, outer, inner));
  hed_array *rest = hed_reshape(hed_pad(f->x, none, below, 0), HED_SHAPE(outer, inner, -1));
  core = hed_keep(hed_moveaxis(core, 1, 0));
  rest = hed_keep(hed_moveaxis(rest, 0, 2));
  hed_release(t->core[0]);
  hed_release(f->x);
  t->core[0] = core;
  f->x = rest;
  f->rank = inner;
  return core && rest ? HED_OK : hed_error();
}

/* Ranks that were asked for, and not only as bounds of an EPS, are those of the result, or it is none. */
static hed_status same_ranks(const char *op, const hed_tt *t, const int64_t *bounds)
{
  hed_shape asked = { .ndim = t->order }, got = { .ndim = t->order };
  char one[160], other[160];
  for (int k = 0; k < t->order; k++) {
    asked.dim[k] = bounds[k];
    got.dim[k] = hed_array_shape(t->core[k]).dim[0];
  }
  return hed__same_shape(asked, got)
             ? HED_OK : hed_fail(HED_E_INVAL, "%s: ranks %s cannot be had from singular values, which give %s; an eps takes them as "
                                 "bounds", op, hed__shape_words(asked, one), hed__shape_words(got, other));
}

hed_status hed_tr_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error)
{
  static const char op[] = "hed_tr_svd";
  const hed_shape s = hed_array_shape(x);
  rest_of f = { .rank = 1 };
  hed_tt t = { .order = s.ndim };
  int64_t bounds[HED_MAX_NDIM + 1], outer = 1, inner = 1;
  hed_status status = HED_OK;
  if (out)
    *out = (hed_tt){ 0 };
  HED_SCOPE_OR(return hed_error()) {
    hed_array *operand = NULL;
    status = begin(op, x, eps, out, &operand, &f.squares, &f.exponent);
    if (status == HED_OK && s.ndim < 2)
      status = hed_fail(HED_E_SHAPE, "%s: x has 1 axis; at least 2 are expected", op);
    if (status == HED_OK)
      status = hed__tt_bounds(op, ranks, t.order, true, bounds);
    if (status != HED_OK)
      return status;
    f.x = hed_keep(operand);
    const double share = eps * eps / t.order;
    status = next_core(&f, &t, 0, s.dim[0], bounds[0] * bounds[1], 2 * share);
    if (status == HED_OK) {
      first_ranks(f.rank, bounds, &outer, &inner);
      status = close_ring(&f, &t, s.dim[0], outer, inner);
    }
    if (status == HED_OK)
      status = cores(&f, &t, 1, &s, bounds, share, outer);
    if (status == HED_OK && ranks && ranks->ndim > 1 && eps == 0)
      status = same_ranks(op, &t, bounds);
    finish(status, &f, &t, out, error);
  }
  return status;
}
