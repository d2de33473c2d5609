// SPDX-License-Identifier: BSD-3-Clause
/*
 * isotonic along an axis: slices shared by threads, each gathered into scratch memory. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/isotonic.h"
#include "base/shape.h"

enum { ROOM = 4 /* arrays of a slice's length: values, weights, those of blocks, their lengths */ };

typedef struct job {
  const hed_view *view[3];       /* x, the result, weights or NULL */
  hed__cast_fn cast[3];
  int64_t n, slices, step[3];
  int32_t axis;
  bool descending;
  double *room;                  /* for each part */
} job;

static void run_part(void *arg, int32_t part, int32_t parts)
{
  const job *j = arg;
  const int64_t n = j->n;
  double *y = j->room + part * ROOM * n, *weights = j->view[2] ? y + n : NULL;
  for (int64_t i = j->slices * part / parts; i < j->slices * (part + 1) / parts; i++) {
    char *at[3] = { NULL, NULL, NULL };
    int64_t index[HED_MAX_NDIM];
    hed__index_beside(j->view[0]->ndim, j->view[0]->dim, 1u << j->axis, i, index);
    for (int k = 0; k < 3 && j->view[k]; k++) {
      at[k] = (char *)j->view[k]->data - (j->descending ? (n - 1) * j->step[k] : 0);
      at[k] += hed__offset_at(j->view[0]->ndim, index, j->view[k]->stride);
    }
    j->cast[0](n, (char *)y, sizeof *y, at[0], j->step[0]);
    if (weights)
      j->cast[2](n, (char *)weights, sizeof *y, at[2], j->step[2]);
    hed__isotonic(n, y, weights, y + 2 * n, (int64_t *)(y + 3 * n));
    j->cast[1](n, at[1], j->step[1], (const char *)y, sizeof *y);
  }
}

int32_t cpu_isotonic(void *state, const hed_call *call)
{
  const hed_isotonic_params *p = call->params;
  const hed_view *x = call->in[0], *w = call->n_in > 1 ? call->in[1] : NULL, *out = call->out[0];
  job j = { .view = { x, out, w }, .n = x->dim[p->axis], .slices = 1, .axis = p->axis, .descending = p->descending,
            .cast = { hed__cast(x->dtype, HED_ID_FLOAT64), hed__cast(HED_ID_FLOAT64, out->dtype),
                      w ? hed__cast(w->dtype, HED_ID_FLOAT64) : NULL } };
  (void)state;
  for (int32_t axis = 0; axis < x->ndim; axis++)
    j.slices *= axis == p->axis ? 1 : x->dim[axis];
  for (int k = 0; k < 3 && j.view[k]; k++)
    j.step[k] = p->descending ? -j.view[k]->stride[p->axis] : j.view[k]->stride[p->axis];
  const double work = 30 * (double)j.slices * (double)j.n;
  const int64_t parts = CPU_MIN(j.slices, call->max_threads);
  j.room = cpu_scratch_get((size_t)(parts * ROOM * j.n) * sizeof *j.room);
  if (!j.room)
    return cpu_host->fail(HED_E_NOMEM, "isotonic: no memory for %lld slices of %lld elements", (long long)parts, (long long)j.n);
  cpu_parallel_parts(call, parts, work, run_part, &j);
  cpu_scratch_put(j.room);
  return HED_OK;
}
