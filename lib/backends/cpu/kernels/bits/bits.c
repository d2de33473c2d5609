// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of loops over packed bits (bits.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 */
#include "backends/cpu/kernels/bits/bits.h"
#include "backends/cpu/kernels/variant.h"

#include <stddef.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* ---- bytes and bits ---- */

INLINE uint64_t packed(const unsigned char *b)
{
#if defined(__AVX512BW__)
  const __m512i v = _mm512_loadu_si512(b);
  return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
  uint64_t word = 0;
  for (int k = 0; k < 2; k++) {
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(b + 32 * k));
    word |= (uint64_t)~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())) << 32 * k;
  }
  return word;
#else
  uint64_t word = 0;
  for (int k = 0; k < CPU_WORD_BITS; k++)
    word |= (uint64_t)(b[k] != 0) << k;
  return word;
#endif
}

INLINE void unpacked(unsigned char *b, uint64_t word)
{
#if defined(__AVX512BW__)
  _mm512_storeu_si512(b, _mm512_maskz_set1_epi8(word, 1));
#else
  for (int k = 0; k < CPU_WORD_BITS; k++)
    b[k] = word >> k & 1;
#endif
}

static void pack(int64_t n, uint64_t *words, const unsigned char *bytes)
{
  for (; n >= CPU_WORD_BITS; n -= CPU_WORD_BITS, bytes += CPU_WORD_BITS)
    *words++ = packed(bytes);
  if (n > 0) {
    unsigned char last[CPU_WORD_BITS] = { 0 };
    memcpy(last, bytes, (size_t)n);
    *words = packed(last);
  }
}

static void unpack(int64_t n, unsigned char *bytes, const uint64_t *words)
{
  for (; n >= CPU_WORD_BITS; n -= CPU_WORD_BITS, bytes += CPU_WORD_BITS)
    unpacked(bytes, *words++);
  if (n > 0) {
    unsigned char last[CPU_WORD_BITS];
    unpacked(last, *words);
    memcpy(bytes, last, (size_t)n);
  }
}

/* ---- bits that differ ---- */

/* LOAD of a vector's words and of the last REST ones, COUNT of the bits of a vector added to a sum, TOTAL of one. */
#define HAMMING(NAME, TARGET, VEC, WORDS, ZERO, LOAD, SOME, XOR, COUNT, TOTAL)                                          \
  TARGET static void NAME(int64_t n, const uint64_t *x, const uint64_t *const y[CPU_HAMMING_ROWS],                      \
                          int32_t count[CPU_HAMMING_ROWS])                                                              \
  {                                                                                                                     \
    VEC sum[CPU_HAMMING_ROWS];                                                                                          \
    for (int r = 0; r < CPU_HAMMING_ROWS; r++)                                                                          \
      sum[r] = ZERO;                                                                                                    \
    int64_t k = 0;                                                                                                      \
    for (; k + (WORDS) <= n; k += (WORDS)) {                                                                            \
      const VEC a = LOAD(x + k);                                                                                        \
      for (int r = 0; r < CPU_HAMMING_ROWS; r++)                                                                        \
        sum[r] = COUNT(sum[r], XOR(a, LOAD(y[r] + k)));                                                                 \
    }                                                                                                                   \
    if (k < n) {                                                                                                        \
      const VEC a = SOME(x + k, n - k);                                                                                 \
      for (int r = 0; r < CPU_HAMMING_ROWS; r++)                                                                        \
        sum[r] = COUNT(sum[r], XOR(a, SOME(y[r] + k, n - k)));                                                          \
    }                                                                                                                   \
    for (int r = 0; r < CPU_HAMMING_ROWS; r++)                                                                          \
      count[r] = (int32_t)TOTAL(sum[r]);                                                                                \
  }

#if defined(__AVX2__)
/* Bits of bytes by a table of those of their halves; sums of eight bytes are added up. */
INLINE __m256i count_bits(__m256i sum, __m256i v)
{
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                                        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
  return _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
}

INLINE __m256i load_words(const uint64_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }

INLINE __m256i some_words(const uint64_t *p, int64_t n)
{
  return _mm256_maskload_epi64((const long long *)(const void *)p,
                               _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
}

INLINE int64_t total_of(__m256i sum)
{
  uint64_t s[4];
  memcpy(s, &sum, sizeof s);
  return (int64_t)(s[0] + s[1] + s[2] + s[3]);
}

HAMMING(hamming, , __m256i, 4, _mm256_setzero_si256(), load_words, some_words, _mm256_xor_si256, count_bits, total_of)
#else
#define WORD_AT(p) (*(p))
#define WORD_SOME(p, n) ((n) > 0 ? *(p) : 0)
#define WORD_XOR(a, b) ((a) ^ (b))
#define WORD_COUNT(sum, v) ((sum) + (uint64_t)__builtin_popcountll(v))
#define WORD_TOTAL(sum) (sum)
HAMMING(hamming, , uint64_t, 1, 0, WORD_AT, WORD_SOME, WORD_XOR, WORD_COUNT, WORD_TOTAL)
#endif

#if defined(__AVX512F__)
#define POPCOUNT __attribute__((target("avx512vpopcntdq")))
#define SOME_512(p, n) _mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), p)
#define COUNT_512(sum, v) _mm512_add_epi64(sum, _mm512_popcnt_epi64(v))
HAMMING(hamming_popcount, POPCOUNT, __m512i, 8, _mm512_setzero_si512(), _mm512_loadu_si512, SOME_512, _mm512_xor_si512,
        COUNT_512, _mm512_reduce_add_epi64)
#endif

/* ---- majority ---- */

#define SUM3(a, b, c) ((a) ^ (b) ^ (c))
#define CARRY3(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))
typedef uint64_t words_vec __attribute__((vector_size(CPU_VECTOR)));

#define V words_vec
#define S vector
#if defined(__AVX512F__)
#define BOTH(a, b, c) ((V)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0x96))
#define MOST(a, b, c) ((V)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xe8))
#else
#define BOTH SUM3
#define MOST CARRY3
#endif
#include "backends/cpu/kernels/bits/majority.h"

#define V uint64_t
#define S word
#define BOTH SUM3
#define MOST CARRY3
#include "backends/cpu/kernels/bits/majority.h"

static void majority(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const uint64_t *ties)
{
  enum { WORDS = sizeof(words_vec) / sizeof *out };
  int64_t k = 0;
  for (; k + WORDS <= words; k += WORDS)
    majority_vector(n, out + k, x + k, step, ties ? ties + k : NULL);
  for (; k < words; k++)
    majority_word(n, out + k, x + k, step, ties ? ties + k : NULL);
}

/* ---- weights ---- */

#define T int16_t
#define S 16
#include "backends/cpu/kernels/bits/weigh.h"

#define T int32_t
#define S 32
#include "backends/cpu/kernels/bits/weigh.h"

/* A row of ones outweighs those of zeros where its sum is above half of all, rounded down; where it is that half of an even
 * sum, none does. */
static void weigh(int64_t n, int64_t words, uint64_t *out, const uint64_t *x, int64_t step, const int32_t *weights,
                  const uint64_t *ties)
{
  int64_t all = 0, most = 0;
  for (int64_t r = 0; r < n; r++) {
    all += weights[r];
    most += weights[r] < 0 ? -(int64_t)weights[r] : weights[r];
  }
  const int64_t half = (all - (all & 1)) / 2;
  const uint64_t tied = all & 1 ? 0 : ~(uint64_t)0;
  (most <= INT16_MAX ? weigh_16 : weigh_32)(n, words, out, x, step, weights, half, tied, ties);
}

const cpu_bits_loops CPU_OF_SET(cpu_bits_) = { pack, unpack, hamming, majority, weigh };
#if defined(__AVX512F__)
const cpu_bits_loops cpu_bits_popcount = { pack, unpack, hamming_popcount, majority, weigh };
#endif
