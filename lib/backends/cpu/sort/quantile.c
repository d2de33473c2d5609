// SPDX-License-Identifier: BSD-3-Clause
/*
 * Quantiles over the last axis by selection. L1.
 *
 * A short slice becomes words that order as its values do (sort/sort.h), and a wanted rank is found by dividing ever
 * smaller parts. Of a long one a sample is sorted first: two of its values that are likely to have the rank between them
 * leave few others to look at (R. W. Floyd, R. L. Rivest: Expected time bounds for selection, CACM 18, 1975), and the slice
 * is read once, by all threads. Where the sample was unlucky the slice is divided like a short one.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/quantile.h"
#include "base/shape.h"
#include <stdatomic.h>
#include <string.h>

enum { SORTED_ELEMENTS = 16384, FEW_RANKS = 3, BLOCK_ELEMENTS = 4096,
       PIECE_ELEMENTS = 16 * BLOCK_ELEMENTS, LEAST_SAMPLE = 1024, MOST_SAMPLE = 8192, BEYOND = 16, SHARED_ELEMENTS = 1 << 18 };

typedef struct job {
  const hed_call *call;
  const hed_view *in, *out;
  const hed_quantile_params *p;
  int type;        /* float32 or float64: in which the slice is ordered */
  int64_t size;    /* its bytes */
  bool wide, direct;
  int32_t order[HED_QUANTILE_MOST]; /* q by rank */
  int64_t n, slices, room;           /* of a slice; of a list of candidates, in elements */
  size_t all, list, per_part;       /* bytes of a slice, of a list, of a part's scratch */
  char *scratch;
  atomic_bool out_of_memory;
} job;

/* Ranks wanted, neighbours or the same, and what is found of them. */
typedef struct wanted {
  int64_t rank[2];
  double value[2];
  bool found[2];
} wanted;

static double value_of(const job *j, const void *x)
{
  float f;
  double d;
  if (j->wide) {
    memcpy(&d, x, sizeof d);
    return d;
  }
  memcpy(&f, x, sizeof f);
  return (double)f;
}

/* ---- words ---- */

/* From N words, which are left in any state; SPARE is as long. */
static void select_words(const job *j, int64_t n, char *word, char *spare, wanted *w)
{
  const int first = w->found[0];
  uint64_t two[2];
  if (j->wide)
    cpu_sort_k->select_u64(n, (void *)word, (void *)spare, w->rank[first], two);
  else
    cpu_sort_k->select_u32(n, (void *)word, (void *)spare, w->rank[first], (void *)two);
  cpu_sort_k->values(j->type, 2, two, two, false);
  for (int side = 0; side < 2; side++)
    if (!w->found[side])
      w->value[side] = value_of(j, (char *)two + (w->rank[side] > w->rank[first]) * j->size);
}

/* ---- a long slice ---- */

typedef struct pass {
  const job *j;
  const char *x;
  char *out;
  int64_t n, room;
  double low, high;
  _Atomic(int64_t) below, at_low, at_high, nan, taken; /* taken: indices of out */
} pass;

static void split_piece(void *arg, int64_t piece)
{
  pass *p = arg;
  const job *j = p->j;
  const int64_t end = CPU_MIN(p->n, (piece + 1) * PIECE_ELEMENTS);
  CPU_IN_ROOM(char, found, (BLOCK_ELEMENTS + BEYOND) * 8);
  cpu_split sum = { 0, 0, 0, 0, 0 };
  for (int64_t i = piece * PIECE_ELEMENTS; i < end; i += BLOCK_ELEMENTS) {
    const int64_t n = CPU_MIN(end - i, BLOCK_ELEMENTS);
    cpu_split s;
    if (j->wide)
      cpu_sort_k->split->f64(n, (const double *)(const void *)p->x + i, p->low, p->high, (void *)found, &s);
    else
      cpu_sort_k->split->f32(n, (const float *)(const void *)p->x + i, (float)p->low, (float)p->high, (void *)found, &s);
    sum.below += s.below;
    sum.at_low += s.at_low;
    sum.at_high += s.at_high;
    sum.nan += s.nan;
    if (s.between == 0)
      continue;
    const int64_t at = atomic_fetch_add_explicit(&p->taken, s.between, memory_order_relaxed);
    if (at + s.between <= p->room)
      memcpy(p->out + at * j->size, found, (size_t)(s.between * j->size));
  }
  atomic_fetch_add_explicit(&p->below, sum.below, memory_order_relaxed);
  atomic_fetch_add_explicit(&p->at_low, sum.at_low, memory_order_relaxed);
  atomic_fetch_add_explicit(&p->at_high, sum.at_high, memory_order_relaxed);
  atomic_fetch_add_explicit(&p->nan, sum.nan, memory_order_relaxed);
}

/* Two values of X that are likely to have FRACTION of the others below and above them; false: too much is NaN. SPARE has
 * room for two samples. */
static bool bracket(const job *j, const char *x, int64_t n, double fraction, char *spare, double *low, double *high)
{
  enum { SIGMAS = 4 };
  const int64_t count = CPU_MAX(LEAST_SAMPLE, CPU_MIN(MOST_SAMPLE, n / 64)), step = n / count;
  char *sample = spare, *key = spare + MOST_SAMPLE * 8;
  uint64_t random = 0x9e3779b97f4a7c15u;
  for (int64_t i = 0; i < count; i++) { /* anywhere within each stretch: no period of the slice can be a bad one */
    random = random * 6364136223846793005u + 1442695040888963407u;
    memcpy(sample + i * j->size, x + (i * step + (int64_t)((random >> 33) % (uint64_t)step)) * j->size, (size_t)j->size);
  }
  cpu_sort_k->keys(j->type, count, sample, key, false, false);
  if (j->wide)
    cpu_sort_k->sort_u64(count, (void *)key, (void *)sample);
  else
    cpu_sort_k->sort_u32(count, (void *)key, (void *)sample);
  cpu_sort_k->values(j->type, count, key, key, false);
  int64_t valid = count;
  while (valid > 0 && !(value_of(j, key + (valid - 1) * j->size) <= (double)INFINITY))
    valid--;
  if (valid < count / 2)
    return false;
  const double at = fraction * (double)(valid - 1), off = 2 + SIGMAS * sqrt((double)valid * fraction * (1 - fraction));
  *low = at < off ? -(double)INFINITY : value_of(j, key + (int64_t)(at - off) * j->size);
  *high = at + off > (double)(valid - 1) ? (double)INFINITY : value_of(j, key + (int64_t)(at + off + 1 - 1e-9) * j->size);
  return true;
}

/* Reads X once: what lies between two values goes to OUT. */
static bool narrow(const job *j, const char *x, int64_t n, double fraction, char *out, char *spare, pass *p)
{
  *p = (pass){ .j = j, .x = x, .out = out, .n = n, .room = j->room };
  if (!bracket(j, x, n, fraction, spare, &p->low, &p->high))
    return false;
  const int64_t pieces = (n + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
  if (j->slices == 1 && n >= SHARED_ELEMENTS)
    cpu_parallel_items(j->call, pieces, 0.15 * (double)(n * j->size), split_piece, p);
  else
    for (int64_t i = 0; i < pieces; i++)
      split_piece(p, i);
  return p->taken <= p->room;
}

/* What the counts say of the ranks; those in between are counted from there. False: one lies outside. */
static bool locate(const pass *p, wanted *w)
{
  const int64_t upto = p->below + p->at_low, high = upto + p->taken;
  for (int side = 0; side < 2; side++) {
    const int64_t rank = w->rank[side];
    if (!w->found[side] && (rank < p->below || rank >= high + p->at_high))
      return false;
  }
  for (int side = 0; side < 2; side++) {
    const int64_t rank = w->rank[side];
    if (w->found[side])
      continue;
    w->rank[side] = rank - upto;
    w->found[side] = rank < upto || rank >= high;
    w->value[side] = rank < upto ? p->low : p->high;
  }
  return true;
}

static bool all_found(const wanted *w) { return w->found[0] && w->found[1]; }

/* Of a slice that PASS has reduced to the first list: it goes on until few are left. */
static void select_between(const job *j, pass *p, char *list, char *other, char *spare, wanted *w)
{
  int64_t n = p->taken;
  while (!all_found(w) && n > SORTED_ELEMENTS) {
    const wanted before = *w;
    const int first = w->found[0];
    if (!narrow(j, list, n, (double)w->rank[first] / (double)(n - 1), other, spare, p) || !locate(p, w)) {
      *w = before;
      break;
    }
    char *t = list;
    list = other;
    other = t;
    n = p->taken;
  }
  if (all_found(w))
    return;
  cpu_sort_k->keys(j->type, n, list, list, false, false);
  select_words(j, n, list, other, w);
}

/* ---- slices ---- */

/* The M values of a slice that are not NaN decide what is wanted of quantile K. */
static hed__ranks want(const job *j, int64_t m, int32_t k, wanted *w)
{
  const hed__ranks r = hed__quantile_ranks(m, j->p->q[k], j->p->method);
  *w = (wanted){ .rank = { r.low, r.high } };
  return r;
}

static void deliver(const job *j, char *to, int32_t k, double v)
{
  hed__cast(HED_ID_FLOAT64, j->out->dtype)(1, to + k * j->out->stride[0], 0, (const char *)&v, 0);
}

static bool is_nan(const job *j, int64_t m) { return m == 0 || (m < j->n && !j->p->omit_nan); }

/* A slice of words, by selection or in order. KEY and the two lists are as long as the slice. */
static void from_words(const job *j, const char *x, char *to, int32_t first, char *key, char *list, char *spare)
{
  const int64_t n = j->n, bytes = n * j->size;
  int64_t nan = 0;
  cpu_sort_k->keys(j->type, n, x, key, false, false);
  if (j->wide)
    for (int64_t i = 0; i < n; i++)
      nan += ((const uint64_t *)(const void *)key)[i] == UINT64_MAX;
  else
    for (int64_t i = 0; i < n; i++)
      nan += ((const uint32_t *)(const void *)key)[i] == UINT32_MAX;
  const bool none = is_nan(j, n - nan), sorted = j->p->n - first > FEW_RANKS && !none;
  if (sorted) {
    if (j->wide)
      cpu_sort_k->sort_u64(n, (void *)key, (void *)spare);
    else
      cpu_sort_k->sort_u32(n, (void *)key, (void *)spare);
    cpu_sort_k->values(j->type, n, key, key, false);
  }
  for (int32_t i = first; i < j->p->n; i++) {
    const int32_t k = j->order[i];
    wanted w;
    if (none) {
      deliver(j, to, k, (double)NAN);
      continue;
    }
    const hed__ranks r = want(j, n - nan, k, &w);
    if (sorted) {
      w.value[0] = value_of(j, key + r.low * j->size);
      w.value[1] = value_of(j, key + r.high * j->size);
    } else if (i + 1 < j->p->n) { /* the keys are wanted once more */
      memcpy(list, key, (size_t)bytes);
      select_words(j, n, list, spare, &w);
    } else {
      select_words(j, n, key, spare, &w);
    }
    deliver(j, to, k, hed__quantile_between(w.value[0], w.value[1], r.t));
  }
}

/* Quantiles of a long slice until one fails; which. */
static int32_t from_long(const job *j, const char *x, char *to, char *list, char *other, char *spare)
{
  for (int32_t i = 0; i < j->p->n; i++) {
    const int32_t k = j->order[i];
    pass p;
    wanted w;
    if (!narrow(j, x, j->n, j->p->q[k], list, spare, &p))
      return i;
    if (is_nan(j, j->n - p.nan)) {
      for (; i < j->p->n; i++)
        deliver(j, to, j->order[i], (double)NAN);
      break;
    }
    const hed__ranks r = want(j, j->n - p.nan, k, &w);
    if (!locate(&p, &w))
      return i;
    select_between(j, &p, list, other, spare, &w);
    deliver(j, to, k, hed__quantile_between(w.value[0], w.value[1], r.t));
  }
  return j->p->n;
}

/* False: no memory. */
static bool run_lane(const job *j, int64_t slice, char *scratch)
{
  const int32_t axis = j->in->ndim - 1;
  int64_t index[HED_MAX_NDIM];
  hed__index_of(axis, j->in->dim, slice, index);
  const char *x = (const char *)j->in->data + hed__offset_at(axis, index, j->in->stride);
  char *to = (char *)j->out->data + hed__offset_at(axis, index, j->out->stride + 1);
  if (!j->direct) {
    hed__cast(j->in->dtype, j->type)(j->n, scratch, j->size, x, j->in->stride[axis]);
    x = scratch;
    scratch += j->all;
  }
  if (j->n <= SORTED_ELEMENTS) {
    from_words(j, x, to, 0, scratch, scratch + j->all, scratch + 2 * j->all);
    return true;
  }
  const int32_t first = from_long(j, x, to, scratch, scratch + j->list, scratch + 2 * j->list);
  if (first == j->p->n)
    return true;
  char *own = cpu_scratch_get(3 * j->all);
  if (own)
    from_words(j, x, to, first, own, own + j->all, own + 2 * j->all);
  cpu_scratch_put(own);
  return own != NULL;
}

static void run_part(void *arg, int32_t part, int32_t parts)
{
  job *j = arg;
  for (int64_t slice = part; slice < j->slices; slice += parts)
    if (!run_lane(j, slice, j->scratch + (size_t)part * j->per_part))
      atomic_store_explicit(&j->out_of_memory, true, memory_order_relaxed);
}

int32_t cpu_quantile(void *state, const hed_call *call)
{
  (void)state;
  job j = { .call = call, .in = call->in[0], .out = call->out[0], .p = call->params };
  j.type = call->compute == HED_ID_FLOAT32 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
  j.wide = j.type == HED_ID_FLOAT64;
  j.size = hed__id_size(j.type);
  j.n = j.in->dim[j.in->ndim - 1];
  j.direct = j.in->dtype == j.type && j.in->stride[j.in->ndim - 1] == j.size;
  j.slices = 1;
  for (int32_t k = 0; k < j.in->ndim - 1; k++)
    j.slices *= j.in->dim[k];
  if (j.slices == 0)
    return HED_OK;
  for (int32_t k = 0; k < j.p->n; k++) {
    int32_t i = k;
    for (; i > 0 && j.p->q[j.order[i - 1]] > j.p->q[k]; i--)
      j.order[i] = j.order[i - 1];
    j.order[i] = k;
  }
  j.all = (size_t)CPU_LINES(j.n * j.size);
  j.room = j.n / 4;
  j.list = (size_t)CPU_LINES((j.room + BEYOND) * j.size);
  j.per_part = (j.direct ? 0 : j.all) + (j.n <= SORTED_ELEMENTS ? 3 * j.all : 2 * j.list + (size_t)MOST_SAMPLE * 16) + 64;
  const int64_t parts = CPU_MIN(j.slices, call->max_threads);
  j.scratch = cpu_scratch_get((size_t)parts * j.per_part);
  if (!j.scratch)
    return cpu_host->fail(HED_E_NOMEM, "quantile: no memory for a slice of %lld elements", (long long)j.n);
  if (j.slices == 1)
    run_part(&j, 0, 1);
  else
    cpu_parallel_parts(call, parts, (j.n <= SORTED_ELEMENTS ? 30 : 10) * (double)j.n * (double)j.slices, run_part, &j);
  cpu_scratch_put(j.scratch);
  return j.out_of_memory ? cpu_host->fail(HED_E_NOMEM, "quantile: no memory for a slice of %lld elements", (long long)j.n)
                         : HED_OK;
}
