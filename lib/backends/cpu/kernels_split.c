// SPDX-License-Identifier: BSD-3-Clause
/* Values below, between and above two others, one instruction set (cpu_split in kernels_sort.h); built as kernels.c is. L1. */
#include "backends/cpu/kernels_sort.h"
#include "backends/cpu/variant.h"

#ifdef __AVX512F__
#include <immintrin.h>

/* Bytes. The processor's own guess ends with each page, which made a lane of 40 MB four times as slow. */
enum { AHEAD = 4096 };

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
