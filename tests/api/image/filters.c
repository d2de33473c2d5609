// SPDX-License-Identifier: BSD-3-Clause
/* Filters, splines and masks of images against SciPy's answers (data/filters.py), closed forms and searches, in several
 * element types and layouts.
 */
#include "api.h"
#include "data/filters.h"
#include "gen.h"
#include <math.h>
#include <stdio.h>

typedef struct truth {
  int boundary;
  const char *name;
  const double *odd, *even, *longer, *gaussian, *uniform, *laplace, *sobel, *gradient, *maximum, *minimum, *median,
      *median_even;
} truth;

#define TRUTH(MODE)                                                                                             \
  { HED_BOUNDARY_##MODE, #MODE, sp_correlate_odd_##MODE, sp_correlate_even_##MODE, sp_correlate_long_##MODE,    \
    sp_gaussian_##MODE, sp_uniform_##MODE, sp_laplace_##MODE, sp_sobel_##MODE, sp_gradient_##MODE,              \
    sp_maximum_##MODE, sp_minimum_##MODE, sp_median_##MODE, sp_median_even_##MODE }
static const truth truths[] = { TRUTH(REFLECT), TRUTH(CONSTANT), TRUTH(NEAREST), TRUTH(MIRROR), TRUTH(WRAP) };

/* X (released) has these N values within TOLERANCE of the largest. */
static void near(hed_array *x, const double *want, int64_t n, double tolerance, const char *what, const char *mode)
{
  static double got[API_MAX];
  int64_t m = x ? api_values(x, got) : -1;
  double worst = 0, scale = 1;
  if (m != n) {
    fail("%s, %s: %lld values; %s", what, mode, (long long)m, hed_error_text());
    hed_release(x);
    return;
  }
  for (int64_t k = 0; k < n; k++)
    scale = fmax(scale, fabs(want[k]));
  for (int64_t k = 0; k < n; k++)
    worst = got[k] == got[k] ? fmax(worst, fabs(got[k] - want[k]) / scale) : INFINITY;
  ok(worst <= tolerance, "%s, %s, %s: difference %.2g", what, mode, hed_dtype_name(hed_array_dtype(x)), worst);
  hed_release(x);
}
#define COUNT(a) ((int64_t)(sizeof(a) / sizeof *(a)))

/* The array of VALUES in one of three layouts. */
static hed_array *laid_out(hed_shape s, hed_dtype t, const double *values, int layout)
{
  hed_array *x = api_array(s, t, values), *a = NULL, *b = NULL;
  if (layout == 1) { /* last axis first */
    hed_array *moved = hed_moveaxis(x, 0, -1);
    a = hed_copy(moved);
    b = hed_moveaxis(a, -1, 0);
    hed_release(moved);
  } else if (layout == 2) {
    hed_array *flipped = hed_flip(x, NULL);
    a = hed_copy(flipped);
    b = hed_flip(a, NULL);
    hed_release(flipped);
  } else {
    return x;
  }
  RELEASE(x, a);
  return b;
}

static void filters(const char *backend)
{
  diag("filters on %s", backend);
  const hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_INT16, HED_FLOAT16 };
  static const double tolerance[] = { 1e-13, 1e-6, 1e-6, 4e-3 }; /* int16 gives REAL, float32 */
  const double odd[5] = { 1, -2, 4, 0.5, 3 }, even[4] = { 1, -2, 4, 0.5 }, sigma[2] = { 0.8, 1.7 };
  double longer[15];
  for (int k = 0; k < 15; k++)
    longer[k] = k + 1;
  for (int t = 0; t < 4; t++)
    for (size_t m = 0; m < sizeof truths / sizeof *truths; m++) {
      const truth *w = &truths[m];
      const double tol = tolerance[t];
      hed_filter o = { .boundary = w->boundary, .cval = 2.5 };
      hed_array *x = laid_out(HED_SHAPE(5, 7), types[t], sp_image, (int)(t + (int)m) % 3);
      hed_array *v = laid_out(HED_SHAPE(4, 3, 4), types[t], sp_volume, (int)(t + (int)m) % 3);
      hed_array *a = api_array(HED_SHAPE(5), HED_FLOAT64, odd), *b = api_array(HED_SHAPE(4), HED_FLOAT32, even);
      hed_array *c = api_array(HED_SHAPE(15), HED_INT32, longer);
      near(hed_correlate1d(x, a, 0, &o), w->odd, 35, tol, "correlate1d", w->name);
      near(hed_correlate1d(x, b, -1, &o), w->even, 35, tol, "correlate1d, even", w->name);
      near(hed_correlate1d(x, c, 0, &o), w->longer, 35, tol, "correlate1d, longer than the array", w->name);
      near(hed_gaussian_filter(x, 2, sigma, &o), w->gaussian, 35, tol, "gaussian_filter", w->name);
      near(hed_uniform_filter(v, 4, &o), w->uniform, 48, tol, "uniform_filter", w->name);
      near(hed_laplace(v, &o), w->laplace, 48, tol, "laplace", w->name);
      near(hed_sobel(v, 1, &o), w->sobel, 48, tol, "sobel", w->name);
      near(hed_gradient_magnitude(x, &o), w->gradient, 35, tol, "gradient_magnitude", w->name);
      if (t == 2) /* in integers 2.5 is 2: one that both have */
        o.cval = 2;
      if (t != 2 || w->boundary != HED_BOUNDARY_CONSTANT) {
        near(hed_maximum_filter_with(x, 4, &o), w->maximum, 35, 0, "maximum_filter", w->name);
        near(hed_minimum_filter(x, 3, &o), w->minimum, 35, 0, "minimum_filter", w->name);
        near(hed_median_filter(x, 3, &o), w->median, 35, 0, "median_filter", w->name);
        near(hed_median_filter(v, 2, &o), w->median_even, 48, 0, "median_filter, even", w->name);
      }
      RELEASE(x, v, a, b, c);
    }
  hed_array *x = api_array(HED_SHAPE(5, 7), HED_FLOAT64, sp_image);
  const double s = 1.3, none = 0;
  near(hed_gaussian_filter(x, 1, &s, &(hed_filter){ .truncate = 2 }), sp_gaussian_truncate, 35, 1e-13, "truncate", "default");
  near(hed_gaussian_filter(x, 1, &s, &(hed_filter){ .axes = HED_AXES(1) }), sp_gaussian_axis, 35, 1e-13, "one axis", "default");
  near(hed_gaussian_filter(x, 1, &none, NULL), sp_image, 35, 0, "sigma 0", "default");
  near(hed_gaussian_filter(x, 2, sigma, NULL), sp_gaussian_REFLECT, 35, 1e-13, "the default is", "REFLECT");
  hed_release(x);
}

static void errors(const char *backend)
{
  diag("errors on %s", backend);
  hed_array *x = api_array(HED_SHAPE(5, 7), HED_FLOAT64, sp_image), *z = hed_zeros(HED_SHAPE(3), HED_COMPLEX64);
  hed_array *none = hed_zeros(HED_SHAPE(0), HED_FLOAT32), *empty = hed_zeros(HED_SHAPE(0, 4), HED_FLOAT32);
  hed_array *points = hed_zeros(HED_SHAPE(3, 2), HED_FLOAT64), *four = hed_zeros(HED_SHAPE(1, 1, 1, 1), HED_FLOAT32);
  const double s = 1, minus = -1, nan[6] = { 1, 0, 0, 0, NAN, 0 };
  API_NULL(hed_correlate1d(x, none, 0, NULL), HED_E_SHAPE, "weights has shape (0,), not one axis");
  API_NULL(hed_correlate1d(x, z, 0, NULL), HED_E_DTYPE, "weights has dtype complex64");
  API_NULL(hed_correlate1d(x, x, 2, NULL), HED_E_AXIS, "correlate1d: axis 2 is out of range");
  API_NULL(hed_correlate1d(z, x, 0, NULL), HED_E_DTYPE, "correlate1d: x has dtype complex64");
  API_NULL(hed_laplace(x, &(hed_filter){ .boundary = 9 }), HED_E_INVAL, "laplace: boundary is 9, 0 to 5 are possible");
  API_NULL(hed_laplace(NULL, NULL), HED_E_INVAL, "argument x is NULL");
  API_NULL(hed_gaussian_filter(x, 3, API_LIST(1, 1, 1), NULL), HED_E_INVAL, "3 sigmas are given for 2 axes");
  API_NULL(hed_gaussian_filter(x, 1, &minus, NULL), HED_E_INVAL, "gaussian_filter: sigma is -1");
  API_NULL(hed_gaussian_filter(x, 1, &s, &(hed_filter){ .truncate = -2 }), HED_E_INVAL, "truncate is -2");
  API_NULL(hed_gaussian_filter(x, 1, &s, &(hed_filter){ .axes = HED_AXES(3) }), HED_E_AXIS, "axis 3 is out of range");
  API_NULL(hed_uniform_filter(x, 0, NULL), HED_E_INVAL, "uniform_filter: size is 0");
  API_NULL(hed_sobel(x, -3, NULL), HED_E_AXIS, "sobel: axis -3 is out of range");
  API_NULL(hed_minimum_filter(x, 0, NULL), HED_E_INVAL, "minimum_filter: size is 0");
  API_NULL(hed_median_filter(x, 3, &(hed_filter){ .axes = HED_AXES(0) }), HED_E_INVAL, "1 axes are listed, boxes have all");
  API_NULL(hed_median_filter(z, 3, NULL), HED_E_DTYPE, "median_filter: x has dtype complex64");
  API_NULL(hed_spline_filter(x, &HED_AXES(0, 0), 0), HED_E_SHAPE, "spline_filter: axis 0 is listed twice");
  API_NULL(hed_map_coordinates(x, points, NULL), HED_E_SHAPE, "coordinates of shape (3, 2) do not begin with 2");
  API_NULL(hed_map_coordinates(empty, points, NULL), HED_E_SHAPE, "map_coordinates: x has shape (0, 4), no elements");
  API_NULL(hed_map_coordinates(four, points, NULL), HED_E_SHAPE, "x has 4 axes, 1 to 3 are possible");
  API_NULL(hed_map_coordinates(x, points, &(hed_resample){ .spline = 7 }), HED_E_INVAL, "spline is 7");
  API_NULL(hed_affine_transform(x, NULL, NULL, NULL), HED_E_INVAL, "matrix is NULL");
  API_NULL(hed_affine_transform(x, nan, NULL, NULL), HED_E_INVAL, "element (1, 1) of the matrix is nan");
  API_NULL(hed_zoom(x, HED_SHAPE(3), NULL), HED_E_SHAPE, "zoom: shape has 1 axes, x has 2");
  API_NULL(hed_center_of_mass(z, 0), HED_E_DTYPE, "center_of_mass: x has dtype complex64");
  API_NULL(hed_center_of_mass(x, NAN), HED_E_INVAL, "cutoff is NaN");
  API_FAIL(hed_normalize_template(x, points, 0, NULL), HED_E_SHAPE, "mask of shape (3, 2) does not broadcast to (5, 7)");
  API_FAIL(hed_normalize_template(x, x, 0, NULL), HED_E_INVAL, "template and mask share memory");
  hed_array *mask = hed_ones_like(x);
  API_FAIL(hed_normalize_template(x, mask, -1, NULL), HED_E_INVAL, "n_obs is -1");
  const double radii[2] = { 2, 0 };
  API_NULL(hed_mask_ellipse(HED_SHAPE(4, 4), radii, HED_FLOAT32, NULL), HED_E_INVAL, "mask_ellipse: a radius is 0");
  API_NULL(hed_mask_ellipse(HED_SHAPE(4, 4), NULL, HED_FLOAT32, NULL), HED_E_INVAL, "radii is NULL");
  API_NULL(hed_mask_ellipse(HED_SHAPE(4, 4), radii, HED_INT8, NULL), HED_E_INVAL, "a radius is 0");
  API_NULL(hed_mask_box(HED_SHAPE(4, 4), HED_SHAPE(2), HED_FLOAT32, NULL), HED_E_SHAPE, "extent has 1 axes, shape has 2");
  API_NULL(hed_mask_box(HED_SHAPE(4), HED_SHAPE(-2), HED_FLOAT32, NULL), HED_E_SHAPE, "extent -2 of axis 0 is negative");
  API_NULL(hed_mask_tube(HED_SHAPE(4, 4, 4), 3, 1, 2, 3, HED_FLOAT32, NULL), HED_E_AXIS, "mask_tube: axis 3 is out of range");
  API_NULL(hed_mask_tube(HED_SHAPE(4, 4, 4), 0, 2, 2, 3, HED_FLOAT32, NULL), HED_E_INVAL, "inner 2 is not below outer 2");
  API_NULL(hed_mask_membrane(HED_SHAPE(4), 0, 2, 2, 3, HED_FLOAT32, NULL), HED_E_SHAPE, "shape has 1 axes, at least 2");
  API_NULL(hed_mask_membrane(HED_SHAPE(4, 4), 0, 2, 0, 3, HED_FLOAT32, NULL), HED_E_INVAL, "thickness is 0");
  API_NULL(hed_mask_membrane(HED_SHAPE(4, 4), 0, 2, 1, 3, HED_INT32, NULL), HED_E_DTYPE, "the result has dtype int32");
  hed_array *out = hed_laplace(empty, NULL);
  ok(out && hed_array_size(out) == 0, "nothing to filter");
  hed_release(out);
  hed_array *point = hed_scalar(3), *same = hed_gaussian_filter(point, 1, &s, NULL);
  near(same, API_LIST(3), 1, 0, "no axes", "default");
  RELEASE(point, mask, x, z, none, empty, points, four);
}

typedef struct spline_truth {
  int boundary;
  const char *name;
  const double *map[4], *affine;
} spline_truth;
#define SPLINES(MODE) \
  { HED_BOUNDARY_##MODE, #MODE, { NULL, sp_map_0_##MODE, sp_map_1_##MODE, sp_map_3_##MODE }, sp_affine_##MODE }
static const spline_truth spline_truths[] = { SPLINES(REFLECT), SPLINES(CONSTANT), SPLINES(MIRROR), SPLINES(WRAP) };

static void splines(const char *backend)
{
  diag("splines on %s", backend);
  const double matrix[6] = { 0.8, 0.3, 0.41, -0.4, 0.9, 0.73 };
  hed_shape wanted = HED_SHAPE(6, 5);
  for (int t = 0; t < 2; t++) {
    const double tol = t ? 2e-6 : 1e-12;
    hed_array *x = api_array(HED_SHAPE(5, 7), t ? HED_FLOAT32 : HED_FLOAT64, sp_image);
    hed_array *whole = hed_astype(x, HED_INT32), *c = api_array(HED_SHAPE(2, 5, 2), HED_FLOAT64, sp_points);
    for (size_t m = 0; m < sizeof spline_truths / sizeof *spline_truths; m++) {
      const spline_truth *w = &spline_truths[m];
      /* SciPy's start of the reflected filter is exact to pole^(2 n) only, about 1e-6 here */
      const double fit = t || w->boundary == HED_BOUNDARY_REFLECT ? 2e-6 : 1e-12;
      hed_resample o = { .boundary = w->boundary, .cval = 2.5 };
      for (int spline = HED_SPLINE_NEAREST; spline <= HED_SPLINE_CUBIC; spline++) {
        o.spline = spline;
        near(hed_map_coordinates(x, c, &o), w->map[spline], 10, fit, "map_coordinates", w->name);
      }
      near(hed_affine_transform(x, matrix, &wanted, &o), w->affine, 30, fit, "affine_transform", w->name);
      near(hed_affine_transform(whole, matrix, &wanted, &o), w->affine, 30, 2e-6, "affine_transform of integers", w->name);
      /* coefficients made first, then not again */
      if (w->boundary != HED_BOUNDARY_CONSTANT) {
        hed_array *coefficients = hed_spline_filter(x, NULL, w->boundary);
        o.no_prefilter = true;
        near(hed_map_coordinates(coefficients, c, &o), w->map[HED_SPLINE_CUBIC], 10, 4 * fit, "no_prefilter", w->name);
        hed_release(coefficients);
      }
    }
    near(hed_spline_filter(x, NULL, HED_BOUNDARY_REFLECT), sp_spline_REFLECT, 35, 2e-6, "spline_filter", "REFLECT");
    near(hed_spline_filter(x, NULL, 0), sp_spline_MIRROR, 35, tol, "spline_filter", "MIRROR");
    near(hed_spline_filter(x, NULL, HED_BOUNDARY_WRAP), sp_spline_WRAP, 35, tol, "spline_filter", "WRAP");
    /* interpolating: at the elements' places the spline has their values, also round the ends */
    const double identity[6] = { 1, 0, 0, 0, 1, 0 };
    for (int boundary = HED_BOUNDARY_REFLECT; boundary <= HED_BOUNDARY_WRAP; boundary++)
      near(hed_affine_transform(x, identity, NULL, &(hed_resample){ .boundary = boundary }), sp_image, 35, tol, "interpolation",
           "every boundary");
    hed_array *rows = hed_spline_filter(x, &HED_AXES(1), HED_BOUNDARY_WRAP);
    near(hed_spline_filter(rows, &HED_AXES(0), HED_BOUNDARY_WRAP), sp_spline_WRAP, 35, 2 * tol, "axis by axis", "WRAP");
    hed_release(rows);
    near(hed_map_coordinates(x, c, &(hed_resample){ .boundary = HED_BOUNDARY_NEAREST }), sp_map_nearest, 10, tol, "map_coordinates",
         "NEAREST");
    near(hed_zoom(x, HED_SHAPE(9, 4), &(hed_resample){ .boundary = HED_BOUNDARY_MIRROR }), sp_zoom, 36, tol, "zoom", "MIRROR");
    hed_array *line = hed_index(x, 0, 0);
    near(hed_zoom(line, HED_SHAPE(12), &(hed_resample){ .spline = HED_SPLINE_LINEAR }), sp_zoom_line, 12, tol, "zoom", "linear");
    hed_array *v = api_array(HED_SHAPE(4, 3, 4), t ? HED_FLOAT32 : HED_FLOAT64, sp_volume);
    hed_array *p = API_VECTOR(HED_FLOAT64, 0.5, 2.9, 1.1, 0.2, 1.6, 2.8), *three = hed_reshape(p, HED_SHAPE(3, 2));
    near(hed_map_coordinates(v, three, NULL), sp_map_volume, 2, tol, "map_coordinates", "three axes");
    hed_array *odd = API_VECTOR(HED_FLOAT64, NAN, INFINITY, -1e300, 2), *one = hed_expand_dims(odd, 0);
    hed_array *values = hed_map_coordinates(line, one, &(hed_resample){ .boundary = HED_BOUNDARY_WRAP, .cval = 8 });
    near(values, API_LIST(8, 8, 8, sp_image[2]), 4, 1e-6, "places that are none", "WRAP");
    RELEASE(x, whole, c, line, v, p, three, odd, one);
  }
}

static void templates(const char *backend)
{
  diag("templates on %s", backend);
  hed_array *x = api_array(HED_SHAPE(5, 7), HED_FLOAT64, sp_image), *up = hed_add_scalar(x, 20);
  near(hed_center_of_mass(x, 2), sp_center, 2, 1e-13, "center_of_mass", "above 2");
  near(hed_center_of_mass(up, -INFINITY), sp_center_all, 2, 1e-13, "center_of_mass", "all");
  near(hed_center_of_mass(up, 0), sp_center_all, 2, 1e-13, "center_of_mass", "above 0");
  hed_array *c = hed_center_of_mass(x, 1e9), *nan = hed_isnan(c);
  near(hed_all(nan, NULL), API_LIST(1), 1, 0, "center_of_mass", "nothing above the cutoff is NaN");
  RELEASE(c, nan);
  static double v[3 * 2 * 523]; /* rows longer than what is converted at a time */
  double total = 0, sum[3] = { 0 };
  for (int k = 0; k < 3 * 2 * 523; k++) {
    v[k] = (double)(k * 7919 % 1013) / 64 - 4;
    if (v[k] <= 1)
      continue;
    const int at[3] = { k / (2 * 523), k / 523 % 2, k % 523 };
    total += v[k];
    for (int j = 0; j < 3; j++)
      sum[j] += v[k] * at[j];
  }
  for (int j = 0; j < 3; j++)
    sum[j] /= total;
  hed_array *long_rows = api_array(HED_SHAPE(3, 2, 523), HED_FLOAT32, v);
  near(hed_center_of_mass(long_rows, 1), sum, 3, 1e-13, "center_of_mass", "of long rows");
  hed_release(long_rows);

  const hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_FLOAT16, HED_BFLOAT16 };
  static const double tolerance[] = { 1e-12, 1e-5, 3e-3, 3e-2 };
  double mask[35], g[35];
  for (int k = 0; k < 35; k++)
    mask[k] = k % 3 ? 1 : k % 2 ? 0.5 : 0;
  for (int t = 0; t < 4; t++) {
    /* values whose squares add up beyond float16's range */
    hed_array *big = hed_multiply_scalar(x, 100), *y = hed_astype(big, types[t]), *m = api_array(HED_SHAPE(5, 7), HED_FLOAT32, mask);
    double n = 0, mean = 0, square = 0;
    api_values(y, g);
    for (int k = 0; k < 35; k++) {
      n += mask[k];
      mean += g[k] * mask[k];
      square += g[k] * g[k] * mask[k];
    }
    mean /= n;
    double sd = sqrt(square / n - mean * mean);
    for (int k = 0; k < 35; k++)
      g[k] = (g[k] - mean) / sd * mask[k];
    is_int(hed_normalize_template(y, m, 0, NULL), HED_OK, "normalize_template");
    near(hed_copy(y), g, 35, tolerance[t], "normalize_template", "in place");
    RELEASE(big, y, m);
  }
  hed_array *flat = hed_full(HED_SHAPE(2, 3), 4, HED_FLOAT32), *m = hed_ones(HED_SHAPE(3), HED_FLOAT32);
  is_int(hed_normalize_template(flat, m, 0, NULL), HED_OK, "a flat template");
  near(hed_copy(flat), API_LIST(0, 0, 0, 0, 0, 0), 6, 0, "is 0", "not NaN");
  hed_release(flat);
  flat = api_array(HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(1, 3, 10, 30));
  hed_array *two = hed_ones(HED_SHAPE(2, 2), HED_FLOAT64);
  is_int(hed_normalize_template(flat, two, 0, &HED_AXES(1)), HED_OK, "row by row");
  near(hed_copy(flat), API_LIST(-1, 1, -1, 1), 4, 1e-14, "each row", "for itself");
  hed_release(flat);
  flat = api_array(HED_SHAPE(2), HED_FLOAT64, API_LIST(1, 3));
  hed_array *one = hed_ones(HED_SHAPE(2), HED_FLOAT64);
  is_int(hed_normalize_template(flat, one, 4, NULL), HED_OK, "another count");
  /* mean 1, second moment 10 / 4 */
  near(hed_copy(flat), API_LIST(0, 2 / sqrt(1.5)), 2, 1e-14, "n_obs", "4");
  RELEASE(flat, two, one, m, x, up);

  hed_array *s = API_VECTOR(HED_FLOAT64, 6, 6, 6), *sq = API_VECTOR(HED_FLOAT64, 12, 3, 0), *ex = API_VECTOR(HED_FLOAT64, 0, 3, 3);
  api_is(hed_norm_scores_with(s, sq, ex, 3, 1e-6, true), HED_SHAPE(3), HED_FLOAT64, API_LIST(1, 2, 2), "s counts as 1");
  api_is(hed_norm_scores_with(s, sq, ex, 3, 1e-6, false), HED_SHAPE(3), HED_FLOAT64, API_LIST(1, 0, 0), "or 0");
  hed_array *f = hed_astype(s, HED_FLOAT32), *fq = hed_astype(sq, HED_FLOAT32), *fx = hed_astype(ex, HED_FLOAT32);
  api_is(hed_norm_scores_with(f, fq, fx, 3, 1e-6, true), HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 2, 2), "float32 too");
  API_NULL(hed_norm_scores_with(s, sq, ex, -1, 1e-6, true), HED_E_INVAL, "n_obs = -1");
  RELEASE(f, fq, fx, s, sq, ex);
}

static double item(hed_array *x)
{
  double v = NAN;
  hed_item(x, &v);
  hed_release(x);
  return v;
}

static double at(const hed_array *x, int64_t i, int64_t j, int64_t k)
{
  hed_array *a = hed_index(x, 0, i), *b = hed_index(a, 0, j), *c = hed_index(b, 0, k);
  RELEASE(a, b);
  return item(c);
}

static void masks(const char *backend)
{
  diag("masks on %s", backend);
  const double radii[3] = { 4, 3, 2 }, center[3] = { 5, 5, 5 }, swap[9] = { 0, 1, 0, 1, 0, 0, 0, 0, 1 };
  hed_array *m = hed_mask_ellipse(HED_SHAPE(11, 11, 11), radii, HED_FLOAT32, NULL);
  ok(at(m, 9, 5, 5) == 1 && at(m, 10, 5, 5) == 0 && at(m, 5, 8, 5) == 1 && at(m, 5, 9, 5) == 0 && at(m, 5, 5, 7) == 1 &&
         at(m, 5, 5, 8) == 0, "ellipse: half axes, about (shape - 1) / 2");
  hed_release(m);
  m = hed_mask_ellipse(HED_SHAPE(11, 11, 11), radii, HED_FLOAT64,
                       &(hed_mask){ .center = center, .orientation = swap, .sigma = 1.5, .cutoff = 2 });
  ok(at(m, 8, 5, 5) == 1 && at(m, 5, 9, 5) == 1 && at(m, 9, 5, 5) < 1, "ellipse: turned");
  double d = 4.0 / 3 - 1, w = 1.5 / 3;
  is_near(at(m, 9, 5, 5), exp(-d * d / (2 * w * w)), 1e-14, 0, "ellipse: Gaussian fall in units of the mean radius");
  is_near(at(m, 5, 5, 0), exp(-1.5 * 1.5 / (2 * w * w)) * 0, 0, 0, "which ends at the cutoff");
  hed_release(m);
  m = hed_mask_box(HED_SHAPE(8, 8), HED_SHAPE(3, 4), HED_INT8, NULL);
  is_near(item(hed_sum(m, NULL)), 12, 0, 0, "box: as many elements as it says");
  hed_array *where = hed_nonzero(m), *low = hed_min(where, &(hed_reduce){ .axes = HED_AXES(0) });
  api_is(hed_copy(low), HED_SHAPE(2), HED_INT64, API_LIST(3, 2), "box: from c - h / 2");
  RELEASE(m, where, low);
  m = hed_mask_tube(HED_SHAPE(9, 11, 11), 0, 2, 4, 5, HED_FLOAT32, NULL);
  ok(at(m, 4, 5, 5) == 0 && at(m, 4, 5, 7) == 0 && at(m, 4, 5, 8) == 1 && at(m, 4, 9, 5) == 1 && at(m, 4, 10, 5) == 0 &&
         at(m, 2, 5, 8) == 1 && at(m, 1, 5, 8) == 0, "tube: between the radii, within the height");
  hed_release(m);
  m = hed_mask_tube(HED_SHAPE(9, 11, 11), 0, 0, 4, 9, HED_FLOAT32, NULL);
  ok(at(m, 4, 5, 5) == 1, "tube: inner 0 is a full cylinder");
  hed_release(m);
  m = hed_mask_membrane(HED_SHAPE(11, 11, 11), 2, 4, 3, 4, HED_FLOAT64, NULL);
  is_near(at(m, 5, 5, 7), 1, 0, 0, "membrane: 1 on a sheet");
  is_near(at(m, 5, 5, 3), 1, 0, 0, "and on the other");
  is_near(at(m, 5, 5, 8), exp(-0.5), 1e-15, 0, "membrane: width is thickness / 3");
  is_near(at(m, 5, 5, 5), exp(-2), 1e-15, 0, "the larger of the two");
  ok(at(m, 5, 0, 7) == 0, "membrane: a disk");
  hed_release(m);
}

/* The mean of equals is that number, whatever the size of the window and the type. */
static void means(const char *backend)
{
  static const int64_t sizes[] = { 1, 2, 3, 7, 10, 16, 25, 49, 63, 100, 333, 1000, 4097 };
  const hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_FLOAT16, HED_BFLOAT16, HED_INT16 };
  diag("means of windows on %s", backend);
  for (int t = 0; t < 5; t++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      hed_array *x = hed_ones(HED_SHAPE(5, 130), types[t]), *y = hed_uniform_filter(x, sizes[k], NULL);
      hed_array *same = hed_equal_scalar(y, 1), *all = hed_all(same, NULL);
      is_near(api_number(all), 1, 0, 0, "windows of %lld ones of %s", (long long)sizes[k], hed_dtype_name(types[t]));
      RELEASE(x, y, same);
    }
  for (int64_t size = 3; size <= 40; size += 37) { /* sums would not fit */
    hed_array *x = hed_full(HED_SHAPE(50), 3e38, HED_FLOAT32), *y = hed_uniform_filter(x, size, NULL);
    double v[50];
    ok(api_values(y, v) == 50, "filtered");
    is_near(v[20], 3e38, 1e-6, 0, "means of %lld large numbers", (long long)size);
    RELEASE(x, y);
  }
}

int main(void)
{
  api_each_backend(filters);
  api_each_backend(means);
  api_each_backend(errors);
  api_each_backend(splines);
  api_each_backend(templates);
  api_each_backend(masks);
  return done();
}
