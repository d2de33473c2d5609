// SPDX-License-Identifier: BSD-3-Clause
/* Operations that lay elements out anew: concatenate, stack, roll, pad, topleft_pad. L3.
 *
 * Each makes its result once and moves blocks into parts of it; no block is written twice but for the margins of pad,
 * which are filled first. Joining is left to a kernel where the device has one that takes as many arrays.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- joining ---- */

/* Copies BLOCK (already on or near the device of EX) into PART of OUT. An operand that was not among the planned ones
 * (more than a plan holds) is brought by copy_into under the forced context. */
static hed_status put(hed_array *out, const hed_view *part, const hed_array *block)
{
  hed_array *target = hed__array_view(out, part);
  if (!target)
    return hed_error();
  hed_status status = hed_copy_into(target, block);
  hed_release(target);
  return status;
}

/* All by one kernel where the device has one. NEW: every operand gets an axis of extent 1. */
static hed_status join_native(const hed__exec *ex, hed_array *out, int32_t at, bool new_axis)
{
  hed_view views[HED_MAX_NDIM];
  const hed_view *in[HED_MAX_NDIM];
  for (int k = 0; k < ex->n; k++) {
    hed_view *v = &views[k];
    *v = ex->in[k]->view;
    in[k] = v;
    if (!new_axis)
      continue;
    for (int j = v->ndim++; j > at; j--) {
      v->dim[j] = v->dim[j - 1];
      v->stride[j] = v->stride[j - 1];
    }
    v->dim[at] = 1;
    v->stride[at] = 0;
  }
  const hed_concatenate_params params = { .axis = at };
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = ex->n, .out = &out, .in_view = in, .params = &params,
                                      .compute = hed__compute_of(out->view.dtype), .op = 1 + HED_OP_CONCATENATE });
}

static hed_status check_list(const char *op, int n, const hed_array *const *arrays)
{
  if (n < 1 || !arrays)
    return hed_fail(HED_E_INVAL, "%s: %s", op, n < 1 ? "there are no arrays to join" : "arrays is NULL");
  for (int k = 0; k < n; k++) {
    char arg[32] = "arrays[", *p = arg + 7;
    char digits[12];
    int m = 0;
    for (int v = k; m == 0 || v; v /= 10)
      digits[m++] = (char)('0' + v % 10);
    while (m)
      *p++ = digits[--m];
    *p++ = ']';
    *p = 0;
    if (!hed__given(arrays[k], op, arg))
      return hed_error();
  }
  return HED_OK;
}

/* NEW: a new axis at AXIS, of which every array fills one element. */
static hed_array *join(int op, int n, const hed_array *const *arrays, int32_t axis, bool new_axis)
{
  const char *name = hed__op_rows[op].name;
  if (check_list(name, n, arrays) != HED_OK)
    return NULL;
  hed_shape shape = hed__shape_of(arrays[0]);
  if (new_axis && shape.ndim == HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: the arrays have %d axes already", name, HED_MAX_NDIM);
    return NULL;
  }
  int at = hed__check_axis(name, "axis", axis, shape.ndim + (new_axis ? 1 : 0));
  if (at < 0)
    return NULL;
  int64_t total = 0;
  int id = -1;
  for (int k = 0; k < n; k++) {
    hed_shape s = hed__shape_of(arrays[k]);
    bool fits = s.ndim == shape.ndim;
    for (int j = 0; j < shape.ndim && fits; j++)
      fits = s.dim[j] == shape.dim[j] || (!new_axis && j == at);
    if (!fits) {
      hed_fail(HED_E_SHAPE, "%s: shapes %s of array 0 and %s of array %d do not fit along axis %d", name,
               HED__TEXT(&shape), HED__TEXT(&s), k, at);
      return NULL;
    }
    if (__builtin_add_overflow(total, new_axis ? 1 : s.dim[at], &total)) {
      hed_fail(HED_E_SHAPE, "%s: the extents along axis %d add up to more than memory can be", name, at);
      return NULL;
    }
    id = id < 0 ? arrays[k]->view.dtype : hed__promote(id, arrays[k]->view.dtype);
  }
  if (new_axis) {
    for (int j = shape.ndim++; j > at; j--)
      shape.dim[j] = shape.dim[j - 1];
  }
  shape.dim[at] = total;
  if (hed__check_shape(name, "the result's shape", &shape, id) != HED_OK)
    return NULL;

  hed__exec ex;
  hed__forced forced;
  if (hed__plan(&ex, op, n < HED_MAX_NDIM ? n : HED_MAX_NDIM, arrays) != HED_OK)
    return NULL;
  hed_status status = hed__force_begin(&forced, &ex);
  if (status != HED_OK) {
    hed__exec_end(&ex);
    return NULL;
  }
  hed_array *out = NULL;
  id = hed__infer_on(name, id, ex.device);
  if (id < 0)
    status = (hed_status)id;
  else if (!(out = hed__array_new(ex.device, id, shape.ndim, shape.dim)))
    status = hed_error();
  const bool native = status == HED_OK && n <= HED_MAX_NDIM && hed__native(&ex, HED_OP_CONCATENATE, hed__compute_of(id));
  if (native && out->size > 0)
    status = join_native(&ex, out, at, new_axis);
  int64_t start = 0;
  for (int k = 0; k < n && status == HED_OK && !native; k++) {
    const hed_array *x = k < HED_MAX_NDIM ? ex.in[k] : arrays[k];
    int64_t count = new_axis ? 1 : x->view.dim[at];
    hed_view part = out->view;
    hed__narrow(&part, at, start, count, 1);
    if (new_axis) {
      part.ndim--;
      for (int j = at; j < part.ndim; j++) {
        part.dim[j] = part.dim[j + 1];
        part.stride[j] = part.stride[j + 1];
      }
    }
    if (hed__view_size(&part) > 0)
      status = put(out, &part, x);
    start += count;
  }
  hed__force_end(&forced);
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *HED_BODY(concatenate)(int n, const hed_array *const *arrays, int32_t axis)
{
  return join(HED_OP_CONCATENATE, n, arrays, axis, false);
}

hed_array *HED_BODY(stack)(int n, const hed_array *const *arrays, int32_t axis)
{
  return join(HED_OP_STACK, n, arrays, axis, true);
}

/* ---- rolling ---- */

/* DST := SRC moved round by SHIFT[k] in [0, dim) on every axis: a block per choice of the part before or after the
 * seam on each moved axis. */
static hed_status roll_blocks(const hed__exec *ex, hed_array *dst, const hed_view *dst_view, const hed_array *src,
                              const hed_view *src_view, const int64_t *shift)
{
  int moved[HED_MAX_NDIM], n = 0;
  for (int k = 0; k < src_view->ndim; k++)
    if (shift[k])
      moved[n++] = k;
  hed_status status = HED_OK;
  for (uint32_t choice = 0; choice < 1u << n && status == HED_OK; choice++) {
    hed_view d = *dst_view, s = *src_view;
    for (int j = 0; j < n; j++) {
      int k = moved[j];
      int64_t dim = src_view->dim[k], by = shift[k];
      bool tail = choice >> j & 1u; /* the last BY elements come to the front */
      hed__narrow(&s, k, tail ? dim - by : 0, tail ? by : dim - by, 1);
      hed__narrow(&d, k, tail ? 0 : by, tail ? by : dim - by, 1);
    }
    status = hed__move(ex, dst, &d, src, &s);
  }
  return status;
}

static int64_t modulo(int64_t a, int64_t n)
{
  int64_t r = a % n;
  return r < 0 ? r + n : r;
}

hed_array *HED_BODY(roll)(const hed_array *x, const hed_axes *shifts, const hed_axes *axes)
{
  if (!hed__given(x, "roll", "x"))
    return NULL;
  bool flat = !axes || axes->n == 0;
  int want = flat ? 1 : axes->n;
  if (want < 0 || want > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "roll: %d axes are listed, 0 to %d are possible", want, HED_MAX_NDIM);
    return NULL;
  }
  if (!shifts || shifts->n != want) {
    hed_fail(HED_E_INVAL, "roll: %d shifts are given for %d axes", shifts ? (int)shifts->n : 0, want);
    return NULL;
  }
  int64_t size = hed__view_size(&x->view), shift[HED_MAX_NDIM] = { 0 };
  if (flat && size > 0)
    shift[0] = modulo(shifts->axis[0], size);
  for (int k = 0; k < want && !flat; k++) { /* an axis listed twice is moved by both shifts */
    int at = hed__check_axis("roll", "axis", axes->axis[k], x->view.ndim);
    if (at < 0)
      return NULL;
    if (x->view.dim[at] > 0)
      shift[at] = modulo(shift[at] + shifts->axis[k], x->view.dim[at]);
  }
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_ROLL, 1, &x) != HED_OK)
    return NULL;
  hed_status status = HED_OK;
  hed_array *even = NULL;
  const hed_array *src = ex.in[0];
  hed_array *out = hed__array_new(ex.device, x->view.dtype, x->view.ndim, x->view.dim);
  if (!out)
    status = hed_error();
  else if (!flat)
    status = roll_blocks(&ex, out, &out->view, src, &src->view, shift);
  else {
    hed_view d = out->view, s = src->view;
    d.ndim = s.ndim = 1;
    d.dim[0] = s.dim[0] = size;
    d.stride[0] = hed__id_size(d.dtype);
    if (!hed__reshape_strides(&src->view, 1, s.dim, s.stride)) {
      even = hed__moved(&ex, src, s.dtype);
      if (even) {
        s.data = even->view.data;
        s.stride[0] = d.stride[0];
        src = even;
      } else {
        status = hed_error();
      }
    }
    if (status == HED_OK)
      status = roll_blocks(&ex, out, &d, src, &s, shift);
  }
  hed_release(even);
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* ---- margins ---- */

/* From rows of so many bytes on, what lies about a block is filled without the block. */
enum { LONG_ROW = 512 };

/* VALUE to what lies before and behind the block of EXTENT at TO: along an axis, as far as the block goes along those before it. */
static hed_status fill_outside(const hed__exec *ex, hed_array *out, const int64_t *to, const int64_t *extent, double value)
{
  hed_status status = HED_OK;
  hed_view v = out->view;
  for (int k = 0; k < out->view.ndim; k++) {
    const int64_t end = to[k] + extent[k], first[2] = { 0, end }, count[2] = { to[k], v.dim[k] - end };
    for (int side = 0; side < 2 && status == HED_OK; side++) {
      hed_view slab = v;
      hed__narrow(&slab, k, first[side], count[side], 1);
      if (hed__view_size(&slab) > 0)
        status = hed__fill_view(ex, out, &slab, value);
    }
    hed__narrow(&v, k, to[k], extent[k], 1);
  }
  return status;
}

/* A new array of SHAPE filled with VALUE outside the block of X that begins at FROM and lands at TO. */
static hed_array *framed(int op, const hed_array *x, const hed_shape *shape, const int64_t *to, const int64_t *extent,
                         double value)
{
  const char *name = hed__op_rows[op].name;
  if (hed__check_shape(name, "the result's shape", shape, x->view.dtype) != HED_OK)
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, op, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, x->view.dtype, shape->ndim, shape->dim);
  hed_status status = out ? HED_OK : hed_error();
  if (status == HED_OK) {
    hed_view d = out->view, s = ex.in[0]->view;
    bool whole = true;
    for (int k = 0; k < shape->ndim; k++) {
      whole = whole && extent[k] == shape->dim[k];
      hed__narrow(&d, k, to[k], extent[k], 1);
      hed__narrow(&s, k, 0, extent[k], 1);
    }
    if (!whole && shape->dim[shape->ndim - 1] * hed__id_size(x->view.dtype) >= LONG_ROW)
      status = fill_outside(&ex, out, to, extent, value);
    else if (!whole)
      status = hed__fill_view(&ex, out, &out->view, value);
    if (status == HED_OK)
      status = hed__move(&ex, out, &d, ex.in[0], &s);
  }
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *HED_BODY(pad)(const hed_array *x, hed_shape before, hed_shape after, double value)
{
  if (!hed__given(x, "pad", "x"))
    return NULL;
  hed_shape shape = hed__shape_of(x);
  if (before.ndim != shape.ndim || after.ndim != shape.ndim) {
    hed_fail(HED_E_SHAPE, "pad: before has %d values and after %d for an array with %d axes", (int)before.ndim,
             (int)after.ndim, (int)shape.ndim);
    return NULL;
  }
  for (int k = 0; k < shape.ndim; k++) {
    if (before.dim[k] < 0 || after.dim[k] < 0 ||
        __builtin_add_overflow(shape.dim[k], before.dim[k], &shape.dim[k]) ||
        __builtin_add_overflow(shape.dim[k], after.dim[k], &shape.dim[k])) {
      hed_fail(HED_E_SHAPE, "pad: %lld before and %lld after axis %d are negative or too many",
               (long long)before.dim[k], (long long)after.dim[k], k);
      return NULL;
    }
  }
  return framed(HED_OP_PAD, x, &shape, before.dim, x->view.dim, value);
}

hed_array *HED_BODY(topleft_pad)(const hed_array *x, hed_shape shape, double value)
{
  if (!hed__given(x, "topleft_pad", "x"))
    return NULL;
  if (shape.ndim != x->view.ndim) {
    hed_fail(HED_E_SHAPE, "topleft_pad: shape has %d axes, x has %d", (int)shape.ndim, (int)x->view.ndim);
    return NULL;
  }
  static const int64_t origin[HED_MAX_NDIM];
  int64_t extent[HED_MAX_NDIM];
  for (int k = 0; k < shape.ndim; k++)
    extent[k] = shape.dim[k] < x->view.dim[k] ? shape.dim[k] : x->view.dim[k];
  return framed(HED_OP_TOPLEFT_PAD, x, &shape, origin, extent, value);
}
