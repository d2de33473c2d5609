// SPDX-License-Identifier: BSD-3-Clause
/* Scans, statistics, sorting, searching and sets with allocations that fail: see fault.h.
 */
#include "fault.h"

static hed_array *x, *weights, *whole, *list; /* operands, made once */

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

static result pair(hed_status s, hed_array *a, hed_array *b)
{
  if (s != HED_OK && (a || b))
    fail("results with an error");
  hed_release(a);
  hed_release(b);
  return status(s);
}

static result do_sort_flat(void) { return given(hed_sort(x, &(hed_sort_options){ .flat = true })); }
static result do_partition(void) { return given(hed_partition(x, 1, NULL)); }
static result do_topk_indices(void) { return given(hed_topk_indices(x, 3)); }
static result do_searchsorted(void) { return given(hed_searchsorted(list, x, true)); }
static result do_digitize(void) { return given(hed_digitize(x, list, true)); }
static result do_unique(void)
{
  hed_array *v = NULL, *i = NULL, *inverse = NULL, *counts = NULL;
  hed_status s = hed_unique(x, NULL, &v, &i, &inverse, &counts);
  if (pair(s, v, i) == FAILED || pair(s, inverse, counts) == FAILED)
    return FAILED;
  s = hed_unique(x, NULL, &v, NULL, NULL, &counts);
  return pair(s, v, counts);
}
static result do_unique_with(void)
{
  hed_array *v = NULL, *counts = NULL;
  hed_status s = hed_unique_with(x, &(hed_unique_options){ .every_nan = true }, &v, NULL, NULL, &counts);
  return pair(s, v, counts);
}
static result do_unique_rows(void)
{
  hed_array *v = NULL, *inverse = NULL;
  hed_status s = hed_unique(x, &HED_AXES(0), &v, NULL, &inverse, NULL);
  return pair(s, v, inverse);
}
static result do_isin(void) { return given(hed_isin(x, weights)); }
static result do_intersect1d(void) { return given(hed_intersect1d(x, weights)); }
static result do_union1d(void) { return given(hed_union1d(x, weights)); }
static result do_setxor1d(void) { return given(hed_setxor1d(x, weights)); }
static result do_bincount(void) { return given(hed_bincount(whole, x, 3)); }
static result do_label_mean(void) { return given(hed_label_mean(x, whole, 0)); }
static result do_histogram(void)
{
  hed_array *h = NULL, *e = NULL;
  hed_status s = hed_histogram(x, &(hed_histogram_options){ .weights = x, .density = true }, &h, &e);
  return pair(s, h, e);
}
static result do_filter_points(void) { return given(hed_filter_points_indices(x, 1, NULL)); }
static result do_dbscan(void) { return given(hed_dbscan(x, 4, 1)); }
static result do_assignment(void)
{
  hed_array *r = NULL, *c = NULL;
  hed_status s = hed_linear_sum_assignment(x, false, &r, &c);
  return pair(s, r, c);
}
static result do_find_peaks(void)
{
  hed_array *p = NULL, *q = NULL;
  hed_status s = hed_find_peaks(weights, NULL, &p, &q);
  return pair(s, p, q);
}
static result do_local_max(void) { return given(hed_peak_local_max(x, &(hed_peak_local_max_options){ .border = 1 })); }

static const entry entries[] = {
#define E(f) { #f, do_##f },
  REDUCTIONS(E)
  SCANS(E)
  E(cumsum_transposed) E(quantile) E(percentile) E(diff) E(average) E(cov) E(corrcoef)
  E(sort_flat) E(partition) E(topk_indices) E(searchsorted) E(digitize) E(unique) E(unique_with) E(unique_rows) E(isin) E(intersect1d)
  E(union1d) E(setxor1d) E(bincount) E(label_mean) E(histogram) E(filter_points) E(dbscan) E(assignment) E(find_peaks)
  E(local_max)
#undef E
};

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 }, four[4] = { 1, 2, 1, 1 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  x = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  weights = hed_from_host(four, HED_SHAPE(4), HED_FLOAT32);
  whole = hed_astype(x, HED_INT32);
  list = hed_arange(0, 9, 2, HED_FLOAT32);
  if (!x || !weights || !whole || !list)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], NULL);
  return done();
}
