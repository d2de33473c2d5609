// SPDX-License-Identifier: BSD-3-Clause
/* Selection along an axis and by value: take, take_along_axis, repeat, nonzero. L3.
 *
 * Kernels of take get one axis of int64 indices that are known to be in range, so the indices are read here, on the
 * host, once, unless the device whose memory they are in checks them.
 */
#include "api/call/parts.h"
#include "api/index/index.h"

#include "core/memory/memory.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>

hed_array *HED_BODY(take)(const hed_array *x, const hed_array *indices, int32_t axis)
{
  int at;
  if (!hed__given(x, "take", "x") || !hed__given(indices, "take", "indices") ||
      (at = hed__check_axis("take", "axis", axis, x->view.ndim)) < 0)
    return NULL;
  if (hed__check_indices("take", "indices", indices) != HED_OK)
    return NULL;
  hed_shape shape = { .ndim = x->view.ndim - 1 + indices->view.ndim };
  if (shape.ndim > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "take: the result would have %d axes, %d are possible", (int)shape.ndim, HED_MAX_NDIM);
    return NULL;
  }
  for (int k = 0, j = 0; k < x->view.ndim; k++) {
    if (k != at)
      shape.dim[j++] = x->view.dim[k];
    else
      for (int i = 0; i < indices->view.ndim; i++)
        shape.dim[j++] = indices->view.dim[i];
  }
  if (hed__check_shape("take", "the result's shape", &shape, x->view.dtype) != HED_OK)
    return NULL;

  hed__exec ex;
  const hed_array *operands[2] = { x, indices };
  if (hed__plan(&ex, HED_OP_TAKE, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL, *list = hed__indices_in(&ex, "take", ex.in[1], at, x->view.dim[at]);
  hed_status status = list ? HED_OK : hed_error();
  if (status == HED_OK && !(out = hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim)))
    status = hed_error();
  if (status == HED_OK && hed__view_size(&out->view) > 0) { /* the result with the indices' axes as one */
    const int64_t n = hed__view_size(&indices->view);
    hed_view flat = x->view;
    flat.data = out->view.data;
    flat.dim[at] = n;
    hed__c_strides(flat.ndim, flat.dim, hed__id_size(flat.dtype), flat.stride);
    hed_view row = { .data = list->view.data, .dtype = HED_ID_INT64, .ndim = 1, .dim = { n },
                        .stride = { sizeof(int64_t) } };
    const hed_view *out_view = &flat, *in_view[2] = { NULL, &row };
    const hed_array *in[2] = { ex.in[0], list };
    hed_take_params params = { at };
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .out_view = &out_view,
                                           .in_view = in_view, .params = &params, .compute = x->view.dtype });
  }
  hed__exec_end(&ex);
  hed_release(list);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* OUT := IN by a kernel of one axis; IN[1] is on the device already. */
static hed_status run_axis(const hed__exec *ex, int op, hed_array *out, const hed_array *x, const hed_view *x_view,
                           const hed_array *list, int axis)
{
  if (hed__view_size(&out->view) == 0)
    return HED_OK;
  const hed_array *in[2] = { x, list };
  const hed_view *in_view[2] = { x_view, NULL };
  hed_take_params params = { axis };
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .in_view = in_view,
                                      .params = &params, .compute = x->view.dtype, .op = 1 + op });
}

hed_array *HED_BODY(take_along_axis)(const hed_array *x, const hed_array *indices, int32_t axis)
{
  int at;
  if (!hed__given(x, "take_along_axis", "x") || !hed__given(indices, "take_along_axis", "indices") ||
      (at = hed__check_axis("take_along_axis", "axis", axis, x->view.ndim)) < 0 ||
      hed__check_indices("take_along_axis", "indices", indices) != HED_OK)
    return NULL;
  hed_shape have = hed__shape_of(x), want = hed__shape_of(indices), shape, rest = have;
  rest.dim[at] = 1;
  bool fits = want.ndim == have.ndim && hed__broadcast(&rest, &want, &shape);
  if (!fits) {
    hed_fail(HED_E_SHAPE, "take_along_axis: indices of shape %s do not fit x of shape %s along axis %d",
             HED__TEXT(&want), HED__TEXT(&have), at);
    return NULL;
  }
  shape.dim[at] = want.dim[at];
  hed__exec ex;
  const hed_array *operands[2] = { x, indices };
  if (hed__check_shape("take_along_axis", "the result's shape", &shape, x->view.dtype) != HED_OK ||
      hed__plan(&ex, HED_OP_TAKE_ALONG_AXIS, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL, *list = hed__indices_in(&ex, "take_along_axis", ex.in[1], at, have.dim[at]), *whole = NULL;
  hed_status status = list ? HED_OK : hed_error();
  if (status == HED_OK) {
    whole = hed_broadcast_to(list, shape);
    out = whole ? hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim) : NULL;
    if (!out)
      status = hed_error();
  }
  if (status == HED_OK) {
    hed_view view;
    shape.dim[at] = have.dim[at];
    hed__broadcast_view(&ex.in[0]->view, shape.ndim, shape.dim, &view);
    status = run_axis(&ex, HED_OP_TAKE_ALONG_AXIS, out, ex.in[0], &view, whole, at);
  }
  hed__exec_end(&ex);
  hed_release(list);
  hed_release(whole);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* ---- repetition ---- */

/* X with element i of axis AT as often as HOST[EACH ? i : 0] says; GIVEN: an array of just these for kernels of its device, or
 * NULL. */
static hed_array *repeated(const char *op, const hed_array *x, int at, const int64_t *host, bool each, const hed_array *given)
{
  hed_shape shape = hed__shape_of(x);
  int64_t n = shape.dim[at], total = 0, one[1] = { n };
  bool fits = each || !__builtin_mul_overflow(n, host[0], &total);
  for (int64_t k = 0; k < n && each && fits; k++)
    fits = !__builtin_add_overflow(total, host[k], &total);
  if (!fits) {
    hed_fail(HED_E_SHAPE, "%s: the repeats along axis %d add up to more than memory can be", op, at);
    return NULL;
  }
  shape.dim[at] = total;
  hed__exec ex;
  if (hed__check_shape(op, "the result's shape", &shape, x->view.dtype) != HED_OK ||
      hed__plan(&ex, HED_OP_REPEAT, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim), *counts = NULL, *all = NULL;
  hed_status status = out ? HED_OK : hed_error();
  if (status == HED_OK && hed__view_size(&out->view) > 0) {
    counts = given && each && ex.device->host ? hed_retain((hed_array *)(uintptr_t)given)
                                              : hed__index_array(ex.device, 1, each ? one : (const int64_t[]){ 1 }, host);
    all = counts ? hed_broadcast_to(counts, (hed_shape){ 1, { n } }) : NULL;
    status = all ? run_axis(&ex, HED_OP_REPEAT, out, ex.in[0], NULL, all, at) : hed_error();
  }
  hed__exec_end(&ex);
  hed_release(counts);
  hed_release(all);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* The same as COUNTS say, in the memory of a device that checks indices, which tells how many they are. *DONE stays false where
 * they had better be looked at one by one. */
static hed_array *repeated_there(const hed__exec *ex, const char *op, int at, const hed_array *counts, bool *done)
{
  const hed_array *x = ex->in[0];
  const int64_t n = hed__view_size(&counts->view);
  hed_shape shape = hed__shape_of(x), all = { 1, { shape.dim[at] } };
  hed__parts f;
  if (n == 0 || hed__parts_begin(&f, ex) != HED_OK)
    return NULL;
  int64_t least, most, total;
  hed_array *list = hed__indices_given(ex, counts, NULL), *out = NULL;
  hed_array *sum = hed_sum(list, NULL), *max = hed_max(list, NULL), *min = hed_min(list, NULL);
  const bool known = sum && max && min && hed_item_int(min, &least) == HED_OK && hed_item_int(max, &most) == HED_OK &&
                     hed_item_int(sum, &total) == HED_OK;
  *done = !known || (least >= 0 && most <= INT64_MAX / (shape.dim[at] ? shape.dim[at] : 1));
  if (known && *done) {
    shape.dim[at] = n == all.dim[0] ? total : total * all.dim[0];
    if (hed__check_shape(op, "the result's shape", &shape, x->view.dtype) == HED_OK)
      out = hed__array_new(ex->device, x->view.dtype, shape.ndim, shape.dim);
    const hed_array *each = out ? hed_broadcast_to(hed_reshape(list, HED_SHAPE(n)), all) : NULL;
    if (!each || run_axis(ex, HED_OP_REPEAT, out, x, NULL, each, at) != HED_OK)
      out = NULL;
  }
  hed_release(list);
  return hed__parts_end(&f, out);
}

/* X, flattened when AXIS is NULL (then *flat is to be released), and the axis; negative status. */
static int repeat_axis(const char *op, const hed_array **x, const hed_axes *axis, hed_array **flat)
{
  *flat = NULL;
  if (!hed__given(*x, op, "x"))
    return hed_error();
  if (!axis) {
    *x = *flat = hed_reshape(*x, (hed_shape){ 1, { hed__view_size(&(*x)->view) } });
    return *flat ? 0 : hed_error();
  }
  if (axis->n != 1)
    return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, repetition has one", op, (int)axis->n);
  return hed__check_axis(op, "axis", axis->axis[0], (*x)->view.ndim);
}

hed_array *HED_BODY(repeat)(const hed_array *x, int64_t count, const hed_axes *axis)
{
  hed_array *flat, *out = NULL;
  int at = repeat_axis("repeat", &x, axis, &flat);
  if (at >= 0 && count < 0)
    hed_fail(HED_E_INVAL, "repeat: count is %lld, which is negative", (long long)count);
  else if (at >= 0)
    out = repeated("repeat", x, at, &count, false, NULL);
  hed_release(flat);
  return out;
}

hed_array *HED_BODY(repeat_each)(const hed_array *x, const hed_array *counts, const hed_axes *axis)
{
  hed_array *flat, *out = NULL;
  hed__exec ex;
  int64_t *host = NULL, n = 0;
  const int64_t *list;
  bool ready, done = false;
  int at = repeat_axis("repeat_each", &x, axis, &flat);
  if (at < 0 || !hed__given(counts, "repeat_each", "counts") ||
      hed__check_indices("repeat_each", "counts", counts) != HED_OK)
    goto end;
  n = hed__view_size(&counts->view);
  if (counts->view.ndim > 1 || (n != 1 && n != x->view.dim[at])) {
    hed_shape s = hed__shape_of(counts);
    hed_fail(HED_E_SHAPE, "repeat_each: counts of shape %s for the %lld elements of axis %d", HED__TEXT(&s),
             (long long)x->view.dim[at], at);
    goto end;
  }
  if (!counts->storage->device->host && hed__plan(&ex, HED_OP_REPEAT, 1, &x) == HED_OK) {
    if (hed__checks_indices(&ex, counts, 1))
      out = repeated_there(&ex, "repeat_each", at, counts, &done);
    hed__exec_end(&ex);
    if (done)
      goto end;
  }
  ready = hed__indices_ready(counts->storage->device, counts, INT64_MAX);
  if (!(list = ready ? counts->view.data : (host = hed__read_indices("repeat_each", counts, &n))))
    goto end;
  for (int64_t k = 0; !ready && k < n; k++)
    if (list[k] < 0) {
      if (hed__id_kind(counts->view.dtype) == HED_KIND_INT)
        hed_fail(HED_E_INVAL, "repeat_each: count %lld of element %lld is negative", (long long)list[k], (long long)k);
      else
        hed_fail(HED_E_INVAL, "repeat_each: count %llu of element %lld is too large", (unsigned long long)list[k], (long long)k);
      goto end;
    }
  out = repeated("repeat_each", x, at, list, n == x->view.dim[at], ready && counts->view.ndim == 1 ? counts : NULL);
end:
  hed__buffer_free(host);
  hed_release(flat);
  return out;
}

/* ---- elements that are not 0 ---- */

hed_array *HED_BODY(nonzero)(const hed_array *x)
{
  if (!hed__given(x, "nonzero", "x"))
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_NONZERO, 1, &x) != HED_OK)
    return NULL;
  hed__forced forced;
  hed_array *out = NULL, *count = NULL;
  int64_t n = 0;
  hed_status status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    count = hed_count_nonzero(ex.in[0], NULL);
    status = count ? hed_item_int(count, &n) : hed_error();
    hed__force_end(&forced);
  }
  if (status == HED_OK) {
    const int64_t dim[2] = { n, x->view.ndim };
    out = hed__array_new(ex.device, HED_ID_INT64, 2, dim);
    status = out ? HED_OK : hed_error();
  }
  if (status == HED_OK && hed__view_size(&out->view) > 0)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in,
                                           .compute = x->view.dtype });
  hed__exec_end(&ex);
  hed_release(count);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}
