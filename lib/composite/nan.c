// SPDX-License-Identifier: BSD-3-Clause
/* Reductions that pass over NaN. L3.
 *
 * Where the device has no kernel that passes over NaN, this becomes what adds nothing (0, 1, -inf, +inf) and the elements that
 * count are counted. Types without NaN go to the plain reduction. Sums of the 16-bit floats run in float32, so that a mean
 * does not overflow.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/reduce/reduce.h"
#include "composite/composed.h"
#include "composite/units.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

static const hed_reduce defaults;

typedef hed_array *(*reduce_fn)(const hed_array *x, const hed_reduce *opt);

static bool has_nan(const hed_array *x) { return hed__id_kind(x->view.dtype) >= HED_KIND_FLOAT; }

static hed_array *filled(const hed_array *x, double value)
{
  return hed_where(hed_isnan(x), hed_scalar(value), x);
}

/* Elements that are not NaN. */
static hed_array *number_of(const hed_array *x, const hed_reduce *opt, bool keepdims)
{
  return hed_count_nonzero(hed_equal(x, x), &(hed_reduce){ .axes = opt->axes, .keepdims = keepdims });
}

/* X in the type it is summed in, at least that of the result. */
static hed_array *widened(const hed_array *x, const hed_reduce *opt)
{
  hed_dtype t = hed__dtypes[hed__compute_of(x->view.dtype)];
  return hed_astype(x, opt->dtype ? hed_dtype_promote(t, opt->dtype) : t);
}

static hed_array *mean_of(const hed_array *x, const hed_reduce *opt, bool keepdims)
{
  hed_array *sum = hed_nansum(x, &(hed_reduce){ .axes = opt->axes, .keepdims = keepdims });
  return sum ? hed_divide(sum, hed_astype(number_of(x, opt, keepdims), hed_array_dtype(sum))) : NULL;
}

static hed_array *var_of(const hed_array *x, const hed_reduce *opt, bool keepdims)
{
  hed_array *mean = mean_of(x, opt, true), *d = hed_where(hed_isnan(x), hed_scalar(0), hed_subtract(x, mean));
  hed_array *sq = hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX ? hed_real(hed_multiply(d, hed_conj(d))) : hed_square(d);
  hed_array *sum = hed_sum(sq, &(hed_reduce){ .axes = opt->axes, .keepdims = keepdims });
  hed_array *freedom = hed_subtract(hed_astype(number_of(x, opt, keepdims), hed__wide_float(x->storage->device)),
                                    hed_scalar(opt->ddof + opt->correction));
  freedom = hed_maximum_scalar(freedom, 0);
  return sum ? hed_divide(sum, hed_astype(freedom, hed_array_dtype(sum))) : NULL;
}

/* *UNIT: NULL where OUT, means or variances of X, is right, else powers of two that bring elements of each result next to 1, and
 * *WRONG those that left the range on the way, or whose squares vanished. Where elements are LEAST or larger, what is left of
 * their distances does not vanish. */
static hed_status find_unit(const hed_array *x, const hed_reduce *opt, const hed_array *out, bool squares, hed_array **unit,
                            hed_array **wrong)
{
  const bool wide = hed__real_of(x->view.dtype) == HED_ID_FLOAT64;
  const double vanishing = wide ? 0x1p-900 : 0x1p-80, least = wide ? 0x1p-400 : 0x1p-16;
  int64_t all = 0, any = 0;
  hed_array *finite = hed_isfinite(out);
  hed_array *good = squares ? hed_logical_and(finite, hed_greater_scalar(out, vanishing)) : finite;
  hed_status status = hed_item_int(hed_all(good, NULL), &all);
  if (status != HED_OK || all || hed__view_size(&x->view) == 0)
    return status;
  hed_array *top = hed__largest(x, &opt->axes, hed_nanmax), *small = hed_reshape(top, hed__shape_of(out));
  hed_array *moves = hed_logical_and(hed_isfinite(small), hed_greater_scalar(small, 0));
  *wrong = hed_logical_or(hed_logical_not(finite), hed_less_scalar(small, least));
  *wrong = hed_logical_and(*wrong, hed_logical_and(moves, hed_logical_not(good)));
  status = hed_item_int(hed_any(*wrong, NULL), &any);
  if (status != HED_OK || !any)
    return status;
  *unit = hed_exp2(hed__exponents(top));
  return *unit ? HED_OK : hed_error();
}

/* OP, NANMEAN to NANSTD, of X in the type it is summed in. */
static hed_array *moment(int op, const hed_array *x, const hed_reduce *opt)
{
  hed_array *(*of)(const hed_array *, const hed_reduce *, bool) = op == HED_OP_NANMEAN ? mean_of : var_of;
  hed_array *out = of(x, opt, opt->keepdims), *unit = NULL, *wrong = NULL, *again = NULL;
  if (!out || find_unit(x, opt, out, of == var_of, &unit, &wrong) != HED_OK)
    return NULL;
  const hed_array *y = unit ? hed_divide(x, unit) : NULL;
  if (unit && (!y || !(again = of(y, opt, opt->keepdims))))
    return NULL;
  if (op == HED_OP_NANSTD) {
    out = hed_sqrt(out);
    again = unit ? hed_sqrt(again) : NULL;
  }
  if (!unit)
    return out;
  unit = hed_reshape(unit, hed__shape_of(out));
  again = hed_multiply(again, unit);
  if (op == HED_OP_NANMEAN)
    return again;
  return hed_where(wrong, op == HED_OP_NANVAR ? hed_multiply(again, unit) : again, out);
}

/* One of the operations with types and frame: SAME are those without NaN. */
static hed_array *nan_reduce(int op, const hed_array *x, const hed_reduce *opt, reduce_fn same,
                             hed_array *(*body)(int op, const hed_array *x, const hed_reduce *opt))
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  if (!opt)
    opt = &defaults;
  uint32_t mask;
  if (hed__check_domain(name, hed__op_rows[op].domain, "x", x->view.dtype) != HED_OK ||
      hed__check_axes(name, &opt->axes, x->view.ndim, &mask) != HED_OK ||
      ((op == HED_OP_NANMAX || op == HED_OP_NANMIN) && hed__check_elements(name, x, mask) != HED_OK))
    return NULL;
  if (!has_nan(x))
    return same(x, opt);
  composed c;
  int compute, id;
  if (composed_begin(&c, op, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__reduce_types(op, x, opt->dtype, c.ex.device, &compute, &id) == HED_OK) {
    compute = hed__compute_of(compute);
    const bool all = hed__id_kind(compute) == hed__id_kind(x->view.dtype); /* of X: no NaN is lost before a kernel sees it */
    out = all && hed__native(&c.ex, op, compute) ? hed__reduce_own(op, c.ex.in[0], opt)
                                                 : hed_astype(body(op, c.ex.in[0], opt), hed__dtypes[id]);
  }
  return composed_end(&c, out);
}

static hed_array *sum_body(int op, const hed_array *x, const hed_reduce *opt)
{
  return op == HED_OP_NANSUM ? hed_sum(filled(x, 0), opt) : hed_prod(filled(x, 1), opt);
}

static hed_array *moment_body(int op, const hed_array *x, const hed_reduce *opt)
{
  const hed_array *wide = widened(x, opt);
  return wide ? moment(op, wide, opt) : NULL;
}

static hed_array *extreme_body(int op, const hed_array *x, const hed_reduce *opt)
{
  bool is_max = op == HED_OP_NANMAX;
  hed_reduce o = { .axes = opt->axes, .keepdims = opt->keepdims };
  hed_array *best = (is_max ? hed_max : hed_min)(filled(x, is_max ? -INFINITY : INFINITY), &o);
  return hed_where(number_of(x, opt, opt->keepdims), best, hed_scalar(NAN));
}

#define NAN_REDUCE(ID, name, same, body)                                      \
  hed_array *HED_BODY(name)(const hed_array *x, const hed_reduce *opt)            \
  {                                                                           \
    return nan_reduce(HED_OP_##ID, x, opt, same, body);                       \
  }
NAN_REDUCE(NANSUM, nansum, hed_sum, sum_body)
NAN_REDUCE(NANPROD, nanprod, hed_prod, sum_body)
NAN_REDUCE(NANMEAN, nanmean, hed_mean, moment_body)
NAN_REDUCE(NANVAR, nanvar, hed_var, moment_body)
NAN_REDUCE(NANSTD, nanstd, hed_std, moment_body)
NAN_REDUCE(NANMAX, nanmax, hed_max, extreme_body)
NAN_REDUCE(NANMIN, nanmin, hed_min, extreme_body)
