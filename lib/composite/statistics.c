// SPDX-License-Identifier: BSD-3-Clause
/* Statistics in terms of other operations: logsumexp, ptp, diff, average, cov, corrcoef; isotonic, which has a kernel. L3.
 *
 * Options are checked first; then public operations run in a frame (composed.h), where a NULL goes through to the end.
 */
#include "api/call/check.h"
#include "api/elementwise/fuse.h"
#include "api/call/infer.h"
#include "api/reduce/reduce.h"
#include "composite/composed.h"
#include "composite/units.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

static const hed_reduce defaults;

/* The type of a FLOAT operation's intermediate results: float32 for 16-bit floats, float64 for integers. */
static hed_dtype wide_of(int id)
{
  return hed__id_kind(id) < HED_KIND_FLOAT ? HED_FLOAT64 : hed__dtypes[hed__compute_of(id)];
}

/* ---- reductions ---- */

static bool reducible(int op, const hed_array *x, const hed_reduce *opt, uint32_t *mask)
{
  const char *name = hed__op_rows[op].name;
  return hed__given(x, name, "x") &&
         hed__check_domain(name, hed__op_rows[op].domain, "x", x->view.dtype) == HED_OK &&
         hed__check_axes(name, &opt->axes, x->view.ndim, mask) == HED_OK;
}

/* X as it is summed, with the options that go with it. */
static hed_array *lifted(const hed_array *x, const hed_reduce *opt)
{
  hed_dtype t = wide_of(x->view.dtype);
  return hed_astype(x, opt->dtype ? hed_dtype_promote(t, opt->dtype) : t);
}

/* An infinite largest value is no help: exp(x) says it all then. */
static hed_array *finite_top(const hed_array *x, const hed_reduce *opt)
{
  const hed_array *top = hed_max(x, opt);
  return hed_where_scalar(hed_isfinite(top), top, 0);
}

/* By calls that a fusion scope records; no view between them. */
static hed_array *recorded_logsumexp(const hed_array *x, const hed_reduce *opt, hed_dtype type)
{
  const hed_reduce keep = { .axes = opt->axes, .keepdims = true };
  hed_scope scope;
  if (hed_scope_begin(&scope) != HED_OK)
    return NULL;
  hed_dtype t = wide_of(x->view.dtype);
  const hed_array *wide = t == hed_array_dtype(x) ? x : hed_astype(x, t), *top = finite_top(wide, &keep);
  const hed_array *sum = hed_sum(hed_exp(hed_subtract(wide, top)), opt);
  hed_array *out = hed_add(hed_log(sum), opt->keepdims ? top : finite_top(wide, opt));
  return hed__fuse_made(&scope, t == type ? out : hed_astype(out, type));
}

hed_array *HED_BODY(logsumexp)(const hed_array *x, const hed_reduce *opt)
{
  uint32_t mask;
  if (!opt)
    opt = &defaults;
  int compute, id;
  if (hed__fusing() && hed__fuse_reducible(x, opt) &&
      hed__reduce_types(HED_OP_LOGSUMEXP, x, NULL, hed__context()->device, &compute, &id) == HED_OK)
    return recorded_logsumexp(x, opt, hed__dtypes[id]);
  if (!reducible(HED_OP_LOGSUMEXP, x, opt, &mask))
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_LOGSUMEXP, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__reduce_types(HED_OP_LOGSUMEXP, x, opt->dtype, c.ex.device, &compute, &id) == HED_OK) {
    hed_shape keep, plain;
    hed__reduced_shapes(x, mask, &keep, &plain);
    const hed_shape *shape = opt->keepdims ? &keep : &plain;
    hed_reduce o = { .axes = opt->axes, .keepdims = true };
    if (hed__view_size(&x->view) == 0) {
      out = hed_full(*shape, -INFINITY, hed__dtypes[id]);
    } else {
      hed_array *wide = lifted(c.ex.in[0], opt), *top = finite_top(wide, &o);
      hed_array *sum = hed_sum(hed_exp(hed_subtract(wide, top)), &o);
      out = hed_astype(hed_reshape(hed_add(hed_log(sum), top), *shape), hed__dtypes[id]);
    }
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(ptp)(const hed_array *x, const hed_reduce *opt)
{
  uint32_t mask;
  if (!opt)
    opt = &defaults;
  if (!reducible(HED_OP_PTP, x, opt, &mask) || hed__check_elements("ptp", x, mask) != HED_OK)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_PTP, 1, &x) != HED_OK)
    return NULL;
  return composed_end(&c, hed_subtract(hed_max(c.ex.in[0], opt), hed_min(c.ex.in[0], opt)));
}

/* What absolute values are larger than that leave something to be seen of smaller ones. */
static double vanishing(const hed_array *x) { return hed__real_of(x->view.dtype) == HED_ID_FLOAT64 ? 0x1p-900 : 0x1p-80; }

/* Which of X are finite and larger than that. */
static hed_array *in_range(const hed_array *x)
{
  const hed_array *size = hed_abs(x);
  return size ? hed_logical_and(hed_isfinite(size), hed_greater_scalar(size, vanishing(x))) : NULL;
}

/* *YES: are all? False, without a failure, where to ask is to wait for a device. */
static hed_status all_in_range(const hed__exec *ex, const hed_array *x, bool *yes)
{
  double least = 0, most = 0;
  if (!x)
    return hed_error();
  *yes = hed_array_size(x) == 0;
  if (*yes || !ex->device->host)
    return HED_OK;
  const hed_array *size = hed_abs(x);
  if (hed_item(hed_min(size, NULL), &least) != HED_OK || hed_item(hed_max(size, NULL), &most) != HED_OK)
    return hed_error();
  *yes = least > vanishing(x) && most < INFINITY; /* no NaN is */
  return HED_OK;
}

/* The sum of X times W over that of W, and once more with both brought next to 1 where one of these left the range. */
static hed_array *weighted_mean(const hed__exec *ex, const hed_array *x, const hed_array *w, const hed_reduce *opt,
                                const hed_reduce *total)
{
  hed_array *sum = hed_sum(hed_multiply(x, w), opt), *mass = hed_sum(w, total), *mean = hed_divide(sum, mass);
  bool sums, masses;
  if (!mean || all_in_range(ex, sum, &sums) != HED_OK || all_in_range(ex, mass, &masses) != HED_OK)
    return NULL;
  if ((sums && masses) || hed_array_size(x) == 0)
    return mean;
  const hed_array *good = hed_logical_and(in_range(sum), in_range(mass));
  hed_array *e = hed__exponents(hed__largest(x, &opt->axes, hed_max)), *f = hed__exponents(hed__largest(w, &opt->axes, hed_max));
  x = e ? hed_divide(x, hed_exp2(e)) : NULL;
  w = f ? hed_divide(w, hed_exp2(f)) : NULL;
  if (!x || !w)
    return NULL;
  hed_array *again = hed_divide(hed_sum(hed_multiply(x, w), opt), hed_sum(w, total));
  return again ? hed_where(good, mean, hed_multiply(again, hed_exp2(hed_reshape(e, hed__shape_of(again))))) : NULL;
}

hed_array *HED_BODY(average)(const hed_array *x, const hed_array *weights, const hed_reduce *opt)
{
  uint32_t mask;
  if (!opt)
    opt = &defaults;
  if (!reducible(HED_OP_AVERAGE, x, opt, &mask))
    return NULL;
  const hed_array *const operands[2] = { x, weights };
  composed c;
  int compute, id;
  if (!weights)
    return hed_mean(x, opt);
  hed_shape xs = hed__shape_of(x), ws = hed__shape_of(weights), fit;
  bool along = ws.ndim == 1 && xs.ndim > 1 && opt->axes.n == 1;
  int axis = opt->axes.n == 1 ? hed__axis(opt->axes.axis[0], xs.ndim) : -1;
  if (along ? ws.dim[0] != xs.dim[axis] && ws.dim[0] != 1
            : !hed__broadcast(&xs, &ws, &fit) || !hed__shape_equal(fit.ndim, fit.dim, xs.ndim, xs.dim)) {
    hed_fail(HED_E_SHAPE, "average: weights of shape %s fit neither x of shape %s nor one axis of it", HED__TEXT(&ws),
             HED__TEXT(&xs));
    return NULL;
  }
  if (composed_begin(&c, HED_OP_AVERAGE, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__reduce_types(HED_OP_AVERAGE, x, opt->dtype, c.ex.device, &compute, &id) == HED_OK) {
    hed_reduce o = { .axes = opt->axes, .keepdims = opt->keepdims };
    hed_array *wide = lifted(c.ex.in[0], opt), *w = lifted(c.ex.in[1], opt);
    const bool once = along && ws.dim[0] == xs.dim[axis]; /* the weights of every result are the same */
    if (along) {
      hed_shape one = { xs.ndim, { 0 } };
      for (int k = 0; k < xs.ndim; k++)
        one.dim[k] = k == axis ? ws.dim[0] : 1;
      w = hed_reshape(w, one);
    }
    if (!once)
      w = hed_broadcast_to(w, xs);
    /* their sum in a type as good as the other one's */
    hed_reduce total = o;
    if (wide && w)
      total.dtype = hed_dtype_promote(hed__dtypes[hed__real_of(wide->view.dtype)], hed_array_dtype(w));
    hed_array *mean = wide && w ? weighted_mean(&c.ex, wide, w, &o, &total) : NULL;
    /* complex weights, or those of a wider type, show in the result */
    int common = opt->dtype ? id : hed__promote(id, hed__id_kind(weights->view.dtype) < HED_KIND_FLOAT ? id : weights->view.dtype);
    out = hed_astype(mean, hed__dtypes[common]);
  }
  return composed_end(&c, out);
}

/* ---- differences ---- */

hed_array *HED_BODY(diff)(const hed_array *x, int64_t n, int32_t axis)
{
  if (!hed__given(x, "diff", "x"))
    return NULL;
  int at = hed__check_axis("diff", "axis", axis, x->view.ndim);
  if (at < 0)
    return NULL;
  if (n < 0) {
    hed_fail(HED_E_INVAL, "diff: n is %lld, at least 0 is needed", (long long)n);
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_DIFF, 1, &x) != HED_OK)
    return NULL;
  const hed_array *from = c.ex.in[0];
  const bool is_bool = x->view.dtype == HED_ID_BOOL;
  const int64_t extent = from->view.dim[at];
  hed_array *y = NULL;
  if (n == 0 || n >= extent || hed__view_size(&from->view) == 0) { /* nothing to compute */
    hed_slice_range some[HED_MAX_NDIM];
    for (int k = 0; k <= at; k++)
      some[k] = HED_ALL;
    some[at].stop = n < extent ? extent - n : 0;
    return composed_end(&c, hed_copy(hed_slice(from, at + 1, some)));
  }
  for (; n > 0 && from; n--, from = y) {
    hed_slice_range later[HED_MAX_NDIM], sooner[HED_MAX_NDIM];
    for (int k = 0; k <= at; k++)
      later[k] = sooner[k] = HED_ALL;
    later[at].start = 1;
    sooner[at].stop = from->view.dim[at] - 1;
    y = (is_bool ? hed_not_equal : hed_subtract)(hed_slice(from, at + 1, later), hed_slice(from, at + 1, sooner));
  }
  return composed_end(&c, y);
}

/* ---- covariance ---- */

/* Variables in rows of a wide type; X has one or two axes. */
static hed_array *variables(const hed_array *x, bool columns)
{
  hed_array *rows = hed_astype(x, wide_of(x->view.dtype));
  return x->view.ndim == 1 ? hed_expand_dims(rows, 0) : columns ? hed_transpose(rows, NULL) : rows;
}

/* The matrix of ROWS with weights W, which may be NULL. */
static hed_array *cov_matrix(const hed_array *rows, const hed_array *w, const hed_cov_options *opt)
{
  hed_reduce last = { .axes = HED_AXES(1), .keepdims = true };
  hed_dtype real = hed__dtypes[hed__real_of(rows->view.dtype)];
  hed_array *mean, *divisor;
  if (w) {
    hed_array *sum = hed_sum(w, NULL);
    mean = hed_divide(hed_sum(hed_multiply(rows, w), &last), sum);
    divisor = opt->population ? sum : hed_subtract(sum, hed_divide(hed_sum(hed_square(w), NULL), sum));
  } else {
    mean = hed_mean(rows, &last);
    divisor = hed_full(HED_SHAPE0, (double)rows->view.dim[1] - (opt->population ? 0 : 1), real);
  }
  hed_array *d = hed_subtract(rows, mean), *other = hed_transpose(d, NULL);
  if (other && hed__id_kind(other->view.dtype) == HED_KIND_COMPLEX)
    other = hed_conj(other); /* of reals it would be a copy: a matrix times its own transpose takes half */
  divisor = hed_maximum_scalar(divisor, 0);
  return hed_divide(hed_matmul(w ? hed_multiply(d, w) : d, other), divisor);
}

/* OUT over the deviations of its rows and columns. */
static hed_array *correlations(hed_array *out)
{
  hed_array *dev = out ? hed_sqrt(hed_real(hed_diagonal(out, 0, 0, 1))) : NULL;
  out = dev ? hed_divide(hed_divide(out, hed_expand_dims(dev, 1)), hed_expand_dims(dev, 0)) : NULL;
  /* rounding does not leave [-1, 1] */
  if (out && hed__id_kind(out->view.dtype) == HED_KIND_COMPLEX)
    return hed_add(hed_clip(hed_real(out), -1, 1), hed_multiply(hed_scalar_complex(0, 1), hed_clip(hed_imag(out), -1, 1)));
  return hed_clip(out, -1, 1);
}

/* OUT times 2^E of its row and of its column, in halves, so that a product is in the range if the result is. */
static hed_array *with_exponents(hed_array *out, const hed_array *e)
{
  const hed_array *half = hed_floor(hed_multiply_scalar(e, 0.5)), *rest = hed_exp2(hed_subtract(e, half));
  half = hed_exp2(half);
  out = hed_multiply(hed_multiply(out, half), hed_transpose(half, NULL));
  return hed_multiply(hed_multiply(out, rest), hed_transpose(rest, NULL));
}

/* The matrix of OP; once more with rows and weights brought next to 1 where squares or sums left the range. */
static hed_array *matrix_of(const hed__exec *ex, int op, const hed_cov_options *opt)
{
  const hed_array *rows = variables(ex->in[0], opt->columns), *w = NULL;
  hed_array *out = NULL, *e = NULL;
  if (rows && opt->weights)
    w = hed_expand_dims(hed_astype(ex->in[1], hed__dtypes[hed__real_of(rows->view.dtype)]), 0);
  if (!rows || (opt->weights && !w) || !(out = cov_matrix(rows, w, opt)))
    return NULL;
  bool good;
  if (all_in_range(ex, hed_diagonal(out, 0, 0, 1), &good) != HED_OK)
    return NULL;
  if (!good && hed_array_size(rows) > 0) {
    const hed_axes along = HED_AXES(1);
    e = hed__exponents(hed__largest(rows, &along, hed_max));
    rows = e ? hed_divide(rows, hed_exp2(e)) : NULL;
    hed_array *unit = w ? hed_exp2(hed__exponents(hed__largest(w, &along, hed_max))) : NULL;
    w = unit ? hed_divide(w, unit) : NULL;
    out = rows && (w || !opt->weights) ? cov_matrix(rows, w, opt) : NULL;
  }
  if (op == HED_OP_CORRCOEF)
    return correlations(out);
  return e && out ? with_exponents(out, e) : out;
}

static hed_array *covariance(int op, const hed_array *x, const hed_cov_options *opt)
{
  static const hed_cov_options none;
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  if (!opt)
    opt = &none;
  hed_shape s = hed__shape_of(x);
  if (s.ndim < 1 || s.ndim > 2) {
    hed_fail(HED_E_SHAPE, "%s: x has shape %s; one or two axes are needed", name, HED__TEXT(&s));
    return NULL;
  }
  int64_t n = s.ndim == 1 || opt->columns ? s.dim[0] : s.dim[1];
  if (opt->weights && (opt->weights->view.ndim != 1 || opt->weights->view.dim[0] != n)) {
    hed_shape w = hed__shape_of(opt->weights);
    hed_fail(HED_E_SHAPE, "%s: weights have shape %s, there are %lld observations", name, HED__TEXT(&w), (long long)n);
    return NULL;
  }
  if (opt->weights && hed__check_domain(name, "bif", "weights", opt->weights->view.dtype) != HED_OK)
    return NULL;
  composed c;
  int compute, id;
  const hed_array *const operands[2] = { x, opt->weights };
  if (composed_begin(&c, op, opt->weights ? 2 : 1, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if (hed__reduce_types(op, x, NULL, c.ex.device, &compute, &id) == HED_OK) {
    out = matrix_of(&c.ex, op, opt);
    if (s.ndim == 1)
      out = hed_reshape(out, HED_SHAPE0);
    out = hed_astype(out, hed__dtypes[id]);
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(cov)(const hed_array *x, const hed_cov_options *opt)
{
  return covariance(HED_OP_COV, x, opt);
}

hed_array *HED_BODY(corrcoef)(const hed_array *x, const hed_cov_options *opt)
{
  return covariance(HED_OP_CORRCOEF, x, opt);
}

/* ---- isotonic regression ---- */

static hed_array *fitted(composed *c, int n, int id, const hed_isotonic_params *p)
{
  const hed_view *x = &c->ex.in[0]->view, *views[2] = { x, NULL };
  hed_view weights;
  id = hed__infer_on("isotonic", id, c->ex.device);
  hed_array *out = id < 0 ? NULL : hed__array_new(c->ex.device, id, x->ndim, x->dim);
  if (!out || hed__view_size(x) == 0)
    return out;
  if (n > 1 && !hed__broadcast_view(&c->ex.in[1]->view, x->ndim, x->dim, &weights))
    return NULL;
  views[1] = &weights;
  return hed__run(&c->ex, &(hed__launch){ .n_out = 1, .n_in = n, .out = &out, .in_view = views, .params = p,
                                          .compute = hed__compute_of(id) }) == HED_OK ? out : NULL;
}

hed_array *HED_BODY(isotonic)(const hed_array *x, const hed_array *weights, int32_t axis, bool descending)
{
  static const char *const arg = "x";
  const hed_array *const operands[2] = { x, weights };
  hed_isotonic_params p = { .descending = descending };
  composed c;
  if (!hed__given(x, "isotonic", arg))
    return NULL;
  const int id = hed__infer_operands(HED_OP_ISOTONIC, 1, operands, &arg);
  if (id < 0 || (p.axis = hed__check_axis("isotonic", "axis", axis, x->view.ndim)) < 0
      || (weights && hed__check_domain("isotonic", "bif", "weights", weights->view.dtype) != HED_OK))
    return NULL;
  if (weights) {
    const hed_shape s = hed__shape_of(x), t = hed__shape_of(weights);
    hed_shape both;
    if (!hed__broadcast(&s, &t, &both) || !hed__shape_equal(both.ndim, both.dim, s.ndim, s.dim)) {
      hed_fail(HED_E_SHAPE, "isotonic: weights of shape %s do not broadcast to %s of x", HED__TEXT(&t), HED__TEXT(&s));
      return NULL;
    }
  }
  if (composed_begin(&c, HED_OP_ISOTONIC, weights ? 2 : 1, operands) != HED_OK)
    return NULL;
  return composed_end(&c, fitted(&c, weights ? 2 : 1, id, &p));
}
