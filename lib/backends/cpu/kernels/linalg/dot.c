// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of inner products (dot.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/kernels/variant.h"
#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "backends/cpu/kernels/muladd.h"

#define ALWAYS static inline __attribute__((always_inline))

/* By level: the parts of complex numbers in each other's place; the sum of a vector's quarters of 16 bytes; the first N
 * elements at P, fewer than a vector's, and zeros. */
#if defined(__AVX512F__)
#define SWAPPED_F32(x) ((vec_f32)_mm512_permute_ps((__m512)(x), 0xb1))
#define SWAPPED_F64(x) ((vec_f64)_mm512_permute_pd((__m512d)(x), 0x55))
#define SOME_F32(p, n) ((vec_f32)_mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), p))
#define SOME_F64(p, n) ((vec_f64)_mm512_maskz_loadu_pd((__mmask8)((1u << (n)) - 1), p))
#define HALF_F32(x)                                                                              \
  _mm256_add_ps(_mm512_castps512_ps256((__m512)(x)),                                             \
                _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd((__m512)(x)), 1)))
#define HALF_F64(x) _mm256_add_pd(_mm512_castpd512_pd256((__m512d)(x)), _mm512_extractf64x4_pd((__m512d)(x), 1))
#elif defined(__AVX2__)
#define SWAPPED_F32(x) ((vec_f32)_mm256_permute_ps((__m256)(x), 0xb1))
#define SWAPPED_F64(x) ((vec_f64)_mm256_permute_pd((__m256d)(x), 0x5))
#define SOME_F32(p, n) ((vec_f32)_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), \
                                                                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))))
#define SOME_F64(p, n) ((vec_f64)_mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3))))
#define HALF_F32(x) ((__m256)(x))
#define HALF_F64(x) ((__m256d)(x))
#elif defined(__SSE2__)
#define SWAPPED_F32(x) ((vec_f32)_mm_shuffle_ps((__m128)(x), (__m128)(x), 0xb1))
#define SWAPPED_F64(x) ((vec_f64)_mm_shuffle_pd((__m128d)(x), (__m128d)(x), 1))
#else
#define SWAPPED_F32(x) ((vec_f32){ (x)[1], (x)[0], (x)[3], (x)[2] })
#define SWAPPED_F64(x) ((vec_f64){ (x)[1], (x)[0] })
#endif
#if defined(__AVX2__)
#define QUARTER_F32(x) \
  ((quarter_f32)_mm_add_ps(_mm256_castps256_ps128(HALF_F32(x)), _mm256_extractf128_ps(HALF_F32(x), 1)))
#define QUARTER_F64(x) \
  ((quarter_f64)_mm_add_pd(_mm256_castpd256_pd128(HALF_F64(x)), _mm256_extractf128_pd(HALF_F64(x), 1)))
#else
#define QUARTER_F32(x) (x)
#define QUARTER_F64(x) (x)
#define SOME_F32(p, n) ((vec_f32){ (p)[0], (n) > 1 ? (p)[1] : 0, (n) > 2 ? (p)[2] : 0, 0 })
#define SOME_F64(p, n) ((vec_f64){ (p)[0], 0 })
#endif
typedef float quarter_f32 __attribute__((vector_size(16)));
typedef double quarter_f64 __attribute__((vector_size(16)));

#define T float
#define S f32
#define SC c64
#define MULADD FUSED_F32
#define SWAPPED SWAPPED_F32
#define QUARTER QUARTER_F32
#define SOME SOME_F32
#include "backends/cpu/kernels/linalg/dot_loops.h"

#define T double
#define S f64
#define SC c128
#define MULADD FUSED_F64
#define SWAPPED SWAPPED_F64
#define QUARTER QUARTER_F64
#define SOME SOME_F64
#include "backends/cpu/kernels/linalg/dot_loops.h"

#define T uint8_t
#define S u8
#include "backends/cpu/kernels/linalg/dot_int.h"

#define T uint16_t
#define S u16
#include "backends/cpu/kernels/linalg/dot_int.h"

#define T uint32_t
#define S u32
#include "backends/cpu/kernels/linalg/dot_int.h"

#define T uint64_t
#define S u64
#include "backends/cpu/kernels/linalg/dot_int.h"

/* Steps of three are turned into vectors by the compiler. */
#define CROSS(T, S)                                                                    \
  static void cross_##S(int64_t n, const void *a_, const void *b_, void *c_)           \
  {                                                                                    \
    const T *a = a_, *b = b_;                                                          \
    T *restrict c = c_;                                                                \
    for (int64_t i = 0; i < n; i++) {                                                  \
      const T x0 = a[3 * i], x1 = a[3 * i + 1], x2 = a[3 * i + 2];                     \
      const T y0 = b[3 * i], y1 = b[3 * i + 1], y2 = b[3 * i + 2];                     \
      c[3 * i] = x1 * y2 - x2 * y1;                                                    \
      c[3 * i + 1] = x2 * y0 - x0 * y2;                                                \
      c[3 * i + 2] = x0 * y1 - x1 * y0;                                                \
    }                                                                                  \
  }
CROSS(float, f32)
CROSS(double, f64)

#define LOOPS(s, cross) { rows_##s, columns_##s, ends_##s, cross }

const cpu_dot_loops CPU_OF_SET(cpu_dot_)[CPU_DOT_TYPES] = {
  [CPU_DOT_F32] = LOOPS(f32, cross_f32), [CPU_DOT_F64] = LOOPS(f64, cross_f64), [CPU_DOT_C64] = LOOPS(c64, NULL),
  [CPU_DOT_C128] = LOOPS(c128, NULL), [CPU_DOT_U8] = LOOPS(u8, NULL), [CPU_DOT_U16] = LOOPS(u16, NULL),
  [CPU_DOT_U32] = LOOPS(u32, NULL), [CPU_DOT_U64] = LOOPS(u64, NULL),
};
