// SPDX-License-Identifier: BSD-3-Clause
/* softmax and log_softmax along one axis. L1.
 *
 * The largest element is subtracted in the compute type; everything after that is float64. It is left out of the sum,
 * whose logarithm keeps its precision near 0 then.
 */
#include "backends/reference/lanes.h"
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"

#include <math.h>

typedef struct lane {
  const char *from;
  int64_t step;
  int32_t bytes, compute;
  hed__cast_fn to_compute, to_double;
} lane;

static double element(const lane *l, int64_t i)
{
  _Alignas(16) char narrow[16];
  double v;
  l->to_compute(1, narrow, l->bytes, l->from + i * l->step, 0);
  l->to_double(1, (char *)&v, 8, narrow, 0);
  return v;
}

static double less(const lane *l, double v, double most)
{
  return l->compute == HED_ID_FLOAT32 ? (double)((float)v - (float)most) : v - most;
}

static int32_t run(const hed_call *call, bool log)
{
  const hed_scan_params *p = call->params;
  const hed_view *x = call->in[0], *out = call->out[0];
  const int compute = hed__compute_of(call->compute);
  lane l = { .step = x->stride[p->axis], .bytes = hed__id_size(compute), .compute = compute,
             .to_compute = hed__cast(x->dtype, compute), .to_double = hed__cast(compute, HED_ID_FLOAT64) };
  const hed__cast_fn deliver = hed__cast(HED_ID_FLOAT64, out->dtype);
  const int64_t n = x->dim[p->axis], to_step = out->stride[p->axis];

  lanes at;
  lanes_init(&at, 2, (const hed_view *const[]){ x, out }, p->axis);
  while (lanes_next(&at)) {
    char *to = at.head[1];
    l.from = at.head[0];
    int64_t top = 0;
    double most = element(&l, 0), others = 0;
    for (int64_t i = 1; i < n; i++) {
      double v = element(&l, i);
      if (v > most || isnan(v)) {
        most = v;
        top = i;
      }
    }
    for (int64_t i = 0; i < n; i++)
      if (i != top)
        others += exp(less(&l, element(&l, i), most));
    if (!isfinite(most))
      others = NAN;
    for (int64_t i = 0; i < n; i++) {
      double v = less(&l, element(&l, i), most);
      v = log ? v - log1p(others) : exp(v) / (1 + others);
      deliver(1, to + i * to_step, 0, (const char *)&v, 0);
    }
  }
  return HED_OK;
}

REF_KERNEL(softmax)
{
  (void)state;
  return run(call, false);
}

REF_KERNEL(log_softmax)
{
  (void)state;
  return run(call, true);
}
