// SPDX-License-Identifier: BSD-3-Clause
/* One lane after the other: what kernels along an axis share. L1.
 *
 * A lane is what of an operand differs along the axis alone; operands agree in their other extents.
 */
#ifndef HED_BACKENDS_REFERENCE_LANES_H
#define HED_BACKENDS_REFERENCE_LANES_H

#include "base/nest.h"
#include "base/shape.h"

enum { LANE_OPERANDS = 3 };

typedef struct lanes {
  hed__nest nest;
  hed__walk walk;
  int64_t row;
  char *head[LANE_OPERANDS]; /* first element of each operand's lane */
} lanes;

/* N views, at most LANE_OPERANDS; without axes there is one lane of one element. */
static inline void lanes_init(lanes *l, int32_t n, const hed_view *const *views, int32_t axis)
{
  hed_view head[LANE_OPERANDS];
  const hed_view *heads[LANE_OPERANDS];
  for (int32_t k = 0; k < n; k++) {
    head[k] = *views[k];
    if (head[k].ndim > 0)
      head[k].dim[axis] = 1;
    heads[k] = &head[k];
  }
  hed__nest_init(&l->nest, n, heads, 0);
  hed__walk_init(&l->walk, &l->nest, 0, hed__nest_rows(&l->nest));
  l->row = l->nest.dim[l->nest.ndim - 1]; /* none is left of the row before the first */
}

/* False behind the last lane; the first call gives the first. */
static inline bool lanes_next(lanes *l)
{
  const int32_t last = l->nest.ndim - 1;
  if (l->row == l->nest.dim[last]) {
    if (l->row == 0 || !hed__walk_next(&l->walk))
      return false;
    l->row = 0;
  }
  for (int32_t k = 0; k < l->nest.n; k++)
    l->head[k] = l->walk.ptr[k] + l->row * l->nest.stride[k][last];
  l->row++;
  return true;
}

#endif
