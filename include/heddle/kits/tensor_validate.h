// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_validate.h: what speaks for a CP decomposition: halves of the data, data less one sample, what each component
 * and each slice has to do with it.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * Errors of all functions: HED_E_INVAL (NULL, no elements, a mode of fewer than two slices), HED_E_SHAPE (both shapes are named),
 * HED_E_AXIS, HED_E_NOMEM, and those of hed_cp_als() where it is run. Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_TENSOR_VALIDATE_H
#define HEDDLE_KITS_TENSOR_VALIDATE_H
#include <heddle/kits/decompose.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cosines of the columns of A (n, r) with those of B (n, s): (r, s), float64 (complex: complex128). Columns of zeros have cosine 0.
 * With A as B: how alike the components of one mode are; with the factors of two Tucker tensors: of two models. */
HED_NEW hed_array *hed_congruence_table(const hed_array *a, const hed_array *b);

/* The product over all modes of such tables of two CP tensors of one shape: (a.rank, b.rank), Tucker's congruence coefficients.
 * With A as B, numbers near -1 are components that cancel each other. (L. R. Tucker, 1951; U. Lorenzo-Seva, J. M. F. ten Berge,
 * Methodology 2 (2006) 57-64.) */
HED_NEW hed_array *hed_cp_congruence_table(const hed_cp *a, const hed_cp *b);

/* X's slices along MODE with even and those with odd numbers, each decomposed by hed_cp_als() with OPT (NULL: all defaults; no
 * start and no fixed modes). CONGRUENCE, RANK numbers: of each component of the first half the product over the other modes of
 * |cosines| with that of the other half that is its partner; near 1 for each where the data bear so many components. FIRST and
 * SECOND (NULL: not wanted): the two decompositions, columns of norm 1. (R. A. Harshman, W. S. DeSarbo, in: Research Methods for
 * Multimode Data Analysis, 1984, 602-642.) */
HED_API hed_status hed_cp_split_half(const hed_array *x, int64_t rank, int32_t mode, const hed_cp_options *opt, double *congruence,
                                     hed_cp *first, hed_cp *second);

/* Standard errors of C's factors in all modes but MODE, whose slices are the samples of X: X less each slice is decomposed, from C's
 * factors on, and brought into C's order and signs. OUT[k] (I_k, rank) for columns of norm 1, OUT[MODE] NULL: the root of (n - 1) / n
 * times the sum of squares about the mean of n decompositions. OPT as above. On an error every OUT is NULL. (J. Riu, R. Bro,
 * Chemometrics Intell. Lab. Syst. 65 (2003) 35-49.) */
HED_API hed_status hed_cp_jackknife(const hed_array *x, const hed_cp *c, int32_t mode, const hed_cp_options *opt, hed_array **out);

/* The sum of |x - c|^2 of each slice along MODE, (I_mode), in float64; where MASK (X's shape or NULL) is 0 nothing counts. Slices
 * of much residual, or of much leverage (hed_leverage_scores() of the mode's factor, times the rank), are outliers. Makes one
 * tensor of X's size. */
HED_NEW hed_array *hed_cp_residuals(const hed_cp *c, const hed_array *x, const hed_array *mask, int32_t mode);

/* What share of |x|^2 each of C's components explains: ALONE, 1 - |x - c_r|^2 / |x|^2, and UNIQUE, by how much the share of all of
 * them falls without it; rank numbers each (NULL: not wanted). Where components are orthogonal both are the same. MASK as above. */
HED_API hed_status hed_cp_explained(const hed_cp *c, const hed_array *x, const hed_array *mask, double *alone, double *unique);

#ifdef __cplusplus
}
#endif
#endif
