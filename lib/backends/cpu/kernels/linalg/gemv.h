// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrices times vectors, and small complex products, compiled once per instruction set like kernels.h. L1.
 *
 * A matrix is read once, so memory should be the limit; BLAS's products of matrices, given one column, are not.
 */
#ifndef HED_BACKENDS_CPU_GEMV_H
#define HED_BACKENDS_CPU_GEMV_H

#include "backends/cpu/kernels/linalg/gemm.h"
#include <stdbool.h>
#include <stdint.h>

/* y (m) = a (m x k) x (k); strides in bytes. */
typedef struct cpu_gemv {
  int64_t m, k;
  const char *a, *x;
  char *y;
  int64_t a_row, a_col, x_step, y_step;
} cpu_gemv;

typedef struct cpu_gemv_loops {
  /* Neighbours of a row lie side by side. X: K elements one after another. */
  void (*rows)(const cpu_gemv *g, const void *x);
  /* Neighbours of a column do. */
  void (*columns)(const cpu_gemv *g, const void *x);
  /* Products of matrices that stay in the L1 cache; columns of b and of c are neighbours, two or more. */
  void (*products)(const cpu_gemm *g);
} cpu_gemv_loops;

/* By precision: float32, float64. */
extern const cpu_gemv_loops cpu_gemv_base[2], cpu_gemv_avx2[2], cpu_gemv_avx512[2];

/* The set in use; chosen in the entry function. */
extern const cpu_gemv_loops *cpu_gemvs;

/* G of complex64, or complex128 when WIDE; false when its layout is not one of these, or without memory. */
bool cpu_gemv_run(const cpu_gemv *g, bool wide);

#endif
