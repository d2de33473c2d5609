// SPDX-License-Identifier: BSD-3-Clause
/* Scans, statistics, sorting, searching and sets with allocations that fail: see fault.h.
 */
#include "fault.h"

static hed_array *x, *weights; /* operands, made once */

#define REDUCTIONS(X) X(median) X(nanmedian) X(nansum) X(nanprod) X(nanmean) X(nanvar) X(nanstd) X(nanmax) X(nanmin) \
  X(logsumexp) X(ptp)
#define SCANS(X) X(cumsum) X(cumprod) X(cummax) X(cummin)
#define DO_REDUCE(name) static result do_##name(void) { return given(hed_##name(x, &(hed_reduce){ .axes = HED_AXES(0) })); }
#define DO_SCAN(name) static result do_##name(void) { return given(hed_##name(x, NULL)); }
REDUCTIONS(DO_REDUCE)
SCANS(DO_SCAN)

static result do_cumsum_transposed(void)
{
  hed_array *t = hed_transpose(x, NULL), *y = hed_cumsum(t, NULL);
  hed_release(t);
  return given(y);
}
static result do_quantile(void)
{
  return given(hed_quantile(x, 2, (const double[]){ 0.5, 0.75 }, &(hed_quantiles){ .keepdims = true }));
}
static result do_percentile(void) { return given(hed_percentile(x, 1, (const double[]){ 5 }, NULL)); }
static result do_diff(void) { return given(hed_diff(x, 2, 1)); }
static result do_average(void) { return given(hed_average(x, weights, &(hed_reduce){ .axes = HED_AXES(1) })); }
static result do_cov(void) { return given(hed_cov(x, &(hed_cov_options){ .weights = weights })); }
static result do_corrcoef(void) { return given(hed_corrcoef(x, NULL)); }

static const entry entries[] = {
#define E(f) { #f, do_##f },
  REDUCTIONS(E)
  SCANS(E)
  E(cumsum_transposed) E(quantile) E(percentile) E(diff) E(average) E(cov) E(corrcoef)
#undef E
};

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 }, four[4] = { 1, 2, 1, 1 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  weights = hed_from_host(four, HED_SHAPE(4), HED_FLOAT32);
  if (!x || !weights)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
