// SPDX-License-Identifier: BSD-3-Clause
/* Which instruction sets this processor has, for tests of loops that are compiled once per set. */
#ifndef HED_TESTS_CPU_SETS_H
#define HED_TESTS_CPU_SETS_H

#include <stdbool.h>

#ifdef HED_HAVE_X86_LEVELS
static inline bool cpu_has_avx2(void)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static inline bool cpu_has_avx512(void)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
         && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

/* ONE(name, set) for each that it has: "AVX2", avx2. */
#define CPU_EACH_SET(ONE)     \
  do {                        \
    ONE("base", base);        \
    if (cpu_has_avx2())       \
      ONE("AVX2", avx2);      \
    if (cpu_has_avx512())     \
      ONE("AVX-512", avx512); \
  } while (0)
#else
#define CPU_EACH_SET(ONE) ONE("base", base)
#endif

#endif
