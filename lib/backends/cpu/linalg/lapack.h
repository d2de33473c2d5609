// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calling LAPACK for every matrix of a batch. L1.
 *
 * LAPACK destroys its operands and wants columns, so each matrix is brought into work space in the order that suits the
 * routine and results are taken out of it. Matrices of a batch are shared between the threads that were granted; each has
 * work space of its own. Of several matrices that fail the first one's failure is reported.
 */
#ifndef HED_BACKENDS_CPU_LAPACK_H
#define HED_BACKENDS_CPU_LAPACK_H

#include "backends/cpu/linalg/blas_load.h"
#include "backends/cpu/cpu.h"
#include "base/dense.h"
#include <limits.h>

typedef struct lapack {
  const hed_call *call;
  const cpu_blas *blas;
  const char *op;
  int dtype, type;            /* type computed in; its index in s, d, c, z */
  int64_t size, real_size;    /* bytes of an element, of its real part */
  int32_t batch_axes;
  int64_t batch;
  int64_t *which;             /* indices of its matrices, which cpu_lapack_run gives back; NULL: all of them in order */
  int64_t bytes;              /* of work space for one matrix */
  double work;                /* operations for one matrix */
  int64_t m, n, k;            /* sizes as the operation uses them */
  int lwork, lrwork, liwork;
  bool shares;                /* threads share a matrix: with only one, permits are left for that */
  /* Matrix AT with its work space; 0, or what REPORT gets when it has failed. */
  int (*one)(const struct lapack *l, int64_t at, char *space);
  int32_t (*report)(const struct lapack *l, int64_t at, int info);
} lapack;

/* Fills all but the work; HED_E_UNSUPPORTED without LAPACK or for matrices whose sizes it cannot count in its integers:
 * the reference kernel does those. */
int32_t cpu_lapack_begin(lapack *l, const hed_call *call, const char *op);
int32_t cpu_lapack_run(lapack *l);

/* Does a matrix have sides so long that sums along them, and reflections, lose several digits of float32 or complex64, in which it
 * is computed? Widened, L is for the type of twice as many. */
bool cpu_lapack_is_long(const lapack *l);
void cpu_lapack_widen(lapack *l);
/* Matrix AT by ONE of L, widened, in work space of its own, whose size MEASURE finds out. */
int cpu_lapack_widened(const lapack *l, int64_t at, void (*measure)(lapack *l));

/* Pieces of work space, each aligned: call with AT at the start, or NULL to count. */
static inline char *cpu_lapack_piece(char **at, int64_t bytes)
{
  char *piece = *at;
  *at = (char *)((uintptr_t)*at + (uintptr_t)CPU_LINES(bytes));
  return piece;
}

/* The last AXES axes (spaced: two) of V at batch position AT to or from DATA: rows after one another, or COLUMNS; LD elements
 * from one to the next. DTYPE is DATA's. A NULL view is left out. */
void cpu_lapack_get(const lapack *l, const hed_view *v, int64_t at, int axes, bool columns, char *data);
void cpu_lapack_get_spaced(const lapack *l, const hed_view *v, int64_t at, bool columns, char *data, int64_t ld);
void cpu_lapack_put(const lapack *l, const hed_view *v, int64_t at, int axes, bool columns, int dtype, const char *data,
                    int64_t ld);

/* Elements from one row or column of N elements to the next: a line more where they would all begin in the same few sets of
 * the caches, or as far apart as to be taken for the same by a processor that looks at the lowest 12 bits of addresses first. */
int64_t cpu_lapack_spaced(const lapack *l, int64_t n);

/* Position (C order) of the first element of N at X that is not finite, -1 when there is none. */
int64_t cpu_lapack_not_finite(const lapack *l, const char *x, int64_t n);

/* LAPACK's answer to a question for sizes: the element at X as a count with some room. */
int cpu_lapack_count(const lapack *l, const char *x);

/* B (N x K by columns) becomes the solution for a triangle of A (N x N), by blocks: where those pay. */
bool cpu_lapack_blocks_pay(int64_t n, int64_t k);
void cpu_lapack_triangle_solve(const lapack *l, bool upper, bool unit, int n, int k, const char *a, char *b);
/* B (N x K by columns) becomes the solution for the matrix whose factors getrf left in A (N x N) and PIVOT. */
void cpu_lapack_lu_solve(const lapack *l, int n, int k, const char *a, const int *pivot, char *b);

/* ---- by rows, with products of our own (lapack_lu.c): types 0 and 1 ---- */

/* What a function ONE returns when there was no memory for more than its work space. */
enum { LAPACK_NO_MEMORY = INT_MIN };
/* Is that ahead of LAPACK here. */
bool cpu_lapack_is_own(const lapack *l);
/* A (M x N) becomes its factors; *zero: the first column whose pivot is 0, -1 when none is. WORK: M x CPU_LU_WIDE. The
 * like of cpu_lapack_own_solve: false without memory. */
bool cpu_lapack_own_lu(const lapack *l, int64_t m, int64_t n, char *a, int64_t *pivot, char *work, int64_t *zero);
/* B (N x K) becomes the solution for factors A and PIVOT. */
bool cpu_lapack_own_solve(const lapack *l, int64_t n, int64_t k, const char *a, int64_t lda, const int64_t *pivot, char *b);
/* The same for the upper triangle of A (N x N), or the lower one with a UNIT diagonal. */
bool cpu_lapack_own_triangle(const lapack *l, int64_t n, int64_t k, const char *a, bool unit, char *b);
/* ---- small matrices, many at once (lapack_batch.c) ---- */

/* solve, det, lu or cholesky in the name of OP; false when it is for LAPACK. */
bool cpu_lapack_batch(const hed_call *call, const char *op, int32_t *status);
/* qr, eigh or svd: true when all matrices are done, else L is for those that are not. Before its work space is measured. */
bool cpu_lapack_lanes(lapack *l);
/* What REPORT is there: pivot or diagonal element INFO - 1 is 0; minor INFO is not positive. */
int32_t cpu_lapack_report_singular(const lapack *l, int64_t at, int info);
int32_t cpu_lapack_report_minor(const lapack *l, int64_t at, int info);

/* ---- tall matrices of real numbers (lapack_tall.c) ---- */

bool cpu_lapack_is_tall(const lapack *l, int64_t m, int64_t n);
/* Of A (M x N, rows after one another): a = q1 r1 with q1 nearly orthogonal. Then A becomes Q1, and q1 = q r2 with q
 * orthogonal. R1 and R2 (N x N) are upper triangles by columns with positive diagonals and zeros below. False: not to be
 * had in this way; A is lost in the second step. */
bool cpu_lapack_tall_triangle(const lapack *l, int64_t m, int64_t n, const char *a, char *r1);
bool cpu_lapack_tall_again(const lapack *l, int64_t m, int64_t n, char *a, const char *r1, char *r2);
/* c (M x N) = a (M x N) b (N x N), all by rows; several threads. False: no memory. */
bool cpu_lapack_tall_times(const lapack *l, int64_t m, int64_t n, const char *a, const char *b, char *c);
/* X (ROWS x COLUMNS by columns) becomes (r')^-1 x, or x (r')^-1 when RIGHT. */
void cpu_lapack_over_triangle(const lapack *l, bool right, int64_t rows, int64_t columns, const char *r, int64_t n, char *x);
/* c (m x n) = a b with either transposed; all by rows or all by COLUMNS. */
void cpu_lapack_gemm(const lapack *l, bool columns, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const char *a,
                     int64_t lda, const char *b, int64_t ldb, char *c, int64_t ldc);

#endif
