// SPDX-License-Identifier: BSD-3-Clause
/* lib/base/dtype: the tables against dtypes.def's promises, promotion against a table written out. */
#include "base/dtype.h"
#include "promotion.h"
#include "tap.h"

#include <string.h>

static int id_of(const char *name)
{
  for (int k = 0; k < HED_ID_COUNT_; k++)
    if (strcmp(hed__dtypes[k]->name, name) == 0)
      return k;
  return -1;
}

static void facts(const char *name, hed_kind kind, int size, int bits)
{
  int id = id_of(name);
  ok(id >= 0 && hed__dtypes[id]->id == id && hed__id_kind(id) == kind && hed__id_size(id) == size &&
         hed__dtypes[id]->bits == bits, "%s: id, kind, size and bits", name);
}

int main(void)
{
  facts("bool", HED_KIND_BOOL, 1, 8);
  facts("int8", HED_KIND_INT, 1, 8);
  facts("int64", HED_KIND_INT, 8, 64);
  facts("uint16", HED_KIND_UINT, 2, 16);
  facts("float16", HED_KIND_FLOAT, 2, 16);
  facts("bfloat16", HED_KIND_FLOAT, 2, 16);
  facts("float64", HED_KIND_FLOAT, 8, 64);
  facts("complex64", HED_KIND_COMPLEX, 8, 32);
  facts("complex128", HED_KIND_COMPLEX, 16, 64);
  facts("real", HED_KIND_FLOAT, 0, 0);
  facts("index", HED_KIND_INT, 0, 0);
  ok(hed__id_ok(HED_ID_BOOL) && hed__id_ok(HED_ID_COMPLEX128), "concrete ids are in range");
  ok(!hed__id_ok(-1) && !hed__id_ok(HED_ID_ABSTRACT_REAL), "others are not");

  int n = (int)(sizeof promotion / sizeof *promotion), wrong = 0;
  for (int k = 0; k < n * n; k++) {
    const char *a = promoted[k / n], *b = promoted[k % n], *want = promoted[promotion[k / n][k % n]];
    int got = hed__promote(id_of(a), id_of(b));
    if (got != id_of(want) && wrong++ < 5)
      fail("promote(%s, %s) is %s, want %s", a, b, hed__dtypes[got]->name, want);
  }
  ok(n == HED_ID_CONCRETE_COUNT_ && wrong == 0, "promotion of every pair, both ways");

  is_int(hed__real_of(HED_ID_COMPLEX64), HED_ID_FLOAT32, "component of complex64");
  is_int(hed__real_of(HED_ID_COMPLEX128), HED_ID_FLOAT64, "component of complex128");
  is_int(hed__real_of(HED_ID_INT8), HED_ID_INT8, "component of a real type");
  static const struct { const char *of, *is; } complexes[] = {
    { "bool", "complex64" }, { "int16", "complex64" }, { "uint16", "complex64" }, { "int32", "complex128" },
    { "uint64", "complex128" }, { "float16", "complex64" }, { "float32", "complex64" },
    { "float64", "complex128" }, { "complex64", "complex64" },
  };
  for (size_t k = 0; k < sizeof complexes / sizeof *complexes; k++)
    is_str(hed__dtypes[hed__complex_of(id_of(complexes[k].of))]->name, complexes[k].is, "complex type of %s",
           complexes[k].of);
  is_int(hed__compute_of(HED_ID_FLOAT16), HED_ID_FLOAT32, "float16 computes in float32");
  is_int(hed__compute_of(HED_ID_BFLOAT16), HED_ID_FLOAT32, "bfloat16 too");
  is_int(hed__compute_of(HED_ID_UINT8), HED_ID_UINT8, "uint8 in itself");

  ok(hed__in_domain("bifc", HED_ID_BOOL) && hed__in_domain("bi", HED_ID_UINT32) && hed__in_domain("i", HED_ID_INT8) &&
         hed__in_domain("f", HED_ID_BFLOAT16) && hed__in_domain("fc", HED_ID_COMPLEX64), "types in a domain");
  ok(!hed__in_domain("ifc", HED_ID_BOOL) && !hed__in_domain("bfc", HED_ID_UINT8) &&
         !hed__in_domain("bic", HED_ID_FLOAT64) && !hed__in_domain("bif", HED_ID_COMPLEX128) &&
         !hed__in_domain("", HED_ID_INT8), "types outside");
  return done();
}
