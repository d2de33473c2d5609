// SPDX-License-Identifier: BSD-3-Clause
/* From coarse to fine: what is reported is the full search's score at that place and rotation, and its best there; particles are found
 * that the full search finds; stages taken up again; memory; what is refused.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/rotation.h>
#include <heddle/kits/staged.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hed_array *noise(gen *g, hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  float *v = malloc(n * sizeof *v);
  for (size_t i = 0; i < n; i++)
    v[i] = (float)gen_normal(g);
  hed_array *x = hed_from_host(v, s, HED_FLOAT32);
  free(v);
  if (!x)
    bail("%s", hed_error_text());
  return x;
}

/* Without symmetry, and smooth. */
static hed_array *smooth(gen *g, hed_shape s, double sigma)
{
  hed_array *x = noise(g, s), *y = hed_gaussian_filter(x, 1, &sigma, NULL);
  hed_release(x);
  if (!y)
    bail("%s", hed_error_text());
  return y;
}

static double at(const hed_array *x, const double p[3])
{
  const hed_shape s = hed_array_shape(x);
  int64_t k = 0;
  for (int i = 0; i < s.ndim; i++)
    k = k * s.dim[i] + llround(p[3 - s.ndim + i]);
  return (double)((const float *)hed_array_data(x))[k];
}

typedef struct scan { const char *name, *score; hed_shape f, t; bool pad, soft, wedge, target, region, masked; int32_t bin; } scan;

/* Every row's score is the full search's best at its place, and its rotation the one that has it. */
static void equal(gen *g, const scan *c)
{
  const double step = c->f.ndim == 3 ? 50 : 12;
  double *r;
  size_t n;
  if (hed_rotations_sample(c->f.ndim, step, &r, &n) != HED_OK)
    bail("%s", hed_error_text());
  hed_array *f = noise(g, c->f), *t = smooth(g, c->t, 1), *mask = NULL, *where = NULL;
  if (c->soft) {
    hed_array *sphere = hed_match_sphere(c->t, 0);
    mask = hed_gaussian_filter(sphere, 1, &(double){ 0.7 }, NULL);
    hed_release(sphere);
  }
  const hed_match_filter wedge = { .wedge = HED_WEDGE_CONTINUOUS, .tilt_low = -50, .tilt_high = 60, .low_pass = 3 };
  const hed_match_filter band = { .high_pass = 9 };
  hed_match_options o = { .score = c->score, .pad = c->pad, .threshold = -INFINITY, .n_false_positives = 20,
                          .template_filter = c->wedge ? &wedge : NULL, .target_filter = c->target ? &band : NULL };
  for (int i = 0; c->region && i < c->f.ndim; i++) {
    o.region[i][0] = 2;
    o.region[i][1] = c->f.dim[i] - 3;
  }
  if (c->masked) {
    where = hed_zeros(c->f, HED_FLOAT32);
    for (int64_t i = 0; i < hed_array_size(where) / 2; i++)
      ((float *)hed_array_data(where))[i] = 1;
    o.target_mask = where;
  }
  const hed_staged_options how = { .bin = c->bin, .coarse = r, .n_coarse = n, .min_score = -1, .use_min_score = true,
                                   .min_distance = 1, .unrefined = true };
  hed_match_result full;
  hed_match_stages stages;
  hed_table found;
  hed_status status = hed_match_run(&o, f, t, mask, n, r, &full);
  if (status == HED_OK)
    status = hed_match_staged(&o, &how, f, t, mask, n, r, &found, &stages);
  if (!ok(status == HED_OK && found.n > 20, "%s: %zu places", c->name, found.n)) {
    diag("%s", hed_error_text());
    return;
  }
  double worst = 0;
  size_t turned = 0;
  for (size_t i = 0; i < found.n; i++) {
    const hed_table_row *row = &found.row[i];
    double m[9];
    worst = fmax(worst, fabs(row->score - at(full.scores, row->position)));
    const hed_shape s = c->f;
    int64_t k = 0;
    for (int a = 0; a < s.ndim; a++)
      k = k * s.dim[a] + llround(row->position[3 - s.ndim + a]);
    const int32_t best = ((const int32_t *)hed_array_data(full.rotations))[k];
    if (s.ndim == 3)
      hed_rotation_from_euler(row->euler, m);
    else
      hed_rotation_from_angle(row->euler[0], m);
    double apart = 0;
    for (int a = 0; a < s.ndim * s.ndim; a++)
      apart = fmax(apart, fabs(m[a] - r[(int64_t)best * s.ndim * s.ndim + a]));
    turned += apart > 1e-6;
  }
  ok(worst < 2e-5, "%s: scores are those of the full search, to %g", c->name, worst);
  ok(turned == 0, "%s: rotations too, but for %zu", c->name, turned);
  /* Scores that are exactly 0 are left out, and rounding makes one of them now and then. */
  is_near((double)stages.background.n_scores, (double)full.n_scores, 0, 3, "%s: as many scores as a full search has", c->name);
  hed_match_result_clear(&full);
  hed_match_stages_clear(&stages);
  hed_table_clear(&found);
  RELEASE(f, t, mask, where);
  free(r);
}

/* Places of one particle, of templates of all kinds of extents. */
static void placed(gen *g)
{
  for (int64_t n = 12; n <= 15; n++) {
    const int64_t d = 40, p[3] = { 17, 20, 22 };
    hed_array *t = smooth(g, HED_SHAPE(n, n, n), 1.2), *f = hed_zeros(HED_SHAPE(d, d, d + 1), HED_FLOAT32);
    hed_array *m = hed_match_sphere(HED_SHAPE(n, n, n), 0), *dust = noise(g, HED_SHAPE(d, d, d + 1));
    float *v = hed_array_data(f);
    for (int64_t i = 0; i < d * d * (d + 1); i++)
      v[i] = 0.02F * ((const float *)hed_array_data(dust))[i];
    for (int64_t i = 0; i < n * n * n; i++)
      v[((p[0] + i / n / n - n / 2) * d + p[1] + i / n % n - n / 2) * (d + 1) + p[2] + i % n - n / 2] +=
          ((const float *)hed_array_data(t))[i] * ((const float *)hed_array_data(m))[i];
    double *r;
    size_t k;
    if (hed_rotations_sample(3, 40, &r, &k) != HED_OK)
      bail("%s", hed_error_text());
    const hed_staged_options how = { .bin = 2, .unrefined = true, .candidates = 5, .coarse_step = 40 };
    hed_match_stages stages;
    hed_table found;
    const hed_status status = hed_match_staged(NULL, &how, f, t, NULL, k, r, &found, &stages);
    if (ok(status == HED_OK && found.n >= 1, "a template of %lld voxels is found", (long long)n)) {
      const double *at = found.row[0].position;
      ok(llround(at[0]) == p[0] && llround(at[1]) == p[1] && llround(at[2]) == p[2], "at %g %g %g", at[0], at[1], at[2]);
      ok(found.row[0].score > 0.95, "with a score of %g", found.row[0].score);
    } else {
      diag("%s", hed_error_text());
    }
    hed_table_clear(&found);
    hed_match_stages_clear(&stages);
    free(r);
    RELEASE(t, f, m, dust);
  }
}

/* What the full search finds, and what it does not take for a particle, in noise. */
typedef struct world { hed_array *f, *t; hed_table truth; double *r; size_t n; } world;

static world open_world(uint64_t seed)
{
  world w = { 0 };
  hed_model m;
  hed_simulate_options o = { .shape = HED_SHAPE(64, 64, 64), .copies = 6, .snr = 0.2, .seed = seed };
  if (hed_model_example(&m) != HED_OK)
    bail("%s", hed_error_text());
  hed_map map = { 0 };
  if (hed_model_to_map(&m, 8, 32, NULL, &map) == HED_OK)
    w.t = hed_retain(map.data);
  hed_map_clear(&map);
  hed_model_clear(&m);
  if (!w.t || hed_simulate(&o, w.t, &w.f, &w.truth) != HED_OK || hed_rotations_sample(3, 20, &w.r, &w.n) != HED_OK)
    bail("%s", hed_error_text());
  return w;
}

static void close_world(world *w)
{
  RELEASE(w->f, w->t);
  hed_table_clear(&w->truth);
  free(w->r);
}

/* Stops at its number of thousandths; counts how often it is asked below the second stage; the first number of the stages
 * that keep account of their own. */
typedef struct watch { size_t stop, below, first; } watch;

static int seen(void *arg, size_t done, size_t total)
{
  watch *w = arg;
  w->below += done > 0 && done < 300;
  if (total == 1000 && done > 450 && !w->first)
    w->first = done;
  return total == 1000 && done >= w->stop;
}

static bool same_tables(const hed_table *a, const hed_table *b)
{
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++)
    same = memcmp(a->row[i].position, b->row[i].position, sizeof a->row[i].position) == 0 && a->row[i].score == b->row[i].score;
  return same;
}

static void found_alike(world *w)
{
  hed_match_options o = { .threshold = -INFINITY, .workers = "cpu*2" };
  hed_match_result full;
  hed_match_peak *peak;
  hed_table rows, fine = { 0 };
  hed_match_quality q;
  size_t n;
  if (hed_match_run(&o, w->f, w->t, NULL, w->n, w->r, &full) != HED_OK)
    bail("%s", hed_error_text());
  const double apart = (double)hed_array_shape(w->t).dim[0] / 2;
  const hed_match_peak_options po = { .min_distance = apart, .min_score = full.cutoff, .use_min_score = true, .wraps = true,
                                      .lobe_distance = 2 * apart, .lobe_fraction = 0.35 };
  const hed_staged_options how = { .lobe_distance = 2 * apart, .lobe_fraction = 0.35 };
  hed_table lobes;
  if (hed_match_peaks(full.scores, full.rotations, &po, &peak, &n) != HED_OK ||
      hed_match_table(n, peak, 3, w->r, w->n, (double[3]){ 1, 1, 1 }, (double[3]){ 0 }, &rows) != HED_OK)
    bail("%s", hed_error_text());
  hed_match_stages stages;
  hed_memory_meter meter;
  hed_memory_reading use = { .struct_size = sizeof use };
  (void)hed_free_cache();
  if (hed_memory_meter_begin("cpu", &meter) != HED_OK)
    bail("%s", hed_error_text());
  const hed_status status = hed_match_staged(&o, &how, w->f, w->t, NULL, w->n, w->r, &fine, &stages);
  const bool read = hed_memory_meter_read(&meter, &use) == HED_OK;
  hed_memory_meter_end(&meter);
  if (!ok(status == HED_OK, "from coarse to fine")) {
    diag("%s", hed_error_text());
    return;
  }
  is_int(stages.bin, 2, "binned by two, which takes %g of the energy", stages.loss);
  ok(read && use.peak - use.start <= stages.memory, "%zu bytes are no more than the %zu stated", use.peak - use.start, stages.memory);
  (void)hed_match_compare(&rows, &w->truth, apart / 2, &q, NULL);
  const double recall = q.recall, precision = q.precision;
  (void)hed_match_compare(&fine, &w->truth, apart / 2, &q, NULL);
  diag("full: recall %g; coarse to fine: %g, precision %g, %g degrees off", recall, q.recall, q.precision, q.angle_mean);
  ok(q.recall >= recall && q.recall >= 0.8, "it finds what the full search finds: %g, %g", q.recall, recall);
  ok(q.precision >= precision && q.angle_mean < 10, "and nothing else: %g; %g degrees off", q.precision, q.angle_mean);
  size_t lower = 0;
  for (size_t i = 0; i < rows.n; i++)
    for (size_t k = 0; k < fine.n; k++) {
      double d = 0;
      for (int a = 0; a < 3; a++)
        d += pow(rows.row[i].position[a] - fine.row[k].position[a], 2);
      lower += d < 4 && fine.row[k].score < rows.row[i].score - 2e-5;
    }
  ok(lower == 0, "no refined score is below the full search's: %zu", lower);
  is_near(stages.background.cutoff, full.cutoff, 0.05, 0, "the cut-off is about that of the full search");
  hed_table alone;
  o.workers = "cpu";
  ok(hed_match_staged(&o, &how, w->f, w->t, NULL, w->n, w->r, &alone, NULL) == HED_OK && alone.n == fine.n,
     "one worker finds as many");
  o.workers = NULL;
  const hed_staged_options plain = { .unrefined = true };
  const hed_status unlimited = hed_match_staged(&o, &plain, w->f, w->t, NULL, w->n, w->r, &lobes, NULL);
  ok(unlimited == HED_OK && lobes.n > fine.n, "lobes are left out where that is asked for: %zu rows of %zu", fine.n, lobes.n);
  hed_table_clear(&lobes);
  double far = 0;
  for (size_t i = 0; i < alone.n && i < fine.n; i++)
    far = fmax(far, fabs(alone.row[i].score - fine.row[i].score));
  ok(far < 1e-5, "with the same scores, to %g", far);
  hed_table_clear(&alone);
  hed_table_clear(&fine);
  hed_table_clear(&rows);
  hed_match_stages_clear(&stages);
  hed_match_result_clear(&full);
  free(peak);
}

/* Of the rotations, so that it does not take long. */
enum { FEW = 300 };
static const hed_staged_options few = { .coarse_step = 35 };

/* Cancelled at STOP thousandths and gone on with: nothing is done twice, and the rows are the same. */
static void taken_up(world *w, const hed_table *whole, size_t stop)
{
  static const char *const parts[] = { "coarse", "background", "places" };
  char path[64], name[3][96];
  size_t there = 0;
  snprintf(path, sizeof path, "staged.%ld.hck", (long)getpid());
  for (int i = 0; i < 3; i++)
    snprintf(name[i], sizeof name[i], "%s.%s", path, parts[i]);
  watch look = { .stop = stop };
  hed_match_options o = { .progress = seen, .progress_arg = &look, .checkpoint = path };
  hed_table late = { 0 };
  hed_match_stages stages;
  is_int(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r, &late, &stages), HED_E_CANCELLED, "cancelled at %zu", stop);
  for (int i = 0; i < 3; i++)
    there += access(name[i], F_OK) == 0;
  is_uint(there, stop > 450 ? 3 : stop > 350 ? 2 : 1, "what was done is kept");
  look = (watch){ .stop = 2000 };
  o.resume = true;
  if (ok(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r, &late, &stages) == HED_OK, "taken up again")) {
    is_uint(look.below, 0, "without a rotation of the first stage");
    ok(look.first >= stop, "from where it was: %zu", look.first);
    ok(same_tables(whole, &late), "the same rows");
    for (int i = 0; i < 3; i++)
      ok(access(name[i], F_OK) != 0, "no %s is left", parts[i]);
  } else {
    diag("%s", hed_error_text());
  }
  hed_match_stages_clear(&stages);
  hed_table_clear(&late);
  for (int i = 0; i < 3; i++)
    (void)unlink(name[i]);
}

/* A file of other rotations, one that is cut, and one that is none. */
static void taken_up_wrong(world *w)
{
  char path[64], name[96];
  snprintf(path, sizeof path, "staged.%ld.hck", (long)getpid());
  snprintf(name, sizeof name, "%s.places", path);
  const size_t cells = 9;
  watch look = { .stop = 700 };
  hed_match_options o = { .progress = seen, .progress_arg = &look, .checkpoint = path };
  hed_table t = { 0 };
  is_int(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r, &t, NULL), HED_E_CANCELLED, "cancelled while refining");
  look.stop = 2000;
  o.resume = true;
  char more[104];
  snprintf(more, sizeof more, "%s.background", path);
  (void)unlink(more); /* which would be found to be another's first */
  is_int(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r + cells, &t, NULL), HED_E_INVAL, "other rotations");
  ok(strstr(hed_error_text(), name) != NULL, "which names the file: %s", hed_error_text());
  (void)unlink(more);
  if (truncate(name, 700) != 0)
    bail("truncate");
  is_int(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r, &t, NULL), HED_E_FORMAT, "a file that is cut");
  FILE *f = fopen(name, "w");
  for (int i = 0; f && i < 600; i++)
    putc('x', f);
  if (!f || fclose(f) != 0)
    bail("%s", name);
  is_int(hed_match_staged(&o, &few, w->f, w->t, NULL, FEW, w->r, &t, NULL), HED_E_FORMAT, "and one that is none");
  (void)unlink(name);
  (void)unlink(more);
  snprintf(more, sizeof more, "%s.coarse", path);
  (void)unlink(more);
}

static void refused(gen *g, const world *w)
{
  hed_table t;
  hed_match_options o = { .score = "CC" };
  hed_staged_options h = { 0 };
  is_int(hed_match_staged(&o, NULL, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "another score");
  const hed_match_seeds seeds = { .table = &w->truth };
  o = (hed_match_options){ .seeds = &seeds };
  is_int(hed_match_staged(&o, NULL, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "seeds");
  o = (hed_match_options){ .correct_background = true };
  is_int(hed_match_staged(&o, NULL, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "background correction");
  h.bin = 3;
  is_int(hed_match_staged(NULL, &h, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "bin 3");
  h = (hed_staged_options){ .lobe_distance = 10, .lobe_fraction = 1 };
  is_int(hed_match_staged(NULL, &h, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "all are lobes");
  h = (hed_staged_options){ .coarse_step = -1 };
  is_int(hed_match_staged(NULL, &h, w->f, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "a step below 0");
  is_int(hed_match_staged(NULL, NULL, NULL, w->t, NULL, w->n, w->r, &t, NULL), HED_E_INVAL, "no target");
  is_int(hed_match_staged(NULL, NULL, w->f, w->t, NULL, 0, w->r, &t, NULL), HED_E_INVAL, "no rotations");
  hed_array *rough = noise(g, HED_SHAPE(12, 12, 12));
  hed_match_stages s;
  ok(hed_match_staged(NULL, NULL, w->f, rough, NULL, 30, w->r, &t, &s) == HED_OK && s.bin == 1 && s.loss > 0.5,
     "a template of high frequencies is not binned: %g of its energy would be lost", s.loss);
  hed_table_clear(&t);
  hed_match_stages_clear(&s);
  hed_release(rough);
}

int main(void)
{
  static const scan scans[] = {
    { .name = "FLC", .f = { 3, { 28, 30, 32 } }, .t = { 3, { 10, 10, 10 } }, .bin = 1 },
    { .name = "FLC, padded, soft mask, odd box",
      .f = { 3, { 27, 30, 31 } }, .t = { 3, { 9, 11, 9 } }, .pad = true, .soft = true, .bin = 2 },
    { .name = "spherical mask, wedge", .score = "FLCSphericalMask",
      .f = { 3, { 28, 26, 30 } }, .t = { 3, { 11, 11, 11 } }, .wedge = true, .bin = 2 },
    { .name = "filters, region",
      .f = { 3, { 30, 28, 28 } }, .t = { 3, { 10, 9, 8 } }, .wedge = true, .target = true, .region = true, .bin = 2 },
    { .name = "target mask", .score = "flcsphericalmask",
      .f = { 3, { 28, 28, 28 } }, .t = { 3, { 8, 8, 8 } }, .masked = true, .bin = 1 },
    { .name = "images", .f = { 2, { 90, 81 } }, .t = { 2, { 13, 12 } }, .bin = 2 },
    { .name = "images, padded", .f = { 2, { 80, 81 } }, .t = { 2, { 10, 12 } }, .pad = true, .bin = 1 },
  };
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++)
    equal(&g, &scans[i]);
  placed(&g);
  world w = open_world(7);
  found_alike(&w);
  hed_table whole;
  ok(hed_match_staged(NULL, &few, w.f, w.t, NULL, FEW, w.r, &whole, NULL) == HED_OK && whole.n > 2, "the whole");
  taken_up(&w, &whole, 400);
  taken_up(&w, &whole, 520);
  taken_up(&w, &whole, 800);
  hed_table_clear(&whole);
  taken_up_wrong(&w);
  refused(&g, &w);
  close_world(&w);
  return done();
}
