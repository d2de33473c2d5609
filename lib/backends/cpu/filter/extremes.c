// SPDX-License-Identifier: BSD-3-Clause
/*
 * maximum_filter and minimum_filter, axis by axis in the element type; half precision in float32, which holds them. L1.
 *
 * The extreme of W neighbours comes in steps: of 2, 3 or 4 windows that are there already, which lie beside each other or, in
 * the last step, overlap. That takes fewer comparisons than other ways up to windows of hundreds, and all are in vectors.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <string.h>

enum { STEPS = 40, TILE = 512 /* bytes of a row whose columns are done together */ };

typedef struct step {
  int count;
  int64_t at[4];
} step;

typedef struct job {
  void (*best)(int64_t n, void *out, const void *x, int count, const int64_t *at);
  char *data;
  int64_t size, n, inner, row; /* of an element; results along the axis; bytes between neighbours; bytes of a line */
  int64_t length;              /* elements along the axis, ends and all */
  int64_t columns;             /* tiles of a line's neighbours */
  step steps[STEPS];
  int count;
  char *spare;                 /* per part: two lines */
} job;

static int find_steps(int64_t window, step *steps)
{
  int n = 0;
  for (int64_t have = 1; have < window; n++) {
    step *s = &steps[n];
    s->count = (int)CPU_MIN((window + have - 1) / have, 4);
    for (int k = 0; k < s->count; k++)
      s->at[k] = CPU_MIN(k * have, window - have);
    have = CPU_MIN(s->count * have, window);
  }
  return n;
}

/* Lines of the last axis: from one spare line to the other, as elements move. */
static void rows_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t line = j->row + CPU_FILTER_SLACK;
  char *from = j->spare + 2 * part * line, *to = from + line;
  for (int64_t r = part; r < j->columns; r += parts) {
    char *row = j->data + r * j->row;
    memcpy(from, row, (size_t)j->row);
    int64_t left = j->length;
    for (int k = 0; k < j->count; k++) {
      const step *s = &j->steps[k];
      left -= s->at[s->count - 1];
      j->best(left, k == j->count - 1 ? row : to, from, s->count, s->at);
      char *other = from;
      from = to;
      to = other;
    }
  }
}

/* Tiles of columns: a row becomes the extreme of itself and rows behind it. */
static void columns_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t tiles = (j->inner + TILE - 1) / TILE, between = j->inner / j->size;
  for (int64_t t = part; t < j->columns; t += parts) {
    char *at = j->data + t / tiles * j->row + t % tiles * TILE;
    const int64_t n = CPU_MIN(j->inner - t % tiles * TILE, TILE) / j->size;
    int64_t left = j->length;
    for (int k = 0; k < j->count; k++) {
      const step *s = &j->steps[k];
      const int64_t from[4] = { 0, s->at[1] * between, s->at[2] * between, s->at[3] * between };
      left -= s->at[s->count - 1];
      for (int64_t r = 0; r < left; r++)
        j->best(n, at + r * j->inner, at + r * j->inner, s->count, from);
    }
  }
}

static int32_t filter(const hed_call *call, bool least, const char *name)
{
  const hed_box_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int type = in->dtype == HED_ID_FLOAT16 || in->dtype == HED_ID_BFLOAT16 ? HED_ID_FLOAT32 : in->dtype;
  const cpu_filter_loops *loops = &cpu_filters[type];
  const int boundary = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : p->boundary;
  int64_t before[HED_MAX_NDIM], after[HED_MAX_NDIM], zero[HED_MAX_NDIM] = { 0 };
  uint64_t margin[2];
  if (type != call->compute)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return HED_OK;
  for (int32_t k = 0; k < in->ndim; k++) { /* a box that reaches beyond a side by more than the line sees nothing new */
    before[k] = CPU_MIN(p->size / 2, in->dim[k]);
    after[k] = CPU_MIN((p->size - 1) / 2, in->dim[k]);
  }
  cpu_frame_margin(type, p->cval, margin);
  hed_view frame;
  void *data = cpu_frame(call, in, type, before, after, boundary, margin, &frame);
  job j = { .best = least ? loops->least : loops->largest, .data = data, .size = hed__id_size(type) };
  const int64_t last = in->ndim > 0 ? in->ndim - 1 : 0, total = data ? hed__view_size(&frame) : 0;
  j.row = frame.dim[last] * j.size;
  j.spare = data ? cpu_scratch_get((size_t)(2 * call->max_threads * (j.row + CPU_FILTER_SLACK))) : NULL;
  if (!data || !j.spare) {
    cpu_scratch_put(data);
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for %lld elements of scratch", name, (long long)hed__view_size(out));
  }
  for (int32_t axis = in->ndim - 1; axis >= 0; axis--) {
    j.length = frame.dim[axis];
    j.inner = frame.stride[axis];
    j.row = j.length * j.inner;
    j.count = find_steps(before[axis] + after[axis] + 1, j.steps);
    j.columns = total * j.size / j.row * (axis == last ? 1 : (j.inner + TILE - 1) / TILE);
    if (j.count > 0)
      cpu_parallel_parts(call, j.columns, 2.0 * j.count * (double)total, axis == last ? rows_part : columns_part, &j);
  }
  const hed_view done = cpu_frame_part(&frame, zero, out);
  (void)cpu_convert(call, out, &done);
  cpu_scratch_put(j.spare);
  cpu_scratch_put(data);
  return HED_OK;
}

int32_t cpu_maximum_filter(void *state, const hed_call *call)
{
  (void)state;
  return filter(call, false, "maximum_filter");
}

int32_t cpu_minimum_filter(void *state, const hed_call *call)
{
  (void)state;
  return filter(call, true, "minimum_filter");
}
