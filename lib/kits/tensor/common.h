// SPDX-License-Identifier: BSD-3-Clause
/*
 * common.h: small bridges between arrays and the host that the kit's files share.
 *
 * Layer: L4, tensor kit. Arrays that these functions return belong to the caller's scope.
 */
#ifndef HED_KITS_TENSOR_COMMON_H
#define HED_KITS_TENSOR_COMMON_H
#include <heddle.h>

/* X as it is computed with: float32, or as it is where it is float64 or complex. NULL, with OP and WHAT in the sentence, for
 * NULL. A new handle. */
hed_array *hed__tensor_operand(const char *op, const char *what, const hed_array *x);
/* The sum of |x|^2; HED_E_INVAL with the first place where X is not finite. */
hed_status hed__tensor_squares(const char *op, const char *what, const hed_array *x, double *out);
/* "(2, 3, 4)"; TEXT of 160 bytes. */
const char *hed__tensor_shape_text(hed_shape s, char *text);
bool hed__tensor_same_shape(hed_shape a, hed_shape b);
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
