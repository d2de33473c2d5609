// SPDX-License-Identifier: BSD-3-Clause
/* Point targets of the ultrasound kit: widths of Gaussians and side lobes of sincs, which closed forms know. */
#include "us.h"

enum { ROOM = 128 * 128 };
static const double fwhm_of_sigma = 2.35482004503094938202;
static double complex v[ROOM];

/* A exp(-..) + c at a place between elements, sigma (2, 5) turned by an angle. */
static hed_array *spot(int64_t n, int64_t m, double i0, double j0, double s, double t, double angle, double height, double ground,
                       hed_dtype type)
{
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      const double a = cos(angle) * ((double)i - i0) + sin(angle) * ((double)j - j0);
      const double b = cos(angle) * ((double)j - j0) - sin(angle) * ((double)i - i0);
      v[i * m + j] = height * exp(-(a * a / (s * s) + b * b / (t * t)) / 2) + ground;
    }
  return us_array(HED_SHAPE(n, m), type, v);
}

static void gaussians(const char *backend)
{
  double w[3];
  const double spacing[2] = { 0.5, 0.25 };
  hed_array *x = spot(41, 71, 20.3, 34.6, 2, 5, 0, 3, 0, HED_FLOAT64);
  is_int(hed_us_fwhm(x, NULL, w), HED_OK, "%s: a Gaussian", backend);
  is_near(w[0], 2 * fwhm_of_sigma, 1e-5, 0, "%s: its first width", backend);
  is_near(w[1], 5 * fwhm_of_sigma, 1e-5, 0, "%s: its second width", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .spacing = spacing }, w), HED_OK, "%s: in units", backend);
  is_near(w[0], fwhm_of_sigma, 1e-5, 0, "%s: of the first axis", backend);
  is_near(w[1], 1.25 * fwhm_of_sigma, 1e-5, 0, "%s: of the second", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .axes = HED_AXES(-1, 0), .spacing = spacing }, w), HED_OK, "%s: the other way round",
      backend);
  is_near(w[0], 2.5 * fwhm_of_sigma, 1e-5, 0, "%s: axes in the order that is asked for", backend);
  is_near(w[1], 0.5 * fwhm_of_sigma, 1e-5, 0, "%s: with their units", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .method = HED_US_LINE }, w), HED_OK, "%s: by lines", backend);
  is_near(w[0], 2 * fwhm_of_sigma, 0.03, 0, "%s: the first", backend);
  is_near(w[1], 5 * fwhm_of_sigma, 0.03, 0, "%s: the second", backend);
  hed_release(x);
  x = spot(60, 60, 30, 29, 2, 5, 0, 3, 1, HED_COMPLEX64);
  is_int(hed_us_fwhm(x, NULL, w), HED_OK, "%s: on a ground", backend);
  is_near(w[1], 5 * fwhm_of_sigma, 1e-4, 0, "%s: which is not counted", backend);
  hed_release(x);
  x = spot(80, 80, 40.2, 39.1, 2, 5, 0.5, 3, 0, HED_FLOAT64);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .rotated = true }, w), HED_OK, "%s: turned", backend);
  is_near(w[0], 2 * fwhm_of_sigma, 1e-4, 0, "%s: the width along the first", backend);
  is_near(w[1], 5 * fwhm_of_sigma, 1e-4, 0, "%s: and along the second axis of the ellipse", backend);
  is_near(w[2], 0.5, 0, 1e-4, "%s: and the angle", backend);
  hed_release(x);
}

static void volumes(const char *backend)
{
  double w[3];
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 20; j++)
      for (int k = 0; k < 24; k++)
        v[(i * 20 + j) * 24 + k] = exp(-((i - 7.5) * (i - 7.5) / 2 + (j - 9.) * (j - 9.) / 4.5 + (k - 12.) * (k - 12.) / 8));
  hed_array *x = us_array(HED_SHAPE(1, 16, 20, 24), HED_FLOAT32, v);
  is_int(hed_us_fwhm(x, NULL, w), HED_OK, "%s: three axes and one of extent 1", backend);
  is_near(w[0], fwhm_of_sigma, 1e-3, 0, "%s: the first", backend);
  is_near(w[1], 1.5 * fwhm_of_sigma, 1e-3, 0, "%s: the second", backend);
  is_near(w[2], 2 * fwhm_of_sigma, 1e-3, 0, "%s: the third", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .rotated = true }, w), HED_E_INVAL, "%s: three axes are not turned", backend);
  has_str(hed_error_text(), "3", "and their number is said");
  hed_release(x);
}

static double worst(double a, double b)
{
  return fmax(fabs(a), fabs(b));
}

static void side_lobes(const char *backend)
{
  double level[2];
  /* Steps for which an element lies where the first lobe is highest, at 1.4303; powers are squares. */
  for (int power = 0; power < 2; power++)
    for (int scale = 1; scale <= 100; scale *= 10) {
      for (int i = 0; i < 101; i++)
        for (int j = 0; j < 101; j++) {
          const double a = (i - 50) * 0.065, b = (j - 50) * 0.055;
          const double s = (a == 0 ? 1 : sin(3.14159265358979 * a) / (3.14159265358979 * a)) *
                           (b == 0 ? 1 : sin(3.14159265358979 * b) / (3.14159265358979 * b));
          v[i * 101 + j] = scale * (power ? s * s : s);
        }
      hed_array *x = us_array(HED_SHAPE(101, 101), HED_FLOAT32, v);
      is_int(hed_us_sll(x, &(hed_us_psf){ .power = power }, level), HED_OK, "%s: a sinc of height %d", backend, scale);
      is_near(worst(level[0] + 13.2615, level[1] + 13.2615), 0, 0, 2e-3, "%s: -13.26 dB: %g, %g", backend, level[0], level[1]);
      hed_release(x);
    }
  double row[1] = { 0 };
  hed_array *x = US_LIST(HED_FLOAT32, 0, 1, 4, 10, 4, 1, 3, 2, 5, 0), *y = US_LIST(HED_FLOAT32, 1, 2, 10, 2, 1),
      *z = US_LIST(HED_FLOAT32, 9, 10, 9, 8);
  hed_array *flat = US_LIST(HED_FLOAT32, 0, 10, 1, 2, 2, 1, 0);
  is_int(hed_us_sll(x, NULL, row), HED_OK, "%s: the first lobe", backend);
  is_near(row[0], 20 * log10(0.3), 1e-6, 0, "%s: not a later one", backend);
  is_int(hed_us_sll(flat, NULL, row), HED_OK, "%s: a flat lobe", backend);
  is_near(row[0], 20 * log10(0.2), 1e-6, 0, "%s: counts", backend);
  is_int(hed_us_sll(y, NULL, row), HED_OK, "%s: no lobe", backend);
  ok(isnan(row[0]), "%s: is NaN", backend);
  is_int(hed_us_fwhm(z, NULL, row), HED_OK, "%s: a width that is not reached", backend);
  ok(isnan(row[0]), "%s: is NaN", backend);
  is_int(hed_us_fwhm(y, &(hed_us_psf){ .method = HED_US_LINE }, row), HED_OK, "%s: one that is", backend);
  is_near(row[0], 1.25, 1e-6, 0, "%s: by lines between elements", backend);
  hed_array *const all[] = { x, y, z, flat };
  for (int i = 0; i < 4; i++)
    hed_release(all[i]);
}

static void places(const char *backend)
{
  int64_t at[2] = { -1, -1 };
  double w[2];
  bool in[30 * 30] = { false };
  memset(v, 0, sizeof v);
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 30; j++) {
      v[i * 30 + j] = 5 * exp(-((i - 6.) * (i - 6.) + (j - 7.) * (j - 7.)) / 2) +
                      3 * exp(-((i - 20.) * (i - 20.) + (j - 22.) * (j - 22.)) / 4.5);
      in[i * 30 + j] = i > 20;
    }
  hed_array *x = us_array(HED_SHAPE(30, 30), HED_FLOAT32, v), *roi = hed_from_host(in, HED_SHAPE(30, 30), HED_BOOL);
  is_int(hed_us_peak(x, NULL, at), HED_OK, "%s: the largest", backend);
  ok(at[0] == 6 && at[1] == 7, "%s: is found", backend);
  is_int(hed_us_peak(x, &(hed_us_psf){ .roi = roi }, at), HED_OK, "%s: the largest of a region", backend);
  ok(at[0] == 21 && at[1] == 22, "%s: is found", backend);
  is_int(hed_us_peak(x, &(hed_us_psf){ .roi = roi, .radius = 2 }, at), HED_OK, "%s: and that nearby", backend);
  ok(at[0] == 20 && at[1] == 22, "%s: outside of it", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .roi = roi, .radius = 2 }, w), HED_OK, "%s: its width", backend);
  is_near(w[0], 1.5 * fwhm_of_sigma, 1e-3, 0, "%s: is its own", backend);
  hed_array *none = hed_zeros(HED_SHAPE(30, 30), HED_BOOL), *dark = hed_zeros(HED_SHAPE(4, 4), HED_FLOAT32),
      *one = hed_ones(HED_SHAPE(1, 1), HED_FLOAT32);
  is_int(hed_us_peak(x, &(hed_us_psf){ .roi = none }, at), HED_E_INVAL, "%s: an empty region", backend);
  is_int(hed_us_fwhm(dark, NULL, w), HED_E_INVAL, "%s: no target", backend);
  has_str(hed_error_text(), "value is 0", "which is said");
  is_int(hed_us_fwhm(one, NULL, w), HED_E_SHAPE, "%s: no axis", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .radius = -1 }, w), HED_E_INVAL, "%s: a negative radius", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .spacing = (const double[]){ 1, 0 } }, w), HED_E_INVAL, "%s: no spacing", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .axes = HED_AXES(2) }, w), HED_E_AXIS, "%s: no such axis", backend);
  is_int(hed_us_fwhm(x, &(hed_us_psf){ .method = 2 }, w), HED_E_INVAL, "%s: no such method", backend);
  has_str(hed_error_text(), "method is 2, not from 0 to 1", "says which");
  is_int(hed_us_sll(x, &(hed_us_psf){ .method = 2 }, w), HED_E_INVAL, "%s: nor of side lobes", backend);
  is_int(hed_us_sll(NULL, NULL, w), HED_E_INVAL, "%s: no image", backend);
  hed_error_clear();
  hed_array *const all[] = { x, roi, none, dark, one };
  for (int i = 0; i < 5; i++)
    hed_release(all[i]);
}

int main(void)
{
  us_each(gaussians);
  us_each(volumes);
  us_each(side_lobes);
  us_each(places);
  done_testing();
  return done();
}
