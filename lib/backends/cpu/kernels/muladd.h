// SPDX-License-Identifier: BSD-3-Clause
/* sum + x y in vectors of CPU_VECTOR bytes: rounded once where the processor does that.
 * vec_f32 and vec_f64 are the vectors' types. L1. */
#ifndef HED_BACKENDS_CPU_MULADD_H
#define HED_BACKENDS_CPU_MULADD_H

#include "backends/cpu/kernels/variant.h"

#if CPU_VECTOR == 64
#define FUSED_F32(sum, x, y) ((vec_f32)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(sum)))
#define FUSED_F64(sum, x, y) ((vec_f64)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(sum)))
#elif CPU_VECTOR == 32
#define FUSED_F32(sum, x, y) ((vec_f32)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(sum)))
#define FUSED_F64(sum, x, y) ((vec_f64)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(sum)))
#else
#define FUSED_F32(sum, x, y) ((sum) + (x) * (y))
#define FUSED_F64 FUSED_F32
#endif

#endif
