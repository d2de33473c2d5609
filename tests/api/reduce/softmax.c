// SPDX-License-Identifier: BSD-3-Clause
/* softmax and log_softmax against sums in long double: lengths around the widths of vectors and pieces, every axis, strides
 * of both signs, into the operand itself, infinities and NaN, values close to 0.
 */
#include "api.h"
#include "gen.h"

#include <math.h>

enum { MOST = 1 << 19 };
static double given[MOST], got[MOST];
static gen source;

static bool read_all(hed_array *y, int64_t n)
{
  hed_array *d = y ? hed_astype(y, HED_FLOAT64) : NULL;
  bool good = d && hed_array_size(d) == n && hed_to_host(d, got, (size_t)n * sizeof *got) == HED_OK;
  hed_release(d);
  return good;
}

/* X less the largest, rounded to the type. */
static double less(double x, double most, bool single) { return single ? (double)(float)(x - most) : x - most; }

/* Lane of N elements STEP apart in GIVEN and GOT; differences from the largest are rounded to the
 * type, sums are in double. */
static bool lane_is(const double *x, const double *y, int64_t n, int64_t step, bool log, bool single)
{
  const double eps = single ? 0x1p-23 : 0x1p-52;
  double most = x[0];
  int64_t top = 0;
  bool nan = false;
  for (int64_t i = 0; i < n; i++) {
    nan |= x[i * step] != x[i * step];
    if (x[i * step] > most) {
      most = x[i * step];
      top = i;
    }
  }
  nan |= isinf(most);
  long double others = 0;
  for (int64_t i = 0; i < n && !nan; i++)
    if (i != top)
      others += expl(less(x[i * step], most, single));
  for (int64_t i = 0; i < n; i++) {
    const double v = y[i * step], d = less(x[i * step], most, single);
    if (nan) {
      if (v == v)
        return false;
      continue;
    }
    const long double want = log ? (long double)d - log1pl(others) : expl(d) / (1 + others);
    const double far = (4 + fabs(d)) * eps + sqrt((double)n) * 0x1p-52;
    if (isinf(d) ? v != (double)want : !(fabsl(v - want) <= far * fabsl(want) + (single ? 1e-44 : 0)))
      return false;
  }
  return true;
}

static void shapes(const char *backend)
{
  static const int64_t extents[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 255, 256, 257, 1025 };
  static const int64_t fixed[][3] = { { 1, 300001, 1 }, { 3, 140000, 1 }, { 1, 1 << 18, 1 }, { 1500, 300, 1 },
                                      { 2, 700, 257 } };
  bool good = true;
  gen_seed(&source, tap_seed());
  for (int round = 0; round < 160 && good; round++) {
    const bool single = gen_chance(&source, 50), log = gen_chance(&source, 50), flip = gen_chance(&source, 20);
    hed_shape shape = HED_SHAPE(0, 0, 0);
    for (int k = 0; k < 3; k++)
      shape.dim[k] = round < 5 ? fixed[round][k] : extents[gen_int(&source, 0, k == 1 ? 16 : 7)];
    const int64_t n = shape.dim[0] * shape.dim[1] * shape.dim[2];
    const double range = gen_chance(&source, 30) ? 300 : 9, gap = gen_chance(&source, 20) ? 12 : 0;
    for (int64_t i = 0; i < n; i++) {
      given[i] = gen_double(&source, -range, range) + (gap > 0 && gen_chance(&source, 10) ? gap : 0);
      if (single)
        given[i] = (double)(float)given[i];
      if (gen_chance(&source, 1) && gen_chance(&source, round % 4 * 3))
        given[i] = gen_chance(&source, 80) ? -INFINITY : gen_chance(&source, 50) ? (double)INFINITY : (double)NAN;
    }
    const int axis = (int)gen_int(&source, 0, 2);
    hed_array *d = hed_from_host(given, shape, HED_FLOAT64), *x = hed_astype(d, single ? HED_FLOAT32 : HED_FLOAT64), *v = x;
    if (flip) {
      v = hed_flip(x, NULL);
      hed_array *turned = hed_astype(v, HED_FLOAT64);
      hed_to_host(turned, given, (size_t)n * sizeof *given);
      hed_release(turned);
    }
    hed_array *y = log ? hed_log_softmax(v, axis) : hed_softmax(v, axis);
    int64_t step = 1;
    for (int k = axis + 1; k < 3; k++)
      step *= shape.dim[k];
    for (int again = 0; again < 2 && good; again++) {
      good = read_all(again ? v : y, n);
      for (int64_t i = 0; i < n && good; i++)
        if (i / step % shape.dim[axis] == 0)
          good = lane_is(given + i, got + i, shape.dim[axis], step, log, single);
      if (!good)
        diag("%s %s, %s, axis %d of (%lld, %lld, %lld)%s%s", backend, log ? "log_softmax" : "softmax",
             single ? "float32" : "float64", axis, (long long)shape.dim[0], (long long)shape.dim[1],
             (long long)shape.dim[2], flip ? ", flipped" : "", again ? ", in place" : "");
      if (!again)
        good = good && (log ? hed_log_softmax_into(v, v, axis) : hed_softmax_into(v, v, axis)) == HED_OK;
    }
    hed_release(y);
    if (flip)
      hed_release(v);
    RELEASE(x, d);
  }
  ok(good, "%s: softmax and log_softmax of many shapes", backend);
}

static void near_zero(const char *backend)
{
  const double x[3] = { 0, -40, -50 };
  hed_array *a = hed_from_host(x, HED_SHAPE(3), HED_FLOAT64), *y = hed_log_softmax(a, 0);
  read_all(y, 3);
  is_near(got[0], -(exp(-40) + exp(-50)), 0, 1e-14, "%s: log_softmax keeps its digits near 0", backend);
  hed_array *small = hed_empty(HED_SHAPE(2), HED_FLOAT64), *whole = hed_empty(HED_SHAPE(3), HED_INT32);
  API_FAIL(hed_softmax_into(small, a, 0), HED_E_SHAPE, "softmax: out has shape (2,), the result (3,)");
  API_FAIL(hed_softmax_into(NULL, a, 0), HED_E_INVAL, "softmax: argument out is NULL");
  RELEASE(a, y, small, whole);
}

/* A lane of several pieces, of which the last or the first is unlike the others. */
static void long_lanes(const char *backend)
{
  enum { N = 300000 };
  static const struct { double first, last; bool none; } of[] = {
    { 0, (double)NAN, true }, { 0, (double)INFINITY, true }, { -(double)INFINITY, 0, false }, { 0, 900, false },
  };
  for (int k = 0; k < 4; k++) {
    double *v = malloc(N * sizeof *v), sum = 0;
    for (int i = 0; i < N; i++)
      v[i] = i < N / 2 ? of[k].first : i < N - 1 ? 0 : of[k].last;
    hed_array *x = hed_from_host(v, HED_SHAPE(N), HED_FLOAT64), *y = hed_softmax(x, 0);
    if (!y || hed_to_host(y, v, N * sizeof *v) != HED_OK)
      bail("softmax: %s", hed_error_text());
    int nan = 0;
    for (int i = 0; i < N; i++)
      sum += v[i], nan += v[i] != v[i];
    ok(of[k].none ? nan == N : fabs(sum - 1) < 1e-9 && v[N - 1] > 0, "%s: softmax of a long lane, kind %d", backend, k);
    RELEASE(y, x);
    free(v);
  }
}

int main(void)
{
  api_each_backend(shapes);
  api_each_backend(near_zero);
  api_each_backend(long_lanes);
  done_testing();
  return done();
}
