// SPDX-License-Identifier: BSD-3-Clause
/* True elements by columns: a loop per element type and instruction set. L1. */
#ifndef HED_BACKENDS_CPU_BOOL_COLUMNS_H
#define HED_BACKENDS_CPU_BOOL_COLUMNS_H

#include <heddle/kernel.h>

/* Adds to WORD[k] how many of the ROWS elements at X + k elements, STEP bytes apart, are true. */
typedef void (*cpu_bool_fn)(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *word);

/* By dtype; NULL: not for that one. */
extern const cpu_bool_fn cpu_bool_columns_base[], cpu_bool_columns_avx2[], cpu_bool_columns_avx512[];
extern const cpu_bool_fn *cpu_bool_columns; /* of the level in force */

#endif
