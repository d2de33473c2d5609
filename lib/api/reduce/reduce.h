// SPDX-License-Identifier: BSD-3-Clause
/* What reductions and scans share: the types they compute in, and shapes with and without the reduced axes. L3. */
#ifndef HED_API_REDUCE_H
#define HED_API_REDUCE_H

#include "api/call/check.h"

/* What OP computes in and what comes out, for operand X and the option dtype WANT (NULL = by rule). Operations whose
 * rule is FLOAT accumulate bool and integers in float64, whatever REAL is. */
hed_status hed__reduce_types(int op, const hed_array *x, hed_dtype want, hed__device *device, int *compute, int *id);

/* KEEP has extent 1 on reduced axes, PLAIN leaves them out. */
void hed__reduced_shapes(const hed_array *x, uint32_t mask, hed_shape *keep, hed_shape *plain);

/* For operations that need an element: HED_E_SHAPE when results exist but a reduced axis is empty. */
hed_status hed__check_elements(const char *op, const hed_array *x, uint32_t mask);

/* X reduced into OUT, or into a new array *RESULT when OUT is NULL; ORDER is VECTOR_NORM's. */
struct hed_reduce;
hed_status hed__reduce(int op, const hed_array *x, double order, const struct hed_reduce *opt, hed_array *out,
                       hed_array **result);

/* OP, written in terms of others, as a reduction that the device in force has a kernel of its own for (hed__native). */
hed_array *hed__reduce_own(int op, const hed_array *x, const struct hed_reduce *opt);

#endif
