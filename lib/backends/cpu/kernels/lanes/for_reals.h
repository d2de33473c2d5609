// SPDX-License-Identifier: BSD-3-Clause
/* BODY for float32, then for float64: M is what comparisons give, LIBM(name) a function's name for the type; and what for_type.h
 * says. L1. */
#define M CPU_JOIN(mask_of_, S)
#define S f32
#define T float
#define WIDTH 32
#define PS ps
#define LIBM(name) name##f
#include "backends/cpu/kernels/lanes/for_type.h"
#undef LIBM
#define S f64
#define T double
#define WIDTH 64
#define PS pd
#define LIBM(name) name
#include "backends/cpu/kernels/lanes/for_type.h"
#undef LIBM
#undef M
#undef BODY
