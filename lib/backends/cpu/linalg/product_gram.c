// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of a matrix and its transpose: product.h. L1.
 *
 * The result is symmetric. Stripes of rows are computed up to the diagonal and what is missing is copied; stripes are the same
 * whatever the number of threads. Of a matrix by rows the transpose is copied for loops of our own, which want it by rows as well
 * and then take less time, with the copy, than BLAS takes for it as it lies.
 */
#include "backends/cpu/linalg/product.h"
#include "backends/cpu/runtime/parallel.h"

enum { LEAST = 128, STRIPE = 64, MOST = 16 /* rows; rows of a stripe; stripes */ };

typedef struct gram {
  const hed_call *call;
  product *j;
  int64_t stripes;
} gram;

static int64_t cut(const gram *g, int64_t at) { return g->j->c.rows * at / g->stripes; }

bool cpu_product_is_gram(const product *j)
{
  return j->dtype >= HED_ID_FLOAT16 && j->a.data == j->b.data && j->a.rows == j->b.cols && j->a.row_stride == j->b.col_stride
         && j->a.col_stride == j->b.row_stride && j->c.rows >= LEAST && j->a.cols >= STRIPE;
}

static void one_stripe(void *arg, int64_t at)
{
  const gram *g = arg;
  product *j = g->j;
  const int64_t stripe = g->stripes - 1 - at; /* the longest first */
  const int64_t from = cut(g, stripe), to = cut(g, stripe + 1), none[3] = { 0, 0, 0 };
  matrix a = j->a, b = j->b, c = j->c;
  a.data += from * a.row_stride;
  c.data += from * c.row_stride;
  a.rows = c.rows = to - from;
  b.cols = c.cols = to;
  cpu_product_some(j, &a, &b, &c, 1, none);
}

/* Of columns of a stripe, what is before its diagonal block. */
static void one_copy(void *arg, int64_t stripe)
{
  const gram *g = arg;
  const product *j = g->j;
  const int64_t from = cut(g, stripe), to = cut(g, stripe + 1), row = j->c.row_stride, column = j->c.col_stride;
  char *c = (char *)(uintptr_t)j->c.data;
  const hed_view below = { c + from * row, j->dtype, 2, { to - from, from }, { row, column } };
  const hed_view above = { c + from * column, j->dtype, 2, { to - from, from }, { column, row } };
  hed_call call = *g->call;
  call.max_threads = 1;
  if (from > 0)
    (void)cpu_convert(&call, &above, &below);
}

void cpu_product_gram(const hed_call *call, product *j)
{
  void *const spare = cpu_product_by_rows(call, j);
  gram g = { call, j, CPU_MIN(j->c.rows / STRIPE, MOST) };
  const double n = (double)j->c.rows;
  cpu_parallel_items(call, g.stripes, n * n * (double)j->a.cols / 16, one_stripe, &g);
  cpu_parallel_items(call, g.stripes, n * n, one_copy, &g);
  cpu_scratch_put(spare);
}
