// SPDX-License-Identifier: BSD-3-Clause
/* Points of the unit circle: the product in the compute type, sine and cosine of it in double. L1. */
#include "backends/reference/number.h"

#include <math.h>

static double value(int32_t type, const char *at)
{
  return type == HED_ID_FLOAT32 ? (double)*(const float *)(const void *)at : *(const double *)(const void *)at;
}

REF_KERNEL(phasor)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->n_in > 1 ? call->in[1] : NULL };
  const hed__cast_fn deliver = hed__cast(HED_ID_COMPLEX128, views[0]->dtype);
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 3, views, 0); w.left > 0; ref_walk_next(&w)) {
    double x = value(call->compute, w.ptr[1]);
    if (views[2])
      x *= value(call->compute, w.ptr[2]);
    if (call->compute == HED_ID_FLOAT32)
      x = (double)(float)x;
    const ref_complex z = { cos(x), sin(x) };
    deliver(1, w.ptr[0], 0, (const char *)&z, 0);
  }
  return HED_OK;
}
