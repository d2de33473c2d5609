// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of products of complex matrices and vectors (gemv.h), compiled once per instruction set with CPU_VARIANT naming
 * it. L1.
 */
#include "backends/cpu/kernels/gemv.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include "backends/cpu/kernels/muladd.h"

#define ALWAYS static inline __attribute__((always_inline))

#define T float
#define S f32
#define MULADD FUSED_F32
#include "backends/cpu/kernels/k_gemv.h"

#define T double
#define S f64
#define MULADD FUSED_F64
#include "backends/cpu/kernels/k_gemv.h"

const cpu_gemv_loops CPU_OF_SET(cpu_gemv_)[2] = { { rows_f32, columns_f32 }, { rows_f64, columns_f64 } };
