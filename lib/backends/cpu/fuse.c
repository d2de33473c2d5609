// SPDX-License-Identifier: BSD-3-Clause
/*
 * Several operations in one pass over memory. L1. See fuse.h.
 *
 * Blocks are the same whatever the number of threads, and so are the groups of blocks whose elements a reduction adds up
 * before the groups' sums are added in order.
 */
#include "backends/cpu/fuse.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/shape.h"
#include <string.h>

enum { GROUPS = 512 };

typedef union cell {
  double sum[2];
  uint64_t word;
  char extreme[16];
} cell;

typedef struct job {
  const fuse_program *p;
  int64_t per_group, groups;
  cell *cells;          /* of each group: one per reduction */
} job;

/* What one thread works with. */
typedef struct bench {
  char *ptr[FUSE_VALUES];
  int64_t stride[FUSE_VALUES];
  _Alignas(16) char single[FUSE_VALUES][16]; /* repeated values that are made here */
  _Alignas(64) char buffer[FUSE_BYTES];
} bench;

/* ---- operands ---- */

/* Elements [first, first + n) in C order of operand K, into TO. */
static void gather(const fuse_program *p, int32_t k, int64_t first, int64_t n, char *to)
{
  const hed_view *v = p->call->in[k];
  const int32_t last = p->ndim - 1;
  const int64_t size = hed__id_size(v->dtype), width = p->dim[last], step = p->stride[k][last];
  const hed__cast_fn copy = hed__cast(v->dtype, v->dtype);
  int64_t index[HED_MAX_NDIM], column = first % width, rest = first / width;
  const char *row = v->data;
  for (int32_t i = last - 1; i >= 0; i--) {
    index[i] = rest % p->dim[i];
    rest /= p->dim[i];
    row += index[i] * p->stride[k][i];
  }
  while (n > 0) {
    const int64_t m = CPU_MIN(width - column, n);
    copy(m, to, size, row + column * step, step);
    to += m * size;
    n -= m;
    column = 0;
    for (int32_t i = last - 1; i >= 0; i--) {
      row += p->stride[k][i];
      if (++index[i] < p->dim[i])
        break;
      row -= p->stride[k][i] * p->dim[i];
      index[i] = 0;
    }
  }
}

static void set_up(const fuse_program *p, bench *b)
{
  const int32_t last = p->ndim - 1;
  char *at[FUSE_VALUES], *next = b->buffer;
  for (int32_t k = 0; k < p->n_buffers; k++) {
    at[k] = next;
    next += p->block * p->width[k];
  }
  for (int32_t k = 0; k < p->n_values; k++) {
    const fuse_value *v = &p->value[k];
    b->stride[k] = v->repeated ? 0 : hed__id_size(v->type);
    if (v->place == FUSE_BUFFER) {
      b->ptr[k] = v->repeated ? b->single[k] : at[v->index];
    } else if (v->place == FUSE_IN) {
      b->ptr[k] = p->call->in[v->index]->data;
      if (p->rows && !v->repeated)
        b->stride[k] = p->stride[v->index][last];
    } else {
      b->ptr[k] = p->call->out[v->index]->data;
    }
  }
}

static void execute(const fuse_program *p, bench *b, int32_t from, int32_t to, int64_t first, int64_t n)
{
  for (int32_t k = from; k < to; k++) {
    const fuse_instr *c = &p->code[k];
    if (!c->fn) {
      gather(p, p->value[c->arg[1]].index, first, n, b->ptr[c->arg[0]]);
      continue;
    }
    char *ptr[4];
    int64_t stride[4];
    for (int32_t i = 0; i < c->n; i++) {
      ptr[i] = b->ptr[c->arg[i]];
      stride[i] = b->stride[c->arg[i]];
    }
    c->fn(n, ptr, stride, c->params);
  }
}

/* The block's pieces of operands and results; its first element and length. */
static void place_block(const fuse_program *p, bench *b, int64_t number, int64_t *first, int64_t *n)
{
  const hed_fused_call *c = p->call;
  const int32_t last = p->ndim - 1;
  int64_t index[HED_MAX_NDIM], column = number * p->block;
  if (p->rows) {
    const int64_t width = p->dim[last];
    int64_t row = number / p->per_row;
    column = number % p->per_row * p->block;
    *n = CPU_MIN(p->block, width - column);
    *first = row * width + column;
    for (int32_t i = last - 1; i >= 0; i--) {
      index[i] = row % p->dim[i];
      row /= p->dim[i];
    }
  } else {
    *first = column;
    *n = CPU_MIN(p->block, p->size - column);
  }
  for (int32_t k = 0; k < p->n_values; k++) {
    const fuse_value *v = &p->value[k];
    if (v->place == FUSE_BUFFER || v->repeated)
      continue;
    if (v->place == FUSE_OUT) {
      b->ptr[k] = (char *)c->out[v->index]->data + *first * b->stride[k];
      continue;
    }
    char *at = c->in[v->index]->data;
    if (p->rows) {
      at += column * b->stride[k];
      for (int32_t i = 0; i < last; i++)
        at += index[i] * p->stride[v->index][i];
    } else {
      at += *first * b->stride[k];
    }
    b->ptr[k] = at;
  }
}

/* ---- reductions ---- */

static bool extreme(int op) { return op == HED_OP_MAX || op == HED_OP_MIN; }

static void begin_cell(const fuse_fold *f, cell *c)
{
  memset(c, 0, sizeof *c);
  if (f->op != HED_OP_PROD)
    return;
  if (hed__id_kind(f->type) < HED_KIND_FLOAT)
    c->word = 1;
  else
    c->sum[0] = 1;
}

/* N elements of an integer type, widened to words. */
static void fold_words(const fuse_fold *f, int64_t n, const char *x, cell *c)
{
  uint64_t word[256];
  const int64_t size = hed__id_size(f->type);
  const hed__cast_fn widen = hed__cast(f->type, hed__id_kind(f->type) == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64);
  for (int64_t done = 0; done < n; done += 256) {
    const int64_t m = CPU_MIN(n - done, 256);
    widen(m, (char *)word, 8, x + done * size, size);
    if (f->op == HED_OP_PROD)
      for (int64_t i = 0; i < m; i++)
        c->word *= word[i];
    else
      for (int64_t i = 0; i < m; i++)
        c->word += word[i];
  }
}

static void fold_product(const fuse_fold *f, int64_t n, const char *x, cell *c)
{
  double z[256][2];
  const int64_t size = hed__id_size(f->type);
  const bool real = hed__id_kind(f->type) == HED_KIND_FLOAT;
  const hed__cast_fn widen = hed__cast(f->type, real ? HED_ID_FLOAT64 : HED_ID_COMPLEX128);
  for (int64_t done = 0; done < n; done += 256) {
    const int64_t m = CPU_MIN(n - done, 256);
    widen(m, (char *)z, 16, x + done * size, size);
    for (int64_t i = 0; i < m && real; i++)
      c->sum[0] *= z[i][0];
    for (int64_t i = 0; i < m && !real; i++) {
      const double re = c->sum[0] * z[i][0] - c->sum[1] * z[i][1];
      c->sum[1] = c->sum[0] * z[i][1] + c->sum[1] * z[i][0];
      c->sum[0] = re;
    }
  }
}

static void fold_block(const fuse_fold *f, int64_t n, const char *x, bool first, cell *c)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  if (extreme(f->op)) {
    if (first)
      memcpy(c->extreme, x, (size_t)hed__id_size(f->type));
    (f->op == HED_OP_MAX ? loops->max : loops->min)(n, x, c->extreme);
  } else if (f->type == HED_ID_BOOL && f->op != HED_OP_PROD) {
    uint64_t count = 0;
    for (int64_t i = 0; i < n; i++)
      count += x[i] != 0;
    c->word += count;
  } else if (hed__id_kind(f->type) < HED_KIND_FLOAT) {
    fold_words(f, n, x, c);
  } else if (f->op == HED_OP_PROD) {
    fold_product(f, n, x, c);
  } else {
    loops->sum(n, x, c->sum);
  }
}

static void merge(const fuse_fold *f, cell *into, const cell *from)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[f->type];
  const bool whole = hed__id_kind(f->type) < HED_KIND_FLOAT;
  if (extreme(f->op)) {
    (f->op == HED_OP_MAX ? loops->max : loops->min)(1, from->extreme, into->extreme);
  } else if (f->op == HED_OP_PROD && whole) {
    into->word *= from->word;
  } else if (f->op == HED_OP_PROD) {
    const double re = into->sum[0] * from->sum[0] - into->sum[1] * from->sum[1];
    into->sum[1] = hed__id_kind(f->type) == HED_KIND_FLOAT ? 0 : into->sum[0] * from->sum[1] + into->sum[1] * from->sum[0];
    into->sum[0] = hed__id_kind(f->type) == HED_KIND_FLOAT ? into->sum[0] * from->sum[0] : re;
  } else if (whole) {
    into->word += from->word;
  } else {
    into->sum[0] += from->sum[0];
    into->sum[1] += from->sum[1];
  }
}

static void store(const fuse_program *p, const fuse_fold *f, cell *c)
{
  const hed_view *out = p->call->out[f->out];
  const int kind = hed__id_kind(f->type);
  int from = kind == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : kind == HED_KIND_FLOAT ? HED_ID_FLOAT64
             : kind == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64;
  if (extreme(f->op))
    from = f->type;
  if (f->op == HED_OP_ALL)
    c->word = c->word == (uint64_t)p->size;
  if (f->op == HED_OP_MEAN) {
    c->sum[0] /= (double)p->size;
    c->sum[1] /= (double)p->size;
  }
  hed__cast(from, out->dtype)(1, out->data, 0, (const char *)c, 0);
}

/* ---- the pass ---- */

static void run_groups(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const fuse_program *p = j->p;
  bench b;
  set_up(p, &b);
  execute(p, &b, 0, p->n_once, 0, 1);
  for (int64_t g = begin; g < end; g++) {
    cell *cells = j->cells + g * p->n_folds;
    for (int32_t k = 0; k < p->n_folds; k++)
      begin_cell(&p->fold[k], &cells[k]);
    const int64_t last = CPU_MIN((g + 1) * j->per_group, p->blocks);
    for (int64_t i = g * j->per_group; i < last; i++) {
      int64_t first, n;
      place_block(p, &b, i, &first, &n);
      execute(p, &b, p->n_once, p->n_code, first, n);
      for (int32_t k = 0; k < p->n_folds; k++)
        fold_block(&p->fold[k], n, b.ptr[p->fold[k].value], i == g * j->per_group, &cells[k]);
    }
  }
}

int32_t cpu_fuse(void *state, const hed_fused_call *call)
{
  (void)state;
  fuse_program p;
  if (!cpu_fuse_program(&p, call))
    return cpu_host->fail(HED_E_UNSUPPORTED, "fused operations: too many, or one without a loop");
  if (p.size == 0)
    return HED_OK;
  job j = { .p = &p, .per_group = 1, .groups = p.blocks };
  cell few[8];
  j.cells = few;
  if (p.n_folds) {
    j.per_group = (p.blocks + GROUPS - 1) / GROUPS;
    j.groups = (p.blocks + j.per_group - 1) / j.per_group;
    if (j.groups * p.n_folds > 8 && !(j.cells = cpu_scratch_get((size_t)(j.groups * p.n_folds) * sizeof *j.cells)))
      return cpu_host->fail(HED_E_NOMEM, "fused operations: no memory for partial results");
  }
  const hed_call limits = { .struct_size = sizeof limits, .max_threads = call->max_threads };
  cpu_parallel_for(&limits, j.groups, 1, (double)p.size * p.cost, run_groups, &j);
  for (int32_t k = 0; k < p.n_folds; k++) {
    for (int64_t g = 1; g < j.groups; g++)
      merge(&p.fold[k], &j.cells[k], &j.cells[g * p.n_folds + k]);
    store(&p, &p.fold[k], &j.cells[k]);
  }
  if (j.cells != few)
    cpu_scratch_put(j.cells);
  return HED_OK;
}
