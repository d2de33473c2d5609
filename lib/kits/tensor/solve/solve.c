// SPDX-License-Identifier: BSD-3-Clause
/* See solve.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/solve/solve.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"

hed_array *hed__ridge(const hed_array *g, double ridge)
{
  const int64_t n = hed_array_shape(g).dim[0];
  return ridge > 0 ? hed_add(g, hed_multiply_scalar(hed_eye(n, n, 0, hed_array_dtype(g)), ridge)) : hed__tensor_same(g);
}

hed_status hed__real_dot(const hed_array *a, const hed_array *b, double *out)
{
  double both[2] = { 0, 0 };
  const hed_status status = a && b ? hed__dot(a, b, both) : hed_error();
  *out = both[0];
  return status;
}
