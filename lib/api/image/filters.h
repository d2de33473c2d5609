// SPDX-License-Identifier: BSD-3-Clause
/* Filters below their public forms. L3. */
#ifndef HED_API_FILTERS_H
#define HED_API_FILTERS_H

#include "core/array/array.h"
#include <heddle/ops.h>

extern const hed_filter hed__filter_defaults;

/* A boundary that exists, and a constant that is a number. */
hed_status hed__check_boundary(const char *op, int32_t boundary);

/* N numbers as an array of the widest float of the device in force. */
hed_array *hed__from_doubles(const double *values, int64_t n);

/* X correlated with N host weights along AXIS, on the device of the context in force; sums are divided by DIVISOR, if it is not
 * 0, before they are rounded to the result's type. */
hed_array *hed__correlate(const hed_array *x, const double *weights, int64_t n, double divisor, int32_t axis,
                          const hed_filter *opt);

/* A new array of dtype ID and SHAPE by kernel OP from X and, when it is there, SECOND as float64. */
hed_array *hed__image_kernel(int op, const hed_array *x, const hed_array *second, int id, const hed_shape *shape,
                             const void *params);

#endif
