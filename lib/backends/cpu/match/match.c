// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rows of template matching: norm_scores, max_score_over_rotations, maximum_filter. L1.
 *
 * The first two are single passes over memory. The box maximum is separable; along one axis it takes
 * three comparisons per element whatever the box's edge (M. van Herk, Pattern Recognition Letters
 * 13, 1992; J. Gil, M. Werman, IEEE PAMI 15, 1993).
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
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
  enum { BLOCK = 256 };
  hed__cast_fn round = hed__cast(scores, kept), widen = hed__cast(kept, HED_ID_FLOAT32);
  hed__cast_fn narrow = hed__cast(HED_ID_FLOAT32, kept);
  int32_t last = nest->ndim - 1;
  int64_t ms = nest->stride[0][last], rs = nest->stride[1][last], ss = nest->stride[2][last];
  hed__walk w;
  hed__walk_init(&w, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&w))
    for (int64_t i = 0; i < nest->dim[last]; i += BLOCK) {
      int64_t n = CPU_MIN(nest->dim[last] - i, BLOCK);
      float score[BLOCK], best[BLOCK];
      double rounded[BLOCK]; /* room for any element type */
      int32_t from[BLOCK];
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
    hed__nest_init(&nest, 3, views, true);
    convert_rows(&nest, s->dtype, best->dtype, p->index);
    return HED_OK;
  }
  if (hed__is_c_contiguous(s) && hed__is_c_contiguous(best) && hed__is_c_contiguous(rot)) {
    score_job j = { s->data, best->data, rot->data, p->index };
    cpu_parallel_for(call, n, 1024, 2 * (double)n, run_score, &j);
    return HED_OK;
  }
  hed__nest_init(&nest, 3, views, true);
  score_rows(&nest, p->index);
  return HED_OK;
}

/* ---- maximum_filter ---- */

typedef struct filter_job {
  float *data;           /* C order, in place */
  int64_t n, inner;      /* extent of the axis; elements between its neighbours */
  int64_t before, after; /* the box: offsets -before .. after */
  float cval;
  float *spare;          /* per item: 2 * (n + size) rows of up to LANE columns */
  int64_t spare_size;
} filter_job;

enum { LANE = 64 };

/* Running maxima of LANE columns at once, so that memory is read in rows: forward maxima restart at
 * every multiple of the box, backward ones too, and a window is the maximum of one of each. */
static void filter_lane(const filter_job *j, float *at, int64_t cols, float *fwd, float *bwd)
{
  const int64_t size = j->before + j->after + 1, total = j->n + j->before + j->after;
  for (int64_t i = 0; i < total; i++) {
    float *f = fwd + i * LANE;
    int64_t k = i - j->before;
    if (k >= 0 && k < j->n)
      memcpy(f, at + k * j->inner, (size_t)cols * sizeof *f);
    else
      for (int64_t c = 0; c < cols; c++)
        f[c] = j->cval;
  }
  memcpy(bwd, fwd, (size_t)(total * LANE) * sizeof *bwd);
  for (int64_t i = 1; i < total; i++)
    if (i % size)
      cpu_k->max_into(cols, fwd + i * LANE, fwd + (i - 1) * LANE);
  for (int64_t i = total - 2; i >= 0; i--)
    if ((i + 1) % size)
      cpu_k->max_into(cols, bwd + i * LANE, bwd + (i + 1) * LANE);
  for (int64_t i = 0; i < j->n; i++) {
    cpu_k->max_into(cols, bwd + i * LANE, fwd + (i + size - 1) * LANE);
    memcpy(at + i * j->inner, bwd + i * LANE, (size_t)cols * sizeof *at);
  }
}

static void filter_part(void *arg, int32_t part, int32_t parts)
{
  const filter_job *j = arg;
  float *fwd = j->spare + part * j->spare_size, *bwd = fwd + j->spare_size / 2;
  int64_t lanes = (j->inner + LANE - 1) / LANE;
  for (int64_t k = part; k < lanes; k += parts)
    filter_lane(j, j->data + k * LANE, CPU_MIN(j->inner - k * LANE, LANE), fwd, bwd);
}

/* The last axis has no columns beside it: rows are filtered one by one. */
static void filter_row(const filter_job *j, float *row, float *fwd, float *bwd)
{
  const int64_t size = j->before + j->after + 1, total = j->n + j->before + j->after;
  for (int64_t i = 0; i < total; i++)
    fwd[i] = bwd[i] = i >= j->before && i < j->before + j->n ? row[i - j->before] : j->cval;
  for (int64_t i = 1; i < total; i++)
    if (i % size && !(fwd[i] >= fwd[i - 1] || fwd[i] != fwd[i]))
      fwd[i] = fwd[i - 1];
  for (int64_t i = total - 2; i >= 0; i--)
    if ((i + 1) % size && !(bwd[i] >= bwd[i + 1] || bwd[i] != bwd[i]))
      bwd[i] = bwd[i + 1];
  memcpy(row, bwd, (size_t)j->n * sizeof *row);
  cpu_k->max_into(j->n, row, fwd + size - 1);
}

int32_t cpu_maximum_filter(void *state, const hed_call *call)
{
  (void)state;
  const hed_box_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  int64_t n = hed__view_size(out), longest = 1;
  int32_t status = HED_OK;
  if (p->boundary != HED_BOUNDARY_DEFAULT && p->boundary != HED_BOUNDARY_CONSTANT)
    return HED_E_UNSUPPORTED;
  if (n == 0)
    return HED_OK;
  for (int32_t a = 0; a < out->ndim; a++)
    longest = CPU_MAX(longest, out->dim[a]);
  /* Windows wider than twice the array see all of it already. */
  int64_t before = CPU_MIN(p->size / 2, longest), after = CPU_MIN((p->size - 1) / 2, longest);
  hed_view work = *out;
  work.dtype = HED_ID_FLOAT32;
  float *block = NULL;
  int64_t rows = longest + before + after, spare = 2 * rows * LANE;
  float *lanes = cpu_scratch_get((size_t)(spare * call->max_threads) * sizeof *lanes);
  bool direct = out->dtype == HED_ID_FLOAT32 && hed__is_c_contiguous(out);
  if (!direct) {
    block = cpu_scratch_get((size_t)n * sizeof *block);
    work.data = block;
    hed__c_strides(work.ndim, work.dim, sizeof *block, work.stride);
  }
  if (!lanes || (!direct && !block)) {
    status = cpu_host->fail(HED_E_NOMEM, "maximum_filter: no memory for %lld elements of scratch",
                            (long long)n);
    goto end;
  }
  if (in->data != work.data || in->dtype != work.dtype)
    status = cpu_convert(call, &work, in);
  int64_t inner = 1;
  for (int32_t a = out->ndim - 1; a >= 0 && status == HED_OK; a--) {
    filter_job j = { work.data, out->dim[a], inner, before, after, (float)p->cval, lanes, spare };
    int64_t span = j.n * inner;
    for (int64_t k = 0; k < n; k += span) {
      j.data = (float *)work.data + k;
      if (inner == 1)
        filter_row(&j, j.data, lanes, lanes + spare / 2);
      else
        cpu_parallel_parts(call, (inner + LANE - 1) / LANE, 6 * (double)span, filter_part, &j);
    }
    inner = span;
  }
  if (status == HED_OK && !direct)
    status = cpu_convert(call, out, &work);
end:
  cpu_scratch_put(block);
  cpu_scratch_put(lanes);
  return status;
}
