// SPDX-License-Identifier: BSD-3-Clause
/*
 * phasor: rows of the result shared by threads, written past the caches where it is large. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/parallel.h"
#include "backends/cpu/runtime/stream.h"
#include "base/shape.h"

enum { BLOCK_ELEMENTS = 128 /* elements that are written out at a time */ };

typedef struct job {
  const hed_view *view[3];
  hed__map_fn loop;
  int64_t row, size;             /* elements of a row, bytes of one */
  bool stream;
} job;

static void run_range(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int32_t last = j->view[0]->ndim - 1;
  const int64_t s[3] = { j->size, j->view[1]->stride[last], j->view[2]->stride[last] };
  while (begin < end) {
    const int64_t first = begin % j->row, n = CPU_MIN(j->row - first, end - begin);
    char *to = (char *)j->view[0]->data + begin * j->size, *in[2];
    for (int k = 0; k < 2; k++)
      in[k] = (char *)j->view[1 + k]->data + first * s[1 + k] +
              hed__offset_of(last, j->view[0]->dim, j->view[1 + k]->stride, begin / j->row);
    if (j->stream) {
      _Alignas(64) char block[BLOCK_ELEMENTS * 16];
      for (int64_t i = 0; i < n; i += BLOCK_ELEMENTS) {
        const int64_t m = CPU_MIN(n - i, BLOCK_ELEMENTS);
        j->loop(m, (char *const[]){ block, in[0] + i * s[1], in[1] + i * s[2] }, s, NULL);
        cpu_stream(to + i * j->size, block, (size_t)(m * j->size));
      }
    } else {
      j->loop(n, (char *const[]){ to, in[0], in[1] }, s, NULL);
    }
    begin += n;
  }
  if (j->stream)
    cpu_stream_end();
}

int32_t cpu_phasor(void *state, const hed_call *call)
{
  static const float one = 1;
  static const double wide_one = 1;
  const hed_view *out = call->out[0], *rate = call->n_in > 1 ? call->in[1] : NULL;
  job j = { .loop = (*cpu_k->functions)[CPU_FN_PHASOR][call->compute], .size = hed__id_size(out->dtype) };
  hed_view view[3] = { *out, *call->in[0], rate ? *rate : *out };
  int64_t n = 1;
  (void)state;
  for (int32_t axis = 0; axis < out->ndim; axis++)
    n *= out->dim[axis];
  if (!rate) {
    view[2].data = (void *)(uintptr_t)(call->compute == HED_ID_FLOAT64 ? (const void *)&wide_one : (const void *)&one);
    for (int32_t axis = 0; axis < out->ndim; axis++)
      view[2].stride[axis] = 0;
  }
  const bool flat = !rate && hed__is_c_contiguous(call->in[0]);
  for (int k = 0; k < 3; k++) {
    if (flat || out->ndim == 0) { /* one row */
      view[k].ndim = 1;
      view[k].dim[0] = n;
      view[k].stride[0] = k == 0 ? j.size : flat && k == 1 ? j.size / 2 : 0;
    }
    j.view[k] = &view[k];
  }
  j.row = j.view[0]->dim[j.view[0]->ndim - 1];
  j.stream = cpu_stream_pays(out->data, (size_t)(n * j.size));
  cpu_parallel_for(call, n, 64, 8 * (double)n, run_range, &j);
  return HED_OK;
}
