// SPDX-License-Identifier: BSD-3-Clause
/* Partitions, search in ordered arrays, sets, counting and histograms. Sorting itself: <heddle/ops/sort.h>.
 * Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_SEARCH_H
#define HEDDLE_OPS_SEARCH_H

#include <heddle/array.h>
#include <heddle/ops/sort.h>

HED_BEGIN_DECLS

/* ---- order ---- */

/* Element KTH (negative: from the end) where sorting would put it, smaller ones before it and larger ones after it, with
 * equal ones beside it; the smaller, the equal and the larger ones are each in the order in which they lie in X. */
HED_NEW hed_array *hed_partition(const hed_array *x, int64_t kth, const hed_sort_options *opt);
HED_NEW hed_array *hed_argpartition(const hed_array *x, int64_t kth, const hed_sort_options *opt);
/* Places of the K largest elements in descending order, ties by lowest place: int64 of shape (ndim, k), row j holding
 * indices of axis j. NaN is the smallest. K from 0 to the number of elements. */
HED_NEW hed_array *hed_topk_indices(const hed_array *x, int64_t k);

/* ---- search ---- */

/* How many elements of SORTED (one axis, ascending, NaN last) come before each of VALUES: those that are less, with
 * RIGHT also those that are equal. That SORTED is in order is not checked. */
HED_NEW hed_array *hed_searchsorted(const hed_array *sorted, const hed_array *values, bool right);
/* The bin of each element: BINS ascending: bins[i - 1] <= x < bins[i], with RIGHT bins[i - 1] < x <= bins[i];
 * descending: the other way round. BINS that are neither are HED_E_INVAL. */
HED_NEW hed_array *hed_digitize(const hed_array *x, const hed_array *bins, bool right);

/* ---- sets ---- */

/* The different elements in ascending order; with AXIS (n = 1) the different slices along that axis, ordered by their
 * elements in C order. NaN is last, equal to NaN; 0 and -0 are equal. Complex
 * numbers are in order of their real, then their imaginary parts. Any of the results may be NULL:
 * VALUES; INDEX, the first place of each; INVERSE, for each element (x's shape) or slice (one axis) its place in VALUES;
 * COUNTS. Places are those of the flattened array, or along the axis; int64. */
HED_API hed_status hed_unique(const hed_array *x, const hed_axes *axis, hed_array **values, hed_array **index,
                              hed_array **inverse, hed_array **counts);

typedef struct hed_unique_options {
  hed_axes axis;  /* n = 0: elements */
  bool every_nan; /* NaN differs from NaN: each is kept, and so is each slice with one */
} hed_unique_options;
/* The same by options, NULL for elements of which NaN equals NaN. */
HED_API hed_status hed_unique_with(const hed_array *x, const hed_unique_options *opt, hed_array **values, hed_array **index,
                                   hed_array **inverse, hed_array **counts);
/* bool of X's shape: is the element among those of TEST? NaN is not. */
HED_NEW hed_array *hed_isin(const hed_array *x, const hed_array *test);
/* Sets of the elements of A and B, ascending, with one axis: in both, in one at least, in A alone, in exactly one. */
HED_NEW hed_array *hed_intersect1d(const hed_array *a, const hed_array *b);
HED_NEW hed_array *hed_union1d(const hed_array *a, const hed_array *b);
HED_NEW hed_array *hed_setdiff1d(const hed_array *a, const hed_array *b);
HED_NEW hed_array *hed_setxor1d(const hed_array *a, const hed_array *b);

/* ---- counting ---- */

/* Element k of the result: how often k is in X (integers, not negative), or with WEIGHTS (X's shape) the sum of its
 * weights as float64. At least MINLENGTH elements. */
HED_NEW hed_array *hed_bincount(const hed_array *x, const hed_array *weights, int64_t minlength);
/* Element k: sum or mean of the values whose label (integers of the same shape) is k, for k < N, or up to the largest
 * label when N is 0. Other labels are passed over; a label that does not occur has sum 0 and mean NaN. Accumulated in
 * float64. */
HED_NEW hed_array *hed_label_sum(const hed_array *values, const hed_array *labels, int64_t n);
HED_NEW hed_array *hed_label_mean(const hed_array *values, const hed_array *labels, int64_t n);

typedef struct hed_histogram_options {
  int64_t bins;             /* of equal width; 0 = 10 */
  bool use_range;           /* from low to high; default from the least element to the largest */
  double low, high;
  const hed_array *edges;   /* instead: n + 1 ascending edges of n bins */
  const hed_array *weights; /* of X's shape: bins add up weights instead of ones */
  bool density;             /* divide by the total and the width: the integral is 1 */
} hed_histogram_options;

/* Bin i has edges[i] <= x < edges[i + 1]; the last one also its right edge. What lies outside, and NaN, is dropped. HIST is
 * int64, or float64 with weights or density; EDGES float64; either may be NULL. A range of one value is widened by 0.5 on
 * both sides, that of no elements is [0, 1], one that is not finite is HED_E_INVAL. */
HED_API hed_status hed_histogram(const hed_array *x, const hed_histogram_options *opt, hed_array **hist, hed_array **edges);

HED_END_DECLS

#endif
