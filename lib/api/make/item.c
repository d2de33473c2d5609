// SPDX-License-Identifier: BSD-3-Clause
/* The single element of an array of size 1 as a C value. L3. */
#include "api/call/check.h"
#include "base/cast.h"
#include "core/array/transfer.h"

#include <heddle/array.h>
#include <heddle/error.h>

/* The element, of dtype ID, at RAW as type TO, int64 or uint64, cut towards 0. */
static hed_status whole(const char *op, int id, const char *raw, int to, void *out)
{
  const bool is_signed = to == HED_ID_INT64;
  const char *range = is_signed ? "-9223372036854775808 to 9223372036854775807" : "0 to 18446744073709551615";
  uint64_t word;
  int64_t number;
  double value[2];
  switch (hed__id_kind(id)) {
  case HED_KIND_UINT:
    hed__cast(id, HED_ID_UINT64)(1, (char *)&word, 0, raw, 0);
    if (is_signed && word > INT64_MAX)
      return hed_fail(HED_E_RANGE, "%s: x is %llu; %s fit", op, (unsigned long long)word, range);
    break;
  case HED_KIND_INT:
    hed__cast(id, HED_ID_INT64)(1, (char *)&number, 0, raw, 0);
    if (!is_signed && number < 0)
      return hed_fail(HED_E_RANGE, "%s: x is %lld; %s fit", op, (long long)number, range);
    break;
  case HED_KIND_FLOAT:
  case HED_KIND_COMPLEX:
    hed__cast(id, HED_ID_COMPLEX128)(1, (char *)value, 0, raw, 0);
    if (!(is_signed ? value[0] >= -0x1p63 && value[0] < 0x1p63 : value[0] > -1 && value[0] < 0x1p64) || value[1] != 0)
      return hed_fail(HED_E_RANGE, "%s: x is %g%+gi; real numbers from %s fit", op, value[0], value[1], range);
    break;
  default: break;
  }
  hed__cast(id, to)(1, out, 0, raw, 0);
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
  if (status == HED_OK && (id == HED_ID_INT64 || id == HED_ID_UINT64))
    return whole(op, v.dtype, raw, id, out);
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

hed_status hed__item_of(const char *op, const char *arg, const hed_array *x, int64_t *out)
{
  uint64_t word = 0;
  if (!x)
    return hed_error();
  if (x->view.dtype != HED_ID_UINT64)
    return item(op, x, HED_ID_INT64, out);
  hed_status status = item(op, x, HED_ID_UINT64, &word);
  if (status == HED_OK && word > INT64_MAX)
    status = hed_fail(HED_E_RANGE, "%s: %s has the element %llu, which is too large", op, arg, (unsigned long long)word);
  *out = (int64_t)word;
  return status;
}

hed_status hed_item_uint(const hed_array *x, uint64_t *out)
{
  return item("item_uint", x, HED_ID_UINT64, out);
}
