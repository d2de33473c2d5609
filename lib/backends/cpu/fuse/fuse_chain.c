// SPDX-License-Identifier: BSD-3-Clause
/*
 * Instructions of a program that become chains, and running these block by block. L1. See fuse.h.
 *
 * An instruction joins a chain when the value that the chain has in registers is an operand of it, and its other operands lie
 * evenly. A value that somebody else reads too, or that is a result, is written on the way.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/reduce/moments.h"
#include "backends/cpu/runtime/stream.h"
#include <string.h>

enum { ANY = -1 };

/* A chain that is being made. */
typedef struct chain {
  fuse_program *p;
  const cpu_chain_loops *loops;
  int32_t type;
  bool large;                    /* operands come from main memory */
  bool indices;                   /* of extremes may be kept: of what has the index a tile is made again */
  int16_t value;                 /* in registers, -1: none yet */
  bool loaded;                   /* it came from memory */
  int32_t taken;                 /* how often the chain itself has read it */
  int32_t links;                 /* instructions in it */
  int32_t n_slots;
  int16_t slot[FUSE_SLOTS];      /* values; ANY */
  int32_t reads[FUSE_VALUES];    /* of each value, by instructions and reductions */
} chain;

static void count_reads(chain *c)
{
  for (int32_t k = 0; k < c->p->n_code; k++)
    for (int32_t i = 1; i < c->p->code[k].n; i++)
      c->reads[c->p->code[k].arg[i]]++;
  for (int32_t k = 0; k < c->p->n_folds; k++)
    c->reads[c->p->fold[k].value]++;
}

/* Bytes from an element of V in a block to the next. */
static int64_t step_of(const fuse_program *p, int16_t v)
{
  const fuse_value *x = &p->value[v];
  if (x->repeated)
    return 0;
  return x->location == FUSE_IN && p->rows ? p->stride[x->index][p->ndim - 1] : hed__id_size(x->type);
}

/* One element after the other, or one for all of a block. */
static bool even(const fuse_program *p, int16_t v)
{
  const int64_t step = step_of(p, v);
  return step == 0 || step == hed__id_size(p->value[v].type);
}

/* L has V in memory, and a slot for it; what no step after L reads there has one with all others of its kind (AS is ANY). */
static void slot_as(chain *c, fuse_link *l, int16_t v, int16_t as)
{
  int32_t k = 0;
  while (k < c->n_slots && c->slot[k] != as)
    k++;
  if (k == c->n_slots)
    c->slot[c->n_slots++] = as;
  l->value[l->n] = v;
  l->slot[l->n++] = (int16_t)k;
}

static void slot_of(chain *c, fuse_link *l, int16_t v) { slot_as(c, l, v, v); }

static fuse_link *add_link(chain *c, cpu_chain_fn fn, int does)
{
  fuse_link *l = &c->p->link[c->p->n_links++];
  *l = (fuse_link){ .fn = fn, .does = does };
  return l;
}

static void set_limits(fuse_link *l, const fuse_instr *clip)
{
  const hed_clip_params *q = clip->params;
  l->number[0] = q->low;
  l->number[1] = q->high;
}

static bool compares(int op)
{
  switch (op) {
  case HED_OP_EQUAL: case HED_OP_NOT_EQUAL: case HED_OP_LESS: case HED_OP_LESS_EQUAL: case HED_OP_GREATER:
  case HED_OP_GREATER_EQUAL: return true;
  default: return false;
  }
}

/* How instruction I would take value V from registers: the step, and the form. NULL: not at all. */
static cpu_chain_fn step_for(const chain *c, const fuse_instr *i, int16_t v, cpu_chain_form *form)
{
  int32_t n = 0, others = 0;
  unsigned repeated = 0;
  for (int32_t k = 1; k < i->n; k++)
    if (i->arg[k] == v && n++ == 0)
      *form = (cpu_chain_form)(CPU_CHAIN_FIRST + k - 1);
  if (n == 2 && i->n == 3)
    *form = CPU_CHAIN_BOTH;
  else if (n != 1)
    return NULL;
  for (int32_t k = 1; k < i->n; k++) {
    if (i->arg[k] == v)
      continue;
    if (!even(c->p, i->arg[k]))
      return NULL;
    repeated |= (unsigned)(step_of(c->p, i->arg[k]) == 0) << others++;
  }
  return c->loops->step(i->op, *form, repeated);
}

/* The step that takes elements for F, all of a block being of one result, and what it does; NULL: none does. */
static cpu_chain_fn step_of_fold(const chain *c, const fuse_fold *f, int *does)
{
  if (!c->p->rows || c->p->inner != 1)
    return NULL;
  switch (f->op) {
  case HED_OP_SUM: case HED_OP_MEAN: *does = FUSE_SUMS; return c->loops->sum;
  case HED_OP_VAR: case HED_OP_STD: *does = FUSE_MOMENTS; return c->loops->moments;
  case HED_OP_ARGMAX: case HED_OP_ARGMIN:
    *does = FUSE_INDICES;
    return c->indices ? c->loops->argextreme[f->op == HED_OP_ARGMIN].step : NULL;
  default: return NULL;
  }
}

/* Can the chain add up value V for F? */
static bool adds_up(const chain *c, const fuse_fold *f, int16_t v)
{
  int does;
  return f->value == v && step_of_fold(c, f, &does);
}

static bool added_up(const chain *c, int16_t v)
{
  for (int32_t k = 0; k < c->p->n_folds; k++)
    if (adds_up(c, &c->p->fold[k], v))
      return true;
  return false;
}

/* Reductions that add up the value in registers. */
static void add_up(chain *c)
{
  fuse_program *p = c->p;
  for (int16_t k = 0; k < p->n_folds; k++) {
    fuse_fold *f = &p->fold[k];
    if (!adds_up(c, f, c->value) || p->n_links > FUSE_LINKS - 8)
      continue;
    int does = FUSE_SUMS;
    const cpu_chain_fn fn = step_of_fold(c, f, &does);
    fuse_link *l = add_link(c, fn, does);
    slot_of(c, l, c->value);
    l->fold = k;
    f->chained = true;
    c->taken++;
  }
}

/* The value in registers goes to memory if others need it there. WITHIN: how often the chain reads it from here on. */
static void leave(chain *c, int32_t within)
{
  fuse_value *v = &c->p->value[c->value];
  if (c->loaded)
    return;
  add_up(c);
  if (v->location == FUSE_OUT || c->reads[c->value] > c->taken + within)
    slot_of(c, add_link(c, c->loops->store, FUSE_WRITES), c->value);
  else
    v->location = FUSE_NOWHERE;
}

/* A value that nobody but the instructions around it reads, N times. */
static bool passing(const chain *c, int16_t v, int32_t n)
{
  return c->p->value[v].location == FUSE_BUFFER && c->p->value[v].type == c->type && c->reads[v] == n;
}

/* Which operand of I stands beside V; 0: V is none of the two. */
static int32_t beside(const fuse_instr *i, int16_t v) { return i->arg[1] == v ? 2 : i->arg[2] == v ? 1 : 0; }

/* From instruction I on q = clip(x), q (x - q times a number), x being in registers: Huber's loss of distances x. Can the chain
 * take these four? Then it does. */
static bool join_huber(chain *c, const fuse_instr *i)
{
  fuse_program *p = c->p;
  if (i->op != HED_OP_CLIP || i + 4 > p->code + p->n_code || i->arg[1] != c->value)
    return false;
  const fuse_instr *scale = i + 1, *distance = i + 2, *product = i + 3;
  const int16_t x = c->value, q = i->arg[0], part = scale->arg[0], rest = distance->arg[0];
  if (scale->op != HED_OP_MULTIPLY || distance->op != HED_OP_SUBTRACT || product->op != HED_OP_MULTIPLY ||
      !beside(scale, q) || distance->arg[1] != x || distance->arg[2] != part || !beside(product, q) ||
      product->arg[beside(product, q)] != rest || p->value[product->arg[0]].type != c->type)
    return false;
  const int16_t number = scale->arg[beside(scale, q)];
  if (!p->value[number].repeated || p->value[number].type != c->type || !passing(c, q, 2) || !passing(c, part, 1) ||
      !passing(c, rest, 1))
    return false;
  leave(c, 2);
  fuse_link *l = add_link(c, c->loops->huber, FUSE_READS);
  slot_of(c, l, number);
  set_limits(l, i);
  p->value[q].location = p->value[part].location = p->value[rest].location = FUSE_NOWHERE;
  c->value = product->arg[0];
  c->loaded = false;
  c->taken = 0;
  c->links++;
  return true;
}

/* Can the chain take instruction I, or some from there on? Then it does; how many. */
static int32_t join(chain *c, const fuse_instr *i)
{
  const int16_t to = i->arg[0];
  const int32_t room = FUSE_LINKS - c->p->n_links, most = 3 + i->n; /* of values and links, with the store at the end */
  if (room < most + 1 || c->n_slots + most > FUSE_SLOTS)
    return 0;
  if (join_huber(c, i))
    return 4;
  if (i->streams) { /* rows that begin within a line are put together where they meet */
    const fuse_program *p = c->p;
    const bool lines = !p->rows || p->ndim == 1 || p->dim[p->ndim - 1] * hed__id_size(c->type) % 64 == 0;
    if (i->arg[1] != c->value || !lines)
      return 0;
    slot_of(c, add_link(c, c->loops->stream, FUSE_WRITES), to);
    c->taken++;
    c->links++;
    return 1;
  }
  const bool tells = compares(i->op);
  if (i->op < 0 || (!tells && c->p->value[to].type != c->type))
    return 0;
  cpu_chain_form form = CPU_CHAIN_FIRST;
  cpu_chain_fn fn = NULL;
  int16_t value = c->value;
  if (value >= 0)
    fn = step_for(c, i, value, &form);
  for (int32_t k = 1; k < i->n && value < 0; k++)
    if (c->p->value[i->arg[k]].type == c->type && even(c->p, i->arg[k]) && (fn = step_for(c, i, i->arg[k], &form)))
      value = i->arg[k];
  if (!fn)
    return 0;
  if (c->value < 0) {
    slot_of(c, add_link(c, c->loops->load[step_of(c->p, value) == 0], FUSE_READS), value);
    c->loaded = true;
  } else if (!tells) {
    leave(c, form == CPU_CHAIN_BOTH ? 2 : 1);
  }
  fuse_link *l = add_link(c, fn, tells ? FUSE_TELLS : i->n == 2 ? FUSE_LOOPS : FUSE_READS);
  for (int32_t k = 1; k < i->n; k++)
    if (i->arg[k] != value)
      slot_of(c, l, i->arg[k]);
  if (tells)
    slot_of(c, l, to);
  if (l->does == FUSE_LOOPS) {
    slot_as(c, l, to, ANY);
    l->loop = i->fn;
    l->params = i->params;
  }
  if (i->op == HED_OP_CLIP)
    set_limits(l, i);
  c->links++;
  if (tells) {
    c->value = value;
    c->taken++;
    return 1;
  }
  c->value = to;
  c->loaded = false;
  c->taken = 0;
  return 1;
}

/* The chain that begins with instruction K; its end. */
static int32_t chain_from(chain *c, int32_t k)
{
  const fuse_instr *first = &c->p->code[k];
  c->type = c->p->value[first->arg[compares(first->op)]].type;
  if (c->type != HED_ID_FLOAT32 && c->type != HED_ID_FLOAT64)
    return k;
  c->loops = &cpu_chains[c->type == HED_ID_FLOAT64];
  c->value = -1;
  c->loaded = false;
  c->taken = c->links = c->n_slots = 0;
  for (int32_t n = 1; n && k < c->p->n_code; k += n)
    n = join(c, &c->p->code[k]);
  return k;
}

/* The chain whose links begin with FIRST prefetches its operands, where these come from main memory. */
static void prefetch_operands(const chain *c, int32_t first)
{
  fuse_program *p = c->p;
  int16_t value[FUSE_SLOTS], slot[FUSE_SLOTS];
  int32_t n = 0;
  for (int32_t k = first; k < p->n_links && c->large; k++)
    for (int32_t i = 0; i < p->link[k].n && fuse_reads(&p->link[k], i); i++) {
      const int16_t v = p->link[k].value[i];
      int32_t known = 0;
      while (known < n && value[known] != v)
        known++;
      if (known < n || p->value[v].location != FUSE_IN || step_of(p, v) == 0)
        continue;
      value[n] = v;
      slot[n++] = p->link[k].slot[i];
    }
  const int32_t links = (n + 1) / 2;
  if (p->n_links + links + 1 > FUSE_LINKS) /* the end has a link too */
    return;
  memmove(p->link + first + links, p->link + first, (size_t)(p->n_links - first) * sizeof *p->link);
  p->n_links += links;
  for (int32_t k = 0; k < links; k++) {
    const int32_t a = 2 * k, b = CPU_MIN(a + 1, n - 1);
    p->link[first + k] = (fuse_link){ .fn = c->loops->ahead, .does = FUSE_READS, .n = 2, .value = { value[a], value[b] },
                                      .slot = { slot[a], slot[b] } };
  }
}

/* Chains of the program's instructions; how many of these are in none. */
static int32_t make(chain *c)
{
  fuse_program *p = c->p;
  int32_t n = p->n_once, single = 0;
  for (int32_t k = p->n_once; k < p->n_code;) {
    const int32_t first = p->n_links, end = chain_from(c, k);
    if (end < k + 2 && (end == k || c->loaded || !added_up(c, c->value))) { /* a single one has a loop */
      p->n_links = first;
      p->code[n++] = p->code[k++];
      single++;
      continue;
    }
    leave(c, 0);
    prefetch_operands(c, first);
    add_link(c, c->loops->end, FUSE_READS);
    p->code[n++] = (fuse_instr){ .op = -1, .arg = { c->value }, .link = (int16_t)first,
                                 .links = (int16_t)(p->n_links - first) };
    k = end;
  }
  p->n_code = n;
  return single;
}

/* As if no chains had been made of the N instructions BEFORE. */
static void undo(fuse_program *p, const fuse_instr *before, int32_t n)
{
  memcpy(p->code, before, (size_t)n * sizeof *before);
  p->n_code = n;
  p->n_links = 0;
  for (int32_t k = 0; k < p->n_values; k++)
    if (p->value[k].location == FUSE_NOWHERE)
      p->value[k].location = FUSE_BUFFER;
  for (int32_t k = 0; k < p->n_folds; k++)
    p->fold[k].chained = false;
}

/* Where something else follows a short chain, memory waits between blocks, for which the chain asks faster than before: that
 * measured slower from the L2 cache on. Few elements do not pay for making one.
 * An index wants a pass that is one chain and writes nothing, and tiles that lanes can number. */
void cpu_fuse_chains(fuse_program *p)
{
  enum { FEW_ELEMENTS = 2048, FEW_ARRAYS = 4 };
  if (p->size < FEW_ELEMENTS)
    return;
  chain c = { .p = p, .large = cpu_stream_large((size_t)p->size * sizeof(float)) };
  CPU_IN_ROOM(fuse_instr, before, FUSE_CODE);
  const int32_t n = p->n_code;
  memcpy(before, p->code, (size_t)n * sizeof *before);
  count_reads(&c);
  c.indices = p->n_folds == 1 && p->call->n_out == 1 && cpu_fuse_is_argextreme(&p->fold[0]) && p->size >> 32 == 0;
  int32_t single = make(&c);
  if (c.indices && p->n_code != p->n_once + 1) {
    undo(p, before, n);
    c.indices = false;
    single = make(&c);
  }
  bool apart = single > 0 || p->n_code > p->n_once + 1;
  for (int32_t k = 0; k < p->n_folds && !(c.large && p->rows && p->inner == 1); k++) /* those have short blocks */
    apart |= !p->fold[k].chained;
  if (apart && n - p->n_once - single < FEW_ARRAYS)
    undo(p, before, n);
}

static bool folds(const fuse_link *l) { return l->does >= FUSE_SUMS; }

/* Lanes of sums. */
static double together(double *s)
{
  for (int32_t n = CPU_CHAIN_SUMS / 2; n > 0; n /= 2)
    for (int32_t i = 0; i < n; i++)
      s[i] += s[n + i];
  return s[0];
}

static const cpu_chain_loops *loops_of(const fuse_program *p, const fuse_instr *c, int64_t *tile)
{
  const int64_t size = hed__id_size(p->value[c->arg[0]].type);
  const cpu_chain_loops *loops = &cpu_chains[size == 8];
  *tile = loops->tile / size;
  return loops;
}

static const cpu_chain_argextreme *place_of(const fuse_program *p, const cpu_chain_loops *loops)
{
  return &loops->argextreme[p->fold[0].op == HED_OP_ARGMIN];
}

/* Sums of a block in the first slot of each; to all that is kept come REST elements in slots, which are tile NUMBER. */
static void total(const fuse_program *p, const fuse_instr *c, int64_t rest, int64_t number, char (*slot)[CPU_CHAIN_TILE],
                  cpu_chain_kept *kept)
{
  const fuse_link *link = p->link + c->link;
  const int type = p->value[c->arg[0]].type;
  const int64_t size = hed__id_size(type);
  for (int32_t k = 0; k < c->links; k++) {
    if (!folds(&link[k]))
      continue;
    cpu_chain_kept *s = &kept[link[k].fold];
    const char *x = slot[link[k].slot[0]];
    if (link[k].does == FUSE_SUMS) {
      together(s->sum);
      if (rest)
        cpu_k->reduce[type].sum(rest, x, s->sum);
    } else if (rest && link[k].does == FUSE_MOMENTS) {
      cpu_moments_add(&cpu_k->reduce[type], size, 1, rest, x, &s->about, s->sum, s->square, &s->count);
    } else if (rest) {
      place_of(p, &cpu_chains[size == 8])->some(s, rest, x, s->first + number);
    }
  }
}

/* Tiles from FIRST on, at most N: how many, as distances bound it (moments.h). */
static int64_t run_stretch(const fuse_program *p, const fuse_instr *c, const cpu_chain_step *step, int64_t first, int64_t n,
                           cpu_chain_kept *kept)
{
  const fuse_link *link = p->link + c->link;
  int64_t tile;
  const cpu_chain_loops *loops = loops_of(p, c, &tile);
  for (int32_t k = 0; k < c->links; k++)
    if (link[k].does == FUSE_MOMENTS) {
      const double count = kept[link[k].fold].count;
      n = CPU_MIN(n, count == 0 ? 1 : CPU_MAX(cpu_moments_stretch(count) / tile, 1));
    }
  loops->run(step, first, n);
  for (int32_t k = 0; k < c->links; k++)
    if (link[k].does == FUSE_MOMENTS) {
      cpu_chain_kept *s = &kept[link[k].fold];
      double sum = together(s->sum), square = together(s->square);
      memset(s->sum, 0, sizeof s->sum);
      memset(s->square, 0, sizeof s->square);
      s->count += (double)(n * tile);
      cpu_moments_move(&s->about, s->about + sum / s->count, &sum, &square, s->count);
      s->sum[0] = sum;
      s->square[0] = square;
    }
  return n;
}

/* STEP are the chain's, but for memory. */
static void set_steps(const fuse_program *p, const fuse_instr *c, cpu_chain_step *step)
{
  const fuse_link *link = p->link + c->link;
  for (int32_t k = 0; k < c->links; k++) {
    step[k].fn = link[k].fn;
    step[k].loop = link[k].loop;
    step[k].params = link[k].params;
    step[k].number[0] = link[k].number[0];
    step[k].number[1] = link[k].number[1];
  }
}

/* REST elements from element DONE of a block on, in slots, with a slot for what is reduced too: a tile of which the last
 * elements mean nothing. */
static void run_rest(const fuse_program *p, const fuse_instr *c, int64_t done, int64_t rest, char *const *ptr,
                     const int64_t *stride, cpu_chain_step *step, char (*slot)[CPU_CHAIN_TILE])
{
  const fuse_link *link = p->link + c->link;
  int64_t tile;
  const cpu_chain_loops *loops = loops_of(p, c, &tile);
  for (int32_t k = 0; k < c->links; k++)
    for (int32_t i = 0; i < link[k].n; i++) {
      const int16_t v = link[k].value[i];
      step[k].memory[i] = ptr[v];
      if (stride[v] == 0)
        continue;
      step[k].memory[i] = slot[link[k].slot[i]];
      if (folds(&link[k]))
        step[k].fn = loops->store;
      else if (fuse_reads(&link[k], i)) {
        memcpy(step[k].memory[i], ptr[v] + done * stride[v], (size_t)(rest * stride[v]));
        memset(step[k].memory[i] + rest * stride[v], 0, (size_t)((tile - rest) * stride[v]));
      }
    }
  loops->run(step, 0, 1);
}

void cpu_fuse_run_chain(const fuse_program *p, const fuse_instr *c, int64_t n, char *const *ptr, const int64_t *stride,
                        cpu_chain_step *step, char (*slot)[CPU_CHAIN_TILE], cpu_chain_kept *kept)
{
  const fuse_link *link = p->link + c->link;
  int64_t tile;
  const cpu_chain_loops *loops = loops_of(p, c, &tile);
  const int64_t whole = n / tile, done = whole * tile, rest = n - done;
  bool moments = false;
  set_steps(p, c, step);
  for (int32_t k = 0; k < c->links; k++) {
    for (int32_t i = 0; i < link[k].n; i++)
      step[k].memory[i] = folds(&link[k]) ? (char *)&kept[link[k].fold] : link[k].does == FUSE_LOOPS ? slot[link[k].slot[i]]
                          : ptr[link[k].value[i]];
    if (link[k].does == FUSE_SUMS)
      memset(kept[link[k].fold].sum, 0, sizeof kept->sum);
    moments |= link[k].does == FUSE_MOMENTS;
  }
  if (!moments)
    loops->run(step, 0, whole);
  for (int64_t i = 0; moments && i < whole;)
    i += run_stretch(p, c, step, i, whole - i, kept);
  if (rest)
    run_rest(p, c, done, rest, ptr, stride, step, slot);
  for (int32_t k = 0; k < c->links && rest; k++)
    for (int32_t i = 0; i < link[k].n; i++)
      if (fuse_writes(&link[k], i)) {
        const int16_t v = link[k].value[i];
        memcpy(ptr[v] + done * stride[v], slot[link[k].slot[i]], (size_t)(rest * stride[v]));
      }
  total(p, c, rest, whole, slot, kept);
}

int64_t cpu_fuse_tiles(const fuse_program *p, const fuse_instr *c)
{
  int64_t tile;
  loops_of(p, c, &tile);
  return (p->block + tile - 1) / tile;
}

int64_t cpu_fuse_best_tile(const fuse_program *p, const fuse_instr *c, const cpu_chain_kept *kept)
{
  int64_t tile;
  return place_of(p, loops_of(p, c, &tile))->tile(kept);
}

const char *cpu_fuse_run_tile(const fuse_program *p, const fuse_instr *c, int64_t number, int64_t *first, int64_t *n,
                              char *const *ptr, const int64_t *stride, cpu_chain_step *step, char (*slot)[CPU_CHAIN_TILE])
{
  const fuse_link *link = p->link + c->link;
  int64_t tile;
  loops_of(p, c, &tile);
  *first += number * tile;
  *n = CPU_MIN(*n - number * tile, tile);
  set_steps(p, c, step);
  run_rest(p, c, number * tile, *n, ptr, stride, step, slot);
  int32_t k = 0;
  while (link[k].does != FUSE_INDICES)
    k++;
  return slot[link[k].slot[0]];
}
