// SPDX-License-Identifier: BSD-3-Clause
/* Radix sort of unsigned words. L1; no allocation. */
#ifndef HED_BACKENDS_CPU_SORT_H
#define HED_BACKENDS_CPU_SORT_H

#include <stdint.h>

/* Ascending and stable. SPARE is as long as the list; the result is in whichever is returned. */
uint32_t *cpu_sort_u32(int64_t n, uint32_t *list, uint32_t *spare);
uint64_t *cpu_sort_u64(int64_t n, uint64_t *list, uint64_t *spare);

#endif
