// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random numbers of lib/base, compiled once per instruction set as kernels.c is: every set makes the same bits. L1.
 */
#ifndef CPU_VARIANT
#define CPU_VARIANT base
#endif
#define LEVEL_JOIN_(a, b) a##b
#define LEVEL_JOIN(a, b) LEVEL_JOIN_(a, b)

#include "backends/cpu/kernels.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define hed__philox LEVEL_JOIN(cpu_philox_, CPU_VARIANT)
#define hed__fold_key LEVEL_JOIN(cpu_fold_key_, CPU_VARIANT)
#define hed__random_fill LEVEL_JOIN(cpu_random_fill_, CPU_VARIANT)
#include "base/random.c"
