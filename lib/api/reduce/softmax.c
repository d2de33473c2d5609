// SPDX-License-Identifier: BSD-3-Clause
/* softmax and log_softmax along an axis. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

static hed_status run(int op, const hed_array *x, int32_t axis, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return hed_error();
  int id = hed__infer_operands(op, 1, &x, (const char *const[]){ "x" });
  int at = id < 0 ? id : hed__check_axis(name, "axis", axis, x->view.ndim);
  if (at < 0)
    return (hed_status)at;
  hed_status status = out ? hed__check_out(name, out, x->view.ndim, x->view.dim) : HED_OK;
  if (status != HED_OK)
    return status;

  hed__exec ex;
  status = hed__plan(&ex, op, out ? 2 : 1, (const hed_array *const[]){ x, out });
  if (status != HED_OK)
    return status;
  hed_array *made = NULL;
  const hed_array *src = ex.in[0];
  int compute = hed__compute_of(id);
  if (out) {
    status = hed__check_writable(name, &ex, 1);
    if (status == HED_OK)
      status = hed__check_overlap(name, out, &out->view, "out", src, &src->view, "x",
                                  out->view.dtype == src->view.dtype && src->view.dtype == compute);
  } else {
    id = hed__infer_on(name, id, ex.device);
    made = id < 0 ? NULL : hed__array_new(ex.device, id, x->view.ndim, x->view.dim);
    if (!made)
      status = id < 0 ? (hed_status)id : hed_error();
  }
  if (status == HED_OK && hed__view_size(&x->view) > 0) {
    hed_array *target = out ? out : made;
    hed_scan_params params = { at };
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &target, .in = &src, .params = &params,
                                           .compute = compute });
  }
  hed__exec_end(&ex);
  if (status != HED_OK)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

#define SOFTMAX(ID, name)                                                                          \
  hed_array *HED_BODY(name)(const hed_array *x, int32_t axis)                                          \
  {                                                                                                \
    hed_array *result = NULL;                                                                      \
    return run(HED_OP_##ID, x, axis, NULL, &result) == HED_OK ? result : NULL;                     \
  }                                                                                                \
  hed_status HED_BODY(name##_into)(hed_array *out, const hed_array *x, int32_t axis)                   \
  {                                                                                                \
    return hed__given(out, #name, "out") ? run(HED_OP_##ID, x, axis, out, NULL) : hed_error();     \
  }
SOFTMAX(SOFTMAX, softmax)
SOFTMAX(LOG_SOFTMAX, log_softmax)
