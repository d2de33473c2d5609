// SPDX-License-Identifier: BSD-3-Clause
/*
 * sort, argsort and topk along one axis. L1.
 *
 * Values become unsigned keys of 32 or 64 bits that order as they do, NaN last in both directions, and
 * keys are sorted by least significant digits first: stable, and linear in the number of elements.
 * argsort and topk sort (key, place) pairs; for 32-bit keys a pair is one 64-bit word. topk keeps a
 * small set of candidates and passes over everything that is worse than its k-th. Threads share lanes.
 */
#include "backends/cpu/sort.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/cast.h"
#include "base/shape.h"
#include <string.h>

typedef enum what { SORT, ARGSORT, TOPK } what;

typedef struct job {
  what what;
  const hed_call *call;
  const hed_view *in, *values, *places;
  int type;              /* compute type of the values */
  int64_t size;          /* its bytes */
  bool wide;             /* 64-bit keys */
  bool descending;
  int32_t axis;
  int64_t n, keep, lanes;
  char *scratch;
  size_t per_part;
} job;

/* ---- keys ---- */

static inline uint32_t flip32(uint32_t b) { return b & 0x80000000u ? ~b : b | 0x80000000u; }
static inline uint64_t flip64(uint64_t b) { return b >> 63 ? ~b : b | 0x8000000000000000u; }

/* MERGE_ZEROS: -0 and 0 are equal, which matters where places are asked for. */
static void keys_f32(int64_t n, const void *x, uint32_t *key, bool descending, bool merge_zeros)
{
  const float *v = x;
  const uint32_t invert = descending ? UINT32_MAX : 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t b;
    memcpy(&b, v + i, 4);
    if (merge_zeros && b == 0x80000000u)
      b = 0;
    key[i] = v[i] != v[i] ? UINT32_MAX : flip32(b) ^ invert;
  }
}

static void keys_f64(int64_t n, const void *x, uint64_t *key, bool descending, bool merge_zeros)
{
  const double *v = x;
  const uint64_t invert = descending ? UINT64_MAX : 0;
  for (int64_t i = 0; i < n; i++) {
    uint64_t b;
    memcpy(&b, v + i, 8);
    if (merge_zeros && b == 0x8000000000000000u)
      b = 0;
    key[i] = v[i] != v[i] ? UINT64_MAX : flip64(b) ^ invert;
  }
}

#define INT_KEYS(FN, T, U, K, BIAS)                                                \
  static void FN(int64_t n, const void *x, K *key, bool descending)                \
  {                                                                                \
    const T *v = x;                                                                \
    const K invert = descending ? (K)~(K)0 : 0;                                    \
    for (int64_t i = 0; i < n; i++)                                                \
      key[i] = (K)((U)v[i] ^ (U)(BIAS)) ^ invert;                                  \
  }
INT_KEYS(keys_i8, int8_t, uint8_t, uint32_t, 0x80u)
INT_KEYS(keys_i16, int16_t, uint16_t, uint32_t, 0x8000u)
INT_KEYS(keys_i32, int32_t, uint32_t, uint32_t, 0x80000000u)
INT_KEYS(keys_i64, int64_t, uint64_t, uint64_t, 0x8000000000000000u)
INT_KEYS(keys_u8, uint8_t, uint8_t, uint32_t, 0)
INT_KEYS(keys_u16, uint16_t, uint16_t, uint32_t, 0)
INT_KEYS(keys_u32, uint32_t, uint32_t, uint32_t, 0)
INT_KEYS(keys_u64, uint64_t, uint64_t, uint64_t, 0)

static void keys32(int type, int64_t n, const void *x, uint32_t *key, bool descending, bool places)
{
  switch (type) {
  case HED_ID_FLOAT32: keys_f32(n, x, key, descending, places); break;
  case HED_ID_INT8: keys_i8(n, x, key, descending); break;
  case HED_ID_INT16: keys_i16(n, x, key, descending); break;
  case HED_ID_INT32: keys_i32(n, x, key, descending); break;
  case HED_ID_UINT8: keys_u8(n, x, key, descending); break;
  case HED_ID_UINT16: keys_u16(n, x, key, descending); break;
  default: keys_u32(n, x, key, descending);
  }
}

static void keys64(int type, int64_t n, const void *x, uint64_t *key, bool descending, bool places)
{
  switch (type) {
  case HED_ID_FLOAT64: keys_f64(n, x, key, descending, places); break;
  case HED_ID_INT64: keys_i64(n, x, key, descending); break;
  default: keys_u64(n, x, key, descending);
  }
}

/* Back from sorted keys to values; only sort needs it. */
static void values32(int type, int64_t n, const uint32_t *key, void *out, bool descending)
{
  const uint32_t invert = descending ? UINT32_MAX : 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t k = key[i] ^ invert;
    switch (type) {
    case HED_ID_FLOAT32:
      k = key[i] == UINT32_MAX ? 0x7fc00000u : k & 0x80000000u ? k & 0x7fffffffu : ~k;
      memcpy((float *)out + i, &k, 4);
      break;
    case HED_ID_INT8: ((uint8_t *)out)[i] = (uint8_t)(k ^ 0x80u); break;
    case HED_ID_INT16: ((uint16_t *)out)[i] = (uint16_t)(k ^ 0x8000u); break;
    case HED_ID_INT32: ((uint32_t *)out)[i] = k ^ 0x80000000u; break;
    case HED_ID_UINT8: ((uint8_t *)out)[i] = (uint8_t)k; break;
    case HED_ID_UINT16: ((uint16_t *)out)[i] = (uint16_t)k; break;
    default: ((uint32_t *)out)[i] = k;
    }
  }
}

static void values64(int type, int64_t n, const uint64_t *key, void *out, bool descending)
{
  const uint64_t invert = descending ? UINT64_MAX : 0;
  uint64_t *o = out;
  for (int64_t i = 0; i < n; i++) {
    uint64_t k = key[i] ^ invert;
    if (type == HED_ID_FLOAT64)
      k = key[i] == UINT64_MAX ? 0x7ff8000000000000u : k >> 63 ? k & 0x7fffffffffffffffu : ~k;
    else if (type == HED_ID_INT64)
      k ^= 0x8000000000000000u;
    o[i] = k;
  }
}

/* ---- lanes ---- */

/* All lanes: the axis itself is left out of the walk. */
static void lane_at(const hed_view *v, int32_t axis, int64_t lane, char **at)
{
  *at = v->data;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    if (k == axis)
      continue;
    *at += lane % v->dim[k] * v->stride[k];
    lane /= v->dim[k];
  }
}

static size_t round64(size_t n) { return (n + 63) / 64 * 64; }

static void store_places(const job *j, int64_t lane, const cpu_pair *sorted)
{
  char *to;
  if (!j->places)
    return;
  lane_at(j->places, j->axis, lane, &to);
  hed__cast(HED_ID_INT64, j->places->dtype)(j->keep, to, j->places->ndim ? j->places->stride[j->axis] : 0,
                                            (const char *)&sorted->place, sizeof *sorted);
}

static void run_lane(const job *j, int64_t lane, char *scratch)
{
  const int64_t n = j->n, step = j->in->ndim ? j->in->stride[j->axis] : 0;
  char *x, *to;
  lane_at(j->in, j->axis, lane, &x);
  if (j->in->dtype != j->type || step != j->size) {
    char *packed = scratch;
    hed__cast(j->in->dtype, j->type)(n, packed, j->size, x, step);
    x = packed;
  }
  scratch += round64((size_t)(n * j->size));
  if (j->what == SORT) {
    char *spare = scratch + round64((size_t)n * (j->wide ? 8 : 4));
    if (j->wide) {
      uint64_t *key = (void *)scratch;
      keys64(j->type, n, x, key, j->descending, false);
      key = cpu_sort_u64(n, key, (void *)spare, 0);
      x = key == (void *)spare ? scratch : spare;
      values64(j->type, n, key, x, j->descending);
    } else {
      uint32_t *key = (void *)scratch;
      keys32(j->type, n, x, key, j->descending, false);
      key = cpu_sort_u32(n, key, (void *)spare);
      x = key == (void *)spare ? scratch : spare;
      values32(j->type, n, key, x, j->descending);
    }
    lane_at(j->values, j->axis, lane, &to);
    hed__cast(j->type, j->values->dtype)(n, to, j->values->ndim ? j->values->stride[j->axis] : 0, x,
                                         j->size);
    return;
  }
  cpu_pair *pairs = (void *)scratch;
  if (j->what == TOPK && j->keep < n / 8) {
    /* Keys by blocks, so that a pass over the lane stays in the cache. */
    cpu_candidates c = { pairs, 0, j->keep, CPU_MAX(4 * j->keep, 1024), UINT64_MAX };
    for (int64_t i = 0; i < n; i += 256) {
      int64_t m = CPU_MIN(n - i, 256);
      uint64_t key[256];
      uint32_t narrow[256];
      if (j->wide) {
        keys64(j->type, m, x + i * 8, key, j->descending, true);
        cpu_offer(&c, m, key, i);
      } else {
        keys32(j->type, m, x + i * j->size, narrow, j->descending, true);
        cpu_offer32(&c, m, narrow, i);
      }
    }
    /* Equal keys by place: sorting by key is stable. */
    cpu_pair *by_place = cpu_sort_places(c.n, pairs, pairs + c.cap);
    pairs = cpu_sort_pairs(c.n, by_place, by_place == pairs ? pairs + c.cap : pairs);
  } else {
    cpu_pair *spare = (void *)(scratch + round64((size_t)n * sizeof *pairs));
    if (!j->wide && n < INT64_C(0x100000000)) {
      uint64_t *word = (void *)scratch, *other = (void *)spare;
      uint32_t block[256];
      for (int64_t i = 0; i < n; i += 256) {
        int64_t m = CPU_MIN(n - i, 256);
        keys32(j->type, m, x + i * j->size, block, j->descending, true);
        for (int64_t k = 0; k < m; k++)
          word[i + k] = (uint64_t)block[k] << 32 | (uint64_t)(i + k);
      }
      uint64_t *sorted = cpu_sort_u64(n, word, other, 32);
      pairs = sorted == word ? spare : pairs;
      for (int64_t i = 0; i < j->keep; i++)
        pairs[i] = (cpu_pair){ sorted[i] >> 32, (int64_t)(sorted[i] & UINT32_MAX) };
    } else {
      for (int64_t i = 0; i < n; i++) {
        uint32_t k32;
        if (j->wide)
          keys64(j->type, 1, x + i * 8, &pairs[i].key, j->descending, true);
        else
          keys32(j->type, 1, x + i * j->size, &k32, j->descending, true), pairs[i].key = k32;
        pairs[i].place = i;
      }
      pairs = cpu_sort_pairs(n, pairs, spare);
    }
  }
  store_places(j, lane, pairs);
  if (j->what == TOPK && j->values) {
    hed__cast_fn deliver = hed__cast(j->type, j->values->dtype);
    int64_t out_step = j->values->ndim ? j->values->stride[j->axis] : 0;
    lane_at(j->values, j->axis, lane, &to);
    for (int64_t i = 0; i < j->keep; i++)
      deliver(1, to + i * out_step, 0, x + pairs[i].place * j->size, 0);
  }
}

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  for (int64_t lane = part; lane < j->lanes; lane += parts)
    run_lane(j, lane, j->scratch + (size_t)part * j->per_part);
}

static int32_t sort_lanes(const hed_call *call, what w)
{
  const hed_sort_params *p = call->params;
  job j = { .what = w, .call = call, .in = call->in[0], .type = call->compute };
  j.values = w == ARGSORT ? NULL : call->out[0];
  j.places = w == SORT ? NULL : w == ARGSORT ? call->out[0] : call->out[1];
  const hed_view *out = j.values ? j.values : j.places;
  j.axis = p->axis;
  j.descending = p->descending;
  j.size = hed__id_size(j.type);
  j.wide = j.size == 8;
  j.n = j.in->ndim ? j.in->dim[j.axis] : 1;
  j.keep = out->ndim ? out->dim[j.axis] : 1;
  j.lanes = 1;
  for (int32_t k = 0; k < j.in->ndim; k++)
    if (k != j.axis)
      j.lanes *= j.in->dim[k];
  if (j.lanes == 0 || j.n == 0 || j.keep == 0)
    return HED_OK;
  size_t pair = w == SORT ? (size_t)(j.wide ? 8 : 4) : sizeof(cpu_pair), list = (size_t)j.n;
  if (w == TOPK && j.keep < j.n / 8)
    list = (size_t)CPU_MAX(4 * j.keep, 1024);
  j.per_part = round64((size_t)(j.n * j.size)) + 2 * round64(list * pair) + 64;
  int64_t parts = CPU_MIN(j.lanes, call->max_threads);
  /* Sized for what may be granted at most; few calls have that many lanes. */
  j.scratch = cpu_scratch_get(j.per_part * (size_t)parts);
  if (!j.scratch)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for a lane of %lld elements",
                          w == SORT ? "sort" : w == ARGSORT ? "argsort" : "topk", (long long)j.n);
  cpu_parallel_parts(call, parts, 15 * (double)j.n * (double)j.lanes, run_part, &j);
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
