// SPDX-License-Identifier: BSD-3-Clause
/*
 * Correlation with weights along one axis, in the compute type: float32 or float64. L1.
 *
 * Beside the axis LANE neighbouring columns are summed at once, so memory is read in rows; on the last axis a line is
 * extended beyond its ends first and LANE results are summed at once. Weights are added in order, so a result does not
 * depend on threads.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/boundary.h"
#include "base/cast.h"
#include "base/shape.h"
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#  define HOT __attribute__((noinline, optimize("O3")))
#else
#  define HOT
#endif

enum { LANE = 64 };

typedef struct job {
  const void *in;         /* C order, compute type */
  void *out;
  const void *weights;
  int64_t n, inner, outer, taps; /* the axis; elements between its neighbours; lines of blocks */
  double cval;
  int mode;
  char *spare;            /* per part: an extended line */
  int64_t spare_bytes;
} job;

#define LOOPS(T)                                                                                        \
  HOT static void add_##T(T *restrict sum, T w, const T *restrict x)                                    \
  {                                                                                                     \
    for (int c = 0; c < LANE; c++)                                                                      \
      sum[c] += w * x[c];                                                                               \
  }                                                                                                     \
  /* COLS columns from FROM on, of block O. */                                                          \
  static void columns_##T(const job *j, int64_t o, int64_t from, int64_t cols)                          \
  {                                                                                                     \
    const T *in = (const T *)j->in + o * j->n * j->inner + from, *w = j->weights, cval = (T)j->cval;    \
    T *out = (T *)j->out + o * j->n * j->inner + from;                                                  \
    for (int64_t i = 0; i < j->n; i++) {                                                                \
      T sum[LANE] = { 0 };                                                                              \
      for (int64_t k = 0; k < j->taps; k++) {                                                           \
        const int64_t at = hed__boundary_index(i + k - j->taps / 2, j->n, j->mode);                     \
        const T *row = in + at * j->inner;                                                              \
        if (at >= 0 && cols == LANE)                                                                    \
          add_##T(sum, w[k], row);                                                                      \
        else                                                                                            \
          for (int64_t c = 0; c < cols; c++)                                                            \
            sum[c] += w[k] * (at < 0 ? cval : row[c]);                                                  \
      }                                                                                                 \
      memcpy(out + i * j->inner, sum, (size_t)cols * sizeof *sum);                                      \
    }                                                                                                   \
  }                                                                                                     \
  /* Row O of the last axis; LINE holds n + taps - 1 + LANE values. */                                  \
  static void row_##T(const job *j, int64_t o, T *line)                                                 \
  {                                                                                                     \
    const T *in = (const T *)j->in + o * j->n, *w = j->weights;                                         \
    T *out = (T *)j->out + o * j->n;                                                                    \
    const int64_t before = j->taps / 2, length = j->n + j->taps - 1;                                    \
    for (int64_t i = 0; i < length; i++) {                                                              \
      if (i == before) {                                                                                \
        memcpy(line + before, in, (size_t)j->n * sizeof *in);                                           \
        i += j->n;                                                                                      \
        if (i >= length)                                                                                \
          break;                                                                                        \
      }                                                                                                 \
      const int64_t at = hed__boundary_index(i - before, j->n, j->mode);                                \
      line[i] = at < 0 ? (T)j->cval : in[at];                                                           \
    }                                                                                                   \
    memset(line + length, 0, LANE * sizeof *line);                                                      \
    for (int64_t i = 0; i < j->n; i += LANE) {                                                          \
      T sum[LANE] = { 0 };                                                                              \
      for (int64_t k = 0; k < j->taps; k++)                                                             \
        add_##T(sum, w[k], line + i + k);                                                               \
      memcpy(out + i, sum, (size_t)CPU_MIN(j->n - i, LANE) * sizeof *sum);                              \
    }                                                                                                   \
  }                                                                                                     \
  static void part_##T(void *arg, int32_t part, int32_t parts)                                          \
  {                                                                                                     \
    const job *j = arg;                                                                                 \
    const int64_t lanes = (j->inner + LANE - 1) / LANE;                                                 \
    for (int64_t k = part; k < j->outer * lanes; k += parts) {                                          \
      if (j->inner == 1)                                                                                \
        row_##T(j, k, (T *)(void *)(j->spare + part * j->spare_bytes));                                 \
      else                                                                                              \
        columns_##T(j, k / lanes, k % lanes * LANE, CPU_MIN(j->inner - k % lanes * LANE, LANE));        \
    }                                                                                                   \
  }

LOOPS(float)
LOOPS(double)

int32_t cpu_correlate1d(void *state, const hed_call *call)
{
  (void)state;
  const hed_correlate_params *p = call->params;
  const hed_view *in = call->in[0], *weights = call->in[1], *out = call->out[0];
  const int type = call->compute;
  const size_t size = (size_t)hed__id_size(type);
  const int64_t n = hed__view_size(out);
  if (n == 0)
    return HED_OK;
  job j = { .n = out->dim[p->axis], .inner = 1, .taps = weights->dim[0], .cval = p->cval,
            .mode = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_REFLECT : p->boundary };
  for (int32_t k = p->axis + 1; k < out->ndim; k++)
    j.inner *= out->dim[k];
  j.outer = n / (j.n * j.inner);
  const bool direct_in = in->dtype == type && hed__is_c_contiguous(in);
  const bool direct_out = out->dtype == type && hed__is_c_contiguous(out);
  /* line by line in multiples of a cache line */
  j.spare_bytes = ((j.n + j.taps - 1 + 2 * LANE) * (int64_t)size + 63) / 64 * 64;
  char *copy = direct_in ? NULL : cpu_scratch_get((size_t)n * size);
  char *made = direct_out ? NULL : cpu_scratch_get((size_t)n * size);
  char *w = cpu_scratch_get((size_t)j.taps * size);
  int32_t status = HED_OK;
  j.spare = cpu_scratch_get((size_t)(j.spare_bytes * call->max_threads));
  if ((!direct_in && !copy) || (!direct_out && !made) || !w || !j.spare) {
    status = cpu_host->fail(HED_E_NOMEM, "correlate1d: no memory for %lld elements of scratch", (long long)n);
    goto end;
  }
  hed_view dense = *out;
  dense.dtype = type;
  hed__c_strides(dense.ndim, dense.dim, (int64_t)size, dense.stride);
  if (!direct_in) {
    dense.data = copy;
    (void)cpu_convert(call, &dense, in);
  }
  hed__cast(weights->dtype, type)(j.taps, w, (int64_t)size, weights->data, weights->stride[0]);
  j.in = direct_in ? in->data : copy;
  j.out = direct_out ? out->data : made;
  j.weights = w;
  cpu_parallel_parts(call, j.outer * ((j.inner + LANE - 1) / LANE), (double)n * (double)j.taps,
                     type == HED_ID_FLOAT32 ? part_float : part_double, &j);
  if (!direct_out) {
    dense.data = made;
    (void)cpu_convert(call, out, &dense);
  }
end:
  cpu_scratch_put(copy);
  cpu_scratch_put(made);
  cpu_scratch_put(w);
  cpu_scratch_put(j.spare);
  return status;
}
