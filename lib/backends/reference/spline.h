// SPDX-License-Identifier: BSD-3-Clause
/* B-splines of order 0, 1 and 3 in double: coefficients, and the value at a point of one to three axes. L1.
 *
 * Cubic splines interpolate after a recursive filter, whose start is the signal's extension beyond its ends (Unser,
 * Aldroubi, Eden, IEEE Trans. Signal Processing 41, 1993, part II; Unser, IEEE Signal Processing Magazine 16(6), 1999):
 * half-sample symmetric for reflect, periodic for wrap, whole-sample symmetric for the others. Without the filter the
 * elements are the spline's coefficients and the result is smoothed.
 */
#ifndef HED_REFERENCE_SPLINE_H
#define HED_REFERENCE_SPLINE_H

#include "backends/reference/reference.h"

/* Interpolating cubic coefficients of an array in C order, in place, along the axes of the set AXES. */
void ref_spline_coefficients(double *x, int32_t ndim, const int64_t *dim, uint32_t axes, int boundary);

/* The value at POINT of coefficients in C order. Outside [0, n - 1] by more than 1e-9 constant gives CVAL, nearest takes the
 * nearest end, the others continue; so does a coordinate that is no number or beyond 1e15: CVAL. */
double ref_spline_sample(const double *x, int32_t ndim, const int64_t *dim, const double *point, int order, int boundary,
                         double cval);

#endif
