// SPDX-License-Identifier: BSD-3-Clause
/* Contrast, radio-frequency noise and temporal noise of the ultrasound kit against sums written out. */
#include "arrays.h"
#include "us.h"

enum { ROOM = 8192 };

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double middle(const double *v, int64_t n, bool median)
{
  double sorted[ROOM], sum = 0;
  memcpy(sorted, v, (size_t)n * sizeof *v);
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  for (int64_t i = 0; i < n; i++)
    sum += v[i];
  return median ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : sum / (double)n;
}

static double spread(const double complex *v, int64_t n, bool amplitude, bool median, double *variance)
{
  double p[ROOM] = { 0 }, q[ROOM] = { 0 };
  for (int64_t i = 0; i < n; i++)
    p[i] = amplitude ? cabs(v[i]) : creal(v[i] * conj(v[i]));
  const double m = middle(p, n, median);
  for (int64_t i = 0; i < n; i++)
    q[i] = (p[i] - m) * (p[i] - m);
  *variance = middle(q, n, median);
  return m;
}

static double cnr(const double complex *in, int64_t n, const double complex *out, int64_t m, const hed_us_region *o)
{
  double v[2];
  double d = spread(in, n, o->amplitude, o->inside_median, &v[0]) - spread(out, m, o->amplitude, o->outside_median, &v[1]);
  const double sum = (o->no_inside_variance ? 0 : v[0]) + (o->no_outside_variance ? 0 : v[1]);
  if (!o->no_inside_variance || !o->no_outside_variance)
    d /= sqrt(sum / (o->amplitude ? 2 : 1));
  return o->db ? 20 * log10(fabs(d)) : d;
}

static double contrast(const double complex *in, int64_t n, const double complex *out, int64_t m, const hed_us_region *o)
{
  double v;
  const double r = spread(in, n, false, false, &v) / spread(out, m, false, false, &v);
  return o->db ? 10 * log10(r) : r;
}

static double power(const double complex *v, int64_t n, bool center, bool largest)
{
  double complex mean = 0;
  double sum = 0, most = 0;
  for (int64_t i = 0; i < n && center; i++)
    mean += v[i] / (double)n;
  for (int64_t i = 0; i < n; i++) {
    const double p = creal((v[i] - mean) * conj(v[i] - mean));
    sum += p / (double)n;
    most = fmax(most, p);
  }
  return largest ? most : sum;
}

static double rf_snr(const double complex *in, int64_t n, const double complex *out, int64_t m, const hed_us_region *o)
{
  return 10 * log10(power(in, n, !o->no_center, o->max_power) / power(out, m, !o->no_center, false));
}

static bool by_modulus;

/* The bin by comparison with the edges, as numpy.histogram has it. */
static double gcnr(const double complex *in, int64_t n, const double complex *out, int64_t m, const hed_us_region *o)
{
  const int bins = o->bins ? (int)o->bins : 100;
  double low = INFINITY, high = -INFINITY, shared = 0;
  int64_t a[512] = { 0 }, b[512] = { 0 };
  for (int64_t i = 0; i < n + m; i++) {
    const double complex z = i < n ? in[i] : out[i - n];
    const double x = by_modulus ? cabs(z) : creal(z);
    low = fmin(low, x);
    high = fmax(high, x);
  }
  for (int64_t i = 0; i < n + m; i++) {
    const double complex z = i < n ? in[i] : out[i - n];
    const double x = by_modulus ? cabs(z) : creal(z);
    int k = 0;
    while (k + 1 < bins && x >= low + (high - low) * (k + 1) / bins)
      k++;
    (i < n ? a : b)[k]++;
  }
  for (int k = 0; k < bins; k++)
    shared += (double)(a[k] * m < b[k] * n ? a[k] * m : b[k] * n);
  return 1 - shared / (double)(n * m);
}

static const struct {
  const char *name;
  hed_array *(*fn)(const hed_array *, const hed_array *, const hed_us_region *);
  double (*want)(const double complex *, int64_t, const double complex *, int64_t, const hed_us_region *);
  hed_us_region opt;
} metrics[] = {
  { "cnr", hed_us_cnr, cnr, { .db = false } },
  { "cnr in dB", hed_us_cnr, cnr, { .db = true } },
  { "cnr of amplitudes", hed_us_cnr, cnr, { .amplitude = true, .db = true } },
  { "cnr by medians", hed_us_cnr, cnr, { .inside_median = true, .outside_median = true } },
  { "cnr by one median", hed_us_cnr, cnr, { .outside_median = true, .no_inside_variance = true } },
  { "cnr without one variance", hed_us_cnr, cnr, { .no_outside_variance = true } },
  { "difference", hed_us_cnr, cnr, { .no_inside_variance = true, .no_outside_variance = true } },
  { "contrast", hed_us_contrast, contrast, { .db = false } },
  { "contrast in dB", hed_us_contrast, contrast, { .db = true } },
  { "rf_snr", hed_us_rf_snr, rf_snr, { .db = false } },
  { "rf_snr of the largest", hed_us_rf_snr, rf_snr, { .max_power = true } },
  { "rf_snr as it is", hed_us_rf_snr, rf_snr, { .no_center = true } },
  { "gcnr", hed_us_gcnr, gcnr, { .bins = 0 } },
  { "gcnr of 16 bins", hed_us_gcnr, gcnr, { .bins = 16 } },
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* How far WANT may be off: in dB of nearly nothing, what is off is a large part of it. */
static double room(const hed_us_region *opt, double want, double tolerance)
{
  return tolerance * (1 + fabs(want)) * (opt->db && want < 0 ? pow(10, -want / 20) : 1);
}

/* Regions (3, 4, 5) and (2, 4, 7), with axis 1 as batch or without any. */
static void compare(gen *g, hed_dtype t, const char *backend)
{
  double complex in[60], out[56], one[60], two[56];
  double got[4];
  by_modulus = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  us_random(g, t, 60, in);
  us_random(g, t, 56, out);
  hed_array *a = us_array(HED_SHAPE(3, 4, 5), t, in), *b = us_array(HED_SHAPE(2, 4, 7), t, out);
  const bool single = us_is_single(t);
  for (int f = 0; f < METRICS; f++) {
    hed_us_region opt = metrics[f].opt;
    const double whole = metrics[f].want(in, 60, out, 56, &opt), tolerance = single ? 1e-5 : 1e-11;
    is_near(us_value(metrics[f].fn(a, b, &opt)), whole, 0, room(&opt, whole, tolerance), "%s: %s of %s", backend, metrics[f].name,
            hed_dtype_name(t));
    opt.batch = HED_AXES(-2);
    const int64_t n = us_values(metrics[f].fn(a, b, &opt), got, 4);
    bool good = n == 4;
    for (int64_t i = 0; good && i < 4; i++) {
      for (int k = 0; k < 15; k++)
        one[k] = in[(k / 5 * 4 + i) * 5 + k % 5];
      for (int k = 0; k < 14; k++)
        two[k] = out[(k / 7 * 4 + i) * 7 + k % 7];
      const double want = metrics[f].want(one, 15, two, 14, &opt);
      good = fabs(got[i] - want) <= room(&opt, want, tolerance);
      if (!good)
        diag("%lld: %.9g, %.9g", (long long)i, got[i], want);
    }
    ok(good, "%s: %s of %s, a batch", backend, metrics[f].name, hed_dtype_name(t));
  }
  RELEASE(b, a);
}

static void random_regions(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_COMPLEX64, HED_FLOAT64, HED_COMPLEX128, HED_INT16 };
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    compare(&g, types[i], backend);
}

/* One image and two masks are the values under them; with a batch too. */
static void masks(const char *backend)
{
  gen g;
  double complex v[2 * 48], one[48], two[48];
  double got[2];
  bool in[24], out[24];
  by_modulus = false;
  gen_seed(&g, tap_seed());
  us_random(&g, HED_FLOAT64, 96, v);
  for (int i = 0; i < 24; i++)
    out[i] = !(in[i] = gen_chance(&g, 40) || i == 0) || i == 1;
  hed_array *x = us_array(HED_SHAPE(4, 2, 6), HED_FLOAT64, v);
  hed_array *a = hed_from_host(in, HED_SHAPE(4, 6), HED_BOOL), *b = hed_from_host(out, HED_SHAPE(4, 6), HED_BOOL);
  for (int f = 0; f < METRICS; f++) {
    hed_us_region opt = metrics[f].opt;
    opt.batch = HED_AXES(1);
    opt.inside_mask = a;
    opt.outside_mask = b;
    const int64_t size = us_values(metrics[f].fn(x, x, &opt), got, 2);
    bool good = size == 2;
    for (int64_t i = 0; good && i < 2; i++) {
      int64_t n = 0, m = 0;
      for (int k = 0; k < 24; k++) {
        const double complex value = v[(k / 6 * 2 + i) * 6 + k % 6];
        if (in[k])
          one[n++] = value;
        if (out[k])
          two[m++] = value;
      }
      const double want = metrics[f].want(one, n, two, m, &opt);
      good = fabs(got[i] - want) <= (us_is_single(HED_FLOAT64) ? 2e-5 : 1e-9) * (1 + fabs(want));
      if (!good)
        diag("%.9g, %.9g", got[i], want);
    }
    ok(good, "%s: %s under masks", backend, metrics[f].name);
    opt.batch = (hed_axes){ 0, { 0 } };
    hed_array *first = hed_index(x, 1, 0);
    is_near(us_value(metrics[f].fn(first, first, &opt)), got[0], 1e-4, 1e-4, "%s: %s without a batch", backend, metrics[f].name);
    hed_release(first);
  }
  hed_array *none = hed_zeros(HED_SHAPE(4, 6), HED_BOOL);
  const hed_us_region empty = { .batch = HED_AXES(1), .inside_mask = a, .outside_mask = none };
  us_refused(hed_us_cnr(x, x, &empty), HED_E_INVAL, "outside_mask", "no elements");
  us_refused(hed_us_gcnr(x, x, &(hed_us_region){ .inside_mask = a }), HED_E_SHAPE, "2 axes", "3");
  us_refused(hed_us_contrast(x, x, &(hed_us_region){ .batch = HED_AXES(1), .inside_mask = x }), HED_E_DTYPE, "inside_mask",
      "bool");
  us_refused(hed_us_contrast(x, x, &(hed_us_region){ .batch = HED_AXES(0), .inside_mask = a }), HED_E_SHAPE, "4", "2");
  hed_array *const all[] = { x, a, b, none };
  for (int i = 0; i < 4; i++)
    hed_release(all[i]);
}

static double of(hed_array *(*fn)(const hed_array *, const hed_array *, const hed_us_region *), const hed_us_region *opt,
    hed_dtype t,
                 double complex a, double complex b, double complex c, double complex d)
{
  hed_array *x = us_array(HED_SHAPE(2), t, (const double complex[]){ a, b });
  hed_array *y = us_array(HED_SHAPE(2), t, (const double complex[]){ c, d }), *r = fn(x, y, opt);
  RELEASE(x, y);
  return us_value(r);
}

static void edges(const char *backend)
{
  const hed_us_region db = { .db = true };
  gen g;
  ok(isinf(of(hed_us_contrast, &db, HED_FLOAT32, 0, 0, 1, 2)) && of(hed_us_contrast, &db, HED_FLOAT32, 0, 0, 1, 2) < 0,
     "%s: contrast of nothing is -inf dB", backend);
  ok(isinf(of(hed_us_contrast, NULL, HED_FLOAT64, 1, 2, 0, 0)), "%s: contrast to nothing is inf", backend);
  ok(isnan(of(hed_us_contrast, NULL, HED_FLOAT64, 0, 0, 0, 0)), "%s: 0 / 0 is NaN", backend);
  ok(isnan(of(hed_us_cnr, NULL, HED_FLOAT32, 2, 2, 2, 2)), "%s: cnr of equal constants is NaN", backend);
  is_near(of(hed_us_cnr, NULL, HED_FLOAT32, 3, 3, 1, 1), INFINITY, 0, 0, "%s: of others inf", backend);
  is_near(of(hed_us_cnr, NULL, HED_FLOAT32, 1, 1, 3, 3), -INFINITY, 0, 0, "%s: with its sign", backend);
  is_near(of(hed_us_contrast, NULL, HED_INT16, 32000, 32000, 16000, 16000), 4, 1e-7, 0, "%s: int16 does not overflow", backend);
  is_near(of(hed_us_gcnr, NULL, HED_FLOAT32, 5, 5, 5, 5), 0, 0, 0, "%s: gcnr of one value is 0", backend);
  is_near(of(hed_us_gcnr, NULL, HED_FLOAT32, 0, 1, 5, 6), 1, 0, 0, "%s: of disjoint ones 1", backend);
  is_near(of(hed_us_gcnr, NULL, HED_BOOL, 0, 1, 1, 1), 0.5, 0, 0, "%s: of bool", backend);
  double complex v[301];
  gen_seed(&g, tap_seed());
  int wrong = 0;
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 301; i++)
      v[i] = gen_normal(&g);
    hed_array *x = us_array(HED_SHAPE(301), HED_FLOAT32, v);
    wrong += us_value(hed_us_gcnr(x, x, NULL)) != 0;
    hed_release(x);
  }
  is_int(wrong, 0, "%s: gcnr of an array with itself is exactly 0", backend);
}

static void given_edges(const char *backend)
{
  hed_array *x = US_LIST(HED_FLOAT64, 0, 0.5, 1, 2, 9), *y = US_LIST(HED_FLOAT64, 0.5, 2, 3, 4, -1, -1),
      *edge = US_LIST(HED_FLOAT64, 0, 1, 2, 4);
  hed_array *away = US_LIST(HED_FLOAT64, 10, 11);
  is_near(us_value(hed_us_gcnr(x, y, &(hed_us_region){ .edges = edge })), 0.5, 0, 0, "%s: 2, 1, 1 of 4 against 1, 0, 3 of 4",
      backend);
  us_refused(hed_us_gcnr(x, away, &(hed_us_region){ .edges = edge }), HED_E_INVAL, "none of 2", "edges");
  us_refused(hed_us_gcnr(x, y, &(hed_us_region){ .edges = edge, .bins = 4 }), HED_E_INVAL, "4 bins", "edges");
  us_refused(hed_us_gcnr(x, y, &(hed_us_region){ .bins = -4 }), HED_E_INVAL, "-4", "bins");
  hed_array *odd = US_LIST(HED_FLOAT64, 1, NAN), *none = hed_zeros(HED_SHAPE(0), HED_FLOAT32), *flat = US_LIST(HED_FLOAT64, 3, 3);
  us_refused(hed_us_gcnr(x, odd, NULL), HED_E_INVAL, "nan", "finite");
  us_refused(hed_us_contrast(x, none, NULL), HED_E_INVAL, "outside", "no elements");
  us_refused(hed_us_cnr(none, x, NULL), HED_E_INVAL, "inside", "no elements");
  us_refused(hed_us_cnr(x, NULL, NULL), HED_E_INVAL, "us_cnr", "NULL");
  us_refused(hed_us_rf_snr(x, flat, NULL), HED_E_INVAL, "power 0", "1 of 1");
  us_refused(hed_us_rf_snr(x, y, &(hed_us_region){ .batch = HED_AXES(0) }), HED_E_SHAPE, "5", "6");
  us_refused(hed_us_cnr(x, y, &(hed_us_region){ .batch = HED_AXES(3) }), HED_E_AXIS, "axis 3", "1");
  hed_array *const all[] = { x, y, edge, away, odd, none, flat };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    hed_release(all[i]);
  (void)backend;
}

static bool ranges_are(const hed_array *line, const hed_us_find *f, int64_t a, int64_t b, int64_t c, int64_t d)
{
  hed_us_ranges r = { { -1, -1 }, { -1, -1 } };
  if (hed_us_find_signal_and_noise(line, f, &r) != HED_OK)
    diag("%s", hed_error_text());
  else if (r.signal[0] != a || r.signal[1] != b || r.noise[0] != c || r.noise[1] != d)
    diag("[%lld, %lld), [%lld, %lld)", (long long)r.signal[0], (long long)r.signal[1], (long long)r.noise[0],
        (long long)r.noise[1]);
  else
    return true;
  return false;
}

static void find(const char *backend)
{
  double complex v[200] = { 0 };
  hed_us_ranges r;
  v[3] = 9;
  v[40] = -5;
  v[120] = 4;
  hed_array *x = us_array(HED_SHAPE(200), HED_FLOAT32, v);
  ok(ranges_are(x, NULL, 0, 13, 63, 200), "%s: the largest, clamped at the beginning", backend);
  ok(ranges_are(x, &(hed_us_find){ .ignore = 4 }, 30, 50, 100, 200), "%s: after what is ignored, by modulus", backend);
  ok(ranges_are(x, &(hed_us_find){ .ignore = 41, .before = 3, .after = 7, .offset = -1, .size = 20 }, 117, 127, 127, 147),
     "%s: all options", backend);
  ok(ranges_are(x, &(hed_us_find){ .ignore = 41, .before = 1, .after = 70, .offset = 5, .size = 90 }, 119, 190, 195, 200),
     "%s: clamped at the end", backend);
  is_int(hed_us_find_signal_and_noise(x, &(hed_us_find){ .ignore = 41, .offset = 100 }, &r), HED_E_INVAL, "%s: no noise",
      backend);
  has_str(hed_error_text(), "200", "and says how long the line is");
  is_int(hed_us_find_signal_and_noise(x, &(hed_us_find){ .ignore = 200 }, &r), HED_E_INVAL, "%s: nothing to look at", backend);
  is_int(hed_us_find_signal_and_noise(x, &(hed_us_find){ .before = -1 }, &r), HED_E_INVAL, "%s: a negative width", backend);
  is_int(hed_us_find_signal_and_noise(x, NULL, NULL), HED_E_INVAL, "%s: no result", backend);
  hed_release(x);
  x = hed_zeros(HED_SHAPE(2, 3), HED_FLOAT32);
  is_int(hed_us_find_signal_and_noise(x, NULL, &r), HED_E_SHAPE, "%s: two axes", backend);
  hed_release(x);
}

static void over_time(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_COMPLEX64, HED_FLOAT64, HED_COMPLEX128, HED_INT16 };
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    for (int32_t axis = 0; axis < 3; axis++) {
      double complex v[3 * 5 * 4];
      double got[20];
      const hed_shape s = HED_SHAPE(3, 5, 4);
      us_random(&g, types[k], 60, v);
      hed_array *x = us_array(s, types[k], v);
      const int64_t m = s.dim[axis], after = axis == 0 ? 20 : axis == 1 ? 4 : 1;
      const hed_us_time opt = { .axis = HED_AXES(axis), .db = axis == 1 };
      const int64_t n = us_values(hed_us_tsnr(x, axis == 2 ? NULL : &opt), got, 20);
      bool good = n == 60 / m;
      for (int64_t i = 0; good && i < n; i++) {
        double complex line[5], mean = 0;
        for (int64_t j = 0; j < m; j++)
          mean += line[j] = v[(i / after * m + j) * after + i % after]; /* exact, 0 too */
        mean /= (double)m;
        const double snr = creal(mean * conj(mean)) / power(line, m, true, false), want = opt.db ? 10 * log10(snr) : snr;
        good = got[i] == want || fabs(got[i] - want) <= room(&(hed_us_region){ .db = opt.db }, want, 1e-5);
        if (!good)
          diag("%lld: %.9g, %.9g", (long long)i, got[i], want);
      }
      ok(good, "%s: tsnr of %s along axis %d", backend, hed_dtype_name(types[k]), (int)axis);
      hed_release(x);
    }
  hed_array *x = US_LIST(HED_FLOAT32, 0.1, 0.1, 0.1), *one = US_LIST(HED_FLOAT32, 1), *zero = hed_zeros(HED_SHAPE(4),
      HED_COMPLEX64);
  is_near(us_value(hed_us_tsnr(x, NULL)), INFINITY, 0, 0, "%s: nothing changes: inf", backend);
  is_near(us_value(hed_us_tsnr(zero, NULL)), INFINITY, 0, 0, "%s: also where all is 0", backend);
  us_refused(hed_us_tsnr(one, NULL), HED_E_SHAPE, "1 frames", "at least 2");
  us_refused(hed_us_tsnr(x, &(hed_us_time){ .axis = HED_AXES(-2) }), HED_E_AXIS, "axis -2", "1");
  RELEASE(zero, one, x);
}

int main(void)
{
  us_each(random_regions);
  us_each(masks);
  us_each(edges);
  us_each(given_edges);
  us_each(find);
  us_each(over_time);
  done_testing();
  return done();
}
