// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of a matrix and its transpose: product.h. L1.
 *
 * The result is symmetric. Stripes of rows are computed up to the diagonal and what is missing is copied; stripes are the same
 * whatever the number of threads. Of a matrix by rows the transpose is copied for loops of our own, which want it by rows as well
 * and then take less time, with the copy, than BLAS takes for it as it lies. On one thread BLAS's own routine for half of such a
 * product is ahead of stripes where rows are long, from 0.7 to 0.9 of their time (findings/products).
 */
#include "backends/cpu/linalg/product.h"
#include "backends/cpu/runtime/parallel.h"

enum { LEAST_ROWS = 128, STRIPE_ROWS = 64, MOST_STRIPES = 16, /* rows; rows of a stripe; stripes */
       LEAST_SYRK = 64, LONG = 1600, EDGE = 16 /* rows, and bytes of one, for syrk; rows copied at once */ };

typedef struct gram {
  const hed_call *call;
  product *j;
  int64_t stripes;
} gram;

static int64_t cut(const gram *g, int64_t at) { return g->j->c.rows * at / g->stripes; }

static bool by_syrk(const hed_call *call, const product *j)
{
  const bool real = j->dtype == HED_ID_FLOAT32 || j->dtype == HED_ID_FLOAT64;
  return real && call->max_threads == 1 && j->blas && j->blas->syrk[j->dtype == HED_ID_FLOAT64]
         && j->c.rows >= LEAST_SYRK && j->a.cols * j->size >= LONG;
}

bool cpu_product_is_gram(const hed_call *call, const product *j)
{
  return j->dtype >= HED_ID_FLOAT16 && j->a.data == j->b.data && j->a.rows == j->b.cols && j->a.row_stride == j->b.col_stride
         && j->a.col_stride == j->b.row_stride && j->a.cols >= STRIPE_ROWS && (j->c.rows >= LEAST_ROWS || by_syrk(call, j));
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

#define MIRROR(T)                                                                 \
  for (int64_t r = from; r < to; r++)                                             \
    for (int64_t k = from; k < r; k++)                                            \
      *(T *)(void *)(c + k * row + r * size) = *(const T *)(const void *)(c + r * row + k * size);

/* The lower half by BLAS, whose columns are our rows, and the other one from it. */
static void whole_by_syrk(gram *g)
{
  static const float one_s = 1, zero_s = 0;
  static const double one_d = 1, zero_d = 0;
  const product *j = g->j;
  const matrix *a = &j->a;
  const bool wide = j->dtype == HED_ID_FLOAT64, by_rows = a->col_stride == j->size;
  const int64_t row = j->c.row_stride, size = j->size;
  const int n = (int)a->rows, length = (int)a->cols, ldc = (int)(row / size);
  const int lda = (int)((by_rows ? a->row_stride : a->col_stride) / size);
  char *const c = (char *)(uintptr_t)j->c.data;
  j->blas->syrk[wide]("U", by_rows ? "T" : "N", &n, &length, wide ? (const void *)&one_d : &one_s, a->data, &lda,
                      wide ? (const void *)&zero_d : &zero_s, c, &ldc, 1, 1);
  g->stripes = n / EDGE;
  for (int64_t at = 0; at < g->stripes; at++) {
    const int64_t from = cut(g, at), to = cut(g, at + 1);
    one_copy(g, at);
    if (wide) {
      MIRROR(double)
    } else {
      MIRROR(float)
    }
  }
}

void cpu_product_gram(const hed_call *call, product *j)
{
  if (by_syrk(call, j)) {
    whole_by_syrk(&(gram){ call, j, 0 });
    return;
  }
  void *const spare = cpu_product_by_rows(call, j);
  gram g = { call, j, CPU_MIN(j->c.rows / STRIPE_ROWS, MOST_STRIPES) };
  const double n = (double)j->c.rows;
  cpu_parallel_items(call, g.stripes, n * n * (double)j->a.cols / 16, one_stripe, &g);
  cpu_parallel_items(call, g.stripes, n * n, one_copy, &g);
  cpu_scratch_put(spare);
}
