// SPDX-License-Identifier: BSD-3-Clause
/* Where base/spline_values.h finds elements. L1. */
#define SPLINE_MEMORY GLOBAL
