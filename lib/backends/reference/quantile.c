// SPDX-License-Identifier: BSD-3-Clause
/* Quantiles over the last axis. L1.
 *
 * A lane becomes float64, is sorted, and each q is looked up between the two ranks round it: R. J. Hyndman, Y. Fan,
 * Sample quantiles in statistical packages, The American Statistician 50 (1996), definition 7, and its variants that
 * take one of the two ranks.
 */
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/quantile.h"
#include "base/nest.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

REF_KERNEL(quantile)
{
  const hed_host_api *host = ref_host(state);
  const hed_quantile_params *p = call->params;
  const hed_view *x = call->in[0], *out = call->out[0];
  int32_t axis = x->ndim - 1;
  int compute = hed__compute_of(call->compute), bytes = hed__id_size(compute);
  int64_t n = x->dim[axis];
  hed__cast_fn to_compute = hed__cast(x->dtype, compute), to_double = hed__cast(compute, HED_ID_FLOAT64);
  hed__cast_fn deliver = hed__cast(HED_ID_FLOAT64, out->dtype);
  double *lane = host->scratch((size_t)(n ? n : 1) * sizeof *lane);
  if (!lane)
    return host->fail(HED_E_NOMEM, "quantile: no memory for a lane of %lld elements", (long long)n);

  /* first elements of lanes, and their results for the first q */
  hed_view heads = *x, first = { .data = out->data, .dtype = out->dtype, .ndim = axis };
  heads.ndim = axis;
  for (int32_t k = 0; k < axis; k++) {
    first.dim[k] = out->dim[k + 1];
    first.stride[k] = out->stride[k + 1];
  }
  hed__nest nest;
  hed__walk walk;
  hed__nest_init(&nest, 2, (const hed_view *const[]){ &heads, &first }, 0);
  int32_t last = nest.ndim - 1;
  hed__walk_init(&walk, &nest, 0, hed__nest_rows(&nest));
  while (hed__walk_next(&walk))
    for (int64_t row = 0; row < nest.dim[last]; row++) {
      const char *from = walk.ptr[0] + row * nest.stride[0][last];
      char *to = walk.ptr[1] + row * nest.stride[1][last];
      int64_t m = 0;
      for (int64_t i = 0; i < n; i++) {
        _Alignas(16) char narrow[16];
        double v;
        to_compute(1, narrow, bytes, from + i * x->stride[axis], 0);
        to_double(1, (char *)&v, 8, narrow, 0);
        if (!isnan(v))
          lane[m++] = v;
      }
      bool none = m == 0 || (m < n && !p->omit_nan);
      if (!none)
        qsort(lane, (size_t)m, sizeof *lane, by_value);
      for (int32_t k = 0; k < p->n; k++) {
        double v = NAN;
        if (!none) {
          hed__ranks r = hed__quantile_ranks(m, p->q[k], p->method);
          v = hed__quantile_between(lane[r.low], lane[r.high], r.t);
        }
        deliver(1, to + k * out->stride[0], 0, (const char *)&v, 0);
      }
    }
  host->scratch_free(lane);
  return HED_OK;
}
