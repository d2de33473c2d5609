// SPDX-License-Identifier: BSD-3-Clause
/* Elements that lie backwards, turned around in vectors; included by kernels_copy.c alone. */

/* The vector V of elements of 1, 2, 4, 8 and 16 bytes from its last to its first. */
#if defined __AVX512F__
#define TURN_V __m512i
#define TURN_LOAD _mm512_loadu_si512
#define TURN_STORE _mm512_storeu_si512
#define TURN_STREAM(p, v) _mm512_stream_si512((void *)(p), v)
#define TURN_IN_16 \
  _mm512_broadcast_i32x4(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define TURN_16(v) _mm512_shuffle_i64x2(v, v, 0x1b)
#define TURN_8(v) _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v)
#define TURN_4(v) _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v)
#define TURN_2(v) TURN_16(_mm512_shuffle_epi8(v, _mm512_xor_si512(TURN_IN_16, _mm512_set1_epi8(1))))
#define TURN_1(v) TURN_16(_mm512_shuffle_epi8(v, TURN_IN_16))
#elif defined __AVX2__
#define TURN_V __m256i
#define TURN_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define TURN_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define TURN_STREAM(p, v) _mm256_stream_si256((__m256i *)(void *)(p), v)
#define TURN_IN_16 \
  _mm256_broadcastsi128_si256(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define TURN_16(v) _mm256_permute4x64_epi64(v, 0x4e)
#define TURN_8(v) _mm256_permute4x64_epi64(v, 0x1b)
#define TURN_4(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define TURN_2(v) TURN_16(_mm256_shuffle_epi8(v, _mm256_xor_si256(TURN_IN_16, _mm256_set1_epi8(1))))
#define TURN_1(v) TURN_16(_mm256_shuffle_epi8(v, TURN_IN_16))
#elif defined __SSE2__
#define TURN_V __m128i
#define TURN_LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define TURN_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define TURN_STREAM(p, v) _mm_stream_si128((__m128i *)(void *)(p), v)
#define TURN_16(v) (v)
#define TURN_8(v) _mm_shuffle_epi32(v, 0x4e)
#define TURN_4(v) _mm_shuffle_epi32(v, 0x1b)
#define TURN_2(v) TURN_8(_mm_shufflehi_epi16(_mm_shufflelo_epi16(v, 0x1b), 0x1b))
#define TURN_1(v) TURN_2(_mm_or_si128(_mm_srli_epi16(v, 8), _mm_slli_epi16(v, 8)))
#endif

/* The vectors that fit are followed by one that ends with the last element. */
#ifdef TURN_V
#define TURN_WHOLE(BYTES)                                                                                              \
  enum { EACH = sizeof(TURN_V) / BYTES };                                                                              \
  from -= (int64_t)sizeof(TURN_V) - BYTES;                                                                             \
  if (n >= EACH) {                                                                                                     \
    for (; i + EACH <= n; i += EACH) {                                                                                 \
      const TURN_V v = TURN_LOAD(from - i * BYTES);                                                                    \
      TURN_STORE(to + i * BYTES, TURN_##BYTES(v));                                                                     \
    }                                                                                                                  \
    const TURN_V v = TURN_LOAD(from - (n - EACH) * BYTES);                                                             \
    TURN_STORE(to + (n - EACH) * BYTES, TURN_##BYTES(v));                                                              \
    return;                                                                                                            \
  }                                                                                                                    \
  from += (int64_t)sizeof(TURN_V) - BYTES;
#else
#define TURN_WHOLE(BYTES)
#endif

#define TURN(BYTES)                                                                                                    \
  static void turn_##BYTES(int64_t n, char *to, const char *from)                                                      \
  {                                                                                                                    \
    int64_t i = 0;                                                                                                     \
    TURN_WHOLE(BYTES)                                                                                                  \
    for (; i < n; i++)                                                                                                 \
      memcpy(to + i * BYTES, from - i * BYTES, BYTES);                                                                 \
  }
TURN(1)
TURN(2)
TURN(4)
TURN(8)
TURN(16)

/* Past the caches, from the last element of the result to the first: what is read then lies forwards, as memory gives it
 * sooner. Lines that are not whole, and elements that lie across the ends of lines, are stored as ever. */
#ifdef TURN_V
#define TURN_LINES(BYTES)                                                                                              \
  enum { V = sizeof(TURN_V), EARLY_READ = 4096 };                                                                      \
  const int64_t end = n - (int64_t)((uintptr_t)(to + n * BYTES) % LINE) / BYTES;                                       \
  if ((uintptr_t)to % BYTES == 0 && end >= LINE / BYTES) {                                                             \
    turn_##BYTES(n - end, to + end * BYTES, from - end * BYTES);                                                       \
    for (n = end; n >= LINE / BYTES; n -= LINE / BYTES) {                                                              \
      const char *p = from - (n - 1) * BYTES;                                                                          \
      __builtin_prefetch(p + EARLY_READ);                                                                              \
      _Pragma("GCC unroll 4") for (int k = V; k <= LINE; k += V, p += V) {                                             \
        const TURN_V v = TURN_LOAD(p);                                                                                 \
        TURN_STREAM(to + n * BYTES - k, TURN_##BYTES(v));                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
#else
#define TURN_LINES(BYTES)
#endif

#define TURN_PAST(BYTES)                                                                                               \
  static void turn_past_##BYTES(int64_t n, char *to, const char *from)                                                 \
  {                                                                                                                    \
    TURN_LINES(BYTES)                                                                                                  \
    turn_##BYTES(n, to, from);                                                                                         \
  }
TURN_PAST(1)
TURN_PAST(2)
TURN_PAST(4)
TURN_PAST(8)
TURN_PAST(16)
