// SPDX-License-Identifier: BSD-3-Clause
/* Sums of integers, for the row that does the other sums. L1. */
#ifndef HED_BACKENDS_CPU_FOLD_H
#define HED_BACKENDS_CPU_FOLD_H

#include <heddle/backend.h>

/* COMPUTE is bool or an integer type. */
int32_t cpu_sum_whole(const hed_call *call);

#endif
