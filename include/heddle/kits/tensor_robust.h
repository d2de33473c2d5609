// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_robust.h: a tensor as a low-rank part and few outliers; a tensor and a matrix that share a mode.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers. How runs are watched and stopped:
 * sweeps.h. Options: all zero is the default. Results are filled on success and all zero on failure; FIT may be NULL.
 *
 * Errors of all functions: HED_E_INVAL (NULL, numbers out of range, values that are not finite, with their place), HED_E_SHAPE,
 * HED_E_CANCELLED, HED_E_NOMEM. Thread-safety: all functions may run in several threads at once on different results.
 */
#ifndef HEDDLE_KITS_TENSOR_ROBUST_H
#define HEDDLE_KITS_TENSOR_ROBUST_H
#include <heddle/kits/sweeps.h>
#include <heddle/kits/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hed_robust_options {
  hed_sweeps sweeps;     /* max 0: 500; tol is on the error itself, 0: 1e-9 (float32: 1e-6)                                  */
  double lambda;         /* weight of the outliers; 0: 1.5 / sqrt(largest extent), of tensors of more than three axes 1 / sqrt */
  double mu, mu_factor, mu_max; /* penalty: at first, its growth per sweep, and where that ends; 0: 1.25 / the largest singular
                                   value of all unfoldings, 1.1, 1e7 times the first                                        */
  const hed_array *mask; /* of X's shape, not 0 where X is known; NULL: everywhere. Elsewhere X is not looked at and the low-rank part
                            is free                                                                                           */
} hed_robust_options;

/* X = LOW + SPARSE: the least sum over modes of the nuclear norms of the unfoldings of LOW plus lambda times the sum of
 * |SPARSE|, by an inexact augmented Lagrangian. The error is |x - low - sparse| / |x| (over what is known), and need not fall
 * in each sweep. The caller releases both arrays. (D. Goldfarb, Z. Qin,
 * SIAM J. Matrix Anal. Appl. 35 (2014) 225-253.) */
HED_API hed_status hed_robust_pca(const hed_array *x, const hed_robust_options *opt, hed_array **low, hed_array **sparse,
                                  hed_fit *fit);

typedef struct hed_coupled_options {
  hed_sweeps sweeps;   /* max 0: 200, tol 0: 1e-8                                     */
  int32_t mode;        /* of X, which is that of Y's rows                              */
  double weight;       /* of the matrix: its residual counts WEIGHT^2; 0: 1            */
  bool normalise;      /* columns of norm 1, norms in the weights of either            */
  bool random_start;   /* else leading vectors of the unfoldings                       */
  hed_random random;
} hed_coupled_options;

/* X (2 to 15 axes) and the matrix Y (I_mode, J) together: X = [[A, B, ..]], Y = A V^T with the factor A of MODE in common, by
 * alternating least squares; TENSOR has the factors of X, MATRIX A and V. The error is the root of (|X - ..|^2 + w^2 |Y - ..|^2) over
 * (|X|^2 + w^2 |Y|^2) and never rises. (E. Acar, T. G. Kolda, D. M. Dunlavy, arXiv:1105.3422 (2011).) */
HED_API hed_status hed_coupled_cp(const hed_array *x, const hed_array *y, int64_t rank, const hed_coupled_options *opt, hed_cp *tensor,
                                  hed_cp *matrix, hed_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
