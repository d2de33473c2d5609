// SPDX-License-Identifier: BSD-3-Clause
/* Factorisations, for operations made of them. L3. */
#ifndef HED_API_LINALG_FACTOR_H
#define HED_API_LINALG_FACTOR_H

#include "core/array/array.h"

/* hed_lu with the sign of the permutation, shape (..), in the dtype of the factors. OP is what messages say. */
hed_status hed__lu_signed(int op, const hed_array *a, hed_array **perm, hed_array **l, hed_array **u, hed_array **sign);

/* hed_solve, or its form for OUT, in the name of OP. */
hed_status hed__solve_as(int op, hed_array *out, const hed_array *a, const hed_array *b, hed_array **x);

/* A has rows and columns; SQUARE: as many of both. */
hed_status hed__check_matrix(int op, const hed_array *a, bool square);

#endif
