// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise rows: from a call to the loops of kernels.c, and to those of lib/base/formulas.def for operations and
 * types that have none there. L1.
 *
 * Operands that already have the compute type and lie flat (contiguous, evenly spaced near each other, or one repeated element)
 * go to the loop at once: this is the path of small arrays, which costs a few nanoseconds. Everything
 * else runs through hed__map, which walks strides and converts by blocks. Both are cut into parts for
 * threads only when the size is worth it.
 */
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/ask.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/formulas.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

/* The stride of all elements of V one after the other, 0 for one repeated; -1: there is none, or it is longer than loops by
 * blocks are for. */
static inline int64_t flat_stride(const hed_view *v, int64_t size)
{
  enum { LONGEST = 16 };
  int64_t step = size, want = 0;
  bool first = true, repeated = true, even = true;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    if (v->dim[k] == 1)
      continue;
    if (first)
      want = step = v->stride[k];
    first = false;
    repeated &= v->stride[k] == 0;
    even &= v->stride[k] == want;
    want *= v->dim[k];
  }
  return even && (step == size || (step > size && step <= LONGEST)) ? step : repeated ? 0 : -1;
}

enum { LINE = 64, MOST_BLOCKS = 4 };

typedef struct flat_job {
  hed__map_fn fn;
  const void *params;
  int32_t n;
  char *ptr[4];
  int64_t stride[4];
  cpu_direct_fn direct; /* NULL: none */
  int32_t blocks; /* CPU_STREAM_BLOCKs in one; 2: arithmetic takes about as long as memory, MOST_BLOCKS: much longer */
} flat_job;

static void run_flat(void *arg, int64_t begin, int64_t end)
{
  const flat_job *j = arg;
  char *p[4];
  for (int32_t k = 0; k < j->n; k++)
    p[k] = j->ptr[k] + begin * j->stride[k];
  j->fn(end - begin, p, j->stride, j->params);
}

/* Elements of a block: of wide operands with a narrow result fewer, so that the block's part of one stays short too. */
static int64_t block_of(const flat_job *j)
{
  int64_t per = j->blocks * CPU_STREAM_BLOCK / j->stride[0];
  for (int32_t k = 1; k < j->n; k++)
    if (j->stride[k] > 0)
      per = CPU_MIN(per, CPU_MAX(j->blocks, 2) * CPU_STREAM_BLOCK / j->stride[k]);
  return per;
}

/* The same by a loop that stores past the caches itself. */
static void run_streaming(void *arg, int64_t begin, int64_t end)
{
  run_flat(arg, begin, end);
  cpu_stream_end();
}

/* The same by a loop for whole lines; what comes before the first and after the last goes to the ordinary one. */
static void run_direct(void *arg, int64_t begin, int64_t end)
{
  const flat_job *j = arg;
  const int64_t size = j->stride[0], per = LINE / size;
  const int64_t first = CPU_MIN(end, begin + (int64_t)(-(uintptr_t)(j->ptr[0] + begin * size) % LINE) / size);
  const int64_t last = first + (end - first) / per * per;
  char *p[4];
  run_flat(arg, begin, first);
  for (int32_t k = 0; k < j->n; k++)
    p[k] = j->ptr[k] + first * j->stride[k];
  j->direct(last - first, p, j->stride, j->params, CPU_MIN(CPU_STREAM_AHEAD * CPU_STREAM_BLOCK, cpu_ask.farthest));
  run_flat(arg, last, end);
  cpu_stream_end();
}

/* A block by way of the cache. Operands are asked for some blocks ahead, one alone that is not wider than the result twice as
 * far: where streams of different widths end and begin again with every block, processors do not guess. */
static void stream_block(const flat_job *j, int64_t at, int64_t n)
{
  enum { APART = 1024 }; /* from what the loop keeps on the stack: stores a page or two from loads to come hold these up */
  _Alignas(LINE) char room[APART + MOST_BLOCKS * CPU_STREAM_BLOCK], *const block = room + APART;
  const int64_t far = (j->n == 2 && j->stride[1] <= j->stride[0] ? 2 : 1) * CPU_STREAM_AHEAD * CPU_STREAM_BLOCK;
  const int64_t ahead = CPU_MIN(far, cpu_ask.farthest);
  char *p[4] = { block };
  for (int32_t k = 1; k < j->n; k++) {
    p[k] = j->ptr[k] + at * j->stride[k];
    for (int64_t b = 0; j->blocks != 2 && b < n * j->stride[k]; b += LINE)
      __builtin_prefetch(p[k] + b + ahead);
  }
  j->fn(n, p, j->stride, j->params);
  cpu_stream(j->ptr[0] + at * j->stride[0], block, (size_t)(n * j->stride[0]));
}

/* The same, the result past the caches. One operand alone is read from two places in turn, which memory gives in less time than
 * what is read from one. */
static void run_streamed(void *arg, int64_t begin, int64_t end)
{
  const flat_job *j = arg;
  const int64_t per = block_of(j), size = j->stride[0];
  int64_t at = CPU_MIN(end, begin + per - (int64_t)((uintptr_t)(j->ptr[0] + begin * size) % LINE) / size); /* a line's end */
  const int64_t half = j->n == 2 && j->stride[1] > 0 ? (end - at) / per / 2 * per : 0;
  stream_block(j, begin, at - begin);
  for (const int64_t middle = at + half; at < middle; at += per) {
    stream_block(j, at, per);
    stream_block(j, at + half, per);
  }
  for (at += half; at < end; at += per)
    stream_block(j, at, CPU_MIN(per, end - at));
  cpu_stream_end();
}

/* A large result, or one of which operands would leave little in the caches (but for gaps between elements), that is not one of
 * the operands, whose lines are there anyway. */
static bool streamed(const flat_job *j, int64_t n, const int32_t *types)
{
  int64_t each = 0;
  for (int32_t k = 0; k < j->n; k++)
    each += j->stride[k] ? hed__id_size(types[k]) : 0;
  if (!cpu_stream_large((size_t)(n * j->stride[0])) && !cpu_stream_large((size_t)(n * each / 2)))
    return false;
  for (int32_t k = 1; k < j->n; k++)
    if (j->ptr[k] == j->ptr[0])
      return false;
  return true;
}

/* The loop of kernels.c or functions.c for an operation and type, where there is one. */
static const int8_t place[HED_OP_COUNT_] = {
#define X(ID) [HED_OP_##ID] = 1 + CPU_MAP_##ID,
  CPU_MAP_OPS(X)
#undef X
}, function[HED_OP_COUNT_] = {
#define X(ID) [HED_OP_##ID] = 1 + CPU_FN_##ID,
  CPU_FUNCTION_OPS(X)
#undef X
};

static inline hed__map_fn special(int op, int32_t t)
{
  hed__map_fn fn = place[op] ? cpu_k->map[place[op] - 1][t] : NULL;
  return !fn && function[op] ? (*cpu_k->functions)[function[op] - 1][t] : fn;
}

/* FN's that stores past the caches itself, where FN is what OP is made of and has one; it wants elements where they belong. */
static hed__map_fn stream_of(int op, int32_t t, hed__map_fn fn)
{
  return function[op] && special(op, t) == fn ? (*cpu_k->functions_stream)[function[op] - 1][t] : NULL;
}

cpu_direct_fn cpu_map_direct(int op, int32_t t, hed__map_fn fn, int32_t n, const int64_t *stride)
{
  int32_t moving = 0;
  for (int32_t k = 1; k < n; k++) {
    const bool truth = op == HED_OP_WHERE && k == 1;
    if (stride[k] == (truth ? 1 : stride[0]))
      moving++;
    else if (stride[k] != 0 || truth || op == HED_OP_FMA)
      return NULL;
  }
  return moving && place[op] && special(op, t) == fn ? cpu_k->direct[place[op] - 1][t] : NULL;
}

typedef struct map_job {
  const hed__map *map;
  const hed_call *call;
} map_job;

static void run_map(void *arg, int32_t part, int32_t parts)
{
  const map_job *j = arg;
  hed__map_run_part(j->map, j->call, part, parts);
}

int32_t cpu_map_run(const hed_call *call, hed__map_fn fn, const int32_t *types, double work)
{
  const hed_view *out = call->out[0];
  int32_t n_ops = call->n_in + 1;
  int64_t n = 1;
  for (int32_t k = 0; k < out->ndim; k++)
    n *= out->dim[k];
  if (n == 0)
    return HED_OK;

  flat_job j = { .fn = fn, .params = call->params, .n = n_ops,
                 .blocks = work > 8 ? MOST_BLOCKS : work >= 4 ? 2 : 1 };
  bool flat = true;
  for (int32_t k = 0; k < n_ops && flat; k++) {
    const hed_view *v = k ? call->in[k - 1] : out;
    const int64_t size = hed__id_size(types[k]);
    j.ptr[k] = v->data;
    j.stride[k] = v->dtype == types[k] ? flat_stride(v, size) : -1;
    flat = k ? j.stride[k] >= 0 : j.stride[k] == size;
  }
  if (flat) {
    if (CPU_LIKELY((double)n * work < 2.0 * CPU_GRAIN))
      fn(n, j.ptr, j.stride, call->params);
    else if (streamed(&j, n, types)) {
      bool places = (uintptr_t)j.ptr[0] % (size_t)j.stride[0] == 0;
      for (int32_t k = 1; k < n_ops; k++)
        places = places && j.stride[k] == hed__id_size(types[k]);
      const hed__map_fn own = places ? stream_of(call->op, types[1], fn) : NULL;
      if (own)
        j.fn = own;
      else if ((uintptr_t)j.ptr[0] % (size_t)j.stride[0] == 0)
        j.direct = cpu_map_direct(call->op, call->compute, fn, n_ops, j.stride);
      cpu_parallel_for(call, n, 1024, (double)n * work, own ? run_streaming : j.direct ? run_direct : run_streamed, &j);
    } else
      cpu_parallel_for(call, n, 1024, (double)n * work, run_flat, &j);
    return HED_OK;
  }
  if ((n >= 4096 && cpu_map_rows_of_one(call, fn, types, work)) || cpu_map_tiled(call, fn, types, work) ||
      cpu_map_short_rows(call, fn, types, work))
    return HED_OK;
  hed__map map = { .fn = fn };
  for (int32_t k = 0; k < n_ops; k++)
    map.types[k] = types[k];
  map_job m = { &map, call };
  if ((double)n * work < CPU_GRAIN)
    hed__map_run(&map, call);
  else
    cpu_parallel_parts(call, n, 2 * (double)n * work, run_map, &m);
  return HED_OK;
}

/* Few elements, everything contiguous and of the loop's types: the loop at once. RESULT: type of the result. */
static inline void run_short(const hed_call *call, hed__map_fn fn, int32_t result, int32_t first)
{
  const int64_t size = hed__id_size(call->compute);
  const int32_t n = call->n_in;
  char *const p[4] = { call->out[0]->data, call->in[0]->data, call->in[n > 1]->data, call->in[n - 1]->data };
  const int64_t s[4] = { hed__id_size(result), first < 0 ? size : hed__id_size(first), size, size };
  fn(call->flat, p, s, call->params);
}

/* Cost of one element, roughly: arithmetic waits for memory, functions do not. */
static const float cost_of[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = cost,
#include <heddle/ops.def>
};

hed__map_fn cpu_map_loop(int op, int32_t t, int32_t *result)
{
  const hed__formula *formula = hed__formulas[op] ? &hed__formulas[op][t] : NULL;
  hed__map_fn fn = formula && formula->fn ? special(op, t) : NULL;
  *result = formula ? formula->result : -1;
  return fn ? fn : formula ? formula->fn : NULL;
}

/* The loop of kernels.c for 16-bit floats of type T, where operand SINGLE (0: none) is one float32; NULL: there is none. */
static hed__map_fn half_loop(int op, int32_t t, int32_t single)
{
  return place[op] ? cpu_k->half[t == HED_ID_BFLOAT16][single][place[op] - 1] : NULL;
}

static bool is_half(int32_t t) { return t == HED_ID_FLOAT16 || t == HED_ID_BFLOAT16; }

hed__map_fn cpu_map_halves(int op, int32_t t)
{
  return is_half(t) && hed__formulas[op][HED_ID_FLOAT32].result == HED_ID_FLOAT32 ? half_loop(op, t, 0) : NULL;
}

double cpu_map_cost(int op) { return (double)cost_of[op]; }

/* An operand of which one element is repeated. */
static bool is_one(const hed_view *v)
{
  for (int32_t k = 0; k < v->ndim; k++)
    if (v->dim[k] != 1 && v->stride[k] != 0)
      return false;
  return true;
}

/* Of 16-bit floats to their own type or truth values: a loop that takes them as they are, where there is one, beside one
 * float32 that is repeated too. TYPES: of result and operands. */
static hed__map_fn loop_of_halves(const hed_call *call, int op, int32_t *types)
{
  const int32_t first = hed__formula_first(op) >= 0, n = call->n_in;
  int32_t half = -1, single = 0;
  types[0] = call->out[0]->dtype;
  for (int32_t k = 0; k < n; k++) {
    const int32_t t = types[1 + k] = call->in[k]->dtype;
    if (k < first && t != HED_ID_BOOL)
      return NULL;
    if (k < first || t == half)
      continue;
    if (is_half(t) && half < 0)
      half = t;
    else if (t == HED_ID_FLOAT32 && single == 0 && n == 2 && is_one(call->in[k]))
      single = 1 + k;
    else
      return NULL;
  }
  const int32_t result = hed__formulas[op][HED_ID_FLOAT32].result == HED_ID_BOOL ? HED_ID_BOOL : half;
  return half < 0 || types[0] != result ? NULL : half_loop(op, half, single);
}

/* The operation that has the loop for OP beside the real number B; -1: none has. A power of 2 is a square. */
static int beside_real(int op, float b)
{
  const float places = b * (1 << CPU_PLACES);
  switch (op) {
  case HED_OP_POWER: return b == 2 ? HED_OP_SQUARE : -1;
  case HED_OP_FLOOR_DIVIDE: case HED_OP_MOD: case HED_OP_FMOD: return places - places == 0 && places == floorf(places) ? op : -1;
  default: return op;
  }
}

/* Of whole numbers and one real number, which give float32 or truth values: a loop that converts as it goes. */
static hed__map_fn loop_of_whole(const hed_call *call, int op, int32_t *types)
{
  const int32_t from = call->in[0]->dtype, result = hed__formulas[op][HED_ID_FLOAT32].result;
  if (call->n_in != 2 || call->in[1]->dtype != HED_ID_FLOAT32 || call->out[0]->dtype != result || !is_one(call->in[1])
      || hed__view_size(call->out[0]) == 0)
    return NULL;
  const int like = beside_real(op, *(const float *)call->in[1]->data);
  memcpy(types, (int32_t[]){ result, from, HED_ID_FLOAT32 }, 3 * sizeof *types);
  return like >= 0 && place[like] ? cpu_k->whole[from][place[like] - 1] : NULL;
}

/* That computes in float32 from operands of other types; TYPES of result and operands. */
static hed__map_fn loop_of_mixed(const hed_call *call, int op, int32_t *types)
{
  hed__map_fn fn = loop_of_halves(call, op, types);
  return fn ? fn : loop_of_whole(call, op, types);
}

/* By the loop of this processor's set, or else by the plain one, which every type of the domain has. */
static inline int32_t map_call(const hed_call *call, int op)
{
  const int32_t t = call->compute;
  const hed__formula *formula = &hed__formulas[op][t];
  hed__map_fn fn = special(op, t);
  if (!fn)
    fn = formula->fn;
  if (CPU_LIKELY(call->flat > 0 && call->flat <= CPU_GRAIN / 16)) {
    run_short(call, fn, formula->result, hed__formula_first(op));
    return HED_OK;
  }
  const int32_t first = hed__formula_first(op);
  int32_t types[4] = { formula->result, first < 0 ? t : first, t, t }, own[4];
  hed__map_fn mixed = t == HED_ID_FLOAT32 ? loop_of_mixed(call, op, own)
                      : call->n_in == 2 ? hed__formula_signs(op, call->in[0]->dtype, call->in[1]->dtype, own) : NULL;
  if (mixed) {
    memcpy(types, own, sizeof types);
    fn = mixed;
  }
  const double parts = hed__id_kind(t) == HED_KIND_COMPLEX ? 3 : 1;
  if (call->flat == 0 && cpu_map_packed(call, fn, types, parts * (double)cost_of[op]))
    return HED_OK;
  return cpu_map_run(call, fn, types, parts * (double)cost_of[op]);
}

int32_t cpu_map_row(const hed_call *call)
{
  return map_call(call, call->op);
}

#define HED_MAP(ID, name, domain, result, args, params, cost, doc) \
  static int32_t name##_row(void *state, const hed_call *call)       \
  {                                                                  \
    (void)state;                                                     \
    return map_call(call, HED_OP_##ID);                              \
  }
#include <heddle/ops.def>

int cpu_map_rows(hed_op_entry *out)
{
  static const struct { int op; const char *name; hed_op_fn fn; } rows[] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) { HED_OP_##ID, #name, name##_row },
#include <heddle/ops.def>
  };
  int n = 0; /* norm_scores has a row of its own (match.c), which calls cpu_map_row */
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    uint32_t mask = 0;
    if (rows[k].op == HED_OP_NORM_SCORES)
      continue;
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++)
      if (hed__formulas[rows[k].op][t].fn)
        mask |= 1u << t;
    out[n++] = (hed_op_entry){ rows[k].name, rows[k].fn, mask };
  }
  return n;
}
