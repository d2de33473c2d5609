// SPDX-License-Identifier: BSD-3-Clause
/* Operands and results that a kernel wants dense and of one type. L1. */
#include "backends/device/layer.h"
#include "base/dtype.h"

int32_t hed__pack_dense(hed__device *d, hed__pack *p, const hed_view *v, int32_t dtype, bool always, bool result)
{
  p->needed = always || v->dtype != dtype || !hed__is_c_contiguous(v);
  p->given = p->packed = *v;
  p->packed.dtype = dtype;
  hed__c_strides(v->ndim, v->dim, hed__id_size(dtype), p->packed.stride);
  p->bytes = p->needed ? ((size_t)hed__view_size(v) * (size_t)hed__id_size(dtype) + 255) / 256 * 256 : 0;
  if (!p->needed)
    return HED_OK;
  return result ? hed__cast_prepare(d, &p->job, &p->given, &p->packed, false)
                : hed__cast_prepare(d, &p->job, &p->packed, &p->given, false);
}
