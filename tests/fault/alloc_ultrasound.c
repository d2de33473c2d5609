// SPDX-License-Identifier: BSD-3-Clause
/* The ultrasound kit with every allocation of the library failing in turn: see fault.h. */
#include "fault.h"
#include <heddle/kits/ultrasound.h>
#include <stdlib.h>
#include <unistd.h>

static hed_array *x, *image, *mask, *axis, *cube, *axis6;
static char npy[64];

/* What a thread keeps between calls is freed by some failures and made again by the next call that works, so that one follows. */
#define CALL(name, expression)              \
  static result once_##name(void)           \
  {                                         \
    return expression;                      \
  }                                         \
  static result do_##name(void)             \
  {                                         \
    const result r = once_##name();         \
    if (r == FAILED) {                      \
      hed_test_fail_alloc_at(0);            \
      (void)once_##name();                  \
    }                                       \
    return r;                               \
  }

static hed_us_ranges ranges;
static double width[2];
static int64_t place[2];

static result read_back(void)
{
  hed_us_data d;
  const hed_status s = hed_us_read(npy, NULL, &d);
  hed_us_data_clear(&d);
  return status(s);
}

CALL(coherence, given(hed_us_coherence_factor(x, NULL)))
CALL(generalized, given(hed_us_generalized_coherence_factor(x, NULL)))
CALL(sign, given(hed_us_sign_coherence_factor(x, NULL)))
CALL(phase, given(hed_us_phase_coherence_factor(x, NULL)))
CALL(camacho, given(hed_us_phase_coherence_factor(x, &(hed_us_coherence){ .camacho = true })))
CALL(cnr, given(hed_us_cnr(image, image, &(hed_us_region){ .inside_mask = mask })))
CALL(median, given(hed_us_cnr(image, image, &(hed_us_region){ .inside_median = true })))
CALL(gcnr, given(hed_us_gcnr(image, image, &(hed_us_region){ .batch = HED_AXES(0) })))
CALL(contrast, given(hed_us_contrast(image, image, &(hed_us_region){ .outside_mask = mask })))
CALL(rf_snr, given(hed_us_rf_snr(image, image, NULL)))
CALL(tsnr, given(hed_us_tsnr(x, NULL)))
CALL(tenengrad, given(hed_us_tenengrad(image, &(hed_us_sharpness){ .both = true, .roi = mask })))
CALL(threshold, given(hed_us_is_clipped_threshold(image, &(hed_us_clip){ .high = 1 })))
CALL(clip_ratio, given(hed_us_clip_ratio(image, &(hed_us_clip){ .method = HED_US_CLIP_MAX_AMPLITUDE, .min_contiguous = 2,
    .runs_only = true })))
CALL(envelope, given(hed_us_envelope(image, NULL)))
CALL(bmode, given(hed_us_bmode_db(image, NULL)))
CALL(scan, given(hed_us_scan_convert(image, &(hed_us_sector){ .rho = { 1, 2 }, .theta = { -0.5, 0.5 }, .resolution = 0.5 },
    NULL)))
CALL(beams, given(hed_us_beamform(cube, axis6, axis, axis6, 1, &(hed_us_beamform_options){ .sum = HED_US_DMAS })))
CALL(ring, given(hed_us_region_ring(axis, axis, 1, 1, 1, 2)))
CALL(rectangle, given(hed_us_region_rectangle(axis, axis, 0, 1, 0, 1)))
CALL(circle, given(hed_us_region_circle(axis, axis, 1, 1, 1)))
CALL(amplitude, given(hed_us_is_clipped_max_amplitude(x, NULL)))
CALL(peak, status(hed_us_peak(image, NULL, place)))
CALL(find, status(hed_us_find_signal_and_noise(axis, &(hed_us_find){ .before = 1, .offset = -1 }, &ranges)))
CALL(fwhm, status(hed_us_fwhm(image, &(hed_us_psf){ .roi = mask, .radius = 1 }, width)))
CALL(sll, status(hed_us_sll(image, NULL, width)))
CALL(read, read_back())

int main(void)
{
  static const entry entries[] = {
    { "coherence", do_coherence }, { "generalized", do_generalized }, { "sign", do_sign }, { "phase", do_phase }, { "camacho",
        do_camacho },
    { "cnr", do_cnr }, { "medians", do_median }, { "gcnr", do_gcnr }, { "contrast", do_contrast }, { "rf_snr", do_rf_snr },
    { "tsnr", do_tsnr }, { "tenengrad", do_tenengrad }, { "threshold", do_threshold }, { "clip_ratio", do_clip_ratio },
        { "find", do_find }, { "beams", do_beams },
    { "fwhm", do_fwhm }, { "sll", do_sll }, { "envelope", do_envelope }, { "bmode", do_bmode }, { "scan", do_scan }, { "ring",
        do_ring },
    { "circle", do_circle }, { "amplitude", do_amplitude }, { "peak", do_peak }, { "rectangle", do_rectangle }, { "read",
        do_read },
  };
  static const char *const backends[] = { "reference", "cpu" };
  static bool inside[30];
  double v[30];
  for (int i = 0; i < 30; i++) {
    inside[i] = i % 2;
    v[i] = i == 14 ? 9 : i * 7 % 5;
  }
  snprintf(npy, sizeof npy, "/tmp/heddle-us-%ld.npy", (long)getpid());
  for (int k = 0; k < 2; k++) {
    if (!fault_on(backends[k]))
      continue;
    x = hed_from_doubles(v, HED_SHAPE(5, 6), HED_COMPLEX64);
    image = hed_from_doubles(v, HED_SHAPE(5, 6), HED_FLOAT32);
    mask = hed_from_host(inside, HED_SHAPE(5, 6), HED_BOOL);
    axis = hed_from_doubles(v, HED_SHAPE(30), HED_FLOAT64);
    cube = hed_from_doubles(v, HED_SHAPE(1, 6, 5), HED_FLOAT32);
    axis6 = hed_from_doubles(v, HED_SHAPE(6), HED_FLOAT64);
    if (!x || !image || !mask || !axis || !cube || !axis6 || hed_save_npy(npy, image) != HED_OK)
      bail("%s", hed_error_text());
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
      storm(&entries[i]);
    hed_array *const all[] = { x, image, mask, axis, cube, axis6 };
    for (size_t i = 0; i < 6; i++)
      hed_release(all[i]);
  }
  unlink(npy);
  done_testing();
  return done();
}
