// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of matrix products (gemm.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/gemm.h"
#include "backends/cpu/variant.h"
#include <stdbool.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* A tile's sums, a row of b and an element of a fill the registers: 32 of 64 bytes, 16 of 32 or 16. */
enum { VECTORS = 3, DEPTH = 256, PANEL_BYTES = 4 << 20 };
#if defined(__AVX512BW__)
#define ROWS 8
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define ROWS 4
#define VECTOR_BYTES 32
#else
#define ROWS 4
#define VECTOR_BYTES 16
#endif

#define ALWAYS inline __attribute__((always_inline))
#define FLAT __attribute__((noinline))

#define PLUS(old, sum) ((old) + (sum))
#define TIMES(sum, x, y) ((sum) + (x) * (y))
#define OR(old, sum) ((old) | (sum))
#define ANY(sum, x, y) ((sum) | ((x) & (y)))
#if defined(__AVX512BW__)
#define FUSED_F32(sum, x, y) ((vec_f32)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum)))
#define FUSED_F64(sum, x, y) ((vec_f64)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(sum)))
#elif defined(__AVX2__)
#define FUSED_F32(sum, x, y) ((vec_f32)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#define FUSED_F64(sum, x, y) ((vec_f64)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(sum)))
#else
#define FUSED_F32 TIMES
#define FUSED_F64 TIMES
#endif

#define T float
#define S f32
#define MULADD FUSED_F32
#define JOINED PLUS
#include "backends/cpu/k_gemm.h"

#define T double
#define S f64
#define MULADD FUSED_F64
#define JOINED PLUS
#include "backends/cpu/k_gemm.h"

#define T uint16_t
#define S u16
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/k_gemm.h"

#define T uint32_t
#define S u32
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/k_gemm.h"

#define T uint64_t
#define S u64
#define MULADD TIMES
#define JOINED PLUS
#include "backends/cpu/k_gemm.h"

#define T uint8_t
#define S b8
#define MULADD ANY
#define JOINED OR
#include "backends/cpu/k_gemm.h"

#define LOOPS(s) { small_##s, across_##s, packed_##s, pack_bytes_##s }

const cpu_gemm_loops CPU_OF_SET(cpu_gemm_)[CPU_GEMM_TYPES] = {
  [CPU_GEMM_F32] = LOOPS(f32), [CPU_GEMM_F64] = LOOPS(f64), [CPU_GEMM_U16] = LOOPS(u16),
  [CPU_GEMM_U32] = LOOPS(u32), [CPU_GEMM_U64] = LOOPS(u64), [CPU_GEMM_BOOL] = LOOPS(b8),
};
