// SPDX-License-Identifier: BSD-3-Clause
/* Elements of an array in host memory, for operations whose work is done there. L3. */
#ifndef HED_COMPOSITE_HOST_VALUES_H
#define HED_COMPOSITE_HOST_VALUES_H

#include "core/array/array.h"

/* X's elements in C order, converted to dtype ID (hed__buffer_free); NULL with the error set. */
void *hed__read_host(const char *op, const hed_array *x, int id);

/* The same of a matrix of points (n, d) or a list of N numbers as float64, checked: HED_E_SHAPE, HED_E_DTYPE. */
double *hed__host_points(const char *op, const hed_array *points, int64_t *n, int64_t *d);
double *hed__host_list(const char *op, const char *arg, const hed_array *x, int64_t n);

#endif
