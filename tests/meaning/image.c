// SPDX-License-Identifier: BSD-3-Clause
/* Where systems differ on images and template matching: what Heddle means. The manual's chapter "One meaning" has the
 * same list.
 */
#include "api.h"
#include <math.h>

static hed_array *point(int64_t n, int64_t i, int64_t j)
{
  hed_array *x = hed_zeros(HED_SHAPE(n, n), HED_FLOAT64), *r = hed_index(x, 0, i), *e = hed_index(r, 0, j);
  hed_fill(e, 1);
  RELEASE(r, e);
  return x;
}

static int64_t top(hed_array *x)
{
  hed_array *k = hed_argmax(x, NULL);
  int64_t v = -1;
  hed_item_int(k, &v);
  RELEASE(k, x);
  return v;
}

static hed_array *turned(const hed_array *x, const double *rotation, const hed_rigid *opt)
{
  hed_array *out = NULL;
  if (hed_rigid_transform(x, NULL, rotation, opt, &out, NULL) != HED_OK)
    diag("%s", hed_error_text());
  return out;
}

static void rigid(const char *backend)
{
  diag("rigid transforms on %s", backend);
  const double quarter[4] = { 0, -1, 1, 0 }, two[2] = { 2, 0 }, identity[4] = { 1, 0, 0, 1 }, shear[4] = { 1, 0.5, 0, 1 };
  hed_array *x = point(11, 8, 5);
  is_int(top(turned(x, quarter, &(hed_rigid){ .translation = two })), 5 * 11 + 10, "shifted first, then turned about the middle");
  is_int(top(turned(x, identity, &(hed_rigid){ .translation = two, .spline = HED_SPLINE_LINEAR })), 10 * 11 + 5,
         "a translation moves the content by +t, in array axis order");
  /* (8, 5) is (3, 0) from the middle; R of a shear is not its transpose: content goes to R d */
  hed_release(x);
  x = point(11, 5, 7);
  is_int(top(turned(x, shear, &(hed_rigid){ .spline = HED_SPLINE_LINEAR })), 6 * 11 + 7, "the inverse is used, not the transpose");
  hed_release(x);
  x = point(11, 2, 3);
  is_int(top(turned(x, quarter, NULL)), 7 * 11 + 2, "the default centre is (shape - 1) / 2");
  is_int(top(turned(x, quarter, &(hed_rigid){ .center_of_mass = true })), 2 * 11 + 3, "the centre of mass is asked for");
  hed_release(x);

  /* values of 0 and below have no mass */
  x = hed_full(HED_SHAPE(11, 11), -1, HED_FLOAT64);
  hed_array *r = hed_index(x, 0, 2), *e = hed_index(r, 0, 3);
  hed_fill(e, 1);
  is_int(top(turned(x, quarter, &(hed_rigid){ .center_of_mass = true, .spline = HED_SPLINE_NEAREST })), 2 * 11 + 3,
         "only values above 0 count");
  RELEASE(r, e, x);

  /* a batch has one matrix and one centre; a mask is turned too, never passed through */
  x = point(7, 1, 3);
  hed_array *out = NULL, *out_mask = NULL;
  is_int(hed_rigid_transform(x, x, quarter, &(hed_rigid){ .spline = HED_SPLINE_LINEAR }, &out, &out_mask), HED_OK, "with a mask");
  is_int(top(out), 3 * 7 + 1, "the array");
  is_int(top(out_mask), 3 * 7 + 1, "the mask as the array");
  hed_array *gone = (hed_array *)(void *)&two;
  is_int(hed_rigid_transform(x, NULL, quarter, NULL, &out, &gone), HED_OK, "without a mask");
  ok(gone == NULL, "there is none in the result");
  hed_release(out);

  /* the array may change between two calls at the same address */
  out = turned(x, identity, &(hed_rigid){ .spline = HED_SPLINE_LINEAR });
  hed_release(out);
  hed_fill(x, 2);
  out = turned(x, identity, &(hed_rigid){ .spline = HED_SPLINE_LINEAR });
  double got[49];
  api_values(out, got);
  ok(got[0] == 2 && got[48] == 2, "nothing is kept from a call before");
  RELEASE(out, x);
}

static void peaks(const char *backend)
{
  diag("peaks on %s", backend);
  /* a plateau: every member, unless asked otherwise */
  hed_array *x = API_VECTOR(HED_FLOAT32, 0, 5, 5, 0, -1, -2, -1);
  api_is(hed_max_filter_coordinates(x, 3, NULL), HED_SHAPE(3, 1), HED_INT64, API_LIST(1, 2, 6), "a plateau counts as a whole");
  api_is(hed_max_filter_coordinates(x, 3, &(hed_peaks){ .exclude_plateaus = true }), HED_SHAPE(2, 1), HED_INT64, API_LIST(1, 6),
         "or its first member");
  /* outside is -inf, so a negative border can be a maximum; or 0 */
  api_is(hed_max_filter_coordinates(x, 3, &(hed_peaks){ .zero_border = true }), HED_SHAPE(2, 1), HED_INT64, API_LIST(1, 2),
         "a border of 0 hides maxima below it");
  hed_release(x);
  /* even boxes: one more before than after */
  x = API_VECTOR(HED_INT32, 1, 3, 2, 4);
  api_is(hed_maximum_filter(x, 2, -INFINITY), HED_SHAPE(4), HED_INT32, API_LIST(1, 3, 3, 4), "a box of 2: before and here");
  api_is(hed_maximum_filter_with(x, 2, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP }), HED_SHAPE(4), HED_INT32,
         API_LIST(4, 3, 3, 4), "the same, round the end");
  hed_release(x);
}

static void scores(const char *backend)
{
  diag("scores on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT64, 6, 6), *sq = API_VECTOR(HED_FLOAT64, 12, 3), *ex = API_VECTOR(HED_FLOAT64, 0, 3);
  api_is(hed_norm_scores(x, sq, ex, 3, 1e-6), HED_SHAPE(2), HED_FLOAT64, API_LIST(1, 0), "no variance: 0, not x / n, not NaN");
  api_is(hed_norm_scores_with(x, sq, ex, 3, 1e-6, true), HED_SHAPE(2), HED_FLOAT64, API_LIST(1, 2), "x / n when asked for");
  api_is(hed_copy(sq), HED_SHAPE(2), HED_FLOAT64, API_LIST(12, 3), "operands keep their values");
  RELEASE(x, sq, ex);
  hed_array *flat = hed_ones(HED_SHAPE(4), HED_FLOAT32), *mask = hed_ones(HED_SHAPE(4), HED_FLOAT32);
  is_int(hed_normalize_template(flat, mask, 0, NULL), HED_OK, "a template without variance");
  api_is(flat, HED_SHAPE(4), HED_FLOAT32, API_LIST(0, 0, 0, 0), "is 0");
  hed_release(mask);
}

static void filters(const char *backend)
{
  diag("filters on %s", backend);
  hed_array *x = api_array(HED_SHAPE(3, 3), HED_FLOAT64, API_LIST(0, 0, 0, 0, 0, 1, 0, 0, 0));
  /* the default is SciPy's reflect; pyTME's Laplacian wraps */
  api_is(hed_laplace(x, NULL), HED_SHAPE(3, 3), HED_FLOAT64, API_LIST(0, 0, 1, 0, 1, -3, 0, 0, 1), "laplace reflects");
  api_is(hed_laplace(x, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP }), HED_SHAPE(3, 3), HED_FLOAT64,
         API_LIST(0, 0, 1, 1, 1, -4, 0, 0, 1), "or wraps: the 5-point stencil");
  /* correlation, not convolution: weight k meets element i + k - n / 2 */
  hed_array *line = API_VECTOR(HED_FLOAT64, 0, 0, 1, 0, 0), *w = API_VECTOR(HED_FLOAT64, 1, 2, 3);
  api_is(hed_correlate1d(line, w, 0, NULL), HED_SHAPE(5), HED_FLOAT64, API_LIST(0, 3, 2, 1, 0), "correlate1d does not turn weights");
  /* integers become REAL: SciPy would truncate back to integers */
  hed_array *whole = API_VECTOR(HED_INT32, 0, 0, 3, 0, 0);
  hed_array *mean = hed_uniform_filter(whole, 2, NULL);
  api_is(mean, HED_SHAPE(5), HED_FLOAT32, API_LIST(0, 0, 1.5, 1.5, 0), "means of integers are not integers");
  /* tenengrad's gradient: zero outside, one axis */
  hed_array *s = hed_sobel(x, 1, &(hed_filter){ .boundary = HED_BOUNDARY_CONSTANT }), *size = hed_abs(s);
  api_is(size, HED_SHAPE(3, 3), HED_FLOAT64, API_LIST(0, 1, 0, 0, 2, 0, 0, 1, 0), "sobel with zeros outside");
  /* wrap of places has the array's period: SciPy's "grid-wrap", not its "wrap" of n - 1 */
  hed_array *ramp = API_VECTOR(HED_FLOAT64, 0, 1, 2, 3), *at = api_array(HED_SHAPE(1, 3), HED_FLOAT64, API_LIST(4, 3.5, -1));
  hed_resample o = { .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_WRAP };
  api_is(hed_map_coordinates(ramp, at, &o), HED_SHAPE(3), HED_FLOAT64, API_LIST(0, 1.5, 3), "places wrap with period n");
  RELEASE(x, line, w, whole, s, ramp, at);
}

int main(void)
{
  api_each_backend(rigid);
  api_each_backend(peaks);
  api_each_backend(scores);
  api_each_backend(filters);
  return done();
}
