// SPDX-License-Identifier: BSD-3-Clause
/* The published expectation: a cube in an empty volume is found where it is, with score 1 (CC: the sum of its squares); and
 * windows without variance. Scores against their formulas: direct.c.
 */
#include "arrays.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cube in an empty volume, by its own shape: peak at p for odd and even extents, with every score. */
static void cube(const char *score, int64_t edge, bool pad)
{
  enum { N = 40 };
  const int64_t at[3] = { 25, 17, 12 };
  const int64_t box = edge + 4, d = N;
  float *f = calloc(N * N * N, sizeof *f), *g = calloc((size_t)(box * box * box), sizeof *g);
  double squares = 0;
  for (int64_t z = 0; z < edge; z++)
    for (int64_t y = 0; y < edge; y++)
      for (int64_t x = 0; x < edge; x++) {
        float v = 1 + 0.01F * (float)x;
        int64_t c[3] = { at[0] - box / 2 + 2 + z, at[1] - box / 2 + 2 + y, at[2] - box / 2 + 2 + x };
        f[(c[0] * d + c[1]) * d + c[2]] = v;
        g[((2 + z) * box + 2 + y) * box + 2 + x] = v;
        squares += (double)v * (double)v;
      }
  hed_array *target = hed_from_host(f, HED_SHAPE(N, N, N), HED_FLOAT32);
  hed_array *tmpl = hed_from_host(g, HED_SHAPE(box, box, box), HED_FLOAT32);
  hed_array *mask = hed_ones(HED_SHAPE(box, box, box), HED_FLOAT32);
  const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  hed_match_options opt = { .score = score, .pad = pad };
  hed_match_result r;
  if (ok(hed_match_run(&opt, target, tmpl, mask, 1, identity, &r) == HED_OK, "%s finds the cube of %d", score, (int)edge)) {
    hed_match_peak *peak;
    size_t n;
    hed_match_peak_options one = { .num_peaks = 1 };
    ok(hed_match_peaks(r.scores, r.rotations, &one, &peak, &n) == HED_OK && n == 1, "one peak");
    is_int(peak ? peak->position[0] : -1, at[0], "z");
    is_int(peak ? peak->position[1] : -1, at[1], "y");
    is_int(peak ? peak->position[2] : -1, at[2], "x");
    if (strcmp(score, "LCC") != 0 && strcmp(score, "NCC") != 0)
      is_near(peak ? peak->score : NAN, strcmp(score, "CC") == 0 ? squares : 1, 1e-3, 0, "%s of the cube of %d%s", score,
              (int)edge, pad ? ", padded" : "");
    free(peak);
    hed_match_result_clear(&r);
  } else {
    diag("%s", hed_error_text());
  }
  RELEASE(target, tmpl, mask);
  free(f);
  free(g);
}

/* A window without variance scores 0, and a score of 0 does not exceed the threshold 0. */
static void flat_windows(void)
{
  float f[32 * 32] = { 0 };
  for (int y = 20; y < 26; y++)
    for (int x = 20; x < 26; x++)
      f[y * 32 + x] = (float)((x * 7 + y * 3) % 5);
  float g[25];
  for (int i = 0; i < 25; i++)
    g[i] = (float)(i * i % 7);
  hed_array *target = hed_from_host(f, HED_SHAPE(32, 32), HED_FLOAT32);
  hed_array *tmpl = hed_from_host(g, HED_SHAPE(5, 5), HED_FLOAT32);
  static const char *const names[] = { "CORR", "FLCSphericalMask", "FLC" };
  for (size_t i = 0; i < 3; i++) {
    const double identity[4] = { 1, 0, 0, 1 };
    hed_match_options opt = { .score = names[i] };
    hed_match_result r;
    if (!ok(hed_match_run(&opt, target, tmpl, NULL, 1, identity, &r) == HED_OK, "%s runs", names[i]))
      continue;
    const float *s = hed_array_data(r.scores);
    const int32_t *index = hed_array_data(r.rotations);
    float most = 0;
    for (int k = 0; k < 32 * 32; k++)
      most = s[k] > most ? s[k] : most;
    is_near((double)s[5 * 32 + 5], 0, 0, 0, "%s: a flat window scores 0", names[i]);
    is_int(index[5 * 32 + 5], -1, "%s: and has no rotation", names[i]);
    ok(most <= 1.001F, "%s: no score above 1 (%g)", names[i], (double)most);
    hed_match_result_clear(&r);
  }
  RELEASE(target, tmpl);
}

int main(void)
{
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int pad = 0; pad < 2; pad++) {
      cube(score, 7, pad);
      cube(score, 6, pad);
    }
  flat_windows();
  done_testing();
  return done();
}
