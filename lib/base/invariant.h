// SPDX-License-Identifier: BSD-3-Clause
/* Invariants of the runtime, checked in debug and sanitizer builds, nothing elsewhere. L0. */
#ifndef HED_BASE_INVARIANT_H
#define HED_BASE_INVARIANT_H

#if HED_DEBUG || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define HED__CHECKED 1
#  include <string.h>
#  include <unistd.h>

/* Says what does not hold, and traps: under a debugger, or with a core, the place is at hand. */
static __attribute__((cold, noreturn, unused)) void hed__broken(const char *what)
{
  if (write(STDERR_FILENO, what, strlen(what)) < 0)
    __builtin_trap();
  __builtin_trap();
}

#  define HED__TEXT_OF_(x) #x
#  define HED__TEXT_OF(x) HED__TEXT_OF_(x)
#  define HED__ASSERT(holds) \
     ((holds) ? (void)0 : hed__broken(__FILE__ ":" HED__TEXT_OF(__LINE__) ": does not hold: " #holds "\n"))
#else
#  include <stdbool.h>
#  define HED__CHECKED 0
#  define HED__ASSERT(holds) ((void)(false && (holds))) /* looked at by the compiler only */
#endif

#endif
