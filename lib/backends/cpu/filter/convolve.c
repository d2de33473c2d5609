// SPDX-License-Identifier: BSD-3-Clause
/*
 * convolve_direct in the element type: integers wrap in their own width, which is the same; half precision in float32, bool by
 * counting. L1.
 *
 * The longer operand is framed by zeros and the other one reversed: every element of the result is one sum over a window.
 * Zeros outside must not meet an infinity or a NaN: such weights are left to the reference kernel, which multiplies nothing
 * there.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <math.h>
#include <string.h>

typedef struct job {
  void (*products)(int64_t n, void *out, const void *x, int64_t rows, const int64_t *at, int64_t taps, const void *w);
  hed_view frame, to;     /* both dense, of the type computed in */
  int64_t rows, taps;     /* of the weights */
  const int64_t *at;      /* where the rows of a window lie in the frame, in elements */
  const void *weights;
} job;

static void rows_part(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int32_t last = j->to.ndim - 1;
  for (int64_t r = begin; r < end; r++) {
    const char *from = (char *)j->frame.data + hed__offset_of(last, j->to.dim, j->frame.stride, r);
    j->products(j->to.dim[last], (char *)j->to.data + r * j->to.dim[last] * j->to.stride[last], from, j->rows, j->at, j->taps,
                j->weights);
  }
}

/* Long single rows: pieces of it. */
static void columns_part(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int64_t size = j->to.stride[j->to.ndim - 1];
  j->products(end - begin, (char *)j->to.data + begin * size, (const char *)j->frame.data + begin * size, j->rows, j->at, j->taps,
              j->weights);
}

static bool all_finite(int type, int64_t n, const void *x)
{
  const int64_t parts = hed__id_kind(type) == HED_KIND_COMPLEX ? 2 * n : n;
  bool all = true;
  if (hed__real_of(type) == HED_ID_FLOAT32)
    for (int64_t k = 0; k < parts; k++)
      all &= isfinite(((const float *)x)[k]) != 0;
  else if (hed__real_of(type) == HED_ID_FLOAT64)
    for (int64_t k = 0; k < parts; k++)
      all &= isfinite(((const double *)x)[k]) != 0;
  return all;
}

int32_t cpu_convolve_direct(void *state, const hed_call *call)
{
  (void)state;
  const hed_convolve_params *p = call->params;
  const hed_view *a = call->in[0], *b = call->in[1], *out = call->out[0];
  const bool half = call->compute == HED_ID_FLOAT16 || call->compute == HED_ID_BFLOAT16;
  const int type = half ? HED_ID_FLOAT32 : call->compute == HED_ID_BOOL ? HED_ID_UINT32 : call->compute;
  const int64_t size = hed__id_size(type);
  if (hed__view_size(a) < hed__view_size(b)) { /* a * b = b * a */
    const hed_view *other = a;
    a = b;
    b = other;
  }
  const int64_t n = hed__view_size(out), count = hed__view_size(b);
  const int32_t last = out->ndim - 1;
  if (n == 0)
    return HED_OK;
  hed_view part = *a, reversed = *b, frame;
  int64_t before[HED_MAX_NDIM], after[HED_MAX_NDIM];
  for (int32_t k = 0; k <= last; k++) { /* windows begin at FIRST of a and end before END */
    const int64_t first = p->start[k] - (b->dim[k] - 1), end = p->start[k] + out->dim[k];
    const int64_t low = CPU_MAX(first, 0), high = CPU_MIN(end, a->dim[k]);
    before[k] = low - first;
    after[k] = end - high;
    part.data = (char *)part.data + low * a->stride[k];
    part.dim[k] = high - low;
    reversed.data = (char *)reversed.data + (b->dim[k] - 1) * b->stride[k];
    reversed.stride[k] = -b->stride[k];
  }
  job j = { .products = cpu_filters[type].products, .taps = b->dim[last], .rows = count / b->dim[last] };
  const bool direct = out->dtype == type && hed__is_c_contiguous(out);
  const char zero[2 * sizeof(double)] = { 0 };
  char *weights = cpu_scratch_get((size_t)(count * size)), *made = direct ? NULL : cpu_scratch_get((size_t)(n * size));
  int64_t *at = cpu_scratch_get((size_t)j.rows * sizeof *at);
  void *data = NULL;
  int32_t status = HED_E_UNSUPPORTED;
  if (weights) {
    const hed_view to = cpu_frame_dense(&reversed, type, weights);
    (void)cpu_convert(call, &to, &reversed);
    if (!all_finite(type, count, weights))
      goto end;
    data = cpu_frame(call, &part, type, before, after, HED_BOUNDARY_CONSTANT, zero, &frame);
  }
  if (!weights || !at || !data || (!direct && !made)) {
    status = cpu_host->fail(HED_E_NOMEM, "convolve_direct: no memory for %lld elements of scratch", (long long)n);
    goto end;
  }
  for (int64_t r = 0; r < j.rows; r++)
    at[r] = hed__offset_of(last, b->dim, frame.stride, r) / size;
  j.frame = frame;
  j.to = cpu_frame_dense(out, type, direct ? out->data : made);
  j.at = at;
  j.weights = weights;
  if (n == out->dim[last])
    cpu_parallel_for(call, n, 64, (double)n * (double)count, columns_part, &j);
  else
    cpu_parallel_for(call, n / out->dim[last], 1, (double)n * (double)count, rows_part, &j);
  if (!direct)
    (void)cpu_convert(call, out, &j.to);
  status = HED_OK;
end:
  cpu_scratch_put(weights);
  cpu_scratch_put(made);
  cpu_scratch_put(at);
  cpu_scratch_put(data);
  return status;
}
