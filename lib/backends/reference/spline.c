// SPDX-License-Identifier: BSD-3-Clause
/* B-splines in double: see spline.h. L1. */
#include "backends/reference/spline.h"

#include "base/spline_values.h"

void ref_spline_coefficients(double *x, int32_t ndim, const int64_t *dim, uint32_t axes, int boundary)
{
  int64_t total = 1, inner = 1;
  for (int32_t k = 0; k < ndim; k++)
    total *= dim[k];
  for (int32_t k = ndim - 1; k >= 0 && total > 0; inner *= dim[k], k--)
    for (int64_t l = 0; l < total / dim[k] && axes >> k & 1; l++)
      filter_line(x + l / inner * inner * dim[k] + l % inner, dim[k], inner, boundary);
}

double ref_spline_sample(const double *x, int32_t ndim, const int64_t *dim, const double *point, int order, int boundary,
                         double cval)
{
  return spline_sample(x, ndim, dim, point, order, boundary, cval);
}
