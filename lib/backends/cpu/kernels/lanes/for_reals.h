// SPDX-License-Identifier: BSD-3-Clause
/* BODY for float32, then for float64: M is what comparisons give, WORD an integer as wide, WORDS a vector of them. L1. */
#define S f32
#define T float
#define WORD int32_t
#define WORDS lanes_i32
#define PS ps
#define M mask_of_f32
#include "backends/cpu/kernels/lanes/for_type.h"
#undef M
#define S f64
#define T double
#define WORD int64_t
#define WORDS lanes_i64
#define PS pd
#define M mask_of_f64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef M
#undef BODY
