// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements that a mask chooses, put together in registers; included by copy.c alone, for sizes.h. With AVX-512 those of 4 and 8
 * bytes by an instruction, with AVX2 these too, and those of 16, by a list of indices for each byte of mask.
 * AVX2 and AVX-512; a contiguous mask over contiguous elements of 4 to 16 bytes.
 */
#ifdef __AVX512F__
#include "backends/cpu/kernels/pack.h"
#endif

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
  UNROLL for (int k = 0; k < 8; k++, from += 32, some >>= 8) {
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

static ALWAYS char *choose_512(const int bytes, char *to, const char *from, uint64_t some)
{
  const int each = LINE / bytes;
  UNROLL for (int k = 0; k < 64 / each; k++, from += LINE, some >>= each) {
    const __m512i v = _mm512_loadu_si512(from);
    _mm512_storeu_si512(to, bytes == 4 ? _mm512_mask_compress_epi32(pack_fresh(), (__mmask16)some, v)
                                       : _mm512_mask_compress_epi64(pack_fresh(), (__mmask8)some, v));
    to += bytes * __builtin_popcount((unsigned)some & ((1u << each) - 1));
  }
  return to;
}
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

/* Of as many elements at a time. */
#if CPU_VECTOR == 64
#define COMPRESS_EACH(bytes) ((bytes) == 16 ? 16 : 64)
#else
#define COMPRESS_EACH(bytes) (256 / (bytes))
#endif

static ALWAYS char *choose(const int bytes, char *to, const char *from, const uint8_t *flags)
{
#ifdef __AVX512F__
  return bytes == 16 ? choose_words(to, from, words_16(flags)) : choose_512(bytes, to, from, bits_64(flags));
#else
  return choose_words(to, from, bytes == 4 ? words_4(flags) : bytes == 8 ? words_8(flags) : words_16(flags));
#endif
}

/* What comes later is prefetched so early that main memory has the time. */
enum { COMPRESS_EARLY = 16384 /* bytes */ };
#endif
