// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_match.c: suite "jobs", matching: a 32^3 template in a 128^3 target; the time of one rotation.
 *
 * Layer: L5. Flops are those of the two real transforms that every score needs at least; the floor is theirs, by bare FFTW
 * (the local deviation of FLC needs three more). bench.workers names contexts to measure instead of the row's.
 */
#include "bench_fft.h"
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

static void drop(bench_work *w)
{
  own *o = w->own;
  hed_release(o->target);
  hed_model_clear(&o->model);
  hed_map_clear(&o->map);
  free(o->matrices);
  free(o);
}

/* Two transforms are one there and one back; bare FFTW does one, twice. */
static void (*one_transform)(void *state, int64_t n);
static void two_transforms(void *state, int64_t n)
{
  one_transform(state, 2 * n);
}

static hed_status prepare(bench_work *w)
{
  const bench *b = w->spec->what;
  const hed_random noise = { .seed = 1, .seeded = true };
  const hed_shape box = HED_SHAPE(32, 32, 32);
  const double cells = 128.0 * 128 * 128;
  own *o = calloc(1, sizeof *o);
  if (!o)
    return hed_fail(HED_E_NOMEM, "no memory");
  w->own = o;
  w->drop = drop;
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
  w->flops = 2 * 2.5 * cells * log2(cells);
  status = bench_floor_fftw(w, BENCH_R2C, 3, (const int[]){ 128, 128, 128 }, 1);
  if (status == HED_OK && w->floor.run) {
    one_transform = w->floor.run;
    w->floor.run = two_transforms;
    w->note = "floor: one real transform there and one back";
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
