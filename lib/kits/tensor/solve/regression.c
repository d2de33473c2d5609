// SPDX-License-Identifier: BSD-3-Clause
/* Linear models whose coefficients are CP or Tucker tensors.
 *
 * Layer: L4, tensor kit. With all factors but one fixed the prediction is linear in that one: each sample, its other axes
 * multiplied by their factors, is a row of a least-squares problem.
 */
#include "kits/tensor/solve/regression.h"
#include "kits/tensor/common.h"
#include "kits/tensor/solve/solve.h"
#include "kits/tensor/sweeps.h"
#include <math.h>

void hed_regression_clear(hed_regression *r)
{
  if (!r)
    return;
  hed_release(r->coefficients);
  hed_release(r->intercept);
  hed_cp_clear(&r->cp);
  hed_tucker_clear(&r->tucker);
  *r = (hed_regression){ 0 };
}

static hed_axes counted(int first, int n)
{
  hed_axes a = { .n = n };
  for (int i = 0; i < n; i++)
    a.axis[i] = first + i;
  return a;
}

hed_array *hed_regression_predict(const hed_regression *r, const hed_array *x)
{
  char one[160], other[160];
  const hed_shape s = hed_array_shape(x), c = hed_array_shape(r ? r->coefficients : NULL);
  const int outputs = r ? hed_array_ndim(r->intercept) : 0, features = s.ndim - 1;
  hed_array *out = NULL;
  if (!r || !x || !r->coefficients || !r->intercept) {
    (void)(x ? hed_fail(HED_E_INVAL, "hed_regression_predict: r is NULL or empty")
             : hed__tensor_missing("hed_regression_predict", "x"));
    return NULL;
  }
  bool fits = features >= 1 && c.ndim == features + outputs;
  for (int k = 0; fits && k < features; k++)
    fits = s.dim[k + 1] == c.dim[k];
  if (!fits) {
    (void)hed_fail(HED_E_SHAPE, "hed_regression_predict: x has shape %s, the coefficients %s; features are x's axes but the first",
                   hed__shape_words(s, one), hed__shape_words(c, other));
    return NULL;
  }
  HED_SCOPE {
    const hed_axes of_x = counted(1, features), of_c = counted(0, features);
    out = hed_keep(hed_add(hed_tensordot(x, r->coefficients, &of_x, &of_c), r->intercept));
  }
  return hed__tensor_given(out);
}

hed_status hed__samples_take(const char *op, const hed_array *x, const hed_array *y, bool centre, bool scale, hed__samples *out)
{
  char one[160], other[160];
  double squares = 0;
  const hed_shape s = hed_array_shape(x), u = hed_array_shape(y);
  hed_array *ox = hed__tensor_operand(op, "x", x), *oy = ox ? hed__tensor_operand(op, "y", y) : NULL;
  *out = (hed__samples){ .op = op, .vector = u.ndim == 1 };
  if (!oy)
    return hed_error();
  const hed_dtype t = hed_result_type(2, (const hed_array *const[]){ ox, oy }, 0, NULL);
  if (hed_dtype_kind(t) == HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "%s: x is %s, y %s; real numbers are expected", op, hed_dtype_name(hed_array_dtype(x)),
                    hed_dtype_name(hed_array_dtype(y)));
  if (s.ndim < 2 || s.ndim > 14 || u.ndim < 1 || u.ndim > 2 || hed_array_size(x) == 0 || hed_array_size(y) == 0 ||
      s.dim[0] != u.dim[0])
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, y %s; (n, ..) and (n) or (n, m) are expected", op, hed__shape_words(s,
        one),
                    hed__shape_words(u, other));
  out->x = hed_astype(ox, t);
  out->y = hed_reshape(hed_astype(oy, t), HED_SHAPE(u.dim[0], u.ndim == 2 ? u.dim[1] : 1));
  hed_status status = out->x && out->y ? hed__tensor_exponent(op, "x", out->x, &out->x_exponent) : hed_error();
  if (status == HED_OK)
    status = hed__tensor_exponent(op, "y", out->y, &out->y_exponent);
  if (!scale)
    out->x_exponent = out->y_exponent = 0;
  if (status == HED_OK) {
    out->x = hed__tensor_scaled(out->x, -out->x_exponent);
    out->y = hed__tensor_scaled(out->y, -out->y_exponent);
    status = out->x && out->y ? hed__tensor_squares(op, "x", out->x, &squares) : hed_error();
  }
  if (status == HED_OK)
    status = hed__tensor_squares(op, "y", out->y, &squares);
  if (status == HED_OK && centre) {
    const hed_reduce first = { .axes = HED_AXES(0) };
    out->x_mean = hed_mean(out->x, &first);
    out->y_mean = hed_mean(out->y, &first);
    out->x = hed_subtract(out->x, out->x_mean);
    out->y = hed_subtract(out->y, out->y_mean);
    status = out->x && out->y ? hed__tensor_squares(op, "y", out->y, &squares) : hed_error();
  }
  out->norm = sqrt(squares);
  return status;
}

hed_status hed__samples_finish(const hed__samples *s, const hed_array *coefficients, hed_regression *out)
{
  const int features = hed_array_ndim(coefficients) - 1;
  hed_array *intercept, *c = s->vector ? hed_squeeze(coefficients, &HED_AXES(-1)) : hed__tensor_same(coefficients);
  if (s->x_mean) {
    const hed_axes all = counted(0, features);
    intercept = hed_subtract(s->y_mean, hed_tensordot(s->x_mean, coefficients, &all, &all));
  } else {
    intercept = hed_zeros(HED_SHAPE(hed_array_shape(s->y).dim[1]), hed_array_dtype(s->y));
  }
  intercept = s->vector ? hed_squeeze(intercept, &HED_AXES(0)) : intercept;
  if (!c || !intercept)
    return hed_error();
  out->coefficients = hed_keep(c);
  out->intercept = hed_keep(intercept);
  const hed_status status = hed__tensor_rescale(&out->coefficients, s->y_exponent - s->x_exponent);
  return status == HED_OK ? hed__tensor_rescale(&out->intercept, s->y_exponent) : status;
}

hed_array *hed__ridge_solve(const hed_array *a, const hed_array *b, double ridge)
{
  hed_array *x = NULL;
  if (ridge <= 0)
    return hed_lstsq(a, b, -1, &x, NULL, NULL, NULL) == HED_OK ? x : NULL;
  hed_array *at = hed_matrix_transpose(a);
  return hed_solve(hed__ridge(hed_matmul(at, a), ridge), hed_matmul(at, b));
}

/* ---- both kinds ---- */

typedef struct model {
  hed__samples data;
  double ridge;
  int features; /* axes of X but the first */
  hed_array *factor[HED_MAX_NDIM];
  hed_array *last; /* CP: the factor of the outputs (m, R); Tucker: the core (r_1, .., m) */
  bool tucker;
} model;

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

/* The samples with feature axis K first behind them, and all others as one: (n, I_k, rest). */
static hed_array *unfolded(const model *m, int k)
{
  const hed_shape s = hed_array_shape(m->data.x);
  return hed_reshape(hed_moveaxis(m->data.x, k + 1, 1), HED_SHAPE(s.dim[0], s.dim[k + 1], -1));
}

/* CP: (n, I_k, R), each component of all factors but K applied to the samples. */
static hed_array *applied(const model *m, int k)
{
  const hed_array *others[HED_MAX_NDIM];
  int n = 0;
  for (int i = 0; i < m->features; i++)
    if (i != k)
      others[n++] = m->factor[i];
  if (n > 0)
    return hed_matmul(unfolded(m, k), hed_khatri_rao(n, others, NULL));
  const hed_shape s = hed_array_shape(m->data.x);
  return hed_broadcast_to(hed_expand_dims(m->data.x, 2), HED_SHAPE(s.dim[0], s.dim[1], hed_array_shape(m->factor[0]).dim[1]));
}

/* Tucker: the samples times all factors but K, (n, r_1, .., I_k, .., r_d). */
static hed_array *projected(const model *m, int k)
{
  hed_array *x = hed__tensor_same(m->data.x);
  for (int i = 0; i < m->features; i++)
    if (i != k)
      x = hed_mode_dot(x, m->factor[i], i + 1, true);
  return x;
}

/* Rows (n m, I_k c) from D (n, I_k, c, m), and y as a column for them. */
static hed_array *solve_factor(const model *m, const hed_array *d)
{
  if (!d)
    return NULL;
  const hed_shape s = hed_array_shape(d);
  hed_array *rows = hed_reshape(hed_moveaxis(d, 3, 1), HED_SHAPE(s.dim[0] * s.dim[3], s.dim[1] * s.dim[2]));
  hed_array *w = hed__ridge_solve(rows, hed_reshape(m->data.y, HED_SHAPE(s.dim[0] * s.dim[3], 1)), m->ridge);
  return hed_reshape(w, HED_SHAPE(s.dim[1], s.dim[2]));
}

/* CP: all factors, then that of the outputs; *FIT is the prediction (n, m). */
static hed_status sweep_cp(model *m, hed_array **fit)
{
  hed_array *z = NULL;
  for (int k = 0; k < m->features; k++) {
    hed_array *d = applied(m, k);
    /* (n, I_k, R, 1) times (R, m) */
    take(&m->factor[k], solve_factor(m, hed_multiply(hed_expand_dims(d, 3), hed_matrix_transpose(m->last))));
    if (!m->factor[k])
      return hed_error();
    if (k + 1 == m->features)
      z = hed_sum(hed_multiply(d, m->factor[k]), &(hed_reduce){ .axes = HED_AXES(1) }); /* (n, R) */
  }
  if (!m->data.vector)
    take(&m->last, hed_matrix_transpose(hed__ridge_solve(z, m->data.y, m->ridge)));
  *fit = m->last ? hed_matmul(z, hed_matrix_transpose(m->last)) : NULL;
  return *fit ? HED_OK : hed_error();
}

static hed_status sweep_tucker(model *m, hed_array **fit)
{
  const hed_shape ranks = hed_array_shape(m->last);
  const int64_t n = hed_array_shape(m->data.y).dim[0], outputs = ranks.dim[m->features];
  for (int k = 0; k < m->features; k++) {
    hed_array *x = hed_moveaxis(projected(m, k), k + 1, 1), *core = hed_moveaxis(m->last, k, 0);
    const hed_shape s = hed_array_shape(x);
    if (!x || !core)
      return hed_error();
    const int64_t rest = hed_array_size(core) / (ranks.dim[k] * outputs);
    x = hed_reshape(x, HED_SHAPE(n * s.dim[1], rest));
    core = hed_reshape(hed_moveaxis(hed_reshape(core, HED_SHAPE(ranks.dim[k], rest, outputs)), 1, 0), HED_SHAPE(rest,
         ranks.dim[k] * outputs));
    hed_array *u = solve_factor(m, hed_reshape(hed_matmul(x, core), HED_SHAPE(n, s.dim[1], ranks.dim[k], outputs)));
    hed_array *q = NULL, *r = NULL;
    if (!u || hed_qr(u, HED_QR_REDUCED, &q, &r) != HED_OK)
      return hed_error();
    take(&m->factor[k], q); /* the core, which is found last, takes up the triangle: the model stays as it is until then */
    take(&m->last, hed_mode_dot(m->last, r, k, false));
    if (!m->last)
      return hed_error();
  }
  hed_array *x = hed_reshape(projected(m, -1), HED_SHAPE(n, hed_array_size(m->last) / outputs));
  hed_array *core = hed__ridge_solve(x, m->data.y, m->ridge);
  take(&m->last, hed_reshape(core, hed_array_shape(m->last)));
  *fit = hed_matmul(x, core);
  return m->last && *fit ? HED_OK : hed_error();
}

static hed_status sweep(model *m, double *error)
{
  double squares = 0;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *fit = NULL;
    hed_status status = m->tucker ? sweep_tucker(m, &fit) : sweep_cp(m, &fit);
    if (status == HED_OK)
      status = hed__tensor_squares(m->data.op, "the residual", hed_subtract(m->data.y, fit), &squares);
    *error = m->data.norm > 0 ? sqrt(squares) / m->data.norm : 0;
    return status;
  }
  return hed_error();
}

/* RANKS: the columns of each factor. */
static hed_status start(model *m, const int64_t *ranks, const hed_random *random)
{
  const hed_shape s = hed_array_shape(m->data.x);
  const hed_dtype t = hed_array_dtype(m->data.x);
  const int64_t outputs = hed_array_shape(m->data.y).dim[1];
  hed_generator g;
  hed_shape core = { .ndim = m->features + 1 };
  hed_status status = hed_check_random_state(random, &g);
  if (status != HED_OK)
    return status;
  for (int k = 0; k < m->features; k++) {
    hed_array *a = hed_random_normal(HED_SHAPE(s.dim[k + 1], ranks[k]), t, &(hed_random){ .generator = &g }), *r = NULL;
    core.dim[k] = ranks[k];
    if (m->tucker && hed_qr(a, HED_QR_REDUCED, &a, &r) != HED_OK)
      return hed_error();
    take(&m->factor[k], a);
    if (!a)
      return hed_error();
  }
  core.dim[m->features] = outputs;
  if (m->tucker)
    take(&m->last, hed_random_normal(core, t, &(hed_random){ .generator = &g }));
  else
    take(&m->last, m->data.vector ? hed_ones(HED_SHAPE(1, ranks[0]), t)
                                  : hed_random_normal(HED_SHAPE(outputs, ranks[0]), t, &(hed_random){ .generator = &g }));
  return m->last ? HED_OK : hed_error();
}

/* The factors as a tensor of the result; the model has none of them any more. */
static hed_status hand_out(model *m, int64_t rank, hed_regression *out)
{
  hed_array *full = NULL;
  if (m->tucker) {
    hed_tucker *t = &out->tucker;
    t->order = m->features + !m->data.vector;
    t->core = m->data.vector ? hed_keep(hed_squeeze(m->last, &HED_AXES(-1))) : hed_retain(m->last);
    for (int k = 0; k < m->features; k++)
      t->factor[k] = hed_retain(m->factor[k]);
    full = t->core ? hed_tucker_full(t) : NULL;
  } else {
    hed_cp *c = &out->cp;
    c->order = m->features + !m->data.vector;
    c->rank = rank;
    for (int k = 0; k < c->order; k++)
      c->factor[k] = hed_retain(k < m->features ? m->factor[k] : m->last);
    full = hed_cp_full(c);
  }
  hed_status status = full ? hed__samples_finish(&m->data, m->data.vector ? hed_expand_dims(full, -1) : full, out) : hed_error();
  const int e = m->data.y_exponent - m->data.x_exponent;
  if (status == HED_OK) /* one part of each tensor has its unit */
    status = hed__tensor_rescale(m->tucker ? &out->tucker.core : &out->cp.factor[m->features - 1], e);
  return status;
}

static hed_status fit_model(model *m, const hed_array *x, const hed_array *y, const int64_t *ranks, const hed_regression_options *o,
                            hed_regression *out, hed_fit *fit)
{
  hed__run run;
  double error = 0;
  hed_status status = hed__run_begin(&run, m->data.op, &o->sweeps, 200, 1e-8);
  HED_SCOPE {
    if (status == HED_OK)
      status = hed__samples_take(m->data.op, x, y, !o->no_intercept, o->ridge == 0, &m->data);
    if (status == HED_OK)
      status = start(m, ranks, &o->random);
    while (status == HED_OK && hed__run_goes_on(&run)) {
      status = sweep(m, &error);
      if (status == HED_OK)
        status = hed__run_swept(&run, error);
    }
    status = hed__run_end(&run, status, fit);
    if (status == HED_OK)
      status = hand_out(m, ranks[0], out);
  }
  if (status != HED_OK) {
    hed_regression_clear(out);
    hed_fit_clear(fit);
  }
  for (int k = 0; k < m->features; k++)
    hed_release(m->factor[k]);
  hed_release(m->last);
  return status;
}

static hed_status check(const char *op, const hed_array *x, const hed_regression_options *o, hed_regression *out, hed_fit *fit)
{
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!x || !out)
    return x ? hed_fail(HED_E_INVAL, "%s: out is NULL", op) : hed__tensor_missing(op, "x");
  *out = (hed_regression){ 0 };
  if (!(o->ridge >= 0))
    return hed_fail(HED_E_INVAL, "%s: ridge is %g; it is 0 or more", op, o->ridge);
  return hed_array_ndim(x) < 2 ? hed_fail(HED_E_SHAPE, "%s: x has %d axes; 2 or more are expected", op, (int)hed_array_ndim(x))
      : HED_OK;
}

static const hed_regression_options defaults;

hed_status hed_cp_regression(const hed_array *x, const hed_array *y, int64_t rank, const hed_regression_options *opt,
                             hed_regression *out, hed_fit *fit)
{
  const hed_regression_options *o = opt ? opt : &defaults;
  model m = { .data = { .op = "hed_cp_regression" }, .ridge = o->ridge, .features = hed_array_ndim(x) - 1 };
  int64_t ranks[HED_MAX_NDIM];
  hed_status status = check(m.data.op, x, o, out, fit);
  if (status == HED_OK && rank < 1)
    status = hed_fail(HED_E_INVAL, "%s: rank is %lld; it is 1 or more", m.data.op, (long long)rank);
  for (int k = 0; k < HED_MAX_NDIM; k++)
    ranks[k] = rank;
  return status == HED_OK ? fit_model(&m, x, y, ranks, o, out, fit) : status;
}

hed_status hed_tucker_regression(const hed_array *x, const hed_array *y, const hed_shape *ranks, const hed_regression_options *opt,
                                 hed_regression *out, hed_fit *fit)
{
  const hed_regression_options *o = opt ? opt : &defaults;
  model m = { .data = { .op = "hed_tucker_regression" }, .ridge = o->ridge, .features = hed_array_ndim(x) - 1, .tucker = true };
  const hed_shape s = hed_array_shape(x);
  int64_t used[HED_MAX_NDIM] = { 0 };
  hed_status status = check(m.data.op, x, o, out, fit);
  if (status == HED_OK && (!ranks || (ranks->ndim != 1 && ranks->ndim != m.features)))
    status = hed_fail(ranks ? HED_E_SHAPE : HED_E_INVAL, "%s: %d ranks for %d feature axes", m.data.op, ranks ? (int)ranks->ndim : 0,
                      m.features);
  for (int k = 0; status == HED_OK && k < m.features; k++) {
    const int64_t r = ranks->dim[ranks->ndim == 1 ? 0 : k];
    if (r < 1)
      status = hed_fail(HED_E_INVAL, "%s: rank %d is %lld; ranks are 1 or more", m.data.op, k, (long long)r);
    used[k] = r < s.dim[k + 1] ? r : s.dim[k + 1];
  }
  return status == HED_OK ? fit_model(&m, x, y, used, o, out, fit) : status;
}
