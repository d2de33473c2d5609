// SPDX-License-Identifier: BSD-3-Clause
/*
 * Factors of matrices that lie by rows: the small pieces, compiled once per instruction set like kernels.h, and the
 * recursion that leaves all else to products of matrices (lapack_lu.c). L1.
 */
#ifndef HED_BACKENDS_CPU_LU_H
#define HED_BACKENDS_CPU_LU_H

#include <stdint.h>

enum { CPU_LU_WIDE = 8 };

typedef struct cpu_lu_loops {
  /* M x N (at most CPU_LU_WIDE) becomes its factors, rows exchanged; pivot[j]: the row that became row j. WORK: M x
   * CPU_LU_WIDE. The first column whose pivot is 0, N when there is none. */
  int64_t (*panel)(int64_t m, int64_t n, void *a, int64_t lda, int64_t *pivot, void *work);
  /* B (M x N, M at most CPU_LU_WIDE) becomes l^-1 b with ones in l's diagonal, or u^-1 b. */
  void (*lower)(int64_t m, int64_t n, const void *l, int64_t ldl, void *b, int64_t ldb);
  void (*upper)(int64_t m, int64_t n, const void *u, int64_t ldu, void *b, int64_t ldb);
} cpu_lu_loops;

/* By precision: float32, float64. */
extern const cpu_lu_loops cpu_lu_base[2], cpu_lu_avx2[2], cpu_lu_avx512[2];

/* The set in use; chosen in the entry function. */
extern const cpu_lu_loops *cpu_lus;

#endif
