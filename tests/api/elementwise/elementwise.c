// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise calls: broadcasting, scalar forms, writing in place, overlaps, NULL, sentences. */
#include "api.h"
#include "gen.h"
#include <math.h>

static void forms(const char *backend)
{
  diag("forms on %s", backend);
  hed_array *a = api_iota(HED_SHAPE(2, 3), HED_FLOAT32), *b = API_VECTOR(HED_FLOAT32, 10, 20, 30);
  hed_array *col = api_array(HED_SHAPE(2, 1), HED_FLOAT32, API_LIST(100, 200));
  api_is(hed_add(a, b), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(10, 21, 32, 13, 24, 35), "a row broadcasts");
  api_is(hed_add(b, col), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(110, 120, 130, 210, 220, 230),
         "a row and a column broadcast");
  api_is(hed_subtract_scalar(a, 1), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(-1, 0, 1, 2, 3, 4), "array and scalar");
  api_is(hed_scalar_subtract(1, a), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(1, 0, -1, -2, -3, -4), "scalar and array");
  hed_array *out = hed_zeros(HED_SHAPE(2, 3), HED_FLOAT32);
  is_int(hed_multiply_scalar_into(out, a, 2), HED_OK, "scalar form into");
  api_is(hed_copy(out), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 2, 4, 6, 8, 10), "its values");
  is_int(hed_scalar_divide_into(out, 60, b), HED_E_SHAPE, "out must have the result's shape, not a larger one");
  hed_array *row = hed_zeros(HED_SHAPE(3), HED_FLOAT32);
  is_int(hed_scalar_divide_into(row, 60, b), HED_OK, "a scalar over a row");
  api_is(row, HED_SHAPE(3), HED_FLOAT32, API_LIST(6, 3, 2), "its values");
  hed_release(out);
  out = hed_zeros(HED_SHAPE(3), HED_FLOAT32);
  is_int(hed_add_into(out, b, b), HED_OK, "into");
  is_int(hed_add_into(out, out, out), HED_OK, "into an operand");
  api_is(hed_copy(out), HED_SHAPE(3), HED_FLOAT32, API_LIST(40, 80, 120), "its values");
  is_int(hed_negative_into(out, out), HED_OK, "one operand, in place");
  api_is(hed_copy(out), HED_SHAPE(3), HED_FLOAT32, API_LIST(-40, -80, -120), "its values");
  hed_release(out);
  out = hed_zeros(HED_SHAPE(3), HED_BOOL);
  is_int(hed_greater_scalar_into(out, b, 15), HED_OK, "a comparison into bool");
  api_is(hed_copy(out), HED_SHAPE(3), HED_BOOL, API_LIST(0, 1, 1), "its values");
  hed_array *pick = hed_where(out, b, col);
  api_is(pick, HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(100, 20, 30, 200, 20, 30), "where broadcasts three");
  api_is(hed_clip(a, 1, 3.5), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(1, 1, 2, 3, 3.5, 3.5), "clip");
  api_is(hed_clip(a, -INFINITY, 2), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(0, 1, 2, 2, 2, 2), "clip, one side open");
  api_is(hed_clip(a, 4, 2), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(2, 2, 2, 2, 2, 2), "clip, low above high gives high");
  hed_array *i = API_VECTOR(HED_INT32, -3, 0, 1, 2, 3, 9);
  api_is(hed_clip(i, 0.5, 2.5), HED_SHAPE(6), HED_INT32, API_LIST(1, 1, 1, 2, 2, 2), "clip keeps integers integers");
  hed_release(i);
  hed_array *zero = hed_zeros(HED_SHAPE0, HED_FLOAT32), *none = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32);
  api_is(hed_add(zero, zero), HED_SHAPE0, HED_FLOAT32, API_LIST(0), "0-d");
  api_is(hed_add(none, b), HED_SHAPE(0, 3), HED_FLOAT32, API_LIST(0), "no elements");
  hed_array *many = hed_ones((hed_shape){ 16, { 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2 } }, HED_FLOAT32);
  hed_array *sum = hed_add(many, many);
  is_int(hed_array_ndim(sum), 16, "16 axes");
  RELEASE(sum, many, zero, none, a, b, col, out);
}

static void errors(const char *backend)
{
  diag("errors on %s", backend);
  hed_array *a = hed_zeros(HED_SHAPE(2, 3), HED_FLOAT32), *b = hed_zeros(HED_SHAPE(4), HED_FLOAT32);
  API_NULL(hed_add(a, b), HED_E_SHAPE, "add: shapes (2, 3) of a and (4,) of b do not broadcast");
  API_FAIL(hed_add_into(a, b, b), HED_E_SHAPE, "add: out has shape (2, 3), the result (4,)");
  API_NULL(hed_where(a, a, b), HED_E_SHAPE, "where: shape (4,) of b does not broadcast with (2, 3)");
  API_NULL(hed_add(NULL, b), HED_E_INVAL, "add: argument a is NULL");
  API_NULL(hed_add_scalar(NULL, 1), HED_E_INVAL, "add: argument a is NULL");
  API_NULL(hed_scalar_add(1, NULL), HED_E_INVAL, "add: argument b is NULL");
  API_FAIL(hed_add_into(NULL, b, b), HED_E_INVAL, "add: argument out is NULL");
  API_FAIL(hed_exp_into(b, NULL), HED_E_INVAL, "exp: argument x is NULL");
  API_NULL(hed_clip(a, NAN, 1), HED_E_INVAL, "clip: bound low is NaN");
  API_NULL(hed_add(hed_exp(hed_add(a, b)), b), HED_E_SHAPE, "add: shapes (2, 3) of a and (4,) of b do not broadcast");
  hed_array *wide = hed_broadcast_to(b, HED_SHAPE(2, 4)), *two = hed_zeros(HED_SHAPE(2, 4), HED_FLOAT32);
  API_FAIL(hed_negative_into(wide, two), HED_E_INVAL, "negative: out repeats its elements along axis 0");
  RELEASE(wide, two, a, b);
}

/* Naive: do two slices of one buffer share an element, and are they the same? */
static void overlaps(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  hed_array *x = api_iota(HED_SHAPE(6, 8), HED_FLOAT32);
  for (int round = 0; round < 400; round++) {
    hed_slice_range r[2][2];
    bool used[48] = { false }, meet = false, same = true;
    int order[2][48], n[2] = { 0, 0 };
    int64_t len0 = gen_int(&g, 1, 3), len1 = gen_int(&g, 1, 3);
    for (int v = 0; v < 2; v++) {
      int64_t s0 = gen_int(&g, 1, 2), s1 = gen_int(&g, 1, 2), a0 = gen_int(&g, 0, 6 - (len0 - 1) * s0 - 1),
              a1 = gen_int(&g, 0, 8 - (len1 - 1) * s1 - 1);
      r[v][0] = HED_RANGE(a0, a0 + (len0 - 1) * s0 + 1, s0);
      r[v][1] = HED_RANGE(a1, a1 + (len1 - 1) * s1 + 1, s1);
      for (int64_t i = 0; i < len0; i++)
        for (int64_t j = 0; j < len1; j++)
          order[v][n[v]++] = (int)((a0 + i * s0) * 8 + a1 + j * s1);
    }
    for (int k = 0; k < n[0]; k++)
      used[order[0][k]] = true;
    for (int k = 0; k < n[1]; k++) {
      meet = meet || used[order[1][k]];
      same = same && order[0][k] == order[1][k];
    }
    hed_array *out = hed_slice(x, 2, r[0]), *in = hed_slice(x, 2, r[1]);
    hed_status status = hed_copy_into(out, in), again = hed_abs_into(out, in);
    bool want = !meet || same;
    if ((status == HED_OK) != want || (again == HED_OK) != want) {
      good = false;
      diag("round %d: meet %d same %d, status %d and %d", round, meet, same, status, again);
    }
    RELEASE(out, in);
  }
  hed_error_clear();
  ok(good, "%s: 400 pairs of slices: refused exactly when they share elements in another order", backend);
  hed_array *lo = hed_slice(x, 1, (hed_slice_range[]){ { 0, 3, 1 } }), *hi = hed_slice(x, 1, (hed_slice_range[]){ { 2, 5, 1 } });
  API_FAIL(hed_add_into(lo, lo, hi), HED_E_INVAL, "add: out and b overlap");
  hed_array *flipped = hed_flip(lo, NULL);
  API_FAIL(hed_abs_into(flipped, lo), HED_E_INVAL, "abs: out and x overlap");
  RELEASE(flipped, lo, hi, x);
  /* wrapped memory: two arrays with storage of their own on the same bytes */
  float buffer[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  hed_array *p = hed_wrap(buffer, HED_SHAPE(6), NULL, HED_FLOAT32, NULL, NULL);
  hed_array *q = hed_wrap(buffer + 2, HED_SHAPE(6), NULL, HED_FLOAT32, NULL, NULL);
  API_FAIL(hed_add_into(q, p, p), HED_E_INVAL, "add: out and a overlap");
  RELEASE(p, q);
}

static double at(const double *x, const hed_shape *s, const int64_t *index, int ndim)
{
  int64_t k = 0;
  for (int j = 0; j < s->ndim; j++)
    k = k * s->dim[j] + (s->dim[j] == 1 ? 0 : index[ndim - s->ndim + j]);
  return x[k];
}

static void broadcasting(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  bool good = true;
  for (int round = 0; round < 150 && good; round++) {
    int64_t full[4];
    int ndim = (int)gen_int(&g, 0, 4);
    hed_shape s[2];
    double values[2][256], want[256], got[256];
    for (int k = 0; k < ndim; k++)
      full[k] = gen_int(&g, 0, 4);
    hed_array *x[2];
    for (int v = 0; v < 2; v++) {
      s[v].ndim = v ? ndim : (int)gen_int(&g, 0, ndim);
      for (int k = 0; k < s[v].ndim; k++)
        s[v].dim[k] = v == 0 && gen_chance(&g, 40) ? 1 : full[ndim - s[v].ndim + k];
      for (int k = 0; k < 256; k++)
        values[v][k] = (double)gen_int(&g, -50, 50);
      x[v] = api_array(s[v], v ? HED_FLOAT32 : HED_INT16, values[v]);
    }
    int64_t n = 1, index[4];
    for (int k = 0; k < ndim; k++)
      n *= full[k];
    for (int64_t k = 0; k < n; k++) {
      int64_t rest = k;
      for (int j = ndim - 1; j >= 0; j--) {
        index[j] = rest % full[j];
        rest /= full[j];
      }
      want[k] = at(values[0], &s[0], index, ndim) - at(values[1], &s[1], index, ndim);
    }
    hed_array *y = hed_subtract(x[0], x[1]);
    good = y && api_values(y, got) == n && memcmp(got, want, (size_t)n * sizeof *got) == 0;
    RELEASE(y, x[0], x[1]);
  }
  ok(good, "%s: broadcasting of random shapes, int16 with float32", backend);
}

/* An empty result may have any strides: nothing is written. */
static void nothing(const char *backend)
{
  HED_SCOPE {
    hed_array *x = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32), *one = hed_zeros(HED_SHAPE(1, 1), HED_FLOAT32);
    hed_array *out = hed_slice(hed_broadcast_to(one, HED_SHAPE(2, 3)), 1, &HED_RANGE(0, 0, 1));
    is_int(hed_add_into(out, x, x), HED_OK, "%s: an empty result that repeats its elements", backend);
  }
}

static hed_array *seventh(const hed_array *x)
{
  return hed_slice(x, 1, &HED_RANGE(5, hed_array_size(x), 7));
}

/* A power depends on its base and its exponent alone: not on the layout of either, on how many there are, or on fusion. */
static void powers(const char *backend)
{
  static const double exponents[] = { 2, 1, -1, 0.5, 3, 4, 1.7, -2, 0.25 };
  enum { N = 301, KINDS = sizeof exponents / sizeof *exponents };
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64 };
  for (int t = 0; t < 2; t++) HED_SCOPE {
    hed_array *x = hed_random_uniform(HED_SHAPE(N), types[t], &(hed_random){ .seed = tap_seed(), .seeded = true, .high = 9 });
    hed_array *back = hed_flip(x, NULL), *mixed = hed_full(HED_SHAPE(N), 1.7, types[t]);
    for (int k = 0; k < KINDS; k++) {
      hed_array *want = hed_power_scalar(x, exponents[k]), *all = hed_full(HED_SHAPE(N), exponents[k], types[t]);
      hed_array *strided = hed_power_scalar(back, exponents[k]), *turned = hed_copy(hed_flip(strided, NULL)), *fused = NULL;
      HED_FUSED
      {
        fused = hed_power_scalar(back, exponents[k]);
      }
      ok(same_array(want, turned), "%s: %s to %g, backwards", backend, hed_dtype_name(types[t]), exponents[k]);
      ok(same_array(fused, strided), "%s: fused", backend);
      hed_array *each = hed_power(x, all);
      ok(same_array(want, each), "%s: an exponent for each", backend);
      hed_array *some = seventh(mixed), *few = seventh(x), *few_want = hed_copy(seventh(want));
      hed_fill(some, exponents[k]);
      hed_array *among = hed_power(x, mixed), *few_got = hed_copy(seventh(among));
      hed_array *strided_few = hed_power_scalar(few, exponents[k]);
      ok(same_array(few_got, few_want) && same_array(strided_few, few_want), "%s: among others, and every seventh", backend);
      hed_array *one = hed_slice(x, 1, &HED_RANGE(9, 10, 1)), *power = hed_power_scalar(one, exponents[k]);
      const size_t size = hed_array_nbytes(x) / N;
      ok(power && !memcmp(hed_array_data(power), (const char *)hed_array_data(want) + 9 * size, size), "%s: one alone", backend);
      if (exponents[k] == 2 && strcmp(backend, "cpu") == 0) {
        hed_array *square = hed_square(x);
        ok(same_array(want, square), "%s: a square", backend);
      }
    }
  }
}

int main(void)
{
  api_each_backend(powers);
  api_each_backend(nothing);
  api_each_backend(forms);
  api_each_backend(errors);
  api_each_backend(overlaps);
  api_each_backend(broadcasting);
  done_testing();
  return done();
}
