// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/parafac2.h: matrices of different numbers of rows with common columns, as PARAFAC2.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 *   X_i (J_i, K) = P_i B diag(w a_i) C^H      A (I, R), B (R, R), C (K, R); the columns of P_i (J_i, R) are orthonormal
 *
 * for slices i = 0 .. I - 1; a_i is row i of A, w the weights. A slice of fewer rows than R has a P_i with orthonormal rows instead.
 * P_i B are the evolving factors, whose cross products B^H B are the same for all slices that have R rows. (R. A. Harshman, UCLA
 * Working Papers in Phonetics 22 (1972) 30-44; H. A. L. Kiers, J. M. F. ten Berge, R. Bro, J. Chemometrics 13 (1999) 275-294.)
 *
 * Errors of all functions: HED_E_INVAL (NULL, no slices, not finite), HED_E_SHAPE (parts that do not fit each other), HED_E_NOMEM.
 * *OUT is filled on success and all zero on failure. Thread-safety: all functions may run in several threads at once on different
 * results.
 */
#ifndef HEDDLE_KITS_PARAFAC2_H
#define HEDDLE_KITS_PARAFAC2_H
#include <heddle/kits/sweeps.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is an empty one; hed_parafac2_clear() releases it. */
typedef struct hed_parafac2 {
  int32_t n_slices;
  int64_t rank;
  hed_array *weights;     /* (rank), or NULL: all 1                        */
  hed_array *a, *b, *c;
  hed_array **projection; /* n_slices of them, the list from malloc()      */
} hed_parafac2;

/* Releases what P owns; it is empty then. NULL is fine. */
HED_API void hed_parafac2_clear(hed_parafac2 *p);

/* Whether the parts fit each other. */
HED_API hed_status hed_parafac2_check(const hed_parafac2 *p);

/* Slice I (J_i, K); the factor that evolves, P_i B (J_i, R). */
HED_NEW hed_array *hed_parafac2_slice(const hed_parafac2 *p, int32_t i);
HED_NEW hed_array *hed_parafac2_evolving(const hed_parafac2 *p, int32_t i);

/* All slices, (I, largest J_i, K), with zeros behind their rows. */
HED_NEW hed_array *hed_parafac2_full(const hed_parafac2 *p);

/* Root of the sum of squares; sum of conj(x) y over all slices, real and imaginary part. Without making slices, in float64 where
 * the device has it. */
HED_API hed_status hed_parafac2_norm(const hed_parafac2 *p, double *out);
HED_API hed_status hed_parafac2_inner(const hed_parafac2 *x, const hed_parafac2 *y, double out[2]);

/* A, B, C of values uniform in [0, 1) (NORMAL: standard normal, complex where T is) for N slices of ROWS[i] rows and COLUMNS columns,
 * with projections at random and no weights. */
HED_API hed_status hed_parafac2_random(int32_t n, const int64_t *rows, int64_t columns, int64_t rank, hed_dtype t, bool normal,
                                       const hed_random *random, hed_parafac2 *out);

/* Columns of A, B and C of norm 1, their norms in the weights; columns of zeros stay and get weight 0. P changes, or stays as it was
 * on failure. */
HED_API hed_status hed_parafac2_normalise(hed_parafac2 *p);

/* .npz: a, b, c, weights, projection0, projection1, ..; HED_E_FORMAT where the archive does not hold those. */
HED_API hed_status hed_parafac2_save(const char *path, const hed_parafac2 *p);
HED_API hed_status hed_parafac2_load(const char *path, hed_parafac2 *out);

typedef struct hed_parafac2_options {
  hed_sweeps sweeps;                /* max 0: 200, tol 0: 1e-8                                                             */
  const hed_array *const *masks;    /* as many as slices and of their shapes, not 0 where they are known; NULL: all is     */
  bool missing_nan;                 /* elements that are NaN are not known                                                  */
  bool nonnegative_a, nonnegative_c; /* by coordinate descent on the normal equations; real data                            */
  bool normalise;                   /* as hed_parafac2_normalise()                                                          */
  bool random_start;                /* all but the projections at random; else B = 1, A = 1 and C the leading right vectors */
  int64_t restarts;                 /* starts that are tried, the best result counts; 0: 1. From the second on they are random  */
  int32_t inner;                    /* sweeps of CP for each projection; 0: 5                                                */
  bool no_line_search;              /* else from sweep 6 on a step of the root of its number times the last change is tried, and
                                       taken where it lowers the error (R. Bro, thesis, University of Amsterdam, 1998)        */
  hed_random random;
} hed_parafac2_options;

/* N slices (J_i, K), any J_i >= 1, by alternating least squares: projections by polar factors, then INNER sweeps of CP over the
 * slices as they are projected. The error is |x - fit| / |x| over what is known, and never rises; what is not known is replaced by
 * the fit before each sweep. Memory: the slices filled up with zeros to the longest one, twice. Errors: HED_E_SHAPE (slices of
 * different numbers of columns, masks), HED_E_INVAL (rank below 1, not finite where known), HED_E_DTYPE (nonnegative and complex),
 * HED_E_CANCELLED. */
HED_API hed_status hed_parafac2_als(int32_t n, const hed_array *const *slices, int64_t rank, const hed_parafac2_options *opt,
                                    hed_parafac2 *out, hed_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
