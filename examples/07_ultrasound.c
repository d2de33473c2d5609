// SPDX-License-Identifier: BSD-3-Clause
/* A B-mode picture and how good it is: echoes of a plane wave from speckle, a cyst and a bright point reach 32 channels, are
 * delayed to every place of an image, summed, and measured.
 *
 *   cc 07_ultrasound.c $(pkg-config --cflags --libs heddle-kits) -lm && ./a.out bmode.pgm channels.npy
 *
 * Both files are optional: the picture, and the delayed channels (channel, z, x) in which `heddle ultrasound --axis 0' looks.
 */
#include <heddle/kits/ultrasound.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 32, SAMPLES = 900, SCATTERERS = 3000, ROWS = 140, COLUMNS = 96 };
static const double sound = 1540, carrier = 5e6, sampling = 20e6, pitch = 0.3e-3, step = 0.1e-3;
static const double first_z = 11e-3, first_x = -4.75e-3, cyst_z = 17e-3, point_z = 22e-3, point_x = 3e-3;

static double channel_x(int channel)
{
  return (channel - (CHANNELS - 1) / 2.) * pitch;
}

/* A Gaussian pulse of two periods from (z, x) in every channel: down with the plane wave, back to the element. */
static void echo(float *rf, double z, double x, double amplitude)
{
  const double pi = 3.14159265358979323846, width = 0.6 / carrier;
  for (int m = 0; m < CHANNELS; m++) {
    const double arrival = (z + hypot(z, x - channel_x(m))) / sound;
    const int from = (int)((arrival - 4 * width) * sampling), to = (int)((arrival + 4 * width) * sampling);
    for (int s = from > 0 ? from : 0; s < to && s < SAMPLES; s++) {
      const double t = s / sampling - arrival;
      rf[m * SAMPLES + s] += (float)(amplitude * exp(-t * t / (2 * width * width)) * cos(2 * pi * carrier * t));
    }
  }
}

static double uniform(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static hed_array *simulate(void)
{
  float *rf = calloc(CHANNELS * SAMPLES, sizeof *rf);
  uint64_t state = 7;
  hed_array *out = NULL;
  if (!rf)
    return NULL;
  for (int i = 0; i < SCATTERERS; i++) {
    const double z = 9e-3 + 18e-3 * uniform(&state), x = -7e-3 + 14e-3 * uniform(&state), a = 2 * uniform(&state) - 1;
    if (hypot(z - cyst_z, x) > 2.5e-3)
      echo(rf, z, x, a);
  }
  echo(rf, point_z, point_x, 60);
  out = hed_from_host(rf, HED_SHAPE(CHANNELS, SAMPLES), HED_FLOAT32);
  free(rf);
  return out;
}

/* The analytic signal of every channel at every place, when the echo from there arrives: (channel, z, x). */
static hed_array *delay(const hed_array *rf)
{
  const hed_resample linear = { .spline = HED_SPLINE_LINEAR };
  hed_array *signal = hed_hilbert(rf, NULL), *channel[CHANNELS];
  hed_array *z = hed_reshape(hed_linspace(first_z, first_z + (ROWS - 1) * step, ROWS, HED_FLOAT32), HED_SHAPE(ROWS, 1));
  hed_array *x = hed_linspace(first_x, first_x + (COLUMNS - 1) * step, COLUMNS, HED_FLOAT32);
  for (int m = 0; m < CHANNELS; m++) {
    hed_array *path = hed_add(hed_hypot(z, hed_subtract_scalar(x, channel_x(m))), z);
    hed_array *at = hed_expand_dims(hed_multiply_scalar(path, sampling / sound), 0), *line = hed_index(signal, 0, m);
    channel[m] = hed_add(hed_map_coordinates(hed_real(line), at, &linear),
                         hed_multiply_complex(hed_map_coordinates(hed_imag(line), at, &linear), 0, 1));
  }
  return hed_stack(CHANNELS, (const hed_array *const *)channel, 0);
}

/* Grey levels of -60 to 0 dB; bare bytes behind a line of text, which any viewer opens. */
static int write_picture(const char *path, const hed_array *image)
{
  hed_array *db = hed_us_bmode_db(image, NULL);
  hed_array *grey = hed_astype(hed_round(hed_multiply_scalar(hed_add_scalar(db, 60), 255. / 60)), HED_UINT8);
  unsigned char pixels[ROWS * COLUMNS];
  if (hed_to_host(grey, pixels, sizeof pixels) != HED_OK)
    return -1;
  FILE *f = fopen(path, "wb");
  if (!f)
    return -1;
  fprintf(f, "P5 %d %d 255\n", COLUMNS, ROWS);
  const int bad = fwrite(pixels, sizeof pixels, 1, f) != 1;
  return fclose(f) != 0 || bad ? -1 : 0;
}

static int show(const char *name, const hed_array *value, const char *unit)
{
  double v;
  if (!value || hed_item(value, &v) != HED_OK)
    return -1;
  printf("%-20s %8.3f %s\n", name, v, unit);
  return 0;
}

static int measure(const hed_array *channels, const hed_array *image)
{
  hed_array *z = hed_linspace(first_z, first_z + (ROWS - 1) * step, ROWS, HED_FLOAT64);
  hed_array *x = hed_linspace(first_x, first_x + (COLUMNS - 1) * step, COLUMNS, HED_FLOAT64);
  const hed_us_region regions = { .inside_mask = hed_us_region_circle(z, x, cyst_z, 0, 2e-3),
                                  .outside_mask = hed_us_region_ring(z, x, cyst_z, 0, 3e-3, 4.2e-3) };
  const hed_us_region db = { .inside_mask = regions.inside_mask, .outside_mask = regions.outside_mask, .db = true };
  hed_array *near_point = hed_us_region_circle(z, x, point_z, point_x, 1e-3);
  const double spacing[2] = { step * 1e3, step * 1e3 };
  double width[2] = { 0 };
  if (show("coherence", hed_mean(hed_us_coherence_factor(channels, NULL), NULL), "") != 0 ||
      show("contrast", hed_us_contrast(image, image, &db), "dB") != 0 || show("cnr", hed_us_cnr(image, image, &regions), "") != 0 ||
      show("gcnr", hed_us_gcnr(image, image, &regions), "") != 0 ||
      hed_us_fwhm(image, &(hed_us_psf){ .roi = near_point, .spacing = spacing }, width) != HED_OK)
    return -1;
  printf("%-20s %8.3f mm by %.3f mm\n", "point, z by x", width[0], width[1]);
  return 0;
}

int main(int argc, char **argv)
{
  int bad = -1;
  HED_SCOPE {
    hed_array *channels = delay(simulate()), *image = hed_abs(hed_sum(channels, &(hed_reduce){ .axes = HED_AXES(0) }));
    bad = measure(channels, image);
    if (bad == 0 && argc > 1)
      bad = write_picture(argv[1], image);
    if (bad == 0 && argc > 2)
      bad = hed_save_npy(argv[2], channels);
  }
  if (bad)
    fprintf(stderr, "%s\n", hed_error_text());
  return bad != 0;
}
