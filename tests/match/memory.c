// SPDX-License-Identifier: BSD-3-Clause
/* What hed_match_memory() says against what a meter reads during a run: every score, images and volumes of random extents,
 * targets that have to be converted and such that have not, masks, with and without wrapping round, one to three workers, of
 * three backends. HEDDLE_TEST_FULL=1: every combination for every score.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static hed_array *noise(gen *g, hed_shape s, hed_dtype t)
{
  float *v = malloc((size_t)elements_of(s) * sizeof *v);
  for (int64_t i = 0; i < elements_of(s); i++)
    v[i] = (float)gen_normal(g);
  hed_array *x = hed_from_host(v, s, HED_FLOAT32), *y = x;
  free(v);
  if (t != HED_FLOAT32) {
    y = hed_astype(x, t);
    hed_release(x);
  }
  if (!y)
    bail("%s", hed_error_text());
  return y;
}

static hed_shape shape(gen *g, int ndim, int64_t low, int64_t high)
{
  hed_shape s = { .ndim = ndim };
  for (int i = 0; i < ndim; i++)
    s.dim[i] = low + (int64_t)gen_below(g, (uint64_t)(high - low + 1));
  return s;
}

typedef struct run {
  const char *backend, *score;
  hed_shape f, t;
  bool pad, mask;
  int workers;
  hed_dtype dtype;
  double tight; /* 0: a small target, which may need much less than is stated */
} run;

/* One run under a meter: no more than is stated, and not much less. */
static void measured(gen *g, const run *r)
{
  char spec[32], list[48], what[176];
  /* of many threads a small run uses few, which the statement does not know */
  snprintf(spec, sizeof spec, "%s%s", r->backend, r->tight > 0 && r->workers == 1 ? ";threads=2" : "");
  snprintf(list, sizeof list, "%s*%d", spec, r->workers);
  hed_array *target = noise(g, r->f, r->dtype), *tmpl = noise(g, r->t, HED_FLOAT32);
  hed_array *mask = r->mask ? hed_match_sphere(r->t, 0) : NULL;
  double *rotations;
  size_t n;
  if (hed_rotations_sample(r->f.ndim, r->f.ndim == 2 ? 5 : 45, &rotations, &n) != HED_OK)
    bail("%s", hed_error_text());
  n = n < 6 ? n : n < 70 || r->tight > 0 ? 6 : 70; /* from 64 on plans are measured */
  const hed_match_options opt = { .score = r->score, .pad = r->pad, .threshold = -INFINITY, .workers = list };
  hed_match_result out;
  hed_memory_meter meter;
  hed_memory_reading use = { .struct_size = sizeof use };
  size_t stated = 0;
  HED_BACKEND_CONTEXT(spec)
    stated = hed_match_memory(r->score, r->f, r->t, r->pad, r->workers);
  snprintf(what, sizeof what, "%s %lldx%lldx%lld, %lldx%lldx%lld%s%s, workers %s, %s", r->score, (long long)r->f.dim[0],
           (long long)r->f.dim[1], (long long)r->f.dim[2], (long long)r->t.dim[0], (long long)r->t.dim[1],
           (long long)r->t.dim[2], r->pad ? ", padded" : "", r->mask ? ", masked" : "", list, hed_dtype_name(r->dtype));
  (void)hed_free_cache(); /* plans are made anew, in the run */
  size_t most = 0;
  bool right = true;
  for (int k = 0; k < 8 && right && (k == 0 || (double)stated > r->tight * (double)most) && (k == 0 || r->tight > 0); k++) {
    /* again where a worker was done before another one began */
    if (hed_memory_meter_begin("cpu", &meter) != HED_OK)
      bail("%s", hed_error_text());
    const hed_status status = hed_match_run(&opt, target, tmpl, mask, k && n < 7 ? 24 : n, rotations, &out);
    right = status == HED_OK && hed_memory_meter_read(&meter, &use) == HED_OK && out.memory == stated;
    hed_memory_meter_end(&meter);
    hed_match_result_clear(&out);
    most = use.peak - use.start > most ? use.peak - use.start : most;
  }
  if (!ok(right, "%s", what))
    diag("%s", hed_error_text());
  if (!ok(most <= stated, "%s: no more than stated", what))
    diag("%zu stated, %zu measured, %.3f, %s", stated, most, (double)stated / (double)most, what);
  if (r->tight > 0 && !ok((double)stated <= r->tight * (double)most, "%s: not much less than stated", what))
    diag("%zu stated, %zu measured, %.3f", stated, most, (double)stated / (double)most);
  free(rotations);
  RELEASE(target, tmpl, mask);
}

/* What a run may be asked for beside: with each the result's own word holds. */
enum { HOT = 1, LIMITED = 2, FILTERED = 4, BANDED = 8, HIDDEN = 16, KEPT = 32, INVERTED = 64, SEEDED = 128, ALL_OF_THEM = 256 };

static void promised(gen *g, const run *r, int asked)
{
  char list[48], what[200], path[64];
  snprintf(list, sizeof list, "%s*%d", r->backend, r->workers);
  snprintf(path, sizeof path, "memory.%ld.hck", (long)getpid());
  hed_array *target = noise(g, r->f, HED_FLOAT32), *tmpl = noise(g, r->t, HED_FLOAT32);
  hed_array *profile = hed_full(HED_SHAPE(17), 0.5, HED_FLOAT32), *hidden = asked & HIDDEN ? hed_ones(r->f, HED_FLOAT32) : NULL;
  double *rotations;
  size_t n;
  if (!profile || hed_rotations_sample(r->f.ndim, r->f.ndim == 2 ? 15 : 60, &rotations, &n) != HED_OK)
    bail("%s", hed_error_text());
  n = n < 12 ? n : 12;
  for (int i = 0; i < 5 && asked & HOT; i++) { /* broken, and beyond the bound of clipping beside a neighbour */
    ((float *)hed_array_data(target))[elements_of(r->f) / 7 * (i + 1)] = 1e4F;
    ((float *)hed_array_data(target))[elements_of(r->f) / 7 * (i + 1) + (i & 1)] = 1e4F;
  }
  if (hidden)
    for (int64_t i = 0; i < elements_of(r->f) / 3; i++)
      ((float *)hed_array_data(hidden))[i] = 0;
  hed_table_row row = { .id = 1, .position = { 5, 5, 5 }, .euler = { 10, 20, 30 } };
  const hed_table table = { .n = 1, .row = &row };
  const hed_match_seeds seeds = { .table = &table };
  const hed_match_filter target_filter = { .profile = profile, .high_pass = 20 }, tmpl_filter = { .low_pass = 3 };
  hed_match_options o = { .score = r->score, .pad = r->pad, .threshold = -INFINITY, .workers = list, .invert = asked & INVERTED,
                          .target_filter = asked & FILTERED ? &target_filter : NULL, .seeds = asked & SEEDED ? &seeds : NULL,
                          .template_filter = asked & BANDED ? &tmpl_filter : NULL, .target_mask = hidden,
                          .checkpoint = asked & KEPT ? path : NULL, .checkpoint_seconds = 0.05 };
  hed_match_result out;
  hed_memory_meter meter;
  hed_memory_reading use = { .struct_size = sizeof use };
  snprintf(what, sizeof what, "%s %lldx%lldx%lld, %lldx%lldx%lld%s, workers %s, options %d", r->score, (long long)r->f.dim[0],
           (long long)r->f.dim[1], (long long)r->f.dim[2], (long long)r->t.dim[0], (long long)r->t.dim[1], (long long)r->t.dim[2],
           r->pad ? ", padded" : "", list, asked);
  hed_status status = HED_OK;
  if (asked & LIMITED) { /* about the least that it can do with */
    status = hed_match_run(&o, target, tmpl, NULL, n, rotations, &out);
    size_t least = status == HED_OK ? out.memory * 2 / 3 : 0;
    for (int k = 0; k < 6 && status == HED_OK; k++, least = o.memory_limit * 3 / 4) {
      hed_match_result_clear(&out);
      const size_t before = o.memory_limit;
      o.memory_limit = least;
      if ((status = hed_match_run(&o, target, tmpl, NULL, n, rotations, &out)) == HED_E_LIMIT && before) {
        o.memory_limit = before;
        status = HED_OK;
        break;
      }
    }
    if (status == HED_OK)
      hed_match_result_clear(&out);
  }
  (void)hed_free_cache();
  if (hed_memory_meter_begin("cpu", &meter) != HED_OK)
    bail("%s", hed_error_text());
  if (status == HED_OK)
    status = hed_match_run(&o, target, tmpl, NULL, n, rotations, &out);
  const bool read = hed_memory_meter_read(&meter, &use) == HED_OK;
  hed_memory_meter_end(&meter);
  if (status == HED_E_LIMIT && asked & LIMITED) { /* what cannot be divided says so */
    ok(true, "%s: too little", what);
  } else if (ok(status == HED_OK && read, "%s", what)) {
    if (!ok(use.peak - use.start <= out.memory, "%s: no more than said", what))
      diag("%zu said, %zu measured, %.3f", out.memory, use.peak - use.start, (double)out.memory / (double)(use.peak - use.start));
    hed_match_result_clear(&out);
  } else {
    diag("%s", hed_error_text());
  }
  (void)unlink(path);
  free(rotations);
  RELEASE(target, tmpl, profile, hidden);
}

static bool full;

/* Extents of targets that fill more than one thread's caches. */
static hed_shape volume(gen *g)
{
  return full ? shape(g, 3, 64, 90) : shape(g, 3, 48, 56);
}

static hed_shape image(gen *g)
{
  return full ? shape(g, 2, 500, 700) : shape(g, 2, 360, 420);
}

static void of_cpu(gen *g)
{
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int k = full ? 0 : i % 6; k < 12; k += full ? 1 : 6) {
      const bool pad = k & 1, mask = k & 2, other = k & 4;
      const int workers = 1 + k % 3;
      const hed_dtype dtype = other ? HED_INT16 : HED_FLOAT32;
      measured(g, &(run){ "cpu", score, volume(g), shape(g, 3, 5, 30), pad, mask, workers, dtype, 1.5 });
      measured(g, &(run){ "cpu", score, image(g), shape(g, 2, 9, 100), pad, mask, workers, dtype, 1.5 });
      measured(g, &(run){ "cpu", score, shape(g, 3, 12, 40), shape(g, 3, 3, 12), pad, mask, workers, dtype, 0 });
      measured(g, &(run){ "cpu", score, shape(g, 2, 12, 200), shape(g, 2, 3, 12), pad, mask, workers, dtype, 0 });
      if (k == 9) { /* a bound for all threads that there are, too */
        measured(g, &(run){ "cpu", score, volume(g), shape(g, 3, 5, 30), pad, mask, 1, dtype, 0 });
        measured(g, &(run){ "cpu", score, image(g), shape(g, 2, 9, 100), pad, mask, 1, dtype, 0 });
      }
    }
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int k = full ? 0 : i % 2; k < 4; k += full ? 1 : 2) {
      const int64_t edge = full ? 64 : 32;
      const hed_shape large = k < 2 ? HED_SHAPE(edge, edge, edge) : HED_SHAPE(1400, 20);
      measured(g, &(run){ "cpu", score, large, k < 2 ? large : HED_SHAPE(900, 3), k & 1, false, 2, HED_FLOAT32, 0 });
    }
}

/* Options alone, all pairs in turn, and all of them. */
static void with_options(gen *g)
{
  const char *score;
  for (int i = 0, k = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int a = HOT; a < ALL_OF_THEM; a *= 2)
      for (int b = a; b < ALL_OF_THEM; b *= 2, k++) {
        if (a != b && !full && k % 4 != i % 4)
          continue;
        const bool image = k % 3 == 0;
        const run r = { "cpu", score, image ? shape(g, 2, 90, 200) : shape(g, 3, 18, 40),
                        image ? shape(g, 2, 5, 30) : shape(g, 3, 4, 12), k & 1, false, 1 + k % 3, HED_FLOAT32, 0 };
        promised(g, &r, a | b);
        if (b == HOT)
          promised(g, &r, ALL_OF_THEM - 1);
      }
}

/* Of others the statement is a bound alone. */
static void of_others(gen *g, const char *backend)
{
  const char *score;
  for (int i = 0; (score = hed_match_score_name(i)) != NULL; i++)
    for (int k = 0; k < 4; k += full ? 1 : 3) {
      const bool pad = k & 1;
      const hed_shape small = full ? shape(g, 3, 24, 40) : shape(g, 3, 16, 24);
      measured(g, &(run){ backend, score, small, shape(g, 3, 5, 12), pad, false, 1 + k / 2, HED_FLOAT32, 0 });
      measured(g, &(run){ backend, score, shape(g, 2, 90, 130), shape(g, 2, 5, 30), pad, true, 1 + k / 2, HED_INT16, 0 });
    }
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  full = full_run();
  if (hed_backend_require("cpu") != HED_OK)
    skip_all("without the cpu backend");
  HED_BACKEND_CONTEXT("cpu") {
    of_cpu(&g);
    with_options(&g);
  }
  HED_BACKEND_CONTEXT("reference")
    of_others(&g, "reference");
  if (hed_backend_require("faulty") != HED_OK)
    skip(1, "without the fake device");
  else
    HED_BACKEND_CONTEXT("faulty")
      of_others(&g, "faulty");
  return done();
}
