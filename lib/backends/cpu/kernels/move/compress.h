// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements that a mask chooses, one behind the other; included by copy.c alone. With AVX-512 those of 4 and 8 bytes are
 * put together in registers, with AVX2 too, and those of 16, by a list of indices for each byte of mask. All others go through a
 * short list, so that nothing is written behind the last.
 * Every instruction set; a contiguous mask over contiguous elements of 1 to 16 bytes.
 */
#ifdef __AVX512F__
#include "backends/cpu/kernels/pack.h"
#endif

#define COMPRESS(BYTES, T)                                                                                             \
  static int64_t compress_##BYTES(int64_t n, const uint8_t *flags, const char *from, char *to, const char *end)        \
  {                                                                                                                    \
    int64_t found = 0;                                                                                                 \
    (void)end;                                                                                                         \
    for (int64_t begin = 0; begin < n; begin += 64) {                                                                  \
      const int64_t m = least(64, n - begin);                                                                          \
      const T *x = (const T *)(const void *)from + begin;                                                              \
      T list[65];                                                                                                      \
      int64_t k = 0;                                                                                                   \
      for (int64_t i = 0; i < m; i++) {                                                                                \
        list[k] = x[i];                                                                                                \
        k += flags[begin + i] != 0;                                                                                    \
      }                                                                                                                \
      memcpy(to + found * (int64_t)sizeof(T), list, (size_t)k * sizeof(T));                                            \
      found += k;                                                                                                      \
    }                                                                                                                  \
    return found;                                                                                                      \
  }
COMPRESS(1, uint8_t)
COMPRESS(2, uint16_t)

#ifdef __AVX2__
/* Which of eight words a byte chooses: a byte each, then zeros. */
#define CHOSEN(q, k) ((q) >> (k) & 1 ? (uint64_t)(k) << 8 * __builtin_popcount((q) & ((1u << (k)) - 1)) : 0)
#define CHOICE(q)                                                                                                      \
  CHOSEN(q, 0) | CHOSEN(q, 1) | CHOSEN(q, 2) | CHOSEN(q, 3) | CHOSEN(q, 4) | CHOSEN(q, 5) | CHOSEN(q, 6) | CHOSEN(q, 7)
#define CHOICES_4(q) CHOICE(q), CHOICE(q + 1), CHOICE(q + 2), CHOICE(q + 3)
#define CHOICES_16(q) CHOICES_4(q), CHOICES_4(q + 4), CHOICES_4(q + 8), CHOICES_4(q + 12)
#define CHOICES_64(q) CHOICES_16(q), CHOICES_16(q + 16), CHOICES_16(q + 32), CHOICES_16(q + 48)
static const uint64_t choices[256] = { CHOICES_64(0u), CHOICES_64(64u), CHOICES_64(128u), CHOICES_64(192u) };

static ALWAYS char *choose_words(char *to, const char *from, uint64_t some)
{
  _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++, from += 32, some >>= 8) {
    const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(choices + (some & 255))));
    _mm256_storeu_si256((void *)to, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)from), at));
    to += 4 * __builtin_popcount((unsigned)(some & 255));
  }
  return to;
}

static ALWAYS __m128i untrue(const uint8_t *flags)
{
  return _mm_cmpeq_epi8(_mm_loadu_si128((const void *)flags), _mm_setzero_si128());
}

/* A bit for each of 64 words, from masks of those that are not chosen. */
static ALWAYS uint64_t bits(__m256i not, __m256i not_behind)
{
  return ~((uint64_t)(unsigned)_mm256_movemask_epi8(not_behind) << 32 | (unsigned)_mm256_movemask_epi8(not));
}

static ALWAYS uint64_t words_16(const uint8_t *flags)
{
  const __m128i not = untrue(flags);
  return bits(_mm256_cvtepi8_epi32(not), _mm256_cvtepi8_epi32(_mm_srli_si128(not, 8)));
}

#ifdef __AVX512F__
static ALWAYS uint64_t bits_64(const uint8_t *flags)
{
  const __m512i t = _mm512_loadu_si512(flags);
  return _mm512_test_epi8_mask(t, t);
}

#define CHOOSE_512(BYTES, EACH, MASK, COMPRESSED)                                                                      \
  static ALWAYS char *choose_##BYTES(char *to, const char *from, uint64_t some)                                        \
  {                                                                                                                    \
    _Pragma("GCC unroll 8") for (int k = 0; k < 64 / EACH; k++, from += LINE, some >>= EACH) {                         \
      _mm512_storeu_si512(to, COMPRESSED(pack_fresh(), (MASK)some, _mm512_loadu_si512(from)));                         \
      to += BYTES * __builtin_popcount((MASK)some);                                                                    \
    }                                                                                                                  \
    return to;                                                                                                         \
  }
CHOOSE_512(4, 16, __mmask16, _mm512_mask_compress_epi32)
CHOOSE_512(8, 8, __mmask8, _mm512_mask_compress_epi64)
#else
static ALWAYS uint64_t words_4(const uint8_t *flags)
{
  return bits(_mm256_set_m128i(untrue(flags + 16), untrue(flags)), _mm256_set_m128i(untrue(flags + 48), untrue(flags + 32)));
}

static ALWAYS uint64_t words_8(const uint8_t *flags)
{
  return bits(_mm256_cvtepi8_epi16(untrue(flags)), _mm256_cvtepi8_epi16(untrue(flags + 16)));
}
#endif

/* N elements at a time, as whole vectors: where these would reach behind END or be read from behind the operand, beside it. What
 * comes later is prefetched so early that main memory has the time. */
enum { COMPRESS_EARLY = 16384 /* bytes */ };

#define COMPRESS_VECTORS(BYTES, N, WORDS, CHOOSE)                                                                      \
  static int64_t compress_##BYTES(int64_t n, const uint8_t *flags, const char *from, char *to, const char *end)        \
  {                                                                                                                    \
    enum { ALL = N * BYTES };                                                                                          \
    const char *const start = to;                                                                                      \
    for (; n > 0; n -= N, flags += N, from += ALL) {                                                                   \
      if (n >= N && end - to >= ALL) {                                                                                 \
        for (int k = 0; k < ALL; k += LINE)                                                                            \
          __builtin_prefetch(from + COMPRESS_EARLY + k);                                                               \
        to = CHOOSE(to, from, WORDS(flags));                                                                           \
        continue;                                                                                                      \
      }                                                                                                                \
      const size_t m = (size_t)least(n, N);                                                                            \
      uint8_t there[N] = { 0 };                                                                                        \
      char part[ALL] = { 0 }, out[ALL];                                                                                \
      memcpy(there, flags, m);                                                                                         \
      memcpy(part, from, m * BYTES);                                                                                   \
      const size_t bytes = (size_t)(CHOOSE(out, part, WORDS(there)) - out);                                            \
      memcpy(to, out, bytes);                                                                                          \
      to += bytes;                                                                                                     \
    }                                                                                                                  \
    return (to - start) / BYTES;                                                                                       \
  }
#ifdef __AVX512F__
COMPRESS_VECTORS(4, 64, bits_64, choose_4)
COMPRESS_VECTORS(8, 64, bits_64, choose_8)
#else
COMPRESS_VECTORS(4, 64, words_4, choose_words)
COMPRESS_VECTORS(8, 32, words_8, choose_words)
#endif
COMPRESS_VECTORS(16, 16, words_16, choose_words)
#else
COMPRESS(4, uint32_t)
COMPRESS(8, word64)
COMPRESS(16, wide)
#endif
