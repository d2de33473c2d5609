// SPDX-License-Identifier: BSD-3-Clause
/*
 * tril, triu: rows that are copied up to a column or from one on, and 0 elsewhere. L1.
 *
 * Operands whose rows are not contiguous are copied as a whole first, as copies are.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

typedef struct triangle {
  hed__nest planes;         /* result, operand; without the last two axes */
  int64_t rows, columns, k, size;
  int64_t row_step[2], step[2];
  hed__map_fn copy;
  bool low, there;          /* what is kept is there already */
  bool streamed;            /* rows are contiguous, and are written by non-temporal stores */
} triangle;

static const char zeros[4096] __attribute__((aligned(64)));

static void clear(const triangle *t, int64_t n, char *to)
{
  if (t->streamed)
    for (int64_t left = n * t->size, m; left > 0; left -= m, to += m) {
      m = CPU_MIN(left, (int64_t)sizeof zeros - (int64_t)((uintptr_t)to % 64));
      cpu_stream(to, zeros, (size_t)m);
    }
  else if (t->step[0] == t->size)
    memset(to, 0, (size_t)(n * t->size));
  else
    t->copy(n, (char *const[]){ to, (char *)zeros }, (const int64_t[]){ t->step[0], 0 }, NULL);
}

static void keep(const triangle *t, int64_t n, char *to, char *from)
{
  if (t->streamed)
    cpu_stream(to, from, (size_t)(n * t->size));
  else if (!t->there)
    t->copy(n, (char *const[]){ to, from }, t->step, NULL);
}

static void run_rows(void *arg, int64_t begin, int64_t end)
{
  const triangle *t = arg;
  for (int64_t i = begin; i < end; i++) {
    const int64_t row = i % t->rows, split = CPU_MAX(CPU_MIN(row + t->k + t->low, t->columns), 0);
    hed__walk w;
    hed__walk_init(&w, &t->planes, i / t->rows, 1);
    hed__walk_next(&w);
    char *to = w.ptr[0] + row * t->row_step[0], *from = w.ptr[1] + row * t->row_step[1];
    char *const after = to + split * t->step[0];
    if (t->low) {
      keep(t, split, to, from);
      clear(t, t->columns - split, after);
    } else {
      clear(t, split, to);
      keep(t, t->columns - split, after, from + split * t->step[1]);
    }
  }
  if (t->streamed)
    cpu_stream_end();
}

static int32_t run(void *state, const hed_call *call, bool low)
{
  const hed_view *out = call->out[0], *in = call->in[0];
  const int32_t last = out->ndim - 1;
  const hed_view outer[2] = { hed__view_without(out, last - 1, 2), hed__view_without(in, last - 1, 2) };
  const int64_t n = hed__view_size(out);
  triangle t = { .rows = out->dim[last - 1], .columns = out->dim[last], .size = hed__id_size(out->dtype), .low = low };
  t.k = ((const hed_triangle_params *)call->params)->k;
  t.copy = cpu_copy_loop(t.size);
  for (int k = 0; k < 2; k++) {
    const hed_view *v = k ? in : out;
    t.row_step[k] = v->stride[last - 1];
    t.step[k] = v->stride[last];
  }
  t.there = t.step[1] != t.size;
  t.streamed = !t.there && t.step[0] == t.size && t.columns * t.size >= CPU_STREAM_BLOCK &&
               cpu_stream_large((size_t)(n * t.size));
  hed__nest_init(&t.planes, 2, (const hed_view *const[]){ &outer[0], &outer[1] }, HED__NEST_REORDER);
  t.planes.dim[t.planes.ndim] = 1; /* each element of it is a plane, and a row of a walk */
  t.planes.stride[0][t.planes.ndim] = t.planes.stride[1][t.planes.ndim] = 0;
  t.planes.ndim++;
  if (n == 0)
    return HED_OK;
  const int32_t status = t.there ? cpu_astype(state, call) : HED_OK;
  if (status == HED_OK)
    cpu_parallel_for(call, n / t.columns, 1, 2 * (double)n, run_rows, &t);
  return status;
}

int32_t cpu_tril(void *state, const hed_call *call)
{
  return run(state, call, true);
}

int32_t cpu_triu(void *state, const hed_call *call)
{
  return run(state, call, false);
}
