// SPDX-License-Identifier: BSD-3-Clause
/* Products of matrices: what blas.c, which plans them, and product_own.c share. L1. */
#ifndef HED_BACKENDS_CPU_PRODUCT_H
#define HED_BACKENDS_CPU_PRODUCT_H

#include "backends/cpu/linalg/blas_load.h"
#include "backends/cpu/cpu.h"

typedef struct matrix {
  const char *data;
  int64_t rows, cols, row_stride, col_stride; /* bytes */
} matrix;

typedef struct product {
  const cpu_blas *blas;
  int dtype, type;   /* type: of our own loops, -1 = they do not have it */
  int no_memory;     /* set by any thread */
  int64_t size;      /* bytes of an element */
  int32_t batch_ndim;
  int64_t batch_dim[HED_MAX_NDIM], batch_stride[3][HED_MAX_NDIM];
  matrix a, b, c;
  int64_t m_blocks, n_blocks; /* pieces of one product */
  int64_t run;       /* matrices along the last batch axis that are one piece */
  bool far;          /* matrices b come from beyond the L2 cache */
  bool conjugate;    /* inner products: of the elements of a; none is taken for rows of a larger product */
} product;

static inline matrix matrix_transposed(const matrix *x)
{
  return (matrix){ x->data, x->cols, x->rows, x->col_stride, x->row_stride };
}

/* N rows, columns, from FIRST on. */
static inline matrix matrix_rows(const matrix *x, int64_t first, int64_t n)
{
  return (matrix){ x->data + first * x->row_stride, n, x->cols, x->row_stride, x->col_stride };
}

static inline matrix matrix_cols(const matrix *x, int64_t first, int64_t n)
{
  return (matrix){ x->data + first * x->col_stride, x->rows, n, x->row_stride, x->col_stride };
}

/* Who is to do a product whose result lies by rows: BLAS, our own loops on operands as they lie, or on packed ones. */
typedef enum product_way { PRODUCT_BLAS, PRODUCT_SMALL, PRODUCT_PACKED } product_way;
product_way cpu_product_way(const product *j, const matrix *a, const matrix *b, const matrix *c);

/* The loops of our own for a type; -1: there are none. */
int cpu_product_type(int dtype);

/* Our own loops write by rows: makes c' = b' a' of J where its result lies by columns, or is a row of sums along columns. */
void cpu_product_transpose(product *j);

/* Any product: cpu_matmul of what is not small. */
int32_t cpu_product_planned(const hed_call *call);

/* From views (of c, a, b: matrices behind their batch): the batch of J, and the number of matrices. */
int64_t cpu_product_batch(product *j, const hed_view *v);
/* *out: a copy of V as DTYPE in C order, repeated ones of its batch once; *spare is to be put back. READ: with its elements. */
int32_t cpu_product_copy(const hed_call *call, const hed_view *v, int dtype, bool read, hed_view *out, void **spare);
matrix cpu_product_matrix(const hed_view *v);

/* BATCH products of one row and one column each, which have the type of P and lie as it says; false: another layout or type. */
struct cpu_dot_loops;
const struct cpu_dot_loops *cpu_product_dot_loops(int dtype); /* NULL: there are none of the type */
bool cpu_product_dots(const hed_call *call, const product *p, int64_t batch);

/* COUNT products, STEP bytes (of c, a, b) apart; by our own loops: false when BLAS should do them. */
void cpu_product_some(product *j, const matrix *a, const matrix *b, const matrix *c, int64_t count, const int64_t *step);
bool cpu_product_own(product *j, const matrix *a, const matrix *b, const matrix *c, int64_t count, const int64_t *step);

/* Can BLAS read X: one unit stride, the other a positive integer of elements that does not overlap. *trans: by columns. */
bool cpu_blas_layout(const matrix *x, int64_t size, int *trans, int *ld);

/* *j has a copy of b by rows, to be put back, where our own loops then do the product as it lies; NULL: nothing changes. */
void *cpu_product_by_rows(const hed_call *call, product *j);

/* Is b the transpose of a, and worth it: then half of the product of J is computed and the other half copied. */
bool cpu_product_is_gram(const hed_call *call, const product *j);
void cpu_product_gram(const hed_call *call, product *j);

#endif
