// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of float32 from float16 and bfloat16, whose bits are given; after lanes.h. L1. */
#ifndef HED_BACKENDS_CPU_KERNELS_LANES_HALVES_H
#define HED_BACKENDS_CPU_KERNELS_LANES_HALVES_H
#include "backends/cpu/kernels/lanes/lanes.h"

#if defined __AVX512F__
INLINE lanes_f32 get_f16(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p)); }
INLINE lanes_f32 get_bf16(const uint16_t *p)
{
  return (lanes_f32)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)p)), 16);
}
#else
INLINE lanes_f32 get_f16(const uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const void *)p)); }
INLINE lanes_f32 get_bf16(const uint16_t *p)
{
  return (lanes_f32)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)p)), 16);
}
#endif

#define BODY "backends/cpu/kernels/lanes/some_halves.h"
#include "backends/cpu/kernels/lanes/for_halves.h"
#endif
