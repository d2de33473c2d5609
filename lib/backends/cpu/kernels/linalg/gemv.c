// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of products of complex matrices and vectors, and of small complex matrices (gemv.h), compiled once per instruction
 * set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/kernels/linalg/gemv.h"
#include "backends/cpu/kernels/variant.h"
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include "backends/cpu/kernels/muladd.h"

#define ALWAYS static inline __attribute__((always_inline))

/* Parts of each number the other way round. */
#if CPU_VECTOR == 64
#define SWAPPED_F32(v) ((vec_f32)_mm512_permute_ps((__m512)(v), 0xb1))
#define SWAPPED_F64(v) ((vec_f64)_mm512_permute_pd((__m512d)(v), 0x55))
#elif CPU_VECTOR == 32
#define SWAPPED_F32(v) ((vec_f32)_mm256_permute_ps((__m256)(v), 0xb1))
#define SWAPPED_F64(v) ((vec_f64)_mm256_permute_pd((__m256d)(v), 0x5))
#else
#define SWAPPED_F32(v) ((vec_f32){ (v)[1], (v)[0], (v)[3], (v)[2] })
#define SWAPPED_F64(v) ((vec_f64){ (v)[1], (v)[0] })
#endif
enum { TILE_ROWS = CPU_VECTOR == 64 ? 4 : 2, /* of two vectors: sums and what goes by fill the registers */
       BRIEF = 1024 };                         /* bytes of a row */

#define T float
#define S f32
#define MULADD FUSED_F32
#define SWAPPED_PARTS SWAPPED_F32
#include "backends/cpu/kernels/linalg/gemv_loops.h"

#define T double
#define S f64
#define MULADD FUSED_F64
#define SWAPPED_PARTS SWAPPED_F64
#include "backends/cpu/kernels/linalg/gemv_loops.h"

const cpu_gemv_loops CPU_OF_SET(cpu_gemv_)[2] = {
  { rows_f32, columns_f32, products_f32 }, { rows_f64, columns_f64, products_f64 },
};
