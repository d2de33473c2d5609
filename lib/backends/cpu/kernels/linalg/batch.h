// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small matrices, as many at once as a vector has real numbers: each lane does one matrix. Compiled once per instruction
 * set like kernels.h; lapack_batch.c brings the matrices here. L1.
 *
 * What a lane does is the scalar algorithm, whatever its neighbours hold: the pivot is the first of the largest, and a pivot
 * of 0 is left out. Operations round one by one, so every level gives the same bits, but for determinants of complex matrices
 * that are 0 or whose parts leave the range.
 */
#ifndef HED_BACKENDS_CPU_BATCH_H
#define HED_BACKENDS_CPU_BATCH_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_BATCH_ORDER = 16, CPU_BATCH_LANES = 16 }; /* largest m, n and k; most lanes of a level */

/* The same operand of each lane: a matrix with strides in bytes. Lanes that are not used repeat one that is. */
typedef struct cpu_batch_side {
  const char *at[CPU_BATCH_LANES];
  int64_t row, col;
  void *spare;                         /* memory for a matrix of all lanes */
} cpu_batch_side;

enum { CPU_BATCH_SPARE = CPU_BATCH_ORDER * CPU_BATCH_ORDER * 128, CPU_BATCH_ROOM = 4 * CPU_BATCH_SPARE };
enum { CPU_BATCH_IN = 2, CPU_BATCH_OUT = 4 };
typedef struct cpu_batch {
  int64_t count, m, n, k;              /* lanes in use; rows (qr, svd) and columns, or the order; right-hand sides, values of eigh */
  cpu_batch_side in[CPU_BATCH_IN], out[CPU_BATCH_OUT];
  bool want[CPU_BATCH_OUT];
  int64_t first;                       /* eigh: K values from this one on are results */
  bool upper, complete;                /* eigh: which triangle is read; qr: Q is M x M */
  void *room;                          /* CPU_BATCH_ROOM bytes, 64-byte aligned */
} cpu_batch;

/* Those that may fail return -1, or for the first lane that failed CPU_BATCH_ORDER times its number plus the step at which it
 * did; those that leave matrices to LAPACK return their lanes as bits, whose results are then anything. */
typedef int64_t (*cpu_batch_fn)(const cpu_batch *b);

typedef struct cpu_batch_loops {
  int64_t lanes;
  cpu_batch_fn solve;     /* in: a, b; out: x; fails where a pivot is 0 */
  cpu_batch_fn det;       /* in: a; out: a number; never fails */
  cpu_batch_fn lu;        /* in: a; out: perm (int64), l, u, sign; never fails */
  cpu_batch_fn cholesky;  /* in: a; out: l; fails where a minor is not positive */
  /* As <heddle/ops/linalg.h> says. Left: what is not finite or is near the end of the range; for vectors, singular values of 0. */
  cpu_batch_fn qr;        /* in: a (m x n); out: q, r */
  cpu_batch_fn eigh;      /* in: a; out: w, v */
  cpu_batch_fn svd;       /* in: a (m x n); out: u, s, vh, none of them full */
} cpu_batch_loops;

/* By type: float32, float64, complex64, complex128. */
enum { CPU_BATCH_TYPES = 4 };
extern const cpu_batch_loops cpu_batch_base[CPU_BATCH_TYPES], cpu_batch_avx2[CPU_BATCH_TYPES], cpu_batch_avx512[CPU_BATCH_TYPES];

/* The set in use; chosen in the entry function. */
extern const cpu_batch_loops *cpu_batches;

#endif
