// SPDX-License-Identifier: BSD-3-Clause
/*
 * From a pass of several operations to a program of loops. L1. See fuse.h.
 *
 * Order of making: axes are merged; steps become instructions, with conversions where types differ; what does not change
 * from block to block goes to the front; buffers are given out by when values are last read; the block's length follows
 * from what has to be in cache at a time.
 */
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/reduce/bool_columns.h"
#include "backends/cpu/runtime/stream.h"
#include "base/formulas/formulas.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

enum { SHORT_ROW = 512, KEPT = 1024 /* elements */, CACHE = 28672, GROUPS = 512, WIDE_GROUPS = 32, PIECE = 32768,
       TOGETHER = 3,
       STREAMED = 2048 /* bytes of a block that is written by non-temporal stores */, ALONE = 1 << 16, SHARES = 32, FOLDED = 16,
       SOON = 256 };

static void cast_block(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const hed__cast_fn *fn = params;
  (*fn)(n, p[0], s[0], p[1], s[1]);
}

/* ---- axes ---- */

static bool reduces(int op)
{
  switch (op) {
  case HED_OP_ALL: case HED_OP_ANY: case HED_OP_ARGMAX: case HED_OP_ARGMIN: case HED_OP_COUNT_NONZERO: case HED_OP_MAX:
  case HED_OP_MEAN: case HED_OP_MIN: case HED_OP_PROD: case HED_OP_STD: case HED_OP_SUM: case HED_OP_VAR: return true;
  default: return false;
  }
}

/* The axes that go, which are neighbours. 0: none. */
static uint32_t reduced_axes(const hed_fused_call *c)
{
  for (int32_t k = 0; k < c->n_steps; k++)
    if (reduces(c->step[k].op))
      return ((const hed_reduce_params *)c->step[k].params)->axes;
  return 0;
}

/* The shape before, of and after the axes that go. Extents of 1 are nowhere; without another axis that goes all is after. */
static void three_parts(fuse_program *p, uint32_t axes)
{
  int64_t *part = &p->outer;
  p->outer = p->count = p->inner = 1;
  for (int32_t k = 0; k < p->call->ndim; k++) {
    if (p->call->dim[k] == 1)
      continue;
    if (axes >> k & 1u)
      part = &p->count;
    else if (part == &p->count)
      part = &p->inner;
    *part *= p->call->dim[k];
  }
  if (p->count == 1) {
    p->inner *= p->outer;
    p->outer = 1;
  }
}

/* Axes that go are not merged with others. */
static void merge_axes(fuse_program *p, uint32_t axes)
{
  const hed_fused_call *c = p->call;
  p->size = hed__shape_size(c->ndim, c->dim);
  memcpy(p->dim, c->dim, (size_t)c->ndim * sizeof *p->dim);
  for (int32_t i = 0; i < c->n_in; i++)
    memcpy(p->stride[i], c->in[i]->stride, (size_t)c->ndim * sizeof *p->stride[i]);
  p->ndim = hed__merge_axes(c->n_in, p->stride, c->ndim, p->dim, &axes);
  if (p->ndim == 0) {
    p->ndim = 1;
    p->dim[0] = 1;
    for (int32_t i = 0; i < c->n_in; i++)
      p->stride[i][0] = 0;
  }
  p->rows = p->ndim == 1 || p->dim[p->ndim - 1] >= SHORT_ROW;
}

/* ---- instructions ---- */

static int16_t new_value(fuse_program *p, fuse_location location, int32_t type, int32_t index)
{
  p->value[p->n_values] = (fuse_value){ .location = (int8_t)location, .type = (int16_t)type, .index = (int16_t)index, .last = -1 };
  return (int16_t)p->n_values++;
}

static fuse_instr *new_instr(fuse_program *p, hed__map_fn fn, const void *params, int16_t result)
{
  fuse_instr *i = &p->code[p->n_code++];
  *i = (fuse_instr){ .fn = fn, .params = params, .n = 1, .arg = { result }, .op = -1 };
  return i;
}

/* Elements after which operand K begins again: those of the axes from the first on along which it does not stay. */
static int64_t period_of(const fuse_program *p, int32_t k)
{
  int64_t n = p->size;
  for (int32_t i = 0; i < p->ndim && p->stride[k][i] == 0; i++)
    n /= p->dim[i];
  return n;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
  int64_t x = a, y = b;
  while (y) {
    const int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

/* Operands that do not lie evenly in a block. */
static int16_t operand(fuse_program *p, int32_t k)
{
  const int32_t type = p->call->in[k]->dtype, last = p->ndim - 1;
  const int64_t size = hed__id_size(type);
  int16_t v = new_value(p, FUSE_IN, type, k);
  int64_t want = size;
  bool repeated = true, packed = true;
  for (int32_t i = last; i >= 0; i--) {
    repeated &= p->stride[k][i] == 0;
    packed &= p->stride[k][i] == want;
    want *= p->dim[i];
  }
  p->value[v].repeated = repeated;
  if (repeated || packed || p->rows)
    return v;
  int16_t g = new_value(p, FUSE_BUFFER, type, -1);
  const int64_t own = period_of(p, k), both = own <= KEPT ? common_multiple(p->period, own) : own;
  p->period = common_multiple(p->period, p->dim[last]); /* whole rows take less time */
  if (both <= KEPT) {
    p->period = both;
    p->value[g].kept = true;
    p->n_kept++;
  }
  fuse_instr *i = new_instr(p, NULL, NULL, g);
  i->arg[i->n++] = v;
  return g;
}

/* V as TYPE: an earlier conversion of it, or a new one into PLACE. */
static int16_t convert(fuse_program *p, int16_t v, int32_t type, fuse_location location, int32_t index)
{
  if (location == FUSE_BUFFER)
    for (int32_t k = 0; k < p->n_code; k++) {
      const fuse_instr *i = &p->code[k];
      if (i->cast && i->arg[1] == v && p->value[i->arg[0]].type == type)
        return i->arg[0];
    }
  int16_t to = new_value(p, location, type, index);
  fuse_instr *i = new_instr(p, cast_block, NULL, to);
  i->cast = hed__cast(p->value[v].type, type);
  i->arg[i->n++] = v;
  p->value[to].repeated = p->value[v].repeated && location == FUSE_BUFFER;
  return to;
}

static void stream_block(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  (void)params;
  cpu_stream(p[0], p[1], (size_t)(n * s[0]));
}

/* V, a buffer, by non-temporal stores into result OUT. */
static int16_t streamed(fuse_program *p, int16_t v, int32_t out)
{
  fuse_instr *i = new_instr(p, stream_block, NULL, new_value(p, FUSE_OUT, p->value[v].type, out));
  i->arg[i->n++] = v;
  i->streams = true;
  p->streamed = CPU_MAX(p->streamed, (int32_t)hed__id_size(p->value[v].type));
  return v;
}

static int16_t as_type(fuse_program *p, int16_t v, int32_t type)
{
  return p->value[v].type == type ? v : convert(p, v, type, FUSE_BUFFER, -1);
}

/* The value that step S makes, in PLACE. -1: no such loop. */
static int16_t made(fuse_program *p, const hed_fused_step *s, const int16_t *number, fuse_location location)
{
  if (s->op == HED_OP_ASTYPE) { /* a copy of a buffer is that buffer; an operand may be written later in the pass */
    const fuse_value *from = &p->value[number[s->in[0]]];
    const bool same = location == FUSE_BUFFER && from->location == FUSE_BUFFER && from->type == s->dtype;
    return same ? number[s->in[0]] : convert(p, number[s->in[0]], s->dtype, location, s->out);
  }
  int32_t result, compute = s->compute, first = hed__formula_first(s->op);
  hed__map_fn fn = cpu_map_loop(s->op, compute, &result);
  hed__map_fn half_fn = s->n_in == 1 && p->value[number[s->in[0]]].type == s->dtype ? cpu_map_half(s->op, s->dtype) : NULL;
  if (!fn)
    return -1;
  if (half_fn) { /* as one by one: functions of 16 bits are not those of float32, rounded */
    fn = half_fn;
    result = compute = s->dtype;
  }
  int16_t arg[3];
  bool repeated = true;
  for (int32_t k = 0; k < s->n_in; k++) {
    arg[k] = as_type(p, number[s->in[k]], k == 0 && first >= 0 ? first : compute);
    repeated &= p->value[arg[k]].repeated;
  }
  bool rounds = result != s->dtype;
  int16_t v = new_value(p, rounds ? FUSE_BUFFER : location, result, rounds ? -1 : s->out);
  p->value[v].repeated = repeated && p->value[v].location == FUSE_BUFFER;
  fuse_instr *i = new_instr(p, fn, s->params, v);
  i->op = (int16_t)s->op;
  for (int32_t k = 0; k < s->n_in; k++)
    i->arg[i->n++] = arg[k];
  return rounds ? convert(p, v, s->dtype, location, s->out) : v;
}

/* V with one element after the other. */
static int16_t dense(fuse_program *p, int16_t v)
{
  if (p->value[v].location != FUSE_IN && !p->value[v].repeated)
    return v;
  int16_t to = new_value(p, FUSE_BUFFER, p->value[v].type, -1);
  fuse_instr *i = new_instr(p, cast_block, NULL, to);
  i->cast = hed__cast(p->value[v].type, p->value[v].type);
  i->arg[i->n++] = v;
  return to;
}

/* The same where it belongs: large results are made in a buffer, which is then written out. */
static int16_t elementwise(fuse_program *p, const hed_fused_step *s, const int16_t *number)
{
  const hed_view *out = s->out < 0 ? NULL : p->call->out[s->out];
  if (!out || !cpu_stream_pays(out->data, (size_t)(p->size * hed__id_size(out->dtype))))
    return made(p, s, number, out ? FUSE_OUT : FUSE_BUFFER);
  const int16_t v = made(p, s, number, FUSE_BUFFER);
  return v < 0 ? v : streamed(p, dense(p, v), s->out);
}

static bool is_boolean(int op) { return op == HED_OP_ALL || op == HED_OP_ANY || op == HED_OP_COUNT_NONZERO; }

/* Does S add or multiply 64-bit words, to which converting elements of type OWN changes nothing? Loops take those as they are.
 * Words have the sums that means are made of, too: of narrow elements no less exactly than float64. */
static bool adds_words(const hed_fused_step *s, int32_t own)
{
  if (hed__id_kind(own) >= HED_KIND_FLOAT)
    return false;
  if (s->op == HED_OP_MEAN)
    return s->compute == HED_ID_FLOAT64 && hed__id_size(own) <= 4;
  return (s->op == HED_OP_SUM || s->op == HED_OP_PROD) && hed__id_kind(s->compute) < HED_KIND_FLOAT
         && hed__id_size(s->compute) == 8;
}

static void steps(fuse_program *p, bool *good)
{
  const hed_fused_call *c = p->call;
  int16_t number[HED_FUSED_IN + HED_FUSED_STEPS];
  for (int32_t k = 0; k < c->n_in; k++)
    number[k] = operand(p, k);
  for (int32_t k = 0; k < c->n_steps && *good; k++) {
    const hed_fused_step *s = &c->step[k];
    if (reduces(s->op)) {
      const int32_t own = p->value[number[s->in[0]]].type;
      const int32_t type = is_boolean(s->op) ? (cpu_bool_columns[own] ? own : HED_ID_BOOL) : adds_words(s, own) ? own : s->compute;
      fuse_fold *f = &p->fold[p->n_folds++];
      *f = (fuse_fold){ .op = s->op, .type = type, .out = s->out, .ddof = ((const hed_reduce_params *)s->params)->ddof,
                        .value = dense(p, as_type(p, number[s->in[0]], type)) };
      cpu_fuse_cell(f);
      p->cost += 0.5;
    } else {
      number[c->n_in + k] = elementwise(p, s, number);
      *good = number[c->n_in + k] >= 0;
      p->cost += s->op == HED_OP_ASTYPE ? 1 : cpu_map_cost(s->op);
    }
  }
}

/* Instructions whose result is repeated come first, then those whose result is kept, each kind in its order. */
static void repeated_first(fuse_program *p)
{
  fuse_instr before[FUSE_CODE];
  int32_t n = 0;
  memcpy(before, p->code, (size_t)p->n_code * sizeof *before);
  for (int kind = 0; kind < 3; kind++) {
    for (int32_t k = 0; k < p->n_code; k++) {
      const fuse_value *v = &p->value[before[k].arg[0]];
      if (kind == (v->repeated ? 0 : v->kept ? 1 : 2))
        p->code[n++] = before[k];
    }
    if (kind == 1)
      p->n_once = n;
  }
}

/* Instructions have their indices. */
static void settle(fuse_program *p)
{
  for (int32_t k = 0; k < p->n_code; k++)
    if (p->code[k].cast)
      p->code[k].params = &p->code[k].cast;
}

/* ---- buffers ---- */

/* Buffers that hold nothing now. */
typedef struct free_buffers {
  int16_t list[FUSE_VALUES];
  int32_t n;
} free_buffers;

static void read_last(fuse_program *p)
{
  for (int32_t k = 0; k < p->n_code; k++) {
    const fuse_instr *c = &p->code[k];
    for (int32_t i = 1; i < c->n; i++)
      p->value[c->arg[i]].last = (int16_t)k;
    for (const fuse_link *l = p->link + c->link; l < p->link + c->link + c->links; l++)
      for (int32_t i = 0; i < l->n; i++)
        if (fuse_reads(l, i))
          p->value[l->value[i]].last = (int16_t)k;
  }
  for (int32_t k = 0; k < p->n_folds; k++)
    if (!p->fold[k].chained)
      p->value[p->fold[k].value].last = (int16_t)p->n_code; /* after all */
}

/* Does V's buffer end with instruction K, which has not been asked before? */
static bool ends(fuse_value *v, int32_t k)
{
  if (v->location != FUSE_BUFFER || v->repeated || v->kept || v->last != k)
    return false;
  v->last = -1; /* also when it is an operand twice */
  return true;
}

/* A buffer for value TO: OWN, else one of the first N that are free, else a new one. */
static void give(fuse_program *p, fuse_value *to, int16_t own, free_buffers *f, int32_t n)
{
  const int32_t size = hed__id_size(to->type);
  const bool alone = p->together > 1 && to->last == p->n_code; /* what is there of other rows stays */
  if (own < 0 && n && !alone) {
    own = f->list[n - 1];
    f->list[n - 1] = f->list[--f->n];
  }
  if (own < 0) {
    own = (int16_t)p->n_buffers++;
    p->width[own] = 0;
    p->rows_of[own] = alone ? p->together : 1;
  }
  if (p->width[own] < size)
    p->width[own] = size;
  to->index = own;
}

/* Of a chain. What it writes on its way gets no buffer that it reads, as it may read later; what it reads ends after it. */
static void give_links(fuse_program *p, int32_t k, free_buffers *f)
{
  const fuse_instr *c = &p->code[k];
  const fuse_link *first = p->link + c->link, *end = first + c->links;
  for (const fuse_link *l = first; l < end; l++)
    for (int32_t i = 0; i < l->n; i++)
      if (fuse_writes(l, i) && p->value[l->value[i]].location == FUSE_BUFFER)
        give(p, &p->value[l->value[i]], -1, f, f->n);
  for (const fuse_link *l = first; l < end; l++)
    for (int32_t i = 0; i < l->n; i++)
      if (ends(&p->value[l->value[i]], k))
        f->list[f->n++] = p->value[l->value[i]].index;
}

static void give_buffers(fuse_program *p)
{
  free_buffers f = { .n = 0 };
  read_last(p);
  for (int32_t k = p->n_once - p->n_kept; k < p->n_once; k++)
    give(p, &p->value[p->code[k].arg[0]], -1, &f, 0);
  for (int32_t k = p->n_once; k < p->n_code; k++) {
    const fuse_instr *c = &p->code[k];
    if (c->links) {
      give_links(p, k, &f);
      continue;
    }
    fuse_value *to = &p->value[c->arg[0]];
    const int32_t size = hed__id_size(to->type), before = f.n;
    const bool alone = p->together > 1 && to->last == p->n_code;
    int16_t own = -1; /* an operand's buffer that ends here and has elements of this size: the result may replace it */
    for (int32_t i = 1; i < c->n; i++) {
      fuse_value *v = &p->value[c->arg[i]];
      if (!ends(v, k))
        continue;
      if (own < 0 && !alone && to->location == FUSE_BUFFER && hed__id_size(v->type) == size)
        own = v->index;
      else
        f.list[f.n++] = v->index;
    }
    if (to->location == FUSE_BUFFER) /* not one that ends here: of another size it would be overwritten before it is read */
      give(p, to, own, &f, before);
  }
}

/* Bytes of a result's accumulators. */
static int64_t cells(const fuse_program *p)
{
  int64_t n = 0;
  for (int32_t k = 0; k < p->n_folds; k++)
    n += p->fold[k].cell * p->fold[k].planes;
  return n;
}

/* N elements, or somewhat fewer so that no block begins within a row that is gathered, or within a period. */
static int64_t whole_periods(const fuse_program *p, int64_t n)
{
  for (int64_t tile = 128; tile >= 16; tile /= 8) {
    const int64_t unit = common_multiple(p->period, tile), whole = n / unit * unit;
    if (whole > n / 4 * 3 || (tile == 16 && whole))
      return whole;
  }
  return n;
}

static bool block_length(fuse_program *p)
{
  const hed_fused_call *c = p->call;
  int64_t buffers = 0, streams = 0;
  /* One chain reads and writes memory once: nothing but what it costs to begin bounds its blocks. */
  const bool chain = p->n_code - p->n_once == 1 && p->code[p->n_once].links, alone = chain && !p->n_buffers;
  for (int32_t k = 0; k < p->n_buffers; k++)
    buffers += p->width[k] * p->rows_of[k];
  for (int32_t k = 0; k < c->n_in; k++)
    streams += p->value[k].repeated ? 0 : hed__id_size(c->in[k]->dtype);
  for (int32_t k = 0; k < c->n_out; k++)
    streams += hed__id_size(c->out[k]->dtype);
  int64_t n = CPU_MIN(CACHE / CPU_MAX(buffers + streams, 1), FUSE_BLOCK);
  n = CPU_MAX(n / 128 * 128, 128); /* whole tiles */
  if (alone)
    n = CPU_MIN(CPU_MAX(p->size / (p->n_folds ? FOLDED : SHARES) / 128 * 128, FUSE_BLOCK), ALONE);
  n = CPU_MIN(n, (FUSE_BYTES - p->n_buffers * CPU_REPEAT_OVER) / CPU_MAX(buffers, 1) / 16 * 16);
  if (chain && !alone && p->n_folds && p->rows && p->inner == 1 && cpu_stream_large((size_t)p->size * sizeof(float)))
    n = CPU_MIN(n, SOON); /* what the chain prefetched ahead comes while the elements of a short one are reduced */
  if (p->streamed && !chain) /* a short one is written out while the next is made */
    n = CPU_MIN(n, STREAMED / p->streamed);
  if (p->n_folds && p->rows && p->inner > 1) /* a result per column */
    n = CPU_MIN(n, CPU_MAX(FUSE_CELLS / cells(p) / 16 * 16, 16));
  if (n < 16)
    return false;
  n = whole_periods(p, n);
  if (p->rows) {
    const int64_t width = p->dim[p->ndim - 1];
    p->per_row = (width + n - 1) / n;
    p->blocks = p->size / width * p->per_row;
  } else {
    p->per_row = 1;
    p->blocks = (p->size + n - 1) / n;
  }
  p->block = n;
  return true;
}

/* How results come about, see fuse_walk, and how units are cut for threads. */
static void plan_results(fuse_program *p)
{
  const int64_t page = p->count * p->inner;
  p->steps = 1;
  p->most = 1;
  if (p->rows && p->inner == 1) {
    p->walk = FUSE_LANE;
    p->units = p->outer;
    p->steps = p->blocks / p->outer;
  } else if (p->rows) {
    p->walk = FUSE_STRIP;
    p->units = p->blocks / p->count;
    p->steps = p->count;
    p->most = CPU_MIN(p->block, p->dim[p->ndim - 1]);
  } else if (page <= p->block) {
    const int64_t some = CPU_MIN(p->block / page, CPU_MAX(FUSE_CELLS / cells(p) / 64 * 64 / p->inner, 1));
    p->walk = FUSE_PAGES;
    p->chunk = some * page;
    p->units = (p->outer + some - 1) / some;
    p->most = some * p->inner;
  } else {
    p->walk = FUSE_PAGE;
    p->chunk = p->inner <= p->block ? p->block / p->inner * p->inner : p->block;
    p->units = p->outer;
    p->steps = (page + p->chunk - 1) / p->chunk;
    p->most = p->inner;
  }
  const int64_t room = p->most > 1 ? (p->most + 63) / 64 * 64 : 1;
  p->bytes = 0;
  for (int32_t k = 0; k < p->n_folds; k++) {
    fuse_fold *f = &p->fold[k];
    f->at = p->bytes;
    f->plane = room * f->cell;
    p->bytes += (f->plane * f->planes + 15) / 16 * 16;
  }
  p->own = p->bytes <= FUSE_CELLS;
  p->pieces = p->most > 1 ? CPU_MIN(WIDE_GROUPS / p->units, p->size / p->units / PIECE) : GROUPS / p->units;
  p->pieces = CPU_MAX(CPU_MIN(p->pieces, p->steps), 1);
}

/* Do all blocks begin with a period? */
static bool whole_blocks(const fuse_program *p)
{
  if (!p->n_folds)
    return p->block % p->period == 0;
  return p->chunk % p->period == 0 && (p->walk == FUSE_PAGES || p->count * p->inner % p->period == 0);
}

bool cpu_fuse_program(fuse_program *p, const hed_fused_call *call)
{
  bool good = call->n_steps <= HED_FUSED_STEPS && call->n_in <= HED_FUSED_IN;
  p->call = call;
  p->n_values = p->n_code = p->n_once = p->n_folds = p->n_buffers = 0;
  p->n_links = p->streamed = p->n_kept = 0;
  p->period = 1;
  p->cost = 0;
  if (!good)
    return false;
  const uint32_t axes = reduced_axes(call);
  merge_axes(p, axes);
  if (p->size == 0)
    return true;
  steps(p, &good);
  if (!good)
    return false;
  repeated_first(p);
  three_parts(p, axes);
  cpu_fuse_chains(p);
  settle(p);
  p->together = p->n_folds && p->rows && p->inner > 1 ? (int32_t)CPU_MIN(p->count, TOGETHER) : 1;
  give_buffers(p);
  if (!block_length(p))
    return false;
  if (p->n_folds)
    plan_results(p);
  if (p->n_kept && !whole_blocks(p)) { /* nothing can be kept */
    p->n_once -= p->n_kept;
    p->n_kept = 0;
  }
  return true;
}
