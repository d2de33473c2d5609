// SPDX-License-Identifier: BSD-3-Clause
/* The least-squares factor for the others as they are: of all rows at once, row by row, without negative entries.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include <math.h>
#include <stdlib.h>

/* 1 / w where w is above LEAST, else 0. */
static hed_array *inverse_above(const hed_array *w, const hed_array *least)
{
  return w && least ? hed_divide_where(hed_greater(w, least), hed_ones_like(w), w, 0) : NULL;
}

/* X (.., R, 1) of minimum norm with G X = M, for G (.., R, R) whose eigenvalues below R EPSILON of the largest count as 0. */
static hed_array *minimum_norm(const hed_array *g, const hed_array *m, double epsilon)
{
  hed_array *w = NULL, *v = NULL;
  if (!g || !m || hed_eigh(g, false, &w, &v) != HED_OK)
    return NULL;
  hed_array *most = hed_max(w, &(hed_reduce){ .axes = HED_AXES(-1), .keepdims = true });
  const double share = epsilon * (double)hed_array_shape(w).dim[hed_array_ndim(w) - 1];
  hed_array *inverse = inverse_above(w, hed_maximum_scalar(hed_multiply_scalar(most, share), 0));
  hed_array *turned = hed_matmul(hed_matrix_transpose(hed__tensor_conj(v)), m);
  return hed_matmul(v, hed_multiply(turned, hed_expand_dims(inverse, -1)));
}

/* The Cholesky factor of G, where it is far enough from singular for numbers of precision EPSILON; NULL without an error where it
 * is not. A device may notice only when the numbers are fetched. */
static hed_array *safe_cholesky(const hed_array *g, double epsilon, hed_status *status)
{
  const int64_t n = hed_array_shape(g).dim[0];
  double least = 0, most = 0, *d = malloc((size_t)n * sizeof *d);
  hed_array *l = d ? hed_cholesky(g, false) : NULL, *diagonal = l ? hed_abs(hed_diag(l, 0)) : NULL;
  *status = !d ? hed_fail(HED_E_NOMEM, "cp: no memory for %lld numbers", (long long)n)
               : diagonal ? hed_tolist(diagonal, d, n) : hed_error();
  for (int64_t k = 0; k < n && *status == HED_OK; k++) {
    least = k == 0 || d[k] < least ? d[k] : least;
    most = d[k] > most ? d[k] : most;
  }
  free(d);
  if (*status == HED_E_SINGULAR || *status == HED_E_ASYNC) {
    hed_error_clear();
    *status = HED_OK;
    return NULL;
  }
  return *status == HED_OK && least * least > 16 * epsilon * most * most ? l : NULL;
}

hed_array *hed__solve_gram(const hed_array *g, const hed_array *m, double epsilon)
{
  hed_status status = HED_OK;
  if (!g || !m)
    return NULL;
  hed_array *right = hed_astype(hed_transpose(m, NULL), hed_array_dtype(g));
  hed_array *l = right ? safe_cholesky(g, epsilon, &status) : NULL, *x = NULL;
  if (!right || status != HED_OK)
    return NULL;
  if (l)
    x = hed_solve_triangular(l, hed_solve_triangular(l, right, NULL), &(hed_triangular){ .form = HED_ADJOINT });
  else
    x = minimum_norm(g, right, epsilon);
  return hed_astype(hed_transpose(x, NULL), hed_array_dtype(m));
}

/* G with L added to its diagonal. */
static hed_array *with_ridge(const hed_array *g, double l)
{
  return g && l > 0 ? hed_add(g, hed_multiply_scalar(hed_eye(hed_array_shape(g).dim[0], hed_array_shape(g).dim[0], 0,
                                                             hed_array_dtype(g)), l)) : hed__tensor_same(g);
}

hed_array *hed__update_least_squares(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g)
{
  (void)arg;
  if (a->nonnegative >> mode & 1U)
    return hed__hals(a->factor[mode], m, g, 5, 0, a->opt->l2);
  return hed__solve_gram(with_ridge(g, a->opt->l2), m, a->epsilon);
}

/* ---- rows by themselves ---- */

/* Row i of the result: all products a_ir conj(a_is), (I, R R). */
static hed_array *row_pairs(const hed_array *f, int64_t rank)
{
  hed_array *pairs = hed_multiply(hed_expand_dims(f, 2), hed_expand_dims(hed__tensor_conj(f), 1));
  return pairs ? hed_reshape(pairs, HED_SHAPE(hed_array_shape(f).dim[0], rank * rank)) : NULL;
}

hed_status hed__update_weighted(hed__als *a, int mode)
{
  hed_array *pairs[HED_MAX_NDIM] = { NULL }, *products[HED_MAX_NDIM] = { NULL }, *grams[HED_MAX_NDIM] = { NULL };
  hed__tree known;
  hed_status status = hed__tree_sweep(&a->tree, a->factor, 1U << mode, hed__tree_collect, products);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *ones = hed_astype(a->mask, a->type);
    bool good = ones && status == HED_OK;
    for (int k = 0; k < a->order && good; k++)
      good = (pairs[k] = row_pairs(a->factor[k], a->rank)) != NULL;
    if (good) {
      hed__tree_plant(ones, &known);
      status = hed__tree_sweep(&known, pairs, 1U << mode, hed__tree_collect, grams);
    } else if (status == HED_OK) {
      status = hed_error();
    }
    if (status == HED_OK) {
      const hed_dtype wide = hed__tensor_wide(a->type);
      const hed_array *m = products[mode];
      const int64_t rows = hed_array_shape(m).dim[0];
      hed_array *square = hed_astype(hed_reshape(grams[mode], HED_SHAPE(rows, a->rank, a->rank)), wide);
      hed_array *right = hed_expand_dims(hed_astype(m, wide), 2);
      hed_array *ridge = a->opt->l2 > 0 ? hed_multiply_scalar(hed_eye(a->rank, a->rank, 0, wide), a->opt->l2) : NULL;
      if (a->opt->l2 > 0)
        square = ridge ? hed_add(square, ridge) : NULL;
      hed_array *x = minimum_norm(square, right, a->epsilon);
      status = hed__als_set_factor(a, mode, x ? hed_astype(hed_reshape(x, HED_SHAPE(rows, a->rank)), a->type) : NULL);
    }
  }
  hed_release(products[mode]);
  hed_release(grams[mode]);
  return status;
}

/* ---- without negative entries ---- */

/* The elements of X (real) from malloc(). */
static double *elements(const hed_array *x)
{
  const int64_t n = hed_array_size(x);
  double *v = x ? malloc((size_t)(n > 0 ? n : 1) * sizeof *v) : NULL;
  if (x && !v)
    (void)hed_fail(HED_E_NOMEM, "cp: no memory for %lld numbers", (long long)n);
  if (v && hed_tolist(x, v, n) != HED_OK) {
    free(v);
    v = NULL;
  }
  return v;
}

enum { LANES = 8 };

/* INNER passes over LANES rows side by side; X and M: (rank, LANES). */
static void hals_lanes(double *x, const double *m, const double *g, int64_t rank, int inner, double l1, double ridge)
{
  double down[LANES];
  for (int pass = 0; pass < inner; pass++)
    for (int64_t r = 0; r < rank; r++) {
      const double curve = g[r * rank + r] + ridge;
      for (int k = 0; k < LANES; k++)
        down[k] = m[r * LANES + k] - l1 / 2;
      for (int64_t s = 0; s < rank; s++) {
        const double by = g[s * rank + r], *other = x + s * LANES;
        for (int k = 0; k < LANES && s != r; k++)
          down[k] -= other[k] * by;
      }
      for (int k = 0; k < LANES && curve > 0; k++)
        x[r * LANES + k] = down[k] > 0 ? down[k] / curve : 0;
    }
}

/* The rows do not depend on each other, and each is small: they are done on the host, in double precision, some at a time. */
hed_array *hed__hals(const hed_array *a, const hed_array *m, const hed_array *g, int inner, double l1, double ridge)
{
  double *x = elements(a), *mm = x ? elements(m) : NULL, *gg = mm ? elements(g) : NULL, *lanes = NULL;
  const int64_t rank = hed_array_shape(g).dim[0], rows = hed_array_shape(a).dim[0];
  hed_array *out = NULL;
  if (gg && !(lanes = calloc((size_t)(2 * rank * LANES), sizeof *lanes)))
    (void)hed_fail(HED_E_NOMEM, "cp: no memory for %lld numbers", (long long)(2 * rank * LANES));
  for (int64_t first = 0; lanes && first < rows; first += LANES) {
    const int64_t n = rows - first < LANES ? rows - first : LANES;
    double *lx = lanes, *lm = lanes + rank * LANES;
    for (int64_t k = 0; k < n * rank; k++) {
      lx[k % rank * LANES + k / rank] = x[first * rank + k];
      lm[k % rank * LANES + k / rank] = mm[first * rank + k];
    }
    hals_lanes(lx, lm, gg, rank, inner, l1, ridge);
    for (int64_t k = 0; k < n * rank; k++)
      x[first * rank + k] = lx[k % rank * LANES + k / rank];
  }
  if (lanes)
    out = hed_from_doubles(x, HED_SHAPE(rows, rank), hed_array_dtype(a));
  free(lanes);
  free(x);
  free(mm);
  free(gg);
  return out;
}
