// SPDX-License-Identifier: BSD-3-Clause
/* Times that cost little: the processor's counter where it runs at one rate, else CLOCK_MONOTONIC. L2. */
#ifndef HED_CORE_PROFILE_TICKS_H
#define HED_CORE_PROFILE_TICKS_H

#include "base/clock.h"
#include <stdbool.h>
#if defined __x86_64__
#  include <cpuid.h>
#  include <x86intrin.h>
#endif

#if defined __x86_64__
extern bool hed__ticks_counter; /* set by hed__ticks_choose */
static inline uint64_t hed__ticks(void) { return __builtin_expect(hed__ticks_counter, 1) ? __rdtsc() : hed__now_ns(); }
#else
static inline uint64_t hed__ticks(void) { return hed__now_ns(); }
#endif

/* Before anybody asks for ticks: a tool that listens, or a profile. Once; later calls change nothing. */
void hed__ticks_choose(void);

#endif
