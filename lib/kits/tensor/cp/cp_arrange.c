// SPDX-License-Identifier: BSD-3-Clause
/* The same CP tensor with other factors: norms, order, signs.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdlib.h>

/* X with column r times v_r, in X's type. */
static hed_array *columns_times(const hed_array *x, const hed_array *v)
{
  return x && v ? hed_multiply(x, hed_astype(v, hed_array_dtype(x))) : NULL;
}

hed_status hed_cp_normalise(hed_cp *c)
{
  hed_status status = hed__cp_fits("hed_cp_normalise", c, NULL);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_cp made = { .order = c->order, .rank = c->rank };
    hed_array *weights = hed__cp_weights(c), *size = weights ? hed_abs(weights) : NULL;
    const hed_dtype real = hed_array_dtype(size);
    for (int k = 0; k < c->order; k++) {
      hed_array *norms = hed__column_norms(c->factor[k]);
      size = hed_multiply(size, norms);
      made.factor[k] = columns_times(c->factor[k], hed__inverse_or_one(norms));
    }
    const int last = c->order - 1;
    hed_array *sign = hed_sign(weights);
    sign = sign ? hed_where(hed_equal_scalar(sign, 0), hed_ones_like(sign), sign) : NULL;
    made.factor[last] = columns_times(made.factor[last], sign);
    made.weights = size ? hed_astype(size, real) : NULL;
    status = hed__cp_replace(HED_OK, &made, true, c);
  }
  return status;
}

/* Columns of C in ORDER (int64), each of factor k times phase[k][r] where there is one. */
static hed_status reorder(hed_cp *c, const hed_array *order)
{
  hed_cp made = { .order = c->order, .rank = c->rank };
  for (int k = 0; k < c->order; k++)
    made.factor[k] = order ? hed_take(c->factor[k], order, 1) : NULL;
  if (c->weights)
    made.weights = order ? hed_take(c->weights, order, 0) : NULL;
  return hed__cp_replace(HED_OK, &made, c->weights != NULL, c);
}

hed_status hed_cp_arrange(hed_cp *c)
{
  hed_status status = hed__cp_fits("hed_cp_arrange", c, NULL);
  if (status != HED_OK || !c->weights)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *size = hed_negative(hed_abs(c->weights));
    status = reorder(c, size ? hed_argsort(size, NULL) : NULL);
  }
  return status;
}

/* For each column the conjugated sign of its largest entry, 1 for a column of zeros. */
static hed_array *turn(const hed_array *x)
{
  hed_array *at = hed_argmax(hed_abs(x), &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true });
  hed_array *sign = hed_sign(hed_squeeze(hed_take_along_axis(x, at, 0), &HED_AXES(0)));
  return sign ? hed__tensor_conj(hed_where(hed_equal_scalar(sign, 0), hed_ones_like(sign), sign)) : NULL;
}

hed_status hed_cp_fix_signs(hed_cp *c)
{
  hed_status status = hed__cp_fits("hed_cp_fix_signs", c, NULL);
  if (status != HED_OK || c->order < 2)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_cp made = { .order = c->order, .rank = c->rank };
    const int last = c->order - 1;
    made.factor[last] = hed__tensor_same(c->factor[last]);
    for (int k = 0; k < last; k++) {
      hed_array *phase = turn(c->factor[k]);
      made.factor[k] = hed_multiply(c->factor[k], phase);
      made.factor[last] = phase ? hed_multiply(made.factor[last], hed__tensor_conj(phase)) : NULL;
    }
    made.weights = c->weights ? hed__tensor_same(c->weights) : NULL;
    status = hed__cp_replace(HED_OK, &made, c->weights != NULL, c);
  }
  return status;
}

/* X with columns of norm 1 in the wide type; columns of zeros stay. */
static hed_array *unit(const hed_array *x)
{
  hed_array *wide = hed_astype(x, hed__tensor_wide(hed_array_dtype(x)));
  return wide ? hed_multiply(wide, hed__inverse_or_one(hed__column_norms(wide))) : NULL;
}

/* Which column of C comes first, second, ..: partners of TO's components in their order, then the others. */
static void order_of(int64_t rank, int64_t n_to, const int64_t *partner, int64_t *order)
{
  int64_t n = 0;
  for (int64_t r = 0; r < n_to; r++)
    if (partner[r] >= 0)
      order[n++] = partner[r];
  for (int64_t s = 0; s < rank; s++) {
    bool taken = false;
    for (int64_t r = 0; r < n_to && !taken; r++)
      taken = partner[r] == s;
    if (!taken)
      order[n++] = s;
  }
}

/* For each component of TO its partner of C or -1, from the assignment. */
static hed_status partners(const hed_cp *c, const hed_cp *to, const hed_array *congruence, int64_t *partner)
{
  hed_array *rows = NULL, *columns = NULL;
  hed_status status = congruence ? hed_linear_sum_assignment(congruence, true, &rows, &columns) : hed_error();
  const int64_t n = to->rank < c->rank ? to->rank : c->rank;
  int64_t *pairs = malloc(2 * (size_t)n * sizeof *pairs);
  if (status == HED_OK && !pairs)
    status = hed_fail(HED_E_NOMEM, "hed_cp_align: no memory for %lld components", (long long)n);
  if (status == HED_OK && (status = hed_to_host(rows, pairs, (size_t)n * sizeof *pairs)) == HED_OK)
    status = hed_to_host(columns, pairs + n, (size_t)n * sizeof *pairs);
  for (int64_t r = 0; r < to->rank; r++)
    partner[r] = -1;
  for (int64_t k = 0; k < n && status == HED_OK; k++)
    partner[pairs[k]] = pairs[n + k];
  free(pairs);
  return status;
}

/* Phases that bring the columns of C nearest to those of TO: of all factors but the last, which takes up the rest. */
static hed_status follow_signs(hed_cp *c, const hed_cp *to)
{
  hed_cp made = { .order = c->order, .rank = c->rank };
  const int last = c->order - 1;
  const int64_t n = to->rank < c->rank ? to->rank : c->rank;
  made.factor[last] = hed__tensor_same(c->factor[last]);
  for (int k = 0; k < last; k++) {
    const hed_slice_range part[2] = { HED_ALL, HED_RANGE(0, n, 1) };
    hed_array *mine = hed_slice(c->factor[k], 2, part), *theirs = hed_slice(to->factor[k], 2, part);
    hed_array *sign = hed_sign(hed_vecdot(mine, theirs, 0));
    sign = sign ? hed_where(hed_equal_scalar(sign, 0), hed_ones_like(sign), sign) : NULL;
    if (sign && c->rank > n)
      sign = hed_pad(sign, HED_SHAPE(0), HED_SHAPE(c->rank - n), 1);
    made.factor[k] = columns_times(c->factor[k], sign);
    made.factor[last] = sign ? columns_times(made.factor[last], hed__tensor_conj(sign)) : NULL;
  }
  made.weights = c->weights ? hed__tensor_same(c->weights) : NULL;
  return hed__cp_replace(HED_OK, &made, c->weights != NULL, c);
}

hed_status hed_cp_align(hed_cp *c, const hed_cp *to, double *congruence)
{
  static const char *const op = "hed_cp_align";
  char text[160], other[160];
  hed_status status = hed__cp_fits(op, c, NULL);
  hed_cp work = { 0 };
  if (status == HED_OK)
    status = hed__cp_fits(op, to, NULL);
  if (status == HED_OK && !hed__same_shape(hed_cp_shape(c), hed_cp_shape(to)))
    status = hed_fail(HED_E_SHAPE, "%s: c has shape %s, to %s", op, hed__shape_words(hed_cp_shape(c), text),
                      hed__shape_words(hed_cp_shape(to), other));
  if (status != HED_OK)
    return status;
  int64_t *partner = malloc((size_t)to->rank * sizeof *partner), *order = malloc((size_t)(to->rank + c->rank) * sizeof *order);
  double *cosines = malloc((size_t)to->rank * (size_t)c->rank * sizeof *cosines);
  if (!partner || !order || !cosines) {
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld by %lld components", op, (long long)to->rank, (long long)c->rank);
    goto done;
  }
  HED_SCOPE_OR(status = hed_error(); goto done) {
    hed_array *product = NULL;
    for (int k = 0; k < c->order; k++) {
      hed_array *cosine = hed_abs(hed_matmul(hed_transpose(hed__tensor_conj(unit(to->factor[k])), NULL), unit(c->factor[k])));
      product = k ? hed_multiply(product, cosine) : cosine;
    }
    if ((status = partners(c, to, product, partner)) == HED_OK)
      status = hed_tolist(product, cosines, to->rank * c->rank);
    order_of(c->rank, to->rank, partner, order);
    if (status == HED_OK)
      status = hed_cp_copy(c, &work);
    if (status == HED_OK)
      status = reorder(&work, hed_from_host(order, HED_SHAPE(c->rank), HED_INT64));
    /* those of TO without a partner stand between those that have one */
    hed_cp with = { .order = to->order, .rank = to->rank < c->rank ? to->rank : c->rank };
    int64_t n = 0;
    for (int64_t r = 0; r < to->rank; r++)
      if (partner[r] >= 0)
        order[n++] = r;
    hed_array *chosen = hed_from_host(order, HED_SHAPE(n), HED_INT64);
    for (int k = 0; k < to->order && status == HED_OK; k++)
      if (!chosen || !(with.factor[k] = hed_take(to->factor[k], chosen, 1)))
        status = hed_error();
    if (status == HED_OK)
      status = follow_signs(&work, &with);
  }
  if (status == HED_OK) {
    for (int64_t r = 0; congruence && r < to->rank; r++)
      congruence[r] = partner[r] < 0 ? 0 : cosines[r * c->rank + partner[r]];
    hed_cp old = *c;
    *c = work;
    work = old;
  }
done:
  hed_cp_clear(&work);
  free(partner);
  free(order);
  free(cosines);
  return status;
}
