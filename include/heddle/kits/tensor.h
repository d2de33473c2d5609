// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor.h: tensors as sums of outer products (CP) and as small cores times matrices (Tucker); products with
 * all factors at once.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h>. Decompositions: decompose.h. Unfoldings, mode products,
 * Kronecker, Khatri-Rao, inner and outer products are operations (hed_unfold, hed_fold, hed_mode_dot, hed_multi_mode_dot,
 * hed_kronecker, hed_khatri_rao, hed_tensordot_n, hed_outer, hed_batched_outer).
 *
 *   CP       x[i, j, ..] = sum over r of w_r A[i, r] B[j, r] ..     A (I, R), B (J, R), ..
 *   Tucker   x = core x_0 A x_1 B ..                               core (r_0, r_1, ..), A (I, r_0), B (J, r_1), ..
 *
 * (T. G. Kolda, B. W. Bader, SIAM Review 51 (2009) 455-500.) Nothing here makes the full tensor where it does not say so. Factors
 * are real or complex; nothing is conjugated but where it is said. Functions with an OUT fill it on success and leave it all zero
 * on failure; it is not an operand. Functions without one change their operand, and leave it as it was on failure. Results may
 * share storage with operands; none is written in place.
 *
 * Errors of all functions: HED_E_INVAL (NULL, no factors, a rank below 1), HED_E_SHAPE (factors that do not fit each other,
 * operands of other shapes: both are named), HED_E_AXIS, HED_E_NOMEM. Thread-safety: all functions may run in several threads at
 * once on different results.
 */
#ifndef HEDDLE_KITS_TENSOR_H
#define HEDDLE_KITS_TENSOR_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- products ---- */

/* For each mode n the unfolding of X along n times the Khatri-Rao product of the conjugated FACTORS of all other modes:
 * OUT[n] (I_n, R), or none where SKIP (NULL: none) lists mode n. By a tree: the modes are divided into two halves, X is read twice
 * whatever its order, and not copied where it lies in C order. N is the number of X's axes, 2 to 15. On an error every OUT is
 * NULL. */
HED_API hed_status hed_mttkrp_all(const hed_array *x, int n, const hed_array *const *factors, const hed_axes *skip,
                                  hed_array **out);

/* Unfolding of X along MODE times its adjoint, (I, I), without making the unfolding of an X in C order. */
HED_NEW hed_array *hed_mode_gram(const hed_array *x, int32_t mode);

/* Moment of ORDER >= 1 of samples X (n, ..): the mean over the first axis of the ORDER-fold outer product of each sample, which has
 * ORDER times its axes. Not centred. */
HED_NEW hed_array *hed_moment(const hed_array *x, int order);

/* Rows of the Khatri-Rao product of N matrices, without making it: row k is the elementwise product of rows INDICES[.., m] of matrix
 * m; INDICES (samples, N), integers. */
HED_NEW hed_array *hed_khatri_rao_rows(int n, const hed_array *const *matrices, const hed_array *indices);

/* ---- CP ---- */

/* All zero is an empty one; hed_cp_clear() releases the arrays. */
typedef struct hed_cp {
  int32_t order;                   /* modes, 1 to 15              */
  int64_t rank;                    /* columns of every factor     */
  hed_array *weights;              /* (rank), or NULL: all 1      */
  hed_array *factor[HED_MAX_NDIM]; /* (I_k, rank)                 */
} hed_cp;

/* NULL is fine. */
HED_API void hed_cp_clear(hed_cp *c);

/* Whether the factors fit each other and the weights. */
HED_API hed_status hed_cp_check(const hed_cp *c);

/* ndim -1 with the error set when C is none. */
HED_API hed_shape hed_cp_shape(const hed_cp *c);

/* Other handles on the same arrays. */
HED_API hed_status hed_cp_copy(const hed_cp *c, hed_cp *out);

/* Factors of values uniform in [0, 1) (NORMAL: standard normal, complex where T is), without weights. The values of factor k depend
 * on the seed and k alone. RANDOM as everywhere; NULL: the context's stream. */
HED_API hed_status hed_cp_random(hed_shape shape, int64_t rank, hed_dtype t, bool normal, const hed_random *random, hed_cp *out);

/* All elements; as a matrix (hed_unfold of it); one vector in C order. */
HED_NEW hed_array *hed_cp_full(const hed_cp *c);
HED_NEW hed_array *hed_cp_unfolded(const hed_cp *c, int32_t mode);
HED_NEW hed_array *hed_cp_vec(const hed_cp *c);

/* Elements at the rows of INDICES, integers (n, order), negatives from the end: n values. */
HED_NEW hed_array *hed_cp_entries(const hed_cp *c, const hed_array *indices);

/* The Frobenius norm from products of factors, in float64; where components cancel so far that this loses all digits (below 1e-7
 * of the sum of their norms) the full tensor is made piece by piece. */
HED_API hed_status hed_cp_norm(const hed_cp *c, double *out);

/* sum of conj(a) b, real and imaginary part, in float64: of two CP tensors, and with B a full one. */
HED_API hed_status hed_cp_inner(const hed_cp *a, const hed_cp *b, double out[2]);
HED_API hed_status hed_cp_inner_dense(const hed_cp *a, const hed_array *b, double out[2]);

/* |x - c| / |x| over the elements where MASK (X's shape or NULL: all) is not 0, from the differences, by pieces of at most 4 MiB or a
 * row; 0 / 0 is 0. X is not looked at elsewhere. */
HED_API hed_status hed_cp_error(const hed_cp *c, const hed_array *x, const hed_array *mask, double *out);

/* Derivatives of |x - c|^2 / 2 by the factors, in real and imaginary part: OUT[k] (I_k, rank) for each mode, weights taken into the
 * last factor; missing entries as for hed_cp_error(). On an error every OUT is NULL. */
HED_API hed_status hed_cp_gradient(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_array **out);

/* Factor MODE from the left by M (p, I), or by the adjoint of M (I, p) with TRANSPOSE: what hed_mode_dot does to the full tensor. A
 * vector M (I) takes the mode away into the weights. */
HED_API hed_status hed_cp_mode_dot(const hed_cp *c, const hed_array *m, int32_t mode, bool transpose, hed_cp *out);

/* Modes in the order of AXES, as hed_transpose. */
HED_API hed_status hed_cp_permute(const hed_cp *c, const hed_axes *axes, hed_cp *out);

/* Rows START, START + STEP, .. of factor MODE: a slice of the full tensor. */
HED_API hed_status hed_cp_slice(const hed_cp *c, int32_t mode, hed_slice_range range, hed_cp *out);

/* a + b with rank a.rank + b.rank; a * b element by element with rank a.rank * b.rank; s a. */
HED_API hed_status hed_cp_add(const hed_cp *a, const hed_cp *b, hed_cp *out);
HED_API hed_status hed_cp_hadamard(const hed_cp *a, const hed_cp *b, hed_cp *out);
HED_API hed_status hed_cp_scale(const hed_cp *c, double s, hed_cp *out);

/* Columns of norm 1, their norms in the weights, which become real and not negative (phases go to the last factor). A component with a
 * column of zeros gets weight 0, its columns stay. */
HED_API hed_status hed_cp_normalise(hed_cp *c);

/* Components by descending absolute value of their weight; equal ones keep their order. */
HED_API hed_status hed_cp_arrange(hed_cp *c);

/* Each column's largest entry in absolute value, the first of equals, becomes positive (complex: real and positive) in every factor
 * but the last, whose columns take up the rest. */
HED_API hed_status hed_cp_fix_signs(hed_cp *c);

/* Components of C in the order, and with the signs or phases, in which they agree best with those of TO, of the same shape: by the
 * assignment of the largest sum of |congruences|. Ranks may differ; what has no partner comes last. CONGRUENCE (NULL: not wanted):
 * of each component of TO that has a partner the product over modes of |cosines|; else 0, TO->rank numbers. A column of zeros has
 * cosine 0. */
HED_API hed_status hed_cp_align(hed_cp *c, const hed_cp *to, double *congruence);

/* ---- Tucker ---- */

/* All zero is an empty one; hed_tucker_clear() releases the arrays. */
typedef struct hed_tucker {
  int32_t order;                   /* modes, 1 to 15                                    */
  hed_array *core;                 /* (r_0, r_1, ..)                                    */
  hed_array *factor[HED_MAX_NDIM]; /* (I_k, r_k), or NULL: the identity, r_k = I_k      */
} hed_tucker;

/* NULL is fine. */
HED_API void hed_tucker_clear(hed_tucker *t);

/* As for CP; ranks are the core's shape. */
HED_API hed_status hed_tucker_check(const hed_tucker *t);
HED_API hed_shape hed_tucker_shape(const hed_tucker *t);
HED_API hed_status hed_tucker_copy(const hed_tucker *t, hed_tucker *out);

/* A core and factors of values uniform in [0, 1), or of normal ones and orthonormal columns where ORTHONORMAL; of ranks at least 1,
 * one for each axis or one for all. The values of factor k depend on the seed and k alone. */
HED_API hed_status hed_tucker_random(hed_shape shape, hed_shape ranks, hed_dtype t, bool orthonormal, const hed_random *random,
                                     hed_tucker *out);

/* As for CP. */
HED_NEW hed_array *hed_tucker_full(const hed_tucker *t);
HED_NEW hed_array *hed_tucker_unfolded(const hed_tucker *t, int32_t mode);
HED_NEW hed_array *hed_tucker_vec(const hed_tucker *t);
HED_NEW hed_array *hed_tucker_entries(const hed_tucker *t, const hed_array *indices);
HED_API hed_status hed_tucker_norm(const hed_tucker *t, double *out);
HED_API hed_status hed_tucker_inner(const hed_tucker *a, const hed_tucker *b, double out[2]);
HED_API hed_status hed_tucker_mode_dot(const hed_tucker *t, const hed_array *m, int32_t mode, bool transpose, hed_tucker *out);
HED_API hed_status hed_tucker_permute(const hed_tucker *t, const hed_axes *axes, hed_tucker *out);
HED_API hed_status hed_tucker_slice(const hed_tucker *t, int32_t mode, hed_slice_range range, hed_tucker *out);
HED_API hed_status hed_tucker_scale(const hed_tucker *t, double s, hed_tucker *out);

/* a + b: factors side by side, the cores on the diagonal of a core of zeros. */
HED_API hed_status hed_tucker_add(const hed_tucker *a, const hed_tucker *b, hed_tucker *out);

/* Factors with orthonormal columns by QR, the triangles in the core; identities stay. Ranks above extents are cut to them. */
HED_API hed_status hed_tucker_orthogonalise(hed_tucker *t);

/* Columns of norm 1, their norms in the core; a column of zeros stays, and its slice of the core becomes 0. */
HED_API hed_status hed_tucker_normalise(hed_tucker *t);

/* The same tensor with a superdiagonal core: (rank, rank, ..) with the weights. */
HED_API hed_status hed_cp_to_tucker(const hed_cp *c, hed_tucker *out);

/* ---- files ---- */

/* .npz with the arrays "format" (the text "cp" or "tucker" as uint8), "weights" and "factor0", "factor1", ..; "core". Errors: those
 * of hed_save_npz() and hed_load_npz(), and HED_E_FORMAT where what is there does not make a tensor of the kind. */
HED_API hed_status hed_cp_save(const char *path, const hed_cp *c);
HED_API hed_status hed_cp_load(const char *path, hed_cp *out);
HED_API hed_status hed_tucker_save(const char *path, const hed_tucker *t);
HED_API hed_status hed_tucker_load(const char *path, hed_tucker *out);

#ifdef __cplusplus
}
#endif
#endif
