// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the row of solve_triangular, by cuBLAS. L1. */
#include "backends/cuda/factor/factor.h"

typedef struct triangular_call {
  cuda_factor f;
  cuda_factor_copy a, b, out;
  cuda_factor_diagonal diagonal;
  int64_t columns;
} triangular_call;

/* A diagonal element that is exactly 0, of the first matrix that has one. */
static int32_t judge(triangular_call *c, size_t at_a, size_t at_diagonal)
{
  cuda_factor *f = &c->f;
  const int64_t parts = f->kind < 2 ? 1 : 2;
  char text[HED__MATRIX_TEXT], *x = f->dev->host->alloc((size_t)(f->batch * f->n) * f->size, 0);
  int32_t status = x ? cuda_factor_diagonal_read(f, &c->diagonal, at_a, at_diagonal, x)
                     : f->dev->host->fail(HED_E_NOMEM, "solve_triangular: no memory for diagonals");
  for (int64_t k = 0; k < f->batch * f->n && status == HED_OK; k++) {
    bool zero = true;
    for (int64_t p = k * parts; p < (k + 1) * parts; p++)
      zero = zero && (f->real_size == 8 ? ((double *)(void *)x)[p] == 0 : ((float *)(void *)x)[p] == 0);
    if (zero)
      status = f->dev->host->fail(HED_E_SINGULAR, "solve_triangular: %s is singular: diagonal element %lld is 0",
                                  hed__matrix_text(k / f->n, f->call->in[0]->ndim - 2, text), (long long)(k % f->n));
  }
  f->dev->host->free(x);
  return status;
}

static int32_t substitute(triangular_call *c, size_t at_a, size_t at_b, const size_t at_addresses[2])
{
  static const unsigned forms[] = { [HED_AS_IS] = NV_CUBLAS_OP_N, [HED_TRANSPOSED] = NV_CUBLAS_OP_T,
                                    [HED_ADJOINT] = NV_CUBLAS_OP_C };
  cuda_factor *f = &c->f;
  const hed_triangular_params *p = f->call->params;
  const unsigned triangle = p->upper ? NV_CUBLAS_FILL_MODE_UPPER : NV_CUBLAS_FILL_MODE_LOWER;
  const unsigned unit = p->unit ? NV_CUBLAS_DIAG_UNIT : NV_CUBLAS_DIAG_NON_UNIT, form = forms[p->form];
  const void *one = cuda_constant(true, f->real_size == 8);
  const size_t each_a = (size_t)(f->n * f->n) * f->size, each_b = (size_t)(f->n * c->columns) * f->size;
  char *a = cuda_factor_at(f, at_a), *b = cuda_factor_at(f, at_b);
  int32_t status = HED_OK;
  if (cuda_factor_together(f)) {
    if ((status = cuda_factor_addresses(f, at_addresses[0], a, each_a)) == HED_OK)
      status = cuda_factor_addresses(f, at_addresses[1], b, each_b);
    return status != HED_OK ? status : cuda_factor_blas(f, CUDA_LETTERED(f, blas, cublas, trsmBatched)(
      f->blas_handle, NV_CUBLAS_SIDE_LEFT, triangle, form, unit, (int)f->n, (int)c->columns, one,
      cuda_factor_at(f, at_addresses[0]), (int)f->n, cuda_factor_at(f, at_addresses[1]), (int)f->n, (int)f->batch), "trsmBatched");
  }
  for (int64_t k = 0; k < f->batch && status == HED_OK; k++)
    status = cuda_factor_blas(f, CUDA_LETTERED(f, blas, cublas, trsm_v2_64)(
      f->blas_handle, NV_CUBLAS_SIDE_LEFT, triangle, form, unit, f->n, c->columns, one, a + (size_t)k * each_a, f->n,
      b + (size_t)k * each_b, f->n), "trsm");
  return status;
}

static int32_t run(triangular_call *c)
{
  cuda_factor *f = &c->f;
  const size_t at_a = cuda_factor_space(f, f->batch * f->n * f->n, f->size);
  const size_t at_b = cuda_factor_space(f, f->batch * f->n * c->columns, f->size);
  const size_t at_diagonal = cuda_factor_space(f, f->batch * f->n, f->size);
  const size_t at_addresses[2] = { cuda_factor_space(f, f->batch, sizeof(void *)), cuda_factor_space(f, f->batch, sizeof(void *)) };
  int32_t status = cuda_factor_load(f, &c->a, at_a);
  if (status == HED_OK)
    status = cuda_factor_copy_submit(f, &c->b, at_b);
  if (status != HED_OK || f->q.skip)
    return status;
  if (!((const hed_triangular_params *)f->call->params)->unit)
    status = judge(c, at_a, at_diagonal);
  if (status == HED_OK)
    status = substitute(c, at_a, at_b, at_addresses);
  return status == HED_OK ? cuda_factor_copy_submit(f, &c->out, at_b) : status;
}

int32_t cuda_solve_triangular(void *state, const hed_call *call)
{
  triangular_call c = { .columns = call->in[1]->dim[call->in[1]->ndim - 1] };
  cuda_factor *f = &c.f;
  if (c.columns == 0 || !cuda_factor_describe(f, state, call, "solve_triangular", true) || !f->blas)
    return HED_E_UNSUPPORTED;
  const hed_view b = cuda_factor_view(f, f->dtype, f->n, c.columns, 1, f->n, f->n * c.columns);
  int32_t status = cuda_factor_copy_make(f, &c.a, false, 0, cuda_factor_view(f, f->dtype, f->n, f->n, 1, f->n, f->n * f->n));
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.b, false, 1, b);
  if (status == HED_OK)
    status = cuda_factor_copy_make(f, &c.out, true, 0, b);
  if (status == HED_OK)
    status = cuda_factor_diagonal_make(f, &c.diagonal, f->n, f->n * f->n);
  if (status == HED_OK && (status = cuda_factor_begin(f)) == HED_OK)
    status = cuda_factor_end(f, run(&c));
  return status;
}
