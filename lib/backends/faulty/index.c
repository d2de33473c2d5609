// SPDX-License-Identifier: BSD-3-Clause
/* faulty: indices that nobody has looked at before the job's turn (HED_PLUGIN_CHECKS_INDICES). L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/indices.h"
#include "base/shape.h"

int32_t faulty_wrap_indices(faulty_job *job, void **list)
{
  const hed_call *c = &job->call;
  const faulty_device *d = job->device;
  const char *name = faulty_name(d, c->op);
  int64_t extent;
  int32_t axis;
  if (!(d->plugin->flags & HED_PLUGIN_CHECKS_INDICES) || !hed__indices_from(c->op, c, &extent, &axis))
    return HED_OK;
  const int64_t n = hed__view_size(c->in[1]);
  hed_view *v = (hed_view *)(uintptr_t)c->in[1], from = *v; /* the job's own */
  int64_t *index = d->services.scratch((size_t)(n ? n : 1) * sizeof *index);
  if (!(*list = index))
    return d->services.fail(HED_E_NOMEM, "%s: no memory for %lld indices", name, (long long)n);
  v->data = index;
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), v->stride);
  faulty_copy(v, &from);
  const int64_t wrong = hed__indices_wrap(n, index, extent);
  if (wrong >= 0 && axis < 0)
    return d->services.fail(HED_E_INDEX, HED__PLACE_FAULT, name, HED__INDEX_WORDS(index[wrong]), (long long)extent);
  if (wrong >= 0)
    return d->services.fail(HED_E_INDEX, HED__INDEX_FAULT, name, HED__INDEX_WORDS(index[wrong]), (int)axis, (long long)extent);
  return HED_OK;
}
