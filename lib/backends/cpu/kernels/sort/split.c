// SPDX-License-Identifier: BSD-3-Clause
/* Values below, between and above two others, one instruction set (cpu_split in sort.h); built as kernels.c is. L1. */
#include "backends/cpu/kernels/lanes/lanes.h"
#include "backends/cpu/kernels/sort/sort.h"

#ifdef __AVX2__
#include "backends/cpu/kernels/pack.h"

/* Bytes. The processor's own guess ends with each page, which made a lane of 40 MB four times as slow. */
enum { AHEAD = 4096 };
#endif

#define BODY "backends/cpu/kernels/sort/split.h"
#include "backends/cpu/kernels/lanes/for_reals.h"

const cpu_split_loops CPU_OF_SET(cpu_split_loops_) = { .f32 = split_f32, .f64 = split_f64 };
