// SPDX-License-Identifier: BSD-3-Clause
/* Short rows that are apart, or repeated, next to each other. L1. */
#ifndef HED_BACKENDS_CPU_WRITE_ROWS_H
#define HED_BACKENDS_CPU_WRITE_ROWS_H

#include <stdint.h>

/* ROWS rows, ROW_STEP bytes apart from FROM on, of WIDTH elements of SIZE bytes, STEP bytes apart; either may be 0. Up to
 * CPU_REPEAT_OVER bytes behind the last are written too. */
void cpu_write_rows(int64_t rows, int64_t width, int64_t size, char *to, const char *from, int64_t row_step, int64_t step);

#endif
