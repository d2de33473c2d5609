// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions: sum (integers: fold.c), mean, var, std, max, min, argmax, argmin. L1.
 *
 * Kept axes and reduced axes are walked apart. Where a kept axis is contiguous and the reduced ones
 * are not, whole rows are accumulated column by column (no strided pass); else every result gathers
 * its own elements, which are contiguous or copied by blocks. A reduction to few results is cut into
 * pieces of fixed size whose partial results are added in order, so that the value does not depend on
 * how many threads there were. Sums accumulate in double.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/map.h"
#include "backends/cpu/parallel.h"
#include "base/cast.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

typedef enum kind { SUM, MEAN, VAR, STD, MAX, MIN, ARGMAX, ARGMIN } kind;

enum { CHUNK = 1024, COLS = 512, GROUP = 64, PIECE = 65536, MAX_PIECES = 1024 };

typedef union cell {
  double sum[2];
  char extreme[16];
} cell;

typedef struct job {
  kind kind;
  const hed_call *call;
  const cpu_reduce_loops *loops;
  const hed_view *in, *out;
  int type, parts;       /* compute type; components: 2 for complex */
  int64_t size, count;   /* bytes of one; elements per result */
  hed__cast_fn cast;     /* NULL when the operand has the compute type */
  double divisor;
  hed_view kept_in, kept_out, reduced; /* data of reduced is an offset base: set per result */
  bool columns;          /* accumulate rows */
  int64_t pieces, per_piece;
} job;

/* ---- one result from many elements ---- */

/* Calls for blocks of contiguous elements of the compute type of the flat range [first, first + n) of
 * the reduced axes in C order. */
typedef void (*block_fn)(void *arg, int64_t n, const void *x, int64_t first);

static void each_block(const job *j, char *base, int64_t first, int64_t n, block_fn fn, void *arg)
{
  const hed_view *r = &j->reduced;
  int32_t last = r->ndim - 1;
  int64_t width = r->dim[last], step = r->stride[last], index[HED_MAX_NDIM], rest = first;
  char *row = base;
  for (int32_t k = last; k >= 0; k--) {
    index[k] = rest % r->dim[k];
    rest /= r->dim[k];
    if (k < last)
      row += index[k] * r->stride[k];
  }
  _Alignas(64) char block[CHUNK * 16];
  int64_t fill = 0, start = first;
  while (n > 0) {
    int64_t run = CPU_MIN(width - index[last], n);
    char *p = row + index[last] * step;
    if (!j->cast && step == j->size && (fill == 0 || run >= CHUNK)) {
      if (fill) {
        fn(arg, fill, block, start);
        start += fill;
        fill = 0;
      }
      if (run >= 64 || run == n) {
        fn(arg, run, p, start);
        start += run;
        n -= run;
        goto next;
      }
    }
    for (int64_t done = 0; done < run;) { /* short, strided or foreign rows: gather */
      int64_t m = CPU_MIN(run - done, CHUNK - fill);
      char *to = block + fill * j->size;
      if (j->cast)
        j->cast(m, to, j->size, p + done * step, step);
      else if (j->size == 4)
        for (int64_t i = 0; i < m; i++)
          memcpy(to + 4 * i, p + (done + i) * step, 4);
      else
        for (int64_t i = 0; i < m; i++)
          memcpy(to + j->size * i, p + (done + i) * step, (size_t)j->size);
      fill += m;
      done += m;
      if (fill == CHUNK) {
        fn(arg, fill, block, start);
        start += fill;
        fill = 0;
      }
    }
    n -= run;
  next:
    index[last] = 0;
    for (int32_t k = last - 1; k >= 0; k--) {
      row += r->stride[k];
      if (++index[k] < r->dim[k])
        break;
      row -= r->stride[k] * r->dim[k];
      index[k] = 0;
    }
  }
  if (fill)
    fn(arg, fill, block, start);
}

typedef struct gather {
  const job *j;
  cell *acc;
  const double *mean;
  int64_t found;
} gather;

static void add_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  (void)first;
  g->j->loops->sum(n, x, g->acc->sum);
}

static void add_sq_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  (void)first;
  g->j->loops->sum_sq(n, x, g->mean, g->acc->sum);
}

static void extreme_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  bool is_max = g->j->kind == MAX || g->j->kind == ARGMAX;
  if (g->found < 0) { /* the first block starts from its first element */
    memcpy(g->acc->extreme, x, (size_t)g->j->size);
    g->found = first;
  }
  (is_max ? g->j->loops->max : g->j->loops->min)(n, x, g->acc->extreme);
}

static void find_block(void *arg, int64_t n, const void *x, int64_t first)
{
  gather *g = arg;
  if (g->found >= 0)
    return;
  int64_t at = g->j->loops->find(n, x, g->acc->extreme);
  if (at >= 0)
    g->found = first + at;
}

/* Accumulates the range [first, first + n) into *acc. */
static void gather_range(const job *j, char *base, int64_t first, int64_t n, const double *mean,
                         cell *acc)
{
  gather g = { j, acc, mean, -1 };
  memset(acc, 0, sizeof *acc);
  each_block(j, base, first, n, j->kind >= MAX ? extreme_block : mean ? add_sq_block : add_block, &g);
}

static void merge(const job *j, cell *into, const cell *from)
{
  if (j->kind == MAX || j->kind == ARGMAX)
    j->loops->max(1, from->extreme, into->extreme);
  else if (j->kind >= MAX)
    j->loops->min(1, from->extreme, into->extreme);
  else
    for (int k = 0; k < j->parts; k++)
      into->sum[k] += from->sum[k];
}

static void store_double(const job *j, char *to, const double *v, int parts)
{
  int from = parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64;
  hed__cast(from, j->out->dtype)(1, to, 16, (const char *)v, 16);
}

/* ACC holds everything (for VAR and STD the squares). */
static void finish(const job *j, char *to, const cell *acc)
{
  double v[2] = { 0, 0 };
  if (j->kind >= MAX) {
    hed__cast(j->type, j->out->dtype)(1, to, 16, acc->extreme, 16);
    return;
  }
  for (int k = 0; k < j->parts; k++)
    v[k] = j->kind == SUM ? acc->sum[k] : acc->sum[k] / j->divisor;
  if (j->kind == STD)
    v[0] = sqrt(v[0]);
  store_double(j, to, v, j->kind == VAR || j->kind == STD ? 1 : j->parts);
}

static void mean_of(const job *j, const cell *acc, double *mean)
{
  for (int k = 0; k < 2; k++)
    mean[k] = acc->sum[k] / (double)j->count;
}

/* ---- few results: pieces ---- */

typedef struct pieces_job {
  const job *j;
  char *base;
  const double *mean;
  cell part[MAX_PIECES];
} pieces_job;

static void run_piece(void *arg, int64_t i)
{
  pieces_job *p = arg;
  int64_t first = i * p->j->per_piece;
  gather_range(p->j, p->base, first, CPU_MIN(p->j->per_piece, p->j->count - first), p->mean, &p->part[i]);
}

static void all_pieces(pieces_job *p, cell *acc)
{
  const job *j = p->j;
  cpu_parallel_items(j->call, j->pieces, 0.5 * (double)j->count, run_piece, p);
  *acc = p->part[0];
  for (int64_t i = 1; i < j->pieces; i++)
    merge(j, acc, &p->part[i]);
}

static int64_t find_in(const job *j, char *base, cell *acc)
{
  gather g = { j, acc, NULL, -1 };
  int64_t step = CPU_MAX(j->per_piece, CHUNK);
  for (int64_t first = 0; first < j->count && g.found < 0; first += step)
    each_block(j, base, first, CPU_MIN(step, j->count - first), find_block, &g);
  return g.found;
}

static void store_index(const job *j, char *to, int64_t i)
{
  hed__cast(HED_ID_INT64, j->out->dtype)(1, to, 8, (const char *)&i, 8);
}

static void one_result(const job *j, char *base, char *to)
{
  cell acc;
  double mean[2] = { 0, 0 };
  gather_range(j, base, 0, j->count, NULL, &acc);
  if (j->kind == VAR || j->kind == STD) {
    mean_of(j, &acc, mean);
    gather_range(j, base, 0, j->count, mean, &acc);
  }
  if (j->kind == ARGMAX || j->kind == ARGMIN)
    store_index(j, to, find_in(j, base, &acc));
  else
    finish(j, to, &acc);
}

static int32_t large_result(const job *j, char *base, char *to)
{
  pieces_job *p = cpu_scratch_get(sizeof *p);
  cell acc;
  double mean[2] = { 0, 0 };
  if (!p)
    return cpu_host->fail(HED_E_NOMEM, "reduction: no memory for partial results");
  p->j = j;
  p->base = base;
  p->mean = NULL;
  all_pieces(p, &acc);
  if (j->kind == VAR || j->kind == STD) {
    mean_of(j, &acc, mean);
    p->mean = mean;
    all_pieces(p, &acc);
  }
  if (j->kind == ARGMAX || j->kind == ARGMIN)
    store_index(j, to, find_in(j, base, &acc));
  else
    finish(j, to, &acc);
  cpu_scratch_put(p);
  return HED_OK;
}

/* ---- rows of results ---- */

/* Address of result I of the kept axes in C order; both views have the same extents. */
static void locate(const job *j, int64_t i, char **in, char **out)
{
  *in = j->kept_in.data;
  *out = j->kept_out.data;
  for (int32_t k = j->kept_in.ndim - 1; k >= 0; k--) {
    int64_t at = i % j->kept_in.dim[k];
    i /= j->kept_in.dim[k];
    *in += at * j->kept_in.stride[k];
    *out += at * j->kept_out.stride[k];
  }
}

static void run_results(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    char *in, *out;
    locate(j, i, &in, &out);
    one_result(j, in, out);
  }
}

typedef struct column_state {
  const job *j;
  double acc[2 * COLS], part[2 * COLS], mean[2 * COLS];
  char extreme[COLS * 8];
} column_state;

/* Rows are added up in groups, groups in the total: errors grow with the square root of what a plain
 * sum would have. */
static void fold(column_state *s, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    s->acc[i] += s->part[i];
    s->part[i] = 0;
  }
}

static void each_row(const job *j, char *base, int64_t n, column_state *s, bool squares)
{
  const hed_view *r = &j->reduced;
  int64_t index[HED_MAX_NDIM] = { 0 };
  bool first = true;
  memset(s->acc, 0, sizeof s->acc);
  memset(s->part, 0, sizeof s->part);
  for (int64_t left = j->count; left > 0; left--) {
    if (j->kind == MAX || j->kind == MIN) {
      if (first)
        memcpy(s->extreme, base, (size_t)(n * j->size));
      else
        (j->kind == MAX ? j->loops->col_max : j->loops->col_min)(n, base, s->extreme);
      first = false;
    } else if (squares) {
      j->loops->col_sum_sq(n, base, s->mean, s->part);
    } else {
      j->loops->col_sum(n, base, s->part);
    }
    if (left % GROUP == 1)
      fold(s, n * j->parts);
    for (int32_t k = r->ndim - 1; k >= 0; k--) {
      base += r->stride[k];
      if (++index[k] < r->dim[k])
        break;
      base -= r->stride[k] * r->dim[k];
      index[k] = 0;
    }
  }
}

/* Item I: columns of one row of results. */
static void run_columns(void *arg, int64_t item)
{
  const job *j = arg;
  int32_t last = j->kept_in.ndim - 1;
  int64_t width = j->kept_in.dim[last], blocks = (width + COLS - 1) / COLS;
  int64_t row = item / blocks, first = item % blocks * COLS, n = CPU_MIN(width - first, COLS);
  char *in, *out;
  locate(j, row * width + first, &in, &out);
  column_state s;
  each_row(j, in, n, &s, false);
  if (j->kind == VAR || j->kind == STD) {
    for (int64_t i = 0; i < n * j->parts; i++)
      s.mean[i] = s.acc[i] / (double)j->count;
    each_row(j, in, n, &s, true);
  }
  int64_t step = j->kept_out.stride[last];
  if (j->kind == MAX || j->kind == MIN) {
    hed__cast(j->type, j->out->dtype)(n, out, step, s.extreme, j->size);
    return;
  }
  int parts = j->kind == VAR || j->kind == STD ? 1 : j->parts;
  for (int64_t i = 0; i < n * parts; i++) {
    if (j->kind != SUM)
      s.acc[i] /= j->divisor;
    if (j->kind == STD)
      s.acc[i] = sqrt(s.acc[i]);
  }
  hed__cast(parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64, j->out->dtype)(n, out, step, (char *)s.acc,
                                                                            8 * parts);
}

/* ---- the call ---- */

/* Drops axes of extent 1 and merges neighbours, keeping the order; B may be NULL. */
static void simplify(hed_view *a, hed_view *b)
{
  int32_t n = 0;
  for (int32_t k = 0; k < a->ndim; k++) {
    if (a->dim[k] == 1)
      continue;
    if (n && a->stride[n - 1] == a->stride[k] * a->dim[k]
        && (!b || b->stride[n - 1] == b->stride[k] * a->dim[k])) {
      a->dim[n - 1] *= a->dim[k];
      a->stride[n - 1] = a->stride[k];
      if (b)
        b->stride[n - 1] = b->stride[k];
      continue;
    }
    a->dim[n] = a->dim[k];
    a->stride[n] = a->stride[k];
    if (b)
      b->stride[n] = b->stride[k];
    n++;
  }
  if (n == 0) {
    a->dim[0] = 1;
    a->stride[0] = hed__id_size(a->dtype);
    if (b)
      b->stride[0] = hed__id_size(b->dtype);
    n = 1;
  }
  a->ndim = n;
  if (b) {
    b->ndim = n;
    memcpy(b->dim, a->dim, sizeof b->dim);
  }
}

static int32_t reduce(const hed_call *call, kind what)
{
  const hed_reduce_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  job j = { .kind = what, .call = call, .in = in, .out = out, .type = call->compute };
  /* An index is looked for in the operand's own type; COMPUTE may be the index's. */
  j.loops = &cpu_k->reduce[j.type];
  j.size = hed__id_size(j.type);
  j.parts = hed__id_kind(j.type) == HED_KIND_COMPLEX ? 2 : 1;
  j.cast = in->dtype == j.type ? NULL : hed__cast(in->dtype, j.type);
  j.count = 1;
  int64_t results = 1;
  j.reduced = (hed_view){ .dtype = in->dtype };
  j.kept_in = (hed_view){ .data = in->data, .dtype = in->dtype };
  j.kept_out = (hed_view){ .data = out->data, .dtype = out->dtype };
  for (int32_t k = 0; k < in->ndim; k++)
    if (p->axes >> k & 1) {
      j.reduced.dim[j.reduced.ndim] = in->dim[k];
      j.reduced.stride[j.reduced.ndim++] = in->stride[k];
      j.count *= in->dim[k];
    } else {
      j.kept_in.dim[j.kept_in.ndim] = in->dim[k];
      j.kept_in.stride[j.kept_in.ndim++] = in->stride[k];
      j.kept_out.stride[j.kept_out.ndim++] = out->stride[k];
      results *= in->dim[k];
    }
  if (results == 0)
    return HED_OK;
  j.divisor = what == VAR || what == STD ? (double)j.count - p->ddof : (double)j.count;
  if (j.divisor < 0)
    j.divisor = 0;
  simplify(&j.reduced, NULL);
  simplify(&j.kept_in, &j.kept_out);
  double work = 0.5 * (double)j.count * (double)results;
  if (j.count == 0) { /* sum 0; mean and var 0 / 0 */
    j.divisor = 0;
    cell none = { .sum = { 0, 0 } };
    for (int64_t i = 0; i < results; i++) {
      char *from, *to;
      locate(&j, i, &from, &to);
      finish(&j, to, &none);
    }
    return HED_OK;
  }
  int32_t last = j.kept_in.ndim - 1;
  j.columns = what < ARGMAX && !j.cast && j.kept_in.stride[last] == j.size
              && j.kept_in.dim[last] >= 8 && j.reduced.stride[j.reduced.ndim - 1] != j.size;
  if (j.columns) {
    int64_t width = j.kept_in.dim[last];
    cpu_parallel_items(call, results / width * ((width + COLS - 1) / COLS), 2 * work, run_columns, &j);
    return HED_OK;
  }
  if (j.count >= 2 * PIECE) {
    j.pieces = CPU_MIN((j.count + PIECE - 1) / PIECE, MAX_PIECES);
    j.per_piece = (j.count + j.pieces - 1) / j.pieces;
    j.pieces = (j.count + j.per_piece - 1) / j.per_piece;
    int32_t status = HED_OK;
    for (int64_t i = 0; i < results && status == HED_OK; i++) {
      char *from, *to;
      locate(&j, i, &from, &to);
      status = large_result(&j, from, to);
    }
    return status;
  }
  j.per_piece = CHUNK * 16;
  cpu_parallel_for(call, results, 1, work, run_results, &j);
  return HED_OK;
}

#define ROW(name, KIND)                                              \
  static int32_t name##_row(void *state, const hed_call *call)       \
  {                                                                  \
    (void)state;                                                     \
    return reduce(call, KIND);                                       \
  }
static int32_t sum_row(void *state, const hed_call *call)
{
  (void)state;
  return hed__id_kind(call->compute) < HED_KIND_FLOAT ? cpu_sum_whole(call) : reduce(call, SUM);
}
ROW(mean, MEAN)
ROW(var, VAR)
ROW(std, STD)
ROW(max, MAX)
ROW(min, MIN)
ROW(argmax, ARGMAX)
ROW(argmin, ARGMIN)

int cpu_reduce_rows(hed_op_entry *out)
{
  uint32_t sums = 0, extremes = 0, whole = 0;
  for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++) {
    whole |= (uint32_t)(hed__id_kind(t) < HED_KIND_FLOAT) << t;
    sums |= (uint32_t)(cpu_k->reduce[t].sum != NULL) << t;
    extremes |= (uint32_t)(cpu_k->reduce[t].max != NULL) << t;
  }
  const hed_op_entry rows[] = {
    { "sum", sum_row, sums | whole },      { "mean", mean_row, sums },     { "var", var_row, sums },
    { "std", std_row, sums },       { "max", max_row, extremes },   { "min", min_row, extremes },
    { "argmax", argmax_row, extremes }, { "argmin", argmin_row, extremes },
  };
  memcpy(out, rows, sizeof rows);
  return (int)(sizeof rows / sizeof *rows);
}
