// SPDX-License-Identifier: BSD-3-Clause
/*
 * How a vector is reversed, for sizes.h; included by copy.c alone.
 *
 * Every instruction set; elements of 1 to 16 bytes.
 */

/* The vector V of elements of 1, 2, 4, 8 and 16 bytes from its last to its first. */
#if defined __AVX512F__
#define REVERSE_V __m512i
#define REVERSE_LOAD _mm512_loadu_si512
#define REVERSE_STORE _mm512_storeu_si512
#define REVERSE_NT_STORE(p, v) _mm512_stream_si512((void *)(p), v)
#define REVERSE_IN_16 \
  _mm512_broadcast_i32x4(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define REVERSE_16(v) _mm512_shuffle_i64x2(v, v, 0x1b)
#define REVERSE_8(v) _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v)
#define REVERSE_4(v) _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v)
#define REVERSE_2(v) REVERSE_16(_mm512_shuffle_epi8(v, _mm512_xor_si512(REVERSE_IN_16, _mm512_set1_epi8(1))))
#define REVERSE_1(v) REVERSE_16(_mm512_shuffle_epi8(v, REVERSE_IN_16))
#elif defined __AVX2__
#define REVERSE_V __m256i
#define REVERSE_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define REVERSE_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define REVERSE_NT_STORE(p, v) _mm256_stream_si256((__m256i *)(void *)(p), v)
#define REVERSE_IN_16 \
  _mm256_broadcastsi128_si256(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define REVERSE_16(v) _mm256_permute4x64_epi64(v, 0x4e)
#define REVERSE_8(v) _mm256_permute4x64_epi64(v, 0x1b)
#define REVERSE_4(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define REVERSE_2(v) REVERSE_16(_mm256_shuffle_epi8(v, _mm256_xor_si256(REVERSE_IN_16, _mm256_set1_epi8(1))))
#define REVERSE_1(v) REVERSE_16(_mm256_shuffle_epi8(v, REVERSE_IN_16))
#elif defined __SSE2__
#define REVERSE_V __m128i
#define REVERSE_LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define REVERSE_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define REVERSE_NT_STORE(p, v) _mm_stream_si128((__m128i *)(void *)(p), v)
#define REVERSE_16(v) (v)
#define REVERSE_8(v) _mm_shuffle_epi32(v, 0x4e)
#define REVERSE_4(v) _mm_shuffle_epi32(v, 0x1b)
#define REVERSE_2(v) REVERSE_8(_mm_shufflehi_epi16(_mm_shufflelo_epi16(v, 0x1b), 0x1b))
#define REVERSE_1(v) REVERSE_2(_mm_or_si128(_mm_srli_epi16(v, 8), _mm_slli_epi16(v, 8)))
#endif
