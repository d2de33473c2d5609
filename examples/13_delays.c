// SPDX-License-Identifier: BSD-3-Clause
/* Sound that went through tissue of other speeds reaches each channel a little early or late. The delays that undo it are those
 * that make the channels coherent: the gradient of a metric of the kit says how to change all of them at once.
 *
 *   cc 13_delays.c $(pkg-config --cflags --libs heddle-kits) -lm && ./a.out [SPEC]
 */
#include <heddle/kits/ultrasound.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 24, SAMPLES = 96, STEPS = 150 };
static const double carrier = 5e6, sampling = 40e6;

/* How late channel M is, in samples: a smooth screen, of mean 0. */
static double late(int m)
{
  const double pi = 3.14159265358979323846, u = (double)m / CHANNELS;
  return 1.6 * sin(2 * pi * u) + 1.1 * cos(6 * pi * u) - 0.7 * sin(10 * pi * u);
}

/* Echoes of a few reflectors as an array focused on them receives them, but for the screen: real and imaginary part of the signal. */
static hed_array *receive(bool imaginary)
{
  const double pi = 3.14159265358979323846, width = 1.2 / carrier * sampling;
  static const double where[] = { 26, 41, 53, 70 }, size[] = { 0.6, 1, -0.8, 0.5 };
  double signal[CHANNELS * SAMPLES] = { 0 };
  for (int m = 0; m < CHANNELS; m++)
    for (int s = 0; s < SAMPLES; s++)
      for (int i = 0; i < 4; i++) {
        const double t = s - where[i] - late(m), phase = 2 * pi * carrier / sampling * t;
        signal[m * SAMPLES + s] += size[i] * exp(-t * t / (2 * width * width)) * (imaginary ? sin(phase) : cos(phase));
      }
  return hed_from_doubles(signal, HED_SHAPE(CHANNELS, SAMPLES), HED_FLOAT64);
}

/* Coherence of the channels, ARG, each read DELAY = X[0] samples later: its mean, weighted by the power. */
static hed_status coherence(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_array *const *part = arg;
  (void)n, (void)m;
  HED_SCOPE_OR(return hed_error()) {
    const hed_shape shape = HED_SHAPE(CHANNELS, SAMPLES);
    hed_array *at = hed_indices(shape, HED_FLOAT64), *channel = hed_index(at, 0, 0);
    hed_array *sample = hed_add(hed_index(at, 0, 1), hed_reshape(x[0], HED_SHAPE(CHANNELS, 1)));
    hed_array *place = hed_stack(2, (const hed_array *const[]){ channel, sample }, 0);
    hed_array *focused = hed_add(hed_map_coordinates(part[0], place, NULL),
                                 hed_multiply_complex(hed_map_coordinates(part[1], place, NULL), 0, 1));
    const hed_array *power = hed_sum(hed_square(hed_abs(focused)), &(hed_reduce){ .axes = HED_AXES(0) });
    const hed_array *factor = hed_us_coherence_factor(focused, NULL);
    y[0] = hed_keep(hed_divide(hed_sum(hed_multiply(factor, power), NULL), hed_sum(power, NULL)));
  }
  return y[0] ? HED_OK : hed_error();
}

/* From DELAY, samples, up the slope of the metric; its value before each step goes to *METRIC. */
static hed_status focus(hed_array *const *part, double *delay, double *metric)
{
  const double rate = 20;
  double g[CHANNELS];
  hed_status status = HED_OK;
  for (int step = 0; step < STEPS && status == HED_OK; step++)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *x = hed_from_doubles(delay, HED_SHAPE(CHANNELS), HED_FLOAT64), *y = NULL, *gradient = NULL;
      status = hed_value_and_grad(coherence, (void *)part, 1, (const hed_array *const[]){ x }, &y, &gradient);
      if (status == HED_OK)
        status = hed_item(y, metric);
      if (status == HED_OK)
        status = hed_tolist(gradient, g, CHANNELS);
      hed_release(y);
      hed_release(gradient);
      for (int m = 0; m < CHANNELS && status == HED_OK; m++)
        delay[m] += rate * g[m];
    }
  return status;
}

int main(int argc, char **argv)
{
  double delay[CHANNELS] = { 0 }, before = 0, after = 0, mean = 0, worst = 0;
  hed_status status = HED_OK;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    hed_array *part[2] = { receive(false), receive(true) }, *y = NULL;
    const hed_array *none = hed_zeros(HED_SHAPE(CHANNELS), HED_FLOAT64);
    if ((status = coherence(part, 1, &none, 1, &y)) != HED_OK || (status = hed_item(y, &before)) != HED_OK ||
        (status = focus(part, delay, &after)) != HED_OK)
      goto failed;
    hed_release(y);
  }
  for (int m = 0; m < CHANNELS; m++) /* a delay of all is none */
    mean += (delay[m] - late(m)) / CHANNELS;
  for (int m = 0; m < CHANNELS; m++)
    worst = fmax(worst, fabs(delay[m] - late(m) - mean));
  printf("coherence %.3f, with delays %.3f\n", before, after);
  printf("delays are right within %.1f ns of a period of %.0f ns\n", worst / sampling * 1e9, 1e9 / carrier);
  return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
