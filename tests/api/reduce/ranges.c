// SPDX-License-Identifier: BSD-3-Clause
/* Means, variances and deviations of numbers next to the ends of their type's range, whatever their count and layout, are what
 * they are of other numbers, times a power of two; and a histogram over all of it counts everything.
 */
#include "api.h"
#include <math.h>

/* COUNT values that alternate between LOW and HIGH. */
static hed_array *alternating(hed_dtype t, int64_t count, double low, double high)
{
  double *v = malloc((size_t)count * sizeof *v);
  for (int64_t k = 0; k < count; k++)
    v[k] = k % 2 ? high : low;
  hed_array *x = api_array(HED_SHAPE(count), t, v);
  free(v);
  return x;
}

typedef hed_array *(*reduction)(const hed_array *, const hed_reduce *);

/* FN of X is WANT, within ABS: of all of it, and of it as rows and columns of a matrix. */
static void everywhere(reduction fn, const char *name, const hed_array *x, double want, double abs)
{
  static const int64_t rows[] = { 1, 2, 3, 40 };
  const int64_t n = hed_array_size(x);
  const char *type = hed_dtype_name(hed_array_dtype(x));
  is_near(api_number(fn(x, NULL)), want, 0, abs, "%s of %lld %s", name, (long long)n, type);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) { /* X as each column, and as each row */
    hed_array *wide = hed_broadcast_to(x, HED_SHAPE(rows[k], n)), *across = hed_copy(wide), *down = hed_transpose(across, NULL);
    hed_array *packed = hed_copy(down);
    const hed_reduce last = { .axes = HED_AXES(1) }, first = { .axes = HED_AXES(0) };
    const struct { hed_array *y; const char *how; } results[] = {
      { fn(across, &last), "rows" }, { fn(down, &first), "rows that are turned" }, { fn(packed, &first), "columns" },
      { fn(wide, &last), "a repeated row" },
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
      double v[64] = { NAN };
      const int64_t count = api_values(results[i].y, v);
      int64_t worst = 0;
      for (int64_t j = 0; j < count; j++)
        if (!(fabs(v[j] - want) <= fabs(v[worst] - want)))
          worst = j;
      is_near(count == rows[k] ? v[worst] : (double)NAN, want, 0, abs, "%s of %lld %s, %lld %s", name, (long long)n, type,
              (long long)rows[k], results[i].how);
      hed_release(results[i].y);
    }
    RELEASE(wide, across, down, packed);
  }
}

static void moments(const char *backend)
{
  static const int64_t counts[] = { 2, 6, 120, 2000 };
  static const struct { bool single; double low, high, mean, std; } cases[] = {
    { false, 1e300, -1e300, 0, 1e300 },          { false, 1e-200, -1e-200, 0, 1e-200 },
    { false, 1.5e308, 1.5e308, 1.5e308, 0 },     { false, -1.5e308, -1e308, -1.25e308, 2.5e307 },
    { false, 3e-310, 5e-310, 4e-310, 1e-310 },   { false, 0, 1e-170, 5e-171, 5e-171 },
    { true, 3e38, -3e38, 0, 3e38 },              { true, 3.2e38, 3.2e38, 3.2e38, 0 },
    { true, 1e-30, 3e-30, 2e-30, 1e-30 },        { true, 1e-40, 3e-40, 2e-40, 1e-40 },
  };
  diag("moments on %s, %d threads", backend, api_threads);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      const double size = fmax(fabs(cases[c].low), fabs(cases[c].high));
      const double rel = size * (cases[c].single ? 2e-5 : 1e-12); /* denormal numbers of float32 have few places */
      hed_array *x = alternating(cases[c].single ? HED_FLOAT32 : HED_FLOAT64, counts[k], cases[c].low, cases[c].high);
      everywhere(hed_mean, "mean", x, cases[c].mean, rel);
      everywhere(hed_std, "std", x, cases[c].std, rel);
      everywhere(hed_nanmean, "nanmean", x, cases[c].mean, rel);
      everywhere(hed_nanstd, "nanstd", x, cases[c].std, rel);
      hed_release(x);
    }
  /* long: in pieces */
  for (int single = 0; single < 2; single++) {
    const double big = single ? 3e38 : 1.5e308;
    hed_array *x = alternating(single ? HED_FLOAT32 : HED_FLOAT64, 200000, big, -big), *size = hed_abs(x);
    is_near(api_number(hed_mean(size, NULL)), big, 1e-6, 0, "the mean of many");
    is_near(api_number(hed_std(x, NULL)), big, 1e-6, 0, "their deviation");
    is_near(api_number(hed_nanstd(x, NULL)), big, 1e-6, 0, "nanstd");
    RELEASE(x, size);
  }
  /* at the end of a fused pass, of a value that is wanted itself and of one that is not */
  hed_array *a = alternating(HED_FLOAT64, 300, 1e300, -1e300), *b = alternating(HED_FLOAT64, 300, 1e-200, -1e-200);
  hed_array *c = alternating(HED_FLOAT64, 300, 1e308, 1.5e308), *d = alternating(HED_FLOAT32, 300, 3e38, 3e38);
  hed_array *made[6] = { NULL };
  HED_FUSED {
    hed_array *sum = hed_add(a, b), *small = hed_negative(b), *kept = hed_add(c, b), *wide = hed_abs(d);
    made[0] = hed_std(sum, NULL);
    made[1] = hed_std(small, NULL);
    made[2] = hed_mean(kept, NULL);
    made[3] = hed_mean(wide, NULL);
    made[4] = hed_add(kept, b);
    made[5] = hed_mean(sum, NULL);
    RELEASE(sum, small, kept, wide);
  }
  is_near(api_number(made[0]), 1e300, 1e-12, 0, "fused std");
  is_near(api_number(made[1]), 1e-200, 1e-12, 0, "fused std of small numbers");
  is_near(api_number(made[2]), 1.25e308, 1e-12, 0, "fused mean");
  is_near(api_number(made[3]), 3e38, 1e-6, 0, "fused mean of float32");
  is_near(api_number(made[5]), 0, 0, 1e285, "fused mean that is 0");
  hed_array *matrices[] = { a, b, c, d, made[4] };
  for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
    hed_release(matrices[k]);
  /* what is infinite or NaN, or really too large, stays so; variances that fit are those of scaled elements */
  hed_array *x = API_VECTOR(HED_FLOAT64, 1e308, INFINITY, 1e308), *y = API_VECTOR(HED_FLOAT64, 1e200, -1e200);
  hed_array *z = API_VECTOR(HED_FLOAT64, NAN, 1.7e308, 1.7e308), *tiny = API_VECTOR(HED_FLOAT64, 1e-160, -1e-160);
  ok(api_number(hed_mean(x, NULL)) == INFINITY, "infinity stays");
  ok(isnan(api_number(hed_std(x, NULL))), "its deviation is NaN");
  ok(isnan(api_number(hed_mean(z, NULL))), "NaN stays");
  is_near(api_number(hed_nanmean(z, NULL)), 1.7e308, 1e-15, 0, "and is passed over");
  ok(api_number(hed_var(y, NULL)) == INFINITY, "a variance beyond the range");
  is_near(api_number(hed_var(tiny, NULL)), 1e-320, 1e-3, 0, "one below");
  is_near(api_number(hed_std(y, &(hed_reduce){ .ddof = 1 })), sqrt(2) * 1e200, 1e-15, 0, "ddof");
  hed_array *none = hed_full(HED_SHAPE(3), NAN, HED_FLOAT64);
  ok(isnan(api_number(hed_nanmean(none, NULL))), "nothing but NaN");
  hed_array *empty = hed_empty(HED_SHAPE(2, 0), HED_FLOAT64);
  api_is(hed_nanmean(empty, &(hed_reduce){ .axes = HED_AXES(1) }), HED_SHAPE(2), HED_FLOAT64, API_LIST(NAN, NAN), "of nothing");
  hed_array *re = hed_multiply_complex(y, 1, -1);
  is_near(api_number(hed_std(re, NULL)), sqrt(2) * 1e200, 1e-15, 0, "of complex numbers");
  is_near(api_number(hed_nanstd(re, NULL)), sqrt(2) * 1e200, 1e-15, 0, "nanstd of complex numbers");
  hed_array *all[] = { x, y, z, tiny, none, empty, re };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void histograms(const char *backend)
{
  hed_array *x = API_VECTOR(HED_FLOAT64, -1e308, 1e308, 0, 5e307, -1e308), *h = NULL, *edges = NULL;
  diag("histograms on %s, %d threads", backend, api_threads);
  is_int(hed_histogram(x, &(hed_histogram_options){ .bins = 4 }, &h, &edges), HED_OK, "histogram of all of the range");
  api_is(h, HED_SHAPE(4), HED_INT64, API_LIST(2, 0, 1, 2), "counts");
  api_is(edges, HED_SHAPE(5), HED_FLOAT64, API_LIST(-1e308, -5e307, 0, 5e307, 1e308), "edges");
  is_int(hed_histogram(x, &(hed_histogram_options){ .bins = 3, .low = -1.7e308, .high = 1.7e308, .use_range = true }, &h, NULL),
         HED_OK, "histogram over a range");
  api_is(h, HED_SHAPE(3), HED_INT64, API_LIST(2, 2, 1), "counts");
  hed_array *tiny = API_VECTOR(HED_FLOAT64, 0, 5e-324, 1e-323, 2e-323);
  is_int(hed_histogram(tiny, &(hed_histogram_options){ .bins = 2 }, &h, NULL), HED_OK, "histogram of next to nothing");
  api_is(hed_sum(h, NULL), HED_SHAPE0, HED_INT64, API_LIST(4), "counts");
  RELEASE(h, x, tiny);
}

static void between(const char *backend)
{
  diag("lerp on %s, %d threads", backend, api_threads);
  for (int k = 0; k < 2; k++) {
    const hed_dtype t = k ? HED_FLOAT32 : HED_FLOAT64;
    const double most = k ? 0x1.fffffep127 : 0x1.fffffffffffffp1023, at[] = { 0, 0.25, 0.5, 0.75, 1 };
    hed_array *a = api_array(HED_SHAPE0, t, &(double){ -most }), *b = hed_negative(a), *where = api_array(HED_SHAPE(5), t, at);
    api_is(hed_lerp(a, b, where), HED_SHAPE(5), t, API_LIST(-most, -most / 2, 0, most / 2, most), "lerp over all of the range");
    for (int i = 0; i < 3; i++)
      hed_release((hed_array *[]){ a, b, where }[i]);
  }
}

int main(void)
{
  api_each_context(moments);
  api_each_context(histograms);
  api_each_context(between);
  done_testing();
  return done();
}
