// SPDX-License-Identifier: BSD-3-Clause
/* Conformance jobs of search, sets, counting, points and peaks: see conform.h. */
#include "conform.h"

void job_partition(run *r)
{
  hed_array *x = operand(r, 0);
  hed_array *(*f)(const hed_array *, int64_t, const hed_sort_options *) =
    r->op == HED_OP_PARTITION ? hed_partition : hed_argpartition;
  put(r, f(x, 2, NULL));
  put(r, f(x, -1, &(hed_sort_options){ .axis = HED_AXES(0), .descending = true }));
  put(r, f(x, 7, &(hed_sort_options){ .flat = true }));
}

void job_topk_indices(run *r)
{
  hed_array *x = operand(r, 0);
  put(r, hed_topk_indices(x, 0));
  put(r, hed_topk_indices(x, r->extent == SCALAR ? 1 : 5));
}

void job_search(run *r)
{
  hed_array *x = operand(r, 0), *list = operand_of(r, 1, r->dtype, HED_SHAPE(17), -9, 9), *sorted = hed_sort(list, NULL);
  hed_array *(*f)(const hed_array *, const hed_array *, bool) =
    r->op == HED_OP_DIGITIZE ? hed_digitize : NULL;
  if (f) { /* bins without NaN */
    hed_array *bins = hed_linspace(-6, 6, 9, HED_FLOAT32), *down = hed_flip(bins, NULL);
    put(r, f(x, bins, false));
    put(r, f(x, bins, true));
    put(r, f(x, down, false));
    put(r, f(x, down, true));
    return;
  }
  sorted = sorted ? sorted : list;
  put(r, hed_searchsorted(sorted, x, false));
  put(r, hed_searchsorted(sorted, x, true));
  put(r, hed_searchsorted(hed_sort(operand_of(r, 2, HED_INT16, HED_SHAPE(9), -9, 9), NULL), x, true));
  put(r, hed_searchsorted(hed_empty(HED_SHAPE(0), HED_FLOAT64), x, true));
}

void job_unique(run *r)
{
  hed_array *x = operand(r, 0), *out[4] = { NULL };
  hed_status status = hed_unique(x, NULL, &out[0], &out[1], &out[2], &out[3]);
  for (int k = 0; k < 4; k++)
    put_status(r, status, out[k]);
  hed_array *pairs = r->extent == NORMAL ? hed_index(x, 1, 0) : NULL;
  for (int axis = 0; axis < 2 && pairs; axis++) {
    status = hed_unique(pairs, &HED_AXES(axis), &out[0], &out[1], &out[2], &out[3]);
    for (int k = 0; k < 4; k++)
      put_status(r, status, out[k]);
  }
}

void job_sets(run *r)
{
  hed_array *a = operand(r, 0), *b = operand_of(r, 1, r->dtype, HED_SHAPE(13), -9, 9);
  hed_array *c = operand_of(r, 2, HED_INT16, HED_SHAPE(7), -9, 9);
  hed_array *(*f)(const hed_array *, const hed_array *) =
    r->op == HED_OP_ISIN ? hed_isin : r->op == HED_OP_UNION1D ? hed_union1d : r->op == HED_OP_SETDIFF1D ? hed_setdiff1d :
    r->op == HED_OP_SETXOR1D ? hed_setxor1d : hed_intersect1d;
  put(r, f(a, b));
  put(r, f(a, c));
  put(r, f(a, hed_empty(HED_SHAPE(0), HED_INT8)));
}

void job_bincount(run *r)
{
  hed_array *x = operand(r, 0), *w = operand_of(r, 1, HED_FLOAT32, run_shape(r), -2, 2);
  put(r, hed_bincount(x, NULL, 0));
  put(r, hed_bincount(x, NULL, 20));
  put(r, hed_bincount(x, w, 3));
}

void job_label(run *r)
{
  hed_array *(*f)(const hed_array *, const hed_array *, int64_t) =
    r->op == HED_OP_LABEL_SUM ? hed_label_sum : hed_label_mean;
  hed_array *x = operand(r, 0), *labels = operand_of(r, 1, HED_INT16, run_shape(r), 0, 5);
  put(r, f(x, labels, 0));
  put(r, f(x, labels, 4));
  put(r, f(x, hed_subtract(labels, hed_scalar_int(2)), 7));
}

void job_histogram(run *r)
{
  static const double steps[] = { -5, -1, -1, 0, 0.25, 7 };
  hed_array *x = operand(r, 0), *w = operand_of(r, 1, HED_FLOAT32, run_shape(r), 0, 2), *hist = NULL, *edges = NULL;
  /* A device without float64 has edges in float32: those between float32 numbers have to be exact there. */
  const bool single = r->dtype == HED_FLOAT32;
  const int64_t bins = single ? 2048 : 3000;
  const double end = single ? 8 : 9;
  hed_histogram_options all[] = {
    { .bins = 13, .use_range = true, .low = -7, .high = single ? 6 : 6.5 },
    { .bins = single ? 4 : 10, .use_range = single, .low = -8, .high = 8 },
    { .bins = 7, .weights = w, .use_range = single, .low = -7, .high = 7 },
    { .edges = hed_from_host(steps, HED_SHAPE(6), HED_FLOAT64), .weights = w },
    { .bins = bins, .use_range = true, .low = -end, .high = end, .density = true },
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    hed_status status = hed_histogram(x, &all[k], &hist, &edges);
    put_status(r, status, hist);
    put_status(r, status, edges);
  }
}

void job_points(run *r)
{
  hed_array *p = operand_of(r, 0, r->dtype, HED_SHAPE(60, 2), -9, 9), *score = operand_of(r, 1, HED_FLOAT32, HED_SHAPE(60), 0, 3);
  if (r->op == HED_OP_DBSCAN) {
    put(r, hed_dbscan(p, 1.5, 3));
    return;
  }
  put(r, hed_filter_points_indices(p, 3, score));
  put(r, hed_filter_points_indices(p, 0, NULL));
}

void job_assignment(run *r)
{
  for (int form = 0; form < 2; form++) {
    hed_array *cost = operand_of(r, form, r->dtype, form ? HED_SHAPE(9, 5) : HED_SHAPE(6, 6), -9, 9), *rows, *columns;
    hed_status status = hed_linear_sum_assignment(cost, form, &rows, &columns);
    put_status(r, status, rows);
    put_status(r, status, columns);
  }
}

void job_find_peaks(run *r)
{
  hed_array *x = operand_of(r, 0, r->dtype, HED_SHAPE(80), -9, 9), *peaks, *prominences;
  hed_find_peaks_options forms[] = { { 0 }, { .use_height = true, .height = 1, .distance = 5 }, { .prominence = 3 } };
  for (int k = 0; k < 3; k++) {
    hed_status status = hed_find_peaks(x, &forms[k], &peaks, &prominences);
    put_status(r, status, peaks);
    put_status(r, status, prominences);
  }
}

void job_local_max(run *r)
{
  hed_array *x = operand_of(r, 0, r->dtype, HED_SHAPE(12, 9), -9, 9);
  put(r, hed_peak_local_max(x, NULL));
  put(r, hed_peak_local_max(x, &(hed_peak_local_max_options){ .min_distance = 2, .border = 1, .num_peaks = 3 }));
  put(r, hed_peak_local_max(x, &(hed_peak_local_max_options){ .use_threshold = true, .threshold = 0 }));
}
