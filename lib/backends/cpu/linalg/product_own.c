// SPDX-License-Identifier: BSD-3-Clause
/* Which products are for loops of our own (gemm.h), and those by them: product.h. L1. */
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/linalg/product.h"
#include "backends/cpu/runtime/caches.h"

enum { LITTLE_COLUMN = 64 * 64 }; /* multiplications in a matrix times a vector for which BLAS takes too long to begin */

static const signed char own_type[HED_ID_CONCRETE_COUNT_] = {
  [HED_ID_BOOL] = CPU_GEMM_BOOL, [HED_ID_INT8] = -1, [HED_ID_UINT8] = -1,
  [HED_ID_INT16] = CPU_GEMM_U16, [HED_ID_UINT16] = CPU_GEMM_U16,
  [HED_ID_INT32] = CPU_GEMM_U32, [HED_ID_UINT32] = CPU_GEMM_U32, [HED_ID_INT64] = CPU_GEMM_U64,
  [HED_ID_UINT64] = CPU_GEMM_U64, [HED_ID_FLOAT32] = CPU_GEMM_F32, [HED_ID_FLOAT64] = CPU_GEMM_F64,
  [HED_ID_COMPLEX64] = -1, [HED_ID_COMPLEX128] = -1,
};

/* Do operands as they lie suit the caches: a sliver of b in half of the second, a there too or read once, and rows that are not
 * all in one set of the first. */
static bool suits_caches(const product *j, const matrix *a, const matrix *b)
{
  const int64_t k = a->cols, row = b->cols * j->size, sliver = k * CPU_MIN(row, 192);
  const int64_t room = CPU_MAX(1 << 19, CPU_MIN(1 << 20, (int64_t)cpu_caches_second() / 2));
  return sliver <= room && (row <= 192 || a->rows * k * j->size <= 1 << 23)
         && (k <= 512 || ((a->row_stride & 4095) && (b->row_stride & 4095)));
}

/* Rows of a and the column of b of neighbours: sums along them fill vectors. */
static bool column_of_rows(const product *j, const matrix *a, const matrix *b, const matrix *c)
{
  return c->cols == 1 && a->cols >= 8 && a->cols * j->size >= 32 && a->col_stride == j->size && b->row_stride == j->size;
}

/* The like of integers, too few in a row to fill a vector. */
static bool short_rows(const product *j, const matrix *a, const matrix *b, const matrix *c)
{
  return c->cols == 1 && j->dtype > HED_ID_BOOL && j->dtype < HED_ID_FLOAT16 && a->cols > 0 && a->cols < 8
         && a->col_stride == j->size && b->row_stride == j->size;
}

int cpu_product_type(int dtype) { return own_type[dtype]; }

product_way cpu_product_way(const product *j, const matrix *a, const matrix *b, const matrix *c)
{
  const int64_t m = c->rows, n = c->cols, k = a->cols;
  const double work = (double)m * (double)n * (double)k;
  const bool neighbours = n == 1 || b->col_stride == j->size, tiny = work <= CPU_GEMM_LITTLE;
  if (j->type < 0)
    return PRODUCT_BLAS;
  if (j->blas && !tiny && (j->dtype == HED_ID_FLOAT32 || j->dtype == HED_ID_FLOAT64)) {
    if (n == 1 && work <= LITTLE_COLUMN && cpu_gemm_ahead > CPU_GEMM_BASE && column_of_rows(j, a, b, c))
      return PRODUCT_SMALL;
    if (m == 1 || n == 1 || work > (double)cpu_gemm_ahead)
      return PRODUCT_BLAS;
    if (neighbours && suits_caches(j, a, b))
      return PRODUCT_SMALL;
    const bool packed = cpu_gemm_ahead == CPU_GEMM_ANY && m >= 64 && n >= 64 && k >= 64;
    return packed ? PRODUCT_PACKED : PRODUCT_BLAS;
  }
  return neighbours && (tiny || suits_caches(j, a, b)) ? PRODUCT_SMALL : PRODUCT_PACKED;
}

bool cpu_product_own(product *j, const matrix *a, const matrix *b, const matrix *c, int64_t count, const int64_t *step)
{
  const int64_t size = j->size;
  const product_way w = cpu_product_way(j, a, b, c);
  if (w == PRODUCT_BLAS)
    return false;
  cpu_gemm g = { .m = c->rows, .n = c->cols, .k = a->cols, .count = count, .a = a->data, .b = b->data,
                 .c = (void *)(uintptr_t)c->data, .a_row = a->row_stride / size, .a_col = a->col_stride / size,
                 .b_row = b->row_stride / size, .b_col = b->col_stride / size, .c_row = c->row_stride / size,
                 .c_step = step[0] / size, .a_step = step[1] / size, .b_step = step[2] / size, .far = j->far };
  const cpu_gemm_loops *loops = &cpu_gemms[j->type];
  if (w == PRODUCT_SMALL && column_of_rows(j, a, b, c)) {
    for (int64_t q = 0; q < count; q++) {
      loops->dots(&g);
      g.a = (const char *)g.a + step[1];
      g.b = (const char *)g.b + step[2];
      g.c = (char *)g.c + step[0];
    }
    return true;
  }
  if (w == PRODUCT_SMALL && short_rows(j, a, b, c)) {
    cpu_dot d = { .count = c->rows, .n = a->cols, .a = a->data, .b = b->data, .c = (char *)(uintptr_t)c->data,
                  .a_step = a->row_stride, .c_step = c->row_stride };
    for (int64_t q = 0; q < count; q++, d.a += step[1], d.b += step[2], d.c += step[0])
      cpu_product_dot_loops(j->dtype)->rows(&d);
    return true;
  }
  if (w == PRODUCT_SMALL) {
    loops->small(&g);
    return true;
  }
  for (int64_t q = 0; q < count; q++) {
    if (!cpu_gemm_packed(loops, &g))
      __atomic_store_n(&j->no_memory, 1, __ATOMIC_RELAXED);
    g.a = (const char *)g.a + step[1];
    g.b = (const char *)g.b + step[2];
    g.c = (char *)g.c + step[0];
  }
  return true;
}

void cpu_product_transpose(product *j)
{
  const bool row_of_columns = j->c.rows == 1 && j->b.row_stride == j->size && j->b.col_stride != j->size;
  if (j->type < 0 || j->c.cols == 1 || (j->c.col_stride == j->size && !row_of_columns))
    return;
  const matrix a = j->a;
  j->a = matrix_transposed(&j->b);
  j->b = matrix_transposed(&a);
  j->c = matrix_transposed(&j->c);
  for (int32_t k = 0; k < j->batch_ndim; k++) {
    const int64_t step = j->batch_stride[1][k];
    j->batch_stride[1][k] = j->batch_stride[2][k];
    j->batch_stride[2][k] = step;
  }
}

void *cpu_product_by_rows(const hed_call *call, product *j)
{
  const matrix *b = &j->b;
  matrix lying = { .rows = b->rows, .cols = b->cols, .row_stride = b->cols * j->size, .col_stride = j->size };
  if (j->type < 0 || b->col_stride == j->size || cpu_product_way(j, &j->a, &lying, &j->c) != PRODUCT_SMALL)
    return NULL;
  char *const room = cpu_scratch_get((size_t)(b->rows * lying.row_stride));
  if (!room)
    return NULL;
  const hed_view to = { room, j->dtype, 2, { b->rows, b->cols }, { lying.row_stride, lying.col_stride } };
  const hed_view from = { (void *)(uintptr_t)b->data, j->dtype, 2, { b->rows, b->cols }, { b->row_stride, b->col_stride } };
  (void)cpu_convert(call, &to, &from);
  lying.data = room;
  j->b = lying;
  return room;
}
