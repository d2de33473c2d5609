// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cut-off's promise: in volumes of noise alone, white and coloured (whitened, as by default), as many scores exceed it as were
 * asked for, within a factor of two in the mean; where the noise is smoothed so much that whitening has little left to work with,
 * fewer, but a quarter at least. HEDDLE_TEST_FULL=1: 200 volumes of each kind instead of a few.
 */
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32, T = 11 };
static const double wanted = 10;

/* An object without symmetry. */
static hed_array *object(void)
{
  static float v[T * T * T];
  static const double spot[4][4] = { { 0, 0, 0, 1 }, { 3, 1, -2, 1 }, { -2, 3, 1, 0.8 }, { 1, -3, 2, -0.7 } };
  for (int i = 0; i < T * T * T; i++)
    for (int k = 0; k < 4; k++) {
      const double z = i / T / T - 5 - spot[k][0], y = i / T % T - 5 - spot[k][1], x = i % T - 5 - spot[k][2];
      v[i] += (float)(spot[k][3] * exp(-(z * z + y * y + x * x) / 3));
    }
  return hed_from_host(v, HED_SHAPE(T, T, T), HED_FLOAT32);
}

static hed_array *noise(gen *g, double sigma)
{
  static float v[N * N * N];
  for (int i = 0; i < N * N * N; i++)
    v[i] = (float)gen_normal(g);
  hed_array *x = hed_from_host(v, HED_SHAPE(N, N, N), HED_FLOAT32);
  if (!(sigma > 0) || !x)
    return x;
  hed_array *y = hed_gaussian_filter(x, 1, &sigma, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP });
  hed_release(x);
  return y;
}

typedef struct count { double scores, peaks; } count; /* above the cut-off, in the mean of the volumes */

static bool search(gen *g, double sigma, const hed_array *tmpl, const double *rotations, size_t n, count *sum)
{
  hed_match_filter filter = { .profile = NULL };
  hed_match_options o = { .threshold = -INFINITY, .n_false_positives = wanted };
  hed_match_result r;
  hed_match_peak *peaks;
  size_t found;
  hed_array *f = noise(g, sigma), *profile = f && sigma > 0 ? hed_match_whitening(f, 0, NULL) : NULL;
  filter.profile = profile;
  if (profile)
    o.template_filter = o.target_filter = &filter;
  bool good = f && (profile || !(sigma > 0)) && hed_match_run(&o, f, tmpl, NULL, n, rotations, &r) == HED_OK;
  hed_release(f);
  hed_release(profile);
  if (!good)
    return false;
  const float *s = hed_array_data(r.scores);
  for (int i = 0; i < N * N * N; i++)
    sum->scores += (double)s[i] > r.cutoff;
  const hed_match_peak_options p = { .use_min_score = true, .min_score = r.cutoff, .num_peaks = 100000, .wraps = true };
  good = hed_match_peaks(r.scores, r.rotations, &p, &peaks, &found) == HED_OK;
  sum->peaks += (double)found;
  free(peaks);
  hed_match_result_clear(&r);
  return good;
}

int main(void)
{
  const double sigmas[] = { 0, 1, 1.5 };
  const int volumes = full_run() ? 200 : 16;
  double *rotations;
  size_t n;
  gen g;
  gen_seed(&g, tap_seed());
  hed_array *tmpl = object();
  if (!tmpl || hed_rotations_sample(3, 40, &rotations, &n) != HED_OK)
    bail("%s", hed_error_text());
  for (size_t k = 0; k < sizeof sigmas / sizeof sigmas[0]; k++) {
    count sum = { 0, 0 };
    int done_well = 0;
    for (int i = 0; i < volumes; i++)
      done_well += search(&g, sigmas[k], tmpl, rotations, n, &sum);
    is_int(done_well, volumes, "noise of sigma %g: searched", sigmas[k]);
    const double scores = sum.scores / volumes, peaks = sum.peaks / volumes;
    diag("noise of sigma %g, %zu rotations, %g asked for: %.2f voxels, %.2f peaks above the cut-off", sigmas[k], n, wanted,
         scores, peaks);
    const double fewest = sigmas[k] > 1 ? wanted / 4 : wanted / 2;
    ok(scores > fewest && scores < wanted * 2, "between %g and %g: %g", fewest, wanted * 2, scores);
  }
  hed_release(tmpl);
  free(rotations);
  done_testing();
  return done();
}
