// SPDX-License-Identifier: BSD-3-Clause
/* Values below, between and above two others, one instruction set (cpu_split in sort.h); built as kernels.c is. L1. */
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/kernels/variant.h"

#ifdef __AVX2__
#include <immintrin.h>

/* Bytes. The processor's own guess ends with each page, which made a lane of 40 MB four times as slow. */
enum { AHEAD = 4096 };
#endif

#if defined __AVX512F__

/* Counters have one lane for each of the vector's; N stays far below what 32 bits hold. */
#define SPLIT(S, T, V, K, SFX, INT, LANES)                                                                  \
  static void split_##S(int64_t n, const T *x, T low, T high, T *out, cpu_split *s)                         \
  {                                                                                                         \
    const V l = _mm512_set1_##SFX(low), h = _mm512_set1_##SFX(high);                                        \
    const __m512i one = _mm512_set1_##INT(1);                                                               \
    __m512i below = _mm512_setzero_si512(), upto = below, at_high = below, nan = below;                     \
    T *to = out;                                                                                            \
    for (int64_t i = 0; i < n; i += LANES) {                                                                \
      const K there = (K)(n - i < LANES ? (1u << (n - i)) - 1 : ~0u);                                       \
      __builtin_prefetch((const char *)(x + i) + AHEAD);                                                    \
      const V v = _mm512_maskz_loadu_##SFX(there, x + i);                                                   \
      const K le = _mm512_mask_cmp_##SFX##_mask(there, v, l, _CMP_LE_OQ);                                   \
      const K lt = _mm512_mask_cmp_##SFX##_mask(there, v, h, _CMP_LT_OQ), mid = (K)(lt & ~le);              \
      below = ADD_##LANES(below, _mm512_mask_cmp_##SFX##_mask(there, v, l, _CMP_LT_OQ), one);               \
      upto = ADD_##LANES(upto, le, one);                                                                    \
      at_high = ADD_##LANES(at_high, _mm512_mask_cmp_##SFX##_mask(there, v, h, _CMP_EQ_OQ), one);           \
      nan = ADD_##LANES(nan, _mm512_mask_cmp_##SFX##_mask(there, v, v, _CMP_UNORD_Q), one);                 \
      _mm512_storeu_##SFX(to, _mm512_maskz_compress_##SFX(mid, v));                                         \
      to += __builtin_popcount(mid);                                                                        \
    }                                                                                                       \
    s->below = _mm512_reduce_add_##INT(below);                                                              \
    s->at_low = _mm512_reduce_add_##INT(upto) - s->below;                                                   \
    s->between = to - out;                                                                                  \
    s->at_high = low == high ? 0 : _mm512_reduce_add_##INT(at_high);                                        \
    s->nan = _mm512_reduce_add_##INT(nan);                                                                  \
  }
#define ADD_16(a, k, one) _mm512_mask_add_epi32(a, k, a, one)
#define ADD_8(a, k, one) _mm512_mask_add_epi64(a, k, a, one)
SPLIT(f32, float, __m512, __mmask16, ps, epi32, 16)
SPLIT(f64, double, __m512d, __mmask8, pd, epi64, 8)
#elif defined __AVX2__
#include "backends/cpu/kernels/pack.h"

/* Counters have one lane for each of the vector's, from which the -1 of comparisons are taken. */
#define SPLIT(S, T, V, SFX, INT, WORD, LANES)                                                               \
  static void split_##S(int64_t n, const T *x, T low, T high, T *out, cpu_split *s)                         \
  {                                                                                                         \
    const V l = _mm256_set1_##SFX(low), h = _mm256_set1_##SFX(high);                                        \
    __m256i below = _mm256_setzero_si256(), upto = below, at_high = below, nan = below;                     \
    WORD count[4][LANES];                                                                                   \
    T *to = out;                                                                                            \
    int64_t i = 0;                                                                                          \
    for (; i + LANES <= n; i += LANES) {                                                                    \
      __builtin_prefetch((const char *)(x + i) + AHEAD);                                                    \
      const V v = _mm256_loadu_##SFX(x + i), le = _mm256_cmp_##SFX(v, l, _CMP_LE_OQ);                       \
      const V mid = _mm256_andnot_##SFX(le, _mm256_cmp_##SFX(v, h, _CMP_LT_OQ));                            \
      below = _mm256_sub_##INT(below, BITS_##LANES(_mm256_cmp_##SFX(v, l, _CMP_LT_OQ)));                    \
      upto = _mm256_sub_##INT(upto, BITS_##LANES(le));                                                      \
      at_high = _mm256_sub_##INT(at_high, BITS_##LANES(_mm256_cmp_##SFX(v, h, _CMP_EQ_OQ)));                \
      nan = _mm256_sub_##INT(nan, BITS_##LANES(_mm256_cmp_##SFX(v, v, _CMP_UNORD_Q)));                      \
      const unsigned m = (unsigned)_mm256_movemask_##SFX(mid);                                              \
      PACK_##LANES(to, v, m);                                                                               \
      to += __builtin_popcount(m);                                                                          \
    }                                                                                                       \
    _mm256_storeu_si256((__m256i *)(void *)count[0], below);                                                \
    _mm256_storeu_si256((__m256i *)(void *)count[1], upto);                                                 \
    _mm256_storeu_si256((__m256i *)(void *)count[2], at_high);                                              \
    _mm256_storeu_si256((__m256i *)(void *)count[3], nan);                                                  \
    for (; i < n; i++) {                                                                                    \
      const T v = x[i];                                                                                     \
      count[0][0] += v < low;                                                                               \
      count[1][0] += v <= low;                                                                              \
      count[2][0] += v == high;                                                                             \
      count[3][0] += v != v;                                                                                \
      *to = v;                                                                                              \
      to += (v > low) & (v < high);                                                                         \
    }                                                                                                       \
    for (int k = 1; k < LANES; k++)                                                                         \
      for (int c = 0; c < 4; c++)                                                                           \
        count[c][0] += count[c][k];                                                                         \
    *s = (cpu_split){ count[0][0], count[1][0] - count[0][0], to - out, low == high ? 0 : count[2][0], count[3][0] }; \
  }
#define BITS_8 _mm256_castps_si256
#define BITS_4 _mm256_castpd_si256
#define PACK_8(to, v, m) _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(v, pack_order(split_lanes[m])))
#define PACK_4(to, v, m) \
  _mm256_storeu_ps((float *)(void *)(to), _mm256_permutevar8x32_ps(_mm256_castpd_ps(v), pack_order(split_pairs[m])))
SPLIT(f32, float, __m256, ps, epi32, int32_t, 8)
SPLIT(f64, double, __m256d, pd, epi64, int64_t, 4)
#else
#define SPLIT(S, T, WORD)                                                                                   \
  static void split_##S(int64_t n, const T *x, T low, T high, T *out, cpu_split *s)                         \
  {                                                                                                         \
    WORD below = 0, upto = 0, at_high = 0, nan = 0;                                                         \
    int64_t m = 0;                                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      below += x[i] < low;                                                                                  \
      upto += x[i] <= low;                                                                                  \
      at_high += x[i] == high;                                                                              \
      nan += x[i] != x[i];                                                                                  \
    }                                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      const T v = x[i];                                                                                     \
      out[m] = v;                                                                                           \
      m += (v > low) & (v < high);                                                                          \
    }                                                                                                       \
    *s = (cpu_split){ below, upto - below, m, low == high ? 0 : at_high, nan };                             \
  }
SPLIT(f32, float, int32_t)
SPLIT(f64, double, int64_t)
#endif

const cpu_split_loops CPU_OF_SET(cpu_split_loops_) = { .f32 = split_f32, .f64 = split_f64 };
