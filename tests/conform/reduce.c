// SPDX-License-Identifier: BSD-3-Clause
/* Conformance jobs of scans and statistics: see conform.h. */
#include "conform.h"

#include <math.h>

void job_scan(run *r)
{
  hed_array *(*f)(const hed_array *, const hed_scan *) =
    r->op == HED_OP_CUMSUM ? hed_cumsum : r->op == HED_OP_CUMPROD ? hed_cumprod :
    r->op == HED_OP_CUMMAX ? hed_cummax : hed_cummin;
  hed_status (*into)(hed_array *, const hed_array *, const hed_scan *) =
    r->op == HED_OP_CUMSUM ? hed_cumsum_into : r->op == HED_OP_CUMPROD ? hed_cumprod_into :
    r->op == HED_OP_CUMMAX ? hed_cummax_into : hed_cummin_into;
  hed_array *x = operand(r, 0), *y = f(x, NULL);
  put(r, y);
  put(r, f(x, &(hed_scan){ .axis = HED_AXES(-1) }));
  put(r, f(x, &(hed_scan){ .axis = HED_AXES(0) }));
  put(r, f(x, &(hed_scan){ .axis = HED_AXES(1), .dtype = HED_FLOAT64 }));
  put(r, f(x, &(hed_scan){ .axis = HED_AXES(-1), .dtype = HED_INT32 }));
  hed_array *z = y ? f(x, &(hed_scan){ .axis = HED_AXES(-1) }) : NULL;
  if (!z)
    return;
  hed_array *out = hed_flip(hed_empty_like(z), NULL), *own = hed_astype(x, hed_array_dtype(z));
  put_status(r, into(out, x, &(hed_scan){ .axis = HED_AXES(-1) }), out);
  own = hed_copy(own);
  put_status(r, into(own, own, &(hed_scan){ .axis = HED_AXES(-1) }), own);
}

void job_quantile(run *r)
{
  static const double fractions[] = { 0.5, 0, 1, 0.25, 0.9, 0.125, 0.3 };
  hed_array *(*f)(const hed_array *, int32_t, const double *, const hed_quantiles *) =
    r->op == HED_OP_QUANTILE ? hed_quantile : hed_percentile;
  double q[40], many[40];
  for (int k = 0; k < 40; k++) {
    double scale = r->op == HED_OP_QUANTILE ? 1 : 100;
    q[k] = scale * fractions[k % 7];
    many[k] = scale * (39 - k) / 39.0;
  }
  hed_array *x = operand(r, 0);
  put(r, f(x, 7, q, NULL));
  put(r, f(x, 40, many, &(hed_quantiles){ .axes = HED_AXES(0), .omit_nan = true }));
  for (int method = HED_QUANTILE_LINEAR; method <= HED_QUANTILE_NEAREST; method++) {
    put(r, f(x, 5, q, &(hed_quantiles){ .axes = HED_AXES(-1), .method = method }));
    put(r, f(x, 5, q, &(hed_quantiles){ .axes = HED_AXES(1, -1), .method = method, .omit_nan = true, .keepdims = true }));
  }
  put(r, f(x, 3, q, &(hed_quantiles){ .axes = HED_AXES(0, 2), .dtype = HED_FLOAT64 }));
}

/* What takes hed_reduce. */
void job_statistic(run *r)
{
  static hed_array *(*const by_op[HED_OP_COUNT_])(const hed_array *, const hed_reduce *) = {
    [HED_OP_MEDIAN] = hed_median, [HED_OP_NANMEDIAN] = hed_nanmedian, [HED_OP_NANSUM] = hed_nansum,
    [HED_OP_NANPROD] = hed_nanprod, [HED_OP_NANMEAN] = hed_nanmean, [HED_OP_NANVAR] = hed_nanvar,
    [HED_OP_NANSTD] = hed_nanstd, [HED_OP_NANMAX] = hed_nanmax, [HED_OP_NANMIN] = hed_nanmin,
    [HED_OP_LOGSUMEXP] = hed_logsumexp, [HED_OP_PTP] = hed_ptp,
  };
  hed_array *(*f)(const hed_array *, const hed_reduce *) = by_op[r->op];
  hed_array *x = operand(r, 0);
  put(r, f(x, NULL));
  bool real = hed_dtype_kind(r->dtype) == HED_KIND_FLOAT;
  bool holes = real && r->op != HED_OP_MEDIAN && r->op != HED_OP_PTP;
  hed_array *both[2] = { x, holes ? hed_where(hed_greater_scalar(x, 3), hed_scalar(NAN), x) : NULL };
  for (int k = 0; k < (holes ? 2 : 1); k++) {
    put(r, f(both[k], &(hed_reduce){ .keepdims = true, .ddof = 1 }));
    put(r, f(both[k], &(hed_reduce){ .axes = HED_AXES(-1) }));
    put(r, f(both[k], &(hed_reduce){ .axes = HED_AXES(0, 1), .ddof = 1 }));
    put(r, f(both[k], &(hed_reduce){ .axes = HED_AXES(1), .dtype = HED_FLOAT64 }));
  }
}

void job_diff(run *r)
{
  hed_array *x = operand(r, 0);
  if (r->extent == SCALAR)
    return;
  put(r, hed_diff(x, 1, -1));
  put(r, hed_diff(x, 2, 0));
  put(r, hed_diff(x, 0, 1));
  put(r, hed_diff(x, 9, 1));
}

void job_average(run *r)
{
  hed_array *x = operand(r, 0), *w = operand_of(r, 1, HED_FLOAT32, run_shape(r), 1, 4);
  put(r, hed_average(x, NULL, NULL));
  put(r, hed_average(x, w, NULL));
  put(r, hed_average(x, w, &(hed_reduce){ .axes = HED_AXES(-1), .keepdims = true }));
  put(r, hed_average(x, x, &(hed_reduce){ .axes = HED_AXES(0), .dtype = HED_COMPLEX128 }));
  if (r->extent == NORMAL)
    put(r, hed_average(x, operand_of(r, 2, HED_FLOAT64, HED_SHAPE(6), 1, 4), &(hed_reduce){ .axes = HED_AXES(2) }));
}

void job_cov(run *r)
{
  hed_array *(*f)(const hed_array *, const hed_cov_options *) = r->op == HED_OP_COV ? hed_cov : hed_corrcoef;
  hed_array *x = operand_of(r, 0, r->dtype, HED_SHAPE(4, 30), 1, 3);
  hed_array *w = operand_of(r, 1, HED_FLOAT32, HED_SHAPE(30), 1, 2);
  if (r->repeats) { /* rows of equal values have a covariance of rounding errors alone */
    hed_array *pattern = hed_mod_scalar(hed_multiply_scalar(hed_arange(0, 120, 1, HED_INT64), 37), 11);
    x = hed_astype(hed_multiply(x, hed_reshape(pattern, HED_SHAPE(4, 30))), r->dtype);
  }
  hed_array *results[] = {
    f(x, NULL), f(x, &(hed_cov_options){ .population = true, .weights = w }),
    f(hed_transpose(x, NULL), &(hed_cov_options){ .columns = true, .weights = w }), f(hed_index(x, 0, 1), NULL),
  };
  for (size_t k = 0; k < sizeof results / sizeof *results; k++) /* products of spreads cancel, and none is above the largest */
    put_errors(r, results[k], largest(results[k]));
}
