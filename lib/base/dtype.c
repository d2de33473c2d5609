// SPDX-License-Identifier: BSD-3-Clause
/* The dtype singletons and the rules between dtypes: promotion, component types, domains. L0.
 *
 * The rules are written as functions of kind and width, not as a table of pairs: they are short, and the test
 * compares them with a table that was made elsewhere.
 */
#include "base/dtype.h"

#include <string.h>

#define HED_DTYPE(ID, name_, ctype, kind_, bytes)                                     \
  const struct hed_dtype_desc hed_dtype_##name_ = {                                   \
    .id = HED_ID_##ID,                                                                \
    .kind = HED_KIND_##kind_,                                                         \
    .size = (bytes),                                                                  \
    .bits = (bytes) * (HED_KIND_##kind_ == HED_KIND_COMPLEX ? 4 : 8),                 \
    .name = #name_,                                                                   \
  };                                                                                  \
  _Static_assert(sizeof(ctype) == (bytes), "dtypes.def states the size of " #name_);
#define HED_ABSTRACT(ID, name_, kind_)                                                \
  const struct hed_dtype_desc hed_dtype_abstract_##name_ = {                          \
    .id = HED_ID_ABSTRACT_##ID, .kind = HED_KIND_##kind_, .name = #name_,             \
  };
#include <heddle/dtypes.def>
#undef HED_ABSTRACT
#undef HED_DTYPE

const struct hed_dtype_desc *const hed__dtypes[HED_ID_COUNT_] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = &hed_dtype_##name,
#define HED_ABSTRACT(ID, name, kind) [HED_ID_ABSTRACT_##ID] = &hed_dtype_abstract_##name,
#include <heddle/dtypes.def>
#undef HED_ABSTRACT
#undef HED_DTYPE
};

/* The signed type with more than SIZE bytes; there is none above 8, where float64 serves. */
static int wider_signed(int size)
{
  switch (size) {
  case 1: return HED_ID_INT16;
  case 2: return HED_ID_INT32;
  case 4: return HED_ID_INT64;
  default: return HED_ID_FLOAT64;
  }
}

/* Kinds are ordered so that the higher of two gives the kind of the result, integers apart. */
static int rank(hed_kind kind)
{
  switch (kind) {
  case HED_KIND_BOOL: return 0;
  case HED_KIND_UINT:
  case HED_KIND_INT: return 1;
  case HED_KIND_FLOAT: return 2;
  default: return 3;
  }
}

int hed__promote(int a, int b)
{
  if (a == b)
    return a;
  hed_kind ka = hed__id_kind(a), kb = hed__id_kind(b);
  if (rank(ka) < rank(kb)) {
    int id = a;
    hed_kind kind = ka;
    a = b, ka = kb;
    b = id, kb = kind;
  }
  int sa = hed__id_size(a), sb = hed__id_size(b);
  if (ka == kb) {
    if (sa == sb) /* two of one kind and size: the 16-bit floats, neither holds the other */
      return HED_ID_FLOAT32;
    return sa > sb ? a : b;
  }
  if (ka == HED_KIND_COMPLEX && kb == HED_KIND_FLOAT)
    return hed__promote(a, hed__complex_of(b));
  if (rank(ka) > rank(kb))
    return a;
  /* signed with unsigned */
  int is = ka == HED_KIND_INT ? a : b, iu = ka == HED_KIND_INT ? b : a;
  return hed__id_size(is) > hed__id_size(iu) ? is : wider_signed(hed__id_size(iu));
}

int hed__real_of(int id)
{
  if (hed__id_kind(id) != HED_KIND_COMPLEX)
    return id;
  return id == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
}

int hed__complex_of(int id)
{
  int size = hed__id_size(id);
  switch (hed__id_kind(id)) {
  case HED_KIND_COMPLEX: return id;
  case HED_KIND_FLOAT: return size <= 4 ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
  default: return size <= 2 ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128;
  }
}

int hed__compute_of(int id)
{
  return id == HED_ID_FLOAT16 || id == HED_ID_BFLOAT16 ? HED_ID_FLOAT32 : id;
}

bool hed__in_domain(const char *domain, int id)
{
  static const char letter[] = {
    [HED_KIND_BOOL] = 'b', [HED_KIND_UINT] = 'i', [HED_KIND_INT] = 'i',
    [HED_KIND_FLOAT] = 'f', [HED_KIND_COMPLEX] = 'c',
  };
  return strchr(domain, letter[hed__id_kind(id)]) != NULL;
}
