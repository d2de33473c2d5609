// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise rows of the table. L1. */
#ifndef HED_BACKENDS_CPU_MAP_H
#define HED_BACKENDS_CPU_MAP_H

#include "backends/cpu/kernels.h"

/* Writes one entry per operation of CPU_MAP_OPS, with the types that the chosen kernels have; returns
 * how many. */
int cpu_map_rows(hed_op_entry *out);

/* Reductions likewise. */
int cpu_reduce_rows(hed_op_entry *out);

#endif
