// SPDX-License-Identifier: BSD-3-Clause
/* The driver of elementwise operations. L0.
 *
 * Three roads, the cheapest first: operands that are one run of elements each go to the loop in a single call; others
 * go row by row through a nest; and where a dtype differs from what the loop computes in, a row is taken in blocks that
 * are converted on the stack. A repeated operand (stride 0) is converted once per block, not once per element.
 */
#include "base/map.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/nest.h"

enum {
  BLOCK = 256,  /* elements converted at a time: all buffers together stay in the L1 cache */
  WIDEST = 16   /* bytes of the largest element */
};

typedef struct job {
  const hed__map *map;
  const void *params;
  int32_t n;                    /* operands, the result included */
  bool converts;
  const hed_view *view[HED__MAX_OPERANDS];
} job;

static void job_init(job *j, const hed__map *map, const hed_call *call)
{
  j->map = map;
  j->params = call->params;
  j->n = call->n_in + 1;
  j->view[0] = call->out[0];
  j->converts = call->out[0]->dtype != map->types[0];
  for (int32_t k = 1; k < j->n; k++) {
    j->view[k] = call->in[k - 1];
    j->converts |= j->view[k]->dtype != map->types[k];
  }
}

/* A row with conversions. Separate, so that rows without do not pay for the buffers. */
static __attribute__((noinline)) void convert_row(const job *j, int64_t n, char *const *ptr, const int64_t *stride)
{
  _Alignas(64) char buffer[HED__MAX_OPERANDS][BLOCK * WIDEST];
  hed__cast_fn cast[HED__MAX_OPERANDS] = { NULL };
  char *at[HED__MAX_OPERANDS];
  int64_t step[HED__MAX_OPERANDS];

  for (int32_t k = 0; k < j->n; k++) {
    int have = j->view[k]->dtype, want = j->map->types[k];
    step[k] = stride[k];
    if (have == want)
      continue;
    cast[k] = k ? hed__cast(have, want) : hed__cast(want, have);
    if (k == 0 || stride[k] != 0)
      step[k] = hed__id_size(want);
  }
  for (int64_t done = 0; done < n; done += BLOCK) {
    int64_t m = n - done < BLOCK ? n - done : BLOCK;
    for (int32_t k = 0; k < j->n; k++) {
      char *from = ptr[k] + done * stride[k];
      at[k] = cast[k] ? buffer[k] : from;
      if (cast[k] && k > 0)
        cast[k](step[k] ? m : 1, buffer[k], hed__id_size(j->map->types[k]), from, stride[k]);
    }
    j->map->fn(m, at, step, j->params);
    if (cast[0])
      cast[0](m, ptr[0] + done * stride[0], stride[0], buffer[0], step[0]);
  }
}

static inline void run_row(const job *j, int64_t n, char *const *ptr, const int64_t *stride)
{
  if (j->converts)
    convert_row(j, n, ptr, stride);
  else
    j->map->fn(n, ptr, stride, j->params);
}

/* Elements of a view, which is valid: no product overflows. */
static inline int64_t elements(const hed_view *v)
{
  int64_t n = 1;
  for (int32_t k = 0; k < v->ndim; k++)
    n *= v->dim[k];
  return n;
}

/* Are the elements of V, in C order, evenly spaced? */
static bool is_run(const hed_view *v, int64_t *stride)
{
  int32_t k = v->ndim - 1;
  while (k >= 0 && v->dim[k] == 1)
    k--;
  int64_t step = k >= 0 ? v->stride[k] : hed__id_size(v->dtype), next = k >= 0 ? step * v->dim[k] : 0;
  *stride = step;
  for (k--; k >= 0; k--)
    if (v->dim[k] != 1) {
      if (v->stride[k] != next)
        return false;
      next *= v->dim[k];
    }
  return true;
}

static bool run_flat(const job *j, int64_t first, int64_t count)
{
  char *ptr[HED__MAX_OPERANDS];
  int64_t stride[HED__MAX_OPERANDS];
  for (int32_t k = 0; k < j->n; k++) {
    if (!is_run(j->view[k], &stride[k]))
      return false;
    ptr[k] = (char *)j->view[k]->data + first * stride[k];
  }
  run_row(j, count, ptr, stride);
  return true;
}

/* Elements [first, first + count) in the order of the nest: the ends of the range may lie within rows. Rows of the last axis but
 * one follow each other without a step of the walk, which takes longer than ten of their elements. */
static void run_nest(const job *j, int64_t first, int64_t count)
{
  hed__nest nest;
  hed__walk walk;
  int64_t stride[HED__MAX_OPERANDS], next[HED__MAX_OPERANDS];
  hed__nest_init(&nest, j->n, j->view, HED__NEST_REORDER);
  const int32_t last = nest.ndim - 1;
  const int64_t width = nest.dim[last], inner = last > 0 ? nest.dim[last - 1] : 1;
  int64_t column = first % width, row = first / width % inner;
  for (int32_t k = 0; k < j->n; k++) {
    stride[k] = nest.stride[k][last];
    next[k] = last > 0 ? nest.stride[k][last - 1] : 0;
  }
  const hed__nest outer = hed__nest_outside(&nest, last - 1);
  const int64_t done = first / width / inner;
  hed__walk_init(&walk, &outer, done, hed__nest_rows(&outer) - done);
  for (; count > 0 && hed__walk_next(&walk); row = 0)
    for (; row < inner && count > 0; row++) {
      char *ptr[HED__MAX_OPERANDS];
      const int64_t n = width - column < count ? width - column : count;
      for (int32_t k = 0; k < j->n; k++)
        ptr[k] = walk.ptr[k] + row * next[k] + column * stride[k];
      run_row(j, n, ptr, stride);
      count -= n;
      column = 0;
    }
}

static void run_range(const job *j, int64_t first, int64_t count)
{
  if (count > 0 && !run_flat(j, first, count))
    run_nest(j, first, count);
}

void hed__map_run(const hed__map *map, const hed_call *call)
{
  job j;
  job_init(&j, map, call);
  run_range(&j, 0, elements(call->out[0]));
}

void hed__map_run_part(const hed__map *map, const hed_call *call, int part, int parts)
{
  job j;
  job_init(&j, map, call);
  int64_t size = elements(call->out[0]), each = size / parts, rest = size % parts;
  int64_t first = part * each + (part < rest ? part : rest);
  run_range(&j, first, each + (part < rest));
}
