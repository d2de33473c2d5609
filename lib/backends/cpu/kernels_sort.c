// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of sorting kernels (kernels_sort.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 *
 * With AVX-512, words are sorted by the vectorised quicksort of k_quick.h, else by radix sort.
 */
#include "backends/cpu/kernels_sort.h"
#include "backends/cpu/sort.h"
#include "backends/cpu/variant.h"
#include "base/dtype.h"
#include <string.h>

/* ---- keys ---- */

/* Keys may take the place of their values. */
#define FLOAT_KEYS(S, K, SIGN)                                                                             \
  static void keys_##S(int64_t n, const K *x, K *key, K invert, K merge)                                   \
  {                                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const K b = x[i], negative = (K)0 - (b >> (8 * sizeof(K) - 1));                                      \
      K k = b ^ (negative | SIGN);                                                                         \
      k += (K)(k == SIGN - 1) & merge;                                                                     \
      key[i] = (b & ~SIGN) > S##_INFINITE ? ~(K)0 : k ^ invert;                                            \
    }                                                                                                      \
  }                                                                                                        \
  static void values_##S(int64_t n, const K *key, K *out, K invert)                                        \
  {                                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const K k = key[i] ^ invert, negative = (k >> (8 * sizeof(K) - 1)) - 1;                              \
      out[i] = key[i] == ~(K)0 ? S##_NAN : k ^ (negative | SIGN);                                          \
    }                                                                                                      \
  }
#define f32_INFINITE 0x7f800000u
#define f32_NAN 0x7fc00000u
#define f64_INFINITE 0x7ff0000000000000u
#define f64_NAN 0x7ff8000000000000u
FLOAT_KEYS(f32, uint32_t, 0x80000000u)
FLOAT_KEYS(f64, uint64_t, 0x8000000000000000u)

/* U: the unsigned type of the values; FLIP has the sign bit of signed ones. */
#define INT_KEYS(S, U, K)                                                                  \
  static void keys_##S(int64_t n, const U *x, K *key, K invert, U flip)                    \
  {                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++)                                                  \
      key[i] = (K)(x[i] ^ flip) ^ invert;                                                  \
  }                                                                                        \
  static void values_##S(int64_t n, const K *key, U *out, K invert, U flip)                \
  {                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++)                                                  \
      out[i] = (U)((U)(key[i] ^ invert) ^ flip);                                           \
  }
INT_KEYS(8, uint8_t, uint32_t)
INT_KEYS(16, uint16_t, uint32_t)
INT_KEYS(32, uint32_t, uint32_t)
INT_KEYS(64, uint64_t, uint64_t)

static void keys(int type, int64_t n, const void *x, void *key, bool descending, bool merge_zeros)
{
  const uint32_t invert = descending ? UINT32_MAX : 0;
  const uint64_t invert_wide = descending ? UINT64_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT32: keys_f32(n, x, key, invert, merge_zeros); break;
  case HED_ID_FLOAT64: keys_f64(n, x, key, invert_wide, merge_zeros); break;
  case HED_ID_INT8: keys_8(n, x, key, invert, 0x80); break;
  case HED_ID_INT16: keys_16(n, x, key, invert, 0x8000); break;
  case HED_ID_INT32: keys_32(n, x, key, invert, 0x80000000u); break;
  case HED_ID_INT64: keys_64(n, x, key, invert_wide, 0x8000000000000000u); break;
  case HED_ID_UINT16: keys_16(n, x, key, invert, 0); break;
  case HED_ID_UINT32: keys_32(n, x, key, invert, 0); break;
  case HED_ID_UINT64: keys_64(n, x, key, invert_wide, 0); break;
  default: keys_8(n, x, key, invert, 0);
  }
}

static void values(int type, int64_t n, const void *key, void *out, bool descending)
{
  const uint32_t invert = descending ? UINT32_MAX : 0;
  const uint64_t invert_wide = descending ? UINT64_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT32: values_f32(n, key, out, invert); break;
  case HED_ID_FLOAT64: values_f64(n, key, out, invert_wide); break;
  case HED_ID_INT8: values_8(n, key, out, invert, 0x80); break;
  case HED_ID_INT16: values_16(n, key, out, invert, 0x8000); break;
  case HED_ID_INT32: values_32(n, key, out, invert, 0x80000000u); break;
  case HED_ID_INT64: values_64(n, key, out, invert_wide, 0x8000000000000000u); break;
  case HED_ID_UINT16: values_16(n, key, out, invert, 0); break;
  case HED_ID_UINT32: values_32(n, key, out, invert, 0); break;
  case HED_ID_UINT64: values_64(n, key, out, invert_wide, 0); break;
  default: values_8(n, key, out, invert, 0);
  }
}

/* ---- sorting and selection ---- */

#ifdef __AVX512F__
#include "backends/cpu/k_search.h"
#include "backends/cpu/k_transpose.h"

#define NETWORK_8                                                                                                    \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(1, 2) X(5, 6) X(0, 4) X(1, 5) X(2, 6) X(3, 7)    \
  X(2, 4) X(3, 5) X(1, 2) X(3, 4) X(5, 6)
#define NETWORK_16                                                                                                   \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(0, 2) X(1, 3) X(4, 6) X(5, 7) X(8, 10)     \
  X(9, 11) X(12, 14) X(13, 15) X(1, 2) X(5, 6) X(9, 10) X(13, 14) X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(8, 12) X(9, 13)  \
  X(10, 14) X(11, 15) X(2, 4) X(3, 5) X(10, 12) X(11, 13) X(1, 2) X(3, 4) X(5, 6) X(9, 10) X(11, 12) X(13, 14)       \
  X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) X(4, 8) X(5, 9) X(6, 10) X(7, 11) X(2, 4)    \
  X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13) X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)

static inline __attribute__((always_inline)) void transpose_8_u32(const __m512i *r, __m512i *o)
{
  __m512i u[8];
  four_rows(r, u);
  four_rows(r + 4, u + 4);
  quarters(u[0], u[4], u[1], u[5], o, 2);
  quarters(u[2], u[6], u[3], u[7], o + 1, 2);
}

static inline __attribute__((always_inline)) void transpose_16_u64(const __m512i *r, __m512i *o)
{
  transpose_u64(r, o, 2);
  transpose_u64(r + 8, o + 1, 2);
}

/* split_lanes[m]: an order of eight lanes, a byte each, in which those of mask m come first. */
static const uint64_t split_lanes[256] = {
  0x0706050403020100u, 0x0706050403020100u, 0x0706050403020001u, 0x0706050403020100u,
  0x0706050403010002u, 0x0706050403010200u, 0x0706050403000201u, 0x0706050403020100u,
  0x0706050402010003u, 0x0706050402010300u, 0x0706050402000301u, 0x0706050402030100u,
  0x0706050401000302u, 0x0706050401030200u, 0x0706050400030201u, 0x0706050403020100u,
  0x0706050302010004u, 0x0706050302010400u, 0x0706050302000401u, 0x0706050302040100u,
  0x0706050301000402u, 0x0706050301040200u, 0x0706050300040201u, 0x0706050304020100u,
  0x0706050201000403u, 0x0706050201040300u, 0x0706050200040301u, 0x0706050204030100u,
  0x0706050100040302u, 0x0706050104030200u, 0x0706050004030201u, 0x0706050403020100u,
  0x0706040302010005u, 0x0706040302010500u, 0x0706040302000501u, 0x0706040302050100u,
  0x0706040301000502u, 0x0706040301050200u, 0x0706040300050201u, 0x0706040305020100u,
  0x0706040201000503u, 0x0706040201050300u, 0x0706040200050301u, 0x0706040205030100u,
  0x0706040100050302u, 0x0706040105030200u, 0x0706040005030201u, 0x0706040503020100u,
  0x0706030201000504u, 0x0706030201050400u, 0x0706030200050401u, 0x0706030205040100u,
  0x0706030100050402u, 0x0706030105040200u, 0x0706030005040201u, 0x0706030504020100u,
  0x0706020100050403u, 0x0706020105040300u, 0x0706020005040301u, 0x0706020504030100u,
  0x0706010005040302u, 0x0706010504030200u, 0x0706000504030201u, 0x0706050403020100u,
  0x0705040302010006u, 0x0705040302010600u, 0x0705040302000601u, 0x0705040302060100u,
  0x0705040301000602u, 0x0705040301060200u, 0x0705040300060201u, 0x0705040306020100u,
  0x0705040201000603u, 0x0705040201060300u, 0x0705040200060301u, 0x0705040206030100u,
  0x0705040100060302u, 0x0705040106030200u, 0x0705040006030201u, 0x0705040603020100u,
  0x0705030201000604u, 0x0705030201060400u, 0x0705030200060401u, 0x0705030206040100u,
  0x0705030100060402u, 0x0705030106040200u, 0x0705030006040201u, 0x0705030604020100u,
  0x0705020100060403u, 0x0705020106040300u, 0x0705020006040301u, 0x0705020604030100u,
  0x0705010006040302u, 0x0705010604030200u, 0x0705000604030201u, 0x0705060403020100u,
  0x0704030201000605u, 0x0704030201060500u, 0x0704030200060501u, 0x0704030206050100u,
  0x0704030100060502u, 0x0704030106050200u, 0x0704030006050201u, 0x0704030605020100u,
  0x0704020100060503u, 0x0704020106050300u, 0x0704020006050301u, 0x0704020605030100u,
  0x0704010006050302u, 0x0704010605030200u, 0x0704000605030201u, 0x0704060503020100u,
  0x0703020100060504u, 0x0703020106050400u, 0x0703020006050401u, 0x0703020605040100u,
  0x0703010006050402u, 0x0703010605040200u, 0x0703000605040201u, 0x0703060504020100u,
  0x0702010006050403u, 0x0702010605040300u, 0x0702000605040301u, 0x0702060504030100u,
  0x0701000605040302u, 0x0701060504030200u, 0x0700060504030201u, 0x0706050403020100u,
  0x0605040302010007u, 0x0605040302010700u, 0x0605040302000701u, 0x0605040302070100u,
  0x0605040301000702u, 0x0605040301070200u, 0x0605040300070201u, 0x0605040307020100u,
  0x0605040201000703u, 0x0605040201070300u, 0x0605040200070301u, 0x0605040207030100u,
  0x0605040100070302u, 0x0605040107030200u, 0x0605040007030201u, 0x0605040703020100u,
  0x0605030201000704u, 0x0605030201070400u, 0x0605030200070401u, 0x0605030207040100u,
  0x0605030100070402u, 0x0605030107040200u, 0x0605030007040201u, 0x0605030704020100u,
  0x0605020100070403u, 0x0605020107040300u, 0x0605020007040301u, 0x0605020704030100u,
  0x0605010007040302u, 0x0605010704030200u, 0x0605000704030201u, 0x0605070403020100u,
  0x0604030201000705u, 0x0604030201070500u, 0x0604030200070501u, 0x0604030207050100u,
  0x0604030100070502u, 0x0604030107050200u, 0x0604030007050201u, 0x0604030705020100u,
  0x0604020100070503u, 0x0604020107050300u, 0x0604020007050301u, 0x0604020705030100u,
  0x0604010007050302u, 0x0604010705030200u, 0x0604000705030201u, 0x0604070503020100u,
  0x0603020100070504u, 0x0603020107050400u, 0x0603020007050401u, 0x0603020705040100u,
  0x0603010007050402u, 0x0603010705040200u, 0x0603000705040201u, 0x0603070504020100u,
  0x0602010007050403u, 0x0602010705040300u, 0x0602000705040301u, 0x0602070504030100u,
  0x0601000705040302u, 0x0601070504030200u, 0x0600070504030201u, 0x0607050403020100u,
  0x0504030201000706u, 0x0504030201070600u, 0x0504030200070601u, 0x0504030207060100u,
  0x0504030100070602u, 0x0504030107060200u, 0x0504030007060201u, 0x0504030706020100u,
  0x0504020100070603u, 0x0504020107060300u, 0x0504020007060301u, 0x0504020706030100u,
  0x0504010007060302u, 0x0504010706030200u, 0x0504000706030201u, 0x0504070603020100u,
  0x0503020100070604u, 0x0503020107060400u, 0x0503020007060401u, 0x0503020706040100u,
  0x0503010007060402u, 0x0503010706040200u, 0x0503000706040201u, 0x0503070604020100u,
  0x0502010007060403u, 0x0502010706040300u, 0x0502000706040301u, 0x0502070604030100u,
  0x0501000706040302u, 0x0501070604030200u, 0x0500070604030201u, 0x0507060403020100u,
  0x0403020100070605u, 0x0403020107060500u, 0x0403020007060501u, 0x0403020706050100u,
  0x0403010007060502u, 0x0403010706050200u, 0x0403000706050201u, 0x0403070605020100u,
  0x0402010007060503u, 0x0402010706050300u, 0x0402000706050301u, 0x0402070605030100u,
  0x0401000706050302u, 0x0401070605030200u, 0x0400070605030201u, 0x0407060503020100u,
  0x0302010007060504u, 0x0302010706050400u, 0x0302000706050401u, 0x0302070605040100u,
  0x0301000706050402u, 0x0301070605040200u, 0x0300070605040201u, 0x0307060504020100u,
  0x0201000706050403u, 0x0201070605040300u, 0x0200070605040301u, 0x0207060504030100u,
  0x0100070605040302u, 0x0107060504030200u, 0x0007060504030201u, 0x0706050403020100u,
};

#define QK(name) name##_u32
#define WORD uint32_t
#define LANES 16
#define LEAF 256
#define LANE_MASK __mmask16
#define IOTA _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SPREAD(x) _mm512_set1_epi32((int)(x))
#define FIRST(k) ((__mmask16)((1u << (k)) - 1))
#define MIN _mm512_min_epu32
#define MAX _mm512_max_epu32
#define MASK_MAX _mm512_mask_max_epu32
#define PERMUTE _mm512_permutexvar_epi32
#define MASK_LOAD _mm512_mask_loadu_epi32
#define MASK_STORE _mm512_mask_storeu_epi32
#define LESS_EQUAL _mm512_cmple_epu32_mask
#define PACK _mm512_maskz_compress_epi32
#define EIGHT __m256i
#define EIGHT_SPREAD(x) _mm256_set1_epi32((int)(x))
#define EIGHT_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define EIGHT_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define EIGHT_LESS_EQUAL _mm256_cmple_epu32_mask
#define EIGHT_SPLIT(v, order) _mm256_permutexvar_epi32(_mm256_cvtepu8_epi32(order), v)
#define RADIX_SORT cpu_sort_u32
#include "backends/cpu/k_quick.h"
#undef QK
#undef WORD
#undef LANES
#undef LEAF
#undef LANE_MASK
#undef IOTA
#undef SPREAD
#undef FIRST
#undef MIN
#undef MAX
#undef MASK_MAX
#undef PERMUTE
#undef MASK_LOAD
#undef MASK_STORE
#undef LESS_EQUAL
#undef PACK
#undef EIGHT
#undef EIGHT_SPREAD
#undef EIGHT_LOAD
#undef EIGHT_STORE
#undef EIGHT_LESS_EQUAL
#undef EIGHT_SPLIT
#undef RADIX_SORT

#define QK(name) name##_u64
#define WORD uint64_t
#define LANES 8
#define LEAF 128
#define LANE_MASK __mmask8
#define IOTA _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#define SPREAD(x) _mm512_set1_epi64((long long)(x))
#define FIRST(k) ((__mmask8)((1u << (k)) - 1))
#define MIN _mm512_min_epu64
#define MAX _mm512_max_epu64
#define MASK_MAX _mm512_mask_max_epu64
#define PERMUTE _mm512_permutexvar_epi64
#define MASK_LOAD _mm512_mask_loadu_epi64
#define MASK_STORE _mm512_mask_storeu_epi64
#define LESS_EQUAL _mm512_cmple_epu64_mask
#define PACK _mm512_maskz_compress_epi64
#define EIGHT __m512i
#define EIGHT_SPREAD SPREAD
#define EIGHT_LOAD _mm512_loadu_si512
#define EIGHT_STORE _mm512_storeu_si512
#define EIGHT_LESS_EQUAL LESS_EQUAL
#define EIGHT_SPLIT(v, order) _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(order), v)
#define RADIX_SORT cpu_sort_u64
#include "backends/cpu/k_quick.h"
enum { LEAF_u32 = 256, LEAF_u64 = 128 };

static int64_t below_u32(int64_t n, const uint32_t *key, uint32_t limit, int64_t first, uint64_t *places)
{
  const __m512i l = _mm512_set1_epi32((int)limit);
  const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 16) {
    const __mmask16 there = (__mmask16)((1u << (n - i < 16 ? n - i : 16)) - 1);
    const __mmask16 m = _mm512_mask_cmplt_epu32_mask(there, _mm512_maskz_loadu_epi32(there, key + i), l);
    if (!m)
      continue;
    const __m512i at = _mm512_add_epi64(iota, _mm512_set1_epi64(first + i));
    _mm512_storeu_si512(places + found, _mm512_maskz_compress_epi64((__mmask8)m, at));
    found += __builtin_popcount(m & 0xff);
    const __m512i behind = _mm512_add_epi64(at, _mm512_set1_epi64(8));
    _mm512_storeu_si512(places + found, _mm512_maskz_compress_epi64((__mmask8)(m >> 8), behind));
    found += __builtin_popcount(m >> 8);
  }
  return found;
}

static int64_t below_u64(int64_t n, const uint64_t *key, uint64_t limit, int64_t first, uint64_t *places)
{
  const __m512i l = _mm512_set1_epi64((long long)limit);
  const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 8) {
    const __mmask8 there = (__mmask8)((1u << (n - i < 8 ? n - i : 8)) - 1);
    const __mmask8 m = _mm512_mask_cmplt_epu64_mask(there, _mm512_maskz_loadu_epi64(there, key + i), l);
    if (!m)
      continue;
    const __m512i at = _mm512_add_epi64(iota, _mm512_set1_epi64(first + i));
    _mm512_storeu_si512(places + found, _mm512_maskz_compress_epi64(m, at));
    found += __builtin_popcount(m);
  }
  return found;
}
#else
static void sort_u32(int64_t n, uint32_t *list, uint32_t *spare)
{
  const uint32_t *sorted = cpu_sort_u32(n, list, spare);
  if (sorted != list)
    memcpy(list, sorted, (size_t)n * sizeof *list);
}

static void sort_u64(int64_t n, uint64_t *list, uint64_t *spare)
{
  const uint64_t *sorted = cpu_sort_u64(n, list, spare);
  if (sorted != list)
    memcpy(list, sorted, (size_t)n * sizeof *list);
}

#define DIVIDE(FN, K)                                                         \
  static int64_t FN(const K *from, K *to, int64_t n, K pivot)                 \
  {                                                                           \
    int64_t low = 0, high = n - 1;                                            \
    for (int64_t i = 0; i < n; i++) { /* to both ends, of which one counts */ \
      const K x = from[i];                                                    \
      const bool small = x <= pivot;                                          \
      to[low] = to[high] = x;                                                 \
      low += small;                                                           \
      high -= !small;                                                         \
    }                                                                         \
    return low;                                                               \
  }
DIVIDE(divide_u32, uint32_t)
DIVIDE(divide_u64, uint64_t)

#define PIVOT(FN, K)                                                                  \
  static K FN(const K *x, int64_t n)                                                  \
  {                                                                                   \
    const K a = x[n / 6], b = x[n / 2], c = x[n - n / 6 - 1];                         \
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);         \
  }
PIVOT(pivot_u32, uint32_t)
PIVOT(pivot_u64, uint64_t)
enum { LEAF_u32 = 48, LEAF_u64 = 48 };

#define BELOW(FN, K)                                                                                  \
  static int64_t FN(int64_t n, const K *key, K limit, int64_t first, uint64_t *places)                 \
  {                                                                                                   \
    int64_t found = 0;                                                                                \
    for (int64_t begin = 0; begin < n; begin += 64) {                                                 \
      const int64_t end = n - begin < 64 ? n : begin + 64;                                            \
      K some = 0;                                                                                     \
      for (int64_t i = begin; i < end; i++)                                                           \
        some |= (K)(key[i] < limit);                                                                  \
      if (!some)                                                                                      \
        continue;                                                                                     \
      for (int64_t i = begin; i < end; i++) {                                                         \
        places[found] = (uint64_t)(first + i);                                                                    \
        found += key[i] < limit;                                                                      \
      }                                                                                               \
    }                                                                                                 \
    return found;                                                                                     \
  }
BELOW(below_u32, uint32_t)
BELOW(below_u64, uint64_t)
#endif

#include "backends/cpu/k_rank.h"

/* ---- places in order ---- */

#ifdef __AVX512F__
/* For keys that lie evenly between their bounds: a pass puts them into buckets of at most 256, where the next 24 bits of a key
 * and the place in the bucket share a word of 32 bits, of which vectors hold the most. False when a bucket is too small. */
#define ARGSORT_BUCKETS(FN, K)                                                                       \
  static bool FN(int64_t n, const K *key, K low, uint64_t range, uint64_t *places, uint64_t *spare)  \
  {                                                                                                  \
    enum { BUCKETS = 1024, BUCKET = 256, EACH = 196 }; /* EACH: so that hardly ever one has more than BUCKET */ \
    uint32_t at[BUCKETS], sum = 0, order[BUCKET];                                                    \
    int shift = 0;                                                                                   \
    if (n < 128 * BUCKET || n > BUCKETS * EACH || range < (uint64_t)n)                               \
      return false;                                                                                  \
    while (range >> shift >= BUCKETS || (range >> (shift + 1)) + 1 >= (uint64_t)n / EACH)            \
      shift++;                                                                                       \
    const int drop = shift > 24 ? shift - 24 : 0;                                                    \
    const uint64_t rest = ((uint64_t)1 << shift) - 1;                                                \
    memset(at, 0, sizeof at);                                                                        \
    for (int64_t i = 0; i < n; i += 61) /* some, to give up early */                                 \
      at[(uint64_t)(K)(key[i] - low) >> shift]++;                                                    \
    for (int k = 0; k < BUCKETS; k++)                                                                \
      if (at[k] > BUCKET / 16)                                                                       \
        return false;                                                                                \
    memset(at, 0, sizeof at);                                                                        \
    for (int64_t i = 0; i < n; i++)                                                                  \
      at[(uint64_t)(K)(key[i] - low) >> shift]++;                                                    \
    for (int k = 0; k < BUCKETS; k++) {                                                              \
      const uint32_t count = at[k];                                                                  \
      if (count > BUCKET)                                                                            \
        return false;                                                                                \
      at[k] = sum;                                                                                   \
      sum += count;                                                                                  \
    }                                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                                \
      const uint64_t d = (K)(key[i] - low);                                                          \
      spare[at[d >> shift]++] = (d & rest) >> drop << 32 | (uint64_t)i;                              \
    }                                                                                                \
    uint32_t begin = 0;                                                                              \
    for (int k = 0; k < BUCKETS; begin = at[k++]) {                                                  \
      const uint64_t *word = spare + begin;                                                          \
      const uint32_t count = at[k] - begin;                                                          \
      uint64_t *to = places + begin;                                                                 \
      uint32_t ties = 0;                                                                             \
      for (uint32_t i = 0; i < count; i++)                                                           \
        order[i] = (uint32_t)(word[i] >> 24 & 0xffffff00u) | i;                                      \
      sort_u32(count, order, NULL);                                                                  \
      for (uint32_t i = 0; i < count; i++)                                                           \
        to[i] = (uint32_t)word[order[i] & 0xff];                                                     \
      for (uint32_t i = 1; drop && i < count; i++)                                                   \
        ties |= (order[i] ^ order[i - 1]) < 0x100;                                                   \
      for (uint32_t i = 1; ties && i < count; i++) { /* by the whole key; equal ones are in order */ \
        const uint64_t place = to[i];                                                                \
        uint32_t j = i;                                                                              \
        for (; j > 0 && key[to[j - 1]] > key[place]; j--)                                            \
          to[j] = to[j - 1];                                                                         \
        to[j] = place;                                                                               \
      }                                                                                              \
    }                                                                                                \
    return true;                                                                                     \
  }
ARGSORT_BUCKETS(argsort_buckets_u32, uint32_t)
ARGSORT_BUCKETS(argsort_buckets_u64, uint64_t)
#else
#define argsort_buckets_u32(n, key, low, range, places, spare) false
#define argsort_buckets_u64(n, key, low, range, places, spare) false
#endif

/* Key and place share a word: what of the key's range does not fit above the place is left out, and words that agree in the
 * rest are sorted once more by it. */
#define ARGSORT(FN, BY_BUCKETS, K)                                                                   \
  static void FN(int64_t n, const K *key, uint64_t *places, uint64_t *spare)                         \
  {                                                                                                  \
    if (n < 1)                                                                                       \
      return;                                                                                        \
    K low = key[0], high = key[0];                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                                \
      low = key[i] < low ? key[i] : low;                                                             \
      high = key[i] > high ? key[i] : high;                                                          \
    }                                                                                                \
    const uint64_t range = high - low, last = (uint64_t)n - 1;                                       \
    const int bits = range ? 64 - __builtin_clzll(range) : 0;                                        \
    if (BY_BUCKETS(n, key, low, range, places, spare))                                                \
      return;                                                                                        \
    const int below = last ? 64 - __builtin_clzll(last) : 0;                                         \
    const int drop = bits + below > 64 ? bits + below - 64 : 0;                                      \
    const uint64_t place = ((uint64_t)1 << below) - 1, rest = ((uint64_t)1 << drop) - 1;             \
    for (int64_t i = 0; i < n; i++)                                                                  \
      places[i] = (uint64_t)(K)(key[i] - low) >> drop << below | (uint64_t)i;                        \
    sort_u64(n, places, spare);                                                                      \
    for (int64_t i = 0, end; drop && i < n; i = end) {                                               \
      for (end = i + 1; end < n && places[i] >> below == places[end] >> below;)                      \
        end++;                                                                                       \
      if (end - i == 1)                                                                              \
        continue;                                                                                    \
      for (int64_t k = i; k < end; k++) {                                                            \
        const uint64_t at = places[k] & place;                                                       \
        places[k] = ((key[at] - low) & rest) << below | at;                                          \
      }                                                                                              \
      sort_u64(end - i, places + i, spare);                                                          \
    }                                                                                                \
    for (int64_t i = 0; i < n; i++)                                                                  \
      places[i] &= place;                                                                            \
  }
ARGSORT(argsort_u32, argsort_buckets_u32, uint32_t)
ARGSORT(argsort_u64, argsort_buckets_u64, uint64_t)

const cpu_sort_kernels CPU_OF_SET(cpu_sort_kernels_) = {
  .keys = keys,
  .values = values,
  .sort_u32 = sort_u32,
  .sort_u64 = sort_u64,
  .divide_u32 = divide_u32,
  .divide_u64 = divide_u64,
  .select_u32 = select_u32,
  .select_u64 = select_u64,
  .below_u32 = below_u32,
  .below_u64 = below_u64,
#ifdef __AVX512F__
  .search_f32 = search_f32,
  .search_f64 = search_f64,
  .search_i32 = search_i32,
  .search_i64 = search_i64,
#endif
  .argsort_u32 = argsort_u32,
  .argsort_u64 = argsort_u64,
  .split = &CPU_OF_SET(cpu_split_loops_),
};
