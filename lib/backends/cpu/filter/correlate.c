// SPDX-License-Identifier: BSD-3-Clause
/*
 * Correlation with weights along one axis, in the compute type: float32 or float64. L1.
 *
 * Neighbours along the axis lie INNER elements apart. Where these are many, a row of the result is a sum of rows that are
 * weighed, in tiles of columns of which all rows of a window stay in the first cache. Where they are few, blocks are lines:
 * pieces, extended beyond the ends, are summed with each weight's place behind the one before. Weights are added in order,
 * so a result depends on the instruction set, but not on pieces or threads.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/boundary.h"
#include "base/cast.h"
#include "base/shape.h"
#include <string.h>

enum {
  NARROW = 256,      /* bytes between neighbours: below, blocks are lines */
  TILE = 512,        /* bytes of a row that a tile has at least */
  CACHE = 24576,     /* bytes that all rows of a window may take */
  ROWS = 64,         /* of a tile's piece, or as many as half the weights */
  LINE = 16384,      /* bytes of a line's piece, or as many as the weights reach over */
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
  int mode;
  char margin[sizeof(double)];    /* the constant */
  int64_t *at;       /* lines: places of weights */
  char *spare;       /* per part: an extended piece of a line, or where the rows of a window lie */
  int64_t spare_bytes;
  char *beyond;      /* a row of the constant */
} job;

/* Rows FROM to END of columns LEFT to RIGHT of block O. */
static void columns(const job *j, int64_t o, int64_t from, int64_t end, int64_t left, int64_t right, const void **rows)
{
  const int64_t line = j->inner * j->size, start = (o * j->n * j->inner + left) * j->size, before = j->taps / 2;
  for (int64_t i = from; i < end; i++) {
    for (int64_t k = 0; k < j->taps; k++) {
      const int64_t at = hed__boundary_index(i + k - before, j->n, j->mode);
      rows[k] = at < 0 ? j->beyond : j->in + start + at * line;
    }
    j->loops->weigh(right - left, j->out + start + i * line, rows, j->taps, j->weights);
  }
}

/* Elements FROM to END of the line of block O. PIECE holds those and what the weights reach. */
static void line(const job *j, int64_t o, int64_t from, int64_t end, char *piece)
{
  const int64_t size = j->size, inner = j->inner, n = j->n * inner, before = j->taps / 2 * inner;
  const char *in = j->in + o * n * size;
  char *out = j->out + (o * n + from) * size;
  const int64_t low = from - before, high = end + (j->taps - 1) * inner - before;
  const int64_t slack = CPU_FILTER_SLACK / size;
  if (low >= 0 && high <= n - slack) {
    j->loops->products(end - from, out, in + low * size, j->taps, j->at, 1, j->weights);
    return;
  }
  const int64_t first = CPU_MIN(CPU_MAX(low, 0), n), last = CPU_MIN(high, n);
  for (int64_t i = low; i < high; i++) {
    if (i == first) {
      memcpy(piece + (i - low) * size, in + i * size, (size_t)((last - first) * size));
      i = last;
      if (i >= high)
        break;
    }
    const int64_t row = i < 0 ? (i + 1) / inner - 1 : i / inner, at = hed__boundary_index(row, j->n, j->mode);
    memcpy(piece + (i - low) * size, at < 0 ? j->margin : in + (at * inner + i - row * inner) * size, (size_t)size);
  }
  memset(piece + (high - low) * size, 0, CPU_FILTER_SLACK);
  j->loops->products(end - from, out, piece, j->taps, j->at, 1, j->weights);
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
      columns(j, o, from, CPU_MIN(from + j->least, j->n), j->inner * tile / j->tiles, j->inner * (tile + 1) / j->tiles,
              (const void **)(void *)spare);
  }
}

/* How the work is divided, and the memory for that. */
static bool divide(job *j, int32_t threads, char **memory)
{
  const int64_t row = j->inner * j->size;
  const bool lines = row < NARROW;
  int64_t width = 0;
  if (lines) {
    j->least = CPU_MAX(LINE / j->size, j->taps * j->inner);
    j->least = CPU_MIN(j->least, j->n * j->inner);
    j->pieces = (j->n * j->inner + j->least - 1) / j->least;
    j->tiles = 1;
    j->spare_bytes = (j->least + (j->taps - 1) * j->inner) * j->size + CPU_FILTER_SLACK;
  } else {
    j->tiles = CPU_MAX(row / CPU_MAX(CACHE / j->taps, TILE), 1);
    j->least = CPU_MAX(ROWS, j->taps / 2);
    j->pieces = (j->n + j->least - 1) / j->least;
    j->spare_bytes = j->taps * (int64_t)sizeof(void *);
    width = (row / j->tiles + j->size) / j->size;
  }
  j->spare_bytes = (j->spare_bytes + 63) / 64 * 64; /* no cache line is of two parts */
  const int64_t list = lines ? j->taps * (int64_t)sizeof *j->at : width * j->size;
  char *at = *memory = cpu_scratch_get((size_t)((list + 63) / 64 * 64 + threads * j->spare_bytes));
  if (!at)
    return false;
  if (lines) {
    j->at = (int64_t *)(void *)at;
    for (int64_t k = 0; k < j->taps; k++)
      j->at[k] = k * j->inner;
  } else {
    j->beyond = at;
    for (int64_t k = 0; k < width; k++)
      memcpy(j->beyond + k * j->size, j->margin, (size_t)j->size);
  }
  j->spare = at + (list + 63) / 64 * 64;
  return true;
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
  for (int32_t k = p->axis + 1; k < out->ndim; k++)
    j.inner *= out->dim[k];
  j.blocks = n / (j.n * j.inner);
  const bool direct_in = in->dtype == type && hed__is_c_contiguous(in);
  const bool direct_out = out->dtype == type && hed__is_c_contiguous(out);
  char *copy = direct_in ? NULL : cpu_scratch_get((size_t)(n * size));
  char *made = direct_out ? NULL : cpu_scratch_get((size_t)(n * size));
  char *w = cpu_scratch_get((size_t)(j.taps * size)), *memory = NULL;
  int32_t status = HED_OK;
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
  hed__cast(weights->dtype, type)(j.taps, w, size, weights->data, weights->stride[0]);
  j.in = direct_in ? in->data : copy;
  j.out = direct_out ? out->data : made;
  j.weights = w;
  cpu_parallel_parts(call, j.blocks * j.tiles * j.pieces, (double)n * (1 + (double)j.taps / 8), part_of, &j);
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
