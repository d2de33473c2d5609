// SPDX-License-Identifier: BSD-3-Clause
/* Small parts of normal equations.
 *
 * Layer: L4, tensor kit. Arrays belong to the caller's scope. hed__solve_gram() and hed__hals() come from als.h.
 */
#ifndef HED_KITS_TENSOR_SOLVE_H
#define HED_KITS_TENSOR_SOLVE_H
#include "kits/tensor/cp/als.h"

/* Re sum of conj(a) b, in float64. */
hed_status hed__real_dot(const hed_array *a, const hed_array *b, double *out);
/* The n x n matrix G with RIDGE added to its diagonal. */
hed_array *hed__ridge(const hed_array *g, double ridge);

#endif
