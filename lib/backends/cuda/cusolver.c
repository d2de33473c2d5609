// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the rows of factorisations that cuSOLVER does: solve and cholesky. L1.
 *
 * Matrices are copied, as cuSOLVER works in place, and wants columns side by side. What it finds wrong is known when the device is
 * done: these calls wait for it.
 */
#include "backends/cuda/rows.h"
#include "base/dense.h"
#include "base/dtype.h"

enum { MOST_MATRICES = 32, ALIGNMENT = 256 }; /* more, and small ones, are faster on the host than one after the other here */

/* A stream's handle. */
struct hed__cuda_solver {
  hed__cuda_solver *next;
  CUstream stream;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
};

/* A call in numbers. */
typedef struct job {
  const hed__cuda_cusolver *lib;
  hed__cuda_solver *solver;
  bool cholesky;
  unsigned triangle, type;
  int64_t n, columns, batch;   /* columns: of right-hand sides */
  size_t size;                 /* of an element */
  size_t at_pivots, at_info, at_work, work_bytes, host_bytes;
} job;

static int32_t status_of(const hed__cuda_device *d, unsigned error, const char *what)
{
  if (error == HED__CUSOLVER_STATUS_SUCCESS)
    return HED_OK;
  return d->host->fail(error == HED__CUSOLVER_STATUS_ALLOC_FAILED ? HED_E_DEVMEM : HED_E_ASYNC, "cuda:%d: %s: cuSOLVER's status %u",
                       (int)d->index, what, error);
}

/* STREAM's, made when it is first asked for. The device's context is current. */
static int32_t solver_of(hed__cuda_device *d, const hed__cuda_cusolver *lib, CUstream stream, hed__cuda_solver **out)
{
  pthread_mutex_lock(&d->lock);
  hed__cuda_solver *s = d->solvers;
  pthread_mutex_unlock(&d->lock);
  while (s && s->stream != stream)
    s = s->next;
  *out = s;
  if (s)
    return HED_OK;
  s = d->host->alloc(sizeof *s, 0);
  if (!s)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a handle of cuSOLVER", (int)d->index);
  *s = (hed__cuda_solver){ .stream = stream };
  int32_t status = status_of(d, lib->cusolverDnCreate(&s->handle), "cusolverDnCreate");
  if (status == HED_OK)
    status = status_of(d, lib->cusolverDnCreateParams(&s->params), "cusolverDnCreateParams");
  if (status == HED_OK)
    status = status_of(d, lib->cusolverDnSetStream(s->handle, stream), "cusolverDnSetStream");
  if (status != HED_OK) {
    if (s->params)
      (void)lib->cusolverDnDestroyParams(s->params);
    if (s->handle)
      (void)lib->cusolverDnDestroy(s->handle);
    d->host->free(s);
    return status;
  }
  pthread_mutex_lock(&d->lock);
  s->next = d->solvers;
  d->solvers = s;
  pthread_mutex_unlock(&d->lock);
  *out = s;
  return HED_OK;
}

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* What J needs of scratch memory beside its matrices, from SCRATCH on. */
static int32_t measure(hed__cuda_device *d, job *j, size_t *scratch)
{
  unsigned error;
  if (j->cholesky)
    error = j->lib->cusolverDnXpotrf_bufferSize(j->solver->handle, j->solver->params, j->triangle, j->n, j->type, NULL, j->n, j->type,
                                                &j->work_bytes, &j->host_bytes);
  else
    error = j->lib->cusolverDnXgetrf_bufferSize(j->solver->handle, j->solver->params, j->n, j->n, j->type, NULL, j->n, j->type,
                                                &j->work_bytes, &j->host_bytes);
  j->at_pivots = *scratch;
  j->at_info = j->at_pivots + aligned((size_t)j->n * sizeof(int64_t));
  j->at_work = j->at_info + aligned((size_t)j->batch * 2 * sizeof(int));
  *scratch = j->at_work + aligned(j->work_bytes);
  return status_of(d, error, "a work space");
}

/* Matrix K of the batch, in place; B: its right-hand sides. */
static int32_t factor(hed__cuda_device *d, const job *j, int64_t k, char *a, char *b, char *scratch, void *host)
{
  int *info = (int *)(void *)(scratch + j->at_info) + 2 * k; /* an address of the device; the second one is getrs' */
  int64_t *pivots = (int64_t *)(void *)(scratch + j->at_pivots);
  void *work = scratch + j->at_work;
  const hed__cuda_solver *s = j->solver;
  a += (size_t)k * (size_t)j->n * (size_t)j->n * j->size;
  if (j->cholesky)
    return status_of(d, j->lib->cusolverDnXpotrf(s->handle, s->params, j->triangle, j->n, j->type, a, j->n, j->type, work,
                                                 j->work_bytes, host, j->host_bytes, info), "potrf");
  int32_t status = status_of(d, j->lib->cusolverDnXgetrf(s->handle, s->params, j->n, j->n, j->type, a, j->n, pivots, j->type, work,
                                                         j->work_bytes, host, j->host_bytes, info), "getrf");
  if (status == HED_OK)
    status = status_of(d, j->lib->cusolverDnXgetrs(s->handle, s->params, HED__CUBLAS_OP_N, j->n, j->columns, j->type, a, j->n, pivots,
                                                   j->type, b + (size_t)k * (size_t)j->n * (size_t)j->columns * j->size, j->n,
                                                   info + 1), "getrs");
  return status;
}

/* Waits, and says which matrix was not to be factored. */
static int32_t report(hed__submit *q, const job *j, int32_t batch_axes, char *scratch)
{
  hed__device *d = q->device;
  int info[2 * MOST_MATRICES];
  char text[HED__MATRIX_TEXT];
  int32_t status = d->port->copy(d->dev, q->stream->native, info, scratch + j->at_info, (size_t)j->batch * 2 * sizeof *info,
                                 HED__COPY_OUT, true);
  for (int64_t k = 0; k < j->batch && status == HED_OK; k++)
    if (info[2 * k] > 0 && j->cholesky)
      status = d->host->fail(HED_E_SINGULAR, "cholesky: %s is not positive definite: its leading minor of order %d",
                             hed__matrix_text(k, batch_axes, text), info[2 * k]);
    else if (info[2 * k] > 0)
      status = d->host->fail(HED_E_SINGULAR, "solve: %s is singular: pivot %d is 0", hed__matrix_text(k, batch_axes, text),
                             info[2 * k] - 1);
  return status;
}

static int32_t submit(hed__submit *q, job *j, hed__cuda_operand *a, hed__cuda_operand *b, hed__cuda_operand *out, size_t scratch)
{
  hed__device *d = q->device;
  hed__cuda_device *dev = d->dev;
  void *memory = NULL, *host = NULL;
  bool pushed;
  int32_t status = hed__cuda_enter(dev, &pushed);
  if (status != HED_OK)
    return status;
  status = solver_of(dev, j->lib, q->stream->native, &j->solver);
  if (status == HED_OK)
    status = measure(dev, j, &scratch);
  if (status == HED_OK && j->host_bytes > 0 && !(host = d->host->alloc(j->host_bytes, 0)))
    status = d->host->fail(HED_E_NOMEM, "%s: no memory for work space", d->name);
  if (status == HED_OK)
    status = hed__submit_scratch(q, scratch, &memory);
  if (status == HED_OK)
    status = hed__cuda_operand_load(q, a, memory);
  if (status == HED_OK && b)
    status = hed__cuda_operand_load(q, b, memory);
  if (status == HED_OK && !q->skip) {
    q->begun = true;
    for (int64_t k = 0; k < j->batch && status == HED_OK; k++)
      status = factor(dev, j, k, hed__cuda_operand_data(a, memory), b ? hed__cuda_operand_data(b, memory) : NULL, memory, host);
    if (status == HED_OK)
      status = report(q, j, a->view.ndim - 2, memory);
  }
  if (status == HED_OK)
    status = hed__cuda_operand_store(q, out, memory);
  d->host->free(host); /* what was submitted is over: report has waited */
  hed__cuda_leave(dev, pushed);
  return status;
}

/* J for matrices like A of type DTYPE; false where the host does it. */
static bool describe(job *j, const hed_view *a, int32_t dtype)
{
  static const int types[HED_ID_CONCRETE_COUNT_] = { [HED_ID_FLOAT32] = HED__CUDA_R_32F + 1, [HED_ID_FLOAT64] = HED__CUDA_R_64F + 1,
                                                     [HED_ID_COMPLEX64] = HED__CUDA_C_32F + 1,
                                                     [HED_ID_COMPLEX128] = HED__CUDA_C_64F + 1 };
  *j = (job){ .lib = hed__cuda_cusolver_get(), .n = a->dim[a->ndim - 1], .batch = 1, .size = (size_t)hed__id_size(dtype),
              .type = (unsigned)types[dtype] - 1 };
  for (int32_t k = 0; k < a->ndim - 2; k++)
    j->batch *= a->dim[k];
  return j->lib && types[dtype] && j->n > 0 && j->batch > 0 && j->batch <= MOST_MATRICES;
}

/* Columns side by side: the last two axes change places. */
static void transposed(int32_t ndim, int32_t *order)
{
  for (int32_t k = 0; k < ndim; k++)
    order[k] = k < ndim - 2 ? k : 2 * ndim - 3 - k;
}

int32_t hed__cuda_solve(void *state, const hed_call *c)
{
  hed__device *d = state;
  hed__cuda_operand a, b, out;
  hed__submit q;
  job j;
  int32_t order[HED_MAX_NDIM];
  size_t scratch = 0;
  if (!describe(&j, c->in[0], c->compute) || (j.columns = c->in[1]->dim[c->in[1]->ndim - 1]) == 0)
    return HED_E_UNSUPPORTED;
  transposed(c->in[0]->ndim, order);
  int32_t status = hed__cuda_operand_make(d, &a, c->in[0], order, c->compute, false, c->host_in & 1, false, &scratch);
  const size_t right = scratch;
  if (status == HED_OK)
    status = hed__cuda_operand_make(d, &b, c->in[1], order, c->compute, false, c->host_in >> 1 & 1, false, &scratch);
  size_t there = right; /* the solution takes the place of the right-hand sides */
  if (status == HED_OK)
    status = hed__cuda_operand_make(d, &out, c->out[0], order, c->compute, true, false, false, &there);
  if (status != HED_OK || (status = hed__submit_call(&q, d, c)) != HED_OK)
    return status;
  return hed__submit_end(&q, hed__device_status(d, submit(&q, &j, &a, &b, &out, scratch)), c->ticket);
}

/* Rows of ours are columns of the transposed matrix, of which the other triangle has the same elements, conjugated; and the factor
 * comes back the same way round. Beside it zeros: by tril or triu, in place. */
int32_t hed__cuda_cholesky(void *state, const hed_call *c)
{
  hed__device *d = state;
  const bool upper = ((const hed_cholesky_params *)c->params)->upper;
  hed__cuda_operand a, out;
  hed__submit q;
  job j;
  uint64_t ticket = 0;
  size_t scratch = 0, there = 0;
  if (!describe(&j, c->in[0], c->compute))
    return HED_E_UNSUPPORTED;
  j.cholesky = true;
  j.triangle = upper ? HED__CUBLAS_FILL_MODE_LOWER : HED__CUBLAS_FILL_MODE_UPPER;
  int32_t status = hed__cuda_operand_make(d, &a, c->in[0], NULL, c->compute, false, c->host_in & 1, false, &scratch);
  if (status == HED_OK)
    status = hed__cuda_operand_make(d, &out, c->out[0], NULL, c->compute, true, false, false, &there);
  if (status != HED_OK || (status = hed__submit_call(&q, d, c)) != HED_OK)
    return status;
  status = hed__submit_end(&q, hed__device_status(d, submit(&q, &j, &a, NULL, &out, scratch)), &ticket);
  if (status == HED_OK) {
    const hed_triangle_params all = { 0 };
    const uint64_t before = ticket;
    const hed_call zero = { .struct_size = sizeof zero, .op = upper ? HED_OP_TRIU : HED_OP_TRIL, .n_in = 1, .n_out = 1,
                            .in = c->out, .out = c->out, .params = &all, .compute = c->out[0]->dtype, .max_threads = c->max_threads,
                            .ticket = &ticket, .wait_for = &before, .n_wait_for = 1 };
    status = upper ? hed__triu_call(d, &zero) : hed__tril_call(d, &zero);
    if (status != HED_OK)
      (void)hed__submit_await(d, &before, 1);
  }
  if (c->ticket)
    *c->ticket = ticket;
  return status;
}
