// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra. The last two axes are the matrix, the axes before them a batch. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_LINALG_H
#define HEDDLE_OPS_LINALG_H

#include <heddle/array.h>

HED_BEGIN_DECLS

HED_API hed_array *hed_matmul(const hed_array *a, const hed_array *b);
HED_API hed_status hed_matmul_into(hed_array *out, const hed_array *a, const hed_array *b);
/* pairs of axes, a_axes[k] with b_axes[k]; none (NULL or n = 0) gives the outer product */
HED_API hed_array *hed_tensordot(const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                                 const hed_axes *b_axes);
/* "ij,jk->ik"; implicit output, repeated indices (diagonal) and "..." as in NumPy */
HED_API hed_array *hed_einsum(const char *subscripts, int n, const hed_array *const *operands);
/* u (.., m, k) or (.., m, m), s (.., k) real descending, vh (.., k, n) or (.., n, n); any of the three may be NULL */
HED_API hed_status hed_svd(const hed_array *a, bool full_matrices, hed_array **u, hed_array **s, hed_array **vh);

HED_END_DECLS

#endif
