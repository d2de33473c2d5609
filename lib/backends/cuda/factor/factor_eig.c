// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the rows of eigh, eigh_range and eig. L1. */
#include "backends/cuda/factor/factor.h"
#include <float.h>

/* ---- eigh: vectors take the matrix's place ---- */

typedef struct eigh_call {
  cuda_factor f;
  cuda_factor_copy a, w, v;
  cuda_factor_check finite;
  void *phase, *turn;
  size_t at_a, at_w, at_turns;
  bool together;
  unsigned vectors, triangle;
  int64_t first, count;              /* results are those of the values that are wanted */
} eigh_call;

static int32_t plan_eigh(eigh_call *c)
{
  cuda_factor *f = &c->f;
  size_t device = 0, host = 0;
  unsigned error;
  c->at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  c->at_w = cuda_factor_space(f, f->batch * f->n, f->real_size);
  c->at_turns = cuda_factor_space(f, f->batch * f->n, 3 * sizeof(double));
  if (c->together)
    error = f->lib->cusolverDnXsyevBatched_bufferSize(f->handle, f->params, c->vectors, c->triangle, f->n, f->type, NULL, f->n,
                                                      f->real_type, NULL, f->type, &device, &host, f->batch);
  else
    error = f->lib->cusolverDnXsyevd_bufferSize(f->handle, f->params, c->vectors, c->triangle, f->n, f->type, NULL, f->n,
                                                f->real_type, NULL, f->type, &device, &host);
  return cuda_factor_needs(f, error, device, host);
}

static int32_t diagonalise(eigh_call *c)
{
  cuda_factor *f = &c->f;
  int32_t status = HED_OK;
  if (c->together)
    return cuda_factor_solver(f, f->lib->cusolverDnXsyevBatched(
      f->handle, f->params, c->vectors, c->triangle, f->n, f->type, cuda_factor_at(f, c->at_a), f->n, f->real_type,
      cuda_factor_at(f, c->at_w), f->type, cuda_factor_work(f), f->work_bytes, f->host, f->host_bytes, cuda_factor_info(f, 0),
      f->batch), "syevBatched");
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_solver(f, f->lib->cusolverDnXsyevd(
      f->handle, f->params, c->vectors, c->triangle, f->n, f->type, cuda_factor_element(f, c->at_a, k * f->n * f->n, f->size), f->n,
      f->real_type, cuda_factor_element(f, c->at_w, k * f->n, f->real_size), f->type, cuda_factor_work(f), f->work_bytes, f->host,
      f->host_bytes, cuda_factor_info(f, k)), "syevd");
  return status;
}

static int32_t run_eigh(eigh_call *c)
{
  cuda_factor *f = &c->f;
  const hed__factor_args a = { .length = f->n, .vectors = c->count, .batch = f->batch, .step = 1, .vector = f->n,
                               .matrix = f->n * f->n, .turns = c->count };
  int32_t status = plan_eigh(c);
  const size_t vectors = c->at_a + (size_t)(c->first * f->n) * f->size;
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, c->at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = cuda_factor_check_finite(f, &c->finite, c->at_a, 1, f->n, c->triangle == NV_CUBLAS_FILL_MODE_UPPER ? 2 : 1);
  if (status == HED_OK)
    status = diagonalise(c);
  if (status == HED_OK)
    status = cuda_factor_converged(f);
  if (status == HED_OK && c->v.there)
    status = cuda_factor_per_vector(f, c->phase, true, cuda_factor_at(f, c->at_turns), cuda_factor_at(f, vectors), &a);
  if (status == HED_OK && c->v.there)
    status = cuda_factor_turn(f, c->turn, cuda_factor_at(f, vectors), cuda_factor_at(f, c->at_turns), &a);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->w, c->at_w + (size_t)c->first * f->real_size);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->v, vectors) : status;
}

static int32_t eigh(void *state, const hed_call *call, const char *name)
{
  const cuda_cusolver *lib = cuda_cusolver_get();
  const hed_eigh_params *p = call->params;
  eigh_call c = { .first = p->first, .count = p->count };
  cuda_factor *f = &c.f;
  const bool batched = lib && lib->cusolverDnXsyevBatched && lib->cusolverDnXsyevBatched_bufferSize;
  if (!cuda_factor_describe(f, state, call, name, batched))
    return HED_E_UNSUPPORTED;
  c.together = batched && cuda_factor_together(f);
  c.vectors = call->out[1] ? NV_CUSOLVER_EIG_MODE_VECTOR : NV_CUSOLVER_EIG_MODE_NOVECTOR;
  c.triangle = p->upper ? NV_CUBLAS_FILL_MODE_UPPER : NV_CUBLAS_FILL_MODE_LOWER;
  const hed_view a = cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n);
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, a);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.w, true, 0, cuda_factor_view(f, f->real_dtype, c.count, -1, 1, 0, f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.v, true, 1, cuda_factor_view(f, f->dtype, f->n, c.count, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_check_make(f, &c.finite);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "phase", &c.phase);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, f->dtype, f->dtype, "turn", &c.turn);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_eigh(&c));
  return status;
}

int32_t cuda_eigh(void *state, const hed_call *call) { return eigh(state, call, "eigh"); }
int32_t cuda_eigh_range(void *state, const hed_call *call) { return eigh(state, call, "eigh_range"); }

/* ---- eig: of a real matrix, values are complex numbers, and vectors of a pair the parts of its first one ---- */

typedef struct eig_call {
  cuda_factor f;
  cuda_factor_copy a, w, v;
  cuda_factor_check finite;
  int32_t pair;                      /* the complex dtype */
  unsigned pair_type, vectors;
  size_t pair_size;
  void *columns, *phase, *turn;
  size_t at_a, at_w, at_v, at_values, at_pairs, at_out, at_turns;
} eig_call;

static int32_t plan_eig(eig_call *c)
{
  cuda_factor *f = &c->f;
  const int64_t all = c->v.there ? f->batch * f->n * f->n : 0;
  size_t device = 0, host = 0;
  c->at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  c->at_w = cuda_factor_space(f, f->batch * f->n, c->pair_size);
  c->at_values = cuda_factor_space(f, f->batch * f->n, 2 * sizeof(double));
  c->at_pairs = cuda_factor_space(f, f->batch * f->n, 2 * sizeof(int64_t));
  c->at_v = cuda_factor_space(f, all, f->size);
  c->at_out = cuda_factor_space(f, all, c->pair_size);
  c->at_turns = cuda_factor_space(f, f->batch * f->n, 3 * sizeof(double));
  const unsigned error = f->lib->cusolverDnXgeev_bufferSize(
    f->handle, f->params, NV_CUSOLVER_EIG_MODE_NOVECTOR, c->vectors, f->n, f->type, NULL, f->n, c->pair_type, NULL, f->type, NULL,
    f->n, f->type, NULL, f->n, f->type, &device, &host);
  return cuda_factor_needs(f, error, device, host);
}

static double part_of(const eig_call *c, const void *x, int64_t k)
{
  return c->f.real_size == 8 ? ((const double *)x)[k] : (double)((const float *)x)[k];
}

/* Values in order, as float64, and from which columns their vectors come. ORDER has room for 7 numbers of each. */
static int32_t sort_values(eig_call *c, const void *w, int64_t *order)
{
  cuda_factor *f = &c->f;
  const int64_t n = f->n;
  int64_t *pairs = order + n;
  double *values = (double *)(void *)(pairs + 2 * n), *sorted = values + 2 * n;
  int32_t status = HED_OK;
  for (int64_t b = 0; b < f->batch && status == HED_OK; b++) {
    for (int64_t k = 0; k < 2 * n; k++)
      values[k] = part_of(c, w, b * 2 * n + k);
    hed__order_eigenvalues(n, values, f->real_size == 8 ? DBL_EPSILON : (double)FLT_EPSILON, order);
    for (int64_t k = 0; k < n; k++) {
      const int64_t from = order[k];
      const double im = values[2 * from + 1];
      /* the one with the positive part comes first, and its vector's parts are the columns of both */
      pairs[2 * k] = f->kind < 2 && im < 0 ? from - 1 : from;
      pairs[2 * k + 1] = f->kind < 2 ? (im > 0) - (im < 0) : 0;
      sorted[2 * k] = values[2 * from];
      sorted[2 * k + 1] = im;
    }
    const size_t bytes = (size_t)n * 16;
    status = cuda_factor_write(f, c->at_pairs + (size_t)b * bytes, pairs, bytes);
    if (status == HED_OK)
      status = cuda_factor_write(f, c->at_values + (size_t)b * bytes, sorted, bytes);
  }
  return status;
}

static int32_t order_values(eig_call *c)
{
  cuda_factor *f = &c->f;
  const size_t bytes = (size_t)(f->batch * f->n) * c->pair_size;
  void *w = f->dev->host->alloc(bytes, 0);
  int64_t *order = f->dev->host->alloc((size_t)f->n * 7 * sizeof *order, 0);
  int32_t status = w && order ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "eig: no memory for values");
  if (status == HED_OK)
    status = cuda_factor_read(f, w, c->at_w, bytes);
  if (status == HED_OK)
    status = sort_values(c, w, order);
  f->dev->host->free(w);
  f->dev->host->free(order);
  return status;
}

static int32_t order_vectors(eig_call *c)
{
  cuda_factor *f = &c->f;
  const int64_t n = f->n;
  hed__factor_args a = { .length = n, .vectors = n, .batch = f->batch, .step = 1, .vector = n, .matrix = n * n, .turns = n };
  void *out = cuda_factor_at(f, c->at_out), *turns = cuda_factor_at(f, c->at_turns);
  int32_t status = HED_OK;
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = dev_submit_items(&f->q, c->columns, (uint64_t)(n * n), 3,
                              (void *[]){ cuda_factor_element(f, c->at_out, k * n * n, c->pair_size),
                                          cuda_factor_matrix(f, c->at_v, k, n * n),
                                          cuda_factor_element(f, c->at_pairs, k * n, 16) }, &a, sizeof a);
  if (status == HED_OK)
    status = cuda_factor_per_vector(f, c->phase, true, turns, out, &a);
  return status == HED_OK ? cuda_factor_turn(f, c->turn, out, turns, &a) : status;
}

static int32_t run_eig(eig_call *c)
{
  cuda_factor *f = &c->f;
  const int64_t n = f->n;
  int32_t status = plan_eig(c);
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, c->at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = cuda_factor_check_finite(f, &c->finite, c->at_a, 1, n, 0);
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_solver(f, f->lib->cusolverDnXgeev(
      f->handle, f->params, NV_CUSOLVER_EIG_MODE_NOVECTOR, c->vectors, n, f->type, cuda_factor_matrix(f, c->at_a, k, n * n), n,
      c->pair_type, cuda_factor_element(f, c->at_w, k * n, c->pair_size), f->type, NULL, n, f->type,
      c->v.there ? cuda_factor_element(f, c->at_v, k * n * n, f->size) : NULL, n, f->type, cuda_factor_work(f), f->work_bytes, f->host,
      f->host_bytes, cuda_factor_info(f, k)), "geev");
  if (status == HED_OK)
    status = cuda_factor_converged(f);
  if (status == HED_OK)
    status = order_values(c);
  if (status == HED_OK && c->v.there)
    status = order_vectors(c);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->w, c->at_values);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->v, c->at_out) : status;
}

int32_t cuda_eig(void *state, const hed_call *call)
{
  eig_call c = { 0 };
  cuda_factor *f = &c.f;
  if (!cuda_factor_describe(f, state, call, "eig", false) || !f->lib->cusolverDnXgeev || !f->lib->cusolverDnXgeev_bufferSize)
    return HED_E_UNSUPPORTED;
  c.pair = f->real_size == 8 ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64;
  c.pair_type = f->real_size == 8 ? NV_CUDA_C_64F : NV_CUDA_C_32F;
  c.pair_size = 2 * f->real_size;
  c.vectors = call->out[1] ? NV_CUSOLVER_EIG_MODE_VECTOR : NV_CUSOLVER_EIG_MODE_NOVECTOR;
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.w, true, 0, cuda_factor_view(f, HED_ID_COMPLEX128, f->n, -1, 1, 0, f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.v, true, 1, cuda_factor_view(f, c.pair, f->n, f->n, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_check_make(f, &c.finite);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, c.pair, f->dtype, "columns", &c.columns);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, c.pair, c.pair, "phase", &c.phase);
  if (status == HED_OK)
    status = cuda_factor_kernel(f, c.pair, c.pair, "turn", &c.turn);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_eig(&c));
  return status;
}
