// SPDX-License-Identifier: BSD-3-Clause
/*
 * Unitary factors of small square matrices, one in each lane of a vector, compiled once per instruction set like kernels.h. L1.
 */
#ifndef HED_BACKENDS_CPU_POLAR_H
#define HED_BACKENDS_CPU_POLAR_H

#include <heddle/params.h>

enum { CPU_POLAR_LANES = 8, CPU_POLAR_ELEMENTS = HED_POLAR_MOST * HED_POLAR_MOST };

/* Element k of the matrices, M by M by rows, in re[k] and im[k]; parts neither overflow nor vanish when they are squared. */
typedef struct cpu_polar_lanes {
  _Alignas(64) double re[CPU_POLAR_ELEMENTS][CPU_POLAR_LANES], im[CPU_POLAR_ELEMENTS][CPU_POLAR_LANES];
  double work[4][CPU_POLAR_ELEMENTS][CPU_POLAR_LANES]; /* the function's */
} cpu_polar_lanes;

/* X becomes the unitary factors; the bits of lanes that did not converge: singular or nearly so. */
typedef unsigned (*cpu_polar_fn)(int m, cpu_polar_lanes *x);
unsigned cpu_polar_base(int m, cpu_polar_lanes *x);
unsigned cpu_polar_avx2(int m, cpu_polar_lanes *x);
unsigned cpu_polar_avx512(int m, cpu_polar_lanes *x);

/* The set in use; chosen in the entry function. */
extern cpu_polar_fn cpu_polars;

#endif
