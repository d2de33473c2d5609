// SPDX-License-Identifier: BSD-3-Clause
/* Reductions along axes at the end of a fused pass: the values of the calls one by one (to rounding for floats), whatever
 * the shape, the axes, the dtype and the operands' layouts, and the same bits on any number of threads. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <heddle/ops.h>
#include <math.h>

typedef hed_array *(*reduce_fn)(const hed_array *, const hed_reduce *);
static const struct { const char *name; reduce_fn fn; bool ordered; } ops[] = {
  { "sum", hed_sum, false }, { "mean", hed_mean, false }, { "max", hed_max, true },
  { "min", hed_min, true },  { "prod", hed_prod, false }, { "any", hed_any, false },
  { "all", hed_all, false }, { "count_nonzero", hed_count_nonzero, false },
  { "var", hed_var, false }, { "std", hed_std, false },
};
enum { OPS = sizeof ops / sizeof *ops, DTYPES = 8 };

static const hed_shape shapes[] = {
  { 1, { 100003 } },   { 2, { 300, 1000 } },   { 2, { 2000, 700 } },  { 2, { 50021, 3 } },   { 2, { 5, 40000 } },
  { 2, { 1000, 17 } }, { 3, { 3, 20000, 2 } }, { 3, { 40, 50, 60 } }, { 3, { 9, 600, 511 } }, { 2, { 1, 5 } },
  { 3, { 3, 1, 4 } },  { 4, { 7, 1, 600, 1 } }, { 3, { 1, 3, 4 } },   { 2, { 513, 512 } },    { 3, { 2, 1030, 5 } },
  { 2, { 4097, 1 } },  { 0, { 0 } },           { 4, { 2, 3, 4, 700 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gen g;

/* Numbers near 1, so that products stay; some are 0 in what is whole. */
static hed_array *numbers(hed_shape s, hed_dtype t)
{
  int64_t n = elements_of(s);
  bool pair = t == HED_COMPLEX64, whole = t != HED_FLOAT32 && t != HED_FLOAT64 && !pair && t != HED_FLOAT16;
  n *= pair ? 2 : 1;
  double *v = malloc((size_t)(n + 1) * sizeof *v);
  for (int64_t i = 0; i < n; i++)
    v[i] = whole ? (double)gen_int(&g, 0, 9) : gen_double(&g, 0.9999, 1.0001) - (double)(pair && i % 2);
  hed_array *x = hed_from_host(v, s, pair ? HED_COMPLEX128 : HED_FLOAT64), *y = hed_astype(x, t);
  free(v);
  hed_release(x);
  return y;
}

/* In another layout, or broadcast along an axis. */
static hed_array *operand(hed_shape s, hed_dtype t)
{
  int how = (int)gen_below(&g, 4);
  if (how == 0 && s.ndim > 1) {
    hed_shape turned = s;
    for (int k = 0; k < s.ndim; k++)
      turned.dim[k] = s.dim[s.ndim - 1 - k];
    hed_array *x = numbers(turned, t), *y = hed_transpose(x, NULL);
    hed_release(x);
    return y;
  }
  if (how == 1 && s.ndim > 0)
    s.dim[gen_below(&g, (uint64_t)s.ndim)] = 1;
  return numbers(s, t);
}

/* Element by element, of the same shape and dtype. */
static bool close_to(const hed_array *a, const hed_array *b, double tolerance)
{
  const hed_shape s = hed_array_shape(a), u = hed_array_shape(b);
  if (!a || !b || hed_array_dtype(a) != hed_array_dtype(b) || s.ndim != u.ndim)
    return false;
  for (int32_t k = 0; k < s.ndim; k++)
    if (s.dim[k] != u.dim[k])
      return false;
  size_t n = (size_t)hed_array_size(a), bytes = n * 16;
  double *p = malloc(bytes + 1), *q = malloc(bytes + 1);
  hed_array *x = hed_astype(a, HED_COMPLEX128), *y = hed_astype(b, HED_COMPLEX128);
  bool good = hed_to_host(x, p, bytes) == HED_OK && hed_to_host(y, q, bytes) == HED_OK;
  for (size_t i = 0; i < 2 * n && good; i++)
    good = p[i] == q[i] || (isnan(p[i]) && isnan(q[i])) || fabs(p[i] - q[i]) <= tolerance * (1 + fabs(q[i]));
  RELEASE(x, y);
  free(p);
  free(q);
  return good;
}

typedef struct wish { int op; hed_reduce opt; } wish;
enum { WISHES = 3 };

static void compute(const hed_array *a, const hed_array *b, const wish *w, hed_array **out, hed_array **kept)
{
  hed_array *t = hed_multiply(a, b), *e = hed_multiply(t, a);
  hed_release(t);
  for (int k = 0; k < WISHES; k++)
    out[k] = ops[w[k].op].fn(e, &w[k].opt);
  if (kept)
    *kept = e;
  else
    hed_release(e);
}

static void one_round(int round)
{
  static const hed_dtype dtypes[DTYPES] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_COMPLEX64,
                                            HED_UINT8,   HED_INT64,   HED_BOOL,  HED_FLOAT16 };
  hed_shape s = shapes[gen_below(&g, SHAPES)];
  hed_dtype t = dtypes[gen_below(&g, DTYPES)];
  bool complex_ = t == HED_COMPLEX64;
  wish w[WISHES];
  for (int k = 0; k < WISHES; k++) {
    w[k] = (wish){ .op = (int)gen_below(&g, OPS) };
    if (complex_ && ops[w[k].op].ordered)
      w[k].op = 0;
    w[k].opt.keepdims = gen_chance(&g, 30);
    w[k].opt.ddof = (int32_t)gen_below(&g, 3);
    if (k > 0 && gen_chance(&g, 60)) { /* most often the axes of the one before */
      w[k].opt.axes = w[k - 1].opt.axes;
      continue;
    }
    if (s.ndim > 0 && gen_chance(&g, 85)) {
      int32_t first = (int32_t)gen_below(&g, (uint64_t)s.ndim);
      w[k].opt.axes = (hed_axes){ 1, { first } };
      if (s.ndim > 2 && gen_chance(&g, 40))
        w[k].opt.axes = (hed_axes){ 2, { first, first + 1 < s.ndim ? first + 1 : first - 1 } };
    }
  }
  hed_array *a = operand(s, t), *b = operand(s, t), *base = numbers(s, t), *plain[WISHES], *fused[2][WISHES], *kept[3];
  bool keep = gen_chance(&g, 30), pending = true;
  compute(base, a, w, plain, keep ? &kept[0] : NULL);
  for (int threads = 1; threads <= 2; threads++)
    HED_BACKEND_CONTEXT(threads == 1 ? ";threads=1" : ";threads=2")
      HED_FUSED {
        compute(base, a, w, fused[threads - 1], keep ? &kept[threads] : NULL);
        pending &= hed_array_is_pending(fused[threads - 1][0]);
      }
  bool good = pending;
  for (int k = 0; k < WISHES && good; k++) {
    double tolerance = t == HED_FLOAT16 ? 2e-3 : t == HED_FLOAT32 || complex_ ? 2e-6 : t == HED_FLOAT64 ? 1e-12 : 0;
    good = close_to(fused[0][k], plain[k], tolerance) && same_array(fused[0][k], fused[1][k]);
    if (!good)
      diag("round %d: %s: %s of %s, axes %d (%d), keepdims %d", round,
           close_to(fused[0][k], plain[k], tolerance) ? "other bits with two threads" : "values", ops[w[k].op].name,
           hed_dtype_name(t), (int)w[k].opt.axes.n, (int)w[k].opt.axes.axis[0], w[k].opt.keepdims);
  }
  if (good && keep)
    good = same_array(kept[0], kept[1]) && same_array(kept[0], kept[2]);
  if (!good)
    fail("round %d: ndim %d, %lld x %lld x %lld, %s", round, s.ndim, (long long)s.dim[0], (long long)s.dim[1],
         (long long)s.dim[2], pending ? "values" : "not pending");
  for (int k = 0; k < WISHES; k++) {
    RELEASE(plain[k], fused[0][k], fused[1][k]);
  }
  for (int k = 0; k < 3 && keep; k++)
    hed_release(kept[k]);
  RELEASE(a, b, base);
}

/* Rows of numbers whose variance is small beside their mean, or whose mean moves. */
static double hard_number(int kind, int64_t i, int64_t j)
{
  const double noise = (double)((uint64_t)(i * 7919 + j * 104729 + 13) * 2654435761u % 10007) / 10007 - 0.5;
  switch (kind) {
  case 0: return 1e9 + noise;
  case 1: return 1e7 * (double)i + 3e3 * (double)j + noise;
  case 2: return i + j == 0 ? -1e12 : noise;
  case 3: return 0.1;
  default: return 100 + noise;
  }
}

/* The variance of ROWS x COLS numbers by KIND from (I, J) on, as a float32 has them when SINGLE. */
static double true_variance(int kind, bool single, int64_t i, int64_t rows, int64_t j, int64_t cols)
{
  long double mean = 0, square = 0;
  for (int what = 0; what < 2; what++) {
    for (int64_t r = i; r < i + rows; r++)
      for (int64_t c = j; c < j + cols; c++) {
        const double v = single ? (double)(float)hard_number(kind, r, c) : hard_number(kind, r, c);
        if (what == 0)
          mean += v;
        else
          square += (v - mean) * (v - mean);
      }
    mean /= what ? 1 : (long double)(rows * cols);
  }
  return (double)(square / (long double)(rows * cols));
}

/* Relative to the variance itself, or to what rounding the operand leaves of one that is 0. */
static void test_variances(void)
{
  static const int64_t dims[][2] = { { 700, 900 }, { 3000, 7 }, { 2, 300000 }, { 1, 5 }, { 40000, 1 } };
  for (int kind = 0; kind < 5; kind++)
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
      for (int how = 0; how < 3; how++) { /* float64, float32, complex128 with an imaginary part twice as large */
        const bool single = how == 1;
        const int64_t rows = dims[d][0], cols = dims[d][1];
        const int parts = how == 2 ? 2 : 1;
        double *v = malloc((size_t)(parts * rows * cols) * sizeof *v), worst = 0;
        for (int64_t k = 0; k < parts * rows * cols; k++)
          v[k] = (double)(1 + k % parts) * hard_number(kind, k / parts / cols, k / parts % cols);
        hed_array *x = hed_from_host(v, HED_SHAPE(rows, cols), how == 2 ? HED_COMPLEX128 : HED_FLOAT64), *y[3] = { NULL }, *w[3];
        if (single) {
          hed_array *f = hed_astype(x, HED_FLOAT32);
          hed_release(x);
          x = f;
        }
        for (int k = 0; k < 3; k++)
          HED_FUSED HED_SCOPE {
            y[k] = hed_keep(hed_var(hed_negative(x), &(hed_reduce){ .axes = { k < 2, { k } }, .dtype = HED_FLOAT64 }));
            ok(hed_array_is_pending(y[k]), "a variance is recorded");
          }
        for (int k = 0; k < 3; k++) {
          const int64_t n = hed_array_size(y[k]);
          const double *got = hed_array_data(y[k]);
          for (int64_t i = 0; i < n; i += n > 50 ? n / 17 : 1) {
            const double want = (how == 2 ? 5 : 1) * (k == 0 ? true_variance(kind, single, 0, rows, i, 1)
                                                      : k == 1 ? true_variance(kind, single, i, 1, 0, cols)
                                                               : true_variance(kind, single, 0, rows, 0, cols));
            const double error = fabs(got[i] - want) / (want > 1e-25 ? want : 1e-15);
            worst = got[i] >= 0 && error <= 1e300 ? fmax(worst, error) : INFINITY;
          }
        }
        ok(worst < 1e-11, "variances of numbers of kind %d, %lld x %lld, %s: relative error %.2g", kind, (long long)rows,
           (long long)cols, how == 2 ? "complex128" : single ? "float32" : "float64", worst);
        w[0] = NULL;
        HED_FUSED HED_SCOPE {
          w[0] = hed_keep(hed_std(hed_negative(x), NULL));
        }
        ok(close_to(hed_square(w[0]), hed_astype(y[2], hed_array_dtype(w[0])), single ? 1e-6 : 1e-14), "its root");
        hed_release(w[0]);
        for (int k = 0; k < 3; k++)
          hed_release(y[k]);
        hed_release(x);
        free(v);
      }
}

/* Columns of a page whose pieces begin in the middle of a row: a piece may have had nothing of a column. */
static void test_parts(void)
{
  enum { ROWS = 5, EDGE = 301, N = EDGE * EDGE };
  double *v = malloc(ROWS * N * sizeof *v), worst = 0;
  for (int64_t k = 0; k < ROWS * N; k++)
    v[k] = 1e6 + gen_double(&g, -1, 1);
  hed_array *x = hed_from_host(v, HED_SHAPE(ROWS, EDGE, EDGE), HED_FLOAT64), *y = NULL;
  hed_array *turned = hed_transpose(x, &HED_AXES(0, 2, 1));
  HED_FUSED HED_SCOPE
    y = hed_keep(hed_var(hed_maximum(turned, turned), &(hed_reduce){ .axes = HED_AXES(0) }));
  const double *got = hed_array_data(y);
  for (int64_t i = 0; i < N; i++) {
    double mean = 0, sum = 0;
    const int64_t at = i % EDGE * EDGE + i / EDGE;
    for (int r = 0; r < ROWS; r++)
      mean += (v[r * N + at] - 1e6) / ROWS;
    for (int r = 0; r < ROWS; r++)
      sum += (v[r * N + at] - 1e6 - mean) * (v[r * N + at] - 1e6 - mean) / ROWS;
    worst = fmax(worst, fabs(got[i] - sum) / sum);
  }
  ok(worst < 1e-8, "variances of columns in pieces that begin anywhere: relative error %.2g", worst);
  RELEASE(turned, x, y);
  free(v);
}

static uint64_t passes(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return s.fused_passes;
}

/* So many reductions of columns that their accumulators are more than a thread keeps itself. */
static void test_many(void)
{
  enum { MANY = 30 };
  hed_array *a = numbers(HED_SHAPE(90, 3000), HED_COMPLEX64), *r[MANY], *want[MANY];
  hed_reduce opt = { .axes = { 1, { 0 } } };
  for (opt.ddof = 0; opt.ddof < MANY; opt.ddof++)
    HED_SCOPE want[opt.ddof] = hed_keep(hed_var(hed_square(a), &opt));
  HED_FUSED HED_SCOPE {
    hed_array *e = hed_square(a);
    for (opt.ddof = 0; opt.ddof < MANY; opt.ddof++)
      r[opt.ddof] = hed_keep(hed_var(e, &opt));
  }
  is_int(hed_error(), HED_OK, "many variances of columns in a pass");
  for (int k = 0; k < MANY; k++) {
    hed_array *ratio = hed_divide(r[k], want[k]), *ones = hed_ones_like(ratio);
    ok(close_to(ratio, ones, 1e-5), "variance %d of many", k);
    RELEASE(r[k], want[k], ratio, ones);
  }
  hed_release(a);
}

/* Pieces, for threads, that begin in the middle of a row: columns before have had one element more. */
static void test_misfit(void)
{
  hed_array *a = numbers(HED_SHAPE(90, 300, 41), HED_FLOAT64), *t = hed_swapaxes(a, 1, 2), *r = NULL;
  const hed_reduce first = { .axes = { 1, { 0 } } };
  hed_array *want = hed_var(t, &first);
  HED_FUSED HED_SCOPE {
    r = hed_keep(hed_var(hed_negative(t), &first));
  }
  hed_array *ratio = hed_divide(r, want), *ones = hed_ones_like(ratio);
  ok(close_to(ratio, ones, 1e-11), "variances of columns, in pieces that end within rows");
  hed_array *const all[] = { a, t, r, want, ratio, ones };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

/* Over the same axes in one pass; over others in one more, as the operand is then in memory; axes apart are not fused. */
static void test_passes(void)
{
  hed_array *a = numbers((hed_shape){ 3, { 6, 7, 8 } }, HED_FLOAT32), *r[3] = { NULL };
  const hed_reduce last = { .axes = { 1, { -1 } } }, first = { .axes = { 1, { 0 } } }, apart = { .axes = { 2, { 0, 2 } } };
  uint64_t before = passes();
  HED_FUSED {
    hed_array *e = hed_square(a);
    r[0] = hed_sum(e, &last);
    r[1] = hed_max(e, &last);
    hed_release(e);
  }
  is_uint(passes() - before, 1, "two reductions over the same axes: one pass");
  RELEASE(r[0], r[1]);
  before = passes();
  HED_FUSED {
    hed_array *e = hed_square(a);
    r[0] = hed_sum(e, &last);
    r[1] = hed_sum(e, &first);
    r[2] = hed_subtract(e, r[1]);
    hed_release(e);
  }
  is_uint(passes() - before, 3, "over other axes: one more, and what reads a sum another");
  for (int k = 0; k < 3; k++)
    hed_release(r[k]);
  HED_FUSED {
    hed_array *e = hed_square(a);
    r[0] = hed_sum(e, &apart);
    ok(r[0] && !hed_array_is_pending(r[0]) && !hed_array_is_pending(e), "axes that are no neighbours: computed at once");
    RELEASE(e, r[0]);
    e = hed_square(a);
    r[0] = hed_sum(e, &(hed_reduce){ .axes = { 1, { 3 } } });
    ok(!r[0] && hed_error() == HED_E_AXIS, "an axis that is not there is an error of the call");
    hed_error_clear();
    hed_release(e);
  }
  hed_release(a);
}

int main(void)
{
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  int rounds = scaled(250);
  for (int k = 0; k < rounds && tap_failures() < 5; k++)
    one_round(k);
  ok(tap_failures() == 0, "%d random reductions", rounds);
  HED_SCOPE test_variances();
  test_parts();
  test_many();
  test_misfit();
  test_passes();
  return done();
}
