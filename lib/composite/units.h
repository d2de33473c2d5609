// SPDX-License-Identifier: BSD-3-Clause
/* Powers of two that bring numbers next to 1, for sums and squares that leave the range on the way to a result that is in it. L3. */
#ifndef HED_COMPOSITE_UNITS_H
#define HED_COMPOSITE_UNITS_H

#include "api/call/infer.h"

#include <heddle/ops.h>

/* The largest absolute value (of a part) along the axes, which stay, by MAX: hed_max, or hed_nanmax. */
static inline hed_array *hed__largest(const hed_array *x, const hed_axes *axes,
                                      hed_array *(*max)(const hed_array *, const hed_reduce *))
{
  const hed_reduce keep = { .axes = *axes, .keepdims = true };
  if (hed__id_kind(x->view.dtype) != HED_KIND_COMPLEX)
    return max(hed_abs(x), &keep);
  return hed_fmax(max(hed_abs(hed_real(x)), &keep), max(hed_abs(hed_imag(x)), &keep));
}

/* The exponent of each of TOP, largest absolute values; 0 where that is 0, infinite or NaN. */
static inline hed_array *hed__exponents(const hed_array *top)
{
  if (!top)
    return NULL;
  const double most = hed__real_of(top->view.dtype) == HED_ID_FLOAT64 ? 1000 : 120;
  hed_array *moves = hed_logical_and(hed_isfinite(top), hed_greater_scalar(top, 0));
  return hed_where_scalar(moves, hed_clip(hed_floor(hed_log2(top)), -most, most), 0);
}

#endif
