// SPDX-License-Identifier: BSD-3-Clause
/* Tucker tensors as a format: checks, elements, norms, inner products, sums, orthonormal factors.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

void hed_tucker_clear(hed_tucker *t)
{
  if (!t)
    return;
  hed_release(t->core);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(t->factor[k]);
  *t = (hed_tucker){ 0 };
}

static int64_t rank_of(const hed_tucker *t, int k) { return hed_array_shape(t->core).dim[k]; }

static int64_t extent_of(const hed_tucker *t, int k)
{
  return t->factor[k] ? hed_array_shape(t->factor[k]).dim[0] : rank_of(t, k);
}

static hed_status fits(const char *op, const hed_tucker *t)
{
  char text[160], other[160];
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: the tensor is NULL", op);
  if (!t->core)
    return hed__tensor_missing(op, "the core");
  const hed_shape core = hed_array_shape(t->core);
  if (t->order < 1 || t->order >= HED_MAX_NDIM || core.ndim != t->order)
    return hed_fail(core.ndim != t->order ? HED_E_SHAPE : HED_E_INVAL, "%s: %d modes, the core has "
                    "shape %s; 1 to %d modes are possible", op, (int)t->order, hed__shape_words(core, text), HED_MAX_NDIM - 1);
  for (int k = 0; k < t->order; k++) {
    if (core.dim[k] < 1)
      return hed_fail(HED_E_INVAL, "%s: the core has shape %s; ranks below 1", op, hed__shape_words(core, text));
    if (!t->factor[k])
      continue;
    const hed_shape s = hed_array_shape(t->factor[k]);
    if (s.ndim != 2 || s.dim[1] != core.dim[k])
      return hed_fail(HED_E_SHAPE, "%s: factor %d has shape %s, the core %s", op, k, hed__shape_words(s, text),
                      hed__shape_words(core, other));
  }
  return HED_OK;
}

hed_status hed_tucker_check(const hed_tucker *t) { return fits("hed_tucker_check", t); }

hed_shape hed_tucker_shape(const hed_tucker *t)
{
  hed_shape s = { .ndim = -1 };
  if (fits("hed_tucker_shape", t) == HED_OK) {
    s.ndim = t->order;
    for (int k = 0; k < t->order; k++)
      s.dim[k] = extent_of(t, k);
  }
  return s;
}

/* Bits of the factors that are no identities. */
static uint32_t given_factors(const hed_tucker *t)
{
  uint32_t bits = 0;
  for (int k = 0; k < t->order; k++)
    bits |= t->factor[k] ? 1U << k : 0;
  return bits;
}

hed_status hed__tucker_hand_out(hed_status status, const hed_tucker *made, uint32_t factors, hed_tucker *out)
{
  if (!out)
    return status == HED_OK ? hed_fail(HED_E_INVAL, "tucker: out is NULL") : status;
  *out = (hed_tucker){ 0 };
  if (status == HED_OK && !made->core)
    status = hed_error();
  for (int k = 0; k < made->order && status == HED_OK; k++)
    status = made->factor[k] || !(factors >> k & 1U) ? HED_OK : hed_error();
  if (status != HED_OK)
    return status;
  *out = *made;
  hed_keep(out->core);
  for (int k = 0; k < made->order; k++)
    hed_keep(out->factor[k]);
  return HED_OK;
}

hed_status hed__tucker_replace(hed_status status, const hed_tucker *made, uint32_t factors, hed_tucker *t)
{
  hed_tucker fresh;
  status = hed__tucker_hand_out(status, made, factors, &fresh);
  if (status == HED_OK) {
    hed_tucker_clear(t);
    *t = fresh;
  }
  return status;
}

static hed_tucker same(const hed_tucker *t)
{
  hed_tucker made = { .order = t->order, .core = hed__tensor_same(t->core) };
  for (int k = 0; k < t->order; k++)
    made.factor[k] = t->factor[k] ? hed__tensor_same(t->factor[k]) : NULL;
  return made;
}

hed_status hed_tucker_copy(const hed_tucker *t, hed_tucker *out)
{
  hed_status status = fits("hed_tucker_copy", t);
  HED_SCOPE_OR(return hed_error()) {
    const hed_tucker made = status == HED_OK ? same(t) : (hed_tucker){ 0 };
    status = hed__tucker_hand_out(status, &made, status == HED_OK ? given_factors(t) : 0, out);
  }
  return status;
}

hed_status hed_tucker_random(hed_shape shape, hed_shape ranks, hed_dtype t, bool orthonormal, const hed_random *random,
                             hed_tucker *out)
{
  static const char *const op = "hed_tucker_random";
  hed_generator g, child[HED_MAX_NDIM];
  char text[160], other[160];
  hed_status status = HED_OK;
  ranks = hed__ranks_of_modes(ranks, shape.ndim);
  bool fits_ = shape.ndim >= 1 && shape.ndim < HED_MAX_NDIM && ranks.ndim == shape.ndim;
  for (int k = 0; fits_ && k < shape.ndim; k++)
    fits_ = ranks.dim[k] >= 1 && (!orthonormal || ranks.dim[k] <= shape.dim[k]);
  if (!fits_)
    status = hed_fail(HED_E_INVAL, "%s: ranks %s of shape %s", op, hed__shape_words(ranks, text),
                      hed__shape_words(shape, other));
  if (status == HED_OK && (status = hed_check_random_state(random, &g)) == HED_OK)
    status = hed_generator_split(&g, shape.ndim + 1, child);
  hed_tucker made = { .order = status == HED_OK ? shape.ndim : 0 };
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k <= made.order && status == HED_OK; k++) {
      const bool core = k == made.order, turned = orthonormal && !core;
      const hed_shape s = core ? ranks : HED_SHAPE(shape.dim[k], ranks.dim[k]);
      const hed_random draw = { .generator = &child[k] };
      hed_array *v = !orthonormal                                     ? hed_random_uniform(s, t, &draw)
                     : hed_dtype_kind(t) == HED_KIND_COMPLEX ? hed_random_complex_normal(s, t, &draw)
                                                             : hed_random_normal(s, t, &draw);
      if (turned && v)
        status = hed_qr(v, HED_QR_REDUCED, &made.factor[k], NULL);
      else
        *(core ? &made.core : &made.factor[k]) = v;
    }
    status = hed__tucker_hand_out(status, &made, (1U << made.order) - 1, out);
  }
  return status;
}

/* CORE times all of FACTOR that are there. */
static hed_array *times_all(const hed_array *core, int order, hed_array *const *factor)
{
  hed_array *now = hed__tensor_same(core);
  for (int k = 0; k < order && now; k++)
    if (factor[k])
      now = hed_mode_dot(now, factor[k], k, false);
  return now;
}

hed_array *hed_tucker_full(const hed_tucker *t)
{
  hed_array *out = NULL;
  if (fits("hed_tucker_full", t) != HED_OK)
    return NULL;
  HED_SCOPE_OR(return NULL)
    out = hed_keep(times_all(t->core, t->order, t->factor));
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed_tucker_unfolded(const hed_tucker *t, int32_t mode) { return hed__seen(hed_tucker_full(t), mode, false); }

hed_array *hed_tucker_vec(const hed_tucker *t) { return hed__seen(hed_tucker_full(t), 0, true); }

/* The core meets the first factor's rows at once, the others sample by sample. */
hed_array *hed_tucker_entries(const hed_tucker *t, const hed_array *indices)
{
  static const char *const op = "hed_tucker_entries";
  hed_array *out = NULL;
  char text[160];
  if (fits(op, t) != HED_OK)
    return NULL;
  if (!indices || hed_array_ndim(indices) != 2 || hed_array_shape(indices).dim[1] != t->order) {
    (void)hed_fail(indices ? HED_E_SHAPE : HED_E_INVAL, "%s: indices have shape %s, not (samples, %d)", op,
                   indices ? hed__shape_words(hed_array_shape(indices), text) : "NULL", (int)t->order);
    return NULL;
  }
  HED_SCOPE_OR(return NULL) {
    const int64_t n = hed_array_shape(indices).dim[0];
    hed_array *now = NULL;
    for (int k = 0; k < t->order; k++) {
      const int64_t rank = rank_of(t, k);
      hed_array *at = HED_GET(indices, HED_WHOLE, HED_AT(k));
      hed_array *factor = t->factor[k] ? hed__tensor_same(t->factor[k]) : hed_eye(rank, rank, 0, hed_array_dtype(t->core));
      hed_array *rows = at && factor ? HED_GET(factor, HED_IDX(at)) : NULL;
      if (k == 0)
        now = hed_matmul(rows, hed_reshape(t->core, HED_SHAPE(rank, -1)));
      else
        now = hed_matmul(hed_expand_dims(rows, 1), hed_reshape(now, HED_SHAPE(n, rank, -1)));
    }
    out = now ? hed_keep(hed_reshape(now, HED_SHAPE(n))) : NULL;
  }
  return out ? hed__tensor_given(out) : NULL;
}

hed_status hed_tucker_inner(const hed_tucker *a, const hed_tucker *b, double out[2])
{
  static const char *const op = "hed_tucker_inner";
  char text[160], other[160];
  hed_status status = fits(op, a);
  if (status != HED_OK || (status = fits(op, b)) != HED_OK)
    return status;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (!hed__same_shape(hed_tucker_shape(a), hed_tucker_shape(b)))
    return hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s", op, hed__shape_words(hed_tucker_shape(a), text),
                    hed__shape_words(hed_tucker_shape(b), other));
  HED_SCOPE_OR(return hed_error()) {
    /* <core_a x A, core_b x B> = <core_a, core_b x A^H B> */
    hed_array *now = hed_astype(b->core, hed__tensor_wide(hed_array_dtype(b->core)));
    for (int k = 0; k < a->order && now; k++) {
      if (a->factor[k] && b->factor[k])
        now = hed_mode_dot(now, hed__wide_gram(a->factor[k], b->factor[k]), k, false);
      else if (a->factor[k])
        now = hed_mode_dot(now, hed_astype(a->factor[k], hed__tensor_wide(hed_array_dtype(a->factor[k]))), k, true);
      else if (b->factor[k])
        now = hed_mode_dot(now, hed_astype(b->factor[k], hed__tensor_wide(hed_array_dtype(b->factor[k]))), k, false);
    }
    status = now ? hed__dot(a->core, now, out) : hed_error();
  }
  return status;
}

hed_status hed_tucker_norm(const hed_tucker *t, double *out)
{
  double squares[2] = { 0, 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_tucker_norm: out is NULL");
  *out = 0;
  hed_status status = fits("hed_tucker_norm", t);
  if (status == HED_OK)
    status = hed_tucker_inner(t, t, squares);
  if (status == HED_OK)
    *out = sqrt(squares[0] > 0 ? squares[0] : 0);
  return status;
}

hed_status hed_tucker_mode_dot(const hed_tucker *t, const hed_array *m, int32_t mode, bool transpose, hed_tucker *out)
{
  static const char *const op = "hed_tucker_mode_dot";
  int axis = 0;
  hed_tucker made = { 0 };
  uint32_t factors = 0;
  hed_status status = fits(op, t);
  if (status == HED_OK && !m)
    status = hed__tensor_missing(op, "m");
  if (status == HED_OK)
    status = hed__mode_of(op, mode, t->order, &axis);
  if (status == HED_OK && t->order == 1 && hed_array_ndim(m) == 1)
    status = hed_fail(HED_E_INVAL, "%s: a vector would leave no mode", op);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(t);
      factors = given_factors(t);
      hed_array *product = t->factor[axis] ? hed_mode_dot(made.factor[axis], m, 0, transpose) : hed__tensor_same(m);
      if (hed_array_ndim(m) == 1) { /* the core loses the mode */
        made.core = product ? hed_mode_dot(made.core, product, axis, false) : NULL;
        made.order--;
        for (int k = axis; k < made.order; k++)
          made.factor[k] = made.factor[k + 1];
        made.factor[made.order] = NULL;
        factors = (factors & ((1U << axis) - 1)) | (factors >> (axis + 1) << axis);
      } else {
        if (!t->factor[axis] && transpose)
          product = hed_transpose(hed__tensor_conj(product), NULL);
        made.factor[axis] = product;
        factors |= 1U << axis;
        status = product ? HED_OK : hed_error();
        if (status == HED_OK && hed_array_shape(product).dim[1] != rank_of(t, axis))
          status = hed_fail(HED_E_SHAPE, "%s: m takes extents of %lld, mode %d has %lld", op,
                            (long long)hed_array_shape(product).dim[1], axis, (long long)rank_of(t, axis));
      }
    }
    status = hed__tucker_hand_out(status, &made, factors, out);
  }
  return status;
}

hed_status hed_tucker_permute(const hed_tucker *t, const hed_axes *axes, hed_tucker *out)
{
  static const char *const op = "hed_tucker_permute";
  hed_tucker made = { 0 };
  uint32_t seen = 0, factors = 0;
  hed_status status = fits(op, t);
  if (status == HED_OK)
    status = hed__mode_set(op, axes, t->order, &seen);
  if (status == HED_OK && (!axes || axes->n != t->order || seen != (1U << t->order) - 1))
    status = hed_fail(HED_E_AXIS, "%s: the axes are no permutation of the %d modes", op, (int)t->order);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = (hed_tucker){ .order = t->order, .core = hed_transpose(t->core, axes) };
      for (int k = 0; k < t->order; k++) {
        const int from = axes->axis[k] < 0 ? axes->axis[k] + t->order : axes->axis[k];
        made.factor[k] = t->factor[from] ? hed__tensor_same(t->factor[from]) : NULL;
        factors |= t->factor[from] ? 1U << k : 0;
      }
    }
    status = hed__tucker_hand_out(status, &made, factors, out);
  }
  return status;
}

hed_status hed_tucker_slice(const hed_tucker *t, int32_t mode, hed_slice_range range, hed_tucker *out)
{
  int axis = 0;
  hed_tucker made = { 0 };
  hed_status status = fits("hed_tucker_slice", t);
  if (status == HED_OK)
    status = hed__mode_of("hed_tucker_slice", mode, t->order, &axis);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(t);
      const int64_t rank = rank_of(t, axis);
      hed_array *factor = made.factor[axis] ? made.factor[axis] : hed_eye(rank, rank, 0, hed_array_dtype(t->core));
      made.factor[axis] = hed_slice(factor, 1, &range);
    }
    status = hed__tucker_hand_out(status, &made, status == HED_OK ? given_factors(t) | 1U << axis : 0, out);
  }
  return status;
}

hed_status hed_tucker_scale(const hed_tucker *t, double s, hed_tucker *out)
{
  hed_tucker made = { 0 };
  hed_status status = fits("hed_tucker_scale", t);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(t);
      made.core = hed_multiply_scalar(t->core, s);
    }
    status = hed__tucker_hand_out(status, &made, status == HED_OK ? given_factors(t) : 0, out);
  }
  return status;
}

hed_status hed_tucker_add(const hed_tucker *a, const hed_tucker *b, hed_tucker *out)
{
  static const char *const op = "hed_tucker_add";
  char text[160], other[160];
  hed_tucker made = { 0 };
  hed_status status = fits(op, a);
  if (status == HED_OK)
    status = fits(op, b);
  if (status == HED_OK && !hed__same_shape(hed_tucker_shape(a), hed_tucker_shape(b)))
    status = hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s", op, hed__shape_words(hed_tucker_shape(a), text),
                      hed__shape_words(hed_tucker_shape(b), other));
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      const hed_shape ra = hed_array_shape(a->core), rb = hed_array_shape(b->core), none = { .ndim = a->order };
      made.order = a->order;
      for (int k = 0; k < a->order; k++) {
        hed_array *fa = a->factor[k] ? hed__tensor_same(a->factor[k]) : hed_eye(ra.dim[k], ra.dim[k], 0, hed_array_dtype(a->core));
        hed_array *fb = b->factor[k] ? hed__tensor_same(b->factor[k]) : hed_eye(rb.dim[k], rb.dim[k], 0, hed_array_dtype(b->core));
        made.factor[k] = fa && fb ? hed_concatenate(2, (const hed_array *const[]){ fa, fb }, 1) : NULL;
      }
      hed_array *first = hed_pad(a->core, none, rb, 0), *second = hed_pad(b->core, ra, none, 0);
      made.core = first && second ? hed_add(first, second) : NULL;
    }
    status = hed__tucker_hand_out(status, &made, (1U << made.order) - 1, out);
  }
  return status;
}

hed_status hed_tucker_orthogonalise(hed_tucker *t)
{
  hed_status status = fits("hed_tucker_orthogonalise", t);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_tucker made = same(t);
    for (int k = 0; k < t->order && status == HED_OK; k++) {
      hed_array *r = NULL;
      if (!t->factor[k])
        continue;
      status = hed_qr(t->factor[k], HED_QR_REDUCED, &made.factor[k], &r);
      made.core = r ? hed_mode_dot(made.core, r, k, false) : NULL;
    }
    status = hed__tucker_replace(status, &made, given_factors(t), t);
  }
  return status;
}

hed_status hed_tucker_normalise(hed_tucker *t)
{
  hed_status status = fits("hed_tucker_normalise", t);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_tucker made = same(t);
    for (int k = 0; k < t->order; k++) {
      if (!t->factor[k])
        continue;
      hed_shape along = { .ndim = t->order };
      for (int i = 0; i < t->order; i++)
        along.dim[i] = i == k ? rank_of(t, k) : 1;
      hed_array *norms = hed__column_norms(t->factor[k]), *inverse = hed__inverse_or_one(norms);
      made.factor[k] = inverse ? hed_multiply(t->factor[k], hed_astype(inverse, hed_array_dtype(t->factor[k]))) : NULL;
      made.core = norms && made.core ? hed_multiply(made.core, hed_reshape(hed_astype(norms, hed_array_dtype(t->core)), along)) : NULL;
    }
    status = hed__tucker_replace(HED_OK, &made, given_factors(t), t);
  }
  return status;
}

hed_status hed_cp_to_tucker(const hed_cp *c, hed_tucker *out)
{
  hed_tucker made = { 0 };
  hed_status status = hed__cp_fits("hed_cp_to_tucker", c, NULL);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      /* the weights at (r, r, ..): one after the other in C order with gaps of 1 + R + R^2 + .. - 1 */
      hed_array *core = hed__cp_weights(c);
      hed_array *eye = c->order > 1 ? hed_eye(c->rank, c->rank, 0, hed_array_dtype(c->factor[0])) : NULL;
      for (int k = 1; k < c->order; k++) /* (.., r) becomes (.., r, r) */
        core = hed_multiply(hed_expand_dims(core, k), eye);
      made = (hed_tucker){ .order = c->order, .core = core };
      for (int k = 0; k < c->order; k++)
        made.factor[k] = hed__tensor_same(c->factor[k]);
    }
    status = hed__tucker_hand_out(status, &made, (1U << made.order) - 1, out);
  }
  return status;
}
