// SPDX-License-Identifier: BSD-3-Clause
/* Image operations: rigid transforms of points whose image is known, box maxima and their coordinates, normalised
 * scores, running maxima.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

static hed_array *point(int64_t n, int64_t i, int64_t j)
{
  hed_array *x = hed_zeros(HED_SHAPE(n, n), HED_FLOAT64);
  hed_array *r = hed_index(x, 0, i), *e = hed_index(r, 0, j);
  hed_fill(e, 1);
  RELEASE(r, e);
  return x;
}

/* Flat index of the maximum. */
static int64_t top(const hed_array *x)
{
  hed_array *k = hed_argmax(x, NULL);
  int64_t v = -1;
  hed_item_int(k, &v);
  hed_release(k);
  return v;
}

static void homogeneous(const char *backend)
{
  diag("homogeneous matrices on %s", backend);
  /* the map itself, which a rotation, its centre and a translation come to: out(x) = arr(R^-1 (x - c) + c - t) */
  const double whole[9] = { 0, 1, -2, -1, 0, 10, 0, 0, 1 };
  const double quarter[4] = { 0, -1, 1, 0 }, two[2] = { 2, 0 };
  hed_array *x = point(11, 8, 5), *y = NULL, *m = NULL, *turned = NULL;
  is_int(hed_rigid_transform(x, x, whole, &(hed_rigid){ .homogeneous = true }, &y, &m), HED_OK, "a homogeneous matrix");
  is_int(hed_rigid_transform(x, x, quarter, &(hed_rigid){ .translation = two }, &turned, NULL), HED_OK, "and its parts");
  is_int(top(y), 5 * 11 + 10, "take the point to the same place");
  is_int(top(m), 5 * 11 + 10, "and the mask's");
  double one[121], other[121], apart = 0;
  api_values(y, one);
  api_values(turned, other);
  for (int k = 0; k < 121; k++)
    apart = fmax(apart, fabs(one[k] - other[k]));
  ok(apart < 1e-12, "every element is the same (%g)", apart);
  RELEASE(turned, m, y, x);
}

static void rigid(const char *backend)
{
  diag("rigid transforms on %s", backend);
  const double quarter[4] = { 0, -1, 1, 0 }, identity[4] = { 1, 0, 0, 1 }, two[2] = { 2, 0 };
  hed_array *x = point(11, 8, 5), *y = NULL, *m = NULL;
  for (int spline = 0; spline <= 3; spline++) {
    is_int(hed_rigid_transform(x, NULL, quarter, &(hed_rigid){ .translation = two, .spline = spline }, &y, NULL),
           HED_OK, "spline %d", spline);
    is_int(top(y), 5 * 11 + 10, "shift by (2, 0), then a quarter turn about the middle: (8, 5) goes to (5, 10)");
    hed_array *sum = hed_sum(y, NULL);
    double v = 0;
    hed_item(sum, &v);
    is_near(v, 1, spline == 0 ? 1e-12 : 1e-6, 0, "nothing is lost");
    RELEASE(sum, y);
  }
  hed_release(x);
  /* an even extent: the middle is between elements, and a half turn is a flip */
  gen g;
  gen_seed(&g, tap_seed());
  double values[36], got[36];
  for (int k = 0; k < 36; k++)
    values[k] = gen_unit(&g);
  x = api_array(HED_SHAPE(6, 6), HED_FLOAT64, values);
  const double half[4] = { -1, 0, 0, -1 };
  is_int(hed_rigid_transform(x, x, half, NULL, &y, &m), HED_OK, "half a turn, with a mask");
  api_values(y, got);
  double worst = 0;
  for (int k = 0; k < 36; k++)
    worst = fmax(worst, fabs(got[k] - values[35 - k]));
  ok(worst < 1e-9, "cubic interpolation goes through the samples (%g)", worst);
  api_values(m, got);
  worst = 0;
  for (int k = 0; k < 36; k++)
    worst = fmax(worst, fabs(got[k] - values[35 - k]));
  ok(worst > 1e-3, "the mask is not prefiltered, so it is smoothed");
  RELEASE(y, m);
  is_int(hed_rigid_transform(x, x, half, &(hed_rigid){ .spline = HED_SPLINE_LINEAR }, &y, &m), HED_OK, "linear");
  api_values(m, got);
  worst = 0;
  for (int k = 0; k < 36; k++)
    worst = fmax(worst, fabs(got[k] - values[35 - k]));
  ok(worst < 1e-12, "a linear mask goes through the samples too");
  RELEASE(y, m, x);

  /* about the centre of mass a lone point stays where it is */
  x = point(9, 2, 6);
  is_int(hed_rigid_transform(x, NULL, quarter, &(hed_rigid){ .center_of_mass = true, .spline = HED_SPLINE_LINEAR }, &y,
                             NULL), HED_OK, "about the centre of mass");
  is_int(top(y), 2 * 9 + 6, "a lone point stays");
  hed_release(y);
  /* batch: the same map for both */
  hed_array *other = point(9, 4, 4), *batch = hed_stack(2, (const hed_array *[]){ x, other }, 0);
  is_int(hed_rigid_transform(batch, NULL, quarter, &(hed_rigid){ .batched = true, .spline = HED_SPLINE_NEAREST }, &y,
                             NULL), HED_OK, "batched");
  hed_array *first = hed_index(y, 0, 0), *second = hed_index(y, 0, 1);
  is_int(top(first), 2 * 9 + 2, "(2, 6) about (4, 4) goes to (2, 2)");
  is_int(top(second), 4 * 9 + 4, "the middle stays");
  RELEASE(first, second, y, batch, other);
  /* a larger output: only the block of x's shape is written */
  y = hed_full(HED_SHAPE(10, 12), 7, HED_FLOAT64);
  is_int(hed_rigid_transform_into(y, NULL, x, NULL, identity, &(hed_rigid){ .spline = HED_SPLINE_NEAREST }), HED_OK,
         "into a larger array");
  hed_array *block = hed_slice(y, 2, (hed_slice_range[]){ { 0, 9, 1 }, { 0, 9, 1 } });
  hed_array *same = hed_equal(block, x), *all = hed_all(same, NULL), *rest = hed_equal_scalar(y, 7),
            *count = hed_count_nonzero(rest, NULL);
  double v = 0;
  hed_item(all, &v);
  ok(v == 1, "its block is x");
  hed_item(count, &v);
  is_int((int64_t)v, 120 - 81, "the rest is as it was");
  RELEASE(block, same, all, rest, count, y);
  const double shift[6] = { 1, 0, 1, 0, 1, -2 };
  y = hed_zeros(HED_SHAPE(9, 9), HED_FLOAT32);
  is_int(hed_affine_transform_into(y, x, shift, HED_SPLINE_LINEAR, false), HED_OK, "affine: out(x) = arr(M x + t)");
  is_int(top(y), 1 * 9 + 8, "(2, 6) is seen from (1, 8)");

  const double singular[4] = { 1, 2, 2, 4 }, bad[6] = { 1, 0, NAN, 0, 1, 0 };
  hed_array *i = hed_astype(x, HED_INT32), *small = hed_zeros(HED_SHAPE(8, 9), HED_FLOAT64), *out = NULL;
  hed_array *four = hed_zeros(HED_SHAPE(2, 2, 2, 2), HED_FLOAT32);
  API_FAIL(hed_rigid_transform(x, NULL, singular, NULL, &out, NULL), HED_E_INVAL, "the rotation cannot be inverted");
  const double flat[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 2 }, endless[9] = { 1, 0, INFINITY, 0, 1, 0, 0, 0, 1 };
  API_FAIL(hed_rigid_transform(x, NULL, flat, &(hed_rigid){ .homogeneous = true }, &out, NULL), HED_E_INVAL,
           "element (2, 2) of the homogeneous matrix is 2, 1 is expected");
  API_FAIL(hed_rigid_transform(x, NULL, endless, &(hed_rigid){ .homogeneous = true }, &out, NULL), HED_E_INVAL,
           "element (0, 2) of the homogeneous matrix is inf");
  API_FAIL(hed_rigid_transform(x, NULL, endless, &(hed_rigid){ .homogeneous = true, .center_of_mass = true }, &out, NULL),
           HED_E_INVAL, "the centre of mass is given with a homogeneous matrix");
  API_FAIL(hed_rigid_transform(i, NULL, identity, NULL, &out, NULL), HED_E_DTYPE, "rigid_transform: x has dtype int32");
  API_FAIL(hed_rigid_transform(x, small, identity, NULL, &out, NULL), HED_E_SHAPE,
           "shapes (9, 9) of x and (8, 9) of mask differ");
  API_FAIL(hed_rigid_transform(four, NULL, identity, NULL, &out, NULL), HED_E_SHAPE, "x has 4 axes, 1 to 3 can be transformed");
  API_FAIL(hed_rigid_transform(x, NULL, NULL, NULL, &out, NULL), HED_E_INVAL, "rotation is NULL");
  API_FAIL(hed_rigid_transform(x, NULL, identity, &(hed_rigid){ .spline = 4 }, &out, NULL), HED_E_INVAL, "spline is 4");
  API_FAIL(hed_rigid_transform_into(small, NULL, x, NULL, identity, NULL), HED_E_SHAPE,
           "out of shape (8, 9) cannot hold (9, 9), the shape of x");
  API_FAIL(hed_rigid_transform_into(y, NULL, x, x, identity, NULL), HED_E_INVAL, "mask is given without out_mask");
  API_FAIL(hed_affine_transform_into(y, x, bad, 0, false), HED_E_INVAL, "element (0, 2) of the matrix is");
  API_FAIL(hed_affine_transform_into(x, x, shift, 0, false), HED_E_INVAL, "out and x share memory");
  ok(out == NULL, "outputs are NULL after a failure");
  RELEASE(i, small, four, x, y);
}

static void maxima(const char *backend)
{
  diag("maxima on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT32, 1, 5, 2, 2, 0, -3);
  api_is(hed_maximum_filter(x, 3, -INFINITY), HED_SHAPE(6), HED_FLOAT32, API_LIST(5, 5, 5, 2, 2, 0), "box of 3");
  api_is(hed_maximum_filter(x, 2, -INFINITY), HED_SHAPE(6), HED_FLOAT32, API_LIST(1, 5, 5, 2, 2, 0), "box of 2: -1 and 0");
  api_is(hed_maximum_filter(x, 3, 4), HED_SHAPE(6), HED_FLOAT32, API_LIST(5, 5, 5, 2, 2, 4), "the border counts as cval");
  api_is(hed_maximum_filter(x, 1, 0), HED_SHAPE(6), HED_FLOAT32, API_LIST(1, 5, 2, 2, 0, -3), "box of 1");
  api_is(hed_maximum_filter(x, 1000, -INFINITY), HED_SHAPE(6), HED_FLOAT32, API_LIST(5, 5, 5, 5, 5, 5), "a huge box");
  hed_release(x);
  x = API_VECTOR(HED_INT8, -5, -7, -100, -128);
  api_is(hed_maximum_filter(x, 3, -INFINITY), HED_SHAPE(4), HED_INT8, API_LIST(-5, -5, -7, -100),
         "-inf outside integers is their least value");
  api_is(hed_max_filter_coordinates(x, 3, NULL), HED_SHAPE(1, 1), HED_INT64, API_LIST(0), "one maximum");
  api_is(hed_max_filter_coordinates(x, 3, &(hed_peaks){ .zero_border = true }), HED_SHAPE(0, 1), HED_INT64,
         API_LIST(0), "none when the border counts as 0");
  API_NULL(hed_maximum_filter(x, 0, 0), HED_E_INVAL, "maximum_filter: size is 0");
  API_NULL(hed_max_filter_coordinates(x, 0, NULL), HED_E_INVAL, "min_distance is 0");
  hed_release(x);
  x = hed_zeros(HED_SHAPE(3), HED_COMPLEX64);
  API_NULL(hed_max_filter_coordinates(x, 3, NULL), HED_E_DTYPE, "x has dtype complex64");
  hed_release(x);

  /* two plateaus of one value, one touching by a corner, and a separate single peak */
  x = api_array(HED_SHAPE(4, 6), HED_FLOAT64, API_LIST(9, 9, 0, 0, 0, 3,
                                                       1, 1, 9, 1, 1, 1,
                                                       1, 1, 1, 1, 1, 9,
                                                       4, 0, 0, 0, 9, 0));
  api_is(hed_max_filter_coordinates(x, 3, NULL), HED_SHAPE(7, 2), HED_INT64,
         API_LIST(0, 0, 0, 1, 0, 5, 1, 2, 2, 5, 3, 0, 3, 4),
         "every member of a plateau");
  api_is(hed_max_filter_coordinates(x, 3, &(hed_peaks){ .exclude_plateaus = true }), HED_SHAPE(4, 2), HED_INT64,
         API_LIST(0, 0, 0, 5, 2, 5, 3, 0), "the first of each plateau");
  hed_release(x);

  /* against the definition, with few distinct values */
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 60 && good; round++) {
    int64_t h = gen_int(&g, 1, 7), w = gen_int(&g, 1, 7), size = gen_int(&g, 1, 5);
    double v[49], want[98], got[98];
    int n = 0;
    for (int k = 0; k < h * w; k++)
      v[k] = (double)gen_int(&g, -2, 2);
    for (int64_t i = 0; i < h; i++)
      for (int64_t j = 0; j < w; j++) {
        double best = -INFINITY;
        for (int64_t p = i - size / 2; p <= i + (size - 1) / 2; p++)
          for (int64_t q = j - size / 2; q <= j + (size - 1) / 2; q++)
            if (p >= 0 && p < h && q >= 0 && q < w)
              best = fmax(best, v[p * w + q]);
        if (v[i * w + j] == best) {
          want[2 * n] = (double)i;
          want[2 * n++ + 1] = (double)j;
        }
      }
    x = api_array(HED_SHAPE(h, w), HED_FLOAT32, v);
    hed_array *y = hed_max_filter_coordinates(x, size, NULL);
    good = y && api_values(y, got) == 2 * n && memcmp(got, want, (size_t)n * 2 * sizeof *got) == 0;
    RELEASE(x, y);
  }
  ok(good, "coordinates against the definition");
}

static void scores(const char *backend)
{
  diag("scores on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT64, 6, 6, 6), *sq = API_VECTOR(HED_FLOAT64, 12, 3, 0);
  hed_array *ex = API_VECTOR(HED_FLOAT64, 0, 3, 3);
  /* n = 3: variances 4, 1 - 1 = 0, 0 - 1 limited to 0 */
  api_is(hed_norm_scores(x, sq, ex, 3, 1e-6), HED_SHAPE(3), HED_FLOAT64, API_LIST(1, 0, 0), "norm_scores");
  hed_array *one = hed_scalar(6);
  api_is(hed_norm_scores(one, sq, ex, 3, 1e-6), HED_SHAPE(3), HED_FLOAT64, API_LIST(1, 0, 0), "x may be a scalar");
  is_int(hed_norm_scores_into(sq, x, sq, ex, 3, 1e-6), HED_OK, "out may be an operand");
  api_is(hed_copy(sq), HED_SHAPE(3), HED_FLOAT64, API_LIST(1, 0, 0), "its values");
  API_NULL(hed_norm_scores(x, sq, ex, 0, 1e-6), HED_E_INVAL, "norm_scores: n_obs = 0 must be above 0");
  RELEASE(one, ex);

  hed_array *best = API_VECTOR(HED_FLOAT64, 5, 6, 7), *rot = API_VECTOR(HED_INT32, 4, 4, 4);
  is_int(hed_max_score_over_rotations(x, best, rot, 2), HED_OK, "running maximum");
  api_is(hed_copy(best), HED_SHAPE(3), HED_FLOAT64, API_LIST(6, 6, 7), "the larger score");
  api_is(hed_copy(rot), HED_SHAPE(3), HED_INT32, API_LIST(2, 2, 4), "ties go to the lower index");
  is_int(hed_max_score_over_rotations(x, best, rot, 3), HED_OK, "once more");
  api_is(hed_copy(rot), HED_SHAPE(3), HED_INT32, API_LIST(2, 2, 4), "and stay there");
  hed_array *f = hed_astype(best, HED_FLOAT32), *wide = hed_astype(rot, HED_INT64);
  hed_array *shorter = hed_zeros(HED_SHAPE(2), HED_FLOAT64);
  API_FAIL(hed_max_score_over_rotations(x, f, rot, 0), HED_E_DTYPE, "max_scores is float32");
  API_FAIL(hed_max_score_over_rotations(x, best, wide, 0), HED_E_DTYPE, "rotations int64");
  API_FAIL(hed_max_score_over_rotations(shorter, best, rot, 0), HED_E_SHAPE, "shapes (2,) of scores, (3,) of max_scores");
  API_FAIL(hed_max_score_over_rotations(x, NULL, rot, 0), HED_E_INVAL, "argument max_scores is NULL");
  RELEASE(f, wide, shorter, x, sq, best, rot);
}

int main(void)
{
  api_each_backend(rigid);
  api_each_backend(homogeneous);
  api_each_backend(maxima);
  api_each_backend(scores);
  done_testing();
  return done();
}
