// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements that a mask chooses, one behind the other; included by kernels_copy.c alone. With AVX-512 those of 4 and 8 bytes are
 * put together in registers, all others through a short list, so that nothing is written behind the last.
 */
#define COMPRESS(BYTES, T)                                                                                             \
  static int64_t compress_##BYTES(int64_t n, const uint8_t *truth, const char *from, char *to)                         \
  {                                                                                                                    \
    int64_t found = 0;                                                                                                 \
    for (int64_t begin = 0; begin < n; begin += 64) {                                                                  \
      const int64_t m = least(64, n - begin);                                                                          \
      const T *x = (const T *)(const void *)from + begin;                                                              \
      T list[65];                                                                                                      \
      int64_t k = 0;                                                                                                   \
      for (int64_t i = 0; i < m; i++) {                                                                                \
        list[k] = x[i];                                                                                                \
        k += truth[begin + i] != 0;                                                                                    \
      }                                                                                                                \
      memcpy(to + found * (int64_t)sizeof(T), list, (size_t)k * sizeof(T));                                            \
      found += k;                                                                                                      \
    }                                                                                                                  \
    return found;                                                                                                      \
  }
COMPRESS(1, uint8_t)
COMPRESS(2, uint16_t)
COMPRESS(16, wide)

#ifdef __AVX512F__
/* Reads that depend on the mask would not be guessed ahead: whole vectors are read where they are there, and asked for. */
#define COMPRESS_512(BYTES, EACH, MASK, LOAD_SOME, CHOSEN, STORE)                                                      \
  static int64_t compress_##BYTES(int64_t n, const uint8_t *truth, const char *from, char *to)                         \
  {                                                                                                                    \
    const char *const start = to;                                                                                      \
    for (int64_t i = 0; i < n; i += 64, from += 64 * BYTES) {                                                          \
      const bool whole = n - i >= 64;                                                                                  \
      const __mmask64 there = whole ? ~(__mmask64)0 : ((__mmask64)1 << (n - i)) - 1;                                   \
      const __m512i bytes = _mm512_maskz_loadu_epi8(there, truth + i);                                                 \
      uint64_t some = _mm512_test_epi8_mask(bytes, bytes);                                                             \
      _Pragma("GCC unroll 8") for (int k = 0; k < 64 / EACH; k++, some >>= EACH) {                                     \
        const MASK chosen = (MASK)some;                                                                                \
        const int many = __builtin_popcount(chosen);                                                                   \
        const char *const p = from + k * LINE;                                                                         \
        const __m512i v = CHOSEN(chosen, whole ? _mm512_loadu_si512(p) : LOAD_SOME(chosen, p));                        \
        __builtin_prefetch(p + 64 * LINE);                                                                             \
        STORE(to, (MASK)((1u << many) - 1), v);                                                                        \
        to += many * BYTES;                                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
    return (to - start) / BYTES;                                                                                       \
  }
COMPRESS_512(4, 16, __mmask16, _mm512_maskz_loadu_epi32, _mm512_maskz_compress_epi32, _mm512_mask_storeu_epi32)
COMPRESS_512(8, 8, __mmask8, _mm512_maskz_loadu_epi64, _mm512_maskz_compress_epi64, _mm512_mask_storeu_epi64)
#else
COMPRESS(4, uint32_t)
COMPRESS(8, word64)
#endif
