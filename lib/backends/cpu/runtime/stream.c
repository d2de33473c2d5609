// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stores that go past the caches: see stream.h. L1.
 */
#include "backends/cpu/runtime/stream.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* From half of the last cache on, within what one thread may expect of a shared one. */
static size_t threshold(void)
{
  enum { LEAST = 4 << 20, MOST = 24 << 20 };
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

bool cpu_stream_large(size_t bytes)
{
#ifdef __SSE2__
  return bytes >= threshold();
#else
  (void)bytes;
  return false;
#endif
}

bool cpu_stream_pays(const void *to, size_t bytes)
{
  return (uintptr_t)to % 64 == 0 && cpu_stream_large(bytes);
}

void cpu_stream(void *to, const void *from, size_t bytes)
{
  cpu_copy_k->stream(to, from, (int64_t)bytes);
}

void cpu_stream_far(void *to, const void *from, size_t bytes)
{
  cpu_copy_k->stream_far(to, from, (int64_t)bytes);
}

void cpu_stream_end(void)
{
#ifdef __SSE2__
  _mm_sfence();
#endif
}
