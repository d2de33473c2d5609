// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise rows of the table: which loop serves an operation and type, and over which route it runs. L1.
 *
 *   map.c     from a call to its loop; small calls run it at once
 *   layout.c  how the operands lie, and by that which of four routes a larger call takes (cpu_map_run)
 *   blocks.c  the route by blocks in the cache; tiled.c the one by transposed tiles
 */
#ifndef HED_BACKENDS_CPU_MAP_H
#define HED_BACKENDS_CPU_MAP_H

#include "backends/cpu/kernels/kernels.h"

/* Writes one entry per elementwise operation, with the types of its domain; returns how many. */
int cpu_map_rows(hed_op_entry *out);

/* A call of an elementwise operation, by its number; for rows that do one type themselves. */
int32_t cpu_map_row(const hed_call *call);

/* What runs over all elements of a call. */
typedef struct cpu_map {
  hed__map_fn fn;
  cpu_nontemporal_fn direct; /* the same by non-temporal stores (kernels.h), or NULL */
  int32_t types[4];     /* that fn writes and reads */
  double work;          /* cost of one element in units of CPU_GRAIN's */
  bool copies;          /* fn only moves elements */
} cpu_map;

/* MAP over the operands of CALL, on threads when it is worth it. */
int32_t cpu_map_run(const hed_call *call, const cpu_map *map);

/* The loop of an elementwise operation for compute type T, and the type that it writes; NULL when it refuses T. And what
 * an element costs, in units of CPU_GRAIN's. */
hed__map_fn cpu_map_loop(int op, int32_t t, int32_t *result);
double cpu_map_cost(int op);

/* The loop of an operation on 16-bit floats of type T that gives T; NULL: it is computed as float32, between conversions. */
hed__map_fn cpu_map_half(int op, int32_t t);

/* Reductions likewise. */
int cpu_reduce_rows(hed_op_entry *out);

#endif
