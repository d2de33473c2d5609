// SPDX-License-Identifier: BSD-3-Clause
/*
 * Peaks and tables: order, distance, borders, least score, plateaus and ties, images; pairing with a truth.
 */
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
  hed_release(image);
  hed_release(scores);
  hed_release(rotations);
  free(s);
  free(r);
}

static void table(void)
{
  const hed_match_peak peaks[2] = { { { 3, 4, 5 }, 0.5, 1 }, { { 1, 1, 1 }, 0.25, 0 } };
  const double voxel[3] = { 2, 3, 4 }, origin[3] = { 100, 200, 300 }, euler[3] = { 30, 40, 50 };
  double m[18];
  hed_table t;
  const double zero[3] = { 0, 0, 0 };
  hed_rotation_from_euler(zero, m);
  hed_rotation_from_euler(euler, m + 9);
  ok(hed_match_table(2, peaks, 3, m, 2, voxel, origin, &t) == HED_OK, "a table");
  is_uint(t.n, 2, "of two rows");
  is_near(t.row[0].angstrom[0], 106, 1e-12, 0, "z in angstrom");
  is_near(t.row[0].angstrom[2], 320, 1e-12, 0, "x in angstrom");
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
  hed_table f = { 3, found }, t = { 2, truth }, none = { 0, NULL };
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
  hed_release(s);
  hed_release(i);
}

int main(void)
{
  volume();
  table();
  comparison();
  lobes();
  done_testing();
  return done();
}
