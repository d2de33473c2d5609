// SPDX-License-Identifier: BSD-3-Clause
/* Scans and statistics: cumulative operations, quantiles, reductions that pass over NaN, weighted means, covariance.
 * The reductions over any axes (sum, max, std ...) are rows of ops.def. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_REDUCE_H
#define HEDDLE_OPS_REDUCE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

struct hed_reduce;

/* ---- scans ---- */

typedef struct hed_scan {
  hed_axes axis;   /* HED_AXES(k); n = 0: the array flattened in C order, the result has one axis */
  hed_dtype dtype; /* result and accumulation type, NULL = by rule */
  bool initial;    /* cumsum and cumprod: 0 or 1 comes first, and the axis has one element more */
} hed_scan;

/* Element k is the sum, product, largest or smallest of elements 0 to k. Accumulation runs in the widest type of the
 * kind and each element is rounded by itself. OUT may be X when nothing is flattened and the dtypes agree. */
HED_NEW hed_array *hed_cumsum(const hed_array *x, const hed_scan *opt);
HED_API hed_status hed_cumsum_into(hed_array *out, const hed_array *x, const hed_scan *opt);
HED_NEW hed_array *hed_cumprod(const hed_array *x, const hed_scan *opt);
HED_API hed_status hed_cumprod_into(hed_array *out, const hed_array *x, const hed_scan *opt);
HED_NEW hed_array *hed_cummax(const hed_array *x, const hed_scan *opt);
HED_API hed_status hed_cummax_into(hed_array *out, const hed_array *x, const hed_scan *opt);
HED_NEW hed_array *hed_cummin(const hed_array *x, const hed_scan *opt);
HED_API hed_status hed_cummin_into(hed_array *out, const hed_array *x, const hed_scan *opt);
/* differences of neighbours, N times (0 copies); each time the axis has one element less, and none from 0 on */
HED_NEW hed_array *hed_diff(const hed_array *x, int64_t n, int32_t axis);

/* The sequence along AXIS that never falls (DESCENDING: never rises) and is nearest to X: the least sum of
 * WEIGHTS (x - y)^2, by pooling adjacent violators. WEIGHTS, NULL for ones, broadcast to X and are not negative: an element
 * of weight 0 follows the others. NaN stays where it is and parts what lies before it from what lies behind it. */
HED_NEW hed_array *hed_isotonic(const hed_array *x, const hed_array *weights, int32_t axis, bool descending);

/* ---- quantiles ---- */

/* What to do between two ranks i < q (m - 1) < i + 1 with the fraction t: x[i] + t (x[i + 1] - x[i]), x[i], x[i + 1],
 * their mean, or the nearer (halfway: the even rank). */
typedef enum hed_quantile_method {
  HED_QUANTILE_LINEAR, HED_QUANTILE_LOWER, HED_QUANTILE_HIGHER, HED_QUANTILE_MIDPOINT, HED_QUANTILE_NEAREST
} hed_quantile_method;

typedef struct hed_quantiles {
  hed_axes axes; /* n = 0: all */
  bool keepdims;
  int32_t method; /* hed_quantile_method */
  bool omit_nan;  /* pass over NaN; else a NaN gives NaN */
  hed_dtype dtype; /* of the result: a real float, NULL = by rule. Ranks are found in float64 */
} hed_quantiles;

/* N values of Q in [0, 1] (PERCENT in [0, 100]) give a leading axis of N in front of the axes that are kept. NaN where
 * there are no elements. */
HED_NEW hed_array *hed_quantile(const hed_array *x, int32_t n, const double *q, const hed_quantiles *opt);
HED_NEW hed_array *hed_percentile(const hed_array *x, int32_t n, const double *percent, const hed_quantiles *opt);
/* one value, without the leading axis; ddof of the options is not used */
HED_NEW hed_array *hed_median(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanmedian(const hed_array *x, const struct hed_reduce *opt);

/* ---- reductions that pass over NaN ---- */

/* As the reductions without nan in their name, over the elements that are not NaN; for types without NaN the same.
 * nanmax and nanmin over an axis without elements are HED_E_SHAPE. */
HED_NEW hed_array *hed_nansum(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanprod(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanmean(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanvar(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanstd(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanmax(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_nanmin(const hed_array *x, const struct hed_reduce *opt);

/* ---- others over any axes ---- */

/* m + log(sum(exp(x - m))) with m the largest; infinite values give what the formula's limit is: +inf wins, -inf adds
 * nothing. Over all axes by default. */
HED_NEW hed_array *hed_logsumexp(const hed_array *x, const struct hed_reduce *opt);
HED_NEW hed_array *hed_ptp(const hed_array *x, const struct hed_reduce *opt);
/* WEIGHTS (NULL: all 1) broadcast to X's shape, or have one axis and belong to the one axis of the options. Weights that
 * add up to 0 divide by 0 as IEEE 754 says. */
HED_NEW hed_array *hed_average(const hed_array *x, const hed_array *weights, const struct hed_reduce *opt);

typedef struct hed_cov_options {
  bool columns;    /* a column is a variable and a row an observation; default the other way round */
  bool population; /* divide by n instead of n - 1 */
  const hed_array *weights; /* one per observation, NULL = all 1: divisor sum(w) - sum(w^2) / sum(w), or sum(w) */
} hed_cov_options;

/* X has two axes, or one: a single variable, with a result without axes. Integers are taken as the context's REAL. */
HED_NEW hed_array *hed_cov(const hed_array *x, const hed_cov_options *opt);
/* both parts within [-1, 1] */
HED_NEW hed_array *hed_corrcoef(const hed_array *x, const hed_cov_options *opt);

HED_END_DECLS

#endif
