// SPDX-License-Identifier: BSD-3-Clause
/* Families of kernels that no case of conform.c reaches, on cuda without a fallback: windows, splines, samples, transforms, random
 * numbers, template matching. Each has the reference backend's values; random numbers its bits. Transforms are cuFFT's where that
 * is; cuda/families.t also hides it. */
#include "gen.h"
#include "tap.h"
#include <heddle.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { MOST = 2, BYTES = 1 << 16 };

static float data[32 * 32];

static hed_array *image(void) { return hed_from_host(data, HED_SHAPE(24, 20), HED_FLOAT32); }

static hed_array *columns(void)
{
  const hed_slice_range part[] = { HED_RANGE(2, 22, 3), HED_RANGE(19, 3, -2) };
  return hed_slice(image(), 2, part);
}

/* Windows along an axis and over boxes. */
static void correlate1d(hed_array **r)
{
  r[0] = hed_gaussian_filter(image(), 1, &(double){ 1.5 }, NULL);
  r[1] = hed_sobel(columns(), 0, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP });
}

static void boxes(hed_array **r)
{
  r[0] = hed_maximum_filter(columns(), 3, -INFINITY);
  r[1] = hed_median_filter(image(), 3, NULL);
}

static void splines(hed_array **r)
{
  r[0] = hed_spline_filter(image(), NULL, 0);
  r[1] = hed_spline_filter(columns(), NULL, HED_BOUNDARY_REFLECT);
}

static void samples(hed_array **r)
{
  const double turn[] = { 0.8, -0.6, 4.25, 0.6, 0.8, -3.5 };
  r[0] = hed_affine_transform(image(), turn, &HED_SHAPE(17, 23), NULL);
  r[1] = hed_zoom(columns(), HED_SHAPE(9, 31), &(hed_resample){ .spline = HED_SPLINE_LINEAR });
}

/* Small primes, a prime, and real extents; along the first axis, too. */
static void transforms(hed_array **r)
{
  hed_array *x = hed_fft1(image(), &(hed_fft){ .axes = HED_AXES(0) });
  r[0] = hed_add(hed_real(x), hed_imag(x));
  r[1] = hed_irfftn(hed_rfftn(hed_from_host(data, HED_SHAPE(8, 17, 7), HED_FLOAT32), NULL), NULL);
}

/* More than a part of digits: with NaN and -0 among equals, whose order shows by their signs; and their places. */
static hed_array *many(void)
{
  hed_array *x = hed_random_integers(HED_SHAPE(2, 9001), -20, 20, HED_INT32, &(hed_random){ .seed = 3, .seeded = true });
  hed_array *y = hed_divide_scalar(hed_astype(x, HED_FLOAT32), 8);
  hed_array *odd = hed_equal_scalar(hed_remainder_scalar(hed_cumsum(hed_abs(x), &(hed_scan){ .axis = HED_AXES(1) }), 3), 0);
  return hed_where(odd, y, hed_negative(y));
}

static void sorts(hed_array **r)
{
  const hed_slice_range part[] = { HED_RANGE(0, 2, 1), HED_RANGE(0, 9001, 3) };
  hed_array *x = hed_sort(many(), NULL);
  r[0] = hed_slice(hed_copysign(hed_add_scalar(hed_abs(x), 1), x), 2, part);
  r[1] = hed_slice(hed_argsort(many(), NULL), 2, part);
}

static void positions(hed_array **r)
{
  hed_array *x = many(), *some = hed_less_scalar(hed_abs(x), 0.4); /* one of six */
  r[0] = hed_nonzero(some);
  r[1] = hed_compress(x, some);
}

/* Long enough for windows of parts, and integers. */
static void scans(hed_array **r)
{
  hed_array *x = hed_random_integers(HED_SHAPE(1200000), -9, 10, HED_INT32, &(hed_random){ .seed = 4, .seeded = true });
  const hed_slice_range part = HED_RANGE(0, 1200000, 1001);
  r[0] = hed_slice(hed_cumsum(x, NULL), 1, &part);
  r[1] = hed_slice(hed_cumsum(hed_astype(x, HED_FLOAT32), NULL), 1, &part);
}

static void random_bits(hed_array **r)
{
  r[0] = hed_random_uniform(HED_SHAPE(7, 33), HED_FLOAT32, &(hed_random){ .seed = 5, .seeded = true });
  r[1] = hed_random_integers(HED_SHAPE(129), -5, 1000, HED_INT32, &(hed_random){ .seed = 6, .seeded = true });
}

static void random_rows(hed_array **r)
{
  r[0] = hed_random_categorical(image(), 40, HED_INT64, &(hed_random){ .seed = 7, .seeded = true });
  r[1] = hed_random_normal(HED_SHAPE(5, 13), HED_FLOAT32, &(hed_random){ .seed = 8, .seeded = true });
}

/* Two steps of a search. */
static void match(hed_array **r)
{
  const hed_slice_range part[] = { HED_RANGE(3, 10, 1), HED_RANGE(5, 11, 1) };
  hed_array *x = hed_slice(image(), 2, part), *spectrum = hed_rfftn(image(), NULL);
  r[0] = hed_full(HED_SHAPE(24, 20), -1e30, HED_FLOAT32);
  r[1] = hed_full_int(HED_SHAPE(24, 20), -1, HED_INT32);
  for (int k = 0; k < 2; k++)
    if (hed_max_correlation(k ? hed_copy(hed_flip(x, NULL)) : x, spectrum, NULL, r[0], r[1], k) != HED_OK)
      r[0] = NULL;
}

static const struct { const char *name; void (*run)(hed_array **); double eps; } jobs[] = {
  { "window: Gaussian, Sobel", correlate1d, 1e-5 }, { "window, median: boxes", boxes, 0 }, { "spline", splines, 1e-5 },
  { "sample", samples, 1e-4 }, { "fft", transforms, 1e-5 }, { "sorts", sorts, 0 },
  { "scans", scans, 0 }, { "positions", positions, 0 }, { "random", random_bits, 0 },
  { "random_rows", random_rows, 1e-6 },
  { "match", match, 1e-3 },
};

static char values[2][MOST][BYTES];

static size_t run_on(const char *spec, int job, char (*out)[BYTES])
{
  size_t n = 0;
  memset(out, 0, MOST * sizeof *out);
  HED_BACKEND_CONTEXT(spec)
  HED_SCOPE
  {
    hed_array *r[MOST] = { NULL };
    jobs[job].run(r);
    for (int k = 0; k < MOST; k++) {
      hed_array *x = r[k] ? hed_astype(r[k], HED_FLOAT64) : NULL;
      const size_t bytes = x ? hed_array_nbytes(x) : 0;
      if (!x || bytes > BYTES || hed_to_host(x, out[k], bytes) != HED_OK) {
        diag("%s on %s, result %d: %s", jobs[job].name, spec, k, hed_error_text());
        n = 0;
        break;
      }
      n += bytes / sizeof(double);
    }
  }
  return n;
}

/* Threads have streams of their own, and start the same plans together. */
static void *transform_again(void *wrong)
{
  enum { ROUNDS = 8 };
  HED_BACKEND_CONTEXT("cuda:0;fallback=error")
  for (int k = 0; k < ROUNDS; k++)
    HED_SCOPE
    {
      hed_array *x = hed_from_host(data, HED_SHAPE(8, 17, 6), HED_FLOAT32), *y = hed_irfftn(hed_rfftn(x, NULL), NULL);
      hed_array *z = hed_from_host(data, HED_SHAPE(24, 20), HED_FLOAT32), *back = hed_ifft1(hed_fft1(z, NULL), NULL);
      double off[2] = { 1, 1 };
      if (hed_item(hed_max(hed_abs(hed_subtract(x, y)), NULL), &off[0]) != HED_OK ||
          hed_item(hed_max(hed_abs(hed_subtract(z, back)), NULL), &off[1]) != HED_OK)
        diag("%s", hed_error_text());
      *(int *)wrong += !(off[0] < 1e-5) + !(off[1] < 1e-5);
    }
  return NULL;
}

static void together(void)
{
  enum { THREADS = 6 };
  pthread_t thread[THREADS];
  int wrong[THREADS] = { 0 }, all = 0;
  for (int k = 0; k < THREADS; k++)
    if (pthread_create(&thread[k], NULL, transform_again, &wrong[k]) != 0)
      bail("no thread");
  for (int k = 0; k < THREADS; k++) {
    pthread_join(thread[k], NULL);
    all += wrong[k];
  }
  is_int(all, 0, "%d threads transform at once", THREADS);
}

int main(void)
{
  gen g;
  if (hed_backend_require("cuda:0") != HED_OK)
    skip_all("%s", hed_error_text());
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < sizeof data / sizeof *data; k++)
    data[k] = (float)gen_double(&g, -1, 1);
  for (int j = 0; j < (int)(sizeof jobs / sizeof *jobs); j++) {
    const size_t n = run_on("reference", j, values[0]), m = run_on("cuda:0;fallback=error", j, values[1]);
    const double *x = (const double *)(const void *)values[0], *y = (const double *)(const void *)values[1];
    double worst = 0;
    for (size_t k = 0; k < sizeof values[0] / sizeof *x; k++)
      worst = x[k] == y[k] ? worst : fmax(worst, fabs(x[k] - y[k]) / fmax(1, fabs(x[k])));
    ok(n > 0 && n == m && worst <= jobs[j].eps, "%s: %zu values, %.2g apart", jobs[j].name, n, worst);
  }
  together();
  return done();
}
