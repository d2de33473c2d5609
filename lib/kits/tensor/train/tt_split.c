// SPDX-License-Identifier: BSD-3-Clause
/* A matrix as orthonormal columns times the rest, by its singular values, without a copy of the matrix.
 *
 * Layer: L4, tensor kit.
 *
 * Of a long matrix (as it is, or transposed) only a small square one is needed: its Gram matrix, or the triangle of its
 * orthogonal factors, which are taken a block of rows after the other. The Gram matrix has half the arithmetic and the rounding of
 * squares: with its vectors up to 2 r eps s_1^2 more is dropped than with the best (eps of the type, s_1 the largest singular
 * value), so it serves where a hundred times as much is dropped anyway.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include "kits/tensor/train/train.h"
#include <math.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 8 }; /* times the number of columns */

hed_array *hed__more_rows(hed_array *r, const hed_array *part)
{
  const hed_array *both[] = { r, part };
  hed_array *all = r && part ? hed_concatenate(2, both, 0) : hed__tensor_same(part), *next = NULL;
  if (!all || hed_qr(all, HED_QR_REDUCED, NULL, &next) != HED_OK)
    next = NULL;
  hed_keep(next);
  hed_release(r);
  return next;
}

/* The triangle of the orthogonal factors of a matrix with at least as many rows as columns: (columns, columns). */
static hed_array *triangle(const hed_array *tall)
{
  const hed_shape s = hed_array_shape(tall);
  const int64_t rows = s.dim[0], block = BLOCK_ROWS * s.dim[1];
  hed_array *r = NULL;
  for (int64_t at = 0; at < rows; at += block) {
    HED_SCOPE
      r = hed__more_rows(r, hed_slice(tall, 1, &HED_RANGE(at, at + block < rows ? at + block : rows, 1)));
    if (!r)
      return NULL;
  }
  return hed__tensor_given(r);
}

/* How many of the N squares, descending, stay: the fewest of which CUT lets go of the rest. */
static int64_t chosen(int64_t n, const double *squares, double floor, hed__cut *cut)
{
  const double allowed = fmax(cut->squares, floor);
  int64_t rank = n;
  cut->dropped = 0;
  while (rank > 1 && (cut->dropped + squares[rank - 1] <= allowed || (cut->most && rank > cut->most)))
    cut->dropped += squares[--rank];
  return rank;
}

/* Vectors of the chosen singular values from the Gram matrix of a real matrix; *BASIS stays NULL where it does not serve. */
static hed_status by_gram(const hed_array *a, bool wide, double floor, hed__cut *cut, hed_array **basis)
{
  hed_array *w = NULL, *v = NULL, *t = hed_matrix_transpose(a);
  if (hed__tensor_eigh(wide ? hed_matmul(a, t) : hed_matmul(t, a), &w, &v) != HED_OK)
    return hed_error();
  const int64_t n = hed_array_size(w);
  double *squares = malloc((size_t)n * sizeof *squares);
  hed_status status = squares ? hed_tolist(hed_flip(w, NULL), squares, n) : hed_fail(HED_E_NOMEM, "no memory for %lld numbers",
                                                                                     (long long)n);
  if (status == HED_OK) {
    for (int64_t i = 0; i < n; i++)
      squares[i] = fmax(squares[i], 0);
    const int64_t rank = chosen(n, squares, floor, cut);
    if (cut->dropped >= 200 * (double)rank * hed__tensor_epsilon(hed_array_dtype(a)) * squares[0]) {
      *basis = hed_flip(HED_GET(v, HED_WHOLE, HED_SLICE(n - rank, n, 1)), &HED_AXES(1));
      status = *basis ? HED_OK : hed_error();
    }
  }
  free(squares);
  return status;
}

/* The same from the triangle: the left vectors of a wide matrix, the right ones, as columns, of a tall one. */
static hed_status by_triangle(const hed_array *a, bool wide, double floor, hed__cut *cut, hed_array **basis)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  if (hed__tensor_svd(wide ? hed_matrix_transpose(triangle(hed_matrix_transpose(a))) : triangle(a), wide ? &u : NULL, &s,
                      wide ? NULL : &vh) != HED_OK)
    return hed_error();
  const int64_t n = hed_array_size(s);
  double *squares = malloc((size_t)n * sizeof *squares);
  hed_status status = squares ? hed_tolist(hed_square(s), squares, n) : hed_fail(HED_E_NOMEM, "no memory for %lld numbers",
                                                                                 (long long)n);
  if (status == HED_OK) {
    const int64_t rank = chosen(n, squares, floor, cut);
    hed_array *columns = wide ? u : hed__tensor_conj(hed_matrix_transpose(vh));
    *basis = HED_GET(columns, HED_WHOLE, HED_SLICE(0, rank, 1));
    status = *basis ? HED_OK : hed_error();
  }
  free(squares);
  return status;
}

hed_status hed__tt_split(const hed_array *a, double squares, hed__cut *cut, hed_array **left, hed_array **rest)
{
  if (!a)
    return hed_error();
  const hed_shape s = hed_array_shape(a);
  const bool wide = s.dim[0] <= s.dim[1], real = hed_dtype_kind(hed_array_dtype(a)) != HED_KIND_COMPLEX;
  const double eps = hed__tensor_epsilon(hed_array_dtype(a)) * 16;
  hed_array *basis = NULL;
  hed_status status = real ? by_gram(a, wide, eps * eps * squares, cut, &basis) : HED_OK;
  if (status == HED_OK && !basis)
    status = by_triangle(a, wide, eps * eps * squares, cut, &basis);
  if (status != HED_OK)
    return status;
  if (wide) {
    *left = basis;
    *rest = hed_matmul(hed__tensor_conj(hed_matrix_transpose(basis)), a);
  } else { /* a = (a v) v^H: a v is small, and its orthogonal factors are exact */
    hed_array *r = NULL;
    if (hed_qr(hed_matmul(a, basis), HED_QR_REDUCED, left, &r) != HED_OK)
      return hed_error();
    *rest = hed_matmul(r, hed__tensor_conj(hed_matrix_transpose(basis)));
  }
  return *left && *rest ? HED_OK : hed_error();
}
