// SPDX-License-Identifier: BSD-3-Clause
/*
 * Scores against their formulas, computed by direct sums in double precision from the same rotated templates: images
 * and volumes, odd and even extents, with and without a mask, wrapped and padded. And the published expectation: a cube
 * in an empty volume is found where it is, with score 1 (CC: the sum of its squares).
 */
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
  int ndim;
  int64_t d[3], n[3], fast[3]; /* target, template, transform; leading 1 for images */
  float *f, *g, *m;
  double *rot;
  size_t n_rot;
} problem;

static int64_t cells(const int64_t d[3])
{
  return d[0] * d[1] * d[2];
}

static hed_shape shape_of(int ndim, const int64_t d[3])
{
  hed_shape s = { .ndim = ndim };
  for (int i = 0; i < ndim; i++)
    s.dim[i] = d[3 - ndim + i];
  return s;
}

/* Template and mask rotated as the kit is told to, masks linearly: the operation has tests of its own. */
static void rotated(const problem *p, size_t r, float *g, const float *from, bool as_mask)
{
  hed_shape s = shape_of(p->ndim, p->n);
  hed_array *x = hed_from_host(from, s, HED_FLOAT32), *a = NULL;
  const double *rot = p->rot + r * (size_t)(p->ndim * p->ndim);
  const hed_rigid opt = { .spline = as_mask ? HED_SPLINE_LINEAR : HED_SPLINE_CUBIC };
  if (!x || hed_rigid_transform(x, NULL, rot, &opt, &a, NULL) != HED_OK ||
      hed_to_host(a, g, (size_t)cells(p->n) * sizeof *g) != HED_OK)
    bail("rigid_transform: %s", hed_error_text());
  hed_release(x);
  hed_release(a);
}

/* f filled up to the transform's extents: with its mean (as deviations from it) for FLC scores, else zero. */
static double *filled(const problem *p, bool centred)
{
  double mean = 0, *out = calloc((size_t)cells(p->fast), sizeof *out);
  for (int64_t i = 0; i < cells(p->d); i++)
    mean += (double)p->f[i] / (double)cells(p->d);
  for (int64_t z = 0; z < p->d[0]; z++)
    for (int64_t y = 0; y < p->d[1]; y++)
      for (int64_t x = 0; x < p->d[2]; x++)
        out[(z * p->fast[1] + y) * p->fast[2] + x] =
            (double)p->f[(z * p->d[1] + y) * p->d[2] + x] - (centred ? mean : 0);
  return out;
}

/* sum over the template's box of f(q - n/2 + i) ^ power * k(i), round the transform's extents. */
static double correlate(const problem *p, const double *f, const float *k, const int64_t q[3], int power)
{
  double s = 0;
  for (int64_t z = 0; z < p->n[0]; z++)
    for (int64_t y = 0; y < p->n[1]; y++)
      for (int64_t x = 0; x < p->n[2]; x++) {
        int64_t a = (q[0] - p->n[0] / 2 + z + p->fast[0]) % p->fast[0];
        int64_t b = (q[1] - p->n[1] / 2 + y + p->fast[1]) % p->fast[1];
        int64_t c = (q[2] - p->n[2] / 2 + x + p->fast[2]) % p->fast[2];
        double v = f[(a * p->fast[1] + b) * p->fast[2] + c];
        s += (power == 2 ? v * v : v) * (double)k[(z * p->n[1] + y) * p->n[2] + x];
      }
  return s;
}

static double sum(const float *a, const float *b, const float *c, int64_t n)
{
  double s = 0;
  for (int64_t i = 0; i < n; i++)
    s += (double)a[i] * (b ? (double)b[i] : 1) * (c ? (double)c[i] : 1);
  return s;
}

/* Template with zero mean and unit deviation inside m, times m. */
static void normalise(const float *g, const float *m, int64_t n, float *out)
{
  double k = sum(m, NULL, NULL, n), mean = sum(g, m, NULL, n) / k, var = 0;
  for (int64_t i = 0; i < n; i++)
    var += ((double)g[i] - mean) * ((double)g[i] - mean) * (double)m[i] / k;
  for (int64_t i = 0; i < n; i++)
    out[i] = (float)(((double)g[i] - mean) / sqrt(var) * (double)m[i]);
}

/* The Laplacian of 5 or 7 points, edges reflected: d c b a | a b c d | d c b a. */
static float *laplacian(int ndim, const int64_t n[3], const float *v)
{
  float *out = calloc((size_t)cells(n), sizeof *out);
  const int64_t step[3] = { n[1] * n[2], n[2], 1 };
  for (int64_t i = 0; i < cells(n); i++) {
    const int64_t q[3] = { i / n[2] / n[1], i / n[2] % n[1], i % n[2] };
    double s = 0;
    for (int a = 3 - ndim; a < 3; a++)
      s += (double)v[q[a] > 0 ? i - step[a] : i] + (double)v[q[a] + 1 < n[a] ? i + step[a] : i] - 2 * (double)v[i];
    out[i] = (float)s;
  }
  return out;
}

/* Scores of every voxel for one rotation of the masked correlation, window by window: over the voxels that lie in the target,
 * weighted with the turned mask, the correlation coefficient of the target and of the turned template times the mask. */
static void naive_masked(const problem *p, const float *k, const float *m, double *out)
{
  int64_t q[3], i = 0;
  double *f = filled(p, true), *share = calloc((size_t)cells(p->d), sizeof *share), most = 0, most_root = 0;
  double *root = calloc((size_t)cells(p->d), sizeof *root);
  for (q[0] = 0; q[0] < p->d[0]; q[0]++)
    for (q[1] = 0; q[1] < p->d[1]; q[1]++)
      for (q[2] = 0; q[2] < p->d[2]; q[2]++, i++) {
        double o = 0, fg = 0, fm = 0, ffm = 0, g = 0, gg = 0;
        for (int64_t c = 0; c < cells(p->n); c++) {
          const int64_t u[3] = { c / p->n[2] / p->n[1], c / p->n[2] % p->n[1], c % p->n[2] };
          int64_t at[3];
          bool inside = true;
          for (int a = 0; a < 3; a++) {
            at[a] = (q[a] - p->n[a] / 2 + u[a] + p->fast[a]) % p->fast[a];
            inside = inside && at[a] < p->d[a];
          }
          if (!inside)
            continue;
          const double v = f[(at[0] * p->fast[1] + at[1]) * p->fast[2] + at[2]];
          o += (double)m[c];
          fg += v * (double)k[c];
          fm += v * (double)m[c];
          ffm += v * v * (double)m[c];
          g += (double)k[c];
          gg += (double)k[c] * (double)k[c];
        }
        share[i] = o;
        root[i] = o > 0 ? sqrt(fmax(ffm - fm * fm / o, 0) * fmax(gg - g * g / o, 0)) : 0;
        out[i] = root[i] > 0 ? fmin(fmax((fg - fm * g / o) / root[i], -1), 1) : 0;
        most = fmax(most, o);
        most_root = fmax(most_root, root[i]);
      }
  for (i = 0; i < cells(p->d); i++)
    if (share[i] < 0.3 * most || root[i] < 1e-5 * most_root)
      out[i] = 0;
  free(f);
  free(share);
  free(root);
}

/* Scores of every voxel for rotation r, straight from the formulas. */
static void naive(const problem *p, const char *score, size_t r, double *out)
{
  const bool masked = strcmp(score, "MCC") == 0, cam = strcmp(score, "CAM") == 0, ncc = strcmp(score, "NCC") == 0;
  const bool flc = strcmp(score, "FLC") == 0 || masked, spherical = strcmp(score, "FLCSphericalMask") == 0 || cam;
  if (strcmp(score, "LCC") == 0) {
    problem edges = *p;
    edges.f = laplacian(p->ndim, p->d, p->f);
    edges.g = laplacian(p->ndim, p->n, p->g);
    naive(&edges, "CC", r, out);
    free(edges.f);
    free(edges.g);
    return;
  }
  const int64_t n = cells(p->n);
  double *f = filled(p, flc || spherical || ncc);
  float *g = calloc((size_t)n, sizeof *g), *m = calloc((size_t)n, sizeof *m), *k = calloc((size_t)n, sizeof *k);
  double total = sum(p->m, NULL, NULL, n), gbar = sum(p->g, p->m, NULL, n) / total;
  double ssd = sum(p->g, p->g, p->m, n) - total * gbar * gbar;
  memcpy(m, p->m, (size_t)n * sizeof *m);
  if (strcmp(score, "CORR") == 0)
    for (int64_t i = 0; i < n; i++)
      k[i] = p->g[i] * p->m[i];
  if (cam || ncc) /* of mean 0, so that what turns in from outside is its mean */
    for (int64_t i = 0; i < n; i++)
      k[i] = (float)((double)p->g[i] - sum(p->g, NULL, NULL, n) / (double)n);
  rotated(p, r, g, strcmp(score, "CORR") == 0 || cam || ncc ? k : p->g, false);
  if (flc)
    rotated(p, r, m, p->m, true);
  if (ncc)
    for (int64_t i = 0; i < n; i++)
      m[i] = 1;
  if (flc || spherical || ncc)
    normalise(g, m, n, k);
  else
    memcpy(k, g, (size_t)n * sizeof *k);
  double count = sum(m, NULL, NULL, n), deviation = 0;
  int64_t q[3], i = 0;
  for (int64_t c = 0; c < cells(p->fast); c++)
    deviation += f[c] * f[c] / (double)cells(p->d);
  for (q[0] = 0; q[0] < p->d[0]; q[0]++)
    for (q[1] = 0; q[1] < p->d[1]; q[1]++)
      for (q[2] = 0; q[2] < p->d[2]; q[2]++, i++) {
        double cc = correlate(p, f, k, q, 1);
        if (strcmp(score, "CC") == 0 || ncc) {
          out[i] = ncc ? cc / sqrt(deviation * (double)n) : cc;
          continue;
        }
        double w = correlate(p, f, m, q, 1), w2 = correlate(p, f, m, q, 2);
        if (flc || spherical)
          out[i] = cc / (count * sqrt(fmax(w2 / count - w / count * (w / count), 1e-30)));
        else
          out[i] = (cc - w * gbar) / sqrt(fmax((w2 - w * w / (double)n) * ssd, 1e-30));
      }
  if (masked)
    naive_masked(p, k, m, out);
  free(f);
  free(g);
  free(m);
  free(k);
}

static void random_problem(problem *p, gen *g, int ndim, const int64_t d[3], const int64_t n[3], bool soft)
{
  *p = (problem){ .ndim = ndim };
  memcpy(p->d, d, sizeof p->d);
  memcpy(p->n, n, sizeof p->n);
  p->f = malloc((size_t)cells(d) * sizeof *p->f);
  p->g = malloc((size_t)cells(n) * sizeof *p->g);
  p->m = malloc((size_t)cells(n) * sizeof *p->m);
  for (int64_t i = 0; i < cells(d); i++)
    p->f[i] = (float)(2 + gen_normal(g));
  for (int64_t i = 0; i < cells(n); i++) {
    p->g[i] = (float)(1 + gen_normal(g));
    p->m[i] = soft ? (float)gen_unit(g) : 1;
  }
  if (hed_rotations_sample(ndim, ndim == 2 ? 75 : 120, &p->rot, &p->n_rot) != HED_OK)
    bail("rotations: %s", hed_error_text());
  if (p->n_rot > 4)
    p->n_rot = 4;
}

static void free_problem(problem *p)
{
  free(p->f);
  free(p->g);
  free(p->m);
  free(p->rot);
}

static bool near(double a, double b, double scale)
{
  return fabs(a - b) <= 5e-4 * scale;
}

static void against_naive(problem *p, const char *score, bool pad, bool with_mask)
{
  hed_array *f = hed_from_host(p->f, shape_of(p->ndim, p->d), HED_FLOAT32);
  hed_array *g = hed_from_host(p->g, shape_of(p->ndim, p->n), HED_FLOAT32);
  hed_array *m = with_mask ? hed_from_host(p->m, shape_of(p->ndim, p->n), HED_FLOAT32) : NULL;
  hed_match_options opt = { .score = score, .pad = pad, .threshold = -INFINITY };
  hed_match_result r;
  if (!ok(hed_match_run(&opt, f, g, m, p->n_rot, p->rot, &r) == HED_OK, "%s %d-D runs", score, p->ndim)) {
    diag("%s", hed_error_text());
    goto done;
  }
  for (int i = 0; i < 3; i++)
    p->fast[i] = i < 3 - p->ndim ? 1 : r.transform.dim[i - (3 - p->ndim)];
  const float *s = hed_array_data(r.scores);
  const int32_t *index = hed_array_data(r.rotations);
  size_t n = (size_t)cells(p->d);
  double *all = malloc(p->n_rot * n * sizeof *all), scale = 0;
  for (size_t k = 0; k < p->n_rot; k++)
    naive(p, score, k, all + k * n);
  for (size_t i = 0; i < p->n_rot * n; i++)
    scale = fmax(scale, fabs(all[i]));
  size_t bad_score = 0, bad_index = 0;
  for (size_t i = 0; i < n; i++) {
    double best = -INFINITY;
    for (size_t k = 0; k < p->n_rot; k++)
      best = fmax(best, all[k * n + i]);
    bad_score += !near((double)s[i], best, scale);
    bad_index += index[i] < 0 || (size_t)index[i] >= p->n_rot || !near(all[(size_t)index[i] * n + i], best, scale);
  }
  is_uint(bad_score, 0, "%s %d-D%s%s: scores", score, p->ndim, pad ? ", padded" : "", with_mask ? ", mask" : "");
  is_uint(bad_index, 0, "%s %d-D%s%s: rotations", score, p->ndim, pad ? ", padded" : "", with_mask ? ", mask" : "");
  free(all);
  hed_match_result_clear(&r);
done:
  hed_release(f);
  hed_release(g);
  hed_release(m);
}

/* The default masks, as match.h states them. */
static void default_mask(problem *p, const char *score)
{
  hed_array *sphere = hed_match_sphere(shape_of(p->ndim, p->n), 0);
  if (strncmp(score, "FLC", 3) == 0 || strcmp(score, "CAM") == 0 || strcmp(score, "MCC") == 0)
    (void)hed_to_host(sphere, p->m, (size_t)cells(p->n) * sizeof *p->m);
  else
    for (int64_t i = 0; i < cells(p->n); i++)
      p->m[i] = 1;
  hed_release(sphere);
}

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
  hed_release(target);
  hed_release(tmpl);
  hed_release(mask);
  free(f);
  free(g);
}

/* At the identity and at quarter turns nothing is interpolated: there a mask of random 0 and 1 is itself, turned, and the
 * scores are the written-out sums' for every spline. */
static void unsmoothed_mask(void)
{
  static const int64_t d[3] = { 14, 15, 13 }, n[3] = { 5, 5, 5 };
  double turn[9 * 2] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, -1, 0, 0, 0, 0, 1 };
  problem p;
  gen g;
  gen_seed(&g, 5);
  random_problem(&p, &g, 3, d, n, false);
  for (int64_t i = 0; i < cells(n); i++)
    p.m[i] = gen_unit(&g) < 0.6 ? 1 : 0;
  free(p.rot);
  p.rot = turn;
  p.n_rot = 2;
  for (int r = 0; r < 2; r++) {
    float *m = malloc((size_t)cells(n) * sizeof *m);
    size_t between = 0;
    rotated(&p, (size_t)r, m, p.m, true);
    for (int64_t i = 0; i < cells(n); i++)
      between += m[i] != 0 && m[i] != 1;
    is_uint(between, 0, "the mask of rotation %d has no other values", r);
    free(m);
  }
  against_naive(&p, "FLC", false, true);
  p.rot = NULL;
  free_problem(&p);
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
  hed_release(target);
  hed_release(tmpl);
}

int main(void)
{
  static const int64_t image[3] = { 1, 21, 18 }, patch[3] = { 1, 7, 6 };
  static const int64_t volume[3] = { 11, 12, 10 }, box[3] = { 5, 4, 5 };
  gen g;
  gen_seed(&g, tap_seed());
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int ndim = 2; ndim <= 3; ndim++)
      for (int pad = 0; pad < 2; pad++) {
        problem p;
        random_problem(&p, &g, ndim, ndim == 2 ? image : volume, ndim == 2 ? patch : box, true);
        against_naive(&p, score, pad, true);
        default_mask(&p, score);
        against_naive(&p, score, pad, false);
        free_problem(&p);
      }
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int pad = 0; pad < 2; pad++) {
      cube(score, 7, pad);
      cube(score, 6, pad);
    }
  unsmoothed_mask();
  flat_windows();
  done_testing();
  return done();
}
