// SPDX-License-Identifier: BSD-3-Clause
/* What elementwise operations mean where array libraries differ, and their values against independent ones
 * (data/elementwise.h). The manual's chapter "One meaning" says the same in words. */
#include "api.h"
#include "data/elementwise.h"

#include <math.h>

static const double inf = (double)INFINITY, nan_ = (double)NAN;

static hed_array *(*const unary[HED_OP_COUNT_])(const hed_array *) = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name,
#include <heddle/ops.def>
};

static double value(const char *name, double x, hed_dtype t)
{
  double y = -12345;
  hed_array *a = api_array(HED_SHAPE0, t, &x), *b = unary[hed_op_by_name(name)](a);
  if (!b || hed_item(b, &y) != HED_OK)
    fail("%s: %s", name, hed_error_text());
  RELEASE(b, a);
  return y;
}

static void truth(void)
{
  for (size_t k = 0; k < sizeof real_truth / sizeof *real_truth; k++) {
    const char *name = real_truth[k].name;
    /* digamma is exact to a rounding of 1 near its roots (less where long double is double); erfc multiplies the rounding
     * of x by x^2 in its tail */
    double least = strcmp(name, "digamma") ? 1e-307 : 4e-16, rel = strcmp(name, "gelu") ? 2e-15 : 2e-14;
    for (int i = 0; i < real_truth[k].n; i++) {
      const double x = real_truth[k].x[i];
      is_near(value(name, x, HED_FLOAT64), real_truth[k].value[i], rel, least, "%s(%g)", name, x);
    }
  }
  const size_t points = sizeof complex_points / sizeof *complex_points / 2;
  for (size_t i = 0; i < points * (sizeof complex_truth / sizeof *complex_truth); i++) {
    const size_t k = i / points, p = i % points;
    const double *z = complex_points + 2 * p, *w = complex_truth[k].value + 2 * p;
    double got[2] = { 0, 0 };
    hed_array *a = hed_from_host(z, HED_SHAPE0, HED_COMPLEX128);
    hed_array *b = unary[hed_op_by_name(complex_truth[k].name)](a);
    is_int(b ? hed_item_complex(b, got) : hed_error(), HED_OK, "%s of complex", complex_truth[k].name);
    double size = 4e-16 * hypot(w[0], w[1]);
    is_near(got[0], w[0], 4e-15, size, "%s(%g%+gi), real part", complex_truth[k].name, z[0], z[1]);
    is_near(got[1], w[1], 4e-15, size, "%s(%g%+gi), imaginary part", complex_truth[k].name, z[0], z[1]);
    RELEASE(b, a);
  }
  const hed_dtype halves[2] = { HED_FLOAT16, HED_BFLOAT16 };
  for (int k = 0; k < 2; k++) {
    is_near(value("sigmoid", 0.5, halves[k]), 0.62245933, k ? 4e-3 : 5e-4, 0, "sigmoid of %s", hed_dtype_name(halves[k]));
    is_near(value("erf", 0.5, halves[k]), 0.52049988, k ? 4e-3 : 5e-4, 0, "erf of %s", hed_dtype_name(halves[k]));
  }
}

#define SAME(call, t, ...) \
  api_is(call, HED_SHAPE((int64_t)(sizeof API_LIST(__VA_ARGS__) / sizeof(double))), t, API_LIST(__VA_ARGS__), #call)

static void edges(void)
{
  hed_array *x = API_VECTOR(HED_FLOAT64, 0.0, -0.0, -1, -inf, inf, nan_);
  SAME(hed_threshold(x, 0, 7, 8), HED_FLOAT64, 7, 7, 8, 8, 7, 8);
  SAME(hed_leaky_relu(x, 0.5), HED_FLOAT64, 0, 0, -0.5, -inf, inf, nan_);
  SAME(hed_elu(x, 2), HED_FLOAT64, 0, 0, 2 * expm1(-1), -2, inf, nan_);
  SAME(hed_nan_to_num(x, NULL), HED_FLOAT64, 0, 0, -1, -1.7976931348623157e308, 1.7976931348623157e308, 0);
  SAME(hed_nan_to_num(x, (&(hed_nan_options){ 4, 5, 6 })), HED_FLOAT64, 0, 0, -1, 6, 5, 4);
  hed_array *y = hed_astype(x, HED_FLOAT16);
  SAME(hed_nan_to_num(y, NULL), HED_FLOAT16, 0, 0, -1, -65504, 65504, 0);
  hed_release(y);

  y = API_VECTOR(HED_FLOAT64, -inf, 1, -inf, 1, inf, 0);
  SAME(hed_isclose(x, y, NULL), HED_BOOL, 0, 0, 0, 0, 1, 0);
  SAME(hed_isclose(x, x, NULL), HED_BOOL, 1, 1, 1, 1, 1, 0);
  SAME(hed_isclose(x, x, &(hed_tolerance){ .equal_nan = true }), HED_BOOL, 1, 1, 1, 1, 1, 1);
  bool close = true;
  is_int(hed_allclose(x, x, NULL, &close), HED_OK, "allclose");
  ok(!close, "NaN is close to nothing, itself included");
  is_int(hed_allclose(x, x, &(hed_tolerance){ .equal_nan = true }, &close), HED_OK, "allclose with equal_nan");
  ok(close, "unless asked for");
  /* bounds */
  hed_array *low = API_VECTOR(HED_FLOAT64, 1, 1, nan_, 0, 0, 0), *high = API_VECTOR(HED_FLOAT64, 2, 0, 2, 2, 2, 2);
  SAME(hed_clip_array(x, low, high), HED_FLOAT64, 1, 0, nan_, 0, 2, nan_);
  SAME(hed_clip_array(x, NULL, high), HED_FLOAT64, 0, 0, -1, -inf, 2, nan_);
  SAME(hed_clip_array(x, low, NULL), HED_FLOAT64, 1, 1, nan_, 0, inf, nan_);
  API_NULL(hed_clip_array(x, NULL, NULL), HED_E_INVAL, "one bound is needed");
  API_NULL(hed_clip(x, nan_, 1), HED_E_INVAL, "low is NaN");
  /* nothing is divided where the condition does not hold */
  hed_array *condition = hed_not_equal_scalar(y, 1);
  SAME(hed_divide_where(condition, x, y, 9), HED_FLOAT64, -0.0, 9, 0, 9, nan_, nan_);
  SAME(hed_where_scalar(condition, x, 3), HED_FLOAT64, 0, 3, -1, 3, inf, nan_);
  SAME(hed_scalar_where(condition, 3, x), HED_FLOAT64, 3, 0, 3, -inf, 3, 3);
  SAME(hed_scalars_where(condition, 1, 2), HED_INT64, 1, 2, 1, 2, 1, 1);
  SAME(hed_scalars_where(condition, 1.0, 2), HED_FLOAT32, 1, 2, 1, 2, 1, 1);
  API_NULL(hed_isclose(x, y, &(hed_tolerance){ .rtol = -1 }), HED_E_INVAL, "rtol -1");
  API_NULL(hed_gaussian(x, 0, 0), HED_E_INVAL, "sigma is 0");
  API_NULL(hed_bitwise_and(x, y), HED_E_DTYPE, "bitwise_and");
  hed_array *const used[] = { x, y, low, high, condition };
  for (size_t k = 0; k < sizeof used / sizeof *used; k++)
    hed_release(used[k]);
}

/* What is left of a without mod(a, b), by b: floor(a / b) only where a / b is exact. */
static void floors(void)
{
  static const hed_dtype types[] = { &hed_dtype_float16, &hed_dtype_bfloat16, &hed_dtype_float32, &hed_dtype_float64 };
  for (int k = 0; k < 4; k++) {
    hed_array *a = API_VECTOR(types[k], inf, -inf, inf, 3, -3, 3, -3, inf, 0, 5, -1, 7, -7, 7, nan_);
    hed_array *b = API_VECTOR(types[k], 2, 2, -inf, inf, inf, -inf, -inf, inf, inf, 0, 0, 2, 2, -2, 1);
    SAME(hed_floor_divide(a, b), types[k], nan_, nan_, nan_, 0, -1, -1, 0, nan_, 0, inf, -inf, 3, -4, -4, nan_);
    SAME(hed_mod(a, b), types[k], nan_, nan_, nan_, 3, inf, -inf, -3, nan_, 0, nan_, nan_, 1, 1, -1, nan_);
    RELEASE(a, b);
  }
}

static void integers(void)
{
  hed_array *x = API_VECTOR(HED_INT8, -128, -1, 0, 7, 127), *y = API_VECTOR(HED_INT8, -1, 0, 0, -3, 1);
  SAME(hed_floor_divide(x, y), HED_INT8, -128, 0, 0, -3, 127);
  SAME(hed_mod(x, y), HED_INT8, 0, 0, 0, -2, 0);
  SAME(hed_fmod(x, y), HED_INT8, 0, 0, 0, 1, 0);
  SAME(hed_add(x, x), HED_INT8, 0, -2, 0, 14, -2);
  SAME(hed_abs(x), HED_INT8, -128, 1, 0, 7, 127);
  SAME(hed_negative(x), HED_INT8, -128, 1, 0, -7, -127);
  SAME(hed_count_ones(x), HED_INT8, 1, 8, 0, 3, 7);
  SAME(hed_count_zeros(x), HED_INT8, 7, 0, 8, 5, 1);
  SAME(hed_left_shift_scalar(x, 8), HED_INT8, 0, 0, 0, 0, 0);
  SAME(hed_right_shift_scalar(x, 9), HED_INT8, -1, -1, 0, 0, 0);
  SAME(hed_get_bit_scalar(x, 7), HED_INT8, 1, 1, 0, 0, 0);
  SAME(hed_get_bit_scalar(x, 8), HED_INT8, 0, 0, 0, 0, 0);
  SAME(hed_toggle_bit_scalar(x, 0), HED_INT8, -127, -2, 1, 6, 126);
  SAME(hed_sqrt(x), HED_FLOAT32, nan_, nan_, 0, (double)sqrtf(7), (double)sqrtf(127));
  SAME(hed_fma(x, x, y), HED_INT8, -1, 1, 0, 46, 2);
  hed_array *one = hed_scalar_int(1), *zero = hed_scalar_int(0), *seven = hed_scalar_int(7), *back = hed_scalar_int(-1);
  SAME(hed_set_bit(x, seven, one), HED_INT8, -128, -1, -128, -121, -1);
  SAME(hed_set_bit(x, zero, zero), HED_INT8, -128, -2, 0, 6, 126);
  SAME(hed_rotate_left(x, one, 0), HED_INT8, 1, -1, 0, 14, -2);
  SAME(hed_rotate_right(x, one, 0), HED_INT8, 64, -1, 0, -125, -65);
  SAME(hed_rotate_left(x, back, 0), HED_INT8, 64, -1, 0, -125, -65);
  SAME(hed_rotate_left(x, seven, 3), HED_INT8, 0, 7, 0, 7, 7);
  SAME(hed_rotate_left(x, one, 4), HED_INT8, 0, 15, 0, 14, 15);
  API_NULL(hed_rotate_left(x, one, 9), HED_E_INVAL, "bit_width 9 is not 1 to 8");
  hed_array *q = NULL, *r = NULL;
  is_int(hed_divmod(x, y, &q, &r), HED_OK, "divmod");
  SAME(q, HED_INT8, -128, 0, 0, -3, 127);
  SAME(r, HED_INT8, 0, 0, 0, -2, 0);
  API_FAIL(hed_divmod(x, y, NULL, &r), HED_E_INVAL, "quotient is NULL");
  hed_array *const used[] = { x, y, one, zero, seven, back };
  for (size_t k = 0; k < sizeof used / sizeof *used; k++)
    hed_release(used[k]);
}

static void complexes(void)
{
  const double z[4] = { 3, -4, 0, 0 };
  double w[4];
  hed_array *x = hed_from_host(z, HED_SHAPE(2), HED_COMPLEX128), *s = hed_sign(x), *r = hed_astype(x, HED_FLOAT64);
  hed_to_host(s, w, sizeof w);
  ok(w[0] == 0.6 && w[1] == -0.8 && w[2] == 0 && w[3] == 0, "sign of complex is x / |x|, 0 at 0");
  hed_to_host(r, w, 2 * sizeof *w);
  ok(w[0] == 3 && w[1] == 0, "complex to real takes the real part");
  hed_release(s);
  s = hed_multiply_complex(r, 0, 1);
  is_str(hed_dtype_name(hed_array_dtype(s)), "complex128", "a real array times i");
  hed_to_host(s, w, sizeof w);
  ok(w[0] == 0 && w[1] == 3, "multiply_complex");
  is_int(hed_complex_subtract_into(s, 1, 2, x), HED_OK, "complex_subtract_into");
  hed_to_host(s, w, sizeof w);
  ok(w[0] == -2 && w[1] == 6 && w[2] == 1 && w[3] == 2, "(1 + 2i) - x");
  API_NULL(hed_less(x, x), HED_E_DTYPE, "complex");
  RELEASE(s, r, x);
}

static void gradients(void)
{
  hed_array *f = API_VECTOR(HED_FLOAT64, 1, 2, 4, 7, 11, 16), *c = API_VECTOR(HED_FLOAT64, 0, 1, 1.5, 3.5, 4, 6), *g = NULL;
  is_int(hed_gradient(f, NULL, &g), HED_OK, "gradient");
  SAME(g, HED_FLOAT64, 1, 1.5, 2.5, 3.5, 4.5, 5);
  is_int(hed_gradient(f, &(hed_gradient_options){ .spacing = { 2 } }, &g), HED_OK, "gradient with a spacing");
  SAME(g, HED_FLOAT64, 0.5, 0.75, 1.25, 1.75, 2.25, 2.5);
  const hed_array *at[1] = { c };
  is_int(hed_gradient(f, &(hed_gradient_options){ .coordinates = at }, &g), HED_OK, "gradient with coordinates");
  double got[6] = { 0 }; /* numpy.gradient's documented example */
  const double want[6] = { 1, 3, 3.5, 6.7, 6.9, 2.5 };
  hed_to_host(g, got, sizeof got);
  for (int k = 0; k < 6; k++)
    is_near(got[k], want[k], 1e-14, 0, "element %d", k);
  hed_release(g);
  /* a parabola is exact with edge_order 2 on any grid */
  hed_array *p = hed_square(c), *slope = hed_multiply_scalar(c, 2);
  is_int(hed_gradient(p, &(hed_gradient_options){ .coordinates = at, .edge_order = 2 }, &g), HED_OK, "edge_order 2");
  bool close = false;
  hed_allclose(g, slope, &(hed_tolerance){ .rtol = 1e-13, .atol = 1e-13 }, &close);
  ok(close, "the slope of a parabola");
  hed_release(g);
  hed_array *table = api_iota(HED_SHAPE(3, 4), HED_INT32), *both[2];
  is_int(hed_gradient(table, NULL, both), HED_OK, "gradient along both axes");
  api_is(hed_gradient(table, NULL, both) == HED_OK ? both[0] : NULL, HED_SHAPE(3, 4), HED_FLOAT32,
         API_LIST(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4), "integers give REAL");
  hed_release(both[1]);
  API_FAIL(hed_gradient(f, &(hed_gradient_options){ .edge_order = 3 }, &g), HED_E_INVAL, "edge_order is 3");
  hed_array *short_one = hed_ones(HED_SHAPE(1), HED_FLOAT64);
  API_FAIL(hed_gradient(short_one, NULL, &g), HED_E_SHAPE, "axis 0 has 1 elements");
  at[0] = short_one;
  API_FAIL(hed_gradient(f, &(hed_gradient_options){ .coordinates = at }, &g), HED_E_SHAPE, "axis has 6 elements");
  hed_array *const used[] = { f, c, p, slope, table, short_one };
  for (size_t k = 0; k < sizeof used / sizeof *used; k++)
    hed_release(used[k]);
}

static void all(const char *backend)
{
  diag("%s", backend);
  HED_SCOPE
  {
    truth();
    edges();
    floors();
    integers();
    complexes();
    gradients();
  }
}

int main(void)
{
  api_each_backend(all);
  done_testing();
  return done();
}
