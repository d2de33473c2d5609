// SPDX-License-Identifier: BSD-3-Clause
/*
 * polar_unitary of batches of small matrices, some at a time side by side in lanes; those that are singular by rotations. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/linalg/polar.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/cast.h"
#include "base/dense.h"
#include "base/polar.h"
#include "base/shape.h"

#include <stdatomic.h>

typedef double complex value;

typedef struct job {
  const hed_view *in, *out;
  hed__cast_fn read, deliver;
  int m;
  _Atomic int64_t bad;           /* 1 + number of the first element that is not finite, 0: none is */
} job;

static char *matrix(const hed_view *v, const hed_view *batch, int64_t i)
{
  return (char *)v->data + hed__offset_of(batch->ndim - 2, batch->dim, v->stride, i);
}

/* Matrix I as numbers whose largest part is in [1/2, 1), or zeros. */
static bool load(job *j, int64_t i, value *a)
{
  const int m = j->m;
  const int64_t *step = j->in->stride + j->in->ndim - 2;
  const char *from = matrix(j->in, j->in, i);
  double largest = 0;
  int exponent = 0;
  for (int r = 0; r < m; r++)
    j->read(m, (char *)(a + r * m), sizeof *a, from + r * step[0], step[1]);
  for (int k = 0; k < m * m; k++) {
    if (!isfinite(creal(a[k])) || !isfinite(cimag(a[k]))) {
      const int64_t at = 1 + i * m * m + k;
      int64_t first = atomic_load(&j->bad);
      while ((first == 0 || at < first) && !atomic_compare_exchange_weak(&j->bad, &first, at))
        continue;
      return false;
    }
    largest = fmax(largest, fmax(fabs(creal(a[k])), fabs(cimag(a[k]))));
  }
  frexp(largest, &exponent);
  for (int k = 0; k < m * m; k++)
    a[k] = CMPLX(ldexp(creal(a[k]), -exponent), ldexp(cimag(a[k]), -exponent));
  return true;
}

static void store(const job *j, int64_t i, const value *a)
{
  const int64_t *step = j->out->stride + j->out->ndim - 2;
  char *to = matrix(j->out, j->in, i);
  for (int r = 0; r < j->m; r++)
    j->deliver(j->m, to + r * step[0], step[1], (const char *)(a + r * j->m), sizeof *a);
}

static void run_range(void *arg, int64_t begin, int64_t end)
{
  job *j = arg;
  const int size = j->m * j->m;
  value a[CPU_POLAR_LANES][CPU_POLAR_ELEMENTS], v[CPU_POLAR_ELEMENTS];
  for (int64_t i = begin; i < end; i += CPU_POLAR_LANES) {
    const int n = (int)CPU_MIN(end - i, CPU_POLAR_LANES);
    cpu_polar_lanes x;
    for (int lane = 0; lane < CPU_POLAR_LANES; lane++) {
      if (lane < n && !load(j, i + lane, a[lane]))
        return;
      for (int k = 0; k < size; k++) {
        x.re[k][lane] = creal(a[CPU_MIN(lane, n - 1)][k]);
        x.im[k][lane] = cimag(a[CPU_MIN(lane, n - 1)][k]);
      }
    }
    const unsigned rest = cpu_polars(j->m, &x);
    for (int lane = 0; lane < n; lane++) {
      if (rest >> lane & 1)
        hed__polar(j->m, a[lane], v);
      else
        for (int k = 0; k < size; k++)
          a[lane][k] = CMPLX(x.re[k][lane], x.im[k][lane]);
      store(j, i + lane, a[lane]);
    }
  }
}

int32_t cpu_polar_unitary(void *state, const hed_call *call)
{
  const hed_view *in = call->in[0], *out = call->out[0];
  job j = { .in = in, .out = out, .read = hed__cast(in->dtype, HED_ID_COMPLEX128), .deliver = hed__cast(HED_ID_COMPLEX128, out->dtype),
            .m = (int)in->dim[in->ndim - 1] };
  int64_t n = 1;
  (void)state;
  for (int32_t axis = 0; axis < in->ndim - 2; axis++)
    n *= in->dim[axis];
  cpu_parallel_for(call, n, CPU_POLAR_LANES, 100.0 * j.m * j.m * j.m * (double)n, run_range, &j);
  const int64_t bad = atomic_load(&j.bad) - 1, size = (int64_t)j.m * j.m;
  return bad < 0 ? HED_OK
                 : cpu_host->fail(HED_E_INVAL, "polar_unitary: row %lld, column %lld of %s is not finite",
                                  (long long)(bad % size / j.m), (long long)(bad % j.m),
                                  hed__matrix_text(bad / size, in->ndim - 2, (char[HED__MATRIX_TEXT]){ 0 }));
}
