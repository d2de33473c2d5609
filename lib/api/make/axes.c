// SPDX-License-Identifier: BSD-3-Clause
/* More views by axes: several axes added or moved, exchanged axes, quarter turns, at least n axes, arrays broadcast
 * together, sliding windows; ravel and flatten. L3.
 */
#include "api/call/check.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

hed_array *HED_BODY(expand_dims_axes)(const hed_array *x, const hed_axes *axes)
{
  if (!hed__given(x, "expand_dims_axes", "x"))
    return NULL;
  const int added = axes ? axes->n : 0;
  uint32_t mask = 0;
  if (added < 0 || added > HED_MAX_NDIM - x->view.ndim) {
    hed_fail(HED_E_SHAPE, "expand_dims_axes: %d axes are to be added to %d, %d are possible", added, (int)x->view.ndim,
             HED_MAX_NDIM);
    return NULL;
  }
  const int ndim = x->view.ndim + added;
  if (added > 0 && hed__check_axes("expand_dims_axes", axes, ndim, &mask) != HED_OK)
    return NULL;
  hed_view v = x->view;
  v.ndim = ndim;
  for (int k = 0, j = 0; k < ndim; k++) {
    bool fresh = mask >> k & 1u;
    v.dim[k] = fresh ? 1 : x->view.dim[j];
    v.stride[k] = fresh ? 0 : x->view.stride[j++];
  }
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(moveaxes)(const hed_array *x, const hed_axes *source, const hed_axes *destination)
{
  if (!hed__given(x, "moveaxes", "x"))
    return NULL;
  int ndim = x->view.ndim, n = source ? source->n : 0, m = destination ? destination->n : 0, from[HED_MAX_NDIM];
  uint32_t taken, filled = 0;
  if (n != m || n < 1) {
    hed_fail(HED_E_INVAL, "moveaxes: %d axes are moved to %d places", n, m);
    return NULL;
  }
  if (hed__check_axes("moveaxes", source, ndim, &taken) != HED_OK ||
      hed__check_axes("moveaxes", destination, ndim, &filled) != HED_OK)
    return NULL;
  for (int k = 0; k < n; k++)
    from[hed__axis(destination->axis[k], ndim)] = hed__axis(source->axis[k], ndim);
  for (int k = 0, j = 0; k < ndim; k++) /* the others keep their order */
    if (!(filled >> k & 1u)) {
      while (taken >> j & 1u)
        j++;
      from[k] = j++;
    }
  hed_axes order = { ndim, { 0 } };
  for (int k = 0; k < ndim; k++)
    order.axis[k] = from[k];
  return hed_transpose(x, &order);
}

static hed_array *exchanged(const hed_array *x, int a, int b)
{
  hed_view v = x->view;
  v.dim[a] = x->view.dim[b];
  v.stride[a] = x->view.stride[b];
  v.dim[b] = x->view.dim[a];
  v.stride[b] = x->view.stride[a];
  return hed__array_view(x, &v);
}

hed_array *HED_BODY(swapaxes)(const hed_array *x, int32_t axis1, int32_t axis2)
{
  int a, b;
  if (!hed__given(x, "swapaxes", "x") || (a = hed__check_axis("swapaxes", "axis1", axis1, x->view.ndim)) < 0 ||
      (b = hed__check_axis("swapaxes", "axis2", axis2, x->view.ndim)) < 0)
    return NULL;
  return exchanged(x, a, b);
}

hed_array *HED_BODY(matrix_transpose)(const hed_array *x)
{
  if (!hed__given(x, "matrix_transpose", "x"))
    return NULL;
  if (x->view.ndim < 2) {
    hed_fail(HED_E_SHAPE, "matrix_transpose: x has %d axes, at least 2 are needed", (int)x->view.ndim);
    return NULL;
  }
  return exchanged(x, x->view.ndim - 2, x->view.ndim - 1);
}

hed_array *HED_BODY(rot90)(const hed_array *x, int64_t k, int32_t axis1, int32_t axis2)
{
  int a, b;
  if (!hed__given(x, "rot90", "x") || (a = hed__check_axis("rot90", "axis1", axis1, x->view.ndim)) < 0 ||
      (b = hed__check_axis("rot90", "axis2", axis2, x->view.ndim)) < 0)
    return NULL;
  if (a == b) {
    hed_fail(HED_E_SHAPE, "rot90: axis1 and axis2 are both axis %d", a);
    return NULL;
  }
  int turns = (int)((k % 4 + 4) % 4);
  hed_array *turned = turns & 1 ? exchanged(x, a, b) : hed__array_view(x, &x->view), *out = NULL;
  if (turns == 0 || !turned)
    return turned;
  hed_axes flipped = turns == 2 ? (hed_axes){ 2, { a, b } } : (hed_axes){ 1, { turns == 1 ? a : b } };
  out = hed_flip(turned, &flipped);
  hed_release(turned);
  return out;
}

hed_array *HED_BODY(atleast_nd)(const hed_array *x, int32_t n)
{
  if (!hed__given(x, "atleast_nd", "x"))
    return NULL;
  if (n > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "atleast_nd: n = %d axes, %d are possible", (int)n, HED_MAX_NDIM);
    return NULL;
  }
  hed_axes front = { 0, { 0 } };
  for (int k = x->view.ndim; k < n; k++, front.n++)
    front.axis[front.n] = front.n;
  return hed_expand_dims_axes(x, &front);
}

hed_status HED_BODY(broadcast_arrays)(int n, const hed_array *const *arrays, hed_array **out)
{
  if (n < 1 || !arrays || !out)
    return hed_fail(HED_E_INVAL, "broadcast_arrays: %s", n < 1 ? "there are no arrays" : "arrays or out is NULL");
  hed_shape all = { 0, { 0 } };
  hed_status status = HED_OK;
  for (int k = 0; k < n; k++)
    out[k] = NULL;
  for (int k = 0; k < n; k++) {
    if (!hed__given(arrays[k], "broadcast_arrays", "arrays"))
      return hed_error();
    hed_shape s = hed__shape_of(arrays[k]), both;
    if (!hed__broadcast(&all, &s, &both))
      return hed_fail(HED_E_SHAPE, "broadcast_arrays: shape %s of array %d does not broadcast with %s of those before it",
                      HED__TEXT(&s), k, HED__TEXT(&all));
    all = both;
  }
  for (int k = 0; k < n && status == HED_OK; k++)
    if (!(out[k] = hed_broadcast_to(arrays[k], all)))
      status = hed_error();
  for (int k = 0; k < n && status != HED_OK; k++) {
    hed_release(out[k]);
    out[k] = NULL;
  }
  return status;
}

hed_array *HED_BODY(ravel)(const hed_array *x)
{
  if (!hed__given(x, "ravel", "x"))
    return NULL;
  return hed_reshape(x, (hed_shape){ 1, { hed__view_size(&x->view) } });
}

hed_array *HED_BODY(flatten)(const hed_array *x)
{
  if (!hed__given(x, "flatten", "x"))
    return NULL;
  hed_array *copy = hed_copy(x), *out = copy ? hed_ravel(copy) : NULL;
  hed_release(copy);
  return out;
}

hed_array *HED_BODY(sliding_window_view)(const hed_array *x, hed_shape window, const hed_axes *axes)
{
  if (!hed__given(x, "sliding_window_view", "x"))
    return NULL;
  int n = axes && axes->n ? axes->n : x->view.ndim;
  if (n < 0 || n != window.ndim || x->view.ndim + n > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "sliding_window_view: a window of %d extents for %d axes of an array with %d", (int)window.ndim, n,
             (int)x->view.ndim);
    return NULL;
  }
  hed_view v = x->view;
  for (int k = 0; k < n; k++) { /* an axis may be listed again: windows of windows */
    int at = axes && axes->n ? hed__check_axis("sliding_window_view", "axis", axes->axis[k], x->view.ndim) : k;
    if (at < 0)
      return NULL;
    if (window.dim[k] < 1 || window.dim[k] > v.dim[at]) {
      hed_fail(HED_E_SHAPE, "sliding_window_view: a window of %lld on axis %d with extent %lld", (long long)window.dim[k],
               at, (long long)v.dim[at]);
      return NULL;
    }
    v.dim[at] -= window.dim[k] - 1;
    v.dim[v.ndim] = window.dim[k];
    v.stride[v.ndim++] = v.stride[at];
  }
  hed_shape all = { .ndim = v.ndim };
  for (int k = 0; k < v.ndim; k++)
    all.dim[k] = v.dim[k];
  if (hed__check_shape("sliding_window_view", "the result's shape", &all, v.dtype) != HED_OK)
    return NULL;
  hed_array *windows = hed__array_view(x, &v), *out = windows ? hed_read_only(windows) : NULL;
  hed_release(windows);
  return out;
}
