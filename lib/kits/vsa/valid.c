// SPDX-License-Identifier: BSD-3-Clause
/* Whether elements are those that a model's vectors have.
 *
 * Layer: L4, vsa kit. See internal.h.
 */
#include "kits/vsa/internal.h"

/* Where X is no vector of V's; NULL without an error where nothing can be wrong. */
static hed_array *wrong_places(const hed_vsa *v, const hed_array *x)
{
  const hed_kind kind = hed_dtype_kind(v->dtype);
  if (v->o.layout == HED_VSA_PACKED && v->model != HED_VSA_BSDC_SEG)
    return v->o.dim % 64 ? hed_not_equal_scalar(hed_bitwise_and(x, hed_bitwise_not(hed__vsa_tail(v, x))), 0) : NULL;
  if (v->model == HED_VSA_MAP && v->o.variant == HED_VSA_STANDARD)
    return hed_not_equal_scalar(hed_abs(x), 1);
  if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX)
    return hed_logical_not(hed_isfinite(x));
  if (kind == HED_KIND_BOOL)
    return NULL;
  if (v->model == HED_VSA_BSC || v->model == HED_VSA_BSDC || (v->model == HED_VSA_BSDC_SEG && v->o.variant == HED_VSA_XOR))
    return hed_greater_scalar(x, 1);
  return v->model == HED_VSA_BSDC_SEG || v->model == HED_VSA_MCR || v->model == HED_VSA_CGR
             ? hed_logical_not(hed_less_scalar(x, (double)v->o.block)) : NULL;
}

/* Is it plain that X has none but V's elements? By reductions, which read it and write nothing: sums of numbers are finite only
 * where all numbers are. */
static bool plainly_valid(const hed_vsa *v, const hed_array *x)
{
  const hed_kind kind = hed_dtype_kind(v->dtype);
  const bool map = v->model == HED_VSA_MAP && v->o.variant == HED_VSA_STANDARD;
  double low = 0, high = 0;
  bool good = false;
  HED_SCOPE_OR(return false) {
    if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX)
      good = hed_item(hed_isfinite(hed_sum(x, NULL)), &low) == HED_OK && low != 0;
    else if (map && v->o.layout != HED_VSA_PACKED)
      good = hed_item(hed_min(x, NULL), &low) == HED_OK && hed_item(hed_max(x, NULL), &high) == HED_OK && low >= -1 && high <= 1 &&
             hed_item(hed_count_nonzero(x, NULL), &low) == HED_OK && low == (double)hed_array_size(x);
  }
  return good;
}

hed_status hed__vsa_valid(const hed_vsa *v, const char *op, const char *name, const hed_array *x)
{
  int64_t count = 0, place = 0;
  if (hed_array_size(x) == 0 || plainly_valid(v, x))
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_error_clear();
    hed_array *bad = wrong_places(v, x);
    if (!bad)
      return hed_error();
    hed_array *n = hed_count_nonzero(bad, NULL), *first = n ? hed_argmax(hed_reshape(bad, HED_SHAPE(-1)), NULL) : NULL;
    if (!first || hed_item_int(n, &count) != HED_OK || hed_item_int(first, &place) != HED_OK)
      return hed_error();
  }
  if (count == 0)
    return HED_OK;
  const int64_t each = hed__vsa_count(v->shape);
  return hed_fail(HED_E_RANGE, "%s: %lld elements of %s are none of %s vectors' (%s), the first is element %lld of vector %lld", op,
                  (long long)count, name, v->name,
                  v->o.layout == HED_VSA_PACKED ? "bits behind the dimension"
                  : hed_dtype_kind(v->dtype) == HED_KIND_FLOAT || hed_dtype_kind(v->dtype) == HED_KIND_COMPLEX ? "finite numbers"
                  : v->model == HED_VSA_MAP ? "-1 and 1" : v->model == HED_VSA_BSC || v->model == HED_VSA_BSDC ? "0 and 1"
                                                                               : "indices below the block",
                  (long long)(place % each), (long long)(place / each));
}

hed_status hed_vsa_check_vectors(const hed_vsa *v, const hed_array *x)
{
  return hed__vsa_fits(v, "hed_vsa_check_vectors", "x", x) ? hed__vsa_valid(v, "hed_vsa_check_vectors", "x", x) : hed_error();
}
