// SPDX-License-Identifier: BSD-3-Clause
/* Reading, writing and accumulating through keys: get, set, accumulate, compress. L3.
 *
 * Keys without arrays are views, and the work is a copy or an elementwise operation. With arrays, the axes that come from
 * them are one axis for the kernels (gather_nd, scatter_nd, compress); in the result they stand where NumPy puts them.
 */
#include "api/index/index.h"
#include "api/call/infer.h"
#include "api/call/movement.h"

#include "base/alloc.h"
#include "core/memory/memory.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <string.h>

enum { MOST_PLANNED = HED_MAX_NDIM };

/* Plans OP for X, VALUE (may be NULL) and the arrays among the keys, which go to LOCAL as the device reaches them. */
static hed_status plan_keys(hed__exec *ex, int op, const hed_array *x, const hed_array *value, int n,
                            const hed_key *keys, hed_key *local)
{
  const char *name = hed__op_rows[op].name;
  const hed_array *operands[MOST_PLANNED] = { x, value };
  int m = value ? 2 : 1, from[MOST_PLANNED] = { 0 };
  if (n < 0 || n > HED__MAX_KEYS || (n > 0 && !keys))
    n = 0; /* hed__select words the sentence */
  for (int k = 0; k < n; k++) {
    local[k] = keys[k];
    if (keys[k].kind != HED_KEY_INDICES && keys[k].kind != HED_KEY_MASK)
      continue;
    if (!hed__given(keys[k].array, name, "array of a key"))
      return hed_error();
    if (m == MOST_PLANNED)
      return hed_fail(HED_E_INVAL, "%s: more than %d arrays among the keys", name, MOST_PLANNED - (value ? 2 : 1));
    from[m] = k;
    operands[m++] = keys[k].array;
  }
  hed_status status = hed__plan(ex, op, m, operands);
  for (int k = value ? 2 : 1; k < m && status == HED_OK; k++)
    local[from[k]].array = ex->in[k];
  return status;
}

/* V, of the result's shape, with the axes of the arrays first and as one; false when their strides do not allow it. */
static bool one_axis(const hed__selection *s, const hed_view *v, hed_view *out)
{
  hed_view part = { .dtype = v->dtype, .ndim = s->index.ndim };
  for (int32_t k = 0; k < part.ndim; k++) {
    part.dim[k] = v->dim[s->at + k];
    part.stride[k] = v->stride[s->at + k];
  }
  int64_t stride = 0;
  if (!hed__reshape_strides(&part, 1, &s->n, &stride))
    return false;
  *out = (hed_view){ .data = v->data, .dtype = v->dtype, .ndim = 1, .dim = { s->n }, .stride = { stride } };
  for (int32_t k = 0; k < v->ndim; k++)
    if (k < s->at || k >= s->at + s->index.ndim) {
      out->dim[out->ndim] = v->dim[k];
      out->stride[out->ndim++] = v->stride[k];
    }
  return true;
}

/* ---- reading ---- */

static hed_status count_mask(const hed__exec *ex, const hed_array *mask, int64_t *n)
{
  hed__forced forced;
  hed_status status = hed__force_begin(&forced, ex);
  if (status != HED_OK)
    return status;
  hed_array *count = hed_count_nonzero(mask, NULL);
  status = count ? hed_item_int(count, n) : hed_error();
  hed__force_end(&forced);
  hed_release(count);
  return status;
}

/* The flat indices of S as an array of one axis: VIEW of the array returned, which is *MADE where there was none. NULL with the
 * error set. */
static const hed_array *flat_indices(const hed__exec *ex, const hed__selection *s, hed_view *view, hed_array **made)
{
  const hed_array *list = s->list ? s->list : (*made = hed__index_array(ex->device, 1, &s->n, s->flat));
  if (list)
    *view = (hed_view){ .data = list->view.data, .dtype = HED_ID_INT64, .ndim = 1, .dim = { s->n },
                        .stride = { sizeof(int64_t) } };
  return list;
}

static hed_array *gather(const hed__exec *ex, const char *op, hed__selection *s)
{
  hed_array *out = NULL, *made = NULL;
  const hed_array *list = s->mask;
  hed_view one;
  hed_status status = HED_OK;
  int64_t n = 0;
  if (s->mask) {
    status = count_mask(ex, s->mask, &n);
    if (status == HED_OK)
      hed__select_counted(s, n);
  } else {
    list = flat_indices(ex, s, &one, &made);
    status = list ? HED_OK : hed_error();
  }
  if (status == HED_OK)
    status = hed__check_shape(op, "the result's shape", &s->shape, s->base.dtype);
  if (status == HED_OK && !(out = hed__array_new(ex->device, s->base.dtype, s->shape.ndim, s->shape.dim)))
    status = hed_error();
  if (status == HED_OK && hed__view_size(&out->view) > 0) {
    hed_view to;
    one_axis(s, &out->view, &to); /* contiguous: always possible */
    const hed_array *in[2] = { ex->in[0], list };
    const hed_view *in_view[2] = { &s->base, s->mask ? NULL : &one }, *out_view = &to;
    hed_gather_params params = { s->axes, 0 };
    status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .out_view = &out_view,
                                          .in_view = in_view, .params = &params, .compute = s->base.dtype,
                                          .op = 1 + (s->mask ? HED_OP_COMPRESS : HED_OP_GATHER_ND) });
  }
  hed_release(made);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

static hed_array *get(int op, const hed_array *x, int n, const hed_key *keys)
{
  const char *name = hed__op_rows[op].name;
  hed_key local[HED__MAX_KEYS];
  hed__exec ex;
  hed__selection s;
  if (!hed__given(x, name, "x") || plan_keys(&ex, op, x, NULL, n, keys, local) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__select(&ex, name, ex.in[0], n, keys ? local : NULL, &s) == HED_OK)
    out = s.arrays                             ? gather(&ex, name, &s)
          : hed__reaches(ex.device, ex.in[0]) ? hed__array_view(ex.in[0], &s.base)
                                               : hed__moved(&ex, ex.in[0], x->view.dtype); /* a weak scalar */
  hed__selection_free(&s);
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(get)(const hed_array *x, int n, const hed_key *keys)
{
  return get(HED_OP_GET, x, n, keys);
}

hed_array *HED_BODY(compress)(const hed_array *x, const hed_array *mask)
{
  if (!hed__given(x, "compress", "x") || !hed__given(mask, "compress", "mask"))
    return NULL;
  return get(HED_OP_COMPRESS, x, 1, &HED_MASK(mask));
}

/* ---- writing ---- */

/* VALUE as a view of SHAPE; leading axes of extent 1 that are too many go. */
static hed_status fit_value(const char *op, const hed_array *value, const hed_shape *shape, hed_view *out)
{
  hed_view v = value->view;
  while (v.ndim > shape->ndim && v.dim[0] == 1) {
    v.ndim--;
    memmove(v.dim, v.dim + 1, (size_t)v.ndim * sizeof v.dim[0]);
    memmove(v.stride, v.stride + 1, (size_t)v.ndim * sizeof v.stride[0]);
  }
  if (hed__broadcast_view(&v, shape->ndim, shape->dim, out))
    return HED_OK;
  hed_shape have = hed__shape_of(value);
  return hed_fail(HED_E_SHAPE, "%s: value of shape %s does not broadcast to %s, the shape of the selection", op,
                  HED__TEXT(&have), HED__TEXT(shape));
}

/* x[mask] = one value: no list of them is needed. */
static hed_status fill_mask(const hed__exec *ex, hed_array *x, const hed__selection *s, const hed_array *value)
{
  hed_view mask = s->mask->view, one = value->view;
  one.ndim = s->base.ndim;
  for (int32_t k = 0; k < s->base.ndim; k++) {
    one.dim[k] = s->base.dim[k];
    one.stride[k] = 0;
    if (k >= mask.ndim) {
      mask.dim[k] = s->base.dim[k];
      mask.stride[k] = 0;
    }
  }
  mask.ndim = s->base.ndim;
  const hed_array *in[3] = { s->mask, value, x };
  const hed_view *in_view[3] = { &mask, &one, &s->base }, *out_view = &s->base;
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 3, .out = &x, .in = in, .out_view = &out_view,
                                      .in_view = in_view, .compute = x->view.dtype, .op = 1 + HED_OP_WHERE });
}

/* The values in X's dtype and apart from it, as the kernel wants them: VIEW of the array returned, which is VALUE itself
 * where that will do. NULL with the error set. */
static const hed_array *prepare(const hed__exec *ex, const char *op, const hed__selection *s, const hed_array *x,
                                const hed_array *value, hed_view *view, hed_array **made)
{
  hed_view all, target = x->view;
  if (fit_value(op, value, &s->shape, &all) != HED_OK)
    return NULL;
  bool same_space = value->storage->device->host == x->storage->device->host;
  if (value->view.dtype == x->view.dtype && (!s->arrays || one_axis(s, &all, view)) &&
      !(same_space && hed__views_meet(&target, &value->view))) {
    if (!s->arrays)
      *view = all;
    return value;
  }
  /* a copy of the values as given; when its axes cannot be joined, one as large as the selection */
  if (!(*made = hed__moved(ex, value, x->view.dtype)) || fit_value(op, *made, &s->shape, &all) != HED_OK)
    return NULL;
  if (!s->arrays) {
    *view = all;
  } else if (!one_axis(s, &all, view)) {
    hed_array *whole = hed__array_new(ex->device, x->view.dtype, s->shape.ndim, s->shape.dim);
    if (!whole || hed__move(ex, whole, &whole->view, *made, &all) != HED_OK) {
      hed_release(whole);
      return NULL;
    }
    hed_release(*made);
    *made = whole;
    one_axis(s, &whole->view, view);
  }
  return *made;
}

static hed_status write_view(const hed__exec *ex, hed_array *x, const hed__selection *s, const hed_array *value,
                             const hed_view *view, hed_scatter_op op)
{
  static const int map[] = { [HED_SCATTER_ADD] = HED_OP_ADD, [HED_SCATTER_MULTIPLY] = HED_OP_MULTIPLY,
                             [HED_SCATTER_MAX] = HED_OP_MAXIMUM, [HED_SCATTER_MIN] = HED_OP_MINIMUM };
  if (hed__view_size(&s->base) == 0)
    return HED_OK;
  if (op == HED_SCATTER_SET)
    return hed__move(ex, x, &s->base, value, view);
  const hed_array *in[2] = { x, value };
  const hed_view *in_view[2] = { &s->base, view }, *out_view = &s->base;
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &x, .in = in, .out_view = &out_view,
                                      .in_view = in_view, .compute = hed__compute_of(x->view.dtype),
                                      .op = 1 + map[op] });
}

static hed_status scatter(const hed__exec *ex, hed_array *x, const hed__selection *s, const hed_array *value,
                          const hed_view *view, const hed_array *list, const hed_view *list_view, hed_scatter_op op)
{
  const hed_array *in[2] = { value, list };
  const hed_view *in_view[2] = { view, list_view }, *out_view = &s->base;
  hed_gather_params params = { s->axes, (int32_t)op };
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &x, .in = in, .out_view = &out_view,
                                      .in_view = in_view, .params = &params, .compute = x->view.dtype,
                                      .op = 1 + HED_OP_SCATTER_ND });
}

/* Indices made so many at a time that they stay in a cache between here and the kernel. */
static hed_status write_numbered(const hed__exec *ex, hed_array *x, const hed__selection *s, const hed_array *value,
                                 const hed_view *view, hed_scatter_op op)
{
  enum { AT_ONCE = 1 << 14 };
  const int64_t each = s->n < AT_ONCE ? s->n : AT_ONCE;
  hed_status status = HED_OK;
  hed_array *list = NULL;
  int64_t *buffer = NULL;
  if (ex->device->host)
    list = hed__array_new(ex->device, HED_ID_INT64, 1, &each);
  else
    buffer = hed__buffer_new((size_t)each * sizeof *buffer, hed_op_name(HED_OP_SCATTER_ND));
  if (!list && !buffer)
    status = hed_error();
  for (int64_t k = 0; k < s->n && status == HED_OK; k += each) {
    const int64_t n = s->n - k < each ? s->n - k : each;
    s->number(s->arg, k, n, buffer ? buffer : list->view.data);
    if (buffer) {
      hed_release(list);
      list = hed__index_array(ex->device, 1, &n, buffer);
    }
    if (!list) {
      status = hed_error();
      break;
    }
    hed_view part = *view, one = list->view;
    part.data = (char *)part.data + k * part.stride[0];
    part.dim[0] = one.dim[0] = n;
    status = scatter(ex, x, s, value, &part, list, &one, op);
  }
  hed__buffer_free(buffer);
  hed_release(list);
  return status;
}

static hed_status write_chosen(const hed__exec *ex, hed_array *x, const hed__selection *s, const hed_array *value,
                               const hed_view *view, hed_scatter_op op)
{
  if (hed__view_size(view) == 0)
    return HED_OK;
  if (s->number)
    return write_numbered(ex, x, s, value, view, op);
  hed_array *made = NULL;
  hed_view one;
  const hed_array *list = flat_indices(ex, s, &one, &made);
  const hed_status status = list ? scatter(ex, x, s, value, view, list, &one, op) : hed_error();
  hed_release(made);
  return status;
}

hed_status hed__check_target(const char *op, const hed_array *x)
{
  if (x->read_only)
    return hed_fail(HED_E_INVAL, "%s: x is read-only", op);
  for (int k = 0; k < x->view.ndim && hed__view_size(&x->view) > 0; k++)
    if (x->view.stride[k] == 0 && x->view.dim[k] > 1)
      return hed_fail(HED_E_INVAL, "%s: x repeats its elements along axis %d and cannot be written", op, k);
  return HED_OK;
}

/* X is where EX runs. */
static hed_status check_target(const hed__exec *ex, const char *op)
{
  if (ex->owned & 1u)
    return hed_fail(HED_E_MISMATCH, "%s: x is not in %s, where the operation runs; results are not copied back", op,
                    ex->device->space);
  return HED_OK;
}

hed_status hed__write(const hed__exec *ex, const char *op, hed_array *x, const hed__selection *s, const hed_array *value,
                      hed_scatter_op how)
{
  hed_array *made = NULL;
  hed_view view;
  hed_status status = check_target(ex, op);
  if (status != HED_OK)
    return status;
  const hed_array *given = prepare(ex, op, s, x, value, &view, &made);
  if (!given)
    status = hed_error();
  else
    status = s->arrays ? write_chosen(ex, x, s, given, &view, how) : write_view(ex, x, s, given, &view, how);
  hed_release(made);
  return status;
}

static hed_status write(int number, hed_array *x, int n, const hed_key *keys, const hed_array *value, hed_scatter_op op)
{
  const char *name = hed__op_rows[number].name;
  if (!hed__given(x, name, "x") || !hed__given(value, name, "value") || hed__check_target(name, x) != HED_OK)
    return hed_error();
  if ((op == HED_SCATTER_MAX || op == HED_SCATTER_MIN) && hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX)
    return hed__check_domain(name, "bif", "x", x->view.dtype);
  hed_key local[HED__MAX_KEYS];
  hed__exec ex;
  hed__selection s = { .flat = NULL };
  hed_status status = plan_keys(&ex, number, x, value, n, keys, local);
  if (status != HED_OK)
    return status;
  status = check_target(&ex, name);
  if (status == HED_OK)
    status = hed__select(&ex, name, x, n, keys ? local : NULL, &s);
  bool filled = false;
  if (status == HED_OK && s.mask && op == HED_SCATTER_SET && hed__view_size(&value->view) == 1 &&
      value->view.ndim <= s.shape.ndim && value->view.dtype == x->view.dtype &&
      !hed__views_meet(&x->view, &value->view) && !hed__views_meet(&x->view, &s.mask->view)) {
    filled = true;
    status = hed__view_size(&s.base) > 0 ? fill_mask(&ex, x, &s, ex.in[1]) : HED_OK;
  }
  if (status == HED_OK && !filled && (status = hed__select_flat(&ex, name, &s)) == HED_OK)
    status = hed__write(&ex, name, x, &s, ex.in[1], op);
  hed__selection_free(&s);
  hed__exec_end(&ex);
  return status;
}

hed_status HED_BODY(set)(hed_array *x, int n, const hed_key *keys, const hed_array *value)
{
  return write(HED_OP_SET, x, n, keys, value, HED_SCATTER_SET);
}

hed_status HED_BODY(accumulate)(hed_array *x, int n, const hed_key *keys, const hed_array *value, hed_scatter_op op)
{
  if (op < HED_SCATTER_SET || op > HED_SCATTER_MIN)
    return hed_fail(HED_E_INVAL, "accumulate: op is %d, HED_SCATTER_SET (%d) to HED_SCATTER_MIN (%d) are possible", (int)op,
                    HED_SCATTER_SET, HED_SCATTER_MIN);
  return write(HED_OP_ACCUMULATE, x, n, keys, value, op);
}

/* ---- rows of coordinates ---- */

/* Keys for the columns of INDICES, held by COLUMN: as many as its last axis is long. Negative status. */
static int column_keys(const char *op, const hed_array *indices, int32_t most, hed_key *keys, hed_array **column)
{
  hed_shape s = hed__shape_of(indices);
  hed_status status = hed__check_indices(op, "indices", indices);
  if (status != HED_OK)
    return status;
  if (s.ndim < 1 || s.dim[s.ndim - 1] < 1 || s.dim[s.ndim - 1] > most)
    return hed_fail(HED_E_SHAPE, "%s: indices of shape %s: the last axis holds 1 to %d coordinates", op, HED__TEXT(&s),
                    (int)most);
  int m = (int)s.dim[s.ndim - 1];
  for (int k = 0; k < m; k++) {
    if (!(column[k] = hed_index(indices, -1, k)))
      return hed_error();
    keys[k] = HED_IDX(column[k]);
  }
  return m;
}

static void release_all(hed_array **list)
{
  for (int k = 0; k < HED_MAX_NDIM; k++)
    hed_release(list[k]);
}

hed_array *HED_BODY(gather_nd)(const hed_array *x, const hed_array *indices)
{
  hed_array *column[HED_MAX_NDIM] = { NULL }, *out = NULL;
  hed_key keys[HED_MAX_NDIM];
  if (!hed__given(x, "gather_nd", "x") || !hed__given(indices, "gather_nd", "indices"))
    return NULL;
  int m = column_keys("gather_nd", indices, x->view.ndim, keys, column);
  if (m > 0)
    out = get(HED_OP_GATHER_ND, x, m, keys);
  release_all(column);
  return out;
}

hed_array *HED_BODY(scatter_nd)(const hed_array *indices, const hed_array *updates, hed_shape shape)
{
  hed_array *column[HED_MAX_NDIM] = { NULL }, *out = NULL;
  hed_key keys[HED_MAX_NDIM];
  if (!hed__given(indices, "scatter_nd", "indices") || !hed__given(updates, "scatter_nd", "updates") ||
      hed__check_shape("scatter_nd", "shape", &shape, updates->view.dtype) != HED_OK)
    return NULL;
  int m = column_keys("scatter_nd", indices, shape.ndim, keys, column);
  hed__exec ex;
  hed__forced forced;
  const hed_array *operands[2] = { updates, indices };
  if (m > 0 && hed__plan(&ex, HED_OP_SCATTER_ND, 2, operands) == HED_OK) {
    if (hed__force_begin(&forced, &ex) == HED_OK) {
      out = hed_zeros(shape, hed__dtypes[updates->view.dtype]);
      if (out && write(HED_OP_SCATTER_ND, out, m, keys, updates, HED_SCATTER_ADD) != HED_OK) {
        hed_release(out);
        out = NULL;
      }
      hed__force_end(&forced);
    }
    hed__exec_end(&ex);
  }
  release_all(column);
  return out;
}

hed_array *HED_BODY(tensor_scatter_nd_update)(const hed_array *x, const hed_array *indices, const hed_array *updates)
{
  const char *op = "tensor_scatter_nd_update";
  hed_array *column[HED_MAX_NDIM] = { NULL }, *out = NULL;
  hed_key keys[HED_MAX_NDIM];
  if (!hed__given(x, op, "x") || !hed__given(indices, op, "indices") || !hed__given(updates, op, "updates"))
    return NULL;
  int m = column_keys(op, indices, x->view.ndim, keys, column);
  out = m > 0 ? hed_copy(x) : NULL;
  if (out && write(HED_OP_TENSOR_SCATTER_ND_UPDATE, out, m, keys, updates, HED_SCATTER_SET) != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  release_all(column);
  return out;
}
