// SPDX-License-Identifier: BSD-3-Clause
/* CP tensors as a format: elements, norms, inner products, sums.
 *
 * Layer: L4, tensor kit.
 */
#include "base/invariant.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/tree.h"
#include <math.h>

/* Child k of the generator that RANDOM says, for each factor. */
hed_array *hed__random_values(hed_shape s, hed_dtype t, bool normal, const hed_random *draw)
{
  if (!normal)
    return hed_random_uniform(s, t, draw);
  return hed_dtype_kind(t) == HED_KIND_COMPLEX ? hed_random_complex_normal(s, t, draw) : hed_random_normal(s, t, draw);
}

hed_status hed_cp_random(hed_shape shape, int64_t rank, hed_dtype t, bool normal, const hed_random *random, hed_cp *out)
{
  hed_generator g, child[HED_MAX_NDIM];
  hed_status status = HED_OK;
  char text[160];
  if (shape.ndim < 1 || shape.ndim >= HED_MAX_NDIM || rank < 1)
    status = hed_fail(HED_E_INVAL, "hed_cp_random: shape %s and rank %lld; 1 to %d axes and a rank of at least 1",
                      hed__shape_words(shape, text), (long long)rank, HED_MAX_NDIM - 1);
  if (status == HED_OK && (status = hed_check_random_state(random, &g)) == HED_OK)
    status = hed_generator_split(&g, shape.ndim, child);
  hed_cp made = { .order = status == HED_OK ? shape.ndim : 0, .rank = rank };
  HED_SCOPE_OR(return hed_error()) {
    for (int k = 0; k < made.order; k++) {
      const hed_random draw = { .generator = &child[k] };
      const hed_shape s = HED_SHAPE(shape.dim[k], rank);
      made.factor[k] = hed__random_values(s, t, normal, &draw);
    }
    status = hed__cp_hand_out(status, &made, false, out);
  }
  return status;
}

hed_array *hed_cp_full(const hed_cp *c)
{
  if (hed__cp_fits("hed_cp_full", c, NULL) != HED_OK)
    return NULL;
  const hed_shape shape = hed_cp_shape(c);
  hed_array *out = NULL;
  HED_SCOPE_OR(return NULL) {
    if (c->order == 1) {
      out = hed_keep(hed_matmul(c->factor[0], hed__cp_weights(c)));
    } else {
      hed__tree t;
      hed__tree_shape(shape, &t);
      hed_array *left = hed__tree_half(&t, c->factor, false), *right = hed__tree_half(&t, c->factor, true);
      if (c->weights)
        left = hed_multiply(left, c->weights);
      out = hed_keep(hed_reshape(hed_matmul(left, hed_transpose(right, NULL)), shape));
    }
  }
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed_cp_unfolded(const hed_cp *c, int32_t mode) { return hed__seen(hed_cp_full(c), mode, false); }

hed_array *hed_cp_vec(const hed_cp *c) { return hed__seen(hed_cp_full(c), 0, true); }

hed_array *hed_cp_entries(const hed_cp *c, const hed_array *indices)
{
  hed_array *out = NULL;
  if (hed__cp_fits("hed_cp_entries", c, NULL) != HED_OK)
    return NULL;
  HED_SCOPE_OR(return NULL) {
    hed_array *rows = hed_khatri_rao_rows(c->order, (const hed_array *const *)c->factor, indices);
    out = rows ? hed_keep(hed_matmul(rows, hed__cp_weights(c))) : NULL;
  }
  return out ? hed__tensor_given(out) : NULL;
}

/* ---- norms and inner products ---- */

hed_status hed_cp_inner(const hed_cp *a, const hed_cp *b, double out[2])
{
  static const char *const op = "hed_cp_inner";
  char text[160], other[160];
  hed_status status = hed__cp_fits(op, a, NULL);
  if (status != HED_OK || (status = hed__cp_fits(op, b, NULL)) != HED_OK)
    return status;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (!hed__same_shape(hed_cp_shape(a), hed_cp_shape(b)))
    return hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s", op, hed__shape_words(hed_cp_shape(a), text),
                    hed__shape_words(hed_cp_shape(b), other));
  HED_SCOPE_OR(return hed_error()) {
    hed_array *all = NULL;
    for (int k = 0; k < a->order; k++) {
      hed_array *gram = hed__wide_gram(a->factor[k], b->factor[k]);
      all = k ? hed_multiply(all, gram) : gram;
    }
    hed_array *right = hed_matmul(all, hed__cp_weights(b));
    status = right ? hed__dot(hed__cp_weights(a), right, out) : hed_error();
  }
  return status;
}

hed_status hed_cp_norm(const hed_cp *c, double *out)
{
  double squares[2], parts = 0;
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_cp_norm: out is NULL");
  *out = 0;
  hed_status status = hed__cp_fits("hed_cp_norm", c, NULL);
  if (status == HED_OK)
    status = hed_cp_inner(c, c, squares);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *norms = hed_abs(hed__cp_weights(c));
    for (int k = 0; k < c->order; k++)
      norms = hed_multiply(norms, hed__column_norms(c->factor[k]));
    hed_array *sum = hed_sum(norms, NULL);
    status = sum ? hed_item(sum, &parts) : hed_error();
  }
  if (status == HED_OK && squares[0] < 1e-14 * parts * parts && parts > 0) {
    status = hed__cp_squares(c, NULL, NULL, NULL, squares);
  }
  if (status == HED_OK)
    *out = sqrt(squares[0] > 0 ? squares[0] : 0);
  return status;
}

static hed_status last_dot(void *arg, int mode, const hed_array *m)
{
  const hed_cp *c = ((void **)arg)[0];
  HED__ASSERT(mode >= 0 && mode < c->order);
  return hed__dot(hed_multiply(c->factor[mode], hed__cp_weights(c)), m, ((void **)arg)[1]);
}

hed_status hed_cp_inner_dense(const hed_cp *a, const hed_array *b, double out[2])
{
  static const char *const op = "hed_cp_inner_dense";
  if (!b || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, b ? "out" : "b");
  hed_status status = hed__cp_fits(op, a, b);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *given = hed__tensor_operand(op, "b", b), *flat = given ? hed__in_c_order(given) : NULL;
    if (!flat)
      return hed_error();
    if (a->order == 1)
      return hed__dot(hed_matmul(a->factor[0], hed__cp_weights(a)), flat, out);
    hed__tree t;
    hed__tree_plant(flat, &t);
    void *arg[2] = { (void *)(uintptr_t)a, out };
    status = hed__tree_sweep(&t, (hed_array *const *)a->factor, 1U << (a->order - 1), last_dot, arg);
  }
  return status;
}

/* ---- new tensors from old ones ---- */

/* Factors and weights of C, new handles. */
static hed_cp same(const hed_cp *c)
{
  hed_cp made = { .order = c->order, .rank = c->rank };
  for (int k = 0; k < c->order; k++)
    made.factor[k] = hed__tensor_same(c->factor[k]);
  made.weights = c->weights ? hed__tensor_same(c->weights) : NULL;
  return made;
}

hed_status hed_cp_mode_dot(const hed_cp *c, const hed_array *m, int32_t mode, bool transpose, hed_cp *out)
{
  static const char *const op = "hed_cp_mode_dot";
  int axis = 0;
  hed_cp made = { 0 };
  hed_status status = hed__cp_fits(op, c, NULL);
  if (status == HED_OK && !m)
    status = hed__tensor_missing(op, "m");
  if (status == HED_OK)
    status = hed__mode_of(op, mode, c->order, &axis);
  if (status == HED_OK && c->order == 1 && hed_array_ndim(m) == 1)
    status = hed_fail(HED_E_INVAL, "%s: a vector would leave no mode", op);
  HED_SCOPE_OR(return hed_error()) {
    bool weighted = false;
    if (status == HED_OK) {
      made = same(c);
      hed_array *product = hed_mode_dot(c->factor[axis], m, 0, transpose);
      weighted = c->weights || hed_array_ndim(m) == 1;
      if (hed_array_ndim(m) == 1) {
        made.weights = product ? hed_multiply(hed__cp_weights(c), product) : NULL;
        made.order--;
        for (int k = axis; k < made.order; k++)
          made.factor[k] = made.factor[k + 1];
        made.factor[made.order] = NULL;
      } else {
        made.factor[axis] = product;
      }
    }
    status = hed__cp_hand_out(status, &made, weighted, out);
  }
  return status;
}

hed_status hed_cp_permute(const hed_cp *c, const hed_axes *axes, hed_cp *out)
{
  static const char *const op = "hed_cp_permute";
  hed_cp made = { 0 };
  uint32_t seen_modes = 0;
  hed_status status = hed__cp_fits(op, c, NULL);
  if (status == HED_OK)
    status = hed__mode_set(op, axes, c->order, &seen_modes);
  if (status == HED_OK && (!axes || axes->n != c->order || seen_modes != (1U << c->order) - 1))
    status = hed_fail(HED_E_AXIS, "%s: the axes are no permutation of the %d modes", op, (int)c->order);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(c);
      for (int k = 0; k < c->order; k++)
        made.factor[k] = hed__tensor_same(c->factor[axes->axis[k] < 0 ? axes->axis[k] + c->order : axes->axis[k]]);
    }
    status = hed__cp_hand_out(status, &made, status == HED_OK && c->weights, out);
  }
  return status;
}

hed_status hed_cp_slice(const hed_cp *c, int32_t mode, hed_slice_range range, hed_cp *out)
{
  int axis = 0;
  hed_cp made = { 0 };
  hed_status status = hed__cp_fits("hed_cp_slice", c, NULL);
  if (status == HED_OK)
    status = hed__mode_of("hed_cp_slice", mode, c->order, &axis);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(c);
      made.factor[axis] = hed_slice(c->factor[axis], 1, &range);
    }
    status = hed__cp_hand_out(status, &made, status == HED_OK && c->weights, out);
  }
  return status;
}

static hed_status alike(const char *op, const hed_cp *a, const hed_cp *b)
{
  char text[160], other[160];
  hed_status status = hed__cp_fits(op, a, NULL);
  if (status == HED_OK)
    status = hed__cp_fits(op, b, NULL);
  if (status == HED_OK && !hed__same_shape(hed_cp_shape(a), hed_cp_shape(b)))
    status = hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s", op, hed__shape_words(hed_cp_shape(a), text),
                      hed__shape_words(hed_cp_shape(b), other));
  return status;
}

hed_status hed_cp_add(const hed_cp *a, const hed_cp *b, hed_cp *out)
{
  hed_cp made = { 0 };
  hed_status status = alike("hed_cp_add", a, b);
  HED_SCOPE_OR(return hed_error()) {
    const bool weighted = status == HED_OK && (a->weights || b->weights);
    if (status == HED_OK) {
      made = (hed_cp){ .order = a->order, .rank = a->rank + b->rank };
      for (int k = 0; k < a->order; k++)
        made.factor[k] = hed_concatenate(2, (const hed_array *const[]){ a->factor[k], b->factor[k] }, 1);
      if (weighted) {
        hed_array *wa = hed__cp_weights(a), *wb = hed__cp_weights(b);
        made.weights = wa && wb ? hed_concatenate(2, (const hed_array *const[]){ wa, wb }, 0) : NULL;
      }
    }
    status = hed__cp_hand_out(status, &made, weighted, out);
  }
  return status;
}

/* Rows of A times rows of B, (n, r) and (n, s): (n, r s). */
static hed_array *row_products(const hed_array *a, const hed_array *b, int64_t n)
{
  hed_array *product = hed_multiply(hed_expand_dims(a, 2), hed_expand_dims(b, 1));
  return product ? hed_reshape(product, HED_SHAPE(n, hed_array_shape(product).dim[1] * hed_array_shape(product).dim[2])) : NULL;
}

hed_status hed_cp_hadamard(const hed_cp *a, const hed_cp *b, hed_cp *out)
{
  hed_cp made = { 0 };
  hed_status status = alike("hed_cp_hadamard", a, b);
  if (status == HED_OK && a->rank > INT64_MAX / b->rank)
    status = hed_fail(HED_E_SHAPE, "hed_cp_hadamard: ranks %lld and %lld", (long long)a->rank, (long long)b->rank);
  HED_SCOPE_OR(return hed_error()) {
    const bool weighted = status == HED_OK && (a->weights || b->weights);
    if (status == HED_OK) {
      made = (hed_cp){ .order = a->order, .rank = a->rank * b->rank };
      for (int k = 0; k < a->order; k++)
        made.factor[k] = row_products(a->factor[k], b->factor[k], hed_array_shape(a->factor[k]).dim[0]);
      if (weighted) {
        hed_array *pairs = row_products(hed_expand_dims(hed__cp_weights(a), 0), hed_expand_dims(hed__cp_weights(b), 0), 1);
        made.weights = hed_reshape(pairs, HED_SHAPE(made.rank));
      }
    }
    status = hed__cp_hand_out(status, &made, weighted, out);
  }
  return status;
}

hed_status hed_cp_scale(const hed_cp *c, double s, hed_cp *out)
{
  hed_cp made = { 0 };
  hed_status status = hed__cp_fits("hed_cp_scale", c, NULL);
  HED_SCOPE_OR(return hed_error()) {
    if (status == HED_OK) {
      made = same(c);
      made.weights = hed_multiply_scalar(hed__cp_weights(c), s);
    }
    status = hed__cp_hand_out(status, &made, true, out);
  }
  return status;
}
