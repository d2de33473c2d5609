// SPDX-License-Identifier: BSD-3-Clause
/* A slice about the element that sorting would put at one index. L1. */
#ifndef HED_BACKENDS_CPU_SORT_PARTITION_H
#define HED_BACKENDS_CPU_SORT_PARTITION_H

#include <heddle/kernel.h>
#include <stdbool.h>

/* A word of 32 or 64 bits that orders as its value does: sort/sort.h. */
typedef union cpu_partition_word {
  uint64_t wide;
  uint32_t narrow;
} cpu_partition_word;

typedef struct cpu_partition {
  const hed_call *call;
  int type;          /* of the elements, which are contiguous */
  bool descending;
  bool indices;       /* the result has indices, not values */
  int64_t n, kth;    /* elements, and the index; N is 0: there is nothing to do */
  bool alone;        /* it is the only slice, which threads may share */
  int32_t pieces;    /* this and the words of both zeros, which are equal, or of 0 twice: by cpu_partition_begin() */
  cpu_partition_word zero[2];
} cpu_partition;

/* Once, before slices. */
void cpu_partition_begin(cpu_partition *p);

/* Of scratch. */
size_t cpu_partition_bytes(const cpu_partition *p);

/* What is less than the element of index KTH, what equals it, and what is greater, each in the order in which it lies in X: to
 * elements of TO_TYPE, STEP bytes apart. SCRATCH is aligned to 64. */
void cpu_partition_lane(const cpu_partition *p, const char *x, char *to, int to_type, int64_t step, char *scratch);

#endif
