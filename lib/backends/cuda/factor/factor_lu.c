// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the rows that begin with cuSOLVER's getrf, or for many small matrices with cuBLAS': lu, det, solve. L1. */
#include "backends/cuda/factor/factor.h"
#include "base/product.h"

/* Factors of matrices by columns, in place. */
typedef struct lu {
  size_t at_a, at_pivots, at_addresses;
  bool together;
} lu;

static int32_t plan(cuda_factor *f, lu *j)
{
  size_t device = 0, host = 0;
  j->together = f->blas && f->m == f->n && cuda_factor_together(f);
  j->at_pivots = cuda_factor_space(f, f->batch * f->k, j->together ? sizeof(int) : sizeof(int64_t));
  j->at_addresses = cuda_factor_space(f, j->together ? f->batch : 0, sizeof(void *));
  if (j->together)
    return HED_OK;
  const unsigned error = f->lib->cusolverDnXgetrf_bufferSize(f->handle, f->params, f->m, f->n, f->type, NULL, f->m, f->type, &device,
                                                             &host);
  return cuda_factor_needs(f, error, device, host);
}

static int64_t *pivots_of(const cuda_factor *f, const lu *j, int64_t k)
{
  return (int64_t *)cuda_factor_at(f, j->at_pivots) + k * f->k;
}

static int32_t eliminate(cuda_factor *f, const lu *j)
{
  int32_t status = HED_OK;
  if (j->together) {
    status = cuda_factor_addresses(f, j->at_addresses, cuda_factor_matrix(f, j->at_a, 0, 0), (size_t)(f->n * f->n) * f->size);
    if (status == HED_OK)
      status = cuda_factor_blas(f, CUDA_LETTERED(f, blas, cublas, getrfBatched)(
        f->blas_handle, (int)f->n, cuda_factor_at(f, j->at_addresses), (int)f->n, cuda_factor_at(f, j->at_pivots),
        cuda_factor_info(f, 0), (int)f->batch), "getrfBatched");
    return status;
  }
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_solver(f, f->lib->cusolverDnXgetrf(
      f->handle, f->params, f->m, f->n, f->type, cuda_factor_matrix(f, j->at_a, k, f->m * f->n), f->m, pivots_of(f, j, k), f->type,
      cuda_factor_work(f), f->work_bytes, f->host, f->host_bytes, cuda_factor_info(f, k)), "getrf");
  return status;
}

/* PERM gets which row became each row of the matrices, SIGN the sign of that; either may be NULL. */
static int32_t read_pivots(cuda_factor *f, const lu *j, int64_t *perm, double *sign)
{
  const size_t n = (size_t)(f->batch * f->k), each = j->together ? sizeof(int) : sizeof(int64_t);
  void *raw = f->dev->host->alloc(n * each, 0);
  int32_t status = raw ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "%s: no memory for pivots", f->name);
  if (status == HED_OK)
    status = cuda_factor_read(f, raw, j->at_pivots, n * each);
  for (int64_t b = 0; b < f->batch && status == HED_OK; b++) {
    int64_t *to = perm ? perm + b * f->m : NULL;
    double parity = 1;
    for (int64_t i = 0; i < f->m && to; i++)
      to[i] = i;
    for (int64_t i = 0; i < f->k; i++) {
      const int64_t from = (j->together ? ((int *)raw)[b * f->k + i] : ((int64_t *)raw)[b * f->k + i]) - 1;
      if (from <= i || from >= f->m)
        continue;
      parity = -parity;
      if (to) {
        const int64_t row = to[i];
        to[i] = to[from];
        to[from] = row;
      }
    }
    if (sign)
      sign[b] = parity;
  }
  f->dev->host->free(raw);
  return status;
}

/* A at j->at_a, and from there its factors; a pivot of 0 stays among them. Where f->q.skip nothing is done after loading. */
static int32_t factorize(cuda_factor *f, lu *j, cuda_factor_copy *a)
{
  int64_t failed;
  int info;
  int32_t status = plan(f, j);
  if (status == HED_OK)
    status = cuda_factor_load(f, a, j->at_a);
  if (status != HED_OK || f->q.skip)
    return status;
  status = eliminate(f, j);
  return status == HED_OK ? cuda_factor_failed(f, &failed, &info) : status;
}

/* ---- lu ---- */

typedef struct lu_call {
  cuda_factor f;
  lu j;
  cuda_factor_copy a, perm, l, u, sign;
  void *triangle;
} lu_call;

static int32_t prepare_lu(lu_call *c)
{
  cuda_factor *f = &c->f;
  const int64_t m = f->m, n = f->n, k = f->k;
  int32_t status = cuda_factor_kernel(f, f->dtype, f->dtype, "triangle", &c->triangle);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->a, false, 0, cuda_factor_view(f, f->dtype, m, n, 1, m, m * n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->perm, true, 0, cuda_factor_view(f, HED_ID_INT64, m, -1, 1, 0, m));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->l, true, 1, cuda_factor_view(f, f->dtype, m, k, 1, m, m * k));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c->u, true, 2, cuda_factor_view(f, f->dtype, k, n, 1, k, k * n));
  if (status == HED_OK && f->call->n_out > 3)
    status = cuda_factor_copy_make(f, &c->sign, true, 3, cuda_factor_view(f, HED_ID_FLOAT64, -1, -1, 0, 0, 1));
  return status;
}

static int32_t store_pivots(lu_call *c, size_t at_perm, size_t at_sign)
{
  cuda_factor *f = &c->f;
  int64_t *perm = f->dev->host->alloc((size_t)(f->batch * f->m) * sizeof *perm, 0);
  double *sign = f->dev->host->alloc((size_t)f->batch * sizeof *sign, 0);
  int32_t status = perm && sign ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "lu: no memory for pivots");
  if (status == HED_OK)
    status = read_pivots(f, &c->j, perm, sign);
  if (status == HED_OK)
    status = cuda_factor_write(f, at_perm, perm, (size_t)(f->batch * f->m) * sizeof *perm);
  if (status == HED_OK)
    status = cuda_factor_write(f, at_sign, sign, (size_t)f->batch * sizeof *sign);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->perm, at_perm);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->sign, at_sign);
  f->dev->host->free(perm);
  f->dev->host->free(sign);
  return status;
}

static int32_t run_lu(lu_call *c)
{
  cuda_factor *f = &c->f;
  lu *j = &c->j;
  j->at_a = cuda_factor_space(f, f->batch * f->m * f->n, f->size);
  const size_t at_l = cuda_factor_space(f, f->batch * f->m * f->k, f->size);
  const size_t at_u = cuda_factor_space(f, f->batch * f->k * f->n, f->size);
  const size_t at_perm = cuda_factor_space(f, f->batch * f->m, sizeof(int64_t));
  const size_t at_sign = cuda_factor_space(f, f->batch, sizeof(double));
  int32_t status = factorize(f, j, &c->a);
  if (status != HED_OK || f->q.skip)
    return status;
  if (c->l.there)
    status = cuda_factor_triangle(f, c->triangle, at_l, j->at_a, f->m, f->k, f->m, f->m * f->n, 3);
  if (status == HED_OK && c->u.there)
    status = cuda_factor_triangle(f, c->triangle, at_u, j->at_a, f->k, f->n, f->m, f->m * f->n, 2);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->l, at_l);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->u, at_u);
  return status == HED_OK ? store_pivots(c, at_perm, at_sign) : status;
}

int32_t cuda_lu(void *state, const hed_call *call)
{
  const hed_view *a = call->in[0];
  const bool square = a->dim[a->ndim - 1] == a->dim[a->ndim - 2];
  dev_device *d = state;
  lu_call *c = d->host->alloc(sizeof *c, 0);
  if (!c)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  *c = (lu_call){ 0 };
  int32_t status = cuda_factor_describe(&c->f, state, call, "lu", square) ? prepare_lu(c) : HED_E_UNSUPPORTED;
  if (status == HED_OK && (status = cuda_factor_begin(&c->f)) == HED_OK)
    status = cuda_factor_end(&c->f, run_lu(c));
  d->host->free(c);
  return status;
}

/* ---- det ---- */

typedef struct det_call {
  cuda_factor f;
  lu j;
  cuda_factor_copy a, out;
  cuda_factor_diagonal diagonal;
} det_call;

/* VALUE: pairs of parts, one for each matrix. */
static int32_t multiply_diagonals(det_call *c, size_t at_diagonal, double *value)
{
  cuda_factor *f = &c->f;
  char *all = f->dev->host->alloc((size_t)(f->batch * f->n) * f->size, 0), *x = all;
  double *sign = f->dev->host->alloc((size_t)f->batch * sizeof *sign, 0);
  int32_t status = all && sign ? HED_OK : f->dev->host->fail(HED_E_NOMEM, "det: no memory for diagonals");
  if (status == HED_OK)
    status = cuda_factor_diagonal_read(f, &c->diagonal, c->j.at_a, at_diagonal, all);
  if (status == HED_OK)
    status = read_pivots(f, &c->j, NULL, sign);
  for (int64_t b = 0; b < f->batch && status == HED_OK; b++, value += 2) {
    hed__product p = hed__product_one;
    for (int64_t i = 0; i < f->n; i++, x += f->size) {
      const float *narrow = (const float *)(const void *)x;
      const double *wide = (const double *)(const void *)x;
      switch (f->kind) {
      case 0: hed__product_real(&p, (double)narrow[0]); break;
      case 1: hed__product_real(&p, wide[0]); break;
      case 2: hed__product_complex(&p, (double)narrow[0], (double)narrow[1]); break;
      default: hed__product_complex(&p, wide[0], wide[1]);
      }
    }
    hed__product_value(&p, value);
    value[0] *= sign[b];
    value[1] *= sign[b];
  }
  f->dev->host->free(all);
  f->dev->host->free(sign);
  return status;
}

static int32_t run_det(det_call *c)
{
  cuda_factor *f = &c->f;
  lu *j = &c->j;
  const size_t bytes = (size_t)f->batch * 2 * sizeof(double);
  double *value = NULL;
  j->at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  const size_t at_diagonal = cuda_factor_space(f, f->batch * f->n, f->size), at_value = cuda_factor_space(f, 1, bytes);
  int32_t status = factorize(f, j, &c->a); /* a pivot of 0 makes the product 0 */
  if (status != HED_OK || f->q.skip)
    return status;
  if (!(value = f->dev->host->alloc(bytes, 0)))
    status = f->dev->host->fail(HED_E_NOMEM, "det: no memory for %lld results", (long long)f->batch);
  if (status == HED_OK)
    status = multiply_diagonals(c, at_diagonal, value);
  if (status == HED_OK)
    status = cuda_factor_write(f, at_value, value, bytes);
  f->dev->host->free(value);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->out, at_value) : status;
}

int32_t cuda_det(void *state, const hed_call *call)
{
  det_call c = { 0 };
  cuda_factor *f = &c.f;
  if (!cuda_factor_describe(f, state, call, "det", true))
    return HED_E_UNSUPPORTED;
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_diagonal_make(f, &c.diagonal, f->n, f->n * f->n);
  if (status == HED_OK) /* of real matrices, the first of each pair */
    status = cuda_factor_copy_make(f, &c.out, true, 0, f->kind < 2 ? cuda_factor_view(f, HED_ID_FLOAT64, -1, -1, 0, 0, 2)
                                                                  : cuda_factor_view(f, HED_ID_COMPLEX128, -1, -1, 0, 0, 1));
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_det(&c));
  return status;
}

/* ---- solve ---- */

typedef struct solve_call {
  cuda_factor f;
  lu j;
  cuda_factor_copy a, b, out;
  int64_t columns;
} solve_call;

static int32_t substitute(solve_call *c, size_t at_b, size_t at_info, size_t at_addresses)
{
  cuda_factor *f = &c->f;
  const lu *j = &c->j;
  int info = 0;
  if (j->together) {
    const size_t each = (size_t)(f->n * c->columns) * f->size;
    const int32_t status = cuda_factor_addresses(f, at_addresses, cuda_factor_at(f, at_b), each);
    return status != HED_OK ? status : cuda_factor_blas(f, CUDA_LETTERED(f, blas, cublas, getrsBatched)(
      f->blas_handle, NV_CUBLAS_OP_N, (int)f->n, (int)c->columns, cuda_factor_at(f, j->at_addresses), (int)f->n,
      cuda_factor_at(f, j->at_pivots), cuda_factor_at(f, at_addresses), (int)f->n, &info, (int)f->batch), "getrsBatched");
  }
  int32_t status = HED_OK;
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_solver(f, f->lib->cusolverDnXgetrs(
      f->handle, f->params, NV_CUBLAS_OP_N, f->n, c->columns, f->type, cuda_factor_matrix(f, j->at_a, k, f->n * f->n), f->n,
      pivots_of(f, j, k), f->type, cuda_factor_matrix(f, at_b, k, f->n * c->columns), f->n, cuda_factor_at(f, at_info)), "getrs");
  return status;
}

static int32_t run_solve(solve_call *c)
{
  cuda_factor *f = &c->f;
  lu *j = &c->j;
  char text[HED__MATRIX_TEXT];
  int64_t failed = -1;
  int info = 0;
  j->at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  const size_t at_b = cuda_factor_space(f, f->batch * f->n * c->columns, f->size), at_info = cuda_factor_space(f, 1, sizeof(int));
  const size_t at_addresses = cuda_factor_space(f, f->batch, sizeof(void *));
  int32_t status = plan(f, j);
  if (status == HED_OK)
    status = cuda_factor_load(f, &c->a, j->at_a);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->b, at_b);
  if (status != HED_OK || f->q.skip)
    return status;
  status = eliminate(f, j);
  if (status == HED_OK)
    status = substitute(c, at_b, at_info, at_addresses);
  if (status == HED_OK)
    status = cuda_factor_failed(f, &failed, &info);
  if (status == HED_OK && failed >= 0)
    status = f->dev->host->fail(HED_E_SINGULAR, "solve: %s is singular: pivot %d is 0",
                                hed__matrix_text(failed, f->call->in[0]->ndim - 2, text), info);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->out, at_b) : status;
}

int32_t cuda_solve(void *state, const hed_call *call)
{
  solve_call c = { .columns = call->in[1]->dim[call->in[1]->ndim - 1] };
  cuda_factor *f = &c.f;
  if (c.columns == 0 || !cuda_factor_describe(f, state, call, "solve", true))
    return HED_E_UNSUPPORTED;
  const hed_view b = cuda_factor_view(f, f->dtype, f->n, c.columns, 1, f->n, f->n * c.columns);
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.b, false, 1, b);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.out, true, 0, b);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run_solve(&c));
  return status;
}
