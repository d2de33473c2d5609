// SPDX-License-Identifier: BSD-3-Clause
/* Variances whose mean is far from what comes first, far from 0, or not a number: along and across rows, in pieces, at the
 * end of a fused pass, against two passes in long double. HEDDLE_TEST_BACKEND names one backend, else the host's.
 */
#include "api.h"
#include "gen.h"
#include <math.h>

enum { PLAIN, OUTLIER, FIRST, LAST, BORDERS, RAMP, STEP, CONSTANT, LARGE, NOT_A_NUMBER, INFINITE, KINDS };
static const char *const kind_name[KINDS] = { "far from 0", "outliers come first", "one far away comes first",
                                              "one far away comes last", "parts begin far away", "a ramp", "a step", "all the same",
                                              "squares beyond the range", "a NaN", "an infinity" };
static gen g;

/* Element K of COUNT of a lane. */
static double element(int kind, int64_t k, int64_t count, double offset)
{
  const double noise = gen_double(&g, -1, 1);
  switch (kind) {
  case OUTLIER: return offset + (k < 3 ? 1e6 : noise);
  case FIRST: return k == 0 ? 1e8 : 1 + noise;
  case LAST: return k == count - 1 ? 1e8 : 1 + noise;
  case BORDERS: return k % 512 == 0 ? 1e8 : 1 + noise; /* 512 elements of a column, 4096 of a row: parts of devices */
  case RAMP: return offset + (double)k + noise;
  case STEP: return offset + (k < count / 2 ? -1e5 : 1e5) + noise;
  case CONSTANT: return offset;
  case LARGE: return noise * 1e200;
  default: return offset + noise;
  }
}

/* Squared distances from the mean, of COUNT elements STEP apart, the parts of complex ones together. */
static double squares(const double *x, int64_t count, int64_t step, int parts)
{
  long double all = 0;
  for (int p = 0; p < parts; p++) {
    long double mean = 0;
    for (int64_t k = 0; k < count; k++)
      mean += x[k * step * parts + p];
    mean /= (long double)count;
    for (int64_t k = 0; k < count; k++) {
      const long double d = x[k * step * parts + p] - mean;
      all += d * d;
    }
  }
  return (double)all;
}

/* A mean of elements near OFFSET is rounded by that much, and the variance is off by its square. */
static bool agree(double got, double want, double rel, double offset)
{
  const double rounded = offset * 0x1p-53;
  if (want != want || isinf(want) || got != got || isinf(got))
    return got == want || (got != got && want != want);
  return fabs(got - want) <= rel * fabs(want) + rounded * rounded;
}

/* One array of ROWS x N elements and its variances along AXIS, -1 for all. */
static bool right(int kind, int axis, int64_t rows, int64_t n, hed_dtype t, int layout, bool fused)
{
  const int parts = t == HED_COMPLEX64 || t == HED_COMPLEX128 ? 2 : 1;
  const bool single = t == HED_FLOAT32 || t == HED_COMPLEX64, odd = kind == NOT_A_NUMBER || kind == INFINITE;
  const int64_t size = rows * n, lanes = axis < 0 ? 1 : axis ? rows : n, count = size / lanes;
  const int64_t step = axis ? 1 : n, next = axis ? n : 1, ddof = count > 1 && gen_chance(&g, 50);
  const double offset = single ? 64 : 1e6;
  double *v = malloc((size_t)(size * parts) * sizeof *v), *got = malloc((size_t)lanes * sizeof *got);
  for (int64_t r = 0; r < lanes; r++)
    for (int64_t k = 0; k < count; k++)
      for (int p = 0; p < parts; p++)
        v[(r * next + k * step) * parts + p] = element(kind, k, count, offset);
  const int64_t at = (int64_t)gen_below(&g, (uint64_t)(size * parts));
  if (odd)
    v[at] = kind == INFINITE ? -(double)INFINITY : (double)NAN;
  hed_array *wide = hed_from_host(v, HED_SHAPE(rows, n), parts == 2 ? HED_COMPLEX128 : HED_FLOAT64);
  hed_array *x = hed_astype(wide, t), *back = hed_astype(x, parts == 2 ? HED_COMPLEX128 : HED_FLOAT64), *y = NULL;
  if (!back || hed_to_host(back, v, (size_t)(size * parts) * sizeof *v) != HED_OK)
    bail("variance: %s", hed_error_text());
  if (layout) { /* the same backwards, or with every row apart */
    const hed_slice_range some[2] = { HED_RANGE(0, rows, 1), HED_RANGE(3, 3 + n, 1) };
    hed_array *room = layout == 1 ? hed_flip(x, NULL) : hed_zeros(HED_SHAPE(rows, n + 7), t);
    hed_array *there = layout == 1 ? hed_copy(room) : NULL;
    hed_array *laid = layout == 1 ? hed_flip(there, NULL) : hed_slice(room, 2, some);
    if (!laid || (layout == 2 && hed_copy_into(laid, x) != HED_OK))
      bail("layout: %s", hed_error_text());
    RELEASE(there, room, x);
    x = laid;
  }
  const hed_reduce how = { .axes = axis < 0 ? HED_AXES(0, 1) : HED_AXES(axis), .ddof = (int32_t)ddof };
  if (fused)
    HED_FUSED {
      hed_array *minus = hed_negative(x);
      y = hed_var(minus, &how);
      hed_release(minus);
    }
  else
    y = hed_var(x, &how);
  hed_array *made = hed_astype(y, HED_FLOAT64);
  if (!made || hed_to_host(made, got, (size_t)lanes * sizeof *got) != HED_OK)
    bail("variance: %s", hed_error_text());
  bool good = true;
  for (int64_t r = 0; r < lanes && good; r++) {
    const int64_t mine = at / parts / (axis < 0 ? size : axis ? n : 1) % lanes;
    const double want = odd && mine == r ? (double)NAN : kind == LARGE ? (double)INFINITY
                        : squares(v + r * next * parts, count, step, parts) / (double)(count - ddof);
    good = agree(got[r], single ? (double)(float)want : want, single ? 0x1p-23 : 1e-12, offset);
    if (!good)
      diag("%s, axis %d, %lld x %lld, %s, layout %d: %.17g, not %.17g", kind_name[kind], axis, (long long)rows,
           (long long)n, hed_dtype_name(t), layout, got[r], want);
  }
  RELEASE(made, y, back, x, wide);
  free(got);
  free(v);
  return good;
}

static void variances(const char *backend, bool fused)
{
  static const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  for (int kind = 0; kind < KINDS; kind++) {
    int wrong = 0;
    for (int trial = 0; trial < 40; trial++) {
      const int axis = trial % 3 - 1;
      const bool large = trial % 5 == 0;
      const int64_t most = large ? 300000 : 4000, first = gen_int(&g, 2, trial % 2 ? 40 : large ? 4000 : 300);
      const int64_t other = gen_int(&g, 2, most / first < 2 ? 2 : most / first);
      const int64_t rows = trial % 4 < 2 ? first : other, n = trial % 4 < 2 ? other : first;
      const hed_dtype t = kind == LARGE ? trial % 2 ? HED_FLOAT64 : HED_COMPLEX128 : types[gen_below(&g, 4)];
      if (kind == LARGE && fused)
        continue; /* what comes then is not said */
      wrong += !right(kind, axis, rows, n, t, (int)gen_below(&g, 3), fused);
    }
    is_int(wrong, 0, "%s, %d threads%s: %s", backend, api_threads, fused ? ", fused" : "", kind_name[kind]);
  }
}

static double variance(hed_array *x, const hed_reduce *how)
{
  double got = -1;
  hed_array *y = hed_var(x, how);
  if (!y || hed_item(y, &got) != HED_OK)
    bail("variance: %s", hed_error_text());
  hed_release(y);
  return got;
}

/* The first few, from which a mean is guessed, are far from all that follow: a long lane would lose its digits to them, were more
 * than some times as many as before added about one mean. */
static void far_beginning(const char *backend)
{
  enum { N = 1000003, PART = 65536, FEW = 8, TRIALS = 20 };
  double *v = malloc(N * sizeof *v), worst = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const int64_t n = trial ? PART : N;
    for (int64_t k = 0; k < n; k++)
      v[k] = gen_double(&g, -1, 1) + (k < FEW ? 1e6 : 0);
    for (int64_t k = FEW; k < n && trial % 2; k++)
      v[k] = v[FEW]; /* what their squares are rounded by adds up */
    hed_array *x = hed_from_host(v, HED_SHAPE(n), HED_FLOAT64);
    const double want = squares(v, n, 1, 1) / (double)n;
    worst = fmax(worst, fabs(variance(x, NULL) / want - 1));
    hed_release(x);
  }
  ok(worst < 5e-12, "%s, %d threads: far beginnings: off by %g", backend, api_threads, worst);
  free(v);
}

/* Few columns of many rows: far from 0, and one of them alone so large that squares leave the range. */
static void odd_columns(const char *backend)
{
  enum { ROWS = 70000, COLUMNS = 3 };
  double *v = malloc(sizeof(double) * ROWS * COLUMNS), got[COLUMNS];
  for (int large = 0; large < 2; large++) {
    for (int64_t k = 0; k < ROWS * COLUMNS; k++)
      v[k] = large && k % COLUMNS == 0 ? (k % 2 ? 1e200 : -1e200) : 1e6 + gen_double(&g, -1, 1);
    hed_array *x = hed_from_host(v, HED_SHAPE(ROWS, COLUMNS), HED_FLOAT64), *y = hed_var(x, &(hed_reduce){ .axes = HED_AXES(0) });
    bool good = y && hed_to_host(y, got, sizeof got) == HED_OK;
    for (int64_t k = 0; k < COLUMNS && good; k++)
      good = agree(got[k], large && k == 0 ? (double)INFINITY : squares(v + k, ROWS, COLUMNS, 1) / ROWS, 1e-11, 1e6);
    ok(good, "%s, %d threads: columns far from 0%s: %g, %g, %g", backend, api_threads, large ? ", one beyond the range" : "", got[0],
       got[1], got[2]);
    RELEASE(y, x);
  }
  free(v);
}

/* The same of columns, whose first row is far from all others: did what distances are taken from stay there, sums of squares would
 * lose more digits with every row. */
static void far_first_row(const char *backend)
{
  enum { COLUMNS = 529, ROWS = 6000 };
  double *v = malloc(sizeof(double) * ROWS * COLUMNS), got[COLUMNS], worst = 0;
  for (int64_t k = 0; k < ROWS * COLUMNS; k++) /* the same again and again: what their squares are rounded by adds up */
    v[k] = k < COLUMNS ? 1e6 : k < 2 * COLUMNS ? gen_double(&g, -1, 1) : v[k - COLUMNS];
  hed_array *x = hed_from_host(v, HED_SHAPE(ROWS, COLUMNS), HED_FLOAT64), *y = hed_var(x, &(hed_reduce){ .axes = HED_AXES(0) });
  if (!y || hed_to_host(y, got, sizeof got) != HED_OK)
    bail("variance: %s", hed_error_text());
  for (int64_t k = 0; k < COLUMNS; k++)
    worst = fmax(worst, fabs(got[k] / (squares(v + k, ROWS, COLUMNS, 1) / ROWS) - 1));
  ok(worst < 3e-12, "%s, %d threads: columns that begin far from the rest: off by %g", backend, api_threads, worst);
  RELEASE(y, x);
  free(v);
}

/* Distances so small that their squares are nothing, though the square of their sum is not: nothing below 0. */
static void tiny(const char *backend)
{
  enum { N = 512, FEW = 8 };
  double v[N];
  for (int k = 0; k < N; k++)
    v[k] = k < FEW ? 0 : 1.5e-162;
  hed_array *x = hed_from_host(v, HED_SHAPE(N), HED_FLOAT64), *two = hed_from_host(v, HED_SHAPE(N / 8, 8), HED_FLOAT64);
  hed_array *const all[] = { x, two };
  for (int k = 0; k < 2; k++) {
    const double got = variance(all[k], &(hed_reduce){ .ddof = N - 1 });
    ok(got >= 0 && got < 1e-318, "%s, %d threads: squares of almost nothing are %g", backend, api_threads, got);
    hed_release(all[k]);
  }
}

/* Of one number again and again the deviation is as good as 0: no root of less. */
static void constants(const char *backend)
{
  int wrong = 0;
  for (int trial = 0; trial < 300; trial++) {
    const double value = gen_double(&g, -3, 3);
    double got = -1;
    hed_array *x = hed_full(HED_SHAPE(gen_int(&g, 2, 3000)), value, HED_FLOAT64), *y = hed_std(x, NULL);
    wrong += !y || hed_item(y, &got) != HED_OK || !(got >= 0 && got <= 1e-15 * fabs(value));
    RELEASE(y, x);
  }
  is_int(wrong, 0, "%s, %d threads: deviations of one number", backend, api_threads);
}

static void all(const char *backend)
{
  far_beginning(backend);
  far_first_row(backend);
  odd_columns(backend);
  constants(backend);
  tiny(backend);
  variances(backend, false);
  if (!getenv("HEDDLE_TEST_BACKEND") || getenv("HEDDLE_TEST_FULL")) /* programs for each graph take long to compile */
    variances(backend, true);
}

int main(void)
{
  const char *one = getenv("HEDDLE_TEST_BACKEND");
  gen_seed(&g, tap_seed());
  api_threads = 1;
  if (one)
    api_in(one, one, all);
  else
    api_each_context(all);
  done_testing();
  return done();
}
