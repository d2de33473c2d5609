// SPDX-License-Identifier: BSD-3-Clause
/* Runs that are interrupted, shared out or lose a worker have the result of one that was not: every score, stopped at twenty
 * random moments and resumed, in parts and at once, with one to three workers, as shares; files of other searches, damaged and
 * hostile ones are refused by name.
 */
#include "arrays.h"
#include "gen.h"
#include "kit_files.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { D = 20, T = 7, VOXELS = D * D * D };
static hed_array *target, *tmpl;
static double *rotations;
static size_t n_rotations;

static hed_array *noise(gen *g, int64_t n)
{
  float *v = malloc((size_t)(n * n * n) * sizeof *v);
  for (int64_t i = 0; i < n * n * n; i++)
    v[i] = (float)(1 + gen_normal(g));
  hed_array *x = hed_from_host(v, HED_SHAPE(n, n, n), HED_FLOAT32);
  free(v);
  return x;
}

static void same(const hed_match_result *a, const hed_match_result *b, const char *what)
{
  if (!a->scores || !b->scores) {
    ok(false, "%s: there is a result", what);
    return;
  }
  is_mem(hed_array_data(a->scores), hed_array_data(b->scores), VOXELS * sizeof(float), "%s: scores", what);
  is_mem(hed_array_data(a->rotations), hed_array_data(b->rotations), VOXELS * sizeof(int32_t), "%s: rotations", what);
  ok(a->n_scores == b->n_scores && a->sigma == b->sigma && a->sigma_robust == b->sigma_robust && a->cutoff == b->cutoff,
     "%s: statistics", what);
}

/* Stops a run after so many rotations. */
typedef struct limit { size_t most; int stopped; } limit;

static int stop_after(void *arg, size_t done, size_t total)
{
  limit *l = arg;
  if (done >= total || done < l->most)
    return 0;
  l->stopped++;
  return 1;
}

/* Stops a run at some moment, however fast it is: the callback is asked now and then alone. */
static int moment;

static void at_moment(int signal)
{
  (void)signal;
  __atomic_store_n(&moment, 1, __ATOMIC_RELAXED);
}

static void in_microseconds(long n)
{
  const struct itimerval when = { .it_value = { n / 1000000, n % 1000000 } };
  setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL); /* none of before comes after the next line */
  __atomic_store_n(&moment, 0, __ATOMIC_RELAXED);
  setitimer(ITIMER_REAL, &when, NULL);
}

static bool run(const hed_match_options *o, hed_match_result *r)
{
  return hed_match_run(o, target, tmpl, NULL, n_rotations, rotations, r) == HED_OK;
}

/* Again and again from where it was stopped. */
static void interrupted(gen *g, const char *score, const char *workers, bool parts)
{
  const char *path = kit_path("run.hck");
  char what[96];
  hed_match_result whole, resumed;
  limit l = { 0, 0 };
  hed_match_options o = { .score = score, .workers = workers, .threshold = -INFINITY };
  snprintf(what, sizeof what, "%s, %s%s", score, workers, parts ? ", in parts" : "");
  if (!ok(run(&o, &whole), "%s: whole", what)) {
    diag("%s", hed_error_text());
    return;
  }
  if (parts) {
    o.memory_limit = whole.memory * 3 / 4;
    hed_match_result_clear(&whole);
    if (!ok(run(&o, &whole) && whole.parts.dim[0] * whole.parts.dim[1] * whole.parts.dim[2] > 1, "%s: whole", what))
      return;
    o.memory_limit *= 2; /* checkpoints take memory, too: so that it is divided as before */
    for (int k = 0; k < 40; k++, o.memory_limit -= o.memory_limit / 40) {
      hed_match_result probe;
      o.checkpoint = path;
      const bool good = run(&o, &probe) && memcmp(&probe.parts, &whole.parts, sizeof probe.parts) == 0;
      hed_match_result_clear(&probe);
      if (good)
        break;
    }
    hed_error_clear();
  }
  o.checkpoint = path;
  o.checkpoint_seconds = 0.01;
  o.progress = stop_after;
  o.progress_arg = &l;
  o.cancel = &moment;
  const int most = parts ? 8 : 20;
  int stops = 0;
  for (int k = 0; k < most; k++) {
    l.most += 1 + gen_below(g, 4);
    in_microseconds(1000 + (long)gen_below(g, 20000));
    const hed_status status = hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &resumed);
    o.resume = status == HED_E_CANCELLED;
    if (status != HED_E_CANCELLED) {
      if (!ok(status == HED_OK, "%s: goes on", what))
        diag("%s", hed_error_text());
      break;
    }
    stops++;
    ok(access(path, F_OK) == 0, "%s: a checkpoint is left", what);
    if (k == most - 1) {
      o.progress = NULL;
      o.cancel = NULL;
      ok(run(&o, &resumed), "%s: to the end", what);
    }
  }
  in_microseconds(0);
  diag("%s: stopped %d times", what, stops);
  same(&whole, &resumed, what);
  ok(access(path, F_OK) != 0, "%s: none is left when it is done", what);
  hed_match_result_clear(&whole);
  hed_match_result_clear(&resumed);
}

static void shares(const char *score)
{
  enum { N = 3 };
  char names[N][16];
  const char *paths[N];
  hed_match_result whole, part, merged;
  hed_match_options o = { .score = score, .workers = "reference*2", .threshold = -INFINITY };
  if (!ok(run(&o, &whole), "%s", score))
    return;
  o.shares = N;
  for (size_t k = 0; k < N; k++) {
    snprintf(names[k], sizeof names[k], "share%zu.hck", k);
    paths[k] = strdup(kit_path(names[k]));
    o.share = k;
    o.checkpoint = paths[k];
    ok(run(&o, &part), "%s: share %zu", score, k);
    ok(access(paths[k], F_OK) == 0, "%s: its file stays", score);
    hed_match_result_clear(&part);
  }
  const char *const order[N] = { paths[2], paths[0], paths[1] };
  ok(hed_match_merge(N, order, &merged) == HED_OK, "%s: merged", score);
  same(&whole, &merged, score);
  hed_match_result_clear(&merged);
  is_int(hed_match_merge(2, paths, &merged), HED_E_INVAL, "%s: one is missing", score);
  has_str(hed_error_text(), "share 2 of 3 is missing", "which one is said");
  size_t missing = 0;
  ok(hed_match_merge_partial(2, paths, &merged, &missing) == HED_OK && merged.scores, "%s: what there is", score);
  is_uint(missing, n_rotations / N, "how many are missing");
  hed_match_result_clear(&merged);
  ok(hed_match_merge_partial(N, order, &merged, &missing) == HED_OK && missing == 0, "%s: nothing is", score);
  same(&whole, &merged, "partial merge of all");
  hed_match_result_clear(&merged);
  const char *const twice[N] = { paths[0], paths[1], paths[1] };
  is_int(hed_match_merge(N, twice, &merged), HED_E_INVAL, "%s: one is there twice", score);
  has_str(hed_error_text(), "share 1 of 3 was given twice", "which one is said");
  ok(!merged.scores, "and nothing comes out");
  for (size_t k = 0; k < N; k++)
    free((char *)paths[k]);
  hed_match_result_clear(&whole);
}

static void refuse(const hed_match_options *o, const hed_array *f, const hed_array *t, const hed_array *m, size_t n,
                   hed_status want, const char *part)
{
  hed_match_result r;
  hed_error_clear();
  is_int(hed_match_run(o, f, t, m, n, rotations, &r), want, "refused: %s", part);
  has_str(hed_error_text(), part, "the sentence");
}

/* However early a search is cancelled, its file is there to go on from. */
static const int at_once = 1;

static void cancelled_at_once(const char *score, bool parts)
{
  const char *path = kit_path("early.hck");
  hed_match_result whole, r;
  hed_match_options o = { .score = score, .workers = "reference*2", .threshold = -INFINITY };
  ok(run(&o, &whole), "%s", score);
  o.checkpoint = path;
  o.memory_limit = parts ? whole.memory * 3 / 4 : 0;
  o.cancel = &at_once;
  for (int k = 0; k < 2; k++) { /* a resumed one, too */
    is_int(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_CANCELLED, "%s: cancelled", score);
    ok(access(path, F_OK) == 0, "%s: a checkpoint is left", score);
    o.resume = true;
  }
  o.cancel = NULL;
  ok(run(&o, &r), "%s: goes on", score);
  if (!parts) /* parts differ by rounding */
    same(&whole, &r, score);
  hed_match_result_clear(&whole);
  hed_match_result_clear(&r);
}

/* A checkpoint of another search, a damaged one, one that claims what it is not. */
static void other_searches(gen *g)
{
  const char *path = kit_path("other.hck");
  hed_match_result r;
  hed_match_options o = { .workers = "reference", .checkpoint = path, .cancel = &at_once };
  is_int(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_CANCELLED, "stopped");
  o.cancel = NULL;
  o.resume = true;
  hed_array *f = noise(g, D), *t = noise(g, T), *m = hed_match_sphere(HED_SHAPE(T, T, T), 2);
  hed_array *half = hed_ones(HED_SHAPE(D, D, D), HED_FLOAT32);
  refuse(&o, f, tmpl, NULL, n_rotations, HED_E_INVAL, "its target differs");
  refuse(&o, target, t, NULL, n_rotations, HED_E_INVAL, "its template differs");
  refuse(&o, target, tmpl, m, n_rotations, HED_E_INVAL, "its mask differs");
  refuse(&o, target, tmpl, NULL, n_rotations - 1, HED_E_INVAL, "its rotations differ");
  hed_match_options other = o;
  other.target_mask = half;
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "its target mask differs");
  other = o;
  other.template_filter = &(hed_match_filter){ .low_pass = 3 };
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "its filters differ");
  other = o;
  other.invert = true;
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "invert 0");
  other = o;
  other.shares = 2;
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "is share 0 of 0, this one 0 of 2");
  size_t n;
  uint8_t *bytes = kit_read(path, &n);
  for (int k = 0; k < 60; k++) { /* wherever it is damaged, it is refused */
    uint8_t *bad = malloc(n);
    memcpy(bad, bytes, n);
    bad[k < 20 ? gen_below(g, 600) : gen_below(g, n)] ^= (uint8_t)(1 + gen_below(g, 255));
    kit_write(path, bad, k % 10 == 9 ? gen_below(g, n) : n);
    free(bad);
    hed_error_clear();
    const hed_status status = hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r);
    ok(status != HED_OK && strstr(hed_error_text(), path), "damaged: %s", hed_error_text());
    hed_match_result_clear(&r);
  }
  kit_write(path, bytes, n);
  ok(run(&o, &r), "and taken as it was");
  hed_match_result_clear(&r);
  free(bytes);
  refuse(&o, target, tmpl, NULL, n_rotations, HED_E_IO, "other.hck");
  other = (hed_match_options){ .resume = true };
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "resume without a checkpoint");
  other = (hed_match_options){ .shares = 2 };
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "a share without a checkpoint");
  other = (hed_match_options){ .shares = 2, .share = 2, .checkpoint = path };
  refuse(&other, target, tmpl, NULL, n_rotations, HED_E_INVAL, "share 2 of 2");
  RELEASE(f, t, m, half);
}

/* With a background, interrupted in either search and resumed: what a run at once gives, and nothing is left behind. */
static void background(gen *g, const char *score)
{
  const char *path = kit_path("both.hck");
  char other[4200];
  hed_match_result whole, r, plain, noise_only;
  hed_match_options o = { .score = score, .workers = "reference", .threshold = -INFINITY, .correct_background = true,
                          .background_seed = 5 };
  snprintf(other, sizeof other, "%s.background", path);
  ok(run(&o, &whole), "%s: with a background", score);
  o.checkpoint = path;
  o.cancel = &moment;
  int stops = 0;
  hed_status status = HED_E_CANCELLED;
  for (int k = 0; status == HED_E_CANCELLED; k++) {
    in_microseconds(k < 12 ? 1000 + (long)gen_below(g, 30000) : 0);
    status = hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r);
    stops += status == HED_E_CANCELLED;
    o.resume = true;
  }
  in_microseconds(0);
  diag("%s, with a background: stopped %d times", score, stops);
  if (!ok(status == HED_OK, "%s: goes on", score))
    diag("%s", hed_error_text());
  same(&whole, &r, score);
  ok(access(path, F_OK) != 0 && access(other, F_OK) != 0, "%s: no file is left", score);
  hed_match_result_clear(&r);

  /* from two searches by hand */
  hed_array *b = hed_match_background(tmpl, 5);
  o = (hed_match_options){ .score = score, .workers = "reference", .threshold = -INFINITY };
  ok(run(&o, &plain), "%s: plain", score);
  ok(b && hed_match_run(&o, target, b, NULL, n_rotations, rotations, &noise_only) == HED_OK, "%s: of the background", score);
  if (plain.scores && noise_only.scores && whole.scores) {
    const float *p = hed_array_data(plain.scores), *q = hed_array_data(noise_only.scores), *w = hed_array_data(whole.scores);
    double mean = 0, worst = 0;
    for (int i = 0; i < VOXELS; i++)
      mean += fmax((double)q[i], 0) / VOXELS;
    for (int i = 0; i < VOXELS; i++)
      worst = fmax(worst, fabs((double)p[i] - fmax((double)q[i], 0) + mean - (double)w[i]));
    ok(worst < 1e-6 * fmax(1, fabs(plain.lowest)), "%s: score - (max(0, b) - mean) (%g)", score, worst);
  }
  hed_match_result_clear(&noise_only);
  hed_match_result_clear(&plain);
  o.correct_background = true;
  o.background = target;
  is_int(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_SHAPE, "a background template of another shape");
  o.background = NULL;
  o.score = "MCC";
  is_int(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_INVAL, "a score that cannot be corrected");
  hed_match_result_clear(&whole);
  hed_release(b);
}

/* The template for it has the template's spectrum and its seed's phases. */
static void background_template(void)
{
  hed_array *a = hed_match_background(tmpl, 1), *b = hed_match_background(tmpl, 1), *c = hed_match_background(tmpl, 2);
  hed_array *x = a ? hed_rfftn(a, NULL) : NULL, *y = hed_rfftn(tmpl, NULL);
  if (!ok(b && c && x && y, "background templates")) {
    diag("%s", hed_error_text());
    return;
  }
  const float *p = hed_array_data(x), *q = hed_array_data(y);
  double worst = 0, least = INFINITY;
  for (int64_t i = 0; i < hed_array_size(x); i++) {
    worst = fmax(worst, fabs(hypot((double)p[2 * i], (double)p[2 * i + 1]) - hypot((double)q[2 * i], (double)q[2 * i + 1])));
    least = fmin(least, hypot((double)(p[2 * i] - q[2 * i]), (double)(p[2 * i + 1] - q[2 * i + 1])) + (i == 0 ? 1 : 0));
  }
  ok(worst < 1e-3, "the same amplitudes (%g)", worst);
  is_near((double)p[0], (double)q[0], 1e-2, 0, "the same sum");
  is_mem(hed_array_data(a), hed_array_data(b), T * T * T * sizeof(float), "a seed's bits");
  ok(memcmp(hed_array_data(a), hed_array_data(c), T * T * T * sizeof(float)) != 0, "another's are others");
  RELEASE(a, b, c, x, y);
}

/* Workers that fail: the others do their rotations, and it is said. */
static void lost_workers(const char *score)
{
  hed_match_result whole, r;
  hed_match_options o = { .score = score, .threshold = -INFINITY, .workers = "reference" };
  ok(run(&o, &whole), "%s", score);
  o.workers = "reference,reference;memory=20K,reference;memory=30K"; /* the first one's context prepares the target */
  if (ok(run(&o, &r), "two of three workers have no memory")) {
    same(&whole, &r, score);
    has_str(r.worker[1].failure, "limit", "the second says why");
    is_str(r.worker[0].failure, "", "the first did not fail");
    is_uint(r.worker[0].rotations, n_rotations, "and did all");
  }
  hed_match_result_clear(&r);
  o.workers = "reference;memory=20K,reference;memory=30K";
  is_int(hed_match_run(&o, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_LIMIT, "all fail");
  hed_match_result_clear(&whole);
}

int main(void)
{
  gen g;
  const char *score;
  gen_seed(&g, tap_seed());
  kit_folder();
  signal(SIGALRM, at_moment);
  target = noise(&g, D);
  tmpl = noise(&g, T);
  if (hed_rotations_sample(3, 65, &rotations, &n_rotations) != HED_OK)
    bail("%s", hed_error_text());
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++) {
    interrupted(&g, score, "reference", false);
    interrupted(&g, score, "reference*3", false);
    interrupted(&g, score, "reference", true);
    shares(score);
    lost_workers(score);
  }
  cancelled_at_once("CC", false);
  cancelled_at_once("FLC", false);
  cancelled_at_once("FLC", true);
  other_searches(&g);
  background_template();
  background(&g, "FLC");
  background(&g, "CC");
  RELEASE(target, tmpl);
  free(rotations);
  done_testing();
  return done();
}
