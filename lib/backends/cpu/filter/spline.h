// SPDX-License-Identifier: BSD-3-Clause
/*
 * Coefficients of interpolating cubic splines. L1.
 */
#ifndef HED_BACKENDS_CPU_SPLINE_H
#define HED_BACKENDS_CPU_SPLINE_H

#include <heddle/kernel.h>

/* X, dense and of float32 or float64, along the axes whose bits are set in AXES, in place; BOUNDARY is one of the five: constant
 * and nearest are as mirror. False without memory. */
bool cpu_spline_coefficients(const hed_call *call, const hed_view *x, uint32_t axes, int boundary);

#endif
