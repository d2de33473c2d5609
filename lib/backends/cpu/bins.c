// SPDX-License-Identifier: BSD-3-Clause
/*
 * searchsorted, bincount and histogram. L1.
 *
 * Threads count apart and the counts are added, which is exact; weights add up in order on one thread, so that the sum does
 * not depend on how many there are. In bins of equal width the place is computed and then put right by the edges.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/bins.h"
#include "base/cast.h"
#include "base/shape.h"
#include <string.h>

enum { BLOCK = 512 };

HED__SEARCH(search_f64, double)
HED__SEARCH(search_f32, float)
HED__SEARCH(search_i64, int64_t)
HED__SEARCH(search_i32, int32_t)

typedef struct search_job {
  const hed_view *sorted;
  hed__nest nest;        /* out, values */
  int type;
  bool right;
  hed__cast_fn deliver;
} search_job;

static void run_search(void *arg, int64_t begin, int64_t end)
{
  const search_job *j = arg;
  const hed__nest *nest = &j->nest;
  const char *s = j->sorted->data;
  const int64_t n = j->sorted->dim[0], step = j->sorted->stride[0], width = nest->dim[nest->ndim - 1];
  const int64_t to_step = nest->stride[0][nest->ndim - 1], from_step = nest->stride[1][nest->ndim - 1];
  hed__walk walk;
  hed__walk_init(&walk, nest, begin / width, (end + width - 1) / width - begin / width);
  for (int64_t at = begin; at < end && hed__walk_next(&walk);) {
    int64_t first = at % width, m = CPU_MIN(width - first, end - at);
    for (int64_t i = first; i < first + m; i++) {
      const void *v = walk.ptr[1] + i * from_step;
      int64_t place;
      switch (j->type) {
      case HED_ID_FLOAT64: place = search_f64(n, s, step, *(const double *)v, j->right); break;
      case HED_ID_FLOAT32: place = search_f32(n, s, step, *(const float *)v, j->right); break;
      case HED_ID_INT64: place = search_i64(n, s, step, *(const int64_t *)v, j->right); break;
      default: place = search_i32(n, s, step, *(const int32_t *)v, j->right);
      }
      j->deliver(1, walk.ptr[0] + i * to_step, 0, (const char *)&place, 0);
    }
    at += m;
  }
}

int32_t cpu_searchsorted(void *state, const hed_call *call)
{
  const hed_searchsorted_params *p = call->params;
  (void)state;
  if (call->in[0]->dtype != call->compute || call->in[1]->dtype != call->compute)
    return HED_E_UNSUPPORTED;
  search_job j = { .sorted = call->in[0], .type = call->compute, .right = p->right };
  j.deliver = hed__cast(HED_ID_INT64, call->out[0]->dtype);
  hed__nest_init(&j.nest, 2, (const hed_view *const[]){ call->out[0], call->in[1] }, false);
  int64_t total = hed__view_size(call->out[0]);
  if (total > 0)
    cpu_parallel_for(call, total, 1, 60 * (double)total, run_search, &j);
  return HED_OK;
}

/* ---- counting ---- */

typedef struct count_job {
  const hed_view *x, *weights;
  const double *edges;   /* NULL: x holds the bins */
  bool uniform;
  int64_t bins, total;
  char *counts;          /* int64 or double; one list per part */
} count_job;

static int64_t uniform_bin(const count_job *j, double x)
{
  const double *e = j->edges;
  const int64_t n = j->bins;
  if (!(x >= e[0] && x <= e[n]))
    return -1;
  double guess = (x - e[0]) / (e[n] - e[0]) * (double)n;
  int64_t i = guess < (double)(n - 1) ? (int64_t)guess : n - 1;
  while (i > 0 && x < e[i])
    i--;
  while (i < n - 1 && x >= e[i + 1])
    i++;
  return i;
}

static void count_range(const count_job *j, int64_t begin, int64_t end, char *counts)
{
  int64_t place[BLOCK];
  double block[BLOCK];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t m = CPU_MIN(end - i, BLOCK);
    const char *from = (const char *)j->x->data + i * j->x->stride[0];
    if (j->edges) {
      hed__cast(j->x->dtype, HED_ID_FLOAT64)(m, (char *)block, 8, from, j->x->stride[0]);
      for (int64_t k = 0; k < m; k++)
        place[k] = j->uniform ? uniform_bin(j, block[k]) : hed__bin_of(j->edges, j->bins, block[k]);
    } else {
      hed__cast(j->x->dtype, HED_ID_INT64)(m, (char *)place, 8, from, j->x->stride[0]);
    }
    if (j->weights) {
      const char *w = (const char *)j->weights->data + i * j->weights->stride[0];
      hed__cast(j->weights->dtype, HED_ID_FLOAT64)(m, (char *)block, 8, w, j->weights->stride[0]);
    }
    for (int64_t k = 0; k < m; k++)
      if (place[k] >= 0 && place[k] < j->bins) {
        if (j->weights)
          ((double *)(void *)counts)[place[k]] += block[k];
        else
          ((int64_t *)(void *)counts)[place[k]]++;
      }
  }
}

static void run_count(void *arg, int32_t part, int32_t parts)
{
  const count_job *j = arg;
  int64_t each = (j->total + parts - 1) / parts, begin = part * each;
  count_range(j, begin, CPU_MIN(begin + each, j->total), j->counts + (int64_t)part * j->bins * 8);
}

static int32_t count(const hed_call *call, count_job *j, const char *name)
{
  const hed_view *out = call->out[0];
  j->x = call->in[0];
  j->bins = out->dim[0];
  j->total = j->x->dim[0];
  /* many bins would cost more to add up than threads save */
  int64_t parts = j->weights || j->bins > j->total / 8 ? 1 : CPU_MIN(call->max_threads, 16);
  size_t bytes = (size_t)(parts * j->bins) * 8;
  j->counts = cpu_scratch_get(bytes + 64);
  if (!j->counts)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for %lld bins", name, (long long)j->bins);
  memset(j->counts, 0, bytes);
  cpu_parallel_parts(call, parts, (j->edges ? 20 : 8) * (double)j->total, run_count, j);
  int64_t *sum = (void *)j->counts;
  for (int64_t p = 1; p < parts; p++)
    for (int64_t k = 0; k < j->bins; k++)
      sum[k] += sum[p * j->bins + k];
  hed__cast(j->weights ? HED_ID_FLOAT64 : HED_ID_INT64, out->dtype)(j->bins, out->data, out->stride[0], j->counts, 8);
  cpu_scratch_put(j->counts);
  return HED_OK;
}

int32_t cpu_bincount(void *state, const hed_call *call)
{
  count_job j = { .weights = call->n_in > 1 ? call->in[1] : NULL };
  (void)state;
  return count(call, &j, "bincount");
}

int32_t cpu_histogram(void *state, const hed_call *call)
{
  const hed_histogram_params *p = call->params;
  count_job j = { .weights = call->n_in > 2 ? call->in[2] : NULL, .edges = call->in[1]->data, .uniform = p->uniform };
  (void)state;
  return count(call, &j, "histogram");
}
