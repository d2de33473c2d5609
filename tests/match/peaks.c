// SPDX-License-Identifier: BSD-3-Clause
/* Peaks and tables: callers, places between voxels, order, distance, borders, least score, plateaus and ties, images; pairing
 * with a truth.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 30 };

typedef struct spot { int z, y, x; float score; } spot;

static const spot spots[] = {
  { 5, 5, 5, 0.9F }, { 5, 5, 9, 0.8F }, { 20, 8, 14, 0.7F }, { 20, 20, 20, 0.7F }, { 1, 15, 15, 0.6F }, { 12, 25, 3, 0.5F },
};
enum { SPOTS = sizeof spots / sizeof spots[0] };

static void calls(const hed_array *scores, const hed_array *rotations, hed_match_peak_options opt, const int *want,
                  size_t count, const char *name)
{
  hed_match_peak *p;
  size_t n;
  if (!ok(hed_match_peaks(scores, rotations, &opt, &p, &n) == HED_OK, "%s", name))
    diag("%s", hed_error_text());
  is_uint(n, count, "%s: how many", name);
  for (size_t i = 0; i < n && i < count; i++) {
    const spot *s = &spots[want[i]];
    ok(p[i].position[0] == s->z && p[i].position[1] == s->y && p[i].position[2] == s->x, "%s: place of peak %zu", name, i);
    is_near(p[i].score, (double)s->score, 1e-6, 0, "%s: score of peak %zu", name, i);
    is_int(p[i].rotation, want[i], "%s: rotation of peak %zu", name, i);
  }
  free(p);
}

static void volume(void)
{
  float *s = calloc(N * N * N, sizeof *s);
  int32_t *r = malloc(N * N * N * sizeof *r);
  for (int i = 0; i < N * N * N; i++) {
    s[i] = 0.1F;
    r[i] = -1;
  }
  for (int i = 0; i < SPOTS; i++) {
    int at = (spots[i].z * N + spots[i].y) * N + spots[i].x;
    s[at] = spots[i].score;
    r[at] = i;
  }
  s[(28 * N + 3) * N + 3] = 5; /* no rotation: not a peak */
  hed_array *scores = hed_from_host(s, HED_SHAPE(N, N, N), HED_FLOAT32);
  hed_array *rotations = hed_from_host(r, HED_SHAPE(N, N, N), HED_INT32);
  static const int all[] = { 0, 1, 2, 3, 4, 5 }, apart[] = { 0, 2, 3, 4, 5 }, inner[] = { 0, 1, 2, 3, 5 };
  calls(scores, rotations, (hed_match_peak_options){ 0 }, all, 6, "defaults");
  calls(scores, rotations, (hed_match_peak_options){ .num_peaks = 3 }, all, 3, "three at most");
  calls(scores, rotations, (hed_match_peak_options){ .min_distance = 4 }, all, 6, "just far enough apart");
  calls(scores, rotations, (hed_match_peak_options){ .min_distance = 4.1 }, apart, 5, "too near");
  calls(scores, rotations, (hed_match_peak_options){ .border = 2 }, inner, 5, "away from the faces");
  calls(scores, rotations, (hed_match_peak_options){ .use_min_score = true, .min_score = 0.65 }, all, 4, "good ones");
  calls(scores, rotations, (hed_match_peak_options){ .use_min_score = true, .min_score = 9 }, all, 0, "none");
  hed_match_peak *p;
  size_t n;
  hed_array *image = hed_zeros(HED_SHAPE(4, 4), HED_INT32);
  is_int(hed_match_peaks(scores, image, NULL, &p, &n), HED_E_SHAPE, "shapes that differ");
  is_int(hed_match_peaks(NULL, rotations, NULL, &p, &n), HED_E_INVAL, "NULL");
  const hed_match_peak_options wrong = { .min_distance = -1 };
  is_int(hed_match_peaks(scores, rotations, &wrong, &p, &n), HED_E_INVAL, "a negative distance");
  RELEASE(image, scores, rotations);
  free(s);
  free(r);
}

static void table(void)
{
  const hed_match_peak peaks[2] = { { { 3, 4, 5 }, 0.5, 1, { 0, 0, 0.25 } }, { { 1, 1, 1 }, 0.25, 0, { 0, 0, 0 } } };
  const double voxel[3] = { 2, 3, 4 }, origin[3] = { 100, 200, 300 }, euler[3] = { 30, 40, 50 };
  double m[18];
  hed_table t;
  const double zero[3] = { 0, 0, 0 };
  hed_rotation_from_euler(zero, m);
  hed_rotation_from_euler(euler, m + 9);
  ok(hed_match_table(2, peaks, 3, m, 2, voxel, origin, &t) == HED_OK, "a table");
  is_uint(t.n, 2, "of two rows");
  is_near(t.row[0].angstrom[0], 106, 1e-12, 0, "z in angstrom");
  is_near(t.row[0].angstrom[2], 321, 1e-12, 0, "x in angstrom, between voxels");
  is_near(t.row[0].euler[1], 40, 1e-9, 0, "theta");
  is_int(t.row[1].id, 2, "ids count from 1");
  hed_table_clear(&t);
  is_int(hed_match_table(2, peaks, 3, m, 1, voxel, origin, &t), HED_E_INVAL, "a rotation that is not there");
  double plane[4];
  hed_rotation_from_angle(70, plane);
  ok(hed_match_table(1, peaks + 1, 2, plane, 1, voxel, NULL, &t) == HED_OK, "of an image");
  is_near(t.row[0].euler[0], 70, 1e-9, 0, "its angle");
  hed_table_clear(&t);
}

static void comparison(void)
{
  hed_table_row found[3] = { { .id = 1, .position = { 10, 10, 11 }, .euler = { 5, 0, 0 } },
                             { .id = 2, .position = { 10, 10, 12 } },
                             { .id = 3, .position = { 30, 30, 30 } } };
  hed_table_row truth[2] = { { .id = 1, .position = { 10, 10, 10 } }, { .id = 2, .position = { 50, 50, 50 } } };
  hed_table f = { .n = 3, .row = found }, t = { .n = 2, .row = truth }, none = { 0 };
  hed_match_quality q;
  int64_t partner[3];
  ok(hed_match_compare(&f, &t, 4, &q, partner) == HED_OK, "compared");
  is_uint(q.hits, 1, "one truth, one hit");
  is_int(partner[0], 0, "the nearer one");
  is_int(partner[1], -1, "the other has none");
  is_near(q.recall, 0.5, 1e-12, 0, "recall");
  is_near(q.precision, 1.0 / 3, 1e-12, 0, "precision");
  is_near(q.position_mean, 1, 1e-12, 0, "position");
  is_near(q.angle_mean, 5, 1e-9, 0, "angle");
  ok(hed_match_compare(&none, &t, 4, &q, NULL) == HED_OK && q.recall <= 0 && isnan(q.precision) && isnan(q.angle_max),
     "nothing found");
}

/* Lobes: near a better peak a low one is none; far from it, or high enough, it is. Distances go round the faces if asked to. */
static void lobes(void)
{
  static float v[40 * 40];
  static int32_t r[40 * 40];
  v[20 * 40 + 20] = 1;
  v[20 * 40 + 26] = 0.3F;  /* 6 from it: a lobe          */
  v[27 * 40 + 20] = 0.5F;  /* 7 from it: high enough     */
  v[20 * 40 + 2] = 0.9F;
  v[20 * 40 + 37] = 0.25F; /* 5 from that round the face */
  v[5 * 40 + 10] = 0.2F;   /* far from all               */
  hed_array *s = hed_from_host(v, HED_SHAPE(40, 40), HED_FLOAT32), *i = hed_from_host(r, HED_SHAPE(40, 40), HED_INT32);
  hed_match_peak_options o = { .min_distance = 3, .min_score = 0.1, .use_min_score = true };
  hed_match_peak *p;
  size_t n;
  ok(hed_match_peaks(s, i, &o, &p, &n) == HED_OK && n == 6, "without the rule: six");
  free(p);
  o.lobe_distance = 10;
  o.lobe_fraction = 0.4;
  ok(hed_match_peaks(s, i, &o, &p, &n) == HED_OK && n == 5, "with it: five");
  free(p);
  o.wraps = true;
  ok(hed_match_peaks(s, i, &o, &p, &n) == HED_OK && n == 4, "round the faces: four");
  is_near(p ? p[3].score : 0, 0.2, 1e-6, 0, "the lowest, far from all, is one");
  free(p);
  o.lobe_fraction = 2;
  is_int(hed_match_peaks(s, i, &o, &p, &n), HED_E_INVAL, "a fraction of 2");
  RELEASE(s, i);
}

/* A map of random scores and its peaks by a caller. */
enum { M = 17 };

typedef struct called { hed_match_peak *p; size_t n; } called;

static called call(const hed_array *s, const hed_array *r, hed_match_peak_options o)
{
  called c = { NULL, 0 };
  if (!ok(hed_match_peaks(s, r, &o, &c.p, &c.n) == HED_OK, "caller %d", (int)o.caller))
    diag("%s", hed_error_text());
  return c;
}

static bool among(const called *c, const int64_t p[3])
{
  for (size_t i = 0; i < c->n; i++)
    if (memcmp(c->p[i].position, p, sizeof c->p[i].position) == 0)
      return true;
  return false;
}

static double squared(const int64_t a[3], const int64_t b[3])
{
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += (double)((a[i] - b[i]) * (a[i] - b[i]));
  return s;
}

/* Every caller against its definition, written out. */
static void callers(gen *g)
{
  static float v[M * M * M];
  static int32_t r[M * M * M];
  const double d = 3;
  for (int i = 0; i < M * M * M; i++)
    v[i] = (float)gen_unit(g);
  hed_array *s = hed_from_host(v, HED_SHAPE(M, M, M), HED_FLOAT32), *n = hed_from_host(r, HED_SHAPE(M, M, M), HED_INT32);
  called sort = call(s, n, (hed_match_peak_options){ .caller = HED_PEAKS_SORT, .num_peaks = 40, .min_distance = d });
  called all = call(s, n, (hed_match_peak_options){ .caller = HED_PEAKS_RECURSIVE, .num_peaks = 100000, .min_distance = d });
  called tiles = call(s, n, (hed_match_peak_options){ .caller = HED_PEAKS_TILES, .min_distance = d });
  called box = call(s, n, (hed_match_peak_options){ .caller = HED_PEAKS_BOX, .min_distance = d });
  size_t above = 0, bad = 0, boxes = 0, missing = 0;
  for (int i = 0; i < M * M * M; i++) {
    const int64_t p[3] = { i / M / M, i / M % M, i % M };
    bool largest = true, near = false;
    above += sort.n == 40 && (double)v[i] > sort.p[39].score;
    for (int k = 0; k < M * M * M && largest; k++) {
      const int64_t q[3] = { k / M / M, k / M % M, k % M };
      largest = v[k] <= v[i] || llabs(p[0] - q[0]) > (int64_t)d || llabs(p[1] - q[1]) > (int64_t)d || llabs(p[2] - q[2]) > (int64_t)d;
    }
    boxes += largest;
    missing += largest && (!among(&box, p) || !among(&tiles, p));
    for (size_t k = 0; k < all.n; k++) {
      const double apart = squared(p, all.p[k].position);
      near = near || (apart < d * d && all.p[k].score >= (double)v[i]);
    }
    bad += !near; /* a better peak is within reach of every voxel: nothing was left out */
  }
  is_uint(sort.n, 40, "sort: as many as asked for");
  is_uint(above, 39, "sort: the highest");
  is_uint(bad, 0, "recursive: all but what better peaks rule out");
  for (size_t i = 0; i < all.n; i++)
    for (size_t k = 0; k < i; k++)
      bad += squared(all.p[i].position, all.p[k].position) < d * d || all.p[k].score < all.p[i].score;
  is_uint(bad, 0, "recursive: apart, best first");
  is_uint(box.n, boxes, "box: as many as there are maxima");
  is_uint(tiles.n, boxes, "tiles: the same here");
  is_uint(missing, 0, "both: where they are");
  free(sort.p);
  free(all.p);
  free(tiles.p);
  free(box.p);

  /* on a slope: two clusters and a lone voxel above the cut, a spike on a hill */
  for (int i = 0; i < M * M * M; i++)
    v[i] = 0.01F * (float)(i % 3);
  for (int i = 0; i < 5; i++) {
    v[(3 * M + 3) * M + 3 + i] = 0.5F + 0.05F * (float)i;
    v[(12 * M + 12 - i) * M + 12] = 0.9F - 0.05F * (float)i;
  }
  v[(3 * M + 14) * M + 14] = 0.95F;
  hed_release(s);
  s = hed_from_host(v, HED_SHAPE(M, M, M), HED_FLOAT32);
  called lumps = call(s, n, (hed_match_peak_options){ .caller = HED_PEAKS_CLUSTER, .min_distance = 2, .min_score = 0.4,
                                                      .use_min_score = true });
  is_uint(lumps.n, 2, "cluster: two, without the lone voxel");
  if (lumps.n == 2) {
    is_near(lumps.p[0].score, 0.9, 1e-6, 0, "cluster: the best of one");
    is_near(lumps.p[1].score, 0.7, 1e-6, 0, "and of the other");
  }
  free(lumps.p);
  hed_match_peak_options o = { .min_distance = 3, .use_min_score = true, .min_score = 0.4, .max_score = 0.92 };
  called capped = call(s, n, o);
  is_uint(capped.n, 2, "max_score leaves the lone voxel out");
  free(capped.p);
  hed_array *half = hed_ones(HED_SHAPE(M, M, M), HED_FLOAT32);
  const hed_slice_range upper[1] = { HED_RANGE(8, M, 1) };
  HED_SCOPE ok(hed_fill(hed_slice(half, 1, upper), 0) == HED_OK, "a mask");
  o.mask = half;
  o.max_score = 0;
  called masked = call(s, n, o);
  is_uint(masked.n, 2, "mask: what is in there");
  free(masked.p);
  o.mask = n;
  is_int(hed_match_peaks(s, half, &(hed_match_peak_options){ .caller = 9 }, &masked.p, &masked.n), HED_E_INVAL, "no such caller");
  is_int(hed_match_peaks(s, n, &(hed_match_peak_options){ .caller = HED_PEAKS_CLUSTER }, &masked.p, &masked.n), HED_E_INVAL,
         "clusters without a cut");
  RELEASE(half, s, n);
}

/* The top of a paraboloid is found where it is; rods side by side, which a ball takes for one, by their mask; a spike, not the
   hill. */
static void shapes(void)
{
  static float v[M * M * M];
  static int32_t r[M * M * M];
  const double top[3] = { 7.3, 8.8, 6 };
  hed_array *n = hed_from_host(r, HED_SHAPE(M, M, M), HED_INT32);
  for (int i = 0; i < M * M * M; i++) {
    const double p[3] = { i / M / M - top[0], i / M % M - top[1], i % M - top[2] };
    v[i] = (float)(5 - 0.01 * p[0] * p[0] - 0.02 * p[1] * p[1] - 0.03 * p[2] * p[2]);
  }
  hed_array *s = hed_from_host(v, HED_SHAPE(M, M, M), HED_FLOAT32);
  called c = call(s, n, (hed_match_peak_options){ .num_peaks = 1, .subvoxel = true });
  for (int a = 0; c.n == 1 && a < 3; a++)
    is_near((double)c.p[0].position[a] + c.p[0].offset[a], top[a], 2e-3, 0, "axis %d: between voxels", a);
  free(c.p);
  hed_release(s);

  double identity[9];
  hed_rotation_from_euler((double[3]){ 0, 0, 0 }, identity);
  hed_array *rod = hed_zeros(HED_SHAPE(9, 9, 9), HED_FLOAT32);
  const hed_slice_range along[3] = { HED_RANGE(4, 5, 1), HED_RANGE(4, 5, 1), HED_RANGE(0, 9, 1) };
  HED_SCOPE ok(hed_fill(hed_slice(rod, 3, along), 1) == HED_OK, "a rod along x");
  memset(v, 0, sizeof v);
  v[(8 * M + 8) * M + 8] = 0.9F;
  v[(8 * M + 10) * M + 8] = 0.8F; /* beside it */
  v[(8 * M + 8) * M + 11] = 0.7F; /* in it     */
  s = hed_from_host(v, HED_SHAPE(M, M, M), HED_FLOAT32);
  hed_match_peak_options o = { .caller = HED_PEAKS_RECURSIVE, .use_min_score = true, .min_score = 0.5, .tmpl_mask = rod,
                               .matrices = identity, .n_matrices = 1 };
  c = call(s, n, o);
  is_uint(c.n, 2, "a neighbour is found, the rod's own lobe is not");
  is_near(c.n == 2 ? c.p[1].score : 0, 0.8, 1e-6, 0, "it is the neighbour");
  free(c.p);
  o.caller = HED_PEAKS_MAXIMUM;
  is_int(hed_match_peaks(s, n, &o, &c.p, &c.n), HED_E_INVAL, "a template's mask for another caller");
  RELEASE(s, rod);

  for (int i = 0; i < M * M * M; i++) {
    const double p[3] = { i / M / M - 4, i / M % M - 4, i % M - 4 };
    v[i] = (float)(0.8 * exp(-(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / 200) + 0.003 * ((i * 7919) % 13) / 13);
  }
  v[(12 * M + 12) * M + 12] = 0.6F;
  s = hed_from_host(v, HED_SHAPE(M, M, M), HED_FLOAT32);
  o = (hed_match_peak_options){ .use_min_score = true, .min_score = 0.3, .min_distance = 6 };
  c = call(s, n, o);
  is_uint(c.n, 2, "a hill and a spike");
  free(c.p);
  o.tophat = true;
  c = call(s, n, o);
  ok(c.n == 1 && c.p[0].position[0] == 12, "the spike alone, where the top-hat counts");
  free(c.p);
  RELEASE(s, n);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  callers(&g);
  shapes();
  volume();
  table();
  comparison();
  lobes();
  done_testing();
  return done();
}
