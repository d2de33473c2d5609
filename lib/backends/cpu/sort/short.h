// SPDX-License-Identifier: BSD-3-Clause
/* Short slices, many of which are sorted at once. L1. */
#ifndef HED_BACKENDS_CPU_SORT_SHORT_H
#define HED_BACKENDS_CPU_SORT_SHORT_H

#include "base/cast.h"
#include <heddle/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpu_short {
  const hed_view *in, *out; /* OUT: values or indices */
  int type;                 /* compute type of the values */
  int32_t axis;
  bool descending, indices;
  /* What cpu_short_begin() finds out: */
  int64_t n;                /* elements of a slice */
  int64_t size, width;      /* bytes of a value; how many slices at once; 0: never */
  int64_t most;             /* elements of as many slices */
  int64_t run, in_step, out_step; /* slices that lie evenly, and bytes from one to the next */
  int64_t out_size;         /* bytes of a value or index */
  hed__cast_fn gather, deliver; /* rows of slices; NULL: they are contiguous, and of the types that are sorted */
} cpu_short;

void cpu_short_begin(cpu_short *s);
size_t cpu_short_bytes(const cpu_short *s);

/* How many of LEFT slices from number LANE on are faster sorted at once than each alone; 0: none. */
int64_t cpu_short_count(const cpu_short *s, int64_t slice, int64_t left);

/* COUNT slices, the first at FROM and its result at TO. */
void cpu_short_sort(const cpu_short *s, int64_t count, const char *from, char *to, char *scratch);

#endif
