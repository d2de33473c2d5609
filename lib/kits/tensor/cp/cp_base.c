// SPDX-License-Identifier: BSD-3-Clause
/* What CP tensors are: checks, ownership, and small steps that other files of the kit share.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"

void hed_cp_clear(hed_cp *c)
{
  if (!c)
    return;
  hed_release(c->weights);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(c->factor[k]);
  *c = (hed_cp){ 0 };
}

hed_status hed__mode_of(const char *op, int32_t mode, int order, int *axis)
{
  *axis = mode < 0 ? mode + order : mode;
  return *axis >= 0 && *axis < order ? HED_OK : hed_fail(HED_E_AXIS, "%s: mode %d of %d modes", op, (int)mode, order);
}

hed_status hed__mode_set(const char *op, const hed_axes *modes, int order, uint32_t *bits)
{
  hed_status status = HED_OK;
  *bits = 0;
  for (int k = 0; modes && k < modes->n && k < HED_MAX_NDIM && status == HED_OK; k++) {
    int axis = 0;
    status = hed__mode_of(op, modes->axis[k], order, &axis);
    if (status == HED_OK)
      *bits |= 1U << axis;
  }
  return status;
}

static bool is_float(const hed_array *x)
{
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(x));
  return kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX;
}

static hed_status fits_itself(const char *op, const hed_cp *c)
{
  char text[160];
  if (!c)
    return hed_fail(HED_E_INVAL, "%s: the tensor is NULL", op);
  if (c->order < 1 || c->order >= HED_MAX_NDIM)
    return hed_fail(HED_E_INVAL, "%s: a tensor of %d modes; 1 to %d are possible", op, (int)c->order, HED_MAX_NDIM - 1);
  if (c->rank < 1)
    return hed_fail(HED_E_INVAL, "%s: rank %lld is below 1", op, (long long)c->rank);
  for (int k = 0; k < c->order; k++) {
    if (!c->factor[k])
      return hed__tensor_missing(op, "factor %d", k);
    const hed_shape s = hed_array_shape(c->factor[k]);
    if (s.ndim != 2 || s.dim[1] != c->rank)
      return hed_fail(HED_E_SHAPE, "%s: factor %d has shape %s, the rank is %lld", op, k, hed__shape_words(s, text),
                      (long long)c->rank);
    if (!is_float(c->factor[k]))
      return hed_fail(HED_E_DTYPE, "%s: factor %d is %s; real or complex floats are needed", op, k,
                      hed_dtype_name(hed_array_dtype(c->factor[k])));
  }
  if (c->weights && (hed_array_ndim(c->weights) != 1 || hed_array_size(c->weights) != c->rank))
    return hed_fail(HED_E_SHAPE, "%s: weights have shape %s, the rank is %lld", op,
                    hed__shape_words(hed_array_shape(c->weights), text), (long long)c->rank);
  return HED_OK;
}

hed_status hed__cp_has_shape(const char *op, const hed_cp *c, hed_shape s)
{
  char text[160], other[160];
  const hed_status status = fits_itself(op, c);
  if (status != HED_OK)
    return status;
  hed_shape mine = { .ndim = c->order };
  for (int k = 0; k < c->order; k++)
    mine.dim[k] = hed_array_shape(c->factor[k]).dim[0];
  if (!hed__same_shape(mine, s))
    return hed_fail(HED_E_SHAPE, "%s: the factors make a tensor of shape %s, x has %s", op, hed__shape_words(mine, text),
                    hed__shape_words(s, other));
  return HED_OK;
}

hed_status hed__cp_fits(const char *op, const hed_cp *c, const hed_array *x)
{
  return x ? hed__cp_has_shape(op, c, hed_array_shape(x)) : fits_itself(op, c);
}

hed_status hed_cp_check(const hed_cp *c) { return hed__cp_fits("hed_cp_check", c, NULL); }

hed_shape hed_cp_shape(const hed_cp *c)
{
  hed_shape s = { .ndim = -1 };
  if (hed__cp_fits("hed_cp_shape", c, NULL) == HED_OK) {
    s.ndim = c->order;
    for (int k = 0; k < c->order; k++)
      s.dim[k] = hed_array_shape(c->factor[k]).dim[0];
  }
  return s;
}

hed_status hed__cp_hand_out(hed_status status, const hed_cp *made, bool weighted, hed_cp *out)
{
  if (!out)
    return status == HED_OK ? hed_fail(HED_E_INVAL, "cp: out is NULL") : status;
  *out = (hed_cp){ 0 };
  for (int k = 0; k < made->order && status == HED_OK; k++)
    status = made->factor[k] ? HED_OK : hed_error();
  if (status == HED_OK && weighted && !made->weights)
    status = hed_error();
  if (status != HED_OK)
    return status;
  *out = *made;
  hed_keep(out->weights);
  for (int k = 0; k < made->order; k++)
    hed_keep(out->factor[k]);
  return HED_OK;
}

hed_status hed__cp_replace(hed_status status, const hed_cp *made, bool weighted, hed_cp *c)
{
  hed_cp fresh;
  status = hed__cp_hand_out(status, made, weighted, &fresh);
  if (status == HED_OK) {
    hed_cp_clear(c);
    *c = fresh;
  }
  return status;
}

hed_status hed_cp_copy(const hed_cp *c, hed_cp *out)
{
  hed_status status = hed__cp_fits("hed_cp_copy", c, NULL);
  hed_cp made = { 0 };
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK)
      made = (hed_cp){ .order = c->order, .rank = c->rank };
    for (int k = 0; k < made.order; k++)
      made.factor[k] = hed__tensor_same(c->factor[k]);
    if (status == HED_OK && c->weights)
      made.weights = hed__tensor_same(c->weights);
    status = hed__cp_hand_out(status, &made, status == HED_OK && c->weights, out);
  }
  return status;
}

/* ---- small steps ---- */

hed_status hed__hand_out_all(hed_status status, int n, hed_array **made, hed_array **out)
{
  for (int k = 0; k < n; k++) {
    out[k] = status == HED_OK && made[k] ? hed__tensor_given(made[k]) : NULL;
    if (status != HED_OK)
      hed_release(made[k]);
    else if (made[k] && !out[k])
      status = hed_error();
  }
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(hed_keep(out[k]));
    out[k] = NULL;
  }
  return status;
}

hed_array *hed__cp_weights(const hed_cp *c)
{
  return c->weights ? hed__tensor_same(c->weights)
                    : hed_reshape(hed_ones_like(hed_slice(c->factor[0], 1, &HED_RANGE(0, 1, 1))), HED_SHAPE(c->rank));
}

hed_array *hed__seen(hed_array *full, int32_t mode, bool vector)
{
  hed_array *kept = hed_keep(full), *out = NULL;
  if (kept)
    out = vector ? hed_vec(kept) : hed_unfold(kept, mode);
  hed_release(kept);
  return out;
}

hed_array *hed__wide_gram(const hed_array *a, const hed_array *b)
{
  hed_array *wa = a ? hed_astype(a, hed__tensor_wide(hed_array_dtype(a))) : NULL;
  hed_array *wb = a == b ? wa : b ? hed_astype(b, hed__tensor_wide(hed_array_dtype(b))) : NULL;
  return hed_matmul(hed_transpose(hed__tensor_conj(wa), NULL), wb);
}

hed_status hed__dot(const hed_array *a, const hed_array *b, double out[2])
{
  hed_status status = HED_E_INVAL;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *wa = a ? hed_astype(a, hed__tensor_wide(hed_array_dtype(a))) : NULL;
    hed_array *wb = b ? hed_astype(b, hed__tensor_wide(hed_array_dtype(b))) : NULL;
    hed_array *dot = wa && wb ? hed_vdot(wa, wb) : NULL;
    status = dot ? hed_item_complex(dot, out) : hed_error();
  }
  return status;
}

hed_array *hed__column_norms(const hed_array *x)
{
  hed_array *norms = hed_vector_norm(x, 2, &(hed_reduce){ .axes = HED_AXES(0) });
  return norms ? hed_astype(norms, hed__tensor_wide(HED_FLOAT32)) : NULL;
}

hed_array *hed__inverse_or_one(const hed_array *x)
{
  hed_array *ones = x ? hed_ones_like(x) : NULL;
  return ones ? hed_divide_where(hed_greater_scalar(x, 0), ones, x, 1) : NULL;
}
