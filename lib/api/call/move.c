// SPDX-License-Identifier: BSD-3-Clause
/* The moves that other operations are made of. L3. */
#include "api/call/movement.h"
#include "base/invariant.h"
#include "base/shape.h"
#include <heddle/ops.h>

hed_status hed__move(const hed__exec *ex, hed_array *dst, const hed_view *dst_view, const hed_array *src,
                     const hed_view *src_view)
{
  HED__ASSERT(hed__shape_equal(dst_view->ndim, dst_view->dim, src_view->ndim, src_view->dim));
  if (hed__view_size(dst_view) == 0)
    return HED_OK;
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &dst, .in = &src, .out_view = &dst_view,
                                      .in_view = &src_view, .compute = dst_view->dtype, .op = 1 + HED_OP_ASTYPE });
}

hed_array *hed__moved(const hed__exec *ex, const hed_array *x, int id)
{
  hed_array *out = hed__array_new(ex->device, id, x->view.ndim, x->view.dim);
  if (out && hed__move(ex, out, &out->view, x, &x->view) != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}
