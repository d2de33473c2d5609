// SPDX-License-Identifier: BSD-3-Clause
/*
 * Short slices, many of which are sorted at once. L1.
 *
 * They lie side by side in rows of vectors, an element of each slice in every row, and a network sorts the rows
 * (kernels/sort/network.h). Slices of contiguous elements are transposed on their way there and back.
 */
#include "backends/cpu/sort/short.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/sort/zeros.h"
#include <string.h>

/* Slices are numbered in the order of their first elements: axis by axis, inmost first, while the steps agree. */
static void find_run(cpu_short *s)
{
  s->run = 1;
  for (int32_t k = s->in->ndim - 1; k >= 0; k--) {
    const int64_t dim = s->in->dim[k], in = s->in->stride[k], out = s->out->stride[k];
    if (k == s->axis || dim == 1)
      continue;
    if (s->run == 1) {
      s->in_step = in;
      s->out_step = out;
    } else if (in != s->in_step * s->run || out != s->out_step * s->run) {
      return;
    }
    s->run *= dim;
  }
}

static int log_of(int64_t size) { return __builtin_ctzll((uint64_t)size); }

void cpu_short_begin(cpu_short *s)
{
  s->n = s->in->ndim ? s->in->dim[s->axis] : 1;
  s->size = hed__id_size(s->type);
  s->most = (s->indices ? cpu_sort_k->network_indices_most : cpu_sort_k->network_most)[log_of(s->size)];
  find_run(s);
  if (s->n <= s->most && s->run > 1)
    s->width = CPU_SORT_ROW / (s->indices && s->size < 8 ? 2 * s->size : s->size);
  const int type = s->indices ? HED_ID_INT64 : s->type;
  s->out_size = hed__id_size(type);
  if (s->in->dtype != s->type || s->in_step != s->size)
    s->gather = hed__cast(s->in->dtype, s->type);
  if (s->out->dtype != type || s->out_step != s->out_size)
    s->deliver = hed__cast(type, s->out->dtype);
}

/* Keys, what their network needs, and indices. */
size_t cpu_short_bytes(const cpu_short *s)
{
  return (size_t)(s->n * (CPU_SORT_ROW + (s->indices ? 2 * CPU_SORT_ROW + s->width * 8 : 0)));
}

int64_t cpu_short_count(const cpu_short *s, int64_t slice, int64_t left)
{
  if (!s->width)
    return 0;
  const int64_t count = CPU_MIN(CPU_MIN(s->run - slice % s->run, s->width), left);
  return s->n * s->width <= s->most * count ? count : 0;
}

/* COUNT slices to rows of WIDTH values. */
static void load(const cpu_short *s, int64_t count, const char *from, char *rows)
{
  const int64_t row = s->width * s->size, step = s->in->stride[s->axis];
  if (count < s->width)
    memset(rows, 0, (size_t)(s->n * row));
  if (s->in->dtype == s->type && step == s->size)
    cpu_copy_k->transpose[log_of(s->size)](s->n, count, rows, row, from, s->in_step);
  else for (int64_t i = 0; i < s->n; i++, rows += row, from += step)
    if (s->gather)
      s->gather(count, rows, s->size, from, s->in_step);
    else
      memcpy(rows, from, (size_t)(count * s->size));
}

/* And back, values or indices. */
static void store(const cpu_short *s, int64_t count, char *to, const char *rows)
{
  const int64_t row = s->width * s->out_size, step = s->out->stride[s->axis];
  if (s->out->dtype == (s->indices ? HED_ID_INT64 : s->type) && step == s->out_size)
    cpu_copy_k->transpose[log_of(s->out_size)](count, s->n, to, s->out_step, rows, row);
  else for (int64_t i = 0; i < s->n; i++, rows += row, to += step)
    if (s->deliver)
      s->deliver(count, to, s->out_step, rows, s->out_size);
    else
      memcpy(to, rows, (size_t)(count * s->out_size));
}

void cpu_short_sort(const cpu_short *s, int64_t count, const char *from, char *to, char *scratch)
{
  const int64_t all = s->n * s->width;
  load(s, count, from, scratch);
  const bool zeros = cpu_sort_k->own_keys(s->type, all, scratch, s->descending, s->indices);
  if (s->indices) {
    char *const words = scratch + s->n * CPU_SORT_ROW, *const indices = words + 2 * s->n * CPU_SORT_ROW;
    cpu_sort_k->network_indices[log_of(s->size)](s->n, scratch, (void *)indices, words);
    store(s, count, to, indices);
  } else {
    cpu_sort_k->network[log_of(s->size)](s->n, scratch);
    cpu_sort_k->own_values(s->type, all, scratch, s->descending);
    store(s, count, to, scratch);
    for (int64_t i = 0; i < count && zeros; i++)
      cpu_sort_zeros(s->out->dtype, s->n, from + i * s->in_step, s->in->stride[s->axis], to + i * s->out_step,
                     s->out->stride[s->axis], s->descending);
  }
}
