// SPDX-License-Identifier: BSD-3-Clause
/* A line of the cache written by non-temporal stores, of the widest vectors that there are. Every instruction set; included by
 * files that are compiled once for each. */
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include <string.h>

enum { LINE = 64 };

/* TO begins a line. */
static inline __attribute__((always_inline)) void put_line(char *to, const char *from)
{
#if defined(__AVX512F__)
  _mm512_stream_si512((void *)to, _mm512_loadu_si512((const void *)from));
#elif defined(__AVX__)
  for (int i = 0; i < LINE; i += 32)
    _mm256_stream_si256((void *)(to + i), _mm256_loadu_si256((const void *)(from + i)));
#elif defined(__SSE2__)
  for (int i = 0; i < LINE; i += 16)
    _mm_stream_si128((void *)(to + i), _mm_loadu_si128((const void *)(from + i)));
#else
  memcpy(to, from, LINE);
#endif
}
