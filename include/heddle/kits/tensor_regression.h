// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_regression.h: linear models of tensors whose coefficients are tensors of low rank, and partial least squares.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers. How runs are watched and stopped:
 * sweeps.h. Options: all zero is the default. Results are filled on success and all zero on failure; FIT may be NULL.
 *
 *   y_i = <coefficients, X_i> + intercept      X (n, I_1, ..), y (n), coefficients (I_1, ..)
 *                                               or y (n, m), coefficients (I_1, .., m), intercept (m)
 *
 * Real data. Errors of all functions: HED_E_INVAL (NULL, numbers out of range, values that are not finite, with their place),
 * HED_E_SHAPE, HED_E_DTYPE (complex), HED_E_CANCELLED, HED_E_NOMEM. Thread-safety: all functions may run in several threads at once on
 * different results.
 */
#ifndef HEDDLE_KITS_TENSOR_REGRESSION_H
#define HEDDLE_KITS_TENSOR_REGRESSION_H
#include <heddle/kits/sweeps.h>
#include <heddle/kits/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is an empty one; hed_regression_clear() releases it. */
typedef struct hed_regression {
  hed_array *coefficients, *intercept;
  hed_cp cp;         /* the coefficients of hed_cp_regression(); a last factor for the outputs where y has two axes    */
  hed_tucker tucker; /* those of hed_tucker_regression(); the outputs are a mode without factor                        */
} hed_regression;

/* Releases what R owns; it is empty then. NULL is fine. */
HED_API void hed_regression_clear(hed_regression *r);

/* y of X (n, I_1, ..): (n), or (n, m). */
HED_NEW hed_array *hed_regression_predict(const hed_regression *r, const hed_array *x);

typedef struct hed_regression_options {
  hed_sweeps sweeps;  /* max 0: 200, tol 0: 1e-8                                           */
  double ridge;       /* times the sum of squares of each factor, added to that of the residuals; 0: least norm */
  bool no_intercept;  /* else both sides are centred                                       */
  hed_random random;  /* of the start                                                      */
} hed_regression_options;

/* Coefficients of CP rank RANK by alternating least squares. The error is |y - fit| / |y|, y centred where there is an intercept; it
 * never rises without RIDGE. (H. Zhou, L. Li, H. Zhu, J. Am. Stat. Assoc. 108 (2013) 540-552.) */
HED_API hed_status hed_cp_regression(const hed_array *x, const hed_array *y, int64_t rank, const hed_regression_options *opt,
                                     hed_regression *out, hed_fit *fit);

/* Coefficients of Tucker RANKS, one per feature axis (or one for all; what exceeds an extent is lowered to it). Factors of the result
 * are orthonormal. (X. Li et al., Stat. Biosci. 10 (2018) 520-545.) */
HED_API hed_status hed_tucker_regression(const hed_array *x, const hed_array *y, const hed_shape *ranks,
                                         const hed_regression_options *opt, hed_regression *out, hed_fit *fit);

typedef struct hed_plsr_options {
  int64_t max_iterations; /* per component; 0: 200                                       */
  double tol;             /* change of the scores of y over their norm; 0: 1e-9          */
  const int *cancel;      /* as in hed_sweeps                                            */
} hed_plsr_options;

/* Partial least squares with COMPONENTS, each a rank-1 direction of X of the largest covariance with y, which is taken away before the
 * next: with X a matrix PLS2. X_PARTS, Y_PARTS (may be NULL): scores and directions, X - mean = [[T, W_1, ..]] and y - mean = [[U, Q]]
 * of rank COMPONENTS, nearly. *OUT has no cp and no tucker. (R. Bro, J. Chemometrics 10 (1996) 47-61.) */
HED_API hed_status hed_plsr(const hed_array *x, const hed_array *y, int64_t components, const hed_plsr_options *opt,
                            hed_regression *out, hed_cp *x_parts, hed_cp *y_parts);

#ifdef __cplusplus
}
#endif
#endif
