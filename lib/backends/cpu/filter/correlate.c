// SPDX-License-Identifier: BSD-3-Clause
/*
 * Correlation with weights along one axis, in the compute type: float32 or float64. L1.
 *
 * Neighbours along the axis lie INNER elements apart. Where these are many, a row of the result is a sum of rows that are
 * weighed, in tiles of columns of which all rows of a window stay in the L1 cache. Where they are few, blocks are lines:
 * pieces, extended beyond the ends, are summed with each weight's offset behind the one before. Many weights that are equal take
 * sums of sums: of GROUPS windows of STEP elements each, and of what is left. A running sum would take fewer, but carry rounding
 * errors, infinities and NaN on. A result depends on the instruction set, but not on threads.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/boundary.h"
#include "base/cast.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

enum {
  NARROW = 256,      /* bytes between neighbours: below, blocks are lines */
  TILE = 512,        /* bytes of a row that a tile has at least */
  CACHE = 24576,     /* bytes that all rows of a window may take */
  ROWS = 64,         /* of a tile's piece, or as many as half the weights */
  LINE = 16384,      /* bytes of a line's piece, or as many as the weights reach over */
  EQUAL = 16,        /* equal weights that are worth sums of sums */
  EQUAL_MOST = 4096, /* more would take much memory */
};

typedef struct job {
  const cpu_filter_loops *loops;
  const char *in;    /* C order, compute type */
  char *out;
  const char *weights;
  int64_t size;      /* of an element */
  int64_t n, inner, taps;         /* the axis; elements between its neighbours */
  int64_t blocks, tiles, pieces;  /* how the result is divided */
  int64_t least;     /* elements (lines) or rows of a piece */
  int64_t step, groups;           /* sums of sums; 0: none */
  const char *outer; /* sums of sums: their weights, which are ones, and those of what is left */
  int mode;
  char margin[sizeof(double)];    /* the constant */
  _Alignas(double) char divisor[sizeof(double)]; /* of sums, if they are divided */
  hed__map_fn divide;             /* NULL: they are not */
  int64_t *at;       /* lines: offsets of weights */
  int64_t *ends;     /* the offsets that weights reach before the first and behind the last: which elements those are */
  char *spare;       /* per part: where the rows of a window lie, then an extended piece of a line, then sums */
  int64_t piece_at, sums_at;
  int64_t spare_bytes;
  char *beyond;      /* a row of the constant */
} job;

/* The element that stands at index I along the axis; -1: the constant. */
static int64_t element_at(const job *j, int64_t i)
{
  return i >= 0 && i < j->n ? i : j->ends[j->taps / 2 + (i < 0 ? i : i - j->n)];
}

/* The row at index I along the axis, from column LEFT on, of block O. */
static const void *row_at(const job *j, int64_t o, int64_t i, int64_t left)
{
  const int64_t at = element_at(j, i);
  return at < 0 ? j->beyond : j->in + ((o * j->n + at) * j->inner + left) * j->size;
}

/* N sums become means, where they are to. */
static void divide_sums(const job *j, int64_t n, char *sums)
{
  if (j->divide)
    j->divide(n, (char *[]){ sums, sums, (char *)(uintptr_t)j->divisor }, (int64_t[]){ j->size, j->size, 0 }, NULL);
}

/* Rows FROM to END of columns LEFT to RIGHT of block O. */
static void columns(const job *j, int64_t o, int64_t from, int64_t end, int64_t left, int64_t right, char *spare)
{
  const void **rows = (const void **)(void *)spare;
  const int64_t before = j->taps / 2, inside = j->groups * j->step, width = (right - left) * j->size;
  char *sums = spare + j->sums_at;
  for (int64_t i = 0; j->groups > 0 && i < end - from + inside - j->step; i++) {
    for (int64_t k = 0; k < j->step; k++)
      rows[k] = row_at(j, o, from + i + k - before, left);
    j->loops->weigh(right - left, sums + i * width, rows, j->step, j->weights);
  }
  for (int64_t i = from; i < end; i++) {
    int64_t n = 0;
    for (; n < j->groups; n++)
      rows[n] = sums + (i - from + n * j->step) * width;
    for (int64_t k = inside; k < j->taps; k++)
      rows[n++] = row_at(j, o, i + k - before, left);
    char *out = j->out + ((o * j->n + i) * j->inner + left) * j->size;
    j->loops->weigh(right - left, out, rows, n, j->groups > 0 ? j->outer : j->weights);
    divide_sums(j, right - left, out);
  }
}

/* N elements of a line from the extended line X. */
static void weigh_line(const job *j, int64_t n, char *out, const char *x, char *spare)
{
  if (j->groups == 0 || n * j->size < CPU_WEIGH_LEAST) {
    j->loops->products(n, out, x, j->taps, j->at, 1, j->weights);
    return;
  }
  const void **rows = (const void **)(void *)spare;
  const int64_t between = j->inner * j->size, inside = j->groups * j->step;
  char *sums = spare + j->sums_at;
  j->loops->products(n + (inside - j->step) * j->inner, sums, x, j->step, j->at, 1, j->weights);
  for (int64_t k = 0; k < j->groups; k++)
    rows[k] = sums + k * j->step * between;
  for (int64_t k = inside; k < j->taps; k++)
    rows[j->groups + k - inside] = x + k * between;
  j->loops->weigh(n, out, rows, j->groups + j->taps - inside, j->outer);
}

/* Elements FROM to END of the line of block O. */
static void line(const job *j, int64_t o, int64_t from, int64_t end, char *spare)
{
  const int64_t size = j->size, inner = j->inner, n = j->n * inner, before = j->taps / 2 * inner;
  const char *in = j->in + o * n * size;
  char *out = j->out + (o * n + from) * size, *piece = spare + j->piece_at;
  const int64_t low = from - before, high = end + (j->taps - 1) * inner - before;
  const int64_t slack = CPU_FILTER_SLACK / size;
  if (low >= 0 && high <= n - slack) {
    weigh_line(j, end - from, out, in + low * size, spare);
    divide_sums(j, end - from, out);
    return;
  }
  const int64_t first = CPU_MAX(low, 0), last = CPU_MIN(high, n);
  int64_t row = low < 0 ? (low + 1) / inner - 1 : low / inner, column = low - row * inner;
  for (int64_t i = low; i < high; i++) {
    if (i == first) {
      memcpy(piece + (i - low) * size, in + i * size, (size_t)((last - first) * size));
      i = last;
      if (i >= high)
        break;
      row = j->n;
      column = 0;
    }
    const int64_t at = element_at(j, row);
    memcpy(piece + (i - low) * size, at < 0 ? j->margin : in + (at * inner + column) * size, (size_t)size);
    if (++column == inner) {
      column = 0;
      row++;
    }
  }
  memset(piece + (high - low) * size, 0, CPU_FILTER_SLACK);
  weigh_line(j, end - from, out, piece, spare);
  divide_sums(j, end - from, out);
}

static void part_of(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t all = j->blocks * j->tiles * j->pieces;
  char *spare = j->spare + part * j->spare_bytes;
  for (int64_t k = all * part / parts; k < all * (part + 1) / parts; k++) {
    const int64_t o = k / (j->tiles * j->pieces), tile = k / j->pieces % j->tiles, from = k % j->pieces * j->least;
    if (j->at)
      line(j, o, from, CPU_MIN(from + j->least, j->n * j->inner), spare);
    else
      columns(j, o, from, CPU_MIN(from + j->least, j->n), j->inner * tile / j->tiles, j->inner * (tile + 1) / j->tiles, spare);
  }
}

/* How the work is divided, and the memory for that. */
static bool divide(job *j, int32_t threads, char **memory)
{
  const int64_t row = j->inner * j->size, inside = (j->groups - (j->groups > 0)) * j->step;
  const bool lines = row < NARROW;
  int64_t list, sums;
  j->piece_at = j->sums_at = CPU_LINES(j->taps * (int64_t)sizeof(void *));
  if (lines) {
    j->least = CPU_MIN(CPU_MAX(LINE / j->size, j->taps * j->inner), j->n * j->inner);
    j->pieces = (j->n * j->inner + j->least - 1) / j->least;
    j->tiles = 1;
    j->sums_at += CPU_LINES((j->least + (j->taps - 1) * j->inner) * j->size + CPU_FILTER_SLACK);
    sums = (j->least + inside * j->inner) * j->size;
    list = j->taps * (int64_t)sizeof *j->at;
  } else {
    const int64_t rows = j->groups > 0 ? j->groups + 2 * j->step : j->taps;
    j->tiles = CPU_MAX(row / CPU_MAX(CACHE / rows, TILE), 1);
    j->least = CPU_MIN(CPU_MAX(ROWS, j->groups > 0 ? 2 * j->taps : j->taps / 2), j->n);
    j->pieces = (j->n + j->least - 1) / j->least;
    list = row / j->tiles + j->size;
    sums = (j->least + inside) * list;
  }
  j->spare_bytes = j->sums_at + (j->groups > 0 ? CPU_LINES(sums + CPU_FILTER_SLACK) : 0);
  const int64_t ends = CPU_LINES(j->taps * (int64_t)sizeof *j->ends);
  char *at = *memory = cpu_scratch_get((size_t)(ends + CPU_LINES(list) + threads * j->spare_bytes));
  if (!at)
    return false;
  j->ends = (int64_t *)(void *)at;
  for (int64_t k = 0, before = j->taps / 2; k < j->taps - 1; k++)
    j->ends[k] = hed__boundary_index(k < before ? k - before : k - before + j->n, j->n, j->mode);
  at += ends;
  if (lines) {
    j->at = (int64_t *)(void *)at;
    for (int64_t k = 0; k < j->taps; k++)
      j->at[k] = k * j->inner;
  } else {
    j->beyond = at;
    for (int64_t k = 0; k + j->size <= list; k += j->size)
      memcpy(j->beyond + k, j->margin, (size_t)j->size);
  }
  j->spare = at + CPU_LINES(list);
  return true;
}

/* Weights, and whether sums of sums are worth it: then weights of those behind them. */
static void take_weights(job *j, const hed_view *weights, int type, char *w)
{
  const double one = 1;
  char *outer = w + j->taps * j->size;
  hed__cast(weights->dtype, type)(j->taps, w, j->size, weights->data, weights->stride[0]);
  j->weights = w;
  if (j->taps < EQUAL || j->taps > EQUAL_MOST || memcmp(w, w + j->size, (size_t)((j->taps - 1) * j->size)) != 0)
    return;
  j->step = (int64_t)sqrt((double)j->taps);
  j->groups = j->taps / j->step;
  hed__cast(HED_ID_FLOAT64, type)(j->groups, outer, j->size, (const char *)&one, 0);
  memcpy(outer + j->groups * j->size, w, (size_t)((j->taps - j->groups * j->step) * j->size));
  j->outer = outer;
}

int32_t cpu_correlate1d(void *state, const hed_call *call)
{
  (void)state;
  const hed_correlate_params *p = call->params;
  const hed_view *in = call->in[0], *weights = call->in[1], *out = call->out[0];
  const int type = call->compute;
  const int64_t size = hed__id_size(type), n = hed__view_size(out);
  if (n == 0)
    return HED_OK;
  job j = { .loops = &cpu_filters[type], .size = size, .n = out->dim[p->axis], .inner = 1, .taps = weights->dim[0],
            .mode = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_REFLECT : p->boundary };
  hed__cast(HED_ID_FLOAT64, type)(1, j.margin, 0, (const char *)&p->cval, 0);
  hed__cast(HED_ID_FLOAT64, type)(1, j.divisor, 0, (const char *)&p->divisor, 0);
  j.divide = p->divisor != 0 ? cpu_k->map[CPU_MAP_DIVIDE][type] : NULL;
  for (int32_t k = p->axis + 1; k < out->ndim; k++)
    j.inner *= out->dim[k];
  j.blocks = n / (j.n * j.inner);
  const bool direct_in = in->dtype == type && hed__is_c_contiguous(in);
  const bool direct_out = out->dtype == type && hed__is_c_contiguous(out);
  char *copy = direct_in ? NULL : cpu_scratch_get((size_t)(n * size));
  char *made = direct_out ? NULL : cpu_scratch_get((size_t)(n * size));
  char *w = cpu_scratch_get((size_t)(2 * j.taps * size)), *memory = NULL;
  int32_t status = HED_OK;
  if (w)
    take_weights(&j, weights, type, w);
  if ((!direct_in && !copy) || (!direct_out && !made) || !w || !divide(&j, call->max_threads, &memory)) {
    status = cpu_host->fail(HED_E_NOMEM, "correlate1d: no memory for %lld elements of scratch", (long long)n);
    goto end;
  }
  hed_view dense = *out;
  dense.dtype = type;
  hed__c_strides(dense.ndim, dense.dim, size, dense.stride);
  if (!direct_in) {
    dense.data = copy;
    (void)cpu_convert(call, &dense, in);
  }
  j.in = direct_in ? in->data : copy;
  j.out = direct_out ? out->data : made;
  const double each = (double)(j.groups > 0 ? j.groups + 2 * j.step : j.taps);
  cpu_parallel_parts(call, j.blocks * j.tiles * j.pieces, (double)n * (1 + each / 8), part_of, &j);
  if (!direct_out) {
    dense.data = made;
    (void)cpu_convert(call, out, &dense);
  }
end:
  cpu_scratch_put(copy);
  cpu_scratch_put(made);
  cpu_scratch_put(w);
  cpu_scratch_put(memory);
  return status;
}
