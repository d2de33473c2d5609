// SPDX-License-Identifier: BSD-3-Clause
/* Conversion and copying: astype, copy, copy_into. L3. */
#include "api/call/check.h"
#include "api/elementwise/fuse.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

hed_array *HED_BODY(astype)(const hed_array *x, hed_dtype t)
{
  hed_array *recorded;
  if (hed__fusing() && hed__fuse_astype(x, t, &recorded))
    return recorded;
  if (!hed__given(x, "astype", "x"))
    return NULL;
  if (!t) {
    hed_fail(HED_E_INVAL, "astype: dtype is NULL");
    return NULL;
  }
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_ASTYPE, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  int id = hed__dtype_concrete(t, ex.device, "astype");
  /* A handle of its own also when nothing is to be converted: a scope then releases both. */
  if (id >= 0)
    out = id == x->view.dtype && hed__reaches(ex.device, ex.in[0]) ? hed__array_view(ex.in[0], &ex.in[0]->view)
                                                                   : hed__moved(&ex, ex.in[0], id);
  hed__exec_end(&ex);
  return out;
}

hed_array *HED_BODY(copy)(const hed_array *x)
{
  if (!hed__given(x, "copy", "x"))
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_COPY, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed__moved(&ex, ex.in[0], x->view.dtype);
  hed__exec_end(&ex);
  return out;
}

hed_status HED_BODY(copy_into)(hed_array *out, const hed_array *x)
{
  hed_array *recorded;
  if (hed__fusing() && hed__fuse_copy(out, x, &recorded))
    return recorded ? HED_OK : hed_error();
  if (!hed__given(out, "copy_into", "out") || !hed__given(x, "copy_into", "x"))
    return hed_error();
  hed_status status = hed__check_out("copy_into", out, out->view.ndim, out->view.dim);
  if (status != HED_OK)
    return status;
  hed_view test;
  if (!hed__broadcast_view(&x->view, out->view.ndim, out->view.dim, &test)) {
    hed_shape a = hed__shape_of(x), b = hed__shape_of(out);
    return hed_fail(HED_E_SHAPE, "copy_into: shape %s of x does not broadcast to %s of out", HED__TEXT(&a),
                    HED__TEXT(&b));
  }
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  status = hed__plan(&ex, HED_OP_COPY, 2, operands);
  if (status != HED_OK)
    return status;
  hed_view view;
  status = hed__check_writable("copy_into", &ex, 1);
  if (status == HED_OK) {
    hed__broadcast_view(&ex.in[0]->view, out->view.ndim, out->view.dim, &view);
    status = hed__check_overlap("copy_into", out, &out->view, "out", ex.in[0], &view, "x", true);
  }
  if (status == HED_OK)
    status = hed__move(&ex, out, &out->view, ex.in[0], &view);
  hed__exec_end(&ex);
  return status;
}
