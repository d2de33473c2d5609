// SPDX-License-Identifier: BSD-3-Clause
/* Filters against values computed by hand from the formulas (in Python, from the text of filter.h), their symmetry, and what a
 * search makes of them: a filtered template or target is the same as one that was filtered before; whitening flattens.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/filter.h>
#include <heddle/kits/match.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 7 };
static const int64_t points[POINTS][3] = { { 0, 0, 0 }, { 1, 0, 1 },  { 9, 0, 1 }, { 2, 3, 4 },
                                           { 5, 1, 2 }, { 7, 11, 3 }, { 0, 4, 2 } };
static const double voxel[3] = { 3, 2.5, 2 };
static double angle[] = { -40, -10, 20, 55 }, dose[] = { 6, 0, 3, 9 }, u[] = { 20000, 21000, 22000, 23000 },
              v[] = { 19000, 20500, 21800, 22000 }, azimuth[] = { 30, 35, 40, 45 }, phase[] = { 0, 0.1, 0.2, 0.3 };
static const hed_tilts tilts = { .n = 4, .angle = angle, .dose = dose, .defocus_u = u, .defocus_v = v, .astigmatism = azimuth,
                                 .phase_shift = phase, .kilovolt = 200, .cs_mm = 2, .amplitude_contrast = 0.1 };

static void by_hand(hed_match_filter f, const double want[POINTS], double sign, const char *what)
{
  memcpy(f.voxel, voxel, sizeof voxel);
  hed_array *x = hed_match_filter_make(&f, HED_SHAPE(10, 12, 9));
  if (!ok(x != NULL, "%s", what)) {
    diag("%s", hed_error_text());
    return;
  }
  const float *p = hed_array_data(x);
  for (int i = 0; i < POINTS; i++) {
    const double got = (double)p[(points[i][0] * 12 + points[i][1]) * 5 + points[i][2]];
    is_near(sign < 0 ? fabs(got) : got, sign < 0 ? fabs(want[i]) : want[i], 0, 2e-6, "%s: point %d", what, i);
  }
  hed_release(x);
}

static void formulas(void)
{
  static const double band[] = { 0, 0.82220472, 0.82220472, 0.0589265547, 0.160538102, 0.178143421, 0.262811218 };
  static const double wedge[] = { 1, 1, 0, 1, 0.5, 0, 1 };
  static const double cosine[] = { 0.816030313, 0.711815921, 0.832173633, 0.563111698, 0.247390581, 0.0644973271, 0.414774181 };
  static const double relion[] = { 0.816030313, 0.700963812, 0.819260077, 0.465229977, 0.170723621, 0.0513611357, 0.414774181 };
  static const double grigorieff[] = { 1, 0.775380558, 0.925336354, 0.449996154, 0.211014446, 0.053225723, 0.421172741 };
  static const double per_tilt[] = { 0.246021525, 0.591398735, 0.000591947669, 0.576486315, -0.417254658, 0.0317432883, -0.391665177 };
  static const double single[] = { 0.1, 0.333451255, 0.333451255, -0.938654295, 0.942630693, 0.384241086, 0.284280303 };
  by_hand((hed_match_filter){ .low_pass = 8, .high_pass = 40 }, band, 1, "a band");
  by_hand((hed_match_filter){ .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = -30, .tilt_high = 60 }, wedge, 1, "a wedge");
  by_hand((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &tilts, .weighting = HED_WEIGHTING_COSINE }, cosine, 1,
          "tilts, cosine");
  by_hand((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &tilts, .weighting = HED_WEIGHTING_RELION }, relion, 1,
          "tilts, relion");
  by_hand((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &tilts, .weighting = HED_WEIGHTING_GRIGORIEFF }, grigorieff, 1,
          "tilts, grigorieff");
  by_hand((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &tilts, .ctf = HED_CTF_RAW, .offset = { -200, 0, 300 } }, per_tilt,
          1, "tilts, contrast transfer with a gradient");
  by_hand((hed_match_filter){ .tilts = &tilts, .ctf = HED_CTF_RAW }, single, 1, "contrast transfer");
  by_hand((hed_match_filter){ .tilts = &tilts, .ctf = HED_CTF_FLIP }, single, -1, "its magnitude");
}

/* H(-k) = H(k) for real arrays: within the planes of x = 0 and of Nyquist's both are there. */
/* F at frequency K (z, y, x) of a box of 7 an edge. */
static double at(const hed_array *f, const int k[3])
{
  const int s = k[2] < 0 ? -1 : 1; /* it is even */
  return (double)((const float *)hed_array_data(f))[((s * k[0] + 7) % 7 * 7 + (s * k[1] + 7) % 7) * 4 + s * k[2]];
}

/* The tilt axis along x: what it was along y, all turned about z. */
static void other_axes(void)
{
  hed_tilts t = { .n = 4, .angle = angle, .dose = dose, .defocus_u = u, .handedness = -1 };
  hed_match_filter f = { .voxel = { 2, 2, 2 }, .wedge = HED_WEDGE_TILTS, .tilts = &t, .ctf = HED_CTF_RAW, .offset = { 150, 0, 400 } };
  hed_array *along_y = hed_match_filter_make(&f, HED_SHAPE(7, 7, 7));
  f.tilt_axis = 3;
  f.offset[1] = -400;
  f.offset[2] = 0;
  hed_array *along_x = hed_match_filter_make(&f, HED_SHAPE(7, 7, 7));
  f.offset[1] = 400;
  hed_array *wrong = hed_match_filter_make(&f, HED_SHAPE(7, 7, 7));
  double worst = 0, differs = 0;
  for (int i = 0; i < 343; i++) {
    const int k[3] = { i / 49 - 3, i / 7 % 7 - 3, i % 7 - 3 };
    worst = fmax(worst, fabs(at(along_y, (const int[3]){ k[0], k[2], -k[1] }) - at(along_x, k)));
    differs = fmax(differs, fabs(at(wrong, k) - at(along_x, k)));
  }
  ok(worst < 1e-5 && differs > 0.1, "the gradient of defocus is that of the tilt axis: %g, %g", worst, differs);
  RELEASE(along_y, along_x, wrong);
}

static void hermitian(void)
{
  const hed_match_filter all[] = {
    { .wedge = HED_WEDGE_TILTS, .tilts = &tilts, .ctf = HED_CTF_RAW, .weighting = HED_WEIGHTING_RELION, .low_pass = 5 },
    { .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = -70, .tilt_high = 20 }, { .tilts = &tilts, .ctf = HED_CTF_RAW },
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int n = 11; n < 13; n++) {
      const int planes = n / 2 + 1;
      hed_array *x = hed_match_filter_make(&all[i], HED_SHAPE(n, n, n));
      const float *p = x ? hed_array_data(x) : NULL;
      size_t bad = 0;
      for (int z = 0; p && z < n; z++)
        for (int y = 0; y < n; y++)
          for (int at = 0; at < planes; at += n % 2 ? planes : planes - 1)
            bad += fabs((double)p[(z * n + y) * planes + at] - (double)p[((n - z) % n * n + (n - y) % n) * planes + at]) > 1e-5;
      is_uint(p ? bad : 1, 0, "filter %zu of %d voxels is even", i, n);
      hed_release(x);
    }
  hed_array *band = hed_match_filter_make(&(hed_match_filter){ .hard = true, .voxel = { 0.7, 0.7, 0.7 }, .low_pass = 2.8,
                                                               .high_pass = 8.4 }, HED_SHAPE(1, 1, 24));
  const float *p = band ? hed_array_data(band) : NULL;
  for (int x = 0; p && x <= 12; x++)
    is_near((double)p[x], x >= 2 && x <= 6, 0, 0, "a hard band has its edges: %d", x);
  hed_release(band);
}

static void fill(gen *g, float *to, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = (float)(1 + gen_normal(g));
}

/* X behind the filter F over its own extents. */
static hed_array *through(const hed_array *x, const hed_match_filter *f)
{
  hed_array *h = hed_match_filter_make(f, hed_array_shape(x)), *out = NULL;
  if (!h)
    bail("%s", hed_error_text());
  HED_SCOPE
    out = hed_keep(hed_irfftn(hed_multiply(hed_rfftn(x, NULL), h), &(hed_fft){ .s = hed_array_shape(x) }));
  hed_release(h);
  return out;
}

static bool same_scores(const hed_match_result *a, const hed_match_result *b)
{
  const float *p = hed_array_data(a->scores), *q = hed_array_data(b->scores);
  double scale = 0, worst = 0;
  for (int64_t i = 0; i < hed_array_size(a->scores); i++) {
    scale = fmax(scale, fabs((double)p[i]));
    worst = fmax(worst, fabs((double)p[i] - (double)q[i]));
  }
  return worst <= 2e-4 * scale;
}

/* At the identity a filter of the template, and everywhere one of the target, is the same as filtering before. */
static void in_a_search(gen *g)
{
  enum { D = 24, T = 9 };
  static float target[D * D * D], tmpl[T * T * T];
  const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const hed_match_filter wedge = { .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = -40, .tilt_high = 55, .low_pass = 3 };
  const hed_match_filter band = { .low_pass = 3, .high_pass = 14 };
  static const char *const workers[] = { "reference", "cpu*2", "faulty" };
  fill(g, target, D * D * D);
  fill(g, tmpl, T * T * T);
  hed_array *f = hed_from_host(target, HED_SHAPE(D, D, D), HED_FLOAT32), *t = hed_from_host(tmpl, HED_SHAPE(T, T, T), HED_FLOAT32);
  hed_array *t2 = through(t, &wedge), *f2 = through(f, &band), *mask = hed_match_sphere(HED_SHAPE(T, T, T), 3);
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int w = 0; w < 3; w++) {
      const bool prepared = strcmp(score, "CORR") == 0 || strcmp(score, "LCC") == 0 || strcmp(score, "NCC") == 0 ||
                            strcmp(score, "CAM") == 0;
      if (prepared || hed_backend_require(w == 1 ? "cpu" : workers[w]) != HED_OK) {
        hed_error_clear();
        continue; /* their templates are prepared before they are filtered */
      }
      const hed_match_options plain = { .score = score, .workers = workers[w], .threshold = -INFINITY };
      hed_match_options with = plain;
      hed_match_result a, b;
      with.template_filter = &wedge;
      with.target_filter = &band;
      with.faces = HED_FACES_WRAP; /* as the transform of the whole has it */
      if (!ok(hed_match_run(&plain, f2, t2, mask, 1, identity, &a) == HED_OK &&
              hed_match_run(&with, f, t, mask, 1, identity, &b) == HED_OK, "%s on %s, filtered", score, workers[w])) {
        diag("%s", hed_error_text());
        continue;
      }
      ok(same_scores(&a, &b), "%s on %s: as if filtered before", score, workers[w]);
      hed_match_result_clear(&b);
      with.memory_limit = a.memory * 9 / 10;
      hed_status status = hed_match_run(&with, f, t, mask, 1, identity, &b);
      if (status == HED_OK)
        ok(same_scores(&a, &b), "%s on %s: in parts, too", score, workers[w]);
      hed_error_clear();
      hed_match_result_clear(&a);
      hed_match_result_clear(&b);
    }
  RELEASE(f, t, f2, t2, mask);
}

/* Noise that a Gaussian of SIGMA voxels has smoothed becomes flat, and white noise stays so. */
static void whitening(gen *g, double sigma)
{
  enum { N = 96 };
  float *x = malloc(N * N * N * sizeof *x);
  double colour = 0, after = 0;
  fill(g, x, N * N * N);
  hed_array *white = hed_from_host(x, HED_SHAPE(N, N, N), HED_FLOAT32), *noise = white;
  /* exp(-ln 2 (k c)^2) of a low pass is a Gaussian's transform, exp(-2 pi^2 k^2 sigma^2) */
  const hed_match_filter smooth = { .low_pass = sqrt(2 * 9.8696044010893586 / 0.69314718055994531) * sigma };
  if (sigma > 0)
    noise = through(white, &smooth);
  hed_array *profile = hed_match_whitening(noise, 0, &colour);
  if (ok(profile != NULL && hed_array_size(profile) == 25, "a profile at %g voxels", sigma)) {
    const float *p = hed_array_data(profile);
    ok(p[0] == 0, "0 at frequency 0");
    if (sigma > 0)
      ok(colour > 4, "the colour is seen: %g", colour);
    else
      ok(colour > 0.75 && colour < 1.35, "white is white: %g", colour);
    const hed_match_filter flatten = { .profile = profile };
    hed_array *flat = through(noise, &flatten), *again = hed_match_whitening(flat, 0, &after);
    ok(again != NULL, "again");
    if (sigma < 1)
      ok(after > 0.8 && after < 1.25, "flat afterwards: %g", after);
    RELEASE(flat, again);
  }
  hed_release(profile);
  if (noise != white)
    hed_release(noise);
  hed_release(white);
  free(x);
}

static void refuse(hed_match_filter f, hed_shape box, hed_status want, const char *part)
{
  hed_error_clear();
  ok(hed_match_filter_make(&f, box) == NULL && hed_error() == want, "%s", part);
  has_str(hed_error_text(), part, "the sentence says so");
}

static void bad_filters(void)
{
  static double wild[] = { 0, NAN };
  const hed_shape box = HED_SHAPE(8, 8, 8);
  const hed_tilts steep = { .n = 1, .angle = (double[]){ 90 } }, odd = { .n = 2, .angle = wild }, bare = { .n = 4, .angle = angle };
  refuse((hed_match_filter){ .low_pass = 40, .high_pass = 10 }, box, HED_E_INVAL, "low_pass 40 and high_pass 10");
  refuse((hed_match_filter){ .low_pass = NAN }, box, HED_E_INVAL, "low_pass nan");
  refuse((hed_match_filter){ .voxel = { 1, -2, 1 } }, box, HED_E_INVAL, "the voxel is -2");
  refuse((hed_match_filter){ .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = 60, .tilt_high = -60 }, box,
         HED_E_INVAL, "tilts from 60 to -60");
  refuse((hed_match_filter){ .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = -60, .tilt_high = 60 }, HED_SHAPE(8, 8),
         HED_E_SHAPE, "2 dimensions");
  refuse((hed_match_filter){ .wedge = HED_WEDGE_TILTS }, box, HED_E_INVAL, "tilts are missing");
  refuse((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &steep }, box, HED_E_INVAL, "90 degrees");
  refuse((hed_match_filter){ .wedge = HED_WEDGE_TILTS, .tilts = &odd }, box, HED_E_INVAL, "not finite");
  refuse((hed_match_filter){ .ctf = HED_CTF_RAW, .tilts = &bare }, box, HED_E_INVAL, "no defocus");
  refuse((hed_match_filter){ .wedge = 9 }, box, HED_E_INVAL, "wedge is 9");
  refuse((hed_match_filter){ .beam_axis = 2, .tilt_axis = 2 }, box, HED_E_INVAL, "beam_axis 2");
  refuse((hed_match_filter){ .low_pass = 1 }, HED_SHAPE(8), HED_E_SHAPE, "1 dimensions");
  hed_array *other = hed_ones(HED_SHAPE(8, 8, 8), HED_FLOAT32);
  refuse((hed_match_filter){ .given = other }, box, HED_E_SHAPE, "the given filter is");
  refuse((hed_match_filter){ .profile = other }, box, HED_E_SHAPE, "the profile is not 1-D");
  hed_release(other);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  formulas();
  other_axes();
  hermitian();
  in_a_search(&g);
  whitening(&g, 0);
  whitening(&g, 0.5);
  whitening(&g, 1.5);
  bad_filters();
  done_testing();
  return done();
}
