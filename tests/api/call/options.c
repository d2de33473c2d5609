// SPDX-License-Identifier: BSD-3-Clause
/* Options and small operations of the array API: corrections that are no whole numbers, reductions over no axes, scans from
 * the neutral element, sets of complex numbers, every NaN by itself, tolerances by matrix, kinds of dtypes.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

static void corrections(const char *backend)
{
  diag("corrections on %s", backend);
  enum { N = 7 };
  double v[2 * N], sum[2] = { 0, 0 }, square[2] = { 0, 0 };
  gen g;
  gen_seed(&g, tap_seed());
  for (int k = 0; k < 2 * N; k++) {
    v[k] = (double)gen_int(&g, -100, 100) / 8;
    sum[k / N] += v[k];
  }
  for (int k = 0; k < 2 * N; k++)
    square[k / N] += (v[k] - sum[k / N] / N) * (v[k] - sum[k / N] / N);
  hed_array *x = api_array(HED_SHAPE(2, N), HED_FLOAT64, v), *f = hed_astype(x, HED_FLOAT32);
  hed_array *out = hed_empty(HED_SHAPE(2), HED_FLOAT64);
  for (int c = 0; c < 5; c++) {
    const double correction = (double[]){ 0.5, 1, 1.5, 2, -1.25 }[c];
    const hed_reduce opt = { .axes = HED_AXES(1), .correction = correction };
    double got[2] = { 0, 0 };
    hed_array *y = hed_var(x, &opt);
    ok(y && hed_to_host(y, got, sizeof got) == HED_OK, "var with correction %g", correction);
    for (int k = 0; k < 2; k++)
      is_near(got[k], square[k] / (N - correction), 1e-12, 0, "its value");
    is_int(hed_std_into(out, f, &opt), HED_OK, "std into another type");
    hed_to_host(out, got, sizeof got);
    for (int k = 0; k < 2; k++)
      is_near(got[k], sqrt(square[k] / (N - correction)), 1e-6, 0, "its value");
    hed_release(y);
    y = hed_nanvar(x, &opt);
    ok(y && hed_to_host(y, got, sizeof got) == HED_OK, "nanvar");
    is_near(got[1], square[1] / (N - correction), 1e-12, 0, "its value");
    hed_release(y);
  }
  is_near(api_number(hed_var(x, &(hed_reduce){ .ddof = 1, .correction = 0.5 })),
          api_number(hed_var(x, &(hed_reduce){ .correction = 1.5 })), 1e-14, 0, "ddof and correction add up");
  ok(isinf(api_number(hed_var(x, &(hed_reduce){ .correction = 2 * N + 0.5 }))), "no freedom is left");
  is_near(api_number(hed_sum(x, &(hed_reduce){ .correction = 0.5 })), sum[0] + sum[1], 1e-12, 1e-12, "others pass over it");
  API_NULL(hed_var(x, &(hed_reduce){ .correction = NAN }), HED_E_INVAL, "var: option correction is nan");
  RELEASE(x, f, out);
}

static void no_axes(const char *backend)
{
  diag("no axes on %s", backend);
  hed_array *x = api_array(HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(1, -2, 0, 4)), *empty = hed_empty(HED_SHAPE(0, 3), HED_FLOAT32);
  const hed_reduce none = { .axes = HED_NO_AXES }, keep = { .axes = HED_NO_AXES, .keepdims = true };
  api_is(hed_sum(x, &none), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(1, -2, 0, 4), "sum over no axes");
  api_is(hed_sum(x, &keep), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(1, -2, 0, 4), "and keepdims");
  api_is(hed_max(x, &none), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(1, -2, 0, 4), "max");
  api_is(hed_var(x, &none), HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(0, 0, 0, 0), "var");
  api_is(hed_all(x, &none), HED_SHAPE(2, 2), HED_BOOL, API_LIST(1, 1, 0, 1), "all");
  api_is(hed_count_nonzero(x, &none), HED_SHAPE(2, 2), HED_INT64, API_LIST(1, 1, 0, 1), "count_nonzero");
  hed_array *y = hed_prod(empty, &none);
  ok(y && hed_array_ndim(y) == 2 && hed_array_size(y) == 0, "of nothing");
  hed_release(y);
  hed_array *z = NULL;
  HED_FUSED {
    hed_array *twice = hed_add(x, x);
    z = hed_sum(twice, &none);
    hed_release(twice);
  }
  api_is(z, HED_SHAPE(2, 2), HED_FLOAT32, API_LIST(2, -4, 0, 8), "and fused");
  RELEASE(x, empty);
}

static void scans(const char *backend)
{
  diag("scans on %s", backend);
  hed_array *x = api_array(HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(1, 2, 3, 4, 5, 6));
  hed_array *i = hed_astype(x, HED_INT8), *empty = hed_empty(HED_SHAPE(0), HED_FLOAT64), *out = hed_ones(HED_SHAPE(2, 4), HED_FLOAT64);
  api_is(hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(1), .initial = true }), HED_SHAPE(2, 4), HED_FLOAT32,
         API_LIST(0, 1, 3, 6, 0, 4, 9, 15), "cumsum from 0");
  api_is(hed_cumprod(i, &(hed_scan){ .axis = HED_AXES(-2), .initial = true }), HED_SHAPE(3, 3), HED_INT64,
         API_LIST(1, 1, 1, 1, 2, 3, 4, 10, 18), "cumprod from 1");
  api_is(hed_cumsum(x, &(hed_scan){ .initial = true }), HED_SHAPE(7), HED_FLOAT32, API_LIST(0, 1, 3, 6, 10, 15, 21), "flattened");
  api_is(hed_cumprod(empty, &(hed_scan){ .initial = true }), HED_SHAPE(1), HED_FLOAT64, API_LIST(1), "of nothing");
  is_int(hed_cumsum_into(out, x, &(hed_scan){ .axis = HED_AXES(-1), .initial = true }), HED_OK, "into an array");
  api_is(hed_retain(out), HED_SHAPE(2, 4), HED_FLOAT64, API_LIST(0, 1, 3, 6, 0, 4, 9, 15), "with room for it");
  API_FAIL(hed_cumsum_into(out, x, &(hed_scan){ .axis = HED_AXES(0), .initial = true }), HED_E_SHAPE, "cumsum: out has shape");
  API_NULL(hed_cummax(x, &(hed_scan){ .initial = true }), HED_E_INVAL, "cummax: option initial is for cumsum and cumprod");
  API_NULL(hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(2), .initial = true }), HED_E_AXIS, "axis 2 is out of range");
  RELEASE(x, i, empty, out);
}

static void every_nan(const char *backend)
{
  diag("every NaN on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT32, NAN, 2, NAN, 1, 2), *values, *index, *inverse, *counts;
  const hed_unique_options each = { .every_nan = true };
  is_int(hed_unique_with(x, &each, &values, &index, &inverse, &counts), HED_OK, "every NaN is kept");
  api_is(values, HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 2, NAN, NAN), "values");
  api_is(index, HED_SHAPE(4), HED_INT64, API_LIST(3, 1, 0, 2), "places");
  api_is(inverse, HED_SHAPE(5), HED_INT64, API_LIST(2, 1, 3, 0, 1), "inverse");
  api_is(counts, HED_SHAPE(4), HED_INT64, API_LIST(1, 2, 1, 1), "counts");
  is_int(hed_unique_with(x, NULL, &values, NULL, NULL, &counts), HED_OK, "by default they are one");
  api_is(values, HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 2, NAN), "value");
  api_is(counts, HED_SHAPE(3), HED_INT64, API_LIST(1, 2, 2), "of many");
  hed_array *rows = api_array(HED_SHAPE(4, 2), HED_FLOAT64, API_LIST(1, NAN, 0, 3, 1, NAN, 0, 3));
  const hed_unique_options each_row = { .axis = HED_AXES(0), .every_nan = true };
  is_int(hed_unique_with(rows, &each_row, &values, &index, NULL, &counts), HED_OK, "rows with NaN");
  api_is(values, HED_SHAPE(3, 2), HED_FLOAT64, API_LIST(0, 3, 1, NAN, 1, NAN), "are each kept");
  api_is(index, HED_SHAPE(3), HED_INT64, API_LIST(1, 0, 2), "where they are");
  api_is(counts, HED_SHAPE(3), HED_INT64, API_LIST(2, 1, 1), "once");
  RELEASE(x, rows);
}

static hed_array *complex_of(hed_dtype t, int n, const double *re, const double *im)
{
  hed_array *r = api_array(HED_SHAPE(n), HED_FLOAT64, re), *i = api_array(HED_SHAPE(n), HED_FLOAT64, im);
  hed_array *j = hed_multiply_complex(i, 0, 1), *z = hed_add(r, j), *x = hed_astype(z, t);
  RELEASE(r, i, j, z);
  return x;
}

static void parts_are(hed_array *z, int n, const double *re, const double *im, hed_dtype part, const char *what)
{
  api_is(hed_real(z), HED_SHAPE(n), part, re, what);
  api_is(hed_imag(z), HED_SHAPE(n), part, im, "imaginary parts");
  hed_release(z);
}

static void complex_sets(const char *backend)
{
  diag("complex sets on %s", backend);
  const double re[6] = { 2, 1, 2, 1, -0.0, 0 }, im[6] = { 1, 5, -1, 5, 3, 3 };
  for (int wide = 0; wide < 2; wide++) {
    hed_dtype part = wide ? HED_FLOAT64 : HED_FLOAT32;
    hed_array *x = complex_of(wide ? HED_COMPLEX128 : HED_COMPLEX64, 6, re, im), *values, *index, *inverse, *counts;
    is_int(hed_unique(x, NULL, &values, &index, &inverse, &counts), HED_OK, "unique of complex numbers");
    parts_are(values, 4, API_LIST(0, 1, 2, 2), API_LIST(3, 5, -1, 1), part, "by real parts, then by imaginary parts");
    api_is(index, HED_SHAPE(4), HED_INT64, API_LIST(4, 1, 2, 0), "first places");
    api_is(inverse, HED_SHAPE(6), HED_INT64, API_LIST(3, 1, 2, 1, 0, 0), "inverse");
    api_is(counts, HED_SHAPE(4), HED_INT64, API_LIST(2, 2, 1, 1), "counts");
    hed_array *grid = hed_reshape(x, HED_SHAPE(3, 2));
    is_int(hed_unique(grid, &HED_AXES(0), NULL, &index, NULL, NULL), HED_OK, "of rows");
    api_is(index, HED_SHAPE(3), HED_INT64, API_LIST(2, 1, 0), "of which all differ");
    hed_array *test = complex_of(HED_COMPLEX64, 3, API_LIST(1, 2, NAN), API_LIST(5, 0, 0));
    api_is(hed_isin(x, test), HED_SHAPE(6), HED_BOOL, API_LIST(0, 1, 0, 1, 0, 0), "isin of complex numbers");
    hed_array *real = API_VECTOR(HED_FLOAT64, 1, 2, NAN), *few = complex_of(HED_COMPLEX64, 3, API_LIST(2, 1, NAN), API_LIST(0, 1, 0));
    api_is(hed_isin(real, few), HED_SHAPE(3), HED_BOOL, API_LIST(0, 1, 0), "of real ones among complex ones; NaN is not");
    hed_array *nothing = hed_empty(HED_SHAPE(0), HED_COMPLEX64);
    api_is(hed_isin(x, nothing), HED_SHAPE(6), HED_BOOL, API_LIST(0, 0, 0, 0, 0, 0), "among nothing");
    is_int(hed_unique(nothing, NULL, &values, NULL, NULL, NULL), HED_OK, "unique of nothing");
    is_int(hed_array_size(values), 0, "is nothing");
    RELEASE(x, grid, test, real, few, nothing, values);
  }
  hed_array *z = complex_of(HED_COMPLEX64, 3, API_LIST(0.5, -1.5, 2.6), API_LIST(2.5, -0.4, 1));
  parts_are(hed_round(z), 3, API_LIST(0, -2, 3), API_LIST(2, -0.0, 1), HED_FLOAT32, "round of complex numbers");
  hed_release(z);
}

static void elementwise(const char *backend)
{
  diag("elementwise on %s", backend);
  const double a[8] = { 1, 1, 0, -0.0, INFINITY, NAN, 0x1p-1074, 3 }, b[8] = { 2, -2, 1, -1, 0, 1, 0, 3 };
  double got[8], want[8];
  float half[8];
  hed_array *x = api_array(HED_SHAPE(8), HED_FLOAT64, a), *y = api_array(HED_SHAPE(8), HED_FLOAT64, b);
  hed_array *fx = hed_astype(x, HED_FLOAT32), *fy = hed_astype(y, HED_FLOAT32), *n = hed_nextafter(x, y), *m = hed_nextafter(fx, fy);
  hed_to_host(n, got, sizeof got);
  hed_to_host(m, half, sizeof half);
  for (int k = 0; k < 8; k++) {
    want[k] = nextafter(a[k], b[k]);
    is_ulp(got[k], want[k], 0, "nextafter(%g, %g)", a[k], b[k]);
    is_ulpf(half[k], nextafterf((float)a[k], (float)b[k]), 0, "in float32");
  }
  hed_array *i = API_VECTOR(HED_INT8, -3, 4), *p = hed_positive(i), *t = hed_zeros(HED_SHAPE(2), HED_BOOL);
  api_is(hed_retain(p), HED_SHAPE(2), HED_INT8, API_LIST(-3, 4), "positive");
  is_int(hed_fill(p, 1), HED_OK, "which is a copy");
  api_is(hed_retain(i), HED_SHAPE(2), HED_INT8, API_LIST(-3, 4), "of what stays");
  API_NULL(hed_positive(t), HED_E_DTYPE, "positive: x has dtype bool");
  RELEASE(x, y, fx, fy, n, m, i, p, t);
}

static void stacks(const char *backend)
{
  diag("unstack on %s", backend);
  hed_array *x = api_array(HED_SHAPE(2, 3), HED_INT32, API_LIST(1, 2, 3, 4, 5, 6)), *list[3] = { NULL, NULL, NULL };
  is_int(hed_unstack(x, -1, list), HED_OK, "unstack");
  for (int k = 0; k < 3; k++)
    api_is(list[k], HED_SHAPE(2), HED_INT32, API_LIST(k + 1, k + 4), "a slice");
  API_FAIL(hed_unstack(x, 2, list), HED_E_AXIS, "unstack: axis 2 is out of range");
  API_FAIL(hed_unstack(x, 0, NULL), HED_E_INVAL, "unstack: out is NULL");
  hed_release(x);
}

static void tolerances(const char *backend)
{
  diag("tolerances on %s", backend);
  hed_array *a = api_array(HED_SHAPE(2, 2, 2), HED_FLOAT64, API_LIST(4, 0, 0, 1, 4, 0, 0, 1)), *r = API_VECTOR(HED_FLOAT32, 0.1, 0.5);
  hed_array *none = hed_zeros(HED_SHAPE(2), HED_COMPLEX64), *three = API_VECTOR(HED_FLOAT32, 0, 0, 0);
  api_is(hed_matrix_rank_each(a, r), HED_SHAPE(2), HED_INT64, API_LIST(2, 1), "matrix_rank with a tolerance for each matrix");
  api_is(hed_pinv_each(a, r), HED_SHAPE(2, 2, 2), HED_FLOAT64, API_LIST(0.25, 0, 0, 1, 0.25, 0, 0, 0), "pinv");
  hed_array *one = API_VECTOR(HED_FLOAT64, 0.5);
  api_is(hed_matrix_rank_each(a, one), HED_SHAPE(2), HED_INT64, API_LIST(1, 1), "one for all");
  API_NULL(hed_matrix_rank_each(a, none), HED_E_DTYPE, "matrix_rank: rcond has dtype complex64");
  API_NULL(hed_pinv_each(a, three), HED_E_SHAPE, "do not broadcast");
  hed_array *near = API_VECTOR(HED_FLOAT64, 0.5 + 1e-6, 0.6, NAN), *x = API_VECTOR(HED_FLOAT64, 0.5, 0.5, NAN);
  api_is(hed_isclose(x, near, &(hed_tolerance){ .equal_nan = true }), HED_SHAPE(3), HED_BOOL, API_LIST(1, 0, 1), "isclose as it is");
  RELEASE(a, r, none, three, one, near, x);
}

static void empty_masks(const char *backend)
{
  diag("masks without elements on %s", backend);
  hed_array *x = hed_ones(HED_SHAPE(0, 3), HED_FLOAT32), *m = hed_ones(HED_SHAPE(0), HED_BOOL);
  hed_array *both = hed_ones(HED_SHAPE(0, 3), HED_BOOL);
  hed_array *y = HED_GET(x, HED_MASK(m)), *z = HED_GET(x, HED_MASK(both)), *w = HED_GET(x, HED_WHOLE, HED_MASK(hed_keep(NULL)));
  ok(y && hed_array_ndim(y) == 2 && hed_array_shape(y).dim[0] == 0 && hed_array_shape(y).dim[1] == 3, "rows of none");
  ok(z && hed_array_ndim(z) == 1 && hed_array_size(z) == 0, "elements of none");
  ok(!w, "no mask is an error");
  is_int(HED_SET(x, x, HED_MASK(m)), HED_OK, "writing to none");
  hed_array *five = hed_ones(HED_SHAPE(5), HED_FLOAT32), *yes = hed_ones(HED_SHAPE0, HED_BOOL), *no = hed_zeros(HED_SHAPE0, HED_BOOL);
  hed_array *all = HED_GET(five, HED_MASK(yes)), *nothing = HED_GET(five, HED_MASK(no));
  ok(all && hed_array_ndim(all) == 2 && hed_array_size(all) == 5, "a mask without axes adds one");
  ok(nothing && hed_array_ndim(nothing) == 2 && hed_array_size(nothing) == 0, "of extent 0 where it is false");
  hed_array *few = HED_GET(five, HED_MASK(m));
  ok(few && hed_array_ndim(few) == 1 && hed_array_size(few) == 0, "a mask of extent 0 chooses nothing of an axis of extent 5");
  RELEASE(x, m, both, y, z, five, few, yes, no, all, nothing);
}

static void dtypes(void)
{
  is_int(hed_isdtype(HED_INT8, "signed integer"), 1, "kinds of dtypes");
  is_int(hed_isdtype(HED_UINT8, "signed integer"), 0, "which exclude each other");
  is_int(hed_isdtype(HED_UINT8, "integral"), 1, "or hold several");
  is_int(hed_isdtype(HED_BOOL, "integral"), 0, "bool is none of them");
  is_int(hed_isdtype(HED_REAL, "real floating"), 1, "an abstract one by its family");
  is_int(hed_isdtype(HED_COMPLEX64, "numeric"), 1, "numbers");
  is_int(hed_isdtype(HED_BOOL, "numeric"), 0, "and not");
  API_FAIL((hed_status)hed_isdtype(HED_INT8, "number"), HED_E_INVAL, "isdtype: 'number' is no kind of dtype");
  API_FAIL((hed_status)hed_isdtype(NULL, "bool"), HED_E_INVAL, "isdtype: t is NULL");
  ok(hed_can_cast(HED_INT8, HED_INT16) && !hed_can_cast(HED_INT16, HED_INT8) && !hed_can_cast(HED_UINT8, HED_INT8) &&
         hed_can_cast(HED_FLOAT32, HED_COMPLEX64) && !hed_can_cast(NULL, HED_INT8), "can_cast is by promotion");
  for (int a = 0; a < HED_ID_CONCRETE_COUNT_; a++)
    for (int b = 0; b < HED_ID_CONCRETE_COUNT_; b++)
      if (hed_can_cast(hed_dtype_of(a), hed_dtype_of(b)) != (hed_dtype_promote(hed_dtype_of(a), hed_dtype_of(b)) == hed_dtype_of(b)))
        fail("can_cast of %s to %s", hed_dtype_name(hed_dtype_of(a)), hed_dtype_name(hed_dtype_of(b)));
  hed_array *i = hed_ones(HED_SHAPE(2), HED_INT8), *f = hed_ones(HED_SHAPE(2), HED_FLOAT16), *w = hed_scalar(2);
  hed_array *n = hed_scalar_int(3);
  const hed_array *arrays[3] = { i, w, n };
  is_ptr(hed_result_type(2, (const hed_array *const[]){ i, n }, 0, NULL), HED_INT8, "weak integers stay out of it");
  is_ptr(hed_result_type(3, arrays, 0, NULL), HED_FLOAT32, "weak reals lift to REAL");
  const hed_array *half[1] = { f };
  is_ptr(hed_result_type(1, half, 2, (const hed_dtype[]){ HED_INT8, HED_FLOAT64 }), HED_FLOAT64, "arrays and dtypes");
  is_ptr(hed_result_type(0, NULL, 1, (const hed_dtype[]){ HED_REAL }), HED_FLOAT32, "what is abstract is settled");
  is_ptr(hed_result_type(2, arrays, 1, (const hed_dtype[]){ HED_COMPLEX128 }), HED_COMPLEX128, "all together");
  is_ptr(hed_result_type(1, (const hed_array *const[]){ n }, 0, NULL), HED_INT64, "weak ones alone");
  ok(!hed_result_type(0, NULL, 0, NULL) && hed_error() == HED_E_INVAL, "of nothing there is none");
  ok(!hed_result_type(0, NULL, 1, (const hed_dtype[]){ NULL }) && hed_error() == HED_E_INVAL, "nor with NULL");
  RELEASE(i, f, w, n);
}

int main(void)
{
  api_each_backend(corrections);
  api_each_backend(no_axes);
  api_each_backend(scans);
  api_each_backend(every_nan);
  api_each_backend(complex_sets);
  api_each_backend(elementwise);
  api_each_backend(stacks);
  api_each_backend(tolerances);
  api_each_backend(empty_masks);
  dtypes();
  done_testing();
  return done();
}
