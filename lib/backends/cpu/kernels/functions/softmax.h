// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exponentials less the largest, and their sums: softmax.c. Included by functions.c alone, after exp.h.
 *
 * Sums are in float64 whatever the type. Exponentials that are 1 are counted: the caller leaves one of them, the
 * largest, out of the sum, so that log1p of the rest is right where all others nearly vanish.
 * Every instruction set; contiguous slices, and rows across the reduced axis.
 */
enum { SOFT_LANES = CPU_VECTOR / 8 };
typedef double soft_sum __attribute__((vector_size(SOFT_LANES * 8)));
typedef float soft_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef double soft_f64 __attribute__((vector_size(SOFT_LANES * 8)));
typedef int32_t soft_is_f32 __attribute__((vector_size(SOFT_LANES * 4)));
typedef int64_t soft_is_f64 __attribute__((vector_size(SOFT_LANES * 8)));

#if defined __AVX512F__ /* compilers do it by halves */
INLINE soft_sum soft_wide_f32(soft_f32 v) { return (soft_sum)_mm512_cvtps_pd((__m256)v); }
#else
INLINE soft_sum soft_wide_f32(soft_f32 v) { return __builtin_convertvector(v, soft_sum); }
#endif
INLINE soft_sum soft_wide_f64(soft_f64 v) { return v; }

#define BODY "backends/cpu/kernels/functions/softmax_rows.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

#define SOFTMAX_LOOPS(S) { exps_##S, times_##S, less_##S, exps_each_##S, times_each_##S, less_each_##S }
