// SPDX-License-Identifier: BSD-3-Clause
/* Limits of element types: against <float.h>, <stdint.h>, and what arithmetic of the library itself shows. */
#include "arrays.h"
#include "tap.h"

#include <heddle.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The element 1 + EPS of dtype T differs from 1, 1 + EPS / 2 does not (ties to even). */
static bool steps(hed_dtype t, double eps)
{
  double one[2] = { 1 + eps, 1 + eps / 2 }, got[2] = { 0 };
  hed_array *d = hed_from_host(one, HED_SHAPE(2), HED_FLOAT64), *x = hed_astype(d, t), *back = hed_astype(x, HED_FLOAT64);
  hed_to_host(back, got, sizeof got);
  RELEASE(d, x, back);
  return got[0] == 1 + eps && got[1] == 1;
}

/* VALUE is one of T's, and what lies beyond it by MORE becomes BEYOND. */
static bool ends(hed_dtype t, double value, double more, double beyond)
{
  double v[2] = { value, more }, got[2] = { 0 };
  hed_array *d = hed_from_host(v, HED_SHAPE(2), HED_FLOAT64), *x = hed_astype(d, t), *back = hed_astype(x, HED_FLOAT64);
  hed_to_host(back, got, sizeof got);
  RELEASE(d, x, back);
  return got[0] == value && got[1] == beyond;
}

static void floats(void)
{
  hed_finfo f = { .struct_size = sizeof f };
  is_int(hed_dtype_finfo(HED_FLOAT32, &f), HED_OK, "float32");
  ok(f.bits == 32 && f.eps == (double)FLT_EPSILON && f.max == (double)FLT_MAX && f.smallest_normal == (double)FLT_MIN &&
         f.smallest_subnormal == (double)FLT_TRUE_MIN && f.mantissa_bits == FLT_MANT_DIG - 1 && f.digits == FLT_DIG,
     "float32: as in <float.h>");
  is_int(hed_dtype_finfo(HED_COMPLEX128, &f), HED_OK, "complex128");
  ok(f.bits == 64 && f.eps == DBL_EPSILON && f.max == DBL_MAX && f.smallest_normal == DBL_MIN &&
         f.smallest_subnormal == DBL_TRUE_MIN && f.mantissa_bits == DBL_MANT_DIG - 1 && f.exponent_bits == 11 &&
         f.digits == DBL_DIG, "complex128: as double in <float.h>");
  hed_dtype_finfo(HED_FLOAT16, &f);
  ok(f.max == 65504 && f.eps == 0x1p-10 && f.smallest_normal == 0x1p-14 && f.smallest_subnormal == 0x1p-24, "float16");
  hed_dtype_finfo(HED_BFLOAT16, &f);
  ok(f.max == 0x1.fep127 && f.eps == 0x1p-7 && f.smallest_normal == 0x1p-126 && f.smallest_subnormal == 0x1p-133,
     "bfloat16");
  hed_dtype all[] = { HED_FLOAT16, HED_BFLOAT16, HED_FLOAT32 };
  for (int k = 0; k < 3; k++) {
    hed_dtype_finfo(all[k], &f);
    ok(steps(all[k], f.eps), "%s: eps is the step above 1", hed_dtype_name(all[k]));
    ok(ends(all[k], f.max, f.max * (1 + f.eps), INFINITY), "%s: max is the last number", hed_dtype_name(all[k]));
    ok(ends(all[k], f.smallest_subnormal, f.smallest_subnormal / 2, 0), "%s: nothing is smaller", hed_dtype_name(all[k]));
  }
  ok(hed_dtype_eps(HED_FLOAT64) == DBL_EPSILON && isnan(hed_dtype_eps(HED_INT8)), "eps alone");
  HED_BACKEND_CONTEXT("reference;real=float64")
    ok(hed_dtype_eps(HED_REAL) == DBL_EPSILON, "REAL is what the context says");
}

static void integers(void)
{
  hed_iinfo i = { .struct_size = sizeof i };
  hed_dtype_iinfo(HED_INT8, &i);
  ok(i.bits == 8 && i.min == INT8_MIN && i.max == INT8_MAX, "int8");
  hed_dtype_iinfo(HED_UINT16, &i);
  ok(i.bits == 16 && i.min == 0 && i.max == UINT16_MAX, "uint16");
  hed_dtype_iinfo(HED_INT64, &i);
  ok(i.bits == 64 && i.min == INT64_MIN && i.max == INT64_MAX, "int64");
  hed_dtype_iinfo(HED_UINT64, &i);
  ok(i.bits == 64 && i.min == 0 && i.max == UINT64_MAX, "uint64");
  is_int(hed_dtype_iinfo(HED_INDEX, &i), HED_OK, "INDEX");
  is_int(i.bits, 64, "is int64");
}

static void refused(void)
{
  hed_finfo f = { .struct_size = sizeof f };
  hed_iinfo i = { .struct_size = sizeof i };
  is_int(hed_dtype_finfo(HED_INT32, &f), HED_E_DTYPE, "%s", hed_error_text());
  is_int(hed_dtype_iinfo(HED_FLOAT32, &i), HED_E_DTYPE, "%s", hed_error_text());
  is_int(hed_dtype_iinfo(HED_BOOL, &i), HED_E_DTYPE, "%s", hed_error_text());
  is_int(hed_dtype_finfo(HED_BOOL, &f), HED_E_DTYPE, "%s", hed_error_text());
  is_int(hed_dtype_finfo(NULL, &f), HED_E_INVAL, "no dtype");
  is_int(hed_dtype_finfo(HED_FLOAT32, NULL), HED_E_INVAL, "nowhere to put it");
  is_int(hed_dtype_iinfo(HED_INT8, &(hed_iinfo){ .struct_size = 0 }), HED_E_INVAL, "no size");
  f.struct_size = 16; /* a caller that knows only the beginning */
  f.eps = -1;
  is_int(hed_dtype_finfo(HED_FLOAT32, &f), HED_OK, "an older struct");
  ok(f.bits == 32 && f.eps == -1, "is filled as far as it goes");
}

int main(void)
{
  floats();
  integers();
  refused();
  return done();
}
