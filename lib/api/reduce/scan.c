// SPDX-License-Identifier: BSD-3-Clause
/* Scans: cumsum, cumprod, cummax, cummin along an axis or over the flattened array. L3.
 *
 * Kernels see one axis and a result of the operand's shape. A flattened operand is a view of one axis where its strides
 * allow, else a copy.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "api/reduce/reduce.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

static const hed_scan defaults;

static hed_status scan(int op, const hed_array *x, const hed_scan *opt, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return hed_error();
  if (!opt)
    opt = &defaults;
  if (opt->axis.n < 0 || opt->axis.n > 1)
    return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, a scan has one or none", name, (int)opt->axis.n);
  bool flat = opt->axis.n == 0;
  int axis = flat ? 0 : hed__check_axis(name, "axis", opt->axis.axis[0], x->view.ndim);
  if (axis < 0)
    return (hed_status)axis;
  hed_shape shape = hed__shape_of(x);
  if (flat)
    shape = HED_SHAPE(hed__view_size(&x->view));
  hed_status status = out ? hed__check_out(name, out, shape.ndim, shape.dim) : HED_OK;
  if (status != HED_OK)
    return status;

  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  status = hed__plan(&ex, op, out ? 2 : 1, operands);
  if (status != HED_OK)
    return status;
  int compute, id;
  hed_array *made = NULL, *even = NULL;
  const hed_array *src = ex.in[0];
  hed_view view = src->view;
  status = hed__reduce_types(op, x, opt->dtype, ex.device, &compute, &id);
  if (status == HED_OK && flat) {
    view.ndim = 1;
    view.dim[0] = shape.dim[0];
    if (!hed__reshape_strides(&src->view, 1, shape.dim, view.stride)) {
      even = hed__moved(&ex, src, src->view.dtype);
      src = even;
      status = even ? HED_OK : hed_error();
      if (even) {
        view.data = even->view.data;
        view.stride[0] = hed__id_size(view.dtype);
      }
    }
  }
  if (status == HED_OK && out) {
    status = hed__check_writable(name, &ex, 1);
    if (status == HED_OK) /* a lane is read ahead of what is written when both have the same place */
      status = hed__check_overlap(name, out, &out->view, "out", src, &view, "x", out->view.dtype == view.dtype);
  } else if (status == HED_OK) {
    id = hed__infer_on(name, id, ex.device);
    made = id < 0 ? NULL : hed__array_new(ex.device, id, shape.ndim, shape.dim);
    if (!made)
      status = id < 0 ? (hed_status)id : hed_error();
  }
  if (status == HED_OK && hed__view_size(&view) > 0) {
    hed_array *target = out ? out : made;
    const hed_view *in_view = &view;
    hed_scan_params params = { axis };
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &target, .in = &src, .in_view = &in_view,
                                           .params = &params, .compute = hed__compute_of(compute) });
  }
  hed__exec_end(&ex);
  hed_release(even);
  if (status != HED_OK)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

/* With its neutral element first: OUT, or NULL for a new array, has one element more along the axis. */
static hed_status scan_initial(int op, const hed_array *x, const hed_scan *opt, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[op].name;
  hed_scan plain = *opt;
  plain.initial = false;
  if (op != HED_OP_CUMSUM && op != HED_OP_CUMPROD)
    return hed_fail(HED_E_INVAL, "%s: option initial is for cumsum and cumprod", name);
  if (!hed__given(x, name, "x"))
    return hed_error();
  const double neutral = op == HED_OP_CUMPROD;
  const int32_t axis = opt->axis.n ? opt->axis.axis[0] : 0;
  hed_array *rest = NULL, *first = NULL;
  hed_status status = HED_OK;
  if (!out) {
    if ((status = scan(op, x, &plain, NULL, &rest)) != HED_OK)
      return status;
    hed_shape one = hed__shape_of(rest);
    one.dim[axis < 0 ? axis + one.ndim : axis] = 1;
    first = hed_full(one, neutral, hed__dtypes[rest->view.dtype]);
    *result = first ? hed_concatenate(2, (const hed_array *const[]){ first, rest }, axis) : NULL;
    status = *result ? HED_OK : hed_error();
  } else {
    const int at = hed__check_axis(name, "axis", axis, out->view.ndim);
    if (at < 0)
      return (hed_status)at;
    hed_slice_range ranges[HED_MAX_NDIM];
    for (int k = 0; k <= at; k++)
      ranges[k] = HED_ALL;
    ranges[at] = HED_RANGE(1, HED_SLICE_END, 1);
    rest = hed_slice(out, at + 1, ranges);
    ranges[at] = HED_RANGE(0, 1, 1);
    first = hed_slice(out, at + 1, ranges);
    status = rest && first ? scan(op, x, &plain, rest, NULL) : hed_error();
    if (status == HED_OK)
      status = hed_fill(first, neutral);
  }
  hed_release(first);
  hed_release(rest);
  return status;
}

static hed_status scan_any(int op, const hed_array *x, const hed_scan *opt, hed_array *out, hed_array **result)
{
  return opt && opt->initial ? scan_initial(op, x, opt, out, result) : scan(op, x, opt, out, result);
}

#define SCAN(ID, name)                                                                             \
  hed_array *HED_BODY(name)(const hed_array *x, const hed_scan *opt)                                   \
  {                                                                                                \
    hed_array *result = NULL;                                                                      \
    return scan_any(HED_OP_##ID, x, opt, NULL, &result) == HED_OK ? result : NULL;                     \
  }                                                                                                \
  hed_status HED_BODY(name##_into)(hed_array *out, const hed_array *x, const hed_scan *opt)            \
  {                                                                                                \
    return hed__given(out, #name, "out") ? scan_any(HED_OP_##ID, x, opt, out, NULL) : hed_error(); \
  }
SCAN(CUMSUM, cumsum)
SCAN(CUMPROD, cumprod)
SCAN(CUMMAX, cummax)
SCAN(CUMMIN, cummin)
