// SPDX-License-Identifier: BSD-3-Clause
/* faulty: elements from one view to another, at addresses that can be followed. L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <string.h>

/* Element by element in C order. */
static void copy_axis(const hed_view *dst, char *to, const hed_view *src, const char *from, int32_t axis, size_t size)
{
  if (axis == dst->ndim) {
    memcpy(to, from, size);
    return;
  }
  for (int64_t k = 0; k < dst->dim[axis]; k++)
    copy_axis(dst, to + k * dst->stride[axis], src, from + k * src->stride[axis], axis + 1, size);
}

void faulty_copy(const hed_view *dst, const hed_view *src)
{
  const size_t size = (size_t)hed__id_size(dst->dtype);
  if (hed__is_c_contiguous(dst) && hed__is_c_contiguous(src))
    memcpy(dst->data, src->data, (size_t)hed__view_size(src) * size);
  else
    copy_axis(dst, dst->data, src, src->data, 0, size);
}
