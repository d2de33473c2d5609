// SPDX-License-Identifier: BSD-3-Clause
/* The driver of elementwise operations: broadcasting, collapsing, dtype conversion by small blocks on the stack, so
 * that kernels are plain loops over one compute type and `_into` forms allocate nothing. L0, used by all host backends.
 */
#ifndef HED_BASE_MAP_H
#define HED_BASE_MAP_H

#include <heddle/kernel.h>

/* One loop: ptr[0] is the result, ptr[1..] the operands; stride in bytes. PARAMS as in hed_call. */
typedef void (*hed__map_fn)(int64_t n, char *const *ptr, const int64_t *stride, const void *params);

/* Run FN over CALL's views (out[0], in[...], all of out[0]'s shape), operands converted to OPERAND_TYPES[k] (index 0:
 * what FN writes, converted to out[0]'s dtype). Result and operands may be the same view; partly overlapping ones are
 * the caller's to avoid. */
typedef struct hed__map {
  hed__map_fn fn;
  int32_t types[8];   /* compute types: result, operands */
} hed__map;

/* Serial. */
void hed__map_run(const hed__map *map, const hed_call *call);

/* In parts: PART of PARTS (0-based), any split gives the same values; parts may run on different threads. */
void hed__map_run_part(const hed__map *map, const hed_call *call, int part, int parts);

#endif
