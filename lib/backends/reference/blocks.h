// SPDX-License-Identifier: BSD-3-Clause
/* Copies of blocks: what kernels of movement and indexing share. L1.
 *
 * A block is a view without the axes that an index chooses from; copies go through the conversion loops, row by row.
 */
#ifndef HED_BACKENDS_REFERENCE_BLOCKS_H
#define HED_BACKENDS_REFERENCE_BLOCKS_H

#include "base/cast.h"
#include "base/nest.h"
#include "base/shape.h"

/* Rows of a nest of two operands, moved by DTO and DFROM bytes, from operand 1 to operand 0. */
static inline void copy_nest(const hed__nest *nest, int64_t dto, int64_t dfrom, hed__cast_fn cast)
{
  hed__walk walk;
  int32_t last = nest->ndim - 1;
  hed__walk_init(&walk, nest, 0, hed__nest_rows(nest));
  while (hed__walk_next(&walk))
    cast(nest->dim[last], walk.ptr[0] + dto, nest->stride[0][last], walk.ptr[1] + dfrom, nest->stride[1][last]);
}

#endif
