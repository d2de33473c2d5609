// SPDX-License-Identifier: BSD-3-Clause
/* Zeros of both signs in sorted slices. L1. */
#ifndef HED_BACKENDS_CPU_SORT_ZEROS_H
#define HED_BACKENDS_CPU_SORT_ZEROS_H

#include <stdbool.h>
#include <stdint.h>

/* N elements of floating TYPE at TO, TO_STEP bytes apart, are those at FROM in order of their keys, which tell -0 from 0: of the
 * zeros, which are equal, the signs become those that they have in order of index. */
void cpu_sort_zeros(int type, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step, bool descending);

#endif
