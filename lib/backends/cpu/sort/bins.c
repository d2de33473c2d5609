// SPDX-License-Identifier: BSD-3-Clause
/*
 * searchsorted, bincount and histogram. L1.
 *
 * Threads count apart and the counts are added, which is exact; weights add up in order on one thread, so that the sum does
 * not depend on how many there are. In bins of equal width the index is computed and then put right by the edges.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/bins.h"
#include "base/cast.h"
#include "base/nest.h"
#include "base/shape.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK_ELEMENTS = 512, BATCH_QUERIES = 32, TABLES = 4, SMALL_BINS = 1024, LIST = SMALL_BINS + 32 /* list_step(SMALL_BINS) */ };

/* Bins of M queries, at most BATCH_QUERIES, in N ordered elements that are contiguous. All halve their ranges together, without
 * branches: what one waits for is hidden by the others. Queries that ascend first get the range between the indices of the
 * first and the last. A query that is NaN goes alone, behind. */
#define SEARCH(name, type)                                                                               \
  HED__SEARCH(name, type)                                                                                \
  static inline __attribute__((always_inline)) void name##_halve(int64_t n, const type *s, int64_t m,    \
                                                                 const type *v, int64_t *at, bool right) \
  {                                                                                                      \
    for (int64_t k = 0; k < m; k++)                                                                      \
      at[k] = 0;                                                                                         \
    for (int64_t half; n > 1; n -= half) {                                                               \
      half = n / 2;                                                                                      \
      const type *middle = s + half - 1;                                                                 \
      for (int64_t k = 0; k < m; k++)                                                                    \
        at[k] += half & -(int64_t)(right ? middle[at[k]] <= v[k] : middle[at[k]] < v[k]);                \
    }                                                                                                    \
    for (int64_t k = 0; k < m && n; k++)                                                                 \
      at[k] += right ? s[at[k]] <= v[k] : s[at[k]] < v[k];                                               \
  }                                                                                                      \
  static void name##_batch(int64_t n, const type *s, int64_t m, const type *v, int64_t *at, bool right)  \
  {                                                                                                      \
    int64_t k = 1, first = 0;                                                                            \
    while (k < m && v[k - 1] <= v[k])                                                                    \
      k++;                                                                                               \
    if (k == m && m >= BATCH_QUERIES / 2) {                                                                      \
      first = name(n, (const char *)s, sizeof *s, v[0], right);                                          \
      n = name(n, (const char *)s, sizeof *s, v[m - 1], right) - first;                                  \
      s += first;                                                                                        \
    }                                                                                                    \
    if (n > 0 && n <= 1 << 30 && cpu_sort_k->name)                                                       \
      cpu_sort_k->name(n, s, m, v, at, right);                                                           \
    else if (right)                                                                                      \
      name##_halve(n, s, m, v, at, true);                                                                \
    else                                                                                                 \
      name##_halve(n, s, m, v, at, false);                                                               \
    for (k = 0; k < m; k++)                                                                              \
      at[k] = v[k] == v[k] ? at[k] + first : name(n, (const char *)s, sizeof *s, v[k], right);           \
  }
SEARCH(search_f64, double)
SEARCH(search_f32, float)
SEARCH(search_i64, int64_t)
SEARCH(search_i32, int32_t)

typedef struct search_job {
  const void *sorted;
  int64_t n, size;
  hed__nest nest;        /* out, values */
  int type;              /* in which is searched */
  bool flip;             /* uint64, as int64 with the highest bit inverted */
  bool right;
  hed__cast_fn gather, deliver;
} search_job;

static void flip(int64_t n, int64_t *x)
{
  for (int64_t k = 0; k < n; k++)
    x[k] ^= INT64_MIN;
}

/* One of the four types that holds all numbers of TYPE; UINT64 aside. */
static int search_type(int type)
{
  switch (type) {
  case HED_ID_FLOAT64: return HED_ID_FLOAT64;
  case HED_ID_FLOAT32: case HED_ID_FLOAT16: case HED_ID_BFLOAT16: return HED_ID_FLOAT32;
  case HED_ID_INT64: case HED_ID_UINT64: case HED_ID_UINT32: return HED_ID_INT64;
  default: return HED_ID_INT32;
  }
}

static void run_search(void *arg, int64_t begin, int64_t end)
{
  const search_job *j = arg;
  const hed__nest *nest = &j->nest;
  const void *s = j->sorted;
  const int64_t n = j->n, width = nest->dim[nest->ndim - 1];
  const int64_t to_step = nest->stride[0][nest->ndim - 1], from_step = nest->stride[1][nest->ndim - 1];
  hed__walk walk;
  hed__walk_init(&walk, nest, begin / width, (end + width - 1) / width - begin / width);
  for (int64_t at = begin; at < end && hed__walk_next(&walk);) {
    int64_t first = at % width, m = CPU_MIN(width - first, end - at);
    for (int64_t i = first; i < first + m; i += BATCH_QUERIES) {
      const int64_t part = CPU_MIN(first + m - i, BATCH_QUERIES);
      int64_t index[BATCH_QUERIES];
      union { double f64[BATCH_QUERIES]; float f32[BATCH_QUERIES]; int64_t i64[BATCH_QUERIES]; int32_t i32[BATCH_QUERIES]; } v;
      j->gather(part, (char *)&v, j->size, walk.ptr[1] + i * from_step, from_step);
      if (j->flip)
        flip(part, v.i64);
      switch (j->type) {
      case HED_ID_FLOAT64: search_f64_batch(n, s, part, v.f64, index, j->right); break;
      case HED_ID_FLOAT32: search_f32_batch(n, s, part, v.f32, index, j->right); break;
      case HED_ID_INT64: search_i64_batch(n, s, part, v.i64, index, j->right); break;
      default: search_i32_batch(n, s, part, v.i32, index, j->right);
      }
      j->deliver(part, walk.ptr[0] + i * to_step, to_step, (const char *)index, sizeof *index);
    }
    at += m;
  }
}

int32_t cpu_searchsorted(void *state, const hed_call *call)
{
  const hed_searchsorted_params *p = call->params;
  (void)state;
  const int type = call->in[0]->dtype;
  if (call->in[1]->dtype != type)
    return HED_E_UNSUPPORTED;
  const hed_view *sorted = call->in[0];
  search_job j = { .sorted = sorted->data, .n = sorted->dim[0], .type = search_type(type), .right = p->right };
  j.size = hed__id_size(j.type);
  j.flip = type == HED_ID_UINT64;
  j.gather = hed__cast(j.flip ? j.type : type, j.type);
  j.deliver = hed__cast(HED_ID_INT64, call->out[0]->dtype);
  hed__nest_init(&j.nest, 2, (const hed_view *const[]){ call->out[0], call->in[1] }, 0);
  int64_t total = hed__view_size(call->out[0]);
  if (total == 0)
    return HED_OK;
  char *list = NULL;
  if (j.type != type || (sorted->stride[0] != j.size && j.n > 1)) {
    if (!(list = cpu_scratch_get((size_t)(j.n * j.size))))
      return cpu_host->fail(HED_E_NOMEM, "searchsorted: no memory for %lld elements", (long long)j.n);
    j.gather(j.n, list, j.size, sorted->data, sorted->stride[0]);
    if (j.flip)
      flip(j.n, (int64_t *)(void *)list);
    j.sorted = list;
  }
  cpu_parallel_for(call, total, BATCH_QUERIES, 60 * (double)total, run_search, &j);
  cpu_scratch_put(list);
  return HED_OK;
}

/* ---- counting ---- */

typedef struct count_job {
  const hed_view *x, *weights;
  const double *edges;   /* NULL: x holds the bins */
  bool uniform;
  int64_t bins, total;
  bool few;              /* bins, beside elements */
  double scale, slack;   /* bins per unit; how far guesses and edges may be off, in bins */
  char *counts;          /* int64 or double; a list per part */
} count_job;

/* The bin of X by the edges; -1 outside. */
static int64_t bin_by_edges(const count_job *j, double x)
{
  const double *e = j->edges;
  const int64_t n = j->bins;
  if (!(x >= e[0] && x <= e[n]))
    return -1;
  const double guess = (x - e[0]) * j->scale;
  int64_t i = guess < (double)(n - 1) ? (int64_t)guess : n - 1;
  while (i > 0 && x < e[i])
    i--;
  while (i < n - 1 && x >= e[i + 1])
    i++;
  return i;
}

/* Bins of M numbers. Within a bin and farther from its edges than these and a guess can be off, the guess is right; elsewhere the
 * edges are looked at. */
static void uniform_bins(const count_job *j, int64_t m, const double *x, int64_t *index)
{
  if (j->bins < INT32_MAX && cpu_sort_k->even_bins(m, x, j->edges[0], j->scale, (double)j->bins, 0.5 - j->slack, index) == 0)
    return;
  for (int64_t k = 0; k < m; k++)
    if (index[k] < 0 || j->bins >= INT32_MAX)
      index[k] = bin_by_edges(j, x[k]);
}

/* Elements from one list of BINS to the next: close, as at one distance for all numbers, a little above a page, histograms of 256
 * bins took 1.1 to 1.2 of the time. */
static inline int64_t list_step(int64_t bins) { return (bins + 15) / 16 * 16 + 32; }

/* How often M indices of one type occur, those outside of the bins aside: added to COUNTS, or IN_TURNS to the lists from FIRST on, one
 * after the other, as the same index twice in a row would wait for its own store. They have 4 bytes a bin, so that SMALL_BINS of them
 * leave room in the L1 cache. */
typedef struct tally {
  void (*plain)(int64_t m, const void *index, int64_t bins, int64_t *counts);
  void (*by_tables)(int64_t m, const void *index, int64_t bins, uint32_t *first);
} tally;

#define TALLY(type)                                                                                          \
  static void plain_##type(int64_t m, const void *index, int64_t bins, int64_t *counts)                      \
  {                                                                                                          \
    const type *x = index;                                                                                   \
    for (int64_t k = 0; k < m; k++)                                                                          \
      if ((uint64_t)x[k] < (uint64_t)bins)                                                                   \
        counts[x[k]]++;                                                                                      \
  }                                                                                                          \
  static void by_tables_##type(int64_t m, const void *index, int64_t bins, uint32_t *first)                   \
  {                                                                                                          \
    const type *x = index;                                                                                   \
    const uint64_t n = (uint64_t)bins;                                                                       \
    const int64_t list = list_step(bins);                                                                    \
    uint32_t *const t[TABLES] = { first, first + list, first + 2 * list, first + 3 * list };                 \
    int64_t k = 0;                                                                                           \
    for (; k + TABLES <= m; k += TABLES)                                                                     \
      _Pragma("GCC unroll 4") for (int i = 0; i < TABLES; i++)                                               \
        if ((uint64_t)x[k + i] < n)                                                                          \
          t[i][x[k + i]]++;                                                                                  \
    for (; k < m; k++)                                                                                       \
      if ((uint64_t)x[k] < n)                                                                                \
        first[x[k]]++;                                                                                       \
  }
TALLY(uint8_t)
TALLY(int8_t)
TALLY(uint16_t)
TALLY(int16_t)
TALLY(uint32_t)
TALLY(int32_t)
TALLY(int64_t)

/* uint64 from 2^63 on is outside as what is negative. */
static const tally tallies[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_UINT8] = { plain_uint8_t, by_tables_uint8_t },    [HED_ID_INT8] = { plain_int8_t, by_tables_int8_t },
  [HED_ID_UINT16] = { plain_uint16_t, by_tables_uint16_t }, [HED_ID_INT16] = { plain_int16_t, by_tables_int16_t },
  [HED_ID_UINT32] = { plain_uint32_t, by_tables_uint32_t }, [HED_ID_INT32] = { plain_int32_t, by_tables_int32_t },
  [HED_ID_INT64] = { plain_int64_t, by_tables_int64_t },    [HED_ID_UINT64] = { plain_int64_t, by_tables_int64_t },
};

/* T: NULL where bins are not few. */
static void count_range(const count_job *j, int64_t begin, int64_t end, char *counts, uint32_t *t)
{
  int64_t buffer[BLOCK_ELEMENTS];
  double block[BLOCK_ELEMENTS];
  const int type = j->x->dtype;
  const int64_t step = j->x->stride[0];
  const bool direct = !j->edges && tallies[type].plain && step == hed__id_size(type) && (!j->weights || type == HED_ID_INT64);
  const tally *const loops = &tallies[direct ? type : HED_ID_INT64];
  for (int64_t i = begin, m; i < end; i += m) {
    const char *from = (const char *)j->x->data + i * step;
    const void *index = direct ? (const void *)from : buffer;
    m = direct && !j->weights ? end - i : CPU_MIN(end - i, BLOCK_ELEMENTS);
    if (j->edges) {
      hed__cast(type, HED_ID_FLOAT64)(m, (char *)block, 8, from, step);
      if (j->uniform)
        uniform_bins(j, m, block, buffer);
      else
        for (int64_t k = 0; k < m; k++)
          buffer[k] = hed__bin_of(j->edges, j->bins, block[k]);
    } else if (!direct) {
      hed__cast(type, HED_ID_INT64)(m, (char *)buffer, 8, from, step);
    }
    if (t) {
      loops->by_tables(m, index, j->bins, t);
      continue;
    }
    if (!j->weights) {
      loops->plain(m, index, j->bins, (int64_t *)(void *)counts);
      continue;
    }
    const char *w = (const char *)j->weights->data + i * j->weights->stride[0];
    hed__cast(j->weights->dtype, HED_ID_FLOAT64)(m, (char *)block, 8, w, j->weights->stride[0]);
    const int64_t *bin = index;
    for (int64_t k = 0; k < m; k++)
      if ((uint64_t)bin[k] < (uint64_t)j->bins)
        ((double *)(void *)counts)[bin[k]] += block[k];
  }
}

static void run_count(void *arg, int32_t part, int32_t parts)
{
  const count_job *j = arg;
  enum { LIST_ELEMENTS = 1 << 30 /* elements that lists can hold */ };
  int64_t each = (j->total + parts - 1) / parts, begin = part * each, end = CPU_MIN(begin + each, j->total);
  char *const counts = j->counts + part * j->bins * 8;
  if (!j->few) {
    count_range(j, begin, end, counts, NULL);
    return;
  }
  const int64_t list = list_step(j->bins);
  CPU_IN_ROOM(uint32_t, t, TABLES * LIST);
  for (; begin < end; begin += LIST_ELEMENTS) {
    memset(t, 0, (size_t)(TABLES * list) * sizeof t[0]);
    count_range(j, begin, CPU_MIN(end, begin + LIST_ELEMENTS), counts, t);
    for (int64_t k = 0; k < j->bins; k++)
      ((int64_t *)(void *)counts)[k] += (int64_t)t[k] + t[list + k] + t[2 * list + k] + t[3 * list + k];
  }
}

static int32_t count(const hed_call *call, count_job *j, const char *name)
{
  const hed_view *out = call->out[0];
  j->x = call->in[0];
  j->bins = out->dim[0];
  j->total = j->x->dim[0];
  /* many bins would cost more to add up than threads save */
  int64_t parts = j->weights || j->bins > j->total / 8 ? 1 : CPU_MIN(call->max_threads, 16);
  j->few = !j->weights && j->bins <= SMALL_BINS && j->total >= TABLES * j->bins;
  if (j->edges) {
    const double low = j->edges[0], high = j->edges[j->bins];
    j->scale = (double)j->bins / (high - low);
    j->uniform = j->uniform && isfinite(high - low) && isfinite(j->scale);
    j->slack = 8 * DBL_EPSILON * (fmax(fabs(low), fabs(high)) * j->scale + (double)j->bins);
  }
  const int type = j->weights ? HED_ID_FLOAT64 : HED_ID_INT64;
  const size_t bytes = (size_t)(parts * j->bins) * 8;
  const bool direct = parts == 1 && out->dtype == type && out->stride[0] == 8; /* the list is the result */
  char *own = direct ? NULL : cpu_scratch_get(bytes + 64);
  j->counts = direct ? out->data : own;
  if (!j->counts)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for %lld bins", name, (long long)j->bins);
  memset(j->counts, 0, bytes);
  cpu_parallel_parts(call, parts, (j->edges ? 20 : 8) * (double)j->total, run_count, j);
  int64_t *sum = (void *)j->counts;
  for (int64_t p = 1; p < parts; p++)
    for (int64_t k = 0; k < j->bins; k++)
      sum[k] += sum[p * j->bins + k];
  if (own)
    hed__cast(type, out->dtype)(j->bins, out->data, out->stride[0], own, 8);
  cpu_scratch_put(own);
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
  return call->in[1]->dtype == HED_ID_FLOAT64 ? count(call, &j, "histogram") : HED_E_UNSUPPORTED;
}
