// SPDX-License-Identifier: BSD-3-Clause
/* Matrix products, batched over leading axes. Floats and complex numbers are summed in double, integers and bool in 64
 * bits (wrapping to the result's width gives the wrapped sum; bool: some product is not 0). L1.
 *
 * The result is made in tiles of ROWS x COLUMNS over panels of DEPTH, converted and padded with zeros, so that the
 * inner loop has constant bounds. A complex product is four real ones of its parts.
 */
#include "backends/reference/number.h"

#include <string.h>

enum { ROWS = 32, COLUMNS = 64, DEPTH = 128, PARTS = 2 };

typedef struct tiles {
  double a[PARTS][ROWS][DEPTH], b[PARTS][DEPTH][COLUMNS], c[PARTS][ROWS][COLUMNS];
} tiles;

typedef struct integer_tiles {
  uint64_t a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS];
} integer_tiles;

/* c += a b for the first M rows. Four steps of the sum at a time; DEPTH is a multiple of four. */
static void multiply(int m, double (*restrict c)[COLUMNS], double (*restrict a)[DEPTH], double (*restrict b)[COLUMNS])
{
  for (int i = 0; i < m; i++)
    for (int k = 0; k < DEPTH; k += 4) {
      const double a0 = a[i][k], a1 = a[i][k + 1], a2 = a[i][k + 2], a3 = a[i][k + 3];
      for (int j = 0; j < COLUMNS; j++)
        c[i][j] += (a0 * b[k][j] + a1 * b[k + 1][j]) + (a2 * b[k + 2][j] + a3 * b[k + 3][j]);
    }
}

static void multiply_integers(int m, integer_tiles *t)
{
  for (int i = 0; i < m; i++)
    for (int k = 0; k < DEPTH; k++) {
      const uint64_t a = t->a[i][k];
      for (int j = 0; j < COLUMNS; j++)
        t->c[i][j] += a * t->b[k][j];
    }
}

/* Two axes of a view at a position of the batch. */
typedef struct matrix {
  char *data;
  int64_t rows, columns, row_step, column_step;
  int dtype;
} matrix;

static matrix matrix_of(const hed_view *v, char *data)
{
  const int32_t r = v->ndim - 2, c = v->ndim - 1;
  return (matrix){ data, v->dim[r], v->dim[c], v->stride[r], v->stride[c], v->dtype };
}

/* M x N elements from (R, C) of X as WIDE (8 bytes each, rows of STEP) with zeros up to HEIGHT x STEP. */
static void load(const matrix *x, int64_t r, int64_t c, int m, int n, int wide, void *to, int height, int step)
{
  hed__cast_fn cast = hed__cast(x->dtype, wide);
  char *p = to;
  memset(to, 0, (size_t)height * (size_t)step * 8);
  for (int i = 0; i < m; i++)
    cast(n, p + (int64_t)i * step * 8, 8, x->data + (r + i) * x->row_step + c * x->column_step, x->column_step);
}

/* Real and imaginary parts apart. */
static void load_parts(const matrix *x, int64_t r, int64_t c, int m, int n, double *re, double *im, int height,
                       int step)
{
  hed__cast_fn cast = hed__cast(x->dtype, HED_ID_COMPLEX128);
  ref_complex line[DEPTH];
  memset(re, 0, (size_t)height * (size_t)step * sizeof *re);
  memset(im, 0, (size_t)height * (size_t)step * sizeof *im);
  for (int i = 0; i < m; i++) {
    cast(n, (char *)line, sizeof *line, x->data + (r + i) * x->row_step + c * x->column_step, x->column_step);
    for (int j = 0; j < n; j++) {
      re[i * step + j] = line[j].re;
      im[i * step + j] = line[j].im;
    }
  }
}

static int least(int64_t a, int b) { return a < b ? (int)a : b; }

static void product_real(tiles *t, const matrix *a, const matrix *b, const matrix *c)
{
  hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, c->dtype);
  for (int64_t j = 0; j < c->columns; j += COLUMNS)
    for (int64_t i = 0; i < c->rows; i += ROWS) {
      const int m = least(c->rows - i, ROWS), n = least(c->columns - j, COLUMNS);
      memset(t->c[0], 0, sizeof t->c[0]);
      for (int64_t k = 0; k < a->columns; k += DEPTH) {
        const int d = least(a->columns - k, DEPTH);
        load(a, i, k, m, d, HED_ID_FLOAT64, t->a[0], ROWS, DEPTH);
        load(b, k, j, d, n, HED_ID_FLOAT64, t->b[0], DEPTH, COLUMNS);
        multiply(m, t->c[0], t->a[0], t->b[0]);
      }
      for (int r = 0; r < m; r++)
        cast(n, c->data + (i + r) * c->row_step + j * c->column_step, c->column_step, (char *)t->c[0][r], 8);
    }
}

static void product_complex(tiles *t, const matrix *a, const matrix *b, const matrix *c)
{
  hed__cast_fn cast = hed__cast(HED_ID_COMPLEX128, c->dtype);
  for (int64_t j = 0; j < c->columns; j += COLUMNS)
    for (int64_t i = 0; i < c->rows; i += ROWS) {
      const int m = least(c->rows - i, ROWS), n = least(c->columns - j, COLUMNS);
      memset(t->c, 0, sizeof t->c);
      for (int64_t k = 0; k < a->columns; k += DEPTH) {
        const int d = least(a->columns - k, DEPTH);
        load_parts(a, i, k, m, d, t->a[0][0], t->a[1][0], ROWS, DEPTH);
        load_parts(b, k, j, d, n, t->b[0][0], t->b[1][0], DEPTH, COLUMNS);
        multiply(m, t->c[0], t->a[0], t->b[0]);
        multiply(m, t->c[1], t->a[0], t->b[1]);
        multiply(m, t->c[1], t->a[1], t->b[0]);
        for (int r = 0; r < m; r++)
          for (int q = 0; q < DEPTH; q++)
            t->a[1][r][q] = -t->a[1][r][q];
        multiply(m, t->c[0], t->a[1], t->b[1]);
      }
      for (int r = 0; r < m; r++) {
        ref_complex line[COLUMNS];
        for (int q = 0; q < n; q++)
          line[q] = (ref_complex){ t->c[0][r][q], t->c[1][r][q] };
        cast(n, c->data + (i + r) * c->row_step + j * c->column_step, c->column_step, (char *)line, sizeof *line);
      }
    }
}

static void product_integer(integer_tiles *t, const matrix *a, const matrix *b, const matrix *c)
{
  hed__cast_fn cast = hed__cast(HED_ID_UINT64, c->dtype);
  const int wide_a = a->dtype == HED_ID_UINT64 ? HED_ID_UINT64 : HED_ID_INT64;
  const int wide_b = b->dtype == HED_ID_UINT64 ? HED_ID_UINT64 : HED_ID_INT64;
  for (int64_t j = 0; j < c->columns; j += COLUMNS)
    for (int64_t i = 0; i < c->rows; i += ROWS) {
      const int m = least(c->rows - i, ROWS), n = least(c->columns - j, COLUMNS);
      memset(t->c, 0, sizeof t->c);
      for (int64_t k = 0; k < a->columns; k += DEPTH) {
        const int d = least(a->columns - k, DEPTH);
        load(a, i, k, m, d, wide_a, t->a, ROWS, DEPTH);
        load(b, k, j, d, n, wide_b, t->b, DEPTH, COLUMNS);
        multiply_integers(m, t);
      }
      for (int r = 0; r < m; r++)
        cast(n, c->data + (i + r) * c->row_step + j * c->column_step, c->column_step, (char *)t->c[r], 8);
    }
}

REF_KERNEL(matmul)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  const int32_t ndim = views[0]->ndim;
  const bool complex_sum = call->compute == HED_ID_COMPLEX64 || call->compute == HED_ID_COMPLEX128;
  const bool integer_sum = call->compute < HED_ID_FLOAT16;
  void *work;
  ref_walk w;
  if (ndim < 2 || views[1]->ndim != ndim || views[2]->ndim != ndim)
    return ref_host(state)->fail(HED_E_SHAPE, "matmul: operands of %d and %d axes and a result of %d",
                                 (int)views[1]->ndim, (int)views[2]->ndim, (int)ndim);
  work = ref_alloc(state, "matmul", 1, integer_sum ? sizeof(integer_tiles) : sizeof(tiles));
  if (!work)
    return HED_E_NOMEM;
  for (ref_walk_init(&w, 3, views, 3u << (ndim - 2)); w.left > 0; ref_walk_next(&w)) {
    const matrix c = matrix_of(views[0], w.ptr[0]), a = matrix_of(views[1], w.ptr[1]), b = matrix_of(views[2], w.ptr[2]);
    if (complex_sum)
      product_complex(work, &a, &b, &c);
    else if (integer_sum)
      product_integer(work, &a, &b, &c);
    else
      product_real(work, &a, &b, &c);
  }
  ref_free(state, work);
  return HED_OK;
}
