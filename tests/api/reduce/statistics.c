// SPDX-License-Identifier: BSD-3-Clause
/* Scans, quantiles, reductions that pass over NaN, weighted means and covariance: against NumPy's values, loops written
 * out, and closed forms; what is refused.
 */
#include "arrays.h"
#include "gen.h"
#include "statistics_input.h"
#include <math.h>

static const double qs[8] = { 0, 0.1, 0.25, 1.0 / 3, 0.5, 0.625, 0.9, 1 };

static void quantiles(const char *backend)
{
  diag("quantiles on %s", backend);
  hed_array *a = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *high = hed_greater_scalar(a, 3);
  hed_array *nan = hed_scalar(NAN), *holes = hed_where(high, nan, a);
  hed_quantiles o = { .axes = HED_AXES(1) };
  NP_NEAR(hed_quantile(a, 8, qs, &o), q_linear, 1e-15);
  o.method = HED_QUANTILE_LOWER;
  NP_NEAR(hed_quantile(a, 8, qs, &o), q_lower, 0);
  o.method = HED_QUANTILE_HIGHER;
  NP_NEAR(hed_quantile(a, 8, qs, &o), q_higher, 0);
  o.method = HED_QUANTILE_MIDPOINT;
  NP_NEAR(hed_quantile(a, 8, qs, &o), q_midpoint, 0);
  o.method = HED_QUANTILE_NEAREST;
  NP_NEAR(hed_quantile(a, 8, qs, &o), q_nearest, 0);
  NP_NEAR(hed_quantile(holes, 8, qs, &(hed_quantiles){ .axes = HED_AXES(1), .omit_nan = true }), nanquantile, 1e-15);
  NP_NEAR(hed_median(a, &(hed_reduce){ .axes = HED_AXES(0) }), median, 0);
  NP_NEAR(hed_nanmedian(holes, &(hed_reduce){ .axes = HED_AXES(1) }), nanmedian, 0);
  api_is(hed_median(holes, &(hed_reduce){ .axes = HED_AXES(1), .keepdims = true }), HED_SHAPE(4, 1), HED_FLOAT64,
         API_LIST(NAN, NAN, NAN, NAN), "a NaN makes the median NaN");
  api_is(hed_percentile(a, 2, (const double[]){ 0, 100 }, &(hed_quantiles){ .keepdims = true, .dtype = HED_FLOAT32 }),
         HED_SHAPE(2, 1, 1), HED_FLOAT32, API_LIST(-5, 7.25), "percentile over all, kept");
  hed_array *empty = hed_zeros(HED_SHAPE(2, 0), HED_FLOAT32), *i = API_VECTOR(HED_INT32, 7, 1, 3, 2);
  hed_array *far = api_array(HED_SHAPE(3, 2), HED_FLOAT64, API_LIST(1e308, -1e308, 1e308, 1.5e308, 1000, -968.876766394785));
  api_is(hed_median(far, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(3), HED_FLOAT64,
         API_LIST(0, 1.25e308, (1000 - 968.876766394785) / 2), "the median of two, however far apart");
  api_is(hed_quantile(far, 1, (const double[]){ 0.75 }, &(hed_quantiles){ .axes = HED_AXES(1) }), HED_SHAPE(1, 3), HED_FLOAT64,
         API_LIST(0.5e308, 1.375e308, 1000 - (1000 + 968.876766394785) / 4), "and a quantile");
  api_is(hed_median(empty, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(2), HED_FLOAT32, API_LIST(NAN, NAN),
         "median of nothing");
  api_is(hed_median(empty, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "no medians");
  api_is(hed_median(i, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(2.5), "median of integers");
  hed_array *inf = API_VECTOR(HED_FLOAT64, INFINITY, INFINITY, 1, -INFINITY);
  api_is(hed_quantile(inf, 4, (const double[]){ 0.1, 0.5, 0.9, 1 }, NULL), HED_SHAPE(4), HED_FLOAT64,
         API_LIST(-INFINITY, INFINITY, INFINITY, INFINITY), "infinite values");
  API_NULL(hed_quantile(a, 1, (const double[]){ 1.5 }, NULL), HED_E_INVAL, "quantile: q[0] is 1.5, outside of [0, 1]");
  API_NULL(hed_percentile(a, 2, (const double[]){ 5, NAN }, NULL), HED_E_INVAL, "percentile: percent[1] is");
  API_NULL(hed_quantile(a, 0, qs, NULL), HED_E_INVAL, "quantile: n is 0 and q is given");
  API_NULL(hed_quantile(a, 2, NULL, NULL), HED_E_INVAL, "quantile: n is 2 and q is NULL");
  API_NULL(hed_quantile(a, 1, qs, &(hed_quantiles){ .method = 9 }), HED_E_INVAL, "quantile: method is 9; there are 0 to 4");
  API_NULL(hed_median(a, &(hed_reduce){ .axes = HED_AXES(2) }), HED_E_AXIS, "median: axis 2 is out of range");
  API_NULL(hed_median(a, &(hed_reduce){ .dtype = HED_INT32 }), HED_E_DTYPE, "median: option dtype is int32");
  API_NULL(hed_nanmedian(NULL, NULL), HED_E_INVAL, "nanmedian: argument x is NULL");
  hed_array *z = hed_zeros(HED_SHAPE(2), HED_COMPLEX64);
  API_NULL(hed_median(z, NULL), HED_E_DTYPE, "median: x has dtype complex64");
  hed_array *all[] = { a, high, nan, holes, empty, far, i, inf, z };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void scans(const char *backend)
{
  diag("scans on %s", backend);
  gen g;
  gen_seed(&g, tap_seed());
  hed_array *(*const calls[])(const hed_array *, const hed_scan *) = { hed_cumsum, hed_cumprod, hed_cummax, hed_cummin };
  int bad = 0;
  for (int round = 0; round < 120; round++) { /* (outer, n, inner), small whole numbers: exact */
    int64_t dim[3] = { gen_int(&g, 1, 3), gen_int(&g, 0, 12), gen_int(&g, 1, 20) }, n = dim[0] * dim[1] * dim[2];
    int op = round % 4, axis = (int)gen_int(&g, 0, 3), flat = axis == 3;
    double values[720], want[720], got[720];
    for (int64_t k = 0; k < n; k++)
      values[k] = op == 1 ? (double)(1 + gen_chance(&g, 4)) * (gen_chance(&g, 50) ? 1 : -1) : (double)gen_int(&g, -9, 9);
    int64_t step = flat || axis == 2 ? 1 : axis == 1 ? dim[2] : dim[1] * dim[2], len = flat ? n : dim[axis];
    for (int64_t k = 0; k < n; k++) {
      bool start = k / step % len == 0;
      double v = values[k], w = start ? v : want[k - step];
      want[k] = start ? v : op == 0 ? w + v : op == 1 ? w * v : op == 2 ? fmax(w, v) : fmin(w, v);
    }
    hed_array *x = api_array(HED_SHAPE(dim[0], dim[1], dim[2]), round % 3 ? HED_FLOAT32 : HED_INT16, values), *y;
    y = calls[op](x, &(hed_scan){ .axis = flat ? (hed_axes){ 0 } : HED_AXES(gen_chance(&g, 50) ? axis : axis - 3) });
    bool good = y && hed_array_ndim(y) == (flat ? 1 : 3) && api_values(y, got) == n;
    for (int64_t k = 0; k < n && good; k++)
      good = got[k] == want[k];
    bad += !good;
    RELEASE(x, y);
  }
  is_int(bad, 0, "120 scans of random shapes and axes");

  hed_array *a = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *t = hed_transpose(a, NULL);
  NP_NEAR(hed_cumprod(a, &(hed_scan){ .axis = HED_AXES(0) }), cumprod, 1e-15);
  hed_array *f = hed_astype(t, HED_FLOAT32), *own = hed_copy(t);
  hed_array *flat = hed_reshape(t, HED_SHAPE(24)), *last = hed_index(flat, 0, -1), *sums = hed_cumsum(t, NULL);
  hed_array *back = hed_diff(sums, 1, 0), *tail = hed_slice(flat, 1, (hed_slice_range[]){ HED_RANGE(1, 24, 1) });
  hed_array *as = hed_equal(back, tail);
  api_is(hed_all(as, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "a transposed array is flattened in C order");
  is_int(hed_cumsum_into(own, own, &(hed_scan){ .axis = HED_AXES(-1) }), HED_OK, "in place");
  hed_array *other = hed_cumsum(t, &(hed_scan){ .axis = HED_AXES(1) }), *same = hed_equal(own, other);
  api_is(hed_all(same, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "the same as out of place");
  hed_array *b = API_VECTOR(HED_BOOL, 1, 0, 1, 1), *i8 = API_VECTOR(HED_INT8, 100, 100, 100);
  hed_array *n = API_VECTOR(HED_FLOAT32, 1, 3, NAN, 5), *u = API_VECTOR(HED_UINT8, 200, 100, 7);
  api_is(hed_cumsum(b, NULL), HED_SHAPE(4), HED_INT64, API_LIST(1, 1, 2, 3), "cumsum of bool counts");
  api_is(hed_cumsum(i8, NULL), HED_SHAPE(3), HED_INT64, API_LIST(100, 200, 300), "small integers widen");
  api_is(hed_cumsum(i8, &(hed_scan){ .dtype = HED_INT8 }), HED_SHAPE(3), HED_INT8, API_LIST(100, -56, 44),
         "unless a dtype is given: then they wrap");
  api_is(hed_cumsum(u, NULL), HED_SHAPE(3), HED_UINT64, API_LIST(200, 300, 307), "unsigned stays unsigned");
  api_is(hed_cummax(n, NULL), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 3, NAN, NAN), "NaN stays");
  api_is(hed_cummin(n, NULL), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 1, NAN, NAN), "in minima too");
  API_NULL(hed_cumsum(a, &(hed_scan){ .axis = HED_AXES(2) }), HED_E_AXIS, "cumsum: axis 2 is out of range for an array with 2");
  API_NULL(hed_cumprod(a, &(hed_scan){ .axis = HED_AXES(0, 1) }), HED_E_SHAPE, "cumprod: 2 axes are listed");
  API_FAIL(hed_cumsum_into(own, a, NULL), HED_E_SHAPE, "cumsum: out has shape (6, 4), the result (24,)");
  API_FAIL(hed_cummax_into(f, f, &(hed_scan){ .axis = { 0 } }), HED_E_SHAPE, "cummax: out has shape (6, 4)");
  hed_array *flip = hed_flip(own, NULL);
  API_FAIL(hed_cumsum_into(flip, own, &(hed_scan){ .axis = HED_AXES(0) }), HED_E_INVAL, "cumsum: out and x overlap");
  API_FAIL(hed_cumsum_into(NULL, a, NULL), HED_E_INVAL, "cumsum: argument out is NULL");

  api_is(hed_diff(i8, 1, 0), HED_SHAPE(2), HED_INT8, API_LIST(0, 0), "diff");
  api_is(hed_diff(u, 1, -1), HED_SHAPE(2), HED_UINT8, API_LIST(156, 163), "diff of unsigned wraps");
  api_is(hed_diff(b, 1, 0), HED_SHAPE(3), HED_BOOL, API_LIST(1, 1, 0), "diff of bool");
  api_is(hed_diff(u, 2, 0), HED_SHAPE(1), HED_UINT8, API_LIST(7), "second differences");
  api_is(hed_diff(u, 5, 0), HED_SHAPE(0), HED_UINT8, API_LIST(0), "more differences than elements");
  API_NULL(hed_diff(u, -1, 0), HED_E_INVAL, "diff: n is -1, at least 0 is needed");
  API_NULL(hed_diff(u, 1, 1), HED_E_AXIS, "diff: axis 1 is out of range");
  hed_array *all[] = { a, t, f, own, other, same, b, i8, n, u, flip, flat, last, sums, back, tail, as };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void nan_reductions(const char *backend)
{
  diag("reductions without NaN on %s", backend);
  hed_array *a = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *high = hed_greater_scalar(a, 3);
  hed_array *nan = hed_scalar(NAN), *holes = hed_where(high, nan, a), *i = API_VECTOR(HED_INT16, 3, 4, 8);
  NP_NEAR(hed_nanstd(holes, &(hed_reduce){ .axes = HED_AXES(1), .ddof = 1 }), nanstd, 1e-14);
  NP_NEAR(hed_nanmean(holes, &(hed_reduce){ .axes = HED_AXES(0) }), nanmean, 1e-14);
  NP_NEAR(hed_nanmax(holes, &(hed_reduce){ .axes = HED_AXES(0) }), nanmax, 0);
  hed_array *none = hed_full(HED_SHAPE(2, 3), NAN, HED_FLOAT32), *empty = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32);
  hed_reduce rows = { .axes = HED_AXES(1) };
  api_is(hed_nansum(none, &rows), HED_SHAPE(2), HED_FLOAT32, API_LIST(0, 0), "nansum of NaN alone");
  api_is(hed_nanprod(none, &rows), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 1), "nanprod of NaN alone");
  api_is(hed_nanmean(none, &rows), HED_SHAPE(2), HED_FLOAT32, API_LIST(NAN, NAN), "nanmean of NaN alone");
  api_is(hed_nanvar(none, &rows), HED_SHAPE(2), HED_FLOAT32, API_LIST(NAN, NAN), "nanvar of NaN alone");
  api_is(hed_nanmin(none, &rows), HED_SHAPE(2), HED_FLOAT32, API_LIST(NAN, NAN), "nanmin of NaN alone");
  api_is(hed_nanmax(i, NULL), HED_SHAPE0, HED_INT16, API_LIST(8), "integers keep their type");
  api_is(hed_nansum(i, NULL), HED_SHAPE0, HED_INT64, API_LIST(15), "and widen in sums");
  api_is(hed_nanmean(i, &(hed_reduce){ .dtype = HED_FLOAT64, .keepdims = true }), HED_SHAPE(1), HED_FLOAT64, API_LIST(5),
         "nanmean of integers");
  hed_array *inf = API_VECTOR(HED_FLOAT32, -INFINITY, NAN);
  api_is(hed_nanmax(inf, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(-INFINITY), "the largest may be -inf");
  hed_array *half = hed_full(HED_SHAPE(4), 60000, HED_FLOAT16);
  api_is(hed_nanmean(half, NULL), HED_SHAPE0, HED_FLOAT16, API_LIST(60000), "float16 is summed in float32");
  API_NULL(hed_nanmax(empty, NULL), HED_E_SHAPE, "nanmax: x of shape (0, 3) has no elements along axis 0");
  API_NULL(hed_nanvar(a, &(hed_reduce){ .axes = HED_AXES(1, 1) }), HED_E_SHAPE, "nanvar: axis 1 is listed twice");
  API_NULL(hed_nanmean(a, &(hed_reduce){ .dtype = HED_INT8 }), HED_E_DTYPE, "nanmean: option dtype is int8");
  API_NULL(hed_nansum(NULL, NULL), HED_E_INVAL, "nansum: argument x is NULL");
  hed_array *all[] = { a, high, nan, holes, none, empty, inf, half, i };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void others(const char *backend)
{
  diag("logsumexp, average, cov on %s", backend);
  hed_array *a = np_input(HED_SHAPE(4, 6), HED_FLOAT64), *big = hed_multiply_scalar(a, 300);
  NP_NEAR(hed_logsumexp(big, &(hed_reduce){ .axes = HED_AXES(1) }), logsumexp, 1e-15);
  hed_array *inf = api_array(HED_SHAPE(4, 2), HED_FLOAT64, API_LIST(-INFINITY, -INFINITY, INFINITY, 1, INFINITY,
                                                                    -INFINITY, -INFINITY, 3));
  api_is(hed_logsumexp(inf, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(4), HED_FLOAT64,
         API_LIST(-INFINITY, INFINITY, INFINITY, 3), "infinities in logsumexp");
  hed_array *empty = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32), *i = API_VECTOR(HED_INT32, 1000, 1000);
  api_is(hed_logsumexp(empty, &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true }), HED_SHAPE(1, 3), HED_FLOAT32,
         API_LIST(-INFINITY, -INFINITY, -INFINITY), "logsumexp of nothing");
  np_near(hed_logsumexp(i, NULL), 1, API_LIST(1000.6931471805599), 1e-7, "logsumexp of integers");
  api_is(hed_ptp(i, NULL), HED_SHAPE0, HED_INT32, API_LIST(0), "ptp");
  API_NULL(hed_ptp(empty, NULL), HED_E_SHAPE, "ptp: x of shape (0, 3) has no elements along axis 0");

  hed_array *w = hed_linspace(0.25, 1.5, 6, HED_FLOAT64), *w3 = hed_ones(HED_SHAPE(3), HED_FLOAT64);
  NP_NEAR(hed_average(a, w, &(hed_reduce){ .axes = HED_AXES(1) }), average, 1e-14);
  hed_array *zero = hed_zeros(HED_SHAPE(2), HED_FLOAT32);
  api_is(hed_average(i, zero, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "weights that add up to 0");
  API_NULL(hed_average(a, w3, &(hed_reduce){ .axes = HED_AXES(1) }), HED_E_SHAPE,
           "average: weights of shape (3,) fit neither x of shape (4, 6) nor one axis of it");

  NP_NEAR(hed_cov(a, NULL), cov, 1e-13);
  NP_NEAR(hed_cov(a, &(hed_cov_options){ .weights = w }), cov_weighted, 1e-13);
  NP_NEAR(hed_cov(a, &(hed_cov_options){ .columns = true, .population = true }), cov_columns, 1e-13);
  NP_NEAR(hed_corrcoef(a, NULL), corrcoef, 1e-13);
  hed_array *re = hed_slice(a, 1, (hed_slice_range[]){ HED_RANGE(0, 2, 1) });
  hed_array *im = hed_slice(a, 1, (hed_slice_range[]){ HED_RANGE(2, 4, 1) }), *unit = hed_scalar_complex(0, 1);
  hed_array *turned = hed_multiply(im, unit), *wide = hed_astype(turned, HED_COMPLEX128), *z = hed_add(re, wide);
  hed_array *c = hed_cov(z, NULL), *c_re = hed_real(c), *c_im = hed_imag(c);
  np_near(hed_copy(c_re), 4, np_cov_complex, 1e-6, "cov of complex, real part");
  np_near(hed_copy(c_im), 4, np_cov_complex + 4, 1e-5, "cov of complex, imaginary part");
  API_NULL(hed_cov(a, &(hed_cov_options){ .weights = w3 }), HED_E_SHAPE,
           "cov: weights have shape (3,), there are 6 observations");
  hed_array *cube = hed_zeros(HED_SHAPE(2, 2, 2), HED_FLOAT32);
  API_NULL(hed_corrcoef(cube, NULL), HED_E_SHAPE, "corrcoef: x has shape (2, 2, 2); one or two axes are needed");
  /* 2^24 + 1 is no float32, and what is lost of it adds up */
  hed_array *odd = hed_full(HED_SHAPE(5), 16777217, HED_INT32);
  api_is(hed_mean(odd, &(hed_reduce){ .dtype = HED_FLOAT64 }), HED_SHAPE0, HED_FLOAT64, API_LIST(16777217),
         "mean of integers in float64");
  hed_array *two = API_VECTOR(HED_INT32, 16777216, 16777219);
  api_is(hed_var(two, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(2.25), "var of large integers");
  hed_array *all[] = { a, big, inf, empty, i, w, w3, zero, re, im, unit, turned, wide, z, c, c_re, c_im, cube, odd, two };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* What is in the range, by sums and squares that are not. */
static void ends_of_range(const char *backend)
{
  diag("ends of the range on %s", backend);
  HED_SCOPE {
    hed_array *big = api_array(HED_SHAPE(2, 4), HED_FLOAT64, API_LIST(1e308, 1.5e308, 1.7e308, 1.2e308, 1, 2, 3, 3));
    hed_array *small = hed_multiply_scalar(API_VECTOR(HED_FLOAT64, 1, 2, 3, 3), 1e-200);
    hed_array *w = API_VECTOR(HED_FLOAT64, 1, 2, 3, 4), *last = hed_index(big, 0, 1);
    hed_array *f = hed_full(HED_SHAPE(5), 3e38, HED_FLOAT32);
    const hed_reduce rows = { .axes = HED_AXES(1) };
    np_near(hed_average(big, w, &rows), 2, API_LIST(1.39e308, 2.6), 1e-15, "average of large numbers");
    np_near(hed_average(last, hed_multiply_scalar(w, 4e307), NULL), 1, API_LIST(2.6), 1e-15, "... by large weights");
    np_near(hed_multiply_scalar(hed_average(small, small, NULL), 1e200), 1, API_LIST(23. / 9), 1e-15,
            "average of small numbers by small weights");
    np_near(hed_average(f, hed_ones(HED_SHAPE(5), HED_FLOAT32), NULL), 1, API_LIST(3e38f), 1e-7, "average in float32");
    np_near(hed_average(hed_negative(big), w, &rows), 2, API_LIST(-1.39e308, -2.6), 1e-15, "average of large negative numbers");

    hed_array *both = hed_stack(2, (const hed_array *const[]){ hed_multiply_scalar(w, 4e307), small }, 0);
    const double r = 3.5 / sqrt(5 * 2.75);
    np_near(hed_corrcoef(both, NULL), 4, API_LIST(1, r, r, 1), 1e-14, "corrcoef of the largest and the smallest");
    np_near(hed_cov(hed_stack(2, (const hed_array *const[]){ hed_multiply_scalar(w, 1e200), hed_index(both, 0, 1) }, 0), NULL), 4,
            API_LIST(INFINITY, 3.5 / 3, 3.5 / 3, 0), 1e-14, "their covariance");
    hed_array *many = hed_tile(API_VECTOR(HED_FLOAT64, -1e154, 1e154), HED_SHAPE(500));
    np_near(hed_cov(many, &(hed_cov_options){ .population = true }), 1, API_LIST(1e308), 1e-14, "cov by squares that add up to more");
    const hed_cov_options heavy = { .weights = hed_full(HED_SHAPE(4), 1.7e308, HED_FLOAT64), .population = true };
    np_near(hed_cov(hed_multiply_scalar(w, 1e150), &heavy), 1, API_LIST(1.25e300), 1e-14, "cov with large weights");
  }
}

int main(void)
{
  api_each_backend(quantiles);
  api_each_backend(scans);
  api_each_backend(nan_reductions);
  api_each_backend(others);
  api_each_backend(ends_of_range);
  done_testing();
  return done();
}
