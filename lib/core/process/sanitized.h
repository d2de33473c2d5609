// SPDX-License-Identifier: BSD-3-Clause
/* Programs that are built with the address sanitizer, though this library is not. L2.
 *
 * Pools would hide the use of an array after its scope: nothing is kept then, so that the sanitizer sees the end of elements,
 * and operations ask it about their operands, so that it reports handles as if it saw our accesses.
 */
#ifndef HED_CORE_SANITIZED_H
#define HED_CORE_SANITIZED_H

#include <stdbool.h>

/* Of the sanitizer, which is there in such a process only. */
extern int __asan_address_is_poisoned(const volatile void *p) __attribute__((weak));
extern void __asan_report_load8(void *p) __attribute__((weak));

/* Is the sanitizer in this process? */
static inline bool hed__sanitizer(void)
{
  return __asan_address_is_poisoned != (int (*)(const volatile void *))0 && __asan_report_load8 != (void (*)(void *))0;
}

/* Is it, and does it not see our own accesses? */
static inline bool hed__sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  return hed__sanitizer();
#endif
}

static inline void hed__sanitized_look(const void *p)
{
  if (__builtin_expect(hed__sanitized(), 0) && __asan_address_is_poisoned(p))
    __asan_report_load8((void *)p);
}

#endif
