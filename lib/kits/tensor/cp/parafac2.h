// SPDX-License-Identifier: BSD-3-Clause
/* What the files about PARAFAC2 share.
 *
 * Layer: L4, tensor kit.
 */
#ifndef HED_KITS_TENSOR_PARAFAC2_H
#define HED_KITS_TENSOR_PARAFAC2_H
#include <heddle/kits/parafac2.h>

hed_status hed__parafac2_check(const char *op, const char *what, const hed_parafac2 *p);
/* Columns of norm 1 and their norms (R), in the caller's scope; a column of zeros stays. */
hed_status hed__unit_columns(const hed_array *x, hed_array **unit, hed_array **norms);

#endif
