// SPDX-License-Identifier: BSD-3-Clause
/* One set of the small pieces of factorisations (lu.h), compiled once per instruction set with CPU_VARIANT naming it. L1. */
#include "backends/cpu/kernels/linalg/lu.h"
#include "backends/cpu/kernels/variant.h"
#include <float.h>
#include <stdbool.h>
#include <math.h>
#include <string.h>

#define ALWAYS inline __attribute__((always_inline))

#define T float
#define I int32_t
#define S f32
#define ABS fabsf
#define LEAST FLT_MIN
#include "backends/cpu/kernels/linalg/lu_loops.h"

#define T double
#define I int64_t
#define S f64
#define ABS fabs
#define LEAST DBL_MIN
#include "backends/cpu/kernels/linalg/lu_loops.h"

const cpu_lu_loops CPU_OF_SET(cpu_lu_)[2] = { { panel_f32, lower_f32, upper_f32 }, { panel_f64, lower_f64, upper_f64 } };
