// SPDX-License-Identifier: BSD-3-Clause
/* Limits of the element types: hed_dtype_finfo, hed_dtype_iinfo. L2.
 *
 * Everything follows from the number of exponent and mantissa bits (IEEE 754-2019 for 16, 32 and 64 bits; bfloat16 is
 * float32 without the lower 16 bits of its mantissa).
 */
#include "base/dtype.h"
#include "core/context/context.h"
#include <math.h>
#include <string.h>

/* T as a concrete id in the current context, or a negative status. */
static int concrete(const char *op, hed_dtype t)
{
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
  if (t == HED_REAL)
    return hed__real_id();
  if (t == HED_COMPLEX)
    return hed__complex_id();
  return t == HED_INDEX ? hed__index_id() : t->id;
}

hed_status hed_dtype_finfo(hed_dtype t, hed_finfo *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "dtype_finfo: %s", out ? "struct_size is not set" : "out is NULL");
  int id = concrete("dtype_finfo", t);
  if (id < 0)
    return (hed_status)id;
  if (hed__id_kind(id) != HED_KIND_FLOAT && hed__id_kind(id) != HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "dtype_finfo: %s is not a floating-point type", hed__dtypes[id]->name);
  int bits = hed__dtypes[id]->bits;
  int exponent = bits == 64 ? 11 : id == HED_ID_FLOAT16 ? 5 : 8, mantissa = bits - 1 - exponent;
  int bias = (1 << (exponent - 1)) - 1;
  hed_finfo f = {
    .struct_size = out->struct_size,
    .bits = bits,
    .mantissa_bits = mantissa,
    .exponent_bits = exponent,
    .eps = ldexp(1, -mantissa),
    .max = ldexp(2 - ldexp(1, -mantissa), bias),
    .smallest_normal = ldexp(1, 1 - bias),
    .smallest_subnormal = ldexp(1, 1 - bias - mantissa),
    .digits = (int32_t)floor(mantissa * log10(2.0)),
  };
  memcpy(out, &f, out->struct_size < sizeof f ? out->struct_size : sizeof f);
  return HED_OK;
}

hed_status hed_dtype_iinfo(hed_dtype t, hed_iinfo *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "dtype_iinfo: %s", out ? "struct_size is not set" : "out is NULL");
  int id = concrete("dtype_iinfo", t);
  if (id < 0)
    return (hed_status)id;
  bool is_signed = hed__id_kind(id) == HED_KIND_INT;
  if (!is_signed && hed__id_kind(id) != HED_KIND_UINT)
    return hed_fail(HED_E_DTYPE, "dtype_iinfo: %s is not an integer type", hed__dtypes[id]->name);
  int bits = hed__dtypes[id]->bits;
  uint64_t all = UINT64_MAX >> (64 - bits);
  hed_iinfo i = {
    .struct_size = out->struct_size,
    .bits = bits,
    .min = is_signed ? -(int64_t)(all >> 1) - 1 : 0,
    .max = is_signed ? all >> 1 : all,
  };
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}

double hed_dtype_eps(hed_dtype t)
{
  hed_finfo f = { .struct_size = sizeof f };
  return hed_dtype_finfo(t, &f) == HED_OK ? f.eps : NAN;
}
