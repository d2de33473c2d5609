// SPDX-License-Identifier: BSD-3-Clause
/* Suite "jobs", matching: a 32^3 template in a 128^3 target; the time of one rotation.
 *
 * Layer: L5. Flops are those of the lines of transforms that a score needs at least; the floor is theirs, by bare FFTW.
 * bench.workers names contexts to measure instead of the row's.
 */
#include "fft.h"
#include <heddle/kits/rotation.h>
#include <math.h>

typedef struct own {
  hed_model model;
  hed_map map;
  hed_array *target;
  double *matrices;
  size_t n;
  char workers[160];
} own;

static hed_status run(bench_work *w, int64_t n)
{
  own *o = w->own;
  const hed_match_options opt = { .score = w->spec->name + strlen("match_"), .workers = o->workers, .threshold = 0,
                                  .cancel = &tool_interrupted };
  hed_status status = HED_OK;
  for (int64_t left = n; left > 0 && status == HED_OK;) {
    size_t some = (size_t)left < o->n ? (size_t)left : o->n;
    hed_match_result out = { 0 };
    status = hed_match_run(&opt, o->target, o->map.data, NULL, some, o->matrices, &out);
    if (status == HED_OK)
      snprintf(w->backend, sizeof w->backend, "%s", out.worker[0].backend);
    w->counted_ns += 1e9 * out.seconds;
    hed_match_result_clear(&out);
    left -= (int64_t)some;
  }
  return status;
}

static hed_status save(const char *folder, const char *name, const hed_array *x)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.npy", folder, name);
  return x ? hed_save_npy(path, x) : hed_error();
}

/* Target, template, mask, some rotations and the scores of these. */
static hed_status store(bench_work *w, const char *folder)
{
  enum { SOME = 24 };
  own *o = w->own;
  const hed_match_options opt = { .score = w->spec->name + strlen("match_"), .workers = o->workers,
                                  .threshold = -INFINITY };
  hed_match_result out = { 0 };
  hed_status status = hed_match_run(&opt, o->target, o->map.data, NULL, SOME, o->matrices, &out);
  if (status != HED_OK)
    return status;
  hed_array *mask = hed_match_sphere(hed_array_shape(o->map.data), 0);
  hed_array *turns = hed_empty(HED_SHAPE(SOME, 3, 3), HED_FLOAT64);
  if (turns)
    memcpy(hed_array_data(turns), o->matrices, SOME * 9 * sizeof(double));
  if ((status = save(folder, "target", o->target)) == HED_OK && (status = save(folder, "template", o->map.data)) == HED_OK &&
      (status = save(folder, "mask", mask)) == HED_OK && (status = save(folder, "rotations", turns)) == HED_OK)
    status = save(folder, "scores", out.scores);
  hed_release(mask);
  hed_release(turns);
  hed_match_result_clear(&out);
  return status;
}

static void drop(bench_work *w)
{
  own *o = w->own;
  hed_release(o->target);
  hed_model_clear(&o->model);
  hed_map_clear(&o->map);
  free(o->matrices);
  free(o);
}

/* Lines of N points along one axis that have to be transformed for a score, a real line being half of one: there from a box
 * of K^3 that the rest of the array is zero around, first K^2 lines, then the K planes of them, then all columns; back all
 * three axes. FLC turns the mask too, and has three products. */
static double lines_of(const char *score, double n, double k)
{
  double half = n / 2 + 1, there = k * k / 2 + k * half + n * half, back = 2 * n * half + n * n / 2;
  return strcasecmp(score, "FLC") == 0 ? 2 * there + 3 * back : there + back;
}

static hed_status prepare(bench_work *w)
{
  const bench *b = w->spec->what;
  const hed_random noise = { .seed = 1, .seeded = true };
  const hed_shape box = HED_SHAPE(32, 32, 32);
  own *o = calloc(1, sizeof *o);
  if (!o)
    return hed_fail(HED_E_NOMEM, "no memory");
  w->own = o;
  w->drop = drop;
  w->store = store;
  o->target = hed_random_normal(HED_SHAPE(128, 128, 128), HED_FLOAT32, &noise);
  hed_status status = o->target ? hed_model_example(&o->model) : hed_error();
  if (status == HED_OK)
    status = hed_model_to_map(&o->model, 5, 20, &box, &o->map);
  if (status == HED_OK)
    status = hed_rotations_sample(3, 20, &o->matrices, &o->n);
  if (status != HED_OK)
    return status;
  if (b->workers)
    snprintf(o->workers, sizeof o->workers, "%s", b->workers);
  else
    snprintf(o->workers, sizeof o->workers, "%s;threads=%d;fft=measure", b->backend, w->spec->threads);
  snprintf(w->shape, sizeof w->shape, "128^3,32^3");
  w->run = run;
  w->least = b->rotations;
  enum { LINES = 64 };
  double lines = lines_of(w->spec->name + strlen("match_"), 128, 32);
  w->flops = lines * 5 * 128 * log2(128);
  status = bench_floor_fftw(w, BENCH_C2C, 1, (const int[]){ 128 }, LINES, 1);
  if (status == HED_OK && w->floor.run) {
    w->floor.repeat = lines / LINES / w->spec->threads;
    w->note = "floor: bare FFTW in the cache for the lines that are not zero";
  }
  return status;
}

void bench_list_match(bench *b)
{
  const char *const names[] = { "match_FLCSphericalMask", "match_FLC" };
  for (int i = 0; i < 2; i++) {
    bench_spec s = { .suite = "jobs", .name = names[i], .size = "128^3", .dtype = HED_FLOAT32, .what = b, .prepare = prepare };
    if (!b->score || strcasecmp(b->score, names[i] + strlen("match_")) == 0)
      bench_add(b, &s, b->workers != NULL);
  }
}
