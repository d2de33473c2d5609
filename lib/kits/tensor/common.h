// SPDX-License-Identifier: BSD-3-Clause
/* Small bridges between arrays and the host that the kit's files share.
 *
 * Layer: L4, tensor kit. Arrays that these functions return belong to the caller's scope.
 */
#ifndef HED_KITS_TENSOR_COMMON_H
#define HED_KITS_TENSOR_COMMON_H
#include "kits/shapes.h"
#include <heddle.h>

/* X as it is computed with: float32, or as it is where it is float64 or complex. NULL, with OP and WHAT in the sentence, for
 * NULL. A new handle. */
hed_array *hed__tensor_operand(const char *op, const char *what, const hed_array *x);
/* Operand WHAT, a format, is NULL: the error of what was to make it, which stays, or HED_E_INVAL where there is none. */
hed_status hed__tensor_missing(const char *op, const char *what, ...) __attribute__((format(printf, 2, 3)));
/* The sum of |x|^2; HED_E_INVAL with the first place where X is not finite. */
hed_status hed__tensor_squares(const char *op, const char *what, const hed_array *x, double *out);
/* The data of a decomposition are scaled by a power of two, which changes no digit, so that neither squares leave the range of the
 * type nor anything depends on the unit of the data. *OUT is the exponent above the largest |x|: the power that leaves it in [1/2,
 * 1), 0 for zeros. Errors as hed__tensor_squares(). */
hed_status hed__tensor_exponent(const char *op, const char *what, const hed_array *x, int *out);
/* X times 2^E; a new handle on X where E is 0. */
hed_array *hed__tensor_scaled(const hed_array *x, int e);
/* The kept array *SLOT, NULL or one, times 2^E. */
hed_status hed__tensor_rescale(hed_array **slot, int e);
/* Where nothing but squares could leave the range, the same digits come out without a scaled copy: E or 0. */
int hed__tensor_exponent_needed(int e);
/* hed_eigh() of the lower triangle, and hed_svd(), reduced, of matrices near 1, so that vectors have the same digits in any unit:
 * solvers have bounds below which they scale by numbers that are no powers of two. */
hed_status hed__tensor_eigh(const hed_array *g, hed_array **w, hed_array **v);
/* The eigenvectors of the N largest values alone, largest first: (I, N). NULL on failure. */
hed_array *hed__tensor_leading(const hed_array *g, int64_t n);
hed_status hed__tensor_svd(const hed_array *a, hed_array **u, hed_array **s, hed_array **vh);
/* MASK as bool: true where X (its name in sentences: WHAT) is known. NULL with HED_E_SHAPE, or with HED_E_INVAL for a mask that has
 * NaN or leaves nothing; *KNOWN (NULL: that is allowed) says how much it leaves. */
hed_array *hed__tensor_mask(const char *op, const char *what, const hed_array *x, const hed_array *mask, int64_t *known);
/* The coordinates of element PLACE, in C order, of a tensor of shape S; TEXT of 160 bytes. */
const char *hed__tensor_place_text(hed_shape s, int64_t place, char *text);
/* A new handle on the same elements. */
hed_array *hed__tensor_same(const hed_array *x);
/* KEPT, which no scope has, as an array of the caller's scope. */
hed_array *hed__tensor_given(hed_array *kept);
/* The double of the same kind, or the single where the current device has no doubles. */
hed_dtype hed__tensor_wide(hed_dtype t);
/* Distance from 1 to the next number of T's parts. */
double hed__tensor_epsilon(hed_dtype t);
/* conj(x), X itself (a new handle) where it is real. */
hed_array *hed__tensor_conj(const hed_array *x);

#endif
