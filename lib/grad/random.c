// SPDX-License-Identifier: BSD-3-Clause
/* Rules of draws: by location and scale they are functions of what was drawn. L3. */
#include "grad/back.h"

/* Y = theta x, x drawn with the shape k: by theta it is y / theta. By k rejection decides, which has no derivative. */
hed_status hed__back_random_gamma(hed__back *b)
{
  if (b->wanted[0])
    return hed_fail(HED_E_GRADIENT, "random_gamma has a derivative by theta, none by k: hed_stop_gradient() makes k a constant");
  return b->wanted[1] ? hed__give(b, 1, hed__times(b->g[0], hed_divide_where(b->in[1], b->out[0], b->in[1], 0))) : HED_OK;
}
