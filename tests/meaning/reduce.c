// SPDX-License-Identifier: BSD-3-Clause
/* What reductions mean where array libraries differ: doc/meaning.texi, section "Reductions and statistics", an assertion
 * for each sentence.
 */
#include "api.h"
#include <math.h>

static void meaning(const char *backend)
{
  diag("reductions on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT64, 1, 2, 3, 6), *m = api_iota(HED_SHAPE(2, 3), HED_FLOAT32);
  hed_array *ties = API_VECTOR(HED_FLOAT32, 3, 7, 7, 3), *nans = API_VECTOR(HED_FLOAT32, 9, NAN, 10, NAN);

  /* the divisor is n - ddof, and ddof is 0 */
  api_is(hed_var(x, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(3.5), "var divides by n");
  api_is(hed_var(x, &(hed_reduce){ .ddof = 2 }), HED_SHAPE0, HED_FLOAT64, API_LIST(7), "ddof = 2 divides by n - 2");
  api_is(hed_std(x, &(hed_reduce){ .ddof = 4 }), HED_SHAPE0, HED_FLOAT64, API_LIST(INFINITY), "no freedom left: x / 0");

  /* argmax */
  api_is(hed_argmax(ties, NULL), HED_SHAPE0, HED_INT64, API_LIST(1), "the first of equals");
  api_is(hed_argmin(ties, NULL), HED_SHAPE0, HED_INT64, API_LIST(0), "also the least");
  api_is(hed_argmax(nans, NULL), HED_SHAPE0, HED_INT64, API_LIST(1), "the first NaN is the largest");
  api_is(hed_argmin(nans, NULL), HED_SHAPE0, HED_INT64, API_LIST(1), "and the least");
  api_is(hed_argmax(m, NULL), HED_SHAPE0, HED_INT64, API_LIST(5), "over all axes the place is that in the flattened array");
  api_is(hed_argmax(m, &(hed_reduce){ .keepdims = true }), HED_SHAPE(1, 1), HED_INT64, API_LIST(5),
         "keepdims also when no axis is named");
  api_is(hed_mean(m, &(hed_reduce){ .axes = HED_AXES(1, 0), .keepdims = true }), HED_SHAPE(1, 1), HED_FLOAT32,
         API_LIST(2.5), "mean keeps axes");

  /* all and any are truth values along axes */
  api_is(hed_all(m, &(hed_reduce){ .axes = HED_AXES(0) }), HED_SHAPE(3), HED_BOOL, API_LIST(0, 1, 1), "all along an axis");
  api_is(hed_any(m, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "any is no count");
  hed_array *nan = API_VECTOR(HED_FLOAT32, NAN);
  api_is(hed_any(nan, NULL), HED_SHAPE0, HED_BOOL, API_LIST(1), "NaN is not 0");

  /* max and NaN */
  api_is(hed_max(nans, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "NaN wins in max");
  api_is(hed_nanmax(nans, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(10), "and is passed over in nanmax");

  /* nothing to reduce */
  hed_array *empty = hed_zeros(HED_SHAPE(0), HED_FLOAT32);
  api_is(hed_sum(empty, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(0), "sum of nothing");
  api_is(hed_prod(empty, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(1), "product of nothing");
  api_is(hed_mean(empty, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "mean of nothing");
  api_is(hed_median(empty, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(NAN), "median of nothing");
  api_is(hed_logsumexp(empty, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(-INFINITY), "logsumexp of nothing");
  API_NULL(hed_max(empty, NULL), HED_E_SHAPE, "max: x of shape (0,) has no elements along axis 0");

  /* cumsum without an axis */
  api_is(hed_cumsum(m, NULL), HED_SHAPE(6), HED_FLOAT32, API_LIST(0, 1, 3, 6, 10, 15), "cumsum flattens");
  api_is(hed_cumsum(m, &(hed_scan){ .axis = HED_AXES(0) }), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 3, 5, 7),
         "unless an axis is named");

  /* logsumexp without axes is over all of them */
  hed_array *zeros = hed_zeros(HED_SHAPE(2, 2), HED_FLOAT64);
  hed_array *l = hed_logsumexp(zeros, NULL);
  double v = 0;
  is_int(hed_array_ndim(l), 0, "logsumexp is over all axes");
  hed_item(l, &v);
  is_near(v, log(4), 1e-15, 0, "its value");

  /* median and percentile */
  api_is(hed_median(x, NULL), HED_SHAPE0, HED_FLOAT64, API_LIST(2.5), "an even count: mean of the middle two");
  api_is(hed_percentile(x, 1, (const double[]){ 25 }, NULL), HED_SHAPE(1), HED_FLOAT64, API_LIST(1.75),
         "percentile interpolates, and has an axis for its list");

  /* integers */
  hed_array *i = hed_full(HED_SHAPE(3), 16777217, HED_INT64);
  api_is(hed_mean(i, NULL), HED_SHAPE0, HED_FLOAT32, API_LIST(16777216), "the mean of integers is a REAL");
  api_is(hed_mean(i, &(hed_reduce){ .dtype = HED_FLOAT64 }), HED_SHAPE0, HED_FLOAT64, API_LIST(16777217),
         "made in float64");
  hed_array *u = hed_full(HED_SHAPE(3), 200, HED_UINT8);
  api_is(hed_sum(u, NULL), HED_SHAPE0, HED_UINT64, API_LIST(600), "sums of small integers are 64 bits wide");
  hed_array *all[] = { x, m, ties, nans, nan, empty, zeros, l, i, u };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

int main(void)
{
  api_each_backend(meaning);
  done_testing();
  return done();
}
