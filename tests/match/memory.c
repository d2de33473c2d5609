// SPDX-License-Identifier: BSD-3-Clause
/*
 * What hed_match_memory() says against what a meter reads during a run: every score, images and volumes of random extents,
 * targets that have to be converted and such that have not, masks, with and without wrapping round, one to three workers, of
 * three backends. HEDDLE_TEST_FULL=1: every combination for every score.
 */
#include "gen.h"
#include "tap.h"
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t cells(hed_shape s)
{
  int64_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= s.dim[i];
  return n;
}

static hed_array *noise(gen *g, hed_shape s, hed_dtype t)
{
  float *v = malloc((size_t)cells(s) * sizeof *v);
  for (int64_t i = 0; i < cells(s); i++)
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
  hed_release(target);
  hed_release(tmpl);
  hed_release(mask);
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
  HED_BACKEND_CONTEXT("cpu")
    of_cpu(&g);
  HED_BACKEND_CONTEXT("reference")
    of_others(&g, "reference");
  if (hed_backend_require("faulty") != HED_OK)
    skip(1, "without the fake device");
  else
    HED_BACKEND_CONTEXT("faulty")
      of_others(&g, "faulty");
  return done();
}
