// SPDX-License-Identifier: BSD-3-Clause
/* Resampling below its public forms. L3. */
#ifndef HED_API_IMAGE_H
#define HED_API_IMAGE_H

#include "core/array/array.h"

/* Spline order 0, 1 or 3 of a hed_spline (0 = cubic); negative status. */
int hed__spline_order(const char *op, int32_t spline);

/* The block of OUT of X's shape := X resampled; P->ndim spatial axes come last, any before them are a batch. */
hed_status hed__affine_into(const char *op, hed_array *out, const char *out_arg, const hed_array *x, const char *x_arg,
                            const hed_affine_params *p);

/* Centre of mass of X's values above CUTOFF (-INFINITY: all) over its last D axes, and what they add up to; NaN when that
 * is 0. Works on the host. */
hed_status hed__center_of_mass(const char *op, const hed_array *x, int d, double cutoff, double *c, double *total);

#endif
