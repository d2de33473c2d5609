// SPDX-License-Identifier: BSD-3-Clause
/* Sums, products, parts of trains and rings, none of which makes the full tensor.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/train.h"
#include <math.h>

static hed_array *wide(const hed_array *x) { return x ? hed_astype(x, hed__tensor_wide(hed_array_dtype(x))) : NULL; }

/* ---- numbers ---- */

/* E (p, a, b), p = the two outer ranks, goes from bond to bond; at the end they close. */
static hed_status inner(const hed_tt *a, const hed_tt *b, double out[2])
{
  const int64_t pa = hed__tt_extent(a, 0, 0), pb = hed__tt_extent(b, 0, 0);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *e = hed_reshape(hed_eye(pa * pb, pa * pb, 0, hed__tensor_wide(HED_FLOAT64)), HED_SHAPE(pa * pb, pa, pb));
    for (int k = 0; k < a->order; k++) {
      hed_array *left = hed__tensor_conj(wide(hed__tt_core(a, k))), *right = wide(hed__tt_core(b, k));
      e = hed_tensordot_n(e, right, 1);                                   /* (p, a, n, b') */
      e = hed_tensordot(e, left, &HED_AXES(1, 2), &HED_AXES(0, 1));       /* (p, b', a')   */
      e = hed_swapaxes(e, 1, 2);
    }
    hed_array *sum = hed_matrix_trace(hed_reshape(e, HED_SHAPE(pa * pb, pa * pb)), 0, 0, 1);
    return sum ? hed_item_complex(sum, out) : hed_error();
  }
  return hed_error();
}

hed_status hed_tt_inner(const hed_tt *a, const hed_tt *b, double out[2])
{
  hed_status status = hed__tt_alike("hed_tt_inner", a, b);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_tt_inner: out is NULL");
  return status == HED_OK ? inner(a, b, out) : status;
}

hed_status hed_tt_norm(const hed_tt *x, double *out)
{
  double square[2] = { 0, 0 };
  hed_tt t = { 0 };
  hed_status status = hed__tt_check("hed_tt_norm", "x", x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_tt_norm: out is NULL");
  if (status == HED_OK && hed_tt_is_ring(x)) {
    status = inner(x, x, square);
    *out = sqrt(fmax(square[0], 0));
  } else if (status == HED_OK) {
    HED_SCOPE_OR(return hed_error()) {
      t.order = x->order;
      for (int k = 0; k < x->order; k++)
        t.core[k] = wide(hed__tt_core(x, k));
      status = hed__tt_sweep(&t, 0, t.order - 1);
      hed_array *norm = status == HED_OK ? hed_vector_norm(t.core[t.order - 1], 2, NULL) : NULL;
      status = norm ? hed_item(norm, out) : hed_error();
    }
  }
  return status;
}

hed_status hed_tt_mean(const hed_tt *x, double out[2])
{
  hed_status status = hed_tt_sum(x, out);
  for (int k = 0; status == HED_OK && k < x->order; k++) {
    const hed_shape s = hed_array_shape(x->core[k]);
    for (int i = 1; i < s.ndim - 1; i++) {
      out[0] /= (double)s.dim[i];
      out[1] /= (double)s.dim[i];
    }
  }
  return status;
}

hed_status hed_tt_sum(const hed_tt *x, double out[2])
{
  hed_status status = hed__tt_check("hed_tt_sum", "x", x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_tt_sum: out is NULL");
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *all = NULL;
    for (int k = 0; k < x->order; k++) {
      hed_array *m = hed_sum(wide(hed__tt_core(x, k)), &(hed_reduce){ .axes = HED_AXES(1) });
      all = k ? hed_matmul(all, m) : m;
    }
    hed_array *sum = hed_matrix_trace(all, 0, 0, 1);
    status = sum ? hed_item_complex(sum, out) : hed_error();
  }
  return status;
}

/* ---- sums and products ---- */

/* A and B one after the other along the axes where FIRST and LAST say so, with zeros between. */
static hed_array *blocks(const hed_array *a, const hed_array *b, bool first, bool last)
{
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  if (!a || !b)
    return NULL;
  const hed_shape none = HED_SHAPE(0, 0, 0);
  hed_shape behind = none, before = none;
  if (first) {
    behind.dim[0] = t.dim[0];
    before.dim[0] = s.dim[0];
  }
  if (last) {
    behind.dim[2] = t.dim[2];
    before.dim[2] = s.dim[2];
  }
  return hed_add(hed_pad(a, none, behind, 0), hed_pad(b, before, none, 0));
}

hed_status hed_tt_add(const hed_tt *a, const hed_tt *b, hed_tt *out)
{
  hed_status status = hed__tt_alike("hed_tt_add", a, b);
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_tt_add: out is NULL");
  if (status != HED_OK)
    return hed__tt_hand_out(status, NULL, out);
  const bool ring = hed_tt_is_ring(a) || hed_tt_is_ring(b);
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = a->order };
    for (int k = 0; k < t.order; k++)
      t.core[k] = blocks(hed__tt_core(a, k), hed__tt_core(b, k), k > 0 || ring, k + 1 < t.order || ring);
    hed__tt_as_matrix(&t, a);
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}

hed_status hed_tt_scale(const hed_tt *x, double re, double im, hed_tt *out)
{
  hed_status status = hed__tt_check("hed_tt_scale", "x", x);
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_tt_scale: out is NULL");
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = status == HED_OK ? x->order : 0 };
    for (int k = 0; k < t.order; k++)
      t.core[k] = hed__tensor_same(x->core[k]);
    if (status == HED_OK)
      t.core[0] = im != 0 ? hed_multiply_complex(x->core[0], re, im) : hed_multiply_scalar(x->core[0], re);
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}

hed_status hed_tt_hadamard(const hed_tt *a, const hed_tt *b, hed_tt *out)
{
  hed_status status = hed__tt_alike("hed_tt_hadamard", a, b);
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_tt_hadamard: out is NULL");
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = status == HED_OK ? a->order : 0 };
    for (int k = 0; k < t.order; k++) {
      const hed_array *pair[] = { hed__tt_core(a, k), hed__tt_core(b, k) };
      const hed_shape s = hed_array_shape(pair[0]), u = hed_array_shape(pair[1]);
      t.core[k] = hed_reshape(hed_einsum("anb,cnd->acnbd", 2, pair), HED_SHAPE(s.dim[0] * u.dim[0], s.dim[1], s.dim[2] * u.dim[2]));
    }
    if (status == HED_OK)
      hed__tt_as_matrix(&t, a);
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}

hed_status hed_tt_matmul(const hed_tt *m, const hed_tt *x, hed_tt *out)
{
  hed_status status = hed__tt_check("hed_tt_matmul", "m", m);
  if (status == HED_OK)
    status = hed__tt_check("hed_tt_matmul", "x", x);
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_tt_matmul: out is NULL");
  if (status == HED_OK && (hed_array_ndim(m->core[0]) != 4 || m->order != x->order))
    status = hed_fail(HED_E_SHAPE, "hed_tt_matmul: m has %d cores of %d axes, x %d; as many of 4 axes are expected", (int)m->order,
                      (int)hed_array_ndim(m->core[0]), (int)x->order);
  for (int k = 0; status == HED_OK && k < m->order; k++)
    if (hed__tt_extent(m, k, 2) != hed__tt_extent(x, k, 1))
      status = hed_fail(HED_E_SHAPE, "hed_tt_matmul: core %d of m has %lld columns, that of x %lld rows", k,
                        (long long)hed__tt_extent(m, k, 2), (long long)hed__tt_extent(x, k, 1));
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = status == HED_OK ? m->order : 0 };
    for (int k = 0; k < t.order; k++) {
      const hed_array *pair[] = { m->core[k], x->core[k] };
      const hed_shape s = hed_array_shape(m->core[k]), u = hed_array_shape(x->core[k]);
      if (u.ndim == 3)
        t.core[k] = hed_reshape(hed_einsum("aijb,cjd->acibd", 2, pair), HED_SHAPE(s.dim[0] * u.dim[0], s.dim[1], s.dim[3] * u.dim[2]));
      else
        t.core[k] = hed_reshape(hed_einsum("aijb,cjkd->acikbd", 2, pair),
                                HED_SHAPE(s.dim[0] * u.dim[0], s.dim[1], u.dim[2], s.dim[3] * u.dim[3]));
    }
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}

/* ---- one axis ---- */

/* Core K of T, which has become a matrix, into its neighbour; OP for the sentence when there is none. */
static hed_status absorb(const char *op, hed_tt *t, int k)
{
  if (t->order < 2)
    return hed_fail(HED_E_SHAPE, "%s: no axis is left", op);
  if (k + 1 < t->order)
    t->core[k + 1] = hed_tensordot_n(t->core[k], t->core[k + 1], 1);
  else
    t->core[k - 1] = hed_tensordot_n(t->core[k - 1], t->core[k], 1);
  t->order--;
  for (int i = k; i < t->order; i++)
    t->core[i] = t->core[i + 1];
  t->core[t->order] = NULL;
  return HED_OK;
}

static hed_status no_matrix(const char *op, const hed_tt *x)
{
  return hed_array_ndim(x->core[0]) == 3 ? HED_OK : hed_fail(HED_E_UNSUPPORTED, "%s: x is a matrix; a train or ring is expected", op);
}

hed_status hed_tt_mode_dot(const hed_tt *x, const hed_array *m, int32_t mode, hed_tt *out)
{
  static const char op[] = "hed_tt_mode_dot";
  hed_status status = hed__tt_check(op, "x", x);
  if (status == HED_OK)
    status = no_matrix(op, x);
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status == HED_OK && (mode < -x->order || mode >= x->order))
    status = hed_fail(HED_E_AXIS, "%s: mode %d of a tensor of %d axes", op, (int)mode, (int)x->order);
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = status == HED_OK ? x->order : 0 };
    for (int k = 0; k < t.order; k++)
      t.core[k] = hed__tensor_same(x->core[k]);
    if (status == HED_OK) {
      const int k = mode < 0 ? mode + x->order : mode;
      t.core[k] = hed_mode_dot(x->core[k], m, 1, false);
      if (!t.core[k])
        status = hed_error();
      else if (hed_array_ndim(t.core[k]) == 2)
        status = absorb(op, &t, k);
    }
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}

static hed_status select_one(const char *op, hed_tt *t, int k, const hed_key *key)
{
  if (key->kind != HED_KEY_SLICE && key->kind != HED_KEY_INTEGER && key->kind != HED_KEY_INDICES)
    return hed_fail(HED_E_UNSUPPORTED, "%s: key %d is neither HED_AT, HED_SLICE nor HED_IDX", op, k);
  if (key->kind == HED_KEY_INDICES && hed_array_ndim(key->array) != 1)
    return hed_fail(HED_E_UNSUPPORTED, "%s: the indices of key %d have %d axes; 1 is expected", op, k,
                    (int)hed_array_ndim(key->array));
  const hed_key keys[] = { HED_WHOLE, *key, HED_WHOLE };
  t->core[k] = hed_get(t->core[k], 3, keys);
  if (!t->core[k])
    return hed_error();
  if (hed_array_size(t->core[k]) == 0)
    return hed_fail(HED_E_SHAPE, "%s: key %d selects nothing", op, k);
  return key->kind == HED_KEY_INTEGER ? absorb(op, t, k) : HED_OK;
}

hed_status hed_tt_get(const hed_tt *x, int n, const hed_key *keys, hed_tt *out)
{
  static const char op[] = "hed_tt_get";
  hed_status status = hed__tt_check(op, "x", x);
  if (status == HED_OK)
    status = no_matrix(op, x);
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status == HED_OK && (n < 0 || n > x->order || (n && !keys)))
    status = hed_fail(HED_E_INVAL, "%s: %d keys for %d axes%s", op, n, (int)x->order, n && !keys ? ", and keys is NULL" : "");
  HED_SCOPE_OR(return hed__tt_hand_out(hed_error(), NULL, out)) {
    hed_tt t = { .order = status == HED_OK ? x->order : 0 };
    for (int k = 0; k < t.order; k++)
      t.core[k] = hed__tensor_same(x->core[k]);
    for (int k = n; status == HED_OK && k-- > 0;) /* from the last, so that the others keep their places */
      status = select_one(op, &t, k, &keys[k]);
    status = hed__tt_hand_out(status, &t, out);
  }
  return status;
}
