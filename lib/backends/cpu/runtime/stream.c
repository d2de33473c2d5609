// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stores that are written by non-temporal stores: see stream.h. L1.
 */
#include "backends/cpu/runtime/stream.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/runtime/caches.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static _Atomic size_t known; /* the least of large results, 0: not yet */

void cpu_stream_from(size_t bytes)
{
  known = bytes;
}

/* From half of the last-level cache on, within what one thread may expect of a shared one. */
static size_t from_caches(void)
{
  enum { LEAST_BYTES = 4 << 20, MOST_BYTES = 24 << 20 };
  return CPU_MAX(LEAST_BYTES, CPU_MIN(MOST_BYTES, cpu_caches_last() / 2));
}

static size_t threshold(void)
{
  size_t bytes = known;
  if (bytes == 0)
    known = bytes = from_caches();
  return bytes;
}

bool cpu_stream_large(size_t bytes)
{
#ifdef __SSE2__
  const bool able = true;
#else
  const bool able = false;
#endif
  return able && bytes >= threshold();
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
