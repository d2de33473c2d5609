// SPDX-License-Identifier: BSD-3-Clause
/* Tensors of few entries: made, checked, and multiplied with factors.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/coo.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

enum { PIECE_BYTES = 4 << 20 }; /* of rows made at a time */

void hed_coo_clear(hed_coo *x)
{
  if (!x)
    return;
  hed_release(x->indices);
  hed_release(x->values);
  *x = (hed_coo){ 0 };
}

static hed_status fits(const char *op, hed_shape shape, const hed_array *indices, const hed_array *values)
{
  char text[160], other[160];
  if (!indices || !values)
    return hed__tensor_missing(op, indices ? "values" : "indices");
  const hed_shape at = hed_array_shape(indices), v = hed_array_shape(values);
  if (shape.ndim < 1 || shape.ndim >= HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: a tensor of %d axes; 1 to %d are possible", op, (int)shape.ndim, HED_MAX_NDIM - 1);
  for (int k = 0; k < shape.ndim; k++)
    if (shape.dim[k] < 0)
      return hed_fail(HED_E_SHAPE, "%s: shape %s", op, hed__shape_words(shape, text));
  if (at.ndim != 2 || at.dim[1] != shape.ndim || v.ndim != 1 || v.dim[0] != at.dim[0])
    return hed_fail(HED_E_SHAPE, "%s: indices have shape %s and values %s; (n, %d) and (n) are expected", op,
                    hed__shape_words(at, text), hed__shape_words(v, other), (int)shape.ndim);
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(indices));
  return kind == HED_KIND_INT || kind == HED_KIND_UINT
             ? HED_OK : hed_fail(HED_E_DTYPE, "%s: indices are %s, not integers", op, hed_dtype_name(hed_array_dtype(indices)));
}

hed_status hed__coo_check(const char *op, const hed_coo *x)
{
  if (!x)
    return hed_fail(HED_E_INVAL, "%s: x is NULL", op);
  return fits(op, x->shape, x->indices, x->values);
}

/* Column K of the rows AT. */
static hed_array *column(const hed_array *at, int k) { return HED_GET(at, HED_WHOLE, HED_AT(k)); }

/* All coordinates lie within SHAPE. */
static hed_status within(const char *op, hed_shape shape, const hed_array *indices)
{
  char text[160];
  for (int k = 0; k < shape.ndim; k++)
    HED_SCOPE_OR(return hed_error()) {
      int64_t low = 0, high = 0;
      hed_array *c = column(indices, k), *least = c ? hed_min(c, NULL) : NULL, *most = c ? hed_max(c, NULL) : NULL;
      if (!least || !most || hed_item_int(least, &low) != HED_OK || hed_item_int(most, &high) != HED_OK)
        return hed_error();
      if (low < 0 || high >= shape.dim[k])
        return hed_fail(HED_E_INDEX, "%s: coordinate %lld of axis %d; the shape is %s", op, (long long)(low < 0 ? low : high), k,
                        hed__shape_words(shape, text));
    }
  return HED_OK;
}

/* The permutation that puts the rows of INDICES in order: by the last column first, as sorting is stable. */
static hed_array *ascending(const hed_array *indices, int order)
{
  hed_array *by = hed_argsort(column(indices, order - 1), NULL);
  for (int k = order - 2; k >= 0 && by; k--)
    by = hed_take(by, hed_argsort(hed_take(column(indices, k), by, 0), NULL), 0);
  return by;
}

/* Sorted rows AT and VALUES, of which those at the same place become one. */
static hed_status add_equal(hed_array **at, hed_array **values)
{
  const int64_t n = hed_array_size(*values);
  int64_t last = 0;
  hed_array *next = HED_GET(*at, HED_SLICE(1, n, 1)), *before = HED_GET(*at, HED_SLICE(0, n - 1, 1));
  hed_array *moved = next ? hed_any(hed_not_equal(next, before), &(hed_reduce){ .axes = HED_AXES(1) }) : NULL;
  hed_array *begins = hed_concatenate(2, (const hed_array *const[]){ hed_ones(HED_SHAPE(1), HED_BOOL), moved }, 0);
  hed_array *follows = hed_concatenate(2, (const hed_array *const[]){ hed_zeros(HED_SHAPE(1), HED_BOOL), moved }, 0);
  hed_array *group = follows ? hed_cumsum(hed_astype(follows, HED_INT64), NULL) : NULL;
  hed_array *end = group ? HED_GET(group, HED_AT(-1)) : NULL;
  hed_status status = end ? hed_item_int(end, &last) : hed_error();
  if (status == HED_OK && last + 1 < n) {
    *values = hed_scatter_add(*values, group, last + 1, 0);
    *at = hed_take(*at, hed_flatnonzero(begins), 0);
  }
  return status;
}

/* The arrays, of the scope, into OUT, which the caller owns. */
static hed_status hand_out(hed_shape shape, hed_array *at, hed_array *values, hed_coo *out)
{
  if (!at || !values)
    return hed_error();
  *out = (hed_coo){ .shape = shape, .indices = hed_keep(at), .values = hed_keep(values) };
  return HED_OK;
}

hed_status hed_coo_from(hed_shape shape, const hed_array *indices, const hed_array *values, hed_coo *out)
{
  static const char *const op = "hed_coo_from";
  int ignored;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_coo){ 0 };
  hed_status status = fits(op, shape, indices, values);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *at = hed_asarray(indices, HED_INT64), *v = hed__tensor_operand(op, "values", values);
    if (at && v && hed_array_size(v) > 0) {
      if ((status = within(op, shape, at)) != HED_OK || (status = hed__tensor_exponent(op, "values", v, &ignored)) != HED_OK)
        return status;
      hed_array *by = ascending(at, shape.ndim);
      at = hed_take(at, by, 0);
      v = hed_take(v, by, 0);
      status = at && v ? add_equal(&at, &v) : hed_error();
    }
    if (status == HED_OK)
      status = hand_out(shape, at, v, out);
  }
  return status;
}

hed_status hed_coo_from_dense(const hed_array *x, hed_coo *out)
{
  static const char *const op = "hed_coo_from_dense";
  int ignored;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_coo){ 0 };
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *v = hed__tensor_operand(op, "x", x), *at = NULL;
    if (!v)
      return hed_error();
    const hed_shape s = hed_array_shape(v);
    if (s.ndim < 1 || s.ndim >= HED_MAX_NDIM)
      return hed_fail(HED_E_SHAPE, "%s: x has %d axes; 1 to %d are possible", op, (int)s.ndim, HED_MAX_NDIM - 1);
    status = hed_array_size(v) > 0 ? hed__tensor_exponent(op, "x", v, &ignored) : HED_OK;
    at = status == HED_OK ? hed_nonzero(v) : NULL;
    if (status == HED_OK)
      status = at ? hand_out(s, at, hed_gather_nd(v, at), out) : hed_error();
  }
  return status;
}

hed_array *hed_coo_full(const hed_coo *x)
{
  return hed__coo_check("hed_coo_full", x) == HED_OK ? hed_scatter_nd(x->indices, x->values, x->shape) : NULL;
}

hed_status hed_coo_norm(const hed_coo *x, double *out)
{
  hed_status status = hed__coo_check("hed_coo_norm", x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "hed_coo_norm: out is NULL");
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *norm = hed_vector_norm(x->values, 2, NULL);
    status = norm ? hed_item(norm, out) : hed_error();
  }
  return status;
}

/* ---- products ---- */

/* Rows that are made at a time, of WIDTH numbers in the type of X. */
static int64_t piece_of(const hed_coo *x, int64_t width)
{
  const int64_t n = PIECE_BYTES / (int64_t)hed_dtype_size(hed_array_dtype(x->values)) / (width > 0 ? width : 1);
  return n > 0 ? n : 1;
}

/* A column of values as a matrix, and the coordinates, of entries FROM to FROM + N. */
static void part_of(const hed_coo *x, int64_t from, int64_t n, hed_array **at, hed_array **values)
{
  *at = hed_slice(x->indices, 1, &HED_RANGE(from, from + n, 1));
  *values = hed_expand_dims(hed_slice(x->values, 1, &HED_RANGE(from, from + n, 1)), 1);
}

/* SUM += MORE, both kept or of the scope; SUM NULL: begins. */
static hed_status add_to(hed_array **sum, hed_array *more)
{
  if (!more)
    return hed_error();
  if (*sum)
    return hed_add_into(*sum, *sum, more);
  *sum = hed_keep(more);
  return HED_OK;
}

hed_array *hed__coo_product(const hed_coo *x, hed_array *const *factors, int mode)
{
  const int order = x->shape.ndim, any = mode ? 0 : 1;
  const hed_dtype t = hed_array_dtype(x->values);
  const int64_t rank = hed_array_shape(factors[any]).dim[1], n = hed_array_size(x->values), step = piece_of(x, rank);
  hed_array *sum = NULL;
  hed_status status = HED_OK;
  if (n == 0)
    return hed_zeros(HED_SHAPE(x->shape.dim[mode], rank), t);
  for (int64_t from = 0; from < n && status == HED_OK; from += step)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *at, *rows;
      part_of(x, from, step, &at, &rows);
      for (int k = 0; k < order && rows; k++)
        if (k != mode) {
          hed_array *f = hed__tensor_conj(factors[k]), *taken = f ? hed_take(f, column(at, k), 0) : NULL;
          rows = taken ? hed_multiply(rows, taken) : NULL;
        }
      status = add_to(&sum, rows ? hed_scatter_add(rows, column(at, mode), x->shape.dim[mode], 0) : NULL);
    }
  if (status != HED_OK) {
    hed_release(sum);
    return NULL;
  }
  return hed_astype(hed__tensor_given(sum), t);
}

hed_status hed__coo_sweep(const hed_coo *x, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg)
{
  hed_status status = HED_OK;
  for (int k = 0; k < x->shape.ndim && status == HED_OK; k++)
    if (wanted >> k & 1U)
      HED_SCOPE_OR(return hed_error()) {
        hed_array *m = hed__coo_product(x, factors, k);
        status = m ? visit(arg, k, m) : hed_error();
      }
  return status;
}

/* Whether FACTORS, of which those of the modes in FREE may be NULL, fit X; *RANK: their common number of columns, or NULL: any. */
static hed_status check_factors(const char *op, const hed_coo *x, int n, const hed_array *const *factors, uint32_t open, int64_t *rank)
{
  char text[160];
  hed_status status = hed__coo_check(op, x);
  if (status != HED_OK)
    return status;
  if (!factors || n != x->shape.ndim)
    return hed_fail(HED_E_INVAL, "%s: %s%d factors for the %d axes of x", op, factors ? "" : "factors is NULL: ", n,
                    (int)x->shape.ndim);
  for (int k = 0; k < n; k++) {
    if (!factors[k] && open >> k & 1U)
      continue;
    if (!factors[k])
      return hed__tensor_missing(op, "factor %d", k);
    const hed_shape s = hed_array_shape(factors[k]);
    if (rank && *rank == 0 && s.ndim == 2)
      *rank = s.dim[1];
    if (s.ndim != 2 || s.dim[0] != x->shape.dim[k] || (rank && s.dim[1] != *rank))
      return hed_fail(HED_E_SHAPE, "%s: factor %d has shape %s; axis %d of x has extent %lld%s", op, k,
                      hed__shape_words(s, text), k, (long long)x->shape.dim[k], rank ? ", and all have as many columns" : "");
  }
  return HED_OK;
}

hed_array *hed_coo_mttkrp(const hed_coo *x, int n, const hed_array *const *factors, int32_t mode)
{
  static const char *const op = "hed_coo_mttkrp";
  const hed_array *others[HED_MAX_NDIM];
  int axis = 0;
  int64_t rank = 0;
  hed_array *out = NULL;
  if (hed__coo_check(op, x) != HED_OK || hed__mode_of(op, mode, x->shape.ndim, &axis) != HED_OK)
    return NULL;
  for (int k = 0; k < n && k < HED_MAX_NDIM && factors; k++)
    others[k] = k == axis ? NULL : factors[k];
  if (check_factors(op, x, n, factors ? others : NULL, 1U << axis, &rank) != HED_OK)
    return NULL;
  if (n < 2) {
    (void)hed_fail(HED_E_SHAPE, "%s: x has 1 axis; it has to have 2 to 15", op);
    return NULL;
  }
  HED_SCOPE_OR(return NULL)
    out = hed_keep(hed__coo_product(x, (hed_array *const *)(uintptr_t)others, axis));
  return out ? hed__tensor_given(out) : NULL;
}

hed_status hed_coo_inner_cp(const hed_coo *x, const hed_cp *c, double out[2])
{
  static const char *const op = "hed_coo_inner_cp";
  hed_status status = hed__coo_check(op, x);
  if (status == HED_OK && !out)
    status = hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  if (status == HED_OK)
    status = hed__cp_has_shape(op, c, x->shape);
  if (status == HED_OK)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *first = c->weights ? hed_multiply(c->factor[0], c->weights) : hed__tensor_same(c->factor[0]);
      hed_array *m = c->order > 1 ? hed__coo_product(x, c->factor, 0) : hed_expand_dims(hed_coo_full(x), 1);
      if (first && c->order == 1)
        first = hed_sum(first, &(hed_reduce){ .axes = HED_AXES(1), .keepdims = true });
      status = hed__dot(first, m, out);
    }
  return status;
}

hed_status hed__coo_error(const hed_coo *x, double squares, const hed_cp *c, double *error)
{
  double dot[2] = { 0, 0 }, norm = 0;
  hed_status status = hed_coo_inner_cp(x, c, dot);
  if (status == HED_OK)
    status = hed_cp_norm(c, &norm);
  *error = squares > 0 ? sqrt(fmax(squares + norm * norm - 2 * dot[0], 0) / squares) : norm > 0 ? INFINITY : 0;
  return status;
}

/* ---- products with orthogonal factors ---- */

hed_array *hed_coo_project(const hed_coo *x, int n, const hed_array *const *factors)
{
  static const char *const op = "hed_coo_project";
  if (check_factors(op, x, n, factors, ~0U, NULL) != HED_OK)
    return NULL;
  /* first the modes without a factor, then the columns of the others; AT_END says where each mode of the result is */
  hed_shape flat = { .ndim = 2, .dim = { 1, 1 } }, parts = { .ndim = n }, open = { 0 };
  hed_axes at_end = { .n = n };
  int column_of[HED_MAX_NDIM], m = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++)
      if ((factors[k] != NULL) == pass) {
        parts.dim[m] = pass ? hed_array_shape(factors[k]).dim[1] : x->shape.dim[k];
        flat.dim[pass] *= parts.dim[m];
        at_end.axis[k] = m++;
        if (!pass) {
          column_of[open.ndim] = k;
          open.dim[open.ndim++] = x->shape.dim[k];
        }
      }
  const int64_t entries = hed_array_size(x->values), step = piece_of(x, flat.dim[1]);
  hed_array *sum = NULL, *out = NULL;
  hed_status status = HED_OK;
  for (int64_t from = 0; from < entries && status == HED_OK; from += step)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *at, *rows, *key = NULL;
      const hed_array *columns[HED_MAX_NDIM];
      part_of(x, from, step, &at, &rows);
      const int64_t many = rows ? hed_array_shape(rows).dim[0] : 0;
      for (int k = 0; k < n && rows; k++)
        if (factors[k]) {
          hed_array *taken = hed_take(hed__tensor_conj(factors[k]), column(at, k), 0);
          hed_array *product = taken ? hed_multiply(hed_expand_dims(rows, 2), hed_expand_dims(taken, 1)) : NULL;
          rows = product ? hed_reshape(product, HED_SHAPE(many, -1)) : NULL;
        }
      for (int k = 0; k < open.ndim; k++)
        columns[k] = column(at, column_of[k]);
      if (open.ndim)
        key = hed_ravel_multi_index(open.ndim, columns, open);
      else
        key = hed_zeros(HED_SHAPE(many), HED_INT64);
      status = add_to(&sum, rows && key ? hed_scatter_add(rows, key, flat.dim[0], 0) : NULL);
    }
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed_array *all = sum ? hed__tensor_same(sum) : hed_zeros(flat, hed_array_dtype(x->values));
      out = all ? hed_keep(hed_copy(hed_transpose(hed_reshape(all, parts), &at_end))) : NULL;
    }
  hed_release(sum);
  return out ? hed__tensor_given(out) : NULL;
}
