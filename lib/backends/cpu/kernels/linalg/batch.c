// SPDX-License-Identifier: BSD-3-Clause
/* One set of the loops for batches of small matrices (batch.h), compiled once per instruction set with CPU_VARIANT naming
 * it. L1. */
#include "backends/cpu/kernels/linalg/batch.h"
#include "backends/cpu/kernels/variant.h"
#include "base/product.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define ALWAYS inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include "backends/cpu/kernels/transpose.h"
#elif defined(__AVX2__)
#include <immintrin.h>

/* Row r[k] to element k of every t. */
static ALWAYS void transpose_8_u32(const __m256i *r, __m256i *t)
{
  __m256i u[8];
  UNROLL for (int g = 0; g < 8; g += 4) {
    const __m256i a = _mm256_unpacklo_epi32(r[g], r[g + 1]), b = _mm256_unpackhi_epi32(r[g], r[g + 1]);
    const __m256i c = _mm256_unpacklo_epi32(r[g + 2], r[g + 3]), d = _mm256_unpackhi_epi32(r[g + 2], r[g + 3]);
    u[g] = _mm256_unpacklo_epi64(a, c);
    u[g + 1] = _mm256_unpackhi_epi64(a, c);
    u[g + 2] = _mm256_unpacklo_epi64(b, d);
    u[g + 3] = _mm256_unpackhi_epi64(b, d);
  }
  UNROLL for (int k = 0; k < 4; k++) {
    t[k] = _mm256_permute2x128_si256(u[k], u[k + 4], 0x20);
    t[k + 4] = _mm256_permute2x128_si256(u[k], u[k + 4], 0x31);
  }
}

static ALWAYS void transpose_4_u64(const __m256i *r, __m256i *t)
{
  const __m256i a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
  const __m256i c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
  t[0] = _mm256_permute2x128_si256(a, c, 0x20);
  t[1] = _mm256_permute2x128_si256(b, d, 0x20);
  t[2] = _mm256_permute2x128_si256(a, c, 0x31);
  t[3] = _mm256_permute2x128_si256(b, d, 0x31);
}
#endif

/* Lane of the lowest bit of FAILED, which has one, with the first step whose bits name it. */
static int64_t first_failed(unsigned failed, const unsigned *step)
{
  const int lane = __builtin_ctz(failed);
  int64_t at = 0;
  while (!(step[at] >> lane & 1))
    at++;
  return lane * CPU_BATCH_ORDER + at;
}

enum { SWEEPS = 30 }; /* of Jacobi's rotations; four to nine are usual */

#define T float
#define I int32_t
#define S f32
#define LEAST FLT_MIN
#define EPSILON FLT_EPSILON
#define NOTHING 0x1p-50f
#define ROOT sqrtf
#if defined(__AVX512F__)
#define MASK __mmask16
#define GREATER(a, b) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_GT_OQ)
#define CHOOSE(m, a, b) ((V)_mm512_mask_blend_ps(m, (__m512)(b), (__m512)(a)))
#define TRANSPOSE_LANES transpose_16_u32
#define LOAD(n, p) _mm512_maskz_loadu_epi32((__mmask16)((1u << (n)) - 1), p)
#define STORE(n, p, v) _mm512_mask_storeu_epi32(p, (__mmask16)((1u << (n)) - 1), v)
#define SQRT(x) ((V)_mm512_sqrt_ps((__m512)(x)))
#elif defined(__AVX2__)
#define CHOOSE(m, a, b) ((V)_mm256_blendv_ps((__m256)(b), (__m256)(a), (__m256)(m)))
#define BITS(m) ((unsigned)_mm256_movemask_ps((__m256)(m)))
#define TRANSPOSE_LANES transpose_8_u32
#define SQRT(x) ((V)_mm256_sqrt_ps((__m256)(x)))
#endif
#include "backends/cpu/kernels/linalg/batch_loops.h"

#define T double
#define I int64_t
#define S f64
#define LEAST DBL_MIN
#define EPSILON DBL_EPSILON
#define NOTHING 0x1p-400
#define ROOT sqrt
#if defined(__AVX512F__)
#define MASK __mmask8
#define GREATER(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_GT_OQ)
#define CHOOSE(m, a, b) ((V)_mm512_mask_blend_pd(m, (__m512d)(b), (__m512d)(a)))
#define TRANSPOSE_LANES transpose_8_u64
#define LOAD(n, p) _mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), p)
#define STORE(n, p, v) _mm512_mask_storeu_epi64(p, (__mmask8)((1u << (n)) - 1), v)
#define SQRT(x) ((V)_mm512_sqrt_pd((__m512d)(x)))
#elif defined(__AVX2__)
#define CHOOSE(m, a, b) ((V)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(m)))
#define BITS(m) ((unsigned)_mm256_movemask_pd((__m256d)(m)))
#define TRANSPOSE_LANES transpose_4_u64
#define SQRT(x) ((V)_mm256_sqrt_pd((__m256d)(x)))
#endif
#include "backends/cpu/kernels/linalg/batch_loops.h"

#define LOOPS(s, T) { CPU_VECTOR / sizeof(T), solve_##s, det_##s, lu_##s, cholesky_##s, qr_##s, eigh_##s, svd_##s }
const cpu_batch_loops CPU_OF_SET(cpu_batch_)[CPU_BATCH_TYPES] = {
  LOOPS(f32_real, float), LOOPS(f64_real, double), LOOPS(f32_complex, float), LOOPS(f64_complex, double),
};
