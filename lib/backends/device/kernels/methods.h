// SPDX-License-Identifier: BSD-3-Clause
/* hed_quantile_method and hed_boundary, for texts that are shared with the host. L1. */
#define HED_QUANTILE_LINEAR 0
#define HED_QUANTILE_LOWER 1
#define HED_QUANTILE_HIGHER 2
#define HED_QUANTILE_MIDPOINT 3
#define HED_QUANTILE_NEAREST 4
#define HED_BOUNDARY_DEFAULT 0
#define HED_BOUNDARY_REFLECT 1
#define HED_BOUNDARY_CONSTANT 2
#define HED_BOUNDARY_NEAREST 3
#define HED_BOUNDARY_MIRROR 4
#define HED_BOUNDARY_WRAP 5
