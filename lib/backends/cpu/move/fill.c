// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays of one value, and ranges. L1.
 */
#include "backends/cpu/move/words.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/elementwise/map.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/cast.h"
#include "base/shape.h"

typedef struct fill_job {
  char *to;
  const void *word;
  size_t size;
} fill_job;

static void fill_range(void *arg, int64_t begin, int64_t end)
{
  const fill_job *j = arg;
  cpu_repeat_word(j->to + (size_t)begin * j->size, (size_t)(end - begin) * j->size, j->word, j->size);
}

/* The value is converted once and then repeated; where OUT has gaps, it is copied from a view of one repeated element. */
int32_t cpu_fill(void *state, const hed_call *call)
{
  (void)state;
  const hed_fill_params *p = call->params;
  const hed_view *out = call->out[0];
  uint64_t value[2] = { 0, 0 };
  const double z[2] = { p->re, p->im };
  switch (hed__id_kind(out->dtype)) {
  case HED_KIND_BOOL:
    *(uint8_t *)value = p->re != 0 || p->im != 0 || p->i != 0;
    break;
  case HED_KIND_INT:
  case HED_KIND_UINT:
    hed__cast(HED_ID_INT64, out->dtype)(1, (char *)value, 16, (const char *)&p->i, 8);
    break;
  default:
    hed__cast(HED_ID_COMPLEX128, out->dtype)(1, (char *)value, 16, (const char *)z, 16);
  }
  const int64_t size = hed__id_size(out->dtype), n = hed__view_size(out);
  if (hed__is_c_contiguous(out)) {
    enum { BYTES_PER_WORK = 16 };
    fill_job j = { out->data, value, (size_t)size };
    cpu_parallel_for(call, n, 4096, (double)(n * size) / BYTES_PER_WORK, fill_range, &j);
    return HED_OK;
  }
  hed_view one = *out;
  one.data = value;
  for (int32_t k = 0; k < one.ndim; k++)
    one.stride[k] = 0;
  const hed_view *in[1] = { &one };
  hed_call c = *call;
  c.in = in;
  c.n_in = 1;
  return cpu_map_run(&c, &(cpu_map){ .fn = cpu_copy_loop(size), .types = { out->dtype, out->dtype }, .work = 1, .copies = true });
}

/* ---- arange ---- */

typedef struct range_job {
  const hed_arange_params *p;
  char *to;
  int64_t step, size;
  hed__cast_fn cast; /* NULL: values have the type already */
  bool single;       /* which is float32 */
  bool stream;
} range_job;

static void values(const range_job *j, int64_t begin, int32_t n, void *to)
{
  const hed_arange_params *p = j->p;
  if (p->whole)
    cpu_copy_k->count_int[j->cast ? 3 : __builtin_ctzll((uint64_t)j->size)](
        n, to, (uint64_t)p->first + (uint64_t)begin * (uint64_t)p->increment, (uint64_t)p->increment);
  else if (j->single)
    cpu_copy_k->count_single(n, to, begin, p->start, p->step);
  else
    cpu_copy_k->count(n, to, begin, p->start, p->step);
}

static void arange_range(void *arg, int64_t begin, int64_t end)
{
  enum { VALUES = 128 };
  const range_job *j = arg;
  _Alignas(64) char value[8 * VALUES], block[16 * VALUES];
  for (; begin < end; begin += VALUES) {
    const int32_t n = (int32_t)CPU_MIN(VALUES, end - begin);
    char *to = j->to + begin * j->step, *made = j->stream ? block : to;
    if (j->cast) {
      values(j, begin, n, value);
      j->cast(n, made, j->stream ? j->size : j->step, value, 8);
    } else {
      values(j, begin, n, made);
    }
    if (j->stream)
      cpu_stream(to, made, (size_t)n * (size_t)j->size);
  }
  if (j->stream)
    cpu_stream_end();
}

int32_t cpu_arange(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *out = call->out[0];
  const hed_arange_params *p = call->params;
  const int64_t n = out->dim[0], size = hed__id_size(out->dtype);
  const int from = p->whole ? HED_ID_INT64 : HED_ID_FLOAT64;
  const hed_kind kind = hed__id_kind(out->dtype);
  const bool packed = out->stride[0] == size, integer = kind == HED_KIND_INT || kind == HED_KIND_UINT;
  range_job j = { .p = p, .to = out->data, .step = out->stride[0], .size = size };
  j.single = out->dtype == HED_ID_FLOAT32 && packed && !p->whole;
  j.cast = packed && (p->whole ? integer : j.single || out->dtype == from) ? NULL : hed__cast(from, out->dtype);
  j.stream = packed && cpu_stream_pays(out->data, (size_t)(n * size));
  cpu_parallel_for(call, n, 1024, (double)n, arange_range, &j);
  return HED_OK;
}
