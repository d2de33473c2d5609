// SPDX-License-Identifier: BSD-3-Clause
/* The worker pool: results that depend neither on the number of workers nor on who does what, ties, cancellation,
 * failures of workers, bad arguments; nothing left behind.
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

enum { N = 24, B = 9 };
static float target_data[N * N * N], box_data[B * B * B];
static hed_array *target, *tmpl;
static double *rotations;
static size_t n_rotations;

static uint64_t live(void)
{
  hed_stats s = { .struct_size = sizeof s };
  (void)hed_stats_get(&s);
  return s.arrays_live;
}

/* A noisy volume with one turned copy, so that scores differ between rotations. */
static void make_problem(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  for (int i = 0; i < B * B * B; i++) {
    int z = i / B / B - B / 2, y = i / B % B - B / 2, x = i % B - B / 2;
    box_data[i] = (float)exp(-0.1 * (z * z + 2 * (y - 1) * (y - 1) + x * x)) + (x > 1 && z > 0 ? 0.5F : 0);
  }
  for (int i = 0; i < N * N * N; i++)
    target_data[i] = (float)(0.3 * gen_normal(&g));
  for (int z = 0; z < B; z++)
    for (int y = 0; y < B; y++)
      for (int x = 0; x < B; x++)
        target_data[((5 + x) * N + 7 + y) * N + 4 + B - 1 - z] += box_data[(z * B + y) * B + x];
  target = hed_from_host(target_data, HED_SHAPE(N, N, N), HED_FLOAT32);
  tmpl = hed_from_host(box_data, HED_SHAPE(B, B, B), HED_FLOAT32);
  if (!target || !tmpl || hed_rotations_sample(3, 60, &rotations, &n_rotations) != HED_OK)
    bail("setup: %s", hed_error_text());
}

static hed_status run(const char *score, const char *workers, hed_match_result *r)
{
  hed_match_options opt = { .score = score, .workers = workers, .threshold = -INFINITY };
  return hed_match_run(&opt, target, tmpl, NULL, n_rotations, rotations, r);
}

static size_t share_total(const hed_match_result *r)
{
  size_t n = 0;
  for (int i = 0; i < r->n_workers; i++)
    n += r->worker[i].rotations;
  return n;
}

/* The same backend: the same bits. Another one: the same scores to rounding, rotations where these differ. */
static void independence(const char *score, bool cpu)
{
  static const char *const lists[] = { "reference", "reference*3", "reference;threads=1, reference", "cpu*2,reference", "cpu*3" };
  hed_match_result one, r;
  if (!ok(run(score, "reference", &one) == HED_OK, "%s, one worker", score)) {
    diag("%s", hed_error_text());
    return;
  }
  const float *want = hed_array_data(one.scores);
  const int32_t *want_index = hed_array_data(one.rotations);
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
    bool mixed = strstr(lists[k], "cpu") != NULL;
    if (mixed && !cpu) {
      skip(1, "no cpu backend");
      continue;
    }
    if (!ok(run(score, lists[k], &r) == HED_OK, "%s, %s", score, lists[k])) {
      diag("%s", hed_error_text());
      continue;
    }
    const float *s = hed_array_data(r.scores);
    const int32_t *index = hed_array_data(r.rotations);
    double worst = 0, scale = strcmp(score, "CC") == 0 ? 20 : 1;
    size_t other = 0;
    for (int i = 0; i < N * N * N; i++) {
      worst = fmax(worst, fabs((double)s[i] - (double)want[i]));
      other += index[i] != want_index[i];
    }
    if (mixed) {
      ok(worst <= 2e-4 * scale, "%s, %s: scores agree to rounding (%g)", score, lists[k], worst);
      ok(other <= N * N * N / 200, "%s, %s: rotations agree but for near ties (%zu)", score, lists[k], other);
    } else {
      is_mem(s, want, sizeof target_data, "%s, %s: the same bits", score, lists[k]);
      is_mem(index, want_index, sizeof target_data, "%s, %s: the same rotations", score, lists[k]);
    }
    is_uint(share_total(&r), n_rotations, "%s, %s: every rotation once", score, lists[k]);
    hed_match_result_clear(&r);
  }
  hed_match_result_clear(&one);
}

static void contexts_of_workers(bool cpu)
{
  hed_match_result r;
  if (!cpu) {
    skip(5, "no cpu backend");
    return;
  }
  ok(run("FLC", "cpu*2,reference", &r) == HED_OK, "three workers");
  is_int(r.n_workers, 3, "are listed");
  is_str(r.worker[0].backend, "cpu", "the first on cpu");
  is_str(r.worker[2].backend, "reference", "the last on reference");
  is_int(r.worker[0].threads, 1, "each with one thread");
  hed_match_result_clear(&r);
}

/* The same rotation thrice: the lowest index wins, whoever did it. */
static void ties(void)
{
  double same[3 * 9];
  for (int k = 0; k < 3; k++)
    memcpy(same + 9 * k, rotations + 9, 9 * sizeof *same);
  hed_match_options opt = { .workers = "reference*3", .threshold = -INFINITY };
  for (int repeat = 0; repeat < 5; repeat++) {
    hed_match_result r;
    if (!ok(hed_match_run(&opt, target, tmpl, NULL, 3, same, &r) == HED_OK, "equal rotations"))
      return;
    const int32_t *index = hed_array_data(r.rotations);
    size_t other = 0;
    for (int i = 0; i < N * N * N; i++)
      other += index[i] != 0;
    is_uint(other, 0, "the lowest of equals");
    hed_match_result_clear(&r);
  }
}

static int stop_at_once(void *arg, size_t done_, size_t total)
{
  (void)done_;
  (void)total;
  ++*(int *)arg;
  return 1;
}

static int count_calls(void *arg, size_t done_, size_t total)
{
  *(size_t *)arg = done_ == total ? done_ : 0;
  return 0;
}

static int flag;

static void *set_flag(void *arg)
{
  const struct timespec t = { 0, 30000000 };
  (void)arg;
  nanosleep(&t, NULL);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void cancellation(void)
{
  hed_match_result r;
  int calls = 0;
  size_t last = 0;
  hed_match_options opt = { .workers = "reference*2", .cancel = &flag };
  flag = 1;
  is_int(hed_match_run(&opt, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_CANCELLED, "cancelled before it starts");
  has_str(hed_error_text(), "cancelled", "says so");
  ok(!r.scores && !r.worker, "and leaves nothing");
  flag = 0;
  opt = (hed_match_options){ .workers = "reference*2", .progress = stop_at_once, .progress_arg = &calls };
  is_int(hed_match_run(&opt, target, tmpl, NULL, n_rotations, rotations, &r), HED_E_CANCELLED, "cancelled by progress");
  is_int(calls, 1, "which is asked once then");
  opt = (hed_match_options){ .workers = "reference*2", .progress = count_calls, .progress_arg = &last };
  is_int(hed_match_run(&opt, target, tmpl, NULL, n_rotations, rotations, &r), HED_OK, "not cancelled");
  is_uint(last, n_rotations, "the last call says that all is done");
  hed_match_result_clear(&r);

  /* While it runs, from another thread; the list is long enough to last. */
  double *many = malloc(20000 * 9 * sizeof *many);
  for (size_t i = 0; i < 20000; i++)
    memcpy(many + 9 * i, rotations + 9 * (i % n_rotations), 9 * sizeof *many);
  pthread_t t;
  opt = (hed_match_options){ .workers = "reference*2", .cancel = &flag };
  pthread_create(&t, NULL, set_flag, NULL);
  is_int(hed_match_run(&opt, target, tmpl, NULL, 20000, many, &r), HED_E_CANCELLED, "cancelled while it runs");
  pthread_join(t, NULL);
  flag = 0;
  free(many);
}

/* Status and a part of the sentence of a call that must fail. */
static void refuse(hed_status want, const char *part, const char *name, const hed_match_options *opt, const hed_array *f,
                   const hed_array *g, const hed_array *m, size_t n, const double *rot)
{
  hed_match_result r;
  hed_error_clear();
  is_int(hed_match_run(opt, f, g, m, n, rot, &r), want, "%s", name);
  has_str(hed_error_text(), part, "%s: the sentence", name);
  ok(!r.scores && !r.rotations && !r.worker, "%s: nothing is left", name);
}

static void bad_arguments(void)
{
  const double turn[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, shear[9] = { 1, 1, 0, 0, 1, 0, 0, 0, 1 };
  hed_match_options o = { 0 };
  hed_array *zeros = hed_zeros(HED_SHAPE(B, B, B), HED_FLOAT32), *flat = hed_full(HED_SHAPE(B, B, B), 7, HED_FLOAT32);
  hed_array *other = hed_ones(HED_SHAPE(B, B, B - 1), HED_FLOAT32), *big = hed_zeros(HED_SHAPE(N, N, N + 1), HED_FLOAT32);
  hed_array *image = hed_zeros(HED_SHAPE(N, N), HED_FLOAT32), *line = hed_zeros(HED_SHAPE(N), HED_FLOAT32);
  hed_array *pairs = hed_zeros(HED_SHAPE(N, N, N), HED_COMPLEX64), *negative = hed_full(HED_SHAPE(B, B, B), -1, HED_FLOAT32);
  hed_array *dead = hed_full(HED_SHAPE(N, N, N), 3, HED_FLOAT32);
  target_data[100] = NAN;
  hed_array *nan = hed_from_host(target_data, HED_SHAPE(N, N, N), HED_FLOAT32);

  refuse(HED_E_INVAL, "target is NULL", "no target", &o, NULL, tmpl, NULL, 1, turn);
  refuse(HED_E_INVAL, "template is NULL", "no template", &o, target, NULL, NULL, 1, turn);
  refuse(HED_E_INVAL, "no rotations", "no rotations", &o, target, tmpl, NULL, 0, turn);
  refuse(HED_E_INVAL, "not a rotation", "a shear", &o, target, tmpl, NULL, 1, shear);
  refuse(HED_E_SHAPE, "larger than the target along axis 2", "template too large", &o, target, big, NULL, 1, turn);
  refuse(HED_E_SHAPE, "the mask is", "mask of another shape", &o, target, tmpl, other, 1, turn);
  refuse(HED_E_SHAPE, "template has 2 dimensions", "an image as template", &o, target, image, NULL, 1, turn);
  refuse(HED_E_SHAPE, "target has 1 dimensions", "a line as target", &o, line, tmpl, NULL, 1, turn);
  refuse(HED_E_INVAL, "mask is empty", "empty mask", &o, target, tmpl, zeros, 1, turn);
  refuse(HED_E_INVAL, "below 0", "negative mask", &o, target, tmpl, negative, 1, turn);
  refuse(HED_E_INVAL, "no variance", "flat template", &o, target, flat, NULL, 1, turn);
  refuse(HED_E_INVAL, "target has no variance", "flat target", &o, dead, tmpl, NULL, 1, turn);
  refuse(HED_E_INVAL, "1 of 13824 values of the target", "NaN", &o, nan, tmpl, NULL, 1, turn);
  refuse(HED_E_DTYPE, "complex64", "complex target", &o, pairs, tmpl, NULL, 1, turn);
  o.score = "CORR";
  refuse(HED_E_INVAL, "no variance", "flat template, CORR", &o, target, flat, NULL, 1, turn);
  o = (hed_match_options){ .score = "LCCX" };
  refuse(HED_E_INVAL, "FLCSphericalMask", "unknown score", &o, target, tmpl, NULL, 1, turn);
  o = (hed_match_options){ .workers = "reference,nonesuch" };
  refuse(HED_E_NOTFOUND, "worker 1, 'nonesuch'", "unknown backend", &o, target, tmpl, NULL, 1, turn);
  o.workers = "reference*0";
  refuse(HED_E_INVAL, "*COUNT", "no worker", &o, target, tmpl, NULL, 1, turn);
  o.workers = "reference,,reference";
  refuse(HED_E_INVAL, "empty", "an empty entry", &o, target, tmpl, NULL, 1, turn);
  o = (hed_match_options){ .memory_limit = 1000 };
  refuse(HED_E_LIMIT, "the limit is", "memory limit", &o, target, tmpl, NULL, 1, turn);
  o = (hed_match_options){ .threshold = NAN };
  refuse(HED_E_INVAL, "threshold", "NaN as threshold", &o, target, tmpl, NULL, 1, turn);
  RELEASE(zeros, flat, other, big, image, line, pairs, negative, dead, nan);
}

/* Inputs of other dtypes and layouts, and a caller's scope that keeps what is its own. */
static void inputs(void)
{
  hed_match_result a, b;
  const double turn[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  ok(hed_match_run(NULL, target, tmpl, NULL, 1, turn, &a) == HED_OK, "float32");
  HED_SCOPE {
    hed_array *wide = hed_astype(target, HED_FLOAT64);
    hed_array *view = hed_transpose(hed_copy(hed_transpose(wide, NULL)), NULL);
    hed_array *own = hed_add_scalar(tmpl, 0);
    ok(hed_match_run(NULL, view, own, NULL, 1, turn, &b) == HED_OK, "float64, another layout");
    is_int(hed_array_refs(own), 1, "the scope's array is still the scope's alone");
  }
  is_mem(hed_array_data(a.scores), hed_array_data(b.scores), sizeof target_data, "the same scores");
  hed_match_result_clear(&a);
  hed_match_result_clear(&b);
}

int main(void)
{
  const char *score;
  const bool cpu = hed_backend_require("cpu") == HED_OK;
  hed_error_clear();
  make_problem();
  uint64_t before = live();
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    if (in_sample(i))
      independence(score, cpu);
  contexts_of_workers(cpu);
  ties();
  cancellation();
  inputs();
  bad_arguments();
  is_uint(live(), before, "no array is left behind");
  is_uint(hed_context_depth(), 0, "no frame is left behind");
  RELEASE(target, tmpl);
  free(rotations);
  done_testing();
  return done();
}
