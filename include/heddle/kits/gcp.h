// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/gcp.h: CP decompositions for other losses than squares: all factors at once, and of counts.
 *
 * Layer: public header of the tensor kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * A loss f(x, m) says how ill an entry x of the data goes with the entry m of the model; what is sought is the least mean of f over
 * the entries that are observed. (D. Hong, T. G. Kolda, J. A. Duersch, SIAM Review 62 (2020) 133-163.) How runs are watched:
 * sweeps.h, but save for squares what a run has in place of relative errors is that mean, and it ends where it changes by less than
 * TOL of itself.
 *
 * Errors of all functions: HED_E_INVAL (NULL, a rank below 1, numbers without a meaning, values that are not finite), HED_E_RANGE
 * (values that the loss is not for, with the first place), HED_E_DTYPE (complex X), HED_E_SHAPE (masks and starts of other shapes:
 * both are named), HED_E_CANCELLED, HED_E_NOMEM. *OUT is filled on success and all zero on failure; FIT (NULL: not wanted) too.
 * Thread-safety: all functions may run in several threads at once.
 */
#ifndef HEDDLE_KITS_GCP_H
#define HEDDLE_KITS_GCP_H
#include <heddle/kits/tensor_sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* e is 1e-10, so that no logarithm is infinite; p is the parameter. Where m >= 0 factors have no negative entries. */
typedef enum hed_gcp_loss {
  HED_GCP_GAUSSIAN,          /* (x - m)^2                                                                             */
  HED_GCP_HUBER,             /* (x - m)^2 up to |x - m| = p, beyond 2 p |x - m| - p^2                                  */
  HED_GCP_POISSON,           /* m - x log(m + e); x, m >= 0: counts                                                   */
  HED_GCP_POISSON_LOG,       /* exp(m) - x m; x >= 0: m is the logarithm of the mean                                  */
  HED_GCP_BERNOULLI_ODDS,    /* log(m + 1) - x log(m + e); 0 <= x <= 1, m >= 0: the odds of 1                         */
  HED_GCP_BERNOULLI_LOGIT,   /* log(1 + exp(m)) - x m; 0 <= x <= 1: the logarithm of these odds                       */
  HED_GCP_GAMMA,             /* x / (m + e) + log(m + e); x, m >= 0                                                   */
  HED_GCP_RAYLEIGH,          /* 2 log(m + e) + pi / 4 (x / (m + e))^2; x, m >= 0                                      */
  HED_GCP_NEGATIVE_BINOMIAL, /* (p + x) log(1 + m) - x log(m + e); x, m >= 0; p > 0 trials                            */
  HED_GCP_BETA               /* (m + e)^p / p - x (m + e)^(p - 1) / (p - 1); x, m >= 0; p not 0 or 1: beta divergence */
} hed_gcp_loss;

/* Name of a loss: "gaussian", "huber", "poisson", "poisson_log", ..; NULL when there is none of that number. And its number; -1, with
 * the error set and naming all that there are, when there is none of that name. */
HED_API const char *hed_gcp_loss_name(int loss);
HED_API int hed_gcp_loss_by_name(const char *name);

/* All zero is the default. */
typedef struct hed_gcp_options {
  hed_sweeps sweeps;        /* a step each; at most 1000, to a change of the mean loss of 1e-9 of itself                 */
  hed_gcp_loss loss;
  double parameter;         /* p; HUBER 0: 1; NEGATIVE_BINOMIAL 0: 1; BETA 0: 0.5                                        */
  hed_axes nonnegative_modes; /* factors without negative entries, where the loss does not ask for it                   */
  hed_cp_start start_by;
  const hed_cp *start;      /* begin here, whatever its scale; NULL: as start_by says, times a number that fits the data  */
  int64_t restarts;         /* starts that are tried, the best result counts; 0: 1. From the second on they are random */
  hed_random random;        /* of random starts; all zero: the context's stream                                      */
  const hed_array *mask;    /* of X's shape, 0 where an entry is missing, whatever X has there; NULL: none is          */
  bool nan_is_missing;      /* entries that are NaN are missing                                                      */
  double tol_gradient;      /* ends the run where no derivative is larger, in shares of the largest one at the start; 0: 1e-7,
                               below 0: it is not looked at                                                                 */
  int32_t history;          /* differences that are remembered; 0: 10                                                 */
  bool normalise;           /* columns of norm 1, their norms in the weights, largest first                            */
} hed_gcp_options;

/* CP decomposition of RANK of a real X, 2 to 15 axes, all factors at once, by quasi-Newton steps of limited memory that keep to the
 * bounds (D. P. Bertsekas, SIAM J. Control Optim. 20 (1982) 221-246; J. Nocedal, Math. Comp. 35 (1980) 773-782), the step by
 * the conditions of Armijo and Wolfe; the loss never rises. With HED_GCP_GAUSSIAN that is the decomposition of hed_cp_als() as one
 * optimisation: slower where ALS is at ease, better where components are alike. (E. Acar, D. M. Dunlavy, T. G. Kolda, J. Chemometrics
 * 25 (2011) 67-86.) Data are scaled for HED_GCP_GAUSSIAN alone; other losses have a unit. Unknowns and their differences are kept on
 * the host in float64. Memory beyond X: three tensors of its size, with missing entries four. */
HED_API hed_status hed_gcp(const hed_array *x, int64_t rank, const hed_gcp_options *opt, hed_cp *out, hed_fit *fit);

/* The mean loss of C over the entries of X that MASK (NULL: all) leaves, into *VALUE, and its derivatives by the factors, OUT[k]
 * (I_k, rank) for each mode (OUT NULL: not wanted), weights taken into the last factor. PARAMETER as in the options. X is not
 * looked at where it is masked. On an error every OUT is NULL and *VALUE 0. */
HED_API hed_status hed_gcp_gradient(const hed_cp *c, const hed_array *x, const hed_array *mask, hed_gcp_loss loss, double parameter,
                                    double *value, hed_array **out);

/* All zero is the default. */
typedef struct hed_cp_apr_options {
  hed_sweeps sweeps;    /* at most 1000; tol is of the conditions of a least, in
                           counts over the power of two above the largest: 1e-4 */
  int32_t inner;        /* steps at most for a factor; 0: 10                                                           */
  double lift;          /* what an entry that was 0 in error becomes, before its column gets sum 1; 0: 0.01, below 0: it stays */
  const hed_cp *start;  /* without negative entries; NULL: random                                                      */
  int64_t restarts;     /* starts that are tried, the best result counts; 0: 1. From the second on they are random     */
  hed_random random;    /* of random starts; all zero: the context's stream                                            */
} hed_cp_apr_options;

/* CP decomposition of counts X >= 0 by alternating Poisson regression: of all m without negative entries those under which the
 * counts are most likely, factor by factor by multiplicative steps, with what frees entries that these have made 0 too early.
 * Columns have sum 1, weights their sizes, largest first, and the fit of each sweep has the sum of X. In place of relative errors a
 * run has the divergence sum(x log(x / m) - x + m) over sum(x), which never rises without LIFT; half the deviance, so the
 * log-likelihood but for a constant. X is dense or a list of entries, which alone are looked at. (E. C. Chi, T. G. Kolda, SIAM J.
 * Matrix Anal. Appl. 33 (2012) 1272-1299.) Memory beyond X: three tensors of its size, of a list three lists of values. */
HED_API hed_status hed_cp_apr(const hed_array *x, int64_t rank, const hed_cp_apr_options *opt, hed_cp *out, hed_fit *fit);
HED_API hed_status hed_coo_cp_apr(const hed_coo *x, int64_t rank, const hed_cp_apr_options *opt, hed_cp *out, hed_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
