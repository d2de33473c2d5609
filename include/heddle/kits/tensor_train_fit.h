// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tensor_train_fit.h: trains and rings by iteration: from few elements of a function (cross approximation), from the
 * known elements of a tensor (completion), and rings by alternating least squares.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers. How runs are watched and stopped:
 * sweeps.h. Options: all zero is the default. *OUT is filled on success and all zero on failure; FIT may be NULL.
 *
 * Errors of all functions: HED_E_INVAL (NULL, numbers out of range, values that are not finite, with their place), HED_E_SHAPE,
 * HED_E_DTYPE, HED_E_CANCELLED, HED_E_NOMEM. Thread-safety: all functions may run in several threads at once on different results.
 */
#ifndef HEDDLE_KITS_TENSOR_TRAIN_FIT_H
#define HEDDLE_KITS_TENSOR_TRAIN_FIT_H
#include <heddle/kits/sweeps.h>
#include <heddle/kits/tensor_train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from few elements ---- */

/* Rows of the real matrix A (n, r), n >= r, whose submatrix has a volume that no exchange of one row makes larger by more than a
 * factor of 1.05: int64 (r). In float64. A matrix of a rank below r: HED_E_SINGULAR. (S. A. Goreinov et al., "How to find a good
 * submatrix", 2010.) */
HED_NEW hed_array *hed_maxvol(const hed_array *a);

/* VALUES[i] = the function at the row i of INDICES (N, axes), C order, each within the shape. Not HED_OK ends the run with that
 * status; the function says why by hed_fail(). */
typedef hed_status (*hed_tt_function)(void *arg, int64_t n, const int64_t *indices, double *values);

typedef struct hed_tt_cross_options {
  hed_sweeps sweeps;  /* max 0: 20; a sweep goes to the last core and back. tol 0: not looked at         */
  double eps;         /* relative error at the test entries that ends the run; 0: 1e-8                    */
  int64_t max_rank;   /* 0: 64                                                                           */
  int64_t test;       /* how many random entries the error is taken at; 0: 1000                          */
  int64_t kick;       /* random rows that each bond also looks at; 0: 2, below 0: none                    */
  hed_random random;
} hed_tt_cross_options;

/* A train of a function on the grid SHAPE (1 to 16 axes), float64 (float32 on devices without it): two cores at a time from the
 * function at rows and columns that the largest volumes choose, ranks growing as singular values above EPS ask. *EVALUATIONS (may be
 * NULL): how many different points the function was asked for: all are remembered. A run that does not reach EPS gives what it has:
 * fit->error says how far it is. (D. Savostyanov, I. Oseledets, "Fast adaptive interpolation of multi-dimensional arrays in tensor
 * train format", 2011.) */
HED_API hed_status hed_tt_cross(hed_tt_function f, void *arg, hed_shape shape, const hed_tt_cross_options *opt, hed_tt *out,
                                hed_fit *fit, uint64_t *evaluations);

/* The same of a real array, such as a mapped file of which only those elements are read. */
HED_API hed_status hed_tt_cross_array(const hed_array *x, const hed_tt_cross_options *opt, hed_tt *out, hed_fit *fit,
                                      uint64_t *evaluations);

/* ---- better than truncation ---- */

typedef struct hed_tt_iterate_options {
  hed_sweeps sweeps;  /* max 0: 20, tol 0: 1e-8 */
} hed_tt_iterate_options;

/* A train of RANKS (as hed_tt_svd()) near X, at least one element: from hed_tt_svd() by orthogonal iteration, each sweep once back and
 * forth over the bonds, where the two cores at it become the best ones for the others as they are. The error never rises; it comes
 * from norms, so it is no more exact than the root of the precision. Memory: what hed_tt_svd() takes, and X times the cores before
 * each bond.
 * (Y. Zhou, A. R. Zhang, L. Zheng, Y. Wang, IEEE Trans. Information Theory 68 (2022) 3991-4019.) */
HED_API hed_status hed_tt_iterate(const hed_array *x, const hed_shape *ranks, const hed_tt_iterate_options *opt, hed_tt *out,
                                  hed_fit *fit);

/* ---- from what is known of a tensor ---- */

typedef struct hed_tt_completion_options {
  hed_sweeps sweeps;     /* max 0: 100, tol 0: 1e-8 */
  const hed_array *mask; /* of X's shape, not 0 where X is known; NULL: where it is not NaN. X is not looked at elsewhere */
  const hed_tt *start;   /* NULL: hed_tt_svd() of X with the mean of what is known where it is not */
} hed_tt_completion_options;

/* A train of RANKS (as hed_tt_svd(); NULL is not enough) near the known elements of X: alternating least squares, each slice of a
 * core by the elements that it touches, of minimum norm where these are too few; the other cores are orthogonal meanwhile. The error
 * is |x - fit| / |x| over the known elements and never rises. (L. Grasedyck, M. Kluge, S. Kraemer, SIAM J. Sci. Comput. 37 (2015)
 * A2424-A2450.) */
HED_API hed_status hed_tt_complete(const hed_array *x, const hed_shape *ranks, const hed_tt_completion_options *opt, hed_tt *out,
                                   hed_fit *fit);

/* ---- rings ---- */

typedef enum hed_tr_start { HED_TR_SVD, HED_TR_RANDOM } hed_tr_start;

typedef struct hed_tr_options {
  hed_sweeps sweeps;   /* max 0: 100, tol 0: 1e-8                                                              */
  hed_tr_start start;  /* singular values, where they give the ranks asked for, else random                     */
  int64_t restarts;    /* starts that are tried, the best result counts; 0: 1. From the second on they are random   */
  int64_t samples;     /* rows of each least-squares problem, drawn by leverage; 0: all                         */
  int64_t fit_samples; /* with SAMPLES: elements, drawn once, that the error is taken at; 0: 16384              */
  hed_random random;
} hed_tr_options;

/* A ring of RANKS (one number, r_0 .. r_{d-1}, or d + 1) near X, at least two axes, by alternating least squares: normal equations
 * from the cores' own products, of minimum norm. Without SAMPLES the error never rises; X in C order is copied once per axis that is
 * not the first. With SAMPLES only the elements that are drawn are read, and where their number is below r_k r_{k+1} that is
 * HED_E_INVAL. (O. A. Malik, S. Becker, ICML 2021, "A sampling-based method for tensor ring decomposition".) */
HED_API hed_status hed_tr_als(const hed_array *x, const hed_shape *ranks, const hed_tr_options *opt, hed_tt *out, hed_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
