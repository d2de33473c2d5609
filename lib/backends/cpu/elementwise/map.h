// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise rows of the table. L1. */
#ifndef HED_BACKENDS_CPU_MAP_H
#define HED_BACKENDS_CPU_MAP_H

#include "backends/cpu/kernels/kernels.h"

/* Writes one entry per elementwise operation, with the types of its domain; returns how many. */
int cpu_map_rows(hed_op_entry *out);

/* A call of an elementwise operation, by its number; for rows that do one type themselves. */
int32_t cpu_map_row(const hed_call *call);

/* FN over the operands of CALL as TYPES (result, operands), by threads when it is worth it. WORK: cost of one element in
 * units of CPU_GRAIN's. */
int32_t cpu_map_run(const hed_call *call, hed__map_fn fn, const int32_t *types, double work);

/* The loop of an elementwise operation for compute type T, and the type that it writes; NULL when it refuses T. And what
 * an element costs, in units of CPU_GRAIN's. */
hed__map_fn cpu_map_loop(int op, int32_t t, int32_t *result);
double cpu_map_cost(int op);

/* The loop of an operation on 16-bit floats of type T that gives T; NULL: it is computed as float32, between conversions. */
hed__map_fn cpu_map_halves(int op, int32_t t);

/* FN's for whole lines of the result (kernels.h), where FN is what OP on type T is made of and has one, and results and operands,
 * N in all, are STRIDEs apart that it takes; else NULL. */
cpu_direct_fn cpu_map_direct(int op, int32_t t, hed__map_fn fn, int32_t n, const int64_t *stride);

/* The same by tiles where an operand is contiguous along another axis than the result; false when none is. */
bool cpu_map_tiled(const hed_call *call, hed__map_fn fn, const int32_t *types, double work);

/* The same where an operand repeats one row; false when none does, or nothing would be gained. */
bool cpu_map_rows_of_one(const hed_call *call, hed__map_fn fn, const int32_t *types, double work);

/* The same where rows are short, of operands and results of any type; false when they are not, or too few. */
bool cpu_map_short_rows(const hed_call *call, hed__map_fn fn, const int32_t *types, double work);

/* cpu_map_run for operands of which every other element is wanted, or that lie backwards: they are packed into blocks first.
 * False: none is such. */
bool cpu_map_packed(const hed_call *call, hed__map_fn fn, const int32_t *types, double work);

/* Reductions likewise. */
int cpu_reduce_rows(hed_op_entry *out);

#endif
