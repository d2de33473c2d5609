// SPDX-License-Identifier: BSD-3-Clause
/* What a search says of all its scores, against moments of the scores of each rotation alone; the cut-off against quantiles of
 * the normal distribution and against a background that is coloured; contrast, target masks, voxels that are broken, and
 * regions that are constant.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 40, T = 9, VOXELS = D * D * D };
static float target_data[VOXELS], tmpl_data[T * T * T];
static double *rotations;
static size_t n_rotations;

static hed_array *target_of(const float *v)
{
  return hed_from_host(v, HED_SHAPE(D, D, D), HED_FLOAT32);
}

/* NOISE plus copies of the template of this height; places far from each other and from the faces. */
static void make_target(gen *g, double height, int copies)
{
  static const int at[3][3] = { { 12, 12, 12 }, { 28, 27, 12 }, { 12, 27, 28 } };
  for (int i = 0; i < VOXELS; i++)
    target_data[i] = (float)(3 + gen_normal(g));
  for (int c = 0; c < copies; c++)
    for (int z = 0; z < T; z++)
      for (int y = 0; y < T; y++)
        for (int x = 0; x < T; x++)
          target_data[((at[c][0] - T / 2 + z) * D + at[c][1] - T / 2 + y) * D + at[c][2] - T / 2 + x] +=
              (float)height * tmpl_data[(z * T + y) * T + x];
}

static bool match(hed_match_options o, const float *target, size_t n, const double *rot, hed_match_result *r, const char *what)
{
  hed_array *f = target_of(target), *g = hed_from_host(tmpl_data, HED_SHAPE(T, T, T), HED_FLOAT32);
  const bool good = hed_match_run(&o, f, g, NULL, n, rot, r) == HED_OK;
  if (!ok(good, "%s", what))
    diag("%s", hed_error_text());
  RELEASE(f, g);
  return good;
}

static double score_at(const hed_match_result *r, int z, int y, int x)
{
  return (double)((const float *)hed_array_data(r->scores))[(z * D + y) * D + x];
}

static int ascending(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

/* Fourth moment over the square of the second, in blocks without a best score beyond FAR in them and beside them. */
static double kurtosis_of(int n, double power[][5], const double *best, double far)
{
  double m[5] = { 0 };
  int used = 0;
  for (int b = 0; b < n * n * n; b++) {
    bool quiet = true;
    for (int c = 0; c < n * n * n; c++)
      quiet = quiet && (best[c] <= far || abs(b / n / n - c / n / n) > 1 || abs(b / n % n - c / n % n) > 1 || abs(b % n - c % n) > 1);
    used += quiet;
    for (int k = 0; k < 5 && quiet; k++)
      m[k] += power[b][k];
  }
  const double mean = m[1] / m[0], second = m[2] / m[0] - mean * mean;
  const double fourth = (m[4] - 4 * mean * m[3] + 6 * mean * mean * m[2]) / m[0] - 3 * pow(mean, 4);
  return used < 32 || mean * mean > 9 * second ? 3 : fourth / (second * second);
}

/* Blocks of 8 along each axis: the median mean, and the median mean square about it. */
static void moments(const char *score)
{
  enum { B = D / 8, BLOCKS = B * B * B };
  static double sum[BLOCKS], squares[BLOCKS], sorted[BLOCKS];
  double all = 0, all_squares = 0, power[BLOCKS][5] = { { 0 } }, best[BLOCKS] = { 0 };
  const double count = 512.0 * (double)n_rotations;
  hed_match_options o = { .score = score, .threshold = -INFINITY };
  hed_match_result r;
  memset(sum, 0, sizeof sum);
  memset(squares, 0, sizeof squares);
  for (size_t k = 0; k < n_rotations; k++) {
    if (!match(o, target_data, 1, rotations + 9 * k, &r, "one rotation"))
      return;
    const float *s = hed_array_data(r.scores);
    for (int i = 0; i < VOXELS; i++) {
      const int b = (i / D / D / 8 * B + i / D % D / 8) * B + i % D / 8;
      sum[b] += (double)s[i];
      squares[b] += (double)s[i] * (double)s[i];
      for (int m = 0; m < 5; m++)
        power[b][m] += pow((double)s[i], m);
      best[b] = fmax(best[b], (double)s[i]);
    }
    hed_match_result_clear(&r);
  }
  for (int b = 0; b < BLOCKS; b++) {
    all += sum[b];
    all_squares += squares[b];
    sorted[b] = sum[b] / count;
  }
  qsort(sorted, BLOCKS, sizeof *sorted, ascending);
  const double centre = sorted[(BLOCKS - 1) / 2], n = count * BLOCKS;
  for (int b = 0; b < BLOCKS; b++)
    sorted[b] = squares[b] / count - 2 * centre * sum[b] / count + centre * centre;
  qsort(sorted, BLOCKS, sizeof *sorted, ascending);
  const double sigma = sqrt(all_squares / n - all / n * (all / n)), robust = sqrt(sorted[(BLOCKS - 1) / 2]);
  const double kurtosis = kurtosis_of(B, power, best, centre + 6 * robust);
  static const char *const workers[] = { NULL, "reference*3", "cpu*2" };
  for (int w = 0; w < 3; w++)
    for (int parts = 0; parts < 2; parts++) {
      if (w == 2 && hed_backend_require("cpu") != HED_OK)
        continue;
      hed_error_clear();
      o.workers = workers[w];
      o.memory_limit = parts ? r.memory - r.memory / 20 : 0;
      if (!match(o, target_data, n_rotations, rotations, &r, score))
        return;
      ok(!parts || r.parts.dim[0] * r.parts.dim[1] * r.parts.dim[2] > 1, "%s: %s", score, parts ? "in parts" : "at once");
      is_uint(r.n_scores, (uint64_t)VOXELS * n_rotations, "%s: all scores", score);
      is_near(r.mean, all / n, 0, 1e-4 * sigma, "%s: mean", score);
      is_near(r.sigma, sigma, 1e-4, 0, "%s: deviation", score);
      is_near(r.sigma_robust, robust, 1e-4, 0, "%s: robust deviation", score);
      is_near(r.kurtosis, kurtosis, 1e-4, 0, "%s: kurtosis", score);
      is_near(r.cutoff, centre + hed_match_cutoff_shaped(robust, r.kurtosis, n, 1), 0, 1e-3 * robust, "%s: cut-off", score);
      const size_t memory = r.memory;
      hed_match_result_clear(&r);
      r.memory = memory;
    }
}

/* Quantiles of the normal distribution: P(X > t) = n_fp / N. */
static void quantiles(void)
{
  static const double p[] = { 0.4, 0.1, 0.01, 1e-3, 1e-6, 1e-10, 1e-14 };
  static const double z[] = { 0.2533471031357997, 1.2815515655446004, 2.3263478740408408, 3.090232306167813, 4.753424308822899,
                              6.361340902404056, 7.650628 };
  for (size_t i = 0; i < sizeof p / sizeof p[0]; i++) {
    is_near(hed_match_cutoff(1, 1 / p[i], 1), z[i], i == 6 ? 1e-5 : 1e-12, 0, "quantile of %g", p[i]);
    is_near(hed_match_cutoff(0.25, 3 / p[i], 3), z[i] / 4, i == 6 ? 1e-5 : 1e-12, 0, "a quarter of it for 3 of as many more");
  }
  /* scipy.stats.t.isf, norm.isf */
  static const struct { double kurtosis, p, z; } shaped[] = {
    { 2.5, 0.01, 2.166461725929 }, { 2.5, 1e-05, 2.965512806137 }, { 2.5, 1e-08, 3.120551437141 },
    { 2.97, 0.01, 2.319212911862 }, { 2.97, 1e-05, 4.183904361678 }, { 2.97, 1e-08, 5.414920441537 },
    { 2.998, 0.01, 2.325879766583 }, { 2.998, 1e-05, 4.259492315985 }, { 2.998, 1e-08, 5.59868765585 },
    { 3, 0.01, 2.326347874041 }, { 3, 1e-05, 4.264890793923 }, { 3, 1e-08, 5.612001244175 }, { 3.03, 0.01, 2.326347874041 },
    { 3.03, 1e-05, 4.264890793923 }, { 3.03, 1e-08, 5.612001244175 }, { 3.4, 0.01, 2.326347874041 },
    { 3.4, 1e-05, 4.264890793923 }, { 3.4, 1e-08, 5.612001244175 }, { 6, 0.01, 2.326347874041 }, { 6, 1e-05, 4.264890793923 },
    { 6, 1e-08, 5.612001244175 },
  };
  for (size_t i = 0; i < sizeof shaped / sizeof shaped[0]; i++)
    is_near(hed_match_cutoff_shaped(0.5, shaped[i].kurtosis, 2 / shaped[i].p, 2), shaped[i].z / 2, 1e-9, 0, "kurtosis %g, %g of all",
            shaped[i].kurtosis, shaped[i].p);
  is_near(hed_match_cutoff(0, 100, 1), 0, 0, 0, "no deviation, no cut-off");
  is_near(hed_match_cutoff(1, 1, 1), 0, 0, 0, "nor where half of all are expected above");
  is_near(hed_match_cutoff(NAN, 100, 1), 0, 0, 0, "nor from NaN");
}

static size_t above(const hed_match_result *r, double cut)
{
  const float *s = hed_array_data(r->scores);
  size_t n = 0;
  for (int i = 0; i < VOXELS; i++)
    n += (double)s[i] > cut;
  return n;
}

/* Groups of scores beyond CUT: as a score is like its neighbours, they are what chance makes one of, not scores. */
static size_t groups_above(const hed_match_result *r, double cut)
{
  size_t n = 0;
  for (int i = 0; i < VOXELS; i++) {
    const int z = i / D / D, y = i / D % D, x = i % D;
    bool highest = score_at(r, z, y, x) > cut;
    for (int k = 0; k < 27 && highest; k++) {
      const int c = z + k / 9 - 1, b = y + k / 3 % 3 - 1, a = x + k % 3 - 1;
      if (c >= 0 && c < D && b >= 0 && b < D && a >= 0 && a < D)
        highest = score_at(r, c, b, a) <= score_at(r, z, y, x);
    }
    n += highest;
  }
  return n;
}

/* Particles stand above the cut-off, the background does not, and they do not move it. */
static void particles(gen *g)
{
  hed_match_result with, without;
  make_target(g, 0, 0);
  const hed_match_options o = { .threshold = -INFINITY };
  if (!match(o, target_data, n_rotations, rotations, &without, "background"))
    return;
  ok(groups_above(&without, without.cutoff) <= 4, "few groups of scores of the background exceed the cut-off (%zu)",
     groups_above(&without, without.cutoff));
  make_target(g, 2, 3);
  if (!match(o, target_data, n_rotations, rotations, &with, "with particles"))
    return;
  ok(score_at(&with, 12, 12, 12) > with.cutoff && score_at(&with, 28, 27, 12) > with.cutoff, "particles do (%g, %g)",
     score_at(&with, 12, 12, 12), with.cutoff);
  ok(fabs(with.cutoff / without.cutoff - 1) < 0.1, "the cut-off stays where it was: %g, %g", with.cutoff, without.cutoff);
  ok(with.sigma / without.sigma > 1.02 * with.sigma_robust / without.sigma_robust, "the plain deviation moves more: %g, %g",
     with.sigma, without.sigma);
  hed_match_result_clear(&without);

  /* A contrast the other way round: the same scores from the target's negative. */
  static float negative[VOXELS];
  for (int i = 0; i < VOXELS; i++)
    negative[i] = -target_data[i];
  hed_match_options inverted = o;
  inverted.invert = true;
  if (match(inverted, negative, n_rotations, rotations, &without, "inverted contrast"))
    is_near(score_at(&without, 12, 12, 12), score_at(&with, 12, 12, 12), 0, 1e-5, "is the same score");
  hed_match_result_clear(&without);

  /* A target mask: nothing is recorded or counted outside. */
  static float mask[VOXELS];
  for (int i = 0; i < VOXELS; i++)
    mask[i] = i / D / D < 20 ? 0.5F : 0;
  hed_match_options half = o;
  half.target_mask = target_of(mask);
  if (match(half, target_data, n_rotations, rotations, &without, "half of the target")) {
    is_uint(without.n_scores, VOXELS / 2 * n_rotations, "half of the scores");
    is_near(score_at(&without, 12, 12, 12), score_at(&with, 12, 12, 12), 0, 1e-6, "inside: the same");
    is_int(((const int32_t *)hed_array_data(without.rotations))[(28 * D + 27) * D + 12], -1, "outside: none");
  }
  hed_match_result_clear(&without);
  hed_release((hed_array *)half.target_mask);

  /* One broken voxel. */
  target_data[(5 * D + 33) * D + 20] = 33000;
  if (match(o, target_data, n_rotations, rotations, &without, "one voxel 33000 deviations high")) {
    is_uint(without.n_clipped, 1, "it is clipped");
    is_near(score_at(&without, 12, 12, 12), score_at(&with, 12, 12, 12), 0, 0.02, "particles keep their score");
    is_uint(without.n_flat, 0, "no window is flat");
    ok(above(&without, without.cutoff) >= 3, "and exceed the cut-off");
  }
  hed_match_result_clear(&without);
  hed_match_options unclipped = o;
  unclipped.clip = INFINITY;
  if (match(unclipped, target_data, n_rotations, rotations, &without, "unclipped")) {
    is_uint(without.n_clipped, 0, "nothing is clipped");
    is_near(score_at(&without, 12, 12, 12), score_at(&with, 12, 12, 12), 0, 0.05, "windows without it are not flat all the same");
  }
  hed_match_result_clear(&without);
  hed_match_result_clear(&with);
}

/* More than half of the target is constant, as padding of a reconstruction is: it is flat, and not counted. */
static void constant_region(gen *g)
{
  hed_match_result r;
  make_target(g, 4, 1);
  for (int i = 0; i < VOXELS; i++)
    if (i / D / D >= 17)
      target_data[i] = 3;
  static const char *const names[] = { "CORR", "FLCSphericalMask", "FLC" };
  for (size_t k = 0; k < 3; k++) {
    const hed_match_options o = { .threshold = -INFINITY, .score = names[k] };
    if (!match(o, target_data, n_rotations, rotations, &r, names[k]))
      continue;
    /* windows reach T / 2 over the edge, and over the faces to the other side */
    ok(r.n_flat >= (uint64_t)D * D * (D - 17 - 2 * (T / 2) - 2) && r.n_flat <= (uint64_t)D * D * (D - 17),
       "%s: %llu flat windows", names[k], (unsigned long long)r.n_flat);
    ok(r.n_scores <= ((uint64_t)VOXELS - r.n_flat + D * D) * n_rotations && r.n_scores > 0, "%s: are not counted", names[k]);
    ok(score_at(&r, 12, 12, 12) > r.cutoff, "%s: the particle is found (%g, %g)", names[k], score_at(&r, 12, 12, 12), r.cutoff);
    hed_match_result_clear(&r);
  }
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int i = 0; i < T * T * T; i++) {
    const double z = i / T / T - T / 2, y = i / T % T - T / 2, x = i % T - T / 2;
    tmpl_data[i] = (float)(2 * exp(-(z * z + (y - 1) * (y - 1) + x * x / 4) / 3) - exp(-(z * z + y * y + (x + 2) * (x + 2)) / 2));
  }
  if (hed_rotations_sample(3, 60, &rotations, &n_rotations) != HED_OK)
    bail("%s", hed_error_text());
  quantiles();
  make_target(&g, 1, 2);
  n_rotations = n_rotations < 12 ? n_rotations : 12;
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    moments(score);
  particles(&g);
  constant_region(&g);
  free(rotations);
  done_testing();
  return done();
}
