// SPDX-License-Identifier: BSD-3-Clause
/*
 * map_coordinates, and affine_transform of any boundary and precision, point by point in the compute type. L1.
 *
 * The coefficients are framed once; pieces of the result go through loops that take blocks of points (kernels/filter/sample.h).
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/filter/frame.h"
#include "backends/cpu/filter/spline.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <string.h>

typedef struct job {
  cpu_samples samples;
  cpu_sample_fn fn;
  int64_t size;
  char *out;               /* dense, of the type computed in */
  const double *at;        /* map_coordinates: the points, N of each axis */
  int64_t n;
  const hed_affine_params *affine;
  const int64_t *dim;      /* of the result, AFFINE's axes */
} job;

static void run_points(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  for (int64_t i = begin; i < end; i += CPU_SAMPLES) {
    const double *at[3] = { j->at + i, j->at + j->n + i, j->at + 2 * j->n + i };
    j->fn(&j->samples, CPU_MIN(end - i, CPU_SAMPLES), j->out + i * j->size, at);
  }
}

static void run_rows(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  const int32_t nd = j->samples.axes;
  const int64_t n = j->dim[nd - 1];
  double position[3][CPU_SAMPLES];
  const double *const at[3] = { position[0], position[1], position[2] };
  for (int64_t r = begin; r < end; r++)
    for (int64_t i = 0; i < n; i += CPU_SAMPLES) {
      const int64_t some = CPU_MIN(n - i, CPU_SAMPLES);
      for (int32_t a = 0; a < nd; a++) { /* summed in this order, to the reference's coordinates to the last bit */
        const double *m = j->affine->matrix[a];
        double start = m[nd];
        if (nd == 3)
          start += m[0] * (double)(r / j->dim[1]);
        if (nd > 1)
          start += m[nd - 2] * (double)(nd == 3 ? r % j->dim[1] : r);
        for (int64_t k = 0; k < some; k++)
          position[a][k] = start + m[nd - 1] * (double)(i + k);
      }
      j->fn(&j->samples, some, j->out + (r * n + i) * j->size, at);
    }
}

/* The coefficients of the elements of X, framed, for J; scratch memory. NULL when there is none. */
static void *framed_coefficients(const hed_call *call, const hed_view *x, int type, bool filter, job *j)
{
  const int boundary = j->samples.boundary, order = j->samples.order;
  const bool ends = boundary == HED_BOUNDARY_CONSTANT || boundary == HED_BOUNDARY_NEAREST;
  int64_t before[3], after[3];
  hed_view own = *x, frame;
  void *coefficients = NULL;
  if (order == 3 && filter) {
    if (!(coefficients = cpu_scratch_get((size_t)(hed__view_size(x) * j->size))))
      return NULL;
    own.data = coefficients;
    own.dtype = type;
    hed__c_strides(own.ndim, own.dim, j->size, own.stride);
    (void)cpu_convert(call, &own, x);
    if (!cpu_spline_coefficients(call, &own, ~0u, boundary)) {
      cpu_scratch_put(coefficients);
      return NULL;
    }
  }
  for (int32_t k = 0; k < x->ndim; k++) {
    before[k] = order > 0 ? CPU_SAMPLE_BEFORE : 0;
    after[k] = order > 0 ? CPU_SAMPLE_AFTER : 0;
  }
  void *data = cpu_frame(call, &own, type, before, after, ends ? HED_BOUNDARY_MIRROR : boundary, NULL, &frame);
  cpu_scratch_put(coefficients);
  if (!data)
    return NULL;
  const hed_view middle = cpu_frame_part(&frame, before, x);
  j->samples.x = middle.data;
  for (int32_t k = 0; k < x->ndim; k++) {
    j->samples.n[k] = x->dim[k];
    j->samples.step[k] = frame.stride[k] / j->size;
  }
  return data;
}

static job make_job(const hed_call *call, int32_t axes, int32_t order, int32_t boundary, double cval)
{
  return (job){ .samples = { .axes = axes, .order = order, .cval = cval,
                             .boundary = boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : boundary },
                .fn = cpu_samplers[call->compute == HED_ID_FLOAT64], .size = hed__id_size(call->compute) };
}

/* About what a point costs. */
static double work_of(const job *j)
{
  const double taps = j->samples.order + 1;
  return 30 + (j->samples.axes == 3 ? taps * taps * taps : taps * taps);
}

int32_t cpu_map_coordinates(void *state, const hed_call *call)
{
  (void)state;
  const hed_spline_params *p = call->params;
  const hed_view *x = call->in[0], *points = call->in[1], *out = call->out[0];
  const int type = call->compute;
  job j = make_job(call, x->ndim, p->order, p->boundary, p->cval);
  j.n = hed__view_size(out);
  if (j.n == 0)
    return HED_OK;
  const bool direct = out->dtype == type && hed__is_c_contiguous(out);
  const bool ready = points->dtype == HED_ID_FLOAT64 && hed__is_c_contiguous(points);
  hed_view made = *out, positions = *points;
  void *data = framed_coefficients(call, x, type, p->prefilter, &j);
  made.data = direct ? out->data : cpu_scratch_get((size_t)(j.n * j.size));
  positions.data = ready ? points->data : cpu_scratch_get((size_t)(hed__view_size(points) * (int64_t)sizeof(double)));
  const bool good = data && made.data && positions.data;
  if (good) {
    if (!ready) {
      positions.dtype = HED_ID_FLOAT64;
      hed__c_strides(positions.ndim, positions.dim, sizeof(double), positions.stride);
      (void)cpu_convert(call, &positions, points);
    }
    j.out = made.data;
    j.at = positions.data;
    cpu_parallel_for(call, j.n, CPU_SAMPLES, work_of(&j) * (double)j.n, run_points, &j);
    if (!direct) {
      made.dtype = type;
      hed__c_strides(made.ndim, made.dim, j.size, made.stride);
      (void)cpu_convert(call, out, &made);
    }
  }
  if (!direct)
    cpu_scratch_put(made.data);
  if (!ready)
    cpu_scratch_put(positions.data);
  cpu_scratch_put(data);
  return good ? HED_OK : cpu_host->fail(HED_E_NOMEM, "map_coordinates: no memory for %lld points", (long long)j.n);
}

hed_view cpu_affine_part(const hed_view *v, int32_t nd, int64_t i)
{
  const int32_t lead = v->ndim - nd;
  hed_view part = hed__view_without(v, 0, lead);
  part.data = (char *)v->data + hed__offset_of(lead, v->dim, v->stride, i);
  return part;
}

int32_t cpu_affine_points(const hed_call *call)
{
  const hed_affine_params *p = call->params;
  const int32_t nd = p->ndim;
  const hed_view whole = cpu_affine_part(call->out[0], nd, 0);
  const int64_t n = hed__view_size(&whole), batch = hed__view_size(call->out[0]) / n, rows = n / whole.dim[nd - 1];
  job j = make_job(call, nd, p->order, p->boundary, p->cval);
  j.affine = p;
  j.dim = whole.dim;
  bool good = (j.out = cpu_scratch_get((size_t)(n * j.size))) != NULL;
  for (int64_t i = 0; i < batch && good; i++) {
    const hed_view x = cpu_affine_part(call->in[0], nd, i), to = cpu_affine_part(call->out[0], nd, i);
    hed_view made = to;
    void *data = framed_coefficients(call, &x, call->compute, p->prefilter, &j);
    if ((good = data != NULL)) {
      cpu_parallel_for(call, rows, 1, work_of(&j) * (double)n, run_rows, &j);
      made.data = j.out;
      made.dtype = call->compute;
      hed__c_strides(nd, made.dim, j.size, made.stride);
      (void)cpu_convert(call, &to, &made);
    }
    cpu_scratch_put(data);
  }
  cpu_scratch_put(j.out);
  return good ? HED_OK : cpu_host->fail(HED_E_NOMEM, "affine_transform: no memory for %lld elements", (long long)n);
}
