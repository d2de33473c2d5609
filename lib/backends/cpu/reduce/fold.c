// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions by one associative step: sums and means of integers, products, any, all, count_nonzero. L1.
 *
 * Elements are taken as they lie where their type has a loop for it, else widened by blocks (64-bit words, float64,
 * complex128; booleans as bytes). Where a kept axis lies closer together than the reduced ones, several results go
 * side by side. Slices of a few elements are deinterleaved to such rows (deinterleave.h), and rows of a few columns to slices. One
 * large slice, or a few side by side, are cut into pieces for threads, whose size does not depend on how many there are; their
 * partial results are joined in order. any and all end, on all threads, where the answer is known.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/axes.h"
#include "backends/cpu/reduce/deinterleave.h"
#include "backends/cpu/reduce/fold.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/kernels/reduce/bool_columns.h"
#include "base/cast.h"
#include "base/nest.h"
#include "base/shape.h"
#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 256, COLUMNS = 1024, WIDEST = 16, MAX_PIECES = 256, FEW_PIECES = 32, EVEN = 32, DEALT = 1 << 14 /* bytes */ };

typedef union cell { uint64_t word; hed__product product; } cell;

/* N elements into one cell; one element into each of N cells. */
typedef struct folding {
  int start;             /* neutral value of a new cell */
  void (*along)(int64_t n, const void *x, cell *c);
  void (*across)(int64_t n, const void *x, cell *c);
} folding;

#define STEP(name, OP)                                                     \
  static void name##_along(int64_t n, const void *x_, cell *c)             \
  {                                                                        \
    const uint64_t *x = x_;                                                \
    uint64_t word = c->word;                                               \
    for (int64_t i = 0; i < n; i++)                                        \
      word = word OP x[i];                                                 \
    c->word = word;                                                        \
  }                                                                        \
  static void name##_across(int64_t n, const void *x_, cell *c)            \
  {                                                                        \
    const uint64_t *x = x_;                                                \
    for (int64_t i = 0; i < n; i++)                                        \
      c[i].word = c[i].word OP x[i];                                       \
  }
STEP(sum_word, +)
STEP(prod_word, *)

typedef struct pair { double re, im; } pair;

static void prod_real_along(int64_t n, const void *x, cell *c) { cpu_k->reduce[HED_ID_FLOAT64].prod(n, x, &c->product); }
static void prod_pair_along(int64_t n, const void *x, cell *c) { cpu_k->reduce[HED_ID_COMPLEX128].prod(n, x, &c->product); }

static void prod_real_across(int64_t n, const void *x_, cell *c)
{
  const double *x = x_;
  for (int64_t i = 0; i < n; i++)
    hed__product_real(&c[i].product, x[i]);
}

static void prod_pair_across(int64_t n, const void *x_, cell *c)
{
  const pair *x = x_;
  for (int64_t i = 0; i < n; i++)
    hed__product_complex(&c[i].product, x[i].re, x[i].im);
}

/* Booleans are bytes of 0 and 1. */
static void count_along(int64_t n, const void *x, cell *c) { c->word += (uint64_t)cpu_copy_k->count_true(n, x); }

static void count_across(int64_t n, const void *x, cell *c)
{
  const uint8_t *bools = x;
  for (int64_t i = 0; i < n; i++)
    c[i].word += bools[i];
}

enum { KINDS = HED_KIND_COMPLEX + 1 };
#define S(start, name) { start, name##_along, name##_across }
static const folding
  sums[KINDS] = { S(0, sum_word), S(0, sum_word), S(0, sum_word) },
  products[KINDS] = { S(1, prod_word), S(1, prod_word), S(1, prod_word), S(1, prod_real), S(1, prod_pair) },
  bools = S(0, count);

/* What of results side by side is deinterleaved: their slices, or their rows. */
typedef enum deinterleaved { NOTHING, LANES, ROWS } deinterleaved;

typedef enum finish { AS_IT_IS, OF_ALL /* the mean */, COUNT_ANY, COUNT_ALL } finish;

typedef struct job {
  const folding *step;
  finish finish;
  const hed_view *in, *out;
  uint32_t axes;
  int compute, wide, result, size;
  int32_t beside;        /* kept axis whose results go together, -1: none */
  int32_t along;         /* the last kept axis, -1: none */
  int64_t count, groups, pieces;
  hed__cast_fn narrow, widen, deliver;
  hed__nest slice;        /* the reduced axes of the first result, and what it would be to walk them */
  cell *parts;
  bool product;          /* of floats */
  /* Of elements as they lie, NULL: none. */
  void (*ints)(int64_t n, const void *x, uint64_t *word);
  void (*floats)(int64_t n, const void *x, hed__product *p);
  const cpu_bool_loops *bools;
  /* Of rows as they lie, the same. */
  cpu_bool_fn int_columns;
  void (*float_columns)(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e);
  int64_t batch;               /* results that go side by side */
  deinterleaved deinterleaved;
  int type;                     /* of elements as they lie; of products of floats the compute type, by way of narrow */
  atomic_bool *settled;         /* of one slice: any or all is known */
} job;

static cell fresh(const job *j)
{
  return j->product ? (cell){ .product = hed__product_one } : (cell){ .word = (uint64_t)j->step->start };
}

static const char *read_block(const job *j, int64_t n, char *block, const char *from, int64_t step)
{
  char narrow[BLOCK * WIDEST];
  if (!j->narrow && j->compute == j->wide && step == j->size)
    return from;
  if (j->narrow) {
    int bytes = hed__id_size(j->compute);
    j->narrow(n, narrow, bytes, from, step);
    from = narrow;
    step = bytes;
  }
  j->widen(n, block, j->size, from, step);
  return block;
}

/* N elements at FROM, as many of each of K slices or rows, to rows TO_STEP bytes apart. */
static void deal(const job *j, int64_t n, int64_t k, char *to, int64_t to_step, const char *from)
{
  cpu_deinterleave(n, (int32_t)k, to, to_step, hed__id_size(j->type), from, hed__id_size(j->in->dtype), j->product ? j->narrow : NULL);
}

/* N results, BLOCK or fewer, STEP bytes apart. */
static void store(const job *j, int64_t n, char *to, int64_t step, const cell *c)
{
  double v[BLOCK + 1][2]; /* complex128 or, as close together as they are, other values */
  char *made = (char *)v;
  const int64_t size = hed__id_size(j->result);
  for (int64_t k = 0; k < n; k++, made += size)
    if (j->product)
      hed__product_value(&c[k].product, (double *)(void *)made);
    else if (j->finish == AS_IT_IS)
      memcpy(made, &c[k].word, sizeof c[k].word);
    else if (j->finish == OF_ALL)
      *(double *)(void *)made = (double)(int64_t)c[k].word / (double)j->count;
    else
      *made = j->finish == COUNT_ANY ? c[k].word > 0 : c[k].word == (uint64_t)j->count;
  j->deliver(n, to, step, (const char *)v, size);
}

/* The same of COLUMNS or fewer words. */
static void store_words(const job *j, int64_t n, char *to, int64_t step, const uint64_t *word)
{
  uint8_t made[COLUMNS];
  double means[COLUMNS];
  const uint64_t all = (uint64_t)j->count;
  if (j->finish == AS_IT_IS) {
    j->deliver(n, to, step, (const char *)word, sizeof *word);
    return;
  }
  if (j->finish == OF_ALL) {
    for (int64_t k = 0; k < n; k++)
      means[k] = (double)(int64_t)word[k] / (double)all;
    j->deliver(n, to, step, (const char *)means, sizeof *means);
    return;
  }
  if (j->finish == COUNT_ANY)
    for (int64_t k = 0; k < n; k++)
      made[k] = word[k] > 0;
  else
    for (int64_t k = 0; k < n; k++)
      made[k] = word[k] == all;
  j->deliver(n, to, step, (const char *)made, 1);
}

/* N elements as they lie; false: any or all is known. */
static bool fold_bool(const job *j, int64_t n, const char *x, cell *c)
{
  const int64_t size = hed__id_size(j->in->dtype);
  const bool any = j->finish == COUNT_ANY;
  if (j->finish == AS_IT_IS) {
    c->word += (uint64_t)j->bools->count(n, x);
    return true;
  }
  for (int64_t i = 0; i < n; i += CPU_PIECE) {
    const int64_t m = CPU_MIN(n - i, CPU_PIECE);
    if (j->settled && atomic_load_explicit(j->settled, memory_order_relaxed))
      return false;
    const bool holds = (any ? j->bools->any : j->bools->all)(m, x + i * size);
    if (holds)
      c->word += (uint64_t)m;
    if (holds == any) {
      if (j->settled)
        atomic_store_explicit(j->settled, true, memory_order_relaxed);
      return false;
    }
  }
  return true;
}

/* N elements of TYPE, one after the other, for which there is a loop. */
static bool fold_near(const job *j, int64_t n, const char *x, cell *c)
{
  if (j->bools)
    return fold_bool(j, n, x, c);
  if (j->product)
    j->floats(n, x, &c->product);
  else
    j->ints(n, x, &c->word);
  return true;
}

/* N elements STEP bytes apart. False: any or all is known. */
static bool fold_row(const job *j, int64_t n, const char *x, int64_t step, cell *c)
{
  enum { MANY = 4 * BLOCK };
  const bool converted = j->product && j->narrow, loop = j->ints || j->floats || j->bools;
  if (loop && !converted && step == hed__id_size(j->in->dtype))
    return fold_near(j, n, x, c);
  CPU_IN_ROOM(char, block, MANY * WIDEST);
  if (loop && converted)
    for (int64_t i = 0; i < n; i += MANY) {
      const int64_t m = CPU_MIN(n - i, MANY);
      j->narrow(m, block, hed__id_size(j->type), x + i * step, step);
      j->floats(m, block, &c->product);
    }
  else
    for (int64_t i = 0; i < n; i += BLOCK) {
      const int64_t m = CPU_MIN(n - i, BLOCK);
      j->step->along(m, read_block(j, m, block, x + i * step, step), c);
    }
  return true;
}

/* Rows [first, first + n) of the slice that begins OFFSET bytes from that of the first result, into C. */
static void fold_rows(const job *j, int64_t offset, int64_t first, int64_t n, cell *c)
{
  const hed__nest *nest = &j->slice;
  hed__walk walk;
  hed__walk_init(&walk, nest, first, n);
  while (hed__walk_next(&walk) && fold_row(j, nest->dim[nest->ndim - 1], walk.ptr[0] + offset, nest->stride[0][nest->ndim - 1], c))
    ;
}

/* Where result (or row of results) I begins; with results side by side *n of them, else as many as follow along the last kept
 * axis. */
static void locate(const job *j, int64_t i, int64_t *offset, char **to, int64_t *n)
{
  *offset = 0;
  *to = j->out->data;
  *n = 1;
  if (j->beside >= 0) {
    int64_t width = j->in->dim[j->beside], batches = (width + j->batch - 1) / j->batch, first = i % batches * j->batch;
    i /= batches;
    *n = CPU_MIN(width - first, j->batch);
    *offset += first * j->in->stride[j->beside];
    *to += first * j->out->stride[j->beside];
  } else if (j->along >= 0) {
    *n = j->in->dim[j->along] - i % j->in->dim[j->along];
  }
  int64_t index[HED_MAX_NDIM];
  hed__index_beside(j->in->ndim, j->in->dim, j->axes | (j->beside < 0 ? 0 : 1u << j->beside), i, index);
  *offset += hed__offset_at(j->in->ndim, index, j->in->stride);
  *to += hed__offset_at(j->in->ndim, index, j->out->stride);
}

/* What columns come to; of products of floats their parts apart. */
typedef struct totals {
  uint64_t word[COLUMNS];
  double m[2 * COLUMNS], e[COLUMNS];
} totals;

typedef struct column_work {
  totals t;
  _Alignas(64) char rows[DEALT + 128 * CPU_DEINTERLEAVE_MOST];
} column_work;

static void begin_columns(const job *j, int64_t width, int64_t parts, totals *t)
{
  const double one[] = { 1, parts == 1 };
  const uint64_t start[] = { (uint64_t)j->step->start, (uint64_t)j->step->start };
  if (j->product) {
    cpu_copy_k->repeat_pattern(width * parts * (int64_t)sizeof t->m[0], (char *)t->m, one);
    memset(t->e, 0, (size_t)width * sizeof t->e[0]);
  } else {
    cpu_copy_k->repeat_pattern(width * (int64_t)sizeof t->word[0], (char *)t->word, start);
  }
}

/* Exponents go into the parts; most often there are none. */
static void end_products(int64_t width, int64_t parts, totals *t)
{
  if (!cpu_k->boolean[HED_ID_FLOAT64].any(width, t->e))
    return;
  for (int64_t k = 0; k < width; k++)
    for (int64_t i = parts * k; i < parts * (k + 1) && t->e[k] != 0; i++)
      t->m[i] = hed__product_scaled(t->m[i], t->e[k]);
}

static void fold_columns(const job *j, int64_t rows, int64_t width, const char *x, int64_t step, totals *t)
{
  if (j->product)
    j->float_columns(rows, width, x, step, t->m, t->e);
  else
    j->int_columns(rows, width, x, step, t->word);
}

/* WIDTH results side by side, of rows as they lie, or of slices that are deinterleaved to rows. */
static void run_columns(const job *j, int64_t offset, int64_t width, char *to)
{
  const int64_t out_step = j->out->stride[j->beside], last = j->slice.ndim - 1, parts = j->wide == HED_ID_COMPLEX128 ? 2 : 1;
  CPU_IN_ROOM(column_work, w, 1);
  totals *const t = &w->t;
  begin_columns(j, width, parts, t);
  if (j->deinterleaved == LANES) {
    char *const rows = w->rows;
    const int64_t step = cpu_deinterleave_step(width * hed__id_size(j->type));
    deal(j, width, j->count, rows, step, j->slice.data[0] + offset);
    fold_columns(j, j->count, width, rows, step, t);
  } else {
    hed__walk walk;
    hed__walk_init(&walk, &j->slice, 0, hed__nest_rows(&j->slice));
    while (hed__walk_next(&walk))
      fold_columns(j, j->slice.dim[last], width, walk.ptr[0] + offset, j->slice.stride[0][last], t);
  }
  if (!j->product) {
    store_words(j, width, to, out_step, t->word);
    return;
  }
  end_products(width, parts, t);
  j->deliver(width, to, out_step, (const char *)t->m, parts * (int64_t)sizeof t->m[0]);
}

/* N rows of WIDTH columns from X on, deinterleaved to slices. */
static void run_rows(const job *j, int64_t n, int64_t width, const char *x, cell *cells)
{
  CPU_IN_ROOM(char, slices, DEALT + 128 * CPU_DEINTERLEAVE_MOST);
  const int64_t size = hed__id_size(j->type), row = width * hed__id_size(j->in->dtype), most = DEALT / (width * size);
  const int64_t step = cpu_deinterleave_step(most * size);
  bool open = true; /* any or all of a column is not known */
  for (int64_t i = 0; i < n && open; i += most) {
    const int64_t some = CPU_MIN(n - i, most);
    open = false;
    deal(j, some, width, slices, step, x + i * row);
    for (int64_t k = 0; k < width; k++)
      open |= fold_near(j, some, slices + k * step, &cells[k]);
  }
}

/* WIDTH results side by side, of rows that are widened. */
static void run_beside(const job *j, int64_t offset, int64_t width, cell *cells)
{
  _Alignas(64) char block[BLOCK * WIDEST];
  const hed__nest *nest = &j->slice;
  const int64_t rows = nest->dim[nest->ndim - 1], step = nest->stride[0][nest->ndim - 1];
  hed__walk walk;
  hed__walk_init(&walk, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&walk))
    for (int64_t r = 0; r < rows; r++)
      j->step->across(width, read_block(j, width, block, walk.ptr[0] + offset + r * step, j->in->stride[j->beside]), cells);
}

static void run_groups(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const hed__nest *nest = &j->slice;
  const bool together = j->beside >= 0;
  const int32_t axis = together ? j->beside : j->along;
  const int64_t in_step = axis >= 0 ? j->in->stride[axis] : 0, out_step = axis >= 0 ? j->out->stride[axis] : 0;
  cell cells[BLOCK];
  for (int64_t i = begin, n; i < end; i += together ? 1 : n) {
    int64_t offset;
    char *to;
    locate(j, i, &offset, &to, &n);
    if (j->int_columns || j->float_columns) {
      run_columns(j, offset, n, to);
      continue;
    }
    if (!together)
      n = CPU_MIN(CPU_MIN(n, end - i), BLOCK);
    for (int64_t k = 0; k < n; k++)
      cells[k] = fresh(j);
    if (j->deinterleaved == ROWS)
      run_rows(j, j->count, n, nest->data[0] + offset, cells);
    else if (together)
      run_beside(j, offset, n, cells);
    else
      for (int64_t k = 0; k < n; k++, offset += in_step)
        if (nest->ndim == 1)
          fold_row(j, nest->dim[0], nest->data[0] + offset, nest->stride[0][0], &cells[k]);
        else
          fold_rows(j, offset, 0, hed__nest_rows(nest), &cells[k]);
    store(j, n, to, out_step, cells);
  }
}

/* A slice of one row, or of many, in pieces. */
static void run_piece(void *arg, int64_t piece)
{
  const job *j = arg;
  const int64_t rows = hed__nest_rows(&j->slice), last = j->slice.ndim - 1, width = j->slice.dim[last];
  const int64_t cut = rows >= j->pieces ? rows : width, share = (cut + j->pieces - 1) / j->pieces;
  const int64_t per = rows >= j->pieces ? share : cpu_even(share), first = CPU_MIN(cut, per * piece), n = CPU_MIN(cut - first, per);
  j->parts[piece] = fresh(j);
  if (rows >= j->pieces) {
    fold_rows(j, 0, first, n, &j->parts[piece]);
    return;
  }
  const int64_t step = j->slice.stride[0][last];
  hed__walk walk;
  hed__walk_init(&walk, &j->slice, 0, rows);
  while (hed__walk_next(&walk) && fold_row(j, n, walk.ptr[0] + first * step, step, &j->parts[piece]))
    ;
}

/* The same of rows that are deinterleaved. */
static void run_rows_piece(void *arg, int64_t piece)
{
  const job *j = arg;
  const int64_t width = j->batch, share = (j->count + j->pieces - 1) / j->pieces, first = CPU_MIN(j->count, share * piece);
  for (int64_t k = 0; k < width; k++)
    j->parts[piece * width + k] = fresh(j);
  run_rows(j, CPU_MIN(j->count - first, share), width, j->slice.data[0] + first * j->slice.stride[0][0], &j->parts[piece * width]);
}

/* Each of WIDTH cells of the first piece takes in those of the others. */
static void join_pieces(const job *j, int64_t width)
{
  for (int64_t k = width; k < j->pieces * width; k++) {
    cell *total = &j->parts[k % width];
    if (j->product)
      hed__product_join(&total->product, &j->parts[k].product, j->wide == HED_ID_COMPLEX128);
    else
      total->word = j->step->start ? total->word * j->parts[k].word : total->word + j->parts[k].word;
  }
}

static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

static void choose_columns(job *j)
{
  const cpu_reduce_loops *loops = &cpu_k->reduce[j->type];
  if (j->product)
    j->float_columns = loops->col_prod;
  else if (j->bools && j->type != HED_ID_BOOL)
    j->int_columns = cpu_bool_columns[j->type];
  else if (j->ints || j->bools)
    j->int_columns = j->step->start ? loops->col_prod_int : loops->col_sum_int;
}

/* Results side by side whose slices or rows can be deinterleaved: a few elements each, one right after the other. */
static void find_deinterleaved(job *j)
{
  enum { MANY = 32 };
  const int64_t size = hed__id_size(j->in->dtype), step = j->slice.stride[0][0];
  if (j->slice.ndim > 1 || !(j->ints || j->floats || j->bools))
    return;
  for (int32_t k = 0; k < j->in->ndim && j->deinterleaved == NOTHING; k++) {
    const int64_t width = j->in->dim[k], near = j->in->stride[k];
    if (j->axes >> k & 1u || width < 2)
      continue;
    if (step == size && near == j->count * size && width >= MANY && j->count > 1 && j->count <= CPU_DEINTERLEAVE_MOST) {
      choose_columns(j);
      if (!j->int_columns && !j->float_columns)
        return;
      j->deinterleaved = LANES;
      j->batch = CPU_MIN(COLUMNS, DEALT / (j->count * hed__id_size(j->type)) / EVEN * EVEN);
    } else if (near == size && step == width * size && width <= CPU_DEINTERLEAVE_MOST && j->count >= MANY) {
      j->deinterleaved = ROWS;
      j->batch = width;
    }
    if (j->deinterleaved != NOTHING)
      j->beside = k;
  }
}

/* Counts J's elements and results, and finds the axes along which results lie; the slice of the first. */
static void look_at_axes(job *j)
{
  hed_view slice = *j->in;
  int64_t nearest = INT64_MAX;
  for (int32_t k = 0; k < slice.ndim; k++)
    if (j->axes >> k & 1u) {
      j->count *= slice.dim[k];
      if (slice.dim[k] > 1)
        nearest = CPU_MIN(nearest, distance(slice.stride[k]));
    } else {
      j->groups *= slice.dim[k];
      j->along = k;
      slice.dim[k] = 1;
    }
  for (int32_t k = 0; k < j->in->ndim; k++)
    if (!(j->axes >> k & 1u) && j->in->dim[k] >= 8 && nearest != INT64_MAX && distance(j->in->stride[k]) < nearest) {
      nearest = distance(j->in->stride[k]);
      j->beside = k;
    }
  hed__nest_init(&j->slice, 1, (const hed_view *const[]){ &slice }, HED__NEST_REORDER);
}

static int32_t fold(const hed_call *call, const folding *s, finish f, int compute, int wide, int result)
{
  const hed_reduce_params *p = call->params;
  job j = { .step = s, .finish = f, .in = call->in[0], .out = call->out[0], .axes = p->axes, .compute = compute,
            .wide = wide, .result = result, .size = hed__id_size(wide), .beside = -1, .along = -1, .count = 1, .groups = 1 };
  j.narrow = j.in->dtype == compute ? NULL : hed__cast(j.in->dtype, compute);
  j.widen = hed__cast(compute, wide);
  j.deliver = hed__cast(result, j.out->dtype);
  j.product = wide == HED_ID_FLOAT64 || wide == HED_ID_COMPLEX128;
  j.type = j.product ? compute : j.in->dtype;
  const cpu_reduce_loops *loops = &cpu_k->reduce[j.type];
  if (s == &bools)
    j.bools = &cpu_k->boolean[j.in->dtype];
  else if (j.product)
    j.floats = loops->prod;
  else if (hed__id_size(compute) == 8) /* a conversion to 64 bits changes nothing */
    j.ints = s->start ? loops->prod_int : loops->sum_int;
  look_at_axes(&j);
  if (j.groups == 0)
    return HED_OK;
  const double each = j.bools ? 0.15 * hed__id_size(j.in->dtype) : j.ints ? 0.5 : j.floats ? 1.2 : 2;
  const double work = (double)j.count * (double)j.groups * each;
  if (j.groups == 1 && j.count >= (j.bools ? 4 : 2) * CPU_PIECE) { /* bools values are read faster */
    cell parts[MAX_PIECES];
    j.parts = parts;
    const int64_t piece = cpu_piece(j.count, j.bools ? FEW_PIECES : MAX_PIECES);
    j.pieces = (j.count + piece - 1) / piece;
    atomic_bool settled = false;
    j.settled = &settled;
    if (f != AS_IT_IS) { /* where the beginning decides nobody else is asked */
      job look = j;
      look.pieces = j.count / CPU_PIECE;
      run_piece(&look, 0);
    }
    if (settled)
      j.pieces = 1;
    else
      cpu_parallel_items(call, j.pieces, work, run_piece, &j);
    join_pieces(&j, 1);
    store(&j, 1, j.out->data, 0, parts);
    return HED_OK;
  }
  j.batch = BLOCK;
  if (j.beside < 0)
    find_deinterleaved(&j);
  else if (j.in->stride[j.beside] == hed__id_size(j.in->dtype) && !(j.product && j.narrow)) {
    choose_columns(&j);
    const int64_t width = j.in->dim[j.beside], shares = j.groups / width < call->max_threads ? call->max_threads : 1;
    if (j.int_columns || j.float_columns) /* no result depends on which others are in its batch */
      j.batch = CPU_MIN(COLUMNS, (width / shares + EVEN) / EVEN * EVEN);
  }
  if (j.beside >= 0)
    j.groups = j.groups / j.in->dim[j.beside] * ((j.in->dim[j.beside] + j.batch - 1) / j.batch);
  if (j.deinterleaved == ROWS && j.groups == 1 && j.count * j.batch >= 2 * CPU_PIECE) {
    cell parts[MAX_PIECES];
    j.parts = parts;
    const int64_t piece = cpu_piece(j.count * j.batch, MAX_PIECES / j.batch);
    j.pieces = (j.count * j.batch + piece - 1) / piece;
    cpu_parallel_items(call, j.pieces, work, run_rows_piece, &j);
    join_pieces(&j, j.batch);
    store(&j, j.batch, j.out->data, j.out->stride[j.beside], parts);
    return HED_OK;
  }
  cpu_parallel_for(call, j.groups, 1, work, run_groups, &j);
  return HED_OK;
}

static int32_t by_kind(const hed_call *call, const folding *steps)
{
  static const int32_t wide[KINDS] = { HED_ID_UINT64, HED_ID_UINT64, HED_ID_INT64, HED_ID_FLOAT64, HED_ID_COMPLEX128 };
  hed_kind kind = hed__id_kind(call->compute);
  return fold(call, &steps[kind], AS_IT_IS, call->compute, wide[kind], wide[kind]);
}

int32_t cpu_sum_int(const hed_call *call)
{
  return by_kind(call, sums);
}

bool cpu_mean_is_int(const hed_call *call)
{
  const hed_reduce_params *p = call->params;
  const hed_view *in = call->in[0];
  const int64_t size = hed__id_size(in->dtype);
  int64_t count = 1;
  for (int32_t k = 0; k < in->ndim; k++)
    count *= p->axes >> k & 1u ? in->dim[k] : 1;
  return hed__id_kind(in->dtype) < HED_KIND_FLOAT && count > 0 && count <= INT32_MAX
         && ((call->compute == HED_ID_FLOAT64 && size <= 4) || (call->compute == HED_ID_FLOAT32 && size <= 2));
}

int32_t cpu_mean_int(const hed_call *call)
{
  return fold(call, &sums[HED_KIND_INT], OF_ALL, HED_ID_INT64, HED_ID_INT64, HED_ID_FLOAT64);
}

int32_t cpu_prod(void *state, const hed_call *call)
{
  (void)state;
  return by_kind(call, products);
}

/* Elements are compared with 0 as they are. */
#define BOOL_ROW(name, finish, result)                                                          \
  int32_t cpu_##name(void *state, const hed_call *call)                                         \
  {                                                                                             \
    (void)state;                                                                                \
    return fold(call, &bools, finish, call->in[0]->dtype, HED_ID_BOOL, result);                 \
  }
BOOL_ROW(any, COUNT_ANY, HED_ID_BOOL)
BOOL_ROW(all, COUNT_ALL, HED_ID_BOOL)
BOOL_ROW(count_nonzero, AS_IT_IS, HED_ID_INT64)
