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

#include <heddle/kernel.h>
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
  bool subtract;                  /* packed: c -= a b */
  bool far;                       /* small: b comes from beyond the L2 cache */
} cpu_gemm;

typedef enum cpu_gemm_type {
  CPU_GEMM_F32, CPU_GEMM_F64, CPU_GEMM_U16, CPU_GEMM_U32, CPU_GEMM_U64, CPU_GEMM_BOOL, CPU_GEMM_TYPES
} cpu_gemm_type;

typedef enum cpu_gemm_end { CPU_GEMM_SET, CPU_GEMM_ADD, CPU_GEMM_SUBTRACT } cpu_gemm_end;

typedef struct cpu_gemm_loops {
  /* Operands as they lie; columns of b must be neighbours. For matrices that stay in the L1 cache. */
  void (*small)(const cpu_gemm *g);
  /* Floats: out = a b for matrices by rows (a's columns: anyhow) that stay in the L1 cache. */
  void (*plain)(const hed_view *out, const hed_view *a, const hed_view *b);
  /* One column (N is 1), neighbours of it and of a's rows beside each other. */
  void (*dots)(const cpu_gemm *g);
  /* Any strides, steps of a and b 1. */
  void (*across)(const cpu_gemm *g);
  /* K of the columns of M rows of a from row I and column P on, in slivers of ROWS; the like of b in slivers of COLUMNS. */
  void (*pack_a)(const cpu_gemm *g, int64_t i, int64_t m, int64_t p, int64_t k, void *to);
  void (*pack_b)(const cpu_gemm *g, int64_t j, int64_t n, int64_t p, int64_t k, void *to);
  /* M x N of c from row I and column J on: the product of what was packed, or that added to it or taken away. */
  void (*block)(const cpu_gemm *g, int64_t i, int64_t m, int64_t j, int64_t n, int64_t k, const void *a, const void *b,
                cpu_gemm_end end);
  int64_t rows, columns, size; /* of a tile; bytes of an element */
} cpu_gemm_loops;

extern const cpu_gemm_loops cpu_gemm_base[CPU_GEMM_TYPES], cpu_gemm_avx2[CPU_GEMM_TYPES],
    cpu_gemm_avx512[CPU_GEMM_TYPES];

/* G by LOOPS with packed operands of any strides; COUNT is 1. False: no memory. */
bool cpu_gemm_packed(const cpu_gemm_loops *loops, const cpu_gemm *g);

/* The set in use, and the multiplications in a product up to which it is ahead of BLAS; CPU_GEMM_ANY: in all, packed too. Chosen
 * in the entry function. */
enum { CPU_GEMM_LITTLE = 512, CPU_GEMM_BASE = 24 * 24 * 24, CPU_GEMM_AVX2 = 128 * 128 * 128 };
#define CPU_GEMM_ANY INT64_MAX
extern const cpu_gemm_loops *cpu_gemms;
extern int64_t cpu_gemm_ahead;

#endif
