// SPDX-License-Identifier: BSD-3-Clause
/*
 * Vectors for loops that are written once for every type. L1.
 *
 * A body is a file of plain C in terms of T (an element), V (a vector of them) and N(name) (a function for T); for_reals.h
 * includes it for float32 and float64, for_wholes.h for the eight integers. What a body chooses between is a parameter that is
 * constant in each of its entries, and goes when the body is inlined. Instructions have their names in reals_LEVEL.h alone.
 */
#ifndef HED_BACKENDS_CPU_KERNELS_LANES_LANES_H
#define HED_BACKENDS_CPU_KERNELS_LANES_LANES_H
#include "backends/cpu/kernels/variant.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

typedef struct c64 { float re, im; } c64;
typedef struct c128 { double re, im; } c128;

/* Vectors at any address. */
#define LANES_OF_WHOLE(S, T) typedef T lanes_##S __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));
LANES_OF_WHOLE(i8, int8_t)
LANES_OF_WHOLE(i16, int16_t)
LANES_OF_WHOLE(i32, int32_t)
LANES_OF_WHOLE(i64, int64_t)
LANES_OF_WHOLE(u8, uint8_t)
LANES_OF_WHOLE(u16, uint16_t)
LANES_OF_WHOLE(u32, uint32_t)
LANES_OF_WHOLE(u64, uint64_t)
#undef LANES_OF_WHOLE

/* Vectors of reals, what comparisons of them give, and the instructions for T, whose letters are PS. */
#if defined __AVX512F__
typedef __m512 lanes_f32;
typedef __m512d lanes_f64;
typedef __mmask16 mask_of_f32;
typedef __mmask8 mask_of_f64;
#define X86(name) CPU_JOIN(_mm512_##name##_, PS)
#define BODY "backends/cpu/kernels/lanes/reals_512.h"
#elif defined __AVX__
typedef __m256 lanes_f32;
typedef __m256d lanes_f64;
typedef __m256 mask_of_f32;
typedef __m256d mask_of_f64;
#define X86(name) CPU_JOIN(_mm256_##name##_, PS)
#define BODY "backends/cpu/kernels/lanes/reals_x86.h"
#elif defined __SSE2__
typedef __m128 lanes_f32;
typedef __m128d lanes_f64;
typedef __m128 mask_of_f32;
typedef __m128d mask_of_f64;
#define X86(name) CPU_JOIN(_mm_##name##_, PS)
#define BODY "backends/cpu/kernels/lanes/reals_x86.h"
#else
typedef float lanes_f32 __attribute__((vector_size(CPU_VECTOR), aligned(4), may_alias));
typedef double lanes_f64 __attribute__((vector_size(CPU_VECTOR), aligned(8), may_alias));
typedef lanes_i32 mask_of_f32;
typedef lanes_i64 mask_of_f64;
#define BODY "backends/cpu/kernels/lanes/reals_any.h"
#endif
/* The numbers of lanes: a shuffle takes an expression of them, since lanes that are set one by one stay in memory. */
#if CPU_VECTOR == 64
#define LANES_ps { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }
#define LANES_pd { 0, 1, 2, 3, 4, 5, 6, 7 }
#elif CPU_VECTOR == 32
#define LANES_ps { 0, 1, 2, 3, 4, 5, 6, 7 }
#define LANES_pd { 0, 1, 2, 3 }
#else
#define LANES_ps { 0, 1, 2, 3 }
#define LANES_pd { 0, 1 }
#endif
#include "backends/cpu/kernels/lanes/for_reals.h"
#define BODY "backends/cpu/kernels/lanes/wholes.h"
#include "backends/cpu/kernels/lanes/for_wholes.h"

/* A value that has two uses stays in a register: compilers would load it once for each, and the processor can have the fewer
 * lines of memory under way. */
#ifdef __SSE2__
#define HOLD(a, b, c, d) __asm__("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d))
#else
#define HOLD(a, b, c, d) ((void)0)
#endif

#endif
