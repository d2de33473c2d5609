// SPDX-License-Identifier: BSD-3-Clause
/* Searches of less than everything, and what else looks at the scores: a region and the box of a target mask against the whole
 * search; seeds and analyzers against the scores of every rotation, searched for alone; batches against single runs; with
 * several workers, in parts, on the faulty device.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *const scores[] = { "CC", "CORR", "FLC", "FLCSphericalMask", "MCC" };
enum { N_SCORES = sizeof scores / sizeof scores[0], ROTATIONS = 12 };

static hed_array *noise(gen *g, hed_shape s, double mean)
{
  float *v = malloc((size_t)elements_of(s) * sizeof *v);
  for (int64_t i = 0; i < elements_of(s); i++)
    v[i] = (float)(mean + gen_normal(g));
  hed_array *x = hed_from_host(v, s, HED_FLOAT32);
  free(v);
  if (!x)
    bail("%s", hed_error_text());
  return x;
}

static double *some_rotations(int ndim)
{
  double *all;
  size_t n;
  if (hed_rotations_sample(ndim, ndim == 2 ? 30 : 60, &all, &n) != HED_OK || n < ROTATIONS)
    bail("%s", hed_error_text());
  return all;
}

typedef struct input { hed_array *target, *tmpl; double *rotations; int ndim; } input;

static input input_of(gen *g, int ndim)
{
  const hed_shape f = ndim == 2 ? HED_SHAPE(37, 44) : HED_SHAPE(18, 21, 24), t = ndim == 2 ? HED_SHAPE(7, 8) : HED_SHAPE(5, 6, 6);
  return (input){ noise(g, f, 3), noise(g, t, 1), some_rotations(ndim), ndim };
}

static void release(input *in)
{
  RELEASE(in->target, in->tmpl);
  free(in->rotations);
}

static hed_match_result run(const hed_match_options *opt, const input *in, const char *what)
{
  hed_match_result r;
  if (hed_match_run(opt, in->target, in->tmpl, NULL, ROTATIONS, in->rotations, &r) != HED_OK)
    bail("%s: %s", what, hed_error_text());
  return r;
}

/* Where a voxel of the target is. */
static void place(const input *in, int64_t k, int64_t p[3])
{
  const hed_shape s = hed_array_shape(in->target);
  const int64_t ny = s.dim[s.ndim - 2], nx = s.dim[s.ndim - 1];
  p[0] = k / nx / ny;
  p[1] = k / nx % ny;
  p[2] = k % nx;
}

/* ---- regions ---- */

static bool in_box(const input *in, int64_t k, const int64_t box[3][2])
{
  int64_t p[3];
  place(in, k, p);
  for (int i = 0; i < in->ndim; i++)
    if (p[3 - in->ndim + i] < box[i][0] || p[3 - in->ndim + i] >= box[i][1])
      return false;
  return true;
}

/* Inside the box WITHIN's scores are WHOLE's, outside there is nothing. */
static void same_within(const input *in, const hed_match_result *whole, const hed_match_result *within, const int64_t box[3][2],
                        const char *what)
{
  const float *s = hed_array_data(whole->scores), *t = hed_array_data(within->scores);
  const int32_t *r = hed_array_data(within->rotations);
  double worst = 0, scale = 0;
  int64_t outside = 0, inside = 0;
  for (int64_t k = 0; k < hed_array_size(whole->scores); k++) {
    const bool in_there = in_box(in, k, box);
    scale = fmax(scale, fabs((double)s[k]));
    worst = fmax(worst, in_there ? fabs((double)s[k] - (double)t[k]) : 0);
    outside += !in_there && (r[k] != -1 || t[k] != 0);
    inside += in_there && r[k] < 0;
  }
  if (!ok(worst <= 1e-4 * scale && outside == 0 && inside == 0, "%s", what))
    diag("largest difference %g of %g, %lld outside, %lld without inside", worst, scale, (long long)outside, (long long)inside);
}

static void regions(gen *g, int ndim)
{
  input in = input_of(g, ndim);
  const hed_shape s = hed_array_shape(in.target);
  float *mask = calloc((size_t)elements_of(s), sizeof *mask);
  for (int k = 0; k < N_SCORES; k++) {
    char what[96];
    hed_match_options opt = { .score = scores[k], .threshold = -INFINITY, .pad = k % 2 };
    hed_match_result whole = run(&opt, &in, scores[k]);
    for (int i = 0; i < ndim; i++) {
      opt.region[i][0] = gen_int(g, 0, s.dim[i] / 2);
      opt.region[i][1] = opt.region[i][0] + gen_int(g, 2, s.dim[i] / 3);
    }
    snprintf(what, sizeof what, "%s %d-D, a region", scores[k], ndim);
    hed_match_result r = run(&opt, &in, what);
    same_within(&in, &whole, &r, (const int64_t (*)[2])opt.region, what);
    double positions = 1;
    for (int i = 0; i < ndim; i++)
      positions *= (double)(opt.region[i][1] - opt.region[i][0]);
    ok(fabs(r.searched - positions / (double)elements_of(s)) < 1e-12 && r.n_scores == (uint64_t)positions * ROTATIONS,
       "%s: searched %g of the target, %llu scores", what, r.searched, (unsigned long long)r.n_scores);
    /* in parts, by two workers */
    opt.memory_limit = r.memory - 1;
    opt.workers = "reference*2";
    hed_match_result parts;
    if (hed_match_run(&opt, in.target, in.tmpl, NULL, ROTATIONS, in.rotations, &parts) == HED_OK) {
      same_within(&in, &whole, &parts, (const int64_t (*)[2])opt.region, "the same in parts");
      hed_match_result_clear(&parts);
    }
    hed_error_clear();
    hed_match_result_clear(&r);
    /* a target mask that is that box */
    for (int64_t i = 0; i < elements_of(s); i++)
      mask[i] = in_box(&in, i, (const int64_t (*)[2])opt.region);
    hed_array *m = hed_from_host(mask, s, HED_FLOAT32);
    hed_match_options masked = { .score = scores[k], .threshold = -INFINITY, .pad = k % 2, .target_mask = m };
    if (strcmp(scores[k], "MCC") != 0) {
      r = run(&masked, &in, "a mask");
      same_within(&in, &whole, &r, (const int64_t (*)[2])opt.region, "a target mask of a box");
      ok(r.searched < 0.999 && r.n_scores == (uint64_t)positions * ROTATIONS, "%g of the target was searched", r.searched);
      hed_match_result_clear(&r);
    }
    hed_release(m);
    hed_match_result_clear(&whole);
  }
  free(mask);
  release(&in);
}

/* ---- seeds ---- */

/* Scores of each rotation alone, ROTATIONS rows. */
static float *each(const hed_match_options *opt, const input *in)
{
  const int64_t n = hed_array_size(in->target);
  const size_t d = (size_t)(in->ndim * in->ndim);
  float *all = malloc((size_t)(ROTATIONS * n) * sizeof *all);
  hed_match_options o = { .score = opt->score, .threshold = -INFINITY, .pad = opt->pad };
  for (size_t k = 0; k < ROTATIONS; k++) {
    hed_match_result r;
    if (hed_match_run(&o, in->target, in->tmpl, NULL, 1, in->rotations + k * d, &r) != HED_OK)
      bail("%s", hed_error_text());
    memcpy(all + k * (size_t)n, hed_array_data(r.scores), (size_t)n * sizeof *all);
    hed_match_result_clear(&r);
  }
  return all;
}

/* Is voxel P, for rotation R, within a seed's ellipsoid and cone? By axes in physical order. */
static bool admitted(const hed_match_seeds *s, const input *in, const int64_t p[3], const double *r)
{
  for (size_t i = 0; i < s->table->n; i++) {
    const hed_table_row *row = &s->table->row[i];
    double m[9], sum = 0;
    const double euler[3] = { row->euler[0], in->ndim == 3 ? row->euler[1] : 0, in->ndim == 3 ? row->euler[2] : 0 };
    hed_rotation_from_euler(euler, m); /* array order: element (a, b) of the physical matrix is m[2 - a][2 - b] */
    double axis = 0, from[3];
    for (int a = 0; a < 3; a++) { /* physical x, y, z */
      from[a] = (double)p[2 - a] - (in->ndim == 2 && a == 2 ? 0 : row->position[2 - a]);
      for (int b = 0; b < 3; b++)
        from[a] -= in->ndim == 2 && a == 2 ? 0 : m[(2 - a) * 3 + 2 - b] * s->offset[b];
      if (in->ndim == 3)
        axis += m[(2 - a) * 3] * r[(2 - a) * 3];
      else if (a < 2)
        axis += m[(2 - a) * 3 + 2] * r[(1 - a) * 2 + 1];
    }
    for (int b = 0; b < 3; b++) {
      double along = 0;
      for (int a = 0; a < 3; a++)
        along += m[(2 - a) * 3 + 2 - b] * from[a];
      sum += along * along / (s->radius[b] * s->radius[b]);
    }
    if (sum <= 1 && axis >= cos(s->cone * M_PI / 180))
      return true;
  }
  return false;
}

static void seeds(gen *g, int ndim, const char *workers)
{
  input in = input_of(g, ndim);
  const hed_shape s = hed_array_shape(in.target);
  hed_table_row rows[3] = { { .id = 1 }, { .id = 2 }, { .id = 3 } };
  const hed_table table = { .n = 3, .row = rows };
  hed_match_seeds seed = { .table = &table, .radius = { 2.3, 3.1, 4.2 }, .cone = 70, .offset = { 1.5, 0, -1 } };
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) {
      const int axis = a - (3 - ndim);
      rows[i].position[a] = axis < 0 ? 0 : (double)gen_int(g, 0, s.dim[axis] - 1);
      rows[i].euler[a] = (double)gen_int(g, 0, a == 1 ? 180 : 359) + 0.25;
    }
  hed_match_options opt = { .score = "FLC", .threshold = -INFINITY, .workers = workers };
  float *all = each(&opt, &in);
  opt.seeds = &seed;
  for (int parts = 0; parts < 2; parts++) {
    hed_match_result r = run(&opt, &in, "seeds");
    const float *got = hed_array_data(r.scores);
    const int32_t *which = hed_array_data(r.rotations);
    const int64_t n = hed_array_size(in.target);
    int64_t wrong = 0, some = 0;
    for (int64_t k = 0; k < n; k++) {
      int64_t p[3];
      double best = -INFINITY;
      place(&in, k, p);
      for (int i = 0; i < ROTATIONS; i++)
        if (admitted(&seed, &in, p, in.rotations + i * ndim * ndim))
          best = fmax(best, (double)all[i * n + k]);
      some += isfinite(best);
      wrong += isfinite(best) ? fabs((double)got[k] - best) > 2e-5 || which[k] < 0 ||
                                    !admitted(&seed, &in, p, in.rotations + which[k] * ndim * ndim)
                              : which[k] != -1 || got[k] != 0;
    }
    if (!ok(wrong == 0 && some > 0, "seeds, %d-D, %s%s: %lld voxels have a score", ndim, workers, parts ? ", in parts" : "",
            (long long)some))
      diag("%lld of %lld are wrong", (long long)wrong, (long long)n);
    ok(r.n_scores >= (uint64_t)some && r.n_scores < (uint64_t)n * ROTATIONS / 2 && r.sigma_robust > 0, "%llu scores count",
       (unsigned long long)r.n_scores);
    opt.memory_limit = r.memory - 1;
    hed_match_result_clear(&r);
  }
  free(all);
  release(&in);
}

/* ---- analyzers ---- */

/* Per rotation the best score and where it is, and how many scores there were: what several workers add up. */
typedef struct seen { double best[ROTATIONS]; int64_t at[ROTATIONS], n; int opened, closed; const input *in; } seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fail_at = -1;

static void *open_one(void *arg)
{
  seen *s = calloc(1, sizeof *s), *total = arg;
  for (int i = 0; i < ROTATIONS; i++)
    s->best[i] = -INFINITY;
  s->in = total->in;
  pthread_mutex_lock(&lock);
  total->opened++;
  pthread_mutex_unlock(&lock);
  return s;
}

static hed_status take(void *state, size_t rotation, const hed_array *scores_of, const int64_t *begin)
{
  seen *s = state;
  const float *v = hed_array_data(scores_of);
  const hed_shape d = hed_array_shape(scores_of), t = hed_array_shape(s->in->target);
  if ((int)rotation == fail_at)
    return hed_fail(HED_E_INVAL, "rotation %zu is not wanted", rotation);
  for (int64_t k = 0; k < hed_array_size(scores_of); k++) {
    int64_t at = 0, rest = k, p[3];
    for (int i = d.ndim - 1; i >= 0; i--, rest /= d.dim[i + 1])
      p[i] = rest % d.dim[i] + begin[i];
    for (int i = 0; i < d.ndim; i++)
      at = at * t.dim[i] + p[i];
    if (!isfinite(v[k]))
      continue;
    s->n++;
    if ((double)v[k] > s->best[rotation] || ((double)v[k] == s->best[rotation] && at < s->at[rotation])) {
      s->best[rotation] = (double)v[k];
      s->at[rotation] = at;
    }
  }
  return HED_OK;
}

static hed_status merge(void *arg, void *state)
{
  seen *to = arg, *from = state;
  for (int i = 0; i < ROTATIONS; i++) {
    if (from->best[i] > to->best[i]) {
      to->best[i] = from->best[i];
      to->at[i] = from->at[i];
    }
    from->best[i] = -INFINITY;
  }
  to->n += from->n;
  from->n = 0;
  return HED_OK;
}

static void close_one(void *state)
{
  free(state);
}

static void analyzers(gen *g, int ndim, const char *score, const char *workers)
{
  input in = input_of(g, ndim);
  const int64_t n = hed_array_size(in.target);
  hed_match_options opt = { .score = score, .threshold = -INFINITY, .workers = workers, .region = { { 0, 0 } } };
  float *all = each(&opt, &in);
  hed_match_result plain = run(&opt, &in, score);
  for (int parts = 0; parts < 2; parts++) {
    seen total = { .in = &in };
    for (int i = 0; i < ROTATIONS; i++)
      total.best[i] = -INFINITY;
    const hed_match_analyzer a = { &total, open_one, take, merge, close_one };
    opt.analyzer = &a;
    hed_match_result r = run(&opt, &in, "an analyzer");
    int wrong = 0;
    for (int i = 0; i < ROTATIONS; i++) {
      int64_t best = 0;
      double most = 0; /* errors are of that size, and the best score may be small: all of CORR may be negative */
      for (int64_t k = 0; k < n; k++) {
        best = all[i * n + k] > all[i * n + best] ? k : best;
        most = fmax(most, fabs((double)all[i * n + k]));
      }
      wrong += fabs(total.best[i] - (double)all[i * n + best]) > 1e-4 * most ||
               (total.at[i] != best && (double)all[i * n + total.at[i]] < (double)all[i * n + best] - 1e-4 * most);
    }
    ok(wrong == 0 && total.n == n * ROTATIONS && total.opened >= 1, "an analyzer sees %s of each rotation, %s%s: %lld", score, workers,
       parts ? ", in parts" : "", (long long)total.n);
    if (!parts)
      ok(memcmp(hed_array_data(r.scores), hed_array_data(plain.scores), (size_t)n * sizeof(float)) == 0 &&
             memcmp(hed_array_data(r.rotations), hed_array_data(plain.rotations), (size_t)n * sizeof(int32_t)) == 0,
         "and the result is the same");
    opt.memory_limit = r.memory - 1;
    hed_match_result_clear(&r);
  }
  hed_match_result r;
  seen total = { .in = &in };
  const hed_match_analyzer a = { &total, open_one, take, merge, close_one };
  opt.analyzer = &a;
  opt.memory_limit = 0;
  fail_at = 5;
  ok(hed_match_run(&opt, in.target, in.tmpl, NULL, ROTATIONS, in.rotations, &r) == HED_E_INVAL &&
         strstr(hed_error_text(), "rotation 5 is not wanted"), "what an analyzer refuses ends the run: %s", hed_error_text());
  fail_at = -1;
  hed_match_result_clear(&plain);
  free(all);
  release(&in);
}

/* ---- batches ---- */

static void batches(gen *g, const char *score)
{
  enum { T = 3 };
  input in = input_of(g, 3);
  hed_array *tmpl[T];
  hed_match_result single[T], batch[T];
  for (int parts = 0; parts < 2; parts++) {
    hed_match_options opt = { .score = score, .threshold = -INFINITY };
    for (int t = 0; t < T; t++) {
      tmpl[t] = noise(g, hed_array_shape(in.tmpl), 1);
      const input one = { in.target, tmpl[t], in.rotations, 3 };
      opt.memory_limit = t > 0 && parts ? single[0].memory - 1 : 0;
      single[t] = run(&opt, &one, score);
    }
    hed_status status = hed_match_run_batch(&opt, in.target, T, (const hed_array *const *)tmpl, NULL, ROTATIONS, in.rotations, batch);
    ok(status == HED_OK, "%s, a batch%s: %s", score, parts ? " in parts" : "", status == HED_OK ? "done" : hed_error_text());
    for (int t = 0; t < T && status == HED_OK; t++) {
      const float *a = hed_array_data(single[t].scores), *b = hed_array_data(batch[t].scores);
      double worst = 0, scale = 0;
      for (int64_t k = 0; k < hed_array_size(in.target); k++) {
        worst = fmax(worst, fabs((double)a[k] - (double)b[k]));
        scale = fmax(scale, fabs((double)a[k]));
      }
      ok(parts ? worst <= 1e-4 * scale : worst == 0, "template %d scores as alone: %g", t, worst);
      ok(parts || batch[t].cutoff == single[t].cutoff, "and has its cut, %g", batch[t].cutoff);
    }
    if (status == HED_OK) {
      hed_array *best, *which, *index;
      int64_t wrong = 0;
      if (hed_match_best(T, batch, &best, &index, &which) != HED_OK)
        bail("%s", hed_error_text());
      const int32_t *w = hed_array_data(which), *i = hed_array_data(index);
      const float *v = hed_array_data(best);
      for (int64_t k = 0; k < hed_array_size(best); k++)
        for (int t = 0; t < T; t++) {
          const float other = ((const float *)hed_array_data(batch[t].scores))[k];
          wrong += other > v[k] || (other == v[k] && t < w[k]) ||
                   (t == w[k] && (other != v[k] || ((const int32_t *)hed_array_data(batch[t].rotations))[k] != i[k]));
        }
      ok(wrong == 0, "the best of the batch");
      RELEASE(best, which, index);
    }
    for (int t = 0; t < T; t++) {
      hed_release(tmpl[t]);
      hed_match_result_clear(&single[t]);
      if (status == HED_OK)
        hed_match_result_clear(&batch[t]);
    }
  }
  release(&in);
}

/* ---- what is refused ---- */

static void refused(gen *g, const hed_match_options *opt, const char *says)
{
  input in = input_of(g, 3);
  hed_match_result r;
  const hed_status status = hed_match_run(opt, in.target, in.tmpl, NULL, ROTATIONS, in.rotations, &r);
  if (!ok(status == HED_E_INVAL && strstr(hed_error_text(), says) && !r.scores, "%s", says))
    diag("%s", status == HED_OK ? "was taken" : hed_error_text());
  if (status == HED_OK)
    hed_match_result_clear(&r);
  release(&in);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int ndim = 2; ndim <= 3; ndim++) {
    regions(&g, ndim);
    seeds(&g, ndim, "reference*2");
  }
  if (hed_backend_require("faulty") == HED_OK)
    seeds(&g, 3, "faulty,reference");
  hed_error_clear();
  analyzers(&g, 2, "CORR", "reference");
  analyzers(&g, 3, "FLC", "reference*3");
  analyzers(&g, 3, "FLCSphericalMask", "reference*2");
  for (int k = 0; k < N_SCORES; k++)
    batches(&g, scores[k]);
  hed_table_row far = { .position = { 500, 500, 500 } }, nan = { .position = { NAN, 0, 0 } };
  const hed_table none = { 0 }, outside = { .n = 1, .row = &far }, odd = { .n = 1, .row = &nan };
  const hed_match_analyzer half = { .open = open_one };
  refused(&g, &(hed_match_options){ .region = { { 0, 3 }, { 4, 4 }, { 0, 3 } } }, "region is 4:4 along axis 1");
  refused(&g, &(hed_match_options){ .region = { { 0, 3 }, { 0, 3 }, { 0, 300 } } }, "region is 0:300 along axis 2");
  refused(&g, &(hed_match_options){ .seeds = &(hed_match_seeds){ .table = &none } }, "without a table");
  refused(&g, &(hed_match_options){ .seeds = &(hed_match_seeds){ .table = &outside } }, "none of the 1 seeds is in the target");
  refused(&g, &(hed_match_options){ .seeds = &(hed_match_seeds){ .table = &odd } }, "seed 0 are not finite");
  refused(&g, &(hed_match_options){ .seeds = &(hed_match_seeds){ .table = &outside, .cone = 200 } }, "cone of seeds is 200");
  refused(&g, &(hed_match_options){ .analyzer = &half }, "an analyzer without");
  refused(&g, &(hed_match_options){ .counter = &(hed_match_counter){ 0 } }, "a counter without a checkpoint");
  return done();
}
