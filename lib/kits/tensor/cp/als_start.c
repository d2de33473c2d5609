// SPDX-License-Identifier: BSD-3-Clause
/* Factors to begin with.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdlib.h>

hed_status hed__als_set_factor(hed__als *a, int mode, hed_array *x)
{
  hed_status status = hed__put(&a->factor[mode], x);
  return status == HED_OK ? hed__put(&a->gram[mode], hed__wide_gram(a->factor[mode], a->factor[mode])) : status;
}

/* SIDES[2 r] and SIDES[2 r + 1]: the norms of the positive and of the negative part of X along mode K times column r of U, some
 * columns at a time, so that little is held beside X. */
static hed_status other_sides(const hed__als *a, int k, const hed_array *u, int64_t n, double *sides)
{
  const int64_t extent = hed_array_shape(a->work).dim[k], most = extent < 64 ? 1 : extent < 2048 ? extent / 32 : 64;
  hed_reduce rest = { .axes = { 0, { 0 } } };
  hed_status status = HED_OK;
  for (int m = 0; m < a->order; m++)
    if (m != k)
      rest.axes.axis[rest.axes.n++] = m;
  for (int64_t r = 0; r < n && status == HED_OK; r += most)
    for (int side = 0; side < 2 && status == HED_OK; side++)
      HED_SCOPE_OR(return hed_error()) {
        double norm[64];
        const int64_t end = r + most < n ? r + most : n;
        hed_array *some = hed_slice(u, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(r, end, 1) });
        hed_array *y = some ? hed_mode_dot(a->work, side ? hed_negative(some) : some, k, true) : NULL;
        status = y ? hed_maximum_scalar_into(y, y, 0) : hed_error();
        hed_array *norms = status == HED_OK ? hed_vector_norm(y, 2, &rest) : NULL;
        if (status == HED_OK)
          status = norms ? hed_tolist(norms, norm, end - r) : hed_error();
        for (int64_t i = r; i < end && status == HED_OK; i++)
          sides[2 * i + side] = norm[i - r];
      }
  return status;
}

/* The leading vectors V (I, n) become vectors without negative entries: of the two pairs of positive parts that a pair of singular
 * vectors has, the larger one, with the root of its size. Zeros become the mean, or multiplicative updates could not leave them. */
static void take_positive(double *v, int64_t rows, int64_t n, const double *sides)
{
  double sum = 0;
  for (int64_t r = 0; r < n; r++) {
    double norm[2] = { 0, 0 };
    for (int64_t i = 0; i < rows; i++)
      norm[v[i * n + r] < 0] += v[i * n + r] * v[i * n + r];
    const double up = sqrt(norm[0]) * sides[2 * r], down = sqrt(norm[1]) * sides[2 * r + 1], sign = down > up ? -1 : 1;
    const double length = sqrt(norm[down > up]), by = length > 0 ? sign * sqrt(fmax(up, down)) / length : 0;
    for (int64_t i = 0; i < rows; i++) {
      v[i * n + r] = fmax(v[i * n + r] * by, 0);
      sum += v[i * n + r];
    }
  }
  for (int64_t i = 0; i < rows * n; i++)
    v[i] = v[i] > 0 ? v[i] : sum / (double)(rows * n);
}

/* From the leading vectors U (I, n) of mode K as many without negative entries. (C. Boutsidis, E. Gallopoulos, Pattern Recognition 41
 * (2008) 1350-1362.) */
static hed_array *positive_parts(const hed__als *a, int k, const hed_array *u)
{
  const hed_shape s = hed_array_shape(u);
  double *v = malloc((size_t)(s.dim[0] * s.dim[1]) * sizeof *v), *sides = malloc((size_t)(2 * s.dim[1]) * sizeof *sides);
  hed_array *out = NULL;
  if (!v || !sides)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld numbers", a->op, (long long)(s.dim[0] * s.dim[1]));
  else if (hed_tolist(u, v, s.dim[0] * s.dim[1]) == HED_OK && other_sides(a, k, u, s.dim[1], sides) == HED_OK) {
    take_positive(v, s.dim[0], s.dim[1], sides);
    out = hed_from_doubles(v, s, hed_array_dtype(u));
  }
  free(v);
  free(sides);
  return out;
}

/* Eigenvectors of the Gram matrix of mode K, largest first, and columns of NOISE (I, R) after the last one. */
static hed_array *leading(const hed__als *a, int k, const hed_array *noise, bool positive)
{
  const int64_t extent = hed_array_shape(a->work).dim[k], n = extent < a->rank ? extent : a->rank;
  hed_array *first = hed__tensor_leading(hed__gram_of_mode(a->work, k), n);
  if (first && positive)
    first = positive_parts(a, k, first);
  if (n == a->rank)
    return hed_copy(first);
  hed_array *more = hed_slice(noise, 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(n, HED_SLICE_END, 1) });
  return first && more ? hed_concatenate(2, (const hed_array *const[]){ first, more }, 1) : NULL;
}

/* A component without entries in a mode: coordinate descent leaves it so where what the others leave of X has no part along its
 * columns, which says nothing of other columns. It gets some along what the model lacks, the leading vectors of that times random
 * numbers (of few entries random ones), but zeros in the mode that is next, so that the model stays. */
hed_status hed__als_revive(hed__als *a, hed_generator *random, bool *revived)
{
  hed_status status = HED_OK;
  hed_cp noise = { 0 };
  bool first = true;
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *alive = hed_ones(HED_SHAPE(a->rank), HED_BOOL);
    int64_t living = a->rank;
    for (int k = 0; k < a->order && alive; k++)
      if ((a->nonnegative & ~a->fixed) >> k & 1U)
        alive = hed_logical_and(alive, hed_greater_scalar(hed__column_norms(a->factor[k]), 0));
    hed_array *count = alive ? hed_count_nonzero(alive, NULL) : NULL;
    status = count ? hed_item_int(count, &living) : hed_error();
    if (status == HED_OK && living < a->rank)
      status = hed_cp_random(a->shape, a->rank, a->type, false, &(hed_random){ .generator = random }, &noise);
    const hed_cp model = hed__als_model(a);
    hed_array *more = living == a->rank || a->coo ? NULL : hed_maximum_scalar(hed_subtract(a->work, hed_cp_full(&model)), 0);
    for (int k = 0; k < a->order && status == HED_OK && living < a->rank; k++)
      if (!(a->fixed >> k & 1U)) {
        hed_array *column = more ? hed_abs(hed__tensor_leading(hed__gram_of_mode(more, k), 1)) : NULL;
        hed_array *anew = column ? hed_multiply(column, noise.factor[k]) : noise.factor[k];
        status = hed__als_set_factor(a, k, first ? hed_where_scalar(alive, a->factor[k], 0) : hed_where(alive, a->factor[k], anew));
        first = false;
      }
  }
  hed_cp_clear(&noise);
  *revived = status == HED_OK && !first;
  return status;
}

hed_status hed__als_start(hed__als *a, int64_t k, const hed_generator *random)
{
  const hed_cp *given = k == 0 || a->fixed ? a->opt->start : NULL;
  const uint32_t positive = a->nonnegative | a->modes.positive;
  const bool normal = hed_dtype_kind(a->type) == HED_KIND_COMPLEX || a->opt->start_by == HED_START_NORMAL ||
                      (a->opt->start_by == HED_START_SVD && !positive && !a->coo);
  hed_generator g = *random;
  const hed_random draw = { .generator = &g };
  hed_cp noise = { 0 };
  hed_status status = hed_cp_random(a->shape, a->rank, a->type, normal, &draw, &noise);
  if (status == HED_OK)
    status = hed__als_first_guess(a, k == 0 ? given : NULL);
  HED_SCOPE_OR(status = hed_error()) {
    for (int m = 0; m < a->order && status == HED_OK; m++) {
      hed_array *f = NULL;
      if (given && (k == 0 || a->fixed >> m & 1U)) {
        f = hed_asarray(given->factor[m], a->type);
        if (m == (a->last < 0 ? 0 : a->last) && given->weights)
          f = hed_multiply(f, hed_asarray(given->weights, a->type));
        f = f ? hed__tensor_scaled(f, -a->power[m]) : NULL;
      } else if (a->opt->start_by == HED_START_SVD && k == 0 && !a->coo) {
        f = leading(a, m, noise.factor[m], positive >> m & 1U);
      } else {
        f = hed__tensor_same(noise.factor[m]);
      }
      if (f && positive >> m & 1U)
        f = hed_abs(f);
      status = hed__als_set_factor(a, m, f);
    }
  }
  hed_cp_clear(&noise);
  return status;
}
