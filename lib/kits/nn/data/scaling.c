// SPDX-License-Identifier: BSD-3-Clause
/* Numbers that are fitted on one part of the data and applied to all: scales, principal components.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include "kits/member.h"
#include <heddle/kits/nn_data.h>

static bool has_features(const char *op, const hed_array *x)
{
  if (!hed__train_float(op, "x", x))
    return false;
  if (hed_array_ndim(x) >= 1)
    return true;
  (void)hed_fail(HED_E_SHAPE, "%s: x has no axes; the last one is features", op);
  return false;
}

/* Does the last axis of X have N elements? */
static bool of_features(const char *op, const hed_array *x, const char *whose, int64_t n)
{
  if (!has_features(op, x))
    return false;
  const hed_shape s = hed_array_shape(x);
  if (s.dim[s.ndim - 1] == n)
    return true;
  char text[HED__SHAPE_WORDS];
  (void)hed_fail(HED_E_SHAPE, "%s: x has shape %s, %s of %lld features", op, hed__shape_words(s, text), whose, (long long)n);
  return false;
}

/* ---- scales ---- */

static hed_array *at_rank(const hed_array *rows, int n, const double *q)
{
  return hed_quantile(rows, n, q, &(hed_quantiles){ .axes = HED_AXES(0), .omit_nan = true });
}

static hed_status fit(const hed_array *x, hed_nn_scaling kind, hed_array **shift, hed_array **scale)
{
  static const double quartiles[] = { 0.5, 0.25, 0.75 };
  const hed_reduce down = { .axes = HED_AXES(0) };
  const hed_shape s = hed_array_shape(x);
  const hed_array *rows = hed_reshape(x, HED_SHAPE(hed_array_size(x) / (s.dim[s.ndim - 1] ? s.dim[s.ndim - 1] : 1),
                                                   s.dim[s.ndim - 1]));
  hed_array *a = NULL, *b = NULL;
  if (rows && hed_array_shape(rows).dim[0] == 0)
    return hed_fail(HED_E_INVAL, "hed_nn_scaler_fit: x is empty");
  if (kind == HED_NN_STANDARDISE) {
    /* out of sums: what is computed is of the array's type, which a device without doubles has */
    const hed_array *n = hed_sum(hed_astype(hed_logical_not(hed_isnan(rows)), hed_array_dtype(rows)), &down);
    a = hed_divide(hed_nansum(rows, &down), n);
    b = hed_sqrt(hed_divide(hed_nansum(hed_square(hed_subtract(rows, a)), &down), n));
  } else if (kind == HED_NN_MIN_MAX) {
    a = hed_nanmin(rows, &down);
    b = hed_subtract(hed_nanmax(rows, &down), a);
  } else {
    const hed_array *all = at_rank(rows, 3, quartiles);
    a = all ? hed_index(all, 0, 0) : NULL;
    b = all ? hed_subtract(hed_index(all, 0, 2), hed_index(all, 0, 1)) : NULL;
  }
  if (!a || !b)
    return hed_error();
  a = hed_where(hed_isnan(a), hed_zeros_like(a), a);
  b = hed_where(hed_greater_scalar(b, 0), b, hed_ones_like(b)); /* NaN is no scale either */
  *shift = hed_keep(a);
  *scale = hed_keep(b);
  return a && b ? HED_OK : hed_error();
}

hed_status hed_nn_scaler_fit(const hed_array *x, hed_nn_scaling kind, hed_nn_scaler *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_scaler_fit: out is NULL");
  *out = (hed_nn_scaler){ NULL, NULL };
  if (!has_features("hed_nn_scaler_fit", x))
    return hed_error();
  if (hed__expect_member("hed_nn_scaler_fit", "kind", (int)kind, HED_NN_STANDARDISE, HED_NN_ROBUST, "hed_nn_scaling") != HED_OK)
    return hed_error();
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) status = fit(x, kind, &out->shift, &out->scale);
  if (status != HED_OK)
    hed_nn_scaler_clear(out);
  return status;
}

void hed_nn_scaler_clear(hed_nn_scaler *s)
{
  if (!s)
    return;
  hed_release(s->shift);
  hed_release(s->scale);
  *s = (hed_nn_scaler){ NULL, NULL };
}

static bool fitted(const char *op, const hed_nn_scaler *s, const hed_array *x)
{
  if (s && s->shift && s->scale)
    return of_features(op, x, "the scaler", hed_array_size(s->shift));
  if (!s || hed_error() == HED_OK) /* else what was to fit it has failed */
    (void)hed_fail(HED_E_INVAL, "%s: the scaler is %s", op, s ? "empty" : "NULL");
  return false;
}

hed_array *hed_nn_scaler_apply(const hed_nn_scaler *s, const hed_array *x)
{
  hed_array *out = NULL;
  if (!fitted("hed_nn_scaler_apply", s, x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_divide(hed_subtract(x, s->shift), s->scale));
  return hed__train_out(out);
}

hed_array *hed_nn_scaler_invert(const hed_nn_scaler *s, const hed_array *x)
{
  hed_array *out = NULL;
  if (!fitted("hed_nn_scaler_invert", s, x))
    return NULL;
  HED_SCOPE out = hed_keep(hed_add(hed_multiply(x, s->scale), s->shift));
  return hed__train_out(out);
}

/* ---- principal components ---- */

static hed_status components(const hed_array *x, int64_t k, hed_nn_pca *out)
{
  const hed_reduce down = { .axes = HED_AXES(0) };
  const double n = (double)hed_array_shape(x).dim[0];
  hed_array *u = NULL, *s = NULL, *vh = NULL, *mean = hed_mean(x, &down);
  if (!mean || hed_svd(hed_subtract(x, mean), false, &u, &s, &vh) != HED_OK)
    return hed_error();
  hed_array *first = hed_slice(vh, 1, &HED_RANGE(0, k, 1));
  hed_array *at = first ? hed_expand_dims(hed_argmax(hed_abs(first), &(hed_reduce){ .axes = HED_AXES(-1) }), -1) : NULL;
  hed_array *largest = at ? hed_take_along_axis(first, at, -1) : NULL;
  hed_array *sign = largest ? hed_where(hed_less_scalar(largest, 0), hed_full_like(largest, -1), hed_ones_like(largest)) : NULL;
  hed_array *squares = hed_divide_scalar(hed_square(s), n - 1), *all = squares ? hed_sum(squares, NULL) : NULL;
  if (!sign || !all)
    return hed_error();
  out->mean = hed_keep(mean);
  out->components = hed_keep(hed_multiply(first, sign));
  out->variance = hed_keep(hed_copy(hed_slice(squares, 1, &HED_RANGE(0, k, 1))));
  out->ratio = out->variance ? hed_keep(hed_divide_where(hed_greater_scalar(all, 0), out->variance, all, 0)) : NULL;
  return out->components && out->ratio ? HED_OK : hed_error();
}

hed_status hed_nn_pca_fit(const hed_array *x, int64_t k, hed_nn_pca *out)
{
  static const char op[] = "hed_nn_pca_fit";
  char text[HED__SHAPE_WORDS];
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_nn_pca){ NULL, NULL, NULL, NULL };
  if (!has_features(op, x))
    return hed_error();
  const hed_shape s = hed_array_shape(x);
  if (s.ndim != 2 || s.dim[0] < 2 || s.dim[1] < 1)
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, two rows at least and features are needed", op, hed__shape_words(s, text));
  const int64_t most = s.dim[0] < s.dim[1] ? s.dim[0] : s.dim[1];
  if (k < 0 || k > most)
    return hed_fail(HED_E_INVAL, "%s: k is %lld, at most %lld components are there", op, (long long)k, (long long)most);
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) status = components(x, k ? k : most, out);
  if (status != HED_OK)
    hed_nn_pca_clear(out);
  return status;
}

void hed_nn_pca_clear(hed_nn_pca *p)
{
  if (!p)
    return;
  hed_release(p->mean);
  hed_release(p->components);
  hed_release(p->variance);
  hed_release(p->ratio);
  *p = (hed_nn_pca){ NULL, NULL, NULL, NULL };
}

static bool is_fitted(const char *op, const hed_nn_pca *p)
{
  if (p && p->mean && p->components)
    return true;
  if (!p || hed_error() == HED_OK)
    (void)hed_fail(HED_E_INVAL, "%s: the components are %s", op, p ? "not there" : "NULL");
  return false;
}

hed_array *hed_nn_pca_apply(const hed_nn_pca *p, const hed_array *x)
{
  static const char op[] = "hed_nn_pca_apply";
  hed_array *out = NULL;
  if (!is_fitted(op, p) || !of_features(op, x, "the components are", hed_array_size(p->mean)))
    return NULL;
  HED_SCOPE out = hed_keep(hed_matmul(hed_subtract(x, p->mean), hed_matrix_transpose(p->components)));
  return hed__train_out(out);
}

hed_array *hed_nn_pca_invert(const hed_nn_pca *p, const hed_array *y)
{
  static const char op[] = "hed_nn_pca_invert";
  hed_array *out = NULL;
  if (!is_fitted(op, p) || !of_features(op, y, "there are components", hed_array_shape(p->components).dim[0]))
    return NULL;
  HED_SCOPE out = hed_keep(hed_add(hed_matmul(y, p->components), p->mean));
  return hed__train_out(out);
}
