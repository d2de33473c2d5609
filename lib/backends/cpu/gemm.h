// SPDX-License-Identifier: BSD-3-Clause
/*
 * Matrix products of our own, compiled once per instruction set like kernels.h. L1.
 *
 * They serve what BLAS has no routine for (integers, bool) and what its overhead or its kernels make slow: small
 * matrices, batches of them, and those types and sizes in which they are the faster ones (blas.c decides). Floats use a
 * fused multiply-add where the level has one; integers wrap; bool is "any and".
 */
#ifndef HED_BACKENDS_CPU_GEMM_H
#define HED_BACKENDS_CPU_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* c (m x n) = a (m x k) b (k x n), COUNT times. Strides in elements; columns of c are neighbours. */
typedef struct cpu_gemm {
  int64_t m, n, k, count;
  const void *a, *b;
  void *c;
  int64_t a_row, a_col, b_row, b_col, c_row, c_col; /* c_col: across() alone, 1 elsewhere */
  int64_t a_step, b_step, c_step; /* from one product to the next */
} cpu_gemm;

typedef enum cpu_gemm_type {
  CPU_GEMM_F32, CPU_GEMM_F64, CPU_GEMM_U16, CPU_GEMM_U32, CPU_GEMM_U64, CPU_GEMM_BOOL, CPU_GEMM_TYPES
} cpu_gemm_type;

typedef struct cpu_gemm_loops {
  /* Operands as they lie; columns of b must be neighbours. For matrices that stay in the first cache. */
  void (*small)(const cpu_gemm *g);
  /* Any strides, steps of a and b 1. */
  void (*across)(const cpu_gemm *g);
  /* Any strides, operands are packed into WORK, which pack_bytes() says the size of; COUNT is 1. */
  void (*packed)(const cpu_gemm *g, void *work);
  size_t (*pack_bytes)(const cpu_gemm *g);
} cpu_gemm_loops;

extern const cpu_gemm_loops cpu_gemm_base[CPU_GEMM_TYPES], cpu_gemm_avx2[CPU_GEMM_TYPES],
    cpu_gemm_avx512[CPU_GEMM_TYPES];

/* The set in use, and whether it is ahead of BLAS in more than small products; chosen in the entry function. */
extern const cpu_gemm_loops *cpu_gemms;
extern bool cpu_gemm_ahead;

#endif
