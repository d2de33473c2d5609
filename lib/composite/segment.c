// SPDX-License-Identifier: BSD-3-Clause
/* Segments along an axis: scatter_add, _max, _min, _mean, _softmax. L3.
 *
 * All are accumulations through an index array. Extrema begin with a number below or above all others; where that comes out,
 * it is asked which segments have elements, as those without are 0.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const struct { int op; const char *name; } kinds[] = {
  [HED_AGGREGATE_ADD] = { HED_OP_SCATTER_ADD, "scatter_add" },
  [HED_AGGREGATE_MAX] = { HED_OP_SCATTER_MAX, "scatter_max" },
  [HED_AGGREGATE_MIN] = { HED_OP_SCATTER_MIN, "scatter_min" },
  [HED_AGGREGATE_MEAN] = { HED_OP_SCATTER_MEAN, "scatter_mean" },
  [HED_AGGREGATE_SOFTMAX] = { HED_OP_SCATTER_SOFTMAX, "scatter_softmax" },
};

/* OUT, with segments along AXIS, combined with DATA. */
static hed_status combine(hed_array *out, const hed_array *index, const hed_array *data, int axis, hed_scatter_op op)
{
  hed_array *to = hed_moveaxis(out, axis, 0), *from = to ? hed_moveaxis(data, axis, 0) : NULL;
  hed_status status = from ? hed_accumulate(to, 1, &HED_IDX(index), from, op) : hed_error();
  hed_release(to);
  hed_release(from);
  return status;
}

/* N numbers for the segments along AXIS of an array with NDIM axes. */
static hed_shape along(int64_t n, int ndim, int axis)
{
  hed_shape s = { .ndim = ndim - axis, .dim = { n } };
  for (int k = 1; k < s.ndim; k++)
    s.dim[k] = 1;
  return s;
}

/* OUT but for segments without elements, which are 0. */
static hed_array *without_empty(const hed_array *out, const hed_array *index, int64_t n, int axis)
{
  hed_array *yes = hed_ones(HED_SHAPE0, HED_BOOL), *each = yes ? hed_broadcast_to(yes, hed__shape_of(index)) : NULL;
  hed_array *found = each ? hed_zeros(HED_SHAPE(n), HED_BOOL) : NULL, *column = NULL, *zero = NULL, *result = NULL;
  if (found && combine(found, index, each, 0, HED_SCATTER_SET) == HED_OK &&
      (column = hed_reshape(found, along(n, out->view.ndim, axis))) &&
      (zero = hed_zeros(HED_SHAPE0, hed__dtypes[out->view.dtype])))
    result = hed_where(column, out, zero);
  hed_release(yes);
  hed_release(each);
  hed_release(found);
  hed_release(column);
  hed_release(zero);
  return result;
}

/* A number of type ID that is beyond no other in the sense of OP; NULL with the error set. */
static hed_array *least_of(int id, hed_scatter_op op)
{
  const bool max = op == HED_SCATTER_MAX;
  if (hed__id_kind(id) == HED_KIND_FLOAT)
    return hed_full(HED_SHAPE0, max ? -INFINITY : INFINITY, hed__dtypes[id]);
  const int64_t most = INT64_MAX >> (64 - hed__dtypes[id]->bits);
  return hed_full_int(HED_SHAPE0, max ? -most - 1 : most, hed__dtypes[id]);
}

static hed_array *segments(const hed_array *data, const hed_array *index, int64_t n, int axis, hed_scatter_op op)
{
  const int id = data->view.dtype;
  const hed_kind kind = hed__id_kind(id);
  const bool is_signed = kind == HED_KIND_INT || kind == HED_KIND_FLOAT;
  hed_shape shape = hed__shape_of(data);
  shape.dim[axis] = n;
  hed_array *least = is_signed && op != HED_SCATTER_ADD ? least_of(id, op) : hed_zeros(HED_SHAPE0, hed__dtypes[id]);
  hed_array *all = least ? hed_broadcast_to(least, shape) : NULL, *out = all ? hed_copy(all) : NULL;
  hed_status status = out ? HED_OK : hed_error();
  if (status == HED_OK && op == HED_SCATTER_MIN && !is_signed) /* what is larger than all others is not 0 either */
    status = combine(out, index, data, axis, HED_SCATTER_SET);
  if (status == HED_OK)
    status = combine(out, index, data, axis, op);
  if (status == HED_OK && is_signed && op != HED_SCATTER_ADD && out->size > 0) {
    int64_t some = !out->storage->device->host; /* where to ask is to wait, there may be some */
    if (!some) {
      hed_array *same = hed_equal(out, least), *any = same ? hed_any(same, NULL) : NULL;
      status = any ? hed_item_int(any, &some) : hed_error();
      hed_release(same);
      hed_release(any);
    }
    if (some) {
      hed_array *rest = without_empty(out, index, n, axis);
      hed_release(out);
      out = rest;
      status = out ? HED_OK : hed_error();
    }
  }
  hed_release(least);
  hed_release(all);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* Means in at least float32, as DATA's type. */
static hed_array *means(const hed_array *data, const hed_array *index, int64_t n, int axis)
{
  int wide = hed__compute_of(data->view.dtype), real = hed__real_of(wide);
  hed_shape column = along(n, data->view.ndim, axis);
  hed_array *x = hed_astype(data, hed__dtypes[wide]), *sum = x ? segments(x, index, n, axis, HED_SCATTER_ADD) : NULL;
  hed_array *ones = sum ? hed_ones(HED_SHAPE(data->view.dim[axis]), hed__dtypes[real]) : NULL;
  hed_array *count = ones ? segments(ones, index, n, 0, HED_SCATTER_ADD) : NULL;
  hed_array *least = count ? hed_maximum_scalar(count, 1) : NULL, *by = least ? hed_reshape(least, column) : NULL;
  hed_array *mean = by ? hed_divide(sum, by) : NULL;
  hed_array *out = mean ? hed_astype(mean, hed__dtypes[data->view.dtype]) : NULL;
  hed_release(x);
  hed_release(sum);
  hed_release(ones);
  hed_release(count);
  hed_release(least);
  hed_release(by);
  hed_release(mean);
  return out;
}

static hed_array *softmax(const hed_array *data, const hed_array *index, int64_t n, int axis)
{
  hed_array *top = segments(data, index, n, axis, HED_SCATTER_MAX), *own = top ? hed_take(top, index, axis) : NULL;
  hed_array *less = own ? hed_subtract(data, own) : NULL, *e = less ? hed_exp(less) : NULL;
  hed_array *sum = e ? segments(e, index, n, axis, HED_SCATTER_ADD) : NULL, *by = sum ? hed_take(sum, index, axis) : NULL;
  hed_array *out = by ? hed_divide(e, by) : NULL;
  hed_release(top);
  hed_release(own);
  hed_release(less);
  hed_release(e);
  hed_release(sum);
  hed_release(by);
  return out;
}

/* DIM_SIZE, or the largest index + 1. */
static hed_status count_segments(const char *op, const hed_array *index, int64_t *n)
{
  if (*n >= 0)
    return HED_OK;
  *n = -1;
  hed_status status = HED_OK;
  if (hed__view_size(&index->view) > 0) {
    hed_array *last = hed_max(index, NULL);
    status = hed__item_of(op, "index", last, n);
    hed_release(last);
    if (status == HED_OK && (*n < 0 || *n == INT64_MAX))
      status = hed_fail(HED_E_INVAL, "%s: the largest index is %lld and dim_size is not given", op, (long long)*n);
  }
  *n += 1;
  return status;
}

hed_array *HED_BODY(scatter)(const hed_array *data, const hed_array *index, int64_t dim_size, hed_aggregation how, int32_t axis)
{
  if (how < HED_AGGREGATE_ADD || how > HED_AGGREGATE_SOFTMAX) {
    hed_fail(HED_E_INVAL, "scatter: how is %d, HED_AGGREGATE_ADD (%d) to HED_AGGREGATE_SOFTMAX (%d) are possible", (int)how,
             HED_AGGREGATE_ADD, HED_AGGREGATE_SOFTMAX);
    return NULL;
  }
  const char *op = kinds[how].name, *const arg = "data";
  int at;
  if (!hed__given(data, op, "data") || !hed__given(index, op, "index") ||
      (at = hed__check_axis(op, "axis", axis, data->view.ndim)) < 0)
    return NULL;
  hed_kind kind = hed__id_kind(index->view.dtype);
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT) {
    hed_fail(HED_E_DTYPE, "%s: index has dtype %s; integers are needed", op, hed__dtypes[index->view.dtype]->name);
    return NULL;
  }
  if (index->view.ndim != 1 || index->view.dim[0] != data->view.dim[at]) {
    hed_shape s = hed__shape_of(index);
    hed_fail(HED_E_SHAPE, "%s: index of shape %s for the %lld elements of axis %d", op, HED__TEXT(&s),
             (long long)data->view.dim[at], at);
    return NULL;
  }
  int id = hed__infer_operands(kinds[how].op, 1, &data, &arg);
  hed__exec ex;
  hed__forced forced;
  const hed_array *operands[2] = { data, index };
  if (id < 0 || hed__plan(&ex, kinds[how].op, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__force_begin(&forced, &ex) == HED_OK) {
    hed_array *x = hed_astype(ex.in[0], hed__dtypes[id]);
    if (x && count_segments(op, ex.in[1], &dim_size) == HED_OK)
      out = how == HED_AGGREGATE_MEAN      ? means(x, ex.in[1], dim_size, at)
            : how == HED_AGGREGATE_SOFTMAX ? softmax(x, ex.in[1], dim_size, at)
                                           : segments(x, ex.in[1], dim_size, at,
                                                      how == HED_AGGREGATE_ADD   ? HED_SCATTER_ADD
                                                      : how == HED_AGGREGATE_MAX ? HED_SCATTER_MAX
                                                                                 : HED_SCATTER_MIN);
    hed_release(x);
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(scatter_add)(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis)
{
  return hed_scatter(data, index, dim_size, HED_AGGREGATE_ADD, axis);
}

hed_array *HED_BODY(scatter_max)(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis)
{
  return hed_scatter(data, index, dim_size, HED_AGGREGATE_MAX, axis);
}

hed_array *HED_BODY(scatter_min)(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis)
{
  return hed_scatter(data, index, dim_size, HED_AGGREGATE_MIN, axis);
}

hed_array *HED_BODY(scatter_mean)(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis)
{
  return hed_scatter(data, index, dim_size, HED_AGGREGATE_MEAN, axis);
}

hed_array *HED_BODY(scatter_softmax)(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis)
{
  return hed_scatter(data, index, dim_size, HED_AGGREGATE_SOFTMAX, axis);
}
