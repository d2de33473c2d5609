// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows of template matching, single passes over memory: norm_scores, max_score_over_rotations. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/nest.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

/* ---- norm_scores ---- */

static void norm_loop(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const hed_norm_params *q = params;
  const float n_obs = (float)q->n_obs, eps = (float)q->eps;
  if (s[0] == 4 && s[2] == 4 && s[3] == 4 && (s[1] == 4 || s[1] == 0)) {
    cpu_k->norm_scores(n, (float *)(void *)p[0], (const float *)(const void *)p[1], s[1] / 4,
                       (const float *)(const void *)p[2], (const float *)(const void *)p[3], n_obs,
                       eps);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    cpu_k->norm_scores(1, (float *)(void *)(p[0] + i * s[0]),
                       (const float *)(const void *)(p[1] + i * s[1]), 0,
                       (const float *)(const void *)(p[2] + i * s[2]),
                       (const float *)(const void *)(p[3] + i * s[3]), n_obs, eps);
}

typedef struct map_job {
  hed__map map;
  const hed_call *call;
} map_job;

static void run_map(void *arg, int32_t part, int32_t parts)
{
  const map_job *j = arg;
  hed__map_run_part(&j->map, j->call, part, parts);
}

int32_t cpu_norm_scores(void *state, const hed_call *call)
{
  (void)state;
  if (call->compute != HED_ID_FLOAT32 || ((const hed_norm_params *)call->params)->unit_low)
    return cpu_map_row(call);
  map_job j = { { norm_loop, { HED_ID_FLOAT32, HED_ID_FLOAT32, HED_ID_FLOAT32, HED_ID_FLOAT32 } },
                call };
  int64_t n = hed__view_size(call->out[0]);
  cpu_parallel_parts(call, n, 4 * (double)n, run_map, &j);
  return HED_OK;
}

/* ---- max_score_over_rotations: in scores; in and out max_scores (float32), rotations (int32) ---- */

typedef struct score_job {
  const float *scores;
  float *best;
  int32_t *rotations, index;
} score_job;

static void run_score(void *arg, int64_t begin, int64_t end)
{
  const score_job *j = arg;
  cpu_k->max_score(end - begin, j->scores + begin, j->best + begin, j->rotations + begin, j->index);
}

static void score_rows(const hed__nest *nest, int32_t index)
{
  hed__walk w;
  int32_t last = nest->ndim - 1;
  int64_t n = nest->dim[last], ss = nest->stride[2][last], ms = nest->stride[0][last],
          rs = nest->stride[1][last];
  hed__walk_init(&w, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&w)) {
    if (ss == 4 && ms == 4 && rs == 4) {
      cpu_k->max_score(n, (const float *)(const void *)w.ptr[2], (float *)(void *)w.ptr[0],
                       (int32_t *)(void *)w.ptr[1], index);
      continue;
    }
    for (int64_t i = 0; i < n; i++)
      cpu_k->max_score(1, (const float *)(const void *)(w.ptr[2] + i * ss),
                       (float *)(void *)(w.ptr[0] + i * ms), (int32_t *)(void *)(w.ptr[1] + i * rs),
                       index);
  }
}

/* Scores of 16 bits: they are compared in the type in which the best are kept, else a stored score
 * would lose against itself. */
static void convert_rows(const hed__nest *nest, int scores, int kept, int32_t index)
{
  enum { BLOCK_ELEMENTS = 256 };
  hed__cast_fn round = hed__cast(scores, kept), widen = hed__cast(kept, HED_ID_FLOAT32);
  hed__cast_fn narrow = hed__cast(HED_ID_FLOAT32, kept);
  int32_t last = nest->ndim - 1;
  int64_t ms = nest->stride[0][last], rs = nest->stride[1][last], ss = nest->stride[2][last];
  hed__walk w;
  hed__walk_init(&w, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&w))
    for (int64_t i = 0; i < nest->dim[last]; i += BLOCK_ELEMENTS) {
      int64_t n = CPU_MIN(nest->dim[last] - i, BLOCK_ELEMENTS);
      float score[BLOCK_ELEMENTS], best[BLOCK_ELEMENTS];
      double rounded[BLOCK_ELEMENTS]; /* room for any element type */
      int32_t from[BLOCK_ELEMENTS];
      char *m = w.ptr[0] + i * ms, *r = w.ptr[1] + i * rs;
      round(n, (char *)rounded, 8, w.ptr[2] + i * ss, ss);
      widen(n, (char *)score, sizeof *score, (char *)rounded, 8);
      widen(n, (char *)best, sizeof *best, m, ms);
      for (int64_t k = 0; k < n; k++)
        memcpy(&from[k], r + k * rs, sizeof *from);
      cpu_k->max_score(n, score, best, from, index);
      narrow(n, m, ms, (char *)best, sizeof *best);
      for (int64_t k = 0; k < n; k++)
        memcpy(r + k * rs, &from[k], sizeof *from);
    }
}

int32_t cpu_max_score(void *state, const hed_call *call)
{
  (void)state;
  const hed_maxscore_params *p = call->params;
  const hed_view *s = call->in[0], *best = call->out[0], *rot = call->out[1];
  int64_t n = hed__view_size(best);
  if (n == 0)
    return HED_OK;
  hed__nest nest;
  const hed_view *views[3] = { best, rot, s };
  if (s->dtype != HED_ID_FLOAT32 || best->dtype != HED_ID_FLOAT32) {
    hed__nest_init(&nest, 3, views, HED__NEST_REORDER);
    convert_rows(&nest, s->dtype, best->dtype, p->index);
    return HED_OK;
  }
  if (hed__is_c_contiguous(s) && hed__is_c_contiguous(best) && hed__is_c_contiguous(rot)) {
    score_job j = { s->data, best->data, rot->data, p->index };
    cpu_parallel_for(call, n, 1024, 2 * (double)n, run_score, &j);
    return HED_OK;
  }
  hed__nest_init(&nest, 3, views, HED__NEST_REORDER);
  score_rows(&nest, p->index);
  return HED_OK;
}
