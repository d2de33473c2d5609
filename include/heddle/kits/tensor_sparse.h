// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_sparse.h: tensors of few entries, as lists of coordinates and values.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers. How runs are watched and stopped:
 * sweeps.h. *OUT is filled on success and all zero on failure; it is not an operand. FIT may be
 * NULL.
 *
 * What is not listed is 0. Nothing here makes the full tensor but hed_coo_full(). (B. W. Bader, T. G. Kolda, SIAM J. Sci. Comput. 30
 * (2007) 205-231.)
 *
 * Errors of all functions: HED_E_INVAL (NULL, values that are not finite), HED_E_SHAPE (parts that do not fit each other, factors of
 * other extents: both are named), HED_E_INDEX (coordinates outside), HED_E_AXIS, HED_E_DTYPE, HED_E_NOMEM. Thread-safety: all
 * functions may run in several threads at once on different results.
 */
#ifndef HEDDLE_KITS_TENSOR_SPARSE_H
#define HEDDLE_KITS_TENSOR_SPARSE_H
#include <heddle/kits/decompose.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is an empty one; hed_coo_clear() releases the arrays. */
typedef struct hed_coo {
  hed_shape shape;     /* 1 to 15 axes                                          */
  hed_array *indices;  /* int64 (n, axes): ascending in C order, each row once  */
  hed_array *values;   /* (n), real or complex floats                           */
} hed_coo;

/* NULL is fine. */
HED_API void hed_coo_clear(hed_coo *x);

/* Entries VALUES (n; float32 where they are no floats) at the rows of INDICES, integers (n, axes) from 0, in any order; those at the
 * same place are added. */
HED_API hed_status hed_coo_from(hed_shape shape, const hed_array *indices, const hed_array *values, hed_coo *out);

/* The entries of X that are not 0. */
HED_API hed_status hed_coo_from_dense(const hed_array *x, hed_coo *out);

/* All elements. */
HED_NEW hed_array *hed_coo_full(const hed_coo *x);

/* The Frobenius norm; sum of conj(c) x, real and imaginary part, in float64. */
HED_API hed_status hed_coo_norm(const hed_coo *x, double *out);
HED_API hed_status hed_coo_inner_cp(const hed_coo *x, const hed_cp *c, double out[2]);

/* The unfolding along MODE times the Khatri-Rao product of the conjugated FACTORS (extent, R) of all other modes, as
 * hed_mttkrp_all(): (I_mode, R). N is the number of axes; the factor of MODE is not looked at and may be NULL. */
HED_NEW hed_array *hed_coo_mttkrp(const hed_coo *x, int n, const hed_array *const *factors, int32_t mode);

/* X times the adjoints of the FACTORS (extent, r_k) along their modes, those that are NULL left out: a full array of extents r_k and,
 * of modes without a factor, I_k. With all but one factor that is what a sweep of orthogonal iterations needs. */
HED_NEW hed_array *hed_coo_project(const hed_coo *x, int n, const hed_array *const *factors);

/* hed_cp_als() of X, 2 to 15 axes, whose elements that are 0 count like the others: each sweep looks at every entry once per mode.
 * Starts are random (HED_START_SVD is HED_START_RANDOM, of complex X HED_START_NORMAL). Errors come from products, so they are no more
 * exact than the root of the precision. Gaps and SPARSITY: HED_E_UNSUPPORTED. Memory beyond X: pieces of at most 4 MiB, and sums of
 * the factors' size. */
HED_API hed_status hed_coo_cp_als(const hed_coo *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit);

/* All zero is the default. */
typedef struct hed_coo_tucker_options {
  hed_sweeps sweeps; /* max 0: 100, tol 0: 1e-8  */
  hed_random random; /* of the start; all zero: the context's stream */
} hed_coo_tucker_options;

/* hed_tucker_hooi() of X, 2 to 15 axes, with RANKS >= 1 for each of them, or one for all (cut as there), from random orthonormal
 * factors: beside X the largest array is a mode's extent times the other ranks. */
HED_API hed_status hed_coo_tucker(const hed_coo *x, const hed_shape *ranks, const hed_coo_tucker_options *opt, hed_tucker *out,
                                  hed_fit *fit);

/* ---- files ---- */

/* The text format of the FROSTT collection: a line per entry with its coordinates from 1 and its value; lines that begin with # are
 * not looked at. Real values, float64. Extents are the largest coordinates. HED_E_IO, HED_E_FORMAT with the line's number. */
HED_API hed_status hed_coo_load_tns(const char *path, hed_coo *out);
/* Such a file of X, written as hed_file_create() writes: 17 digits, what a float64 needs. HED_E_DTYPE: complex. */
HED_API hed_status hed_coo_save_tns(const char *path, const hed_coo *x);

#ifdef __cplusplus
}
#endif
#endif
