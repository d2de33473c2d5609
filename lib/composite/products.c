// SPDX-License-Identifier: BSD-3-Clause
/* Products of vectors and arrays: dot, vdot, vecdot, inner, outer, cross, and the trace. L3.
 *
 * Only vdot and vecdot conjugate, and always their first operand. Everything that sums is one matmul, so that sums are
 * rounded alike on every backend and integers wrap in their own type.
 */
#include "composite/composed.h"
#include "composite/products.h"

#include "api/call/check.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- dot and inner: the last axis of a with an axis of b ---- */

static hed_array *contract(int op, const hed_array *a, const hed_array *b, int32_t axis)
{
  const char *name = hed_op_name(op);
  const hed_array *operands[2] = { a, b };
  composed w;
  if (!hed__given_pair(name, a, b))
    return NULL;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b);
  bool scalar = sa.ndim == 0 || sb.ndim == 0;
  int at = scalar ? 0 : sb.ndim == 1 ? 0 : sb.ndim + axis;
  if (!scalar && sa.dim[sa.ndim - 1] != sb.dim[at]) {
    hed_fail(HED_E_SHAPE, "%s: shapes %s of a and %s of b: the last axis of a has extent %lld, axis %d of b %lld", name,
             HED__TEXT(&sa), HED__TEXT(&sb), (long long)sa.dim[sa.ndim - 1], at, (long long)sb.dim[at]);
    return NULL;
  }
  if (sa.ndim + sb.ndim - 2 > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: shapes %s of a and %s of b: the result would have more than %d axes", name, HED__TEXT(&sa),
             HED__TEXT(&sb), HED_MAX_NDIM);
    return NULL;
  }
  if (composed_begin(&w, op, 2, operands) != HED_OK)
    return NULL;
  const hed_array *x = w.ex.in[0], *y = w.ex.in[1];
  hed_array *out = scalar ? hed_multiply(x, y)
                   : sb.ndim == 1 || (sa.ndim <= 2 && sb.ndim == 2 && axis == -2)
                     ? hed_matmul(x, y)
                     : hed_tensordot(x, y, &HED_AXES(-1), &HED_AXES(at));
  return composed_end(&w, out);
}

hed_array *HED_BODY(dot)(const hed_array *a, const hed_array *b) { return contract(HED_OP_DOT, a, b, -2); }

hed_status HED_BODY(dot_into)(hed_array *out, const hed_array *a, const hed_array *b)
{
  if (!hed__given(out, "dot", "out"))
    return hed_error();
  if (!hed__given_pair("dot", a, b))
    return hed_error();
  if (a->view.ndim > 0 && a->view.ndim <= 2 && b->view.ndim > 0 && b->view.ndim <= 2)
    return hed_matmul_into(out, a, b);
  hed_array *made = hed_dot(a, b);
  hed_status status = hed__write_result("dot", out, made);
  hed_release(made);
  return status;
}

hed_array *HED_BODY(inner)(const hed_array *a, const hed_array *b) { return contract(HED_OP_INNER, a, b, -1); }

/* ---- products that conjugate ---- */

/* Have X and Y elements for a kernel of the device's own that conjugates as it sums. */
static bool sums_conjugated(const hed__exec *ex, const hed_array *x, const hed_array *y)
{
  const int id = x->view.dtype;
  return id == y->view.dtype && hed__id_kind(id) == HED_KIND_COMPLEX && hed__native(ex, HED_OP_VECDOT, id)
         && hed_array_size(x) > 0 && hed_array_size(y) > 0;
}

/* That kernel's sums over the last axis of X and Y. */
static hed_array *conjugated_sums(const hed__exec *ex, const hed_array *x, const hed_array *y)
{
  hed_shape sx = hed__shape_of(x), sy = hed__shape_of(y), full;
  hed_view vx, vy;
  if (!hed__broadcast(&sx, &sy, &full) || !hed__broadcast_view(&x->view, full.ndim, full.dim, &vx)
      || !hed__broadcast_view(&y->view, full.ndim, full.dim, &vy)) {
    hed_fail(HED_E_INTERNAL, "vecdot: operands do not broadcast");
    return NULL;
  }
  const int32_t last = full.ndim - 1;
  full.dim[last] = 1;
  hed_array *sums = hed__array_new(ex->device, x->view.dtype, full.ndim, full.dim);
  if (!sums)
    return NULL;
  const hed_array *const in[2] = { x, y };
  const hed_view *const in_view[2] = { &vx, &vy };
  const hed_status status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &sums, .in = in, .in_view = in_view,
                                                         .compute = x->view.dtype, .op = 1 + HED_OP_VECDOT });
  return status == HED_OK ? hed_squeeze(sums, &HED_AXES(-1)) : NULL;
}

hed_array *HED_BODY(vdot)(const hed_array *a, const hed_array *b)
{
  const hed_array *operands[2] = { a, b };
  composed w;
  if (!hed__given_pair("vdot", a, b))
    return NULL;
  int64_t na = hed__view_size(&a->view), nb = hed__view_size(&b->view);
  if (na != nb) {
    hed_fail(HED_E_SHAPE, "vdot: a has %lld elements, b %lld", (long long)na, (long long)nb);
    return NULL;
  }
  if (composed_begin(&w, HED_OP_VDOT, 2, operands) != HED_OK)
    return NULL;
  if (sums_conjugated(&w.ex, w.ex.in[0], w.ex.in[1])) {
    const hed_array *x = hed__flat(w.ex.in[0]), *y = x ? hed__flat(w.ex.in[1]) : NULL;
    return composed_end(&w, y ? conjugated_sums(&w.ex, x, y) : NULL);
  }
  const hed_array *x = hed__conjugate(w.ex.in[0]);
  hed_array *fa = hed__flat(x), *fb = hed__flat(w.ex.in[1]);
  return composed_end(&w, hed_matmul(fa, fb));
}

hed_array *HED_BODY(vecdot)(const hed_array *a, const hed_array *b, int32_t axis)
{
  const hed_array *operands[2] = { a, b };
  composed w;
  if (!hed__given_pair("vecdot", a, b))
    return NULL;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), batch;
  int32_t ndim = sa.ndim > sb.ndim ? sa.ndim : sb.ndim;
  const int at = hed__check_axis("vecdot", "axis", axis, ndim), back = ndim - at; /* from the end, for both operands */
  if (at < 0)
    return NULL;
  if (back > sa.ndim || back > sb.ndim) {
    hed_fail(HED_E_SHAPE, "vecdot: axis %d is not in both shapes %s of a and %s of b", (int)axis, HED__TEXT(&sa),
             HED__TEXT(&sb));
    return NULL;
  }
  if (sa.dim[sa.ndim - back] != sb.dim[sb.ndim - back]) {
    hed_fail(HED_E_SHAPE, "vecdot: axis %d has extent %lld in a and %lld in b", (int)axis,
             (long long)sa.dim[sa.ndim - back], (long long)sb.dim[sb.ndim - back]);
    return NULL;
  }
  if (!hed__broadcast(&sa, &sb, &batch) || batch.ndim >= HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "vecdot: shapes %s of a and %s of b do not broadcast%s", HED__TEXT(&sa), HED__TEXT(&sb),
             ndim >= HED_MAX_NDIM ? " below 16 axes" : "");
    return NULL;
  }
  if (composed_begin(&w, HED_OP_VECDOT, 2, operands) != HED_OK)
    return NULL;
  if (sums_conjugated(&w.ex, w.ex.in[0], w.ex.in[1])) {
    const hed_array *x = hed_moveaxis(w.ex.in[0], -back, -1), *y = x ? hed_moveaxis(w.ex.in[1], -back, -1) : NULL;
    return composed_end(&w, y ? conjugated_sums(&w.ex, x, y) : NULL);
  }
  const hed_array *x = hed__conjugate(w.ex.in[0]);
  hed_array *row = hed_expand_dims(hed_moveaxis(x, -back, -1), -2);
  hed_array *column = hed_expand_dims(hed_moveaxis(w.ex.in[1], -back, -1), -1);
  hed_array *product = hed_matmul(row, column);
  return composed_end(&w, hed_squeeze(product, &HED_AXES(-2, -1)));
}

/* ---- products that sum nothing ---- */

/* a[i.., j..] = x[i..] y[j..], the first SHARED axes common to both. */
static hed_array *outer_pair(const hed_array *x, const hed_array *y, int32_t shared)
{
  hed_shape left = hed__shape_of(x), right = { .ndim = shared };
  for (int k = shared; k < y->view.ndim; k++)
    left.dim[left.ndim++] = 1;
  for (int k = 0; k < shared; k++)
    right.dim[k] = y->view.dim[k];
  for (int k = shared; k < x->view.ndim; k++)
    right.dim[right.ndim++] = 1;
  for (int k = shared; k < y->view.ndim; k++)
    right.dim[right.ndim++] = y->view.dim[k];
  return hed_multiply(hed_reshape(x, left), hed_reshape(y, right));
}

static hed_array *outer(int op, int n, const hed_array *const *arrays, int32_t shared)
{
  const char *name = hed_op_name(op);
  composed w;
  int axes = shared;
  if (!hed__given_list(name, 1, n, arrays))
    return NULL;
  for (int k = 0; k < n; k++) {
    if (arrays[k]->view.ndim < shared || (shared && arrays[k]->view.dim[0] != arrays[0]->view.dim[0])) {
      hed_shape a = hed__shape_of(arrays[0]), b = hed__shape_of(arrays[k]);
      hed_fail(HED_E_SHAPE, "%s: shapes %s of array 0 and %s of array %d have no first axis in common", name,
               HED__TEXT(&a), HED__TEXT(&b), k);
      return NULL;
    }
    axes += arrays[k]->view.ndim - shared;
  }
  if (axes > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: the result would have %d axes, %d are possible", name, axes, HED_MAX_NDIM);
    return NULL;
  }
  if (composed_begin(&w, op, n, arrays) != HED_OK)
    return NULL;
  hed_array *x = n == 1 ? hed_copy(w.ex.in[0]) : outer_pair(w.ex.in[0], w.ex.in[1], shared);
  for (int k = 2; k < n && x; k++)
    x = outer_pair(x, w.ex.in[k], shared);
  return composed_end(&w, x);
}

hed_array *HED_BODY(outer)(int n, const hed_array *const *arrays) { return outer(HED_OP_OUTER, n, arrays, 0); }

hed_array *HED_BODY(batched_outer)(int n, const hed_array *const *arrays)
{
  return outer(HED_OP_BATCHED_OUTER, n, arrays, 1);
}

/* ---- cross ---- */

/* Arrays of vectors of three elements, as a kernel of the device's own takes them. */
static bool crossed_at_once(const hed__exec *ex)
{
  const hed_array *a = ex->in[0], *b = ex->in[1];
  const int id = a->view.dtype;
  return id == b->view.dtype && (id == HED_ID_FLOAT32 || id == HED_ID_FLOAT64) && hed__native(ex, HED_OP_CROSS, id)
         && hed__shape_equal(a->view.ndim, a->view.dim, b->view.ndim, b->view.dim) && hed_array_size(a) > 0
         && a->view.dim[a->view.ndim - 1] == 3 && hed__is_c_contiguous(&a->view) && hed__is_c_contiguous(&b->view);
}

static hed_array *cross_at_once(const hed__exec *ex)
{
  const hed_array *a = ex->in[0];
  hed_array *out = hed__array_new(ex->device, a->view.dtype, a->view.ndim, a->view.dim);
  return out && hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .compute = a->view.dtype }) == HED_OK ? out : NULL;
}

hed_array *HED_BODY(cross)(const hed_array *a, const hed_array *b, int32_t axis)
{
  const hed_array *operands[2] = { a, b };
  composed w;
  int at[2];
  int64_t n[2];
  if (!hed__given_pair("cross", a, b))
    return NULL;
  for (int k = 0; k < 2; k++) {
    at[k] = hed__check_axis("cross", "axis", axis, operands[k]->view.ndim);
    if (at[k] < 0)
      return NULL;
    n[k] = operands[k]->view.dim[at[k]];
  }
  if (n[0] < 2 || n[0] > 3 || n[1] < 2 || n[1] > 3) {
    hed_fail(HED_E_SHAPE, "cross: axis %d has extent %lld in a and %lld in b, vectors have 2 or 3 elements", (int)axis,
             (long long)n[0], (long long)n[1]);
    return NULL;
  }
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), plain;
  for (int k = at[0]; k + 1 < sa.ndim; k++)
    sa.dim[k] = sa.dim[k + 1];
  for (int k = at[1]; k + 1 < sb.ndim; k++)
    sb.dim[k] = sb.dim[k + 1];
  sa.ndim--;
  sb.ndim--;
  if (!hed__broadcast(&sa, &sb, &plain)) {
    hed_fail(HED_E_SHAPE, "cross: without the vectors' axis, shapes %s of a and %s of b do not broadcast", HED__TEXT(&sa),
             HED__TEXT(&sb));
    return NULL;
  }
  if (composed_begin(&w, HED_OP_CROSS, 2, operands) != HED_OK)
    return NULL;
  if (at[0] == sa.ndim && at[1] == sb.ndim && crossed_at_once(&w.ex))
    return composed_end(&w, cross_at_once(&w.ex));
  hed_array *v[2][3] = { { NULL } };
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < n[k]; j++)
      v[k][j] = hed_index(w.ex.in[k], at[k], j);
  hed_array *z = hed_subtract(hed_multiply(v[0][0], v[1][1]), hed_multiply(v[0][1], v[1][0]));
  if (n[0] == 2 && n[1] == 2)
    return composed_end(&w, z);
  /* a third element that is not there is 0 */
  hed_array *x1 = v[1][2] ? hed_multiply(v[0][1], v[1][2]) : NULL, *x2 = v[0][2] ? hed_multiply(v[0][2], v[1][1]) : NULL;
  hed_array *y1 = v[0][2] ? hed_multiply(v[0][2], v[1][0]) : NULL, *y2 = v[1][2] ? hed_multiply(v[0][0], v[1][2]) : NULL;
  const hed_array *part[3] = {
    n[0] == 2 ? x1 : n[1] == 2 ? hed_negative(x2) : hed_subtract(x1, x2),
    n[0] == 2 ? hed_negative(y2) : n[1] == 2 ? y1 : hed_subtract(y1, y2), z,
  };
  return composed_end(&w, hed_stack(3, part, axis));
}

/* ---- trace ---- */

hed_array *HED_BODY(matrix_trace)(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2)
{
  composed w;
  if (!hed__given(x, "matrix_trace", "x"))
    return NULL;
  int i = hed__check_axis("matrix_trace", "axis1", axis1, x->view.ndim);
  int j = i < 0 ? i : hed__check_axis("matrix_trace", "axis2", axis2, x->view.ndim);
  if (j < 0)
    return NULL;
  if (i == j) {
    hed_fail(HED_E_SHAPE, "matrix_trace: axis1 %d and axis2 %d are the same", (int)axis1, (int)axis2);
    return NULL;
  }
  if (composed_begin(&w, HED_OP_MATRIX_TRACE, 1, &x) != HED_OK)
    return NULL;
  hed_array *d = hed_diagonal(w.ex.in[0], offset, i, j);
  return composed_end(&w, hed_sum(d, &(hed_reduce){ .axes = HED_AXES(-1) }));
}
