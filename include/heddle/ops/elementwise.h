// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations that are not regular rows of ops.def: three operands, scalar parameters, pairs of results.
 * Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_ELEMENTWISE_H
#define HEDDLE_OPS_ELEMENTWISE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

HED_API hed_array *hed_where(const hed_array *condition, const hed_array *a, const hed_array *b);
HED_API hed_status hed_where_into(hed_array *out, const hed_array *condition, const hed_array *a, const hed_array *b);
/* -INFINITY and INFINITY leave a side open; low above high gives high; integers stay integers; NaN is HED_E_INVAL */
HED_API hed_array *hed_clip(const hed_array *x, double low, double high);
HED_API hed_status hed_clip_into(hed_array *out, const hed_array *x, double low, double high);

HED_END_DECLS

#endif
