// SPDX-License-Identifier: BSD-3-Clause
/* Sharpness, clipping, envelopes, pictures and regions of the ultrasound kit against loops and closed forms. */
#include "arrays.h"
#include "us.h"

enum { ROOM = 4096 };

/* ---- sharpness ---- */

static double at(const double *v, int64_t n, int64_t m, int64_t i, int64_t j, bool reflect)
{
  if (reflect) {
    i = i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
    j = j < 0 ? -1 - j : j >= m ? 2 * m - 1 - j : j;
  }
  return i < 0 || j < 0 || i >= n || j >= m ? 0 : v[i * m + j];
}

/* Element (i, j) of the convolution with a kernel of h x w, transposed or not. */
static double convolved(const double *v, int64_t n, int64_t m, int64_t i, int64_t j, const double *k, int h, int w,
    bool transposed,
                        bool reflect)
{
  double sum = 0;
  for (int a = 0; a < h; a++)
    for (int b = 0; b < w; b++)
      sum += k[a * w + b] * (transposed ? at(v, n, m, i - (b - w / 2), j - (a - h / 2), reflect)
                                        : at(v, n, m, i - (a - h / 2), j - (b - w / 2), reflect));
  return sum;
}

static void sharpness(const char *backend)
{
  static const double sobel[9] = { 1, 0, -1, 2, 0, -2, 1, 0, -1 }, odd[15] = { 1, 2, 0, 4, -5, 3, 0, 1, 1, 2, 0, 0, -3, 1, 7 };
  static const double scaled_rows[9] = { 0, 0, 0, 1, 2, 3, 2, 4, 6 };
  static const struct { const char *name; const double *k; int h, w; bool given; } kernels[] = {
    { "Sobel", sobel, 3, 3, false }, { "another", odd, 3, 5, true }, { "an upright", odd, 5, 3, true }, { "rows of 0",
        scaled_rows, 3, 3, true },
  };
  gen g;
  gen_seed(&g, tap_seed());
  for (int k = 0; k < 4; k++)
    for (int variant = 0; variant < 16; variant++) {
      const bool reflect = variant & 1, both = variant & 2, pairs = variant & 4, roi = variant & 8;
      const int64_t n = 7, m = 9;
      double complex v[2 * 63], kernel[15];
      double re[63], im[63], want[2] = { 0, 0 }, map[63], got[2 * 63], within = 0;
      bool inside[63];
      us_random(&g, pairs ? HED_COMPLEX64 : HED_FLOAT32, 126, v);
      for (int i = 0; i < 63; i++)
        within += inside[i] = !roi || gen_chance(&g, 50) || i == 0;
      for (int image = 0; image < 2; image++) {
        for (int i = 0; i < 63; i++) {
          re[i] = creal(v[image * 63 + i]);
          im[i] = cimag(v[image * 63 + i]);
        }
        for (int i = 0; i < 63; i++) {
          double sum = 0;
          for (int t = 0; t <= both; t++)
            sum += pow(convolved(re, n, m, i / m, i % m, kernels[k].k, kernels[k].h, kernels[k].w, t, reflect), 2) +
                   pow(convolved(im, n, m, i / m, i % m, kernels[k].k, kernels[k].h, kernels[k].w, t, reflect), 2);
          map[i] = inside[i] ? sqrt(sum) : 0;
          want[image] += map[i];
        }
      }
      for (int i = 0; i < kernels[k].h * kernels[k].w; i++)
        kernel[i] = kernels[k].k[i];
      hed_array *x = us_array(HED_SHAPE(2, n, m), pairs ? HED_COMPLEX64 : HED_FLOAT32, v);
      hed_array *weights = us_array(HED_SHAPE(kernels[k].h, kernels[k].w), HED_FLOAT32, kernel);
      hed_array *mask = hed_from_host(inside, HED_SHAPE(n, m), HED_BOOL);
      hed_us_sharpness opt = { .roi = roi ? mask : NULL, .kernel = kernels[k].given ? weights : NULL, .reflect = reflect,
          .both = both };
      us_values(hed_us_tenengrad(x, &opt), got, 2);
      ok(fabs(got[0] - want[0]) < 1e-5 * want[0] && fabs(got[1] - want[1]) < 1e-5 * want[1],
          "%s: %s kernel, variant %d: %g, %g", backend,
         kernels[k].name, variant, got[0], want[0]);
      opt.reduce = HED_US_MEAN;
      us_values(hed_us_tenengrad(x, &opt), got, 2);
      is_near(got[1], want[1] / within, 1e-5, 0, "%s: its mean", backend);
      opt.reduce = HED_US_NONE;
      us_values(hed_us_tenengrad(x, &opt), got, 126);
      bool good = true;
      for (int i = 0; i < 63; i++)
        good = good && fabs(got[63 + i] - map[i]) <= 1e-5 * (1 + map[i]);
      ok(good, "%s: its map", backend);
      RELEASE(mask, weights, x);
    }
  hed_array *flat = hed_ones(HED_SHAPE(5, 6), HED_FLOAT32), *even = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32),
      *line = hed_ones(HED_SHAPE(5), HED_FLOAT32);
  hed_array *whole = hed_ones(HED_SHAPE(5, 6), HED_INT16), *none = hed_zeros(HED_SHAPE(5, 6), HED_BOOL),
      *empty = hed_zeros(HED_SHAPE(0, 6), HED_FLOAT32);
  is_near(us_value(hed_us_tenengrad(flat, NULL)), 36, 0, 0, "%s: a constant image has borders", backend);
  is_near(us_value(hed_us_tenengrad(whole, NULL)), 36, 0, 0, "%s: one of integers too", backend);
  is_near(us_value(hed_us_tenengrad(flat, &(hed_us_sharpness){ .reflect = true })), 0, 0, 0, "%s: its mirror has none", backend);
  us_refused(hed_us_tenengrad(flat, &(hed_us_sharpness){ .kernel = even }), HED_E_INVAL, "2 x 3", "odd");
  us_refused(hed_us_tenengrad(flat, &(hed_us_sharpness){ .kernel = line }), HED_E_SHAPE, "kernel", "1 axes");
  us_refused(hed_us_tenengrad(line, NULL), HED_E_SHAPE, "image", "1 axes");
  us_refused(hed_us_tenengrad(flat, &(hed_us_sharpness){ .roi = none }), HED_E_INVAL, "roi", "no elements");
  us_refused(hed_us_tenengrad(empty, NULL), HED_E_INVAL, "image", "no elements");
  us_refused(hed_us_tenengrad(flat, &(hed_us_sharpness){ .roi = even }), HED_E_DTYPE, "roi", "bool");
  us_refused(hed_us_tenengrad(flat, &(hed_us_sharpness){ .reduce = 7 }), HED_E_INVAL, "reduce", "7");
  hed_array *const all[] = { flat, even, line, whole, none, empty };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    hed_release(all[i]);
}

/* ---- clipping ---- */

/* The elements of X as a line of 0 and 1; releases X. */
static void marks_are(hed_array *x, const char *want, const char *what, const char *backend)
{
  double v[64];
  char got[65] = "";
  ok(hed_array_dtype(x) == HED_BOOL, "%s: %s is bool", backend, what);
  const int64_t n = us_values(x, v, 64);
  for (int64_t i = 0; i < n; i++)
    got[i] = v[i] != 0 ? '1' : '0';
  is_str(got, want, "%s: %s", backend, what);
}

static void clipping(const char *backend)
{
  hed_array *x = US_LIST(HED_FLOAT32, -3, -2, 0, 1, 2, 3), *z = US_LIST(HED_COMPLEX64, 3 * I, -2, 1, 0), *u = US_LIST(HED_UINT8,
      0, 1, 128, 255);
  marks_are(hed_us_is_clipped_threshold(x, &(hed_us_clip){ .high = 2 }), "110011", "the threshold counts", backend);
  marks_are(hed_us_is_clipped_threshold(x, &(hed_us_clip){ .high = 3, .low = -2, .low_given = true }), "110001",
      "two thresholds", backend);
  marks_are(hed_us_is_clipped_threshold(z, &(hed_us_clip){ .high = 2 }), "1100", "moduli", backend);
  marks_are(hed_us_is_clipped_threshold(u, &(hed_us_clip){ .high = 255, .low_given = true }), "1001", "unsigned", backend);
  us_refused(hed_us_is_clipped_threshold(x, &(hed_us_clip){ .high = -2 }), HED_E_INVAL, "high -2", "low 2");
  is_near(us_value(hed_us_clip_ratio(x, &(hed_us_clip){ .high = 2 })), 4. / 6, 1e-6, 0, "%s: four of six", backend);
  RELEASE(u, z, x);

  const double complex series[3 * 10] = { 0, 10, 10, 10, 5, 0, 5, 10, 9.95, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, -100, 0, 0, 1, 0,
      0, 0, 50, 2, 100 };
  x = us_array(HED_SHAPE(3, 10), HED_FLOAT32, series);
  marks_are(hed_us_is_clipped_max_amplitude(x, NULL), "111101011000000000001000000001",
      "ends of each series, none of a constant one",
            backend);
  marks_are(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .min_contiguous = 3 }), "111101011000000000000000000000",
            "of series with a run of 3", backend);
  marks_are(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .min_contiguous = 3, .runs_only = true }),
      "111100000000000000000000000000",
            "only runs of 3", backend);
  marks_are(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .min_contiguous = 2, .low = -1, .low_given = true,
      .runs_only = true }),
            "011100011000000000000000000000", "runs of 2 above", backend);
  marks_are(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .min_contiguous = 11 }), "000000000000000000000000000000",
            "a run longer than the series", backend);
  marks_are(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .axis = HED_AXES(0), .high = 0.2, .low = -1, .low_given = true }),
            "111100001010001110000000000101", "along the first axis", backend);
  is_near(us_value(hed_us_clip_ratio(x, &(hed_us_clip){ .method = HED_US_CLIP_MAX_AMPLITUDE })), 9. / 30, 1e-6, 0,
      "%s: its part", backend);
  us_refused(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .high = -1 }), HED_E_INVAL, "-1", "above");
  us_refused(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .min_contiguous = -3 }), HED_E_INVAL, "runs", "-3");
  us_refused(hed_us_clip_ratio(x, &(hed_us_clip){ .method = 2 }), HED_E_INVAL, "method is 2", "0 to 1, of hed_us");
  us_refused(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .method = 2 }), HED_E_INVAL, "method is 2", "0 to 1, of hed_us");
  us_refused(hed_us_clip_ratio(x, NULL), HED_E_INVAL, "high is 0", "a threshold is needed");
  us_refused(hed_us_is_clipped_threshold(x, &(hed_us_clip){ .method = -1 }), HED_E_INVAL, "method is -1", "0 to 1, of hed_us");
  us_refused(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .high = 2 }), HED_E_INVAL, "2 above", "in [0, 1]");
  us_refused(hed_us_is_clipped_max_amplitude(x, &(hed_us_clip){ .low = 2, .low_given = true }), HED_E_INVAL, "2 below", "in [0, 1]");
  hed_release(x);
  z = US_LIST(HED_COMPLEX64, 0, 1, 4 * I, -4, 2);
  marks_are(hed_us_is_clipped_max_amplitude(z, NULL), "00110", "moduli have one end", backend);
  hed_release(z);
  x = hed_zeros(HED_SHAPE(0), HED_FLOAT32);
  us_refused(hed_us_clip_ratio(x, NULL), HED_E_INVAL, "no elements", "x");
  hed_release(x);
}

/* ---- pictures ---- */

static void envelopes(const char *backend)
{
  double complex v[2 * 64];
  double got[128], most = 0;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 2; j++)
      v[i * 2 + j] = (1 + j) * cos(6.283185307179586 * (5 + 3 * j) * i / 64 + j);
  hed_array *x = us_array(HED_SHAPE(64, 2), HED_FLOAT32, v);
  us_values(hed_us_envelope(x, NULL), got, 128);
  for (int i = 0; i < 128; i++)
    most = fmax(most, fabs(got[i] - (1 + i % 2)));
  is_near(most, 0, 0, 1e-5, "%s: the envelope of a wave is its height", backend);
  hed_release(x);
  x = us_array(HED_SHAPE(2, 64), HED_COMPLEX64, v);
  us_values(hed_us_envelope(x, &HED_AXES(1)), got, 128);
  is_near(got[70], cabs(v[70]), 1e-6, 0, "%s: that of complex numbers their modulus", backend);
  us_refused(hed_us_envelope(x, &HED_AXES(2)), HED_E_AXIS, "axis 2", "2");
  hed_release(x);
}

static void decibels(const char *backend)
{
  double got[6];
  const double complex v[6] = { 1, -0.1, 1e-5, 10, 1, 0 }, zeros[2] = { 0, 0 };
  hed_array *x = us_array(HED_SHAPE(2, 3), HED_FLOAT32, v), *none = us_array(HED_SHAPE(2), HED_FLOAT32, zeros);
  const double whole[6] = { -20, -40, -60, 0, -20, -60 }, each[6] = { 0, -20, -50, 0, -20, -50 }, given[6] = { 0, -20, -60, 0,
      0, -60 };
  const struct { hed_us_bmode opt; const double *want; const char *what; } cases[] = {
    { { .reference = 0 }, whole, "one maximum" }, { { .batch = HED_AXES(0), .dynamic_range = 50 }, each, "one for each frame" },
    { { .reference = 1 }, given, "a given one, above which is 0 dB" },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    us_values(hed_us_bmode_db(x, &cases[k].opt), got, 6);
    for (int i = 0; i < 6; i++)
      is_near(got[i], cases[k].want[i], 0, 1e-5, "%s: %s, element %d", backend, cases[k].what, i);
  }
  us_values(hed_us_bmode_db(none, NULL), got, 2);
  is_near(got[1], -60, 0, 0, "%s: nothing is as dark as can be", backend);
  us_refused(hed_us_bmode_db(x, &(hed_us_bmode){ .dynamic_range = -6 }), HED_E_INVAL, "range -6", "dB");
  RELEASE(none, x);
}

/* Samples a + b rho + c theta of a sector are that at every place of the image, up to what is curved within a cell. */
static void sectors(const char *backend)
{
  enum { SAMPLES = 41, BEAMS = 61 };
  static double complex v[2 * SAMPLES * BEAMS];
  static double got[2 * 200 * 200];
  const hed_us_sector sector = { .rho = { 0.02, 0.06 }, .theta = { -0.6, 0.4 } };
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < BEAMS; j++) {
      v[i * BEAMS + j] = 1 + 20 * (0.02 + 0.001 * i) + 2 * (-0.6 + j / 60.);
      v[(SAMPLES + i) * BEAMS + j] = 2 * v[i * BEAMS + j];
    }
  hed_us_grid g = { 0 };
  hed_array *x = us_array(HED_SHAPE(2, SAMPLES, BEAMS), HED_FLOAT32, v), *image = hed_us_scan_convert(x, &sector, &g);
  is_near(g.dz, (0.001 + 0.03 / 60) / 2, 1e-9, 0, "%s: the resolution of %lld x %lld", backend, (long long)g.nz, (long long)g.nx);
  is_near(g.x0, 0.06 * sin(-0.6), 1e-12, 0, "%s: from its left", backend);
  is_near(g.z0, 0.02 * cos(0.6), 1e-12, 0, "%s: from its top", backend);
  ok(g.x0 + g.dx * (double)(g.nx - 1) >= 0.06 * sin(0.4) && g.z0 + g.dz * (double)(g.nz - 1) >= 0.06, "%s: holds the sector",
      backend);
  int64_t n = us_values(image, got, 2 * 200 * 200), outside = 0;
  is_int(n, 2 * g.nz * g.nx, "%s: two frames", backend);
  double most = 0;
  bool good = n > 0;
  for (int64_t i = 0; i < g.nz && good; i++)
    for (int64_t j = 0; j < g.nx; j++) {
      const double z = g.z0 + (double)i * g.dz, x_at = g.x0 + (double)j * g.dx, rho = hypot(z, x_at), theta = atan2(x_at, z);
      const double one = got[i * g.nx + j], two = got[(g.nz + i) * g.nx + j];
      const bool inside = rho > 0.02 + 1e-7 && rho < 0.06 - 1e-7 && theta > -0.6 + 1e-6 && theta < 0.4 - 1e-6;
      const bool beyond = rho < 0.02 - 1e-7 || rho > 0.06 + 1e-7 || theta < -0.6 - 1e-6 || theta > 0.4 + 1e-6;
      outside += beyond;
      if ((inside && isnan(one)) || (beyond && !isnan(one)))
        good = false;
      if (inside)
        most = fmax(most, fmax(fabs(one - (1 + 20 * rho + 2 * theta)), fabs(two - 2 * one)));
    }
  ok(good && outside > 100, "%s: NaN outside, %lld places", backend, (long long)outside);
  is_near(most, 0, 0, 2e-5, "%s: samples inside", backend);
  const hed_us_sector filled = { .rho = { 0.02, 0.06 }, .theta = { -0.6, 0.4 }, .fill_given = true, .fill = -7,
      .resolution = 0.002 };
  n = us_values(hed_us_scan_convert(x, &filled, &g), got, 2 * 200 * 200);
  is_near(got[0], -7, 0, 0, "%s: a given number outside", backend);
  is_near(g.dx, 0.002, 1e-12, 0, "%s: a given resolution", backend);
  us_refused(hed_us_scan_convert(x, &(hed_us_sector){ .rho = { 1, 0.5 } }, NULL), HED_E_INVAL, "1", "0.5");
  us_refused(hed_us_scan_convert(x, &(hed_us_sector){ .rho = { 0, 1 }, .theta = { 0, 3 } }, NULL), HED_E_INVAL, "theta", "3");
  us_refused(hed_us_scan_convert(x, &(hed_us_sector){ .rho = { 0, 1 }, .theta = { 0, 1 }, .resolution = 1e-9 }, NULL),
      HED_E_INVAL, "1e-09",
             "2^28");
  us_refused(hed_us_scan_convert(x, NULL, NULL), HED_E_INVAL, "opt", "NULL");
  hed_release(x);
}

static void regions(const char *backend)
{
  double got[20];
  hed_array *z = US_LIST(HED_FLOAT32, 1, 2, 3, 4), *x = US_LIST(HED_FLOAT32, -2, -1, 0, 1, 2);
  marks_are(hed_us_region_circle(z, x, 2, 0, 1), "00100011100010000000", "a circle and its edge", backend);
  marks_are(hed_us_region_ring(z, x, 2, 0, 1, 1.5), "01110010100111000000", "a ring", backend);
  marks_are(hed_us_region_rectangle(z, x, 2, 3, -1, 9), "00000011110111100000", "a rectangle", backend);
  us_values(hed_us_region_circle(z, x, 9, 9, 1), got, 20);
  is_near(got[0], 0, 0, 0, "%s: nothing is a region too", backend);
  us_refused(hed_us_region_circle(z, x, 1, 1, -1), HED_E_INVAL, "radius", "-1");
  us_refused(hed_us_region_rectangle(z, x, 2, 1, 0, 1), HED_E_INVAL, "z from 2", "to 1");
  hed_array *plane = hed_zeros(HED_SHAPE(2, 2), HED_FLOAT32);
  us_refused(hed_us_region_circle(plane, x, 1, 1, 1), HED_E_SHAPE, "z is", "2 axes");
  RELEASE(plane, x, z);
}

int main(void)
{
  us_each(sharpness);
  us_each(clipping);
  us_each(envelopes);
  us_each(decibels);
  us_each(sectors);
  us_each(regions);
  done_testing();
  return done();
}
