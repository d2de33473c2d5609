// SPDX-License-Identifier: BSD-3-Clause
/* Simulation: reproducible, particles where the table says, the noise that was asked for; and the whole way: what is
 * simulated is found again, in volumes and images, where and how it was put.
 */
#include "arrays.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static hed_map molecule(double voxel)
{
  hed_model m;
  hed_map map;
  if (hed_model_example(&m) != HED_OK || hed_model_to_map(&m, voxel, 4 * voxel, NULL, &map) != HED_OK)
    bail("molecule: %s", hed_error_text());
  hed_model_clear(&m);
  return map;
}

static double deviation(const float *v, size_t n)
{
  double first = 0, second = 0;
  for (size_t i = 0; i < n; i++) {
    first += (double)v[i] / (double)n;
    second += (double)v[i] * (double)v[i] / (double)n;
  }
  return sqrt(second - first * first);
}

static void reproducible(const hed_map *map)
{
  hed_simulate_options o = { .shape = HED_SHAPE(56, 60, 64), .copies = 3, .snr = 0.5, .seed = 7 };
  hed_array *a, *b, *c, *clean;
  hed_table ta, tb, tc, td;
  ok(hed_simulate(&o, map->data, &a, &ta) == HED_OK, "simulated");
  ok(hed_simulate(&o, map->data, &b, &tb) == HED_OK, "again");
  o.seed = 8;
  ok(hed_simulate(&o, map->data, &c, &tc) == HED_OK, "with another seed");
  o.seed = 7;
  o.snr = 0;
  ok(hed_simulate(&o, map->data, &clean, &td) == HED_OK, "without noise");
  const size_t n = 56 * 60 * 64;
  const float *x = hed_array_data(a), *y = hed_array_data(clean);
  is_mem(x, hed_array_data(b), n * sizeof *x, "same seed, same bits");
  is_mem(ta.row, tb.row, 3 * sizeof *ta.row, "same seed, same truth");
  ok(memcmp(x, hed_array_data(c), n * sizeof *x) != 0, "another seed, other bits");
  is_mem(ta.row, td.row, 3 * sizeof *ta.row, "noise moves nothing");

  float *noise = malloc(n * sizeof *noise);
  for (size_t i = 0; i < n; i++)
    noise[i] = x[i] - y[i];
  const hed_shape s = hed_array_shape(map->data);
  hed_array *sphere = hed_match_sphere(s, 0);
  const float *g = hed_array_data(map->data), *m = hed_array_data(sphere);
  size_t inside = 0, k = (size_t)hed_array_size(map->data);
  float *signal = malloc(k * sizeof *signal);
  for (size_t i = 0; i < k; i++)
    if (m[i] > 0)
      signal[inside++] = g[i];
  double ratio = pow(deviation(signal, inside) / deviation(noise, n), 2);
  is_near(ratio, 0.5, 0.02, 0, "signal to noise");
  for (size_t i = 0; i < ta.n; i++) {
    for (size_t j = 0; j < i; j++) {
      double d = 0;
      for (int q = 0; q < 3; q++)
        d += pow(ta.row[i].position[q] - ta.row[j].position[q], 2);
      ok(sqrt(d) >= (double)s.dim[0], "particles keep their distance (%g)", sqrt(d));
    }
    for (int q = 0; q < 3; q++) {
      double low = ta.row[i].position[q] - (double)(s.dim[0] / 2), high = low + (double)s.dim[0];
      ok(low >= 0 && high <= (double)o.shape.dim[q], "the whole template is inside");
    }
  }
  free(noise);
  free(signal);
  RELEASE(sphere, a, b, c, clean);
  hed_table_clear(&ta);
  hed_table_clear(&tb);
  hed_table_clear(&tc);
  hed_table_clear(&td);
}

/* The bits that are promised do not depend on who computes. */
static void same_everywhere(const hed_map *map)
{
  static const char *const backends[] = { "reference", "cpu", "cpu;threads=1", "faulty" };
  const hed_simulate_options o = { .shape = HED_SHAPE(48, 50, 44), .copies = 3, .snr = 0.5, .seed = 11 };
  const size_t n = 48 * 50 * 44;
  float *first = malloc(n * sizeof *first), *other = malloc(n * sizeof *other);
  hed_table truth = { 0 };
  for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
    hed_array *v;
    hed_table t;
    if (hed_backend_require(i == 2 ? "cpu" : backends[i]) != HED_OK) {
      hed_error_clear();
      skip(2, "no backend of that name");
      continue;
    }
    HED_BACKEND_CONTEXT(backends[i]) {
      if (hed_simulate(&o, map->data, &v, &t) != HED_OK || hed_to_host(v, i ? other : first, n * sizeof *first) != HED_OK)
        bail("%s: %s", backends[i], hed_error_text());
      hed_release(v);
    }
    if (i == 0) {
      truth = t;
      continue;
    }
    is_mem(first, other, n * sizeof *first, "%s: the reference's bits", backends[i]);
    is_mem(truth.row, t.row, t.n * sizeof *t.row, "%s: the reference's truth", backends[i]);
    hed_table_clear(&t);
  }
  hed_table_clear(&truth);
  free(first);
  free(other);
}

static void find_again(hed_shape shape, const hed_array *tmpl, double step, double angle, double voxels, const char *name)
{
  const hed_simulate_options o = { .shape = shape, .copies = 3, .snr = 1, .seed = 3 };
  hed_match_options opt = { .workers = hed_backend_require("cpu") == HED_OK ? "cpu" : "reference" };
  hed_array *volume;
  hed_table truth, found;
  hed_match_result r;
  hed_match_peak *peaks = NULL;
  hed_match_quality q;
  double *matrices;
  size_t n, n_peaks = 0;
  hed_error_clear();
  if (hed_simulate(&o, tmpl, &volume, &truth) != HED_OK || hed_rotations_sample(shape.ndim, step, &matrices, &n) != HED_OK)
    bail("%s", hed_error_text());
  const hed_match_peak_options three = { .num_peaks = 3, .min_distance = 8 };
  if (!ok(hed_match_run(&opt, volume, tmpl, NULL, n, matrices, &r) == HED_OK &&
          hed_match_peaks(r.scores, r.rotations, &three, &peaks, &n_peaks) == HED_OK &&
          hed_match_table(n_peaks, peaks, shape.ndim, matrices, n, NULL, NULL, &found) == HED_OK &&
          hed_match_compare(&found, &truth, voxels, &q, NULL) == HED_OK, "%s: matched", name)) {
    diag("%s", hed_error_text());
    return;
  }
  is_near(q.recall, 1, 0, 0, "%s: all found", name);
  is_near(q.precision, 1, 0, 0, "%s: nothing else", name);
  ok(q.angle_max <= angle, "%s: angles within the step (%.1f degrees)", name, q.angle_max);
  diag("%s: position error %.2f, angle %.1f degrees", name, q.position_mean, q.angle_mean);
  free(peaks);
  free(matrices);
  hed_release(volume);
  hed_match_result_clear(&r);
  hed_table_clear(&truth);
  hed_table_clear(&found);
}

static void refused(const hed_map *map)
{
  hed_simulate_options o = { .shape = HED_SHAPE(40, 40, 40), .copies = 50 };
  hed_array *v, *flat = hed_ones(HED_SHAPE(9, 9, 9), HED_FLOAT32);
  hed_table t;
  is_int(hed_simulate(&o, map->data, &v, &t), HED_E_INVAL, "fifty do not fit");
  has_str(hed_error_text(), "of 50 copies", "the sentence says how many did");
  o = (hed_simulate_options){ .shape = HED_SHAPE(8, 40, 40) };
  is_int(hed_simulate(&o, map->data, &v, &t), HED_E_SHAPE, "template larger than the volume");
  o = (hed_simulate_options){ .shape = HED_SHAPE(20, 20, 20), .snr = 1 };
  is_int(hed_simulate(&o, flat, &v, &t), HED_E_INVAL, "a flat template");
  o.snr = -1;
  is_int(hed_simulate(&o, flat, &v, &t), HED_E_INVAL, "a negative snr");
  is_int(hed_simulate(NULL, flat, &v, &t), HED_E_INVAL, "NULL");
  hed_release(flat);
}

int main(void)
{
  hed_map map = molecule(8);
  reproducible(&map);
  same_everywhere(&map);
  refused(&map);
  find_again(HED_SHAPE(56, 60, 64), map.data, 30, 30, 2, "volume");
  hed_array *projection = hed_sum(map.data, &(hed_reduce){ .axes = HED_AXES(0) });
  find_again(HED_SHAPE(100, 96), projection, 6, 6, 1.5, "image");
  hed_release(projection);
  hed_map_clear(&map);
  done_testing();
  return done();
}
