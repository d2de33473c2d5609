// SPDX-License-Identifier: BSD-3-Clause
/* Unitary factors of small square matrices, in double complex. L1. */
#include "backends/reference/dense.h"
#include "base/polar.h"

REF_KERNEL(polar_unitary)
{
  const hed_view *views[2] = { call->in[0], call->out[0] };
  const int64_t m = ref_rows(views[0]);
  ref_z a[HED_POLAR_MOST * HED_POLAR_MOST], v[HED_POLAR_MOST * HED_POLAR_MOST];
  int64_t at = 0, bad;
  ref_walk w;
  for (ref_batch(&w, 2, views); w.left > 0; ref_walk_next(&w), at++) {
    int exponent;
    ref_load(a, views[0], w.ptr[0]);
    if (!ref_scale(a, m * m, &exponent, &bad))
      return ref_host(state)->fail(HED_E_INVAL, "polar_unitary: row %lld, column %lld of %s is not finite",
                                   (long long)(bad / m), (long long)(bad % m),
                                   hed__matrix_text(at, views[0]->ndim - 2, (char[HED__MATRIX_TEXT]){ 0 }));
    hed__polar((int)m, a, v);
    ref_store(views[1], w.ptr[1], a, m);
  }
  return HED_OK;
}
