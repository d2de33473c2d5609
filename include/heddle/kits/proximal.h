// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/proximal.h: proximal operators and projections of matrices, and solvers that use them.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h>.
 *
 * prox(v) is the x of least |x - v|^2 / 2 + f(x): with f a penalty of weight r, or 0 on a set and infinite elsewhere, then it is the
 * nearest point of the set. Columns of a matrix are vectors, a vector is one column. Results are new arrays in the type of V
 * (float32 for what is no float). Orders along a column are computed on the host, in float64.
 */
#ifndef HEDDLE_KITS_PROXIMAL_H
#define HEDDLE_KITS_PROXIMAL_H
#include <heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hed_prox_kind {
  HED_PROX_NONE,           /* f = 0: v                                                                             */
  HED_PROX_NONNEGATIVE,    /* x >= 0                                                                               */
  HED_PROX_L1,             /* r sum |x|: sign(v) max(|v| - r, 0)                                                   */
  HED_PROX_L2,             /* r |x|, of the whole matrix: v (1 - r / max(|v|, r)); 0 for v = 0                        */
  HED_PROX_L2_SQUARE,      /* r |x|^2: v / (1 + 2 r)                                                               */
  HED_PROX_GROUP,          /* r times the sum of the norms of the rows                                             */
  HED_PROX_SIMPLEX,        /* each column x >= 0 with sum r                                                        */
  HED_PROX_L1_BALL,        /* each column sum |x| <= r                                                             */
  HED_PROX_SPARSE,         /* at most r entries of the matrix are not 0: the largest, of equals the first in C order      */
  HED_PROX_SPARSE_UNIT,    /* that and norm 1 of the matrix; zero stays zero                                        */
  HED_PROX_MAX_UNIT,       /* no projection: each column over its largest absolute value; zero stays zero              */
  HED_PROX_SMOOTH,         /* r / 2 times the sum of squares of differences of neighbours, 0 before the first and after the last:
                              (1 + r tridiag(-1, 2, -1))^-1 v                                                      */
  HED_PROX_INCREASING,     /* no entry of a column is below the one before it                                       */
  HED_PROX_DECREASING,
  HED_PROX_UNIMODAL,       /* each column rises to a peak and falls after it                                        */
  HED_PROX_NUCLEAR,        /* r times the sum of singular values: those less r, where they are above it                */
  HED_PROX_ORTHONORMAL,    /* orthonormal columns (rows, where there are more columns)                             */
  HED_PROX_BOX,            /* low <= x <= high                                                                     */
  HED_PROX_L2_BALL         /* |x| <= r, of the whole matrix                                                        */
} hed_prox_kind;

/* All zero: none. */
typedef struct hed_prox_options {
  hed_prox_kind kind;
  double parameter;   /* r, above 0 (of penalties 0 too)                                                         */
  double low, high;   /* of the box                                                                              */
  bool nonnegative;   /* and x >= 0. Of SPARSE_UNIT, MAX_UNIT, SMOOTH, NUCLEAR and ORTHONORMAL: HED_E_UNSUPPORTED    */
} hed_prox_options;

/* prox(v) of a real vector or matrix V; penalties count SCALE times (0: once). NULL with the error set: HED_E_INVAL (NULL; a V that
 * is not finite, with the first place; no such kind; a parameter without a meaning, by its value), HED_E_SHAPE (neither vector nor
 * matrix), HED_E_DTYPE (complex). */
HED_NEW hed_array *hed_prox(const hed_prox_options *opt, const hed_array *v, double scale);

/* The name of a kind, "l1", "simplex", ..; NULL when there is none of that number. */
HED_API const char *hed_prox_name(int kind);

/* The penalty f of X, or 0 where X is in the set and INFINITY where it is farther from it than TOL times its largest entry. */
HED_API hed_status hed_prox_value(const hed_prox_options *opt, const hed_array *x, double tol, double *out);

typedef enum hed_nnls_method {
  HED_NNLS_ACTIVE_SET,   /* exact, to rounding, variables in any units (R. Bro, S. De Jong, J. Chemometrics 11 (1997) 393-401) */
  HED_NNLS_HALS,         /* coordinate descent, to 1e-12 of the largest change or 10000 passes        */
  HED_NNLS_FISTA         /* accelerated projected gradients with restarts, the same end; 1e5 steps at most (A. Beck, M. Teboulle, SIAM
                            J. Imaging Sci. 2 (2009) 183-202)                                     */
} hed_nnls_method;

/* For each row m of M (I, R) the x >= 0 of least x G x^T / 2 - x m^T, G (R, R) symmetric and positive semidefinite: least squares
 * |b - x^T A|^2 with G = A A^T and m = b A^T. (I, R), in M's type; computed on the host, in float64. HED_E_SHAPE, HED_E_DTYPE,
 * HED_E_INVAL. */
HED_NEW hed_array *hed_nnls(const hed_array *g, const hed_array *m, hed_nnls_method method);

#ifdef __cplusplus
}
#endif
#endif
