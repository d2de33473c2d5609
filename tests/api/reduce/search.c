// SPDX-License-Identifier: BSD-3-Clause
/* Search, sets, counting, histograms, points, peaks and assignments: against NumPy's and SciPy's values, brute force over
 * random input, and what is refused.
 */
#include "gen.h"
#include "statistics_input.h"
#include <math.h>

/* floor(x) mod 4 of the input */
static hed_array *small_input(hed_shape shape, hed_dtype t)
{
  double v[24];
  for (int k = 0; k < 24; k++) {
    double f = floor((double)((k * 7919 + 13) % 101) / 8 - 5);
    v[k] = f - 4 * floor(f / 4);
  }
  return api_array(shape, t, v);
}

static void searching(const char *backend)
{
  diag("search on %s", backend);
  hed_array *x = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *bins = API_VECTOR(HED_FLOAT64, -3, -1, -1, 0.5, 4);
  hed_array *down = API_VECTOR(HED_FLOAT32, 4, 0.5, -1, -3), *bad = API_VECTOR(HED_FLOAT32, 1, 3, 2);
  NP_NEAR(hed_searchsorted(bins, x, false), search_left, 0);
  NP_NEAR(hed_searchsorted(bins, x, true), search_right, 0);
  NP_NEAR(hed_digitize(x, down, false), digitize_down, 0);
  NP_NEAR(hed_digitize(x, down, true), digitize_down_right, 0);
  hed_array *nan = API_VECTOR(HED_FLOAT32, 1, 2, NAN, NAN), *v = API_VECTOR(HED_FLOAT32, NAN, 5, 1);
  api_is(hed_searchsorted(nan, v, false), HED_SHAPE(3), HED_INT64, API_LIST(2, 2, 0), "NaN is last");
  api_is(hed_searchsorted(nan, v, true), HED_SHAPE(3), HED_INT64, API_LIST(4, 2, 1), "and equal to NaN");
  API_NULL(hed_searchsorted(x, bins, false), HED_E_SHAPE, "searchsorted: sorted has shape (4, 6); one axis is needed");
  API_NULL(hed_digitize(x, bad, false), HED_E_INVAL, "digitize: the 3 bins are neither ascending nor descending");

  hed_array *flat = hed_sort(x, &(hed_sort_options){ .flat = true });
  hed_array *s = hed_slice(flat, 1, (hed_slice_range[]){ HED_RANGE(0, 2, 1) });
  api_is(hed_copy(s), HED_SHAPE(2), HED_FLOAT64, API_LIST(-5, -4.625), "sort of the flattened array");
  API_NULL(hed_sort(x, &(hed_sort_options){ .flat = true, .axis = HED_AXES(0) }), HED_E_INVAL, "sort: axis and flat are both given");
  api_is(hed_topk_indices(x, 2), HED_SHAPE(2, 2), HED_INT64, API_LIST(1, 0, 1, 2), "topk_indices");
  API_NULL(hed_topk_indices(x, 25), HED_E_INVAL, "topk_indices: k is 25; 0 to 24, the elements of x of shape (4, 6), are expected");
  hed_array *p = hed_partition(x, -2, NULL), *last = hed_index(p, 1, 4);
  api_is(hed_copy(last), HED_SHAPE(4), HED_FLOAT64, API_LIST(4.5, 4.875, 2.875, 3.25), "partition");
  API_NULL(hed_argpartition(x, 6, NULL), HED_E_INVAL, "argpartition: kth is 6 of 6 elements");
  RELEASE(x, bins, down, bad, nan, v, flat, s, p, last);
}

/* Lists and queries of sizes around those of blocks, with NaN, in and out of order, against counting. */
static void many_searches(const char *backend)
{
  enum { MOST = 300 };
  const hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_INT64, HED_INT32, HED_FLOAT16, HED_INT8, HED_BFLOAT16, HED_INT16,
                              HED_UINT64, HED_UINT32 };
  const int64_t sizes[] = { 0, 1, 2, 31, 32, 33, 100, MOST };
  gen g;
  gen_seed(&g, tap_seed() + 2);
  int wrong = 0;
  for (int round = 0; round < 300; round++) {
    hed_dtype t = types[round % 10];
    const double shift = hed_dtype_kind(t) == HED_KIND_UINT ? 110 : 0, unit = t == HED_UINT64 ? 0x1p56 : 1;
    const bool real = hed_dtype_kind(t) == HED_KIND_FLOAT, ordered = gen_chance(&g, 50), right = gen_chance(&g, 50);
    const int64_t n = sizes[gen_int(&g, 0, 7)], m = sizes[gen_int(&g, 1, 7)];
    double list[MOST], query[MOST];
    for (int64_t k = 0; k < n; k++)
      list[k] = ((double)gen_int(&g, 0, 199) - 100 + shift) * unit;
    for (int64_t k = 0; k < m; k++)
      query[k] = real && gen_chance(&g, 2) ? (gen_chance(&g, 50) ? NAN : INFINITY)
                                           : ((double)gen_int(&g, 0, 219) - 110 + shift) * unit;
    hed_array *l = api_array(HED_SHAPE(n), t, list), *q = api_array(HED_SHAPE(m), t, query);
    hed_array *s = hed_sort(l, NULL), *o = ordered ? hed_sort(q, NULL) : hed_retain(q);
    hed_array *back = hed_flip(s, NULL), *copy = hed_copy(back), *again = hed_flip(copy, NULL);
    hed_array *got = hed_searchsorted(gen_chance(&g, 50) ? s : again, o, right);
    double value[MOST], place[MOST];
    api_values(o, value);
    wrong += api_values(got, place) != m;
    for (int64_t k = 0; k < m; k++) {
      int64_t before = 0;
      for (int64_t i = 0; i < n; i++)
        before += isnan(value[k]) || list[i] < value[k] || (right && list[i] == value[k]);
      wrong += place[k] != (double)before;
    }
    RELEASE(l, q, s, o, back, copy, again, got);
  }
  is_int(wrong, 0, "%s: 300 searches against counting", backend);

  const hed_dtype whole[] = { HED_INT64, HED_INT32, HED_INT16, HED_INT8, HED_UINT8, HED_UINT16, HED_UINT32, HED_UINT64 };
  wrong = 0;
  for (int round = 0; round < 40; round++) {
    const hed_dtype t = whole[round % 8];
    const bool small = t == HED_INT8 || t == HED_UINT8;
    const int64_t n = gen_int(&g, 1, 4000), bins = gen_int(&g, 1, round / 8 % 2 && !small ? 1500 : 20);
    double *x = malloc((size_t)n * sizeof *x), *want = calloc((size_t)bins, sizeof *want);
    double *have = malloc((size_t)bins * sizeof *have);
    for (int64_t k = 0; k < n; k++)
      want[(int64_t)(x[k] = (double)gen_int(&g, 0, bins - 1))]++;
    hed_array *list = api_array(HED_SHAPE(n), t, x);
    hed_array *counts = hed_bincount(list, NULL, bins);
    hed_array *hist = NULL;
    const hed_histogram_options opt = { .bins = bins, .use_range = true, .high = (double)bins };
    is_int(hed_histogram(list, &opt, &hist, NULL), HED_OK, "histogram");
    wrong += api_values(counts, have) != bins;
    for (int64_t k = 0; k < bins; k++)
      wrong += have[k] != want[k];
    api_values(hist, have);
    for (int64_t k = 0; k < bins; k++)
      wrong += have[k] != want[k];
    if (round % 8 < 4) { /* signed: one of few or of many, with weights or without */
      x[gen_int(&g, 0, n - 1)] = -3;
      hed_array *minus = api_array(HED_SHAPE(n), t, x);
      API_NULL(hed_bincount(minus, round % 5 ? NULL : minus, gen_int(&g, 0, 2 * n)), HED_E_INVAL, "bincount: x has the element -3");
      hed_release(minus);
    }
    RELEASE(list, counts, hist);
    free(x);
    free(want);
    free(have);
  }
  is_int(wrong, 0, "%s: 40 counts against counting", backend);
}

static void sets(const char *backend)
{
  diag("sets on %s", backend);
  hed_array *x = small_input(HED_SHAPE(24), HED_INT32), *rows = small_input(HED_SHAPE(12, 2), HED_FLOAT32);
  hed_array *values, *index, *inverse, *counts;
  is_int(hed_unique(x, NULL, &values, &index, &inverse, &counts), HED_OK, "unique");
  NP_NEAR(values, unique, 0);
  NP_NEAR(index, unique_index, 0);
  NP_NEAR(inverse, unique_inverse, 0);
  NP_NEAR(counts, unique_counts, 0);
  is_int(hed_unique(rows, &HED_AXES(-2), &values, &index, &inverse, &counts), HED_OK, "unique rows");
  NP_NEAR(values, rows, 0);
  NP_NEAR(index, rows_index, 0);
  NP_NEAR(inverse, rows_inverse, 0);
  NP_NEAR(counts, rows_counts, 0);
  hed_array *odd = API_VECTOR(HED_FLOAT32, NAN, 0, -0.0, NAN, 1);
  is_int(hed_unique(odd, NULL, &values, &index, NULL, &counts), HED_OK, "unique with NaN");
  api_is(values, HED_SHAPE(3), HED_FLOAT32, API_LIST(0, 1, NAN), "one NaN, one zero");
  api_is(index, HED_SHAPE(3), HED_INT64, API_LIST(1, 4, 0), "their first places");
  api_is(counts, HED_SHAPE(3), HED_INT64, API_LIST(2, 1, 2), "their counts");
  hed_array *empty = hed_zeros(HED_SHAPE(0), HED_INT16), *pair = hed_zeros(HED_SHAPE(2, 0), HED_INT16);
  is_int(hed_unique(empty, NULL, &values, &index, &inverse, &counts), HED_OK, "unique of nothing");
  api_is(values, HED_SHAPE(0), HED_INT16, API_LIST(0), "no values");
  api_is(inverse, HED_SHAPE(0), HED_INT64, API_LIST(0), "no places");
  RELEASE(index, counts);
  is_int(hed_unique(pair, &HED_AXES(0), &values, NULL, NULL, &counts), HED_OK, "slices without elements");
  api_is(values, HED_SHAPE(1, 0), HED_INT16, API_LIST(0), "are equal");
  api_is(counts, HED_SHAPE(1), HED_INT64, API_LIST(2), "all of them");
  API_FAIL(hed_unique(rows, &HED_AXES(2), &values, NULL, NULL, NULL), HED_E_AXIS, "unique: axis 2 is out of range");
  API_FAIL(hed_unique(rows, &HED_AXES(0, 1), &values, NULL, NULL, NULL), HED_E_SHAPE, "unique: 2 axes are listed");

  hed_array *a = API_VECTOR(HED_INT32, 3, 1, 2, 3, 9), *b = API_VECTOR(HED_FLOAT32, 2, 3, 5.5, 2);
  api_is(hed_isin(a, b), HED_SHAPE(5), HED_BOOL, API_LIST(1, 0, 1, 1, 0), "isin");
  api_is(hed_isin(b, empty), HED_SHAPE(4), HED_BOOL, API_LIST(0, 0, 0, 0), "in nothing");
  api_is(hed_isin(odd, odd), HED_SHAPE(5), HED_BOOL, API_LIST(0, 1, 1, 0, 1), "NaN is in nothing");
  api_is(hed_intersect1d(a, b), HED_SHAPE(2), HED_FLOAT32, API_LIST(2, 3), "intersection");
  api_is(hed_union1d(a, b), HED_SHAPE(5), HED_FLOAT32, API_LIST(1, 2, 3, 5.5, 9), "union");
  api_is(hed_setdiff1d(a, b), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 9), "difference");
  api_is(hed_setxor1d(a, b), HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 5.5, 9), "symmetric difference");
  API_NULL(hed_isin(NULL, b), HED_E_INVAL, "isin: argument x is NULL");
  RELEASE(x, rows, odd, empty, pair, a, b);
}

/* Edges belong to the bin that they begin, whatever rounding makes of a value's place; the numbers before them do not. */
static void at_the_edges(const char *backend)
{
  enum { MOST = 120 };
  int wrong = 0;
  for (int64_t bins = 1; bins <= MOST; bins++)
    HED_SCOPE {
      double edge[MOST + 1], x[2 * MOST], count[MOST];
      const hed_histogram_options opt = { .bins = bins, .use_range = true, .low = 0.1, .high = 1.3 };
      hed_array *e = NULL, *h = NULL;
      wrong += hed_histogram(hed_scalar(0.1), &opt, &h, &e) != HED_OK || hed_to_host(e, edge, (size_t)(bins + 1) * 8) != HED_OK;
      for (int64_t k = 0; k < bins; k++) {
        x[2 * k] = edge[k];
        x[2 * k + 1] = nextafter(edge[k + 1], 0);
      }
      h = NULL;
      wrong += hed_histogram(hed_from_host(x, HED_SHAPE(2 * bins), HED_FLOAT64), &opt, &h, NULL) != HED_OK;
      wrong += hed_to_host(hed_astype(h, HED_FLOAT64), count, (size_t)bins * 8) != HED_OK;
      for (int64_t k = 0; k < bins; k++)
        wrong += count[k] != 2;
    }
  is_int(wrong, 0, "%s: histograms of their edges", backend);
}

static void counting(const char *backend)
{
  diag("counting on %s", backend);
  hed_array *x = np_input(HED_SHAPE(24), HED_FLOAT64), *small = small_input(HED_SHAPE(24), HED_INT8);
  hed_array *w = hed_arange(0, 12, 0.5, HED_FLOAT64), *h, *e;
  NP_NEAR(hed_bincount(small, w, 6), bincount, 1e-15);
  NP_NEAR(hed_label_mean(x, small, 6), label_mean, 1e-15);
  api_is(hed_bincount(small, NULL, 0), HED_SHAPE(4), HED_INT64, np_unique_counts, "bincount");
  is_int(hed_histogram(x, &(hed_histogram_options){ .bins = 5 }, &h, &e), HED_OK, "histogram");
  NP_NEAR(h, hist, 0);
  NP_NEAR(e, hist_edges, 1e-15);
  hed_array *edges = API_VECTOR(HED_FLOAT64, -3, -1, 0.5, 4), *bad = API_VECTOR(HED_FLOAT64, 1, 0), *one = API_VECTOR(HED_FLOAT64, 1);
  is_int(hed_histogram(x, &(hed_histogram_options){ .edges = edges, .density = true }, &h, NULL), HED_OK, "density");
  NP_NEAR(h, hist_density, 1e-15);
  is_int(hed_histogram(x, &(hed_histogram_options){ .bins = 4, .use_range = true, .low = -2.5, .high = 6, .weights = w }, &h,
                       NULL), HED_OK, "weights");
  NP_NEAR(h, hist_weights, 1e-15);
  hed_array *same = hed_full(HED_SHAPE(3), 2, HED_INT32), *empty = hed_zeros(HED_SHAPE(0), HED_FLOAT32);
  is_int(hed_histogram(same, &(hed_histogram_options){ .bins = 2 }, &h, &e), HED_OK, "one value");
  api_is(h, HED_SHAPE(2), HED_INT64, API_LIST(0, 3), "in the upper of two bins");
  api_is(e, HED_SHAPE(3), HED_FLOAT64, API_LIST(1.5, 2, 2.5), "round it");
  is_int(hed_histogram(empty, NULL, &h, &e), HED_OK, "no values");
  api_is(h, HED_SHAPE(10), HED_INT64, API_LIST(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "ten empty bins");
  hed_release(e);
  hed_array *nan = API_VECTOR(HED_FLOAT32, 1, NAN), *minus = API_VECTOR(HED_INT32, 3, -2);
  API_FAIL(hed_histogram(nan, NULL, &h, &e), HED_E_INVAL, "histogram: the range [");
  API_FAIL(hed_histogram(x, &(hed_histogram_options){ .bins = -1 }, &h, &e), HED_E_INVAL, "histogram: bins is -1");
  API_FAIL(hed_histogram(x, &(hed_histogram_options){ .edges = bad }, &h, &e), HED_E_INVAL, "edges[0] is 1 and the next 0");
  API_FAIL(hed_histogram(x, &(hed_histogram_options){ .edges = one }, &h, &e), HED_E_SHAPE, "1 edges are given, at least 2");
  API_FAIL(hed_histogram(x, &(hed_histogram_options){ .weights = same }, &h, &e), HED_E_SHAPE,
           "histogram: weights has shape (3,) and x (24,)");
  API_NULL(hed_bincount(minus, NULL, 0), HED_E_INVAL, "bincount: x has the element -2");
  API_NULL(hed_bincount(small, NULL, -3), HED_E_INVAL, "bincount: minlength is -3");
  API_NULL(hed_bincount(x, NULL, 0), HED_E_DTYPE, "bincount: x has dtype float64");
  API_NULL(hed_label_sum(x, same, 0), HED_E_SHAPE, "label_sum: labels has shape (3,) and values (24,)");
  API_NULL(hed_label_mean(x, small, -1), HED_E_INVAL, "label_mean: n is -1");
  /* sums of many small numbers next to large ones: float64 all the way */
  hed_array *big = hed_full(HED_SHAPE(3), 16777217, HED_INT32), *zero = hed_zeros(HED_SHAPE(3), HED_INT64);
  api_is(hed_label_mean(big, zero, 0), HED_SHAPE(1), HED_FLOAT32, API_LIST(16777216), "label mean of integers is a REAL");
  /* what is in the range, by sums that are not */
  hed_array *most = API_VECTOR(HED_FLOAT64, 1.5e308, 1, 1.7e308, 1e-3, 1.6e308, 3), *label = API_VECTOR(HED_INT8, 0, 1, 0, 2, 0, 1);
  np_near(hed_label_mean(most, label, 0), 3, API_LIST(1.6e308, 2, 1e-3), 1e-14, "label means near the end of the range");
  /* labels beyond int64, by name and value */
  hed_array *beyond = hed_full_uint(HED_SHAPE(24), UINT64_MAX, HED_UINT64);
  API_NULL(hed_bincount(beyond, NULL, 0), HED_E_RANGE, "bincount: x has the element 18446744073709551615");
  API_NULL(hed_label_sum(x, beyond, 0), HED_E_RANGE, "label_sum: labels has the element 18446744073709551615");
  API_NULL(hed_scatter_add(x, beyond, -1, 0), HED_E_RANGE, "scatter_add: index has the element 18446744073709551615");
  API_NULL(hed_repeat_each(x, beyond, &HED_AXES(0)), HED_E_INVAL, "repeat_each: count 18446744073709551615 of element 0");
  API_NULL(hed_choose(beyond, 1, (const hed_array *const[]){ x }), HED_E_RANGE, "choose: index has the element 18446744073709551615");
  RELEASE(x, small, w, edges, bad, one, same, empty, nan, minus, big, zero, most, label, beyond);
}

/* The least sum of N rows over columns not in USED. */
static double brute(int n, int m, const double *cost, int row, unsigned used)
{
  double best = INFINITY;
  if (row == n)
    return 0;
  for (int j = 0; j < m; j++)
    if (!(used >> j & 1u))
      best = fmin(best, cost[row * m + j] + brute(n, m, cost, row + 1, used | 1u << j));
  return best;
}

static void assignments(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  int bad = 0;
  for (int round = 0; round < 150; round++) {
    int n = (int)gen_int(&g, 0, 5), m = (int)gen_int(&g, 0, 6), sign = gen_chance(&g, 50) ? -1 : 1;
    int few = n < m ? n : m;
    double cost[36], wide[36], r[8], c[8], sum = 0;
    for (int k = 0; k < n * m; k++)
      cost[k] = round % 3 ? (double)gen_int(&g, -3, 3) : gen_double(&g, -1e3, 1e3);
    for (int k = 0; k < n * m; k++) /* fewer rows than columns, and a least sum */
      wide[n <= m ? k : k % m * n + k / m] = sign * cost[k];
    hed_array *x = hed_from_host(cost, HED_SHAPE(n, m), HED_FLOAT64), *rows, *columns;
    bool good = hed_linear_sum_assignment(x, sign < 0, &rows, &columns) == HED_OK && api_values(rows, r) == few &&
                api_values(columns, c) == few;
    unsigned seen = 0;
    for (int k = 0; k < few && good; k++) {
      good = !(seen >> (int)c[k] & 1u) && (k == 0 || r[k] > r[k - 1]);
      seen |= 1u << (int)c[k];
      sum += sign * cost[(int)r[k] * m + (int)c[k]];
    }
    good = good && fabs(sum - brute(few, n < m ? m : n, wide, 0, 0)) <= 1e-9;
    bad += !good;
    RELEASE(x, rows, columns);
  }
  is_int(bad, 0, "%s: 150 assignments against brute force", backend);
  hed_array *x = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *c, *r, *inf = API_VECTOR(HED_FLOAT64, INFINITY);
  is_int(hed_linear_sum_assignment(x, false, NULL, &c), HED_OK, "columns alone");
  double got[4], sum = 0, want = 0, values[24];
  api_values(c, got);
  api_values(x, values);
  for (int k = 0; k < 4; k++) {
    sum += values[6 * k + (int)got[k]];
    want += values[6 * k + (int)np_assignment[k]];
  }
  is_near(sum, want, 0, 0, "SciPy's sum");
  hed_array *one = hed_expand_dims(inf, 0);
  hed_release(c);
  API_FAIL(hed_linear_sum_assignment(one, false, &r, &c), HED_E_INVAL, "cost[0, 0] is inf; finite numbers are needed");
  API_FAIL(hed_linear_sum_assignment(inf, false, &r, &c), HED_E_SHAPE, "cost has shape (1,); two axes are needed");
  ok(r == NULL && c == NULL, "no results with an error");
  RELEASE(x, inf, one);
}

/* How far down from X[AT] on either side before something higher or NaN; the less of the two. */
static double prominence(const double *x, int64_t n, int64_t at)
{
  double most = -INFINITY;
  for (int step = -1; step <= 1; step += 2) {
    double least = x[at];
    for (int64_t i = at; i >= 0 && i < n && x[i] <= x[at]; i += step)
      least = x[i] < least ? x[i] : least;
    most = least > most ? least : most;
  }
  return x[at] - most;
}

/* Few values, so that there are plateaus, against the definition. */
static void many_peaks(const char *backend)
{
  enum { MOST = 200 };
  gen g;
  gen_seed(&g, tap_seed() + 6);
  int bad = 0;
  for (int round = 0; round < 300; round++) {
    const int64_t n = gen_int(&g, 0, MOST), range = gen_int(&g, 1, 12);
    const hed_find_peaks_options opt = { .prominence = round % 3 ? 0 : 2 };
    double x[MOST], at[MOST], tall[MOST];
    int64_t want = 0;
    for (int64_t k = 0; k < n; k++)
      x[k] = gen_chance(&g, 2) ? NAN : (double)gen_int(&g, 0, range);
    for (int64_t i = 1, end; i < n - 1; i = end + 1) {
      for (end = i; end < n - 1 && x[end + 1] == x[i];)
        end++;
      const int64_t middle = i + (end - i) / 2;
      if (!(x[i - 1] < x[i] && end < n - 1 && x[end + 1] < x[i]) || prominence(x, n, middle) < opt.prominence)
        continue;
      at[want] = (double)middle;
      tall[want++] = prominence(x, n, middle);
    }
    hed_array *list = api_array(HED_SHAPE(n), HED_FLOAT64, x), *p = NULL, *q = NULL, *alone = NULL;
    double found[MOST], heights[MOST], places[MOST];
    bad += hed_find_peaks(list, &opt, &p, &q) != HED_OK || hed_find_peaks(list, &opt, &alone, NULL) != HED_OK
           || hed_array_size(p) != want || hed_array_size(q) != want || hed_array_size(alone) != want
           || hed_tolist(p, found, want) != HED_OK || hed_tolist(q, heights, want) != HED_OK
           || hed_tolist(alone, places, want) != HED_OK;
    for (int64_t k = 0; k < want && !bad; k++)
      bad += found[k] != at[k] || heights[k] != tall[k] || places[k] != at[k];
    RELEASE(list, p, q, alone);
  }
  is_int(bad, 0, "%s: peaks of many lists and their prominences", backend);
}

static void peaks(const char *backend)
{
  diag("peaks on %s", backend);
  hed_array *x = np_input(HED_SHAPE(24), HED_FLOAT64), *s = hed_round(x), *p, *q;
  is_int(hed_find_peaks(s, NULL, &p, &q), HED_OK, "find_peaks");
  NP_NEAR(p, peaks, 0);
  NP_NEAR(q, peaks_prominence, 0);
  is_int(hed_find_peaks(x, &(hed_find_peaks_options){ .distance = 4 }, &p, NULL), HED_OK, "distance");
  NP_NEAR(p, peaks_distance, 0);
  hed_array *flat = API_VECTOR(HED_FLOAT32, 5, 1, 3, 3, 3, 3, 1, 2, 2, 9);
  is_int(hed_find_peaks(flat, NULL, &p, &q), HED_OK, "a plateau");
  api_is(p, HED_SHAPE(1), HED_INT64, API_LIST(3), "its middle, rounded down; ends are no peaks");
  api_is(q, HED_SHAPE(1), HED_FLOAT64, API_LIST(2), "its prominence");
  is_int(hed_find_peaks(flat, &(hed_find_peaks_options){ .use_height = true, .height = 3.5 }, &p, NULL), HED_OK, "height");
  api_is(p, HED_SHAPE(0), HED_INT64, API_LIST(0), "too low");
  API_FAIL(hed_find_peaks(flat, &(hed_find_peaks_options){ .distance = -1 }, &p, NULL), HED_E_INVAL, "distance is -1");

  hed_array *image = hed_zeros(HED_SHAPE(9, 9), HED_FLOAT32), *a = hed_index(image, 0, 2), *b = hed_index(a, 0, 3);
  hed_array *c = hed_index(image, 0, 7), *d = hed_index(c, 0, 8), *e = hed_index(a, 0, 4);
  hed_fill(b, 2);
  hed_fill(d, 5);
  hed_fill(e, 2);
  api_is(hed_peak_local_max(image, NULL), HED_SHAPE(2, 2), HED_INT64, API_LIST(7, 8, 2, 3), "peak_local_max");
  api_is(hed_peak_local_max(image, &(hed_peak_local_max_options){ .border = 1 }), HED_SHAPE(1, 2), HED_INT64, API_LIST(2, 3),
         "off the border");
  api_is(hed_peak_local_max(image, &(hed_peak_local_max_options){ .num_peaks = 1 }), HED_SHAPE(1, 2), HED_INT64,
         API_LIST(7, 8), "the highest");
  api_is(hed_peak_local_max(image, &(hed_peak_local_max_options){ .use_threshold = true, .threshold = 9 }), HED_SHAPE(0, 2),
         HED_INT64, API_LIST(0), "none above the threshold");
  API_NULL(hed_peak_local_max(image, &(hed_peak_local_max_options){ .border = -1 }), HED_E_INVAL, "border -1");
  RELEASE(x, s, flat, image, a, b, c, d, e);
}

/* Greedy thinning and clusters of random points against all pairs. */
static void points(const char *backend)
{
  enum { N = 90 };
  gen g;
  gen_seed(&g, tap_seed() + 1);
  int bad_filter = 0, bad_cluster = 0;
  for (int round = 0; round < 60; round++) {
    int d = (int)gen_int(&g, 1, 4), n = (int)gen_int(&g, 0, N);
    double p[N * 4], score[N], r = gen_double(&g, 0.2, 2), got[N], want[N], label[N];
    int kept = 0;
    for (int k = 0; k < n * d; k++)
      p[k] = round % 2 ? (double)gen_int(&g, -3, 3) : gen_double(&g, -4, 4);
    for (int k = 0; k < n; k++)
      score[k] = (double)gen_int(&g, 0, 9);
    bool near[N][N];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double s = 0;
        for (int k = 0; k < d; k++)
          s += (p[i * d + k] - p[j * d + k]) * (p[i * d + k] - p[j * d + k]);
        near[i][j] = s < r * r;
      }
    bool done[N] = { false };
    for (int left = n; left > 0; left--) {
      int best = -1;
      for (int k = 0; k < n; k++)
        if (!done[k] && (best < 0 || score[k] > score[best]))
          best = k;
      done[best] = true;
      bool stays = true;
      for (int k = 0; k < kept; k++)
        stays = stays && !near[best][(int)want[k]];
      if (stays)
        want[kept++] = best;
    }
    hed_array *x = hed_from_host(p, HED_SHAPE(n, d), HED_FLOAT64), *s = hed_from_host(score, HED_SHAPE(n), HED_FLOAT64);
    hed_array *f = hed_filter_points_indices(x, r, s);
    bool good = f && api_values(f, got) == kept;
    for (int k = 0; k < kept && good; k++)
      good = got[k] == want[k];
    bad_filter += !good;

    /* clusters: labels spread between cores until nothing changes */
    int core[N], clusters = 0, count = (int)gen_int(&g, 1, 5);
    for (int i = 0; i < n; i++) {
      int m = 0;
      for (int j = 0; j < n; j++)
        m += near[i][j];
      core[i] = m >= count;
      label[i] = -1;
    }
    for (int i = 0; i < n; i++) {
      if (!core[i] || label[i] >= 0)
        continue;
      label[i] = clusters;
      for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < n; a++)
          for (int b = 0; b < n; b++)
            if (core[a] && label[a] == clusters && near[a][b] && label[b] < 0) {
              label[b] = clusters;
              changed = true;
            }
      }
      clusters++;
    }
    if (round % 2 == 0) { /* whole numbers may be at a distance of exactly r: within, but not closer */
      hed_array *c = hed_dbscan(x, r, count);
      good = c && api_values(c, got) == n;
      for (int k = 0; k < n && good; k++)
        good = got[k] == label[k];
      bad_cluster += !good;
      hed_release(c);
    }
    RELEASE(x, s, f);
  }
  is_int(bad_filter, 0, "%s: 60 thinnings against all pairs", backend);
  is_int(bad_cluster, 0, "%s: 30 clusterings against all pairs", backend);
  hed_array *line = api_array(HED_SHAPE(4, 1), HED_FLOAT32, API_LIST(0, 1, 2, 9)), *two = API_VECTOR(HED_FLOAT32, 1, 2);
  api_is(hed_filter_points_indices(line, 1, NULL), HED_SHAPE(4), HED_INT64, API_LIST(0, 1, 2, 3), "exactly at the distance: kept");
  api_is(hed_dbscan(line, 1, 3), HED_SHAPE(4), HED_INT64, API_LIST(0, 0, 0, -1), "within eps: equal counts");
  hed_array *far = api_array(HED_SHAPE(2, 1), HED_FLOAT64, API_LIST(0, 1e300)), *nan = hed_full(HED_SHAPE(1, 2), NAN, HED_FLOAT32);
  api_is(hed_filter_points_indices(far, 1e-3, NULL), HED_SHAPE(2), HED_INT64, API_LIST(0, 1), "too far apart for a grid");
  API_NULL(hed_filter_points_indices(nan, 1, NULL), HED_E_INVAL, "points[0, 0] is nan; finite numbers are needed");
  API_NULL(hed_filter_points_indices(line, -1, NULL), HED_E_INVAL, "filter_points_indices: min_distance is -1");
  API_NULL(hed_filter_points_indices(line, 1, two), HED_E_SHAPE, "scores has shape (2,); (4,) is needed");
  API_NULL(hed_dbscan(two, 1, 2), HED_E_SHAPE, "dbscan: points has shape (2,); two axes are needed");
  API_NULL(hed_dbscan(line, 0, 2), HED_E_INVAL, "dbscan: eps is 0 and min_points 2");
  RELEASE(line, two, far, nan);
}

/* Sets of whole numbers of small and of large ranges, and of floats with NaN, against all pairs. */
static void random_sets(const char *backend)
{
  enum { MOST = 90 };
  const hed_dtype types[] = { HED_INT64, HED_FLOAT64, HED_INT8, HED_UINT64, HED_FLOAT32, HED_UINT16, HED_BOOL, HED_INT32 };
  int wrong_sets = 0, wrong_unique = 0;
  gen g;
  gen_seed(&g, tap_seed() + 4);
  for (int round = 0; round < 320; round++) {
    const hed_dtype t = types[round % 8];
    const hed_kind kind = hed_dtype_kind(t);
    const bool real = kind == HED_KIND_FLOAT, whole = t == HED_INT64 || t == HED_UINT64;
    /* around limits of the type, too, as far as doubles have them exactly, and where uint64 leaves int64 */
    const bool beyond = t == HED_UINT64 && round % 3 == 2;
    const double first = t == HED_INT64 && round % 3 == 0 ? -0x1p63 : whole && round % 3 == 1 ? 0x1p62
                         : beyond ? 0x1p63 - 0x1p15 : kind == HED_KIND_INT ? -20 : t == HED_UINT16 ? 65500 : 0;
    const double unit = whole && round % 3 == 1 ? 1024 : beyond ? 2048 : whole && round % 3 == 0 && first != 0 ? 0x1p57 : 1;
    const int64_t range = t == HED_BOOL ? 1 : gen_int(&g, 1, 35), n[2] = { gen_int(&g, 0, MOST), gen_int(&g, 0, MOST) };
    double v[2][MOST], set[2][MOST], got[2 * MOST];
    int64_t size[2] = { 0, 0 };
    hed_array *x[2], *one[4], *u, *index, *inverse, *counts;
    for (int k = 0; k < 2; k++) {
      for (int64_t i = 0; i < n[k]; i++)
        v[k][i] = real && gen_chance(&g, 5) ? (double)NAN : first + unit * (double)gen_int(&g, 0, range);
      x[k] = api_array(HED_SHAPE(n[k]), t, v[k]);
      for (double w = first; w <= first + unit * (double)range; w += unit)
        for (int64_t i = 0; i < n[k]; i++)
          if (v[k][i] == w) {
            set[k][size[k]++] = w;
            break;
          }
    }
    one[0] = hed_isin(x[0], x[1]);
    wrong_sets += api_values(one[0], got) != n[0];
    for (int64_t i = 0; i < n[0]; i++) {
      bool in = false;
      for (int64_t j = 0; j < n[1]; j++)
        in |= v[0][i] == v[1][j];
      wrong_sets += got[i] != (double)in;
    }
    one[1] = hed_intersect1d(x[0], x[1]);
    one[2] = hed_setdiff1d(x[0], x[1]);
    one[3] = hed_setxor1d(x[0], x[1]);
    for (int op = 1; op < 4; op++) { /* those that are no NaN, which none of the lists has in common */
      const int64_t m = api_values(one[op], got);
      int64_t at = 0;
      for (double w = first; w <= first + unit * (double)range; w += unit) {
        bool a = false, b = false;
        for (int64_t i = 0; i < size[0]; i++)
          a |= set[0][i] == w;
        for (int64_t i = 0; i < size[1]; i++)
          b |= set[1][i] == w;
        if (op == 1 ? a && b : op == 2 ? a && !b : a != b)
          wrong_sets += at >= m || got[at++] != w;
      }
      for (; at < m; at++)
        wrong_sets += !isnan(got[at]) || op == 1;
    }
    wrong_unique += hed_unique(x[0], NULL, &u, &index, &inverse, &counts) != HED_OK;
    double different[MOST], place[MOST], back[MOST], times[MOST];
    const int64_t m = api_values(u, different);
    bool nan = false;
    for (int64_t i = 0; i < n[0]; i++)
      nan |= isnan(v[0][i]);
    wrong_unique += m != size[0] + nan || api_values(index, place) != m || api_values(counts, times) != m;
    wrong_unique += api_values(inverse, back) != n[0];
    for (int64_t k = 0; k < m; k++) {
      int64_t many = 0, where = -1;
      for (int64_t i = n[0] - 1; i >= 0; i--)
        if (v[0][i] == different[k] || (isnan(v[0][i]) && isnan(different[k]))) {
          many++;
          where = i;
          wrong_unique += back[i] != (double)k;
        }
      wrong_unique += times[k] != (double)many || place[k] != (double)where || (k < size[0] && different[k] != set[0][k]);
    }
    hed_array *alone, *counted, *again;
    wrong_unique += hed_unique(x[0], NULL, &alone, NULL, NULL, NULL) != HED_OK || api_values(alone, got) != m;
    for (int64_t k = 0; k < m; k++)
      wrong_unique += got[k] != different[k] && !isnan(got[k]);
    wrong_unique += hed_unique(x[0], NULL, &again, NULL, NULL, &counted) != HED_OK || api_values(counted, got) != m;
    for (int64_t k = 0; k < m; k++)
      wrong_unique += got[k] != times[k];
    RELEASE(x[0], x[1], one[0], one[1], one[2], one[3], u, index, inverse, counts, alone, counted, again);
  }
  is_int(wrong_sets, 0, "%s: 320 times sets against all pairs", backend);
  is_int(wrong_unique, 0, "%s: 320 times different elements against all pairs", backend);
}

int main(void)
{
  api_each_backend(searching);
  api_each_backend(many_searches);
  api_each_backend(sets);
  api_each_backend(random_sets);
  api_each_backend(counting);
  api_each_backend(at_the_edges);
  api_each_backend(assignments);
  api_each_backend(peaks);
  api_each_backend(many_peaks);
  api_each_backend(points);
  done_testing();
  return done();
}
