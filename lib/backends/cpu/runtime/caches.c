// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sizes of caches: see caches.h. L1.
 */
#include "backends/cpu/runtime/caches.h"
#include <unistd.h>

/* Asked once: the C library executes CPUID each time, which takes microseconds in a virtual machine. */
static size_t query(_Atomic size_t *known, int name, size_t otherwise)
{
  size_t bytes = *known;
  if (!bytes) {
    const long said = name >= 0 ? sysconf(name) : 0;
    *known = bytes = said > 0 ? (size_t)said : otherwise;
  }
  return bytes;
}

#ifdef _SC_LEVEL3_CACHE_SIZE
enum { SECOND = _SC_LEVEL2_CACHE_SIZE, LAST = _SC_LEVEL3_CACHE_SIZE };
#else
enum { SECOND = -1, LAST = -1 };
#endif

size_t cpu_caches_second(void)
{
  static _Atomic size_t known;
  return query(&known, SECOND, 256 << 10);
}

size_t cpu_caches_last(void)
{
  static _Atomic size_t known;
  return query(&known, LAST, 4 << 20);
}
