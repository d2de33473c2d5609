// SPDX-License-Identifier: BSD-3-Clause
/* Random arrays of the other distributions, and the kernels that fill rows: categorical, dirichlet, haar. L3.
 *
 * Parameters that are arrays are converted to float64, broadcast against each other and handed to the kernel, which refuses
 * values outside their range.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/random/random.h"
#include "core/context/random_stream.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

/* ---- parameters are numbers ---- */

static hed_array *simple(int op, int kind, const hed_shape *shape, double a, double b, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  int id = hed__random_dtype(op, t, &device);
  hed_random_params p = { .kind = kind, .a = a, .b = b };
  return id < 0 ? NULL : hed__random_draw_new(op, shape, id, device, opt ? opt : &hed__random_defaults, &p);
}

static hed_array *with_probability(int op, int kind, const hed_shape *shape, double p, hed_dtype t, const hed_random *opt)
{
  if (p >= 0 && p <= 1)
    return simple(op, kind, shape, p, 0, t, opt);
  hed_fail(HED_E_INVAL, "%s: p is %g, not in [0, 1]", hed__op_rows[op].name, p);
  return NULL;
}

hed_array *HED_BODY(random_bernoulli)(hed_shape shape, double p, hed_dtype t, const hed_random *opt)
{
  return with_probability(HED_OP_RANDOM_BERNOULLI, HED_RANDOM_BERNOULLI, &shape, p, t, opt);
}

hed_array *HED_BODY(random_bipolar)(hed_shape shape, double p, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  int id = hed__random_dtype(HED_OP_RANDOM_BIPOLAR, t, &device);
  if (id < 0)
    return NULL;
  if (hed__id_kind(id) == HED_KIND_UINT) {
    hed_fail(HED_E_DTYPE, "random_bipolar: the result has dtype %s, which has no -1", hed__dtypes[id]->name);
    return NULL;
  }
  return with_probability(HED_OP_RANDOM_BIPOLAR, HED_RANDOM_BIPOLAR, &shape, p, t, opt);
}

static hed_array *with_scale(int op, int kind, const hed_shape *shape, double location, double scale, hed_dtype t,
                             const hed_random *opt)
{
  const char *name = hed__op_rows[op].name;
  if (hed__random_finite(name, "location", location) != HED_OK)
    return NULL;
  if (scale > 0 && isfinite(scale))
    return simple(op, kind, shape, location, scale, t, opt);
  hed_fail(HED_E_INVAL, "%s: scale is %g, not finite and above 0", name, scale);
  return NULL;
}

hed_array *HED_BODY(random_exponential)(hed_shape shape, double scale, hed_dtype t, const hed_random *opt)
{
  return with_scale(HED_OP_RANDOM_EXPONENTIAL, HED_RANDOM_EXPONENTIAL, &shape, 0, scale, t, opt);
}

hed_array *HED_BODY(random_laplace)(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt)
{
  return with_scale(HED_OP_RANDOM_LAPLACE, HED_RANDOM_LAPLACE, &shape, location, scale, t, opt);
}

hed_array *HED_BODY(random_logistic)(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt)
{
  return with_scale(HED_OP_RANDOM_LOGISTIC, HED_RANDOM_LOGISTIC, &shape, location, scale, t, opt);
}

hed_array *HED_BODY(random_gumbel)(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt)
{
  return with_scale(HED_OP_RANDOM_GUMBEL, HED_RANDOM_GUMBEL, &shape, location, scale, t, opt);
}

hed_array *HED_BODY(random_cauchy)(hed_shape shape, double location, double scale, hed_dtype t, const hed_random *opt)
{
  return with_scale(HED_OP_RANDOM_CAUCHY, HED_RANDOM_CAUCHY, &shape, location, scale, t, opt);
}

hed_array *HED_BODY(random_phasor)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  return simple(HED_OP_RANDOM_PHASOR, HED_RANDOM_PHASOR, &shape, 0, 0, t, opt);
}

/* ---- parameters are arrays ---- */

/* The operands A and B of KIND; where there is one parameter both are the same array. */
static hed_array *with_arrays(int op, int kind, const hed_array *a, const char *a_arg, const hed_array *b, const char *b_arg,
                              const hed_shape *size, hed_dtype t, const hed_random *opt)
{
  const char *name = hed__op_rows[op].name;
  const hed_array *operands[2] = { a, b };
  if (!hed__given(a, name, a_arg) || !hed__given(b, name, b_arg))
    return NULL;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), both, shape;
  if (hed__check_domain(name, "bif", a_arg, a->view.dtype) != HED_OK ||
      hed__check_domain(name, "bif", b_arg, b->view.dtype) != HED_OK)
    return NULL;
  if (!hed__broadcast(&sa, &sb, &both)) {
    hed_fail(HED_E_SHAPE, "%s: shapes %s of %s and %s of %s do not broadcast", name, HED__TEXT(&sa), a_arg, HED__TEXT(&sb),
             b_arg);
    return NULL;
  }
  shape = size ? *size : both;
  if (hed__check_shape(name, "size", &shape, HED_ID_COMPLEX128) != HED_OK)
    return NULL;
  hed__exec ex;
  if (hed__plan(&ex, op, 2, operands) != HED_OK)
    return NULL;
  hed__forced forced;
  hed_array *out = NULL, *wide[2] = { NULL, NULL };
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_status status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    hed__device *device = ex.device;
    hed_random_params p = { .kind = kind };
    hed_view views[2];
    const hed_view *list[2] = { &views[0], &views[1] };
    int id = hed__random_dtype(op, t, &device);
    status = id < 0 ? (hed_status)id : HED_OK;
    for (int k = 0; k < 2 && status == HED_OK; k++) {
      if (!(wide[k] = hed_astype(ex.in[k], hed__wide_float(device))))
        status = hed_error();
      else if (!hed__broadcast_view(&wide[k]->view, shape.ndim, shape.dim, &views[k]))
        status = hed_fail(HED_E_SHAPE, "%s: %s of shape %s does not broadcast to size %s", name, k ? b_arg : a_arg,
                          HED__TEXT(k ? &sb : &sa), HED__TEXT(&shape));
    }
    if (status == HED_OK && !(out = hed__array_new(device, id, shape.ndim, shape.dim)))
      status = hed_error();
    if (status == HED_OK)
      status = hed__random_take(name, opt ? opt : &hed__random_defaults, &p.key, &p.draw);
    if (status == HED_OK)
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = (const hed_array *const *)wide,
                                             .in_view = list, .params = &p, .compute = id, .op = 1 + HED_OP_RANDOM });
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  hed_release(wide[0]);
  hed_release(wide[1]);
  if (status != HED_OK) {
    hed__random_undo(&mark);
    hed_release(out);
    out = NULL;
  }
  return out;
}

hed_array *HED_BODY(random_gamma)(const hed_array *k, const hed_array *theta, const hed_shape *size, hed_dtype t,
                            const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_GAMMA, HED_RANDOM_GAMMA, k, "k", theta, "theta", size, t, opt);
}

hed_array *HED_BODY(random_beta)(const hed_array *a, const hed_array *b, const hed_shape *size, hed_dtype t,
                           const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_BETA, HED_RANDOM_BETA, a, "a", b, "b", size, t, opt);
}

hed_array *HED_BODY(random_chi_squared)(const hed_array *df, const hed_shape *size, hed_dtype t, const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_CHI_SQUARED, HED_RANDOM_CHI_SQUARED, df, "df", df, "df", size, t, opt);
}

hed_array *HED_BODY(random_standard_t)(const hed_array *df, const hed_shape *size, hed_dtype t, const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_STANDARD_T, HED_RANDOM_STANDARD_T, df, "df", df, "df", size, t, opt);
}

hed_array *HED_BODY(random_poisson)(const hed_array *mean, const hed_shape *size, hed_dtype t, const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_POISSON, HED_RANDOM_POISSON, mean, "mean", mean, "mean", size, t, opt);
}

hed_array *HED_BODY(random_binomial)(const hed_array *n, const hed_array *p, const hed_shape *size, hed_dtype t,
                               const hed_random *opt)
{
  return with_arrays(HED_OP_RANDOM_BINOMIAL, HED_RANDOM_BINOMIAL, n, "n", p, "p", size, t, opt);
}

/* ---- rows ---- */

hed_array *hed__random_rows_new(int op, const hed_array *in, const hed_shape *shape, hed_dtype t, bool weights,
                                const hed_random *opt)
{
  const char *name = hed__op_rows[op].name;
  hed__device *device = NULL;
  hed__exec ex;
  hed__forced forced;
  hed_array *out = NULL, *wide = NULL;
  hed_random_rows_params p = { .weights = weights };
  int id = hed__random_dtype(op, t, &device);
  if (id < 0 || hed__check_shape(name, "the result's shape", shape, id) != HED_OK)
    return NULL;
  if (!in && !(out = hed__array_new(device, id, shape->ndim, shape->dim)))
    return NULL;
  const hed_array *operand = in ? in : out;
  if (hed__plan(&ex, op, 1, &operand) != HED_OK) {
    hed_release(out);
    return NULL;
  }
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_status status = hed__force_begin(&forced, &ex);
  if (status == HED_OK) {
    device = ex.device;
    if (in && (id = hed__random_dtype(op, t, &device)) < 0)
      status = (hed_status)id;
    if (status == HED_OK && in && (!(wide = hed_astype(ex.in[0], hed__wide_float(device))) ||
                                   !(out = hed__array_new(device, id, shape->ndim, shape->dim))))
      status = hed_error();
    hed_view view = { 0 };
    const hed_view *list = &view;
    if (wide) { /* dirichlet: alpha may be repeated along leading axes */
      view = wide->view;
      hed_shape rows = *shape;
      rows.dim[rows.ndim - 1] = view.dim[view.ndim - 1];
      if (!hed__broadcast_view(&wide->view, rows.ndim, rows.dim, &view)) {
        hed_shape got = hed__shape_of(in);
        status = hed_fail(HED_E_SHAPE, "%s: rows of shape %s do not broadcast to %s", name, HED__TEXT(&got),
                          HED__TEXT(&rows));
      }
    }
    if (status == HED_OK)
      status = hed__random_take(name, opt ? opt : &hed__random_defaults, &p.key, &p.draw);
    if (status == HED_OK)
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = wide ? 1 : 0, .out = &out,
                                             .in = wide ? (const hed_array *const *)&wide : ex.in,
                                             .in_view = wide ? &list : NULL, .params = &p, .compute = id });
    hed__force_end(&forced);
  }
  hed__exec_end(&ex);
  hed_release(wide);
  if (status != HED_OK) {
    hed__random_undo(&mark);
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* X has rows of at least one number. */
static bool has_rows(const char *op, const char *arg, const hed_array *x)
{
  if (!hed__given(x, op, arg) || hed__check_domain(op, "bif", arg, x->view.dtype) != HED_OK)
    return false;
  if (x->view.ndim > 0 && x->view.dim[x->view.ndim - 1] > 0)
    return true;
  hed_shape s = hed__shape_of(x);
  hed_fail(HED_E_SHAPE, "%s: %s has shape %s, no values along a last axis", op, arg, HED__TEXT(&s));
  return false;
}

hed_array *HED_BODY(random_categorical)(const hed_array *logits, int64_t n, hed_dtype t, const hed_random *opt)
{
  const char *op = "random_categorical";
  if (!has_rows(op, "logits", logits))
    return NULL;
  hed_shape s = hed__shape_of(logits);
  if (n < 0) {
    hed_fail(HED_E_INVAL, "%s: n is %lld", op, (long long)n);
    return NULL;
  }
  s.dim[s.ndim - 1] = n;
  return hed__random_rows_new(HED_OP_RANDOM_CATEGORICAL, logits, &s, t, false, opt);
}

hed_array *HED_BODY(random_dirichlet)(const hed_array *alpha, const hed_shape *size, hed_dtype t, const hed_random *opt)
{
  const char *op = "random_dirichlet";
  if (!has_rows(op, "alpha", alpha))
    return NULL;
  hed_shape s = hed__shape_of(alpha);
  int64_t k = s.dim[s.ndim - 1];
  if (size && (size->ndim < 1 || size->ndim > HED_MAX_NDIM || size->dim[size->ndim - 1] != k)) {
    hed_fail(HED_E_SHAPE, "%s: size must end with %lld, the last extent of alpha", op, (long long)k);
    return NULL;
  }
  return hed__random_rows_new(HED_OP_RANDOM_DIRICHLET, alpha, size ? size : &s, t, false, opt);
}

hed_array *HED_BODY(random_haar)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  if (shape.ndim < 2 || shape.ndim > HED_MAX_NDIM || shape.dim[shape.ndim - 1] != shape.dim[shape.ndim - 2]) {
    hed_fail(HED_E_SHAPE, "random_haar: shape %s does not end with two equal extents",
             shape.ndim <= HED_MAX_NDIM && shape.ndim >= 0 ? HED__TEXT(&shape) : "of too many axes");
    return NULL;
  }
  return hed__random_rows_new(HED_OP_RANDOM_HAAR, NULL, &shape, t, false, opt);
}
