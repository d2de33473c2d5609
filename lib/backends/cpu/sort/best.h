// SPDX-License-Identifier: BSD-3-Clause
/* The indices of the best few of a slice, in order. L1. */
#ifndef HED_BACKENDS_CPU_SORT_BEST_H
#define HED_BACKENDS_CPU_SORT_BEST_H

#include <heddle/kernel.h>
#include <stdbool.h>

typedef struct cpu_best {
  const hed_call *call;
  int type;           /* of the elements, which are contiguous */
  bool descending;
  int64_t n, keep;    /* elements; wanted, fewer than these */
  int32_t parts;      /* that threads may share the slice in */
} cpu_best;

/* How many parts pay for one slice of N elements. */
int32_t cpu_best_parts(const hed_call *call, int64_t n, int64_t keep);

/* Of scratch. */
size_t cpu_best_bytes(const cpu_best *b);

/* KEEP indices, somewhere in SCRATCH; equal elements in the order in which they lie. */
uint64_t *cpu_best_indices(const cpu_best *b, const char *x, char *scratch);

#endif
