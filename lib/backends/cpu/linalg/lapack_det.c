// SPDX-License-Identifier: BSD-3-Clause
/* det: the product of the pivots that getrf, or for real matrices lapack_lu.c, finds. L1. */
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/kernels/linalg/lu.h"
#include "base/product.h"

/* Of the diagonal of A, negated where ODD. */
static void put_product(const lapack *l, int64_t at, const char *a, bool odd)
{
  const int64_t step = (l->n + 1) * l->size;
  hed__product p = hed__product_one;
  double v[2];
  float narrow[2];
  for (int64_t i = 0; i < l->n; i++, a += step) {
    const float *f = (const float *)(const void *)a;
    const double *d = (const double *)(const void *)a;
    switch (l->type) {
    case 0: hed__product_real(&p, (double)f[0]); break;
    case 1: hed__product_real(&p, d[0]); break;
    case 2: hed__product_complex(&p, (double)f[0], (double)f[1]); break;
    default: hed__product_complex(&p, d[0], d[1]);
    }
  }
  hed__product_value(&p, v);
  for (int k = 0; k < 2; k++) {
    v[k] = odd ? -v[k] : v[k];
    narrow[k] = (float)v[k];
  }
  cpu_lapack_put(l, l->call->out[0], at, 0, false, l->dtype, l->type & 1 ? (const char *)v : (const char *)narrow, 1);
}

static int own_det(const lapack *l, int64_t at, char *space)
{
  char *a = cpu_lapack_piece(&space, l->n * l->n * l->size), *work = cpu_lapack_piece(&space, l->n * CPU_LU_WIDE * l->size);
  int64_t *pivot = (int64_t *)(void *)space, zero;
  bool odd = false;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, a);
  if (!cpu_lapack_own_lu(l, l->n, l->n, a, pivot, work, &zero))
    return LAPACK_NO_MEMORY;
  for (int64_t i = 0; i < l->n; i++)
    odd ^= pivot[i] != i;
  put_product(l, at, a, odd);
  return 0;
}

static int one_det(const lapack *l, int64_t at, char *space)
{
  const int n = (int)l->n;
  char *a = cpu_lapack_piece(&space, l->n * l->n * l->size);
  int *pivot = (int *)(void *)space, info = 0;
  bool odd = false;
  cpu_lapack_get(l, l->call->in[0], at, 2, false, a); /* the transpose has the same */
  if (n > 0)
    l->blas->getrf[l->type](&n, &n, a, &n, pivot, &info);
  for (int64_t i = 0; i < n; i++)
    odd ^= pivot[i] != i + 1;
  put_product(l, at, a, odd);
  return 0;
}

int32_t cpu_det(void *state, const hed_call *call)
{
  (void)state;
  lapack l;
  int32_t status;
  if (cpu_lapack_batch(call, "det", &status))
    return status;
  if ((status = cpu_lapack_begin(&l, call, "det")) != HED_OK)
    return status;
  l.bytes = l.n * (l.n + CPU_LU_WIDE) * l.size + l.n * (int64_t)sizeof(int64_t) + 256;
  l.work = (double)l.n * (double)l.n * (double)l.n / 3;
  l.shares = cpu_lapack_is_own(&l);
  l.one = l.shares ? own_det : one_det;
  return cpu_lapack_run(&l);
}
