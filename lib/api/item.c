// SPDX-License-Identifier: BSD-3-Clause
/*
 * The single element of an array of size 1 as a C value. L3.
 */
#include "api/check.h"
#include "base/cast.h"
#include "core/transfer.h"

#include <heddle/array.h>
#include <heddle/error.h>

static hed_status item(const char *op, const hed_array *x, int id, void *out)
{
  if (!hed__given(x, op, "x"))
    return hed_error();
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  hed_shape s = hed__shape_of(x);
  if (hed__view_size(&x->view) != 1)
    return hed_fail(HED_E_SHAPE, "%s: x of shape %s has %lld elements, not 1", op, HED__TEXT(&s),
                    (long long)hed__view_size(&x->view));
  _Alignas(16) char raw[16];
  hed_view v = x->view;
  v.data = raw;
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  hed_status status = hed__copy_out(x, &v);
  if (status == HED_OK)
    hed__cast(v.dtype, id)(1, out, 0, raw, 0);
  return status;
}

hed_status hed_item(const hed_array *x, double *out)
{
  return item("item", x, HED_ID_FLOAT64, out);
}

hed_status hed_item_complex(const hed_array *x, double out[2])
{
  return item("item_complex", x, HED_ID_COMPLEX128, out);
}

hed_status hed_item_int(const hed_array *x, int64_t *out)
{
  return item("item_int", x, HED_ID_INT64, out);
}
