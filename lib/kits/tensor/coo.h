// SPDX-License-Identifier: BSD-3-Clause
/* What the files about tensors of few entries share.
 *
 * Layer: L4, tensor kit.
 */
#ifndef HEDDLE_KITS_TENSOR_COO_H
#define HEDDLE_KITS_TENSOR_COO_H
#include "kits/tensor/tree.h"
#include <heddle/kits/tensor_sparse.h>

/* X is one whose parts fit; OP begins the sentence when not. */
hed_status hed__coo_check(const char *op, const hed_coo *x);
/* The unfolding along MODE times the other, conjugated factors (I, R); checked already. An array of the caller's scope. */
hed_array *hed__coo_product(const hed_coo *x, hed_array *const *factors, int mode);
/* hed__tree_sweep() of X. */
hed_status hed__coo_sweep(const hed_coo *x, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg);
/* |x - c| / |x| from products; SQUARES is |x|^2. */
hed_status hed__coo_error(const hed_coo *x, double squares, const hed_cp *c, double *error);

#endif
