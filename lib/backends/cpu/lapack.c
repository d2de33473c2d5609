// SPDX-License-Identifier: BSD-3-Clause
/*
 * Singular values by LAPACK's gesdd (divide and conquer). L1.
 *
 * LAPACK wants columns: a row-major matrix is its transpose, whose decomposition has the same values
 * and u and vh in exchanged roles, so a C-order matrix is handed over as it is and only copied
 * because gesdd destroys it. Matrices of a batch are done one after the other.
 */
#include "backends/cpu/blas_load.h"
#include "backends/cpu/cpu.h"
#include "base/shape.h"
#include <limits.h>
#include <string.h>

typedef struct svd {
  const cpu_blas *blas;
  int dtype, m, n, k;     /* of the transpose: m = columns of the operand */
  char job;
  char *a, *u, *vt, *s, *work, *rwork;
  int *iwork, lwork, ldu, ldvt;
} svd;

static int run(svd *d, int lwork)
{
  int info = 0;
  const cpu_blas *b = d->blas;
  const int one = CPU_MAX(d->m, 1);
  if (d->dtype == HED_ID_FLOAT32)
    b->sgesdd(&d->job, &d->m, &d->n, d->a, &one, d->s, d->u, &d->ldu, d->vt, &d->ldvt, d->work,
              &lwork, d->iwork, &info, 1);
  else if (d->dtype == HED_ID_FLOAT64)
    b->dgesdd(&d->job, &d->m, &d->n, d->a, &one, d->s, d->u, &d->ldu, d->vt, &d->ldvt, d->work,
              &lwork, d->iwork, &info, 1);
  else if (d->dtype == HED_ID_COMPLEX64)
    b->cgesdd(&d->job, &d->m, &d->n, d->a, &one, d->s, d->u, &d->ldu, d->vt, &d->ldvt, d->work,
              &lwork, d->rwork, d->iwork, &info, 1);
  else
    b->zgesdd(&d->job, &d->m, &d->n, d->a, &one, d->s, d->u, &d->ldu, d->vt, &d->ldvt, d->work,
              &lwork, d->rwork, d->iwork, &info, 1);
  return info;
}

/* The last two axes (one for s) of a view at a batch position, and a C-order twin of it in DATA. */
static void convert(const hed_call *call, const hed_view *v, int64_t at, int axes, int dtype,
                    char *data, bool to_view)
{
  if (!v)
    return;
  hed_view part = { .dtype = v->dtype, .ndim = axes }, twin = { .dtype = dtype, .ndim = axes };
  char *p = v->data;
  for (int32_t k = v->ndim - axes - 1; k >= 0; k--) {
    p += at % v->dim[k] * v->stride[k];
    at /= v->dim[k];
  }
  for (int k = 0; k < axes; k++) {
    part.dim[k] = twin.dim[k] = v->dim[v->ndim - axes + k];
    part.stride[k] = v->stride[v->ndim - axes + k];
  }
  part.data = p;
  twin.data = data;
  hed__c_strides(axes, twin.dim, hed__id_size(dtype), twin.stride);
  hed_call c = *call;
  const hed_view *in[1] = { to_view ? &twin : &part }, *out[1] = { to_view ? &part : &twin };
  c.n_in = c.n_out = 1;
  c.in = in;
  c.out = out;
  c.params = NULL;
  cpu_astype(NULL, &c);
}

int32_t cpu_svd(void *state, const hed_call *call)
{
  (void)state;
  const hed_svd_params *p = call->params;
  const hed_view *in = call->in[0], *u = call->out[0], *s = call->out[1], *vh = call->out[2];
  const char *why;
  svd d = { .blas = cpu_blas_get(&why), .dtype = call->compute };
  if (!d.blas || !d.blas->sgesdd || !d.blas->dgesdd || !d.blas->cgesdd || !d.blas->zgesdd)
    return cpu_host->fail(HED_E_UNAVAILABLE, "svd: no LAPACK: %s", d.blas ? "no gesdd" : why);
  int64_t rows = in->dim[in->ndim - 2], cols = in->dim[in->ndim - 1], batch = 1;
  if (rows > 32768 || cols > 32768)
    return cpu_host->fail(HED_E_UNSUPPORTED, "svd: a matrix of %lld x %lld; at most 32768 on a side",
                          (long long)rows, (long long)cols);
  for (int32_t k = 0; k < in->ndim - 2; k++)
    batch *= in->dim[k];
  if (rows == 0 || cols == 0 || batch == 0)
    return HED_OK;
  int64_t size = hed__id_size(d.dtype), rsize = hed__id_size(hed__real_of(d.dtype));
  bool vectors = u || vh, complex = hed__id_kind(d.dtype) == HED_KIND_COMPLEX;
  d.m = (int)cols;
  d.n = (int)rows;
  d.k = CPU_MIN(d.m, d.n);
  d.job = !vectors ? 'N' : p->full_matrices ? 'A' : 'S';
  int64_t u_cols = p->full_matrices ? d.m : d.k, vt_rows = p->full_matrices ? d.n : d.k;
  d.ldu = d.m;
  d.ldvt = (int)vt_rows;
  /* Sizes of the work arrays: the LAPACK manual page of gesdd. */
  int64_t mn = d.k, mx = CPU_MAX(d.m, d.n);
  int64_t rwork = complex ? CPU_MAX(5 * mn * mn + 7 * mn, 2 * mx * mn + 2 * mn * mn + mn) : 0;
  char query[16] = { 0 };
  int32_t status = HED_OK;
  d.a = d.u = d.vt = d.s = d.rwork = query;
  d.work = query;
  int idummy[8] = { 0 };
  d.iwork = idummy;
  run(&d, -1);
  double need = rsize == 4 ? (double)*(float *)(void *)query : *(double *)(void *)query;
  d.lwork = need * 1.01 + 64 < (double)INT_MAX ? (int)(need * 1.01) + 64 : INT_MAX;

  char *block = cpu_scratch_get((size_t)((rows * cols + (vectors ? d.m * u_cols + vt_rows * d.n : 0)
                                          + d.lwork) * size
                                         + (mn + rwork) * rsize + 8 * mn * (int64_t)sizeof(int) + 512));
  if (!block)
    return cpu_host->fail(HED_E_NOMEM, "svd: no memory for a matrix of %lld x %lld", (long long)rows,
                          (long long)cols);
  char *at = block;
#define PIECE(field, bytes) (field = (void *)at, at += ((bytes) + 63) / 64 * 64)
  PIECE(d.a, rows * cols * size);
  PIECE(d.work, (int64_t)d.lwork * size);
  PIECE(d.s, mn * rsize);
  PIECE(d.rwork, rwork * rsize);
  PIECE(d.iwork, 8 * mn * (int64_t)sizeof(int));
  if (vectors) {
    PIECE(d.u, d.m * u_cols * size);
    PIECE(d.vt, vt_rows * d.n * size);
  } else {
    d.u = d.vt = d.s;
  }
#undef PIECE
  for (int64_t i = 0; i < batch && status == HED_OK; i++) {
    convert(call, in, i, 2, d.dtype, d.a, false);
    int info = run(&d, d.lwork);
    if (info != 0) {
      status = cpu_host->fail(HED_E_INTERNAL,
                              "svd: gesdd returned %d%s", info,
                              info > 0 ? ": no convergence" : " (a NaN in the operand?)");
      break;
    }
    /* Column-major u of the transpose is row-major vh of the operand, and the other way round. */
    convert(call, s, i, 1, hed__real_of(d.dtype), d.s, true);
    convert(call, vh, i, 2, d.dtype, d.u, true);
    convert(call, u, i, 2, d.dtype, d.vt, true);
  }
  cpu_scratch_put(block);
  return status;
}
