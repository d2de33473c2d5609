// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what the rows of factorisations share. L1.
 *
 * cuSOLVER and cuBLAS want matrices by columns and work in place, so operands are copied into scratch memory, and results from
 * there. What they find wrong is known when the device is done: these calls wait for it. A row describes itself, prepares its
 * copies and kernels, begins, counts its scratch memory, allocates it, runs, ends:
 *
 *   cusolver.c    all of that but the running     factor_qr.c    cholesky, qr
 *   factor_lu.c   lu, det, solve                  factor_eig.c   eigh, eigh_range, eig
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
enum { CUDA_MOST_MATRICES = 32, CUDA_MOST_SMALL = 256 };

typedef struct cuda_factor {
  const char *name;
  CUevent begun;                     /* for a profile; NULL */
  const hed_call *call;
  dev_device *d;
  cuda_device *dev;
  const cuda_cusolver *lib;
  const cuda_cublas *blas;
  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
  cublasHandle_t blas_handle;
  int32_t dtype, real_dtype;
  unsigned type, real_type;          /* the same as the libraries call them */
  int kind;                          /* of functions with a letter: S D C Z */
  size_t size, real_size;
  int64_t m, n, k, batch;            /* k: the smaller of m and n */
  dev_submit q;
  bool pushed;
  size_t scratch;                    /* bytes so far */
  size_t at_info, work_bytes, host_bytes, at_work;
  char *memory;
  void *host;                        /* work space there */
} cuda_factor;

/* The function of LIBRARY that has a letter between PREFIX and NAME. */
#define CUDA_LETTERED(f, library, prefix, name) \
  ((f)->kind == 0 ? (f)->library->prefix##S##name : (f)->kind == 1 ? (f)->library->prefix##D##name \
   : (f)->kind == 2 ? (f)->library->prefix##C##name : (f)->library->prefix##Z##name)

/* False where the host is to do it. TOGETHER: the matrices of a batch can be done together, as long as they are small. */
bool cuda_factor_describe(cuda_factor *f, void *state, const hed_call *call, const char *name, bool together);
bool cuda_factor_together(const cuda_factor *f);
int32_t cuda_factor_begin(cuda_factor *f);
/* Scratch memory, of which the address is to be had after cuda_factor_allocate, which adds work space and an info for each
 * matrix. */
size_t cuda_factor_space(cuda_factor *f, int64_t elements, size_t size);
int32_t cuda_factor_allocate(cuda_factor *f);
static inline void *cuda_factor_at(const cuda_factor *f, size_t at) { return f->memory + at; }
static inline int *cuda_factor_info(const cuda_factor *f, int64_t k) { return (int *)cuda_factor_at(f, f->at_info) + k; }
/* Element K of SIZE bytes; the first one of matrix K of ELEMENTS. */
static inline char *cuda_factor_element(const cuda_factor *f, size_t at, int64_t k, size_t size)
{
  return (char *)cuda_factor_at(f, at) + (size_t)k * size;
}
static inline char *cuda_factor_matrix(const cuda_factor *f, size_t at, int64_t k, int64_t elements)
{
  return cuda_factor_element(f, at, k * elements, f->size);
}
static inline void *cuda_factor_work(const cuda_factor *f) { return cuda_factor_at(f, f->at_work); }
/* Work space as an answer to a question for it, the largest of several. */
int32_t cuda_factor_needs(cuda_factor *f, unsigned error, size_t device_bytes, size_t host_bytes);
/* The status for a library's answer to WHAT. */
int32_t cuda_factor_solver(const cuda_factor *f, unsigned error, const char *what);
int32_t cuda_factor_blas(const cuda_factor *f, unsigned error, const char *what);
/* STATUS, or what ending the submission gives; with it the ticket. */
int32_t cuda_factor_end(cuda_factor *f, int32_t status);

/* What the device is to have done is there when this returns. */
int32_t cuda_factor_read(cuda_factor *f, void *to, size_t at, size_t bytes);
int32_t cuda_factor_write(cuda_factor *f, size_t at, const void *from, size_t bytes);
/* Reads the info of all matrices. The first one above 0, less 1, and its matrix, -1 when there is none. */
int32_t cuda_factor_failed(cuda_factor *f, int64_t *matrix, int *info);
/* The failure of the first matrix whose info is above 0. */
int32_t cuda_factor_converged(cuda_factor *f);
/* At AT, the addresses of the matrices of EACH bytes from X on. */
int32_t cuda_factor_addresses(cuda_factor *f, size_t at, char *x, size_t each);

/* ---- copies ---- */

/* A view of DTYPE with the call's batch axes; strides in elements. COLUMNS -1: vectors of ROWS elements; ROWS -1: numbers. */
hed_view cuda_factor_view(const cuda_factor *f, int32_t dtype, int64_t rows, int64_t columns, int64_t down, int64_t right,
                          int64_t matrix);

typedef struct cuda_factor_copy {
  hed_view outer, inner;             /* what the call has, what lies in scratch memory */
  bool there, in;
  dev_cast_job job;
} cuda_factor_copy;

/* From the call's operand K, or with RESULT to its result K where that is wanted. The copy stays where it is. */
int32_t cuda_factor_copy_make(cuda_factor *f, cuda_factor_copy *c, bool result, int32_t k, hed_view inner);
int32_t cuda_factor_copy_submit(cuda_factor *f, cuda_factor_copy *c, size_t at);
/* Memory, and A in it. */
int32_t cuda_factor_load(cuda_factor *f, cuda_factor_copy *a, size_t at);

/* Diagonals of matrices by columns, LD elements each, side by side. */
typedef struct cuda_factor_diagonal {
  hed_view from, to;
  dev_cast_job job;
} cuda_factor_diagonal;

int32_t cuda_factor_diagonal_make(cuda_factor *f, cuda_factor_diagonal *g, int64_t ld, int64_t matrix);
/* To host memory: batch times k elements. AT: of as much scratch memory. */
int32_t cuda_factor_diagonal_read(cuda_factor *f, cuda_factor_diagonal *g, size_t matrices, size_t at, void *to);

/* ---- turns: family factor of ../device/kernels ---- */

int32_t cuda_factor_kernel(cuda_factor *f, int32_t dtype, int32_t in, const char *name, void **entry);
/* PHASE or DIAGONAL, a group or an item for each vector; TURN, an item for each element. */
int32_t cuda_factor_per_vector(cuda_factor *f, void *entry, bool groups, void *turns, void *x, const hed__factor_args *a);
int32_t cuda_factor_turn(cuda_factor *f, void *entry, void *x, void *turns, const hed__factor_args *a);

/* Is a matrix by columns, M by N, without NaN and infinity (PART: as args_factor.h has it): HED_E_INVAL says which is not. */
typedef struct cuda_factor_check {
  void *entry;
  size_t at;
} cuda_factor_check;
int32_t cuda_factor_check_make(cuda_factor *f, cuda_factor_check *c);
int32_t cuda_factor_check_finite(cuda_factor *f, const cuda_factor_check *c, size_t at, int64_t down, int64_t right, int64_t part);

/* ROWS by COLUMNS of the triangle PART of matrices X by columns (LD, MATRIX elements apart), side by side in OUT. */
int32_t cuda_factor_triangle(cuda_factor *f, void *entry, size_t out, size_t x, int64_t rows, int64_t columns, int64_t ld,
                             int64_t matrix, int64_t part);

#endif
