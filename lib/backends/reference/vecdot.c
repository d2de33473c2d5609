// SPDX-License-Identifier: BSD-3-Clause
/* Sums of conj(a) b along the last axis, in double, of complex numbers alone: of others that is matmul. Vector products of
 * what lies in C order. L1. */
#include "backends/reference/number.h"

REF_KERNEL(vecdot)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  const int32_t last = views[0]->ndim - 1;
  hed__cast_fn take[2] = { hed__cast(views[1]->dtype, HED_ID_COMPLEX128), hed__cast(views[2]->dtype, HED_ID_COMPLEX128) };
  hed__cast_fn give = hed__cast(HED_ID_COMPLEX128, views[0]->dtype);
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 3, views, (uint32_t)1 << last); w.left > 0; ref_walk_next(&w)) {
    ref_complex sum = { 0, 0 }, x, y;
    for (int64_t i = 0; i < views[1]->dim[last]; i++) {
      take[0](1, (char *)&x, 0, w.ptr[1] + i * views[1]->stride[last], 0);
      take[1](1, (char *)&y, 0, w.ptr[2] + i * views[2]->stride[last], 0);
      sum.re += x.re * y.re + x.im * y.im;
      sum.im += x.re * y.im - x.im * y.re;
    }
    give(1, w.ptr[0], 0, (const char *)&sum, 0);
  }
  return HED_OK;
}

#define CROSS(T)                                                     \
  static void cross_##T(int64_t n, const T *a, const T *b, T *c)     \
  {                                                                  \
    for (int64_t i = 0; i < n; i++, a += 3, b += 3, c += 3)          \
      for (int k = 0; k < 3; k++) {                                  \
        const int x = (k + 1) % 3, y = (k + 2) % 3;                  \
        const T left = a[x] * b[y], right = a[y] * b[x];             \
        c[k] = left - right;                                         \
      }                                                              \
  }
CROSS(float)
CROSS(double)

REF_KERNEL(cross)
{
  const hed_view *out = call->out[0];
  int64_t n = 1;
  (void)state;
  for (int32_t k = 0; k + 1 < out->ndim; k++)
    n *= out->dim[k];
  if (call->compute == HED_ID_FLOAT32)
    cross_float(n, call->in[0]->data, call->in[1]->data, out->data);
  else
    cross_double(n, call->in[0]->data, call->in[1]->data, out->data);
  return HED_OK;
}
