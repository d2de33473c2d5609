// SPDX-License-Identifier: BSD-3-Clause
/* The tensor that is decomposed, its missing entries, its sparse part.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/cp/als.h"
#include "kits/tensor/common.h"
#include "kits/tensor/coo.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>

hed_cp hed__als_model(const hed__als *a)
{
  hed_cp c = { .order = a->order, .rank = a->rank };
  for (int k = 0; k < a->order; k++)
    c.factor[k] = a->factor[k];
  return c;
}

hed_status hed__put(hed_array **slot, hed_array *x)
{
  if (!x)
    return hed_error();
  hed_keep(x);
  hed_release(*slot);
  *slot = x;
  return HED_OK;
}

/* The mask as bool, with NaN counted as missing; NULL where nothing is. A scope's. */
static hed_status find_missing(hed__als *a, const hed_array *x, hed_array **known)
{
  const hed_array *given = a->opt->mask;
  char text[160];
  int64_t observed = 0;
  *known = NULL;
  if (!given && !a->opt->nan_is_missing)
    return HED_OK;
  hed_array *mask = given ? hed__tensor_mask(a->op, "x", x, given, NULL) : NULL;
  if (given && !mask)
    return hed_error();
  if (a->opt->nan_is_missing) {
    hed_array *number = hed_logical_not(hed_isnan(x));
    mask = mask ? hed_logical_and(mask, number) : given ? NULL : number;
  }
  hed_array *count = hed_count_nonzero(mask, NULL);
  hed_status status = count ? hed_item_int(count, &observed) : hed_error();
  if (status == HED_OK && observed == 0)
    status = hed_fail(HED_E_INVAL, "%s: the mask leaves no entry of %s", a->op, hed__shape_words(hed_array_shape(x), text));
  if (status != HED_OK || observed == hed_array_size(x))
    return status;
  *known = hed__in_c_order(mask);
  const double share = (double)observed / (double)hed_array_size(x);
  a->weighted = a->opt->missing == HED_MISSING_WEIGHTED || (a->opt->missing == HED_MISSING_AUTO && share < 0.8);
  return *known ? HED_OK : hed_error();
}

static hed_status check(const hed__als *a, int64_t rank)
{
  const hed_cp_options *o = a->opt;
  const hed_shape s = a->shape;
  char text[160];
  double size = 1;
  for (int k = 0; k < s.ndim; k++)
    size *= (double)s.dim[k];
  if (s.ndim < 2 || s.ndim >= HED_MAX_NDIM || size == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s; 2 to %d axes and at least an element are needed", a->op,
                    hed__shape_words(s, text), HED_MAX_NDIM - 1);
  if (rank < 1)
    return hed_fail(HED_E_INVAL, "%s: rank %lld is below 1", a->op, (long long)rank);
  if (!(o->l2 >= 0) || !isfinite(o->l2) || !(o->sparsity >= 0) || o->restarts < 0 || o->sparsity > size)
    return hed_fail(HED_E_INVAL, "%s: l2 %g, sparsity %g of %.0f entries, %lld restarts", a->op, o->l2, o->sparsity, size,
                    (long long)o->restarts);
  if ((unsigned)o->start_by > HED_START_NORMAL || (unsigned)o->missing > HED_MISSING_WEIGHTED ||
      (unsigned)o->acceleration > HED_ACCELERATE_ANDERSON)
    return hed_fail(HED_E_INVAL, "%s: start_by %d, missing %d, acceleration %d: there are 0 to %d, %d and %d", a->op, (int)o->start_by,
                    (int)o->missing, (int)o->acceleration, HED_START_NORMAL, HED_MISSING_WEIGHTED, HED_ACCELERATE_ANDERSON);
  return HED_OK;
}

static hed_status check_start(const hed__als *a)
{
  if (!a->opt->start)
    return a->fixed ? hed_fail(HED_E_INVAL, "%s: modes are fixed, and there is no start", a->op) : HED_OK;
  hed_status status = hed__cp_has_shape(a->op, a->opt->start, a->shape);
  if (status == HED_OK && a->opt->start->rank != a->rank)
    status = hed_fail(HED_E_SHAPE, "%s: the start has rank %lld, not %lld", a->op, (long long)a->opt->start->rank, (long long)a->rank);
  return status;
}

/* What the options say of modes of the tensor of A's shape. */
static hed_status open_modes(hed__als *a, int64_t rank)
{
  hed_status status = check(a, rank);
  if (status != HED_OK)
    return status;
  a->order = a->shape.ndim;
  a->rank = rank;
  if ((status = hed__mode_set(a->op, &a->opt->fixed_modes, a->order, &a->fixed)) != HED_OK ||
      (status = hed__mode_set(a->op, &a->opt->nonnegative_modes, a->order, &a->nonnegative)) != HED_OK ||
      (status = check_start(a)) != HED_OK)
    return status;
  if (a->method->nonnegative && a->opt->nonnegative_modes.n < 1)
    a->nonnegative = (1U << a->order) - 1;
  a->last = a->order - 1;
  while (a->last >= 0 && a->fixed >> a->last & 1U)
    a->last--;
  return HED_OK;
}

static hed_status set_type(hed__als *a, hed_dtype t)
{
  a->type = t;
  a->epsilon = hed__tensor_epsilon(t);
  return a->nonnegative && hed_dtype_kind(t) == HED_KIND_COMPLEX
             ? hed_fail(HED_E_DTYPE, "%s: factors of a %s tensor have no sign", a->op, hed_dtype_name(t)) : HED_OK;
}

/* The data's exponent, and which factors of the result take it up: the last one that may. Where the sweeps themselves keep all
 * digits of data of any unit, data near 1 stay as they are. */
static void choose_powers(hed__als *a, int e)
{
  const hed_cp_options *o = a->opt;
  int at = a->last < 0 ? 0 : a->last;
  while (at >= 0 && a->last >= 0 && (a->fixed | a->modes.fixed_size) >> at & 1U)
    at--;
  if (a->method->rescales && !a->nonnegative && !a->mask && o->sparsity == 0 && o->acceleration != HED_ACCELERATE_ANDERSON)
    e = hed__tensor_exponent_needed(e);
  if (at < 0 || o->l2 > 0)
    e = 0;
  a->exponent = e;
  if (e != 0)
    a->power[at] = e;
}

hed_status hed__als_open_sparse(hed__als *a, const hed_coo *x, int64_t rank)
{
  const hed_cp_options *o = a->opt;
  hed_status status = hed__coo_check(a->op, x);
  if (status == HED_OK && (o->mask || o->nan_is_missing || o->sparsity > 0))
    status = hed_fail(HED_E_UNSUPPORTED, "%s: %s of a tensor of few entries", a->op,
                      o->sparsity > 0 ? "a sparse part" : "missing entries");
  if (status != HED_OK)
    return status;
  a->shape = x->shape;
  a->coo = x;
  status = open_modes(a, rank);
  if (status == HED_OK)
    status = set_type(a, hed_array_dtype(x->values));
  int e = 0;
  if (status == HED_OK)
    status = hed__tensor_exponent(a->op, "x", x->values, &e);
  if (status == HED_OK)
    choose_powers(a, e);
  if (status == HED_OK && a->exponent != 0) {
    a->scaled = *x;
    a->scaled.values = NULL;
    HED_SCOPE_OR(return hed_error())
      status = hed__put(&a->scaled.values, hed__tensor_scaled(x->values, -a->exponent));
    a->coo = x = &a->scaled;
  }
  return status == HED_OK ? hed__tensor_squares(a->op, "x", x->values, &a->squares) : status;
}

hed_status hed__als_open(hed__als *a, const hed_array *x, int64_t rank)
{
  if (!x)
    return hed__tensor_missing(a->op, "x");
  a->shape = hed_array_shape(x);
  hed_status status = open_modes(a, rank);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *typed = hed__tensor_operand(a->op, "x", x), *here = typed ? hed_asarray(typed, hed_array_dtype(typed)) : NULL, *known;
    if (!here)
      return hed_error();
    if ((status = set_type(a, hed_array_dtype(here))) != HED_OK)
      return status;
    status = find_missing(a, here, &known);
    if (status == HED_OK && known)
      status = hed__put(&a->mask, known);
    if (status == HED_OK)
      status = hed__put(&a->x, known ? hed_where(known, here, hed_zeros_like(here)) : hed__in_c_order(here));
    int e = 0;
    if (status == HED_OK)
      status = hed__tensor_exponent(a->op, "x", a->x, &e);
    if (status == HED_OK) {
      choose_powers(a, e);
      status = hed__put(&a->x, hed__tensor_scaled(a->x, -a->exponent));
    }
    if (status == HED_OK)
      status = hed__tensor_squares(a->op, "x", a->x, &a->squares);
    if (status == HED_OK && known) {
      double sum[2] = { 0, 0 };
      int64_t n = 1;
      hed_array *all = hed_sum(a->x, NULL), *count = hed_count_nonzero(known, NULL);
      status = all && count ? hed_item_complex(all, sum) : hed_error();
      if (status == HED_OK)
        status = hed_item_int(count, &n);
      a->mean = sum[0] / (double)n;
      a->mean_imaginary = sum[1] / (double)n;
    }
  }
  if (status != HED_OK)
    return status;
  a->weighted = a->weighted && !a->nonnegative && a->method->rescales && a->opt->sparsity == 0;
  if (a->opt->sparsity > 0) {
    const double share = a->opt->sparsity < 1 ? a->opt->sparsity * (double)hed_array_size(a->x) : a->opt->sparsity;
    a->sparse_entries = (int64_t)(share + 0.5);
  }
  a->work = a->x;
  if ((a->mask && !a->weighted) || a->sparse_entries > 0)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *copy = hed_copy(a->x);
      a->work = NULL;
      status = hed__put(&a->work, copy);
    }
  if (status == HED_OK)
    hed__tree_plant(a->work, &a->tree);
  return status;
}

void hed__als_close(hed__als *a)
{
  if (a->work != a->x)
    hed_release(a->work);
  hed_release(a->x);
  hed_release(a->mask);
  hed_release(a->sparse);
  hed_release(a->scaled.values);
  for (int k = 0; k < a->order; k++) {
    hed_release(a->factor[k]);
    hed_release(a->gram[k]);
  }
  *a = (hed__als){ 0 };
}

hed_status hed__als_first_guess(hed__als *a, const hed_cp *start)
{
  hed_status status = HED_OK;
  double squares[2];
  if (a->work == a->x)
    return HED_OK;
  if (start && a->mask)
    return hed__cp_squares(start, a->x, a->mask, a->work, squares);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *filled = a->x;
    if (a->mask) {
      hed_array *mean = hed_dtype_kind(a->type) == HED_KIND_COMPLEX ? hed_scalar_complex(a->mean, a->mean_imaginary)
                                                                    : hed_scalar(a->mean);
      filled = hed_where(a->mask, a->x, mean);
    }
    status = hed_copy_into(a->work, filled);
  }
  return status;
}

hed_status hed__als_error(hed__als *a, const hed_cp *c, bool fill, double *error)
{
  double squares[2] = { 0, 0 };
  hed_status status = HED_OK;
  if (a->coo)
    return hed__coo_error(a->coo, a->squares, c, error);
  HED_SCOPE_OR(return hed_error()) {
    hed_array *seen = a->sparse ? hed_subtract(a->x, a->sparse) : a->x;
    status = seen ? hed__cp_squares(c, seen, a->mask, fill && a->work != a->x && a->mask ? a->work : NULL, squares) : hed_error();
  }
  if (status == HED_OK)
    *error = a->squares > 0 ? sqrt(squares[0] / a->squares) : squares[0] > 0 ? INFINITY : 0;
  return status;
}

hed_status hed__als_split(hed__als *a)
{
  const hed_cp c = hed__als_model(a);
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *full = hed_cp_full(&c), *residual = full ? hed_subtract(a->x, full) : NULL;
    if (a->mask && residual)
      residual = hed_where(a->mask, residual, hed_zeros_like(residual));
    hed_array *size = hed_ravel(hed_abs(residual)), *largest = NULL, *at = NULL;
    if (!size)
      return hed_error();
    status = hed_topk(size, a->sparse_entries, NULL, &largest, &at);
    /* equal residuals: those that topk chose, so that S has no entry more */
    hed_array *chosen = status == HED_OK ? hed_zeros_like(hed_ravel(residual)) : NULL;
    hed_array *values = chosen ? hed_take(hed_ravel(residual), at, 0) : NULL;
    if (status == HED_OK)
      status = values ? HED_SET(chosen, values, HED_IDX(at)) : hed_error();
    if (status == HED_OK)
      status = hed__put(&a->sparse, hed_reshape(chosen, hed_array_shape(a->x)));
    if (status == HED_OK)
      status = hed_copy_into(a->work, hed_subtract(a->mask ? hed_where(a->mask, a->x, full) : a->x, a->sparse));
  }
  return status;
}

hed_status hed__als_visit(const hed__als *a, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg)
{
  return a->coo ? hed__coo_sweep(a->coo, factors, wanted, visit, arg) : hed__tree_sweep(&a->tree, factors, wanted, visit, arg);
}

hed_array *hed__grams_but(hed_array *const *gram, int order, int skip)
{
  hed_array *all = NULL;
  for (int k = 0, n = 0; k < order; k++)
    if (k != skip)
      all = n++ ? hed_multiply(all, gram[k]) : hed__tensor_same(gram[k]);
  return all;
}

hed_status hed__real_sum(const hed_array *x, double *out)
{
  double parts[2];
  hed_array *sum = x ? hed_sum(x, NULL) : NULL;
  hed_status status = sum ? hed_item_complex(sum, parts) : hed_error();
  if (status == HED_OK)
    *out = parts[0];
  return status;
}
