// SPDX-License-Identifier: BSD-3-Clause
/* What the files about CP and Tucker tensors share.
 *
 * Layer: L4, tensor kit. Arrays that these functions return belong to the caller's scope.
 */
#ifndef HEDDLE_KITS_TENSOR_CP_H
#define HEDDLE_KITS_TENSOR_CP_H
#include <heddle/kits/tensor.h>

/* C is a CP tensor, and when X is not NULL of its shape; OP begins the sentence when not. The weights may be missing. */
hed_status hed__cp_fits(const char *op, const hed_cp *c, const hed_array *x);
/* The same for the shape S of X. */
hed_status hed__cp_has_shape(const char *op, const hed_cp *c, hed_shape s);
/* *AXIS of MODE, which may be negative, of ORDER modes; HED_E_AXIS. */
hed_status hed__mode_of(const char *op, int32_t mode, int order, int *axis);
/* The bits of MODES (NULL or n < 1: none), HED_E_AXIS. */
hed_status hed__mode_set(const char *op, const hed_axes *modes, int order, uint32_t *bits);

/* The arrays of MADE, of the scope, into OUT, which the caller owns. With STATUS not HED_OK, or a factor missing (WEIGHTED: or the
 * weights), OUT is all zero. */
hed_status hed__cp_hand_out(hed_status status, const hed_cp *made, bool weighted, hed_cp *out);
/* The same in place of C, which stays as it was on failure. */
hed_status hed__cp_replace(hed_status status, const hed_cp *made, bool weighted, hed_cp *c);
hed_status hed__tucker_hand_out(hed_status status, const hed_tucker *made, uint32_t factors, hed_tucker *out);
hed_status hed__tucker_replace(hed_status status, const hed_tucker *made, uint32_t factors, hed_tucker *t);

/* The kept arrays MADE (some may be NULL: nothing is wanted there) to the caller's scope as OUT; with STATUS not HED_OK, or where that
 * fails, all are released and every OUT is NULL. */
hed_status hed__hand_out_all(hed_status status, int n, hed_array **made, hed_array **out);

/* hed_vec or hed_unfold of FULL, which only the result keeps. */
hed_array *hed__seen(hed_array *full, int32_t mode, bool vector);
/* Uniform in [0, 1), or standard normal (complex where T is). */
hed_array *hed__random_values(hed_shape s, hed_dtype t, bool normal, const hed_random *draw);
/* The weights, or ones, in the type of the factors. */
hed_array *hed__cp_weights(const hed_cp *c);
/* A^H B in float64 or complex128: (A's columns, B's columns). */
hed_array *hed__wide_gram(const hed_array *a, const hed_array *b);
/* sum of conj(a) b, in float64. */
hed_status hed__dot(const hed_array *a, const hed_array *b, double out[2]);

/* Sums of |m (x - c)|^2 and |m x|^2 by pieces: OUT[0], OUT[1]. X in C order or NULL: zeros; MASK of X's shape (0 or not) or NULL: 1. X
 * is not looked at where the mask is 0. FILLED (NULL: not wanted; of X's shape, C order) becomes x where the mask is not 0, else c. */
hed_status hed__cp_squares(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_array *filled, double out[2]);
/* The same for x, as a matrix of LEFT's rows, from LEFT RIGHT. */
hed_status hed__pair_squares(const hed_array *left, const hed_array *right, const hed_array *x, const hed_array *mask,
                             hed_array *filled, double out[2]);

/* X X^H of the unfolding along AXIS of an X in C order, (I, I). */
hed_array *hed__gram_of_mode(const hed_array *x, int axis);
/* The triangle R of the orthogonal factors of that unfolding's adjoint, by pieces; its adjoint has the unfolding's left singular
 * vectors and singular values. (tt_split.c: R of rows of which R, kept or NULL, is that of some and PART has the others; kept, R is
 * released.) */
hed_array *hed__triangle_of_mode(const hed_array *x, int axis);
hed_array *hed__more_rows(hed_array *r, const hed_array *part);
/* Elementwise product of row INDICES[.., m] of MATRICES[m]. */
hed_array *hed__rows_product(int n, const hed_array *const *matrices, const hed_array *indices);
/* Norms of the columns of X, in float64. */
hed_array *hed__column_norms(const hed_array *x);
/* 1 / x where x is above 0, else 1. */
hed_array *hed__inverse_or_one(const hed_array *x);

#endif
