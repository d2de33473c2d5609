// SPDX-License-Identifier: BSD-3-Clause
/* Operations that share storage: only shape, strides and offset change. L3.
 *
 * reshape copies when no view can do it. Index arithmetic follows Python's slices; offsets are applied only when the
 * result has elements, so that data never points outside its storage.
 */
#include "api/call/check.h"
#include "api/make/views.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

hed_array *HED_BODY(reshape)(const hed_array *x, hed_shape shape)
{
  if (!hed__given(x, "reshape", "x"))
    return NULL;
  if (shape.ndim < 0 || shape.ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "reshape: shape has %d axes, 0 to %d are possible", (int)shape.ndim, HED_MAX_NDIM);
    return NULL;
  }
  const hed_shape want = shape, have = hed__shape_of(x);
  int64_t size = x->size, known = 1;
  int open = -1;
  bool fits = true;
  for (int k = 0; k < shape.ndim; k++) {
    if (shape.dim[k] == -1 && open < 0)
      open = k;
    else if (shape.dim[k] < 0 || __builtin_mul_overflow(known, shape.dim[k], &known))
      fits = false;
  }
  if (open >= 0 && fits) {
    fits = known > 0 && size % known == 0;
    if (fits)
      shape.dim[open] = size / known;
  }
  /* what has as many elements as x fits as x does; without any, extents beside the 0 can be too large */
  if (!fits || hed__shape_size(shape.ndim, shape.dim) != size ||
      (size == 0 && !hed__shape_fits(shape.ndim, shape.dim, hed__id_size(x->view.dtype)))) {
    hed_fail(HED_E_SHAPE, "reshape: x of shape %s has %lld elements, which shape %s cannot hold", HED__TEXT(&have),
             (long long)size, HED__TEXT(&want));
    return NULL;
  }
  hed_view v = x->view;
  v.ndim = shape.ndim;
  for (int k = 0; k < shape.ndim; k++)
    v.dim[k] = shape.dim[k];
  if (hed__reshape_strides(&x->view, shape.ndim, shape.dim, v.stride))
    return hed__array_view(x, &v);
  hed_array *copy = hed_copy(x), *out = NULL;
  if (copy) {
    v.data = copy->view.data;
    hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
    out = hed__array_view(copy, &v);
    hed_release(copy);
  }
  return out;
}

static hed_array *permuted(const hed_array *x, const int *order)
{
  hed_view v = x->view;
  for (int k = 0; k < v.ndim; k++) {
    v.dim[k] = x->view.dim[order[k]];
    v.stride[k] = x->view.stride[order[k]];
  }
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(transpose)(const hed_array *x, const hed_axes *axes)
{
  if (!hed__given(x, "transpose", "x"))
    return NULL;
  int order[HED_MAX_NDIM], ndim = x->view.ndim;
  uint32_t mask;
  if (!axes || axes->n == 0) {
    for (int k = 0; k < ndim; k++)
      order[k] = ndim - 1 - k;
    return permuted(x, order);
  }
  if (axes->n != ndim) {
    hed_fail(HED_E_SHAPE, "transpose: %d axes are listed for an array with %d", (int)axes->n, ndim);
    return NULL;
  }
  if (hed__check_axes("transpose", axes, ndim, &mask) != HED_OK)
    return NULL;
  for (int k = 0; k < ndim; k++)
    order[k] = hed__axis(axes->axis[k], ndim);
  return permuted(x, order);
}

hed_array *HED_BODY(moveaxis)(const hed_array *x, int32_t source, int32_t destination)
{
  if (!hed__given(x, "moveaxis", "x"))
    return NULL;
  int ndim = x->view.ndim, from, to, order[HED_MAX_NDIM];
  if ((from = hed__check_axis("moveaxis", "source axis", source, ndim)) < 0 ||
      (to = hed__check_axis("moveaxis", "destination axis", destination, ndim)) < 0)
    return NULL;
  for (int k = 0, j = 0; k < ndim; k++) {
    if (k == to) {
      order[k] = from;
      continue;
    }
    if (j == from)
      j++;
    order[k] = j++;
  }
  return permuted(x, order);
}

hed_array *HED_BODY(squeeze)(const hed_array *x, const hed_axes *axes)
{
  if (!hed__given(x, "squeeze", "x"))
    return NULL;
  uint32_t mask = 0;
  bool all = !axes || axes->n == 0;
  if (!all && hed__check_axes("squeeze", axes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  hed_view v = x->view;
  v.ndim = 0;
  for (int k = 0; k < x->view.ndim; k++) {
    bool drop = all ? x->view.dim[k] == 1 : mask >> k & 1u;
    if (drop && x->view.dim[k] != 1) {
      hed_shape s = hed__shape_of(x);
      hed_fail(HED_E_SHAPE, "squeeze: axis %d of x of shape %s has extent %lld, not 1", k, HED__TEXT(&s),
               (long long)x->view.dim[k]);
      return NULL;
    }
    if (!drop) {
      v.dim[v.ndim] = x->view.dim[k];
      v.stride[v.ndim++] = x->view.stride[k];
    }
  }
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(expand_dims)(const hed_array *x, int32_t axis)
{
  if (!hed__given(x, "expand_dims", "x"))
    return NULL;
  int ndim = x->view.ndim + 1, at;
  if (ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "expand_dims: x has %d axes already", HED_MAX_NDIM);
    return NULL;
  }
  if ((at = hed__check_axis("expand_dims", "axis", axis, ndim)) < 0)
    return NULL;
  hed_view v = x->view;
  v.ndim = ndim;
  for (int k = ndim - 1; k > at; k--) {
    v.dim[k] = v.dim[k - 1];
    v.stride[k] = v.stride[k - 1];
  }
  v.dim[at] = 1;
  v.stride[at] = 0;
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(broadcast_to)(const hed_array *x, hed_shape shape)
{
  if (!hed__given(x, "broadcast_to", "x") ||
      hed__check_shape("broadcast_to", "shape", &shape, x->view.dtype) != HED_OK)
    return NULL;
  hed_view v;
  if (!hed__broadcast_view(&x->view, shape.ndim, shape.dim, &v)) {
    hed_shape s = hed__shape_of(x);
    hed_fail(HED_E_SHAPE, "broadcast_to: shape %s of x does not broadcast to %s", HED__TEXT(&s), HED__TEXT(&shape));
    return NULL;
  }
  return hed__array_view(x, &v);
}

hed_status hed_broadcast_shapes(int n, const hed_shape *shapes, hed_shape *out)
{
  if (n < 0 || (n > 0 && !shapes) || !out)
    return hed_fail(HED_E_INVAL, "broadcast_shapes: %s", n < 0 ? "n is negative" : "shapes or out is NULL");
  hed_shape all = { 0, { 0 } };
  for (int k = 0; k < n; k++) {
    hed_shape both;
    hed_status status = hed__check_shape("broadcast_shapes", "a shape", &shapes[k], HED_ID_BOOL);
    if (status != HED_OK)
      return status;
    if (!hed__broadcast(&all, &shapes[k], &both))
      return hed_fail(HED_E_SHAPE, "broadcast_shapes: shape %d %s does not broadcast with %s of those before it", k,
                      HED__TEXT(&shapes[k]), HED__TEXT(&all));
    all = both;
  }
  *out = all;
  return HED_OK;
}

hed_array *HED_BODY(flip)(const hed_array *x, const hed_axes *axes)
{
  uint32_t mask;
  if (!hed__given(x, "flip", "x") || hed__check_axes("flip", axes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  hed_view v = x->view;
  bool empty = hed__view_size(&v) == 0;
  for (int k = 0; k < v.ndim; k++)
    if (mask >> k & 1u) {
      if (!empty)
        v.data = (char *)v.data + (v.dim[k] - 1) * v.stride[k];
      v.stride[k] = -v.stride[k];
    }
  return hed__array_view(x, &v);
}

void hed__slice_indices(const hed_slice_range *r, int64_t n, int64_t *first, int64_t *count)
{
  int64_t start = r->start, stop = r->stop, low = r->step < 0 ? -1 : 0, high = r->step < 0 ? n - 1 : n;
  if (start == HED_SLICE_BEGIN)
    start = r->step < 0 ? high : low;
  else if (start == HED_SLICE_END)
    start = high;
  else {
    start = start < 0 ? start + n : start;
    start = start < low ? low : start > high ? high : start;
  }
  /* Left out, stop is the end in the direction of travel, by either name. */
  if (stop == HED_SLICE_BEGIN || stop == HED_SLICE_END)
    stop = r->step < 0 ? low : high;
  else {
    stop = stop < 0 ? stop + n : stop;
    stop = stop < low ? low : stop > high ? high : stop;
  }
  *first = start;
  *count = 0;
  if (r->step > 0 && start < stop)
    *count = (stop - start - 1) / r->step + 1;
  else if (r->step < 0 && start > stop) /* not -step: the least integer has no opposite */
    *count = (int64_t)((uint64_t)(start - stop - 1) / (0 - (uint64_t)r->step)) + 1;
}

hed_array *HED_BODY(slice)(const hed_array *x, int n, const hed_slice_range *ranges)
{
  if (!hed__given(x, "slice", "x"))
    return NULL;
  if (n < 0 || n > x->view.ndim || (n > 0 && !ranges)) {
    if (n > 0 && n <= x->view.ndim)
      hed_fail(HED_E_INVAL, "slice: ranges is NULL");
    else
      hed_fail(HED_E_SHAPE, "slice: %d ranges are given for an array with %d axes", n, (int)x->view.ndim);
    return NULL;
  }
  hed_view v = x->view;
  int64_t first[HED_MAX_NDIM], size = 1;
  for (int k = 0; k < n; k++) {
    if (ranges[k].step == 0) {
      hed_fail(HED_E_INVAL, "slice: the step of axis %d is 0", k);
      return NULL;
    }
    int64_t count;
    hed__slice_indices(&ranges[k], v.dim[k], &first[k], &count);
    v.dim[k] = count;
    /* With fewer than two elements the stride is never used; a huge step must not overflow it. */
    v.stride[k] = count > 1 ? v.stride[k] * ranges[k].step : 0;
  }
  for (int k = 0; k < v.ndim; k++)
    size *= v.dim[k] ? 1 : 0;
  if (size)
    for (int k = 0; k < n; k++)
      v.data = (char *)v.data + first[k] * x->view.stride[k];
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(index)(const hed_array *x, int32_t axis, int64_t index)
{
  int at;
  if (!hed__given(x, "index", "x") || (at = hed__check_axis("index", "axis", axis, x->view.ndim)) < 0)
    return NULL;
  hed_view v = x->view;
  int64_t n = v.dim[at], k = index < 0 ? index + n : index;
  if (k < 0 || k >= n) {
    hed_fail(HED_E_INDEX, "index: %lld is out of range for axis %d with extent %lld", (long long)index, at,
             (long long)n);
    return NULL;
  }
  if (hed__view_size(&v) > 0)
    v.data = (char *)v.data + k * v.stride[at];
  v.ndim--;
  for (int j = at; j < v.ndim; j++) {
    v.dim[j] = v.dim[j + 1];
    v.stride[j] = v.stride[j + 1];
  }
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(diagonal)(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2)
{
  int i, j;
  if (!hed__given(x, "diagonal", "x") || (i = hed__check_axis("diagonal", "axis1", axis1, x->view.ndim)) < 0 ||
      (j = hed__check_axis("diagonal", "axis2", axis2, x->view.ndim)) < 0)
    return NULL;
  if (i == j) {
    hed_fail(HED_E_SHAPE, "diagonal: axis1 and axis2 are both axis %d", i);
    return NULL;
  }
  hed_view v = x->view;
  int64_t rows = v.dim[i], cols = v.dim[j], count = 0;
  int64_t row0 = offset < 0 && offset > -rows ? -offset : 0, col0 = offset > 0 && offset < cols ? offset : 0;
  if (offset > -rows && offset < cols)
    count = rows - row0 < cols - col0 ? rows - row0 : cols - col0;
  const int64_t stride = count > 1 ? v.stride[i] + v.stride[j] : 0, shift = row0 * v.stride[i] + col0 * v.stride[j];
  v.ndim = 0;
  for (int k = 0; k < x->view.ndim; k++)
    if (k != i && k != j) {
      v.dim[v.ndim] = x->view.dim[k];
      v.stride[v.ndim++] = x->view.stride[k];
    }
  v.dim[v.ndim] = count;
  v.stride[v.ndim++] = stride;
  if (hed__view_size(&v) > 0)
    v.data = (char *)v.data + shift;
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(extract_center)(const hed_array *x, hed_shape shape)
{
  if (!hed__given(x, "extract_center", "x"))
    return NULL;
  hed_shape have = hed__shape_of(x);
  bool fits = shape.ndim == have.ndim;
  for (int k = 0; k < have.ndim && fits; k++)
    fits = shape.dim[k] >= 0 && shape.dim[k] <= have.dim[k];
  if (!fits) {
    if (shape.ndim < 0 || shape.ndim > HED_MAX_NDIM)
      hed_fail(HED_E_SHAPE, "extract_center: shape has %d axes, x has %d", (int)shape.ndim, (int)have.ndim);
    else
      hed_fail(HED_E_SHAPE, "extract_center: shape %s is not a part of %s, the shape of x", HED__TEXT(&shape),
               HED__TEXT(&have));
    return NULL;
  }
  hed_view v = x->view;
  bool empty = hed__shape_size(shape.ndim, shape.dim) == 0;
  for (int k = 0; k < v.ndim; k++) {
    if (!empty)
      v.data = (char *)v.data + (have.dim[k] - shape.dim[k]) / 2 * v.stride[k];
    v.dim[k] = shape.dim[k];
  }
  return hed__array_view(x, &v);
}
