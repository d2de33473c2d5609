// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_metrics.h: how near predictions, factors and decompositions are to each other, and how many components data bear.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * Errors of all functions: HED_E_INVAL (NULL, no elements), HED_E_SHAPE (both shapes are named), HED_E_NOMEM. Numbers are computed in
 * float64 where the device has it. Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_TENSOR_METRICS_H
#define HEDDLE_KITS_TENSOR_METRICS_H
#include <heddle/kits/tensor.h>
#include <heddle/kits/tensor_train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of all elements t of the truth and p of the prediction, real; 0 / 0 counts as 0, but as 1 where p equals t in r2. */
typedef struct hed_prediction_errors {
  double mse, rmse;           /* mean of (t - p)^2, and its root                                    */
  double r2;                  /* 1 - sum (t - p)^2 / sum (t - mean t)^2                             */
  double r2_origin;           /* 1 - sum (t - p)^2 / sum t^2                                        */
  double covariance;          /* mean of (t - mean t) (p - mean p)                                  */
  double correlation;         /* that over both standard deviations                                 */
  double reflective_correlation; /* sum t p over the root of sum t^2 sum p^2                        */
} hed_prediction_errors;

/* All of these numbers at once; HED_E_DTYPE for complex arrays. */
HED_API hed_status hed_compare_predictions(const hed_array *truth, const hed_array *prediction, hed_prediction_errors *out);

/* Mean of |cos| between columns of A (n, r) and those columns of B (n, r) that make the sum largest; PERMUTATION (NULL or r numbers):
 * which column of B belongs to column i of A. Columns of zeros have cosine 0. SIGNED: of the cosines themselves. */
HED_API hed_status hed_congruence(const hed_array *a, const hed_array *b, bool with_sign, double *out, int64_t *permutation);

typedef enum hed_index_method { HED_INDEX_STACKED, HED_INDEX_MAX, HED_INDEX_MIN, HED_INDEX_MEAN } hed_index_method;

/* Correlation index of two lists of N matrices of as many columns: 0 for the same up to order, sign and scale of columns, up to 1. All
 * matrices below each other, or the largest, least or mean index of the pairs. (E. Sobhani et al., Signal Processing 195 (2022)
 * 108457.) */
HED_API hed_status hed_correlation_index(int n, const hed_array *const *a, const hed_array *const *b, hed_index_method method,
                                         double *out);

/* Factor match score of two CP tensors of one shape: the mean over components of the larger rank of the product over modes of |cos|,
 * times 1 - |v - w| / max(v, w) of the norms v and w of the components when WITH_NORMS; components that have no partner count 0. */
HED_API hed_status hed_factor_match(const hed_cp *a, const hed_cp *b, bool with_norms, double *out);

/* Core consistency in percent of X with C: 100 (1 - sum (g - t)^2 / rank), g the core of least squares for C's factors (weights go
 * with the first one), t the superdiagonal of ones. Near 100 for as many components as the data bear; it falls, also below 0, beyond.
 * With a MASK (of X's shape, 0 where an element is missing; NULL: none is) the squares are those of known elements, and X is not
 * looked at elsewhere. (R. Bro, H. A. L. Kiers, J. Chemometrics 17 (2003) 274-286.) */
HED_API hed_status hed_core_consistency(const hed_array *x, const hed_array *mask, const hed_cp *c, double *out);

/* Squared norms of the rows of an orthonormal basis of the columns of A (n, r), over their sum: (n). */
HED_NEW hed_array *hed_leverage_scores(const hed_array *a);

/* - sum p log2 p over the eigenvalues p > 0 of the symmetrised matrix that X, of as many row as column elements, makes: its first axes
 * are rows. HED_E_SHAPE where the axes cannot be divided so. */
HED_API hed_status hed_von_neumann_entropy(const hed_array *x, double *out);
HED_API hed_status hed_cp_von_neumann_entropy(const hed_cp *c, double *out);
HED_API hed_status hed_tt_von_neumann_entropy(const hed_tt *x, double *out);

/* The one rank that would give a train of X's shape as many elements in its cores. */
HED_API hed_status hed_tt_effective_rank(const hed_tt *x, double *out);

#ifdef __cplusplus
}
#endif
#endif
