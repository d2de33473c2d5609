// SPDX-License-Identifier: BSD-3-Clause
/* Where extremes are, of results side by side: loops by type for who has the extremes themselves already. L1. */
#ifndef HED_BACKENDS_CPU_ARGEXTREME_H
#define HED_BACKENDS_CPU_ARGEXTREME_H

#include <stdint.h>

typedef struct cpu_argextreme_loops {
  /* BEST becomes MOST, the extremes of BEST and more elements, and AT the number G where that is another; a NaN in BEST
   * stays first. */
  void (*improve)(int64_t n, void *best, const void *most, int64_t *at, int64_t g);
  /* Of ROWS elements, STEP bytes apart from X on, the first that is BEST[i], or NaN as it is; 0 when none is. */
  int64_t (*search)(int64_t rows, const char *x, int64_t step, const void *best, int64_t i);
} cpu_argextreme_loops;

/* For elements of TYPE (hed_dtype_id), which is not complex nor a float of 16 bits. */
const cpu_argextreme_loops *cpu_argextreme_loops_of(int type);

#endif
