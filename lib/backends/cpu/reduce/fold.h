// SPDX-License-Identifier: BSD-3-Clause
/* Sums and means of integers, for the rows that do the other ones. L1. */
#ifndef HED_BACKENDS_CPU_FOLD_H
#define HED_BACKENDS_CPU_FOLD_H

#include <heddle/kernel.h>
#include <stdbool.h>

/* COMPUTE is bool or an integer type. */
int32_t cpu_sum_int(const hed_call *call);

/* Elements are integers or booleans, whose sum is exact in 64 bits, and what is prefetched does not round them. */
bool cpu_mean_is_int(const hed_call *call);
int32_t cpu_mean_int(const hed_call *call);

#endif
