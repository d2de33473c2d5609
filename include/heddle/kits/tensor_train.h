// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_train.h: tensors as trains and rings of small cores, and matrices of that form.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 *   x[i_1, .., i_d] = trace(core_1[:, i_1, :] .. core_d[:, i_d, :])
 *
 * core k has shape (r_k, I_k, r_{k+1}). In a train r_0 = r_d = 1; in a ring r_0 = r_d may be larger. A matrix whose rows and
 * columns are grids, (I_1 .. I_d) x (J_1 .. J_d), has cores (r_k, I_k, J_k, r_{k+1}). (I. V. Oseledets, SIAM J. Sci. Comput. 33
 * (2011) 2295-2317; Q. Zhao et al., arXiv:1606.05535 (2016).)
 *
 * Nothing here makes the full tensor but hed_tt_full(). Cores are real or complex; functions take trains, rings and matrices
 * alike where they do not say otherwise. Results may share storage with operands; nothing is written in place. *OUT is filled on
 * success and all zero on failure; it must not be an operand.
 *
 * Errors of all functions: HED_E_INVAL (NULL, no cores), HED_E_SHAPE (cores that do not fit each other, operands of other shapes:
 * both are named), HED_E_NOMEM. Thread-safety: all functions may run in several threads at once on different results.
 */
#ifndef HEDDLE_KITS_TENSOR_TRAIN_H
#define HEDDLE_KITS_TENSOR_TRAIN_H
#include <heddle/kits/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is an empty one; hed_tt_clear() releases the cores. */
typedef struct hed_tt {
  int32_t order;                 /* number of cores, at most 16, of a matrix 8 */
  hed_array *core[HED_MAX_NDIM]; /* all of 3 axes, or all of 4                 */
} hed_tt;

/* Releases the cores; X is empty then. NULL is fine. */
HED_API void hed_tt_clear(hed_tt *x);

/* Whether the cores fit each other. */
HED_API hed_status hed_tt_check(const hed_tt *x);

/* (I_1, .., I_d); of a matrix (I_1, .., I_d, J_1, .., J_d). ndim -1 with the error set when X is no train. */
HED_API hed_shape hed_tt_shape(const hed_tt *x);

/* r_0, .., r_d: ORDER + 1 numbers into RANKS. */
HED_API hed_status hed_tt_ranks(const hed_tt *x, int64_t *ranks);

/* A ring whose outer rank is above 1. */
HED_API bool hed_tt_is_ring(const hed_tt *x);

/* All elements, in the shape of hed_tt_shape(). */
HED_NEW hed_array *hed_tt_full(const hed_tt *x);

/* A matrix as one, (I_1 .. I_d, J_1 .. J_d). */
HED_NEW hed_array *hed_tt_matrix_full(const hed_tt *x);

/* Elements at the rows of INDICES, integers (n, number of axes), negatives from the end: n values. HED_E_INDEX, HED_E_DTYPE. */
HED_NEW hed_array *hed_tt_entries(const hed_tt *x, const hed_array *indices);

/* ---- algebra ---- */

/* sum of conj(a) b, real and imaginary part; in float64 where the device has it, as the next two. */
HED_API hed_status hed_tt_inner(const hed_tt *a, const hed_tt *b, double out[2]);

/* Root of the sum of squares, of trains by orthogonal factors, so without cancellation. */
HED_API hed_status hed_tt_norm(const hed_tt *x, double *out);

/* Sum of all elements, real and imaginary part. */
HED_API hed_status hed_tt_sum(const hed_tt *x, double out[2]);
/* Their mean. */
HED_API hed_status hed_tt_mean(const hed_tt *x, double out[2]);

/* a + b; ranks add up (hed_tt_round() lowers them). A train and a ring give a ring. */
HED_API hed_status hed_tt_add(const hed_tt *a, const hed_tt *b, hed_tt *out);

/* x (re + i im), on the first core. */
HED_API hed_status hed_tt_scale(const hed_tt *x, double re, double im, hed_tt *out);

/* Element by element; ranks multiply. */
HED_API hed_status hed_tt_hadamard(const hed_tt *a, const hed_tt *b, hed_tt *out);

/* Axis MODE with the matrix M (p, I_k), as hed_mode_dot(); a vector M (I_k) takes the axis away, which must not be the last one.
 * Not for matrices (HED_E_UNSUPPORTED). */
HED_API hed_status hed_tt_mode_dot(const hed_tt *x, const hed_array *m, int32_t mode, hed_tt *out);

/* A part, by keys as in hed_get(), one per axis from the first: HED_AT, HED_SLICE, HED_WHOLE, HED_IDX of a vector; axes that are
 * left over are taken whole. Each HED_IDX selects along its own axis. At least one axis stays (one element is hed_tt_entries).
 * HED_E_UNSUPPORTED for other keys and for matrices. */
HED_API hed_status hed_tt_get(const hed_tt *x, int n, const hed_key *keys, hed_tt *out);

/* Matrix M times X, a train or ring of shape (J_1 .. J_d), or another matrix; ranks multiply. */
HED_API hed_status hed_tt_matmul(const hed_tt *m, const hed_tt *x, hed_tt *out);

/* The same tensor with cores before MODE whose columns, (r_k I_k, r_{k+1}), are orthonormal, and cores after it whose rows,
 * (r_k, I_k r_{k+1}), are: core MODE has the norm of the whole. Trains (HED_E_UNSUPPORTED for rings). */
HED_API hed_status hed_tt_orthogonalise(const hed_tt *x, int32_t mode, hed_tt *out);

/* A train of lower ranks within EPS times the norm of X (0: to rounding), each rank at most MAX_RANK (0: any), which may make the
 * error larger: the root of the sum of squares of what was dropped over the norm, in *ERROR (may be NULL). Not for rings. */
HED_API hed_status hed_tt_round(const hed_tt *x, double eps, int64_t max_rank, hed_tt *out, double *error);

/* ---- many small axes ---- */

/* Each axis of extent BASE^m, m >= 1, as m axes of extent BASE, the most significant digit first (of a matrix: rows and columns
 * alike): the tensor of hed_reshape of the full one, with ranks within EPS as hed_tt_round(); *ERROR (may be NULL) as there. BASE 0:
 * 2. At most 16 axes come out (8 of a matrix). Not for rings. HED_E_SHAPE: an extent that is no power of BASE, too many axes. (B. N.
 * Khoromskij, Constr. Approx. 34 (2011) 257-280.) */
HED_API hed_status hed_tt_quantise(const hed_tt *x, int64_t base, double eps, hed_tt *out, double *error);

/* COUNTS[k] neighbouring axes of X, from the first one on, as axis k, whose extent is the product of theirs: the inverse of
 * hed_tt_quantise(). COUNTS add up to the number of cores. */
HED_API hed_status hed_tt_merge(const hed_tt *x, const hed_shape *counts, hed_tt *out);

/* ---- from other formats, and at random ---- */

/* Cores of values uniform in [0, 1) (NORMAL: standard normal, complex where T is) for a tensor of SHAPE, or a matrix of SHAPE rows and
 * COLUMNS (NULL: a tensor). RANKS: one number for all inner ones, the inner ones, r_0 .. r_{d-1} of a ring, or d + 1. The values of
 * core k depend on the seed and k alone. RANDOM as everywhere; NULL: the context's stream. */
HED_API hed_status hed_tt_random(hed_shape shape, const hed_shape *columns, const hed_shape *ranks, hed_dtype t, bool normal,
                                 const hed_random *random, hed_tt *out);

/* The same tensor: from a CP one with all inner ranks its rank, from a Tucker one with those that its core needs to rounding. */
HED_API hed_status hed_cp_to_tt(const hed_cp *c, hed_tt *out);
HED_API hed_status hed_tucker_to_tt(const hed_tucker *t, hed_tt *out);

/* ---- files ---- */

/* An .npz archive: core0, core1, .. . Written as hed_save_npz() writes. */
HED_API hed_status hed_tt_save(const char *path, const hed_tt *x);

/* HED_E_FORMAT where the archive holds no such cores. */
HED_API hed_status hed_tt_load(const char *path, hed_tt *out);

/* ---- from full tensors ---- */

/* RANKS of the functions below are upper bounds: NULL none, one number for all inner ranks, or the inner ranks r_1 .. r_{d-1} in
 * turn, or all d + 1. Ranks that the tensor does not need are lowered; the result has those that are in use. */

/* By singular values from the first axis to the last, within EPS times the norm of X (0: to rounding) and RANKS. *ERROR (may be
 * NULL): root of the sum of squares of what was dropped over the norm, which is the relative error. Bool and integers are computed
 * in float32. X is looked at in place when it is contiguous: beside it there is at most one tensor of r_1 / I_1 of its size (of
 * r_k / (r_{k-1} I_k) of the one before) and blocks of 8 times as many columns as rows. Errors: HED_E_INVAL (not finite, with its
 * place; eps), HED_E_SHAPE (no axis, no elements; ranks). */
HED_API hed_status hed_tt_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error);

/* The same for a matrix on grids: X (I_1, .., I_d, J_1, .., J_d), an even number of axes. */
HED_API hed_status hed_tt_matrix_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error);

/* A ring. RANKS (NULL, one number, or r_0 .. r_{d-1}, or d + 1 of which the last is r_0): r_0 r_1 is a rank of the first unfolding;
 * the two are made as equal as the bounds allow. *ERROR is an upper bound. A list of ranks without an EPS is no bound: where others
 * would come out that is HED_E_INVAL, with both. */
HED_API hed_status hed_tr_svd(const hed_array *x, const hed_shape *ranks, double eps, hed_tt *out, double *error);

#ifdef __cplusplus
}
#endif
#endif
