// SPDX-License-Identifier: BSD-3-Clause
/*
 * sort, argsort and topk along one axis. L1.
 *
 * Values become unsigned keys (sort/sort.h), which are sorted as words. For argsort and topk a word holds the upper part
 * of a key and the index. topk of few is in best.c.
 * Slices side by side in memory are transposed some at a time. Threads share slices, and parts of a long one. Short slices are in
 * short.c, and slices that are only divided about an element in partition.c.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/sort/best.h"
#include "backends/cpu/sort/counting.h"
#include "backends/cpu/sort/partition.h"
#include "backends/cpu/sort/short.h"
#include "backends/cpu/sort/zeros.h"
#include "base/cast.h"
#include "base/shape.h"
#include <string.h>

typedef enum what { SORT, ARGSORT, TOPK } what;

typedef struct job {
  what what;
  const hed_call *call;
  const hed_view *in, *values, *indices;
  int type;              /* compute type of the values */
  int64_t size;          /* its bytes */
  bool wide;             /* 64-bit keys */
  bool descending;
  int32_t axis;
  int64_t n, keep, slices;
  cpu_best best;         /* few of many are wanted: KEEP not 0 */
  cpu_partition about;   /* slices are only divided: its N is not 0 */
  cpu_short brief;       /* slices are sorted some at a time: its WIDTH is not 0 */
  int64_t beside;        /* slices side by side: so many, again and again; 0: none */
  char *scratch;
  size_t per_part;
} job;

/* ---- slices ---- */

/* All slices: the axis itself is left out of the walk. */
static void lane_at(const hed_view *v, int32_t axis, int64_t slice, char **at)
{
  int64_t index[HED_MAX_NDIM];
  hed__index_beside(v->ndim, v->dim, 1u << axis, slice, index);
  *at = (char *)v->data + hed__offset_at(v->ndim, index, v->stride);
}

static int64_t step_of(const hed_view *v, int32_t axis) { return v->ndim ? v->stride[axis] : 0; }

/* The values at X, which are as large as their keys, in order to TO, which may be X. */
static void sort_keys(const job *j, const char *x, char *to, char *spare)
{
  void *key = to;
  cpu_sort_k->keys(j->type, j->n, x, key, j->descending, false);
  if (j->wide)
    cpu_sort_k->sort_u64(j->n, key, (void *)spare);
  else
    cpu_sort_k->sort_u32(j->n, key, (void *)spare);
  cpu_sort_k->values(j->type, j->n, key, to, j->descending);
}

/* A slice's values in order, delivered to the result; SCRATCH has two lists of keys. */
static void sort_lane(const job *j, int64_t slice, const char *x, char *scratch)
{
  const int64_t n = j->n, step = step_of(j->values, j->axis), width = j->wide ? 8 : 4;
  char *to, *spare = scratch + CPU_LINES((size_t)(n * width));
  lane_at(j->values, j->axis, slice, &to);
  if (cpu_counting_pays(j->type, n)) {
    const bool direct = j->values->dtype == j->type && step == j->size;
    cpu_counting_sort(j->type, j->descending, n, x, direct ? to : spare, scratch);
    if (!direct)
      hed__cast(j->type, j->values->dtype)(n, to, step, spare, j->size);
    return;
  }
  if (j->size == width && j->values->dtype == j->type && step == j->size) {
    sort_keys(j, x, to, spare);
    return;
  }
  void *key = scratch;
  cpu_sort_k->keys(j->type, n, x, key, j->descending, false);
  if (j->wide)
    cpu_sort_k->sort_u64(n, key, (void *)spare);
  else
    cpu_sort_k->sort_u32(n, key, (void *)spare);
  cpu_sort_k->values(j->type, n, key, spare, j->descending);
  hed__cast(j->type, j->values->dtype)(n, to, step, spare, j->size);
}

/* ---- slices side by side ---- */

enum { SIDE_BYTES = 64, BLOCK_BYTES = 4 << 20 };

/* Rows of a block in scratch; not a integer of pages apart. */
static int64_t row_bytes(const job *j) { return (int64_t)CPU_LINES((size_t)(j->n * j->size)) + 64; }

/* How many slices follow each other in memory where a slice itself does not; 0: none, or too long for a block. */
static int64_t lanes_beside(const job *j)
{
  const hed_view *in = j->in, *out = j->values;
  const int32_t last = in->ndim - 1, next = last == j->axis ? last - 1 : last;
  if (j->what != SORT || next < 0 || (j->size != 4 && j->size != 8) || in->dtype != j->type || out->dtype != j->type ||
      in->stride[j->axis] == j->size || in->stride[next] != j->size || out->stride[next] != j->size ||
      j->n > BLOCK_BYTES / SIDE_BYTES)
    return 0;
  return in->dim[next];
}

/* COUNT slices from LANE on. */
static void sort_beside(const job *j, int64_t slice, int64_t count, char *scratch)
{
  const int64_t row = row_bytes(j);
  const cpu_transpose_fn transpose = cpu_copy_k->transpose[j->wide ? 3 : 2];
  char *from, *to, *spare = scratch + SIDE_BYTES / j->size * row;
  lane_at(j->in, j->axis, slice, &from);
  lane_at(j->values, j->axis, slice, &to);
  transpose(count, j->n, scratch, row, from, j->in->stride[j->axis]);
  for (int64_t i = 0; i < count; i++) {
    char *x = scratch + i * row;
    if (j->about.n) {
      cpu_partition_lane(&j->about, x, spare, j->type, j->size, spare + row);
      memcpy(x, spare, (size_t)(j->n * j->size));
    } else {
      sort_keys(j, x, x, spare);
    }
  }
  transpose(j->n, count, to, j->values->stride[j->axis], scratch, row);
}

/* All indices in order: in TO, which may be NULL, or in the first N words of SCRATCH, which has three lists of words. */
static uint64_t *indices_of_all(const job *j, const char *x, uint64_t *to, char *scratch)
{
  const size_t list = CPU_LINES((size_t)j->n * 8);
  uint64_t *indices = to ? to : (void *)scratch, *spare = (void *)(scratch + list);
  const uint64_t *key = (const void *)x; /* values that are keys themselves */
  if (j->keep == j->n && cpu_counting_indices_pay(j->type, j->n)) {
    cpu_counting_indices(j->type, j->descending, j->n, x, indices, (void *)spare);
    return indices;
  }
  if (j->descending || (j->type != HED_ID_UINT64 && j->type != HED_ID_UINT32)) {
    cpu_sort_k->keys(j->type, j->n, x, scratch + 2 * list, j->descending, true);
    key = (const void *)(scratch + 2 * list);
  }
  if (j->wide)
    cpu_sort_k->argsort_u64(j->n, j->keep, key, indices, spare);
  else
    cpu_sort_k->argsort_u32(j->n, j->keep, (const void *)key, indices, spare);
  return indices;
}

static void store_indices(const job *j, int64_t slice, const char *x, const uint64_t *indices)
{
  char *to;
  if (j->indices) {
    lane_at(j->indices, j->axis, slice, &to);
    hed__cast(HED_ID_INT64, j->indices->dtype)(j->keep, to, step_of(j->indices, j->axis), (const char *)indices, 8);
  }
  if (j->values) {
    hed__cast_fn deliver = hed__cast(j->type, j->values->dtype);
    const int64_t step = step_of(j->values, j->axis);
    lane_at(j->values, j->axis, slice, &to);
    for (int64_t i = 0; i < j->keep; i++)
      deliver(1, to + i * step, 0, x + (int64_t)indices[i] * j->size, 0);
  }
}

static void run_lane(const job *j, int64_t slice, char *scratch)
{
  const int64_t step = step_of(j->in, j->axis);
  char *x;
  lane_at(j->in, j->axis, slice, &x);
  if (j->in->dtype != j->type || step != j->size) {
    hed__cast(j->in->dtype, j->type)(j->n, scratch, j->size, x, step);
    x = scratch;
    scratch += CPU_LINES((size_t)(j->n * j->size));
  }
  if (j->about.n) {
    const hed_view *out = j->values ? j->values : j->indices;
    char *to;
    lane_at(out, j->axis, slice, &to);
    cpu_partition_lane(&j->about, x, to, out->dtype, step_of(out, j->axis), scratch);
  } else if (j->what == SORT) {
    sort_lane(j, slice, x, scratch);
  } else if (j->what == ARGSORT && j->indices->dtype == HED_ID_INT64 && step_of(j->indices, j->axis) == 8) {
    char *to;
    lane_at(j->indices, j->axis, slice, &to);
    indices_of_all(j, x, (void *)to, scratch);
  } else {
    store_indices(j, slice, x, j->best.keep ? cpu_best_indices(&j->best, x, scratch) : indices_of_all(j, x, NULL, scratch));
  }
}

/* Sorted slices of floats, N from SLICE on, whose keys were not those of argsort: partitions and indices are right as they are. */
static void settle_zeros(const job *j, int64_t slice, int64_t n)
{
  if (j->what != SORT || j->about.n || hed__id_kind(j->type) != HED_KIND_FLOAT)
    return;
  for (int64_t k = slice; k < slice + n; k++) {
    char *from, *to;
    lane_at(j->in, j->axis, k, &from);
    lane_at(j->values, j->axis, k, &to);
    cpu_sort_zeros(j->values->dtype, j->n, from, step_of(j->in, j->axis), to, step_of(j->values, j->axis), j->descending);
  }
}

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t end = j->slices * (part + 1) / parts;
  char *scratch = j->scratch + (size_t)part * j->per_part;
  for (int64_t slice = j->slices * part / parts, n; slice < end; slice += n) {
    n = cpu_short_count(&j->brief, slice, end - slice);
    if (n) {
      char *from, *to;
      lane_at(j->in, j->axis, slice, &from);
      lane_at(j->brief.out, j->axis, slice, &to);
      cpu_short_sort(&j->brief, n, from, to, scratch);
      continue;
    }
    n = j->beside ? CPU_MIN(CPU_MIN(j->beside - slice % j->beside, SIDE_BYTES / j->size), end - slice) : 1;
    if (n > 1)
      sort_beside(j, slice, n, scratch);
    else
      run_lane(j, slice, scratch);
    settle_zeros(j, slice, n);
  }
}

/* ---- one long slice on several threads: it is divided about pivots, level by level, and the parts are sorted apart ---- */

/* The only slice may be shorter than one of several, which threads could have each. Lists shorter than LIST_ELEMENTS are not
 * divided on. */
enum { SHARED_ELEMENTS = 1 << 18, SHARED_ALONE_ELEMENTS = 1 << 16, LIST_ELEMENTS = 1 << 13, MOST_LISTS = 256, SAMPLE = 255 };

typedef struct division {
  const job *j;
  char *x, *key, *from, *to;      /* values, keys, and the level's words and their next position */
  int64_t begin[MOST_LISTS + 1], middle[MOST_LISTS];
} division;

static void keys_of_range(void *arg, int64_t begin, int64_t end)
{
  const division *d = arg;
  const int64_t size = d->j->size;
  cpu_sort_k->keys(d->j->type, end - begin, d->x + begin * size, d->key + begin * size, d->j->descending, false);
}

#define DIVIDE_LIST(FN, W, sort, divide)                                                          \
  static int64_t FN(const W *from, W *to, int64_t n)                                              \
  {                                                                                               \
    W sample[SAMPLE], spare[SAMPLE];                                                              \
    if (n < SAMPLE) {                                                                             \
      memcpy(to, from, (size_t)n * sizeof *to);                                                   \
      return n;                                                                                   \
    }                                                                                             \
    for (int64_t i = 0; i < SAMPLE; i++)                                                          \
      sample[i] = from[n / SAMPLE * i];                                                           \
    cpu_sort_k->sort(SAMPLE, sample, spare);                                                      \
    return cpu_sort_k->divide(from, to, n, sample[SAMPLE / 2]);                                   \
  }
DIVIDE_LIST(divide_list_u32, uint32_t, sort_u32, divide_u32)
DIVIDE_LIST(divide_list_u64, uint64_t, sort_u64, divide_u64)

static void divide_item(void *arg, int64_t k)
{
  division *d = arg;
  const int64_t begin = d->begin[k], n = d->begin[k + 1] - begin, at = begin * d->j->size;
  d->middle[k] = begin + (d->j->wide ? divide_list_u64((const void *)(d->from + at), (void *)(d->to + at), n)
                                     : divide_list_u32((const void *)(d->from + at), (void *)(d->to + at), n));
}

static void sort_item(void *arg, int64_t k)
{
  const division *d = arg;
  const int64_t begin = d->begin[k], n = d->begin[k + 1] - begin, at = begin * d->j->size;
  if (d->j->wide)
    cpu_sort_k->sort_u64(n, (void *)(d->from + at), (void *)(d->to + at));
  else
    cpu_sort_k->sort_u32(n, (void *)(d->from + at), (void *)(d->to + at));
  cpu_sort_k->values(d->j->type, n, d->from + at, d->from + at, d->j->descending);
}

/* Values and result are contiguous and of the type that is sorted, and slices are fewer than threads. */
static bool divided(const job *j)
{
  const int64_t least = j->slices == 1 ? SHARED_ALONE_ELEMENTS : SHARED_ELEMENTS;
  return j->what == SORT && !j->about.n && j->n >= least && j->slices < j->call->max_threads && (j->size == 4 || j->wide) &&
         j->in->dtype == j->type && j->values->dtype == j->type && step_of(j->in, j->axis) == j->size &&
         step_of(j->values, j->axis) == j->size;
}

static void sort_divided(const job *j, int64_t slice)
{
  const double each = 4 * (double)j->n; /* work of one pass */
  division d = { .j = j, .to = j->scratch, .begin = { 0, j->n } };
  int64_t lists = 1;
  lane_at(j->in, j->axis, slice, &d.x);
  lane_at(j->values, j->axis, slice, &d.key);
  d.from = d.key;
  cpu_parallel_for(j->call, j->n, 1024, each, keys_of_range, &d);
  while (lists < 2 * (int64_t)j->call->max_threads && lists < MOST_LISTS && lists * LIST_ELEMENTS < j->n)
    for (int twice = 0; twice < 2; twice++) { /* so that words are where they were */
      cpu_parallel_items(j->call, lists, each, divide_item, &d);
      for (int64_t k = lists; k > 0; k--) {
        d.begin[2 * k] = d.begin[k];
        d.begin[2 * k - 1] = d.middle[k - 1];
      }
      lists *= 2;
      char *t = d.from;
      d.from = d.to;
      d.to = t;
    }
  cpu_parallel_items(j->call, lists, 8 * each, sort_item, &d);
}

static int32_t sort_lanes(const hed_call *call, what w)
{
  const hed_sort_params *p = call->params;
  job j = { .what = w, .call = call, .in = call->in[0], .type = call->compute };
  j.values = w == ARGSORT ? NULL : call->out[0];
  j.indices = w == SORT ? NULL : w == ARGSORT ? call->out[0] : call->out[1];
  const hed_view *out = j.values ? j.values : j.indices;
  j.axis = p->axis;
  j.descending = p->descending;
  j.size = hed__id_size(j.type);
  j.wide = j.size == 8;
  j.n = j.in->ndim ? j.in->dim[j.axis] : 1;
  j.keep = out->ndim ? out->dim[j.axis] : 1;
  j.slices = 1;
  for (int32_t k = 0; k < j.in->ndim; k++)
    if (k != j.axis)
      j.slices *= j.in->dim[k];
  if (j.slices == 0 || j.n == 0 || j.keep == 0)
    return HED_OK;
  if (w != SORT && j.n > INT64_C(0x100000000))
    return HED_E_UNSUPPORTED;
  if (w == TOPK && j.keep < j.n / 8)
    j.best = (cpu_best){ .call = call, .type = j.type, .descending = j.descending, .n = j.n, .keep = j.keep,
                         .parts = j.slices == 1 ? cpu_best_parts(call, j.n, j.keep) : 1 };
  if (w != TOPK && p->partial) {
    j.about = (cpu_partition){ .call = call, .type = j.type, .descending = j.descending, .indices = w == ARGSORT, .n = j.n,
                               .kth = p->kth, .alone = j.slices == 1 };
    cpu_partition_begin(&j.about);
  } else if (w != TOPK) {
    /* half-precision numbers, which are else computed in float32, are in order as they are */
    const bool half = hed__id_size(j.in->dtype) == 2 && (w == ARGSORT || out->dtype == j.in->dtype);
    j.brief = (cpu_short){ .in = j.in, .out = out, .type = half ? j.in->dtype : j.type, .axis = j.axis,
                           .descending = j.descending, .indices = w == ARGSORT };
    cpu_short_begin(&j.brief);
  }
  j.per_part = j.about.n ? cpu_partition_bytes(&j.about)
               : w == SORT ? 2 * CPU_LINES((size_t)j.n * (j.wide ? 8 : 4))
               : j.best.keep ? cpu_best_bytes(&j.best)
                             : 3 * CPU_LINES((size_t)j.n * 8);
  j.per_part = CPU_LINES(j.per_part + CPU_LINES((size_t)(j.n * j.size)) + 192);
  if ((j.beside = lanes_beside(&j)))
    j.per_part += (size_t)((SIDE_BYTES / j.size + 1) * row_bytes(&j));
  if (j.brief.width)
    j.per_part = CPU_LINES(CPU_MAX(j.per_part, cpu_short_bytes(&j.brief)));
  int64_t parts = CPU_MIN(j.slices, call->max_threads);
  /* Sized for what may be granted at most; few calls have that many slices. */
  j.scratch = cpu_scratch_get(j.per_part * (size_t)parts);
  if (!j.scratch)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for a slice of %lld elements",
                          w == SORT ? "sort" : w == ARGSORT ? "argsort" : "topk", (long long)j.n);
  if (j.best.parts > 1 || j.about.pieces > 1)
    run_part(&j, 0, 1);
  else if (divided(&j))
    for (int64_t slice = 0; slice < j.slices; slice++) {
      sort_divided(&j, slice);
      settle_zeros(&j, slice, 1);
    }
  else
    cpu_parallel_parts(call, parts, 15 * (double)j.n * (double)j.slices, run_part, &j);
  cpu_scratch_put(j.scratch);
  return HED_OK;
}

int32_t cpu_sort(void *state, const hed_call *call)
{
  (void)state;
  return sort_lanes(call, SORT);
}

int32_t cpu_argsort(void *state, const hed_call *call)
{
  (void)state;
  return sort_lanes(call, ARGSORT);
}

int32_t cpu_topk(void *state, const hed_call *call)
{
  (void)state;
  return sort_lanes(call, TOPK);
}
