// SPDX-License-Identifier: BSD-3-Clause
/* Fusion: norms and logsumexp of what is pending are recorded as the calls that they are made of. Their values are those
 * of the operations alone, of any type, shape, set of axes and with any numbers, into arrays too. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

static gen g;
static const double orders[] = { 1, 2, INFINITY, -INFINITY, 3, 0 };
enum { ORDERS = 6, LOGSUMEXP = ORDERS };

static hed_array *apply(int which, const hed_array *x, const hed_reduce *opt)
{
  return which == LOGSUMEXP ? hed_logsumexp(x, opt) : hed_vector_norm(x, orders[which], opt);
}

/* Is WHICH recorded for elements of type T? */
static bool recorded(int which, hed_dtype t)
{
  const bool complex = t == HED_COMPLEX64 || t == HED_COMPLEX128;
  return !complex && (which == LOGSUMEXP || which < 1 || (which == 1 && t != HED_FLOAT64) || which == 2 || which == 3);
}

static bool close_to(const hed_array *a, const hed_array *b, double rtol)
{
  const hed_tolerance t = { .rtol = rtol, .atol = rtol / 10, .equal_nan = true };
  bool same = false;
  return a && b && hed_array_dtype(a) == hed_array_dtype(b) && hed_array_ndim(a) == hed_array_ndim(b) &&
         hed_array_size(a) == hed_array_size(b) && hed_allclose(a, b, &t, &same) == HED_OK && same;
}

static double precision(hed_dtype t)
{
  return t == HED_FLOAT16 ? 2e-3 : t == HED_BFLOAT16 ? 1.6e-2 : t == HED_FLOAT32 ? 2e-6 : 1e-13;
}

static void one_round(int round)
{
  static const hed_shape shapes[] = { { 1, { 1000 } }, { 2, { 3, 700 } },  { 2, { 700, 3 } },     { 3, { 5, 6, 7 } }, { 0, { 0 } },
                                      { 2, { 4, 1 } }, { 1, { 70001 } }, { 3, { 2, 3, 1100 } }, { 2, { 0, 5 } } };
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_BFLOAT16, HED_INT32, HED_UINT8, HED_BOOL, HED_INT64,
                              HED_COMPLEX64 };
  const hed_dtype type = types[gen_below(&g, sizeof types / sizeof *types)];
  const hed_shape s = shapes[gen_below(&g, sizeof shapes / sizeof *shapes)];
  const int which = (int)gen_below(&g, ORDERS + 1);
  const bool special = gen_chance(&g, 20), keepdims = gen_chance(&g, 40);
  int64_t n = elements_of(s);
  double *v = malloc((size_t)(n + 1) * sizeof *v);
  for (int64_t k = 0; k < n; k++)
    v[k] = special && gen_chance(&g, 1) ? (gen_chance(&g, 30) ? NAN : gen_chance(&g, 50) ? INFINITY : -INFINITY)
                                        : gen_double(&g, -5, 5);
  hed_array *wide = hed_from_host(v, s, HED_FLOAT64), *x = hed_astype(wide, type);
  free(v);
  hed_reduce o = { .keepdims = keepdims };
  if (s.ndim && gen_chance(&g, 60)) {
    o.axes.n = 1;
    o.axes.axis[0] = (int32_t)gen_below(&g, (uint64_t)s.ndim);
    if (s.ndim == 3 && gen_chance(&g, 50)) {
      o.axes.n = 2;
      o.axes.axis[1] = (o.axes.axis[0] + 1) % 3; /* 2 and 0 are no neighbours */
    }
  }
  hed_array *t = hed_add(x, x), *plain = apply(which, t, &o), *fused = NULL, *after = NULL, *into = NULL, *sum = NULL;
  hed_release(t);
  const hed_dtype out = plain ? hed_array_dtype(plain) : HED_FLOAT64;
  const bool apart = o.axes.n == 2 && o.axes.axis[0] == 2;
  bool pending = false, pending_into = false;
  if (plain && which < ORDERS)
    into = hed_zeros_like(plain);
  HED_FUSED {
    t = hed_add(x, x);
    const bool wanted = t && hed_array_is_pending(t);
    fused = apply(which, t, &o);
    pending = !wanted || !fused || hed_array_is_pending(fused) == (recorded(which, hed_array_dtype(t)) && !apart && n);
    if (into && hed_vector_norm_into(into, t, orders[which], &o) != HED_OK)
      fail("round %d: into: %s", round, hed_error_text());
    pending_into = !into || !fused || hed_array_is_pending(into) == hed_array_is_pending(fused);
    after = fused ? hed_add(fused, fused) : NULL;
    hed_release(t);
  }
  sum = plain ? hed_add(plain, plain) : NULL;
  if (!pending || !pending_into)
    fail("round %d: %d of %s is %spending%s", round, which, hed_dtype_name(type), pending ? "" : "not as it should be ",
         pending_into ? "" : ", into an array otherwise");
  if (!plain != !fused || (plain && (!close_to(plain, fused, precision(out)) || !close_to(sum, after, precision(out)))) ||
      (into && !close_to(plain, into, precision(out))))
    fail("round %d: %d of %s, ndim %d, %d axes, differs: %s", round, which, hed_dtype_name(type), s.ndim, o.axes.n,
         hed_error_text());
  hed_error_clear();
  hed_array *const all[] = { wide, x, plain, fused, after, into, sum };
  for (int k = 0; k < 7; k++)
    hed_release(all[k]);
}

static double value(const hed_array *x)
{
  double v = NAN;
  return x && hed_item(x, &v) == HED_OK ? v : NAN;
}

/* Squares beyond the range; exponentials too. */
static void test_range(void)
{
  enum { N = 5000 };
  hed_array *small = hed_full(HED_SHAPE(N), 1e-30, HED_FLOAT32), *large = hed_full(HED_SHAPE(N), 1e30, HED_FLOAT32);
  hed_array *huge = hed_full(HED_SHAPE(N), 1e200, HED_FLOAT64), *s = NULL, *l = NULL, *h = NULL, *e = NULL, *none = NULL;
  HED_FUSED HED_SCOPE {
    s = hed_keep(hed_vector_norm(hed_negative(small), 2, NULL));
    l = hed_keep(hed_norm(hed_negative(large), 2, NULL));
    ok(hed_array_is_pending(s) && hed_array_is_pending(l), "norms of float32 are recorded");
    h = hed_keep(hed_vector_norm(hed_negative(huge), 2, NULL));
    ok(!hed_array_is_pending(h), "that of float64 is not");
    e = hed_keep(hed_logsumexp(hed_multiply_scalar(small, 1e33), NULL));
    none = hed_keep(hed_logsumexp(hed_multiply_scalar(large, -INFINITY), NULL));
    ok(hed_array_is_pending(e) && hed_array_is_pending(none), "sums of exponentials are");
  }
  const double root = sqrt(N);
  ok(fabs(value(s) / (1e-30 * root) - 1) < 1e-6 && fabs(value(l) / (1e30 * root) - 1) < 1e-6, "squares are in range");
  ok(fabs(value(h) / (1e200 * root) - 1) < 1e-14, "in float64 too");
  ok(fabs(value(e) - (1000 + log(N))) < 1e-3, "no exponential is infinite");
  ok(value(none) == -INFINITY, "where all are 0, the logarithm is");
  hed_array *const all[] = { small, large, huge, s, l, h, e, none };
  for (int k = 0; k < 8; k++)
    hed_release(all[k]);
}

/* One pass over what is never in memory. */
static void test_passes(void)
{
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_array *x = hed_arange(-500, 499.5, 1, HED_FLOAT64), *one = NULL, *most = NULL;
  hed_stats_get(&before);
  HED_FUSED HED_SCOPE {
    const hed_array *t = hed_add_scalar(x, 0.5);
    one = hed_keep(hed_vector_norm(t, 1, NULL));
    most = hed_keep(hed_vector_norm(t, INFINITY, NULL));
  }
  hed_stats_get(&after);
  is_uint(after.fused_passes - before.fused_passes, 1, "two norms in one pass");
  ok(value(one) == 250000 && value(most) == 499.5, "values");
  RELEASE(one, most, x);
}

static void test_errors(void)
{
  hed_array *x = hed_ones(HED_SHAPE(4, 500), HED_FLOAT32), *wrong = hed_zeros(HED_SHAPE(3), HED_FLOAT32);
  hed_array *whole = hed_zeros(HED_SHAPE0, HED_INT32);
  hed_array *locked = hed_read_only(wrong);
  HED_FUSED HED_SCOPE {
    const hed_array *t = hed_negative(x);
    const hed_reduce axis = { .axes = HED_AXES(2) };
    ok(!hed_vector_norm(t, NAN, NULL) && hed_error() == HED_E_INVAL, "no order: %s", hed_error_text());
    hed_error_clear();
    ok(!hed_vector_norm(t, 2, &axis) && hed_error() == HED_E_AXIS, "no such axis: %s", hed_error_text());
    ok(!hed_logsumexp(t, &axis) && hed_error() == HED_E_AXIS, "nor here: %s", hed_error_text());
    is_int(hed_vector_norm_into(wrong, t, 1, NULL), HED_E_SHAPE, "a wrong shape: %s", hed_error_text());
    is_int(hed_vector_norm_into(locked, t, 1, NULL), HED_E_SHAPE, "of what is only read: %s", hed_error_text());
    hed_error_clear();
    is_int(hed_vector_norm_into(NULL, t, 1, NULL), HED_E_INVAL, "into none: %s", hed_error_text());
    ok(!hed_vector_norm(NULL, 1, NULL) && !hed_logsumexp(NULL, NULL), "of none");
    hed_error_clear();
    ok(hed_array_is_pending(t) || hed_array_ndim(t) == 2, "the operand is there");
    is_int(hed_vector_norm_into(whole, t, 1, NULL), HED_OK, "into integers at once");
    ok(!hed_array_is_pending(whole) && value(whole) == 2000, "with the value");
    hed_array *half = hed_vector_norm(t, 1, &(hed_reduce){ .dtype = HED_FLOAT64 });
    ok(half && hed_array_dtype(half) == HED_FLOAT64 && value(half) == 2000, "of another type, at once");
  }
  is_int(hed_error(), HED_OK, "the end is no error");
  hed_array *const all[] = { x, locked, wrong, whole };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
}

int main(void)
{
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_stats_get(&before);
  test_range();
  test_passes();
  test_errors();
  const int rounds = scaled(600), failed = tap_failures();
  for (int k = 0; k < rounds && tap_failures() < failed + 5; k++)
    one_round(k);
  ok(tap_failures() == failed, "%d random norms and sums of exponentials", rounds);
  hed_stats_get(&after);
  is_int((int64_t)after.arrays_live, (int64_t)before.arrays_live, "no handle is left");
  return done();
}
