// SPDX-License-Identifier: BSD-3-Clause
/* Point targets of the ultrasound kit: widths of Gaussians and side lobes of sincs, which closed forms know. */
#include "arrays.h"
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
  has_str(hed_error_text(), "method is 2; 0 to 1, of hed_us_width, are expected", "says which");
  is_int(hed_us_sll(x, &(hed_us_psf){ .method = 2 }, w), HED_E_INVAL, "%s: nor of side lobes", backend);
  is_int(hed_us_sll(NULL, NULL, w), HED_E_INVAL, "%s: no image", backend);
  hed_error_clear();
  hed_array *const all[] = { x, roi, none, dark, one };
  for (int i = 0; i < 5; i++)
    hed_release(all[i]);
}

/* Decibels are measured as what they stand for, and refused where that is not said. */
static void decibels(const char *backend)
{
  double w[2], same[2], level[2];
  hed_array *x = spot(41, 71, 20, 34, 2, 5, 0, 3, 0.001, HED_FLOAT64);
  hed_array *db = hed_us_bmode_db(x, &(hed_us_bmode){ .dynamic_range = 300 });
  is_int(hed_us_fwhm(x, NULL, w), HED_OK, "%s: a spot", backend);
  is_int(hed_us_fwhm(db, &(hed_us_psf){ .db = true }, same), HED_OK, "%s: in decibels", backend);
  is_near(same[0], w[0], 1e-5, 0, "%s: as wide", backend);
  is_near(same[1], w[1], 1e-5, 0, "%s: in both directions", backend);
  is_int(hed_us_fwhm(db, NULL, w), HED_E_INVAL, "%s: refused where nobody says so", backend);
  has_str(hed_error_text(), "measured with db", "the sentence says how");
  is_int(hed_us_sll(db, NULL, level), HED_E_INVAL, "%s: side lobes, too", backend);
  RELEASE(x, db);
}

/* One point, seen by eight channels in two waves: the image against sums over channels in plain C, with the pulse where it is. */
static void beams(const char *backend)
{
  enum { CHANNELS = 8, SAMPLES = 400, NZ = 31, NX = 21 };
  static const double angle[2] = { 0, 0.2 };
  const double c = 1500, fs = 20e6, z0 = 10e-3, x0 = 0.5e-3;
  static double data[2][CHANNELS][SAMPLES];
  double element[CHANNELS], z[NZ], x[NX], got[NZ * NX], worst = 0, most = 0;
  for (int k = 0; k < CHANNELS; k++)
    element[k] = 0.6e-3 * (k - 3.5);
  for (int i = 0; i < NZ; i++)
    z[i] = 9.25e-3 + 0.05e-3 * i;
  for (int i = 0; i < NX; i++)
    x[i] = -0.5e-3 + 0.1e-3 * i;
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < CHANNELS; k++)
      for (int i = 0; i < SAMPLES; i++) {
        const double t = i / fs - (z0 * cos(angle[w]) + x0 * sin(angle[w]) + hypot(z0, x0 - element[k])) / c;
        data[w][k][i] = exp(-t * t * 2.5e13) * cos(6.283185307179586 * 4e6 * t);
      }
  const hed_dtype t = hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
  hed_array *d = hed_from_doubles(&data[0][0][0], HED_SHAPE(2, CHANNELS, SAMPLES), t);
  hed_array *e = hed_from_doubles(element, HED_SHAPE(CHANNELS), t);
  hed_array *az = hed_from_doubles(z, HED_SHAPE(NZ), t), *ax = hed_from_doubles(x, HED_SHAPE(NX), t);
  hed_array *angles = hed_from_doubles(angle, HED_SHAPE(2), t);
  for (int sum = HED_US_DAS; sum <= HED_US_DMAS; sum++) {
    const hed_us_beamform_options o = { .sum = sum, .angles = angles, .sound_speed = c };
    hed_array *image = hed_us_beamform(d, e, az, ax, fs, &o);
    if (!ok(image && hed_tolist(image, got, NZ * NX) == HED_OK, "%s: an image, sum %d", backend, sum))
      diag("%s", hed_error_text());
    int at = 0;
    worst = most = 0;
    for (int p = 0; p < NZ * NX && image; p++) {
      double all = 0;
      for (int w = 0; w < 2; w++) {
        double value[CHANNELS], wave = 0;
        for (int k = 0; k < CHANNELS; k++) {
          const double zz = z[p / NX], xx = x[p % NX];
          const double s = fs * (zz * cos(angle[w]) + xx * sin(angle[w]) + hypot(zz, xx - element[k])) / c;
          const int below = (int)floor(s);
          value[k] = s >= 0 && s <= SAMPLES - 1 ? data[w][k][below] + (s - below) * (data[w][k][below + 1] - data[w][k][below]) : 0;
        }
        for (int k = 0; k < CHANNELS; k++)
          for (int j = k + 1; j < CHANNELS && sum == HED_US_DMAS; j++)
            wave += copysign(sqrt(fabs(value[k] * value[j])), value[k] * value[j]);
        for (int k = 0; k < CHANNELS && sum == HED_US_DAS; k++)
          wave += value[k];
        all += wave;
      }
      worst = fmax(worst, fabs(all - got[p]));
      most = fmax(most, fabs(all));
      at = fabs(got[p]) > fabs(got[at]) ? p : at;
    }
    ok(image && worst <= (t == HED_FLOAT64 ? 1e-9 : 2e-3) * most, "%s: sum %d as pairs and channels say: %g of %g", backend, sum,
       worst, most);
    ok(image && fabs(z[at / NX] - z0) < 0.06e-3 && fabs(x[at % NX] - x0) < 0.11e-3, "%s: the point is where it is", backend);
    hed_release(image);
  }
  const hed_us_beamform_options lines = { .transmit = HED_US_LINE_BY_LINE }, bad = { .angles = ax }, speed = { .sound_speed = -1 };
  us_refused(hed_us_beamform(d, e, az, ax, fs, &lines), HED_E_SHAPE, "2 waves", "21 places");
  us_refused(hed_us_beamform(d, e, az, ax, fs, &bad), HED_E_SHAPE, "angles are (21)", "(2)");
  us_refused(hed_us_beamform(d, ax, az, ax, fs, NULL), HED_E_SHAPE, "elements are (21)", "(8)");
  us_refused(hed_us_beamform(d, e, az, ax, -1, NULL), HED_E_INVAL, "sampling_frequency -1", "sound_speed 0");
  us_refused(hed_us_beamform(d, e, az, ax, fs, &speed), HED_E_INVAL, "sound_speed -1", "us_beamform");
  us_refused(hed_us_beamform(e, e, az, ax, fs, NULL), HED_E_SHAPE, "1 axes", "(waves, channels, samples)");
  hed_array *all[] = { d, e, az, ax, angles };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

int main(void)
{
  us_each(gaussians);
  us_each(volumes);
  us_each(side_lobes);
  us_each(places);
  us_each(decibels);
  us_each(beams);
  done_testing();
  return done();
}
