// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/decompose.h: CP and Tucker decompositions.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * All functions take a tensor X of 2 to 15 axes, of any dtype, layout and memory space; the work is done where the current context
 * runs, in float32, or in X's own type where that is float64 or complex. An X that lies in C order there and in that type is not
 * copied, and no unfolding is ever made; one copy is held where entries are missing, and, over a power of two, where the largest |x|
 * is not near 1 and sweeps depend on it: with constraints, mixtures, samples and SPARSITY, and of values that squares would not fit.
 * That makes no difference to results: of X times a power of two they are those of X times that power, to the last digit, unless a
 * penalty has a unit. Values have to be finite where they are observed (HED_E_INVAL with the first place). Results are new arrays.
 * *OUT is filled on success and all zero on failure; FIT (NULL: not wanted) too. How runs are watched and when they stop: sweeps.h.
 *
 * Random starts depend on the option random and the number of the restart alone: the same on every backend.
 *
 * Errors of all functions: HED_E_INVAL (NULL, a rank below 1, numbers without a meaning, values that are not finite), HED_E_SHAPE (an
 * axis too few, no elements, masks and starts of other shapes: both are named), HED_E_AXIS, HED_E_CANCELLED, HED_E_NOMEM.
 * Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_DECOMPOSE_H
#define HEDDLE_KITS_DECOMPOSE_H
#include <heddle.h>
#include <heddle/kits/proximal.h>
#include <heddle/kits/sweeps.h>
#include <heddle/kits/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- CP ---- */

typedef enum hed_cp_start {
  HED_START_SVD,    /* leading eigenvectors of the Gram matrix of each unfolding; more columns than those are normal noise. Factors
                       without negative entries: the larger positive parts of these singular pairs (NNDSVD), their mean for 0 */
  HED_START_RANDOM, /* uniform in [0, 1)                                                                            */
  HED_START_NORMAL  /* standard normal, complex where X is                                                          */
} hed_cp_start;

typedef enum hed_missing {
  HED_MISSING_AUTO,    /* IMPUTE where at least 0.8 of the entries are observed, else WEIGHTED                       */
  HED_MISSING_IMPUTE,  /* before each sweep missing entries become what the factors say (expectation maximisation); a slice without
                          an entry keeps what it started from, filled with the mean of the others                          */
  HED_MISSING_WEIGHTED /* each row of a factor by its own normal equations over observed entries; one of fewer than rank entries is of
                          minimum norm, one of none is zero                                                          */
} hed_missing;

typedef enum hed_acceleration {
  HED_ACCELERATE_NONE,
  HED_ACCELERATE_LINE, /* from sweep 6 on a step of sweep^(1/p) times the last change, p = 3 and one more after 4 failures in a row
                          (R. Bro, thesis, University of Amsterdam, 1998), taken where it lowers the error           */
  HED_ACCELERATE_NESTEROV, /* a step of (k - 1) / (k + 2) beyond the last change, k sweeps since one failed          */
  HED_ACCELERATE_ANDERSON /* the mixture of the last four sweeps whose changes cancel best (D. G. Anderson, J. ACM 12 (1965) 547-560),
                          taken where it lowers the error; where it does not, memory begins anew                     */
} hed_acceleration;

/* All zero is the default. */
typedef struct hed_cp_options {
  hed_sweeps sweeps;
  hed_cp_start start_by;
  const hed_cp *start;      /* begin here; NULL: as start_by says. Modes that are fixed need it                        */
  int64_t restarts;         /* starts that are tried, the best result counts; 0: 1. From the second on they are random */
  hed_random random;        /* of random starts; all zero: the context's stream                                      */
  const hed_array *mask;    /* of X's shape, 0 where an entry is missing, whatever X has there; NULL: none is          */
  bool nan_is_missing;      /* entries that are NaN are missing                                                      */
  hed_missing missing;      /* what is done about them                                                               */
  hed_axes fixed_modes;     /* factors that stay as they are in START                                                */
  hed_axes nonnegative_modes; /* factors without negative entries, by five passes of HALS; a component that they left
                                 without entries begins again, along what the model lacks, before a start ends          */
  int32_t orthogonalise;    /* before each of so many first sweeps, factors of at least rank rows get orthonormal columns */
  double l2;                /* times the sum of squares of all factors is added to the squared error; 0: none            */
  double sparsity;          /* X = CP + S, S of so many entries, or a share of all where below 1, the largest residuals; 0: no S */
  hed_array **sparse;       /* S, the caller's; NULL: not wanted                                                      */
  hed_acceleration acceleration;
  bool normalise;           /* columns of norm 1, their norms in the weights, largest first                            */
} hed_cp_options;

/* CP decomposition of RANK by alternating least squares: sweep by sweep each factor solves its normal equations, by Cholesky factors,
 * or where these are singular to working precision by eigenvectors with the minimum norm, so rank-deficient and zero tensors are no
 * errors. Without L2, SPARSITY and ORTHOGONALISE the error never rises. The error is that over observed entries; it comes from
 * products of factors, and from the differences where that would lose digits. Where two components cancel each other (congruence
 * below -0.95), as they do when X has no best approximation of this rank, FIT's note says so. Memory beyond X: the products with one
 * half of the modes, about rank times the root of X's size, with missing entries or SPARSITY once or twice X. (J. D. Carroll, J.-J.
 * Chang, Psychometrika 35 (1970) 283-319; R. A. Harshman, UCLA Working Papers in Phonetics 16 (1970) 1-84.) */
HED_API hed_status hed_cp_als(const hed_array *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit);

/* All zero is the default. */
typedef struct hed_cp_hals_options {
  hed_cp_options cp;           /* nonnegative_modes: which are, none listed: all; l2, sparsity and acceleration count too  */
  int32_t inner;               /* passes over the columns of a factor; 0: 5                                               */
  double l1[HED_MAX_NDIM];     /* times the sum of the mode's factor is added to the squared error, where that is so      */
  double ridge[HED_MAX_NDIM];  /* times the sum of its squares                                                            */
} hed_cp_hals_options;

/* CP decomposition without negative entries: factor by factor by coordinate descent over columns (hierarchical alternating least
 * squares; rows are done on the host, in float64), modes that may be negative by least squares. Without l1 and ridges the error never
 * rises. (A. Cichocki, A.-H. Phan, IEICE Trans. Fundamentals E92-A (2009) 708-721; N. Gillis, F. Glineur, Neural Computation 24
 * (2012) 1085-1105.) HED_E_DTYPE: X is complex. */
HED_API hed_status hed_cp_nn_hals(const hed_array *x, int64_t rank, const hed_cp_hals_options *opt, hed_cp *out, hed_fit *fit);

/* The same by multiplicative updates, A <- A * (M / (A G)), of an X whose entries should not be negative (negative parts of M count as
 * 0). An entry that is 0 stays 0: a start by HED_START_SVD has none. nonnegative_modes is not looked at: all are. (D. D. Lee, H. S.
 * Seung, NIPS 13 (2001) 556-562.) */
HED_API hed_status hed_cp_nn_mu(const hed_array *x, int64_t rank, const hed_cp_options *opt, hed_cp *out, hed_fit *fit);

/* All zero is the default. */
typedef struct hed_cp_constrained_options {
  hed_cp_options cp;                       /* nonnegative_modes: in addition to what the constraint says                */
  hed_prox_options constraint[HED_MAX_NDIM]; /* of each mode; all zero: none                                            */
  int32_t inner;                           /* steps at most for a factor; 0: 10                                         */
  double inner_tol;                        /* primal and dual residuals, relative, that end them; 0: 1e-4, below 0: none */
} hed_cp_constrained_options;

/* CP decomposition with constraints on factors: each is found by the alternating direction method of multipliers, with a step of
 * the mean of the Gram matrix's diagonal; penalties are added to half the squared error; duals are kept from sweep to sweep. The
 * factors are those that meet their constraints.
 * (K. Huang, N. D. Sidiropoulos, A. P. Liavas, IEEE Trans. Signal Processing 64 (2016) 5052-5065.) */
HED_API hed_status hed_cp_constrained(const hed_array *x, int64_t rank, const hed_cp_constrained_options *opt, hed_cp *out,
                                      hed_fit *fit);

/* All zero is the default. */
typedef struct hed_cp_sampled_options {
  hed_sweeps sweeps;      /* at most 100, to a change of the estimate of 1e-6                                          */
  hed_cp_start start_by;
  const hed_cp *start;    /* NULL: as start_by says                                                                   */
  hed_random random;      /* of starts and samples; all zero: the context's stream                                    */
  int64_t samples;        /* rows of the Khatri-Rao product for each factor; 0: 100 + 40 times the rank                  */
  bool uniform;           /* all rows alike; else with the product of the leverage scores of their factors' rows         */
  int64_t fit_samples;    /* entries from which errors are estimated, the same in each sweep; 0: 16384. X of no more: all */
} hed_cp_sampled_options;

/* CP decomposition where each factor solves its least-squares problem on sampled columns of the unfolding alone: a sweep looks at few
 * entries of X. Errors in FIT are estimates from fit_samples entries; FIT's error is that of the result, exactly. They may rise.
 * (C. Battaglino, G. Ballard, T. G. Kolda, SIAM J. Matrix Anal. Appl. 39 (2018) 876-901; B. W. Larsen, T. G. Kolda, ibid. 43 (2022)
 * 1488-1517.) */
HED_API hed_status hed_cp_sampled(const hed_array *x, int64_t rank, const hed_cp_sampled_options *opt, hed_cp *out, hed_fit *fit);

/* All zero is the default. */
typedef struct hed_cp_power_options {
  hed_sweeps sweeps;      /* of each start of a component: at most 100, to 1e-8; progress is called after each component   */
  int64_t repeats;        /* starts of each component, the best counts; 0: 10                                         */
  hed_random random;      /* of starts; all zero: the context's stream                                                */
} hed_cp_power_options;

/* CP decomposition component by component: the best of some rank-1 tensors by the higher-order power method is taken out of X, and so
 * on. Exact where the components are orthogonal; else alternating least squares do better. Columns have norm 1, weights their
 * sizes. FIT has an error per component. Memory: X once more. (A. Anandkumar et al., J. Machine Learning Res. 15 (2014) 2773-2832.) */
HED_API hed_status hed_cp_power(const hed_array *x, int64_t rank, const hed_cp_power_options *opt, hed_cp *out, hed_fit *fit);

/* The same with one factor for all modes, of a real X that does not change when its modes are exchanged (which is taken for granted;
 * extents are equal, or HED_E_SHAPE): power iterations with a shift that makes them converge, v <- X v^(d-1) + a v. Of an even order
 * weights may be negative. HED_E_DTYPE: complex. (T. G. Kolda, J. R. Mayo, SIAM J. Matrix Anal. Appl. 32 (2011) 1095-1124.) */
HED_API hed_status hed_cp_symmetric(const hed_array *x, int64_t rank, const hed_cp_power_options *opt, hed_cp *out, hed_fit *fit);

/* ---- CP of a growing tensor ---- */

/* A decomposition that follows a tensor to which slices are added along one mode. For one thread at a time. */
typedef struct hed_cp_stream {
  hed_cp cp;               /* as it is now: FACTOR[mode] has a row per slice */
  int32_t mode;
  int32_t exponent;        /* products and Gram matrices are those of the slices over 2^exponent */
  double forgetting;       /* what slices so far count when more come; 1: as much as new ones */
  hed_array *product[HED_MAX_NDIM], *gram[HED_MAX_NDIM]; /* of the other modes: sums over slices */
} hed_cp_stream;

/* Begin with X and a decomposition START of it (hed_cp_als). FORGETTING in (0, 1]. *OUT is released by hed_cp_stream_clear(). */
HED_API hed_status hed_cp_stream_begin(const hed_array *x, const hed_cp *start, int32_t mode, double forgetting, hed_cp_stream *out);

/* The slices X, of S's shape but along its mode: their rows by least squares, then the other factors by the sums over all slices. On
 * failure S stays as it was. No old slice is looked at. (S. Zhou et al., KDD 2016, 1375-1384.) */
HED_API hed_status hed_cp_stream_add(hed_cp_stream *s, const hed_array *x);

/* NULL is fine. */
HED_API void hed_cp_stream_clear(hed_cp_stream *s);

/* ---- Tucker ---- */

/* All zero is the default. */
typedef struct hed_tucker_options {
  hed_sweeps sweeps;
  bool random_start;        /* orthonormal factors from normal numbers; else from hed_tucker_hosvd()                   */
  hed_random random;
  const hed_tucker *start;  /* begin with its factors; NULL: as above                                                 */
  double eps;               /* without ranks: the least that hed_tucker_hosvd() needs for this relative error          */
  const hed_array *mask;    /* of X's shape, 0 where an entry is missing; it is filled in before each sweep            */
  bool nan_is_missing;
  hed_axes fixed_modes;     /* factors that stay as they are in START                                                 */
} hed_tucker_options;

/* RANKS: one for each axis of X, or one for all; 0: that mode stays as it is, without a factor. Ranks above an extent, or above the
 * product of the other ranks, are cut, which FIT's note says. NULL: by EPS.
 *
 * hed_tucker_hosvd: the sequentially truncated higher-order singular value decomposition: mode by mode the leading eigenvectors of
 * the Gram matrix of what is left. With EPS > 0 each mode keeps as few as leave out at most EPS^2 |x|^2 / (number of modes) of the
 * squares, so the relative error is at most EPS; with RANKS too these are the most. An EPS that a Gram matrix cannot resolve
 * (below the root of the precision) is met by the triangles of unfoldings' orthogonal factors, made by pieces. (N. Vannieuwenhoven,
 * R. Vandebril, K. Meerbergen, SIAM J. Sci. Comput. 34 (2012) A1027-A1052.)
 *
 * hed_tucker_hooi: higher-order orthogonal iteration: each sweep chooses the factors one by one as the leading eigenvectors for the
 * others as they are, so the error never rises. Factors are orthonormal, the error is the root of |x|^2 - |core|^2 over |x|, from
 * differences where that would lose digits or entries are missing. 2 passes over X a sweep. 100 sweeps at most. (L. De Lathauwer,
 * B. De Moor, J. Vandewalle, SIAM J. Matrix Anal. Appl. 21 (2000) 1324-1342.) */
HED_API hed_status hed_tucker_hosvd(const hed_array *x, const hed_shape *ranks, double eps, hed_tucker *out, hed_fit *fit);
HED_API hed_status hed_tucker_hooi(const hed_array *x, const hed_shape *ranks, const hed_tucker_options *opt, hed_tucker *out,
                                   hed_fit *fit);

typedef enum hed_nn_tucker_method {
  HED_NN_TUCKER_HALS, /* factors by five passes of coordinate descent, the core by projected accelerated gradients */
  HED_NN_TUCKER_MU    /* multiplicative updates of factors and core                                         */
} hed_nn_tucker_method;

/* A core and factors without negative entries, RANKS for each axis of X, or one for all (0: the mode has no factor), which is real.
 * Begins with START's absolute values, or those of random numbers; eps does not count. The error never rises. (D. D. Lee, H. S.
 * Seung, NIPS 13 (2001) 556-562; A.-H. Phan, A. Cichocki, Neurocomputing 74 (2011) 1956-1969.) */
HED_API hed_status hed_tucker_nonnegative(const hed_array *x, const hed_shape *ranks, hed_nn_tucker_method method,
                                          const hed_tucker_options *opt, hed_tucker *out, hed_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
