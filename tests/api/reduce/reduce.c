// SPDX-License-Identifier: BSD-3-Clause
/* Reductions: axes, keepdims, dtype, ddof, nothing to reduce, against loops written out. */
#include "api.h"
#include "gen.h"
#include <math.h>

enum { SUM, PROD, MEAN, VAR, MAX, ARGMAX, COUNT, ANY, KINDS };
static hed_array *(*const calls[KINDS])(const hed_array *, const hed_reduce *) = {
  hed_sum, hed_prod, hed_mean, hed_var, hed_max, hed_argmax, hed_count_nonzero, hed_any,
};

/* The reduction of N values in their order. */
static double naive(int kind, int n, const double *v, int ddof)
{
  double s = 0, p = 1, q = 0;
  int best = 0, count = 0;
  for (int k = 0; k < n; k++) {
    s += v[k];
    p *= v[k];
    count += v[k] != 0;
    if (v[k] > v[best])
      best = k;
  }
  for (int k = 0; k < n; k++)
    q += (v[k] - s / n) * (v[k] - s / n);
  switch (kind) {
  case SUM: return s;
  case PROD: return p;
  case MEAN: return s / n;
  case VAR: return q / (n - ddof);
  case MAX: return v[best];
  case ARGMAX: return best;
  case COUNT: return count;
  default: return count > 0;
  }
}

static void random_axes(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 240 && good; round++) {
    int kind = round % KINDS, ndim = (int)gen_int(&g, 1, 4), perm[4];
    hed_shape shape = { .ndim = ndim };
    int64_t n = 1, outer = 1;
    for (int k = 0; k < ndim; k++) {
      shape.dim[k] = gen_int(&g, 1, 4);
      n *= shape.dim[k];
    }
    double values[256], want[256], got[256], group[256];
    for (int64_t k = 0; k < n; k++)
      values[k] = (double)gen_int(&g, -2, 3);
    uint32_t mask = (uint32_t)gen_int(&g, 1, (1 << ndim) - 1);
    hed_reduce opt = { .keepdims = gen_chance(&g, 50), .ddof = kind == VAR ? (int)gen_int(&g, 0, 1) : 0 };
    hed_shape out = { .ndim = 0 };
    gen_permutation(&g, ndim, perm);
    for (int j = 0; j < ndim; j++)
      if (mask >> perm[j] & 1u)
        opt.axes.axis[opt.axes.n++] = gen_chance(&g, 50) ? perm[j] : perm[j] - ndim;
    for (int k = 0; k < ndim; k++) {
      if (!(mask >> k & 1u)) {
        outer *= shape.dim[k];
        out.dim[out.ndim++] = shape.dim[k];
      } else if (opt.keepdims) {
        out.dim[out.ndim++] = 1;
      }
    }
    for (int64_t o = 0; o < outer; o++) {
      int m = 0;
      for (int64_t k = 0; k < n; k++) {
        int64_t rest = k, index = 0, scale = 1;
        for (int j = ndim - 1; j >= 0; j--) {
          if (!(mask >> j & 1u)) {
            index += rest % shape.dim[j] * scale;
            scale *= shape.dim[j];
          }
          rest /= shape.dim[j];
        }
        if (index == o)
          group[m++] = values[k];
      }
      want[o] = naive(kind, m, group, opt.ddof);
    }
    hed_array *x = api_array(shape, HED_FLOAT64, values), *y = calls[kind](x, &opt);
    good = y && api_values(y, got) == outer && hed_array_ndim(y) == out.ndim;
    for (int k = 0; k < out.ndim && good; k++)
      good = hed_array_shape(y).dim[k] == out.dim[k];
    for (int64_t k = 0; k < outer && good; k++)
      good = isfinite(want[k]) ? fabs(got[k] - want[k]) <= 1e-12 * (1 + fabs(want[k]))
                               : got[k] == want[k] || (isnan(got[k]) && isnan(want[k]));
    if (!good)
      diag("reduction %d, mask %u of %d axes, keepdims %d: %s", kind, mask, ndim, opt.keepdims, hed_error_text());
    RELEASE(x, y);
  }
  ok(good, "%s: 240 reductions over random axes", backend);
}

static void rules(const char *backend)
{
  diag("rules on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_INT8), *f = hed_astype(x, HED_FLOAT32);
  api_is(hed_sum(x, NULL), HED_SHAPE0, HED_INT64, API_LIST(15), "sum over all");
  api_is(hed_sum(x, &(hed_reduce){ .keepdims = true }), HED_SHAPE(1, 1), HED_INT64, API_LIST(15), "keepdims");
  api_is(hed_sum(x, &(hed_reduce){ .dtype = HED_FLOAT64 }), HED_SHAPE0, HED_FLOAT64, API_LIST(15), "dtype");
  api_is(hed_mean(x, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(2.5), "mean of integers");
  api_is(hed_var(f, &(hed_reduce){ .axes = HED_AXES(1), .ddof = 1 }), HED_SHAPE(2), HED_FLOAT32, API_LIST(1, 1), "ddof");
  api_is(hed_count_nonzero(x, &(hed_reduce){ .dtype = HED_INT32 }), HED_SHAPE0, HED_INT32, API_LIST(5), "a count as int32");
  api_is(hed_argmin(x, &(hed_reduce){ .axes = HED_AXES(1), .keepdims = true }), HED_SHAPE(2, 1), HED_INT64,
         API_LIST(0, 0), "argmin with keepdims");
  hed_array *out = hed_zeros(HED_SHAPE(3), HED_FLOAT64);
  is_int(hed_sum_into(out, x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_OK, "into another dtype");
  api_is(hed_copy(out), HED_SHAPE(3), HED_FLOAT64, API_LIST(3, 5, 7), "its values");
  hed_array *cols = hed_zeros(HED_SHAPE(3, 2), HED_INT64), *col = hed_index(cols, 1, 1);
  is_int(hed_sum_into(col, x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_OK, "into a column");
  api_is(hed_copy(cols), HED_SHAPE(3, 2), HED_INT64, API_LIST(0, 3, 0, 5, 0, 7), "its values");
  RELEASE(col, cols);
  API_FAIL(hed_sum_into(out, x, NULL), HED_E_SHAPE, "sum: out has shape (3,), the result ()");
  API_NULL(hed_sum(x, &(hed_reduce){ .axes = HED_AXES(2) }), HED_E_AXIS, "sum: axis 2 is out of range for an array with 2 axes");
  API_NULL(hed_sum(x, &(hed_reduce){ .axes = HED_AXES(0, -2) }), HED_E_SHAPE, "sum: axis -2 is listed twice");
  API_NULL(hed_sum(x, &(hed_reduce){ .axes = { 17, { 0 } } }), HED_E_SHAPE, "17 axes are listed");
  API_NULL(hed_mean(x, &(hed_reduce){ .dtype = HED_INT32 }), HED_E_DTYPE, "mean: option dtype is int32");
  API_NULL(hed_var(x, &(hed_reduce){ .dtype = HED_COMPLEX64 }), HED_E_DTYPE, "var: option dtype is complex64");
  API_NULL(hed_sum(NULL, NULL), HED_E_INVAL, "sum: argument x is NULL");
  hed_array *row = hed_slice(f, 1, (hed_slice_range[]){ { 0, 1, 1 } }), *flat = hed_index(f, 0, 0);
  API_FAIL(hed_sum_into(flat, row, &(hed_reduce){ .axes = HED_AXES(0) }), HED_E_INVAL, "sum: out and x share memory");
  RELEASE(row, flat, out, x, f);

  x = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32);
  api_is(hed_sum(x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(3), HED_FLOAT32, API_LIST(0, 0, 0), "sum of nothing");
  api_is(hed_prod(x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 1, 1),
         "product of nothing");
  api_is(hed_mean(x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(3), HED_FLOAT32, API_LIST(NAN, NAN, NAN),
         "mean of nothing");
  api_is(hed_all(x, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "all of nothing");
  api_is(hed_max(x, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(0), HED_FLOAT32, API_LIST(0),
         "no maxima where there are no rows");
  API_NULL(hed_max(x, &(hed_reduce){ .axes = HED_AXES(0) }), HED_E_SHAPE, "max: x of shape (0, 3) has no elements along axis 0");
  API_NULL(hed_argmin(x, NULL), HED_E_SHAPE, "argmin: x of shape (0, 3) has no elements along axis 0");
  hed_release(x);

  x = API_VECTOR(HED_FLOAT32, 1, NAN, 5, NAN);
  api_is(hed_max(x, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "NaN wins");
  api_is(hed_argmax(x, NULL), HED_SHAPE0, HED_INT64, API_LIST(1), "the first NaN wins");
  hed_release(x);
  /* mean 1 + 2/3 i; squared distances 16/9, 40/9, 40/9 */
  const double z[6] = { 1, 2, -1, 0, 3, 0 };
  double v = 0;
  x = hed_from_host(z, HED_SHAPE(3), HED_COMPLEX128);
  f = hed_var(x, NULL);
  is_ptr(hed_array_dtype(f), HED_FLOAT64, "var of complex is real");
  hed_item(f, &v);
  is_near(v, 32. / 9, 1e-14, 0, "its value");
  RELEASE(f, x);
}

int main(void)
{
  api_each_backend(random_axes);
  api_each_backend(rules);
  done_testing();
  return done();
}
