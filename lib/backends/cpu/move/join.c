// SPDX-License-Identifier: BSD-3-Clause
/*
 * concatenate: arrays joined along an axis. L1.
 *
 * Where the rows of all arrays, from the axis on, are contiguous, the result is made row by row from all of them, so that
 * its lines are written once: rows of one element are interleaved, some elements go column by column through a stretch of
 * rows that stays in the cache, longer rows are copied, short ones along the last axis also where they lie backwards or
 * repeat. Else each array goes to its part.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <string.h>

/* bytes of the result at a time, of a part of a row that is written by non-temporal stores; elements of a row that goes by columns */
enum { LINE = 64, STRETCH_BYTES = 8192, LENGTHY_BYTES = 1024, SHORT_ROW_ELEMENTS = 8 };

typedef struct join {
  int32_t n;
  int64_t rows, size, whole;           /* bytes of an element, of a row of the result */
  char *to;
  const char *from[HED_MAX_NDIM];
  int64_t bytes[HED_MAX_NDIM], step[HED_MAX_NDIM]; /* of a row, and between two of them */
  int64_t each[HED_MAX_NDIM];          /* between elements of a row */
  hed__map_fn copy;
  bool interleave, columns;
  int64_t stretch;                     /* rows at a time */
} join;

/* Row R of array K, to TO. */
static void copy_part(const join *j, int32_t k, int64_t r, char *to)
{
  char *const from = (char *)(uintptr_t)j->from[k] + r * j->step[k];
  if (j->each[k] == j->size)
    cpu_copy_k->row(to, from, j->bytes[k]);
  else
    j->copy(j->bytes[k] / j->size, (char *const[]){ to, from }, (const int64_t[]){ j->size, j->each[k] }, NULL);
}

/* ROWS rows from FIRST on, to TO. */
static void join_rows(const join *j, int64_t first, int64_t rows, char *to)
{
  if (j->interleave) {
    const char *from[4];
    for (int32_t k = 0; k < j->n; k++)
      from[k] = j->from[k] + first * j->size;
    cpu_copy_k->interleave[__builtin_ctzll((uint64_t)j->size)](rows, j->n, to, from);
  } else if (j->columns) {
    for (int32_t k = 0; k < j->n; k++)
      for (int64_t b = 0; b < j->bytes[k]; b += j->size, to += j->size)
        j->copy(rows, (char *const[]){ to, (char *)j->from[k] + first * j->step[k] + b },
                (const int64_t[]){ j->whole, j->step[k] }, NULL);
  } else {
    for (int64_t r = first; r < first + rows; r++)
      for (int32_t k = 0; k < j->n; k++) {
        copy_part(j, k, r, to);
        to += j->bytes[k];
      }
  }
}

static void run_join(void *arg, int64_t begin, int64_t end)
{
  const join *j = arg;
  for (int64_t r = begin; r < end; r += j->stretch)
    join_rows(j, r, CPU_MIN(j->stretch, end - r), j->to + r * j->whole);
}

/* The same by non-temporal stores: STRETCH_BYTES rows are whole lines of the result, and fit the block. */
static void run_streamed(void *arg, int64_t begin, int64_t end)
{
  const join *j = arg;
  _Alignas(LINE) char block[STRETCH_BYTES];
  for (int64_t r = begin; r < end; r += j->stretch) {
    const int64_t rows = CPU_MIN(j->stretch, end - r);
    join_rows(j, r, rows, block);
    cpu_stream(j->to + r * j->whole, block, (size_t)(rows * j->whole));
  }
  cpu_stream_end();
}

/* Long rows need no block; what is short in them, or no run, stays in the caches. */
static void run_long(void *arg, int64_t begin, int64_t end)
{
  const join *j = arg;
  char *to = j->to + begin * j->whole;
  for (int64_t r = begin; r < end; r++)
    for (int32_t k = 0; k < j->n; k++) {
      if (j->bytes[k] >= LENGTHY_BYTES)
        cpu_stream_far(to, j->from[k] + r * j->step[k], (size_t)j->bytes[k]);
      else
        copy_part(j, k, r, to);
      to += j->bytes[k];
    }
  cpu_stream_end();
}

/* V as rows from AXIS on that are contiguous, of the last axis with a step EACH, and a step between them; false when it is not
 * that. */
static bool as_rows(const hed_view *v, int32_t axis, int64_t size, int64_t *bytes, int64_t *each, int64_t *step)
{
  int64_t want = size;
  *each = axis == v->ndim - 1 && v->dim[axis] > 1 ? v->stride[axis] : size;
  if (*each != size)
    want *= v->dim[axis];
  else for (int32_t k = v->ndim - 1; k >= axis; k--) {
    if (v->dim[k] != 1 && v->stride[k] != want)
      return false;
    want *= v->dim[k];
  }
  *bytes = want;
  *step = 0;
  int64_t next = 0;
  bool any = false;
  for (int32_t k = axis - 1; k >= 0; k--) {
    if (v->dim[k] == 1)
      continue;
    if (any && v->stride[k] != next)
      return false;
    if (!any)
      *step = v->stride[k];
    any = true;
    next = v->stride[k] * v->dim[k];
  }
  return true;
}

static bool plan_rows(join *j, const hed_call *call, int32_t axis)
{
  const hed_view *out = call->out[0];
  int64_t each, step;
  j->n = call->n_in;
  j->size = hed__id_size(out->dtype);
  if (!hed__is_c_contiguous(out) || !as_rows(out, axis, j->size, &j->whole, &each, &step) || j->whole == 0)
    return false;
  j->to = out->data;
  j->rows = hed__view_size(out) * j->size / j->whole;
  int64_t most = 0;
  bool close = j->n >= 2 && j->n <= 4, plain = true;
  for (int32_t k = 0; k < j->n; k++) {
    const hed_view *v = call->in[k];
    if (v->dtype != out->dtype || !as_rows(v, axis, j->size, &j->bytes[k], &j->each[k], &j->step[k]))
      return false;
    if (j->each[k] != j->size && ((j->each[k] != 0 && j->each[k] != -j->size) || j->bytes[k] >= LENGTHY_BYTES))
      return false; /* transposed, or long enough for loops of their own */
    j->from[k] = v->data;
    most = CPU_MAX(most, j->bytes[k]);
    plain = plain && j->each[k] == j->size;
    close = close && j->bytes[k] == j->size && j->step[k] == j->size;
  }
  j->interleave = close && plain;
  j->columns = !j->interleave && most <= SHORT_ROW_ELEMENTS * j->size && plain;
  j->copy = cpu_copy_loop(j->size);
  j->stretch = CPU_MAX(1, STRETCH_BYTES / j->whole);
  return j->rows > 1;
}

int32_t cpu_concatenate(void *state, const hed_call *call)
{
  (void)state;
  const int32_t axis = ((const hed_concatenate_params *)call->params)->axis;
  join j;
  if (plan_rows(&j, call, axis)) {
    const int64_t bytes = j.rows * j.whole;
    cpu_range_fn run = run_join;
    if (cpu_stream_large((size_t)bytes)) {
      const int64_t lines = LINE / CPU_MIN(LINE, j.whole & -j.whole); /* as many rows are whole lines */
      bool even = true;
      for (int32_t k = 0; k < j.n; k++)
        even = even && j.each[k] == j.size && ((uintptr_t)j.from[k] | (uint64_t)j.bytes[k] | (uint64_t)j.step[k]) % LINE == 0;
      const bool small = lines * j.whole <= STRETCH_BYTES, lengthy = j.whole > STRETCH_BYTES / 4;
      if (lengthy && (even || !small)) {
        run = run_long;
      } else if (small && (uintptr_t)j.to % LINE == 0) {
        j.stretch = STRETCH_BYTES / (lines * j.whole) * lines;
        run = run_streamed;
      }
    }
    cpu_parallel_for(call, j.rows, run == run_streamed ? j.stretch : 1, 2 * (double)(bytes / j.size), run, &j);
    return HED_OK;
  }
  hed_view part = *call->out[0];
  for (int32_t k = 0; k < call->n_in; k++) {
    part.dim[axis] = call->in[k]->dim[axis];
    if (hed__view_size(&part) > 0) {
      const int32_t status = cpu_convert(call, &part, call->in[k]);
      if (status != HED_OK)
        return status;
    }
    part.data = (char *)part.data + part.dim[axis] * part.stride[axis];
  }
  return HED_OK;
}
