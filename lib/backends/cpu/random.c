// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random numbers: base/random.h in pieces, one per thread at a time. L1.
 *
 * Element i depends on its C-order index alone, so pieces give the same bits in any number and order.
 * Pieces begin at multiples of four elements, where Philox blocks begin.
 */
#include "base/random.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/parallel.h"
#include "base/shape.h"
#include <string.h>

typedef struct job {
  const hed_random_params *p;
  const hed_view *out;
  bool packed;
} job;

enum { BLOCK = 256 };

/* Elements [begin, end) in C order of a view with strides. */
static void scatter(const hed_view *v, int64_t begin, int64_t n, const char *block, size_t size)
{
  int64_t index[HED_MAX_NDIM], rest = begin;
  char *at = v->data;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    index[k] = rest % v->dim[k];
    rest /= v->dim[k];
    at += index[k] * v->stride[k];
  }
  for (int64_t i = 0; i < n; i++) {
    memcpy(at, block + (size_t)i * size, size);
    for (int32_t k = v->ndim - 1; k >= 0; k--) {
      at += v->stride[k];
      if (++index[k] < v->dim[k])
        break;
      at -= v->stride[k] * v->dim[k];
      index[k] = 0;
    }
  }
}

static void run(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const hed_view *out = j->out;
  size_t size = (size_t)hed__id_size(out->dtype);
  if (j->packed) {
    hed__random_fill(j->p, out->dtype, begin, end - begin, (char *)out->data + (size_t)begin * size);
    return;
  }
  _Alignas(16) char block[BLOCK * 16];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = CPU_MIN(end - i, BLOCK);
    hed__random_fill(j->p, out->dtype, i, n, block);
    scatter(out, i, n, block, size);
  }
}

int32_t cpu_random(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *out = call->out[0];
  int64_t n = hed__view_size(out);
  if (n == 0)
    return HED_OK;
  job j = { call->params, out, hed__is_c_contiguous(out) };
  cpu_parallel_for(call, n, 4096, 10 * (double)n, run, &j);
  return HED_OK;
}
