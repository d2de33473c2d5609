// SPDX-License-Identifier: BSD-3-Clause
/* Sorting by counting, for types of 8 and 16 bits. L1. */
#ifndef HED_BACKENDS_CPU_SORT_COUNTING_H
#define HED_BACKENDS_CPU_SORT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

/* Is that the faster way for a slice of N values? */
bool cpu_counting_pays(int type, int64_t n);

/* N contiguous values of X in order to TO, contiguous, too; SCRATCH has room for N words of 32 bits. */
void cpu_counting_sort(int type, bool descending, int64_t n, const char *x, char *to, char *scratch);

/* The same for the indices of all values in order, equal ones (of which zeros are) by index; SPARE has room for N words. */
bool cpu_counting_indices_pay(int type, int64_t n);
void cpu_counting_indices(int type, bool descending, int64_t n, const char *x, uint64_t *indices, uint32_t *spare);

#endif
