// SPDX-License-Identifier: BSD-3-Clause
/* Sorting along one axis: sort, argsort, topk. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/reduce/sort.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

static const hed_sort_options defaults;

/* The axis of the options; negative status. */
static int sort_axis(const char *op, const hed_array *x, const hed_sort_options *opt)
{
  if (opt->axis.n < 0 || opt->axis.n > 1)
    return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, sorting has one", op, (int)opt->axis.n);
  return hed__check_axis(op, "axis", opt->axis.n ? opt->axis.axis[0] : -1, x->view.ndim);
}

/* The flattened X for one operation, for whose duration it is sorted as a list: NULL with the error set. */
static hed_array *flattened(const char *op, const hed_array *x, const hed_sort_options *opt, hed_sort_options *plain)
{
  *plain = *opt;
  plain->flat = false;
  if (opt->axis.n) {
    hed_fail(HED_E_INVAL, "%s: axis and flat are both given", op);
    return NULL;
  }
  return hed_reshape(x, HED_SHAPE(hed__view_size(&x->view)));
}

/* KTH is NULL, or the index about which slices are divided. */
static hed_array *sorted(int op, const hed_array *x, const hed_sort_options *opt, const int64_t *kth)
{
  const char *name = hed__op_rows[op].name, *const arg = "x";
  if (!hed__given(x, name, arg))
    return NULL;
  if (!opt)
    opt = &defaults;
  if (opt->flat) {
    hed_sort_options plain;
    hed_array *flat = flattened(name, x, opt, &plain), *y = flat ? sorted(op, flat, &plain, kth) : NULL;
    hed_release(flat);
    return y;
  }
  int axis = sort_axis(name, x, opt), compute = axis < 0 ? axis : hed__infer_operands(op, 1, &x, &arg);
  if (compute < 0)
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, op, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, op == HED_OP_SORT ? x->view.dtype : HED_ID_INT64, x->view.ndim,
                                  x->view.dim);
  hed_status status = out ? HED_OK : hed_error();
  hed_sort_params params = { axis, opt->descending, kth != NULL, kth ? *kth : 0 };
  if (status == HED_OK && hed__view_size(&x->view) > 0)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in, .params = &params,
                                           .compute = hed__compute_of(compute) });
  hed__exec_end(&ex);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *HED_BODY(sort)(const hed_array *x, const hed_sort_options *opt)
{
  return sorted(HED_OP_SORT, x, opt, NULL);
}

hed_array *HED_BODY(argsort)(const hed_array *x, const hed_sort_options *opt)
{
  return sorted(HED_OP_ARGSORT, x, opt, NULL);
}

hed_array *hed__sort_partly(int op, const hed_array *x, const hed_sort_options *opt, int64_t kth)
{
  return sorted(op, x, opt, &kth);
}

hed_status HED_BODY(topk)(const hed_array *x, int64_t k, const hed_sort_options *opt, hed_array **values,
                    hed_array **indices)
{
  const char *const arg = "x";
  if (values)
    *values = NULL;
  if (indices)
    *indices = NULL;
  if (!hed__given(x, "topk", arg))
    return hed_error();
  if (!opt)
    opt = &defaults;
  if (opt->flat) {
    hed_sort_options plain;
    hed_array *flat = flattened("topk", x, opt, &plain);
    hed_status done = flat ? hed_topk(flat, k, &plain, values, indices) : hed_error();
    hed_release(flat);
    return done;
  }
  int axis = sort_axis("topk", x, opt), compute = axis < 0 ? axis : hed__infer_operands(HED_OP_TOPK, 1, &x, &arg);
  if (compute < 0)
    return (hed_status)compute;
  if (k < 0 || k > x->view.dim[axis])
    return hed_fail(HED_E_INVAL, "topk: k is %lld; 0 to %lld, the extent of axis %d, are expected", (long long)k,
                    (long long)x->view.dim[axis], axis);
  hed__exec ex;
  hed_status status = hed__plan(&ex, HED_OP_TOPK, 1, &x);
  if (status != HED_OK)
    return status;
  hed_shape shape = hed__shape_of(x);
  shape.dim[axis] = k;
  hed_array *out[2] = { NULL, NULL };
  out[0] = hed__array_new(ex.device, x->view.dtype, shape.ndim, shape.dim);
  out[1] = out[0] ? hed__array_new(ex.device, HED_ID_INT64, shape.ndim, shape.dim) : NULL;
  if (!out[1])
    status = hed_error();
  hed_sort_params params = { .axis = axis, .descending = !opt->descending };
  if (status == HED_OK && hed__shape_size(shape.ndim, shape.dim) > 0)
    status = hed__run(&ex, &(hed__launch){ .n_out = 2, .n_in = 1, .out = out, .in = ex.in, .params = &params,
                                           .compute = hed__compute_of(compute) });
  hed__exec_end(&ex);
  for (int j = 0; j < 2; j++) {
    hed_array **to = j ? indices : values;
    if (status == HED_OK && to)
      *to = out[j];
    else
      hed_release(out[j]);
  }
  return status;
}
