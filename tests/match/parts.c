// SPDX-License-Identifier: BSD-3-Clause
/* Targets matched in parts against the same ones matched at once: every score, images and volumes, odd and even extents
 * of target and template, with and without wrapping round, with more and more parts, one and two workers; where the
 * deviation is large at one end only, so that what is flat depends on the other parts; peaks on seams; limits; sub-volumes, each with
 * the contrast transfer of its place, against searches with a filter for that place.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/refine.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hed_array *noise(gen *g, hed_shape s, double mean, double slope)
{
  float *v = malloc((size_t)elements_of(s) * sizeof *v);
  for (int64_t i = 0; i < elements_of(s); i++)
    v[i] = (float)(mean + gen_normal(g) * (1 + slope * (double)i / (double)elements_of(s)));
  hed_array *x = hed_from_host(v, s, HED_FLOAT32);
  free(v);
  if (!x)
    bail("%s", hed_error_text());
  return x;
}

static int n_parts(const hed_match_result *r)
{
  return (int)elements_of(r->parts);
}

/* B, in parts, has A's scores: a transform rounds in proportion to the target's large end, whose squares are 900 times those of
 * the small one, of which deviations come. Rotations differ only where two scores are the same up to rounding. */
static void same_result(const hed_match_result *a, const hed_match_result *b, const char *what)
{
  const float *s = hed_array_data(a->scores), *t = hed_array_data(b->scores);
  const int32_t *i = hed_array_data(a->rotations), *j = hed_array_data(b->rotations);
  const int64_t n = hed_array_size(a->scores);
  double scale = 0, worst = 0;
  int64_t other = 0;
  for (int64_t k = 0; k < n; k++)
    scale = fmax(scale, fabs((double)s[k]));
  for (int64_t k = 0; k < n; k++) {
    worst = fmax(worst, fabs((double)s[k] - (double)t[k]));
    other += i[k] != j[k];
  }
  if (!ok(worst <= 3e-4 * scale && other <= n / 200, "%s: %d parts", what, n_parts(b)))
    diag("largest difference %g of %g, %lld of %lld rotations differ; parts %lld %lld %lld", worst, scale, (long long)other,
         (long long)n, (long long)b->parts.dim[0], (long long)b->parts.dim[1], (long long)b->parts.dim[2]);
}

static void more_and_more(gen *g, const char *score, hed_shape f, hed_shape t, bool pad)
{
  const double mean = strcmp(score, "FLC") == 0 || strcmp(score, "FLCSphericalMask") == 0 ? 100 : 0.1;
  hed_array *target = noise(g, f, mean, 30), *tmpl = noise(g, t, 1, 0);
  double *rotations;
  size_t n;
  char what[96];
  if (hed_rotations_sample(f.ndim, f.ndim == 2 ? 75 : 120, &rotations, &n) != HED_OK)
    bail("%s", hed_error_text());
  n = n < 4 ? n : 4;
  hed_match_options opt = { .score = score, .pad = pad, .threshold = -INFINITY };
  hed_match_result whole, part;
  snprintf(what, sizeof what, "%s %d-D %lld, %lld%s", score, (int)f.ndim, (long long)f.dim[0], (long long)t.dim[0],
           pad ? ", padded" : "");
  if (!ok(hed_match_run(&opt, target, tmpl, NULL, n, rotations, &whole) == HED_OK && n_parts(&whole) == 1, "%s", what)) {
    diag("%s", hed_error_text());
    return;
  }
  size_t memory = whole.memory;
  int before = 1;
  for (int step = 0; step < 4; step++) {
    opt.memory_limit = memory - 1;
    opt.workers = step % 2 ? "cpu*1" : NULL;
    if (opt.workers && hed_backend_require("cpu") != HED_OK)
      opt.workers = NULL;
    hed_error_clear();
    hed_status status = hed_match_run(&opt, target, tmpl, NULL, n, rotations, &part);
    if (status == HED_E_LIMIT)
      break;
    if (!ok(status == HED_OK && part.memory <= opt.memory_limit && n_parts(&part) > before, "%s within %zu bytes", what,
            opt.memory_limit)) {
      diag("%s", status == HED_OK ? "too much, or no more parts" : hed_error_text());
      break;
    }
    same_result(&whole, &part, what);
    memory = part.memory;
    before = n_parts(&part);
    hed_match_result_clear(&part);
  }
  ok(before > 1, "%s was divided", what);
  hed_match_result_clear(&whole);
  free(rotations);
  RELEASE(target, tmpl);
}

/* Copies of the template in noise: in the middle, where two parts meet, and elsewhere. */
static void seams(gen *g)
{
  enum { N = 64, T = 12, COPIES = 5 };
  static const int64_t at[COPIES][2] = { { 32, 32 }, { 31, 12 }, { 16, 48 }, { 48, 20 }, { 10, 31 } };
  float *v = malloc(N * N * sizeof *v), t[T * T];
  for (int i = 0; i < N * N; i++)
    v[i] = (float)(0.05 * gen_normal(g));
  for (int i = 0; i < T * T; i++)
    t[i] = (float)gen_normal(g);
  for (int c = 0; c < COPIES; c++)
    for (int y = 0; y < T; y++)
      for (int x = 0; x < T; x++)
        v[(at[c][0] - T / 2 + y) * N + at[c][1] - T / 2 + x] += t[y * T + x];
  hed_array *target = hed_from_host(v, HED_SHAPE(N, N), HED_FLOAT32), *tmpl = hed_from_host(t, HED_SHAPE(T, T), HED_FLOAT32);
  const double identity[4] = { 1, 0, 0, 1 };
  hed_match_options opt = { .score = "FLCSphericalMask" };
  hed_match_peak_options peaks = { .num_peaks = 20, .min_distance = 5, .min_score = 0.8, .use_min_score = true };
  hed_match_result r;
  for (int round = 0; round < 4; round++) {
    hed_match_peak *found = NULL;
    size_t n = 0;
    int right = 0;
    if (hed_match_run(&opt, target, tmpl, NULL, 1, identity, &r) != HED_OK ||
        hed_match_peaks(r.scores, r.rotations, &peaks, &found, &n) != HED_OK) {
      if (hed_error() != HED_E_LIMIT || round < 2)
        fail("seams: %s", hed_error_text());
      break;
    }
    for (size_t i = 0; i < n; i++)
      for (int c = 0; c < COPIES; c++)
        right += found[i].position[1] == at[c][0] && found[i].position[2] == at[c][1];
    if (!ok(n == COPIES && right == COPIES, "copies on seams are found once, in %d parts", n_parts(&r)))
      diag("%zu peaks, %d at their places", n, right);
    opt.memory_limit = r.memory - 1;
    free(found);
    hed_match_result_clear(&r);
  }
  free(v);
  RELEASE(target, tmpl);
}

/* A limit of the context divides as the option does. */
static void limit_of_context(gen *g)
{
  const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  hed_array *target = noise(g, HED_SHAPE(48, 48, 48), 0, 0), *tmpl = noise(g, HED_SHAPE(7, 7, 7), 0, 0);
  hed_match_result whole, part = { 0 };
  if (hed_match_run(NULL, target, tmpl, NULL, 1, identity, &whole) != HED_OK)
    bail("%s", hed_error_text());
  char spec[48];
  snprintf(spec, sizeof spec, ";memory=%zu", whole.memory - (whole.memory >> 3)); /* what is in use already does not count */
  HED_BACKEND_CONTEXT(spec)
    is_int(hed_match_run(NULL, target, tmpl, NULL, 1, identity, &part), HED_OK, "a run in a context with a limit");
  if (ok(part.scores != NULL && n_parts(&part) > 1, "goes by parts"))
    same_result(&whole, &part, "limit of the context");
  else
    diag("%s", hed_error_text());
  hed_match_result_clear(&whole);
  hed_match_result_clear(&part);
  RELEASE(target, tmpl);
}

/* Just within a limit a target is matched at once, just beyond it in parts. */
static void at_the_limit(gen *g, const char *score, bool pad, int workers)
{
  const hed_shape f = HED_SHAPE(46, 53, 61), t = HED_SHAPE(9, 8, 7);
  const double turns[18] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, -1, 0, 0, 0, 0, 1 };
  char list[32];
  snprintf(list, sizeof list, "%s*%d", hed_get_backend(), workers);
  hed_array *target = noise(g, f, 0, 0), *tmpl = noise(g, t, 0, 0);
  hed_match_options opt = { .score = score, .pad = pad, .threshold = -INFINITY, .workers = list,
                            .memory_limit = hed_match_memory(score, f, t, pad, workers) };
  hed_match_result within, below;
  if (!ok(hed_match_run(&opt, target, tmpl, NULL, 2, turns, &within) == HED_OK && n_parts(&within) == 1,
          "%s, workers %s: at once just within the limit", score, list))
    bail("%s", hed_error_text());
  opt.memory_limit--;
  if (!ok(hed_match_run(&opt, target, tmpl, NULL, 2, turns, &below) == HED_OK && n_parts(&below) > 1,
          "%s, workers %s: in parts just below it", score, list))
    bail("%s", hed_error_text());
  same_result(&within, &below, score);
  hed_match_result_clear(&within);
  hed_match_result_clear(&below);
  RELEASE(target, tmpl);
}

enum { SUB_Z = 23, SUB_Y = 16, SUB_X = 26, SUB_N = 9 };

/* Electrons so slow that the defocus of a few angstrom tells. */
static hed_match_filter local_filter(const hed_tilts *t)
{
  return (hed_match_filter){ .voxel = { 3, 3, 3 }, .wedge = HED_WEDGE_TILTS, .ctf = HED_CTF_RAW, .tilts = t, .offset = { 5, 0, -2 } };
}

/* Scores in sub-volumes are those of a search of all with the filter for the sub-volume's middle. */
static void sub_volumes(gen *g, int handedness)
{
  static double angle[5] = { -50, -20, 0, 25, 50 }, defocus[5] = { 900, 1000, 950, 1000, 1100 };
  static const int64_t count[3] = { 2, 1, 3 }, n[3] = { SUB_Z, SUB_Y, SUB_X };
  const hed_tilts t = { .n = 5, .angle = angle, .defocus_u = defocus, .kilovolt = 2, .handedness = handedness };
  hed_array *target = noise(g, HED_SHAPE(SUB_Z, SUB_Y, SUB_X), 0, 0), *tmpl = noise(g, HED_SHAPE(SUB_N, SUB_N, SUB_N), 1, 0);
  hed_match_filter f = local_filter(&t);
  hed_match_options o = { .template_filter = &f, .threshold = -INFINITY, .sub_volumes = { count[0], count[1], count[2] } };
  hed_match_result r, whole;
  double *rotations, worst = 0, apart = 0;
  size_t n_rotations, other = 0;
  if (hed_rotations_sample(3, 100, &rotations, &n_rotations) != HED_OK)
    bail("%s", hed_error_text());
  if (!ok(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r) == HED_OK && n_parts(&r) == 6, "sub-volumes"))
    diag("%s", hed_error_text());
  for (int64_t part = 0; part < 6; part++) {
    int64_t from[3], to[3];
    o = (hed_match_options){ .template_filter = &f, .threshold = -INFINITY };
    f = local_filter(&t);
    for (int i = 0; i < 3; i++) {
      const int64_t size = (n[i] + count[i] - 1) / count[i], k = i == 0 ? part / 3 : i == 1 ? 0 : part % 3;
      from[i] = k * size;
      to[i] = from[i] + size < n[i] ? from[i] + size : n[i];
      f.offset[i] += 3 * ((double)(from[i] + to[i] - 1) / 2 - (double)(n[i] - 1) / 2);
    }
    if (hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &whole) != HED_OK)
      bail("%s", hed_error_text());
    for (int64_t k = 0; k < elements_of(HED_SHAPE(SUB_Z, SUB_Y, SUB_X)); k++) {
      const int64_t at[3] = { k / SUB_X / SUB_Y, k / SUB_X % SUB_Y, k % SUB_X };
      const float *s = hed_array_data(r.scores), *w = hed_array_data(whole.scores);
      const int32_t *turn = hed_array_data(r.rotations), *wanted = hed_array_data(whole.rotations);
      const double d = fabs((double)s[k] - (double)w[k]);
      bool here = true;
      for (int i = 0; i < 3; i++)
        here = here && at[i] >= from[i] && at[i] < to[i];
      worst = here ? fmax(worst, d) : worst;
      apart = here ? apart : fmax(apart, d);
      other += here && turn[k] != wanted[k];
    }
    hed_match_result_clear(&whole);
  }
  ok(worst < 2e-5 && other < 5, "each scores with its own contrast transfer, to %g; %zu rotations differ", worst, other);
  ok(apart > 0.05, "which is not that of the others: %g", apart);
  hed_match_result_clear(&r);
  RELEASE(target, tmpl);
  free(rotations);
}

/* A refined row has the filter of its place; what cannot be is refused. */
static void local_defocus(gen *g)
{
  static double angle[3] = { -40, 0, 40 }, defocus[3] = { 900, 1000, 1100 };
  const hed_tilts t = { .n = 3, .angle = angle, .defocus_u = defocus, .kilovolt = 2 };
  hed_array *target = noise(g, HED_SHAPE(20, 20, 21), 0, 0), *tmpl = noise(g, HED_SHAPE(SUB_N, SUB_N, SUB_N), 1, 0);
  hed_table_row rows[2] = { { .id = 1, .position = { 6, 10, 14 } }, { .id = 2, .position = { 14, 8, 7 } } };
  const hed_table start = { .n = 2, .row = rows };
  hed_match_filter f = local_filter(&t);
  hed_refine_options o = { .template_filter = &f, .evaluations = 20, .local_defocus = true };
  hed_table local, one, flat;
  ok(hed_match_refine(&o, target, tmpl, NULL, &start, &local, NULL) == HED_OK && local.n == 2, "rows with their places' defocus");
  o.local_defocus = false;
  double matters = 0;
  for (int i = 0; i < 2; i++) {
    const hed_table alone = { .n = 1, .row = &rows[i] };
    f = local_filter(&t);
    if (hed_match_refine(&o, target, tmpl, NULL, &alone, &flat, NULL) != HED_OK)
      bail("%s", hed_error_text());
    f.offset[0] += 3 * (rows[i].position[0] - 9.5);
    f.offset[1] += 3 * (rows[i].position[1] - 9.5);
    f.offset[2] += 3 * (rows[i].position[2] - 10);
    if (hed_match_refine(&o, target, tmpl, NULL, &alone, &one, NULL) != HED_OK)
      bail("%s", hed_error_text());
    is_near(local.row[i].score, one.row[0].score, 1e-6, 0, "row %d", i);
    matters = fmax(matters, fabs(local.row[i].score - flat.row[0].score));
    hed_table_clear(&one);
    hed_table_clear(&flat);
  }
  ok(matters > 1e-5, "which matters: %g", matters); /* ten times what rows may be off by; of noise, either row's may be next to 0 */
  hed_table_clear(&local);
  const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  hed_match_result r;
  f = local_filter(&t);
  hed_match_options m = { .template_filter = &f, .sub_volumes = { 1, 21, 1 } };
  is_int(hed_match_run(&m, target, tmpl, NULL, 1, identity, &r), HED_E_INVAL, "more sub-volumes than positions");
  m.sub_volumes[1] = -1;
  is_int(hed_match_run(&m, target, tmpl, NULL, 1, identity, &r), HED_E_INVAL, "less than none");
  f.ctf = HED_CTF_NONE;
  m.sub_volumes[1] = 2;
  is_int(hed_match_run(&m, target, tmpl, NULL, 1, identity, &r), HED_E_INVAL, "sub-volumes without contrast transfer");
  o.local_defocus = true;
  is_int(hed_match_refine(&o, target, tmpl, NULL, &start, &one, NULL), HED_E_INVAL, "nor can rows be refined so");
  RELEASE(target, tmpl);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int pad = 0; pad < 2; pad++) {
      more_and_more(&g, score, HED_SHAPE(61, 80), HED_SHAPE(8, 7), pad);
      more_and_more(&g, score, HED_SHAPE(130, 44), HED_SHAPE(9, 12), pad);
      more_and_more(&g, score, HED_SHAPE(23, 40, 31), HED_SHAPE(6, 5, 8), pad);
      more_and_more(&g, score, HED_SHAPE(34, 20, 27), HED_SHAPE(7, 9, 4), pad);
    }
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++) {
    at_the_limit(&g, score, i & 1, 1 + i % 3);
    HED_BACKEND_CONTEXT("reference")
      at_the_limit(&g, score, i & 1, 1 + i % 2);
  }
  seams(&g);
  limit_of_context(&g);
  sub_volumes(&g, 0);
  sub_volumes(&g, -1);
  local_defocus(&g);
  return done();
}
