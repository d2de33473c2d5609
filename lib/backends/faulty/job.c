// SPDX-License-Identifier: BSD-3-Clause
/* faulty: from a call to a job: copies of all that the call points at, in one block. L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what kernels in jobs get as services of the host ---- */

static pthread_key_t current;
static pthread_once_t current_once = PTHREAD_ONCE_INIT;

static void make_current(void) { (void)pthread_key_create(&current, NULL); }

static faulty_job *current_job(void) { return pthread_getspecific(current); }

static int32_t fail_job(int32_t status, const char *format, ...) HED_PRINTF(2, 3);

static int32_t fail_job(int32_t status, const char *format, ...)
{
  faulty_job *job = current_job();
  va_list ap;
  va_start(ap, format);
  vsnprintf(job->text, sizeof job->text, format, ap);
  va_end(ap);
  return status;
}

static void *scratch(size_t bytes) { return current_job()->device->host->alloc(bytes, 64); }

void faulty_services(faulty_device *d)
{
  pthread_once(&current_once, make_current);
  d->services = *d->host;
  d->services.fail = fail_job;
  d->services.scratch = scratch;
  d->services.scratch_free = d->host->free;
}

void faulty_run_job(faulty_job *job)
{
  (void)pthread_setspecific(current, job);
  job->status = job->run ? job->run(job) : HED_OK;
}

/* ---- sizes ---- */

size_t faulty_params_size(int32_t op)
{
  static const uint16_t size[HED_OP_COUNT_] = {
#define P(ID, type) [HED_OP_##ID] = sizeof(hed_##type##_params)
    P(ISOTONIC, isotonic),
    P(FILL, fill), P(ARANGE, arange), P(CONCATENATE, concatenate), P(TRIL, triangle), P(TRIU, triangle),
    P(CUMSUM, scan), P(CUMPROD, scan), P(CUMMAX, scan), P(CUMMIN, scan), P(SOFTMAX, scan),
    P(LOG_SOFTMAX, scan), P(QUANTILE, quantile), P(SEARCHSORTED, searchsorted), P(HISTOGRAM, histogram), P(SORT, sort),
    P(ARGSORT, sort), P(TOPK, sort), P(TAKE, take), P(TAKE_ALONG_AXIS, take), P(REPEAT, take), P(GATHER_ND, gather),
    P(SCATTER_ND, gather), P(COMPRESS, gather), P(SVD, svd), P(SOLVE_TRIANGULAR, triangular), P(CHOLESKY, cholesky),
    P(MATMUL, matmul), P(QR, qr), P(EIGH, eigh), P(EIGH_RANGE, eigh), P(FFT, fft), P(CONVOLVE_DIRECT, convolve), P(RANDOM, random),
    P(RANDOM_CATEGORICAL, random_rows), P(RANDOM_DIRICHLET, random_rows), P(RANDOM_HAAR, random_rows),
    P(AFFINE_TRANSFORM, affine), P(SPLINE_FILTER, spline), P(MAP_COORDINATES, spline), P(MAXIMUM_FILTER, box),
    P(MINIMUM_FILTER, box), P(MEDIAN_FILTER, box), P(CORRELATE1D, correlate),
    P(MAX_SCORE_OVER_ROTATIONS, maxscore), P(MAX_CORRELATION, maxcorr), P(VECTOR_NORM, reduce), P(NANSUM, reduce),
    P(NANMAX, reduce), P(NANMIN, reduce),
#undef P
#define HED_REDUCE(ID, name, domain, result, doc) [HED_OP_##ID] = sizeof(hed_reduce_params),
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = sizeof(params) > 1 ? sizeof(params) : 0,
#define HED_OP(...)
#include <heddle/ops.def>
  };
  return op >= 0 && op < HED_OP_COUNT_ ? size[op] : 0;
}

static bool is_on_host(const faulty_request *r, int32_t k) { return r->host_in && r->host_in[k / 32] >> k % 32 & 1; }

/* Bytes of a host operand as a job keeps it. */
static size_t kept_bytes(const hed_view *v)
{
  return (size_t)(hed__is_single(v->ndim, v->dim, v->stride) ? 1 : hed__view_size(v)) * (size_t)hed__id_size(v->dtype);
}

enum { UNIT = 16 };

static size_t rounded(size_t bytes) { return (bytes + UNIT - 1) / UNIT * UNIT; }

static int32_t n_deps(const faulty_request *r) { return r->n_wait_for + r->n_after + r->n_in_wait; }

static size_t job_bytes(const faulty_request *r)
{
  const hed_fused_call *f = r->fused;
  const size_t n = (size_t)(r->n_in + r->n_out);
  size_t sum = rounded(sizeof(faulty_job)) + rounded(n * sizeof(hed_view)) + rounded(n * sizeof(hed_view *)) +
               rounded(n * sizeof(faulty_use)) + rounded((size_t)n_deps(r) * sizeof(faulty_dep)) +
               rounded(faulty_params_size(r->op));
  for (int32_t k = 0; k < r->n_in; k++)
    sum += is_on_host(r, k) && !r->in_place ? rounded(kept_bytes(r->in[k])) : 0;
  if (f)
    sum += rounded((size_t)f->n_steps * sizeof(hed_fused_step)) + rounded((size_t)f->ndim * sizeof(int64_t));
  for (int32_t k = 0; f && k < f->n_steps; k++)
    sum += rounded(faulty_params_size(f->step[k].op));
  return sum;
}

/* ---- the copies ---- */

static void *carve(char **at, size_t bytes)
{
  void *p = *at;
  *at += rounded(bytes);
  return p;
}

static void *carve_copy(char **at, const void *from, size_t bytes)
{
  return bytes && from ? memcpy(carve(at, bytes), from, bytes) : NULL;
}

/* V in host memory becomes one of the job's own. */
static void keep_host_operand(hed_view *v, char **at)
{
  const hed_view from = *v;
  v->data = carve(at, kept_bytes(v));
  if (hed__is_single(v->ndim, v->dim, v->stride)) {
    memcpy(v->data, from.data, (size_t)hed__id_size(v->dtype));
    memset(v->stride, 0, sizeof v->stride);
    return;
  }
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), v->stride);
  faulty_copy(v, &from);
}

static void add_deps(faulty_job *job, faulty_device *d, const uint64_t *ticket, int32_t n, bool strict)
{
  for (int32_t k = 0; k < n; k++)
    job->dep[job->n_deps++] = (faulty_dep){ .device = d, .ticket = ticket[k], .strict = strict };
}

faulty_job *faulty_job_new(faulty_device *d, const faulty_request *r)
{
  const hed_fused_call *f = r->fused;
  const int32_t n = r->n_in + r->n_out;
  char *at = d->host->alloc(job_bytes(r), UNIT);
  if (!at)
    return NULL;
  faulty_job *job = carve(&at, sizeof *job);
  *job = (faulty_job){ .device = d, .run = r->run };
  hed_view *view = carve(&at, (size_t)n * sizeof *view);
  const hed_view **list = carve(&at, (size_t)n * sizeof *list);
  job->use = carve(&at, (size_t)n * sizeof *job->use);
  job->dep = carve(&at, (size_t)n_deps(r) * sizeof *job->dep);
  for (int32_t k = 0; k < n; k++) {
    const bool in = k < r->n_in;
    const hed_view *v = in ? r->in[k] : r->out[k - r->n_in];
    faulty_device *where = in && r->in_device ? r->in_device : d;
    list[k] = v ? &view[k] : NULL;
    if (!v)
      continue;
    view[k] = *v;
    if (in && is_on_host(r, k)) {
      if (!r->in_place)
        keep_host_operand(&view[k], &at);
      continue;
    }
    view[k].data = faulty_real(where, v->data);
    if (hed__view_size(v) > 0)
      job->use[job->n_uses++] = (faulty_use){ .device = where, .write = !in, .operand = k };
  }
  job->call = (hed_call){
    .struct_size = sizeof job->call,
    .op = r->op,
    .n_in = r->n_in,
    .n_out = r->n_out,
    .in = list,
    .out = list + r->n_in,
    .params = carve_copy(&at, r->params, faulty_params_size(r->op)),
    .compute = r->compute,
    .max_threads = 1,
  };
  add_deps(job, d, r->wait_for, r->n_wait_for, true);
  add_deps(job, d, r->after, r->n_after, false);
  add_deps(job, r->in_device, r->in_wait, r->n_in_wait, !r->lenient);
  if (f) {
    job->n_steps = f->n_steps;
    job->ndim = f->ndim;
    job->step = carve_copy(&at, f->step, (size_t)f->n_steps * sizeof *job->step);
    job->dim = carve_copy(&at, f->dim, (size_t)f->ndim * sizeof *job->dim);
    for (int32_t k = 0; k < f->n_steps; k++)
      job->step[k].params = carve_copy(&at, f->step[k].params, faulty_params_size(f->step[k].op));
  }
  return job;
}
