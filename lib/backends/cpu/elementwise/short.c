// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise loops over short rows, which operands of different shapes leave: n x 3 by n x 1, n x 1 by 4. L1.
 *
 * A loop costs about ten nanoseconds to call and does little with three elements. Rows are taken by blocks: operands that do not
 * lie evenly are written out in buffers in the cache, as are those of other types than the loop's, so that it has one long run.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include "backends/cpu/move/write_rows.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"
#include <string.h>

enum { MOST = 4, TILE = 4096, LINE = 64, FEW = 8 /* rows that are not worth it */,
       SHORT = 256, SHORT_REPEATED = 512, SHORT_CAST = 2048 /* bytes of a row; where none but rows of one repeated element are
                                                             * written out; where each would be converted alone */ };

typedef struct short_rows {
  hed__map_fn fn;
  const void *params;
  hed__nest nest;
  int64_t width, rows, each;               /* elements of a row; rows of all, and of a block */
  int64_t size[MOST], own[MOST];           /* bytes of an element in the loop, and in memory */
  bool flat[MOST], streamed;               /* evenly spaced from the first to the last */
  bool once[MOST];                         /* all rows are one */
  bool even[MOST];                         /* rows are evenly spaced */
  int64_t step[MOST];                      /* of one that is flat */
  hed__cast_fn cast[MOST];
} short_rows;

/* Rows [first, first + n) of operand K. */
static void gather(const short_rows *s, int32_t k, int64_t first, int64_t n, char *to)
{
  const hed__nest *nest = &s->nest;
  const int64_t *dim = nest->dim, *stride = nest->stride[k];
  const int32_t last = nest->ndim - 1;
  int64_t index[HED_MAX_NDIM], rest = first;
  const char *from = nest->data[k];
  if (s->even[k]) {
    cpu_write_rows(n, s->width, s->own[k], to, from + first * stride[last - 1], stride[last - 1], stride[last]);
    return;
  }
  for (int32_t i = last - 1; i >= 0; i--) {
    index[i] = rest % dim[i];
    rest /= dim[i];
    from += index[i] * stride[i];
  }
  while (n > 0) {
    const int64_t m = CPU_MIN(n, dim[last - 1] - index[last - 1]);
    cpu_write_rows(m, s->width, s->own[k], to, from, stride[last - 1], stride[last]);
    n -= m;
    to += m * s->width * s->own[k];
    from += m * stride[last - 1];
    index[last - 1] += m;
    for (int32_t i = last - 1; i > 0 && index[i] == dim[i]; i--) {
      from += stride[i - 1] - stride[i] * dim[i];
      index[i - 1]++;
      index[i] = 0;
    }
  }
}

static void run_blocks(void *arg, int64_t begin, int64_t end)
{
  const short_rows *s = arg;
  _Alignas(LINE) char tile[MOST][TILE + CPU_REPEAT_OVER], narrow[TILE + CPU_REPEAT_OVER];
  for (int64_t b = begin; b < end; b++) {
    const int64_t row = b * s->each, rows = CPU_MIN(s->each, s->rows - row), first = row * s->width, n = rows * s->width;
    char *const to = s->nest.data[0] + first * s->step[0], *p[MOST] = { s->cast[0] || s->streamed ? tile[0] : to };
    int64_t step[MOST] = { s->cast[0] ? s->size[0] : s->step[0] };
    for (int32_t k = 1; k < s->nest.n; k++) {
      const int64_t apart = s->flat[k] ? s->step[k] : s->own[k];
      p[k] = s->flat[k] ? s->nest.data[k] + first * apart : s->cast[k] ? narrow : tile[k];
      step[k] = apart;
      const bool there = s->once[k] && b > begin;
      if (!s->flat[k] && !there)
        gather(s, k, row, rows, p[k]);
      if (!s->cast[k])
        continue;
      if (!there)
        s->cast[k](apart ? n : 1, tile[k], s->size[k], p[k], apart);
      p[k] = tile[k];
      step[k] = apart ? s->size[k] : 0;
    }
    s->fn(n, p, step, s->params);
    if (s->cast[0])
      s->cast[0](n, to, s->step[0], tile[0], s->size[0]);
    else if (s->streamed)
      cpu_stream(to, tile[0], (size_t)(n * s->size[0]));
  }
  if (s->streamed)
    cpu_stream_end();
}

/* Is what axes 0 to LAST hold of operand K evenly spaced, in the order of the nest? */
static bool lies_evenly(const hed__nest *nest, int32_t k, int32_t last)
{
  for (int32_t i = last; i > 0; i--)
    if (nest->stride[k][i - 1] != nest->stride[k][i] * nest->dim[i])
      return false;
  return true;
}

bool cpu_map_short_rows(const hed_call *call, hed__map_fn fn, const int32_t *types, double work)
{
  const hed_view *views[MOST] = { call->out[0] };
  short_rows s = { .fn = fn, .params = call->params };
  int64_t widest = 1;
  if (call->n_in + 1 > MOST)
    return false;
  for (int32_t k = 0; k <= call->n_in; k++)
    views[k] = k ? call->in[k - 1] : call->out[0];
  hed__nest_init(&s.nest, call->n_in + 1, views, true);
  const int32_t last = s.nest.ndim - 1;
  s.width = s.nest.dim[last];
  s.rows = hed__nest_rows(&s.nest);
  bool casts = false, repeated = true;
  if (last < 1 || s.rows < FEW || !lies_evenly(&s.nest, 0, last))
    return false;
  for (int32_t k = 0; k < s.nest.n; k++) {
    s.size[k] = hed__id_size(types[k]);
    s.own[k] = hed__id_size(views[k]->dtype);
    s.flat[k] = lies_evenly(&s.nest, k, last);
    s.even[k] = lies_evenly(&s.nest, k, last - 1);
    s.step[k] = s.nest.stride[k][last];
    if (views[k]->dtype != types[k])
      s.cast[k] = k ? hed__cast(views[k]->dtype, types[k]) : hed__cast(types[k], views[k]->dtype);
    casts = casts || s.cast[k];
    repeated = repeated && (s.flat[k] || s.step[k] == 0);
    s.once[k] = !s.flat[k];
    for (int32_t i = 0; i < last; i++)
      s.once[k] = s.once[k] && s.nest.stride[k][i] == 0;
    widest = CPU_MAX(widest, CPU_MAX(s.size[k], s.own[k]));
  }
  if (s.width * widest > (casts ? SHORT_CAST : repeated ? SHORT_REPEATED : SHORT))
    return false;
  s.each = TILE / (s.width * widest);
  int64_t lines = 1; /* rows that fill whole lines of the result */
  while (lines * s.width * s.size[0] % LINE)
    lines *= 2;
  const int64_t n = s.rows * s.width;
  s.streamed = s.each >= lines && !s.cast[0] && s.step[0] == s.size[0] && (uintptr_t)s.nest.data[0] % LINE == 0
               && cpu_stream_pays(s.nest.data[0], (size_t)(n * s.size[0]));
  for (int32_t k = 1; k < s.nest.n; k++)
    s.streamed = s.streamed && s.nest.data[k] != s.nest.data[0];
  if (s.each > lines)
    s.each = s.each / lines * lines;
  cpu_parallel_for(call, (s.rows + s.each - 1) / s.each, 1, (work + 1) * (double)n, run_blocks, &s);
  return true;
}
