// SPDX-License-Identifier: BSD-3-Clause
/* One set of the steps of chain.h, compiled once per instruction set with CPU_VARIANT naming it. L1. */
#include "backends/cpu/kernels/chain/chain.h"
#include "backends/cpu/kernels/variant.h"
#include <heddle/ops.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "backends/cpu/kernels/functions/math.h"
#include "backends/cpu/kernels/functions/exp.h"
#include "backends/cpu/kernels/functions/log.h"
#ifdef __AVX512F__
#include "backends/cpu/kernels/functions/log_512.h"
#endif

#define ALWAYS inline __attribute__((always_inline))

enum { LINE = 64 }; /* bytes */

/* A + D * D of doubles; X + Y, as conversions and sums share units on some processors, products have others. */
#ifdef __FMA__
#define ADD_SQUARE(d, a) ((sums)SIMD(fmadd_pd)((SIMD_DOUBLES)(d), (SIMD_DOUBLES)(d), (SIMD_DOUBLES)(a)))
#define ADD(x, y) ((sums)SIMD(fmadd_pd)((SIMD_DOUBLES)(x), (SIMD_DOUBLES)((sums){ 0 } + 1), (SIMD_DOUBLES)(y)))
#else
#define ADD_SQUARE(d, a) ((a) + (d) * (d))
#define ADD(x, y) ((sums)(x) + (sums)(y))
#endif

#if CPU_VECTOR == 64
#define SIMD_DOUBLES __m512d
#define SIMD(name) CPU_JOIN(_mm512_, name)
#elif CPU_VECTOR == 32 && defined __AVX2__
#define SIMD_DOUBLES __m256d
#define SIMD(name) CPU_JOIN(_mm256_, name)
#elif CPU_VECTOR == 16 && defined __SSE2__
#define SIMD(name) CPU_JOIN(_mm_, name)
#define TWICE(x, width) CPU_JOIN(_mm_unpacklo_, width)(x, x)
#endif

#define T float
#define I int32_t
#define S f32
#define SUFFIX ps
#define LETTER f
#define LIMITS(x, y) x
#if CPU_VECTOR == 64
#define NEGATIVE(x) _mm512_movepi32_mask((__m512i)(x))
#define BYTES _mm512_cvtepu8_epi32
#define ONES(which) _mm512_cvtepi32_epi8((__m512i)(which & 1))
#define UNORDERED(x, y) _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q)
#define LOWER(x) _mm512_cvtps_pd(_mm512_castps512_ps256(x))
#define UPPER(x) _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))
#elif CPU_VECTOR == 32 && defined __AVX2__
#define BYTES _mm256_cvtepu8_epi32
#define NEGATIVE(x) _mm256_movemask_ps((__m256)(x))
#define UNORDERED(x, y) _mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_UNORD_Q))
#define LOWER(x) _mm256_cvtps_pd(_mm256_castps256_ps128(x))
#define UPPER(x) _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))
#elif CPU_VECTOR == 16 && defined __SSE2__
#define BYTES(x) TWICE(TWICE(x, epi8), epi16)
#define NEGATIVE(x) _mm_movemask_ps((__m128)(x))
#define UNORDERED(x, y) _mm_movemask_ps(_mm_cmpunord_ps(x, y))
#define LOWER(x) _mm_cvtps_pd(x)
#define UPPER(x) _mm_cvtps_pd(_mm_movehl_ps(x, x))
#endif
#include "backends/cpu/kernels/chain/chain_loops.h"

#define T double
#define I int64_t
#define S f64
#define SUFFIX pd
#define LETTER d
#define LIMITS(x, y) y
#if CPU_VECTOR == 64
#define NEGATIVE(x) _mm512_movepi64_mask((__m512i)(x))
#define BYTES _mm512_cvtepu8_epi64
#define ONES(which) _mm512_cvtepi64_epi8((__m512i)(which & 1))
#define UNORDERED(x, y) _mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q)
#elif CPU_VECTOR == 32 && defined __AVX2__
#define BYTES _mm256_cvtepu8_epi64
#define NEGATIVE(x) _mm256_movemask_pd((__m256d)(x))
#define UNORDERED(x, y) _mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_UNORD_Q))
#elif CPU_VECTOR == 16 && defined __SSE2__
#define BYTES(x) _mm_unpacklo_epi32(TWICE(TWICE(x, epi8), epi16), TWICE(TWICE(x, epi8), epi16))
#define NEGATIVE(x) _mm_movemask_pd((__m128d)(x))
#define UNORDERED(x, y) _mm_movemask_pd(_mm_cmpunord_pd(x, y))
#endif
#ifdef SIMD
#define LOWER(x) (x)
#endif
#include "backends/cpu/kernels/chain/chain_loops.h"

#ifdef SIMD
#define PLACE_OF(name, S) { (cpu_chain_fn)CPU_JOIN(name##_, S), CPU_JOIN(name##_some_, S), CPU_JOIN(name##_tile_, S) }
#define KEPT_OF(S)                                                                                                      \
  (cpu_chain_fn)CPU_JOIN(sum_, S), (cpu_chain_fn)CPU_JOIN(moments_, S), { PLACE_OF(top, S), PLACE_OF(low, S) }
#else
#define KEPT_OF(S) NULL, NULL, { { NULL } }
#endif
const cpu_chain_loops CPU_OF_SET(cpu_chain_)[2] = { LOOPS(f32), LOOPS(f64) };
