// SPDX-License-Identifier: BSD-3-Clause
/* The public functions: what comes in is checked, the model's row does the work in a scope, the result goes out.
 *
 * Layer: L4, vsa kit. See internal.h.
 */
#include "kits/vsa/internal.h"
#include <math.h>

/* ---- checks ---- */

/* AXIS of the batch of X, counted from its first one, or HED_E_AXIS. */
static bool batch_axis(const hed_vsa *v, const char *op, const hed_array *x, int32_t *axis)
{
  const int32_t n = hed__vsa_batch(v, x), k = *axis < 0 ? *axis + n : *axis;
  if (k < 0 || k >= n) {
    (void)hed_fail(HED_E_AXIS, "%s: axis is %d, x has %d axes before its vectors", op, (int)*axis, (int)n);
    return false;
  }
  *axis = k;
  return true;
}

/* ---- vectors ---- */

hed_array *hed_vsa_identity(const hed_vsa *v)
{
  hed_array *out = NULL;
  if (!v) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_identity: the model is NULL");
    return NULL;
  }
  if (!(v->flags & HED_VSA_HAS_IDENTITY))
    return hed__vsa_lacks(v, "hed_vsa_identity");
  HED_SCOPE out = hed_keep(v->ops->identity(v));
  return hed__vsa_out(out);
}

/* ---- of two ---- */

typedef hed_array *of_two(const hed_vsa *v, const hed_array *a, const hed_array *b);

static hed_array *two(const hed_vsa *v, const char *op, const char *name_a, const hed_array *a, const char *name_b,
                      const hed_array *b, of_two *f)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, op, name_a, a) || !hed__vsa_fits(v, op, name_b, b))
    return NULL;
  HED_SCOPE out = hed_keep(f(v, a, b));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_bind(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return two(v, "hed_vsa_bind", "a", a, "b", b, v ? v->ops->bind : NULL);
}

hed_array *hed_vsa_unbind(const hed_vsa *v, const hed_array *c, const hed_array *b)
{
  return two(v, "hed_vsa_unbind", "c", c, "b", b, v ? v->ops->unbind : NULL);
}

hed_array *hed_vsa_unbind_left(const hed_vsa *v, const hed_array *c, const hed_array *a)
{
  return two(v, "hed_vsa_unbind_left", "c", c, "a", a, !v ? NULL : v->ops->unbind_left ? v->ops->unbind_left : v->ops->unbind);
}

hed_array *hed_vsa_similarity(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return two(v, "hed_vsa_similarity", "a", a, "b", b, v ? v->ops->similarity : NULL);
}

static hed_array *matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  const hed_shape bq = hed__vsa_batch_shape(v, q), bx = hed__vsa_batch_shape(v, x);
  const int64_t nq = hed__vsa_count(bq), nx = hed__vsa_count(bx);
  if (bq.ndim + bx.ndim > HED_MAX_NDIM) {
    (void)hed_fail(HED_E_SHAPE, "hed_vsa_similarity_matrix: the batches of q and x have %d and %d axes, together more than %d",
                   (int)bq.ndim, (int)bx.ndim, HED_MAX_NDIM);
    return NULL;
  }
  if (nq == 0 || nx == 0)
    return hed_zeros(hed__vsa_joined(bq, bx), v->real);
  hed_array *flat_q = hed_reshape(q, hed__vsa_joined(HED_SHAPE(nq), v->shape));
  hed_array *flat_x = flat_q ? hed_reshape(x, hed__vsa_joined(HED_SHAPE(nx), v->shape)) : NULL;
  return flat_x ? hed_reshape(v->ops->matrix(v, flat_q, flat_x), hed__vsa_joined(bq, bx)) : NULL;
}

hed_array *hed_vsa_similarity_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x)
{
  return two(v, "hed_vsa_similarity_matrix", "q", q, "x", x, matrix);
}

/* ---- of one ---- */

static hed_array *one(const hed_vsa *v, const char *op, const hed_array *x,
                      hed_array *(*f)(const hed_vsa *v, const hed_array *x))
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, op, "x", x))
    return NULL;
  if (!f)
    return hed__vsa_lacks(v, op);
  HED_SCOPE out = hed_keep(f(v, x));
  return hed__vsa_out(out);
}

static hed_array *copy(const hed_vsa *v, const hed_array *x)
{
  (void)v;
  return hed_copy(x);
}

hed_array *hed_vsa_inverse_of(const hed_vsa *v, const hed_array *x)
{
  return one(v, "hed_vsa_inverse_of", x, !v ? NULL : v->flags & HED_VSA_SELF_INVERSE ? copy : v->ops->inverse);
}

hed_array *hed_vsa_negative(const hed_vsa *v, const hed_array *x)
{
  return one(v, "hed_vsa_negative", x, v ? v->ops->negative : NULL);
}

hed_array *hed_vsa_normalise(const hed_vsa *v, const hed_array *x)
{
  return one(v, "hed_vsa_normalise", x, v && v->ops->normalise ? v->ops->normalise : copy);
}

/* Numbers of models that are not of phases or matrices are real. */
static bool quantisable(const hed_vsa *v, const hed_array *x)
{
  const bool complex_too = v->model == HED_VSA_FHRR || v->model == HED_VSA_GHRR || v->model == HED_VSA_MCR || v->model == HED_VSA_CGR;
  if (complex_too || hed_dtype_kind(hed_array_dtype(x)) != HED_KIND_COMPLEX)
    return true;
  (void)hed_fail(HED_E_DTYPE, "hed_vsa_quantise: x is %s, numbers of %s are real", hed_dtype_name(hed_array_dtype(x)), v->name);
  return false;
}

hed_array *hed_vsa_quantise(const hed_vsa *v, const hed_array *x)
{
  hed_array *out = NULL;
  const bool one_hot = v && v->model == HED_VSA_BSDC_SEG;
  if (!hed__vsa_given(v, "hed_vsa_quantise", "x", x) ||
      !hed__vsa_ends_with("hed_vsa_quantise", "x", x, "the numbers of", one_hot ? HED_SHAPE(v->o.dim) : v->plain_shape) ||
      !quantisable(v, x))
    return NULL;
  HED_SCOPE out = hed_keep(v->ops->quantise(v, x));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_power(const hed_vsa *v, const hed_array *x, double p)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_power", "x", x))
    return NULL;
  if (!v->ops->power || (v->model == HED_VSA_BSDC && v->o.variant))
    return hed__vsa_lacks(v, "hed_vsa_power");
  const bool fractional = v->model == HED_VSA_FHRR || v->model == HED_VSA_HRR || (v->model == HED_VSA_GHRR && v->o.block == 1);
  if (!isfinite(p) || (!fractional && (p != floor(p) || fabs(p) > 0x1p53))) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_power: p is %g, which %s", p,
                   isfinite(p) ? "has to be whole in this model" : "is not finite");
    return NULL;
  }
  HED_SCOPE out = hed_keep(v->ops->power(v, x, p));
  return hed__vsa_out(out);
}

/* ---- permutations ---- */

static hed_array *rolled(const hed_vsa *v, const hed_array *x, int64_t k)
{
  const int64_t n = v->shape.dim[0];
  const hed_axes shift = HED_AXES((int32_t)(((k % n) + n) % n)), axis = HED_AXES(-v->shape.ndim);
  return hed_roll(x, &shift, &axis);
}

hed_array *hed_vsa_permute(const hed_vsa *v, const hed_array *x, int64_t k)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_permute", "x", x))
    return NULL;
  HED_SCOPE out = hed_keep(v->ops->permute ? v->ops->permute(v, x, k) : rolled(v, x, k));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_permute_by(const hed_vsa *v, const hed_array *x, const hed_array *order)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_permute_by", "x", x) || !hed__vsa_given(v, "hed_vsa_permute_by", "order", order))
    return NULL;
  const int64_t n = v->plain_shape.dim[0], has = hed_array_size(order);
  if (hed_array_ndim(order) != 1 || has != n) {
    (void)hed_fail(HED_E_SHAPE, "hed_vsa_permute_by: order has %d axes and %lld elements, vectors have %lld",
                   (int)hed_array_ndim(order), (long long)has, (long long)n);
    return NULL;
  }
  HED_SCOPE out = hed_keep(v->ops->permute_by ? v->ops->permute_by(v, x, order) : hed_take(x, order, -v->shape.ndim));
  return hed__vsa_out(out);
}

/* ---- of many ---- */

static hed_array *folded(const hed_vsa *v, const hed_array *x, int64_t n)
{
  if (!x)
    return NULL;
  const int32_t axis = hed__vsa_batch(v, x) - 1;
  hed_array *out = hed_index(x, axis, 0);
  if (v->ops->bind_all)
    return v->ops->bind_all(v, x, n);
  for (int64_t k = 1; out && k < n; k++)
    out = v->ops->bind(v, out, hed_index(x, axis, k));
  return n == 1 ? hed_copy(out) : out;
}

hed_array *hed_vsa_bind_all(const hed_vsa *v, const hed_array *x, int32_t axis)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_bind_all", "x", x) || !batch_axis(v, "hed_vsa_bind_all", x, &axis))
    return NULL;
  const int64_t n = hed_array_shape(x).dim[axis];
  if (n < 1) {
    (void)hed_fail(HED_E_INVAL, "hed_vsa_bind_all: no vectors along axis %d", (int)axis);
    return NULL;
  }
  HED_SCOPE out = hed_keep(folded(v, hed_moveaxis(x, axis, hed__vsa_batch(v, x) - 1), n));
  return hed__vsa_out(out);
}

/* WEIGHTS of N vectors as floats in *OUT, NULL when there are none. */
static bool weights_fit(const hed_vsa *v, const char *op, const hed_array *weights, int64_t n, const hed_array **out)
{
  *out = NULL;
  if (!weights)
    return true;
  if (hed_dtype_kind(hed_array_dtype(weights)) == HED_KIND_COMPLEX) {
    (void)hed_fail(HED_E_DTYPE, "%s: weights are %s, not real", op, hed_dtype_name(hed_array_dtype(weights)));
    return false;
  }
  if (hed_array_ndim(weights) != 1 || hed_array_size(weights) != n) {
    (void)hed_fail(HED_E_SHAPE, "%s: weights have %d axes and %lld elements, there are %lld vectors", op,
                   (int)hed_array_ndim(weights), (long long)hed_array_size(weights), (long long)n);
    return false;
  }
  double finite = 0;
  *out = hed_astype(weights, v->real);
  hed_array *all = hed_all(hed_isfinite(*out), NULL);
  if (!all || hed_item(all, &finite) != HED_OK)
    return false;
  if (finite == 0)
    (void)hed_fail(HED_E_INVAL, "%s: weights are not finite", op);
  return finite != 0;
}

static hed_array *bundle(const hed_vsa *v, const char *op, const hed_array *x, const hed_array *weights, const hed_array *tie)
{
  if (!x)
    return NULL;
  const int32_t axis = hed__vsa_batch(v, x) - 1;
  hed__vsa_sum s = { .x = x, .tie = tie, .n = hed_array_shape(x).dim[axis] };
  if (s.n < 1) {
    (void)hed_fail(HED_E_INVAL, "%s: no vectors to bundle", op);
    return NULL;
  }
  return weights_fit(v, op, weights, s.n, &s.weights) ? v->ops->bundle(v, &s) : NULL;
}

hed_array *hed_vsa_bundle_with(const hed_vsa *v, const hed_array *x, int32_t axis, const hed_array *weights,
                               const hed_array *tie)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_bundle", "x", x) || !batch_axis(v, "hed_vsa_bundle", x, &axis))
    return NULL;
  if (tie && v->ops->tie ? !hed__vsa_ends_with("hed_vsa_bundle", "tie", tie, "ranks of", v->plain_shape)
                         : tie && !hed__vsa_fits(v, "hed_vsa_bundle", "tie", tie))
    return NULL;
  HED_SCOPE out = hed_keep(bundle(v, "hed_vsa_bundle", hed_moveaxis(x, axis, hed__vsa_batch(v, x) - 1), weights, tie));
  return hed__vsa_out(out);
}

hed_array *hed_vsa_bundle(const hed_vsa *v, const hed_array *x, int32_t axis, const hed_array *weights)
{
  return hed_vsa_bundle_with(v, x, axis, weights, NULL);
}

hed_array *hed_vsa_bind_pairs(const hed_vsa *v, const hed_array *keys, const hed_array *values, const hed_array *weights)
{
  hed_array *out = NULL;
  if (!hed__vsa_fits(v, "hed_vsa_bind_pairs", "keys", keys) || !hed__vsa_fits(v, "hed_vsa_bind_pairs", "values", values))
    return NULL;
  if (hed__vsa_batch(v, keys) < 1 && hed__vsa_batch(v, values) < 1) {
    (void)hed_fail(HED_E_AXIS, "hed_vsa_bind_pairs: keys and values are single vectors, not lists of them");
    return NULL;
  }
  HED_SCOPE {
    hed_array *pairs = v->ops->bind(v, keys, values);
    out = hed_keep(bundle(v, "hed_vsa_bind_pairs", pairs, weights, NULL));
  }
  return hed__vsa_out(out);
}
