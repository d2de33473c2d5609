// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stores that go past the caches: see stream.h. L1.
 */
#include "backends/cpu/stream.h"
#include "backends/cpu/cpu.h"
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* From half of the last cache on, within what one thread may expect of a shared one. */
static size_t threshold(void)
{
  enum { LEAST = 4 << 20, MOST = 32 << 20 };
  static _Atomic size_t known;
  if (!known) {
#ifdef _SC_LEVEL3_CACHE_SIZE
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
    long size = 0;
#endif
    known = CPU_MAX(LEAST, CPU_MIN(MOST, (size_t)CPU_MAX(size, 0) / 2));
  }
  return known;
}

bool cpu_stream_pays(const void *to, size_t bytes)
{
#ifdef __SSE2__
  return (uintptr_t)to % 64 == 0 && bytes >= threshold();
#else
  (void)to, (void)bytes;
  return false;
#endif
}

void cpu_stream(void *to, const void *from, size_t bytes)
{
#ifdef __SSE2__
  char *out = to;
  const char *in = from;
  size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    const __m128i a = _mm_load_si128((const void *)(in + i)), b = _mm_load_si128((const void *)(in + i + 16));
    const __m128i c = _mm_load_si128((const void *)(in + i + 32)), d = _mm_load_si128((const void *)(in + i + 48));
    _mm_stream_si128((void *)(out + i), a);
    _mm_stream_si128((void *)(out + i + 16), b);
    _mm_stream_si128((void *)(out + i + 32), c);
    _mm_stream_si128((void *)(out + i + 48), d);
  }
  memcpy(out + i, in + i, bytes - i);
#else
  memcpy(to, from, bytes);
#endif
}

void cpu_stream_end(void)
{
#ifdef __SSE2__
  _mm_sfence();
#endif
}
