// SPDX-License-Identifier: BSD-3-Clause
/* What speaks for a CP decomposition.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/als.h"
#include "kits/tensor/cp/cp.h"
#include <heddle/kits/tensor_validate.h>
#include <math.h>

/* ---- congruence ---- */

/* Cosines of columns, of matrices of as many rows. */
static hed_array *cosines(const hed_array *a, const hed_array *b)
{
  hed_array *table = hed__wide_gram(a, b);
  hed_array *rows = table ? hed_expand_dims(hed__inverse_or_one(hed__column_norms(a)), 1) : NULL;
  return rows ? hed_multiply(hed_multiply(table, rows), hed__inverse_or_one(hed__column_norms(b))) : NULL;
}

hed_array *hed_congruence_table(const hed_array *a, const hed_array *b)
{
  static const char op[] = "hed_congruence_table";
  hed_array *out = NULL;
  char one[160], other[160];
  if (!a || !b) {
    (void)hed__tensor_missing(op, a ? "b" : "a");
    return NULL;
  }
  const hed_shape s = hed_array_shape(a), t = hed_array_shape(b);
  if (s.ndim != 2 || t.ndim != 2 || s.dim[0] != t.dim[0]) {
    (void)hed_fail(HED_E_SHAPE, "%s: a has shape %s, b %s; matrices of as many rows are expected", op, hed__shape_words(s, one),
                   hed__shape_words(t, other));
    return NULL;
  }
  HED_SCOPE out = hed_keep(cosines(a, b));
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed_cp_congruence_table(const hed_cp *a, const hed_cp *b)
{
  static const char op[] = "hed_cp_congruence_table";
  hed_array *out = NULL;
  if (hed_cp_check(a) != HED_OK || hed__cp_has_shape(op, b, hed_cp_shape(a)) != HED_OK)
    return NULL;
  HED_SCOPE {
    hed_array *all = NULL;
    for (int k = 0; k < a->order && (k == 0 || all); k++) {
      hed_array *one = cosines(a->factor[k], b->factor[k]);
      all = !one ? NULL : all ? hed_multiply(all, one) : one;
    }
    out = all ? hed_keep(all) : NULL;
  }
  return out ? hed__tensor_given(out) : NULL;
}

/* ---- parts of the data ---- */

/* C without MODE and without weights, borrowed. */
static hed_cp others(const hed_cp *c, int mode)
{
  hed_cp o = { .rank = c->rank };
  for (int k = 0; k < c->order; k++)
    if (k != mode)
      o.factor[o.order++] = c->factor[k];
  return o;
}

static hed_status check_parts(const char *op, const hed_array *x, int32_t mode, const hed_cp_options *opt, int *axis)
{
  char text[160];
  const hed_shape s = hed_array_shape(x);
  const hed_status status = hed__mode_of(op, mode, s.ndim, axis);
  if (status != HED_OK)
    return status;
  if (opt->start || opt->fixed_modes.n > 0 || opt->sparse)
    return hed_fail(HED_E_INVAL, "%s: the options have %s", op, opt->start ? "a start" : opt->sparse ? "a place for sparse parts"
                                                                                                  : "fixed modes");
  if (opt->mask && !hed__same_shape(hed_array_shape(opt->mask), s)) {
    char other[160];
    return hed_fail(HED_E_SHAPE, "%s: the mask has shape %s, x %s", op, hed__shape_words(hed_array_shape(opt->mask), other),
                    hed__shape_words(s, text));
  }
  if (s.ndim < 2 || s.dim[*axis] < 2)
    return hed_fail(HED_E_INVAL, "%s: mode %d of a tensor of shape %s cannot be divided", op, *axis, hed__shape_words(s, text));
  return HED_OK;
}

/* Slices FROM, FROM + STEP, .. of X along AXIS. */
static hed_array *slices(const hed_array *x, int axis, int64_t from, int64_t step)
{
  hed_slice_range all[HED_MAX_NDIM];
  for (int k = 0; k <= axis; k++)
    all[k] = HED_ALL;
  all[axis] = HED_RANGE(from, HED_SLICE_END, step);
  return hed_slice(x, axis + 1, all);
}

hed_status hed_cp_split_half(const hed_array *x, int64_t rank, int32_t mode, const hed_cp_options *opt, double *congruence,
                             hed_cp *first, hed_cp *second)
{
  static const char op[] = "hed_cp_split_half";
  static const hed_cp_options defaults;
  hed_cp half[2] = { { 0 }, { 0 } };
  int axis = 0;
  if (first)
    *first = (hed_cp){ 0 };
  if (second)
    *second = (hed_cp){ 0 };
  if (!x || !congruence)
    return x ? hed_fail(HED_E_INVAL, "%s: congruence is NULL", op) : hed__tensor_missing(op, "x");
  hed_cp_options o = opt ? *opt : defaults;
  hed_status status = check_parts(op, x, mode, &o, &axis);
  o.normalise = true;
  for (int h = 0; h < 2 && status == HED_OK; h++)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *part = slices(x, axis, h, 2);
      o.mask = opt && opt->mask ? slices(opt->mask, axis, h, 2) : NULL;
      status = part && (!opt || !opt->mask || o.mask) ? hed_cp_als(part, rank, &o, &half[h], NULL) : hed_error();
    }
  if (status == HED_OK) {
    const hed_cp to = others(&half[0], axis);
    const hed_cp part = others(&half[1], axis);
    hed_cp moved = { 0 };
    status = hed_cp_copy(&part, &moved);
    if (status == HED_OK)
      status = hed_cp_align(&moved, &to, congruence);
    hed_cp_clear(&moved);
  }
  if (status == HED_OK && first) {
    *first = half[0];
    half[0] = (hed_cp){ 0 };
  }
  if (status == HED_OK && second) {
    *second = half[1];
    half[1] = (hed_cp){ 0 };
  }
  hed_cp_clear(&half[0]);
  hed_cp_clear(&half[1]);
  return status;
}

/* X without slice I along AXIS. */
static hed_array *without(const hed_array *x, int axis, int64_t i)
{
  const int64_t n = hed_array_shape(x).dim[axis];
  hed_array *rows = hed_arange_int(0, n - 1, 1, HED_INT64);
  hed_array *past = rows ? hed_astype(hed_greater_equal_scalar(rows, (double)i), HED_INT64) : NULL;
  return past ? hed_take(x, hed_add(rows, past), axis) : NULL;
}

/* Columns of A (n, R) with norm 1, and with the signs of those of TO. */
static hed_array *as_columns_of(const hed_array *a, const hed_array *to)
{
  const hed_reduce rows = { .axes = HED_AXES(0) };
  hed_array *unit = hed_normalize_vector(a, &HED_AXES(0)), *along = unit ? hed_sum(hed_multiply(unit, to), &rows) : NULL;
  return along ? hed_copysign(unit, hed_multiply(unit, along)) : NULL;
}

/* Adds the decomposition of X without slice I to SUM and SQUARES, both of the modes but AXIS. UNIT: C's with columns of norm 1. */
static hed_status leave_out(const hed_array *x, const hed_cp *unit, int axis, int64_t i, hed_cp_options o, hed_array **sum,
                            hed_array **squares)
{
  hed_cp start = *unit, made = { 0 }, moved = { 0 };
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *part = without(x, axis, i);
    o.mask = o.mask ? without(o.mask, axis, i) : NULL;
    start.factor[axis] = without(unit->factor[axis], 0, i);
    o.start = &start;
    o.restarts = 1;
    status = part && start.factor[axis] ? hed_cp_als(part, unit->rank, &o, &made, NULL) : hed_error();
    if (status == HED_OK) {
      const hed_cp to = others(unit, axis), found = others(&made, axis);
      status = hed_cp_copy(&found, &moved);
      if (status == HED_OK)
        status = hed_cp_align(&moved, &to, NULL);
      for (int k = 0; k < to.order && status == HED_OK; k++) {
        hed_array *now = as_columns_of(moved.factor[k], to.factor[k]);
        hed_array *off = now ? hed_astype(hed_subtract(now, to.factor[k]), hed__tensor_wide(hed_array_dtype(now))) : NULL;
        status = off ? hed__put(&sum[k], sum[k] ? hed_add(sum[k], off) : hed_copy(off)) : hed_error();
        hed_array *square = status == HED_OK ? hed_square(off) : NULL;
        if (status == HED_OK)
          status = hed__put(&squares[k], squares[k] ? hed_add(squares[k], square) : square);
      }
    }
  }
  hed_cp_clear(&made);
  hed_cp_clear(&moved);
  return status;
}

hed_status hed_cp_jackknife(const hed_array *x, const hed_cp *c, int32_t mode, const hed_cp_options *opt, hed_array **out)
{
  static const char op[] = "hed_cp_jackknife";
  static const hed_cp_options defaults;
  hed_array *sum[HED_MAX_NDIM] = { NULL }, *squares[HED_MAX_NDIM] = { NULL }, *made[HED_MAX_NDIM] = { NULL };
  hed_cp unit = { 0 };
  int axis = 0;
  if (!x || !out)
    return x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  for (int k = 0; k < hed_array_ndim(x); k++)
    out[k] = NULL;
  const hed_cp_options o = opt ? *opt : defaults;
  hed_status status = hed__cp_fits(op, c, x);
  if (status == HED_OK)
    status = check_parts(op, x, mode, &o, &axis);
  for (int k = 0; status == HED_OK && k < c->order; k++)
    if (hed_dtype_kind(hed_array_dtype(c->factor[k])) == HED_KIND_COMPLEX || hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX)
      status = hed_fail(HED_E_DTYPE, "%s: factor %d is %s, x %s; they have to be real", op, k,
                        hed_dtype_name(hed_array_dtype(c->factor[k])), hed_dtype_name(hed_array_dtype(x)));
  if (status == HED_OK && (status = hed_cp_copy(c, &unit)) == HED_OK)
    status = hed_cp_normalise(&unit);
  const int64_t n = status == HED_OK ? hed_array_shape(x).dim[axis] : 0;
  for (int64_t i = 0; i < n && status == HED_OK; i++)
    status = leave_out(x, &unit, axis, i, o, sum, squares);
  HED_SCOPE_OR(status = hed_error())
    for (int k = 0, at = 0; status == HED_OK && k < c->order; k++)
      if (k != axis) { /* sums are of differences from C, so that little is lost */
        hed_array *mean = hed_divide_scalar(hed_square(sum[at]), (double)n), *about = mean ? hed_subtract(squares[at], mean) : NULL;
        hed_array *variance = about ? hed_multiply_scalar(hed_maximum_scalar(about, 0), (double)(n - 1) / (double)n) : NULL;
        status = hed__put(&made[k], variance ? hed_sqrt(variance) : NULL);
        at++;
      }
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(sum[k]);
    hed_release(squares[k]);
  }
  hed_cp_clear(&unit);
  return hed__hand_out_all(status, hed_array_ndim(x), made, out);
}

/* ---- what is left, what is explained ---- */

/* X as it is computed with, and the mask as bool (NULL: none), both of the caller's scope. */
static hed_status read_data(const char *op, const hed_cp *c, const hed_array *x, const hed_array *mask, hed_array **flat,
                            hed_array **known)
{
  *known = NULL;
  if (!x)
    return hed__tensor_missing(op, "x");
  const hed_status status = hed__cp_fits(op, c, x);
  if (status != HED_OK)
    return status;
  hed_array *given = hed__tensor_operand(op, "x", x);
  *flat = given ? hed__in_c_order(given) : NULL;
  if (*flat && mask)
    *known = hed__tensor_mask(op, "x", x, mask, NULL);
  return *flat && (!mask || *known) ? HED_OK : hed_error();
}

hed_array *hed_cp_residuals(const hed_cp *c, const hed_array *x, const hed_array *mask, int32_t mode)
{
  static const char op[] = "hed_cp_residuals";
  hed_array *out = NULL;
  HED_SCOPE {
    hed_array *flat = NULL, *known = NULL, *off = NULL;
    int axis = 0;
    if (read_data(op, c, x, mask, &flat, &known) == HED_OK && hed__mode_of(op, mode, c->order, &axis) == HED_OK)
      off = hed_subtract(flat, hed_cp_full(c));
    if (off && known)
      off = hed_where(known, off, hed_zeros_like(off));
    hed_reduce rest = { .dtype = HED_FLOAT64 };
    for (int k = 0; off && k < c->order; k++)
      if (k != axis)
        rest.axes.axis[rest.axes.n++] = k;
    if (off)
      rest.dtype = hed__tensor_wide(hed_array_dtype(hed_abs(off)));
    hed_array *squares = off ? hed_square(hed_abs(off)) : NULL;
    if (squares && c->order == 1)
      out = hed_keep(hed_astype(squares, rest.dtype));
    else if (squares)
      out = hed_keep(hed_sum(squares, &rest));
  }
  return out ? hed__tensor_given(out) : NULL;
}

/* The share of the squares that C explains, of its components FROM up to TO; LEFT_OUT: of all others. */
static hed_status share(const hed_cp *c, int64_t from, int64_t to, bool left_out, const hed_array *flat, const hed_array *known,
                        double *out)
{
  hed_status status = HED_OK;
  double squares[2] = { 0, 0 };
  HED_SCOPE_OR(return hed_error()) {
    hed_cp part = { .order = c->order, .rank = c->rank };
    hed_array *r = hed_arange_int(0, c->rank, 1, HED_INT64);
    hed_array *inside = r ? hed_logical_and(hed_greater_equal_scalar(r, (double)from), hed_less_scalar(r, (double)to)) : NULL;
    hed_array *chosen = inside ? hed_astype(left_out ? hed_logical_not(inside) : inside, hed_array_dtype(c->factor[0])) : NULL;
    part.weights = chosen && c->weights ? hed_multiply(chosen, c->weights) : chosen;
    for (int k = 0; k < c->order; k++)
      part.factor[k] = c->factor[k];
    status = part.weights ? hed__cp_squares(&part, flat, known, NULL, squares) : hed_error();
  }
  *out = squares[1] > 0 ? 1 - squares[0] / squares[1] : 0;
  return status;
}

hed_status hed_cp_explained(const hed_cp *c, const hed_array *x, const hed_array *mask, double *alone, double *unique)
{
  static const char op[] = "hed_cp_explained";
  double all = 0;
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *flat = NULL, *known = NULL;
    status = read_data(op, c, x, mask, &flat, &known);
    known = known ? hed__in_c_order(known) : NULL;
    if (status == HED_OK && unique)
      status = share(c, 0, c->rank, false, flat, known, &all);
    for (int64_t r = 0; status == HED_OK && r < c->rank; r++) {
      if (alone)
        status = share(c, r, r + 1, false, flat, known, &alone[r]);
      if (unique && status == HED_OK && (status = share(c, r, r + 1, true, flat, known, &unique[r])) == HED_OK)
        unique[r] = all - unique[r];
    }
  }
  return status;
}
