// SPDX-License-Identifier: BSD-3-Clause
/* Least squares by triangles. L3.
 *
 * m >= n: the triangle r of [a b] has that of a, r1, in its first n columns; beside it is z = q^H b, and below z what no x
 * reaches, so that x = r1^-1 z and q is never made. m < n: a^H = q r, and x = q r^-H b has the least norm.
 *
 * That the rank is full is known from the norms of r1 and its inverse, which say how far apart singular values are at most,
 * or else from the singular values of r1. Whatever else there is (a rank that is not full or in doubt, what is not finite,
 * many right-hand sides) is left to the decomposition, and so are real matrices of very many rows, which it brings to a triangle
 * by itself.
 */
#include "composite/lstsq.h"

#include "base/dtype.h"
#include "core/array/array.h"
#include <float.h>
#include <heddle/error.h>
#include <heddle/ops.h>

enum { ROWS = 32 }; /* for each column, above which the decomposition takes no longer */

static const hed_axes last_axis = { 1, { -1 } };

/* Rows from ROW and columns from COLUMN on of the last two axes, ROWS x COLUMNS of them; NULL in, NULL out. */
static hed_array *block(const hed_array *x, int64_t row, int64_t column, int64_t rows, int64_t columns)
{
  if (!x)
    return NULL;
  hed_view v = x->view;
  const int32_t r = v.ndim - 2, c = v.ndim - 1;
  v.data = (char *)v.data + row * v.stride[r] + column * v.stride[c];
  v.dim[r] = rows;
  v.dim[c] = columns;
  return hed__array_view(x, &v);
}

/* Is a condition true everywhere; as hed_item in what is returned. */
static hed_status holds(const hed_array *condition, bool *answer)
{
  int64_t value = 0;
  const hed_status status = hed_item_int(hed_all(condition, NULL), &value);
  *answer = value != 0;
  return status;
}

/* The axes before the last two are the same for both. */
static bool same_batch(const hed_array *a, const hed_array *b)
{
  bool same = a->view.ndim == b->view.ndim;
  for (int32_t k = 0; same && k < a->view.ndim - 2; k++)
    same = a->view.dim[k] == b->view.dim[k];
  return same;
}

/* The smallest of what is on the diagonal is not below the smallest singular value, the largest not above the largest. */
static hed_array *diagonal_allows(const hed_array *r, double least)
{
  const hed_reduce last = { .axes = last_axis };
  hed_array *d = hed_abs(hed_diagonal(r, 0, -2, -1));
  return hed_greater(hed_min(d, &last), hed_multiply_scalar(hed_max(d, &last), least));
}

static hed_array *values_allow(const hed_array *s, int64_t n, double least)
{
  return hed_greater(hed_index(s, -1, n - 1), hed_multiply_scalar(hed_index(s, -1, 0), least));
}

hed_status hed__least_squares_by_triangle(hed__least_squares *p, bool *done)
{
  const hed_view *a = &p->a->view, *b = &p->b->view;
  const int64_t m = a->dim[a->ndim - 2], n = a->dim[a->ndim - 1], k = b->dim[b->ndim - 1], small = m < n ? m : n;
  const hed_reduce matrix = { .axes = { 2, { -2, -1 } } };
  const bool tall = m >= n;
  bool may = false;
  *done = false;
  if (hed_array_size(p->a) == 0 || hed_array_size(p->b) == 0 || (tall ? k > n / 2 + 1 || !same_batch(p->a, p->b) : k > m)
      || (m > ROWS * n && hed__id_kind(a->dtype) != HED_KIND_COMPLEX))
    return HED_OK;
  hed_status status = holds(hed_isfinite(p->b), &may);
  if (status != HED_OK || !may)
    return status;
  const bool wide_type = a->dtype == HED_ID_FLOAT64 || a->dtype == HED_ID_COMPLEX128;
  const double precision = (wide_type ? DBL_EPSILON : (double)FLT_EPSILON) * (double)(m > n ? m : n);
  const double least = p->rcond > precision ? p->rcond : precision;

  hed_array *q = NULL, *r = NULL;
  const hed_array *const both[2] = { p->a, p->b };
  if (hed_qr(tall ? hed_concatenate(2, both, -1) : hed_conj(hed_moveaxis(p->a, -1, -2)), HED_QR_REDUCED, tall ? NULL : &q, &r)
      != HED_OK)
    return hed_error();
  hed_array *r1 = block(r, 0, 0, small, small);
  status = holds(diagonal_allows(r1, least), &may);
  if (status != HED_OK || !may)
    return status;
  hed_array *inverse = hed_solve_triangular(r1, hed_eye(small, small, 0, hed_array_dtype(r1)), &(hed_triangular){ .upper = true });
  hed_array *apart = hed_multiply(hed_vector_norm(r1, 2, &matrix), hed_vector_norm(inverse, 2, &matrix));
  status = holds(hed_less(apart, hed_scalar(1 / (4 * least))), &may);
  if (status == HED_OK && (p->values || !may))
    p->s = hed_svdvals(r1);
  if (status == HED_OK && !may)
    status = holds(values_allow(p->s, small, least), &may);
  if (status != HED_OK || !may)
    return status;

  p->x = tall ? hed_solve_triangular(r1, block(r, 0, n, n, k), &(hed_triangular){ .upper = true })
              : hed_matmul(q, hed_solve_triangular(r1, p->b, &(hed_triangular){ .upper = true, .form = HED_ADJOINT }));
  if (m > n) {
    hed_array *rest = block(r, n, n, (m < n + k ? m : n + k) - n, k);
    p->residuals = hed_sum(hed_square(hed_abs(rest)), &(hed_reduce){ .axes = { 1, { -2 } } });
  }
  *done = true;
  return p->x && (p->s || !p->values) && (p->residuals || m <= n) ? HED_OK : hed_error();
}
