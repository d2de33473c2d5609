// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows of factorisations share. L1.
 *
 * cuSOLVER and cuBLAS want matrices by columns and work in place, so operands are copied into scratch memory, and results from
 * there. What they find wrong is known when the device is done: these calls wait for it. A row describes itself, prepares its
 * copies and kernels, begins, counts its scratch memory, allocates it, runs, ends:
 *
 *   cusolver.c    all of that but the running     factor_qr.c    cholesky, qr
 *   factor_lu.c   lu, det, solve                  factor_eig.c   eigh, eig
 *   factor_solve.c  solve_triangular              factor_svd.c   svd
 */
#ifndef HED_BACKENDS_CUDA_FACTOR_H
#define HED_BACKENDS_CUDA_FACTOR_H

#include "backends/cuda/port/handles.h"
#include "backends/cuda/rows/rows.h"
#include "backends/device/kernels/args_factor.h"
#include "base/dense.h"
#include "base/dtype.h"

/* Matrices of a batch are done one after the other, where a library cannot do them together. More than MOST_MATRICES that are no
 * larger than MOST_SMALL are faster on the host; together is for those that are no larger. */
enum { HED__MOST_MATRICES = 32, HED__MOST_SMALL = 256 };

typedef struct hed__factor {
  const char *name;
  const hed_call *call;
  hed__device *d;
  hed__cuda_device *dev;
  const hed__cuda_cusolver *lib;
  const hed__cuda_cublas *blas;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
  cublasHandle_t blas_handle;
  int32_t dtype, real_dtype;
  unsigned type, real_type;          /* the same as the libraries call them */
  int kind;                          /* of functions with a letter: S D C Z */
  size_t size, real_size;
  int64_t m, n, k, batch;            /* k: the smaller of m and n */
  hed__submit q;
  bool pushed;
  size_t scratch;                    /* bytes so far */
  size_t at_info, work_bytes, host_bytes, at_work;
  char *memory;
  void *host;                        /* work space there */
} hed__factor;

/* The function of LIBRARY that has a letter between PREFIX and NAME. */
#define HED__LETTERED(f, library, prefix, name) \
  ((f)->kind == 0 ? (f)->library->prefix##S##name : (f)->kind == 1 ? (f)->library->prefix##D##name \
   : (f)->kind == 2 ? (f)->library->prefix##C##name : (f)->library->prefix##Z##name)

/* False where the host is to do it. TOGETHER: the matrices of a batch can be done together, as long as they are small. */
bool hed__factor_describe(hed__factor *f, void *state, const hed_call *call, const char *name, bool together);
bool hed__factor_together(const hed__factor *f);
int32_t hed__factor_begin(hed__factor *f);
/* Scratch memory, of which the address is to be had after hed__factor_allocate, which adds work space and an info for each
 * matrix. */
size_t hed__factor_space(hed__factor *f, int64_t elements, size_t size);
int32_t hed__factor_allocate(hed__factor *f);
static inline void *hed__factor_at(const hed__factor *f, size_t at) { return f->memory + at; }
static inline int *hed__factor_info(const hed__factor *f, int64_t k) { return (int *)hed__factor_at(f, f->at_info) + k; }
/* Element K of SIZE bytes; the first one of matrix K of ELEMENTS. */
static inline char *hed__factor_element(const hed__factor *f, size_t at, int64_t k, size_t size)
{
  return (char *)hed__factor_at(f, at) + (size_t)k * size;
}
static inline char *hed__factor_matrix(const hed__factor *f, size_t at, int64_t k, int64_t elements)
{
  return hed__factor_element(f, at, k * elements, f->size);
}
static inline void *hed__factor_work(const hed__factor *f) { return hed__factor_at(f, f->at_work); }
/* Work space as an answer to a question for it, the largest of several. */
int32_t hed__factor_needs(hed__factor *f, unsigned error, size_t device_bytes, size_t host_bytes);
/* The status for a library's answer to WHAT. */
int32_t hed__factor_solver(const hed__factor *f, unsigned error, const char *what);
int32_t hed__factor_blas(const hed__factor *f, unsigned error, const char *what);
/* STATUS, or what ending the submission gives; with it the ticket. */
int32_t hed__factor_end(hed__factor *f, int32_t status);

/* What the device is to have done is there when this returns. */
int32_t hed__factor_read(hed__factor *f, void *to, size_t at, size_t bytes);
int32_t hed__factor_write(hed__factor *f, size_t at, const void *from, size_t bytes);
/* Reads the info of all matrices. The first one above 0, less 1, and its matrix, -1 when there is none. */
int32_t hed__factor_failed(hed__factor *f, int64_t *matrix, int *info);
/* The failure of the first matrix whose info is above 0. */
int32_t hed__factor_converged(hed__factor *f);
/* At AT, the addresses of the matrices of EACH bytes from X on. */
int32_t hed__factor_addresses(hed__factor *f, size_t at, char *x, size_t each);

/* ---- copies ---- */

/* A view of DTYPE with the call's batch axes; strides in elements. COLUMNS -1: vectors of ROWS elements; ROWS -1: numbers. */
hed_view hed__factor_view(const hed__factor *f, int32_t dtype, int64_t rows, int64_t columns, int64_t down, int64_t right,
                          int64_t matrix);

typedef struct hed__factor_copy {
  hed_view outer, inner;             /* what the call has, what lies in scratch memory */
  bool there, in;
  hed__cast_job job;
} hed__factor_copy;

/* From the call's operand K, or with RESULT to its result K where that is wanted. The copy stays where it is. */
int32_t hed__factor_copy_make(hed__factor *f, hed__factor_copy *c, bool result, int32_t k, hed_view inner);
int32_t hed__factor_copy_submit(hed__factor *f, hed__factor_copy *c, size_t at);
/* Memory, and A in it. */
int32_t hed__factor_load(hed__factor *f, hed__factor_copy *a, size_t at);

/* Diagonals of matrices by columns, LD elements each, side by side. */
typedef struct hed__factor_diagonal {
  hed_view from, to;
  hed__cast_job job;
} hed__factor_diagonal;

int32_t hed__factor_diagonal_make(hed__factor *f, hed__factor_diagonal *g, int64_t ld, int64_t matrix);
/* To host memory: batch times k elements. AT: of as much scratch memory. */
int32_t hed__factor_diagonal_read(hed__factor *f, hed__factor_diagonal *g, size_t matrices, size_t at, void *to);

/* ---- turns: family factor of ../device/kernels ---- */

int32_t hed__factor_kernel(hed__factor *f, int32_t dtype, int32_t in, const char *name, void **entry);
/* PHASE or DIAGONAL, a group or an item for each vector; TURN, an item for each element. */
int32_t hed__factor_per_vector(hed__factor *f, void *entry, bool groups, void *turns, void *x, const hed__factor_args *a);
int32_t hed__factor_turn(hed__factor *f, void *entry, void *x, void *turns, const hed__factor_args *a);

/* Is a matrix by columns, M by N, without NaN and infinity (PART: as args_factor.h has it): HED_E_INVAL says which is not. */
typedef struct hed__factor_check {
  void *entry;
  size_t at;
} hed__factor_check;
int32_t hed__factor_check_make(hed__factor *f, hed__factor_check *c);
int32_t hed__factor_check_finite(hed__factor *f, const hed__factor_check *c, size_t at, int64_t down, int64_t right, int64_t part);

/* ROWS by COLUMNS of the triangle PART of matrices X by columns (LD, MATRIX elements apart), side by side in OUT. */
int32_t hed__factor_triangle(hed__factor *f, void *entry, size_t out, size_t x, int64_t rows, int64_t columns, int64_t ld,
                             int64_t matrix, int64_t part);

#endif
