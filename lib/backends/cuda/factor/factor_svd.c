// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the row of svd, by cuSOLVER's gesvd. L1.
 *
 * gesvd wants at least as many rows as columns. A wide matrix is handed over transposed, a row of ours for a column of its, and u
 * and vh change places.
 */
#include "backends/cuda/factor/factor.h"

typedef struct svd_call {
  cuda_factor f;
  cuda_factor_copy a, u, s, vh;
  cuda_factor_check finite;
  void *phase, *turn;
  bool tall, full, vectors;
  int64_t rows, columns, width;      /* as gesvd sees the matrix, and of its u */
  size_t at_a, at_u, at_s, at_vt, at_turns;
} svd_call;

static int32_t plan(svd_call *c)
{
  cuda_factor *f = &c->f;
  const signed char job = !c->vectors ? 'N' : c->full ? 'A' : 'S';
  size_t device = 0, host = 0;
  c->at_a = cuda_factor_space(f, f->batch * f->m * f->n, f->size);
  c->at_s = cuda_factor_space(f, f->batch * f->k, f->real_size);
  c->at_u = cuda_factor_space(f, c->vectors ? f->batch * c->rows * c->width : 0, f->size);
  c->at_vt = cuda_factor_space(f, c->vectors ? f->batch * c->columns * c->columns : 0, f->size);
  c->at_turns = cuda_factor_space(f, f->batch * c->width, 3 * sizeof(double));
  const unsigned error = f->lib->cusolverDnXgesvd_bufferSize(
    f->handle, f->params, job, job, c->rows, c->columns, f->type, NULL, c->rows, f->real_type, NULL, f->type, NULL, c->rows, f->type,
    NULL, c->columns, f->type, &device, &host);
  return cuda_factor_needs(f, error, device, host);
}

static int32_t decompose(svd_call *c, int64_t k)
{
  cuda_factor *f = &c->f;
  const signed char job = !c->vectors ? 'N' : c->full ? 'A' : 'S';
  char *a = cuda_factor_at(f, c->at_a), *s = cuda_factor_at(f, c->at_s), *u = cuda_factor_at(f, c->at_u),
       *vt = cuda_factor_at(f, c->at_vt);
  a += (size_t)(k * f->m * f->n) * f->size;
  s += (size_t)(k * f->k) * f->real_size;
  u += (size_t)(k * c->rows * c->width) * f->size;
  vt += (size_t)(k * c->columns * c->columns) * f->size;
  return cuda_factor_solver(f, f->lib->cusolverDnXgesvd(
    f->handle, f->params, job, job, c->rows, c->columns, f->type, a, c->rows, f->real_type, s, f->type, c->vectors ? u : NULL, c->rows,
    f->type, c->vectors ? vt : NULL, c->columns, f->type, cuda_factor_work(f), f->work_bytes, f->host, f->host_bytes,
    cuda_factor_info(f, k)), "gesvd");
}

/* Columns of the call's u by their phases, rows of vh the other way; what has no partner by itself. */
static int32_t turn_pairs(svd_call *c)
{
  cuda_factor *f = &c->f;
  char *u = cuda_factor_at(f, c->at_u), *vt = cuda_factor_at(f, c->at_vt), *turns = cuda_factor_at(f, c->at_turns);
  const hed__factor_args columns = { .length = c->rows, .vectors = c->width, .batch = f->batch, .step = 1, .vector = c->rows,
                                     .matrix = c->rows * c->width, .turns = c->width };
  const hed__factor_args rows = { .length = c->columns, .vectors = c->columns, .batch = f->batch, .step = c->columns, .vector = 1,
                                  .matrix = c->columns * c->columns, .turns = c->width };
  hed__factor_args first = c->tall ? columns : rows, second = c->tall ? rows : columns;
  int32_t status = cuda_factor_per_vector(f, c->phase, true, turns, c->tall ? u : vt, &first);
  if (status == HED_OK)
    status = cuda_factor_turn(f, c->turn, c->tall ? u : vt, turns, &first);
  second.vectors = c->columns;
  second.part = 1;
  if (status == HED_OK)
    status = cuda_factor_turn(f, c->turn, c->tall ? vt : u, turns, &second);
  if (status != HED_OK || c->tall || c->width == c->columns)
    return status;
  second.vectors = c->width - c->columns;
  second.part = 0;
  u += (size_t)(c->columns * c->rows) * f->size;
  status = cuda_factor_per_vector(f, c->phase, true, turns, u, &second);
  return status == HED_OK ? cuda_factor_turn(f, c->turn, u, turns, &second) : status;
}

static int32_t run(svd_call *c)
{
  cuda_factor *f = &c->f;
  int32_t status = plan(c);
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, c->at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = cuda_factor_check_finite(f, &c->finite, c->at_a, c->tall ? 1 : f->n, c->tall ? f->m : 1, 0);
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = decompose(c, k);
  if (status == HED_OK)
    status = cuda_factor_converged(f);
  if (status == HED_OK && c->vectors)
    status = turn_pairs(c);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->s, c->at_s);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->u, c->tall ? c->at_u : c->at_vt);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->vh, c->tall ? c->at_vt : c->at_u) : status;
}

static int32_t prepare(svd_call *c)
{
  cuda_factor *f = &c->f;
  const int64_t m = f->m, n = f->n, square = c->columns * c->columns, long_side = c->rows * c->width;
  const hed_view a = cuda_factor_view(f, f->dtype, m, n, c->tall ? 1 : n, c->tall ? m : 1, m * n);
  int32_t status = cuda_factor_copy_make(f, &c->a, false, 0, a);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->u, true, 0, c->tall ? cuda_factor_view(f, f->dtype, m, c->width, 1, m, long_side)
                                                              : cuda_factor_view(f, f->dtype, m, m, m, 1, square));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->s, true, 1, cuda_factor_view(f, f->real_dtype, f->k, -1, 1, 0, f->k));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->vh, true, 2, c->tall ? cuda_factor_view(f, f->dtype, n, n, 1, n, square)
                                                               : cuda_factor_view(f, f->dtype, c->width, n, n, 1, long_side));
  if (status == HED_OK)
    status = cuda_factor_check_make(f, &c->finite);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "phase", &c->phase);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "turn", &c->turn);
  return status;
}

int32_t cuda_svd(void *state, const hed_call *call)
{
  svd_call c = { 0 };
  cuda_factor *f = &c.f;
  if (!cuda_factor_describe(f, state, call, "svd", false))
    return HED_E_UNSUPPORTED;
  c.full = ((const hed_svd_params *)call->params)->full_matrices;
  c.tall = f->m >= f->n;
  c.vectors = call->out[0] || call->out[2];
  c.rows = c.tall ? f->m : f->n;
  c.columns = f->k;
  c.width = c.full ? c.rows : c.columns;
  int32_t status = prepare(&c);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run(&c));
  return status;
}
