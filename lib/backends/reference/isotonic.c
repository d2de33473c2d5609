// SPDX-License-Identifier: BSD-3-Clause
/* Isotonic regression along an axis, in double. L1. */
#include "backends/reference/lanes.h"
#include "backends/reference/number.h"
#include "base/isotonic.h"

REF_KERNEL(isotonic)
{
  const hed_isotonic_params *p = call->params;
  const bool weighted = call->n_in > 1;
  const hed_view *views[3] = { call->in[0], call->out[0], weighted ? call->in[1] : call->in[0] };
  const int64_t n = views[0]->dim[p->axis];
  hed__cast_fn cast[3] = { hed__cast(views[0]->dtype, HED_ID_FLOAT64), hed__cast(HED_ID_FLOAT64, views[1]->dtype),
                           hed__cast(views[2]->dtype, HED_ID_FLOAT64) };
  int64_t step[3];
  lanes l;
  double *y = ref_alloc(state, "isotonic", n, 3 * sizeof *y + sizeof(int64_t));
  if (!y)
    return HED_E_NOMEM;
  for (int k = 0; k < 3; k++)
    step[k] = p->descending ? -views[k]->stride[p->axis] : views[k]->stride[p->axis];
  for (lanes_init(&l, 3, views, p->axis); lanes_next(&l);) {
    for (int k = 0; k < 3 && p->descending; k++)
      l.head[k] -= (n - 1) * step[k];
    cast[0](n, (char *)y, sizeof *y, l.head[0], step[0]);
    if (weighted)
      cast[2](n, (char *)(y + n), sizeof *y, l.head[2], step[2]);
    hed__isotonic(n, y, weighted ? y + n : NULL, y + 2 * n, (int64_t *)(y + 3 * n));
    cast[1](n, l.head[1], step[1], (const char *)y, sizeof *y);
  }
  ref_free(state, y);
  return HED_OK;
}
