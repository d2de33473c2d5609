// SPDX-License-Identifier: BSD-3-Clause
/*
 * The single element of an array of size 1 as a C value. L3.
 */
#include "api/check.h"
#include "base/cast.h"
#include "core/transfer.h"

#include <heddle/array.h>
#include <heddle/error.h>

/* The element, of dtype ID, at RAW as an int64, cut towards 0. */
static hed_status whole(const char *op, int id, const char *raw, int64_t *out)
{
  uint64_t word;
  double value[2];
  switch (hed__id_kind(id)) {
  case HED_KIND_UINT:
    hed__cast(id, HED_ID_UINT64)(1, (char *)&word, 0, raw, 0);
    if (word > INT64_MAX)
      return hed_fail(HED_E_INVAL, "%s: x is %llu; at most %lld fits", op, (unsigned long long)word, (long long)INT64_MAX);
    break;
  case HED_KIND_FLOAT:
  case HED_KIND_COMPLEX:
    hed__cast(id, HED_ID_COMPLEX128)(1, (char *)value, 0, raw, 0);
    if (!(value[0] >= -0x1p63 && value[0] < 0x1p63) || value[1] != 0)
      return hed_fail(HED_E_INVAL, "%s: x is %g%+gi; real numbers from %lld to %lld fit", op, value[0], value[1],
                      (long long)INT64_MIN, (long long)INT64_MAX);
    break;
  default: break;
  }
  hed__cast(id, HED_ID_INT64)(1, (char *)out, 0, raw, 0);
  return HED_OK;
}

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
  if (status == HED_OK && id == HED_ID_INT64)
    return whole(op, v.dtype, raw, out);
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
