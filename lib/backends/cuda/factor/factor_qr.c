// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the rows of cholesky and qr. L1. */
#include "backends/cuda/factor/factor.h"
#include <math.h>

/* ---- cholesky ---- */

typedef struct cholesky_call {
  cuda_factor f;
  cuda_factor_copy a, out;
  cuda_factor_diagonal diagonal;
  void *triangle;
} cholesky_call;

static int32_t factor_cholesky(cuda_factor *f, unsigned triangle, size_t at_a, size_t at_addresses)
{
  int32_t status = HED_OK;
  if (cuda_factor_together(f)) {
    status = cuda_factor_addresses(f, at_addresses, cuda_factor_matrix(f, at_a, 0, 0), (size_t)(f->n * f->n) * f->size);
    return status != HED_OK ? status : cuda_factor_solver(f, CUDA_LETTERED(f, lib, cusolverDn, potrfBatched)(
      f->handle, triangle, (int)f->n, cuda_factor_at(f, at_addresses), (int)f->n, cuda_factor_info(f, 0), (int)f->batch),
      "potrfBatched");
  }
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_solver(f, f->lib->cusolverDnXpotrf(
      f->handle, f->params, triangle, f->n, f->type, cuda_factor_matrix(f, at_a, k, f->n * f->n), f->n, f->type, cuda_factor_work(f),
      f->work_bytes, f->host, f->host_bytes, cuda_factor_info(f, k)), "potrf");
  return status;
}

/* The first matrix that has no factor. A NaN is on the diagonal where the library does not tell of it. */
static int32_t judge(cholesky_call *c, size_t at_a, size_t at_diagonal)
{
  cuda_factor *f = &c->f;
  char text[HED__MATRIX_TEXT];
  int64_t failed = -1;
  int info = 0;
  char *x = f->dev->host->alloc((size_t)(f->batch * f->n) * f->size, 0);
  int32_t status = x ? cuda_factor_failed(f, &failed, &info) : f->dev->host->fail(HED_E_NOMEM, "cholesky: no memory for diagonals");
  if (status == HED_OK)
    status = cuda_factor_diagonal_read(f, &c->diagonal, at_a, at_diagonal, x);
  for (int64_t k = 0; k < (failed < 0 ? f->batch : failed) * f->n && status == HED_OK; k++) {
    const char *p = x + (size_t)k * f->size;
    if (!((f->real_size == 8 ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p) > 0)) {
      failed = k / f->n;
      info = (int)(k % f->n);
      break;
    }
  }
  f->dev->host->free(x);
  if (status == HED_OK && failed >= 0)
    status = f->dev->host->fail(HED_E_SINGULAR, "cholesky: %s is not positive definite: its leading minor of order %d",
                                hed__matrix_text(failed, f->call->in[0]->ndim - 2, text), info + 1);
  return status;
}

static int32_t run_cholesky(cholesky_call *c)
{
  cuda_factor *f = &c->f;
  const bool upper = ((const hed_cholesky_params *)f->call->params)->upper;
  const unsigned triangle = upper ? NV_CUBLAS_FILL_MODE_UPPER : NV_CUBLAS_FILL_MODE_LOWER;
  const size_t at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  const size_t at_diagonal = cuda_factor_space(f, f->batch * f->n, f->size);
  const size_t at_addresses = cuda_factor_space(f, f->batch, sizeof(void *));
  size_t device = 0, host = 0;
  int32_t status = HED_OK;
  if (!cuda_factor_together(f)) {
    const unsigned error = f->lib->cusolverDnXpotrf_bufferSize(f->handle, f->params, triangle, f->n, f->type, NULL, f->n, f->type,
                                                               &device, &host);
    status = cuda_factor_needs(f, error, device, host);
  }
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = factor_cholesky(f, triangle, at_a, at_addresses);
  if (status == HED_OK)
    status = judge(c, at_a, at_diagonal);
  if (status == HED_OK)
    status = cuda_factor_triangle(f, c->triangle, at_a, at_a, f->n, f->n, f->n, f->n * f->n, upper ? 2 : 1);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->out, at_a) : status;
}

int32_t cuda_cholesky(void *state, const hed_call *call)
{
  cholesky_call c = { 0 };
  cuda_factor *f = &c.f;
  if (!cuda_factor_describe(f, state, call, "cholesky", true))
    return HED_E_UNSUPPORTED;
  const hed_view a = cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n);
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, a);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.out, true, 0, a);
  if (status == HED_OK)
    status = cuda_factor_diagonal_make(f, &c.diagonal, f->n, f->n * f->n);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "triangle", &c.triangle);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_cholesky(&c));
  return status;
}

/* ---- qr ---- */

typedef struct qr_call {
  cuda_factor f;
  cuda_factor_copy a, q, r;
  int64_t width, rows;               /* columns of q, rows of r */
  bool together;
  void *triangle, *diagonal, *turn, *unitary;
  size_t at_a, at_q, at_r, at_tau, at_turns, at_addresses[2];
} qr_call;

/* The function that makes columns of Q from reflections has a name of its own for complex numbers. */
#define UNITARY(f, name) \
  ((f)->kind == 0 ? (f)->lib->cusolverDnSor##name : (f)->kind == 1 ? (f)->lib->cusolverDnDor##name \
   : (f)->kind == 2 ? (f)->lib->cusolverDnCun##name : (f)->lib->cusolverDnZun##name)

static int32_t plan_qr(qr_call *c)
{
  cuda_factor *f = &c->f;
  size_t device = 0, host = 0;
  int elements = 0;
  c->at_a = cuda_factor_space(f, f->batch * f->m * f->n, f->size);
  c->at_q = cuda_factor_space(f, f->batch * f->m * c->width, f->size);
  c->at_r = cuda_factor_space(f, f->batch * c->rows * f->n, f->size);
  c->at_tau = cuda_factor_space(f, f->batch * f->k, f->size);
  c->at_turns = cuda_factor_space(f, f->batch * f->k, 3 * sizeof(double));
  for (int k = 0; k < 2; k++)
    c->at_addresses[k] = cuda_factor_space(f, c->together ? f->batch : 0, sizeof(void *));
  if (c->together)
    return HED_OK;
  unsigned error = f->lib->cusolverDnXgeqrf_bufferSize(f->handle, f->params, f->m, f->n, f->type, NULL, f->m, f->type, NULL, f->type,
                                                       &device, &host);
  int32_t status = cuda_factor_needs(f, error, device, host);
  if (status == HED_OK && c->width > 0) {
    error = UNITARY(f, gqr_bufferSize)(f->handle, (int)f->m, (int)c->width, (int)f->k, NULL, (int)f->m, NULL, &elements);
    status = cuda_factor_needs(f, error, (size_t)elements * f->size, 0);
  }
  return status;
}

/* Reflections, and what Q needs of them, which are in the columns below the diagonal. */
static int32_t reflect(qr_call *c, int64_t k)
{
  cuda_factor *f = &c->f;
  char *a = cuda_factor_matrix(f, c->at_a, k, f->m * f->n), *q = cuda_factor_matrix(f, c->at_q, k, f->m * c->width),
       *tau = cuda_factor_matrix(f, c->at_tau, k, f->k);
  int32_t status = cuda_factor_solver(f, f->lib->cusolverDnXgeqrf(f->handle, f->params, f->m, f->n, f->type, a, f->m, f->type, tau,
                                                                  f->type, cuda_factor_work(f), f->work_bytes, f->host, f->host_bytes,
                                                                  cuda_factor_info(f, k)), "geqrf");
  if (status == HED_OK && c->width > 0)
    status = f->d->port->copy(f->dev, f->q.stream->native, q, a, (size_t)(f->m * f->k) * f->size, DEV_COPY_DEVICE, false);
  if (status == HED_OK && c->width > 0)
    status = cuda_factor_solver(f, UNITARY(f, gqr)(f->handle, (int)f->m, (int)c->width, (int)f->k, q, (int)f->m, tau,
                                                   cuda_factor_work(f), (int)(f->work_bytes / f->size), cuda_factor_info(f, k)),
                             "gqr");
  return status;
}

/* All matrices in one call, whose reflections a kernel of ours applies to the columns of a unit matrix. */
static int32_t reflect_together(qr_call *c)
{
  cuda_factor *f = &c->f;
  const hed__factor_args a = { .length = f->m, .vectors = c->width, .batch = f->batch, .vector = f->m, .matrix = f->m * f->n,
                               .turns = f->k };
  void *addresses[2] = { cuda_factor_at(f, c->at_addresses[0]), cuda_factor_at(f, c->at_addresses[1]) };
  void *const memory[3] = { cuda_factor_at(f, c->at_q), cuda_factor_at(f, c->at_a), cuda_factor_at(f, c->at_tau) };
  int info = 0;
  int32_t status = cuda_factor_addresses(f, c->at_addresses[0], memory[1], (size_t)(f->m * f->n) * f->size);
  if (status == HED_OK)
    status = cuda_factor_addresses(f, c->at_addresses[1], memory[2], (size_t)f->k * f->size);
  if (status == HED_OK)
    status = cuda_factor_blas(f, CUDA_LETTERED(f, blas, cublas, geqrfBatched)(
      f->blas_handle, (int)f->m, (int)f->n, addresses[0], (int)f->m, addresses[1], &info, (int)f->batch), "geqrfBatched");
  if (status == HED_OK && info != 0)
    status = f->dev->host->fail(HED_E_INTERNAL, "qr: argument %d of the library's function", -info);
  return status != HED_OK || c->width == 0 ? status
         : dev_submit_items(&f->q, c->unitary, (uint64_t)(c->width * f->batch) * f->d->limits.block, 3, memory, &a, sizeof a);
}

static int32_t reflect_each(qr_call *c)
{
  cuda_factor *f = &c->f;
  int64_t failed;
  int info;
  int32_t status = HED_OK;
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = reflect(c, k);
  return status == HED_OK ? cuda_factor_failed(f, &failed, &info) : status;
}

/* Rows of R, and the other way columns of Q, until the diagonal of R is positive. */
static int32_t turn_qr(qr_call *c)
{
  cuda_factor *f = &c->f;
  void *turns = cuda_factor_at(f, c->at_turns);
  hed__factor_args a = { .length = f->n, .vectors = f->k, .batch = f->batch, .step = c->rows, .vector = 1, .matrix = c->rows * f->n,
                         .turns = f->k };
  int32_t status = cuda_factor_triangle(f, c->triangle, c->at_r, c->at_a, c->rows, f->n, f->m, f->m * f->n, 2);
  if (status == HED_OK)
    status = cuda_factor_per_vector(f, c->diagonal, false, turns, cuda_factor_at(f, c->at_r), &a);
  if (status == HED_OK)
    status = cuda_factor_turn(f, c->turn, cuda_factor_at(f, c->at_r), turns, &a);
  a.length = f->m;
  a.step = 1;
  a.vector = f->m;
  a.matrix = f->m * c->width;
  a.part = 1;
  return status == HED_OK && c->width > 0 ? cuda_factor_turn(f, c->turn, cuda_factor_at(f, c->at_q), turns, &a) : status;
}

static int32_t run_qr(qr_call *c)
{
  cuda_factor *f = &c->f;
  int32_t status = plan_qr(c);
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, c->at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = c->together ? reflect_together(c) : reflect_each(c);
  if (status == HED_OK)
    status = turn_qr(c);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->q, c->at_q);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->r, c->at_r) : status;
}

int32_t cuda_qr(void *state, const hed_call *call)
{
  const bool complete = ((const hed_qr_params *)call->params)->complete;
  qr_call c = { 0 };
  cuda_factor *f = &c.f;
  if (!cuda_factor_describe(f, state, call, "qr", true))
    return HED_E_UNSUPPORTED;
  c.together = f->blas && cuda_factor_together(f);
  c.rows = complete ? f->m : f->k;
  c.width = call->out[0] ? c.rows : 0;
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, cuda_factor_view(f, f->dtype, f->m, f->n, 1, f->m, f->m * f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.q, true, 0, cuda_factor_view(f, f->dtype, f->m, c.width, 1, f->m, f->m * c.width));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.r, true, 1, cuda_factor_view(f, f->dtype, c.rows, f->n, 1, c.rows, c.rows * f->n));
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "triangle", &c.triangle);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "diagonal", &c.diagonal);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "turn", &c.turn);
  if (status == HED_OK && c.together)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "unitary", &c.unitary);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_qr(&c));
  return status;
}
