// SPDX-License-Identifier: BSD-3-Clause
/* Proximal operators and projections by their names.
 *
 * Layer: L4, tensor kit. What is elementwise or a matrix function runs where the array is; orders of columns on the host.
 */
#include "kits/tensor/solve/prox.h"
#include "kits/tensor/common.h"
#include "kits/tensor/cp/cp.h"
#include <math.h>
#include <stdlib.h>

static const struct { const char *name; bool needs_above_0, no_sign; } kinds[] = {
  [HED_PROX_NONE] = { "none", false, false },
  [HED_PROX_NONNEGATIVE] = { "nonnegative", false, false },
  [HED_PROX_L1] = { "l1", false, false },
  [HED_PROX_L2] = { "l2", false, false },
  [HED_PROX_L2_SQUARE] = { "l2_square", false, false },
  [HED_PROX_GROUP] = { "group", false, false },
  [HED_PROX_SIMPLEX] = { "simplex", true, false },
  [HED_PROX_L1_BALL] = { "l1_ball", true, false },
  [HED_PROX_SPARSE] = { "sparse", true, false },
  [HED_PROX_SPARSE_UNIT] = { "sparse_unit", true, true },
  [HED_PROX_MAX_UNIT] = { "max_unit", false, true },
  [HED_PROX_SMOOTH] = { "smooth", false, true },
  [HED_PROX_INCREASING] = { "increasing", false, false },
  [HED_PROX_DECREASING] = { "decreasing", false, false },
  [HED_PROX_UNIMODAL] = { "unimodal", false, false },
  [HED_PROX_NUCLEAR] = { "nuclear", false, true },
  [HED_PROX_ORTHONORMAL] = { "orthonormal", false, true },
  [HED_PROX_BOX] = { "box", false, false },
  [HED_PROX_L2_BALL] = { "l2_ball", true, false },
};

const char *hed_prox_name(int kind)
{
  return kind >= 0 && kind < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[kind].name : NULL;
}

hed_status hed__prox_check(const char *op, const hed_prox_options *o)
{
  if (!o)
    return hed_fail(HED_E_INVAL, "%s: the constraint is NULL", op);
  if (!hed_prox_name((int)o->kind))
    return hed_fail(HED_E_INVAL, "%s: the constraint's kind is %d; 0 to %d, which hed_prox_name() names, are expected", op,
                    (int)o->kind, (int)(sizeof kinds / sizeof kinds[0]) - 1);
  if (!isfinite(o->parameter) || o->parameter < 0 || (kinds[o->kind].needs_above_0 && o->parameter == 0))
    return hed_fail(HED_E_INVAL, "%s: parameter %g of %s has to be %s", op, o->parameter, kinds[o->kind].name,
                    kinds[o->kind].needs_above_0 ? "above 0" : "at least 0");
  if (o->kind == HED_PROX_BOX && !(o->low <= o->high && (!o->nonnegative || o->high >= 0)))
    return hed_fail(HED_E_INVAL, "%s: no number is in the box from %g to %g", op, o->low, o->high);
  if (o->nonnegative && kinds[o->kind].no_sign)
    return hed_fail(HED_E_UNSUPPORTED, "%s: %s cannot be combined with non-negative entries", op, kinds[o->kind].name);
  return HED_OK;
}

/* ---- on the host, column by column ---- */

static hed_status columns_do(const hed_prox_options *o, double r, double *v, int64_t rows, int64_t columns)
{
  const double least = o->nonnegative ? 0 : -INFINITY;
  double *column = malloc((size_t)(4 * rows + 4) * sizeof *column), *w = column ? column + rows : NULL;
  hed__block *blocks = malloc((size_t)(rows + 1) * sizeof *blocks);
  hed_status status = column && blocks ? HED_OK : hed_fail(HED_E_NOMEM, "hed_prox: no memory for %lld numbers", (long long)rows);
  for (int64_t c = 0; c < columns && status == HED_OK; c++) {
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
      column[i] = v[i * columns + c];
      if (o->kind == HED_PROX_L1_BALL && o->nonnegative)
        column[i] = fmax(column[i], 0);
      sum += fabs(column[i]);
    }
    if (o->kind == HED_PROX_SIMPLEX) {
      hed__simplex(column, rows, r, w);
    } else if (o->kind == HED_PROX_L1_BALL && sum > r) { /* the simplex of absolute values */
      for (int64_t i = 0; i < rows; i++)
        column[i] = fabs(column[i]);
      hed__simplex(column, rows, r, w);
      for (int64_t i = 0; i < rows; i++)
        column[i] = copysign(column[i], v[i * columns + c]);
    } else if (o->kind == HED_PROX_SMOOTH) {
      hed__smooth(column, rows, r, w);
    } else if (o->kind == HED_PROX_INCREASING || o->kind == HED_PROX_DECREASING) {
      hed__rising(column, rows, o->kind == HED_PROX_DECREASING, least, blocks);
    } else if (o->kind == HED_PROX_UNIMODAL) {
      hed__unimodal(column, rows, least, blocks, w);
    }
    for (int64_t i = 0; i < rows; i++)
      v[i * columns + c] = column[i];
  }
  free(column);
  free(blocks);
  return status;
}

static hed_array *on_host(const hed_prox_options *o, double r, const hed_array *x)
{
  const hed_shape s = hed_array_shape(x);
  const int64_t n = hed_array_size(x), columns = s.ndim == 2 ? s.dim[1] : 1;
  double *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v), squares = 0;
  hed_array *out = NULL;
  hed_status status = v ? hed_tolist(x, v, n) : hed_fail(HED_E_NOMEM, "hed_prox: no memory for %lld numbers", (long long)n);
  if (status == HED_OK && o->kind != HED_PROX_SPARSE && o->kind != HED_PROX_SPARSE_UNIT) {
    status = columns_do(o, r, v, s.dim[0], columns);
  } else if (status == HED_OK) {
    for (int64_t i = 0; i < n && o->nonnegative; i++)
      v[i] = fmax(v[i], 0);
    status = hed__sparsest(v, n, (int64_t)fmin(r, (double)n));
    for (int64_t i = 0; i < n; i++)
      squares += v[i] * v[i];
    for (int64_t i = 0; i < n && o->kind == HED_PROX_SPARSE_UNIT && squares > 0; i++)
      v[i] /= sqrt(squares);
  }
  if (status == HED_OK)
    out = hed_from_doubles(v, s, hed_array_dtype(x));
  free(v);
  return out;
}

/* ---- where the array is ---- */

/* x max(1 - r / |x|, 0), norms over AXES; 0 for 0. */
static hed_array *shrunk(const hed_array *x, double r, hed_axes axes)
{
  hed_array *norm = hed_vector_norm(x, 2, &(hed_reduce){ .axes = axes, .keepdims = true });
  hed_array *left = norm ? hed_maximum_scalar(hed_subtract_scalar(norm, r), 0) : NULL;
  return left ? hed_multiply(x, hed_divide_where(hed_greater_scalar(norm, 0), left, norm, 0)) : NULL;
}

/* x min(1, r / |x|), x / max |column| with r 0. */
static hed_array *bounded(const hed_array *x, double r)
{
  const hed_axes all = { 0, { 0 } };
  hed_array *norm = r > 0 ? hed_vector_norm(x, 2, &(hed_reduce){ .axes = all, .keepdims = true })
                          : hed_max(hed_abs(x), &(hed_reduce){ .axes = HED_AXES(0), .keepdims = true });
  hed_array *factor = norm ? hed_divide_where(hed_greater_scalar(norm, r), hed_full_like(norm, r > 0 ? r : 1), norm, 1) : NULL;
  return factor ? hed_multiply(x, factor) : NULL;
}

static hed_array *in_place(const hed_prox_options *o, double r, const hed_array *v)
{
  hed_array *x = o->nonnegative || o->kind == HED_PROX_NONNEGATIVE ? hed_maximum_scalar(v, 0) : hed__tensor_same(v);
  const hed_axes all = { 0, { 0 } };
  const int rows = hed_array_ndim(v) == 2 ? 1 : 0;
  if (!x)
    return NULL;
  switch (o->kind) {
  case HED_PROX_L1:
    return hed_multiply(hed_sign(x), hed_maximum_scalar(hed_subtract_scalar(hed_abs(x), r), 0));
  case HED_PROX_L2:
    return shrunk(x, r, all);
  case HED_PROX_L2_SQUARE:
    return hed_divide_scalar(x, 1 + 2 * r);
  case HED_PROX_GROUP: /* a row of a vector is a number */
    return rows ? shrunk(x, r, HED_AXES(1)) : hed_multiply(hed_sign(x), hed_maximum_scalar(hed_subtract_scalar(hed_abs(x), r), 0));
  case HED_PROX_MAX_UNIT:
    return bounded(x, 0);
  case HED_PROX_L2_BALL:
    return bounded(x, r);
  case HED_PROX_BOX:
    return hed_clip(x, o->nonnegative ? fmax(o->low, 0) : o->low, o->high);
  case HED_PROX_NUCLEAR:
  case HED_PROX_ORTHONORMAL: {
    hed_array *matrix = rows ? hed__tensor_same(x) : hed_expand_dims(x, 1);
    hed_array *y = o->kind == HED_PROX_NUCLEAR ? hed_svd_thresholding(matrix, r) : hed_procrustes(matrix);
    return y ? hed_reshape(y, hed_array_shape(v)) : NULL;
  }
  default:
    return hed_copy(x);
  }
}

static bool is_penalty(hed_prox_kind k)
{
  return k == HED_PROX_L1 || k == HED_PROX_L2 || k == HED_PROX_L2_SQUARE || k == HED_PROX_GROUP || k == HED_PROX_SMOOTH ||
         k == HED_PROX_NUCLEAR;
}

static bool host_does(hed_prox_kind k)
{
  return k == HED_PROX_SIMPLEX || k == HED_PROX_L1_BALL || k == HED_PROX_SPARSE || k == HED_PROX_SPARSE_UNIT || k == HED_PROX_SMOOTH ||
         k == HED_PROX_INCREASING || k == HED_PROX_DECREASING || k == HED_PROX_UNIMODAL;
}

static hed_array *prox_of(const hed_prox_options *opt, const hed_array *v, double scale, bool look)
{
  static const char *const op = "hed_prox";
  hed_array *out = NULL;
  int ignored;
  char text[160];
  if (hed__prox_check(op, opt) != HED_OK)
    return NULL;
  if (!(scale >= 0) || !isfinite(scale)) {
    (void)hed_fail(HED_E_INVAL, "%s: a scale of %g", op, scale);
    return NULL;
  }
  HED_SCOPE_OR(return NULL) {
    hed_array *x = hed__tensor_operand(op, "v", v);
    if (!x)
      return NULL;
    const hed_shape s = hed_array_shape(x);
    if (s.ndim != 1 && s.ndim != 2) {
      (void)hed_fail(HED_E_SHAPE, "%s: v has shape %s; a vector or a matrix is needed", op, hed__shape_words(s, text));
      return NULL;
    }
    if (hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX) {
      (void)hed_fail(HED_E_DTYPE, "%s: v is %s; it has to be real", op, hed_dtype_name(hed_array_dtype(x)));
      return NULL;
    }
    if (look && hed_array_size(x) > 0 && hed__tensor_exponent(op, "v", x, &ignored) != HED_OK)
      return NULL;
    const double r = is_penalty(opt->kind) && scale > 0 ? opt->parameter * scale : opt->parameter;
    if (hed_array_size(x) == 0)
      out = hed_copy(x);
    else
      out = host_does(opt->kind) ? on_host(opt, r, x) : in_place(opt, r, x);
    hed_keep(out);
  }
  return out ? hed__tensor_given(out) : NULL;
}

hed_array *hed__prox(const hed_prox_options *opt, const hed_array *v, double scale) { return prox_of(opt, v, scale, false); }

hed_array *hed_prox(const hed_prox_options *opt, const hed_array *v, double scale) { return prox_of(opt, v, scale, true); }

/* ---- values ---- */

static hed_status number(const hed_array *x, double *out)
{
  return x ? hed_item(x, out) : hed_error();
}

static hed_status penalty(const hed_prox_options *o, const hed_array *x, double *out)
{
  hed_array *value = NULL;
  hed_array *matrix = hed_array_ndim(x) == 2 ? hed__tensor_same(x) : hed_expand_dims(x, 1);
  if (!matrix)
    return hed_error();
  if (o->kind == HED_PROX_L1)
    value = hed_sum(hed_abs(x), NULL);
  else if (o->kind == HED_PROX_L2)
    value = hed_vector_norm(x, 2, NULL);
  else if (o->kind == HED_PROX_L2_SQUARE)
    value = hed_sum(hed_square(x), NULL);
  else if (o->kind == HED_PROX_GROUP)
    value = hed_sum(hed_vector_norm(matrix, 2, &(hed_reduce){ .axes = HED_AXES(1) }), NULL);
  else if (o->kind == HED_PROX_NUCLEAR)
    value = hed_matrix_norm(matrix, HED_NORM_NUCLEAR, NULL, false);
  else /* differences with a 0 on both sides */
    value = hed_multiply_scalar(hed_sum(hed_square(hed_diff(hed_pad(matrix, HED_SHAPE(1, 0), HED_SHAPE(1, 0), 0), 1, 0)), NULL), 0.5);
  hed_status status = number(value, out);
  *out *= o->parameter;
  return status;
}

hed_status hed_prox_value(const hed_prox_options *opt, const hed_array *x, double tol, double *out)
{
  static const char *const op = "hed_prox_value";
  double farthest = 0, largest = 0, value = 0;
  if (!out || !x)
    return out ? hed__tensor_missing(op, "x") : hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = 0;
  hed_status status = hed__prox_check(op, opt);
  if (status != HED_OK)
    return status;
  HED_SCOPE_OR(return hed_error()) {
    hed_prox_options set = *opt;
    if (is_penalty(opt->kind))
      set = (hed_prox_options){ .kind = opt->nonnegative ? HED_PROX_NONNEGATIVE : HED_PROX_NONE };
    hed_array *near = hed_prox(&set, x, 1);
    if (near && hed_array_size(near) > 0) {
      hed_array *given = hed__tensor_operand(op, "x", x);
      status = number(hed_max(hed_abs(hed_subtract(given, near)), NULL), &farthest);
      if (status == HED_OK)
        status = number(hed_max(hed_abs(given), NULL), &largest);
      if (status == HED_OK && is_penalty(opt->kind))
        status = penalty(opt, given, &value);
    } else if (!near) {
      status = hed_error();
    }
  }
  if (status == HED_OK)
    *out = farthest <= tol * largest ? value : INFINITY;
  return status;
}
