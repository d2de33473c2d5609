// SPDX-License-Identifier: BSD-3-Clause
/* Convolution and correlation, direct, by transforms and circular, against the sum that defines them and values of
 * NumPy and SciPy (data/fft.h); the crop; the meanings that other systems have otherwise.
 */
#include "api.h"
#include "data/fft.h"
#include "gen.h"
#include <complex.h>
#include <math.h>

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

static bool near_list(hed_array *y, const double *want, int64_t doubles, double tolerance, const char *name)
{
  static double got[API_MAX];
  bool two = y && hed_dtype_kind(hed_array_dtype(y)) == HED_KIND_COMPLEX;
  hed_array *wide = hed_astype(y, two ? HED_COMPLEX128 : HED_FLOAT64);
  double worst = wide && hed_to_host(wide, got, (size_t)doubles * 8) == HED_OK ? 0 : INFINITY;
  for (int64_t k = 0; k < doubles && worst < INFINITY; k++)
    worst = fabs(got[k] - want[k]) <= worst ? worst : fabs(got[k] - want[k]);
  RELEASE(wide, y);
  return is_near(worst, 0, 0, tolerance, "%s", name);
}
#define NEAR(call, list) near_list(call, list, COUNT(list), 1e-13, #call)

static void known_values(const char *backend)
{
  diag("values of NumPy and SciPy on %s", backend);
  HED_SCOPE {
    hed_array *a = hed_from_host(conv_a, HED_SHAPE(7), HED_FLOAT64), *b = hed_from_host(conv_b, HED_SHAPE(4), HED_FLOAT64);
    hed_array *c = hed_from_host(conv_c, HED_SHAPE(5), HED_COMPLEX128), *d = hed_from_host(conv_d, HED_SHAPE(3), HED_COMPLEX128);
    hed_array *p = hed_from_host(plane_p, HED_SHAPE(5, 6), HED_FLOAT64), *q = hed_from_host(plane_q, HED_SHAPE(3, 2), HED_FLOAT64);
    const int full = HED_CONVOLVE_FULL, same = HED_CONVOLVE_SAME, valid = HED_CONVOLVE_VALID;
    NEAR(hed_convolve(a, b, full), convolve_full);
    NEAR(hed_convolve_direct(a, b, same), convolve_same);
    NEAR(hed_convolve(a, b, valid), convolve_valid);
    NEAR(hed_fftconvolve(a, b, full), convolve_full);
    NEAR(hed_fftconvolve(a, b, same), convolve_same);
    NEAR(hed_fftconvolve(a, b, valid), convolve_valid);
    NEAR(hed_correlate(a, b, full), correlate_full);
    NEAR(hed_correlate(a, b, same), correlate_same);
    NEAR(hed_correlate(a, b, valid), correlate_valid);
    NEAR(hed_fftcorrelate(a, b, full), correlate_full);
    NEAR(hed_convolve(c, d, full), convolve_complex);
    NEAR(hed_fftconvolve(c, d, full), convolve_complex);
    NEAR(hed_correlate(c, d, full), correlate_complex);
    NEAR(hed_fftcorrelate(c, d, full), correlate_complex);
    NEAR(hed_convolve2d(p, q, full), convolve2d_full);
    NEAR(hed_convolve2d(p, q, same), convolve2d_same);
    NEAR(hed_convolve2d(p, q, valid), convolve2d_valid);
    NEAR(hed_correlate2d(p, q, full), correlate2d_full);
    NEAR(hed_correlate2d(p, q, same), correlate2d_same);
    NEAR(hed_correlate2d(p, q, valid), correlate2d_valid);
    NEAR(hed_fftconvolve(p, q, same), convolve2d_same);
    NEAR(hed_circular_convolve(a, hed_flip(a, NULL)), circular);
    NEAR(hed_circular_correlate(a, hed_flip(a, NULL)), circular_correlation);
  }
}

/* Random shapes, dtypes and layouts: automatic and by transforms against the plain sum over indices. */
static void against_the_sum(const char *backend)
{
  gen g;
  double worst = 0, exact = 0;
  gen_seed(&g, tap_seed());
  for (int round = 0; round < 60; round++)
    HED_SCOPE {
      hed_shape s = { .ndim = (int)gen_int(&g, 1, 3) }, t = s, o;
      int64_t n = 1, m = 1, total = 1, start[3] = { 0, 0, 0 };
      int mode = (int)gen_int(&g, 0, 2), type = (int)gen_below(&g, 3);
      bool corr = gen_chance(&g, 40);
      for (int k = 0; k < s.ndim; k++) {
        t.dim[k] = gen_int(&g, 1, s.ndim == 1 ? 40 : 6);
        s.dim[k] = mode == 2 ? t.dim[k] + gen_int(&g, 0, 6) : gen_int(&g, 1, s.ndim == 1 ? 90 : 9);
        n *= s.dim[k];
        m *= t.dim[k];
      }
      o = s;
      for (int k = 0; k < s.ndim; k++) {
        start[k] = mode == 0 ? 0 : mode == 1 ? (t.dim[k] - 1) / 2 : t.dim[k] - 1;
        o.dim[k] = mode == 0 ? s.dim[k] + t.dim[k] - 1 : mode == 1 ? s.dim[k] : s.dim[k] - t.dim[k] + 1;
        total *= o.dim[k];
      }
      static double x[4096], y[4096], want[8192];
      for (int64_t k = 0; k < n; k++)
        x[k] = type ? gen_double(&g, -1, 1) : (double)gen_int(&g, -9, 9);
      for (int64_t k = 0; k < m; k++)
        y[k] = type ? gen_double(&g, -1, 1) : (double)gen_int(&g, -9, 9);
      for (int64_t k = 0; k < total; k++) {
        long double sum = 0;
        for (int64_t j = 0; j < m; j++) {
          int64_t rest = k, part = j, at = 0, step = 1;
          bool inside = true;
          for (int q = s.ndim - 1; q >= 0; q--) {
            int64_t i = rest % o.dim[q] + start[q] - part % t.dim[q];
            inside = inside && i >= 0 && i < s.dim[q];
            at += i * step;
            step *= s.dim[q];
            rest /= o.dim[q];
            part /= t.dim[q];
          }
          if (inside)
            sum += (long double)y[corr ? m - 1 - j : j] * x[at];
        }
        want[k] = (double)sum;
      }
      hed_dtype dtype = type == 0 ? HED_INT32 : type == 1 ? HED_FLOAT64 : HED_FLOAT32;
      hed_array *a = hed_astype(hed_from_host(x, s, HED_FLOAT64), dtype), *b = hed_astype(hed_from_host(y, t, HED_FLOAT64), dtype);
      if (gen_chance(&g, 50))
        a = hed_flip(hed_copy(hed_flip(a, NULL)), NULL);
      if (gen_chance(&g, 50))
        b = hed_transpose(hed_copy(hed_transpose(b, NULL)), NULL);
      hed_array *r[2] = { corr ? hed_correlate(a, b, mode) : hed_convolve(a, b, mode), NULL };
      if (type)
        r[1] = corr ? hed_fftcorrelate(a, b, mode) : hed_fftconvolve(a, b, mode);
      static double got[8192];
      for (int q = 0; q < (type ? 2 : 1); q++) {
        hed_array *wide = hed_astype(r[q], HED_FLOAT64);
        double e = wide && hed_array_dtype(r[q]) == dtype && hed_to_host(wide, got, (size_t)total * 8) == HED_OK ? 0 : INFINITY;
        for (int64_t k = 0; k < total && e < INFINITY; k++)
          e = fmax(e, fabs(got[k] - want[k]));
        e /= type == 2 ? 1e9 : 1; /* one scale for both precisions */
        if (type)
          worst = fmax(worst, e);
        else
          exact = fmax(exact, e);
      }
    }
  ok(worst < 1e-12, "%s: floats (%g)", backend, worst);
  ok(exact == 0, "%s: integers exactly (%g)", backend, exact);
}

static void meanings(const char *backend)
{
  diag("meanings on %s", backend);
  hed_array *short_ = API_VECTOR(HED_FLOAT32, 1, 2), *long_ = API_VECTOR(HED_FLOAT32, 1, 0, 0, 3);
  api_is(hed_convolve(short_, long_, HED_CONVOLVE_SAME), HED_SHAPE(2), HED_FLOAT32, API_LIST(2, 0),
         "same: the first operand's extent, also when it is the shorter one");
  hed_array *i8 = API_VECTOR(HED_INT8, 100, 100), *two = API_VECTOR(HED_INT8, 2, 1);
  api_is(hed_convolve(i8, two, HED_CONVOLVE_FULL), HED_SHAPE(3), HED_INT8, API_LIST(-56, 44, 100), "integers wrap");
  hed_array *b = API_VECTOR(HED_BOOL, 1, 0, 1);
  api_is(hed_convolve(b, b, HED_CONVOLVE_FULL), HED_SHAPE(5), HED_BOOL, API_LIST(1, 0, 1, 0, 1), "bool: or of and");
  api_is(hed_circular_convolve(two, two), HED_SHAPE(2), HED_FLOAT32, API_LIST(5, 4), "circular integers give REAL");
  hed_array *h = hed_astype(short_, HED_FLOAT16), *rows = api_iota(HED_SHAPE(3, 2), HED_FLOAT32);
  api_is(hed_circular_correlate(h, h), HED_SHAPE(2), HED_FLOAT16, API_LIST(5, 4), "float16 stays");
  api_is(hed_circular_convolve(rows, short_), HED_SHAPE(3, 2), HED_FLOAT32, API_LIST(2, 1, 8, 7, 14, 13), "leading axes broadcast");
  hed_array *x = api_iota(HED_SHAPE(8, 9), HED_FLOAT32);
  hed_shape s1 = HED_SHAPE(4, 5), s2 = HED_SHAPE(2, 3);
  hed_array *y = hed_apply_convolution_mode(x, HED_CONVOLVE_FULL, s1, s2, NULL, false);
  ok(hed_array_shape(y).dim[0] == 5 && hed_array_shape(y).dim[1] == 7, "full: cropped to s1 + s2 - 1");
  hed_release(y);
  api_is(hed_apply_convolution_mode(x, HED_CONVOLVE_VALID, s1, s2, NULL, false), HED_SHAPE(3, 3), HED_FLOAT32,
         API_LIST(11, 12, 13, 20, 21, 22, 29, 30, 31), "valid: the centre, from (n - m)/2 on");
  y = hed_apply_convolution_mode(x, HED_CONVOLVE_SAME, s1, s2, &HED_SHAPE(5, 6), true);
  ok(hed_array_shape(y).dim[1] == 6 && hed_array_shape(y).dim[0] == 5, "mask_output keeps the cropped shape");
  double v[API_MAX], sum = 0;
  int64_t n = api_values(y, v);
  for (int64_t k = 0; k < n; k++)
    sum += v[k];
  ok(n == 30 && v[29] == 0 && v[24] == 0 && v[5] == 0 && sum == 310, "zeros outside the centre (%g)", sum);
  hed_release(y);
  API_NULL(hed_apply_convolution_mode(x, HED_CONVOLVE_VALID, s2, s1, NULL, false), HED_E_SHAPE,
           "extent 2 of a along axis 0 is below 4 of b");
  API_NULL(hed_apply_convolution_mode(x, HED_CONVOLVE_SAME, HED_SHAPE(9, 9), s2, NULL, false), HED_E_SHAPE,
           "x (8, 9) cropped to (10, 11)");
  API_NULL(hed_convolve(short_, long_, HED_CONVOLVE_VALID), HED_E_SHAPE,
           "convolve: mode valid: extent 2 of a along axis 0 is below 4 of b");
  API_NULL(hed_convolve(short_, long_, 3), HED_E_INVAL, "convolve: mode is 3");
  API_NULL(hed_convolve(short_, rows, 0), HED_E_SHAPE, "convolve: a (2,) and b (3, 2) need the same number of axes");
  API_NULL(hed_convolve2d(short_, rows, 0), HED_E_SHAPE, "convolve2d: a has 1 axes, 2 are needed");
  API_NULL(hed_correlate2d(rows, short_, 0), HED_E_SHAPE, "correlate2d: b has 1 axes, 2 are needed");
  API_NULL(hed_fftconvolve(i8, two, 0), HED_E_DTYPE, "fftconvolve: ");
  API_NULL(hed_circular_convolve(short_, long_), HED_E_SHAPE, "last axes of a (2,) and b (4,) must have the same extent");
  API_NULL(hed_convolve(NULL, long_, 0), HED_E_INVAL, "convolve: argument a is NULL");
  API_NULL(hed_circular_correlate(long_, NULL), HED_E_INVAL, "circular_correlate: argument b is NULL");
  hed_array *none = hed_zeros(HED_SHAPE(0), HED_FLOAT32);
  API_NULL(hed_convolve(none, short_, 0), HED_E_SHAPE, "extents 0 of a and 2 of b along axis 0 have no convolution");
  hed_array *all[] = { short_, long_, i8, two, b, h, rows, x, none };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

static void spectra(const char *backend)
{
  diag("phases and peaks on %s", backend);
  HED_SCOPE {
    hed_random seeded = { .seed = 9, .seeded = true };
    hed_array *x = hed_random_uniform(HED_SHAPE(8, 11), HED_FLOAT64, &seeded), *y = hed_scramble_phases(x, 1, &seeded);
    hed_array *a = hed_abs(hed_rfftn(x, NULL)), *b = hed_abs(hed_rfftn(y, NULL));
    double most = 1, apart = 0;
    (void)hed_item(hed_max(hed_abs(hed_subtract(a, b)), NULL), &most);
    (void)hed_item(hed_max(hed_abs(hed_subtract(x, y)), NULL), &apart);
    ok(most < 1e-12 && apart > 0.1, "amplitudes stay (%g), values do not (%g)", most, apart);
    (void)hed_item(hed_max(hed_abs(hed_subtract(hed_mean(x, NULL), hed_mean(y, NULL))), NULL), &most);
    ok(most < 1e-14, "nor does the mean change (%g)", most);
    (void)hed_item(hed_max(hed_abs(hed_subtract(hed_scramble_phases(x, 0, &seeded), x)), NULL), &most);
    ok(most < 1e-14, "proportion 0 changes nothing (%g)", most);
    (void)hed_item(hed_max(hed_abs(hed_subtract(hed_scramble_phases(x, 1, &seeded), y)), NULL), &most);
    ok(most == 0, "a seed repeats");
    ok(hed_array_dtype(hed_scramble_phases(hed_astype(x, HED_FLOAT16), 0.5, NULL)) == HED_FLOAT16, "float16 stays");
    enum { N = 12, M = 9 };
    double v[N * M];
    for (int i = 0; i < N * M; i++) /* band-limited, largest at (3.25, 5.5) */
      v[i] = (1 + cos(2 * M_PI * (i / M - 3.25) / N)) * (1 + cos(2 * M_PI * (i % M - 5.5) / M));
    hed_array *s = hed_from_host(v, HED_SHAPE(N, M), HED_FLOAT64);
    hed_array *p = hed_from_host(API_LIST(3, 5, 4, 6), HED_SHAPE(2, 2), HED_FLOAT64);
    hed_array *fine = hed_oversample_peaks(s, p, 4);
    double got[4] = { 0 };
    is_int(api_values(fine, got), 4, "two peaks");
    ok(got[0] == 3.25 && got[1] == 5.5 && got[2] == 3.25 && got[3] == 5.5, "found between the samples (%g %g, %g %g)", got[0],
       got[1], got[2], got[3]);
    API_NULL(hed_scramble_phases(x, 1.5, NULL), HED_E_INVAL, "scramble_phases: proportion is 1.5");
    API_NULL(hed_scramble_phases(hed_zeros(HED_SHAPE(0), HED_FLOAT32), 1, NULL), HED_E_SHAPE, "(0,) has nothing to transform");
    API_NULL(hed_scramble_phases(hed_zeros(HED_SHAPE(2), HED_COMPLEX64), 1, NULL), HED_E_DTYPE, "x has dtype complex64");
    API_NULL(hed_oversample_peaks(s, hed_zeros(HED_SHAPE(2, 3), HED_FLOAT32), 4), HED_E_SHAPE,
             "peaks of shape (2, 3) are not coordinates");
    API_NULL(hed_oversample_peaks(s, p, 0), HED_E_INVAL, "factor is 0");
    API_NULL(hed_oversample_peaks(hed_zeros(HED_SHAPE(2), HED_COMPLEX64), p, 4), HED_E_DTYPE, "scores has dtype complex64");
  }
}

int main(void)
{
  api_each_backend(known_values);
  api_each_backend(against_the_sum);
  api_each_backend(meanings);
  api_each_backend(spectra);
  done_testing();
  return done();
}
