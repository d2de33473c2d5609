// SPDX-License-Identifier: BSD-3-Clause
/* faulty: indices that nobody has looked at before the job's turn (HED_PLUGIN_CHECKS_INDICES). L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/shape.h"

/* What the indices of C's operation choose among, and the axis, -1 for several; false where it has none. */
static bool chosen_from(const hed_call *c, int64_t *extent, int32_t *axis)
{
  *axis = -1;
  *extent = 1;
  switch (c->op) {
  case HED_OP_TAKE:
  case HED_OP_TAKE_ALONG_AXIS:
    *axis = ((const hed_take_params *)c->params)->axis;
    *extent = c->in[0]->dim[*axis];
    return true;
  case HED_OP_GATHER_ND:
  case HED_OP_SCATTER_ND:
    for (int32_t k = 0; k < ((const hed_gather_params *)c->params)->axes; k++)
      *extent *= (c->op == HED_OP_GATHER_ND ? c->in[0] : c->out[0])->dim[k];
    return true;
  default:
    return false;
  }
}

int32_t hed__faulty_wrap_indices(hed__faulty_job *job, void **list)
{
  const hed_call *c = &job->call;
  int64_t extent;
  int32_t axis;
  if (!(hed__faulty_plugin.flags & HED_PLUGIN_CHECKS_INDICES) || !chosen_from(c, &extent, &axis))
    return HED_OK;
  const int64_t n = hed__view_size(c->in[1]);
  hed_view *v = (hed_view *)(uintptr_t)c->in[1], from = *v; /* the job's own */
  int64_t *index = job->device->services.scratch((size_t)(n ? n : 1) * sizeof *index);
  if (!(*list = index))
    return job->device->services.fail(HED_E_NOMEM, "%s: no memory for %lld indices", hed__faulty_names[c->op], (long long)n);
  v->data = index;
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), v->stride);
  hed__faulty_copy(v, &from);
  for (int64_t k = 0; k < n; k++) {
    const int64_t given = index[k];
    index[k] += given < 0 ? extent : 0;
    if (index[k] >= 0 && index[k] < extent)
      continue;
    if (axis < 0)
      return job->device->services.fail(HED_E_INDEX, "%s: place %lld is out of range for %lld elements",
                                        hed__faulty_names[c->op], (long long)given, (long long)extent);
    return job->device->services.fail(HED_E_INDEX, "%s: index %lld is out of range for axis %d of x with extent %lld",
                                        hed__faulty_names[c->op], (long long)given, (int)axis, (long long)extent);
  }
  return HED_OK;
}
